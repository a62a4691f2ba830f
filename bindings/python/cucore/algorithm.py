"""Algorithms on whole arrays, with operators in the tile language: docs/algorithms.md."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from . import raw
from ._cache import Cache
from ._device import Device
from ._errors import check, text
from ._handle import Handle, assign, c_number, c_text, create, handle_of, options, word
from ._memory import Buffer
from ._stream import StreamLike, as_stream
from ._tensor import as_tensor, dtype_number

_KINDS = {"transform": raw.CUC_ALGORITHM_TRANSFORM, "reduce": raw.CUC_ALGORITHM_REDUCE,
          "scan": raw.CUC_ALGORITHM_SCAN, "select": raw.CUC_ALGORITHM_SELECT,
          "partition": raw.CUC_ALGORITHM_PARTITION, "unique": raw.CUC_ALGORITHM_UNIQUE,
          "histogram": raw.CUC_ALGORITHM_HISTOGRAM, "reduce_by_key": raw.CUC_ALGORITHM_REDUCE_BY_KEY,
          "scan_by_key": raw.CUC_ALGORITHM_SCAN_BY_KEY,
          "reduce_segments": raw.CUC_ALGORITHM_REDUCE_SEGMENTS, "sort": raw.CUC_ALGORITHM_SORT,
          "merge": raw.CUC_ALGORITHM_MERGE, "merge_sort": raw.CUC_ALGORITHM_MERGE_SORT,
          "sort_segments": raw.CUC_ALGORITHM_SORT_SEGMENTS, "topk": raw.CUC_ALGORITHM_TOPK,
          "topk_rows": raw.CUC_ALGORITHM_TOPK_ROWS, "partition3": raw.CUC_ALGORITHM_PARTITION3,
          "union": raw.CUC_ALGORITHM_UNION, "intersection": raw.CUC_ALGORITHM_INTERSECTION,
          "difference": raw.CUC_ALGORITHM_DIFFERENCE,
          "symmetric_difference": raw.CUC_ALGORITHM_SYMMETRIC_DIFFERENCE}
_FLAGS = {"exclusive": raw.CUC_ALGORITHM_EXCLUSIVE, "device_count": raw.CUC_ALGORITHM_DEVICE_COUNT,
          "plain_launch": raw.CUC_ALGORITHM_PLAIN_LAUNCH, "descending": raw.CUC_ALGORITHM_DESCENDING,
          "smallest": raw.CUC_ALGORITHM_SMALLEST}
_DETERMINISM = {"run_to_run": raw.CUC_ALGORITHM_RUN_TO_RUN, "any_order": raw.CUC_ALGORITHM_ANY_ORDER,
                "every_gpu": raw.CUC_ALGORITHM_EVERY_GPU}
_FIELDS = ("identity", "bins", "k", "keys", "offsets", "bit_begin", "bit_end", "tile", "blocks", "warps", "count",
           "arch", "determinism", "cache")


def _texts(made: Any, field: str, given: Sequence[str]) -> None:
    """Set a list of texts and its length, and keep it alive."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
        raise TypeError(f"{field}s: expected a list of texts, not {given!r}")
    array = (ctypes.c_char_p * len(given))(*[c_text(f"{field}s", each) for each in given])
    made.kept = (*getattr(made, "kept", ()), array)
    setattr(made, f"{field}s", ctypes.addressof(array))
    setattr(made, f"{field}_count", len(given))


def _array(name: str, given: Any) -> Any:
    """Convert an argument to a tensor; a failure names it."""
    try:
        return as_tensor(given)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def _arrays(args: Any, field: str, given: Sequence[Any], kept: list[Any]) -> None:
    """Set a list of tensors and its length; `kept` keeps them alive."""
    if not isinstance(given, Sequence):
        raise TypeError(f"{field}s: expected a list of arrays, not a {type(given).__name__}")
    tensors = [_array(f"{field}s[{at}]", each) for at, each in enumerate(given)]
    array = (raw.cuc_tensor * len(tensors))(*(raw.cuc_tensor.from_address(each._address) for each in tensors))
    kept += [tensors, array]
    setattr(args, f"{field}s", ctypes.addressof(array) if tensors else None)
    setattr(args, f"{field}_count", len(tensors))


class Algorithm(Handle):
    """Compiled work on whole arrays of any length.

    `kind` is "transform", "reduce", "scan", "select", "partition", "partition3", "unique", "histogram",
    "reduce_by_key", "scan_by_key", "reduce_segments", "sort", "merge", "merge_sort", "sort_segments", "topk",
    "topk_rows", "union", "intersection", "difference" or "symmetric_difference"; `inputs` are arrays ("x: f32") and
    expressions of their elements ("x * x"), `outputs` arrays; `fn` is the operator, a function in the tile language, or
    for reductions and scans a name such as "sum", or for merges None, the natural order. The other options are those of
    `cuc_algorithm_options`: `identity` of a function that combines values; `exclusive` scans; `device_count`, if calls
    read the number of elements on the device; `bins` of a histogram; `k`, the number of elements that a top-k finds,
    the `smallest` ones instead of the largest; `keys`, the number of values that are keys; `descending` sorts, and the
    bits `bit_begin` to `bit_end` - 1 of their keys; `offsets`, the dtype of the offsets of segments; `determinism`,
    "run_to_run" (the default), "any_order" or "every_gpu"; `tile`, `blocks`, `warps` to choose by hand; `count`, a
    number of elements to choose for; `arch`; `cache`, a `Cache` to use instead of the default one.
    """

    __slots__ = ()
    _release = raw.cuc_algorithm_release

    def __init__(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], fn: str | None = None, *,
                 device: Device | int | None = None, **given: Any) -> None:
        self._h = 0
        made = options(raw.cuc_algorithm_options, kind=word("kind", kind, _KINDS))
        _texts(made, "input", inputs)
        _texts(made, "output", outputs)
        assign(made, "fn", fn)
        for name, value in given.items():
            if name in _FLAGS:
                made.flags |= _FLAGS[name] if value else 0
            elif name not in _FIELDS:
                there = ", ".join(sorted((*_FIELDS, *_FLAGS)))
                raise TypeError(f"an algorithm has no option {name}: there are {there}")
            elif name == "offsets":
                made.offsets = dtype_number(value)
            elif name == "determinism":
                made.determinism = word("determinism", value, _DETERMINISM)
            elif name != "cache":
                assign(made, name, value)
            elif value is not None:
                handle_of(Cache, value, "cache")
                made.cache = value._open()  # NULL would be the default cache
        self._take(create(raw.cuc_algorithm_create, Device(device)._h, ctypes.byref(made)))

    def __call__(self, stream: StreamLike, inputs: Sequence[Any], outputs: Sequence[Any], *, count: int = 0,
                 device_count: Any = None, offsets: Any = None, workspace: Buffer | None = None) -> None:
        """Run in stream order. Arrays may come from any library. `count` is the number of elements, if not that of
        the arrays; `device_count` is an i64 array of one element that has it, or of two in a merge, for the option
        `device_count`; `offsets`
        are those of segments. Without a
        `workspace` the call takes memory from the device's resource."""
        args, kept = options(raw.cuc_algorithm_args), []
        _arrays(args, "input", inputs, kept)
        _arrays(args, "output", outputs, kept)
        assign(args, "count", count)
        for name, value in (("device_count", device_count), ("offsets", offsets)):
            if value is not None:
                kept.append(_array(name, value))
                setattr(args, name, kept[-1]._address)
        if workspace is not None:
            if not isinstance(workspace, Buffer):
                raise TypeError(f"workspace: expected a Buffer, not a {type(workspace).__name__}")
            args.workspace, args.workspace_bytes = workspace.handle, workspace.size
        check(raw.cuc_algorithm_run(as_stream(stream)._h, self._h, ctypes.byref(args)))

    def workspace_bytes(self, count: int) -> int:
        """Return the workspace size of a call with this number of elements."""
        return int(raw.cuc_algorithm_workspace_bytes(self._h, c_number(ctypes.c_int64, "count", count)))

    @property
    def source(self) -> str:
        """The source text of the tile program."""
        return text(raw.cuc_algorithm_source(self._h))


def _identity(given: str | None) -> bytes | None:
    return None if given is None else c_text("identity", given)


def reduce(stream: StreamLike, fn: str, x: Any, y: Any, *, identity: str | None = None) -> None:
    """Reduce an array to the one element of y, in stream order. `fn` is "sum", "prod", "min", "max", or a function in
    the tile language with its `identity`. The library keeps the plans."""
    source, result = _array("x", x), _array("y", y)
    check(raw.cuc_reduce(as_stream(stream)._h, c_text("fn", fn), _identity(identity), source._address,
                         result._address))


def scan(stream: StreamLike, fn: str, x: Any, y: Any, *, identity: str | None = None, exclusive: bool = False) -> None:
    """Scan an array in stream order: y[i] combines x[0] to x[i], or to x[i - 1] if `exclusive`. `fn` is as in
    `reduce()`. The library keeps the plans."""
    source, result = _array("x", x), _array("y", y)
    check(raw.cuc_scan(as_stream(stream)._h, c_text("fn", fn), _identity(identity),
                       raw.CUC_ALGORITHM_EXCLUSIVE if exclusive else 0, source._address, result._address))


def sort(stream: StreamLike, keys: Any, keys_out: Any = None, values: Any = None, values_out: Any = None, *,
         descending: bool = False) -> None:
    """Sort keys in stream order, and values that follow them. Equal keys keep their order. An output that is None is
    not stored; if `values` is None, `values_out` gets the indices of the keys. An output may be its input if keys have
    16 bits or more. The library keeps the plans."""
    tensors = [None if each is None else as_tensor(each) for each in (keys, keys_out, values, values_out)]
    check(raw.cuc_sort(as_stream(stream)._h, raw.CUC_ALGORITHM_DESCENDING if descending else 0,
                       *(each and each._address for each in tensors)))


def search(stream: StreamLike, sorted: Any, values: Any, at: Any, *, upper: bool = False) -> None:
    """Find each value's place in a sorted array, in stream order: at[i] is the number of elements that are less than
    values[i], or not greater if `upper`. The library keeps the plans."""
    array, sought, result = _array("sorted", sorted), _array("values", values), _array("at", at)
    check(raw.cuc_search(as_stream(stream)._h, raw.CUC_SEARCH_UPPER if upper else 0, array._address, sought._address,
                         result._address))


def topk(stream: StreamLike, k: int, x: Any, values: Any = None, indices: Any = None, *,
         smallest: bool = False) -> None:
    """Find the k largest (or `smallest`) elements of x, or of each row if x has more than one axis, in stream order.
    `values` and `indices`, of which one may be None, get k elements a row, the largest (smallest) first; of equal
    elements those with the lower indices are found, and come first. NaN is larger than all numbers."""
    source, most, at = as_tensor(x), None, None
    if values is not None:
        most = as_tensor(values)
    if indices is not None:
        at = as_tensor(indices)
    check(raw.cuc_topk(as_stream(stream)._h, c_number(ctypes.c_int64, "k", k),
                       raw.CUC_ALGORITHM_SMALLEST if smallest else 0, source._address,
                       most._address if most else None, at._address if at else None))


def histogram(stream: StreamLike, low: float, high: float, x: Any, counts: Any) -> None:
    """Count the elements of x in bins of equal width from `low` up to, but not including, `high`, in stream order;
    `counts` has an integer for each bin. Bytes: 0 to 256, with 256 bins."""
    source, result = as_tensor(x), as_tensor(counts)
    check(raw.cuc_histogram(as_stream(stream)._h, low, high, source._address, result._address))


def select(stream: StreamLike, fn: str, x: Any, y: Any, count: Any) -> None:
    """Keep the elements of an array for which `fn`, a function in the tile language, is true, in stream order. Stores
    their number to the one integer of `count`. Elements for which y has no room are dropped. The library keeps the
    plans."""
    source, result, number = as_tensor(x), as_tensor(y), as_tensor(count)
    check(raw.cuc_select(as_stream(stream)._h, c_text("fn", fn), source._address, result._address, number._address))


def unique(stream: StreamLike, x: Any, y: Any, count: Any) -> None:
    """Keep the first of adjacent equal elements, in stream order. Stores their number to the one integer of `count`.
    Elements for which y has no room are dropped. The library keeps the plans."""
    source, result, number = as_tensor(x), as_tensor(y), as_tensor(count)
    check(raw.cuc_unique(as_stream(stream)._h, source._address, result._address, number._address))


def merge(stream: StreamLike, x: Any, y: Any, z: Any) -> None:
    """Merge two sorted arrays of one dtype to z, in stream order: in the natural order, with NaN last. The library
    keeps the plans."""
    first, second, result = as_tensor(x), as_tensor(y), as_tensor(z)
    check(raw.cuc_merge(as_stream(stream)._h, first._address, second._address, result._address))


__all__ = ["Algorithm", "histogram", "merge", "reduce", "scan", "search", "select", "sort", "topk", "unique"]
