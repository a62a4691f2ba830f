"""Graphs: work that is captured, or put together node by node, once and launched often."""
from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from . import raw
from ._condition import GraphCondition
from ._device import Device
from ._errors import CUDAError, check, text
from ._handle import Handle, call, create, get, kept, options
from ._launch import LaunchConfig, launch
from ._memory import Buffer, MemoryResource
from ._object import Kernel
from ._stream import Event, Stream, StreamLike, as_stream

_MODES = {"global": raw.CUC_CAPTURE_GLOBAL, "thread_local": raw.CUC_CAPTURE_THREAD_LOCAL,
          "relaxed": raw.CUC_CAPTURE_RELAXED}
Made = TypeVar("Made", bound="GraphNode")
Decides = TypeVar("Decides", bound="ConditionalNode")
_HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def mode_number(mode: str) -> int:
    if mode not in _MODES:
        raise ValueError(f"mode is {mode!r}: expected one of {', '.join(_MODES)}")
    return _MODES[mode]


@dataclass
class GraphCompleteOptions:
    """How a graph is instantiated."""

    auto_free_on_launch: bool = False  #: a launch first frees what the one before left allocated
    upload_stream: StreamLike = None  #: where it is brought to the device at once
    device_launch: bool = False  #: kernels can launch it too
    use_node_priority: bool = False  #: each kernel has the priority of the stream it was captured on


@dataclass
class GraphDebugPrintOptions:
    """What a drawing of a graph shows."""

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


_called_from: set[Device] = set()


def _let_functions_end() -> None:
    """While the interpreter ends, a thread that wants to call Python is stopped for good, and with it the work
    behind the function: whatever then waits for that work would never return."""
    for device in list(_called_from):
        with contextlib.suppress(CUDAError):
            device.sync()


def _will_call(device: Device) -> None:
    if not _called_from:
        atexit.register(_let_functions_end)
    _called_from.add(device)


def host_function(device: Device, function: Callable[..., Any], user_data: Any = None) -> Any:
    """A Python function as the driver calls one. It may call neither CUDA nor cucore."""
    _will_call(device)

    def run(_user: int | None) -> None:
        if user_data is None:
            function()
        else:
            function(user_data)

    return _HostFunction(run)


# ---- nodes ---------------------------------------------------------------------------------------

class _Verbs:
    """What makes nodes: of a graph, behind nothing; of a node, behind it."""

    __slots__ = ()

    def _where(self) -> tuple[Graph, tuple[int, ...]]:
        raise NotImplementedError

    def _put(self, kind: type[GraphNode], put: Callable[[Stream], Any], keep: Sequence[Any] = (),
             **members: Any) -> Any:
        graph, after = self._where()
        node = kind._own(graph, graph._add(after, put), members)
        for each in keep:
            graph._keep_object(each)
        return node

    def launch(self, config: LaunchConfig | None, kernel: Kernel, *args: Any) -> KernelNode:
        """A kernel. The graph keeps it, and its arguments that are objects."""
        keep = [a._again() if isinstance(a, Buffer) else a for a in args
                if not isinstance(a, (int, float, complex))]
        return self._put(KernelNode, lambda stream: launch(stream, config, kernel, *args), keep,
                         config=config, kernel=kernel)

    def memcpy(self, dst: Any, src: Any, size: int, *, dst_owner: Any = None,
               src_owner: Any = None) -> MemcpyNode:
        """A copy of bytes in any direction; ends are buffers, or addresses that the owners keep."""
        ends = [int(each) for each in (dst, src)]
        return self._put(MemcpyNode, lambda stream: call(raw.cuc_copy, stream._h, *ends, size),
                         _kept(dst, src, dst_owner, src_owner), dst=ends[0], src=ends[1], size=size)

    def memset(self, dst: Any, value: int | bytes, width: int, height: int = 1, pitch: int = 0, *,
               dst_owner: Any = None) -> MemsetNode:
        """A fill by a byte, or a pattern of 1, 2 or 4: `width` of them in each row."""
        pattern = bytes([value]) if isinstance(value, int) else bytes(value)
        number = int.from_bytes(pattern, "little")
        made = options(raw.cuc_fill_2d_params, dst=int(dst), pitch=pitch, row_count=width, rows=height,
                       pattern=number, pattern_bytes=len(pattern))
        return self._put(MemsetNode, lambda stream: check(raw.cuc_fill_2d(stream._h, ctypes.byref(made))),
                         _kept(dst, dst_owner), dptr=int(dst), value=number, element_size=len(pattern),
                         width=width, height=height, pitch=pitch)

    def allocate(self, size: int, *, device: Device | int | None = None,
                 memory_resource: MemoryResource | None = None) -> AllocNode:
        """Memory of the graph: there from this node on, to the one that frees it or the end."""
        graph, _ = self._where()
        resource = memory_resource or Device(device if device is not None else graph._device).memory_resource
        out = ctypes.c_uint64()
        node = self._put(AllocNode, lambda stream: call(
            raw.cuc_memory_allocate, ctypes.byref(out), resource._h, size, stream._h), [resource],
            bytesize=size, device_id=resource.device_id)
        node._members["dptr"] = out.value
        graph._memory[out.value] = (resource, size)
        return node  # type: ignore[no-any-return]

    def deallocate(self, dptr: int | AllocNode) -> FreeNode:
        """Free what a node of the graph has allocated."""
        graph, _ = self._where()
        address = dptr.dptr if isinstance(dptr, AllocNode) else int(dptr)
        if address not in graph._memory:
            raise ValueError(f"{address:#x} is no memory that a node of this graph has allocated")
        resource, size = graph._memory[address]
        node = self._put(FreeNode, lambda stream: check(
            raw.cuc_memory_free(resource._h, address, size, stream._h)), dptr=address)
        del graph._memory[address]
        return node  # type: ignore[no-any-return]

    def embed(self, child: Graph) -> ChildGraphNode:
        """A whole graph as one node; it is copied."""
        return self._put(ChildGraphNode, lambda stream: check(
            raw.cuc_stream_embed_graph(stream._h, child._h)), child_graph=child)

    def record(self, event: Event) -> EventRecordNode:
        """Record an event, for work outside of the graph."""
        return self._put(EventRecordNode, lambda stream: check(
            raw.cuc_event_record_external(event._h, stream._h)), [_again(event, raw.cuc_event_retain)],
            event=event)

    def wait(self, event: Event) -> EventWaitNode:
        """Wait for an event that is recorded outside of the graph."""
        return self._put(EventWaitNode, lambda stream: check(
            raw.cuc_stream_wait_external(stream._h, event._h)), [_again(event, raw.cuc_event_retain)],
            event=event)

    def callback(self, fn: Callable[..., Any], *, user_data: Any = None) -> HostCallbackNode:
        """A Python function, called with `user_data` if given. It may call neither CUDA nor cucore."""
        made = host_function(self._where()[0]._device, fn, user_data)
        return self._put(HostCallbackNode, lambda stream: check(
            raw.cuc_launch_host(stream._h, ctypes.cast(made, ctypes.c_void_p), None)), [made], callback=fn)

    def _conditional(self, kind: type[Decides], number: int, condition: GraphCondition, count: int) -> Decides:
        graph, after = self._where()
        bodies: list[Graph] = []
        handles = graph._add(after, lambda stream: bodies.extend(_bodies(stream, number, condition, count)))
        return kind._own(graph, handles, {"condition": condition, "branches": tuple(bodies)})

    def if_then(self, condition: GraphCondition) -> IfNode:
        """A graph, `then`, that runs unless the condition is 0."""
        return self._conditional(IfNode, raw.CUC_CONDITIONAL_IF, condition, 1)

    def if_else(self, condition: GraphCondition) -> IfElseNode:
        """Two graphs, `then` and `else_`, of which the second runs if the condition is 0."""
        return self._conditional(IfElseNode, raw.CUC_CONDITIONAL_IF, condition, 2)

    def while_loop(self, condition: GraphCondition) -> WhileNode:
        """A graph, `body`, that runs again and again until the condition is 0."""
        return self._conditional(WhileNode, raw.CUC_CONDITIONAL_WHILE, condition, 1)

    def switch(self, condition: GraphCondition, count: int) -> SwitchNode:
        """Graphs, `branches`, of which that of the condition's number runs."""
        return self._conditional(SwitchNode, raw.CUC_CONDITIONAL_SWITCH, condition, count)

    def join(self, *nodes: GraphNode) -> GraphNode:
        """What comes behind all of these, and behind this one."""
        graph, after = self._where()
        if any(node.graph is not graph for node in nodes):
            raise ValueError("a node is of another graph")
        handles = dict.fromkeys([*after, *(h for node in nodes for h in node._handles)])
        return EmptyNode._own(graph, tuple(handles), {})

    def empty(self) -> GraphNode:
        """A place in the graph without work of its own."""
        return self.join()


def _bodies(stream: Stream, number: int, condition: GraphCondition, count: int) -> list[Graph]:
    """A conditional node for a stream that is captured: its graphs, without nodes yet."""
    made = (ctypes.c_void_p * max(count, 1))()
    check(raw.cuc_stream_add_conditional(made, count, stream._h, int(condition), number))
    return [Graph._of(handle or 0, stream.device) for handle in made[:count]]


def _again(object_: Any, retain: Any) -> Any:
    """A reference more, that closing the caller's object does not give back."""
    return type(object_)._own(retain(object_._h))


def _kept(*values: Any) -> list[Any]:
    return [v._again() if isinstance(v, Buffer) else v for v in values
            if v is not None and not isinstance(v, int)]


class GraphNode(_Verbs):
    """A node of a graph. Its verbs make nodes that come behind it."""

    __slots__ = ("graph", "_handles", "_members")
    graph: Graph
    _handles: tuple[int, ...]  # of a join several
    _members: dict[str, Any]
    _shown: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        raise TypeError("a node is made by a graph: graph.launch(), ...")

    @classmethod
    def _own(cls: type[Made], graph: Graph, handles: tuple[int, ...], members: dict[str, Any]) -> Made:
        self = cls.__new__(cls)
        self.graph, self._handles, self._members = graph, handles, members
        if len(handles) == 1:
            graph._known.setdefault(handles[0], self)
        return self

    def _where(self) -> tuple[Graph, tuple[int, ...]]:
        return self.graph, self._handles

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._shown:
            return self._members.get(name)
        raise AttributeError(f"{type(self).__name__} has no {name}")

    @property
    def handle(self) -> int:
        """The CUgraphNode; 0 of a place where several meet."""
        return self._handles[0] if len(self._handles) == 1 else 0

    @property
    def type(self) -> str:
        """Such as "kernel"."""
        if len(self._handles) != 1:
            return "empty"
        number = get(ctypes.c_int32, raw.cuc_node_get_type, self._handles[0])
        return str(raw.NAMES["node_type"].get(number, "unknown"))

    @property
    def pred(self) -> frozenset[GraphNode]:
        """The nodes that it comes behind at once."""
        if len(self._handles) != 1:
            return frozenset(self.graph._node(h) for h in self._handles)
        return frozenset(a for a, b in self.graph.edges() if b == self)

    @property
    def succ(self) -> frozenset[GraphNode]:
        """The nodes that come behind it at once."""
        return frozenset(b for a, b in self.graph.edges() if a._handles[0] in self._handles)

    def __eq__(self, other: object) -> bool:
        return self._handles == other._handles and self.graph is other.graph \
            if isinstance(other, GraphNode) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._handles)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} ({self.type})>"


class EmptyNode(GraphNode):
    __slots__ = ()


class KernelNode(GraphNode):
    __slots__ = ()
    _shown = ("config", "kernel")

    @property
    def grid(self) -> tuple[int, ...]:
        return tuple(self._members["config"].grid)

    @property
    def block(self) -> tuple[int, ...]:
        return tuple(self._members["config"].block)

    @property
    def shmem_size(self) -> int:
        return int(self._members["config"].shmem_size)


class MemcpyNode(GraphNode):
    __slots__ = ()
    _shown = ("dst", "src", "size")


class MemsetNode(GraphNode):
    __slots__ = ()
    _shown = ("dptr", "value", "element_size", "width", "height", "pitch")


class AllocNode(GraphNode):
    __slots__ = ()
    _shown = ("dptr", "bytesize", "device_id")


class FreeNode(GraphNode):
    __slots__ = ()
    _shown = ("dptr",)


class ChildGraphNode(GraphNode):
    __slots__ = ()
    _shown = ("child_graph",)


class EventRecordNode(GraphNode):
    __slots__ = ()
    _shown = ("event",)


class EventWaitNode(GraphNode):
    __slots__ = ()
    _shown = ("event",)


class HostCallbackNode(GraphNode):
    __slots__ = ()
    _shown = ("callback",)


class ConditionalNode(GraphNode):
    """A node that decides on the device which of its graphs runs; they are filled by their verbs."""

    __slots__ = ()
    _shown = ("condition", "branches")
    cond_type: ClassVar[str]


class IfNode(ConditionalNode):
    __slots__ = ()
    cond_type = "if"

    @property
    def then(self) -> Graph:
        """What runs unless the condition is 0."""
        return self.branches[0]  # type: ignore[no-any-return]


class IfElseNode(IfNode):
    __slots__ = ()

    @property
    def else_(self) -> Graph:
        """What runs if the condition is 0."""
        return self.branches[1]  # type: ignore[no-any-return]


class WhileNode(ConditionalNode):
    __slots__ = ()
    cond_type = "while"

    @property
    def body(self) -> Graph:
        """What runs until the condition is 0."""
        return self.branches[0]  # type: ignore[no-any-return]


class SwitchNode(ConditionalNode):
    __slots__ = ()
    cond_type = "switch"


# ---- graphs --------------------------------------------------------------------------------------

class Graph(Handle, _Verbs):
    """Work and its order: `Graph(device)`, and nodes by its verbs, or what was captured,
    `with stream.capture() as capture: ...`, then `capture.graph`.
    """

    __slots__ = ("_device", "_known", "_memory", "_queue")
    _release = raw.cuc_graph_release
    _device: Device
    _known: dict[int, GraphNode]
    _memory: dict[int, tuple[MemoryResource, int]]  # that its nodes have allocated and not freed
    _queue: Stream | None  # that nodes are captured by

    def __init__(self, device: Device | int | None = None) -> None:
        self._h = 0
        self._start(Device(device))
        self._h = create(raw.cuc_graph_create, self._device._h)

    def _start(self, device: Device) -> None:
        self._device, self._known, self._memory, self._queue = device, {}, {}, None

    @classmethod
    def _of(cls, handle: int, device: Device) -> Graph:
        self = cls._own(handle)
        self._start(device)
        return self

    def _where(self) -> tuple[Graph, tuple[int, ...]]:
        return self, ()

    def _add(self, after: Sequence[int], put: Callable[[Stream], Any]) -> tuple[int, ...]:
        """Put work behind nodes; the nodes that what comes next is behind."""
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
        return (last[0] or 0,)

    def _keep_object(self, value: Any) -> None:
        """Hold a Python object as long as the graph and its instances."""
        key = kept.add([value])
        if raw.cuc_graph_keep(self._h, key, ctypes.cast(kept.drop, ctypes.c_void_p)) < 0:
            kept.forget(key)
            check(raw.cuc_error_status())

    def _node(self, handle: int) -> GraphNode:
        known = self._known.get(handle)
        return known if known is not None else GraphNode._own(self, (handle,), {})

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

    def nodes(self) -> frozenset[GraphNode]:
        count = self.node_count
        found = (ctypes.c_void_p * max(count, 1))()
        check(raw.cuc_graph_get_nodes(found, count, self._h))
        return frozenset(self._node(h) for h in found[:count])

    def edges(self) -> frozenset[tuple[GraphNode, GraphNode]]:
        """Pairs of nodes, of which the second begins when the first has ended."""
        count = get(ctypes.c_size_t, raw.cuc_graph_get_edge_count, self._h)
        first, second = [(ctypes.c_void_p * max(count, 1))() for _ in range(2)]
        check(raw.cuc_graph_get_edges(first, second, count, self._h))
        return frozenset((self._node(a), self._node(b)) for a, b in zip(first[:count], second[:count]))

    def create_condition(self, default_value: int | None = None) -> GraphCondition:
        """What one conditional node of it goes by. It has the default value when a launch begins; without one,
        what the launch before has left."""
        return GraphCondition._made_by(raw.cuc_graph_create_condition, self._h, default_value)

    def keep(self, buffer: Buffer) -> None:
        """Hold a buffer as long as the graph and its instances."""
        check(raw.cuc_graph_keep_buffer(self._h, buffer._h))

    def dot(self, flags: int = 0) -> str:
        """A drawing for Graphviz."""
        out = ctypes.c_char_p()
        check(raw.cuc_graph_get_dot(ctypes.byref(out), None, self._h, flags))
        return text(out.value)

    def debug_dot_print(self, path: str | os.PathLike[str],
                        options: GraphDebugPrintOptions | None = None) -> None:
        """A drawing for Graphviz, into a file."""
        flags = options._flags() if options is not None else 0
        check(raw.cuc_graph_write_dot(self._h, os.fsencode(path), flags))

    def instantiate(self, options: GraphCompleteOptions | None = None) -> GraphExec:
        made = None
        if options is not None:
            made = ctypes.byref(_exec_options(options))
        return GraphExec._own(create(raw.cuc_graph_instantiate, self._h, made))


def _exec_options(given: GraphCompleteOptions) -> Any:
    flags = (raw.CUC_GRAPH_AUTO_FREE if given.auto_free_on_launch else 0) | \
            (raw.CUC_GRAPH_DEVICE_LAUNCH if given.device_launch else 0) | \
            (raw.CUC_GRAPH_NODE_PRIORITY if given.use_node_priority else 0)
    made = options(raw.cuc_graph_exec_options, flags=flags)
    if given.upload_stream is not None:
        queue = as_stream(given.upload_stream)
        made.upload = queue._h
        made._queue = queue  # kept until it is read
    return made


class GraphExec(Handle):
    """A graph that can be launched; it needs the graph no more."""

    __slots__ = ()
    _release = raw.cuc_graph_exec_release

    @property
    def handle(self) -> int:
        """The CUgraphExec."""
        return raw.cuc_graph_exec_handle(self._h) or 0

    def launch(self, stream: StreamLike) -> None:
        check(raw.cuc_graph_exec_launch(self._h, as_stream(stream)))

    def upload(self, stream: StreamLike) -> None:
        """Get it ready on the device ahead of its first launch."""
        check(raw.cuc_graph_exec_upload(self._h, as_stream(stream)))

    def update(self, source: Any) -> None:
        """Take over another graph's parameters, of the same nodes: a Graph, or a builder's."""
        graph = source if isinstance(source, Graph) else source.graph_definition
        check(raw.cuc_graph_exec_update(self._h, graph._h))

    def __getitem__(self, node: GraphNode) -> ExecutableNode:
        """What launches do with a node of the graph that it was made of."""
        return ExecutableNode(self, node)


class ExecutableNode:
    """A node as launches of a GraphExec run it: `graph_exec[node]`."""

    __slots__ = ("graph", "node")

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
        """Let launches pass over it: a kernel, a copy or a fill."""
        check(raw.cuc_graph_exec_set_enabled(self.graph._h, self.node.handle, 0))

    def __repr__(self) -> str:
        return f"<{self.node!r} of {self.graph!r}>"


class Capture:
    """A capture under way. An exception within cancels it."""

    __slots__ = ("_stream", "_mode", "_into", "_graph", "_kept")

    def __init__(self, stream: Stream, mode: str, into: Graph | None = None) -> None:
        self._stream, self._mode, self._into = stream, mode_number(mode), into
        self._graph: Graph | None = None
        self._kept: list[Any] = []

    @property
    def graph(self) -> Graph:
        """What was captured, once the block has ended."""
        if self._graph is None:
            raise RuntimeError("the capture has not ended, or failed")
        return self._graph

    def callback(self, fn: Callable[..., Any], *, user_data: Any = None) -> None:
        """Put a Python function on the stream; the graph keeps it."""
        made = host_function(self._stream.device, fn, user_data)
        check(raw.cuc_launch_host(self._stream._h, ctypes.cast(made, ctypes.c_void_p), None))
        self._kept.append(made)

    def embed(self, child: Graph) -> None:
        """Put a whole graph on the stream, as one node; it is copied."""
        check(raw.cuc_stream_embed_graph(self._stream._h, child._h))

    def create_condition(self, default_value: int | None = None) -> GraphCondition:
        """What one conditional node of the graph goes by, as `Graph.create_condition()` says."""
        return GraphCondition._made_by(raw.cuc_stream_create_condition, self._stream._h, default_value)

    def if_then(self, condition: GraphCondition) -> Graph:
        """Put a node on the stream that runs a graph unless the condition is 0: that graph, to be filled."""
        return _bodies(self._stream, raw.CUC_CONDITIONAL_IF, condition, 1)[0]

    def if_else(self, condition: GraphCondition) -> tuple[Graph, Graph]:
        """The same with a second graph, which runs if it is 0."""
        then, otherwise = _bodies(self._stream, raw.CUC_CONDITIONAL_IF, condition, 2)
        return then, otherwise

    def while_loop(self, condition: GraphCondition) -> Graph:
        """A graph that runs until the condition is 0."""
        return _bodies(self._stream, raw.CUC_CONDITIONAL_WHILE, condition, 1)[0]

    def switch(self, condition: GraphCondition, count: int) -> tuple[Graph, ...]:
        """Graphs, of which that of the condition's number runs."""
        return tuple(_bodies(self._stream, raw.CUC_CONDITIONAL_SWITCH, condition, count))

    def __enter__(self) -> Capture:
        if self._into is not None:
            check(raw.cuc_stream_begin_capture_to(self._stream._h, self._into._h, None, 0, self._mode))
        else:
            check(raw.cuc_stream_begin_capture(self._stream._h, self._mode))
        return self

    def __exit__(self, kind: Any, *_exception: object) -> None:
        if kind is not None:
            raw.cuc_stream_cancel_capture(self._stream._h)
            return
        made = Graph._of(create(raw.cuc_stream_end_capture, self._stream._h), self._stream.device)
        self._graph = self._into if self._into is not None else made
        while self._kept:
            self._graph._keep_object(self._kept.pop())


class GraphBuilder:
    """A capture as cuda.core has it: `stream.create_graph_builder()`, which is a stream to launch on
    between `begin_building()` and `end_building()`. `split()` and `join()` make branches.
    """

    __slots__ = ("_capture", "_stream", "_primary", "_joined", "_into", "__weakref__")
    _capture: Capture | None
    _stream: Stream
    _primary: GraphBuilder | None
    _joined: bool
    _into: Graph | None

    def __init__(self) -> None:
        raise TypeError("a builder is made by Stream.create_graph_builder() or the Device's")

    @classmethod
    def _of(cls, stream: Stream, primary: GraphBuilder | None = None, into: Graph | None = None) -> GraphBuilder:
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
        self._capture.__exit__(None)
        return self

    @property
    def graph_definition(self) -> Graph:
        """What was built, once that has ended."""
        if self._capture is None:
            raise RuntimeError("begin_building() has not been called")
        return self._capture.graph

    def complete(self, options: GraphCompleteOptions | None = None) -> GraphExec:
        """What was built, ready to be launched."""
        return self.graph_definition.instantiate(options)

    def debug_dot_print(self, path: str | os.PathLike[str],
                        options: GraphDebugPrintOptions | None = None) -> None:
        self.graph_definition.debug_dot_print(path, options)

    def split(self, count: int) -> tuple[GraphBuilder, ...]:
        """This one and count - 1 more, that go on side by side from here."""
        if count < 2:
            raise ValueError(f"count is {count}: expected 2 or more")
        if not self.is_building:
            raise RuntimeError("it is not building")
        more = []
        for _ in range(count - 1):
            stream = self._stream.device.create_stream()
            stream.wait(self._stream)
            more.append(GraphBuilder._of(stream, self._primary or self))
        return self, *more

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
        capture = (self._primary or self)._capture
        if capture is None:
            raise RuntimeError("begin_building() has not been called")
        made = host_function(self._stream.device, fn, user_data)
        check(raw.cuc_launch_host(self._stream._h, ctypes.cast(made, ctypes.c_void_p), None))
        capture._kept.append(made)

    def embed(self, child: GraphBuilder | Graph) -> None:
        """A whole graph as one node; it is copied."""
        graph = child if isinstance(child, Graph) else child.graph_definition
        check(raw.cuc_stream_embed_graph(self._stream._h, graph._h))

    def create_condition(self, default_value: int | None = None) -> GraphCondition:
        """What one conditional node of the graph goes by, as `Graph.create_condition()` says."""
        return GraphCondition._made_by(raw.cuc_stream_create_condition, self._stream._h, default_value)

    def _body_builders(self, number: int, condition: GraphCondition, count: int) -> tuple[GraphBuilder, ...]:
        return tuple(GraphBuilder._of(self._stream.device.create_stream(), into=body)
                     for body in _bodies(self._stream, number, condition, count))

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
        if self._capture is not None and self._capture._graph is None:
            raw.cuc_stream_cancel_capture(self._stream._h)

    def __enter__(self) -> GraphBuilder:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def host_launch(stream: StreamLike, fn: Callable[..., Any], *, user_data: Any = None) -> None:
    """Call a Python function in a stream's order, with `user_data` if given. It runs on a thread of
    the driver's and may call neither CUDA nor cucore. With a builder it becomes a node.
    """
    if isinstance(stream, GraphBuilder):
        return stream.callback(fn, user_data=user_data)
    queue = as_stream(stream)
    if queue.is_capturing:
        raise RuntimeError("the stream is being captured: the capture's callback() keeps the function")

    def run(key: int) -> None:
        with contextlib.suppress(KeyError):
            kept.forget(key)
        if user_data is None:
            fn()
        else:
            fn(user_data)

    _will_call(queue.device)
    made = _HostFunction(run)
    key = kept.add(made)
    try:
        check(raw.cuc_launch_host(queue._h, ctypes.cast(made, ctypes.c_void_p), key))
    except BaseException:
        kept.forget(key)
        raise
    return None

