"""ranks.py [mpi|fail|missing]: chains and replicas over ranks from Python give the fit of a single process. Ranks
are threads here, processes that share a folder, or with `mpi` those of mpirun."""
import multiprocessing
import os
import sys
import tempfile
import threading

import numpy as np

import nnpost


def problem():
    x = np.cos(np.arange(600.0)).reshape(200, 3)
    net = nnpost.Net(3).dense(4).relu().dense(1).gaussian().set("noise", 0.1)
    return net, x, np.abs(x[:, 0]) - x[:, 1]


def sampled(comm):
    fit = nnpost.sample(*problem(), chains=3, draws=4, warmup=5, seed=3, threads=1, progress=False,
                        comm=comm)
    return fit.draws.tobytes() + b"".join(fit.save())


def exchanged(comm):
    fit = nnpost.exchange(*problem(), exchanges=2, replicas=3, draws=4, rounds=2, first_round=4,
                          seed=3, threads=1, progress=False, comm=comm)
    return fit.draws.tobytes()


def spread(comm, cut=None, saves=None):
    """Rows over ranks: this one has its own only; what all have, and a save of its rows."""
    net, x, y = problem()
    x, y = np.tile(x, (5, 1)) + np.arange(1000.0)[:, None] / 1000, np.tile(y, 5)
    rows = nnpost.Rows(1000, comm, blocks=8, **(cut or {}))
    mine = slice(rows.first, rows.first + rows.count)
    fit = nnpost.sample(net, x[mine], y[mine], chains=1, draws=4, warmup=5, seed=3, threads=1,
                        progress=False, rows=rows)
    if saves is not None:
        saves[comm.rank if comm else 0] = fit.chains[0].save()
    return fit.draws.tobytes()


def of_rows():
    team, found, saves = nnpost.Team(2), [None] * 2, [None] * 2
    expected = spread(None)

    def play(rank):
        cut = {"first": 0, "count": 384} if rank == 0 else {"first": 384, "count": 616}
        found[rank] = spread(team.comm(rank), cut, saves)
    threads = [threading.Thread(target=play, args=(rank,)) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    net, x, y = problem()
    x, y = np.tile(x, (5, 1)) + np.arange(1000.0)[:, None] / 1000, np.tile(y, 5)
    chain = nnpost.Chain(net, nnpost.Data(x, y, rows=nnpost.Rows(1000, blocks=8)))
    chain.restore(saves)
    return check(found == [expected] * 2 and chain.steps == 9, "rows")


def of_jobs():
    """Jobs that know nothing of each other, merged in another order."""
    net, x, y = problem()
    together = nnpost.sample(net, x, y, chains=3, draws=6, warmup=5, seed=3, threads=1,
                             progress=False)
    blocks = []
    for job in (2, 0, 1):
        fit = nnpost.sample(net, x, y, chains=1, draws=6, warmup=5, seed=3, number=job, threads=1,
                            progress=False)
        blocks += fit.save_draws()
    merged = nnpost.merge(net, x, y, blocks)
    good = (merged.draws.tobytes() == together.draws.tobytes()
            and merged.summary()["rhat"].tolist() == together.summary()["rhat"].tolist()
            and str(merged.convergence) == str(together.convergence)
            and np.array_equal(merged.predict(x), together.predict(x)))
    try:
        nnpost.merge(net, x, y, [blocks[0], blocks[0]])
        good = False
    except nnpost.Error as error:
        good = good and "have the same draws" in str(error)
    return check(good, "jobs")


def both(comm):
    return sampled(comm) + exchanged(comm)


def check(good, what):
    print(f"{what}: {'PASS' if good else 'FAIL'}")
    return 0 if good else 1


def of_team(expected):
    team, found = nnpost.Team(3), [None] * 3

    def play(rank):
        comm = team.comm(rank)
        comm.checked = rank >= 0
        found[rank] = both(comm)
    threads = [threading.Thread(target=play, args=(rank,)) for rank in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return check(found == [expected] * 3, "team")


def in_folder(path, rank, queue):
    queue.put(sampled(nnpost.Folder(path, rank, 2, patience=60).comm))


def of_folder(expected):
    """Processes that were started afresh, as jobs are."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as path:
        queue = context.Queue()
        ranks = [context.Process(target=in_folder, args=(os.path.join(path, "job"), rank, queue))
                 for rank in range(2)]
        for rank in ranks:
            rank.start()
        found = [queue.get(timeout=100) for _ in ranks]
        for rank in ranks:
            rank.join()
        try:
            nnpost.Folder(os.path.join(path, "job"), 0, 2)
            refused = False
        except nnpost.Error as error:
            refused = error.name == "NNP_E_COMM" and "new folder" in str(error)
    return check(found == [expected] * 2, "folder") + check(refused, "used folder")


def of_disagreement():
    """Other data on one rank: both are told so."""
    team, found = nnpost.Team(2), [None] * 2

    def play(rank):
        net, x, y = problem()
        try:
            nnpost.sample(net, x + 0.1 * rank, y, chains=2, draws=2, warmup=2, threads=1,
                          start="zero", progress=False, comm=team.comm(rank))
        except nnpost.Error as error:
            found[rank] = error.name, "rank 1 has other data" in str(error)
    threads = [threading.Thread(target=play, args=(rank,)) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return check(found == [("NNP_E_RANKS", True)] * 2, "disagreement")


def main():
    if sys.argv[1:] == ["missing"]:  # mpirun, and no companion of the library
        try:
            nnpost.mpi()
        except ImportError as error:
            return check("no libnnpost_mpi" in str(error) and "NNPOST_MPI_LIBRARY" in str(error), str(error))
        return check(False, "a library that is not there")
    if sys.argv[1:] == ["fail"]:  # one rank, while the other waits for it
        if nnpost.mpi().rank == 1:
            raise RuntimeError("what rank 1 could not do")
        return check(sampled(nnpost.mpi()), "a job without one of its ranks")
    expected = both(None)
    if sys.argv[1:] == ["mpi"]:
        found = sampled(nnpost.mpi()) + exchanged(nnpost.mpi())  # one after the other
        return check(found == expected, f"{nnpost.mpi()!r}")
    failed = of_team(expected) + of_folder(sampled(None)) + of_disagreement() + of_rows() + of_jobs()
    print(f"6 Tests {failed} Failures 0 Ignored")
    return failed


if __name__ == "__main__":
    sys.exit(main())
