# Ranks: processes, on one machine or many, that share the work on chains and all get all results.
# (Included before chains are defined.)

"""
How this rank communicates with the others: from `mpi()`, a [`Team`](@ref) or a [`Folder`](@ref). Pass
it to `sample`, `exchange` or `use_comm!`, with the same arguments on every rank. `rank`, counted from
0, and `size` are fields. With `checked = true` each rank repeats what the others did and compares every
bit: `checked(comm)`.
"""
struct Comm
    struct_::nnp_comm
    owner::Any
end

Base.getproperty(comm::Comm, name::Symbol) =
    name in (:rank, :size) ? Int(getfield(getfield(comm, :struct_), name)) : getfield(comm, name)
Base.propertynames(::Comm) = (:rank, :size)
Base.show(io::IO, comm::Comm) = print(io, "Comm: rank $(comm.rank) of $(comm.size)")

"""
    Rows(total, comm = nothing; blocks = 0, first, count)

The rows of this rank, for data that do not fit on one machine: `range(rows)` of `total`, counted from
1. Pass it to `sample` or `Data` with those rows; every rank does the same with its own. By default an
even share; `first` and `count` can set any other that consists of whole blocks. Draws depend on
`blocks` (0: up to 32; there must be one for every rank), not on the number of ranks or on how the rows
are divided.

    rows = Rows(10^9, comm; blocks = 1024)
    fit = sample(net, read_rows(range(rows))...; rows = rows)
"""
struct Rows
    struct_::nnp_rows
    comm::Union{Nothing,Comm}
    function Rows(total::Integer, comm::Union{Nothing,Comm} = nothing; blocks::Integer = 0,
                  first = nothing, count = nothing)
        out = Ref{nnp_rows}()
        call(nnp_rows_split, comm_or_null(comm), total, blocks, out)
        s = out[]
        return new(nnp_rows(s.total, first === nothing ? s.first : first - 1,
                            count === nothing ? s.count : count, s.blocks, s.reserved), comm)
    end
end
comm_or_null(comm) = comm === nothing ? C_NULL : Ref(comm.struct_)
Base.range(rows::Rows) = rows.struct_.first+1:rows.struct_.first+rows.struct_.count
Base.show(io::IO, rows::Rows) = print(io, "Rows $(range(rows)) of $(rows.struct_.total)")

"The same communicator in checked mode."
function checked(comm::Comm)
    s = comm.struct_
    return Comm(nnp_comm(s.rank, s.size, s.allgather, s.broadcast, s.exchange, s.abort, s.user, 1,
                         s.reserved_int, s.reserved), comm.owner)
end

function filled(f, arguments...; owner = nothing)
    comm = Ref{nnp_comm}()
    call(f, arguments..., comm)
    return Comm(comm[], owner)
end

"""
    Team(ranks)

Ranks that are threads of this process, each with its own networks and chains: `comm(team, rank)`.
"""
mutable struct Team <: Handle
    handle::Ptr{nnp_team}
    Team(ranks::Integer) = create!(new(C_NULL), nnp_team_create, ranks)
end
"""
    comm(team, rank)
    comm(folder)

The [`Comm`](@ref) of one rank of a [`Team`](@ref), counted from 0, or of a [`Folder`](@ref).
"""
comm(team::Team, rank::Integer) = filled(nnp_team_comm, team, rank; owner = team)

"""
    Folder(path, rank, size; patience = 600)

Ranks that share nothing but a folder, such as jobs of an array: `comm(folder)`. The folder must be new
for every job. A rank waits `patience` seconds for another before it gives up.
"""
mutable struct Folder <: Handle
    handle::Ptr{nnp_folder}
    Folder(path, rank::Integer, size::Integer; patience = 600) =
        create!(new(C_NULL), nnp_folder_create, String(path), rank, size, patience)
end
comm(folder::Folder) = filled(nnp_folder_comm, folder; owner = folder)

free(pointer::Ptr{nnp_team}) = nnp_team_free(pointer)
free(pointer::Ptr{nnp_folder}) = nnp_folder_free(pointer)

# Where libnnpost_mpi may be: $NNPOST_MPI_LIBRARY alone if set, else beside the library.
function companion()
    name = "libnnpost_mpi.so.$NNP_ABI_VERSION"
    tried = haskey(ENV, "NNPOST_MPI_LIBRARY") ? [ENV["NNPOST_MPI_LIBRARY"]] :
            [joinpath(dirname(realpath(LIBRARY_PATH[])), name), name]
    for path in tried
        found = Libdl.dlopen(path, Libdl.RTLD_LAZY | Libdl.RTLD_GLOBAL; throw_error = false)
        found === nothing || return found
    end
    return error("NNPost: no libnnpost_mpi, which is built where there is an MPI; set " *
                 "NNPOST_MPI_LIBRARY to its path. Tried: " * join(tried, ", "))
end

"""
    mpi(handle = nothing)

The ranks of an MPI job: all of them, or those of a communicator by its Fortran handle
(`MPI.API.MPI_Comm_c2f(comm)` of MPI.jl). `close!` frees it; all ranks must call it.
"""
function mpi(handle::Union{Nothing,Integer} = nothing)
    library = companion()
    world, given = Libdl.dlsym.(Ref(library), (:nnp_mpi_world, :nnp_mpi_comm))
    handle === nothing && return filled(owner = library) do comm, err
        ccall(world, Int32, (Ptr{nnp_comm}, Ptr{nnp_error}), comm, err)
    end
    return filled(owner = library) do comm, err
        ccall(given, Int32, (Ptr{nnp_comm}, Int32, Ptr{nnp_error}), comm, handle, err)
    end
end

function close!(comm::Comm)
    comm.owner isa Ptr || return nothing
    ccall(Libdl.dlsym(comm.owner, :nnp_mpi_free), Cvoid, (Ptr{nnp_comm},), Ref(comm.struct_))
    return nothing
end
