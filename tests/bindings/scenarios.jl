# The scenarios of scenarios.txt in Julia.
using NNPost, NNPost.Names

const ROWS = 60
const BITS = Pair{String,String}[]

function values_of(count, seed)
    state = seed
    return map(1:count) do _
        state = state * 16807 % 2147483647
        2 * (state / 2147483647) - 1
    end
end

hexadecimal(x) = string(reinterpret(UInt64, x); base = 16, pad = 16)
keep(name, arrays...) =
    push!(BITS, name => join((hexadecimal(x) for array in arrays for x in array), " "))

dense_net(outputs, head) =
    set!(Net(3) |> Dense(4) |> ReLU() |> Dense(outputs) |> head, :noise, 0.1)

const X = reshape(values_of(ROWS * 3, 1), ROWS, 3)
const Y = values_of(ROWS, 2)
const CLASSES = floor.(Int, 1.5 .* (values_of(ROWS, 3) .+ 1))
const SIGNS = ifelse.(values_of(ROWS, 4) .>= 0, 1, -1)
const REGRESSION = dense_net(1, Gaussian())

sampled(net, x, y; sampler = :gibbs, options...) =
    sample(net, x, y; sampler = sampler, chains = 2, seed = 11, draws = 5, thin = 2, threads = 1,
           warmup = sampler == :gibbs ? 10 : 30, options...)

chain(seed = 11, number = 0; net = REGRESSION) =
    start!(Chain(net, Data(X; targets = Y)), :prior; seed = seed, number = number)

same(a, b) = size(a) == size(b) && reinterpret.(UInt64, a) == reinterpret.(UInt64, b)

function throws(f, kind, parts...)
    try
        f()
    catch exception
        exception isa kind || rethrow()
        said = sprint(showerror, exception)
        all(occursin(part, said) for part in parts) || error("$said: expected $parts")
        return exception
    end
    error("expected $kind with $parts")
end

# ---- Scenarios ----------------------------------------------------------------------------------

# The predictions in the library's order, [output, row].
in_order(predictions) = vec(permutedims(predictions))

function regression()
    fit = sampled(REGRESSION, X, Y)
    keep("regression", fit.draws, in_order(predict(fit, X)))
    @assert size(fit.draws) == (21, 5, 2)
    @assert fit["W1"][1, 4, 3, 2] === fit.draws[10, 3, 2] === fit["W1[4,1]"][3, 2]
    @assert columnnames(fit)[10] == "W1[4,1]" && getcolumn(fit, 10) == fit["W1[4,1]"]
    @assert summarize(fit).parameter[10] == "W1[4,1]"
    # The transpose of a matrix is taken where it lies.
    lying = permutedims(X)
    @assert same(predict(fit, lying'), predict(fit, X)) && NNPost.matrix(lying')[1] === lying
    @assert NNPost.matrix(X)[1] === X
    @assert size(predict(fit, X; kind = :quantiles)) == (ROWS, 1, 3)
    @assert size(predict(fit, X; kind = :draws)) == (ROWS, 1, 10)
    @assert score(fit, X, Y) ≈ sum(abs2, predict(fit, X)[:, 1] - Y) / ROWS
end

function classes()
    fit = sampled(dense_net(3, Argmax()), X, CLASSES)
    probabilities = predict(fit, X; kind = :probabilities)
    keep("classes", fit.draws, in_order(probabilities))
    @assert all(sum(probabilities; dims = 2) .≈ 1)
end

function binary()
    fit = sampled(dense_net(1, SignHead), X, SIGNS)
    keep("binary", fit.draws, in_order(predict(fit, X; kind = :probabilities)))
end

function student_t()
    net = dense_net(1, StudentT(3))
    fit = sampled(net, X, Y)
    keep("student_t", fit.draws, in_order(predict(fit, X)))
    @assert get(net, :freedom, NNPost.NNP_HEAD) == 3
    throws(() -> Net(3) |> Dense(1) |> StudentT(-1), NNPostError, "NNP_E_VALUE", "freedom")
end

function learning()
    net = learn!(learn_tied!(dense_net(1, Gaussian())), :ard; layer = 1, shape = 2, mean = 5)
    learn!(net, :lambda_w; layer = "W2")
    @assert parameters(net) == 26 && NNPost.parameter_name(net, 26) == "lambda_w2"
    @assert learned(net, :ard, "W1") == (shape = 2.0, mean = 5.0, first = 23, count = 3)
    fit = sampled(net, X, Y)
    keep("learning", fit.draws)
    @assert size(fit["lambda_w1"]) == (3, 5, 2) && fit["D"] == fit.draws[22, :, :]
    @assert learned(fix!(net, :ard; layer = 1), :ard, 1) === nothing
    throws(() -> learn_tied!(net; multiples = [1, 0, 1]), NNPostError, "NNP_E_VALUE", "multiples")
    throws(() -> learn_tied!(net; multiples = [1]), DimensionMismatch, "multiples")
end

function location_scale()
    net = dense_net(2, LocationScale())
    fit = sampled(net, X, Y; sampler = :hmc, posterior = :classical, leapfrogs = 5)
    keep("location_scale", fit.draws, in_order(predict(fit, X)))
    @assert size(predict(fit, X; kind = :quantiles)) == (ROWS, 1, 3)
    throws(() -> sampled(net, X, Y), NNPostError, "NNP_E_UNSUPPORTED", "location_scale")
end

function descent()
    made = chain()
    told = descend!(made, 20)
    keep("descent", sample(REGRESSION, X, Y; chains = 1, seed = 11, warmup = 0, draws = 5).draws)
    @assert told.steps == 20 && told.ended == :steps && told.after > told.before
    throws(() -> descend!(made, -1), NNPostError, "steps = -1")
end

function cnn()
    images = reshape(values_of(ROWS * 36, 5), ROWS, 36)
    net = Net(1, 6, 6) |> Conv2D(2, 3) |> AvgPool(2) |> ReLU |> Dense(3) |> Argmax
    set!(net, :noise, 0.1)
    fit = sampled(net, images, CLASSES)
    keep("cnn", fit.draws, in_order(predict(fit, images; kind = :probabilities)))
    @assert size(fit["W1"]) == (3, 3, 1, 2, 5, 2)
    # Images as [width, height, row] or [width, height, channel, row] are taken where they lie.
    lying = reshape(permutedims(images), 6, 6, 1, ROWS)
    @assert same(predict(fit, lying; kind = :votes), predict(fit, images; kind = :votes))
    @assert pointer(NNPost.matrix(lying)[1]) == pointer(lying)
    @assert NNPost.store(Data(fill(7.0, 9, 2); store = :auto)) != :doubles == NNPost.store(fit.data)
end

function fitted()
    net = copy(REGRESSION)
    fit = sampled(net, X, Y)
    before = score(fit, X, Y, :log)
    set!(net, :noise, 5)
    levels = [0.1, 0.5, 0.9]
    wide = predict(fit, X; kind = :quantiles, levels = levels)
    narrow = predict(fit, X; kind = :quantiles, levels = levels, noise = :forward)
    pointwise = log_lik(fit)
    scores = score(fit, X, Y, :log), score(fit, X, Y, :log; noise = :forward)
    keep("fitted", in_order(predict(fit, X; kind = :sd)), permutedims(wide, (3, 2, 1)),
         in_order(predict(fit, X; noise = :forward)),
         in_order(predict(fit, X; kind = :sd, noise = :forward)), scores, pointwise)
    @assert scores[1] == before > scores[2] && get(fit.net, :noise, 1) == 0.1
    @assert all(wide[:, 1, 3] - wide[:, 1, 1] .> narrow[:, 1, 3] - narrow[:, 1, 1])
    @assert size(pointwise) == (ROWS, 5, 2) && same(log_lik(fit, X, Y), pointwise)
    throws(() -> predict(fit, X; noise = :loud), NNPostError, "NNP_E_ENUM", "fitted")
    # WAIC: the log score of the training rows less the variance of the log likelihood.
    each = reshape(pointwise, ROWS, 10)
    lppd = log.(sum(exp, each; dims = 2) / 10)
    @assert all(isfinite, lppd) && sum(lppd) / ROWS > sum(each) / length(each)
    # Classes: a noise that was set is a temperature of the classical posterior.
    net = Net(3) |> Dense(3) |> Argmax()
    @assert temperature(dense_net(3, Argmax())) == 0.2
    @assert temperature(net) == temperature(copy(net)) == temperature(REGRESSION) == 1
    options = (sampler = :hmc, posterior = :classical)
    @assert !occursin("temperature", string(sampled(net, X, CLASSES; options...)))
    @assert occursin("classical at temperature 0.2",
                     string(sampled(dense_net(3, Argmax()), X, CLASSES; options...)))
end

function kept_scenario()
    names = [:functions, :log_lik, :mean, :predictions, :moments]
    fit = sampled(REGRESSION, X, Y; keep = names)
    found = NNPost.moments(fit)
    keep("kept", (kept(fit, name) for name in names[1:4])..., found.mean, found.variance)
    draws_made = sampled(REGRESSION, X, Y).draws
    @assert !has_draws(fit) && occursin("predictions", string(fit)) && occursin("R-hat", string(fit))
    @assert same(log_lik(fit), kept(fit, :log_lik)) && summarize(fit).parameter[1] == "log_lik"
    @assert size(predict(fit, nothing)) == (ROWS, 1) && size(predict(fit, nothing; kind = :sd)) == (ROWS, 1)
    new = reshape(kept(fit, :predictions), ROWS, 10)
    @assert predict(fit, nothing; kind = :quantiles, levels = [0.5])[1, 1, 1] ≈
            sum(sort(new[1, :])[5:6]) / 2
    throws(() -> predict(fit, X .+ 1), NNPostError, "keeps no parameters")
    throws(() -> save_draws(fit), NNPostError, "keeps no parameters")
    throws(() -> sampled(REGRESSION, X, Y; keep = :nothing), NNPostError, "NNP_E_ENUM")
    mktempdir() do folder
        path = joinpath(folder, "draws.nnp")
        mapped = sampled(REGRESSION, X, Y; file = path)
        @assert same(mapped.draws, draws_made)
        @assert same(predict(mapped, X), predict(sampled(REGRESSION, X, Y), X))
        throws(() -> resume!(mapped, 1), NNPostError, "room for the first run only")
        again = DrawsFile(path, REGRESSION)
        @assert same(draws(again), draws_made)
        @assert same(merge_draws(REGRESSION, X, Y, reverse(save_draws(again))).draws, draws_made)
        throws(() -> sampled(REGRESSION, X, Y; file = path), NNPostError, "NNP_E_FILE")
        throws(() -> DrawsFile(path, Net(3) |> Dense(1) |> Gaussian()), NNPostError,
               "NNP_E_SAVE_NETWORK")
    end
    @assert occursin("take 672.0 GB", NNPost.draws_advice(REGRESSION, 4, 10^9))
    # Without noise of hidden layers, whose draws differ between the two.
    model = NNPost.fit(NNPostModel, X, Y; hidden = [3], posterior = :classical, chains = 2,
                       warmup = 30, draws = 10, verbose = false, keep = X[1:5, :], stacking = false)
    whole = NNPost.fit(NNPostModel, X, Y; hidden = [3], posterior = :classical, chains = 2,
                       warmup = 30, draws = 10, verbose = false, stacking = false)
    @assert predict(model, X[1:5, :]) ≈ predict(whole, X[1:5, :])
    @assert all(interval(model, X[1:5, :])[1] .< interval(model, X[1:5, :])[2])
end

function table()
    scaled = X .* [1 1024 1]
    asked = (hidden = [3], chains = 2, warmup = 10, draws = 5, thin = 2, seed = 11, threads = 1,
             verbose = false)
    models = [fit(NNPostModel, scaled, 64 .* Y; asked...),
              fit(NNPostModel, scaled, CLASSES; classes = true, asked...),
              fit(NNPostModel, scaled, SIGNS; classes = true, asked...)]
    keep("table", (part for model in models for part in (model.fit.draws, model.fit.weights))...)
end

function layers()
    images = reshape(values_of(ROWS * 36, 5), ROWS, 36)
    padded = Net(1, 6, 6) |> Conv2D(2, 3; padding = (2, 1)) |> AvgPool(2) |> ReLU |> Dense(3) |>
        Argmax
    most = Net(1, 6, 6) |> Conv2D(2, 3; padding = 1) |> MaxPool(2) |> Tanh |> Dense(3) |> Argmax
    for net in (padded, most)
        set!(net, :noise, 0.1)
        set!(net, :noise, 0.5; layer = "W2")
        @assert find_layer(net, "W2") == 4 && get(net, :noise, 4) == get(net, :noise, "b2") == 0.5
        throws(() -> find_layer(net, "W3"), NNPostError, "NNP_E_OPTION", "W2 is layer 4")
    end
    throws(() -> Net(1, 6, 6) |> Conv2D(2, 3; padding = 3), NNPostError, "NNP_E_VALUE")
    throws(() -> sampled(most, images, CLASSES), NNPostError, "NNP_E_UNSUPPORTED")
    keep("layers", sampled(padded, images, CLASSES).draws,
         sampled(most, images, CLASSES; sampler = :hmc, posterior = :classical,
                 leapfrogs = 5).draws)
end

function gibbs()
    fit = sampled(REGRESSION, X, Y; relax = -0.9, unit_moves = 1, scale_moves = 1)
    made = moves(fit.chains[1])
    keep("gibbs", fit.draws, (Float64(n) for count in made for n in (count.tried, count.moved)))
    @assert made.plain.tried + made.relaxed.tried == 20
end
hmc() = keep("hmc", sampled(REGRESSION, X, Y; sampler = :hmc, posterior = :classical,
                            leapfrogs = 5).draws)
mala() = keep("mala", sampled(REGRESSION, X, Y; sampler = :mala).draws)
function nuts()
    keep("nuts", sampled(REGRESSION, X, Y; sampler = :nuts, posterior = :classical).draws)
    # Predictions are those of the posterior that was sampled: of the classical one by softmax.
    fit = sampled(dense_net(3, Argmax()), X, CLASSES; sampler = :nuts, posterior = :classical)
    scores = exp.(predict(fit, X; kind = :draws))
    softmax = sum(scores ./ sum(scores; dims = 2); dims = 3)[:, :, 1] / 10
    @assert predict(fit, X; kind = :probabilities) ≈ softmax
end

function teacher()
    who = Teacher(REGRESSION; seed = 5)
    data = Data(X; outputs = 1)
    sites = label!(who, data)
    made = start_teacher!(Chain(REGRESSION, data), who, sites; seed = 5, number = 0)
    keep("teacher", parameters(who), sites, NNPost.targets(data), sample!(made, 5))
    @assert NNPost.labels(Data(X; labels = CLASSES)) == CLASSES
    throws(() -> NNPost.labels(data), NNPostError, "NNP_E_NO_DATA")
end

function study()
    found = teacher_student(REGRESSION, X, X; starts = [:zero], steps = 600, seed = 5, stop = 0,
                            rhat_block = 0)
    GC.gc()
    times, errors = series(found, 2, :test)
    keep("study", errors)
    @assert length(times) == length(errors) > 100
    said = string(report(found, 2).verdict)
    @assert occursin(r"thermalized|undecided", said)
    @assert occursin(said, sprint(show, MIME("text/plain"), found))
    informed = series(found, 1)[2]
    @assert string(criteria(informed, errors; times = times).verdict) == said
    again = thermalization(informed, [errors]; times = times, options = (scale = :log,))
    @assert first(split(string(again[1]))) == first(split(said))
    @assert state(found).steps == 600
    throws(() -> thermalization!(found; zz = 1), ArgumentError, "zz")
end

function multistart()
    data = Data(X; targets = Y)
    made = Multistart([Chain(REGRESSION, data) for _ in 1:3]; steps = 3000)
    throws(() -> best(made), NNPostError, "NNP_E_NOT_STARTED")
    GC.gc()
    run!(made; seed = 11)
    found = [report(made, i) for i in 1:3]
    keep("multistart", (Float64(x) for one in found for x in (one.error, one.rank, one.steps)),
         parameters(best(made)))
    @assert best(made) === made.chains[findfirst(one -> one.rank == 1, found)]
    said = split(sprint(show, MIME("text/plain"), made), '\n')
    @assert occursin("rank", said[1]) && get_option(made, :share) == 0.5
    # chains count from 1, in tables, too
    @assert parse(Int, split(said[2])[2]) == findfirst(one -> one.rank == 1, found)
    seen = Ref(0)
    run!(made; callback = _ -> (seen[] += 1) == 5)
    @assert seen[] == 5
end

function exchange()
    data = Data(X; targets = Y)
    made = Exchange([Chain(REGRESSION, data) for _ in 1:6]; rounds = 3, first_round = 10)
    throws(() -> ladder!(made, [0, 0.5, 0.5, 1]), NNPostError, "NNP_E_VALUE")
    throws(() -> run!(made, 1), NNPostError, "NNP_E_NOT_STARTED")
    saved = save(tune!(start!(made, :prior; seed = 11)))
    GC.gc()
    draws = sample!(record!(made, 10), 5; thin = 2)
    found = report(made)
    keep("exchange", draws, ladder(made).power, [found.barrier, found.log_evidence],
         Float64.(levels(made) .- 1))
    @assert size(levels(made)) == (found.replicas, 10)
    @assert evidence(made).log_evidence == found.log_evidence
    @assert sample!(restore!(made, saved), 5; thin = 2) == draws
    @assert occursin("log evidence", string(made)) && get_option(made, :steps) == 1
    @assert parameters(target(made)) == draws[:, end]
    seen = Ref(0)
    run!(made, 100; callback = _ -> (seen[] += 1) == 5)
    @assert seen[] == 5
    @assert report(ladder!(made, [0, 0.1, 1])).replicas == 3
    both = NNPost.exchange(REGRESSION, X, Y; draws = 20, rounds = 2, replicas = 8, threads = 1)
    @assert size(both.fit.draws) == (21, 20, 2) && isfinite(evidence(both).log_evidence)
    @assert size(predict(both, X)) == (60, 1)
    @assert occursin("standard error", sprint(show, MIME("text/plain"), both))
end

function twin()
    one = chain()
    run!(one, 10)
    made = run!(Twin(one), 200; seed = 5)
    keep("twin", series(made, 1)[2], series(made, 2)[2])
    @assert occursin(r"thermalized|undecided", string(report(made)))
    @assert occursin("its twin in equilibrium", string(made))
end

function calibration()
    ranks = sbc_ranks(parameters(Teacher(REGRESSION; seed = 5)), sampled(REGRESSION, X, Y).draws)
    counts, p = sbc_histogram(permutedims(ranks), 10, 11)
    draws = sampled(REGRESSION, X, Y; draws = 40, thin = 1).draws
    z, p_value = geweke(draws; mean = zeros(21), second_moment = ones(21))
    z_draws, p_draws = geweke(draws[:, :, 1:1], draws[:, :, 2:2])
    keep("calibration", Float64.(ranks), Float64.(counts), p, z, p_value, z_draws, p_draws)
    tied = sbc_ranks(draws[:, 1, 1], draws; ties = fill(0.999, 21))
    @assert all(tied .>= sbc_ranks(draws[:, 1, 1], draws))
end

function resume()
    first = chain()
    run!(first, 10)
    saved = save(first)
    draws, again = sample!(first, 5), sample!(restore!(chain(1), saved), 5)
    @assert same(draws, again)
    keep("resume", again)
    throws(() -> restore!(chain(), saved[1:end-1]), NNPostError, "NNP_E_SAVE_TRUNCATED")
    fit, whole = sampled(REGRESSION, X, Y), sampled(REGRESSION, X, Y; draws = 10)
    fit_again = sampled(REGRESSION, X, Y; resume = save(fit))
    @assert same(whole.draws[:, 6:10, :], fit_again.draws)
    @assert same(whole.draws, resume!(fit, 5).draws)
end

function bad_input()
    found = throws(() -> set!(dense_net(1, Gaussian()), :noise, -1), NNPostError,
                   "NNP_E_VALUE: noise = -1: expected a positive, finite number")
    @assert found.status == NNPost.NNP_E_VALUE && found.name == "NNP_E_VALUE"
    throws(() -> set!(dense_net(1, Gaussian()), NNPost.NNP_RELU, 1), NNPostError,
           "property = 102 (NNP_RELU, an activation): expected a property")
    parallel = Chain(dense_net(1, Gaussian()), Data(X; targets = Y))
    set!(parallel, :schedule, :parallel)
    @assert get_option(parallel, :schedule) == NNPost.NNP_PARALLEL
    throws(() -> set!(parallel, :schedule, 2), NNPostError, "option schedule = 2: expected")
    broken = copy(X)
    broken[8, 1] = NaN
    throws(() -> Data(broken), NNPostError, "NNP_E_NOT_FINITE", "X: row 8, column 1 is NaN")
    throws(() -> Data(permutedims(broken)'), NNPostError, "X: row 8, column 1 is NaN")
    throws(() -> Data(X; targets = broken), NNPostError, "targets: row 8, column 1 is NaN")
    net = dense_net(3, Argmax())
    throws(() -> sampled(net, X, fill(3, ROWS)), NNPostError, "NNP_E_LABEL")
    throws(() -> sampled(net, X, fill(0.5, ROWS)), NNPostError, "NNP_E_LABEL")
    throws(() -> sampled(REGRESSION, X, Y[1:end-1]), NNPostError, "59 rows", "60")
    throws(() -> Chain(Net(3) |> Dense(1), Data(X; targets = Y)), NNPostError, "NNP_E_NO_HEAD")
    throws(() -> Net(3) |> Activation(:rleu), NNPostError, "rleu", "leaky_relu")
    throws(() -> set!(chain(), :step_size, 1), NNPostError, "NNP_E_OPTION")
    closed = Net(3)
    close!(closed)
    close!(closed)
    throws(() -> closed |> Dense(1), NNPostError, "NNP_E_NULL")
    @assert sprint(show, closed) == "closed Net"
    throws(() -> sampled(net, X, fill("a", ROWS)), NNPostError, "NNP_E_LABEL", "\"a\"")
    throws(() -> sample(Net(3) |> Dense(1), X, Y), NNPostError, "NNP_E_NO_HEAD")
    throws(() -> sample(REGRESSION, X, Y; warmup = -1), NNPostError, "warmup = -1")
    throws(() -> sample(REGRESSION, X, Y; threads = 0), NNPostError, "threads = 0")
    throws(() -> Data([1.0 missing]), NNPostError, "missing")
    fresh = Net(3)
    throws(() -> fresh |> Dense(2; nosie = 1), NNPostError, "nosie")
    @assert NNPost.layers(fresh) == 0  # a layer with an unknown property is not added
    # What a chain needs is closed: it is refused, not read after it was freed.
    lost, pooled, pool = chain(), chain(), Pool(2)
    close!(lost.data)
    throws(() -> run!(lost, 1), NNPostError, "Data that is closed")
    use_pool!(pooled, pool)
    close!(pool)
    throws(() -> run!(pooled, 1), NNPostError, "Pool that is closed")
    @assert run!(use_pool!(pooled, nothing), 1) == 1
    throws(() -> run!(pooled, 5; callback = _ -> close!(pooled)), NNPostError, "in use")
    throws(() -> deepcopy(pooled), NNPostError, "cannot be copied")
end

function cancel()
    made = chain()
    stop_at_7(progress) = (GC.gc(false); progress.step == 7)
    @assert run!(made, 100; callback = stop_at_7) == 7 == steps(made)
    @assert size(sample!(made, 50; thin = 2, callback = stop_at_7)) == (21, 3)
    throws(() -> run!(made, 100; callback = _ -> (GC.gc(); error("from inside"))),
           ErrorException, "from inside")
    @assert steps(made) == 15
    # Ctrl-C ends a run, also where nobody listens to every step.
    ccall(:jl_exit_on_sigint, Cvoid, (Cint,), 0)
    interrupt() = ccall(:kill, Cint, (Cint, Cint), getpid(), 2)
    ring(progress) = (progress.step == 20 && interrupt(); false)
    throws(() -> run!(made, 10^12; callback = ring), InterruptException)
    run(`sh -c "(sleep 0.3; kill -INT $(getpid())) &"`)
    throws(() -> run!(made, 10^12), InterruptException)
    # What was drawn by then is kept.
    fit = sample(REGRESSION, X, Y; chains = 1, draws = 500, thin = 2, warmup = 30,
                 callback = progress -> progress.steps == 1000 && progress.step == 20)
    @assert fit.interrupted && size(fit.draws) == (21, 10, 1)
    @assert same(fit.draws, sample(REGRESSION, X, Y; chains = 1, draws = 10, thin = 2,
                                   warmup = 30).draws)
end

function seeds()
    keep("seeds", sample!(chain(9007199254740991), 5))
    draws = [sample!(chain(key...), 5) for key in ((11, 0), (12, 0), (11, 1), (11, 0))]
    @assert !same(draws[1], draws[2]) && !same(draws[1], draws[3]) && same(draws[1], draws[4])
    chain(typemax(UInt64))
    throws(() -> chain(big(2)^64), InexactError)
end

threads() = @assert same(sampled(REGRESSION, X, Y).draws,
                         sampled(REGRESSION, X, Y; threads = 2).draws)

function diagnostics()
    draws = sampled(REGRESSION, X, Y; draws = 40, thin = 1).draws
    names = (:rhat, :ess_bulk, :ess_tail, :mcse_mean, :quantile)
    keep("diagnostics", (statistics(draws, name; probability = 0.9) for name in names)...)
    @assert same(statistics(view(draws, 3:4, :, :), :rhat), statistics(draws, :rhat)[3:4])
    @assert size(block_rhat(draws, 10)) == (6, 4)
    counts, p = sbc_histogram([0 1 2 3], 3, 2)
    @assert counts == reshape([2, 2], 2, 1) && length(p) == 1
    z, p_value = geweke(draws; mean = zeros(21), second_moment = ones(21))
    @assert size(z) == (2, 21) && 0 <= p_value <= 1
    @assert option_info(:schedule).default == NNPost.NNP_SEQUENTIAL && option_info(:steps; of = Study).name == "steps"
end

function converged()
    fit = sampled(REGRESSION, X, Y; draws = 40, thin = 1)
    names, values = functions(fit)
    told = convergence(fit)
    keep("converged", values, (told.rhat, told.ess_bulk, told.ess_tail))
    @assert names[1:2] == ["log_lik", "f[1]"] && size(values) == (17, 40, 2)
    @assert !(told.verdict in (:converged, :undecided)) && occursin("R-hat up to", string(told))
    @assert occursin(string(told), string(fit))
    @assert convergence(values[:, 1:3, :]).verdict == :undecided
    names, values = functions(sampled(dense_net(3, Argmax()), X, CLASSES); rows = 2)
    @assert names[2:end] == ["p[$row,$c]" for row in (1, ROWS) for c in 1:3]
    close!(fit.data)
    @assert occursin("the data is closed", string(fit))
end

function large()
    net = Net(2^31) |> Dense(2)
    @assert parameters(net) == 4294967298 && prod(size(net, 0)) == 2^31
    for inputs in (2147483653, 2^40, big(2)^64 + 5)
        throws(() -> Net(inputs), Union{NNPostError,InexactError})
    end
    throws(() -> sample!(chain(), 2^62), Union{NNPostError,OutOfMemoryError,OverflowError})
    throws(() -> sampled(REGRESSION, X, Y; draws = 2^62),
           Union{NNPostError,OutOfMemoryError,OverflowError})
end

function memory()
    resident() = parse(Int, split(read("/proc/self/statm", String))[2]) * 4096
    before = 0
    for i in 1:11000
        net = dense_net(1, Gaussian())
        chain(; net = net)
        Predictor(net, 10)
        if i % 1000 == 0
            GC.gc()
            i == 1000 && (before = resident())
        end
    end
    @assert resident() - before < 8 * 2^20 "$(resident() - before) bytes more"
end

const SCENARIOS = (regression, classes, binary, student_t, learning, location_scale, descent, cnn,
                   fitted, kept_scenario, table, layers, gibbs, hmc, mala, nuts,
                   teacher, study,
                   multistart, exchange, twin, calibration, resume, bad_input, cancel, seeds, threads,
                   diagnostics, converged,
                   large, memory)

# `kept` itself is a function of the package.
told(scenario) = replace(string(scenario), "_scenario" => "")

function main(path)
    failures = 0
    for scenario in SCENARIOS
        GC.gc()
        try
            scenario()
            println(told(scenario), ": PASS")
        catch exception
            failures += 1
            println(told(scenario), ": FAIL ", sprint(showerror, exception))
        end
    end
    open(path, "w") do file
        foreach(bits -> println(file, bits.first, " ", bits.second), BITS)
    end
    println(length(SCENARIOS), " Tests ", failures, " Failures 0 Ignored")
    return failures
end

# Without a file for the bits this only defines the scenarios: runtests.jl includes it.
isempty(ARGS) || exit(main(ARGS[1]) == 0 ? 0 : 1)
