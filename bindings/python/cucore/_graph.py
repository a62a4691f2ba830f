"""Graphs: work that is built once, by capture or node by node, and launched many times."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from . import _graph_node, raw
from ._condition import GraphCondition
from ._device import Device
from ._errors import check, text
from ._graph_node import CLASSES, GraphNode, _Verbs
from ._handle import Handle, c_text, call, create, get, given_as, handle_of, kept, options as struct_of
from ._native import methods
from ._memory import Buffer, MemoryResource
from ._stream import Stream, StreamLike, as_stream


@dataclass
class GraphCompleteOptions:
    """Options of graph instantiation."""

    auto_free_on_launch: bool = False  #: each launch first frees the memory the previous one left allocated
    upload_stream: StreamLike = None  #: upload the graph on this stream right away
    device_launch: bool = False  #: kernels can launch the graph too
    use_node_priority: bool = False  #: each kernel keeps the priority of the stream it was captured on


@dataclass
class GraphDebugPrintOptions:
    """Controls the detail of a graph drawing."""

    verbose: bool = False
    runtime_types: bool = False
    kernel_node_params: bool = False
    memcpy_node_params: bool = False
    memset_node_params: bool = False
    host_node_params: bool = False
    event_node_params: bool = False
    ext_semas_signal_node_params: bool = False
    ext_semas_wait_node_params: bool = False
    kernel_node_attributes: bool = False
    handles: bool = False
    mem_alloc_node_params: bool = False
    mem_free_node_params: bool = False
    batch_mem_op_node_params: bool = False
    extra_topo_info: bool = False
    conditional_node_params: bool = False

    def _flags(self) -> int:
        return sum(1 << bit for bit, field in enumerate(fields(self)) if getattr(self, field.name))


class Graph(Handle, _Verbs):
    """A graph of work. Either build it node by node with `Graph(device)` and its methods, or capture it: `with
    stream.capture() as capture: ...`, then `capture.graph`.
    """

    __slots__ = ("_device", "_known", "_memory", "_queue")
    _release = raw.cuc_graph_release
    _device: Device
    _known: dict[int, GraphNode]
    _memory: dict[int, tuple[int, int]]  # allocations of its nodes that are not freed yet: resource and size
    _queue: Stream | None  # the stream used to capture nodes

    def __init__(self, device: Device | int | None = None) -> None:
        self._h = 0
        self._start(Device(device))
        self._take(create(raw.cuc_graph_create, self._device._h))

    def _start(self, device: Device) -> None:
        self._device, self._known, self._memory, self._queue = device, {}, {}, None

    @classmethod
    def _of(cls, handle: int, device: Device) -> Graph:
        self = cls._own(handle)
        self._start(device)
        return self

    @staticmethod
    def _bodies(stream: Stream, number: int, condition: GraphCondition, count: int) -> list[Graph]:
        """Add a conditional node to a capturing stream and return its empty body graphs."""
        made = (ctypes.c_void_p * max(count, 1))()
        if not isinstance(condition, GraphCondition):
            raise TypeError(f"condition is a {type(condition).__name__}: expected a GraphCondition, of create_condition()")
        check(raw.cuc_stream_add_conditional(made, count, stream._h, condition.handle, number))
        return [Graph._of(handle or 0, stream.device) for handle in made[:count]]

    def _where(self) -> tuple[Graph, tuple[int, ...]]:
        return self, ()

    def _add(self, after: Sequence[int], put: Callable[[Stream], Any]) -> int:
        """Add work that depends on the given nodes; return its node."""
        if self._queue is None:
            self._queue = self._device.create_stream()
        stream, nodes = self._queue, (ctypes.c_void_p * max(len(after), 1))(*after)
        check(raw.cuc_stream_begin_capture_to(stream._h, self._h, nodes if after else None, len(after),
                                              raw.CUC_CAPTURE_RELAXED))
        try:
            put(stream)
            last, count = (ctypes.c_void_p * 1)(), ctypes.c_size_t()
            check(raw.cuc_stream_get_capture_nodes(last, 1, ctypes.byref(count), stream._h))
        except BaseException:
            raw.cuc_stream_cancel_capture(stream._h)
            raise
        raw.cuc_graph_release(create(raw.cuc_stream_end_capture, stream._h))
        return last[0] or 0

    def _keep_object(self, value: Any) -> None:
        """Keep a Python object alive as long as the graph and its instances exist."""
        key = kept.add([value])
        if raw.cuc_graph_keep(self._h, key, ctypes.cast(kept.drop, ctypes.c_void_p)) < 0:
            kept.forget(key)
            check(raw.cuc_error_status())

    def _node(self, handle: int) -> GraphNode:
        known = self._known.get(handle)
        if known is None:
            kind = CLASSES.get(get(ctypes.c_int32, raw.cuc_node_get_type, handle), GraphNode)
            known = kind._own(self, handle, {})
        return known

    @property
    def handle(self) -> int:
        """The CUgraph."""
        return raw.cuc_graph_handle(self._h) or 0

    @property
    def is_valid(self) -> bool:
        """False after the graph was closed, or was lost to a failed capture."""
        return self.handle != 0

    def __eq__(self, other: object) -> bool:
        return (self is other or self.handle != 0 and self.handle == other.handle) if isinstance(other, Graph) \
            else NotImplemented

    def __hash__(self) -> int:
        return hash((Graph, self.handle))

    def __repr__(self) -> str:
        return f"<GraphDefinition handle={self.handle:#x}>" if self._h else "<GraphDefinition, closed>"

    @property
    def node_count(self) -> int:
        return int(get(ctypes.c_size_t, raw.cuc_graph_get_node_count, self._h))

    @property
    def node_types(self) -> list[str]:
        count = self.node_count
        types = (ctypes.c_int32 * count)()
        check(raw.cuc_graph_get_node_types(types, count, self._h))
        return [raw.NAMES["node_type"].get(t, "unknown") for t in types]

    def nodes(self) -> set[GraphNode]:
        count = self.node_count
        found = (ctypes.c_void_p * max(count, 1))()
        check(raw.cuc_graph_get_nodes(found, count, self._h))
        return {self._node(h or 0) for h in found[:count]}

    def edges(self) -> set[tuple[GraphNode, GraphNode]]:
        """The edges, as pairs of nodes; the second node starts after the first completes."""
        count = get(ctypes.c_size_t, raw.cuc_graph_get_edge_count, self._h)
        first, second = [(ctypes.c_void_p * max(count, 1))() for _ in range(2)]
        check(raw.cuc_graph_get_edges(first, second, count, self._h))
        return {(self._node(a), self._node(b)) for a, b in zip(first[:count], second[:count])}

    def create_condition(self, default_value: int | None = None) -> GraphCondition:
        """Create the condition of one conditional node. Each launch resets it to the default value;
        without a default it keeps the value that the previous launch left."""
        return GraphCondition._made_by(raw.cuc_graph_condition_create, self._h, default_value)

    def keep(self, buffer: Buffer) -> None:
        """Keep a buffer alive as long as the graph and its instances exist."""
        check(raw.cuc_graph_keep_buffer(self._h, handle_of(Buffer, buffer, "buffer")))

    def dot(self, flags: int = 0) -> str:
        """Return a drawing in Graphviz format."""
        out = ctypes.c_char_p()
        call(raw.cuc_graph_get_dot, ctypes.byref(out), None, self._h, flags)
        return text(out.value)

    def debug_dot_print(self, path: str | os.PathLike[str],
                        options: GraphDebugPrintOptions | dict[str, Any] | None = None) -> None:
        """Write a drawing in Graphviz format to a file."""
        flags = given_as(GraphDebugPrintOptions, options)._flags()
        check(raw.cuc_graph_write_dot(self._h, c_text("path", os.fsencode(path)), flags))

    def instantiate(self, options: GraphCompleteOptions | dict[str, Any] | None = None) -> GraphExec:
        made = None
        if options is not None:
            made = ctypes.byref(_exec_options(given_as(GraphCompleteOptions, options)))
        return GraphExec._own(create(raw.cuc_graph_instantiate, self._h, made))


def _exec_options(given: GraphCompleteOptions) -> Any:
    flags = (raw.CUC_GRAPH_AUTO_FREE if given.auto_free_on_launch else 0) | \
            (raw.CUC_GRAPH_DEVICE_LAUNCH if given.device_launch else 0) | \
            (raw.CUC_GRAPH_NODE_PRIORITY if given.use_node_priority else 0)
    made = struct_of(raw.cuc_graph_exec_options, flags=flags)
    if given.upload_stream is not None:
        queue = as_stream(given.upload_stream)
        made.upload = queue._h
        made._queue = queue  # keep the stream alive until the options are read
    return made


@methods
class GraphExec(Handle):
    """An instantiated graph, ready to launch; it does not need the source graph."""

    __slots__ = ()
    _release = raw.cuc_graph_exec_release
    _made_by = "Graph.instantiate() and GraphBuilder.complete()"

    @property
    def handle(self) -> int:
        """The CUgraphExec."""
        return raw.cuc_graph_exec_handle(self._h) or 0

    def __repr__(self) -> str:
        return f"<GraphExec handle={self.handle:#x}>" if self._h else "<GraphExec, closed>"

    def launch(self, stream: StreamLike) -> None:
        check(raw.cuc_graph_exec_launch(as_stream(stream)._h, self._h))

    def upload(self, stream: StreamLike) -> None:
        """Upload the graph to the device ahead of its first launch."""
        check(raw.cuc_graph_exec_upload(as_stream(stream)._h, self._h))

    def update(self, source: Any) -> None:
        """Update the parameters from another graph with the same topology: a Graph, or a builder's."""
        graph = source if isinstance(source, Graph) else getattr(type(source), "_finished", None)
        if graph is None:
            raise TypeError(f"expected GraphBuilder or GraphDefinition, not {type(source).__name__}")
        if graph is not source:
            graph = source._finished("Source graph builder")
        check(raw.cuc_graph_exec_update(self._h, handle_of(Graph, graph, "source")))

    def __getitem__(self, node: GraphNode) -> ExecutableNode:
        """Return the launch state of a node of the source graph."""
        return ExecutableNode(self, node)


class ExecutableNode:
    """A node as a GraphExec's launches execute it: `graph_exec[node]`."""

    __slots__ = ("graph", "node", "__weakref__")

    def __init__(self, graph: GraphExec, node: GraphNode) -> None:
        if not isinstance(node, GraphNode) or not node.handle:
            raise TypeError(f"expected a node of the graph, not {node!r}")
        self.graph, self.node = graph, node

    @property
    def is_enabled(self) -> bool:
        return bool(get(ctypes.c_int32, raw.cuc_graph_exec_get_enabled, self.graph._h, self.node.handle))

    def enable(self) -> None:
        check(raw.cuc_graph_exec_set_enabled(self.graph._h, self.node.handle, 1))

    def disable(self) -> None:
        """Make launches skip this node: a kernel, copy or fill."""
        check(raw.cuc_graph_exec_set_enabled(self.graph._h, self.node.handle, 0))

    def __repr__(self) -> str:
        return f"<{self.node!r} of {self.graph!r}>"


_graph_node._Graph = Graph
