"""Matrix multiplication."""
from __future__ import annotations

import ctypes
from typing import Any, ClassVar

from . import raw
from ._cache import Cache
from ._device import Device
from ._errors import check, text
from ._handle import Handle, assign, c_number, c_text, create, handle_of, options, word
from ._memory import Buffer
from ._stream import StreamLike, as_stream
from ._tensor import as_tensor, dtype_number
from .tuning import Candidate, Record, visited

_WORDS: dict[str, dict[Any, int]] = {
    "form": {"single": raw.CUC_GEMM_SINGLE, "batched": raw.CUC_GEMM_BATCHED, "grouped": raw.CUC_GEMM_GROUPED},
    "precision": {"ieee": raw.CUC_GEMM_IEEE, "tf32": raw.CUC_GEMM_TF32, "tf32x3": raw.CUC_GEMM_TF32X3},
    "activation": {None: raw.CUC_GEMM_LINEAR, "relu": raw.CUC_GEMM_RELU, "gelu": raw.CUC_GEMM_GELU,
                   "gelu_tanh": raw.CUC_GEMM_GELU_TANH, "silu": raw.CUC_GEMM_SILU,
                   "relu_derivative": raw.CUC_GEMM_RELU_DERIVATIVE, "gelu_derivative": raw.CUC_GEMM_GELU_DERIVATIVE,
                   "gelu_tanh_derivative": raw.CUC_GEMM_GELU_TANH_DERIVATIVE,
                   "silu_derivative": raw.CUC_GEMM_SILU_DERIVATIVE},
    "bias": {None: raw.CUC_GEMM_NO_BIAS, "columns": raw.CUC_GEMM_BIAS_COLUMNS, "rows": raw.CUC_GEMM_BIAS_ROWS},
    "bias_gradient": {None: raw.CUC_GEMM_NO_GRADIENT, "columns": raw.CUC_GEMM_GRADIENT_COLUMNS,
                      "rows": raw.CUC_GEMM_GRADIENT_ROWS, "a": raw.CUC_GEMM_GRADIENT_A,
                      "b": raw.CUC_GEMM_GRADIENT_B},
    **dict.fromkeys(("a_order", "b_order", "d_order"),
                    {"row": raw.CUC_GEMM_ROW_MAJOR, "column": raw.CUC_GEMM_COLUMN_MAJOR}),
}
_FLAGS = {"shared_a": raw.CUC_GEMM_SHARED_A, "shared_b": raw.CUC_GEMM_SHARED_B, "fast_acc": raw.CUC_GEMM_FAST_ACC,
          "scaled_rows": raw.CUC_GEMM_SCALED_ROWS, "scaled_columns": raw.CUC_GEMM_SCALED_COLUMNS,
          "plain_launch": raw.CUC_GEMM_PLAIN_LAUNCH, "amax": raw.CUC_GEMM_AMAX}
_ARRAYS = frozenset(name for name, *_ in raw.cuc_gemm_args._fields_) - {"struct_size", "workspace", "workspace_bytes"}
_FIELDS = frozenset(name for name, *_ in raw.cuc_gemm_options._fields_)


def _options(dtype: Any, choice: str | None, given: dict[str, Any]) -> Any:
    made = options(raw.cuc_gemm_options, dtype=dtype_number(dtype))
    for name, value in given.items():
        if name in _FLAGS:
            made.flags |= _FLAGS[name] if value else 0
        elif name not in _FIELDS:
            raise TypeError(f"a product has no option {name}: there are "
                            f"{', '.join(sorted({*_FIELDS, *_FLAGS} - {'struct_size', 'flags', 'reserved'}))}")
        elif name == "cache":
            if value is not None:
                handle_of(Cache, value, "cache")
                made.cache = value._open()  # NULL would be the default cache
        elif name in _WORDS:
            setattr(made, name, word(name, value, _WORDS[name]))
        elif name.endswith("dtype") or name == "accumulator":
            setattr(made, name, dtype_number(value))
        else:
            assign(made, name, value)
    if choice is not None:
        check(raw.cuc_gemm_options_set_choice(ctypes.byref(made), c_text("choice", choice)))
    return made


class Gemm(Handle):
    """A compiled matrix multiplication: `d = activation(alpha a b + beta c + bias) + residual`.

    The options are the fields of `cuc_gemm_options`, with words for its constants: `form`
    ("single", "batched", "grouped"); `m`, `n`, `k` and `batch`, sizes that guide the choice of
    tiles but restrict nothing; `a_order` and similar ("row", "column"); `d_dtype`, `c_dtype`;
    `bias` ("columns", "rows"); `activation` ("relu", "gelu", "gelu_tanh", "silu", or
    "relu_derivative" and similar); `aux_dtype`; `bias_gradient` ("columns", "rows", "a", "b");
    `amax`; `precision` ("ieee", "tf32", "tf32x3"); `shared_a`, `fast_acc`, `scaled_rows`; `cache`, a `Cache` to use
    instead of the default one. To choose tiles by hand, pass `tile_m` and similar options, or a
    record's `choice`.
    """

    __slots__ = ("_form",)
    _release = raw.cuc_gemm_plan_release
    _CALLS: ClassVar[dict[int, Any]] = {
        raw.CUC_GEMM_SINGLE: raw.cuc_gemm, raw.CUC_GEMM_BATCHED: raw.cuc_gemm_batched,
        raw.CUC_GEMM_GROUPED: raw.cuc_gemm_grouped}

    def __init__(self, dtype: Any, *, device: Device | int | None = None, choice: str | None = None,
                 **given: Any) -> None:
        self._h = 0
        made = _options(dtype, choice, given)
        self._form = made.form
        self._take(create(raw.cuc_gemm_plan_create, Device(device)._h, ctypes.byref(made)))

    def __call__(self, stream: StreamLike, a: Any, b: Any, d: Any, *, alpha: float = 1.0, beta: float = 0.0,
                 workspace: Buffer | None = None, **arrays: Any) -> None:
        """Compute the matrix product in stream order. Arrays may come from any library; pass `c`,
        `bias`, `residual`, `row_scale`, `column_scale`, `offsets`, `aux`, `bias_gradient`, `amax`,
        `a_scale` and `b_scale` if the options require them."""
        args = options(raw.cuc_gemm_args)
        kept = []
        for name, value in {"a": a, "b": b, "d": d, **arrays}.items():
            if name not in _ARRAYS:
                raise TypeError(f"a product has no array {name}")
            if value is not None:
                kept.append(as_tensor(value))
                setattr(args, name, kept[-1]._address)
        if workspace is not None:
            args.workspace, args.workspace_bytes = workspace.handle, workspace.size
        check(self._CALLS[self._form](as_stream(stream)._h, self._h, alpha, beta, ctypes.byref(args)))

    def workspace_bytes(self, m: int, n: int, k: int) -> int:
        """Return the workspace size of a product with m rows, n columns and a reduction over k; for a batch, of each
        product."""
        sizes = [c_number(ctypes.c_int64, name, value) for name, value in (("m", m), ("n", n), ("k", k))]
        return int(raw.cuc_gemm_plan_workspace_bytes(self._h, *sizes))

    @property
    def choice(self) -> dict[str, Any]:
        """The chosen configuration, its source ("options", "tuned", "model"), and the model's time estimate in
        seconds."""
        out = options(raw.cuc_gemm_choice)
        check(raw.cuc_gemm_plan_get_choice(ctypes.byref(out), self._h))
        names = [name for name, *_ in out._fields_ if name not in ("struct_size", "reserved")]
        made = {name: getattr(out, name) for name in names}
        return {**made, "by": text(made["by"]), "d_dtype": raw.NAMES["dtype"].get(made["d_dtype"])}

    @property
    def record(self) -> Record:
        """Return the key and the choice, for a file of tuning records."""
        out = options(raw.cuc_tuned_record)
        check(raw.cuc_gemm_plan_get_record(ctypes.byref(out), self._h))
        return Record._of(out)

    @property
    def sources(self) -> list[str]:
        """The source text of the tile programs."""
        found: list[str] = []
        while (source := raw.cuc_gemm_plan_source(self._h, len(found))) is not None:
            found.append(text(source))
        return found

    @staticmethod
    def candidates(dtype: Any, *, device: Device | int | None = None, **given: Any) -> list[Candidate]:
        """List the configurations that are available for such a product."""
        made = _options(dtype, None, given)
        return visited(lambda visit: raw.cuc_gemm_visit_candidates(Device(device)._h, ctypes.byref(made), visit,
                                                                   None))


__all__ = ["Gemm"]
