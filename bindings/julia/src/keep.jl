# Keeping less than all draws: functions of them, their moments, or a file that is mapped.

"""
    Quantity(what; predictor, data, moments = false, rows = 0)

What a [`Keeper`](@ref) should keep of every draw: :parameters or :scales; or, for rows of `data` and with
the settings of `predictor`, :functions, :mean, :probabilities, :predictions or :log_lik. `moments`: means
and variances over draws, too.
"""
struct Quantity
    what::Int32
    predictor::Union{Nothing,Predictor}
    data::Union{Nothing,Data}
    moments::Bool
    rows::Int
end
Quantity(what; predictor = nothing, data = nothing, moments = false, rows = 0) =
    Quantity(constant(:KEEP_PARAMETERS, what, "NNP_KEEP_"), predictor, data, moments, rows)

"""
    Keeper(net, quantities, chains)

Extracts quantities from every draw while chains run; `sample(…; keep = …)` is simpler to use.
`store!(keeper, i, draws)` allocates memory for this many draws of quantity number i, [value, draw, chain];
`store!(keeper, i, file)` writes them to a [`DrawsFile`](@ref); `moments(keeper, i)` is (mean, variance,
rhat) of all draws so far.
"""
mutable struct Keeper <: Handle
    handle::Ptr{nnp_keeper}
    quantities::Vector{Quantity}
    chains::Int
    stored::Dict{Int,Any}
    function Keeper(net::Net, quantities, chains::Integer)
        made = new(C_NULL, collect(quantities), chains, Dict{Int,Any}())
        kept = map(made.quantities) do q
            nnp_kept(q.what, q.moments, q.predictor === nothing ? C_NULL : address(q.predictor),
                     q.data === nothing ? C_NULL : address(q.data), q.rows, UNUSED)
        end
        GC.@preserve quantities create!(made, nnp_keeper_create, net, kept, length(kept), chains)
        return made
    end
end
free(pointer::Ptr{nnp_keeper}) = nnp_keeper_free(pointer)
needs(keeper::Keeper) = [q.data for q in keeper.quantities if q.data !== nothing]

width(keeper::Keeper, i::Integer) = ask(Int64, nnp_keeper_width, keeper, i - 1)
"""
    store!(keeper, i, draws)
    store!(keeper, i, file)

Stores quantity number i of a keeper from now on: in memory for this many draws, [value, draw, chain], or in
a [`DrawsFile`](@ref). Returns what it is stored in.
"""
function store!(keeper::Keeper, i::Integer, draws::Integer)
    out = room(width(keeper, i), draws, keeper.chains)
    call(nnp_keeper_store, keeper, i - 1, out, draws)
    return keeper.stored[i] = out
end
function moments(keeper::Keeper, i::Integer)
    mean, variance, rhat = (zeros(width(keeper, i)) for _ in 1:3)
    call(nnp_keeper_moments, keeper, i - 1, NNP_ALL_CHAINS, mean, variance, rhat)
    return (mean = mean, variance = variance, rhat = rhat)
end

"""
    DrawsFile(path, net = nothing)
    DrawsFile(path, keeper, i, draws)

A file of draws, mapped into memory: opened for reading, with all of it checked, and refused if it belongs
to another network; or created for quantity i of a keeper. `draws(file)` is a read-only view [value, draw,
chain]; `save_draws(file)` are blocks for `merge_draws`.
"""
mutable struct DrawsFile <: Handle
    handle::Ptr{nnp_draws_file}
    DrawsFile(path, net::Union{Nothing,Net} = nothing) =
        create!(new(C_NULL), nnp_draws_file_open, String(path), net === nothing ? C_NULL : net)
    DrawsFile(path, keeper::Keeper, i::Integer, draws::Integer) =
        create!(new(C_NULL), nnp_draws_file_create, String(path), keeper, i - 1, draws)
end
free(pointer::Ptr{nnp_draws_file}) = nnp_draws_file_free(pointer)
function store!(keeper::Keeper, i::Integer, file::DrawsFile)
    call(nnp_keeper_file, keeper, i - 1, file)
    return keeper.stored[i] = file
end

"The draws in a [`DrawsFile`](@ref) that all chains have: [value, draw, chain], read-only."
function draws(file::DrawsFile)
    seen = Ref{nnp_draws}()
    call(nnp_draws_file_view, file, seen)
    v = seen[]
    lies = Ptr{Float64}(v.values)
    if v.chains > 1 && v.chain_stride != v.quantities * v.draws  # it is not full: chains lie apart
        out = room(v.quantities, v.draws, v.chains)
        for c in 1:v.chains
            part = unsafe_wrap(Array, lies + 8 * (c - 1) * v.chain_stride, (v.quantities, v.draws))
            out[:, :, c] = part
        end
        return out
    end
    out = unsafe_wrap(Array, lies, (Int(v.quantities), Int(v.draws), Int(v.chains)))
    finalizer(_ -> (file; nothing), out)  # the file lives as long as what looks into it
    return out
end
function save_draws(file::DrawsFile)
    chains = Ref{Int64}()
    call(nnp_draws_file_info, file, C_NULL, C_NULL, chains)
    return map(0:chains[]-1) do c
        block = zeros(UInt8, ask(Csize_t, nnp_draws_file_save_bytes, file, c))
        call(nnp_draws_file_save, file, c, block, length(block))
        block
    end
end

# A sentence of advice if this many draws take more memory than a fit should use by default.
draws_advice(net::Net, chains, draws) = text(nnp_draws_advice, 256, net, chains, draws)

# What sample() can keep by name: what the library calls it, and at which rows.
const KEEP_NAMES = (scales = (:scales, :none), functions = (:functions, :training),
                    log_lik = (:log_lik, :training), mean = (:mean, :at),
                    probabilities = (:probabilities, :at), predictions = (:predictions, :at),
                    moments = (:parameters, :none))

# What a fit keeps of its draws: names, rows, and the keeper once it has begun.
mutable struct Keeping
    names::Vector{Symbol}
    x::Any
    path::Union{Nothing,String}
    keeper::Union{Nothing,Keeper}
    file::Union{Nothing,DrawsFile}
    values::Dict{Symbol,Array{Float64,3}}
    rows::Int
end
function Keeping(keep, at, file)
    names = keep === nothing ? Symbol[] : keep isa Symbol ? [keep] : collect(Symbol, keep)
    for name in names
        haskey(KEEP_NAMES, name) || refuse(:NNP_E_ENUM,
            "keep: '$name' is not known, expected some of: " * join(keys(KEEP_NAMES), ", "))
    end
    return Keeping(names, at, file === nothing ? nothing : String(file), nothing, nothing,
                   Dict{Symbol,Array{Float64,3}}(), 0)
end

function begin_keeping!(keeping::Keeping, fit)
    rows = keeping.x === nothing ? fit.data : Data(keeping.x)
    keeping.rows = rows.rows
    quantities = keeping.path === nothing ? Quantity[] : [Quantity(:parameters)]
    for name in keeping.names
        what, where = KEEP_NAMES[name]
        push!(quantities, where === :none ? Quantity(what; moments = name === :moments) :
            Quantity(what; predictor = Predictor(fit.net, 1; posterior = fit.posterior,
                                                 units = fit.units),
                     data = where === :at ? rows : fit.data))
    end
    keeping.keeper = Keeper(fit.net, quantities, length(fit.chains))
    return keeping
end

# Allocates memory for this many draws, by name.
function store!(keeping::Keeping, fit, draws)
    if keeping.keeper === nothing
        begin_keeping!(keeping, fit)
    elseif keeping.path !== nothing
        refuse(:NNP_E_UNSUPPORTED, "file = $(keeping.path): it has room for the first run only, " *
                                   "expected another fit with a file of its own")
    end
    first = keeping.path === nothing ? 0 : 1
    if first == 1
        keeping.file = DrawsFile(keeping.path, keeping.keeper, 1, draws)
        store!(keeping.keeper, 1, keeping.file)
    end
    return Dict(name => store!(keeping.keeper, first + i, draws)
                for (i, name) in enumerate(keeping.names) if name !== :moments)
end

# Appends what was made; what the fit has as draws.
function take!(keeping::Keeping, fit, rooms, made)
    for (name, new) in rooms
        values = made == size(new, 2) ? new : new[:, 1:made, :]
        old = get(keeping.values, name, nothing)
        keeping.values[name] = old === nothing ? values : cat(old, values; dims = 2)
    end
    return keeping.file === nothing ? room(0, made, length(fit.chains)) : draws(keeping.file)
end

"""
    kept(fit, name)

What `sample(…; keep = …)` kept of every draw: [value, draw, chain]. Values of :mean and :predictions are
[target, row], of :probabilities [class, row], one after the other.
"""
function kept(fit, name::Symbol)
    found = fit.keeping === nothing ? nothing : get(fit.keeping.values, name, nothing)
    found === nothing && refuse(:NNP_E_UNSUPPORTED,
        "'$name' was not kept, expected it in sample(…; keep = …)")
    return found
end

"Mean, variance and R-hat of every parameter, with `sample(…; keep = [:moments])`."
function moments(fit)
    keeping = fit.keeping
    (keeping === nothing || !(:moments in keeping.names)) && refuse(:NNP_E_UNSUPPORTED,
        "moments were not kept, expected sample(…; keep = [:moments])")
    place = findfirst(==(:moments), keeping.names) + (keeping.path === nothing ? 0 : 1)
    return moments(keeping.keeper, place)
end

"Whether a fit has draws of all parameters; one that was made with `keep` may not."
has_draws(fit) = size(fit.draws, 1) == parameters(fit.net)

# Type 7 of values that count by weights: between neighbours lies the mean of their weights.
function weighted_quantile(values, weights, level)
    order = sortperm(values)
    share = weights[order]
    at = [0.0; cumsum(share[1:end-1] .+ share[2:end])]
    place = level * at[end]
    i = clamp(searchsortedlast(at, place), 1, max(length(at) - 1, 1))
    length(at) == 1 && return values[1]
    part = clamp((place - at[i]) / (at[i+1] - at[i]), 0, 1)
    return values[order[i]] + part * (values[order[i+1]] - values[order[i]])
end

# At the rows that were kept; X is nothing, or these rows.
function predict_kept(fit, X, kind, levels)
    keeping = fit.keeping
    X === nothing || (keeping !== nothing && keeping.x !== nothing && X == keeping.x) ||
        refuse(:NNP_E_UNSUPPORTED, "X: this fit keeps no parameters, expected nothing or the rows " *
                                   "that were given as `at` to sample(…; keep = …)")
    chains = fit.weights === nothing ? ones(length(fit.chains)) : fit.weights
    weights = repeat(chains ./ (sum(chains) * size(fit.draws, 2)); inner = size(fit.draws, 2))
    by_draw(name) = (v = kept(fit, name); reshape(v, :, keeping.rows, length(weights)))
    average(values) = permutedims(dropdims(sum(values .* reshape(weights, 1, 1, :); dims = 3); dims = 3))
    kind in (:mean, :probabilities) && return average(by_draw(kind))
    values = by_draw(:predictions)
    kind === :draws && return permutedims(values, (2, 1, 3))
    if kind === :sd
        apart = values .- permutedims(average(values))
        return sqrt.(average(apart .^ 2) ./ (1 - sum(abs2, weights)))
    end
    kind === :quantiles || refuse(:NNP_E_UNSUPPORTED,
        "kind = $kind: it was not kept, expected :mean, :sd, :quantiles, :probabilities or :draws")
    return [weighted_quantile(values[j, i, :], weights, level)
            for i in axes(values, 2), j in axes(values, 1), level in levels]
end
