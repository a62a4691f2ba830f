"""Graphs by the names that `cuda.core.graph` has: there `Graph` is what is launched, and what it is made
of a `GraphDefinition`; in `cucore` itself they are `GraphExec` and `Graph`.
"""
from ._condition import GraphCondition
from ._graph import (
    AllocNode,
    ChildGraphNode,
    ConditionalNode,
    EmptyNode,
    EventRecordNode,
    EventWaitNode,
    FreeNode,
    GraphBuilder,
    GraphCompleteOptions,
    GraphDebugPrintOptions,
    GraphNode,
    HostCallbackNode,
    IfElseNode,
    IfNode,
    KernelNode,
    MemcpyNode,
    MemsetNode,
    SwitchNode,
    WhileNode,
)
from ._graph import Graph as GraphDefinition
from ._graph import GraphExec as Graph

__all__ = [
    "AllocNode", "ChildGraphNode", "ConditionalNode", "EmptyNode", "EventRecordNode", "EventWaitNode", "FreeNode",
    "Graph", "GraphBuilder", "GraphCompleteOptions", "GraphCondition", "GraphDebugPrintOptions", "GraphDefinition",
    "GraphNode", "HostCallbackNode", "IfElseNode", "IfNode", "KernelNode", "MemcpyNode", "MemsetNode", "SwitchNode",
    "WhileNode",
]
