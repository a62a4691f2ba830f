"""Tile programs interpreted on the CPU, with arguments in host memory."""
from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Generator, Sequence
from typing import Any, Union

from . import raw
from ._errors import check
from ._handle import c_text, callback, options
from ._launch import _CTYPES, _NUMPY, _VALUE, dim
from ._tensor import Tensor

_check_signals = ctypes.pythonapi.PyErr_CheckSignals  # raises the exception of a pending signal handler

Grid = Union[int, Sequence[int], None]


def argument(index: int, value: Any, kept: list[Any]) -> Any:
    """Build a cuc_arg, and append the objects that it points to to `kept`. A Python int becomes
    i32, or i64 if it does not fit; a float becomes f32. For other types use NumPy or ctypes
    scalars."""
    kind = type(value)
    if kind in _CTYPES:
        dtype, number = _CTYPES[kind], value.value
    elif kind.__module__ == "numpy" and kind.__name__ in _NUMPY:
        dtype, number = _NUMPY[kind.__name__], value
    elif kind is bool:
        dtype, number = raw.CUC_BOOL, value
    elif kind is int:
        dtype, number = raw.CUC_I32 if -2**31 <= value < 2**31 else raw.CUC_I64, value
    elif kind is float:
        dtype, number = raw.CUC_F32, value
    else:
        tensor = value if isinstance(value, Tensor) else Tensor.from_host(value)
        kept.append(tensor)
        made = raw.cuc_arg(raw.CUC_ARG_TENSOR, 8)
        made.value.pointer = tensor._address
        return made
    made = raw.cuc_arg(dtype, raw.cuc_dtype_bits(dtype) // 8)
    packed = struct.pack("=" + _VALUE[dtype], number)
    ctypes.memmove(ctypes.addressof(made.value), packed, 8)
    return made


def interpret(program: int, kernel: str | None, args: Sequence[Any], grid: Grid,
              print: Callable[[str], Any] | None) -> None:
    made = options(raw.cuc_tile_interpret_options)
    if grid is not None:
        made.grid = dim("grid", grid)
    said: list[bytes] = []
    failed: list[BaseException] = []

    def tell() -> None:
        for text in said:
            if print is not None:
                print(text.decode("utf-8", "replace"))
        said.clear()

    def watching() -> Generator[int, Any, None]:
        """Yield the callback that is polled during interpretation. It stops the program if `print`
        raised, or if a signal handler raised, such as for Ctrl-C. A handler may run before the
        first line of a function, outside any `try`, but not before the first line of a
        generator."""
        try:
            while True:
                yield 0
                _check_signals()
                tell()
        except GeneratorExit:
            raise
        except BaseException as error:
            failed.append(error)
            yield 1

    watch = watching()
    next(watch)
    stop = made.stop = callback(raw.cuc_tile_interpret_options, "stop", watch.send)
    # For the same reason the print callback is not a Python function; it only appends each text.
    put = callback(raw.cuc_tile_interpret_options, "print", said.insert)
    made.user = sys.maxsize
    if print is not None:
        made.print = put
    kept: list[Any] = [stop, put]
    given = (raw.cuc_arg * max(len(args), 1))(*[argument(i, a, kept) for i, a in enumerate(args)])
    name = c_text("kernel", kernel) if kernel is not None else None
    status = raw.cuc_tile_interpret(program, name, given, len(args), ctypes.byref(made))
    if failed:
        raise failed[0]
    tell()
    check(status)
