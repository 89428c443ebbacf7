"""nnpost: exact MCMC samples from the posterior of neural networks.

    import nnpost
    net = nnpost.Net(50).dense(10).relu().dense(1).gaussian().set("noise", 1e-3)
    fit = nnpost.sample(net, X, y)
    fit.predict(X_new), fit.predict(X_new, "sd"), print(fit.summary())

For tables of data, in one call and in the style of scikit-learn:

    model = nnpost.NNPostRegressor().fit(X, y)
    mean, sd = model.predict(X_new, return_std=True)

Arrays are numpy's; rows first. Draws are [chain, draw, parameter]. Errors of the library raise an
`Error` (a `ValueError`, if an argument is wrong) with its message. Objects are freed with their
last reference or at the end of a `with` block. The C header nnpost.h documents everything; its
constants and functions are in `nnpost.api` and `nnpost.lib`.
"""
from typing import TYPE_CHECKING, Any

from . import _api as api
from ._diagnostics import (Convergence, Loo, Stacking, Study, Multistart, Twin, Verdict, block_rhat,
                           convergence, criteria, geweke, loo, nested_rhat, rhat_settling,
                           sbc_histogram, sbc_ranks, gradient_settling, stack_chains, stacking,
                           stationarity, statistic, statistic_names, teacher_student,
                           thermalization)
from ._exchange import Evidence, Exchange, ExchangeFit, exchange
from ._fit import Fit, Summary, merge, sample
from ._keep import DrawsFile, Keeper, Moments, Quantity
from ._library import ArgumentError, Error, build_info, lib, version
from ._model import Chain, Data, Net, Pool, Predictor, Teacher, option_info, study_option_info
from ._ranks import Comm, Folder, Rows, Team, mpi
from ._recommended import (Recipe, recommend, recommend_transform, standard, standardize, transform,
                           unstandardize)

if TYPE_CHECKING:
    from ._estimators import NNPostClassifier, NNPostRegressor, load

__version__ = api.NNP_VERSION
__all__ = [
    "ArgumentError", "Chain", "Convergence", "convergence", "Data", "Error", "Evidence",
    "Exchange", "ExchangeFit", "Fit", "Loo", "NNPostClassifier", "NNPostRegressor", "Net", "Pool",
    "Predictor", "Recipe", "Stacking", "Study", "Summary", "Teacher", "Multistart", "Twin",
    "Verdict", "api", "block_rhat", "build_info", "criteria", "exchange", "geweke", "lib", "load",
    "loo", "nested_rhat", "option_info", "recommend", "rhat_settling", "sample", "sbc_histogram",
    "sbc_ranks", "gradient_settling", "stack_chains", "stacking", "standard", "standardize",
    "recommend_transform", "transform", "stationarity", "statistic", "statistic_names",
    "study_option_info", "teacher_student", "thermalization", "unstandardize", "version",
    "Comm", "Folder", "Rows", "Team", "merge", "mpi", "DrawsFile", "Keeper", "Moments", "Quantity",
]


def __getattr__(name: str) -> Any:
    """Loads estimators on demand, since importing scikit-learn takes a while."""
    if name in ("NNPostClassifier", "NNPostRegressor", "load"):
        from . import _estimators
        return getattr(_estimators, name)
    raise AttributeError(f"module 'nnpost' has no attribute {name!r}")
