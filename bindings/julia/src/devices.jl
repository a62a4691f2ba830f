# Devices, streams and events.

"""
    Device(ordinal = 0)

A device. There is one object per ordinal; it lives as long as the process.
"""
struct Device
    raw::Ptr{C.cuc_device}
end

Device(ordinal::Integer = 0) = Device(made(out -> C.cuc_device_get(out, ordinal), C.cuc_device))

Base.unsafe_convert(::Type{Ptr{C.cuc_device}}, it::Device) = it.raw
Base.show(io::IO, it::Device) = print(io, "Device(", ordinal(it), ", ", name(it), ")")

device_count() = Int(given(out -> C.cuc_device_get_count(out), Int32))
ordinal(it::Device) = Int(C.cuc_device_ordinal(it))
name(it::Device) = unsafe_string(C.cuc_device_name(it))

"""The architecture, such as "sm_90"."""
arch(it::Device) = unsafe_string(C.cuc_device_arch(it))

"""An attribute by its number, such as `CuCore.C.CUC_DEVICE_MULTIPROCESSOR_COUNT`."""
attribute(it::Device, which) = Int(given(out -> C.cuc_device_get_attribute(out, it, which), Int32))

"""Wait for all work of a device or a stream, or for the work that an event recorded; throw its
error if it failed."""
synchronize(it::Device) = (check(C.cuc_device_synchronize(it)); nothing)

@handle Stream cuc_stream """
    Stream(device = Device(); priority = 0)
    Stream(f, device = Device(); priority = 0)

An in-order queue of work on a device. The second form, with `do`, passes the stream to `f`,
waits for its work, and closes it. A stream takes one call at a time: two tasks on two
threads need two streams, or a lock.
"""

function Stream(device::Device = Device(); priority::Integer = 0)
    options = Ref(struct_of(C.cuc_stream_options; priority = priority))
    Stream(made(out -> C.cuc_stream_create(out, device, options), C.cuc_stream))
end

Stream(f::Function, device::Device = Device(); priority::Integer = 0) =
    with_stream(f, Stream(device; priority = priority))

function with_stream(f::Function, stream::Stream)
    try
        result = f(stream)
        synchronize(stream)
        return result
    finally
        close(stream)
    end
end

Device(it::Stream) = Device(C.cuc_stream_device(it))
synchronize(it::Stream) = (check(C.cuc_stream_synchronize(it)); nothing)

"""The driver's CUstream, borrowed."""
native(it::Stream) = C.cuc_stream_handle(it)

"""True once all work of a stream, or the work that an event recorded, is done."""
Base.isready(it::Stream) = check(C.cuc_stream_query(it)) == C.CUC_OK

@handle Event cuc_event """
    Event(device = Device(); timing = false, ipc = false)

A point in a stream. `wait(event)` lets other tasks run while it waits; `synchronize(event)`
blocks the thread. With `ipc`, other processes can import the event, but it cannot measure
time.
"""

function Event(device::Device = Device(); timing::Bool = false, ipc::Bool = false)
    flags = (timing ? C.CUC_EVENT_TIMING : 0) | (ipc ? C.CUC_EVENT_IPC : 0)
    options = Ref(struct_of(C.cuc_event_options; flags = flags))
    Event(made(out -> C.cuc_event_create(out, device, options), C.cuc_event))
end

"""Record the work enqueued on the stream so far."""
record(stream::Stream, event::Event) = (check(C.cuc_event_record(stream, event)); event)

synchronize(it::Event) = (check(C.cuc_event_synchronize(it)); nothing)
Base.isready(it::Event) = check(C.cuc_event_query(it)) == C.CUC_OK

"""Milliseconds between two events, which must both have completed."""
function elapsed(first::Event, last::Event)
    out = Ref(0f0)
    if check(C.cuc_event_get_elapsed(out, first, last)) != C.CUC_OK
        throw(CuError(C.CUC_ERROR_BUSY, "one of the two events has not completed: synchronize the later one first",
                      "cuc_event_get_elapsed", C.CUC_LIBRARY_NONE, 0, ""))
    end
    Float64(out[])
end

function Base.wait(it::Event)
    fd = given(out -> C.cuc_event_get_fd(out, it), Int32)
    try
        FileWatching.poll_fd(RawFD(fd); readable = true)
    finally
        ccall(:close, Cint, (Cint,), fd)
    end
    check(C.cuc_event_query(it)) # also readable if the work failed, which the query reports
    nothing
end

"""Make later work of a stream wait for an event, or for the work now in another stream."""
Base.wait(stream::Stream, event::Event) = (check(C.cuc_stream_wait_event(stream, event)); nothing)
Base.wait(stream::Stream, other::Stream) = (check(C.cuc_stream_wait_stream(stream, other)); nothing)
