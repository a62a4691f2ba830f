"""Joins: the value of a name where the paths of an if or a loop meet.

Each path contributes a value. `form()` returns its abstract form, and `join()` joins two forms
in a lattice: unknown; the same constant or array on every path; a tile of one type; one of
several arrays; and at the top `Differs`, which is an error if the name is read. A `Slot` holds
the builder variables for the parts of a form that are known only at run time.
"""
from __future__ import annotations

import itertools
from typing import Any

from .. import raw
from . import _ops as ops
from ._constant import kind_of
from ._errors import NAMES
from ._trees import children, is_tree, leaves, mapped, rebuilt
from ._values import Array, Builder, Chosen, Value, is_number, plain


class Known:
    """The same value on every path: a constant, array or function."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Kind:
    """A tile or scalar of a type. `loose` marks an index."""

    __slots__ = ("dtype", "shape", "loose")

    def __init__(self, dtype: int, shape: tuple[int, ...], loose: bool = False) -> None:
        self.dtype, self.shape, self.loose = dtype, shape, loose

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and (self.dtype, self.shape, self.loose) == \
            (other.dtype, other.shape, other.loose)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        name = NAMES.get(raw.NAMES["dtype"].get(self.dtype, ""), "a number")
        return "an index" if self.loose else f"{name}{list(self.shape)}" if self.shape else name


class Which:
    """One of several kernel arrays, by index."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self.numbers = numbers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Which) and self.numbers == other.numbers

    __hash__ = None  # type: ignore[assignment]


class Differs:
    """No common form: reading the name is an error, explained by `reason`."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Differs)

    __hash__ = None  # type: ignore[assignment]


UNBOUND = Differs("nothing binds {name} here: a name that an if or a loop binds first ends with it, unless every path "
                  "binds it")
UNDEFINED = Differs("nothing binds {name} before this")
PENDING = Differs("the function returns nothing here")  # nothing returned yet: joins with anything
_INDEX = Kind(raw.CUC_I64, (), True)


def form(b: Builder, value: Any) -> Any:
    """Return the form of a value, a tree made of the classes above."""
    def leaf(each: Any) -> Any:
        if isinstance(each, Differs):
            return None if each is PENDING else each
        if isinstance(each, Value):
            return _INDEX if each.loose else Kind(b.dtype(each) or raw.CUC_F32, b.shape(each))
        if isinstance(each, Chosen) and all(array.number >= 0 for array in each.arrays):
            return Which(tuple(sorted({array.number for array in each.arrays})))
        return Known(each)
    return mapped(value, leaf)


def number_kind(value: Any) -> Kind:
    """Return the type of a Python number stored in a variable."""
    if isinstance(value, bool):
        return Kind(raw.CUC_BOOL, ())
    if isinstance(value, int):
        if -2**31 <= value < 2**31:
            return _INDEX
        if not -2**63 <= value < 2**64:
            raise ValueError(f"{value} is out of the range of every integer")
        return Kind(raw.CUC_I64 if value < 2**63 else raw.CUC_U64, ())
    return Kind(raw.CUC_F32, ())


def variables(tree: Any, keep_numbers: bool = True) -> Any:
    """Replace the parts that are equal on every path with None: they need no variable. Numbers
    count as varying, unless `keep_numbers` is set."""
    def leaf(each: Any) -> Any:
        if isinstance(each, Known):
            return None if keep_numbers or not is_number(each.value) else number_kind(each.value)
        return each
    return mapped(tree, leaf)


def changes(form: Any) -> bool:
    """Return whether any part of a form needs a variable."""
    return any(isinstance(each, (Kind, Which)) for each in leaves(form))


def covers(slot: Any, needed: Any) -> bool:
    """Return whether a slot's form has a variable of the right type for each part of `needed` that
    needs one."""
    if is_tree(slot) or is_tree(needed):
        return _alike(slot, needed) and all(covers(x, y) for (_, x), (_, y) in zip(children(slot), children(needed)))
    return needed is None or bool(slot == needed)


def _alike(x: Any, y: Any) -> bool:
    """Return whether two trees have the same structure."""
    return is_tree(x) and is_tree(y) and type(x) is type(y) and \
        [key for key, _ in children(x)] == [key for key, _ in children(y)]


def same(x: Any, y: Any) -> bool:
    """Return whether two constants are identical."""
    if x is y:
        return True
    if isinstance(x, Array) and isinstance(y, Array):
        return x.number == y.number >= 0
    try:
        return type(x) is type(y) and kind_of(x) == kind_of(y)
    except Exception:  # == raised an error, or the value is unhashable
        return False


def _say(x: Any) -> str:
    if isinstance(x, Known):
        return f"{x.value!r}" if is_number(x.value) or x.value is None else \
            "an array" if isinstance(x.value, Array) else type(x.value).__name__
    return "one of several arrays" if isinstance(x, Which) else str(x) if isinstance(x, Kind) else \
        f"a {type(x).__name__} of {len(leaves(x))}"


def join(x: Any, y: Any, arrays: list[Array]) -> Any:
    """Join the forms of two paths."""
    if x is None or isinstance(y, Differs):
        return y
    if y is None or isinstance(x, Differs):
        return x
    if is_tree(x) or is_tree(y):
        if not _alike(x, y):
            return _differ(x, y)
        return rebuilt(x, [join(a, c, arrays) for (_, a), (_, c) in zip(children(x), children(y))])
    if isinstance(x, Known) and isinstance(y, Known):
        if same(x.value, y.value):
            return x
        if isinstance(x.value, Array) and isinstance(y.value, Array) and x.value.number >= 0 <= y.value.number:
            return _which({x.value.number, y.value.number}, x, y, arrays)
        if not is_number(x.value) or not is_number(y.value):
            return _differ(x, y)
        a, c = number_kind(x.value), number_kind(y.value)
        return c if a == c or _index_in(a, c) else a if _index_in(c, a) else _differ(x, y)
    if not isinstance(x, (Known, Which, Kind)) or not isinstance(y, (Known, Which, Kind)):
        return _differ(x, y)
    if isinstance(x, Which) or isinstance(y, Which):
        numbers: set[int] = set()
        for each in (x, y):
            if isinstance(each, Which):
                numbers |= set(each.numbers)
            elif isinstance(each, Known) and isinstance(each.value, Array) and each.value.number >= 0:
                numbers.add(each.value.number)
            else:
                return _differ(x, y)
        return _which(numbers, x, y, arrays)
    for one, other in ((x, y), (y, x)):
        if isinstance(one, Known):
            if not is_number(one.value):
                return _differ(x, y)
            kind = number_kind(one.value)
            return other if kind == other or isinstance(other, Kind) and _index_in(kind, other) else _differ(x, y)
        if isinstance(other, Kind) and _index_in(one, other):
            return other
    return x if x == y else _differ(x, y)


def _index_in(index: Kind, other: Kind) -> bool:
    """Return whether a variable of type `other` can hold an index. An index counts as int32, or as
    64-bit together with other indices."""
    return index.loose and not other.shape and other.dtype in (raw.CUC_I32, raw.CUC_I64)


def _which(numbers: set[int], x: Any, y: Any, arrays: list[Array]) -> Any:
    if len({(arrays[n].dtype, arrays[n].rank) for n in numbers}) != 1:
        return _differ(x, y, "arrays of different dtypes or ranks")
    return Which(tuple(sorted(numbers)))


def _differ(x: Any, y: Any, what: str = "") -> Differs:
    return Differs("{name} has another type on each path: " + (what or f"{_say(x)}, and {_say(y)}"))


class Slot:
    """The builder variables of a name, for the parts of its form that need one; `first` is the
    value before."""

    def __init__(self, b: Builder, arrays: list[Array], name: str, form: Any, first: Any) -> None:
        self.b, self.arrays, self.form = b, arrays, form
        self.variables = self._declared(plain(name).encode(), form, first)

    def _declared(self, name: bytes, form: Any, first: Any) -> Any:
        if is_tree(form):
            inner = [each for _, each in children(first)] if _alike(form, first) else [UNBOUND] * len(children(form))
            return rebuilt(form, [self._declared(name, each, one) for (_, each), one in zip(children(form), inner)])
        if not isinstance(form, (Kind, Which)):
            return None
        handle = self._fitting(form, first)
        return self.b.call("declare", name, self.zero(form).handle if handle is None else handle)

    def zero(self, form: Kind | Which) -> Value:
        kind = form if isinstance(form, Kind) else _INDEX
        return Value(self.b.call("zeros", kind.dtype, *self.b.integers(kind.shape)), kind.loose)

    def _fitting(self, form: Kind | Which, value: Any) -> int | None:
        """Convert a value for a variable. Return None if it has another type and therefore does not
        belong in the variable."""
        b = self.b
        if isinstance(form, Which):
            place = self._place(form, value)
            return None if place is None else b.cast(b.value(place), raw.CUC_I64).handle
        if not is_number(value) and not isinstance(value, Value):
            return None
        kind = number_kind(value) if is_number(value) else Kind(b.dtype(value) or raw.CUC_F32, b.shape(value), value.loose)
        if kind == form:
            made = b.value(value)
            return b.cast(made, form.dtype).handle if is_number(value) or form.loose else made.handle
        if _index_in(kind, form) or _index_in(form, kind):
            return b.cast(b.value(value), form.dtype).handle
        return None

    def _place(self, form: Which, value: Any) -> Any:
        """Return the index of a value among the form's arrays; None if it is not one of them."""
        if isinstance(value, Array):
            return form.numbers.index(value.number) if value.number in form.numbers else None
        if not isinstance(value, Chosen) or any(array.number not in form.numbers for array in value.arrays):
            return None
        place: Any = form.numbers.index(value.arrays[0].number)
        for number, array in enumerate(value.arrays[1:], 1):
            place = ops.where(self.b, ops.binary(self.b, "eq", value.index, number),
                              form.numbers.index(array.number), place)
        return place

    def put(self, value: Any) -> None:
        """Assign a value to the variables, as far as the types match."""
        made: list[tuple[int, int]] = []  # compute all parts before any is set
        self._gather(self.variables, self.form, value, made)
        for variable, handle in made:
            self.b.call("set", variable, handle)

    def _gather(self, variables: Any, form: Any, value: Any, made: list[tuple[int, int]]) -> None:
        if is_tree(form):
            if _alike(form, value):
                for (_, each), (_, part), (_, one) in zip(children(variables), children(form), children(value)):
                    self._gather(each, part, one, made)
        elif variables is not None:
            handle = self._fitting(form, value)
            if handle is not None:
                made.append((variables, handle))

    def now(self, first: Any) -> Any:
        """Return the value at the start of an iteration: from the variables, or else the value
        before the loop."""
        return self._now(self.variables, self.form, first)

    def _now(self, variables: Any, form: Any, first: Any) -> Any:
        if is_tree(form) and _alike(form, first):
            return rebuilt(form, [self._now(each, part, one) for (_, each), (_, part), (_, one) in
                                  zip(children(variables), children(form), children(first))])
        if isinstance(form, Differs):
            return form
        return first if form is None else self._got(variables, form, form)

    def get(self, joined: Any) -> Any:
        """Return the value of the joined form: from variables if there are any, or else the shared
        value. If a part lacks its variable, a placeholder of the right type replaces it; that
        program is discarded later."""
        return self._got(self.variables, self.form, joined)

    def _got(self, variables: Any, form: Any, joined: Any) -> Any:
        if is_tree(joined):
            inner = zip((each for _, each in children(variables)), (each for _, each in children(form))) \
                if _alike(form, joined) else itertools.repeat((None, None))
            return rebuilt(joined, [self._got(*there, part) for there, (_, part) in zip(inner, children(joined))])
        if isinstance(joined, Known):
            return joined.value
        if not isinstance(joined, (Kind, Which)):
            return joined
        there = variables is not None and not is_tree(variables) and form == joined
        loose = isinstance(joined, Which) or joined.loose
        value = Value(self.b.call("get", variables), loose) if there else self.zero(joined)
        if isinstance(joined, Which):
            return Chosen(tuple(self.arrays[n] for n in joined.numbers), value)
        return value
