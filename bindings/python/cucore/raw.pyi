# Written by api/api.py write. Do not edit.
import ctypes
from typing import Any

# An address, or what ctypes takes for a pointer: bytes, byref(), an array.
Pointer = Any

VERSION: str
LIBRARY: str
NAMES: dict[str, dict[int, str]]
UNITS: dict[str, dict[int, str]]
FUNCTIONS: dict[str, str]
LAYOUT: dict[str, tuple[int, dict[str, int]]]
RANGES: dict[type, tuple[int, int]]

def prototype(name: str, *, release_gil: bool = ...) -> Any: ...

CUC_OK: int
CUC_NOT_READY: int
CUC_ERROR_INVALID_ARGUMENT: int
CUC_ERROR_INVALID_HANDLE: int
CUC_ERROR_OUT_OF_MEMORY: int
CUC_ERROR_OUT_OF_DEVICE_MEMORY: int
CUC_ERROR_NOT_FOUND: int
CUC_ERROR_NOT_SUPPORTED: int
CUC_ERROR_NO_DRIVER: int
CUC_ERROR_DRIVER_TOO_OLD: int
CUC_ERROR_NO_DEVICE: int
CUC_ERROR_DRIVER: int
CUC_ERROR_COMPILE: int
CUC_ERROR_LINK: int
CUC_ERROR_TOOLKIT: int
CUC_ERROR_CONTEXT_LOST: int
CUC_ERROR_FORKED: int
CUC_ERROR_BUSY: int
CUC_ERROR_IO: int
CUC_ERROR_INTERNAL: int
CUC_DTYPE_UNKNOWN: int
CUC_BOOL: int
CUC_I8: int
CUC_I16: int
CUC_I32: int
CUC_I64: int
CUC_U8: int
CUC_U16: int
CUC_U32: int
CUC_U64: int
CUC_F16: int
CUC_BF16: int
CUC_F32: int
CUC_TF32: int
CUC_F64: int
CUC_E4M3: int
CUC_E5M2: int
CUC_E8M0: int
CUC_C64: int
CUC_C128: int
CUC_DEFAULT: int
CUC_ON: int
CUC_OFF: int
CUC_ZERO: int
CUC_LIBRARY_NONE: int
CUC_LIBRARY_DRIVER: int
CUC_LIBRARY_NVRTC: int
CUC_LIBRARY_NVJITLINK: int
CUC_LIBRARY_NVML: int
CUC_LIBRARY_RUNTIME: int
CUC_LIBRARY_TILE: int
CUC_LIBRARY_NVFATBIN: int
CUC_DEVICE_MAX_THREADS_PER_BLOCK: int
CUC_DEVICE_MAX_BLOCK_DIM_X: int
CUC_DEVICE_MAX_BLOCK_DIM_Y: int
CUC_DEVICE_MAX_BLOCK_DIM_Z: int
CUC_DEVICE_MAX_GRID_DIM_X: int
CUC_DEVICE_MAX_GRID_DIM_Y: int
CUC_DEVICE_MAX_GRID_DIM_Z: int
CUC_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK: int
CUC_DEVICE_TOTAL_CONSTANT_MEMORY: int
CUC_DEVICE_WARP_SIZE: int
CUC_DEVICE_MAX_PITCH: int
CUC_DEVICE_MAX_REGISTERS_PER_BLOCK: int
CUC_DEVICE_CLOCK_RATE: int
CUC_DEVICE_TEXTURE_ALIGNMENT: int
CUC_DEVICE_GPU_OVERLAP: int
CUC_DEVICE_MULTIPROCESSOR_COUNT: int
CUC_DEVICE_KERNEL_EXEC_TIMEOUT: int
CUC_DEVICE_INTEGRATED: int
CUC_DEVICE_CAN_MAP_HOST_MEMORY: int
CUC_DEVICE_COMPUTE_MODE: int
CUC_DEVICE_MAXIMUM_TEXTURE1D_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_HEIGHT: int
CUC_DEVICE_MAXIMUM_TEXTURE3D_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURE3D_HEIGHT: int
CUC_DEVICE_MAXIMUM_TEXTURE3D_DEPTH: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS: int
CUC_DEVICE_SURFACE_ALIGNMENT: int
CUC_DEVICE_CONCURRENT_KERNELS: int
CUC_DEVICE_ECC_ENABLED: int
CUC_DEVICE_PCI_BUS_ID: int
CUC_DEVICE_PCI_DEVICE_ID: int
CUC_DEVICE_TCC_DRIVER: int
CUC_DEVICE_MEMORY_CLOCK_RATE: int
CUC_DEVICE_GLOBAL_MEMORY_BUS_WIDTH: int
CUC_DEVICE_L2_CACHE_SIZE: int
CUC_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR: int
CUC_DEVICE_ASYNC_ENGINE_COUNT: int
CUC_DEVICE_UNIFIED_ADDRESSING: int
CUC_DEVICE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS: int
CUC_DEVICE_CAN_TEX2D_GATHER: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_GATHER_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT: int
CUC_DEVICE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE: int
CUC_DEVICE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE: int
CUC_DEVICE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE: int
CUC_DEVICE_PCI_DOMAIN_ID: int
CUC_DEVICE_TEXTURE_PITCH_ALIGNMENT: int
CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS: int
CUC_DEVICE_MAXIMUM_SURFACE1D_WIDTH: int
CUC_DEVICE_MAXIMUM_SURFACE2D_WIDTH: int
CUC_DEVICE_MAXIMUM_SURFACE2D_HEIGHT: int
CUC_DEVICE_MAXIMUM_SURFACE3D_WIDTH: int
CUC_DEVICE_MAXIMUM_SURFACE3D_HEIGHT: int
CUC_DEVICE_MAXIMUM_SURFACE3D_DEPTH: int
CUC_DEVICE_MAXIMUM_SURFACE1D_LAYERED_WIDTH: int
CUC_DEVICE_MAXIMUM_SURFACE1D_LAYERED_LAYERS: int
CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_WIDTH: int
CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT: int
CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_LAYERS: int
CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_WIDTH: int
CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: int
CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: int
CUC_DEVICE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_PITCH: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH: int
CUC_DEVICE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT: int
CUC_DEVICE_COMPUTE_CAPABILITY_MAJOR: int
CUC_DEVICE_COMPUTE_CAPABILITY_MINOR: int
CUC_DEVICE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH: int
CUC_DEVICE_STREAM_PRIORITIES_SUPPORTED: int
CUC_DEVICE_GLOBAL_L1_CACHE_SUPPORTED: int
CUC_DEVICE_LOCAL_L1_CACHE_SUPPORTED: int
CUC_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: int
CUC_DEVICE_MAX_REGISTERS_PER_MULTIPROCESSOR: int
CUC_DEVICE_MANAGED_MEMORY: int
CUC_DEVICE_MULTI_GPU_BOARD: int
CUC_DEVICE_MULTI_GPU_BOARD_GROUP_ID: int
CUC_DEVICE_HOST_NATIVE_ATOMIC_SUPPORTED: int
CUC_DEVICE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: int
CUC_DEVICE_PAGEABLE_MEMORY_ACCESS: int
CUC_DEVICE_CONCURRENT_MANAGED_ACCESS: int
CUC_DEVICE_COMPUTE_PREEMPTION_SUPPORTED: int
CUC_DEVICE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: int
CUC_DEVICE_COOPERATIVE_LAUNCH: int
CUC_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: int
CUC_DEVICE_CAN_FLUSH_REMOTE_WRITES: int
CUC_DEVICE_HOST_REGISTER_SUPPORTED: int
CUC_DEVICE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: int
CUC_DEVICE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST: int
CUC_DEVICE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: int
CUC_DEVICE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: int
CUC_DEVICE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED: int
CUC_DEVICE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED: int
CUC_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR: int
CUC_DEVICE_GENERIC_COMPRESSION_SUPPORTED: int
CUC_DEVICE_MAX_PERSISTING_L2_CACHE_SIZE: int
CUC_DEVICE_MAX_ACCESS_POLICY_WINDOW_SIZE: int
CUC_DEVICE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: int
CUC_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK: int
CUC_DEVICE_SPARSE_CUDA_ARRAY_SUPPORTED: int
CUC_DEVICE_READ_ONLY_HOST_REGISTER_SUPPORTED: int
CUC_DEVICE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED: int
CUC_DEVICE_MEMORY_POOLS_SUPPORTED: int
CUC_DEVICE_GPU_DIRECT_RDMA_SUPPORTED: int
CUC_DEVICE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: int
CUC_DEVICE_GPU_DIRECT_RDMA_WRITES_ORDERING: int
CUC_DEVICE_MEMPOOL_SUPPORTED_HANDLE_TYPES: int
CUC_DEVICE_CLUSTER_LAUNCH: int
CUC_DEVICE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED: int
CUC_DEVICE_CAN_USE_64_BIT_STREAM_MEM_OPS: int
CUC_DEVICE_CAN_USE_STREAM_WAIT_VALUE_NOR: int
CUC_DEVICE_DMA_BUF_SUPPORTED: int
CUC_DEVICE_IPC_EVENT_SUPPORTED: int
CUC_DEVICE_MEM_SYNC_DOMAIN_COUNT: int
CUC_DEVICE_TENSOR_MAP_ACCESS_SUPPORTED: int
CUC_DEVICE_HANDLE_TYPE_FABRIC_SUPPORTED: int
CUC_DEVICE_UNIFIED_FUNCTION_POINTERS: int
CUC_DEVICE_NUMA_CONFIG: int
CUC_DEVICE_NUMA_ID: int
CUC_DEVICE_MULTICAST_SUPPORTED: int
CUC_DEVICE_MPS_ENABLED: int
CUC_DEVICE_HOST_NUMA_ID: int
CUC_DEVICE_D3D12_CIG_SUPPORTED: int
CUC_DEVICE_MEM_DECOMPRESS_ALGORITHM_MASK: int
CUC_DEVICE_MEM_DECOMPRESS_MAXIMUM_LENGTH: int
CUC_DEVICE_VULKAN_CIG_SUPPORTED: int
CUC_DEVICE_GPU_PCI_DEVICE_ID: int
CUC_DEVICE_GPU_PCI_SUBSYSTEM_ID: int
CUC_DEVICE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: int
CUC_DEVICE_HOST_NUMA_MEMORY_POOLS_SUPPORTED: int
CUC_DEVICE_HOST_NUMA_MULTINODE_IPC_SUPPORTED: int
CUC_DEVICE_HOST_MEMORY_POOLS_SUPPORTED: int
CUC_DEVICE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: int
CUC_DEVICE_HOST_ALLOC_DMA_BUF_SUPPORTED: int
CUC_DEVICE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED: int
CUC_SENSOR_SM_CLOCK: int
CUC_SENSOR_MEMORY_CLOCK: int
CUC_SENSOR_TEMPERATURE: int
CUC_SENSOR_POWER: int
CUC_SENSOR_THROTTLE: int
CUC_THROTTLE_IDLE: int
CUC_THROTTLE_SETTING: int
CUC_THROTTLE_POWER_CAP: int
CUC_THROTTLE_HARDWARE: int
CUC_THROTTLE_SYNC_BOOST: int
CUC_THROTTLE_THERMAL: int
CUC_THROTTLE_HOT: int
CUC_THROTTLE_POWER_BRAKE: int
CUC_THROTTLE_DISPLAY: int
CUC_PEER_PERFORMANCE_RANK: int
CUC_PEER_ACCESS_SUPPORTED: int
CUC_PEER_NATIVE_ATOMIC_SUPPORTED: int
CUC_PEER_CUDA_ARRAY_ACCESS_SUPPORTED: int
CUC_PEER_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED: int
CUC_STREAM_SYNC_LEGACY: int
CUC_STREAM_LEGACY: int
CUC_STREAM_PER_THREAD: int
CUC_WAIT_GEQ: int
CUC_WAIT_EQ: int
CUC_WAIT_AND: int
CUC_WAIT_NOR: int
CUC_WAIT_FLUSH: int
CUC_WRITE_NO_MEMORY_BARRIER: int
CUC_MEMORY_DEVICE: int
CUC_MEMORY_PINNED: int
CUC_MEMORY_MANAGED: int
CUC_MEMORY_CUSTOM: int
CUC_MEMORY_UNREGISTERED: int
CUC_MEMORY_ACCESS_DEVICE: int
CUC_MEMORY_ACCESS_HOST: int
CUC_MEMORY_ACCESS_MANAGED: int
CUC_LOCATION_NONE: int
CUC_LOCATION_DEVICE: int
CUC_LOCATION_HOST: int
CUC_LOCATION_HOST_NUMA: int
CUC_LOCATION_HOST_NUMA_CURRENT: int
CUC_MEMORY_POOL_HW_DECOMPRESS: int
CUC_MEMORY_POOL_IPC: int
CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES: int
CUC_MEMORY_POOL_REUSE_ALLOW_OPPORTUNISTIC: int
CUC_MEMORY_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES: int
CUC_MEMORY_POOL_RELEASE_THRESHOLD: int
CUC_MEMORY_POOL_RESERVED_CURRENT: int
CUC_MEMORY_POOL_RESERVED_HIGH: int
CUC_MEMORY_POOL_USED_CURRENT: int
CUC_MEMORY_POOL_USED_HIGH: int
CUC_ACCESS_NONE: int
CUC_ACCESS_READ: int
CUC_ACCESS_READ_WRITE: int
CUC_ADVISE_SET_READ_MOSTLY: int
CUC_ADVISE_UNSET_READ_MOSTLY: int
CUC_ADVISE_SET_PREFERRED_LOCATION: int
CUC_ADVISE_UNSET_PREFERRED_LOCATION: int
CUC_ADVISE_SET_ACCESSED_BY: int
CUC_ADVISE_UNSET_ACCESSED_BY: int
CUC_HOST_PORTABLE: int
CUC_HOST_MAPPED: int
CUC_HOST_IO_MEMORY: int
CUC_HOST_READ_ONLY: int
CUC_TENSOR_READ_ONLY: int
CUC_TENSOR_PINNED: int
CUC_TENSOR_MANAGED: int
CUC_DL_CPU: int
CUC_DL_CUDA: int
CUC_DL_CUDA_HOST: int
CUC_DL_CUDA_MANAGED: int
CUC_DL_INT: int
CUC_DL_UINT: int
CUC_DL_FLOAT: int
CUC_DL_OPAQUE: int
CUC_DL_BFLOAT: int
CUC_DL_COMPLEX: int
CUC_DL_BOOL: int
CUC_DL_FLOAT8_E4M3FN: int
CUC_DL_FLOAT8_E5M2: int
CUC_DL_FLOAT8_E8M0FNU: int
CUC_DL_READ_ONLY: int
CUC_DL_IS_COPIED: int
CUC_DL_SUBBYTE_PADDED: int
CUC_ALGORITHM_TRANSFORM: int
CUC_ALGORITHM_REDUCE: int
CUC_ALGORITHM_SCAN: int
CUC_ALGORITHM_SELECT: int
CUC_ALGORITHM_PARTITION: int
CUC_ALGORITHM_UNIQUE: int
CUC_ALGORITHM_HISTOGRAM: int
CUC_ALGORITHM_REDUCE_BY_KEY: int
CUC_ALGORITHM_SCAN_BY_KEY: int
CUC_ALGORITHM_REDUCE_SEGMENTS: int
CUC_ALGORITHM_SORT: int
CUC_ALGORITHM_MERGE: int
CUC_ALGORITHM_MERGE_SORT: int
CUC_ALGORITHM_SORT_SEGMENTS: int
CUC_ALGORITHM_TOPK: int
CUC_ALGORITHM_TOPK_ROWS: int
CUC_ALGORITHM_PARTITION3: int
CUC_ALGORITHM_UNION: int
CUC_ALGORITHM_INTERSECTION: int
CUC_ALGORITHM_DIFFERENCE: int
CUC_ALGORITHM_SYMMETRIC_DIFFERENCE: int
CUC_ALGORITHM_DEVICE_COUNT: int
CUC_ALGORITHM_PLAIN_LAUNCH: int
CUC_ALGORITHM_EXCLUSIVE: int
CUC_ALGORITHM_DESCENDING: int
CUC_ALGORITHM_SMALLEST: int
CUC_ALGORITHM_RUN_TO_RUN: int
CUC_ALGORITHM_ANY_ORDER: int
CUC_ALGORITHM_EVERY_GPU: int
CUC_SEARCH_UPPER: int
CUC_ATTENTION_FULL: int
CUC_ATTENTION_CAUSAL: int
CUC_ATTENTION_TOP_LEFT: int
CUC_ATTENTION_BOTTOM_RIGHT: int
CUC_ATTENTION_HEADS_FIRST: int
CUC_ATTENTION_SEQUENCE_FIRST: int
CUC_ATTENTION_LSE: int
CUC_ATTENTION_PLAIN_LAUNCH: int
CUC_ATTENTION_SINKS: int
CUC_ATTENTION_VARIABLE: int
CUC_ATTENTION_BACKWARD: int
CUC_ATTENTION_KEY_LENGTHS: int
CUC_ATTENTION_FAST_ACC: int
CUC_GEMM_SINGLE: int
CUC_GEMM_BATCHED: int
CUC_GEMM_GROUPED: int
CUC_GEMM_ROW_MAJOR: int
CUC_GEMM_COLUMN_MAJOR: int
CUC_GEMM_LINEAR: int
CUC_GEMM_RELU: int
CUC_GEMM_GELU: int
CUC_GEMM_GELU_TANH: int
CUC_GEMM_SILU: int
CUC_GEMM_RELU_DERIVATIVE: int
CUC_GEMM_GELU_DERIVATIVE: int
CUC_GEMM_GELU_TANH_DERIVATIVE: int
CUC_GEMM_SILU_DERIVATIVE: int
CUC_GEMM_NO_BIAS: int
CUC_GEMM_BIAS_COLUMNS: int
CUC_GEMM_BIAS_ROWS: int
CUC_GEMM_NO_GRADIENT: int
CUC_GEMM_GRADIENT_COLUMNS: int
CUC_GEMM_GRADIENT_ROWS: int
CUC_GEMM_GRADIENT_A: int
CUC_GEMM_GRADIENT_B: int
CUC_GEMM_PACK_A: int
CUC_GEMM_PACK_B: int
CUC_GEMM_PACK_NONE: int
CUC_GEMM_PACK_TRANSPOSED_A: int
CUC_GEMM_PACK_TRANSPOSED_B: int
CUC_GEMM_IEEE: int
CUC_GEMM_TF32: int
CUC_GEMM_TF32X3: int
CUC_GEMM_SHARED_A: int
CUC_GEMM_SHARED_B: int
CUC_GEMM_FAST_ACC: int
CUC_GEMM_SCALED_ROWS: int
CUC_GEMM_SCALED_COLUMNS: int
CUC_GEMM_PLAIN_LAUNCH: int
CUC_GEMM_AMAX: int
CUC_LIMIT_STACK_BYTES: int
CUC_LIMIT_PRINTF_BYTES: int
CUC_LIMIT_MALLOC_HEAP_BYTES: int
CUC_LIMIT_MAX_L2_FETCH_BYTES: int
CUC_LIMIT_PERSISTING_L2_BYTES: int
CUC_LIMIT_SHARED_MEMORY_BYTES: int
CUC_LIMIT_CIG_ENABLED: int
CUC_LIMIT_CIG_SHARED_MEMORY_FALLBACK: int
CUC_SMS_ANY: int
CUC_SMS_MAX_CLUSTER: int
CUC_EVENT_TIMING: int
CUC_EVENT_BLOCKING_SYNC: int
CUC_EVENT_IPC: int
CUC_MEMORY_VIRTUAL_READ_ONLY: int
CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY: int
CUC_MEMORY_VIRTUAL_RDMA: int
CUC_MEMORY_VIRTUAL_FINE: int
CUC_MEMORY_VIRTUAL_IPC: int
CUC_COPY_SOURCE_STREAM: int
CUC_COPY_SOURCE_DURING_CALL: int
CUC_COPY_SOURCE_ANY: int
CUC_COPY_OVERLAP_COMPUTE: int
CUC_TENSOR_MAP_INTERLEAVE_NONE: int
CUC_TENSOR_MAP_INTERLEAVE_16B: int
CUC_TENSOR_MAP_INTERLEAVE_32B: int
CUC_TENSOR_MAP_SWIZZLE_NONE: int
CUC_TENSOR_MAP_SWIZZLE_32B: int
CUC_TENSOR_MAP_SWIZZLE_64B: int
CUC_TENSOR_MAP_SWIZZLE_128B: int
CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B: int
CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B: int
CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_64B: int
CUC_TENSOR_MAP_L2_NONE: int
CUC_TENSOR_MAP_L2_64B: int
CUC_TENSOR_MAP_L2_128B: int
CUC_TENSOR_MAP_L2_256B: int
CUC_TENSOR_MAP_FILL_ZERO: int
CUC_TENSOR_MAP_FILL_NAN: int
CUC_TENSOR_MAP_FTZ: int
CUC_TENSOR_MAP_W128: int
CUC_CODE_PTX: int
CUC_CODE_CUBIN: int
CUC_CODE_LTOIR: int
CUC_CODE_FATBIN: int
CUC_CODE_OBJECT: int
CUC_CODE_LIBRARY: int
CUC_PARAMETER_ANY: int
CUC_PARAMETER_INT: int
CUC_PARAMETER_FLOAT: int
CUC_KERNEL_MAX_THREADS_PER_BLOCK: int
CUC_KERNEL_SHARED_SIZE_BYTES: int
CUC_KERNEL_CONST_SIZE_BYTES: int
CUC_KERNEL_LOCAL_SIZE_BYTES: int
CUC_KERNEL_NUM_REGS: int
CUC_KERNEL_PTX_VERSION: int
CUC_KERNEL_BINARY_VERSION: int
CUC_KERNEL_CACHE_MODE_CA: int
CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES: int
CUC_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT: int
CUC_KERNEL_CLUSTER_SIZE_MUST_BE_SET: int
CUC_KERNEL_REQUIRED_CLUSTER_WIDTH: int
CUC_KERNEL_REQUIRED_CLUSTER_HEIGHT: int
CUC_KERNEL_REQUIRED_CLUSTER_DEPTH: int
CUC_KERNEL_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: int
CUC_KERNEL_CLUSTER_SCHEDULING_POLICY: int
CUC_KERNEL_ATTRIBUTE_COUNT: int
CUC_KERNEL_CACHE_DEFAULT: int
CUC_KERNEL_CACHE_SHARED: int
CUC_KERNEL_CACHE_L1: int
CUC_KERNEL_CACHE_EQUAL: int
CUC_SOURCE_CUDA: int
CUC_SOURCE_PTX: int
CUC_SOURCE_NVVM: int
CUC_SOURCE_TILE: int
CUC_PCH_NONE: int
CUC_PCH_CREATED: int
CUC_PCH_NOT_ATTEMPTED: int
CUC_PCH_FAILED: int
CUC_LINKER_AUTO: int
CUC_LINKER_NVJITLINK: int
CUC_LINKER_DRIVER: int
CUC_ARG_POINTER: int
CUC_ARG_BUFFER: int
CUC_ARG_TENSOR: int
CUC_ARG_BYTES: int
CUC_ARG_NONE: int
CUC_LAUNCH_COOPERATIVE: int
CUC_LAUNCH_PROGRAMMATIC: int
CUC_LAUNCH_ATTRIBUTE_IGNORE: int
CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: int
CUC_LAUNCH_ATTRIBUTE_COOPERATIVE: int
CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: int
CUC_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY: int
CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: int
CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: int
CUC_LAUNCH_ATTRIBUTE_PRIORITY: int
CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: int
CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: int
CUC_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION: int
CUC_LAUNCH_ATTRIBUTE_COMPLETION_EVENT: int
CUC_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: int
CUC_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: int
CUC_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING: int
CUC_CLUSTER_SCHEDULING_DEFAULT: int
CUC_CLUSTER_SCHEDULING_SPREAD: int
CUC_CLUSTER_SCHEDULING_LOAD_BALANCING: int
CUC_CACHE_NORMAL: int
CUC_CACHE_STREAMING: int
CUC_CACHE_PERSISTING: int
CUC_CAPTURE_GLOBAL: int
CUC_CAPTURE_THREAD_LOCAL: int
CUC_CAPTURE_RELAXED: int
CUC_CAPTURE_NONE: int
CUC_CAPTURE_ACTIVE: int
CUC_CAPTURE_SPOILT: int
CUC_NODE_KERNEL: int
CUC_NODE_COPY: int
CUC_NODE_FILL: int
CUC_NODE_HOST: int
CUC_NODE_GRAPH: int
CUC_NODE_EMPTY: int
CUC_NODE_WAIT_EVENT: int
CUC_NODE_RECORD_EVENT: int
CUC_NODE_SIGNAL: int
CUC_NODE_WAIT: int
CUC_NODE_ALLOC: int
CUC_NODE_FREE: int
CUC_NODE_MEMORY_WORDS: int
CUC_NODE_CONDITIONAL: int
CUC_DOT_EVERYTHING: int
CUC_DOT_RUNTIME_TYPES: int
CUC_DOT_KERNELS: int
CUC_DOT_COPIES: int
CUC_DOT_FILLS: int
CUC_DOT_HOST_FUNCTIONS: int
CUC_DOT_EVENTS: int
CUC_DOT_SIGNALS: int
CUC_DOT_WAITS: int
CUC_DOT_KERNEL_ATTRIBUTES: int
CUC_DOT_HANDLES: int
CUC_DOT_ALLOCATIONS: int
CUC_DOT_FREES: int
CUC_DOT_MEMORY_WORDS: int
CUC_DOT_TOPOLOGY: int
CUC_DOT_CONDITIONALS: int
CUC_GRAPH_AUTO_FREE: int
CUC_GRAPH_DEVICE_LAUNCH: int
CUC_GRAPH_NODE_PRIORITY: int
CUC_GRAPH_MEMORY_USED: int
CUC_GRAPH_MEMORY_USED_HIGH: int
CUC_GRAPH_MEMORY_RESERVED: int
CUC_GRAPH_MEMORY_RESERVED_HIGH: int
CUC_CONDITION_ASSIGN_DEFAULT: int
CUC_CONDITIONAL_IF: int
CUC_CONDITIONAL_WHILE: int
CUC_CONDITIONAL_SWITCH: int
CUC_OCCUPANCY_DISABLE_CACHING_OVERRIDE: int
CUC_PYTHON_BUFFER: int
CUC_PYTHON_TENSOR: int
CUC_PYTHON_NUMBER: int
CUC_PYTHON_VALUE: int
CUC_TILE_RN: int
CUC_TILE_RZ: int
CUC_TILE_RM: int
CUC_TILE_RP: int
CUC_TILE_APPROX: int
CUC_TILE_FULL: int
CUC_TILE_FTZ: int
CUC_TILE_NAN: int
CUC_TILE_ORDER_DEFAULT: int
CUC_TILE_WEAK: int
CUC_TILE_RELAXED: int
CUC_TILE_ACQUIRE: int
CUC_TILE_RELEASE: int
CUC_TILE_ACQ_REL: int
CUC_TILE_SCOPE_DEFAULT: int
CUC_TILE_SCOPE_DEVICE: int
CUC_TILE_SCOPE_BLOCK: int
CUC_TILE_SCOPE_SYSTEM: int
CUC_TILE_CACHE_ANY: int
CUC_TILE_CACHE_FIRST: int
CUC_TILE_CACHE_LAST: int
CUC_TILE_CACHE_STREAM: int
CUC_TILE_IEEE: int
CUC_TILE_TF32: int
CUC_TILE_TF32X3: int
CUC_ALGORITHM_MAX_ARRAYS: int
CUC_ATTENTION_MAX_SIDES: int
CUC_VERSION_MAJOR: int
CUC_VERSION_MINOR: int
CUC_VERSION_PATCH: int
CUC_MEMORY_POOL_KEEP_ALL: int
CUC_PROGRAM_KEY_BYTES: int
CUC_NVML_DRIVER_VERSION_BYTES: int
CUC_TENSOR_MAX_RANK: int
CUC_DL_VERSION_MAJOR: int
CUC_DL_VERSION_MINOR: int
CUC_TENSOR_MAP_MAX_RANK: int
CUC_NO_AXIS: int
cuc_failure_fn: type[Any]
cuc_cache_visit: type[Any]
cuc_cache_receive: type[Any]
cuc_stream_callback: type[Any]
cuc_tuned_visit: type[Any]
cuc_tile_combine: type[Any]
cuc_tile_dimension_fn: type[Any]

class cuc_algorithm_args(ctypes.Structure):
    struct_size: int
    inputs: Pointer
    outputs: Pointer
    input_count: int
    output_count: int
    count: int
    device_count: Pointer
    workspace: int
    workspace_bytes: int
    offsets: Pointer

class cuc_algorithm_options(ctypes.Structure):
    struct_size: int
    kind: int
    flags: int
    inputs: Pointer
    outputs: Pointer
    input_count: int
    output_count: int
    fn: bytes | None
    identity: bytes | None
    tile: int
    blocks: int
    warps: int
    bins: int
    keys: int
    offsets: int
    determinism: int
    count: int
    arch: bytes | None
    cache: Pointer
    bit_begin: int
    bit_end: int
    k: int

class cuc_arg_value(ctypes.Union):
    u64: int
    i64: int
    f64: float
    f32: float
    pointer: Pointer
    raw: Any

class cuc_arg(ctypes.Structure):
    type: int
    bytes: int
    value: cuc_arg_value

class cuc_attention_args(ctypes.Structure):
    struct_size: int
    q: Pointer
    k: Pointer
    v: Pointer
    o: Pointer
    lse: Pointer
    scale: float
    sinks: Pointer
    sides: Pointer
    side_count: int
    reserved: int
    query_offsets: Pointer
    key_offsets: Pointer
    most_queries: int
    page_table: Pointer
    key_lengths: Pointer
    workspace: int
    workspace_bytes: int
    d_o: Pointer
    d_q: Pointer
    d_k: Pointer
    d_v: Pointer
    most_keys: int
    new_k: Pointer
    new_v: Pointer
    q_scale: Pointer
    k_scale: Pointer
    v_scale: Pointer
    d_sinks: Pointer
    d_sides: Pointer

class cuc_attention_choice(ctypes.Structure):
    struct_size: int
    tile_q: int
    tile_k: int
    stages: int
    warps: int
    pipeline: int
    parts: int
    tiles: int
    by: bytes | None

class cuc_attention_options(ctypes.Structure):
    struct_size: int
    flags: int
    dtype: int
    width: int
    value_width: int
    mask: int
    align: int
    order: int
    window_left: int
    window_right: int
    tile_q: int
    tile_k: int
    stages: int
    warps: int
    batch: int
    heads: int
    key_heads: int
    queries: int
    keys: int
    arch: bytes | None
    cache: Pointer
    score: bytes | None
    sides: Pointer
    side_count: int
    reserved: int
    page_size: int
    parts: int
    o_dtype: int

class cuc_attention_side(ctypes.Structure):
    name: bytes | None
    dtype: int
    rank: int
    gradient: bytes | None

class cuc_buffer_options(ctypes.Structure):
    struct_size: int
    device: Pointer
    resource: Pointer
    stream: Pointer
    owner: Pointer
    drop_owner: Any
    access: int
    reserved: int

class cuc_cache_entry(ctypes.Structure):
    struct_size: int
    key: bytes | None
    label: bytes | None
    bytes: int
    used_ns: int
    damaged: int
    reserved: int

class cuc_cache_info(ctypes.Structure):
    struct_size: int
    dir: bytes | None
    off: bytes | None
    max_bytes: int
    bytes: int
    entries: int
    hits: int
    misses: int
    stored: int

class cuc_cache_options(ctypes.Structure):
    struct_size: int
    dir: bytes | None
    max_bytes: int

class cuc_capture_info(ctypes.Structure):
    struct_size: int
    id: int
    graph: Pointer
    status: int
    reserved: int

class cuc_copy_2d_params(ctypes.Structure):
    struct_size: int
    dst: int
    src: int
    dst_pitch: int
    src_pitch: int
    row_bytes: int
    rows: int
    dst_x_bytes: int
    dst_y: int
    src_x_bytes: int
    src_y: int

class cuc_copy_3d_params(ctypes.Structure):
    struct_size: int
    dst: int
    src: int
    dst_pitch: int
    src_pitch: int
    dst_slice_rows: int
    src_slice_rows: int
    row_bytes: int
    rows: int
    slices: int
    dst_x_bytes: int
    dst_y: int
    dst_z: int
    src_x_bytes: int
    src_y: int
    src_z: int

class cuc_copy_batch_params(ctypes.Structure):
    struct_size: int
    dst: Pointer
    src: Pointer
    bytes: Pointer
    count: int
    attributes: Pointer
    attribute_count: int

class cuc_device_properties(ctypes.Structure):
    struct_size: int
    max_threads_per_block: int
    max_block_dim_x: int
    max_block_dim_y: int
    max_block_dim_z: int
    max_grid_dim_x: int
    max_grid_dim_y: int
    max_grid_dim_z: int
    max_shared_memory_per_block: int
    total_constant_memory: int
    warp_size: int
    max_pitch: int
    max_registers_per_block: int
    clock_rate: int
    texture_alignment: int
    gpu_overlap: int
    multiprocessor_count: int
    kernel_exec_timeout: int
    integrated: int
    can_map_host_memory: int
    compute_mode: int
    maximum_texture1d_width: int
    maximum_texture2d_width: int
    maximum_texture2d_height: int
    maximum_texture3d_width: int
    maximum_texture3d_height: int
    maximum_texture3d_depth: int
    maximum_texture2d_layered_width: int
    maximum_texture2d_layered_height: int
    maximum_texture2d_layered_layers: int
    surface_alignment: int
    concurrent_kernels: int
    ecc_enabled: int
    pci_bus_id: int
    pci_device_id: int
    tcc_driver: int
    memory_clock_rate: int
    global_memory_bus_width: int
    l2_cache_size: int
    max_threads_per_multiprocessor: int
    async_engine_count: int
    unified_addressing: int
    maximum_texture1d_layered_width: int
    maximum_texture1d_layered_layers: int
    can_tex2d_gather: int
    maximum_texture2d_gather_width: int
    maximum_texture2d_gather_height: int
    maximum_texture3d_width_alternate: int
    maximum_texture3d_height_alternate: int
    maximum_texture3d_depth_alternate: int
    pci_domain_id: int
    texture_pitch_alignment: int
    maximum_texturecubemap_width: int
    maximum_texturecubemap_layered_width: int
    maximum_texturecubemap_layered_layers: int
    maximum_surface1d_width: int
    maximum_surface2d_width: int
    maximum_surface2d_height: int
    maximum_surface3d_width: int
    maximum_surface3d_height: int
    maximum_surface3d_depth: int
    maximum_surface1d_layered_width: int
    maximum_surface1d_layered_layers: int
    maximum_surface2d_layered_width: int
    maximum_surface2d_layered_height: int
    maximum_surface2d_layered_layers: int
    maximum_surfacecubemap_width: int
    maximum_surfacecubemap_layered_width: int
    maximum_surfacecubemap_layered_layers: int
    maximum_texture1d_linear_width: int
    maximum_texture2d_linear_width: int
    maximum_texture2d_linear_height: int
    maximum_texture2d_linear_pitch: int
    maximum_texture2d_mipmapped_width: int
    maximum_texture2d_mipmapped_height: int
    compute_capability_major: int
    compute_capability_minor: int
    maximum_texture1d_mipmapped_width: int
    stream_priorities_supported: int
    global_l1_cache_supported: int
    local_l1_cache_supported: int
    max_shared_memory_per_multiprocessor: int
    max_registers_per_multiprocessor: int
    managed_memory: int
    multi_gpu_board: int
    multi_gpu_board_group_id: int
    host_native_atomic_supported: int
    single_to_double_precision_perf_ratio: int
    pageable_memory_access: int
    concurrent_managed_access: int
    compute_preemption_supported: int
    can_use_host_pointer_for_registered_mem: int
    cooperative_launch: int
    max_shared_memory_per_block_optin: int
    can_flush_remote_writes: int
    host_register_supported: int
    pageable_memory_access_uses_host_page_tables: int
    direct_managed_mem_access_from_host: int
    virtual_memory_management_supported: int
    handle_type_posix_file_descriptor_supported: int
    handle_type_win32_handle_supported: int
    handle_type_win32_kmt_handle_supported: int
    max_blocks_per_multiprocessor: int
    generic_compression_supported: int
    max_persisting_l2_cache_size: int
    max_access_policy_window_size: int
    gpu_direct_rdma_with_cuda_vmm_supported: int
    reserved_shared_memory_per_block: int
    sparse_cuda_array_supported: int
    read_only_host_register_supported: int
    timeline_semaphore_interop_supported: int
    memory_pools_supported: int
    gpu_direct_rdma_supported: int
    gpu_direct_rdma_flush_writes_options: int
    gpu_direct_rdma_writes_ordering: int
    mempool_supported_handle_types: int
    cluster_launch: int
    deferred_mapping_cuda_array_supported: int
    can_use_64_bit_stream_mem_ops: int
    can_use_stream_wait_value_nor: int
    dma_buf_supported: int
    ipc_event_supported: int
    mem_sync_domain_count: int
    tensor_map_access_supported: int
    handle_type_fabric_supported: int
    unified_function_pointers: int
    numa_config: int
    numa_id: int
    multicast_supported: int
    mps_enabled: int
    host_numa_id: int
    d3d12_cig_supported: int
    mem_decompress_algorithm_mask: int
    mem_decompress_maximum_length: int
    vulkan_cig_supported: int
    gpu_pci_device_id: int
    gpu_pci_subsystem_id: int
    host_numa_virtual_memory_management_supported: int
    host_numa_memory_pools_supported: int
    host_numa_multinode_ipc_supported: int
    host_memory_pools_supported: int
    host_virtual_memory_management_supported: int
    host_alloc_dma_buf_supported: int
    only_partial_host_native_atomic_supported: int
    reserved: int

class cuc_device_sensors(ctypes.Structure):
    struct_size: int
    throttle: int
    sm_mhz: int
    memory_mhz: int
    milliwatts: int
    celsius: int
    known: int
    reserved: int

class cuc_dl_data_type(ctypes.Structure):
    code: int
    bits: int
    lanes: int

class cuc_dl_device(ctypes.Structure):
    device_type: int
    device_id: int

class cuc_dl_tensor(ctypes.Structure):
    data: Pointer
    device: Any
    ndim: int
    dtype: Any
    shape: Pointer
    strides: Pointer
    byte_offset: int

class cuc_dl_version(ctypes.Structure):
    major: int
    minor: int

class cuc_event_options(ctypes.Structure):
    struct_size: int
    flags: int
    reserved: int

class cuc_explanation(ctypes.Structure):
    struct_size: int
    symbol: bytes | None
    meaning: bytes | None
    remedy: bytes | None
    library: int
    code: int
    sticky: int
    reserved: int

class cuc_fatbin_options(ctypes.Structure):
    struct_size: int
    name: bytes | None
    compress: int
    ptx: int

class cuc_fatbin_part(ctypes.Structure):
    object: Pointer
    arch: bytes | None

class cuc_fill_2d_params(ctypes.Structure):
    struct_size: int
    dst: int
    pitch: int
    row_count: int
    rows: int
    pattern: int
    pattern_bytes: int

class cuc_gemm_args(ctypes.Structure):
    struct_size: int
    a: Pointer
    b: Pointer
    c: Pointer
    d: Pointer
    bias: Pointer
    residual: Pointer
    row_scale: Pointer
    column_scale: Pointer
    offsets: Pointer
    workspace: int
    workspace_bytes: int
    aux: Pointer
    bias_gradient: Pointer
    amax: Pointer
    a_scale: Pointer
    b_scale: Pointer

class cuc_gemm_choice(ctypes.Structure):
    struct_size: int
    tile_m: int
    tile_n: int
    tile_k: int
    stages: int
    cluster: int
    warps: int
    split: int
    raster: int
    parts: int
    pipeline: int
    d_dtype: int
    stream_k: int
    tiles: int
    seconds: float
    by: bytes | None
    cluster_n: int
    pack: int

class cuc_gemm_options(ctypes.Structure):
    struct_size: int
    form: int
    flags: int
    dtype: int
    d_dtype: int
    c_dtype: int
    accumulator: int
    precision: int
    a_order: int
    b_order: int
    d_order: int
    activation: int
    bias: int
    bias_dtype: int
    residual_dtype: int
    m: int
    n: int
    k: int
    batch: int
    tile_m: int
    tile_n: int
    tile_k: int
    stages: int
    cluster: int
    warps: int
    split: int
    raster: int
    parts: int
    stream_k: int
    workspace_bytes: int
    arch: bytes | None
    tuned: bytes | None
    cache: Pointer
    cluster_n: int
    pack: int
    alignment: int
    aux_dtype: int
    bias_gradient: int
    bias_gradient_dtype: int
    sm_count: int
    a_scale_rows: int
    b_scale_columns: int
    reserved: int

class cuc_graph_exec_options(ctypes.Structure):
    struct_size: int
    upload: Pointer
    flags: int
    reserved: int

class cuc_ipc_handle(ctypes.Structure):
    bytes: Any

class cuc_kernel_parameter(ctypes.Structure):
    struct_size: int
    offset: int
    bytes: int
    type: int
    reserved: int

class cuc_launch_attribute_value_window(ctypes.Structure):
    base: int
    bytes: int
    hit_ratio: float
    hit: int
    miss: int

class cuc_launch_attribute_value_event(ctypes.Structure):
    event: Pointer
    trigger_at_start: int
    flags: int

class cuc_launch_attribute_value_domain_map(ctypes.Structure):
    default_domain: int
    remote_domain: int

class cuc_launch_attribute_value_device_node(ctypes.Structure):
    updatable: int
    node: Pointer

class cuc_launch_attribute_value(ctypes.Union):
    value: int
    cluster: Any
    window: cuc_launch_attribute_value_window
    event: cuc_launch_attribute_value_event
    domain_map: cuc_launch_attribute_value_domain_map
    device_node: cuc_launch_attribute_value_device_node
    raw: Any

class cuc_launch_attribute(ctypes.Structure):
    id: int
    reserved: int
    value: cuc_launch_attribute_value

class cuc_launch_config(ctypes.Structure):
    struct_size: int
    grid: Any
    block: Any
    cluster: Any
    shared_bytes: int
    flags: int
    attribute_count: int
    attributes: Pointer

class cuc_linker_options(ctypes.Structure):
    struct_size: int
    name: bytes | None
    arch: bytes | None
    backend: int
    max_register_count: int
    time: int
    verbose: int
    link_time_optimization: int
    keep_ptx: int
    optimization_level: int
    debug: int
    lineinfo: int
    ftz: int
    prec_div: int
    prec_sqrt: int
    fma: int
    optimize_unused_variables: int
    split_compile: int
    split_compile_extended: int
    no_cache: int
    numba_debug: int
    kernels_used: Pointer
    kernels_used_count: int
    variables_used: Pointer
    variables_used_count: int
    ptxas_options: Pointer
    ptxas_option_count: int
    extra_options: Pointer
    extra_option_count: int
    cache: Pointer

class cuc_memory_batch(ctypes.Structure):
    struct_size: int
    ptrs: Pointer
    bytes: Pointer
    count: int
    locations: Pointer
    location_count: int

class cuc_memory_callbacks(ctypes.Structure):
    struct_size: int
    user: Pointer
    allocate: Any
    deallocate: Any
    destroy: Any
    device: Pointer
    access: int
    reserved: int

class cuc_memory_location(ctypes.Structure):
    type: int
    id: int

class cuc_memory_piece(ctypes.Structure):
    bytes: int
    fd: int
    reserved: int

class cuc_memory_pool_options(ctypes.Structure):
    struct_size: int
    max_bytes: int
    release_threshold: int
    kind: int
    flags: int
    location: Any

class cuc_memory_pool_statistics(ctypes.Structure):
    struct_size: int
    reserved_bytes: int
    reserved_high: int
    used_bytes: int
    used_high: int

class cuc_memory_virtual_options(ctypes.Structure):
    struct_size: int
    reserve_bytes: int
    align: int
    peers: Pointer
    peer_count: int
    location: Any
    flags: int
    reserved: int

class cuc_object_mapping(ctypes.Structure):
    expression: bytes | None
    symbol: bytes | None

class cuc_object_options(ctypes.Structure):
    struct_size: int
    name: bytes | None
    ptx: Pointer
    ptx_bytes: int
    names: Pointer
    name_count: int

class cuc_occupancy_options(ctypes.Structure):
    struct_size: int
    shared_bytes: int
    block_limit: int
    flags: int
    reserved: int
    shared_of_block: Any
    user: Pointer

class cuc_pointer_info(ctypes.Structure):
    struct_size: int
    base: int
    bytes: int
    device_pointer: int
    host_pointer: Pointer
    pool: Pointer
    buffer_id: int
    kind: int
    device: int
    access: int
    mapped: int

class cuc_program_header(ctypes.Structure):
    name: bytes | None
    text: bytes | None
    bytes: int

class cuc_program_options(ctypes.Structure):
    struct_size: int
    name: bytes | None
    arch: bytes | None
    relocatable_device_code: int
    extensible_whole_program: int
    debug: int
    lineinfo: int
    device_code_optimize: int
    max_register_count: int
    ftz: int
    prec_sqrt: int
    prec_div: int
    fma: int
    use_fast_math: int
    extra_device_vectorization: int
    modify_stack_limit: int
    link_time_optimization: int
    gen_opt_lto: int
    device_stack_protector: int
    jump_table_density: int
    split_compile: int
    no_source_include: int
    no_default_headers: int
    use_bundled_headers: int
    builtin_move_forward: int
    builtin_initializer_list: int
    disable_warnings: int
    restrict_pointers: int
    device_as_default_execution_space: int
    device_int128: int
    device_float128: int
    display_error_number: int
    brief_diagnostics: int
    version_ident: int
    fdevice_syntax_only: int
    minimal: int
    no_cache: int
    numba_debug: int
    pch: int
    pch_verbose: int
    pch_messages: int
    instantiate_templates_in_pch: int
    reserved: int
    std: bytes | None
    ofast_compile: bytes | None
    optimization_info: bytes | None
    time: bytes | None
    fdevice_time_trace: bytes | None
    frandom_seed: bytes | None
    create_pch: bytes | None
    use_pch: bytes | None
    pch_dir: bytes | None
    define_macros: Pointer
    define_macro_count: int
    undefine_macros: Pointer
    undefine_macro_count: int
    include_paths: Pointer
    include_path_count: int
    pre_includes: Pointer
    pre_include_count: int
    ptxas_options: Pointer
    ptxas_option_count: int
    diag_error: Pointer
    diag_error_count: int
    diag_suppress: Pointer
    diag_suppress_count: int
    diag_warn: Pointer
    diag_warn_count: int
    headers: Pointer
    header_count: int
    name_expressions: Pointer
    name_expression_count: int
    extra_options: Pointer
    extra_option_count: int
    constants: Pointer
    constant_count: int
    warps: int
    remarks: int
    require_tma: int
    require_tensor_core: int
    stages: int
    cluster: int
    split: int
    raster: int
    dimensions: Pointer
    dimension_count: int
    tuned: bytes | None
    budget_operations: int
    budget_ptx_bytes: int
    budget_memory_bytes: int
    budget_seconds: float
    cancel: Any
    cancel_user: Pointer
    cache: Pointer

class cuc_python_argument(ctypes.Structure):
    type: Pointer
    how: int
    dtype: int

class cuc_python_launch(ctypes.Structure):
    stream: Pointer
    config: Pointer
    kernel: Pointer
    args: Pointer
    arg_count: int

class cuc_python_plan(ctypes.Structure):
    kernel: Pointer
    arguments: Pointer
    count: int

class cuc_sms(ctypes.Structure):
    count: int
    least: int
    alignment: int
    reserved: int
    driver: Any

class cuc_stream_options(ctypes.Structure):
    struct_size: int
    priority: int
    flags: int

class cuc_tensor(ctypes.Structure):
    data: int
    dtype: int
    rank: int
    device: int
    flags: int
    shape: Any
    strides: Any

class cuc_tensor_map(ctypes.Structure):
    words: Any

class cuc_tensor_map_image(ctypes.Structure):
    struct_size: int
    lower: Any
    upper: Any
    channels: int
    pixels: int

class cuc_tensor_map_options(ctypes.Structure):
    struct_size: int
    dtype: int
    interleave: int
    swizzle: int
    l2_promotion: int
    fill: int
    flags: int
    steps: Any
    reserved: int

class cuc_tile_access_options(ctypes.Structure):
    struct_size: int
    shape: Pointer
    rank: int
    pad: int
    mask: int
    order: int
    scope: int
    latency: int
    tma: int
    cache: int
    inside: int
    reserved: int

class cuc_tile_budget(ctypes.Structure):
    struct_size: int
    budget_operations: int
    budget_ptx_bytes: int
    budget_memory_bytes: int
    budget_seconds: float
    cancel: Any
    cancel_user: Pointer

class cuc_tile_entry(ctypes.Structure):
    struct_size: int
    variant: bytes | None
    threads: int
    static_shared_bytes: int
    dynamic_shared_bytes: int
    registers: int
    stack_bytes: int
    reserved: int

class cuc_tile_interpret_options(ctypes.Structure):
    struct_size: int
    grid: Any
    reserved: int
    print: Any
    user: Pointer
    stop: Any

class cuc_tile_parameter(ctypes.Structure):
    struct_size: int
    name: bytes | None
    dtype: int
    rank: int
    written: int
    reserved: int

class cuc_tuned_record(ctypes.Structure):
    struct_size: int
    gpu: bytes | None
    toolkit: bytes | None
    program: bytes | None
    kernel: bytes | None
    constants: bytes | None
    dimensions: bytes | None
    choice: bytes | None
    seconds: float

class cuc_copy_attributes(ctypes.Structure):
    source_order: int
    flags: int
    src_hint: Any
    dst_hint: Any

class cuc_dl_managed_tensor(ctypes.Structure):
    dl_tensor: Any
    manager_ctx: Pointer
    deleter: Any

class cuc_dl_managed_tensor_versioned(ctypes.Structure):
    version: Any
    manager_ctx: Pointer
    deleter: Any
    flags: int
    dl_tensor: Any

def cuc_algorithm_args_init(args: Pointer, caller_size: int) -> None:
    """Set arguments to their defaults."""
def cuc_algorithm_create(out: Pointer, device: Pointer, options: Pointer) -> int:
    """Create a plan:"""
def cuc_algorithm_options_init(options: Pointer, caller_size: int) -> None:
    """Set every option to its default."""
def cuc_algorithm_release(plan: Pointer) -> None:
    """Release a reference; the last one frees the plan."""
def cuc_algorithm_retain(plan: Pointer) -> int | None:
    """Add a reference to a plan."""
def cuc_algorithm_run(stream: Pointer, plan: Pointer, args: Pointer) -> int:
    """Run a plan, in stream order."""
def cuc_algorithm_source(plan: Pointer) -> bytes | None:
    """The tile program of a plan, to read or to start from."""
def cuc_algorithm_workspace_bytes(plan: Pointer, count: int) -> int:
    """The size of the workspace that a call needs."""
def cuc_attention(stream: Pointer, plan: Pointer, args: Pointer) -> int:
    """Compute attention in stream order:"""
def cuc_attention_append(stream: Pointer, plan: Pointer, args: Pointer) -> int:
    """Append new keys and values to a cache in stream order, before a cuc_attention() that sees them."""
def cuc_attention_args_init(args: Pointer, caller_size: int) -> None:
    """Set arguments to their defaults."""
def cuc_attention_backward(stream: Pointer, plan: Pointer, args: Pointer) -> int:
    """Compute the gradients of q, k and v, of sinks, and of side arrays that train, in stream order."""
def cuc_attention_options_init(options: Pointer, caller_size: int) -> None:
    """Set every option to its default."""
def cuc_attention_plan_create(out: Pointer, device: Pointer, options: Pointer) -> int:
    """Create a plan:"""
def cuc_attention_plan_get_choice(out: Pointer, plan: Pointer) -> int:
    """The choice made for a plan."""
def cuc_attention_plan_release(plan: Pointer) -> None:
    """Release a reference; the last one frees the plan."""
def cuc_attention_plan_retain(plan: Pointer) -> int | None:
    """Add a reference to a plan."""
def cuc_attention_plan_source(plan: Pointer, index: int) -> bytes | None:
    """The tile program of a plan, to read or to start from."""
def cuc_attention_plan_workspace_bytes(plan: Pointer, batch: int, heads: int, queries: int, key_heads: int, keys: int) -> int:
    """The size of the workspace that a call needs, of either function."""
def cuc_buffer_access(buffer: Pointer) -> int:
    """The parties that can access a buffer."""
def cuc_buffer_bytes(buffer: Pointer) -> int:
    """The length of a buffer."""
def cuc_buffer_copy(stream: Pointer, dst: Pointer, dst_offset: int, src: Pointer, src_offset: int, bytes: int) -> int:
    """Copy bytes from one buffer into another, in stream order."""
def cuc_buffer_create(out: Pointer, stream: Pointer, resource: Pointer, bytes: int) -> int:
    """Allocate a buffer."""
def cuc_buffer_device(buffer: Pointer) -> int | None:
    """The device that owns a buffer's memory."""
def cuc_buffer_export(out: Pointer, buffer: Pointer) -> int:
    """Export a buffer to a process that has imported its pool."""
def cuc_buffer_export_pieces(pieces: Pointer, capacity: int, count: Pointer, buffer: Pointer) -> int:
    """Export the memory of a virtual-memory buffer to another process, as one file descriptor per piece."""
def cuc_buffer_fill(stream: Pointer, buffer: Pointer, offset: int, pattern: int, pattern_bytes: int, bytes: int) -> int:
    """Fill a part of a buffer with a pattern, in stream order."""
def cuc_buffer_from_ipc_handle(out: Pointer, stream: Pointer, pool: Pointer, handle: Pointer, bytes: int) -> int:
    """Import another process's buffer."""
def cuc_buffer_from_pieces(out: Pointer, stream: Pointer, resource: Pointer, pieces: Pointer, count: int, bytes: int) -> int:
    """Create a buffer over memory of another process."""
def cuc_buffer_from_pointer(out: Pointer, ptr: int, bytes: int, options: Pointer) -> int:
    """Create a buffer over existing memory:"""
def cuc_buffer_get_host_pointer(out: Pointer, buffer: Pointer) -> int:
    """The CPU address of a buffer of pinned, managed or host memory."""
def cuc_buffer_grow(out: Pointer, buffer: Pointer, bytes: int) -> int:
    """Create a buffer of another size over the memory of an existing buffer, which stays unchanged."""
def cuc_buffer_memory_resource(buffer: Pointer) -> int | None:
    """The resource that will free a buffer."""
def cuc_buffer_options_init(options: Pointer, caller_size: int) -> None:
    """Zero a cuc_buffer_options and write its size."""
def cuc_buffer_owner(buffer: Pointer) -> int | None:
    """The owner that was passed to cuc_buffer_from_pointer()."""
def cuc_buffer_parent(buffer: Pointer) -> int | None:
    """The buffer that a slice belongs to."""
def cuc_buffer_ptr(buffer: Pointer) -> int:
    """The address of a buffer."""
def cuc_buffer_read_async(stream: Pointer, dst: Pointer, buffer: Pointer, offset: int, bytes: int) -> int:
    """Copy bytes from a buffer to the host, in stream order."""
def cuc_buffer_release(buffer: Pointer) -> None:
    """Release a buffer; the last release frees the memory."""
def cuc_buffer_retain(buffer: Pointer) -> int | None:
    """Add a reference to a buffer."""
def cuc_buffer_set_stream(buffer: Pointer, stream: Pointer) -> int:
    """Set the stream that will free a buffer."""
def cuc_buffer_slice(out: Pointer, parent: Pointer, offset: int, bytes: int) -> int:
    """Create a buffer over a part of another, which it retains."""
def cuc_buffer_stream(buffer: Pointer) -> int | None:
    """The stream that will free a buffer."""
def cuc_buffer_write_async(stream: Pointer, buffer: Pointer, offset: int, src: Pointer, bytes: int) -> int:
    """Copy bytes from the host into a buffer, in stream order."""
def cuc_cache_clear(cache: Pointer) -> int:
    """Remove every entry."""
def cuc_cache_default() -> int | None:
    """The default cache, which programs use unless they name another one."""
def cuc_cache_get_info(out: Pointer, cache: Pointer) -> int:
    """Read the state of a cache."""
def cuc_cache_list(cache: Pointer, visit: Pointer, user: Pointer) -> int:
    """Visit every entry."""
def cuc_cache_none() -> int | None:
    """A cache that stores nothing."""
def cuc_cache_open(out: Pointer, options: Pointer) -> int:
    """Open a cache of your own."""
def cuc_cache_options_init(options: Pointer, caller_size: int) -> None:
    """Set every option to its default."""
def cuc_cache_read(cache: Pointer, key: Pointer, key_bytes: int, receive: Pointer, user: Pointer) -> int:
    """Read an entry of your own, which cuc_cache_write() has stored under the same key."""
def cuc_cache_release(cache: Pointer) -> None:
    """Drop a reference to a cache; its files stay."""
def cuc_cache_remove(cache: Pointer, key: Pointer, key_bytes: int) -> int:
    """Remove an entry of your own, even if it is damaged."""
def cuc_cache_retain(cache: Pointer) -> int | None:
    """Add a reference to a cache."""
def cuc_cache_verify(damaged: Pointer, cache: Pointer) -> int:
    """Check every entry and remove the damaged ones."""
def cuc_cache_write(cache: Pointer, key: Pointer, key_bytes: int, label: bytes | None, data: Pointer, bytes: int) -> int:
    """Store an entry of your own."""
def cuc_code_from_name(name: bytes | None) -> int:
    """The kind of object code with a given name."""
def cuc_code_name(kind: int) -> bytes | None:
    """The name of a kind of object code, such as 'cubin'."""
def cuc_context_device(context: Pointer) -> int | None:
    """The device of a context."""
def cuc_context_disable_peer_access(context: Pointer, peer: Pointer) -> int:
    """Undo cuc_context_enable_peer_access()."""
def cuc_context_enable_peer_access(context: Pointer, peer: Pointer) -> int:
    """Let the kernels of a context access memory that was allocated in another device's context."""
def cuc_context_event_create(out: Pointer, context: Pointer, options: Pointer) -> int:
    """Create an event in any context."""
def cuc_context_from_handle(out: Pointer, handle: Pointer) -> int:
    """Wrap a context that was created with the driver."""
def cuc_context_get_current(out: Pointer) -> int:
    """The context that is current on the calling thread."""
def cuc_context_get_id(out: Pointer, context: Pointer) -> int:
    """An identifier that is unique among all contexts the process ever has."""
def cuc_context_get_limit(out: Pointer, context: Pointer, limit: int) -> int:
    """Read a limit of a context."""
def cuc_context_get_priority_range(least: Pointer, greatest: Pointer, context: Pointer) -> int:
    """The range of stream priorities in a context."""
def cuc_context_handle(context: Pointer) -> int | None:
    """The driver's handle of a context."""
def cuc_context_is_lost(context: Pointer) -> int:
    """Check whether an earlier failure destroyed a context."""
def cuc_context_is_primary(context: Pointer) -> int:
    """Check whether a context is its device's primary context."""
def cuc_context_release(context: Pointer) -> None:
    """Release a context."""
def cuc_context_retain(context: Pointer) -> int | None:
    """Add a reference to a context."""
def cuc_context_set_current(context: Pointer, previous: Pointer) -> int:
    """Make a context current on the calling thread."""
def cuc_context_set_limit(context: Pointer, limit: int, value: int) -> int:
    """Set a limit of a context; the driver may round the value."""
def cuc_context_stream_create(out: Pointer, context: Pointer, options: Pointer) -> int:
    """Create a stream in any context."""
def cuc_context_synchronize(context: Pointer) -> int:
    """Wait until all work in a context is complete."""
def cuc_copy(stream: Pointer, dst: int, src: int, bytes: int) -> int:
    """Copy bytes in any direction, in stream order."""
def cuc_copy_2d(stream: Pointer, params: Pointer) -> int:
    """Copy a rectangle of bytes in any direction, in stream order."""
def cuc_copy_2d_params_init(params: Pointer, caller_size: int) -> None:
    """Zero a cuc_copy_2d_params and write its size."""
def cuc_copy_3d(stream: Pointer, params: Pointer) -> int:
    """Copy a box of bytes in any direction, in stream order."""
def cuc_copy_3d_params_init(params: Pointer, caller_size: int) -> None:
    """Zero a cuc_copy_3d_params and write its size."""
def cuc_copy_batch(stream: Pointer, params: Pointer) -> int:
    """Enqueue several copies at once, in any directions."""
def cuc_copy_batch_params_init(params: Pointer, caller_size: int) -> None:
    """Zero a cuc_copy_batch_params and write its size."""
def cuc_copy_peer(stream: Pointer, dst: int, dst_device: Pointer, src: int, src_device: Pointer, bytes: int) -> int:
    """Copy bytes from one device to another, in stream order, naming both devices."""
def cuc_copy_to_device(stream: Pointer, dst: int, src: Pointer, bytes: int) -> int:
    """Copy bytes from the host to a device, in stream order."""
def cuc_copy_to_host(stream: Pointer, dst: Pointer, src: int, bytes: int) -> int:
    """Copy bytes from a device to the host, in stream order."""
def cuc_device_arch(device: Pointer) -> bytes | None:
    """The architecture to compile for on a device, such as 'sm_90'."""
def cuc_device_attribute_at(attribute: Pointer, name: Pointer, unit: Pointer, index: int) -> int:
    """The value, name and unit of the listed attribute at an index."""
def cuc_device_attribute_count() -> int:
    """The number of attributes that cuc_device_attribute_at() can enumerate."""
def cuc_device_attribute_from_name(out: Pointer, name: bytes | None) -> int:
    """The attribute with a given name, such as 'max_threads_per_block'."""
def cuc_device_can_access_peer(out: Pointer, device: Pointer, peer: Pointer) -> int:
    """Check whether kernels on a device can access another device's memory."""
def cuc_device_get(out: Pointer, ordinal: int) -> int:
    """The device with a given ordinal."""
def cuc_device_get_attribute(out: Pointer, device: Pointer, attribute: int) -> int:
    """Read one attribute."""
def cuc_device_get_by_pci_bus_id(out: Pointer, bus_id: bytes | None) -> int:
    """The device at a given PCI address."""
def cuc_device_get_compute_capability(major: Pointer, minor: Pointer, device: Pointer) -> int:
    """The compute capability of a device."""
def cuc_device_get_context(out: Pointer, device: Pointer) -> int:
    """The primary context of a device, which the CUDA runtime uses too."""
def cuc_device_get_count(out: Pointer) -> int:
    """The number of devices that the driver sees."""
def cuc_device_get_current(out: Pointer) -> int:
    """The device of the calling thread's current context, or device 0 when it has none."""
def cuc_device_get_graph_memory(out: Pointer, device: Pointer, which: int) -> int:
    """Read the size of a device's graph memory."""
def cuc_device_get_memory_info(free_bytes: Pointer, total_bytes: Pointer, device: Pointer) -> int:
    """The total and the currently free memory of a device."""
def cuc_device_get_memory_resource(out: Pointer, device: Pointer) -> int:
    """The default resource of a device, for buffers created without one."""
def cuc_device_get_peer_attribute(out: Pointer, device: Pointer, peer: Pointer, attribute: int) -> int:
    """Read one property of the connection between two devices."""
def cuc_device_get_properties(out: Pointer, device: Pointer) -> int:
    """Read every attribute at once."""
def cuc_device_get_sensors(out: Pointer, device: Pointer, wanted: int) -> int:
    """Read clocks, temperature, power and the reasons for low clocks from NVML."""
def cuc_device_get_sms(out: Pointer, device: Pointer) -> int:
    """All multiprocessors of a device."""
def cuc_device_get_uuid_bytes(out: Pointer, device: Pointer) -> int:
    """The sixteen bytes of a device's UUID."""
def cuc_device_handle(device: Pointer) -> int:
    """The driver's handle of a device."""
def cuc_device_name(device: Pointer) -> bytes | None:
    """The name of a device, such as 'NVIDIA H200'."""
def cuc_device_ordinal(device: Pointer) -> int:
    """The ordinal of a device."""
def cuc_device_pci_bus_id(device: Pointer) -> bytes | None:
    """The PCI address of a device, '0000:3b:00.0'."""
def cuc_device_reset_graph_memory(device: Pointer, which: int) -> int:
    """Reset a high-water mark of graph memory to the current size."""
def cuc_device_set_current(device: Pointer, previous: Pointer) -> int:
    """Make a device's primary context current on the calling thread."""
def cuc_device_set_memory_resource(device: Pointer, resource: Pointer) -> int:
    """Set the default resource of a device, for the whole process."""
def cuc_device_synchronize(device: Pointer) -> int:
    """Wait until all work in a device's primary context is complete."""
def cuc_device_trim_graph_memory(device: Pointer) -> int:
    """Return memory that is kept for later graph launches to the system."""
def cuc_device_uuid(device: Pointer) -> bytes | None:
    """The UUID of a device in the form that NVML and nvidia-smi use:"""
def cuc_driver_get_path(out: Pointer) -> int:
    """The file from which the driver was loaded."""
def cuc_driver_get_version(out: Pointer) -> int:
    """The newest CUDA version that the driver supports."""
def cuc_driver_is_simulated() -> int:
    """Check whether the driver is the simulated one, which CUCORE_DRIVER can select."""
def cuc_dtype_bits(dtype: int) -> int:
    """The size of an element in bits."""
def cuc_dtype_from_name(name: bytes | None) -> int:
    """The element type with a given name."""
def cuc_dtype_name(dtype: int) -> bytes | None:
    """The name of an element type, such as 'f32'."""
def cuc_error_clear() -> None:
    """Clear the thread's last failure."""
def cuc_error_explanation() -> bytes | None:
    """The meaning of the failure and its remedy, in plain words."""
def cuc_error_function() -> bytes | None:
    """The public function that failed, such as 'cuc_stream_create'."""
def cuc_error_library() -> int:
    """The library that reported the failure."""
def cuc_error_library_call() -> bytes | None:
    """The library function that failed, such as 'cuMemAllocAsync'."""
def cuc_error_library_code() -> int:
    """The error code that the library returned, such as a CUresult."""
def cuc_error_library_symbol() -> bytes | None:
    """The symbolic name of the library's error code, such as 'CUDA_ERROR_OUT_OF_MEMORY'."""
def cuc_error_log() -> bytes | None:
    """The log that came with the failure:"""
def cuc_error_message() -> bytes | None:
    """The thread's last failure as one readable paragraph, notes included."""
def cuc_error_note(index: int) -> bytes | None:
    """One note of the failure."""
def cuc_error_note_count() -> int:
    """The number of notes that the failure carries."""
def cuc_error_set(status: int, function: bytes | None, message: bytes | None) -> int:
    """Set the thread's last failure."""
def cuc_error_status() -> int:
    """The status of the thread's last failure."""
def cuc_event_context(event: Pointer) -> int | None:
    """The context of an event."""
def cuc_event_create(out: Pointer, device: Pointer, options: Pointer) -> int:
    """Create an event in a device's primary context."""
def cuc_event_device(event: Pointer) -> int | None:
    """The device of an event."""
def cuc_event_export(out: Pointer, event: Pointer) -> int:
    """Export an event to another process."""
def cuc_event_flags(event: Pointer) -> int:
    """The flags that an event was created with."""
def cuc_event_from_handle(out: Pointer, handle: Pointer, context: Pointer, flags: int) -> int:
    """Wrap an event that was created elsewhere:"""
def cuc_event_from_ipc_handle(out: Pointer, device: Pointer, handle: Pointer) -> int:
    """Import another process's event, to wait for its recording."""
def cuc_event_get_elapsed(milliseconds: Pointer, start: Pointer, end: Pointer) -> int:
    """The time between two events, measured on the device."""
def cuc_event_get_fd(out: Pointer, event: Pointer) -> int:
    """Create a file descriptor for poll(), epoll or asyncio."""
def cuc_event_handle(event: Pointer) -> int | None:
    """The driver's handle of an event, which is also its cudaEvent_t."""
def cuc_event_options_init(options: Pointer, caller_size: int) -> None:
    """Zero options and write their size."""
def cuc_event_query(event: Pointer) -> int:
    """Check whether an event has completed, without waiting."""
def cuc_event_record(stream: Pointer, event: Pointer) -> int:
    """Record an event."""
def cuc_event_record_external(stream: Pointer, event: Pointer) -> int:
    """Add a node that records an event for work outside the graph."""
def cuc_event_release(event: Pointer) -> None:
    """Release an event."""
def cuc_event_retain(event: Pointer) -> int | None:
    """Add a reference to an event."""
def cuc_event_synchronize(event: Pointer) -> int:
    """Wait until an event has completed."""
def cuc_explain(out: Pointer, library: int, code: int) -> int:
    """Explain a library's error code."""
def cuc_explain_at(out: Pointer, library: int, index: int) -> int:
    """The explanation at an index, in order of ascending code."""
def cuc_explain_count(library: int) -> int:
    """The number of codes of a library that cuc_explain_at() can enumerate."""
def cuc_explain_text(out: Pointer, text: bytes | None) -> int:
    """Explain a code given as a string, by name or number:"""
def cuc_fatbin_create(out: Pointer, parts: Pointer, count: int, options: Pointer) -> int:
    """Pack compiled code for several architectures into a fat binary."""
def cuc_fatbin_options_init(options: Pointer, caller_size: int) -> None:
    """Set options to their defaults."""
def cuc_fill(stream: Pointer, ptr: int, pattern: int, pattern_bytes: int, count: int) -> int:
    """Fill device memory with a pattern, in stream order."""
def cuc_fill_2d(stream: Pointer, params: Pointer) -> int:
    """Fill a rectangle of a device's memory with a pattern, in stream order."""
def cuc_fill_2d_params_init(params: Pointer, caller_size: int) -> None:
    """Zero a cuc_fill_2d_params and write its size."""
def cuc_find_header_count() -> int:
    """The number of names that cuc_find_header_dir() knows."""
def cuc_find_header_dir(out: Pointer, name: bytes | None) -> int:
    """Find the folder of a library's headers, as a compiler takes it after -I."""
def cuc_find_header_name(index: int) -> bytes | None:
    """A name that cuc_find_header_dir() knows."""
def cuc_find_library(out: Pointer, name: bytes | None) -> int:
    """Find a library."""
def cuc_find_library_count() -> int:
    """The number of libraries that cuc_find_library() knows."""
def cuc_find_library_name(index: int) -> bytes | None:
    """The name of a library that cuc_find_library() knows."""
def cuc_found_method(found: Pointer) -> bytes | None:
    """The method by which the library or folder was found, one of those in the table above."""
def cuc_found_path(found: Pointer) -> bytes | None:
    """The path of the library file, or of the folder of headers."""
def cuc_found_release(found: Pointer) -> None:
    """Release a reference to a search result; the last one frees it."""
def cuc_found_retain(found: Pointer) -> int | None:
    """Add a reference to a search result."""
def cuc_found_tried_at(found: Pointer, index: int) -> bytes | None:
    """A location that was tried first, as one line:"""
def cuc_found_tried_count(found: Pointer) -> int:
    """The number of locations that were tried first."""
def cuc_gemm(stream: Pointer, plan: Pointer, alpha: float, beta: float, args: Pointer) -> int:
    """Compute a product, in stream order:"""
def cuc_gemm_args_init(args: Pointer, caller_size: int) -> None:
    """Set arguments to their defaults."""
def cuc_gemm_batched(stream: Pointer, plan: Pointer, alpha: float, beta: float, args: Pointer) -> int:
    """Compute many products of the same shape, in stream order, each like cuc_gemm()."""
def cuc_gemm_grouped(stream: Pointer, plan: Pointer, alpha: float, beta: float, args: Pointer) -> int:
    """Compute many products in stream order."""
def cuc_gemm_options_init(options: Pointer, caller_size: int) -> None:
    """Set every option to its default."""
def cuc_gemm_options_set_choice(options: Pointer, choice: bytes | None) -> int:
    """Apply a choice to options."""
def cuc_gemm_plan_create(out: Pointer, device: Pointer, options: Pointer) -> int:
    """Create a plan:"""
def cuc_gemm_plan_get_choice(out: Pointer, plan: Pointer) -> int:
    """The choice made for a plan."""
def cuc_gemm_plan_get_record(out: Pointer, plan: Pointer) -> int:
    """A plan's choice as a record, for code that has measured it and stores it with cuc_tuned_add()."""
def cuc_gemm_plan_release(plan: Pointer) -> None:
    """Release a reference; the last one frees the plan."""
def cuc_gemm_plan_retain(plan: Pointer) -> int | None:
    """Add a reference to a plan."""
def cuc_gemm_plan_source(plan: Pointer, index: int) -> bytes | None:
    """The tile program of a plan, to read or to start from."""
def cuc_gemm_plan_workspace_bytes(plan: Pointer, m: int, n: int, k: int) -> int:
    """The size of the workspace that a product needs; for CUC_GEMM_BATCHED, each product of the batch."""
def cuc_gemm_visit_candidates(device: Pointer, options: Pointer, visit: Pointer, user: Pointer) -> int:
    """Enumerate the candidates of a plan for a shape, with the cost model's estimate of each."""
def cuc_graph_add_edges(graph: Pointer, from_: Pointer, to: Pointer, count: int) -> int:
    """Add edges."""
def cuc_graph_add_empty(out: Pointer, graph: Pointer, after: Pointer, count: int) -> int:
    """Add an empty node with dependencies:"""
def cuc_graph_condition_create(out: Pointer, graph: Pointer, default_value: int, flags: int) -> int:
    """Create a condition for a node of a graph."""
def cuc_graph_create(out: Pointer, device: Pointer) -> int:
    """Create a graph without nodes."""
def cuc_graph_exec_flags(exec: Pointer) -> int:
    """The flags that an instance was created with."""
def cuc_graph_exec_get_enabled(out: Pointer, exec: Pointer, node: Pointer) -> int:
    """Check whether launches of an instance run a node."""
def cuc_graph_exec_handle(exec: Pointer) -> int | None:
    """The driver's handle of an instance, which is also its cudaGraphExec_t."""
def cuc_graph_exec_launch(stream: Pointer, exec: Pointer) -> int:
    """Launch an instance."""
def cuc_graph_exec_options_init(options: Pointer, caller_size: int) -> None:
    """Zero options and write their size."""
def cuc_graph_exec_release(exec: Pointer) -> None:
    """Release an instance."""
def cuc_graph_exec_retain(exec: Pointer) -> int | None:
    """Add a reference to an instance."""
def cuc_graph_exec_set_enabled(exec: Pointer, node: Pointer, enabled: int) -> int:
    """Disable a node for the launches of an instance, or enable it again."""
def cuc_graph_exec_update(exec: Pointer, graph: Pointer) -> int:
    """Update an instance to another graph that has the same nodes and edges but other parameters, such as a new capture of the same code."""
def cuc_graph_exec_upload(stream: Pointer, exec: Pointer) -> int:
    """Upload an instance to the device, so that its first launch is as fast as the others."""
def cuc_graph_get_dot(text: Pointer, bytes: Pointer, graph: Pointer, flags: int) -> int:
    """Draw a graph in Graphviz's DOT language."""
def cuc_graph_get_edge_count(out: Pointer, graph: Pointer) -> int:
    """The number of edges of a graph."""
def cuc_graph_get_edges(from_: Pointer, to: Pointer, capacity: int, graph: Pointer) -> int:
    """The edges of a graph."""
def cuc_graph_get_node_count(out: Pointer, graph: Pointer) -> int:
    """The number of nodes of a graph."""
def cuc_graph_get_node_types(types: Pointer, capacity: int, graph: Pointer) -> int:
    """The types of a graph's nodes, in the driver's order."""
def cuc_graph_get_nodes(nodes: Pointer, capacity: int, graph: Pointer) -> int:
    """The nodes of a graph, in the driver's order, the same as in cuc_graph_get_node_types()."""
def cuc_graph_handle(graph: Pointer) -> int | None:
    """The driver's handle of a graph, which is also its cudaGraph_t."""
def cuc_graph_instantiate(out: Pointer, graph: Pointer, options: Pointer) -> int:
    """Create an instance of a graph."""
def cuc_graph_keep(graph: Pointer, owner: Pointer, drop_owner: Pointer) -> int:
    """Make a graph hold a user object."""
def cuc_graph_keep_buffer(graph: Pointer, buffer: Pointer) -> int:
    """Make a graph hold a buffer, like cuc_graph_keep()."""
def cuc_graph_release(graph: Pointer) -> None:
    """Release a graph."""
def cuc_graph_remove_edges(graph: Pointer, from_: Pointer, to: Pointer, count: int) -> int:
    """Remove edges."""
def cuc_graph_retain(graph: Pointer) -> int | None:
    """Add a reference to a graph."""
def cuc_graph_write_dot(graph: Pointer, path: bytes | None, flags: int) -> int:
    """Draw a graph into a file, for `dot -Tsvg`."""
def cuc_green_context_create(out: Pointer, device: Pointer, sms: Pointer, count: int) -> int:
    """Create a green context."""
def cuc_green_context_device(context: Pointer) -> int | None:
    """The device of a green context."""
def cuc_green_context_get_sms(out: Pointer, context: Pointer) -> int:
    """The multiprocessors of a green context, which can be split again."""
def cuc_green_context_handle(context: Pointer) -> int | None:
    """The driver's handle of a green context."""
def cuc_green_context_release(context: Pointer) -> None:
    """Release a green context."""
def cuc_green_context_retain(context: Pointer) -> int | None:
    """Add a reference to a green context."""
def cuc_green_context_stream_create(out: Pointer, context: Pointer, options: Pointer) -> int:
    """Create a stream whose kernels run on the multiprocessors of a green context."""
def cuc_histogram(stream: Pointer, low: float, high: float, x: Pointer, counts: Pointer) -> int:
    """Count the elements of each bin, in stream order."""
def cuc_host_address(host: Pointer) -> int:
    """Convert a host address to the form that copies take:"""
def cuc_host_get_device_pointer(out: Pointer, device: Pointer, host: Pointer) -> int:
    """The address that kernels use for page-locked host memory."""
def cuc_host_register(device: Pointer, host: Pointer, bytes: int, flags: int) -> int:
    """Page-lock existing host memory, so that copies run at full speed and in stream order and kernels can access it."""
def cuc_host_unregister(device: Pointer, host: Pointer) -> int:
    """Undo cuc_host_register()."""
def cuc_kernel_attribute_from_name(name: bytes | None) -> int:
    """The attribute with a given name."""
def cuc_kernel_attribute_name(attribute: int) -> bytes | None:
    """The name of an attribute, such as 'num_regs'."""
def cuc_kernel_from_handle(out: Pointer, handle: Pointer, object: Pointer) -> int:
    """Wrap a CUkernel that was loaded elsewhere."""
def cuc_kernel_from_source(out: Pointer, source_kind: int, text: bytes | None, bytes: int, name: bytes | None, options: Pointer) -> int:
    """Compile a source text and look up one of its kernels, in one call."""
def cuc_kernel_from_symbol(out: Pointer, symbol: Pointer) -> int:
    """Find a kernel that nvcc compiled into the program, by its host symbol."""
def cuc_kernel_get_attribute(out: Pointer, kernel: Pointer, device: Pointer, attribute: int) -> int:
    """Read an attribute of a kernel on one device."""
def cuc_kernel_get_function(out: Pointer, kernel: Pointer, device: Pointer) -> int:
    """The driver's CUfunction of a kernel on one device, for calls that do not take a CUkernel."""
def cuc_kernel_get_parameter(out: Pointer, kernel: Pointer, index: int) -> int:
    """One parameter of a kernel."""
def cuc_kernel_get_parameter_count(out: Pointer, kernel: Pointer) -> int:
    """The number of parameters of a kernel."""
def cuc_kernel_handle(kernel: Pointer) -> int | None:
    """The driver's CUkernel."""
def cuc_kernel_name(kernel: Pointer) -> bytes | None:
    """The name under which a kernel was requested:"""
def cuc_kernel_object(kernel: Pointer) -> int | None:
    """The object that a kernel belongs to."""
def cuc_kernel_release(kernel: Pointer) -> None:
    """Release a reference to a kernel; the last one releases its object."""
def cuc_kernel_retain(kernel: Pointer) -> int | None:
    """Add a reference to a kernel."""
def cuc_kernel_set_attribute(kernel: Pointer, device: Pointer, attribute: int, value: int) -> int:
    """Set an attribute of a kernel on one device, for every handle of the kernel and every context of the device."""
def cuc_kernel_set_cache_config(kernel: Pointer, device: Pointer, config: int) -> int:
    """Set a kernel's preference between shared memory and L1 cache on one device."""
def cuc_kernel_symbol(kernel: Pointer) -> bytes | None:
    """The symbol of a kernel in its object code; mangled for C++."""
def cuc_launch(stream: Pointer, config: Pointer, kernel: Pointer, args: Pointer, count: int) -> int:
    """Launch a kernel in stream order."""
def cuc_launch_config_for(config: Pointer, kernel: Pointer, device: Pointer, n: int) -> int:
    """Choose a grid and a block with one thread for each of n elements."""
def cuc_launch_config_init(config: Pointer, caller_size: int) -> None:
    """Zero a config and write its size."""
def cuc_launch_host(stream: Pointer, fn: Pointer, user: Pointer) -> int:
    """Call a function on the host when the stream reaches it."""
def cuc_launch_is_blocking() -> int:
    """Check whether every launch waits for completion, so that a failure names its kernel."""
def cuc_library_count() -> int:
    """The number of families in the kernel library."""
def cuc_library_get_source(source: Pointer, name: bytes | None) -> int:
    """Look up a family's tile program, to read, to change or to pass to cuc_program_create()."""
def cuc_library_name(index: int) -> bytes | None:
    """The name of a family, in alphabetical order."""
def cuc_linker_add(linker: Pointer, object: Pointer) -> int:
    """Add an object."""
def cuc_linker_add_data(linker: Pointer, kind: int, data: Pointer, bytes: int, name: bytes | None) -> int:
    """Add code from memory."""
def cuc_linker_add_file(linker: Pointer, kind: int, path: bytes | None) -> int:
    """Add a file of code."""
def cuc_linker_backend(linker: Pointer) -> bytes | None:
    """The name of the linker's implementation."""
def cuc_linker_create(out: Pointer, options: Pointer) -> int:
    """Create a linker without inputs, and choose its implementation."""
def cuc_linker_error_log(linker: Pointer) -> bytes | None:
    """The errors of the last link."""
def cuc_linker_flag(linker: Pointer, index: int) -> bytes | None:
    """One of the flags counted by cuc_linker_flag_count(), exactly as nvJitLink receives it."""
def cuc_linker_flag_count(linker: Pointer) -> int:
    """The number of flags passed to nvJitLink."""
def cuc_linker_info_log(linker: Pointer) -> bytes | None:
    """The times, register counts and warnings that the last link reported; no errors."""
def cuc_linker_link(out: Pointer, linker: Pointer, target: int) -> int:
    """Link all inputs."""
def cuc_linker_options_init(options: Pointer, caller_size: int) -> None:
    """Set every option to its default."""
def cuc_linker_release(linker: Pointer) -> None:
    """Release a reference; the last one frees the linker and its inputs."""
def cuc_linker_retain(linker: Pointer) -> int | None:
    """Add a reference to a linker."""
def cuc_memory_advise(ptr: int, bytes: int, advice: int, location: Pointer) -> int:
    """Advise the driver how a range of managed memory will be used."""
def cuc_memory_allocate(out: Pointer, stream: Pointer, resource: Pointer, bytes: int) -> int:
    """Allocate a bare address from a resource."""
def cuc_memory_batch_init(batch: Pointer, caller_size: int) -> None:
    """Zero a cuc_memory_batch and write its size."""
def cuc_memory_callbacks_init(callbacks: Pointer, caller_size: int) -> None:
    """Zero a cuc_memory_callbacks and write its size."""
def cuc_memory_discard(stream: Pointer, ptr: int, bytes: int) -> int:
    """Tell the driver that the contents of managed memory are no longer needed, in stream order."""
def cuc_memory_discard_and_prefetch_batch(stream: Pointer, batch: Pointer) -> int:
    """Discard several ranges of managed memory and prefetch each to its location, without moving their contents."""
def cuc_memory_discard_batch(stream: Pointer, batch: Pointer) -> int:
    """Discard several ranges of managed memory, each like cuc_memory_discard()."""
def cuc_memory_free(stream: Pointer, resource: Pointer, ptr: int, bytes: int) -> int:
    """Free memory from cuc_memory_allocate()."""
def cuc_memory_get_accessed_by(count: Pointer, devices: Pointer, capacity: int, ptr: int, bytes: int) -> int:
    """The devices for which a range of managed memory stays mapped."""
def cuc_memory_get_granularity(out: Pointer, resource: Pointer) -> int:
    """The size of the pieces that a virtual-memory resource allocates."""
def cuc_memory_get_last_prefetch(out: Pointer, ptr: int, bytes: int) -> int:
    """The location to which a range of managed memory was last prefetched."""
def cuc_memory_get_pointer_info(out: Pointer, ptr: int) -> int:
    """Query the driver about an address of any allocator, including the CUDA runtime's."""
def cuc_memory_get_preferred_location(out: Pointer, ptr: int, bytes: int) -> int:
    """The preferred location of a range of managed memory."""
def cuc_memory_get_read_mostly(out: Pointer, ptr: int, bytes: int) -> int:
    """Check whether all of a range of managed memory is advised as read-mostly."""
def cuc_memory_kind_name(kind: int) -> bytes | None:
    """The name of a kind of memory, such as 'pinned'."""
def cuc_memory_pool_create(out: Pointer, device: Pointer, options: Pointer) -> int:
    """Create a memory pool."""
def cuc_memory_pool_export(out: Pointer, pool: Pointer) -> int:
    """Export a pool as a file descriptor, with which another process imports the pool."""
def cuc_memory_pool_from_fd(out: Pointer, device: Pointer, fd: int) -> int:
    """Import another process's pool."""
def cuc_memory_pool_from_handle(out: Pointer, device: Pointer, kind: int, pool: Pointer, owner: Pointer, drop_owner: Pointer) -> int:
    """Wrap a pool that was created with the driver or the runtime."""
def cuc_memory_pool_get_access(out: Pointer, pool: Pointer, peer: Pointer) -> int:
    """Read a device's access to the memory of a pool."""
def cuc_memory_pool_get_attribute(out: Pointer, pool: Pointer, attribute: int) -> int:
    """Read an attribute of a pool."""
def cuc_memory_pool_get_current(out: Pointer, device: Pointer, kind: int) -> int:
    """The device's current pool for a kind of memory, which cudaMallocAsync() and all other code in the process share."""
def cuc_memory_pool_get_default(out: Pointer, device: Pointer, kind: int) -> int:
    """The driver's default pool for a kind of memory, even when another pool is current."""
def cuc_memory_pool_get_statistics(out: Pointer, pool: Pointer) -> int:
    """Read the size of a pool."""
def cuc_memory_pool_handle(pool: Pointer) -> int | None:
    """The driver's handle of a pool."""
def cuc_memory_pool_make_current(pool: Pointer) -> int:
    """Make a pool the current one of its kind."""
def cuc_memory_pool_options_init(options: Pointer, caller_size: int) -> None:
    """Zero a cuc_memory_pool_options and write its size."""
def cuc_memory_pool_reset_high_watermarks(pool: Pointer) -> int:
    """Reset both high-water marks of a pool to its current size."""
def cuc_memory_pool_set_access(pool: Pointer, peer: Pointer, access: int) -> int:
    """Grant or revoke a device's access to the memory of a pool."""
def cuc_memory_pool_set_attribute(pool: Pointer, attribute: int, value: int) -> int:
    """Set an attribute of a pool."""
def cuc_memory_pool_trim(pool: Pointer, keep_bytes: int) -> int:
    """Return a pool's unused memory to the system."""
def cuc_memory_prefetch(stream: Pointer, ptr: int, bytes: int, location: Pointer) -> int:
    """Migrate managed memory to a location, in stream order."""
def cuc_memory_prefetch_batch(stream: Pointer, batch: Pointer) -> int:
    """Migrate several ranges of managed memory, each to its location, in stream order."""
def cuc_memory_resource_access(resource: Pointer) -> int:
    """The parties that can access a resource's memory."""
def cuc_memory_resource_create(out: Pointer, callbacks: Pointer) -> int:
    """Create a resource from user-defined callbacks."""
def cuc_memory_resource_device(resource: Pointer) -> int | None:
    """The device that owns the memory of a resource."""
def cuc_memory_resource_is_pool(resource: Pointer) -> int:
    """Check whether a resource is a driver pool, which the cuc_memory_pool_ functions accept."""
def cuc_memory_resource_kind(resource: Pointer) -> int:
    """The kind of memory that a resource allocates."""
def cuc_memory_resource_release(resource: Pointer) -> None:
    """Release a resource; the last release destroys it."""
def cuc_memory_resource_retain(resource: Pointer) -> int | None:
    """Add a reference to a resource."""
def cuc_memory_synchronous_create(out: Pointer, device: Pointer, kind: int) -> int:
    """Create a resource that allocates directly from the driver, without a pool."""
def cuc_memory_virtual_create(out: Pointer, device: Pointer, options: Pointer) -> int:
    """Create a resource whose buffers can grow."""
def cuc_memory_virtual_options_init(options: Pointer, caller_size: int) -> None:
    """Zero options and write their size."""
def cuc_merge(stream: Pointer, x: Pointer, y: Pointer, z: Pointer) -> int:
    """Merge two sorted arrays, in stream order:"""
def cuc_node_get_graph(out: Pointer, graph: Pointer, node: Pointer) -> int:
    """The graph that a node of type CUC_NODE_GRAPH runs:"""
def cuc_node_get_launch(config: Pointer, kernel: Pointer, node: Pointer) -> int:
    """The launch of a node of type CUC_NODE_KERNEL."""
def cuc_node_get_type(out: Pointer, node: Pointer) -> int:
    """The type of a node."""
def cuc_node_type_name(type: int) -> bytes | None:
    """The name of a type of node, such as 'kernel'."""
def cuc_nvfatbin_get_version(major: Pointer, minor: Pointer) -> int:
    """The version of nvFatbin, which packs code of several architectures."""
def cuc_nvjitlink_get_version(major: Pointer, minor: Pointer) -> int:
    """The version of nvJitLink, the linker of device code."""
def cuc_nvml_get_driver_version(out: Pointer, size: int) -> int:
    """The version of the kernel-mode NVIDIA driver, as NVML and nvidia-smi report it, such as '580.65.06'."""
def cuc_nvrtc_get_archs(count: Pointer, out: Pointer, capacity: int) -> int:
    """The compute capabilities for which NVRTC can compile, in ascending order."""
def cuc_nvrtc_get_version(major: Pointer, minor: Pointer) -> int:
    """The version of NVRTC, the compiler of CUDA C++."""
def cuc_object_create(out: Pointer, kind: int, data: Pointer, bytes: int, options: Pointer) -> int:
    """Create an object from code in memory."""
def cuc_object_from_file(out: Pointer, path: bytes | None, kind: int, options: Pointer) -> int:
    """Create an object from a file."""
def cuc_object_get_code(data: Pointer, bytes: Pointer, object: Pointer) -> int:
    """The code itself."""
def cuc_object_get_global(out: Pointer, bytes: Pointer, object: Pointer, device: Pointer, name: bytes | None) -> int:
    """The address of a `__device__` or `__constant__` variable on one device."""
def cuc_object_get_kernel(out: Pointer, object: Pointer, name: bytes | None) -> int:
    """A kernel of the object, by its symbol or by a name expression that the object knows."""
def cuc_object_get_kernel_count(out: Pointer, object: Pointer) -> int:
    """The number of kernels in the code."""
def cuc_object_get_kernel_name(out: Pointer, object: Pointer, index: int) -> int:
    """The symbol of one of the kernels, to pass to cuc_object_get_kernel()."""
def cuc_object_get_library(out: Pointer, object: Pointer) -> int:
    """The driver's CUlibrary."""
def cuc_object_get_managed(out: Pointer, bytes: Pointer, object: Pointer, device: Pointer, name: bytes | None) -> int:
    """The address of a `__managed__` variable, which is the same on the host and on every device."""
def cuc_object_get_mapping(out: Pointer, object: Pointer, index: int) -> int:
    """One name expression and its symbol."""
def cuc_object_get_module(out: Pointer, object: Pointer, device: Pointer) -> int:
    """The driver's CUmodule of the object on one device, for calls that do not take a library."""
def cuc_object_get_ptx(text: Pointer, bytes: Pointer, object: Pointer) -> int:
    """The PTX of the code:"""
def cuc_object_get_unified_function(out: Pointer, object: Pointer, name: bytes | None) -> int:
    """The unified address of a device function, which is valid on every device."""
def cuc_object_kind(object: Pointer) -> int:
    """The kind of code in an object."""
def cuc_object_load_log(object: Pointer) -> bytes | None:
    """The log that the driver's compiler wrote while loading the object."""
def cuc_object_log(object: Pointer) -> bytes | None:
    """The log of the compiler or linker that made the object, which may contain warnings."""
def cuc_object_mapping_count(object: Pointer) -> int:
    """The number of name expressions whose symbols the object knows."""
def cuc_object_name(object: Pointer) -> bytes | None:
    """The name of an object in messages."""
def cuc_object_options_init(options: Pointer, caller_size: int) -> None:
    """Set options to their defaults."""
def cuc_object_release(object: Pointer) -> None:
    """Release a reference to an object; the last one unloads the library."""
def cuc_object_retain(object: Pointer) -> int | None:
    """Add a reference to an object."""
def cuc_object_save(object: Pointer, path: bytes | None) -> int:
    """Write the code to a file, completely or not at all."""
def cuc_occupancy_available_dynamic_shared(out: Pointer, kernel: Pointer, device: Pointer, blocks: int, block_threads: int) -> int:
    """The dynamic shared memory available to each block when `blocks` blocks run on one multiprocessor."""
def cuc_occupancy_max_active_blocks(out: Pointer, kernel: Pointer, device: Pointer, block_threads: int, shared_bytes: int, flags: int) -> int:
    """The number of blocks of a kernel that one multiprocessor can run concurrently."""
def cuc_occupancy_max_active_clusters(out: Pointer, kernel: Pointer, device: Pointer, config: Pointer) -> int:
    """The number of clusters of a launch that the device runs concurrently."""
def cuc_occupancy_max_potential_block_size(grid: Pointer, block: Pointer, kernel: Pointer, device: Pointer, options: Pointer) -> int:
    """The block size with the highest occupancy of a kernel on a device."""
def cuc_occupancy_max_potential_cluster_size(out: Pointer, kernel: Pointer, device: Pointer, config: Pointer) -> int:
    """The largest cluster that a launch with a config can have."""
def cuc_occupancy_options_init(options: Pointer, caller_size: int) -> None:
    """Set options to their defaults."""
def cuc_parameter_type_name(type: int) -> bytes | None:
    """The name of a parameter type, such as 'float'."""
def cuc_program_backend(program: Pointer) -> bytes | None:
    """The compiler used by the last compilation or, before the first, by the next one."""
def cuc_program_compile(out: Pointer, program: Pointer, target: int) -> int:
    """Compile a program."""
def cuc_program_compile_ns(program: Pointer) -> int:
    """The duration of the last compilation, even if it failed."""
def cuc_program_create(out: Pointer, source_kind: int, text: bytes | None, bytes: int, options: Pointer) -> int:
    """Create a program from a source text."""
def cuc_program_flag(program: Pointer, target: int, index: int) -> bytes | None:
    """One of the flags counted by cuc_program_flag_count(), exactly as the compiler receives it."""
def cuc_program_flag_count(program: Pointer, target: int) -> int:
    """The number of flags passed to the compiler for a kind of code."""
def cuc_program_from_library(out: Pointer, name: bytes | None, options: Pointer) -> int:
    """Create a program from a family of the kernel library."""
def cuc_program_get_key(out: Pointer, program: Pointer, target: int) -> int:
    """The key under which a cache keeps the code of a program."""
def cuc_program_log(program: Pointer) -> bytes | None:
    """The compiler's log of the last compilation, including the warnings of a successful one."""
def cuc_program_options_init(options: Pointer, caller_size: int) -> None:
    """Set every option to its default."""
def cuc_program_pch_status(program: Pointer) -> int:
    """The last compilation's outcome for the precompiled header."""
def cuc_program_release(program: Pointer) -> None:
    """Release a reference; the last one frees the program."""
def cuc_program_retain(program: Pointer) -> int | None:
    """Add a reference to a program."""
def cuc_python_add_call(type: Pointer) -> int:
    """Make the objects of a Python class callable."""
def cuc_python_add_dlpack(type: Pointer) -> int:
    """Add the DLPack protocol to a Python class of arrays:"""
def cuc_python_add_methods(type: Pointer, name: bytes | None) -> int:
    """Replace methods and properties of a class of the Python package with the library's C versions."""
def cuc_python_get_base(out: Pointer, name: bytes | None) -> int:
    """Create the base type of a class of the Python package, with the fields that C code reads."""
def cuc_python_get_launch(out: Pointer, slowly: Pointer) -> int:
    """Create a Python function `launch(stream, config, kernel, *args)`."""
def cuc_reduce(stream: Pointer, fn: bytes | None, identity: bytes | None, x: Pointer, y: Pointer) -> int:
    """Reduce an array to one element, in stream order."""
def cuc_runtime_get_version(out: Pointer) -> int:
    """The version of the CUDA runtime."""
def cuc_runtime_set_device(device: Pointer) -> int:
    """Make a device the runtime's current device on the calling thread, like cudaSetDevice()."""
def cuc_scan(stream: Pointer, fn: bytes | None, identity: bytes | None, flags: int, x: Pointer, y: Pointer) -> int:
    """Scan an array, in stream order:"""
def cuc_search(stream: Pointer, flags: int, sorted: Pointer, values: Pointer, at: Pointer) -> int:
    """Search for each value in a sorted array, in stream order:"""
def cuc_select(stream: Pointer, fn: bytes | None, x: Pointer, y: Pointer, count: Pointer) -> int:
    """Keep the elements that a function accepts, in their order and in stream order."""
def cuc_set_failure_handler(handler: Pointer, user: Pointer) -> None:
    """Set the process-wide handler of failures that no call can return."""
def cuc_set_library_path(name: bytes | None, path: bytes | None) -> int:
    """Set the file of a library."""
def cuc_sms_split(groups: Pointer, count: Pointer, rest: Pointer, from_: Pointer, least: int, flags: int) -> int:
    """Split multiprocessors into groups of the same size."""
def cuc_sort(stream: Pointer, flags: int, keys_in: Pointer, keys_out: Pointer, values_in: Pointer, values_out: Pointer) -> int:
    """Sort an array, with values that follow their keys, in stream order."""
def cuc_status_name(status: int) -> bytes | None:
    """The name of a status, such as 'CUC_ERROR_NOT_FOUND'."""
def cuc_status_text(status: int) -> bytes | None:
    """The meaning of a status, in a few words."""
def cuc_stream_add_callback(stream: Pointer, callback: Pointer, user: Pointer) -> int:
    """Call a function on the host when the stream reaches it, even if earlier work failed."""
def cuc_stream_add_conditional(bodies: Pointer, count: int, stream: Pointer, condition: int, type: int) -> int:
    """Add a conditional node to the graph that a stream is captured into, after the stream's work so far."""
def cuc_stream_begin_capture(stream: Pointer, mode: int) -> int:
    """Begin capturing a stream."""
def cuc_stream_begin_capture_to(stream: Pointer, graph: Pointer, after: Pointer, count: int, mode: int) -> int:
    """Begin capturing a stream into an existing graph, after some of its nodes."""
def cuc_stream_cancel_capture(stream: Pointer) -> int:
    """End a capture and discard its nodes, for cleanup after a failure."""
def cuc_stream_condition_create(out: Pointer, stream: Pointer, default_value: int, flags: int) -> int:
    """Create a condition for a node of the graph that a stream is captured into."""
def cuc_stream_context(stream: Pointer) -> int | None:
    """The context of a stream."""
def cuc_stream_copy_attributes(stream: Pointer, from_: Pointer) -> int:
    """Give a stream the attributes of another stream, such as its priority and its L2 access policy window."""
def cuc_stream_create(out: Pointer, device: Pointer, options: Pointer) -> int:
    """Create a stream in a device's primary context."""
def cuc_stream_device(stream: Pointer) -> int | None:
    """The device that a stream runs on."""
def cuc_stream_embed_graph(stream: Pointer, graph: Pointer) -> int:
    """Add a whole graph as one node to the graph being captured, after the stream's work so far."""
def cuc_stream_end_capture(out: Pointer, stream: Pointer) -> int:
    """End a capture and return its graph."""
def cuc_stream_from_handle(out: Pointer, handle: Pointer, owner: Pointer, drop_owner: Pointer) -> int:
    """Wrap a stream that was created elsewhere:"""
def cuc_stream_get_capture_info(out: Pointer, stream: Pointer) -> int:
    """Read the capture state of a stream, even if cucore did not begin the capture."""
def cuc_stream_get_capture_nodes(nodes: Pointer, capacity: int, count: Pointer, stream: Pointer) -> int:
    """The nodes on which the next work on a captured stream will depend."""
def cuc_stream_get_default(out: Pointer, device: Pointer, which: int) -> int:
    """A default stream of a device's primary context."""
def cuc_stream_get_flags(out: Pointer, stream: Pointer) -> int:
    """The flags of a stream."""
def cuc_stream_get_id(out: Pointer, stream: Pointer) -> int:
    """An identifier that is unique among all streams the process ever has."""
def cuc_stream_get_priority(out: Pointer, stream: Pointer) -> int:
    """The actual priority of a stream."""
def cuc_stream_handle(stream: Pointer) -> int | None:
    """The driver's handle of a stream, which is also its cudaStream_t."""
def cuc_stream_is_capturing(out: Pointer, stream: Pointer) -> int:
    """Check whether work enqueued on a stream is being captured into a graph instead of executed."""
def cuc_stream_options_init(options: Pointer, caller_size: int) -> None:
    """Zero options and write their size."""
def cuc_stream_query(stream: Pointer) -> int:
    """Check whether all work on a stream is complete, without waiting."""
def cuc_stream_release(stream: Pointer) -> None:
    """Release a stream."""
def cuc_stream_retain(stream: Pointer) -> int | None:
    """Add a reference to a stream."""
def cuc_stream_synchronize(stream: Pointer) -> int:
    """Wait until all work on a stream is complete."""
def cuc_stream_wait_event(stream: Pointer, event: Pointer) -> int:
    """Make later work on a stream wait for an event."""
def cuc_stream_wait_external(stream: Pointer, event: Pointer) -> int:
    """Add a node that waits for an event recorded outside the graph."""
def cuc_stream_wait_stream(stream: Pointer, other: Pointer) -> int:
    """Make later work on a stream wait for all work now on another stream."""
def cuc_stream_wait_value(stream: Pointer, address: int, value: int, bytes: int, compare: int) -> int:
    """Make later work on a stream wait until a word of memory satisfies a comparison."""
def cuc_stream_write_value(stream: Pointer, address: int, value: int, bytes: int, flags: int) -> int:
    """Write a word of memory in stream order."""
def cuc_tensor_bytes(tensor: Pointer) -> int:
    """The size of a tensor's elements in bytes, without gaps."""
def cuc_tensor_check(tensor: Pointer) -> int:
    """Check that a tensor's fields are valid."""
def cuc_tensor_elements(tensor: Pointer) -> int:
    """The number of elements of a tensor:"""
def cuc_tensor_from_buffer(out: Pointer, buffer: Pointer, dtype: int, rank: int, shape: Pointer) -> int:
    """Initialize a contiguous tensor at the start of a buffer."""
def cuc_tensor_from_dlpack(out: Pointer, managed: Pointer) -> int:
    """Read a DLPack tensor."""
def cuc_tensor_from_dlpack_unversioned(out: Pointer, managed: Pointer) -> int:
    """Read a DLPack tensor in the format before 1.0, which has no read-only flag."""
def cuc_tensor_from_pointer(out: Pointer, data: int, dtype: int, rank: int, shape: Pointer, device: int) -> int:
    """Initialize a contiguous tensor, with the last dimension fastest."""
def cuc_tensor_is_contiguous(tensor: Pointer) -> int:
    """Check whether a tensor is contiguous, with the last dimension fastest."""
def cuc_tensor_map_encode_im2col(out: Pointer, tensor: Pointer, image: Pointer, options: Pointer) -> int:
    """Encode a map of images whose copies transfer columns of pixels (im2col)."""
def cuc_tensor_map_encode_im2col_wide(out: Pointer, tensor: Pointer, image: Pointer, options: Pointer) -> int:
    """Encode a map of images whose copies transfer columns of pixels only along W:"""
def cuc_tensor_map_encode_tiled(out: Pointer, tensor: Pointer, box: Pointer, options: Pointer) -> int:
    """Encode a map of a tensor whose copies transfer a box."""
def cuc_tensor_map_options_init(options: Pointer, caller_size: int) -> None:
    """Zero options and write their size."""
def cuc_tensor_map_replace_address(map: Pointer, tensor: Pointer) -> int:
    """Point a map at another array of the same shape, strides and type."""
def cuc_tensor_to_dlpack(out: Pointer, tensor: Pointer, owner: Pointer) -> int:
    """Export a tensor to another library as DLPack."""
def cuc_tensor_to_dlpack_unversioned(out: Pointer, tensor: Pointer, owner: Pointer) -> int:
    """Export a tensor to a library that supports only the format before DLPack 1.0."""
def cuc_tile_abs(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the absolute value"""
def cuc_tile_access_options_init(options: Pointer, caller_size: int) -> None:
    """Set options to their defaults."""
def cuc_tile_add(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x + y"""
def cuc_tile_add_round(program: Pointer, file: bytes | None, line: int, x: int, y: int, round: int) -> int:
    """RN, RZ, RM, RP"""
def cuc_tile_all(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer) -> int:
    """bools:"""
def cuc_tile_any(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer) -> int:
    """bools:"""
def cuc_tile_argmax(program: Pointer, file: bytes | None, line: int, x: int, axis: int) -> int:
    """the index of the largest"""
def cuc_tile_argmax_nan(program: Pointer, file: bytes | None, line: int, x: int, axis: int) -> int:
    """the index of the largest, or of the first NaN"""
def cuc_tile_argmin(program: Pointer, file: bytes | None, line: int, x: int, axis: int) -> int:
    """the index of the smallest:"""
def cuc_tile_argmin_nan(program: Pointer, file: bytes | None, line: int, x: int, axis: int) -> int:
    """the index of the smallest, or of the first NaN"""
def cuc_tile_asm(program: Pointer, file: bytes | None, line: int, text: bytes | None, dtype: int, count: int, x: Pointer) -> int:
    """Insert PTX for each element."""
def cuc_tile_assert(program: Pointer, file: bytes | None, line: int, condition: int, text: bytes | None) -> None:
    """End the kernel with a message if an element is false."""
def cuc_tile_assume(program: Pointer, file: bytes | None, line: int, x: int, divisor: int) -> int:
    """Promise that `divisor` divides each element of x."""
def cuc_tile_atan2(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """the angle of the point (y, x):"""
def cuc_tile_atomic_add(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> int:
    """adds"""
def cuc_tile_atomic_and(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> int:
    """bitwise"""
def cuc_tile_atomic_cas(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, expected: int, x: int, options: Pointer) -> int:
    """Atomically replace elements equal to `expected` by x, and return the old values."""
def cuc_tile_atomic_max(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> int:
    """keeps the larger"""
def cuc_tile_atomic_min(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> int:
    """keeps the smaller"""
def cuc_tile_atomic_or(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> int:
    """bitwise"""
def cuc_tile_atomic_xchg(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> int:
    """stores x"""
def cuc_tile_atomic_xor(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> int:
    """bitwise"""
def cuc_tile_bitand(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x & y:"""
def cuc_tile_bitcast(program: Pointer, file: bytes | None, line: int, x: int, dtype: int) -> int:
    """Reinterpret the bits as another element type."""
def cuc_tile_bitnot(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """~x:"""
def cuc_tile_bitor(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x | y:"""
def cuc_tile_bitxor(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x ^ y:"""
def cuc_tile_block(program: Pointer, file: bytes | None, line: int, axis: int) -> int:
    """The index of this block in the grid."""
def cuc_tile_bool(program: Pointer, file: bytes | None, line: int, value: int) -> int:
    """Create a bool constant."""
def cuc_tile_break(program: Pointer, file: bytes | None, line: int) -> None:
    """Leave the innermost loop."""
def cuc_tile_broadcast(program: Pointer, file: bytes | None, line: int, x: int, rank: int, shape: Pointer) -> int:
    """Repeat a tile along axes of extent 1 and along new leading axes."""
def cuc_tile_budget_init(budget: Pointer, caller_size: int) -> None:
    """Set every field of a budget to its default."""
def cuc_tile_cast(program: Pointer, file: bytes | None, line: int, x: int, dtype: int, round: int) -> int:
    """Convert to another element type."""
def cuc_tile_cat(program: Pointer, file: bytes | None, line: int, x: int, y: int, axis: int) -> int:
    """Concatenate two tiles along an axis."""
def cuc_tile_cdiv(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x / y, rounded up:"""
def cuc_tile_ceil(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the next integer at or above"""
def cuc_tile_continue(program: Pointer, file: bytes | None, line: int) -> None:
    """Continue with the next iteration of the innermost loop."""
def cuc_tile_copysign(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """the magnitude of x with the sign of y:"""
def cuc_tile_cos(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the cosine"""
def cuc_tile_cosh(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the hyperbolic cosine"""
def cuc_tile_cumprod(program: Pointer, file: bytes | None, line: int, x: int, axis: int, reverse: int) -> int:
    """the product of all elements up to this one, inclusive"""
def cuc_tile_cumsum(program: Pointer, file: bytes | None, line: int, x: int, axis: int, reverse: int) -> int:
    """the sum of all elements up to this one, inclusive"""
def cuc_tile_declare(program: Pointer, file: bytes | None, line: int, name: bytes | None, value: int) -> int:
    """Declare a variable, for a value that a loop carries or that an if defines."""
def cuc_tile_dim(program: Pointer, file: bytes | None, line: int, tensor: int, axis: int) -> int:
    """An extent of a tensor, which may be a slice."""
def cuc_tile_dimension(program: Pointer, file: bytes | None, line: int, name: bytes | None) -> int:
    """A dimension that a tensor's extents bind."""
def cuc_tile_div(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x / y; f32 for integers"""
def cuc_tile_div_round(program: Pointer, file: bytes | None, line: int, x: int, y: int, round: int) -> int:
    """RN, RZ, RM, RP; for f32 FULL, APPROX"""
def cuc_tile_divmod(quotient: Pointer, rest: Pointer, program: Pointer, file: bytes | None, line: int, x: int, y: int) -> None:
    """Compute x // y and x % y, as cuc_tile_floordiv() and cuc_tile_mod() do."""
def cuc_tile_dtype(program: Pointer, x: int) -> int:
    """The element type of a value."""
def cuc_tile_element(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer) -> int:
    """Load one element of a tensor."""
def cuc_tile_else(program: Pointer, file: bytes | None, line: int) -> None:
    """Begin the code for a false condition, up to the matching cuc_tile_end()."""
def cuc_tile_end(program: Pointer, file: bytes | None, line: int) -> None:
    """End the innermost cuc_tile_for(), cuc_tile_loop() or cuc_tile_if()."""
def cuc_tile_enter(program: Pointer, file: bytes | None, line: int) -> None:
    """Mark the following calls as the work of a function that builds code."""
def cuc_tile_eq(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x == y:"""
def cuc_tile_erf(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the error function"""
def cuc_tile_exp(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """e ** x"""
def cuc_tile_exp2(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """2 ** x"""
def cuc_tile_exp2_round(program: Pointer, file: bytes | None, line: int, x: int, round: int) -> int:
    """RN; for f32 FULL, APPROX"""
def cuc_tile_exp_round(program: Pointer, file: bytes | None, line: int, x: int, round: int) -> int:
    """RN; for f32 FULL, APPROX"""
def cuc_tile_expand(program: Pointer, file: bytes | None, line: int, x: int, axis: int) -> int:
    """Insert an axis of extent 1, like None in a subscript."""
def cuc_tile_expm1(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """e ** x - 1, exact for small x"""
def cuc_tile_extent(program: Pointer, x: int, axis: int) -> int:
    """The extent of an axis of a tile."""
def cuc_tile_extract(program: Pointer, file: bytes | None, line: int, x: int, count: int, index: Pointer, rank: int, shape: Pointer) -> int:
    """Extract a subtile."""
def cuc_tile_fact(program: Pointer, file: bytes | None, line: int, facts: bytes | None) -> None:
    """State facts that hold at every launch."""
def cuc_tile_float(program: Pointer, file: bytes | None, line: int, value: float) -> int:
    """Create a float constant."""
def cuc_tile_floor(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the next integer at or below"""
def cuc_tile_floordiv(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x // y, rounded down"""
def cuc_tile_fma(program: Pointer, file: bytes | None, line: int, x: int, y: int, z: int) -> int:
    """Compute x * y + z for floats, rounded once."""
def cuc_tile_fma_round(program: Pointer, file: bytes | None, line: int, x: int, y: int, z: int, round: int) -> int:
    """Compute x * y + z for floats, rounded once in a given direction."""
def cuc_tile_for(program: Pointer, file: bytes | None, line: int, first: int, last: int, step: int) -> int:
    """Begin a counting loop, which extends to the matching cuc_tile_end()."""
def cuc_tile_full(program: Pointer, file: bytes | None, line: int, dtype: int, rank: int, shape: Pointer, value: int) -> int:
    """Create a tile with one value in every element."""
def cuc_tile_full_list(program: Pointer, file: bytes | None, line: int, dtype: int, rank: int, shape: Pointer, count: int, values: Pointer) -> int:
    """Create a tile from a list of elements."""
def cuc_tile_gather(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, options: Pointer) -> int:
    """Load elements of a tensor, each by its own index."""
def cuc_tile_ge(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x >= y"""
def cuc_tile_get(program: Pointer, file: bytes | None, line: int, variable: int) -> int:
    """The current value of a variable."""
def cuc_tile_get_entry(out: Pointer, object: Pointer, kernel: bytes | None, index: int) -> int:
    """Read an entry of a tile kernel from object code."""
def cuc_tile_get_ir(text: Pointer, bytes: Pointer, program: Pointer) -> int:
    """The program in the compiler's simplified intermediate form, as a tile program with the same meaning."""
def cuc_tile_get_machine(text: Pointer, bytes: Pointer, program: Pointer) -> int:
    """The program in machine form, the last form before PTX:"""
def cuc_tile_get_parameter(out: Pointer, kernel: Pointer, index: int) -> int:
    """Read a parameter of a tile kernel."""
def cuc_tile_get_record(out: Pointer, program: Pointer, kernel: bytes | None) -> int:
    """The key of a kernel's tuning record:"""
def cuc_tile_gradient(program: Pointer, file: bytes | None, line: int, y: int, x: int, d: int) -> int:
    """Compute the gradient of x from that of y, a function of x:"""
def cuc_tile_gradient_at(program: Pointer, file: bytes | None, line: int, y: int, tensor: int, count: int, index: Pointer, d: int, each: int) -> int:
    """Compute the gradient of a tensor's elements from that of y, a function that reads them, as cuc_tile_gradient() does."""
def cuc_tile_grid(program: Pointer, file: bytes | None, line: int, grid: bytes | None) -> None:
    """Set the number of blocks of a launch, computed on the host in exact 64-bit integers."""
def cuc_tile_grid_dependency_launch(program: Pointer, file: bytes | None, line: int) -> None:
    """Let the next kernel begin once every block has reached this call or ended."""
def cuc_tile_grid_dependency_wait(program: Pointer, file: bytes | None, line: int) -> None:
    """Wait until the preceding kernels have ended and their writes are visible."""
def cuc_tile_gt(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x > y"""
def cuc_tile_histogram(program: Pointer, file: bytes | None, line: int, x: int, count: int) -> int:
    """Count the elements equal to 0, 1, ..., count - 1."""
def cuc_tile_if(program: Pointer, file: bytes | None, line: int, condition: int) -> None:
    """Begin the code for a true condition, up to the matching cuc_tile_else() or cuc_tile_end()."""
def cuc_tile_insert(program: Pointer, file: bytes | None, line: int, x: int, count: int, index: Pointer, y: int) -> int:
    """Copy a tile and replace one of its subtiles."""
def cuc_tile_int(program: Pointer, file: bytes | None, line: int, value: int) -> int:
    """Create an integer constant."""
def cuc_tile_interpret(program: Pointer, kernel: bytes | None, args: Pointer, count: int, options: Pointer) -> int:
    """Run a kernel of a tile program on the CPU, one block after another."""
def cuc_tile_interpret_options_init(options: Pointer, caller_size: int) -> None:
    """Set options to their defaults."""
def cuc_tile_iota(program: Pointer, file: bytes | None, line: int, dtype: int, count: int) -> int:
    """Create a tile of the numbers 0, 1, 2, ..."""
def cuc_tile_isinf(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """true if x is infinite:"""
def cuc_tile_isnan(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """true if x is NaN:"""
def cuc_tile_kernel_begin(program: Pointer, file: bytes | None, line: int, name: bytes | None) -> None:
    """Begin a kernel."""
def cuc_tile_kernel_end(program: Pointer, file: bytes | None, line: int) -> None:
    """End the kernel:"""
def cuc_tile_le(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x <= y"""
def cuc_tile_leave(program: Pointer) -> None:
    """End the effect of the last cuc_tile_enter()."""
def cuc_tile_load(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, rank: int, shape: Pointer, options: Pointer) -> int:
    """Load a tile of a tensor by tile index."""
def cuc_tile_load_at(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, rank: int, shape: Pointer, options: Pointer) -> int:
    """Load a tile of a tensor by the index of its first element."""
def cuc_tile_load_rows(program: Pointer, file: bytes | None, line: int, tensor: int, ids: int, count: int, index: Pointer, rank: int, shape: Pointer, options: Pointer) -> int:
    """Load rows of a tensor."""
def cuc_tile_log(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the natural logarithm"""
def cuc_tile_log1p(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the logarithm of 1 + x, exact for small x"""
def cuc_tile_log2(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the logarithm to base 2"""
def cuc_tile_loop(program: Pointer, file: bytes | None, line: int) -> None:
    """Begin an infinite loop, which extends to the matching cuc_tile_end()."""
def cuc_tile_lt(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x < y"""
def cuc_tile_matmul(program: Pointer, file: bytes | None, line: int, a: int, b: int) -> int:
    """Multiply two matrices, like `@`."""
def cuc_tile_max(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer) -> int:
    """the largest number"""
def cuc_tile_max_nan(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer) -> int:
    """the largest, or NaN"""
def cuc_tile_max_round(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer, round: int) -> int:
    """RN; CUC_TILE_NAN"""
def cuc_tile_maximum(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """the larger; the number if one is NaN"""
def cuc_tile_maximum_nan(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """the larger; NaN if one is NaN"""
def cuc_tile_maximum_round(program: Pointer, file: bytes | None, line: int, x: int, y: int, round: int) -> int:
    """RN; CUC_TILE_NAN"""
def cuc_tile_min(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer) -> int:
    """the smallest number"""
def cuc_tile_min_nan(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer) -> int:
    """the smallest, or NaN"""
def cuc_tile_min_round(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer, round: int) -> int:
    """RN; CUC_TILE_NAN"""
def cuc_tile_minimum(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """the smaller; the number if one is NaN"""
def cuc_tile_minimum_nan(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """the smaller; NaN if one is NaN"""
def cuc_tile_minimum_round(program: Pointer, file: bytes | None, line: int, x: int, y: int, round: int) -> int:
    """RN; CUC_TILE_NAN"""
def cuc_tile_mma(program: Pointer, file: bytes | None, line: int, a: int, b: int, acc: int, precision: int, fast_acc: int) -> int:
    """Add a matrix product to an accumulator."""
def cuc_tile_mod(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x % y, with the sign of y"""
def cuc_tile_mul(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x * y"""
def cuc_tile_mul_round(program: Pointer, file: bytes | None, line: int, x: int, y: int, round: int) -> int:
    """RN, RZ, RM, RP"""
def cuc_tile_name(program: Pointer, file: bytes | None, line: int, x: int, name: bytes | None) -> int:
    """Name a value in the program's text."""
def cuc_tile_ne(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x != y"""
def cuc_tile_neg(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """-x"""
def cuc_tile_num_blocks(program: Pointer, file: bytes | None, line: int, axis: int) -> int:
    """The number of blocks of the grid along an axis."""
def cuc_tile_permute(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer) -> int:
    """Permute the axes of a tile."""
def cuc_tile_philox(result: Pointer, program: Pointer, file: bytes | None, line: int, seed: int, counter: int) -> None:
    """Generate random bits, as four tiles of u32."""
def cuc_tile_place(program: Pointer, file: bytes | None, line: int, x: int, position: int, extent: int, pad: int) -> int:
    """Move element i of a tile to element position[i] of the result."""
def cuc_tile_pow(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x ** y:"""
def cuc_tile_print(program: Pointer, file: bytes | None, line: int, text: bytes | None, count: int, x: Pointer) -> None:
    """Print values when the kernel runs."""
def cuc_tile_prod(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer) -> int:
    """the product"""
def cuc_tile_prod_round(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer, round: int) -> int:
    """RN, RZ, RM, RP at each step"""
def cuc_tile_program_create(out: Pointer) -> int:
    """Create a program without kernels."""
def cuc_tile_program_finish(source: Pointer, program: Pointer) -> int:
    """Finish a program:"""
def cuc_tile_program_log(program: Pointer) -> bytes | None:
    """The errors so far, each as `FILE:LINE:"""
def cuc_tile_program_release(program: Pointer) -> None:
    """Release a reference; the last one frees the program and its source."""
def cuc_tile_program_retain(program: Pointer) -> int | None:
    """Add a reference to a program."""
def cuc_tile_program_set_budget(program: Pointer, budget: Pointer) -> int:
    """Set the budget of a program."""
def cuc_tile_rank(program: Pointer, x: int) -> int:
    """The number of axes of a value."""
def cuc_tile_rank_digits(positions: Pointer, counts: Pointer, program: Pointer, file: bytes | None, line: int, x: int, digits: int) -> None:
    """The places of a tile's elements in the stable order of their digits, and the number of elements with each digit."""
def cuc_tile_reduce(result: Pointer, program: Pointer, file: bytes | None, line: int, combine: Pointer, user: Pointer, count: int, x: Pointer, axis: int, identity: Pointer) -> None:
    """Reduce several tiles together along an axis with an associative function."""
def cuc_tile_reshape(program: Pointer, file: bytes | None, line: int, x: int, rank: int, shape: Pointer) -> int:
    """Change the shape of a tile, keeping the order of elements."""
def cuc_tile_return(program: Pointer, file: bytes | None, line: int) -> None:
    """End this block of the grid."""
def cuc_tile_roll(program: Pointer, file: bytes | None, line: int, x: int, n: int, axis: int) -> int:
    """Rotate elements along an axis:"""
def cuc_tile_round(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the nearest integer, half to even"""
def cuc_tile_rsqrt(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """1 / sqrt(x)"""
def cuc_tile_rsqrt_round(program: Pointer, file: bytes | None, line: int, x: int, round: int) -> int:
    """RN; for f32 APPROX"""
def cuc_tile_scalar(program: Pointer, file: bytes | None, line: int, name: bytes | None, dtype: int) -> int:
    """Add a scalar to the kernel's parameters."""
def cuc_tile_scan(result: Pointer, program: Pointer, file: bytes | None, line: int, combine: Pointer, user: Pointer, count: int, x: Pointer, axis: int, identity: Pointer, reverse: int) -> None:
    """Scan several tiles together along an axis with an associative function."""
def cuc_tile_scatter(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> None:
    """Store elements of a tensor, each by its own index."""
def cuc_tile_select_entry(variant: Pointer, kernel: Pointer, device: Pointer, args: Pointer, count: int) -> int:
    """Tell which entry of a tile kernel a launch with the given arguments takes, and hence which remarks concern the launch."""
def cuc_tile_set(program: Pointer, file: bytes | None, line: int, variable: int, value: int) -> None:
    """Assign a value to a variable."""
def cuc_tile_shift(program: Pointer, file: bytes | None, line: int, x: int, n: int, axis: int, pad: int) -> int:
    """Shift elements along an axis:"""
def cuc_tile_shl(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x << y:"""
def cuc_tile_shr(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x >> y:"""
def cuc_tile_sigmoid(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """1 / (1 + e ** -x)"""
def cuc_tile_sin(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the sine"""
def cuc_tile_sinh(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the hyperbolic sine"""
def cuc_tile_slice(program: Pointer, file: bytes | None, line: int, tensor: int, axis: int, start: int, stop: int) -> int:
    """Slice a tensor along an axis."""
def cuc_tile_sort(program: Pointer, file: bytes | None, line: int, x: int, axis: int) -> int:
    """ascending, NaN last"""
def cuc_tile_sqrt(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the square root"""
def cuc_tile_sqrt_round(program: Pointer, file: bytes | None, line: int, x: int, round: int) -> int:
    """RN, RZ, RM, RP; for f32 APPROX"""
def cuc_tile_squeeze(program: Pointer, file: bytes | None, line: int, x: int, axis: int) -> int:
    """Remove an axis of extent 1."""
def cuc_tile_store(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> None:
    """Store a tile of a tensor by tile index."""
def cuc_tile_store_add(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> None:
    """adds"""
def cuc_tile_store_and(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> None:
    """bitwise"""
def cuc_tile_store_at(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> None:
    """Store a tile of a tensor by the index of its first element."""
def cuc_tile_store_max(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> None:
    """keeps the larger"""
def cuc_tile_store_min(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> None:
    """keeps the smaller"""
def cuc_tile_store_or(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> None:
    """bitwise"""
def cuc_tile_store_rows(program: Pointer, file: bytes | None, line: int, tensor: int, ids: int, count: int, index: Pointer, x: int, options: Pointer) -> None:
    """Store rows of a tensor."""
def cuc_tile_store_xor(program: Pointer, file: bytes | None, line: int, tensor: int, count: int, index: Pointer, x: int, options: Pointer) -> None:
    """bitwise"""
def cuc_tile_stride(program: Pointer, file: bytes | None, line: int, tensor: int, axis: int) -> int:
    """A stride of a tensor, in elements."""
def cuc_tile_sub(program: Pointer, file: bytes | None, line: int, x: int, y: int) -> int:
    """x - y"""
def cuc_tile_sub_round(program: Pointer, file: bytes | None, line: int, x: int, y: int, round: int) -> int:
    """RN, RZ, RM, RP"""
def cuc_tile_sum(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer) -> int:
    """the sum"""
def cuc_tile_sum_round(program: Pointer, file: bytes | None, line: int, x: int, count: int, axes: Pointer, round: int) -> int:
    """RN, RZ, RM, RP at each step"""
def cuc_tile_take(program: Pointer, file: bytes | None, line: int, x: int, index: int, axis: int) -> int:
    """Select elements by index along an axis."""
def cuc_tile_tan(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the tangent"""
def cuc_tile_tanh(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the hyperbolic tangent"""
def cuc_tile_tanh_round(program: Pointer, file: bytes | None, line: int, x: int, round: int) -> int:
    """RN; for f32 FULL, APPROX"""
def cuc_tile_tensor(program: Pointer, file: bytes | None, line: int, name: bytes | None, dtype: int, extents: bytes | None) -> int:
    """Add a tensor to the kernel's parameters."""
def cuc_tile_topk(values: Pointer, indices: Pointer, program: Pointer, file: bytes | None, line: int, x: int, count: int, axis: int) -> None:
    """The largest elements along an axis, in descending order, and their indices."""
def cuc_tile_trans(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """Transpose the last two axes."""
def cuc_tile_trunc(program: Pointer, file: bytes | None, line: int, x: int) -> int:
    """the next integer towards 0"""
def cuc_tile_uint(program: Pointer, file: bytes | None, line: int, value: int) -> int:
    """Create an integer constant from 0 to 2^64 - 1, beyond the range of cuc_tile_int()."""
def cuc_tile_visit_candidates(program: Pointer, kernel: bytes | None, visit: Pointer, user: Pointer) -> int:
    """Enumerate the candidates for the auto() constants of a kernel, for the program's dimensions."""
def cuc_tile_visit_dimensions(program: Pointer, kernel: bytes | None, args: Pointer, count: int, visit: Pointer, user: Pointer) -> int:
    """Report which dimensions a kernel has with the given arguments, in the form of `dimensions` in cuc_program_options."""
def cuc_tile_where(program: Pointer, file: bytes | None, line: int, c: int, x: int, y: int) -> int:
    """Select elements:"""
def cuc_tile_while(program: Pointer, file: bytes | None, line: int, condition: int) -> None:
    """Leave the loop unless a condition holds."""
def cuc_tile_zeros(program: Pointer, file: bytes | None, line: int, dtype: int, rank: int, shape: Pointer) -> int:
    """Create a tile of zeros."""
def cuc_topk(stream: Pointer, k: int, flags: int, x: Pointer, values: Pointer, indices: Pointer) -> int:
    """Find the k largest elements of an array, or of each row of a tensor, in stream order."""
def cuc_tuned_add(path: bytes | None, record: Pointer) -> int:
    """Add a record to a file."""
def cuc_tuned_find(choice: Pointer, capacity: int, path: bytes | None, key: Pointer) -> int:
    """Find the choice for a program on a GPU, for nearby extents."""
def cuc_tuned_program(out: Pointer, text: bytes | None, bytes: int) -> int:
    """Compute, from a tile program's text, its name in tuning records."""
def cuc_unique(stream: Pointer, x: Pointer, y: Pointer, count: Pointer) -> int:
    """Keep the first of adjacent equal elements, in stream order; each value once if x is sorted."""
def cuc_version() -> int:
    """The version of the library loaded at run time, encoded like CUC_VERSION."""
def cuc_version_string() -> bytes | None:
    """The version of the library loaded at run time, as a string."""
