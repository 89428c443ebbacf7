# Replica exchange: chains from the prior to the posterior that swap, and the evidence.

"""
    Exchange(chains; options…)

Replica exchange of chains of one network, data, sampler and posterior, which need not be started. The
last of them, `target(exchange)`, is an ordinary chain of the posterior.

    exchange = start!(Exchange([Chain(net, data) for _ in 1:40]), :prior; seed = 1)
    tune!(exchange)                      # finds the ladder, then holds it
    draws = sample!(exchange, 1000; thin = 5)
    report(exchange), evidence(exchange), ladder(exchange)

Displaying it shows a verdict on the run. Options: replicas (0: chosen from the barrier), rounds,
first_round, steps. `record!(exchange, sweeps)` records the index process for `levels(exchange)`.
"""
mutable struct Exchange <: Handle
    handle::Ptr{nnp_exchange}
    chains::Vector{Chain}
    levels::Matrix{Int32}  # [replica, sweep], as far as they are recorded
    function Exchange(chains; options...)
        exchange = new(C_NULL, chains, Matrix{Int32}(undef, 0, 0))
        GC.@preserve chains create!(exchange, nnp_exchange_create, address.(exchange.chains),
                                    length(chains))
        foreach(option -> set!(exchange, option...), pairs(options))
        return exchange
    end
end

needs(exchange::Exchange) = (exchange.chains...,)
exchange_option(name) = constant(:EXCHANGE_REPLICAS, name, "NNP_EXCHANGE_")
set!(exchange::Exchange, name, value) =
    (call(nnp_exchange_set, exchange, exchange_option(name), value); exchange)
get_option(exchange::Exchange, name) =
    ask(Float64, nnp_exchange_get, exchange, exchange_option(name))

"The chain of the posterior."
target(exchange::Exchange) = exchange.chains[end]

"""
    start!(exchange, kind = :prior; seed = 1)

Starts all replicas from draws of the :prior, or from the current state of the :target, which must be
started. Agreement of two exchanges from different starts is stronger evidence than one exchange.
"""
function start!(exchange::Exchange, kind = :prior; seed = 1)
    from = constant(:EXCHANGE_FROM_PRIOR, kind, "NNP_EXCHANGE_FROM_")
    call(nnp_exchange_start, exchange, from, seed)
    return exchange
end

"Finds the ladder of an exchange in rounds of doubling length. Gradient samplers adapt during this
time."
tune!(exchange::Exchange; callback = nothing) =
    watched_state(exchange, ON_EXCHANGE, callback) do f, user
        call(nnp_exchange_tune, exchange, f, user)
    end

run!(exchange::Exchange, sweeps::Integer; callback = nothing) =
    watched_state(exchange, ON_EXCHANGE, callback) do f, user
        call(nnp_exchange_run, exchange, sweeps, f, user)
    end

"""
    sample!(exchange, draws; thin = 1)

The target's parameters after every `thin` sweeps, [parameter, draw].
"""
function sample!(exchange::Exchange, draws::Integer; thin = 1, callback = nothing)
    out = room(parameters(target(exchange).net), draws, 1)
    before = report(exchange).sweeps
    watched_state(exchange, ON_EXCHANGE, callback) do f, user
        call(nnp_exchange_sample, exchange, out, draws, thin, f, user)
    end
    made = min(draws, (report(exchange).sweeps - before) ÷ thin)
    return out[:, 1:made, 1]
end

"Results: restarts, round_trips, barrier, wanted, log_evidence, … as in nnpost_study.h."
report(exchange::Exchange) = ask(nnp_exchange_summary, nnp_exchange_report, exchange)

"log p(y | X) and its standard error, as (log_evidence, error)."
function evidence(exchange::Exchange)
    found = report(exchange)
    return (log_evidence = found.log_evidence, error = found.evidence_error)
end

"By level: power of the likelihood, probability of swaps with the level above, barrier up to there."
function ladder(exchange::Exchange)
    rungs = [ask(nnp_exchange_rung, nnp_exchange_level, exchange, l - 1)
             for l in 1:report(exchange).replicas]
    return (power = [r.power for r in rungs], swaps = [r.swaps for r in rungs],
            barrier = [r.barrier for r in rungs])
end

"Sets your own ladder: increasing powers from 0 to 1."
function ladder!(exchange::Exchange, powers)
    values = collect(Float64, powers)
    call(nnp_exchange_set_ladder, exchange, values, length(values))
    return exchange
end

"Records the index process of the next `sweeps` sweeps, see `levels`. 0: stop recording."
function record!(exchange::Exchange, sweeps::Integer)
    exchange.levels = Matrix{Int32}(undef, length(exchange.chains), sweeps)
    call(nnp_exchange_record, exchange, sweeps > 0 ? exchange.levels : C_NULL, sweeps)
    return exchange
end

"[replica, sweep]: the level, from 1 (the prior), of each replica after each sweep recorded."
function levels(exchange::Exchange)
    kept, replicas = ask(Int64, nnp_exchange_recorded, exchange), report(exchange).replicas
    return reshape(vec(exchange.levels)[1:kept*replicas], Int(replicas), Int(kept)) .+ 1
end

function save(exchange::Exchange)
    buffer = Vector{UInt8}(undef, ask(Csize_t, nnp_exchange_save_bytes, exchange))
    call(nnp_exchange_save, exchange, buffer, length(buffer))
    return buffer
end
function restore!(exchange::Exchange, saved::Vector{UInt8})
    call(nnp_exchange_restore, exchange, saved, length(saved))
    return exchange
end

Base.string(exchange::Exchange) = rstrip(text(nnp_exchange_text, 768, exchange))
Base.show(io::IO, ::MIME"text/plain", exchange::Exchange) = print(io, string(exchange))
Base.show(io::IO, exchange::Exchange) =
    print(io, "Exchange of $(length(exchange.chains)) chains")

"""
A fit whose chains are the targets of exchanges: `found.fit` for predictions, summaries and verdicts,
`found.exchanges`, and `evidence(found)` of all of them together.
"""
struct ExchangeFit
    fit::Fit
    exchanges::Vector{Exchange}
end

"""
    exchange(net, X, y; exchanges = 2, draws = 1000, thin = 1, replicas, start = :fit, seed = 1,
             sampler, posterior, rounds, first_round, steps, threads, callback, options…)

Replica exchange in one call. The first exchange starts from the prior, the others from `start`, so
that agreement means something. With `comm`, ranks share the replicas. Without `replicas`, as many as
the barrier between prior and posterior needs, found by short runs.
"""
function exchange(net::Net, X, y; sampler = :gibbs, posterior = :intermediate, exchanges = 2,
                  draws = 1000, thin = 1, replicas = nothing, start = :fit, seed = 1, rounds = 6,
                  first_round = 20, steps = 1, threads = Sys.CPU_THREADS, callback = nothing,
                  comm = nothing, options...)
    exchanges >= 1 && draws >= 1 || refuse(:NNP_E_SIZE,
        "exchanges = $exchanges, draws = $draws: expected 1 or more")
    data = observed(net, X, y)
    pool = threads > 1 && startswith(get(build_info(), "threads", ""), "yes") ? Pool(threads) :
           nothing
    function prepared(count; tuning...)
        chains = [Chain(net, data; sampler = sampler, posterior = posterior, options...)
                  for _ in 1:count]
        pool === nothing || use_pool!(chains[1], pool)
        comm === nothing || foreach(chain -> use_comm!(chain, comm), chains)
        return Exchange(chains; tuning...)
    end
    count = replicas === nothing ? find_replicas(prepared, seed, callback) : replicas
    made = map(1:exchanges) do number
        one = prepared(count; rounds = rounds, first_round = first_round, steps = steps)
        if number > 1 && start != :prior
            start!(target(one), start; seed = seed + number - 1, number = 0)
            start!(one, :target; seed = seed + number - 1)
        else
            start!(one, :prior; seed = seed + number - 1)
        end
        tune!(one; callback = callback)
        record!(one, draws * thin)
    end
    all = [sample!(one, draws; thin = thin, callback = callback) for one in made]
    kept = minimum(size(one, 2) for one in all)
    values = cat((reshape(one[:, 1:kept], :, kept, 1) for one in all)...; dims = 3)
    fit = Fit(copy(net), data, target.(made), values, thin, constant(:INTERMEDIATE, posterior),
              kept < draws)
    return ExchangeFit(fit, made)
end

# The number of replicas, 2 Lambda + 1, found by short tunings with more and more chains.
function find_replicas(prepared, seed, callback; most = 256)
    count = 16
    while true
        pilot = start!(prepared(count; rounds = 4), :prior; seed = seed)
        wanted = report(tune!(pilot; callback = callback)).wanted
        close!(pilot)
        (wanted <= count || count == most) && return min(wanted + wanted ÷ 10, most)
        count = min(2count, most)
    end
end

# The mean over exchanges, with an error at least as large as their disagreement suggests.
function evidence(found::ExchangeFit)
    each = evidence.(found.exchanges)
    count, values = length(each), [one.log_evidence for one in each]
    mean = sum(values) / count
    own = sqrt(sum(one.error^2 for one in each)) / count
    between = count > 1 ? sqrt(sum((values .- mean) .^ 2) / (count - 1) / count) : 0.0
    return (log_evidence = mean, error = max(own, between))
end

predict(found::ExchangeFit, X; options...) = predict(found.fit, X; options...)
score(found::ExchangeFit, X, y; options...) = score(found.fit, X, y; options...)
convergence(found::ExchangeFit) = convergence(found.fit)
summarize(found::ExchangeFit) = summarize(found.fit)

function Base.show(io::IO, ::MIME"text/plain", found::ExchangeFit)
    for one in found.exchanges
        println(io, string(one))
    end
    all = evidence(found)
    print(io, "log p(y | X) = ", round(all.log_evidence; sigdigits = 6), ", standard error ",
          round(all.error; sigdigits = 2))
end
