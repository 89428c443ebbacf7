"""nnpost: exact MCMC samples from the posterior of neural networks.

    import nnpost
    net = nnpost.Net(50).dense(10).relu().dense(1).gaussian().set("noise", 1e-3)
    fit = nnpost.sample(net, X, y)
    fit.predict(X_new), fit.predict(X_new, "sd"), print(fit.summary())

Arrays are numpy's; rows first. Draws are [chain, draw, parameter]. What the library refuses is an
`Error` (a `ValueError`, if an argument is to blame) with its sentence. Objects are freed with their
last reference or at the end of a `with` block. The C header nnpost.h says what everything means;
its constants and functions are in `nnpost.api` and `nnpost.lib`.
"""
from . import _api as api
from ._diagnostics import (Convergence, Study, Multistart, Twin, Verdict, block_rhat, convergence,
                           criteria, geweke,
                           nested_rhat, rhat_settling, sbc_histogram, sbc_ranks, gradient_settling, stationarity,
                           statistic, statistic_names, teacher_student, thermalization)
from ._exchange import Evidence, Exchange, ExchangeFit, exchange
from ._fit import Fit, Summary, sample
from ._library import ArgumentError, Error, build_info, lib, version
from ._model import Chain, Data, Net, Pool, Predictor, Teacher, option_info, study_option_info

__version__ = api.NNP_VERSION
__all__ = [
    "ArgumentError", "Chain", "Convergence", "convergence", "Data", "Error", "Evidence",
    "Exchange", "ExchangeFit", "Fit", "Net", "Pool", "Predictor", "Study",
    "Summary", "Teacher", "Multistart", "Twin", "Verdict", "api", "block_rhat", "build_info",
    "criteria", "exchange", "geweke", "lib", "nested_rhat", "option_info", "rhat_settling", "sample",
    "sbc_histogram", "sbc_ranks", "gradient_settling", "stationarity", "statistic",
    "statistic_names", "study_option_info", "teacher_student", "thermalization", "version",
]
