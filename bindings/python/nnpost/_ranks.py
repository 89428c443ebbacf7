"""Ranks: processes, on one machine or many, that share the work on chains and all get all
results."""
from __future__ import annotations

import atexit
import ctypes as c
import os
import pathlib
import sys
from typing import Any, Optional

from . import _api as api
from ._library import Handle, call, lib, raise_error


class Comm:
    """How this rank communicates with the others: from `mpi()`, a `Team` or a `Folder`. Pass it to
    `sample`, `exchange` or `Chain.use_comm`, with the same arguments on every rank. With `checked =
    True` each rank repeats what the others did and compares every bit."""

    def __init__(self, struct: api.nnp_comm, owner: Any = None):
        self._struct, self._owner = struct, owner

    @property
    def rank(self) -> int:
        """This process: 0 … size-1."""
        return self._struct.rank

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return self._struct.size

    @property
    def checked(self) -> bool:
        """Whether each rank repeats the work of all others and compares it bit for bit."""
        return self._struct.checked == 1

    @checked.setter
    def checked(self, value: bool) -> None:
        self._struct.checked = int(bool(value))

    def __repr__(self) -> str:
        return f"<nnpost.Comm: rank {self.rank} of {self.size}>"


class Rows:
    """The rows of this rank, for data that do not fit on one machine: `count` of `total` from
    number `first` on. Pass it to `sample` or `Data` with those rows; every rank does the same with
    its own. The draws depend on `blocks` (0: up to 32; there must be one for every rank), not on
    the number of ranks or on how the rows are divided.

        rows = nnpost.Rows(10**9, comm, blocks=1024)
        fit = nnpost.sample(net, *read(rows.first, rows.count), rows=rows)"""

    def __init__(self, total: int, comm: Optional[Comm] = None, *, blocks: int = 0,
                 first: Optional[int] = None, count: Optional[int] = None):
        """An even share, or with `first` and `count` any other that consists of whole blocks."""
        self._struct, self.comm = api.nnp_rows(), comm
        call("nnp_rows_split", comm and c.byref(comm._struct), total, blocks, c.byref(self._struct))
        if first is not None:
            self._struct.first = first
        if count is not None:
            self._struct.count = count

    @property
    def total(self) -> int:
        """Rows of all ranks."""
        return self._struct.total

    @property
    def first(self) -> int:
        """The first row of this rank."""
        return self._struct.first

    @property
    def count(self) -> int:
        """How many there are from there on."""
        return self._struct.count

    def __repr__(self) -> str:
        return f"<nnpost.Rows: {self.count} of {self.total} from {self.first} on>"


class Team(Handle):
    """Ranks that are threads of this process, each with its own networks and chains."""

    def __init__(self, ranks: int):
        self._create("nnp_team_create", "nnp_team_free", ranks)

    def comm(self, rank: int) -> Comm:
        """The communicator of one of its ranks."""
        struct = api.nnp_comm()
        call("nnp_team_comm", self, rank, c.byref(struct))
        return Comm(struct, self)


class Folder(Handle):
    """Ranks that share nothing but a folder, such as jobs of an array. The folder must be new for
    every job. A rank waits `patience` seconds for another before it gives up."""

    def __init__(self, path: str | os.PathLike, rank: int, size: int, patience: float = 600):
        self._create("nnp_folder_create", "nnp_folder_free", os.fsencode(path), rank, size, patience)

    @property
    def comm(self) -> Comm:
        """The communicator of this rank."""
        struct = api.nnp_comm()
        call("nnp_folder_comm", self, c.byref(struct))
        return Comm(struct, self)


def mpi(comm: Any = None) -> Comm:
    """The ranks of an MPI job: all of them, or those of a communicator of mpi4py. Needs
    libnnpost_mpi, which is looked for next to the library unless $NNPOST_MPI_LIBRARY is set.

    From then on an exception that is not caught ends the job on all ranks, after its traceback:
    the others would wait for this one for ever. Communicators are freed when Python ends."""
    global _world
    if comm is None and _world is not None:
        return Comm(api.nnp_comm.from_buffer_copy(_world), _world)
    library, struct, error = _companion(), api.nnp_comm(), api.nnp_error()
    if comm is None:
        status = library.nnp_mpi_world(c.byref(struct), c.byref(error))
    else:
        status = library.nnp_mpi_comm(c.byref(struct), comm.py2f(), c.byref(error))
    if status != api.NNP_OK:
        raise_error(status, error)
    kept = api.nnp_comm.from_buffer_copy(struct)
    if comm is None:
        _world = kept
    atexit.register(library.nnp_mpi_free, c.byref(kept))
    if struct.size > 1:
        _end_job_on_exceptions(kept)
    return Comm(struct, kept)


_world: Optional[api.nnp_comm] = None  # one for all calls of mpi()
_ends_job = False


def _end_job_on_exceptions(comm: api.nnp_comm) -> None:
    global _ends_job
    if _ends_job:
        return
    _ends_job, before = True, sys.excepthook

    def end_job(kind, value, trace):
        before(kind, value, trace)
        sys.stderr.flush()
        comm.abort(f"rank {comm.rank}: {kind.__name__} was not caught".encode(), comm.user)

    sys.excepthook = end_job


def _companion() -> c.CDLL:
    given = os.environ.get("NNPOST_MPI_LIBRARY")
    name = f"libnnpost_mpi.so.{api.NNP_ABI_VERSION}"
    beside = pathlib.Path(lib._name).resolve().parent / name
    tried = []
    for path in [given] if given else [str(beside), name]:
        try:
            library = c.CDLL(path, mode=c.RTLD_GLOBAL)  # MPI's own plug-ins look for its symbols
            library.nnp_mpi_world.argtypes = [c.POINTER(api.nnp_comm), c.POINTER(api.nnp_error)]
            library.nnp_mpi_comm.argtypes = [c.POINTER(api.nnp_comm), c.c_int32,
                                             c.POINTER(api.nnp_error)]
            library.nnp_mpi_free.argtypes = [c.POINTER(api.nnp_comm)]
            library.nnp_mpi_free.restype = None
            return library
        except OSError as error:
            tried.append(f"{path}: {error}")
    raise ImportError("nnpost: no libnnpost_mpi, which is built where there is an MPI; set "
                      "NNPOST_MPI_LIBRARY to its path. Tried:\n  " + "\n  ".join(tried))
