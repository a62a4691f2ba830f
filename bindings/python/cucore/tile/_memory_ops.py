"""Array operations: loads, stores, gathers, atomics and views."""
from __future__ import annotations

import ctypes
from typing import Any, Callable

from .. import raw
from ._promote import said, signed
from ._registry import (
    OPS,
    PADS,
    MemoryOrder,
    MemoryScope,
    PaddingMode,
    access,
    array_of,
    binary,
    constant,
    fitting,
    numbers,
    op,
    permutation,
    several,
)
from ._value_ops import broadcast_to, reshape, where
from ._values import Array, Builder, Chosen, Memory, Slice, Value, View

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
    given = array if isinstance(array, Chosen) else array_of(array)
    tile, at = numbers(shape, "shape") or (1,) * given.rank, constant(axis, "axis")
    axes = permutation(order, given.rank)
    if not -len(tile) <= at < len(tile):
        raise TypeError(f"num_tiles: axis is {at}: the tile has {len(tile)}")
    at %= len(tile)
    of = axes[at] if axes else at
    return cdiv(b, extent(b, given, of), tile[at])


def extent(b: Builder, array: Array | Chosen, axis: int) -> Any:
    if isinstance(array, Chosen):
        return number_of(b, array, lambda one: extent(b, one, axis))
    return array.known[0].get(axis) or Value(b.call("dim", array.handle, axis), loose=True)


def stride(b: Builder, array: Array | Chosen, axis: int) -> Any:
    if isinstance(array, Chosen):
        return number_of(b, array, lambda one: stride(b, one, axis))
    known = array.known[1].get(axis)
    return known if known is not None else Value(b.call("stride", array.handle, axis), loose=True)


# ---- arrays of a list ----------------------------------------------------------------------------

def number_of(b: Builder, chosen: Chosen, ask: Callable[[Array], Any]) -> Any:
    """Query a property, such as an extent, of each array, and select the property of the chosen
    array."""
    result = ask(chosen.arrays[0])
    for number, array in enumerate(chosen.arrays[1:], 1):
        result = where(b, binary(b, "eq", chosen.index, number), ask(array), result)
    return result


def read_of(b: Builder, chosen: Chosen, first: Value | None, read: Callable[[Array], Value]) -> Value:
    """Read from the chosen array. `first` is a tile of the result type; if it is None, use the
    first array's result."""
    made = first if first is not None else read(chosen.arrays[0])
    variable = b.call("declare", b"chosen", made.handle)
    for number, array in enumerate(chosen.arrays):
        if number or first is not None:
            b.call("if", binary(b, "eq", chosen.index, number).handle)
            b.call("set", variable, read(array).handle)
            b.call("end")
    return Value(b.call("get", variable))


def write_of(b: Builder, chosen: Chosen, write: Callable[[Array], None]) -> None:
    for number, array in enumerate(chosen.arrays):
        b.call("if", binary(b, "eq", chosen.index, number).handle)
        write(array)
        b.call("end")


# ---- memory --------------------------------------------------------------------------------------

@op("load")
def load(b: Builder, array: Any, index: Any, shape: Any, *, order: Any = "C",
         padding_mode: Any = PaddingMode.UNDETERMINED, check_bounds: Any = True, latency: Any = None,
         allow_tma: Any = None, memory_order: Any = None, memory_scope: Any = None) -> Value:
    tile = numbers(shape, "shape")
    if isinstance(array, Chosen):
        zeros = Value(b.call("zeros", array.dtype, *b.integers(tile)))
        return read_of(b, array, zeros, lambda one: load(
            b, one, index, shape, order=order, padding_mode=padding_mode, latency=latency,
            allow_tma=allow_tma, memory_order=memory_order, memory_scope=memory_scope))
    of, at = array_of(array), several(index)
    if not tile:  # one element, as a scalar
        one = load(b, array, index, (1,) * len(at), padding_mode=padding_mode, latency=latency,
                   allow_tma=allow_tma, memory_order=memory_order, memory_scope=memory_scope)
        return reshape(b, one, ())
    axes = permutation(order, len(tile))
    if axes:
        at, tile = placed(axes, at), placed(axes, tile)
    options = access(b, pad=PADS.get(padding_mode), latency=latency, tma=allow_tma,
                     order=memory_order, scope=memory_scope)
    loaded = Value(b.call("load", of.handle, *b.handles(at), *b.integers(tile), ctypes.byref(options)))
    return Value(b.call("permute", loaded.handle, *b.integers(axes))) if axes else loaded


def placed(axes: tuple[int, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Permute a tile's axes into the array's order."""
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
    if isinstance(array, Chosen):
        return write_of(b, array, lambda one: store(
            b, one, index, tile, order=order, latency=latency, allow_tma=allow_tma,
            memory_order=memory_order, memory_scope=memory_scope))
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


@op("gather")
def gather(b: Builder, array: Any, indices: Any, *, mask: Any = None, padding_value: Any = 0,
           check_bounds: Any = True, latency: Any = None) -> Value:
    if isinstance(array, Chosen):
        return read_of(b, array, None, lambda one: gather(
            b, one, indices, mask=mask, padding_value=padding_value, latency=latency))
    of = array_of(array)
    follow(b, several(indices), mask=mask, padding=padding_value)
    pad = None
    if isinstance(padding_value, Value) or padding_value != 0:
        pad = fitting(b, padding_value, of.dtype, "padding")
        if b.rank(pad):
            pad = broadcast_to(b, pad, shape_of(b, several(indices)))
    options = access(b, mask=mask, pad=pad, latency=latency)
    return Value(b.call("gather", of.handle, *b.handles(several(indices)), ctypes.byref(options)))


def follow(b: Builder, indices: tuple[Any, ...], **tiles: Any) -> None:
    """Check that tiles broadcast to the common shape of the indices, which determines how many
    elements are accessed."""
    shape = shape_of(b, indices)
    for what, tile in tiles.items():
        own = b.shape(tile) if isinstance(tile, Value) else ()
        if len(own) > len(shape) or any(n not in (1, m) for n, m in zip(reversed(own), reversed(shape))):
            raise TypeError(f"{what} has shape {list(own)}: expected one that broadcasts to {list(shape)}, the shape of "
                            "the indices")


def shape_of(b: Builder, indices: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the common broadcast shape of indices."""
    shapes = [b.shape(each) for each in indices if isinstance(each, Value)]
    rank = max(map(len, shapes), default=0)
    return tuple(max(shape[axis - rank + len(shape)] if axis >= rank - len(shape) else 1 for shape in shapes)
                 for axis in range(rank))


@op("scatter")
def scatter(b: Builder, array: Any, indices: Any, value: Any, *, mask: Any = None,
            check_bounds: Any = True, latency: Any = None) -> None:
    if isinstance(array, Chosen):
        return write_of(b, array, lambda one: scatter(b, one, indices, value, mask=mask, latency=latency))
    of = array_of(array)
    follow(b, several(indices), value=value, mask=mask)
    options = access(b, mask=mask, latency=latency)
    b.call("scatter", of.handle, *b.handles(several(indices)), fitting(b, value, of.dtype).handle,
           ctypes.byref(options))


_WORDS = frozenset((raw.CUC_I32, raw.CUC_I64, raw.CUC_U32, raw.CUC_U64))
_NUMBERS = _WORDS | {raw.CUC_F32, raw.CUC_F64}
# Array dtypes that each atomic operation accepts.
_ATOMIC = {"xchg": _NUMBERS, "cas": _NUMBERS, "add": _NUMBERS | {raw.CUC_F16, raw.CUC_BF16}, "max": _WORDS, "min": _WORDS,
           "and": _WORDS, "or": _WORDS, "xor": _WORDS}


def _atomic_dtypes(b: Builder, name: str, of: Array, update: Any) -> None:
    """Reject arrays that the atomic operation does not support, and bitwise operands whose dtype
    differs from the array's."""
    if of.dtype not in _ATOMIC[name]:
        raise TypeError(f"atomic_{name}: the array is of {said(of.dtype)}: expected "
                        f"{', '.join(sorted(map(said, _ATOMIC[name])))}")
    if name in ("and", "or", "xor") and isinstance(update, Value) and not update.loose and b.kind(update) != of.dtype:
        raise TypeError(f"atomic_{name}: the update is of {said(b.kind(update))}: expected {said(of.dtype)}, the array's")


def _atomic_access(b: Builder, name: str, mask: Any, order: Any, scope: Any) -> Any:
    """Build the options of an atomic operation."""
    if not isinstance(order, MemoryOrder) or order is MemoryOrder.WEAK:
        raise TypeError(f"atomic_{name}: memory_order is {order}: expected RELAXED, ACQUIRE, RELEASE or ACQ_REL")
    if not isinstance(scope, MemoryScope) or scope is MemoryScope.NONE:
        raise TypeError(f"atomic_{name}: memory_scope is {scope}: expected BLOCK, DEVICE or SYS")
    return access(b, mask=mask, order=order, scope=scope)


def atomic(name: str) -> Callable[..., Value]:
    def built(b: Builder, array: Any, indices: Any, update: Any, *, mask: Any = None,
              check_bounds: Any = True, memory_order: Any = MemoryOrder.ACQ_REL,
              memory_scope: Any = MemoryScope.DEVICE) -> Value:
        of = array_of(array)
        _atomic_dtypes(b, name, of, update)
        follow(b, several(indices), update=update, mask=mask)
        options = _atomic_access(b, name, mask, memory_order, memory_scope)
        return Value(b.call(f"atomic_{name}", of.handle, *b.handles(several(indices)),
                            fitting(b, update, of.dtype).handle, ctypes.byref(options)))
    return built


for _name in ("add", "max", "min", "and", "or", "xor", "xchg"):
    OPS[f"atomic_{_name}"] = atomic(_name)


@op("atomic_cas")
def atomic_cas(b: Builder, array: Any, indices: Any, expected: Any, desired: Any, *, mask: Any = None,
               check_bounds: Any = True, memory_order: Any = MemoryOrder.ACQ_REL,
               memory_scope: Any = MemoryScope.DEVICE) -> Value:
    of = array_of(array)
    _atomic_dtypes(b, "cas", of, desired)
    follow(b, several(indices), expected=expected, desired=desired, mask=mask)
    options = _atomic_access(b, "cas", mask, memory_order, memory_scope)
    return Value(b.call("atomic_cas", of.handle, *b.handles(several(indices)),
                        fitting(b, expected, of.dtype).handle, fitting(b, desired, of.dtype).handle,
                        ctypes.byref(options)))


# ---- rows, and slices of more axes ----------------------------------------------------------------

@op("Slice")
def slice_(b: Builder, start: Any, length: Any, /) -> Slice:
    return Slice(start, constant(length, "length"))


def _picked(b: Builder, array: Any, indices: Any, what: str) -> tuple[Array, int, Value, tuple[Any, ...]]:
    """For an access that a tile indexes along one axis, return the array, that axis, the tile and
    all indices."""
    of, given = array_of(array), several(indices)
    if len(given) != of.rank:
        raise TypeError(f"{what}: {len(given)} indices for an array of {of.rank} axes")
    tiles = [axis for axis, each in enumerate(given) if not isinstance(each, Slice)]
    if len(tiles) != 1 or not isinstance(given[tiles[0]], Value) or b.rank(given[tiles[0]]) != 1:
        raise TypeError(f"{what}: expected one tile of integers with one axis, and a ct.Slice() in every other")
    return of, tiles[0], given[tiles[0]], given


def _whole(axis: int, given: tuple[Any, ...]) -> tuple[list[int], list[int]] | None:
    """Return tile indices and extents if the slices are whole tiles of rows; otherwise return
    None."""
    rest = [each for each in given if isinstance(each, Slice)]
    if axis or any(not isinstance(each.start, int) or each.start % each.length for each in rest):
        return None
    return [each.start // each.length for each in rest], [each.length for each in rest]


def _elements(b: Builder, axis: int, ids: Value, given: tuple[Any, ...]) -> list[Value]:
    """Return the element indices along each axis, ready to be broadcast together."""
    made = []
    for at, each in enumerate(given):
        tile = ids if at == axis else \
            binary(b, "add", Value(b.call("iota", b.dtype(b.typed(ids)), each.length)), each.start)
        made.append(reshape(b, tile, tuple(-1 if i == at else 1 for i in range(len(given)))))
    return made


@op("load_advanced_indexing")
def load_advanced_indexing(b: Builder, array: Any, indices: Any, /, *,
                           padding_mode: Any = PaddingMode.UNDETERMINED, latency: Any = None,
                           allow_tma: Any = None) -> Value:
    of, axis, ids, given = _picked(b, array, indices, "load_advanced_indexing")
    options = access(b, pad=PADS.get(padding_mode), latency=latency, tma=allow_tma)
    rows = _whole(axis, given)
    if rows and rows[0]:
        return Value(b.call("load_rows", of.handle, ids.handle, *b.handles(rows[0]), *b.integers(rows[1]),
                            ctypes.byref(options)))
    return Value(b.call("gather", of.handle, *b.handles(_elements(b, axis, ids, given)), ctypes.byref(options)))


@op("store_advanced_indexing")
def store_advanced_indexing(b: Builder, array: Any, indices: Any, tile: Any, /, *, latency: Any = None,
                            allow_tma: Any = None) -> None:
    of, axis, ids, given = _picked(b, array, indices, "store_advanced_indexing")
    shape = tuple(each.length if isinstance(each, Slice) else b.shape(ids)[0] for each in given)
    value = broadcast_to(b, fitting(b, tile, of.dtype), shape)
    rows = _whole(axis, given)
    if rows and rows[0]:
        options = access(b, shape=tuple(rows[1]), latency=latency, tma=allow_tma)
        b.call("store_rows", of.handle, ids.handle, *b.handles(rows[0]), value.handle, ctypes.byref(options))
    else:
        b.call("scatter", of.handle, *b.handles(_elements(b, axis, ids, given)), value.handle,
               ctypes.byref(access(b, latency=latency)))


# ---- memory without a shape ----------------------------------------------------------------------

def get_raw_memory(b: Builder, array: Any) -> Memory:
    of = array_of(array)
    if of.number < 0:
        raise TypeError("get_raw_memory() is of an array that the kernel is given, not of a part of one")
    if of.flat is None:
        raise Needed(of.number)
    return Memory(of.flat)


class Needed(Exception):
    """Raised if the array must be passed a second time, as one axis; the kernel is then compiled
    again."""

    def __init__(self, number: int) -> None:
        self.number = number


def load_offset(b: Builder, memory: Memory, offset: Any, /, *, mask: Any = None, padding_value: Any = 0,
                latency: Any = None) -> Value:
    return gather(b, memory.flat, offset, mask=mask, padding_value=padding_value, latency=latency)


def store_offset(b: Builder, memory: Memory, offset: Any, value: Any, /, *, mask: Any = None,
                 latency: Any = None) -> None:
    scatter(b, memory.flat, offset, value, mask=mask, latency=latency)


def at_offset(name: str) -> Callable[..., Value]:
    def built(b: Builder, memory: Memory, offset: Any, *update: Any, mask: Any = None,
              memory_order: Any = MemoryOrder.ACQ_REL, memory_scope: Any = MemoryScope.DEVICE) -> Value:
        made: Value = OPS[name](b, memory.flat, offset, *update, mask=mask, memory_order=memory_order,
                                memory_scope=memory_scope)
        return made
    return built


# ---- views ---------------------------------------------------------------------------------------

def view_load(b: Builder, view: View, index: Any, *, latency: Any = None, allow_tma: Any = None,
              check_bounds: Any = True) -> Value:
    if not view.shape:
        ones = View(view.array, view.extents, view.padding, view.steps)
        return reshape(b, view_load(b, ones, index, latency=latency, allow_tma=allow_tma), ())
    if view.steps == view.shape:
        return load(b, view.array, index, view.shape, padding_mode=view.padding, latency=latency,
                    allow_tma=allow_tma)
    if isinstance(view.array, Chosen):
        zeros = Value(b.call("zeros", view.array.dtype, *b.integers(view.shape)))
        return read_of(b, view.array, zeros, lambda one: view_load(
            b, View(one, view.shape, view.padding, view.steps), index, latency=latency, allow_tma=allow_tma))
    options = access(b, pad=PADS.get(view.padding), latency=latency, tma=allow_tma)
    return Value(b.call("load_at", view.array.handle, *b.handles(origin(b, view, index)),
                        *b.integers(view.shape), ctypes.byref(options)))


def origin(b: Builder, view: View, index: Any) -> list[Any]:
    """Return the index of the first element of a view's tile."""
    at = several(index)
    if len(at) != len(view.steps):
        raise TypeError(f"{len(at)} indices for a view of {len(view.steps)} axes")
    return [i * step if isinstance(i, int) else binary(b, "mul", i, step) for i, step in zip(at, view.steps)]


def view_store(b: Builder, view: View, index: Any, tile: Any, *, latency: Any = None,
               allow_tma: Any = None, check_bounds: Any = True) -> None:
    value = broadcast_to(b, fitting(b, tile, view.array.dtype), view.extents)
    if view.steps == view.extents:
        return store(b, view.array, index, value, latency=latency, allow_tma=allow_tma)
    if isinstance(view.array, Chosen):
        return write_of(b, view.array, lambda one: view_store(
            b, View(one, view.shape, view.padding, view.steps), index, value, latency=latency,
            allow_tma=allow_tma))
    b.call("store_at", view.array.handle, *b.handles(origin(b, view, index)), value.handle,
           ctypes.byref(access(b, latency=latency, tma=allow_tma)))


def view_atomic(name: str) -> Callable[..., None]:
    """Make a view store that combines the tile with the existing contents."""
    def built(b: Builder, view: View, index: Any, tile: Any) -> None:
        of = array_of(view.array)
        _atomic_dtypes(b, name, of, tile)
        shape = view.extents
        value = broadcast_to(b, fitting(b, tile, of.dtype), shape)
        if view.steps == shape:
            b.call(f"store_{name}", of.handle, *b.handles(several(index)), value.handle, ctypes.byref(access(b)))
            return
        at = [reshape(b, binary(b, "add", Value(b.call("iota", raw.CUC_I64, extent)), first),
                      tuple(-1 if i == axis else 1 for i in range(len(shape))))
              for axis, (first, extent) in enumerate(zip(origin(b, view, index), shape))]
        options = access(b, order=MemoryOrder.RELAXED, scope=MemoryScope.DEVICE)
        b.call(f"atomic_{name}", of.handle, *b.handles(at), value.handle, ctypes.byref(options))
    return built


def array_slice(b: Builder, array: Array | Chosen, axis: Any, start: Any, stop: Any) -> Array | Chosen:
    if isinstance(array, Chosen):
        return Chosen(tuple(array_slice(b, one, axis, start, stop) for one in array.arrays),  # type: ignore[misc]
                      array.index)
    at = constant(axis, "axis")
    at += array.rank if at < 0 else 0
    if not 0 <= at < array.rank:
        raise TypeError(f"slice: axis is {axis}: the array has {array.rank}")
    for each in (start, stop):
        if isinstance(each, int) and each < 0 or not isinstance(each, (int, Value)):
            raise TypeError(f"slice: {each!r}: expected an integer of 0 or more")
        if isinstance(each, Value) and not each.loose and not signed(b.dtype(each)):
            raise TypeError(f"slice: a bound of {said(b.dtype(each))}: expected a signed integer")
    known = {each: extent for each, extent in array.known[0].items() if each != at}
    if isinstance(start, int) and isinstance(stop, int):
        if stop < start:
            raise TypeError(f"slice: stop is {stop}, below start, {start}")
        known[at] = stop - start
    made = b.call("slice", array.handle, at, b.value(start).handle, b.value(stop).handle)
    return Array(made, array.dtype, array.rank, (known.items(), array.known[1].items()))


def tiled_view(b: Builder, array: Array | Chosen, tile_shape: Any, *,
               padding_mode: Any = PaddingMode.UNDETERMINED, traversal_steps: Any = None) -> View:
    shape = numbers(tile_shape, "tile_shape")
    ones = (1,) * array.rank
    steps = numbers(traversal_steps, "traversal_steps") if traversal_steps is not None else shape or ones
    if len(shape) not in (0, array.rank) or len(steps) != array.rank or any(step < 1 for step in steps):
        raise TypeError(f"tiled_view: expected {array.rank} extents, and steps of 1 or more: "
                        f"tile_shape is {shape}, traversal_steps {steps}")
    return View(array, shape, padding_mode, steps)


def view_num_tiles(b: Builder, view: View, axis: Any) -> Any:
    return num_tiles(b, view.array, axis, view.steps)


ARRAY_METHODS: dict[str, Callable[..., Any]] = {"slice": array_slice, "tiled_view": tiled_view,
                                               "get_raw_memory": get_raw_memory}
MEMORY_METHODS: dict[str, Callable[..., Any]] = {
    "load_offset": load_offset, "store_offset": store_offset,
    **{f"atomic_{name}_offset": at_offset(f"atomic_{name}")
       for name in ("cas", "xchg", "add", "max", "min", "and", "or", "xor")},
}
VIEW_METHODS: dict[str, Callable[..., Any]] = {
    "load": view_load, "store": view_store, "num_tiles": view_num_tiles,
    **{f"atomic_store_{name}": view_atomic(name)
       for name in ("add", "max", "min", "and", "or", "xor")},
}
