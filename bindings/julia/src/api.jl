# Written by api/api.py write. Do not edit.
# Everything public of libcucore, by its C names.

# Result of a call: 0 is success, positive values are normal outcomes, negative values are failures.
const cuc_status = Int32
# An address in a device's memory, or in memory that a device can reach; 0 means no address.
const cuc_device_ptr = UInt64
# The type of an array element or of a kernel argument.
const cuc_dtype = Int32
# A 32-bit value that kernels set and one conditional node reads. The handle is the driver's CUgraphConditionalHandle, which equals cudaGraphConditionalHandle; pass it to kernels unchanged. It belongs to its graph.
const cuc_condition = UInt64
# A value: a tile, a scalar, a constant or a tensor. 0 means none.
const cuc_tile = UInt32
# A variable, which holds successive values of one type. 0 means none.
const cuc_tile_variable = UInt32

# A folder of compiled code.
mutable struct cuc_cache end
# A device of the driver.
mutable struct cuc_device end
# A driver context: a retained primary context, or a borrowed one created elsewhere.
mutable struct cuc_context end
# An in-order queue of work on one device; it keeps its context alive.
mutable struct cuc_stream end
# A point in a stream; it keeps its context alive.
mutable struct cuc_event end
# A source of memory, which it allocates and frees.
mutable struct cuc_memory_resource end
# A range of memory. It retains its resource and the stream that will free it, so the caller may release all three in any order.
mutable struct cuc_buffer end
# A plan: the compiled code for one kind of work.
mutable struct cuc_algorithm end
# A plan: the compiled code for one kind of attention.
mutable struct cuc_attention_plan end
# The result of a search, with the locations that were tried first.
mutable struct cuc_found end
# A plan: the compiled code for one kind of product.
mutable struct cuc_gemm_plan end
# A partition of a device: its primary context with some of its multiprocessors.
mutable struct cuc_green_context end
# Object code and, once loaded, the driver's library made from it.
mutable struct cuc_object end
# A kernel of an object: kernel.h.
mutable struct cuc_kernel end
# A source text with its options. It can be compiled many times, to different kinds of code.
mutable struct cuc_program end
# The inputs and options of a link. A linker can link many times, and more inputs can be added in between.
mutable struct cuc_linker end
# A captured graph. It retains the context in which it was captured.
mutable struct cuc_graph end
# A launchable instance of a graph; it no longer needs the graph.
mutable struct cuc_graph_exec end
# A node: the driver's CUgraphNode. It belongs to its graph and is destroyed with it.
mutable struct cuc_node end
# A tile program under construction.
mutable struct cuc_tile_program end

const CUC_OK = Int32(0)
const CUC_NOT_READY = Int32(1)
const CUC_ERROR_INVALID_ARGUMENT = Int32(-1)
const CUC_ERROR_INVALID_HANDLE = Int32(-2)
const CUC_ERROR_OUT_OF_MEMORY = Int32(-3)
const CUC_ERROR_OUT_OF_DEVICE_MEMORY = Int32(-4)
const CUC_ERROR_NOT_FOUND = Int32(-5)
const CUC_ERROR_NOT_SUPPORTED = Int32(-6)
const CUC_ERROR_NO_DRIVER = Int32(-7)
const CUC_ERROR_DRIVER_TOO_OLD = Int32(-8)
const CUC_ERROR_NO_DEVICE = Int32(-9)
const CUC_ERROR_DRIVER = Int32(-10)
const CUC_ERROR_COMPILE = Int32(-11)
const CUC_ERROR_LINK = Int32(-12)
const CUC_ERROR_TOOLKIT = Int32(-13)
const CUC_ERROR_CONTEXT_LOST = Int32(-14)
const CUC_ERROR_FORKED = Int32(-15)
const CUC_ERROR_BUSY = Int32(-16)
const CUC_ERROR_IO = Int32(-17)
const CUC_ERROR_INTERNAL = Int32(-18)
const CUC_DTYPE_UNKNOWN = Int32(0)
const CUC_BOOL = Int32(1)
const CUC_I8 = Int32(2)
const CUC_I16 = Int32(3)
const CUC_I32 = Int32(4)
const CUC_I64 = Int32(5)
const CUC_U8 = Int32(6)
const CUC_U16 = Int32(7)
const CUC_U32 = Int32(8)
const CUC_U64 = Int32(9)
const CUC_F16 = Int32(10)
const CUC_BF16 = Int32(11)
const CUC_F32 = Int32(12)
const CUC_TF32 = Int32(13)
const CUC_F64 = Int32(14)
const CUC_E4M3 = Int32(15)
const CUC_E5M2 = Int32(16)
const CUC_E8M0 = Int32(17)
const CUC_C64 = Int32(18)
const CUC_C128 = Int32(19)
const CUC_DEFAULT = Int32(0)
const CUC_ON = Int32(1)
const CUC_OFF = Int32(2)
const CUC_ZERO = Int32(-1)
const CUC_LIBRARY_NONE = Int32(0)
const CUC_LIBRARY_DRIVER = Int32(1)
const CUC_LIBRARY_NVRTC = Int32(2)
const CUC_LIBRARY_NVJITLINK = Int32(3)
const CUC_LIBRARY_NVML = Int32(4)
const CUC_LIBRARY_RUNTIME = Int32(5)
const CUC_LIBRARY_TILE = Int32(6)
const CUC_LIBRARY_NVFATBIN = Int32(7)
const CUC_DEVICE_MAX_THREADS_PER_BLOCK = Int32(1)
const CUC_DEVICE_MAX_BLOCK_DIM_X = Int32(2)
const CUC_DEVICE_MAX_BLOCK_DIM_Y = Int32(3)
const CUC_DEVICE_MAX_BLOCK_DIM_Z = Int32(4)
const CUC_DEVICE_MAX_GRID_DIM_X = Int32(5)
const CUC_DEVICE_MAX_GRID_DIM_Y = Int32(6)
const CUC_DEVICE_MAX_GRID_DIM_Z = Int32(7)
const CUC_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK = Int32(8)
const CUC_DEVICE_TOTAL_CONSTANT_MEMORY = Int32(9)
const CUC_DEVICE_WARP_SIZE = Int32(10)
const CUC_DEVICE_MAX_PITCH = Int32(11)
const CUC_DEVICE_MAX_REGISTERS_PER_BLOCK = Int32(12)
const CUC_DEVICE_CLOCK_RATE = Int32(13)
const CUC_DEVICE_TEXTURE_ALIGNMENT = Int32(14)
const CUC_DEVICE_GPU_OVERLAP = Int32(15)
const CUC_DEVICE_MULTIPROCESSOR_COUNT = Int32(16)
const CUC_DEVICE_KERNEL_EXEC_TIMEOUT = Int32(17)
const CUC_DEVICE_INTEGRATED = Int32(18)
const CUC_DEVICE_CAN_MAP_HOST_MEMORY = Int32(19)
const CUC_DEVICE_COMPUTE_MODE = Int32(20)
const CUC_DEVICE_MAXIMUM_TEXTURE1D_WIDTH = Int32(21)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_WIDTH = Int32(22)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_HEIGHT = Int32(23)
const CUC_DEVICE_MAXIMUM_TEXTURE3D_WIDTH = Int32(24)
const CUC_DEVICE_MAXIMUM_TEXTURE3D_HEIGHT = Int32(25)
const CUC_DEVICE_MAXIMUM_TEXTURE3D_DEPTH = Int32(26)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = Int32(27)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = Int32(28)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = Int32(29)
const CUC_DEVICE_SURFACE_ALIGNMENT = Int32(30)
const CUC_DEVICE_CONCURRENT_KERNELS = Int32(31)
const CUC_DEVICE_ECC_ENABLED = Int32(32)
const CUC_DEVICE_PCI_BUS_ID = Int32(33)
const CUC_DEVICE_PCI_DEVICE_ID = Int32(34)
const CUC_DEVICE_TCC_DRIVER = Int32(35)
const CUC_DEVICE_MEMORY_CLOCK_RATE = Int32(36)
const CUC_DEVICE_GLOBAL_MEMORY_BUS_WIDTH = Int32(37)
const CUC_DEVICE_L2_CACHE_SIZE = Int32(38)
const CUC_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR = Int32(39)
const CUC_DEVICE_ASYNC_ENGINE_COUNT = Int32(40)
const CUC_DEVICE_UNIFIED_ADDRESSING = Int32(41)
const CUC_DEVICE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = Int32(42)
const CUC_DEVICE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = Int32(43)
const CUC_DEVICE_CAN_TEX2D_GATHER = Int32(44)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_GATHER_WIDTH = Int32(45)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT = Int32(46)
const CUC_DEVICE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = Int32(47)
const CUC_DEVICE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = Int32(48)
const CUC_DEVICE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = Int32(49)
const CUC_DEVICE_PCI_DOMAIN_ID = Int32(50)
const CUC_DEVICE_TEXTURE_PITCH_ALIGNMENT = Int32(51)
const CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_WIDTH = Int32(52)
const CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = Int32(53)
const CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = Int32(54)
const CUC_DEVICE_MAXIMUM_SURFACE1D_WIDTH = Int32(55)
const CUC_DEVICE_MAXIMUM_SURFACE2D_WIDTH = Int32(56)
const CUC_DEVICE_MAXIMUM_SURFACE2D_HEIGHT = Int32(57)
const CUC_DEVICE_MAXIMUM_SURFACE3D_WIDTH = Int32(58)
const CUC_DEVICE_MAXIMUM_SURFACE3D_HEIGHT = Int32(59)
const CUC_DEVICE_MAXIMUM_SURFACE3D_DEPTH = Int32(60)
const CUC_DEVICE_MAXIMUM_SURFACE1D_LAYERED_WIDTH = Int32(61)
const CUC_DEVICE_MAXIMUM_SURFACE1D_LAYERED_LAYERS = Int32(62)
const CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_WIDTH = Int32(63)
const CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT = Int32(64)
const CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_LAYERS = Int32(65)
const CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_WIDTH = Int32(66)
const CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = Int32(67)
const CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = Int32(68)
const CUC_DEVICE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH = Int32(69)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH = Int32(70)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = Int32(71)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_PITCH = Int32(72)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = Int32(73)
const CUC_DEVICE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = Int32(74)
const CUC_DEVICE_COMPUTE_CAPABILITY_MAJOR = Int32(75)
const CUC_DEVICE_COMPUTE_CAPABILITY_MINOR = Int32(76)
const CUC_DEVICE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = Int32(77)
const CUC_DEVICE_STREAM_PRIORITIES_SUPPORTED = Int32(78)
const CUC_DEVICE_GLOBAL_L1_CACHE_SUPPORTED = Int32(79)
const CUC_DEVICE_LOCAL_L1_CACHE_SUPPORTED = Int32(80)
const CUC_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = Int32(81)
const CUC_DEVICE_MAX_REGISTERS_PER_MULTIPROCESSOR = Int32(82)
const CUC_DEVICE_MANAGED_MEMORY = Int32(83)
const CUC_DEVICE_MULTI_GPU_BOARD = Int32(84)
const CUC_DEVICE_MULTI_GPU_BOARD_GROUP_ID = Int32(85)
const CUC_DEVICE_HOST_NATIVE_ATOMIC_SUPPORTED = Int32(86)
const CUC_DEVICE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = Int32(87)
const CUC_DEVICE_PAGEABLE_MEMORY_ACCESS = Int32(88)
const CUC_DEVICE_CONCURRENT_MANAGED_ACCESS = Int32(89)
const CUC_DEVICE_COMPUTE_PREEMPTION_SUPPORTED = Int32(90)
const CUC_DEVICE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = Int32(91)
const CUC_DEVICE_COOPERATIVE_LAUNCH = Int32(95)
const CUC_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = Int32(97)
const CUC_DEVICE_CAN_FLUSH_REMOTE_WRITES = Int32(98)
const CUC_DEVICE_HOST_REGISTER_SUPPORTED = Int32(99)
const CUC_DEVICE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = Int32(100)
const CUC_DEVICE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = Int32(101)
const CUC_DEVICE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = Int32(102)
const CUC_DEVICE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = Int32(103)
const CUC_DEVICE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = Int32(104)
const CUC_DEVICE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = Int32(105)
const CUC_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR = Int32(106)
const CUC_DEVICE_GENERIC_COMPRESSION_SUPPORTED = Int32(107)
const CUC_DEVICE_MAX_PERSISTING_L2_CACHE_SIZE = Int32(108)
const CUC_DEVICE_MAX_ACCESS_POLICY_WINDOW_SIZE = Int32(109)
const CUC_DEVICE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = Int32(110)
const CUC_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK = Int32(111)
const CUC_DEVICE_SPARSE_CUDA_ARRAY_SUPPORTED = Int32(112)
const CUC_DEVICE_READ_ONLY_HOST_REGISTER_SUPPORTED = Int32(113)
const CUC_DEVICE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = Int32(114)
const CUC_DEVICE_MEMORY_POOLS_SUPPORTED = Int32(115)
const CUC_DEVICE_GPU_DIRECT_RDMA_SUPPORTED = Int32(116)
const CUC_DEVICE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = Int32(117)
const CUC_DEVICE_GPU_DIRECT_RDMA_WRITES_ORDERING = Int32(118)
const CUC_DEVICE_MEMPOOL_SUPPORTED_HANDLE_TYPES = Int32(119)
const CUC_DEVICE_CLUSTER_LAUNCH = Int32(120)
const CUC_DEVICE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = Int32(121)
const CUC_DEVICE_CAN_USE_64_BIT_STREAM_MEM_OPS = Int32(122)
const CUC_DEVICE_CAN_USE_STREAM_WAIT_VALUE_NOR = Int32(123)
const CUC_DEVICE_DMA_BUF_SUPPORTED = Int32(124)
const CUC_DEVICE_IPC_EVENT_SUPPORTED = Int32(125)
const CUC_DEVICE_MEM_SYNC_DOMAIN_COUNT = Int32(126)
const CUC_DEVICE_TENSOR_MAP_ACCESS_SUPPORTED = Int32(127)
const CUC_DEVICE_HANDLE_TYPE_FABRIC_SUPPORTED = Int32(128)
const CUC_DEVICE_UNIFIED_FUNCTION_POINTERS = Int32(129)
const CUC_DEVICE_NUMA_CONFIG = Int32(130)
const CUC_DEVICE_NUMA_ID = Int32(131)
const CUC_DEVICE_MULTICAST_SUPPORTED = Int32(132)
const CUC_DEVICE_MPS_ENABLED = Int32(133)
const CUC_DEVICE_HOST_NUMA_ID = Int32(134)
const CUC_DEVICE_D3D12_CIG_SUPPORTED = Int32(135)
const CUC_DEVICE_MEM_DECOMPRESS_ALGORITHM_MASK = Int32(136)
const CUC_DEVICE_MEM_DECOMPRESS_MAXIMUM_LENGTH = Int32(137)
const CUC_DEVICE_VULKAN_CIG_SUPPORTED = Int32(138)
const CUC_DEVICE_GPU_PCI_DEVICE_ID = Int32(139)
const CUC_DEVICE_GPU_PCI_SUBSYSTEM_ID = Int32(140)
const CUC_DEVICE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = Int32(141)
const CUC_DEVICE_HOST_NUMA_MEMORY_POOLS_SUPPORTED = Int32(142)
const CUC_DEVICE_HOST_NUMA_MULTINODE_IPC_SUPPORTED = Int32(143)
const CUC_DEVICE_HOST_MEMORY_POOLS_SUPPORTED = Int32(144)
const CUC_DEVICE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = Int32(145)
const CUC_DEVICE_HOST_ALLOC_DMA_BUF_SUPPORTED = Int32(146)
const CUC_DEVICE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = Int32(147)
const CUC_SENSOR_SM_CLOCK = UInt32(1)
const CUC_SENSOR_MEMORY_CLOCK = UInt32(2)
const CUC_SENSOR_TEMPERATURE = UInt32(4)
const CUC_SENSOR_POWER = UInt32(8)
const CUC_SENSOR_THROTTLE = UInt32(16)
const CUC_THROTTLE_IDLE = Int32(1)
const CUC_THROTTLE_SETTING = Int32(2)
const CUC_THROTTLE_POWER_CAP = Int32(4)
const CUC_THROTTLE_HARDWARE = Int32(8)
const CUC_THROTTLE_SYNC_BOOST = Int32(16)
const CUC_THROTTLE_THERMAL = Int32(32)
const CUC_THROTTLE_HOT = Int32(64)
const CUC_THROTTLE_POWER_BRAKE = Int32(128)
const CUC_THROTTLE_DISPLAY = Int32(256)
const CUC_PEER_PERFORMANCE_RANK = Int32(1)
const CUC_PEER_ACCESS_SUPPORTED = Int32(2)
const CUC_PEER_NATIVE_ATOMIC_SUPPORTED = Int32(3)
const CUC_PEER_CUDA_ARRAY_ACCESS_SUPPORTED = Int32(4)
const CUC_PEER_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED = Int32(5)
const CUC_STREAM_SYNC_LEGACY = UInt32(1)
const CUC_STREAM_LEGACY = Int32(0)
const CUC_STREAM_PER_THREAD = Int32(1)
const CUC_WAIT_GEQ = UInt32(0)
const CUC_WAIT_EQ = UInt32(1)
const CUC_WAIT_AND = UInt32(2)
const CUC_WAIT_NOR = UInt32(3)
const CUC_WAIT_FLUSH = UInt32(1073741824)
const CUC_WRITE_NO_MEMORY_BARRIER = Int32(1)
const CUC_MEMORY_DEVICE = Int32(0)
const CUC_MEMORY_PINNED = Int32(1)
const CUC_MEMORY_MANAGED = Int32(2)
const CUC_MEMORY_CUSTOM = Int32(3)
const CUC_MEMORY_UNREGISTERED = Int32(4)
const CUC_MEMORY_ACCESS_DEVICE = UInt32(1)
const CUC_MEMORY_ACCESS_HOST = UInt32(2)
const CUC_MEMORY_ACCESS_MANAGED = UInt32(4)
const CUC_LOCATION_NONE = Int32(0)
const CUC_LOCATION_DEVICE = Int32(1)
const CUC_LOCATION_HOST = Int32(2)
const CUC_LOCATION_HOST_NUMA = Int32(3)
const CUC_LOCATION_HOST_NUMA_CURRENT = Int32(4)
const CUC_MEMORY_POOL_HW_DECOMPRESS = UInt32(1)
const CUC_MEMORY_POOL_IPC = UInt32(2)
const CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = Int32(1)
const CUC_MEMORY_POOL_REUSE_ALLOW_OPPORTUNISTIC = Int32(2)
const CUC_MEMORY_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = Int32(3)
const CUC_MEMORY_POOL_RELEASE_THRESHOLD = Int32(4)
const CUC_MEMORY_POOL_RESERVED_CURRENT = Int32(5)
const CUC_MEMORY_POOL_RESERVED_HIGH = Int32(6)
const CUC_MEMORY_POOL_USED_CURRENT = Int32(7)
const CUC_MEMORY_POOL_USED_HIGH = Int32(8)
const CUC_ACCESS_NONE = Int32(0)
const CUC_ACCESS_READ = Int32(1)
const CUC_ACCESS_READ_WRITE = Int32(3)
const CUC_ADVISE_SET_READ_MOSTLY = Int32(1)
const CUC_ADVISE_UNSET_READ_MOSTLY = Int32(2)
const CUC_ADVISE_SET_PREFERRED_LOCATION = Int32(3)
const CUC_ADVISE_UNSET_PREFERRED_LOCATION = Int32(4)
const CUC_ADVISE_SET_ACCESSED_BY = Int32(5)
const CUC_ADVISE_UNSET_ACCESSED_BY = Int32(6)
const CUC_HOST_PORTABLE = UInt32(1)
const CUC_HOST_MAPPED = UInt32(2)
const CUC_HOST_IO_MEMORY = UInt32(4)
const CUC_HOST_READ_ONLY = UInt32(8)
const CUC_TENSOR_READ_ONLY = UInt32(1)
const CUC_TENSOR_PINNED = UInt32(2)
const CUC_TENSOR_MANAGED = UInt32(4)
const CUC_DL_CPU = Int32(1)
const CUC_DL_CUDA = Int32(2)
const CUC_DL_CUDA_HOST = Int32(3)
const CUC_DL_CUDA_MANAGED = Int32(13)
const CUC_DL_INT = Int32(0)
const CUC_DL_UINT = Int32(1)
const CUC_DL_FLOAT = Int32(2)
const CUC_DL_OPAQUE = Int32(3)
const CUC_DL_BFLOAT = Int32(4)
const CUC_DL_COMPLEX = Int32(5)
const CUC_DL_BOOL = Int32(6)
const CUC_DL_FLOAT8_E4M3FN = Int32(10)
const CUC_DL_FLOAT8_E5M2 = Int32(12)
const CUC_DL_FLOAT8_E8M0FNU = Int32(14)
const CUC_DL_READ_ONLY = UInt32(1)
const CUC_DL_IS_COPIED = UInt32(2)
const CUC_DL_SUBBYTE_PADDED = UInt32(4)
const CUC_ALGORITHM_TRANSFORM = Int32(1)
const CUC_ALGORITHM_REDUCE = Int32(2)
const CUC_ALGORITHM_SCAN = Int32(3)
const CUC_ALGORITHM_SELECT = Int32(4)
const CUC_ALGORITHM_PARTITION = Int32(5)
const CUC_ALGORITHM_UNIQUE = Int32(6)
const CUC_ALGORITHM_HISTOGRAM = Int32(7)
const CUC_ALGORITHM_REDUCE_BY_KEY = Int32(8)
const CUC_ALGORITHM_SCAN_BY_KEY = Int32(9)
const CUC_ALGORITHM_REDUCE_SEGMENTS = Int32(10)
const CUC_ALGORITHM_SORT = Int32(11)
const CUC_ALGORITHM_MERGE = Int32(12)
const CUC_ALGORITHM_MERGE_SORT = Int32(13)
const CUC_ALGORITHM_SORT_SEGMENTS = Int32(14)
const CUC_ALGORITHM_TOPK = Int32(15)
const CUC_ALGORITHM_TOPK_ROWS = Int32(16)
const CUC_ALGORITHM_PARTITION3 = Int32(17)
const CUC_ALGORITHM_UNION = Int32(18)
const CUC_ALGORITHM_INTERSECTION = Int32(19)
const CUC_ALGORITHM_DIFFERENCE = Int32(20)
const CUC_ALGORITHM_SYMMETRIC_DIFFERENCE = Int32(21)
const CUC_ALGORITHM_DEVICE_COUNT = UInt32(1)
const CUC_ALGORITHM_PLAIN_LAUNCH = UInt32(2)
const CUC_ALGORITHM_EXCLUSIVE = UInt32(4)
const CUC_ALGORITHM_DESCENDING = UInt32(8)
const CUC_ALGORITHM_SMALLEST = UInt32(16)
const CUC_ALGORITHM_RUN_TO_RUN = Int32(0)
const CUC_ALGORITHM_ANY_ORDER = Int32(1)
const CUC_ALGORITHM_EVERY_GPU = Int32(2)
const CUC_SEARCH_UPPER = UInt32(1)
const CUC_ATTENTION_FULL = Int32(0)
const CUC_ATTENTION_CAUSAL = Int32(1)
const CUC_ATTENTION_TOP_LEFT = Int32(0)
const CUC_ATTENTION_BOTTOM_RIGHT = Int32(1)
const CUC_ATTENTION_HEADS_FIRST = Int32(0)
const CUC_ATTENTION_SEQUENCE_FIRST = Int32(1)
const CUC_ATTENTION_LSE = UInt32(1)
const CUC_ATTENTION_PLAIN_LAUNCH = UInt32(2)
const CUC_ATTENTION_SINKS = UInt32(4)
const CUC_ATTENTION_VARIABLE = UInt32(8)
const CUC_ATTENTION_BACKWARD = UInt32(16)
const CUC_ATTENTION_KEY_LENGTHS = UInt32(32)
const CUC_ATTENTION_FAST_ACC = UInt32(64)
const CUC_GEMM_SINGLE = Int32(0)
const CUC_GEMM_BATCHED = Int32(1)
const CUC_GEMM_GROUPED = Int32(2)
const CUC_GEMM_ROW_MAJOR = Int32(0)
const CUC_GEMM_COLUMN_MAJOR = Int32(1)
const CUC_GEMM_LINEAR = Int32(0)
const CUC_GEMM_RELU = Int32(1)
const CUC_GEMM_GELU = Int32(2)
const CUC_GEMM_GELU_TANH = Int32(3)
const CUC_GEMM_SILU = Int32(4)
const CUC_GEMM_RELU_DERIVATIVE = Int32(5)
const CUC_GEMM_GELU_DERIVATIVE = Int32(6)
const CUC_GEMM_GELU_TANH_DERIVATIVE = Int32(7)
const CUC_GEMM_SILU_DERIVATIVE = Int32(8)
const CUC_GEMM_NO_BIAS = Int32(0)
const CUC_GEMM_BIAS_COLUMNS = Int32(1)
const CUC_GEMM_BIAS_ROWS = Int32(2)
const CUC_GEMM_NO_GRADIENT = Int32(0)
const CUC_GEMM_GRADIENT_COLUMNS = Int32(1)
const CUC_GEMM_GRADIENT_ROWS = Int32(2)
const CUC_GEMM_GRADIENT_A = Int32(3)
const CUC_GEMM_GRADIENT_B = Int32(4)
const CUC_GEMM_PACK_A = UInt32(1)
const CUC_GEMM_PACK_B = UInt32(2)
const CUC_GEMM_PACK_NONE = UInt32(4)
const CUC_GEMM_PACK_TRANSPOSED_A = UInt32(8)
const CUC_GEMM_PACK_TRANSPOSED_B = UInt32(16)
const CUC_GEMM_IEEE = Int32(0)
const CUC_GEMM_TF32 = Int32(1)
const CUC_GEMM_TF32X3 = Int32(2)
const CUC_GEMM_SHARED_A = UInt32(1)
const CUC_GEMM_SHARED_B = UInt32(2)
const CUC_GEMM_FAST_ACC = UInt32(4)
const CUC_GEMM_SCALED_ROWS = UInt32(8)
const CUC_GEMM_SCALED_COLUMNS = UInt32(16)
const CUC_GEMM_PLAIN_LAUNCH = UInt32(32)
const CUC_GEMM_AMAX = UInt32(64)
const CUC_LIMIT_STACK_BYTES = Int32(0)
const CUC_LIMIT_PRINTF_BYTES = Int32(1)
const CUC_LIMIT_MALLOC_HEAP_BYTES = Int32(2)
const CUC_LIMIT_MAX_L2_FETCH_BYTES = Int32(5)
const CUC_LIMIT_PERSISTING_L2_BYTES = Int32(6)
const CUC_LIMIT_SHARED_MEMORY_BYTES = Int32(7)
const CUC_LIMIT_CIG_ENABLED = Int32(8)
const CUC_LIMIT_CIG_SHARED_MEMORY_FALLBACK = Int32(9)
const CUC_SMS_ANY = UInt32(1)
const CUC_SMS_MAX_CLUSTER = UInt32(2)
const CUC_EVENT_TIMING = UInt32(1)
const CUC_EVENT_BLOCKING_SYNC = UInt32(2)
const CUC_EVENT_IPC = UInt32(4)
const CUC_MEMORY_VIRTUAL_READ_ONLY = UInt32(1)
const CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY = UInt32(2)
const CUC_MEMORY_VIRTUAL_RDMA = UInt32(4)
const CUC_MEMORY_VIRTUAL_FINE = UInt32(8)
const CUC_MEMORY_VIRTUAL_IPC = UInt32(16)
const CUC_COPY_SOURCE_STREAM = Int32(0)
const CUC_COPY_SOURCE_DURING_CALL = Int32(1)
const CUC_COPY_SOURCE_ANY = Int32(2)
const CUC_COPY_OVERLAP_COMPUTE = UInt32(1)
const CUC_TENSOR_MAP_INTERLEAVE_NONE = Int32(0)
const CUC_TENSOR_MAP_INTERLEAVE_16B = Int32(1)
const CUC_TENSOR_MAP_INTERLEAVE_32B = Int32(2)
const CUC_TENSOR_MAP_SWIZZLE_NONE = Int32(0)
const CUC_TENSOR_MAP_SWIZZLE_32B = Int32(1)
const CUC_TENSOR_MAP_SWIZZLE_64B = Int32(2)
const CUC_TENSOR_MAP_SWIZZLE_128B = Int32(3)
const CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = Int32(4)
const CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = Int32(5)
const CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_64B = Int32(6)
const CUC_TENSOR_MAP_L2_NONE = Int32(0)
const CUC_TENSOR_MAP_L2_64B = Int32(1)
const CUC_TENSOR_MAP_L2_128B = Int32(2)
const CUC_TENSOR_MAP_L2_256B = Int32(3)
const CUC_TENSOR_MAP_FILL_ZERO = Int32(0)
const CUC_TENSOR_MAP_FILL_NAN = Int32(1)
const CUC_TENSOR_MAP_FTZ = Int32(1)
const CUC_TENSOR_MAP_W128 = Int32(2)
const CUC_CODE_PTX = Int32(1)
const CUC_CODE_CUBIN = Int32(2)
const CUC_CODE_LTOIR = Int32(3)
const CUC_CODE_FATBIN = Int32(4)
const CUC_CODE_OBJECT = Int32(5)
const CUC_CODE_LIBRARY = Int32(6)
const CUC_PARAMETER_ANY = Int32(0)
const CUC_PARAMETER_INT = Int32(1)
const CUC_PARAMETER_FLOAT = Int32(2)
const CUC_KERNEL_MAX_THREADS_PER_BLOCK = Int32(0)
const CUC_KERNEL_SHARED_SIZE_BYTES = Int32(1)
const CUC_KERNEL_CONST_SIZE_BYTES = Int32(2)
const CUC_KERNEL_LOCAL_SIZE_BYTES = Int32(3)
const CUC_KERNEL_NUM_REGS = Int32(4)
const CUC_KERNEL_PTX_VERSION = Int32(5)
const CUC_KERNEL_BINARY_VERSION = Int32(6)
const CUC_KERNEL_CACHE_MODE_CA = Int32(7)
const CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES = Int32(8)
const CUC_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT = Int32(9)
const CUC_KERNEL_CLUSTER_SIZE_MUST_BE_SET = Int32(10)
const CUC_KERNEL_REQUIRED_CLUSTER_WIDTH = Int32(11)
const CUC_KERNEL_REQUIRED_CLUSTER_HEIGHT = Int32(12)
const CUC_KERNEL_REQUIRED_CLUSTER_DEPTH = Int32(13)
const CUC_KERNEL_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = Int32(14)
const CUC_KERNEL_CLUSTER_SCHEDULING_POLICY = Int32(15)
const CUC_KERNEL_ATTRIBUTE_COUNT = Int32(16)
const CUC_KERNEL_CACHE_DEFAULT = Int32(0)
const CUC_KERNEL_CACHE_SHARED = Int32(1)
const CUC_KERNEL_CACHE_L1 = Int32(2)
const CUC_KERNEL_CACHE_EQUAL = Int32(3)
const CUC_SOURCE_CUDA = Int32(1)
const CUC_SOURCE_PTX = Int32(2)
const CUC_SOURCE_NVVM = Int32(3)
const CUC_SOURCE_TILE = Int32(4)
const CUC_PCH_NONE = Int32(0)
const CUC_PCH_CREATED = Int32(1)
const CUC_PCH_NOT_ATTEMPTED = Int32(2)
const CUC_PCH_FAILED = Int32(3)
const CUC_LINKER_AUTO = Int32(0)
const CUC_LINKER_NVJITLINK = Int32(1)
const CUC_LINKER_DRIVER = Int32(2)
const CUC_ARG_POINTER = Int32(64)
const CUC_ARG_BUFFER = Int32(65)
const CUC_ARG_TENSOR = Int32(66)
const CUC_ARG_BYTES = Int32(67)
const CUC_ARG_NONE = Int32(68)
const CUC_LAUNCH_COOPERATIVE = UInt32(1)
const CUC_LAUNCH_PROGRAMMATIC = UInt32(2)
const CUC_LAUNCH_ATTRIBUTE_IGNORE = Int32(0)
const CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = Int32(1)
const CUC_LAUNCH_ATTRIBUTE_COOPERATIVE = Int32(2)
const CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = Int32(4)
const CUC_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY = Int32(5)
const CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = Int32(6)
const CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = Int32(7)
const CUC_LAUNCH_ATTRIBUTE_PRIORITY = Int32(8)
const CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = Int32(9)
const CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = Int32(10)
const CUC_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = Int32(11)
const CUC_LAUNCH_ATTRIBUTE_COMPLETION_EVENT = Int32(12)
const CUC_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = Int32(13)
const CUC_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = Int32(14)
const CUC_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING = Int32(16)
const CUC_CLUSTER_SCHEDULING_DEFAULT = Int32(0)
const CUC_CLUSTER_SCHEDULING_SPREAD = Int32(1)
const CUC_CLUSTER_SCHEDULING_LOAD_BALANCING = Int32(2)
const CUC_CACHE_NORMAL = Int32(0)
const CUC_CACHE_STREAMING = Int32(1)
const CUC_CACHE_PERSISTING = Int32(2)
const CUC_CAPTURE_GLOBAL = Int32(0)
const CUC_CAPTURE_THREAD_LOCAL = Int32(1)
const CUC_CAPTURE_RELAXED = Int32(2)
const CUC_CAPTURE_NONE = Int32(0)
const CUC_CAPTURE_ACTIVE = Int32(1)
const CUC_CAPTURE_SPOILT = Int32(2)
const CUC_NODE_KERNEL = Int32(0)
const CUC_NODE_COPY = Int32(1)
const CUC_NODE_FILL = Int32(2)
const CUC_NODE_HOST = Int32(3)
const CUC_NODE_GRAPH = Int32(4)
const CUC_NODE_EMPTY = Int32(5)
const CUC_NODE_WAIT_EVENT = Int32(6)
const CUC_NODE_RECORD_EVENT = Int32(7)
const CUC_NODE_SIGNAL = Int32(8)
const CUC_NODE_WAIT = Int32(9)
const CUC_NODE_ALLOC = Int32(10)
const CUC_NODE_FREE = Int32(11)
const CUC_NODE_MEMORY_WORDS = Int32(12)
const CUC_NODE_CONDITIONAL = Int32(13)
const CUC_DOT_EVERYTHING = UInt32(1)
const CUC_DOT_RUNTIME_TYPES = UInt32(2)
const CUC_DOT_KERNELS = UInt32(4)
const CUC_DOT_COPIES = UInt32(8)
const CUC_DOT_FILLS = UInt32(16)
const CUC_DOT_HOST_FUNCTIONS = UInt32(32)
const CUC_DOT_EVENTS = UInt32(64)
const CUC_DOT_SIGNALS = UInt32(128)
const CUC_DOT_WAITS = UInt32(256)
const CUC_DOT_KERNEL_ATTRIBUTES = UInt32(512)
const CUC_DOT_HANDLES = UInt32(1024)
const CUC_DOT_ALLOCATIONS = UInt32(2048)
const CUC_DOT_FREES = UInt32(4096)
const CUC_DOT_MEMORY_WORDS = UInt32(8192)
const CUC_DOT_TOPOLOGY = UInt32(16384)
const CUC_DOT_CONDITIONALS = UInt32(32768)
const CUC_GRAPH_AUTO_FREE = UInt32(1)
const CUC_GRAPH_DEVICE_LAUNCH = UInt32(2)
const CUC_GRAPH_NODE_PRIORITY = UInt32(4)
const CUC_GRAPH_MEMORY_USED = Int32(0)
const CUC_GRAPH_MEMORY_USED_HIGH = Int32(1)
const CUC_GRAPH_MEMORY_RESERVED = Int32(2)
const CUC_GRAPH_MEMORY_RESERVED_HIGH = Int32(3)
const CUC_CONDITION_ASSIGN_DEFAULT = Int32(1)
const CUC_CONDITIONAL_IF = Int32(0)
const CUC_CONDITIONAL_WHILE = Int32(1)
const CUC_CONDITIONAL_SWITCH = Int32(2)
const CUC_OCCUPANCY_DISABLE_CACHING_OVERRIDE = UInt32(1)
const CUC_PYTHON_BUFFER = Int32(1)
const CUC_PYTHON_TENSOR = Int32(2)
const CUC_PYTHON_NUMBER = Int32(3)
const CUC_PYTHON_VALUE = Int32(4)
const CUC_TILE_RN = Int32(0)
const CUC_TILE_RZ = Int32(1)
const CUC_TILE_RM = Int32(2)
const CUC_TILE_RP = Int32(3)
const CUC_TILE_APPROX = Int32(4)
const CUC_TILE_FULL = Int32(5)
const CUC_TILE_FTZ = Int32(16)
const CUC_TILE_NAN = Int32(32)
const CUC_TILE_ORDER_DEFAULT = Int32(0)
const CUC_TILE_WEAK = Int32(1)
const CUC_TILE_RELAXED = Int32(2)
const CUC_TILE_ACQUIRE = Int32(3)
const CUC_TILE_RELEASE = Int32(4)
const CUC_TILE_ACQ_REL = Int32(5)
const CUC_TILE_SCOPE_DEFAULT = Int32(0)
const CUC_TILE_SCOPE_DEVICE = Int32(1)
const CUC_TILE_SCOPE_BLOCK = Int32(2)
const CUC_TILE_SCOPE_SYSTEM = Int32(3)
const CUC_TILE_CACHE_ANY = Int32(0)
const CUC_TILE_CACHE_FIRST = Int32(1)
const CUC_TILE_CACHE_LAST = Int32(2)
const CUC_TILE_CACHE_STREAM = Int32(3)
const CUC_TILE_IEEE = Int32(0)
const CUC_TILE_TF32 = Int32(1)
const CUC_TILE_TF32X3 = Int32(2)
const CUC_ALGORITHM_MAX_ARRAYS = Int32(8)
const CUC_ATTENTION_MAX_SIDES = Int32(8)
const CUC_VERSION_MAJOR = Int32(0)
const CUC_VERSION_MINOR = Int32(1)
const CUC_VERSION_PATCH = Int32(0)
const CUC_MEMORY_POOL_KEEP_ALL = UInt64(18446744073709551615)
const CUC_PROGRAM_KEY_BYTES = Int32(32)
const CUC_NVML_DRIVER_VERSION_BYTES = Int32(80)
const CUC_TENSOR_MAX_RANK = Int32(8)
const CUC_DL_VERSION_MAJOR = Int32(1)
const CUC_DL_VERSION_MINOR = Int32(1)
const CUC_TENSOR_MAP_MAX_RANK = Int32(5)
const CUC_NO_AXIS = Int32(-1)

# Description of a plan. Zero selects the default of every field except kind, inputs and outputs.
struct cuc_algorithm_options
    struct_size::Csize_t
    kind::Int32
    flags::UInt32
    inputs::Ptr{Ptr{UInt8}}
    outputs::Ptr{Ptr{UInt8}}
    input_count::UInt32
    output_count::UInt32
    fn::Ptr{UInt8}
    identity::Ptr{UInt8}
    tile::Int32
    blocks::Int32
    warps::Int32
    bins::Int32
    keys::Int32
    offsets::cuc_dtype
    determinism::Int32
    count::Int64
    arch::Ptr{UInt8}
    cache::Ptr{cuc_cache}
    bit_begin::Int32
    bit_end::Int32
    k::Int64
end

# One argument of a kernel.
struct cuc_arg
    type_::Int32
    bytes::UInt32
    value::UInt64
end

# The choice made for a plan.
struct cuc_attention_choice
    struct_size::Csize_t
    tile_q::Int32
    tile_k::Int32
    stages::Int32
    warps::Int32
    pipeline::Int32
    parts::Int32
    tiles::Int64
    by::Ptr{UInt8}
end

# An array that a score function reads.
struct cuc_attention_side
    name::Ptr{UInt8}
    dtype::cuc_dtype
    rank::Int32
    gradient::Ptr{UInt8}
end

# Description of memory for cuc_buffer_from_pointer(). Zero selects the default of every field.
struct cuc_buffer_options
    struct_size::Csize_t
    device::Ptr{cuc_device}
    resource::Ptr{cuc_memory_resource}
    stream::Ptr{cuc_stream}
    owner::Ptr{Cvoid}
    drop_owner::Ptr{Cvoid}
    access::UInt32
    reserved::UInt32
end

# An entry of a cache. The strings are valid only during the callback.
struct cuc_cache_entry
    struct_size::Csize_t
    key::Ptr{UInt8}
    label::Ptr{UInt8}
    bytes::UInt64
    used_ns::Int64
    damaged::Int32
    reserved::Int32
end

# The state of a cache.
struct cuc_cache_info
    struct_size::Csize_t
    dir::Ptr{UInt8}
    off::Ptr{UInt8}
    max_bytes::UInt64
    bytes::UInt64
    entries::UInt64
    hits::UInt64
    misses::UInt64
    stored::UInt64
end

# Options of cuc_cache_open(). Zero selects the default of every field.
struct cuc_cache_options
    struct_size::Csize_t
    dir::Ptr{UInt8}
    max_bytes::UInt64
end

# Capture of a stream, written by cuc_stream_get_capture_info().
struct cuc_capture_info
    struct_size::Csize_t
    id::UInt64
    graph::Ptr{Cvoid}
    status::Int32
    reserved::Int32
end

# A rectangle of bytes to copy. Zero selects the default of every field except dst and src.
struct cuc_copy_2d_params
    struct_size::Csize_t
    dst::cuc_device_ptr
    src::cuc_device_ptr
    dst_pitch::Csize_t
    src_pitch::Csize_t
    row_bytes::Csize_t
    rows::Csize_t
    dst_x_bytes::Csize_t
    dst_y::Csize_t
    src_x_bytes::Csize_t
    src_y::Csize_t
end

# A box of bytes to copy. Zero selects the default of every field except dst and src.
struct cuc_copy_3d_params
    struct_size::Csize_t
    dst::cuc_device_ptr
    src::cuc_device_ptr
    dst_pitch::Csize_t
    src_pitch::Csize_t
    dst_slice_rows::Csize_t
    src_slice_rows::Csize_t
    row_bytes::Csize_t
    rows::Csize_t
    slices::Csize_t
    dst_x_bytes::Csize_t
    dst_y::Csize_t
    dst_z::Csize_t
    src_x_bytes::Csize_t
    src_y::Csize_t
    src_z::Csize_t
end

# Every attribute in one struct; each field holds the attribute of the same name.
struct cuc_device_properties
    struct_size::Csize_t
    max_threads_per_block::Int32
    max_block_dim_x::Int32
    max_block_dim_y::Int32
    max_block_dim_z::Int32
    max_grid_dim_x::Int32
    max_grid_dim_y::Int32
    max_grid_dim_z::Int32
    max_shared_memory_per_block::Int32
    total_constant_memory::Int32
    warp_size::Int32
    max_pitch::Int32
    max_registers_per_block::Int32
    clock_rate::Int32
    texture_alignment::Int32
    gpu_overlap::Int32
    multiprocessor_count::Int32
    kernel_exec_timeout::Int32
    integrated::Int32
    can_map_host_memory::Int32
    compute_mode::Int32
    maximum_texture1d_width::Int32
    maximum_texture2d_width::Int32
    maximum_texture2d_height::Int32
    maximum_texture3d_width::Int32
    maximum_texture3d_height::Int32
    maximum_texture3d_depth::Int32
    maximum_texture2d_layered_width::Int32
    maximum_texture2d_layered_height::Int32
    maximum_texture2d_layered_layers::Int32
    surface_alignment::Int32
    concurrent_kernels::Int32
    ecc_enabled::Int32
    pci_bus_id::Int32
    pci_device_id::Int32
    tcc_driver::Int32
    memory_clock_rate::Int32
    global_memory_bus_width::Int32
    l2_cache_size::Int32
    max_threads_per_multiprocessor::Int32
    async_engine_count::Int32
    unified_addressing::Int32
    maximum_texture1d_layered_width::Int32
    maximum_texture1d_layered_layers::Int32
    can_tex2d_gather::Int32
    maximum_texture2d_gather_width::Int32
    maximum_texture2d_gather_height::Int32
    maximum_texture3d_width_alternate::Int32
    maximum_texture3d_height_alternate::Int32
    maximum_texture3d_depth_alternate::Int32
    pci_domain_id::Int32
    texture_pitch_alignment::Int32
    maximum_texturecubemap_width::Int32
    maximum_texturecubemap_layered_width::Int32
    maximum_texturecubemap_layered_layers::Int32
    maximum_surface1d_width::Int32
    maximum_surface2d_width::Int32
    maximum_surface2d_height::Int32
    maximum_surface3d_width::Int32
    maximum_surface3d_height::Int32
    maximum_surface3d_depth::Int32
    maximum_surface1d_layered_width::Int32
    maximum_surface1d_layered_layers::Int32
    maximum_surface2d_layered_width::Int32
    maximum_surface2d_layered_height::Int32
    maximum_surface2d_layered_layers::Int32
    maximum_surfacecubemap_width::Int32
    maximum_surfacecubemap_layered_width::Int32
    maximum_surfacecubemap_layered_layers::Int32
    maximum_texture1d_linear_width::Int32
    maximum_texture2d_linear_width::Int32
    maximum_texture2d_linear_height::Int32
    maximum_texture2d_linear_pitch::Int32
    maximum_texture2d_mipmapped_width::Int32
    maximum_texture2d_mipmapped_height::Int32
    compute_capability_major::Int32
    compute_capability_minor::Int32
    maximum_texture1d_mipmapped_width::Int32
    stream_priorities_supported::Int32
    global_l1_cache_supported::Int32
    local_l1_cache_supported::Int32
    max_shared_memory_per_multiprocessor::Int32
    max_registers_per_multiprocessor::Int32
    managed_memory::Int32
    multi_gpu_board::Int32
    multi_gpu_board_group_id::Int32
    host_native_atomic_supported::Int32
    single_to_double_precision_perf_ratio::Int32
    pageable_memory_access::Int32
    concurrent_managed_access::Int32
    compute_preemption_supported::Int32
    can_use_host_pointer_for_registered_mem::Int32
    cooperative_launch::Int32
    max_shared_memory_per_block_optin::Int32
    can_flush_remote_writes::Int32
    host_register_supported::Int32
    pageable_memory_access_uses_host_page_tables::Int32
    direct_managed_mem_access_from_host::Int32
    virtual_memory_management_supported::Int32
    handle_type_posix_file_descriptor_supported::Int32
    handle_type_win32_handle_supported::Int32
    handle_type_win32_kmt_handle_supported::Int32
    max_blocks_per_multiprocessor::Int32
    generic_compression_supported::Int32
    max_persisting_l2_cache_size::Int32
    max_access_policy_window_size::Int32
    gpu_direct_rdma_with_cuda_vmm_supported::Int32
    reserved_shared_memory_per_block::Int32
    sparse_cuda_array_supported::Int32
    read_only_host_register_supported::Int32
    timeline_semaphore_interop_supported::Int32
    memory_pools_supported::Int32
    gpu_direct_rdma_supported::Int32
    gpu_direct_rdma_flush_writes_options::Int32
    gpu_direct_rdma_writes_ordering::Int32
    mempool_supported_handle_types::Int32
    cluster_launch::Int32
    deferred_mapping_cuda_array_supported::Int32
    can_use_64_bit_stream_mem_ops::Int32
    can_use_stream_wait_value_nor::Int32
    dma_buf_supported::Int32
    ipc_event_supported::Int32
    mem_sync_domain_count::Int32
    tensor_map_access_supported::Int32
    handle_type_fabric_supported::Int32
    unified_function_pointers::Int32
    numa_config::Int32
    numa_id::Int32
    multicast_supported::Int32
    mps_enabled::Int32
    host_numa_id::Int32
    d3d12_cig_supported::Int32
    mem_decompress_algorithm_mask::Int32
    mem_decompress_maximum_length::Int32
    vulkan_cig_supported::Int32
    gpu_pci_device_id::Int32
    gpu_pci_subsystem_id::Int32
    host_numa_virtual_memory_management_supported::Int32
    host_numa_memory_pools_supported::Int32
    host_numa_multinode_ipc_supported::Int32
    host_memory_pools_supported::Int32
    host_virtual_memory_management_supported::Int32
    host_alloc_dma_buf_supported::Int32
    only_partial_host_native_atomic_supported::Int32
    reserved::Int32
end

# Readings of a device's sensors.
struct cuc_device_sensors
    struct_size::Csize_t
    throttle::UInt64
    sm_mhz::UInt32
    memory_mhz::UInt32
    milliwatts::UInt32
    celsius::Int32
    known::UInt32
    reserved::UInt32
end

# DLDataType.
struct cuc_dl_data_type
    code::UInt8
    bits::UInt8
    lanes::UInt16
end

# DLDevice.
struct cuc_dl_device
    device_type::Int32
    device_id::Int32
end

# DLTensor.
struct cuc_dl_tensor
    data::Ptr{Cvoid}
    device::cuc_dl_device
    ndim::Int32
    dtype::cuc_dl_data_type
    shape::Ptr{Int64}
    strides::Ptr{Int64}
    byte_offset::UInt64
end

# DLPackVersion.
struct cuc_dl_version
    major::UInt32
    minor::UInt32
end

# Options of cuc_event_create(). Zero selects the default of every field.
struct cuc_event_options
    struct_size::Csize_t
    flags::UInt32
    reserved::UInt32
end

# Explanation of an error code, written by cuc_explain().
struct cuc_explanation
    struct_size::Csize_t
    symbol::Ptr{UInt8}
    meaning::Ptr{UInt8}
    remedy::Ptr{UInt8}
    library::Int32
    code::Int32
    sticky::Int32
    reserved::Int32
end

# Options of cuc_fatbin_create(). Zero selects the default of every field.
struct cuc_fatbin_options
    struct_size::Csize_t
    name::Ptr{UInt8}
    compress::Int32
    ptx::Int32
end

# Code for one architecture in a fat binary.
struct cuc_fatbin_part
    object::Ptr{cuc_object}
    arch::Ptr{UInt8}
end

# A rectangle to fill.
struct cuc_fill_2d_params
    struct_size::Csize_t
    dst::cuc_device_ptr
    pitch::Csize_t
    row_count::Csize_t
    rows::Csize_t
    pattern::UInt32
    pattern_bytes::UInt32
end

# The choice made for a plan and its estimated time.
struct cuc_gemm_choice
    struct_size::Csize_t
    tile_m::Int32
    tile_n::Int32
    tile_k::Int32
    stages::Int32
    cluster::Int32
    warps::Int32
    split::Int32
    raster::Int32
    parts::Int32
    pipeline::Int32
    d_dtype::cuc_dtype
    stream_k::Int32
    tiles::Int64
    seconds::Cdouble
    by::Ptr{UInt8}
    cluster_n::Int32
    pack::Int32
end

# Description of a plan. Zero selects the default of every field except dtype.
struct cuc_gemm_options
    struct_size::Csize_t
    form::Int32
    flags::UInt32
    dtype::cuc_dtype
    d_dtype::cuc_dtype
    c_dtype::cuc_dtype
    accumulator::cuc_dtype
    precision::Int32
    a_order::Int32
    b_order::Int32
    d_order::Int32
    activation::Int32
    bias::Int32
    bias_dtype::cuc_dtype
    residual_dtype::cuc_dtype
    m::Int64
    n::Int64
    k::Int64
    batch::Int64
    tile_m::Int32
    tile_n::Int32
    tile_k::Int32
    stages::Int32
    cluster::Int32
    warps::Int32
    split::Int32
    raster::Int32
    parts::Int32
    stream_k::Int32
    workspace_bytes::UInt64
    arch::Ptr{UInt8}
    tuned::Ptr{UInt8}
    cache::Ptr{cuc_cache}
    cluster_n::Int32
    pack::Int32
    alignment::Int32
    aux_dtype::cuc_dtype
    bias_gradient::Int32
    bias_gradient_dtype::cuc_dtype
    sm_count::Int32
    a_scale_rows::Int32
    b_scale_columns::Int32
    reserved::Int32
end

# Options of cuc_graph_instantiate(). Zero selects the default of every field.
struct cuc_graph_exec_options
    struct_size::Csize_t
    upload::Ptr{cuc_stream}
    flags::UInt32
    reserved::UInt32
end

# Identifies a buffer or an event to another process. The bytes can be copied freely.
struct cuc_ipc_handle
    bytes::NTuple{64, UInt8}
end

# One parameter of a kernel.
struct cuc_kernel_parameter
    struct_size::Csize_t
    offset::UInt32
    bytes::UInt32
    type_::Int32
    reserved::Int32
end

# One launch attribute that cuc_launch_config has no field for.
struct cuc_launch_attribute
    id::Int32
    reserved::UInt32
    value::NTuple{8, UInt64}
end

# The configuration of a launch. Zero selects the default of every field except the grid and the block, which have no default.
struct cuc_launch_config
    struct_size::Csize_t
    grid::NTuple{3, UInt32}
    block::NTuple{3, UInt32}
    cluster::NTuple{3, UInt32}
    shared_bytes::UInt32
    flags::UInt32
    attribute_count::UInt32
    attributes::Ptr{cuc_launch_attribute}
end

# Options of a linker. Zero selects the default of every field.
struct cuc_linker_options
    struct_size::Csize_t
    name::Ptr{UInt8}
    arch::Ptr{UInt8}
    backend::Int32
    max_register_count::Int32
    time::Int32
    verbose::Int32
    link_time_optimization::Int32
    keep_ptx::Int32
    optimization_level::Int32
    debug::Int32
    lineinfo::Int32
    ftz::Int32
    prec_div::Int32
    prec_sqrt::Int32
    fma::Int32
    optimize_unused_variables::Int32
    split_compile::Int32
    split_compile_extended::Int32
    no_cache::Int32
    numba_debug::Int32
    kernels_used::Ptr{Ptr{UInt8}}
    kernels_used_count::Csize_t
    variables_used::Ptr{Ptr{UInt8}}
    variables_used_count::Csize_t
    ptxas_options::Ptr{Ptr{UInt8}}
    ptxas_option_count::Csize_t
    extra_options::Ptr{Ptr{UInt8}}
    extra_option_count::Csize_t
    cache::Ptr{cuc_cache}
end

# Callbacks of a user-defined resource.
struct cuc_memory_callbacks
    struct_size::Csize_t
    user::Ptr{Cvoid}
    allocate::Ptr{Cvoid}
    deallocate::Ptr{Cvoid}
    destroy::Ptr{Cvoid}
    device::Ptr{cuc_device}
    access::UInt32
    reserved::UInt32
end

# A location that memory can reside in.
struct cuc_memory_location
    type_::Int32
    id::Int32
end

# One piece of virtual memory in the form that another process can import. Linux only.
struct cuc_memory_piece
    bytes::UInt64
    fd::Int32
    reserved::UInt32
end

# Options of cuc_memory_pool_create(). Zero selects the default of every field.
struct cuc_memory_pool_options
    struct_size::Csize_t
    max_bytes::UInt64
    release_threshold::UInt64
    kind::Int32
    flags::UInt32
    location::cuc_memory_location
end

# Memory held by a pool. High-water marks count from the pool's creation or from their last reset.
struct cuc_memory_pool_statistics
    struct_size::Csize_t
    reserved_bytes::UInt64
    reserved_high::UInt64
    used_bytes::UInt64
    used_high::UInt64
end

# Options of cuc_memory_virtual_create(). Zero selects the default of every field.
struct cuc_memory_virtual_options
    struct_size::Csize_t
    reserve_bytes::UInt64
    align::UInt64
    peers::Ptr{Ptr{cuc_device}}
    peer_count::Csize_t
    location::cuc_memory_location
    flags::UInt32
    reserved::UInt32
end

# A name as written in the source, and the symbol that the compiler generated for it.
struct cuc_object_mapping
    expression::Ptr{UInt8}
    symbol::Ptr{UInt8}
end

# Options of cuc_object_create(). Zero selects the default of every field.
struct cuc_object_options
    struct_size::Csize_t
    name::Ptr{UInt8}
    ptx::Ptr{Cvoid}
    ptx_bytes::Csize_t
    names::Ptr{cuc_object_mapping}
    name_count::Csize_t
end

# Limits for cuc_occupancy_max_potential_block_size(). Zero selects the default of every field.
struct cuc_occupancy_options
    struct_size::Csize_t
    shared_bytes::UInt32
    block_limit::UInt32
    flags::UInt32
    reserved::UInt32
    shared_of_block::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# Information that the driver has about an address.
struct cuc_pointer_info
    struct_size::Csize_t
    base::cuc_device_ptr
    bytes::UInt64
    device_pointer::cuc_device_ptr
    host_pointer::Ptr{Cvoid}
    pool::Ptr{Cvoid}
    buffer_id::UInt64
    kind::Int32
    device::Int32
    access::UInt32
    mapped::Int32
end

# A header that exists only in memory; an `#include` of its name finds it before any file.
struct cuc_program_header
    name::Ptr{UInt8}
    text::Ptr{UInt8}
    bytes::Csize_t
end

# Options for compiling a program. Zero selects the default of every field.
struct cuc_program_options
    struct_size::Csize_t
    name::Ptr{UInt8}
    arch::Ptr{UInt8}
    relocatable_device_code::Int32
    extensible_whole_program::Int32
    debug::Int32
    lineinfo::Int32
    device_code_optimize::Int32
    max_register_count::Int32
    ftz::Int32
    prec_sqrt::Int32
    prec_div::Int32
    fma::Int32
    use_fast_math::Int32
    extra_device_vectorization::Int32
    modify_stack_limit::Int32
    link_time_optimization::Int32
    gen_opt_lto::Int32
    device_stack_protector::Int32
    jump_table_density::Int32
    split_compile::Int32
    no_source_include::Int32
    no_default_headers::Int32
    use_bundled_headers::Int32
    builtin_move_forward::Int32
    builtin_initializer_list::Int32
    disable_warnings::Int32
    restrict_pointers::Int32
    device_as_default_execution_space::Int32
    device_int128::Int32
    device_float128::Int32
    display_error_number::Int32
    brief_diagnostics::Int32
    version_ident::Int32
    fdevice_syntax_only::Int32
    minimal::Int32
    no_cache::Int32
    numba_debug::Int32
    pch::Int32
    pch_verbose::Int32
    pch_messages::Int32
    instantiate_templates_in_pch::Int32
    reserved::Int32
    std::Ptr{UInt8}
    ofast_compile::Ptr{UInt8}
    optimization_info::Ptr{UInt8}
    time::Ptr{UInt8}
    fdevice_time_trace::Ptr{UInt8}
    frandom_seed::Ptr{UInt8}
    create_pch::Ptr{UInt8}
    use_pch::Ptr{UInt8}
    pch_dir::Ptr{UInt8}
    define_macros::Ptr{Ptr{UInt8}}
    define_macro_count::Csize_t
    undefine_macros::Ptr{Ptr{UInt8}}
    undefine_macro_count::Csize_t
    include_paths::Ptr{Ptr{UInt8}}
    include_path_count::Csize_t
    pre_includes::Ptr{Ptr{UInt8}}
    pre_include_count::Csize_t
    ptxas_options::Ptr{Ptr{UInt8}}
    ptxas_option_count::Csize_t
    diag_error::Ptr{Int32}
    diag_error_count::Csize_t
    diag_suppress::Ptr{Int32}
    diag_suppress_count::Csize_t
    diag_warn::Ptr{Int32}
    diag_warn_count::Csize_t
    headers::Ptr{cuc_program_header}
    header_count::Csize_t
    name_expressions::Ptr{Ptr{UInt8}}
    name_expression_count::Csize_t
    extra_options::Ptr{Ptr{UInt8}}
    extra_option_count::Csize_t
    constants::Ptr{Ptr{UInt8}}
    constant_count::Csize_t
    warps::Int32
    remarks::Int32
    require_tma::Int32
    require_tensor_core::Int32
    stages::Int32
    cluster::Int32
    split::Int32
    raster::Int32
    dimensions::Ptr{Ptr{UInt8}}
    dimension_count::Csize_t
    tuned::Ptr{UInt8}
    budget_operations::UInt64
    budget_ptx_bytes::UInt64
    budget_memory_bytes::UInt64
    budget_seconds::Cdouble
    cancel::Ptr{Cvoid}
    cancel_user::Ptr{Cvoid}
    cache::Ptr{cuc_cache}
end

# An argument of a plan.
struct cuc_python_argument
    type_::Ptr{Cvoid}
    how::Int32
    dtype::Int32
end

# A complete launch. A Python object holds its address.
struct cuc_python_launch
    stream::Ptr{Cvoid}
    config::Ptr{Cvoid}
    kernel::Ptr{Cvoid}
    args::Ptr{Cvoid}
    arg_count::Csize_t
end

# A plan that turns Python values of certain classes into a kernel launch.
struct cuc_python_plan
    kernel::Ptr{Cvoid}
    arguments::Ptr{cuc_python_argument}
    count::Csize_t
end

# A set of a device's multiprocessors: a plain value that owns nothing.
struct cuc_sms
    count::UInt32
    least::UInt32
    alignment::UInt32
    reserved::UInt32
    driver::NTuple{18, UInt64}
end

# Options of cuc_stream_create(). Zero selects the default of every field.
struct cuc_stream_options
    struct_size::Csize_t
    priority::Int32
    flags::UInt32
end

# An array in memory. The layout of this struct is final.
struct cuc_tensor
    data::cuc_device_ptr
    dtype::cuc_dtype
    rank::Int32
    device::Int32
    flags::UInt32
    shape::NTuple{8, Int64}
    strides::NTuple{8, Int64}
end

# A tensor map, passed to kernels by value. It holds an address and owns nothing. A map that kernels read from memory must be aligned to 64 bytes; on the host it needs no alignment.
struct cuc_tensor_map
    words::NTuple{16, UInt64}
end

# The pixels that one copy transfers from images: successive pixels of a bounding box, as convolutions read them.
struct cuc_tensor_map_image
    struct_size::Csize_t
    lower::NTuple{3, Int32}
    upper::NTuple{3, Int32}
    channels::UInt32
    pixels::UInt32
end

# Settings of a map beyond its tensor and box. Zero selects the default of every field.
struct cuc_tensor_map_options
    struct_size::Csize_t
    dtype::cuc_dtype
    interleave::Int32
    swizzle::Int32
    l2_promotion::Int32
    fill::Int32
    flags::UInt32
    steps::NTuple{5, UInt32}
    reserved::UInt32
end

# Options of a memory access. Zero selects the default of every field.
struct cuc_tile_access_options
    struct_size::Csize_t
    shape::Ptr{Int64}
    rank::UInt32
    pad::cuc_tile
    mask::cuc_tile
    order::Int32
    scope::Int32
    latency::Int32
    tma::Int32
    cache::Int32
    inside::Int32
    reserved::UInt32
end

# Limits for building a program. Zero selects the default of every field.
struct cuc_tile_budget
    struct_size::Csize_t
    budget_operations::UInt64
    budget_ptx_bytes::UInt64
    budget_memory_bytes::UInt64
    budget_seconds::Cdouble
    cancel::Ptr{Cvoid}
    cancel_user::Ptr{Cvoid}
end

# An entry of a tile kernel. All entries compute the same result; each serves a class of arguments.
struct cuc_tile_entry
    struct_size::Csize_t
    variant::Ptr{UInt8}
    threads::UInt32
    static_shared_bytes::UInt32
    dynamic_shared_bytes::UInt32
    registers::UInt32
    stack_bytes::UInt32
    reserved::UInt32
end

# Options of cuc_tile_interpret(). Zero selects the default of every field.
struct cuc_tile_interpret_options
    struct_size::Csize_t
    grid::NTuple{3, UInt32}
    reserved::UInt32
    print::Ptr{Cvoid}
    user::Ptr{Cvoid}
    stop::Ptr{Cvoid}
end

# A parameter of a tile kernel.
struct cuc_tile_parameter
    struct_size::Csize_t
    name::Ptr{UInt8}
    dtype::cuc_dtype
    rank::Int32
    written::UInt32
    reserved::UInt32
end

# The choice that was fastest in measurements, and its key. Strings contain no tab and no newline.
struct cuc_tuned_record
    struct_size::Csize_t
    gpu::Ptr{UInt8}
    toolkit::Ptr{UInt8}
    program::Ptr{UInt8}
    kernel::Ptr{UInt8}
    constants::Ptr{UInt8}
    dimensions::Ptr{UInt8}
    choice::Ptr{UInt8}
    seconds::Cdouble
end

# The arrays of a call, in the order of the options; expressions and "_" have none.
struct cuc_algorithm_args
    struct_size::Csize_t
    inputs::Ptr{cuc_tensor}
    outputs::Ptr{cuc_tensor}
    input_count::UInt32
    output_count::UInt32
    count::Int64
    device_count::Ptr{cuc_tensor}
    workspace::cuc_device_ptr
    workspace_bytes::UInt64
    offsets::Ptr{cuc_tensor}
end

# The arrays of a call. Arrays that the plan does not use must be NULL; otherwise the call fails and names them. Shapes are those of CUC_ATTENTION_HEADS_FIRST; CUC_ATTENTION_SEQUENCE_FIRST exchanges the second and third axis of q, k, v and o. Strides may be arbitrary.
struct cuc_attention_args
    struct_size::Csize_t
    q::Ptr{cuc_tensor}
    k::Ptr{cuc_tensor}
    v::Ptr{cuc_tensor}
    o::Ptr{cuc_tensor}
    lse::Ptr{cuc_tensor}
    scale::Cdouble
    sinks::Ptr{cuc_tensor}
    sides::Ptr{cuc_tensor}
    side_count::UInt32
    reserved::UInt32
    query_offsets::Ptr{cuc_tensor}
    key_offsets::Ptr{cuc_tensor}
    most_queries::Int64
    page_table::Ptr{cuc_tensor}
    key_lengths::Ptr{cuc_tensor}
    workspace::cuc_device_ptr
    workspace_bytes::UInt64
    d_o::Ptr{cuc_tensor}
    d_q::Ptr{cuc_tensor}
    d_k::Ptr{cuc_tensor}
    d_v::Ptr{cuc_tensor}
    most_keys::Int64
    new_k::Ptr{cuc_tensor}
    new_v::Ptr{cuc_tensor}
    q_scale::Ptr{cuc_tensor}
    k_scale::Ptr{cuc_tensor}
    v_scale::Ptr{cuc_tensor}
    d_sinks::Ptr{cuc_tensor}
    d_sides::Ptr{cuc_tensor}
end

# Description of a plan. Zero selects the default of every field except dtype and width.
struct cuc_attention_options
    struct_size::Csize_t
    flags::UInt32
    dtype::cuc_dtype
    width::Int32
    value_width::Int32
    mask::Int32
    align::Int32
    order::Int32
    window_left::Int32
    window_right::Int32
    tile_q::Int32
    tile_k::Int32
    stages::Int32
    warps::Int32
    batch::Int64
    heads::Int64
    key_heads::Int64
    queries::Int64
    keys::Int64
    arch::Ptr{UInt8}
    cache::Ptr{cuc_cache}
    score::Ptr{UInt8}
    sides::Ptr{cuc_attention_side}
    side_count::UInt32
    reserved::UInt32
    page_size::Int32
    parts::Int32
    o_dtype::cuc_dtype
end

# Attributes of one copy in a batch. Zero selects the default of every field.
struct cuc_copy_attributes
    source_order::Int32
    flags::UInt32
    src_hint::cuc_memory_location
    dst_hint::cuc_memory_location
end

# A batch of copies that one call enqueues.
struct cuc_copy_batch_params
    struct_size::Csize_t
    dst::Ptr{cuc_device_ptr}
    src::Ptr{cuc_device_ptr}
    bytes::Ptr{Csize_t}
    count::Csize_t
    attributes::Ptr{cuc_copy_attributes}
    attribute_count::Csize_t
end

# DLManagedTensor: the format before DLPack 1.0.
struct cuc_dl_managed_tensor
    dl_tensor::cuc_dl_tensor
    manager_ctx::Ptr{Cvoid}
    deleter::Ptr{Cvoid}
end

# DLManagedTensorVersioned: the format of DLPack 1.x.
struct cuc_dl_managed_tensor_versioned
    version::cuc_dl_version
    manager_ctx::Ptr{Cvoid}
    deleter::Ptr{Cvoid}
    flags::UInt64
    dl_tensor::cuc_dl_tensor
end

# The arrays of a call. Arrays that the plan does not use must be NULL; otherwise the call fails and names them.
struct cuc_gemm_args
    struct_size::Csize_t
    a::Ptr{cuc_tensor}
    b::Ptr{cuc_tensor}
    c::Ptr{cuc_tensor}
    d::Ptr{cuc_tensor}
    bias::Ptr{cuc_tensor}
    residual::Ptr{cuc_tensor}
    row_scale::Ptr{cuc_tensor}
    column_scale::Ptr{cuc_tensor}
    offsets::Ptr{cuc_tensor}
    workspace::cuc_device_ptr
    workspace_bytes::UInt64
    aux::Ptr{cuc_tensor}
    bias_gradient::Ptr{cuc_tensor}
    amax::Ptr{cuc_tensor}
    a_scale::Ptr{cuc_tensor}
    b_scale::Ptr{cuc_tensor}
end

# Ranges of managed memory for the batch calls.
struct cuc_memory_batch
    struct_size::Csize_t
    ptrs::Ptr{cuc_device_ptr}
    bytes::Ptr{Csize_t}
    count::Csize_t
    locations::Ptr{cuc_memory_location}
    location_count::Csize_t
end

# Set arguments to their defaults.
cuc_algorithm_args_init(args, caller_size) =
    ccall((:cuc_algorithm_args_init, libcucore), Cvoid, (Ptr{cuc_algorithm_args}, Csize_t), args, caller_size)
# Create a plan: write the tile program and compile it to PTX.
cuc_algorithm_create(out, device, options) =
    ccall((:cuc_algorithm_create, libcucore), cuc_status, (Ptr{Ptr{cuc_algorithm}}, Ptr{cuc_device}, Ptr{cuc_algorithm_options}), out, device, options)
# Set every option to its default.
cuc_algorithm_options_init(options, caller_size) =
    ccall((:cuc_algorithm_options_init, libcucore), Cvoid, (Ptr{cuc_algorithm_options}, Csize_t), options, caller_size)
# Release a reference; the last one frees the plan. Work already enqueued completes.
cuc_algorithm_release(plan) =
    ccall((:cuc_algorithm_release, libcucore), Cvoid, (Ptr{cuc_algorithm},), plan)
# Add a reference to a plan.
cuc_algorithm_retain(plan) =
    ccall((:cuc_algorithm_retain, libcucore), Ptr{cuc_algorithm}, (Ptr{cuc_algorithm},), plan)
# Run a plan, in stream order.
cuc_algorithm_run(stream, plan, args) =
    ccall((:cuc_algorithm_run, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_algorithm}, Ptr{cuc_algorithm_args}), stream, plan, args)
# The tile program of a plan, to read or to start from.
cuc_algorithm_source(plan) =
    ccall((:cuc_algorithm_source, libcucore), Cstring, (Ptr{cuc_algorithm},), plan)
# The size of the workspace that a call needs.
cuc_algorithm_workspace_bytes(plan, count) =
    ccall((:cuc_algorithm_workspace_bytes, libcucore), UInt64, (Ptr{cuc_algorithm}, Int64), plan, count)
# Compute attention in stream order: o = softmax(scale q k') v for each batch and head.
cuc_attention(stream, plan, args) =
    ccall((:cuc_attention, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_attention_plan}, Ptr{cuc_attention_args}), stream, plan, args)
# Append new keys and values to a cache in stream order, before a cuc_attention() that sees them.
cuc_attention_append(stream, plan, args) =
    ccall((:cuc_attention_append, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_attention_plan}, Ptr{cuc_attention_args}), stream, plan, args)
# Set arguments to their defaults.
cuc_attention_args_init(args, caller_size) =
    ccall((:cuc_attention_args_init, libcucore), Cvoid, (Ptr{cuc_attention_args}, Csize_t), args, caller_size)
# Compute the gradients of q, k and v, of sinks, and of side arrays that train, in stream order.
cuc_attention_backward(stream, plan, args) =
    ccall((:cuc_attention_backward, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_attention_plan}, Ptr{cuc_attention_args}), stream, plan, args)
# Set every option to its default.
cuc_attention_options_init(options, caller_size) =
    ccall((:cuc_attention_options_init, libcucore), Cvoid, (Ptr{cuc_attention_options}, Csize_t), options, caller_size)
# Create a plan: write the tile program, choose its tiles, and compile it to PTX.
cuc_attention_plan_create(out, device, options) =
    ccall((:cuc_attention_plan_create, libcucore), cuc_status, (Ptr{Ptr{cuc_attention_plan}}, Ptr{cuc_device}, Ptr{cuc_attention_options}), out, device, options)
# The choice made for a plan.
cuc_attention_plan_get_choice(out, plan) =
    ccall((:cuc_attention_plan_get_choice, libcucore), cuc_status, (Ptr{cuc_attention_choice}, Ptr{cuc_attention_plan}), out, plan)
# Release a reference; the last one frees the plan. Work already enqueued completes.
cuc_attention_plan_release(plan) =
    ccall((:cuc_attention_plan_release, libcucore), Cvoid, (Ptr{cuc_attention_plan},), plan)
# Add a reference to a plan.
cuc_attention_plan_retain(plan) =
    ccall((:cuc_attention_plan_retain, libcucore), Ptr{cuc_attention_plan}, (Ptr{cuc_attention_plan},), plan)
# The tile program of a plan, to read or to start from.
cuc_attention_plan_source(plan, index) =
    ccall((:cuc_attention_plan_source, libcucore), Cstring, (Ptr{cuc_attention_plan}, Csize_t), plan, index)
# The size of the workspace that a call needs, of either function.
cuc_attention_plan_workspace_bytes(plan, batch, heads, queries, key_heads, keys) =
    ccall((:cuc_attention_plan_workspace_bytes, libcucore), UInt64, (Ptr{cuc_attention_plan}, Int64, Int64, Int64, Int64, Int64), plan, batch, heads, queries, key_heads, keys)
# The parties that can access a buffer.
cuc_buffer_access(buffer) =
    ccall((:cuc_buffer_access, libcucore), UInt32, (Ptr{cuc_buffer},), buffer)
# The length of a buffer.
cuc_buffer_bytes(buffer) =
    ccall((:cuc_buffer_bytes, libcucore), Csize_t, (Ptr{cuc_buffer},), buffer)
# Copy bytes from one buffer into another, in stream order. The buffers may be on different devices, or be the same buffer if the ranges do not overlap.
cuc_buffer_copy(stream, dst, dst_offset, src, src_offset, bytes) =
    ccall((:cuc_buffer_copy, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_buffer}, Csize_t, Ptr{cuc_buffer}, Csize_t, Csize_t), stream, dst, dst_offset, src, src_offset, bytes)
# Allocate a buffer.
cuc_buffer_create(out, stream, resource, bytes) =
    ccall((:cuc_buffer_create, libcucore), cuc_status, (Ptr{Ptr{cuc_buffer}}, Ptr{cuc_stream}, Ptr{cuc_memory_resource}, Csize_t), out, stream, resource, bytes)
# The device that owns a buffer's memory.
cuc_buffer_device(buffer) =
    ccall((:cuc_buffer_device, libcucore), Ptr{cuc_device}, (Ptr{cuc_buffer},), buffer)
# Export a buffer to a process that has imported its pool.
cuc_buffer_export(out, buffer) =
    ccall((:cuc_buffer_export, libcucore), cuc_status, (Ptr{cuc_ipc_handle}, Ptr{cuc_buffer}), out, buffer)
# Export the memory of a virtual-memory buffer to another process, as one file descriptor per piece. A buffer has one piece, plus one for each growth.
cuc_buffer_export_pieces(pieces, capacity, count, buffer) =
    ccall((:cuc_buffer_export_pieces, libcucore), cuc_status, (Ptr{cuc_memory_piece}, Csize_t, Ptr{Csize_t}, Ptr{cuc_buffer}), pieces, capacity, count, buffer)
# Fill a part of a buffer with a pattern, in stream order.
cuc_buffer_fill(stream, buffer, offset, pattern, pattern_bytes, bytes) =
    ccall((:cuc_buffer_fill, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_buffer}, Csize_t, UInt32, UInt32, Csize_t), stream, buffer, offset, pattern, pattern_bytes, bytes)
# Import another process's buffer. Importing a buffer again yields the same address. The memory stays mapped until the last of these buffers in this process is released.
cuc_buffer_from_ipc_handle(out, stream, pool, handle, bytes) =
    ccall((:cuc_buffer_from_ipc_handle, libcucore), cuc_status, (Ptr{Ptr{cuc_buffer}}, Ptr{cuc_stream}, Ptr{cuc_memory_resource}, Ptr{cuc_ipc_handle}, Csize_t), out, stream, pool, handle, bytes)
# Create a buffer over memory of another process. It grows like other buffers of its resource, with new memory from this process.
cuc_buffer_from_pieces(out, stream, resource, pieces, count, bytes) =
    ccall((:cuc_buffer_from_pieces, libcucore), cuc_status, (Ptr{Ptr{cuc_buffer}}, Ptr{cuc_stream}, Ptr{cuc_memory_resource}, Ptr{cuc_memory_piece}, Csize_t, Csize_t), out, stream, resource, pieces, count, bytes)
# Create a buffer over existing memory: from cuMemAlloc(), cudaMalloc(), another library, or the host.
cuc_buffer_from_pointer(out, ptr, bytes, options) =
    ccall((:cuc_buffer_from_pointer, libcucore), cuc_status, (Ptr{Ptr{cuc_buffer}}, cuc_device_ptr, Csize_t, Ptr{cuc_buffer_options}), out, ptr, bytes, options)
# The CPU address of a buffer of pinned, managed or host memory.
cuc_buffer_get_host_pointer(out, buffer) =
    ccall((:cuc_buffer_get_host_pointer, libcucore), cuc_status, (Ptr{Ptr{Cvoid}}, Ptr{cuc_buffer}), out, buffer)
# Create a buffer of another size over the memory of an existing buffer, which stays unchanged.
cuc_buffer_grow(out, buffer, bytes) =
    ccall((:cuc_buffer_grow, libcucore), cuc_status, (Ptr{Ptr{cuc_buffer}}, Ptr{cuc_buffer}, Csize_t), out, buffer, bytes)
# The resource that will free a buffer.
cuc_buffer_memory_resource(buffer) =
    ccall((:cuc_buffer_memory_resource, libcucore), Ptr{cuc_memory_resource}, (Ptr{cuc_buffer},), buffer)
# Zero a cuc_buffer_options and write its size.
cuc_buffer_options_init(options, caller_size) =
    ccall((:cuc_buffer_options_init, libcucore), Cvoid, (Ptr{cuc_buffer_options}, Csize_t), options, caller_size)
# The owner that was passed to cuc_buffer_from_pointer().
cuc_buffer_owner(buffer) =
    ccall((:cuc_buffer_owner, libcucore), Ptr{Cvoid}, (Ptr{cuc_buffer},), buffer)
# The buffer that a slice belongs to.
cuc_buffer_parent(buffer) =
    ccall((:cuc_buffer_parent, libcucore), Ptr{cuc_buffer}, (Ptr{cuc_buffer},), buffer)
# The address of a buffer.
cuc_buffer_ptr(buffer) =
    ccall((:cuc_buffer_ptr, libcucore), cuc_device_ptr, (Ptr{cuc_buffer},), buffer)
# Copy bytes from a buffer to the host, in stream order.
cuc_buffer_read_async(stream, dst, buffer, offset, bytes) =
    ccall((:cuc_buffer_read_async, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{Cvoid}, Ptr{cuc_buffer}, Csize_t, Csize_t), stream, dst, buffer, offset, bytes)
# Release a buffer; the last release frees the memory.
cuc_buffer_release(buffer) =
    ccall((:cuc_buffer_release, libcucore), Cvoid, (Ptr{cuc_buffer},), buffer)
# Add a reference to a buffer.
cuc_buffer_retain(buffer) =
    ccall((:cuc_buffer_retain, libcucore), Ptr{cuc_buffer}, (Ptr{cuc_buffer},), buffer)
# Set the stream that will free a buffer.
cuc_buffer_set_stream(buffer, stream) =
    ccall((:cuc_buffer_set_stream, libcucore), cuc_status, (Ptr{cuc_buffer}, Ptr{cuc_stream}), buffer, stream)
# Create a buffer over a part of another, which it retains.
cuc_buffer_slice(out, parent, offset, bytes) =
    ccall((:cuc_buffer_slice, libcucore), cuc_status, (Ptr{Ptr{cuc_buffer}}, Ptr{cuc_buffer}, Csize_t, Csize_t), out, parent, offset, bytes)
# The stream that will free a buffer.
cuc_buffer_stream(buffer) =
    ccall((:cuc_buffer_stream, libcucore), Ptr{cuc_stream}, (Ptr{cuc_buffer},), buffer)
# Copy bytes from the host into a buffer, in stream order.
cuc_buffer_write_async(stream, buffer, offset, src, bytes) =
    ccall((:cuc_buffer_write_async, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_buffer}, Csize_t, Ptr{Cvoid}, Csize_t), stream, buffer, offset, src, bytes)
# Remove every entry. Programs that are using the cache compile again.
cuc_cache_clear(cache) =
    ccall((:cuc_cache_clear, libcucore), cuc_status, (Ptr{cuc_cache},), cache)
# The default cache, which programs use unless they name another one.
cuc_cache_default() =
    ccall((:cuc_cache_default, libcucore), Ptr{cuc_cache}, ())
# Read the state of a cache. Counting its files takes a millisecond for a few hundred entries.
cuc_cache_get_info(out, cache) =
    ccall((:cuc_cache_get_info, libcucore), cuc_status, (Ptr{cuc_cache_info}, Ptr{cuc_cache}), out, cache)
# Visit every entry. This reads and checks each entry, which does not count as a use.
cuc_cache_list(cache, visit, user) =
    ccall((:cuc_cache_list, libcucore), cuc_status, (Ptr{cuc_cache}, Ptr{Cvoid}, Ptr{Cvoid}), cache, visit, user)
# A cache that stores nothing. Pass it as an option to turn caching off.
cuc_cache_none() =
    ccall((:cuc_cache_none, libcucore), Ptr{cuc_cache}, ())
# Open a cache of your own.
cuc_cache_open(out, options) =
    ccall((:cuc_cache_open, libcucore), cuc_status, (Ptr{Ptr{cuc_cache}}, Ptr{cuc_cache_options}), out, options)
# Set every option to its default.
cuc_cache_options_init(options, caller_size) =
    ccall((:cuc_cache_options_init, libcucore), Cvoid, (Ptr{cuc_cache_options}, Csize_t), options, caller_size)
# Read an entry of your own, which cuc_cache_write() has stored under the same key.
cuc_cache_read(cache, key, key_bytes, receive, user) =
    ccall((:cuc_cache_read, libcucore), cuc_status, (Ptr{cuc_cache}, Ptr{Cvoid}, Csize_t, Ptr{Cvoid}, Ptr{Cvoid}), cache, key, key_bytes, receive, user)
# Drop a reference to a cache; its files stay.
cuc_cache_release(cache) =
    ccall((:cuc_cache_release, libcucore), Cvoid, (Ptr{cuc_cache},), cache)
# Remove an entry of your own, even if it is damaged.
cuc_cache_remove(cache, key, key_bytes) =
    ccall((:cuc_cache_remove, libcucore), cuc_status, (Ptr{cuc_cache}, Ptr{Cvoid}, Csize_t), cache, key, key_bytes)
# Add a reference to a cache.
cuc_cache_retain(cache) =
    ccall((:cuc_cache_retain, libcucore), Ptr{cuc_cache}, (Ptr{cuc_cache},), cache)
# Check every entry and remove the damaged ones. Damaged entries do no harm, because each use checks its entry.
cuc_cache_verify(damaged, cache) =
    ccall((:cuc_cache_verify, libcucore), cuc_status, (Ptr{UInt64}, Ptr{cuc_cache}), damaged, cache)
# Store an entry of your own. It replaces an entry with the same key.
cuc_cache_write(cache, key, key_bytes, label, data, bytes) =
    ccall((:cuc_cache_write, libcucore), cuc_status, (Ptr{cuc_cache}, Ptr{Cvoid}, Csize_t, Cstring, Ptr{Cvoid}, Csize_t), cache, key, key_bytes, label, data, bytes)
# The kind of object code with a given name.
cuc_code_from_name(name) =
    ccall((:cuc_code_from_name, libcucore), Int32, (Cstring,), name)
# The name of a kind of object code, such as "cubin".
cuc_code_name(kind) =
    ccall((:cuc_code_name, libcucore), Cstring, (Int32,), kind)
# The device of a context.
cuc_context_device(context) =
    ccall((:cuc_context_device, libcucore), Ptr{cuc_device}, (Ptr{cuc_context},), context)
# Undo cuc_context_enable_peer_access(). Disabling access that is not enabled is not an error.
cuc_context_disable_peer_access(context, peer) =
    ccall((:cuc_context_disable_peer_access, libcucore), cuc_status, (Ptr{cuc_context}, Ptr{cuc_context}), context, peer)
# Let the kernels of a context access memory that was allocated in another device's context.
cuc_context_enable_peer_access(context, peer) =
    ccall((:cuc_context_enable_peer_access, libcucore), cuc_status, (Ptr{cuc_context}, Ptr{cuc_context}), context, peer)
# Create an event in any context.
cuc_context_event_create(out, context, options) =
    ccall((:cuc_context_event_create, libcucore), cuc_status, (Ptr{Ptr{cuc_event}}, Ptr{cuc_context}, Ptr{cuc_event_options}), out, context, options)
# Wrap a context that was created with the driver.
cuc_context_from_handle(out, handle) =
    ccall((:cuc_context_from_handle, libcucore), cuc_status, (Ptr{Ptr{cuc_context}}, Ptr{Cvoid}), out, handle)
# The context that is current on the calling thread.
cuc_context_get_current(out) =
    ccall((:cuc_context_get_current, libcucore), cuc_status, (Ptr{Ptr{cuc_context}},), out)
# An identifier that is unique among all contexts the process ever has.
cuc_context_get_id(out, context) =
    ccall((:cuc_context_get_id, libcucore), cuc_status, (Ptr{UInt64}, Ptr{cuc_context}), out, context)
# Read a limit of a context.
cuc_context_get_limit(out, context, limit) =
    ccall((:cuc_context_get_limit, libcucore), cuc_status, (Ptr{UInt64}, Ptr{cuc_context}, Int32), out, context, limit)
# The range of stream priorities in a context.
cuc_context_get_priority_range(least, greatest, context) =
    ccall((:cuc_context_get_priority_range, libcucore), cuc_status, (Ptr{Int32}, Ptr{Int32}, Ptr{cuc_context}), least, greatest, context)
# The driver's handle of a context.
cuc_context_handle(context) =
    ccall((:cuc_context_handle, libcucore), Ptr{Cvoid}, (Ptr{cuc_context},), context)
# Check whether an earlier failure destroyed a context.
cuc_context_is_lost(context) =
    ccall((:cuc_context_is_lost, libcucore), Int32, (Ptr{cuc_context},), context)
# Check whether a context is its device's primary context.
cuc_context_is_primary(context) =
    ccall((:cuc_context_is_primary, libcucore), Int32, (Ptr{cuc_context},), context)
# Release a context. A primary context stays retained. A foreign context is never destroyed.
cuc_context_release(context) =
    ccall((:cuc_context_release, libcucore), Cvoid, (Ptr{cuc_context},), context)
# Add a reference to a context.
cuc_context_retain(context) =
    ccall((:cuc_context_retain, libcucore), Ptr{cuc_context}, (Ptr{cuc_context},), context)
# Make a context current on the calling thread.
cuc_context_set_current(context, previous) =
    ccall((:cuc_context_set_current, libcucore), cuc_status, (Ptr{cuc_context}, Ptr{Ptr{cuc_context}}), context, previous)
# Set a limit of a context; the driver may round the value.
cuc_context_set_limit(context, limit, value) =
    ccall((:cuc_context_set_limit, libcucore), cuc_status, (Ptr{cuc_context}, Int32, UInt64), context, limit, value)
# Create a stream in any context.
cuc_context_stream_create(out, context, options) =
    ccall((:cuc_context_stream_create, libcucore), cuc_status, (Ptr{Ptr{cuc_stream}}, Ptr{cuc_context}, Ptr{cuc_stream_options}), out, context, options)
# Wait until all work in a context is complete.
cuc_context_synchronize(context) =
    ccall((:cuc_context_synchronize, libcucore), cuc_status, (Ptr{cuc_context},), context)
# Copy bytes in any direction, in stream order.
cuc_copy(stream, dst, src, bytes) =
    ccall((:cuc_copy, libcucore), cuc_status, (Ptr{cuc_stream}, cuc_device_ptr, cuc_device_ptr, Csize_t), stream, dst, src, bytes)
# Copy a rectangle of bytes in any direction, in stream order.
cuc_copy_2d(stream, params) =
    ccall((:cuc_copy_2d, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_copy_2d_params}), stream, params)
# Zero a cuc_copy_2d_params and write its size.
cuc_copy_2d_params_init(params, caller_size) =
    ccall((:cuc_copy_2d_params_init, libcucore), Cvoid, (Ptr{cuc_copy_2d_params}, Csize_t), params, caller_size)
# Copy a box of bytes in any direction, in stream order.
cuc_copy_3d(stream, params) =
    ccall((:cuc_copy_3d, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_copy_3d_params}), stream, params)
# Zero a cuc_copy_3d_params and write its size.
cuc_copy_3d_params_init(params, caller_size) =
    ccall((:cuc_copy_3d_params_init, libcucore), Cvoid, (Ptr{cuc_copy_3d_params}, Csize_t), params, caller_size)
# Enqueue several copies at once, in any directions.
cuc_copy_batch(stream, params) =
    ccall((:cuc_copy_batch, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_copy_batch_params}), stream, params)
# Zero a cuc_copy_batch_params and write its size.
cuc_copy_batch_params_init(params, caller_size) =
    ccall((:cuc_copy_batch_params_init, libcucore), Cvoid, (Ptr{cuc_copy_batch_params}, Csize_t), params, caller_size)
# Copy bytes from one device to another, in stream order, naming both devices.
cuc_copy_peer(stream, dst, dst_device, src, src_device, bytes) =
    ccall((:cuc_copy_peer, libcucore), cuc_status, (Ptr{cuc_stream}, cuc_device_ptr, Ptr{cuc_device}, cuc_device_ptr, Ptr{cuc_device}, Csize_t), stream, dst, dst_device, src, src_device, bytes)
# Copy bytes from the host to a device, in stream order.
cuc_copy_to_device(stream, dst, src, bytes) =
    ccall((:cuc_copy_to_device, libcucore), cuc_status, (Ptr{cuc_stream}, cuc_device_ptr, Ptr{Cvoid}, Csize_t), stream, dst, src, bytes)
# Copy bytes from a device to the host, in stream order.
cuc_copy_to_host(stream, dst, src, bytes) =
    ccall((:cuc_copy_to_host, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{Cvoid}, cuc_device_ptr, Csize_t), stream, dst, src, bytes)
# The architecture to compile for on a device, such as "sm_90".
cuc_device_arch(device) =
    ccall((:cuc_device_arch, libcucore), Cstring, (Ptr{cuc_device},), device)
# The value, name and unit of the listed attribute at an index.
cuc_device_attribute_at(attribute, name, unit, index) =
    ccall((:cuc_device_attribute_at, libcucore), cuc_status, (Ptr{Int32}, Ptr{Ptr{UInt8}}, Ptr{Ptr{UInt8}}, Csize_t), attribute, name, unit, index)
# The number of attributes that cuc_device_attribute_at() can enumerate.
cuc_device_attribute_count() =
    ccall((:cuc_device_attribute_count, libcucore), Csize_t, ())
# The attribute with a given name, such as "max_threads_per_block".
cuc_device_attribute_from_name(out, name) =
    ccall((:cuc_device_attribute_from_name, libcucore), cuc_status, (Ptr{Int32}, Cstring), out, name)
# Check whether kernels on a device can access another device's memory.
cuc_device_can_access_peer(out, device, peer) =
    ccall((:cuc_device_can_access_peer, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_device}, Ptr{cuc_device}), out, device, peer)
# The device with a given ordinal.
cuc_device_get(out, ordinal) =
    ccall((:cuc_device_get, libcucore), cuc_status, (Ptr{Ptr{cuc_device}}, Int32), out, ordinal)
# Read one attribute.
cuc_device_get_attribute(out, device, attribute) =
    ccall((:cuc_device_get_attribute, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_device}, Int32), out, device, attribute)
# The device at a given PCI address.
cuc_device_get_by_pci_bus_id(out, bus_id) =
    ccall((:cuc_device_get_by_pci_bus_id, libcucore), cuc_status, (Ptr{Ptr{cuc_device}}, Cstring), out, bus_id)
# The compute capability of a device.
cuc_device_get_compute_capability(major, minor, device) =
    ccall((:cuc_device_get_compute_capability, libcucore), cuc_status, (Ptr{Int32}, Ptr{Int32}, Ptr{cuc_device}), major, minor, device)
# The primary context of a device, which the CUDA runtime uses too.
cuc_device_get_context(out, device) =
    ccall((:cuc_device_get_context, libcucore), cuc_status, (Ptr{Ptr{cuc_context}}, Ptr{cuc_device}), out, device)
# The number of devices that the driver sees.
cuc_device_get_count(out) =
    ccall((:cuc_device_get_count, libcucore), cuc_status, (Ptr{Int32},), out)
# The device of the calling thread's current context, or device 0 when it has none.
cuc_device_get_current(out) =
    ccall((:cuc_device_get_current, libcucore), cuc_status, (Ptr{Ptr{cuc_device}},), out)
# Read the size of a device's graph memory.
cuc_device_get_graph_memory(out, device, which) =
    ccall((:cuc_device_get_graph_memory, libcucore), cuc_status, (Ptr{UInt64}, Ptr{cuc_device}, Int32), out, device, which)
# The total and the currently free memory of a device.
cuc_device_get_memory_info(free_bytes, total_bytes, device) =
    ccall((:cuc_device_get_memory_info, libcucore), cuc_status, (Ptr{UInt64}, Ptr{UInt64}, Ptr{cuc_device}), free_bytes, total_bytes, device)
# The default resource of a device, for buffers created without one.
cuc_device_get_memory_resource(out, device) =
    ccall((:cuc_device_get_memory_resource, libcucore), cuc_status, (Ptr{Ptr{cuc_memory_resource}}, Ptr{cuc_device}), out, device)
# Read one property of the connection between two devices.
cuc_device_get_peer_attribute(out, device, peer, attribute) =
    ccall((:cuc_device_get_peer_attribute, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_device}, Ptr{cuc_device}, Int32), out, device, peer, attribute)
# Read every attribute at once.
cuc_device_get_properties(out, device) =
    ccall((:cuc_device_get_properties, libcucore), cuc_status, (Ptr{cuc_device_properties}, Ptr{cuc_device}), out, device)
# Read clocks, temperature, power and the reasons for low clocks from NVML.
cuc_device_get_sensors(out, device, wanted) =
    ccall((:cuc_device_get_sensors, libcucore), cuc_status, (Ptr{cuc_device_sensors}, Ptr{cuc_device}, UInt32), out, device, wanted)
# All multiprocessors of a device.
cuc_device_get_sms(out, device) =
    ccall((:cuc_device_get_sms, libcucore), cuc_status, (Ptr{cuc_sms}, Ptr{cuc_device}), out, device)
# The sixteen bytes of a device's UUID.
cuc_device_get_uuid_bytes(out, device) =
    ccall((:cuc_device_get_uuid_bytes, libcucore), cuc_status, (Ptr{UInt8}, Ptr{cuc_device}), out, device)
# The driver's handle of a device.
cuc_device_handle(device) =
    ccall((:cuc_device_handle, libcucore), Int32, (Ptr{cuc_device},), device)
# The name of a device, such as "NVIDIA H200".
cuc_device_name(device) =
    ccall((:cuc_device_name, libcucore), Cstring, (Ptr{cuc_device},), device)
# The ordinal of a device.
cuc_device_ordinal(device) =
    ccall((:cuc_device_ordinal, libcucore), Int32, (Ptr{cuc_device},), device)
# The PCI address of a device, "0000:3b:00.0".
cuc_device_pci_bus_id(device) =
    ccall((:cuc_device_pci_bus_id, libcucore), Cstring, (Ptr{cuc_device},), device)
# Reset a high-water mark of graph memory to the current size.
cuc_device_reset_graph_memory(device, which) =
    ccall((:cuc_device_reset_graph_memory, libcucore), cuc_status, (Ptr{cuc_device}, Int32), device, which)
# Make a device's primary context current on the calling thread.
cuc_device_set_current(device, previous) =
    ccall((:cuc_device_set_current, libcucore), cuc_status, (Ptr{cuc_device}, Ptr{Ptr{cuc_context}}), device, previous)
# Set the default resource of a device, for the whole process.
cuc_device_set_memory_resource(device, resource) =
    ccall((:cuc_device_set_memory_resource, libcucore), cuc_status, (Ptr{cuc_device}, Ptr{cuc_memory_resource}), device, resource)
# Wait until all work in a device's primary context is complete.
cuc_device_synchronize(device) =
    ccall((:cuc_device_synchronize, libcucore), cuc_status, (Ptr{cuc_device},), device)
# Return memory that is kept for later graph launches to the system.
cuc_device_trim_graph_memory(device) =
    ccall((:cuc_device_trim_graph_memory, libcucore), cuc_status, (Ptr{cuc_device},), device)
# The UUID of a device in the form that NVML and nvidia-smi use: "GPU-" or "MIG-" and five groups.
cuc_device_uuid(device) =
    ccall((:cuc_device_uuid, libcucore), Cstring, (Ptr{cuc_device},), device)
# The file from which the driver was loaded.
cuc_driver_get_path(out) =
    ccall((:cuc_driver_get_path, libcucore), cuc_status, (Ptr{Ptr{UInt8}},), out)
# The newest CUDA version that the driver supports.
cuc_driver_get_version(out) =
    ccall((:cuc_driver_get_version, libcucore), cuc_status, (Ptr{Int32},), out)
# Check whether the driver is the simulated one, which CUCORE_DRIVER can select.
cuc_driver_is_simulated() =
    ccall((:cuc_driver_is_simulated, libcucore), Int32, ())
# The size of an element in bits.
cuc_dtype_bits(dtype) =
    ccall((:cuc_dtype_bits, libcucore), UInt32, (cuc_dtype,), dtype)
# The element type with a given name.
cuc_dtype_from_name(name) =
    ccall((:cuc_dtype_from_name, libcucore), cuc_dtype, (Cstring,), name)
# The name of an element type, such as "f32".
cuc_dtype_name(dtype) =
    ccall((:cuc_dtype_name, libcucore), Cstring, (cuc_dtype,), dtype)
# Clear the thread's last failure.
cuc_error_clear() =
    ccall((:cuc_error_clear, libcucore), Cvoid, ())
# The meaning of the failure and its remedy, in plain words.
cuc_error_explanation() =
    ccall((:cuc_error_explanation, libcucore), Cstring, ())
# The public function that failed, such as "cuc_stream_create".
cuc_error_function() =
    ccall((:cuc_error_function, libcucore), Cstring, ())
# The library that reported the failure.
cuc_error_library() =
    ccall((:cuc_error_library, libcucore), Int32, ())
# The library function that failed, such as "cuMemAllocAsync".
cuc_error_library_call() =
    ccall((:cuc_error_library_call, libcucore), Cstring, ())
# The error code that the library returned, such as a CUresult.
cuc_error_library_code() =
    ccall((:cuc_error_library_code, libcucore), Int32, ())
# The symbolic name of the library's error code, such as "CUDA_ERROR_OUT_OF_MEMORY".
cuc_error_library_symbol() =
    ccall((:cuc_error_library_symbol, libcucore), Cstring, ())
# The log that came with the failure: a compiler's or linker's log, or the list of places searched.
cuc_error_log() =
    ccall((:cuc_error_log, libcucore), Cstring, ())
# The thread's last failure as one readable paragraph, notes included.
cuc_error_message() =
    ccall((:cuc_error_message, libcucore), Cstring, ())
# One note of the failure.
cuc_error_note(index) =
    ccall((:cuc_error_note, libcucore), Cstring, (Csize_t,), index)
# The number of notes that the failure carries.
cuc_error_note_count() =
    ccall((:cuc_error_note_count, libcucore), Csize_t, ())
# Set the thread's last failure. This is for callbacks that fail, and for libraries that build on cucore and report failures the same way.
cuc_error_set(status, function_, message) =
    ccall((:cuc_error_set, libcucore), cuc_status, (cuc_status, Cstring, Cstring), status, function_, message)
# The status of the thread's last failure.
cuc_error_status() =
    ccall((:cuc_error_status, libcucore), cuc_status, ())
# The context of an event.
cuc_event_context(event) =
    ccall((:cuc_event_context, libcucore), Ptr{cuc_context}, (Ptr{cuc_event},), event)
# Create an event in a device's primary context.
cuc_event_create(out, device, options) =
    ccall((:cuc_event_create, libcucore), cuc_status, (Ptr{Ptr{cuc_event}}, Ptr{cuc_device}, Ptr{cuc_event_options}), out, device, options)
# The device of an event.
cuc_event_device(event) =
    ccall((:cuc_event_device, libcucore), Ptr{cuc_device}, (Ptr{cuc_event},), event)
# Export an event to another process.
cuc_event_export(out, event) =
    ccall((:cuc_event_export, libcucore), cuc_status, (Ptr{cuc_ipc_handle}, Ptr{cuc_event}), out, event)
# The flags that an event was created with.
cuc_event_flags(event) =
    ccall((:cuc_event_flags, libcucore), UInt32, (Ptr{cuc_event},), event)
# Wrap an event that was created elsewhere: a CUevent, or a cudaEvent_t of the CUDA runtime.
cuc_event_from_handle(out, handle, context, flags) =
    ccall((:cuc_event_from_handle, libcucore), cuc_status, (Ptr{Ptr{cuc_event}}, Ptr{Cvoid}, Ptr{cuc_context}, UInt32), out, handle, context, flags)
# Import another process's event, to wait for its recording.
cuc_event_from_ipc_handle(out, device, handle) =
    ccall((:cuc_event_from_ipc_handle, libcucore), cuc_status, (Ptr{Ptr{cuc_event}}, Ptr{cuc_device}, Ptr{cuc_ipc_handle}), out, device, handle)
# The time between two events, measured on the device.
cuc_event_get_elapsed(milliseconds, start, end_) =
    ccall((:cuc_event_get_elapsed, libcucore), cuc_status, (Ptr{Cfloat}, Ptr{cuc_event}, Ptr{cuc_event}), milliseconds, start, end_)
# Create a file descriptor for poll(), epoll or asyncio. It becomes readable when an event completes.
cuc_event_get_fd(out, event) =
    ccall((:cuc_event_get_fd, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_event}), out, event)
# The driver's handle of an event, which is also its cudaEvent_t.
cuc_event_handle(event) =
    ccall((:cuc_event_handle, libcucore), Ptr{Cvoid}, (Ptr{cuc_event},), event)
# Zero options and write their size.
cuc_event_options_init(options, caller_size) =
    ccall((:cuc_event_options_init, libcucore), Cvoid, (Ptr{cuc_event_options}, Csize_t), options, caller_size)
# Check whether an event has completed, without waiting. A never recorded event counts as complete.
cuc_event_query(event) =
    ccall((:cuc_event_query, libcucore), cuc_status, (Ptr{cuc_event},), event)
# Record an event. It completes when all work that is now on the stream is complete.
cuc_event_record(stream, event) =
    ccall((:cuc_event_record, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_event}), stream, event)
# Add a node that records an event for work outside the graph. (An event recorded by cuc_event_record() on a captured stream marks a point inside the graph, for its other streams.)
cuc_event_record_external(stream, event) =
    ccall((:cuc_event_record_external, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_event}), stream, event)
# Release an event. Waits already enqueued for it stay in effect.
cuc_event_release(event) =
    ccall((:cuc_event_release, libcucore), Cvoid, (Ptr{cuc_event},), event)
# Add a reference to an event.
cuc_event_retain(event) =
    ccall((:cuc_event_retain, libcucore), Ptr{cuc_event}, (Ptr{cuc_event},), event)
# Wait until an event has completed. A never recorded event causes no wait.
cuc_event_synchronize(event) =
    ccall((:cuc_event_synchronize, libcucore), cuc_status, (Ptr{cuc_event},), event)
# Explain a library's error code. This needs no driver and no device.
cuc_explain(out, library, code) =
    ccall((:cuc_explain, libcucore), cuc_status, (Ptr{cuc_explanation}, Int32, Int32), out, library, code)
# The explanation at an index, in order of ascending code.
cuc_explain_at(out, library, index) =
    ccall((:cuc_explain_at, libcucore), cuc_status, (Ptr{cuc_explanation}, Int32, Csize_t), out, library, index)
# The number of codes of a library that cuc_explain_at() can enumerate.
cuc_explain_count(library) =
    ccall((:cuc_explain_count, libcucore), Csize_t, (Int32,), library)
# Explain a code given as a string, by name or number: "700", "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal_address", "NVRTC_ERROR_COMPILATION", "CUC_ERROR_BUSY".
cuc_explain_text(out, text) =
    ccall((:cuc_explain_text, libcucore), cuc_status, (Ptr{cuc_explanation}, Cstring), out, text)
# Pack compiled code for several architectures into a fat binary. This needs nvFatbin, but no driver.
cuc_fatbin_create(out, parts, count, options) =
    ccall((:cuc_fatbin_create, libcucore), cuc_status, (Ptr{Ptr{cuc_object}}, Ptr{cuc_fatbin_part}, Csize_t, Ptr{cuc_fatbin_options}), out, parts, count, options)
# Set options to their defaults.
cuc_fatbin_options_init(options, caller_size) =
    ccall((:cuc_fatbin_options_init, libcucore), Cvoid, (Ptr{cuc_fatbin_options}, Csize_t), options, caller_size)
# Fill device memory with a pattern, in stream order.
cuc_fill(stream, ptr, pattern, pattern_bytes, count) =
    ccall((:cuc_fill, libcucore), cuc_status, (Ptr{cuc_stream}, cuc_device_ptr, UInt32, UInt32, Csize_t), stream, ptr, pattern, pattern_bytes, count)
# Fill a rectangle of a device's memory with a pattern, in stream order.
cuc_fill_2d(stream, params) =
    ccall((:cuc_fill_2d, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_fill_2d_params}), stream, params)
# Zero a cuc_fill_2d_params and write its size.
cuc_fill_2d_params_init(params, caller_size) =
    ccall((:cuc_fill_2d_params_init, libcucore), Cvoid, (Ptr{cuc_fill_2d_params}, Csize_t), params, caller_size)
# The number of names that cuc_find_header_dir() knows.
cuc_find_header_count() =
    ccall((:cuc_find_header_count, libcucore), Csize_t, ())
# Find the folder of a library's headers, as a compiler takes it after -I.
cuc_find_header_dir(out, name) =
    ccall((:cuc_find_header_dir, libcucore), cuc_status, (Ptr{Ptr{cuc_found}}, Cstring), out, name)
# A name that cuc_find_header_dir() knows.
cuc_find_header_name(index) =
    ccall((:cuc_find_header_name, libcucore), Cstring, (Csize_t,), index)
# Find a library.
cuc_find_library(out, name) =
    ccall((:cuc_find_library, libcucore), cuc_status, (Ptr{Ptr{cuc_found}}, Cstring), out, name)
# The number of libraries that cuc_find_library() knows.
cuc_find_library_count() =
    ccall((:cuc_find_library_count, libcucore), Csize_t, ())
# The name of a library that cuc_find_library() knows.
cuc_find_library_name(index) =
    ccall((:cuc_find_library_name, libcucore), Cstring, (Csize_t,), index)
# The method by which the library or folder was found, one of those in the table above.
cuc_found_method(found) =
    ccall((:cuc_found_method, libcucore), Cstring, (Ptr{cuc_found},), found)
# The path of the library file, or of the folder of headers.
cuc_found_path(found) =
    ccall((:cuc_found_path, libcucore), Cstring, (Ptr{cuc_found},), found)
# Release a reference to a search result; the last one frees it.
cuc_found_release(found) =
    ccall((:cuc_found_release, libcucore), Cvoid, (Ptr{cuc_found},), found)
# Add a reference to a search result.
cuc_found_retain(found) =
    ccall((:cuc_found_retain, libcucore), Ptr{cuc_found}, (Ptr{cuc_found},), found)
# A location that was tried first, as one line: the method, the location, and the reason for rejecting it.
cuc_found_tried_at(found, index) =
    ccall((:cuc_found_tried_at, libcucore), Cstring, (Ptr{cuc_found}, Csize_t), found, index)
# The number of locations that were tried first.
cuc_found_tried_count(found) =
    ccall((:cuc_found_tried_count, libcucore), Csize_t, (Ptr{cuc_found},), found)
# Compute a product, in stream order: d = activation(alpha a b + beta c + bias) + residual.
cuc_gemm(stream, plan, alpha, beta, args) =
    ccall((:cuc_gemm, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_gemm_plan}, Cdouble, Cdouble, Ptr{cuc_gemm_args}), stream, plan, alpha, beta, args)
# Set arguments to their defaults.
cuc_gemm_args_init(args, caller_size) =
    ccall((:cuc_gemm_args_init, libcucore), Cvoid, (Ptr{cuc_gemm_args}, Csize_t), args, caller_size)
# Compute many products of the same shape, in stream order, each like cuc_gemm().
cuc_gemm_batched(stream, plan, alpha, beta, args) =
    ccall((:cuc_gemm_batched, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_gemm_plan}, Cdouble, Cdouble, Ptr{cuc_gemm_args}), stream, plan, alpha, beta, args)
# Compute many products in stream order. All matrices b have the same shape; each product covers a range of rows of a and d.
cuc_gemm_grouped(stream, plan, alpha, beta, args) =
    ccall((:cuc_gemm_grouped, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_gemm_plan}, Cdouble, Cdouble, Ptr{cuc_gemm_args}), stream, plan, alpha, beta, args)
# Set every option to its default.
cuc_gemm_options_init(options, caller_size) =
    ccall((:cuc_gemm_options_init, libcucore), Cvoid, (Ptr{cuc_gemm_options}, Csize_t), options, caller_size)
# Apply a choice to options. Choices have the form used by tuning records and cuc_gemm_visit_candidates().
cuc_gemm_options_set_choice(options, choice) =
    ccall((:cuc_gemm_options_set_choice, libcucore), cuc_status, (Ptr{cuc_gemm_options}, Cstring), options, choice)
# Create a plan: write the tile program, choose its tiles, and compile it to PTX.
cuc_gemm_plan_create(out, device, options) =
    ccall((:cuc_gemm_plan_create, libcucore), cuc_status, (Ptr{Ptr{cuc_gemm_plan}}, Ptr{cuc_device}, Ptr{cuc_gemm_options}), out, device, options)
# The choice made for a plan.
cuc_gemm_plan_get_choice(out, plan) =
    ccall((:cuc_gemm_plan_get_choice, libcucore), cuc_status, (Ptr{cuc_gemm_choice}, Ptr{cuc_gemm_plan}), out, plan)
# A plan's choice as a record, for code that has measured it and stores it with cuc_tuned_add().
cuc_gemm_plan_get_record(out, plan) =
    ccall((:cuc_gemm_plan_get_record, libcucore), cuc_status, (Ptr{cuc_tuned_record}, Ptr{cuc_gemm_plan}), out, plan)
# Release a reference; the last one frees the plan. Work already enqueued completes.
cuc_gemm_plan_release(plan) =
    ccall((:cuc_gemm_plan_release, libcucore), Cvoid, (Ptr{cuc_gemm_plan},), plan)
# Add a reference to a plan.
cuc_gemm_plan_retain(plan) =
    ccall((:cuc_gemm_plan_retain, libcucore), Ptr{cuc_gemm_plan}, (Ptr{cuc_gemm_plan},), plan)
# The tile program of a plan, to read or to start from.
cuc_gemm_plan_source(plan, index) =
    ccall((:cuc_gemm_plan_source, libcucore), Cstring, (Ptr{cuc_gemm_plan}, Csize_t), plan, index)
# The size of the workspace that a product needs; for CUC_GEMM_BATCHED, each product of the batch.
cuc_gemm_plan_workspace_bytes(plan, m, n, k) =
    ccall((:cuc_gemm_plan_workspace_bytes, libcucore), UInt64, (Ptr{cuc_gemm_plan}, Int64, Int64, Int64), plan, m, n, k)
# Enumerate the candidates of a plan for a shape, with the cost model's estimate of each.
cuc_gemm_visit_candidates(device, options, visit, user) =
    ccall((:cuc_gemm_visit_candidates, libcucore), cuc_status, (Ptr{cuc_device}, Ptr{cuc_gemm_options}, Ptr{Cvoid}, Ptr{Cvoid}), device, options, visit, user)
# Add edges. Node `to[i]` will begin when `from[i]` has ended. The call adds either all edges or none.
cuc_graph_add_edges(graph, from, to, count) =
    ccall((:cuc_graph_add_edges, libcucore), cuc_status, (Ptr{cuc_graph}, Ptr{Ptr{cuc_node}}, Ptr{Ptr{cuc_node}}, Csize_t), graph, from, to, count)
# Add an empty node with dependencies: a point where branches join.
cuc_graph_add_empty(out, graph, after, count) =
    ccall((:cuc_graph_add_empty, libcucore), cuc_status, (Ptr{Ptr{cuc_node}}, Ptr{cuc_graph}, Ptr{Ptr{cuc_node}}, Csize_t), out, graph, after, count)
# Create a condition for a node of a graph. Exactly one node must use it before the graph is instantiated.
cuc_graph_condition_create(out, graph, default_value, flags) =
    ccall((:cuc_graph_condition_create, libcucore), cuc_status, (Ptr{cuc_condition}, Ptr{cuc_graph}, UInt32, UInt32), out, graph, default_value, flags)
# Create a graph without nodes.
cuc_graph_create(out, device) =
    ccall((:cuc_graph_create, libcucore), cuc_status, (Ptr{Ptr{cuc_graph}}, Ptr{cuc_device}), out, device)
# The flags that an instance was created with.
cuc_graph_exec_flags(exec) =
    ccall((:cuc_graph_exec_flags, libcucore), UInt32, (Ptr{cuc_graph_exec},), exec)
# Check whether launches of an instance run a node.
cuc_graph_exec_get_enabled(out, exec, node) =
    ccall((:cuc_graph_exec_get_enabled, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_graph_exec}, Ptr{cuc_node}), out, exec, node)
# The driver's handle of an instance, which is also its cudaGraphExec_t.
cuc_graph_exec_handle(exec) =
    ccall((:cuc_graph_exec_handle, libcucore), Ptr{Cvoid}, (Ptr{cuc_graph_exec},), exec)
# Launch an instance. All captured work runs, in stream order.
cuc_graph_exec_launch(stream, exec) =
    ccall((:cuc_graph_exec_launch, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_graph_exec}), stream, exec)
# Zero options and write their size.
cuc_graph_exec_options_init(options, caller_size) =
    ccall((:cuc_graph_exec_options_init, libcucore), Cvoid, (Ptr{cuc_graph_exec_options}, Csize_t), options, caller_size)
# Release an instance. Launches in progress complete.
cuc_graph_exec_release(exec) =
    ccall((:cuc_graph_exec_release, libcucore), Cvoid, (Ptr{cuc_graph_exec},), exec)
# Add a reference to an instance.
cuc_graph_exec_retain(exec) =
    ccall((:cuc_graph_exec_retain, libcucore), Ptr{cuc_graph_exec}, (Ptr{cuc_graph_exec},), exec)
# Disable a node for the launches of an instance, or enable it again. Nodes that depend on a disabled node still wait for its dependencies. Updating the instance does not change the setting.
cuc_graph_exec_set_enabled(exec, node, enabled) =
    ccall((:cuc_graph_exec_set_enabled, libcucore), cuc_status, (Ptr{cuc_graph_exec}, Ptr{cuc_node}, Int32), exec, node, enabled)
# Update an instance to another graph that has the same nodes and edges but other parameters, such as a new capture of the same code. This is much cheaper than creating an instance.
cuc_graph_exec_update(exec, graph) =
    ccall((:cuc_graph_exec_update, libcucore), cuc_status, (Ptr{cuc_graph_exec}, Ptr{cuc_graph}), exec, graph)
# Upload an instance to the device, so that its first launch is as fast as the others.
cuc_graph_exec_upload(stream, exec) =
    ccall((:cuc_graph_exec_upload, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_graph_exec}), stream, exec)
# Draw a graph in Graphviz's DOT language.
cuc_graph_get_dot(text, bytes, graph, flags) =
    ccall((:cuc_graph_get_dot, libcucore), cuc_status, (Ptr{Ptr{UInt8}}, Ptr{Csize_t}, Ptr{cuc_graph}, UInt32), text, bytes, graph, flags)
# The number of edges of a graph. An edge is a pair of nodes: the second one begins when the first one has ended.
cuc_graph_get_edge_count(out, graph) =
    ccall((:cuc_graph_get_edge_count, libcucore), cuc_status, (Ptr{Csize_t}, Ptr{cuc_graph}), out, graph)
# The edges of a graph. Node `to[i]` begins when `from[i]` has ended.
cuc_graph_get_edges(from, to, capacity, graph) =
    ccall((:cuc_graph_get_edges, libcucore), cuc_status, (Ptr{Ptr{cuc_node}}, Ptr{Ptr{cuc_node}}, Csize_t, Ptr{cuc_graph}), from, to, capacity, graph)
# The number of nodes of a graph. An embedded graph counts as one node.
cuc_graph_get_node_count(out, graph) =
    ccall((:cuc_graph_get_node_count, libcucore), cuc_status, (Ptr{Csize_t}, Ptr{cuc_graph}), out, graph)
# The types of a graph's nodes, in the driver's order. Other calls number nodes in this order.
cuc_graph_get_node_types(types, capacity, graph) =
    ccall((:cuc_graph_get_node_types, libcucore), cuc_status, (Ptr{Int32}, Csize_t, Ptr{cuc_graph}), types, capacity, graph)
# The nodes of a graph, in the driver's order, the same as in cuc_graph_get_node_types().
cuc_graph_get_nodes(nodes, capacity, graph) =
    ccall((:cuc_graph_get_nodes, libcucore), cuc_status, (Ptr{Ptr{cuc_node}}, Csize_t, Ptr{cuc_graph}), nodes, capacity, graph)
# The driver's handle of a graph, which is also its cudaGraph_t.
cuc_graph_handle(graph) =
    ccall((:cuc_graph_handle, libcucore), Ptr{Cvoid}, (Ptr{cuc_graph},), graph)
# Create an instance of a graph. This costs many times as much as a launch.
cuc_graph_instantiate(out, graph, options) =
    ccall((:cuc_graph_instantiate, libcucore), cuc_status, (Ptr{Ptr{cuc_graph_exec}}, Ptr{cuc_graph}, Ptr{cuc_graph_exec_options}), out, graph, options)
# Make a graph hold a user object. cucore drops the object once the graph, its instances and all their launches are gone.
cuc_graph_keep(graph, owner, drop_owner) =
    ccall((:cuc_graph_keep, libcucore), cuc_status, (Ptr{cuc_graph}, Ptr{Cvoid}, Ptr{Cvoid}), graph, owner, drop_owner)
# Make a graph hold a buffer, like cuc_graph_keep(). This is for nodes that use a buffer created before the capture.
cuc_graph_keep_buffer(graph, buffer) =
    ccall((:cuc_graph_keep_buffer, libcucore), cuc_status, (Ptr{cuc_graph}, Ptr{cuc_buffer}), graph, buffer)
# Release a graph. Its instances live on.
cuc_graph_release(graph) =
    ccall((:cuc_graph_release, libcucore), Cvoid, (Ptr{cuc_graph},), graph)
# Remove edges. The call removes either all edges or none.
cuc_graph_remove_edges(graph, from, to, count) =
    ccall((:cuc_graph_remove_edges, libcucore), cuc_status, (Ptr{cuc_graph}, Ptr{Ptr{cuc_node}}, Ptr{Ptr{cuc_node}}, Csize_t), graph, from, to, count)
# Add a reference to a graph.
cuc_graph_retain(graph) =
    ccall((:cuc_graph_retain, libcucore), Ptr{cuc_graph}, (Ptr{cuc_graph},), graph)
# Draw a graph into a file, for `dot -Tsvg`.
cuc_graph_write_dot(graph, path, flags) =
    ccall((:cuc_graph_write_dot, libcucore), cuc_status, (Ptr{cuc_graph}, Cstring, UInt32), graph, path, flags)
# Create a green context.
cuc_green_context_create(out, device, sms, count) =
    ccall((:cuc_green_context_create, libcucore), cuc_status, (Ptr{Ptr{cuc_green_context}}, Ptr{cuc_device}, Ptr{cuc_sms}, Csize_t), out, device, sms, count)
# The device of a green context.
cuc_green_context_device(context) =
    ccall((:cuc_green_context_device, libcucore), Ptr{cuc_device}, (Ptr{cuc_green_context},), context)
# The multiprocessors of a green context, which can be split again.
cuc_green_context_get_sms(out, context) =
    ccall((:cuc_green_context_get_sms, libcucore), cuc_status, (Ptr{cuc_sms}, Ptr{cuc_green_context}), out, context)
# The driver's handle of a green context.
cuc_green_context_handle(context) =
    ccall((:cuc_green_context_handle, libcucore), Ptr{Cvoid}, (Ptr{cuc_green_context},), context)
# Release a green context. Its streams retain it.
cuc_green_context_release(context) =
    ccall((:cuc_green_context_release, libcucore), Cvoid, (Ptr{cuc_green_context},), context)
# Add a reference to a green context.
cuc_green_context_retain(context) =
    ccall((:cuc_green_context_retain, libcucore), Ptr{cuc_green_context}, (Ptr{cuc_green_context},), context)
# Create a stream whose kernels run on the multiprocessors of a green context.
cuc_green_context_stream_create(out, context, options) =
    ccall((:cuc_green_context_stream_create, libcucore), cuc_status, (Ptr{Ptr{cuc_stream}}, Ptr{cuc_green_context}, Ptr{cuc_stream_options}), out, context, options)
# Count the elements of each bin, in stream order. The bins have equal widths and divide the range from low up to, but not including, high; other elements and NaN are not counted.
cuc_histogram(stream, low, high, x, counts) =
    ccall((:cuc_histogram, libcucore), cuc_status, (Ptr{cuc_stream}, Cdouble, Cdouble, Ptr{cuc_tensor}, Ptr{cuc_tensor}), stream, low, high, x, counts)
# Convert a host address to the form that copies take: `(cuc_device_ptr)(uintptr_t)host`.
cuc_host_address(host) =
    ccall((:cuc_host_address, libcucore), cuc_device_ptr, (Ptr{Cvoid},), host)
# The address that kernels use for page-locked host memory.
cuc_host_get_device_pointer(out, device, host) =
    ccall((:cuc_host_get_device_pointer, libcucore), cuc_status, (Ptr{cuc_device_ptr}, Ptr{cuc_device}, Ptr{Cvoid}), out, device, host)
# Page-lock existing host memory, so that copies run at full speed and in stream order and kernels can access it.
cuc_host_register(device, host, bytes, flags) =
    ccall((:cuc_host_register, libcucore), cuc_status, (Ptr{cuc_device}, Ptr{Cvoid}, Csize_t, UInt32), device, host, bytes, flags)
# Undo cuc_host_register().
cuc_host_unregister(device, host) =
    ccall((:cuc_host_unregister, libcucore), cuc_status, (Ptr{cuc_device}, Ptr{Cvoid}), device, host)
# The attribute with a given name.
cuc_kernel_attribute_from_name(name) =
    ccall((:cuc_kernel_attribute_from_name, libcucore), Int32, (Cstring,), name)
# The name of an attribute, such as "num_regs".
cuc_kernel_attribute_name(attribute) =
    ccall((:cuc_kernel_attribute_name, libcucore), Cstring, (Int32,), attribute)
# Wrap a CUkernel that was loaded elsewhere. The kernel is borrowed: cucore never unloads it.
cuc_kernel_from_handle(out, handle, object) =
    ccall((:cuc_kernel_from_handle, libcucore), cuc_status, (Ptr{Ptr{cuc_kernel}}, Ptr{Cvoid}, Ptr{cuc_object}), out, handle, object)
# Compile a source text and look up one of its kernels, in one call.
cuc_kernel_from_source(out, source_kind, text, bytes, name, options) =
    ccall((:cuc_kernel_from_source, libcucore), cuc_status, (Ptr{Ptr{cuc_kernel}}, Int32, Cstring, Csize_t, Cstring, Ptr{cuc_program_options}), out, source_kind, text, bytes, name, options)
# Find a kernel that nvcc compiled into the program, by its host symbol.
cuc_kernel_from_symbol(out, symbol) =
    ccall((:cuc_kernel_from_symbol, libcucore), cuc_status, (Ptr{Ptr{cuc_kernel}}, Ptr{Cvoid}), out, symbol)
# Read an attribute of a kernel on one device.
cuc_kernel_get_attribute(out, kernel, device, attribute) =
    ccall((:cuc_kernel_get_attribute, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_kernel}, Ptr{cuc_device}, Int32), out, kernel, device, attribute)
# The driver's CUfunction of a kernel on one device, for calls that do not take a CUkernel.
cuc_kernel_get_function(out, kernel, device) =
    ccall((:cuc_kernel_get_function, libcucore), cuc_status, (Ptr{Ptr{Cvoid}}, Ptr{cuc_kernel}, Ptr{cuc_device}), out, kernel, device)
# One parameter of a kernel.
cuc_kernel_get_parameter(out, kernel, index) =
    ccall((:cuc_kernel_get_parameter, libcucore), cuc_status, (Ptr{cuc_kernel_parameter}, Ptr{cuc_kernel}, Csize_t), out, kernel, index)
# The number of parameters of a kernel.
cuc_kernel_get_parameter_count(out, kernel) =
    ccall((:cuc_kernel_get_parameter_count, libcucore), cuc_status, (Ptr{Csize_t}, Ptr{cuc_kernel}), out, kernel)
# The driver's CUkernel.
cuc_kernel_handle(kernel) =
    ccall((:cuc_kernel_handle, libcucore), Ptr{Cvoid}, (Ptr{cuc_kernel},), kernel)
# The name under which a kernel was requested: its symbol, or a name expression.
cuc_kernel_name(kernel) =
    ccall((:cuc_kernel_name, libcucore), Cstring, (Ptr{cuc_kernel},), kernel)
# The object that a kernel belongs to.
cuc_kernel_object(kernel) =
    ccall((:cuc_kernel_object, libcucore), Ptr{cuc_object}, (Ptr{cuc_kernel},), kernel)
# Release a reference to a kernel; the last one releases its object.
cuc_kernel_release(kernel) =
    ccall((:cuc_kernel_release, libcucore), Cvoid, (Ptr{cuc_kernel},), kernel)
# Add a reference to a kernel.
cuc_kernel_retain(kernel) =
    ccall((:cuc_kernel_retain, libcucore), Ptr{cuc_kernel}, (Ptr{cuc_kernel},), kernel)
# Set an attribute of a kernel on one device, for every handle of the kernel and every context of the device.
cuc_kernel_set_attribute(kernel, device, attribute, value) =
    ccall((:cuc_kernel_set_attribute, libcucore), cuc_status, (Ptr{cuc_kernel}, Ptr{cuc_device}, Int32, Int32), kernel, device, attribute, value)
# Set a kernel's preference between shared memory and L1 cache on one device. This is a hint.
cuc_kernel_set_cache_config(kernel, device, config) =
    ccall((:cuc_kernel_set_cache_config, libcucore), cuc_status, (Ptr{cuc_kernel}, Ptr{cuc_device}, Int32), kernel, device, config)
# The symbol of a kernel in its object code; mangled for C++.
cuc_kernel_symbol(kernel) =
    ccall((:cuc_kernel_symbol, libcucore), Cstring, (Ptr{cuc_kernel},), kernel)
# Launch a kernel in stream order.
cuc_launch(stream, config, kernel, args, count) =
    ccall((:cuc_launch, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_launch_config}, Ptr{cuc_kernel}, Ptr{cuc_arg}, Csize_t), stream, config, kernel, args, count)
# Choose a grid and a block with one thread for each of n elements.
cuc_launch_config_for(config, kernel, device, n) =
    ccall((:cuc_launch_config_for, libcucore), cuc_status, (Ptr{cuc_launch_config}, Ptr{cuc_kernel}, Ptr{cuc_device}, UInt64), config, kernel, device, n)
# Zero a config and write its size.
cuc_launch_config_init(config, caller_size) =
    ccall((:cuc_launch_config_init, libcucore), Cvoid, (Ptr{cuc_launch_config}, Csize_t), config, caller_size)
# Call a function on the host when the stream reaches it.
cuc_launch_host(stream, fn, user) =
    ccall((:cuc_launch_host, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{Cvoid}, Ptr{Cvoid}), stream, fn, user)
# Check whether every launch waits for completion, so that a failure names its kernel.
cuc_launch_is_blocking() =
    ccall((:cuc_launch_is_blocking, libcucore), Int32, ())
# The number of families in the kernel library.
cuc_library_count() =
    ccall((:cuc_library_count, libcucore), Csize_t, ())
# Look up a family's tile program, to read, to change or to pass to cuc_program_create().
cuc_library_get_source(source, name) =
    ccall((:cuc_library_get_source, libcucore), cuc_status, (Ptr{Ptr{UInt8}}, Cstring), source, name)
# The name of a family, in alphabetical order.
cuc_library_name(index) =
    ccall((:cuc_library_name, libcucore), Cstring, (Csize_t,), index)
# Add an object. The result of the link also knows the name expressions of this object.
cuc_linker_add(linker, object) =
    ccall((:cuc_linker_add, libcucore), cuc_status, (Ptr{cuc_linker}, Ptr{cuc_object}), linker, object)
# Add code from memory.
cuc_linker_add_data(linker, kind, data, bytes, name) =
    ccall((:cuc_linker_add_data, libcucore), cuc_status, (Ptr{cuc_linker}, Int32, Ptr{Cvoid}, Csize_t, Cstring), linker, kind, data, bytes, name)
# Add a file of code. It is read during this call, so later changes do not affect a link.
cuc_linker_add_file(linker, kind, path) =
    ccall((:cuc_linker_add_file, libcucore), cuc_status, (Ptr{cuc_linker}, Int32, Cstring), linker, kind, path)
# The name of the linker's implementation.
cuc_linker_backend(linker) =
    ccall((:cuc_linker_backend, libcucore), Cstring, (Ptr{cuc_linker},), linker)
# Create a linker without inputs, and choose its implementation.
cuc_linker_create(out, options) =
    ccall((:cuc_linker_create, libcucore), cuc_status, (Ptr{Ptr{cuc_linker}}, Ptr{cuc_linker_options}), out, options)
# The errors of the last link.
cuc_linker_error_log(linker) =
    ccall((:cuc_linker_error_log, libcucore), Cstring, (Ptr{cuc_linker},), linker)
# One of the flags counted by cuc_linker_flag_count(), exactly as nvJitLink receives it.
cuc_linker_flag(linker, index) =
    ccall((:cuc_linker_flag, libcucore), Cstring, (Ptr{cuc_linker}, Csize_t), linker, index)
# The number of flags passed to nvJitLink.
cuc_linker_flag_count(linker) =
    ccall((:cuc_linker_flag_count, libcucore), Csize_t, (Ptr{cuc_linker},), linker)
# The times, register counts and warnings that the last link reported; no errors.
cuc_linker_info_log(linker) =
    ccall((:cuc_linker_info_log, libcucore), Cstring, (Ptr{cuc_linker},), linker)
# Link all inputs.
cuc_linker_link(out, linker, target) =
    ccall((:cuc_linker_link, libcucore), cuc_status, (Ptr{Ptr{cuc_object}}, Ptr{cuc_linker}, Int32), out, linker, target)
# Set every option to its default.
cuc_linker_options_init(options, caller_size) =
    ccall((:cuc_linker_options_init, libcucore), Cvoid, (Ptr{cuc_linker_options}, Csize_t), options, caller_size)
# Release a reference; the last one frees the linker and its inputs. Objects that the linker made stay valid.
cuc_linker_release(linker) =
    ccall((:cuc_linker_release, libcucore), Cvoid, (Ptr{cuc_linker},), linker)
# Add a reference to a linker.
cuc_linker_retain(linker) =
    ccall((:cuc_linker_retain, libcucore), Ptr{cuc_linker}, (Ptr{cuc_linker},), linker)
# Advise the driver how a range of managed memory will be used. The advice takes effect at once.
cuc_memory_advise(ptr, bytes, advice, location) =
    ccall((:cuc_memory_advise, libcucore), cuc_status, (cuc_device_ptr, Csize_t, Int32, Ptr{cuc_memory_location}), ptr, bytes, advice, location)
# Allocate a bare address from a resource.
cuc_memory_allocate(out, stream, resource, bytes) =
    ccall((:cuc_memory_allocate, libcucore), cuc_status, (Ptr{cuc_device_ptr}, Ptr{cuc_stream}, Ptr{cuc_memory_resource}, Csize_t), out, stream, resource, bytes)
# Zero a cuc_memory_batch and write its size.
cuc_memory_batch_init(batch, caller_size) =
    ccall((:cuc_memory_batch_init, libcucore), Cvoid, (Ptr{cuc_memory_batch}, Csize_t), batch, caller_size)
# Zero a cuc_memory_callbacks and write its size.
cuc_memory_callbacks_init(callbacks, caller_size) =
    ccall((:cuc_memory_callbacks_init, libcucore), Cvoid, (Ptr{cuc_memory_callbacks}, Csize_t), callbacks, caller_size)
# Tell the driver that the contents of managed memory are no longer needed, in stream order.
cuc_memory_discard(stream, ptr, bytes) =
    ccall((:cuc_memory_discard, libcucore), cuc_status, (Ptr{cuc_stream}, cuc_device_ptr, Csize_t), stream, ptr, bytes)
# Discard several ranges of managed memory and prefetch each to its location, without moving their contents.
cuc_memory_discard_and_prefetch_batch(stream, batch) =
    ccall((:cuc_memory_discard_and_prefetch_batch, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_memory_batch}), stream, batch)
# Discard several ranges of managed memory, each like cuc_memory_discard().
cuc_memory_discard_batch(stream, batch) =
    ccall((:cuc_memory_discard_batch, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_memory_batch}), stream, batch)
# Free memory from cuc_memory_allocate().
cuc_memory_free(stream, resource, ptr, bytes) =
    ccall((:cuc_memory_free, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_memory_resource}, cuc_device_ptr, Csize_t), stream, resource, ptr, bytes)
# The devices for which a range of managed memory stays mapped.
cuc_memory_get_accessed_by(count, devices, capacity, ptr, bytes) =
    ccall((:cuc_memory_get_accessed_by, libcucore), cuc_status, (Ptr{Csize_t}, Ptr{Int32}, Csize_t, cuc_device_ptr, Csize_t), count, devices, capacity, ptr, bytes)
# The size of the pieces that a virtual-memory resource allocates.
cuc_memory_get_granularity(out, resource) =
    ccall((:cuc_memory_get_granularity, libcucore), cuc_status, (Ptr{Csize_t}, Ptr{cuc_memory_resource}), out, resource)
# The location to which a range of managed memory was last prefetched. The memory may have moved since.
cuc_memory_get_last_prefetch(out, ptr, bytes) =
    ccall((:cuc_memory_get_last_prefetch, libcucore), cuc_status, (Ptr{cuc_memory_location}, cuc_device_ptr, Csize_t), out, ptr, bytes)
# Query the driver about an address of any allocator, including the CUDA runtime's.
cuc_memory_get_pointer_info(out, ptr) =
    ccall((:cuc_memory_get_pointer_info, libcucore), cuc_status, (Ptr{cuc_pointer_info}, cuc_device_ptr), out, ptr)
# The preferred location of a range of managed memory.
cuc_memory_get_preferred_location(out, ptr, bytes) =
    ccall((:cuc_memory_get_preferred_location, libcucore), cuc_status, (Ptr{cuc_memory_location}, cuc_device_ptr, Csize_t), out, ptr, bytes)
# Check whether all of a range of managed memory is advised as read-mostly.
cuc_memory_get_read_mostly(out, ptr, bytes) =
    ccall((:cuc_memory_get_read_mostly, libcucore), cuc_status, (Ptr{Int32}, cuc_device_ptr, Csize_t), out, ptr, bytes)
# The name of a kind of memory, such as "pinned".
cuc_memory_kind_name(kind) =
    ccall((:cuc_memory_kind_name, libcucore), Cstring, (Int32,), kind)
# Create a memory pool.
cuc_memory_pool_create(out, device, options) =
    ccall((:cuc_memory_pool_create, libcucore), cuc_status, (Ptr{Ptr{cuc_memory_resource}}, Ptr{cuc_device}, Ptr{cuc_memory_pool_options}), out, device, options)
# Export a pool as a file descriptor, with which another process imports the pool.
cuc_memory_pool_export(out, pool) =
    ccall((:cuc_memory_pool_export, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_memory_resource}), out, pool)
# Import another process's pool. The pool cannot allocate; pass it to cuc_buffer_from_ipc_handle().
cuc_memory_pool_from_fd(out, device, fd) =
    ccall((:cuc_memory_pool_from_fd, libcucore), cuc_status, (Ptr{Ptr{cuc_memory_resource}}, Ptr{cuc_device}, Int32), out, device, fd)
# Wrap a pool that was created with the driver or the runtime.
cuc_memory_pool_from_handle(out, device, kind, pool, owner, drop_owner) =
    ccall((:cuc_memory_pool_from_handle, libcucore), cuc_status, (Ptr{Ptr{cuc_memory_resource}}, Ptr{cuc_device}, Int32, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), out, device, kind, pool, owner, drop_owner)
# Read a device's access to the memory of a pool.
cuc_memory_pool_get_access(out, pool, peer) =
    ccall((:cuc_memory_pool_get_access, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_memory_resource}, Ptr{cuc_device}), out, pool, peer)
# Read an attribute of a pool.
cuc_memory_pool_get_attribute(out, pool, attribute) =
    ccall((:cuc_memory_pool_get_attribute, libcucore), cuc_status, (Ptr{UInt64}, Ptr{cuc_memory_resource}, Int32), out, pool, attribute)
# The device's current pool for a kind of memory, which cudaMallocAsync() and all other code in the process share.
cuc_memory_pool_get_current(out, device, kind) =
    ccall((:cuc_memory_pool_get_current, libcucore), cuc_status, (Ptr{Ptr{cuc_memory_resource}}, Ptr{cuc_device}, Int32), out, device, kind)
# The driver's default pool for a kind of memory, even when another pool is current.
cuc_memory_pool_get_default(out, device, kind) =
    ccall((:cuc_memory_pool_get_default, libcucore), cuc_status, (Ptr{Ptr{cuc_memory_resource}}, Ptr{cuc_device}, Int32), out, device, kind)
# Read the size of a pool. The four numbers are read one after the other, not as one snapshot.
cuc_memory_pool_get_statistics(out, pool) =
    ccall((:cuc_memory_pool_get_statistics, libcucore), cuc_status, (Ptr{cuc_memory_pool_statistics}, Ptr{cuc_memory_resource}), out, pool)
# The driver's handle of a pool.
cuc_memory_pool_handle(pool) =
    ccall((:cuc_memory_pool_handle, libcucore), Ptr{Cvoid}, (Ptr{cuc_memory_resource},), pool)
# Make a pool the current one of its kind. cuMemAllocAsync() and cudaMallocAsync() allocate from the current pool, and cuc_memory_pool_get_current() returns it.
cuc_memory_pool_make_current(pool) =
    ccall((:cuc_memory_pool_make_current, libcucore), cuc_status, (Ptr{cuc_memory_resource},), pool)
# Zero a cuc_memory_pool_options and write its size.
cuc_memory_pool_options_init(options, caller_size) =
    ccall((:cuc_memory_pool_options_init, libcucore), Cvoid, (Ptr{cuc_memory_pool_options}, Csize_t), options, caller_size)
# Reset both high-water marks of a pool to its current size.
cuc_memory_pool_reset_high_watermarks(pool) =
    ccall((:cuc_memory_pool_reset_high_watermarks, libcucore), cuc_status, (Ptr{cuc_memory_resource},), pool)
# Grant or revoke a device's access to the memory of a pool.
cuc_memory_pool_set_access(pool, peer, access) =
    ccall((:cuc_memory_pool_set_access, libcucore), cuc_status, (Ptr{cuc_memory_resource}, Ptr{cuc_device}, Int32), pool, peer, access)
# Set an attribute of a pool.
cuc_memory_pool_set_attribute(pool, attribute, value) =
    ccall((:cuc_memory_pool_set_attribute, libcucore), cuc_status, (Ptr{cuc_memory_resource}, Int32, UInt64), pool, attribute, value)
# Return a pool's unused memory to the system.
cuc_memory_pool_trim(pool, keep_bytes) =
    ccall((:cuc_memory_pool_trim, libcucore), cuc_status, (Ptr{cuc_memory_resource}, UInt64), pool, keep_bytes)
# Migrate managed memory to a location, in stream order.
cuc_memory_prefetch(stream, ptr, bytes, location) =
    ccall((:cuc_memory_prefetch, libcucore), cuc_status, (Ptr{cuc_stream}, cuc_device_ptr, Csize_t, Ptr{cuc_memory_location}), stream, ptr, bytes, location)
# Migrate several ranges of managed memory, each to its location, in stream order.
cuc_memory_prefetch_batch(stream, batch) =
    ccall((:cuc_memory_prefetch_batch, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_memory_batch}), stream, batch)
# The parties that can access a resource's memory.
cuc_memory_resource_access(resource) =
    ccall((:cuc_memory_resource_access, libcucore), UInt32, (Ptr{cuc_memory_resource},), resource)
# Create a resource from user-defined callbacks.
cuc_memory_resource_create(out, callbacks) =
    ccall((:cuc_memory_resource_create, libcucore), cuc_status, (Ptr{Ptr{cuc_memory_resource}}, Ptr{cuc_memory_callbacks}), out, callbacks)
# The device that owns the memory of a resource.
cuc_memory_resource_device(resource) =
    ccall((:cuc_memory_resource_device, libcucore), Ptr{cuc_device}, (Ptr{cuc_memory_resource},), resource)
# Check whether a resource is a driver pool, which the cuc_memory_pool_ functions accept.
cuc_memory_resource_is_pool(resource) =
    ccall((:cuc_memory_resource_is_pool, libcucore), Int32, (Ptr{cuc_memory_resource},), resource)
# The kind of memory that a resource allocates.
cuc_memory_resource_kind(resource) =
    ccall((:cuc_memory_resource_kind, libcucore), Int32, (Ptr{cuc_memory_resource},), resource)
# Release a resource; the last release destroys it.
cuc_memory_resource_release(resource) =
    ccall((:cuc_memory_resource_release, libcucore), Cvoid, (Ptr{cuc_memory_resource},), resource)
# Add a reference to a resource.
cuc_memory_resource_retain(resource) =
    ccall((:cuc_memory_resource_retain, libcucore), Ptr{cuc_memory_resource}, (Ptr{cuc_memory_resource},), resource)
# Create a resource that allocates directly from the driver, without a pool.
cuc_memory_synchronous_create(out, device, kind) =
    ccall((:cuc_memory_synchronous_create, libcucore), cuc_status, (Ptr{Ptr{cuc_memory_resource}}, Ptr{cuc_device}, Int32), out, device, kind)
# Create a resource whose buffers can grow.
cuc_memory_virtual_create(out, device, options) =
    ccall((:cuc_memory_virtual_create, libcucore), cuc_status, (Ptr{Ptr{cuc_memory_resource}}, Ptr{cuc_device}, Ptr{cuc_memory_virtual_options}), out, device, options)
# Zero options and write their size.
cuc_memory_virtual_options_init(options, caller_size) =
    ccall((:cuc_memory_virtual_options_init, libcucore), Cvoid, (Ptr{cuc_memory_virtual_options}, Csize_t), options, caller_size)
# Merge two sorted arrays, in stream order: in the natural order, with NaN last. Of equal elements, those of x come first.
cuc_merge(stream, x, y, z) =
    ccall((:cuc_merge, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_tensor}, Ptr{cuc_tensor}, Ptr{cuc_tensor}), stream, x, y, z)
# The graph that a node of type CUC_NODE_GRAPH runs: the driver's copy of the embedded graph. Until the graph that contains the node is instantiated, adding nodes to the copy changes what the node runs.
cuc_node_get_graph(out, graph, node) =
    ccall((:cuc_node_get_graph, libcucore), cuc_status, (Ptr{Ptr{cuc_graph}}, Ptr{cuc_graph}, Ptr{cuc_node}), out, graph, node)
# The launch of a node of type CUC_NODE_KERNEL.
cuc_node_get_launch(config, kernel, node) =
    ccall((:cuc_node_get_launch, libcucore), cuc_status, (Ptr{cuc_launch_config}, Ptr{Ptr{Cvoid}}, Ptr{cuc_node}), config, kernel, node)
# The type of a node.
cuc_node_get_type(out, node) =
    ccall((:cuc_node_get_type, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_node}), out, node)
# The name of a type of node, such as "kernel".
cuc_node_type_name(type_) =
    ccall((:cuc_node_type_name, libcucore), Cstring, (Int32,), type_)
# The version of nvFatbin, which packs code of several architectures.
cuc_nvfatbin_get_version(major, minor) =
    ccall((:cuc_nvfatbin_get_version, libcucore), cuc_status, (Ptr{Int32}, Ptr{Int32}), major, minor)
# The version of nvJitLink, the linker of device code.
cuc_nvjitlink_get_version(major, minor) =
    ccall((:cuc_nvjitlink_get_version, libcucore), cuc_status, (Ptr{Int32}, Ptr{Int32}), major, minor)
# The version of the kernel-mode NVIDIA driver, as NVML and nvidia-smi report it, such as "580.65.06".
cuc_nvml_get_driver_version(out, size) =
    ccall((:cuc_nvml_get_driver_version, libcucore), cuc_status, (Ptr{UInt8}, Csize_t), out, size)
# The compute capabilities for which NVRTC can compile, in ascending order.
cuc_nvrtc_get_archs(count, out, capacity) =
    ccall((:cuc_nvrtc_get_archs, libcucore), cuc_status, (Ptr{Csize_t}, Ptr{Int32}, Csize_t), count, out, capacity)
# The version of NVRTC, the compiler of CUDA C++.
cuc_nvrtc_get_version(major, minor) =
    ccall((:cuc_nvrtc_get_version, libcucore), cuc_status, (Ptr{Int32}, Ptr{Int32}), major, minor)
# Create an object from code in memory. This makes no driver call.
cuc_object_create(out, kind, data, bytes, options) =
    ccall((:cuc_object_create, libcucore), cuc_status, (Ptr{Ptr{cuc_object}}, Int32, Ptr{Cvoid}, Csize_t, Ptr{cuc_object_options}), out, kind, data, bytes, options)
# Create an object from a file. This makes no driver call.
cuc_object_from_file(out, path, kind, options) =
    ccall((:cuc_object_from_file, libcucore), cuc_status, (Ptr{Ptr{cuc_object}}, Cstring, Int32, Ptr{cuc_object_options}), out, path, kind, options)
# The code itself.
cuc_object_get_code(data, bytes, object) =
    ccall((:cuc_object_get_code, libcucore), cuc_status, (Ptr{Ptr{Cvoid}}, Ptr{Csize_t}, Ptr{cuc_object}), data, bytes, object)
# The address of a `__device__` or `__constant__` variable on one device.
cuc_object_get_global(out, bytes, object, device, name) =
    ccall((:cuc_object_get_global, libcucore), cuc_status, (Ptr{cuc_device_ptr}, Ptr{Csize_t}, Ptr{cuc_object}, Ptr{cuc_device}, Cstring), out, bytes, object, device, name)
# A kernel of the object, by its symbol or by a name expression that the object knows.
cuc_object_get_kernel(out, object, name) =
    ccall((:cuc_object_get_kernel, libcucore), cuc_status, (Ptr{Ptr{cuc_kernel}}, Ptr{cuc_object}, Cstring), out, object, name)
# The number of kernels in the code.
cuc_object_get_kernel_count(out, object) =
    ccall((:cuc_object_get_kernel_count, libcucore), cuc_status, (Ptr{Csize_t}, Ptr{cuc_object}), out, object)
# The symbol of one of the kernels, to pass to cuc_object_get_kernel().
cuc_object_get_kernel_name(out, object, index) =
    ccall((:cuc_object_get_kernel_name, libcucore), cuc_status, (Ptr{Ptr{UInt8}}, Ptr{cuc_object}, Csize_t), out, object, index)
# The driver's CUlibrary. The call loads the code if necessary.
cuc_object_get_library(out, object) =
    ccall((:cuc_object_get_library, libcucore), cuc_status, (Ptr{Ptr{Cvoid}}, Ptr{cuc_object}), out, object)
# The address of a `__managed__` variable, which is the same on the host and on every device.
cuc_object_get_managed(out, bytes, object, device, name) =
    ccall((:cuc_object_get_managed, libcucore), cuc_status, (Ptr{cuc_device_ptr}, Ptr{Csize_t}, Ptr{cuc_object}, Ptr{cuc_device}, Cstring), out, bytes, object, device, name)
# One name expression and its symbol.
cuc_object_get_mapping(out, object, index) =
    ccall((:cuc_object_get_mapping, libcucore), cuc_status, (Ptr{cuc_object_mapping}, Ptr{cuc_object}, Csize_t), out, object, index)
# The driver's CUmodule of the object on one device, for calls that do not take a library.
cuc_object_get_module(out, object, device) =
    ccall((:cuc_object_get_module, libcucore), cuc_status, (Ptr{Ptr{Cvoid}}, Ptr{cuc_object}, Ptr{cuc_device}), out, object, device)
# The PTX of the code: the object's own text if it is PTX, otherwise the PTX that accompanies it.
cuc_object_get_ptx(text, bytes, object) =
    ccall((:cuc_object_get_ptx, libcucore), cuc_status, (Ptr{Ptr{UInt8}}, Ptr{Csize_t}, Ptr{cuc_object}), text, bytes, object)
# The unified address of a device function, which is valid on every device.
cuc_object_get_unified_function(out, object, name) =
    ccall((:cuc_object_get_unified_function, libcucore), cuc_status, (Ptr{Ptr{Cvoid}}, Ptr{cuc_object}, Cstring), out, object, name)
# The kind of code in an object.
cuc_object_kind(object) =
    ccall((:cuc_object_kind, libcucore), Int32, (Ptr{cuc_object},), object)
# The log that the driver's compiler wrote while loading the object.
cuc_object_load_log(object) =
    ccall((:cuc_object_load_log, libcucore), Cstring, (Ptr{cuc_object},), object)
# The log of the compiler or linker that made the object, which may contain warnings.
cuc_object_log(object) =
    ccall((:cuc_object_log, libcucore), Cstring, (Ptr{cuc_object},), object)
# The number of name expressions whose symbols the object knows.
cuc_object_mapping_count(object) =
    ccall((:cuc_object_mapping_count, libcucore), Csize_t, (Ptr{cuc_object},), object)
# The name of an object in messages.
cuc_object_name(object) =
    ccall((:cuc_object_name, libcucore), Cstring, (Ptr{cuc_object},), object)
# Set options to their defaults.
cuc_object_options_init(options, caller_size) =
    ccall((:cuc_object_options_init, libcucore), Cvoid, (Ptr{cuc_object_options}, Csize_t), options, caller_size)
# Release a reference to an object; the last one unloads the library.
cuc_object_release(object) =
    ccall((:cuc_object_release, libcucore), Cvoid, (Ptr{cuc_object},), object)
# Add a reference to an object.
cuc_object_retain(object) =
    ccall((:cuc_object_retain, libcucore), Ptr{cuc_object}, (Ptr{cuc_object},), object)
# Write the code to a file, completely or not at all.
cuc_object_save(object, path) =
    ccall((:cuc_object_save, libcucore), cuc_status, (Ptr{cuc_object}, Cstring), object, path)
# The dynamic shared memory available to each block when `blocks` blocks run on one multiprocessor.
cuc_occupancy_available_dynamic_shared(out, kernel, device, blocks, block_threads) =
    ccall((:cuc_occupancy_available_dynamic_shared, libcucore), cuc_status, (Ptr{Csize_t}, Ptr{cuc_kernel}, Ptr{cuc_device}, UInt32, UInt32), out, kernel, device, blocks, block_threads)
# The number of blocks of a kernel that one multiprocessor can run concurrently.
cuc_occupancy_max_active_blocks(out, kernel, device, block_threads, shared_bytes, flags) =
    ccall((:cuc_occupancy_max_active_blocks, libcucore), cuc_status, (Ptr{UInt32}, Ptr{cuc_kernel}, Ptr{cuc_device}, UInt32, UInt32, UInt32), out, kernel, device, block_threads, shared_bytes, flags)
# The number of clusters of a launch that the device runs concurrently.
cuc_occupancy_max_active_clusters(out, kernel, device, config) =
    ccall((:cuc_occupancy_max_active_clusters, libcucore), cuc_status, (Ptr{UInt32}, Ptr{cuc_kernel}, Ptr{cuc_device}, Ptr{cuc_launch_config}), out, kernel, device, config)
# The block size with the highest occupancy of a kernel on a device.
cuc_occupancy_max_potential_block_size(grid, block, kernel, device, options) =
    ccall((:cuc_occupancy_max_potential_block_size, libcucore), cuc_status, (Ptr{UInt32}, Ptr{UInt32}, Ptr{cuc_kernel}, Ptr{cuc_device}, Ptr{cuc_occupancy_options}), grid, block, kernel, device, options)
# The largest cluster that a launch with a config can have.
cuc_occupancy_max_potential_cluster_size(out, kernel, device, config) =
    ccall((:cuc_occupancy_max_potential_cluster_size, libcucore), cuc_status, (Ptr{UInt32}, Ptr{cuc_kernel}, Ptr{cuc_device}, Ptr{cuc_launch_config}), out, kernel, device, config)
# Set options to their defaults.
cuc_occupancy_options_init(options, caller_size) =
    ccall((:cuc_occupancy_options_init, libcucore), Cvoid, (Ptr{cuc_occupancy_options}, Csize_t), options, caller_size)
# The name of a parameter type, such as "float".
cuc_parameter_type_name(type_) =
    ccall((:cuc_parameter_type_name, libcucore), Cstring, (Int32,), type_)
# The compiler used by the last compilation or, before the first, by the next one.
cuc_program_backend(program) =
    ccall((:cuc_program_backend, libcucore), Cstring, (Ptr{cuc_program},), program)
# Compile a program.
cuc_program_compile(out, program, target) =
    ccall((:cuc_program_compile, libcucore), cuc_status, (Ptr{Ptr{cuc_object}}, Ptr{cuc_program}, Int32), out, program, target)
# The duration of the last compilation, even if it failed.
cuc_program_compile_ns(program) =
    ccall((:cuc_program_compile_ns, libcucore), UInt64, (Ptr{cuc_program},), program)
# Create a program from a source text. Nothing is compiled yet.
cuc_program_create(out, source_kind, text, bytes, options) =
    ccall((:cuc_program_create, libcucore), cuc_status, (Ptr{Ptr{cuc_program}}, Int32, Cstring, Csize_t, Ptr{cuc_program_options}), out, source_kind, text, bytes, options)
# One of the flags counted by cuc_program_flag_count(), exactly as the compiler receives it.
cuc_program_flag(program, target, index) =
    ccall((:cuc_program_flag, libcucore), Cstring, (Ptr{cuc_program}, Int32, Csize_t), program, target, index)
# The number of flags passed to the compiler for a kind of code.
cuc_program_flag_count(program, target) =
    ccall((:cuc_program_flag_count, libcucore), Csize_t, (Ptr{cuc_program}, Int32), program, target)
# Create a program from a family of the kernel library. Nothing is compiled yet.
cuc_program_from_library(out, name, options) =
    ccall((:cuc_program_from_library, libcucore), cuc_status, (Ptr{Ptr{cuc_program}}, Cstring, Ptr{cuc_program_options}), out, name, options)
# The key under which a cache keeps the code of a program.
cuc_program_get_key(out, program, target) =
    ccall((:cuc_program_get_key, libcucore), cuc_status, (Ptr{UInt8}, Ptr{cuc_program}, Int32), out, program, target)
# The compiler's log of the last compilation, including the warnings of a successful one.
cuc_program_log(program) =
    ccall((:cuc_program_log, libcucore), Cstring, (Ptr{cuc_program},), program)
# Set every option to its default.
cuc_program_options_init(options, caller_size) =
    ccall((:cuc_program_options_init, libcucore), Cvoid, (Ptr{cuc_program_options}, Csize_t), options, caller_size)
# The last compilation's outcome for the precompiled header.
cuc_program_pch_status(program) =
    ccall((:cuc_program_pch_status, libcucore), Int32, (Ptr{cuc_program},), program)
# Release a reference; the last one frees the program. Objects compiled from it live on.
cuc_program_release(program) =
    ccall((:cuc_program_release, libcucore), Cvoid, (Ptr{cuc_program},), program)
# Add a reference to a program.
cuc_program_retain(program) =
    ccall((:cuc_program_retain, libcucore), Ptr{cuc_program}, (Ptr{cuc_program},), program)
# Make the objects of a Python class callable. Calling an object performs the launch in its attribute `_launch`, a tuple that begins with the address of a cuc_python_launch (int).
cuc_python_add_call(type_) =
    ccall((:cuc_python_add_call, libcucore), cuc_status, (Ptr{Cvoid},), type_)
# Add the DLPack protocol to a Python class of arrays: `__dlpack__`, `__dlpack_device__`, and the class methods `from_dlpack(value, *, stream=None)` and `from_capsule(capsule)`.
cuc_python_add_dlpack(type_) =
    ccall((:cuc_python_add_dlpack, libcucore), cuc_status, (Ptr{Cvoid},), type_)
# Replace methods and properties of a class of the Python package with the library's C versions.
cuc_python_add_methods(type_, name) =
    ccall((:cuc_python_add_methods, libcucore), cuc_status, (Ptr{Cvoid}, Cstring), type_, name)
# Create the base type of a class of the Python package, with the fields that C code reads.
cuc_python_get_base(out, name) =
    ccall((:cuc_python_get_base, libcucore), cuc_status, (Ptr{Ptr{Cvoid}}, Cstring), out, name)
# Create a Python function `launch(stream, config, kernel, *args)`.
cuc_python_get_launch(out, slowly) =
    ccall((:cuc_python_get_launch, libcucore), cuc_status, (Ptr{Ptr{Cvoid}}, Ptr{Cvoid}), out, slowly)
# Reduce an array to one element, in stream order.
cuc_reduce(stream, fn, identity, x, y) =
    ccall((:cuc_reduce, libcucore), cuc_status, (Ptr{cuc_stream}, Cstring, Cstring, Ptr{cuc_tensor}, Ptr{cuc_tensor}), stream, fn, identity, x, y)
# The version of the CUDA runtime. This is the program's own runtime if its symbols are visible, otherwise the one found on the machine.
cuc_runtime_get_version(out) =
    ccall((:cuc_runtime_get_version, libcucore), cuc_status, (Ptr{Int32},), out)
# Make a device the runtime's current device on the calling thread, like cudaSetDevice().
cuc_runtime_set_device(device) =
    ccall((:cuc_runtime_set_device, libcucore), cuc_status, (Ptr{cuc_device},), device)
# Scan an array, in stream order: y[i] combines x[0] to x[i].
cuc_scan(stream, fn, identity, flags, x, y) =
    ccall((:cuc_scan, libcucore), cuc_status, (Ptr{cuc_stream}, Cstring, Cstring, UInt32, Ptr{cuc_tensor}, Ptr{cuc_tensor}), stream, fn, identity, flags, x, y)
# Search for each value in a sorted array, in stream order: at[i] is the number of elements that are less than values[i]. With CUC_SEARCH_UPPER, it is the number of those not greater.
cuc_search(stream, flags, sorted, values, at) =
    ccall((:cuc_search, libcucore), cuc_status, (Ptr{cuc_stream}, UInt32, Ptr{cuc_tensor}, Ptr{cuc_tensor}, Ptr{cuc_tensor}), stream, flags, sorted, values, at)
# Keep the elements that a function accepts, in their order and in stream order.
cuc_select(stream, fn, x, y, count) =
    ccall((:cuc_select, libcucore), cuc_status, (Ptr{cuc_stream}, Cstring, Ptr{cuc_tensor}, Ptr{cuc_tensor}, Ptr{cuc_tensor}), stream, fn, x, y, count)
# Set the process-wide handler of failures that no call can return. Without a handler, such a failure is dropped and its object leaks.
cuc_set_failure_handler(handler, user) =
    ccall((:cuc_set_failure_handler, libcucore), Cvoid, (Ptr{Cvoid}, Ptr{Cvoid}), handler, user)
# Set the file of a library. It takes precedence over the environment and all other locations.
cuc_set_library_path(name, path) =
    ccall((:cuc_set_library_path, libcucore), cuc_status, (Cstring, Cstring), name, path)
# Split multiprocessors into groups of the same size.
cuc_sms_split(groups, count, rest, from, least, flags) =
    ccall((:cuc_sms_split, libcucore), cuc_status, (Ptr{cuc_sms}, Ptr{UInt32}, Ptr{cuc_sms}, Ptr{cuc_sms}, UInt32, UInt32), groups, count, rest, from, least, flags)
# Sort an array, with values that follow their keys, in stream order. Equal keys keep their order.
cuc_sort(stream, flags, keys_in, keys_out, values_in, values_out) =
    ccall((:cuc_sort, libcucore), cuc_status, (Ptr{cuc_stream}, UInt32, Ptr{cuc_tensor}, Ptr{cuc_tensor}, Ptr{cuc_tensor}, Ptr{cuc_tensor}), stream, flags, keys_in, keys_out, values_in, values_out)
# The name of a status, such as "CUC_ERROR_NOT_FOUND".
cuc_status_name(status) =
    ccall((:cuc_status_name, libcucore), Cstring, (cuc_status,), status)
# The meaning of a status, in a few words.
cuc_status_text(status) =
    ccall((:cuc_status_text, libcucore), Cstring, (cuc_status,), status)
# Call a function on the host when the stream reaches it, even if earlier work failed.
cuc_stream_add_callback(stream, callback, user) =
    ccall((:cuc_stream_add_callback, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{Cvoid}, Ptr{Cvoid}), stream, callback, user)
# Add a conditional node to the graph that a stream is captured into, after the stream's work so far.
cuc_stream_add_conditional(bodies, count, stream, condition, type_) =
    ccall((:cuc_stream_add_conditional, libcucore), cuc_status, (Ptr{Ptr{cuc_graph}}, UInt32, Ptr{cuc_stream}, cuc_condition, Int32), bodies, count, stream, condition, type_)
# Begin capturing a stream.
cuc_stream_begin_capture(stream, mode) =
    ccall((:cuc_stream_begin_capture, libcucore), cuc_status, (Ptr{cuc_stream}, Int32), stream, mode)
# Begin capturing a stream into an existing graph, after some of its nodes.
cuc_stream_begin_capture_to(stream, graph, after, count, mode) =
    ccall((:cuc_stream_begin_capture_to, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_graph}, Ptr{Ptr{cuc_node}}, Csize_t, Int32), stream, graph, after, count, mode)
# End a capture and discard its nodes, for cleanup after a failure. The thread's last error stays. This also cancels the same thread's captures that fill bodies of the capture's conditional nodes. If the capture adds to an existing graph, that graph keeps the nodes added so far. If the capture is spoilt, however, the driver frees the graph, and the thread's other captures into it are cancelled too.
cuc_stream_cancel_capture(stream) =
    ccall((:cuc_stream_cancel_capture, libcucore), cuc_status, (Ptr{cuc_stream},), stream)
# Create a condition for a node of the graph that a stream is captured into.
cuc_stream_condition_create(out, stream, default_value, flags) =
    ccall((:cuc_stream_condition_create, libcucore), cuc_status, (Ptr{cuc_condition}, Ptr{cuc_stream}, UInt32, UInt32), out, stream, default_value, flags)
# The context of a stream.
cuc_stream_context(stream) =
    ccall((:cuc_stream_context, libcucore), Ptr{cuc_context}, (Ptr{cuc_stream},), stream)
# Give a stream the attributes of another stream, such as its priority and its L2 access policy window.
cuc_stream_copy_attributes(stream, from) =
    ccall((:cuc_stream_copy_attributes, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_stream}), stream, from)
# Create a stream in a device's primary context.
cuc_stream_create(out, device, options) =
    ccall((:cuc_stream_create, libcucore), cuc_status, (Ptr{Ptr{cuc_stream}}, Ptr{cuc_device}, Ptr{cuc_stream_options}), out, device, options)
# The device that a stream runs on.
cuc_stream_device(stream) =
    ccall((:cuc_stream_device, libcucore), Ptr{cuc_device}, (Ptr{cuc_stream},), stream)
# Add a whole graph as one node to the graph being captured, after the stream's work so far. (A captured stream cannot launch an instance.)
cuc_stream_embed_graph(stream, graph) =
    ccall((:cuc_stream_embed_graph, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_graph}), stream, graph)
# End a capture and return its graph.
cuc_stream_end_capture(out, stream) =
    ccall((:cuc_stream_end_capture, libcucore), cuc_status, (Ptr{Ptr{cuc_graph}}, Ptr{cuc_stream}), out, stream)
# Wrap a stream that was created elsewhere: a CUstream, or a cudaStream_t of the CUDA runtime.
cuc_stream_from_handle(out, handle, owner, drop_owner) =
    ccall((:cuc_stream_from_handle, libcucore), cuc_status, (Ptr{Ptr{cuc_stream}}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), out, handle, owner, drop_owner)
# Read the capture state of a stream, even if cucore did not begin the capture.
cuc_stream_get_capture_info(out, stream) =
    ccall((:cuc_stream_get_capture_info, libcucore), cuc_status, (Ptr{cuc_capture_info}, Ptr{cuc_stream}), out, stream)
# The nodes on which the next work on a captured stream will depend. After a single operation, this is the operation's node.
cuc_stream_get_capture_nodes(nodes, capacity, count, stream) =
    ccall((:cuc_stream_get_capture_nodes, libcucore), cuc_status, (Ptr{Ptr{cuc_node}}, Csize_t, Ptr{Csize_t}, Ptr{cuc_stream}), nodes, capacity, count, stream)
# A default stream of a device's primary context.
cuc_stream_get_default(out, device, which) =
    ccall((:cuc_stream_get_default, libcucore), cuc_status, (Ptr{Ptr{cuc_stream}}, Ptr{cuc_device}, Int32), out, device, which)
# The flags of a stream.
cuc_stream_get_flags(out, stream) =
    ccall((:cuc_stream_get_flags, libcucore), cuc_status, (Ptr{UInt32}, Ptr{cuc_stream}), out, stream)
# An identifier that is unique among all streams the process ever has.
cuc_stream_get_id(out, stream) =
    ccall((:cuc_stream_get_id, libcucore), cuc_status, (Ptr{UInt64}, Ptr{cuc_stream}), out, stream)
# The actual priority of a stream.
cuc_stream_get_priority(out, stream) =
    ccall((:cuc_stream_get_priority, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_stream}), out, stream)
# The driver's handle of a stream, which is also its cudaStream_t.
cuc_stream_handle(stream) =
    ccall((:cuc_stream_handle, libcucore), Ptr{Cvoid}, (Ptr{cuc_stream},), stream)
# Check whether work enqueued on a stream is being captured into a graph instead of executed.
cuc_stream_is_capturing(out, stream) =
    ccall((:cuc_stream_is_capturing, libcucore), cuc_status, (Ptr{Int32}, Ptr{cuc_stream}), out, stream)
# Zero options and write their size.
cuc_stream_options_init(options, caller_size) =
    ccall((:cuc_stream_options_init, libcucore), Cvoid, (Ptr{cuc_stream_options}, Csize_t), options, caller_size)
# Check whether all work on a stream is complete, without waiting.
cuc_stream_query(stream) =
    ccall((:cuc_stream_query, libcucore), cuc_status, (Ptr{cuc_stream},), stream)
# Release a stream. After the last release, the stream is destroyed once its work is complete; the call does not wait. Buffers that will be freed on the stream keep it alive.
cuc_stream_release(stream) =
    ccall((:cuc_stream_release, libcucore), Cvoid, (Ptr{cuc_stream},), stream)
# Add a reference to a stream.
cuc_stream_retain(stream) =
    ccall((:cuc_stream_retain, libcucore), Ptr{cuc_stream}, (Ptr{cuc_stream},), stream)
# Wait until all work on a stream is complete.
cuc_stream_synchronize(stream) =
    ccall((:cuc_stream_synchronize, libcucore), cuc_status, (Ptr{cuc_stream},), stream)
# Make later work on a stream wait for an event.
cuc_stream_wait_event(stream, event) =
    ccall((:cuc_stream_wait_event, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_event}), stream, event)
# Add a node that waits for an event recorded outside the graph.
cuc_stream_wait_external(stream, event) =
    ccall((:cuc_stream_wait_external, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_event}), stream, event)
# Make later work on a stream wait for all work now on another stream.
cuc_stream_wait_stream(stream, other) =
    ccall((:cuc_stream_wait_stream, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_stream}), stream, other)
# Make later work on a stream wait until a word of memory satisfies a comparison.
cuc_stream_wait_value(stream, address, value, bytes, compare) =
    ccall((:cuc_stream_wait_value, libcucore), cuc_status, (Ptr{cuc_stream}, cuc_device_ptr, UInt64, UInt32, UInt32), stream, address, value, bytes, compare)
# Write a word of memory in stream order.
cuc_stream_write_value(stream, address, value, bytes, flags) =
    ccall((:cuc_stream_write_value, libcucore), cuc_status, (Ptr{cuc_stream}, cuc_device_ptr, UInt64, UInt32, UInt32), stream, address, value, bytes, flags)
# The size of a tensor's elements in bytes, without gaps.
cuc_tensor_bytes(tensor) =
    ccall((:cuc_tensor_bytes, libcucore), UInt64, (Ptr{cuc_tensor},), tensor)
# Check that a tensor's fields are valid. This does not check that its memory exists.
cuc_tensor_check(tensor) =
    ccall((:cuc_tensor_check, libcucore), cuc_status, (Ptr{cuc_tensor},), tensor)
# The number of elements of a tensor: the product of its shape.
cuc_tensor_elements(tensor) =
    ccall((:cuc_tensor_elements, libcucore), Int64, (Ptr{cuc_tensor},), tensor)
# Initialize a contiguous tensor at the start of a buffer.
cuc_tensor_from_buffer(out, buffer, dtype, rank, shape) =
    ccall((:cuc_tensor_from_buffer, libcucore), cuc_status, (Ptr{cuc_tensor}, Ptr{cuc_buffer}, cuc_dtype, Int32, Ptr{Int64}), out, buffer, dtype, rank, shape)
# Read a DLPack tensor.
cuc_tensor_from_dlpack(out, managed) =
    ccall((:cuc_tensor_from_dlpack, libcucore), cuc_status, (Ptr{cuc_tensor}, Ptr{cuc_dl_managed_tensor_versioned}), out, managed)
# Read a DLPack tensor in the format before 1.0, which has no read-only flag.
cuc_tensor_from_dlpack_unversioned(out, managed) =
    ccall((:cuc_tensor_from_dlpack_unversioned, libcucore), cuc_status, (Ptr{cuc_tensor}, Ptr{cuc_dl_managed_tensor}), out, managed)
# Initialize a contiguous tensor, with the last dimension fastest.
cuc_tensor_from_pointer(out, data, dtype, rank, shape, device) =
    ccall((:cuc_tensor_from_pointer, libcucore), cuc_status, (Ptr{cuc_tensor}, cuc_device_ptr, cuc_dtype, Int32, Ptr{Int64}, Int32), out, data, dtype, rank, shape, device)
# Check whether a tensor is contiguous, with the last dimension fastest.
cuc_tensor_is_contiguous(tensor) =
    ccall((:cuc_tensor_is_contiguous, libcucore), Int32, (Ptr{cuc_tensor},), tensor)
# Encode a map of images whose copies transfer columns of pixels (im2col).
cuc_tensor_map_encode_im2col(out, tensor, image, options) =
    ccall((:cuc_tensor_map_encode_im2col, libcucore), cuc_status, (Ptr{cuc_tensor_map}, Ptr{cuc_tensor}, Ptr{cuc_tensor_map_image}, Ptr{cuc_tensor_map_options}), out, tensor, image, options)
# Encode a map of images whose copies transfer columns of pixels only along W: the bounding box is one pixel high and deep.
cuc_tensor_map_encode_im2col_wide(out, tensor, image, options) =
    ccall((:cuc_tensor_map_encode_im2col_wide, libcucore), cuc_status, (Ptr{cuc_tensor_map}, Ptr{cuc_tensor}, Ptr{cuc_tensor_map_image}, Ptr{cuc_tensor_map_options}), out, tensor, image, options)
# Encode a map of a tensor whose copies transfer a box.
cuc_tensor_map_encode_tiled(out, tensor, box, options) =
    ccall((:cuc_tensor_map_encode_tiled, libcucore), cuc_status, (Ptr{cuc_tensor_map}, Ptr{cuc_tensor}, Ptr{UInt32}, Ptr{cuc_tensor_map_options}), out, tensor, box, options)
# Zero options and write their size.
cuc_tensor_map_options_init(options, caller_size) =
    ccall((:cuc_tensor_map_options_init, libcucore), Cvoid, (Ptr{cuc_tensor_map_options}, Csize_t), options, caller_size)
# Point a map at another array of the same shape, strides and type.
cuc_tensor_map_replace_address(map, tensor) =
    ccall((:cuc_tensor_map_replace_address, libcucore), cuc_status, (Ptr{cuc_tensor_map}, Ptr{cuc_tensor}), map, tensor)
# Export a tensor to another library as DLPack.
cuc_tensor_to_dlpack(out, tensor, owner) =
    ccall((:cuc_tensor_to_dlpack, libcucore), cuc_status, (Ptr{Ptr{cuc_dl_managed_tensor_versioned}}, Ptr{cuc_tensor}, Ptr{cuc_buffer}), out, tensor, owner)
# Export a tensor to a library that supports only the format before DLPack 1.0.
cuc_tensor_to_dlpack_unversioned(out, tensor, owner) =
    ccall((:cuc_tensor_to_dlpack_unversioned, libcucore), cuc_status, (Ptr{Ptr{cuc_dl_managed_tensor}}, Ptr{cuc_tensor}, Ptr{cuc_buffer}), out, tensor, owner)
# the absolute value
cuc_tile_abs(program, file, line, x) =
    ccall((:cuc_tile_abs, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# Set options to their defaults.
cuc_tile_access_options_init(options, caller_size) =
    ccall((:cuc_tile_access_options_init, libcucore), Cvoid, (Ptr{cuc_tile_access_options}, Csize_t), options, caller_size)
# x + y
cuc_tile_add(program, file, line, x, y) =
    ccall((:cuc_tile_add, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# RN, RZ, RM, RP
cuc_tile_add_round(program, file, line, x, y, round) =
    ccall((:cuc_tile_add_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int32), program, file, line, x, y, round)
# bools: true if all are
cuc_tile_all(program, file, line, x, count, axes) =
    ccall((:cuc_tile_all, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, count, axes)
# bools: true if one is
cuc_tile_any(program, file, line, x, count, axes) =
    ccall((:cuc_tile_any, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, count, axes)
# the index of the largest
cuc_tile_argmax(program, file, line, x, axis) =
    ccall((:cuc_tile_argmax, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, axis)
# the index of the largest, or of the first NaN
cuc_tile_argmax_nan(program, file, line, x, axis) =
    ccall((:cuc_tile_argmax_nan, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, axis)
# the index of the smallest: i32, the first among equals; the axis is kept
cuc_tile_argmin(program, file, line, x, axis) =
    ccall((:cuc_tile_argmin, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, axis)
# the index of the smallest, or of the first NaN
cuc_tile_argmin_nan(program, file, line, x, axis) =
    ccall((:cuc_tile_argmin_nan, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, axis)
# Insert PTX for each element. In the text, $0 is the result, and $1 and up are the operands.
cuc_tile_asm(program, file, line, text, dtype, count, x) =
    ccall((:cuc_tile_asm, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, Cstring, cuc_dtype, UInt32, Ptr{cuc_tile}), program, file, line, text, dtype, count, x)
# End the kernel with a message if an element is false.
cuc_tile_assert(program, file, line, condition, text) =
    ccall((:cuc_tile_assert, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Cstring), program, file, line, condition, text)
# Promise that `divisor` divides each element of x. The promise is not checked.
cuc_tile_assume(program, file, line, x, divisor) =
    ccall((:cuc_tile_assume, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int64), program, file, line, x, divisor)
# the angle of the point (y, x): floats
cuc_tile_atan2(program, file, line, x, y) =
    ccall((:cuc_tile_atan2, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# adds
cuc_tile_atomic_add(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_atomic_add, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# bitwise
cuc_tile_atomic_and(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_atomic_and, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# Atomically replace elements equal to `expected` by x, and return the old values.
cuc_tile_atomic_cas(program, file, line, tensor, count, index, expected, x, options) =
    ccall((:cuc_tile_atomic_cas, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, expected, x, options)
# keeps the larger
cuc_tile_atomic_max(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_atomic_max, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# keeps the smaller
cuc_tile_atomic_min(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_atomic_min, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# bitwise
cuc_tile_atomic_or(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_atomic_or, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# stores x
cuc_tile_atomic_xchg(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_atomic_xchg, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# bitwise
cuc_tile_atomic_xor(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_atomic_xor, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# x & y: integers; for bools, and
cuc_tile_bitand(program, file, line, x, y) =
    ccall((:cuc_tile_bitand, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# Reinterpret the bits as another element type. If the widths differ, the last axis grows or shrinks. The bytes keep their order in memory, lowest first.
cuc_tile_bitcast(program, file, line, x, dtype) =
    ccall((:cuc_tile_bitcast, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_dtype), program, file, line, x, dtype)
# ~x: integers; for bools, not
cuc_tile_bitnot(program, file, line, x) =
    ccall((:cuc_tile_bitnot, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# x | y: integers; for bools, or
cuc_tile_bitor(program, file, line, x, y) =
    ccall((:cuc_tile_bitor, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# x ^ y: integers and bools
cuc_tile_bitxor(program, file, line, x, y) =
    ccall((:cuc_tile_bitxor, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# The index of this block in the grid.
cuc_tile_block(program, file, line, axis) =
    ccall((:cuc_tile_block, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, Int32), program, file, line, axis)
# Create a bool constant. An `if` on it generates only the arm that is taken.
cuc_tile_bool(program, file, line, value) =
    ccall((:cuc_tile_bool, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, Int32), program, file, line, value)
# Leave the innermost loop. Later code in the same block is checked but not generated.
cuc_tile_break(program, file, line) =
    ccall((:cuc_tile_break, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32), program, file, line)
# Repeat a tile along axes of extent 1 and along new leading axes.
cuc_tile_broadcast(program, file, line, x, rank, shape) =
    ccall((:cuc_tile_broadcast, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, rank, shape)
# Set every field of a budget to its default.
cuc_tile_budget_init(budget, caller_size) =
    ccall((:cuc_tile_budget_init, libcucore), Cvoid, (Ptr{cuc_tile_budget}, Csize_t), budget, caller_size)
# Convert to another element type. 8-bit floats saturate; integers wrap.
cuc_tile_cast(program, file, line, x, dtype, round) =
    ccall((:cuc_tile_cast, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_dtype, Int32), program, file, line, x, dtype, round)
# Concatenate two tiles along an axis.
cuc_tile_cat(program, file, line, x, y, axis) =
    ccall((:cuc_tile_cat, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int32), program, file, line, x, y, axis)
# x / y, rounded up: integers
cuc_tile_cdiv(program, file, line, x, y) =
    ccall((:cuc_tile_cdiv, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# the next integer at or above
cuc_tile_ceil(program, file, line, x) =
    ccall((:cuc_tile_ceil, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# Continue with the next iteration of the innermost loop. Later code in the same block is not generated.
cuc_tile_continue(program, file, line) =
    ccall((:cuc_tile_continue, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32), program, file, line)
# the magnitude of x with the sign of y: floats
cuc_tile_copysign(program, file, line, x, y) =
    ccall((:cuc_tile_copysign, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# the cosine
cuc_tile_cos(program, file, line, x) =
    ccall((:cuc_tile_cos, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# the hyperbolic cosine
cuc_tile_cosh(program, file, line, x) =
    ccall((:cuc_tile_cosh, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# the product of all elements up to this one, inclusive
cuc_tile_cumprod(program, file, line, x, axis, reverse) =
    ccall((:cuc_tile_cumprod, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32, Int32), program, file, line, x, axis, reverse)
# the sum of all elements up to this one, inclusive
cuc_tile_cumsum(program, file, line, x, axis, reverse) =
    ccall((:cuc_tile_cumsum, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32, Int32), program, file, line, x, axis, reverse)
# Declare a variable, for a value that a loop carries or that an if defines.
cuc_tile_declare(program, file, line, name, value) =
    ccall((:cuc_tile_declare, libcucore), cuc_tile_variable, (Ptr{cuc_tile_program}, Cstring, UInt32, Cstring, cuc_tile), program, file, line, name, value)
# An extent of a tensor, which may be a slice.
cuc_tile_dim(program, file, line, tensor, axis) =
    ccall((:cuc_tile_dim, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, tensor, axis)
# A dimension that a tensor's extents bind.
cuc_tile_dimension(program, file, line, name) =
    ccall((:cuc_tile_dimension, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, Cstring), program, file, line, name)
# x / y; f32 for integers
cuc_tile_div(program, file, line, x, y) =
    ccall((:cuc_tile_div, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# RN, RZ, RM, RP; for f32 FULL, APPROX
cuc_tile_div_round(program, file, line, x, y, round) =
    ccall((:cuc_tile_div_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int32), program, file, line, x, y, round)
# Compute x // y and x % y, as cuc_tile_floordiv() and cuc_tile_mod() do.
cuc_tile_divmod(quotient, rest, program, file, line, x, y) =
    ccall((:cuc_tile_divmod, libcucore), Cvoid, (Ptr{cuc_tile}, Ptr{cuc_tile}, Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), quotient, rest, program, file, line, x, y)
# The element type of a value.
cuc_tile_dtype(program, x) =
    ccall((:cuc_tile_dtype, libcucore), cuc_dtype, (Ptr{cuc_tile_program}, cuc_tile), program, x)
# Load one element of a tensor.
cuc_tile_element(program, file, line, tensor, count, index) =
    ccall((:cuc_tile_element, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}), program, file, line, tensor, count, index)
# Begin the code for a false condition, up to the matching cuc_tile_end().
cuc_tile_else(program, file, line) =
    ccall((:cuc_tile_else, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32), program, file, line)
# End the innermost cuc_tile_for(), cuc_tile_loop() or cuc_tile_if().
cuc_tile_end(program, file, line) =
    ccall((:cuc_tile_end, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32), program, file, line)
# Mark the following calls as the work of a function that builds code. Messages then also report the position from which that function was called, as for a `fn` of the language.
cuc_tile_enter(program, file, line) =
    ccall((:cuc_tile_enter, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32), program, file, line)
# x == y: bools
cuc_tile_eq(program, file, line, x, y) =
    ccall((:cuc_tile_eq, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# the error function
cuc_tile_erf(program, file, line, x) =
    ccall((:cuc_tile_erf, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# e ** x
cuc_tile_exp(program, file, line, x) =
    ccall((:cuc_tile_exp, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# 2 ** x
cuc_tile_exp2(program, file, line, x) =
    ccall((:cuc_tile_exp2, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# RN; for f32 FULL, APPROX
cuc_tile_exp2_round(program, file, line, x, round) =
    ccall((:cuc_tile_exp2_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, round)
# RN; for f32 FULL, APPROX
cuc_tile_exp_round(program, file, line, x, round) =
    ccall((:cuc_tile_exp_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, round)
# Insert an axis of extent 1, like None in a subscript.
cuc_tile_expand(program, file, line, x, axis) =
    ccall((:cuc_tile_expand, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, axis)
# e ** x - 1, exact for small x
cuc_tile_expm1(program, file, line, x) =
    ccall((:cuc_tile_expm1, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# The extent of an axis of a tile.
cuc_tile_extent(program, x, axis) =
    ccall((:cuc_tile_extent, libcucore), Int64, (Ptr{cuc_tile_program}, cuc_tile, Int32), program, x, axis)
# Extract a subtile. Indices count subtiles, just as a load's indices count tiles.
cuc_tile_extract(program, file, line, x, count, index, rank, shape) =
    ccall((:cuc_tile_extract, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, UInt32, Ptr{Int64}), program, file, line, x, count, index, rank, shape)
# State facts that hold at every launch. The launch checks them, and the code may rely on them.
cuc_tile_fact(program, file, line, facts) =
    ccall((:cuc_tile_fact, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, Cstring), program, file, line, facts)
# Create a float constant. It takes the dtype of the other operand. On its own it is f32.
cuc_tile_float(program, file, line, value) =
    ccall((:cuc_tile_float, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, Cdouble), program, file, line, value)
# the next integer at or below
cuc_tile_floor(program, file, line, x) =
    ccall((:cuc_tile_floor, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# x // y, rounded down
cuc_tile_floordiv(program, file, line, x, y) =
    ccall((:cuc_tile_floordiv, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# Compute x * y + z for floats, rounded once.
cuc_tile_fma(program, file, line, x, y, z) =
    ccall((:cuc_tile_fma, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, cuc_tile), program, file, line, x, y, z)
# Compute x * y + z for floats, rounded once in a given direction.
cuc_tile_fma_round(program, file, line, x, y, z, round) =
    ccall((:cuc_tile_fma_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, cuc_tile, Int32), program, file, line, x, y, z, round)
# Begin a counting loop, which extends to the matching cuc_tile_end().
cuc_tile_for(program, file, line, first, last, step) =
    ccall((:cuc_tile_for, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int64), program, file, line, first, last, step)
# Create a tile with one value in every element.
cuc_tile_full(program, file, line, dtype, rank, shape, value) =
    ccall((:cuc_tile_full, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_dtype, UInt32, Ptr{Int64}, cuc_tile), program, file, line, dtype, rank, shape, value)
# Create a tile from a list of elements.
cuc_tile_full_list(program, file, line, dtype, rank, shape, count, values) =
    ccall((:cuc_tile_full_list, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_dtype, UInt32, Ptr{Int64}, UInt32, Ptr{cuc_tile}), program, file, line, dtype, rank, shape, count, values)
# Load elements of a tensor, each by its own index.
cuc_tile_gather(program, file, line, tensor, count, index, options) =
    ccall((:cuc_tile_gather, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, options)
# x >= y
cuc_tile_ge(program, file, line, x, y) =
    ccall((:cuc_tile_ge, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# The current value of a variable.
cuc_tile_get(program, file, line, variable) =
    ccall((:cuc_tile_get, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile_variable), program, file, line, variable)
# Read an entry of a tile kernel from object code. This needs no driver.
cuc_tile_get_entry(out, object, kernel, index) =
    ccall((:cuc_tile_get_entry, libcucore), cuc_status, (Ptr{cuc_tile_entry}, Ptr{cuc_object}, Cstring, Csize_t), out, object, kernel, index)
# The program in the compiler's simplified intermediate form, as a tile program with the same meaning.
cuc_tile_get_ir(text, bytes, program) =
    ccall((:cuc_tile_get_ir, libcucore), cuc_status, (Ptr{Ptr{UInt8}}, Ptr{Csize_t}, Ptr{cuc_program}), text, bytes, program)
# The program in machine form, the last form before PTX: one operation per line, with attributes, dtypes, shapes and the layout of each value, for the program's architecture.
cuc_tile_get_machine(text, bytes, program) =
    ccall((:cuc_tile_get_machine, libcucore), cuc_status, (Ptr{Ptr{UInt8}}, Ptr{Csize_t}, Ptr{cuc_program}), text, bytes, program)
# Read a parameter of a tile kernel. cuc_kernel_get_parameter_count() returns the number of parameters.
cuc_tile_get_parameter(out, kernel, index) =
    ccall((:cuc_tile_get_parameter, libcucore), cuc_status, (Ptr{cuc_tile_parameter}, Ptr{cuc_kernel}, Csize_t), out, kernel, index)
# The key of a kernel's tuning record: its program, constants and dimensions.
cuc_tile_get_record(out, program, kernel) =
    ccall((:cuc_tile_get_record, libcucore), cuc_status, (Ptr{cuc_tuned_record}, Ptr{cuc_program}, Cstring), out, program, kernel)
# Compute the gradient of x from that of y, a function of x: the operations between them are differentiated in reverse.
cuc_tile_gradient(program, file, line, y, x, d) =
    ccall((:cuc_tile_gradient, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, cuc_tile), program, file, line, y, x, d)
# Compute the gradient of a tensor's elements from that of y, a function that reads them, as cuc_tile_gradient() does. Reads of other elements of the tensor are errors (T305).
cuc_tile_gradient_at(program, file, line, y, tensor, count, index, d, each) =
    ccall((:cuc_tile_gradient_at, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Int32), program, file, line, y, tensor, count, index, d, each)
# Set the number of blocks of a launch, computed on the host in exact 64-bit integers.
cuc_tile_grid(program, file, line, grid) =
    ccall((:cuc_tile_grid, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, Cstring), program, file, line, grid)
# Let the next kernel begin once every block has reached this call or ended.
cuc_tile_grid_dependency_launch(program, file, line) =
    ccall((:cuc_tile_grid_dependency_launch, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32), program, file, line)
# Wait until the preceding kernels have ended and their writes are visible.
cuc_tile_grid_dependency_wait(program, file, line) =
    ccall((:cuc_tile_grid_dependency_wait, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32), program, file, line)
# x > y
cuc_tile_gt(program, file, line, x, y) =
    ccall((:cuc_tile_gt, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# Count the elements equal to 0, 1, ..., count - 1. Other values are ignored.
cuc_tile_histogram(program, file, line, x, count) =
    ccall((:cuc_tile_histogram, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int64), program, file, line, x, count)
# Begin the code for a true condition, up to the matching cuc_tile_else() or cuc_tile_end().
cuc_tile_if(program, file, line, condition) =
    ccall((:cuc_tile_if, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, condition)
# Copy a tile and replace one of its subtiles.
cuc_tile_insert(program, file, line, x, count, index, y) =
    ccall((:cuc_tile_insert, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile), program, file, line, x, count, index, y)
# Create an integer constant. It takes the dtype of the other operand. On its own it is i32, or i64 if it is large.
cuc_tile_int(program, file, line, value) =
    ccall((:cuc_tile_int, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, Int64), program, file, line, value)
# Run a kernel of a tile program on the CPU, one block after another. This is slow but exact.
cuc_tile_interpret(program, kernel, args, count, options) =
    ccall((:cuc_tile_interpret, libcucore), cuc_status, (Ptr{cuc_program}, Cstring, Ptr{cuc_arg}, Csize_t, Ptr{cuc_tile_interpret_options}), program, kernel, args, count, options)
# Set options to their defaults.
cuc_tile_interpret_options_init(options, caller_size) =
    ccall((:cuc_tile_interpret_options_init, libcucore), Cvoid, (Ptr{cuc_tile_interpret_options}, Csize_t), options, caller_size)
# Create a tile of the numbers 0, 1, 2, ...
cuc_tile_iota(program, file, line, dtype, count) =
    ccall((:cuc_tile_iota, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_dtype, Int64), program, file, line, dtype, count)
# true if x is infinite: bools
cuc_tile_isinf(program, file, line, x) =
    ccall((:cuc_tile_isinf, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# true if x is NaN: bools
cuc_tile_isnan(program, file, line, x) =
    ccall((:cuc_tile_isnan, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# Begin a kernel. The calls up to cuc_tile_kernel_end() build it.
cuc_tile_kernel_begin(program, file, line, name) =
    ccall((:cuc_tile_kernel_begin, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, Cstring), program, file, line, name)
# End the kernel: every loop and every if in it must have ended.
cuc_tile_kernel_end(program, file, line) =
    ccall((:cuc_tile_kernel_end, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32), program, file, line)
# x <= y
cuc_tile_le(program, file, line, x, y) =
    ccall((:cuc_tile_le, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# End the effect of the last cuc_tile_enter().
cuc_tile_leave(program) =
    ccall((:cuc_tile_leave, libcucore), Cvoid, (Ptr{cuc_tile_program},), program)
# Load a tile of a tensor by tile index. Index i starts at element i * extent.
cuc_tile_load(program, file, line, tensor, count, index, rank, shape, options) =
    ccall((:cuc_tile_load, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, UInt32, Ptr{Int64}, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, rank, shape, options)
# Load a tile of a tensor by the index of its first element.
cuc_tile_load_at(program, file, line, tensor, count, index, rank, shape, options) =
    ccall((:cuc_tile_load_at, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, UInt32, Ptr{Int64}, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, rank, shape, options)
# Load rows of a tensor. `ids` select elements of its first axis.
cuc_tile_load_rows(program, file, line, tensor, ids, count, index, rank, shape, options) =
    ccall((:cuc_tile_load_rows, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, UInt32, Ptr{cuc_tile}, UInt32, Ptr{Int64}, Ptr{cuc_tile_access_options}), program, file, line, tensor, ids, count, index, rank, shape, options)
# the natural logarithm
cuc_tile_log(program, file, line, x) =
    ccall((:cuc_tile_log, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# the logarithm of 1 + x, exact for small x
cuc_tile_log1p(program, file, line, x) =
    ccall((:cuc_tile_log1p, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# the logarithm to base 2
cuc_tile_log2(program, file, line, x) =
    ccall((:cuc_tile_log2, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# Begin an infinite loop, which extends to the matching cuc_tile_end(). cuc_tile_while() and cuc_tile_break() leave it.
cuc_tile_loop(program, file, line) =
    ccall((:cuc_tile_loop, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32), program, file, line)
# x < y
cuc_tile_lt(program, file, line, x, y) =
    ccall((:cuc_tile_lt, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# Multiply two matrices, like `@`. This is cuc_tile_mma() with an accumulator of zeros of f32, f64 or i32.
cuc_tile_matmul(program, file, line, a, b) =
    ccall((:cuc_tile_matmul, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, a, b)
# the largest number
cuc_tile_max(program, file, line, x, count, axes) =
    ccall((:cuc_tile_max, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, count, axes)
# the largest, or NaN
cuc_tile_max_nan(program, file, line, x, count, axes) =
    ccall((:cuc_tile_max_nan, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, count, axes)
# RN; CUC_TILE_NAN
cuc_tile_max_round(program, file, line, x, count, axes, round) =
    ccall((:cuc_tile_max_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}, Int32), program, file, line, x, count, axes, round)
# the larger; the number if one is NaN
cuc_tile_maximum(program, file, line, x, y) =
    ccall((:cuc_tile_maximum, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# the larger; NaN if one is NaN
cuc_tile_maximum_nan(program, file, line, x, y) =
    ccall((:cuc_tile_maximum_nan, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# RN; CUC_TILE_NAN
cuc_tile_maximum_round(program, file, line, x, y, round) =
    ccall((:cuc_tile_maximum_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int32), program, file, line, x, y, round)
# the smallest number
cuc_tile_min(program, file, line, x, count, axes) =
    ccall((:cuc_tile_min, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, count, axes)
# the smallest, or NaN
cuc_tile_min_nan(program, file, line, x, count, axes) =
    ccall((:cuc_tile_min_nan, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, count, axes)
# RN; CUC_TILE_NAN
cuc_tile_min_round(program, file, line, x, count, axes, round) =
    ccall((:cuc_tile_min_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}, Int32), program, file, line, x, count, axes, round)
# the smaller; the number if one is NaN
cuc_tile_minimum(program, file, line, x, y) =
    ccall((:cuc_tile_minimum, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# the smaller; NaN if one is NaN
cuc_tile_minimum_nan(program, file, line, x, y) =
    ccall((:cuc_tile_minimum_nan, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# RN; CUC_TILE_NAN
cuc_tile_minimum_round(program, file, line, x, y, round) =
    ccall((:cuc_tile_minimum_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int32), program, file, line, x, y, round)
# Add a matrix product to an accumulator. In a loop, assign the result to the accumulator's variable.
cuc_tile_mma(program, file, line, a, b, acc, precision, fast_acc) =
    ccall((:cuc_tile_mma, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, cuc_tile, Int32, Int32), program, file, line, a, b, acc, precision, fast_acc)
# x % y, with the sign of y
cuc_tile_mod(program, file, line, x, y) =
    ccall((:cuc_tile_mod, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# x * y
cuc_tile_mul(program, file, line, x, y) =
    ccall((:cuc_tile_mul, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# RN, RZ, RM, RP
cuc_tile_mul_round(program, file, line, x, y, round) =
    ccall((:cuc_tile_mul_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int32), program, file, line, x, y, round)
# Name a value in the program's text.
cuc_tile_name(program, file, line, x, name) =
    ccall((:cuc_tile_name, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Cstring), program, file, line, x, name)
# x != y
cuc_tile_ne(program, file, line, x, y) =
    ccall((:cuc_tile_ne, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# -x
cuc_tile_neg(program, file, line, x) =
    ccall((:cuc_tile_neg, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# The number of blocks of the grid along an axis.
cuc_tile_num_blocks(program, file, line, axis) =
    ccall((:cuc_tile_num_blocks, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, Int32), program, file, line, axis)
# Permute the axes of a tile.
cuc_tile_permute(program, file, line, x, count, axes) =
    ccall((:cuc_tile_permute, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, count, axes)
# Generate random bits, as four tiles of u32. Equal arguments give equal bits.
cuc_tile_philox(result, program, file, line, seed, counter) =
    ccall((:cuc_tile_philox, libcucore), Cvoid, (Ptr{cuc_tile}, Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), result, program, file, line, seed, counter)
# Move element i of a tile to element position[i] of the result.
cuc_tile_place(program, file, line, x, position, extent, pad) =
    ccall((:cuc_tile_place, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int64, cuc_tile), program, file, line, x, position, extent, pad)
# x ** y: floats
cuc_tile_pow(program, file, line, x, y) =
    ccall((:cuc_tile_pow, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# Print values when the kernel runs.
cuc_tile_print(program, file, line, text, count, x) =
    ccall((:cuc_tile_print, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, Cstring, UInt32, Ptr{cuc_tile}), program, file, line, text, count, x)
# the product
cuc_tile_prod(program, file, line, x, count, axes) =
    ccall((:cuc_tile_prod, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, count, axes)
# RN, RZ, RM, RP at each step
cuc_tile_prod_round(program, file, line, x, count, axes, round) =
    ccall((:cuc_tile_prod_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}, Int32), program, file, line, x, count, axes, round)
# Create a program without kernels.
cuc_tile_program_create(out) =
    ccall((:cuc_tile_program_create, libcucore), cuc_status, (Ptr{Ptr{cuc_tile_program}},), out)
# Finish a program: report all its errors, or return its source.
cuc_tile_program_finish(source, program) =
    ccall((:cuc_tile_program_finish, libcucore), cuc_status, (Ptr{Ptr{UInt8}}, Ptr{cuc_tile_program}), source, program)
# The errors so far, each as `FILE:LINE: error T123: op: operand NAME: ...`, followed by the enclosing cuc_tile_enter() calls.
cuc_tile_program_log(program) =
    ccall((:cuc_tile_program_log, libcucore), Cstring, (Ptr{cuc_tile_program},), program)
# Release a reference; the last one frees the program and its source.
cuc_tile_program_release(program) =
    ccall((:cuc_tile_program_release, libcucore), Cvoid, (Ptr{cuc_tile_program},), program)
# Add a reference to a program.
cuc_tile_program_retain(program) =
    ccall((:cuc_tile_program_retain, libcucore), Ptr{cuc_tile_program}, (Ptr{cuc_tile_program},), program)
# Set the budget of a program. It covers what is already built and what follows.
cuc_tile_program_set_budget(program, budget) =
    ccall((:cuc_tile_program_set_budget, libcucore), cuc_status, (Ptr{cuc_tile_program}, Ptr{cuc_tile_budget}), program, budget)
# The number of axes of a value.
cuc_tile_rank(program, x) =
    ccall((:cuc_tile_rank, libcucore), Int32, (Ptr{cuc_tile_program}, cuc_tile), program, x)
# The places of a tile's elements in the stable order of their digits, and the number of elements with each digit.
cuc_tile_rank_digits(positions, counts, program, file, line, x, digits) =
    ccall((:cuc_tile_rank_digits, libcucore), Cvoid, (Ptr{cuc_tile}, Ptr{cuc_tile}, Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int64), positions, counts, program, file, line, x, digits)
# Reduce several tiles together along an axis with an associative function.
cuc_tile_reduce(result, program, file, line, combine, user, count, x, axis, identity) =
    ccall((:cuc_tile_reduce, libcucore), Cvoid, (Ptr{cuc_tile}, Ptr{cuc_tile_program}, Cstring, UInt32, Ptr{Cvoid}, Ptr{Cvoid}, UInt32, Ptr{cuc_tile}, Int32, Ptr{cuc_tile}), result, program, file, line, combine, user, count, x, axis, identity)
# Change the shape of a tile, keeping the order of elements.
cuc_tile_reshape(program, file, line, x, rank, shape) =
    ccall((:cuc_tile_reshape, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, rank, shape)
# End this block of the grid. Later code in the same block of the program is not generated.
cuc_tile_return(program, file, line) =
    ccall((:cuc_tile_return, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32), program, file, line)
# Rotate elements along an axis: element i of the result is element i - n of x, cyclically.
cuc_tile_roll(program, file, line, x, n, axis) =
    ccall((:cuc_tile_roll, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int32), program, file, line, x, n, axis)
# the nearest integer, half to even
cuc_tile_round(program, file, line, x) =
    ccall((:cuc_tile_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# 1 / sqrt(x)
cuc_tile_rsqrt(program, file, line, x) =
    ccall((:cuc_tile_rsqrt, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# RN; for f32 APPROX
cuc_tile_rsqrt_round(program, file, line, x, round) =
    ccall((:cuc_tile_rsqrt_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, round)
# Add a scalar to the kernel's parameters.
cuc_tile_scalar(program, file, line, name, dtype) =
    ccall((:cuc_tile_scalar, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, Cstring, cuc_dtype), program, file, line, name, dtype)
# Scan several tiles together along an axis with an associative function.
cuc_tile_scan(result, program, file, line, combine, user, count, x, axis, identity, reverse) =
    ccall((:cuc_tile_scan, libcucore), Cvoid, (Ptr{cuc_tile}, Ptr{cuc_tile_program}, Cstring, UInt32, Ptr{Cvoid}, Ptr{Cvoid}, UInt32, Ptr{cuc_tile}, Int32, Ptr{cuc_tile}, Int32), result, program, file, line, combine, user, count, x, axis, identity, reverse)
# Store elements of a tensor, each by its own index. If several elements have the same index, one of them is stored.
cuc_tile_scatter(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_scatter, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# Tell which entry of a tile kernel a launch with the given arguments takes, and hence which remarks concern the launch.
cuc_tile_select_entry(variant, kernel, device, args, count) =
    ccall((:cuc_tile_select_entry, libcucore), cuc_status, (Ptr{Ptr{UInt8}}, Ptr{cuc_kernel}, Ptr{cuc_device}, Ptr{cuc_arg}, Csize_t), variant, kernel, device, args, count)
# Assign a value to a variable.
cuc_tile_set(program, file, line, variable, value) =
    ccall((:cuc_tile_set, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile_variable, cuc_tile), program, file, line, variable, value)
# Shift elements along an axis: element i of the result is element i - n of x.
cuc_tile_shift(program, file, line, x, n, axis, pad) =
    ccall((:cuc_tile_shift, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int32, cuc_tile), program, file, line, x, n, axis, pad)
# x << y: integers
cuc_tile_shl(program, file, line, x, y) =
    ccall((:cuc_tile_shl, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# x >> y: integers; keeps the sign
cuc_tile_shr(program, file, line, x, y) =
    ccall((:cuc_tile_shr, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# 1 / (1 + e ** -x)
cuc_tile_sigmoid(program, file, line, x) =
    ccall((:cuc_tile_sigmoid, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# the sine
cuc_tile_sin(program, file, line, x) =
    ccall((:cuc_tile_sin, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# the hyperbolic sine
cuc_tile_sinh(program, file, line, x) =
    ccall((:cuc_tile_sinh, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# Slice a tensor along an axis. The slice has the elements from `start` up to `stop`, clipped to the extent.
cuc_tile_slice(program, file, line, tensor, axis, start, stop) =
    ccall((:cuc_tile_slice, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32, cuc_tile, cuc_tile), program, file, line, tensor, axis, start, stop)
# ascending, NaN last
cuc_tile_sort(program, file, line, x, axis) =
    ccall((:cuc_tile_sort, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, axis)
# the square root
cuc_tile_sqrt(program, file, line, x) =
    ccall((:cuc_tile_sqrt, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# RN, RZ, RM, RP; for f32 APPROX
cuc_tile_sqrt_round(program, file, line, x, round) =
    ccall((:cuc_tile_sqrt_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, round)
# Remove an axis of extent 1.
cuc_tile_squeeze(program, file, line, x, axis) =
    ccall((:cuc_tile_squeeze, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, axis)
# Store a tile of a tensor by tile index. Elements outside the tensor are not written.
cuc_tile_store(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_store, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# adds
cuc_tile_store_add(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_store_add, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# bitwise
cuc_tile_store_and(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_store_and, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# Store a tile of a tensor by the index of its first element.
cuc_tile_store_at(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_store_at, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# keeps the larger
cuc_tile_store_max(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_store_max, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# keeps the smaller
cuc_tile_store_min(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_store_min, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# bitwise
cuc_tile_store_or(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_store_or, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# Store rows of a tensor. `ids` select elements of its first axis.
cuc_tile_store_rows(program, file, line, tensor, ids, count, index, x, options) =
    ccall((:cuc_tile_store_rows, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, ids, count, index, x, options)
# bitwise
cuc_tile_store_xor(program, file, line, tensor, count, index, x, options) =
    ccall((:cuc_tile_store_xor, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{cuc_tile}, cuc_tile, Ptr{cuc_tile_access_options}), program, file, line, tensor, count, index, x, options)
# A stride of a tensor, in elements.
cuc_tile_stride(program, file, line, tensor, axis) =
    ccall((:cuc_tile_stride, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, tensor, axis)
# x - y
cuc_tile_sub(program, file, line, x, y) =
    ccall((:cuc_tile_sub, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile), program, file, line, x, y)
# RN, RZ, RM, RP
cuc_tile_sub_round(program, file, line, x, y, round) =
    ccall((:cuc_tile_sub_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int32), program, file, line, x, y, round)
# the sum
cuc_tile_sum(program, file, line, x, count, axes) =
    ccall((:cuc_tile_sum, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}), program, file, line, x, count, axes)
# RN, RZ, RM, RP at each step
cuc_tile_sum_round(program, file, line, x, count, axes, round) =
    ccall((:cuc_tile_sum_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, UInt32, Ptr{Int64}, Int32), program, file, line, x, count, axes, round)
# Select elements by index along an axis.
cuc_tile_take(program, file, line, x, index, axis) =
    ccall((:cuc_tile_take, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, Int32), program, file, line, x, index, axis)
# the tangent
cuc_tile_tan(program, file, line, x) =
    ccall((:cuc_tile_tan, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# the hyperbolic tangent
cuc_tile_tanh(program, file, line, x) =
    ccall((:cuc_tile_tanh, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# RN; for f32 FULL, APPROX
cuc_tile_tanh_round(program, file, line, x, round) =
    ccall((:cuc_tile_tanh_round, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int32), program, file, line, x, round)
# Add a tensor to the kernel's parameters.
cuc_tile_tensor(program, file, line, name, dtype, extents) =
    ccall((:cuc_tile_tensor, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, Cstring, cuc_dtype, Cstring), program, file, line, name, dtype, extents)
# The largest elements along an axis, in descending order, and their indices.
cuc_tile_topk(values, indices, program, file, line, x, count, axis) =
    ccall((:cuc_tile_topk, libcucore), Cvoid, (Ptr{cuc_tile}, Ptr{cuc_tile}, Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, Int64, Int32), values, indices, program, file, line, x, count, axis)
# Transpose the last two axes.
cuc_tile_trans(program, file, line, x) =
    ccall((:cuc_tile_trans, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# the next integer towards 0
cuc_tile_trunc(program, file, line, x) =
    ccall((:cuc_tile_trunc, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, x)
# Create an integer constant from 0 to 2^64 - 1, beyond the range of cuc_tile_int().
cuc_tile_uint(program, file, line, value) =
    ccall((:cuc_tile_uint, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, UInt64), program, file, line, value)
# Enumerate the candidates for the auto() constants of a kernel, for the program's dimensions.
cuc_tile_visit_candidates(program, kernel, visit, user) =
    ccall((:cuc_tile_visit_candidates, libcucore), cuc_status, (Ptr{cuc_program}, Cstring, Ptr{Cvoid}, Ptr{Cvoid}), program, kernel, visit, user)
# Report which dimensions a kernel has with the given arguments, in the form of `dimensions` in cuc_program_options.
cuc_tile_visit_dimensions(program, kernel, args, count, visit, user) =
    ccall((:cuc_tile_visit_dimensions, libcucore), cuc_status, (Ptr{cuc_program}, Cstring, Ptr{cuc_arg}, Csize_t, Ptr{Cvoid}, Ptr{Cvoid}), program, kernel, args, count, visit, user)
# Select elements: from x where c is true, from y elsewhere.
cuc_tile_where(program, file, line, c, x, y) =
    ccall((:cuc_tile_where, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile, cuc_tile, cuc_tile), program, file, line, c, x, y)
# Leave the loop unless a condition holds.
cuc_tile_while(program, file, line, condition) =
    ccall((:cuc_tile_while, libcucore), Cvoid, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_tile), program, file, line, condition)
# Create a tile of zeros.
cuc_tile_zeros(program, file, line, dtype, rank, shape) =
    ccall((:cuc_tile_zeros, libcucore), cuc_tile, (Ptr{cuc_tile_program}, Cstring, UInt32, cuc_dtype, UInt32, Ptr{Int64}), program, file, line, dtype, rank, shape)
# Find the k largest elements of an array, or of each row of a tensor, in stream order.
cuc_topk(stream, k, flags, x, values, indices) =
    ccall((:cuc_topk, libcucore), cuc_status, (Ptr{cuc_stream}, Int64, UInt32, Ptr{cuc_tensor}, Ptr{cuc_tensor}, Ptr{cuc_tensor}), stream, k, flags, x, values, indices)
# Add a record to a file. It replaces a record with the same GPU, toolkit, program, kernel, constants and dimensions.
cuc_tuned_add(path, record) =
    ccall((:cuc_tuned_add, libcucore), cuc_status, (Cstring, Ptr{cuc_tuned_record}), path, record)
# Find the choice for a program on a GPU, for nearby extents.
cuc_tuned_find(choice, capacity, path, key) =
    ccall((:cuc_tuned_find, libcucore), cuc_status, (Ptr{UInt8}, Csize_t, Cstring, Ptr{cuc_tuned_record}), choice, capacity, path, key)
# Compute, from a tile program's text, its name in tuning records.
cuc_tuned_program(out, text, bytes) =
    ccall((:cuc_tuned_program, libcucore), cuc_status, (Ptr{UInt8}, Cstring, Csize_t), out, text, bytes)
# Keep the first of adjacent equal elements, in stream order; each value once if x is sorted.
cuc_unique(stream, x, y, count) =
    ccall((:cuc_unique, libcucore), cuc_status, (Ptr{cuc_stream}, Ptr{cuc_tensor}, Ptr{cuc_tensor}, Ptr{cuc_tensor}), stream, x, y, count)
# The version of the library loaded at run time, encoded like CUC_VERSION.
cuc_version() =
    ccall((:cuc_version, libcucore), UInt32, ())
# The version of the library loaded at run time, as a string.
cuc_version_string() =
    ccall((:cuc_version_string, libcucore), Cstring, ())
