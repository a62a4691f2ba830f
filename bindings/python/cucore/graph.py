"""Graphs by the names that `cuda.core.graph` has: there `Graph` is what is launched, and what it is made
of a `GraphDefinition`; in `cucore` itself they are `GraphExec` and `Graph`.
"""
from ._condition import GraphCondition
from ._graph import Graph as GraphDefinition
from ._graph import GraphCompleteOptions, GraphDebugPrintOptions
from ._graph import GraphExec as Graph
from ._graph_builder import GraphBuilder
from ._graph_node import (
    AdjacencySet,
    AllocNode,
    ChildGraphNode,
    ConditionalNode,
    EmptyNode,
    EventRecordNode,
    EventWaitNode,
    FreeNode,
    GraphNode,
    GraphNodeType,
    HostCallbackNode,
    IfElseNode,
    IfNode,
    KernelNode,
    MemcpyNode,
    MemsetNode,
    SwitchNode,
    WhileNode,
)

__all__ = [
    "AdjacencySet", "AllocNode", "ChildGraphNode", "ConditionalNode", "EmptyNode", "EventRecordNode", "EventWaitNode", "FreeNode",
    "Graph", "GraphBuilder", "GraphCompleteOptions", "GraphCondition", "GraphDebugPrintOptions", "GraphDefinition",
    "GraphNode", "GraphNodeType", "HostCallbackNode", "IfElseNode", "IfNode", "KernelNode", "MemcpyNode", "MemsetNode", "SwitchNode",
    "WhileNode",
]
