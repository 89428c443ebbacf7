# sample(): from a network and data to draws, predictions and a summary in one call.

"""
Draws from a posterior. `fit.draws` is [parameter, draw, chain] as the library wrote it; `fit["W1"]`
is a view of a layer's weights, [input, unit, draw, chain], `fit["W1[3,2]"]` of one of them, [draw,
chain]; `columnnames(fit)` and `getcolumn(fit, name)` are the same as a table. `fit.net` is a copy of
the network, which the fit keeps for itself. `fit.weights` are the weights of chains in predictions and
scores, or `nothing` for equal weights; see [`stack!`](@ref). `fit.units` are (mean, sd) of targets that
were standardized, or `nothing`: predictions, scores and likelihoods are given in these units. If a fit
keeps less than all parameters, `kept(fit, name)` and `moments(fit)` have what was kept, and predictions
are possible at the given rows only.
"""
mutable struct Fit
    net::Net
    data::Data
    chains::Vector{Chain}
    draws::Array{Float64,3}
    thin::Int
    posterior::Int32
    interrupted::Bool
    weights::Union{Nothing,Vector{Float64}}
    units::Union{Nothing,NTuple{2,Vector{Float64}}}
    keeping::Union{Nothing,Keeping}
end
Fit(net, data, chains, draws, thin, posterior, interrupted) =
    Fit(net, data, chains, draws, thin, posterior, interrupted, nothing, nothing, nothing)

"""
    sample(net, X, y; sampler = :gibbs, posterior = :intermediate, chains = 4, draws = 1000,
           warmup = 1000, thin = 1, start = :fit, seed = 1, threads, progress, resume, callback,
           options…)

Draws from the posterior of a network. `y` are targets, or classes for the heads that have them. The
same seed gives the same draws on any number of threads. `start` is :fit (weights that fit the data),
:prior, :zero or :small. `callback(progress)` is called after every step and stops the run by returning
`true`; it and Ctrl-C keep the draws made so far. `resume` takes the result of `save(fit)`, instead of
start and warm-up. With `comm`, ranks share the chains (see `Comm`); with `rows`, X and y are this
rank's part of more rows (see `Rows`). `number` is that of the first chain: jobs that do not
communicate, such as workers of Distributed, use different numbers and their draws are merged later (see
`save_draws` and `merge_draws`).

Draws of wide networks are large. `keep` names what to keep of every draw instead of all its parameters:
some of :scales, :functions (for the verdict), :log_lik (of training rows), :mean, :probabilities and
:predictions (new targets, for intervals) at the rows `at`, and :moments (means and variances of all
parameters); see [`kept`](@ref). `file` is a path: all parameters are written to a new file that is
mapped into memory, and `fit.draws` reads from it; [`DrawsFile`](@ref) opens it later, also after a run
that was killed. `units` are (mean, sd) of targets that were standardized. Options of the sampler by
name: relax = -0.9, step_size = 1e-3, …
"""
function sample(net::Net, X, y; sampler = :gibbs, posterior = :intermediate, chains = 4,
                draws = 1000, warmup = 1000, thin = 1, start = :fit, seed = 1,
                threads = min(chains, Sys.CPU_THREADS), progress = nothing, resume = nothing,
                callback = nothing, comm = nothing, rows = nothing, number = 0, keep = nothing,
                at = nothing, file = nothing, units = nothing, options...)
    for (name, value, least) in (("chains", chains, 1), ("draws", draws, 1), ("warmup", warmup, 0),
                                 ("threads", threads, 1))
        value >= least || refuse(:NNP_E_SIZE, "$name = $value: expected $least or more")
    end
    resume === nothing || length(resume) == chains ||
        throw(ArgumentError("resume: $(length(resume)) saved states, expected $chains"))
    data = observed(net, X, y, rows)
    gradient = constant(:GIBBS, sampler) != NNP_GIBBS
    made = map(0:chains-1) do index
        adapting = gradient ? (warmup = warmup,) : (;)
        chain = Chain(net, data; sampler = sampler, posterior = posterior, adapting..., options...)
        resume === nothing ? chain : restore!(chain, resume[index+1])
    end
    if threads > 1 && startswith(get(build_info(), "threads", ""), "yes")
        use_pool!(made[1], Pool(threads))
    end
    if comm !== nothing
        use_comm!(made[1], comm)
    end
    talks = rows === nothing ? comm : rows.comm
    talks !== nothing && talks.rank > 0 && (progress = false)
    fit = Fit(copy(net), data, made, Array{Float64}(undef, parameters(net), 0, chains), thin,
              constant(:INTERMEDIATE, posterior), false)
    fit.units = units
    if keep !== nothing || file !== nothing
        fit.keeping = Keeping(keep, at, file)
    else
        large = draws <= 2^40 ? draws_advice(net, chains, draws) : ""
        isempty(large) || @warn large
    end
    before = resume === nothing ? (start === :fit ? 3000 : 0, warmup) : (0, 0)
    bar = wanted_bar(chains, (before..., draws * thin), callback, progress)
    if resume === nothing && number != 0
        for (index, chain) in enumerate(made)
            start!(chain, start; seed = seed, number = number + index - 1)
        end
    elseif resume === nothing
        kind = constant(:START_ZERO, start, "NNP_START_")
        watch = all_chains(fit, NNP_PHASE_START, callback, bar) do pointers, f, user
            call(nnp_chains_start, pointers, chains, kind, seed, f, user)
        end
        finish(watch)
        watch.stopped && (fit.interrupted = true; return fit)
    end
    if resume === nothing && warmup > 0
        watch = all_chains(fit, NNP_PHASE_WARMUP, callback, bar) do pointers, f, user
            call(nnp_chains_run, pointers, chains, warmup, f, user)
        end
        finish(watch)
        watch.stopped && (fit.interrupted = true; return fit)
    end
    return more_draws!(fit, draws, callback, bar)
end

"""
    resume!(fit, draws)

Continues the chains and appends draws.
"""
resume!(fit::Fit, draws::Integer; callback = nothing, progress = nothing) =
    more_draws!(fit, draws, callback,
                wanted_bar(length(fit.chains), (0, 0, draws * fit.thin), callback, progress))
function more_draws!(fit::Fit, draws::Integer, callback, bar)
    chains = length(fit.chains)
    keeping = fit.keeping
    rooms = keeping === nothing ? nothing : store!(keeping, fit, draws)
    out = keeping === nothing ? room(parameters(fit.net), draws, chains) : nothing
    before = [steps(chain) + ask(Int64, nnp_chain_annealing, chain) for chain in fit.chains]
    watch = all_chains(fit, NNP_PHASE_SAMPLING, callback, bar) do pointers, f, user
        keeping === nothing ?
            call(nnp_chains_sample, pointers, chains, out, draws, fit.thin, f, user) :
            call(nnp_chains_keep, pointers, chains, keeping.keeper, draws, fit.thin, f, user)
    end
    made = draws
    if watch.stopped
        made = minimum(max(0, steps(chain) - start) ÷ fit.thin
                       for (chain, start) in zip(fit.chains, before))
        keeping === nothing && (out = out[:, 1:made, :])
    end
    interrupt = watch.exception isa InterruptException
    made > 0 && interrupt || finish(watch)
    interrupt && @warn "interrupted: $made of $draws draws were made"
    fit.interrupted = watch.stopped || interrupt
    keeping === nothing || (out = take!(keeping, fit, rooms, made))
    fit.draws = size(fit.draws, 2) == 0 ? out : cat(fit.draws, out; dims = 2)
    return fit
end

# One progress bar for start, warm-up and sampling; `seconds_left` at the measured speed.
mutable struct Bar
    outlook::Base.RefValue{nnp_outlook}
    began::Float64
    done::Vector{Int64}
    phase::Int32
end
const PHASES = ("start", "warm-up", "sampling")
function Bar(chains, steps)
    total = ntuple(i -> Int64(chains * steps[i]), 3)
    outlook = nnp_outlook(total, 0.0, 0.0, (0.0, 0.0, 0.0), 0.0, 0, (0.0, 0.0, 0.0, 0.0))
    return Bar(Ref(outlook), time(), zeros(Int64, chains), 0)
end
# A progress bar if there is a terminal; steps of each chain in the three phases.
wanted_bar(chains, steps, callback, progress) =
    callback === nothing && something(progress, stderr isa Base.TTY) ? Bar(chains, steps) : nothing

function duration(seconds)
    whole = round(Int, seconds)
    whole < 60 && return "$whole s"
    whole < 3600 && return "$(whole ÷ 60) min $(whole % 60) s"
    return "$(whole ÷ 3600) h $(whole % 3600 ÷ 60) min"
end

function show_progress(bar::Bar, told)
    bar.done[told.chain] = told.step
    call(nnp_outlook_tell, bar.outlook, bar.phase, sum(bar.done), max(0.0, time() - bar.began))
    share, left = bar.outlook[].share, bar.outlook[].seconds_left
    title = PHASES[bar.phase-NNP_PHASE_START+1]
    print(stderr, "\r", rpad(title, 9), "[", rpad("="^floor(Int, 30share), 30), "] ",
          lpad(round(Int, 100share), 3), " %", rpad(isnan(left) ? "" : ", $(duration(left)) left", 16))
    return false
end

# Runs all chains side by side, in this phase of the fit.
function all_chains(f, fit::Fit, phase, callback, bar)
    pointers = address.(fit.chains)
    bar === nothing || (bar.phase = phase; fill!(bar.done, 0))
    seldom = bar === nothing ? nothing : told -> show_progress(bar, told)
    watch = GC.@preserve fit watched(fit.chains; every_step = callback,
                                     seldom = seldom) do call_back, user
        f(pointers, call_back, user)
    end
    over = phase == NNP_PHASE_SAMPLING || watch.stopped || watch.exception !== nothing
    bar !== nothing && over && print(stderr, "\r", " "^64, "\r")
    return watch
end

"""
    save_draws(fit)

The draws of every chain, each in a self-describing block of bytes, for `merge_draws`.
"""
save_draws(fit::Fit) = (all_draws(fit); [save_draws(chain, fit.draws[:, :, c]) for (c, chain) in enumerate(fit.chains)])

"""
    merge_draws(net, X, y, saves; draws, posterior = :intermediate)

Merges chains of separate jobs, saved by `save_draws`, in any order. The fit has draws, predictions, a
summary and a verdict for all chains, but cannot be resumed. `draws`: the number of last draws of each;
by default as many as all of them have.

    blocks = pmap(1:8) do job
        only(save_draws(sample(net, X, y; chains = 1, number = job, threads = 1)))
    end
    merge_draws(net, X, y, blocks)
"""
function merge_draws(net::Net, X, y, saves; draws = nothing, posterior = :intermediate)
    isempty(saves) && throw(ArgumentError("saves: there are none, expected those of a job or more"))
    blocks = [Vector{UInt8}(save) for save in saves]
    told = map(blocks) do block
        out = Ref{nnp_saved_draws}()
        call(nnp_draws_saved, block, length(block), out)
        out[]
    end
    told[1].parameters == parameters(net) ||
        refuse(:NNP_E_SHAPE, "saves: they have $(told[1].parameters) parameters, the network has " *
                             "$(parameters(net))")
    each = draws === nothing ? minimum(one.draws for one in told) : draws
    out = room(parameters(net), each, length(blocks))
    GC.@preserve blocks call(nnp_draws_merge, saves_of(blocks), length(blocks), out, each, C_NULL)
    return Fit(copy(net), observed(net, X, y), Chain[], out, 1, constant(:INTERMEDIATE, posterior),
               false)
end

function observed(net::Net, X, y, rows = nothing)
    net.head == 0 && refuse(:NNP_E_NO_HEAD,
        "net: it has no head, expected Gaussian(), StudentT(), LocationScale(), Argmax() or " *
        "SignHead() at its end")
    return has_targets(net) ? Data(X; targets = y, rows = rows) : Data(X; labels = y, rows = rows)
end

function all_draws(fit::Fit)
    has_draws(fit) || refuse(:NNP_E_UNSUPPORTED, "draws: this fit keeps no parameters, expected " *
        "sample() without keep, or with file, for this")
    return reshape(fit.draws, size(fit.draws, 1), :)
end

fit_predictor(fit::Fit, draws; options...) =
    Predictor(fit.net, draws; posterior = fit.posterior, units = fit.units,
              pool = default_pool(), options...)
default_pool() = Sys.CPU_THREADS > 1 && startswith(get(build_info(), "threads", ""), "yes") ?
    Pool(min(Sys.CPU_THREADS, 256)) : nothing
# The weight of every draw.
draw_weights(fit::Fit) =
    fit.weights === nothing ? nothing : repeat(fit.weights; inner = size(fit.draws, 2))

"""
    predict(fit, X; kind = :mean, noise = :fitted, levels = [0.05, 0.5, 0.95], seed = 1)

Predictions at new rows, from all draws: [row, output] for :mean and :sd, [row, class] for
:probabilities and :votes, [row, output, level] for :quantiles, [row, output, draw] for :draws. They are
for new targets, with all noise of the fitted model, or with `noise = :forward` for the outputs of the
forward pass, whose intervals are too short to cover targets.
"""
function predict(fit::Fit, X; kind = :mean, levels = [0.05, 0.5, 0.95], noise = :fitted, seed = 1)
    has_draws(fit) || return predict_kept(fit, X, kind, levels)
    draws = all_draws(fit)
    predictor = fit_predictor(fit, size(draws, 2); levels = levels, noise = noise, seed = seed,
                              weights = draw_weights(fit))
    out = predict(predictor, X, draws, kind)
    close!(predictor)
    return out
end

"""
    score(fit, X, y, which; noise = :fitted, seed = 1)

:mse, :accuracy or :log at new rows; by default what suits the head. For the fitted model, or with
`noise = :forward` without the noise of hidden layers.
"""
function score(fit::Fit, X, y, which = has_targets(fit.net) ? :mse : :accuracy; noise = :fitted,
               seed = 1)
    draws = all_draws(fit)
    predictor = fit_predictor(fit, size(draws, 2); noise = noise, seed = seed,
                              weights = draw_weights(fit))
    return score(predictor, observed(fit.net, X, y), draws, which)
end

"""
    log_lik(fit; passes = 0, seed = 1)
    log_lik(fit, X, y; passes = 0, seed = 1)

[row, draw, chain]: the log likelihood of every row, of training or another, under every draw of the
fitted model; for WAIC and PSIS-LOO.
"""
log_lik(fit::Fit; options...) =
    has_draws(fit) ? log_lik_of(fit, fit.data; options...) : kept(fit, :log_lik)
log_lik(fit::Fit, X, y; options...) = log_lik_of(fit, observed(fit.net, X, y); options...)
function log_lik_of(fit::Fit, data::Data; passes = 0, seed = 1)
    out = log_lik(fit_predictor(fit, 1; passes = passes, seed = seed), data, all_draws(fit))
    return reshape(out, size(out, 1), size(fit.draws, 2), size(fit.draws, 3))
end

"""
    functions(fit; rows = 0)

Names and draws [function, draw, chain] of the functions used to judge convergence: the log likelihood,
predictions at some training rows, learned scales. Weights are not among them, since hidden units may
swap places.
"""
function functions(fit::Fit; rows = 0)
    predictor = fit_predictor(fit, 1)
    count = ask(Int64, nnp_functions_count, predictor, fit.data, rows)
    names = [text(nnp_function_name, 128, predictor, fit.data, rows, i) for i in 0:count-1]
    has_draws(fit) || return names, kept(fit, :functions)
    draws = all_draws(fit)
    out = room(count, size(draws, 2))
    watched_call(nnp_functions, predictor, nothing, fit.data, draws, size(draws, 2), rows, out)
    return names, reshape(out, count, size(fit.draws, 2), size(fit.draws, 3))
end

"""
    convergence(fit)

The verdict on the chains, judged by `functions(fit)`; it shows as a sentence.
"""
convergence(fit::Fit) = convergence(functions(fit)[2])

"""
    summarize(fit)

Mean, sd, quantiles, R-hat, effective sample sizes and Monte Carlo error of every parameter: a table
(a named tuple of columns).
"""
function summarize(fit::Fit)
    has_draws(fit) || return summarize_values(functions(fit)...)
    return summarize_values(columnnames(fit), fit.draws)
end
function summarize_values(names, values)
    of(name; probability = 0.5) = statistics(values, name; probability = probability)
    return (parameter = names, mean = of(:mean), sd = of(:sd),
            q5 = of(:quantile; probability = 0.05), median = of(:quantile),
            q95 = of(:quantile; probability = 0.95), rhat = of(:rhat), ess_bulk = of(:ess_bulk),
            ess_tail = of(:ess_tail), mcse_mean = of(:mcse_mean))
end

"The state of every chain, for `sample(…; resume = …)` later."
save(fit::Fit) = [save(chain) for chain in fit.chains]

"Names of all parameters."
columnnames(fit::Fit) = [parameter_name(fit.net, i) for i in 1:parameters(fit.net)]
"A view of one parameter, [draw, chain], by number or name."
getcolumn(fit::Fit, i::Integer) = view(fit.draws, i, :, :)
getcolumn(fit::Fit, name) = fit[string(name)]

Base.keys(fit::Fit) = columnnames(fit)
function Base.getindex(fit::Fit, name::AbstractString)
    i = findfirst(==(name), columnnames(fit))
    i === nothing || return getcolumn(fit, i)
    for k in 1:layers(fit.net)
        first, weights, biases = Ref{Int64}(), Ref{Int64}(), Ref{Int64}()
        call(nnp_net_layer, fit.net, k, first, weights, biases)
        for (start, count) in ((first[], weights[]), (first[] + weights[], biases[]))
            count == 0 && continue
            # The name of the last one tells the shape: "W1[10,50]".
            found, shape = split(parameter_name(fit.net, start + count), '[')
            found == name || continue
            axes = reverse(parse.(Int, split(chop(shape), ',')))
            part = view(fit.draws, start+1:start+count, :, :)
            return reshape(part, axes..., size(fit.draws, 2), size(fit.draws, 3))
        end
    end
    # One precision for each input: "lambda_w1".
    inputs = findall(column -> startswith(column, name * "["), columnnames(fit))
    isempty(inputs) || return view(fit.draws, first(inputs):last(inputs), :, :)
    throw(KeyError(name))
end

function Base.show(io::IO, fit::Fit)
    count, draws, chains = size(fit.draws)
    what = has_draws(fit) || fit.keeping === nothing ? "$count parameters" :
           join(fit.keeping.names, ", ")
    print(io, "Fit: ", chains, " chains, ", draws, " draws each of ", what)
    hot = fit.posterior == NNP_CLASSICAL ? temperature(fit.net) : 1.0
    judged = draws == 0 ? "undecided: no draws" :
             !has_draws(fit) && !haskey(fit.keeping.values, :functions) ?
             "not judged: neither parameters nor :functions were kept" : isopen(fit.data) ? convergence(fit) :
             "convergence cannot be judged: the data is closed"
    hot == 1 || print(io, ", classical at temperature ", round(hot; sigdigits = 4))
    print(io, "; ", judged)
end
