# Buffers, arrays and tensors.

@handle Buffer cuc_buffer """
    Buffer(stream, bytes; kind = :device, resource = nothing)

Memory that a device can access, freed in the order of its stream. The host can also access
memory of the `kind` `:pinned` or `:managed`: `unsafe_wrap(Array{Float32}, buffer, dims)`
views it as a Julia array, which keeps the buffer alive. `resource`, if given, allocates the
memory.
"""

@handle MemoryResource cuc_memory_resource "An allocator of buffers."

const KINDS = (device = C.CUC_MEMORY_DEVICE, pinned = C.CUC_MEMORY_PINNED,
               managed = C.CUC_MEMORY_MANAGED)

function Buffer(stream::Stream, bytes::Integer; kind::Symbol = :device,
                resource::Union{Nothing,MemoryResource} = nothing)
    haskey(KINDS, kind) || throw(ArgumentError("kind is $kind: one of $(keys(KINDS)) is expected"))
    from = resource !== nothing ? resource : kind === :device ? C_NULL : memory(Device(stream), kind)
    Buffer(made(out -> C.cuc_buffer_create(out, stream, from, bytes), C.cuc_buffer))
end

memory(device::Device, kind::Symbol) = MemoryResource(
    made(out -> C.cuc_memory_synchronous_create(out, device, KINDS[kind]), C.cuc_memory_resource))

bytes(it::Buffer) = Int(C.cuc_buffer_bytes(it))

"""The address on the device."""
Base.pointer(it::Buffer) = C.cuc_buffer_ptr(it)

"""A slice of a buffer from a byte offset, which keeps the whole buffer alive."""
Base.view(it::Buffer, offset::Integer, length::Integer) =
    Buffer(made(out -> C.cuc_buffer_slice(out, it, offset, length), C.cuc_buffer))

"""Set every byte, in stream order."""
fill_bytes!(stream::Stream, it::Buffer, value::UInt8) =
    (check(C.cuc_buffer_fill(stream, it, 0, value, 1, bytes(it))); it)

function check_room(it::Buffer, ::Type{T}, dims) where {T}
    all(extent -> extent >= 0, dims) || throw(invalid("an array of $(join(dims, " x ")) has an extent below 0"))
    length = foldl(Base.checked_mul, dims; init = sizeof(T))
    length <= bytes(it) ||
        throw(invalid("an array of $(join(dims, " x ")) $T takes $length bytes, the buffer has $(bytes(it))"))
end

"""
    unsafe_wrap(Array{T}, buffer, dims)

View the memory of a pinned or managed buffer as an array, without a copy; it keeps the
buffer alive. Unsafe because nothing orders accesses of the host with those of a device.
"""
function Base.unsafe_wrap(::Type{Array{T}}, it::Buffer, dims::NTuple{N,Integer}) where {T,N}
    check_room(it, T, dims)
    at = made(out -> C.cuc_buffer_get_host_pointer(out, it), Cvoid)
    array = unsafe_wrap(Array, Ptr{T}(at), dims)
    finalizer(_ -> (it; nothing), array) # keeps the buffer alive
    array
end
Base.unsafe_wrap(kind::Type{<:Array}, it::Buffer, n::Integer) = unsafe_wrap(kind, it, (n,))

const DTYPES = (Bool => C.CUC_BOOL, Int8 => C.CUC_I8, Int16 => C.CUC_I16, Int32 => C.CUC_I32,
                Int64 => C.CUC_I64, UInt8 => C.CUC_U8, UInt16 => C.CUC_U16, UInt32 => C.CUC_U32,
                UInt64 => C.CUC_U64, Float16 => C.CUC_F16, Float32 => C.CUC_F32,
                Float64 => C.CUC_F64, ComplexF32 => C.CUC_C64, ComplexF64 => C.CUC_C128)

"""The element type of a Julia type; `CUC_DTYPE_UNKNOWN` for a struct. Extend it for your own
types."""
dtype(::Type) = C.CUC_DTYPE_UNKNOWN
for (type, value) in DTYPES
    @eval dtype(::Type{$type}) = $value
end

"""
    DeviceArray{T}(stream, dims)
    DeviceArray(stream, array)
    DeviceArray{T}(buffer, dims)

An array in device memory, column-major as in Julia: uninitialized, a copy of a Julia array
(complete on return), or the start of a buffer. `Array(stream, it)` copies it back, and
`copyto!(it, stream, array)` writes it.
"""
struct DeviceArray{T,N}
    buffer::Buffer
    dims::NTuple{N,Int}

    function DeviceArray{T}(stream::Stream, dims::NTuple{N,Integer}) where {T,N}
        check_plain(T)
        new{T,N}(Buffer(stream, prod(dims) * sizeof(T)), dims)
    end
    function DeviceArray{T}(buffer::Buffer, dims::NTuple{N,Integer}) where {T,N}
        check_plain(T)
        check_room(buffer, T, dims)
        new{T,N}(buffer, dims)
    end
end

check_plain(::Type{T}) where {T} =
    isbitstype(T) || throw(ArgumentError("$T is not a plain value, which a device takes"))

DeviceArray{T}(from::Union{Stream,Buffer}, dims::Integer...) where {T} = DeviceArray{T}(from, dims)
DeviceArray(stream::Stream, from::Array{T}) where {T} =
    copyto!(DeviceArray{T}(stream, size(from)), stream, from)

Base.size(it::DeviceArray) = it.dims
Base.length(it::DeviceArray) = prod(it.dims)
Base.eltype(::DeviceArray{T}) where {T} = T
Base.show(io::IO, it::DeviceArray{T}) where {T} =
    print(io, "DeviceArray{", T, "}(", join(it.dims, " x "), ")")
Base.close(it::DeviceArray) = close(it.buffer)

function same_size(it, host)
    size(it) == size(host) ||
        throw(DimensionMismatch("the device's array is $(size(it)), the host's $(size(host))"))
end

function Base.copyto!(it::DeviceArray{T}, stream::Stream, from::Array{T}) where {T}
    same_size(it, from)
    GC.@preserve from begin
        check(C.cuc_buffer_write_async(stream, it.buffer, 0, pointer(from), sizeof(from)))
        synchronize(stream)
    end
    it
end

function Base.copyto!(to::Array{T}, stream::Stream, it::DeviceArray{T}) where {T}
    same_size(it, to)
    GC.@preserve to begin
        check(C.cuc_buffer_read_async(stream, pointer(to), it.buffer, 0, sizeof(to)))
        synchronize(stream)
    end
    to
end

Base.Array(stream::Stream, it::DeviceArray{T,N}) where {T,N} =
    copyto!(Array{T,N}(undef, it.dims), stream, it)

"""
    Tensor(device_array)
    Tensor(array)

An argument of tile kernels. Its dimensions are the array's; strides express Julia's
column-major order. It keeps the array alive. A tensor of a Julia array is for
[`interpret`](@ref).
"""
struct Tensor
    raw::C.cuc_tensor
    owner::Any
end

function Base.show(io::IO, it::Tensor)
    own(values) = join(values[1:it.raw.rank], " x ")
    print(io, "Tensor(", unsafe_string(C.cuc_dtype_name(it.raw.dtype)), ", ", own(it.raw.shape), ", strides ",
          own(it.raw.strides), ")")
end

function tensor(data, ::Type{T}, dims::NTuple{N,Int}, device, flags, owner) where {T,N}
    N <= C.CUC_TENSOR_MAX_RANK || throw(invalid("a tensor has at most 8 dimensions, not $N"))
    padded(values) = ntuple(i -> i <= N ? Int64(values[i]) : Int64(0), 8)
    strides = cumprod([1, dims...])
    raw = struct_of(C.cuc_tensor; data = data, dtype = dtype(T), rank = N, device = device,
                    flags = flags, shape = padded(dims), strides = padded(strides))
    check(C.cuc_tensor_check(Ref(raw)))
    Tensor(raw, owner)
end

function Tensor(it::DeviceArray{T}) where {T}
    whole = Ref(zero_of(C.cuc_tensor)) # covers the device, and pinned or managed memory
    check(C.cuc_tensor_from_buffer(whole, it.buffer, dtype(T), 1, Ref(Int64(length(it)))))
    tensor(whole[].data, T, it.dims, whole[].device, whole[].flags, it)
end

Tensor(it::Array{T}) where {T} = tensor(UInt64(UInt(pointer(it))), T, size(it), -1, 0, it)
