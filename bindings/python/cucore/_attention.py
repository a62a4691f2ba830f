"""Attention."""
from __future__ import annotations

import ctypes
from typing import Any

from . import raw
from ._cache import Cache
from ._device import Device
from ._errors import check, text
from ._handle import Handle, assign, c_number, c_text, create, handle_of, options, word
from ._memory import Buffer
from ._stream import StreamLike, as_stream
from ._tensor import as_tensor, dtype_number

_WORDS: dict[str, dict[Any, int]] = {
    "mask": {None: raw.CUC_ATTENTION_FULL, "causal": raw.CUC_ATTENTION_CAUSAL},
    "align": {"top_left": raw.CUC_ATTENTION_TOP_LEFT, "bottom_right": raw.CUC_ATTENTION_BOTTOM_RIGHT},
    "order": {"heads": raw.CUC_ATTENTION_HEADS_FIRST, "sequence": raw.CUC_ATTENTION_SEQUENCE_FIRST},
}
_FLAGS = {"lse": raw.CUC_ATTENTION_LSE, "plain_launch": raw.CUC_ATTENTION_PLAIN_LAUNCH,
          "sinks": raw.CUC_ATTENTION_SINKS, "variable": raw.CUC_ATTENTION_VARIABLE, "backward": raw.CUC_ATTENTION_BACKWARD,
          "key_lengths": raw.CUC_ATTENTION_KEY_LENGTHS, "fast_acc": raw.CUC_ATTENTION_FAST_ACC}
_FIELDS = frozenset(name for name, *_ in raw.cuc_attention_options._fields_) - {
    "struct_size", "flags", "side_count", "reserved"}


def _side(name: str, dtype: Any, rank: int, gradient: str | None = None) -> Any:
    return raw.cuc_attention_side(c_text("the name of a side array", name), dtype_number(dtype), rank,
                                  c_text("the indices of a side array", gradient) if gradient is not None else None)


def _array_of(names: tuple[str, ...], given: dict[str, Any], kept: list[Any]) -> int:
    """Return the address of an array of the named tensors, which `kept` keeps alive; 0 if there are none."""
    tensors = [as_tensor(given[name]) for name in names]
    array = (raw.cuc_tensor * len(tensors))(*(raw.cuc_tensor.from_address(tensor._address) for tensor in tensors))
    kept += [*tensors, array]
    return ctypes.addressof(array) if tensors else 0


def _options(dtype: Any, width: int, given: dict[str, Any]) -> Any:
    made = options(raw.cuc_attention_options, dtype=dtype_number(dtype))
    assign(made, "width", width)
    for name, value in given.items():
        if name in _FLAGS:
            made.flags |= _FLAGS[name] if value else 0
        elif name not in _FIELDS:
            raise TypeError(f"attention has no option {name}: there are {', '.join(sorted({*_FIELDS, *_FLAGS}))}")
        elif name == "cache":
            if value is not None:
                handle_of(Cache, value, "cache")
                made.cache = value._open()  # NULL would be the default cache
        elif name == "sides":
            made.kept = (raw.cuc_attention_side * len(value))(*(_side(key, *each) for key, each in value.items()))
            made.sides, made.side_count = ctypes.addressof(made.kept), len(value)
        elif name == "o_dtype":
            made.o_dtype = dtype_number(value)
        elif name in _WORDS:
            setattr(made, name, word(name, value, _WORDS[name]))
        else:
            assign(made, name, value)
    return made


def _args(arrays: dict[str, Any], workspace: Buffer | None, scale: float | None) -> tuple[Any, list[Any]]:
    """Return a call's arguments, and the tensors that they point to."""
    args, kept = options(raw.cuc_attention_args), []
    for name, value in arrays.items():
        if value is not None:
            kept.append(as_tensor(value))
            setattr(args, name, kept[-1]._address)
    if workspace is not None:
        args.workspace, args.workspace_bytes = workspace.handle, workspace.size
    if scale is not None:
        if not scale:
            raise ValueError("scale is 0: expected another number, or None for 1 / sqrt(width)")
        assign(args, "scale", scale)
    return args, kept


class Attention(Handle):
    """Compiled attention: `o = softmax(scale q k') v`, of f16, bf16 or e4m3.

    The options are the fields of `cuc_attention_options`, with words for its constants:
    `value_width`; `o_dtype` of `o` if the others are e4m3; `mask` ("causal"); `align` ("top_left", "bottom_right"); `window_left`,
    `window_right`; `order` of the arrays' axes ("heads" first or "sequence" first); `lse`, if calls
    also write the logarithms of the sums; `sinks`, if heads have sinks; `variable`, for sequences of any
    lengths; `key_lengths`, if keys are in a cache, and `page_size`, if it has pages; `parts`, to split the keys of few queries;
    `backward`, if gradients are computed too; `fast_acc`, to leave sums of e4m3 in the tensor cores; `score`, a function of scores
    in the tile language, and `sides`, the arrays that it reads: name -> (dtype, number of axes), or
    (dtype, number of axes, indices) for an array that trains, such as ("f32", 1, "head"); `batch`, `heads`, `key_heads`, `queries` and `keys`,
    sizes that guide the choice of tiles but restrict nothing; `tile_q`, `tile_k`, `stages`, `warps`
    to choose tiles by hand; `arch`; `cache`, a `Cache` to use instead of the default one.
    """

    __slots__ = ("_sides", "_trained")
    _release = raw.cuc_attention_plan_release

    def __init__(self, dtype: Any, width: int, *, device: Device | int | None = None, **given: Any) -> None:
        self._h = 0
        made = _options(dtype, width, given)
        self._sides = tuple(given.get("sides", ()))
        self._trained = tuple(f"d_{name}" for name, each in given.get("sides", {}).items() if each[2:] and each[2])
        self._take(create(raw.cuc_attention_plan_create, Device(device)._h, ctypes.byref(made)))

    def __call__(self, stream: StreamLike, q: Any, k: Any, v: Any, o: Any, *, lse: Any = None,
                 sinks: Any = None, query_offsets: Any = None, key_offsets: Any = None, most_queries: int = 0,
                 most_keys: int = 0, page_table: Any = None, key_lengths: Any = None, q_scale: Any = None,
                 k_scale: Any = None, v_scale: Any = None, workspace: Buffer | None = None, scale: float | None = None, **sides: Any) -> None:
        """Compute attention in stream order. Arrays may come from any library; `lse`, `sinks`,
        the offsets of sequences (`variable`), the lengths and pages of a cache, the scales of e4m3, and the side
        arrays, by name, are required if the options have them. The default scale is `1 / sqrt(width)`."""
        args, kept = _args({"q": q, "k": k, "v": v, "o": o, "lse": lse, "sinks": sinks, "query_offsets": query_offsets,
                            "key_offsets": key_offsets, "page_table": page_table, "key_lengths": key_lengths,
                            "q_scale": q_scale, "k_scale": k_scale, "v_scale": v_scale}, workspace, scale)
        assign(args, "most_queries", most_queries)
        assign(args, "most_keys", most_keys)
        self._need(sides, self._sides)
        args.sides, args.side_count = _array_of(self._sides, sides, kept), len(sides)
        check(raw.cuc_attention(as_stream(stream)._h, self._h, ctypes.byref(args)))

    def append(self, stream: StreamLike, new_k: Any, new_v: Any, k: Any, v: Any, *, key_lengths: Any,
               page_table: Any = None, query_offsets: Any = None) -> None:
        """Append new keys and values to a cache in stream order, for the options `key_lengths` and `page_size`. They
        become the last keys of each sequence, whose `key_lengths` already count them."""
        args, _kept = _args({"new_k": new_k, "new_v": new_v, "k": k, "v": v, "key_lengths": key_lengths,
                             "page_table": page_table, "query_offsets": query_offsets}, None, None)
        check(raw.cuc_attention_append(as_stream(stream)._h, self._h, ctypes.byref(args)))

    def backward(self, stream: StreamLike, q: Any, k: Any, v: Any, o: Any, lse: Any, d_o: Any, d_q: Any, d_k: Any,
                 d_v: Any, *, workspace: Buffer, sinks: Any = None, d_sinks: Any = None, query_offsets: Any = None,
                 key_offsets: Any = None, most_queries: int = 0, most_keys: int = 0, scale: float | None = None,
                 **sides: Any) -> None:
        """Compute the gradients of q, k and v in stream order, for the option `backward`. `o` and `lse` are the
        results of a call with the same scale. `d_sinks` is optional. `sides` are the side arrays by name, and the
        gradients of those that train: `d_slopes` is that of `slopes`."""
        args, kept = _args({"q": q, "k": k, "v": v, "o": o, "lse": lse, "d_o": d_o, "d_q": d_q, "d_k": d_k,
                            "d_v": d_v, "sinks": sinks, "d_sinks": d_sinks, "query_offsets": query_offsets,
                            "key_offsets": key_offsets}, workspace, scale)
        assign(args, "most_queries", most_queries)
        assign(args, "most_keys", most_keys)
        self._need(sides, self._sides + self._trained)
        args.sides, args.side_count = _array_of(self._sides, sides, kept), len(self._sides)
        args.d_sides = _array_of(self._trained, sides, kept)
        check(raw.cuc_attention_backward(as_stream(stream)._h, self._h, ctypes.byref(args)))

    def _need(self, sides: dict[str, Any], names: tuple[str, ...]) -> None:
        if {*sides} != {*names}:
            raise TypeError(f"the side arrays are {', '.join(sides) or 'none'}: expected {', '.join(names) or 'none'}")

    def workspace_bytes(self, batch: int, heads: int, queries: int, key_heads: int | None = None,
                        keys: int | None = None) -> int:
        """Return the workspace size of a call. `key_heads` and `keys` default to `heads` and `queries`."""
        sizes = [c_number(ctypes.c_int64, name, value)
                 for name, value in (("batch", batch), ("heads", heads), ("queries", queries),
                                     ("key_heads", heads if key_heads is None else key_heads),
                                     ("keys", queries if keys is None else keys))]
        return int(raw.cuc_attention_plan_workspace_bytes(self._h, *sizes))

    @property
    def choice(self) -> dict[str, Any]:
        """The chosen configuration and its source ("options" or "rules")."""
        out = options(raw.cuc_attention_choice)
        check(raw.cuc_attention_plan_get_choice(ctypes.byref(out), self._h))
        names = [name for name, *_ in out._fields_ if name not in ("struct_size", "reserved")]
        made = {name: getattr(out, name) for name in names}
        return {**made, "by": text(made["by"])}

    @property
    def source(self) -> str:
        """The source text of the tile program."""
        return text(raw.cuc_attention_plan_source(self._h, 0))


__all__ = ["Attention"]
