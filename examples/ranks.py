# ranks: chains over many machines. Every rank makes the same calls; each chain is run by one of them, and all
# have all draws:
#
#     mpirun -n 4 python3 ranks.py
import numpy as np
import nnpost

i = np.arange(1, 201)
x = 4 * np.mod(np.outer(i, [0.7548776662466927, 0.5698402909980532]), 1) - 2
y = abs(x[:, 0]) - x[:, 1] / 2
net = nnpost.Net(2).dense(6).relu().dense(1).gaussian().set("noise", 1e-2)
comm = nnpost.mpi()
fit = nnpost.sample(net, x, y, chains=8, draws=200, warmup=0, thin=5, seed=1, comm=comm)
if comm.rank == 0:
    chains, draws, _ = fit.draws.shape
    print(f"{chains} chains, {draws} draws each: mean square weight {np.mean(fit.draws ** 2):.6f}")
