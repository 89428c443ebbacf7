# threads: four chains side by side on several threads. Their number affects only the time.
using NNPost, NNPost.Names

x = 4 * mod.((1:200) * [0.7548776662466927 0.5698402909980532], 1) .- 2
y = abs.(x[:, 1]) - x[:, 2] / 2
net = Net(2) |> Dense(6) |> ReLU() |> Dense(1) |> Gaussian()
set!(net, :noise, 1e-2)
one, two = (sample(net, x, y; chains = 4, draws = 200, thin = 5, seed = 1, threads = n) for n in (1, 2))
println("the same draws on 1 thread and on 2: ", one.draws == two.draws ? "yes" : "no")
