"""Nodes of graphs, and the verbs that make them."""
from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from . import raw
from ._callback import host_function
from ._condition import GraphCondition
from ._device import Device
from ._errors import check
from ._handle import call, get, handle_of, options
from ._launch import LaunchConfig, launch
from ._memory import Buffer, MemoryResource, pattern_of
from ._object import Kernel
from ._stream import Event, Stream

if TYPE_CHECKING:
    from typing_extensions import Buffer as Bytes

    from ._graph import Graph

Made = TypeVar("Made", bound="GraphNode")
Decides = TypeVar("Decides", bound="ConditionalNode")


class _Verbs:
    """What makes nodes: of a graph, behind nothing; of a node, behind it."""

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
        """A kernel. The graph keeps it, and its arguments that are objects."""
        keep = [a._again() if isinstance(a, Buffer) else a for a in args
                if not isinstance(a, (int, float, complex))]
        return self._put(KernelNode, lambda stream: launch(stream, config, kernel, *args), keep,
                         config=copy.copy(config), kernel=kernel)  # which may be changed afterwards

    def memcpy(self, dst: Any, src: Any, size: int, *, dst_owner: Any = None,
               src_owner: Any = None) -> MemcpyNode:
        """A copy of bytes in any direction; ends are buffers, which have as many, or addresses that the owners keep."""
        _reaching(size, dst, src)
        ends = [int(each) for each in (dst, src)]
        return self._put(MemcpyNode, lambda stream: call(raw.cuc_copy, stream._h, *ends, size),
                         _kept(dst, src, dst_owner, src_owner), dst=ends[0], src=ends[1], size=size)

    def memset(self, dst: Any, value: int | Bytes, width: int, height: int = 1, pitch: int = 0, *,
               dst_owner: Any = None) -> MemsetNode:
        """A fill by a byte, or a pattern of 1, 2 or 4: `width` of them in each row, which a buffer has room for."""
        pattern = pattern_of(value)
        _reaching(max(height - 1, 0) * pitch + width * len(pattern), dst)
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
        handle = handle_of(MemoryResource, resource, "memory_resource") or resource._open()
        out = ctypes.c_uint64()
        node = self._put(AllocNode, lambda stream: call(
            raw.cuc_memory_allocate, ctypes.byref(out), handle, size, stream._h), [resource],
            bytesize=size, device_id=resource.device_id)
        node._members["dptr"] = out.value
        graph._memory[out.value] = (handle, size)
        return node

    def deallocate(self, dptr: int | AllocNode) -> FreeNode:
        """Free what a node of the graph has allocated."""
        graph, _ = self._where()
        address = dptr.dptr if isinstance(dptr, AllocNode) else int(dptr)
        if address not in graph._memory:
            raise ValueError(f"{address:#x} is no memory that a node of this graph has allocated")
        resource, size = graph._memory[address]
        node = self._put(FreeNode, lambda stream: check(
            raw.cuc_memory_free(resource, address, size, stream._h)), dptr=address)
        del graph._memory[address]
        return node

    def embed(self, child: Graph) -> ChildGraphNode:
        """A whole graph as one node; it is copied."""
        from ._graph import Graph
        handle = handle_of(Graph, child, "child")
        return self._put(ChildGraphNode, lambda stream: check(
            raw.cuc_stream_embed_graph(stream._h, handle)), child_graph=child)

    def record(self, event: Event) -> EventRecordNode:
        """Record an event, for work outside of the graph."""
        handle = handle_of(Event, event, "event")
        return self._put(EventRecordNode, lambda stream: check(
            raw.cuc_event_record_external(handle, stream._h)), [_again(event, raw.cuc_event_retain)],
            event=event)

    def wait(self, event: Event) -> EventWaitNode:
        """Wait for an event that is recorded outside of the graph."""
        handle = handle_of(Event, event, "event")
        return self._put(EventWaitNode, lambda stream: check(
            raw.cuc_stream_wait_external(stream._h, handle)), [_again(event, raw.cuc_event_retain)],
            event=event)

    def callback(self, fn: Callable[..., Any], *, user_data: Any = None) -> HostCallbackNode:
        """A Python function, called with `user_data` if given. It may call neither CUDA nor cucore."""
        made = host_function(self._where()[0]._device, fn, user_data)
        return self._put(HostCallbackNode, lambda stream: check(
            raw.cuc_launch_host(stream._h, ctypes.cast(made, ctypes.c_void_p), None)), [made], callback=fn)

    def _conditional(self, kind: type[Decides], number: int, condition: GraphCondition, count: int) -> Decides:
        graph, after = self._where()
        bodies: list[Graph] = []
        handles = graph._add(after, lambda stream: bodies.extend(graph._bodies(stream, number, condition, count)))
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


def _again(object_: Any, retain: Any) -> Any:
    """A reference more, that closing the caller's object does not give back."""
    return type(object_)._own(retain(object_._h))


def _reaching(size: int, *ends: Any) -> None:
    """Refuse what is longer than a buffer that is an end of it: as a node runs, the context would be lost."""
    for each in ends:
        # Of what is no number, and of more, the call tells.
        if isinstance(each, Buffer) and hasattr(size, "__index__") and each.size < size < 2**64:
            raise ValueError(f"{size} bytes reach beyond the {each.size} of the buffer")


def _kept(*values: Any) -> list[Any]:
    return [v._again() if isinstance(v, Buffer) else v for v in values
            if v is not None and not isinstance(v, int)]


class GraphNode(_Verbs):
    """A node of a graph. Its verbs make nodes that come behind it."""

    __slots__ = ("graph", "_handles", "_members", "__weakref__")
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
        """The CUgraphNode; 0 of a place where several meet, and where the graph is no more."""
        return self._handles[0] if len(self._handles) == 1 and self.graph.handle else 0

    @property
    def type(self) -> str:
        """Such as "kernel"."""
        if len(self._handles) != 1:
            return "empty"
        if not self.handle:
            self.graph.node_count  # raises what has become of it
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
        return f"<{type(self).__name__} ({self.type if self.graph.handle else 'gone'})>"


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
