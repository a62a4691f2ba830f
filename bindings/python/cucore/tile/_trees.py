"""Nested Python containers (tuples, lists, dictionaries, dataclasses) as trees with leaves."""
from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any


def _is_data(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def is_tree(value: Any) -> bool:
    return isinstance(value, (tuple, list, dict)) or _is_data(value)


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Map every leaf."""
    return rebuilt(value, [mapped(each, change) for _, each in children(value)]) if is_tree(value) else change(value)


def rebuilt(value: Any, parts: list[Any]) -> Any:
    """Rebuild the tree with other children, in the order of `children()`."""
    if isinstance(value, dict):
        return dict(zip(value, parts))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*parts)
    if isinstance(value, (tuple, list)):
        return type(value)(parts)
    made = copy.copy(value)
    for field, part in zip(dataclasses.fields(value), parts):
        object.__setattr__(made, field.name, part)
    return made


def children(value: Any) -> list[tuple[Any, Any]]:
    """Return (name, child) pairs."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, (tuple, list)):
        return list(enumerate(value))
    return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]


def leaves(value: Any) -> list[Any]:
    found: list[Any] = []
    mapped(value, found.append)
    return found
