"""sample(): from a network and data to draws, predictions and a summary in one call."""
from __future__ import annotations

import ctypes as c
import math
import os
import re
import sys
import time
import warnings
from typing import Any, Callable, Optional, Sequence

import numpy as np

from . import _api as api
from ._diagnostics import Convergence, Loo, convergence, loo, stack_chains, statistic
from ._library import ArgumentError, Error, address, build_info, call, constant, run
from ._keep import Kept, Moments, advice, weighted_quantiles
from ._model import Chain, Data, Net, Pool, Predictor, new_doubles, saves_of
from ._ranks import Comm, Rows

_SUMMARY = (("mean", "mean", 0.5), ("sd", "sd", 0.5), ("q5", "quantile", 0.05),
            ("median", "quantile", 0.5), ("q95", "quantile", 0.95), ("rhat", "rhat", 0.5),
            ("ess_bulk", "ess_bulk", 0.5), ("ess_tail", "ess_tail", 0.5),
            ("mcse_mean", "mcse_mean", 0.5))
_STEPS_OF_STARTS = 3000  # a descent makes up to as many
# ArviZ has its own names for statistics of steps.
_ARVIZ = {"log_density": "lp", "acceptance": "acceptance_rate", "depth": "tree_depth",
          "leapfrogs": "n_steps", "divergent": "diverging"}


class Summary(dict):
    """Columns by name: "parameter", "mean", "sd", quantiles, "rhat", "ess_bulk", …"""

    verdict: str = ""  # on predictions, log likelihood and scales

    def __str__(self) -> str:
        names = self["parameter"]
        shown = range(len(names)) if len(names) <= 40 else range(20)
        width = max([len(name) for name in names] + [9])
        columns = [name for name in self if name != "parameter"]
        lines = [" " * width + "".join(f"{column:>11}" for column in columns)]
        lines += [f"{names[i]:<{width}}" + "".join(f"{self[k][i]:>11.4g}" for k in columns)
                  for i in shown]
        if len(shown) < len(names):
            lines.append(f"… and {len(names) - len(shown)} more")
        if self.verdict:
            lines.append(self.verdict)
        return "\n".join(lines)


class Fit:
    """Draws from a posterior, with predictions, scores and diagnostics.

    net         a copy of the network, which the fit keeps for itself
    draws       [chain, draw, parameter], as the library wrote them
    posterior   the same as a dictionary of views, {"W1": [chain, draw, unit, input], "b1": …}
    sample_stats  [chain, draw] by name, of gradient samplers; both are what ArviZ's from_dict takes
    interrupted   whether it was stopped early
    weights     of chains in predictions and scores, or None: equal weights; see `stack`
    threads     of predictions, scores and likelihoods; None: as many as processors
    units       (mean, sd) of the targets, if they were standardized: predictions, scores and
                likelihoods are then in the original units
    kept        what sample(keep=…) requested, by name: "scales" and "functions" [chain, draw,
                value], "log_lik" and "log_lik_at" [chain, draw, row], "mean" and "predictions"
                [chain, draw, row, target], "probabilities" [chain, draw, row, class]. Such a fit has
                no parameters: it predicts at the rows that were given, and has no summary of weights

    A fit can be pickled: draws, predictions and summaries are kept; chains and data are not."""

    _closed = False

    def __init__(self, net: Net, data: Data, chains: list[Chain], pool: Optional[Pool], thin: int,
                 gradient: bool, posterior_of: str | int):
        self.net, self.data, self.chains, self.thin = net, data, chains, thin
        self._pool, self._gradient, self._posterior_of = pool, gradient, posterior_of
        self.interrupted = False
        self.threads: Optional[int] = None
        self.weights: Optional[np.ndarray] = None
        self.units: Optional[tuple[np.ndarray, np.ndarray]] = None
        self._judged: Optional[tuple[tuple[int, ...], Convergence]] = None
        self._kept: Optional[Kept] = None
        self.draws = np.empty((len(chains), 0, net.parameters))
        self._records: list[np.ndarray] = []

    def resume(self, draws: int, *, callback=None, progress: Optional[bool] = None) -> "Fit":
        """Continues the chains and appends `draws` draws of each. Estimators, pickled and closed fits
        keep no chains: fit again with more draws."""
        if self._closed or not self.chains:
            made = self.draws.shape[1]
            raise ValueError("resume: this fit keeps its draws but no chains, so it cannot continue; "
                             f"fit again with more draws, such as draws={made + draws}")
        bar = _Bar.wanted(progress, callback, len(self.chains), sampling=draws * self.thin)
        return self._resume(draws, callback, bar)

    def _resume(self, draws: int, callback, bar: Optional["_Bar"]) -> "Fit":
        try:
            new = self._sample(draws, callback, bar)
        finally:
            if bar:
                bar.close()
        self.draws = new if self.draws.shape[1] == 0 else np.concatenate((self.draws, new), axis=1)
        return self

    def _room(self, draws: int) -> tuple[str, tuple, Callable[[int], np.ndarray]]:
        """The function to call, its arguments, and the result for this number of draws."""
        if self._kept is None:
            out = new_doubles(chains=len(self.chains), draws=draws, parameters=self.net.parameters)
            return "nnp_chains_sample", (address(out), draws, self.thin), lambda made: out[:, :made]
        kept, rooms = self._kept, self._kept.store(self, draws)

        def taken(made: int) -> np.ndarray:
            kept.take(self, rooms, made)
            return np.empty((len(self.chains), made, 0)) if kept.file is None else kept.file.draws
        return "nnp_chains_keep", (kept.keeper, draws, self.thin), taken

    @property
    def kept(self) -> dict[str, np.ndarray]:
        """What was kept of the draws, by name."""
        values = {} if self._kept is None else self._kept.values
        return {name: value for name, value in values.items() if name != "moments"}

    @property
    def moments(self) -> Moments:
        """Mean, variance and R-hat of every parameter, of all draws that were made: with
        sample(keep=["moments"])."""
        if self._kept is None:
            raise ValueError("moments: they were not kept, expected sample(…, keep=['moments'])")
        found = self._kept.values.get("moments")  # of a fit that was pickled
        return self._kept.moments() if found is None else found

    @property
    def has_draws(self) -> bool:
        """Whether the parameters of all draws are available."""
        return self.draws.shape[2] == self.net.parameters

    def _sample(self, draws: int, callback, bar: Optional["_Bar"]) -> np.ndarray:
        function, arguments, taken = self._room(draws)
        for chain in self.chains if self._gradient else ():
            chain.record(draws * self.thin)
        before = [chain.steps + chain.annealing for chain in self.chains]
        guard = _run_all(function, self.chains, arguments, "sampling", callback, bar)
        made = draws
        if guard.stopped:
            made = min(max(0, chain.steps - start) // self.thin
                       for chain, start in zip(self.chains, before))
        if made == 0 or guard.exception is not None:
            guard.finish()
        if guard.signal:
            warnings.warn(f"interrupted: {made} of {draws} draws were made", stacklevel=4)
        self.interrupted = guard.stopped or guard.signal is not None
        if self._gradient:
            rows = slice(self.thin - 1, made * self.thin, self.thin)
            self._records.append(np.stack([chain._record[rows] for chain in self.chains]))
        return taken(made)

    @property
    def posterior(self) -> dict[str, np.ndarray]:
        """Views of the draws by name: {"W1": [chain, draw, unit, input], "b1": …, "D": …}; if
        parameters were not kept, only scales, if they were."""
        out: dict[str, np.ndarray] = {}
        if not self.has_draws:
            return self._scales() if "scales" in self.kept else out
        for k in range(1, self.net.layers + 1):
            first, weights, biases = self.net.layer(k)
            for start, count in ((first, weights), (first + weights, biases)):
                if count == 0:
                    continue
                # The name of the last one tells the shape: "W1[10,50]".
                name, shape = re.fullmatch(r"(\w+)\[(.*)\]",
                                           self.net.parameter_name(start + count - 1)).groups()
                axes = [int(size) for size in shape.split(",")]
                part = self.draws[:, :, start:start + count]
                out[name] = part.reshape(*self.draws.shape[:2], *axes)
        return {**out, **self._scales()}

    def _scales(self) -> dict[str, np.ndarray]:
        """Learned scales: {"D": [chain, draw], "lambda_w1": [chain, draw, input]}."""
        out, start, count = {}, 0, self.net.parameters
        for k in range(1, self.net.layers + 1):
            first, weights, biases = self.net.layer(k)
            start = max(start, first + weights + biases)
        columns: dict[str, list[int]] = {}
        values = self.draws[:, :, start:] if self.has_draws else self.kept["scales"]
        for i in range(start, count):
            columns.setdefault(self.net.parameter_name(i).split("[")[0], []).append(i)
        for name, where in columns.items():
            part = values[:, :, where[0] - start:where[-1] + 1 - start]
            single = "[" not in self.net.parameter_name(where[0])
            out[name] = part[:, :, 0] if single else part
        return out

    @property
    def sample_stats(self) -> dict[str, np.ndarray]:
        """Statistics of gradient samplers by ArviZ's names, [chain, draw]; empty for Gibbs."""
        if not self._records:
            return {}
        values = np.concatenate(self._records, axis=1)
        names = api.GROUPS["NNP_STEP_LOG_DENSITY"][:api.NNP_STEP_STATISTICS]
        out = {}
        for i, name in enumerate(names):
            if name != "NNP_STEP_DIVERGENCES":
                short = name[len("NNP_STEP_"):].lower()
                out[_ARVIZ.get(short, "step_size" if short == "size" else short)] = values[:, :, i]
        out["diverging"] = out["diverging"] != 0
        return out

    def to_dict(self, log_likelihood: bool = False,
                posterior_predictive: bool = False) -> dict[str, dict[str, np.ndarray]]:
        """For ArviZ: arviz.from_dict(**fit.to_dict()); if requested, with the pointwise log
        likelihood of the training rows for arviz.loo and arviz.waic, and with new targets at these
        rows for arviz.plot_ppc."""
        out, stats = {"posterior": self.posterior}, self.sample_stats
        if stats:
            out["sample_stats"] = stats
        if log_likelihood:
            out["log_likelihood"] = {"y": self.log_lik()}
        if posterior_predictive:
            y = self.predict(self._rows(), "draws")
            out["posterior_predictive"] = {"y": y.reshape(*self.draws.shape[:2], *y.shape[1:])}
        return out

    def predict(self, x: Any, kind: str = "mean", *, noise: str = "fitted",
                levels: Sequence[float] = (0.05, 0.5, 0.95), seed: int = 1) -> np.ndarray:
        """Predictions at new rows, from all draws: [row, output] for "mean" and "sd", [row, output,
        level] for "quantiles", [row, class] for "probabilities" and "votes", [draw, row, output]
        for "draws". They are for new targets, with all noise of the fitted model, or with
        noise="forward" for the outputs of the forward pass, whose intervals are too short to cover
        targets."""
        if not self.has_draws:
            return self._predict_kept(x, kind, levels)
        data = x if isinstance(x, Data) else Data(x)
        draws = self._all_draws()
        with self._predictor(len(draws), noise, seed) as predictor:
            predictor.levels(levels)
            self._weigh(predictor)
            return predictor.predict(data, draws, kind)

    def _at_kept_rows(self, x: Any) -> None:
        """Without parameters only predictions that were kept are available."""
        rows = self._kept.x if self._kept is not None else None
        same = x is None or (not isinstance(x, Data) and rows is not None
                             and np.array_equal(np.asarray(x, dtype=float),
                                                np.asarray(rows, dtype=float)))
        if not same:
            raise ValueError("x: this fit keeps no parameters, expected None or the rows that were "
                             "given as at=… to sample(keep=…)")

    def _kept_values(self, name: str) -> np.ndarray:
        if name not in self.kept:
            raise ValueError(f"'{name}' was not kept, expected it in sample(keep=…); there is: "
                             + (", ".join(self.kept) or "nothing"))
        return self.kept[name].reshape(-1, *self.kept[name].shape[2:])

    def _draw_weights(self) -> np.ndarray:
        """Weights of all draws, which sum to 1."""
        chains, draws = self.draws.shape[:2]
        weights = np.full(chains, 1.0) if self.weights is None else np.asarray(self.weights)
        return np.repeat(weights / weights.sum() / draws, draws)

    def _predict_kept(self, x: Any, kind: str, levels: Sequence[float]) -> np.ndarray:
        self._at_kept_rows(x)
        weights = self._draw_weights()
        if kind in ("mean", "probabilities"):
            return np.einsum("s,s...->...", weights, self._kept_values(kind))
        values = self._kept_values("predictions")
        if kind == "draws":
            return values
        if kind == "sd":
            apart = values - np.einsum("s,s...->...", weights, values)
            rest = max(1 - (weights ** 2).sum(), 0) or 1
            return np.sqrt(np.einsum("s,s...->...", weights, apart ** 2) / rest)
        if kind == "quantiles":
            return np.moveaxis(weighted_quantiles(values, weights, levels), 0, -1)
        raise ValueError(f"kind = {kind!r}: it was not kept, expected 'mean', 'sd', 'quantiles', "
                         "'probabilities' or 'draws'")

    def _score_kept(self, x: Any, y: Any, score: str) -> float:
        """Score of the rows that were kept; `y` must be standardized if the targets of the fit
        were."""
        self._at_kept_rows(x)
        if score == "log":
            terms = np.log(self._draw_weights())[:, None] + self._kept_values("log_lik_at")
            return float(np.logaddexp.reduce(terms, axis=0).mean())
        if score == "mse":
            y = np.asarray(y, dtype=float).reshape(len(y), -1)
            if self.units is not None:
                y = self.units[0] + self.units[1] * y
            return float(((self._predict_kept(None, "mean", ()) - y) ** 2).mean())
        found = self._predict_kept(None, "probabilities", ())
        best = np.where(found[:, 0] > 0.5, 1, -1) if found.shape[1] == 1 else found.argmax(axis=1)
        return float((best == np.asarray(y)).mean())

    def score(self, x: Any, y: Any, score: Optional[str] = None, *, noise: str = "fitted",
              seed: int = 1) -> float:
        """ "mse", "accuracy" or "log" at new rows; by default what suits the head. For the fitted
        model, or with noise="forward" without the noise of hidden layers."""
        regression = self.net._has_targets
        if not self.has_draws:
            return self._score_kept(x, y, score or ("mse" if regression else "accuracy"))
        draws = self._all_draws()
        with self._predictor(len(draws), noise, seed) as predictor, \
                _data(self.net, x, y) as data:
            self._weigh(predictor)
            return predictor.score(data, draws, score or ("mse" if regression else "accuracy"))

    def log_lik(self, x: Any = None, y: Any = None, *, passes: int = 0,
                seed: int = 1) -> np.ndarray:
        """[chain, draw, row]: the log likelihood of every row, of training unless x and y are
        given, under every draw of the fitted model; for WAIC and PSIS-LOO, in ArviZ's format."""
        if (x is None) != (y is None):
            raise ValueError("x and y belong together: both or none")
        if not self.has_draws and x is None and "log_lik" in self.kept:
            return self.kept["log_lik"]
        data = self._rows() if x is None else _data(self.net, x, y)
        with self._predictor(1, "fitted", seed) as predictor:
            predictor.passes(passes)
            out = predictor.log_lik(data, self._all_draws())
        return out.reshape(*self.draws.shape[:2], data.rows)

    def loo(self) -> Loo:
        """Leave-one-out cross-validation of the training rows, with equal weights of chains."""
        return loo(self.log_lik())

    def stack(self) -> np.ndarray:
        """Finds weights of chains by stacking of leave-one-out densities, and uses them from now
        on."""
        self.weights = stack_chains(self.log_lik()).weights
        return self.weights

    def _weigh(self, predictor: Predictor) -> None:
        if self.weights is not None:
            predictor.weights(np.repeat(self.weights, self.draws.shape[1]))

    def __getstate__(self) -> dict[str, Any]:
        self._verdict()  # judged while there is data
        return {**self.__dict__, "chains": [], "data": None, "_pool": None}

    def _rows(self) -> Data:
        """The training data."""
        if self.data is None:
            raise ValueError("this fit was pickled, and its training data are not kept")
        if self._closed:
            raise ValueError("this fit was closed, and its training data are not kept: expected rows "
                             "x and y (an estimator has its leave-one-out result in loo_)")
        return self.data

    def _make_data(self, x: Any, y: Any) -> Data:
        return Data(x) if y is None else _data(self.net, x, y)

    def _predictor(self, draws: int, noise: str, seed: int) -> Predictor:
        predictor = Predictor(self.net, draws)
        pool = _pool(self.threads, 256)
        if pool:
            predictor.use_pool(pool)
        predictor.posterior(self._posterior_of)
        predictor.noise(noise, seed)
        if self.units is not None:
            predictor.units(*self.units)
        return predictor

    @property
    def _function_names(self) -> list[str]:
        if self.data is None:
            return [str(i) for i in range(self.kept["functions"].shape[2])]
        with self._predictor(1, "fitted", 1) as predictor:
            return predictor.function_names(self._rows(), 0)

    def functions(self, rows: int = 0) -> tuple[list[str], np.ndarray]:
        """Names and draws [chain, draw, function] of the functions used to judge convergence: the
        log likelihood, predictions at some training rows, learned scales. Weights are not among
        them, since hidden units may swap places."""
        if not self.has_draws and "functions" in self.kept:
            return self._function_names, self.kept["functions"]
        with self._predictor(1, "fitted", 1) as predictor:
            data = self._rows()
            names = predictor.function_names(data, rows)
            out = predictor.functions(data, self._all_draws(), rows)
        return names, out.reshape(*self.draws.shape[:2], len(names))

    @property
    def convergence(self) -> Convergence:
        """The verdict on the chains; print it."""
        if self._judged is None or self._judged[0] != self.draws.shape:
            names, values = self.functions()
            self._judged = self.draws.shape, convergence(values, names)
        return self._judged[1]

    def _verdict(self) -> str:
        if self.draws.shape[1] == 0:
            return "undecided: no draws"
        try:
            return str(self.convergence)
        except ValueError:  # the data is closed
            if not self.has_draws and "functions" not in self.kept:
                return "not judged: neither parameters nor \"functions\" were kept"
            return "convergence was not judged before the fit was closed"

    def summary(self) -> Summary:
        """Mean, sd, quantiles, R-hat, effective sample sizes of every parameter; print it. The
        last line is the verdict on what matters, see `convergence`. If parameters were not kept, a
        summary of the functions used to judge convergence."""
        names, values = self.net.parameter_names, self.draws
        if not self.has_draws:
            names, values = self.functions()
        out = Summary(parameter=names)
        out.verdict = self._verdict()
        for column, name, probability in _SUMMARY:
            out[column] = statistic(values, name, probability)
        return out

    def save(self) -> list[bytes]:
        """The state of every chain, for `sample(…, resume=…)` later."""
        return [chain.save() for chain in self.chains]

    def save_draws(self) -> list[bytes]:
        """The draws of every chain, each in a self-describing block, for `merge`."""
        self._all_draws()  # refuses where they were not kept
        return [chain.save_draws(values) for chain, values in zip(self.chains, self.draws)]

    def _all_draws(self) -> np.ndarray:
        if not self.has_draws:
            raise ValueError("draws: this fit keeps no parameters, expected sample() without keep=, "
                             "or with file=, for this")
        return self.draws.reshape(-1, self.net.parameters)

    def close(self) -> None:
        """Frees chains, data and threads now; draws, predictions and summaries stay."""
        self._closed = True
        for chain in self.chains:
            chain.close()
        if self.data is not None:
            self.data.close()
        if self._pool:
            self._pool.close()

    def __enter__(self) -> "Fit":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        chains, draws, parameters = self.draws.shape
        what = f"{parameters} parameters"
        if not self.has_draws and self._kept is not None:
            what = ", ".join(self._kept.names)
        return (f"<nnpost.Fit: {chains} chains, {draws} draws each of {what}"
                f"{self._tempered()}; {self._verdict()}>")

    def _tempered(self) -> str:
        """A note on a classical posterior other than the Bayes posterior."""
        classical = constant("INTERMEDIATE", self._posterior_of) == api.NNP_CLASSICAL
        temperature = self.net.temperature if classical else 1
        return "" if temperature == 1 else f", classical at temperature {temperature:g}"


def sample(net: Net, x: Any, y: Any, *, sampler: str = "gibbs", posterior: str = "intermediate",
           chains: int = 4, draws: int = 1000, warmup: int = 1000, thin: int = 1,
           start: str = "fit", seed: int = 1, threads: Optional[int] = None,
           progress: Optional[bool] = None, resume: Optional[Sequence[bytes]] = None,
           callback: Optional[Callable[[api.nnp_progress], Any]] = None,
           comm: Optional[Comm] = None, rows: Optional[Rows] = None, number: int = 0,
           keep: Optional[str | Sequence[str]] = None, at: Any = None, file: Any = None,
           units: Optional[tuple[Any, Any]] = None, **options: float) -> Fit:
    """Draws from the posterior of a network.

    x          rows x inputs; y: targets (rows or rows x outputs), or classes for the other heads
    sampler    "gibbs"; "hmc", "mala", "nuts", which adapt during the warm-up
    posterior  "intermediate", or for gradient samplers "classical" (of classes at temperature 1,
               unless the noise D of the last layer was set: it is 2D then)
    warmup     steps before the first draw; thin: steps per draw
    start      "fit": weights that fit the data; or "prior", "zero", "small"
    seed       the same seed gives the same draws, on any number of threads
    progress   a bar on the terminal, unless False
    resume     saved states (Fit.save()) to continue from, instead of start and warm-up
    callback   called after every step; a true value stops and keeps the draws; so does Ctrl-C
    comm       ranks that share the chains, see Comm; all of them get the same fit
    rows       x and y are this rank's part of more rows, see Rows
    number     of the first chain: jobs that do not communicate, and whose draws will be
               merged, use different ones (see Fit.save_draws and merge)
    keep       what to keep of every draw instead of all its parameters, as draws of wide networks
               are large: some of "scales", "functions" (for the verdict), "log_lik" (of training
               rows), "mean", "probabilities", "predictions" (new targets, for intervals) and
               "log_lik_at" at the rows `at`, and "moments" (means and variances of all
               parameters); see Fit.kept and Fit.moments
    at         rows, or (x, y), at which predictions are kept; by default the training rows
    file       a path: all parameters are written to a new file that is mapped into memory, and
               Fit.draws reads from it. DrawsFile opens it later, also after a run that was killed
    units      (mean, sd) of targets that were standardized, see Fit.units
    options    of the sampler: relax=-0.9, step_size=1e-3, … (nnpost.h has the list)"""
    data = _data(net, x, y, rows)
    for name, value, least in (("chains", chains, 1), ("draws", draws, 1), ("warmup", warmup, 0)):
        if value < least:
            raise ArgumentError(api.NNP_E_SIZE, "NNP_E_SIZE",
                                f"{name} = {value}: expected {least} or more")
    if resume is not None and len(resume) != chains:
        raise ValueError(f"resume: {len(resume)} saved states, expected {chains}")
    gradient = constant("GIBBS", sampler) != api.NNP_GIBBS
    if gradient:
        options = {"warmup": warmup, **options}
    made = [Chain(net, data, sampler, posterior, **options) for _ in range(chains)]
    pool = _pool(threads, chains)
    if pool:
        made[0].use_pool(pool)
    if comm:
        made[0].use_comm(comm)
    comm = rows.comm if rows else comm
    progress = False if comm and comm.rank > 0 else progress
    fit = Fit(net.copy(), data, made, pool, thin, gradient, posterior)
    fit.units = units
    if file is not None and comm and comm.size > 1:
        raise ValueError(f"file = {os.fspath(file)!r}: expected no file where ranks share the work, "
                         "each would write it")
    if keep is not None or file is not None:
        fit._kept = Kept(() if keep is None else keep, at, file)
    else:
        large = advice(net, chains, draws)
        if large:
            warnings.warn(large, ResourceWarning, stacklevel=2)
    for chain, saved in zip(made, resume or ()):
        chain.restore(saved)
    steps = dict(sampling=draws * thin)
    if resume is None:
        steps.update(start=_STEPS_OF_STARTS if start == "fit" else 0, warmup=warmup)
    bar = _Bar.wanted(progress, callback, chains, **steps)
    if resume is None and not _begin(made, start, seed, number, warmup, callback, bar):
        fit.interrupted = True
        return fit
    return fit._resume(draws, callback, bar)


def _begin(chains: list[Chain], start: str, seed: int, number: int, warmup: int, callback,
           bar: Optional["_Bar"]) -> bool:
    """Start and warm-up; False if a callback stopped them."""
    kind = constant("START_ZERO", start, "NNP_START_")
    calls = []
    if number == 0:
        calls.append(("nnp_chains_start", (kind, seed), "start"))
    else:
        for i, chain in enumerate(chains):
            chain.start(kind, seed, number + i)
    if warmup > 0:
        calls.append(("nnp_chains_run", (warmup,), "warm-up"))
    for name, arguments, title in calls:
        guard = _run_all(name, chains, arguments, title, callback, bar)
        if bar and (guard.stopped or guard.exception or guard.signal):
            bar.close()
        guard.finish()
        if guard.stopped:
            return False
    return True


def merge(net: Net, x: Any, y: Any, saves: Sequence[bytes], *, draws: Optional[int] = None,
          posterior: str = "intermediate") -> Fit:
    """Merges chains of separate jobs, saved by Fit.save_draws(), in any order. The fit has draws,
    predictions, a summary and a verdict for all chains, but cannot be resumed. draws: the number of
    last draws of each; by default as many as all of them have.

        fit = nnpost.sample(net, x, y, chains=1, number=job)        in every job
        pathlib.Path(f"{job}.draws").write_bytes(fit.save_draws()[0])

        blocks = [path.read_bytes() for path in folder.glob("*.draws")]
        print(nnpost.merge(net, x, y, blocks).summary())"""
    if len(saves) == 0:
        raise ValueError("saves: there are none, expected those of one job or more")
    told = [api.nnp_saved_draws() for _ in saves]
    for save, header in zip(saves, told):
        call("nnp_draws_saved", bytes(save), len(save), c.byref(header))
    if told[0].parameters != net.parameters:
        raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                            f"saves: they have {told[0].parameters} parameters, the network has "
                            f"{net.parameters}")
    each = min(header.draws for header in told) if draws is None else draws
    fit = Fit(net.copy(), _data(net, x, y), [], None, 1, False, posterior)
    fit.draws = new_doubles(chains=len(saves), draws=each, parameters=net.parameters)
    call("nnp_draws_merge", saves_of(saves), len(saves), address(fit.draws), each, None)
    return fit


def _data(net: Net, x: Any, y: Any, rows: Optional[Rows] = None) -> Data:
    if net._head is None:
        raise Error(api.NNP_E_NO_HEAD, "NNP_E_NO_HEAD", "net: it has no head, expected gaussian(), "
                    "student_t(), location_scale(), argmax() or sign_head() at its end")
    if net._has_targets:
        return Data(x, targets=y, rows=rows)
    return Data(x, labels=y, rows=rows)


def _pool(threads: Optional[int], chains: int) -> Optional[Pool]:
    if threads is None:
        able = build_info().get("threads", "").startswith("yes")
        threads = min(chains, len(os.sched_getaffinity(0))) if able else 1
    return Pool(threads) if threads != 1 else None


def _run_all(name: str, chains: list[Chain], arguments: tuple, title: str, callback,
             bar: Optional["_Bar"]):
    """Runs chains side by side and updates the progress bar of the whole fit, if there is one."""
    pointers = (c.c_void_p * len(chains))(*(chain.address for chain in chains))
    if bar:
        bar.begin(title)
    return run(name, pointers, len(chains), *arguments, using=chains, callback=callback,
               seldom=bar)


class _Bar:
    """A progress bar on stderr for all chains, over start, warm-up and sampling, with the time left
    at the measured speed."""

    PHASES = {"start": api.NNP_PHASE_START, "warm-up": api.NNP_PHASE_WARMUP,
              "sampling": api.NNP_PHASE_SAMPLING}

    def __init__(self, chains: int, **steps: int):
        self.outlook, self.began = api.nnp_outlook(), time.monotonic()
        for title, phase in self.PHASES.items():
            self.outlook.steps[phase - api.NNP_PHASE_START] = chains * steps.get(title.replace("-", ""), 0)
        self.chains = chains

    @classmethod
    def wanted(cls, progress: Optional[bool], callback, chains: int, **steps: int):
        """A progress bar, if there is a terminal."""
        shown = progress or (progress is None and callback is None and sys.stderr.isatty())
        return cls(chains, **steps) if shown else None

    def begin(self, title: str) -> None:
        """The next phase."""
        self.title, self.done = title, [0] * self.chains

    def __call__(self, progress: api.nnp_progress) -> int:
        self.done[progress.chain_index] = progress.step
        call("nnp_outlook_tell", c.byref(self.outlook), self.PHASES[self.title], sum(self.done),
             time.monotonic() - self.began)
        share, left = self.outlook.share, self.outlook.seconds_left
        ahead = "" if math.isnan(left) else f", {_duration(left)} left"
        sys.stderr.write(f"\r{self.title:<9}[{'=' * int(30 * share):<30}] {100 * share:3.0f} %"
                         f"{ahead:<16}")
        sys.stderr.flush()
        return 0

    def close(self) -> None:
        """Erases it."""
        sys.stderr.write("\r" + " " * 64 + "\r")
        sys.stderr.flush()


def _duration(seconds: float) -> str:
    """ "12 s", "3 min 20 s" or "2 h 5 min" """
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
