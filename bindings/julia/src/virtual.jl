# Virtual memory: buffers that grow without a copy.

const LOCATIONS = (device = C.CUC_LOCATION_NONE, host = C.CUC_LOCATION_HOST, host_numa = C.CUC_LOCATION_HOST_NUMA,
                   host_numa_current = C.CUC_LOCATION_HOST_NUMA_CURRENT)

const VIRTUAL_FLAGS = (ipc = C.CUC_MEMORY_VIRTUAL_IPC, read_only = C.CUC_MEMORY_VIRTUAL_READ_ONLY,
                       peers_read_only = C.CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY, rdma = C.CUC_MEMORY_VIRTUAL_RDMA,
                       fine = C.CUC_MEMORY_VIRTUAL_FINE)

"""
    virtual_memory(device = Device(); options...)

A resource whose buffers, `Buffer(stream, bytes; resource = it)`, can [`grow`](@ref). Allocating takes whole pieces of
[`granularity`](@ref) bytes, and freeing waits for the buffer's stream.

`reserve_bytes` are addresses for each buffer to grow into (0: as many as it takes), and `align` theirs, a power of two; `peers`
are other devices that reach the memory, and `location` where it is: `:device`, `:host`, `:host_numa` of `numa_id`, or
`:host_numa_current`. With `ipc` other processes can have it, by [`export_pieces`](@ref); with `read_only` its own device only
reads it, with `peers_read_only` the peers do; with `rdma` other devices of the bus reach it; with `fine` it comes in the least
pieces that there are.
"""
function virtual_memory(device::Device = Device(); reserve_bytes::Integer = 0, align::Integer = 0, peers = (),
                        location::Symbol = :device, numa_id::Integer = 0, given...)
    theirs = Ptr{C.cuc_device}[peer.raw for peer in peers]
    options = Ref(struct_of(C.cuc_memory_virtual_options;
        reserve_bytes = reserve_bytes, align = align, peers = pointer(theirs), peer_count = length(theirs),
        location = C.cuc_memory_location(number(LOCATIONS, "location", location), numa_id),
        flags = flags_of(VIRTUAL_FLAGS, given)))
    GC.@preserve theirs MemoryResource(
        made(out -> C.cuc_memory_virtual(out, device, options), C.cuc_memory_resource))
end

"""The bytes of the pieces that virtual memory is allocated in."""
granularity(it::MemoryResource) = Int(given(out -> C.cuc_memory_get_granularity(out, it), Csize_t))

"""
    grow(buffer, bytes)

A buffer of another size over the memory of one of [`virtual_memory`](@ref), with its contents: at the same address where so
much was reserved. The old one stays as it is, and each is closed by itself.
"""
grow(it::Buffer, bytes::Integer) = Buffer(made(out -> C.cuc_buffer_grow(out, it, bytes), C.cuc_buffer))

"""
    MemoryPiece(fd, bytes)

A piece of a buffer's memory, as another process can have it. `close()` closes the file descriptor; the collector does not.
"""
struct MemoryPiece
    fd::RawFD
    bytes::Int
end

Base.close(it::MemoryPiece) = (ccall(:close, Cint, (Cint,), reinterpret(Int32, it.fd)); nothing)

"""
    export_pieces(buffer)
    export_pieces(buffer) do pieces
        ...
    end

The [`MemoryPiece`](@ref)s behind a buffer of `virtual_memory(ipc = true)`: one, and one more for each growth. Their file
descriptors go to a child or over a Unix socket, with their bytes and the buffer's. The caller closes them; the second form does
when the function is done.
"""
function export_pieces(it::Buffer)
    count = Ref(Csize_t(0))
    check(C.cuc_buffer_export_pieces(C_NULL, 0, count, it))
    raw = fill(zero_of(C.cuc_memory_piece), count[])
    check(C.cuc_buffer_export_pieces(raw, length(raw), count, it))
    [MemoryPiece(RawFD(each.fd), each.bytes) for each in raw]
end

function export_pieces(f::Function, it::Buffer)
    pieces = export_pieces(it)
    try
        return f(pieces)
    finally
        foreach(close, pieces)
    end
end

"""
    import_pieces(pieces, resource, bytes, stream)

A buffer, of so many bytes, over another process's memory, at addresses of a [`virtual_memory`](@ref) of this process with the
same options. The pieces stay the caller's, to be closed. It grows by memory of its own.
"""
function import_pieces(pieces, resource::MemoryResource, bytes::Integer, stream::Stream)
    raw = C.cuc_memory_piece[struct_of(C.cuc_memory_piece; bytes = each.bytes, fd = reinterpret(Int32, each.fd))
                             for each in pieces]
    Buffer(made(out -> C.cuc_buffer_import_pieces(out, resource, raw, length(raw), bytes, stream), C.cuc_buffer))
end
