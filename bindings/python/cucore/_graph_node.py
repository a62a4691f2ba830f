"""Graph nodes, and the methods that create them."""
from __future__ import annotations

import copy
import ctypes
import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from . import raw
from ._callback import C_FUNCTION, host_function
from ._condition import GraphCondition
from ._device import Device
from ._errors import InvalidArgumentError, NotSupportedError, check
from ._handle import call, get, handle_of, not_made, options
from ._launch import LaunchConfig, launch
from ._memory import Buffer, MemoryResource, pattern_of
from ._memory_pool import ManagedMemoryResource
from ._object import Kernel
from ._sets import LiveSet
from ._stream import Event, Stream
from .typing import GraphConditionalType, GraphMemoryType

if TYPE_CHECKING:
    from typing_extensions import Buffer as Bytes

    from ._graph import Graph

_Graph: type[Graph]  # set by its module, which imports this one


class GraphNodeType(enum.IntEnum):
    """Node types, with the names and values of the driver's CUgraphNodeType."""

    CU_GRAPH_NODE_TYPE_KERNEL = raw.CUC_NODE_KERNEL
    CU_GRAPH_NODE_TYPE_MEMCPY = raw.CUC_NODE_COPY
    CU_GRAPH_NODE_TYPE_MEMSET = raw.CUC_NODE_FILL
    CU_GRAPH_NODE_TYPE_HOST = raw.CUC_NODE_HOST
    CU_GRAPH_NODE_TYPE_GRAPH = raw.CUC_NODE_GRAPH
    CU_GRAPH_NODE_TYPE_EMPTY = raw.CUC_NODE_EMPTY
    CU_GRAPH_NODE_TYPE_WAIT_EVENT = raw.CUC_NODE_WAIT_EVENT
    CU_GRAPH_NODE_TYPE_EVENT_RECORD = raw.CUC_NODE_RECORD_EVENT
    CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL = raw.CUC_NODE_SIGNAL
    CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT = raw.CUC_NODE_WAIT
    CU_GRAPH_NODE_TYPE_MEM_ALLOC = raw.CUC_NODE_ALLOC
    CU_GRAPH_NODE_TYPE_MEM_FREE = raw.CUC_NODE_FREE
    CU_GRAPH_NODE_TYPE_BATCH_MEM_OP = raw.CUC_NODE_MEMORY_WORDS
    CU_GRAPH_NODE_TYPE_CONDITIONAL = raw.CUC_NODE_CONDITIONAL


Made = TypeVar("Made", bound="GraphNode")
Decides = TypeVar("Decides", bound="ConditionalNode")


class _Verbs:
    """Methods that create nodes: on a graph, nodes without dependencies; on a node, nodes that
    depend on it."""

    __slots__ = ()

    def _where(self) -> tuple[Graph, tuple[int, ...]]:
        raise NotImplementedError

    def _put(self, kind: type[Made], put: Callable[[Stream], Any], keep: Sequence[Any] = (),
             **members: Any) -> Made:
        graph, after = self._where()
        node = kind._own(graph, graph._add(after, put), members)
        for each in keep:
            graph._keep_object(each)
        return node

    def launch(self, config: LaunchConfig | None, kernel: Kernel, *args: Any) -> KernelNode:
        """Add a kernel node. The graph keeps the kernel and its object arguments alive."""
        keep = [a._again() if isinstance(a, Buffer) else a for a in args
                if not isinstance(a, (int, float, complex))]
        return self._put(KernelNode, lambda stream: launch(stream, config, kernel, *args), keep,
                         config=copy.copy(config), kernel=kernel)  # the caller may change the original later

    def memcpy(self, dst: Any, src: Any, size: int, *, dst_owner: Any = None,
               src_owner: Any = None) -> MemcpyNode:
        """Add a copy between any two places. Each is a buffer, which is copied whole, or an
        address, which its owner keeps valid."""
        _owned("dst", dst, dst_owner)
        _owned("src", src, src_owner)
        _reaching(size, dst, src)
        ends = [int(each) for each in (dst, src)]
        return self._put(MemcpyNode, lambda stream: call(raw.cuc_copy, stream._h, *ends, size),
                         _kept(dst, src, dst_owner, src_owner), dst=ends[0], src=ends[1], size=size)

    def memset(self, dst: Any, value: int | Bytes, width: int, height: int = 1, pitch: int = 0, *,
               dst_owner: Any = None) -> MemsetNode:
        """Add a fill with a byte, or a pattern of 1, 2 or 4 bytes. `width` counts the patterns per row; the buffer
        must have room."""
        pattern = pattern_of(value)
        _owned("dst", dst, dst_owner)
        _reaching(max(height - 1, 0) * pitch + width * len(pattern), dst)
        number = int.from_bytes(pattern, "little")
        made = options(raw.cuc_fill_2d_params, dst=int(dst), pitch=pitch, row_count=width, rows=height,
                       pattern=number, pattern_bytes=len(pattern))
        return self._put(MemsetNode, lambda stream: check(raw.cuc_fill_2d(stream._h, ctypes.byref(made))),
                         _kept(dst, dst_owner), dptr=int(dst), value=number, element_size=len(pattern),
                         width=width, height=height, pitch=pitch)

    def allocate(self, size: int, *, device: Device | int | None = None,
                 memory_type: GraphMemoryType | str = GraphMemoryType.DEVICE,
                 peer_access: Sequence[Device | int] | None = None,
                 memory_resource: MemoryResource | None = None) -> AllocNode:
        """Add an allocation. The memory is valid from this node until the node that frees it, or
        until the end of the graph. Only device memory is possible, because capture creates the
        node, and in a capture drivers accept only device pools."""
        graph, _ = self._where()
        kind = GraphMemoryType(memory_type)
        if peer_access:
            raise NotSupportedError("peer_access: give a memory_resource whose memory the peers can reach")
        if not size:
            raise InvalidArgumentError("size is 0: a graph allocates 1 byte or more")
        resource = memory_resource
        if resource is None:
            resource = Device(device if device is not None else graph._device).memory_resource
        handle = handle_of(MemoryResource, resource, "memory_resource") or resource._open()
        if memory_resource is not None:
            kind = GraphMemoryType.MANAGED if isinstance(resource, ManagedMemoryResource) else \
                GraphMemoryType.HOST if int(resource.device_id) < 0 else GraphMemoryType.DEVICE
        if kind is not GraphMemoryType.DEVICE:
            raise NotSupportedError(f"memory_type is {kind.value}: expected device, the only memory that drivers "
                                    "allocate in a graph that is captured")
        out = ctypes.c_uint64()
        node = self._put(AllocNode, lambda stream: call(
            raw.cuc_memory_allocate, ctypes.byref(out), stream._h, handle, size), [resource],
            bytesize=size, device_id=int(resource.device_id), memory_type=kind, peer_access=())
        node._members["dptr"] = out.value
        graph._memory[out.value] = (handle, size)
        return node

    def deallocate(self, dptr: int | AllocNode) -> FreeNode:
        """Free the memory that another node of the graph allocated."""
        graph, _ = self._where()
        address = dptr.dptr if isinstance(dptr, AllocNode) else int(dptr)
        if address not in graph._memory:
            raise InvalidArgumentError(f"{address:#x} is not memory that a node of this graph has allocated")
        resource, size = graph._memory[address]
        node = self._put(FreeNode, lambda stream: check(
            raw.cuc_memory_free(stream._h, resource, address, size)), dptr=address)
        del graph._memory[address]
        return node

    def embed(self, child: Graph) -> ChildGraphNode:
        """Add a whole graph as one child node. The node's `child_graph` is a copy."""
        handle = handle_of(_Graph, child, "child")
        return self._put(ChildGraphNode, lambda stream: check(raw.cuc_stream_embed_graph(stream._h, handle)))

    def record(self, event: Event) -> EventRecordNode:
        """Record an event that work outside the graph can wait for."""
        handle = handle_of(Event, event, "event")
        return self._put(EventRecordNode, lambda stream: check(
            raw.cuc_event_record_external(stream._h, handle)), [_again(event, raw.cuc_event_retain)],
            event=event)

    def wait(self, event: Event) -> EventWaitNode:
        """Wait for an event that is recorded outside the graph."""
        handle = handle_of(Event, event, "event")
        return self._put(EventWaitNode, lambda stream: check(
            raw.cuc_stream_wait_external(stream._h, handle)), [_again(event, raw.cuc_event_retain)],
            event=event)

    def callback(self, fn: Callable[..., Any], *, user_data: Any = None) -> HostCallbackNode:
        """Add a call of a Python function, with `user_data` if given. It must not call CUDA or cucore."""
        made, data = host_function(self._where()[0]._device, fn, user_data)
        return self._put(HostCallbackNode, lambda stream: check(
            raw.cuc_launch_host(stream._h, ctypes.cast(made, ctypes.c_void_p), data)), [made, data],
            function=None if isinstance(fn, C_FUNCTION) else fn)

    def _conditional(self, kind: type[Decides], number: int, condition: GraphCondition, count: int) -> Decides:
        graph, after = self._where()
        bodies: list[Graph] = []
        handle = graph._add(after, lambda stream: bodies.extend(graph._bodies(stream, number, condition, count)))
        return kind._own(graph, handle, {"condition": condition, "branches": tuple(bodies)})

    def if_then(self, condition: GraphCondition) -> IfNode:
        """Add a conditional node whose graph `then` runs if the condition is nonzero."""
        return self._conditional(IfNode, raw.CUC_CONDITIONAL_IF, condition, 1)

    def if_else(self, condition: GraphCondition) -> IfElseNode:
        """Add a conditional node with two graphs: `then` runs if the condition is nonzero, `else_` if it is 0."""
        return self._conditional(IfElseNode, raw.CUC_CONDITIONAL_IF, condition, 2)

    def while_loop(self, condition: GraphCondition) -> WhileNode:
        """Add a while node whose graph `body` repeats until the condition is 0."""
        return self._conditional(WhileNode, raw.CUC_CONDITIONAL_WHILE, condition, 1)

    def switch(self, condition: GraphCondition, count: int) -> SwitchNode:
        """Add a switch node; the condition selects which graph of `branches` runs."""
        return self._conditional(SwitchNode, raw.CUC_CONDITIONAL_SWITCH, condition, count)

    def join(self, *nodes: GraphNode) -> EmptyNode:
        """Add an empty node that depends on all given nodes and on this one."""
        graph, after = self._where()
        if any(node.graph is not graph for node in nodes):
            raise ValueError("a node is of another graph")
        handles = tuple(dict.fromkeys([*after, *(node._handle for node in nodes)]))
        made = ctypes.c_void_p()
        behind = (ctypes.c_void_p * max(len(handles), 1))(*handles)
        check(raw.cuc_graph_add_empty(ctypes.byref(made), graph._h, behind if handles else None, len(handles)))
        return EmptyNode._own(graph, made.value or 0, {})

    def empty(self) -> EmptyNode:
        """Add an empty node."""
        return self.join()


def _again(object_: Any, retain: Any) -> Any:
    """Take another reference, which stays valid after the caller closes the object."""
    return type(object_)._own(retain(object_._h))


def _reaching(size: int, *ends: Any) -> None:
    """Reject a size beyond the end of a buffer, because the context would be lost when such a node
    ran."""
    for each in ends:
        # The library call reports sizes that are not numbers, and sizes of 2**64 or more.
        if isinstance(each, Buffer) and hasattr(size, "__index__") and each.size < size < 2**64:
            raise ValueError(f"{size} bytes reach beyond the {each.size} of the buffer")


def _kept(*values: Any) -> list[Any]:
    return [v._again() if isinstance(v, Buffer) else v for v in values
            if v is not None and not isinstance(v, int)]


def _owned(name: str, place: Any, owner: Any) -> None:
    """Accept an owner only for an address, because a buffer already owns its memory."""
    if isinstance(place, Buffer) and owner is not None:
        raise ValueError(f"{name}_owner cannot be used when {name} is a Buffer, which the graph keeps by itself")
    for what, each in ((name, place), (name + "_owner", owner)):
        if isinstance(each, Buffer) and each.is_closed:
            raise ValueError(f"{what} Buffer has no active allocation: it is closed")


class AdjacencySet(LiveSet):
    """The predecessors or successors of a node. Changing the set edits the graph's edges; each call
    edits all of its edges at once."""

    __slots__ = ("_node", "_ahead")

    def __init__(self, node: GraphNode, ahead: bool) -> None:
        self._node, self._ahead = node, ahead

    def _nodes(self) -> set[GraphNode]:
        edges = self._node.graph.edges()
        return {a for a, b in edges if b == self._node} if self._ahead else {b for a, b in edges if a == self._node}

    def __contains__(self, node: object) -> bool:
        return node in self._nodes()

    def __iter__(self) -> Iterator[GraphNode]:
        return iter(self._nodes())

    def __len__(self) -> int:
        return len(self._nodes())

    def _change(self, function: Callable[..., int], nodes: Iterable[GraphNode]) -> None:
        others = list(nodes)
        count = len(others)
        array = ctypes.c_void_p * max(count, 1)
        own, other = array(*[self._node._handle] * count), array(*[each._handle for each in others])
        first, second = (other, own) if self._ahead else (own, other)
        check(function(self._node.graph._h, first, second, count))

    def _put(self, members: set[Any]) -> None:
        for node in members:
            if not isinstance(node, GraphNode):
                raise TypeError(f"expected a GraphNode, not {type(node).__name__}")
        self._change(raw.cuc_graph_add_edges, members)

    def _drop(self, members: set[Any]) -> None:
        self._change(raw.cuc_graph_remove_edges, members)

    def add(self, node: GraphNode) -> None:
        self.update((node,))

    def discard(self, node: GraphNode) -> None:
        self.difference_update((node,))

    def update(self, *others: GraphNode | Iterable[GraphNode]) -> None:
        """Add nodes, or iterables of nodes."""
        super().update(*[(each,) if isinstance(each, GraphNode) else each for each in others])


class GraphNode(_Verbs):
    """A node of a graph. Its methods create nodes that depend on it."""

    __slots__ = ("graph", "_handle", "_members", "__weakref__")
    graph: Graph
    _handle: int
    _members: dict[str, Any]
    _shown: ClassVar[tuple[str, ...]] = ()
    _said: ClassVar[dict[str, str]] = {}  #: members shown by repr() if they are known: label and attribute

    def __init__(self) -> None:
        not_made("GraphNode objects", "the verbs of a graph and of its nodes: graph.launch(), ...")

    @classmethod
    def _own(cls: type[Made], graph: Graph, handle: int, members: dict[str, Any]) -> Made:
        self = cls.__new__(cls)
        self.graph, self._handle, self._members = graph, handle, members
        graph._known[handle] = self
        return self

    def _where(self) -> tuple[Graph, tuple[int, ...]]:
        return self.graph, (self._handle,)

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._shown:
            return self._members.get(name)
        raise AttributeError(f"{type(self).__name__} has no {name}")

    @property
    def handle(self) -> int:
        """The CUgraphNode; 0 once the graph is gone."""
        return self._handle if self.graph.handle else 0

    @property
    def is_valid(self) -> bool:
        """Whether the graph still exists."""
        return self.handle != 0

    @property
    def type(self) -> GraphNodeType:
        """The node's type; compares equal to the CUgraphNodeType of cuda.bindings."""
        if not self.handle:
            self.graph.node_count  # raises if the graph is gone
        return GraphNodeType(get(ctypes.c_int32, raw.cuc_node_get_type, self._handle))

    @property
    def pred(self) -> AdjacencySet:
        """The direct predecessors, as a set; changing it changes the graph."""
        return AdjacencySet(self, True)

    @pred.setter
    def pred(self, nodes: Iterable[GraphNode]) -> None:
        _become(self.pred, nodes)

    @property
    def succ(self) -> AdjacencySet:
        """The direct successors, as a set; changing it changes the graph."""
        return AdjacencySet(self, False)

    @succ.setter
    def succ(self, nodes: Iterable[GraphNode]) -> None:
        _become(self.succ, nodes)

    def __eq__(self, other: object) -> bool:
        return self._handle == other._handle and self.graph == other.graph \
            if isinstance(other, GraphNode) else NotImplemented

    def __hash__(self) -> int:
        return hash((GraphNode, self._handle))

    def __repr__(self) -> str:
        if not self.handle:
            return f"<{type(self).__name__}, gone>"
        said = "".join(f" {label}={self._word(name)}" for label, name in self._said.items()
                       if self._members.get(name) is not None)
        return f"<{type(self).__name__} handle={self._handle:#x}{said}>"

    def _word(self, name: str) -> str:
        """Format a member for repr(): addresses and handles in hexadecimal, functions by name."""
        value = self._members[name]
        if name in ("dptr", "dst", "src"):
            return f"{value:#x}"
        if hasattr(value, "handle"):
            return f"{value.handle:#x}"
        return str(getattr(value, "__name__", "?") if callable(value) else value)


def _become(edges: AdjacencySet, nodes: Iterable[GraphNode]) -> None:
    """Make the set contain exactly these nodes."""
    wanted = set(nodes)
    edges.update(wanted)
    edges -= edges._nodes() - wanted  # type: ignore[misc]


class EmptyNode(GraphNode):
    __slots__ = ()


class KernelNode(GraphNode):
    """A kernel launch. For a captured node, the driver reports grid, block, shared memory and
    kernel."""

    __slots__ = ()
    _said = {"kernel": "kernel"}

    def _ask(self) -> None:
        config, kernel = raw.cuc_launch_config(), ctypes.c_void_p()
        check(raw.cuc_node_get_launch(ctypes.byref(config), ctypes.byref(kernel), self._handle))
        self._members["config"] = LaunchConfig(grid=tuple(config.grid), block=tuple(config.block),
                                               shmem_size=config.shared_bytes)
        self._members["kernel"] = Kernel.from_handle(kernel.value) if kernel.value else None

    @property
    def config(self) -> LaunchConfig | None:
        """The launch config; for a captured node, it lacks the cluster and attributes."""
        if "config" not in self._members:
            self._ask()
        return self._members["config"]  # type: ignore[no-any-return]

    @property
    def kernel(self) -> Kernel | None:
        if "kernel" not in self._members:
            self._ask()
        return self._members["kernel"]  # type: ignore[no-any-return]

    @property
    def grid(self) -> tuple[int, int, int] | None:
        return self.config.grid if self.config is not None else None

    @property
    def block(self) -> tuple[int, int, int] | None:
        return self.config.block if self.config is not None else None

    @property
    def shmem_size(self) -> int:
        return self.config.shmem_size if self.config is not None else 0


class MemcpyNode(GraphNode):
    __slots__ = ()
    _shown = ("dst", "src", "size")
    _said = {"dst": "dst", "src": "src", "size": "size"}


class MemsetNode(GraphNode):
    __slots__ = ()
    _shown = ("dptr", "value", "element_size", "width", "height", "pitch")
    _said = {"dptr": "dptr", "value": "value"}


class AllocNode(GraphNode):
    __slots__ = ()
    _shown = ("dptr", "bytesize", "device_id", "memory_type", "peer_access")
    _said = {"dptr": "dptr", "size": "bytesize"}


class FreeNode(GraphNode):
    __slots__ = ()
    _shown = ("dptr",)
    _said = {"dptr": "dptr"}


class ChildGraphNode(GraphNode):
    """An embedded graph."""

    __slots__ = ()
    _said = {"child": "child_graph"}

    @property
    def child_graph(self) -> Graph:
        """The embedded copy; later changes of the original do not affect it."""
        if "child_graph" not in self._members:
            made = ctypes.c_void_p()
            check(raw.cuc_node_get_graph(ctypes.byref(made), self.graph._h, self._handle))
            self._members["child_graph"] = type(self.graph)._of(made.value or 0, self.graph._device)
        return self._members["child_graph"]  # type: ignore[no-any-return]


class EventRecordNode(GraphNode):
    __slots__ = ()
    _shown = ("event",)
    _said = {"event": "event"}


class EventWaitNode(GraphNode):
    __slots__ = ()
    _shown = ("event",)
    _said = {"event": "event"}


class HostCallbackNode(GraphNode):
    """A host callback. `function` is the Python function, or None for a C function or a captured
    node."""

    __slots__ = ()
    _shown = ("function",)
    _said = {"callback": "function"}


class ConditionalNode(GraphNode):
    """A node that selects on the device which of its graphs runs; fill the graphs through their
    methods."""

    __slots__ = ()
    _shown = ("condition", "branches")
    _said = {"condition": "condition"}
    cond_type: ClassVar[GraphConditionalType | None] = None


class IfNode(ConditionalNode):
    __slots__ = ()
    cond_type = GraphConditionalType.IF

    @property
    def then(self) -> Graph:
        """The graph that runs if the condition is nonzero."""
        return self.branches[0]  # type: ignore[no-any-return]


class IfElseNode(IfNode):
    __slots__ = ()

    @property
    def else_(self) -> Graph:
        """The graph that runs if the condition is 0."""
        return self.branches[1]  # type: ignore[no-any-return]


class WhileNode(ConditionalNode):
    __slots__ = ()
    cond_type = GraphConditionalType.WHILE

    @property
    def body(self) -> Graph:
        """The graph that repeats until the condition is 0."""
        return self.branches[0]  # type: ignore[no-any-return]


class SwitchNode(ConditionalNode):
    __slots__ = ()
    cond_type = GraphConditionalType.SWITCH


#: Classes for nodes that were not created here, such as captured ones.
CLASSES: dict[int, type[GraphNode]] = {
    raw.CUC_NODE_KERNEL: KernelNode, raw.CUC_NODE_COPY: MemcpyNode, raw.CUC_NODE_FILL: MemsetNode,
    raw.CUC_NODE_HOST: HostCallbackNode, raw.CUC_NODE_GRAPH: ChildGraphNode, raw.CUC_NODE_EMPTY: EmptyNode,
    raw.CUC_NODE_WAIT_EVENT: EventWaitNode, raw.CUC_NODE_RECORD_EVENT: EventRecordNode,
    raw.CUC_NODE_ALLOC: AllocNode, raw.CUC_NODE_FREE: FreeNode, raw.CUC_NODE_CONDITIONAL: ConditionalNode}
