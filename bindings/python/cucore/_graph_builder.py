"""cuda.core's graph builder."""
from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import Any

from . import _stream, raw
from ._capture import _MODES, Capture
from ._condition import GraphCondition
from ._errors import check
from ._graph import Graph, GraphCompleteOptions, GraphDebugPrintOptions, GraphExec
from ._handle import handle_of
from ._stream import Stream


class GraphBuilder:
    """A graph capture with cuda.core's interface, from `stream.create_graph_builder()`. Between `begin_building()`
    and `end_building()` it is a stream to launch on. `split()` and `join()` make branches.

    Closing or collecting a builder that is still building cancels the capture. In the modes
    "global" and "thread_local", the driver allows only the thread that began the capture to cancel
    it. If another thread collects the builder, the thread that began the capture cancels it in its
    next call that creates something; after that thread has ended, any thread does.
    """

    __slots__ = ("_capture", "_stream", "_primary", "_joined", "_into", "_closed", "__weakref__")
    _capture: Capture | None
    _stream: Stream
    _primary: weakref.ref[GraphBuilder] | None  # for a branch: weak, so it does not hold the builder it was split from
    _joined: bool
    _into: Graph | None
    _closed: bool

    def __init__(self) -> None:
        raise NotImplementedError("a GraphBuilder is not made by its class: call Device.create_graph_builder() or "
                                  "Stream.create_graph_builder()")

    @classmethod
    def _of(cls, stream: Stream, primary: weakref.ref[GraphBuilder] | None = None,
            into: Graph | None = None) -> GraphBuilder:
        self = cls.__new__(cls)
        self._into = into  # the body graph of a conditional node that this builder fills
        self._stream, self._primary, self._joined = stream, primary, False
        self._capture, self._closed = None, False
        return self

    def _check_open(self, name: str = "Graph builder") -> None:
        if self._closed:
            raise RuntimeError(f"{name} has been closed.")

    @property
    def is_closed(self) -> bool:
        """True after `close()`, or after `join()` has ended it."""
        return self._closed

    @property
    def stream(self) -> Stream:
        return self._stream

    def __cuda_stream__(self) -> tuple[int, int]:
        return self._stream.__cuda_stream__()

    @property
    def is_building(self) -> bool:
        return not self._closed and self._stream.is_capturing

    @property
    def is_join_required(self) -> bool:
        """True for a branch that has not been joined."""
        return self._primary is not None and not self._joined

    @property
    def _in_progress(self) -> bool:
        """True between the beginning and the end or failure of building."""
        made = self._capture
        return made is not None and made._graph is None and made._building is not None and bool(made._building._h)

    def begin_building(self, mode: str = "relaxed") -> GraphBuilder:
        self._check_open()
        if self._in_progress:
            raise RuntimeError("Graph builder is already building.")
        if self._capture is not None:
            raise RuntimeError("Cannot resume building after building has ended. Make another builder")
        if mode not in _MODES:
            raise ValueError(f"Unsupported build mode: {mode!r}, expected one of {', '.join(map(repr, _MODES))}")
        self._capture = Capture(self._stream, mode, self._into).__enter__()
        return self

    def end_building(self) -> GraphBuilder:
        self._check_open()
        if self._capture is None:
            raise RuntimeError("begin_building() has not been called"
                               if self._primary is None else "a branch ends by join()")
        self._capture._end()
        return self

    @property
    def graph_definition(self) -> Graph:
        """The finished graph. The graph of a conditional node's body is available even before
        building begins, so that its methods can fill it."""
        self._check_open()
        if self._primary is not None:
            raise RuntimeError("a forked builder has no graph of its own: ask the one that it was split off")
        if self._in_progress:
            raise RuntimeError("there is no graph while its capture is in progress: call end_building() first")
        if self._capture is None and self._into is not None:
            return self._into
        if self._capture is None:
            raise RuntimeError("there is no graph before begin_building() and end_building()")
        return self._capture.graph

    def _finished(self, name: str = "Graph builder") -> Graph:
        """Return the graph; raise an error unless building has ended."""
        if self._closed and name != "Graph builder":
            raise ValueError(f"{name} has been closed.")
        self._check_open(name)
        if self._capture is None or self._primary is not None or self._in_progress:
            raise (RuntimeError if name == "Graph builder" else ValueError)("Graph has not finished building.")
        return self._capture.graph

    def complete(self, options: GraphCompleteOptions | dict[str, Any] | None = None) -> GraphExec:
        """Instantiate the graph, ready to launch."""
        return self._finished().instantiate(options)

    def debug_dot_print(self, path: str | os.PathLike[str],
                        options: GraphDebugPrintOptions | dict[str, Any] | None = None) -> None:
        self._finished().debug_dot_print(path, options)

    def split(self, count: int) -> tuple[GraphBuilder, ...]:
        """Split into this builder and `count` - 1 new ones, which continue in parallel."""
        self._check_open()
        if count < 2:
            raise ValueError(f"Invalid split count: expecting >= 2, got {count}")
        if not self.is_building:
            raise RuntimeError("Graph builder must be building before it can be split.")
        streams = [self._stream.device.create_stream() for _ in range(count - 1)]
        for stream in streams:
            stream.wait(self._stream)
        primary = self._primary or weakref.ref(self)
        return self, *(GraphBuilder._of(stream, primary) for stream in streams)

    @staticmethod
    def join(*builders: GraphBuilder) -> GraphBuilder:
        """Join the branches. The primary builder continues if it is among them; otherwise the first
        one does."""
        if len(builders) < 2:
            raise ValueError(f"Must join with at least two graph builders, not {len(builders)}")
        for each in builders:
            each._check_open()
        one = next((b for b in builders if b._primary is None), builders[0])
        for other in builders:
            if other is not one:
                one._stream.wait(other._stream)
                other._joined = other._closed = True
        return one

    def callback(self, fn: Callable[..., Any], *, user_data: Any = None) -> None:
        """Add a call of a Python function, which must not call CUDA or cucore. The graph keeps it alive."""
        self._check_open()
        primary = self._primary() if self._primary is not None else self
        if primary is None or primary._capture is None:
            raise RuntimeError("begin_building() has not been called" if primary is not None else
                               "the builder that it was split off is gone, and what they were building")
        primary._capture._call(self._stream, fn, user_data)

    def embed(self, child: GraphBuilder | Graph) -> None:
        """Add a whole graph as one child node; the node holds a copy."""
        self._check_open()
        if not isinstance(child, (GraphBuilder, Graph)):
            raise TypeError(f"child is a {type(child).__name__}: expected a GraphBuilder or a GraphDefinition")
        graph = child if isinstance(child, Graph) else child._finished("Child graph builder")
        if not self.is_building:
            raise ValueError("Parent graph is not being built: call begin_building() first")
        check(raw.cuc_stream_embed_graph(self._stream._h, handle_of(Graph, graph, "child")))

    def create_condition(self, default_value: int | None = None) -> GraphCondition:
        """Create the condition of one conditional node; see `Graph.create_condition()`."""
        self._check_open()
        return GraphCondition._made_by(raw.cuc_stream_condition_create, self._stream._h, default_value)

    def _body_builders(self, number: int, condition: GraphCondition, count: int) -> tuple[GraphBuilder, ...]:
        self._check_open()
        return tuple(GraphBuilder._of(self._stream.device.create_stream(), into=body)
                     for body in Graph._bodies(self._stream, number, condition, count))

    def if_then(self, condition: GraphCondition) -> GraphBuilder:
        """Return a builder for the body that runs if the condition is nonzero."""
        return self._body_builders(raw.CUC_CONDITIONAL_IF, condition, 1)[0]

    def if_else(self, condition: GraphCondition) -> tuple[GraphBuilder, ...]:
        """Return two builders; the second is for the body that runs if the condition is 0."""
        return self._body_builders(raw.CUC_CONDITIONAL_IF, condition, 2)

    def while_loop(self, condition: GraphCondition) -> GraphBuilder:
        """Return a builder for the body that repeats until the condition is 0."""
        return self._body_builders(raw.CUC_CONDITIONAL_WHILE, condition, 1)[0]

    def switch(self, condition: GraphCondition, count: int) -> tuple[GraphBuilder, ...]:
        """Return builders for the bodies of a switch; the condition selects the one that runs."""
        return self._body_builders(raw.CUC_CONDITIONAL_SWITCH, condition, count)

    def close(self) -> None:
        """Cancel building. Calling it again does nothing."""
        if self._capture is not None:
            self._capture._cancel()
        self._closed = True

    def __enter__(self) -> GraphBuilder:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


_stream._GraphBuilder = GraphBuilder
