# Errors, options, and objects that own a reference.

"""
A failed call. It prints the whole message, with the compiler's log if there is one;
`status` is the C status, such as `CuCore.C.CUC_ERROR_COMPILE`.
"""
struct CuError <: Exception
    status::Int32
    message::String
    func::String      # the C function that failed
    library::Int32    # a CUC_LIBRARY_ value
    library_code::Int32
    log::String
end

Base.showerror(io::IO, e::CuError) = print(io, "CuError: ", e.message)

"""The calling thread's last failure."""
function last_error()
    log = unsafe_string(C.cuc_error_log())
    message = unsafe_string(C.cuc_error_message())
    if !isempty(log) && !occursin(log, message)
        message *= "\n" * log
    end
    CuError(C.cuc_error_status(), message, unsafe_string(C.cuc_error_function()),
            C.cuc_error_library(), C.cuc_error_library_code(), log)
end

invalid(message) = CuError(C.CUC_ERROR_INVALID_ARGUMENT, message, "", C.CUC_LIBRARY_NONE, 0, "")

"""Throw the error of a failed call; return other statuses."""
check(status::Integer) = status < 0 ? throw(last_error()) : status

zero_of(::Type{T}) where {T<:Number} = zero(T)
zero_of(::Type{Ptr{T}}) where {T} = Ptr{T}(C_NULL)
zero_of(::Type{NTuple{N,T}}) where {N,T} = ntuple(_ -> zero_of(T), N)
zero_of(::Type{T}) where {T} = T(map(zero_of, fieldtypes(T))...)

"""
    struct_of(T; fields...)

Make a C struct with the given fields; the others are zero, which selects every default, and
`struct_size` is set. The caller must keep the memory that fields point to.
"""
function struct_of(::Type{T}; given...) where {T}
    for each in keys(given)
        hasfield(T, each) || throw(ArgumentError("$T has no field $each"))
    end
    T(map(fieldnames(T), fieldtypes(T)) do field, kind
        field === :struct_size ? Csize_t(sizeof(T)) :
        haskey(given, field) ? convert(kind, given[field]) : zero_of(kind)
    end...)
end

"""Look up a word in a table."""
number(table, what, word) = haskey(table, word) ? table[word] :
    throw(ArgumentError("$what is $word: one of $(join(keys(table), ", ")) is expected"))

"""Combine the bits of all options that are on."""
flags_of(table, given) =
    reduce(|, (on ? number(table, "an option", word) : UInt32(0) for (word, on) in pairs(given)); init = UInt32(0))

"""An object that owns one reference to a C handle. `close()` releases it before the collector
does."""
abstract type Handle end

# handle(Stream, cuc_stream) defines the type, its finalizer, and its conversion for ccall.
# Finalizers run on any thread and in any order, which the C library allows for releases.
macro handle(type, raw, doc)
    release, pointer = Symbol(raw, :_release), :(Ptr{C.$raw})
    esc(quote
        mutable struct $type <: Handle
            raw::$pointer
            function $type(raw::$pointer)
                raw == C_NULL && throw(ArgumentError("a handle is not NULL"))
                finalizer(close, new(raw))
            end
        end
        @doc $doc $type
        function Base.close(it::$type)
            raw, it.raw = it.raw, $pointer(C_NULL)
            C.$release(raw)
        end
        Base.unsafe_convert(::Type{$pointer}, it::$type) = it.raw
        Base.isopen(it::$type) = it.raw != C_NULL
        Base.:(==)(a::$type, b::$type) = a.raw == b.raw
        Base.hash(it::$type, h::UInt) = hash(it.raw, h)
        Base.show(io::IO, it::$type) = print(io, $(string(type)), "(", it.raw, ")")
    end)
end

"""Return the pointer a C function writes through its first parameter."""
function made(call, ::Type{T}) where {T}
    out = Ref(Ptr{T}(C_NULL))
    check(call(out))
    out[]
end

"""Return the value a C function writes through its first parameter."""
function given(call, ::Type{T}) where {T}
    out = Ref(zero_of(T))
    check(call(out))
    out[]
end
