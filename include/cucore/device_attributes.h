/**
 * @file
 * Every device attribute of CUDA 13.0. One list defines the constants, the fields of
 * cuc_device_properties, the names on the command line, and the tests.
 */
#ifndef CUCORE_DEVICE_ATTRIBUTES_H
#define CUCORE_DEVICE_ATTRIBUTES_H

#include <cucore/base.h>

/**
 * X(value, CONSTANT, field, default, unit).
 *
 * `value` is the driver's CUdevice_attribute. `default` is the value if the driver is too old to
 * know the attribute. `unit` is "flag" for an attribute that is 0 or 1. The CUDA Driver API,
 * "Device Management": cuDeviceGetAttribute, explains each attribute.
 */
// clang-format off
#define CUC_DEVICE_ATTRIBUTE_LIST(X) \
    X(  1, MAX_THREADS_PER_BLOCK,                        max_threads_per_block,                         0, "threads") \
    X(  2, MAX_BLOCK_DIM_X,                              max_block_dim_x,                               0, "threads") \
    X(  3, MAX_BLOCK_DIM_Y,                              max_block_dim_y,                               0, "threads") \
    X(  4, MAX_BLOCK_DIM_Z,                              max_block_dim_z,                               0, "threads") \
    X(  5, MAX_GRID_DIM_X,                               max_grid_dim_x,                                0, "blocks") \
    X(  6, MAX_GRID_DIM_Y,                               max_grid_dim_y,                                0, "blocks") \
    X(  7, MAX_GRID_DIM_Z,                               max_grid_dim_z,                                0, "blocks") \
    X(  8, MAX_SHARED_MEMORY_PER_BLOCK,                  max_shared_memory_per_block,                   0, "bytes") \
    X(  9, TOTAL_CONSTANT_MEMORY,                        total_constant_memory,                         0, "bytes") \
    X( 10, WARP_SIZE,                                    warp_size,                                     0, "threads") \
    X( 11, MAX_PITCH,                                    max_pitch,                                     0, "bytes") \
    X( 12, MAX_REGISTERS_PER_BLOCK,                      max_registers_per_block,                       0, "registers") \
    X( 13, CLOCK_RATE,                                   clock_rate,                                    0, "kHz") \
    X( 14, TEXTURE_ALIGNMENT,                            texture_alignment,                             0, "bytes") \
    X( 15, GPU_OVERLAP,                                  gpu_overlap,                                   0, "flag") \
    X( 16, MULTIPROCESSOR_COUNT,                         multiprocessor_count,                          0, "count") \
    X( 17, KERNEL_EXEC_TIMEOUT,                          kernel_exec_timeout,                           0, "flag") \
    X( 18, INTEGRATED,                                   integrated,                                    0, "flag") \
    X( 19, CAN_MAP_HOST_MEMORY,                          can_map_host_memory,                           0, "flag") \
    X( 20, COMPUTE_MODE,                                 compute_mode,                                  0, "value") \
    X( 21, MAXIMUM_TEXTURE1D_WIDTH,                      maximum_texture1d_width,                       0, "texels") \
    X( 22, MAXIMUM_TEXTURE2D_WIDTH,                      maximum_texture2d_width,                       0, "texels") \
    X( 23, MAXIMUM_TEXTURE2D_HEIGHT,                     maximum_texture2d_height,                      0, "texels") \
    X( 24, MAXIMUM_TEXTURE3D_WIDTH,                      maximum_texture3d_width,                       0, "texels") \
    X( 25, MAXIMUM_TEXTURE3D_HEIGHT,                     maximum_texture3d_height,                      0, "texels") \
    X( 26, MAXIMUM_TEXTURE3D_DEPTH,                      maximum_texture3d_depth,                       0, "texels") \
    X( 27, MAXIMUM_TEXTURE2D_LAYERED_WIDTH,              maximum_texture2d_layered_width,               0, "texels") \
    X( 28, MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,             maximum_texture2d_layered_height,              0, "texels") \
    X( 29, MAXIMUM_TEXTURE2D_LAYERED_LAYERS,             maximum_texture2d_layered_layers,              0, "layers") \
    X( 30, SURFACE_ALIGNMENT,                            surface_alignment,                             0, "bytes") \
    X( 31, CONCURRENT_KERNELS,                           concurrent_kernels,                            0, "flag") \
    X( 32, ECC_ENABLED,                                  ecc_enabled,                                   0, "flag") \
    X( 33, PCI_BUS_ID,                                   pci_bus_id,                                    0, "value") \
    X( 34, PCI_DEVICE_ID,                                pci_device_id,                                 0, "value") \
    X( 35, TCC_DRIVER,                                   tcc_driver,                                    0, "flag") \
    X( 36, MEMORY_CLOCK_RATE,                            memory_clock_rate,                             0, "kHz") \
    X( 37, GLOBAL_MEMORY_BUS_WIDTH,                      global_memory_bus_width,                       0, "bits") \
    X( 38, L2_CACHE_SIZE,                                l2_cache_size,                                 0, "bytes") \
    X( 39, MAX_THREADS_PER_MULTIPROCESSOR,               max_threads_per_multiprocessor,                0, "threads") \
    X( 40, ASYNC_ENGINE_COUNT,                           async_engine_count,                            0, "count") \
    X( 41, UNIFIED_ADDRESSING,                           unified_addressing,                            0, "flag") \
    X( 42, MAXIMUM_TEXTURE1D_LAYERED_WIDTH,              maximum_texture1d_layered_width,               0, "texels") \
    X( 43, MAXIMUM_TEXTURE1D_LAYERED_LAYERS,             maximum_texture1d_layered_layers,              0, "layers") \
    X( 44, CAN_TEX2D_GATHER,                             can_tex2d_gather,                              0, "flag") \
    X( 45, MAXIMUM_TEXTURE2D_GATHER_WIDTH,               maximum_texture2d_gather_width,                0, "texels") \
    X( 46, MAXIMUM_TEXTURE2D_GATHER_HEIGHT,              maximum_texture2d_gather_height,               0, "texels") \
    X( 47, MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,            maximum_texture3d_width_alternate,             0, "texels") \
    X( 48, MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,           maximum_texture3d_height_alternate,            0, "texels") \
    X( 49, MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE,            maximum_texture3d_depth_alternate,             0, "texels") \
    X( 50, PCI_DOMAIN_ID,                                pci_domain_id,                                 0, "value") \
    X( 51, TEXTURE_PITCH_ALIGNMENT,                      texture_pitch_alignment,                       0, "bytes") \
    X( 52, MAXIMUM_TEXTURECUBEMAP_WIDTH,                 maximum_texturecubemap_width,                  0, "texels") \
    X( 53, MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,         maximum_texturecubemap_layered_width,          0, "texels") \
    X( 54, MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS,        maximum_texturecubemap_layered_layers,         0, "layers") \
    X( 55, MAXIMUM_SURFACE1D_WIDTH,                      maximum_surface1d_width,                       0, "texels") \
    X( 56, MAXIMUM_SURFACE2D_WIDTH,                      maximum_surface2d_width,                       0, "texels") \
    X( 57, MAXIMUM_SURFACE2D_HEIGHT,                     maximum_surface2d_height,                      0, "texels") \
    X( 58, MAXIMUM_SURFACE3D_WIDTH,                      maximum_surface3d_width,                       0, "texels") \
    X( 59, MAXIMUM_SURFACE3D_HEIGHT,                     maximum_surface3d_height,                      0, "texels") \
    X( 60, MAXIMUM_SURFACE3D_DEPTH,                      maximum_surface3d_depth,                       0, "texels") \
    X( 61, MAXIMUM_SURFACE1D_LAYERED_WIDTH,              maximum_surface1d_layered_width,               0, "texels") \
    X( 62, MAXIMUM_SURFACE1D_LAYERED_LAYERS,             maximum_surface1d_layered_layers,              0, "layers") \
    X( 63, MAXIMUM_SURFACE2D_LAYERED_WIDTH,              maximum_surface2d_layered_width,               0, "texels") \
    X( 64, MAXIMUM_SURFACE2D_LAYERED_HEIGHT,             maximum_surface2d_layered_height,              0, "texels") \
    X( 65, MAXIMUM_SURFACE2D_LAYERED_LAYERS,             maximum_surface2d_layered_layers,              0, "layers") \
    X( 66, MAXIMUM_SURFACECUBEMAP_WIDTH,                 maximum_surfacecubemap_width,                  0, "texels") \
    X( 67, MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,         maximum_surfacecubemap_layered_width,          0, "texels") \
    X( 68, MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS,        maximum_surfacecubemap_layered_layers,         0, "layers") \
    X( 69, MAXIMUM_TEXTURE1D_LINEAR_WIDTH,               maximum_texture1d_linear_width,                0, "texels") \
    X( 70, MAXIMUM_TEXTURE2D_LINEAR_WIDTH,               maximum_texture2d_linear_width,                0, "texels") \
    X( 71, MAXIMUM_TEXTURE2D_LINEAR_HEIGHT,              maximum_texture2d_linear_height,               0, "texels") \
    X( 72, MAXIMUM_TEXTURE2D_LINEAR_PITCH,               maximum_texture2d_linear_pitch,                0, "bytes") \
    X( 73, MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH,            maximum_texture2d_mipmapped_width,             0, "texels") \
    X( 74, MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT,           maximum_texture2d_mipmapped_height,            0, "texels") \
    X( 75, COMPUTE_CAPABILITY_MAJOR,                     compute_capability_major,                      0, "count") \
    X( 76, COMPUTE_CAPABILITY_MINOR,                     compute_capability_minor,                      0, "count") \
    X( 77, MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH,            maximum_texture1d_mipmapped_width,             0, "texels") \
    X( 78, STREAM_PRIORITIES_SUPPORTED,                  stream_priorities_supported,                   0, "flag") \
    X( 79, GLOBAL_L1_CACHE_SUPPORTED,                    global_l1_cache_supported,                     0, "flag") \
    X( 80, LOCAL_L1_CACHE_SUPPORTED,                     local_l1_cache_supported,                      0, "flag") \
    X( 81, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,         max_shared_memory_per_multiprocessor,          0, "bytes") \
    X( 82, MAX_REGISTERS_PER_MULTIPROCESSOR,             max_registers_per_multiprocessor,              0, "registers") \
    X( 83, MANAGED_MEMORY,                               managed_memory,                                0, "flag") \
    X( 84, MULTI_GPU_BOARD,                              multi_gpu_board,                               0, "flag") \
    X( 85, MULTI_GPU_BOARD_GROUP_ID,                     multi_gpu_board_group_id,                      0, "value") \
    X( 86, HOST_NATIVE_ATOMIC_SUPPORTED,                 host_native_atomic_supported,                  0, "flag") \
    X( 87, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,        single_to_double_precision_perf_ratio,         0, "count") \
    X( 88, PAGEABLE_MEMORY_ACCESS,                       pageable_memory_access,                        0, "flag") \
    X( 89, CONCURRENT_MANAGED_ACCESS,                    concurrent_managed_access,                     0, "flag") \
    X( 90, COMPUTE_PREEMPTION_SUPPORTED,                 compute_preemption_supported,                  0, "flag") \
    X( 91, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,      can_use_host_pointer_for_registered_mem,       0, "flag") \
    X( 95, COOPERATIVE_LAUNCH,                           cooperative_launch,                            0, "flag") \
    X( 97, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,            max_shared_memory_per_block_optin,             0, "bytes") \
    X( 98, CAN_FLUSH_REMOTE_WRITES,                      can_flush_remote_writes,                       0, "flag") \
    X( 99, HOST_REGISTER_SUPPORTED,                      host_register_supported,                       0, "flag") \
    X(100, PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, pageable_memory_access_uses_host_page_tables,  0, "flag") \
    X(101, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST,          direct_managed_mem_access_from_host,           0, "flag") \
    X(102, VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,          virtual_memory_management_supported,           0, "flag") \
    X(103, HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,  handle_type_posix_file_descriptor_supported,   0, "flag") \
    X(104, HANDLE_TYPE_WIN32_HANDLE_SUPPORTED,           handle_type_win32_handle_supported,            0, "flag") \
    X(105, HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED,       handle_type_win32_kmt_handle_supported,        0, "flag") \
    X(106, MAX_BLOCKS_PER_MULTIPROCESSOR,                max_blocks_per_multiprocessor,                 0, "blocks") \
    X(107, GENERIC_COMPRESSION_SUPPORTED,                generic_compression_supported,                 0, "flag") \
    X(108, MAX_PERSISTING_L2_CACHE_SIZE,                 max_persisting_l2_cache_size,                  0, "bytes") \
    X(109, MAX_ACCESS_POLICY_WINDOW_SIZE,                max_access_policy_window_size,                 0, "bytes") \
    X(110, GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,      gpu_direct_rdma_with_cuda_vmm_supported,       0, "flag") \
    X(111, RESERVED_SHARED_MEMORY_PER_BLOCK,             reserved_shared_memory_per_block,              0, "bytes") \
    X(112, SPARSE_CUDA_ARRAY_SUPPORTED,                  sparse_cuda_array_supported,                   0, "flag") \
    X(113, READ_ONLY_HOST_REGISTER_SUPPORTED,            read_only_host_register_supported,             0, "flag") \
    X(114, TIMELINE_SEMAPHORE_INTEROP_SUPPORTED,         timeline_semaphore_interop_supported,          0, "flag") \
    X(115, MEMORY_POOLS_SUPPORTED,                       memory_pools_supported,                        0, "flag") \
    X(116, GPU_DIRECT_RDMA_SUPPORTED,                    gpu_direct_rdma_supported,                     0, "flag") \
    X(117, GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS,         gpu_direct_rdma_flush_writes_options,          0, "bit mask") \
    X(118, GPU_DIRECT_RDMA_WRITES_ORDERING,              gpu_direct_rdma_writes_ordering,               0, "value") \
    X(119, MEMPOOL_SUPPORTED_HANDLE_TYPES,               mempool_supported_handle_types,                0, "bit mask") \
    X(120, CLUSTER_LAUNCH,                               cluster_launch,                                0, "flag") \
    X(121, DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED,        deferred_mapping_cuda_array_supported,         0, "flag") \
    X(122, CAN_USE_64_BIT_STREAM_MEM_OPS,                can_use_64_bit_stream_mem_ops,                 0, "flag") \
    X(123, CAN_USE_STREAM_WAIT_VALUE_NOR,                can_use_stream_wait_value_nor,                 0, "flag") \
    X(124, DMA_BUF_SUPPORTED,                            dma_buf_supported,                             0, "flag") \
    X(125, IPC_EVENT_SUPPORTED,                          ipc_event_supported,                           0, "flag") \
    X(126, MEM_SYNC_DOMAIN_COUNT,                        mem_sync_domain_count,                         1, "count") \
    X(127, TENSOR_MAP_ACCESS_SUPPORTED,                  tensor_map_access_supported,                   0, "flag") \
    X(128, HANDLE_TYPE_FABRIC_SUPPORTED,                 handle_type_fabric_supported,                  0, "flag") \
    X(129, UNIFIED_FUNCTION_POINTERS,                    unified_function_pointers,                     0, "flag") \
    X(130, NUMA_CONFIG,                                  numa_config,                                   0, "value") \
    X(131, NUMA_ID,                                      numa_id,                                       0, "value") \
    X(132, MULTICAST_SUPPORTED,                          multicast_supported,                           0, "flag") \
    X(133, MPS_ENABLED,                                  mps_enabled,                                   0, "flag") \
    X(134, HOST_NUMA_ID,                                 host_numa_id,                                 -1, "value") \
    X(135, D3D12_CIG_SUPPORTED,                          d3d12_cig_supported,                           0, "flag") \
    X(136, MEM_DECOMPRESS_ALGORITHM_MASK,                mem_decompress_algorithm_mask,                 0, "bit mask") \
    X(137, MEM_DECOMPRESS_MAXIMUM_LENGTH,                mem_decompress_maximum_length,                 0, "bytes") \
    X(138, VULKAN_CIG_SUPPORTED,                         vulkan_cig_supported,                          0, "flag") \
    X(139, GPU_PCI_DEVICE_ID,                            gpu_pci_device_id,                             0, "value") \
    X(140, GPU_PCI_SUBSYSTEM_ID,                         gpu_pci_subsystem_id,                          0, "value") \
    X(141, HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, host_numa_virtual_memory_management_supported,  0, "flag") \
    X(142, HOST_NUMA_MEMORY_POOLS_SUPPORTED,             host_numa_memory_pools_supported,              0, "flag") \
    X(143, HOST_NUMA_MULTINODE_IPC_SUPPORTED,            host_numa_multinode_ipc_supported,             0, "flag") \
    X(144, HOST_MEMORY_POOLS_SUPPORTED,                  host_memory_pools_supported,                   0, "flag") \
    X(145, HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,     host_virtual_memory_management_supported,      0, "flag") \
    X(146, HOST_ALLOC_DMA_BUF_SUPPORTED,                 host_alloc_dma_buf_supported,                  0, "flag") \
    X(147, ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED,    only_partial_host_native_atomic_supported,     0, "flag")
// clang-format on

enum {
#define CUC__ATTRIBUTE_ENUM(value, constant, field, fallback, unit) CUC_DEVICE_##constant = value,
    CUC_DEVICE_ATTRIBUTE_LIST(CUC__ATTRIBUTE_ENUM)
#undef CUC__ATTRIBUTE_ENUM
};

#endif
