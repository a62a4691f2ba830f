# Partitions of a device: splitting its multiprocessors, and green contexts.

@handle GreenContext cuc_green_context """
    GreenContext(parts...)
    GreenContext(f, parts...)

A part of a device: groups and the remainder of one split, or all [`Multiprocessors`](@ref).
Work on its streams, `Stream(context)`, runs only on these multiprocessors; memory, code and
events belong to the device. The second form, with `do`, passes the context to `f` and
closes it; streams keep it alive.
"""

"""
    Multiprocessors(device = Device())
    Multiprocessors(context)

All multiprocessors of a device, or those of a [`GreenContext`](@ref): a value that owns nothing.
`length(it)` is their number, and [`split`](@ref) divides them into groups.
"""
struct Multiprocessors
    raw::C.cuc_sms
    device::Device
end

Multiprocessors(device::Device = Device()) =
    Multiprocessors(given(out -> C.cuc_device_get_sms(out, device), C.cuc_sms), device)
Multiprocessors(it::GreenContext) =
    Multiprocessors(given(out -> C.cuc_green_context_get_sms(out, it), C.cuc_sms), Device(it))

Base.length(it::Multiprocessors) = Int(it.raw.count)
Base.show(io::IO, it::Multiprocessors) = print(io, "Multiprocessors(", length(it), " of ", it.device, ")")
Device(it::Multiprocessors) = it.device

"""The smallest possible group size; 0 if the driver (before CUDA 13.0) does not report it."""
least(it::Multiprocessors) = Int(it.raw.least)

"""The number that group sizes are multiples of; 0 if the driver (before CUDA 13.0) does not
report it."""
alignment(it::Multiprocessors) = Int(it.raw.alignment)

const SPLIT_FLAGS = (any = C.CUC_SMS_ANY, max_cluster = C.CUC_SMS_MAX_CLUSTER)

"""
    split(multiprocessors, least = 0; limit = 0, any = false, max_cluster = false)

Split into equal groups of at least `least` multiprocessors (0: the smallest possible), and
return the groups, and the remainder or `nothing`. `limit` bounds the number of groups; 0: as
many as possible. `any` allows smaller groups, possibly without support for large clusters;
`max_cluster` makes groups that support the largest clusters. Groups and remainders cannot be
split again.
"""
function Base.split(it::Multiprocessors, least::Integer = 0; limit::Integer = 0, given...)
    least >= 0 && limit >= 0 ||
        throw(invalid("groups of $least multiprocessors, at most $limit of them: 0 or more are expected"))
    most = limit == 0 ? length(it) : min(limit, length(it)) # at most one group per multiprocessor
    raw, rest = fill(zero_of(C.cuc_sms), most), Ref(zero_of(C.cuc_sms))
    count, from = Ref(UInt32(most)), Ref(it.raw)
    check(C.cuc_sms_split(raw, count, rest, from, least, flags_of(SPLIT_FLAGS, given)))
    groups = [Multiprocessors(each, it.device) for each in raw[1:count[]]]
    groups, rest[].count == 0 ? nothing : Multiprocessors(rest[], it.device)
end

function GreenContext(part::Multiprocessors, others::Multiprocessors...)
    raw = C.cuc_sms[each.raw for each in (part, others...)]
    GreenContext(made(out -> C.cuc_green_context_create(out, part.device, raw, length(raw)), C.cuc_green_context))
end

function GreenContext(f::Function, part::Multiprocessors, others::Multiprocessors...)
    context = GreenContext(part, others...)
    try
        return f(context)
    finally
        close(context)
    end
end

Device(it::GreenContext) = Device(C.cuc_green_context_device(it))

"""The driver's CUgreenCtx, borrowed."""
native(it::GreenContext) = C.cuc_green_context_handle(it)

"""
    Stream(context; priority = 0)
    Stream(f, context; priority = 0)

A stream whose kernels run on the multiprocessors of a [`GreenContext`](@ref), which it
keeps alive.
"""
function Stream(context::GreenContext; priority::Integer = 0)
    options = Ref(struct_of(C.cuc_stream_options; priority = priority))
    Stream(made(out -> C.cuc_green_context_stream_create(out, context, options), C.cuc_stream))
end

Stream(f::Function, context::GreenContext; priority::Integer = 0) =
    with_stream(f, Stream(context; priority = priority))
