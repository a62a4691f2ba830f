"""Graphs: work that is captured once and launched often."""
from __future__ import annotations

import ctypes
from typing import Any

from . import raw
from ._errors import check, text
from ._handle import Handle, create, get
from ._memory import Buffer
from ._stream import Stream, StreamLike, as_stream

_MODES = {"global": raw.CUC_CAPTURE_GLOBAL, "thread_local": raw.CUC_CAPTURE_THREAD_LOCAL,
          "relaxed": raw.CUC_CAPTURE_RELAXED}


class Graph(Handle):
    """What was captured: `with stream.capture() as capture: ...`, then `capture.graph`."""

    __slots__ = ()
    _release = raw.cuc_graph_release

    @property
    def handle(self) -> int:
        """The CUgraph."""
        return raw.cuc_graph_handle(self._h) or 0

    @property
    def node_count(self) -> int:
        return int(get(ctypes.c_size_t, raw.cuc_graph_get_node_count, self._h))

    @property
    def node_types(self) -> list[str]:
        count = self.node_count
        types = (ctypes.c_int32 * count)()
        check(raw.cuc_graph_get_node_types(types, count, self._h))
        return [raw.NAMES["node_type"].get(t, "unknown") for t in types]

    def keep(self, buffer: Buffer) -> None:
        """Hold a buffer as long as the graph and its instances."""
        check(raw.cuc_graph_keep_buffer(self._h, buffer._h))

    def dot(self, flags: int = 0) -> str:
        """A drawing for Graphviz."""
        out = ctypes.c_char_p()
        check(raw.cuc_graph_get_dot(ctypes.byref(out), None, self._h, flags))
        return text(out.value)

    def instantiate(self) -> GraphExec:
        return GraphExec._own(create(raw.cuc_graph_instantiate, self._h, None))


class GraphExec(Handle):
    """A graph that can be launched; it needs the graph no more."""

    __slots__ = ()
    _release = raw.cuc_graph_exec_release

    def launch(self, stream: StreamLike) -> None:
        check(raw.cuc_graph_exec_launch(self._h, as_stream(stream)))

    def upload(self, stream: StreamLike) -> None:
        """Get it ready on the device ahead of its first launch."""
        check(raw.cuc_graph_exec_upload(self._h, as_stream(stream)))

    def update(self, graph: Graph) -> None:
        """Take over another graph's parameters, of the same nodes."""
        check(raw.cuc_graph_exec_update(self._h, graph._h))


class Capture:
    """A capture under way. An exception within cancels it."""

    __slots__ = ("_stream", "_mode", "_graph")

    def __init__(self, stream: Stream, mode: str) -> None:
        if mode not in _MODES:
            raise ValueError(f"mode is {mode!r}: expected one of {', '.join(_MODES)}")
        self._stream, self._mode = stream, _MODES[mode]
        self._graph: Graph | None = None

    @property
    def graph(self) -> Graph:
        """What was captured, once the block has ended."""
        if self._graph is None:
            raise RuntimeError("the capture has not ended, or failed")
        return self._graph

    def __enter__(self) -> Capture:
        check(raw.cuc_stream_begin_capture(self._stream._h, self._mode))
        return self

    def __exit__(self, kind: Any, *_exception: object) -> None:
        if kind is not None:
            raw.cuc_stream_cancel_capture(self._stream._h)
            return
        self._graph = Graph._own(create(raw.cuc_stream_end_capture, self._stream._h))
