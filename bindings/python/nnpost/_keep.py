"""Keeping less than all draws: functions of them, their moments, or a file that is mapped."""
from __future__ import annotations

import ctypes as c
import os
from typing import Any, Iterable, NamedTuple, Optional, Sequence

import numpy as np

from . import _api as api
from ._library import ArgumentError, Handle, address, ask, call, constant, text
from ._model import Data, Net, Predictor, new_doubles


class Quantity(NamedTuple):
    """What a `Keeper` should keep of every draw.

    what       "parameters", "scales", "functions", "mean", "probabilities", "predictions" or
               "log_lik"
    predictor  how to predict: its posterior, noise, passes and units; not for the first two
    data       the rows; not for the first two
    moments    means and variances over draws are kept too
    rows       of "functions", as in Predictor.functions"""

    what: str | int
    predictor: Optional[Predictor] = None
    data: Optional[Data] = None
    moments: bool = False
    rows: int = 0


class Moments(NamedTuple):
    """Mean, variance and, for several chains, R-hat of unsplit chains, over draws."""

    mean: np.ndarray
    variance: np.ndarray
    rhat: Optional[np.ndarray]


class Keeper(Handle):
    """Extracts quantities from every draw while chains run; `sample` is simpler to use."""

    def __init__(self, net: Net, quantities: Sequence[Quantity], chains: int):
        self.net, self.chains, self._quantities = net, chains, list(quantities)
        kept = (api.nnp_kept * len(self._quantities))()
        for out, asked in zip(kept, self._quantities):
            out.what = constant("KEEP_PARAMETERS", asked.what, "NNP_KEEP_")
            out.moments, out.rows = int(asked.moments), asked.rows
            out.predictor = asked.predictor.address if asked.predictor else None
            out.data = asked.data.address if asked.data else None
        self._create("nnp_keeper_create", "nnp_keeper_free", net, kept, len(kept), chains)
        self._stored: dict[int, Any] = {}

    def _needs(self) -> Iterable[Handle]:
        return [q.data for q in self._quantities if q.data is not None]

    def width(self, index: int) -> int:
        """Number of values per draw of a quantity, counted from 0."""
        return ask("nnp_keeper_width", c.c_int64, self, index)

    def store(self, index: int, draws: int) -> np.ndarray:
        """Allocates memory for this many draws of each chain, [chain, draw, value], and stores
        values there from now on."""
        out = new_doubles(chains=self.chains, draws=draws, values=self.width(index))
        call("nnp_keeper_store", self, index, address(out), draws)
        self._stored[index] = out
        return out

    def file(self, index: int, file: "DrawsFile") -> None:
        """Writes values to a file from now on."""
        call("nnp_keeper_file", self, index, file)
        self._stored[index] = file

    def stored(self, index: int, chain: int) -> int:
        """Draws of a chain that are in place."""
        return ask("nnp_keeper_stored", c.c_int64, self, index, chain)

    def moments(self, index: int, chain: Optional[int] = None) -> Moments:
        """Moments of all draws so far, of one chain or of all."""
        mean, variance, rhat = (np.empty(self.width(index)) for _ in range(3))
        which = api.NNP_ALL_CHAINS if chain is None else chain
        call("nnp_keeper_moments", self, index, which, address(mean), address(variance),
             address(rhat) if chain is None else None)
        return Moments(mean, variance, rhat if chain is None else None)


class DrawsFile(Handle):
    """A file of draws, mapped into memory: the system writes them out, and reads them back as they
    are needed.

        file = nnpost.DrawsFile("draws.nnp", net)       of sample(…, file="draws.nnp")
        file.draws                                      [chain, draw, parameter], read only"""

    def __init__(self, path: Any, net: Optional[Net] = None):
        """Opens a file for reading and checks all of it; refused if it belongs to another
        network."""
        self._create("nnp_draws_file_open", "nnp_draws_file_free", os.fsencode(path), net)

    @classmethod
    def create(cls, path: Any, keeper: Keeper, index: int, draws: int) -> "DrawsFile":
        """Creates a file with room for this many draws of each chain, for Keeper.file."""
        file = cls.__new__(cls)
        file._create("nnp_draws_file_create", "nnp_draws_file_free", os.fsencode(path), keeper,
                     index, draws)
        return file

    @property
    def what(self) -> str:
        """What is kept in it: "parameters", …"""
        number = c.c_int32()
        call("nnp_draws_file_info", self, c.byref(number), None, None)
        return next(name[len("NNP_KEEP_"):].lower() for name in api.GROUPS["NNP_KEEP_PARAMETERS"]
                    if getattr(api, name) == number.value)

    def chain(self, chain: int) -> api.nnp_saved_draws:
        """Describes a chain: its draws, steps, number, fingerprints."""
        out = api.nnp_saved_draws()
        call("nnp_draws_file_chain", self, chain, c.byref(out))
        return out

    def save(self, chain: int) -> bytes:
        """A chain's draws as the block that `merge` takes."""
        size = ask("nnp_draws_file_save_bytes", c.c_size_t, self, chain)
        block = c.create_string_buffer(size)
        call("nnp_draws_file_save", self, chain, block, size)
        return block.raw

    @property
    def draws(self) -> np.ndarray:
        """[chain, draw, value]: a read-only view of the draws that all chains have. The file is
        closed when neither it nor any such array is in use."""
        view = api.nnp_draws()
        call("nnp_draws_file_view", self, c.byref(view))
        strides = [8 * stride for stride in (view.chain_stride, view.draw_stride,
                                             view.quantity_stride)]
        whole = 1 + sum((size - 1) * stride for size, stride in zip(
            (view.chains, view.draws, view.quantities), (s // 8 for s in strides)))
        room = (c.c_double * whole).from_address(c.cast(view.values, c.c_void_p).value)
        room._file = self  # lives as long as the arrays that use it
        flat = np.frombuffer(room, dtype=np.float64)
        out = np.lib.stride_tricks.as_strided(flat, (view.chains, view.draws, view.quantities),
                                              strides, writeable=False)
        return out

    def close(self) -> None:
        """Does nothing: the file is closed automatically once no array uses it."""
        raise ValueError("a DrawsFile is closed with the last array that looks into it: del them")


def advice(net: Net, chains: int, draws: int) -> str:
    """A sentence of advice if that many draws take more memory than a fit should use by default."""
    return text("nnp_draws_advice", 256, net, chains, draws)


# Names of what `sample` can keep: what the library calls it, and at which rows it is.
NAMES = {
    "scales": ("scales", None),
    "functions": ("functions", "training"),
    "log_lik": ("log_lik", "training"),
    "mean": ("mean", "at"),
    "probabilities": ("probabilities", "at"),
    "predictions": ("predictions", "at"),
    "log_lik_at": ("log_lik", "at"),
    "moments": ("parameters", None),
}


class Kept:
    """What a fit keeps of its draws: made by `sample`, for `Fit`."""

    def __init__(self, keep: Sequence[str], at: Any, file: Any):
        self.names = [keep] if isinstance(keep, str) else list(keep)
        for name in self.names:
            if name not in NAMES:
                raise ArgumentError(api.NNP_E_ENUM, "NNP_E_ENUM",
                                    f"keep: '{name}' is not known, expected some of: "
                                    + ", ".join(NAMES))
        self.path = None if file is None else os.fspath(file)
        self.x, self.y = at if isinstance(at, tuple) else (at, None)
        if "log_lik_at" in self.names and self.y is None:
            raise ValueError("keep: 'log_lik_at' needs targets, expected at=(x, y)")
        self.keeper: Optional[Keeper] = None
        self.file: Optional[DrawsFile] = None
        self.values: dict[str, np.ndarray] = {}
        self.rows: Optional[Data] = None

    def _rows(self, fit: Any) -> Data:
        if self.x is None:
            return fit._rows()
        if self.rows is None:
            self.rows = fit._make_data(self.x, self.y)
        return self.rows

    def _begin(self, fit: Any) -> None:
        quantities = [Quantity("parameters")] if self.path is not None else []
        for name in self.names:
            what, where = NAMES[name]
            if where is None:
                quantities.append(Quantity(what, moments=name == "moments"))
                continue
            predictor = fit._predictor(1, "fitted", 1)
            data = fit._rows() if where == "training" else self._rows(fit)
            quantities.append(Quantity(what, predictor, data))
        self.keeper = Keeper(fit.net, quantities, len(fit.chains))

    def store(self, fit: Any, draws: int) -> dict[str, np.ndarray]:
        """Allocates memory for this many draws."""
        if self.keeper is None:
            self._begin(fit)
        elif self.path is not None:
            raise ValueError(f"file = {self.path!r}: it has room for the first run only, expected "
                             "another fit with a file of its own")
        first = 0
        if self.path is not None:
            self.file = DrawsFile.create(self.path, self.keeper, 0, draws)
            self.keeper.file(0, self.file)
            first = 1
        return {name: self.keeper.store(first + i, draws)
                for i, name in enumerate(self.names) if name != "moments"}

    def take(self, fit: Any, rooms: dict[str, np.ndarray], made: int) -> None:
        """Appends what was made."""
        for name, room in rooms.items():
            shape = room.shape[0], made
            if NAMES[name][0] in ("mean", "predictions", "probabilities"):
                shape += (self._rows(fit).rows,)
            new = room[:, :made].reshape(*shape, -1)
            if NAMES[name][0] == "log_lik":
                new = room[:, :made]
            old = self.values.get(name)
            self.values[name] = new if old is None else np.concatenate((old, new), axis=1)

    def moments(self) -> Moments:
        """Moments of all parameters."""
        if "moments" not in self.names or self.keeper is None:
            raise ValueError("moments: they were not kept, expected sample(…, keep=['moments'])")
        return self.keeper.moments(self.names.index("moments") + (self.path is not None))

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "keeper": None, "file": None, "rows": None}
        if "moments" in self.names and self.keeper is not None:
            state["values"] = {**self.values, "moments": self.moments()}
        return state


def weighted_quantiles(values: np.ndarray, weights: np.ndarray,
                       levels: Sequence[float]) -> np.ndarray:
    """Quantiles of weighted values [draw, …], [level, …]: neighbours are separated by the mean of
    their weights, so that equal weights give R's type 7."""
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    share = weights[order]
    places = np.concatenate((np.zeros_like(share[:1]),
                             np.cumsum(share[:-1] + share[1:], axis=0)))
    flat, at = ordered.reshape(len(ordered), -1), places.reshape(len(places), -1)
    out = [[np.interp(level * at[-1, j], at[:, j], flat[:, j]) for j in range(flat.shape[1])]
           for level in levels]
    return np.array(out).reshape(len(levels), *values.shape[1:])
