"""Tile operations: creation, shapes, arithmetic, reductions."""
from __future__ import annotations

import ctypes
import math
import os
import re
from typing import Any, Callable

from .. import raw
from ._promote import FLOAT, category, promoted, said
from ._registry import (
    OPS,
    RoundingMode,
    axis_of,
    binary,
    constant,
    number,
    numbers,
    op,
    operand,
    operands,
    several,
    unary,
)
from ._errors import TileCompilerError
from ._text import checked, joined
from ._values import INTEGERS, Builder, DType, Shown, Text, Value, is_number

# ---- making tiles --------------------------------------------------------------------------------


@op("astile")
def astile(b: Builder, value: Any, /, *, dtype: Any) -> Value:
    kind = number(dtype)
    if not isinstance(value, (tuple, list)):
        if isinstance(value, Value) and b.rank(value):
            raise TypeError("astile: expected a scalar, or tuples of scalars: a tile takes another dtype by astype()")
        return b.cast(b.value(value), kind)
    shape: list[int] = []
    flat: list[Any] = [value]
    while flat and isinstance(flat[0], (tuple, list)):
        lengths = {len(each) if isinstance(each, (tuple, list)) else -1 for each in flat}
        if len(lengths) != 1 or 0 in lengths:
            raise TypeError("astile: expected tuples of one length each, with scalars in the innermost")
        shape.append(lengths.pop())
        flat = [inner for each in flat for inner in each]
    if any(isinstance(each, (tuple, list)) or isinstance(each, Value) and b.rank(each) for each in flat):
        raise TypeError("astile: expected tuples of one length each, with scalars in the innermost")
    plain = [b.value(int(each)) if isinstance(each, bool) and kind != raw.CUC_BOOL else
             bool(each) if kind == raw.CUC_BOOL and is_number(each) else each for each in flat]
    return Value(b.call("full_list", kind, *b.integers(shape), *b.handles(plain)))


@op("arange")
def arange(b: Builder, size: Any, *, dtype: Any = DType(raw.CUC_I32, "int32"), start: Any = 0, step: Any = 1) -> Value:
    kind = number(dtype)
    if kind in INTEGERS:
        made = Value(b.call("iota", kind, constant(size, "size")))
    else:
        made = b.cast(Value(b.call("iota", raw.CUC_I32, constant(size, "size"))), kind)
    if not isinstance(step, int) or step != 1:
        made = b.cast(binary(b, "mul", made, step), kind)
    return made if isinstance(start, int) and start == 0 else b.cast(binary(b, "add", made, start), kind)


def _power(value: Any) -> int:
    """Return the float8_e8m0fnu bits of a number, which the language stores as u8: the nearest
    power of two, as in cuTile constants. Ties go to the larger power, 0 becomes the smallest
    one, and overflow becomes NaN."""
    if isinstance(value, Value):
        raise TypeError("a tile of float8_e8m0fnu is filled with a number that is known when the kernel is compiled")
    if math.copysign(1, value) < 0:
        raise ValueError(f"{value} is not a float8_e8m0fnu, which has no negative values")
    if not math.isfinite(value):
        return 255
    part, power = math.frexp(value)  # 0.5 <= part < 1
    return min(max(power - (part < 0.75) + 127, 0), 255) if value else 0


@op("full")
def full(b: Builder, shape: Any, fill_value: Any, dtype: Any) -> Value:
    kind = number(dtype)
    if kind == raw.CUC_E8M0:
        kind, fill_value = raw.CUC_U8, _power(fill_value)
    if not isinstance(fill_value, Value) and not is_number(fill_value) and not hasattr(fill_value, "dtype"):
        raise TypeError(f"full: fill_value is a {type(fill_value).__name__}: expected a scalar")
    fill = b.value(fill_value)
    if isinstance(fill_value, bool) and kind != raw.CUC_BOOL:
        fill = b.value(int(fill_value))
    elif isinstance(fill_value, Value):
        if b.rank(fill):
            raise TypeError(f"full: fill_value is a tile of {list(b.shape(fill))}: expected a scalar")
        fill = b.cast(fill, kind)
    elif isinstance(fill_value, float) and category(kind) < FLOAT:
        fill = b.value(bool(fill_value) if kind == raw.CUC_BOOL else int(fill_value))
    elif isinstance(fill_value, int) and kind == raw.CUC_BOOL:
        fill = b.value(bool(fill_value))
    return Value(b.call("full", kind, *b.integers(numbers(shape, "shape")), fill.handle))


@op("zeros")
def zeros(b: Builder, shape: Any, dtype: Any) -> Value:
    if number(dtype) == raw.CUC_E8M0:
        return full(b, shape, 0, dtype)
    return Value(b.call("zeros", number(dtype), *b.integers(numbers(shape, "shape"))))


@op("ones")
def ones(b: Builder, shape: Any, dtype: Any) -> Value:
    return full(b, shape, True if number(dtype) == raw.CUC_BOOL else 1, dtype)


# ---- shapes and types ----------------------------------------------------------------------------

@op("reshape")
def reshape(b: Builder, x: Any, shape: Any) -> Value:
    return Value(b.call("reshape", b.value(x).handle, *b.integers(numbers(shape, "shape"))))


@op("permute")
def permute(b: Builder, x: Any, axes: Any) -> Value:
    given = b.value(x)
    return Value(b.call("permute", given.handle,
                        *b.integers([axis_of(b, given, a) for a in numbers(axes, "axes")])))


@op("transpose")
def transpose(b: Builder, x: Any, axis0: Any = None, axis1: Any = None) -> Value:
    given = b.value(x)
    if axis0 is None and axis1 is None:
        if b.rank(given) != 2:
            raise TypeError(f"transpose: the tile has {b.rank(given)} axes: say which two")
        return Value(b.call("trans", given.handle))
    axes = list(range(b.rank(given)))
    i, j = axis_of(b, given, axis0), axis_of(b, given, axis1)
    axes[i], axes[j] = axes[j], axes[i]
    return permute(b, given, axes)


@op("expand_dims")
def expand_dims(b: Builder, x: Any, axis: Any) -> Value:
    given = b.value(x)
    return Value(b.call("expand", given.handle, constant(axis, "axis") % (b.rank(given) + 1)))


@op("broadcast_to")
def broadcast_to(b: Builder, x: Any, shape: Any) -> Value:
    return Value(b.call("broadcast", b.typed(b.value(x)).handle, *b.integers(numbers(shape, "shape"))))


@op("cat")
def cat(b: Builder, tiles: Any, axis: Any) -> Value:
    if not isinstance(tiles, (tuple, list)) or not 1 <= len(tiles) <= 2:
        raise TypeError("cat: expected a tuple of two tiles, or of one")
    first, second = tiles[0], tiles[-1]
    x = b.value(first)
    if len(tiles) == 1:
        axis_of(b, x, axis)
        return x
    return Value(b.call("cat", x.handle, b.value(second).handle, axis_of(b, x, axis)))


@op("extract")
def extract(b: Builder, x: Any, index: Any, shape: Any) -> Value:
    given, part = b.value(x), numbers(shape, "shape")
    made = Value(b.call("extract", given.handle, *b.handles(several(index)),
                        *b.integers(part or (1,) * b.rank(given))))
    return made if part else reshape(b, made, ())


@op("insert")
def insert(b: Builder, x: Any, index: Any, value: Any) -> Value:
    given, part = b.value(x), b.value(value)
    if not b.rank(part) and b.rank(given):
        part = reshape(b, part, (1,) * b.rank(given))
    return Value(b.call("insert", given.handle, *b.handles(several(index)), part.handle))


@op("astype")
def astype(b: Builder, x: Any, dtype: Any, *, rounding_mode: Any = None) -> Value:
    given, kind = b.value(x), number(dtype)
    if rounding_mode is None:
        return b.cast(given, kind)
    of = b.kind(x)
    if category(of) < FLOAT or category(kind) < FLOAT:
        raise TypeError(f"astype: rounding_mode is of casts between floats, not from {said(of)} to {said(kind)}")
    if of == raw.CUC_F32 and kind == raw.CUC_TF32 and getattr(rounding_mode, "name", "") in ("RN", "RA", "RZ"):
        return b.cast(_as_tf32(b, given, rounding_mode.name), kind)
    if rounding_mode not in _DIRECTED:
        raise TypeError(f"astype: {rounding_mode}: expected RN, RZ, RM or RP")
    return b.cast(given, kind, rounding_mode.value)


def _as_tf32(b: Builder, x: Value, rounding: str) -> Value:
    """Clear the last 13 bits of floats, rounding to nearest with ties to even (RN), to nearest with
    ties away from 0 (RA), or towards 0 (RZ)."""
    bits = Value(b.call("bitcast", x.handle, raw.CUC_U32))
    if rounding == "RZ":
        more: Any = 0
    elif rounding == "RA":
        more = 1 << 12
    else:
        more = binary(b, "add", binary(b, "bitand", binary(b, "shr", bits, 13), 1), (1 << 12) - 1)
    kept = binary(b, "bitand", binary(b, "add", bits, more), 0xFFFFE000)
    finite = binary(b, "lt", binary(b, "bitand", bits, 0x7FFFFFFF), 0x7F800000)
    return where(b, finite, Value(b.call("bitcast", kept.handle, raw.CUC_F32)), x)


@op("bitcast")
def bitcast(b: Builder, x: Any, dtype: Any) -> Value:
    kind, given = number(dtype), b.typed(b.value(x))
    of = b.kind(given)
    if raw.CUC_BOOL in (kind, of) or raw.cuc_dtype_bits(kind) != raw.cuc_dtype_bits(of):
        raise TypeError(f"bitcast: from {said(of)} to {said(kind)}: expected two dtypes of as many bits, and no bool_")
    return Value(b.call("bitcast", given.handle, raw.CUC_U8 if kind == raw.CUC_E8M0 else kind))


def constructed(callee: Any) -> int | None:
    """Return the scalar dtype that `ct.float32(x)` or its PyTorch or NumPy counterpart
    constructs."""
    if isinstance(callee, DType):
        return callee.number
    if type(callee).__name__ == "dtype" and type(callee).__module__.partition(".")[0] in ("torch", "numpy"):
        return number(callee)
    return None


def typed_scalar(b: Builder, value: Any, kind: int) -> Value:
    """Create a typed scalar from a number or from its text."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise TypeError(f"{value!r} is not a number") from None
    given = b.value(value)
    if b.rank(given):
        raise TypeError(f"a scalar is made of a number, not of a tile of {list(b.shape(given))}")
    return b.cast(given, kind)


_WORDS = {8: raw.CUC_U8, 16: raw.CUC_U16, 32: raw.CUC_U32, 64: raw.CUC_U64}


def _word(dtype: int) -> int:
    bits = 0 if dtype == raw.CUC_BOOL else raw.cuc_dtype_bits(dtype)
    if bits not in _WORDS:
        raise TypeError(f"{raw.NAMES['dtype'].get(dtype)} has no bytes to be taken apart")
    return bits


def _places(b: Builder, bits: int, kind: int) -> Value:
    """Return the shift of each byte in a word, as a 1 x bytes tile."""
    return reshape(b, arange(b, bits // 8, dtype=kind, step=8), (1, bits // 8))


@op("pack_to_bytes")
def pack_to_bytes(b: Builder, x: Any, /) -> Value:
    given = b.typed(b.value(x))
    bits = _word(b.dtype(given))
    words = reshape(b, bitcast(b, given, _WORDS[bits]), (-1,))
    if bits == 8:
        return words
    apart = binary(b, "shr", reshape(b, words, (-1, 1)), _places(b, bits, _WORDS[bits]))
    return reshape(b, b.cast(binary(b, "bitand", apart, 255), raw.CUC_U8), (-1,))


@op("unpack_from_bytes")
def unpack_from_bytes(b: Builder, x: Any, /, dtype: Any) -> Value:
    given, kind = b.value(x), number(dtype)
    bits = _word(kind)
    if b.dtype(given) != raw.CUC_U8 or b.rank(given) != 1:
        raise TypeError("unpack_from_bytes: expected a tile of uint8 with one axis")
    if b.shape(given)[0] % (bits // 8):
        raise TypeError(f"unpack_from_bytes: {b.shape(given)[0]} bytes are not a whole number of "
                         f"{bits // 8}")
    if bits == 8:
        return bitcast(b, given, kind)
    wide = max(bits, 32)  # the bits do not overlap, so a sum combines them
    apart = b.cast(reshape(b, given, (-1, bits // 8)), _WORDS[wide])
    words = OPS["sum"](b, binary(b, "shl", apart, _places(b, bits, _WORDS[wide])), 1)
    return bitcast(b, b.cast(words, _WORDS[bits]), kind)


@op("item")
def item(b: Builder, x: Any) -> Value:
    return reshape(b, x, ())


# ---- element by element --------------------------------------------------------------------------

_DIRECTED = frozenset((RoundingMode.RN, RoundingMode.RZ, RoundingMode.RM, RoundingMode.RP))
_FULL = frozenset((RoundingMode.FULL, RoundingMode.APPROX))
# Rounding modes of each operation, and the operations that can flush subnormals to zero.
_ROUNDED = {"add": _DIRECTED, "sub": _DIRECTED, "mul": _DIRECTED, "div": _DIRECTED | _FULL, "tanh": _FULL, "exp": _FULL,
            "sqrt": _DIRECTED | {RoundingMode.APPROX}, "sum": _DIRECTED, "prod": _DIRECTED, "cumsum": _DIRECTED,
            "cumprod": _DIRECTED}
_FLUSHED = frozenset(("add", "sub", "mul", "div", "exp2", "sqrt", "rsqrt", "maximum", "minimum", "sum", "prod", "max", "min",
                      "cumsum", "cumprod"))


def _rounding(b: Builder, name: str, of: Value, mode: Any, flush: Any) -> int:
    """Return the builder's rounding mode; 0 for the default. Reject unsupported modes."""
    kind = b.kind(of)
    if mode is not None:
        if not isinstance(mode, RoundingMode) or mode not in _ROUNDED.get(name, ()):
            raise TypeError(f"{name} does not round by {mode}: expected one of "
                            f"{', '.join(sorted(each.name for each in _ROUNDED.get(name, ()))) or 'none'}")
        if category(kind) != FLOAT or mode in _FULL and kind != raw.CUC_F32:
            raise TypeError(f"{name}: {mode} is of {'float32' if mode in _FULL else 'floats'}, not of {said(kind)}")
    if flush and (name not in _FLUSHED or kind != raw.CUC_F32):
        raise TypeError(f"{name}: flush_to_zero is of float32 and operations that have it, not of {said(kind)}")
    if f"cuc_tile_{name}_round" not in raw.FUNCTIONS:
        return 0
    return (mode.value if mode is not None else raw.CUC_TILE_RN) | (raw.CUC_TILE_FTZ if flush else 0)


def _two(name: str) -> Callable[..., Value]:
    def built(b: Builder, x: Any, y: Any, *, rounding_mode: Any = None, flush_to_zero: Any = False) -> Value:
        if rounding_mode is not None or flush_to_zero:
            a, c, _ = operands(b, name, x, y)
            how = _rounding(b, name, a if isinstance(x, Value) else c, rounding_mode, flush_to_zero)
            if how:
                return Value(b.call(f"{name}_round", a.handle, c.handle, how))
        return binary(b, name, x, y)
    return built


def _one(name: str) -> Callable[..., Value]:
    def built(b: Builder, x: Any, *, rounding_mode: Any = None, flush_to_zero: Any = False) -> Value:
        if rounding_mode is not None or flush_to_zero:
            given = operand(b, name, x)
            how = _rounding(b, name, given, rounding_mode, flush_to_zero)
            if how:
                return Value(b.call(f"{name}_round", given.handle, how))
        return unary(b, name, x)
    return built


for _name, _built in {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floordiv", "mod": "mod",
    "pow": "pow", "atan2": "atan2", "bitwise_and": "bitand", "bitwise_or": "bitor",
    "bitwise_xor": "bitxor", "bitwise_lshift": "shl", "bitwise_rshift": "shr", "equal": "eq",
    "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
}.items():
    OPS[_name] = _two(_built)
for _name in ("exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh",
              "cosh", "tanh", "erf", "sigmoid", "floor", "ceil", "round", "trunc", "isnan", "isinf",
              "abs"):
    OPS[_name] = _one(_name)
OPS["negative"], OPS["bitwise_not"] = _one("neg"), _one("bitnot")


def _choosing(name: str) -> Callable[..., Any]:
    def built(b: Builder, x: Any, y: Any, *, propagate_nan: Any = False, flush_to_zero: Any = False) -> Any:
        if flush_to_zero and not propagate_nan:
            return _two(name)(b, x, y, flush_to_zero=True)
        return binary(b, name + "_nan" if propagate_nan else name, x, y)
    return built


OPS["minimum"], OPS["maximum"] = _choosing("minimum"), _choosing("maximum")


@op("divmod")
def divmod_(b: Builder, x: Any, y: Any) -> tuple[Value, Value]:
    if any(category(b.kind(each)) >= FLOAT for each in (x, y)):
        raise TypeError("divmod: expected integers, got floats")
    return binary(b, "floordiv", x, y), binary(b, "mod", x, y)


@op("fma")
def fma(b: Builder, x: Any, y: Any, z: Any) -> Value:
    return Value(b.call("fma", b.value(x).handle, b.value(y).handle, b.value(z).handle))


@op("where")
def where(b: Builder, cond: Any, x: Any, y: Any) -> Value:
    a, c, loose = b.meet(x, y)
    if loose:
        a, c = b.typed(a), b.typed(c)
    return Value(b.call("where", b.value(cond).handle, a.handle, c.handle), loose)


# ---- products ------------------------------------------------------------------------------------

@op("mma")
def mma(b: Builder, x: Any, y: Any, acc: Any, *, use_fast_acc: Any = False) -> Value:
    if use_fast_acc and b.dtype(b.value(x)) not in (raw.CUC_E4M3, raw.CUC_E5M2):
        raise TypeError(f"mma: use_fast_acc is of float8_e4m3fn and float8_e5m2, not of {said(b.kind(x))}")
    return Value(b.call("mma", b.value(x).handle, b.value(y).handle, b.value(acc).handle,
                        raw.CUC_TILE_IEEE, int(bool(use_fast_acc))))


def scale_of(b: Builder, x: Value) -> Value:
    """Convert scales to f32 from e8m0 bits, which represent float8_e8m0fnu tiles here, or from any
    float."""
    if b.dtype(x) != raw.CUC_U8:
        return b.cast(x, raw.CUC_F32)
    bits = binary(b, "shl", b.cast(x, raw.CUC_U32), 23)
    power = bitcast(b, bits, raw.CUC_F32)
    small = where(b, binary(b, "eq", x, 0), 2.0**-127, power)
    return where(b, binary(b, "eq", x, 255), float("nan"), small)


@op("mma_scaled")
def mma_scaled(b: Builder, x: Any, x_scale: Any, y: Any, y_scale: Any, /, acc: Any) -> Value:
    """Compute one matrix product per scale block, which works on every device that supports
    products of these types."""
    x, y, scales = b.value(x), b.value(y), [b.value(x_scale), b.value(y_scale)]
    K, blocks = b.shape(x)[-1], b.shape(scales[0])[-1]
    if K % blocks or b.shape(y)[-2] != K or b.shape(scales[1])[-2] != blocks:
        raise TypeError(f"mma_scaled: x is {b.shape(x)}, its scales {b.shape(scales[0])}, y {b.shape(y)}, its "
                        f"scales {b.shape(scales[1])}: expected [M, K], [M, K / B], [K, N] and [K / B, N]")
    size, total = K // blocks, b.value(acc)
    zero = zeros(b, b.shape(total), raw.CUC_F32)
    of_x, of_y = (scale_of(b, each) for each in scales)

    def part(tile: Value, axis: int, at: int, count: int) -> Value:
        shape, index = list(b.shape(tile)), [0] * b.rank(tile)
        shape[axis], index[axis] = count, at
        return extract(b, tile, tuple(index), tuple(shape))

    for at in range(blocks):
        product = mma(b, part(x, -1, at, size), part(y, -2, at, size), zero)
        scaled = binary(b, "mul", product, binary(b, "mul", part(of_x, -1, at, 1), part(of_y, -2, at, 1)))
        total = binary(b, "add", total, scaled)
    return total


@op("matmul")
def matmul(b: Builder, x: Any, y: Any) -> Value:
    a, c = b.value(x), b.value(y)
    kind = promoted(b.kind(a), b.kind(c))
    a, c = (t if b.dtype(t) == kind else b.cast(t, kind) for t in (a, c))
    row, column = b.rank(a) == 1, b.rank(c) == 1
    a = expand_dims(b, a, 0) if row else a
    c = expand_dims(b, c, 1) if column else c
    product = Value(b.call("matmul", a.handle, c.handle))
    last = b.rank(product) - 1
    product = squeezed(b, product, ([last] if column else []) + ([last - 1] if row else []))
    # As in cuTile, the result has the operands' type, except that tf32 is not an arithmetic type.
    return product if kind in (raw.CUC_TF32, b.dtype(product)) else b.cast(product, kind)


# ---- along axes ----------------------------------------------------------------------------------

def along(name: str) -> Callable[..., Value]:
    def built(b: Builder, x: Any, /, axis: Any = None, *, keepdims: Any = False,
              propagate_nan: Any = False, rounding_mode: Any = None,
              flush_to_zero: Any = False) -> Value:
        given = b.value(x)
        which = name + "_nan" if propagate_nan else name
        rank = b.rank(given)
        axes = sorted(axis_of(b, given, a) for a in several(axis)) if axis is not None else []
        if len({*axes}) < len(axes):
            raise TypeError(f"{name}: axis is {axis}, which names one axis twice")
        how = _rounding(b, name, given, rounding_mode, flush_to_zero) \
            if (rounding_mode is not None or flush_to_zero) and not propagate_nan else 0
        if how:
            made = Value(b.call(f"{name}_round", given.handle, *b.integers(axes), how))
        else:
            made = Value(b.call(which, given.handle, *b.integers(axes)))
        if axis is None:
            return reshape(b, made, (1,) * rank) if keepdims else made
        return made if keepdims else squeezed(b, made, axes)
    return built


def squeezed(b: Builder, x: Value, axes: Any) -> Value:
    for axis in sorted(axes, reverse=True):
        x = Value(b.call("squeeze", x.handle, axis))
    return x


for _name in ("sum", "prod", "max", "min", "any", "all"):
    OPS[_name] = along(_name)


def arg(name: str) -> Callable[..., Value]:
    def built(b: Builder, x: Any, /, axis: Any = None, *, keepdims: Any = False,
              propagate_nan: Any = False) -> Value:
        given = b.value(x)
        rank = b.rank(given)
        if axis is None:
            given = reshape(b, given, (-1,))
        at = axis_of(b, given, axis if axis is not None else 0)
        made = Value(b.call(name + "_nan" if propagate_nan else name, given.handle, at))
        if axis is None:
            return reshape(b, made, (1,) * rank if keepdims else ())
        return made if keepdims else squeezed(b, made, [at])
    return built


OPS["argmax"], OPS["argmin"] = arg("argmax"), arg("argmin")


def running(name: str) -> Callable[..., Value]:
    def built(b: Builder, x: Any, /, axis: Any = 0, *, reverse: Any = False, rounding_mode: Any = None,
              flush_to_zero: Any = False) -> Value:
        given = b.value(x)
        if rounding_mode is not None or flush_to_zero:  # a scan supports these only for addition
            _rounding(b, name, given, rounding_mode, flush_to_zero)
        return Value(b.call(name, given.handle, axis_of(b, given, axis), int(bool(reverse))))
    return built


OPS["cumsum"], OPS["cumprod"] = running("cumsum"), running("cumprod")


def of_one_shape(b: Builder, tiles: Any) -> list[Value]:
    """Broadcast tiles to their common shape."""
    given = [b.value(each) for each in tiles]
    shapes = [b.shape(each) for each in given]
    if len(set(shapes)) < 2:
        return given
    rank = max(map(len, shapes))
    common = [max(sides) for sides in zip(*((1,) * (rank - len(shape)) + shape for shape in shapes))]
    return [broadcast_to(b, each, common) for each in given]


def combined(b: Builder, name: str, x: Any, axis: Any, func: Any, identity: Any,
             *more: int) -> list[Value]:
    """Reduce or scan with a function that the kernel defines."""
    tiles = of_one_shape(b, several(x))
    identities = [b.value(i) for i in several(identity)]
    failed: list[BaseException] = []

    def combine(_user: Any, _program: Any, count: int, left: int, right: int, result: int) -> None:
        kind = ctypes.c_uint32 * count
        try:
            given = [*kind.from_address(left), *kind.from_address(right)]
            made = several(func(*map(Value, given)))
            if len(made) != count:
                raise TypeError(f"{name}: the function gives {len(made)} values for {count}")
            out = kind.from_address(result)
            for i, each in enumerate(made):
                out[i] = b.value(each).handle
        except BaseException as error:
            failed.append(error)

    made = [0] * len(tiles)
    try:
        called = raw.cuc_tile_combine(combine)
        made = b.into(len(tiles), name, called, None, *b.handles(tiles), axis_of(b, tiles[0], axis),
                      b.handles(identities)[1], *more)
    except TileCompilerError:
        if not failed:
            raise
    if failed:
        raise failed[0]
    return [Value(handle) for handle in made]


@op("reduce")
def reduce(b: Builder, x: Any, axis: Any, func: Any, identity: Any, *, keepdims: Any = False) -> Any:
    at = axis_of(b, of_one_shape(b, several(x))[0], axis)
    made = combined(b, "reduce", x, axis, func, identity)
    made = made if keepdims else [squeezed(b, each, [at]) for each in made]
    return tuple(made) if isinstance(x, (tuple, list)) else made[0]


@op("scan")
def scan(b: Builder, x: Any, axis: Any, func: Any, identity: Any, *, reverse: Any = False) -> Any:
    made = combined(b, "scan", x, axis, func, identity, int(bool(reverse)))
    return tuple(made) if isinstance(x, (tuple, list)) else made[0]


@op("rank")
def rank(b: Builder, x: Any, /, digits: Any) -> tuple[Value, Value]:
    out = (ctypes.c_uint32 * 2)()
    file, line = b.place
    raw.cuc_tile_rank_digits(ctypes.byref(out), ctypes.byref(out, 4), b.program, file, line, b.value(x).handle,
                             constant(digits, "digits"))
    b.check()
    return Value(out[0]), Value(out[1])


@op("place")
def place(b: Builder, x: Any, position: Any, /, *, extent: Any = None, padding_value: Any = 0) -> Value:
    count = 0 if extent is None else constant(extent, "extent")
    if count < 0 or (extent is not None and not count):
        raise TypeError(f"extent: expected 1 or more elements, got {count}")
    return Value(b.call("place", b.value(x).handle, b.value(position).handle, count,
                        b.value(padding_value).handle))


# ---- the rest ------------------------------------------------------------------------------------

@op("assume_divisible_by")
def assume_divisible_by(b: Builder, x: Any, divisor: Any) -> Any:
    given = b.value(x)
    if isinstance(x, int):
        return x
    return Value(b.call("assume", given.handle, constant(divisor, "divisor")), given.loose)


@op("assert_")
def assert_(b: Builder, cond: Any, message: Any = "") -> None:
    # The device would report a line of the tile program, so put the line of the Python source in
    # the message.
    file, line = b.place
    said = f"{message or 'an assertion does not hold'} ({os.path.basename(file.decode())}:{line})"
    b.call("assert", b.value(cond).handle, said.encode())


@op("print")
def print_(b: Builder, *values: Any, sep: str | None = " ", end: str | None = "\n") -> None:
    # All arguments are texts already: Expressions.call() converts them.
    between = " " if sep is None else sep
    parts = [each for value in values for each in (between, value)][1:]
    text = joined(*parts, "\n" if end is None else end)
    if text:
        b.say(*(text if isinstance(text, Text) else (text,)))


@op("printf")
def printf(b: Builder, form: str, *values: Any) -> None:
    parts, given = [], iter(values)
    for text, how, conversion in re.findall(r"((?:[^%]|%%)+)|%([-+ #0]*\d*(?:\.\d*)?)(?:hh|h|ll|l|j|z|t)?(.?)", form):
        if text:
            parts.append(text.replace("%%", "%"))
        elif not conversion or conversion not in "diouxXeEfFgGaA":
            raise ValueError(f"{form!r} has %{how}{conversion}: expected one of d i o u x X e E f F g G a A")
        else:
            value = next(given, None)
            if value is None:
                raise ValueError(f"{form!r} takes more values than the {len(values)} that are given")
            shown = b.value(value)
            parts.append(Shown(shown, checked(b, shown, how + conversion)))
    if next(given, None) is not None:
        raise ValueError(f"{form!r} takes fewer values than the {len(values)} that are given")
    if parts:
        b.say(*parts)


@op("grid_dependency_control_wait")
def grid_dependency_control_wait(b: Builder) -> None:
    b.call("grid_dependency_wait")


@op("grid_dependency_control_launch_dependents")
def grid_dependency_control_launch_dependents(b: Builder) -> None:
    b.call("grid_dependency_launch")


@op("ensure_constant")
def ensure_constant(b: Builder, value: Any) -> Any:
    if isinstance(value, Value):
        raise AssertionError("the value is not known when the kernel is compiled")
    return value


# The arguments of these functions are plain Python and are read from the source; see
# Expressions.static().
@op("static_assert")
def static_assert(b: Builder, cond: Any, message: Any = None, /) -> None:
    raise NotImplementedError


@op("static_eval")
def static_eval(b: Builder, expr: Any, /) -> Any:
    raise NotImplementedError


@op("static_iter")
def static_iter(b: Builder, iterable: Any, /) -> Any:
    raise NotImplementedError


@op("static_exception")
def static_exception(b: Builder, exc: Any, /) -> Any:
    raise NotImplementedError
