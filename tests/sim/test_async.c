// Tests mbarriers, asynchronous copies of bytes, and the reports of their misuse.
#include "base/array.h"
#include "copies.h"

#include <cucore/cucore.h>

#include "driver/cuda_abi.h"
#include "sim/shell/shell.h"
#include "tests.h"

// ---- Barriers used by one thread. Each PUT(p) writes a predicate, in order.

#define PUT                                                   \
    "selp.u32 %r20, 1, 0, %p1; st.global.u32 [%rd1], %r20;\n" \
    "add.u64 %rd1, %rd1, 4;\n"
#define PHASE(n) "mbarrier.test_wait.parity.shared::cta.b64 %p1, [bar], " n ";\n" PUT

static const struct {
    const char *ptx;
    const char *expected; // a digit for each value
} alone[] = {
    // A phase completes; each state token has the pending count.
    { KERNEL("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %rd10, [bar];\n"
             "mbarrier.test_wait.shared.b64 %p1, [bar], %rd10;\n" PUT
             "mov.u64 %rd13, bar; cvta.shared.u64 %rd12, %rd13;\n"
             "mbarrier.arrive.b64 %rd11, [%rd12];\n"
             "mbarrier.test_wait.shared.b64 %p1, [bar], %rd10;\n" PUT
             "mbarrier.pending_count.b64 %r20, %rd10; st.global.u32 [%rd1], %r20;\n"
             "mbarrier.pending_count.b64 %r20, %rd11; st.global.u32 [%rd1+4], %r20;\n"),
      "0121" },
    // A new barrier is in phase 0: the preceding phase, of parity 1, counts as complete.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" PHASE("0") PHASE(
          "1") "mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];\n" PHASE("0")
                 PHASE("1") "mbarrier.arrive.shared::cta.b64 _, [bar], 1;\n" PHASE("0") PHASE("1")),
      "011001" },
    // A phase waits for bytes as well as arrivals.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n"
             "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n" PHASE(
                 "0") "mbarrier."
                      "complete_tx."
                      "relaxed.cta."
                      "shared::cta."
                      "b64 [bar], "
                      "32;\n" PHASE("0") "mbar"
                                         "rier"
                                         ".com"
                                         "plet"
                                         "e_"
                                         "tx."
                                         "rela"
                                         "xed."
                                         "cta."
                                         "shar"
                                         "ed::"
                                         "cta."
                                         "b64 "
                                         "[bar"
                                         "], "
                                         "32;"
                                         "\n" PHASE("0")),
      "001" },
    // Bytes may arrive before they are expected, as long as an arrival is pending.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n"
             "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [bar], "
             "1048575;\n" PHASE("0") "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], "
                                     "1048575;\n" PHASE("0") "mbarrier.arrive.shared::cta."
                                                             "b64 _, [bar];\n" PHASE("0")),
      "001" },
    // The next phase does not wait for a thread that dropped out.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 3;\n"
             "mbarrier.arrive_drop.shared::cta.b64 %rd10, [bar];\n" PHASE(
                 "0") "mbarrier.arrive_drop.expect_tx.shared::cta.b64 _, [bar], 16;\n"
                      "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd10, [bar], "
                      "1;\n" PHASE("0") "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 "
                                        "[bar], 16;\n" PHASE("0") "mbarrier.arrive.shared::cta."
                                                                  "b64 _, [bar];\n" PHASE("1")
                                                                      PHASE("0")),
      "00110" },
    // The largest number of arrivals, before and after a new initialization.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 1048575;\n"
             "mbarrier.arrive.shared::cta.b64 _, [bar], 1048574;\n" PHASE(
                 "0") "mbarrier.arrive.shared::cta.b64 _, [bar];\n" PHASE("0") "mbarrier.inval."
                                                                               "shared::cta.b64 "
                                                                               "[bar]; "
                                                                               "mbarrier.init."
                                                                               "shared::cta.b64 "
                                                                               "[bar], "
                                                                               "1;\n" PHASE("0")),
      "010" },
    // try_wait eventually returns false, so a single thread can test it.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; mov.u32 %r11, 1000;\n"
             "mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0, %r11;\n" PUT
             "mbarrier.arrive.shared::cta.b64 %rd10, [bar];\n"
             "mbarrier.try_wait.shared::cta.b64 %p1, [bar], %rd10;\n" PUT
             "mbarrier.try_wait.acquire.cluster.shared::cta.b64 %p1, [bar], %rd10, 100;\n" PUT),
      "011" },
    // Completed copies arrive at once; without .noinc, each adds one to the expected arrivals.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; cp.async.ca.shared.global [s], [%rd2], 16;\n"
             "cp.async.mbarrier.arrive.shared::cta.b64 [bar];\n" PHASE(
                 "0") "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" PHASE("0")),
      "01" },
    // Instructions without an effect.
    { KERNEL("griddepcontrol.wait; griddepcontrol.launch_dependents;\n"

             "cp.async.bulk.prefetch.L2.global [%rd2], 64; fence.proxy.async;\n"
             "fence.proxy.async.shared::cta; fence.proxy.async.global;\n"
             "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
             "cp.async.bulk.wait_group.read 1; setp.eq.u32 %p1, 0, 0;\n" PUT),
      "1" },
};

CASE("mbarrier");

TEST_ROWS(a_barrier_counts_arrivals_and_bytes, alone)
{
    uint32_t *out = harness_memory(64);

    go(alone[_i].ptx, 1, 1, 0, out, out, 0);
    for (size_t i = 0; alone[_i].expected[i]; i++)
        ck_assert_msg(out[i] == (uint32_t)(alone[_i].expected[i] - '0'), "value %zu is %u", i,
                      out[i]);
}

TEST(warps_wait_for_one_another)
{
    // Each of 100 threads writes a word in each of 5 rounds, and reads its neighbor's word.
    uint32_t *out = harness_memory(400);
    go(KERNEL(INIT(
           "100") "mov.u32 %r10, 0; mov.u32 %r11, 0;\n"
                  "add.u32 %r12, %r1, 1; setp.eq.u32 %p1, %r12, 100; selp.u32 %r12, 0, %r12, %p1;\n"
                  "shl.b32 %r12, %r12, 2; add.u32 %r12, %r12, %r3; shl.b32 %r13, %r1, 2;\n"
                  "add.u32 %r13, %r13, %r3;\n"
                  "round: mul.lo.u32 %r14, %r1, 10; add.u32 %r14, %r14, %r10;\n"
                  "and.b32 %r17, %r10, 1; shl.b32 %r18, %r17, 11; add.u32 %r15, %r13, %r18;\n"
                  "add.u32 %r16, %r12, %r18; st.shared.u32 [%r15], %r14;\n"
                  "mbarrier.arrive.shared::cta.b64 _, [%r2];\n" WAIT(
                      "wait",
                      "%r17") "ld.shared.u32 %r14, [%r16]; add.u32 %r11, %r11, %r14;\n"
                              "add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 5; @%p1 bra round;\n"
                              "st.global.u32 [%rd4], %r11;"),
       1, 100, 0, out, out, 0);
    for (uint32_t i = 0; i < 100; i++)
        ck_assert_uint_eq(out[i], 50 * ((i + 1) % 100) + 10);
}

TEST(a_ring_of_stages_feeds_a_warp)
{
    // Warp 0 copies stages of 512 bytes, and warps 1 and 2 add them up: 2 stages, 64 rounds.
    enum { ROUNDS = 64 };
    uint32_t *in = noise(512 * ROUNDS), *out = harness_memory(384);
    go(HARNESS_HEADER
       ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 n)\n{\n"
       ".reg .pred %p<6>; .reg .b32 %r<30>; .reg .b64 %rd<9>;\n"
       ".shared .align 8 .b64 full[2]; .shared .align 8 .b64 empty[2];\n"
       ".shared .align 128 .b8 s[1024];\n"
       "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r9, [n];\n"
       "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra made;\n"
       "mbarrier.init.shared::cta.b64 [full], 1; mbarrier.init.shared::cta.b64 [full+8], 1;\n"
       "mbarrier.init.shared::cta.b64 [empty], 64; mbarrier.init.shared::cta.b64 [empty+8], 64;\n"
       "made: bar.sync 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r20, 0;\n"
       "setp.lt.u32 %p2, %r1, 32; @!%p2 bra take; @%p1 bra end;\n"
       // %r2 round, %r3 phase, %r4 stage
       "give: and.b32 %r4, %r2, 1; shl.b32 %r5, %r4, 3; mov.u32 %r6, full;\n"
       "mov.u32 %r7, empty; add.u32 %r6, %r6, %r5; add.u32 %r7, %r7, %r5; xor.b32 %r8, %r3, 1;\n"
       "free: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7], %r8; @!%p3 bra free;\n"
       "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 512;\n"
       "shl.b32 %r10, %r4, 9; mov.u32 %r11, s; add.u32 %r10, %r10, %r11;\n"
       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd2], 512, "
       "[%r6];\n"
       "add.u64 %rd2, %rd2, 512; add.u32 %r2, %r2, 1; shr.u32 %r3, %r2, 1; and.b32 %r3, %r3, 1;\n"
       "setp.lt.u32 %p4, %r2, %r9; @%p4 bra give; bra end;\n"
       "take: and.b32 %r4, %r2, 1; shl.b32 %r5, %r4, 3; mov.u32 %r6, full;\n"
       "mov.u32 %r7, empty; add.u32 %r6, %r6, %r5; add.u32 %r7, %r7, %r5;\n"
       "there: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6], %r3; @!%p3 bra there;\n"
       "shl.b32 %r10, %r4, 9; mov.u32 %r11, s; add.u32 %r10, %r10, %r11;\n"
       "sub.u32 %r12, %r1, 32; shl.b32 %r12, %r12, 3; add.u32 %r10, %r10, %r12;\n"
       "ld.shared.v2.u32 {%r13, %r14}, [%r10]; add.u32 %r20, %r20, %r13;\n"
       "xor.b32 %r20, %r20, %r14; mbarrier.arrive.shared::cta.b64 _, [%r7];\n"
       "add.u32 %r2, %r2, 1; shr.u32 %r3, %r2, 1; and.b32 %r3, %r3, 1;\n"
       "setp.lt.u32 %p4, %r2, %r9; @%p4 bra take;\n"
       "end: mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r20;\n"
       "ret; }\n",
       1, 96, 0, out, in, ROUNDS);
    for (uint32_t t = 32; t < 96; t++) {
        uint32_t sum = 0;
        for (uint32_t r = 0; r < ROUNDS; r++) {
            const uint32_t *pair = in + 128 * r + 2 * (t - 32);
            sum = (sum + pair[0]) ^ pair[1];
        }
        ck_assert_uint_eq(out[t], sum);
    }
}

// Copies

static const struct {
    const char *in, *out;
} bulk_forms[] = {
    { "shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd2], %r9, [bar]",
      "global.shared::cta.bulk_group [%rd1], [%r3], %r9" },
    { "shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r3], [%rd2+0], %r9, "
      "[%r2], 0x14F0000000000000",
      "global.shared::cta.bulk_group.L2::cache_hint [%rd1], [s], %r9, %rd5" },
};

CASE("copies");

TEST_ROWS(bytes_go_to_shared_memory_and_back, bulk_forms)
{
    unsigned char *in = noise(4096), *out = harness_memory(4096);
    char *ptx =
        TEXT(KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; mov.u64 %rd5, 0;\n"
                    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], %r9;\n"
                    "cp.async.bulk.$1;\n" WAIT(
                        "w", "0") "cp.async.bulk.$2;\n"
                                  "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n"),
             bulk_forms[_i].in, bulk_forms[_i].out);

    for (uint32_t bytes = 0; bytes <= 4096; bytes += 816) {
        memset(out, 0, 4096);
        go(ptx, 1, 1, 0, out, in, bytes);
        ck_assert_mem_eq(out, in, bytes);
        for (uint32_t i = bytes; i < 4096; i++)
            ck_assert_uint_eq(out[i], 0);
    }
    free(ptx);
}

TEST(a_mask_selects_the_bytes_of_16_that_are_stored)
{
    unsigned char *in = noise(64), *out = harness_memory(64);
    char *ptx = for_target(
        TEXT(KERNEL(
                 "mbarrier.init.shared::cta.b64 [bar], 1; mov.u16 %h1, 0x8421; mov.u64 %rd5, "
                 "0;\n" EXPECT("64") FETCH("s", "%rd2", "64") WAIT(
                     "w", "0") "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [s], "
                               "32, %h1;\n"
                               "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask "
                               "[%rd1+32], "
                               "[s+32], 32, %rd5, %h1;\n"),
             NULL),
        "sm_100");
    go(ptx, 1, 1, 0, out, in, 0);
    for (int i = 0; i < 64; i++)
        ck_assert_uint_eq(out[i], 0x8421 >> i % 16 & 1 ? in[i] : 0);
    free(ptx);
}

TEST(blocks_of_a_cluster_copy_to_one_another)
{
    // Each of 4 blocks copies its 64 bytes to the next block and writes the bytes that it receives.
    unsigned char *in = noise(256), *out = harness_memory(256);
    go(KERNEL(INIT(
           "1") "mul.wide.u32 %rd5, %r5, 64; add.u64 %rd6, %rd2, %rd5;\n"
                "add.u64 %rd7, %rd1, %rd5; add.u32 %r11, %r3, 1024; @!%p9 bra rest;\n" EXPECT("64")
                    FETCH("s", "%rd6", "64") WAIT("own", "0") EXPECT(
                        "64") "rest: " CLUSTER "add.u32 %r10, %r5, 1; and.b32 %r10, %r10, 3;\n"
                              "mapa.shared::cluster.u32 %r12, %r11, %r10;\n"
                              "mapa.shared::cluster.u32 %r13, %r2, %r10; @!%p9 bra there;\n"
                              "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::"
                              "bytes [%r12], "
                              "[%r3], 64, [%r13];\n"
                              "there: " WAIT("w", "1") "@%p9 " OUT("%rd7", "%r11", "64") CLUSTER),
       4, 64, 4, out, in, 0);
    for (int i = 0; i < 4; i++)
        ck_assert_mem_eq(out + 64 * ((i + 1) % 4), in + 64 * i, 64);
}

TEST(a_multicast_reaches_the_blocks_of_its_mask)
{
    // In each of two clusters of 4, block 1 sends 128 bytes to blocks 0, 1 and 3. All blocks write
    // their bytes.
    unsigned char *in = noise(128), *out = harness_memory(1024);
    go(KERNEL(INIT(
           "1") "mul.wide.u32 %rd5, %r6, 128; add.u64 %rd7, %rd1, %rd5;\n"
                "setp.ne.u32 %p1, %r5, 2; and.pred %p2, %p1, %p9;\n"
                "@%p2 " EXPECT(
                    "128") "st.shared.u32 [s+256], 0;\n" CLUSTER
                           "setp.eq.u32 %p3, %r5, 1; and.pred %p3, %p3, %p9; mov.u16 %h1, 11;\n"
                           "mov.u64 %rd6, 0;\n"
                           "@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                           ".multicast::cluster.L2::cache_hint [s+256], [%rd2], 128, [bar], %h1, "
                           "%rd6;\n"
                           "@!%p1 bra end;\n" WAIT("w", "0") "@%p9 " OUT("%rd7", "s+256",
                                                                         "128") "end: " CLUSTER),
       8, 32, 4, out, in, 0);
    for (int i = 0; i < 8; i++)
        for (int n = 0; n < 128; n++)
            ck_assert_uint_eq(out[128 * i + n], i % 4 == 2 ? 0 : in[n]);
}

#define ST_ASYNC "st.async.shared::cluster.mbarrier::complete_tx::bytes."
#define RED_ASYNC "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."

TEST(stores_and_reductions_signal_a_barrier_of_another_block)
{
    // All 32 threads of each of 4 blocks write to block 0, which waits for all bytes.
    uint32_t *out = harness_memory(4096), *p = out;
    go(KERNEL(INIT("1") "setp.eq.u32 %p1, %r5, 0; and.pred %p2, %p1, %p9;\n"
                        "st.shared.u32 [s+2048], 0; st.shared.u32 [s+2052], 100;\n"
                        "st.shared.u64 [s+2056], 0;\n@%p2 " EXPECT("4096") CLUSTER
              "mapa.shared::cluster.u32 %r10, %r3, 0; mapa.shared::cluster.u32 %r11, %r2, 0;\n"
              "mul.lo.u32 %r12, %r8, 16; add.u32 %r12, %r12, %r10; add.u32 %r13, %r8, 1;\n"
              "cvt.u64.u32 %rd5, %r8; mul.lo.u64 %rd5, %rd5, 0x100000001;\n"
              "setp.lt.u32 %p3, %r1, 16;\n"
              "@%p3 " ST_ASYNC "v4.b32 [%r12], {%r8, %r13, %r5, %r1}, [%r11];\n"
              "@!%p3 " ST_ASYNC "b64 [%r12], %rd5, [%r11];\n"
              "@!%p3 " ST_ASYNC "v2.u32 [%r12+8], {%r8, 7}, [%r11];\n" RED_ASYNC
              "add.u32 [%r10+2048], %r8, [%r11];\n" RED_ASYNC
              "min.s32 [%r10+2052], %r8, [%r11];\n" RED_ASYNC "add.u64 [%r10+2056], %rd5, [%r11];\n"
              "@!%p1 bra end;\n" WAIT("w", "0") "@%p9 " OUT("%rd1", "s", "2064") "end: " CLUSTER),
       4, 32, 4, out, out, 0);
    for (uint32_t t = 0; t < 128; t++, p += 4) {
        bool low = t % 32 < 16;
        ck_assert_uint_eq(p[0], t);
        ck_assert_uint_eq(p[1], low ? t + 1 : t);
        ck_assert_uint_eq(p[2], low ? t / 32 : t);
        ck_assert_uint_eq(p[3], low ? t % 32 : 7);
    }
    ck_assert_uint_eq(p[0], 8128);
    ck_assert_uint_eq(p[1], 0);
    ck_assert_uint_eq(p[2], 8128);
    ck_assert_uint_eq(p[3], 8128);
}

// Stores and reductions without a completion signal: .release and .global need sm_100.
static const struct {
    const char *target, *store, *reduce;
} quiet[] = {
    { "sm_90", "st.async.b32 [%rd4], %r8", "red.async.relaxed.gpu.add.u32 [%rd5], %r8" },
    { "sm_90", "st.async.weak.u32 [%rd4], %r8", "red.async.relaxed.sys.add.s32 [%rd5], %r8" },
    { "sm_100", "st.async.release.gpu.global.s32 [%rd4], %r8",
      "red.async.release.gpu.global.add.u64 [%rd5], %rd6" },
    { "sm_100", "st.async.mmio.release.sys.global.b32 [%rd4], %r8",
      "red.async.mmio.release.sys.global.add.s64 [%rd5], %rd6" },
};

TEST_ROWS(stores_and_reductions_may_signal_nothing, quiet)
{
    uint32_t *out = harness_memory(4 * 65 + 4);
    char *ptx =
        for_target(TEXT(KERNEL("add.u64 %rd5, %rd1, 256; cvt.u64.u32 %rd6, %r8;\n$1; $2;\n"),
                        quiet[_i].store, quiet[_i].reduce),
                   quiet[_i].target);

    go(ptx, 2, 32, 0, out, out, 0);
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(out[i], i);
    ck_assert_uint_eq(out[64], 63 * 64 / 2);
    free(ptx);
}

TEST(stores_of_every_size_signal_nothing_in_shared_memory)
{
    unsigned char *out = harness_memory(16);
    go(KERNEL("mov.u16 %h1, 0x1234; mov.u32 %r10, 0x3f800000; mov.u64 %rd5, 0x0123456789abcdef;\n"
              "st.shared.u32 [s], 0;\n"
              "st.async.shared::cta.b64 [s+8], %rd5; st.async.weak.shared::cta.b16 [s+2], %h1;\n"
              "st.async.shared::cta.f32 [s+4], %r10;\n"
              "ld.shared.v2.u64 {%rd6, %rd7}, [s]; st.global.v2.u64 [%rd1], {%rd6, %rd7};\n"),
       1, 1, 0, out, out, 0);
    ck_assert_mem_eq(out, "\0\0\x34\x12\0\0\x80\x3f\xef\xcd\xab\x89\x67\x45\x23\x01", 16);
}

REDUCED(min_u32, uint32_t, a < b ? a : b)
REDUCED(max_u32, uint32_t, a > b ? a : b)
REDUCED(min_s32, int32_t, a < b ? a : b)
REDUCED(max_s32, int32_t, a > b ? a : b)
REDUCED(min_u64, uint64_t, a < b ? a : b)
REDUCED(max_u64, uint64_t, a > b ? a : b)
REDUCED(min_s64, int64_t, a < b ? a : b)
REDUCED(max_s64, int64_t, a > b ? a : b)
REDUCED(inc_u32, uint32_t, a >= b ? 0 : a + 1)
REDUCED(dec_u32, uint32_t, a == 0 || a > b ? b : a - 1)
REDUCED(and_b64, uint64_t, a &b)
REDUCED(or_b64, uint64_t, a | b)
REDUCED(xor_b64, uint64_t, a ^ b)
HALF(min_f16, sim_f16_to_f32, sim_f32_to_f16, a < b ? a : b)
HALF(max_f16, sim_f16_to_f32, sim_f32_to_f16, a > b ? a : b)
HALF(min_bf16, sim_bf16_to_f32, sim_f32_to_bf16, a < b ? a : b)
HALF(max_bf16, sim_bf16_to_f32, sim_f32_to_bf16, a > b ? a : b)

static const struct {
    const char *words;
    uint32_t bytes;
    char class; // i: any bits; f, d, h: numbers that are neither tiny nor huge
    bool shared;
    void (*reduce)(void *to, const void *from);
} reductions[] = {
    { "add.u32", 4, 'i', true, add_u32 },
    { "add.s32", 4, 'i', true, add_u32 },
    { "add.u64", 8, 'i', true, add_u64 },
    { "add.f32", 4, 'f', false, add_f32 },
    { "add.f64", 8, 'd', false, add_f64 },
    { "add.noftz.f16", 2, 'h', false, add_f16 },
    { "add.noftz.bf16", 2, 'h', false, add_bf16 },
    { "min.u32", 4, 'i', true, min_u32 },
    { "min.s32", 4, 'i', true, min_s32 },
    { "max.u32", 4, 'i', true, max_u32 },
    { "max.s32", 4, 'i', true, max_s32 },
    { "min.u64", 8, 'i', false, min_u64 },
    { "min.s64", 8, 'i', false, min_s64 },
    { "max.u64", 8, 'i', false, max_u64 },
    { "max.s64", 8, 'i', false, max_s64 },
    { "min.f16", 2, 'h', false, min_f16 },
    { "max.f16", 2, 'h', false, max_f16 },
    { "min.bf16", 2, 'h', false, min_bf16 },
    { "max.bf16", 2, 'h', false, max_bf16 },
    { "inc.u32", 4, 'i', true, inc_u32 },
    { "dec.u32", 4, 'i', true, dec_u32 },
    { "and.b32", 8, 'i', true, and_b64 },
    { "or.b32", 8, 'i', true, or_b64 },
    { "xor.b32", 8, 'i', true, xor_b64 },
    { "and.b64", 8, 'i', false, and_b64 },
    { "or.b64", 8, 'i', false, or_b64 },
    { "xor.b64", 8, 'i', false, xor_b64 },
};

TEST_ROWS(bulk_reductions_combine_every_element, reductions)
{
    enum { BYTES = 512 };
    unsigned char *in = noise(BYTES), *out = harness_memory(BYTES), expected[BYTES];
    char *ptx;

    for (size_t i = 0; i < BYTES; i++)
        out[i] = (unsigned char)(in[(i * 7 + 3) % BYTES] + i / 16);
    tame(in, BYTES, reductions[_i].class);
    tame(out, BYTES, reductions[_i].class);
    memcpy(expected, out, BYTES);
    for (size_t i = 0; i < BYTES; i += reductions[_i].bytes)
        reductions[_i].reduce(expected + i, in + i);
    ptx = TEXT(KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT("%r9") FETCH(
                   "s", "%rd2", "%r9") WAIT("w", "0") "cp.reduce.async.bulk.global.shared::cta."
                                                      "bulk_group.$1 [%rd1], [s], %r9;\n"),
               reductions[_i].words);
    go(ptx, 1, 1, 0, out, in, BYTES);
    ck_assert_mem_eq(out, expected, BYTES);
    free(ptx);

    // In another block's shared memory: block 1 reduces into block 0.
    ptx = TEXT(
        KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT(
            "%r9") "setp.eq.u32 %p1, %r5, 0; selp.b64 %rd5, %rd1, %rd2, %p1;\n" FETCH("s", "%rd5",
                                                                                      "%r9")
                   WAIT("w", "0") "@%p1 " EXPECT("%r9") CLUSTER
               "mapa.shared::cluster.u32 %r10, %r3, 0;\n"
               "mapa.shared::cluster.u32 %r11, %r2, 0;\n"
               "@!%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::"
               "complete_tx::bytes.$1 [%r10], [s], %r9, [%r11];\n@!%p1 bra end;\n" WAIT("w2", "1")
                   OUT("%rd1", "s", "%r9") "end: " CLUSTER),
        reductions[_i].words);
    if (reductions[_i].shared) {
        for (size_t i = 0; i < BYTES; i += reductions[_i].bytes)
            reductions[_i].reduce(expected + i, in + i);
        go(ptx, 2, 1, 2, out, in, BYTES);
        ck_assert_mem_eq(out, expected, BYTES);
    } else {
        ck_assert_ptr_nonnull(strstr(harness_refused(ptx), "no such form"));
    }
    free(ptx);
}

// ---- Cluster launch control, which cancels clusters that have not begun
//
// Each thread counts the blocks whose work it takes over.

#define TAKE_OVER(target, leader, words, get)                                                   \
    ".version 9.0\n.target " target "\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 out, .param .u64 taken)\n"                                   \
    "{ .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .b128 %q<2>;\n"               \
    ".shared .align 16 .b8 answer[16]; .shared .align 8 .b64 bar;\n"                            \
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd3, [taken]; mov.u32 %r10, 0;\n"                  \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;\n"                    \
    "mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mov.u32 %r12, %cluster_ctarank;\n"         \
    "mbarrier.init.shared::cta.b64 [bar], 1;\n"                                                 \
    "next: mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;\n"                     \
    "mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd2, %rd1; red.global.add.u32 [%rd2], 1;\n"      \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n" CLUSTER                         \
    "setp.eq.u32 %p3, %r12, " leader ";\n"                                                      \
    "@%p3 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes" words \
    ".b128 [answer], [bar];\n"                                                                  \
    "wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], %r10; @!%p1 bra wait;\n"        \
    "xor.b32 %r10, %r10, 1; ld.shared.b128 %q1, [answer];\n"                                    \
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q1; @!%p2 bra end;\n" get    \
    "red.global.add.u32 [%rd3], 1; add.u32 %r1, %r1, %r12;\n" CLUSTER "bra next;\n"             \
    "end: " CLUSTER "ret; }\n"
#define FIRST_OF(dimension, to) \
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::" dimension ".b32.b128 " to ", %q1;\n"

static const struct {
    const char *ptx;
    uint32_t grid[3], cluster[3];
    int cooperative;
} takeovers[] = {
    { TAKE_OVER("sm_100", "0", "", FIRST_OF("x", "%r1") FIRST_OF("y", "%r2") FIRST_OF("z", "%r3")),
      { 30, 10, 4 },
      { 0 },
      0 },
    { TAKE_OVER("sm_100a", "1", ".multicast::cluster::all",
                "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
                "{%r1, %r2, %r3, _}, %q1;\n"),
      { 60, 10, 4 },
      { 3, 1, 1 },
      0 },
    { TAKE_OVER("sm_100", "0", "", FIRST_OF("x", "%r1") FIRST_OF("y", "%r2") FIRST_OF("z", "%r3")),
      { 5, 2, 2 },
      { 0 },
      1 },
};

CASE("launch");

TEST_ROWS(clusters_that_have_not_begun_are_taken_over, takeovers)
{
    const uint32_t *grid = takeovers[_i].grid, blocks = grid[0] * grid[1] * grid[2];
    uint32_t *out = harness_memory(4 * blocks), *taken = harness_memory(4);

    harness_go(
        takeovers[_i].ptx,
        &(struct harness_launch){ .grid = { grid[0], grid[1], grid[2] },
                                  .block = { 1 },
                                  .cluster = { takeovers[_i].cluster[0], takeovers[_i].cluster[1],
                                               takeovers[_i].cluster[2] },
                                  .cooperative = takeovers[_i].cooperative,
                                  .arguments = { HARNESS_POINTER(out), HARNESS_POINTER(taken) } });
    for (uint32_t i = 0; i < blocks; i++)
        ck_assert_msg(out[i] == 1, "block %u is done %u times", i, out[i]);
    // All blocks of a cooperative grid run at once, so none can be canceled.
    ck_assert((*taken != 0) == !takeovers[_i].cooperative);
}

// Errors are reported.

static const struct {
    int code;
    const char *ptx, *report;
} faults[] = {
    { 719, KERNEL("mbarrier.arrive.shared::cta.b64 _, [bar];"), "no mbarrier at" },
    { 719,
      KERNEL(ONE "mbarrier.inval.shared::cta.b64 [bar]; mbarrier.inval.shared::cta.b64 [bar];"),
      "invalidated" },
    { 719, KERNEL("mbarrier.init.shared::cta.b64 [bar], 0;"), "1 to 1048575" },
    { 719, KERNEL("mbarrier.init.shared::cta.b64 [bar], 1048576;"), "1048576 arrivals" },
    { 719, KERNEL(ONE "mbarrier.arrive.shared::cta.b64 _, [bar], 2;"),
      "2 arrivals at an mbarrier that waits for 1" },
    { 719, KERNEL(ONE "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1048576;"),
      "1048576 bytes" },
    { 719, KERNEL(ONE "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 1048576;"),
      "-1048576 bytes" },
    { 719, KERNEL(ONE "mbarrier.arrive.noComplete.shared::cta.b64 %rd5, [bar], 1;"),
      "completes the phase" },
    { 717, KERNEL("mbarrier.arrive.b64 _, [%rd1];"), "not in shared memory" },
    { 716, KERNEL("mbarrier.init.shared::cta.b64 [bar+4], 1;"), "multiple of 8" },
    { 719, KERNEL(ONE ST_ASYNC "b32 [s], %r1, [bar2];"), "no mbarrier at" },
    { 716, KERNEL(ONE ST_ASYNC "v2.b64 [s+8], {%rd1, %rd1}, [bar];"), "multiple of 16" },
    { 719, KERNEL(ONE "add.u32 %r10, %r2, 0x2000000;\n" ST_ASYNC "b32 [%r3], %r1, [%r10];"),
      "in block 0 of the cluster, its mbarrier in block 1" },
    { 719, KERNEL(ONE "add.u32 %r10, %r2, 0x2000000;\n" RED_ASYNC "add.u32 [%r3], %r1, [%r10];"),
      "in block 0 of the cluster, its mbarrier in block 1" },
    { 700, KERNEL("st.async.b32 [%rd1+256], %r1;"), "past the end of an allocation" },
    { 700, KERNEL("red.async.relaxed.gpu.add.u32 [%rd1+256], %r1;"),
      "past the end of an allocation" },
    { 719, KERNEL(ONE WAIT("w", "0")),
      "deadlock: 1 thread from (0,0,0) of block (0,0,0) waits at mbarrier.try_wait" },
    { 719, KERNEL(ONE "@%p9 bra w;\nbar.sync 0;\n" WAIT("w", "0")), "deadlock" },
    { 717, KERNEL(ONE "add.u32 %r2, %r2, 0x2000000;\n" WAIT("w", "0")), "another block" },
    { 715, KERNEL(ONE FETCH("s", "%rd2", "24")), "24 bytes, which is not a multiple of 16" },
    { 716, KERNEL(ONE FETCH("s", "%rd2+8", "16")), "multiple of 16" },
    { 716, KERNEL(ONE FETCH("s+4", "%rd2", "16")), "multiple of 16" },
    { 700, KERNEL(ONE FETCH("s", "%rd2", "512")), "past the end of an allocation of 256 bytes" },
    { 700, KERNEL(ONE FETCH("s+4080", "%rd2", "32")), "shared memory" },
    { 719,
      KERNEL(ONE "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [s], [%rd2], 16, [bar], 3;"),
      "0x3 of a cluster of 1" },
};

CASE("misuse", .timeout = 60);

TEST_ROWS(misuse_is_reported, faults)
{
    unsigned char *in = harness_memory(256);
    // bar.sync needs a second thread
    uint32_t threads = strstr(faults[_i].ptx, "bar.sync") ? 2 : 1;
    int code = run(faults[_i].ptx, 1, threads, 0, in, in, 0);
    ck_assert_msg(code == faults[_i].code && strstr(harness_report(), faults[_i].report), "%d %s",
                  code, harness_report());
}

#define SETMAXNREG(target, words)                                                         \
    ".version 9.0\n.target " target "\n.address_size 64\n.entry k() {\nsetmaxnreg." words \
    ";\nret; }\n"
static const struct {
    const char *ptx, *log; // NULL: it must load
} registers[] = {
    { SETMAXNREG("sm_90a", "inc.sync.aligned.u32 256"), NULL },
    { SETMAXNREG("sm_90a", "dec.sync.aligned.u32 24"), NULL },
    { SETMAXNREG("sm_90", "dec.sync.aligned.u32 24"), "sm_90a only" },
    { SETMAXNREG("sm_90a", "inc.sync.aligned.u32 25"), "multiple of 8" },
    { SETMAXNREG("sm_90a", "inc.sync.aligned.u32 264"), "multiple of 8" },
    { SETMAXNREG("sm_90a", "dec.sync.aligned.u32 16"), "multiple of 8" },
    { SETMAXNREG("sm_90a", "dec.sync.u32 24"), "no such form" },
    { SETMAXNREG("sm_90a", "dec.sync.aligned.u32 %tid.x"), "not an integer" },
};

TEST_ROWS(register_counts_change_in_multiples_of_eight, registers)
{
    if (!registers[_i].log) {
        harness_go(registers[_i].ptx, &(struct harness_launch){ .block = { 128 } });
    } else {
        const char *log = harness_refused(registers[_i].ptx);
        ck_assert_msg(strstr(log, registers[_i].log) != NULL, "%s", log);
    }
}

static const struct {
    const char *statement, *log;
} refused[] = {
    { "multimem.red.relaxed.sys.global.add.u32 [%rd1], %r1;", "unknown instruction multimem" },
    { "mbarrier.arrive.shared::cluster.b64 %rd5, [%r2];", "no such form" },
    { "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2];", "no such form" },
    { "mbarrier.try_wait.shared::cluster.b64 %p1, [%r2], %rd5;", "unknown word" },
    { "mbarrier.test_wait.shared.b64 %p1, [%r2], %rd5, 7;", "no such form" },
    { "mbarrier.init.shared.b32 [%r2], 1;", "no such form" },
    { "cp.async.bulk.shared::cta.global.bulk_group [%r3], [%rd2], 16, [%r2];", "" },
    { "cp.async.bulk.global.global.bulk_group [%rd1], [%rd2], 16;", "no such form" },
    { "cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes [%r3], [%r3], 16, "
      "[%r2];",
      "no such form" },
    { "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [%r3], 16;",
      "no such form" },
    { "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%rd1], [%r3], 16;",
      "no such form" },
    { "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [%r3], {%rd1, %rd1, %rd1, "
      "%rd1}, [%r2];",
      "no such form" },
    { "st.async.release.gpu.global.b32 [%rd1], %r1;", "needs .target sm_100 or above" },
    { "st.async.mmio.release.gpu.b32 [%rd1], %r1;", "needs .target sm_100 or above" },
    { "st.async.weak.gpu.b32 [%rd1], %r1;", "no such form" },
    { "st.async.release.b32 [%rd1], %r1;", "no such form" },
    { "st.async.b128 [%rd1], %rd1;", "" },
    { "st.async.v2.b32 [%rd1], {%r1, %r1};", "" },
    { "red.async.gpu.add.u32 [%rd1], %r1;", "no such form" },
    { "red.async.relaxed.gpu.global.add.u32 [%rd1], %r1;", "needs .target sm_100 or above" },
    { "red.async.relaxed.gpu.add.f32 [%rd1], %r1;", "no such form" },
    { "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%rd1], [%rd2];",
      "needs .target sm_100 or above" },
    { "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r3], 16, %h1;",
      "needs .target sm_100 or above" },
    { "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 [%r3], %r1, "
      "[%r2];",
      "no such form" },
};

TEST_ROWS(nonexistent_forms_are_refused, refused)
{
    char *ptx = TEXT(KERNEL("$1"), refused[_i].statement);
    const char *log = harness_refused(ptx);
    ck_assert_msg(strstr(log, refused[_i].log) && strstr(log, "line 2"), "%s", log);
    free(ptx);
}

// Features that sm_90 introduced.
static const char *const late[] = {
    "mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;",
    "mbarrier.test_wait.acquire.cluster.shared::cta.b64 %p1, [bar], %rd5;",
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;",
    "mbarrier.arrive.shared::cta.b64 _, [bar], 2;",
    "mbarrier.arrive.shared::cluster.b64 _, [%r2];",
    "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;",
    FETCH("s", "%rd2", "16"),
    OUT("%rd1", "s", "16"),
    "cp.async.bulk.prefetch.L2.global [%rd2], 64;",
    ST_ASYNC "b32 [%r3], %r1, [%r2];",
    RED_ASYNC "add.u32 [%r3], %r1, [%r2];",
    "fence.acq_rel.cluster;",
    "fence.mbarrier_init.release.cluster;",
    "fence.proxy.async;",
};

TEST_ROWS(features_of_sm_90_are_refused_for_sm_80, late)
{
    char *ptx = for_target(TEXT(KERNEL("$1"), late[_i]), "sm_80");
    ck_assert_msg(strstr(harness_refused(ptx), "needs .target sm_90 or above"), "%s: %s", late[_i],
                  harness_refused(ptx));
    free(ptx);
    // The unmodified form is accepted.
    ptx = TEXT(KERNEL("$1"), late[_i]);
    sim_program_free(harness_load(ptx));
    free(ptx);
}

// The usual pattern of libcu++: a barrier, tensor tiles, byte copies, and rows copied back. `out`
// gets each tile plus 1, and the `x` bytes 3 times.
static const char source[] =
    "#include <cuda/barrier>\n"
    "#include <cuda/ptx>\n"
    "namespace ptx = cuda::ptx;\n"
    "using barrier = cuda::barrier<cuda::thread_scope_block>;\n"
    "extern \"C\" __global__ void k(int *out, const void *map, int *x) {\n"
    "  __shared__ alignas(1024) int tile[8][32];\n"
    "  __shared__ alignas(16) int line[64];\n"
    "  __shared__ alignas(8) char room[sizeof(barrier)];\n"
    "  barrier &bar = *reinterpret_cast<barrier *>(room);\n"
    "  if (threadIdx.x == 0) {\n"
    "    init(&bar, blockDim.x);\n"
    "    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);\n"
    "  }\n"
    "  __syncthreads();\n"
    "  for (int r = 0; r < 5; r++) {\n"
    "    barrier::arrival_token token;\n"
    "    if (threadIdx.x == 0) {\n"
    "      int at[2] = { 0, 8 * r };\n"
    "      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile, map, at,\n"
    "                                cuda::device::barrier_native_handle(bar));\n"
    "      token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));\n"
    "    } else {\n"
    "      token = bar.arrive();\n"
    "    }\n"
    "    bar.wait(std::move(token));\n"
    "    for (int i = threadIdx.x; i < 256; i += blockDim.x)\n"
    "      tile[i / 32][i % 32]++;\n"
    "    ptx::fence_proxy_async(ptx::space_shared);\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x == 0) {\n"
    "      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 256 * r, tile,\n"
    "                         sizeof(tile));\n"
    "      ptx::cp_async_bulk_commit_group();\n"
    "      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());\n"
    "    }\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (threadIdx.x == 0)\n"
    "    cuda::device::memcpy_async_tx(line, x, cuda::aligned_size_t<16>(sizeof(line)), bar);\n"
    "  barrier::arrival_token token = threadIdx.x ? bar.arrive()\n"
    "                              : cuda::device::barrier_arrive_tx(bar, 1, sizeof(line));\n"
    "  bar.wait(std::move(token));\n"
    "  for (int i = threadIdx.x; i < 64; i += blockDim.x) line[i] *= 2;\n"
    "  ptx::fence_proxy_async(ptx::space_shared);\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x == 0) {\n"
    "    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, x, line,\n"
    "                              sizeof(line));\n"
    "    ptx::cp_async_bulk_commit_group();\n"
    "    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());\n"
    "  }\n"
    "}\n";

static bool have_nvrtc(void)
{
    cuc_found *found = NULL;

    if (cuc_find_library(&found, "nvrtc") < 0) {
        printf("without what NVRTC writes: %s\n", cuc_error_message());
        return false;
    }
    cuc_found_release(found);
    return true;
}

CASE("CUDA C++", .timeout = 60, .only_if = have_nvrtc);

TEST_RANGE(barriers_and_copies_of_cuda_cpp, 0, 2)
{
    static const char *const include[] = { "/usr/local/cuda/include/cccl" };
    static const uint64_t dims[] = { 32, 40 }, strides[] = { 192 };
    static const uint32_t box[] = { 32, 8 }, step[] = { 1, 1 };
    CUtensorMap *map = harness_memory(sizeof(*map));
    int *data = noise(40 * 192), *out = harness_memory(40 * 128);
    int *x = harness_memory(256);
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    const char *ptx = NULL;
    size_t bytes;

    ck_assert_msg(cuc_program_create(&program, CUC_SOURCE_CUDA, source, 0,
                                     CUC_PROGRAM_OPTIONS(.arch = "sm_90", .debug = _i,
                                                         .include_paths = include,
                                                         .include_path_count = 1)) == CUC_OK,
                  "%s", cuc_error_message());
    ck_assert_msg(cuc_program_compile(&object, program, CUC_CODE_PTX) == CUC_OK, "%s\n%s",
                  cuc_error_message(), cuc_error_log());
    ck_assert_int_eq(cuc_object_get_ptx(&ptx, &bytes, object), CUC_OK);
    for (int i = 0; i < 64; i++)
        x[i] = i;
    ck_assert_int_eq(sim_encode_tiled(map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, dims, strides,
                                      box, step, 0, 0, 0, 0),
                     CUDA_SUCCESS);
    go(ptx, 1, 96, 0, out, map, HARNESS_POINTER(x));
    for (int i = 0; i < 40 * 32; i++)
        ck_assert_uint_eq((uint32_t)out[i], (uint32_t)data[i / 32 * 48 + i % 32] + 1);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(x[i], 3 * i);
    cuc_object_release(object);
    cuc_program_release(program);
}

int main(void)
{
    return run_tests("async");
}
