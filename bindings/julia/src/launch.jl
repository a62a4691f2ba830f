# Launches.

"""Return the value of an argument as the eight bytes of a cuc_arg."""
function bits(value::T) where {T}
    place = Ref(UInt64(0))
    GC.@preserve place unsafe_store!(Ptr{T}(pointer_from_objref(place)), value)
    place[]
end

"""
    Opaque(value)

A struct passed to a kernel by value.
"""
struct Opaque{T}
    value::Base.RefValue{T}
    function Opaque(value::T) where {T}
        isbitstype(T) || throw(ArgumentError("$T is not a plain value, which a kernel takes"))
        new{T}(Ref(value))
    end
end

# Convert an argument to an object that lives as long as the launch.
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

# Describe such an object to C.
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

Launch a kernel in stream order. `grid` and `block` are numbers or tuples; a tile kernel
determines its block, and usually its grid. Numbers are passed with their types (a literal
2.0 is a double, 1 has 64 bits) and checked against the kernel. Arrays are passed as
addresses, or as tensors to a tile kernel.

Memory must live until the work that uses it is done: keep the arrays, or wait.
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

Run a kernel of a tile program on the CPU: slow but exact, without a driver. Tensors wrap
Julia arrays.
"""
function interpret(it::Program, kernel::AbstractString, arguments...)
    holders = map(holder, arguments)
    GC.@preserve holders arguments begin
        list = C.cuc_arg[argument(each) for each in holders]
        check(C.cuc_tile_interpret(it, String(kernel), list, length(list), C_NULL))
    end
    nothing
end
