# Graphs.

@handle Graph cuc_graph "What was captured: see [`capture`](@ref)."
@handle GraphExec cuc_graph_exec "An instance of a graph, which `launch(stream, exec)` launches as one."

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

Base.length(it::Graph) = Int(given(out -> C.cuc_graph_get_node_count(out, it), Csize_t))

"""Keep a buffer that nodes use as long as the graph and what was made of it."""
keep(it::Graph, buffer::Buffer) = (check(C.cuc_graph_keep_buffer(it, buffer)); it)
keep(it::Graph, array::DeviceArray) = keep(it, array.buffer)

instantiate(it::Graph) =
    GraphExec(made(out -> C.cuc_graph_instantiate(out, it, C_NULL), C.cuc_graph_exec))

launch(stream::Stream, it::GraphExec) = (check(C.cuc_graph_exec_launch(it, stream)); nothing)
