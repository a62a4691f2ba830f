"""Conditions of conditional graph nodes."""
from __future__ import annotations

import ctypes
from typing import Any

from . import raw
from ._handle import get, not_made


class GraphCondition:
    """A 32-bit value that controls one conditional node. Pass it to a kernel, which sets it with
    `cudaGraphSetConditional(condition, value)`.
    """

    __slots__ = ("handle", "__weakref__")
    handle: int  #: the CUgraphConditionalHandle

    def __init__(self) -> None:
        not_made("GraphCondition objects", "create_condition() of a graph or a builder")

    @classmethod
    def _made_by(cls, function: Any, graph_or_stream: int, default_value: int | None) -> GraphCondition:
        self = cls.__new__(cls)
        flags = raw.CUC_CONDITION_ASSIGN_DEFAULT if default_value is not None else 0
        self.handle = get(ctypes.c_uint64, function, graph_or_stream, default_value or 0, flags)
        return self

    def __int__(self) -> int:
        return self.handle

    def __eq__(self, other: object) -> bool:
        return self.handle == other.handle if isinstance(other, GraphCondition) else NotImplemented

    def __hash__(self) -> int:
        return hash((GraphCondition, self.handle))

    def __repr__(self) -> str:
        return f"<GraphCondition handle={self.handle:#x}>"
