# Sharing memory and events between processes.

"""Identifies a buffer or event to another process: 64 bytes, `collect(it.bytes)`, which any means
of communication can carry."""
struct IpcHandle
    bytes::NTuple{64,UInt8}
end

IpcHandle(bytes::AbstractVector{UInt8}) =
    length(bytes) == 64 ? IpcHandle(ntuple(i -> bytes[i], 64)) :
    throw(ArgumentError("a handle has 64 bytes, not $(length(bytes))"))

"""
    shareable_pool(device = Device())

Create a pool that other processes can import: `Buffer(stream, bytes; resource = pool)`.
"""
function shareable_pool(device::Device = Device())
    options = Ref(struct_of(C.cuc_memory_pool_options; flags = C.CUC_MEMORY_POOL_IPC))
    MemoryResource(made(out -> C.cuc_memory_pool_create(out, device, options), C.cuc_memory_resource))
end

"""
    export_ipc(pool), export_ipc(buffer), export_ipc(event)

Return a handle for another process. A pool gives a file descriptor, which the caller must
close; send it over a Unix socket or to a child. A buffer or an event gives an
[`IpcHandle`](@ref).
"""
export_ipc(it::MemoryResource) = RawFD(given(out -> C.cuc_memory_pool_export(out, it), Int32))
export_ipc(it::Buffer) = IpcHandle(given(out -> C.cuc_buffer_export(out, it), C.cuc_ipc_handle).bytes)
export_ipc(it::Event) = IpcHandle(given(out -> C.cuc_event_export(out, it), C.cuc_ipc_handle).bytes)

raw_of(it::IpcHandle) = Ref(C.cuc_ipc_handle(it.bytes))

"""
    import_ipc(MemoryResource, fd, device = Device())
    import_ipc(Buffer, stream, pool, handle, bytes)
    import_ipc(Event, handle, device = Device())

Import from another process: a pool, for importing its buffers; a buffer of that many bytes; or
an event, to wait for the work that it recorded. The buffer must stay alive in the other process
until this process's buffer is dropped and the stream has reached the release.
"""
import_ipc(::Type{MemoryResource}, fd::RawFD, device::Device = Device()) = MemoryResource(
    made(out -> C.cuc_memory_pool_from_fd(out, device, reinterpret(Int32, fd)), C.cuc_memory_resource))
import_ipc(::Type{Buffer}, stream::Stream, pool::MemoryResource, handle::IpcHandle, bytes::Integer) =
    Buffer(made(out -> C.cuc_buffer_from_ipc_handle(out, stream, pool, raw_of(handle), bytes), C.cuc_buffer))
import_ipc(::Type{Event}, handle::IpcHandle, device::Device = Device()) =
    Event(made(out -> C.cuc_event_from_ipc_handle(out, device, raw_of(handle)), C.cuc_event))
