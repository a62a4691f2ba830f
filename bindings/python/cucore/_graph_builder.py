"""Captures as cuda.core has them, by a builder."""
from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import Any

from . import raw
from ._capture import Capture
from ._condition import GraphCondition
from ._errors import check
from ._graph import Graph, GraphCompleteOptions, GraphDebugPrintOptions, GraphExec
from ._handle import handle_of
from ._stream import Stream


class GraphBuilder:
    """A capture as cuda.core has it: `stream.create_graph_builder()`, which is a stream to launch on
    between `begin_building()` and `end_building()`. `split()` and `join()` make branches.

    One that goes while it is building, closed or collected, ends that and drops what it made. In the modes
    "global" and "thread_local" the driver lets only the thread that began do so: collected on another
    one it goes by the next call of that thread's that makes something, or by anybody's once that has ended.
    """

    __slots__ = ("_capture", "_stream", "_primary", "_joined", "_into", "__weakref__")
    _capture: Capture | None
    _stream: Stream
    _primary: weakref.ref[GraphBuilder] | None  # of a branch: it does not hold what it was split off
    _joined: bool
    _into: Graph | None

    def __init__(self) -> None:
        raise TypeError("a builder is made by Stream.create_graph_builder() or the Device's")

    @classmethod
    def _of(cls, stream: Stream, primary: weakref.ref[GraphBuilder] | None = None,
            into: Graph | None = None) -> GraphBuilder:
        self = cls.__new__(cls)
        self._into = into  # the body of a conditional node that it fills
        self._stream, self._primary, self._joined = stream, primary, False
        self._capture = None
        return self

    @property
    def stream(self) -> Stream:
        return self._stream

    def __cuda_stream__(self) -> tuple[int, int]:
        return self._stream.__cuda_stream__()

    @property
    def is_building(self) -> bool:
        return self._stream.is_capturing

    @property
    def is_join_required(self) -> bool:
        """Whether it is a branch that has not been joined."""
        return self._primary is not None and not self._joined

    def begin_building(self, mode: str = "relaxed") -> GraphBuilder:
        if self._primary is not None:
            raise RuntimeError("a branch is building since it was split off")
        if self._capture is not None:
            raise RuntimeError("it has been building already: make another builder")
        self._capture = Capture(self._stream, mode, self._into).__enter__()
        return self

    def end_building(self) -> GraphBuilder:
        if self._capture is None:
            raise RuntimeError("begin_building() has not been called"
                               if self._primary is None else "a branch ends by join()")
        self._capture._end()
        return self

    @property
    def graph_definition(self) -> Graph:
        """What was built, once that has ended."""
        if self._capture is None:
            raise RuntimeError("begin_building() has not been called")
        return self._capture.graph

    def complete(self, options: GraphCompleteOptions | dict[str, Any] | None = None) -> GraphExec:
        """What was built, ready to be launched."""
        return self.graph_definition.instantiate(options)

    def debug_dot_print(self, path: str | os.PathLike[str],
                        options: GraphDebugPrintOptions | dict[str, Any] | None = None) -> None:
        self.graph_definition.debug_dot_print(path, options)

    def split(self, count: int) -> tuple[GraphBuilder, ...]:
        """This one and count - 1 more, that go on side by side from here."""
        if count < 2:
            raise ValueError(f"count is {count}: expected 2 or more")
        if not self.is_building:
            raise RuntimeError("it is not building")
        streams = [self._stream.device.create_stream() for _ in range(count - 1)]
        for stream in streams:
            stream.wait(self._stream)
        primary = self._primary or weakref.ref(self)
        return self, *(GraphBuilder._of(stream, primary) for stream in streams)

    @staticmethod
    def join(*builders: GraphBuilder) -> GraphBuilder:
        """Let one go on when all are there: the one that began, when it is among them, or the first."""
        if len(builders) < 2:
            raise ValueError("expected 2 builders or more")
        one = next((b for b in builders if b._primary is None), builders[0])
        for other in builders:
            if other is not one:
                one._stream.wait(other._stream)
                other._joined = True
        return one

    def callback(self, fn: Callable[..., Any], *, user_data: Any = None) -> None:
        """A Python function; the graph keeps it. It may call neither CUDA nor cucore."""
        primary = self._primary() if self._primary is not None else self
        if primary is None or primary._capture is None:
            raise RuntimeError("begin_building() has not been called" if primary is not None else
                               "the builder that it was split off is gone, and what they were building")
        primary._capture._call(self._stream, fn, user_data)

    def embed(self, child: GraphBuilder | Graph) -> None:
        """A whole graph as one node; it is copied."""
        graph = child if isinstance(child, Graph) else child.graph_definition
        check(raw.cuc_stream_embed_graph(self._stream._h, handle_of(Graph, graph, "child")))

    def create_condition(self, default_value: int | None = None) -> GraphCondition:
        """What one conditional node of the graph goes by, as `Graph.create_condition()` says."""
        return GraphCondition._made_by(raw.cuc_stream_create_condition, self._stream._h, default_value)

    def _body_builders(self, number: int, condition: GraphCondition, count: int) -> tuple[GraphBuilder, ...]:
        return tuple(GraphBuilder._of(self._stream.device.create_stream(), into=body)
                     for body in Graph._bodies(self._stream, number, condition, count))

    def if_then(self, condition: GraphCondition) -> GraphBuilder:
        """A builder, to begin and to end, of what runs unless the condition is 0."""
        return self._body_builders(raw.CUC_CONDITIONAL_IF, condition, 1)[0]

    def if_else(self, condition: GraphCondition) -> tuple[GraphBuilder, ...]:
        """Two, the second of what runs if it is 0."""
        return self._body_builders(raw.CUC_CONDITIONAL_IF, condition, 2)

    def while_loop(self, condition: GraphCondition) -> GraphBuilder:
        """A builder of what runs until the condition is 0."""
        return self._body_builders(raw.CUC_CONDITIONAL_WHILE, condition, 1)[0]

    def switch(self, condition: GraphCondition, count: int) -> tuple[GraphBuilder, ...]:
        """Builders, of which what that of the condition's number has built runs."""
        return self._body_builders(raw.CUC_CONDITIONAL_SWITCH, condition, count)

    def close(self) -> None:
        """Drop what is building."""
        if self._capture is not None:
            self._capture._cancel()

    def __enter__(self) -> GraphBuilder:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
