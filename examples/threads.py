# threads: four chains side by side on several threads. Their number affects only the time.
import numpy as np
import nnpost

i = np.arange(1, 201)
x = 4 * np.mod(np.outer(i, [0.7548776662466927, 0.5698402909980532]), 1) - 2
y = abs(x[:, 0]) - x[:, 1] / 2
net = nnpost.Net(2).dense(6).relu().dense(1).gaussian().set("noise", 1e-2)
one, two = (nnpost.sample(net, x, y, chains=4, draws=200, thin=5, seed=1, threads=n) for n in (1, 2))
print("the same draws on 1 thread and on 2:", "yes" if np.array_equal(one.draws, two.draws) else "no")
