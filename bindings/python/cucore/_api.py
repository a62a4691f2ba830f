"""Everything public of libcucore 0.1.0, for ctypes. Written by api/api.py write. Do not edit."""
import ctypes as _c

VERSION = "0.1.0"

CUC_OK = 0
CUC_NOT_READY = 1
CUC_ERROR_INVALID_ARGUMENT = -1
CUC_ERROR_INVALID_HANDLE = -2
CUC_ERROR_OUT_OF_MEMORY = -3
CUC_ERROR_OUT_OF_DEVICE_MEMORY = -4
CUC_ERROR_NOT_FOUND = -5
CUC_ERROR_NOT_SUPPORTED = -6
CUC_ERROR_NO_DRIVER = -7
CUC_ERROR_DRIVER_TOO_OLD = -8
CUC_ERROR_NO_DEVICE = -9
CUC_ERROR_DRIVER = -10
CUC_ERROR_COMPILE = -11
CUC_ERROR_LINK = -12
CUC_ERROR_TOOLKIT = -13
CUC_ERROR_CONTEXT_LOST = -14
CUC_ERROR_FORKED = -15
CUC_ERROR_BUSY = -16
CUC_ERROR_IO = -17
CUC_ERROR_INTERNAL = -18
CUC_DTYPE_UNKNOWN = 0
CUC_BOOL = 1
CUC_I8 = 2
CUC_I16 = 3
CUC_I32 = 4
CUC_I64 = 5
CUC_U8 = 6
CUC_U16 = 7
CUC_U32 = 8
CUC_U64 = 9
CUC_F16 = 10
CUC_BF16 = 11
CUC_F32 = 12
CUC_TF32 = 13
CUC_F64 = 14
CUC_E4M3 = 15
CUC_E5M2 = 16
CUC_E8M0 = 17
CUC_C64 = 18
CUC_C128 = 19
CUC_DEFAULT = 0
CUC_ON = 1
CUC_OFF = 2
CUC_ZERO = -1
CUC_LIBRARY_NONE = 0
CUC_LIBRARY_DRIVER = 1
CUC_LIBRARY_NVRTC = 2
CUC_LIBRARY_NVJITLINK = 3
CUC_LIBRARY_NVML = 4
CUC_LIBRARY_RUNTIME = 5
CUC_LIBRARY_TILE = 6
CUC_LIBRARY_NVFATBIN = 7
CUC_DEVICE_MAX_THREADS_PER_BLOCK = 1
CUC_DEVICE_MAX_BLOCK_DIM_X = 2
CUC_DEVICE_MAX_BLOCK_DIM_Y = 3
CUC_DEVICE_MAX_BLOCK_DIM_Z = 4
CUC_DEVICE_MAX_GRID_DIM_X = 5
CUC_DEVICE_MAX_GRID_DIM_Y = 6
CUC_DEVICE_MAX_GRID_DIM_Z = 7
CUC_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK = 8
CUC_DEVICE_TOTAL_CONSTANT_MEMORY = 9
CUC_DEVICE_WARP_SIZE = 10
CUC_DEVICE_MAX_PITCH = 11
CUC_DEVICE_MAX_REGISTERS_PER_BLOCK = 12
CUC_DEVICE_CLOCK_RATE = 13
CUC_DEVICE_TEXTURE_ALIGNMENT = 14
CUC_DEVICE_GPU_OVERLAP = 15
CUC_DEVICE_MULTIPROCESSOR_COUNT = 16
CUC_DEVICE_KERNEL_EXEC_TIMEOUT = 17
CUC_DEVICE_INTEGRATED = 18
CUC_DEVICE_CAN_MAP_HOST_MEMORY = 19
CUC_DEVICE_COMPUTE_MODE = 20
CUC_DEVICE_MAXIMUM_TEXTURE1D_WIDTH = 21
CUC_DEVICE_MAXIMUM_TEXTURE2D_WIDTH = 22
CUC_DEVICE_MAXIMUM_TEXTURE2D_HEIGHT = 23
CUC_DEVICE_MAXIMUM_TEXTURE3D_WIDTH = 24
CUC_DEVICE_MAXIMUM_TEXTURE3D_HEIGHT = 25
CUC_DEVICE_MAXIMUM_TEXTURE3D_DEPTH = 26
CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27
CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28
CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29
CUC_DEVICE_SURFACE_ALIGNMENT = 30
CUC_DEVICE_CONCURRENT_KERNELS = 31
CUC_DEVICE_ECC_ENABLED = 32
CUC_DEVICE_PCI_BUS_ID = 33
CUC_DEVICE_PCI_DEVICE_ID = 34
CUC_DEVICE_TCC_DRIVER = 35
CUC_DEVICE_MEMORY_CLOCK_RATE = 36
CUC_DEVICE_GLOBAL_MEMORY_BUS_WIDTH = 37
CUC_DEVICE_L2_CACHE_SIZE = 38
CUC_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR = 39
CUC_DEVICE_ASYNC_ENGINE_COUNT = 40
CUC_DEVICE_UNIFIED_ADDRESSING = 41
CUC_DEVICE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42
CUC_DEVICE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43
CUC_DEVICE_CAN_TEX2D_GATHER = 44
CUC_DEVICE_MAXIMUM_TEXTURE2D_GATHER_WIDTH = 45
CUC_DEVICE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 46
CUC_DEVICE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 47
CUC_DEVICE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 48
CUC_DEVICE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 49
CUC_DEVICE_PCI_DOMAIN_ID = 50
CUC_DEVICE_TEXTURE_PITCH_ALIGNMENT = 51
CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_WIDTH = 52
CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 53
CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 54
CUC_DEVICE_MAXIMUM_SURFACE1D_WIDTH = 55
CUC_DEVICE_MAXIMUM_SURFACE2D_WIDTH = 56
CUC_DEVICE_MAXIMUM_SURFACE2D_HEIGHT = 57
CUC_DEVICE_MAXIMUM_SURFACE3D_WIDTH = 58
CUC_DEVICE_MAXIMUM_SURFACE3D_HEIGHT = 59
CUC_DEVICE_MAXIMUM_SURFACE3D_DEPTH = 60
CUC_DEVICE_MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61
CUC_DEVICE_MAXIMUM_SURFACE1D_LAYERED_LAYERS = 62
CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63
CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 64
CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_LAYERS = 65
CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_WIDTH = 66
CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 67
CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 68
CUC_DEVICE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 69
CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 70
CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 71
CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_PITCH = 72
CUC_DEVICE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 73
CUC_DEVICE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 74
CUC_DEVICE_COMPUTE_CAPABILITY_MAJOR = 75
CUC_DEVICE_COMPUTE_CAPABILITY_MINOR = 76
CUC_DEVICE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 77
CUC_DEVICE_STREAM_PRIORITIES_SUPPORTED = 78
CUC_DEVICE_GLOBAL_L1_CACHE_SUPPORTED = 79
CUC_DEVICE_LOCAL_L1_CACHE_SUPPORTED = 80
CUC_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81
CUC_DEVICE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82
CUC_DEVICE_MANAGED_MEMORY = 83
CUC_DEVICE_MULTI_GPU_BOARD = 84
CUC_DEVICE_MULTI_GPU_BOARD_GROUP_ID = 85
CUC_DEVICE_HOST_NATIVE_ATOMIC_SUPPORTED = 86
CUC_DEVICE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87
CUC_DEVICE_PAGEABLE_MEMORY_ACCESS = 88
CUC_DEVICE_CONCURRENT_MANAGED_ACCESS = 89
CUC_DEVICE_COMPUTE_PREEMPTION_SUPPORTED = 90
CUC_DEVICE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91
CUC_DEVICE_COOPERATIVE_LAUNCH = 95
CUC_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
CUC_DEVICE_CAN_FLUSH_REMOTE_WRITES = 98
CUC_DEVICE_HOST_REGISTER_SUPPORTED = 99
CUC_DEVICE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100
CUC_DEVICE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101
CUC_DEVICE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102
CUC_DEVICE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103
CUC_DEVICE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104
CUC_DEVICE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105
CUC_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106
CUC_DEVICE_GENERIC_COMPRESSION_SUPPORTED = 107
CUC_DEVICE_MAX_PERSISTING_L2_CACHE_SIZE = 108
CUC_DEVICE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109
CUC_DEVICE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110
CUC_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111
CUC_DEVICE_SPARSE_CUDA_ARRAY_SUPPORTED = 112
CUC_DEVICE_READ_ONLY_HOST_REGISTER_SUPPORTED = 113
CUC_DEVICE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114
CUC_DEVICE_MEMORY_POOLS_SUPPORTED = 115
CUC_DEVICE_GPU_DIRECT_RDMA_SUPPORTED = 116
CUC_DEVICE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117
CUC_DEVICE_GPU_DIRECT_RDMA_WRITES_ORDERING = 118
CUC_DEVICE_MEMPOOL_SUPPORTED_HANDLE_TYPES = 119
CUC_DEVICE_CLUSTER_LAUNCH = 120
CUC_DEVICE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = 121
CUC_DEVICE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122
CUC_DEVICE_CAN_USE_STREAM_WAIT_VALUE_NOR = 123
CUC_DEVICE_DMA_BUF_SUPPORTED = 124
CUC_DEVICE_IPC_EVENT_SUPPORTED = 125
CUC_DEVICE_MEM_SYNC_DOMAIN_COUNT = 126
CUC_DEVICE_TENSOR_MAP_ACCESS_SUPPORTED = 127
CUC_DEVICE_HANDLE_TYPE_FABRIC_SUPPORTED = 128
CUC_DEVICE_UNIFIED_FUNCTION_POINTERS = 129
CUC_DEVICE_NUMA_CONFIG = 130
CUC_DEVICE_NUMA_ID = 131
CUC_DEVICE_MULTICAST_SUPPORTED = 132
CUC_DEVICE_MPS_ENABLED = 133
CUC_DEVICE_HOST_NUMA_ID = 134
CUC_DEVICE_D3D12_CIG_SUPPORTED = 135
CUC_DEVICE_MEM_DECOMPRESS_ALGORITHM_MASK = 136
CUC_DEVICE_MEM_DECOMPRESS_MAXIMUM_LENGTH = 137
CUC_DEVICE_VULKAN_CIG_SUPPORTED = 138
CUC_DEVICE_GPU_PCI_DEVICE_ID = 139
CUC_DEVICE_GPU_PCI_SUBSYSTEM_ID = 140
CUC_DEVICE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 141
CUC_DEVICE_HOST_NUMA_MEMORY_POOLS_SUPPORTED = 142
CUC_DEVICE_HOST_NUMA_MULTINODE_IPC_SUPPORTED = 143
CUC_DEVICE_HOST_MEMORY_POOLS_SUPPORTED = 144
CUC_DEVICE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 145
CUC_DEVICE_HOST_ALLOC_DMA_BUF_SUPPORTED = 146
CUC_DEVICE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = 147
CUC_SENSOR_SM_CLOCK = 1
CUC_SENSOR_MEMORY_CLOCK = 2
CUC_SENSOR_TEMPERATURE = 4
CUC_SENSOR_POWER = 8
CUC_SENSOR_THROTTLE = 16
CUC_THROTTLE_IDLE = 1
CUC_THROTTLE_SETTING = 2
CUC_THROTTLE_POWER_CAP = 4
CUC_THROTTLE_HARDWARE = 8
CUC_THROTTLE_SYNC_BOOST = 16
CUC_THROTTLE_THERMAL = 32
CUC_THROTTLE_HOT = 64
CUC_THROTTLE_POWER_BRAKE = 128
CUC_THROTTLE_DISPLAY = 256
CUC_PEER_PERFORMANCE_RANK = 1
CUC_PEER_ACCESS_SUPPORTED = 2
CUC_PEER_NATIVE_ATOMIC_SUPPORTED = 3
CUC_PEER_CUDA_ARRAY_ACCESS_SUPPORTED = 4
CUC_PEER_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED = 5
CUC_STREAM_SYNC_LEGACY = 1
CUC_STREAM_LEGACY = 0
CUC_STREAM_PER_THREAD = 1
CUC_WAIT_GEQ = 0
CUC_WAIT_EQ = 1
CUC_WAIT_AND = 2
CUC_WAIT_NOR = 3
CUC_WAIT_FLUSH = 1073741824
CUC_WRITE_NO_MEMORY_BARRIER = 1
CUC_MEMORY_DEVICE = 0
CUC_MEMORY_PINNED = 1
CUC_MEMORY_MANAGED = 2
CUC_MEMORY_CUSTOM = 3
CUC_MEMORY_UNREGISTERED = 4
CUC_MEMORY_ACCESS_DEVICE = 1
CUC_MEMORY_ACCESS_HOST = 2
CUC_MEMORY_ACCESS_MANAGED = 4
CUC_LOCATION_NONE = 0
CUC_LOCATION_DEVICE = 1
CUC_LOCATION_HOST = 2
CUC_LOCATION_HOST_NUMA = 3
CUC_LOCATION_HOST_NUMA_CURRENT = 4
CUC_MEMORY_POOL_HW_DECOMPRESS = 1
CUC_MEMORY_POOL_IPC = 2
CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1
CUC_MEMORY_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2
CUC_MEMORY_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3
CUC_MEMORY_POOL_RELEASE_THRESHOLD = 4
CUC_MEMORY_POOL_RESERVED_CURRENT = 5
CUC_MEMORY_POOL_RESERVED_HIGH = 6
CUC_MEMORY_POOL_USED_CURRENT = 7
CUC_MEMORY_POOL_USED_HIGH = 8
CUC_ACCESS_NONE = 0
CUC_ACCESS_READ = 1
CUC_ACCESS_READ_WRITE = 3
CUC_ADVISE_SET_READ_MOSTLY = 1
CUC_ADVISE_UNSET_READ_MOSTLY = 2
CUC_ADVISE_SET_PREFERRED_LOCATION = 3
CUC_ADVISE_UNSET_PREFERRED_LOCATION = 4
CUC_ADVISE_SET_ACCESSED_BY = 5
CUC_ADVISE_UNSET_ACCESSED_BY = 6
CUC_HOST_PORTABLE = 1
CUC_HOST_MAPPED = 2
CUC_HOST_IO_MEMORY = 4
CUC_HOST_READ_ONLY = 8
CUC_TENSOR_READ_ONLY = 1
CUC_TENSOR_PINNED = 2
CUC_TENSOR_MANAGED = 4
CUC_DL_CPU = 1
CUC_DL_CUDA = 2
CUC_DL_CUDA_HOST = 3
CUC_DL_CUDA_MANAGED = 13
CUC_DL_INT = 0
CUC_DL_UINT = 1
CUC_DL_FLOAT = 2
CUC_DL_OPAQUE = 3
CUC_DL_BFLOAT = 4
CUC_DL_COMPLEX = 5
CUC_DL_BOOL = 6
CUC_DL_FLOAT8_E4M3FN = 10
CUC_DL_FLOAT8_E5M2 = 12
CUC_DL_FLOAT8_E8M0FNU = 14
CUC_DL_READ_ONLY = 1
CUC_DL_IS_COPIED = 2
CUC_DL_SUBBYTE_PADDED = 4
CUC_ALGORITHM_TRANSFORM = 1
CUC_ALGORITHM_REDUCE = 2
CUC_ALGORITHM_SCAN = 3
CUC_ALGORITHM_SELECT = 4
CUC_ALGORITHM_PARTITION = 5
CUC_ALGORITHM_UNIQUE = 6
CUC_ALGORITHM_HISTOGRAM = 7
CUC_ALGORITHM_REDUCE_BY_KEY = 8
CUC_ALGORITHM_SCAN_BY_KEY = 9
CUC_ALGORITHM_REDUCE_SEGMENTS = 10
CUC_ALGORITHM_SORT = 11
CUC_ALGORITHM_MERGE = 12
CUC_ALGORITHM_MERGE_SORT = 13
CUC_ALGORITHM_SORT_SEGMENTS = 14
CUC_ALGORITHM_TOPK = 15
CUC_ALGORITHM_TOPK_ROWS = 16
CUC_ALGORITHM_PARTITION3 = 17
CUC_ALGORITHM_UNION = 18
CUC_ALGORITHM_INTERSECTION = 19
CUC_ALGORITHM_DIFFERENCE = 20
CUC_ALGORITHM_SYMMETRIC_DIFFERENCE = 21
CUC_ALGORITHM_DEVICE_COUNT = 1
CUC_ALGORITHM_PLAIN_LAUNCH = 2
CUC_ALGORITHM_EXCLUSIVE = 4
CUC_ALGORITHM_DESCENDING = 8
CUC_ALGORITHM_SMALLEST = 16
CUC_ALGORITHM_RUN_TO_RUN = 0
CUC_ALGORITHM_ANY_ORDER = 1
CUC_ALGORITHM_EVERY_GPU = 2
CUC_SEARCH_UPPER = 1
CUC_ATTENTION_FULL = 0
CUC_ATTENTION_CAUSAL = 1
CUC_ATTENTION_TOP_LEFT = 0
CUC_ATTENTION_BOTTOM_RIGHT = 1
CUC_ATTENTION_HEADS_FIRST = 0
CUC_ATTENTION_SEQUENCE_FIRST = 1
CUC_ATTENTION_LSE = 1
CUC_ATTENTION_PLAIN_LAUNCH = 2
CUC_ATTENTION_SINKS = 4
CUC_ATTENTION_VARIABLE = 8
CUC_ATTENTION_BACKWARD = 16
CUC_ATTENTION_KEY_LENGTHS = 32
CUC_ATTENTION_FAST_ACC = 64
CUC_GEMM_SINGLE = 0
CUC_GEMM_BATCHED = 1
CUC_GEMM_GROUPED = 2
CUC_GEMM_ROW_MAJOR = 0
CUC_GEMM_COLUMN_MAJOR = 1
CUC_GEMM_LINEAR = 0
CUC_GEMM_RELU = 1
CUC_GEMM_GELU = 2
CUC_GEMM_GELU_TANH = 3
CUC_GEMM_SILU = 4
CUC_GEMM_RELU_DERIVATIVE = 5
CUC_GEMM_GELU_DERIVATIVE = 6
CUC_GEMM_GELU_TANH_DERIVATIVE = 7
CUC_GEMM_SILU_DERIVATIVE = 8
CUC_GEMM_NO_BIAS = 0
CUC_GEMM_BIAS_COLUMNS = 1
CUC_GEMM_BIAS_ROWS = 2
CUC_GEMM_NO_GRADIENT = 0
CUC_GEMM_GRADIENT_COLUMNS = 1
CUC_GEMM_GRADIENT_ROWS = 2
CUC_GEMM_GRADIENT_A = 3
CUC_GEMM_GRADIENT_B = 4
CUC_GEMM_PACK_A = 1
CUC_GEMM_PACK_B = 2
CUC_GEMM_PACK_NONE = 4
CUC_GEMM_PACK_TRANSPOSED_A = 8
CUC_GEMM_PACK_TRANSPOSED_B = 16
CUC_GEMM_IEEE = 0
CUC_GEMM_TF32 = 1
CUC_GEMM_TF32X3 = 2
CUC_GEMM_SHARED_A = 1
CUC_GEMM_SHARED_B = 2
CUC_GEMM_FAST_ACC = 4
CUC_GEMM_SCALED_ROWS = 8
CUC_GEMM_SCALED_COLUMNS = 16
CUC_GEMM_PLAIN_LAUNCH = 32
CUC_GEMM_AMAX = 64
CUC_LIMIT_STACK_BYTES = 0
CUC_LIMIT_PRINTF_BYTES = 1
CUC_LIMIT_MALLOC_HEAP_BYTES = 2
CUC_LIMIT_MAX_L2_FETCH_BYTES = 5
CUC_LIMIT_PERSISTING_L2_BYTES = 6
CUC_LIMIT_SHARED_MEMORY_BYTES = 7
CUC_LIMIT_CIG_ENABLED = 8
CUC_LIMIT_CIG_SHARED_MEMORY_FALLBACK = 9
CUC_SMS_ANY = 1
CUC_SMS_MAX_CLUSTER = 2
CUC_EVENT_TIMING = 1
CUC_EVENT_BLOCKING_SYNC = 2
CUC_EVENT_IPC = 4
CUC_MEMORY_VIRTUAL_READ_ONLY = 1
CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY = 2
CUC_MEMORY_VIRTUAL_RDMA = 4
CUC_MEMORY_VIRTUAL_FINE = 8
CUC_MEMORY_VIRTUAL_IPC = 16
CUC_COPY_SOURCE_STREAM = 0
CUC_COPY_SOURCE_DURING_CALL = 1
CUC_COPY_SOURCE_ANY = 2
CUC_COPY_OVERLAP_COMPUTE = 1
CUC_TENSOR_MAP_INTERLEAVE_NONE = 0
CUC_TENSOR_MAP_INTERLEAVE_16B = 1
CUC_TENSOR_MAP_INTERLEAVE_32B = 2
CUC_TENSOR_MAP_SWIZZLE_NONE = 0
CUC_TENSOR_MAP_SWIZZLE_32B = 1
CUC_TENSOR_MAP_SWIZZLE_64B = 2
CUC_TENSOR_MAP_SWIZZLE_128B = 3
CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = 4
CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5
CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_64B = 6
CUC_TENSOR_MAP_L2_NONE = 0
CUC_TENSOR_MAP_L2_64B = 1
CUC_TENSOR_MAP_L2_128B = 2
CUC_TENSOR_MAP_L2_256B = 3
CUC_TENSOR_MAP_FILL_ZERO = 0
CUC_TENSOR_MAP_FILL_NAN = 1
CUC_TENSOR_MAP_FTZ = 1
CUC_TENSOR_MAP_W128 = 2
CUC_CODE_PTX = 1
CUC_CODE_CUBIN = 2
CUC_CODE_LTOIR = 3
CUC_CODE_FATBIN = 4
CUC_CODE_OBJECT = 5
CUC_CODE_LIBRARY = 6
CUC_PARAMETER_ANY = 0
CUC_PARAMETER_INT = 1
CUC_PARAMETER_FLOAT = 2
CUC_KERNEL_MAX_THREADS_PER_BLOCK = 0
CUC_KERNEL_SHARED_SIZE_BYTES = 1
CUC_KERNEL_CONST_SIZE_BYTES = 2
CUC_KERNEL_LOCAL_SIZE_BYTES = 3
CUC_KERNEL_NUM_REGS = 4
CUC_KERNEL_PTX_VERSION = 5
CUC_KERNEL_BINARY_VERSION = 6
CUC_KERNEL_CACHE_MODE_CA = 7
CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
CUC_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
CUC_KERNEL_CLUSTER_SIZE_MUST_BE_SET = 10
CUC_KERNEL_REQUIRED_CLUSTER_WIDTH = 11
CUC_KERNEL_REQUIRED_CLUSTER_HEIGHT = 12
CUC_KERNEL_REQUIRED_CLUSTER_DEPTH = 13
CUC_KERNEL_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
CUC_KERNEL_CLUSTER_SCHEDULING_POLICY = 15
CUC_KERNEL_ATTRIBUTE_COUNT = 16
CUC_KERNEL_CACHE_DEFAULT = 0
CUC_KERNEL_CACHE_SHARED = 1
CUC_KERNEL_CACHE_L1 = 2
CUC_KERNEL_CACHE_EQUAL = 3
CUC_SOURCE_CUDA = 1
CUC_SOURCE_PTX = 2
CUC_SOURCE_NVVM = 3
CUC_SOURCE_TILE = 4
CUC_PCH_NONE = 0
CUC_PCH_CREATED = 1
CUC_PCH_NOT_ATTEMPTED = 2
CUC_PCH_FAILED = 3
CUC_LINKER_AUTO = 0
CUC_LINKER_NVJITLINK = 1
CUC_LINKER_DRIVER = 2
CUC_ARG_POINTER = 64
CUC_ARG_BUFFER = 65
CUC_ARG_TENSOR = 66
CUC_ARG_BYTES = 67
CUC_ARG_NONE = 68
CUC_LAUNCH_COOPERATIVE = 1
CUC_LAUNCH_PROGRAMMATIC = 2
CUC_LAUNCH_ATTRIBUTE_IGNORE = 0
CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1
CUC_LAUNCH_ATTRIBUTE_COOPERATIVE = 2
CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4
CUC_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY = 5
CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6
CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7
CUC_LAUNCH_ATTRIBUTE_PRIORITY = 8
CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9
CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10
CUC_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11
CUC_LAUNCH_ATTRIBUTE_COMPLETION_EVENT = 12
CUC_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13
CUC_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 14
CUC_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING = 16
CUC_CLUSTER_SCHEDULING_DEFAULT = 0
CUC_CLUSTER_SCHEDULING_SPREAD = 1
CUC_CLUSTER_SCHEDULING_LOAD_BALANCING = 2
CUC_CACHE_NORMAL = 0
CUC_CACHE_STREAMING = 1
CUC_CACHE_PERSISTING = 2
CUC_CAPTURE_GLOBAL = 0
CUC_CAPTURE_THREAD_LOCAL = 1
CUC_CAPTURE_RELAXED = 2
CUC_CAPTURE_NONE = 0
CUC_CAPTURE_ACTIVE = 1
CUC_CAPTURE_SPOILT = 2
CUC_NODE_KERNEL = 0
CUC_NODE_COPY = 1
CUC_NODE_FILL = 2
CUC_NODE_HOST = 3
CUC_NODE_GRAPH = 4
CUC_NODE_EMPTY = 5
CUC_NODE_WAIT_EVENT = 6
CUC_NODE_RECORD_EVENT = 7
CUC_NODE_SIGNAL = 8
CUC_NODE_WAIT = 9
CUC_NODE_ALLOC = 10
CUC_NODE_FREE = 11
CUC_NODE_MEMORY_WORDS = 12
CUC_NODE_CONDITIONAL = 13
CUC_DOT_EVERYTHING = 1
CUC_DOT_RUNTIME_TYPES = 2
CUC_DOT_KERNELS = 4
CUC_DOT_COPIES = 8
CUC_DOT_FILLS = 16
CUC_DOT_HOST_FUNCTIONS = 32
CUC_DOT_EVENTS = 64
CUC_DOT_SIGNALS = 128
CUC_DOT_WAITS = 256
CUC_DOT_KERNEL_ATTRIBUTES = 512
CUC_DOT_HANDLES = 1024
CUC_DOT_ALLOCATIONS = 2048
CUC_DOT_FREES = 4096
CUC_DOT_MEMORY_WORDS = 8192
CUC_DOT_TOPOLOGY = 16384
CUC_DOT_CONDITIONALS = 32768
CUC_GRAPH_AUTO_FREE = 1
CUC_GRAPH_DEVICE_LAUNCH = 2
CUC_GRAPH_NODE_PRIORITY = 4
CUC_GRAPH_MEMORY_USED = 0
CUC_GRAPH_MEMORY_USED_HIGH = 1
CUC_GRAPH_MEMORY_RESERVED = 2
CUC_GRAPH_MEMORY_RESERVED_HIGH = 3
CUC_CONDITION_ASSIGN_DEFAULT = 1
CUC_CONDITIONAL_IF = 0
CUC_CONDITIONAL_WHILE = 1
CUC_CONDITIONAL_SWITCH = 2
CUC_OCCUPANCY_DISABLE_CACHING_OVERRIDE = 1
CUC_PYTHON_BUFFER = 1
CUC_PYTHON_TENSOR = 2
CUC_PYTHON_NUMBER = 3
CUC_PYTHON_VALUE = 4
CUC_TILE_RN = 0
CUC_TILE_RZ = 1
CUC_TILE_RM = 2
CUC_TILE_RP = 3
CUC_TILE_APPROX = 4
CUC_TILE_FULL = 5
CUC_TILE_FTZ = 16
CUC_TILE_NAN = 32
CUC_TILE_ORDER_DEFAULT = 0
CUC_TILE_WEAK = 1
CUC_TILE_RELAXED = 2
CUC_TILE_ACQUIRE = 3
CUC_TILE_RELEASE = 4
CUC_TILE_ACQ_REL = 5
CUC_TILE_SCOPE_DEFAULT = 0
CUC_TILE_SCOPE_DEVICE = 1
CUC_TILE_SCOPE_BLOCK = 2
CUC_TILE_SCOPE_SYSTEM = 3
CUC_TILE_CACHE_ANY = 0
CUC_TILE_CACHE_FIRST = 1
CUC_TILE_CACHE_LAST = 2
CUC_TILE_CACHE_STREAM = 3
CUC_TILE_IEEE = 0
CUC_TILE_TF32 = 1
CUC_TILE_TF32X3 = 2
CUC_ALGORITHM_MAX_ARRAYS = 8
CUC_ATTENTION_MAX_SIDES = 8
CUC_VERSION_MAJOR = 0
CUC_VERSION_MINOR = 1
CUC_VERSION_PATCH = 0
CUC_MEMORY_POOL_KEEP_ALL = 18446744073709551615
CUC_PROGRAM_KEY_BYTES = 32
CUC_NVML_DRIVER_VERSION_BYTES = 80
CUC_TENSOR_MAX_RANK = 8
CUC_DL_VERSION_MAJOR = 1
CUC_DL_VERSION_MINOR = 1
CUC_TENSOR_MAP_MAX_RANK = 5
CUC_NO_AXIS = -1

# The names of values, as messages have them.
NAMES = {
    "status": {
        0: 'success',
        1: 'the work is not complete yet',
        -1: 'an argument is not valid',
        -2: 'a handle is not alive or of another kind',
        -3: 'no host memory',
        -4: 'the device has not that much memory free',
        -5: 'no such name, file or library',
        -6: 'the device, driver or toolkit cannot do this',
        -7: 'no CUDA driver could be loaded',
        -8: 'the CUDA driver is older than cucore needs',
        -9: 'the CUDA driver sees no device',
        -10: 'the CUDA driver refused the call',
        -11: 'the source does not compile',
        -12: 'the inputs do not link',
        -13: 'a CUDA toolkit library failed',
        -14: 'an earlier failure destroyed the context',
        -15: 'the driver was initialised before fork()',
        -16: 'refused in the present state, such as during capture',
        -17: 'a file could not be read or written',
        -18: 'a mistake inside cucore',
    },
    "dtype": {
        0: 'unknown',
        1: 'bool',
        2: 'i8',
        3: 'i16',
        4: 'i32',
        5: 'i64',
        6: 'u8',
        7: 'u16',
        8: 'u32',
        9: 'u64',
        10: 'f16',
        11: 'bf16',
        12: 'f32',
        13: 'tf32',
        14: 'f64',
        15: 'e4m3',
        16: 'e5m2',
        17: 'e8m0',
        18: 'c64',
        19: 'c128',
    },
    "library": {
        0: 'cucore',
        1: 'CUDA driver',
        2: 'NVRTC',
        3: 'nvJitLink',
        4: 'NVML',
        5: 'CUDA runtime',
        6: 'tile compiler',
        7: 'nvFatbin',
    },
    "device_attribute": {
        1: 'max_threads_per_block',
        2: 'max_block_dim_x',
        3: 'max_block_dim_y',
        4: 'max_block_dim_z',
        5: 'max_grid_dim_x',
        6: 'max_grid_dim_y',
        7: 'max_grid_dim_z',
        8: 'max_shared_memory_per_block',
        9: 'total_constant_memory',
        10: 'warp_size',
        11: 'max_pitch',
        12: 'max_registers_per_block',
        13: 'clock_rate',
        14: 'texture_alignment',
        15: 'gpu_overlap',
        16: 'multiprocessor_count',
        17: 'kernel_exec_timeout',
        18: 'integrated',
        19: 'can_map_host_memory',
        20: 'compute_mode',
        21: 'maximum_texture1d_width',
        22: 'maximum_texture2d_width',
        23: 'maximum_texture2d_height',
        24: 'maximum_texture3d_width',
        25: 'maximum_texture3d_height',
        26: 'maximum_texture3d_depth',
        27: 'maximum_texture2d_layered_width',
        28: 'maximum_texture2d_layered_height',
        29: 'maximum_texture2d_layered_layers',
        30: 'surface_alignment',
        31: 'concurrent_kernels',
        32: 'ecc_enabled',
        33: 'pci_bus_id',
        34: 'pci_device_id',
        35: 'tcc_driver',
        36: 'memory_clock_rate',
        37: 'global_memory_bus_width',
        38: 'l2_cache_size',
        39: 'max_threads_per_multiprocessor',
        40: 'async_engine_count',
        41: 'unified_addressing',
        42: 'maximum_texture1d_layered_width',
        43: 'maximum_texture1d_layered_layers',
        44: 'can_tex2d_gather',
        45: 'maximum_texture2d_gather_width',
        46: 'maximum_texture2d_gather_height',
        47: 'maximum_texture3d_width_alternate',
        48: 'maximum_texture3d_height_alternate',
        49: 'maximum_texture3d_depth_alternate',
        50: 'pci_domain_id',
        51: 'texture_pitch_alignment',
        52: 'maximum_texturecubemap_width',
        53: 'maximum_texturecubemap_layered_width',
        54: 'maximum_texturecubemap_layered_layers',
        55: 'maximum_surface1d_width',
        56: 'maximum_surface2d_width',
        57: 'maximum_surface2d_height',
        58: 'maximum_surface3d_width',
        59: 'maximum_surface3d_height',
        60: 'maximum_surface3d_depth',
        61: 'maximum_surface1d_layered_width',
        62: 'maximum_surface1d_layered_layers',
        63: 'maximum_surface2d_layered_width',
        64: 'maximum_surface2d_layered_height',
        65: 'maximum_surface2d_layered_layers',
        66: 'maximum_surfacecubemap_width',
        67: 'maximum_surfacecubemap_layered_width',
        68: 'maximum_surfacecubemap_layered_layers',
        69: 'maximum_texture1d_linear_width',
        70: 'maximum_texture2d_linear_width',
        71: 'maximum_texture2d_linear_height',
        72: 'maximum_texture2d_linear_pitch',
        73: 'maximum_texture2d_mipmapped_width',
        74: 'maximum_texture2d_mipmapped_height',
        75: 'compute_capability_major',
        76: 'compute_capability_minor',
        77: 'maximum_texture1d_mipmapped_width',
        78: 'stream_priorities_supported',
        79: 'global_l1_cache_supported',
        80: 'local_l1_cache_supported',
        81: 'max_shared_memory_per_multiprocessor',
        82: 'max_registers_per_multiprocessor',
        83: 'managed_memory',
        84: 'multi_gpu_board',
        85: 'multi_gpu_board_group_id',
        86: 'host_native_atomic_supported',
        87: 'single_to_double_precision_perf_ratio',
        88: 'pageable_memory_access',
        89: 'concurrent_managed_access',
        90: 'compute_preemption_supported',
        91: 'can_use_host_pointer_for_registered_mem',
        95: 'cooperative_launch',
        97: 'max_shared_memory_per_block_optin',
        98: 'can_flush_remote_writes',
        99: 'host_register_supported',
        100: 'pageable_memory_access_uses_host_page_tables',
        101: 'direct_managed_mem_access_from_host',
        102: 'virtual_memory_management_supported',
        103: 'handle_type_posix_file_descriptor_supported',
        104: 'handle_type_win32_handle_supported',
        105: 'handle_type_win32_kmt_handle_supported',
        106: 'max_blocks_per_multiprocessor',
        107: 'generic_compression_supported',
        108: 'max_persisting_l2_cache_size',
        109: 'max_access_policy_window_size',
        110: 'gpu_direct_rdma_with_cuda_vmm_supported',
        111: 'reserved_shared_memory_per_block',
        112: 'sparse_cuda_array_supported',
        113: 'read_only_host_register_supported',
        114: 'timeline_semaphore_interop_supported',
        115: 'memory_pools_supported',
        116: 'gpu_direct_rdma_supported',
        117: 'gpu_direct_rdma_flush_writes_options',
        118: 'gpu_direct_rdma_writes_ordering',
        119: 'mempool_supported_handle_types',
        120: 'cluster_launch',
        121: 'deferred_mapping_cuda_array_supported',
        122: 'can_use_64_bit_stream_mem_ops',
        123: 'can_use_stream_wait_value_nor',
        124: 'dma_buf_supported',
        125: 'ipc_event_supported',
        126: 'mem_sync_domain_count',
        127: 'tensor_map_access_supported',
        128: 'handle_type_fabric_supported',
        129: 'unified_function_pointers',
        130: 'numa_config',
        131: 'numa_id',
        132: 'multicast_supported',
        133: 'mps_enabled',
        134: 'host_numa_id',
        135: 'd3d12_cig_supported',
        136: 'mem_decompress_algorithm_mask',
        137: 'mem_decompress_maximum_length',
        138: 'vulkan_cig_supported',
        139: 'gpu_pci_device_id',
        140: 'gpu_pci_subsystem_id',
        141: 'host_numa_virtual_memory_management_supported',
        142: 'host_numa_memory_pools_supported',
        143: 'host_numa_multinode_ipc_supported',
        144: 'host_memory_pools_supported',
        145: 'host_virtual_memory_management_supported',
        146: 'host_alloc_dma_buf_supported',
        147: 'only_partial_host_native_atomic_supported',
    },
    "throttle": {
        1: 'idle',
        2: 'setting',
        4: 'power_cap',
        8: 'hardware',
        16: 'sync_boost',
        32: 'thermal',
        64: 'hardware_thermal',
        128: 'power_brake',
        256: 'display',
    },
    "memory_kind": {
        0: 'device',
        1: 'pinned',
        2: 'managed',
        3: 'custom',
        4: 'unregistered',
    },
    "memory_pool_attribute": {
        1: 'reuse_follow_event_dependencies',
        2: 'reuse_allow_opportunistic',
        3: 'reuse_allow_internal_dependencies',
        4: 'release_threshold',
        5: 'reserved_mem_current',
        6: 'reserved_mem_high',
        7: 'used_mem_current',
        8: 'used_mem_high',
    },
    "code": {
        1: 'ptx',
        2: 'cubin',
        3: 'ltoir',
        4: 'fatbin',
        5: 'object',
        6: 'library',
    },
    "parameter": {
        0: 'any',
        1: 'int',
        2: 'float',
    },
    "kernel_attribute": {
        0: 'max_threads_per_block',
        1: 'shared_size_bytes',
        2: 'const_size_bytes',
        3: 'local_size_bytes',
        4: 'num_regs',
        5: 'ptx_version',
        6: 'binary_version',
        7: 'cache_mode_ca',
        8: 'max_dynamic_shared_size_bytes',
        9: 'preferred_shared_memory_carveout',
        10: 'cluster_size_must_be_set',
        11: 'required_cluster_width',
        12: 'required_cluster_height',
        13: 'required_cluster_depth',
        14: 'non_portable_cluster_size_allowed',
        15: 'cluster_scheduling_policy_preference',
    },
    "node_type": {
        0: 'kernel',
        1: 'copy',
        2: 'fill',
        3: 'host function',
        4: 'graph',
        5: 'empty',
        6: 'wait for an event',
        7: 'record of an event',
        8: 'signal of semaphores',
        9: 'wait for semaphores',
        10: 'allocation',
        11: 'free',
        12: 'memory words',
        13: 'conditional',
    },
}

# The units of attributes; a "flag" is 0 or 1.
UNITS = {
    "device_attribute": {
        1: 'threads',
        2: 'threads',
        3: 'threads',
        4: 'threads',
        5: 'blocks',
        6: 'blocks',
        7: 'blocks',
        8: 'bytes',
        9: 'bytes',
        10: 'threads',
        11: 'bytes',
        12: 'registers',
        13: 'kHz',
        14: 'bytes',
        15: 'flag',
        16: 'count',
        17: 'flag',
        18: 'flag',
        19: 'flag',
        20: 'value',
        21: 'texels',
        22: 'texels',
        23: 'texels',
        24: 'texels',
        25: 'texels',
        26: 'texels',
        27: 'texels',
        28: 'texels',
        29: 'layers',
        30: 'bytes',
        31: 'flag',
        32: 'flag',
        33: 'value',
        34: 'value',
        35: 'flag',
        36: 'kHz',
        37: 'bits',
        38: 'bytes',
        39: 'threads',
        40: 'count',
        41: 'flag',
        42: 'texels',
        43: 'layers',
        44: 'flag',
        45: 'texels',
        46: 'texels',
        47: 'texels',
        48: 'texels',
        49: 'texels',
        50: 'value',
        51: 'bytes',
        52: 'texels',
        53: 'texels',
        54: 'layers',
        55: 'texels',
        56: 'texels',
        57: 'texels',
        58: 'texels',
        59: 'texels',
        60: 'texels',
        61: 'texels',
        62: 'layers',
        63: 'texels',
        64: 'texels',
        65: 'layers',
        66: 'texels',
        67: 'texels',
        68: 'layers',
        69: 'texels',
        70: 'texels',
        71: 'texels',
        72: 'bytes',
        73: 'texels',
        74: 'texels',
        75: 'count',
        76: 'count',
        77: 'texels',
        78: 'flag',
        79: 'flag',
        80: 'flag',
        81: 'bytes',
        82: 'registers',
        83: 'flag',
        84: 'flag',
        85: 'value',
        86: 'flag',
        87: 'count',
        88: 'flag',
        89: 'flag',
        90: 'flag',
        91: 'flag',
        95: 'flag',
        97: 'bytes',
        98: 'flag',
        99: 'flag',
        100: 'flag',
        101: 'flag',
        102: 'flag',
        103: 'flag',
        104: 'flag',
        105: 'flag',
        106: 'blocks',
        107: 'flag',
        108: 'bytes',
        109: 'bytes',
        110: 'flag',
        111: 'bytes',
        112: 'flag',
        113: 'flag',
        114: 'flag',
        115: 'flag',
        116: 'flag',
        117: 'bit mask',
        118: 'value',
        119: 'bit mask',
        120: 'flag',
        121: 'flag',
        122: 'flag',
        123: 'flag',
        124: 'flag',
        125: 'flag',
        126: 'count',
        127: 'flag',
        128: 'flag',
        129: 'flag',
        130: 'value',
        131: 'value',
        132: 'flag',
        133: 'flag',
        134: 'value',
        135: 'flag',
        136: 'bit mask',
        137: 'bytes',
        138: 'flag',
        139: 'value',
        140: 'value',
        141: 'flag',
        142: 'flag',
        143: 'flag',
        144: 'flag',
        145: 'flag',
        146: 'flag',
        147: 'flag',
    },
}

cuc_failure_fn = _c.CFUNCTYPE(None, _c.c_char_p, _c.c_void_p)
cuc_cache_visit = _c.CFUNCTYPE(_c.c_int32, _c.c_void_p, _c.c_void_p)
cuc_cache_receive = _c.CFUNCTYPE(None, _c.c_void_p, _c.c_void_p, _c.c_size_t)
cuc_stream_callback = _c.CFUNCTYPE(None, _c.c_int32, _c.c_int32, _c.c_void_p)
cuc_tuned_visit = _c.CFUNCTYPE(None, _c.c_void_p, _c.c_char_p, _c.c_double)
cuc_tile_combine = _c.CFUNCTYPE(None, _c.c_void_p, _c.c_void_p, _c.c_uint32, _c.c_void_p, _c.c_void_p, _c.c_void_p)
cuc_tile_dimension_fn = _c.CFUNCTYPE(None, _c.c_void_p, _c.c_char_p)


class cuc_algorithm_args(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("inputs", _c.c_void_p),
        ("outputs", _c.c_void_p),
        ("input_count", _c.c_uint32),
        ("output_count", _c.c_uint32),
        ("count", _c.c_int64),
        ("device_count", _c.c_void_p),
        ("workspace", _c.c_uint64),
        ("workspace_bytes", _c.c_uint64),
        ("offsets", _c.c_void_p),
    ]


class cuc_algorithm_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("kind", _c.c_int32),
        ("flags", _c.c_uint32),
        ("inputs", _c.c_void_p),
        ("outputs", _c.c_void_p),
        ("input_count", _c.c_uint32),
        ("output_count", _c.c_uint32),
        ("fn", _c.c_char_p),
        ("identity", _c.c_char_p),
        ("tile", _c.c_int32),
        ("blocks", _c.c_int32),
        ("warps", _c.c_int32),
        ("bins", _c.c_int32),
        ("keys", _c.c_int32),
        ("offsets", _c.c_int32),
        ("determinism", _c.c_int32),
        ("count", _c.c_int64),
        ("arch", _c.c_char_p),
        ("cache", _c.c_void_p),
        ("bit_begin", _c.c_int32),
        ("bit_end", _c.c_int32),
        ("k", _c.c_int64),
    ]


class cuc_arg_value(_c.Union):
    _fields_ = [
        ("u64", _c.c_uint64),
        ("i64", _c.c_int64),
        ("f64", _c.c_double),
        ("f32", _c.c_float),
        ("pointer", _c.c_void_p),
        ("raw", _c.c_uint8 * 8),
    ]


class cuc_arg(_c.Structure):
    _fields_ = [
        ("type", _c.c_int32),
        ("bytes", _c.c_uint32),
        ("value", cuc_arg_value),
    ]


class cuc_attention_args(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("q", _c.c_void_p),
        ("k", _c.c_void_p),
        ("v", _c.c_void_p),
        ("o", _c.c_void_p),
        ("lse", _c.c_void_p),
        ("scale", _c.c_double),
        ("sinks", _c.c_void_p),
        ("sides", _c.c_void_p),
        ("side_count", _c.c_uint32),
        ("reserved", _c.c_uint32),
        ("query_offsets", _c.c_void_p),
        ("key_offsets", _c.c_void_p),
        ("most_queries", _c.c_int64),
        ("page_table", _c.c_void_p),
        ("key_lengths", _c.c_void_p),
        ("workspace", _c.c_uint64),
        ("workspace_bytes", _c.c_uint64),
        ("d_o", _c.c_void_p),
        ("d_q", _c.c_void_p),
        ("d_k", _c.c_void_p),
        ("d_v", _c.c_void_p),
        ("most_keys", _c.c_int64),
        ("new_k", _c.c_void_p),
        ("new_v", _c.c_void_p),
        ("q_scale", _c.c_void_p),
        ("k_scale", _c.c_void_p),
        ("v_scale", _c.c_void_p),
        ("d_sinks", _c.c_void_p),
        ("d_sides", _c.c_void_p),
    ]


class cuc_attention_choice(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("tile_q", _c.c_int32),
        ("tile_k", _c.c_int32),
        ("stages", _c.c_int32),
        ("warps", _c.c_int32),
        ("pipeline", _c.c_int32),
        ("parts", _c.c_int32),
        ("tiles", _c.c_int64),
        ("by", _c.c_char_p),
    ]


class cuc_attention_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("flags", _c.c_uint32),
        ("dtype", _c.c_int32),
        ("width", _c.c_int32),
        ("value_width", _c.c_int32),
        ("mask", _c.c_int32),
        ("align", _c.c_int32),
        ("order", _c.c_int32),
        ("window_left", _c.c_int32),
        ("window_right", _c.c_int32),
        ("tile_q", _c.c_int32),
        ("tile_k", _c.c_int32),
        ("stages", _c.c_int32),
        ("warps", _c.c_int32),
        ("batch", _c.c_int64),
        ("heads", _c.c_int64),
        ("key_heads", _c.c_int64),
        ("queries", _c.c_int64),
        ("keys", _c.c_int64),
        ("arch", _c.c_char_p),
        ("cache", _c.c_void_p),
        ("score", _c.c_char_p),
        ("sides", _c.c_void_p),
        ("side_count", _c.c_uint32),
        ("reserved", _c.c_uint32),
        ("page_size", _c.c_int32),
        ("parts", _c.c_int32),
        ("o_dtype", _c.c_int32),
    ]


class cuc_attention_side(_c.Structure):
    _fields_ = [
        ("name", _c.c_char_p),
        ("dtype", _c.c_int32),
        ("rank", _c.c_int32),
        ("gradient", _c.c_char_p),
    ]


class cuc_buffer_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("device", _c.c_void_p),
        ("resource", _c.c_void_p),
        ("stream", _c.c_void_p),
        ("owner", _c.c_void_p),
        ("drop_owner", _c.CFUNCTYPE(None, _c.c_void_p)),
        ("access", _c.c_uint32),
        ("reserved", _c.c_uint32),
    ]


class cuc_cache_entry(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("key", _c.c_char_p),
        ("label", _c.c_char_p),
        ("bytes", _c.c_uint64),
        ("used_ns", _c.c_int64),
        ("damaged", _c.c_int32),
        ("reserved", _c.c_int32),
    ]


class cuc_cache_info(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("dir", _c.c_char_p),
        ("off", _c.c_char_p),
        ("max_bytes", _c.c_uint64),
        ("bytes", _c.c_uint64),
        ("entries", _c.c_uint64),
        ("hits", _c.c_uint64),
        ("misses", _c.c_uint64),
        ("stored", _c.c_uint64),
    ]


class cuc_cache_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("dir", _c.c_char_p),
        ("max_bytes", _c.c_uint64),
    ]


class cuc_capture_info(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("id", _c.c_uint64),
        ("graph", _c.c_void_p),
        ("status", _c.c_int32),
        ("reserved", _c.c_int32),
    ]


class cuc_copy_2d_params(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("dst", _c.c_uint64),
        ("src", _c.c_uint64),
        ("dst_pitch", _c.c_size_t),
        ("src_pitch", _c.c_size_t),
        ("row_bytes", _c.c_size_t),
        ("rows", _c.c_size_t),
        ("dst_x_bytes", _c.c_size_t),
        ("dst_y", _c.c_size_t),
        ("src_x_bytes", _c.c_size_t),
        ("src_y", _c.c_size_t),
    ]


class cuc_copy_3d_params(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("dst", _c.c_uint64),
        ("src", _c.c_uint64),
        ("dst_pitch", _c.c_size_t),
        ("src_pitch", _c.c_size_t),
        ("dst_slice_rows", _c.c_size_t),
        ("src_slice_rows", _c.c_size_t),
        ("row_bytes", _c.c_size_t),
        ("rows", _c.c_size_t),
        ("slices", _c.c_size_t),
        ("dst_x_bytes", _c.c_size_t),
        ("dst_y", _c.c_size_t),
        ("dst_z", _c.c_size_t),
        ("src_x_bytes", _c.c_size_t),
        ("src_y", _c.c_size_t),
        ("src_z", _c.c_size_t),
    ]


class cuc_copy_batch_params(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("dst", _c.c_void_p),
        ("src", _c.c_void_p),
        ("bytes", _c.c_void_p),
        ("count", _c.c_size_t),
        ("attributes", _c.c_void_p),
        ("attribute_count", _c.c_size_t),
    ]


class cuc_device_properties(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("max_threads_per_block", _c.c_int32),
        ("max_block_dim_x", _c.c_int32),
        ("max_block_dim_y", _c.c_int32),
        ("max_block_dim_z", _c.c_int32),
        ("max_grid_dim_x", _c.c_int32),
        ("max_grid_dim_y", _c.c_int32),
        ("max_grid_dim_z", _c.c_int32),
        ("max_shared_memory_per_block", _c.c_int32),
        ("total_constant_memory", _c.c_int32),
        ("warp_size", _c.c_int32),
        ("max_pitch", _c.c_int32),
        ("max_registers_per_block", _c.c_int32),
        ("clock_rate", _c.c_int32),
        ("texture_alignment", _c.c_int32),
        ("gpu_overlap", _c.c_int32),
        ("multiprocessor_count", _c.c_int32),
        ("kernel_exec_timeout", _c.c_int32),
        ("integrated", _c.c_int32),
        ("can_map_host_memory", _c.c_int32),
        ("compute_mode", _c.c_int32),
        ("maximum_texture1d_width", _c.c_int32),
        ("maximum_texture2d_width", _c.c_int32),
        ("maximum_texture2d_height", _c.c_int32),
        ("maximum_texture3d_width", _c.c_int32),
        ("maximum_texture3d_height", _c.c_int32),
        ("maximum_texture3d_depth", _c.c_int32),
        ("maximum_texture2d_layered_width", _c.c_int32),
        ("maximum_texture2d_layered_height", _c.c_int32),
        ("maximum_texture2d_layered_layers", _c.c_int32),
        ("surface_alignment", _c.c_int32),
        ("concurrent_kernels", _c.c_int32),
        ("ecc_enabled", _c.c_int32),
        ("pci_bus_id", _c.c_int32),
        ("pci_device_id", _c.c_int32),
        ("tcc_driver", _c.c_int32),
        ("memory_clock_rate", _c.c_int32),
        ("global_memory_bus_width", _c.c_int32),
        ("l2_cache_size", _c.c_int32),
        ("max_threads_per_multiprocessor", _c.c_int32),
        ("async_engine_count", _c.c_int32),
        ("unified_addressing", _c.c_int32),
        ("maximum_texture1d_layered_width", _c.c_int32),
        ("maximum_texture1d_layered_layers", _c.c_int32),
        ("can_tex2d_gather", _c.c_int32),
        ("maximum_texture2d_gather_width", _c.c_int32),
        ("maximum_texture2d_gather_height", _c.c_int32),
        ("maximum_texture3d_width_alternate", _c.c_int32),
        ("maximum_texture3d_height_alternate", _c.c_int32),
        ("maximum_texture3d_depth_alternate", _c.c_int32),
        ("pci_domain_id", _c.c_int32),
        ("texture_pitch_alignment", _c.c_int32),
        ("maximum_texturecubemap_width", _c.c_int32),
        ("maximum_texturecubemap_layered_width", _c.c_int32),
        ("maximum_texturecubemap_layered_layers", _c.c_int32),
        ("maximum_surface1d_width", _c.c_int32),
        ("maximum_surface2d_width", _c.c_int32),
        ("maximum_surface2d_height", _c.c_int32),
        ("maximum_surface3d_width", _c.c_int32),
        ("maximum_surface3d_height", _c.c_int32),
        ("maximum_surface3d_depth", _c.c_int32),
        ("maximum_surface1d_layered_width", _c.c_int32),
        ("maximum_surface1d_layered_layers", _c.c_int32),
        ("maximum_surface2d_layered_width", _c.c_int32),
        ("maximum_surface2d_layered_height", _c.c_int32),
        ("maximum_surface2d_layered_layers", _c.c_int32),
        ("maximum_surfacecubemap_width", _c.c_int32),
        ("maximum_surfacecubemap_layered_width", _c.c_int32),
        ("maximum_surfacecubemap_layered_layers", _c.c_int32),
        ("maximum_texture1d_linear_width", _c.c_int32),
        ("maximum_texture2d_linear_width", _c.c_int32),
        ("maximum_texture2d_linear_height", _c.c_int32),
        ("maximum_texture2d_linear_pitch", _c.c_int32),
        ("maximum_texture2d_mipmapped_width", _c.c_int32),
        ("maximum_texture2d_mipmapped_height", _c.c_int32),
        ("compute_capability_major", _c.c_int32),
        ("compute_capability_minor", _c.c_int32),
        ("maximum_texture1d_mipmapped_width", _c.c_int32),
        ("stream_priorities_supported", _c.c_int32),
        ("global_l1_cache_supported", _c.c_int32),
        ("local_l1_cache_supported", _c.c_int32),
        ("max_shared_memory_per_multiprocessor", _c.c_int32),
        ("max_registers_per_multiprocessor", _c.c_int32),
        ("managed_memory", _c.c_int32),
        ("multi_gpu_board", _c.c_int32),
        ("multi_gpu_board_group_id", _c.c_int32),
        ("host_native_atomic_supported", _c.c_int32),
        ("single_to_double_precision_perf_ratio", _c.c_int32),
        ("pageable_memory_access", _c.c_int32),
        ("concurrent_managed_access", _c.c_int32),
        ("compute_preemption_supported", _c.c_int32),
        ("can_use_host_pointer_for_registered_mem", _c.c_int32),
        ("cooperative_launch", _c.c_int32),
        ("max_shared_memory_per_block_optin", _c.c_int32),
        ("can_flush_remote_writes", _c.c_int32),
        ("host_register_supported", _c.c_int32),
        ("pageable_memory_access_uses_host_page_tables", _c.c_int32),
        ("direct_managed_mem_access_from_host", _c.c_int32),
        ("virtual_memory_management_supported", _c.c_int32),
        ("handle_type_posix_file_descriptor_supported", _c.c_int32),
        ("handle_type_win32_handle_supported", _c.c_int32),
        ("handle_type_win32_kmt_handle_supported", _c.c_int32),
        ("max_blocks_per_multiprocessor", _c.c_int32),
        ("generic_compression_supported", _c.c_int32),
        ("max_persisting_l2_cache_size", _c.c_int32),
        ("max_access_policy_window_size", _c.c_int32),
        ("gpu_direct_rdma_with_cuda_vmm_supported", _c.c_int32),
        ("reserved_shared_memory_per_block", _c.c_int32),
        ("sparse_cuda_array_supported", _c.c_int32),
        ("read_only_host_register_supported", _c.c_int32),
        ("timeline_semaphore_interop_supported", _c.c_int32),
        ("memory_pools_supported", _c.c_int32),
        ("gpu_direct_rdma_supported", _c.c_int32),
        ("gpu_direct_rdma_flush_writes_options", _c.c_int32),
        ("gpu_direct_rdma_writes_ordering", _c.c_int32),
        ("mempool_supported_handle_types", _c.c_int32),
        ("cluster_launch", _c.c_int32),
        ("deferred_mapping_cuda_array_supported", _c.c_int32),
        ("can_use_64_bit_stream_mem_ops", _c.c_int32),
        ("can_use_stream_wait_value_nor", _c.c_int32),
        ("dma_buf_supported", _c.c_int32),
        ("ipc_event_supported", _c.c_int32),
        ("mem_sync_domain_count", _c.c_int32),
        ("tensor_map_access_supported", _c.c_int32),
        ("handle_type_fabric_supported", _c.c_int32),
        ("unified_function_pointers", _c.c_int32),
        ("numa_config", _c.c_int32),
        ("numa_id", _c.c_int32),
        ("multicast_supported", _c.c_int32),
        ("mps_enabled", _c.c_int32),
        ("host_numa_id", _c.c_int32),
        ("d3d12_cig_supported", _c.c_int32),
        ("mem_decompress_algorithm_mask", _c.c_int32),
        ("mem_decompress_maximum_length", _c.c_int32),
        ("vulkan_cig_supported", _c.c_int32),
        ("gpu_pci_device_id", _c.c_int32),
        ("gpu_pci_subsystem_id", _c.c_int32),
        ("host_numa_virtual_memory_management_supported", _c.c_int32),
        ("host_numa_memory_pools_supported", _c.c_int32),
        ("host_numa_multinode_ipc_supported", _c.c_int32),
        ("host_memory_pools_supported", _c.c_int32),
        ("host_virtual_memory_management_supported", _c.c_int32),
        ("host_alloc_dma_buf_supported", _c.c_int32),
        ("only_partial_host_native_atomic_supported", _c.c_int32),
        ("reserved", _c.c_int32),
    ]


class cuc_device_sensors(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("throttle", _c.c_uint64),
        ("sm_mhz", _c.c_uint32),
        ("memory_mhz", _c.c_uint32),
        ("milliwatts", _c.c_uint32),
        ("celsius", _c.c_int32),
        ("known", _c.c_uint32),
        ("reserved", _c.c_uint32),
    ]


class cuc_dl_data_type(_c.Structure):
    _fields_ = [
        ("code", _c.c_uint8),
        ("bits", _c.c_uint8),
        ("lanes", _c.c_uint16),
    ]


class cuc_dl_device(_c.Structure):
    _fields_ = [
        ("device_type", _c.c_int32),
        ("device_id", _c.c_int32),
    ]


class cuc_dl_tensor(_c.Structure):
    _fields_ = [
        ("data", _c.c_void_p),
        ("device", cuc_dl_device),
        ("ndim", _c.c_int32),
        ("dtype", cuc_dl_data_type),
        ("shape", _c.c_void_p),
        ("strides", _c.c_void_p),
        ("byte_offset", _c.c_uint64),
    ]


class cuc_dl_version(_c.Structure):
    _fields_ = [
        ("major", _c.c_uint32),
        ("minor", _c.c_uint32),
    ]


class cuc_event_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("flags", _c.c_uint32),
        ("reserved", _c.c_uint32),
    ]


class cuc_explanation(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("symbol", _c.c_char_p),
        ("meaning", _c.c_char_p),
        ("remedy", _c.c_char_p),
        ("library", _c.c_int32),
        ("code", _c.c_int32),
        ("sticky", _c.c_int32),
        ("reserved", _c.c_int32),
    ]


class cuc_fatbin_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("name", _c.c_char_p),
        ("compress", _c.c_int32),
        ("ptx", _c.c_int32),
    ]


class cuc_fatbin_part(_c.Structure):
    _fields_ = [
        ("object", _c.c_void_p),
        ("arch", _c.c_char_p),
    ]


class cuc_fill_2d_params(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("dst", _c.c_uint64),
        ("pitch", _c.c_size_t),
        ("row_count", _c.c_size_t),
        ("rows", _c.c_size_t),
        ("pattern", _c.c_uint32),
        ("pattern_bytes", _c.c_uint32),
    ]


class cuc_gemm_args(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("a", _c.c_void_p),
        ("b", _c.c_void_p),
        ("c", _c.c_void_p),
        ("d", _c.c_void_p),
        ("bias", _c.c_void_p),
        ("residual", _c.c_void_p),
        ("row_scale", _c.c_void_p),
        ("column_scale", _c.c_void_p),
        ("offsets", _c.c_void_p),
        ("workspace", _c.c_uint64),
        ("workspace_bytes", _c.c_uint64),
        ("aux", _c.c_void_p),
        ("bias_gradient", _c.c_void_p),
        ("amax", _c.c_void_p),
        ("a_scale", _c.c_void_p),
        ("b_scale", _c.c_void_p),
    ]


class cuc_gemm_choice(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("tile_m", _c.c_int32),
        ("tile_n", _c.c_int32),
        ("tile_k", _c.c_int32),
        ("stages", _c.c_int32),
        ("cluster", _c.c_int32),
        ("warps", _c.c_int32),
        ("split", _c.c_int32),
        ("raster", _c.c_int32),
        ("parts", _c.c_int32),
        ("pipeline", _c.c_int32),
        ("d_dtype", _c.c_int32),
        ("stream_k", _c.c_int32),
        ("tiles", _c.c_int64),
        ("seconds", _c.c_double),
        ("by", _c.c_char_p),
        ("cluster_n", _c.c_int32),
        ("pack", _c.c_int32),
    ]


class cuc_gemm_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("form", _c.c_int32),
        ("flags", _c.c_uint32),
        ("dtype", _c.c_int32),
        ("d_dtype", _c.c_int32),
        ("c_dtype", _c.c_int32),
        ("accumulator", _c.c_int32),
        ("precision", _c.c_int32),
        ("a_order", _c.c_int32),
        ("b_order", _c.c_int32),
        ("d_order", _c.c_int32),
        ("activation", _c.c_int32),
        ("bias", _c.c_int32),
        ("bias_dtype", _c.c_int32),
        ("residual_dtype", _c.c_int32),
        ("m", _c.c_int64),
        ("n", _c.c_int64),
        ("k", _c.c_int64),
        ("batch", _c.c_int64),
        ("tile_m", _c.c_int32),
        ("tile_n", _c.c_int32),
        ("tile_k", _c.c_int32),
        ("stages", _c.c_int32),
        ("cluster", _c.c_int32),
        ("warps", _c.c_int32),
        ("split", _c.c_int32),
        ("raster", _c.c_int32),
        ("parts", _c.c_int32),
        ("stream_k", _c.c_int32),
        ("workspace_bytes", _c.c_uint64),
        ("arch", _c.c_char_p),
        ("tuned", _c.c_char_p),
        ("cache", _c.c_void_p),
        ("cluster_n", _c.c_int32),
        ("pack", _c.c_int32),
        ("alignment", _c.c_int32),
        ("aux_dtype", _c.c_int32),
        ("bias_gradient", _c.c_int32),
        ("bias_gradient_dtype", _c.c_int32),
        ("sm_count", _c.c_int32),
        ("a_scale_rows", _c.c_int32),
        ("b_scale_columns", _c.c_int32),
        ("reserved", _c.c_int32),
    ]


class cuc_graph_exec_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("upload", _c.c_void_p),
        ("flags", _c.c_uint32),
        ("reserved", _c.c_uint32),
    ]


class cuc_ipc_handle(_c.Structure):
    _fields_ = [
        ("bytes", _c.c_uint8 * 64),
    ]


class cuc_kernel_parameter(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("offset", _c.c_uint32),
        ("bytes", _c.c_uint32),
        ("type", _c.c_int32),
        ("reserved", _c.c_int32),
    ]


class cuc_launch_attribute_value_window(_c.Structure):
    _fields_ = [
        ("base", _c.c_uint64),
        ("bytes", _c.c_uint64),
        ("hit_ratio", _c.c_float),
        ("hit", _c.c_int32),
        ("miss", _c.c_int32),
    ]


class cuc_launch_attribute_value_event(_c.Structure):
    _fields_ = [
        ("event", _c.c_void_p),
        ("trigger_at_start", _c.c_int32),
        ("flags", _c.c_int32),
    ]


class cuc_launch_attribute_value_domain_map(_c.Structure):
    _fields_ = [
        ("default_domain", _c.c_uint8),
        ("remote_domain", _c.c_uint8),
    ]


class cuc_launch_attribute_value_device_node(_c.Structure):
    _fields_ = [
        ("updatable", _c.c_int32),
        ("node", _c.c_void_p),
    ]


class cuc_launch_attribute_value(_c.Union):
    _fields_ = [
        ("value", _c.c_int32),
        ("cluster", _c.c_uint32 * 3),
        ("window", cuc_launch_attribute_value_window),
        ("event", cuc_launch_attribute_value_event),
        ("domain_map", cuc_launch_attribute_value_domain_map),
        ("device_node", cuc_launch_attribute_value_device_node),
        ("raw", _c.c_uint8 * 64),
    ]


class cuc_launch_attribute(_c.Structure):
    _fields_ = [
        ("id", _c.c_int32),
        ("reserved", _c.c_uint32),
        ("value", cuc_launch_attribute_value),
    ]


class cuc_launch_config(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("grid", _c.c_uint32 * 3),
        ("block", _c.c_uint32 * 3),
        ("cluster", _c.c_uint32 * 3),
        ("shared_bytes", _c.c_uint32),
        ("flags", _c.c_uint32),
        ("attribute_count", _c.c_uint32),
        ("attributes", _c.c_void_p),
    ]


class cuc_linker_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("name", _c.c_char_p),
        ("arch", _c.c_char_p),
        ("backend", _c.c_int32),
        ("max_register_count", _c.c_int32),
        ("time", _c.c_int32),
        ("verbose", _c.c_int32),
        ("link_time_optimization", _c.c_int32),
        ("keep_ptx", _c.c_int32),
        ("optimization_level", _c.c_int32),
        ("debug", _c.c_int32),
        ("lineinfo", _c.c_int32),
        ("ftz", _c.c_int32),
        ("prec_div", _c.c_int32),
        ("prec_sqrt", _c.c_int32),
        ("fma", _c.c_int32),
        ("optimize_unused_variables", _c.c_int32),
        ("split_compile", _c.c_int32),
        ("split_compile_extended", _c.c_int32),
        ("no_cache", _c.c_int32),
        ("numba_debug", _c.c_int32),
        ("kernels_used", _c.c_void_p),
        ("kernels_used_count", _c.c_size_t),
        ("variables_used", _c.c_void_p),
        ("variables_used_count", _c.c_size_t),
        ("ptxas_options", _c.c_void_p),
        ("ptxas_option_count", _c.c_size_t),
        ("extra_options", _c.c_void_p),
        ("extra_option_count", _c.c_size_t),
        ("cache", _c.c_void_p),
    ]


class cuc_memory_batch(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("ptrs", _c.c_void_p),
        ("bytes", _c.c_void_p),
        ("count", _c.c_size_t),
        ("locations", _c.c_void_p),
        ("location_count", _c.c_size_t),
    ]


class cuc_memory_callbacks(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("user", _c.c_void_p),
        ("allocate", _c.CFUNCTYPE(_c.c_int32, _c.c_void_p, _c.c_void_p, _c.c_void_p, _c.c_size_t)),
        ("deallocate", _c.CFUNCTYPE(_c.c_int32, _c.c_void_p, _c.c_void_p, _c.c_uint64, _c.c_size_t)),
        ("destroy", _c.CFUNCTYPE(None, _c.c_void_p)),
        ("device", _c.c_void_p),
        ("access", _c.c_uint32),
        ("reserved", _c.c_uint32),
    ]


class cuc_memory_location(_c.Structure):
    _fields_ = [
        ("type", _c.c_int32),
        ("id", _c.c_int32),
    ]


class cuc_memory_piece(_c.Structure):
    _fields_ = [
        ("bytes", _c.c_uint64),
        ("fd", _c.c_int32),
        ("reserved", _c.c_uint32),
    ]


class cuc_memory_pool_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("max_bytes", _c.c_uint64),
        ("release_threshold", _c.c_uint64),
        ("kind", _c.c_int32),
        ("flags", _c.c_uint32),
        ("location", cuc_memory_location),
    ]


class cuc_memory_pool_statistics(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("reserved_bytes", _c.c_uint64),
        ("reserved_high", _c.c_uint64),
        ("used_bytes", _c.c_uint64),
        ("used_high", _c.c_uint64),
    ]


class cuc_memory_virtual_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("reserve_bytes", _c.c_uint64),
        ("align", _c.c_uint64),
        ("peers", _c.c_void_p),
        ("peer_count", _c.c_size_t),
        ("location", cuc_memory_location),
        ("flags", _c.c_uint32),
        ("reserved", _c.c_uint32),
    ]


class cuc_object_mapping(_c.Structure):
    _fields_ = [
        ("expression", _c.c_char_p),
        ("symbol", _c.c_char_p),
    ]


class cuc_object_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("name", _c.c_char_p),
        ("ptx", _c.c_void_p),
        ("ptx_bytes", _c.c_size_t),
        ("names", _c.c_void_p),
        ("name_count", _c.c_size_t),
    ]


class cuc_occupancy_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("shared_bytes", _c.c_uint32),
        ("block_limit", _c.c_uint32),
        ("flags", _c.c_uint32),
        ("reserved", _c.c_uint32),
        ("shared_of_block", _c.CFUNCTYPE(_c.c_size_t, _c.c_int32, _c.c_void_p)),
        ("user", _c.c_void_p),
    ]


class cuc_pointer_info(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("base", _c.c_uint64),
        ("bytes", _c.c_uint64),
        ("device_pointer", _c.c_uint64),
        ("host_pointer", _c.c_void_p),
        ("pool", _c.c_void_p),
        ("buffer_id", _c.c_uint64),
        ("kind", _c.c_int32),
        ("device", _c.c_int32),
        ("access", _c.c_uint32),
        ("mapped", _c.c_int32),
    ]


class cuc_program_header(_c.Structure):
    _fields_ = [
        ("name", _c.c_char_p),
        ("text", _c.c_char_p),
        ("bytes", _c.c_size_t),
    ]


class cuc_program_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("name", _c.c_char_p),
        ("arch", _c.c_char_p),
        ("relocatable_device_code", _c.c_int32),
        ("extensible_whole_program", _c.c_int32),
        ("debug", _c.c_int32),
        ("lineinfo", _c.c_int32),
        ("device_code_optimize", _c.c_int32),
        ("max_register_count", _c.c_int32),
        ("ftz", _c.c_int32),
        ("prec_sqrt", _c.c_int32),
        ("prec_div", _c.c_int32),
        ("fma", _c.c_int32),
        ("use_fast_math", _c.c_int32),
        ("extra_device_vectorization", _c.c_int32),
        ("modify_stack_limit", _c.c_int32),
        ("link_time_optimization", _c.c_int32),
        ("gen_opt_lto", _c.c_int32),
        ("device_stack_protector", _c.c_int32),
        ("jump_table_density", _c.c_int32),
        ("split_compile", _c.c_int32),
        ("no_source_include", _c.c_int32),
        ("no_default_headers", _c.c_int32),
        ("use_bundled_headers", _c.c_int32),
        ("builtin_move_forward", _c.c_int32),
        ("builtin_initializer_list", _c.c_int32),
        ("disable_warnings", _c.c_int32),
        ("restrict_pointers", _c.c_int32),
        ("device_as_default_execution_space", _c.c_int32),
        ("device_int128", _c.c_int32),
        ("device_float128", _c.c_int32),
        ("display_error_number", _c.c_int32),
        ("brief_diagnostics", _c.c_int32),
        ("version_ident", _c.c_int32),
        ("fdevice_syntax_only", _c.c_int32),
        ("minimal", _c.c_int32),
        ("no_cache", _c.c_int32),
        ("numba_debug", _c.c_int32),
        ("pch", _c.c_int32),
        ("pch_verbose", _c.c_int32),
        ("pch_messages", _c.c_int32),
        ("instantiate_templates_in_pch", _c.c_int32),
        ("reserved", _c.c_int32),
        ("std", _c.c_char_p),
        ("ofast_compile", _c.c_char_p),
        ("optimization_info", _c.c_char_p),
        ("time", _c.c_char_p),
        ("fdevice_time_trace", _c.c_char_p),
        ("frandom_seed", _c.c_char_p),
        ("create_pch", _c.c_char_p),
        ("use_pch", _c.c_char_p),
        ("pch_dir", _c.c_char_p),
        ("define_macros", _c.c_void_p),
        ("define_macro_count", _c.c_size_t),
        ("undefine_macros", _c.c_void_p),
        ("undefine_macro_count", _c.c_size_t),
        ("include_paths", _c.c_void_p),
        ("include_path_count", _c.c_size_t),
        ("pre_includes", _c.c_void_p),
        ("pre_include_count", _c.c_size_t),
        ("ptxas_options", _c.c_void_p),
        ("ptxas_option_count", _c.c_size_t),
        ("diag_error", _c.c_void_p),
        ("diag_error_count", _c.c_size_t),
        ("diag_suppress", _c.c_void_p),
        ("diag_suppress_count", _c.c_size_t),
        ("diag_warn", _c.c_void_p),
        ("diag_warn_count", _c.c_size_t),
        ("headers", _c.c_void_p),
        ("header_count", _c.c_size_t),
        ("name_expressions", _c.c_void_p),
        ("name_expression_count", _c.c_size_t),
        ("extra_options", _c.c_void_p),
        ("extra_option_count", _c.c_size_t),
        ("constants", _c.c_void_p),
        ("constant_count", _c.c_size_t),
        ("warps", _c.c_int32),
        ("remarks", _c.c_int32),
        ("require_tma", _c.c_int32),
        ("require_tensor_core", _c.c_int32),
        ("stages", _c.c_int32),
        ("cluster", _c.c_int32),
        ("split", _c.c_int32),
        ("raster", _c.c_int32),
        ("dimensions", _c.c_void_p),
        ("dimension_count", _c.c_size_t),
        ("tuned", _c.c_char_p),
        ("budget_operations", _c.c_uint64),
        ("budget_ptx_bytes", _c.c_uint64),
        ("budget_memory_bytes", _c.c_uint64),
        ("budget_seconds", _c.c_double),
        ("cancel", _c.CFUNCTYPE(_c.c_int32, _c.c_void_p)),
        ("cancel_user", _c.c_void_p),
        ("cache", _c.c_void_p),
    ]


class cuc_python_argument(_c.Structure):
    _fields_ = [
        ("type", _c.c_void_p),
        ("how", _c.c_int32),
        ("dtype", _c.c_int32),
    ]


class cuc_python_launch(_c.Structure):
    _fields_ = [
        ("stream", _c.c_void_p),
        ("config", _c.c_void_p),
        ("kernel", _c.c_void_p),
        ("args", _c.c_void_p),
        ("arg_count", _c.c_size_t),
    ]


class cuc_python_plan(_c.Structure):
    _fields_ = [
        ("kernel", _c.c_void_p),
        ("arguments", _c.c_void_p),
        ("count", _c.c_size_t),
    ]


class cuc_sms(_c.Structure):
    _fields_ = [
        ("count", _c.c_uint32),
        ("least", _c.c_uint32),
        ("alignment", _c.c_uint32),
        ("reserved", _c.c_uint32),
        ("driver", _c.c_uint64 * 18),
    ]


class cuc_stream_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("priority", _c.c_int32),
        ("flags", _c.c_uint32),
    ]


class cuc_tensor(_c.Structure):
    _fields_ = [
        ("data", _c.c_uint64),
        ("dtype", _c.c_int32),
        ("rank", _c.c_int32),
        ("device", _c.c_int32),
        ("flags", _c.c_uint32),
        ("shape", _c.c_int64 * 8),
        ("strides", _c.c_int64 * 8),
    ]


class cuc_tensor_map(_c.Structure):
    _fields_ = [
        ("words", _c.c_uint64 * 16),
    ]


class cuc_tensor_map_image(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("lower", _c.c_int32 * 3),
        ("upper", _c.c_int32 * 3),
        ("channels", _c.c_uint32),
        ("pixels", _c.c_uint32),
    ]


class cuc_tensor_map_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("dtype", _c.c_int32),
        ("interleave", _c.c_int32),
        ("swizzle", _c.c_int32),
        ("l2_promotion", _c.c_int32),
        ("fill", _c.c_int32),
        ("flags", _c.c_uint32),
        ("steps", _c.c_uint32 * 5),
        ("reserved", _c.c_uint32),
    ]


class cuc_tile_access_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("shape", _c.c_void_p),
        ("rank", _c.c_uint32),
        ("pad", _c.c_uint32),
        ("mask", _c.c_uint32),
        ("order", _c.c_int32),
        ("scope", _c.c_int32),
        ("latency", _c.c_int32),
        ("tma", _c.c_int32),
        ("cache", _c.c_int32),
        ("inside", _c.c_int32),
        ("reserved", _c.c_uint32),
    ]


class cuc_tile_budget(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("budget_operations", _c.c_uint64),
        ("budget_ptx_bytes", _c.c_uint64),
        ("budget_memory_bytes", _c.c_uint64),
        ("budget_seconds", _c.c_double),
        ("cancel", _c.CFUNCTYPE(_c.c_int32, _c.c_void_p)),
        ("cancel_user", _c.c_void_p),
    ]


class cuc_tile_entry(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("variant", _c.c_char_p),
        ("threads", _c.c_uint32),
        ("static_shared_bytes", _c.c_uint32),
        ("dynamic_shared_bytes", _c.c_uint32),
        ("registers", _c.c_uint32),
        ("stack_bytes", _c.c_uint32),
        ("reserved", _c.c_uint32),
    ]


class cuc_tile_interpret_options(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("grid", _c.c_uint32 * 3),
        ("reserved", _c.c_uint32),
        ("print", _c.CFUNCTYPE(None, _c.c_void_p, _c.c_char_p)),
        ("user", _c.c_void_p),
        ("stop", _c.CFUNCTYPE(_c.c_int32, _c.c_void_p)),
    ]


class cuc_tile_parameter(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("name", _c.c_char_p),
        ("dtype", _c.c_int32),
        ("rank", _c.c_int32),
        ("written", _c.c_uint32),
        ("reserved", _c.c_uint32),
    ]


class cuc_tuned_record(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("gpu", _c.c_char_p),
        ("toolkit", _c.c_char_p),
        ("program", _c.c_char_p),
        ("kernel", _c.c_char_p),
        ("constants", _c.c_char_p),
        ("dimensions", _c.c_char_p),
        ("choice", _c.c_char_p),
        ("seconds", _c.c_double),
    ]


class cuc_copy_attributes(_c.Structure):
    _fields_ = [
        ("source_order", _c.c_int32),
        ("flags", _c.c_uint32),
        ("src_hint", cuc_memory_location),
        ("dst_hint", cuc_memory_location),
    ]


class cuc_dl_managed_tensor(_c.Structure):
    _fields_ = [
        ("dl_tensor", cuc_dl_tensor),
        ("manager_ctx", _c.c_void_p),
        ("deleter", _c.CFUNCTYPE(None, _c.c_void_p)),
    ]


class cuc_dl_managed_tensor_versioned(_c.Structure):
    _fields_ = [
        ("version", cuc_dl_version),
        ("manager_ctx", _c.c_void_p),
        ("deleter", _c.CFUNCTYPE(None, _c.c_void_p)),
        ("flags", _c.c_uint64),
        ("dl_tensor", cuc_dl_tensor),
    ]


# Sizes and offsets as the headers have them; a test compares.
LAYOUT = {
    "cuc_algorithm_args": (72, {"struct_size": 0, "inputs": 8, "outputs": 16, "input_count": 24, "output_count": 28, "count": 32, "device_count": 40, "workspace": 48, "workspace_bytes": 56, "offsets": 64}),
    "cuc_algorithm_options": (128, {"struct_size": 0, "kind": 8, "flags": 12, "inputs": 16, "outputs": 24, "input_count": 32, "output_count": 36, "fn": 40, "identity": 48, "tile": 56, "blocks": 60, "warps": 64, "bins": 68, "keys": 72, "offsets": 76, "determinism": 80, "count": 88, "arch": 96, "cache": 104, "bit_begin": 112, "bit_end": 116, "k": 120}),
    "cuc_arg": (16, {"type": 0, "bytes": 4, "value": 8}),
    "cuc_attention_args": (232, {"struct_size": 0, "q": 8, "k": 16, "v": 24, "o": 32, "lse": 40, "scale": 48, "sinks": 56, "sides": 64, "side_count": 72, "reserved": 76, "query_offsets": 80, "key_offsets": 88, "most_queries": 96, "page_table": 104, "key_lengths": 112, "workspace": 120, "workspace_bytes": 128, "d_o": 136, "d_q": 144, "d_k": 152, "d_v": 160, "most_keys": 168, "new_k": 176, "new_v": 184, "q_scale": 192, "k_scale": 200, "v_scale": 208, "d_sinks": 216, "d_sides": 224}),
    "cuc_attention_choice": (48, {"struct_size": 0, "tile_q": 8, "tile_k": 12, "stages": 16, "warps": 20, "pipeline": 24, "parts": 28, "tiles": 32, "by": 40}),
    "cuc_attention_options": (160, {"struct_size": 0, "flags": 8, "dtype": 12, "width": 16, "value_width": 20, "mask": 24, "align": 28, "order": 32, "window_left": 36, "window_right": 40, "tile_q": 44, "tile_k": 48, "stages": 52, "warps": 56, "batch": 64, "heads": 72, "key_heads": 80, "queries": 88, "keys": 96, "arch": 104, "cache": 112, "score": 120, "sides": 128, "side_count": 136, "reserved": 140, "page_size": 144, "parts": 148, "o_dtype": 152}),
    "cuc_attention_side": (24, {"name": 0, "dtype": 8, "rank": 12, "gradient": 16}),
    "cuc_buffer_options": (56, {"struct_size": 0, "device": 8, "resource": 16, "stream": 24, "owner": 32, "drop_owner": 40, "access": 48, "reserved": 52}),
    "cuc_cache_entry": (48, {"struct_size": 0, "key": 8, "label": 16, "bytes": 24, "used_ns": 32, "damaged": 40, "reserved": 44}),
    "cuc_cache_info": (72, {"struct_size": 0, "dir": 8, "off": 16, "max_bytes": 24, "bytes": 32, "entries": 40, "hits": 48, "misses": 56, "stored": 64}),
    "cuc_cache_options": (24, {"struct_size": 0, "dir": 8, "max_bytes": 16}),
    "cuc_capture_info": (32, {"struct_size": 0, "id": 8, "graph": 16, "status": 24, "reserved": 28}),
    "cuc_copy_2d_params": (88, {"struct_size": 0, "dst": 8, "src": 16, "dst_pitch": 24, "src_pitch": 32, "row_bytes": 40, "rows": 48, "dst_x_bytes": 56, "dst_y": 64, "src_x_bytes": 72, "src_y": 80}),
    "cuc_copy_3d_params": (128, {"struct_size": 0, "dst": 8, "src": 16, "dst_pitch": 24, "src_pitch": 32, "dst_slice_rows": 40, "src_slice_rows": 48, "row_bytes": 56, "rows": 64, "slices": 72, "dst_x_bytes": 80, "dst_y": 88, "dst_z": 96, "src_x_bytes": 104, "src_y": 112, "src_z": 120}),
    "cuc_copy_attributes": (24, {"source_order": 0, "flags": 4, "src_hint": 8, "dst_hint": 16}),
    "cuc_copy_batch_params": (56, {"struct_size": 0, "dst": 8, "src": 16, "bytes": 24, "count": 32, "attributes": 40, "attribute_count": 48}),
    "cuc_device_properties": (584, {"struct_size": 0, "max_threads_per_block": 8, "max_block_dim_x": 12, "max_block_dim_y": 16, "max_block_dim_z": 20, "max_grid_dim_x": 24, "max_grid_dim_y": 28, "max_grid_dim_z": 32, "max_shared_memory_per_block": 36, "total_constant_memory": 40, "warp_size": 44, "max_pitch": 48, "max_registers_per_block": 52, "clock_rate": 56, "texture_alignment": 60, "gpu_overlap": 64, "multiprocessor_count": 68, "kernel_exec_timeout": 72, "integrated": 76, "can_map_host_memory": 80, "compute_mode": 84, "maximum_texture1d_width": 88, "maximum_texture2d_width": 92, "maximum_texture2d_height": 96, "maximum_texture3d_width": 100, "maximum_texture3d_height": 104, "maximum_texture3d_depth": 108, "maximum_texture2d_layered_width": 112, "maximum_texture2d_layered_height": 116, "maximum_texture2d_layered_layers": 120, "surface_alignment": 124, "concurrent_kernels": 128, "ecc_enabled": 132, "pci_bus_id": 136, "pci_device_id": 140, "tcc_driver": 144, "memory_clock_rate": 148, "global_memory_bus_width": 152, "l2_cache_size": 156, "max_threads_per_multiprocessor": 160, "async_engine_count": 164, "unified_addressing": 168, "maximum_texture1d_layered_width": 172, "maximum_texture1d_layered_layers": 176, "can_tex2d_gather": 180, "maximum_texture2d_gather_width": 184, "maximum_texture2d_gather_height": 188, "maximum_texture3d_width_alternate": 192, "maximum_texture3d_height_alternate": 196, "maximum_texture3d_depth_alternate": 200, "pci_domain_id": 204, "texture_pitch_alignment": 208, "maximum_texturecubemap_width": 212, "maximum_texturecubemap_layered_width": 216, "maximum_texturecubemap_layered_layers": 220, "maximum_surface1d_width": 224, "maximum_surface2d_width": 228, "maximum_surface2d_height": 232, "maximum_surface3d_width": 236, "maximum_surface3d_height": 240, "maximum_surface3d_depth": 244, "maximum_surface1d_layered_width": 248, "maximum_surface1d_layered_layers": 252, "maximum_surface2d_layered_width": 256, "maximum_surface2d_layered_height": 260, "maximum_surface2d_layered_layers": 264, "maximum_surfacecubemap_width": 268, "maximum_surfacecubemap_layered_width": 272, "maximum_surfacecubemap_layered_layers": 276, "maximum_texture1d_linear_width": 280, "maximum_texture2d_linear_width": 284, "maximum_texture2d_linear_height": 288, "maximum_texture2d_linear_pitch": 292, "maximum_texture2d_mipmapped_width": 296, "maximum_texture2d_mipmapped_height": 300, "compute_capability_major": 304, "compute_capability_minor": 308, "maximum_texture1d_mipmapped_width": 312, "stream_priorities_supported": 316, "global_l1_cache_supported": 320, "local_l1_cache_supported": 324, "max_shared_memory_per_multiprocessor": 328, "max_registers_per_multiprocessor": 332, "managed_memory": 336, "multi_gpu_board": 340, "multi_gpu_board_group_id": 344, "host_native_atomic_supported": 348, "single_to_double_precision_perf_ratio": 352, "pageable_memory_access": 356, "concurrent_managed_access": 360, "compute_preemption_supported": 364, "can_use_host_pointer_for_registered_mem": 368, "cooperative_launch": 372, "max_shared_memory_per_block_optin": 376, "can_flush_remote_writes": 380, "host_register_supported": 384, "pageable_memory_access_uses_host_page_tables": 388, "direct_managed_mem_access_from_host": 392, "virtual_memory_management_supported": 396, "handle_type_posix_file_descriptor_supported": 400, "handle_type_win32_handle_supported": 404, "handle_type_win32_kmt_handle_supported": 408, "max_blocks_per_multiprocessor": 412, "generic_compression_supported": 416, "max_persisting_l2_cache_size": 420, "max_access_policy_window_size": 424, "gpu_direct_rdma_with_cuda_vmm_supported": 428, "reserved_shared_memory_per_block": 432, "sparse_cuda_array_supported": 436, "read_only_host_register_supported": 440, "timeline_semaphore_interop_supported": 444, "memory_pools_supported": 448, "gpu_direct_rdma_supported": 452, "gpu_direct_rdma_flush_writes_options": 456, "gpu_direct_rdma_writes_ordering": 460, "mempool_supported_handle_types": 464, "cluster_launch": 468, "deferred_mapping_cuda_array_supported": 472, "can_use_64_bit_stream_mem_ops": 476, "can_use_stream_wait_value_nor": 480, "dma_buf_supported": 484, "ipc_event_supported": 488, "mem_sync_domain_count": 492, "tensor_map_access_supported": 496, "handle_type_fabric_supported": 500, "unified_function_pointers": 504, "numa_config": 508, "numa_id": 512, "multicast_supported": 516, "mps_enabled": 520, "host_numa_id": 524, "d3d12_cig_supported": 528, "mem_decompress_algorithm_mask": 532, "mem_decompress_maximum_length": 536, "vulkan_cig_supported": 540, "gpu_pci_device_id": 544, "gpu_pci_subsystem_id": 548, "host_numa_virtual_memory_management_supported": 552, "host_numa_memory_pools_supported": 556, "host_numa_multinode_ipc_supported": 560, "host_memory_pools_supported": 564, "host_virtual_memory_management_supported": 568, "host_alloc_dma_buf_supported": 572, "only_partial_host_native_atomic_supported": 576, "reserved": 580}),
    "cuc_device_sensors": (40, {"struct_size": 0, "throttle": 8, "sm_mhz": 16, "memory_mhz": 20, "milliwatts": 24, "celsius": 28, "known": 32, "reserved": 36}),
    "cuc_dl_data_type": (4, {"code": 0, "bits": 1, "lanes": 2}),
    "cuc_dl_device": (8, {"device_type": 0, "device_id": 4}),
    "cuc_dl_managed_tensor": (64, {"dl_tensor": 0, "manager_ctx": 48, "deleter": 56}),
    "cuc_dl_managed_tensor_versioned": (80, {"version": 0, "manager_ctx": 8, "deleter": 16, "flags": 24, "dl_tensor": 32}),
    "cuc_dl_tensor": (48, {"data": 0, "device": 8, "ndim": 16, "dtype": 20, "shape": 24, "strides": 32, "byte_offset": 40}),
    "cuc_dl_version": (8, {"major": 0, "minor": 4}),
    "cuc_event_options": (16, {"struct_size": 0, "flags": 8, "reserved": 12}),
    "cuc_explanation": (48, {"struct_size": 0, "symbol": 8, "meaning": 16, "remedy": 24, "library": 32, "code": 36, "sticky": 40, "reserved": 44}),
    "cuc_fatbin_options": (24, {"struct_size": 0, "name": 8, "compress": 16, "ptx": 20}),
    "cuc_fatbin_part": (16, {"object": 0, "arch": 8}),
    "cuc_fill_2d_params": (48, {"struct_size": 0, "dst": 8, "pitch": 16, "row_count": 24, "rows": 32, "pattern": 40, "pattern_bytes": 44}),
    "cuc_gemm_args": (136, {"struct_size": 0, "a": 8, "b": 16, "c": 24, "d": 32, "bias": 40, "residual": 48, "row_scale": 56, "column_scale": 64, "offsets": 72, "workspace": 80, "workspace_bytes": 88, "aux": 96, "bias_gradient": 104, "amax": 112, "a_scale": 120, "b_scale": 128}),
    "cuc_gemm_choice": (88, {"struct_size": 0, "tile_m": 8, "tile_n": 12, "tile_k": 16, "stages": 20, "cluster": 24, "warps": 28, "split": 32, "raster": 36, "parts": 40, "pipeline": 44, "d_dtype": 48, "stream_k": 52, "tiles": 56, "seconds": 64, "by": 72, "cluster_n": 80, "pack": 84}),
    "cuc_gemm_options": (208, {"struct_size": 0, "form": 8, "flags": 12, "dtype": 16, "d_dtype": 20, "c_dtype": 24, "accumulator": 28, "precision": 32, "a_order": 36, "b_order": 40, "d_order": 44, "activation": 48, "bias": 52, "bias_dtype": 56, "residual_dtype": 60, "m": 64, "n": 72, "k": 80, "batch": 88, "tile_m": 96, "tile_n": 100, "tile_k": 104, "stages": 108, "cluster": 112, "warps": 116, "split": 120, "raster": 124, "parts": 128, "stream_k": 132, "workspace_bytes": 136, "arch": 144, "tuned": 152, "cache": 160, "cluster_n": 168, "pack": 172, "alignment": 176, "aux_dtype": 180, "bias_gradient": 184, "bias_gradient_dtype": 188, "sm_count": 192, "a_scale_rows": 196, "b_scale_columns": 200, "reserved": 204}),
    "cuc_graph_exec_options": (24, {"struct_size": 0, "upload": 8, "flags": 16, "reserved": 20}),
    "cuc_ipc_handle": (64, {"bytes": 0}),
    "cuc_kernel_parameter": (24, {"struct_size": 0, "offset": 8, "bytes": 12, "type": 16, "reserved": 20}),
    "cuc_launch_attribute": (72, {"id": 0, "reserved": 4, "value": 8}),
    "cuc_launch_config": (64, {"struct_size": 0, "grid": 8, "block": 20, "cluster": 32, "shared_bytes": 44, "flags": 48, "attribute_count": 52, "attributes": 56}),
    "cuc_linker_options": (168, {"struct_size": 0, "name": 8, "arch": 16, "backend": 24, "max_register_count": 28, "time": 32, "verbose": 36, "link_time_optimization": 40, "keep_ptx": 44, "optimization_level": 48, "debug": 52, "lineinfo": 56, "ftz": 60, "prec_div": 64, "prec_sqrt": 68, "fma": 72, "optimize_unused_variables": 76, "split_compile": 80, "split_compile_extended": 84, "no_cache": 88, "numba_debug": 92, "kernels_used": 96, "kernels_used_count": 104, "variables_used": 112, "variables_used_count": 120, "ptxas_options": 128, "ptxas_option_count": 136, "extra_options": 144, "extra_option_count": 152, "cache": 160}),
    "cuc_memory_batch": (48, {"struct_size": 0, "ptrs": 8, "bytes": 16, "count": 24, "locations": 32, "location_count": 40}),
    "cuc_memory_callbacks": (56, {"struct_size": 0, "user": 8, "allocate": 16, "deallocate": 24, "destroy": 32, "device": 40, "access": 48, "reserved": 52}),
    "cuc_memory_location": (8, {"type": 0, "id": 4}),
    "cuc_memory_piece": (16, {"bytes": 0, "fd": 8, "reserved": 12}),
    "cuc_memory_pool_options": (40, {"struct_size": 0, "max_bytes": 8, "release_threshold": 16, "kind": 24, "flags": 28, "location": 32}),
    "cuc_memory_pool_statistics": (40, {"struct_size": 0, "reserved_bytes": 8, "reserved_high": 16, "used_bytes": 24, "used_high": 32}),
    "cuc_memory_virtual_options": (56, {"struct_size": 0, "reserve_bytes": 8, "align": 16, "peers": 24, "peer_count": 32, "location": 40, "flags": 48, "reserved": 52}),
    "cuc_object_mapping": (16, {"expression": 0, "symbol": 8}),
    "cuc_object_options": (48, {"struct_size": 0, "name": 8, "ptx": 16, "ptx_bytes": 24, "names": 32, "name_count": 40}),
    "cuc_occupancy_options": (40, {"struct_size": 0, "shared_bytes": 8, "block_limit": 12, "flags": 16, "reserved": 20, "shared_of_block": 24, "user": 32}),
    "cuc_pointer_info": (72, {"struct_size": 0, "base": 8, "bytes": 16, "device_pointer": 24, "host_pointer": 32, "pool": 40, "buffer_id": 48, "kind": 56, "device": 60, "access": 64, "mapped": 68}),
    "cuc_program_header": (24, {"name": 0, "text": 8, "bytes": 16}),
    "cuc_program_options": (560, {"struct_size": 0, "name": 8, "arch": 16, "relocatable_device_code": 24, "extensible_whole_program": 28, "debug": 32, "lineinfo": 36, "device_code_optimize": 40, "max_register_count": 44, "ftz": 48, "prec_sqrt": 52, "prec_div": 56, "fma": 60, "use_fast_math": 64, "extra_device_vectorization": 68, "modify_stack_limit": 72, "link_time_optimization": 76, "gen_opt_lto": 80, "device_stack_protector": 84, "jump_table_density": 88, "split_compile": 92, "no_source_include": 96, "no_default_headers": 100, "use_bundled_headers": 104, "builtin_move_forward": 108, "builtin_initializer_list": 112, "disable_warnings": 116, "restrict_pointers": 120, "device_as_default_execution_space": 124, "device_int128": 128, "device_float128": 132, "display_error_number": 136, "brief_diagnostics": 140, "version_ident": 144, "fdevice_syntax_only": 148, "minimal": 152, "no_cache": 156, "numba_debug": 160, "pch": 164, "pch_verbose": 168, "pch_messages": 172, "instantiate_templates_in_pch": 176, "reserved": 180, "std": 184, "ofast_compile": 192, "optimization_info": 200, "time": 208, "fdevice_time_trace": 216, "frandom_seed": 224, "create_pch": 232, "use_pch": 240, "pch_dir": 248, "define_macros": 256, "define_macro_count": 264, "undefine_macros": 272, "undefine_macro_count": 280, "include_paths": 288, "include_path_count": 296, "pre_includes": 304, "pre_include_count": 312, "ptxas_options": 320, "ptxas_option_count": 328, "diag_error": 336, "diag_error_count": 344, "diag_suppress": 352, "diag_suppress_count": 360, "diag_warn": 368, "diag_warn_count": 376, "headers": 384, "header_count": 392, "name_expressions": 400, "name_expression_count": 408, "extra_options": 416, "extra_option_count": 424, "constants": 432, "constant_count": 440, "warps": 448, "remarks": 452, "require_tma": 456, "require_tensor_core": 460, "stages": 464, "cluster": 468, "split": 472, "raster": 476, "dimensions": 480, "dimension_count": 488, "tuned": 496, "budget_operations": 504, "budget_ptx_bytes": 512, "budget_memory_bytes": 520, "budget_seconds": 528, "cancel": 536, "cancel_user": 544, "cache": 552}),
    "cuc_python_argument": (16, {"type": 0, "how": 8, "dtype": 12}),
    "cuc_python_launch": (40, {"stream": 0, "config": 8, "kernel": 16, "args": 24, "arg_count": 32}),
    "cuc_python_plan": (24, {"kernel": 0, "arguments": 8, "count": 16}),
    "cuc_sms": (160, {"count": 0, "least": 4, "alignment": 8, "reserved": 12, "driver": 16}),
    "cuc_stream_options": (16, {"struct_size": 0, "priority": 8, "flags": 12}),
    "cuc_tensor": (152, {"data": 0, "dtype": 8, "rank": 12, "device": 16, "flags": 20, "shape": 24, "strides": 88}),
    "cuc_tensor_map": (128, {"words": 0}),
    "cuc_tensor_map_image": (40, {"struct_size": 0, "lower": 8, "upper": 20, "channels": 32, "pixels": 36}),
    "cuc_tensor_map_options": (56, {"struct_size": 0, "dtype": 8, "interleave": 12, "swizzle": 16, "l2_promotion": 20, "fill": 24, "flags": 28, "steps": 32, "reserved": 52}),
    "cuc_tile_access_options": (56, {"struct_size": 0, "shape": 8, "rank": 16, "pad": 20, "mask": 24, "order": 28, "scope": 32, "latency": 36, "tma": 40, "cache": 44, "inside": 48, "reserved": 52}),
    "cuc_tile_budget": (56, {"struct_size": 0, "budget_operations": 8, "budget_ptx_bytes": 16, "budget_memory_bytes": 24, "budget_seconds": 32, "cancel": 40, "cancel_user": 48}),
    "cuc_tile_entry": (40, {"struct_size": 0, "variant": 8, "threads": 16, "static_shared_bytes": 20, "dynamic_shared_bytes": 24, "registers": 28, "stack_bytes": 32, "reserved": 36}),
    "cuc_tile_interpret_options": (48, {"struct_size": 0, "grid": 8, "reserved": 20, "print": 24, "user": 32, "stop": 40}),
    "cuc_tile_parameter": (32, {"struct_size": 0, "name": 8, "dtype": 16, "rank": 20, "written": 24, "reserved": 28}),
    "cuc_tuned_record": (72, {"struct_size": 0, "gpu": 8, "toolkit": 16, "program": 24, "kernel": 32, "constants": 40, "dimensions": 48, "choice": 56, "seconds": 64}),
}

# The result and the parameters of each function, a letter each.
FUNCTIONS = {
    "cuc_algorithm_args_init": "vpz",
    "cuc_algorithm_create": "ippp",
    "cuc_algorithm_options_init": "vpz",
    "cuc_algorithm_release": "vp",
    "cuc_algorithm_retain": "pp",
    "cuc_algorithm_run": "ippp",
    "cuc_algorithm_source": "sp",
    "cuc_algorithm_workspace_bytes": "Qpq",
    "cuc_attention": "ippp",
    "cuc_attention_append": "ippp",
    "cuc_attention_args_init": "vpz",
    "cuc_attention_backward": "ippp",
    "cuc_attention_options_init": "vpz",
    "cuc_attention_plan_create": "ippp",
    "cuc_attention_plan_get_choice": "ipp",
    "cuc_attention_plan_release": "vp",
    "cuc_attention_plan_retain": "pp",
    "cuc_attention_plan_source": "spz",
    "cuc_attention_plan_workspace_bytes": "Qpqqqqq",
    "cuc_buffer_access": "Ip",
    "cuc_buffer_bytes": "zp",
    "cuc_buffer_copy": "ippzpzz",
    "cuc_buffer_create": "ipppz",
    "cuc_buffer_device": "pp",
    "cuc_buffer_export": "ipp",
    "cuc_buffer_export_pieces": "ipzpp",
    "cuc_buffer_fill": "ippzIIz",
    "cuc_buffer_from_ipc_handle": "ippppz",
    "cuc_buffer_from_pieces": "ippppzz",
    "cuc_buffer_from_pointer": "ipQzp",
    "cuc_buffer_get_host_pointer": "ipp",
    "cuc_buffer_grow": "ippz",
    "cuc_buffer_memory_resource": "pp",
    "cuc_buffer_options_init": "vpz",
    "cuc_buffer_owner": "pp",
    "cuc_buffer_parent": "pp",
    "cuc_buffer_ptr": "Qp",
    "cuc_buffer_read_async": "ipppzz",
    "cuc_buffer_release": "vp",
    "cuc_buffer_retain": "pp",
    "cuc_buffer_set_stream": "ipp",
    "cuc_buffer_slice": "ippzz",
    "cuc_buffer_stream": "pp",
    "cuc_buffer_write_async": "ippzpz",
    "cuc_cache_clear": "ip",
    "cuc_cache_default": "p",
    "cuc_cache_get_info": "ipp",
    "cuc_cache_list": "ippp",
    "cuc_cache_none": "p",
    "cuc_cache_open": "ipp",
    "cuc_cache_options_init": "vpz",
    "cuc_cache_read": "ippzpp",
    "cuc_cache_release": "vp",
    "cuc_cache_remove": "ippz",
    "cuc_cache_retain": "pp",
    "cuc_cache_verify": "ipp",
    "cuc_cache_write": "ippzspz",
    "cuc_code_from_name": "is",
    "cuc_code_name": "si",
    "cuc_context_device": "pp",
    "cuc_context_disable_peer_access": "ipp",
    "cuc_context_enable_peer_access": "ipp",
    "cuc_context_event_create": "ippp",
    "cuc_context_from_handle": "ipp",
    "cuc_context_get_current": "ip",
    "cuc_context_get_id": "ipp",
    "cuc_context_get_limit": "ippi",
    "cuc_context_get_priority_range": "ippp",
    "cuc_context_handle": "pp",
    "cuc_context_is_lost": "ip",
    "cuc_context_is_primary": "ip",
    "cuc_context_release": "vp",
    "cuc_context_retain": "pp",
    "cuc_context_set_current": "ipp",
    "cuc_context_set_limit": "ipiQ",
    "cuc_context_stream_create": "ippp",
    "cuc_context_synchronize": "ip",
    "cuc_copy": "ipQQz",
    "cuc_copy_2d": "ipp",
    "cuc_copy_2d_params_init": "vpz",
    "cuc_copy_3d": "ipp",
    "cuc_copy_3d_params_init": "vpz",
    "cuc_copy_batch": "ipp",
    "cuc_copy_batch_params_init": "vpz",
    "cuc_copy_peer": "ipQpQpz",
    "cuc_copy_to_device": "ipQpz",
    "cuc_copy_to_host": "ippQz",
    "cuc_device_arch": "sp",
    "cuc_device_attribute_at": "ipppz",
    "cuc_device_attribute_count": "z",
    "cuc_device_attribute_from_name": "ips",
    "cuc_device_can_access_peer": "ippp",
    "cuc_device_get": "ipi",
    "cuc_device_get_attribute": "ippi",
    "cuc_device_get_by_pci_bus_id": "ips",
    "cuc_device_get_compute_capability": "ippp",
    "cuc_device_get_context": "ipp",
    "cuc_device_get_count": "ip",
    "cuc_device_get_current": "ip",
    "cuc_device_get_graph_memory": "ippi",
    "cuc_device_get_memory_info": "ippp",
    "cuc_device_get_memory_resource": "ipp",
    "cuc_device_get_peer_attribute": "ipppi",
    "cuc_device_get_properties": "ipp",
    "cuc_device_get_sensors": "ippI",
    "cuc_device_get_sms": "ipp",
    "cuc_device_get_uuid_bytes": "ipp",
    "cuc_device_handle": "ip",
    "cuc_device_name": "sp",
    "cuc_device_ordinal": "ip",
    "cuc_device_pci_bus_id": "sp",
    "cuc_device_reset_graph_memory": "ipi",
    "cuc_device_set_current": "ipp",
    "cuc_device_set_memory_resource": "ipp",
    "cuc_device_synchronize": "ip",
    "cuc_device_trim_graph_memory": "ip",
    "cuc_device_uuid": "sp",
    "cuc_driver_get_path": "ip",
    "cuc_driver_get_version": "ip",
    "cuc_driver_is_simulated": "i",
    "cuc_dtype_bits": "Ii",
    "cuc_dtype_from_name": "is",
    "cuc_dtype_name": "si",
    "cuc_error_clear": "v",
    "cuc_error_explanation": "s",
    "cuc_error_function": "s",
    "cuc_error_library": "i",
    "cuc_error_library_call": "s",
    "cuc_error_library_code": "i",
    "cuc_error_library_symbol": "s",
    "cuc_error_log": "s",
    "cuc_error_message": "s",
    "cuc_error_note": "sz",
    "cuc_error_note_count": "z",
    "cuc_error_set": "iiss",
    "cuc_error_status": "i",
    "cuc_event_context": "pp",
    "cuc_event_create": "ippp",
    "cuc_event_device": "pp",
    "cuc_event_export": "ipp",
    "cuc_event_flags": "Ip",
    "cuc_event_from_handle": "ipppI",
    "cuc_event_from_ipc_handle": "ippp",
    "cuc_event_get_elapsed": "ippp",
    "cuc_event_get_fd": "ipp",
    "cuc_event_handle": "pp",
    "cuc_event_options_init": "vpz",
    "cuc_event_query": "ip",
    "cuc_event_record": "ipp",
    "cuc_event_record_external": "ipp",
    "cuc_event_release": "vp",
    "cuc_event_retain": "pp",
    "cuc_event_synchronize": "ip",
    "cuc_explain": "ipii",
    "cuc_explain_at": "ipiz",
    "cuc_explain_count": "zi",
    "cuc_explain_text": "ips",
    "cuc_fatbin_create": "ippzp",
    "cuc_fatbin_options_init": "vpz",
    "cuc_fill": "ipQIIz",
    "cuc_fill_2d": "ipp",
    "cuc_fill_2d_params_init": "vpz",
    "cuc_find_header_count": "z",
    "cuc_find_header_dir": "ips",
    "cuc_find_header_name": "sz",
    "cuc_find_library": "ips",
    "cuc_find_library_count": "z",
    "cuc_find_library_name": "sz",
    "cuc_found_method": "sp",
    "cuc_found_path": "sp",
    "cuc_found_release": "vp",
    "cuc_found_retain": "pp",
    "cuc_found_tried_at": "spz",
    "cuc_found_tried_count": "zp",
    "cuc_gemm": "ippddp",
    "cuc_gemm_args_init": "vpz",
    "cuc_gemm_batched": "ippddp",
    "cuc_gemm_grouped": "ippddp",
    "cuc_gemm_options_init": "vpz",
    "cuc_gemm_options_set_choice": "ips",
    "cuc_gemm_plan_create": "ippp",
    "cuc_gemm_plan_get_choice": "ipp",
    "cuc_gemm_plan_get_record": "ipp",
    "cuc_gemm_plan_release": "vp",
    "cuc_gemm_plan_retain": "pp",
    "cuc_gemm_plan_source": "spz",
    "cuc_gemm_plan_workspace_bytes": "Qpqqq",
    "cuc_gemm_visit_candidates": "ipppp",
    "cuc_graph_add_edges": "ipppz",
    "cuc_graph_add_empty": "ipppz",
    "cuc_graph_condition_create": "ippII",
    "cuc_graph_create": "ipp",
    "cuc_graph_exec_flags": "Ip",
    "cuc_graph_exec_get_enabled": "ippp",
    "cuc_graph_exec_handle": "pp",
    "cuc_graph_exec_launch": "ipp",
    "cuc_graph_exec_options_init": "vpz",
    "cuc_graph_exec_release": "vp",
    "cuc_graph_exec_retain": "pp",
    "cuc_graph_exec_set_enabled": "ippi",
    "cuc_graph_exec_update": "ipp",
    "cuc_graph_exec_upload": "ipp",
    "cuc_graph_get_dot": "ipppI",
    "cuc_graph_get_edge_count": "ipp",
    "cuc_graph_get_edges": "ippzp",
    "cuc_graph_get_node_count": "ipp",
    "cuc_graph_get_node_types": "ipzp",
    "cuc_graph_get_nodes": "ipzp",
    "cuc_graph_handle": "pp",
    "cuc_graph_instantiate": "ippp",
    "cuc_graph_keep": "ippp",
    "cuc_graph_keep_buffer": "ipp",
    "cuc_graph_release": "vp",
    "cuc_graph_remove_edges": "ipppz",
    "cuc_graph_retain": "pp",
    "cuc_graph_write_dot": "ipsI",
    "cuc_green_context_create": "ipppz",
    "cuc_green_context_device": "pp",
    "cuc_green_context_get_sms": "ipp",
    "cuc_green_context_handle": "pp",
    "cuc_green_context_release": "vp",
    "cuc_green_context_retain": "pp",
    "cuc_green_context_stream_create": "ippp",
    "cuc_histogram": "ipddpp",
    "cuc_host_address": "Qp",
    "cuc_host_get_device_pointer": "ippp",
    "cuc_host_register": "ippzI",
    "cuc_host_unregister": "ipp",
    "cuc_kernel_attribute_from_name": "is",
    "cuc_kernel_attribute_name": "si",
    "cuc_kernel_from_handle": "ippp",
    "cuc_kernel_from_source": "ipiszsp",
    "cuc_kernel_from_symbol": "ipp",
    "cuc_kernel_get_attribute": "ipppi",
    "cuc_kernel_get_function": "ippp",
    "cuc_kernel_get_parameter": "ippz",
    "cuc_kernel_get_parameter_count": "ipp",
    "cuc_kernel_handle": "pp",
    "cuc_kernel_name": "sp",
    "cuc_kernel_object": "pp",
    "cuc_kernel_release": "vp",
    "cuc_kernel_retain": "pp",
    "cuc_kernel_set_attribute": "ippii",
    "cuc_kernel_set_cache_config": "ippi",
    "cuc_kernel_symbol": "sp",
    "cuc_launch": "ippppz",
    "cuc_launch_config_for": "ipppQ",
    "cuc_launch_config_init": "vpz",
    "cuc_launch_host": "ippp",
    "cuc_launch_is_blocking": "i",
    "cuc_library_count": "z",
    "cuc_library_get_source": "ips",
    "cuc_library_name": "sz",
    "cuc_linker_add": "ipp",
    "cuc_linker_add_data": "ipipzs",
    "cuc_linker_add_file": "ipis",
    "cuc_linker_backend": "sp",
    "cuc_linker_create": "ipp",
    "cuc_linker_error_log": "sp",
    "cuc_linker_flag": "spz",
    "cuc_linker_flag_count": "zp",
    "cuc_linker_info_log": "sp",
    "cuc_linker_link": "ippi",
    "cuc_linker_options_init": "vpz",
    "cuc_linker_release": "vp",
    "cuc_linker_retain": "pp",
    "cuc_memory_advise": "iQzip",
    "cuc_memory_allocate": "ipppz",
    "cuc_memory_batch_init": "vpz",
    "cuc_memory_callbacks_init": "vpz",
    "cuc_memory_discard": "ipQz",
    "cuc_memory_discard_and_prefetch_batch": "ipp",
    "cuc_memory_discard_batch": "ipp",
    "cuc_memory_free": "ippQz",
    "cuc_memory_get_accessed_by": "ippzQz",
    "cuc_memory_get_granularity": "ipp",
    "cuc_memory_get_last_prefetch": "ipQz",
    "cuc_memory_get_pointer_info": "ipQ",
    "cuc_memory_get_preferred_location": "ipQz",
    "cuc_memory_get_read_mostly": "ipQz",
    "cuc_memory_kind_name": "si",
    "cuc_memory_pool_create": "ippp",
    "cuc_memory_pool_export": "ipp",
    "cuc_memory_pool_from_fd": "ippi",
    "cuc_memory_pool_from_handle": "ippippp",
    "cuc_memory_pool_get_access": "ippp",
    "cuc_memory_pool_get_attribute": "ippi",
    "cuc_memory_pool_get_current": "ippi",
    "cuc_memory_pool_get_default": "ippi",
    "cuc_memory_pool_get_statistics": "ipp",
    "cuc_memory_pool_handle": "pp",
    "cuc_memory_pool_make_current": "ip",
    "cuc_memory_pool_options_init": "vpz",
    "cuc_memory_pool_reset_high_watermarks": "ip",
    "cuc_memory_pool_set_access": "ippi",
    "cuc_memory_pool_set_attribute": "ipiQ",
    "cuc_memory_pool_trim": "ipQ",
    "cuc_memory_prefetch": "ipQzp",
    "cuc_memory_prefetch_batch": "ipp",
    "cuc_memory_resource_access": "Ip",
    "cuc_memory_resource_create": "ipp",
    "cuc_memory_resource_device": "pp",
    "cuc_memory_resource_is_pool": "ip",
    "cuc_memory_resource_kind": "ip",
    "cuc_memory_resource_release": "vp",
    "cuc_memory_resource_retain": "pp",
    "cuc_memory_synchronous_create": "ippi",
    "cuc_memory_virtual_create": "ippp",
    "cuc_memory_virtual_options_init": "vpz",
    "cuc_merge": "ipppp",
    "cuc_node_get_graph": "ippp",
    "cuc_node_get_launch": "ippp",
    "cuc_node_get_type": "ipp",
    "cuc_node_type_name": "si",
    "cuc_nvfatbin_get_version": "ipp",
    "cuc_nvjitlink_get_version": "ipp",
    "cuc_nvml_get_driver_version": "ipz",
    "cuc_nvrtc_get_archs": "ippz",
    "cuc_nvrtc_get_version": "ipp",
    "cuc_object_create": "ipipzp",
    "cuc_object_from_file": "ipsip",
    "cuc_object_get_code": "ippp",
    "cuc_object_get_global": "ipppps",
    "cuc_object_get_kernel": "ipps",
    "cuc_object_get_kernel_count": "ipp",
    "cuc_object_get_kernel_name": "ippz",
    "cuc_object_get_library": "ipp",
    "cuc_object_get_managed": "ipppps",
    "cuc_object_get_mapping": "ippz",
    "cuc_object_get_module": "ippp",
    "cuc_object_get_ptx": "ippp",
    "cuc_object_get_unified_function": "ipps",
    "cuc_object_kind": "ip",
    "cuc_object_load_log": "sp",
    "cuc_object_log": "sp",
    "cuc_object_mapping_count": "zp",
    "cuc_object_name": "sp",
    "cuc_object_options_init": "vpz",
    "cuc_object_release": "vp",
    "cuc_object_retain": "pp",
    "cuc_object_save": "ips",
    "cuc_occupancy_available_dynamic_shared": "ipppII",
    "cuc_occupancy_max_active_blocks": "ipppIII",
    "cuc_occupancy_max_active_clusters": "ipppp",
    "cuc_occupancy_max_potential_block_size": "ippppp",
    "cuc_occupancy_max_potential_cluster_size": "ipppp",
    "cuc_occupancy_options_init": "vpz",
    "cuc_parameter_type_name": "si",
    "cuc_program_backend": "sp",
    "cuc_program_compile": "ippi",
    "cuc_program_compile_ns": "Qp",
    "cuc_program_create": "ipiszp",
    "cuc_program_flag": "spiz",
    "cuc_program_flag_count": "zpi",
    "cuc_program_from_library": "ipsp",
    "cuc_program_get_key": "ippi",
    "cuc_program_log": "sp",
    "cuc_program_options_init": "vpz",
    "cuc_program_pch_status": "ip",
    "cuc_program_release": "vp",
    "cuc_program_retain": "pp",
    "cuc_python_add_call": "ip",
    "cuc_python_add_dlpack": "ip",
    "cuc_python_add_methods": "ips",
    "cuc_python_get_base": "ips",
    "cuc_python_get_launch": "ipp",
    "cuc_reduce": "ipsspp",
    "cuc_runtime_get_version": "ip",
    "cuc_runtime_set_device": "ip",
    "cuc_scan": "ipssIpp",
    "cuc_search": "ipIppp",
    "cuc_select": "ipsppp",
    "cuc_set_failure_handler": "vpp",
    "cuc_set_library_path": "iss",
    "cuc_sms_split": "ippppII",
    "cuc_sort": "ipIpppp",
    "cuc_status_name": "si",
    "cuc_status_text": "si",
    "cuc_stream_add_callback": "ippp",
    "cuc_stream_add_conditional": "ipIpQi",
    "cuc_stream_begin_capture": "ipi",
    "cuc_stream_begin_capture_to": "ipppzi",
    "cuc_stream_cancel_capture": "ip",
    "cuc_stream_condition_create": "ippII",
    "cuc_stream_context": "pp",
    "cuc_stream_copy_attributes": "ipp",
    "cuc_stream_create": "ippp",
    "cuc_stream_device": "pp",
    "cuc_stream_embed_graph": "ipp",
    "cuc_stream_end_capture": "ipp",
    "cuc_stream_from_handle": "ipppp",
    "cuc_stream_get_capture_info": "ipp",
    "cuc_stream_get_capture_nodes": "ipzpp",
    "cuc_stream_get_default": "ippi",
    "cuc_stream_get_flags": "ipp",
    "cuc_stream_get_id": "ipp",
    "cuc_stream_get_priority": "ipp",
    "cuc_stream_handle": "pp",
    "cuc_stream_is_capturing": "ipp",
    "cuc_stream_options_init": "vpz",
    "cuc_stream_query": "ip",
    "cuc_stream_release": "vp",
    "cuc_stream_retain": "pp",
    "cuc_stream_synchronize": "ip",
    "cuc_stream_wait_event": "ipp",
    "cuc_stream_wait_external": "ipp",
    "cuc_stream_wait_stream": "ipp",
    "cuc_stream_wait_value": "ipQQII",
    "cuc_stream_write_value": "ipQQII",
    "cuc_tensor_bytes": "Qp",
    "cuc_tensor_check": "ip",
    "cuc_tensor_elements": "qp",
    "cuc_tensor_from_buffer": "ippiip",
    "cuc_tensor_from_dlpack": "ipp",
    "cuc_tensor_from_dlpack_unversioned": "ipp",
    "cuc_tensor_from_pointer": "ipQiipi",
    "cuc_tensor_is_contiguous": "ip",
    "cuc_tensor_map_encode_im2col": "ipppp",
    "cuc_tensor_map_encode_im2col_wide": "ipppp",
    "cuc_tensor_map_encode_tiled": "ipppp",
    "cuc_tensor_map_options_init": "vpz",
    "cuc_tensor_map_replace_address": "ipp",
    "cuc_tensor_to_dlpack": "ippp",
    "cuc_tensor_to_dlpack_unversioned": "ippp",
    "cuc_tile_abs": "IpsII",
    "cuc_tile_access_options_init": "vpz",
    "cuc_tile_add": "IpsIII",
    "cuc_tile_add_round": "IpsIIIi",
    "cuc_tile_all": "IpsIIIp",
    "cuc_tile_any": "IpsIIIp",
    "cuc_tile_argmax": "IpsIIi",
    "cuc_tile_argmax_nan": "IpsIIi",
    "cuc_tile_argmin": "IpsIIi",
    "cuc_tile_argmin_nan": "IpsIIi",
    "cuc_tile_asm": "IpsIsiIp",
    "cuc_tile_assert": "vpsIIs",
    "cuc_tile_assume": "IpsIIq",
    "cuc_tile_atan2": "IpsIII",
    "cuc_tile_atomic_add": "IpsIIIpIp",
    "cuc_tile_atomic_and": "IpsIIIpIp",
    "cuc_tile_atomic_cas": "IpsIIIpIIp",
    "cuc_tile_atomic_max": "IpsIIIpIp",
    "cuc_tile_atomic_min": "IpsIIIpIp",
    "cuc_tile_atomic_or": "IpsIIIpIp",
    "cuc_tile_atomic_xchg": "IpsIIIpIp",
    "cuc_tile_atomic_xor": "IpsIIIpIp",
    "cuc_tile_bitand": "IpsIII",
    "cuc_tile_bitcast": "IpsIIi",
    "cuc_tile_bitnot": "IpsII",
    "cuc_tile_bitor": "IpsIII",
    "cuc_tile_bitxor": "IpsIII",
    "cuc_tile_block": "IpsIi",
    "cuc_tile_bool": "IpsIi",
    "cuc_tile_break": "vpsI",
    "cuc_tile_broadcast": "IpsIIIp",
    "cuc_tile_budget_init": "vpz",
    "cuc_tile_cast": "IpsIIii",
    "cuc_tile_cat": "IpsIIIi",
    "cuc_tile_cdiv": "IpsIII",
    "cuc_tile_ceil": "IpsII",
    "cuc_tile_continue": "vpsI",
    "cuc_tile_copysign": "IpsIII",
    "cuc_tile_cos": "IpsII",
    "cuc_tile_cosh": "IpsII",
    "cuc_tile_cumprod": "IpsIIii",
    "cuc_tile_cumsum": "IpsIIii",
    "cuc_tile_declare": "IpsIsI",
    "cuc_tile_dim": "IpsIIi",
    "cuc_tile_dimension": "IpsIs",
    "cuc_tile_div": "IpsIII",
    "cuc_tile_div_round": "IpsIIIi",
    "cuc_tile_divmod": "vpppsIII",
    "cuc_tile_dtype": "ipI",
    "cuc_tile_element": "IpsIIIp",
    "cuc_tile_else": "vpsI",
    "cuc_tile_end": "vpsI",
    "cuc_tile_enter": "vpsI",
    "cuc_tile_eq": "IpsIII",
    "cuc_tile_erf": "IpsII",
    "cuc_tile_exp": "IpsII",
    "cuc_tile_exp2": "IpsII",
    "cuc_tile_exp2_round": "IpsIIi",
    "cuc_tile_exp_round": "IpsIIi",
    "cuc_tile_expand": "IpsIIi",
    "cuc_tile_expm1": "IpsII",
    "cuc_tile_extent": "qpIi",
    "cuc_tile_extract": "IpsIIIpIp",
    "cuc_tile_fact": "vpsIs",
    "cuc_tile_float": "IpsId",
    "cuc_tile_floor": "IpsII",
    "cuc_tile_floordiv": "IpsIII",
    "cuc_tile_fma": "IpsIIII",
    "cuc_tile_fma_round": "IpsIIIIi",
    "cuc_tile_for": "IpsIIIq",
    "cuc_tile_full": "IpsIiIpI",
    "cuc_tile_full_list": "IpsIiIpIp",
    "cuc_tile_gather": "IpsIIIpp",
    "cuc_tile_ge": "IpsIII",
    "cuc_tile_get": "IpsII",
    "cuc_tile_get_entry": "ippsz",
    "cuc_tile_get_ir": "ippp",
    "cuc_tile_get_machine": "ippp",
    "cuc_tile_get_parameter": "ippz",
    "cuc_tile_get_record": "ipps",
    "cuc_tile_gradient": "IpsIIII",
    "cuc_tile_gradient_at": "IpsIIIIpIi",
    "cuc_tile_grid": "vpsIs",
    "cuc_tile_grid_dependency_launch": "vpsI",
    "cuc_tile_grid_dependency_wait": "vpsI",
    "cuc_tile_gt": "IpsIII",
    "cuc_tile_histogram": "IpsIIq",
    "cuc_tile_if": "vpsII",
    "cuc_tile_insert": "IpsIIIpI",
    "cuc_tile_int": "IpsIq",
    "cuc_tile_interpret": "ipspzp",
    "cuc_tile_interpret_options_init": "vpz",
    "cuc_tile_iota": "IpsIiq",
    "cuc_tile_isinf": "IpsII",
    "cuc_tile_isnan": "IpsII",
    "cuc_tile_kernel_begin": "vpsIs",
    "cuc_tile_kernel_end": "vpsI",
    "cuc_tile_le": "IpsIII",
    "cuc_tile_leave": "vp",
    "cuc_tile_load": "IpsIIIpIpp",
    "cuc_tile_load_at": "IpsIIIpIpp",
    "cuc_tile_load_rows": "IpsIIIIpIpp",
    "cuc_tile_log": "IpsII",
    "cuc_tile_log1p": "IpsII",
    "cuc_tile_log2": "IpsII",
    "cuc_tile_loop": "vpsI",
    "cuc_tile_lt": "IpsIII",
    "cuc_tile_matmul": "IpsIII",
    "cuc_tile_max": "IpsIIIp",
    "cuc_tile_max_nan": "IpsIIIp",
    "cuc_tile_max_round": "IpsIIIpi",
    "cuc_tile_maximum": "IpsIII",
    "cuc_tile_maximum_nan": "IpsIII",
    "cuc_tile_maximum_round": "IpsIIIi",
    "cuc_tile_min": "IpsIIIp",
    "cuc_tile_min_nan": "IpsIIIp",
    "cuc_tile_min_round": "IpsIIIpi",
    "cuc_tile_minimum": "IpsIII",
    "cuc_tile_minimum_nan": "IpsIII",
    "cuc_tile_minimum_round": "IpsIIIi",
    "cuc_tile_mma": "IpsIIIIii",
    "cuc_tile_mod": "IpsIII",
    "cuc_tile_mul": "IpsIII",
    "cuc_tile_mul_round": "IpsIIIi",
    "cuc_tile_name": "IpsIIs",
    "cuc_tile_ne": "IpsIII",
    "cuc_tile_neg": "IpsII",
    "cuc_tile_num_blocks": "IpsIi",
    "cuc_tile_permute": "IpsIIIp",
    "cuc_tile_philox": "vppsIII",
    "cuc_tile_place": "IpsIIIqI",
    "cuc_tile_pow": "IpsIII",
    "cuc_tile_print": "vpsIsIp",
    "cuc_tile_prod": "IpsIIIp",
    "cuc_tile_prod_round": "IpsIIIpi",
    "cuc_tile_program_create": "ip",
    "cuc_tile_program_finish": "ipp",
    "cuc_tile_program_log": "sp",
    "cuc_tile_program_release": "vp",
    "cuc_tile_program_retain": "pp",
    "cuc_tile_program_set_budget": "ipp",
    "cuc_tile_rank": "ipI",
    "cuc_tile_rank_digits": "vpppsIIq",
    "cuc_tile_reduce": "vppsIppIpip",
    "cuc_tile_reshape": "IpsIIIp",
    "cuc_tile_return": "vpsI",
    "cuc_tile_roll": "IpsIIIi",
    "cuc_tile_round": "IpsII",
    "cuc_tile_rsqrt": "IpsII",
    "cuc_tile_rsqrt_round": "IpsIIi",
    "cuc_tile_scalar": "IpsIsi",
    "cuc_tile_scan": "vppsIppIpipi",
    "cuc_tile_scatter": "vpsIIIpIp",
    "cuc_tile_select_entry": "ippppz",
    "cuc_tile_set": "vpsIII",
    "cuc_tile_shift": "IpsIIIiI",
    "cuc_tile_shl": "IpsIII",
    "cuc_tile_shr": "IpsIII",
    "cuc_tile_sigmoid": "IpsII",
    "cuc_tile_sin": "IpsII",
    "cuc_tile_sinh": "IpsII",
    "cuc_tile_slice": "IpsIIiII",
    "cuc_tile_sort": "IpsIIi",
    "cuc_tile_sqrt": "IpsII",
    "cuc_tile_sqrt_round": "IpsIIi",
    "cuc_tile_squeeze": "IpsIIi",
    "cuc_tile_store": "vpsIIIpIp",
    "cuc_tile_store_add": "vpsIIIpIp",
    "cuc_tile_store_and": "vpsIIIpIp",
    "cuc_tile_store_at": "vpsIIIpIp",
    "cuc_tile_store_max": "vpsIIIpIp",
    "cuc_tile_store_min": "vpsIIIpIp",
    "cuc_tile_store_or": "vpsIIIpIp",
    "cuc_tile_store_rows": "vpsIIIIpIp",
    "cuc_tile_store_xor": "vpsIIIpIp",
    "cuc_tile_stride": "IpsIIi",
    "cuc_tile_sub": "IpsIII",
    "cuc_tile_sub_round": "IpsIIIi",
    "cuc_tile_sum": "IpsIIIp",
    "cuc_tile_sum_round": "IpsIIIpi",
    "cuc_tile_take": "IpsIIIi",
    "cuc_tile_tan": "IpsII",
    "cuc_tile_tanh": "IpsII",
    "cuc_tile_tanh_round": "IpsIIi",
    "cuc_tile_tensor": "IpsIsis",
    "cuc_tile_topk": "vpppsIIqi",
    "cuc_tile_trans": "IpsII",
    "cuc_tile_trunc": "IpsII",
    "cuc_tile_uint": "IpsIQ",
    "cuc_tile_visit_candidates": "ipspp",
    "cuc_tile_visit_dimensions": "ipspzpp",
    "cuc_tile_where": "IpsIIII",
    "cuc_tile_while": "vpsII",
    "cuc_tile_zeros": "IpsIiIp",
    "cuc_topk": "ipqIppp",
    "cuc_tuned_add": "isp",
    "cuc_tuned_find": "ipzsp",
    "cuc_tuned_program": "ipsz",
    "cuc_unique": "ipppp",
    "cuc_version": "I",
    "cuc_version_string": "s",
}
