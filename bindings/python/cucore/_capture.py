"""Stream capture: records the work of a stream as a graph."""
from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Callable
from threading import get_ident
from typing import Any

from . import _stream, raw
from ._callback import host_function, under_way
from ._condition import GraphCondition
from ._device import Device
from ._errors import CUDAError, check, last_error
from ._graph import Graph
from ._handle import _left, _threads, create, get, handle_of, may_call, release_left, word
from ._stream import Stream

_MODES = {"global": raw.CUC_CAPTURE_GLOBAL, "thread_local": raw.CUC_CAPTURE_THREAD_LOCAL,
          "relaxed": raw.CUC_CAPTURE_RELAXED}
# After these failures, canceling a capture may be retried; after any other failure it may not.
_GOES_ON = (raw.CUC_ERROR_BUSY, raw.CUC_ERROR_INVALID_ARGUMENT)


class _Building:
    """A capture in progress. When its last reference is dropped, a thread that is allowed to
    cancels it."""

    __slots__ = ("_h", "_thread", "__weakref__")
    _h: int  # own reference to the stream, because the caller may close theirs; 0 after the capture
    _thread: int  # the only thread that may end the capture; 0 for any thread

    def __init__(self, stream: Stream, mode: int, into: Graph | None) -> None:
        if _left:
            release_left()  # a deferred capture may still occupy this stream
        self._thread = get_ident() if mode != raw.CUC_CAPTURE_RELAXED else 0
        self._h = raw.cuc_stream_retain(stream._h) or 0
        failed = raw.cuc_stream_begin_capture_to(self._h, into._h, None, 0, mode) if into is not None else \
            raw.cuc_stream_begin_capture(self._h, mode)
        if failed:
            error = last_error()
            self._over()
            raise error
        under_way[self._h] = self

    def _over(self) -> None:
        handle, self._h = self._h, 0
        raw.cuc_stream_release(handle or None)

    def end(self) -> Graph:
        """End the capture and return its graph."""
        if not self._h:
            raise RuntimeError("it is not building: it was closed, or its end failed")
        try:
            made = create(raw.cuc_stream_end_capture, self._h)
        except CUDAError:
            with contextlib.suppress(CUDAError):
                if not get(ctypes.c_int32, raw.cuc_stream_is_capturing, self._h):
                    self._over()
            raise
        graph = Graph._of(made, Device._of(raw.cuc_stream_device(self._h)))
        self._over()
        return graph

    def cancel(self) -> None:
        """Discard the captured work. Calling it again does nothing."""
        if self._h:
            if under_way.get(self._h) is self:
                try:
                    check(raw.cuc_stream_cancel_capture(self._h))
                except CUDAError as error:
                    if error.status not in _GOES_ON:
                        self._over()
                    raise
            self._over()
            if _left:
                release_left()  # now a parent whose body this capture filled may be released

    def __del__(self) -> None:
        handle = getattr(self, "_h", 0)
        if not handle:
            return
        self._h = 0
        if under_way.get(handle) in (None, self):  # unless a newer capture has begun on the stream
            _give_up(self._thread, handle)
        else:
            Stream._own(handle)
        if _left:
            release_left()


def _give_up(thread: int, handle: int) -> None:
    """Cancel an abandoned capture and release its stream, or leave both to a thread that may do
    so."""
    here = get_ident()
    if may_call() and (thread in (0, here) or thread not in _threads) and \
            raw.cuc_stream_cancel_capture(handle) not in _GOES_ON:
        raw.cuc_stream_release(handle)
    else:
        _left.append((functools.partial(_give_up, thread), handle))


class Capture:
    """A stream capture, used as a context manager. An exception in the block cancels it."""

    __slots__ = ("_stream", "_mode", "_into", "_building", "_graph", "_kept", "__weakref__")

    def __init__(self, stream: Stream, mode: str, into: Graph | None = None) -> None:
        self._stream, self._mode, self._into = stream, word("mode", mode, _MODES), into
        self._building: _Building | None = None
        self._graph: Graph | None = None
        self._kept: list[Any] = []  # host callbacks of nodes, kept until the graph holds them

    @property
    def graph(self) -> Graph:
        """The captured graph, which is available after the block ends."""
        if self._graph is None:
            raise RuntimeError("the capture has not ended, or failed")
        return self._graph

    def callback(self, fn: Callable[..., Any], *, user_data: Any = None) -> None:
        """Enqueue a call of a Python function. The graph keeps the function alive."""
        self._call(self._stream, fn, user_data)

    def _call(self, stream: Stream, fn: Callable[..., Any], user_data: Any) -> None:
        made, data = host_function(stream.device, fn, user_data)
        self._kept += [made, data]
        check(raw.cuc_launch_host(stream._h, ctypes.cast(made, ctypes.c_void_p), data))

    def embed(self, child: Graph) -> None:
        """Enqueue a whole graph as one child node; the graph is copied."""
        check(raw.cuc_stream_embed_graph(self._stream._h, handle_of(Graph, child, "child")))

    def create_condition(self, default_value: int | None = None) -> GraphCondition:
        """Create the condition of one conditional node; see `Graph.create_condition()`."""
        return GraphCondition._made_by(raw.cuc_stream_condition_create, self._stream._h, default_value)

    def if_then(self, condition: GraphCondition) -> Graph:
        """Add a conditional node and return its empty body graph, which runs if the condition is nonzero."""
        return Graph._bodies(self._stream, raw.CUC_CONDITIONAL_IF, condition, 1)[0]

    def if_else(self, condition: GraphCondition) -> tuple[Graph, Graph]:
        """Like `if_then()`, with a second body that runs if the condition is 0."""
        then, otherwise = Graph._bodies(self._stream, raw.CUC_CONDITIONAL_IF, condition, 2)
        return then, otherwise

    def while_loop(self, condition: GraphCondition) -> Graph:
        """Add a while node and return its body graph, which repeats until the condition is 0."""
        return Graph._bodies(self._stream, raw.CUC_CONDITIONAL_WHILE, condition, 1)[0]

    def switch(self, condition: GraphCondition, count: int) -> tuple[Graph, ...]:
        """Add a switch node and return its body graphs; the condition selects the one that runs."""
        return tuple(Graph._bodies(self._stream, raw.CUC_CONDITIONAL_SWITCH, condition, count))

    def __enter__(self) -> Capture:
        self._building = _Building(self._stream, self._mode, self._into)
        return self

    def __exit__(self, kind: Any, *_exception: object) -> None:
        if kind is None:
            self._end()
        else:
            with contextlib.suppress(CUDAError):  # if this fails, the capture is canceled when the object is released
                self._cancel()

    def _end(self) -> None:
        if self._building is None:
            raise RuntimeError("the capture has not begun")
        made = self._building.end()
        self._graph = self._into if self._into is not None else made
        while self._kept:
            self._graph._keep_object(self._kept[-1])
            self._kept.pop()

    def _cancel(self) -> None:
        if self._building is not None:
            self._building.cancel()


_stream._Capture = Capture
