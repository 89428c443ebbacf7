# Sourced: run RANKS PROGRAM ARGUMENTS... by $mpirun, Open MPI's or MPICH's, with more ranks than
# processors and as root. Open MPI would bind each of two ranks to one processor, with all its threads.
flags=()
if "$mpirun" --version | grep -q 'Open MPI\|OpenRTE'; then
    flags=(--oversubscribe --mca mpi_yield_when_idle 1 --mca btl_vader_single_copy_mechanism none
        --bind-to none)
    [ "$(id -u)" -ne 0 ] || flags+=(--allow-run-as-root)
fi
run() {
    "$mpirun" "${flags[@]}" -n "$1" "${@:2}"
}
