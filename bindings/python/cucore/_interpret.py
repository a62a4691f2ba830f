"""Tile programs on the CPU: arguments in the host's memory."""
from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any, Union

from . import raw
from ._errors import check
from ._handle import c_text, callback, options
from ._launch import _CTYPES, _NUMPY, _VALUE, dim
from ._tensor import Tensor

Grid = Union[int, Sequence[int], None]


def _argument(index: int, value: Any, kept: list[Any]) -> Any:
    """A cuc_arg; what it points to goes to `kept`. Python's numbers are i32, or i64 where they do not fit,
    and f32: others come from NumPy or ctypes."""
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
    failed: list[BaseException] = []

    def printed(_user: Any, said: bytes) -> None:
        try:
            if print is not None:
                print(said.decode("utf-8", "replace"))
        except BaseException as error:
            failed.append(error)

    kept: list[Any] = []
    if print is not None:
        kept.append(callback(raw.cuc_tile_interpret_options, "print", printed))
        made.print = kept[0]
    given = (raw.cuc_arg * max(len(args), 1))(*[_argument(i, a, kept) for i, a in enumerate(args)])
    name = c_text("kernel", kernel) if kernel is not None else None
    check(raw.cuc_tile_interpret(program, name, given, len(args), ctypes.byref(made)))
    if failed:
        raise failed[0]
