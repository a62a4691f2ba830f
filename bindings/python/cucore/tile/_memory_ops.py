"""Operations on arrays: loads, stores, gathers, atomic operations, views."""
from __future__ import annotations

import ctypes
from typing import Any, Callable

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
from ._values import Array, Builder, Chosen, Value, View

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
    tile, at = numbers(shape, "shape"), constant(axis, "axis")
    axes = permutation(order, given.rank)
    of = axes[at] if axes else at
    return cdiv(b, extent(b, given, of), tile[at])


def extent(b: Builder, array: Array | Chosen, axis: int) -> Value:
    if isinstance(array, Chosen):
        return number_of(b, array, lambda one: extent(b, one, axis))
    return Value(b.call("dim", array.handle, axis), loose=True)


def stride(b: Builder, array: Array | Chosen, axis: int) -> Value:
    if isinstance(array, Chosen):
        return number_of(b, array, lambda one: stride(b, one, axis))
    return Value(b.call("stride", array.handle, axis), loose=True)


# ---- arrays of a list ----------------------------------------------------------------------------

def number_of(b: Builder, chosen: Chosen, ask: Callable[[Array], Value]) -> Value:
    """What is asked of each array, such as an extent; that of the chosen one."""
    result = ask(chosen.arrays[0])
    for number, array in enumerate(chosen.arrays[1:], 1):
        result = where(b, binary(b, "eq", chosen.index, number), ask(array), result)
    return result


def read_of(b: Builder, chosen: Chosen, first: Value | None, read: Callable[[Array], Value]) -> Value:
    """What is read of the chosen array. `first` is a tile of the type, or None: that of the first."""
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
    pad = None if padding_value == 0 and not isinstance(padding_value, Value) else padding_value
    options = access(b, mask=mask, pad=pad, latency=latency)
    return Value(b.call("gather", of.handle, *b.handles(several(indices)), ctypes.byref(options)))


@op("scatter")
def scatter(b: Builder, array: Any, indices: Any, value: Any, *, mask: Any = None,
            check_bounds: Any = True, latency: Any = None) -> None:
    if isinstance(array, Chosen):
        return write_of(b, array, lambda one: scatter(b, one, indices, value, mask=mask, latency=latency))
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


# ---- views ---------------------------------------------------------------------------------------

def view_load(b: Builder, view: View, index: Any, *, latency: Any = None, allow_tma: Any = None,
              check_bounds: Any = True) -> Value:
    return load(b, view.array, index, view.shape, padding_mode=view.padding, latency=latency,
                allow_tma=allow_tma)


def view_store(b: Builder, view: View, index: Any, tile: Any, *, latency: Any = None,
               allow_tma: Any = None, check_bounds: Any = True) -> None:
    value = fitting(b, tile, view.array.dtype)
    store(b, view.array, index, broadcast_to(b, value, view.shape), latency=latency, allow_tma=allow_tma)


def view_atomic(name: str) -> Callable[..., None]:
    """A store of a view that combines with what is there."""
    def built(b: Builder, view: View, index: Any, tile: Any) -> None:
        of = view.array
        value = broadcast_to(b, fitting(b, tile, of.dtype), view.shape)
        b.call(name, of.handle, *b.handles(several(index)), value.handle, ctypes.byref(access(b)))
    return built


def array_slice(b: Builder, array: Array | Chosen, axis: Any, start: Any, stop: Any) -> Array | Chosen:
    if isinstance(array, Chosen):
        return Chosen(tuple(array_slice(b, one, axis, start, stop) for one in array.arrays),  # type: ignore[misc]
                      array.index)
    made = b.call("slice", array.handle, constant(axis, "axis"), b.value(start).handle,
                  b.value(stop).handle)
    return Array(made, array.dtype, array.rank)


def tiled_view(b: Builder, array: Array | Chosen, tile_shape: Any, *,
               padding_mode: Any = PaddingMode.UNDETERMINED, traversal_steps: Any = None) -> View:
    shape = numbers(tile_shape, "tile_shape")
    if traversal_steps is not None and numbers(traversal_steps, "traversal_steps") != shape:
        raise TypeError("tiled_view: steps other than the tile's shape are not there yet")
    return View(array, shape, padding_mode)


def view_num_tiles(b: Builder, view: View, axis: Any) -> Any:
    return num_tiles(b, view.array, axis, view.shape)


ARRAY_METHODS: dict[str, Callable[..., Any]] = {"slice": array_slice, "tiled_view": tiled_view}
VIEW_METHODS: dict[str, Callable[..., Any]] = {
    "load": view_load, "store": view_store, "num_tiles": view_num_tiles,
    **{f"atomic_store_{name}": view_atomic(f"store_{name}")
       for name in ("add", "max", "min", "and", "or", "xor")},
}
