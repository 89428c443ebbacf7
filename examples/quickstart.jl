# quickstart: 8 relu units learn |x| from 100 points, sampled by Gibbs; what do they say at x = 1?
using NNPost, NNPost.Names, Printf

x = [-2 + 4i / 99 for i in 0:99]
y = abs.(x)  # to be learned
net = Net(1) |> Dense(8) |> ReLU() |> Dense(1) |> Gaussian()
set!(net, :noise, 1e-3)
fit = sample(net, x, y; chains = 1, draws = 1000, warmup = 5000, thin = 10, seed = 1)
mean, sd = predict(fit, [1.0]), predict(fit, [1.0]; kind = :sd)
@printf("y(1) = %.3f +- %.3f\n", mean[1], sd[1])
