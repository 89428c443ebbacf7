"""Diagnostics on arrays: R-hat, effective sample sizes, thermalization, calibration."""
from __future__ import annotations

import ctypes as c
from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np

from . import _api as api
from ._library import (ArgumentError, Handle, address, array_of, ask, call, constant, constant_name,
                       doubles, lib, option_value, run_watched, text, workspace)
from ._model import Chain, Data, Net, Teacher


def _draws(values: Any) -> tuple[api.nnp_draws, np.ndarray]:
    """A view of draws: [chain, draw, quantity] or [chain, draw], in any memory order."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    if array.ndim != 3:
        raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                            f"draws: {array.ndim} axes, expected chain, draw, quantity")
    strides = [stride // array.itemsize for stride in array.strides]
    chains, draws, quantities = array.shape
    return api.nnp_draws(address(array), quantities, draws, chains, strides[2], strides[1],
                         strides[0]), array


def statistic(draws: Any, name: str | int, probability: float = 0.5) -> np.ndarray:
    """ "rhat", "ess_bulk", "mcse_mean", "quantile", … of draws [chain, draw, quantity]: a value for
    each quantity, defined as in R's package posterior."""
    where, _keep = _draws(draws)
    which = constant("STAT_RHAT", name, "NNP_STAT_")
    bytes_ = ask("nnp_statistic_bytes", c.c_size_t, c.byref(where))
    memory, out = workspace(bytes_), np.empty(where.quantities)
    call("nnp_statistic", c.byref(where), which, probability, address(out), address(memory),
         bytes_)
    return out


class Convergence(NamedTuple):
    """Whether chains converged, judged by the worst of several functions; prints as a sentence.

    verdict     "converged", "few_draws", "doubtful", "not_converged" or "undecided"
    rhat        the largest; ess_bulk, ess_tail: the smallest effective sample sizes
    ess_needed  100 for each chain; worst: the name of the function with the largest R-hat"""

    verdict: str
    rhat: float
    ess_bulk: float
    ess_tail: float
    ess_needed: float
    worst: Optional[str]
    text: str

    def __str__(self) -> str:
        return self.text


def convergence(draws: Any, names: Optional[Sequence[str]] = None) -> Convergence:
    """The verdict on draws [chain, draw, function] of functions that matter, such as predictions;
    `names` are those of the functions."""
    where, _keep = _draws(draws)
    bytes_ = ask("nnp_convergence_bytes", c.c_size_t, c.byref(where))
    memory, found = workspace(bytes_), api.nnp_convergence()
    call("nnp_convergence_of", c.byref(where), c.byref(found), address(memory), bytes_)
    name = constant_name("CONVERGENCE_UNDECIDED", found.verdict)
    worst = None if found.worst < 0 else (names or range(where.quantities))[found.worst]
    return Convergence(name.replace("convergence_", ""), found.rhat, found.ess_bulk,
                       found.ess_tail, found.ess_needed, None if worst is None else str(worst),
                       text("nnp_convergence_text", 160, c.byref(found)))


class Loo(NamedTuple):
    """Leave-one-out cross-validation; prints as a sentence.

    elpd, se      expected log predictive density, summed over rows, and its standard error
    p_loo, p_loo_se  effective number of parameters
    pointwise     elpd of every row; pareto_k: the shape of its importance weights' tail
    k_limit       of reliable rows; unreliable: how many have a larger k"""

    elpd: float
    se: float
    p_loo: float
    p_loo_se: float
    pointwise: np.ndarray
    pareto_k: np.ndarray
    k_limit: float
    unreliable: int

    def __str__(self) -> str:
        doubt = (f"; {self.unreliable} of {len(self.pareto_k)} rows have a Pareto k above "
                 f"{self.k_limit:.2f}" if self.unreliable else "")
        return f"elpd_loo {self.elpd:.1f} ± {self.se:.1f}, p_loo {self.p_loo:.1f}{doubt}"


def loo(log_lik: Any, efficiency: Optional[Sequence[float]] = None) -> Loo:
    """PSIS-LOO of a log likelihood [chain, draw, row] as returned by `Fit.log_lik`, computed as in
    R's package loo. `efficiency` is the effective size of each row's likelihoods as a fraction of
    the draws; 1 by default.

    >>> import numpy as np
    >>> draws = np.random.default_rng(1).normal(size=(4, 500, 1))
    >>> print(loo(-0.5 * (draws - np.array([0.1, -0.3])) ** 2))  # doctest: +ELLIPSIS
    elpd_loo ... ± ..., p_loo ...
    """
    where, _keep = _draws(log_lik)
    shares = None if efficiency is None else doubles(efficiency, where.quantities, "efficiency")
    bytes_ = ask("nnp_loo_bytes", c.c_size_t, c.byref(where))
    memory, found = workspace(bytes_), api.nnp_loo_summary()
    elpd, k = np.empty(where.quantities), np.empty(where.quantities)
    call("nnp_loo", c.byref(where), address(shares), address(elpd), address(k), c.byref(found),
         address(memory), bytes_)
    return Loo(found.elpd, found.elpd_error, found.p_loo, found.p_loo_error, elpd, k,
               found.k_limit, found.unreliable)


class Stacking(NamedTuple):
    """Weights of models or chains, and the elpd of their mixture with its standard error. Of chains
    also the largest k of all rows, its limit, and how many rows are above it in any chain."""

    weights: np.ndarray
    elpd: float
    se: float
    largest_k: float = float("nan")
    k_limit: float = float("nan")
    unreliable: int = 0


def stacking(elpd: Any) -> Stacking:
    """Weights of models with which their mixture best predicts left-out rows; elpd is [row, model],
    `loo(…).pointwise` of each model.

    >>> stacking([[-1.0, -3.0], [-1.0, -2.0]]).weights
    array([1., 0.])
    """
    array = np.asfortranarray(elpd, dtype=np.float64)
    if array.ndim != 2:
        raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                            f"elpd: {array.ndim} axes, expected row and model")
    bytes_ = ask("nnp_stacking_bytes", c.c_size_t, *array.shape)
    memory, found = workspace(bytes_), api.nnp_stacking_summary()
    weights = np.empty(array.shape[1])
    call("nnp_stacking", address(array), *array.shape, address(weights), c.byref(found),
         address(memory), bytes_)
    return Stacking(weights, found.elpd, found.elpd_error)


def stack_chains(log_lik: Any) -> Stacking:
    """Stacking weights for chains that are in different modes and do not leave them, from the
    leave-one-out densities of their own draws. log_lik is [chain, draw, row]. Rows whose k is above
    its limit count equally for all chains, and one pseudo-row is added in favour of each chain:
    weights are nearly equal if nothing reliable distinguishes chains."""
    where, _keep = _draws(log_lik)
    bytes_ = ask("nnp_stack_chains_bytes", c.c_size_t, c.byref(where))
    memory, found = workspace(bytes_), api.nnp_stacking_summary()
    weights = np.empty(where.chains)
    call("nnp_stack_chains", c.byref(where), address(weights), c.byref(found), address(memory),
         bytes_)
    return Stacking(weights, found.elpd, found.elpd_error, found.largest_k, found.k_limit,
                    found.unreliable)


def nested_rhat(draws: Any, groups: Sequence[int]) -> np.ndarray:
    """Nested R-hat of many short chains; groups[chain] names the group."""
    where, _keep = _draws(draws)
    numbers = np.ascontiguousarray(groups, dtype=np.int64)
    if len(numbers) != where.chains:
        raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                            f"groups: there are {len(numbers)}, expected {where.chains}")
    bytes_ = ask("nnp_statistic_bytes", c.c_size_t, c.byref(where))
    memory, out = workspace(bytes_), np.empty(where.quantities)
    call("nnp_nested_rhat", c.byref(where), address(numbers), address(out), address(memory),
         bytes_)
    return out


def block_rhat(psi: Any, length: int, times: Any = None) -> np.ndarray:
    """R-hat along a run, [block, 6]: time, mean, and percentiles 25, 50, 75, 95."""
    where, _keep = _draws(psi)
    at = None if times is None else doubles(times, where.draws, "times")
    blocks, bytes_ = c.c_int64(), c.c_size_t()
    call("nnp_block_rhat_bytes", c.byref(where), length, c.byref(blocks), c.byref(bytes_))
    memory, out = workspace(bytes_.value), np.empty((blocks.value, 6))
    call("nnp_block_rhat", c.byref(where), address(at), length, address(out), address(memory),
         bytes_.value)
    return out


# ---- Has it thermalized? ------------------------------------------------------------------------

class Verdict:
    """The result for one chain: verdict, time, level, distance, …; str() puts it in words."""

    def __init__(self, struct: api.nnp_verdict):
        self._struct = api.nnp_verdict.from_buffer_copy(struct)
        self.verdict = constant_name("UNDECIDED", struct.verdict).replace("_", " ")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._struct, name)

    def __str__(self) -> str:
        return text("nnp_verdict_text", 160, c.byref(self._struct))

    __repr__ = __str__


def _series(values: Any, times: Any) -> tuple[api.nnp_series, tuple]:
    at = None if times is None else doubles(times)
    array = doubles(values)
    if at is not None and len(at) != len(array):
        raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                            f"times: there are {len(at)}, expected {len(array)}")
    return api.nnp_series(address(at), address(array), array.size), (at, array)


def _thermalization_memory() -> tuple[np.ndarray, int]:
    bytes_ = ask("nnp_thermalization_bytes", c.c_size_t)
    return workspace(bytes_), bytes_


def _verdict_options(options: Optional[dict[str, float]]):
    """How verdicts are reached: the library's defaults with some of them changed."""
    if not options:
        return None
    chosen = api.nnp_thermalization_options()
    call("nnp_thermalization_defaults", c.byref(chosen))
    for name, value in options.items():
        if name not in dict(api.nnp_thermalization_options._fields_):
            raise TypeError(f"'{name}' is not one of the options of verdicts")
        setattr(chosen, name, constant("SCALE_AUTO", value, "NNP_SCALE_") if name == "scale"
                else value)
    return c.byref(chosen)


def thermalization(informed: Any, others: Sequence[Any], times: Any = None,
                   options: Optional[dict[str, float]] = None) -> list[Verdict]:
    """The teacher-student test on series of a test function, one verdict for each of `others`.
    `options` change how verdicts are reached, as {"z": 4}: see nnp_thermalization_options in
    nnpost.h."""
    first, keep = _series(informed, times)
    rest = [_series(other, times) for other in others]
    array = (api.nnp_series * len(rest))(*(series for series, _ in rest))
    out = (api.nnp_verdict * len(rest))()
    memory, bytes_ = _thermalization_memory()
    call("nnp_thermalization", c.byref(first), array, len(rest), _verdict_options(options), out,
         address(memory), bytes_)
    del keep
    return [Verdict(verdict) for verdict in out]


def criteria(informed: Any, other: Any, gradient: Any = None, rhat: Any = None, *,
             times: Any = None, gradient_times: Any = None, rhat_times: Any = None,
             rhat_limit: float = 2.0, options: Optional[dict[str, float]] = None) -> dict[str, Any]:
    """All criteria of the paper's figure 1 for one chain: times, and the verdict."""
    series = api.nnp_criteria_series()
    keep = []
    for name, values, at in (("informed", informed, times), ("other", other, times),
                             ("gradient", gradient, gradient_times), ("rhat", rhat, rhat_times)):
        if values is not None:
            part, arrays = _series(values, at)
            setattr(series, name, part)
            keep.append(arrays)
    out = api.nnp_criteria_times()
    memory, bytes_ = _thermalization_memory()
    call("nnp_criteria", c.byref(series), _verdict_options(options), rhat_limit, c.byref(out),
         address(memory), bytes_)
    return _times(out)


def _times(times: api.nnp_criteria_times) -> dict[str, Any]:
    return {"verdict": Verdict(times.verdict), "teacher_student": times.teacher_student,
            "stationarity": times.stationarity, "gradient": times.gradient, "rhat": times.rhat}


def _settling(function: str, values: Any, times: Any, *arguments: Any) -> dict[str, float]:
    series, _keep = _series(values, times)
    out = api.nnp_settling()
    memory, bytes_ = _thermalization_memory()
    call(function, c.byref(series), *arguments, c.byref(out), address(memory), bytes_)
    return {name: getattr(out, name) for name, _ in out._fields_ if name != "reserved"}


def stationarity(values: Any, times: Any = None, scale: str | int = "auto") -> dict[str, float]:
    """When a series became stationary: found, time, level, spread, error, autocorrelation_time."""
    return _settling("nnp_stationarity", values, times, constant("SCALE_AUTO", scale, "NNP_SCALE_"))


def gradient_settling(values: Any, times: Any = None) -> dict[str, float]:
    """When a gradient statistic started to fluctuate about zero."""
    return _settling("nnp_gradient_settling", values, times)


def rhat_settling(values: Any, times: Any = None, limit: float = 2.0) -> dict[str, float]:
    """When R-hat became stationary at or below `limit`."""
    return _settling("nnp_rhat_settling", values, times, limit)


class Study(Handle):
    """Chains from different starts, the first one informed, run side by side until it is decided
    which of them have thermalized. Options by name: steps, seconds, stop, …"""

    def __init__(self, chains: Sequence[Chain], test: Optional[Data], capacity: int = 4096,
                 **options: float):
        self.chains, self.test = list(chains), test
        pointers = (c.c_void_p * len(self.chains))(*(chain.address for chain in self.chains))
        self._create("nnp_study_create", "nnp_study_free", pointers, len(self.chains), test,
                     capacity)
        for name, value in options.items():
            self.set(name, value)

    def _needs(self) -> list[Handle]:
        return [*self.chains] + ([self.test] if self.test else [])

    def set(self, option: str | int, value: str | float) -> None:
        """Sets an option: "steps", "seconds", "stop", … (see `study_option_info` for bounds).
        "sampling" is "log" or "even", "function" "mse", "accuracy" or "log"."""
        call("nnp_study_set", self, constant("STUDY_STEPS", option, "NNP_STUDY_"),
             option_value(option, value))

    def get(self, option: str | int) -> float:
        """The value of an option."""
        return ask("nnp_study_get", c.c_double, self,
                   constant("STUDY_STEPS", option, "NNP_STUDY_"))

    def thermalization(self, **options: float) -> None:
        """Changes how verdicts are reached; without arguments, restores the defaults."""
        call("nnp_study_thermalization", self, _verdict_options(options))

    def partner(self, chain: int, partner: int) -> None:
        """Sets the partner of a chain, with which its R-hat is computed; the informed chain by
        default."""
        call("nnp_study_partner", self, chain, partner)

    def function(self, function: Optional[Callable[[Chain], float]]) -> None:
        """Sets your own test function of the current state of a chain. It may be called on other
        threads, for several chains at the same time. Call it before the first run."""
        if function is None:
            self._function = api.nnp_test_function()
        else:
            by_address = {chain.address: chain for chain in self.chains}

            def told(chain: int, value: int, _user: int) -> int:
                try:
                    out = float(function(by_address[chain]))
                    c.cast(value, c.POINTER(c.c_double))[0] = out
                    return 0
                except BaseException as exception:  # raised again when the run has ended
                    self._exception = exception
                    return api.NNP_STOPPED
            self._function = api.nnp_test_function(told)
        call("nnp_study_function", self, self._function, None)

    def run(self, callback=None) -> "Study":
        """Runs the study, or continues it. `callback` receives the progress (steps, share, seconds,
        …) and stops it by returning a true value."""
        self._exception: Optional[BaseException] = None
        guard = run_watched("nnp_study_run", api.nnp_study_callback, self, callback=callback)
        if self._exception is not None:
            raise self._exception
        guard.finish()
        return self

    @property
    def state(self) -> api.nnp_study_progress:
        """The progress of the study."""
        state = api.nnp_study_progress()
        call("nnp_study_state", self, c.byref(state))
        return state

    def report(self, chain: int) -> dict[str, Any]:
        """Verdict and times by all criteria (NaN: not reached) of chain 1, 2, …."""
        times = api.nnp_criteria_times()
        call("nnp_study_report", self, chain, c.byref(times))
        return _times(times)

    def series(self, chain: int, which: str | int = "test") -> tuple[np.ndarray, np.ndarray]:
        """Times and values of "test", "gradient", "rhat", …"""
        series = api.nnp_series()
        call("nnp_study_series", self, chain, constant("SERIES_TEST", which, "NNP_SERIES_"),
             c.byref(series))
        return array_of(series)

    def __str__(self) -> str:
        return text("nnp_study_print", 256 * len(self.chains) + 512, self)


def teacher_student(net: Net, x: Any, x_test: Any, *, starts: Sequence[str] = ("zero", "prior"),
                    steps: int = 10000, seed: int = 1, sampler: str = "gibbs",
                    posterior: str = "intermediate", options: Optional[dict] = None,
                    callback=None, **study: float) -> Study:
    """Tests whether this sampler finds the posterior of this network and these inputs. A teacher
    labels x, chains learn the labels from `starts`, and one more starts at the teacher. Returns the
    finished study: print it, or read its reports and series."""
    teacher = Teacher(net, posterior, seed)
    train, test = Data(x, outputs=net.targets), Data(x_test, outputs=net.targets)
    sites = teacher.label(train, 1)
    teacher.label(test, 0)
    chains = [Chain(net, train, sampler, posterior, **(options or {})) for _ in (0, *starts)]
    chains[0].start_teacher(teacher, sites if len(sites) else None, seed, 0)
    for number, (chain, start) in enumerate(zip(chains[1:], starts), 1):
        chain.start(start, seed, number)
    return Study(chains, test, steps=steps, **study).run(callback)


# ---- Without a teacher --------------------------------------------------------------------------

class Multistart(Handle):
    """Chains from different starts, each with a share of a budget; the one that fits best continues
    with the rest. They must be of one network, data, sampler and posterior, and need not be
    started:

        chains = [Chain(net, data) for _ in range(4)]
        best = Multistart(chains, steps=100_000).run(seed=1).best
        draws = best.sample(1000, thin=10)

    Options by name: steps (in total over all chains; required), share, anneal_from, zero_starts."""

    def __init__(self, chains: Sequence[Chain], **options: float):
        self.chains = list(chains)
        pointers = (c.c_void_p * len(self.chains))(*(chain.address for chain in self.chains))
        self._create("nnp_multistart_create", "nnp_multistart_free", pointers, len(self.chains))
        for name, value in options.items():
            self.set(name, value)

    def _needs(self) -> list[Handle]:
        return [*self.chains]

    def set(self, option: str | int, value: float) -> None:
        """Sets an option: "steps", "share", "anneal_from" or "zero_starts"."""
        call("nnp_multistart_set", self, constant("MULTISTART_STEPS", option, "NNP_MULTISTART_"),
             value)

    def get(self, option: str | int) -> float:
        """The value of an option."""
        return ask("nnp_multistart_get", c.c_double, self,
                   constant("MULTISTART_STEPS", option, "NNP_MULTISTART_"))

    def run(self, seed: int = 1,
            callback: Optional[Callable[[api.nnp_multistart_progress], Any]] = None
            ) -> "Multistart":
        """Starts all chains, runs them, and continues with the best. `callback` receives the
        progress (done, steps, best) and stops it by returning a true value."""
        run_watched("nnp_multistart_run", api.nnp_multistart_callback, self, seed,
                    callback=callback).finish()
        return self

    @property
    def best(self) -> Chain:
        """The chain to sample from."""
        return self.chains[ask("nnp_multistart_best", c.c_int64, self)]

    def report(self, chain: int) -> dict[str, Any]:
        """Training error, rank (1 is the best) and steps of chain 0, 1, …, and whether it was
        annealed."""
        out = api.nnp_attempt()
        call("nnp_multistart_report", self, chain, c.byref(out))
        return {"error": out.error, "rank": out.rank, "steps": out.steps,
                "annealed": bool(out.annealed)}

    def __str__(self) -> str:
        return text("nnp_multistart_print", 80 * len(self.chains) + 80, self)


class Twin(Handle):
    """Tests whether a Gibbs chain is stuck. Labels are made from its current weights, and a twin is
    started on them from those weights: its training error is what the chain's would be in
    equilibrium.

        print(Twin(chain).run(20_000))

    The test is one-sided: a chain that passes may still be stuck."""

    def __init__(self, chain: Chain):
        self.chain = chain
        self._create("nnp_twin_create", "nnp_twin_free", chain)

    def _needs(self) -> list[Handle]:
        return [self.chain]

    def run(self, steps: int, noisy: bool = True, seed: int = 1,
            callback: Optional[Callable[[api.nnp_multistart_progress], Any]] = None) -> "Twin":
        """Runs the chain, which should have settled before, and its twin. `noisy`: the labels have
        the model's noise."""
        run_watched("nnp_twin_run", api.nnp_multistart_callback, self, steps, int(noisy), seed,
                    callback=callback).finish()
        return self

    def report(self) -> Verdict:
        """The verdict with the twin as the informed chain; str() of the twin puts it in words."""
        out = api.nnp_verdict()
        call("nnp_twin_report", self, c.byref(out))
        return Verdict(out)

    def series(self, which: int) -> tuple[np.ndarray, np.ndarray]:
        """Times and training errors of the chain (0) or of its twin (1)."""
        series = api.nnp_series()
        call("nnp_twin_series", self, which, c.byref(series))
        return array_of(series)

    def __str__(self) -> str:
        return text("nnp_twin_text", 256, self)


# ---- Is a sampler right? ------------------------------------------------------------------------

def sbc_ranks(truth: Any, draws: Any, ties: Any = None) -> np.ndarray:
    """Ranks of the true parameters among posterior draws [chain, draw, quantity]; `ties`, uniform
    in [0, 1), are the fractions of draws equal to the truth that are counted."""
    where, _keep = _draws(draws)
    values = doubles(truth, where.quantities, "truth")
    shares = None if ties is None else doubles(ties, where.quantities, "ties")
    ranks = np.empty(where.quantities, dtype=np.int64)
    call("nnp_sbc_ranks", address(values), c.byref(where), address(shares), address(ranks))
    return ranks


def sbc_histogram(ranks: Any, max_rank: int, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """ranks[replication, quantity] -> counts[quantity, bin] and p-values of uniformity."""
    array = np.ascontiguousarray(np.atleast_2d(ranks), dtype=np.int64)
    replications, quantities = array.shape
    counts, p_values = np.empty((quantities, bins), dtype=np.int64), np.empty(quantities)
    call("nnp_sbc_histogram", address(array), quantities, replications, max_rank, bins,
         address(counts), address(p_values))
    return counts, p_values


def geweke(alternating: Any, prior: Any = None, *, mean: Any = None,
           second_moment: Any = None) -> tuple[np.ndarray, float]:
    """Geweke's joint test against draws of the prior, or against its moments: z [quantity, 2] of
    means and second moments, and the p-value."""
    left, _keep = _draws(alternating)
    if prior is None:
        first = doubles(mean, left.quantities, "mean")
        second = doubles(second_moment, left.quantities, "second_moment")
        bytes_ = ask("nnp_geweke_bytes", c.c_size_t, c.byref(left), None)
        memory, z, p_value = workspace(bytes_), np.empty((left.quantities, 2)), c.c_double()
        call("nnp_geweke_moments", c.byref(left), address(first), address(second), address(z),
             c.byref(p_value), address(memory), bytes_)
        return z, p_value.value
    right, _keep_too = _draws(prior)
    bytes_ = ask("nnp_geweke_bytes", c.c_size_t, c.byref(left), c.byref(right))
    memory, z, p_value = workspace(bytes_), np.empty((left.quantities, 2)), c.c_double()
    call("nnp_geweke_draws", c.byref(left), c.byref(right), address(z), c.byref(p_value),
         address(memory), bytes_)
    return z, p_value.value


def statistic_names() -> list[str]:
    """The names that `statistic` accepts."""
    return [lib.nnp_statistic_name(getattr(api, name)).decode()
            for name in api.GROUPS["NNP_STAT_RHAT"]]
