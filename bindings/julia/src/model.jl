# Networks, data, pools of threads, chains, teachers, predictors: one type for each handle. An
# object keeps alive what it needs, and is freed by the garbage collector or by close!.

abstract type Handle end

# Creates an object of the library and arranges that it is freed.
function create!(object::Handle, f, arguments...)
    pointer = Ref{typeof(object.handle)}(C_NULL)
    call(f, pointer, arguments...)
    object.handle = pointer[]
    finalizer(release, object)
    return object
end

function release(object::Handle)
    pointer, object.handle = object.handle, typeof(object.handle)(C_NULL)
    pointer == C_NULL || free(pointer)
    return nothing
end

"""
    close!(object)

Frees it now; otherwise the garbage collector does. Objects that need it cannot be used from then on.
"""
function close!(object::Handle)
    lock(() -> haskey(USED, object), USED_LOCK) &&
        refuse(:NNP_E_UNSUPPORTED, "this $(nameof(typeof(object))) is in use by a run")
    return release(object)
end

Base.isopen(object::Handle) = object.handle != C_NULL

# Objects the library accesses when this one is used.
needs(::Handle) = ()
with_needs(object::Handle) = Any[object, (one for other in needs(object)
                                          for one in with_needs(other))...]

# The address of an object; refused if something it needs is closed.
function address(object::Handle)
    for other in needs(object)
        isopen(other) || refuse(:NNP_E_NULL,
            "this $(nameof(typeof(object))) needs a $(nameof(typeof(other))) that is closed")
        address(other)
    end
    return object.handle
end

Base.deepcopy_internal(object::Handle, ::IdDict) =
    refuse(:NNP_E_UNSUPPORTED, "a $(nameof(typeof(object))) cannot be copied")

free(pointer::Ptr{nnp_net}) = nnp_net_free(pointer)
free(pointer::Ptr{nnp_data}) = nnp_data_free(pointer)
free(pointer::Ptr{nnp_pool}) = nnp_pool_free(pointer)
free(pointer::Ptr{nnp_chain}) = nnp_chain_free(pointer)
free(pointer::Ptr{nnp_teacher}) = nnp_teacher_free(pointer)
free(pointer::Ptr{nnp_predictor}) = nnp_predictor_free(pointer)
free(pointer::Ptr{nnp_study}) = nnp_study_free(pointer)
free(pointer::Ptr{nnp_multistart}) = nnp_multistart_free(pointer)
free(pointer::Ptr{nnp_exchange}) = nnp_exchange_free(pointer)
free(pointer::Ptr{nnp_twin}) = nnp_twin_free(pointer)

Base.unsafe_convert(::Type{Ptr{T}}, object::Handle) where {T} = address(object)::Ptr{T}

# ---- Networks -----------------------------------------------------------------------------------

"""
    Net(inputs)
    Net(channels, height, width)

A network, to be described from input to output:

    net = Net(50) |> Dense(10) |> ReLU() |> Dense(1) |> Gaussian()
    set!(net, :noise, 1e-3)
"""
mutable struct Net <: Handle
    handle::Ptr{nnp_net}
    head::Int32
    Net(inputs::Integer) = create!(new(C_NULL, 0), nnp_net_create, inputs)
    Net(channels::Integer, height::Integer, width::Integer) =
        create!(new(C_NULL, 0), nnp_net_create_image, channels, height, width)
    Net(net::Net) = create!(new(C_NULL, net.head), nnp_net_copy, net)
    Net(model::nnp_model) = create!(new(C_NULL, model.head), nnp_net_create_model, Ref(model))
end

"An independent copy of a network."
Base.copy(net::Net) = Net(net)

# What a network is piped through.
struct Layer
    add::Function
end
(layer::Layer)(net::Net) = (layer.add(net); net)

layer(f, arguments...; properties...) = Layer() do net
    foreach(name -> constant(:NOISE, name), keys(properties))  # refused before a layer is added
    call(f, net, arguments...)
    for (name, value) in properties
        set!(net, name, value; layer = ask(Int64, nnp_net_layers, net))
    end
end

pair(size::Integer) = (size, size)
pair(size) = (size[1], size[2])

"""
    Dense(units; noise, lambda_w, lambda_b, bias)

A dense layer; its properties have the library's defaults.
"""
Dense(units::Integer; properties...) = layer(nnp_net_dense, units; properties...)
"""
    Conv2D(filters, size; stride = 1, padding = 0, …)

A convolution; `size`, `stride` and `padding` (zeros on each side of the image) are one number or
(height, width).
"""
function Conv2D(filters::Integer, size; stride = 1, padding = 0, properties...)
    down, across = pair(padding)
    return layer(nnp_net_conv2d, filters, pair(size)..., pair(stride)...;
                 padding_y = down, padding_x = across, properties...)
end
"Means over windows of `size`, one number or (height, width)."
AvgPool(size; properties...) = layer(nnp_net_avgpool, pair(size)...; properties...)
"The largest pixel of each window of `size`, one number or (height, width); not for Gibbs."
MaxPool(size; properties...) = layer(nnp_net_maxpool, pair(size)...; properties...)
"Gives the last site the shape of an image."
Image(channels::Integer, height::Integer, width::Integer) =
    layer(nnp_net_image, channels, height, width)
"An elementwise activation by name, such as :relu."
Activation(kind; properties...) =
    layer(nnp_net_activation, constant(:IDENTITY, kind); properties...)
"x."
Identity(; properties...) = Activation(:identity; properties...)
"max(0, x)."
ReLU(; properties...) = Activation(:relu; properties...)
"x, or slope times x below 0."
LeakyReLU(slope = 0.01; properties...) = Activation(:leaky_relu; slope = slope, properties...)
"|x|."
Abs(; properties...) = Activation(:abs; properties...)
"The sign, +1 at 0; for Gibbs only."
Sign(; properties...) = Activation(:sign; properties...)
"x cut off at -1 and 1."
HardTanh(; properties...) = Activation(:hard_tanh; properties...)
"tanh(x); not for Gibbs."
Tanh(; properties...) = Activation(:tanh; properties...)
"log(1 + exp(x)); not for Gibbs."
Softplus(; properties...) = Activation(:softplus; properties...)
"x Phi(x), Phi the normal distribution function; not for Gibbs."
GELU(; properties...) = Activation(:gelu; properties...)

head(kind) = Layer() do net
    call(nnp_net_head, net, constant(:GAUSSIAN, kind))
    net.head = constant(:GAUSSIAN, kind)
end
# Numbers, not classes?
function has_targets(net::Net)
    labels = Ref{Int32}()
    call(nnp_head_info, net.head, C_NULL, labels, C_NULL)
    return labels[] == 0
end
"The last site is the target: regression."
Gaussian() = head(:gaussian)
"Regression with heavy tails: a t distribution with `freedom` degrees of freedom."
StudentT(freedom = 4.0) = Layer() do net
    head(:student_t)(net)
    set!(net, :freedom, freedom; layer = NNP_HEAD)
end
"""
Regression with noise that depends on the input: the last layer has two outputs for each target, first
the means, then the log standard deviations. Not for Gibbs.
"""
LocationScale() = head(:location_scale)
"The largest of several scores is the class 0, 1, …"
Argmax() = head(:argmax)
"The sign of one score is the class, -1 or +1."
SignHead() = head(:sign_head)

# net |> ReLU is net |> ReLU().
for kind in (:Identity, :ReLU, :LeakyReLU, :Abs, :Sign, :HardTanh, :Tanh, :Softplus, :GELU,
             :Gaussian, :StudentT, :LocationScale, :Argmax, :SignHead)
    @eval $kind(net::Net) = $kind()(net)
end

"""
    set!(net, property, value; layer = 0)

Sets :noise, :lambda_w, :lambda_b, :bias, :slope or :collapse of a layer, or of all that have it;
or :freedom of the head (`layer = NNPost.NNP_HEAD`). The layer is a number from 1 or the name of its
weights, "W2". Returns the network.
"""
function set!(net::Net, property, value; layer = NNP_ALL_LAYERS)
    call(nnp_net_set, net, layer_number(net, layer), constant(:NOISE, property), value)
    return net
end

"""
    learn!(net, property; layer = 0, shape = 0, mean = 0)

Learns :noise, :lambda_w, :lambda_b or :ard (one lambda_w for each input of a dense layer) of a layer,
or of all that have it, with a gamma hyperprior of this shape and mean on the precision (1/noise or
lambda); 0 and 0: the library's default, for standardized data. Call it after the head was added.
Learned scales are parameters: "D3", "lambda_w1[4]". Returns the network.
"""
function learn!(net::Net, property; layer = NNP_ALL_LAYERS, shape = 0, mean = 0)
    call(nnp_net_learn, net, layer_number(net, layer), constant(:NOISE, property), shape, mean)
    return net
end

"""
    learn_tied!(net; multiples = nothing, shape = 0, mean = 0)

Learns one noise D for all layers: layer k has D * multiples[k]. Returns the network.
"""
function learn_tied!(net::Net; multiples = nothing, shape = 0, mean = 0)
    values = multiples === nothing ? Float64[] : collect(Float64, multiples)
    if multiples !== nothing && length(values) != layers(net)
        throw(DimensionMismatch("multiples: $(length(values)), expected one for each of the " *
                                "$(layers(net)) layers"))
    end
    GC.@preserve values call(nnp_net_learn_tied, net,
                             multiples === nothing ? Ptr{Float64}(C_NULL) : pointer(values), shape,
                             mean)
    return net
end

"Undoes `learn!` and `learn_tied!`: the scale is fixed at the mean of its hyperprior. Returns the
network."
function fix!(net::Net, property; layer = NNP_ALL_LAYERS)
    call(nnp_net_fix, net, layer_number(net, layer), constant(:NOISE, property))
    return net
end

"""
    learned(net, property, layer)

(shape, mean, first, count) of a layer's scale: its hyperprior, and where its values are among the
parameters, from 1. `nothing` if it is fixed.
"""
function learned(net::Net, property, layer::Union{Integer, AbstractString})
    shape, mean, first, count = Ref(0.0), Ref(0.0), Ref{Int64}(0), Ref{Int64}(0)
    call(nnp_net_learned, net, layer_number(net, layer), constant(:NOISE, property), shape, mean,
         first, count)
    count[] == 0 && return nothing
    return (shape = shape[], mean = mean[], first = first[] + 1, count = count[])
end

Base.get(net::Net, property, layer::Union{Integer, AbstractString}) =
    ask(Float64, nnp_net_get, net, layer_number(net, layer), constant(:NOISE, property))

"The layer that holds the weights or biases of this name, such as \"W2\" or \"b2\"."
find_layer(net::Net, name::AbstractString) = ask(Int64, nnp_net_find_layer, net, String(name))
layer_number(net::Net, layer::Integer) = layer
layer_number(net::Net, name::AbstractString) = find_layer(net, name)
"""
    temperature(net)

Temperature of the classical posterior: for classes 1 unless the noise D of the last layer was set, 2D
if it was; for numbers always 1.
"""
temperature(net::Net) = ask(Float64, nnp_net_temperature, net)
"The number of parameters of a network; the current parameters of a chain or a teacher."
parameters(net::Net) = ask(Int64, nnp_net_parameters, net)
layers(net::Net) = ask(Int64, nnp_net_layers, net)
outputs(net::Net) = ask(Int64, nnp_net_outputs, net)
"Columns of targets and predictions: as many as outputs, unless the head says otherwise."
targets(net::Net) = ask(Int64, nnp_net_targets, net)
latents(net::Net) = ask(Int64, nnp_net_latents, net)

"Channels, height and width of a site; 0 is the input."
function Base.size(net::Net, site::Integer)
    shape = zeros(Int64, 3)
    call(nnp_net_shape, net, site, shape)
    return (shape...,)
end

# "W1[3,17]" or "b1[3]" of parameter i, from 1.
parameter_name(net::Net, i::Integer) = text(nnp_net_parameter_name, 128, net, i - 1)

Base.show(io::IO, ::MIME"text/plain", net::Net) =
    isopen(net) ? print(io, text(nnp_net_print, 128 * layers(net) + 512, net, 1)) : show(io, net)
Base.show(io::IO, net::Net) =
    isopen(net) ? print(io, "Net with ", parameters(net), " parameters") : print(io, "closed Net")

# ---- Data ---------------------------------------------------------------------------------------

include("ranks.jl")

"""
    Data(X; targets, labels, outputs = 0, store = :doubles)

Rows of inputs with targets or labels; `outputs` reserves memory for targets that are set later.
Matrices `X[row, feature]` of Float64 and their transposes are passed to the library as they are; it
copies them once. So are images, `X[width, height, channel, row]` or `X[width, height, row]`. `store` is
how inputs are stored: :doubles, :singles, :bytes, :sparse, or the best lossless store, :auto (for a
dense first layer) or :auto_images (for a convolution). With `rows` these are one rank's rows out of
more, see [`Rows`](@ref), and stored as doubles.
"""
mutable struct Data <: Handle
    handle::Ptr{nnp_data}
    rows::Int64
    outputs::Int64
    spread::Union{Nothing,Rows}
    function Data(X; targets = nothing, labels = nothing, outputs = 0, store = :doubles,
                  rows = nothing)
        spread = rows
        x, order = matrix(X)
        rows, features = extent(x, order)
        y, y_order = targets === nothing ? (nothing, Int32(0)) : matrix(targets)
        y_rows, columns = y === nothing ? (rows, outputs) : extent(y, y_order)
        rows == y_rows ||
            refuse(:NNP_E_SHAPE, "targets: they have $y_rows rows, X has $rows")
        data = new(C_NULL, rows, columns, spread)
        spread === nothing || create_rows!(data, spread, x, order, features, columns)
        spread === nothing && GC.@preserve x begin
            inputs = nnp_inputs(pointer(x), rows, features, order,
                                constant(:STORE_AUTO, store, "NNP_STORE_"), UNUSED)
            finite_in("X", x, order) do
                create!(data, nnp_data_create_from, Ref(inputs), columns)
            end
        end
        y === nothing || finite_in("targets", y, y_order) do
            call(nnp_data_set_targets, data, y, y_order)
        end
        labels === nothing || set_labels!(data, labels)
        return data
    end
end

function create_rows!(data::Data, rows::Rows, x, order, features, columns)
    data.rows == rows.struct_.count ||
        refuse(:NNP_E_SHAPE, "X: it has $(data.rows) rows, expected $(rows.struct_.count) as in rows")
    create!(data, nnp_data_create_rows, Ref(rows.struct_), comm_or_null(rows.comm), features, columns)
    finite_in("X", x, order) do
        call(nnp_data_set_inputs, data, x, order)
    end
end

# The library counts rows and columns from 0, Julia from 1.
function finite_in(f, name, array, order)
    try
        f()
    catch refused
        at = findfirst(!isfinite, array)
        (refused isa NNPostError && refused.status == NNP_E_NOT_FINITE && at !== nothing) ||
            rethrow()
        row, column = order == NNP_COLUMN_MAJOR ? Tuple(at) : reverse(Tuple(at))
        refuse(:NNP_E_NOT_FINITE,
               "$name: row $row, column $column is $(array[at]), expected a finite number")
    end
end

Base.show(io::IO, data::Data) =
    print(io, isopen(data) ? "Data of $(data.rows) rows" : "closed Data")

function set_labels!(data::Data, labels)
    length(labels) == data.rows ||
        refuse(:NNP_E_SHAPE, "labels: there are $(length(labels)), X has $(data.rows) rows")
    fine(label) = label isa Real && isinteger(label) && typemin(Int32) <= label <= typemax(Int32)
    odd = findfirst(!fine, vec(labels))
    odd === nothing || refuse(:NNP_E_LABEL, "labels: row $odd is $(repr(vec(labels)[odd])), " *
        "expected whole numbers: classes 0, 1, …, or -1 and +1")
    call(nnp_data_set_labels, data, convert(Vector{Int32}, vec(labels)))
end

"The labels of data as they were set, by a teacher or by you."
function labels(data::Data)
    out = Vector{Int32}(undef, data.rows)
    call(nnp_data_labels, data, out)
    return out
end

"[row, output]: the targets of data as they were set, by a teacher or by you."
function targets(data::Data)
    out = room(data.rows, data.outputs)
    call(nnp_data_targets, data, out, NNP_COLUMN_MAJOR)
    return out
end

"How data stores its inputs: :doubles, :singles, :bytes or :sparse."
store(data::Data) = constant_name(:STORE_AUTO, ask(Int32, nnp_data_store, data), "NNP_STORE_")

"""
    Pool(threads)

Threads for the rows of a chain, or for several chains.
"""
mutable struct Pool <: Handle
    handle::Ptr{nnp_pool}
    Pool(threads::Integer) = create!(new(C_NULL), nnp_pool_create, threads)
end


# ---- Chains -------------------------------------------------------------------------------------

"""
    Chain(net, data; sampler = :gibbs, posterior = :intermediate, options…)

A Markov chain: `start!` it, `run!` it, `sample!` from it.
"""
mutable struct Chain <: Handle
    handle::Ptr{nnp_chain}
    net::Net
    data::Data
    pool::Union{Nothing,Pool}
    comm::Union{Nothing,Comm}
    record::Matrix{Float64}
    function Chain(net::Net, data::Data; sampler = :gibbs, posterior = :intermediate, options...)
        chain = new(C_NULL, net, data, nothing, nothing, Matrix{Float64}(undef, 0, 0))
        create!(chain, nnp_chain_create, net, data, constant(:GIBBS, sampler),
                constant(:INTERMEDIATE, posterior))
        for (name, value) in options
            set!(chain, name, value)
        end
        return chain
    end
end

needs(chain::Chain) = (chain.data, (chain.pool === nothing ? () : (chain.pool,))...,
                       (chain.comm !== nothing && chain.comm.owner isa Handle ?
                        (chain.comm.owner,) : ())...)
Base.show(io::IO, chain::Chain) =
    print(io, isopen(chain) ? "Chain after $(steps(chain)) steps" : "closed Chain")

set!(chain::Chain, name, value) =
    (call(nnp_chain_set, chain, option(name), option_value(name, value)); chain)
"The value of an option of a chain, a study, a multistart or an exchange."
get_option(chain::Chain, name) = ask(Float64, nnp_chain_get, chain, option(name))

"Name, bounds and default of an option of a chain, or with `of = Study` of a study."
function option_info(name; of = Chain)
    f, number = of === Study ? (nnp_study_option_info, study_option(name)) :
                (nnp_option_info, option(name))
    title, low, high, initial = Ref{Ptr{UInt8}}(), Ref{Float64}(), Ref{Float64}(), Ref{Float64}()
    call(f, number, title, low, high, initial)
    return (name = unsafe_string(title[]), low = low[], high = high[], default = initial[])
end

"Lets the pool's threads work on the rows from now on; nothing: the calling thread alone."
function use_pool!(chain::Chain, pool::Union{Nothing,Pool})
    before, chain.pool = chain.pool, nothing
    try
        call(nnp_chain_use_pool, chain, pool === nothing ? C_NULL : pool)
    catch
        chain.pool = before
        rethrow()
    end
    chain.pool = pool
    return chain
end

"""
    use_comm!(chain, comm)

From now on, calls whose first chain this is are made by all ranks together, with the chains distributed
between them; nothing: by this process alone.
"""
function use_comm!(chain::Chain, comm::Union{Nothing,Comm})
    call(nnp_chain_use_comm, chain, comm === nothing ? C_NULL : Ref(comm.struct_))
    chain.comm = comm
    return chain
end

"""
    start!(chain, kind = :prior; seed = 1, number = 0)

Starts from :zero, from the :prior, from :small noise, or from weights that fit the data: :fit.
"""
function start!(chain::Chain, kind = :prior; seed = 1, number = 0)
    call(nnp_chain_start, chain, constant(:START_ZERO, kind, "NNP_START_"), seed, number)
    return chain
end

"Starts from given parameters; sites are computed through the layers with noise or without."
function start_weights!(chain::Chain, weights; noisy = false, seed = 1, number = 0)
    values = doubles(weights, parameters(chain.net), "weights")
    call(nnp_chain_start_weights, chain, values, noisy, seed, number)
    return chain
end

sites_of(chain::Chain, sites) = doubles(sites, latents(chain.net) * chain.data.rows, "sites")

"From parameters and all latent sites."
function start_state!(chain::Chain, weights, sites; seed = 1, number = 0)
    values = doubles(weights, parameters(chain.net), "weights")
    call(nnp_chain_start_state, chain, values, sites_of(chain, sites), seed, number)
    return chain
end

"""
    descend!(chain, steps = 0; callback)

Maximizes the log density of the weights by L-BFGS, from any start, with up to `steps` steps (0: the
default); then the chain is at step 0. Returns `descent(chain)`.
"""
function descend!(chain::Chain, count::Integer = 0; callback = nothing)
    finish(watched([chain]; every_step = callback) do f, user
        call(nnp_chain_descend, chain, count, f, user)
    end)
    return descent(chain)
end

"""
The result of the last descent of a chain: log density before and after, largest slope, steps,
evaluations, and why it ended (:none if there was none).
"""
function descent(chain::Chain)
    made = ask(nnp_descent, nnp_chain_descent, chain)
    ended = constant_name(:DESCENT_NONE, made.ended, "NNP_DESCENT_")
    return (before = made.before, after = made.after, slope = made.slope, steps = made.steps,
            evaluations = made.evaluations, ended = ended)
end

"Anneals after a start: the noise falls from `noise` to its own value over the first `steps` steps."
anneal!(chain::Chain, noise, steps) = (call(nnp_chain_anneal, chain, noise, steps); chain)

"""
    run!(chain, steps; callback)

Makes steps and returns their number. `callback(progress)` is called after every step (step, steps,
seconds) and stops the run by returning `true`; Ctrl-C throws InterruptException after the step.
"""
function run!(chain::Chain, count::Integer; callback = nothing)
    before = steps(chain)
    finish(watched([chain]; every_step = callback) do f, user
        call(nnp_chain_run, chain, count, f, user)
    end)
    return steps(chain) - before
end

"""
    sample!(chain, draws; thin = 1, callback)

[parameter, draw]: the parameters after every `thin` steps. A run that is stopped returns the draws made
so far.
"""
function sample!(chain::Chain, draws::Integer; thin = 1, callback = nothing)
    out = room(parameters(chain.net), draws)
    watch = finish(watched([chain]; every_step = callback) do f, user
        call(nnp_chain_sample, chain, out, draws, thin, f, user)
    end)
    return watch.stopped ? out[:, 1:ask(Int64, nnp_chain_draws, chain)] : out
end

"Steps a chain has made."
steps(chain::Chain) = ask(Int64, nnp_chain_steps, chain)

function parameters(chain::Chain)
    out = Vector{Float64}(undef, parameters(chain.net))
    call(nnp_chain_parameters, chain, out)
    return out
end

"[feature, row] of site k, from 1."
function site(chain::Chain, k::Integer)
    out = Matrix{Float64}(undef, prod(size(chain.net, k)), chain.data.rows)
    call(nnp_chain_site, chain, k, out)
    return out
end

"The gradient statistic of a layer with weights: about zero once a chain samples the posterior."
gradient_statistic(chain::Chain, layer = 1) =
    ask(Float64, nnp_chain_gradient_statistic, chain, layer)

"Rows of probit scores drawn so far: (exactly, by scanning)."
function probit_draws(chain::Chain)
    exact, scanned = Ref{Int64}(), Ref{Int64}()
    call(nnp_chain_probit_draws, chain, exact, scanned)
    return exact[], scanned[]
end

"""
    moves(chain)

Counts of a Gibbs chain's moves since its start, by kind: how many were tried, how many changed the
state, and evaluations of the density.
"""
function moves(chain::Chain)
    kinds = GROUPS[:NNP_MOVE_PLAIN][1:NNP_MOVE_KINDS]
    counts = map(kinds) do kind
        found = ask(nnp_move_count, nnp_chain_moves, chain, getfield(@__MODULE__, kind))
        (tried = found.tried, moved = found.moved, evaluations = found.evaluations)
    end
    names = Tuple(Symbol(lowercase(string(kind)[length("NNP_MOVE_")+1:end])) for kind in kinds)
    return NamedTuple{names}(counts)
end

"The log density of the posterior at a chain's state, up to the evidence."
log_density(chain::Chain) = ask(Float64, nnp_chain_log_density, chain)

"Terms of the log density by layer: log_noise, log_prior, residuals."
function terms(chain::Chain)
    out = ntuple(_ -> zeros(layers(chain.net)), 3)
    call(nnp_chain_terms, chain, out...)
    return (log_noise = out[1], log_prior = out[2], residuals = out[3])
end

"A statistic of a gradient sampler's last step: :acceptance, :energy, :depth, …"
statistic(chain::Chain, name) =
    ask(Float64, nnp_chain_statistic, chain, constant(:STEP_LOG_DENSITY, name, "NNP_STEP_"))

"Records all statistics of the next `capacity` steps of a gradient sampler."
function record!(chain::Chain, capacity::Integer)
    values = zeros(Int(NNP_STEP_STATISTICS), capacity)
    call(nnp_chain_record, chain, values, capacity)
    chain.record = values  # the library writes there as long as the chain lives
    return chain
end

"What was recorded: [statistic, step], a view."
recorded(chain::Chain) =
    view(chain.record, :, 1:ask(Int64, nnp_chain_recorded, chain))

"The diagonal of the inverse mass matrix of a gradient sampler."
function scales(chain::Chain)
    out = Vector{Float64}(undef, ask(Int64, nnp_chain_variables, chain))
    call(nnp_chain_scales, chain, out)
    return out
end

"Sets the diagonal of the inverse mass matrix, used from the next start on."
function scales!(chain::Chain, variances)
    values = doubles(variances, ask(Int64, nnp_chain_variables, chain), "variances")
    call(nnp_chain_set_scales, chain, values)
    return chain
end

"Saves everything, random streams included, as bytes."
function save(chain::Chain)
    buffer = Vector{UInt8}(undef, ask(Csize_t, nnp_chain_save_bytes, chain))
    call(nnp_chain_save, chain, buffer, length(buffer))
    return buffer
end

"Continues bit for bit where `save` was called, in a chain of the same network and data."
function restore!(chain::Chain, saved::Vector{UInt8})
    call(nnp_chain_restore, chain, saved, length(saved))
    return chain
end

# An array of blocks of bytes for the library; they must be preserved.
saves_of(blocks) = [nnp_saved(pointer(block), length(block)) for block in blocks]

"Rows over ranks: continues from the saves of all ranks, whatever their number."
function restore!(chain::Chain, saved::Vector{Vector{UInt8}})
    GC.@preserve saved call(nnp_chain_restore_rows, chain, saves_of(saved), length(saved))
    return chain
end

"Draws of this chain, [parameter, draw], in a block for `merge_draws`."
function save_draws(chain::Chain, draws::AbstractMatrix)
    values = Matrix{Float64}(draws)
    size(values, 1) == parameters(chain.net) ||
        refuse(:NNP_E_SHAPE, "draws: they have $(size(values, 1)) parameters, the chain has " *
                             "$(parameters(chain.net))")
    count = size(values, 2)
    buffer = Vector{UInt8}(undef, ask(Csize_t, nnp_draws_save_bytes, chain, count))
    call(nnp_draws_save, chain, values, count, buffer, length(buffer))
    return buffer
end

# [output, row] -> [row, output], without a copy.
by_row(out) = PermutedDimsArray(out, (2, 1))

"[row, output] without noise, from a chain's current parameters."
function predict(chain::Chain, X)
    data = X isa Data ? X : Data(X)
    out = Matrix{Float64}(undef, targets(chain.net), data.rows)
    call(nnp_chain_predict, chain, data, out)
    return by_row(out)
end

# ---- Teachers and predictions -------------------------------------------------------------------

"""
    Teacher(net; posterior = :intermediate, seed = 1, number = 0)

A network with parameters from the prior, which labels data.
"""
mutable struct Teacher <: Handle
    handle::Ptr{nnp_teacher}
    net::Net
    classical::Bool
    function Teacher(net::Net; posterior = :intermediate, seed = 1, number = 0)
        which = constant(:INTERMEDIATE, posterior)
        return create!(new(C_NULL, net, which == NNP_CLASSICAL), nnp_teacher_create, net, which,
                       seed, number)
    end
end

function parameters(teacher::Teacher)
    out = Vector{Float64}(undef, parameters(teacher.net))
    call(nnp_teacher_parameters, teacher, out)
    return out
end

"Replaces the parameters of a teacher."
function parameters!(teacher::Teacher, values)
    call(nnp_teacher_set_parameters, teacher, doubles(values, parameters(teacher.net), "values"))
    return teacher
end

"""
    label!(teacher, data; noise = 1)

Sets targets or labels, with the noise of that number (0: without), and returns the latent sites
that made them. `data` must have memory for targets: `Data(X; outputs = 1)`.
"""
function label!(teacher::Teacher, data::Data; noise = 1)
    sites = Vector{Float64}(undef, teacher.classical ? 0 : latents(teacher.net) * data.rows)
    call(nnp_teacher_label, teacher, data, noise, isempty(sites) ? C_NULL : sites)
    return sites
end

"The informed start: an exact draw, if `sites` are those that made the labels."
function start_teacher!(chain::Chain, teacher::Teacher, sites = nothing; seed = 1, number = 0)
    values = sites === nothing || isempty(sites) ? C_NULL : sites_of(chain, sites)
    call(nnp_chain_start_teacher, chain, teacher, values, seed, number)
    return chain
end

"""
    Predictor(net, max_draws; levels, noise = :fitted, passes = 0, seed = 1,
              posterior = :intermediate, weights = nothing, units = nothing, pool = nothing)

Predictions from draws of the parameters of that posterior: with all noise of the :fitted model,
hidden layers' included, or of the :forward pass, without noise. `passes` of each draw have fresh
noise; 0: as many as needed. `weights` are those of draws; `units` are (mean, sd) of targets that were
standardized, the units of results. Rows are distributed over the threads of a `pool`; results are the
same.

`predict`, `score` and `log_lik` end with Ctrl-C, which throws an `InterruptException`, or when their
`callback`, called several times a second with `step` of `steps` parts of the work, returns `true`.
"""
mutable struct Predictor <: Handle
    handle::Ptr{nnp_predictor}
    net::Net
    levels::Int
    pool::Union{Nothing,Pool}
    helpers::Vector{UInt8}
    function Predictor(net::Net, max_draws::Integer; levels = [0.05, 0.5, 0.95], noise = :fitted,
                       passes = 0, seed = 1, posterior = :intermediate, weights = nothing,
                       units = nothing, pool = nothing)
        made = new(C_NULL, net, length(levels), nothing, UInt8[])
        create!(made, nnp_predictor_create, net, max_draws)
        call(nnp_predictor_posterior, made, constant(:INTERMEDIATE, posterior))
        call(nnp_predictor_noise, made, constant(:FORWARD, noise), seed)
        call(nnp_predictor_passes, made, passes)
        call(nnp_predictor_levels, made, convert(Vector{Float64}, levels), length(levels))
        weights === nothing ||
            call(nnp_predictor_weights, made, convert(Vector{Float64}, weights), length(weights))
        units === nothing ||
            call(nnp_predictor_units, made,
                 (doubles(part, targets(net), "units") for part in units)...)
        use_pool!(made, pool)
        return made
    end
end
needs(predictor::Predictor) = predictor.pool === nothing ? () : (predictor.pool,)

"Distributes the predictor's rows over the pool's threads from now on; `nothing`: none."
function use_pool!(predictor::Predictor, pool::Union{Nothing,Pool})
    bytes = pool === nothing ? 0 : Int(ask(Csize_t, nnp_predictor_pool_bytes, predictor, pool))
    memory = Vector{UInt8}(undef, pool === nothing ? 0 : bytes + 64)
    at = pool === nothing ? C_NULL : pointer(memory) + mod(-Int(UInt(pointer(memory)) % 64), 64)
    GC.@preserve memory call(nnp_predictor_use_pool, predictor,
                             pool === nothing ? C_NULL : pool, at, bytes)
    predictor.pool, predictor.helpers = pool, memory
    return predictor
end

# f(…) of the predictor, that Ctrl-C and the callback can stop.
function watched_call(f, predictor::Predictor, callback, arguments...)
    watch = watched((predictor,); seldom = callback) do call_back, user
        call(nnp_predictor_watch, predictor, call_back, user)
        try
            call(f, predictor, arguments...)
        finally
            call(nnp_predictor_watch, predictor, C_NULL, C_NULL)
        end
    end
    finish(watch)
    watch.stopped && refuse(:NNP_STOPPED, "callback: it asked to stop")
    return nothing
end

function check_draws(predictor::Predictor, draws)
    size(draws, 1) == parameters(predictor.net) || refuse(:NNP_E_SHAPE,
        "draws: they have $(size(draws, 1)) rows, expected $(parameters(predictor.net))")
    return convert(Matrix{Float64}, draws)
end

"""
    predict(predictor, X, draws, kind = :mean; callback = nothing)

[row, output] for :mean and :sd, [row, class] for :probabilities and :votes, [row, output, level]
for :quantiles, [row, output, draw] for :draws.
"""
function predict(predictor::Predictor, X, draws::AbstractMatrix, kind = :mean; callback = nothing)
    data = X isa Data ? X : Data(X)
    what, values = constant(:PREDICT_MEAN, kind, "NNP_PREDICT_"), check_draws(predictor, draws)
    count = targets(predictor.net)
    if what == NNP_PREDICT_QUANTILES
        out = room(predictor.levels, count, data.rows)
        watched_call(nnp_predict, predictor, callback, data, values, size(values, 2), what, out)
        return PermutedDimsArray(out, (3, 2, 1))
    elseif what == NNP_PREDICT_DRAWS
        out = room(count, data.rows, size(values, 2))
        watched_call(nnp_predict, predictor, callback, data, values, size(values, 2), what, out)
        return PermutedDimsArray(out, (2, 1, 3))
    end
    out = room(count, data.rows)
    watched_call(nnp_predict, predictor, callback, data, values, size(values, 2), what, out)
    return by_row(out)
end

"""
    score(predictor, data, draws, :mse)

Score of the mean prediction: :mse, :accuracy or :log. For the current state of a chain: `score(chain,
data, :mse)`.
"""
function score(predictor::Predictor, data::Data, draws::AbstractMatrix, which; callback = nothing)
    values, value = check_draws(predictor, draws), Ref{Float64}()
    watched_call(nnp_score, predictor, callback, data, values, size(values, 2),
                 constant(:SCORE_MSE, which, "NNP_SCORE_"), value)
    return value[]
end

"""
    log_lik(predictor, data, draws)

[row, draw]: the log likelihood of every row's target or label under every draw.
"""
function log_lik(predictor::Predictor, data::Data, draws::AbstractMatrix; callback = nothing)
    values = check_draws(predictor, draws)
    out = room(data.rows, size(values, 2))
    watched_call(nnp_log_lik, predictor, callback, data, values, size(values, 2), out)
    return out
end
score(chain::Chain, data::Data, which) =
    ask(Float64, nnp_chain_score, chain, data, constant(:SCORE_MSE, which, "NNP_SCORE_"))
