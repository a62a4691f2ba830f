"""Tile kernels written in Python: `import cucore.tile as ct`.

Names and semantics follow NVIDIA's cuTile (`cuda.tile`). A function decorated with `@ct.kernel`
describes the work of one block in terms of tiles. cucore compiles it itself, for any device from
sm_80 on, at the first launch with each combination of argument types.
"""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import raw
from . import tune
from ._errors import (
    StaticException,
    TileCompilerError,
    TileCompilerExecutionError,
    TileCompilerTimeoutError,
    TileError,
    TileInternalError,
    TileRecursionError,
    TileStaticAssertionError,
    TileStaticEvalError,
    TileSyntaxError,
    TileTypeError,
    TileUnsupportedFeatureError,
    TileValueError,
)
from ._expression import Op
from ._kernel import (
    ArrayAnnotation,
    ByTarget,
    Constant,
    ConstantAnnotation,
    ListAnnotation,
    ScalarAnnotation,
    TileKernel,
    function,
    kernel,
    launch,
)
from ._ops import OPS, MemoryOrder, MemoryScope, PaddingMode, RoundingMode
from ._values import DType

bool_ = DType(raw.CUC_BOOL, "bool_")
int8, int16 = DType(raw.CUC_I8, "int8"), DType(raw.CUC_I16, "int16")
int32, int64 = DType(raw.CUC_I32, "int32"), DType(raw.CUC_I64, "int64")
uint8, uint16 = DType(raw.CUC_U8, "uint8"), DType(raw.CUC_U16, "uint16")
uint32, uint64 = DType(raw.CUC_U32, "uint32"), DType(raw.CUC_U64, "uint64")
float16, bfloat16 = DType(raw.CUC_F16, "float16"), DType(raw.CUC_BF16, "bfloat16")
float32, float64 = DType(raw.CUC_F32, "float32"), DType(raw.CUC_F64, "float64")
tfloat32 = DType(raw.CUC_TF32, "tfloat32")
float8_e4m3fn = DType(raw.CUC_E4M3, "float8_e4m3fn")
float8_e5m2 = DType(raw.CUC_E5M2, "float8_e5m2")
float8_e8m0fnu = DType(raw.CUC_E8M0, "float8_e8m0fnu")


class Array:
    """Annotation for an array parameter."""


class Tile:
    """Annotation for a tile."""


class Scalar:
    """Annotation for a scalar."""


class TiledView:
    """Annotation for an array viewed as a grid of tiles."""


@contextlib.contextmanager
def compiler_timeout(seconds: float | None) -> Iterator[None]:
    """Accepted and ignored, because a kernel compiles in about a millisecond."""
    yield


class ScalarInt64:
    """Marks a 64-bit integer parameter."""

    __cucore_int64__ = True


class IndexedWithInt64:
    """Marks an array with 64-bit indices, which all arrays here have."""


def _cdiv(x: int, y: int) -> int:
    return -(-x // y)


# Functions for kernels that also work outside kernels.
_HOST: dict[str, Any] = {"cdiv": _cdiv, "static_exception": lambda exc: exc}
globals().update({name: Op(name, _HOST.get(name)) for name in OPS})


def __getattr__(name: str) -> Any:
    raise AttributeError(f"cucore.tile has no {name}; docs/cutile.md says what of cuTile is missing")


__all__ = sorted([  # noqa: PLE0604
    "Array", "ArrayAnnotation", "ByTarget", "Constant", "ConstantAnnotation", "DType", "IndexedWithInt64",
    "ListAnnotation", "MemoryOrder", "MemoryScope", "PaddingMode", "RoundingMode", "Scalar", "ScalarAnnotation",
    "ScalarInt64", "StaticException", "Tile", "TileCompilerError", "TileCompilerExecutionError",
    "TileCompilerTimeoutError", "TileError", "TileInternalError", "TileKernel", "TileRecursionError",
    "TileStaticAssertionError", "TileStaticEvalError", "TileSyntaxError", "TileTypeError",
    "TileUnsupportedFeatureError", "TileValueError", "TiledView", "bfloat16", "bool_", "compiler_timeout",
    "float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "function", "int16",
    "int32", "int64", "int8", "kernel", "launch", "tfloat32", "tune", "uint16", "uint32", "uint64", "uint8",
    *OPS,
])
