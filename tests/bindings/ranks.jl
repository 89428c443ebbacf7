# ranks.jl [mpi | FOLDER RANK FILE]: chains and replicas over ranks from Julia give the fit of a single
# process. Ranks are two processes that share a folder, or those of mpirun.
using NNPost, NNPost.Names

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

# Rows over ranks: this one has its own only.
function spread(comm; cut...)
    net, X, y = problem()
    X, y = repeat(X, 5) .+ (0:999) ./ 1000, repeat(y, 5)
    rows = Rows(1000, comm; blocks = 8, cut...)
    fit = sample(net, X[range(rows), :], y[range(rows)]; start = :zero, chains = 1, draws = 4, warmup = 5, seed = 3,
                 threads = 1, progress = false, rows = rows)
    return vec(fit.draws), save(fit.chains[1])
end

# Jobs that know nothing of each other, merged in another order.
function merged()
    options = (draws = 6, warmup = 5, seed = 3, threads = 1, progress = false)
    together = sample(problem()...; chains = 3, options...)
    blocks = [only(save_draws(sample(problem()...; chains = 1, number = job, options...)))
              for job in (2, 0, 1)]
    fit = merge_draws(problem()..., blocks)
    refused = try
        merge_draws(problem()..., [blocks[1], blocks[1]])
        ""
    catch problem
        sprint(showerror, problem)
    end
    X = problem()[2]
    return fit.draws == together.draws && predict(fit, X) == predict(together, X) &&
           string(convergence(fit)) == string(convergence(together)) &&
           occursin("have the same draws", refused)
end

failures = 0
function check(good, what)
    println("$what: ", good ? "PASS" : "FAIL")
    global failures += !good
end

if ARGS == ["missing"] # mpirun, and no companion of the library
    why = try
        mpi()
        "a library that is not there"
    catch problem
        sprint(showerror, problem)
    end
    check(occursin("no libnnpost_mpi", why) && occursin("NNPOST_MPI_LIBRARY", why), why)
elseif ARGS == ["mpi"]
    world = mpi()
    check(fitted(world) == fitted(nothing), string(world))
    check(spread(world)[1] == spread(nothing)[1], "rows")
    close!(world)
elseif length(ARGS) == 3
    talk = comm(Folder(ARGS[1], parse(Int, ARGS[2]), 2; patience = 120))
    write(ARGS[3], fitted(talk))
    write(ARGS[3] * ".rows", spread(talk; first = 385, count = 616)[2])
else
    mktempdir() do root
        folder, file = joinpath(root, "job"), joinpath(root, "rank1")
        other = run(pipeline(`$(Base.julia_cmd()) --startup-file=no $PROGRAM_FILE $folder 1 $file`;
                             stderr = stderr); wait = false)
        talk = comm(Folder(folder, 0, 2; patience = 120))
        mine = fitted(talk)
        draws, saved = spread(talk; first = 1, count = 384)
        wait(other)
        check(draws == spread(nothing)[1], "rows")
        net, X, y = problem()
        data = Data(repeat(X, 5) .+ (0:999) ./ 1000; targets = repeat(y, 5), rows = Rows(1000; blocks = 8))
        chain = restore!(Chain(net, data), [read(file * ".rows"), saved])
        check(steps(chain) == 9, "saved rows")
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
    check(merged(), "jobs")
    println("7 Tests $failures Failures 0 Ignored")
end
exit(failures > 0)
