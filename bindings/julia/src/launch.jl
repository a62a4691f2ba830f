# Launches.

"""The value of an argument in the eight bytes of a cuc_arg."""
function bits(value::T) where {T}
    place = Ref(UInt64(0))
    GC.@preserve place unsafe_store!(Ptr{T}(pointer_from_objref(place)), value)
    place[]
end

"""
    Opaque(value)

A struct that is passed to a kernel by its bytes.
"""
struct Opaque{T}
    value::Base.RefValue{T}
    function Opaque(value::T) where {T}
        isbitstype(T) || throw(ArgumentError("$T is not a plain value, which a kernel takes"))
        new{T}(Ref(value))
    end
end

# What becomes of an argument before the launch: something that lives as long as that, ...
holder(x) = dtype(typeof(x)) != C.CUC_DTYPE_UNKNOWN && sizeof(x) <= 8 ? x :
            isbitstype(typeof(x)) ? Opaque(x) :
            throw(ArgumentError("a kernel takes no $(typeof(x)): numbers, buffers, arrays, " *
                                "tensors and plain structs are expected"))
holder(x::Ptr) = x
holder(x::Opaque) = x
holder(x::Buffer) = x
holder(x::DeviceArray) = x.buffer
holder(x::Tensor) = Ref(x.raw)
holder(x::Handle) = throw(ArgumentError("a kernel takes no $(typeof(x))"))

# ... and what C is told of it.
pointed_to(type, at, bytes) = C.cuc_arg(type, bytes, UInt64(UInt(at)))
argument(x::T) where {T} = C.cuc_arg(dtype(T), sizeof(T), bits(x))
argument(x::Ptr) = pointed_to(C.CUC_ARG_POINTER, x, 8)
argument(x::Opaque{T}) where {T} =
    pointed_to(C.CUC_ARG_BYTES, Base.unsafe_convert(Ptr{T}, x.value), sizeof(T))
argument(x::Buffer) = pointed_to(C.CUC_ARG_BUFFER, x.raw, 8)
argument(x::Base.RefValue{C.cuc_tensor}) =
    pointed_to(C.CUC_ARG_TENSOR, Base.unsafe_convert(Ptr{C.cuc_tensor}, x), 8)

function extents(what, given)
    given isa Integer && return extents(what, (given,))
    1 <= length(given) <= 3 || throw(invalid("$what has $(length(given)) extents, not one to three"))
    ntuple(i -> i <= length(given) ? UInt32(given[i]) : UInt32(1), 3)
end

"""
    launch(stream, kernel, arguments...; grid, block, shared = 0, cluster, cooperative = false)

Launch a kernel in stream order. `grid` and `block` are numbers or tuples; a tile kernel has its block, and mostly its
grid, of its own. Numbers are passed by their types (a literal 2.0 is a double, 1 is of 64 bits), and
checked against the kernel; arrays by their addresses, to a tile kernel as tensors.

What work uses must live until it is done: keep arrays, or wait.
"""
function launch(stream::Stream, it::Kernel, arguments...; grid = nothing, block = nothing,
                shared::Integer = 0, cluster = nothing, cooperative::Bool = false)
    none = (UInt32(0), UInt32(0), UInt32(0))
    config = grid === nothing ? C_NULL : Ref(struct_of(C.cuc_launch_config;
        grid = extents("the grid", grid),
        block = block === nothing ? none : extents("the block", block),
        cluster = cluster === nothing ? none : extents("the cluster", cluster),
        shared_bytes = shared, flags = cooperative ? C.CUC_LAUNCH_COOPERATIVE : 0))
    if grid === nothing && !(block === nothing && shared == 0 && cluster === nothing && !cooperative)
        throw(ArgumentError("a launch with a block, shared memory or clusters takes a grid, too"))
    end
    holders = map(holder, arguments)
    GC.@preserve holders begin
        list = C.cuc_arg[argument(each) for each in holders]
        check(C.cuc_launch(stream, config, it, list, length(list)))
    end
    nothing
end

"""
    interpret(program, kernel, arguments...)

Run a kernel of a tile program on the CPU, slow and exact, without a driver. Tensors are of Julia arrays.
"""
function interpret(it::Program, kernel::AbstractString, arguments...)
    holders = map(holder, arguments)
    GC.@preserve holders arguments begin
        list = C.cuc_arg[argument(each) for each in holders]
        check(C.cuc_tile_interpret(it, String(kernel), list, length(list), C_NULL))
    end
    nothing
end
