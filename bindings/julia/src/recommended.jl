# Recommendations for tables of data, and fit(NNPostModel, X, y), which applies them.

# ---- A network and a recipe ---------------------------------------------------------------------

"""
    recommended_net(inputs, targets = 1, head = :gaussian; hidden, activation, posterior,
                    ard = false, rows = 0)

The network the library recommends for standardized data, all scales learned. `targets` is the number of
columns of targets, of classes for :argmax, or 1 for :sign_head. `head = nothing`, for numbers, is
:gaussian up to 3000 `rows` and :location_scale beyond. `hidden` are units of hidden layers; by
default what suits this number of training `rows`, and likewise `activation` and `posterior`, each
chosen to suit the other. `ard`: one precision for each input.
"""
function recommended_net(inputs::Integer, targets::Integer = 1, head = :gaussian; hidden = nothing,
                         activation = nothing, posterior = nothing, ard = false, rows = 0)
    made = Ref{nnp_model}()
    asked(group, value) = value === nothing ? 0 : constant(group, value)
    choice = (asked(:IDENTITY, activation), asked(:INTERMEDIATE, posterior))
    kind = head === nothing ? ask(Int32, nnp_recommend_head, rows, choice...) :
           constant(:GAUSSIAN, head)
    call(nnp_model_defaults, made, inputs, targets, kind, rows)
    call(nnp_model_choose, made, choice...)
    m = made[]
    units = hidden === nothing ? collect(m.hidden[1:m.hidden_count]) : collect(Int64, hidden)
    length(units) <= length(m.hidden) || refuse(:NNP_E_SIZE,
        "hidden: $(length(units)) layers, expected at most $(length(m.hidden))")
    return Net(nnp_model(m.inputs, m.targets, m.head, m.activation, m.posterior, Int32(ard),
                         ntuple(i -> i <= length(units) ? units[i] : 0, length(m.hidden)),
                         length(units), m.reserved))
end

# :nuts for NNP_NUTS.
function constant_name(group::Symbol, number, prefix = "NNP_")
    names = GROUPS[Symbol("NNP_", group)]
    found = names[findfirst(name -> getfield(@__MODULE__, name) == number, collect(names))]
    return Symbol(lowercase(string(found)[length(prefix)+1:end]))
end

"""
    recommend(net, rows; posterior = nothing)

How to sample a network on this number of training rows: a named tuple for `sample(net, X, y;
recipe...)`.
"""
function recommend(net::Net, rows::Integer; posterior = nothing)
    made = Ref{nnp_recipe}()
    call(nnp_recommend, net, rows,
         posterior === nothing ? 0 : constant(:INTERMEDIATE, posterior), made)
    r = made[]
    names = ntuple(i -> constant_name(:OPTION_SCHEDULE, r.options[i], "NNP_OPTION_"),
                   r.option_count)
    return (sampler = constant_name(:GIBBS, r.sampler),
            posterior = constant_name(:INTERMEDIATE, r.posterior),
            start = constant_name(:START_ZERO, r.start, "NNP_START_"), chains = Int(r.chains),
            warmup = Int(r.warmup), draws = Int(r.draws), thin = Int(r.thin),
            NamedTuple{names}(r.values[1:r.option_count])...)
end

# ---- Standardized columns -----------------------------------------------------------------------

"""
    standard(X)

(mean, sd, constant): of every column, and the numbers of constant columns, whose sd is 0. Values
that are not finite are refused.
"""
function standard(X)
    x, order = matrix(X)
    rows, columns = extent(x, order)
    mean, sd, err = zeros(columns), zeros(columns), Ref{nnp_error}()
    status = finite_in("X", x, order) do
        found = nnp_standard(x, rows, columns, order, mean, sd, err)
        found in (NNP_OK, NNP_E_VALUE) || throw(NNPostError(found,
            unsafe_string(nnp_status_name(found)), c_string(err[].message)))
        found
    end
    return mean, sd, status == NNP_OK ? Int[] : findall(iszero, sd)
end

function changed(f, X, mean, sd)
    x, order = matrix(X)
    rows, columns = extent(x, order)
    out = similar(x)
    call(f, x, rows, columns, order, doubles(mean, columns, "mean"),
         doubles(sd, columns, "sd"), out)
    return order == NNP_COLUMN_MAJOR ? out : permutedims(out)
end

"(X - mean) / sd by columns; 0 in columns whose sd is 0."
standardize(X, mean, sd) = changed(nnp_standardize, X, mean, sd)
"mean + sd * X by columns."
unstandardize(X, mean, sd) = changed(nnp_unstandardize, X, mean, sd)

"""
    recommend_transform(Z, labels)

The recommended linear change of the inputs of classes, a matrix [from, to] for `NNPost.transform`, or
`nothing` if they are best left alone. `Z` are standardized training rows, labels 0, 1, …, or -1 and +1.
Not for networks with `ard`.
"""
function recommend_transform(Z, labels)
    z, order = matrix(Z)
    rows, columns = extent(z, order)
    length(labels) == rows ||
        throw(DimensionMismatch("labels: there are $(length(labels)), Z has $rows rows"))
    numbers = convert(Vector{Int32}, vec(labels))
    size = ask(Csize_t, nnp_recommend_transform_bytes, numbers, rows, columns)
    size == 0 && return nothing
    room = zeros(size ÷ 8) # the matrix, then work memory
    call(nnp_recommend_transform, z, numbers, rows, columns, order, room, size)
    return reshape(room[1:columns^2], columns, columns)
end

"""
Z * change, for a change that `recommend_transform` found; `nothing` is none. Entries above the
diagonal are not read.
"""
transform(Z, ::Nothing) = Z
function transform(Z, change)
    z, order = matrix(Z)
    rows, columns = extent(z, order)
    size(change) == (columns, columns) ||
        throw(DimensionMismatch("change: its size is $(size(change)), Z has $columns columns"))
    out = similar(z)
    call(nnp_transform, z, rows, columns, order, Matrix{Float64}(change), out)
    return order == NNP_COLUMN_MAJOR ? out : permutedims(out)
end

# ---- Cross-validation and weights ---------------------------------------------------------------

"""
Leave-one-out cross-validation: `elpd` and its standard error `se`, `p_loo` and `p_loo_se`, the
`pointwise` elpd and `pareto_k` of every row, the limit of reliable k and how many rows exceed it.
"""
struct Loo
    elpd::Float64
    se::Float64
    p_loo::Float64
    p_loo_se::Float64
    pointwise::Vector{Float64}
    pareto_k::Vector{Float64}
    k_limit::Float64
    unreliable::Int
end
function Base.show(io::IO, found::Loo)
    tell(value) = round(value; digits = 1)
    print(io, "elpd_loo ", tell(found.elpd), " ± ", tell(found.se), ", p_loo ", tell(found.p_loo))
    found.unreliable == 0 || print(io, "; ", found.unreliable, " of ", length(found.pareto_k),
        " rows have a Pareto k above ", round(found.k_limit; digits = 2))
end

"""
    loo(log_lik; efficiency = nothing)
    loo(fit)

PSIS-LOO of a log likelihood [row, draw, chain] as returned by [`log_lik`](@ref), computed as in R's
package loo.
"""
function loo(log_lik::AbstractArray{<:Real,3}; efficiency = nothing)
    place, values, rows = where_draws(log_lik)
    shares = efficiency === nothing ? C_NULL : doubles(efficiency, rows, "efficiency")
    elpd, k, found = zeros(rows), zeros(rows), Ref{nnp_loo_summary}()
    GC.@preserve values begin
        bytes = ask(Csize_t, nnp_loo_bytes, place)
        memory = Vector{Float64}(undef, cld(bytes, 8))
        call(nnp_loo, place, shares, elpd, k, found, memory, bytes)
    end
    f = found[]
    return Loo(f.elpd, f.elpd_error, f.p_loo, f.p_loo_error, elpd, k, f.k_limit, f.unreliable)
end
loo(fit::Fit) = loo(log_lik(fit))

"""
    stacking(elpd)

(weights, elpd, se): the weights of models with which their mixture best predicts left-out rows, from
elpd [row, model].
"""
function stacking(elpd::AbstractMatrix{<:Real})
    values, found = convert(Matrix{Float64}, elpd), Ref{nnp_stacking_summary}()
    bytes = ask(Csize_t, nnp_stacking_bytes, size(values)...)
    weights, memory = zeros(size(values, 2)), Vector{Float64}(undef, cld(bytes, 8))
    call(nnp_stacking, values, size(values)..., weights, found, memory, bytes)
    return (weights = weights, elpd = found[].elpd, se = found[].elpd_error)
end

"""
    stack_chains(log_lik)

(weights, elpd, se, largest_k, k_limit, unreliable): stacking weights for chains that are in different
modes and do not leave them, from the leave-one-out densities of their own draws. log_lik is [row, draw,
chain]. Rows whose k is above its limit in any chain (`unreliable` of them) count equally for all
chains, and one pseudo-row is added in favour of each chain.
"""
function stack_chains(log_lik::AbstractArray{<:Real,3})
    place, values, _ = where_draws(log_lik)
    weights, found = zeros(size(log_lik, 3)), Ref{nnp_stacking_summary}()
    GC.@preserve values begin
        bytes = ask(Csize_t, nnp_stack_chains_bytes, place)
        memory = Vector{Float64}(undef, cld(bytes, 8))
        call(nnp_stack_chains, place, weights, found, memory, bytes)
    end
    return (weights = weights, elpd = found[].elpd, se = found[].elpd_error,
            largest_k = found[].largest_k, k_limit = found[].k_limit,
            unreliable = found[].unreliable)
end

"Finds weights of chains by stacking and uses them from now on. Returns the weights."
stack!(fit::Fit) = fit.weights = stack_chains(log_lik(fit)).weights

"[draw, parameter, chain] and names: `Chains(chain_array(fit)...)` is one of MCMCChains."
chain_array(fit::Fit) = permutedims(fit.draws, (2, 1, 3)), Symbol.(columnnames(fit))

# ---- Tables -------------------------------------------------------------------------------------

# Columns by name: of a named tuple of vectors, a vector of named tuples, a DataFrame or anything
# else whose properties are columns. A matrix has no names.
table_columns(X::AbstractMatrix) = nothing
table_columns(X::AbstractVector{<:Real}) = nothing
table_columns(rows::AbstractVector{<:NamedTuple}) =
    isempty(rows) ? refuse(:NNP_E_SIZE, "X: it has no rows") :
    [name => [row[name] for row in rows] for name in keys(first(rows))]
table_columns(X::AbstractDict) = sort!([Symbol(name) => X[name] for name in keys(X)]; by = first)
table_columns(X) = [name => getproperty(X, name) for name in propertynames(X)]

function column_matrix(columns, names)
    given = Dict(columns)
    for name in names
        haskey(given, name) || refuse(:NNP_E_SHAPE,
            "X: it has no column $name, expected " * join(names, ", "))
        eltype(given[name]) <: Union{Missing,Real} || refuse(:NNP_E_VALUE,
            "X: column $name holds $(eltype(given[name])), expected numbers")
        any(ismissing, given[name]) &&
            refuse(:NNP_E_NOT_FINITE, "X: column $name has missing values, expected finite numbers")
    end
    return reduce(hcat, (convert(Vector{Float64}, given[name]) for name in names))
end

# ---- The model ----------------------------------------------------------------------------------

"""
    fit(NNPostModel, X, y; head, hidden, activation, posterior, ard = false,
        stacking = true, verbose = true, seed = 1, threads, progress, callback, sampler, start,
        chains, warmup, draws, thin, options…)
    fit(NNPostModel, table, :target; …)

A Bayesian neural network for a table of data, in one call. By default it uses the library's
recommendations: columns are standardized (those of classes then changed linearly) and predictions
given in the original units, all scales are learned, chains start from weights that fit the data, and
chains that stay in different modes are weighted by stacking. One line reports whether they converged.

`X` is a matrix [row, feature], or a table: a named tuple of vectors, a vector of named tuples, a
DataFrame; columns of new tables are found by name. `y` are numbers, one column or several, or, for a
classification, anything else that can be compared: strings, symbols, `Bool`s. Whole numbers are classes
with `classes = true`. The classical posterior, the default for classes, is logistic for two of them
and softmax for more; `posterior = :intermediate` is probit. Ctrl-C keeps the draws made so far.

    model = fit(NNPostModel, (age = age, dose = dose), response)
    predict(model, (dose = [1.0], age = [40.0]))          means
    predict(model, X; kind = :sd), interval(model, X, 0.9), log_score(model, X, y)
    predict(model, X; kind = :probabilities)              of model.classes
    model.fit, model.convergence, model.loo, model.fit.weights

`keep = Xnew` keeps predictions at these rows only, and no parameters, whose draws are large for wide
networks; `file = path` writes draws to a file that is mapped into memory.

`head = :gaussian` has noise of one level, `:location_scale` noise that depends on the input and
`:student_t` heavy tails. By default it is `:gaussian` up to 3000 rows and `:location_scale` beyond.
"""
struct NNPostModel
    fit::Fit
    recipe::NamedTuple
    names::Union{Nothing,Vector{Symbol}}
    mean::Vector{Float64}
    sd::Vector{Float64}
    change::Union{Nothing,Matrix{Float64}}
    classes::Union{Nothing,Vector}
    several::Bool
    convergence::Convergence
    loo::Loo
    seconds::Float64
end

fit(::Type{NNPostModel}, table, target::AbstractString; options...) =
    fit(NNPostModel, table, Symbol(target); options...)
function fit(::Type{NNPostModel}, table, target::Symbol; options...)
    columns = table_columns(table)
    columns === nothing &&
        throw(ArgumentError("target: a matrix has no column $target, expected a table"))
    found = findfirst(==(target), first.(columns))
    found === nothing && refuse(:NNP_E_SHAPE, "target: the table has no column $target" *
        hint(target, first.(columns)) * ", expected one of " * join(first.(columns), ", "))
    y = last(columns[found])
    others = deleteat!(copy(columns), found)
    return fit(NNPostModel, (; others...), y; options...)
end

function fit(::Type{NNPostModel}, X, y; head = nothing, hidden = nothing, activation = nothing,
             posterior = nothing, ard = false, classes = is_class(y), stacking = true,
             verbose = true, seed = 1, keep = nothing, file = nothing, asked...)
    began = time()
    known_arguments(keys(asked))
    x, names = model_inputs(X)
    mean, sd, constant = standard(x)
    for j in constant
        @warn "column $(names === nothing ? j : names[j]) of X is constant, all its values are " *
              "$(mean[j]): it is ignored"
    end
    rows, several = size(x, 1), y isa AbstractMatrix
    size(y, 1) == rows ||
        throw(DimensionMismatch("y: it has $(size(y, 1)) rows, X has $rows"))
    labels = classes ? sort_classes(y) : nothing
    units = classes ? nothing : target_units(y)
    count = classes ? (length(labels) == 2 ? 1 : length(labels)) : length(units[1])
    kind = classes ? (count == 1 ? :sign_head : :argmax) : head
    if posterior === nothing && haskey(asked, :sampler)
        posterior = asked[:sampler] == :gibbs ? :intermediate : :classical
    end
    net = recommended_net(size(x, 2), count, kind; hidden = hidden, activation = activation,
                          posterior = posterior, ard = ard, rows = rows)
    recommended = recommend(net, rows; posterior = posterior)
    # recommended options are for the recommended sampler: another one may not have them
    get(asked, :sampler, recommended.sampler) == recommended.sampler ||
        (recommended = NamedTuple{RECIPE_FIELDS}(recommended))
    recipe = merge(recommended, (; asked...))
    told = classes ? class_numbers(labels, y) : standardize(y, units...)
    what = [:functions, :log_lik, (classes ? (:probabilities,) : (:mean, :predictions))...]
    z = standardize(x, mean, sd)
    change = classes && !ard ? recommend_transform(z, told) : nothing
    at = keep === nothing ? nothing : transform(rows_to_keep(keep, names, mean, sd), change)
    made = sample(net, transform(z, change), told; seed = seed, units = units, file = file,
                  keep = keep === nothing ? nothing : what, at = at, recipe...)
    size(made.draws, 2) > 0 || error("the fit was stopped before its first draw")
    judged, crossed = convergence(made), loo(made)
    stacking && size(made.draws, 3) > 1 && judged.verdict == :not_converged && stack!(made)
    model = NNPostModel(made, recipe, names, mean, sd, change, labels, several, judged, crossed,
                        time() - began)
    verbose && println(stderr, "NNPostModel: ", verdict(model), "; ",
                       round(model.seconds; digits = 1), " s")
    return model
end

# Fields of a recipe, apart from options of its sampler.
const RECIPE_FIELDS = (:sampler, :posterior, :start, :chains, :warmup, :draws, :thin)

# Arguments of fit(NNPostModel, …) and of `sample`, apart from options of samplers.
const FIT_ARGUMENTS = (:head, :hidden, :activation, :posterior, :ard, :classes, :stacking, :verbose, :seed,
                       :keep, :file, :sampler, :start, :chains, :warmup, :draws, :thin, :threads,
                       :progress, :callback, :resume, :comm, :rows, :number)

function known_arguments(asked)
    options = [Symbol(lowercase(string(name)[length("NNP_OPTION_")+1:end]))
               for name in GROUPS[:NNP_OPTION_SCHEDULE] if startswith(string(name), "NNP_OPTION_")]
    for name in asked
        name in FIT_ARGUMENTS || name in options || refuse(:NNP_E_ENUM,
            "$name: fit has no such argument" * hint(name, (FIT_ARGUMENTS..., options...)) *
            "; expected one of " * join(FIT_ARGUMENTS, ", ") * ", or an option of the sampler: " *
            join(options, ", "))
    end
end

# What other packages call it.
const FOREIGN_NAMES = Dict(:iter => :draws, :n_iter => :draws, :samples => :draws, :burnin => :warmup,
                           :tune => :warmup, :cores => :threads, :n_jobs => :threads,
                           :random_state => :seed, :layers => :hidden, :units => :hidden,
                           :size => :hidden, :adapt_delta => :target, :family => :head)

# " (did you mean draws?)" if other packages call it so, or if a known name is at most two letters,
# or a third of them, away.
function hint(name, known)
    isempty(known) && return ""
    meant = get(FOREIGN_NAMES, Symbol(name), nothing)
    meant in known && return " (did you mean $meant?)"
    far, nearest = findmin([letters_apart(string(name), string(other)) for other in known])
    far <= max(2, length(string(name)) ÷ 3) ? " (did you mean $(known[nearest])?)" : ""
end

# Levenshtein distance: letters to insert, remove or change.
function letters_apart(a, b)
    row = collect(0:length(b))
    for (i, x) in enumerate(a)
        corner, row[1] = row[1], i
        for (j, y) in enumerate(b)
            corner, row[j+1] = row[j+1], min(row[j+1] + 1, row[j] + 1, corner + (x != y))
        end
    end
    return row[end]
end

is_class(y) = !(nonmissingtype(eltype(y)) <: Real) || nonmissingtype(eltype(y)) <: Bool

function sort_classes(y)
    any(ismissing, y) && refuse(:NNP_E_LABEL, "y: it has missing values, expected classes")
    found = sort!(unique(y))
    length(found) > 1 || refuse(:NNP_E_LABEL,
        "y: all labels are of one class, $(repr(first(found))), expected two or more")
    return found
end

# Labels as the numbers that the head uses.
function class_numbers(classes, y)
    numbers = map(y) do label
        found = findfirst(==(label), classes)
        found === nothing && refuse(:NNP_E_LABEL,
            "y: the class $(repr(label)) was not there when this model was fitted")
        found - 1
    end
    return length(classes) == 2 ? 2 .* numbers .- 1 : numbers
end

function target_units(y)
    mean, sd, constant = standard(y)
    isempty(constant) || refuse(:NNP_E_VALUE,
        "y: target $(constant[1]) is constant, all its values are $(mean[constant[1]]), expected " *
        "some that differ")
    return mean, sd
end

# A matrix and the names of its columns, if it has any.
function model_inputs(X)
    columns = table_columns(X)
    columns === nothing && return (X isa AbstractVector ? reshape(X, :, 1) : X), nothing
    names = first.(columns)
    return column_matrix(columns, names), collect(Symbol, names)
end

# Standardized rows to predict at, of columns that have these names (or none), means and sds.
function rows_to_keep(X, names, mean, sd)
    columns = table_columns(X)
    if columns === nothing
        x = X isa AbstractVector ? reshape(X, :, 1) : X
    else
        names === nothing &&
            throw(ArgumentError("X: it is a table, but the model was fitted to a matrix"))
        x = column_matrix(columns, names)
    end
    size(x, 2) == length(mean) || refuse(:NNP_E_SHAPE,
        "X: it has $(size(x, 2)) columns, expected $(length(mean))")
    return standardize(x, mean, sd)
end
new_inputs(model::NNPostModel, X) =
    transform(rows_to_keep(X, model.names, model.mean, model.sd), model.change)

# One column is a vector, as it came.
shaped(model::NNPostModel, values) = model.several ? values : values[:, 1]

"""
    predict(model, X; kind = :mean, levels, seed)

For a regression, in the units of y: :mean, :sd (of a new target), :quantiles [row, level] (for several
targets [row, target, level]) or :draws. For a classification the most probable class, or with `kind =
:probabilities` those of all classes, [row, class] in the order of `model.classes`.
"""
function predict(model::NNPostModel, X; kind = model.classes === nothing ? :mean : :class,
                 options...)
    z = new_inputs(model, X)
    if model.classes === nothing
        out = predict(model.fit, z; kind = kind, options...)
        kind in (:mean, :sd) && return shaped(model, out)
        return model.several ? out : dropdims(out; dims = 2)
    end
    kind in (:class, :probabilities) || throw(ArgumentError(
        "kind = $kind: expected :class or :probabilities, since y are classes"))
    plus = predict(model.fit, z; kind = :probabilities, options...)
    out = length(model.classes) == 2 ? hcat(1 .- plus[:, 1], plus[:, 1]) : plus
    kind == :probabilities && return out
    return [model.classes[argmax(view(out, i, :))] for i in axes(out, 1)]
end

"""
    interval(model, X, level = 0.9)

(lower, upper): the central interval that contains a new target with this probability.
"""
function interval(model::NNPostModel, X, level = 0.9; options...)
    0 < level < 1 || throw(ArgumentError("level = $level: expected a number between 0 and 1"))
    ends = predict(model, X; kind = :quantiles, levels = [(1 - level) / 2, (1 + level) / 2],
                   options...)
    return selectdim(ends, ndims(ends), 1), selectdim(ends, ndims(ends), 2)
end

new_outcomes(model::NNPostModel, y) =
    model.classes === nothing ? standardize(y, model.fit.units...) : class_numbers(model.classes, y)

"Mean log predictive density of targets, in their units, or log probability of classes."
log_score(model::NNPostModel, X, y) =
    score(model.fit, new_inputs(model, X), new_outcomes(model, y), :log)
log_lik(model::NNPostModel, X, y) =
    log_lik(model.fit, new_inputs(model, X), new_outcomes(model, y))

summarize(model::NNPostModel) = summarize(model.fit)
loo(model::NNPostModel) = model.loo

# Whether the chains have converged, and if not, what helps.
function verdict(model::NNPostModel)
    line = string(model.convergence)
    weights = model.fit.weights
    diverged = model.recipe.sampler == :gibbs ? 0 :
        sum(Int[statistic(chain, :divergences) for chain in model.fit.chains])
    diverged == 0 ||
        (line *= "; $diverged divergent steps: a larger target helps, such as target = 0.95")
    if model.convergence.verdict in (:doubtful, :not_converged)
        weights === nothing || (line *= "; chains are weighted by stacking: " *
                                        join(round.(weights; digits = 2), " "))
        line *= "; try more warmup and draws"
    end
    return line * (model.fit.interrupted ? " (interrupted)" : "")
end

function Base.show(io::IO, model::NNPostModel)
    what = model.classes === nothing ? "regression" : "classification"
    print(io, "NNPostModel: ", what, ", ", length(model.mean), " columns, ",
          size(model.fit.draws, 3), " chains of ", size(model.fit.draws, 2), " draws; ",
          verdict(model))
end
function Base.show(io::IO, ::MIME"text/plain", model::NNPostModel)
    println(io, model)
    println(io, model.loo)
    model.fit.weights === nothing ||
        println(io, "weights of chains ", join(round.(model.fit.weights; digits = 3), ", "))
    print(io, "sampled by ", model.recipe.sampler, ", ", model.recipe.posterior, ", in ",
          round(model.seconds; digits = 1), " s")
end
