# Diagnostics on arrays: R-hat, effective sample sizes, thermalization, calibration.

# A view of draws: [quantity, draw, chain], or [draw, chain] for one quantity.
function where_draws(draws::AbstractArray{<:Real})
    ndims(draws) in (2, 3) || refuse(:NNP_E_SHAPE,
        "draws: $(ndims(draws)) axes, expected quantity, draw, chain")
    values = draws isa StridedArray{Float64} ? draws : Array{Float64}(draws)
    cube = ndims(values) == 2 ? reshape(values, 1, size(values)...) : values
    step = ndims(values) == 2 ? (1, strides(values)...) : strides(values)
    return Ref(nnp_draws(pointer(values), size(cube)..., step..., UNUSED)), values, size(cube, 1)
end

"""
    statistics(draws, name; probability = 0.5)

:rhat, :ess_bulk, :mcse_mean, :quantile, … of draws [quantity, draw, chain]: a value for each
quantity, defined as in R's package posterior.
"""
function statistics(draws::AbstractArray{<:Real}, name; probability = 0.5)
    place, values, quantities = where_draws(draws)
    which = constant(:STAT_RHAT, name, "NNP_STAT_")
    out = Vector{Float64}(undef, quantities)
    GC.@preserve values begin
        bytes = ask(Csize_t, nnp_statistic_bytes, place)
        memory = Vector{Float64}(undef, cld(bytes, 8))
        call(nnp_statistic, place, which, probability, out, memory, bytes)
    end
    return out
end

"""
Whether chains converged, judged by the worst of several functions: `verdict` (`:converged`,
`:few_draws`, `:doubtful`, `:not_converged` or `:undecided`), the largest `rhat`, the smallest
`ess_bulk` and `ess_tail`, `ess_needed` (100 for each chain), the number of the `worst` function, and
a sentence.
"""
struct Convergence
    verdict::Symbol
    rhat::Float64
    ess_bulk::Float64
    ess_tail::Float64
    ess_needed::Float64
    worst::Int
    text::String
end
Base.show(io::IO, found::Convergence) = print(io, found.text)

"""
    convergence(draws)

The verdict on draws [function, draw, chain] of functions that matter, such as predictions.
"""
function convergence(draws::AbstractArray{<:Real})
    place, values, _ = where_draws(draws)
    found = Ref{nnp_convergence}()
    GC.@preserve values begin
        bytes = ask(Csize_t, nnp_convergence_bytes, place)
        memory = Vector{Float64}(undef, cld(bytes, 8))
        call(nnp_convergence_of, place, found, memory, bytes)
    end
    name = constant_name(:CONVERGENCE_UNDECIDED, found[].verdict)
    return Convergence(Symbol(replace(string(name), "convergence_" => "")), found[].rhat, found[].ess_bulk,
                       found[].ess_tail, found[].ess_needed, found[].worst + 1,
                       text(nnp_convergence_text, 160, found))
end

"Nested R-hat of many short chains; groups[chain] names the group."
function nested_rhat(draws::AbstractArray{<:Real}, groups)
    place, values, quantities = where_draws(draws)
    length(groups) == size(draws, ndims(draws)) ||
        refuse(:NNP_E_SHAPE, "groups: expected one for each chain")
    out = Vector{Float64}(undef, quantities)
    GC.@preserve values begin
        bytes = ask(Csize_t, nnp_statistic_bytes, place)
        memory = Vector{Float64}(undef, cld(bytes, 8))
        call(nnp_nested_rhat, place, convert(Vector{Int64}, groups), out, memory, bytes)
    end
    return out
end

"R-hat along a run, [6, block]: time, mean, and percentiles 25, 50, 75, 95."
function block_rhat(psi::AbstractArray{<:Real}, length::Integer; times = nothing)
    place, values, _ = where_draws(psi)
    at = times === nothing ? C_NULL : doubles(times, size(psi, ndims(psi) - 1), "times")
    blocks, bytes = Ref{Int64}(), Ref{Csize_t}()
    GC.@preserve values begin
        call(nnp_block_rhat_bytes, place, length, blocks, bytes)
        out, memory = room(6, blocks[]), Vector{Float64}(undef, cld(bytes[], 8))
        call(nnp_block_rhat, place, at, length, out, memory, bytes[])
    end
    return out
end

# ---- Has it thermalized? ------------------------------------------------------------------------

function thermalization_memory()
    bytes = ask(Csize_t, nnp_thermalization_bytes)
    return Vector{Float64}(undef, cld(bytes, 8)), bytes
end

# The struct points into the arrays, which the caller keeps.
series_of(values::Vector{Float64}, times::Union{Nothing,Vector{Float64}}) =
    nnp_series(times === nothing ? C_NULL : pointer(times), pointer(values), length(values),
               UNUSED)

"The result for a chain, in words."
Base.string(verdict::nnp_verdict) = text(nnp_verdict_text, 160, Ref(verdict))
Base.show(io::IO, verdict::nnp_verdict) = print(io, string(verdict))

# How verdicts are reached: the library's defaults with some of them changed. Or C_NULL.
function verdict_options(changes)
    isempty(changes) && return C_NULL
    defaults = ask(nnp_thermalization_options, nnp_thermalization_defaults)
    unknown = setdiff(keys(changes), fieldnames(nnp_thermalization_options))
    isempty(unknown) ||
        throw(ArgumentError("$(first(unknown)) is not one of the options of verdicts"))
    values = map(fieldnames(nnp_thermalization_options)) do name
        haskey(changes, name) || return getfield(defaults, name)
        name == :scale ? constant(:SCALE_AUTO, changes[name], "NNP_SCALE_") : changes[name]
    end
    return Ref(nnp_thermalization_options(values...))
end

"""
    thermalization(informed, others; times, options = (;))

The teacher-student test on series of a test function, a verdict for each of `others`. `options`
change how verdicts are reached, as (z = 4,): see nnp_thermalization_options in nnpost.h.
"""
function thermalization(informed, others; times = nothing, options = (;))
    at = times === nothing ? nothing : doubles(times, length(informed), "times")
    first = convert(Vector{Float64}, informed)
    rest = [convert(Vector{Float64}, other) for other in others]
    memory, bytes = thermalization_memory()
    out = Vector{nnp_verdict}(undef, length(rest))
    GC.@preserve at first rest begin
        list = [series_of(other, at) for other in rest]
        call(nnp_thermalization, Ref(series_of(first, at)), list, length(list),
             verdict_options(options), out, memory, bytes)
    end
    return out
end

"""
    criteria(informed, other; times, gradient, gradient_times, rhat, rhat_times, rhat_limit = 2,
             options)

All criteria of the paper's figure 1 for one chain: times (NaN: not reached) and the verdict.
"""
function criteria(informed, other; times = nothing, gradient = Float64[], gradient_times = nothing,
                  rhat = Float64[], rhat_times = nothing, rhat_limit = 2, options = (;))
    at = map(x -> x === nothing ? nothing : convert(Vector{Float64}, x),
             (times, times, gradient_times, rhat_times))
    values = map(x -> convert(Vector{Float64}, x), (informed, other, gradient, rhat))
    for (x, t) in zip(values, at)
        t === nothing || doubles(t, length(x), "times")
    end
    memory, bytes = thermalization_memory()
    out = Ref{nnp_criteria_times}()
    GC.@preserve at values begin
        parts = nnp_criteria_series(map(series_of, values, at)...)
        call(nnp_criteria, Ref(parts), verdict_options(options), rhat_limit, out, memory, bytes)
    end
    return out[]
end

function settling(f, values, times, arguments...)
    array = convert(Vector{Float64}, values)
    at = times === nothing ? nothing : doubles(times, length(array), "times")
    memory, bytes = thermalization_memory()
    out = Ref{nnp_settling}()
    GC.@preserve array at call(f, Ref(series_of(array, at)), arguments..., out, memory, bytes)
    return out[]
end

"When a series became stationary: found, time, level, spread, error, autocorrelation_time."
stationarity(values; times = nothing, scale = :auto) =
    settling(nnp_stationarity, values, times, constant(:SCALE_AUTO, scale, "NNP_SCALE_"))
"When a gradient statistic started to fluctuate about zero."
gradient_settling(values; times = nothing) = settling(nnp_gradient_settling, values, times)
"When R-hat became stationary at or below `limit`."
rhat_settling(values; times = nothing, limit = 2.0) =
    settling(nnp_rhat_settling, values, times, limit)

"""
    Study(chains, test; capacity = 4096, options…)

Chains from different starts, the first one informed, that `run!` side by side until it is decided
which of them have thermalized. Options: steps, seconds, stop, …
"""
mutable struct Study <: Handle
    handle::Ptr{nnp_study}
    chains::Vector{Chain}
    test::Union{Nothing,Data}
    function Study(chains, test; capacity = 4096, options...)
        study = new(C_NULL, chains, test)
        GC.@preserve chains create!(study, nnp_study_create, address.(study.chains),
                                    length(chains), test === nothing ? C_NULL : test, capacity)
        for (name, value) in options
            set!(study, name, value)
        end
        return study
    end
end

needs(study::Study) = study.test === nothing ? (study.chains...,) : (study.chains..., study.test)

study_option(name) = constant(:STUDY_STEPS, name, "NNP_STUDY_")
set!(study::Study, name, value) =
    (call(nnp_study_set, study, study_option(name), option_value(name, value)); study)
get_option(study::Study, name) = ask(Float64, nnp_study_get, study, study_option(name))

"The progress of a study: steps, samples, decided, share, seconds, …"
state(study::Study) = ask(nnp_study_progress, nnp_study_state, study)

"Changes how a study reaches verdicts, as thermalization!(study; z = 4)."
thermalization!(study::Study; changes...) =
    (call(nnp_study_thermalization, study, verdict_options((; changes...))); study)

"Sets the partner (from 1) of a chain, with which its R-hat is computed; the informed chain by
default."
partner!(study::Study, chain::Integer, partner::Integer) =
    (call(nnp_study_partner, study, chain - 1, partner - 1); study)

run!(study::Study; callback = nothing) = watched_state(study, ON_STUDY, callback) do f, user
    call(nnp_study_run, study, f, user)
end

"Times by all criteria (NaN: not reached) and verdict of chain 2, 3, …."
report(study::Study, chain::Integer) = ask(nnp_criteria_times, nnp_study_report, study, chain - 1)

"Times and values of :test, :gradient, :rhat, … of chain 1, 2, …"
function series(study::Study, chain::Integer, which = :test)
    found = ask(nnp_series, nnp_study_series, study, chain - 1,
                constant(:SERIES_TEST, which, "NNP_SERIES_"))
    return GC.@preserve study arrays_of(found)
end

# Times and values, copied: they live as long as their object.
function arrays_of(found::nnp_series)
    found.count == 0 && return Float64[], Float64[]
    return map((found.times, found.values)) do values
        copy(unsafe_wrap(Array, values, found.count))
    end
end

Base.show(io::IO, ::MIME"text/plain", study::Study) =
    print(io, from_one(text(nnp_study_print, 256 * length(study.chains) + 512, study), 1))

# The library's tables count chains from 0; here they count from 1.
function from_one(table, column)
    head, lines = Iterators.peel(split(table, '\n'))
    place = Regex("^((?: *\\d+){$(column - 1)} *)(\\d+)")
    return join([head; map(collect(lines)) do line
        found = match(place, line)
        found === nothing && return line
        before, number = found.captures
        shown = lpad(parse(Int, number) + 1, length(found.match) - length(rstrip(before)))
        rstrip(before) * shown * line[length(found.match)+1:end]
    end], '\n')
end

"""
    teacher_student(net, X, Xtest; starts = [:zero, :prior], steps = 10000, seed = 1, …)

Tests whether this sampler finds the posterior of this network and these inputs. A teacher labels X,
chains learn the labels from `starts`, and one more starts at the teacher. Returns the finished
study.
"""
function teacher_student(net::Net, X, Xtest; starts = [:zero, :prior], steps = 10000, seed = 1,
                         sampler = :gibbs, posterior = :intermediate, options = (;),
                         callback = nothing, study...)
    teacher = Teacher(net; posterior = posterior, seed = seed)
    train, test = Data(X; outputs = targets(net)), Data(Xtest; outputs = targets(net))
    sites = label!(teacher, train)
    label!(teacher, test; noise = 0)
    chains = [Chain(net, train; sampler = sampler, posterior = posterior, options...)
              for _ in 0:length(starts)]
    start_teacher!(chains[1], teacher, sites; seed = seed, number = 0)
    for (number, kind) in enumerate(starts)
        start!(chains[number+1], kind; seed = seed, number = number)
    end
    return run!(Study(chains, test; steps = steps, study...); callback = callback)
end

# ---- Without a teacher --------------------------------------------------------------------------

"""
    Multistart(chains; steps, share, anneal_from, zero_starts)

Chains from different starts, each with a share of a budget; the one that fits best continues with
the rest. They must be of one network, data, sampler and posterior, and need not be started:

    multistart = run!(Multistart([Chain(net, data) for _ in 1:4]; steps = 100_000); seed = 1)
    draws = sample!(best(multistart), 1000; thin = 10)

`steps`, the total over all chains, must be set. `report(multistart, i)` is the report on chain i.
"""
mutable struct Multistart <: Handle
    handle::Ptr{nnp_multistart}
    chains::Vector{Chain}
    function Multistart(chains; options...)
        multistart = new(C_NULL, chains)
        GC.@preserve chains create!(multistart, nnp_multistart_create, address.(multistart.chains),
                                    length(chains))
        foreach(option -> set!(multistart, option...), pairs(options))
        return multistart
    end
end

needs(multistart::Multistart) = (multistart.chains...,)
multistart_option(name) = constant(:MULTISTART_STEPS, name, "NNP_MULTISTART_")
set!(multistart::Multistart, name, value) =
    (call(nnp_multistart_set, multistart, multistart_option(name), value); multistart)
get_option(multistart::Multistart, name) =
    ask(Float64, nnp_multistart_get, multistart, multistart_option(name))

run!(multistart::Multistart; seed = 1, callback = nothing) =
    watched_state(multistart, ON_MULTISTART, callback) do f, user
        call(nnp_multistart_run, multistart, seed, f, user)
    end

"The chain of a multistart to sample from."
best(multistart::Multistart) = multistart.chains[ask(Int64, nnp_multistart_best, multistart)+1]

function report(multistart::Multistart, chain::Integer)
    found = ask(nnp_attempt, nnp_multistart_report, multistart, chain - 1)
    return (error = found.error, rank = found.rank, steps = found.steps,
            annealed = found.annealed == 1)
end

Base.show(io::IO, ::MIME"text/plain", multistart::Multistart) =
    print(io, from_one(text(nnp_multistart_print, 80 * length(multistart.chains) + 80, multistart),
                       2))
Base.show(io::IO, multistart::Multistart) =
    print(io, "Multistart of $(length(multistart.chains)) chains")

"""
    Twin(chain)

Tests whether a Gibbs chain is stuck. Labels are made from its current weights, and a twin is
started on them from those weights: its training error is what the chain's would be in equilibrium.

    run!(Twin(chain), 20_000)

The test is one-sided: a chain that passes may still be stuck. `report(twin)` is the verdict,
`series(twin, 1)` and `series(twin, 2)` are the training errors of the chain and of its twin.
"""
mutable struct Twin <: Handle
    handle::Ptr{nnp_twin}
    chain::Chain
    Twin(chain::Chain) = create!(new(C_NULL, chain), nnp_twin_create, chain)
end

needs(twin::Twin) = (twin.chain,)

run!(twin::Twin, steps::Integer; noisy = true, seed = 1, callback = nothing) =
    watched_state(twin, ON_MULTISTART, callback) do f, user
        call(nnp_twin_run, twin, steps, noisy, seed, f, user)
    end

report(twin::Twin) = ask(nnp_verdict, nnp_twin_report, twin)
series(twin::Twin, which::Integer) =
    GC.@preserve twin arrays_of(ask(nnp_series, nnp_twin_series, twin, which - 1))
Base.string(twin::Twin) = text(nnp_twin_text, 256, twin)
Base.show(io::IO, ::MIME"text/plain", twin::Twin) = print(io, string(twin))
Base.show(io::IO, twin::Twin) = print(io, "Twin of a ", twin.chain)

# ---- Is a sampler right? ------------------------------------------------------------------------

"""
    sbc_ranks(truth, draws; ties)

Ranks of the true parameters among posterior draws [quantity, draw, chain]; `ties`, uniform in [0,
1), are the fractions of draws equal to the truth that are counted.
"""
function sbc_ranks(truth, draws; ties = nothing)
    place, values, quantities = where_draws(draws)
    ranks = Vector{Int64}(undef, quantities)
    shares = ties === nothing ? C_NULL : doubles(ties, quantities, "ties")
    GC.@preserve values call(nnp_sbc_ranks, doubles(truth, quantities, "truth"), place, shares,
                             ranks)
    return ranks
end

"ranks[quantity, replication] -> counts[bin, quantity] and p-values of uniformity."
function sbc_histogram(ranks::AbstractMatrix{<:Integer}, max_rank::Integer, bins::Integer)
    counts, p = Matrix{Int64}(undef, bins, size(ranks, 1)), Vector{Float64}(undef, size(ranks, 1))
    call(nnp_sbc_histogram, convert(Matrix{Int64}, ranks), size(ranks)..., max_rank, bins, counts,
         p)
    return counts, p
end

"Geweke's joint test against the moments of the prior instead of its draws, see below."
function geweke(alternating; mean, second_moment)
    left, values, quantities = where_draws(alternating)
    z, p = Matrix{Float64}(undef, 2, quantities), Ref{Float64}()
    GC.@preserve values begin
        bytes = ask(Csize_t, nnp_geweke_bytes, left, C_NULL)
        memory = Vector{Float64}(undef, cld(bytes, 8))
        call(nnp_geweke_moments, left, doubles(mean, quantities, "mean"),
             doubles(second_moment, quantities, "second_moment"), z, p, memory, bytes)
    end
    return z, p[]
end

"Geweke's joint test: z [2, quantity] of means and second moments, and the p-value."
function geweke(alternating, prior)
    left, values, quantities = where_draws(alternating)
    right, more, _ = where_draws(prior)
    z, p = Matrix{Float64}(undef, 2, quantities), Ref{Float64}()
    GC.@preserve values more begin
        bytes = ask(Csize_t, nnp_geweke_bytes, left, right)
        memory = Vector{Float64}(undef, cld(bytes, 8))
        call(nnp_geweke_draws, left, right, z, p, memory, bytes)
    end
    return z, p[]
end
