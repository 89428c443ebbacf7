# quickstart: 8 relu units learn |x| from 100 points, sampled by Gibbs; what do they say at x = 1?
import numpy as np
import nnpost

x = -2 + 4 * np.arange(100) / 99
y = abs(x)  # to be learned
net = nnpost.Net(1)  # one input, 8 relu units, one output observed with noise
net.dense(8).relu().dense(1).gaussian().set("noise", 1e-3)
fit = nnpost.sample(net, x, y, chains=1, draws=1000, warmup=5000, thin=10, seed=1)
mean, sd = fit.predict([1.0], "mean"), fit.predict([1.0], "sd")
print(f"y(1) = {mean.item():.3f} +- {sd.item():.3f}")
