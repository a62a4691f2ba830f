# Graphs.

@handle Graph cuc_graph """
    Graph(device = Device())

Work and its order: without nodes, to be put together by [`node`](@ref), or captured by [`capture`](@ref).
"""
@handle GraphExec cuc_graph_exec "An instance of a graph, which `launch(stream, exec)` launches as one."

Graph(device::Device = Device()) = Graph(made(out -> C.cuc_graph_create(out, device), C.cuc_graph))

"""A node of a graph, which it holds."""
struct Node
    raw::Ptr{C.cuc_node}
    graph::Graph
end

Base.:(==)(a::Node, b::Node) = a.raw == b.raw
Base.hash(it::Node, h::UInt) = hash(it.raw, h)
Base.unsafe_convert(::Type{Ptr{C.cuc_node}}, it::Node) = it.raw

const NODE_KINDS = Dict(getfield(C, each) => Symbol(lowercase(string(each)[10:end]))
                        for each in names(C; all = true) if startswith(string(each), "CUC_NODE_"))

# The driver frees a graph, and its nodes with it, when a capture into it ends badly.
function alive(it::Node)
    C.cuc_graph_handle(it.graph) == C_NULL && length(it.graph) # throws, and says why
    it.raw
end

"""Such as :kernel."""
kind(it::Node) =
    GC.@preserve it get(NODE_KINDS, given(out -> C.cuc_node_get_type(out, alive(it)), Int32), :unknown)

"""
    capture(stream) do
        ...
    end

The [`Graph`](@ref) of what the function puts on the stream; nothing of it runs. Calls that wait are refused
meanwhile.
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

Add what the function puts on the stream behind nodes of the graph; nothing of it runs. The [`Node`](@ref) is that of
the work put there last.
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
    close(Graph(made(out -> C.cuc_stream_end_capture(out, stream), C.cuc_graph))) # the same one
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

"""Pairs of nodes, of which the second begins when the first has ended."""
function edges(it::Graph)
    count = given(out -> C.cuc_graph_get_edge_count(out, it), Csize_t)
    from, to = Vector{Ptr{C.cuc_node}}(undef, count), Vector{Ptr{C.cuc_node}}(undef, count)
    check(C.cuc_graph_get_edges(from, to, count, it))
    [Node(a, it) => Node(b, it) for (a, b) in zip(from, to)]
end

"""Keep a buffer that nodes use as long as the graph and what was made of it."""
keep(it::Graph, buffer::Buffer) = (check(C.cuc_graph_keep_buffer(it, buffer)); it)
keep(it::Graph, array::DeviceArray) = keep(it, array.buffer)

# ---- nodes that decide ----

const CONDITIONALS = (if_then = (C.CUC_CONDITIONAL_IF, 1), if_else = (C.CUC_CONDITIONAL_IF, 2),
                      while_loop = (C.CUC_CONDITIONAL_WHILE, 1), switch = (C.CUC_CONDITIONAL_SWITCH, 0))

defaulted(::Nothing) = (0, 0)
defaulted(value::Integer) = (value, C.CUC_CONDITION_ASSIGN_DEFAULT)

"""
    condition(graph; default = nothing)
    condition(stream; default = nothing)

What a conditional node of the graph, or of what the stream captures, goes by: an argument of kernels, which set it. It
has the default value when a launch begins; without one, what the launch before has left.
"""
condition(it::Graph; default::Union{Nothing,Integer} = nothing) =
    given(out -> C.cuc_graph_create_condition(out, it, defaulted(default)...), UInt64)
condition(it::Stream; default::Union{Nothing,Integer} = nothing) =
    given(out -> C.cuc_stream_create_condition(out, it, defaulted(default)...), UInt64)

"""
    conditional(stream, kind, condition, count = 1)

Put a conditional node on a stream that is captured, such as in [`node`](@ref): its graphs, to be filled. A `kind` of
`:if_then` runs its one unless the condition is 0, `:if_else` the second if it is, `:while_loop` its one until it is,
`:switch` that of `count` whose number it is, from 0 on.
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

launch(stream::Stream, it::GraphExec) = (check(C.cuc_graph_exec_launch(it, stream)); nothing)

"""Take the arguments and shapes of another graph of the same nodes."""
update!(it::GraphExec, from::Graph) = (check(C.cuc_graph_exec_update(it, from)); it)

"""Let launches pass over a node of the graph that it was made of, or run it again: a kernel, a copy or a fill."""
enable!(it::GraphExec, which::Node, on::Bool = true) =
    (check(C.cuc_graph_exec_set_enabled(it, alive(which), on)); it)

"""Whether launches run a node."""
isenabled(it::GraphExec, which::Node) =
    given(out -> C.cuc_graph_exec_get_enabled(out, it, alive(which)), Int32) != 0
