"""Fitting a table in one call: estimators in the style of scikit-learn.

scikit-learn is used if it is installed, but not needed: the classes have `get_params`, `set_params`
and `score` either way."""
from __future__ import annotations

import contextlib
import inspect
import json
import sys
import time
import warnings
from typing import Any, Iterator, Optional, Sequence

import numpy as np

from ._fit import Fit, sample
from ._keep import Kept
from ._model import Net
from ._recommended import (Recipe, recommend, recommend_transform, standard, standardize,
                           transform)

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import ConvergenceWarning, NotFittedError
    from sklearn.utils import check_array, check_consistent_length
    from sklearn.utils.multiclass import check_classification_targets
except ImportError:  # what of it is used here
    class ConvergenceWarning(UserWarning):  # type: ignore[no-redef]
        """Chains that have not converged."""

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """An estimator that was not fitted yet."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters are the arguments of the constructor."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """The arguments of the constructor and their values."""
            return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

        def set_params(self, **params: Any) -> "BaseEstimator":
            """Sets some of them."""
            for name, value in params.items():
                if name not in self.get_params():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            signature = inspect.signature(type(self)).parameters
            shown = [f"{name}={value!r}" for name, value in self.get_params().items()
                     if value != signature[name].default]
            return f"{type(self).__name__}({', '.join(shown)})"

    class RegressorMixin:  # type: ignore[no-redef]
        """Regression."""

        def score(self, X: Any, y: Any) -> float:
            """The fraction of the variance of y that is explained, R²."""
            y = np.asarray(y, dtype=float)
            rest = ((y - self.predict(X)) ** 2).sum(axis=0)
            return float(np.mean(1 - rest / ((y - y.mean(axis=0)) ** 2).sum(axis=0)))

    class ClassifierMixin:  # type: ignore[no-redef]
        """Classification."""

        def score(self, X: Any, y: Any) -> float:
            """The share of rows whose most probable class is y."""
            return float(np.mean(self.predict(X) == np.asarray(y)))

    def check_array(values: Any, *, ensure_2d: bool = True, dtype: Any = np.float64,
                    **_: Any) -> np.ndarray:
        """Finite numbers, rows first."""
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        array = array.astype(dtype)
        if ensure_2d and array.ndim != 2:
            raise ValueError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your "
                             "data: a single feature is X.reshape(-1, 1), a single row "
                             "X.reshape(1, -1)")
        if array.size == 0:
            raise ValueError(f"Found array with shape {array.shape}: expected rows and columns")
        if not np.isfinite(array).all():
            raise ValueError("Input contains NaN or infinity")
        return array

    def check_consistent_length(x: Any, y: Any) -> None:
        """Checks that both have the same number of rows."""
        if len(x) != len(y):
            raise ValueError(f"X has {len(x)} rows and y has {len(y)}: expected as many")

    def check_classification_targets(y: Any) -> None:
        """Classes, not numbers with fractions."""
        values = np.asarray(y)
        if values.dtype.kind == "f" and not np.all(values % 1 == 0):
            raise ValueError("Unknown label type: continuous")


class _Estimator(BaseEstimator):
    """Shared by regression and classification: standardized columns, the recommended network and
    recipe, weights of chains."""

    def __init__(self, hidden: int | Sequence[int] | None = None, *, activation: Optional[str] = None,
                 posterior: Optional[str] = None, ard: bool = False,
                 sampler: Optional[str] = None, start: Optional[str] = None,
                 chains: Optional[int] = None, warmup: Optional[int] = None,
                 draws: Optional[int] = None, thin: Optional[int] = None,
                 stacking: bool = True, options: Optional[dict[str, float]] = None,
                 random_state: Any = 1, threads: Optional[int] = None,
                 progress: Optional[bool] = None, verbose: int = 1, output: str = "numpy",
                 keep: Any = None, file: Any = None):
        self.hidden = hidden
        self.activation = activation
        self.posterior = posterior
        self.ard = ard
        self.sampler = sampler
        self.start = start
        self.chains = chains
        self.warmup = warmup
        self.draws = draws
        self.thin = thin
        self.stacking = stacking
        self.options = options
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.verbose = verbose
        self.output = output
        self.keep = keep
        self.file = file

    # ---- rows that come in ----

    input_matrix_: Optional[np.ndarray] = None  # fits pickled by earlier versions have none

    @contextlib.contextmanager
    def _or_as_before(self) -> Iterator[None]:
        """What is refused leaves an earlier fit as it was."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _inputs_to_fit(self, X: Any) -> np.ndarray:
        """Checked rows; remembers columns, means and standard deviations."""
        array = _finite(X, "X")
        if len(array) < 2:
            raise ValueError("X: it has 1 sample (one row), expected two or more")
        names = _column_names(X)
        mean, sd, constant = standard(array)
        if constant:
            which = int(np.flatnonzero(sd == 0)[0])
            label = repr(names[which]) if names is not None else str(which)
            warnings.warn(f"column {label} of X is constant, all its values are {mean[which]:g}: "
                          "it is ignored", stacklevel=4)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if names is not None:
            self.feature_names_in_ = names
        self.n_features_in_ = array.shape[1]
        self.input_mean_, self.input_sd_, self.input_matrix_ = mean, sd, None
        return standardize(array, mean, sd)

    def _inputs(self, X: Any) -> np.ndarray:
        """Checked and standardized rows to predict at."""
        if not hasattr(self, "fit_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call "
                                 "'fit' with appropriate arguments before using this estimator.")
        array = _finite(self._in_order(X), "X")
        if array.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {array.shape[1]} features, but {type(self).__name__} is "
                             f"expecting {self.n_features_in_} features as input")
        return self._changed(array)

    def _changed(self, array: np.ndarray) -> np.ndarray:
        """Rows as the network takes them."""
        return self._transformed(standardize(array, self.input_mean_, self.input_sd_))

    def _transformed(self, z: np.ndarray) -> np.ndarray:
        return z if self.input_matrix_ is None else transform(z, self.input_matrix_)

    def _in_order(self, X: Any) -> Any:
        """Reorders the columns of a DataFrame by their names."""
        names, known = _column_names(X), getattr(self, "feature_names_in_", None)
        if known is None or names is None:
            if known is not None:
                warnings.warn(f"X does not have valid feature names, but {type(self).__name__} was "
                              "fitted with feature names", stacklevel=4)
            return X
        missing = [name for name in known if name not in set(names)]
        if missing:
            raise ValueError(f"X: it has no column {missing[0]!r}, expected "
                             f"{', '.join(map(repr, known))}")
        unseen = [name for name in names if name not in set(known)]
        if unseen:
            raise ValueError(f"X: its column {unseen[0]!r} was not there when this "
                             f"{type(self).__name__} was fitted")
        return X[list(known)]

    # ---- the fit ----

    def _posterior(self) -> Optional[str]:
        """The requested posterior, or the one that a requested sampler is meant for."""
        if self.posterior is not None or self.sampler is None:
            return self.posterior
        return "intermediate" if self.sampler == "gibbs" else "classical"

    def _recipe(self, net: Net, rows: int) -> Recipe:
        """The recommended recipe, with the user's settings replacing its own. Recommended options
        are for the recommended sampler: another one may not have them."""
        asked = {name: getattr(self, name)
                 for name in ("sampler", "start", "chains", "warmup", "draws", "thin")}
        recipe = recommend(net, rows, self._posterior())
        if self.sampler not in (None, recipe.sampler):
            recipe = recipe._replace(options={})
        recipe = recipe._replace(**{name: value for name, value in asked.items()
                                    if value is not None})
        return recipe._replace(options={**recipe.options, **(self.options or {})})

    def _fit(self, z: np.ndarray, y: np.ndarray, targets: int, head: Optional[str],
             units: Optional[tuple[np.ndarray, np.ndarray]] = None) -> "_Estimator":
        """Samples; then judges and weights chains, while the data are available."""
        began = time.perf_counter()
        hidden = [self.hidden] if isinstance(self.hidden, (int, np.integer)) else self.hidden
        net = Net.recommended(z.shape[1], targets, head, hidden=hidden,
                              activation=self.activation, posterior=self._posterior(),
                              ard=self.ard, rows=len(z))
        recipe = self._recipe(net, len(z))
        with sample(net, z, y, seed=_seed(self.random_state), threads=self.threads,
                    progress=self.progress, units=units, **self._kept(units is not None),
                    **recipe.arguments()) as fit:
            if fit.draws.shape[1] == 0:
                raise RuntimeError("the fit was stopped before its first draw")
            self.convergence_ = fit.convergence
            self.loo_ = fit.loo()
            several = fit.draws.shape[0] > 1
            if self.stacking and several and self.convergence_.verdict == "not_converged":
                fit.stack()
        self.chain_weights_ = (np.full(fit.draws.shape[0], 1 / fit.draws.shape[0])
                               if fit.weights is None else fit.weights)
        self.fit_, self.recipe_ = fit, recipe
        self.divergences_ = int(fit.sample_stats.get("diverging", np.zeros(1)).sum())
        self.interrupted_ = fit.interrupted
        self.seconds_ = time.perf_counter() - began
        self._tell()
        return self

    def _kept(self, regression: bool) -> dict[str, Any]:
        """What `sample` should keep: everything, or what predictions at given rows need."""
        if self.keep is None:
            return {"file": self.file}
        rows = _finite(self._in_order(self.keep), "keep")
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(f"keep: it has {rows.shape[1]} features, X has {self.n_features_in_}")
        names = ["mean", "predictions"] if regression else ["probabilities"]
        return {"keep": ["functions", "scales", "log_lik", *names], "file": self.file,
                "at": self._changed(rows)}

    def verdict(self) -> str:
        """One line on whether the chains have converged, and if not, what helps."""
        self._must_be_fitted()
        line = str(self.convergence_)
        if self.divergences_:
            line += (f"; {self.divergences_} divergent steps: a larger target helps, such as "
                     'options={"target": 0.95}')
        if self.convergence_.verdict in ("doubtful", "not_converged"):
            if self.fit_.weights is not None:
                weights = " ".join(f"{weight:.2f}" for weight in self.chain_weights_)
                line += f"; chains are weighted by stacking: {weights}"
            line += "; try more warmup and draws"
        return line + (" (interrupted)" if self.interrupted_ else "")

    def _tell(self) -> None:
        if self.verbose:
            print(f"{type(self).__name__}: {self.verdict()}; {self.seconds_:.1f} s",
                  file=sys.stderr)
        elif self.convergence_.verdict in ("doubtful", "not_converged"):
            warnings.warn(self.verdict(), ConvergenceWarning, stacklevel=4)

    def _must_be_fitted(self) -> None:
        if not hasattr(self, "fit_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call "
                                 "'fit' with appropriate arguments before using this estimator.")

    # ---- what goes out ----

    def _told(self, X: Any, values: np.ndarray, columns: Optional[Sequence[Any]] = None) -> Any:
        """Results as numpy arrays, or, if requested and X is a DataFrame, with its index."""
        if self.output == "numpy" or not hasattr(X, "index") or not hasattr(X, "columns"):
            return values
        if self.output != "pandas":
            raise ValueError(f"output = {self.output!r}: expected 'numpy' or 'pandas'")
        import pandas
        if values.ndim == 1:
            return pandas.Series(values, index=X.index, name=columns[0] if columns else None)
        return pandas.DataFrame(values, index=X.index, columns=columns)

    # ---- a file of its own ----

    def save(self, path: Any) -> None:
        """Writes the fit to a file that `nnpost.load` reads: parameters, draws, weights and
        columns, as numpy arrays and JSON. (A fit can also be pickled.)"""
        self._must_be_fitted()
        fit = self.fit_
        params = {**self.get_params(), "keep": None, "file": None}
        told = {"class": type(self).__name__, "params": params,
                "net": fit.net._recipe, "posterior": fit._posterior_of, "thin": fit.thin,
                "interrupted": bool(fit.interrupted), "seconds": self.seconds_,
                "recipe": self.recipe_._asdict(), "convergence": self.convergence_._asdict(),
                "divergences": self.divergences_, "attributes": self._attributes()}
        arrays = {"draws": fit.draws, "weights": self.chain_weights_,
                  "input_mean": self.input_mean_, "input_sd": self.input_sd_,
                  "loo": np.stack((self.loo_.pointwise, self.loo_.pareto_k)),
                  "loo_sums": np.array([*self.loo_[:4], *self.loo_[6:]])}
        if self.input_matrix_ is not None:
            arrays["input_matrix"] = self.input_matrix_
        if fit.units is not None:
            arrays["units"] = np.stack(fit.units)
        if not fit.has_draws:
            arrays.update({f"kept_{name}": values for name, values in fit.kept.items()},
                          kept_rows=fit._kept.x)
        with open(path, "wb") as file:
            np.savez_compressed(file, told=json.dumps(told, default=_plain), **arrays)

    def _attributes(self) -> dict[str, Any]:
        names = getattr(self, "feature_names_in_", None)
        return {} if names is None else {"feature_names_in_": list(names)}

    def _restore(self, told: dict[str, Any], arrays: Any) -> "_Estimator":
        """Restores what `save` wrote."""
        from ._diagnostics import Convergence, Loo
        from ._model import _net_again
        steps = [(kind, tuple(first), asked) for kind, first, asked in told["net"]]
        net = _net_again(steps)
        fit = Fit(net, None, [], None, told["thin"], False, told["posterior"])
        fit.draws, fit.interrupted = arrays["draws"], told["interrupted"]
        if "kept_rows" in arrays:
            names = [name[len("kept_"):] for name in arrays if name.startswith("kept_")]
            names.remove("rows")
            fit._kept = Kept(names, arrays["kept_rows"], None)
            fit._kept.values = {name: arrays[f"kept_{name}"] for name in names}
        self.chain_weights_ = arrays["weights"]
        stacked = (self.stacking and len(self.chain_weights_) > 1 and
                   told["convergence"]["verdict"] == "not_converged")
        fit.weights = self.chain_weights_ if stacked else None
        fit.units = tuple(arrays["units"]) if "units" in arrays else None
        self.convergence_ = Convergence(**told["convergence"])
        fit._judged = fit.draws.shape, self.convergence_
        pointwise, k = arrays["loo"]
        elpd, se, p_loo, p_loo_se, limit, unreliable = map(float, arrays["loo_sums"])
        self.loo_ = Loo(elpd, se, p_loo, p_loo_se, pointwise, k, limit, int(unreliable))
        self.fit_, self.recipe_ = fit, Recipe(**told["recipe"])
        self.interrupted_, self.seconds_ = told["interrupted"], told["seconds"]
        self.divergences_ = told["divergences"]
        self.input_mean_, self.input_sd_ = arrays["input_mean"], arrays["input_sd"]
        self.input_matrix_ = arrays.get("input_matrix")
        self.n_features_in_ = len(self.input_mean_)
        if "feature_names_in_" in told["attributes"]:
            self.feature_names_in_ = np.array(told["attributes"]["feature_names_in_"], dtype=object)
        return self


class NNPostRegressor(RegressorMixin, _Estimator):
    """Regression by a Bayesian neural network, sampled by exact MCMC.

    By default it uses the library's recommendations: columns are standardized (and predictions
    given in the original units), all scales are learned, chains start from weights that fit the
    data, and chains that stay in different modes are weighted by stacking.

    Parameters
    ----------
    hidden : units of hidden layers, such as (16, 16), or 16 for one layer; None: what suits the number
        of rows
    head : "gaussian", noise of one level; "location_scale", with noise that depends on the input;
        "student_t", heavy tails; None: "gaussian" up to 3000 rows, "location_scale" beyond
    activation : None for the recommended one, "tanh", "relu", "softplus", "gelu", …
    posterior : None for the recommended one, "classical", or "intermediate" (noisy hidden layers);
        activation, posterior and sampler, if not set, are chosen to suit those that are
    ard : one precision for each column (automatic relevance determination)
    sampler, start, chains, warmup, draws, thin : None for the recommended ones; warmup and draws
        are those of each chain
    stacking : weight chains that have not converged, and so are in different modes, by their
        leave-one-out predictive densities
    options : of the sampler, such as {"max_depth": 8}
    random_state : an integer gives the same draws on any number of threads; None: a new one for
        every fit
    threads : None for as many as chains and processors
    progress : a bar on the terminal, unless False
    verbose : 1 prints one line after a fit: whether it converged; 0 warns only if it has not
    output : "numpy", or "pandas" for predictions that keep the index of a DataFrame
    keep : rows at which predictions will be needed. Parameters of draws, which are large for wide
        networks, are then not kept, and only predictions at these rows are possible
    file : a path of a new file for the draws, which is mapped into memory

    Attributes
    ----------
    fit_ : the `nnpost.Fit`, of standardized columns; its chains are freed, so for more draws fit
        again with larger `draws`
    convergence_, loo_, chain_weights_ : the verdict, leave-one-out cross-validation, weights
    recipe_, seconds_, interrupted_, divergences_ : how it was sampled
    n_features_in_, feature_names_in_, input_mean_, input_sd_ : the columns

    Row weights are not supported: every row counts once in the likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-2, 2, 40).reshape(-1, 1)
    >>> y = 100 + 5 * np.sin(2 * x[:, 0])
    >>> model = NNPostRegressor(hidden=(8,), chains=2, warmup=50, draws=20, verbose=0)
    >>> model.fit(x, y).predict([[0.5]]).round(0)
    array([104.])
    >>> mean, sd = model.predict(x, return_std=True)
    >>> lower, upper = model.predict_interval(x, level=0.9)
    >>> model.score(x, y) > 0.95
    True
    """

    def __init__(self, hidden: int | Sequence[int] | None = None, *, head: Optional[str] = None,
                 activation: Optional[str] = None, posterior: Optional[str] = None, ard: bool = False,
                 sampler: Optional[str] = None, start: Optional[str] = None,
                 chains: Optional[int] = None, warmup: Optional[int] = None,
                 draws: Optional[int] = None, thin: Optional[int] = None,
                 stacking: bool = True, options: Optional[dict[str, float]] = None,
                 random_state: Any = 1, threads: Optional[int] = None,
                 progress: Optional[bool] = None, verbose: int = 1, output: str = "numpy",
                 keep: Any = None, file: Any = None):
        super().__init__(hidden, activation=activation, posterior=posterior, ard=ard,
                         sampler=sampler, start=start, chains=chains, warmup=warmup, draws=draws,
                         thin=thin, stacking=stacking, options=options, random_state=random_state,
                         threads=threads, progress=progress, verbose=verbose, output=output,
                         keep=keep, file=file)
        self.head = head

    def fit(self, X: Any, y: Any) -> "NNPostRegressor":
        """Samples the posterior given rows X and targets y, one column or several. Ctrl-C keeps the
        draws made so far."""
        with self._or_as_before():
            if self.head not in (None, "gaussian", "location_scale", "student_t"):
                raise ValueError(f"head = {self.head!r}: expected 'gaussian', 'location_scale', "
                                 "'student_t', or None for what suits the number of rows")
            z = self._inputs_to_fit(X)
            targets = _targets(y)
            check_consistent_length(z, targets)
            self._several, self._target_names = targets.ndim == 2, _target_names(y)
            mean, sd, constant = standard(targets)
            if constant:
                which = int(np.flatnonzero(sd == 0)[0])
                raise ValueError(f"y: target {which} is constant, all its values are "
                                 f"{mean[which]:g}, expected some that differ")
            return self._fit(z, standardize(targets, mean, sd), len(mean), self.head, (mean, sd))

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The predictive mean of every row, and with return_std the standard deviation of a new
        target as well, noise included."""
        z = self._inputs(X)
        mean = self._shaped(X, self.fit_.predict(z, "mean"))
        return (mean, self._shaped(X, self.fit_.predict(z, "sd"))) if return_std else mean

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Any, Any]:
        """Lower and upper end of the central interval that contains a new target with probability
        `level`."""
        if not 0 < level < 1:
            raise ValueError(f"level = {level}: expected a number between 0 and 1")
        ends = self.predict_quantiles(X, ((1 - level) / 2, (1 + level) / 2))
        return tuple(self._shaped(X, ends[..., i].reshape(len(ends), -1)) for i in range(2))

    def predict_quantiles(self, X: Any, levels: Sequence[float] = (0.05, 0.5, 0.95)) -> np.ndarray:
        """Quantiles of new targets: [row, level], for several targets [row, target, level]."""
        z = self._inputs(X)
        out = self.fit_.predict(z, "quantiles", levels=levels)
        return out if self._several else out[:, 0]

    def sample_y(self, X: Any, random_state: int = 1) -> np.ndarray:
        """New targets, one per draw: [draw, row], for several targets [draw, row, target]. All
        draws of all chains are used, without weights."""
        z = self._inputs(X)
        out = self.fit_.predict(z, "draws", seed=random_state)
        return out if self._several else out[:, :, 0]

    def log_score(self, X: Any, y: Any) -> float:
        """Mean log predictive density of targets, in their original units; larger is better."""
        z, targets = self._inputs(X), _targets(y)
        return self.fit_.score(z, standardize(targets, *self.fit_.units), "log")

    def log_lik(self, X: Any, y: Any) -> np.ndarray:
        """[chain, draw, row]: log density of every target under every draw, for ArviZ or WAIC."""
        z, targets = self._inputs(X), _targets(y)
        return self.fit_.log_lik(z, standardize(targets, *self.fit_.units))

    def _shaped(self, X: Any, values: np.ndarray) -> Any:
        return self._told(X, values if self._several else values[:, 0], self._target_names)

    def _attributes(self) -> dict[str, Any]:
        return {**super()._attributes(), "several": self._several, "targets": self._target_names}

    def _restore(self, told: dict[str, Any], arrays: Any) -> "_Estimator":
        self._several = told["attributes"]["several"]
        self._target_names = told["attributes"]["targets"]
        return super()._restore(told, arrays)

    def _more_tags(self) -> dict[str, Any]:
        return {"multioutput": True}


class NNPostClassifier(ClassifierMixin, _Estimator):
    """Classification by a Bayesian neural network, sampled by exact MCMC. The classical posterior, which is
    the default, is logistic for two classes and softmax for more; posterior="intermediate" is probit.
    Classes may be numbers or strings. Parameters and attributes are those of
    `NNPostRegressor`, without `head`; `classes_` are the classes in the order of probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(60, 2))
    >>> y = np.where(x[:, 0] + x[:, 1] > 0, "yes", "no")
    >>> model = NNPostClassifier(hidden=(4,), chains=2, warmup=50, draws=20, verbose=0).fit(x, y)
    >>> model.predict([[2, 2], [-2, -2]])
    array(['yes', 'no'], dtype='<U3')
    >>> model.predict_proba([[2, 2]]).shape, model.classes_
    ((1, 2), array(['no', 'yes'], dtype='<U3'))
    """

    def fit(self, X: Any, y: Any) -> "NNPostClassifier":
        """Samples the posterior given rows X and classes y. Ctrl-C keeps the draws made so far."""
        with self._or_as_before():
            z = self._inputs_to_fit(X)
            labels = _labels(y)
            check_consistent_length(z, labels)
            self.classes_, numbers = np.unique(labels, return_inverse=True)
            if len(self.classes_) < 2:
                raise ValueError(f"y: all labels are of one class, {self.classes_[0]!r}, expected "
                                 "two classes or more")
            if not self.ard:
                self.input_matrix_ = recommend_transform(z, numbers)
                z = self._transformed(z)
            if len(self.classes_) == 2:
                return self._fit(z, 2 * numbers - 1, 1, "sign_head")
            return self._fit(z, numbers, len(self.classes_), "argmax")

    def predict_proba(self, X: Any) -> Any:
        """[row, class] in the order of `classes_`: predictive probabilities."""
        z = self._inputs(X)
        out = self.fit_.predict(z, "probabilities")
        if len(self.classes_) == 2:
            out = np.column_stack((1 - out[:, 0], out[:, 0]))
        return self._told(X, out, list(self.classes_))

    def predict_log_proba(self, X: Any) -> Any:
        """Logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> Any:
        """The most probable class of every row."""
        best = np.asarray(self.predict_proba(X)).argmax(axis=1)
        return self._told(X, self.classes_[best])

    def log_score(self, X: Any, y: Any) -> float:
        """Mean log probability of the classes y; larger is better."""
        z = self._inputs(X)
        return self.fit_.score(z, self._numbers(y), "log")

    def log_lik(self, X: Any, y: Any) -> np.ndarray:
        """[chain, draw, row]: log probability of every class under every draw."""
        z = self._inputs(X)
        return self.fit_.log_lik(z, self._numbers(y))

    def _numbers(self, y: Any) -> np.ndarray:
        """Classes as the numbers that the head uses."""
        labels = np.asarray(y).reshape(-1)
        unseen = [label for label in np.unique(labels) if label not in self.classes_]
        if unseen:
            raise ValueError(f"y: the class {unseen[0]!r} was not there when this model was fitted")
        numbers = np.searchsorted(self.classes_, labels)
        return 2 * numbers - 1 if len(self.classes_) == 2 else numbers

    def _attributes(self) -> dict[str, Any]:
        return {**super()._attributes(), "classes": self.classes_.tolist(),
                "dtype": self.classes_.dtype.str}

    def _restore(self, told: dict[str, Any], arrays: Any) -> "_Estimator":
        self.classes_ = np.array(told["attributes"]["classes"], dtype=told["attributes"]["dtype"])
        return super()._restore(told, arrays)


def load(path: Any) -> NNPostRegressor | NNPostClassifier:
    """Reads a fit that `save` wrote.

    >>> import numpy as np, os, tempfile
    >>> x = np.arange(20.0).reshape(-1, 1)
    >>> model = NNPostRegressor(hidden=(4,), chains=2, warmup=20, draws=10, verbose=0)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.nnpost")
    >>> model.fit(x, x[:, 0] ** 2).save(path)
    >>> bool((load(path).predict(x) == model.predict(x)).all())
    True
    """
    with np.load(path, allow_pickle=False) as file:
        told = json.loads(str(file["told"]))
        kind = {"NNPostRegressor": NNPostRegressor, "NNPostClassifier": NNPostClassifier}
        if told["class"] not in kind:
            raise ValueError(f"{path}: it holds a {told['class']}, expected one of "
                             f"{', '.join(kind)}")
        params = {name: tuple(value) if isinstance(value, list) else value
                  for name, value in told["params"].items()}
        return kind[told["class"]](**params)._restore(told, dict(file))


def _plain(value: Any) -> Any:
    """Numpy numbers converted for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value)


def _column_names(X: Any) -> Optional[np.ndarray]:
    """Column names of a DataFrame, if they are strings."""
    names = getattr(X, "columns", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return np.asarray(names, dtype=object)


def _target_names(y: Any) -> Optional[list[str]]:
    """Of a Series or DataFrame."""
    if hasattr(y, "columns"):
        return [str(name) for name in y.columns]
    name = getattr(y, "name", None)
    return None if name is None else [str(name)]


def _finite(values: Any, argument: str, ensure_2d: bool = True) -> np.ndarray:
    """Numbers as `check_array` accepts them. Errors name the row and column of the first value that is
    missing, infinite or text."""
    try:
        return check_array(values, ensure_2d=ensure_2d, dtype=np.float64)
    except ValueError as error:
        names = _column_names(values)
        array = np.asarray(values)
        if array.ndim not in (1, 2) or array.dtype.kind not in "fOUS":
            raise
        missing = _first_missing(array, names)
        if missing is not None:
            raise ValueError(f"Input {argument} contains {missing}, expected finite numbers") from error
        text = _first_text(array, names)
        if text is not None:
            raise ValueError(f"{argument}: {text}, expected numbers") from error
        raise


def _place(where: tuple[int, ...], names: Optional[np.ndarray]) -> str:
    """Row and column of a value in words, counted from 0."""
    if len(where) == 1:
        return f"row {where[0]}"
    return f"row {where[0]}, column {where[1] if names is None else repr(names[where[1]])}"


def _first_missing(array: np.ndarray, names: Optional[np.ndarray] = None) -> Optional[str]:
    """What the first value that is missing or infinite is and where, or None."""
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array)
    elif array.dtype.kind == "O":
        bad = np.frompyfunc(lambda value: value is None or type(value).__name__ in ("NAType", "NaTType")
                            or isinstance(value, (float, np.floating)) and not np.isfinite(value),
                            1, 1)(array).astype(bool)
    else:
        return None
    if not bad.any():
        return None
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    value = array[where]
    infinite = isinstance(value, (float, np.floating)) and np.isinf(value)
    what = ("infinity or a value too large for dtype('float64')." if infinite else "NaN.")
    return f"{what} It is in {_place(where, names)} (from 0)"


def _first_text(array: np.ndarray, names: Optional[np.ndarray]) -> Optional[str]:
    """Where the first text that is no number is, or None."""
    for where, value in np.ndenumerate(array):
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                return f"{_place(where, names)} (from 0) is the text {str(value)!r}"
    return None


def _targets(y: Any) -> np.ndarray:
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: expected one target "
                         "per row")
    return _finite(y, "y", ensure_2d=False)


def _labels(y: Any) -> np.ndarray:
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: expected one class "
                         "per row")
    values = np.asarray(y)
    missing = _first_missing(values)
    if missing is not None:
        raise ValueError(f"Input y contains {missing}, expected classes")
    check_classification_targets(y)
    if values.ndim == 2 and values.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected", stacklevel=3,
                      category=_data_conversion())
    elif values.ndim != 1:
        raise ValueError(f"y: it has the shape {values.shape}, expected one class per row")
    return values.reshape(-1)


def _data_conversion() -> type[Warning]:
    try:
        from sklearn.exceptions import DataConversionWarning
        return DataConversionWarning
    except ImportError:
        return UserWarning


def _seed(random_state: Any) -> int:
    """A seed for the library from what scikit-learn accepts: an integer, a generator or None."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**63))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    return int(random_state)
