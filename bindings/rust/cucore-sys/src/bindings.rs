// Written by api/api.py write. Do not edit.
// Everything public of libcucore, by its C names.

/// Result of a call: 0 is success, positive values are normal outcomes, negative values are
/// failures.
pub type cuc_status = i32;

/// An address in a device's memory, or in memory that a device can reach; 0 means no address.
pub type cuc_device_ptr = u64;

/// The type of an array element or of a kernel argument.
pub type cuc_dtype = i32;

/// A 32-bit value that kernels set and one conditional node reads. The handle is the driver's
/// CUgraphConditionalHandle, which equals cudaGraphConditionalHandle; pass it to kernels unchanged.
/// It belongs to its graph.
pub type cuc_condition = u64;

/// A value: a tile, a scalar, a constant or a tensor. 0 means none.
pub type cuc_tile = u32;

/// A variable, which holds successive values of one type. 0 means none.
pub type cuc_tile_variable = u32;

opaque! {
    /// A folder of compiled code.
    cuc_cache
}

opaque! {
    /// A device of the driver.
    cuc_device
}

opaque! {
    /// A driver context: a retained primary context, or a borrowed one created elsewhere.
    cuc_context
}

opaque! {
    /// An in-order queue of work on one device; it keeps its context alive.
    cuc_stream
}

opaque! {
    /// A point in a stream; it keeps its context alive.
    cuc_event
}

opaque! {
    /// A source of memory, which it allocates and frees.
    cuc_memory_resource
}

opaque! {
    /// A range of memory. It retains its resource and the stream that will free it, so the caller may
    /// release all three in any order.
    cuc_buffer
}

opaque! {
    /// A plan: the compiled code for one kind of work.
    cuc_algorithm
}

opaque! {
    /// A plan: the compiled code for one kind of attention.
    cuc_attention_plan
}

opaque! {
    /// The result of a search, with the locations that were tried first.
    cuc_found
}

opaque! {
    /// A plan: the compiled code for one kind of product.
    cuc_gemm_plan
}

opaque! {
    /// A partition of a device: its primary context with some of its multiprocessors.
    cuc_green_context
}

opaque! {
    /// Object code and, once loaded, the driver's library made from it.
    cuc_object
}

opaque! {
    /// A kernel of an object: kernel.h.
    cuc_kernel
}

opaque! {
    /// A source text with its options. It can be compiled many times, to different kinds of code.
    cuc_program
}

opaque! {
    /// The inputs and options of a link. A linker can link many times, and more inputs can be added in
    /// between.
    cuc_linker
}

opaque! {
    /// A captured graph. It retains the context in which it was captured.
    cuc_graph
}

opaque! {
    /// A launchable instance of a graph; it no longer needs the graph.
    cuc_graph_exec
}

opaque! {
    /// A node: the driver's CUgraphNode. It belongs to its graph and is destroyed with it.
    cuc_node
}

opaque! {
    /// A tile program under construction.
    cuc_tile_program
}

/// Receives a failure that no call can return, such as one during a release or in a callback.
pub type cuc_failure_fn = Option<unsafe extern "C" fn(message: *const c_char, user: *mut c_void)>;

/// Receives an entry. A nonzero result ends the walk.
pub type cuc_cache_visit = Option<unsafe extern "C" fn(user: *mut c_void, entry: *const cuc_cache_entry) -> i32>;

/// Receives the bytes of an entry, which are valid during the call.
pub type cuc_cache_receive = Option<unsafe extern "C" fn(user: *mut c_void, data: *const c_void, bytes: usize)>;

/// Callback of cuc_stream_add_callback(), called when the stream reaches it.
pub type cuc_stream_callback = Option<unsafe extern "C" fn(status: cuc_status, library_code: i32, user: *mut c_void)>;

/// Receives a choice in the form of tuning records, and the time in seconds that a model estimates for it. The text is valid only during the call.
pub type cuc_tuned_visit = Option<unsafe extern "C" fn(user: *mut c_void, choice: *const c_char, seconds: f64)>;

/// Builds the operation with which cuc_tile_reduce() and cuc_tile_scan() combine two elements. It is called once and builds operations on scalars. It must not access memory, use control flow, or use outside values other than constants.
pub type cuc_tile_combine = Option<unsafe extern "C" fn(user: *mut c_void, program: *mut cuc_tile_program, count: u32, x: *const cuc_tile, y: *const cuc_tile, result: *mut cuc_tile)>;

/// Receives one "NAME=EXTENT". The text is valid only during the call.
pub type cuc_tile_dimension_fn = Option<unsafe extern "C" fn(user: *mut c_void, dimension: *const c_char)>;

/// success
pub const CUC_OK: cuc_status = 0;
/// the work is not complete yet
pub const CUC_NOT_READY: cuc_status = 1;
/// an argument is not valid
pub const CUC_ERROR_INVALID_ARGUMENT: cuc_status = -1;
/// a handle is not alive or of another kind
pub const CUC_ERROR_INVALID_HANDLE: cuc_status = -2;
/// no host memory
pub const CUC_ERROR_OUT_OF_MEMORY: cuc_status = -3;
/// the device has not that much memory free
pub const CUC_ERROR_OUT_OF_DEVICE_MEMORY: cuc_status = -4;
/// no such name, file or library
pub const CUC_ERROR_NOT_FOUND: cuc_status = -5;
/// the device, driver or toolkit cannot do this
pub const CUC_ERROR_NOT_SUPPORTED: cuc_status = -6;
/// no CUDA driver could be loaded
pub const CUC_ERROR_NO_DRIVER: cuc_status = -7;
/// the CUDA driver is older than cucore needs
pub const CUC_ERROR_DRIVER_TOO_OLD: cuc_status = -8;
/// the CUDA driver sees no device
pub const CUC_ERROR_NO_DEVICE: cuc_status = -9;
/// the CUDA driver refused the call
pub const CUC_ERROR_DRIVER: cuc_status = -10;
/// the source does not compile
pub const CUC_ERROR_COMPILE: cuc_status = -11;
/// the inputs do not link
pub const CUC_ERROR_LINK: cuc_status = -12;
/// a CUDA toolkit library failed
pub const CUC_ERROR_TOOLKIT: cuc_status = -13;
/// an earlier failure destroyed the context
pub const CUC_ERROR_CONTEXT_LOST: cuc_status = -14;
/// the driver was initialised before fork()
pub const CUC_ERROR_FORKED: cuc_status = -15;
/// refused in the present state, such as during capture
pub const CUC_ERROR_BUSY: cuc_status = -16;
/// a file could not be read or written
pub const CUC_ERROR_IO: cuc_status = -17;
/// a mistake inside cucore
pub const CUC_ERROR_INTERNAL: cuc_status = -18;

/// unknown
pub const CUC_DTYPE_UNKNOWN: cuc_dtype = 0;
/// bool
pub const CUC_BOOL: cuc_dtype = 1;
/// i8
pub const CUC_I8: cuc_dtype = 2;
/// i16
pub const CUC_I16: cuc_dtype = 3;
/// i32
pub const CUC_I32: cuc_dtype = 4;
/// i64
pub const CUC_I64: cuc_dtype = 5;
/// u8
pub const CUC_U8: cuc_dtype = 6;
/// u16
pub const CUC_U16: cuc_dtype = 7;
/// u32
pub const CUC_U32: cuc_dtype = 8;
/// u64
pub const CUC_U64: cuc_dtype = 9;
/// f16
pub const CUC_F16: cuc_dtype = 10;
/// bf16
pub const CUC_BF16: cuc_dtype = 11;
/// f32
pub const CUC_F32: cuc_dtype = 12;
/// tf32
pub const CUC_TF32: cuc_dtype = 13;
/// f64
pub const CUC_F64: cuc_dtype = 14;
/// e4m3
pub const CUC_E4M3: cuc_dtype = 15;
/// e5m2
pub const CUC_E5M2: cuc_dtype = 16;
/// e8m0
pub const CUC_E8M0: cuc_dtype = 17;
/// c64
pub const CUC_C64: cuc_dtype = 18;
/// c128
pub const CUC_C128: cuc_dtype = 19;

pub const CUC_DEFAULT: i32 = 0;
pub const CUC_ON: i32 = 1;
pub const CUC_OFF: i32 = 2;

pub const CUC_ZERO: i32 = -1;

/// cucore
pub const CUC_LIBRARY_NONE: i32 = 0;
/// CUDA driver
pub const CUC_LIBRARY_DRIVER: i32 = 1;
/// NVRTC
pub const CUC_LIBRARY_NVRTC: i32 = 2;
/// nvJitLink
pub const CUC_LIBRARY_NVJITLINK: i32 = 3;
/// NVML
pub const CUC_LIBRARY_NVML: i32 = 4;
/// CUDA runtime
pub const CUC_LIBRARY_RUNTIME: i32 = 5;
/// tile compiler
pub const CUC_LIBRARY_TILE: i32 = 6;
/// nvFatbin
pub const CUC_LIBRARY_NVFATBIN: i32 = 7;

/// max_threads_per_block
pub const CUC_DEVICE_MAX_THREADS_PER_BLOCK: i32 = 1;
/// max_block_dim_x
pub const CUC_DEVICE_MAX_BLOCK_DIM_X: i32 = 2;
/// max_block_dim_y
pub const CUC_DEVICE_MAX_BLOCK_DIM_Y: i32 = 3;
/// max_block_dim_z
pub const CUC_DEVICE_MAX_BLOCK_DIM_Z: i32 = 4;
/// max_grid_dim_x
pub const CUC_DEVICE_MAX_GRID_DIM_X: i32 = 5;
/// max_grid_dim_y
pub const CUC_DEVICE_MAX_GRID_DIM_Y: i32 = 6;
/// max_grid_dim_z
pub const CUC_DEVICE_MAX_GRID_DIM_Z: i32 = 7;
/// max_shared_memory_per_block
pub const CUC_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK: i32 = 8;
/// total_constant_memory
pub const CUC_DEVICE_TOTAL_CONSTANT_MEMORY: i32 = 9;
/// warp_size
pub const CUC_DEVICE_WARP_SIZE: i32 = 10;
/// max_pitch
pub const CUC_DEVICE_MAX_PITCH: i32 = 11;
/// max_registers_per_block
pub const CUC_DEVICE_MAX_REGISTERS_PER_BLOCK: i32 = 12;
/// clock_rate
pub const CUC_DEVICE_CLOCK_RATE: i32 = 13;
/// texture_alignment
pub const CUC_DEVICE_TEXTURE_ALIGNMENT: i32 = 14;
/// gpu_overlap
pub const CUC_DEVICE_GPU_OVERLAP: i32 = 15;
/// multiprocessor_count
pub const CUC_DEVICE_MULTIPROCESSOR_COUNT: i32 = 16;
/// kernel_exec_timeout
pub const CUC_DEVICE_KERNEL_EXEC_TIMEOUT: i32 = 17;
/// integrated
pub const CUC_DEVICE_INTEGRATED: i32 = 18;
/// can_map_host_memory
pub const CUC_DEVICE_CAN_MAP_HOST_MEMORY: i32 = 19;
/// compute_mode
pub const CUC_DEVICE_COMPUTE_MODE: i32 = 20;
/// maximum_texture1d_width
pub const CUC_DEVICE_MAXIMUM_TEXTURE1D_WIDTH: i32 = 21;
/// maximum_texture2d_width
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_WIDTH: i32 = 22;
/// maximum_texture2d_height
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_HEIGHT: i32 = 23;
/// maximum_texture3d_width
pub const CUC_DEVICE_MAXIMUM_TEXTURE3D_WIDTH: i32 = 24;
/// maximum_texture3d_height
pub const CUC_DEVICE_MAXIMUM_TEXTURE3D_HEIGHT: i32 = 25;
/// maximum_texture3d_depth
pub const CUC_DEVICE_MAXIMUM_TEXTURE3D_DEPTH: i32 = 26;
/// maximum_texture2d_layered_width
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH: i32 = 27;
/// maximum_texture2d_layered_height
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: i32 = 28;
/// maximum_texture2d_layered_layers
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS: i32 = 29;
/// surface_alignment
pub const CUC_DEVICE_SURFACE_ALIGNMENT: i32 = 30;
/// concurrent_kernels
pub const CUC_DEVICE_CONCURRENT_KERNELS: i32 = 31;
/// ecc_enabled
pub const CUC_DEVICE_ECC_ENABLED: i32 = 32;
/// pci_bus_id
pub const CUC_DEVICE_PCI_BUS_ID: i32 = 33;
/// pci_device_id
pub const CUC_DEVICE_PCI_DEVICE_ID: i32 = 34;
/// tcc_driver
pub const CUC_DEVICE_TCC_DRIVER: i32 = 35;
/// memory_clock_rate
pub const CUC_DEVICE_MEMORY_CLOCK_RATE: i32 = 36;
/// global_memory_bus_width
pub const CUC_DEVICE_GLOBAL_MEMORY_BUS_WIDTH: i32 = 37;
/// l2_cache_size
pub const CUC_DEVICE_L2_CACHE_SIZE: i32 = 38;
/// max_threads_per_multiprocessor
pub const CUC_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR: i32 = 39;
/// async_engine_count
pub const CUC_DEVICE_ASYNC_ENGINE_COUNT: i32 = 40;
/// unified_addressing
pub const CUC_DEVICE_UNIFIED_ADDRESSING: i32 = 41;
/// maximum_texture1d_layered_width
pub const CUC_DEVICE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH: i32 = 42;
/// maximum_texture1d_layered_layers
pub const CUC_DEVICE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS: i32 = 43;
/// can_tex2d_gather
pub const CUC_DEVICE_CAN_TEX2D_GATHER: i32 = 44;
/// maximum_texture2d_gather_width
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_GATHER_WIDTH: i32 = 45;
/// maximum_texture2d_gather_height
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT: i32 = 46;
/// maximum_texture3d_width_alternate
pub const CUC_DEVICE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE: i32 = 47;
/// maximum_texture3d_height_alternate
pub const CUC_DEVICE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE: i32 = 48;
/// maximum_texture3d_depth_alternate
pub const CUC_DEVICE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE: i32 = 49;
/// pci_domain_id
pub const CUC_DEVICE_PCI_DOMAIN_ID: i32 = 50;
/// texture_pitch_alignment
pub const CUC_DEVICE_TEXTURE_PITCH_ALIGNMENT: i32 = 51;
/// maximum_texturecubemap_width
pub const CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_WIDTH: i32 = 52;
/// maximum_texturecubemap_layered_width
pub const CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH: i32 = 53;
/// maximum_texturecubemap_layered_layers
pub const CUC_DEVICE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS: i32 = 54;
/// maximum_surface1d_width
pub const CUC_DEVICE_MAXIMUM_SURFACE1D_WIDTH: i32 = 55;
/// maximum_surface2d_width
pub const CUC_DEVICE_MAXIMUM_SURFACE2D_WIDTH: i32 = 56;
/// maximum_surface2d_height
pub const CUC_DEVICE_MAXIMUM_SURFACE2D_HEIGHT: i32 = 57;
/// maximum_surface3d_width
pub const CUC_DEVICE_MAXIMUM_SURFACE3D_WIDTH: i32 = 58;
/// maximum_surface3d_height
pub const CUC_DEVICE_MAXIMUM_SURFACE3D_HEIGHT: i32 = 59;
/// maximum_surface3d_depth
pub const CUC_DEVICE_MAXIMUM_SURFACE3D_DEPTH: i32 = 60;
/// maximum_surface1d_layered_width
pub const CUC_DEVICE_MAXIMUM_SURFACE1D_LAYERED_WIDTH: i32 = 61;
/// maximum_surface1d_layered_layers
pub const CUC_DEVICE_MAXIMUM_SURFACE1D_LAYERED_LAYERS: i32 = 62;
/// maximum_surface2d_layered_width
pub const CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_WIDTH: i32 = 63;
/// maximum_surface2d_layered_height
pub const CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT: i32 = 64;
/// maximum_surface2d_layered_layers
pub const CUC_DEVICE_MAXIMUM_SURFACE2D_LAYERED_LAYERS: i32 = 65;
/// maximum_surfacecubemap_width
pub const CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_WIDTH: i32 = 66;
/// maximum_surfacecubemap_layered_width
pub const CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: i32 = 67;
/// maximum_surfacecubemap_layered_layers
pub const CUC_DEVICE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: i32 = 68;
/// maximum_texture1d_linear_width
pub const CUC_DEVICE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH: i32 = 69;
/// maximum_texture2d_linear_width
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH: i32 = 70;
/// maximum_texture2d_linear_height
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: i32 = 71;
/// maximum_texture2d_linear_pitch
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_LINEAR_PITCH: i32 = 72;
/// maximum_texture2d_mipmapped_width
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH: i32 = 73;
/// maximum_texture2d_mipmapped_height
pub const CUC_DEVICE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT: i32 = 74;
/// compute_capability_major
pub const CUC_DEVICE_COMPUTE_CAPABILITY_MAJOR: i32 = 75;
/// compute_capability_minor
pub const CUC_DEVICE_COMPUTE_CAPABILITY_MINOR: i32 = 76;
/// maximum_texture1d_mipmapped_width
pub const CUC_DEVICE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH: i32 = 77;
/// stream_priorities_supported
pub const CUC_DEVICE_STREAM_PRIORITIES_SUPPORTED: i32 = 78;
/// global_l1_cache_supported
pub const CUC_DEVICE_GLOBAL_L1_CACHE_SUPPORTED: i32 = 79;
/// local_l1_cache_supported
pub const CUC_DEVICE_LOCAL_L1_CACHE_SUPPORTED: i32 = 80;
/// max_shared_memory_per_multiprocessor
pub const CUC_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: i32 = 81;
/// max_registers_per_multiprocessor
pub const CUC_DEVICE_MAX_REGISTERS_PER_MULTIPROCESSOR: i32 = 82;
/// managed_memory
pub const CUC_DEVICE_MANAGED_MEMORY: i32 = 83;
/// multi_gpu_board
pub const CUC_DEVICE_MULTI_GPU_BOARD: i32 = 84;
/// multi_gpu_board_group_id
pub const CUC_DEVICE_MULTI_GPU_BOARD_GROUP_ID: i32 = 85;
/// host_native_atomic_supported
pub const CUC_DEVICE_HOST_NATIVE_ATOMIC_SUPPORTED: i32 = 86;
/// single_to_double_precision_perf_ratio
pub const CUC_DEVICE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: i32 = 87;
/// pageable_memory_access
pub const CUC_DEVICE_PAGEABLE_MEMORY_ACCESS: i32 = 88;
/// concurrent_managed_access
pub const CUC_DEVICE_CONCURRENT_MANAGED_ACCESS: i32 = 89;
/// compute_preemption_supported
pub const CUC_DEVICE_COMPUTE_PREEMPTION_SUPPORTED: i32 = 90;
/// can_use_host_pointer_for_registered_mem
pub const CUC_DEVICE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: i32 = 91;
/// cooperative_launch
pub const CUC_DEVICE_COOPERATIVE_LAUNCH: i32 = 95;
/// max_shared_memory_per_block_optin
pub const CUC_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: i32 = 97;
/// can_flush_remote_writes
pub const CUC_DEVICE_CAN_FLUSH_REMOTE_WRITES: i32 = 98;
/// host_register_supported
pub const CUC_DEVICE_HOST_REGISTER_SUPPORTED: i32 = 99;
/// pageable_memory_access_uses_host_page_tables
pub const CUC_DEVICE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: i32 = 100;
/// direct_managed_mem_access_from_host
pub const CUC_DEVICE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST: i32 = 101;
/// virtual_memory_management_supported
pub const CUC_DEVICE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: i32 = 102;
/// handle_type_posix_file_descriptor_supported
pub const CUC_DEVICE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: i32 = 103;
/// handle_type_win32_handle_supported
pub const CUC_DEVICE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED: i32 = 104;
/// handle_type_win32_kmt_handle_supported
pub const CUC_DEVICE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED: i32 = 105;
/// max_blocks_per_multiprocessor
pub const CUC_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR: i32 = 106;
/// generic_compression_supported
pub const CUC_DEVICE_GENERIC_COMPRESSION_SUPPORTED: i32 = 107;
/// max_persisting_l2_cache_size
pub const CUC_DEVICE_MAX_PERSISTING_L2_CACHE_SIZE: i32 = 108;
/// max_access_policy_window_size
pub const CUC_DEVICE_MAX_ACCESS_POLICY_WINDOW_SIZE: i32 = 109;
/// gpu_direct_rdma_with_cuda_vmm_supported
pub const CUC_DEVICE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: i32 = 110;
/// reserved_shared_memory_per_block
pub const CUC_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK: i32 = 111;
/// sparse_cuda_array_supported
pub const CUC_DEVICE_SPARSE_CUDA_ARRAY_SUPPORTED: i32 = 112;
/// read_only_host_register_supported
pub const CUC_DEVICE_READ_ONLY_HOST_REGISTER_SUPPORTED: i32 = 113;
/// timeline_semaphore_interop_supported
pub const CUC_DEVICE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED: i32 = 114;
/// memory_pools_supported
pub const CUC_DEVICE_MEMORY_POOLS_SUPPORTED: i32 = 115;
/// gpu_direct_rdma_supported
pub const CUC_DEVICE_GPU_DIRECT_RDMA_SUPPORTED: i32 = 116;
/// gpu_direct_rdma_flush_writes_options
pub const CUC_DEVICE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: i32 = 117;
/// gpu_direct_rdma_writes_ordering
pub const CUC_DEVICE_GPU_DIRECT_RDMA_WRITES_ORDERING: i32 = 118;
/// mempool_supported_handle_types
pub const CUC_DEVICE_MEMPOOL_SUPPORTED_HANDLE_TYPES: i32 = 119;
/// cluster_launch
pub const CUC_DEVICE_CLUSTER_LAUNCH: i32 = 120;
/// deferred_mapping_cuda_array_supported
pub const CUC_DEVICE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED: i32 = 121;
/// can_use_64_bit_stream_mem_ops
pub const CUC_DEVICE_CAN_USE_64_BIT_STREAM_MEM_OPS: i32 = 122;
/// can_use_stream_wait_value_nor
pub const CUC_DEVICE_CAN_USE_STREAM_WAIT_VALUE_NOR: i32 = 123;
/// dma_buf_supported
pub const CUC_DEVICE_DMA_BUF_SUPPORTED: i32 = 124;
/// ipc_event_supported
pub const CUC_DEVICE_IPC_EVENT_SUPPORTED: i32 = 125;
/// mem_sync_domain_count
pub const CUC_DEVICE_MEM_SYNC_DOMAIN_COUNT: i32 = 126;
/// tensor_map_access_supported
pub const CUC_DEVICE_TENSOR_MAP_ACCESS_SUPPORTED: i32 = 127;
/// handle_type_fabric_supported
pub const CUC_DEVICE_HANDLE_TYPE_FABRIC_SUPPORTED: i32 = 128;
/// unified_function_pointers
pub const CUC_DEVICE_UNIFIED_FUNCTION_POINTERS: i32 = 129;
/// numa_config
pub const CUC_DEVICE_NUMA_CONFIG: i32 = 130;
/// numa_id
pub const CUC_DEVICE_NUMA_ID: i32 = 131;
/// multicast_supported
pub const CUC_DEVICE_MULTICAST_SUPPORTED: i32 = 132;
/// mps_enabled
pub const CUC_DEVICE_MPS_ENABLED: i32 = 133;
/// host_numa_id
pub const CUC_DEVICE_HOST_NUMA_ID: i32 = 134;
/// d3d12_cig_supported
pub const CUC_DEVICE_D3D12_CIG_SUPPORTED: i32 = 135;
/// mem_decompress_algorithm_mask
pub const CUC_DEVICE_MEM_DECOMPRESS_ALGORITHM_MASK: i32 = 136;
/// mem_decompress_maximum_length
pub const CUC_DEVICE_MEM_DECOMPRESS_MAXIMUM_LENGTH: i32 = 137;
/// vulkan_cig_supported
pub const CUC_DEVICE_VULKAN_CIG_SUPPORTED: i32 = 138;
/// gpu_pci_device_id
pub const CUC_DEVICE_GPU_PCI_DEVICE_ID: i32 = 139;
/// gpu_pci_subsystem_id
pub const CUC_DEVICE_GPU_PCI_SUBSYSTEM_ID: i32 = 140;
/// host_numa_virtual_memory_management_supported
pub const CUC_DEVICE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: i32 = 141;
/// host_numa_memory_pools_supported
pub const CUC_DEVICE_HOST_NUMA_MEMORY_POOLS_SUPPORTED: i32 = 142;
/// host_numa_multinode_ipc_supported
pub const CUC_DEVICE_HOST_NUMA_MULTINODE_IPC_SUPPORTED: i32 = 143;
/// host_memory_pools_supported
pub const CUC_DEVICE_HOST_MEMORY_POOLS_SUPPORTED: i32 = 144;
/// host_virtual_memory_management_supported
pub const CUC_DEVICE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: i32 = 145;
/// host_alloc_dma_buf_supported
pub const CUC_DEVICE_HOST_ALLOC_DMA_BUF_SUPPORTED: i32 = 146;
/// only_partial_host_native_atomic_supported
pub const CUC_DEVICE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED: i32 = 147;

pub const CUC_SENSOR_SM_CLOCK: u32 = 1;
pub const CUC_SENSOR_MEMORY_CLOCK: u32 = 2;
pub const CUC_SENSOR_TEMPERATURE: u32 = 4;
pub const CUC_SENSOR_POWER: u32 = 8;
/// needs a driver of CUDA 12.2 or later
pub const CUC_SENSOR_THROTTLE: u32 = 16;

/// idle
pub const CUC_THROTTLE_IDLE: i32 = 1;
/// application clocks are set
pub const CUC_THROTTLE_SETTING: i32 = 2;
/// power limit reached
pub const CUC_THROTTLE_POWER_CAP: i32 = 4;
/// any hardware cause
pub const CUC_THROTTLE_HARDWARE: i32 = 8;
/// synchronized with other devices
pub const CUC_THROTTLE_SYNC_BOOST: i32 = 16;
/// software thermal slowdown
pub const CUC_THROTTLE_THERMAL: i32 = 32;
/// hardware thermal slowdown
pub const CUC_THROTTLE_HOT: i32 = 64;
/// requested by the power supply
pub const CUC_THROTTLE_POWER_BRAKE: i32 = 128;
/// display
pub const CUC_THROTTLE_DISPLAY: i32 = 256;

pub const CUC_PEER_PERFORMANCE_RANK: i32 = 1;
pub const CUC_PEER_ACCESS_SUPPORTED: i32 = 2;
pub const CUC_PEER_NATIVE_ATOMIC_SUPPORTED: i32 = 3;
pub const CUC_PEER_CUDA_ARRAY_ACCESS_SUPPORTED: i32 = 4;
pub const CUC_PEER_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED: i32 = 5;

/// The stream and the legacy default stream wait for each other, like CUDA's blocking streams.
pub const CUC_STREAM_SYNC_LEGACY: u32 = 1;

/// synchronizes in both directions with every CUC_STREAM_SYNC_LEGACY stream
pub const CUC_STREAM_LEGACY: i32 = 0;
/// a separate queue for each thread that uses it
pub const CUC_STREAM_PER_THREAD: i32 = 1;

/// (int)(memory - value) \>= 0, in wrap-around arithmetic
pub const CUC_WAIT_GEQ: u32 = 0;
/// memory == value
pub const CUC_WAIT_EQ: u32 = 1;
/// (memory & value) != 0
pub const CUC_WAIT_AND: u32 = 2;
/// ~(memory | value) != 0; a device attribute reports support
pub const CUC_WAIT_NOR: u32 = 3;
/// Add it to flush outstanding remote writes after the wait; a device attribute reports support.
pub const CUC_WAIT_FLUSH: u32 = 1073741824;

/// does not order the stream's earlier writes before this one
pub const CUC_WRITE_NO_MEMORY_BARRIER: i32 = 1;

/// on a device; the host cannot reach it
pub const CUC_MEMORY_DEVICE: i32 = 0;
/// page-locked on the host; devices reach it
pub const CUC_MEMORY_PINNED: i32 = 1;
/// migrates between host and devices on use
pub const CUC_MEMORY_MANAGED: i32 = 2;
/// from a user-defined resource
pub const CUC_MEMORY_CUSTOM: i32 = 3;
/// host memory that the driver does not know
pub const CUC_MEMORY_UNREGISTERED: i32 = 4;

/// kernels and device copies
pub const CUC_MEMORY_ACCESS_DEVICE: u32 = 1;
/// the CPU, through the same address
pub const CUC_MEMORY_ACCESS_HOST: u32 = 2;
/// managed memory: can be prefetched, advised and discarded
pub const CUC_MEMORY_ACCESS_MANAGED: u32 = 4;

/// no place, or no preference
pub const CUC_LOCATION_NONE: i32 = 0;
/// id is a device's ordinal
pub const CUC_LOCATION_DEVICE: i32 = 1;
/// id is 0
pub const CUC_LOCATION_HOST: i32 = 2;
/// id is a NUMA node of the host
pub const CUC_LOCATION_HOST_NUMA: i32 = 3;
/// the calling thread's NUMA node; id is 0
pub const CUC_LOCATION_HOST_NUMA_CURRENT: i32 = 4;

/// usable by the device's decompression engine
pub const CUC_MEMORY_POOL_HW_DECOMPRESS: u32 = 1;
/// other processes can import its memory
pub const CUC_MEMORY_POOL_IPC: u32 = 2;

/// reuse_follow_event_dependencies
pub const CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES: i32 = 1;
/// reuse_allow_opportunistic
pub const CUC_MEMORY_POOL_REUSE_ALLOW_OPPORTUNISTIC: i32 = 2;
/// reuse_allow_internal_dependencies
pub const CUC_MEMORY_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES: i32 = 3;
/// bytes
pub const CUC_MEMORY_POOL_RELEASE_THRESHOLD: i32 = 4;
/// read only
pub const CUC_MEMORY_POOL_RESERVED_CURRENT: i32 = 5;
/// 0 resets it
pub const CUC_MEMORY_POOL_RESERVED_HIGH: i32 = 6;
/// read only
pub const CUC_MEMORY_POOL_USED_CURRENT: i32 = 7;
/// 0 resets it
pub const CUC_MEMORY_POOL_USED_HIGH: i32 = 8;

pub const CUC_ACCESS_NONE: i32 = 0;
/// only reported, never set, because the driver has no read-only access to pools
pub const CUC_ACCESS_READ: i32 = 1;
pub const CUC_ACCESS_READ_WRITE: i32 = 3;

/// each reader gets its own copy; location is ignored
pub const CUC_ADVISE_SET_READ_MOSTLY: i32 = 1;
/// location is ignored
pub const CUC_ADVISE_UNSET_READ_MOSTLY: i32 = 2;
/// stay at the location when possible
pub const CUC_ADVISE_SET_PREFERRED_LOCATION: i32 = 3;
/// location is ignored
pub const CUC_ADVISE_UNSET_PREFERRED_LOCATION: i32 = 4;
/// stay mapped for this location, wherever the memory resides
pub const CUC_ADVISE_SET_ACCESSED_BY: i32 = 5;
/// undo CUC_ADVISE_SET_ACCESSED_BY for this location
pub const CUC_ADVISE_UNSET_ACCESSED_BY: i32 = 6;

/// for the contexts of every device; always on with unified addressing
pub const CUC_HOST_PORTABLE: u32 = 1;
/// give kernels an address; always on with unified addressing
pub const CUC_HOST_MAPPED: u32 = 2;
/// the memory belongs to another device, such as a PCI BAR
pub const CUC_HOST_IO_MEMORY: u32 = 4;
/// kernels only read the memory; for memory mapped without write access
pub const CUC_HOST_READ_ONLY: u32 = 8;

/// its memory must not be written
pub const CUC_TENSOR_READ_ONLY: u32 = 1;
/// page-locked host memory, which kernels on every device can access
pub const CUC_TENSOR_PINNED: u32 = 2;
/// managed memory, which the host and every device can access
pub const CUC_TENSOR_MANAGED: u32 = 4;

pub const CUC_DL_CPU: i32 = 1;
pub const CUC_DL_CUDA: i32 = 2;
/// pinned host memory
pub const CUC_DL_CUDA_HOST: i32 = 3;
/// managed memory
pub const CUC_DL_CUDA_MANAGED: i32 = 13;

pub const CUC_DL_INT: i32 = 0;
pub const CUC_DL_UINT: i32 = 1;
pub const CUC_DL_FLOAT: i32 = 2;
pub const CUC_DL_OPAQUE: i32 = 3;
pub const CUC_DL_BFLOAT: i32 = 4;
pub const CUC_DL_COMPLEX: i32 = 5;
pub const CUC_DL_BOOL: i32 = 6;
pub const CUC_DL_FLOAT8_E4M3FN: i32 = 10;
pub const CUC_DL_FLOAT8_E5M2: i32 = 12;
pub const CUC_DL_FLOAT8_E8M0FNU: i32 = 14;

pub const CUC_DL_READ_ONLY: u32 = 1;
pub const CUC_DL_IS_COPIED: u32 = 2;
pub const CUC_DL_SUBBYTE_PADDED: u32 = 4;

/// out\[i\] = fn(values of element i)
pub const CUC_ALGORITHM_TRANSFORM: i32 = 1;
/// combines the values of all elements to one
pub const CUC_ALGORITHM_REDUCE: i32 = 2;
/// out\[i\] combines the values of elements 0 to i
pub const CUC_ALGORITHM_SCAN: i32 = 3;
/// keeps the elements that fn accepts, in their order
pub const CUC_ALGORITHM_SELECT: i32 = 4;
/// also keeps the others, in other outputs
pub const CUC_ALGORITHM_PARTITION: i32 = 5;
/// keeps the first of adjacent equal elements
pub const CUC_ALGORITHM_UNIQUE: i32 = 6;
/// counts the elements of each bin
pub const CUC_ALGORITHM_HISTOGRAM: i32 = 7;
/// reduces each run of elements with equal keys
pub const CUC_ALGORITHM_REDUCE_BY_KEY: i32 = 8;
/// scans each run of elements with equal keys
pub const CUC_ALGORITHM_SCAN_BY_KEY: i32 = 9;
/// reduces each segment of elements
pub const CUC_ALGORITHM_REDUCE_SEGMENTS: i32 = 10;
/// orders elements by their keys; stable
pub const CUC_ALGORITHM_SORT: i32 = 11;
/// merges two sorted sequences
pub const CUC_ALGORITHM_MERGE: i32 = 12;
/// sorts, with a comparison
pub const CUC_ALGORITHM_MERGE_SORT: i32 = 13;
/// sorts each segment, or each row
pub const CUC_ALGORITHM_SORT_SEGMENTS: i32 = 14;
/// finds the k largest elements, the largest first
pub const CUC_ALGORITHM_TOPK: i32 = 15;
/// does so in each row of a \[rows, n\] tensor
pub const CUC_ALGORITHM_TOPK_ROWS: i32 = 16;
/// keeps the elements in the outputs of three parts
pub const CUC_ALGORITHM_PARTITION3: i32 = 17;
/// elements of either sorted sequence
pub const CUC_ALGORITHM_UNION: i32 = 18;
/// elements of both
pub const CUC_ALGORITHM_INTERSECTION: i32 = 19;
/// elements of the first that are not in the second
pub const CUC_ALGORITHM_DIFFERENCE: i32 = 20;
/// elements of one that are not in the other
pub const CUC_ALGORITHM_SYMMETRIC_DIFFERENCE: i32 = 21;

/// The number of elements is on the device: calls read it from device_count, in stream order
pub const CUC_ALGORITHM_DEVICE_COUNT: u32 = 1;
/// Launch in plain stream order instead of programmatically. Needed only if the preceding kernel is your own, is launched with CUC_LAUNCH_PROGRAMMATIC, and never waits for the kernel before it
pub const CUC_ALGORITHM_PLAIN_LAUNCH: u32 = 2;
/// A scan's out\[i\] combines the elements before i; that of the first is the identity
pub const CUC_ALGORITHM_EXCLUSIVE: u32 = 4;
/// A sort starts with the largest key; elements with equal keys still keep their order
pub const CUC_ALGORITHM_DESCENDING: u32 = 8;
/// TOPK and TOPK_ROWS find the smallest elements, the smallest first
pub const CUC_ALGORITHM_SMALLEST: u32 = 16;

/// in every run on the same kind of device
pub const CUC_ALGORITHM_RUN_TO_RUN: i32 = 0;
/// Not at all: the order in which blocks end may decide the order of operations
pub const CUC_ALGORITHM_ANY_ORDER: i32 = 1;
/// On every device, for plans with the same options and arrays of the same lengths, strides and alignment. Grids, tiles and warps then suit no device in particular, which takes longer
pub const CUC_ALGORITHM_EVERY_GPU: i32 = 2;

/// Count the elements that are not greater, instead of those that are less
pub const CUC_SEARCH_UPPER: u32 = 1;

/// all keys, or those of the window
pub const CUC_ATTENTION_FULL: i32 = 0;
/// no key after the query's diagonal key
pub const CUC_ATTENTION_CAUSAL: i32 = 1;

/// key i: the first query and the first key belong together
pub const CUC_ATTENTION_TOP_LEFT: i32 = 0;
/// key i + keys - queries: the last query and the last key belong together
pub const CUC_ATTENTION_BOTTOM_RIGHT: i32 = 1;

/// \[batch, heads, sequence, width\]
pub const CUC_ATTENTION_HEADS_FIRST: i32 = 0;
/// \[batch, sequence, heads, width\]
pub const CUC_ATTENTION_SEQUENCE_FIRST: i32 = 1;

/// calls also write lse, the logarithm of each row's sum
pub const CUC_ATTENTION_LSE: u32 = 1;
/// Launch in plain stream order instead of programmatically. Needed only if the preceding kernel is your own, is launched with CUC_LAUNCH_PROGRAMMATIC, and never waits for the kernel before it: attention would wait only for your kernel.
pub const CUC_ATTENTION_PLAIN_LAUNCH: u32 = 2;
/// Each head has a sink, one more score that takes part in the softmax of each row but has no value.
pub const CUC_ATTENTION_SINKS: u32 = 4;
/// Sequences of any lengths lie one after another in the arrays, which have no batch axis.
pub const CUC_ATTENTION_VARIABLE: u32 = 8;
/// The plan also has kernels for cuc_attention_backward(); implies CUC_ATTENTION_LSE. Not with pages, CUC_ATTENTION_KEY_LENGTHS and e4m3.
pub const CUC_ATTENTION_BACKWARD: u32 = 16;
/// k and v are a cache: of each sequence only the first key_lengths\[b\] keys count. A page_size implies it
pub const CUC_ATTENTION_KEY_LENGTHS: u32 = 32;
/// Only for e4m3 without a cache: sums over all keys stay in the tensor cores, which keep only 13 bits. Faster, but values that mostly have one sign lose some percent over thousands of keys. Without effect on few queries
pub const CUC_ATTENTION_FAST_ACC: u32 = 64;

/// one, by cuc_gemm()
pub const CUC_GEMM_SINGLE: i32 = 0;
/// many of the same shape, by cuc_gemm_batched()
pub const CUC_GEMM_BATCHED: i32 = 1;
/// many that share n and k, each with its own rows of a and d, by cuc_gemm_grouped()
pub const CUC_GEMM_GROUPED: i32 = 2;

/// rows are contiguous: strides are \[leading dimension, 1\]
pub const CUC_GEMM_ROW_MAJOR: i32 = 0;
/// columns are contiguous, as in BLAS: \[1, leading dimension\]
pub const CUC_GEMM_COLUMN_MAJOR: i32 = 1;

/// none
pub const CUC_GEMM_LINEAR: i32 = 0;
/// max(x, 0); NaN is kept
pub const CUC_GEMM_RELU: i32 = 1;
/// x (1 + erf(x / sqrt 2)) / 2
pub const CUC_GEMM_GELU: i32 = 2;
/// the tanh approximation of GELU, as in cuBLASLt
pub const CUC_GEMM_GELU_TANH: i32 = 3;
/// x / (1 + exp(-x))
pub const CUC_GEMM_SILU: i32 = 4;
/// x where aux \> 0; otherwise 0
pub const CUC_GEMM_RELU_DERIVATIVE: i32 = 5;
/// of CUC_GEMM_GELU
pub const CUC_GEMM_GELU_DERIVATIVE: i32 = 6;
/// of CUC_GEMM_GELU_TANH
pub const CUC_GEMM_GELU_TANH_DERIVATIVE: i32 = 7;
/// of CUC_GEMM_SILU
pub const CUC_GEMM_SILU_DERIVATIVE: i32 = 8;

pub const CUC_GEMM_NO_BIAS: i32 = 0;
/// per column of d: \[n\], or \[groups, n\] if grouped
pub const CUC_GEMM_BIAS_COLUMNS: i32 = 1;
/// per row of d: \[m\]; not for grouped products
pub const CUC_GEMM_BIAS_ROWS: i32 = 2;

pub const CUC_GEMM_NO_GRADIENT: i32 = 0;
/// of each column of d, before it is rounded: \[n\]
pub const CUC_GEMM_GRADIENT_COLUMNS: i32 = 1;
/// of each row of d, before it is rounded: \[m\]
pub const CUC_GEMM_GRADIENT_ROWS: i32 = 2;
/// of each row of a: \[m\]
pub const CUC_GEMM_GRADIENT_A: i32 = 3;
/// of each column of b: \[n\]
pub const CUC_GEMM_GRADIENT_B: i32 = 4;

pub const CUC_GEMM_PACK_A: u32 = 1;
pub const CUC_GEMM_PACK_B: u32 = 2;
pub const CUC_GEMM_PACK_NONE: u32 = 4;
/// With the bit of the operand: its packed copy has the other order. Tensor cores take tf32 and 8-bit types only with a row-major a and a column-major b.
pub const CUC_GEMM_PACK_TRANSPOSED_A: u32 = 8;
/// With the bit of the operand: its packed copy has the other order. Tensor cores take tf32 and 8-bit types only with a row-major a and a column-major b.
pub const CUC_GEMM_PACK_TRANSPOSED_B: u32 = 16;

/// correctly rounded multiply-adds, without tensor cores
pub const CUC_GEMM_IEEE: i32 = 0;
/// operands rounded to 11 bits, on tensor cores
pub const CUC_GEMM_TF32: i32 = 1;
/// three TF32 products, which preserve nearly all bits of f32
pub const CUC_GEMM_TF32X3: i32 = 2;

/// all products of a batch share a, which then has two axes
pub const CUC_GEMM_SHARED_A: u32 = 1;
/// all products of a batch share b, which then has two axes
pub const CUC_GEMM_SHARED_B: u32 = 2;
/// 8-bit floats: accumulate with fewer bits, which is faster
pub const CUC_GEMM_FAST_ACC: u32 = 4;
/// multiply the product by row_scale, f32 \[m\]
pub const CUC_GEMM_SCALED_ROWS: u32 = 8;
/// multiply the product by column_scale, f32 \[n\]
pub const CUC_GEMM_SCALED_COLUMNS: u32 = 16;
/// Launch in plain stream order instead of programmatically. Needed only if the preceding kernel is your own, is launched with CUC_LAUNCH_PROGRAMMATIC, and never waits for the kernel before it: the product would wait only for your kernel.
pub const CUC_GEMM_PLAIN_LAUNCH: u32 = 32;
/// write the largest magnitude of d, before it is rounded, to amax
pub const CUC_GEMM_AMAX: u32 = 64;

/// stack size of each thread
pub const CUC_LIMIT_STACK_BYTES: i32 = 0;
/// size of the device-side printf buffer
pub const CUC_LIMIT_PRINTF_BYTES: i32 = 1;
/// size of the heap for device-side malloc and new
pub const CUC_LIMIT_MALLOC_HEAP_BYTES: i32 = 2;
/// 0 to 128; a hint
pub const CUC_LIMIT_MAX_L2_FETCH_BYTES: i32 = 5;
/// size of the L2 set aside for persisting accesses
pub const CUC_LIMIT_PERSISTING_L2_BYTES: i32 = 6;
/// read-only; for CUDA in graphics (CIG)
pub const CUC_LIMIT_SHARED_MEMORY_BYTES: i32 = 7;
/// read-only
pub const CUC_LIMIT_CIG_ENABLED: i32 = 8;
pub const CUC_LIMIT_CIG_SHARED_MEMORY_FALLBACK: i32 = 9;

/// smaller groups, possibly without support for large clusters
pub const CUC_SMS_ANY: u32 = 1;
/// groups that support clusters of the maximum size
pub const CUC_SMS_MAX_CLUSTER: u32 = 2;

/// cuc_event_get_elapsed() can measure with it
pub const CUC_EVENT_TIMING: u32 = 1;
/// a thread that waits for the event sleeps instead of spinning
pub const CUC_EVENT_BLOCKING_SYNC: u32 = 2;
/// other processes can open it; excludes CUC_EVENT_TIMING
pub const CUC_EVENT_IPC: u32 = 4;

/// the memory's own device can only read it
pub const CUC_MEMORY_VIRTUAL_READ_ONLY: u32 = 1;
/// peers can only read it
pub const CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY: u32 = 2;
/// other devices on the bus can access it (GPUDirect RDMA)
pub const CUC_MEMORY_VIRTUAL_RDMA: u32 = 4;
/// use the smallest pieces possible, not the size that the driver recommends
pub const CUC_MEMORY_VIRTUAL_FINE: u32 = 8;
/// other processes can import it: cuc_buffer_export_pieces()
pub const CUC_MEMORY_VIRTUAL_IPC: u32 = 16;

/// in stream order, like any copy
pub const CUC_COPY_SOURCE_STREAM: i32 = 0;
/// before the call returns, so the source may be on the stack
pub const CUC_COPY_SOURCE_DURING_CALL: i32 = 1;
/// at any time: the source already has its contents and keeps them
pub const CUC_COPY_SOURCE_ANY: i32 = 2;

/// a hint to prefer overlap with kernels over the copy's own speed
pub const CUC_COPY_OVERLAP_COMPUTE: u32 = 1;

pub const CUC_TENSOR_MAP_INTERLEAVE_NONE: i32 = 0;
/// NC/8HWC8: slices of 16 bytes
pub const CUC_TENSOR_MAP_INTERLEAVE_16B: i32 = 1;
/// NC/16HWC16: slices of 32 bytes
pub const CUC_TENSOR_MAP_INTERLEAVE_32B: i32 = 2;

pub const CUC_TENSOR_MAP_SWIZZLE_NONE: i32 = 0;
pub const CUC_TENSOR_MAP_SWIZZLE_32B: i32 = 1;
pub const CUC_TENSOR_MAP_SWIZZLE_64B: i32 = 2;
pub const CUC_TENSOR_MAP_SWIZZLE_128B: i32 = 3;
/// atoms of 32 bytes stay together
pub const CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B: i32 = 4;
/// as above; in odd lines of 128 bytes, the halves of each 16 bytes are exchanged
pub const CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B: i32 = 5;
pub const CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_64B: i32 = 6;

pub const CUC_TENSOR_MAP_L2_NONE: i32 = 0;
pub const CUC_TENSOR_MAP_L2_64B: i32 = 1;
pub const CUC_TENSOR_MAP_L2_128B: i32 = 2;
pub const CUC_TENSOR_MAP_L2_256B: i32 = 3;

pub const CUC_TENSOR_MAP_FILL_ZERO: i32 = 0;
/// a special NaN, whose products become 0; only for floating-point types
pub const CUC_TENSOR_MAP_FILL_NAN: i32 = 1;

/// f32 and tf32: flush subnormals to 0 during the copy
pub const CUC_TENSOR_MAP_FTZ: i32 = 1;
pub const CUC_TENSOR_MAP_W128: i32 = 2;

/// PTX text: loadable, compiled by the driver
pub const CUC_CODE_PTX: i32 = 1;
/// machine code of one architecture: loadable
pub const CUC_CODE_CUBIN: i32 = 2;
/// link-time optimisation code: to be linked
pub const CUC_CODE_LTOIR: i32 = 3;
/// PTX and cubins of several architectures: loadable
pub const CUC_CODE_FATBIN: i32 = 4;
/// host object file with device code in it: to be linked
pub const CUC_CODE_OBJECT: i32 = 5;
/// archive of object files: to be linked
pub const CUC_CODE_LIBRARY: i32 = 6;

/// a struct, or not known; only the size is checked
pub const CUC_PARAMETER_ANY: i32 = 0;
/// an integer or a pointer
pub const CUC_PARAMETER_INT: i32 = 1;
/// a float or a double
pub const CUC_PARAMETER_FLOAT: i32 = 2;

/// max_threads_per_block
pub const CUC_KERNEL_MAX_THREADS_PER_BLOCK: i32 = 0;
/// shared_size_bytes
pub const CUC_KERNEL_SHARED_SIZE_BYTES: i32 = 1;
/// const_size_bytes
pub const CUC_KERNEL_CONST_SIZE_BYTES: i32 = 2;
/// local_size_bytes
pub const CUC_KERNEL_LOCAL_SIZE_BYTES: i32 = 3;
/// num_regs
pub const CUC_KERNEL_NUM_REGS: i32 = 4;
/// ptx_version
pub const CUC_KERNEL_PTX_VERSION: i32 = 5;
/// binary_version
pub const CUC_KERNEL_BINARY_VERSION: i32 = 6;
/// cache_mode_ca
pub const CUC_KERNEL_CACHE_MODE_CA: i32 = 7;
/// max_dynamic_shared_size_bytes
pub const CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES: i32 = 8;
/// preferred_shared_memory_carveout
pub const CUC_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT: i32 = 9;
/// cluster_size_must_be_set
pub const CUC_KERNEL_CLUSTER_SIZE_MUST_BE_SET: i32 = 10;
/// required_cluster_width
pub const CUC_KERNEL_REQUIRED_CLUSTER_WIDTH: i32 = 11;
/// required_cluster_height
pub const CUC_KERNEL_REQUIRED_CLUSTER_HEIGHT: i32 = 12;
/// required_cluster_depth
pub const CUC_KERNEL_REQUIRED_CLUSTER_DEPTH: i32 = 13;
/// non_portable_cluster_size_allowed
pub const CUC_KERNEL_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: i32 = 14;
/// cluster_scheduling_policy_preference
pub const CUC_KERNEL_CLUSTER_SCHEDULING_POLICY: i32 = 15;
pub const CUC_KERNEL_ATTRIBUTE_COUNT: i32 = 16;

/// no preference
pub const CUC_KERNEL_CACHE_DEFAULT: i32 = 0;
/// more shared memory
pub const CUC_KERNEL_CACHE_SHARED: i32 = 1;
/// more cache
pub const CUC_KERNEL_CACHE_L1: i32 = 2;
/// half and half
pub const CUC_KERNEL_CACHE_EQUAL: i32 = 3;

/// CUDA C++, compiled by NVRTC
pub const CUC_SOURCE_CUDA: i32 = 1;
/// PTX, assembled by nvJitLink if available, else by the driver
pub const CUC_SOURCE_PTX: i32 = 2;
/// NVVM IR: not supported yet
pub const CUC_SOURCE_NVVM: i32 = 3;
/// a tile program, compiled by cucore itself
pub const CUC_SOURCE_TILE: i32 = 4;

/// not requested, or not compiled yet
pub const CUC_PCH_NONE: i32 = 0;
/// written, for later compilations to use
pub const CUC_PCH_CREATED: i32 = 1;
/// not written, because one was used or none was worthwhile
pub const CUC_PCH_NOT_ATTEMPTED: i32 = 2;
/// could not be written: the log says why
pub const CUC_PCH_FAILED: i32 = 3;

/// nvJitLink 12.3 or later if available, else the driver
pub const CUC_LINKER_AUTO: i32 = 0;
/// nvJitLink only
pub const CUC_LINKER_NVJITLINK: i32 = 1;
/// the driver: fewer options, no LTO-IR, needs a device
pub const CUC_LINKER_DRIVER: i32 = 2;

/// a device address in value.u64
pub const CUC_ARG_POINTER: i32 = 64;
/// a cuc_buffer in value.pointer; passes its device address
pub const CUC_ARG_BUFFER: i32 = 65;
/// a cuc_tensor in value.pointer; passes its data address
pub const CUC_ARG_TENSOR: i32 = 66;
/// `bytes` bytes at value.pointer, such as a struct; only the size is checked
pub const CUC_ARG_BYTES: i32 = 67;
/// a value that no kernel takes, such as a cuc_stream; refused
pub const CUC_ARG_NONE: i32 = 68;

/// Every block must be resident at once, so that the grid can synchronize.
pub const CUC_LAUNCH_COOPERATIVE: u32 = 1;
/// Programmatic dependent launch. The kernel may begin before the preceding one has ended, and waits for it with griddepcontrol.wait (cudaGridDependencySynchronize); tile kernels do so by themselves. Needs compute capability 9.0 or later.
pub const CUC_LAUNCH_PROGRAMMATIC: u32 = 2;

pub const CUC_LAUNCH_ATTRIBUTE_IGNORE: i32 = 0;
pub const CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: i32 = 1;
pub const CUC_LAUNCH_ATTRIBUTE_COOPERATIVE: i32 = 2;
pub const CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: i32 = 4;
pub const CUC_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY: i32 = 5;
pub const CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: i32 = 6;
pub const CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: i32 = 7;
pub const CUC_LAUNCH_ATTRIBUTE_PRIORITY: i32 = 8;
pub const CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: i32 = 9;
pub const CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: i32 = 10;
pub const CUC_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION: i32 = 11;
pub const CUC_LAUNCH_ATTRIBUTE_COMPLETION_EVENT: i32 = 12;
pub const CUC_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: i32 = 13;
pub const CUC_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: i32 = 14;
pub const CUC_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING: i32 = 16;

pub const CUC_CLUSTER_SCHEDULING_DEFAULT: i32 = 0;
pub const CUC_CLUSTER_SCHEDULING_SPREAD: i32 = 1;
pub const CUC_CLUSTER_SCHEDULING_LOAD_BALANCING: i32 = 2;

pub const CUC_CACHE_NORMAL: i32 = 0;
pub const CUC_CACHE_STREAMING: i32 = 1;
pub const CUC_CACHE_PERSISTING: i32 = 2;

/// every thread
pub const CUC_CAPTURE_GLOBAL: i32 = 0;
/// only the thread that began the capture
pub const CUC_CAPTURE_THREAD_LOCAL: i32 = 1;
/// none; any thread may end the capture
pub const CUC_CAPTURE_RELAXED: i32 = 2;

/// not captured
pub const CUC_CAPTURE_NONE: i32 = 0;
/// being captured
pub const CUC_CAPTURE_ACTIVE: i32 = 1;
/// a call was refused, so the capture will yield no graph
pub const CUC_CAPTURE_SPOILT: i32 = 2;

/// kernel
pub const CUC_NODE_KERNEL: i32 = 0;
/// copy
pub const CUC_NODE_COPY: i32 = 1;
/// fill
pub const CUC_NODE_FILL: i32 = 2;
/// host function
pub const CUC_NODE_HOST: i32 = 3;
/// graph
pub const CUC_NODE_GRAPH: i32 = 4;
/// empty
pub const CUC_NODE_EMPTY: i32 = 5;
/// wait for an event
pub const CUC_NODE_WAIT_EVENT: i32 = 6;
/// record of an event
pub const CUC_NODE_RECORD_EVENT: i32 = 7;
/// signal of semaphores
pub const CUC_NODE_SIGNAL: i32 = 8;
/// wait for semaphores
pub const CUC_NODE_WAIT: i32 = 9;
/// allocation
pub const CUC_NODE_ALLOC: i32 = 10;
/// free
pub const CUC_NODE_FREE: i32 = 11;
/// memory words
pub const CUC_NODE_MEMORY_WORDS: i32 = 12;
/// conditional
pub const CUC_NODE_CONDITIONAL: i32 = 13;

pub const CUC_DOT_EVERYTHING: u32 = 1;
/// parameters in the form of the CUDA runtime
pub const CUC_DOT_RUNTIME_TYPES: u32 = 2;
/// parameters of kernels; the next flags: parameters of other nodes
pub const CUC_DOT_KERNELS: u32 = 4;
pub const CUC_DOT_COPIES: u32 = 8;
pub const CUC_DOT_FILLS: u32 = 16;
pub const CUC_DOT_HOST_FUNCTIONS: u32 = 32;
pub const CUC_DOT_EVENTS: u32 = 64;
pub const CUC_DOT_SIGNALS: u32 = 128;
pub const CUC_DOT_WAITS: u32 = 256;
pub const CUC_DOT_KERNEL_ATTRIBUTES: u32 = 512;
/// handles of nodes and of functions
pub const CUC_DOT_HANDLES: u32 = 1024;
pub const CUC_DOT_ALLOCATIONS: u32 = 2048;
pub const CUC_DOT_FREES: u32 = 4096;
pub const CUC_DOT_MEMORY_WORDS: u32 = 8192;
pub const CUC_DOT_TOPOLOGY: u32 = 16384;
pub const CUC_DOT_CONDITIONALS: u32 = 32768;

/// Each launch first frees the memory that the previous launch left allocated.
pub const CUC_GRAPH_AUTO_FREE: u32 = 1;
/// Kernels can also launch the instance. Excludes CUC_GRAPH_AUTO_FREE.
pub const CUC_GRAPH_DEVICE_LAUNCH: u32 = 2;
/// Each kernel has the priority of the stream that it was captured on, not of the launch stream.
pub const CUC_GRAPH_NODE_PRIORITY: u32 = 4;

/// used by instances, including those not running
pub const CUC_GRAPH_MEMORY_USED: i32 = 0;
/// maximum since its last reset
pub const CUC_GRAPH_MEMORY_USED_HIGH: i32 = 1;
/// used, plus memory kept for the next launch
pub const CUC_GRAPH_MEMORY_RESERVED: i32 = 2;
/// maximum since its last reset
pub const CUC_GRAPH_MEMORY_RESERVED_HIGH: i32 = 3;

/// each launch of the graph starts with the default value; without this flag, it starts with the value that the previous launch left
pub const CUC_CONDITION_ASSIGN_DEFAULT: i32 = 1;

/// runs the first body if the value is not 0, else the second, if there is one
pub const CUC_CONDITIONAL_IF: i32 = 0;
/// repeats its only body until the value is 0
pub const CUC_CONDITIONAL_WHILE: i32 = 1;
pub const CUC_CONDITIONAL_SWITCH: i32 = 2;

/// Ignore the occupancy cost of caching global memory in L1.
pub const CUC_OCCUPANCY_DISABLE_CACHING_OVERRIDE: u32 = 1;

/// its attribute `_h` (int) is a cuc_buffer
pub const CUC_PYTHON_BUFFER: i32 = 1;
/// its attribute `_address` (int) is a cuc_tensor
pub const CUC_PYTHON_TENSOR: i32 = 2;
/// it is a Python or NumPy number
pub const CUC_PYTHON_NUMBER: i32 = 3;
/// its attribute `value` is a number, as in ctypes
pub const CUC_PYTHON_VALUE: i32 = 4;

/// to nearest even; casts to an integer truncate
pub const CUC_TILE_RN: i32 = 0;
/// toward zero
pub const CUC_TILE_RZ: i32 = 1;
/// down
pub const CUC_TILE_RM: i32 = 2;
/// up
pub const CUC_TILE_RP: i32 = 3;
/// the machine's fastest approximation: f32, not for casts
pub const CUC_TILE_APPROX: i32 = 4;
/// within 2 ulp: f32, not for casts
pub const CUC_TILE_FULL: i32 = 5;
/// add it to one of these: flush subnormal f32 operands and results to 0
pub const CUC_TILE_FTZ: i32 = 16;
/// add it to one of these, for minimum, maximum, min and max: NaN if an operand is NaN
pub const CUC_TILE_NAN: i32 = 32;

/// weak; acquire and release for atomic operations
pub const CUC_TILE_ORDER_DEFAULT: i32 = 0;
/// no order; not for atomic operations
pub const CUC_TILE_WEAK: i32 = 1;
/// no order, but the access itself is atomic
pub const CUC_TILE_RELAXED: i32 = 2;
/// later accesses stay after it: loads and atomic operations
pub const CUC_TILE_ACQUIRE: i32 = 3;
/// earlier accesses stay before it: stores and atomic operations
pub const CUC_TILE_RELEASE: i32 = 4;
/// both: atomic operations
pub const CUC_TILE_ACQ_REL: i32 = 5;

/// the device's blocks
pub const CUC_TILE_SCOPE_DEFAULT: i32 = 0;
/// the device's blocks
pub const CUC_TILE_SCOPE_DEVICE: i32 = 1;
/// this block
pub const CUC_TILE_SCOPE_BLOCK: i32 = 2;
/// also the host and other devices
pub const CUC_TILE_SCOPE_SYSTEM: i32 = 3;

/// the device's default
pub const CUC_TILE_CACHE_ANY: i32 = 0;
/// evict first
pub const CUC_TILE_CACHE_FIRST: i32 = 1;
/// evict last
pub const CUC_TILE_CACHE_LAST: i32 = 2;
/// used once
pub const CUC_TILE_CACHE_STREAM: i32 = 3;

/// full f32
pub const CUC_TILE_IEEE: i32 = 0;
/// operands rounded to tf32
pub const CUC_TILE_TF32: i32 = 1;
/// three tf32 products: nearly exact
pub const CUC_TILE_TF32X3: i32 = 2;

pub const CUC_ALGORITHM_MAX_ARRAYS: i32 = 8;
pub const CUC_ATTENTION_MAX_SIDES: i32 = 8;
pub const CUC_VERSION_MAJOR: i32 = 0;
pub const CUC_VERSION_MINOR: i32 = 1;
pub const CUC_VERSION_PATCH: i32 = 0;
pub const CUC_MEMORY_POOL_KEEP_ALL: u64 = 18446744073709551615;
pub const CUC_PROGRAM_KEY_BYTES: i32 = 32;
pub const CUC_NVML_DRIVER_VERSION_BYTES: i32 = 80;
pub const CUC_TENSOR_MAX_RANK: i32 = 8;
pub const CUC_DL_VERSION_MAJOR: i32 = 1;
pub const CUC_DL_VERSION_MINOR: i32 = 1;
pub const CUC_TENSOR_MAP_MAX_RANK: i32 = 5;
pub const CUC_NO_AXIS: i32 = -1;

/// The arrays of a call, in the order of the options; expressions and "_" have none.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_algorithm_args {
    /// sizeof(cuc_algorithm_args); the initializers set it
    pub struct_size: usize,
    /// \[input_count\]
    pub inputs: *const cuc_tensor,
    /// \[output_count\]; written
    pub outputs: *const cuc_tensor,
    /// number of arrays among the plan's inputs
    pub input_count: u32,
    /// number of arrays among the plan's outputs
    pub output_count: u32,
    /// number of elements; 0: that of the arrays, and none if the plan has no arrays that are read or written by element. 0 for MERGE, set operations and SORT_SEGMENTS of rows
    pub count: i64,
    /// i64, one element: the number of elements, for plans with CUC_ALGORITHM_DEVICE_COUNT; for a MERGE two elements, the numbers of both sequences. A number above the count that the other fields give is taken as that count, and one below 0 as 0
    pub device_count: *const cuc_tensor,
    /// Address of the workspace, a multiple of 256, used by one call at a time. 0: the call takes memory from the device's memory resource and returns it, in stream order
    pub workspace: cuc_device_ptr,
    /// at least cuc_algorithm_workspace_bytes() if there is a workspace
    pub workspace_bytes: u64,
    /// \[segments + 1\], for REDUCE_SEGMENTS, and SORT_SEGMENTS with offsets: segment s has the elements from offsets\[s\] to offsets\[s + 1\] - 1, and in a reduction element s of each output. Segments do not overlap; elements of none are not written. Read on the device
    pub offsets: *const cuc_tensor,
}

zeroed!(cuc_algorithm_args, struct_size);

/// Description of a plan. Zero selects the default of every field except kind, inputs and outputs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_algorithm_options {
    /// sizeof(cuc_algorithm_options); the initializers set it
    pub struct_size: usize,
    /// CUC_ALGORITHM_ constant; must be given
    pub kind: i32,
    /// CUC_ALGORITHM_ bits
    pub flags: u32,
    /// \[input_count\] arrays and expressions
    pub inputs: *const *const c_char,
    /// \[output_count\] arrays
    pub outputs: *const *const c_char,
    /// at most CUC_ALGORITHM_MAX_ARRAYS
    pub input_count: u32,
    /// at most CUC_ALGORITHM_MAX_ARRAYS
    pub output_count: u32,
    /// the operator
    pub fn_: *const c_char,
    /// The values that change nothing when combined with others, such as "0" or "-inf, -1": numbers separated by commas, one for each value that is not a key. NULL if fn is a name
    pub identity: *const c_char,
    /// elements of a block's step, a power of two up to 65536; 0: chosen
    pub tile: i32,
    /// blocks of a reduction for each multiprocessor, at most 16; 0: chosen
    pub blocks: i32,
    /// warps of a block, a power of two up to 32; 0: chosen by the compiler
    pub warps: i32,
    /// number of bins of a histogram, up to 2^30; otherwise 0
    pub bins: i32,
    /// the number of values that are keys, the first ones, for REDUCE_BY_KEY and SCAN_BY_KEY: equal if all are equal; for SORT, for MERGE and MERGE_SORT without fn, and for set operations: the first unequal one decides; 0: one
    pub keys: i32,
    /// type of the offsets of segments: i32 or i64; 0: i64 for REDUCE_SEGMENTS, and for SORT_SEGMENTS there are none: each row is sorted. Otherwise 0
    pub offsets: cuc_dtype,
    /// CUC_ALGORITHM_RUN_TO_RUN, _ANY_ORDER or _EVERY_GPU
    pub determinism: i32,
    /// number of elements to choose for; 0: large. A SORT with the value i in an output of 64 bits takes more than 2^32 elements only if count is more than 2^32
    pub count: i64,
    /// target architecture, such as "sm_90a"; NULL: all features of the device
    pub arch: *const c_char,
    /// The cache of compiled code, used while the plan is created. NULL: cuc_cache_default(). Pass cuc_cache_none() to store nothing.
    pub cache: *mut cuc_cache,
    /// A SORT of integer keys compares only their bits from bit_begin to bit_end - 1, counted from the lowest bit of the last key. 0 for both: all bits
    pub bit_begin: i32,
    /// see bit_begin; 0: the number of bits of all keys
    pub bit_end: i32,
    /// number of elements that TOPK finds, up to 2^30, or TOPK_ROWS, up to 1024; otherwise 0
    pub k: i64,
}

zeroed!(cuc_algorithm_options, struct_size);

#[repr(C)]
#[derive(Clone, Copy)]
pub union cuc_arg_value {
    pub u64: u64,
    pub i64: i64,
    pub f64: f64,
    pub f32: f32,
    pub pointer: *const c_void,
    pub raw: [u8; 8],
}

zeroed!(cuc_arg_value);

/// One argument of a kernel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_arg {
    /// a cuc_dtype, or a CUC_ARG_ constant
    pub type_: i32,
    /// size of the value as the kernel declares it
    pub bytes: u32,
    pub value: cuc_arg_value,
}

zeroed!(cuc_arg);

/// The arrays of a call. Arrays that the plan does not use must be NULL; otherwise the call fails
/// and names them. Shapes are those of CUC_ATTENTION_HEADS_FIRST; CUC_ATTENTION_SEQUENCE_FIRST
/// exchanges the second and third axis of q, k, v and o. Strides may be arbitrary.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_attention_args {
    /// sizeof(cuc_attention_args); the initializers set it
    pub struct_size: usize,
    /// \[batch\]\[heads\]\[queries\]\[width\]
    pub q: *const cuc_tensor,
    /// \[batch\]\[key heads\]\[keys\]\[width\]; key heads must divide heads
    pub k: *const cuc_tensor,
    /// \[batch\]\[key heads\]\[keys\]\[value width\]
    pub v: *const cuc_tensor,
    /// \[batch\]\[heads\]\[queries\]\[value width\]; written
    pub o: *const cuc_tensor,
    /// f32 \[batch\]\[heads\]\[queries\]; written by plans with CUC_ATTENTION_LSE
    pub lse: *const cuc_tensor,
    /// factor of the scores, rounded to f32; 0: 1 / sqrt(width)
    pub scale: f64,
    /// f32 \[heads\]; read by plans with CUC_ATTENTION_SINKS
    pub sinks: *const cuc_tensor,
    /// \[side_count\] the side arrays, in the order of the options
    pub sides: *const cuc_tensor,
    /// as in the options
    pub side_count: u32,
    /// 0
    pub reserved: u32,
    /// i32 \[batch + 1\]; read by plans with CUC_ATTENTION_VARIABLE
    pub query_offsets: *const cuc_tensor,
    /// i32 \[batch + 1\]; may be query_offsets
    pub key_offsets: *const cuc_tensor,
    /// with CUC_ATTENTION_VARIABLE: at least the number of queries of the longest sequence, above 0 if q has rows; results of longer sequences are undefined
    pub most_queries: i64,
    /// i32 \[batch\]\[pages of a sequence\], the numbers of pages; read by plans with a page_size. Keys i page_size and following of a sequence are those of its page i
    pub page_table: *const cuc_tensor,
    /// i32 \[batch\], the keys of each sequence, at most those that k, or its row of page_table, has room for; read by plans with CUC_ATTENTION_KEY_LENGTHS or a page_size
    pub key_lengths: *const cuc_tensor,
    /// a multiple of 256, used by one call at a time; 0 if the plan needs none
    pub workspace: cuc_device_ptr,
    /// size of the workspace; at least cuc_attention_plan_workspace_bytes()
    pub workspace_bytes: u64,
    /// the gradient of o, with its shape; for cuc_attention_backward()
    pub d_o: *const cuc_tensor,
    /// the gradient of q, with its shape; written by cuc_attention_backward()
    pub d_q: *const cuc_tensor,
    /// the gradient of k; written
    pub d_k: *const cuc_tensor,
    /// the gradient of v; written
    pub d_v: *const cuc_tensor,
    /// with CUC_ATTENTION_VARIABLE, for cuc_attention_backward() and for e4m3 without a cache: at least the number of keys of the longest sequence, above 0 if k has rows; results of longer sequences are undefined
    pub most_keys: i64,
    /// \[batch\]\[key heads\]\[new keys\]\[width\], for cuc_attention_append()
    pub new_k: *const cuc_tensor,
    /// \[batch\]\[key heads\]\[new keys\]\[value width\], likewise
    pub new_v: *const cuc_tensor,
    /// f32 \[batch\]\[heads\]; read by plans of e4m3
    pub q_scale: *const cuc_tensor,
    /// f32 \[batch\]\[key heads\]; likewise
    pub k_scale: *const cuc_tensor,
    /// f32 \[batch\]\[key heads\]; likewise
    pub v_scale: *const cuc_tensor,
    /// f32 \[heads\], the gradient of the sinks; written by cuc_attention_backward(). NULL: not computed
    pub d_sinks: *const cuc_tensor,
    /// The gradients of the side arrays that train, in their order, with their dtypes and shapes; written by cuc_attention_backward()
    pub d_sides: *const cuc_tensor,
}

zeroed!(cuc_attention_args, struct_size);

/// The choice made for a plan.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_attention_choice {
    /// sizeof(cuc_attention_choice), set by the caller
    pub struct_size: usize,
    /// queries that a block computes
    pub tile_q: i32,
    /// keys of a step
    pub tile_k: i32,
    /// 0: as many as fit
    pub stages: i32,
    /// 0: the compiler's choice
    pub warps: i32,
    /// 1: TMA and wgmma, where addresses and strides allow; 0: not possible with these tiles or on this device
    pub pipeline: i32,
    /// 1: keys are not split
    pub parts: i32,
    /// number of tiles for the plan's extents; 0: an extent is not given
    pub tiles: i64,
    /// "options" or "rules"; static storage
    pub by: *const c_char,
}

zeroed!(cuc_attention_choice, struct_size);

/// Description of a plan. Zero selects the default of every field except dtype and width.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_attention_options {
    /// sizeof(cuc_attention_options); the initializers set it
    pub struct_size: usize,
    /// CUC_ATTENTION_ bits
    pub flags: u32,
    /// of q, k, v and o: f16, bf16, or e4m3 with scales; must be given
    pub dtype: cuc_dtype,
    /// elements of a query and of a key, 1 to 256; must be given. Multiples of 16 are fastest
    pub width: i32,
    /// elements of a value and of a row of o, 1 to 256; 0: width
    pub value_width: i32,
    /// CUC_ATTENTION_FULL or _CAUSAL
    pub mask: i32,
    /// CUC_ATTENTION_TOP_LEFT or _BOTTOM_RIGHT
    pub align: i32,
    /// CUC_ATTENTION_HEADS_FIRST or _SEQUENCE_FIRST
    pub order: i32,
    /// a query sees at most this many keys before its diagonal key; 0: any number
    pub window_left: i32,
    /// a query sees at most this many keys after its diagonal key; 0: any number, or none if the mask is causal
    pub window_right: i32,
    /// queries that a block computes, a multiple of 16 up to 256; 0: chosen automatically
    pub tile_q: i32,
    /// keys of a step, a multiple of 16 up to 256; 0: chosen automatically
    pub tile_k: i32,
    /// pipeline stages, 2 to 24; 0: as many as fit
    pub stages: i32,
    /// warps of a block without a pipeline; 0: chosen by the compiler
    pub warps: i32,
    /// number of batches; 0: large
    pub batch: i64,
    /// heads of q; 0: large
    pub heads: i64,
    /// heads of k and v; 0: heads
    pub key_heads: i64,
    /// queries of a sequence; 0: large
    pub queries: i64,
    /// keys of a sequence; 0: queries
    pub keys: i64,
    /// target architecture, such as "sm_90a"; NULL: all features of the device
    pub arch: *const c_char,
    /// The cache of compiled code, used while the plan is created. NULL: cuc_cache_default(). Pass cuc_cache_none() to store nothing.
    pub cache: *mut cuc_cache,
    /// The score function in the tile language: an expression, or statements that end with `return`. It has the parameters score (f32 tile \[tile_q, tile_k\]: the scaled product of queries and keys), batch and head (i64 scalars), row (i32 \[tile_q, 1\]: the query) and column (i32 \[1, tile_k\]: the key), and then the side arrays. Its result replaces the score; -inf hides a key. With CUC_ATTENTION_BACKWARD all operations on the score have derivatives, and the function also computes transposed tiles, whose axes are exchanged. NULL: none
    pub score: *const c_char,
    /// \[side_count\] arrays that the score function reads
    pub sides: *const cuc_attention_side,
    /// at most CUC_ATTENTION_MAX_SIDES
    pub side_count: u32,
    /// 0
    pub reserved: u32,
    /// Keys of a page, a multiple of 16 up to 65536: keys and values lie in pages, anywhere in memory. 0: they do not
    pub page_size: i32,
    /// Parts of a sequence's keys, each for a block of its own, 1 to 64, if `queries` is 1 to 16. The parts' results go through the workspace. 0: chosen automatically, 1 without batch, heads and keys
    pub parts: i32,
    /// of o, if dtype is e4m3: f16 or bf16; 0: bf16. Otherwise 0
    pub o_dtype: cuc_dtype,
}

zeroed!(cuc_attention_options, struct_size);

/// An array that a score function reads.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_attention_side {
    /// of the function's parameter: letters, digits and _, at most 31
    pub name: *const c_char,
    pub dtype: cuc_dtype,
    /// number of axes, 1 to CUC_TENSOR_MAX_RANK
    pub rank: i32,
    /// For an array of floats that trains: the indices at which the function reads it, and only there, one for each axis: batch, head, row or column, each at most once, such as "head" or "batch, head, row, column". cuc_attention_backward() then writes its gradient. NULL: it does not train
    pub gradient: *const c_char,
}

zeroed!(cuc_attention_side);

/// Description of memory for cuc_buffer_from_pointer(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_buffer_options {
    /// sizeof(cuc_buffer_options); the initializers set it
    pub struct_size: usize,
    /// the owning device; NULL: the resource's, or else the one that the driver reports
    pub device: *mut cuc_device,
    /// retained; frees the memory; NULL: nothing frees it
    pub resource: *mut cuc_memory_resource,
    /// retained; orders the free; needs a resource
    pub stream: *mut cuc_stream,
    /// passed to drop_owner; not together with a resource
    pub owner: *mut c_void,
    /// called once, after the buffer is destroyed, on any thread
    pub drop_owner: Option<unsafe extern "C" fn(owner: *mut c_void)>,
    /// CUC_MEMORY_ACCESS_ bits; 0: query the driver
    pub access: u32,
    /// 0
    pub reserved: u32,
}

zeroed!(cuc_buffer_options, struct_size);

/// An entry of a cache. The strings are valid only during the callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_cache_entry {
    /// sizeof(cuc_cache_entry) in the library
    pub struct_size: usize,
    /// 64 hexadecimal digits
    pub key: *const c_char,
    /// what was compiled, for human readers; "" if the entry is damaged
    pub label: *const c_char,
    /// size of its file
    pub bytes: u64,
    /// time of the last use, in nanoseconds since 1970
    pub used_ns: i64,
    /// 1: the entry is damaged and will be compiled again
    pub damaged: i32,
    /// 0
    pub reserved: i32,
}

zeroed!(cuc_cache_entry, struct_size);

/// The state of a cache.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_cache_info {
    /// sizeof(cuc_cache_info), set by the caller
    pub struct_size: usize,
    /// the folder, or "" if there is none; valid as long as the cache
    pub dir: *const c_char,
    /// why nothing is stored, such as "CUCORE_CACHE is 0"; "" if the cache works
    pub off: *const c_char,
    /// maximum size of the files in bytes
    pub max_bytes: u64,
    /// current size of the files in bytes
    pub bytes: u64,
    /// number of entries
    pub entries: u64,
    /// entries that this process found through this handle
    pub hits: u64,
    /// entries that this process looked for but did not find, or found damaged
    pub misses: u64,
    /// entries that this process added
    pub stored: u64,
}

zeroed!(cuc_cache_info, struct_size);

/// Options of cuc_cache_open(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_cache_options {
    /// sizeof(cuc_cache_options); the initializers set it
    pub struct_size: usize,
    /// The folder, created if necessary; copied. NULL: the default cache's folder.
    pub dir: *const c_char,
    /// Maximum size of the cache's files in bytes; 0: the default cache's limit, which is CUCORE_CACHE_MAX_BYTES or 1 GiB.
    pub max_bytes: u64,
}

zeroed!(cuc_cache_options, struct_size);

/// Capture of a stream, written by cuc_stream_get_capture_info().
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_capture_info {
    /// sizeof(cuc_capture_info), set by the caller
    pub struct_size: usize,
    /// unique to this capture in the process; 0 unless active
    pub id: u64,
    /// the driver's CUgraph, borrowed until the capture ends; NULL unless active
    pub graph: *mut c_void,
    /// CUC_CAPTURE_NONE, CUC_CAPTURE_ACTIVE or CUC_CAPTURE_SPOILT
    pub status: i32,
    /// 0
    pub reserved: i32,
}

zeroed!(cuc_capture_info, struct_size);

/// A rectangle of bytes to copy. Zero selects the default of every field except dst and src.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_copy_2d_params {
    /// sizeof(cuc_copy_2d_params); the initializers set it
    pub struct_size: usize,
    /// start of the destination array, on a device or the host
    pub dst: cuc_device_ptr,
    /// start of the source array, on a device or the host
    pub src: cuc_device_ptr,
    /// bytes between rows of dst; 0: dst_x_bytes + row_bytes
    pub dst_pitch: usize,
    /// bytes between rows of src; 0: src_x_bytes + row_bytes
    pub src_pitch: usize,
    /// bytes of a row to copy; 0 copies nothing
    pub row_bytes: usize,
    /// rows to copy; 0 copies nothing
    pub rows: usize,
    /// offset within a row of dst
    pub dst_x_bytes: usize,
    /// first row in dst
    pub dst_y: usize,
    /// offset within a row of src
    pub src_x_bytes: usize,
    /// first row in src
    pub src_y: usize,
}

zeroed!(cuc_copy_2d_params, struct_size);

/// A box of bytes to copy. Zero selects the default of every field except dst and src.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_copy_3d_params {
    /// sizeof(cuc_copy_3d_params); the initializers set it
    pub struct_size: usize,
    /// start of the destination array, on a device or the host
    pub dst: cuc_device_ptr,
    /// start of the source array, on a device or the host
    pub src: cuc_device_ptr,
    /// bytes between rows of dst; 0: dst_x_bytes + row_bytes
    pub dst_pitch: usize,
    /// bytes between rows of src; 0: src_x_bytes + row_bytes
    pub src_pitch: usize,
    /// rows between slices of dst; 0: dst_y + rows
    pub dst_slice_rows: usize,
    /// rows between slices of src; 0: src_y + rows
    pub src_slice_rows: usize,
    /// bytes of a row to copy; 0 copies nothing
    pub row_bytes: usize,
    /// rows of a slice to copy; 0 copies nothing
    pub rows: usize,
    /// slices to copy; 0 copies nothing
    pub slices: usize,
    /// offset within a row of dst
    pub dst_x_bytes: usize,
    /// first row of each slice in dst
    pub dst_y: usize,
    /// first slice in dst
    pub dst_z: usize,
    /// offset within a row of src
    pub src_x_bytes: usize,
    /// first row of each slice in src
    pub src_y: usize,
    /// first slice in src
    pub src_z: usize,
}

zeroed!(cuc_copy_3d_params, struct_size);

/// Attributes of one copy in a batch. Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_copy_attributes {
    /// a CUC_COPY_SOURCE_ constant
    pub source_order: i32,
    /// CUC_COPY_OVERLAP_COMPUTE
    pub flags: u32,
    /// location of a managed or pageable source; NONE: unspecified
    pub src_hint: cuc_memory_location,
    /// location of a managed or pageable destination; NONE: unspecified
    pub dst_hint: cuc_memory_location,
}

zeroed!(cuc_copy_attributes);

/// A batch of copies that one call enqueues.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_copy_batch_params {
    /// sizeof(cuc_copy_batch_params); the initializers set it
    pub struct_size: usize,
    /// \[count\] destinations
    pub dst: *const cuc_device_ptr,
    /// \[count\] sources
    pub src: *const cuc_device_ptr,
    /// \[count\] sizes; an entry of 0 copies nothing
    pub bytes: *const usize,
    /// 0 copies nothing
    pub count: usize,
    /// \[attribute_count\]; NULL: every default
    pub attributes: *const cuc_copy_attributes,
    /// 0, or 1 if all copies share one, or else equal to count
    pub attribute_count: usize,
}

zeroed!(cuc_copy_batch_params, struct_size);

/// Every attribute in one struct; each field holds the attribute of the same name.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_device_properties {
    /// sizeof(cuc_device_properties), set by the caller
    pub struct_size: usize,
    pub max_threads_per_block: i32,
    pub max_block_dim_x: i32,
    pub max_block_dim_y: i32,
    pub max_block_dim_z: i32,
    pub max_grid_dim_x: i32,
    pub max_grid_dim_y: i32,
    pub max_grid_dim_z: i32,
    pub max_shared_memory_per_block: i32,
    pub total_constant_memory: i32,
    pub warp_size: i32,
    pub max_pitch: i32,
    pub max_registers_per_block: i32,
    pub clock_rate: i32,
    pub texture_alignment: i32,
    pub gpu_overlap: i32,
    pub multiprocessor_count: i32,
    pub kernel_exec_timeout: i32,
    pub integrated: i32,
    pub can_map_host_memory: i32,
    pub compute_mode: i32,
    pub maximum_texture1d_width: i32,
    pub maximum_texture2d_width: i32,
    pub maximum_texture2d_height: i32,
    pub maximum_texture3d_width: i32,
    pub maximum_texture3d_height: i32,
    pub maximum_texture3d_depth: i32,
    pub maximum_texture2d_layered_width: i32,
    pub maximum_texture2d_layered_height: i32,
    pub maximum_texture2d_layered_layers: i32,
    pub surface_alignment: i32,
    pub concurrent_kernels: i32,
    pub ecc_enabled: i32,
    pub pci_bus_id: i32,
    pub pci_device_id: i32,
    pub tcc_driver: i32,
    pub memory_clock_rate: i32,
    pub global_memory_bus_width: i32,
    pub l2_cache_size: i32,
    pub max_threads_per_multiprocessor: i32,
    pub async_engine_count: i32,
    pub unified_addressing: i32,
    pub maximum_texture1d_layered_width: i32,
    pub maximum_texture1d_layered_layers: i32,
    pub can_tex2d_gather: i32,
    pub maximum_texture2d_gather_width: i32,
    pub maximum_texture2d_gather_height: i32,
    pub maximum_texture3d_width_alternate: i32,
    pub maximum_texture3d_height_alternate: i32,
    pub maximum_texture3d_depth_alternate: i32,
    pub pci_domain_id: i32,
    pub texture_pitch_alignment: i32,
    pub maximum_texturecubemap_width: i32,
    pub maximum_texturecubemap_layered_width: i32,
    pub maximum_texturecubemap_layered_layers: i32,
    pub maximum_surface1d_width: i32,
    pub maximum_surface2d_width: i32,
    pub maximum_surface2d_height: i32,
    pub maximum_surface3d_width: i32,
    pub maximum_surface3d_height: i32,
    pub maximum_surface3d_depth: i32,
    pub maximum_surface1d_layered_width: i32,
    pub maximum_surface1d_layered_layers: i32,
    pub maximum_surface2d_layered_width: i32,
    pub maximum_surface2d_layered_height: i32,
    pub maximum_surface2d_layered_layers: i32,
    pub maximum_surfacecubemap_width: i32,
    pub maximum_surfacecubemap_layered_width: i32,
    pub maximum_surfacecubemap_layered_layers: i32,
    pub maximum_texture1d_linear_width: i32,
    pub maximum_texture2d_linear_width: i32,
    pub maximum_texture2d_linear_height: i32,
    pub maximum_texture2d_linear_pitch: i32,
    pub maximum_texture2d_mipmapped_width: i32,
    pub maximum_texture2d_mipmapped_height: i32,
    pub compute_capability_major: i32,
    pub compute_capability_minor: i32,
    pub maximum_texture1d_mipmapped_width: i32,
    pub stream_priorities_supported: i32,
    pub global_l1_cache_supported: i32,
    pub local_l1_cache_supported: i32,
    pub max_shared_memory_per_multiprocessor: i32,
    pub max_registers_per_multiprocessor: i32,
    pub managed_memory: i32,
    pub multi_gpu_board: i32,
    pub multi_gpu_board_group_id: i32,
    pub host_native_atomic_supported: i32,
    pub single_to_double_precision_perf_ratio: i32,
    pub pageable_memory_access: i32,
    pub concurrent_managed_access: i32,
    pub compute_preemption_supported: i32,
    pub can_use_host_pointer_for_registered_mem: i32,
    pub cooperative_launch: i32,
    pub max_shared_memory_per_block_optin: i32,
    pub can_flush_remote_writes: i32,
    pub host_register_supported: i32,
    pub pageable_memory_access_uses_host_page_tables: i32,
    pub direct_managed_mem_access_from_host: i32,
    pub virtual_memory_management_supported: i32,
    pub handle_type_posix_file_descriptor_supported: i32,
    pub handle_type_win32_handle_supported: i32,
    pub handle_type_win32_kmt_handle_supported: i32,
    pub max_blocks_per_multiprocessor: i32,
    pub generic_compression_supported: i32,
    pub max_persisting_l2_cache_size: i32,
    pub max_access_policy_window_size: i32,
    pub gpu_direct_rdma_with_cuda_vmm_supported: i32,
    pub reserved_shared_memory_per_block: i32,
    pub sparse_cuda_array_supported: i32,
    pub read_only_host_register_supported: i32,
    pub timeline_semaphore_interop_supported: i32,
    pub memory_pools_supported: i32,
    pub gpu_direct_rdma_supported: i32,
    pub gpu_direct_rdma_flush_writes_options: i32,
    pub gpu_direct_rdma_writes_ordering: i32,
    pub mempool_supported_handle_types: i32,
    pub cluster_launch: i32,
    pub deferred_mapping_cuda_array_supported: i32,
    pub can_use_64_bit_stream_mem_ops: i32,
    pub can_use_stream_wait_value_nor: i32,
    pub dma_buf_supported: i32,
    pub ipc_event_supported: i32,
    pub mem_sync_domain_count: i32,
    pub tensor_map_access_supported: i32,
    pub handle_type_fabric_supported: i32,
    pub unified_function_pointers: i32,
    pub numa_config: i32,
    pub numa_id: i32,
    pub multicast_supported: i32,
    pub mps_enabled: i32,
    pub host_numa_id: i32,
    pub d3d12_cig_supported: i32,
    pub mem_decompress_algorithm_mask: i32,
    pub mem_decompress_maximum_length: i32,
    pub vulkan_cig_supported: i32,
    pub gpu_pci_device_id: i32,
    pub gpu_pci_subsystem_id: i32,
    pub host_numa_virtual_memory_management_supported: i32,
    pub host_numa_memory_pools_supported: i32,
    pub host_numa_multinode_ipc_supported: i32,
    pub host_memory_pools_supported: i32,
    pub host_virtual_memory_management_supported: i32,
    pub host_alloc_dma_buf_supported: i32,
    pub only_partial_host_native_atomic_supported: i32,
    /// 0
    pub reserved: i32,
}

zeroed!(cuc_device_properties, struct_size);

/// Readings of a device's sensors.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_device_sensors {
    /// sizeof(cuc_device_sensors), set by the caller
    pub struct_size: usize,
    /// CUC_THROTTLE_ bits, and others that newer NVML versions may add
    pub throttle: u64,
    /// clock of the multiprocessors
    pub sm_mhz: u32,
    /// clock of the memory
    pub memory_mhz: u32,
    /// power draw of the whole board
    pub milliwatts: u32,
    /// temperature of the GPU
    pub celsius: i32,
    /// CUC_SENSOR_ bits of the values that were read; all other values are 0
    pub known: u32,
    /// 0
    pub reserved: u32,
}

zeroed!(cuc_device_sensors, struct_size);

/// DLDataType.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_dl_data_type {
    /// a DLDataTypeCode, such as CUC_DL_FLOAT
    pub code: u8,
    /// bits of one lane
    pub bits: u8,
    /// 1; vector types have more
    pub lanes: u16,
}

zeroed!(cuc_dl_data_type);

/// DLDevice.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_dl_device {
    /// a DLDeviceType, such as CUC_DL_CUDA
    pub device_type: i32,
    /// ordinal; 0 for the host
    pub device_id: i32,
}

zeroed!(cuc_dl_device);

/// DLManagedTensor: the format before DLPack 1.0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_dl_managed_tensor {
    pub dl_tensor: cuc_dl_tensor,
    /// private to the producer
    pub manager_ctx: *mut c_void,
    /// The consumer calls it once when it no longer needs the memory; may be NULL.
    pub deleter: Option<unsafe extern "C" fn(self_: *mut cuc_dl_managed_tensor)>,
}

zeroed!(cuc_dl_managed_tensor);

/// DLManagedTensorVersioned: the format of DLPack 1.x.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_dl_managed_tensor_versioned {
    /// check it before anything else
    pub version: cuc_dl_version,
    /// private to the producer
    pub manager_ctx: *mut c_void,
    /// The consumer calls it once when it no longer needs the memory; may be NULL.
    pub deleter: Option<unsafe extern "C" fn(self_: *mut cuc_dl_managed_tensor_versioned)>,
    /// CUC_DL_ bits
    pub flags: u64,
    pub dl_tensor: cuc_dl_tensor,
}

zeroed!(cuc_dl_managed_tensor_versioned);

/// DLTensor.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_dl_tensor {
    /// the address, even in device memory
    pub data: *mut c_void,
    pub device: cuc_dl_device,
    pub ndim: i32,
    pub dtype: cuc_dl_data_type,
    /// \[ndim\]
    pub shape: *mut i64,
    /// \[ndim\] in elements; NULL: contiguous, the last dimension fastest
    pub strides: *mut i64,
    /// offset of the first element from data
    pub byte_offset: u64,
}

zeroed!(cuc_dl_tensor);

/// DLPackVersion.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_dl_version {
    /// a different major version has a different layout
    pub major: u32,
    /// later minor versions add types and flags
    pub minor: u32,
}

zeroed!(cuc_dl_version);

/// Options of cuc_event_create(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_event_options {
    /// sizeof(cuc_event_options); the initializers set it
    pub struct_size: usize,
    /// CUC_EVENT_ bits
    pub flags: u32,
    /// 0
    pub reserved: u32,
}

zeroed!(cuc_event_options, struct_size);

/// Explanation of an error code, written by cuc_explain().
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_explanation {
    /// sizeof(cuc_explanation), set by the caller
    pub struct_size: usize,
    /// symbolic name, such as "CUDA_ERROR_ILLEGAL_ADDRESS"; static
    pub symbol: *const c_char,
    /// one sentence; static
    pub meaning: *const c_char,
    /// the remedy; static
    pub remedy: *const c_char,
    /// a CUC_LIBRARY_ value
    pub library: i32,
    /// the library's own code, or the cuc_status
    pub code: i32,
    /// 1: only a new process can continue after this code
    pub sticky: i32,
    /// 0
    pub reserved: i32,
}

zeroed!(cuc_explanation, struct_size);

/// Options of cuc_fatbin_create(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_fatbin_options {
    /// sizeof(cuc_fatbin_options); the initializers set it
    pub struct_size: usize,
    /// the object's name in messages; copied; NULL is "fatbin"
    pub name: *const c_char,
    /// compress the code; on by default, in a format (LZ4) that every driver and cucore itself can read
    pub compress: i32,
    /// also pack the PTX that accompanies each cubin, for later architectures and simulated drivers; packs equal PTX once; off by default
    pub ptx: i32,
}

zeroed!(cuc_fatbin_options, struct_size);

/// Code for one architecture in a fat binary.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_fatbin_part {
    /// PTX or a cubin
    pub object: *mut cuc_object,
    /// The architecture that a cubin was compiled for, such as "sm_90a". nvFatbin checks its number, but not its suffix. NULL: the architecture of the PTX beside the cubin. PTX names its own architecture.
    pub arch: *const c_char,
}

zeroed!(cuc_fatbin_part);

/// A rectangle to fill.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_fill_2d_params {
    /// sizeof(cuc_fill_2d_params); the initializers set it
    pub struct_size: usize,
    /// the first pattern of the first row; aligned to pattern_bytes
    pub dst: cuc_device_ptr,
    /// bytes between rows, a multiple of pattern_bytes; 0: no gap
    pub pitch: usize,
    /// patterns in a row; 0 fills nothing
    pub row_count: usize,
    /// 0 fills nothing
    pub rows: usize,
    /// the value to repeat, in the low bytes; the other bytes must be 0
    pub pattern: u32,
    /// 1, 2 or 4
    pub pattern_bytes: u32,
}

zeroed!(cuc_fill_2d_params, struct_size);

/// The arrays of a call. Arrays that the plan does not use must be NULL; otherwise the call fails
/// and names them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_gemm_args {
    /// sizeof(cuc_gemm_args); the initializers set it
    pub struct_size: usize,
    /// \[m\]\[k\]; \[batch\]\[m\]\[k\]; grouped: the rows of all groups, \[m\]\[k\]
    pub a: *const cuc_tensor,
    /// \[k\]\[n\]; \[batch\]\[k\]\[n\]; \[groups\]\[k\]\[n\]
    pub b: *const cuc_tensor,
    /// like d; read only if beta is not 0; may be d itself
    pub c: *const cuc_tensor,
    /// \[m\]\[n\]; \[batch\]\[m\]\[n\]; grouped: the rows of all groups, \[m\]\[n\]; written
    pub d: *const cuc_tensor,
    /// \[n\], \[m\] or \[groups\]\[n\]
    pub bias: *const cuc_tensor,
    /// like d; may be d itself
    pub residual: *const cuc_tensor,
    /// f32 \[m\]
    pub row_scale: *const cuc_tensor,
    /// f32 \[n\]
    pub column_scale: *const cuc_tensor,
    /// For grouped products: i32 \[groups + 1\] on the device. Group g has rows offsets\[g\] to offsets\[g + 1\] of a and d. Offsets must ascend. Rows that belong to no group are not written. The array must not overlap d.
    pub offsets: *const cuc_tensor,
    /// a multiple of 256, used by one product at a time; 0 if the plan needs none
    pub workspace: cuc_device_ptr,
    /// size of the workspace; at least cuc_gemm_plan_workspace_bytes()
    pub workspace_bytes: u64,
    /// like d; written, or read if the activation is a derivative
    pub aux: *const cuc_tensor,
    /// \[n\] or \[m\]; written; the sum over all products of a batch
    pub bias_gradient: *const cuc_tensor,
    /// f32 \[1\]; written; of all products and groups; NaN if some element is NaN
    pub amax: *const cuc_tensor,
    /// f32 \[m / a_scale_rows\]\[k / 128\], rounded up, with the leading axis and the order of a
    pub a_scale: *const cuc_tensor,
    /// f32 \[k / 128\]\[n / b_scale_columns\], like b
    pub b_scale: *const cuc_tensor,
}

zeroed!(cuc_gemm_args, struct_size);

/// The choice made for a plan and its estimated time.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_gemm_choice {
    /// sizeof(cuc_gemm_choice), set by the caller
    pub struct_size: usize,
    /// rows of d that a block computes
    pub tile_m: i32,
    /// columns
    pub tile_n: i32,
    /// elements of the reduction per iteration
    pub tile_k: i32,
    /// 0: as many as fit
    pub stages: i32,
    /// blocks of a cluster, down a column of tiles; 1: no cluster
    pub cluster: i32,
    /// 0: the compiler's choice
    pub warps: i32,
    /// 1: no blocks share a reduction
    pub split: i32,
    /// 0: the compiler's choice
    pub raster: i32,
    /// 1: reductions are not split
    pub parts: i32,
    /// 1: TMA and wgmma, where addresses and strides allow; 0: not possible with these tiles, types or orders, or on this device
    pub pipeline: i32,
    /// of d
    pub d_dtype: cuc_dtype,
    /// 0: no tile is shared
    pub stream_k: i32,
    /// number of tiles for the plan's shape, times the parts of a reduction; 0: the plan has no shape
    pub tiles: i64,
    /// the model's estimate; meaningful only in comparison with other estimates
    pub seconds: f64,
    /// "options", "tuned" or "model"; static storage
    pub by: *const c_char,
    /// blocks of a cluster, along a row of tiles; 1: no cluster
    pub cluster_n: i32,
    /// CUC_GEMM_PACK_ bits of the operands that are packed
    pub pack: i32,
}

zeroed!(cuc_gemm_choice, struct_size);

/// Description of a plan. Zero selects the default of every field except dtype.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_gemm_options {
    /// sizeof(cuc_gemm_options); the initializers set it
    pub struct_size: usize,
    /// CUC_GEMM_SINGLE, _BATCHED or _GROUPED
    pub form: i32,
    /// CUC_GEMM_ bits
    pub flags: u32,
    /// of a and b: f16, bf16, f32, tf32, f64, e4m3, e5m2, i8, u8; must be given
    pub dtype: cuc_dtype,
    /// of d; 0: dtype, but bf16 for 8-bit floats, i32 for integers, f32 for tf32
    pub d_dtype: cuc_dtype,
    /// of c; 0: no c, and beta must be 0
    pub c_dtype: cuc_dtype,
    /// f32, f64 or i32, as dtype requires; 0: chosen from dtype
    pub accumulator: cuc_dtype,
    /// for f32: CUC_GEMM_IEEE, _TF32 or _TF32X3
    pub precision: i32,
    /// CUC_GEMM_ROW_MAJOR or _COLUMN_MAJOR; arrays with other strides also work, but slowly
    pub a_order: i32,
    pub b_order: i32,
    /// order of d, c and residual
    pub d_order: i32,
    /// CUC_GEMM_LINEAR, _RELU, _GELU, _GELU_TANH or _SILU, or the _DERIVATIVE of one of them
    pub activation: i32,
    /// CUC_GEMM_NO_BIAS, _BIAS_COLUMNS or _BIAS_ROWS
    pub bias: i32,
    /// 0: the type of d
    pub bias_dtype: cuc_dtype,
    /// 0: no residual
    pub residual_dtype: cuc_dtype,
    /// rows of d, of all groups together; 0: large
    pub m: i64,
    /// columns of d; 0: large
    pub n: i64,
    /// extent of the reduction; 0: large
    pub k: i64,
    /// number of products in a batch, or of groups; 0: 1
    pub batch: i64,
    /// rows of d that a block computes; 0: chosen automatically
    pub tile_m: i32,
    /// columns of d; 0: chosen automatically. Set both tile_m and tile_n, or neither
    pub tile_n: i32,
    /// elements of the reduction per iteration; 0: chosen automatically
    pub tile_k: i32,
    /// pipeline stages, 2 to 24; 0: as many as fit
    pub stages: i32,
    /// blocks that share their loads of b, down a column of tiles: 1, 2 or 4. 8: four down and two along a row, which share their loads of a. 0: chosen automatically
    pub cluster: i32,
    /// Warps of a block without a pipeline. With a pipeline, 4 lets warpgroups alternate between tiles. 0: chosen by the compiler.
    pub warps: i32,
    /// blocks that share a pipelined reduction, 1 to 8, if cluster is 1; 0: chosen automatically, or 1 if cluster is given
    pub split: i32,
    /// tiles side by side before the next row of tiles, 1 to 64; 0: chosen automatically
    pub raster: i32,
    /// parts of a split reduction, whose partial sums go through the workspace, 1 to 64; 0: chosen automatically
    pub parts: i32,
    /// Stream-K: if the tiles do not fill the last wave, all blocks share the reductions of this many last waves evenly, 1 to 8. Partial sums pass through the workspace. 0: chosen automatically.
    pub stream_k: i32,
    /// Upper limit of cuc_gemm_plan_workspace_bytes() for the shape, without what bias_gradient requires. The workspace holds partial sums and packed operands. 0: no workspace, unless `parts`, `stream_k`, `pack` or `bias_gradient` requires one.
    pub workspace_bytes: u64,
    /// target architecture, such as "sm_90a"; NULL: all features of the device
    pub arch: *const c_char,
    /// File of tuning records (tuned.h) to search before the cost model is used. "": none; NULL: the file that CUCORE_TUNED names, or the installed one. Options that fix the tile bypass the search.
    pub tuned: *const c_char,
    /// The cache of compiled code, used while the plan is created. NULL: cuc_cache_default(). Pass cuc_cache_none() to store nothing.
    pub cache: *mut cuc_cache,
    /// Blocks that share their loads of a, along a row of tiles: 1, 2 or 4; 8: four along and two down. Above 1 only if cluster is 1. 0: chosen automatically, or 1 if cluster is given.
    pub cluster_n: i32,
    /// CUC_GEMM_PACK_ bits: operands that are copied to the workspace before the product, if their rows are not aligned or have the wrong order; for CUC_GEMM_SINGLE. 0: chosen automatically
    pub pack: i32,
    /// Largest power of two that divides the addresses of a and b and the bytes between their rows. 0: that of dense arrays at addresses that are multiples of 16. Guides choices, and is not a promise.
    pub alignment: i32,
    /// Type of aux, which has the shape and the order of d. With a derivative, aux is read; 0: the type of d. Otherwise the activation's input is written to it; 0: no aux.
    pub aux_dtype: cuc_dtype,
    /// CUC_GEMM_NO_GRADIENT, _GRADIENT_COLUMNS, _GRADIENT_ROWS, _GRADIENT_A or _GRADIENT_B; not for grouped products
    pub bias_gradient: i32,
    /// 0: the type that the epilogue computes in
    pub bias_gradient_dtype: cuc_dtype,
    /// Multiprocessors that the product uses, so that others stay free for kernels that run beside it, such as those of communication. Only the blocks of pipelines are limited. 0: all of the device.
    pub sm_count: i32,
    /// Scales by block, for 8-bit floats: each number of a_scale is of this many rows of a, 1 or 128, and of 128 elements along k. 0: no a_scale.
    pub a_scale_rows: i32,
    /// likewise of b_scale and columns of b, 1 or 128; 0: no b_scale
    pub b_scale_columns: i32,
    /// 0
    pub reserved: i32,
}

zeroed!(cuc_gemm_options, struct_size);

/// Options of cuc_graph_instantiate(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_graph_exec_options {
    /// sizeof(cuc_graph_exec_options); the initializers set it
    pub struct_size: usize,
    /// a stream that uploads the instance to the device at once; NULL: the first launch uploads it
    pub upload: *mut cuc_stream,
    /// CUC_GRAPH_ bits
    pub flags: u32,
    /// 0
    pub reserved: u32,
}

zeroed!(cuc_graph_exec_options, struct_size);

/// Identifies a buffer or an event to another process. The bytes can be copied freely.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_ipc_handle {
    /// the driver's handle
    pub bytes: [u8; 64],
}

zeroed!(cuc_ipc_handle);

/// One parameter of a kernel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_kernel_parameter {
    /// sizeof(cuc_kernel_parameter), set by the caller
    pub struct_size: usize,
    /// in bytes from the start of the parameters, as the driver reports it; computed from the alignments if the driver is older than CUDA 12.4
    pub offset: u32,
    /// its size
    pub bytes: u32,
    /// a CUC_PARAMETER_ value
    pub type_: i32,
    /// 0
    pub reserved: i32,
}

zeroed!(cuc_kernel_parameter, struct_size);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_launch_attribute_value_window {
    /// start of the window
    pub base: cuc_device_ptr,
    /// its length
    pub bytes: u64,
    /// fraction of the window's accesses that use `hit`, 0 to 1
    pub hit_ratio: f32,
    /// a CUC_CACHE_ constant
    pub hit: i32,
    /// CUC_CACHE_NORMAL or CUC_CACHE_STREAMING
    pub miss: i32,
}

zeroed!(cuc_launch_attribute_value_window);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_launch_attribute_value_event {
    /// without timing; not retained
    pub event: *mut cuc_event,
    /// PROGRAMMATIC_EVENT: 1 triggers it once all blocks have begun
    pub trigger_at_start: i32,
    /// the driver's event record flags
    pub flags: i32,
}

zeroed!(cuc_launch_attribute_value_event);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_launch_attribute_value_domain_map {
    pub default_domain: u8,
    pub remote_domain: u8,
}

zeroed!(cuc_launch_attribute_value_domain_map);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_launch_attribute_value_device_node {
    /// 1: the node can be updated from the device
    pub updatable: i32,
    /// receives the CUgraphDeviceNode
    pub node: *mut *mut c_void,
}

zeroed!(cuc_launch_attribute_value_device_node);

#[repr(C)]
#[derive(Clone, Copy)]
pub union cuc_launch_attribute_value {
    /// COOPERATIVE, PROGRAMMATIC_STREAM_SERIALIZATION, CLUSTER_SCHEDULING_POLICY, PRIORITY (lower runs first), MEM_SYNC_DOMAIN (0 default, 1 remote), carveout (percent, -1 default), NVLINK_UTIL_CENTRIC_SCHEDULING.
    pub value: i32,
    /// CLUSTER_DIMENSION, PREFERRED_CLUSTER_DIMENSION: in blocks
    pub cluster: [u32; 3],
    /// ACCESS_POLICY_WINDOW
    pub window: cuc_launch_attribute_value_window,
    /// PROGRAMMATIC_EVENT, COMPLETION_EVENT
    pub event: cuc_launch_attribute_value_event,
    /// MEM_SYNC_DOMAIN_MAP
    pub domain_map: cuc_launch_attribute_value_domain_map,
    /// DEVICE_UPDATABLE_KERNEL_NODE; only during a capture
    pub device_node: cuc_launch_attribute_value_device_node,
    pub raw: [u8; 64],
}

zeroed!(cuc_launch_attribute_value);

/// One launch attribute that cuc_launch_config has no field for.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_launch_attribute {
    /// a CUC_LAUNCH_ATTRIBUTE_ constant
    pub id: i32,
    /// 0
    pub reserved: u32,
    pub value: cuc_launch_attribute_value,
}

zeroed!(cuc_launch_attribute);

/// The configuration of a launch. Zero selects the default of every field except the grid and the
/// block, which have no default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_launch_config {
    /// sizeof(cuc_launch_config); the initializers set it
    pub struct_size: usize,
    /// in blocks, even with clusters; 0 in y or z means 1
    pub grid: [u32; 3],
    /// in threads; 0 in y or z means 1
    pub block: [u32; 3],
    /// in blocks; all 0: no cluster; 0 in y or z means 1
    pub cluster: [u32; 3],
    /// dynamic shared memory of a block; cucore opts in to large sizes
    pub shared_bytes: u32,
    /// CUC_LAUNCH_ bits
    pub flags: u32,
    pub attribute_count: u32,
    /// \[attribute_count\] attributes that have no field of their own
    pub attributes: *const cuc_launch_attribute,
}

zeroed!(cuc_launch_config, struct_size);

/// Options of a linker. Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_linker_options {
    /// sizeof(cuc_linker_options); the initializers set it
    pub struct_size: usize,
    /// the object's name; NULL is "linked" (driver)
    pub name: *const c_char,
    /// The target architecture, "sm_90" or "sm_90a". NULL means the architecture of the current device, or of device 0, and needs a driver; it becomes sm_90a if an input is PTX for sm_90a. -arch (driver)
    pub arch: *const c_char,
    /// CUC_LINKER_AUTO, _NVJITLINK or _DRIVER
    pub backend: i32,
    /// -maxrregcount: registers of a thread (driver)
    pub max_register_count: i32,
    /// -time: times of the phases in the info log
    pub time: i32,
    /// -verbose: registers and memory in the info log (driver)
    pub verbose: i32,
    /// -lto: optimize across all LTO-IR; implied if an input is known to be LTO-IR.
    pub link_time_optimization: i32,
    /// Keep the PTX of the LTO-IR beside the cubin, for drivers that take only PTX; on by default. This costs a second optimizer pass, but no assembler pass. Such PTX exists only if all inputs are LTO-IR.
    pub keep_ptx: i32,
    /// -O: 0 (CUC_ZERO) to 3; nvJitLink has only 0 and 3 (driver)
    pub optimization_level: i32,
    /// -g (driver)
    pub debug: i32,
    /// -lineinfo (driver)
    pub lineinfo: i32,
    /// -ftz: flush subnormal f32 to zero; in LTO
    pub ftz: i32,
    /// -prec-div: IEEE division of f32; in LTO
    pub prec_div: i32,
    /// -prec-sqrt: IEEE square root of f32; in LTO
    pub prec_sqrt: i32,
    /// -fma: contract a * b + c; in LTO
    pub fma: i32,
    /// -optimize-unused-variables; in LTO
    pub optimize_unused_variables: i32,
    /// -split-compile: threads; CUC_ZERO for all
    pub split_compile: i32,
    /// -split-compile-extended: threads; in LTO
    pub split_compile_extended: i32,
    /// -no-cache (driver)
    pub no_cache: i32,
    /// -numba-debug: later nvJitLink versions
    pub numba_debug: i32,
    /// -kernels-used: mangled names; in LTO
    pub kernels_used: *const *const c_char,
    pub kernels_used_count: usize,
    /// -variables-used: mangled names; in LTO
    pub variables_used: *const *const c_char,
    pub variables_used_count: usize,
    /// -Xptxas: one option each, "-v"
    pub ptxas_options: *const *const c_char,
    pub ptxas_option_count: usize,
    /// Flags passed on unchanged after those above, for nvJitLink versions newer than this header.
    pub extra_options: *const *const c_char,
    pub extra_option_count: usize,
    /// The cache of results; retained. NULL: cuc_cache_default(). Pass cuc_cache_none() to store nothing. Results of the driver's linker are never stored.
    pub cache: *mut cuc_cache,
}

zeroed!(cuc_linker_options, struct_size);

/// Ranges of managed memory for the batch calls.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_memory_batch {
    /// sizeof(cuc_memory_batch); the initializers set it
    pub struct_size: usize,
    /// \[count\] start of each range
    pub ptrs: *const cuc_device_ptr,
    /// \[count\] length of each range; none may be 0
    pub bytes: *const usize,
    /// 0 does nothing
    pub count: usize,
    /// \[location_count\] destinations; discard ignores them
    pub locations: *const cuc_memory_location,
    /// 1: one location for all ranges; else equal to count
    pub location_count: usize,
}

zeroed!(cuc_memory_batch, struct_size);

/// Callbacks of a user-defined resource.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_memory_callbacks {
    /// sizeof(cuc_memory_callbacks); the initializers set it
    pub struct_size: usize,
    /// passed to every callback
    pub user: *mut c_void,
    /// Write the address of `bytes` bytes to *out. `bytes` is never 0. `stream` may be NULL.
    pub allocate: Option<unsafe extern "C" fn(user: *mut c_void, out: *mut cuc_device_ptr, stream: *mut cuc_stream, bytes: usize) -> cuc_status>,
    /// Free an allocation in stream order, or at once if `stream` is NULL. May run on any thread.
    pub deallocate: Option<unsafe extern "C" fn(user: *mut c_void, stream: *mut cuc_stream, ptr: cuc_device_ptr, bytes: usize) -> cuc_status>,
    /// Called once, after the last buffer and reference are gone; may be NULL.
    pub destroy: Option<unsafe extern "C" fn(user: *mut c_void)>,
    /// The device that owns the memory; only its streams can use the resource. NULL: every stream can use it, and the driver reports each allocation's device.
    pub device: *mut cuc_device,
    /// CUC_MEMORY_ACCESS_ bits, at least one; if DEVICE and HOST are both set, the driver reports whether an allocation is MANAGED
    pub access: u32,
    /// 0
    pub reserved: u32,
}

zeroed!(cuc_memory_callbacks, struct_size);

/// A location that memory can reside in.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_memory_location {
    /// a CUC_LOCATION_ constant
    pub type_: i32,
    /// the device's ordinal or the NUMA node; otherwise 0
    pub id: i32,
}

zeroed!(cuc_memory_location);

/// One piece of virtual memory in the form that another process can import. Linux only.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_memory_piece {
    pub bytes: u64,
    /// a file descriptor; the process that holds it closes it
    pub fd: i32,
    pub reserved: u32,
}

zeroed!(cuc_memory_piece);

/// Options of cuc_memory_pool_create(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_memory_pool_options {
    /// sizeof(cuc_memory_pool_options); the initializers set it
    pub struct_size: usize,
    /// upper limit of its size; 0: the system's limit
    pub max_bytes: u64,
    /// bytes to keep when a stream is synchronized, instead of returning them to the system; 0: none; CUC_MEMORY_POOL_KEEP_ALL: all of them
    pub release_threshold: u64,
    /// CUC_MEMORY_DEVICE (0), _PINNED or _MANAGED
    pub kind: i32,
    /// CUC_MEMORY_POOL_ bits
    pub flags: u32,
    /// CUC_MEMORY_PINNED: location on the host; NONE: anywhere. CUC_MEMORY_MANAGED: the preferred location; NONE: no preference. CUC_MEMORY_DEVICE: must be NONE, because the device is an argument
    pub location: cuc_memory_location,
}

zeroed!(cuc_memory_pool_options, struct_size);

/// Memory held by a pool. High-water marks count from the pool's creation or from their last reset.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_memory_pool_statistics {
    /// sizeof(cuc_memory_pool_statistics), set by the caller
    pub struct_size: usize,
    /// obtained from the system
    pub reserved_bytes: u64,
    /// maximum of reserved_bytes
    pub reserved_high: u64,
    /// in allocations
    pub used_bytes: u64,
    /// maximum of used_bytes
    pub used_high: u64,
}

zeroed!(cuc_memory_pool_statistics, struct_size);

/// Options of cuc_memory_virtual_create(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_memory_virtual_options {
    /// sizeof(cuc_memory_virtual_options); the initializers set it
    pub struct_size: usize,
    /// bytes reserved for each allocation to grow into; 0: its own size
    pub reserve_bytes: u64,
    /// alignment of addresses, a power of two; 0: the driver's
    pub align: u64,
    /// \[peer_count\] other devices that can access it
    pub peers: *const *mut cuc_device,
    /// 0: none
    pub peer_count: usize,
    /// NONE: the memory is on the device; otherwise a location on the host
    pub location: cuc_memory_location,
    /// CUC_MEMORY_VIRTUAL_ bits
    pub flags: u32,
    /// 0
    pub reserved: u32,
}

zeroed!(cuc_memory_virtual_options, struct_size);

/// A name as written in the source, and the symbol that the compiler generated for it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_object_mapping {
    /// such as "saxpy\<float\>"
    pub expression: *const c_char,
    /// such as "_Z5saxpyIfEvT_PKS0_PS0_i"
    pub symbol: *const c_char,
}

zeroed!(cuc_object_mapping);

/// Options of cuc_object_create(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_object_options {
    /// sizeof(cuc_object_options); the initializers set it
    pub struct_size: usize,
    /// name in messages; copied; NULL: none, or the path
    pub name: *const c_char,
    /// PTX of the same code, for a cubin or fatbin; a simulated driver loads it, and it has the parameter types; copied; NULL: none
    pub ptx: *const c_void,
    /// its length, with or without a final NUL
    pub ptx_bytes: usize,
    /// name expressions that cuc_object_get_kernel() accepts in place of symbols; copied; NULL: none
    pub names: *const cuc_object_mapping,
    /// number of names
    pub name_count: usize,
}

zeroed!(cuc_object_options, struct_size);

/// Limits for cuc_occupancy_max_potential_block_size(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_occupancy_options {
    /// sizeof(cuc_occupancy_options); the initializers set it
    pub struct_size: usize,
    /// dynamic shared memory of a block of any size; not together with shared_of_block
    pub shared_bytes: u32,
    /// maximum threads of a block; 0: the limit of kernel and device
    pub block_limit: u32,
    /// CUC_OCCUPANCY_ bits
    pub flags: u32,
    /// 0
    pub reserved: u32,
    /// Returns the dynamic shared memory of a block of `block_threads` threads, in bytes. Called on the calling thread before the query returns. Must not call cucore. NULL: shared_bytes.
    pub shared_of_block: Option<unsafe extern "C" fn(block_threads: i32, user: *mut c_void) -> usize>,
    /// passed to shared_of_block
    pub user: *mut c_void,
}

zeroed!(cuc_occupancy_options, struct_size);

/// Information that the driver has about an address.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_pointer_info {
    /// sizeof(cuc_pointer_info), set by the caller
    pub struct_size: usize,
    /// start of the allocation; 0 when unknown
    pub base: cuc_device_ptr,
    /// size of the allocation; 0 when unknown
    pub bytes: u64,
    /// the address for kernels; 0 when they cannot access it
    pub device_pointer: cuc_device_ptr,
    /// the address for the CPU; NULL when it cannot access it
    pub host_pointer: *mut c_void,
    /// the CUmemoryPool of the allocation; NULL: none
    pub pool: *mut c_void,
    /// unique within the process; 0 when unknown
    pub buffer_id: u64,
    /// a CUC_MEMORY_ kind; CUC_MEMORY_UNREGISTERED: unknown to the driver
    pub kind: i32,
    /// ordinal of the device on which it was allocated; -1: none
    pub device: i32,
    /// CUC_MEMORY_ACCESS_ bits
    pub access: u32,
    /// 1: backed by memory; 0: only reserved, or unknown to the driver
    pub mapped: i32,
}

zeroed!(cuc_pointer_info, struct_size);

/// A header that exists only in memory; an `#include` of its name finds it before any file.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_program_header {
    /// the name, as the `#include` has it between quotes or brackets
    pub name: *const c_char,
    /// the header's text; copied
    pub text: *const c_char,
    /// length of the text; 0 if it ends with a zero byte
    pub bytes: usize,
}

zeroed!(cuc_program_header);

/// Options for compiling a program. Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_program_options {
    /// sizeof(cuc_program_options); the initializers set it
    pub struct_size: usize,
    /// The name of the source in messages, and of the object (PTX). NULL is "program.cu", "program.ptx" or "program.tile". If the name has a directory, as in "src/a.cu", NVRTC searches this directory first for quoted includes, unless no_source_include is CUC_ON.
    pub name: *const c_char,
    /// The target architecture, "sm_90", "sm_90a" or "compute_90" (PTX: sm_ only). NULL means the architecture of the current device, or of device 0, and needs a driver (--gpu-architecture). With NULL, a tile program may use all features of the device, "sm_90a" for a 9.0 device; with "sm_90", it uses no instruction that needs "sm_90a".
    pub arch: *const c_char,
    /// --relocatable-device-code: to be linked
    pub relocatable_device_code: i32,
    /// --extensible-whole-program
    pub extensible_whole_program: i32,
    /// --device-debug (PTX)
    pub debug: i32,
    /// --generate-line-info (PTX)
    pub lineinfo: i32,
    /// --dopt=on: optimize even with debug
    pub device_code_optimize: i32,
    /// --maxrregcount: registers of a thread (PTX)
    pub max_register_count: i32,
    /// --ftz: flush subnormal f32 to zero
    pub ftz: i32,
    /// --prec-sqrt: IEEE square root of f32
    pub prec_sqrt: i32,
    /// --prec-div: IEEE division of f32
    pub prec_div: i32,
    /// --fmad: contract a * b + c (tile)
    pub fma: i32,
    /// --use_fast_math
    pub use_fast_math: i32,
    /// --extra-device-vectorization
    pub extra_device_vectorization: i32,
    /// --modify-stack-limit: raise the stack limit while NVRTC compiles
    pub modify_stack_limit: i32,
    /// --dlink-time-opt; implied by CUC_CODE_LTOIR
    pub link_time_optimization: i32,
    /// --gen-opt-lto: optimize before writing LTO-IR
    pub gen_opt_lto: i32,
    /// --device-stack-protector
    pub device_stack_protector: i32,
    /// --jump-table-density: percent, 101 for no table
    pub jump_table_density: i32,
    /// --split-compile: threads; CUC_ZERO for all (PTX)
    pub split_compile: i32,
    /// --no-source-include: do not search the source's folder
    pub no_source_include: i32,
    /// cucore's own: do not add the folders of the CUDA headers
    pub no_default_headers: i32,
    /// --use-bundled-headers, NVRTC 13.3 and later: unpack NVRTC's headers into the default cache's folder, and use them instead of installed ones
    pub use_bundled_headers: i32,
    /// --builtin-move-forward
    pub builtin_move_forward: i32,
    /// --builtin-initializer-list
    pub builtin_initializer_list: i32,
    /// --disable-warnings
    pub disable_warnings: i32,
    /// --restrict: every pointer parameter is restrict
    pub restrict_pointers: i32,
    /// --device-as-default-execution-space
    pub device_as_default_execution_space: i32,
    /// --device-int128
    pub device_int128: i32,
    /// --device-float128: sm_100 and later
    pub device_float128: i32,
    /// --display-error-number, --no-display-error-number
    pub display_error_number: i32,
    /// --brief-diagnostics: no source lines in the log
    pub brief_diagnostics: i32,
    /// --version-ident: the compiler's version in the code
    pub version_ident: i32,
    /// --fdevice-syntax-only: check the syntax, generate no code
    pub fdevice_syntax_only: i32,
    /// --minimal: fewer built-in declarations, faster
    pub minimal: i32,
    /// --no-cache: neither read nor write NVRTC's cache (PTX)
    pub no_cache: i32,
    /// --numba-debug: later NVRTC versions
    pub numba_debug: i32,
    /// --pch: write and find precompiled headers
    pub pch: i32,
    /// --pch-verbose: reasons why a header was not usable
    pub pch_verbose: i32,
    /// --pch-messages: report which header was written or used
    pub pch_messages: i32,
    /// --instantiate-templates-in-pch
    pub instantiate_templates_in_pch: i32,
    /// 0
    pub reserved: i32,
    /// --std: "c++03" to "c++20"; NULL is C++17
    pub std: *const c_char,
    /// --Ofast-compile: "0", "min", "mid", "max"
    pub ofast_compile: *const c_char,
    /// --optimization-info: "inline"
    pub optimization_info: *const c_char,
    /// --time: a file for the table of times, "-" for stdout (PTX: log)
    pub time: *const c_char,
    /// --fdevice-time-trace: a file for the trace, JSON
    pub fdevice_time_trace: *const c_char,
    /// --frandom-seed: makes generated names repeatable
    pub frandom_seed: *const c_char,
    /// --create-pch: the file to write
    pub create_pch: *const c_char,
    /// --use-pch: the file to use
    pub use_pch: *const c_char,
    /// --pch-dir: where pch keeps its files
    pub pch_dir: *const c_char,
    /// --define-macro: "NAME" or "NAME=VALUE", each
    pub define_macros: *const *const c_char,
    pub define_macro_count: usize,
    /// --undefine-macro: names
    pub undefine_macros: *const *const c_char,
    pub undefine_macro_count: usize,
    /// --include-path: folders, searched in this order
    pub include_paths: *const *const c_char,
    pub include_path_count: usize,
    /// --pre-include: headers before the first line
    pub pre_includes: *const *const c_char,
    pub pre_include_count: usize,
    /// --ptxas-options: one option each, "-v" (PTX)
    pub ptxas_options: *const *const c_char,
    pub ptxas_option_count: usize,
    /// --diag-error: numbers of warnings to treat as errors
    pub diag_error: *const i32,
    pub diag_error_count: usize,
    /// --diag-suppress: numbers of warnings to drop
    pub diag_suppress: *const i32,
    pub diag_suppress_count: usize,
    /// --diag-warn: numbers of errors to treat as warnings
    pub diag_warn: *const i32,
    pub diag_warn_count: usize,
    /// headers in memory
    pub headers: *const cuc_program_header,
    pub header_count: usize,
    /// Names to instantiate, such as "scale\<float\>" or "&ns::table". NVRTC instantiates each name, and cuc_object_get_kernel() accepts it.
    pub name_expressions: *const *const c_char,
    pub name_expression_count: usize,
    /// Flags passed on unchanged after those above, for NVRTC versions newer than this header (PTX).
    pub extra_options: *const *const c_char,
    pub extra_option_count: usize,
    /// Overrides for constants of a tile program's kernels: "NAME=VALUE" (tile only)
    pub constants: *const *const c_char,
    pub constant_count: usize,
    /// Warps of a block, a power of two up to 32 (tile only). A pipelined matrix product chooses its own number of warps, but 4 lets its warpgroups alternate between tiles where possible. Any other product takes more warps if its accumulators would not fit in registers.
    pub warps: i32,
    /// log the compiler's decisions (tile only)
    pub remarks: i32,
    /// a load hinted for TMA that cannot use TMA is an error (tile only)
    pub require_tma: i32,
    /// an mma that cannot use a tensor core is an error (tile only)
    pub require_tensor_core: i32,
    /// stages of a pipelined loop, 2 to 24; fewer if they do not fit (tile only)
    pub stages: i32,
    /// blocks that share their loads if possible: 1, 2 or 4 along the grid's first axis, or 8: four along it and two along the second one (tile only)
    pub cluster: i32,
    /// For grids with fewer blocks than multiprocessors: the number of blocks, up to 16, that run the loops of one block together, as a cluster. They share the reduction axis of a pipelined matrix product (up to 8) or, on devices with clusters, any loop that only accumulates. Partial results are combined in a fixed order, so every launch gives the same result, but sums of floats round differently with different numbers of blocks. Some devices have no room for more than 8 (cuc_occupancy_max_potential_cluster_size()). 0: each launch chooses the number, up to 8, from its grid, and shares only loops whose result does not depend on the number; 1: no loop is shared (tile only)
    pub split: i32,
    /// for a pipelined matrix product: number of tiles computed along the grid's first axis before the index along the second axis advances, 1 to 64 (tile only)
    pub raster: i32,
    /// "NAME=EXTENT": values for dimensions and integer arguments of a tile program's kernels, used to choose the candidates of auto(). A kernel is compiled with its first candidates if the list lacks one of its names. A name that no kernel has is an error (tile only)
    pub dimensions: *const *const c_char,
    pub dimension_count: usize,
    /// A file of tuning records (tuned.h). A record for these dimensions replaces the cost model's choice. Used only if arch is NULL. "": none; NULL: the file that CUCORE_TUNED names, or the installed one (tile only)
    pub tuned: *const c_char,
    /// The tile compiler's budget. A program that exceeds it is refused with T801 to T805, which name the construct, the amount and the limit. 0 selects the default of each limit; together the defaults bound a source of 2 kB to 2 s and 512 MB. UINT64_MAX: no limit. This limit is on compiler steps, whose number is the same on every machine: 2^22 by default (tile only)
    pub budget_operations: u64,
    /// limit on bytes of the PTX, or of a dump: 2^25 by default (tile only)
    pub budget_ptx_bytes: u64,
    /// limit on bytes that the compiler holds at a time: 2^28 by default (tile only)
    pub budget_memory_bytes: u64,
    /// limit on wall-clock time; 0: unlimited (tile only)
    pub budget_seconds: f64,
    /// Called several times a second on the compiling thread. A nonzero result ends the compilation. NULL: never ends it (tile only)
    pub cancel: Option<unsafe extern "C" fn(user: *mut c_void) -> i32>,
    /// passed to cancel
    pub cancel_user: *mut c_void,
    /// The cache of compiled code; retained. NULL: cuc_cache_default(). Pass cuc_cache_none() to store nothing (PTX).
    pub cache: *mut cuc_cache,
}

zeroed!(cuc_program_options, struct_size);

/// An argument of a plan.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_python_argument {
    /// the value's class, a PyTypeObject; subclasses are not accepted
    pub type_: *mut c_void,
    /// a CUC_PYTHON_ constant
    pub how: i32,
    /// for a number: bool, an integer of any size, f32 or f64
    pub dtype: i32,
}

zeroed!(cuc_python_argument);

/// A complete launch. A Python object holds its address.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_python_launch {
    /// address of a variable that holds the cuc_stream; the variable is NULL once the stream is closed
    pub stream: *mut c_void,
    /// a cuc_launch_config, or NULL
    pub config: *const c_void,
    /// address of a variable that holds the cuc_kernel; the variable is NULL once the kernel is closed
    pub kernel: *mut c_void,
    /// \[arg_count\] cuc_arg
    pub args: *const c_void,
    pub arg_count: usize,
}

zeroed!(cuc_python_launch);

/// A plan that turns Python values of certain classes into a kernel launch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_python_plan {
    /// the cuc_kernel
    pub kernel: *mut c_void,
    /// \[count\]
    pub arguments: *const cuc_python_argument,
    /// at most 64
    pub count: usize,
}

zeroed!(cuc_python_plan);

/// A set of a device's multiprocessors: a plain value that owns nothing.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_sms {
    /// multiprocessors
    pub count: u32,
    /// minimum size of a group; 0 with drivers before CUDA 13.0
    pub least: u32,
    /// granularity of group sizes; 0 as above
    pub alignment: u32,
    pub reserved: u32,
    /// the driver's CUdevResource
    pub driver: [u64; 18],
}

zeroed!(cuc_sms);

/// Options of cuc_stream_create(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_stream_options {
    /// sizeof(cuc_stream_options); the initializers set it
    pub struct_size: usize,
    /// lower runs first; 0 is the lowest priority; clamped to the device's range
    pub priority: i32,
    /// CUC_STREAM_ bits
    pub flags: u32,
}

zeroed!(cuc_stream_options, struct_size);

/// An array in memory. The layout of this struct is final.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_tensor {
    /// address of element \[0\]\[0\]...; may be 0 if there are no elements
    pub data: cuc_device_ptr,
    /// element type
    pub dtype: cuc_dtype,
    /// number of dimensions, 0 to CUC_TENSOR_MAX_RANK; a tensor of rank 0 has one element
    pub rank: i32,
    /// ordinal of the device that owns the memory; -1: the host, or no device
    pub device: i32,
    /// CUC_TENSOR_ bits
    pub flags: u32,
    /// elements along each dimension, none negative
    pub shape: [i64; 8],
    /// elements between successive indices; may be 0 or negative
    pub strides: [i64; 8],
}

zeroed!(cuc_tensor);

/// A tensor map, passed to kernels by value. It holds an address and owns nothing. A map that
/// kernels read from memory must be aligned to 64 bytes; on the host it needs no alignment.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_tensor_map {
    /// the driver's CUtensorMap
    pub words: [u64; 16],
}

zeroed!(cuc_tensor_map);

/// The pixels that one copy transfers from images: successive pixels of a bounding box, as
/// convolutions read them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_tensor_map_image {
    /// sizeof(cuc_tensor_map_image); the initializers set it
    pub struct_size: usize,
    /// \[rank - 2\] near corner of the bounding box: offsets from the image's near corner, in the order of its dimensions (D, H, W)
    pub lower: [i32; 3],
    /// \[rank - 2\] far corner of the bounding box: offsets from the image's far corner
    pub upper: [i32; 3],
    /// channels of a pixel, 1 to 256
    pub channels: u32,
    /// pixels of a copy, 1 to 1024
    pub pixels: u32,
}

zeroed!(cuc_tensor_map_image, struct_size);

/// Settings of a map beyond its tensor and box. Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_tensor_map_options {
    /// sizeof(cuc_tensor_map_options); the initializers set it
    pub struct_size: usize,
    /// element type of the copy, with the size of the tensor's type: CUC_TF32 for an f32 tensor rounds its elements; 0: the tensor's
    pub dtype: cuc_dtype,
    /// a CUC_TENSOR_MAP_INTERLEAVE_ constant
    pub interleave: i32,
    /// a CUC_TENSOR_MAP_SWIZZLE_ constant
    pub swizzle: i32,
    /// a CUC_TENSOR_MAP_L2_ constant
    pub l2_promotion: i32,
    /// a CUC_TENSOR_MAP_FILL_ constant
    pub fill: i32,
    /// CUC_TENSOR_MAP_ bits
    pub flags: u32,
    /// traversal stride of each dimension, 1 to 8; n copies every nth element; 0: 1
    pub steps: [u32; 5],
    /// 0
    pub reserved: u32,
}

zeroed!(cuc_tensor_map_options, struct_size);

/// Options of a memory access. Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_tile_access_options {
    /// sizeof(cuc_tile_access_options); the initializers set it
    pub struct_size: usize,
    /// Shape of a store, \[rank\], with CUC_NO_AXIS; NULL: the tile's shape, preceded by CUC_NO_AXIS.
    pub shape: *const i64,
    /// length of shape
    pub rank: u32,
    /// load, gather: value outside the tensor; 0: zero
    pub pad: cuc_tile,
    /// gather, scatter, atomic operations: bools that select elements; 0: all
    pub mask: cuc_tile,
    /// a CUC_TILE_ constant from WEAK to ACQ_REL
    pub order: i32,
    /// CUC_TILE_SCOPE_
    pub scope: i32,
    /// a hint, 1 to 10: how long the load takes; a load with more latency starts earlier
    pub latency: i32,
    /// a hint: CUC_ON uses the tensor memory accelerator, CUC_OFF does not
    pub tma: i32,
    /// a hint: CUC_TILE_CACHE_
    pub cache: i32,
    /// nonzero: a promise that the access is entirely inside the tensor; not checked
    pub inside: i32,
    /// 0
    pub reserved: u32,
}

zeroed!(cuc_tile_access_options, struct_size);

/// Limits for building a program. Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_tile_budget {
    /// sizeof(cuc_tile_budget); the initializers set it
    pub struct_size: usize,
    /// Limit on compiler steps, whose number is the same on every machine: 2^22 by default; UINT64_MAX: no limit
    pub budget_operations: u64,
    /// limit on bytes of the resulting source: 2^25 by default
    pub budget_ptx_bytes: u64,
    /// limit on bytes that the program holds at a time: 2^28 by default
    pub budget_memory_bytes: u64,
    /// limit on wall-clock time, counted from cuc_tile_program_set_budget(); 0: unlimited
    pub budget_seconds: f64,
    /// Called several times a second within calls on the program. A nonzero result ends building. NULL: never ends it
    pub cancel: Option<unsafe extern "C" fn(user: *mut c_void) -> i32>,
    /// passed to cancel, until the program is released
    pub cancel_user: *mut c_void,
}

zeroed!(cuc_tile_budget, struct_size);

/// An entry of a tile kernel. All entries compute the same result; each serves a class of arguments.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_tile_entry {
    /// sizeof(cuc_tile_entry), set by the caller
    pub struct_size: usize,
    /// "tma", "realigned", "idx32+aligned", "idx32+overlap", "idx32" or "idx64"; static storage
    pub variant: *const c_char,
    /// threads of a block
    pub threads: u32,
    /// shared memory of a block that the code declares
    pub static_shared_bytes: u32,
    /// shared memory of a block that the launch adds
    pub dynamic_shared_bytes: u32,
    /// registers of a thread; 0: unknown, as in PTX
    pub registers: u32,
    /// stack of a thread, including spilled registers
    pub stack_bytes: u32,
    /// 0
    pub reserved: u32,
}

zeroed!(cuc_tile_entry, struct_size);

/// Options of cuc_tile_interpret(). Zero selects the default of every field.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_tile_interpret_options {
    /// sizeof(cuc_tile_interpret_options); the initializers set it
    pub struct_size: usize,
    /// in blocks, for a kernel that declares none; 0 in y or z means 1
    pub grid: [u32; 3],
    /// 0
    pub reserved: u32,
    /// receives the text that the kernel prints, in pieces; NULL: the text is discarded
    pub print: Option<unsafe extern "C" fn(user: *mut c_void, text: *const c_char)>,
    /// passed to print and stop
    pub user: *mut c_void,
    /// called several times a second; a nonzero result ends the run early; NULL: never ends it
    pub stop: Option<unsafe extern "C" fn(user: *mut c_void) -> i32>,
}

zeroed!(cuc_tile_interpret_options, struct_size);

/// A parameter of a tile kernel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_tile_parameter {
    /// sizeof(cuc_tile_parameter), set by the caller
    pub struct_size: usize,
    /// valid while the kernel lives
    pub name: *const c_char,
    /// dtype of the scalar or of the tensor's elements
    pub dtype: cuc_dtype,
    /// number of a tensor's axes; -1: a scalar
    pub rank: i32,
    /// 1: the kernel stores to the tensor
    pub written: u32,
    /// 0
    pub reserved: u32,
}

zeroed!(cuc_tile_parameter, struct_size);

/// The choice that was fastest in measurements, and its key. Strings contain no tab and no newline.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuc_tuned_record {
    /// sizeof(cuc_tuned_record), set by the caller
    pub struct_size: usize,
    /// the device's name: "NVIDIA H200"
    pub gpu: *const c_char,
    /// CUDA version of the driver, "13.0"; only the first number matters
    pub toolkit: *const c_char,
    /// cuc_tuned_program() of a tile program, or "cuc_gemm"
    pub program: *const c_char,
    /// the kernel's name, or for cuc_gemm() the plan's kind: "f16 nt d16"
    pub kernel: *const c_char,
    /// constants set by hand, in the kernel's order: "T=bf16"
    pub constants: *const c_char,
    /// "M=4096 N=4096 K=4096", in the kernel's order
    pub dimensions: *const c_char,
    /// constants, and options after a colon: "BM=128 BN=256 :cluster=2"
    pub choice: *const c_char,
    /// the measured time
    pub seconds: f64,
}

zeroed!(cuc_tuned_record, struct_size);

extern "C" {
    /// Set arguments to their defaults.
    pub fn cuc_algorithm_args_init(args: *mut cuc_algorithm_args, caller_size: usize);
    /// Create a plan: write the tile program and compile it to PTX.
    pub fn cuc_algorithm_create(out: *mut *mut cuc_algorithm, device: *mut cuc_device, options: *const cuc_algorithm_options) -> cuc_status;
    /// Set every option to its default.
    pub fn cuc_algorithm_options_init(options: *mut cuc_algorithm_options, caller_size: usize);
    /// Release a reference; the last one frees the plan. Work already enqueued completes.
    pub fn cuc_algorithm_release(plan: *mut cuc_algorithm);
    /// Add a reference to a plan.
    pub fn cuc_algorithm_retain(plan: *mut cuc_algorithm) -> *mut cuc_algorithm;
    /// Run a plan, in stream order.
    pub fn cuc_algorithm_run(stream: *mut cuc_stream, plan: *mut cuc_algorithm, args: *const cuc_algorithm_args) -> cuc_status;
    /// The tile program of a plan, to read or to start from.
    pub fn cuc_algorithm_source(plan: *const cuc_algorithm) -> *const c_char;
    /// The size of the workspace that a call needs.
    pub fn cuc_algorithm_workspace_bytes(plan: *const cuc_algorithm, count: i64) -> u64;
    /// Compute attention in stream order: o = softmax(scale q k') v for each batch and head.
    pub fn cuc_attention(stream: *mut cuc_stream, plan: *mut cuc_attention_plan, args: *const cuc_attention_args) -> cuc_status;
    /// Append new keys and values to a cache in stream order, before a cuc_attention() that sees them.
    pub fn cuc_attention_append(stream: *mut cuc_stream, plan: *mut cuc_attention_plan, args: *const cuc_attention_args) -> cuc_status;
    /// Set arguments to their defaults.
    pub fn cuc_attention_args_init(args: *mut cuc_attention_args, caller_size: usize);
    /// Compute the gradients of q, k and v, of sinks, and of side arrays that train, in stream order.
    pub fn cuc_attention_backward(stream: *mut cuc_stream, plan: *mut cuc_attention_plan, args: *const cuc_attention_args) -> cuc_status;
    /// Set every option to its default.
    pub fn cuc_attention_options_init(options: *mut cuc_attention_options, caller_size: usize);
    /// Create a plan: write the tile program, choose its tiles, and compile it to PTX.
    pub fn cuc_attention_plan_create(out: *mut *mut cuc_attention_plan, device: *mut cuc_device, options: *const cuc_attention_options) -> cuc_status;
    /// The choice made for a plan.
    pub fn cuc_attention_plan_get_choice(out: *mut cuc_attention_choice, plan: *const cuc_attention_plan) -> cuc_status;
    /// Release a reference; the last one frees the plan. Work already enqueued completes.
    pub fn cuc_attention_plan_release(plan: *mut cuc_attention_plan);
    /// Add a reference to a plan.
    pub fn cuc_attention_plan_retain(plan: *mut cuc_attention_plan) -> *mut cuc_attention_plan;
    /// The tile program of a plan, to read or to start from.
    pub fn cuc_attention_plan_source(plan: *const cuc_attention_plan, index: usize) -> *const c_char;
    /// The size of the workspace that a call needs, of either function.
    pub fn cuc_attention_plan_workspace_bytes(plan: *const cuc_attention_plan, batch: i64, heads: i64, queries: i64, key_heads: i64, keys: i64) -> u64;
    /// The parties that can access a buffer.
    pub fn cuc_buffer_access(buffer: *const cuc_buffer) -> u32;
    /// The length of a buffer.
    pub fn cuc_buffer_bytes(buffer: *const cuc_buffer) -> usize;
    /// Copy bytes from one buffer into another, in stream order. The buffers may be on different
    /// devices, or be the same buffer if the ranges do not overlap.
    pub fn cuc_buffer_copy(stream: *mut cuc_stream, dst: *mut cuc_buffer, dst_offset: usize, src: *const cuc_buffer, src_offset: usize, bytes: usize) -> cuc_status;
    /// Allocate a buffer.
    pub fn cuc_buffer_create(out: *mut *mut cuc_buffer, stream: *mut cuc_stream, resource: *mut cuc_memory_resource, bytes: usize) -> cuc_status;
    /// The device that owns a buffer's memory.
    pub fn cuc_buffer_device(buffer: *const cuc_buffer) -> *mut cuc_device;
    /// Export a buffer to a process that has imported its pool.
    pub fn cuc_buffer_export(out: *mut cuc_ipc_handle, buffer: *const cuc_buffer) -> cuc_status;
    /// Export the memory of a virtual-memory buffer to another process, as one file descriptor per
    /// piece. A buffer has one piece, plus one for each growth.
    pub fn cuc_buffer_export_pieces(pieces: *mut cuc_memory_piece, capacity: usize, count: *mut usize, buffer: *mut cuc_buffer) -> cuc_status;
    /// Fill a part of a buffer with a pattern, in stream order.
    pub fn cuc_buffer_fill(stream: *mut cuc_stream, buffer: *mut cuc_buffer, offset: usize, pattern: u32, pattern_bytes: u32, bytes: usize) -> cuc_status;
    /// Import another process's buffer. Importing a buffer again yields the same address. The memory
    /// stays mapped until the last of these buffers in this process is released.
    pub fn cuc_buffer_from_ipc_handle(out: *mut *mut cuc_buffer, stream: *mut cuc_stream, pool: *mut cuc_memory_resource, handle: *const cuc_ipc_handle, bytes: usize) -> cuc_status;
    /// Create a buffer over memory of another process. It grows like other buffers of its resource, with
    /// new memory from this process.
    pub fn cuc_buffer_from_pieces(out: *mut *mut cuc_buffer, stream: *mut cuc_stream, resource: *mut cuc_memory_resource, pieces: *const cuc_memory_piece, count: usize, bytes: usize) -> cuc_status;
    /// Create a buffer over existing memory: from cuMemAlloc(), cudaMalloc(), another library, or the
    /// host.
    pub fn cuc_buffer_from_pointer(out: *mut *mut cuc_buffer, ptr: cuc_device_ptr, bytes: usize, options: *const cuc_buffer_options) -> cuc_status;
    /// The CPU address of a buffer of pinned, managed or host memory.
    pub fn cuc_buffer_get_host_pointer(out: *mut *mut c_void, buffer: *mut cuc_buffer) -> cuc_status;
    /// Create a buffer of another size over the memory of an existing buffer, which stays unchanged.
    pub fn cuc_buffer_grow(out: *mut *mut cuc_buffer, buffer: *mut cuc_buffer, bytes: usize) -> cuc_status;
    /// The resource that will free a buffer.
    pub fn cuc_buffer_memory_resource(buffer: *const cuc_buffer) -> *mut cuc_memory_resource;
    /// Zero a cuc_buffer_options and write its size.
    pub fn cuc_buffer_options_init(options: *mut cuc_buffer_options, caller_size: usize);
    /// The owner that was passed to cuc_buffer_from_pointer().
    pub fn cuc_buffer_owner(buffer: *const cuc_buffer) -> *mut c_void;
    /// The buffer that a slice belongs to.
    pub fn cuc_buffer_parent(buffer: *const cuc_buffer) -> *mut cuc_buffer;
    /// The address of a buffer.
    pub fn cuc_buffer_ptr(buffer: *const cuc_buffer) -> cuc_device_ptr;
    /// Copy bytes from a buffer to the host, in stream order.
    pub fn cuc_buffer_read_async(stream: *mut cuc_stream, dst: *mut c_void, buffer: *const cuc_buffer, offset: usize, bytes: usize) -> cuc_status;
    /// Release a buffer; the last release frees the memory.
    pub fn cuc_buffer_release(buffer: *mut cuc_buffer);
    /// Add a reference to a buffer.
    pub fn cuc_buffer_retain(buffer: *mut cuc_buffer) -> *mut cuc_buffer;
    /// Set the stream that will free a buffer.
    pub fn cuc_buffer_set_stream(buffer: *mut cuc_buffer, stream: *mut cuc_stream) -> cuc_status;
    /// Create a buffer over a part of another, which it retains.
    pub fn cuc_buffer_slice(out: *mut *mut cuc_buffer, parent: *mut cuc_buffer, offset: usize, bytes: usize) -> cuc_status;
    /// The stream that will free a buffer.
    pub fn cuc_buffer_stream(buffer: *const cuc_buffer) -> *mut cuc_stream;
    /// Copy bytes from the host into a buffer, in stream order.
    pub fn cuc_buffer_write_async(stream: *mut cuc_stream, buffer: *mut cuc_buffer, offset: usize, src: *const c_void, bytes: usize) -> cuc_status;
    /// Remove every entry. Programs that are using the cache compile again.
    pub fn cuc_cache_clear(cache: *mut cuc_cache) -> cuc_status;
    /// The default cache, which programs use unless they name another one.
    pub fn cuc_cache_default() -> *mut cuc_cache;
    /// Read the state of a cache. Counting its files takes a millisecond for a few hundred entries.
    pub fn cuc_cache_get_info(out: *mut cuc_cache_info, cache: *mut cuc_cache) -> cuc_status;
    /// Visit every entry. This reads and checks each entry, which does not count as a use.
    pub fn cuc_cache_list(cache: *mut cuc_cache, visit: cuc_cache_visit, user: *mut c_void) -> cuc_status;
    /// A cache that stores nothing. Pass it as an option to turn caching off.
    pub fn cuc_cache_none() -> *mut cuc_cache;
    /// Open a cache of your own.
    pub fn cuc_cache_open(out: *mut *mut cuc_cache, options: *const cuc_cache_options) -> cuc_status;
    /// Set every option to its default.
    pub fn cuc_cache_options_init(options: *mut cuc_cache_options, caller_size: usize);
    /// Read an entry of your own, which cuc_cache_write() has stored under the same key.
    pub fn cuc_cache_read(cache: *mut cuc_cache, key: *const c_void, key_bytes: usize, receive: cuc_cache_receive, user: *mut c_void) -> cuc_status;
    /// Drop a reference to a cache; its files stay.
    pub fn cuc_cache_release(cache: *mut cuc_cache);
    /// Remove an entry of your own, even if it is damaged.
    pub fn cuc_cache_remove(cache: *mut cuc_cache, key: *const c_void, key_bytes: usize) -> cuc_status;
    /// Add a reference to a cache.
    pub fn cuc_cache_retain(cache: *mut cuc_cache) -> *mut cuc_cache;
    /// Check every entry and remove the damaged ones. Damaged entries do no harm, because each use
    /// checks its entry.
    pub fn cuc_cache_verify(damaged: *mut u64, cache: *mut cuc_cache) -> cuc_status;
    /// Store an entry of your own. It replaces an entry with the same key.
    pub fn cuc_cache_write(cache: *mut cuc_cache, key: *const c_void, key_bytes: usize, label: *const c_char, data: *const c_void, bytes: usize) -> cuc_status;
    /// The kind of object code with a given name.
    pub fn cuc_code_from_name(name: *const c_char) -> i32;
    /// The name of a kind of object code, such as "cubin".
    pub fn cuc_code_name(kind: i32) -> *const c_char;
    /// The device of a context.
    pub fn cuc_context_device(context: *const cuc_context) -> *mut cuc_device;
    /// Undo cuc_context_enable_peer_access(). Disabling access that is not enabled is not an error.
    pub fn cuc_context_disable_peer_access(context: *mut cuc_context, peer: *mut cuc_context) -> cuc_status;
    /// Let the kernels of a context access memory that was allocated in another device's context.
    pub fn cuc_context_enable_peer_access(context: *mut cuc_context, peer: *mut cuc_context) -> cuc_status;
    /// Create an event in any context.
    pub fn cuc_context_event_create(out: *mut *mut cuc_event, context: *mut cuc_context, options: *const cuc_event_options) -> cuc_status;
    /// Wrap a context that was created with the driver.
    pub fn cuc_context_from_handle(out: *mut *mut cuc_context, handle: *mut c_void) -> cuc_status;
    /// The context that is current on the calling thread.
    pub fn cuc_context_get_current(out: *mut *mut cuc_context) -> cuc_status;
    /// An identifier that is unique among all contexts the process ever has.
    pub fn cuc_context_get_id(out: *mut u64, context: *mut cuc_context) -> cuc_status;
    /// Read a limit of a context.
    pub fn cuc_context_get_limit(out: *mut u64, context: *mut cuc_context, limit: i32) -> cuc_status;
    /// The range of stream priorities in a context.
    pub fn cuc_context_get_priority_range(least: *mut i32, greatest: *mut i32, context: *mut cuc_context) -> cuc_status;
    /// The driver's handle of a context.
    pub fn cuc_context_handle(context: *const cuc_context) -> *mut c_void;
    /// Check whether an earlier failure destroyed a context.
    pub fn cuc_context_is_lost(context: *const cuc_context) -> i32;
    /// Check whether a context is its device's primary context.
    pub fn cuc_context_is_primary(context: *const cuc_context) -> i32;
    /// Release a context. A primary context stays retained. A foreign context is never destroyed.
    pub fn cuc_context_release(context: *mut cuc_context);
    /// Add a reference to a context.
    pub fn cuc_context_retain(context: *mut cuc_context) -> *mut cuc_context;
    /// Make a context current on the calling thread.
    pub fn cuc_context_set_current(context: *mut cuc_context, previous: *mut *mut cuc_context) -> cuc_status;
    /// Set a limit of a context; the driver may round the value.
    pub fn cuc_context_set_limit(context: *mut cuc_context, limit: i32, value: u64) -> cuc_status;
    /// Create a stream in any context.
    pub fn cuc_context_stream_create(out: *mut *mut cuc_stream, context: *mut cuc_context, options: *const cuc_stream_options) -> cuc_status;
    /// Wait until all work in a context is complete.
    pub fn cuc_context_synchronize(context: *mut cuc_context) -> cuc_status;
    /// Copy bytes in any direction, in stream order.
    pub fn cuc_copy(stream: *mut cuc_stream, dst: cuc_device_ptr, src: cuc_device_ptr, bytes: usize) -> cuc_status;
    /// Copy a rectangle of bytes in any direction, in stream order.
    pub fn cuc_copy_2d(stream: *mut cuc_stream, params: *const cuc_copy_2d_params) -> cuc_status;
    /// Zero a cuc_copy_2d_params and write its size.
    pub fn cuc_copy_2d_params_init(params: *mut cuc_copy_2d_params, caller_size: usize);
    /// Copy a box of bytes in any direction, in stream order.
    pub fn cuc_copy_3d(stream: *mut cuc_stream, params: *const cuc_copy_3d_params) -> cuc_status;
    /// Zero a cuc_copy_3d_params and write its size.
    pub fn cuc_copy_3d_params_init(params: *mut cuc_copy_3d_params, caller_size: usize);
    /// Enqueue several copies at once, in any directions.
    pub fn cuc_copy_batch(stream: *mut cuc_stream, params: *const cuc_copy_batch_params) -> cuc_status;
    /// Zero a cuc_copy_batch_params and write its size.
    pub fn cuc_copy_batch_params_init(params: *mut cuc_copy_batch_params, caller_size: usize);
    /// Copy bytes from one device to another, in stream order, naming both devices.
    pub fn cuc_copy_peer(stream: *mut cuc_stream, dst: cuc_device_ptr, dst_device: *mut cuc_device, src: cuc_device_ptr, src_device: *mut cuc_device, bytes: usize) -> cuc_status;
    /// Copy bytes from the host to a device, in stream order.
    pub fn cuc_copy_to_device(stream: *mut cuc_stream, dst: cuc_device_ptr, src: *const c_void, bytes: usize) -> cuc_status;
    /// Copy bytes from a device to the host, in stream order.
    pub fn cuc_copy_to_host(stream: *mut cuc_stream, dst: *mut c_void, src: cuc_device_ptr, bytes: usize) -> cuc_status;
    /// The architecture to compile for on a device, such as "sm_90".
    pub fn cuc_device_arch(device: *const cuc_device) -> *const c_char;
    /// The value, name and unit of the listed attribute at an index.
    pub fn cuc_device_attribute_at(attribute: *mut i32, name: *mut *const c_char, unit: *mut *const c_char, index: usize) -> cuc_status;
    /// The number of attributes that cuc_device_attribute_at() can enumerate.
    pub fn cuc_device_attribute_count() -> usize;
    /// The attribute with a given name, such as "max_threads_per_block".
    pub fn cuc_device_attribute_from_name(out: *mut i32, name: *const c_char) -> cuc_status;
    /// Check whether kernels on a device can access another device's memory.
    pub fn cuc_device_can_access_peer(out: *mut i32, device: *mut cuc_device, peer: *mut cuc_device) -> cuc_status;
    /// The device with a given ordinal.
    pub fn cuc_device_get(out: *mut *mut cuc_device, ordinal: i32) -> cuc_status;
    /// Read one attribute.
    pub fn cuc_device_get_attribute(out: *mut i32, device: *mut cuc_device, attribute: i32) -> cuc_status;
    /// The device at a given PCI address.
    pub fn cuc_device_get_by_pci_bus_id(out: *mut *mut cuc_device, bus_id: *const c_char) -> cuc_status;
    /// The compute capability of a device.
    pub fn cuc_device_get_compute_capability(major: *mut i32, minor: *mut i32, device: *const cuc_device) -> cuc_status;
    /// The primary context of a device, which the CUDA runtime uses too.
    pub fn cuc_device_get_context(out: *mut *mut cuc_context, device: *mut cuc_device) -> cuc_status;
    /// The number of devices that the driver sees.
    pub fn cuc_device_get_count(out: *mut i32) -> cuc_status;
    /// The device of the calling thread's current context, or device 0 when it has none.
    pub fn cuc_device_get_current(out: *mut *mut cuc_device) -> cuc_status;
    /// Read the size of a device's graph memory.
    pub fn cuc_device_get_graph_memory(out: *mut u64, device: *mut cuc_device, which: i32) -> cuc_status;
    /// The total and the currently free memory of a device.
    pub fn cuc_device_get_memory_info(free_bytes: *mut u64, total_bytes: *mut u64, device: *mut cuc_device) -> cuc_status;
    /// The default resource of a device, for buffers created without one.
    pub fn cuc_device_get_memory_resource(out: *mut *mut cuc_memory_resource, device: *mut cuc_device) -> cuc_status;
    /// Read one property of the connection between two devices.
    pub fn cuc_device_get_peer_attribute(out: *mut i32, device: *mut cuc_device, peer: *mut cuc_device, attribute: i32) -> cuc_status;
    /// Read every attribute at once.
    pub fn cuc_device_get_properties(out: *mut cuc_device_properties, device: *mut cuc_device) -> cuc_status;
    /// Read clocks, temperature, power and the reasons for low clocks from NVML.
    pub fn cuc_device_get_sensors(out: *mut cuc_device_sensors, device: *mut cuc_device, wanted: u32) -> cuc_status;
    /// All multiprocessors of a device.
    pub fn cuc_device_get_sms(out: *mut cuc_sms, device: *mut cuc_device) -> cuc_status;
    /// The sixteen bytes of a device's UUID.
    pub fn cuc_device_get_uuid_bytes(out: *mut u8, device: *const cuc_device) -> cuc_status;
    /// The driver's handle of a device.
    pub fn cuc_device_handle(device: *const cuc_device) -> i32;
    /// The name of a device, such as "NVIDIA H200".
    pub fn cuc_device_name(device: *const cuc_device) -> *const c_char;
    /// The ordinal of a device.
    pub fn cuc_device_ordinal(device: *const cuc_device) -> i32;
    /// The PCI address of a device, "0000:3b:00.0".
    pub fn cuc_device_pci_bus_id(device: *const cuc_device) -> *const c_char;
    /// Reset a high-water mark of graph memory to the current size.
    pub fn cuc_device_reset_graph_memory(device: *mut cuc_device, which: i32) -> cuc_status;
    /// Make a device's primary context current on the calling thread.
    pub fn cuc_device_set_current(device: *mut cuc_device, previous: *mut *mut cuc_context) -> cuc_status;
    /// Set the default resource of a device, for the whole process.
    pub fn cuc_device_set_memory_resource(device: *mut cuc_device, resource: *mut cuc_memory_resource) -> cuc_status;
    /// Wait until all work in a device's primary context is complete.
    pub fn cuc_device_synchronize(device: *mut cuc_device) -> cuc_status;
    /// Return memory that is kept for later graph launches to the system.
    pub fn cuc_device_trim_graph_memory(device: *mut cuc_device) -> cuc_status;
    /// The UUID of a device in the form that NVML and nvidia-smi use: "GPU-" or "MIG-" and five groups.
    pub fn cuc_device_uuid(device: *const cuc_device) -> *const c_char;
    /// The file from which the driver was loaded.
    pub fn cuc_driver_get_path(out: *mut *const c_char) -> cuc_status;
    /// The newest CUDA version that the driver supports.
    pub fn cuc_driver_get_version(out: *mut i32) -> cuc_status;
    /// Check whether the driver is the simulated one, which CUCORE_DRIVER can select.
    pub fn cuc_driver_is_simulated() -> i32;
    /// The size of an element in bits.
    pub fn cuc_dtype_bits(dtype: cuc_dtype) -> u32;
    /// The element type with a given name.
    pub fn cuc_dtype_from_name(name: *const c_char) -> cuc_dtype;
    /// The name of an element type, such as "f32".
    pub fn cuc_dtype_name(dtype: cuc_dtype) -> *const c_char;
    /// Clear the thread's last failure.
    pub fn cuc_error_clear();
    /// The meaning of the failure and its remedy, in plain words.
    pub fn cuc_error_explanation() -> *const c_char;
    /// The public function that failed, such as "cuc_stream_create".
    pub fn cuc_error_function() -> *const c_char;
    /// The library that reported the failure.
    pub fn cuc_error_library() -> i32;
    /// The library function that failed, such as "cuMemAllocAsync".
    pub fn cuc_error_library_call() -> *const c_char;
    /// The error code that the library returned, such as a CUresult.
    pub fn cuc_error_library_code() -> i32;
    /// The symbolic name of the library's error code, such as "CUDA_ERROR_OUT_OF_MEMORY".
    pub fn cuc_error_library_symbol() -> *const c_char;
    /// The log that came with the failure: a compiler's or linker's log, or the list of places searched.
    pub fn cuc_error_log() -> *const c_char;
    /// The thread's last failure as one readable paragraph, notes included.
    pub fn cuc_error_message() -> *const c_char;
    /// One note of the failure.
    pub fn cuc_error_note(index: usize) -> *const c_char;
    /// The number of notes that the failure carries.
    pub fn cuc_error_note_count() -> usize;
    /// Set the thread's last failure. This is for callbacks that fail, and for libraries that build on
    /// cucore and report failures the same way.
    pub fn cuc_error_set(status: cuc_status, function: *const c_char, message: *const c_char) -> cuc_status;
    /// The status of the thread's last failure.
    pub fn cuc_error_status() -> cuc_status;
    /// The context of an event.
    pub fn cuc_event_context(event: *const cuc_event) -> *mut cuc_context;
    /// Create an event in a device's primary context.
    pub fn cuc_event_create(out: *mut *mut cuc_event, device: *mut cuc_device, options: *const cuc_event_options) -> cuc_status;
    /// The device of an event.
    pub fn cuc_event_device(event: *const cuc_event) -> *mut cuc_device;
    /// Export an event to another process.
    pub fn cuc_event_export(out: *mut cuc_ipc_handle, event: *mut cuc_event) -> cuc_status;
    /// The flags that an event was created with.
    pub fn cuc_event_flags(event: *const cuc_event) -> u32;
    /// Wrap an event that was created elsewhere: a CUevent, or a cudaEvent_t of the CUDA runtime.
    pub fn cuc_event_from_handle(out: *mut *mut cuc_event, handle: *mut c_void, context: *mut cuc_context, flags: u32) -> cuc_status;
    /// Import another process's event, to wait for its recording.
    pub fn cuc_event_from_ipc_handle(out: *mut *mut cuc_event, device: *mut cuc_device, handle: *const cuc_ipc_handle) -> cuc_status;
    /// The time between two events, measured on the device.
    pub fn cuc_event_get_elapsed(milliseconds: *mut f32, start: *mut cuc_event, end: *mut cuc_event) -> cuc_status;
    /// Create a file descriptor for poll(), epoll or asyncio. It becomes readable when an event
    /// completes.
    pub fn cuc_event_get_fd(out: *mut i32, event: *mut cuc_event) -> cuc_status;
    /// The driver's handle of an event, which is also its cudaEvent_t.
    pub fn cuc_event_handle(event: *const cuc_event) -> *mut c_void;
    /// Zero options and write their size.
    pub fn cuc_event_options_init(options: *mut cuc_event_options, caller_size: usize);
    /// Check whether an event has completed, without waiting. A never recorded event counts as complete.
    pub fn cuc_event_query(event: *mut cuc_event) -> cuc_status;
    /// Record an event. It completes when all work that is now on the stream is complete.
    pub fn cuc_event_record(stream: *mut cuc_stream, event: *mut cuc_event) -> cuc_status;
    /// Add a node that records an event for work outside the graph. (An event recorded by
    /// cuc_event_record() on a captured stream marks a point inside the graph, for its other streams.)
    pub fn cuc_event_record_external(stream: *mut cuc_stream, event: *mut cuc_event) -> cuc_status;
    /// Release an event. Waits already enqueued for it stay in effect.
    pub fn cuc_event_release(event: *mut cuc_event);
    /// Add a reference to an event.
    pub fn cuc_event_retain(event: *mut cuc_event) -> *mut cuc_event;
    /// Wait until an event has completed. A never recorded event causes no wait.
    pub fn cuc_event_synchronize(event: *mut cuc_event) -> cuc_status;
    /// Explain a library's error code. This needs no driver and no device.
    pub fn cuc_explain(out: *mut cuc_explanation, library: i32, code: i32) -> cuc_status;
    /// The explanation at an index, in order of ascending code.
    pub fn cuc_explain_at(out: *mut cuc_explanation, library: i32, index: usize) -> cuc_status;
    /// The number of codes of a library that cuc_explain_at() can enumerate.
    pub fn cuc_explain_count(library: i32) -> usize;
    /// Explain a code given as a string, by name or number: "700", "CUDA_ERROR_ILLEGAL_ADDRESS",
    /// "illegal_address", "NVRTC_ERROR_COMPILATION", "CUC_ERROR_BUSY".
    pub fn cuc_explain_text(out: *mut cuc_explanation, text: *const c_char) -> cuc_status;
    /// Pack compiled code for several architectures into a fat binary. This needs nvFatbin, but no
    /// driver.
    pub fn cuc_fatbin_create(out: *mut *mut cuc_object, parts: *const cuc_fatbin_part, count: usize, options: *const cuc_fatbin_options) -> cuc_status;
    /// Set options to their defaults.
    pub fn cuc_fatbin_options_init(options: *mut cuc_fatbin_options, caller_size: usize);
    /// Fill device memory with a pattern, in stream order.
    pub fn cuc_fill(stream: *mut cuc_stream, ptr: cuc_device_ptr, pattern: u32, pattern_bytes: u32, count: usize) -> cuc_status;
    /// Fill a rectangle of a device's memory with a pattern, in stream order.
    pub fn cuc_fill_2d(stream: *mut cuc_stream, params: *const cuc_fill_2d_params) -> cuc_status;
    /// Zero a cuc_fill_2d_params and write its size.
    pub fn cuc_fill_2d_params_init(params: *mut cuc_fill_2d_params, caller_size: usize);
    /// The number of names that cuc_find_header_dir() knows.
    pub fn cuc_find_header_count() -> usize;
    /// Find the folder of a library's headers, as a compiler takes it after -I.
    pub fn cuc_find_header_dir(out: *mut *mut cuc_found, name: *const c_char) -> cuc_status;
    /// A name that cuc_find_header_dir() knows.
    pub fn cuc_find_header_name(index: usize) -> *const c_char;
    /// Find a library.
    pub fn cuc_find_library(out: *mut *mut cuc_found, name: *const c_char) -> cuc_status;
    /// The number of libraries that cuc_find_library() knows.
    pub fn cuc_find_library_count() -> usize;
    /// The name of a library that cuc_find_library() knows.
    pub fn cuc_find_library_name(index: usize) -> *const c_char;
    /// The method by which the library or folder was found, one of those in the table above.
    pub fn cuc_found_method(found: *const cuc_found) -> *const c_char;
    /// The path of the library file, or of the folder of headers.
    pub fn cuc_found_path(found: *const cuc_found) -> *const c_char;
    /// Release a reference to a search result; the last one frees it.
    pub fn cuc_found_release(found: *mut cuc_found);
    /// Add a reference to a search result.
    pub fn cuc_found_retain(found: *mut cuc_found) -> *mut cuc_found;
    /// A location that was tried first, as one line: the method, the location, and the reason for
    /// rejecting it.
    pub fn cuc_found_tried_at(found: *const cuc_found, index: usize) -> *const c_char;
    /// The number of locations that were tried first.
    pub fn cuc_found_tried_count(found: *const cuc_found) -> usize;
    /// Compute a product, in stream order: d = activation(alpha a b + beta c + bias) + residual.
    pub fn cuc_gemm(stream: *mut cuc_stream, plan: *mut cuc_gemm_plan, alpha: f64, beta: f64, args: *const cuc_gemm_args) -> cuc_status;
    /// Set arguments to their defaults.
    pub fn cuc_gemm_args_init(args: *mut cuc_gemm_args, caller_size: usize);
    /// Compute many products of the same shape, in stream order, each like cuc_gemm().
    pub fn cuc_gemm_batched(stream: *mut cuc_stream, plan: *mut cuc_gemm_plan, alpha: f64, beta: f64, args: *const cuc_gemm_args) -> cuc_status;
    /// Compute many products in stream order. All matrices b have the same shape; each product covers a
    /// range of rows of a and d.
    pub fn cuc_gemm_grouped(stream: *mut cuc_stream, plan: *mut cuc_gemm_plan, alpha: f64, beta: f64, args: *const cuc_gemm_args) -> cuc_status;
    /// Set every option to its default.
    pub fn cuc_gemm_options_init(options: *mut cuc_gemm_options, caller_size: usize);
    /// Apply a choice to options. Choices have the form used by tuning records and
    /// cuc_gemm_visit_candidates().
    pub fn cuc_gemm_options_set_choice(options: *mut cuc_gemm_options, choice: *const c_char) -> cuc_status;
    /// Create a plan: write the tile program, choose its tiles, and compile it to PTX.
    pub fn cuc_gemm_plan_create(out: *mut *mut cuc_gemm_plan, device: *mut cuc_device, options: *const cuc_gemm_options) -> cuc_status;
    /// The choice made for a plan.
    pub fn cuc_gemm_plan_get_choice(out: *mut cuc_gemm_choice, plan: *const cuc_gemm_plan) -> cuc_status;
    /// A plan's choice as a record, for code that has measured it and stores it with cuc_tuned_add().
    pub fn cuc_gemm_plan_get_record(out: *mut cuc_tuned_record, plan: *const cuc_gemm_plan) -> cuc_status;
    /// Release a reference; the last one frees the plan. Work already enqueued completes.
    pub fn cuc_gemm_plan_release(plan: *mut cuc_gemm_plan);
    /// Add a reference to a plan.
    pub fn cuc_gemm_plan_retain(plan: *mut cuc_gemm_plan) -> *mut cuc_gemm_plan;
    /// The tile program of a plan, to read or to start from.
    pub fn cuc_gemm_plan_source(plan: *const cuc_gemm_plan, index: usize) -> *const c_char;
    /// The size of the workspace that a product needs; for CUC_GEMM_BATCHED, each product of the batch.
    pub fn cuc_gemm_plan_workspace_bytes(plan: *const cuc_gemm_plan, m: i64, n: i64, k: i64) -> u64;
    /// Enumerate the candidates of a plan for a shape, with the cost model's estimate of each.
    pub fn cuc_gemm_visit_candidates(device: *mut cuc_device, options: *const cuc_gemm_options, visit: cuc_tuned_visit, user: *mut c_void) -> cuc_status;
    /// Add edges. Node `to\[i\]` will begin when `from\[i\]` has ended. The call adds either all edges or
    /// none.
    pub fn cuc_graph_add_edges(graph: *mut cuc_graph, from: *const *mut cuc_node, to: *const *mut cuc_node, count: usize) -> cuc_status;
    /// Add an empty node with dependencies: a point where branches join.
    pub fn cuc_graph_add_empty(out: *mut *mut cuc_node, graph: *mut cuc_graph, after: *const *mut cuc_node, count: usize) -> cuc_status;
    /// Create a condition for a node of a graph. Exactly one node must use it before the graph is
    /// instantiated.
    pub fn cuc_graph_condition_create(out: *mut cuc_condition, graph: *mut cuc_graph, default_value: u32, flags: u32) -> cuc_status;
    /// Create a graph without nodes.
    pub fn cuc_graph_create(out: *mut *mut cuc_graph, device: *mut cuc_device) -> cuc_status;
    /// The flags that an instance was created with.
    pub fn cuc_graph_exec_flags(exec: *const cuc_graph_exec) -> u32;
    /// Check whether launches of an instance run a node.
    pub fn cuc_graph_exec_get_enabled(out: *mut i32, exec: *mut cuc_graph_exec, node: *mut cuc_node) -> cuc_status;
    /// The driver's handle of an instance, which is also its cudaGraphExec_t.
    pub fn cuc_graph_exec_handle(exec: *const cuc_graph_exec) -> *mut c_void;
    /// Launch an instance. All captured work runs, in stream order.
    pub fn cuc_graph_exec_launch(stream: *mut cuc_stream, exec: *mut cuc_graph_exec) -> cuc_status;
    /// Zero options and write their size.
    pub fn cuc_graph_exec_options_init(options: *mut cuc_graph_exec_options, caller_size: usize);
    /// Release an instance. Launches in progress complete.
    pub fn cuc_graph_exec_release(exec: *mut cuc_graph_exec);
    /// Add a reference to an instance.
    pub fn cuc_graph_exec_retain(exec: *mut cuc_graph_exec) -> *mut cuc_graph_exec;
    /// Disable a node for the launches of an instance, or enable it again. Nodes that depend on a
    /// disabled node still wait for its dependencies. Updating the instance does not change the setting.
    pub fn cuc_graph_exec_set_enabled(exec: *mut cuc_graph_exec, node: *mut cuc_node, enabled: i32) -> cuc_status;
    /// Update an instance to another graph that has the same nodes and edges but other parameters, such
    /// as a new capture of the same code. This is much cheaper than creating an instance.
    pub fn cuc_graph_exec_update(exec: *mut cuc_graph_exec, graph: *mut cuc_graph) -> cuc_status;
    /// Upload an instance to the device, so that its first launch is as fast as the others.
    pub fn cuc_graph_exec_upload(stream: *mut cuc_stream, exec: *mut cuc_graph_exec) -> cuc_status;
    /// Draw a graph in Graphviz's DOT language.
    pub fn cuc_graph_get_dot(text: *mut *const c_char, bytes: *mut usize, graph: *mut cuc_graph, flags: u32) -> cuc_status;
    /// The number of edges of a graph. An edge is a pair of nodes: the second one begins when the first
    /// one has ended.
    pub fn cuc_graph_get_edge_count(out: *mut usize, graph: *mut cuc_graph) -> cuc_status;
    /// The edges of a graph. Node `to\[i\]` begins when `from\[i\]` has ended.
    pub fn cuc_graph_get_edges(from: *mut *mut cuc_node, to: *mut *mut cuc_node, capacity: usize, graph: *mut cuc_graph) -> cuc_status;
    /// The number of nodes of a graph. An embedded graph counts as one node.
    pub fn cuc_graph_get_node_count(out: *mut usize, graph: *mut cuc_graph) -> cuc_status;
    /// The types of a graph's nodes, in the driver's order. Other calls number nodes in this order.
    pub fn cuc_graph_get_node_types(types: *mut i32, capacity: usize, graph: *mut cuc_graph) -> cuc_status;
    /// The nodes of a graph, in the driver's order, the same as in cuc_graph_get_node_types().
    pub fn cuc_graph_get_nodes(nodes: *mut *mut cuc_node, capacity: usize, graph: *mut cuc_graph) -> cuc_status;
    /// The driver's handle of a graph, which is also its cudaGraph_t.
    pub fn cuc_graph_handle(graph: *const cuc_graph) -> *mut c_void;
    /// Create an instance of a graph. This costs many times as much as a launch.
    pub fn cuc_graph_instantiate(out: *mut *mut cuc_graph_exec, graph: *mut cuc_graph, options: *const cuc_graph_exec_options) -> cuc_status;
    /// Make a graph hold a user object. cucore drops the object once the graph, its instances and all
    /// their launches are gone.
    pub fn cuc_graph_keep(graph: *mut cuc_graph, owner: *mut c_void, drop_owner: Option<unsafe extern "C" fn(owner: *mut c_void)>) -> cuc_status;
    /// Make a graph hold a buffer, like cuc_graph_keep(). This is for nodes that use a buffer created
    /// before the capture.
    pub fn cuc_graph_keep_buffer(graph: *mut cuc_graph, buffer: *mut cuc_buffer) -> cuc_status;
    /// Release a graph. Its instances live on.
    pub fn cuc_graph_release(graph: *mut cuc_graph);
    /// Remove edges. The call removes either all edges or none.
    pub fn cuc_graph_remove_edges(graph: *mut cuc_graph, from: *const *mut cuc_node, to: *const *mut cuc_node, count: usize) -> cuc_status;
    /// Add a reference to a graph.
    pub fn cuc_graph_retain(graph: *mut cuc_graph) -> *mut cuc_graph;
    /// Draw a graph into a file, for `dot -Tsvg`.
    pub fn cuc_graph_write_dot(graph: *mut cuc_graph, path: *const c_char, flags: u32) -> cuc_status;
    /// Create a green context.
    pub fn cuc_green_context_create(out: *mut *mut cuc_green_context, device: *mut cuc_device, sms: *const cuc_sms, count: usize) -> cuc_status;
    /// The device of a green context.
    pub fn cuc_green_context_device(context: *const cuc_green_context) -> *mut cuc_device;
    /// The multiprocessors of a green context, which can be split again.
    pub fn cuc_green_context_get_sms(out: *mut cuc_sms, context: *mut cuc_green_context) -> cuc_status;
    /// The driver's handle of a green context.
    pub fn cuc_green_context_handle(context: *const cuc_green_context) -> *mut c_void;
    /// Release a green context. Its streams retain it.
    pub fn cuc_green_context_release(context: *mut cuc_green_context);
    /// Add a reference to a green context.
    pub fn cuc_green_context_retain(context: *mut cuc_green_context) -> *mut cuc_green_context;
    /// Create a stream whose kernels run on the multiprocessors of a green context.
    pub fn cuc_green_context_stream_create(out: *mut *mut cuc_stream, context: *mut cuc_green_context, options: *const cuc_stream_options) -> cuc_status;
    /// Count the elements of each bin, in stream order. The bins have equal widths and divide the range
    /// from low up to, but not including, high; other elements and NaN are not counted.
    pub fn cuc_histogram(stream: *mut cuc_stream, low: f64, high: f64, x: *const cuc_tensor, counts: *const cuc_tensor) -> cuc_status;
    /// Convert a host address to the form that copies take: `(cuc_device_ptr)(uintptr_t)host`.
    pub fn cuc_host_address(host: *const c_void) -> cuc_device_ptr;
    /// The address that kernels use for page-locked host memory.
    pub fn cuc_host_get_device_pointer(out: *mut cuc_device_ptr, device: *mut cuc_device, host: *mut c_void) -> cuc_status;
    /// Page-lock existing host memory, so that copies run at full speed and in stream order and kernels
    /// can access it.
    pub fn cuc_host_register(device: *mut cuc_device, host: *mut c_void, bytes: usize, flags: u32) -> cuc_status;
    /// Undo cuc_host_register().
    pub fn cuc_host_unregister(device: *mut cuc_device, host: *mut c_void) -> cuc_status;
    /// The attribute with a given name.
    pub fn cuc_kernel_attribute_from_name(name: *const c_char) -> i32;
    /// The name of an attribute, such as "num_regs".
    pub fn cuc_kernel_attribute_name(attribute: i32) -> *const c_char;
    /// Wrap a CUkernel that was loaded elsewhere. The kernel is borrowed: cucore never unloads it.
    pub fn cuc_kernel_from_handle(out: *mut *mut cuc_kernel, handle: *mut c_void, object: *mut cuc_object) -> cuc_status;
    /// Compile a source text and look up one of its kernels, in one call.
    pub fn cuc_kernel_from_source(out: *mut *mut cuc_kernel, source_kind: i32, text: *const c_char, bytes: usize, name: *const c_char, options: *const cuc_program_options) -> cuc_status;
    /// Find a kernel that nvcc compiled into the program, by its host symbol.
    pub fn cuc_kernel_from_symbol(out: *mut *mut cuc_kernel, symbol: *const c_void) -> cuc_status;
    /// Read an attribute of a kernel on one device.
    pub fn cuc_kernel_get_attribute(out: *mut i32, kernel: *mut cuc_kernel, device: *mut cuc_device, attribute: i32) -> cuc_status;
    /// The driver's CUfunction of a kernel on one device, for calls that do not take a CUkernel.
    pub fn cuc_kernel_get_function(out: *mut *mut c_void, kernel: *mut cuc_kernel, device: *mut cuc_device) -> cuc_status;
    /// One parameter of a kernel.
    pub fn cuc_kernel_get_parameter(out: *mut cuc_kernel_parameter, kernel: *const cuc_kernel, index: usize) -> cuc_status;
    /// The number of parameters of a kernel.
    pub fn cuc_kernel_get_parameter_count(out: *mut usize, kernel: *const cuc_kernel) -> cuc_status;
    /// The driver's CUkernel.
    pub fn cuc_kernel_handle(kernel: *const cuc_kernel) -> *mut c_void;
    /// The name under which a kernel was requested: its symbol, or a name expression.
    pub fn cuc_kernel_name(kernel: *const cuc_kernel) -> *const c_char;
    /// The object that a kernel belongs to.
    pub fn cuc_kernel_object(kernel: *const cuc_kernel) -> *mut cuc_object;
    /// Release a reference to a kernel; the last one releases its object.
    pub fn cuc_kernel_release(kernel: *mut cuc_kernel);
    /// Add a reference to a kernel.
    pub fn cuc_kernel_retain(kernel: *mut cuc_kernel) -> *mut cuc_kernel;
    /// Set an attribute of a kernel on one device, for every handle of the kernel and every context of
    /// the device.
    pub fn cuc_kernel_set_attribute(kernel: *mut cuc_kernel, device: *mut cuc_device, attribute: i32, value: i32) -> cuc_status;
    /// Set a kernel's preference between shared memory and L1 cache on one device. This is a hint.
    pub fn cuc_kernel_set_cache_config(kernel: *mut cuc_kernel, device: *mut cuc_device, config: i32) -> cuc_status;
    /// The symbol of a kernel in its object code; mangled for C++.
    pub fn cuc_kernel_symbol(kernel: *const cuc_kernel) -> *const c_char;
    /// Launch a kernel in stream order.
    pub fn cuc_launch(stream: *mut cuc_stream, config: *const cuc_launch_config, kernel: *mut cuc_kernel, args: *const cuc_arg, count: usize) -> cuc_status;
    /// Choose a grid and a block with one thread for each of n elements.
    pub fn cuc_launch_config_for(config: *mut cuc_launch_config, kernel: *mut cuc_kernel, device: *mut cuc_device, n: u64) -> cuc_status;
    /// Zero a config and write its size.
    pub fn cuc_launch_config_init(config: *mut cuc_launch_config, caller_size: usize);
    /// Call a function on the host when the stream reaches it.
    pub fn cuc_launch_host(stream: *mut cuc_stream, fn_: Option<unsafe extern "C" fn(user: *mut c_void)>, user: *mut c_void) -> cuc_status;
    /// Check whether every launch waits for completion, so that a failure names its kernel.
    pub fn cuc_launch_is_blocking() -> i32;
    /// The number of families in the kernel library.
    pub fn cuc_library_count() -> usize;
    /// Look up a family's tile program, to read, to change or to pass to cuc_program_create().
    pub fn cuc_library_get_source(source: *mut *const c_char, name: *const c_char) -> cuc_status;
    /// The name of a family, in alphabetical order.
    pub fn cuc_library_name(index: usize) -> *const c_char;
    /// Add an object. The result of the link also knows the name expressions of this object.
    pub fn cuc_linker_add(linker: *mut cuc_linker, object: *mut cuc_object) -> cuc_status;
    /// Add code from memory.
    pub fn cuc_linker_add_data(linker: *mut cuc_linker, kind: i32, data: *const c_void, bytes: usize, name: *const c_char) -> cuc_status;
    /// Add a file of code. It is read during this call, so later changes do not affect a link.
    pub fn cuc_linker_add_file(linker: *mut cuc_linker, kind: i32, path: *const c_char) -> cuc_status;
    /// The name of the linker's implementation.
    pub fn cuc_linker_backend(linker: *const cuc_linker) -> *const c_char;
    /// Create a linker without inputs, and choose its implementation.
    pub fn cuc_linker_create(out: *mut *mut cuc_linker, options: *const cuc_linker_options) -> cuc_status;
    /// The errors of the last link.
    pub fn cuc_linker_error_log(linker: *const cuc_linker) -> *const c_char;
    /// One of the flags counted by cuc_linker_flag_count(), exactly as nvJitLink receives it.
    pub fn cuc_linker_flag(linker: *const cuc_linker, index: usize) -> *const c_char;
    /// The number of flags passed to nvJitLink.
    pub fn cuc_linker_flag_count(linker: *const cuc_linker) -> usize;
    /// The times, register counts and warnings that the last link reported; no errors.
    pub fn cuc_linker_info_log(linker: *const cuc_linker) -> *const c_char;
    /// Link all inputs.
    pub fn cuc_linker_link(out: *mut *mut cuc_object, linker: *mut cuc_linker, target: i32) -> cuc_status;
    /// Set every option to its default.
    pub fn cuc_linker_options_init(options: *mut cuc_linker_options, caller_size: usize);
    /// Release a reference; the last one frees the linker and its inputs. Objects that the linker made
    /// stay valid.
    pub fn cuc_linker_release(linker: *mut cuc_linker);
    /// Add a reference to a linker.
    pub fn cuc_linker_retain(linker: *mut cuc_linker) -> *mut cuc_linker;
    /// Advise the driver how a range of managed memory will be used. The advice takes effect at once.
    pub fn cuc_memory_advise(ptr: cuc_device_ptr, bytes: usize, advice: i32, location: *const cuc_memory_location) -> cuc_status;
    /// Allocate a bare address from a resource.
    pub fn cuc_memory_allocate(out: *mut cuc_device_ptr, stream: *mut cuc_stream, resource: *mut cuc_memory_resource, bytes: usize) -> cuc_status;
    /// Zero a cuc_memory_batch and write its size.
    pub fn cuc_memory_batch_init(batch: *mut cuc_memory_batch, caller_size: usize);
    /// Zero a cuc_memory_callbacks and write its size.
    pub fn cuc_memory_callbacks_init(callbacks: *mut cuc_memory_callbacks, caller_size: usize);
    /// Tell the driver that the contents of managed memory are no longer needed, in stream order.
    pub fn cuc_memory_discard(stream: *mut cuc_stream, ptr: cuc_device_ptr, bytes: usize) -> cuc_status;
    /// Discard several ranges of managed memory and prefetch each to its location, without moving their
    /// contents.
    pub fn cuc_memory_discard_and_prefetch_batch(stream: *mut cuc_stream, batch: *const cuc_memory_batch) -> cuc_status;
    /// Discard several ranges of managed memory, each like cuc_memory_discard().
    pub fn cuc_memory_discard_batch(stream: *mut cuc_stream, batch: *const cuc_memory_batch) -> cuc_status;
    /// Free memory from cuc_memory_allocate().
    pub fn cuc_memory_free(stream: *mut cuc_stream, resource: *mut cuc_memory_resource, ptr: cuc_device_ptr, bytes: usize) -> cuc_status;
    /// The devices for which a range of managed memory stays mapped.
    pub fn cuc_memory_get_accessed_by(count: *mut usize, devices: *mut i32, capacity: usize, ptr: cuc_device_ptr, bytes: usize) -> cuc_status;
    /// The size of the pieces that a virtual-memory resource allocates.
    pub fn cuc_memory_get_granularity(out: *mut usize, resource: *mut cuc_memory_resource) -> cuc_status;
    /// The location to which a range of managed memory was last prefetched. The memory may have moved
    /// since.
    pub fn cuc_memory_get_last_prefetch(out: *mut cuc_memory_location, ptr: cuc_device_ptr, bytes: usize) -> cuc_status;
    /// Query the driver about an address of any allocator, including the CUDA runtime's.
    pub fn cuc_memory_get_pointer_info(out: *mut cuc_pointer_info, ptr: cuc_device_ptr) -> cuc_status;
    /// The preferred location of a range of managed memory.
    pub fn cuc_memory_get_preferred_location(out: *mut cuc_memory_location, ptr: cuc_device_ptr, bytes: usize) -> cuc_status;
    /// Check whether all of a range of managed memory is advised as read-mostly.
    pub fn cuc_memory_get_read_mostly(out: *mut i32, ptr: cuc_device_ptr, bytes: usize) -> cuc_status;
    /// The name of a kind of memory, such as "pinned".
    pub fn cuc_memory_kind_name(kind: i32) -> *const c_char;
    /// Create a memory pool.
    pub fn cuc_memory_pool_create(out: *mut *mut cuc_memory_resource, device: *mut cuc_device, options: *const cuc_memory_pool_options) -> cuc_status;
    /// Export a pool as a file descriptor, with which another process imports the pool.
    pub fn cuc_memory_pool_export(out: *mut i32, pool: *mut cuc_memory_resource) -> cuc_status;
    /// Import another process's pool. The pool cannot allocate; pass it to cuc_buffer_from_ipc_handle().
    pub fn cuc_memory_pool_from_fd(out: *mut *mut cuc_memory_resource, device: *mut cuc_device, fd: i32) -> cuc_status;
    /// Wrap a pool that was created with the driver or the runtime.
    pub fn cuc_memory_pool_from_handle(out: *mut *mut cuc_memory_resource, device: *mut cuc_device, kind: i32, pool: *mut c_void, owner: *mut c_void, drop_owner: Option<unsafe extern "C" fn(owner: *mut c_void)>) -> cuc_status;
    /// Read a device's access to the memory of a pool.
    pub fn cuc_memory_pool_get_access(out: *mut i32, pool: *mut cuc_memory_resource, peer: *mut cuc_device) -> cuc_status;
    /// Read an attribute of a pool.
    pub fn cuc_memory_pool_get_attribute(out: *mut u64, pool: *mut cuc_memory_resource, attribute: i32) -> cuc_status;
    /// The device's current pool for a kind of memory, which cudaMallocAsync() and all other code in the
    /// process share.
    pub fn cuc_memory_pool_get_current(out: *mut *mut cuc_memory_resource, device: *mut cuc_device, kind: i32) -> cuc_status;
    /// The driver's default pool for a kind of memory, even when another pool is current.
    pub fn cuc_memory_pool_get_default(out: *mut *mut cuc_memory_resource, device: *mut cuc_device, kind: i32) -> cuc_status;
    /// Read the size of a pool. The four numbers are read one after the other, not as one snapshot.
    pub fn cuc_memory_pool_get_statistics(out: *mut cuc_memory_pool_statistics, pool: *mut cuc_memory_resource) -> cuc_status;
    /// The driver's handle of a pool.
    pub fn cuc_memory_pool_handle(pool: *const cuc_memory_resource) -> *mut c_void;
    /// Make a pool the current one of its kind. cuMemAllocAsync() and cudaMallocAsync() allocate from
    /// the current pool, and cuc_memory_pool_get_current() returns it.
    pub fn cuc_memory_pool_make_current(pool: *mut cuc_memory_resource) -> cuc_status;
    /// Zero a cuc_memory_pool_options and write its size.
    pub fn cuc_memory_pool_options_init(options: *mut cuc_memory_pool_options, caller_size: usize);
    /// Reset both high-water marks of a pool to its current size.
    pub fn cuc_memory_pool_reset_high_watermarks(pool: *mut cuc_memory_resource) -> cuc_status;
    /// Grant or revoke a device's access to the memory of a pool.
    pub fn cuc_memory_pool_set_access(pool: *mut cuc_memory_resource, peer: *mut cuc_device, access: i32) -> cuc_status;
    /// Set an attribute of a pool.
    pub fn cuc_memory_pool_set_attribute(pool: *mut cuc_memory_resource, attribute: i32, value: u64) -> cuc_status;
    /// Return a pool's unused memory to the system.
    pub fn cuc_memory_pool_trim(pool: *mut cuc_memory_resource, keep_bytes: u64) -> cuc_status;
    /// Migrate managed memory to a location, in stream order.
    pub fn cuc_memory_prefetch(stream: *mut cuc_stream, ptr: cuc_device_ptr, bytes: usize, location: *const cuc_memory_location) -> cuc_status;
    /// Migrate several ranges of managed memory, each to its location, in stream order.
    pub fn cuc_memory_prefetch_batch(stream: *mut cuc_stream, batch: *const cuc_memory_batch) -> cuc_status;
    /// The parties that can access a resource's memory.
    pub fn cuc_memory_resource_access(resource: *const cuc_memory_resource) -> u32;
    /// Create a resource from user-defined callbacks.
    pub fn cuc_memory_resource_create(out: *mut *mut cuc_memory_resource, callbacks: *const cuc_memory_callbacks) -> cuc_status;
    /// The device that owns the memory of a resource.
    pub fn cuc_memory_resource_device(resource: *const cuc_memory_resource) -> *mut cuc_device;
    /// Check whether a resource is a driver pool, which the cuc_memory_pool_ functions accept.
    pub fn cuc_memory_resource_is_pool(resource: *const cuc_memory_resource) -> i32;
    /// The kind of memory that a resource allocates.
    pub fn cuc_memory_resource_kind(resource: *const cuc_memory_resource) -> i32;
    /// Release a resource; the last release destroys it.
    pub fn cuc_memory_resource_release(resource: *mut cuc_memory_resource);
    /// Add a reference to a resource.
    pub fn cuc_memory_resource_retain(resource: *mut cuc_memory_resource) -> *mut cuc_memory_resource;
    /// Create a resource that allocates directly from the driver, without a pool.
    pub fn cuc_memory_synchronous_create(out: *mut *mut cuc_memory_resource, device: *mut cuc_device, kind: i32) -> cuc_status;
    /// Create a resource whose buffers can grow.
    pub fn cuc_memory_virtual_create(out: *mut *mut cuc_memory_resource, device: *mut cuc_device, options: *const cuc_memory_virtual_options) -> cuc_status;
    /// Zero options and write their size.
    pub fn cuc_memory_virtual_options_init(options: *mut cuc_memory_virtual_options, caller_size: usize);
    /// Merge two sorted arrays, in stream order: in the natural order, with NaN last. Of equal elements,
    /// those of x come first.
    pub fn cuc_merge(stream: *mut cuc_stream, x: *const cuc_tensor, y: *const cuc_tensor, z: *const cuc_tensor) -> cuc_status;
    /// The graph that a node of type CUC_NODE_GRAPH runs: the driver's copy of the embedded graph. Until
    /// the graph that contains the node is instantiated, adding nodes to the copy changes what the node
    /// runs.
    pub fn cuc_node_get_graph(out: *mut *mut cuc_graph, graph: *mut cuc_graph, node: *mut cuc_node) -> cuc_status;
    /// The launch of a node of type CUC_NODE_KERNEL.
    pub fn cuc_node_get_launch(config: *mut cuc_launch_config, kernel: *mut *mut c_void, node: *mut cuc_node) -> cuc_status;
    /// The type of a node.
    pub fn cuc_node_get_type(out: *mut i32, node: *mut cuc_node) -> cuc_status;
    /// The name of a type of node, such as "kernel".
    pub fn cuc_node_type_name(type_: i32) -> *const c_char;
    /// The version of nvFatbin, which packs code of several architectures.
    pub fn cuc_nvfatbin_get_version(major: *mut i32, minor: *mut i32) -> cuc_status;
    /// The version of nvJitLink, the linker of device code.
    pub fn cuc_nvjitlink_get_version(major: *mut i32, minor: *mut i32) -> cuc_status;
    /// The version of the kernel-mode NVIDIA driver, as NVML and nvidia-smi report it, such as
    /// "580.65.06".
    pub fn cuc_nvml_get_driver_version(out: *mut c_char, size: usize) -> cuc_status;
    /// The compute capabilities for which NVRTC can compile, in ascending order.
    pub fn cuc_nvrtc_get_archs(count: *mut usize, out: *mut i32, capacity: usize) -> cuc_status;
    /// The version of NVRTC, the compiler of CUDA C++.
    pub fn cuc_nvrtc_get_version(major: *mut i32, minor: *mut i32) -> cuc_status;
    /// Create an object from code in memory. This makes no driver call.
    pub fn cuc_object_create(out: *mut *mut cuc_object, kind: i32, data: *const c_void, bytes: usize, options: *const cuc_object_options) -> cuc_status;
    /// Create an object from a file. This makes no driver call.
    pub fn cuc_object_from_file(out: *mut *mut cuc_object, path: *const c_char, kind: i32, options: *const cuc_object_options) -> cuc_status;
    /// The code itself.
    pub fn cuc_object_get_code(data: *mut *const c_void, bytes: *mut usize, object: *const cuc_object) -> cuc_status;
    /// The address of a `__device__` or `__constant__` variable on one device.
    pub fn cuc_object_get_global(out: *mut cuc_device_ptr, bytes: *mut usize, object: *mut cuc_object, device: *mut cuc_device, name: *const c_char) -> cuc_status;
    /// A kernel of the object, by its symbol or by a name expression that the object knows.
    pub fn cuc_object_get_kernel(out: *mut *mut cuc_kernel, object: *mut cuc_object, name: *const c_char) -> cuc_status;
    /// The number of kernels in the code.
    pub fn cuc_object_get_kernel_count(out: *mut usize, object: *mut cuc_object) -> cuc_status;
    /// The symbol of one of the kernels, to pass to cuc_object_get_kernel().
    pub fn cuc_object_get_kernel_name(out: *mut *const c_char, object: *mut cuc_object, index: usize) -> cuc_status;
    /// The driver's CUlibrary. The call loads the code if necessary.
    pub fn cuc_object_get_library(out: *mut *mut c_void, object: *mut cuc_object) -> cuc_status;
    /// The address of a `__managed__` variable, which is the same on the host and on every device.
    pub fn cuc_object_get_managed(out: *mut cuc_device_ptr, bytes: *mut usize, object: *mut cuc_object, device: *mut cuc_device, name: *const c_char) -> cuc_status;
    /// One name expression and its symbol.
    pub fn cuc_object_get_mapping(out: *mut cuc_object_mapping, object: *const cuc_object, index: usize) -> cuc_status;
    /// The driver's CUmodule of the object on one device, for calls that do not take a library.
    pub fn cuc_object_get_module(out: *mut *mut c_void, object: *mut cuc_object, device: *mut cuc_device) -> cuc_status;
    /// The PTX of the code: the object's own text if it is PTX, otherwise the PTX that accompanies it.
    pub fn cuc_object_get_ptx(text: *mut *const c_char, bytes: *mut usize, object: *const cuc_object) -> cuc_status;
    /// The unified address of a device function, which is valid on every device.
    pub fn cuc_object_get_unified_function(out: *mut *mut c_void, object: *mut cuc_object, name: *const c_char) -> cuc_status;
    /// The kind of code in an object.
    pub fn cuc_object_kind(object: *const cuc_object) -> i32;
    /// The log that the driver's compiler wrote while loading the object.
    pub fn cuc_object_load_log(object: *const cuc_object) -> *const c_char;
    /// The log of the compiler or linker that made the object, which may contain warnings.
    pub fn cuc_object_log(object: *const cuc_object) -> *const c_char;
    /// The number of name expressions whose symbols the object knows.
    pub fn cuc_object_mapping_count(object: *const cuc_object) -> usize;
    /// The name of an object in messages.
    pub fn cuc_object_name(object: *const cuc_object) -> *const c_char;
    /// Set options to their defaults.
    pub fn cuc_object_options_init(options: *mut cuc_object_options, caller_size: usize);
    /// Release a reference to an object; the last one unloads the library.
    pub fn cuc_object_release(object: *mut cuc_object);
    /// Add a reference to an object.
    pub fn cuc_object_retain(object: *mut cuc_object) -> *mut cuc_object;
    /// Write the code to a file, completely or not at all.
    pub fn cuc_object_save(object: *const cuc_object, path: *const c_char) -> cuc_status;
    /// The dynamic shared memory available to each block when `blocks` blocks run on one multiprocessor.
    pub fn cuc_occupancy_available_dynamic_shared(out: *mut usize, kernel: *mut cuc_kernel, device: *mut cuc_device, blocks: u32, block_threads: u32) -> cuc_status;
    /// The number of blocks of a kernel that one multiprocessor can run concurrently.
    pub fn cuc_occupancy_max_active_blocks(out: *mut u32, kernel: *mut cuc_kernel, device: *mut cuc_device, block_threads: u32, shared_bytes: u32, flags: u32) -> cuc_status;
    /// The number of clusters of a launch that the device runs concurrently.
    pub fn cuc_occupancy_max_active_clusters(out: *mut u32, kernel: *mut cuc_kernel, device: *mut cuc_device, config: *const cuc_launch_config) -> cuc_status;
    /// The block size with the highest occupancy of a kernel on a device.
    pub fn cuc_occupancy_max_potential_block_size(grid: *mut u32, block: *mut u32, kernel: *mut cuc_kernel, device: *mut cuc_device, options: *const cuc_occupancy_options) -> cuc_status;
    /// The largest cluster that a launch with a config can have.
    pub fn cuc_occupancy_max_potential_cluster_size(out: *mut u32, kernel: *mut cuc_kernel, device: *mut cuc_device, config: *const cuc_launch_config) -> cuc_status;
    /// Set options to their defaults.
    pub fn cuc_occupancy_options_init(options: *mut cuc_occupancy_options, caller_size: usize);
    /// The name of a parameter type, such as "float".
    pub fn cuc_parameter_type_name(type_: i32) -> *const c_char;
    /// The compiler used by the last compilation or, before the first, by the next one.
    pub fn cuc_program_backend(program: *const cuc_program) -> *const c_char;
    /// Compile a program.
    pub fn cuc_program_compile(out: *mut *mut cuc_object, program: *mut cuc_program, target: i32) -> cuc_status;
    /// The duration of the last compilation, even if it failed.
    pub fn cuc_program_compile_ns(program: *const cuc_program) -> u64;
    /// Create a program from a source text. Nothing is compiled yet.
    pub fn cuc_program_create(out: *mut *mut cuc_program, source_kind: i32, text: *const c_char, bytes: usize, options: *const cuc_program_options) -> cuc_status;
    /// One of the flags counted by cuc_program_flag_count(), exactly as the compiler receives it.
    pub fn cuc_program_flag(program: *const cuc_program, target: i32, index: usize) -> *const c_char;
    /// The number of flags passed to the compiler for a kind of code.
    pub fn cuc_program_flag_count(program: *const cuc_program, target: i32) -> usize;
    /// Create a program from a family of the kernel library. Nothing is compiled yet.
    pub fn cuc_program_from_library(out: *mut *mut cuc_program, name: *const c_char, options: *const cuc_program_options) -> cuc_status;
    /// The key under which a cache keeps the code of a program.
    pub fn cuc_program_get_key(out: *mut u8, program: *mut cuc_program, target: i32) -> cuc_status;
    /// The compiler's log of the last compilation, including the warnings of a successful one.
    pub fn cuc_program_log(program: *const cuc_program) -> *const c_char;
    /// Set every option to its default.
    pub fn cuc_program_options_init(options: *mut cuc_program_options, caller_size: usize);
    /// The last compilation's outcome for the precompiled header.
    pub fn cuc_program_pch_status(program: *const cuc_program) -> i32;
    /// Release a reference; the last one frees the program. Objects compiled from it live on.
    pub fn cuc_program_release(program: *mut cuc_program);
    /// Add a reference to a program.
    pub fn cuc_program_retain(program: *mut cuc_program) -> *mut cuc_program;
    /// Make the objects of a Python class callable. Calling an object performs the launch in its
    /// attribute `_launch`, a tuple that begins with the address of a cuc_python_launch (int).
    pub fn cuc_python_add_call(type_: *mut c_void) -> cuc_status;
    /// Add the DLPack protocol to a Python class of arrays: `__dlpack__`, `__dlpack_device__`, and the
    /// class methods `from_dlpack(value, *, stream=None)` and `from_capsule(capsule)`.
    pub fn cuc_python_add_dlpack(type_: *mut c_void) -> cuc_status;
    /// Replace methods and properties of a class of the Python package with the library's C versions.
    pub fn cuc_python_add_methods(type_: *mut c_void, name: *const c_char) -> cuc_status;
    /// Create the base type of a class of the Python package, with the fields that C code reads.
    pub fn cuc_python_get_base(out: *mut *mut c_void, name: *const c_char) -> cuc_status;
    /// Create a Python function `launch(stream, config, kernel, *args)`.
    pub fn cuc_python_get_launch(out: *mut *mut c_void, slowly: *mut c_void) -> cuc_status;
    /// Reduce an array to one element, in stream order.
    pub fn cuc_reduce(stream: *mut cuc_stream, fn_: *const c_char, identity: *const c_char, x: *const cuc_tensor, y: *const cuc_tensor) -> cuc_status;
    /// The version of the CUDA runtime. This is the program's own runtime if its symbols are visible,
    /// otherwise the one found on the machine.
    pub fn cuc_runtime_get_version(out: *mut i32) -> cuc_status;
    /// Make a device the runtime's current device on the calling thread, like cudaSetDevice().
    pub fn cuc_runtime_set_device(device: *mut cuc_device) -> cuc_status;
    /// Scan an array, in stream order: y\[i\] combines x\[0\] to x\[i\].
    pub fn cuc_scan(stream: *mut cuc_stream, fn_: *const c_char, identity: *const c_char, flags: u32, x: *const cuc_tensor, y: *const cuc_tensor) -> cuc_status;
    /// Search for each value in a sorted array, in stream order: at\[i\] is the number of elements that
    /// are less than values\[i\]. With CUC_SEARCH_UPPER, it is the number of those not greater.
    pub fn cuc_search(stream: *mut cuc_stream, flags: u32, sorted: *const cuc_tensor, values: *const cuc_tensor, at: *const cuc_tensor) -> cuc_status;
    /// Keep the elements that a function accepts, in their order and in stream order.
    pub fn cuc_select(stream: *mut cuc_stream, fn_: *const c_char, x: *const cuc_tensor, y: *const cuc_tensor, count: *const cuc_tensor) -> cuc_status;
    /// Set the process-wide handler of failures that no call can return. Without a handler, such a
    /// failure is dropped and its object leaks.
    pub fn cuc_set_failure_handler(handler: cuc_failure_fn, user: *mut c_void);
    /// Set the file of a library. It takes precedence over the environment and all other locations.
    pub fn cuc_set_library_path(name: *const c_char, path: *const c_char) -> cuc_status;
    /// Split multiprocessors into groups of the same size.
    pub fn cuc_sms_split(groups: *mut cuc_sms, count: *mut u32, rest: *mut cuc_sms, from: *const cuc_sms, least: u32, flags: u32) -> cuc_status;
    /// Sort an array, with values that follow their keys, in stream order. Equal keys keep their order.
    pub fn cuc_sort(stream: *mut cuc_stream, flags: u32, keys_in: *const cuc_tensor, keys_out: *const cuc_tensor, values_in: *const cuc_tensor, values_out: *const cuc_tensor) -> cuc_status;
    /// The name of a status, such as "CUC_ERROR_NOT_FOUND".
    pub fn cuc_status_name(status: cuc_status) -> *const c_char;
    /// The meaning of a status, in a few words.
    pub fn cuc_status_text(status: cuc_status) -> *const c_char;
    /// Call a function on the host when the stream reaches it, even if earlier work failed.
    pub fn cuc_stream_add_callback(stream: *mut cuc_stream, callback: cuc_stream_callback, user: *mut c_void) -> cuc_status;
    /// Add a conditional node to the graph that a stream is captured into, after the stream's work so
    /// far.
    pub fn cuc_stream_add_conditional(bodies: *mut *mut cuc_graph, count: u32, stream: *mut cuc_stream, condition: cuc_condition, type_: i32) -> cuc_status;
    /// Begin capturing a stream.
    pub fn cuc_stream_begin_capture(stream: *mut cuc_stream, mode: i32) -> cuc_status;
    /// Begin capturing a stream into an existing graph, after some of its nodes.
    pub fn cuc_stream_begin_capture_to(stream: *mut cuc_stream, graph: *mut cuc_graph, after: *const *mut cuc_node, count: usize, mode: i32) -> cuc_status;
    /// End a capture and discard its nodes, for cleanup after a failure. The thread's last error stays.
    /// This also cancels the same thread's captures that fill bodies of the capture's conditional nodes.
    /// If the capture adds to an existing graph, that graph keeps the nodes added so far. If the capture
    /// is spoilt, however, the driver frees the graph, and the thread's other captures into it are
    /// cancelled too.
    pub fn cuc_stream_cancel_capture(stream: *mut cuc_stream) -> cuc_status;
    /// Create a condition for a node of the graph that a stream is captured into.
    pub fn cuc_stream_condition_create(out: *mut cuc_condition, stream: *mut cuc_stream, default_value: u32, flags: u32) -> cuc_status;
    /// The context of a stream.
    pub fn cuc_stream_context(stream: *const cuc_stream) -> *mut cuc_context;
    /// Give a stream the attributes of another stream, such as its priority and its L2 access policy
    /// window.
    pub fn cuc_stream_copy_attributes(stream: *mut cuc_stream, from: *mut cuc_stream) -> cuc_status;
    /// Create a stream in a device's primary context.
    pub fn cuc_stream_create(out: *mut *mut cuc_stream, device: *mut cuc_device, options: *const cuc_stream_options) -> cuc_status;
    /// The device that a stream runs on.
    pub fn cuc_stream_device(stream: *const cuc_stream) -> *mut cuc_device;
    /// Add a whole graph as one node to the graph being captured, after the stream's work so far. (A
    /// captured stream cannot launch an instance.)
    pub fn cuc_stream_embed_graph(stream: *mut cuc_stream, graph: *mut cuc_graph) -> cuc_status;
    /// End a capture and return its graph.
    pub fn cuc_stream_end_capture(out: *mut *mut cuc_graph, stream: *mut cuc_stream) -> cuc_status;
    /// Wrap a stream that was created elsewhere: a CUstream, or a cudaStream_t of the CUDA runtime.
    pub fn cuc_stream_from_handle(out: *mut *mut cuc_stream, handle: *mut c_void, owner: *mut c_void, drop_owner: Option<unsafe extern "C" fn(owner: *mut c_void)>) -> cuc_status;
    /// Read the capture state of a stream, even if cucore did not begin the capture.
    pub fn cuc_stream_get_capture_info(out: *mut cuc_capture_info, stream: *mut cuc_stream) -> cuc_status;
    /// The nodes on which the next work on a captured stream will depend. After a single operation, this
    /// is the operation's node.
    pub fn cuc_stream_get_capture_nodes(nodes: *mut *mut cuc_node, capacity: usize, count: *mut usize, stream: *mut cuc_stream) -> cuc_status;
    /// A default stream of a device's primary context.
    pub fn cuc_stream_get_default(out: *mut *mut cuc_stream, device: *mut cuc_device, which: i32) -> cuc_status;
    /// The flags of a stream.
    pub fn cuc_stream_get_flags(out: *mut u32, stream: *mut cuc_stream) -> cuc_status;
    /// An identifier that is unique among all streams the process ever has.
    pub fn cuc_stream_get_id(out: *mut u64, stream: *mut cuc_stream) -> cuc_status;
    /// The actual priority of a stream.
    pub fn cuc_stream_get_priority(out: *mut i32, stream: *mut cuc_stream) -> cuc_status;
    /// The driver's handle of a stream, which is also its cudaStream_t.
    pub fn cuc_stream_handle(stream: *const cuc_stream) -> *mut c_void;
    /// Check whether work enqueued on a stream is being captured into a graph instead of executed.
    pub fn cuc_stream_is_capturing(out: *mut i32, stream: *mut cuc_stream) -> cuc_status;
    /// Zero options and write their size.
    pub fn cuc_stream_options_init(options: *mut cuc_stream_options, caller_size: usize);
    /// Check whether all work on a stream is complete, without waiting.
    pub fn cuc_stream_query(stream: *mut cuc_stream) -> cuc_status;
    /// Release a stream. After the last release, the stream is destroyed once its work is complete; the
    /// call does not wait. Buffers that will be freed on the stream keep it alive.
    pub fn cuc_stream_release(stream: *mut cuc_stream);
    /// Add a reference to a stream.
    pub fn cuc_stream_retain(stream: *mut cuc_stream) -> *mut cuc_stream;
    /// Wait until all work on a stream is complete.
    pub fn cuc_stream_synchronize(stream: *mut cuc_stream) -> cuc_status;
    /// Make later work on a stream wait for an event.
    pub fn cuc_stream_wait_event(stream: *mut cuc_stream, event: *mut cuc_event) -> cuc_status;
    /// Add a node that waits for an event recorded outside the graph.
    pub fn cuc_stream_wait_external(stream: *mut cuc_stream, event: *mut cuc_event) -> cuc_status;
    /// Make later work on a stream wait for all work now on another stream.
    pub fn cuc_stream_wait_stream(stream: *mut cuc_stream, other: *mut cuc_stream) -> cuc_status;
    /// Make later work on a stream wait until a word of memory satisfies a comparison.
    pub fn cuc_stream_wait_value(stream: *mut cuc_stream, address: cuc_device_ptr, value: u64, bytes: u32, compare: u32) -> cuc_status;
    /// Write a word of memory in stream order.
    pub fn cuc_stream_write_value(stream: *mut cuc_stream, address: cuc_device_ptr, value: u64, bytes: u32, flags: u32) -> cuc_status;
    /// The size of a tensor's elements in bytes, without gaps.
    pub fn cuc_tensor_bytes(tensor: *const cuc_tensor) -> u64;
    /// Check that a tensor's fields are valid. This does not check that its memory exists.
    pub fn cuc_tensor_check(tensor: *const cuc_tensor) -> cuc_status;
    /// The number of elements of a tensor: the product of its shape.
    pub fn cuc_tensor_elements(tensor: *const cuc_tensor) -> i64;
    /// Initialize a contiguous tensor at the start of a buffer.
    pub fn cuc_tensor_from_buffer(out: *mut cuc_tensor, buffer: *const cuc_buffer, dtype: cuc_dtype, rank: i32, shape: *const i64) -> cuc_status;
    /// Read a DLPack tensor.
    pub fn cuc_tensor_from_dlpack(out: *mut cuc_tensor, managed: *const cuc_dl_managed_tensor_versioned) -> cuc_status;
    /// Read a DLPack tensor in the format before 1.0, which has no read-only flag.
    pub fn cuc_tensor_from_dlpack_unversioned(out: *mut cuc_tensor, managed: *const cuc_dl_managed_tensor) -> cuc_status;
    /// Initialize a contiguous tensor, with the last dimension fastest.
    pub fn cuc_tensor_from_pointer(out: *mut cuc_tensor, data: cuc_device_ptr, dtype: cuc_dtype, rank: i32, shape: *const i64, device: i32) -> cuc_status;
    /// Check whether a tensor is contiguous, with the last dimension fastest.
    pub fn cuc_tensor_is_contiguous(tensor: *const cuc_tensor) -> i32;
    /// Encode a map of images whose copies transfer columns of pixels (im2col).
    pub fn cuc_tensor_map_encode_im2col(out: *mut cuc_tensor_map, tensor: *const cuc_tensor, image: *const cuc_tensor_map_image, options: *const cuc_tensor_map_options) -> cuc_status;
    /// Encode a map of images whose copies transfer columns of pixels only along W: the bounding box is
    /// one pixel high and deep.
    pub fn cuc_tensor_map_encode_im2col_wide(out: *mut cuc_tensor_map, tensor: *const cuc_tensor, image: *const cuc_tensor_map_image, options: *const cuc_tensor_map_options) -> cuc_status;
    /// Encode a map of a tensor whose copies transfer a box.
    pub fn cuc_tensor_map_encode_tiled(out: *mut cuc_tensor_map, tensor: *const cuc_tensor, box_: *const u32, options: *const cuc_tensor_map_options) -> cuc_status;
    /// Zero options and write their size.
    pub fn cuc_tensor_map_options_init(options: *mut cuc_tensor_map_options, caller_size: usize);
    /// Point a map at another array of the same shape, strides and type.
    pub fn cuc_tensor_map_replace_address(map: *mut cuc_tensor_map, tensor: *const cuc_tensor) -> cuc_status;
    /// Export a tensor to another library as DLPack.
    pub fn cuc_tensor_to_dlpack(out: *mut *mut cuc_dl_managed_tensor_versioned, tensor: *const cuc_tensor, owner: *mut cuc_buffer) -> cuc_status;
    /// Export a tensor to a library that supports only the format before DLPack 1.0.
    pub fn cuc_tensor_to_dlpack_unversioned(out: *mut *mut cuc_dl_managed_tensor, tensor: *const cuc_tensor, owner: *mut cuc_buffer) -> cuc_status;
    /// the absolute value
    pub fn cuc_tile_abs(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// Set options to their defaults.
    pub fn cuc_tile_access_options_init(options: *mut cuc_tile_access_options, caller_size: usize);
    /// x + y
    pub fn cuc_tile_add(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// RN, RZ, RM, RP
    pub fn cuc_tile_add_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile, round: i32) -> cuc_tile;
    /// bools: true if all are
    pub fn cuc_tile_all(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64) -> cuc_tile;
    /// bools: true if one is
    pub fn cuc_tile_any(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64) -> cuc_tile;
    /// the index of the largest
    pub fn cuc_tile_argmax(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, axis: i32) -> cuc_tile;
    /// the index of the largest, or of the first NaN
    pub fn cuc_tile_argmax_nan(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, axis: i32) -> cuc_tile;
    /// the index of the smallest: i32, the first among equals; the axis is kept
    pub fn cuc_tile_argmin(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, axis: i32) -> cuc_tile;
    /// the index of the smallest, or of the first NaN
    pub fn cuc_tile_argmin_nan(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, axis: i32) -> cuc_tile;
    /// Insert PTX for each element. In the text, $0 is the result, and $1 and up are the operands.
    pub fn cuc_tile_asm(program: *mut cuc_tile_program, file: *const c_char, line: u32, text: *const c_char, dtype: cuc_dtype, count: u32, x: *const cuc_tile) -> cuc_tile;
    /// End the kernel with a message if an element is false.
    pub fn cuc_tile_assert(program: *mut cuc_tile_program, file: *const c_char, line: u32, condition: cuc_tile, text: *const c_char);
    /// Promise that `divisor` divides each element of x. The promise is not checked.
    pub fn cuc_tile_assume(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, divisor: i64) -> cuc_tile;
    /// the angle of the point (y, x): floats
    pub fn cuc_tile_atan2(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// adds
    pub fn cuc_tile_atomic_add(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options) -> cuc_tile;
    /// bitwise
    pub fn cuc_tile_atomic_and(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options) -> cuc_tile;
    /// Atomically replace elements equal to `expected` by x, and return the old values.
    pub fn cuc_tile_atomic_cas(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, expected: cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options) -> cuc_tile;
    /// keeps the larger
    pub fn cuc_tile_atomic_max(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options) -> cuc_tile;
    /// keeps the smaller
    pub fn cuc_tile_atomic_min(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options) -> cuc_tile;
    /// bitwise
    pub fn cuc_tile_atomic_or(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options) -> cuc_tile;
    /// stores x
    pub fn cuc_tile_atomic_xchg(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options) -> cuc_tile;
    /// bitwise
    pub fn cuc_tile_atomic_xor(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options) -> cuc_tile;
    /// x & y: integers; for bools, and
    pub fn cuc_tile_bitand(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// Reinterpret the bits as another element type. If the widths differ, the last axis grows or
    /// shrinks. The bytes keep their order in memory, lowest first.
    pub fn cuc_tile_bitcast(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, dtype: cuc_dtype) -> cuc_tile;
    /// ~x: integers; for bools, not
    pub fn cuc_tile_bitnot(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// x | y: integers; for bools, or
    pub fn cuc_tile_bitor(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// x ^ y: integers and bools
    pub fn cuc_tile_bitxor(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// The index of this block in the grid.
    pub fn cuc_tile_block(program: *mut cuc_tile_program, file: *const c_char, line: u32, axis: i32) -> cuc_tile;
    /// Create a bool constant. An `if` on it generates only the arm that is taken.
    pub fn cuc_tile_bool(program: *mut cuc_tile_program, file: *const c_char, line: u32, value: i32) -> cuc_tile;
    /// Leave the innermost loop. Later code in the same block is checked but not generated.
    pub fn cuc_tile_break(program: *mut cuc_tile_program, file: *const c_char, line: u32);
    /// Repeat a tile along axes of extent 1 and along new leading axes.
    pub fn cuc_tile_broadcast(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, rank: u32, shape: *const i64) -> cuc_tile;
    /// Set every field of a budget to its default.
    pub fn cuc_tile_budget_init(budget: *mut cuc_tile_budget, caller_size: usize);
    /// Convert to another element type. 8-bit floats saturate; integers wrap.
    pub fn cuc_tile_cast(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, dtype: cuc_dtype, round: i32) -> cuc_tile;
    /// Concatenate two tiles along an axis.
    pub fn cuc_tile_cat(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile, axis: i32) -> cuc_tile;
    /// x / y, rounded up: integers
    pub fn cuc_tile_cdiv(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// the next integer at or above
    pub fn cuc_tile_ceil(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// Continue with the next iteration of the innermost loop. Later code in the same block is not
    /// generated.
    pub fn cuc_tile_continue(program: *mut cuc_tile_program, file: *const c_char, line: u32);
    /// the magnitude of x with the sign of y: floats
    pub fn cuc_tile_copysign(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// the cosine
    pub fn cuc_tile_cos(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// the hyperbolic cosine
    pub fn cuc_tile_cosh(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// the product of all elements up to this one, inclusive
    pub fn cuc_tile_cumprod(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, axis: i32, reverse: i32) -> cuc_tile;
    /// the sum of all elements up to this one, inclusive
    pub fn cuc_tile_cumsum(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, axis: i32, reverse: i32) -> cuc_tile;
    /// Declare a variable, for a value that a loop carries or that an if defines.
    pub fn cuc_tile_declare(program: *mut cuc_tile_program, file: *const c_char, line: u32, name: *const c_char, value: cuc_tile) -> cuc_tile_variable;
    /// An extent of a tensor, which may be a slice.
    pub fn cuc_tile_dim(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, axis: i32) -> cuc_tile;
    /// A dimension that a tensor's extents bind.
    pub fn cuc_tile_dimension(program: *mut cuc_tile_program, file: *const c_char, line: u32, name: *const c_char) -> cuc_tile;
    /// x / y; f32 for integers
    pub fn cuc_tile_div(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// RN, RZ, RM, RP; for f32 FULL, APPROX
    pub fn cuc_tile_div_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile, round: i32) -> cuc_tile;
    /// Compute x // y and x % y, as cuc_tile_floordiv() and cuc_tile_mod() do.
    pub fn cuc_tile_divmod(quotient: *mut cuc_tile, rest: *mut cuc_tile, program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile);
    /// The element type of a value.
    pub fn cuc_tile_dtype(program: *const cuc_tile_program, x: cuc_tile) -> cuc_dtype;
    /// Load one element of a tensor.
    pub fn cuc_tile_element(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile) -> cuc_tile;
    /// Begin the code for a false condition, up to the matching cuc_tile_end().
    pub fn cuc_tile_else(program: *mut cuc_tile_program, file: *const c_char, line: u32);
    /// End the innermost cuc_tile_for(), cuc_tile_loop() or cuc_tile_if().
    pub fn cuc_tile_end(program: *mut cuc_tile_program, file: *const c_char, line: u32);
    /// Mark the following calls as the work of a function that builds code. Messages then also report
    /// the position from which that function was called, as for a `fn` of the language.
    pub fn cuc_tile_enter(program: *mut cuc_tile_program, file: *const c_char, line: u32);
    /// x == y: bools
    pub fn cuc_tile_eq(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// the error function
    pub fn cuc_tile_erf(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// e ** x
    pub fn cuc_tile_exp(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// 2 ** x
    pub fn cuc_tile_exp2(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// RN; for f32 FULL, APPROX
    pub fn cuc_tile_exp2_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, round: i32) -> cuc_tile;
    /// RN; for f32 FULL, APPROX
    pub fn cuc_tile_exp_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, round: i32) -> cuc_tile;
    /// Insert an axis of extent 1, like None in a subscript.
    pub fn cuc_tile_expand(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, axis: i32) -> cuc_tile;
    /// e ** x - 1, exact for small x
    pub fn cuc_tile_expm1(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// The extent of an axis of a tile.
    pub fn cuc_tile_extent(program: *const cuc_tile_program, x: cuc_tile, axis: i32) -> i64;
    /// Extract a subtile. Indices count subtiles, just as a load's indices count tiles.
    pub fn cuc_tile_extract(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, index: *const cuc_tile, rank: u32, shape: *const i64) -> cuc_tile;
    /// State facts that hold at every launch. The launch checks them, and the code may rely on them.
    pub fn cuc_tile_fact(program: *mut cuc_tile_program, file: *const c_char, line: u32, facts: *const c_char);
    /// Create a float constant. It takes the dtype of the other operand. On its own it is f32.
    pub fn cuc_tile_float(program: *mut cuc_tile_program, file: *const c_char, line: u32, value: f64) -> cuc_tile;
    /// the next integer at or below
    pub fn cuc_tile_floor(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// x // y, rounded down
    pub fn cuc_tile_floordiv(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// Compute x * y + z for floats, rounded once.
    pub fn cuc_tile_fma(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile, z: cuc_tile) -> cuc_tile;
    /// Compute x * y + z for floats, rounded once in a given direction.
    pub fn cuc_tile_fma_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile, z: cuc_tile, round: i32) -> cuc_tile;
    /// Begin a counting loop, which extends to the matching cuc_tile_end().
    pub fn cuc_tile_for(program: *mut cuc_tile_program, file: *const c_char, line: u32, first: cuc_tile, last: cuc_tile, step: i64) -> cuc_tile;
    /// Create a tile with one value in every element.
    pub fn cuc_tile_full(program: *mut cuc_tile_program, file: *const c_char, line: u32, dtype: cuc_dtype, rank: u32, shape: *const i64, value: cuc_tile) -> cuc_tile;
    /// Create a tile from a list of elements.
    pub fn cuc_tile_full_list(program: *mut cuc_tile_program, file: *const c_char, line: u32, dtype: cuc_dtype, rank: u32, shape: *const i64, count: u32, values: *const cuc_tile) -> cuc_tile;
    /// Load elements of a tensor, each by its own index.
    pub fn cuc_tile_gather(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, options: *const cuc_tile_access_options) -> cuc_tile;
    /// x \>= y
    pub fn cuc_tile_ge(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// The current value of a variable.
    pub fn cuc_tile_get(program: *mut cuc_tile_program, file: *const c_char, line: u32, variable: cuc_tile_variable) -> cuc_tile;
    /// Read an entry of a tile kernel from object code. This needs no driver.
    pub fn cuc_tile_get_entry(out: *mut cuc_tile_entry, object: *mut cuc_object, kernel: *const c_char, index: usize) -> cuc_status;
    /// The program in the compiler's simplified intermediate form, as a tile program with the same
    /// meaning.
    pub fn cuc_tile_get_ir(text: *mut *const c_char, bytes: *mut usize, program: *mut cuc_program) -> cuc_status;
    /// The program in machine form, the last form before PTX: one operation per line, with attributes,
    /// dtypes, shapes and the layout of each value, for the program's architecture.
    pub fn cuc_tile_get_machine(text: *mut *const c_char, bytes: *mut usize, program: *mut cuc_program) -> cuc_status;
    /// Read a parameter of a tile kernel. cuc_kernel_get_parameter_count() returns the number of
    /// parameters.
    pub fn cuc_tile_get_parameter(out: *mut cuc_tile_parameter, kernel: *const cuc_kernel, index: usize) -> cuc_status;
    /// The key of a kernel's tuning record: its program, constants and dimensions.
    pub fn cuc_tile_get_record(out: *mut cuc_tuned_record, program: *mut cuc_program, kernel: *const c_char) -> cuc_status;
    /// Compute the gradient of x from that of y, a function of x: the operations between them are
    /// differentiated in reverse.
    pub fn cuc_tile_gradient(program: *mut cuc_tile_program, file: *const c_char, line: u32, y: cuc_tile, x: cuc_tile, d: cuc_tile) -> cuc_tile;
    /// Compute the gradient of a tensor's elements from that of y, a function that reads them, as
    /// cuc_tile_gradient() does. Reads of other elements of the tensor are errors (T305).
    pub fn cuc_tile_gradient_at(program: *mut cuc_tile_program, file: *const c_char, line: u32, y: cuc_tile, tensor: cuc_tile, count: u32, index: *const cuc_tile, d: cuc_tile, each: i32) -> cuc_tile;
    /// Set the number of blocks of a launch, computed on the host in exact 64-bit integers.
    pub fn cuc_tile_grid(program: *mut cuc_tile_program, file: *const c_char, line: u32, grid: *const c_char);
    /// Let the next kernel begin once every block has reached this call or ended.
    pub fn cuc_tile_grid_dependency_launch(program: *mut cuc_tile_program, file: *const c_char, line: u32);
    /// Wait until the preceding kernels have ended and their writes are visible.
    pub fn cuc_tile_grid_dependency_wait(program: *mut cuc_tile_program, file: *const c_char, line: u32);
    /// x \> y
    pub fn cuc_tile_gt(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// Count the elements equal to 0, 1, ..., count - 1. Other values are ignored.
    pub fn cuc_tile_histogram(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: i64) -> cuc_tile;
    /// Begin the code for a true condition, up to the matching cuc_tile_else() or cuc_tile_end().
    pub fn cuc_tile_if(program: *mut cuc_tile_program, file: *const c_char, line: u32, condition: cuc_tile);
    /// Copy a tile and replace one of its subtiles.
    pub fn cuc_tile_insert(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, index: *const cuc_tile, y: cuc_tile) -> cuc_tile;
    /// Create an integer constant. It takes the dtype of the other operand. On its own it is i32, or i64
    /// if it is large.
    pub fn cuc_tile_int(program: *mut cuc_tile_program, file: *const c_char, line: u32, value: i64) -> cuc_tile;
    /// Run a kernel of a tile program on the CPU, one block after another. This is slow but exact.
    pub fn cuc_tile_interpret(program: *mut cuc_program, kernel: *const c_char, args: *const cuc_arg, count: usize, options: *const cuc_tile_interpret_options) -> cuc_status;
    /// Set options to their defaults.
    pub fn cuc_tile_interpret_options_init(options: *mut cuc_tile_interpret_options, caller_size: usize);
    /// Create a tile of the numbers 0, 1, 2, ...
    pub fn cuc_tile_iota(program: *mut cuc_tile_program, file: *const c_char, line: u32, dtype: cuc_dtype, count: i64) -> cuc_tile;
    /// true if x is infinite: bools
    pub fn cuc_tile_isinf(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// true if x is NaN: bools
    pub fn cuc_tile_isnan(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// Begin a kernel. The calls up to cuc_tile_kernel_end() build it.
    pub fn cuc_tile_kernel_begin(program: *mut cuc_tile_program, file: *const c_char, line: u32, name: *const c_char);
    /// End the kernel: every loop and every if in it must have ended.
    pub fn cuc_tile_kernel_end(program: *mut cuc_tile_program, file: *const c_char, line: u32);
    /// x \<= y
    pub fn cuc_tile_le(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// End the effect of the last cuc_tile_enter().
    pub fn cuc_tile_leave(program: *mut cuc_tile_program);
    /// Load a tile of a tensor by tile index. Index i starts at element i * extent.
    pub fn cuc_tile_load(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, rank: u32, shape: *const i64, options: *const cuc_tile_access_options) -> cuc_tile;
    /// Load a tile of a tensor by the index of its first element.
    pub fn cuc_tile_load_at(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, rank: u32, shape: *const i64, options: *const cuc_tile_access_options) -> cuc_tile;
    /// Load rows of a tensor. `ids` select elements of its first axis.
    pub fn cuc_tile_load_rows(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, ids: cuc_tile, count: u32, index: *const cuc_tile, rank: u32, shape: *const i64, options: *const cuc_tile_access_options) -> cuc_tile;
    /// the natural logarithm
    pub fn cuc_tile_log(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// the logarithm of 1 + x, exact for small x
    pub fn cuc_tile_log1p(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// the logarithm to base 2
    pub fn cuc_tile_log2(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// Begin an infinite loop, which extends to the matching cuc_tile_end(). cuc_tile_while() and
    /// cuc_tile_break() leave it.
    pub fn cuc_tile_loop(program: *mut cuc_tile_program, file: *const c_char, line: u32);
    /// x \< y
    pub fn cuc_tile_lt(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// Multiply two matrices, like `@`. This is cuc_tile_mma() with an accumulator of zeros of f32, f64
    /// or i32.
    pub fn cuc_tile_matmul(program: *mut cuc_tile_program, file: *const c_char, line: u32, a: cuc_tile, b: cuc_tile) -> cuc_tile;
    /// the largest number
    pub fn cuc_tile_max(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64) -> cuc_tile;
    /// the largest, or NaN
    pub fn cuc_tile_max_nan(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64) -> cuc_tile;
    /// RN; CUC_TILE_NAN
    pub fn cuc_tile_max_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64, round: i32) -> cuc_tile;
    /// the larger; the number if one is NaN
    pub fn cuc_tile_maximum(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// the larger; NaN if one is NaN
    pub fn cuc_tile_maximum_nan(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// RN; CUC_TILE_NAN
    pub fn cuc_tile_maximum_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile, round: i32) -> cuc_tile;
    /// the smallest number
    pub fn cuc_tile_min(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64) -> cuc_tile;
    /// the smallest, or NaN
    pub fn cuc_tile_min_nan(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64) -> cuc_tile;
    /// RN; CUC_TILE_NAN
    pub fn cuc_tile_min_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64, round: i32) -> cuc_tile;
    /// the smaller; the number if one is NaN
    pub fn cuc_tile_minimum(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// the smaller; NaN if one is NaN
    pub fn cuc_tile_minimum_nan(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// RN; CUC_TILE_NAN
    pub fn cuc_tile_minimum_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile, round: i32) -> cuc_tile;
    /// Add a matrix product to an accumulator. In a loop, assign the result to the accumulator's
    /// variable.
    pub fn cuc_tile_mma(program: *mut cuc_tile_program, file: *const c_char, line: u32, a: cuc_tile, b: cuc_tile, acc: cuc_tile, precision: i32, fast_acc: i32) -> cuc_tile;
    /// x % y, with the sign of y
    pub fn cuc_tile_mod(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// x * y
    pub fn cuc_tile_mul(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// RN, RZ, RM, RP
    pub fn cuc_tile_mul_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile, round: i32) -> cuc_tile;
    /// Name a value in the program's text.
    pub fn cuc_tile_name(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, name: *const c_char) -> cuc_tile;
    /// x != y
    pub fn cuc_tile_ne(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// -x
    pub fn cuc_tile_neg(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// The number of blocks of the grid along an axis.
    pub fn cuc_tile_num_blocks(program: *mut cuc_tile_program, file: *const c_char, line: u32, axis: i32) -> cuc_tile;
    /// Permute the axes of a tile.
    pub fn cuc_tile_permute(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64) -> cuc_tile;
    /// Generate random bits, as four tiles of u32. Equal arguments give equal bits.
    pub fn cuc_tile_philox(result: *mut cuc_tile, program: *mut cuc_tile_program, file: *const c_char, line: u32, seed: cuc_tile, counter: cuc_tile);
    /// Move element i of a tile to element position\[i\] of the result.
    pub fn cuc_tile_place(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, position: cuc_tile, extent: i64, pad: cuc_tile) -> cuc_tile;
    /// x ** y: floats
    pub fn cuc_tile_pow(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// Print values when the kernel runs.
    pub fn cuc_tile_print(program: *mut cuc_tile_program, file: *const c_char, line: u32, text: *const c_char, count: u32, x: *const cuc_tile);
    /// the product
    pub fn cuc_tile_prod(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64) -> cuc_tile;
    /// RN, RZ, RM, RP at each step
    pub fn cuc_tile_prod_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64, round: i32) -> cuc_tile;
    /// Create a program without kernels.
    pub fn cuc_tile_program_create(out: *mut *mut cuc_tile_program) -> cuc_status;
    /// Finish a program: report all its errors, or return its source.
    pub fn cuc_tile_program_finish(source: *mut *const c_char, program: *mut cuc_tile_program) -> cuc_status;
    /// The errors so far, each as `FILE:LINE: error T123: op: operand NAME: ...`, followed by the
    /// enclosing cuc_tile_enter() calls.
    pub fn cuc_tile_program_log(program: *mut cuc_tile_program) -> *const c_char;
    /// Release a reference; the last one frees the program and its source.
    pub fn cuc_tile_program_release(program: *mut cuc_tile_program);
    /// Add a reference to a program.
    pub fn cuc_tile_program_retain(program: *mut cuc_tile_program) -> *mut cuc_tile_program;
    /// Set the budget of a program. It covers what is already built and what follows.
    pub fn cuc_tile_program_set_budget(program: *mut cuc_tile_program, budget: *const cuc_tile_budget) -> cuc_status;
    /// The number of axes of a value.
    pub fn cuc_tile_rank(program: *const cuc_tile_program, x: cuc_tile) -> i32;
    /// The places of a tile's elements in the stable order of their digits, and the number of elements
    /// with each digit.
    pub fn cuc_tile_rank_digits(positions: *mut cuc_tile, counts: *mut cuc_tile, program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, digits: i64);
    /// Reduce several tiles together along an axis with an associative function.
    pub fn cuc_tile_reduce(result: *mut cuc_tile, program: *mut cuc_tile_program, file: *const c_char, line: u32, combine: cuc_tile_combine, user: *mut c_void, count: u32, x: *const cuc_tile, axis: i32, identity: *const cuc_tile);
    /// Change the shape of a tile, keeping the order of elements.
    pub fn cuc_tile_reshape(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, rank: u32, shape: *const i64) -> cuc_tile;
    /// End this block of the grid. Later code in the same block of the program is not generated.
    pub fn cuc_tile_return(program: *mut cuc_tile_program, file: *const c_char, line: u32);
    /// Rotate elements along an axis: element i of the result is element i - n of x, cyclically.
    pub fn cuc_tile_roll(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, n: cuc_tile, axis: i32) -> cuc_tile;
    /// the nearest integer, half to even
    pub fn cuc_tile_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// 1 / sqrt(x)
    pub fn cuc_tile_rsqrt(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// RN; for f32 APPROX
    pub fn cuc_tile_rsqrt_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, round: i32) -> cuc_tile;
    /// Add a scalar to the kernel's parameters.
    pub fn cuc_tile_scalar(program: *mut cuc_tile_program, file: *const c_char, line: u32, name: *const c_char, dtype: cuc_dtype) -> cuc_tile;
    /// Scan several tiles together along an axis with an associative function.
    pub fn cuc_tile_scan(result: *mut cuc_tile, program: *mut cuc_tile_program, file: *const c_char, line: u32, combine: cuc_tile_combine, user: *mut c_void, count: u32, x: *const cuc_tile, axis: i32, identity: *const cuc_tile, reverse: i32);
    /// Store elements of a tensor, each by its own index. If several elements have the same index, one
    /// of them is stored.
    pub fn cuc_tile_scatter(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options);
    /// Tell which entry of a tile kernel a launch with the given arguments takes, and hence which
    /// remarks concern the launch.
    pub fn cuc_tile_select_entry(variant: *mut *const c_char, kernel: *mut cuc_kernel, device: *mut cuc_device, args: *const cuc_arg, count: usize) -> cuc_status;
    /// Assign a value to a variable.
    pub fn cuc_tile_set(program: *mut cuc_tile_program, file: *const c_char, line: u32, variable: cuc_tile_variable, value: cuc_tile);
    /// Shift elements along an axis: element i of the result is element i - n of x.
    pub fn cuc_tile_shift(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, n: cuc_tile, axis: i32, pad: cuc_tile) -> cuc_tile;
    /// x \<\< y: integers
    pub fn cuc_tile_shl(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// x \>\> y: integers; keeps the sign
    pub fn cuc_tile_shr(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// 1 / (1 + e ** -x)
    pub fn cuc_tile_sigmoid(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// the sine
    pub fn cuc_tile_sin(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// the hyperbolic sine
    pub fn cuc_tile_sinh(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// Slice a tensor along an axis. The slice has the elements from `start` up to `stop`, clipped to
    /// the extent.
    pub fn cuc_tile_slice(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, axis: i32, start: cuc_tile, stop: cuc_tile) -> cuc_tile;
    /// ascending, NaN last
    pub fn cuc_tile_sort(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, axis: i32) -> cuc_tile;
    /// the square root
    pub fn cuc_tile_sqrt(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// RN, RZ, RM, RP; for f32 APPROX
    pub fn cuc_tile_sqrt_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, round: i32) -> cuc_tile;
    /// Remove an axis of extent 1.
    pub fn cuc_tile_squeeze(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, axis: i32) -> cuc_tile;
    /// Store a tile of a tensor by tile index. Elements outside the tensor are not written.
    pub fn cuc_tile_store(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options);
    /// adds
    pub fn cuc_tile_store_add(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options);
    /// bitwise
    pub fn cuc_tile_store_and(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options);
    /// Store a tile of a tensor by the index of its first element.
    pub fn cuc_tile_store_at(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options);
    /// keeps the larger
    pub fn cuc_tile_store_max(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options);
    /// keeps the smaller
    pub fn cuc_tile_store_min(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options);
    /// bitwise
    pub fn cuc_tile_store_or(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options);
    /// Store rows of a tensor. `ids` select elements of its first axis.
    pub fn cuc_tile_store_rows(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, ids: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options);
    /// bitwise
    pub fn cuc_tile_store_xor(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, count: u32, index: *const cuc_tile, x: cuc_tile, options: *const cuc_tile_access_options);
    /// A stride of a tensor, in elements.
    pub fn cuc_tile_stride(program: *mut cuc_tile_program, file: *const c_char, line: u32, tensor: cuc_tile, axis: i32) -> cuc_tile;
    /// x - y
    pub fn cuc_tile_sub(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// RN, RZ, RM, RP
    pub fn cuc_tile_sub_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, y: cuc_tile, round: i32) -> cuc_tile;
    /// the sum
    pub fn cuc_tile_sum(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64) -> cuc_tile;
    /// RN, RZ, RM, RP at each step
    pub fn cuc_tile_sum_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: u32, axes: *const i64, round: i32) -> cuc_tile;
    /// Select elements by index along an axis.
    pub fn cuc_tile_take(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, index: cuc_tile, axis: i32) -> cuc_tile;
    /// the tangent
    pub fn cuc_tile_tan(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// the hyperbolic tangent
    pub fn cuc_tile_tanh(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// RN; for f32 FULL, APPROX
    pub fn cuc_tile_tanh_round(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, round: i32) -> cuc_tile;
    /// Add a tensor to the kernel's parameters.
    pub fn cuc_tile_tensor(program: *mut cuc_tile_program, file: *const c_char, line: u32, name: *const c_char, dtype: cuc_dtype, extents: *const c_char) -> cuc_tile;
    /// The largest elements along an axis, in descending order, and their indices.
    pub fn cuc_tile_topk(values: *mut cuc_tile, indices: *mut cuc_tile, program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile, count: i64, axis: i32);
    /// Transpose the last two axes.
    pub fn cuc_tile_trans(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// the next integer towards 0
    pub fn cuc_tile_trunc(program: *mut cuc_tile_program, file: *const c_char, line: u32, x: cuc_tile) -> cuc_tile;
    /// Create an integer constant from 0 to 2^64 - 1, beyond the range of cuc_tile_int().
    pub fn cuc_tile_uint(program: *mut cuc_tile_program, file: *const c_char, line: u32, value: u64) -> cuc_tile;
    /// Enumerate the candidates for the auto() constants of a kernel, for the program's dimensions.
    pub fn cuc_tile_visit_candidates(program: *mut cuc_program, kernel: *const c_char, visit: cuc_tuned_visit, user: *mut c_void) -> cuc_status;
    /// Report which dimensions a kernel has with the given arguments, in the form of `dimensions` in
    /// cuc_program_options.
    pub fn cuc_tile_visit_dimensions(program: *mut cuc_program, kernel: *const c_char, args: *const cuc_arg, count: usize, visit: cuc_tile_dimension_fn, user: *mut c_void) -> cuc_status;
    /// Select elements: from x where c is true, from y elsewhere.
    pub fn cuc_tile_where(program: *mut cuc_tile_program, file: *const c_char, line: u32, c: cuc_tile, x: cuc_tile, y: cuc_tile) -> cuc_tile;
    /// Leave the loop unless a condition holds.
    pub fn cuc_tile_while(program: *mut cuc_tile_program, file: *const c_char, line: u32, condition: cuc_tile);
    /// Create a tile of zeros.
    pub fn cuc_tile_zeros(program: *mut cuc_tile_program, file: *const c_char, line: u32, dtype: cuc_dtype, rank: u32, shape: *const i64) -> cuc_tile;
    /// Find the k largest elements of an array, or of each row of a tensor, in stream order.
    pub fn cuc_topk(stream: *mut cuc_stream, k: i64, flags: u32, x: *const cuc_tensor, values: *const cuc_tensor, indices: *const cuc_tensor) -> cuc_status;
    /// Add a record to a file. It replaces a record with the same GPU, toolkit, program, kernel,
    /// constants and dimensions.
    pub fn cuc_tuned_add(path: *const c_char, record: *const cuc_tuned_record) -> cuc_status;
    /// Find the choice for a program on a GPU, for nearby extents.
    pub fn cuc_tuned_find(choice: *mut c_char, capacity: usize, path: *const c_char, key: *const cuc_tuned_record) -> cuc_status;
    /// Compute, from a tile program's text, its name in tuning records.
    pub fn cuc_tuned_program(out: *mut c_char, text: *const c_char, bytes: usize) -> cuc_status;
    /// Keep the first of adjacent equal elements, in stream order; each value once if x is sorted.
    pub fn cuc_unique(stream: *mut cuc_stream, x: *const cuc_tensor, y: *const cuc_tensor, count: *const cuc_tensor) -> cuc_status;
    /// The version of the library loaded at run time, encoded like CUC_VERSION.
    pub fn cuc_version() -> u32;
    /// The version of the library loaded at run time, as a string.
    pub fn cuc_version_string() -> *const c_char;
}
