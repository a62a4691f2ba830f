"""cucore: program NVIDIA GPUs from Python, on top of the C library of the same name.

Names and signatures follow NVIDIA's `cuda.core`. `cucore.raw` exposes every C function
unchanged; `cucore.tile` is for tile kernels.
"""
from . import algorithm, graph, library, raw, system, tuning, typing, utils
from ._attention import Attention
from ._cache import Cache, CacheEntry, CacheInfo
from ._capture import Capture
from ._condition import GraphCondition
from ._device import ComputeCapability, Context, Device, DeviceProperties
from ._errors import (
                      BusyError,
                      CompileError,
                      ContextLostError,
                      CUDAError,
                      CUDAWarning,
                      FileError,
                      ForkedError,
                      InvalidArgumentError,
                      LinkError,
                      NoDriverError,
                      NotFoundError,
                      NotSupportedError,
                      NVRTCError,
                      OutOfMemoryError,
)
from ._gemm import Gemm
from ._graph import Graph, GraphCompleteOptions, GraphExec
from ._graph_builder import GraphBuilder
from ._green import ContextOptions, DeviceResources, GreenContext, SMResource, SMResourceOptions
from ._host_launch import host_launch
from ._ipc import IPCAllocationHandle, IPCBufferDescriptor, IPCEventDescriptor
from ._launch import LaunchConfig, PreparedLaunch, launch
from ._managed import Host, ManagedBuffer
from ._memory import Buffer, MemoryResource
from ._memory_pool import (
                      DeviceMemoryResource,
                      DeviceMemoryResourceOptions,
                      ManagedMemoryResource,
                      ManagedMemoryResourceOptions,
                      MemoryPool,
                      PinnedMemoryResource,
                      PinnedMemoryResourceOptions,
)
from ._memory_resource import (
                      GraphMemoryResource,
                      LegacyManagedMemoryResource,
                      LegacyPinnedMemoryResource,
                      SynchronousMemoryResource,
)
from ._object import Kernel, ObjectCode
from ._program import Linker, LinkerOptions, Program, ProgramOptions
from ._stream import (
                      LEGACY_DEFAULT_STREAM,
                      PER_THREAD_DEFAULT_STREAM,
                      Event,
                      EventOptions,
                      Stream,
                      StreamOptions,
)
from ._tensor import Tensor, as_tensor
from ._tensor_map import (
                      TensorMapDataType,
                      TensorMapDescriptor,
                      TensorMapDescriptorOptions,
                      TensorMapIm2ColWideMode,
                      TensorMapInterleave,
                      TensorMapL2Promotion,
                      TensorMapOOBFill,
                      TensorMapSwizzle,
)
from ._virtual import (
                      VirtualMemoryBuffer,
                      VirtualMemoryDescriptor,
                      VirtualMemoryResource,
                      VirtualMemoryResourceOptions,
)

__version__ = raw.VERSION

__all__ = [
    "Attention", "Buffer", "BusyError", "CUDAError", "CUDAWarning", "Cache", "CacheEntry", "CacheInfo", "Capture", "CompileError",
    "ComputeCapability", "Context",
    "ContextLostError", "ContextOptions", "Device", "DeviceResources", "GreenContext", "SMResource", "SMResourceOptions", "DeviceMemoryResource", "DeviceMemoryResourceOptions",
    "DeviceProperties", "Event", "EventOptions", "FileError", "ForkedError", "Gemm", "Graph", "GraphBuilder",
    "GraphCompleteOptions", "GraphCondition", "GraphExec", "GraphMemoryResource",
    "IPCAllocationHandle", "IPCBufferDescriptor", "IPCEventDescriptor",
    "Host", "InvalidArgumentError", "Kernel", "LEGACY_DEFAULT_STREAM", "LaunchConfig", "LegacyManagedMemoryResource",
    "LegacyPinnedMemoryResource", "LinkError", "Linker", "LinkerOptions", "ManagedBuffer", "ManagedMemoryResource",
    "ManagedMemoryResourceOptions", "MemoryPool", "MemoryResource", "NVRTCError", "NoDriverError",
    "NotFoundError", "NotSupportedError", "ObjectCode", "OutOfMemoryError", "PER_THREAD_DEFAULT_STREAM", "PinnedMemoryResource",
    "PinnedMemoryResourceOptions", "PreparedLaunch", "Program", "ProgramOptions", "Stream",
    "StreamOptions", "SynchronousMemoryResource", "Tensor", "TensorMapDataType", "TensorMapDescriptor",
    "TensorMapDescriptorOptions", "TensorMapInterleave", "TensorMapL2Promotion", "TensorMapOOBFill",
    "TensorMapIm2ColWideMode", "TensorMapSwizzle", "VirtualMemoryBuffer", "VirtualMemoryDescriptor",
    "VirtualMemoryResource", "VirtualMemoryResourceOptions", "as_tensor",
    "algorithm", "graph", "host_launch", "launch", "library", "raw", "system", "tuning", "typing", "utils",
]
