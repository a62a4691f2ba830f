// mbarrier, asynchronous copies of bytes and of tensors, and what is said when they are misused.
#include "harness.h"

#include <check.h>
#include <cucore/cucore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/cuda_abi.h"
#include "sim/driver/shell.h"
#include "sim/formats.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

// A kernel over an output and an input, with a barrier and 4 KiB of shared memory.
#define KERNEL(body)                                                                          \
    HARNESS_HEADER                                                                            \
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 n)\n{\n"                  \
    ".reg .pred %p<10>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<30>;\n"           \
    ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 bar2;\n"                               \
    ".shared .align 1024 .b8 s[4096];\n"                                                      \
    "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nld.param.u64 %rd3, [n];\n"          \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, bar;\nmov.u32 %r3, s;\nmov.u32 %r4, bar2;\n"          \
    "mov.u32 %r5, %cluster_ctarank;\nmov.u32 %r6, %ctaid.x;\nmov.u32 %r7, %ntid.x;\n"         \
    "mad.lo.u32 %r8, %r6, %r7, %r1;\nmul.wide.u32 %rd4, %r8, 4;\nadd.u64 %rd4, %rd4, %rd1;\n" \
    "cvt.u32.u64 %r9, %rd3;\n"                                                                \
    "setp.eq.u32 %p9, %r1, 0;\n" body "\nret;\n}\n"

// Wait for a parity at %r2.
#define WAIT(label, parity)                                                                      \
    label ": mbarrier.try_wait.parity.shared::cta.b64 %p8, [%r2], " parity ";\n@!%p8 bra " label \
          ";\n"
// Thread 0 makes a barrier for some arrivals.
#define INIT(count)                                                                                \
    "@%p9 mbarrier.init.shared::cta.b64 [%r2], " count ";\nfence.mbarrier_init.release.cluster;\n" \
    "bar.sync 0;\n"
#define CLUSTER "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"

static int run(const char *ptx, uint32_t blocks, uint32_t threads, uint32_t cluster, void *out,
               const void *in, uint64_t n)
{
    struct sim_program *program = harness_load(ptx);
    int code = harness_run(
        program,
        &(struct harness_launch){ .grid = { blocks },
                                  .block = { threads },
                                  .cluster = { cluster, cluster ? 1 : 0, cluster ? 1 : 0 },
                                  .arguments = { HARNESS_POINTER(out), HARNESS_POINTER(in), n } });
    sim_program_free(program);
    return code;
}

static void go(const char *ptx, uint32_t blocks, uint32_t threads, uint32_t cluster, void *out,
               const void *in, uint64_t n)
{
    int code = run(ptx, blocks, threads, cluster, out, in, n);
    ck_assert_msg(code == 0, "%s", harness_report());
}

static void *noise(size_t bytes)
{
    unsigned char *p = harness_memory(bytes);
    uint32_t x = 12345;
    for (size_t i = 0; i < bytes; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = (unsigned char)(x >> 24);
    }
    return p;
}

// Barriers by one thread: each statement `PUT(p)` writes a predicate, in order.

#define PUT                                                   \
    "selp.u32 %r20, 1, 0, %p1; st.global.u32 [%rd1], %r20;\n" \
    "add.u64 %rd1, %rd1, 4;\n"
#define PHASE(n) "mbarrier.test_wait.parity.shared::cta.b64 %p1, [bar], " n ";\n" PUT

static const struct {
    const char *ptx;
    const char *expected; // one letter a value
} alone[] = {
    // A state, and how many it waited for.
    { KERNEL("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %rd10, [bar];\n"
             "mbarrier.test_wait.shared.b64 %p1, [bar], %rd10;\n" PUT
             "mov.u64 %rd13, bar; cvta.shared.u64 %rd12, %rd13;\n"
             "mbarrier.arrive.b64 %rd11, [%rd12];\n"
             "mbarrier.test_wait.shared.b64 %p1, [bar], %rd10;\n" PUT
             "mbarrier.pending_count.b64 %r20, %rd10; st.global.u32 [%rd1], %r20;\n"
             "mbarrier.pending_count.b64 %r20, %rd11; st.global.u32 [%rd1+4], %r20;\n"),
      "0121" },
    // A fresh barrier is in phase 0: the phase before it, of parity 1, has ended.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" PHASE("0") PHASE(
          "1") "mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];\n" PHASE("0")
                 PHASE("1") "mbarrier.arrive.shared::cta.b64 _, [bar], 1;\n" PHASE("0") PHASE("1")),
      "011001" },
    // Bytes are waited for besides arrivals.
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
    // They may come before they are expected, while an arrival is awaited.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n"
             "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [bar], "
             "1048575;\n" PHASE("0") "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], "
                                     "1048575;\n" PHASE("0") "mbarrier.arrive.shared::cta."
                                                             "b64 _, [bar];\n" PHASE("0")),
      "001" },
    // Who drops out is not awaited in the next phase.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 3;\n"
             "mbarrier.arrive_drop.shared::cta.b64 %rd10, [bar];\n" PHASE(
                 "0") "mbarrier.arrive_drop.expect_tx.shared::cta.b64 _, [bar], 16;\n"
                      "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd10, [bar], "
                      "1;\n" PHASE("0") "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 "
                                        "[bar], 16;\n" PHASE("0") "mbarrier.arrive.shared::cta."
                                                                  "b64 _, [bar];\n" PHASE("1")
                                                                      PHASE("0")),
      "00110" },
    // All of the arrivals that a barrier can count, and again after it is made anew.
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
    // try_wait gives up in the end, so that a thread can do it itself.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; mov.u32 %r11, 1000;\n"
             "mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0, %r11;\n" PUT
             "mbarrier.arrive.shared::cta.b64 %rd10, [bar];\n"
             "mbarrier.try_wait.shared::cta.b64 %p1, [bar], %rd10;\n" PUT
             "mbarrier.try_wait.acquire.cluster.shared::cta.b64 %p1, [bar], %rd10, 100;\n" PUT),
      "011" },
    // Copies that are done arrive at once; without .noinc the arrival is one more.
    { KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; cp.async.ca.shared.global [s], [%rd2], 16;\n"
             "cp.async.mbarrier.arrive.shared::cta.b64 [bar];\n" PHASE(
                 "0") "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" PHASE("0")),
      "01" },
    // What has no effect.
    { KERNEL("griddepcontrol.wait; griddepcontrol.launch_dependents;\n"

             "cp.async.bulk.prefetch.L2.global [%rd2], 64; fence.proxy.async;\n"
             "fence.proxy.async.shared::cta; fence.proxy.async.global;\n"
             "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
             "cp.async.bulk.wait_group.read 1; setp.eq.u32 %p1, 0, 0;\n" PUT),
      "1" },
};

START_TEST(a_barrier_counts_arrivals_and_bytes)
{
    uint32_t *out = harness_memory(64);

    go(alone[_i].ptx, 1, 1, 0, out, out, 0);
    for (size_t i = 0; alone[_i].expected[i]; i++)
        ck_assert_msg(out[i] == (uint32_t)(alone[_i].expected[i] - '0'), "value %zu is %u", i,
                      out[i]);
}
END_TEST

START_TEST(warps_wait_for_one_another)
{
    // Each of 100 threads writes a word in each of 5 rounds and reads that of its neighbour.
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
END_TEST

START_TEST(a_ring_of_stages_feeds_a_warp)
{
    // Warp 0 copies stages of 512 bytes, warps 1 and 2 add them up: 2 stages, 64 rounds.
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
END_TEST

// Copies

// Text with $1 to $4 in it.
static char *text(const char *with, const char *const part[4])
{
    size_t room = strlen(with) + 1;
    for (int i = 0; i < 4; i++)
        room += 4 * strlen(part[i] ? part[i] : "");
    char *out = malloc(room), *to = out;
    ck_assert_ptr_nonnull(out);
    for (const char *from = with; *from; from++) {
        if (*from == '$' && from[1] >= '1' && from[1] <= '4') {
            const char *p = part[*++from - '1'];
            to += sprintf(to, "%s", p ? p : "");
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return out;
}
#define TEXT(with, ...) text(with, (const char *const[4]){ __VA_ARGS__ })

static const struct {
    const char *in, *out;
} bulk_forms[] = {
    { "shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd2], %r9, [bar]",
      "global.shared::cta.bulk_group [%rd1], [%r3], %r9" },
    { "shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r3], [%rd2+0], %r9, "
      "[%r2], 0x14F0000000000000",
      "global.shared::cta.bulk_group.L2::cache_hint [%rd1], [s], %r9, %rd5" },
};

START_TEST(bytes_go_to_shared_memory_and_back)
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
END_TEST

#define FETCH(to, from, bytes)                                                                   \
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [" to "], [" from "], " bytes \
    ", [bar];\n"
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " bytes ";\n"
#define OUT(to, from, bytes) \
    "cp.async.bulk.global.shared::cta.bulk_group [" to "], [" from "], " bytes ";\n"

START_TEST(a_mask_says_which_bytes_of_16_go_out)
{
    unsigned char *in = noise(64), *out = harness_memory(64);
    go(KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; mov.u16 %h1, 0x8421; mov.u64 %rd5, "
              "0;\n" EXPECT("64") FETCH("s", "%rd2", "64") WAIT(
                  "w",
                  "0") "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [s], 32, %h1;\n"
                       "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask "
                       "[%rd1+32], "
                       "[s+32], 32, %rd5, %h1;\n"),
       1, 1, 0, out, in, 0);
    for (int i = 0; i < 64; i++)
        ck_assert_uint_eq(out[i], 0x8421 >> i % 16 & 1 ? in[i] : 0);
}
END_TEST

START_TEST(blocks_of_a_cluster_copy_to_one_another)
{
    // Each of 4 blocks copies its 64 bytes to the next one and writes what came.
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
END_TEST

START_TEST(a_multicast_reaches_the_blocks_of_its_mask)
{
    // Block 1 of two clusters of 4 sends 128 bytes to blocks 0, 1 and 3. All write what they have.
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
END_TEST

#define ST_ASYNC "st.async.shared::cluster.mbarrier::complete_tx::bytes."
#define RED_ASYNC "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."

START_TEST(stores_and_reductions_signal_a_barrier_of_another_block)
{
    // All 32 threads of each of 4 blocks write to block 0, which waits for all of their bytes.
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
END_TEST

// Reductions, in the type's own arithmetic on the host.
#define REDUCED(name, type, ...)                 \
    static void name(void *to, const void *from) \
    {                                            \
        type a, b;                               \
        memcpy(&a, to, sizeof(a));               \
        memcpy(&b, from, sizeof(b));             \
        a = (type)(__VA_ARGS__);                 \
        memcpy(to, &a, sizeof(a));               \
    }
#define HALF(name, to_f32, from_f32, ...)        \
    static void name(void *to, const void *from) \
    {                                            \
        uint16_t x, y;                           \
        memcpy(&x, to, 2);                       \
        memcpy(&y, from, 2);                     \
        float a = to_f32(x), b = to_f32(y);      \
        x = (uint16_t)from_f32(__VA_ARGS__);     \
        memcpy(to, &x, 2);                       \
    }
REDUCED(add_u32, uint32_t, a + b)
REDUCED(add_u64, uint64_t, a + b)
REDUCED(add_f32, float, a + b)
REDUCED(add_f64, double, a + b)
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
HALF(add_f16, sim_f16_to_f32, sim_f32_to_f16, a + b)
HALF(min_f16, sim_f16_to_f32, sim_f32_to_f16, a < b ? a : b)
HALF(max_f16, sim_f16_to_f32, sim_f32_to_f16, a > b ? a : b)
HALF(add_bf16, sim_bf16_to_f32, sim_f32_to_bf16, a + b)
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

// Any bits as numbers of a class: the exponent's high bits are set to 011.
static void tame(unsigned char *p, size_t bytes, char class)
{
    size_t size = class == 'h' ? 2 : class == 'd' ? 8 : 4;

    for (size_t i = size - 1; class != 'i' && i < bytes; i += size)
        p[i] = (unsigned char)((p[i] & 0x8f) | 0x30);
}

START_TEST(bulk_reductions_combine_every_element)
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
END_TEST

// Tensors

struct tensor {
    const char *name;
    uint32_t type, bytes, rank;
    uint64_t dims[5];
    uint64_t gap[5]; // bytes between rows, planes ...: [1] after each row
    uint32_t box[5], step[5];
    int32_t at[5];
    uint32_t swizzle, nan;
};

static const struct tensor tensors[] = {
    { "a line", 0, 1, 1, { 100 }, { 0 }, { 48 }, { 1 }, { 16 }, 0, 0 },
    { "a line past both ends", 2, 4, 1, { 20 }, { 0 }, { 64 }, { 1 }, { -8 }, 0, 0 },
    { "a tile", 9, 2, 2, { 72, 50 }, { 0, 16 }, { 32, 16 }, { 1, 1 }, { 8, 3 }, 0, 0 },
    { "a tile of 32 bytes across, swizzled",
      6,
      2,
      2,
      { 64, 64 },
      { 0, 0 },
      { 16, 32 },
      { 1, 1 },
      { 16, 5 },
      1,
      0 },
    { "64 bytes", 7, 4, 2, { 64, 64 }, { 0, 32 }, { 16, 24 }, { 1, 1 }, { 4, -5 }, 2, 0 },
    { "128 bytes", 9, 2, 2, { 72, 40 }, { 0, 16 }, { 64, 32 }, { 1, 1 }, { 16, 20 }, 3, 1 },
    { "128 bytes of doubles",
      8,
      8,
      2,
      { 30, 40 },
      { 0, 16 },
      { 16, 20 },
      { 1, 1 },
      { -2, -1 },
      3,
      1 },
    { "every other row", 5, 8, 2, { 20, 40 }, { 0, 0 }, { 8, 21 }, { 4, 2 }, { 2, 30 }, 0, 0 },
    { "a cube",
      1,
      2,
      3,
      { 40, 10, 6 },
      { 0, 16, 32 },
      { 16, 4, 3 },
      { 1, 1, 1 },
      { 32, 8, -1 },
      0,
      0 },
    { "four dimensions",
      3,
      4,
      4,
      { 12, 5, 4, 3 },
      { 0, 0, 16, 48 },
      { 8, 3, 2, 2 },
      { 1, 1, 2, 1 },
      { 8, 4, 1, 2 },
      1,
      0 },
    { "five dimensions",
      0,
      1,
      5,
      { 64, 3, 4, 3, 2 },
      { 0, 0, 0, 0, 64 },
      { 128, 2, 2, 2, 3 },
      { 1, 1, 1, 3, 1 },
      { -16, 1, -1, 2, -1 },
      3,
      0 },
    { "a box outside altogether",
      7,
      4,
      2,
      { 8, 8 },
      { 0, 0 },
      { 8, 8 },
      { 1, 1 },
      { 100, -100 },
      0,
      1 },
};

static CUtensorMap *encode(const struct tensor *t, void *data)
{
    CUtensorMap *map = harness_memory(sizeof(*map));
    uint64_t strides[5], stride = t->bytes;
    for (uint32_t i = 0; i + 1 < t->rank; i++)
        strides[i] = stride = stride * t->dims[i] + t->gap[i + 1];
    ck_assert_int_eq(sim_cuTensorMapEncodeTiled(map, t->type, t->rank, data, t->dims, strides,
                                                t->box, t->step, 0, t->swizzle, 0, t->nan),
                     CUDA_SUCCESS);
    return map;
}

static size_t tensor_bytes(const struct tensor *t)
{
    size_t stride = t->bytes;
    for (uint32_t i = 0; i < t->rank; i++)
        stride = stride * t->dims[i] + (i + 1 < t->rank ? t->gap[i + 1] : 0);
    return stride;
}

// Where the i-th element of the box is in the tensor, in bytes, or SIZE_MAX; and in shared memory.
static size_t element(const struct tensor *t, size_t i, size_t *shared)
{
    size_t left = i, at = 0, stride = t->bytes, row, chunk;
    bool outside = false;

    for (uint32_t d = 0; d < t->rank; d++) {
        uint32_t step = d ? t->step[d] : 1, count = (t->box[d] + step - 1) / step;
        int64_t c = t->at[d] + (int64_t)(left % count) * step;
        left /= count;
        outside = outside || c < 0 || c >= (int64_t)t->dims[d];
        at += outside ? 0 : (size_t)c * stride;
        stride = stride * t->dims[d] + (d + 1 < t->rank ? t->gap[d + 1] : 0);
    }
    // Pieces of 16 bytes of a row change places: by the row in lines of 128 bytes.
    row = i * t->bytes / (t->box[0] * t->bytes);
    chunk = i * t->bytes % (t->box[0] * t->bytes) / 16;
    chunk ^= t->swizzle == 3   ? row & 7
             : t->swizzle == 2 ? row >> 1 & 3
             : t->swizzle == 1 ? row >> 2 & 1
                               : 0;
    *shared = row * t->box[0] * t->bytes + chunk * 16 + i * t->bytes % 16;
    return outside ? SIZE_MAX : at;
}

static size_t box_elements(const struct tensor *t)
{
    size_t n = t->box[0];
    for (uint32_t d = 1; d < t->rank; d++)
        n *= (t->box[d] + t->step[d] - 1) / t->step[d];
    return n;
}

static const char *coordinates(const struct tensor *t)
{
    static char words[128];
    int n = sprintf(words, "{");
    for (uint32_t d = 0; d < t->rank; d++)
        n += sprintf(words + n, "%s%d", d ? ", " : "", t->at[d]);
    sprintf(words + n, "}");
    return words;
}

// %rd2 is the map.
static char *tensor_kernel(const struct tensor *t, const char *body)
{
    char rank[2] = { (char)('0' + t->rank), '\0' };
    return TEXT(body, rank, coordinates(t));
}

START_TEST(boxes_of_tensors_come_to_shared_memory)
{
    const struct tensor *t = &tensors[_i];
    unsigned char *data = noise(tensor_bytes(t)), *out = harness_memory(4096);
    uint64_t nan = t->nan ? UINT64_MAX >> 1 >> (64 - 8 * t->bytes) : 0;
    size_t n = box_elements(t), shared;
    char *ptx = tensor_kernel(
        t, KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT(
               "%r9") "prefetch.tensormap [%rd2];\n"
                      "cp.async.bulk.prefetch.tensor.$1d.L2.global.tile [%rd2, $2];\n"
                      "cp.async.bulk.tensor.$1d.shared::cluster.global.tile.mbarrier::complete_tx::"
                      "bytes "
                      "[s], [%rd2, $2], [bar];\n" WAIT("w", "0") OUT("%rd1", "s", "%r9")));

    for (size_t i = 0; i < tensor_bytes(t); i += t->bytes)
        if (t->nan) // numbers only: the fill is the one NaN
            data[i + t->bytes - 1] &= 0xbf;
    go(ptx, 1, 1, 0, out, encode(t, data), n * t->bytes);
    for (size_t i = 0; i < n; i++) {
        size_t at = element(t, i, &shared);
        const void *expected = at == SIZE_MAX ? (const void *)&nan : data + at;
        ck_assert_msg(memcmp(out + shared, expected, t->bytes) == 0, "%s: element %zu", t->name, i);
    }
    free(ptx);
}
END_TEST

START_TEST(boxes_go_back_to_tensors)
{
    const struct tensor *t = &tensors[_i];
    size_t bytes = tensor_bytes(t), n = box_elements(t), shared;
    unsigned char *data = noise(bytes), *in = noise(n * t->bytes), *expected = malloc(bytes);
    CUtensorMap *map = encode(t, data);
    static const char *const adds[] = { NULL,    NULL,    ".add.", ".add.", ".add.",
                                        ".add.", ".add.", ".add.", ".add.", ".add." };
    void (*const add[])(void *, const void *) = { NULL,    NULL,    add_u32, add_u32, add_u64,
                                                  add_u64, add_f16, add_f32, add_f64, add_bf16 };
    char class = t->type == 7 ? 'f' : t->type == 8 ? 'd' : t->type == 6 || t->type == 9 ? 'h' : 'i';

    // %rd1 has the box's bytes, %rd2 the map: once stored, once added.
    for (int pass = 0; pass < (adds[t->type] ? 2 : 1); pass++) {
        char *ptx = tensor_kernel(
            t,
            pass == 0
                ? KERNEL(
                      "mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT("%r9")
                          FETCH("s", "%rd1", "%r9") WAIT(
                              "w", "0") "cp.async.bulk.tensor.$1d.global.shared::cta.tile.bulk_"
                                        "group [%rd2, $2], [s];\n"
                                        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n")
                : KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; mov.u64 %rd5, 0;\n" EXPECT("%r9")
                             FETCH("s", "%rd1", "%r9")
                                 WAIT("w", "0") "cp.reduce.async.bulk.tensor.$1d.global.shared::"
                                                "cta.add.tile.bulk_group"
                                                ".L2::cache_hint [%rd2, $2], [s], %rd5;\n"));
        tame(in, n * t->bytes, class);
        tame(data, bytes, class);
        ck_assert_ptr_nonnull(expected);
        memcpy(expected, data, bytes);
        for (size_t i = 0; i < n; i++) {
            size_t at = element(t, i, &shared);
            if (at != SIZE_MAX && pass == 0)
                memcpy(expected + at, in + shared, t->bytes);
            else if (at != SIZE_MAX)
                add[t->type](expected + at, in + shared);
        }
        go(ptx, 1, 1, 0, in, map, n * t->bytes);
        ck_assert_msg(memcmp(data, expected, bytes) == 0, "%s, pass %d", t->name, pass);
        free(ptx);
    }
    free(expected);
}
END_TEST

START_TEST(a_tile_is_multicast_by_a_map_that_is_a_parameter)
{
    // Each of 2 blocks loads half of 8 rows of 128 bytes and sends it to both.
    static const struct tensor t = { "t",      0,        1, 2, { 256, 64 }, { 0, 0 }, { 128, 4 },
                                     { 1, 1 }, { 0, 0 }, 3, 0 };
    static const char ptx[] = HARNESS_HEADER
        ".visible .entry k(.param .align 128 .b8 map[128], .param .u64 out)\n"
        "{ .reg .pred %p<4>; .reg .b16 %h<3>; .reg .b32 %r<12>; .reg .b64 %rd<9>;\n"
        ".shared .align 1024 .b8 s[1024]; .shared .align 8 .b64 bar;\n"
        "mov.u64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out];\n"
        "mbarrier.init.shared::cta.b64 [bar], 1; mov.u32 %r1, %cluster_ctarank;\n" CLUSTER
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024; mov.u16 %h1, 3;\n"
        "mov.u32 %r2, s; shl.b32 %r3, %r1, 9; add.u32 %r2, %r2, %r3; shl.b32 %r4, %r1, 2;\n"
        "mov.u32 %r5, 64; mov.u64 %rd5, 0;\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster.L2::cache_hint [%r2], [%rd1, {%r5, %r4}], [bar], %h1, %rd5;\n"
        "w: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra w;\n"
        "mul.wide.u32 %rd3, %r1, 1024; add.u64 %rd3, %rd3, %rd2;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%rd3], [s], 1024;\n" CLUSTER "ret; }\n";
    unsigned char *data = noise(256 * 64), *out = harness_memory(2048);
    struct {
        CUtensorMap map;
        uint64_t out;
    } params = { *encode(&t, data), HARNESS_POINTER(out) };
    struct sim_program *program = harness_load(ptx);
    struct sim_grid grid = { .program = program,
                             .entry = sim_program_kernel(program, 0)->code,
                             .grid = { 2, 1, 1 },
                             .block = { 1, 1, 1 },
                             .cluster = { 2, 1, 1 },
                             .params = (unsigned char *)&params };

    ck_assert_msg(sim_grid_run(&grid) == 0, "%s", grid.report);
    for (uint32_t i = 0; i < 2048; i++) {
        uint32_t row = i / 128 % 8, chunk = (i / 16 % 8) ^ row;
        ck_assert_uint_eq(out[i], data[row * 256 + 64 + chunk * 16 + i % 16]);
    }
    sim_program_free(program);
}
END_TEST

START_TEST(types_that_are_converted_on_their_way)
{
    static const struct {
        uint32_t type;
        uint32_t from[4], to[4];
    } rows[] = {
        { 10, { 0x00000001, 0x807fffff, 0x3f800001, 0 }, { 0, 0x80000000, 0x3f800001, 0 } },
        { 11,
          { 0x3f801001, 0x3f801000, 0x3f803000, 0x7f800000 },
          { 0x3f802000, 0x3f800000, 0x3f804000, 0x7f800000 } },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct tensor t = { "line", rows[i].type, 4, 1, { 4 }, { 0 }, { 4 }, { 1 }, { 0 }, 0, 0 };
        uint32_t *data = harness_memory(16), *out = harness_memory(16);
        char *ptx = tensor_kernel(
            &t,
            KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT(
                "16") "cp.async.bulk.tensor.$1d.shared::cta.global.mbarrier::complete_tx::bytes "
                      "[s], [%rd2, $2], [bar];\n" WAIT("w", "0") OUT("%rd1", "s", "16")));
        memcpy(data, rows[i].from, 16);
        go(ptx, 1, 1, 0, out, encode(&t, data), 0);
        ck_assert_mem_eq(out, rows[i].to, 16);
        free(ptx);
    }
}
END_TEST

static const struct {
    const char *name;
    CUresult code;
    uint32_t type, rank;
    uint64_t address, dims[5], strides[4];
    uint32_t box[5], step[5], interleave, swizzle, promotion, nan;
} maps[] = {
    { "good", 0, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 256 }, { 1, 8 }, 0, 3, 3, 1 },
    { "the largest",
      0,
      0,
      5,
      16,
      { 1ull << 32, 1, 1, 1, 1 },
      { 16, (1ull << 40) - 16, 16, 16 },
      { 256, 1, 1, 1, 1 },
      { 1, 1, 1, 1, 1 },
      0,
      0,
      0,
      0 },
    { "type", 1, 16, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "packed type", 801, 13, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 0, 0, 0 },
    { "rank 0", 1, 9, 0, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "rank 6", 1, 9, 6, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "address", 1, 9, 2, 4104, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "no elements", 1, 9, 2, 4096, { 64, 0 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "too many",
      1,
      9,
      2,
      4096,
      { 64, (1ull << 32) + 1 },
      { 128 },
      { 64, 64 },
      { 1, 1 },
      0,
      3,
      0,
      0 },
    { "stride", 1, 9, 2, 4096, { 64, 64 }, { 136 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "far stride", 1, 9, 2, 4096, { 64, 64 }, { 1ull << 40 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "box 0", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 0 }, { 1, 1 }, 0, 3, 0, 0 },
    { "box 257", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 257 }, { 1, 1 }, 0, 3, 0, 0 },
    { "row of the box", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 60, 64 }, { 1, 1 }, 0, 0, 0, 0 },
    { "swizzle 32", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 32, 64 }, { 1, 1 }, 0, 1, 0, 0 },
    { "swizzle 64", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 2, 0, 0 },
    { "swizzle 128", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 128, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "larger atoms", 801, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 4, 0, 0 },
    { "unknown swizzle", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 7, 0, 0 },
    { "step 0", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 0 }, 0, 3, 0, 0 },
    { "step 9", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 9 }, 0, 3, 0, 0 },
    { "interleaved plane", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 1, 3, 0, 0 },
    { "interleaved",
      801,
      9,
      3,
      4096,
      { 8, 64, 4 },
      { 128, 128 },
      { 8, 64, 1 },
      { 1, 1, 1 },
      1,
      0,
      0,
      0 },
    { "promotion", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 4, 0 },
    { "NaN of integers", 1, 2, 2, 4096, { 64, 64 }, { 256 }, { 32, 64 }, { 1, 1 }, 0, 3, 0, 1 },
};

START_TEST(maps_are_checked_as_they_are_made)
{
    CUtensorMap map;
    memset(&map, 0x55, sizeof(map));
    CUresult code = sim_cuTensorMapEncodeTiled(
        &map, maps[_i].type, maps[_i].rank, (void *)(uintptr_t)maps[_i].address, maps[_i].dims,
        maps[_i].strides, maps[_i].box, maps[_i].step, maps[_i].interleave, maps[_i].swizzle,
        maps[_i].promotion, maps[_i].nan);
    ck_assert_msg(code == maps[_i].code, "%s: %d", maps[_i].name, code);
    ck_assert((((unsigned char *)&map)[0] == 0x55) == (code != 0));
    ck_assert_int_eq(sim_cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)4096), code ? 1 : 0);
}
END_TEST

// What is wrong is told.

#define TENSOR(map, at)                                                                           \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [" map \
    ", " at "], [bar];\n"
#define ONE "mbarrier.init.shared::cta.b64 [bar], 1;\n"

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
    { 719, KERNEL(ONE WAIT("w", "0")),
      "deadlock: 1 threads from (0,0,0) of block (0,0,0) wait at mbarrier.try_wait" },
    { 719, KERNEL(ONE "@%p9 bra w;\nbar.sync 0;\n" WAIT("w", "0")), "deadlock" },
    { 717, KERNEL(ONE "add.u32 %r2, %r2, 0x2000000;\n" WAIT("w", "0")), "another block" },
    { 715, KERNEL(ONE FETCH("s", "%rd2", "24")), "24 bytes, which is no multiple of 16" },
    { 716, KERNEL(ONE FETCH("s", "%rd2+8", "16")), "multiple of 16" },
    { 716, KERNEL(ONE FETCH("s+4", "%rd2", "16")), "multiple of 16" },
    { 700, KERNEL(ONE FETCH("s", "%rd2", "512")), "past the end of an allocation of 256 bytes" },
    { 700, KERNEL(ONE FETCH("s+4080", "%rd2", "32")), "shared memory" },
    { 719,
      KERNEL(ONE "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [s], [%rd2], 16, [bar], 3;"),
      "0x3 of a cluster of 1" },
    { 715, KERNEL(ONE TENSOR("%rd2", "{0, 0}")), "no tensor map" },
    { 715, KERNEL(ONE "cvta.shared.u64 %rd5, %rd5;\n" TENSOR("%rd5", "{0, 0}")),
      "in shared memory" },
};

START_TEST(misuse_is_told)
{
    unsigned char *in = harness_memory(256);
    int code = run(faults[_i].ptx, 1, _i == 11 ? 2 : 1, 0, in, in, 0);
    ck_assert_msg(code == faults[_i].code && strstr(harness_report(), faults[_i].report), "%d %s",
                  code, harness_report());
}
END_TEST

static const struct {
    int code;
    const char *at, *words, *report;
    size_t missing; // bytes of the tensor that are not there
} tensor_faults[] = {
    { 715, "{4, 0}", ".2d", "the innermost coordinate 4 of elements of 2 bytes", 0 },
    { 715, "{0, 0, 0}", ".3d", "2 dimensions, the copy 3", 0 },
    { 700, "{0, 0}", ".2d", "past the end of an allocation", 1536 },
    { 0, "{0, 8}", ".2d", "", 1536 },
};

START_TEST(misuse_of_tensors_is_told)
{
    static const struct tensor t = { "t",       9,        2,        2, { 64, 16 }, { 0, 0 },
                                     { 64, 8 }, { 1, 1 }, { 0, 0 }, 3, 0 };
    unsigned char *data = harness_memory(2048 - tensor_faults[_i].missing);
    char *ptx =
        TEXT(KERNEL(ONE EXPECT("1024") "cp.async.bulk.tensor$2.shared::cluster.global.tile"
                                       ".mbarrier::complete_tx::bytes [s], [%rd2, $1], [bar];\n"),
             tensor_faults[_i].at, tensor_faults[_i].words);
    struct tensor moved = t;
    moved.dims[1] = tensor_faults[_i].code ? 16 : 8;
    int code = run(ptx, 1, 1, 0, data, encode(&moved, data), 0);
    ck_assert_msg(code == tensor_faults[_i].code &&
                      strstr(harness_report(), tensor_faults[_i].report),
                  "%d %s", code, harness_report());
    free(ptx);
}
END_TEST

#define SETMAXNREG(target, words)                                                         \
    ".version 9.0\n.target " target "\n.address_size 64\n.entry k() {\nsetmaxnreg." words \
    ";\nret; }\n"
static const struct {
    const char *ptx, *log; // NULL: it is taken
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

START_TEST(registers_are_given_and_taken_in_eights)
{
    if (!registers[_i].log) {
        harness_go(registers[_i].ptx, &(struct harness_launch){ .block = { 128 } });
    } else {
        const char *log = harness_refused(registers[_i].ptx);
        ck_assert_msg(strstr(log, registers[_i].log) != NULL, "%s", log);
    }
}
END_TEST

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
    { "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], "
      "[%rd2, {%r1}], [%r2];",
      "no such form" },
    { "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r3], "
      "[%rd2, {%r1, %r1, %r1, %r1}], [%r2], {%h1, %h2};",
      "" },
    { "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [%r3], {%rd1, %rd1, %rd1, "
      "%rd1}, [%r2];",
      "no such form" },
    { "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 [%r3], %r1, "
      "[%r2];",
      "no such form" },
};

START_TEST(forms_that_there_are_not_are_refused)
{
    char *ptx = TEXT(KERNEL("$1"), refused[_i].statement);
    const char *log = harness_refused(ptx);
    ck_assert_msg(strstr(log, refused[_i].log) && strstr(log, "line 2"), "%s", log);
    free(ptx);
}
END_TEST

// As libcu++ says it: a barrier, tiles of a tensor, bytes, and rows that go back. `out` gets each
// tile with 1 added, `x` bytes 3 times.
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

START_TEST(barriers_and_copies_of_cuda_cpp)
{
    static const char *const include[] = { "/usr/local/cuda/include/cccl" };
    static const struct tensor t = { "t",       3,        4,        2, { 32, 40 }, { 0, 64 },
                                     { 32, 8 }, { 1, 1 }, { 0, 0 }, 0, 0 };
    int *data = noise(tensor_bytes(&t)), *out = harness_memory(40 * 128);
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
    go(ptx, 1, 96, 0, out, encode(&t, data), HARNESS_POINTER(x));
    for (int i = 0; i < 40 * 32; i++)
        ck_assert_uint_eq((uint32_t)out[i], (uint32_t)data[i / 32 * 48 + i % 32] + 1);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(x[i], 3 * i);
    cuc_object_release(object);
    cuc_program_release(program);
}
END_TEST

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

int main(void)
{
    Suite *s = suite_create("async");
    TCase *t = tcase_create("mbarrier");

    tcase_add_loop_test(t, a_barrier_counts_arrivals_and_bytes, 0, LENGTH(alone));
    tcase_add_test(t, warps_wait_for_one_another);
    tcase_add_test(t, a_ring_of_stages_feeds_a_warp);
    suite_add_tcase(s, t);

    t = tcase_create("copies");
    tcase_add_loop_test(t, bytes_go_to_shared_memory_and_back, 0, LENGTH(bulk_forms));
    tcase_add_test(t, a_mask_says_which_bytes_of_16_go_out);
    tcase_add_test(t, blocks_of_a_cluster_copy_to_one_another);
    tcase_add_test(t, a_multicast_reaches_the_blocks_of_its_mask);
    tcase_add_test(t, stores_and_reductions_signal_a_barrier_of_another_block);
    tcase_add_loop_test(t, bulk_reductions_combine_every_element, 0, LENGTH(reductions));
    suite_add_tcase(s, t);

    t = tcase_create("tensors");
    tcase_add_loop_test(t, boxes_of_tensors_come_to_shared_memory, 0, LENGTH(tensors));
    tcase_add_loop_test(t, boxes_go_back_to_tensors, 0, LENGTH(tensors));
    tcase_add_test(t, a_tile_is_multicast_by_a_map_that_is_a_parameter);
    tcase_add_test(t, types_that_are_converted_on_their_way);
    tcase_add_loop_test(t, maps_are_checked_as_they_are_made, 0, LENGTH(maps));
    suite_add_tcase(s, t);

    t = tcase_create("misuse");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, misuse_is_told, 0, LENGTH(faults));
    tcase_add_loop_test(t, misuse_of_tensors_is_told, 0, LENGTH(tensor_faults));
    tcase_add_loop_test(t, registers_are_given_and_taken_in_eights, 0, LENGTH(registers));
    tcase_add_loop_test(t, forms_that_there_are_not_are_refused, 0, LENGTH(refused));
    suite_add_tcase(s, t);

    if (have_nvrtc()) {
        t = tcase_create("CUDA C++");
        tcase_set_timeout(t, 60);
        tcase_add_loop_test(t, barriers_and_copies_of_cuda_cpp, 0, 2);
        suite_add_tcase(s, t);
    }

    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
