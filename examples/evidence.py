# evidence: how many hidden units do the data support? Replica exchange samples the posterior of each network
# by chains on a ladder from the prior up to it, and finds the evidence log p(y | X) on the way. The
# network with the highest evidence explains the data best.
import numpy as np
import nnpost

i = np.arange(1, 61)
x = 4 * np.mod(np.outer(i, [0.7548776662466927, 0.5698402909980532]), 1) - 2
y = abs(x[:, 0]) - x[:, 1] / 2
for hidden in range(1, 5):
    net = nnpost.Net(2).dense(hidden).relu().dense(1).gaussian().set("noise", 1e-2)
    fit = nnpost.exchange(net, x, y, exchanges=1, replicas=30, draws=2000, seed=1)
    found = fit.evidence
    print(f"{hidden} units: log evidence {found.log_evidence:.1f} +- {found.error:.1f}")
