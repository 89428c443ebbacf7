"""Replica exchange: chains from the prior to the posterior that swap, and the evidence."""
from __future__ import annotations

import ctypes as c
import math
import sys
import warnings
from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np

from . import _api as api
from ._fit import Fit, _data, _pool
from ._library import (ArgumentError, Handle, address, ask, call, constant, doubles, run_watched,
                       text)
from ._model import Chain, Data, Net, Pool, new_doubles
from ._ranks import Comm

Callback = Callable[[api.nnp_exchange_progress], Any]
_VERDICTS = {api.NNP_EXCHANGE_MIXES: "mixes", api.NNP_EXCHANGE_RUN_LONGER: "run longer",
             api.NNP_EXCHANGE_MORE_REPLICAS: "more replicas", api.NNP_EXCHANGE_SLOW: "slow"}


class Evidence(NamedTuple):
    """log p(y | X) and its standard error."""

    log_evidence: float
    error: float

    def __str__(self) -> str:
        return f"log evidence {self.log_evidence:.6g}, standard error {self.error:.2g}"


class Exchange(Handle):
    """Replica exchange of chains of one network, data, sampler and posterior, which need not be
    started. The last of them is the target: an ordinary chain of the posterior.

        chains = [Chain(net, data) for _ in range(40)]
        exchange = Exchange(chains).start("prior", seed=1).tune()
        draws = exchange.sample(1000, thin=5)
        print(exchange)                  # restarts, barrier, evidence, and a verdict
        exchange.plot()                  # the index process and the barrier, with matplotlib

    Options by name: replicas (0: chosen from the barrier), rounds, first_round, steps."""

    def __init__(self, chains: Sequence[Chain], **options: float):
        self.chains = list(chains)
        pointers = (c.c_void_p * len(self.chains))(*(chain.address for chain in self.chains))
        self._create("nnp_exchange_create", "nnp_exchange_free", pointers, len(self.chains))
        self._levels: Optional[np.ndarray] = None
        for name, value in options.items():
            self.set(name, value)

    def _needs(self) -> list[Handle]:
        return [*self.chains]

    def set(self, option: str | int, value: float) -> None:
        """Sets an option: "replicas", "rounds", "first_round" or "steps"."""
        call("nnp_exchange_set", self, constant("EXCHANGE_REPLICAS", option, "NNP_EXCHANGE_"),
             value)

    def get(self, option: str | int) -> float:
        """The value of an option."""
        return ask("nnp_exchange_get", c.c_double, self,
                   constant("EXCHANGE_REPLICAS", option, "NNP_EXCHANGE_"))

    @property
    def target(self) -> Chain:
        """The chain of the posterior."""
        return self.chains[-1]

    def start(self, kind: str | int = "prior", seed: int = 1) -> "Exchange":
        """Starts all replicas from draws of the "prior", or from the current state of the "target":
        start that chain first. Agreement of two exchanges from different starts is stronger
        evidence than one exchange."""
        call("nnp_exchange_start", self,
             constant("EXCHANGE_FROM_PRIOR", kind, "NNP_EXCHANGE_FROM_"), seed)
        return self

    def tune(self, callback: Optional[Callback] = None) -> "Exchange":
        """Finds the ladder: rounds of doubling length. Gradient samplers adapt during this time."""
        run_watched("nnp_exchange_tune", api.nnp_exchange_callback, self,
                    callback=callback).finish()
        return self

    def run(self, sweeps: int, callback: Optional[Callback] = None) -> "Exchange":
        """Makes sweeps; the callback stops it by returning a true value."""
        run_watched("nnp_exchange_run", api.nnp_exchange_callback, self, sweeps,
                    callback=callback).finish()
        return self

    def sample(self, draws: int, thin: int = 1,
               callback: Optional[Callback] = None) -> np.ndarray:
        """The target's parameters after every `thin` sweeps: [draw, parameter]."""
        out, guard, made = self._sample(draws, thin, callback)
        guard.finish()
        return out[:made]

    def _sample(self, draws: int, thin: int, callback: Optional[Callback]):
        out = new_doubles(draws=draws, parameters=self.target.net.parameters)
        before = self.summary().sweeps
        guard = run_watched("nnp_exchange_sample", api.nnp_exchange_callback, self, address(out),
                            draws, thin, callback=callback)
        made = (self.summary().sweeps - before) // thin if guard.stopped else draws
        return out, guard, made

    def record(self, sweeps: int) -> "Exchange":
        """Records the index process of the next `sweeps` sweeps, see `levels`. 0: stop
        recording."""
        self._levels = np.empty((sweeps, len(self.chains)), dtype=np.int32) if sweeps else None
        call("nnp_exchange_record", self, address(self._levels), sweeps)
        return self

    @property
    def levels(self) -> np.ndarray:
        """[sweep, replica]: the level, from 0, at which each replica was after each sweep that was
        recorded."""
        kept, replicas = ask("nnp_exchange_recorded", c.c_int64, self), self.summary().replicas
        if self._levels is None or kept == 0:
            return np.empty((0, replicas), dtype=np.int32)
        return self._levels.reshape(-1)[:kept * replicas].reshape(kept, replicas).copy()

    @property
    def ladder(self) -> dict[str, np.ndarray]:
        """By level: "power" of the likelihood, probability of "swaps" with the level above, and
        "barrier" from the prior up to there. Assign powers, from 0 to 1, to set your own ladder."""
        names = ("power", "swaps", "barrier")
        out: dict[str, list[float]] = {name: [] for name in names}
        for level in range(self.summary().replicas):
            rung = api.nnp_exchange_rung()
            call("nnp_exchange_level", self, level, c.byref(rung))
            for name in names:
                out[name].append(getattr(rung, name))
        return {name: np.array(values) for name, values in out.items()}

    @ladder.setter
    def ladder(self, powers: Any) -> None:
        values = doubles(powers)
        call("nnp_exchange_set_ladder", self, address(values), values.size)

    def summary(self) -> api.nnp_exchange_summary:
        """restarts, round_trips, barrier, wanted, least_swaps, log_evidence, … as in nnpost_study.h."""
        out = api.nnp_exchange_summary()
        call("nnp_exchange_report", self, c.byref(out))
        return out

    @property
    def verdict(self) -> str:
        """"mixes", "run longer", "more replicas" or "slow"."""
        return _VERDICTS[self.summary().verdict]

    @property
    def evidence(self) -> Evidence:
        """log p(y | X) since the tuning, with its standard error."""
        out = self.summary()
        return Evidence(out.log_evidence, out.evidence_error)

    def save(self) -> bytes:
        """Ladder, counts and all chains, random streams included."""
        buffer = c.create_string_buffer(ask("nnp_exchange_save_bytes", c.c_size_t, self))
        call("nnp_exchange_save", self, buffer, len(buffer))
        return buffer.raw

    def restore(self, saved: bytes) -> "Exchange":
        """Continues bit for bit where `save` was called."""
        call("nnp_exchange_restore", self, saved, len(saved))
        return self

    def plot(self, axes: Any = None, replicas: int = 6) -> Any:
        """The paths of some replicas through the levels (see `record`), and the barrier over the
        power of the likelihood. Returns the two matplotlib axes."""
        import matplotlib.pyplot as plt
        if axes is None:
            _, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
        _plot_index(axes[0], self.levels, replicas)
        _plot_barrier(axes[1], self.ladder)
        return axes

    def __str__(self) -> str:
        return text("nnp_exchange_text", 768, self).rstrip("\n")


def _plot_index(axes: Any, levels: np.ndarray, replicas: int) -> None:
    shown = np.unique(np.linspace(0, levels.shape[1] - 1, replicas).astype(int))
    axes.plot(levels, color="0.88", linewidth=0.4, zorder=1)
    for replica in shown:
        axes.plot(levels[:, replica], linewidth=1.1, zorder=2)
    axes.set(xlabel="sweep", ylabel="level", title="index process: from the prior (0) to the "
             "posterior")
    axes.margins(x=0)


def _plot_barrier(axes: Any, ladder: dict[str, np.ndarray]) -> None:
    axes.plot(ladder["power"][1:], ladder["barrier"][1:], "o-", markersize=3)
    axes.set(xscale="log", xlabel="power of the likelihood, β", ylabel="Λ(β)",
             title="communication barrier")
    axes.grid(alpha=0.3)


class ExchangeFit(Fit):
    """A Fit whose chains are the targets of exchanges, one each. `exchanges` contains them;
    `evidence` is the evidence from all of them together."""

    def __init__(self, net: Net, data: Data, exchanges: list[Exchange], pool: Optional[Pool],
                 thin: int, posterior_of: str | int):
        super().__init__(net, data, [one.target for one in exchanges], pool, thin, False,
                         posterior_of)
        self.exchanges = exchanges

    def _sample(self, draws: int, callback, progress) -> np.ndarray:
        out, made = [], draws
        for number, one in enumerate(self.exchanges, 1):
            title = f"exchange {number} of {len(self.exchanges)}"
            some, guard, kept = one._sample(draws, self.thin, _watch(title, callback, progress))
            made = min(made, kept)
            out.append(some)
            if guard.exception is not None or made == 0:
                guard.finish()
            if guard.signal:
                warnings.warn(f"interrupted: {made} of {draws} draws were made", stacklevel=4)
            if guard.stopped or guard.signal is not None:
                self.interrupted = True
        return np.stack(out)[:, :made]

    @property
    def evidence(self) -> Evidence:
        """The mean over exchanges; its error is at least as large as their disagreement
        suggests."""
        found = [one.evidence for one in self.exchanges]
        values = np.array([one.log_evidence for one in found])
        own = math.sqrt(sum(one.error ** 2 for one in found)) / len(found)
        between = values.std(ddof=1) / math.sqrt(len(found)) if len(found) > 1 else 0.0
        return Evidence(float(values.mean()), max(own, float(between)))

    def save(self) -> list[bytes]:
        """The state of every exchange, for Exchange.restore."""
        return [one.save() for one in self.exchanges]

    def plot(self, axes: Any = None, replicas: int = 6) -> Any:
        """Exchange.plot of the first exchange."""
        return self.exchanges[0].plot(axes, replicas)

    def close(self) -> None:
        for one in self.exchanges:
            chains = one.chains
            one.close()
            for chain in chains:
                chain.close()
        super().close()

    def __str__(self) -> str:
        return "\n".join([repr(self), *(str(one) for one in self.exchanges), str(self.evidence)])


def _watch(title: str, callback: Optional[Callback], progress: Optional[bool]):
    if not (progress or (progress is None and callback is None and sys.stderr.isatty())):
        return callback

    def told(state: api.nnp_exchange_progress) -> Any:
        if state.done % max(1, state.sweeps // 200) == 0 or state.done == state.sweeps:
            what = f"round {state.round}" if state.round else f"{state.restarts} restarts"
            end = "\n" if state.done == state.sweeps else ""
            sys.stderr.write(f"\r{title}: {100 * state.done // state.sweeps:3d} % {what:<16}{end}")
            sys.stderr.flush()
        return callback(state) if callback else 0
    return told


MOST_REPLICAS = 256


def _replicas_for(net: Net, data: Data, seed: int, most: int, pool: Optional[Pool],
                  make: Callable[[], Chain]) -> int:
    """The number of replicas, 2 Lambda + 1, found by short tunings with more and more chains until
    they suffice."""
    count = min(16, most)
    while True:
        with Exchange([make() for _ in range(count)], rounds=4) as pilot:
            if pool:
                pilot.chains[0].use_pool(pool)
            wanted = pilot.start("prior", seed).tune().summary().wanted
        if wanted <= count or count == most:
            return min(wanted + wanted // 10, most)
        count = min(2 * count, most)


def exchange(net: Net, x: Any, y: Any, *, sampler: str = "gibbs", posterior: str = "intermediate",
             exchanges: int = 2, draws: int = 1000, thin: int = 1, replicas: Optional[int] = None,
             start: str = "fit", seed: int = 1, threads: Optional[int] = None,
             record: Optional[int] = None, progress: Optional[bool] = None,
             callback: Optional[Callback] = None, rounds: int = 6, first_round: int = 20,
             steps: int = 1, comm: Optional[Comm] = None, **options: float) -> ExchangeFit:
    """Replica exchange in one call: draws of the posterior, and log p(y | X) as `fit.evidence`.

    exchanges  independent ones, whose draws are the chains of the fit. The first starts from the
               prior, the others from `start` ("fit", "prior", "zero", "small"), so that agreement
               (fit.convergence) means something
    replicas   chains of each; None: as many as the barrier between prior and posterior needs
    draws      of each exchange, one every `thin` sweeps
    rounds, first_round   of tuning: as many rounds of doubling length; steps: of a chain per sweep
    record     sweeps whose index process is kept for plots; None: all
    callback   called after every sweep; a true value stops and keeps the draws; so does Ctrl-C
    comm       ranks that share the replicas, see Comm; all of them get the same fit
    options    of the sampler, as for sample()"""
    data, most = _data(net, x, y), replicas or MOST_REPLICAS
    if exchanges < 1 or draws < 1:
        raise ArgumentError(api.NNP_E_SIZE, "NNP_E_SIZE",
                            f"exchanges = {exchanges}, draws = {draws}: expected 1 or more")
    pool = _pool(threads, most)

    def make() -> Chain:
        chain = Chain(net, data, sampler, posterior, **options)
        chain.use_comm(comm)
        return chain
    if comm and comm.rank > 0:
        progress = False
    count = replicas or _replicas_for(net, data, seed, most, pool, make)
    made = []
    for number in range(exchanges):
        chains = [make() for _ in range(count)]
        if pool:
            chains[0].use_pool(pool)
        one = Exchange(chains, rounds=rounds, first_round=first_round, steps=steps)
        if number > 0 and start != "prior":
            one.target.start(start, seed + number, 0)
            one.start("target", seed + number)
        else:
            one.start("prior", seed + number)
        title = f"tuning {number + 1} of {exchanges}"
        one.tune(_watch(title, callback, progress))
        one.record(draws * thin if record is None else record)
        made.append(one)
    fit = ExchangeFit(net.copy(), data, made, pool, thin, posterior)
    return fit.resume(draws, callback=callback, progress=progress)
