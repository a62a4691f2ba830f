// Kernels that take many kinds of arguments and do nothing, for tests that inspect launches.
#ifndef CUCORE_TESTS_SUPPORT_LAUNCH_PTX_H
#define CUCORE_TESTS_SUPPORT_LAUNCH_PTX_H

// clang-format off
#define P(n) ".param .u32 many_" #n
static const char launch_ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry none()\n{\n ret;\n}\n"
    ".visible .entry faulty()\n{\n ret;\n}\n"
    ".visible .entry small()\n.maxntid 64, 1, 1\n{\n ret;\n}\n"
    ".visible .entry fixed()\n{\n"
    " .shared .align 4 .b8 block[1024];\n .reg .b32 %r<2>;\n"
    " mov.u32 %r1, block;\n st.volatile.shared.u32 [%r1], %r1;\n ret;\n}\n"
    ".visible .entry three(.param .f32 three_a, .param .u64 three_x, .param .u32 three_n)\n"
    "{\n ret;\n}\n"
    ".visible .entry one(.param .u64 one_x)\n{\n ret;\n}\n"
    ".visible .entry number(.param .f64 number_x)\n{\n ret;\n}\n"
    ".visible .entry wide(.param .align 16 .b8 wide_x[16])\n{\n ret;\n}\n"
    ".visible .entry kinds(.param .u8 k_0, .param .s8 k_1, .param .s8 k_2, .param .u8 k_3,\n"
    " .param .s16 k_4, .param .u16 k_5, .param .s32 k_6, .param .u32 k_7, .param .s64 k_8,\n"
    " .param .u64 k_9, .param .s64 k_10, .param .u64 k_11, .param .f32 k_12, .param .f64 k_13,\n"
    " .param .u64 k_14, .param .u64 k_15, .param .u64 k_16, .param .align 8 .b8 k_17[24],\n"
    " .param .align 2 .b8 k_18[2], .param .u64 k_19, .param .align 4 .b8 k_20[12])\n{\n ret;\n}\n"
    ".visible .entry many(\n"
    P(0) "," P(1) "," P(2) "," P(3) "," P(4) "," P(5) "," P(6) "," P(7) ","
    P(8) "," P(9) "," P(10) "," P(11) "," P(12) "," P(13) "," P(14) "," P(15) ","
    P(16) "," P(17) "," P(18) "," P(19) "," P(20) "," P(21) "," P(22) "," P(23) ","
    P(24) "," P(25) "," P(26) "," P(27) "," P(28) "," P(29) "," P(30) "," P(31)
    ")\n{\n ret;\n}\n";
#undef P
// clang-format on

#endif
