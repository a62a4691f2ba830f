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
          "reduce_segments": raw.CUC_ALGORITHM_REDUCE_SEGMENTS, "merge": raw.CUC_ALGORITHM_MERGE,
          "merge_sort": raw.CUC_ALGORITHM_MERGE_SORT, "sort_segments": raw.CUC_ALGORITHM_SORT_SEGMENTS}
_FLAGS = {"exclusive": raw.CUC_ALGORITHM_EXCLUSIVE, "device_count": raw.CUC_ALGORITHM_DEVICE_COUNT,
          "plain_launch": raw.CUC_ALGORITHM_PLAIN_LAUNCH, "descending": raw.CUC_ALGORITHM_DESCENDING}
_FIELDS = ("identity", "bins", "keys", "offsets", "tile", "blocks", "warps", "count", "arch", "cache")


def _texts(made: Any, field: str, given: Sequence[str]) -> None:
    """Set a list of texts and its length, and keep it alive."""
    if isinstance(given, str):
        raise TypeError(f"{field}s is a text, expected a list of texts")
    array = (ctypes.c_char_p * len(given))(*[c_text(f"{field}s", each) for each in given])
    made.kept = (*getattr(made, "kept", ()), array)
    setattr(made, f"{field}s", ctypes.addressof(array))
    setattr(made, f"{field}_count", len(given))


def _arrays(args: Any, field: str, given: Sequence[Any], kept: list[Any]) -> None:
    """Set a list of tensors and its length; `kept` keeps them alive."""
    tensors = [as_tensor(each) for each in given]
    array = (raw.cuc_tensor * len(tensors))(*(raw.cuc_tensor.from_address(each._address) for each in tensors))
    kept += [tensors, array]
    setattr(args, f"{field}s", ctypes.addressof(array) if tensors else None)
    setattr(args, f"{field}_count", len(tensors))


class Algorithm(Handle):
    """Compiled work on whole arrays of any length.

    `kind` is "transform", "reduce", "scan", "select", "partition", "unique", "histogram", "reduce_by_key",
    "scan_by_key", "reduce_segments", "merge", "merge_sort" or "sort_segments"; `inputs` are arrays ("x: f32") and
    expressions of their elements ("x * x"), `outputs` arrays; `fn` is the operator, a function in the tile language,
    or for reductions and scans a name such as "sum", or for merges None, the natural order. The other options are
    those of `cuc_algorithm_options`: `identity` of a function that combines values; `exclusive` scans; `descending`
    sorts; `device_count`, if calls read the number of elements on the device; `bins` of a histogram; `keys`, the
    number of values that are keys; `offsets`, the dtype of the offsets of segments; `tile`, `blocks`, `warps` to
    choose by hand; `count`, a number of elements to choose for; `arch`; `cache`, a `Cache` to use instead of the
    default one.
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
            elif name != "cache":
                assign(made, name, value)
            elif value is not None:
                handle_of(Cache, value, "cache")
                made.cache = value._open()  # NULL would be the default cache
        self._take(create(raw.cuc_algorithm_create, Device(device)._h, ctypes.byref(made)))

    def __call__(self, stream: StreamLike, inputs: Sequence[Any], outputs: Sequence[Any], *, count: int = 0,
                 device_count: Any = None, offsets: Any = None, workspace: Buffer | None = None) -> None:
        """Run in stream order. Arrays may come from any library. `count` is the number of elements, if not that of
        the arrays; `device_count` is an i64 array of one element that has it, for the option `device_count`; `offsets`
        are those of segments. Without a
        `workspace` the call takes memory from the device's resource."""
        args, kept = options(raw.cuc_algorithm_args), []
        _arrays(args, "input", inputs, kept)
        _arrays(args, "output", outputs, kept)
        assign(args, "count", count)
        for name, value in (("device_count", device_count), ("offsets", offsets)):
            if value is not None:
                kept.append(as_tensor(value))
                setattr(args, name, kept[-1]._address)
        if workspace is not None:
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
    source, result = as_tensor(x), as_tensor(y)
    check(raw.cuc_reduce(as_stream(stream)._h, c_text("fn", fn), _identity(identity), source._address,
                         result._address))


def scan(stream: StreamLike, fn: str, x: Any, y: Any, *, identity: str | None = None, exclusive: bool = False) -> None:
    """Scan an array in stream order: y[i] combines x[0] to x[i], or to x[i - 1] if `exclusive`. `fn` is as in
    `reduce()`. The library keeps the plans."""
    source, result = as_tensor(x), as_tensor(y)
    check(raw.cuc_scan(as_stream(stream)._h, c_text("fn", fn), _identity(identity),
                       raw.CUC_ALGORITHM_EXCLUSIVE if exclusive else 0, source._address, result._address))


def merge(stream: StreamLike, x: Any, y: Any, z: Any) -> None:
    """Merge two sorted arrays of one dtype to z, in stream order: in the natural order, with NaN last. The library
    keeps the plans."""
    first, second, result = as_tensor(x), as_tensor(y), as_tensor(z)
    check(raw.cuc_merge(as_stream(stream)._h, first._address, second._address, result._address))


__all__ = ["Algorithm", "merge", "reduce", "scan"]
