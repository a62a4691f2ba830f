// Tests the execution of kernels: control flow, calls, memory, barriers, blocks, and reports of
// failures.
#include "base/array.h"
#include "harness.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An output array of words, and a kernel "k" that takes its address and a number.
#define KERNEL(body)                                                              \
    HARNESS_HEADER ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"       \
                   ".reg .pred %p<10>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n"  \
                   "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [n];\n"          \
                   "cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r2, %tid.x;\n"       \
                   "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\n"              \
                   "mad.lo.s32 %r5, %r3, %r4, %r2;\nmul.wide.u32 %rd3, %r5, 4;\n" \
                   "add.s64 %rd4, %rd2, %rd3;\n" body "ret;\n}\n"

static uint32_t *out;
static uint32_t out_words;

static void run_kernel(const char *ptx, uint32_t blocks, uint32_t threads, uint32_t n,
                       uint32_t words, uint32_t shared_bytes)
{
    struct harness_launch launch = {
        .kernel = "k", .grid = { blocks }, .block = { threads }, .shared_bytes = shared_bytes
    };
    out_words = words;
    out = harness_memory(4 * (size_t)words);
    launch.arguments[0] = HARNESS_POINTER(out);
    launch.arguments[1] = n;
    harness_go(ptx, &launch);
}

CASE("exec", .timeout = 60);

TEST(saxpy_leaves_what_is_past_its_end_alone)
{
    static const char ptx[] = HARNESS_HEADER
        ".visible .entry saxpy(.param .f32 a, .param .u64 px, .param .u64 py, .param .u32 n)\n"
        "{ .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<8>;\n"
        "ld.param.f32 %f1, [a]; ld.param.u64 %rd1, [px]; ld.param.u64 %rd2, [py];\n"
        "ld.param.u32 %r2, [n]; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n"
        "mov.u32 %r5, %tid.x; mad.lo.s32 %r1, %r3, %r4, %r5; setp.ge.s32 %p1, %r1, %r2;\n"
        "@%p1 bra $L__BB0_2;\n"
        "cvta.to.global.u64 %rd3, %rd1; mul.wide.s32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;\n"
        "ld.global.f32 %f2, [%rd5]; cvta.to.global.u64 %rd6, %rd2; add.s64 %rd7, %rd6, %rd4;\n"
        "ld.global.f32 %f3, [%rd7]; fma.rn.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd7], %f4;\n"
        "$L__BB0_2: ret; }\n";
    enum { N = 10007 };
    float *x = harness_memory(4 * N), *y = harness_memory(4 * N);
    union {
        float f;
        uint32_t u;
    } a = { 3.0f };

    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    harness_go(ptx, &(struct harness_launch){
                        .grid = { (N + 95) / 96 },
                        .block = { 96 },
                        .arguments = { a.u, HARNESS_POINTER(x), HARNESS_POINTER(y), N - 7 } });
    for (int i = 0; i < N; i++)
        ck_assert_float_eq(y[i], i < N - 7 ? 3.0f * (float)i + 1.0f : 1.0f);
}

TEST(lanes_loop_independently_and_reconverge)
{
    // A loop with tid iterations that contains nested ifs and elses.
    run_kernel(KERNEL("mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
                      "loop: setp.ge.u32 %p1, %r6, %r2; @%p1 bra done;\n"
                      "and.b32 %r8, %r6, 1; setp.eq.u32 %p2, %r8, 0; @%p2 bra even;\n"
                      "and.b32 %r8, %r6, 2; setp.ne.u32 %p3, %r8, 0; @!%p3 bra one;\n"
                      "add.u32 %r7, %r7, 1000; bra.uni next;\n"
                      "one: add.u32 %r7, %r7, 100; bra.uni next;\n"
                      "even: add.u32 %r7, %r7, 1;\n"
                      "next: add.u32 %r6, %r6, 1; bra loop;\n"
                      "done: activemask.b32 %r9; setp.eq.u32 %p4, %r9, -1;\n"
                      "@%p4 add.u32 %r7, %r7, 1000000; st.global.u32 [%rd4], %r7;\n"),
               1, 64, 0, 64, 0);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t sum = 1000000;
        for (uint32_t j = 0; j < i; j++)
            sum += j % 2 == 0 ? 1 : j % 4 == 3 ? 1000 : 100;
        ck_assert_uint_eq(out[i], sum);
    }
}

TEST(lanes_that_fall_through_reconverge_with_those_that_jumped)
{
    run_kernel(KERNEL("setp.ge.u32 %p1, %r2, 5; @%p1 bra skip; add.u32 %r6, %r2, 1;\n"
                      "skip: activemask.b32 %r7; st.global.u32 [%rd4], %r7;\n"),
               1, 32, 0, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_uint_eq(out[i], UINT32_MAX);
}

TEST(a_barrier_counts_a_partial_warp_as_a_whole_one)
{
    run_kernel(KERNEL("setp.ge.u32 %p1, %r2, 38; @%p1 exit; bar.sync 2, 64;\n"
                      "st.global.u32 [%rd4], 1;\n"),
               1, 40, 0, 40, 0);
    for (uint32_t i = 0; i < 40; i++)
        ck_assert_uint_eq(out[i], i < 38);
}

TEST(a_spin_lock_between_lanes_of_a_warp_finishes)
{
    // out[0] is the lock, out[1] the word it guards.
    run_kernel(KERNEL("spin: atom.global.cas.b32 %r6, [%rd2], 0, 1; setp.ne.u32 %p1, %r6, 0;\n"
                      "@%p1 bra spin;\n"
                      "ld.volatile.global.u32 %r7, [%rd2+4]; add.u32 %r7, %r7, 1;\n"
                      "st.volatile.global.u32 [%rd2+4], %r7; membar.gl;\n"
                      "atom.global.exch.b32 %r8, [%rd2], 0;\n"),
               4, 96, 0, 2, 0);
    ck_assert_uint_eq(out[1], 4 * 96);
}

TEST(warps_hand_values_to_one_another_through_shared_memory)
{
    // Warp 0 produces a value, and warp 1 waits for the flag.
    run_kernel(KERNEL(".shared .align 4 .b32 flag; .shared .align 4 .b32 value;\n"
                      "setp.ne.u32 %p1, %r2, 0; @%p1 bra wait0; st.shared.u32 [flag], 0;\n"
                      "wait0: bar.sync 0; setp.lt.u32 %p2, %r2, 32; @%p2 bra produce;\n"
                      "wait: ld.volatile.shared.u32 %r6, [flag]; setp.eq.u32 %p3, %r6, 0;\n"
                      "@%p3 bra wait; ld.volatile.shared.u32 %r7, [value];\n"
                      "st.global.u32 [%rd4], %r7; ret;\n"
                      "produce: mov.u32 %r8, 0;\n"
                      "slow: add.u32 %r8, %r8, 1; setp.lt.u32 %p4, %r8, 5000; @%p4 bra slow;\n"
                      "setp.ne.u32 %p5, %r2, 0; @%p5 bra end;\n"
                      "st.volatile.shared.u32 [value], 77; membar.cta;\n"
                      "st.volatile.shared.u32 [flag], 1;\nend: st.global.u32 [%rd4], %r8;\n"),
               1, 64, 0, 64, 0);
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(out[i], i < 32 ? 5000 : 77);
}

static const char grid_barrier[] = KERNEL(
    // Each block adds one and waits for all others. out[0] counts, and out[1 + block] records the
    // count.
    "setp.ne.u32 %p1, %r2, 0; @%p1 bra end;\n"
    "atom.global.add.u32 %r6, [%rd2], 1;\n"
    "wait: ld.volatile.global.u32 %r7, [%rd2]; setp.lt.u32 %p2, %r7, %r1; @%p2 bra wait;\n"
    "mul.wide.u32 %rd5, %r3, 4; add.s64 %rd6, %rd2, %rd5; st.global.u32 [%rd6+4], %r7;\n"
    "end: \n");

TEST(blocks_of_a_cooperative_grid_run_at_the_same_time)
{
    enum { BLOCKS = 500 };
    out = harness_memory(4 * (BLOCKS + 1));
    struct harness_launch launch = { .kernel = "k",
                                     .grid = { BLOCKS },
                                     .block = { 64 },
                                     .cooperative = 1,
                                     .arguments = { HARNESS_POINTER(out), BLOCKS } };
    harness_go(grid_barrier, &launch);
    for (uint32_t i = 0; i < BLOCKS; i++)
        ck_assert_uint_eq(out[1 + i], BLOCKS);
}

TEST(blocks_that_wait_for_later_ones_yield)
{
    run_kernel(grid_barrier, 40, 32, 40, 41, 0);
    for (uint32_t i = 0; i < 40; i++)
        ck_assert_uint_eq(out[1 + i], 40);
}

TEST(functions_call_themselves)
{
    // Computes Fibonacci numbers, a different one in each lane, with a local variable that survives
    // the calls.
    run_kernel(HARNESS_HEADER
               ".func (.param .b32 r) fib(.param .b32 a)\n"
               "{ .reg .pred %p<2>; .reg .b32 %r<9>; .local .align 4 .b32 keep[2];\n"
               "ld.param.b32 %r1, [a]; setp.gt.u32 %p1, %r1, 1; @%p1 bra deep;\n"
               "st.param.b32 [r], %r1; ret;\n"
               "deep: add.u32 %r2, %r1, -1; add.u32 %r6, %r1, -2; st.local.u32 [keep+4], %r6;\n"
               "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %r2;\n"
               "call.uni (q0), fib, (p0); ld.param.b32 %r3, [q0]; }\n"
               "ld.local.u32 %r4, [keep+4];\n"
               "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %r4;\n"
               "call (q0), fib, (p0); ld.param.b32 %r5, [q0]; }\n"
               "add.u32 %r3, %r3, %r5; st.param.b32 [r], %r3; ret; }\n"
               ".visible .entry k(.param .u64 out, .param .u32 n)\n"
               "{ .reg .b32 %r<5>; .reg .b64 %rd<5>; .reg .pred %p<2>;\n"
               "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; rem.u32 %r3, %r1, 11;\n"
               "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
               "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %r3;\n"
               "call.uni (q0), fib, (p0); ld.param.b32 %r2, [q0]; }\n"
               "st.global.u32 [%rd3], %r2; ret; }\n",
               2, 50, 0, 50, 0);
    static const uint32_t fib[] = { 0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55 };
    for (uint32_t i = 0; i < 50; i++)
        ck_assert_uint_eq(out[i], fib[i % 11]);
}

TEST(a_function_is_called_by_its_address)
{
    run_kernel(HARNESS_HEADER
               ".func (.param .b32 r) add3(.param .b32 a)\n"
               "{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.u32 %r2, %r1, 3;\n"
               "st.param.b32 [r], %r2; ret; }\n"
               ".func (.param .b32 r) times3(.param .b32 a)\n"
               "{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; mul.lo.u32 %r2, %r1, 3;\n"
               "st.param.b32 [r], %r2; ret; }\n"
               ".global .align 8 .u64 table[2] = { add3, times3 };\n"
               ".visible .entry k(.param .u64 out, .param .u32 n)\n"
               "{ .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
               "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"
               "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; and.b32 %r2, %r1, 1;\n"
               "mul.wide.u32 %rd4, %r2, 8; mov.u64 %rd5, table; add.s64 %rd6, %rd5, %rd4;\n"
               "ld.global.u64 %rd7, [%rd6];\n"
               "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %r1;\n"
               "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
               "call (q0), %rd7, (p0), proto; ld.param.b32 %r3, [q0]; }\n"
               "st.global.u32 [%rd3], %r3; ret; }\n",
               1, 40, 0, 40, 0);
    for (uint32_t i = 0; i < 40; i++)
        ck_assert_uint_eq(out[i], i & 1 ? 3 * i : i + 3);
}

TEST(a_switch_goes_through_its_table_of_labels)
{
    run_kernel(KERNEL("rem.u32 %r6, %r2, 3;\n"
                      "table: .branchtargets case0, case1, case2;\n"
                      "brx.idx %r6, table;\n"
                      "case0: mov.u32 %r7, 5; bra.uni end;\n"
                      "case1: mov.u32 %r7, 7; bra.uni end;\n"
                      "case2: mov.u32 %r7, 9;\n"
                      "end: st.global.u32 [%rd4], %r7;\n"),
               1, 48, 0, 48, 0);
    for (uint32_t i = 0; i < 48; i++)
        ck_assert_uint_eq(out[i], 5 + 2 * (i % 3));
}

TEST(barriers_count_the_given_number_of_threads)
{
    // Warp 2 only arrives at barrier 3; warps 0 and 1 wait at it: 96 threads.
    run_kernel(KERNEL(".shared .align 4 .b32 box[96]; mov.u32 %r10, box; shl.b32 %r11, %r2, 2;\n"
                      "add.u32 %r12, %r10, %r11; setp.ge.u32 %p1, %r2, 64; @%p1 bra third;\n"
                      "bar.sync 3, 96; xor.b32 %r13, %r11, 127; and.b32 %r13, %r13, 124;\n"
                      "add.u32 %r14, %r10, %r13; ld.shared.u32 %r15, [%r14+256];\n"
                      "st.global.u32 [%rd4], %r15; ret;\n"
                      "third: add.u32 %r15, %r2, 1000; st.shared.u32 [%r12], %r15;\n"
                      "bar.arrive 3, 96; st.global.u32 [%rd4], 1;\n"),
               1, 96, 0, 96, 0);
    for (uint32_t i = 0; i < 96; i++)
        ck_assert_uint_eq(out[i], i < 64 ? 1064 + (31 - i % 32) : 1);
}

TEST(diverged_lanes_reach_a_barrier_one_by_one)
{
    // Odd lanes reach the barrier at a different instruction than even lanes; some lanes have
    // exited before.
    run_kernel(KERNEL(".shared .align 4 .b32 sum; setp.eq.u32 %p1, %r2, 0;\n"
                      "@%p1 st.shared.u32 [sum], 0; bar.sync 0;\n"
                      "setp.ge.u32 %p2, %r2, 60; @%p2 exit; atom.shared.add.u32 %r6, [sum], 1;\n"
                      "and.b32 %r7, %r2, 1; setp.eq.u32 %p3, %r7, 0; @%p3 bra even;\n"
                      "barrier.sync 0; ld.shared.u32 %r8, [sum]; bra end;\n"
                      "even: barrier.sync 0; ld.shared.u32 %r8, [sum]; add.u32 %r8, %r8, 100;\n"
                      "end: st.global.u32 [%rd4], %r8;\n"),
               1, 70, 0, 70, 0);
    for (uint32_t i = 0; i < 70; i++)
        ck_assert_uint_eq(out[i], i >= 60 ? 0 : i & 1 ? 60 : 160);
}

TEST(barriers_reduce)
{
    run_kernel(KERNEL("and.b32 %r6, %r2, 3; setp.eq.u32 %p1, %r6, 0;\n"
                      "barrier.red.popc.u32 %r7, 0, %p1;\n"
                      "setp.lt.u32 %p2, %r2, 100; bar.red.and.pred %p3, 0, %p2;\n"
                      "bar.red.or.pred %p4, 0, !%p2; bar.red.or.pred %p5, 1, %p1;\n"
                      "@%p3 add.u32 %r7, %r7, 1000; @%p4 add.u32 %r7, %r7, 5000;\n"
                      "@%p5 add.u32 %r7, %r7, 10000; st.global.u32 [%rd4], %r7;\n"),
               2, 80, 0, 160, 0);
    for (uint32_t i = 0; i < 160; i++)
        ck_assert_uint_eq(out[i], 20 + 1000 + 10000);
}

TEST(static_and_dynamic_shared_memory_lie_side_by_side)
{
    // Reverses a block through dynamic shared memory; static shared memory keeps another copy.
    run_kernel(HARNESS_HEADER
               ".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .b8 unused[4096];\n"
               ".visible .entry k(.param .u64 out, .param .u32 n)\n"
               "{ .reg .b32 %r<20>; .reg .b64 %rd<20>; .shared .align 4 .b8 stat[12];\n"
               "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"
               "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, dyn;\n"
               "shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1;\n"
               "mov.u64 %rd4, stat; cvta.shared.u64 %rd5, %rd4; st.u32 [%rd5+8], 4;\n"
               "bar.sync 0; sub.u32 %r5, 252, %r3; add.u32 %r6, %r2, %r5;\n"
               "ld.shared.u32 %r7, [%r6]; ld.shared.u32 %r8, [stat+8];\n"
               "mad.lo.u32 %r7, %r8, 100, %r7; st.global.u32 [%rd3], %r7; ret; }\n",
               1, 64, 0, 64, 256);
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(out[i], 400 + 63 - i);
}

TEST(each_lane_has_its_local_arrays)
{
    run_kernel(KERNEL(".local .align 8 .b8 __local_depot0[64]; .reg .b64 %SP; .reg .b64 %SPL;\n"
                      "mov.u64 %SPL, __local_depot0; cvta.local.u64 %SP, %SPL;\n"
                      "and.b32 %r6, %r2, 15; mul.wide.u32 %rd5, %r6, 4; add.u64 %rd6, %SP, %rd5;\n"
                      "add.u32 %r7, %r2, 50; st.u32 [%rd6], %r7; bar.sync 0;\n"
                      "add.u64 %rd7, %SPL, %rd5; ld.local.u32 %r8, [%rd7];\n"
                      "st.global.u32 [%rd4], %r8;\n"),
               2, 40, 0, 80, 0);
    for (uint32_t i = 0; i < 80; i++)
        ck_assert_uint_eq(out[i], i % 40 + 50);
}

TEST(variables_of_a_module_start_with_their_values)
{
    static const char ptx[] = HARNESS_HEADER
        ".const .align 4 .u32 primes[4] = { 2, 3, 5, 7 };\n"
        ".global .align 8 .u64 where = generic(primes)+8;\n"
        ".visible .global .align 4 .u32 counter = 40;\n"
        ".visible .entry k(.param .u64 out, .param .u32 n)\n"
        "{ .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"
        "ld.param.u64 %rd1, [out]; ld.const.u32 %r1, [primes+12]; ld.global.u64 %rd2, [where];\n"
        "ld.u32 %r2, [%rd2]; ld.global.u32 %r3, [counter]; add.u32 %r4, %r3, 1;\n"
        "st.global.u32 [counter], %r4; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2;\n"
        "st.global.u32 [%rd1+8], %r3; ret; }\n";
    struct sim_program *program = harness_load(ptx);
    uint64_t address, bytes;
    uint32_t value;

    out = harness_memory(12);
    ck_assert_int_eq(
        harness_run(program, &(struct harness_launch){ .arguments = { HARNESS_POINTER(out) } }), 0);
    ck_assert_uint_eq(out[0], 7);
    ck_assert_uint_eq(out[1], 5);
    ck_assert_uint_eq(out[2], 40);
    ck_assert(sim_program_variable(program, "counter", &address, &bytes));
    ck_assert_uint_eq(bytes, 4);
    memcpy(&value, (void *)(uintptr_t)address, 4);
    ck_assert_uint_eq(value, 41);
    ck_assert(!sim_program_variable(program, "nowhere", &address, &bytes));
    sim_program_free(program);
}

TEST(vectors_and_small_types_load_and_store)
{
    run_kernel(
        KERNEL(".reg .b16 %h<9>; setp.ne.u32 %p1, %r2, 0; @%p1 exit;\n"
               "st.global.v4.b32 [%rd2], {%r1, 2, %r1, 0xfffffff4};\n"
               "ld.global.v2.u32 {%r6, %r7}, [%rd2]; st.global.v2.u32 [%rd2+16], {%r7, %r6};\n"
               "ld.global.s8 %r8, [%rd2+12]; st.global.u32 [%rd2+24], %r8;\n"
               "ld.global.u8 %r8, [%rd2+12]; st.global.u32 [%rd2+28], %r8;\n"
               "ld.global.s16 %r9, [%rd2+12]; st.global.u32 [%rd2+32], %r9;\n"
               "ld.global.u16 %h1, [%rd2+12]; st.global.u16 [%rd2+36], %h1;\n"
               "ld.global.s8 %rd5, [%rd2+12]; st.global.u64 [%rd2+40], %rd5;\n"
               "st.global.u8 [%rd2+48], %r1; st.global.b8 [%rd2+51], 9;\n"
               "ld.global.v2.b64 {%rd6, _}, [%rd2]; st.global.v2.b64 [%rd2+64], {%rd6, %rd5};\n"
               "{ .reg .b128 %q; ld.global.b128 %q, [%rd2]; st.global.b128 [%rd2+80], %q; }\n"),
        1, 32, 0x01020304, 32, 0);
    static const uint32_t expected[] = { 0x01020304, 2,          0x01020304, 0xfffffff4, 2,
                                         0x01020304, 0xfffffff4, 0xf4,       0xfffffff4, 0xfff4,
                                         0xfffffff4, 0xffffffff, 0x09000004, 0,          0,
                                         0,          0x01020304, 2,          0xfffffff4, 0xffffffff,
                                         0x01020304, 2,          0x01020304, 0xfffffff4 };
    for (size_t i = 0; i < sizeof(expected) / 4; i++)
        ck_assert_msg(out[i] == expected[i], "word %zu is 0x%x, not 0x%x", i, out[i], expected[i]);
}

TEST(a_breakpoint_changes_nothing)
{
    run_kernel(KERNEL("add.u32 %r6, %r5, %r1;\n"
                      "brkpt;\n"
                      "st.global.u32 [%rd4], %r6;\n"),
               1, 64, 7, 64, 0);
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(out[i], i + 7);
    harness_release(out);
}

TEST(every_index_of_blocks_and_threads_comes_once)
{
    // Three-dimensional grid and blocks: each thread writes its number at its own place.
    static const char ptx[] = HARNESS_HEADER
        ".visible .entry k(.param .u64 out)\n{ .reg .b32 %r<40>; .reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;\n"
        "mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;\n"
        "mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z;\n"
        "mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y;\n"
        "mad.lo.u32 %r12, %r9, %r11, %r8; mad.lo.u32 %r12, %r12, %r10, %r7;\n"
        "mad.lo.u32 %r12, %r12, %r6, %r3; mad.lo.u32 %r12, %r12, %r5, %r2;\n"
        "mad.lo.u32 %r12, %r12, %r4, %r1; mul.wide.u32 %rd2, %r12, 4; add.u64 %rd3, %rd1, %rd2;\n"
        "red.global.add.u32 [%rd3], 1; ret; }\n";
    enum { ALL = 3 * 4 * 5 * 5 * 3 * 7 };

    out = harness_memory(4 * ALL);
    harness_go(ptx, &(struct harness_launch){ .grid = { 3, 4, 5 },
                                              .block = { 5, 3, 7 },
                                              .arguments = { HARNESS_POINTER(out) } });
    for (int i = 0; i < ALL; i++)
        ck_assert_uint_eq(out[i], 1);
}

TEST(blocks_of_a_cluster_reach_one_another)
{
    static const char ptx[] = HARNESS_HEADER
        ".visible .entry k(.param .u64 out)\n"
        "{ .reg .b32 %r<40>; .reg .b64 %rd<9>; .shared .align 4 .b32 box;\n"
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %ctaid.x;\n"
        "add.u32 %r3, %r2, 100; st.shared.u32 [box], %r3;\n"
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
        "xor.b32 %r4, %r1, 1; mov.u32 %r5, box; mapa.shared::cluster.u32 %r6, %r5, %r4;\n"
        "ld.shared::cluster.u32 %r7, [%r6]; getctarank.shared::cluster.u32 %r8, %r6;\n"
        "mad.lo.u32 %r7, %r8, 1000, %r7; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;\n"
        "st.global.u32 [%rd3], %r7; barrier.cluster.arrive; barrier.cluster.wait; ret; }\n";

    out = harness_memory(4 * 8);
    harness_go(ptx, &(struct harness_launch){ .grid = { 8 },
                                              .block = { 64 },
                                              .cluster = { 2, 1, 1 },
                                              .arguments = { HARNESS_POINTER(out) } });
    for (uint32_t i = 0; i < 8; i++)
        ck_assert_uint_eq(out[i], 100 + (i ^ 1) + 1000 * ((i & 1) ^ 1));
}

// Failures: the kernel's body, the code, and the end of the report, where %p is the address of
// `out`.
static const struct {
    const char *body;
    int code;
    const char *report;
} faults[] = {
    { "st.global.u32 [%rd4+4], %r2;\n", 700,
      "kernel k, PTX line 18, block (1,0,0), thread (31,0,0): write of 4 bytes at 0x%llx, right "
      "past the end of an allocation of 256 bytes" },
    { "ld.global.u8 %r6, [%rd2+328];\n", 700, "read of 1 byte at 0x" },
    { "ld.global.u8 %r6, [%rd2+328];\n", 700,
      ", 72 bytes past the end of an allocation of 256 bytes" },
    { "ld.global.u32 %r6, [%rd2-4];\n", 700, "4 bytes before an allocation of 256 bytes" },
    { "ld.global.u32 %r6, [%rd2+2];\n", 716, "which is not a multiple of 4" },
    { "mov.u64 %rd5, 64; ld.global.u32 %r6, [%rd5];\n", 700,
      "read of 4 bytes at 0x40, which is in no allocation" },
    { ".shared .align 4 .b32 box[4]; mov.u32 %r6, box; st.shared.u32 [%r6+16], 1;\n", 700,
      "write of 4 bytes at offset 16 of shared memory, which has 16 bytes" },
    { ".shared .align 4 .b32 box; cvta.shared.u64 %rd5, %rd3; ld.global.u32 %r6, [%rd5];\n", 717,
      "a generic address in an instruction of one space" },
    { "trap;\n", 719, "thread (0,0,0): trap" },
    { "setp.lt.u32 %p1, %r2, 16; @%p1 bra wait; bar.warp.sync -1;\nwait: barrier.sync 1, 32;\n",
      719, "deadlock: 16 threads from (0,0,0)" },
    { "mov.u64 %rd5, 12; call (), %rd5, ();\n", 718, "call of 0xc, which is not a function" },
};

TEST_ROWS(faults_are_reported_with_their_location, faults)
{
    char ptx[4096], wanted[512];

    snprintf(ptx, sizeof(ptx), "%s", KERNEL("@@"));
    char *mark = strstr(ptx, "@@");
    char tail[256];
    snprintf(tail, sizeof(tail), "%s", mark + 2);
    snprintf(mark, sizeof(ptx) - (size_t)(mark - ptx), "%s%s", faults[_i].body, tail);
    struct sim_program *program = harness_load(ptx);
    out = harness_memory(256);
    setenv("CUCORE_SIM_THREADS", "1", 1);
    struct harness_launch launch = { .grid = { 2 },
                                     .block = { 32 },
                                     .arguments = { HARNESS_POINTER(out), 64 } };
    ck_assert_int_eq(harness_run(program, &launch), faults[_i].code);
    // The only address in these reports is the address of the word past the end.
    const char *where = strstr(faults[_i].report, "0x%llx");
    if (where)
        snprintf(wanted, sizeof(wanted), "%.*s0x%llx%s", (int)(where - faults[_i].report),
                 faults[_i].report, (unsigned long long)HARNESS_POINTER(out) + 256,
                 where + strlen("0x%llx"));
    else
        snprintf(wanted, sizeof(wanted), "%s", faults[_i].report);
    ck_assert_msg(strstr(harness_report(), wanted) != NULL, "%s\nlacks\n%s", harness_report(),
                  wanted);
    sim_program_free(program);
    harness_release(out);
}

TEST(a_fault_names_the_line_of_the_source)
{
    struct sim_program *program = harness_load(HARNESS_HEADER
                                               ".file 1 \"kernels/saxpy.cu\"\n"
                                               ".visible .entry broken()\n{\n.reg .b32 %r<2>;\n"
                                               ".loc 1 17 5\nld.const.u32 %r1, [3];\nret;\n}\n");
    ck_assert_int_eq(harness_run(program, &(struct harness_launch){ .block = { 1, 2, 2 } }), 716);
    ck_assert_str_eq(harness_report(),
                     "kernel broken, PTX line 9 (kernels/saxpy.cu:17), block (0,0,0), thread "
                     "(0,0,0): read of 4 bytes at 0x3, which is not a multiple of 4");
    sim_program_free(program);
}

// Modules that are refused at load, and why.
static const struct {
    const char *body, *log;
} refused[] = {
    { "add.foo.u32 %r6, %r6, 1;\n", "line 18: add.foo.u32: unknown word foo" },
    { "frobnicate.u32 %r6;\n", "line 18: frobnicate.u32: unknown instruction frobnicate" },
    { "add.u32 %r6, %r6;\n", "line 18: add.u32: it has 2 operands" },
    { "add.u64 %rd5, %rd5, %r6;\n",
      "line 18: add.u64: %r6 is a .b32 register where a .u64 is expected" },
    { "add.u32 %r6, %p1, 1;\n",
      "line 18: add.u32: %p1 is a .pred register where a .u32 is expected" },
    { "mov.u64 %rd5, nowhere;\n", "line 18: mov.u64: nowhere is not declared" },
    { "bra nowhere;\n", "line 18: bra: nowhere is not a label" },
    { "call (), nowhere, ();\n", "line 18: call: nowhere is not declared" },
    { "add.b32 %r6, %r6, 1;\n", "line 18: add.b32: there is no such form" },
};

TEST_ROWS(invalid_statements_are_refused_at_load, refused)
{
    char ptx[4096];

    snprintf(ptx, sizeof(ptx), "%s", KERNEL("@@"));
    char *mark = strstr(ptx, "@@");
    snprintf(mark, sizeof(ptx) - (size_t)(mark - ptx), "%sret;\n}\n", refused[_i].body);
    const char *log = harness_refused(ptx);
    ck_assert_msg(strncmp(log, refused[_i].log, strlen(refused[_i].log)) == 0, "%s\nis not\n%s",
                  log, refused[_i].log);
}

TEST(an_entry_declares_no_more_shared_memory_than_ptxas_accepts)
{
    static const char format[] = HARNESS_HEADER
        ".visible .entry k()\n{\n.shared .b8 s[%d];\n.reg .b32 %%r<2>;\n"
        "mov.u32 %%r1, s;\nret;\n}\n";
    char ptx[512];

    snprintf(ptx, sizeof(ptx), format, 49152);
    sim_program_free(harness_load(ptx));
    snprintf(ptx, sizeof(ptx), format, 49153);
    const char *log = harness_refused(ptx);
    ck_assert_msg(strstr(log, "k: its shared variables take 49153 bytes, and an entry may declare "
                              "49152"),
                  "%s", log);
}

// The largest size that fits, and one byte more. ptxas has the same limits.
static const struct {
    const char *format;
    int most;
    const char *log;
} sizes[] = {
    { ".version 8.1\n.target sm_80\n.visible .entry k(.param .b8 p[%d])\n{ ret; }\n", 32764,
      "k: its parameters take 32765 bytes, 32764 is the most" },
    { ".version 9.0\n.target sm_90\n.visible .entry k(.param .b32 a, .param .b8 p[%d])\n{ ret; }\n",
      32760, "k: its parameters take 32765 bytes, 32764 is the most" },
    { ".version 8.0\n.target sm_80\n.visible .entry k(.param .b8 p[%d])\n{ ret; }\n", 4352,
      "k: its parameters take 4353 bytes, 4352 is the most before .version 8.1" },
    { ".version 9.0\n.target sm_90\n.const .b8 c[%d];\n.visible .entry k()\n{ ret; }\n", 65536,
      "with c the module's .const variables take 65537 bytes, 65536 is the most" },
    { ".version 9.0\n.target sm_90\n.const .b32 a;\n.visible .entry k()\n"
      "{ .const .b8 c[%d]; ret; }\n",
      65532, "with c the module's .const variables take 65537 bytes, 65536 is the most" },
};

TEST_ROWS(parameters_and_constants_have_the_limits_of_ptxas, sizes)
{
    const char *format = sizes[_i].format;
    char ptx[256];

    ck_assert_ptr_nonnull(format); // gcc with sanitizers suspects an uninitialized value
    snprintf(ptx, sizeof(ptx), format, sizes[_i].most);
    sim_program_free(harness_load(ptx));
    snprintf(ptx, sizeof(ptx), format, sizes[_i].most + 1);
    const char *log = harness_refused(ptx);
    ck_assert_msg(strstr(log, sizes[_i].log) != NULL, "%s", log);
}

int main(void)
{
    return run_tests("exec");
}
