# resume [FILE]: saves chains to a file and continues from it, like a job that was ended and started
# again. The draws are the same as without the stop, bit for bit.
using NNPost, NNPost.Names, Serialization

path = get(ARGS, 1, "resume.bin")
x = 4 * mod.((1:200) * [0.7548776662466927 0.5698402909980532], 1) .- 2
y = abs.(x[:, 1]) - x[:, 2] / 2
net = Net(2) |> Dense(6) |> ReLU() |> Dense(1) |> Gaussian()
set!(net, :noise, 1e-2)
run(draws; more...) = sample(net, x, y; chains = 2, draws = draws, warmup = 0, thin = 5, start = :prior,
                             seed = 1, more...)

first = run(100)
serialize(path, (first.draws, save(first)))

draws, saved = deserialize(path)  # in another session
second = run(100; resume = saved)
same = run(200).draws == cat(draws, second.draws; dims = 2)
println("the same draws after a restart: ", same ? "yes" : "no")
