"""Finding the shared library, calling it, and turning its statuses into exceptions."""
from __future__ import annotations

import ctypes as c
import operator
import os
import pathlib
import signal
import sys
import threading
import weakref
from typing import Any, Callable, Iterable, Optional

import numpy as np

from . import _api as api


class Error(RuntimeError):
    """An error of the library: its message, with `status` and `name` (such as "NNP_E_SHAPE")."""

    def __init__(self, status: int, name: str, message: str):
        super().__init__(f"{name}: {message}")
        self.status, self.name = status, name


class ArgumentError(Error, ValueError):
    """An argument that is out of bounds, of the wrong shape or unknown."""


_ARGUMENT = {getattr(api, "NNP_E_" + name) for name in (
    "NULL", "SIZE", "OVERFLOW", "NOT_FINITE", "LABEL", "VALUE", "SHAPE", "OPTION", "ENUM")}


def _candidates() -> list[str]:
    """Where the library may be: $NNPOST_LIBRARY alone if set, else next to this file, in an
    installed prefix, where the system looks, in the build folder of a source tree."""
    given = os.environ.get("NNPOST_LIBRARY")
    if given:
        return [given]
    here = pathlib.Path(__file__).resolve().parent
    system = {"darwin": f"libnnpost.{api.NNP_ABI_VERSION}.dylib",
              "win32": f"libnnpost-{api.NNP_ABI_VERSION}.dll"}
    name = system.get(sys.platform, f"libnnpost.so.{api.NNP_ABI_VERSION}")
    found = [here / packed for packed in ("libnnpost.so", "libnnpost.dylib", "nnpost.dll")]
    for above in here.parents:  # PREFIX/lib/python3/dist-packages/nnpost
        if above.name == "lib":
            found += [above / name, *sorted(above.glob(f"*/{name}"))]
    local = pathlib.Path("/usr/local")  # where `make install` puts it, known to the system or not
    later = [*sorted(local.glob(f"lib*/{name}")), *sorted(local.glob(f"lib/*/{name}"))]
    later += [above / "build/capi" / name for above in list(here.parents)[2:3]]
    found, later = ([str(path) for path in paths if path.is_file()] for paths in (found, later))
    return found + [name] + later


def _load() -> c.CDLL:
    tried = []
    for path in _candidates():
        try:
            return _checked(c.CDLL(path), path)
        except OSError as error:
            tried.append(f"{path}: {error}")
    raise ImportError("nnpost: no shared library found; build it, or set NNPOST_LIBRARY to its "
                      "path. Tried:\n  " + "\n  ".join(tried))


def _checked(library: c.CDLL, path: str) -> c.CDLL:
    """Checks that the ABI agrees with the header this module was generated from, and that all
    functions exist."""
    try:
        for name, (result, arguments) in api.PROTOTYPES.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = [kind for _, kind in arguments]
    except AttributeError as error:
        raise ImportError(f"nnpost: {path} has not all that version {api.NNP_VERSION} has: "
                          f"{error}") from None
    abi, version = library.nnp_abi_version(), library.nnp_version().decode()
    if abi != api.NNP_ABI_VERSION:
        raise ImportError(f"nnpost: {path}, version {version}, has ABI {abi}, expected "
                          f"{api.NNP_ABI_VERSION}")
    return library


lib = _load()

# ctypes truncates integers to the size of the argument; such values are refused instead.
_RANGES = {c.c_int32: (-2**31, 2**31 - 1), c.c_int64: (-2**63, 2**63 - 1),
           c.c_uint32: (0, 2**32 - 1), c.c_uint64: (0, 2**64 - 1), c.c_size_t: (0, 2**64 - 1)}
_INTEGERS = {name: [(i, argument, *_RANGES[kind]) for i, (argument, kind) in enumerate(arguments)
                    if kind in _RANGES]
             for name, (_, arguments) in api.PROTOTYPES.items()}


def call(name: str, *arguments: Any, stopped_is_fine: bool = False) -> int:
    """Calls a function of the library with an error struct after the arguments; raises on
    failure."""
    values = [value.address if isinstance(value, Handle) else value for value in arguments]
    for i, argument, low, high in _INTEGERS[name]:
        values[i] = operator.index(values[i])
        if not low <= values[i] <= high:
            raise OverflowError(f"{argument} = {values[i]}: expected {low} to {high}")
    error = api.nnp_error()
    status = getattr(lib, name)(*values, c.byref(error))
    if status != api.NNP_OK and not (stopped_is_fine and status == api.NNP_STOPPED):
        raise_error(status, error)
    return status


def raise_error(status: int, error: api.nnp_error) -> None:
    name, message = lib.nnp_status_name(status).decode(), error.message.decode()
    if status == api.NNP_E_OUT_OF_MEMORY:
        raise MemoryError(f"{name}: {message}")
    raise (ArgumentError if status in _ARGUMENT else Error)(status, name, message)


def version() -> str:
    """The library's version."""
    return lib.nnp_version().decode()


def build_info() -> dict[str, str]:
    """Version, compiler, SIMD levels, threads and BLAS core of the library."""
    buffer = c.create_string_buffer(4096)
    call("nnp_build_info", buffer, len(buffer))
    lines = buffer.value.decode().splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line)


# What the constants of a group stand for.
_FAMILIES = {"GAUSSIAN": "head", "IDENTITY": "activation", "INTERMEDIATE": "posterior", "GIBBS":
             "sampler", "START_ZERO": "start", "NOISE": "property", "OPTION_SCHEDULE": "option",
             "PREDICT_MEAN": "kind", "SCORE_MSE": "score", "STAT_RHAT": "statistic", "STORE_AUTO":
             "store", "FORWARD": "noise"}


def constant(group: str, value: str | int, prefix: str = "NNP_") -> int:
    """The number behind "relu" in the enum that begins with NNP_`group`; numbers pass."""
    if not isinstance(value, str):
        return operator.index(value)
    name, names = prefix + value.upper(), api.GROUPS["NNP_" + group]
    if name not in names:
        known = ", ".join(n[len(prefix):].lower() for n in names if n.startswith(prefix))
        raise ArgumentError(api.NNP_E_ENUM, "NNP_E_ENUM",
                            f"{_FAMILIES.get(group, 'name')}: '{value}' is not known, "
                            f"expected one of: {known}")
    return getattr(api, name)


_VALUES = {"schedule": ("SEQUENTIAL", "NNP_"), "blas": ("BLAS_AUTOMATIC", "NNP_BLAS_"),
           "moves": ("MOVES_PLAIN", "NNP_MOVES_"), "sampling": ("SAMPLING_LOG", "NNP_SAMPLING_"),
           "function": ("SCORE_MSE", "NNP_SCORE_")}


def option_value(option: str | int, value: str | float) -> float:
    """The number of an option's value; "parallel" of the option "schedule" and the like have names."""
    if not isinstance(value, str) or option not in _VALUES:
        return value
    group, prefix = _VALUES[option]
    return constant(group, value, prefix)


def constant_name(group: str, number: int, prefix: str = "NNP_") -> str:
    """ "nuts" for NNP_NUTS: the name of a constant of the enum that begins with NNP_`group`."""
    for name in api.GROUPS["NNP_" + group]:
        if getattr(api, name) == number:
            return name[len(prefix):].lower()
    raise ValueError(f"{number} is none of the constants beside NNP_{group}")


# ---- Objects of the library ---------------------------------------------------------------------

class Handle:
    """An object of the library. It is freed with its last reference, or by close(), or at the end
    of a `with` block."""

    _pointer: Optional[int] = None
    _users = 0  # calls that take long and have not returned

    def _create(self, function: str, free: str, *arguments: Any) -> None:
        pointer = c.c_void_p()
        call(function, c.byref(pointer), *arguments)
        self._pointer = pointer.value
        self._finalizer = weakref.finalize(self, getattr(lib, free), pointer.value)

    @property
    def address(self) -> int:
        """Its address, for calls of `nnpost.lib`."""
        if self._pointer is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        for other in self._needs():
            other.address  # raises if that one is closed
        return self._pointer

    def _needs(self) -> Iterable["Handle"]:
        """Objects the library accesses when this one is used."""
        return ()

    def _all(self) -> list["Handle"]:
        return [self] + [one for other in self._needs() for one in other._all()]

    def close(self) -> None:
        """Frees it now; closing twice is fine. Objects that need it cannot be used from then on."""
        if self._users:
            raise ValueError(f"this {type(self).__name__} is in use by a run")
        if self._pointer is not None:
            self._pointer = None
            self._finalizer()

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} is an object of the library and cannot be copied "
                        "or pickled; chains and fits have save()")


def ask(name: str, kind: Any, *arguments: Any) -> Any:
    """Calls a function whose last argument is a number that it writes."""
    value = kind()
    call(name, *arguments, c.byref(value))
    return value.value


def text(name: str, size: int, *arguments: Any) -> str:
    """Calls a function that writes into a buffer."""
    buffer = c.create_string_buffer(size)
    call(name, *arguments, buffer, size)
    return buffer.value.decode()


def workspace(bytes_: int) -> np.ndarray:
    return np.empty((bytes_ + 7) // 8)


def array_of(series: api.nnp_series) -> tuple[np.ndarray, np.ndarray]:
    """Copies times and values of a series of the library, which lives only as long as its
    object."""
    if series.count == 0:
        return np.empty(0), np.empty(0)
    kind = c.POINTER(c.c_double * series.count)
    times, values = (np.array(c.cast(pointer, kind).contents)
                     for pointer in (series.times, series.values))
    return times, values


def address(array: Optional[np.ndarray]) -> Optional[int]:
    return None if array is None else array.ctypes.data


def doubles(values: Any, size: Optional[int] = None, name: str = "values") -> np.ndarray:
    """A contiguous array of doubles; the same one if it is that already."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if size is not None and array.size != size:
        raise ArgumentError(api.NNP_E_SHAPE, "NNP_E_SHAPE",
                            f"{name}: it has {array.size} values, expected {size}")
    return array


def matrix(values: Any) -> tuple[np.ndarray, int]:
    """rows x features as it lies in memory, and its order. A vector is one feature; further axes,
    as of images, are features. Copied only if it is neither C nor Fortran order, or not float64."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim < 2:
        array = array.reshape(-1, 1)
    if array.ndim > 2:
        array = np.ascontiguousarray(array).reshape(len(array), -1)
    if array.flags.c_contiguous:
        return array, api.NNP_ROW_MAJOR
    if array.flags.f_contiguous:
        return array, api.NNP_COLUMN_MAJOR
    return np.ascontiguousarray(array), api.NNP_ROW_MAJOR


# ---- Calls that take long -----------------------------------------------------------------------

def run_watched(name: str, kind: Any, handle: Handle, *arguments: Any,
                callback: Optional[Callable[[Any], Any]] = None) -> Interruptible:
    """Calls a function that takes a callback, of type `kind`, and its user after `arguments`. The callback's
    argument before the last tells how far a study, a multistart or an exchange has come."""
    guard = Interruptible(callback, [handle])
    told = kind(lambda *what: guard.ask(what[-2].contents))
    with guard:
        status = call(name, handle, *arguments, told, None, stopped_is_fine=True)
        guard.stopped = status == api.NNP_STOPPED
    return guard


class Interruptible:
    """Lets Ctrl-C and exceptions of callbacks end a run cleanly.

    A Python exception cannot pass through the library, so it is kept, the run is asked to stop,
    and `finish` raises it. `stopped` says whether the run ended early."""

    def __init__(self, function: Optional[Callable[[Any], Any]] = None,
                 using: Iterable[Handle] = ()):
        self.function, self.stopped = function, False
        self.exception: Optional[BaseException] = None
        self.signal: Optional[tuple] = None
        self.using = [one for handle in using for one in handle._all()]

    def ask(self, *told: Any) -> int:
        if self.signal or self.exception:
            return 1
        try:
            return int(bool(self.function and self.function(*told)))
        except BaseException as exception:  # also SystemExit: it is raised again
            self.exception = exception
            return 1

    def __enter__(self) -> "Interruptible":
        for handle in self.using:
            handle._users += 1
        self.previous = signal.getsignal(signal.SIGINT)
        self.handling = (threading.current_thread() is threading.main_thread()
                         and callable(self.previous))
        if self.handling:
            signal.signal(signal.SIGINT, self._on_signal)
        return self

    def _on_signal(self, *what: Any) -> None:
        self.signal = what

    def __exit__(self, *_: Any) -> None:
        if self.handling:
            signal.signal(signal.SIGINT, self.previous)
        for handle in self.using:
            handle._users -= 1

    def finish(self) -> None:
        """Raises what was kept: after the run, outside the `with` block."""
        if self.exception is not None:
            raise self.exception
        if self.signal is not None:
            self.previous(*self.signal)


SECONDS_BETWEEN_LOOKS = 0.05


def run(name: str, *arguments: Any, using: Iterable[Handle],
        callback: Optional[Callable[[Any], Any]] = None,
        seldom: Optional[Callable[[Any], Any]] = None,
        watched: Optional[Handle] = None) -> Interruptible:
    """Calls a function that takes a callback and its user after `arguments`. `callback` is called
    after every step, `seldom` several times a second; a true value stops the run. Objects in `using`
    cannot be closed meanwhile. If a predictor is `watched`, the callback is set on it before the call."""
    guard = Interruptible(callback or seldom, using)
    on_step = api.nnp_callback(lambda progress, _user: guard.ask(progress.contents))
    throttle = api.nnp_throttle(on_step, None, SECONDS_BETWEEN_LOOKS, 0)
    throttled = c.cast(lib.nnp_throttled, api.nnp_callback)
    how = (on_step, None) if callback else (throttled, c.addressof(throttle))
    with guard:
        if watched is not None:
            call("nnp_predictor_watch", watched, *how)
            how = ()
        try:
            guard.stopped = call(name, *arguments, *how, stopped_is_fine=True) == api.NNP_STOPPED
        finally:
            if watched is not None:
                call("nnp_predictor_watch", watched, api.nnp_callback(), None)
    return guard
