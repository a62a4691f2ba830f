"""Graphs under the names of `cuda.core.graph`, where `Graph` is the executable graph and
`GraphDefinition` its source. `cucore` itself calls these `GraphExec` and `Graph`.
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
