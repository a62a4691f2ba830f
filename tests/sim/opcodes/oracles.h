// The oracles that rows name, a file for each family; none shares code with src/sim.
#ifndef CUCORE_TEST_OPCODES_ORACLES_H
#define CUCORE_TEST_OPCODES_ORACLES_H

#include "opcodes.h"

// oracle_integer.c
oracle integer_add, integer_sub, integer_mul, integer_mad, integer_mul24, integer_mad24,
    integer_sad, integer_div, integer_rem, integer_abs, integer_neg, integer_min_max, integer_popc,
    integer_clz, integer_bfind, integer_brev, integer_bfe, integer_bfi, integer_szext, integer_bmsk,
    integer_fns, integer_dot, carry_add, carry_sub, carry_saturated, carry_narrow, carry_mad,
    carry_mad_high, logic_and, logic_or, logic_xor, logic_not, logic_cnot, logic_mov,
    logic_mov_each, logic_pack, logic_unpack, logic_lop3, logic_lop3_predicate, logic_lop3_alone,
    logic_shl, logic_shr, logic_shf, logic_prmt, logic_prmt_mode;
// oracle_float.c
oracle float_arithmetic, float_mixed, float_fma_oob, float_min_max, float_abs, float_neg,
    float_copysign, float_testp, float_div_approx, float_rcp_approx, float_sqrt_approx,
    float_rsqrt_approx, float_sin, float_cos, float_lg2, float_ex2, float_tanh, float_rcp_gross,
    float_rsqrt_gross;
// oracle_compare.c
oracle compare_setp, compare_set, compare_selp, compare_slct;
// oracle_convert.c
oracle convert_number, convert_integral, convert_pair, convert_packed, convert_tf32,
    convert_stochastic, convert_pack;
// oracle_video.c
oracle video_scalar, video_shift, video_mad, video_set, video_simd, video_simd_set;
// oracle_memory.c
oracle memory_load, memory_same, memory_halves, memory_byte, memory_space, memory_partial,
    atomic_pair, atomic_red, atomic_vector, atomic_cas, atomic_cas_pair, atomic_exchange_pair,
    memory_wider;
// oracle_warp.c
oracle warp_shfl, warp_shfl_half, warp_vote, warp_ballot_part, warp_match, warp_redux, warp_all,
    warp_first_five, warp_elect, warp_kept, warp_branch, block_vote, block_mirror,
    block_half_mirror, barrier_counts, barrier_bytes;
// oracle_matrix.c
oracle matrix_mma, matrix_quad, matrix_load, matrix_store, matrix_move, matrix_wmma;

#endif
