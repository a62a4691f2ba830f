"""Values that names have during compilation: plain Python values, and the classes below."""
from __future__ import annotations

import ctypes
import re
from typing import Any

from .. import raw
from .._errors import text
from .._handle import numbers
from ._errors import NAMES, TileCompilerError, compilers
from ._promote import FLOAT, INTEGER, category, common, of_number, promoted, with_number


class DType:
    """An element type, such as `ct.float32`. Calling it makes a typed scalar."""

    __slots__ = ("number", "name")

    def __init__(self, number: int, name: str) -> None:
        self.number, self.name = number, name

    def __eq__(self, other: object) -> bool:
        from .._tensor import dtype_number
        try:
            return self.number == (other.number if isinstance(other, DType) else dtype_number(other))
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.number)

    def __repr__(self) -> str:
        return self.name

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def bitwidth(self) -> int:
        """The size of an element in bits."""
        return int(raw.cuc_dtype_bits(self.number))


def named(number: int) -> DType:
    """Look up a dtype by its constant."""
    kind: str = raw.NAMES["dtype"].get(number, "unknown")
    return DType(number, NAMES.get(kind, kind))


def is_number(value: Any) -> bool:
    """Return whether a value is a Python number, which adopts the other operand's dtype."""
    return isinstance(value, (bool, int, float))


class Value:
    """A tile or scalar computed by the kernel.

    `loose` marks an integer scalar that the compiler made, such as a block index. Like a
    literal, it adopts the other operand's type.
    """

    __slots__ = ("handle", "loose")

    def __init__(self, handle: int, loose: bool = False) -> None:
        self.handle, self.loose = handle, loose


class Array:
    """An array parameter or a part of one.

    `known` has the compile-time extents and strides by axis. `number` is the index among the
    kernel's arrays, or -1 for a part. `flat` is the memory as one axis.
    """

    __slots__ = ("handle", "dtype", "rank", "known", "number", "flat")

    def __init__(self, handle: int, dtype: int, rank: int, known: Any = ((), ()), number: int = -1) -> None:
        self.handle, self.dtype, self.rank = handle, dtype, rank
        self.known, self.number = (dict(known[0]), dict(known[1])), number
        self.flat: Array | None = None


class Memory:
    """An array's memory, which is addressed by the element offset from the first element."""

    __slots__ = ("flat",)

    def __init__(self, flat: Array) -> None:
        self.flat = flat


class Slice:
    """A number of elements along an axis, from a start index on."""

    __slots__ = ("start", "length")

    def __init__(self, start: Any, length: int) -> None:
        self.start, self.length = start, length


class Chosen:
    """One of several arrays, which a run-time index selects."""

    __slots__ = ("arrays", "index", "dtype", "rank")

    def __init__(self, arrays: tuple[Array, ...], index: Value) -> None:
        if len({(a.dtype, a.rank) for a in arrays}) != 1:
            raise TypeError("arrays of a list that is indexed when the kernel runs have one dtype and rank")
        self.arrays, self.index = arrays, index
        self.dtype, self.rank = arrays[0].dtype, arrays[0].rank


class View:
    """An array viewed as tiles that are `steps` elements apart."""

    __slots__ = ("array", "shape", "padding", "steps")

    def __init__(self, array: Array | Chosen, shape: tuple[int, ...], padding: Any,
                 steps: tuple[int, ...]) -> None:
        self.array, self.shape, self.padding, self.steps = array, shape, padding, steps

    @property
    def extents(self) -> tuple[int, ...]:
        """The shape of its tiles in memory; the extents of a scalar are 1."""
        return self.shape or (1,) * len(self.steps)


class Shown(Value):
    """A value in an f-string, with its printf format without the percent sign."""

    __slots__ = ("how",)

    def __init__(self, value: Value, how: str) -> None:
        super().__init__(value.handle, value.loose)
        self.how = how


class Text(tuple):  # type: ignore[type-arg]
    """An f-string as a sequence of parts, some of which are values."""

    __slots__ = ()


INTEGERS = frozenset(range(raw.CUC_I8, raw.CUC_U64 + 1))

# Reserved words of the tile language, which cannot be kernel names. The names of builder functions
# are reserved too.
_WORDS = {"and", "as", "asm", "assert", "auto", "break", "cat", "const", "continue", "else", "false", "fn",
          "for", "grid", "if", "in", "inf", "kernel", "nan", "not", "or", "return", "static", "step",
          "tile", "true", "where", "while", "noalias", "align", "unit", "block", "cumsum", "cumprod"}
RESERVED = _WORDS | set(raw.NAMES["dtype"].values()) | \
    {name.removeprefix("cuc_tile_") for name in raw.FUNCTIONS if name.startswith("cuc_tile_")}


def plain(name: str) -> str:
    """Turn a Python name into a valid tile language name."""
    plainly = re.sub(r"[^A-Za-z0-9_]", lambda match: f"u{ord(match.group()):x}", name)
    return plainly + "_" if plainly in RESERVED else plainly


# Control flow that flushes buffered output, and the placeholder for a value in a text.
_TURNS = frozenset(("if", "else", "end", "for", "loop", "while", "break", "continue", "return", "assert",
                    "kernel_end"))
_MARK = re.compile(r"\{(:[^{}]*)?\}")


class Builder:
    """A tile program under construction, and the current location in the Python source."""

    def __init__(self) -> None:
        out = ctypes.c_void_p()
        if raw.cuc_tile_program_create(ctypes.byref(out)) < 0:
            raise TileCompilerError(text(raw.cuc_error_message()))
        self.program = out.value or 0
        self.places: list[tuple[bytes, int]] = [(b"", 0)]
        self.line: list[Any] = []  # output since the last line end: texts and values

    def close(self) -> None:
        raw.cuc_tile_program_release(self.program)

    @property
    def place(self) -> tuple[bytes, int]:
        return self.places[-1]

    def at(self, line: int) -> None:
        self.places[-1] = (self.places[-1][0], line)

    def call(self, name: str, *arguments: Any) -> int:
        """Call a builder function at the current location. The first error ends the compilation."""
        if self.line and name in _TURNS:
            self.end_line()
        file, line = self.place
        result = getattr(raw, f"cuc_tile_{name}")(self.program, file, line, *arguments)
        if not result:
            self.check()
        return result or 0

    def into(self, count: int, name: str, *arguments: Any) -> list[int]:
        """Like call(), for functions that write their results to memory."""
        out = (ctypes.c_uint32 * count)()
        file, line = self.place
        getattr(raw, f"cuc_tile_{name}")(out, self.program, file, line, *arguments)
        self.check()
        return list(out)

    def check(self) -> None:
        log = text(raw.cuc_tile_program_log(self.program))
        if log:
            raise compilers(log)

    def finish(self) -> str:
        out = ctypes.c_char_p()
        if raw.cuc_tile_program_finish(ctypes.byref(out), self.program) < 0:
            raise TileCompilerError(text(raw.cuc_error_message()))
        return text(out.value)

    # ---- printing ----

    def say(self, *parts: Any) -> None:
        """Buffer texts and values, and print them at the end of a line, because the device prints
        whole lines."""
        for part in parts:
            if isinstance(part, str) and self.line and isinstance(self.line[-1], str):
                self.line[-1] += part
            else:
                self.line.append(part)
        if isinstance(self.line[-1], str) and self.line[-1].endswith("\n"):
            self.line[-1] = self.line[-1][:-1]
            self.end_line()

    def end_line(self) -> None:
        parts, self.line = self.line, []
        form, shown = "", []
        for part in parts:
            if isinstance(part, Value):
                how = getattr(part, "how", "") or ("f" if category(self.kind(part)) >= FLOAT else "")
                form += f"{{:{',' if self.rank(part) else ''}{how}}}" if how or self.rank(part) else "{}"
                shown.append(self.cast(part, raw.CUC_I32) if self.kind(part) == raw.CUC_BOOL else part)
            elif _MARK.search(part):
                raise ValueError(f"{part!r} has {_MARK.search(part)[0]!r}, which stands for a value: it "  # type: ignore[index]
                                 "cannot be printed")
            else:
                form += part
        self.call("print", form.encode(), *self.handles(shown))

    # ---- types ----

    def dtype(self, value: Value) -> int:
        return int(raw.cuc_tile_dtype(self.program, value.handle))

    def rank(self, value: Value) -> int:
        return int(raw.cuc_tile_rank(self.program, value.handle))

    def shape(self, value: Value) -> tuple[int, ...]:
        return tuple(int(raw.cuc_tile_extent(self.program, value.handle, axis))
                     for axis in range(self.rank(value)))

    # ---- values ----

    def value(self, given: Any) -> Value:
        """Convert a Python value to a kernel value."""
        if isinstance(given, Value):
            return given
        if isinstance(given, bool):
            return Value(self.call("bool", int(given)))
        if isinstance(given, int):
            return Value(self.call("int" if given < 2**63 else "uint", given), loose=True)
        if isinstance(given, float):
            return Value(self.call("float", given))
        if hasattr(given, "item") and hasattr(given, "dtype") and not getattr(given, "ndim", 0):  # a NumPy scalar
            from .._tensor import dtype_number
            return self.cast(self.value(given.item()), dtype_number(given.dtype))
        raise TypeError(f"expected a tile or a number, not {type(given).__name__}")

    def cast(self, value: Value, dtype: int, rounding: int = raw.CUC_TILE_RN) -> Value:
        return Value(self.call("cast", value.handle, dtype, rounding))

    def typed(self, value: Value) -> Value:
        """Give a value a definite type."""
        return self.cast(value, raw.CUC_I64) if value.loose else value

    def kind(self, given: Any) -> int:
        """Return the dtype of a value, or of a Python number by itself. An index counts as
        int32."""
        if isinstance(given, Value):
            return raw.CUC_I32 if given.loose else self.dtype(given) or raw.CUC_F32
        return of_number(given)

    def meet(self, x: Any, y: Any, floats: bool = False) -> tuple[Value, Value, bool]:
        """Convert two operands to their common dtype, and tell whether the result is an index. With
        `floats`, integers become floats."""
        numbers = [is_number(each) for each in (x, y)]
        a, c = self.value(x), self.value(y)
        if all(numbers) or not floats and (a.loose or numbers[0]) and (c.loose or numbers[1]) and \
                all(isinstance(each, (int, Value)) for each in (x, y)):
            return a, c, a.loose and c.loose or a.loose and numbers[1] or c.loose and numbers[0]
        if numbers[0]:
            kind = with_number(self.kind(c), x)
        elif numbers[1]:
            kind = with_number(self.kind(a), y)
        elif a.loose != c.loose and category(self.kind(c if a.loose else a)) == INTEGER and \
                common(self.kind(a), self.kind(c)) is None:
            kind = self.kind(c if a.loose else a)  # an index also combines with unsigned integers
        else:
            kind = promoted(self.kind(a), self.kind(c))
        if floats and category(kind) < FLOAT:
            kind = raw.CUC_F32
        return self.as_kind(x, kind), self.as_kind(y, kind), False

    def as_kind(self, given: Any, kind: int) -> Value:
        """Convert an operand to a dtype; a Python number becomes a constant of it."""
        if is_number(given):
            of = category(kind)
            return self.value(float(given) if of >= FLOAT else int(given) if of == INTEGER else bool(given))
        made = self.value(given)
        return made if not made.loose and self.dtype(made) == kind else self.cast(made, kind)

    def integers(self, values: Any) -> tuple[int, Any]:
        """Convert numbers to a length and a C array."""
        return len(values), numbers(ctypes.c_int64, "extents", values)

    def handles(self, values: Any) -> tuple[int, Any]:
        made = [self.value(v).handle for v in values]
        return len(made), (ctypes.c_uint32 * max(len(made), 1))(*made)
