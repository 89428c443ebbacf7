# fit(NNPostModel, X, y): units, tables, classes, weights, what is refused, what is shown.
using NNPost, NNPost.Names

# Of the classical posterior, whose layers below the last have no noise: predictions are then exact
# functions of the draws.
const SMALL = (hidden = (4,), posterior = :classical, chains = 2, warmup = 20, draws = 30, threads = 1,
               verbose = false)
u(i) = mod(i * 0.6180339887498949, 1.0)
const X = [2u(i + 100j) - 1 for i in 1:60, j in 1:3] .* [1 10 0.1] .+ [0 100 5]
const Z = (X .- sum(X; dims = 1) ./ 60) ./ [0.577 5.77 0.0577]
const Y = sin.(2Z[:, 1]) .+ Z[:, 2] .+ 0.1 .* [2u(7i) - 1 for i in 1:60]
fitted(X, y; more...) = fit(NNPostModel, X, y; SMALL..., more...)

function refused(f, words)
    try
        f()
    catch error
        told = sprint(showerror, error)
        occursin(words, told) || Base.error("expected '$words', told: $told")
        return
    end
    Base.error("was not refused: $words")
end

function recommended_settings()
    net = recommended_net(3; rows = 60)
    recipe = recommend(net, 60)
    @assert (recipe.sampler, recipe.posterior, recipe.start) == (:gibbs, :intermediate, :fit)
    @assert recommend(recommended_net(3; activation = :tanh, rows = 60), 60).sampler == :nuts
    @assert recommend(recommended_net(3; posterior = :classical, rows = 60), 60).sampler == :nuts
    large = recommend(recommended_net(3; rows = 5000), 5000)
    @assert large.sampler == :hmc && large.leapfrogs == 500
    for (head, rows) in ((:location_scale, 5000), (:gaussian, 60)) # what nothing chooses
        chosen, told = (recommended_net(3, 1, name; rows = rows) for name in (nothing, head))
        @assert NNPost.parameters(chosen) == NNPost.parameters(told)
    end
    @assert fitted(X, Y; posterior = nothing, sampler = :nuts).recipe.posterior == :classical
    noisy = fitted(X, Y; posterior = nothing)
    @assert (noisy.recipe.sampler, noisy.recipe.posterior) == (:gibbs, :intermediate)
    tied = recommended_net(3; activation = :relu, posterior = :intermediate, ard = true)
    @assert recommend(tied, 60).sampler == :gibbs
    @assert learned(tied, :ard, 1).count == 3
    refused(() -> recommended_net(3; hidden = fill(2, 17)), "at most 16")
    made = sample(recommended_net(3; hidden = [3], rows = 60), Z, Y; threads = 1,
                  merge(recipe, (warmup = 5, draws = 5, chains = 2))...)
    @assert size(made.draws)[2:3] == (5, 2)
    values, names = chain_array(made)
    @assert size(values) == (5, size(made.draws, 1), 2) && names[1] == Symbol("W1[1,1]")
end

function original_units()
    first, scales = fitted(X, Y), [1024 1 0.5]  # powers of two: the same bits once standardized
    other = fitted(X .* scales, 64 .* Y)
    @assert first.fit.draws == other.fit.draws
    @assert isapprox(predict(other, X .* scales), 64 .* predict(first, X); rtol = 1e-5)
    @assert isapprox(predict(other, X .* scales; kind = :sd), 64 .* predict(first, X; kind = :sd); rtol = 1e-5)
    @assert isapprox(log_score(other, X .* scales, 64 .* Y), log_score(first, X, Y) - log(64); atol = 1e-5)
    error = sum(abs2, predict(first, X) .- Y) / sum(abs2, Y .- sum(Y) / 60)
    @assert error < 0.2
    lower, upper = interval(first, X, 0.8)
    @assert all(lower .< predict(first, X) .< upper)
    @assert size(predict(first, X; kind = :quantiles, levels = [0.1, 0.9])) == (60, 2)
    @assert size(predict(first, X; kind = :draws)) == (60, 60)
    @assert size(log_lik(first, X, Y)) == (60, 30, 2)
    both = fitted(X, hcat(Y, 10 .- Y); head = :location_scale)
    @assert size(predict(both, X)) == (60, 2) && size(interval(both, X)[1]) == (60, 2)
    mean, sd, none = standard(X)
    @assert isempty(none) && unstandardize(standardize(X, mean, sd), mean, sd) ≈ X
end

function tables()
    columns = (a = X[:, 1], b = X[:, 2], c = X[:, 3], y = Y)
    model = fitted(columns, :y)
    @assert model.names == [:a, :b, :c]
    @assert predict(model, (c = X[:, 3], b = X[:, 2], a = X[:, 1])) == predict(fitted(X, Y), X)
    rows = [(a = X[i, 1], b = X[i, 2], c = X[i, 3]) for i in 1:60]
    @assert predict(model, rows) == predict(model, columns)
    @assert predict(model, Dict("a" => X[:, 1], "b" => X[:, 2], "c" => X[:, 3])) ==
        predict(model, columns)
    refused(() -> predict(model, (a = [1.0], c = [2.0])), "no column b")
    refused(() -> fit(NNPostModel, columns, :z), "target: the table has no column z")
    refused(() -> fitted((a = ["x", "y"], b = [1, 2]), [1.0, 2.0]), "column a holds String")
    refused(() -> fitted((a = [1, missing], b = [1, 2]), [1.0, 2.0]), "column a has missing values")
end

function classes()
    truth = Z[:, 1] .+ Z[:, 2] .> 0
    for labels in (truth, ifelse.(truth, "yes", "no"), ifelse.(truth, :b, :a))
        model = fitted(X, labels)
        p = predict(model, X; kind = :probabilities)
        @assert size(p) == (60, 2) && all(sum(p; dims = 2) .≈ 1)
        @assert count(predict(model, X) .== labels) > 50
        chosen = [p[i, findfirst(==(labels[i]), model.classes)] for i in 1:60]
        @assert log_score(model, X, labels) ≈ sum(log, chosen) / 60
    end
    three = clamp.(round.(Int, 2 .* Z[:, 1]), -1, 1)
    model = fitted(X, three; classes = true)
    @assert model.classes == [-1, 0, 1] && count(predict(model, X) .== three) > 45
    @assert transform(Z, model.change) ≈ Z * model.change && model.change[1, 1] > model.change[2, 2]
    @assert transform(permutedims(permutedims(Z)), model.change) == transform(Z, model.change)
    @assert fitted(X, three; classes = true, ard = true).change === nothing
    @assert recommend_transform(Z[1:6, :], three[1:6] .+ 1) === nothing
    refused(() -> recommend_transform(Z, [0, 1]), "labels: there are 2, Z has 60 rows")
    refused(() -> transform(Z, [1.0 0.0; 0.0 1.0]), "Z has 3 columns")
    refused(() -> log_score(model, X, fill(4, 60)), "class 4")
    refused(() -> fitted(X, fill("a", 60)), "one class")
    refused(() -> predict(model, X; kind = :sd), ":probabilities")
end

function weights()
    model = fitted(X, Y; stacking = false)
    made = model.fit
    @assert made.weights === nothing
    alike = predict(made, Z)
    made.weights = [0.5, 0.5]
    @assert predict(made, Z) == alike
    made.weights = [0.0, 2.0]
    one = NNPost.Predictor(made.net, 30; posterior = :classical, units = made.units)
    @assert predict(made, Z) ≈ predict(one, Z, made.draws[:, :, 2])
    @assert sum(stack!(made)) ≈ 1
    @assert stacking([-1.0 -3.0; -1.0 -2.0]).weights == [1, 0]
    @assert loo(made).elpd ≈ sum(loo(log_lik(made)).pointwise)
    @assert occursin("elpd_loo", string(model.loo))
end

function bad_input()
    refused(() -> fitted(X, fill(2.0, 60)), "target 1 is constant, all its values are 2.0")
    refused(() -> fitted(X, Y[1:50]), "y: it has 50 rows, X has 60")
    spoilt = copy(X)
    spoilt[3, 2] = NaN
    refused(() -> fitted(spoilt, Y), "finite")
    refused(() -> predict(fitted(X, Y), X[:, 1:2]), "expected 3")
    refused(() -> interval(fitted(X, Y), X, 1.5), "level = 1.5")
    refused(() -> fitted(X, Y; drws = 5), "drws: fit has no such argument (did you mean draws?); " *
            "expected one of head, hidden")
    refused(() -> fitted(X, Y; stpe_size = 0.1), "did you mean step_size?")
    refused(() -> fit(NNPostModel, (mpg = [1.0, 2.0], x = [1.0, 2.0]), :mpgs),
            "target: the table has no column mpgs (did you mean mpg?), expected one of mpg, x")
end

function shown()
    model = fitted(X, Y)
    @assert occursin(r"^NNPostModel: regression, 3 columns, 2 chains of 30 draws; .*R-hat", repr(model))
    long = repr(MIME("text/plain"), model)
    @assert occursin("weights of chains", long) && occursin("sampled by nuts", long)
    ring(told) = told.steps == 500 && told.step == 12 && told.chain == 1
    stopped = fitted(X, Y; chains = 1, draws = 500, callback = ring)
    @assert stopped.fit.interrupted && size(stopped.fit.draws, 2) == 12
    @assert occursin("(interrupted)", repr(stopped))
end

function shared_predictions()
    net = Net(3) |> Dense(5) |> ReLU() |> Dense(1) |> Gaussian()
    draws = [sin(1.7i * j) for i in 1:parameters(net), j in 1:12]
    rows = [cos(2.3i * j) for i in 1:700, j in 1:3]
    data = Data(rows; targets = rows[:, 1])
    alone, pool = Predictor(net, 12), Pool(3)
    shared = Predictor(net, 12; pool = pool)
    for kind in (:mean, :sd, :quantiles, :draws)
        @assert predict(alone, rows, draws, kind) == predict(shared, rows, draws, kind)
    end
    expected = log_lik(alone, data, draws)
    @assert log_lik(shared, data, draws) == expected
    @assert score(shared, data, draws, :log) == score(alone, data, draws, :log)
    told = Ref(0)
    refused(() -> log_lik(alone, data, draws; callback = state -> (told[] = state.steps; true)),
            "asked to stop")
    @assert told[] == 6 * 12
    stopped = try
        predict(alone, rows, draws; callback = _ -> throw(InterruptException()))
        false
    catch exception
        exception isa InterruptException
    end
    @assert stopped && log_lik(alone, data, draws) == expected
    found = stack_chains([sin(3.1i * j * c) for i in 1:40, j in 1:10, c in 1:3])
    @assert all(found.weights .≈ 1 / 3) && found.unreliable == 40
end

# Beside packages that have the same names, `using NNPost` leaves those alone.
module Beside
module StatsBase
export sample, predict, fit, levels
sample() = "StatsBase"; predict() = 1; fit() = 1; levels() = 1
end
module Flux
export Dense, Chain
Dense() = "Flux"; Chain() = 1
end
using NNPost, .StatsBase, .Flux
names_of_others() = sample === StatsBase.sample && Dense === Flux.Dense && Chain === Flux.Chain
end
function names()
    @assert Beside.names_of_others()
    @assert NNPost.sample === sample && NNPost.Dense === Dense
end

const TESTS = (recommended_settings, original_units, tables, classes, weights, bad_input, shown,
               shared_predictions, names)

function main()
    failures = 0
    for test in TESTS
        try
            test()
            println(test, ": PASS")
        catch error
            failures += 1
            println(test, ": FAIL ", sprint(showerror, error, catch_backtrace()))
        end
    end
    println(length(TESTS), " Tests ", failures, " Failures 0 Ignored")
    return failures
end

exit(main() == 0 ? 0 : 1)
