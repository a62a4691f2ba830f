"""The operations of cuTile, by calls of the tile builder.

Each is a function of the builder and the arguments of the call; `OPS` has them by their names.
"""
from __future__ import annotations

import ctypes
import enum
from typing import Any, Callable

from .. import raw
from .._tensor import dtype_number
from ._values import Array, Builder, DType, TileCompilerError, Value, View

OPS: dict[str, Callable[..., Any]] = {}


class PaddingMode(enum.Enum):
    """What a load reads outside of an array."""

    UNDETERMINED = "undetermined"
    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class RoundingMode(enum.Enum):
    """How a cast rounds. Of arithmetic it is not read: that rounds to nearest even."""

    RN = raw.CUC_TILE_RN
    RZ = raw.CUC_TILE_RZ
    RM = raw.CUC_TILE_RM
    RP = raw.CUC_TILE_RP
    FULL = "full"
    APPROX = "approx"


class MemoryOrder(enum.Enum):
    WEAK = raw.CUC_TILE_WEAK
    RELAXED = raw.CUC_TILE_RELAXED
    ACQUIRE = raw.CUC_TILE_ACQUIRE
    RELEASE = raw.CUC_TILE_RELEASE
    ACQ_REL = raw.CUC_TILE_ACQ_REL


class MemoryScope(enum.Enum):
    BLOCK = raw.CUC_TILE_SCOPE_BLOCK
    DEVICE = raw.CUC_TILE_SCOPE_DEVICE
    SYS = raw.CUC_TILE_SCOPE_SYSTEM


_PADS = {PaddingMode.NEG_ZERO: -0.0, PaddingMode.NAN: float("nan"),
         PaddingMode.POS_INF: float("inf"), PaddingMode.NEG_INF: float("-inf")}


def op(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            OPS[name] = function
        return function
    return add


def constant(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        if hasattr(value, "__index__") and not isinstance(value, bool):
            return int(value.__index__())
        raise TypeError(f"{what}: expected an integer that is known when the kernel is compiled")
    return value


def numbers(value: Any, what: str) -> tuple[int, ...]:
    given = value if isinstance(value, (tuple, list)) else (value,)
    return tuple(constant(v, what) for v in given)


def several(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def axis_of(b: Builder, x: Value, axis: Any) -> int:
    rank, given = b.rank(x), constant(axis, "axis")
    if not -rank <= given < rank:
        raise TypeError(f"axis is {given}: the tile has {rank}")
    return given % rank


def permutation(order: Any, rank: int) -> tuple[int, ...] | None:
    """Which axis of the array each axis of a tile is; None when they are the same."""
    if order in ("C", None):
        return None
    axes = tuple(reversed(range(rank))) if order == "F" else numbers(order, "order")
    if sorted(axes) != list(range(rank)):
        raise TypeError(f"order is {order!r}: expected \"C\", \"F\" or a permutation of {rank} axes")
    return None if axes == tuple(range(rank)) else axes


def access(b: Builder, *, shape: tuple[int, ...] | None = None, pad: Any = None, mask: Any = None,
           order: Any = None, scope: Any = None, latency: Any = None, tma: Any = None) -> Any:
    """The options of an access; what they point to is kept with them."""
    made = raw.cuc_tile_access_options(struct_size=ctypes.sizeof(raw.cuc_tile_access_options))
    if shape is not None:
        count, extents = b.integers(shape)
        made.rank, made.shape, made._kept = count, ctypes.addressof(extents), extents
    if pad is not None:
        made.pad = b.value(pad).handle
    if mask is not None:
        made.mask = b.value(mask).handle
    made.order = order.value if order is not None else 0
    made.scope = scope.value if scope is not None else 0
    made.latency = latency or 0
    made.tma = {None: raw.CUC_DEFAULT, True: raw.CUC_ON, False: raw.CUC_OFF}[tma]
    return made


def array_of(value: Any) -> Array:
    if not isinstance(value, Array):
        raise TypeError(f"expected an array, not {type(value).__name__}")
    return value


# ---- the grid ------------------------------------------------------------------------------------

@op("bid")
def bid(b: Builder, axis: Any) -> Value:
    return Value(b.call("block", constant(axis, "axis")), loose=True)


@op("num_blocks")
def num_blocks(b: Builder, axis: Any) -> Value:
    return Value(b.call("num_blocks", constant(axis, "axis")), loose=True)


@op("cdiv")
def cdiv(b: Builder, x: Any, y: Any) -> Any:
    if isinstance(x, int) and isinstance(y, int):
        return -(-x // y)
    return binary(b, "cdiv", x, y)


@op("num_tiles")
def num_tiles(b: Builder, array: Any, axis: Any, shape: Any, order: Any = "C") -> Any:
    given, tile, at = array_of(array), numbers(shape, "shape"), constant(axis, "axis")
    axes = permutation(order, given.rank)
    of = axes[at] if axes else at
    return cdiv(b, extent(b, given, of), tile[at])


def extent(b: Builder, array: Array, axis: int) -> Value:
    return Value(b.call("dim", array.handle, axis), loose=True)


# ---- memory --------------------------------------------------------------------------------------

@op("load")
def load(b: Builder, array: Any, index: Any, shape: Any, *, order: Any = "C",
         padding_mode: Any = PaddingMode.UNDETERMINED, check_bounds: Any = True, latency: Any = None,
         allow_tma: Any = None, memory_order: Any = None, memory_scope: Any = None) -> Value:
    of, at, tile = array_of(array), several(index), numbers(shape, "shape")
    axes = permutation(order, len(tile))
    if axes:
        at, tile = placed(axes, at), placed(axes, tile)
    options = access(b, pad=_PADS.get(padding_mode), latency=latency, tma=allow_tma,
                     order=memory_order, scope=memory_scope)
    loaded = Value(b.call("load", of.handle, *b.handles(at), *b.integers(tile), ctypes.byref(options)))
    return Value(b.call("permute", loaded.handle, *b.integers(axes))) if axes else loaded


def placed(axes: tuple[int, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """A tile's axes where the array has them."""
    if len(values) != len(axes):
        raise TypeError(f"order has {len(axes)} axes, index {len(values)}")
    result = list(values)
    for position, axis in enumerate(axes):
        result[axis] = values[position]
    return tuple(result)


@op("store")
def store(b: Builder, array: Any, index: Any, tile: Any, *, order: Any = "C", check_bounds: Any = True,
          latency: Any = None, allow_tma: Any = None, memory_order: Any = None,
          memory_scope: Any = None) -> None:
    of, at = array_of(array), several(index)
    value = fitting(b, tile, of.dtype)
    axes = permutation(order, len(at))
    if axes:
        at = placed(axes, at)
        value = Value(b.call("permute", value.handle, *b.integers(inverse(axes))))
    options = access(b, latency=latency, tma=allow_tma, order=memory_order, scope=memory_scope)
    b.call("store", of.handle, *b.handles(at), value.handle, ctypes.byref(options))


def inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axes.index(i) for i in range(len(axes)))


def fitting(b: Builder, value: Any, dtype: int) -> Value:
    """A value for an array: integers that are loose take its type."""
    made = b.value(value)
    return b.cast(made, dtype) if made.loose and not isinstance(value, int) else made


@op("gather")
def gather(b: Builder, array: Any, indices: Any, *, mask: Any = None, padding_value: Any = 0,
           check_bounds: Any = True, latency: Any = None) -> Value:
    of = array_of(array)
    pad = None if padding_value == 0 and not isinstance(padding_value, Value) else padding_value
    options = access(b, mask=mask, pad=pad, latency=latency)
    return Value(b.call("gather", of.handle, *b.handles(several(indices)), ctypes.byref(options)))


@op("scatter")
def scatter(b: Builder, array: Any, indices: Any, value: Any, *, mask: Any = None,
            check_bounds: Any = True, latency: Any = None) -> None:
    of = array_of(array)
    options = access(b, mask=mask, latency=latency)
    b.call("scatter", of.handle, *b.handles(several(indices)), fitting(b, value, of.dtype).handle,
           ctypes.byref(options))


def atomic(name: str) -> Callable[..., Value]:
    def built(b: Builder, array: Any, indices: Any, update: Any, *, mask: Any = None,
              check_bounds: Any = True, memory_order: Any = MemoryOrder.ACQ_REL,
              memory_scope: Any = MemoryScope.DEVICE) -> Value:
        of = array_of(array)
        options = access(b, mask=mask, order=memory_order, scope=memory_scope)
        return Value(b.call(name, of.handle, *b.handles(several(indices)),
                            fitting(b, update, of.dtype).handle, ctypes.byref(options)))
    return built


for _name in ("add", "max", "min", "and", "or", "xor", "xchg"):
    OPS[f"atomic_{_name}"] = atomic(f"atomic_{_name}")


@op("atomic_cas")
def atomic_cas(b: Builder, array: Any, indices: Any, expected: Any, desired: Any, *, mask: Any = None,
               check_bounds: Any = True, memory_order: Any = MemoryOrder.ACQ_REL,
               memory_scope: Any = MemoryScope.DEVICE) -> Value:
    of = array_of(array)
    options = access(b, mask=mask, order=memory_order, scope=memory_scope)
    return Value(b.call("atomic_cas", of.handle, *b.handles(several(indices)),
                        fitting(b, expected, of.dtype).handle, fitting(b, desired, of.dtype).handle,
                        ctypes.byref(options)))


# ---- making tiles --------------------------------------------------------------------------------

@op("arange")
def arange(b: Builder, size: Any, *, dtype: Any = raw.CUC_I32, start: Any = 0, step: Any = 1) -> Value:
    made = Value(b.call("iota", number(dtype), constant(size, "size")))
    if step != 1:
        made = binary(b, "mul", made, step)
    return made if isinstance(start, int) and start == 0 else binary(b, "add", made, start)


def number(dtype: Any) -> int:
    return dtype.number if isinstance(dtype, DType) else dtype_number(dtype)


@op("full")
def full(b: Builder, shape: Any, fill_value: Any, dtype: Any) -> Value:
    kind, fill = number(dtype), b.value(fill_value)
    if isinstance(fill_value, bool) and kind != raw.CUC_BOOL:
        fill = b.value(int(fill_value))
    return Value(b.call("full", kind, *b.integers(numbers(shape, "shape")), fill.handle))


@op("zeros")
def zeros(b: Builder, shape: Any, dtype: Any) -> Value:
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
    first, second = tiles
    x = b.value(first)
    return Value(b.call("cat", x.handle, b.value(second).handle, axis_of(b, x, axis)))


@op("extract")
def extract(b: Builder, x: Any, index: Any, shape: Any) -> Value:
    return Value(b.call("extract", b.value(x).handle, *b.handles(several(index)),
                        *b.integers(numbers(shape, "shape"))))


@op("insert")
def insert(b: Builder, x: Any, index: Any, value: Any) -> Value:
    return Value(b.call("insert", b.value(x).handle, *b.handles(several(index)), b.value(value).handle))


@op("astype")
def astype(b: Builder, x: Any, dtype: Any, *, rounding_mode: Any = None) -> Value:
    kind, given = number(dtype), b.value(x)
    rounding = rounding_mode.value if rounding_mode is not None else \
        raw.CUC_TILE_RZ if kind in range(raw.CUC_I8, raw.CUC_U64 + 1) else raw.CUC_TILE_RN
    if not isinstance(rounding, int):
        raise TypeError(f"a cast does not round by {rounding_mode}")
    return b.cast(given, kind, rounding)


@op("bitcast")
def bitcast(b: Builder, x: Any, dtype: Any) -> Value:
    return Value(b.call("bitcast", b.typed(b.value(x)).handle, number(dtype)))


@op("item")
def item(b: Builder, x: Any) -> Value:
    return reshape(b, x, ())


# ---- element by element --------------------------------------------------------------------------

def binary(b: Builder, name: str, x: Any, y: Any) -> Value:
    a, c, loose = b.meet(x, y)
    compared = name in ("eq", "ne", "lt", "le", "gt", "ge")
    result = Value(b.call(name, a.handle, c.handle), loose and not compared and name != "div")
    return result


def unary(b: Builder, name: str, x: Any) -> Value:
    given = b.value(x)
    return Value(b.call(name, given.handle), given.loose and name in ("neg", "abs"))


def _two(name: str) -> Callable[..., Value]:
    def built(b: Builder, x: Any, y: Any, *, rounding_mode: Any = None, flush_to_zero: Any = False) -> Value:
        return binary(b, name, x, y)
    return built


def _one(name: str) -> Callable[..., Value]:
    def built(b: Builder, x: Any, *, rounding_mode: Any = None, flush_to_zero: Any = False) -> Value:
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
        return binary(b, name + "_nan" if propagate_nan else name, x, y)
    return built


OPS["minimum"], OPS["maximum"] = _choosing("minimum"), _choosing("maximum")


@op("divmod")
def divmod_(b: Builder, x: Any, y: Any) -> tuple[Value, Value]:
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
    return Value(b.call("mma", b.value(x).handle, b.value(y).handle, b.value(acc).handle,
                        raw.CUC_TILE_IEEE, int(bool(use_fast_acc))))


@op("matmul")
def matmul(b: Builder, x: Any, y: Any) -> Value:
    a, c = b.value(x), b.value(y)
    kind = b.dtype(a)
    product = Value(b.call("matmul", a.handle, c.handle))
    # As cuTile has it: of the operands' type.
    return b.cast(product, kind) if kind in (raw.CUC_F16, raw.CUC_BF16) else product


# ---- along axes ----------------------------------------------------------------------------------

def along(name: str) -> Callable[..., Value]:
    def built(b: Builder, x: Any, /, axis: Any = None, *, keepdims: Any = False,
              propagate_nan: Any = False, rounding_mode: Any = None,
              flush_to_zero: Any = False) -> Value:
        given = b.value(x)
        which = name + "_nan" if propagate_nan else name
        rank = b.rank(given)
        axes = sorted({axis_of(b, given, a) for a in several(axis)}) if axis is not None else []
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
        made = Value(b.call(name, given.handle, at))
        if axis is None:
            return reshape(b, made, (1,) * rank if keepdims else ())
        return made if keepdims else squeezed(b, made, [at])
    return built


OPS["argmax"], OPS["argmin"] = arg("argmax"), arg("argmin")


def running(name: str) -> Callable[..., Value]:
    def built(b: Builder, x: Any, /, axis: Any = 0, *, reverse: Any = False, rounding_mode: Any = None,
              flush_to_zero: Any = False) -> Value:
        given = b.value(x)
        return Value(b.call(name, given.handle, axis_of(b, given, axis), int(bool(reverse))))
    return built


OPS["cumsum"], OPS["cumprod"] = running("cumsum"), running("cumprod")


def combined(b: Builder, name: str, x: Any, axis: Any, func: Any, identity: Any,
             *more: int) -> list[Value]:
    """A reduction or a scan by a function of the kernel's own."""
    tiles = [b.value(t) for t in several(x)]
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
    at = axis_of(b, b.value(several(x)[0]), axis)
    made = combined(b, "reduce", x, axis, func, identity)
    made = made if keepdims else [squeezed(b, each, [at]) for each in made]
    return tuple(made) if isinstance(x, (tuple, list)) else made[0]


@op("scan")
def scan(b: Builder, x: Any, axis: Any, func: Any, identity: Any, *, reverse: Any = False) -> Any:
    made = combined(b, "scan", x, axis, func, identity, int(bool(reverse)))
    return tuple(made) if isinstance(x, (tuple, list)) else made[0]


# ---- the rest ------------------------------------------------------------------------------------

@op("assume_divisible_by")
def assume_divisible_by(b: Builder, x: Any, divisor: Any) -> Any:
    given = b.value(x)
    if isinstance(x, int):
        return x
    return Value(b.call("assume", given.handle, constant(divisor, "divisor")), given.loose)


@op("assert_")
def assert_(b: Builder, cond: Any, message: Any = "") -> None:
    b.call("assert", b.value(cond).handle, str(message or "an assertion does not hold").encode())


@op("print")
def print_(b: Builder, *values: Any, sep: str = " ", end: str = "\n") -> None:
    parts, shown = [], []
    for value in values:
        if isinstance(value, Value):
            parts.append("{}")
            shown.append(value)
        else:
            parts.append(str(value))
    b.call("print", (sep.join(parts) + end.removesuffix("\n")).encode(), *b.handles(shown))


@op("static_assert")
def static_assert(b: Builder, cond: Any, message: Any = "") -> None:
    if isinstance(cond, Value):
        raise TypeError("static_assert: the condition is not known when the kernel is compiled")
    if not cond:
        raise AssertionError(str(message) or "a static assertion does not hold")


@op("ensure_constant")
def ensure_constant(b: Builder, value: Any) -> Any:
    if isinstance(value, Value):
        raise TypeError("the value is not known when the kernel is compiled")
    return value


@op("static_eval", "static_iter")
def static_eval(b: Builder, value: Any) -> Any:
    return value


# ---- methods -------------------------------------------------------------------------------------

VALUE_METHODS = {"astype", "reshape", "permute", "transpose", "item", "extract", "bitcast", "sum", "max",
                 "min"}


def view_load(b: Builder, view: View, index: Any, *, latency: Any = None, allow_tma: Any = None,
              check_bounds: Any = True) -> Value:
    return load(b, view.array, index, view.shape, padding_mode=view.padding, latency=latency,
                allow_tma=allow_tma)


def view_store(b: Builder, view: View, index: Any, tile: Any, *, latency: Any = None,
               allow_tma: Any = None, check_bounds: Any = True) -> None:
    value = fitting(b, tile, view.array.dtype)
    store(b, view.array, index, broadcast_to(b, value, view.shape), latency=latency, allow_tma=allow_tma)


def array_slice(b: Builder, array: Array, axis: Any, start: Any, stop: Any) -> Array:
    made = b.call("slice", array.handle, constant(axis, "axis"), b.value(start).handle,
                  b.value(stop).handle)
    return Array(made, array.dtype, array.rank)


def tiled_view(b: Builder, array: Array, tile_shape: Any, *,
               padding_mode: Any = PaddingMode.UNDETERMINED, traversal_steps: Any = None) -> View:
    shape = numbers(tile_shape, "tile_shape")
    if traversal_steps is not None and numbers(traversal_steps, "traversal_steps") != shape:
        raise TypeError("tiled_view: steps other than the tile's shape are not there yet")
    return View(array, shape, padding_mode)


def view_num_tiles(b: Builder, view: View, axis: Any) -> Any:
    return num_tiles(b, view.array, axis, view.shape)


ARRAY_METHODS = {"slice": array_slice, "tiled_view": tiled_view}
VIEW_METHODS = {"load": view_load, "store": view_store, "num_tiles": view_num_tiles}
