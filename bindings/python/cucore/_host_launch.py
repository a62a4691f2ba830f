"""Host functions: Python functions called in stream order."""
from __future__ import annotations

import ctypes
from collections.abc import Callable
from threading import get_ident
from typing import Any

from . import raw
from ._callback import HostFunction, will_call
from ._errors import check
from ._graph_builder import GraphBuilder
from ._handle import _called_back, kept
from ._stream import StreamLike, as_stream


def _call_kept(key: int) -> None:
    _called_back.add(get_ident())
    found = kept.get(key)
    kept.forget(key)
    if found is not None:
        function, given = found
        function(*given)


# One callback object for all calls. An object per call could be freed while the driver executes it.
_kept_function = HostFunction(_call_kept)


def host_launch(stream: StreamLike, fn: Callable[..., Any], *, user_data: Any = None) -> None:
    """Call a Python function in stream order, with `user_data` if given. It runs on a driver thread and must not call
    CUDA or cucore. On a graph builder it becomes a node.
    """
    if isinstance(stream, GraphBuilder):
        return stream.callback(fn, user_data=user_data)
    queue = as_stream(stream)
    if queue.is_capturing:
        raise RuntimeError("the stream is being captured: the capture's callback() keeps the function")

    will_call(queue.device, fn)
    key = kept.add((fn, () if user_data is None else (user_data,)))
    try:
        check(raw.cuc_launch_host(queue._h, ctypes.cast(_kept_function, ctypes.c_void_p), key))
    except BaseException:
        kept.forget(key)
        raise
    return None
