"""
    CuCore

NVIDIA GPUs through the C library cucore: devices, streams, memory, run-time compilation of
CUDA C++, PTX and tile programs, launches with checked arguments, graphs, growable memory,
green contexts, tensor maps.

Each object owns one reference to a C handle and releases it when collected or closed.
`CuCore.LibCuCore` has every C function, struct and constant under its C name.
"""
module CuCore

export Device, Stream, Event, Buffer, DeviceArray, Tensor, Program, Linker, ObjectCode, Kernel,
       Graph, GraphExec, Node, CuError, Opaque, MemoryResource, IpcHandle, compile, kernel, launch, capture, node,
       nodes, edges, condition, conditional, instantiate, record, synchronize, elapsed, fill_bytes!, interpret,
       bytes, name, arch, shareable_pool, export_ipc, import_ipc, MemoryPiece, virtual_memory, granularity, grow,
       export_pieces, import_pieces, library_names, library_source, library_program, Multiprocessors, GreenContext, TensorMap, replace_address!

"""Every function, struct and constant of libcucore under its C name."""
module LibCuCore
# ccall resolves this soname once CuCore has loaded the library.
const libcucore = "libcucore.so.0"
include("api.jl")
end

using .LibCuCore
using FileWatching
using Libdl
const C = LibCuCore

function __init__()
    place = get(ENV, "CUCORE_LIBRARY", C.libcucore)
    if Libdl.dlopen(place, Libdl.RTLD_NOW | Libdl.RTLD_GLOBAL; throw_error = false) === nothing
        error("libcucore is not found as $place: set CUCORE_LIBRARY to its file, or install it")
    end
end

include("handles.jl")
include("devices.jl")
include("memory.jl")
include("programs.jl")
include("launch.jl")
include("graphs.jl")
include("ipc.jl")
include("virtual.jl")
include("green.jl")
include("tensor_maps.jl")

end
