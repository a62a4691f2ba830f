// Tests which operands an instruction accepts: registers by type, constants, addresses by state
// space, the sink, parts and pairs. ptxas 13.0 accepts and refuses exactly the same ones.
#include "base/array.h"
#include "harness.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The first letters of a register's name tell its type: z 8 bits, h 16, r 32, d 64, q 128, p a
// predicate; others are registers of types other than .b.
#define PRELUDE                                                                                   \
    ".version 9.0\n.target sm_100a\n.address_size 64\n"                                           \
    ".global .align 16 .b8 gv[64]; .const .align 16 .b8 cv[64];\n"                                \
    ".visible .entry k(.param .u64 a, .param .align 16 .b8 pb[64])\n{\n"                          \
    ".reg .pred p0, p1, p2; .reg .b8 z0, z1; .reg .b16 h0, h1, h2, h3; .reg .u16 u16; .reg .b32 " \
    "r0, r1, r2, r3; .reg .u32 u32; .reg .s32 s32; .reg .f16 f16; .reg .f16x2 f16x2; .reg .f32 "  \
    "f0, f1, f2, f3; .reg .b64 d0, d1, d2; .reg .s64 s64; .reg .f64 g0, g1; .reg .b128 q0, q1;\n" \
    ".shared .align 16 .b8 sv[64]; .local .align 16 .b8 lv[64];\n"
enum { LINE = 9 }; // line of the statement

static const char *with(const char *statement)
{
    static char ptx[4096];
    snprintf(ptx, sizeof(ptx), PRELUDE "%s\nret;\n}\n", statement);
    return ptx;
}

static const struct {
    const char *statement, *told;
} refused[] = {
    // A destination of another width would overwrite a neighboring register.
    { "mov.u64 r0, d1;", "mov.u64: r0 is a .b32 register where a .u64 is expected" },
    { "mov.u32 d0, r1;", "d0 is a .b64 register where a .u32 is expected" },
    { "add.u16 r0, h1, h2;", "r0 is a .b32 register where a .u16 is expected" },
    { "add.u32 h0, r1, r2;", "h0 is a .b16 register where a .u32 is expected" },
    { "mul.wide.u32 r0, r1, r2;", "r0 is a .b32 register where a .u64 is expected" },
    { "mul.wide.u16 d0, h1, h2;", "d0 is a .b64 register where a .u32 is expected" },
    { "popc.b64 d0, d1;", "d0 is a .b64 register where a .u32 is expected" },
    { "clz.b64 d0, d1;", "d0 is a .b64 register" },
    { "bfind.s64 d0, d1;", "d0 is a .b64 register" },
    { "set.eq.u32.f64 d0, g0, g1;", "d0 is a .b64 register" },
    { "selp.b64 r0, d1, d2, p0;", "r0 is a .b32 register" },
    { "match.any.sync.b64 d0, d1, -1;", "d0 is a .b64 register" },
    { "activemask.b32 d0;", "d0 is a .b64 register" },
    { "cvta.global.u64 r0, d1;", "r0 is a .b32 register" },
    { "getctarank.u64 d0, d1;", "d0 is a .b64 register" },
    { "mapa.u64 r0, d1, r2;", "r0 is a .b32 register" },
    { "atom.global.add.u64 r0, [d1], d2;", "r0 is a .b32 register" },
    { "atom.global.cas.b16 r0, [d1], h1, h2;", "r0 is a .b32 register" },
    { "mbarrier.arrive.shared.b64 r0, [r1];", "r0 is a .b32 register" },
    { "cvt.rn.satfinite.e4m3x2.f32 r0, f0, f1;", "r0 is a .b32 register" },
    { "cvt.rn.satfinite.e2m1x2.f32 h0, f0, f1;", "h0 is a .b16 register" },
    { "cvt.rna.tf32.f32 f0, f1;", "f0 is a .f32 register where a .tf32 is expected" },
    { "setp.eq.u32 r0, r1, r2;", "r0 is a .b32 register where a .pred is expected" },
    { "setp.eq.u32 p0|r0, r1, r2;", "r0 is not a predicate" },
    // Sources, and the class of a register.
    { "add.u32 r0, r1, d2;", "d2 is a .b64 register where a .u32 is expected" },
    { "add.u64 d0, d1, r2;", "r2 is a .b32 register where a .u64 is expected" },
    { "shl.b64 d0, d1, d2;", "d2 is a .b64 register where a .u32 is expected" },
    { "shl.b32 r0, r1, h2;", "h2 is a .b16 register" },
    { "mad.wide.u32 d0, r1, r2, r3;", "r3 is a .b32 register where a .u64 is expected" },
    { "add.f32 u32, f0, f1;", "u32 is a .u32 register where a .f32 is expected" },
    { "add.u32 f0, r1, r2;", "f0 is a .f32 register where a .u32 is expected" },
    { "add.f16 u16, h1, h2;", "u16 is a .u16 register where a .f16 is expected" },
    { "add.bf16 f16, h1, h2;", "f16 is a .f16 register where a .bf16 is expected" },
    { "popc.b32 f0, r1;", "f0 is a .f32 register" },
    { "@r0 bra x; x:", "found r0, expected a predicate that is declared" },
    { "selp.u32 r0, r1, r2, r3;", "r3 is a .b32 register where a .pred is expected" },
    // All elements of a vector have one width.
    { "mov.b64 d0, {h0, h1};", "not a register of its part" },
    { "mov.b64 {r0, d1}, d0;", "not a register of its part" },
    { "mov.u32 r0, %tid;", "not a register of its part" },
    { "mov.v2.u32 {r0, d1}, {r1, r2};",
      "d1 is a .b64 register, those before it in the vector are not" },
    { "ld.global.v2.u32 {r0, d1}, [d0];",
      "d1 is a .b64 register, those before it in the vector are not" },
    { "st.global.v2.u16 [d0], {h0, r1};",
      "r1 is a .b32 register, those before it in the vector are not" },
    { "ld.global.u64 r0, [d0];", "r0 is a .b32 register where a .u64 is expected" },
    { "ld.global.u32 f0, [d0];", "f0 is a .f32 register where a .u32 is expected" },
    { "ld.global.f32 u32, [d0];", "u32 is a .u32 register where a .f32 is expected" },
    { "st.global.u32 [d0], h0;", "h0 is a .b16 register where a .u32 is expected" },
    { "cvt.u64.u32 r0, r1;", "r0 is a .b32 register where a .u64 is expected" },
    { "cvt.rn.f32.u32 f0, f1;", "f1 is a .f32 register where a .u32 is expected" },
    { "cvt.rn.f16.f32 u16, f1;", "u16 is a .u16 register where a .f16 is expected" },
    // The sink.
    { "add.u32 _, r1, r2;", "_ stands where it needs a register" },
    { "add.u32 r0, _, r2;", "" },
    { "mov.u32 _, r1;", "_ stands where it needs a register" },
    { "ld.global.u32 _, [d0];", "_ stands where it needs a register" },
    { "ld.global.v2.u32 {_, _}, [d0];", "every element is _" },
    { "st.global.v2.u32 [d0], {r0, _};", "_ stands where it needs a source" },
    { "shfl.sync.idx.b32 _, r1, 1, 0x1f, -1;", "_ stands where it needs a register" },
    { "shfl.sync.idx.b32 _|p0, r1, 1, 0x1f, -1;", "_ stands where it needs a register" },
    { "vote.sync.all.pred _, p0, -1;", "_ stands where it needs a register" },
    { "testp.finite.f32 _, f0;", "_ stands where it needs a register" },
    { "mbarrier.test_wait.shared.b64 _, [r0], d0;", "_ stands where it needs a register" },
    // Pairs, negation and parts.
    { "add.u32 r0|p0, r1, r2;", "one destination" },
    { "match.any.sync.b32 r0|p0, r1, -1;", "there is no such form" },
    { "ld.global.u32 r0|p0, [d0];", "one destination" },
    { "add.u32 r0, -r1, r2;", "r1 is negated" },
    { "add.u32 r0, r1.b0, r2;", "a part of r1" },
    { "add.u32 r0.h1, r1, r2;", "a part of r0" },
    // Constants and special registers.
    { "add.f32 f0, f1, 1;", "an integer stands where a .f32 is expected" },
    { "add.u32 r0, r1, 1.5;", "a floating-point number stands where a .u32 is expected" },
    { "add.s64 d0, d1, 0d3FF0000000000000;", "number stands where a .s64 is expected" },
    { "mov.b32 r0, 1.5;", "a floating-point number stands where a .b32 is expected" },
    { "mov.b64 d0, 0f3F800000;", "a floating-point number stands where a .b64 is expected" },
    { "cvt.rn.f32.u32 f0, 0f3F800000;", "number stands where a .u32 is expected" },
    { "st.global.u32 [d0], 1.5;", "number stands where a .u32 is expected" },
    { "add.f16 h0, h1, 0x3c00;", "a number stands where a .f16 register is expected" },
    { "mov.pred p0, %laneid;", "type .u32 stands where a .pred is expected" },
    { "mov.f32 f0, %tid.x;", "type .u32 stands where a .f32 is expected" },
    { "mov.u64 d0, %tid.x;", "type .u32 stands where a .u64 is expected" },
    // Addresses.
    { "ld.global.u32 r0, [r1];", "r1 has 32 bits, and an address of global memory 64" },
    { "red.add.u32 [r1], r0;", "r1 has 32 bits" },
    { "ld.shared.u32 r0, [f1];", "f1 is not an address" },
    { "ld.shared.u32 r0, [gv];", "gv is a .global variable" },
    { "st.global.u32 [sv], r0;", "sv is a .shared variable" },
    { "ld.const.u32 r0, [gv];", "gv is a .global variable" },
    { "ld.u32 r0, [cv];", "cv is a .const variable" },
    { "atom.global.add.u32 r0, [lv], r1;", "lv is a .local variable" },
    { "cvta.shared.u64 d0, gv;", "the variable is not of the space" },
    { "ld.relaxed.global.u32 r0, [d0];", "it has an order and no scope" },
    { "ld.relaxed.gpu.local.u32 r0, [lv];", "there is no such form" },
    { "ld.global.wb.u32 r0, [d0];", "unknown word wb" },
    { "ld.global.u32 r0, [d0], d1;", "there is no such form" },
    { "ld.shared.v8.b32 {r0, r1, r2, r3, r0, r1, r2, r3}, [sv];", "there is no such form" },
    // The message reports the error that is furthest along in the text.
    { "add.u32 r0, r1;", "it has 2 operands, and needs more" },
    { "add.u32 r0, r1, r2, r3;", "it has 4 operands, and needs 3" },
    { "cvt.rn.foo.f16.f32 h0, f0;", "unknown word foo" },
    { "stacksave.u16 h0;", "there is no such form" },
    // Repeated modifiers, conflicting modifiers, and modifiers that belong to the instruction's
    // name.
    { "add.ftz.ftz.f32 f0, f0, f1;", ".ftz stands twice" },
    { "ld.global.global.u32 r0, [d0];", ".global stands twice" },
    { "setp.eq.eq.u32 p0, r0, r1;", ".eq stands twice" },
    { "cvt.ftz.f32.rn.rni.f64 f0, d0;", "there is no such form" },
    { "ld.global.shared.u32 r0, [d0];", ".global and .shared exclude each other" },
    { "ld.volatile.ca.u32 r0, [d0];", ".volatile and .ca exclude each other" },
    { "vote.sync.any.all.pred p0, p1, -1;", "there is no such form" },
    { "atom.global.add.min.u32 r0, [d0], r1;", ".add and .min exclude each other" },
    { "mul.u32.lo r0, r1, r2;", ".lo belongs right after mul" },
    { "mad.cc.lo.u32 r0, r1, r2, r0;", ".lo belongs right after mad" },
    { "div.f32.full f0, f0, f1;", ".full belongs right after div" },
    { "mbarrier.shared.init.b64 [sv], 1;", ".init belongs right after mbarrier" },
    { "st.global.gpu.u32 [d0], r0;", "it has a scope and no order" },
};

CASE("operands", .timeout = 60);

TEST_ROWS(mismatched_operands_are_refused, refused)
{
    char line[16];
    const char *log = harness_refused(with(refused[_i].statement));

    snprintf(line, sizeof(line), "line %d: ", LINE);
    ck_assert_msg(strncmp(log, line, strlen(line)) == 0, "%s: %s", refused[_i].statement, log);
    ck_assert_msg(strstr(log, refused[_i].told) != NULL, "%s: %s", refused[_i].statement, log);
}

static const char *const taken[] = {
    // Modifiers in another order, and modifiers that ptxas accepts twice.
    "add.f32.ftz.rn f0, f0, f1;",
    "ld.u32.global r0, [d0];",
    "atom.add.release.gpu.u32 r0, [d0], r1;",
    "add.sat.sat.f32 f0, f0, f1;",
    "setp.u32.lo p0, r0, r1;",
    "mov.b32 r0, 0f3F800000;",
    "mov.b64 d0, 1.5;",
    "and.b32 r0, r1, 0f3F800000;",
    // .b registers accept any type of their size; signedness does not matter.
    "mov.b32 f0, r1;",
    "and.b32 f0, f1, u32;",
    "add.f32 r0, r1, f0;",
    "add.u32 s32, u32, r1;",
    "add.s64 d0, s64, d1;",
    "add.f16x2 r0, f16x2, r1;",
    "add.f16 h0, f16, h1;",
    "mov.b16 f16, h0;",
    "add.u16x2 r0, r1, f16x2;",
    "setp.eq.b64 p0, g0, d1;",
    "selp.f32 r0, f0, 1.0, p0;",
    "fma.rn.f32 f0, r1, f1, 0f3F800000;",
    "bfe.s64 d0, d1, u32, s32;",
    // Loads, stores and conversions take wider registers.
    "ld.global.u8 d0, [d1];",
    "ld.global.s16 r0, [d1];",
    "ld.global.b8 z0, [d1];",
    "ld.global.u32 q0, [d1];",
    "ld.global.f32 d0, [d1];",
    "ld.global.v2.u8 {r0, r1}, [d1];",
    "st.global.v2.u8 [d1], {d0, d1};",
    "st.global.u8 [d1], q0;",
    "st.global.b16 [d1], g0;",
    "cvt.u8.u32 d0, d1;",
    "cvt.s16.s8 q0, z0;",
    "cvt.rn.f16.f32 r0, d1;",
    "cvt.rzi.s32.f32 d0, r1;",
    "cvt.u32.u64 r0, q0;",
    "cvt.pack.sat.u8.s32.b32 d0, d1, r1, f0;",
    // The sink and pairs.
    "setp.eq.u32 _|p0, r1, r2;",
    "setp.eq.u32 p0|_, r1, r2;",
    "lop3.b32 _, r1, r2, r3, 0x80;",
    "elect.sync _|p0, -1;",
    "match.all.sync.b32 _|p0, r1, -1;",
    "shfl.sync.idx.b32 r0|_, r1, 1, 0x1f, -1;",
    "atom.global.add.u32 _, [d0], r1;",
    "atom.global.v2.f32.add _, [d0], {f0, f1};",
    "atom.global.v2.f32.add {f0, _}, [d0], {f0, f1};",
    "mbarrier.arrive.shared.b64 _, [sv];",
    "ld.global.v4.u32 {_, r0, _, r1}, [d0];",
    "mov.b64 {_, r0}, d0;",
    "mov.b32 r0, {_, h1};",
    ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0, _, f2, f3}, {r0, r1}, {r2}, "
     "{f0, f1, f2, f3};"),
    // Special registers.
    "mov.u16 h0, %tid.x;",
    "mov.v4.u32 {r0, r1, r2, r3}, %ctaid;",
    "mov.u32 r0, %pm7;",
    "mov.u64 d0, %pm0_64;",
    "mov.u32 r0, %envreg31;",
    "cvt.u64.u32 d0, %laneid;",
    "mov.pred p0, %is_explicit_cluster;",
    "mov.u64 d0, WARP_SZ;",
    // Addresses.
    "ld.shared.u32 r0, [r1];",
    "ld.shared.u32 r0, [d1+4];",
    "ld.u32 r0, [sv];",
    "ld.u32 r0, [lv];",
    "ld.u32 r0, [gv];",
    "atom.add.u32 r0, [sv], r1;",
    "ld.shared::cluster.u32 r0, [sv];",
    "isspacep.global p0, r1;",
    "mapa.shared::cluster.s32 r0, r1, 0;",
    "cvta.shared.u64 d0, sv;",
    "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 d0, [d1], r1, 0x100;",
    "createpolicy.cvt.L2.b64 d0, 0x10F0000000000000;",
    "stackrestore.u32 r0;",
    "mov.f32 f0, .5;",
    "bar.red.and.pred p0, 1, 64, !p1;",
    "cvt.rs.satfinite.e2m1x4.f32 h0, {f0, f1, f2, f3}, r0;",
};

TEST_ROWS(matching_operands_are_accepted, taken)
{
    sim_program_free(harness_load(with(taken[_i])));
}

// Features that a target lacks: a statement, and the first target that has the feature.
static const struct {
    const char *statement, *target;
    bool own; // only that target or its family has it
} since[] = {
    { "elect.sync r0|p0, -1;", "sm_90", false },
    { "add.bf16x2 r0, r1, r2;", "sm_90", false },
    { "cvt.rn.bf16.s32 h0, r1;", "sm_90", false },
    { "atom.global.v2.f32.add {f0, f1}, [d0], {f0, f1};", "sm_90", false },
    { "fence.acq_rel.cluster;", "sm_90", false },
    { "min.relu.s32 r0, r1, r2;", "sm_90", false },
    { "add.rn.f32x2 d0, d1, d2;", "sm_100", false },
    { "fma.rn.f32.bf16 f0, h0, h1, f1;", "sm_100", false },
    { "max.f32 f0, f1, f2, f3;", "sm_100", false },
    { "ld.global.v4.b64 {d0, d1, d2, d0}, [d1];", "sm_100", false },
    { "st.bulk.weak.shared::cta [r0], 64, 0;", "sm_100", false },
    { "cvt.rn.satfinite.e2m1x2.f32 z0, f0, f1;", "sm_100", true },
    { "cvt.rs.bf16x2.f32 r0, f0, f1, r2;", "sm_100", true },
    { "redux.sync.max.f32 f0, f1, -1;", "sm_100", true },
};

TEST_ROWS(a_target_has_its_features_and_no_others, since)
{
    char ptx[4096], told[64];
    const char *before = strcmp(since[_i].target, "sm_90") == 0 ? "sm_80 " : "sm_90a";

    snprintf(told, sizeof(told), "it needs .target %s%s", since[_i].target,
             since[_i].own ? "a or its like" : " or above");
    snprintf(ptx, sizeof(ptx), "%s", with(since[_i].statement));
    char *target = strstr(ptx, "sm_100a");
    memcpy(target, before, 6);
    target[6] = ' ';
    const char *log = harness_refused(ptx);
    ck_assert_msg(strstr(log, told) != NULL, "%s", log);
    snprintf(ptx, sizeof(ptx), "%s", with(since[_i].statement));
    if (!since[_i].own)
        memcpy(strstr(ptx, "sm_100a"), "sm_100 ", 7);
    sim_program_free(harness_load(ptx));
}

// Bodies of a kernel with 32 threads, and the value that each thread stores in its word of `out`
// (%rd1).
#define THREAD                                                                            \
    ".version 9.0\n.target sm_100a\n.address_size 64\n%s\n.visible .entry k(.param .u64 " \
    "out)\n{\n.reg .pred %%p<4>; .reg .b16 "                                              \
    "%%h<8>; .reg .b32 %%r<16>; .reg .b64 %%rd<16>; .reg .b128 %%q<2>; .reg .f32 "        \
    "%%f<4>;\n"                                                                           \
    ".shared .align 8 .b32 box[32];\nld.param.u64 %%rd1, [out]; mov.u32 %%r1, "           \
    "%%tid.x;\nmad.wide.u32 %%rd1, %%r1, 8, %%rd1;\n%s\nret;\n}\n"

static const struct {
    const char *name, *module, *body;
    uint64_t times, plus; // thread i stores i * times + plus
} bodies[] = {
    { "a wider register takes a load by its sign", "",
      "st.global.s32 [%rd1], -5; ld.global.s8 %rd2, [%rd1]; st.global.u64 [%rd1], %rd2;", 0,
      (uint64_t)-5 },
    { "128 bits take a load by its sign", "",
      "st.global.s32 [%rd1], -5; ld.global.s16 %q0, [%rd1]; mov.b128 {%rd2, %rd3}, %q0;\n"
      "sub.u64 %rd2, %rd2, %rd3; st.global.u64 [%rd1], %rd2;",
      0, (uint64_t)-4 },
    { "128 bits take an unsigned load with zeros", "",
      "mov.b128 %q0, {-1, -1}; st.global.u64 [%rd1], -5; ld.global.u32 %q0, [%rd1];\n"
      "mov.b128 {%rd2, %rd3}, %q0; add.u64 %rd2, %rd2, %rd3; st.global.u64 [%rd1], %rd2;",
      0, 0xfffffffb },
    { "a conversion reads the low part of 128 bits", "",
      "cvt.u64.u32 %rd2, %r1; mov.b128 %q0, {%rd2, 7}; cvt.u64.u32 %rd3, %q0;\n"
      "st.global.u64 [%rd1], %rd3;",
      1, 0 },
    { "a conversion extends to 128 bits", "",
      "neg.s32 %r2, %r1; sub.s32 %r2, %r2, 1; cvt.s32.s32 %q0, %r2; mov.b128 {%rd2, %rd3}, %q0;\n"
      "sub.u64 %rd2, %rd3, %rd2; st.global.u64 [%rd1], %rd2;",
      1, 0 },
    { "a store takes the low part of 128 bits", "",
      "mov.b128 %q0, {0x1234567890, 3}; st.global.u64 [%rd1], 0; st.global.u16 [%rd1], %q0;", 0,
      0x7890 },
    { "without a space the generic address of a variable is meant", "",
      ".local .align 8 .b32 own[2]; st.u32 [own+4], %r1; ld.local.u32 %r2, [own+4];\n"
      "setp.eq.u32 %p1, %r1, 3; @%p1 st.u32 [box+4], 100; bar.sync 0; ld.u32 %r3, [box+4];\n"
      "add.u32 %r2, %r2, %r3; cvt.u64.u32 %rd2, %r2; st.global.u64 [%rd1], %rd2;",
      1, 100 },
    { "an atomic operation meets a shared variable by its generic address", "",
      "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [box], 0; bar.sync 0;\n"
      "atom.add.u32 _, [box], 2; bar.sync 0; ld.shared.u32 %r2, [box];\n"
      "cvt.u64.u32 %rd2, %r2; st.global.u64 [%rd1], %rd2;",
      0, 64 },
    { "functions take and give registers",
      ".func (.reg .b32 sum, .reg .b64 wide) f(.reg .b32 x, .reg .b64 unused, .reg .b16 h)\n"
      "{ .reg .b32 t; cvt.u32.u16 t, h; add.u32 sum, x, t; { .reg .b32 x; mov.b32 x, 9; }\n"
      "cvt.u64.u32 wide, x; ret; }",
      "mov.b16 %h1, 7; call (%r2, %rd2), f, (%r1, %rd1, %h1);\n"
      "cvt.u64.u32 %rd3, %r2; mad.lo.u64 %rd2, %rd2, 100, %rd3; st.global.u64 [%rd1], %rd2;",
      101, 7 },
    { "lanes that part come back from registers of their own",
      ".func (.reg .b32 y) f(.reg .b32 x)\n{ .reg .pred p; .reg .b32 t;\nsetp.eq.u32 p, x, 0; "
      "mov.b32 "
      "y, 1;\n@p ret; sub.u32 t, x, 1; call (y), f, (t); add.u32 y, y, 2; ret; }",
      "call (%r2), f, (%r1); cvt.u64.u32 %rd2, %r2; st.global.u64 [%rd1], %rd2;", 2, 1 },
    { "numbers are arguments",
      ".func (.param .b64 y) f(.param .b32 a, .reg .b64 b, .param .f32 c)\n"
      "{ .reg .b32 r; .reg .b64 d; .reg .f32 e; ld.param.b32 r, [a]; ld.param.f32 e, [c];\n"
      "cvt.u64.u32 d, r; add.u64 d, d, b; cvt.rzi.u32.f32 r, e; mad.wide.u32 d, r, 1, d;\n"
      "st.param.b64 [y], d; ret; }",
      "{ .param .b64 y; call (y), f, (5, 0x100000000, 2.0); ld.param.b64 %rd2, [y]; }\n"
      "cvt.u64.u32 %rd3, %r1; add.u64 %rd2, %rd2, %rd3; st.global.u64 [%rd1], %rd2;",
      1, 0x100000007 },
    { "numbers are arguments of calls by address",
      ".func (.param .b32 y) f(.param .b32 a)\n"
      "{ .reg .b32 r; ld.param.b32 r, [a]; add.u32 r, r, 1; st.param.b32 [y], r; ret; }",
      "mov.u64 %rd2, f; P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "{ .param .b32 y; call (y), %rd2, (41), P; ld.param.b32 %r2, [y]; }\n"
      "cvt.u64.u32 %rd2, %r2; st.global.u64 [%rd1], %rd2;",
      0, 42 },
    { "a function has global and constant variables of its own", ".global .u32 mine = 1000;",
      "{ .global .align 8 .u64 mine = 20; .const .u64 where[2] = { 0, 22 }; .reg .b64 a;\n"
      "ld.global.u64 %rd2, [mine]; mov.u64 a, where; ld.const.u64 %rd3, [a+8]; }\n"
      "add.u64 %rd2, %rd2, %rd3; ld.global.u32 %rd3, [mine]; add.u64 %rd2, %rd2, %rd3;\n"
      "st.global.u64 [%rd1], %rd2;",
      0, 1042 },
    { "the stack has addresses of 32 bits too", "",
      ".local .align 16 .b32 own[4]; st.local.u32 [own], 5; stacksave.u32 %r2; mov.u32 %r3, 20;\n"
      "alloca.u32 %r4, %r3, 16; alloca.u32 %r8, %r3; st.local.u32 [%r4+16], %r1;\n"
      "st.local.u32 [%r8+8], 7; and.b32 %r5, %r4, 15; ld.local.u32 %r6, [%r4+16];\n"
      "stackrestore.u32 %r2; stacksave.u32 %r7; sub.u32 %r7, %r7, %r2; add.u32 %r6, %r6, %r7;\n"
      "add.u32 %r6, %r6, %r5; ld.local.u32 %r7, [own]; mad.lo.u32 %r6, %r7, 100, %r6;\n"
      "ld.local.u32 %r7, [%r8+8]; add.u32 %r6, %r6, %r7; cvt.u64.u32 %rd2, %r6;\n"
      "st.global.u64 [%rd1], %rd2;",
      1, 507 },
    { "st.bulk leaves zeros", "",
      "mad.lo.u32 %r2, %r1, 4, 0; mov.u32 %r3, box; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], "
      "1;\n"
      "bar.sync 0; setp.eq.u32 %p1, %r1, 0; @%p1 st.bulk.weak.shared::cta [%r3+16], 64, 0;\n"
      "bar.sync 0; ld.shared.u32 %r4, [box+12]; ld.shared.u32 %r5, [box+16];\n"
      "ld.shared.u32 %r6, [box+76]; ld.shared.u32 %r7, [box+80]; mad.lo.u32 %r4, %r4, 10, %r5;\n"
      "mad.lo.u32 %r4, %r4, 10, %r6; mad.lo.u32 %r4, %r4, 10, %r7; cvt.u64.u32 %rd2, %r4;\n"
      "st.global.u64 [%rd1], %rd2;",
      0, 1001 },
    { "vectors of special registers and of registers move at once", "",
      "mov.v4.u32 {%r2, %r3, _, %r4}, %tid; mov.v2.u32 {%r3, %r2}, {%r2, %r3};\n"
      "mad.lo.u32 %r2, %r2, 1000, %r3; add.u32 %r2, %r2, %r4; cvt.u64.u32 %rd2, %r2;\n"
      "st.global.u64 [%rd1], %rd2;",
      1, 0 },
    { "a sink among what is packed is zero", "",
      "mov.b16 %h1, 3; mov.b32 %r2, {_, %h1}; cvt.u64.u32 %rd2, %r2; st.global.u64 [%rd1], %rd2;",
      0, 0x30000 },
    { "a generic address of 32 bits is one of global memory", "",
      "isspacep.global %p1, %r1; isspacep.shared %p2, %r1; selp.u32 %r2, 1, 0, %p1;\n"
      "@%p2 add.u32 %r2, %r2, 2; cvt.u64.u32 %rd2, %r2; st.global.u64 [%rd1], %rd2;",
      0, 1 },
    { "carries go on in 16 bits and stop at the clamp", "",
      "mov.u32 %r2, -1; add.cc.u32 %r3, %r2, %r2; cvt.u16.u32 %h1, %r1; mov.b16 %h2, 0xfff0;\n"
      "addc.u16 %h3, %h1, %h2; add.cc.u32 %r3, %r2, 1; mov.u32 %r4, 0x7fffffff;\n"
      "addc.sat.s32 %r5, %r4, 0; sub.cc.u32 %r3, 0, 1; subc.u16 %h4, %h1, 0;\n"
      "cvt.u32.u16 %r6, %h3; cvt.u32.u16 %r7, %h4; sub.u32 %r6, %r6, %r7; and.b32 %r6, %r6, "
      "0xffff;\nxor.b32 %r5, %r5, %r4; add.u32 %r6, %r6, %r5; cvt.u64.u32 %rd2, %r6;\n"
      "st.global.u64 [%rd1], %rd2;",
      0, 0xfff2 },
};

TEST_ROWS(operands_access_what_they_name, bodies)
{
    char ptx[4096];
    uint64_t *out = harness_memory(32 * 8);

    snprintf(ptx, sizeof(ptx), THREAD, bodies[_i].module, bodies[_i].body);
    harness_go(ptx, &(struct harness_launch){
                        .kernel = "k", .block = { 32 }, .arguments = { HARNESS_POINTER(out) } });
    for (uint64_t i = 0; i < 32; i++)
        ck_assert_msg(out[i] == i * bodies[_i].times + bodies[_i].plus,
                      "%s: thread %llu has 0x%llx", bodies[_i].name, (unsigned long long)i,
                      (unsigned long long)out[i]);
    harness_release(out);
}

int main(void)
{
    return run_tests("decode");
}
