# Finding the shared library, calling it, and turning its statuses into exceptions.

"""
An error of the library: its message, with `status` and `name` (such as "NNP_E_SHAPE").
"""
struct NNPostError <: Exception
    status::Int32
    name::String
    message::String
end

Base.showerror(io::IO, error::NNPostError) = print(io, error.name, ": ", error.message)

refuse(name::Symbol, message) =
    throw(NNPostError(getfield(@__MODULE__, name), string(name), message))

function c_string(bytes)
    letters = collect(UInt8, bytes)
    stop = findfirst(==(0x00), letters)
    return String(letters[1:(stop === nothing ? length(letters) : stop - 1)])
end

# Calls a function of the library with an error struct after the arguments.
function call(f, arguments...)
    err = Ref{nnp_error}()
    status = f(arguments..., err)
    status == NNP_OK && return status
    status == NNP_STOPPED && return status
    throw(NNPostError(status, unsafe_string(nnp_status_name(status)), c_string(err[].message)))
end

# Calls a function whose last argument is a number that it writes.
function ask(::Type{T}, f, arguments...) where {T}
    value = Ref{T}()
    call(f, arguments..., value)
    return value[]
end

# Calls a function that writes text into a buffer.
function text(f, size, arguments...)
    buffer = zeros(UInt8, size)
    call(f, arguments..., buffer, size)
    return c_string(buffer)
end

# What the constants of a group stand for.
const FAMILIES = Dict(:GAUSSIAN => "head", :IDENTITY => "activation", :INTERMEDIATE => "posterior",
                      :GIBBS => "sampler", :START_ZERO => "start", :NOISE => "property",
                      :OPTION_SCHEDULE => "option", :PREDICT_MEAN => "kind", :SCORE_MSE => "score",
                      :STAT_RHAT => "statistic", :STORE_AUTO => "store", :FORWARD => "noise")

# The number behind :relu in the enum that begins with NNP_`group`; numbers pass.
constant(group::Symbol, value::Integer, prefix = "NNP_") = Int32(value)
function constant(group::Symbol, value::Union{Symbol,AbstractString}, prefix = "NNP_")
    name, names = Symbol(prefix, uppercase(string(value))), GROUPS[Symbol("NNP_", group)]
    if !(name in names)
        known = [lowercase(string(n)[length(prefix)+1:end]) for n in names
                 if startswith(string(n), prefix)]
        refuse(:NNP_E_ENUM, get(FAMILIES, group, "name") *
                            ": '$value' is not known, expected one of: " * join(known, ", "))
    end
    return getfield(@__MODULE__, name)::Int32
end

option(name) = constant(:OPTION_SCHEDULE, name, "NNP_OPTION_")

# The number of an option's value; :parallel of the option :schedule and the like have names.
const VALUES = Dict(:schedule => (:SEQUENTIAL, "NNP_"), :blas => (:BLAS_AUTOMATIC, "NNP_BLAS_"),
                    :moves => (:MOVES_PLAIN, "NNP_MOVES_"),
                    :sampling => (:SAMPLING_LOG, "NNP_SAMPLING_"), :function => (:SCORE_MSE, "NNP_SCORE_"))
option_value(name, value) = value
function option_value(name::Union{Symbol,AbstractString}, value::Union{Symbol,AbstractString})
    group, prefix = VALUES[Symbol(name)]
    return constant(group, value, prefix)
end

"""
    build_info()

Version, compiler, SIMD levels, threads and BLAS core of the library, as a dictionary.
"""
function build_info()
    lines = split(text(nnp_build_info, 4096), '\n'; keepempty = false)
    return Dict(String(k) => String(v) for (k, v) in split.(lines, ": "; limit = 2))
end

# ---- Arrays -------------------------------------------------------------------------------------

# rows x features in place, and its order; copied only if necessary.
matrix(x::Matrix{Float64}) = x, NNP_COLUMN_MAJOR
matrix(x::Vector{Float64}) = reshape(x, :, 1), NNP_COLUMN_MAJOR
matrix(x::AbstractVector) = matrix(float_array(Vector{Float64}, x))
# Images, the last axis their number: the transpose of a matrix.
matrix(x::Array{Float64}) = reshape(x, :, size(x, ndims(x))), NNP_ROW_MAJOR
matrix(x::AbstractArray) = matrix(float_array(Array{Float64,ndims(x)}, x))
function matrix(x::AbstractMatrix)
    below = parent(x)  # the transpose of a matrix is one in the other order
    if below isa Matrix{Float64} && below !== x && size(below) == reverse(size(x)) &&
       strides_swapped(x)
        return below, NNP_ROW_MAJOR
    end
    return float_array(Matrix{Float64}, x), NNP_COLUMN_MAJOR
end
function float_array(T, x)
    any(ismissing, x) &&
        refuse(:NNP_E_NOT_FINITE, "an entry is missing, expected a finite number everywhere")
    return convert(T, x)
end
# Rows and features of what matrix() returned.
extent(array, order) = order == NNP_COLUMN_MAJOR ? size(array) : reverse(size(array))
strides_swapped(x) = applicable(strides, x) && strides(x) == (stride(parent(x), 2), 1)

function doubles(values, size, name)
    array = convert(Vector{Float64}, vec(values))
    length(array) == size ||
        refuse(:NNP_E_SHAPE, "$name: it has $(length(array)) values, expected $size")
    return array
end

# Memory for results; sizes that are too large are refused.
function room(sizes::Integer...)
    total = foldl(Base.checked_mul, Int64.(sizes); init = Int64(8))
    total >= 0 || refuse(:NNP_E_SIZE, "$(join(sizes, " x ")): expected sizes that are not negative")
    return Array{Float64}(undef, Int64.(sizes))
end

# ---- Calls that take long -----------------------------------------------------------------------

# What is passed through the library with a run. An exception cannot pass, so it is stored, the run is
# asked to stop, and it is thrown afterwards.
mutable struct Watch
    callback::Any  # of (step, steps, seconds, chain); true stops
    exception::Any
    stopped::Bool
end
Watch(callback) = Watch(callback, nothing, false)

function look(watch::Watch, told)
    watch.exception === nothing || return Int32(1)
    try
        Base.reenable_sigint(() -> nothing)  # Ctrl-C waits for this moment
        return Int32(watch.callback !== nothing && watch.callback(told) === true)
    catch exception
        watch.exception = exception
        return Int32(1)
    end
end

function on_step(progress::Ptr{nnp_progress}, user::Ptr{Cvoid})
    p = unsafe_load(progress)
    told = (step = p.step, steps = p.steps, seconds = p.seconds, chain = Int(p.chain_index) + 1)
    return look(unsafe_pointer_to_objref(user)::Watch, told)
end

function on_study(::Ptr{nnp_study}, state::Ptr{nnp_study_progress}, user::Ptr{Cvoid})
    return look(unsafe_pointer_to_objref(user)::Watch, unsafe_load(state))
end

function on_multistart(state::Ptr{nnp_multistart_progress}, user::Ptr{Cvoid})
    return look(unsafe_pointer_to_objref(user)::Watch, unsafe_load(state))
end

function on_exchange(state::Ptr{nnp_exchange_progress}, user::Ptr{Cvoid})
    return look(unsafe_pointer_to_objref(user)::Watch, unsafe_load(state))
end

const ON_STEP = Ref(C_NULL)
const ON_EXCHANGE = Ref(C_NULL)
const ON_MULTISTART = Ref(C_NULL)
const ON_STUDY = Ref(C_NULL)
const SECONDS_BETWEEN_LOOKS = 0.05

# Objects in use by calls that have not returned: closing one of them from a callback is refused.
const USED = IdDict{Any,Int}()
const USED_LOCK = ReentrantLock()
count_user(object, more) = lock(USED_LOCK) do
    users = get(USED, object, 0) + more
    users == 0 ? delete!(USED, object) : (USED[object] = users)
end
function using_all(f, objects)
    everything = [one for object in objects for one in with_needs(object)]
    foreach(one -> count_user(one, 1), everything)
    try
        return f()
    finally
        foreach(one -> count_user(one, -1), everything)
    end
end

# f(callback, user) makes the call, which uses the objects given. `every_step` is called after every
# step, `seldom` several times a second.
function watched(f, objects; every_step = nothing, seldom = nothing)
    return using_all(() -> watched(f; every_step = every_step, seldom = seldom), objects)
end
function watched(f; every_step = nothing, seldom = nothing)
    watch = Watch(every_step === nothing ? seldom : every_step)
    GC.@preserve watch begin
        user = pointer_from_objref(watch)
        if every_step === nothing
            throttle = Ref(nnp_throttle(ON_STEP[], user, SECONDS_BETWEEN_LOOKS, 0))
            throttled = ADDRESSES[findfirst(==(:nnp_throttled), FUNCTIONS)]
            GC.@preserve throttle disable_sigint() do
                watch.stopped = f(throttled, Base.unsafe_convert(Ptr{nnp_throttle}, throttle)) ==
                    NNP_STOPPED
            end
        else
            disable_sigint(() -> watch.stopped = f(ON_STEP[], user) == NNP_STOPPED)
        end
    end
    return watch
end

# For calls that report the progress of a study, a multistart or an exchange to `told`.
function watched_state(f, object, told, callback)
    watch = Watch(callback)
    using_all([object]) do
        GC.@preserve watch disable_sigint() do
            watch.stopped = f(told[], pointer_from_objref(watch)) == NNP_STOPPED
        end
    end
    finish(watch)
    return object
end

finish(watch::Watch) = watch.exception === nothing ? watch : throw(watch.exception)

# ---- Loading ------------------------------------------------------------------------------------

function candidates()
    haskey(ENV, "NNPOST_LIBRARY") && return [ENV["NNPOST_LIBRARY"]]
    name = Sys.iswindows() ? "libnnpost-$NNP_ABI_VERSION.dll" :
        Sys.isapple() ? "libnnpost.$NNP_ABI_VERSION.dylib" : "libnnpost.so.$NNP_ABI_VERSION"
    built = filter(isfile, [joinpath(@__DIR__, "..", "deps", name)])  # by deps/build.jl
    # where `make install` puts it, known to the system or not yet
    folders = ["/usr/local/lib/$(Sys.ARCH)-linux-gnu", "/usr/local/lib64", "/usr/local/lib"]
    build = joinpath(@__DIR__, "..", "..", "..", "build", "capi", name)
    return [built; name; filter(isfile, joinpath.(folders, name)); build]
end

const LIBRARY_PATH = Ref("")

function load()
    tried = candidates()
    library = nothing
    for path in tried
        library = Libdl.dlopen(path; throw_error = false)
        library === nothing || break
    end
    library === nothing && error("NNPost: no shared library found; build it, or set " *
        "NNPOST_LIBRARY to its path. Tried: " * join(tried, ", "))
    for (i, name) in enumerate(FUNCTIONS)
        address = Libdl.dlsym(library, name; throw_error = false)
        address === nothing && error("NNPost: $(Libdl.dlpath(library)) has no $name, which " *
            "version $NNP_VERSION has")
        ADDRESSES[i] = address
    end
    LIBRARY_PATH[] = Libdl.dlpath(library)
    version, abi = unsafe_string(nnp_version()), nnp_abi_version()
    abi == NNP_ABI_VERSION || error("NNPost: $(Libdl.dlpath(library)), version $version, has " *
        "ABI $abi, expected $NNP_ABI_VERSION")
    ON_STEP[] = @cfunction(on_step, Int32, (Ptr{nnp_progress}, Ptr{Cvoid}))
    ON_STUDY[] = @cfunction(on_study, Int32, (Ptr{nnp_study}, Ptr{nnp_study_progress}, Ptr{Cvoid}))
    ON_EXCHANGE[] = @cfunction(on_exchange, Int32, (Ptr{nnp_exchange_progress}, Ptr{Cvoid}))
    ON_MULTISTART[] = @cfunction(on_multistart, Int32, (Ptr{nnp_multistart_progress}, Ptr{Cvoid}))
    return nothing
end
