"""Sets that reflect driver state: adding and removing members takes effect at once."""
from __future__ import annotations

from collections.abc import Iterable, MutableSet
from typing import Any


class LiveSet(MutableSet[Any]):
    """A live set with all methods of `set`. Operators return a plain set; changing that set has no
    effect."""

    __slots__ = ("__weakref__",)

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> set[Any]:  # type: ignore[override]
        """Build the result of an operator."""
        return set(it)

    def _member(self, value: Any) -> Any:
        """Convert a value to the member that it stands for."""
        return value

    def _members(self, values: Iterable[Any]) -> set[Any]:
        return {self._member(value) for value in values}

    def _put(self, members: set[Any]) -> None:
        for member in members:
            self.add(member)

    def _drop(self, members: set[Any]) -> None:
        for member in members:
            self.discard(member)

    def update(self, *others: Iterable[Any]) -> None:
        given = [self._members(other) for other in others]
        self._put(set().union(*given) - set(self))

    def difference_update(self, *others: Iterable[Any]) -> None:
        given = [self._members(other) for other in others]
        self._drop(set(self).intersection(set().union(*given)))

    def intersection_update(self, *others: Iterable[Any]) -> None:
        kept = self.intersection(*others)
        self._drop(set(self) - kept)

    def symmetric_difference_update(self, other: Iterable[Any]) -> None:
        given, now = self._members(other), set(self)
        self._drop(now & given)
        self._put(given - now)

    def clear(self) -> None:
        self._drop(set(self))

    def copy(self) -> set[Any]:
        return set(self)

    def union(self, *others: Iterable[Any]) -> set[Any]:
        return set(self).union(*map(self._members, others))

    def intersection(self, *others: Iterable[Any]) -> set[Any]:
        return set(self).intersection(*map(self._members, others))

    def difference(self, *others: Iterable[Any]) -> set[Any]:
        return set(self).difference(*map(self._members, others))

    def symmetric_difference(self, other: Iterable[Any]) -> set[Any]:
        return set(self) ^ self._members(other)

    def issubset(self, other: Iterable[Any]) -> bool:
        return set(self) <= self._members(other)

    def issuperset(self, other: Iterable[Any]) -> bool:
        return set(self) >= self._members(other)

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        return set(self).isdisjoint(self._members(other))

    def __ior__(self, others: Any) -> Any:  # type: ignore[misc]
        self.update(others)
        return self

    def __iand__(self, others: Any) -> Any:  # type: ignore[misc]
        self.intersection_update(others)
        return self

    def __isub__(self, others: Any) -> Any:  # type: ignore[misc]
        self.difference_update(others)
        return self

    def __ixor__(self, others: Any) -> Any:  # type: ignore[misc]
        self.symmetric_difference_update(others)
        return self

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}"
