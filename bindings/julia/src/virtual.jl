# Virtual memory: buffers that grow without a copy.

const LOCATIONS = (device = C.CUC_LOCATION_NONE, host = C.CUC_LOCATION_HOST, host_numa = C.CUC_LOCATION_HOST_NUMA,
                   host_numa_current = C.CUC_LOCATION_HOST_NUMA_CURRENT)

const VIRTUAL_FLAGS = (ipc = C.CUC_MEMORY_VIRTUAL_IPC, read_only = C.CUC_MEMORY_VIRTUAL_READ_ONLY,
                       peers_read_only = C.CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY, rdma = C.CUC_MEMORY_VIRTUAL_RDMA,
                       fine = C.CUC_MEMORY_VIRTUAL_FINE)

"""
    virtual_memory(device = Device(); options...)

A resource whose buffers, `Buffer(stream, bytes; resource = it)`, can [`grow`](@ref). Memory
is allocated in units of [`granularity`](@ref) bytes; freeing waits for the buffer's stream.

`reserve_bytes` is the address space reserved per buffer for growth (0: just its size), and
`align` its alignment, a power of two. `peers` are other devices with access. `location` is
`:device`, `:host`, `:host_numa` of `numa_id`, or `:host_numa_current`. `ipc` lets other
processes import the memory through [`export_pieces`](@ref); `read_only` and
`peers_read_only` restrict its own device and the peers to reading; `rdma` grants access to
other devices on the bus; `fine` selects the smallest allocation unit.
"""
function virtual_memory(device::Device = Device(); reserve_bytes::Integer = 0, align::Integer = 0, peers = (),
                        location::Symbol = :device, numa_id::Integer = 0, given...)
    theirs = Ptr{C.cuc_device}[peer.raw for peer in peers]
    options = Ref(struct_of(C.cuc_memory_virtual_options;
        reserve_bytes = reserve_bytes, align = align, peers = pointer(theirs), peer_count = length(theirs),
        location = C.cuc_memory_location(number(LOCATIONS, "location", location), numa_id),
        flags = flags_of(VIRTUAL_FLAGS, given)))
    GC.@preserve theirs MemoryResource(
        made(out -> C.cuc_memory_virtual_create(out, device, options), C.cuc_memory_resource))
end

"""The allocation unit of virtual memory in bytes."""
granularity(it::MemoryResource) = Int(given(out -> C.cuc_memory_get_granularity(out, it), Csize_t))

"""
    grow(buffer, bytes)

Return a buffer of another size over the memory of a [`virtual_memory`](@ref) buffer, with
its contents, at the same address if enough was reserved. The old buffer stays valid; close
each one separately.
"""
grow(it::Buffer, bytes::Integer) = Buffer(made(out -> C.cuc_buffer_grow(out, it, bytes), C.cuc_buffer))

"""
    MemoryPiece(fd, bytes)

One physical allocation of a buffer, for another process. `close()` closes the file
descriptor; the collector does not.
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

Return the [`MemoryPiece`](@ref)s of a buffer from `virtual_memory(ipc = true)`: one, plus
one for each growth. Send their file descriptors to a child or over a Unix socket, with their
sizes and the buffer's. The caller closes them; the second form closes them when the
function returns.
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
    import_pieces(stream, resource, pieces, bytes)

Map another process's memory as a buffer of that many bytes, at addresses of a
[`virtual_memory`](@ref) resource of this process with the same options. The caller must
still close the pieces. If the buffer grows, it grows with memory of this process.
"""
function import_pieces(stream::Stream, resource::MemoryResource, pieces, bytes::Integer)
    raw = C.cuc_memory_piece[struct_of(C.cuc_memory_piece; bytes = each.bytes, fd = reinterpret(Int32, each.fd))
                             for each in pieces]
    Buffer(made(out -> C.cuc_buffer_from_pieces(out, stream, resource, raw, length(raw), bytes), C.cuc_buffer))
end
