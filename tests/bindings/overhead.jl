# overhead.c in Julia.
using NNPost, NNPost.Names

function values_of(count, seed)
    state = seed
    return map(1:count) do _
        state = state * 16807 % 2147483647
        2 * (state / 2147483647) - 1
    end
end

const X, Y = reshape(values_of(8000, 1), 400, 20), values_of(400, 2)
const NET = Net(20) |> Dense(10) |> ReLU() |> Dense(1) |> Gaussian()

clock() = ccall(:clock, Clong, ()) / 1e6
function once()
    began = clock()
    sample(NET, X, Y; chains = 1, warmup = 0, draws = 1000, seed = 1)
    return clock() - began
end

once()  # compiles
println(minimum(once() for _ in 1:parse(Int, ARGS[1])))
