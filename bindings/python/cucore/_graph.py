"""Graphs: work that is captured, or put together node by node, once and launched often."""
from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import os
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from threading import get_ident
from typing import Any, ClassVar, TypeVar

from . import raw
from ._condition import GraphCondition
from ._device import Device
from ._errors import CUDAError, check, last_error, text
from ._handle import Handle, _called_back, _left, _threads, call, create, get, kept, may_call, options, release_left
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
    for building in list(_under_way.values()):  # nothing waits for a device that captures
        with contextlib.suppress(CUDAError):
            building.cancel()
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
        _called_back.add(get_ident())
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


class _Building:
    """A capture until it is ended. One that nobody has a hold of any more is cancelled, on a thread that may."""

    __slots__ = ("_h", "_thread", "__weakref__")
    _h: int  # a reference of its own to the stream, which the caller may close; 0 once it is over
    _thread: int  # that alone may end it; 0 for any

    def __init__(self, stream: Stream, mode: int, into: Graph | None) -> None:
        if _left:
            release_left()  # maybe of this stream
        self._thread = get_ident() if mode != raw.CUC_CAPTURE_RELAXED else 0
        self._h = raw.cuc_stream_retain(stream._h) or 0
        failed = raw.cuc_stream_begin_capture_to(self._h, into._h, None, 0, mode) if into is not None else \
            raw.cuc_stream_begin_capture(self._h, mode)
        if failed:
            error = last_error()
            self._over()
            raise error
        _under_way[self._h] = self

    def _over(self) -> None:
        handle, self._h = self._h, 0
        raw.cuc_stream_release(handle or None)

    def end(self) -> Graph:
        """What was captured."""
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
        """Drop what was captured. Once more does nothing."""
        if self._h:
            if _under_way.get(self._h) is self:
                check(raw.cuc_stream_cancel_capture(self._h))
            self._over()
            if _left:
                release_left()  # one whose bodies this one filled may go now

    def __del__(self) -> None:
        handle = getattr(self, "_h", 0)
        if not handle:
            return
        self._h = 0
        if _under_way.get(handle) in (None, self):  # or another has been begun on the stream since
            _give_up(self._thread, handle)
        else:
            Stream._own(handle)
        if _left:
            release_left()


_under_way: weakref.WeakValueDictionary[int, _Building] = weakref.WeakValueDictionary()


def _give_up(thread: int, handle: int) -> None:
    """Cancel a capture that nobody will end, and give back its stream; or leave that to a thread that may."""
    here = get_ident()
    if may_call() and (thread in (0, here) or thread not in _threads) and \
            raw.cuc_stream_cancel_capture(handle) not in (raw.CUC_ERROR_BUSY, raw.CUC_ERROR_INVALID_ARGUMENT):
        raw.cuc_stream_release(handle)
    else:
        _left.append((functools.partial(_give_up, thread), handle))


class Capture:
    """A capture under way. An exception within cancels it."""

    __slots__ = ("_stream", "_mode", "_into", "_building", "_graph", "_kept")

    def __init__(self, stream: Stream, mode: str, into: Graph | None = None) -> None:
        self._stream, self._mode, self._into = stream, mode_number(mode), into
        self._building: _Building | None = None
        self._graph: Graph | None = None
        self._kept: list[Any] = []  # functions of nodes, until the graph keeps them

    @property
    def graph(self) -> Graph:
        """What was captured, once the block has ended."""
        if self._graph is None:
            raise RuntimeError("the capture has not ended, or failed")
        return self._graph

    def callback(self, fn: Callable[..., Any], *, user_data: Any = None) -> None:
        """Put a Python function on the stream; the graph keeps it."""
        self._call(self._stream, fn, user_data)

    def _call(self, stream: Stream, fn: Callable[..., Any], user_data: Any) -> None:
        made = host_function(stream.device, fn, user_data)
        self._kept.append(made)
        check(raw.cuc_launch_host(stream._h, ctypes.cast(made, ctypes.c_void_p), None))

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
        self._building = _Building(self._stream, self._mode, self._into)
        return self

    def __exit__(self, kind: Any, *_exception: object) -> None:
        if kind is None:
            self._end()
        else:
            with contextlib.suppress(CUDAError):  # what is not cancelled now, is when this object goes
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
        if self._capture is not None:
            self._capture._cancel()

    def __enter__(self) -> GraphBuilder:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def _call_kept(key: int) -> None:
    _called_back.add(get_ident())
    found = kept.get(key)
    kept.forget(key)
    if found is not None:
        function, given = found
        function(*given)


# One for all: made for each call it would go while the driver is in it.
_kept_function = _HostFunction(_call_kept)


def host_launch(stream: StreamLike, fn: Callable[..., Any], *, user_data: Any = None) -> None:
    """Call a Python function in a stream's order, with `user_data` if given. It runs on a thread of
    the driver's and may call neither CUDA nor cucore. With a builder it becomes a node.
    """
    if isinstance(stream, GraphBuilder):
        return stream.callback(fn, user_data=user_data)
    queue = as_stream(stream)
    if queue.is_capturing:
        raise RuntimeError("the stream is being captured: the capture's callback() keeps the function")

    _will_call(queue.device)
    key = kept.add((fn, () if user_data is None else (user_data,)))
    try:
        check(raw.cuc_launch_host(queue._h, ctypes.cast(_kept_function, ctypes.c_void_p), key))
    except BaseException:
        kept.forget(key)
        raise
    return None

