# Memory and events of other processes.

"""What names a buffer or an event to another process: 64 bytes, `collect(it.bytes)`, to be sent in any way."""
struct IpcHandle
    bytes::NTuple{64,UInt8}
end

IpcHandle(bytes::AbstractVector{UInt8}) =
    length(bytes) == 64 ? IpcHandle(ntuple(i -> bytes[i], 64)) :
    throw(ArgumentError("a handle has 64 bytes, not $(length(bytes))"))

"""
    shareable_pool(device = Device())

A new pool whose memory other processes can have: `Buffer(stream, bytes; resource = pool)`.
"""
function shareable_pool(device::Device = Device())
    options = Ref(struct_of(C.cuc_memory_pool_options; flags = C.CUC_MEMORY_POOL_IPC))
    MemoryResource(made(out -> C.cuc_memory_pool_create(out, device, options), C.cuc_memory_resource))
end

"""
    export_ipc(pool), export_ipc(buffer), export_ipc(event)

What another process imports it by: of a pool a file descriptor, the caller's to close, which goes over a Unix socket or to a
child; of a buffer or an event an [`IpcHandle`](@ref).
"""
export_ipc(it::MemoryResource) = RawFD(given(out -> C.cuc_memory_pool_export(out, it), Int32))
export_ipc(it::Buffer) = IpcHandle(given(out -> C.cuc_buffer_export(out, it), C.cuc_ipc_handle).bytes)
export_ipc(it::Event) = IpcHandle(given(out -> C.cuc_event_export(out, it), C.cuc_ipc_handle).bytes)

raw_of(it::IpcHandle) = Ref(C.cuc_ipc_handle(it.bytes))

"""
    import_ipc(MemoryResource, fd, device = Device())
    import_ipc(Buffer, handle, pool, bytes, stream)
    import_ipc(Event, handle, device = Device())

Another process's pool, to import its buffers by; its buffer, of so many bytes, which lives there until this one is dropped
and the stream has come that far; its event, to wait for what it has recorded.
"""
import_ipc(::Type{MemoryResource}, fd::RawFD, device::Device = Device()) = MemoryResource(
    made(out -> C.cuc_memory_pool_import(out, device, reinterpret(Int32, fd)), C.cuc_memory_resource))
import_ipc(::Type{Buffer}, handle::IpcHandle, pool::MemoryResource, bytes::Integer, stream::Stream) =
    Buffer(made(out -> C.cuc_buffer_import(out, pool, raw_of(handle), bytes, stream), C.cuc_buffer))
import_ipc(::Type{Event}, handle::IpcHandle, device::Device = Device()) =
    Event(made(out -> C.cuc_event_import(out, device, raw_of(handle)), C.cuc_event))
