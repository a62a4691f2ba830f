# From source to kernels.

@handle ObjectCode cuc_object """
    ObjectCode(kind, code)

Code, such as PTX or a cubin, and its kernels: `kernel(object, name)`.
"""

@handle Kernel cuc_kernel "A kernel of an object, which it keeps alive. See [`launch`](@ref)."

@handle Program cuc_program """
    Program(source; kind = :cuda, options...)

A source of kind `:cuda`, `:ptx` or `:tile`, with its compile options. Options are fields of
the C struct `cuc_program_options`: texts (`name`, `arch`, `std`), numbers and Bools
(`use_fast_math = true`), and lists of texts (`define_macros`, `include_paths`,
`name_expressions`, `constants`, `dimensions`).
"""

const SOURCES = (cuda = C.CUC_SOURCE_CUDA, ptx = C.CUC_SOURCE_PTX, tile = C.CUC_SOURCE_TILE)
const CODES = (ptx = C.CUC_CODE_PTX, cubin = C.CUC_CODE_CUBIN, ltoir = C.CUC_CODE_LTOIR,
               fatbin = C.CUC_CODE_FATBIN, object = C.CUC_CODE_OBJECT, library = C.CUC_CODE_LIBRARY)

"""Return the options struct with texts and lists, and the objects that its pointers refer to."""
function options(::Type{T}, given) where {T}
    fields, kept = Dict{Symbol,Any}(), Any[]
    for (field, value) in given
        if value isa AbstractString
            text = Base.cconvert(Cstring, String(value))
            push!(kept, text)
            Base.containsnul(text) && throw(invalid("$field has a zero byte inside"))
            fields[field] = Ptr{UInt8}(pointer(text))
        elseif value isa Union{AbstractVector,Tuple}
            texts = String[each for each in value]
            any(Base.containsnul, texts) && throw(invalid("$field has a zero byte inside"))
            pointers = Ptr{UInt8}[pointer(text) for text in texts]
            push!(kept, texts, pointers)
            fields[field] = Ptr{Ptr{UInt8}}(pointer(pointers))
            fields[Symbol(chop(string(field)), :_count)] = length(texts)
        else
            fields[field] = value === true ? C.CUC_ON : value === false ? C.CUC_OFF : value
        end
    end
    struct_of(T; fields...), kept
end

function Program(source::AbstractString; kind::Symbol = :cuda, given...)
    text = String(source)
    struct_, kept = options(C.cuc_program_options, given)
    how = Ref(struct_)
    GC.@preserve kept Program(made(C.cuc_program) do out
        C.cuc_program_create(out, number(SOURCES, "kind", kind), text, sizeof(text), how)
    end)
end

"""Return the names of the kernel library's families."""
library_names() = [unsafe_string(C.cuc_library_name(i - 1)) for i in 1:C.cuc_library_count()]

"""Return the tile program of a family of the kernel library, such as "rms_norm"."""
library_source(name::AbstractString) =
    unsafe_string(given(out -> C.cuc_library_get_source(out, String(name)), Ptr{UInt8}))

"""
    library_program(name; options...)

The program of a family of the kernel library; options are those of [`Program`](@ref).
"""
function library_program(name::AbstractString; given...)
    struct_, kept = options(C.cuc_program_options, given)
    how = Ref(struct_)
    GC.@preserve kept Program(made(out -> C.cuc_program_from_library(out, String(name), how), C.cuc_program))
end

"""
    compile(program, target = :cubin)

Compile a program to an [`ObjectCode`](@ref): `:ptx`, `:cubin` or `:ltoir`.
"""
compile(it::Program, target::Symbol = :cubin) = ObjectCode(
    made(out -> C.cuc_program_compile(out, it, number(CODES, "target", target)), C.cuc_object))

"""The log of the last compilation."""
log_of(it::Program) = unsafe_string(C.cuc_program_log(it))
log_of(it::ObjectCode) = unsafe_string(C.cuc_object_log(it))

function ObjectCode(kind::Symbol, code::Union{Vector{UInt8},String})
    GC.@preserve code ObjectCode(made(C.cuc_object) do out
        C.cuc_object_create(out, number(CODES, "kind", kind), pointer(code), sizeof(code), C_NULL)
    end)
end

"""Look up a kernel by its name or name expression."""
kernel(it::ObjectCode, name::AbstractString) = Kernel(
    made(out -> C.cuc_object_get_kernel(out, it, String(name)), C.cuc_kernel))

name(it::Kernel) = unsafe_string(C.cuc_kernel_name(it))
parameter_count(it::Kernel) = Int(given(out -> C.cuc_kernel_get_parameter_count(out, it), Csize_t))

"""The PTX of an object, if it has any."""
function ptx(it::ObjectCode)
    text, length = Ref(Ptr{UInt8}(C_NULL)), Ref(Csize_t(0))
    GC.@preserve it begin
        check(C.cuc_object_get_ptx(text, length, it))
        unsafe_string(text[], length[])
    end
end

@handle Linker cuc_linker """
    Linker(objects...; options...)

Links code into one object: `link(linker, :cubin)`. Options are fields of the C struct `cuc_linker_options`.
"""

function Linker(objects::ObjectCode...; given...)
    struct_, kept = options(C.cuc_linker_options, given)
    how = Ref(struct_)
    it = GC.@preserve kept Linker(made(out -> C.cuc_linker_create(out, how), C.cuc_linker))
    for each in objects
        check(C.cuc_linker_add(it, each))
    end
    it
end

link(it::Linker, target::Symbol = :cubin) = ObjectCode(
    made(out -> C.cuc_linker_link(out, it, number(CODES, "target", target)), C.cuc_object))
