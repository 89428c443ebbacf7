# ranks.jl [mpi | FOLDER RANK FILE]: chains and replicas over ranks from Julia give the fit of a single
# process. Ranks are two processes that share a folder, or those of mpirun.
using NNPost

function problem()
    X = permutedims(reshape(cos.(0.0:599.0), 3, 200))
    net = Net(3) |> Dense(4) |> ReLU() |> Dense(1) |> Gaussian()
    set!(net, :noise, 0.1)
    return net, X, abs.(X[:, 1]) .- X[:, 2]
end

function fitted(comm)
    fit = sample(problem()...; chains = 3, draws = 4, warmup = 5, seed = 3, threads = 1,
                 progress = false, comm = comm)
    swapped = exchange(problem()...; exchanges = 1, replicas = 3, draws = 4, rounds = 2,
                       first_round = 4, seed = 3, threads = 1, comm = comm)
    return vcat(vec(fit.draws), vec(swapped.fit.draws))
end

failures = 0
function check(good, what)
    println("$what: ", good ? "PASS" : "FAIL")
    global failures += !good
end

if ARGS == ["mpi"]
    world = mpi()
    check(fitted(world) == fitted(nothing), string(world))
    close!(world)
elseif length(ARGS) == 3
    write(ARGS[3], fitted(comm(Folder(ARGS[1], parse(Int, ARGS[2]), 2; patience = 120))))
else
    mktempdir() do root
        folder, file = joinpath(root, "job"), joinpath(root, "rank1")
        other = run(pipeline(`$(Base.julia_cmd()) --startup-file=no $PROGRAM_FILE $folder 1 $file`;
                             stderr = stderr); wait = false)
        mine = fitted(comm(Folder(folder, 0, 2; patience = 120)))
        wait(other)
        alone = fitted(nothing)
        check(mine == alone, "folder, rank 0")
        check(reinterpret(Float64, read(file)) == alone, "folder, rank 1")
        refused = try
            Folder(folder, 0, 2)
            ""
        catch problem
            problem.name
        end
        check(refused == "NNP_E_COMM", "used folder")
    end
    # A team of one: no function is called.
    check(fitted(comm(Team(1), 0)) == fitted(nothing), "team")
    println("4 Tests $failures Failures 0 Ignored")
end
exit(failures > 0)
