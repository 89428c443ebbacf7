"""Recommendations for tables of data: a network, a recipe, standardized columns."""
from __future__ import annotations

import ctypes as c
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _api as api
from ._library import (ArgumentError, address, ask, call, constant, constant_name, doubles, lib,
                       matrix, raise_error)
from ._model import Net, whole_labels


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


def recommend_transform(z: Any, labels: Any) -> Optional[np.ndarray]:
    """The recommended linear change of the inputs of classes, [from, to] columns: `transform` applies
    it. z: standardized training rows; labels: 0, 1, …, or -1 and +1. None: inputs are best left
    alone. It is not for networks with `ard`.

    >>> recommend_transform([[-1], [1]], [0, 1]) is None
    True
    """
    array, order = matrix(z)
    numbers = whole_labels(labels, len(array), "z")
    columns = array.shape[1]
    size = ask("nnp_recommend_transform_bytes", c.c_size_t, address(numbers), *array.shape)
    if size == 0:
        return None
    room = np.empty(size // 8)  # the matrix, then work memory
    call("nnp_recommend_transform", address(array), address(numbers), *array.shape, order,
         address(room), room.nbytes)
    return room[:columns * columns].reshape(columns, columns, order="F").copy(order="F")


def transform(z: Any, change: Any) -> np.ndarray:
    """z after a change that `recommend_transform` found: z @ change. Entries of the change above its
    diagonal are not read.

    >>> transform([[1, 2]], [[1, 0], [3, 4]])
    array([[7., 8.]])
    """
    array, order = matrix(z)
    given = np.asfortranarray(change, dtype=np.float64)
    if given.shape != (array.shape[1],) * 2:
        raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                            f"change: its shape is {given.shape}, z has {array.shape[1]} columns")
    out = np.empty_like(array)
    call("nnp_transform", address(array), *array.shape, order, address(given), address(out))
    return out
