"""Recommendations for tables of data: a network, a recipe, standardized columns."""
from __future__ import annotations

import ctypes as c
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _api as api
from ._library import address, call, constant, constant_name, doubles, lib, matrix, raise_error
from ._model import Net


class Recipe(NamedTuple):
    """How to sample: `sample(net, x, y, **recipe.arguments())`.

    sampler, posterior, start  by name, as `sample` takes them
    chains, warmup, draws, thin  warm-up and draws are those of each chain
    options  of the sampler that are not at their defaults"""

    sampler: str
    posterior: str
    start: str
    chains: int
    warmup: int
    draws: int
    thin: int
    options: dict[str, float]

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of `sample`."""
        out = self._asdict()
        options = out.pop("options")
        return {**out, **options}


def recommend(net: Net, rows: int, posterior: Optional[str | int] = None) -> Recipe:
    """The recommended recipe for a network and this number of training rows. posterior:
    "classical", "intermediate", or None for the one that suits the network.

    >>> recommend(Net.recommended(5), 1000).sampler
    'hmc'
    """
    made = api.nnp_recipe()
    which = 0 if posterior is None else constant("INTERMEDIATE", posterior)
    call("nnp_recommend", net, rows, which, c.byref(made))
    options = {constant_name("OPTION_SCHEDULE", made.options[i], "NNP_OPTION_"): made.values[i]
               for i in range(made.option_count)}
    return Recipe(constant_name("GIBBS", made.sampler), constant_name("INTERMEDIATE", made.posterior),
                  constant_name("START_ZERO", made.start, "NNP_START_"), made.chains, made.warmup,
                  made.draws, made.thin, options)


def standard(x: Any) -> tuple[np.ndarray, np.ndarray, str]:
    """Mean and standard deviation of every column of x, rows first, and a sentence that names the
    first constant column ("" if there is none): the standard deviation of those is 0. Values that
    are not finite are refused.

    >>> mean, sd, constant = standard([[1, 5], [3, 5]])
    >>> mean, sd, constant[:23]
    (array([2., 5.]), array([1., 0.]), 'x: column 1 is constant')
    """
    array, order = matrix(x)
    mean, sd = np.empty(array.shape[1]), np.empty(array.shape[1])
    error = api.nnp_error()
    status = lib.nnp_standard(address(array), *array.shape, order, address(mean), address(sd),
                              c.byref(error))
    if status not in (api.NNP_OK, api.NNP_E_VALUE):
        raise_error(status, error)
    return mean, sd, error.message.decode()


def _changed(function: str, x: Any, mean: Any, sd: Any) -> np.ndarray:
    array, order = matrix(x)
    means = doubles(mean, array.shape[1], "mean")
    sds = doubles(sd, array.shape[1], "sd")
    out = np.empty_like(array)
    call(function, address(array), *array.shape, order, address(means), address(sds), address(out))
    return out


def standardize(x: Any, mean: Any, sd: Any) -> np.ndarray:
    """(x - mean) / sd by columns; 0 in columns whose sd is 0.

    >>> standardize([[1, 5], [3, 5]], [2, 5], [1, 0])
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    return _changed("nnp_standardize", x, mean, sd)


def unstandardize(x: Any, mean: Any, sd: Any) -> np.ndarray:
    """mean + sd * x by columns.

    >>> unstandardize([[-1.0], [1.0]], [2], [3])
    array([[-1.],
           [ 5.]])
    """
    return _changed("nnp_unstandardize", x, mean, sd)
