// Tests the format conversions that other parts of the simulator call, and the refusal of
// arithmetic instructions in forms that PTX lacks. opcodes/*.def tests the forms that exist.
#include "base/array.h"
#include "harness.h"
#include "opcodes/opcodes.h"
#include "sim/exec/formats.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Tests every code, and both sides of every rounding boundary.
static uint64_t soft_code(uint32_t f32, struct soft_format f, enum soft_mode mode, uint64_t limit,
                          bool clamp, uint64_t nan)
{
    struct soft x = soft_decode(f32, SOFT_F32);
    return x.kind == SOFT_NAN ? nan : soft_round(x, f, mode, limit, clamp);
}
// Compares without Check, whose assertions are too slow for ten million values.
#define SAME(got, want)                                                                \
    do {                                                                               \
        uint64_t same_got = (got), same_want = (want);                                 \
        if (same_got != same_want)                                                     \
            ck_abort_msg("%s of code %x is %llx, not %llx", #got, code,                \
                         (unsigned long long)same_got, (unsigned long long)same_want); \
    } while (0)
CASE("formats", .timeout = 120);

TEST(formats_are_exact_for_every_code)
{
    const struct soft_format e4m3 = { 4, 3 }, e5m2 = { 5, 2 };
    for (uint32_t code = 0; code < 0x10000; code++) {
        uint32_t f16 = sim_bits32(sim_f16_to_f32(code)), bf16 = sim_bits32(sim_bf16_to_f32(code));
        SAME(f16, soft_encode(soft_decode(code, SOFT_F16), SOFT_F32, SOFT_RN) &
                      (format_is_nan(code, SOFT_F16) ? 0x7fffffff : UINT32_MAX));
        SAME(bf16, format_is_nan(code, SOFT_BF16) ? 0x7fffffff : code << 16);
        if ((code & 0x7f) < 0x7c && code < 256)
            SAME(sim_bits32(sim_e5m2_to_f32(code)),
                 soft_encode(soft_decode(code, e5m2), SOFT_F32, SOFT_RN));
        if ((code & 0x7f) < 0x78 && code < 256)
            SAME(sim_bits32(sim_e4m3_to_f32(code)),
                 soft_encode(soft_decode(code, e4m3), SOFT_F32, SOFT_RN));
        // At a value, half way to the next value, and at the neighbors of both.
        const uint32_t steps[] = { 0x1000, 0x8000 }, at[] = { f16, bf16 };
        for (uint32_t k = 0; k < 12; k++) {
            uint32_t bits = at[k & 1] + (k & 2 ? steps[k & 1] : 0) + k / 4 - 1;
            float x = sim_float32(bits);
            SAME(sim_f32_to_f16(x), soft_code(bits, SOFT_F16, SOFT_RN, 0x7c00, 0, 0x7fff));
            SAME(sim_f32_to_bf16(x), soft_code(bits, SOFT_BF16, SOFT_RN, 0x7f80, 0, 0x7fff));
            SAME(sim_f32_to_e4m3(x), soft_code(bits, e4m3, SOFT_RN, 0x7f, 1, 0x7f));
            SAME(sim_f32_to_e5m2(x), soft_code(bits, e5m2, SOFT_RN, 0x7c, 1, 0x7f));
            for (int mode = 0; mode < 5; mode++) {
                const enum sim_rounding ours = (enum sim_rounding)mode;
                const enum soft_mode soft = (enum soft_mode)mode;
                SAME(sim_f32_to_f16_mode(x, ours, code & 1),
                     soft_code(bits, SOFT_F16, soft, 0x7c00, code & 1, 0x7fff));
                SAME(sim_f32_to_bf16_mode(x, ours, code & 1),
                     soft_code(bits, SOFT_BF16, soft, 0x7f80, code & 1, 0x7fff));
                uint64_t tf32 = soft_code(bits, SOFT_TF32, soft, 0xff << 10, code & 1, 0);
                if (!format_is_nan(bits, SOFT_F32) || ours != SIM_RNA)
                    SAME(sim_f32_to_tf32(x, ours, code & 1),
                         format_is_nan(bits, SOFT_F32) ? 0x7fffe000 : tf32 << 13);
            }
        }
    }
}

// Invalid instructions are refused at load.
static const char *const refused[] = {
    "add.sat.u32 %r1, %r2, %r3;",
    "mul.u32 %r1, %r2, %r3;",
    "add.rn.rz.f32 %f1, %f2, %f3;",
    "fma.f32 %f1, %f2, %f3, %f1;",
    "cvt.s32.f32 %r1, %f1;",
    "cvt.rn.s32.f32 %r1, %f1;",
    "cvt.f32.f64 %f1, %d1;",
    "cvt.rs.bf16.f32 %h1, %f1, %r3;",
    "setp.lt.b32 %p1, %r1, %r2;",
    "setp.lo.s32 %p1, %r1, %r2;",
    "setp.lt.and.s32 %p1, %r1, %r2;",
    "vadd.s32.s32.s32 %r1, %r2.b4, %r3;",
    "vadd.s32.s32.s32 %r1.b0, %r2, %r3;",
    "vadd2.s32.s32.s32.sat.add %r1, %r2, %r3, %r1;",
    "vadd4.s32.s32.s32 %r1.b01, %r2, %r3, %r1;",
    "vadd4.s32.s32.s32 %r1, %r2.b321, %r3, %r1;",
    "vmad.s32.s32.s32 %r1, -%r2, %r3, -%r1;",
    "vmad.s32.s32.s32.po %r1, -%r2, %r3, %r1;",
    "vshl.s32.s32.u32 %r1, %r2, %r3;",
    "lop3.xor.b32 %r1|%p1, %r1, %r2, %r3, 0x80, %p2;",
    "lop3.or.b32 %r1, %r1, %r2, %r3, 0x80, %p2;",
    "fma.rz.f16 %h1, %h2, %h3, %h1;",
    "fma.rz.bf16 %h1, %h2, %h3, %h1;",
    "fma.rp.relu.bf16x2 %r1, %r2, %r3, %r1;",
    "fma.rn.ftz.oob.f16 %h1, %h2, %h3, %h1;",
    "ex2.approx.bf16 %h1, %h2;",
    "cvt.rm.satfinite.f16.f32 %h1, %f1;",
    "cvt.rn.ftz.relu.f16.f32 %h1, %f1;",
    "cvt.rn.sat.bf16.f32 %h1, %f1;",
    "setp.lt.f16 %p1|%p2, %h1, %h2;",
    "set.lt.f32.f16 %f1, %h1, %h2;",
    "set.lt.u16.f32 %h1, %f1, %f2;",
    "mov.f16 %h1, %h2;",
    "selp.bf16x2 %r1, %r2, %r3, %p1;",
    "add.f16 %h1, %h2, 0x3c00;",
    "add.u32 %r1, %r2.b0, %r3;",
    "add.rn.ftz.f64 %d1, %d2, %d3;",
    "max.xorsign.f32 %f1, %f2, %f3;",
    "popc.u32 %r1, %r2;",
    "shl.u32 %r1, %r2, %r3;",
    "ex2.f32 %f1, %f2;",
    "div.f32 %f1, %f2, %f3;",
    "bfe.b32 %r1, %r2, 1, 1;",
    "add.u32 _, %r1, %r2;",
    "cvt.rn.e4m3x2.f32 %h1, %f1, %f2;",
};
TEST_ROWS(forms_that_do_not_exist_are_refused, refused)
{
    char ptx[512];
    snprintf(ptx, sizeof(ptx),
             HARNESS_HEADER
             ".visible .entry k()\n{\n.reg .b32 %%r<4>;\n.reg .b16 %%h<4>;\n"
             ".reg .f32 %%f<4>;\n.reg .f64 %%d<4>;\n.reg .pred %%p<4>;\n%s\nret;\n}\n",
             refused[_i]);
    ck_assert_ptr_nonnull(strstr(harness_refused(ptx), "line 11: "));
}

int main(void)
{
    return run_tests("formats");
}
