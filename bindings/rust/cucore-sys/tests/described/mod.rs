// Written by api/api.py write. Do not edit.
// Sizes and offsets as the headers have them; every function is there.

pub fn structs(wrong: &mut Vec<String>) {
    macro_rules! row {
        ($s:ident, $size:expr, $align:expr) => {
            super::whole::<cucore_sys::$s>(wrong, stringify!($s), $size, $align)
        };
        ($s:ident . $f:ident, $at:expr, $size:expr) => {{
            let it = std::mem::MaybeUninit::<cucore_sys::$s>::uninit();
            let field = unsafe { std::ptr::addr_of!((*it.as_ptr()).$f) };
            let place = (it.as_ptr() as usize, field as usize);
            super::field(wrong, concat!(stringify!($s), ".", stringify!($f)), place, field, $at,
                         $size)
        }};
    }
    row!(cuc_algorithm_args, 72, 8);
    row!(cuc_algorithm_args.struct_size, 0, 8);
    row!(cuc_algorithm_args.inputs, 8, 8);
    row!(cuc_algorithm_args.outputs, 16, 8);
    row!(cuc_algorithm_args.input_count, 24, 4);
    row!(cuc_algorithm_args.output_count, 28, 4);
    row!(cuc_algorithm_args.count, 32, 8);
    row!(cuc_algorithm_args.device_count, 40, 8);
    row!(cuc_algorithm_args.workspace, 48, 8);
    row!(cuc_algorithm_args.workspace_bytes, 56, 8);
    row!(cuc_algorithm_args.offsets, 64, 8);
    row!(cuc_algorithm_options, 128, 8);
    row!(cuc_algorithm_options.struct_size, 0, 8);
    row!(cuc_algorithm_options.kind, 8, 4);
    row!(cuc_algorithm_options.flags, 12, 4);
    row!(cuc_algorithm_options.inputs, 16, 8);
    row!(cuc_algorithm_options.outputs, 24, 8);
    row!(cuc_algorithm_options.input_count, 32, 4);
    row!(cuc_algorithm_options.output_count, 36, 4);
    row!(cuc_algorithm_options.fn_, 40, 8);
    row!(cuc_algorithm_options.identity, 48, 8);
    row!(cuc_algorithm_options.tile, 56, 4);
    row!(cuc_algorithm_options.blocks, 60, 4);
    row!(cuc_algorithm_options.warps, 64, 4);
    row!(cuc_algorithm_options.bins, 68, 4);
    row!(cuc_algorithm_options.keys, 72, 4);
    row!(cuc_algorithm_options.offsets, 76, 4);
    row!(cuc_algorithm_options.determinism, 80, 4);
    row!(cuc_algorithm_options.count, 88, 8);
    row!(cuc_algorithm_options.arch, 96, 8);
    row!(cuc_algorithm_options.cache, 104, 8);
    row!(cuc_algorithm_options.bit_begin, 112, 4);
    row!(cuc_algorithm_options.bit_end, 116, 4);
    row!(cuc_algorithm_options.k, 120, 8);
    row!(cuc_arg_value, 8, 0);
    row!(cuc_arg_value.u64, 0, 8);
    row!(cuc_arg_value.i64, 0, 8);
    row!(cuc_arg_value.f64, 0, 8);
    row!(cuc_arg_value.f32, 0, 4);
    row!(cuc_arg_value.pointer, 0, 8);
    row!(cuc_arg_value.raw, 0, 8);
    row!(cuc_arg, 16, 8);
    row!(cuc_arg.type_, 0, 4);
    row!(cuc_arg.bytes, 4, 4);
    row!(cuc_arg.value, 8, 8);
    row!(cuc_attention_args, 232, 8);
    row!(cuc_attention_args.struct_size, 0, 8);
    row!(cuc_attention_args.q, 8, 8);
    row!(cuc_attention_args.k, 16, 8);
    row!(cuc_attention_args.v, 24, 8);
    row!(cuc_attention_args.o, 32, 8);
    row!(cuc_attention_args.lse, 40, 8);
    row!(cuc_attention_args.scale, 48, 8);
    row!(cuc_attention_args.sinks, 56, 8);
    row!(cuc_attention_args.sides, 64, 8);
    row!(cuc_attention_args.side_count, 72, 4);
    row!(cuc_attention_args.reserved, 76, 4);
    row!(cuc_attention_args.query_offsets, 80, 8);
    row!(cuc_attention_args.key_offsets, 88, 8);
    row!(cuc_attention_args.most_queries, 96, 8);
    row!(cuc_attention_args.page_table, 104, 8);
    row!(cuc_attention_args.key_lengths, 112, 8);
    row!(cuc_attention_args.workspace, 120, 8);
    row!(cuc_attention_args.workspace_bytes, 128, 8);
    row!(cuc_attention_args.d_o, 136, 8);
    row!(cuc_attention_args.d_q, 144, 8);
    row!(cuc_attention_args.d_k, 152, 8);
    row!(cuc_attention_args.d_v, 160, 8);
    row!(cuc_attention_args.most_keys, 168, 8);
    row!(cuc_attention_args.new_k, 176, 8);
    row!(cuc_attention_args.new_v, 184, 8);
    row!(cuc_attention_args.q_scale, 192, 8);
    row!(cuc_attention_args.k_scale, 200, 8);
    row!(cuc_attention_args.v_scale, 208, 8);
    row!(cuc_attention_args.d_sinks, 216, 8);
    row!(cuc_attention_args.d_sides, 224, 8);
    row!(cuc_attention_choice, 48, 8);
    row!(cuc_attention_choice.struct_size, 0, 8);
    row!(cuc_attention_choice.tile_q, 8, 4);
    row!(cuc_attention_choice.tile_k, 12, 4);
    row!(cuc_attention_choice.stages, 16, 4);
    row!(cuc_attention_choice.warps, 20, 4);
    row!(cuc_attention_choice.pipeline, 24, 4);
    row!(cuc_attention_choice.parts, 28, 4);
    row!(cuc_attention_choice.tiles, 32, 8);
    row!(cuc_attention_choice.by, 40, 8);
    row!(cuc_attention_options, 160, 8);
    row!(cuc_attention_options.struct_size, 0, 8);
    row!(cuc_attention_options.flags, 8, 4);
    row!(cuc_attention_options.dtype, 12, 4);
    row!(cuc_attention_options.width, 16, 4);
    row!(cuc_attention_options.value_width, 20, 4);
    row!(cuc_attention_options.mask, 24, 4);
    row!(cuc_attention_options.align, 28, 4);
    row!(cuc_attention_options.order, 32, 4);
    row!(cuc_attention_options.window_left, 36, 4);
    row!(cuc_attention_options.window_right, 40, 4);
    row!(cuc_attention_options.tile_q, 44, 4);
    row!(cuc_attention_options.tile_k, 48, 4);
    row!(cuc_attention_options.stages, 52, 4);
    row!(cuc_attention_options.warps, 56, 4);
    row!(cuc_attention_options.batch, 64, 8);
    row!(cuc_attention_options.heads, 72, 8);
    row!(cuc_attention_options.key_heads, 80, 8);
    row!(cuc_attention_options.queries, 88, 8);
    row!(cuc_attention_options.keys, 96, 8);
    row!(cuc_attention_options.arch, 104, 8);
    row!(cuc_attention_options.cache, 112, 8);
    row!(cuc_attention_options.score, 120, 8);
    row!(cuc_attention_options.sides, 128, 8);
    row!(cuc_attention_options.side_count, 136, 4);
    row!(cuc_attention_options.reserved, 140, 4);
    row!(cuc_attention_options.page_size, 144, 4);
    row!(cuc_attention_options.parts, 148, 4);
    row!(cuc_attention_options.o_dtype, 152, 4);
    row!(cuc_attention_side, 24, 8);
    row!(cuc_attention_side.name, 0, 8);
    row!(cuc_attention_side.dtype, 8, 4);
    row!(cuc_attention_side.rank, 12, 4);
    row!(cuc_attention_side.gradient, 16, 8);
    row!(cuc_buffer_options, 56, 8);
    row!(cuc_buffer_options.struct_size, 0, 8);
    row!(cuc_buffer_options.device, 8, 8);
    row!(cuc_buffer_options.resource, 16, 8);
    row!(cuc_buffer_options.stream, 24, 8);
    row!(cuc_buffer_options.owner, 32, 8);
    row!(cuc_buffer_options.drop_owner, 40, 8);
    row!(cuc_buffer_options.access, 48, 4);
    row!(cuc_buffer_options.reserved, 52, 4);
    row!(cuc_cache_entry, 48, 8);
    row!(cuc_cache_entry.struct_size, 0, 8);
    row!(cuc_cache_entry.key, 8, 8);
    row!(cuc_cache_entry.label, 16, 8);
    row!(cuc_cache_entry.bytes, 24, 8);
    row!(cuc_cache_entry.used_ns, 32, 8);
    row!(cuc_cache_entry.damaged, 40, 4);
    row!(cuc_cache_entry.reserved, 44, 4);
    row!(cuc_cache_info, 72, 8);
    row!(cuc_cache_info.struct_size, 0, 8);
    row!(cuc_cache_info.dir, 8, 8);
    row!(cuc_cache_info.off, 16, 8);
    row!(cuc_cache_info.max_bytes, 24, 8);
    row!(cuc_cache_info.bytes, 32, 8);
    row!(cuc_cache_info.entries, 40, 8);
    row!(cuc_cache_info.hits, 48, 8);
    row!(cuc_cache_info.misses, 56, 8);
    row!(cuc_cache_info.stored, 64, 8);
    row!(cuc_cache_options, 24, 8);
    row!(cuc_cache_options.struct_size, 0, 8);
    row!(cuc_cache_options.dir, 8, 8);
    row!(cuc_cache_options.max_bytes, 16, 8);
    row!(cuc_capture_info, 32, 8);
    row!(cuc_capture_info.struct_size, 0, 8);
    row!(cuc_capture_info.id, 8, 8);
    row!(cuc_capture_info.graph, 16, 8);
    row!(cuc_capture_info.status, 24, 4);
    row!(cuc_capture_info.reserved, 28, 4);
    row!(cuc_copy_2d_params, 88, 8);
    row!(cuc_copy_2d_params.struct_size, 0, 8);
    row!(cuc_copy_2d_params.dst, 8, 8);
    row!(cuc_copy_2d_params.src, 16, 8);
    row!(cuc_copy_2d_params.dst_pitch, 24, 8);
    row!(cuc_copy_2d_params.src_pitch, 32, 8);
    row!(cuc_copy_2d_params.row_bytes, 40, 8);
    row!(cuc_copy_2d_params.rows, 48, 8);
    row!(cuc_copy_2d_params.dst_x_bytes, 56, 8);
    row!(cuc_copy_2d_params.dst_y, 64, 8);
    row!(cuc_copy_2d_params.src_x_bytes, 72, 8);
    row!(cuc_copy_2d_params.src_y, 80, 8);
    row!(cuc_copy_3d_params, 128, 8);
    row!(cuc_copy_3d_params.struct_size, 0, 8);
    row!(cuc_copy_3d_params.dst, 8, 8);
    row!(cuc_copy_3d_params.src, 16, 8);
    row!(cuc_copy_3d_params.dst_pitch, 24, 8);
    row!(cuc_copy_3d_params.src_pitch, 32, 8);
    row!(cuc_copy_3d_params.dst_slice_rows, 40, 8);
    row!(cuc_copy_3d_params.src_slice_rows, 48, 8);
    row!(cuc_copy_3d_params.row_bytes, 56, 8);
    row!(cuc_copy_3d_params.rows, 64, 8);
    row!(cuc_copy_3d_params.slices, 72, 8);
    row!(cuc_copy_3d_params.dst_x_bytes, 80, 8);
    row!(cuc_copy_3d_params.dst_y, 88, 8);
    row!(cuc_copy_3d_params.dst_z, 96, 8);
    row!(cuc_copy_3d_params.src_x_bytes, 104, 8);
    row!(cuc_copy_3d_params.src_y, 112, 8);
    row!(cuc_copy_3d_params.src_z, 120, 8);
    row!(cuc_copy_attributes, 24, 4);
    row!(cuc_copy_attributes.source_order, 0, 4);
    row!(cuc_copy_attributes.flags, 4, 4);
    row!(cuc_copy_attributes.src_hint, 8, 8);
    row!(cuc_copy_attributes.dst_hint, 16, 8);
    row!(cuc_copy_batch_params, 56, 8);
    row!(cuc_copy_batch_params.struct_size, 0, 8);
    row!(cuc_copy_batch_params.dst, 8, 8);
    row!(cuc_copy_batch_params.src, 16, 8);
    row!(cuc_copy_batch_params.bytes, 24, 8);
    row!(cuc_copy_batch_params.count, 32, 8);
    row!(cuc_copy_batch_params.attributes, 40, 8);
    row!(cuc_copy_batch_params.attribute_count, 48, 8);
    row!(cuc_device_properties, 584, 8);
    row!(cuc_device_properties.struct_size, 0, 8);
    row!(cuc_device_properties.max_threads_per_block, 8, 4);
    row!(cuc_device_properties.max_block_dim_x, 12, 4);
    row!(cuc_device_properties.max_block_dim_y, 16, 4);
    row!(cuc_device_properties.max_block_dim_z, 20, 4);
    row!(cuc_device_properties.max_grid_dim_x, 24, 4);
    row!(cuc_device_properties.max_grid_dim_y, 28, 4);
    row!(cuc_device_properties.max_grid_dim_z, 32, 4);
    row!(cuc_device_properties.max_shared_memory_per_block, 36, 4);
    row!(cuc_device_properties.total_constant_memory, 40, 4);
    row!(cuc_device_properties.warp_size, 44, 4);
    row!(cuc_device_properties.max_pitch, 48, 4);
    row!(cuc_device_properties.max_registers_per_block, 52, 4);
    row!(cuc_device_properties.clock_rate, 56, 4);
    row!(cuc_device_properties.texture_alignment, 60, 4);
    row!(cuc_device_properties.gpu_overlap, 64, 4);
    row!(cuc_device_properties.multiprocessor_count, 68, 4);
    row!(cuc_device_properties.kernel_exec_timeout, 72, 4);
    row!(cuc_device_properties.integrated, 76, 4);
    row!(cuc_device_properties.can_map_host_memory, 80, 4);
    row!(cuc_device_properties.compute_mode, 84, 4);
    row!(cuc_device_properties.maximum_texture1d_width, 88, 4);
    row!(cuc_device_properties.maximum_texture2d_width, 92, 4);
    row!(cuc_device_properties.maximum_texture2d_height, 96, 4);
    row!(cuc_device_properties.maximum_texture3d_width, 100, 4);
    row!(cuc_device_properties.maximum_texture3d_height, 104, 4);
    row!(cuc_device_properties.maximum_texture3d_depth, 108, 4);
    row!(cuc_device_properties.maximum_texture2d_layered_width, 112, 4);
    row!(cuc_device_properties.maximum_texture2d_layered_height, 116, 4);
    row!(cuc_device_properties.maximum_texture2d_layered_layers, 120, 4);
    row!(cuc_device_properties.surface_alignment, 124, 4);
    row!(cuc_device_properties.concurrent_kernels, 128, 4);
    row!(cuc_device_properties.ecc_enabled, 132, 4);
    row!(cuc_device_properties.pci_bus_id, 136, 4);
    row!(cuc_device_properties.pci_device_id, 140, 4);
    row!(cuc_device_properties.tcc_driver, 144, 4);
    row!(cuc_device_properties.memory_clock_rate, 148, 4);
    row!(cuc_device_properties.global_memory_bus_width, 152, 4);
    row!(cuc_device_properties.l2_cache_size, 156, 4);
    row!(cuc_device_properties.max_threads_per_multiprocessor, 160, 4);
    row!(cuc_device_properties.async_engine_count, 164, 4);
    row!(cuc_device_properties.unified_addressing, 168, 4);
    row!(cuc_device_properties.maximum_texture1d_layered_width, 172, 4);
    row!(cuc_device_properties.maximum_texture1d_layered_layers, 176, 4);
    row!(cuc_device_properties.can_tex2d_gather, 180, 4);
    row!(cuc_device_properties.maximum_texture2d_gather_width, 184, 4);
    row!(cuc_device_properties.maximum_texture2d_gather_height, 188, 4);
    row!(cuc_device_properties.maximum_texture3d_width_alternate, 192, 4);
    row!(cuc_device_properties.maximum_texture3d_height_alternate, 196, 4);
    row!(cuc_device_properties.maximum_texture3d_depth_alternate, 200, 4);
    row!(cuc_device_properties.pci_domain_id, 204, 4);
    row!(cuc_device_properties.texture_pitch_alignment, 208, 4);
    row!(cuc_device_properties.maximum_texturecubemap_width, 212, 4);
    row!(cuc_device_properties.maximum_texturecubemap_layered_width, 216, 4);
    row!(cuc_device_properties.maximum_texturecubemap_layered_layers, 220, 4);
    row!(cuc_device_properties.maximum_surface1d_width, 224, 4);
    row!(cuc_device_properties.maximum_surface2d_width, 228, 4);
    row!(cuc_device_properties.maximum_surface2d_height, 232, 4);
    row!(cuc_device_properties.maximum_surface3d_width, 236, 4);
    row!(cuc_device_properties.maximum_surface3d_height, 240, 4);
    row!(cuc_device_properties.maximum_surface3d_depth, 244, 4);
    row!(cuc_device_properties.maximum_surface1d_layered_width, 248, 4);
    row!(cuc_device_properties.maximum_surface1d_layered_layers, 252, 4);
    row!(cuc_device_properties.maximum_surface2d_layered_width, 256, 4);
    row!(cuc_device_properties.maximum_surface2d_layered_height, 260, 4);
    row!(cuc_device_properties.maximum_surface2d_layered_layers, 264, 4);
    row!(cuc_device_properties.maximum_surfacecubemap_width, 268, 4);
    row!(cuc_device_properties.maximum_surfacecubemap_layered_width, 272, 4);
    row!(cuc_device_properties.maximum_surfacecubemap_layered_layers, 276, 4);
    row!(cuc_device_properties.maximum_texture1d_linear_width, 280, 4);
    row!(cuc_device_properties.maximum_texture2d_linear_width, 284, 4);
    row!(cuc_device_properties.maximum_texture2d_linear_height, 288, 4);
    row!(cuc_device_properties.maximum_texture2d_linear_pitch, 292, 4);
    row!(cuc_device_properties.maximum_texture2d_mipmapped_width, 296, 4);
    row!(cuc_device_properties.maximum_texture2d_mipmapped_height, 300, 4);
    row!(cuc_device_properties.compute_capability_major, 304, 4);
    row!(cuc_device_properties.compute_capability_minor, 308, 4);
    row!(cuc_device_properties.maximum_texture1d_mipmapped_width, 312, 4);
    row!(cuc_device_properties.stream_priorities_supported, 316, 4);
    row!(cuc_device_properties.global_l1_cache_supported, 320, 4);
    row!(cuc_device_properties.local_l1_cache_supported, 324, 4);
    row!(cuc_device_properties.max_shared_memory_per_multiprocessor, 328, 4);
    row!(cuc_device_properties.max_registers_per_multiprocessor, 332, 4);
    row!(cuc_device_properties.managed_memory, 336, 4);
    row!(cuc_device_properties.multi_gpu_board, 340, 4);
    row!(cuc_device_properties.multi_gpu_board_group_id, 344, 4);
    row!(cuc_device_properties.host_native_atomic_supported, 348, 4);
    row!(cuc_device_properties.single_to_double_precision_perf_ratio, 352, 4);
    row!(cuc_device_properties.pageable_memory_access, 356, 4);
    row!(cuc_device_properties.concurrent_managed_access, 360, 4);
    row!(cuc_device_properties.compute_preemption_supported, 364, 4);
    row!(cuc_device_properties.can_use_host_pointer_for_registered_mem, 368, 4);
    row!(cuc_device_properties.cooperative_launch, 372, 4);
    row!(cuc_device_properties.max_shared_memory_per_block_optin, 376, 4);
    row!(cuc_device_properties.can_flush_remote_writes, 380, 4);
    row!(cuc_device_properties.host_register_supported, 384, 4);
    row!(cuc_device_properties.pageable_memory_access_uses_host_page_tables, 388, 4);
    row!(cuc_device_properties.direct_managed_mem_access_from_host, 392, 4);
    row!(cuc_device_properties.virtual_memory_management_supported, 396, 4);
    row!(cuc_device_properties.handle_type_posix_file_descriptor_supported, 400, 4);
    row!(cuc_device_properties.handle_type_win32_handle_supported, 404, 4);
    row!(cuc_device_properties.handle_type_win32_kmt_handle_supported, 408, 4);
    row!(cuc_device_properties.max_blocks_per_multiprocessor, 412, 4);
    row!(cuc_device_properties.generic_compression_supported, 416, 4);
    row!(cuc_device_properties.max_persisting_l2_cache_size, 420, 4);
    row!(cuc_device_properties.max_access_policy_window_size, 424, 4);
    row!(cuc_device_properties.gpu_direct_rdma_with_cuda_vmm_supported, 428, 4);
    row!(cuc_device_properties.reserved_shared_memory_per_block, 432, 4);
    row!(cuc_device_properties.sparse_cuda_array_supported, 436, 4);
    row!(cuc_device_properties.read_only_host_register_supported, 440, 4);
    row!(cuc_device_properties.timeline_semaphore_interop_supported, 444, 4);
    row!(cuc_device_properties.memory_pools_supported, 448, 4);
    row!(cuc_device_properties.gpu_direct_rdma_supported, 452, 4);
    row!(cuc_device_properties.gpu_direct_rdma_flush_writes_options, 456, 4);
    row!(cuc_device_properties.gpu_direct_rdma_writes_ordering, 460, 4);
    row!(cuc_device_properties.mempool_supported_handle_types, 464, 4);
    row!(cuc_device_properties.cluster_launch, 468, 4);
    row!(cuc_device_properties.deferred_mapping_cuda_array_supported, 472, 4);
    row!(cuc_device_properties.can_use_64_bit_stream_mem_ops, 476, 4);
    row!(cuc_device_properties.can_use_stream_wait_value_nor, 480, 4);
    row!(cuc_device_properties.dma_buf_supported, 484, 4);
    row!(cuc_device_properties.ipc_event_supported, 488, 4);
    row!(cuc_device_properties.mem_sync_domain_count, 492, 4);
    row!(cuc_device_properties.tensor_map_access_supported, 496, 4);
    row!(cuc_device_properties.handle_type_fabric_supported, 500, 4);
    row!(cuc_device_properties.unified_function_pointers, 504, 4);
    row!(cuc_device_properties.numa_config, 508, 4);
    row!(cuc_device_properties.numa_id, 512, 4);
    row!(cuc_device_properties.multicast_supported, 516, 4);
    row!(cuc_device_properties.mps_enabled, 520, 4);
    row!(cuc_device_properties.host_numa_id, 524, 4);
    row!(cuc_device_properties.d3d12_cig_supported, 528, 4);
    row!(cuc_device_properties.mem_decompress_algorithm_mask, 532, 4);
    row!(cuc_device_properties.mem_decompress_maximum_length, 536, 4);
    row!(cuc_device_properties.vulkan_cig_supported, 540, 4);
    row!(cuc_device_properties.gpu_pci_device_id, 544, 4);
    row!(cuc_device_properties.gpu_pci_subsystem_id, 548, 4);
    row!(cuc_device_properties.host_numa_virtual_memory_management_supported, 552, 4);
    row!(cuc_device_properties.host_numa_memory_pools_supported, 556, 4);
    row!(cuc_device_properties.host_numa_multinode_ipc_supported, 560, 4);
    row!(cuc_device_properties.host_memory_pools_supported, 564, 4);
    row!(cuc_device_properties.host_virtual_memory_management_supported, 568, 4);
    row!(cuc_device_properties.host_alloc_dma_buf_supported, 572, 4);
    row!(cuc_device_properties.only_partial_host_native_atomic_supported, 576, 4);
    row!(cuc_device_properties.reserved, 580, 4);
    row!(cuc_device_sensors, 40, 8);
    row!(cuc_device_sensors.struct_size, 0, 8);
    row!(cuc_device_sensors.throttle, 8, 8);
    row!(cuc_device_sensors.sm_mhz, 16, 4);
    row!(cuc_device_sensors.memory_mhz, 20, 4);
    row!(cuc_device_sensors.milliwatts, 24, 4);
    row!(cuc_device_sensors.celsius, 28, 4);
    row!(cuc_device_sensors.known, 32, 4);
    row!(cuc_device_sensors.reserved, 36, 4);
    row!(cuc_dl_data_type, 4, 2);
    row!(cuc_dl_data_type.code, 0, 1);
    row!(cuc_dl_data_type.bits, 1, 1);
    row!(cuc_dl_data_type.lanes, 2, 2);
    row!(cuc_dl_device, 8, 4);
    row!(cuc_dl_device.device_type, 0, 4);
    row!(cuc_dl_device.device_id, 4, 4);
    row!(cuc_dl_managed_tensor, 64, 8);
    row!(cuc_dl_managed_tensor.dl_tensor, 0, 48);
    row!(cuc_dl_managed_tensor.manager_ctx, 48, 8);
    row!(cuc_dl_managed_tensor.deleter, 56, 8);
    row!(cuc_dl_managed_tensor_versioned, 80, 8);
    row!(cuc_dl_managed_tensor_versioned.version, 0, 8);
    row!(cuc_dl_managed_tensor_versioned.manager_ctx, 8, 8);
    row!(cuc_dl_managed_tensor_versioned.deleter, 16, 8);
    row!(cuc_dl_managed_tensor_versioned.flags, 24, 8);
    row!(cuc_dl_managed_tensor_versioned.dl_tensor, 32, 48);
    row!(cuc_dl_tensor, 48, 8);
    row!(cuc_dl_tensor.data, 0, 8);
    row!(cuc_dl_tensor.device, 8, 8);
    row!(cuc_dl_tensor.ndim, 16, 4);
    row!(cuc_dl_tensor.dtype, 20, 4);
    row!(cuc_dl_tensor.shape, 24, 8);
    row!(cuc_dl_tensor.strides, 32, 8);
    row!(cuc_dl_tensor.byte_offset, 40, 8);
    row!(cuc_dl_version, 8, 4);
    row!(cuc_dl_version.major, 0, 4);
    row!(cuc_dl_version.minor, 4, 4);
    row!(cuc_event_options, 16, 8);
    row!(cuc_event_options.struct_size, 0, 8);
    row!(cuc_event_options.flags, 8, 4);
    row!(cuc_event_options.reserved, 12, 4);
    row!(cuc_explanation, 48, 8);
    row!(cuc_explanation.struct_size, 0, 8);
    row!(cuc_explanation.symbol, 8, 8);
    row!(cuc_explanation.meaning, 16, 8);
    row!(cuc_explanation.remedy, 24, 8);
    row!(cuc_explanation.library, 32, 4);
    row!(cuc_explanation.code, 36, 4);
    row!(cuc_explanation.sticky, 40, 4);
    row!(cuc_explanation.reserved, 44, 4);
    row!(cuc_fatbin_options, 24, 8);
    row!(cuc_fatbin_options.struct_size, 0, 8);
    row!(cuc_fatbin_options.name, 8, 8);
    row!(cuc_fatbin_options.compress, 16, 4);
    row!(cuc_fatbin_options.ptx, 20, 4);
    row!(cuc_fatbin_part, 16, 8);
    row!(cuc_fatbin_part.object, 0, 8);
    row!(cuc_fatbin_part.arch, 8, 8);
    row!(cuc_fill_2d_params, 48, 8);
    row!(cuc_fill_2d_params.struct_size, 0, 8);
    row!(cuc_fill_2d_params.dst, 8, 8);
    row!(cuc_fill_2d_params.pitch, 16, 8);
    row!(cuc_fill_2d_params.row_count, 24, 8);
    row!(cuc_fill_2d_params.rows, 32, 8);
    row!(cuc_fill_2d_params.pattern, 40, 4);
    row!(cuc_fill_2d_params.pattern_bytes, 44, 4);
    row!(cuc_gemm_args, 136, 8);
    row!(cuc_gemm_args.struct_size, 0, 8);
    row!(cuc_gemm_args.a, 8, 8);
    row!(cuc_gemm_args.b, 16, 8);
    row!(cuc_gemm_args.c, 24, 8);
    row!(cuc_gemm_args.d, 32, 8);
    row!(cuc_gemm_args.bias, 40, 8);
    row!(cuc_gemm_args.residual, 48, 8);
    row!(cuc_gemm_args.row_scale, 56, 8);
    row!(cuc_gemm_args.column_scale, 64, 8);
    row!(cuc_gemm_args.offsets, 72, 8);
    row!(cuc_gemm_args.workspace, 80, 8);
    row!(cuc_gemm_args.workspace_bytes, 88, 8);
    row!(cuc_gemm_args.aux, 96, 8);
    row!(cuc_gemm_args.bias_gradient, 104, 8);
    row!(cuc_gemm_args.amax, 112, 8);
    row!(cuc_gemm_args.a_scale, 120, 8);
    row!(cuc_gemm_args.b_scale, 128, 8);
    row!(cuc_gemm_choice, 88, 8);
    row!(cuc_gemm_choice.struct_size, 0, 8);
    row!(cuc_gemm_choice.tile_m, 8, 4);
    row!(cuc_gemm_choice.tile_n, 12, 4);
    row!(cuc_gemm_choice.tile_k, 16, 4);
    row!(cuc_gemm_choice.stages, 20, 4);
    row!(cuc_gemm_choice.cluster, 24, 4);
    row!(cuc_gemm_choice.warps, 28, 4);
    row!(cuc_gemm_choice.split, 32, 4);
    row!(cuc_gemm_choice.raster, 36, 4);
    row!(cuc_gemm_choice.parts, 40, 4);
    row!(cuc_gemm_choice.pipeline, 44, 4);
    row!(cuc_gemm_choice.d_dtype, 48, 4);
    row!(cuc_gemm_choice.stream_k, 52, 4);
    row!(cuc_gemm_choice.tiles, 56, 8);
    row!(cuc_gemm_choice.seconds, 64, 8);
    row!(cuc_gemm_choice.by, 72, 8);
    row!(cuc_gemm_choice.cluster_n, 80, 4);
    row!(cuc_gemm_choice.pack, 84, 4);
    row!(cuc_gemm_options, 208, 8);
    row!(cuc_gemm_options.struct_size, 0, 8);
    row!(cuc_gemm_options.form, 8, 4);
    row!(cuc_gemm_options.flags, 12, 4);
    row!(cuc_gemm_options.dtype, 16, 4);
    row!(cuc_gemm_options.d_dtype, 20, 4);
    row!(cuc_gemm_options.c_dtype, 24, 4);
    row!(cuc_gemm_options.accumulator, 28, 4);
    row!(cuc_gemm_options.precision, 32, 4);
    row!(cuc_gemm_options.a_order, 36, 4);
    row!(cuc_gemm_options.b_order, 40, 4);
    row!(cuc_gemm_options.d_order, 44, 4);
    row!(cuc_gemm_options.activation, 48, 4);
    row!(cuc_gemm_options.bias, 52, 4);
    row!(cuc_gemm_options.bias_dtype, 56, 4);
    row!(cuc_gemm_options.residual_dtype, 60, 4);
    row!(cuc_gemm_options.m, 64, 8);
    row!(cuc_gemm_options.n, 72, 8);
    row!(cuc_gemm_options.k, 80, 8);
    row!(cuc_gemm_options.batch, 88, 8);
    row!(cuc_gemm_options.tile_m, 96, 4);
    row!(cuc_gemm_options.tile_n, 100, 4);
    row!(cuc_gemm_options.tile_k, 104, 4);
    row!(cuc_gemm_options.stages, 108, 4);
    row!(cuc_gemm_options.cluster, 112, 4);
    row!(cuc_gemm_options.warps, 116, 4);
    row!(cuc_gemm_options.split, 120, 4);
    row!(cuc_gemm_options.raster, 124, 4);
    row!(cuc_gemm_options.parts, 128, 4);
    row!(cuc_gemm_options.stream_k, 132, 4);
    row!(cuc_gemm_options.workspace_bytes, 136, 8);
    row!(cuc_gemm_options.arch, 144, 8);
    row!(cuc_gemm_options.tuned, 152, 8);
    row!(cuc_gemm_options.cache, 160, 8);
    row!(cuc_gemm_options.cluster_n, 168, 4);
    row!(cuc_gemm_options.pack, 172, 4);
    row!(cuc_gemm_options.alignment, 176, 4);
    row!(cuc_gemm_options.aux_dtype, 180, 4);
    row!(cuc_gemm_options.bias_gradient, 184, 4);
    row!(cuc_gemm_options.bias_gradient_dtype, 188, 4);
    row!(cuc_gemm_options.sm_count, 192, 4);
    row!(cuc_gemm_options.a_scale_rows, 196, 4);
    row!(cuc_gemm_options.b_scale_columns, 200, 4);
    row!(cuc_gemm_options.reserved, 204, 4);
    row!(cuc_graph_exec_options, 24, 8);
    row!(cuc_graph_exec_options.struct_size, 0, 8);
    row!(cuc_graph_exec_options.upload, 8, 8);
    row!(cuc_graph_exec_options.flags, 16, 4);
    row!(cuc_graph_exec_options.reserved, 20, 4);
    row!(cuc_ipc_handle, 64, 1);
    row!(cuc_ipc_handle.bytes, 0, 64);
    row!(cuc_kernel_parameter, 24, 8);
    row!(cuc_kernel_parameter.struct_size, 0, 8);
    row!(cuc_kernel_parameter.offset, 8, 4);
    row!(cuc_kernel_parameter.bytes, 12, 4);
    row!(cuc_kernel_parameter.type_, 16, 4);
    row!(cuc_kernel_parameter.reserved, 20, 4);
    row!(cuc_launch_attribute_value_window, 32, 0);
    row!(cuc_launch_attribute_value_window.base, 0, 8);
    row!(cuc_launch_attribute_value_window.bytes, 8, 8);
    row!(cuc_launch_attribute_value_window.hit_ratio, 16, 4);
    row!(cuc_launch_attribute_value_window.hit, 20, 4);
    row!(cuc_launch_attribute_value_window.miss, 24, 4);
    row!(cuc_launch_attribute_value_event, 16, 0);
    row!(cuc_launch_attribute_value_event.event, 0, 8);
    row!(cuc_launch_attribute_value_event.trigger_at_start, 8, 4);
    row!(cuc_launch_attribute_value_event.flags, 12, 4);
    row!(cuc_launch_attribute_value_domain_map, 2, 0);
    row!(cuc_launch_attribute_value_domain_map.default_domain, 0, 1);
    row!(cuc_launch_attribute_value_domain_map.remote_domain, 1, 1);
    row!(cuc_launch_attribute_value_device_node, 16, 0);
    row!(cuc_launch_attribute_value_device_node.updatable, 0, 4);
    row!(cuc_launch_attribute_value_device_node.node, 8, 8);
    row!(cuc_launch_attribute_value, 64, 0);
    row!(cuc_launch_attribute_value.value, 0, 4);
    row!(cuc_launch_attribute_value.cluster, 0, 12);
    row!(cuc_launch_attribute_value.window, 0, 32);
    row!(cuc_launch_attribute_value.event, 0, 16);
    row!(cuc_launch_attribute_value.domain_map, 0, 2);
    row!(cuc_launch_attribute_value.device_node, 0, 16);
    row!(cuc_launch_attribute_value.raw, 0, 64);
    row!(cuc_launch_attribute, 72, 8);
    row!(cuc_launch_attribute.id, 0, 4);
    row!(cuc_launch_attribute.reserved, 4, 4);
    row!(cuc_launch_attribute.value, 8, 64);
    row!(cuc_launch_config, 64, 8);
    row!(cuc_launch_config.struct_size, 0, 8);
    row!(cuc_launch_config.grid, 8, 12);
    row!(cuc_launch_config.block, 20, 12);
    row!(cuc_launch_config.cluster, 32, 12);
    row!(cuc_launch_config.shared_bytes, 44, 4);
    row!(cuc_launch_config.flags, 48, 4);
    row!(cuc_launch_config.attribute_count, 52, 4);
    row!(cuc_launch_config.attributes, 56, 8);
    row!(cuc_linker_options, 168, 8);
    row!(cuc_linker_options.struct_size, 0, 8);
    row!(cuc_linker_options.name, 8, 8);
    row!(cuc_linker_options.arch, 16, 8);
    row!(cuc_linker_options.backend, 24, 4);
    row!(cuc_linker_options.max_register_count, 28, 4);
    row!(cuc_linker_options.time, 32, 4);
    row!(cuc_linker_options.verbose, 36, 4);
    row!(cuc_linker_options.link_time_optimization, 40, 4);
    row!(cuc_linker_options.keep_ptx, 44, 4);
    row!(cuc_linker_options.optimization_level, 48, 4);
    row!(cuc_linker_options.debug, 52, 4);
    row!(cuc_linker_options.lineinfo, 56, 4);
    row!(cuc_linker_options.ftz, 60, 4);
    row!(cuc_linker_options.prec_div, 64, 4);
    row!(cuc_linker_options.prec_sqrt, 68, 4);
    row!(cuc_linker_options.fma, 72, 4);
    row!(cuc_linker_options.optimize_unused_variables, 76, 4);
    row!(cuc_linker_options.split_compile, 80, 4);
    row!(cuc_linker_options.split_compile_extended, 84, 4);
    row!(cuc_linker_options.no_cache, 88, 4);
    row!(cuc_linker_options.numba_debug, 92, 4);
    row!(cuc_linker_options.kernels_used, 96, 8);
    row!(cuc_linker_options.kernels_used_count, 104, 8);
    row!(cuc_linker_options.variables_used, 112, 8);
    row!(cuc_linker_options.variables_used_count, 120, 8);
    row!(cuc_linker_options.ptxas_options, 128, 8);
    row!(cuc_linker_options.ptxas_option_count, 136, 8);
    row!(cuc_linker_options.extra_options, 144, 8);
    row!(cuc_linker_options.extra_option_count, 152, 8);
    row!(cuc_linker_options.cache, 160, 8);
    row!(cuc_memory_batch, 48, 8);
    row!(cuc_memory_batch.struct_size, 0, 8);
    row!(cuc_memory_batch.ptrs, 8, 8);
    row!(cuc_memory_batch.bytes, 16, 8);
    row!(cuc_memory_batch.count, 24, 8);
    row!(cuc_memory_batch.locations, 32, 8);
    row!(cuc_memory_batch.location_count, 40, 8);
    row!(cuc_memory_callbacks, 56, 8);
    row!(cuc_memory_callbacks.struct_size, 0, 8);
    row!(cuc_memory_callbacks.user, 8, 8);
    row!(cuc_memory_callbacks.allocate, 16, 8);
    row!(cuc_memory_callbacks.deallocate, 24, 8);
    row!(cuc_memory_callbacks.destroy, 32, 8);
    row!(cuc_memory_callbacks.device, 40, 8);
    row!(cuc_memory_callbacks.access, 48, 4);
    row!(cuc_memory_callbacks.reserved, 52, 4);
    row!(cuc_memory_location, 8, 4);
    row!(cuc_memory_location.type_, 0, 4);
    row!(cuc_memory_location.id, 4, 4);
    row!(cuc_memory_piece, 16, 8);
    row!(cuc_memory_piece.bytes, 0, 8);
    row!(cuc_memory_piece.fd, 8, 4);
    row!(cuc_memory_piece.reserved, 12, 4);
    row!(cuc_memory_pool_options, 40, 8);
    row!(cuc_memory_pool_options.struct_size, 0, 8);
    row!(cuc_memory_pool_options.max_bytes, 8, 8);
    row!(cuc_memory_pool_options.release_threshold, 16, 8);
    row!(cuc_memory_pool_options.kind, 24, 4);
    row!(cuc_memory_pool_options.flags, 28, 4);
    row!(cuc_memory_pool_options.location, 32, 8);
    row!(cuc_memory_pool_statistics, 40, 8);
    row!(cuc_memory_pool_statistics.struct_size, 0, 8);
    row!(cuc_memory_pool_statistics.reserved_bytes, 8, 8);
    row!(cuc_memory_pool_statistics.reserved_high, 16, 8);
    row!(cuc_memory_pool_statistics.used_bytes, 24, 8);
    row!(cuc_memory_pool_statistics.used_high, 32, 8);
    row!(cuc_memory_virtual_options, 56, 8);
    row!(cuc_memory_virtual_options.struct_size, 0, 8);
    row!(cuc_memory_virtual_options.reserve_bytes, 8, 8);
    row!(cuc_memory_virtual_options.align, 16, 8);
    row!(cuc_memory_virtual_options.peers, 24, 8);
    row!(cuc_memory_virtual_options.peer_count, 32, 8);
    row!(cuc_memory_virtual_options.location, 40, 8);
    row!(cuc_memory_virtual_options.flags, 48, 4);
    row!(cuc_memory_virtual_options.reserved, 52, 4);
    row!(cuc_object_mapping, 16, 8);
    row!(cuc_object_mapping.expression, 0, 8);
    row!(cuc_object_mapping.symbol, 8, 8);
    row!(cuc_object_options, 48, 8);
    row!(cuc_object_options.struct_size, 0, 8);
    row!(cuc_object_options.name, 8, 8);
    row!(cuc_object_options.ptx, 16, 8);
    row!(cuc_object_options.ptx_bytes, 24, 8);
    row!(cuc_object_options.names, 32, 8);
    row!(cuc_object_options.name_count, 40, 8);
    row!(cuc_occupancy_options, 40, 8);
    row!(cuc_occupancy_options.struct_size, 0, 8);
    row!(cuc_occupancy_options.shared_bytes, 8, 4);
    row!(cuc_occupancy_options.block_limit, 12, 4);
    row!(cuc_occupancy_options.flags, 16, 4);
    row!(cuc_occupancy_options.reserved, 20, 4);
    row!(cuc_occupancy_options.shared_of_block, 24, 8);
    row!(cuc_occupancy_options.user, 32, 8);
    row!(cuc_pointer_info, 72, 8);
    row!(cuc_pointer_info.struct_size, 0, 8);
    row!(cuc_pointer_info.base, 8, 8);
    row!(cuc_pointer_info.bytes, 16, 8);
    row!(cuc_pointer_info.device_pointer, 24, 8);
    row!(cuc_pointer_info.host_pointer, 32, 8);
    row!(cuc_pointer_info.pool, 40, 8);
    row!(cuc_pointer_info.buffer_id, 48, 8);
    row!(cuc_pointer_info.kind, 56, 4);
    row!(cuc_pointer_info.device, 60, 4);
    row!(cuc_pointer_info.access, 64, 4);
    row!(cuc_pointer_info.mapped, 68, 4);
    row!(cuc_program_header, 24, 8);
    row!(cuc_program_header.name, 0, 8);
    row!(cuc_program_header.text, 8, 8);
    row!(cuc_program_header.bytes, 16, 8);
    row!(cuc_program_options, 560, 8);
    row!(cuc_program_options.struct_size, 0, 8);
    row!(cuc_program_options.name, 8, 8);
    row!(cuc_program_options.arch, 16, 8);
    row!(cuc_program_options.relocatable_device_code, 24, 4);
    row!(cuc_program_options.extensible_whole_program, 28, 4);
    row!(cuc_program_options.debug, 32, 4);
    row!(cuc_program_options.lineinfo, 36, 4);
    row!(cuc_program_options.device_code_optimize, 40, 4);
    row!(cuc_program_options.max_register_count, 44, 4);
    row!(cuc_program_options.ftz, 48, 4);
    row!(cuc_program_options.prec_sqrt, 52, 4);
    row!(cuc_program_options.prec_div, 56, 4);
    row!(cuc_program_options.fma, 60, 4);
    row!(cuc_program_options.use_fast_math, 64, 4);
    row!(cuc_program_options.extra_device_vectorization, 68, 4);
    row!(cuc_program_options.modify_stack_limit, 72, 4);
    row!(cuc_program_options.link_time_optimization, 76, 4);
    row!(cuc_program_options.gen_opt_lto, 80, 4);
    row!(cuc_program_options.device_stack_protector, 84, 4);
    row!(cuc_program_options.jump_table_density, 88, 4);
    row!(cuc_program_options.split_compile, 92, 4);
    row!(cuc_program_options.no_source_include, 96, 4);
    row!(cuc_program_options.no_default_headers, 100, 4);
    row!(cuc_program_options.use_bundled_headers, 104, 4);
    row!(cuc_program_options.builtin_move_forward, 108, 4);
    row!(cuc_program_options.builtin_initializer_list, 112, 4);
    row!(cuc_program_options.disable_warnings, 116, 4);
    row!(cuc_program_options.restrict_pointers, 120, 4);
    row!(cuc_program_options.device_as_default_execution_space, 124, 4);
    row!(cuc_program_options.device_int128, 128, 4);
    row!(cuc_program_options.device_float128, 132, 4);
    row!(cuc_program_options.display_error_number, 136, 4);
    row!(cuc_program_options.brief_diagnostics, 140, 4);
    row!(cuc_program_options.version_ident, 144, 4);
    row!(cuc_program_options.fdevice_syntax_only, 148, 4);
    row!(cuc_program_options.minimal, 152, 4);
    row!(cuc_program_options.no_cache, 156, 4);
    row!(cuc_program_options.numba_debug, 160, 4);
    row!(cuc_program_options.pch, 164, 4);
    row!(cuc_program_options.pch_verbose, 168, 4);
    row!(cuc_program_options.pch_messages, 172, 4);
    row!(cuc_program_options.instantiate_templates_in_pch, 176, 4);
    row!(cuc_program_options.reserved, 180, 4);
    row!(cuc_program_options.std, 184, 8);
    row!(cuc_program_options.ofast_compile, 192, 8);
    row!(cuc_program_options.optimization_info, 200, 8);
    row!(cuc_program_options.time, 208, 8);
    row!(cuc_program_options.fdevice_time_trace, 216, 8);
    row!(cuc_program_options.frandom_seed, 224, 8);
    row!(cuc_program_options.create_pch, 232, 8);
    row!(cuc_program_options.use_pch, 240, 8);
    row!(cuc_program_options.pch_dir, 248, 8);
    row!(cuc_program_options.define_macros, 256, 8);
    row!(cuc_program_options.define_macro_count, 264, 8);
    row!(cuc_program_options.undefine_macros, 272, 8);
    row!(cuc_program_options.undefine_macro_count, 280, 8);
    row!(cuc_program_options.include_paths, 288, 8);
    row!(cuc_program_options.include_path_count, 296, 8);
    row!(cuc_program_options.pre_includes, 304, 8);
    row!(cuc_program_options.pre_include_count, 312, 8);
    row!(cuc_program_options.ptxas_options, 320, 8);
    row!(cuc_program_options.ptxas_option_count, 328, 8);
    row!(cuc_program_options.diag_error, 336, 8);
    row!(cuc_program_options.diag_error_count, 344, 8);
    row!(cuc_program_options.diag_suppress, 352, 8);
    row!(cuc_program_options.diag_suppress_count, 360, 8);
    row!(cuc_program_options.diag_warn, 368, 8);
    row!(cuc_program_options.diag_warn_count, 376, 8);
    row!(cuc_program_options.headers, 384, 8);
    row!(cuc_program_options.header_count, 392, 8);
    row!(cuc_program_options.name_expressions, 400, 8);
    row!(cuc_program_options.name_expression_count, 408, 8);
    row!(cuc_program_options.extra_options, 416, 8);
    row!(cuc_program_options.extra_option_count, 424, 8);
    row!(cuc_program_options.constants, 432, 8);
    row!(cuc_program_options.constant_count, 440, 8);
    row!(cuc_program_options.warps, 448, 4);
    row!(cuc_program_options.remarks, 452, 4);
    row!(cuc_program_options.require_tma, 456, 4);
    row!(cuc_program_options.require_tensor_core, 460, 4);
    row!(cuc_program_options.stages, 464, 4);
    row!(cuc_program_options.cluster, 468, 4);
    row!(cuc_program_options.split, 472, 4);
    row!(cuc_program_options.raster, 476, 4);
    row!(cuc_program_options.dimensions, 480, 8);
    row!(cuc_program_options.dimension_count, 488, 8);
    row!(cuc_program_options.tuned, 496, 8);
    row!(cuc_program_options.budget_operations, 504, 8);
    row!(cuc_program_options.budget_ptx_bytes, 512, 8);
    row!(cuc_program_options.budget_memory_bytes, 520, 8);
    row!(cuc_program_options.budget_seconds, 528, 8);
    row!(cuc_program_options.cancel, 536, 8);
    row!(cuc_program_options.cancel_user, 544, 8);
    row!(cuc_program_options.cache, 552, 8);
    row!(cuc_python_argument, 16, 8);
    row!(cuc_python_argument.type_, 0, 8);
    row!(cuc_python_argument.how, 8, 4);
    row!(cuc_python_argument.dtype, 12, 4);
    row!(cuc_python_launch, 40, 8);
    row!(cuc_python_launch.stream, 0, 8);
    row!(cuc_python_launch.config, 8, 8);
    row!(cuc_python_launch.kernel, 16, 8);
    row!(cuc_python_launch.args, 24, 8);
    row!(cuc_python_launch.arg_count, 32, 8);
    row!(cuc_python_plan, 24, 8);
    row!(cuc_python_plan.kernel, 0, 8);
    row!(cuc_python_plan.arguments, 8, 8);
    row!(cuc_python_plan.count, 16, 8);
    row!(cuc_sms, 160, 8);
    row!(cuc_sms.count, 0, 4);
    row!(cuc_sms.least, 4, 4);
    row!(cuc_sms.alignment, 8, 4);
    row!(cuc_sms.reserved, 12, 4);
    row!(cuc_sms.driver, 16, 144);
    row!(cuc_stream_options, 16, 8);
    row!(cuc_stream_options.struct_size, 0, 8);
    row!(cuc_stream_options.priority, 8, 4);
    row!(cuc_stream_options.flags, 12, 4);
    row!(cuc_tensor, 152, 8);
    row!(cuc_tensor.data, 0, 8);
    row!(cuc_tensor.dtype, 8, 4);
    row!(cuc_tensor.rank, 12, 4);
    row!(cuc_tensor.device, 16, 4);
    row!(cuc_tensor.flags, 20, 4);
    row!(cuc_tensor.shape, 24, 64);
    row!(cuc_tensor.strides, 88, 64);
    row!(cuc_tensor_map, 128, 8);
    row!(cuc_tensor_map.words, 0, 128);
    row!(cuc_tensor_map_image, 40, 8);
    row!(cuc_tensor_map_image.struct_size, 0, 8);
    row!(cuc_tensor_map_image.lower, 8, 12);
    row!(cuc_tensor_map_image.upper, 20, 12);
    row!(cuc_tensor_map_image.channels, 32, 4);
    row!(cuc_tensor_map_image.pixels, 36, 4);
    row!(cuc_tensor_map_options, 56, 8);
    row!(cuc_tensor_map_options.struct_size, 0, 8);
    row!(cuc_tensor_map_options.dtype, 8, 4);
    row!(cuc_tensor_map_options.interleave, 12, 4);
    row!(cuc_tensor_map_options.swizzle, 16, 4);
    row!(cuc_tensor_map_options.l2_promotion, 20, 4);
    row!(cuc_tensor_map_options.fill, 24, 4);
    row!(cuc_tensor_map_options.flags, 28, 4);
    row!(cuc_tensor_map_options.steps, 32, 20);
    row!(cuc_tensor_map_options.reserved, 52, 4);
    row!(cuc_tile_access_options, 56, 8);
    row!(cuc_tile_access_options.struct_size, 0, 8);
    row!(cuc_tile_access_options.shape, 8, 8);
    row!(cuc_tile_access_options.rank, 16, 4);
    row!(cuc_tile_access_options.pad, 20, 4);
    row!(cuc_tile_access_options.mask, 24, 4);
    row!(cuc_tile_access_options.order, 28, 4);
    row!(cuc_tile_access_options.scope, 32, 4);
    row!(cuc_tile_access_options.latency, 36, 4);
    row!(cuc_tile_access_options.tma, 40, 4);
    row!(cuc_tile_access_options.cache, 44, 4);
    row!(cuc_tile_access_options.inside, 48, 4);
    row!(cuc_tile_access_options.reserved, 52, 4);
    row!(cuc_tile_budget, 56, 8);
    row!(cuc_tile_budget.struct_size, 0, 8);
    row!(cuc_tile_budget.budget_operations, 8, 8);
    row!(cuc_tile_budget.budget_ptx_bytes, 16, 8);
    row!(cuc_tile_budget.budget_memory_bytes, 24, 8);
    row!(cuc_tile_budget.budget_seconds, 32, 8);
    row!(cuc_tile_budget.cancel, 40, 8);
    row!(cuc_tile_budget.cancel_user, 48, 8);
    row!(cuc_tile_entry, 40, 8);
    row!(cuc_tile_entry.struct_size, 0, 8);
    row!(cuc_tile_entry.variant, 8, 8);
    row!(cuc_tile_entry.threads, 16, 4);
    row!(cuc_tile_entry.static_shared_bytes, 20, 4);
    row!(cuc_tile_entry.dynamic_shared_bytes, 24, 4);
    row!(cuc_tile_entry.registers, 28, 4);
    row!(cuc_tile_entry.stack_bytes, 32, 4);
    row!(cuc_tile_entry.reserved, 36, 4);
    row!(cuc_tile_interpret_options, 48, 8);
    row!(cuc_tile_interpret_options.struct_size, 0, 8);
    row!(cuc_tile_interpret_options.grid, 8, 12);
    row!(cuc_tile_interpret_options.reserved, 20, 4);
    row!(cuc_tile_interpret_options.print, 24, 8);
    row!(cuc_tile_interpret_options.user, 32, 8);
    row!(cuc_tile_interpret_options.stop, 40, 8);
    row!(cuc_tile_parameter, 32, 8);
    row!(cuc_tile_parameter.struct_size, 0, 8);
    row!(cuc_tile_parameter.name, 8, 8);
    row!(cuc_tile_parameter.dtype, 16, 4);
    row!(cuc_tile_parameter.rank, 20, 4);
    row!(cuc_tile_parameter.written, 24, 4);
    row!(cuc_tile_parameter.reserved, 28, 4);
    row!(cuc_tuned_record, 72, 8);
    row!(cuc_tuned_record.struct_size, 0, 8);
    row!(cuc_tuned_record.gpu, 8, 8);
    row!(cuc_tuned_record.toolkit, 16, 8);
    row!(cuc_tuned_record.program, 24, 8);
    row!(cuc_tuned_record.kernel, 32, 8);
    row!(cuc_tuned_record.constants, 40, 8);
    row!(cuc_tuned_record.dimensions, 48, 8);
    row!(cuc_tuned_record.choice, 56, 8);
    row!(cuc_tuned_record.seconds, 64, 8);
}

pub fn functions() -> Vec<(&'static str, *const ())> {
    vec![
        ("cuc_algorithm_args_init", cucore_sys::cuc_algorithm_args_init as *const ()),
        ("cuc_algorithm_create", cucore_sys::cuc_algorithm_create as *const ()),
        ("cuc_algorithm_options_init", cucore_sys::cuc_algorithm_options_init as *const ()),
        ("cuc_algorithm_release", cucore_sys::cuc_algorithm_release as *const ()),
        ("cuc_algorithm_retain", cucore_sys::cuc_algorithm_retain as *const ()),
        ("cuc_algorithm_run", cucore_sys::cuc_algorithm_run as *const ()),
        ("cuc_algorithm_source", cucore_sys::cuc_algorithm_source as *const ()),
        ("cuc_algorithm_workspace_bytes", cucore_sys::cuc_algorithm_workspace_bytes as *const ()),
        ("cuc_attention", cucore_sys::cuc_attention as *const ()),
        ("cuc_attention_append", cucore_sys::cuc_attention_append as *const ()),
        ("cuc_attention_args_init", cucore_sys::cuc_attention_args_init as *const ()),
        ("cuc_attention_backward", cucore_sys::cuc_attention_backward as *const ()),
        ("cuc_attention_options_init", cucore_sys::cuc_attention_options_init as *const ()),
        ("cuc_attention_plan_create", cucore_sys::cuc_attention_plan_create as *const ()),
        ("cuc_attention_plan_get_choice", cucore_sys::cuc_attention_plan_get_choice as *const ()),
        ("cuc_attention_plan_release", cucore_sys::cuc_attention_plan_release as *const ()),
        ("cuc_attention_plan_retain", cucore_sys::cuc_attention_plan_retain as *const ()),
        ("cuc_attention_plan_source", cucore_sys::cuc_attention_plan_source as *const ()),
        ("cuc_attention_plan_workspace_bytes", cucore_sys::cuc_attention_plan_workspace_bytes as *const ()),
        ("cuc_buffer_access", cucore_sys::cuc_buffer_access as *const ()),
        ("cuc_buffer_bytes", cucore_sys::cuc_buffer_bytes as *const ()),
        ("cuc_buffer_copy", cucore_sys::cuc_buffer_copy as *const ()),
        ("cuc_buffer_create", cucore_sys::cuc_buffer_create as *const ()),
        ("cuc_buffer_device", cucore_sys::cuc_buffer_device as *const ()),
        ("cuc_buffer_export", cucore_sys::cuc_buffer_export as *const ()),
        ("cuc_buffer_export_pieces", cucore_sys::cuc_buffer_export_pieces as *const ()),
        ("cuc_buffer_fill", cucore_sys::cuc_buffer_fill as *const ()),
        ("cuc_buffer_from_ipc_handle", cucore_sys::cuc_buffer_from_ipc_handle as *const ()),
        ("cuc_buffer_from_pieces", cucore_sys::cuc_buffer_from_pieces as *const ()),
        ("cuc_buffer_from_pointer", cucore_sys::cuc_buffer_from_pointer as *const ()),
        ("cuc_buffer_get_host_pointer", cucore_sys::cuc_buffer_get_host_pointer as *const ()),
        ("cuc_buffer_grow", cucore_sys::cuc_buffer_grow as *const ()),
        ("cuc_buffer_memory_resource", cucore_sys::cuc_buffer_memory_resource as *const ()),
        ("cuc_buffer_options_init", cucore_sys::cuc_buffer_options_init as *const ()),
        ("cuc_buffer_owner", cucore_sys::cuc_buffer_owner as *const ()),
        ("cuc_buffer_parent", cucore_sys::cuc_buffer_parent as *const ()),
        ("cuc_buffer_ptr", cucore_sys::cuc_buffer_ptr as *const ()),
        ("cuc_buffer_read_async", cucore_sys::cuc_buffer_read_async as *const ()),
        ("cuc_buffer_release", cucore_sys::cuc_buffer_release as *const ()),
        ("cuc_buffer_retain", cucore_sys::cuc_buffer_retain as *const ()),
        ("cuc_buffer_set_stream", cucore_sys::cuc_buffer_set_stream as *const ()),
        ("cuc_buffer_slice", cucore_sys::cuc_buffer_slice as *const ()),
        ("cuc_buffer_stream", cucore_sys::cuc_buffer_stream as *const ()),
        ("cuc_buffer_write_async", cucore_sys::cuc_buffer_write_async as *const ()),
        ("cuc_cache_clear", cucore_sys::cuc_cache_clear as *const ()),
        ("cuc_cache_default", cucore_sys::cuc_cache_default as *const ()),
        ("cuc_cache_get_info", cucore_sys::cuc_cache_get_info as *const ()),
        ("cuc_cache_list", cucore_sys::cuc_cache_list as *const ()),
        ("cuc_cache_none", cucore_sys::cuc_cache_none as *const ()),
        ("cuc_cache_open", cucore_sys::cuc_cache_open as *const ()),
        ("cuc_cache_options_init", cucore_sys::cuc_cache_options_init as *const ()),
        ("cuc_cache_read", cucore_sys::cuc_cache_read as *const ()),
        ("cuc_cache_release", cucore_sys::cuc_cache_release as *const ()),
        ("cuc_cache_remove", cucore_sys::cuc_cache_remove as *const ()),
        ("cuc_cache_retain", cucore_sys::cuc_cache_retain as *const ()),
        ("cuc_cache_verify", cucore_sys::cuc_cache_verify as *const ()),
        ("cuc_cache_write", cucore_sys::cuc_cache_write as *const ()),
        ("cuc_code_from_name", cucore_sys::cuc_code_from_name as *const ()),
        ("cuc_code_name", cucore_sys::cuc_code_name as *const ()),
        ("cuc_context_device", cucore_sys::cuc_context_device as *const ()),
        ("cuc_context_disable_peer_access", cucore_sys::cuc_context_disable_peer_access as *const ()),
        ("cuc_context_enable_peer_access", cucore_sys::cuc_context_enable_peer_access as *const ()),
        ("cuc_context_event_create", cucore_sys::cuc_context_event_create as *const ()),
        ("cuc_context_from_handle", cucore_sys::cuc_context_from_handle as *const ()),
        ("cuc_context_get_current", cucore_sys::cuc_context_get_current as *const ()),
        ("cuc_context_get_id", cucore_sys::cuc_context_get_id as *const ()),
        ("cuc_context_get_limit", cucore_sys::cuc_context_get_limit as *const ()),
        ("cuc_context_get_priority_range", cucore_sys::cuc_context_get_priority_range as *const ()),
        ("cuc_context_handle", cucore_sys::cuc_context_handle as *const ()),
        ("cuc_context_is_lost", cucore_sys::cuc_context_is_lost as *const ()),
        ("cuc_context_is_primary", cucore_sys::cuc_context_is_primary as *const ()),
        ("cuc_context_release", cucore_sys::cuc_context_release as *const ()),
        ("cuc_context_retain", cucore_sys::cuc_context_retain as *const ()),
        ("cuc_context_set_current", cucore_sys::cuc_context_set_current as *const ()),
        ("cuc_context_set_limit", cucore_sys::cuc_context_set_limit as *const ()),
        ("cuc_context_stream_create", cucore_sys::cuc_context_stream_create as *const ()),
        ("cuc_context_synchronize", cucore_sys::cuc_context_synchronize as *const ()),
        ("cuc_copy", cucore_sys::cuc_copy as *const ()),
        ("cuc_copy_2d", cucore_sys::cuc_copy_2d as *const ()),
        ("cuc_copy_2d_params_init", cucore_sys::cuc_copy_2d_params_init as *const ()),
        ("cuc_copy_3d", cucore_sys::cuc_copy_3d as *const ()),
        ("cuc_copy_3d_params_init", cucore_sys::cuc_copy_3d_params_init as *const ()),
        ("cuc_copy_batch", cucore_sys::cuc_copy_batch as *const ()),
        ("cuc_copy_batch_params_init", cucore_sys::cuc_copy_batch_params_init as *const ()),
        ("cuc_copy_peer", cucore_sys::cuc_copy_peer as *const ()),
        ("cuc_copy_to_device", cucore_sys::cuc_copy_to_device as *const ()),
        ("cuc_copy_to_host", cucore_sys::cuc_copy_to_host as *const ()),
        ("cuc_device_arch", cucore_sys::cuc_device_arch as *const ()),
        ("cuc_device_attribute_at", cucore_sys::cuc_device_attribute_at as *const ()),
        ("cuc_device_attribute_count", cucore_sys::cuc_device_attribute_count as *const ()),
        ("cuc_device_attribute_from_name", cucore_sys::cuc_device_attribute_from_name as *const ()),
        ("cuc_device_can_access_peer", cucore_sys::cuc_device_can_access_peer as *const ()),
        ("cuc_device_get", cucore_sys::cuc_device_get as *const ()),
        ("cuc_device_get_attribute", cucore_sys::cuc_device_get_attribute as *const ()),
        ("cuc_device_get_by_pci_bus_id", cucore_sys::cuc_device_get_by_pci_bus_id as *const ()),
        ("cuc_device_get_compute_capability", cucore_sys::cuc_device_get_compute_capability as *const ()),
        ("cuc_device_get_context", cucore_sys::cuc_device_get_context as *const ()),
        ("cuc_device_get_count", cucore_sys::cuc_device_get_count as *const ()),
        ("cuc_device_get_current", cucore_sys::cuc_device_get_current as *const ()),
        ("cuc_device_get_graph_memory", cucore_sys::cuc_device_get_graph_memory as *const ()),
        ("cuc_device_get_memory_info", cucore_sys::cuc_device_get_memory_info as *const ()),
        ("cuc_device_get_memory_resource", cucore_sys::cuc_device_get_memory_resource as *const ()),
        ("cuc_device_get_peer_attribute", cucore_sys::cuc_device_get_peer_attribute as *const ()),
        ("cuc_device_get_properties", cucore_sys::cuc_device_get_properties as *const ()),
        ("cuc_device_get_sensors", cucore_sys::cuc_device_get_sensors as *const ()),
        ("cuc_device_get_sms", cucore_sys::cuc_device_get_sms as *const ()),
        ("cuc_device_get_uuid_bytes", cucore_sys::cuc_device_get_uuid_bytes as *const ()),
        ("cuc_device_handle", cucore_sys::cuc_device_handle as *const ()),
        ("cuc_device_name", cucore_sys::cuc_device_name as *const ()),
        ("cuc_device_ordinal", cucore_sys::cuc_device_ordinal as *const ()),
        ("cuc_device_pci_bus_id", cucore_sys::cuc_device_pci_bus_id as *const ()),
        ("cuc_device_reset_graph_memory", cucore_sys::cuc_device_reset_graph_memory as *const ()),
        ("cuc_device_set_current", cucore_sys::cuc_device_set_current as *const ()),
        ("cuc_device_set_memory_resource", cucore_sys::cuc_device_set_memory_resource as *const ()),
        ("cuc_device_synchronize", cucore_sys::cuc_device_synchronize as *const ()),
        ("cuc_device_trim_graph_memory", cucore_sys::cuc_device_trim_graph_memory as *const ()),
        ("cuc_device_uuid", cucore_sys::cuc_device_uuid as *const ()),
        ("cuc_driver_get_path", cucore_sys::cuc_driver_get_path as *const ()),
        ("cuc_driver_get_version", cucore_sys::cuc_driver_get_version as *const ()),
        ("cuc_driver_is_simulated", cucore_sys::cuc_driver_is_simulated as *const ()),
        ("cuc_dtype_bits", cucore_sys::cuc_dtype_bits as *const ()),
        ("cuc_dtype_from_name", cucore_sys::cuc_dtype_from_name as *const ()),
        ("cuc_dtype_name", cucore_sys::cuc_dtype_name as *const ()),
        ("cuc_error_clear", cucore_sys::cuc_error_clear as *const ()),
        ("cuc_error_explanation", cucore_sys::cuc_error_explanation as *const ()),
        ("cuc_error_function", cucore_sys::cuc_error_function as *const ()),
        ("cuc_error_library", cucore_sys::cuc_error_library as *const ()),
        ("cuc_error_library_call", cucore_sys::cuc_error_library_call as *const ()),
        ("cuc_error_library_code", cucore_sys::cuc_error_library_code as *const ()),
        ("cuc_error_library_symbol", cucore_sys::cuc_error_library_symbol as *const ()),
        ("cuc_error_log", cucore_sys::cuc_error_log as *const ()),
        ("cuc_error_message", cucore_sys::cuc_error_message as *const ()),
        ("cuc_error_note", cucore_sys::cuc_error_note as *const ()),
        ("cuc_error_note_count", cucore_sys::cuc_error_note_count as *const ()),
        ("cuc_error_set", cucore_sys::cuc_error_set as *const ()),
        ("cuc_error_status", cucore_sys::cuc_error_status as *const ()),
        ("cuc_event_context", cucore_sys::cuc_event_context as *const ()),
        ("cuc_event_create", cucore_sys::cuc_event_create as *const ()),
        ("cuc_event_device", cucore_sys::cuc_event_device as *const ()),
        ("cuc_event_export", cucore_sys::cuc_event_export as *const ()),
        ("cuc_event_flags", cucore_sys::cuc_event_flags as *const ()),
        ("cuc_event_from_handle", cucore_sys::cuc_event_from_handle as *const ()),
        ("cuc_event_from_ipc_handle", cucore_sys::cuc_event_from_ipc_handle as *const ()),
        ("cuc_event_get_elapsed", cucore_sys::cuc_event_get_elapsed as *const ()),
        ("cuc_event_get_fd", cucore_sys::cuc_event_get_fd as *const ()),
        ("cuc_event_handle", cucore_sys::cuc_event_handle as *const ()),
        ("cuc_event_options_init", cucore_sys::cuc_event_options_init as *const ()),
        ("cuc_event_query", cucore_sys::cuc_event_query as *const ()),
        ("cuc_event_record", cucore_sys::cuc_event_record as *const ()),
        ("cuc_event_record_external", cucore_sys::cuc_event_record_external as *const ()),
        ("cuc_event_release", cucore_sys::cuc_event_release as *const ()),
        ("cuc_event_retain", cucore_sys::cuc_event_retain as *const ()),
        ("cuc_event_synchronize", cucore_sys::cuc_event_synchronize as *const ()),
        ("cuc_explain", cucore_sys::cuc_explain as *const ()),
        ("cuc_explain_at", cucore_sys::cuc_explain_at as *const ()),
        ("cuc_explain_count", cucore_sys::cuc_explain_count as *const ()),
        ("cuc_explain_text", cucore_sys::cuc_explain_text as *const ()),
        ("cuc_fatbin_create", cucore_sys::cuc_fatbin_create as *const ()),
        ("cuc_fatbin_options_init", cucore_sys::cuc_fatbin_options_init as *const ()),
        ("cuc_fill", cucore_sys::cuc_fill as *const ()),
        ("cuc_fill_2d", cucore_sys::cuc_fill_2d as *const ()),
        ("cuc_fill_2d_params_init", cucore_sys::cuc_fill_2d_params_init as *const ()),
        ("cuc_find_header_count", cucore_sys::cuc_find_header_count as *const ()),
        ("cuc_find_header_dir", cucore_sys::cuc_find_header_dir as *const ()),
        ("cuc_find_header_name", cucore_sys::cuc_find_header_name as *const ()),
        ("cuc_find_library", cucore_sys::cuc_find_library as *const ()),
        ("cuc_find_library_count", cucore_sys::cuc_find_library_count as *const ()),
        ("cuc_find_library_name", cucore_sys::cuc_find_library_name as *const ()),
        ("cuc_found_method", cucore_sys::cuc_found_method as *const ()),
        ("cuc_found_path", cucore_sys::cuc_found_path as *const ()),
        ("cuc_found_release", cucore_sys::cuc_found_release as *const ()),
        ("cuc_found_retain", cucore_sys::cuc_found_retain as *const ()),
        ("cuc_found_tried_at", cucore_sys::cuc_found_tried_at as *const ()),
        ("cuc_found_tried_count", cucore_sys::cuc_found_tried_count as *const ()),
        ("cuc_gemm", cucore_sys::cuc_gemm as *const ()),
        ("cuc_gemm_args_init", cucore_sys::cuc_gemm_args_init as *const ()),
        ("cuc_gemm_batched", cucore_sys::cuc_gemm_batched as *const ()),
        ("cuc_gemm_grouped", cucore_sys::cuc_gemm_grouped as *const ()),
        ("cuc_gemm_options_init", cucore_sys::cuc_gemm_options_init as *const ()),
        ("cuc_gemm_options_set_choice", cucore_sys::cuc_gemm_options_set_choice as *const ()),
        ("cuc_gemm_plan_create", cucore_sys::cuc_gemm_plan_create as *const ()),
        ("cuc_gemm_plan_get_choice", cucore_sys::cuc_gemm_plan_get_choice as *const ()),
        ("cuc_gemm_plan_get_record", cucore_sys::cuc_gemm_plan_get_record as *const ()),
        ("cuc_gemm_plan_release", cucore_sys::cuc_gemm_plan_release as *const ()),
        ("cuc_gemm_plan_retain", cucore_sys::cuc_gemm_plan_retain as *const ()),
        ("cuc_gemm_plan_source", cucore_sys::cuc_gemm_plan_source as *const ()),
        ("cuc_gemm_plan_workspace_bytes", cucore_sys::cuc_gemm_plan_workspace_bytes as *const ()),
        ("cuc_gemm_visit_candidates", cucore_sys::cuc_gemm_visit_candidates as *const ()),
        ("cuc_graph_add_edges", cucore_sys::cuc_graph_add_edges as *const ()),
        ("cuc_graph_add_empty", cucore_sys::cuc_graph_add_empty as *const ()),
        ("cuc_graph_condition_create", cucore_sys::cuc_graph_condition_create as *const ()),
        ("cuc_graph_create", cucore_sys::cuc_graph_create as *const ()),
        ("cuc_graph_exec_flags", cucore_sys::cuc_graph_exec_flags as *const ()),
        ("cuc_graph_exec_get_enabled", cucore_sys::cuc_graph_exec_get_enabled as *const ()),
        ("cuc_graph_exec_handle", cucore_sys::cuc_graph_exec_handle as *const ()),
        ("cuc_graph_exec_launch", cucore_sys::cuc_graph_exec_launch as *const ()),
        ("cuc_graph_exec_options_init", cucore_sys::cuc_graph_exec_options_init as *const ()),
        ("cuc_graph_exec_release", cucore_sys::cuc_graph_exec_release as *const ()),
        ("cuc_graph_exec_retain", cucore_sys::cuc_graph_exec_retain as *const ()),
        ("cuc_graph_exec_set_enabled", cucore_sys::cuc_graph_exec_set_enabled as *const ()),
        ("cuc_graph_exec_update", cucore_sys::cuc_graph_exec_update as *const ()),
        ("cuc_graph_exec_upload", cucore_sys::cuc_graph_exec_upload as *const ()),
        ("cuc_graph_get_dot", cucore_sys::cuc_graph_get_dot as *const ()),
        ("cuc_graph_get_edge_count", cucore_sys::cuc_graph_get_edge_count as *const ()),
        ("cuc_graph_get_edges", cucore_sys::cuc_graph_get_edges as *const ()),
        ("cuc_graph_get_node_count", cucore_sys::cuc_graph_get_node_count as *const ()),
        ("cuc_graph_get_node_types", cucore_sys::cuc_graph_get_node_types as *const ()),
        ("cuc_graph_get_nodes", cucore_sys::cuc_graph_get_nodes as *const ()),
        ("cuc_graph_handle", cucore_sys::cuc_graph_handle as *const ()),
        ("cuc_graph_instantiate", cucore_sys::cuc_graph_instantiate as *const ()),
        ("cuc_graph_keep", cucore_sys::cuc_graph_keep as *const ()),
        ("cuc_graph_keep_buffer", cucore_sys::cuc_graph_keep_buffer as *const ()),
        ("cuc_graph_release", cucore_sys::cuc_graph_release as *const ()),
        ("cuc_graph_remove_edges", cucore_sys::cuc_graph_remove_edges as *const ()),
        ("cuc_graph_retain", cucore_sys::cuc_graph_retain as *const ()),
        ("cuc_graph_write_dot", cucore_sys::cuc_graph_write_dot as *const ()),
        ("cuc_green_context_create", cucore_sys::cuc_green_context_create as *const ()),
        ("cuc_green_context_device", cucore_sys::cuc_green_context_device as *const ()),
        ("cuc_green_context_get_sms", cucore_sys::cuc_green_context_get_sms as *const ()),
        ("cuc_green_context_handle", cucore_sys::cuc_green_context_handle as *const ()),
        ("cuc_green_context_release", cucore_sys::cuc_green_context_release as *const ()),
        ("cuc_green_context_retain", cucore_sys::cuc_green_context_retain as *const ()),
        ("cuc_green_context_stream_create", cucore_sys::cuc_green_context_stream_create as *const ()),
        ("cuc_histogram", cucore_sys::cuc_histogram as *const ()),
        ("cuc_host_address", cucore_sys::cuc_host_address as *const ()),
        ("cuc_host_get_device_pointer", cucore_sys::cuc_host_get_device_pointer as *const ()),
        ("cuc_host_register", cucore_sys::cuc_host_register as *const ()),
        ("cuc_host_unregister", cucore_sys::cuc_host_unregister as *const ()),
        ("cuc_kernel_attribute_from_name", cucore_sys::cuc_kernel_attribute_from_name as *const ()),
        ("cuc_kernel_attribute_name", cucore_sys::cuc_kernel_attribute_name as *const ()),
        ("cuc_kernel_from_handle", cucore_sys::cuc_kernel_from_handle as *const ()),
        ("cuc_kernel_from_source", cucore_sys::cuc_kernel_from_source as *const ()),
        ("cuc_kernel_from_symbol", cucore_sys::cuc_kernel_from_symbol as *const ()),
        ("cuc_kernel_get_attribute", cucore_sys::cuc_kernel_get_attribute as *const ()),
        ("cuc_kernel_get_function", cucore_sys::cuc_kernel_get_function as *const ()),
        ("cuc_kernel_get_parameter", cucore_sys::cuc_kernel_get_parameter as *const ()),
        ("cuc_kernel_get_parameter_count", cucore_sys::cuc_kernel_get_parameter_count as *const ()),
        ("cuc_kernel_handle", cucore_sys::cuc_kernel_handle as *const ()),
        ("cuc_kernel_name", cucore_sys::cuc_kernel_name as *const ()),
        ("cuc_kernel_object", cucore_sys::cuc_kernel_object as *const ()),
        ("cuc_kernel_release", cucore_sys::cuc_kernel_release as *const ()),
        ("cuc_kernel_retain", cucore_sys::cuc_kernel_retain as *const ()),
        ("cuc_kernel_set_attribute", cucore_sys::cuc_kernel_set_attribute as *const ()),
        ("cuc_kernel_set_cache_config", cucore_sys::cuc_kernel_set_cache_config as *const ()),
        ("cuc_kernel_symbol", cucore_sys::cuc_kernel_symbol as *const ()),
        ("cuc_launch", cucore_sys::cuc_launch as *const ()),
        ("cuc_launch_config_for", cucore_sys::cuc_launch_config_for as *const ()),
        ("cuc_launch_config_init", cucore_sys::cuc_launch_config_init as *const ()),
        ("cuc_launch_host", cucore_sys::cuc_launch_host as *const ()),
        ("cuc_launch_is_blocking", cucore_sys::cuc_launch_is_blocking as *const ()),
        ("cuc_library_count", cucore_sys::cuc_library_count as *const ()),
        ("cuc_library_get_source", cucore_sys::cuc_library_get_source as *const ()),
        ("cuc_library_name", cucore_sys::cuc_library_name as *const ()),
        ("cuc_linker_add", cucore_sys::cuc_linker_add as *const ()),
        ("cuc_linker_add_data", cucore_sys::cuc_linker_add_data as *const ()),
        ("cuc_linker_add_file", cucore_sys::cuc_linker_add_file as *const ()),
        ("cuc_linker_backend", cucore_sys::cuc_linker_backend as *const ()),
        ("cuc_linker_create", cucore_sys::cuc_linker_create as *const ()),
        ("cuc_linker_error_log", cucore_sys::cuc_linker_error_log as *const ()),
        ("cuc_linker_flag", cucore_sys::cuc_linker_flag as *const ()),
        ("cuc_linker_flag_count", cucore_sys::cuc_linker_flag_count as *const ()),
        ("cuc_linker_info_log", cucore_sys::cuc_linker_info_log as *const ()),
        ("cuc_linker_link", cucore_sys::cuc_linker_link as *const ()),
        ("cuc_linker_options_init", cucore_sys::cuc_linker_options_init as *const ()),
        ("cuc_linker_release", cucore_sys::cuc_linker_release as *const ()),
        ("cuc_linker_retain", cucore_sys::cuc_linker_retain as *const ()),
        ("cuc_memory_advise", cucore_sys::cuc_memory_advise as *const ()),
        ("cuc_memory_allocate", cucore_sys::cuc_memory_allocate as *const ()),
        ("cuc_memory_batch_init", cucore_sys::cuc_memory_batch_init as *const ()),
        ("cuc_memory_callbacks_init", cucore_sys::cuc_memory_callbacks_init as *const ()),
        ("cuc_memory_discard", cucore_sys::cuc_memory_discard as *const ()),
        ("cuc_memory_discard_and_prefetch_batch", cucore_sys::cuc_memory_discard_and_prefetch_batch as *const ()),
        ("cuc_memory_discard_batch", cucore_sys::cuc_memory_discard_batch as *const ()),
        ("cuc_memory_free", cucore_sys::cuc_memory_free as *const ()),
        ("cuc_memory_get_accessed_by", cucore_sys::cuc_memory_get_accessed_by as *const ()),
        ("cuc_memory_get_granularity", cucore_sys::cuc_memory_get_granularity as *const ()),
        ("cuc_memory_get_last_prefetch", cucore_sys::cuc_memory_get_last_prefetch as *const ()),
        ("cuc_memory_get_pointer_info", cucore_sys::cuc_memory_get_pointer_info as *const ()),
        ("cuc_memory_get_preferred_location", cucore_sys::cuc_memory_get_preferred_location as *const ()),
        ("cuc_memory_get_read_mostly", cucore_sys::cuc_memory_get_read_mostly as *const ()),
        ("cuc_memory_kind_name", cucore_sys::cuc_memory_kind_name as *const ()),
        ("cuc_memory_pool_create", cucore_sys::cuc_memory_pool_create as *const ()),
        ("cuc_memory_pool_export", cucore_sys::cuc_memory_pool_export as *const ()),
        ("cuc_memory_pool_from_fd", cucore_sys::cuc_memory_pool_from_fd as *const ()),
        ("cuc_memory_pool_from_handle", cucore_sys::cuc_memory_pool_from_handle as *const ()),
        ("cuc_memory_pool_get_access", cucore_sys::cuc_memory_pool_get_access as *const ()),
        ("cuc_memory_pool_get_attribute", cucore_sys::cuc_memory_pool_get_attribute as *const ()),
        ("cuc_memory_pool_get_current", cucore_sys::cuc_memory_pool_get_current as *const ()),
        ("cuc_memory_pool_get_default", cucore_sys::cuc_memory_pool_get_default as *const ()),
        ("cuc_memory_pool_get_statistics", cucore_sys::cuc_memory_pool_get_statistics as *const ()),
        ("cuc_memory_pool_handle", cucore_sys::cuc_memory_pool_handle as *const ()),
        ("cuc_memory_pool_make_current", cucore_sys::cuc_memory_pool_make_current as *const ()),
        ("cuc_memory_pool_options_init", cucore_sys::cuc_memory_pool_options_init as *const ()),
        ("cuc_memory_pool_reset_high_watermarks", cucore_sys::cuc_memory_pool_reset_high_watermarks as *const ()),
        ("cuc_memory_pool_set_access", cucore_sys::cuc_memory_pool_set_access as *const ()),
        ("cuc_memory_pool_set_attribute", cucore_sys::cuc_memory_pool_set_attribute as *const ()),
        ("cuc_memory_pool_trim", cucore_sys::cuc_memory_pool_trim as *const ()),
        ("cuc_memory_prefetch", cucore_sys::cuc_memory_prefetch as *const ()),
        ("cuc_memory_prefetch_batch", cucore_sys::cuc_memory_prefetch_batch as *const ()),
        ("cuc_memory_resource_access", cucore_sys::cuc_memory_resource_access as *const ()),
        ("cuc_memory_resource_create", cucore_sys::cuc_memory_resource_create as *const ()),
        ("cuc_memory_resource_device", cucore_sys::cuc_memory_resource_device as *const ()),
        ("cuc_memory_resource_is_pool", cucore_sys::cuc_memory_resource_is_pool as *const ()),
        ("cuc_memory_resource_kind", cucore_sys::cuc_memory_resource_kind as *const ()),
        ("cuc_memory_resource_release", cucore_sys::cuc_memory_resource_release as *const ()),
        ("cuc_memory_resource_retain", cucore_sys::cuc_memory_resource_retain as *const ()),
        ("cuc_memory_synchronous_create", cucore_sys::cuc_memory_synchronous_create as *const ()),
        ("cuc_memory_virtual_create", cucore_sys::cuc_memory_virtual_create as *const ()),
        ("cuc_memory_virtual_options_init", cucore_sys::cuc_memory_virtual_options_init as *const ()),
        ("cuc_merge", cucore_sys::cuc_merge as *const ()),
        ("cuc_node_get_graph", cucore_sys::cuc_node_get_graph as *const ()),
        ("cuc_node_get_launch", cucore_sys::cuc_node_get_launch as *const ()),
        ("cuc_node_get_type", cucore_sys::cuc_node_get_type as *const ()),
        ("cuc_node_type_name", cucore_sys::cuc_node_type_name as *const ()),
        ("cuc_nvfatbin_get_version", cucore_sys::cuc_nvfatbin_get_version as *const ()),
        ("cuc_nvjitlink_get_version", cucore_sys::cuc_nvjitlink_get_version as *const ()),
        ("cuc_nvml_get_driver_version", cucore_sys::cuc_nvml_get_driver_version as *const ()),
        ("cuc_nvrtc_get_archs", cucore_sys::cuc_nvrtc_get_archs as *const ()),
        ("cuc_nvrtc_get_version", cucore_sys::cuc_nvrtc_get_version as *const ()),
        ("cuc_object_create", cucore_sys::cuc_object_create as *const ()),
        ("cuc_object_from_file", cucore_sys::cuc_object_from_file as *const ()),
        ("cuc_object_get_code", cucore_sys::cuc_object_get_code as *const ()),
        ("cuc_object_get_global", cucore_sys::cuc_object_get_global as *const ()),
        ("cuc_object_get_kernel", cucore_sys::cuc_object_get_kernel as *const ()),
        ("cuc_object_get_kernel_count", cucore_sys::cuc_object_get_kernel_count as *const ()),
        ("cuc_object_get_kernel_name", cucore_sys::cuc_object_get_kernel_name as *const ()),
        ("cuc_object_get_library", cucore_sys::cuc_object_get_library as *const ()),
        ("cuc_object_get_managed", cucore_sys::cuc_object_get_managed as *const ()),
        ("cuc_object_get_mapping", cucore_sys::cuc_object_get_mapping as *const ()),
        ("cuc_object_get_module", cucore_sys::cuc_object_get_module as *const ()),
        ("cuc_object_get_ptx", cucore_sys::cuc_object_get_ptx as *const ()),
        ("cuc_object_get_unified_function", cucore_sys::cuc_object_get_unified_function as *const ()),
        ("cuc_object_kind", cucore_sys::cuc_object_kind as *const ()),
        ("cuc_object_load_log", cucore_sys::cuc_object_load_log as *const ()),
        ("cuc_object_log", cucore_sys::cuc_object_log as *const ()),
        ("cuc_object_mapping_count", cucore_sys::cuc_object_mapping_count as *const ()),
        ("cuc_object_name", cucore_sys::cuc_object_name as *const ()),
        ("cuc_object_options_init", cucore_sys::cuc_object_options_init as *const ()),
        ("cuc_object_release", cucore_sys::cuc_object_release as *const ()),
        ("cuc_object_retain", cucore_sys::cuc_object_retain as *const ()),
        ("cuc_object_save", cucore_sys::cuc_object_save as *const ()),
        ("cuc_occupancy_available_dynamic_shared", cucore_sys::cuc_occupancy_available_dynamic_shared as *const ()),
        ("cuc_occupancy_max_active_blocks", cucore_sys::cuc_occupancy_max_active_blocks as *const ()),
        ("cuc_occupancy_max_active_clusters", cucore_sys::cuc_occupancy_max_active_clusters as *const ()),
        ("cuc_occupancy_max_potential_block_size", cucore_sys::cuc_occupancy_max_potential_block_size as *const ()),
        ("cuc_occupancy_max_potential_cluster_size", cucore_sys::cuc_occupancy_max_potential_cluster_size as *const ()),
        ("cuc_occupancy_options_init", cucore_sys::cuc_occupancy_options_init as *const ()),
        ("cuc_parameter_type_name", cucore_sys::cuc_parameter_type_name as *const ()),
        ("cuc_program_backend", cucore_sys::cuc_program_backend as *const ()),
        ("cuc_program_compile", cucore_sys::cuc_program_compile as *const ()),
        ("cuc_program_compile_ns", cucore_sys::cuc_program_compile_ns as *const ()),
        ("cuc_program_create", cucore_sys::cuc_program_create as *const ()),
        ("cuc_program_flag", cucore_sys::cuc_program_flag as *const ()),
        ("cuc_program_flag_count", cucore_sys::cuc_program_flag_count as *const ()),
        ("cuc_program_from_library", cucore_sys::cuc_program_from_library as *const ()),
        ("cuc_program_get_key", cucore_sys::cuc_program_get_key as *const ()),
        ("cuc_program_log", cucore_sys::cuc_program_log as *const ()),
        ("cuc_program_options_init", cucore_sys::cuc_program_options_init as *const ()),
        ("cuc_program_pch_status", cucore_sys::cuc_program_pch_status as *const ()),
        ("cuc_program_release", cucore_sys::cuc_program_release as *const ()),
        ("cuc_program_retain", cucore_sys::cuc_program_retain as *const ()),
        ("cuc_python_add_call", cucore_sys::cuc_python_add_call as *const ()),
        ("cuc_python_add_dlpack", cucore_sys::cuc_python_add_dlpack as *const ()),
        ("cuc_python_add_methods", cucore_sys::cuc_python_add_methods as *const ()),
        ("cuc_python_get_base", cucore_sys::cuc_python_get_base as *const ()),
        ("cuc_python_get_launch", cucore_sys::cuc_python_get_launch as *const ()),
        ("cuc_reduce", cucore_sys::cuc_reduce as *const ()),
        ("cuc_runtime_get_version", cucore_sys::cuc_runtime_get_version as *const ()),
        ("cuc_runtime_set_device", cucore_sys::cuc_runtime_set_device as *const ()),
        ("cuc_scan", cucore_sys::cuc_scan as *const ()),
        ("cuc_search", cucore_sys::cuc_search as *const ()),
        ("cuc_select", cucore_sys::cuc_select as *const ()),
        ("cuc_set_failure_handler", cucore_sys::cuc_set_failure_handler as *const ()),
        ("cuc_set_library_path", cucore_sys::cuc_set_library_path as *const ()),
        ("cuc_sms_split", cucore_sys::cuc_sms_split as *const ()),
        ("cuc_sort", cucore_sys::cuc_sort as *const ()),
        ("cuc_status_name", cucore_sys::cuc_status_name as *const ()),
        ("cuc_status_text", cucore_sys::cuc_status_text as *const ()),
        ("cuc_stream_add_callback", cucore_sys::cuc_stream_add_callback as *const ()),
        ("cuc_stream_add_conditional", cucore_sys::cuc_stream_add_conditional as *const ()),
        ("cuc_stream_begin_capture", cucore_sys::cuc_stream_begin_capture as *const ()),
        ("cuc_stream_begin_capture_to", cucore_sys::cuc_stream_begin_capture_to as *const ()),
        ("cuc_stream_cancel_capture", cucore_sys::cuc_stream_cancel_capture as *const ()),
        ("cuc_stream_condition_create", cucore_sys::cuc_stream_condition_create as *const ()),
        ("cuc_stream_context", cucore_sys::cuc_stream_context as *const ()),
        ("cuc_stream_copy_attributes", cucore_sys::cuc_stream_copy_attributes as *const ()),
        ("cuc_stream_create", cucore_sys::cuc_stream_create as *const ()),
        ("cuc_stream_device", cucore_sys::cuc_stream_device as *const ()),
        ("cuc_stream_embed_graph", cucore_sys::cuc_stream_embed_graph as *const ()),
        ("cuc_stream_end_capture", cucore_sys::cuc_stream_end_capture as *const ()),
        ("cuc_stream_from_handle", cucore_sys::cuc_stream_from_handle as *const ()),
        ("cuc_stream_get_capture_info", cucore_sys::cuc_stream_get_capture_info as *const ()),
        ("cuc_stream_get_capture_nodes", cucore_sys::cuc_stream_get_capture_nodes as *const ()),
        ("cuc_stream_get_default", cucore_sys::cuc_stream_get_default as *const ()),
        ("cuc_stream_get_flags", cucore_sys::cuc_stream_get_flags as *const ()),
        ("cuc_stream_get_id", cucore_sys::cuc_stream_get_id as *const ()),
        ("cuc_stream_get_priority", cucore_sys::cuc_stream_get_priority as *const ()),
        ("cuc_stream_handle", cucore_sys::cuc_stream_handle as *const ()),
        ("cuc_stream_is_capturing", cucore_sys::cuc_stream_is_capturing as *const ()),
        ("cuc_stream_options_init", cucore_sys::cuc_stream_options_init as *const ()),
        ("cuc_stream_query", cucore_sys::cuc_stream_query as *const ()),
        ("cuc_stream_release", cucore_sys::cuc_stream_release as *const ()),
        ("cuc_stream_retain", cucore_sys::cuc_stream_retain as *const ()),
        ("cuc_stream_synchronize", cucore_sys::cuc_stream_synchronize as *const ()),
        ("cuc_stream_wait_event", cucore_sys::cuc_stream_wait_event as *const ()),
        ("cuc_stream_wait_external", cucore_sys::cuc_stream_wait_external as *const ()),
        ("cuc_stream_wait_stream", cucore_sys::cuc_stream_wait_stream as *const ()),
        ("cuc_stream_wait_value", cucore_sys::cuc_stream_wait_value as *const ()),
        ("cuc_stream_write_value", cucore_sys::cuc_stream_write_value as *const ()),
        ("cuc_tensor_bytes", cucore_sys::cuc_tensor_bytes as *const ()),
        ("cuc_tensor_check", cucore_sys::cuc_tensor_check as *const ()),
        ("cuc_tensor_elements", cucore_sys::cuc_tensor_elements as *const ()),
        ("cuc_tensor_from_buffer", cucore_sys::cuc_tensor_from_buffer as *const ()),
        ("cuc_tensor_from_dlpack", cucore_sys::cuc_tensor_from_dlpack as *const ()),
        ("cuc_tensor_from_dlpack_unversioned", cucore_sys::cuc_tensor_from_dlpack_unversioned as *const ()),
        ("cuc_tensor_from_pointer", cucore_sys::cuc_tensor_from_pointer as *const ()),
        ("cuc_tensor_is_contiguous", cucore_sys::cuc_tensor_is_contiguous as *const ()),
        ("cuc_tensor_map_encode_im2col", cucore_sys::cuc_tensor_map_encode_im2col as *const ()),
        ("cuc_tensor_map_encode_im2col_wide", cucore_sys::cuc_tensor_map_encode_im2col_wide as *const ()),
        ("cuc_tensor_map_encode_tiled", cucore_sys::cuc_tensor_map_encode_tiled as *const ()),
        ("cuc_tensor_map_options_init", cucore_sys::cuc_tensor_map_options_init as *const ()),
        ("cuc_tensor_map_replace_address", cucore_sys::cuc_tensor_map_replace_address as *const ()),
        ("cuc_tensor_to_dlpack", cucore_sys::cuc_tensor_to_dlpack as *const ()),
        ("cuc_tensor_to_dlpack_unversioned", cucore_sys::cuc_tensor_to_dlpack_unversioned as *const ()),
        ("cuc_tile_abs", cucore_sys::cuc_tile_abs as *const ()),
        ("cuc_tile_access_options_init", cucore_sys::cuc_tile_access_options_init as *const ()),
        ("cuc_tile_add", cucore_sys::cuc_tile_add as *const ()),
        ("cuc_tile_add_round", cucore_sys::cuc_tile_add_round as *const ()),
        ("cuc_tile_all", cucore_sys::cuc_tile_all as *const ()),
        ("cuc_tile_any", cucore_sys::cuc_tile_any as *const ()),
        ("cuc_tile_argmax", cucore_sys::cuc_tile_argmax as *const ()),
        ("cuc_tile_argmax_nan", cucore_sys::cuc_tile_argmax_nan as *const ()),
        ("cuc_tile_argmin", cucore_sys::cuc_tile_argmin as *const ()),
        ("cuc_tile_argmin_nan", cucore_sys::cuc_tile_argmin_nan as *const ()),
        ("cuc_tile_asm", cucore_sys::cuc_tile_asm as *const ()),
        ("cuc_tile_assert", cucore_sys::cuc_tile_assert as *const ()),
        ("cuc_tile_assume", cucore_sys::cuc_tile_assume as *const ()),
        ("cuc_tile_atan2", cucore_sys::cuc_tile_atan2 as *const ()),
        ("cuc_tile_atomic_add", cucore_sys::cuc_tile_atomic_add as *const ()),
        ("cuc_tile_atomic_and", cucore_sys::cuc_tile_atomic_and as *const ()),
        ("cuc_tile_atomic_cas", cucore_sys::cuc_tile_atomic_cas as *const ()),
        ("cuc_tile_atomic_max", cucore_sys::cuc_tile_atomic_max as *const ()),
        ("cuc_tile_atomic_min", cucore_sys::cuc_tile_atomic_min as *const ()),
        ("cuc_tile_atomic_or", cucore_sys::cuc_tile_atomic_or as *const ()),
        ("cuc_tile_atomic_xchg", cucore_sys::cuc_tile_atomic_xchg as *const ()),
        ("cuc_tile_atomic_xor", cucore_sys::cuc_tile_atomic_xor as *const ()),
        ("cuc_tile_bitand", cucore_sys::cuc_tile_bitand as *const ()),
        ("cuc_tile_bitcast", cucore_sys::cuc_tile_bitcast as *const ()),
        ("cuc_tile_bitnot", cucore_sys::cuc_tile_bitnot as *const ()),
        ("cuc_tile_bitor", cucore_sys::cuc_tile_bitor as *const ()),
        ("cuc_tile_bitxor", cucore_sys::cuc_tile_bitxor as *const ()),
        ("cuc_tile_block", cucore_sys::cuc_tile_block as *const ()),
        ("cuc_tile_bool", cucore_sys::cuc_tile_bool as *const ()),
        ("cuc_tile_break", cucore_sys::cuc_tile_break as *const ()),
        ("cuc_tile_broadcast", cucore_sys::cuc_tile_broadcast as *const ()),
        ("cuc_tile_budget_init", cucore_sys::cuc_tile_budget_init as *const ()),
        ("cuc_tile_cast", cucore_sys::cuc_tile_cast as *const ()),
        ("cuc_tile_cat", cucore_sys::cuc_tile_cat as *const ()),
        ("cuc_tile_cdiv", cucore_sys::cuc_tile_cdiv as *const ()),
        ("cuc_tile_ceil", cucore_sys::cuc_tile_ceil as *const ()),
        ("cuc_tile_continue", cucore_sys::cuc_tile_continue as *const ()),
        ("cuc_tile_copysign", cucore_sys::cuc_tile_copysign as *const ()),
        ("cuc_tile_cos", cucore_sys::cuc_tile_cos as *const ()),
        ("cuc_tile_cosh", cucore_sys::cuc_tile_cosh as *const ()),
        ("cuc_tile_cumprod", cucore_sys::cuc_tile_cumprod as *const ()),
        ("cuc_tile_cumsum", cucore_sys::cuc_tile_cumsum as *const ()),
        ("cuc_tile_declare", cucore_sys::cuc_tile_declare as *const ()),
        ("cuc_tile_dim", cucore_sys::cuc_tile_dim as *const ()),
        ("cuc_tile_dimension", cucore_sys::cuc_tile_dimension as *const ()),
        ("cuc_tile_div", cucore_sys::cuc_tile_div as *const ()),
        ("cuc_tile_div_round", cucore_sys::cuc_tile_div_round as *const ()),
        ("cuc_tile_divmod", cucore_sys::cuc_tile_divmod as *const ()),
        ("cuc_tile_dtype", cucore_sys::cuc_tile_dtype as *const ()),
        ("cuc_tile_element", cucore_sys::cuc_tile_element as *const ()),
        ("cuc_tile_else", cucore_sys::cuc_tile_else as *const ()),
        ("cuc_tile_end", cucore_sys::cuc_tile_end as *const ()),
        ("cuc_tile_enter", cucore_sys::cuc_tile_enter as *const ()),
        ("cuc_tile_eq", cucore_sys::cuc_tile_eq as *const ()),
        ("cuc_tile_erf", cucore_sys::cuc_tile_erf as *const ()),
        ("cuc_tile_exp", cucore_sys::cuc_tile_exp as *const ()),
        ("cuc_tile_exp2", cucore_sys::cuc_tile_exp2 as *const ()),
        ("cuc_tile_exp2_round", cucore_sys::cuc_tile_exp2_round as *const ()),
        ("cuc_tile_exp_round", cucore_sys::cuc_tile_exp_round as *const ()),
        ("cuc_tile_expand", cucore_sys::cuc_tile_expand as *const ()),
        ("cuc_tile_expm1", cucore_sys::cuc_tile_expm1 as *const ()),
        ("cuc_tile_extent", cucore_sys::cuc_tile_extent as *const ()),
        ("cuc_tile_extract", cucore_sys::cuc_tile_extract as *const ()),
        ("cuc_tile_fact", cucore_sys::cuc_tile_fact as *const ()),
        ("cuc_tile_float", cucore_sys::cuc_tile_float as *const ()),
        ("cuc_tile_floor", cucore_sys::cuc_tile_floor as *const ()),
        ("cuc_tile_floordiv", cucore_sys::cuc_tile_floordiv as *const ()),
        ("cuc_tile_fma", cucore_sys::cuc_tile_fma as *const ()),
        ("cuc_tile_fma_round", cucore_sys::cuc_tile_fma_round as *const ()),
        ("cuc_tile_for", cucore_sys::cuc_tile_for as *const ()),
        ("cuc_tile_full", cucore_sys::cuc_tile_full as *const ()),
        ("cuc_tile_full_list", cucore_sys::cuc_tile_full_list as *const ()),
        ("cuc_tile_gather", cucore_sys::cuc_tile_gather as *const ()),
        ("cuc_tile_ge", cucore_sys::cuc_tile_ge as *const ()),
        ("cuc_tile_get", cucore_sys::cuc_tile_get as *const ()),
        ("cuc_tile_get_entry", cucore_sys::cuc_tile_get_entry as *const ()),
        ("cuc_tile_get_ir", cucore_sys::cuc_tile_get_ir as *const ()),
        ("cuc_tile_get_machine", cucore_sys::cuc_tile_get_machine as *const ()),
        ("cuc_tile_get_parameter", cucore_sys::cuc_tile_get_parameter as *const ()),
        ("cuc_tile_get_record", cucore_sys::cuc_tile_get_record as *const ()),
        ("cuc_tile_gradient", cucore_sys::cuc_tile_gradient as *const ()),
        ("cuc_tile_gradient_at", cucore_sys::cuc_tile_gradient_at as *const ()),
        ("cuc_tile_grid", cucore_sys::cuc_tile_grid as *const ()),
        ("cuc_tile_grid_dependency_launch", cucore_sys::cuc_tile_grid_dependency_launch as *const ()),
        ("cuc_tile_grid_dependency_wait", cucore_sys::cuc_tile_grid_dependency_wait as *const ()),
        ("cuc_tile_gt", cucore_sys::cuc_tile_gt as *const ()),
        ("cuc_tile_histogram", cucore_sys::cuc_tile_histogram as *const ()),
        ("cuc_tile_if", cucore_sys::cuc_tile_if as *const ()),
        ("cuc_tile_insert", cucore_sys::cuc_tile_insert as *const ()),
        ("cuc_tile_int", cucore_sys::cuc_tile_int as *const ()),
        ("cuc_tile_interpret", cucore_sys::cuc_tile_interpret as *const ()),
        ("cuc_tile_interpret_options_init", cucore_sys::cuc_tile_interpret_options_init as *const ()),
        ("cuc_tile_iota", cucore_sys::cuc_tile_iota as *const ()),
        ("cuc_tile_isinf", cucore_sys::cuc_tile_isinf as *const ()),
        ("cuc_tile_isnan", cucore_sys::cuc_tile_isnan as *const ()),
        ("cuc_tile_kernel_begin", cucore_sys::cuc_tile_kernel_begin as *const ()),
        ("cuc_tile_kernel_end", cucore_sys::cuc_tile_kernel_end as *const ()),
        ("cuc_tile_le", cucore_sys::cuc_tile_le as *const ()),
        ("cuc_tile_leave", cucore_sys::cuc_tile_leave as *const ()),
        ("cuc_tile_load", cucore_sys::cuc_tile_load as *const ()),
        ("cuc_tile_load_at", cucore_sys::cuc_tile_load_at as *const ()),
        ("cuc_tile_load_rows", cucore_sys::cuc_tile_load_rows as *const ()),
        ("cuc_tile_log", cucore_sys::cuc_tile_log as *const ()),
        ("cuc_tile_log1p", cucore_sys::cuc_tile_log1p as *const ()),
        ("cuc_tile_log2", cucore_sys::cuc_tile_log2 as *const ()),
        ("cuc_tile_loop", cucore_sys::cuc_tile_loop as *const ()),
        ("cuc_tile_lt", cucore_sys::cuc_tile_lt as *const ()),
        ("cuc_tile_matmul", cucore_sys::cuc_tile_matmul as *const ()),
        ("cuc_tile_max", cucore_sys::cuc_tile_max as *const ()),
        ("cuc_tile_max_nan", cucore_sys::cuc_tile_max_nan as *const ()),
        ("cuc_tile_max_round", cucore_sys::cuc_tile_max_round as *const ()),
        ("cuc_tile_maximum", cucore_sys::cuc_tile_maximum as *const ()),
        ("cuc_tile_maximum_nan", cucore_sys::cuc_tile_maximum_nan as *const ()),
        ("cuc_tile_maximum_round", cucore_sys::cuc_tile_maximum_round as *const ()),
        ("cuc_tile_min", cucore_sys::cuc_tile_min as *const ()),
        ("cuc_tile_min_nan", cucore_sys::cuc_tile_min_nan as *const ()),
        ("cuc_tile_min_round", cucore_sys::cuc_tile_min_round as *const ()),
        ("cuc_tile_minimum", cucore_sys::cuc_tile_minimum as *const ()),
        ("cuc_tile_minimum_nan", cucore_sys::cuc_tile_minimum_nan as *const ()),
        ("cuc_tile_minimum_round", cucore_sys::cuc_tile_minimum_round as *const ()),
        ("cuc_tile_mma", cucore_sys::cuc_tile_mma as *const ()),
        ("cuc_tile_mod", cucore_sys::cuc_tile_mod as *const ()),
        ("cuc_tile_mul", cucore_sys::cuc_tile_mul as *const ()),
        ("cuc_tile_mul_round", cucore_sys::cuc_tile_mul_round as *const ()),
        ("cuc_tile_name", cucore_sys::cuc_tile_name as *const ()),
        ("cuc_tile_ne", cucore_sys::cuc_tile_ne as *const ()),
        ("cuc_tile_neg", cucore_sys::cuc_tile_neg as *const ()),
        ("cuc_tile_num_blocks", cucore_sys::cuc_tile_num_blocks as *const ()),
        ("cuc_tile_permute", cucore_sys::cuc_tile_permute as *const ()),
        ("cuc_tile_philox", cucore_sys::cuc_tile_philox as *const ()),
        ("cuc_tile_place", cucore_sys::cuc_tile_place as *const ()),
        ("cuc_tile_pow", cucore_sys::cuc_tile_pow as *const ()),
        ("cuc_tile_print", cucore_sys::cuc_tile_print as *const ()),
        ("cuc_tile_prod", cucore_sys::cuc_tile_prod as *const ()),
        ("cuc_tile_prod_round", cucore_sys::cuc_tile_prod_round as *const ()),
        ("cuc_tile_program_create", cucore_sys::cuc_tile_program_create as *const ()),
        ("cuc_tile_program_finish", cucore_sys::cuc_tile_program_finish as *const ()),
        ("cuc_tile_program_log", cucore_sys::cuc_tile_program_log as *const ()),
        ("cuc_tile_program_release", cucore_sys::cuc_tile_program_release as *const ()),
        ("cuc_tile_program_retain", cucore_sys::cuc_tile_program_retain as *const ()),
        ("cuc_tile_program_set_budget", cucore_sys::cuc_tile_program_set_budget as *const ()),
        ("cuc_tile_rank", cucore_sys::cuc_tile_rank as *const ()),
        ("cuc_tile_rank_digits", cucore_sys::cuc_tile_rank_digits as *const ()),
        ("cuc_tile_reduce", cucore_sys::cuc_tile_reduce as *const ()),
        ("cuc_tile_reshape", cucore_sys::cuc_tile_reshape as *const ()),
        ("cuc_tile_return", cucore_sys::cuc_tile_return as *const ()),
        ("cuc_tile_roll", cucore_sys::cuc_tile_roll as *const ()),
        ("cuc_tile_round", cucore_sys::cuc_tile_round as *const ()),
        ("cuc_tile_rsqrt", cucore_sys::cuc_tile_rsqrt as *const ()),
        ("cuc_tile_rsqrt_round", cucore_sys::cuc_tile_rsqrt_round as *const ()),
        ("cuc_tile_scalar", cucore_sys::cuc_tile_scalar as *const ()),
        ("cuc_tile_scan", cucore_sys::cuc_tile_scan as *const ()),
        ("cuc_tile_scatter", cucore_sys::cuc_tile_scatter as *const ()),
        ("cuc_tile_select_entry", cucore_sys::cuc_tile_select_entry as *const ()),
        ("cuc_tile_set", cucore_sys::cuc_tile_set as *const ()),
        ("cuc_tile_shift", cucore_sys::cuc_tile_shift as *const ()),
        ("cuc_tile_shl", cucore_sys::cuc_tile_shl as *const ()),
        ("cuc_tile_shr", cucore_sys::cuc_tile_shr as *const ()),
        ("cuc_tile_sigmoid", cucore_sys::cuc_tile_sigmoid as *const ()),
        ("cuc_tile_sin", cucore_sys::cuc_tile_sin as *const ()),
        ("cuc_tile_sinh", cucore_sys::cuc_tile_sinh as *const ()),
        ("cuc_tile_slice", cucore_sys::cuc_tile_slice as *const ()),
        ("cuc_tile_sort", cucore_sys::cuc_tile_sort as *const ()),
        ("cuc_tile_sqrt", cucore_sys::cuc_tile_sqrt as *const ()),
        ("cuc_tile_sqrt_round", cucore_sys::cuc_tile_sqrt_round as *const ()),
        ("cuc_tile_squeeze", cucore_sys::cuc_tile_squeeze as *const ()),
        ("cuc_tile_store", cucore_sys::cuc_tile_store as *const ()),
        ("cuc_tile_store_add", cucore_sys::cuc_tile_store_add as *const ()),
        ("cuc_tile_store_and", cucore_sys::cuc_tile_store_and as *const ()),
        ("cuc_tile_store_at", cucore_sys::cuc_tile_store_at as *const ()),
        ("cuc_tile_store_max", cucore_sys::cuc_tile_store_max as *const ()),
        ("cuc_tile_store_min", cucore_sys::cuc_tile_store_min as *const ()),
        ("cuc_tile_store_or", cucore_sys::cuc_tile_store_or as *const ()),
        ("cuc_tile_store_rows", cucore_sys::cuc_tile_store_rows as *const ()),
        ("cuc_tile_store_xor", cucore_sys::cuc_tile_store_xor as *const ()),
        ("cuc_tile_stride", cucore_sys::cuc_tile_stride as *const ()),
        ("cuc_tile_sub", cucore_sys::cuc_tile_sub as *const ()),
        ("cuc_tile_sub_round", cucore_sys::cuc_tile_sub_round as *const ()),
        ("cuc_tile_sum", cucore_sys::cuc_tile_sum as *const ()),
        ("cuc_tile_sum_round", cucore_sys::cuc_tile_sum_round as *const ()),
        ("cuc_tile_take", cucore_sys::cuc_tile_take as *const ()),
        ("cuc_tile_tan", cucore_sys::cuc_tile_tan as *const ()),
        ("cuc_tile_tanh", cucore_sys::cuc_tile_tanh as *const ()),
        ("cuc_tile_tanh_round", cucore_sys::cuc_tile_tanh_round as *const ()),
        ("cuc_tile_tensor", cucore_sys::cuc_tile_tensor as *const ()),
        ("cuc_tile_topk", cucore_sys::cuc_tile_topk as *const ()),
        ("cuc_tile_trans", cucore_sys::cuc_tile_trans as *const ()),
        ("cuc_tile_trunc", cucore_sys::cuc_tile_trunc as *const ()),
        ("cuc_tile_uint", cucore_sys::cuc_tile_uint as *const ()),
        ("cuc_tile_visit_candidates", cucore_sys::cuc_tile_visit_candidates as *const ()),
        ("cuc_tile_visit_dimensions", cucore_sys::cuc_tile_visit_dimensions as *const ()),
        ("cuc_tile_where", cucore_sys::cuc_tile_where as *const ()),
        ("cuc_tile_while", cucore_sys::cuc_tile_while as *const ()),
        ("cuc_tile_zeros", cucore_sys::cuc_tile_zeros as *const ()),
        ("cuc_topk", cucore_sys::cuc_topk as *const ()),
        ("cuc_tuned_add", cucore_sys::cuc_tuned_add as *const ()),
        ("cuc_tuned_find", cucore_sys::cuc_tuned_find as *const ()),
        ("cuc_tuned_program", cucore_sys::cuc_tuned_program as *const ()),
        ("cuc_unique", cucore_sys::cuc_unique as *const ()),
        ("cuc_version", cucore_sys::cuc_version as *const ()),
        ("cuc_version_string", cucore_sys::cuc_version_string as *const ()),
    ]
}
