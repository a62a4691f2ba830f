# Graphs.

@handle Graph cuc_graph """
    Graph(device = Device())

Work and its order. A new graph has no nodes: add them with [`node`](@ref), or make a graph
with [`capture`](@ref).
"""
@handle GraphExec cuc_graph_exec "An instance of a graph; `launch(stream, exec)` launches it."

Graph(device::Device = Device()) = Graph(made(out -> C.cuc_graph_create(out, device), C.cuc_graph))

"""A node of a graph. It keeps the graph alive."""
struct Node
    raw::Ptr{C.cuc_node}
    graph::Graph
end

Base.:(==)(a::Node, b::Node) = a.raw == b.raw
Base.hash(it::Node, h::UInt) = hash(it.raw, h)
Base.unsafe_convert(::Type{Ptr{C.cuc_node}}, it::Node) = it.raw

const NODE_KINDS = Dict(getfield(C, each) => Symbol(lowercase(string(each)[10:end]))
                        for each in names(C; all = true) if startswith(string(each), "CUC_NODE_"))

# Throws if the node is gone: the driver frees a graph and its nodes if a capture into it fails.
function alive(it::Node)
    C.cuc_graph_handle(it.graph) == C_NULL && length(it.graph) # throws, and gives the reason
    it.raw
end

"""The node's type, such as :kernel."""
kind(it::Node) =
    GC.@preserve it get(NODE_KINDS, given(out -> C.cuc_node_get_type(out, alive(it)), Int32), :unknown)

"""
    capture(stream) do
        ...
    end

Capture the work that the function puts on the stream as a [`Graph`](@ref). Nothing runs,
and calls that wait are refused during the capture.
"""
function capture(enqueue::Function, stream::Stream)
    check(C.cuc_stream_begin_capture(stream, C.CUC_CAPTURE_THREAD_LOCAL))
    try
        enqueue()
    catch
        C.cuc_stream_cancel_capture(stream)
        rethrow()
    end
    Graph(made(out -> C.cuc_stream_end_capture(out, stream), C.cuc_graph))
end

"""
    node(graph, stream, after...) do
        ...
    end

Add the work that the function puts on the stream, after the given nodes of the graph.
Nothing runs. Returns the [`Node`](@ref) of the last work added.
"""
function node(enqueue::Function, it::Graph, stream::Stream, after::Node...)
    behind = Ptr{C.cuc_node}[alive(each) for each in after]
    check(C.cuc_stream_begin_capture_to(stream, it, behind, length(behind), C.CUC_CAPTURE_THREAD_LOCAL))
    raw, count = Ref(Ptr{C.cuc_node}(C_NULL)), Ref(Csize_t(0))
    try
        enqueue()
        check(C.cuc_stream_get_capture_nodes(raw, 1, count, stream))
    catch
        C.cuc_stream_cancel_capture(stream)
        rethrow()
    end
    close(Graph(made(out -> C.cuc_stream_end_capture(out, stream), C.cuc_graph))) # the same graph
    raw[] == C_NULL && throw(invalid("nothing was put on the stream, so there is no node"))
    Node(raw[], it)
end

Base.length(it::Graph) = Int(given(out -> C.cuc_graph_get_node_count(out, it), Csize_t))

"""All nodes, in the driver's order."""
function nodes(it::Graph)
    found = Vector{Ptr{C.cuc_node}}(undef, length(it))
    check(C.cuc_graph_get_nodes(found, length(found), it))
    [Node(each, it) for each in found]
end

"""Pairs of nodes; the second starts after the first completes."""
function edges(it::Graph)
    count = given(out -> C.cuc_graph_get_edge_count(out, it), Csize_t)
    from, to = Vector{Ptr{C.cuc_node}}(undef, count), Vector{Ptr{C.cuc_node}}(undef, count)
    check(C.cuc_graph_get_edges(from, to, count, it))
    [Node(a, it) => Node(b, it) for (a, b) in zip(from, to)]
end

"""Keep a buffer used by nodes alive as long as the graph and its instances."""
keep(it::Graph, buffer::Buffer) = (check(C.cuc_graph_keep_buffer(it, buffer)); it)
keep(it::Graph, array::DeviceArray) = keep(it, array.buffer)

# ---- conditional nodes ----

const CONDITIONALS = (if_then = (C.CUC_CONDITIONAL_IF, 1), if_else = (C.CUC_CONDITIONAL_IF, 2),
                      while_loop = (C.CUC_CONDITIONAL_WHILE, 1), switch = (C.CUC_CONDITIONAL_SWITCH, 0))

defaulted(::Nothing) = (0, 0)
defaulted(value::Integer) = (value, C.CUC_CONDITION_ASSIGN_DEFAULT)

"""
    condition(graph; default = nothing)
    condition(stream; default = nothing)

Create the condition of one conditional node, in the graph or in the stream's capture.
Kernels take it as an argument and set it. Each launch resets it to the default value;
without a default it keeps the value that the previous launch left.
"""
condition(it::Graph; default::Union{Nothing,Integer} = nothing) =
    given(out -> C.cuc_graph_condition_create(out, it, defaulted(default)...), UInt64)
condition(it::Stream; default::Union{Nothing,Integer} = nothing) =
    given(out -> C.cuc_stream_condition_create(out, it, defaulted(default)...), UInt64)

"""
    conditional(stream, kind, condition, count = 1)

Add a conditional node to a capturing stream, such as in [`node`](@ref), and return its
graphs for the caller to fill. `:if_then` runs its graph if the condition is nonzero,
`:if_else` has a second graph for 0, `:while_loop` repeats its graph until the condition is
0, and `:switch` has `count` graphs and runs the one whose index from 0 is the condition.
"""
function conditional(stream::Stream, kind::Symbol, condition::UInt64, count::Integer = 1)
    type, fixed = number(CONDITIONALS, "kind", kind)
    count = fixed == 0 ? count : fixed
    raw = fill(Ptr{C.cuc_graph}(C_NULL), count)
    check(C.cuc_stream_add_conditional(raw, count, stream, condition, type))
    map(Graph, raw)
end

# ---- instances ----

instantiate(it::Graph) =
    GraphExec(made(out -> C.cuc_graph_instantiate(out, it, C_NULL), C.cuc_graph_exec))

launch(stream::Stream, it::GraphExec) = (check(C.cuc_graph_exec_launch(stream, it)); nothing)

"""Update arguments and launch shapes from a graph with the same nodes."""
update!(it::GraphExec, from::Graph) = (check(C.cuc_graph_exec_update(it, from)); it)

"""Enable or disable a node of the source graph in later launches: a kernel, a copy or a fill."""
enable!(it::GraphExec, which::Node, on::Bool = true) =
    (check(C.cuc_graph_exec_set_enabled(it, alive(which), on)); it)

"""True if launches run the node."""
isenabled(it::GraphExec, which::Node) =
    given(out -> C.cuc_graph_exec_get_enabled(out, it, alive(which)), Int32) != 0
