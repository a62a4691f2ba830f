"""Keeps host memory alive while pending copies read or write it."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from . import raw

if TYPE_CHECKING:
    from ._stream import Event, Stream

_lock = threading.Lock()  # serializes prune(); list methods are atomic already
_held: list[tuple[Event, Any]] = []


def hold(stream: Stream, memory: Any) -> None:
    """Keep memory alive until the work that is now in the stream completes. For a graph, the caller
    must keep it alive."""
    if stream.is_capturing:
        return
    event = stream.record()
    prune()
    _held.append((event, memory))


def prune() -> None:
    """Drop memory whose work has completed, or whose context has failed."""
    if _held and _lock.acquire(blocking=False):
        try:
            for each in list(_held):
                if raw.cuc_event_query(each[0]._h) != raw.CUC_NOT_READY:
                    _held.remove(each)  # a destructor may call hold() again
        finally:
            _lock.release()
