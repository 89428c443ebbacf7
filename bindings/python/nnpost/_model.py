"""Networks, data, pools of threads, chains, teachers, predictors: one class for each handle."""
from __future__ import annotations

import ctypes as c
import operator
from typing import Any, Callable, Iterable, Optional, Sequence

import numpy as np

from . import _api as api
from ._library import (ArgumentError, Error, Handle, address, ask, call, constant, constant_name,
                       doubles, matrix, option_value, run, text)
from ._ranks import Comm, Rows

Callback = Callable[[api.nnp_progress], Any]


class Net(Handle):
    """A network, described from input to output; every method returns the network itself:

        net = Net(50).dense(10).relu().dense(1).gaussian().set("noise", 1e-3)

    Net(channels, height, width) takes images."""

    def __init__(self, *inputs: int):
        if len(inputs) not in (1, 3):
            raise TypeError("Net takes the number of inputs, or channels, height, width")
        function = "nnp_net_create" if len(inputs) == 1 else "nnp_net_create_image"
        self._create(function, "nnp_net_free", *inputs)
        self._recipe: list[tuple] = [("Net", inputs, {})]
        self._head: Optional[int] = None

    @classmethod
    def recommended(cls, inputs: int, targets: int = 1,
                    head: Optional[str | int] = "gaussian", *,
                    hidden: Optional[Sequence[int]] = None, activation: Optional[str | int] = None,
                    posterior: Optional[str | int] = None, ard: bool = False,
                    rows: int = 0) -> "Net":
        """The network the library recommends for standardized data, all scales learned.

        targets    columns of targets; of "argmax" classes, of "sign_head" 1
        head       None, for numbers: "gaussian" up to 3000 `rows`, "location_scale" beyond
        hidden     units of hidden layers, (16, 16); None: what suits this number of training `rows`
        activation None: what suits the rows and the posterior: "relu", "tanh" or "softplus"
        posterior  the one it is meant for: "classical", "intermediate"; None: what suits the rows
                   and the activation
        ard        one precision for each input (automatic relevance determination)

        >>> Net.recommended(3, hidden=(8,))
        <nnpost.Net: 3 layers, 46 parameters>
        """
        asked = dict(hidden=hidden, activation=activation, posterior=posterior, ard=ard, rows=rows)
        choice = (0 if activation is None else constant("IDENTITY", activation),
                  0 if posterior is None else constant("INTERMEDIATE", posterior))
        kind, model = cls._recommended_head(rows, head, choice), api.nnp_model()
        call("nnp_model_defaults", c.byref(model), inputs, targets, kind, rows)
        if hidden is not None:
            units = [operator.index(size) for size in hidden]
            room = len(model.hidden)
            if len(units) > room:
                raise ArgumentError(api.NNP_E_SIZE, "NNP_E_SIZE",
                                    f"hidden: {len(units)} layers, expected at most {room}")
            model.hidden_count = len(units)
            model.hidden[:len(units)] = units
        call("nnp_model_choose", c.byref(model), *choice)
        model.ard = int(ard)
        net = cls.__new__(cls)
        net._create("nnp_net_create_model", "nnp_net_free", c.byref(model))
        net._recipe, net._head = [("recommended", (inputs, targets, kind), asked)], kind
        return net

    @staticmethod
    def _recommended_head(rows: int, head: Optional[str | int], choice: tuple[int, int]) -> int:
        if head is not None:
            return constant("GAUSSIAN", head)
        found = c.c_int32()
        call("nnp_recommend_head", rows, *choice, c.byref(found))
        return found.value

    def _add(self, function: str, arguments: tuple, properties: dict[str, float]) -> "Net":
        if properties:  # if one of them is refused, no layer is added
            self.copy()._add(function, arguments, {})._set_all(properties)
        call(function, self, *arguments)
        self._recipe.append((function, arguments, properties))
        return self._set_all(properties)

    def _set_all(self, properties: dict[str, float]) -> "Net":
        for name, value in properties.items():
            self._set(self.layers, name, value)
        return self

    def dense(self, units: int, **properties: float) -> "Net":
        """A dense layer. Properties, here and below: noise, lambda_w, lambda_b, bias."""
        return self._add("nnp_net_dense", (units,), properties)

    def conv2d(self, filters: int, size: int | Sequence[int], stride: int | Sequence[int] = 1,
               padding: int | Sequence[int] = 0, **properties: float) -> "Net":
        """A convolution; size, stride and padding (zeros on each side of the image) are one number
        or (height, width)."""
        down, across = _pair(padding)
        if down or across:
            properties = {"padding_y": down, "padding_x": across, **properties}
        return self._add("nnp_net_conv2d", (filters, *_pair(size), *_pair(stride)), properties)

    def avgpool(self, size: int | Sequence[int], **properties: float) -> "Net":
        """Means over windows of `size`."""
        return self._add("nnp_net_avgpool", _pair(size), properties)

    def maxpool(self, size: int | Sequence[int], **properties: float) -> "Net":
        """The largest pixel of each window of `size`; not for Gibbs."""
        return self._add("nnp_net_maxpool", _pair(size), properties)

    def image(self, channels: int, height: int, width: int) -> "Net":
        """Gives the last site the shape of an image."""
        return self._add("nnp_net_image", (channels, height, width), {})

    def activation(self, kind: str | int, **properties: float) -> "Net":
        """An elementwise activation by name."""
        return self._add("nnp_net_activation", (constant("IDENTITY", kind),), properties)

    def identity(self, **properties: float) -> "Net":
        """The activation x: layers that are linear in a row."""
        return self.activation("identity", **properties)

    def relu(self, **properties: float) -> "Net":
        """The activation max(x, 0)."""
        return self.activation("relu", **properties)

    def leaky_relu(self, slope: float = 0.01, **properties: float) -> "Net":
        """The activation x above 0 and slope * x below."""
        return self.activation("leaky_relu", slope=slope, **properties)

    def abs(self, **properties: float) -> "Net":
        """The activation |x|."""
        return self.activation("abs", **properties)

    def sign(self, **properties: float) -> "Net":
        """The activation +1 for x >= 0, else -1; Gibbs only."""
        return self.activation("sign", **properties)

    def hard_tanh(self, **properties: float) -> "Net":
        """The activation x cut off at -1 and 1."""
        return self.activation("hard_tanh", **properties)

    def tanh(self, **properties: float) -> "Net":
        """The activation tanh(x); not for Gibbs."""
        return self.activation("tanh", **properties)

    def softplus(self, **properties: float) -> "Net":
        """The activation log(1 + exp(x)); not for Gibbs."""
        return self.activation("softplus", **properties)

    def gelu(self, **properties: float) -> "Net":
        """The activation x Phi(x), Phi the normal distribution function; not for Gibbs."""
        return self.activation("gelu", **properties)

    def head(self, kind: str | int) -> "Net":
        """How the last site is related to the data: "gaussian", "argmax", "sign_head", "student_t"
        or "location_scale"."""
        number = constant("GAUSSIAN", kind)
        self._add("nnp_net_head", (number,), {})
        self._head = number
        return self

    @property
    def _has_targets(self) -> bool:
        """Numbers, not classes?"""
        labels = c.c_int32()
        call("nnp_head_info", self._head, None, c.byref(labels), None)
        return labels.value == 0

    def gaussian(self) -> "Net":
        """The last site is the target: regression."""
        return self.head("gaussian")

    def student_t(self, freedom: float = 4) -> "Net":
        """Regression with heavy tails: a t distribution with `freedom` degrees of freedom."""
        return self.head("student_t").set("freedom", freedom, api.NNP_HEAD)

    def location_scale(self) -> "Net":
        """Regression with noise that depends on the input: the last layer has two outputs for each
        target, first the means, then the log standard deviations. Not for Gibbs."""
        return self.head("location_scale")

    def argmax(self) -> "Net":
        """The largest of several scores is the class 0, 1, …"""
        return self.head("argmax")

    def sign_head(self) -> "Net":
        """The sign of one score is the class, -1 or +1."""
        return self.head("sign_head")

    def find_layer(self, name: str) -> int:
        """The layer that holds the weights or biases of this name, such as "W2" or "b2"."""
        return ask("nnp_net_find_layer", c.c_int64, self, name.encode())

    def _number(self, layer: int | str) -> int:
        return self.find_layer(layer) if isinstance(layer, str) else layer

    def _set(self, layer: int | str, name: str | int, value: float) -> None:
        call("nnp_net_set", self, self._number(layer), constant("NOISE", name), value)

    def set(self, name: str | int, value: float, layer: int | str = api.NNP_ALL_LAYERS) -> "Net":
        """Sets a property of one layer (from 1, or by the name of its weights, "W2"), of all that
        have it, or of the head (NNP_HEAD)."""
        self._set(layer, name, value)
        self._recipe.append(("set", (name, value, layer), {}))
        return self

    def learn(self, name: str | int, layer: int | str = api.NNP_ALL_LAYERS, *, shape: float = 0,
              mean: float = 0) -> "Net":
        """Learns "noise", "lambda_w", "lambda_b" or "ard" (one lambda_w for each input of a dense
        layer) of a layer or of all that have it, with a gamma hyperprior of this shape and mean on
        the precision (1/noise or lambda); 0 and 0: the library's default, for standardized data.
        Call it after the head was added. Learned scales are parameters: "D3", "lambda_w1[4]"."""
        call("nnp_net_learn", self, self._number(layer), constant("NOISE", name), shape, mean)
        self._recipe.append(("learn", (name, layer), {"shape": shape, "mean": mean}))
        return self

    def learn_tied(self, multiples: Optional[Sequence[float]] = None, *, shape: float = 0,
                   mean: float = 0) -> "Net":
        """Learns one noise D for all layers: layer k has D * multiples[k-1]."""
        values = None if multiples is None else doubles(multiples, self.layers, "multiples")
        call("nnp_net_learn_tied", self, None if values is None else address(values), shape, mean)
        self._recipe.append(("learn_tied", (multiples,), {"shape": shape, "mean": mean}))
        return self

    def fix(self, name: str | int, layer: int | str = api.NNP_ALL_LAYERS) -> "Net":
        """Undoes `learn` and `learn_tied`: the scale is fixed at the mean of its hyperprior."""
        call("nnp_net_fix", self, self._number(layer), constant("NOISE", name))
        self._recipe.append(("fix", (name, layer), {}))
        return self

    def learned(self, name: str | int, layer: int | str) -> Optional[dict[str, float]]:
        """shape and mean of the hyperprior of a layer's scale, and the first (from 0) and count of
        its values among the parameters; None if it is fixed."""
        values = [c.c_double(), c.c_double(), c.c_int64(), c.c_int64()]
        call("nnp_net_learned", self, self._number(layer), constant("NOISE", name),
             *map(c.byref, values))
        names = ("shape", "mean", "first", "count")
        found = {key: value.value for key, value in zip(names, values)}
        return found if found["count"] else None

    def get(self, name: str | int, layer: int | str) -> float:
        """The value of a property of one layer (from 1, or by the name of its weights) or of the
        head."""
        return ask("nnp_net_get", c.c_double, self, self._number(layer), constant("NOISE", name))

    @property
    def temperature(self) -> float:
        """Temperature of the classical posterior: for classes 1 unless the noise D of the last
        layer was set, 2D if it was; for numbers always 1."""
        return ask("nnp_net_temperature", c.c_double, self)

    @property
    def layers(self) -> int:
        """How many layers there are, activations included."""
        return ask("nnp_net_layers", c.c_int64, self)

    @property
    def parameters(self) -> int:
        """How many parameters there are, learned scales included."""
        return ask("nnp_net_parameters", c.c_int64, self)

    @property
    def outputs(self) -> int:
        """Units of the last layer."""
        return ask("nnp_net_outputs", c.c_int64, self)

    @property
    def targets(self) -> int:
        """Columns of targets and predictions: as many as outputs, unless the head says
        otherwise."""
        return ask("nnp_net_targets", c.c_int64, self)

    @property
    def latents(self) -> int:
        """Latent variables per row."""
        return ask("nnp_net_latents", c.c_int64, self)

    def layer(self, k: int) -> tuple[int, int, int]:
        """Where the parameters of layer k are: the first, the number of weights and of biases."""
        values = [c.c_int64() for _ in range(3)]
        call("nnp_net_layer", self, k, *map(c.byref, values))
        return tuple(value.value for value in values)

    def shape(self, site: int) -> tuple[int, int, int]:
        """Channels, height and width of a site; 0 is the input."""
        shape = (c.c_int64 * 3)()
        call("nnp_net_shape", self, site, shape)
        return tuple(shape)

    def parameter_name(self, parameter: int) -> str:
        """ "W1[3,17]", "b1[3]" or a learned scale, "D3"; `parameter` counts from 0, the indices in the name from 1."""
        return text("nnp_net_parameter_name", 128, self, parameter)

    @property
    def parameter_names(self) -> list[str]:
        """All of them, in the order of draws."""
        return [self.parameter_name(i) for i in range(self.parameters)]

    def describe(self, rows: int = 1) -> str:
        """A table of layers, shapes, parameters, latents and bytes for this number of rows. A network does
        not know its posterior: latents and noise of hidden layers are for the intermediate one; the
        classical one has neither, and for classes D = 1/2 in the last layer unless it was set."""
        return text("nnp_net_print", 128 * self.layers + 512, self, rows)

    def __str__(self) -> str:
        return self.describe()

    def __repr__(self) -> str:
        if self._pointer is None:
            return "<nnpost.Net: closed>"
        return f"<nnpost.Net: {self.layers} layers, {self.parameters} parameters>"

    def copy(self) -> "Net":
        """An independent copy of the network."""
        net = Net.__new__(Net)
        net._create("nnp_net_copy", "nnp_net_free", self)
        net._recipe, net._head = list(self._recipe), self._head
        return net

    def __reduce__(self):
        return _net_again, (self._recipe,)


def _net_again(recipe: list[tuple]) -> Net:
    """Rebuilds a pickled network step by step."""
    (kind, first, asked), *steps = recipe
    net = Net(*first) if kind == "Net" else Net.recommended(*first, **asked)
    for function, arguments, properties in steps:
        if function in ("set", "learn", "learn_tied", "fix"):
            getattr(net, function)(*arguments, **properties)
        elif function == "nnp_net_head":
            net.head(*arguments)
        else:
            net._add(function, arguments, properties)
    return net


def _pair(size: int | Sequence[int]) -> tuple[int, int]:
    if np.ndim(size) == 0:
        return size, size
    height, width = size
    return height, width


def whole_labels(labels: Any, rows: int, name: str) -> np.ndarray:
    """Labels as the library takes them, one for each of so many rows of `name`."""
    values = np.asarray(labels).reshape(-1)
    if len(values) != rows:
        raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                            f"labels: there are {len(values)}, {name} has {rows} rows")
    bounds = np.iinfo(np.int32)
    if values.dtype.kind not in "biuf" or not np.all(
            (values >= bounds.min) & (values <= bounds.max) & (values % 1 == 0)):
        raise ArgumentError(api.NNP_E_LABEL, "NNP_E_LABEL",
                            f"labels: they are {values.dtype} such as {values[0]!r}, expected "
                            "whole numbers: classes 0, 1, …, or -1 and +1")
    return np.ascontiguousarray(values, dtype=np.int32)


class Data(Handle):
    """Rows of inputs with targets (rows x outputs) or labels (one integer per row). Arrays in C or
    Fortran order are passed to the library as they are; it copies them once."""

    def __init__(self, x: Any, targets: Any = None, labels: Any = None, *, outputs: int = 0,
                 store: str | int = "doubles", rows: Optional[Rows] = None):
        """`outputs` reserves memory for targets that are set later; `store` is how inputs are
        stored: "doubles", "singles", "bytes", "sparse", or, for the best lossless store, "auto" for
        a dense first layer and "auto_images" for a convolution. `rows`: these are one rank's rows
        out of more, see Rows; then they are stored as doubles."""
        inputs, order = matrix(x)
        y, y_order = (None, 0) if targets is None else matrix(targets)
        if y is not None and len(y) != len(inputs):
            raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                                f"targets: they have {len(y)} rows, x has {len(inputs)}")
        self.rows, self.features = inputs.shape
        self.outputs = outputs if y is None else y.shape[1]
        self._spread = rows
        if rows is not None:
            self._create_rows(rows, inputs, order)
        else:
            kept = api.nnp_inputs(address(inputs), self.rows, self.features, order,
                                  constant("STORE_AUTO", store, "NNP_STORE_"))
            self._create("nnp_data_create_from", "nnp_data_free", c.byref(kept), self.outputs)
        if y is not None:
            call("nnp_data_set_targets", self, address(y), y_order)
        if labels is not None:
            self.set_labels(labels)

    def _create_rows(self, rows: Rows, inputs: np.ndarray, order: int) -> None:
        if len(inputs) != rows.count:
            raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                                f"x: it has {len(inputs)} rows, expected {rows.count} as in rows")
        self._create("nnp_data_create_rows", "nnp_data_free", c.byref(rows._struct),
                     rows.comm and c.byref(rows.comm._struct), self.features, self.outputs)
        call("nnp_data_set_inputs", self, address(inputs), order)

    def _needs(self) -> list[Handle]:
        owner = self._spread and self._spread.comm and self._spread.comm._owner
        return [owner] if isinstance(owner, Handle) else []

    def set_labels(self, labels: Any) -> None:
        """One per row: classes 0, 1, …, or -1 and +1."""
        numbers = whole_labels(labels, self.rows, "x")
        call("nnp_data_set_labels", self, address(numbers))

    @property
    def labels(self) -> np.ndarray:
        """As they were set, by a teacher or by you."""
        out = np.empty(self.rows, dtype=np.int32)
        call("nnp_data_labels", self, address(out))
        return out

    @property
    def targets(self) -> np.ndarray:
        """[row, output] as they were set, by a teacher or by you."""
        out = np.empty((self.rows, self.outputs))
        call("nnp_data_targets", self, address(out), api.NNP_ROW_MAJOR)
        return out

    @property
    def store(self) -> str:
        """How the inputs are stored."""
        return constant_name("STORE_AUTO", ask("nnp_data_store", c.c_int32, self), "NNP_STORE_")


class Pool(Handle):
    """Threads for the rows of a chain, or for several chains."""

    def __init__(self, threads: int):
        self._create("nnp_pool_create", "nnp_pool_free", threads)


class Chain(Handle):
    """A Markov chain: `start` it, `run` it, `sample` from it. Options by name:

        Chain(net, data, "hmc", "classical", step_size=1e-3, leapfrogs=100)"""

    def __init__(self, net: Net, data: Data, sampler: str | int = "gibbs",
                 posterior: str | int = "intermediate", **options: float):
        self.net, self.data, self.pool = net, data, None  # the library accesses the data
        self.comm: Optional[Comm] = None
        self._create("nnp_chain_create", "nnp_chain_free", net, data,
                     constant("GIBBS", sampler), constant("INTERMEDIATE", posterior))
        self._parameters = net.parameters
        for name, value in options.items():
            self.set(name, value)

    def _needs(self) -> list[Handle]:
        owner = self.comm and self.comm._owner
        return ([self.data] + ([self.pool] if self.pool else [])
                + ([owner] if isinstance(owner, Handle) else []))

    def set(self, option: str | int, value: str | float) -> None:
        """Sets an option by name: "relax", "step_size", … (see `option_info` for bounds). Values of
        "schedule", "blas" and "moves" have names too: "parallel", "none", "plain", …."""
        call("nnp_chain_set", self, constant("OPTION_SCHEDULE", option, "NNP_OPTION_"),
             option_value(option, value))

    def get(self, option: str | int) -> float:
        """The value of an option."""
        return ask("nnp_chain_get", c.c_double, self,
                   constant("OPTION_SCHEDULE", option, "NNP_OPTION_"))

    def use_pool(self, pool: Optional[Pool]) -> None:
        """Lets the pool's threads work on the rows from now on; None: the calling thread alone."""
        self.pool, before = None, self.pool
        try:
            call("nnp_chain_use_pool", self, pool)
        except BaseException:
            self.pool = before
            raise
        self.pool = pool

    def use_comm(self, comm: Optional[Comm]) -> None:
        """From now on, calls whose first chain this is are made by all ranks together, with the
        chains distributed between them; None: by this process alone."""
        call("nnp_chain_use_comm", self, comm and c.byref(comm._struct))
        self.comm = comm

    # Starts.

    def start(self, kind: str | int = "prior", seed: int = 1, number: int = 0) -> "Chain":
        """Starts from "zero", from the "prior", from "small" noise, or from weights that fit the
        data: "fit"."""
        call("nnp_chain_start", self, constant("START_ZERO", kind, "NNP_START_"), seed, number)
        return self

    def start_weights(self, parameters: Any, noisy: bool = False, seed: int = 1,
                      number: int = 0) -> "Chain":
        """Starts from given parameters; sites are computed through the layers, with noise or
        without."""
        values = doubles(parameters, self._parameters, "parameters")
        call("nnp_chain_start_weights", self, address(values), int(noisy), seed, number)
        return self

    def start_state(self, parameters: Any, sites: Any, seed: int = 1, number: int = 0) -> "Chain":
        """Starts from parameters and all latent sites, as returned by `Teacher.label`."""
        values = doubles(parameters, self._parameters, "parameters")
        latents = doubles(sites, self.net.latents * self.data.rows, "sites")
        call("nnp_chain_start_state", self, address(values), address(latents), seed, number)
        return self

    def start_teacher(self, teacher: "Teacher", sites: Any = None, seed: int = 1,
                      number: int = 0) -> "Chain":
        """The informed start: an exact draw, if `sites` are those that made the labels."""
        latents = None if sites is None else doubles(
            sites, self.net.latents * self.data.rows, "sites")
        call("nnp_chain_start_teacher", self, teacher, address(latents), seed, number)
        return self

    def descend(self, steps: int = 0, callback: Optional[Callback] = None) -> dict[str, Any]:
        """Maximizes the log density of the weights by L-BFGS, from any start, with up to `steps`
        steps (0: the default); then the chain is at step 0. Returns `descent`."""
        guard = run("nnp_chain_descend", self, steps, using=[self], callback=callback)
        guard.finish()
        return self.descent

    @property
    def descent(self) -> dict[str, Any]:
        """The result of the last descent: log density before and after, largest slope, steps,
        evaluations, and why it ended ("none": there was none)."""
        made = api.nnp_descent()
        call("nnp_chain_descent", self, c.byref(made))
        ended = constant_name("DESCENT_NONE", made.ended, "NNP_DESCENT_")
        return {"before": made.before, "after": made.after, "slope": made.slope,
                "steps": made.steps, "evaluations": made.evaluations, "ended": ended}

    def anneal(self, noise: float, steps: int) -> None:
        """Anneals: the noise falls from `noise` to its own value over the first `steps` steps."""
        call("nnp_chain_anneal", self, noise, steps)

    # Steps.

    def run(self, steps: int, callback: Optional[Callback] = None) -> int:
        """Makes steps and returns their number. `callback` is called after every step (step, steps,
        seconds) and stops the run by returning a true value; Ctrl-C stops it too."""
        before = self.steps
        guard = run("nnp_chain_run", self, steps, using=[self], callback=callback)
        guard.finish()
        return self.steps - before

    def sample(self, draws: int, thin: int = 1, callback: Optional[Callback] = None) -> np.ndarray:
        """[draw, parameter]: the parameters after every `thin` steps. A run that is stopped returns
        the draws made so far."""
        out = new_doubles(draws=draws, parameters=self._parameters)
        guard = run("nnp_chain_sample", self, address(out), draws, thin, using=[self],
                    callback=callback)
        guard.finish()
        return out[:ask("nnp_chain_draws", c.c_int64, self)] if guard.stopped else out

    # The state.

    @property
    def steps(self) -> int:
        """Steps made since the start."""
        return ask("nnp_chain_steps", c.c_int64, self)

    @property
    def annealing(self) -> int:
        """Steps of annealing left."""
        return ask("nnp_chain_annealing", c.c_int64, self)

    @property
    def parameters(self) -> np.ndarray:
        """The current parameters, laid out as in a draw."""
        out = np.empty(self._parameters)
        call("nnp_chain_parameters", self, address(out))
        return out

    def site(self, k: int) -> np.ndarray:
        """[row, feature] of site k, from 1."""
        out = np.empty((self.data.rows, int(np.prod(self.net.shape(k)))))
        call("nnp_chain_site", self, k, address(out))
        return out

    @property
    def log_density(self) -> float:
        """Log density of the posterior at the current state, up to the evidence."""
        return ask("nnp_chain_log_density", c.c_double, self)

    def terms(self) -> dict[str, np.ndarray]:
        """Terms of the log density by layer: log_noise, log_prior, residuals."""
        names = "log_noise", "log_prior", "residuals"
        out = {name: np.empty(self.net.layers) for name in names}
        call("nnp_chain_terms", self, *map(address, out.values()))
        return out

    def gradient_statistic(self, layer: int = 1) -> float:
        """D times the mean gradient with respect to a layer's weights: about 0 once the chain
        samples the posterior."""
        return ask("nnp_chain_gradient_statistic", c.c_double, self, layer)

    def probit_draws(self) -> tuple[int, int]:
        """Rows of probit scores drawn so far: exactly, and by scanning."""
        exact, scanned = c.c_int64(), c.c_int64()
        call("nnp_chain_probit_draws", self, c.byref(exact), c.byref(scanned))
        return exact.value, scanned.value

    def moves(self) -> dict[str, dict[str, int]]:
        """Counts of a Gibbs chain's moves since its start, by kind: how many were tried, how many
        changed the state, and evaluations of the density."""
        out, count = {}, api.nnp_move_count()
        for name in api.GROUPS["NNP_MOVE_PLAIN"][:api.NNP_MOVE_KINDS]:
            call("nnp_chain_moves", self, getattr(api, name), c.byref(count))
            out[name[len("NNP_MOVE_"):].lower()] = {
                "tried": count.tried, "moved": count.moved, "evaluations": count.evaluations}
        return out

    def describe(self) -> str:
        """A table of the steps and moves made so far."""
        return text("nnp_chain_print", 1024, self)

    def predict(self, x: Any) -> np.ndarray:
        """[row, output] without noise, from the current parameters."""
        data = x if isinstance(x, Data) else Data(x)
        out = np.empty((data.rows, self.net.targets))
        call("nnp_chain_predict", self, data, address(out))
        return out

    def score(self, data: Data, score: str | int) -> float:
        """ "mse", "accuracy" or "log" of the current parameters."""
        return ask("nnp_chain_score", c.c_double, self, data,
                   constant("SCORE_MSE", score, "NNP_SCORE_"))

    def statistic(self, name: str | int) -> float:
        """A statistic of a gradient sampler's last step: "acceptance", "energy", "depth", …"""
        return ask("nnp_chain_statistic", c.c_double, self,
                   constant("STEP_LOG_DENSITY", name, "NNP_STEP_"))

    def record(self, capacity: int) -> None:
        """Records all statistics of the next `capacity` steps of a gradient sampler."""
        record = np.zeros((capacity, api.NNP_STEP_STATISTICS))
        call("nnp_chain_record", self, address(record), capacity)
        self._record = record  # the library writes there; only now may an older one go

    @property
    def recorded(self) -> dict[str, np.ndarray]:
        """What was recorded so far, by name; views, not copies."""
        steps = ask("nnp_chain_recorded", c.c_int64, self)
        names = api.GROUPS["NNP_STEP_LOG_DENSITY"][:api.NNP_STEP_STATISTICS]
        return {name[len("NNP_STEP_"):].lower(): self._record[:steps, i]
                for i, name in enumerate(names)}

    @property
    def scales(self) -> np.ndarray:
        """The diagonal of the inverse mass matrix of a gradient sampler."""
        out = np.empty(ask("nnp_chain_variables", c.c_int64, self))
        call("nnp_chain_scales", self, address(out))
        return out

    @scales.setter
    def scales(self, variances: Any) -> None:
        size = ask("nnp_chain_variables", c.c_int64, self)
        values = None if variances is None else doubles(variances, size, "variances")
        call("nnp_chain_set_scales", self, address(values))

    # Saving.

    def save(self) -> bytes:
        """Saves everything, random streams included."""
        buffer = c.create_string_buffer(ask("nnp_chain_save_bytes", c.c_size_t, self))
        call("nnp_chain_save", self, c.byref(buffer), len(buffer))
        return buffer.raw

    def restore(self, saved: bytes | Sequence[bytes]) -> "Chain":
        """Continues bit for bit where `save` was called, in a chain of the same network and data.
        If rows are spread over ranks, pass the saves of all ranks, whatever their number."""
        if isinstance(saved, (bytes, bytearray)):
            call("nnp_chain_restore", self, saved, len(saved))
        else:
            call("nnp_chain_restore_rows", self, saves_of(saved), len(saved))
        return self

    def save_draws(self, draws: Any) -> bytes:
        """Draws of this chain, [draw, parameter], in a block for `merge`."""
        values = doubles(draws, None, "draws").reshape(-1, self._parameters)
        buffer = c.create_string_buffer(
            ask("nnp_draws_save_bytes", c.c_size_t, self, len(values)))
        call("nnp_draws_save", self, address(values), len(values), c.byref(buffer), len(buffer))
        return buffer.raw


def saves_of(blocks: Sequence[bytes]) -> c.Array:
    """An array of blocks of bytes for the library."""
    out = (api.nnp_saved * len(blocks))()
    for save, block in zip(out, blocks):
        save.buffer = c.cast(c.c_char_p(bytes(block)), c.c_void_p)
        save.size = len(block)
    out._blocks = blocks  # they must stay
    return out


def option_info(option: str | int) -> dict[str, Any]:
    """Name, bounds and default of an option of a chain."""
    return _info("nnp_option_info", constant("OPTION_SCHEDULE", option, "NNP_OPTION_"))


def study_option_info(option: str | int) -> dict[str, Any]:
    """Name, bounds and default of an option of a study."""
    return _info("nnp_study_option_info", constant("STUDY_STEPS", option, "NNP_STUDY_"))


def _info(function: str, option: int) -> dict[str, Any]:
    name, numbers = c.c_char_p(), [c.c_double() for _ in range(3)]
    call(function, option, c.byref(name), *map(c.byref, numbers))
    low, high, initial = (number.value for number in numbers)
    return {"name": name.value.decode(), "low": low, "high": high, "default": initial}


def new_doubles(**shape: int) -> np.ndarray:
    """Memory for results; sizes that are too large are refused by name."""
    for name, size in shape.items():
        if not 0 <= size < 2**63:
            raise ArgumentError(api.NNP_E_SIZE, "NNP_E_SIZE",
                                f"{name} = {size}: expected 0 to 2^63 - 1")
    try:
        return np.empty(tuple(shape.values()))
    except ValueError as error:  # more bytes than an address has
        raise MemoryError(f"{' x '.join(map(str, shape.values()))} numbers: {error}") from None


class Teacher(Handle):
    """A network with parameters from the prior, which labels data."""

    def __init__(self, net: Net, posterior: str | int = "intermediate", seed: int = 1,
                 number: int = 0):
        self.net = net
        self._create("nnp_teacher_create", "nnp_teacher_free", net,
                     constant("INTERMEDIATE", posterior), seed, number)
        self._classical = constant("INTERMEDIATE", posterior) == api.NNP_CLASSICAL

    @property
    def parameters(self) -> np.ndarray:
        """The parameters that label data; they can be replaced."""
        out = np.empty(self.net.parameters)
        call("nnp_teacher_parameters", self, address(out))
        return out

    @parameters.setter
    def parameters(self, values: Any) -> None:
        array = doubles(values, self.net.parameters, "parameters")
        call("nnp_teacher_set_parameters", self, address(array))

    def label(self, data: Data, noise: int = 1) -> np.ndarray:
        """Sets targets or labels, with the noise of that number (0: without), and returns the
        latent sites that made them. `data` must have memory for targets: Data(x, outputs=…)."""
        latents = 0 if self._classical else self.net.latents
        sites = np.empty(latents * data.rows)
        call("nnp_teacher_label", self, data, noise, address(sites) if latents else None)
        return sites


class Predictor(Handle):
    """Predictions from draws of the parameters, [draw, parameter]."""

    def __init__(self, net: Net, max_draws: int):
        self.net, self._levels = net, 0
        self._pool: Optional[Pool] = None
        self._create("nnp_predictor_create", "nnp_predictor_free", net, max_draws)

    def _needs(self) -> Iterable[Handle]:
        return (self._pool,) if self._pool else ()

    def use_pool(self, pool: Optional[Pool]) -> None:
        """Distributes rows over the threads of a pool from now on; None: this thread alone. Results
        are the same."""
        memory, bytes_ = None, 0
        if pool is not None:
            bytes_ = ask("nnp_predictor_pool_bytes", c.c_size_t, self, pool)
            memory = np.empty(bytes_ + 64, dtype=np.uint8)
            memory = memory[-memory.ctypes.data % 64:]
        call("nnp_predictor_use_pool", self, pool, address(memory), bytes_)
        self._pool, self._helpers = pool, memory

    def noise(self, noise: str | int = "fitted", seed: int = 1) -> None:
        """ "fitted" (default): all noise of the model, hidden layers' included; "forward": the
        outputs of the forward pass, without noise."""
        call("nnp_predictor_noise", self, constant("FORWARD", noise), seed)

    def passes(self, passes: int) -> None:
        """Sets the number of passes with fresh noise per draw; 0: as many as needed."""
        call("nnp_predictor_passes", self, passes)

    def posterior(self, posterior: str | int) -> None:
        """Sets the posterior that the draws are from: "intermediate" by default."""
        call("nnp_predictor_posterior", self, constant("INTERMEDIATE", posterior))

    def levels(self, levels: Sequence[float]) -> None:
        """Sets the levels of "quantiles"."""
        values = doubles(levels)
        call("nnp_predictor_levels", self, address(values), len(values))
        self._levels = len(values)

    def weights(self, weights: Optional[Sequence[float]]) -> None:
        """Sets weights of draws, used by all but "draws", `log_lik` and `functions`; None: equal
        weights."""
        values = None if weights is None else doubles(weights)
        count = 0 if values is None else values.size
        call("nnp_predictor_weights", self, address(values), count)

    def units(self, mean: Optional[Sequence[float]], sd: Optional[Sequence[float]]) -> None:
        """Sets the units of results: mean + sd * target, one of each per target; None: the units of
        the data."""
        means, sds = (None if values is None else doubles(values, self.net.targets, name)
                      for name, values in (("mean", mean), ("sd", sd)))
        call("nnp_predictor_units", self, address(means), address(sds))

    def _watched(self, name: str, data: Data, *arguments: Any,
                 callback: Optional[Callable[[api.nnp_progress], Any]] = None) -> None:
        """A call that ends on Ctrl-C or if a callback returns a true value: then the stored
        exception is raised, or NNP_STOPPED. The callback receives `step` of `steps` parts of the
        work."""
        guard = run(name, self, data, *arguments, using=[self, data], seldom=callback, watched=self)
        guard.finish()
        if guard.stopped:
            raise Error(api.NNP_STOPPED, "NNP_STOPPED", "callback: it asked to stop")

    def predict(self, data: Data, draws: np.ndarray, kind: str | int = "mean",
                callback: Optional[Callable[[api.nnp_progress], Any]] = None) -> np.ndarray:
        """[row, output] for "mean" and "sd", [row, class] for "probabilities" and "votes", [row,
        output, level] for "quantiles", [draw, row, output] for "draws".

        callback   here and below: called several times a second with `step` of `steps` parts of the
                   work; a true value stops it, and an error is raised. So does Ctrl-C"""
        what = constant("PREDICT_MEAN", kind, "NNP_PREDICT_")
        params = self._draws(draws)
        shape: tuple[int, ...] = (data.rows, self.net.targets)
        if what == api.NNP_PREDICT_QUANTILES:
            shape = (*shape, self._levels)
        elif what == api.NNP_PREDICT_DRAWS:
            shape = (len(params), *shape)
        out = np.empty(shape)
        self._watched("nnp_predict", data, address(params), len(params), what, address(out),
                      callback=callback)
        return out

    def score(self, data: Data, draws: np.ndarray, score: str | int,
              callback: Optional[Callable[[api.nnp_progress], Any]] = None) -> float:
        """ "mse", "accuracy" or "log" of the mean prediction."""
        params, value = self._draws(draws), c.c_double()
        self._watched("nnp_score", data, address(params), len(params),
                      constant("SCORE_MSE", score, "NNP_SCORE_"), c.byref(value),
                      callback=callback)
        return value.value

    def log_lik(self, data: Data, draws: np.ndarray,
                callback: Optional[Callable[[api.nnp_progress], Any]] = None) -> np.ndarray:
        """[draw, row]: the log likelihood of every row's target or label under every draw."""
        params = self._draws(draws)
        out = new_doubles(draws=len(params), rows=data.rows)
        self._watched("nnp_log_lik", data, address(params), len(params), address(out),
                      callback=callback)
        return out

    def functions(self, data: Data, draws: np.ndarray, rows: int = 0) -> np.ndarray:
        """[draw, function]: the functions used to judge convergence, named by `function_names`."""
        params = self._draws(draws)
        count = ask("nnp_functions_count", c.c_int64, self, data, rows)
        out = new_doubles(draws=len(params), functions=count)
        self._watched("nnp_functions", data, address(params), len(params), rows, address(out))
        return out

    def function_names(self, data: Data, rows: int = 0) -> list[str]:
        """ "log_lik", predictions such as "f[12]" (row) or "p[12,2]" (row, class), and scales."""
        count = ask("nnp_functions_count", c.c_int64, self, data, rows)
        return [text("nnp_function_name", 128, self, data, rows, i) for i in range(count)]

    def _draws(self, draws: Any) -> np.ndarray:
        array = np.ascontiguousarray(draws, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != self.net.parameters:
            raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                                f"draws: their shape is {array.shape}, expected (draws, "
                                f"{self.net.parameters})")
        return array
