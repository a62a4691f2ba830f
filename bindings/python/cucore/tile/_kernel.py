"""Kernels: compiled when they are first launched with arguments of some kinds."""
from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from .. import raw
from .._device import Device
from .._errors import CompileError
from .._launch import _NUMPY, LaunchConfig
from .._launch import launch as launch_on
from .._object import Kernel
from .._program import Program, ProgramOptions
from .._stream import StreamLike, as_stream
from .._tensor import Tensor, as_tensor
from ._compile import compile_function
from ._values import TileCompilerError, plain

T = TypeVar("T")
_COMPILERS_BLOCK = (0, 0, 0)


class Constant(Generic[T]):
    """Marks a parameter that is known when the kernel is compiled: `n: ct.Constant[int]`."""


class ByTarget:
    """An option by architectures: `ByTarget(sm_100=2, default=1)`."""

    def __init__(self, by: dict[str, Any] | None = None, *, default: Any = None, **more: Any) -> None:
        self.by, self.default = {**(by or {}), **more}, default

    def of(self, arch: str) -> Any:
        return self.by.get(arch, self.default)


def _option(value: Any, arch: str) -> Any:
    return value.of(arch) if isinstance(value, ByTarget) else value


class TileKernel:
    """A function with `@ct.kernel`; `ct.launch()` runs it."""

    def __init__(self, function: Any, **hints: Any) -> None:
        self.function, self.hints = function, hints
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__wrapped__ = function
        self._signature = inspect.signature(function)
        try:
            annotations = typing.get_type_hints(function)
        except Exception:  # a name that is not there: what can be read of the text decides
            annotations = dict(function.__annotations__)
        self._constant = [_is_constant(annotations.get(name)) for name in self._signature.parameters]
        self._int64 = [getattr(annotations.get(name), "__cucore_int64__", False)
                       for name in self._signature.parameters]
        self._compiled: dict[Any, Kernel] = {}
        self._sources: dict[Any, str] = {}

    def __call__(self, *_arguments: Any, **_named: Any) -> Any:
        raise TypeError(f"{self.__name__} is a kernel: ct.launch(stream, grid, {self.__name__}, "
                        "(...)) runs it")

    def replace_hints(self, **hints: Any) -> TileKernel:
        """The same kernel with other options, compiled anew."""
        return TileKernel(self.function, **{**self.hints, **hints})

    with_hints = replace_hints

    def _kinds(self, arguments: Sequence[Any]) -> tuple[tuple[tuple[Any, ...], ...], list[Any]]:
        """What the code depends on of the arguments, and those that are passed to it."""
        if len(arguments) != len(self._constant):
            raise TypeError(f"{self.__name__}() takes {len(self._constant)} arguments, "
                            f"{len(arguments)} were given")
        passed: list[Any] = []
        kinds = [("constant", value, type(value)) if constant else _kind(value, wide, passed)
                 for value, constant, wide in zip(arguments, self._constant, self._int64)]
        return tuple(kinds), passed

    def source(self, *arguments: Any) -> str:
        """The tile program of arguments like these, as text, to read or to keep."""
        kinds, _ = self._kinds(arguments)
        made = self._sources.get(kinds)
        if made is None:
            made = self._sources[kinds] = compile_function(self.function, list(kinds))
        return made

    def _kernel(self, device: Device, kinds: tuple[Any, ...], arguments: Sequence[Any]) -> Kernel:
        key = (device.device_id, kinds)
        made = self._compiled.get(key)
        if made is None:
            # All that a device has: "sm_90a" of one of 9.0.
            arch = f"sm_{device.arch}"
            target = ProgramOptions(name=f"{self.__name__}.tile",
                                    arch=arch + "a" if arch == "sm_90" else arch)
            warps = _option(self.hints.get("num_worker_warps"), arch)
            blocks = _option(self.hints.get("num_ctas"), arch)
            target.warps = warps
            target.cluster = min(blocks, 2) if blocks else None
            code = "ptx" if raw.cuc_driver_is_simulated() else "cubin"
            program = Program(self.source(*arguments), "tile", target)
            try:
                compiled = program.compile(code)
            except CompileError as error:  # about the device: it speaks of the program's own lines
                where = self.function.__code__
                raise TileCompilerError(f"{where.co_filename}:{where.co_firstlineno}: {self.__name__}(): "
                                        f"{error}\nThe lines are those of {self.__name__}.source().") from error
            made = self._compiled[key] = compiled.get_kernel(plain(self.__name__))
        return made


def _kind(value: Any, wide: bool, passed: list[Any]) -> tuple[Any, ...]:
    """What the code depends on of one argument; what is passed for it is appended."""
    kind = type(value)
    if kind in (tuple, list):  # of arrays; compiled for as many
        return ("tuple", *(_kind(each, wide, passed) for each in value))
    if kind is bool:
        made: tuple[Any, ...] = ("scalar", raw.CUC_BOOL)
    elif kind is int:
        made = ("scalar", raw.CUC_I64 if wide or not -2**31 <= value < 2**31 else raw.CUC_I32)
    elif kind is float:
        made = ("scalar", raw.CUC_F32)
    elif kind.__module__ == "numpy" and kind.__name__ in _NUMPY:
        made = ("scalar", _NUMPY[kind.__name__])
    else:
        value = as_tensor(value)
        made = ("array", value._struct.dtype, value._struct.rank)
    passed.append(value)
    return made


def _is_constant(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return "Constant" in annotation
    return annotation is Constant or typing.get_origin(annotation) is Constant


def kernel(function: Any = None, /, **hints: Any) -> Any:
    """Make a kernel of a function: `@ct.kernel`, `@ct.kernel(num_ctas=2)`.

    `num_ctas` and `num_worker_warps` reach the compiler; `occupancy` and `opt_level` are taken and
    not used.
    """
    if function is None:
        return lambda given: TileKernel(given, **hints)
    return TileKernel(function, **hints)


def function(given: Any = None, /, **_where: Any) -> Any:
    """Mark a function that kernels call. Any Python function can be; the mark is cuTile's."""
    return given if given is not None else (lambda each: each)


@functools.lru_cache(maxsize=256)
def _config(grid: tuple[int, ...], programmatic: bool) -> LaunchConfig:
    return LaunchConfig(grid, _COMPILERS_BLOCK, programmatic_stream_serialization=programmatic)


def launch(stream: StreamLike, grid: Sequence[int], kernel: TileKernel, args: Sequence[Any] = (), *,
           programmatic_dependent_launch: bool = False) -> None:
    """Run a kernel on a grid of blocks, in the stream's order."""
    if not isinstance(kernel, TileKernel):
        raise TypeError(f"expected a kernel, a function with @ct.kernel, not {type(kernel).__name__}")
    queue = as_stream(stream)
    kinds, passed = kernel._kinds(args)
    made = kernel._kernel(queue.device, kinds, args)
    config = _config(tuple(grid) if isinstance(grid, (tuple, list)) else (grid,),
                     programmatic_dependent_launch)
    launch_on(queue, config, made, *passed)


__all__ = ["ByTarget", "Constant", "Tensor", "TileCompilerError", "TileKernel", "function", "kernel",
           "launch"]
