"""Kernels, which are compiled at the first launch with each combination of argument kinds."""
from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from .. import raw
from .._device import Device
from .._errors import CompileError
from .._launch import _NUMPY, LaunchConfig
from .._launch import launch as launch_on
from .._object import Kernel, ObjectCode
from .._program import Program, ProgramOptions
from .._stream import Stream, StreamLike, as_stream
from .._tensor import Tensor, as_tensor
from ._compile import compile_function
from ._constant import kind_of
from ._errors import TileCompilerError
from ._values import plain

T = TypeVar("T")


class Constant(Generic[T]):
    """Marks a compile-time parameter: `n: ct.Constant[int]`."""


_UNSAID: Any = object()


class ByTarget:
    """An option that depends on the architecture: `ByTarget(sm_100=2, default=1)`."""

    def __init__(self, by: dict[str, Any] | None = None, *, default: Any = _UNSAID, **more: Any) -> None:
        self.by, self.default = {**(by or {}), **more}, default
        for name in self.by:
            if not re.fullmatch(r"sm_\d+", name):
                raise ValueError(f"there is no architecture {name}: expected a name such as sm_90")

    def of(self, arch: str, unsaid: Any = None) -> Any:
        """Return the option for an architecture; `unsaid` if there is none."""
        return self.by.get(arch, unsaid if self.default is _UNSAID else self.default)

    def values(self) -> list[Any]:
        return [*self.by.values(), *([] if self.default is _UNSAID else [self.default])]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByTarget) and (self.by, self.default) == (other.by, other.default)

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.by)))

    def __repr__(self) -> str:
        said = [f"{name}={value!r}" for name, value in self.by.items()]
        return f"ByTarget({', '.join(said + ([] if self.default is _UNSAID else [f'default={self.default!r}']))})"


# Kernel options: a validity check and its description.
_HINTS: dict[str, tuple[Callable[[int], bool], str]] = {
    "num_ctas": (lambda n: n in (1, 2, 4, 8, 16), "a power of two from 1 to 16"),
    "occupancy": (lambda n: 1 <= n <= 32, "from 1 to 32"),
    "opt_level": (lambda n: 0 <= n <= 3, "from 0 to 3"),
    "num_worker_warps": (lambda n: n in (4, 8), "4 or 8"),
}


def _checked(hints: dict[str, Any]) -> dict[str, Any]:
    """Check the names and values of a kernel's options."""
    for name, given in hints.items():
        if name not in _HINTS:
            raise TypeError(f"a kernel has no option {name}: expected {', '.join(_HINTS)}")
        allowed, said = _HINTS[name]
        for value in given.values() if isinstance(given, ByTarget) else [given]:
            if value is not None and not allowed(value):
                raise ValueError(f"{name} is {value}: expected {said}")
    return hints


def _option(value: Any, arch: str) -> Any:
    return value.of(arch) if isinstance(value, ByTarget) else value


class kernel:  # noqa: N801
    """Decorator that makes a kernel, which `ct.launch()` runs: `@ct.kernel`,
    `@ct.kernel(num_ctas=2)`.

    The compiler gets `num_ctas` and `num_worker_warps`; `occupancy` and `opt_level` are accepted
    and ignored.
    """

    def __new__(cls, function: Any = None, /, **hints: Any) -> Any:
        if function is None:
            _checked(hints)
            return lambda given: cls(given, **hints)
        return super().__new__(cls)

    def __init__(self, function: Any, /, **hints: Any) -> None:
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"ct.kernel is of a function that is written in Python, not of {type(function).__name__}")
        self.function, self.hints = function, _checked(hints)
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__wrapped__ = function
        self._signature = inspect.signature(function)
        try:
            annotations = typing.get_type_hints(function, include_extras=True)
        except Exception:  # an undefined name: fall back to the annotations as written
            annotations = dict(function.__annotations__)
        given = [annotations.get(name) for name in self._signature.parameters]
        self._constant = list(map(_is_constant, given))
        self._how = [_rule(each) for each in given]
        self._compiled: dict[Any, tuple[Kernel, tuple[int, ...]]] = {}
        self._sources: dict[Any, tuple[str, tuple[int, ...]]] = {}

    def __call__(self, *_arguments: Any, **_named: Any) -> Any:
        raise TypeError(f"{self.__name__} is a kernel: ct.launch(stream, grid, {self.__name__}, "
                        "(...)) runs it")

    def replace_hints(self, **hints: Any) -> kernel:
        """Return the kernel with other options; it is compiled again."""
        return kernel(self.function, **{**self.hints, **hints})

    with_hints = replace_hints

    def _kinds(self, arguments: Sequence[Any],
               tensor: Callable[[Any], Tensor] = as_tensor) -> tuple[tuple[tuple[Any, ...], ...], list[Any]]:
        """Return the part of the cache key that depends on the arguments, and the arguments that a
        launch passes."""
        if len(arguments) != len(self._constant):
            arguments = self._filled(arguments)
        passed: list[Any] = []
        kinds = [kind_of(value) if constant else _kind(value, how, passed, tensor)
                 for value, constant, how in zip(arguments, self._constant, self._how)]
        return tuple(kinds), passed

    def _filled(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Append the defaults of omitted trailing parameters."""
        left = [each.default for each in self._signature.parameters.values()][len(arguments):]
        if not left or inspect.Parameter.empty in left:
            raise TypeError(f"{self.__name__}() takes {len(self._constant)} arguments, "
                            f"{len(arguments)} were given")
        return (*arguments, *left)

    def source(self, *arguments: Any) -> str:
        """Return the text of the tile program for arguments of these kinds."""
        return self._source(self._kinds(arguments)[0])[0]

    def compile(self, *arguments: Any, arch: str | None = None, code_type: str = "cubin") -> ObjectCode:
        """Compile for arguments of these kinds to "cubin" or "ptx". The device need not be present.
        The code can be saved and launched like any tile kernel: pass arrays and numbers in
        order, without the constants."""
        kinds, _ = self._kinds(arguments)
        target = self._options(arch or f"sm_{Device().arch}")
        return Program(self._source(kinds)[0], "tile", target).compile(code_type)

    def _options(self, arch: str) -> ProgramOptions:
        """Return the options that enable all features of the device: "sm_90a" for 9.0."""
        blocks = _option(self.hints.get("num_ctas"), arch)
        return ProgramOptions(name=f"{self.__name__}.tile", arch=arch + "a" if arch == "sm_90" else arch,
                              warps=_option(self.hints.get("num_worker_warps"), arch),
                              cluster=min(blocks, 2) if blocks else None)

    def interpret(self, grid: Sequence[int], args: Sequence[Any] = (),
                  print: Callable[[str], Any] | None = functools.partial(print, end="")) -> None:
        """Run the kernel on the CPU without a driver, on arrays in host memory, such as NumPy's: slow but exact.
        `print` receives the kernel's output in pieces.
        """
        kinds, passed = self._kinds(args, Tensor.from_host)
        source, flat = self._source(kinds)
        passed += [_flat(passed[number]) for number in flat]
        Program(source, "tile", ProgramOptions(name=f"{self.__name__}.tile")).interpret(None, *passed,
                                                                                        grid=_extents(grid),
                                                                                        print=print)

    def _source(self, kinds: tuple[Any, ...]) -> tuple[str, tuple[int, ...]]:
        made = self._sources.get(kinds)
        if made is None:
            made = self._sources[kinds] = compile_function(self.function, list(kinds))
        return made

    def _kernel(self, device: Device, kinds: tuple[Any, ...],
                arguments: Sequence[Any]) -> tuple[Kernel, tuple[int, ...]]:
        key = (device.device_id, kinds)
        made = self._compiled.get(key)
        if made is None:
            source, flat = self._source(kinds)
            program = Program(source, "tile", self._options(f"sm_{device.arch}"))
            try:
                compiled = program.compile("ptx")  # the driver assembles pipelines better than nvJitLink
            except CompileError as error:  # a device-related error refers to lines of the tile program
                where = self.function.__code__
                raise TileCompilerError(f"{where.co_filename}:{where.co_firstlineno}: {self.__name__}(): "
                                        f"{error}\nThe lines are those of {self.__name__}.source().") from error
            made = self._compiled[key] = compiled.get_kernel(plain(self.__name__)), flat
        return made


def _kind(value: Any, how: Any, passed: list[Any], tensor: Callable[[Any], Tensor]) -> tuple[Any, ...]:
    """Return the cache key of one argument, and append its launch argument to `passed`. `how` comes
    from the annotation: True for a 64-bit integer, an ArrayAnnotation for properties that are
    known at compile time."""
    kind = type(value)
    if how is _CONSTANT:  # inside a tuple
        return kind_of(value)
    if type(how) is _Parts:
        return "tuple", *(_kind(each, rule, passed, tensor) for each, rule in zip(value, how.of(value)))
    if kind in (tuple, list):  # a list of arrays, compiled for each length
        kinds = [_kind(each, how, passed, tensor) for each in value]
        if type(how) is ArrayAnnotation and all(each[0] == "array" for each in kinds):
            how.agree(kinds)
        return ("tuple", *kinds)
    if kind is bool:
        made: tuple[Any, ...] = ("scalar", raw.CUC_BOOL)
    elif kind is int:
        made = ("scalar", raw.CUC_I64 if how is True or not -2**31 <= value < 2**31 else raw.CUC_I32)
    elif kind is float:
        made = ("scalar", raw.CUC_F32)
    elif kind.__module__ == "numpy" and kind.__name__ in _NUMPY:
        made = ("scalar", _NUMPY[kind.__name__])
    else:
        value = tensor(value)
        laid = value._struct
        if laid.dtype == raw.CUC_E8M0:  # the tile language represents e8m0 by its bits
            value = value._laid(value.shape, value.strides, raw.CUC_U8)
            laid = value._struct
        made = ("array", laid.dtype, laid.rank)
        if how and how is not True:
            made += (how.of(value),)
    passed.append(value)
    return made


def _flat(tensor: Tensor) -> Tensor:
    """View a tensor's memory, from its first to its last element, as one axis."""
    shape, strides = tensor.shape, tensor.strides
    last = sum((extent - 1) * max(stride, 0) for extent, stride in zip(shape, strides))
    return tensor._laid((last + 1 if all(shape) else 0,), (1,))


class ConstantAnnotation:
    """Marks a parameter in `typing.Annotated` like `ct.Constant`."""


@dataclasses.dataclass(frozen=True)
class ArrayAnnotation:
    """Marks an array in `typing.Annotated` whose extents and strides are compile-time constants;
    each new combination is compiled. `index_dtype` has no effect, because all indices have 64
    bits."""

    index_dtype: Any = None
    static_shape_dims: tuple[int, ...] = ()
    static_stride_dims: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("static_shape_dims", "static_stride_dims"):
            given = getattr(self, name)
            if not isinstance(given, (tuple, list)) or any(isinstance(n, bool) or not isinstance(n, int) for n in given):
                raise TypeError(f"{name} is {given!r}: expected a tuple of axes")

    def of(self, tensor: Tensor) -> tuple[Any, Any]:
        """Return the known properties of an array: the axes whose extents are known, with the
        extents, and the same for strides."""
        axes = range(tensor.ndim)
        for name in ("static_shape_dims", "static_stride_dims"):
            seen: set[int] = set()
            for axis in getattr(self, name):
                if not -tensor.ndim <= axis < tensor.ndim:
                    raise ValueError(f"an annotation names axis {axis} of an array of {tensor.ndim}")
                if axes[axis] in seen:
                    raise ValueError(f"{name} is {getattr(self, name)}, which names axis {axes[axis]} of an array of "
                                     f"{tensor.ndim} twice")
                seen.add(axes[axis])
        return (tuple((axes[axis], tensor.shape[axis]) for axis in self.static_shape_dims),
                tuple((axes[axis], tensor.strides[axis]) for axis in self.static_stride_dims))


    @staticmethod
    def agree(kinds: Sequence[tuple[Any, ...]]) -> None:
        """Check that all arrays of a list have the same constants; `kinds` are their cache keys."""
        for kind in kinds[1:]:
            for what, first, other in zip(("shape", "strides"), kinds[0][-1], kind[-1]):
                for (axis, one), (_, two) in zip(first, other):
                    if one != two:
                        raise ValueError(f"{what}[{axis}] is {one} and {two} in arrays of one list: its annotation makes "
                                         "it one constant")


@dataclasses.dataclass(frozen=True)
class ScalarAnnotation:
    """Marks a number in `typing.Annotated`; 64 bits wide if `dtype` is `ct.int64`."""

    dtype: Any


@dataclasses.dataclass(frozen=True)
class ListAnnotation:
    """Marks a list of arrays in `typing.Annotated`; `element` annotates each of them."""

    element: Any


def _marks(annotation: Any) -> tuple[Any, ...]:
    return getattr(annotation, "__metadata__", ())


def _is_constant(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return "Constant" in annotation
    return annotation is Constant or typing.get_origin(annotation) is Constant or \
        any(isinstance(mark, ConstantAnnotation) for mark in _marks(annotation))


def _wide(annotation: Any) -> bool:
    """Return whether an annotation denotes a 64-bit integer."""
    return getattr(annotation, "__cucore_int64__", False) or \
        any(isinstance(mark, ScalarAnnotation) and mark.dtype == "int64" for mark in _marks(annotation))


def _known(annotation: Any) -> ArrayAnnotation | None:
    """Return the array annotation if it makes any property a constant."""
    for mark in _marks(annotation):
        if isinstance(mark, ListAnnotation):
            return _known(mark.element) if _marks(mark.element) else mark.element
        if isinstance(mark, ArrayAnnotation) and (mark.static_shape_dims or mark.static_stride_dims):
            return mark
    return None


_CONSTANT: Any = object()


class _Parts:
    """The annotations of a tuple's elements: `tuple[ct.Constant[int], ct.Array]`; with `...`, of
    any number of elements."""

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.repeated = len(parts) == 2 and parts[1] is Ellipsis
        self.rules = [_rule(each) for each in (parts[:1] if self.repeated else parts if parts != ((),) else ())]

    def of(self, value: Any) -> list[Any]:
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"a parameter is annotated as a tuple, and got a {type(value).__name__}")
        if self.repeated:
            return self.rules * len(value)
        if len(value) != len(self.rules):
            raise TypeError(f"a parameter is annotated as a tuple of {len(self.rules)}, and got one of {len(value)}")
        return self.rules


def _rule(annotation: Any) -> Any:
    """Return the rule for passing an argument with this annotation."""
    if _is_constant(annotation):
        return _CONSTANT
    if typing.get_origin(annotation) is tuple:
        return _Parts(typing.get_args(annotation))
    return _wide(annotation) or _known(annotation)


TileKernel = kernel


def function(given: Any = None, /, **_where: Any) -> Any:
    """Mark a function that kernels call. The mark is optional; it exists for compatibility with
    cuTile."""
    return given if given is not None else (lambda each: each)


@functools.lru_cache(maxsize=256)
def _config(grid: tuple[int, ...], programmatic: bool) -> LaunchConfig:
    return LaunchConfig(grid=grid, block=None, programmatic_stream_serialization=programmatic)


def _extents(grid: Any) -> tuple[int, ...]:
    """Return a grid as a tuple; an empty one means a single block."""
    return (tuple(grid) or (1,)) if isinstance(grid, (tuple, list)) else (grid,)


def _numbered(stream: int, passed: Sequence[Any]) -> Stream:
    """Wrap the integer of a CUstream. A default stream belongs to the first array's device, as in
    cuTile."""
    array = next((each for each in passed if isinstance(each, Tensor) and each.device_id >= 0), None)
    if array is None or not 0 <= stream <= 2:
        return Stream.from_handle(stream)
    device = Device(array.device_id)
    return device.per_thread_default_stream if stream == 2 else device.default_stream


def launch(stream: StreamLike, grid: Sequence[int], kernel: TileKernel, kernel_args: Sequence[Any] = (), *,
           programmatic_dependent_launch: bool = False) -> None:
    """Run a kernel on a grid of blocks, in stream order; the grid `()` means one block. The stream
    may also be the integer of a CUstream, which must stay valid. Trailing arguments with
    defaults may be omitted."""
    if not isinstance(kernel, TileKernel):
        raise TypeError(f"expected a kernel, a function with @ct.kernel, not {type(kernel).__name__}")
    kinds, passed = kernel._kinds(kernel_args)
    queue = _numbered(stream, passed) if type(stream) is int else as_stream(stream)
    made, flat = kernel._kernel(queue.device, kinds, kernel_args)
    passed += [_flat(passed[number]) for number in flat]
    launch_on(queue, _config(_extents(grid), programmatic_dependent_launch), made, *passed)


__all__ = ["ArrayAnnotation", "ByTarget", "Constant", "ConstantAnnotation", "ListAnnotation",
           "ScalarAnnotation", "Tensor", "TileCompilerError", "TileKernel", "function", "kernel",
           "launch"]
