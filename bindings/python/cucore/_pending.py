"""Host memory that copies under way read or write: kept until they are done."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from . import raw

if TYPE_CHECKING:
    from ._stream import Event, Stream

_lock = threading.Lock()  # of who prunes; a list's methods need none
_held: list[tuple[Event, Any]] = []


def hold(stream: Stream, memory: Any) -> None:
    """Keep memory until what the stream has by now is done. A graph's is the caller's to keep."""
    if stream.is_capturing:
        return
    event = stream.record()
    prune()
    _held.append((event, memory))


def prune() -> None:
    """Let go of what is not needed any more; also where the context failed."""
    if _held and _lock.acquire(blocking=False):
        try:
            for each in list(_held):
                if raw.cuc_event_query(each[0]._h) != raw.CUC_NOT_READY:
                    _held.remove(each)  # what goes with it may come here, and hold more
        finally:
            _lock.release()
