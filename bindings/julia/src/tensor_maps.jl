# Tensor maps: descriptors for the Tensor Memory Accelerator (TMA) of compute capability 9.0 and
# later.

const INTERLEAVES = (none = C.CUC_TENSOR_MAP_INTERLEAVE_NONE, bytes16 = C.CUC_TENSOR_MAP_INTERLEAVE_16B,
                     bytes32 = C.CUC_TENSOR_MAP_INTERLEAVE_32B)
const SWIZZLES = (none = C.CUC_TENSOR_MAP_SWIZZLE_NONE, bytes32 = C.CUC_TENSOR_MAP_SWIZZLE_32B,
                  bytes64 = C.CUC_TENSOR_MAP_SWIZZLE_64B, bytes128 = C.CUC_TENSOR_MAP_SWIZZLE_128B,
                  bytes128_atom32 = C.CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
                  bytes128_atom32_flip8 = C.CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
                  bytes128_atom64 = C.CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_64B)
const L2_PROMOTIONS = (none = C.CUC_TENSOR_MAP_L2_NONE, bytes64 = C.CUC_TENSOR_MAP_L2_64B,
                       bytes128 = C.CUC_TENSOR_MAP_L2_128B, bytes256 = C.CUC_TENSOR_MAP_L2_256B)
const FILLS = (zero = C.CUC_TENSOR_MAP_FILL_ZERO, nan = C.CUC_TENSOR_MAP_FILL_NAN)
words(table) = join(["`:$word`" for word in keys(table)], ", ")

"""
    TensorMap(array, box; options...)

A map for copying boxes of a [`DeviceArray`](@ref) or a [`Tensor`](@ref): a kernel argument,
received as `const __grid_constant__ CUtensorMap`. It keeps the array alive. `box` is the number of
elements in each dimension, in the array's order: the first dimension is the contiguous one, and the
first of PTX's coordinates.

| option | |
| --- | --- |
| `steps` | copy every n-th element, per dimension |
| `type` | the element type of the copy: a Julia type, or a name of C's, such as `:tf32` |
| `ftz` | flush subnormals to 0 during the copy |
| `interleave` | the layout of channels: $(words(INTERLEAVES)) |
| `swizzle` | the layout of a box in shared memory: $(words(SWIZZLES)) |
| `l2_promotion` | the size of the L2 accesses that reads are promoted to: $(words(L2_PROMOTIONS)) |
| `fill` | the value read outside the array: $(words(FILLS)) |
"""
mutable struct TensorMap
    raw::C.cuc_tensor_map
    tensor::Tensor
    TensorMap(raw::C.cuc_tensor_map, tensor::Tensor) = new(raw, tensor)
end

const Mappable = Union{Tensor,DeviceArray,Array}
as_tensor(it::Tensor) = it
as_tensor(it) = Tensor(it)

# C's innermost dimension is the last one, so the order is reversed.
function reversed(it::C.cuc_tensor)
    turned(values) = ntuple(i -> i <= it.rank ? values[it.rank + 1 - i] : Int64(0), 8)
    C.cuc_tensor(it.data, it.dtype, it.rank, it.device, it.flags, turned(it.shape), turned(it.strides))
end

function check_range(what, values, ::Type{T}) where {T}
    least, most = Int(typemin(T)), Int(typemax(T))
    all(each -> least <= each <= most, values) || throw(invalid("$what is $values: $least to $most is expected"))
end

# Return a number for each dimension in C's order, padded with zeros to `room` numbers.
function reversed(what, values, count, room, ::Type{T}) where {T}
    length(values) == count ||
        throw(invalid("$what is $values: $count numbers are expected, one for each dimension"))
    check_range(what, values, T)
    ntuple(i -> i <= count ? T(values[count + 1 - i]) : T(0), room)
end

# Throw the error of a failed call. Its message counts dimensions in Julia's order; for `lower` and
# `upper`, it counts only the image's dimensions, without channels and images.
function check_map(status, rank)
    status < 0 || return
    e = last_error()
    message = replace(e.message, r"\b(box|steps|shape|strides|lower|upper)\[\d\]" => function (at)
        what, index = split(chop(at), '[')
        "$what[$((what in ("lower", "upper") ? rank - 2 : rank) - parse(Int, index))]"
    end)
    throw(CuError(e.status, message, e.func, e.library, e.library_code, e.log))
end

type_number(type::Type) = dtype(type)
type_number(type::Symbol) = C.cuc_dtype_from_name(String(type))

function map_options(rank, flags = 0; steps = nothing, type = nothing, ftz::Bool = false,
                     interleave::Symbol = :none, swizzle::Symbol = :none, l2_promotion::Symbol = :none,
                     fill::Symbol = :zero)
    number_of = type === nothing ? C.CUC_DTYPE_UNKNOWN : type_number(type)
    type !== nothing && number_of == C.CUC_DTYPE_UNKNOWN &&
        throw(ArgumentError("type is $type, which is not an element type"))
    Ref(struct_of(C.cuc_tensor_map_options;
        dtype = number_of, interleave = number(INTERLEAVES, "interleave", interleave),
        swizzle = number(SWIZZLES, "swizzle", swizzle), fill = number(FILLS, "fill", fill),
        l2_promotion = number(L2_PROMOTIONS, "l2_promotion", l2_promotion),
        flags = flags | (ftz ? C.CUC_TENSOR_MAP_FTZ : 0),
        steps = steps === nothing ? ntuple(_ -> UInt32(0), 5) : reversed("steps", steps, rank, 5, UInt32)))
end

# Make a map with a call that takes the destination and the tensor.
function map_of(call, tensor::Tensor)
    out, from = Ref(zero_of(C.cuc_tensor_map)), Ref(reversed(tensor.raw))
    check_map(call(out, from), tensor.raw.rank)
    TensorMap(out[], tensor)
end

function TensorMap(array::Mappable, box; given...)
    tensor = as_tensor(array)
    rank = Int(tensor.raw.rank)
    extents = UInt32[reversed("box", box, rank, rank, UInt32)...]
    options = map_options(rank; given...)
    map_of((out, from) -> C.cuc_tensor_map_encode_tiled(out, from, extents, options), tensor)
end

function image_of(lower, upper, rank, channels, pixels)
    # The C function rejects ranks below 3.
    corner(what, given) = reversed(what, given, rank < 3 ? length(given) : rank - 2, 3, Int32)
    check_range("channels", channels, UInt32)
    check_range("pixels", pixels, UInt32)
    Ref(struct_of(C.cuc_tensor_map_image; lower = corner("lower", lower), upper = corner("upper", upper),
                  channels = channels, pixels = pixels))
end

"""
    CuCore.im2col(array, lower, upper, channels, pixels; options...)

A [`TensorMap`](@ref) for copying a column of image pixels, as convolutions need. The
array's dimensions are channels, one to three image dimensions such as width and height, and
images. `lower` and `upper` are corners of the bounding box in the images' dimensions:
offsets from the image's first and last pixel.
"""
function im2col(array::Mappable, lower, upper, channels::Integer, pixels::Integer; given...)
    tensor = as_tensor(array)
    rank = Int(tensor.raw.rank)
    image, options = image_of(lower, upper, rank, channels, pixels), map_options(rank; given...)
    map_of((out, from) -> C.cuc_tensor_map_encode_im2col(out, from, image, options), tensor)
end

"""
    CuCore.im2col_wide(array, lower, upper, channels, pixels; w128 = false, options...)

Like `CuCore.im2col`, but along the image width only; needs compute capability 10.0 and a swizzle.
With `w128` a copy takes 128 pixels.
"""
function im2col_wide(array::Mappable, lower::Integer, upper::Integer, channels::Integer, pixels::Integer;
                     w128::Bool = false, given...)
    tensor = as_tensor(array)
    rank = Int(tensor.raw.rank)
    corner(width) = ntuple(i -> i == 1 ? width : 0, max(rank - 2, 0))
    image = image_of(corner(lower), corner(upper), rank, channels, pixels)
    options = map_options(rank, w128 ? C.CUC_TENSOR_MAP_W128 : 0; given...)
    map_of((out, from) -> C.cuc_tensor_map_encode_im2col_wide(out, from, image, options), tensor)
end

"""
    replace_address!(map, array)

Point a map at another array of the same size, strides and type, for later launches.
"""
function replace_address!(it::TensorMap, array::Mappable)
    other, old = as_tensor(array), it.tensor
    lies(tensor) = (tensor.raw.dtype, tensor.raw.rank, tensor.raw.shape, tensor.raw.strides)
    lies(other) == lies(old) || throw(invalid("the map is of $old, and $other does not lie as that does"))
    changed, to = Ref(it.raw), Ref(other.raw)
    check(C.cuc_tensor_map_replace_address(changed, to))
    it.raw, it.tensor = changed[], other
    it
end

"""The device of the map's array."""
Device(it::TensorMap) = Device(max(it.tensor.raw.device, 0))

Base.show(io::IO, it::TensorMap) = print(io, "TensorMap of ", it.tensor)

holder(x::TensorMap) = Opaque(x.raw)
