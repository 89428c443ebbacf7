# ranks: chains over many machines. Every rank makes the same calls; each chain is run by one of them, and all
# have all draws:
#
#     mpirun -n 4 julia ranks.jl
using NNPost, NNPost.Names, Printf

x = 4 * mod.((1:200) * [0.7548776662466927 0.5698402909980532], 1) .- 2
y = abs.(x[:, 1]) - x[:, 2] / 2
net = Net(2) |> Dense(6) |> ReLU() |> Dense(1) |> Gaussian()
set!(net, :noise, 1e-2)
world = mpi()
fit = sample(net, x, y; chains = 8, draws = 200, warmup = 0, thin = 5, seed = 1, comm = world)
if world.rank == 0
    @printf("%d chains, %d draws each: mean square weight %.6f\n", size(fit.draws, 3), size(fit.draws, 2),
            sum(abs2, fit.draws) / length(fit.draws))
end
close!(world)  # on every rank
