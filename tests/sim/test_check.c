// Tests the optional checks that a GPU does not have: their findings, their reports, and kernels
// without findings.
#include "base/array.h"
#include "exercise.h"

#include <pthread.h>
#include <time.h>

#include "driver/cuda_abi.h"
#include "sim/check/check.h"
#include "sim/shell/shell.h"
#include "tests.h"

// A kernel whose body starts on line 5. `out` is initialized, `fresh` is not; %rd3 and %rd4 are the
// addresses of the thread's words in them.
#define BODY 5
#define KERNEL(body) KERNEL_FOR("sm_90", body)
#define KERNEL_FOR(target, body)                                                                  \
    ".version 9.0\n.target " target "\n.address_size 64\n"                                        \
    ".visible .entry k(.param .u64 out, .param .u64 fresh, .param .u64 n) { .reg .pred %p<10>; "  \
    ".reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<30>; .reg .b32 %f<20>; "                    \
    ".shared .align 8 .b64 bar; .shared .align 1024 .b8 s[4096]; "                                \
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [fresh]; ld.param.u64 %rd9, [n]; "              \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; "                          \
    "mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd5, %r4, 4; add.u64 %rd3, %rd1, %rd5; "        \
    "add.u64 %rd4, %rd2, %rd5; mov.u32 %r5, s; shl.b32 %r6, %r1, 2; add.u32 %r7, %r5, %r6; "      \
    "mov.u32 %r8, bar; setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 16; mov.u32 %r9, 0;\n" body \
    "\nret;\n}\n"

enum { WORDS_OF_MEMORY = 4096 };

// The reported findings, one per line.
static char told[1 << 16];

static void listen_to(const char *report)
{
    say(told, sizeof(told), "%s\n", report);
}

static uint32_t count_told(void)
{
    uint32_t lines = 0;

    for (const char *at = told; (at = strchr(at, '\n')); at++)
        lines++;
    return lines;
}

static void check_for(const char *words)
{
    char wrong[32];

    ck_assert_msg(sim_checks_read(words, wrong, sizeof(wrong)), "%s", wrong);
    sim_check_report = listen_to;
    told[0] = '\0';
}

struct kernel_test {
    const char *what; // value of CUCORE_SIM_CHECK
    const char *name;
    uint32_t blocks, threads, cluster, shared_bytes; // 0: 1, 32, none, none
    const char *ptx;
    uint32_t line;    // the finding's line; 0: no finding is expected
    const char *told; // text that the finding contains
    int code;         // expected result of the launch
};

static int run(const char *ptx, const struct kernel_test *t, void *out, void *fresh, uint64_t n)
{
    char log[256] = "";
    struct sim_program *program =
        sim_program_load(ptx, strlen(ptx), strstr(ptx, "sm_100") ? 100 : 90, log, sizeof(log));
    ck_assert_msg(program != NULL, "%s", log);
    int code = harness_run(program,
                           &(struct harness_launch){
                               .grid = { t->blocks },
                               .block = { t->threads ? t->threads : 32 },
                               .cluster = { t->cluster, t->cluster ? 1 : 0, t->cluster ? 1 : 0 },
                               .shared_bytes = t->shared_bytes,
                               .arguments = { HARNESS_POINTER(out), HARNESS_POINTER(fresh), n } });
    sim_program_free(program);
    return code;
}

static void run_test(const struct kernel_test *t)
{
    uint32_t *out = harness_memory(4 * WORDS_OF_MEMORY);
    void *fresh = harness_fresh(4 * WORDS_OF_MEMORY);
    char line[32];

    setenv("CUCORE_SIM_THREADS", "1", 1);
    check_for(t->what);
    int code = run(t->ptx, t, out, fresh, 0);
    snprintf(line, sizeof(line), "PTX line %u,", t->line);
    ck_assert_msg(code == t->code, "%s: %d %s", t->name, code, harness_report());
    if (!t->line)
        ck_assert_msg(!told[0], "%s: %s", t->name, told);
    else if (code)
        ck_assert_msg(strstr(harness_report(), line) && strstr(harness_report(), t->told), "%s: %s",
                      t->name, harness_report());
    else
        ck_assert_msg(count_told() == 1 && strstr(told, line) && strstr(told, t->told), "%s: %s",
                      t->name, told);
    harness_release(fresh);
    harness_release(out);
}

// Uninitialized memory

#define NOBODY "which nobody has written (check: init)"
#define CLUSTER "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"

static const struct kernel_test init_tests[] = {
    { "init", "a word a lane", 1, 32, 0, 0, KERNEL("ld.global.u32 %r10, [%rd4];"), BODY,
      "block (0,0,0), thread (0,0,0): read of 4 bytes at 0x", 0 },
    { "init", "words of 8 bytes", 1, 32, 0, 0,
      KERNEL("mul.wide.u32 %rd5, %r4, 8; add.u64 %rd4, %rd2, %rd5; st.global.u64 [%rd4], %rd1;\n"
             "ld.global.u64 %rd6, [%rd4];\nld.global.u64 %rd6, [%rd4+8];"),
      BODY + 2, "thread (31,0,0): read of 8 bytes at 0x", 0 },
    { "init", "what was written", 2, 64, 0, 0,
      KERNEL("st.global.u32 [%rd4], %r1;\nld.global.u32 %r10, [%rd4];"), 0, NULL, 0 },
    { "init", "a half of a word", 1, 4, 0, 0,
      KERNEL("mov.u16 %h1, 1; st.global.u16 [%rd4], %h1;\nld.global.u32 %r10, [%rd4];"), BODY + 1,
      "read of 4 bytes at 0x", 0 },
    { "init", "how much of it", 1, 1, 0, 0,
      KERNEL("st.global.u8 [%rd4+2], %r1;\nld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd4];"),
      BODY + 1, "15 of which nobody has written", 0 },
    { "init", "a byte between others", 1, 1, 0, 0,
      KERNEL("st.global.u8 [%rd4+2], %r1;\nld.global.u8 %r10, [%rd4+2];\nld.u8 %r10, [%rd4+3];"),
      BODY + 2, "read of 1 byte", 0 },
    { "init", "a generic address", 1, 1, 0, 0, KERNEL("ld.u32 %r10, [%rd4];"), BODY, NOBODY, 0 },
    { "init", "other memory counts as written", 1, 32, 0, 0,
      KERNEL("ld.global.u32 %r10, [%rd3]; ld.global.u32 %r11, [%rd3+4];"), 0, NULL, 0 },
    { "init", "atomic operations read", 1, 1, 0, 0, KERNEL("red.global.add.u32 [%rd4], 1;"), BODY,
      "atomic operation on 4 bytes", 0 },
    { "init", "and write", 1, 32, 0, 0,
      KERNEL("st.global.u32 [%rd2], 0;\nbar.warp.sync -1; red.global.add.u32 [%rd2], 1;\n"
             "ld.global.u32 %r10, [%rd2];"),
      0, NULL, 0 },
    { "init", "compare and swap", 1, 1, 0, 0, KERNEL("atom.global.cas.b32 %r10, [%rd4], 0, 1;"),
      BODY, "atomic operation on 4 bytes", 0 },
    { "init", "an exchange need not know", 1, 1, 0, 0,
      KERNEL("atom.global.exch.b32 %r10, [%rd4], 1; atom.global.add.u32 %r10, [%rd4], 1;"), 0, NULL,
      0 },
    { "init", "vectors of atomic operations", 1, 1, 0, 0,
      KERNEL("st.global.u64 [%rd4], %rd1;\n"
             "atom.global.v4.f32.add {%f1, %f2, %f3, %f4}, [%rd4], {%f1, %f2, %f3, %f4};"),
      BODY + 1, "16 bytes", 0 },
    { "init", "variables of the module", 1, 1, 0, 0,
      HARNESS_HEADER ".global .align 4 .b32 v; .visible .entry k(.param .u64 a) {\n"
                     ".reg .b32 %r; ld.global.u32 %r, [v]; ret; }\n",
      0, NULL, 0 },
    { "init", "shared memory", 1, 32, 0, 0, KERNEL("ld.shared.u32 %r10, [%r7+64];"), BODY,
      "read of 4 bytes at offset 1088 of shared memory, " NOBODY, 0 },
    { "init", "shared memory of a generic address", 1, 1, 0, 0,
      KERNEL("cvt.u64.u32 %rd6, %r7; cvta.shared.u64 %rd6, %rd6;\nld.u8 %r10, [%rd6+5];"), BODY + 1,
      "read of 1 byte at offset 1029 of shared memory", 0 },
    { "init", "shared memory that another wrote", 1, 64, 0, 0,
      KERNEL(
          "st.shared.u32 [%r7], %r1;\nbar.sync 0; xor.b32 %r6, %r6, 252; add.u32 %r7, %r5, %r6;\n"
          "ld.shared.u32 %r10, [%r7];"),
      0, NULL, 0 },
    { "init", "dynamic shared memory", 1, 32, 0, 64,
      ".version 9.0\n.target sm_90\n.address_size 64\n.extern .shared .align 4 .b8 d[];\n"
      ".visible .entry k(.param .u64 a) { .reg .b32 %r<4>; mov.u32 %r1, d;\n"
      "st.shared.u32 [%r1], 1; ld.shared.u32 %r2, [%r1];\nld.shared.u32 %r2, [%r1+60]; ret; }\n",
      7, "offset 60 of shared memory", 0 },
    { "init", "what another block left", 2, 32, 0, 0,
      KERNEL("setp.eq.u32 %p3, %r2, 0;\n@%p3 st.shared.u32 [%r7], 1;\nld.shared.u32 %r10, [%r7];"),
      BODY + 2, "block (1,0,0), thread (0,0,0)", 0 },
    { "init", "shared memory of another block", 2, 32, 2, 0,
      KERNEL("setp.eq.u32 %p3, %r2, 0; @%p3 st.shared.u32 [%r5], 1; mapa.shared::cluster.u32 %r10, "
             "%r5, 0;\n" CLUSTER "ld.shared::cluster.u32 %r11, [%r10];\n"
             "mapa.shared::cluster.u32 %r10, %r5, 1; @%p3 ld.shared::cluster.u32 %r11, "
             "[%r10];\n" CLUSTER),
      BODY + 3, "offset 1024 of the shared memory of block 1 of the cluster", 0 },
    { "init", "an atomic operation of shared memory", 1, 1, 0, 0,
      KERNEL("atom.shared.inc.u32 %r10, [%r7], 7;"), BODY, "atomic operation on 4 bytes", 0 },
    { "init", "cp.async reads", 1, 1, 0, 0,
      KERNEL("cp.async.ca.shared.global [%r7], [%rd4], 4; cp.async.wait_all;"), BODY,
      "read of 4 bytes at 0x", 0 },
    { "init", "as much as it is told", 1, 1, 0, 0,
      KERNEL("st.global.u32 [%rd4], 1;\ncp.async.cg.shared.global [%r5], [%rd2], 16, 4;\n"
             "cp.async.wait_all; ld.shared.u32 %r10, [%r5+12];"),
      0, NULL, 0 },
    { "init", "ldmatrix", 1, 32, 0, 0,
      KERNEL("and.b32 %r10, %r1, 7; shl.b32 %r10, %r10, 4; add.u32 %r10, %r5, %r10;\n"
             "mov.u32 %r11, 7; @%p2 st.shared.u32 [%r7], %r11; bar.warp.sync -1;\n"
             "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r12}, [%r10];"),
      BODY + 2, "thread (4,0,0): read of 16 bytes at offset 1088", 0 },
    { "init", "stmatrix", 1, 32, 0, 0,
      KERNEL("and.b32 %r10, %r1, 7; shl.b32 %r10, %r10, 4; add.u32 %r10, %r5, %r10;\n"
             "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r10], {%r12}; bar.warp.sync -1;\n"
             "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r12}, [%r10];"),
      0, NULL, 0 },
    { "init", "wmma", 1, 32, 0, 0,
      KERNEL(
          "mov.u32 %r10, 16; mov.u32 %r11, 0; wmma.store.d.sync.aligned.row.m16n16k16.global.f32 "
          "[%rd2], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, %r10;\n"
          "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, "
          "[%rd2], %r10;\n"
          "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, "
          "[%r5], %r10;"),
      BODY + 2, "of shared memory", 0 },
    { "init", "a bulk copy reads", 1, 1, 0, 0,
      KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd2], 32, "
             "[bar];"),
      BODY + 1, "read of 32 bytes at 0x", 0 },
    { "init", "and writes", 1, 1, 0, 0,
      KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 32, "
             "[bar];\n"
             "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [s], 32;\n"
             "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2+16];\n"
             "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [s], 48;"),
      BODY + 4, "read of 48 bytes at offset 1024 of shared memory, 16 of which", 0 },
    { "init", "bytes that a mask leaves out", 1, 1, 0, 0,
      KERNEL_FOR("sm_100",
                 "st.shared.u32 [s], 1; mov.u16 %h1, 15;\n"
                 "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd2], [s], 16, %h1;\n"
                 "ld.global.u32 %r11, [%rd2];\nld.global.u32 %r11, [%rd2+4];"),
      BODY + 3, "read of 4 bytes", 0 },
    { "init", "a bulk reduction", 1, 1, 0, 0,
      KERNEL("st.shared.v4.u32 [s], {%r1, %r1, %r1, %r1};\n"
             "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [s], 16;"),
      BODY + 1, "atomic operation on 16 bytes at 0x", 0 },
    { "init", "st.async and red.async", 2, 1, 2, 0,
      KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; mov.u32 %r10, bar;\n" CLUSTER
             "mapa.shared::cluster.u32 %r11, %r5, 0; mapa.shared::cluster.u32 %r12, %r10, 0;\n"
             "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r11], %r1, [%r12];\n"
             "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
             "[%r11], %r1, [%r12];\n"
             "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
             "[%r11+4], %r1, [%r12];\n" CLUSTER),
      BODY + 5, "atomic operation on 4 bytes", 0 },
    { "init", "an mbarrier is written by its operations", 1, 1, 0, 0,
      KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; ld.shared.u64 %rd6, [bar];\n"), 0, NULL, 0 },
    { "init", "what printf prints", 1, 1, 0, 0,
      HARNESS_HEADER ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                     ".visible .entry k(.param .u64 o, .param .u64 f) { .reg .b64 %rd<3>; "
                     "ld.param.u64 %rd1, [f];\n"
                     "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %rd1; "
                     "st.param.b64 [y], %rd1;\ncall.uni (z), vprintf, (x, y); } ret; }\n",
      7, "read of 1 byte", 0 },
    { "init", "a register that nothing writes", 1, 32, 0, 0,
      KERNEL("mov.u32 %r10, 1;\nst.global.u32 [%rd3], %r11; st.global.u32 [%rd3], %r11;"), BODY + 1,
      "uses register %r11, whose value is undefined", 0 },
    { "init", "what is computed from it", 1, 32, 0, 0,
      KERNEL("add.u32 %r10, %r9, %r11; mov.u32 %r12, %r10;\nst.global.u32 [%rd3], %r12;"), BODY + 1,
      "uses register %r12", 0 },
    { "init", "a guard that nothing writes", 1, 32, 0, 0, KERNEL("@%p9 mov.u32 %r10, 1;"), BODY,
      "uses register %p9", 0 },
    { "init", "an address that nothing writes", 1, 32, 0, 0,
      KERNEL("add.u32 %r10, %r7, %r11; and.b32 %r10, %r10, 4092; add.u32 %r10, %r10, %r5;\n"
             "st.shared.u32 [%r10], %r1;"),
      BODY + 1, "uses register %r10", 0 },
    { "init", "nothing depends on it", 1, 32, 0, 0, KERNEL("add.u32 %r10, %r11, 1;"), 0, NULL, 0 },
    { "init", "code that no lane runs may use one", 1, 32, 0, 0,
      KERNEL("setp.ne.u32 %p1, %r1, %r1;\n@%p1 ld.global.u32 %r10, [%rd7];"), 0, NULL, 0 },
    { "init", "a register that one branch writes", 1, 32, 0, 0,
      KERNEL("setp.eq.u32 %p1, %r1, 5; @%p1 bra A; mov.u32 %r10, 1; A: st.global.u32 [%rd3], "
             "%r10;"),
      0, NULL, 0 },
    { "init,error", "an undefined register is an error", 1, 32, 0, 0,
      KERNEL("st.global.u32 [%rd3], %r11;"), BODY, "uses register %r11", 719 },
    { "init,error", "an error is one", 1, 32, 0, 0,
      KERNEL("ld.global.u32 %r10, [%rd4]; st.global.u32 [%rd3], 1;"), BODY, NOBODY, 719 },
    { "init,error", "also of a copy", 1, 1, 0, 0,
      KERNEL("cp.async.bulk.global.shared::cta.bulk_group [%rd2], [s], 16;"), BODY, NOBODY, 719 },
    { "race", "other checks say nothing of it", 1, 32, 0, 0,
      KERNEL("ld.global.u32 %r10, [%rd4]; ld.shared.u32 %r10, [%r7];"), 0, NULL, 0 },
};

CASE("init", .timeout = 60);

TEST_ROWS(reads_of_uninitialized_memory_are_found, init_tests)
{
    run_test(&init_tests[_i]);
}

// A tensor with 16 rows of 128 bytes, of which the first 8 are initialized, and a box of 8 rows.
#define BOX_IN(at)                                                                           \
    "mbarrier.init.shared::cta.b64 [bar], 1;\n"                                              \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], " \
    "[%rd9, "                                                                                \
    "{0, " at "}], [bar];\n"
#define BOX_OUT(at) \
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd9, {0, " at "}], [s];\n"

static const struct kernel_test box_tests[] = {
    { "init", "rows that hold something", 1, 1, 0, 0,
      KERNEL(BOX_IN("0") "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [s+1008];"), 0, NULL, 0 },
    { "init", "and one more", 1, 1, 0, 0, KERNEL(BOX_IN("1")), BODY + 1, "read of 128 bytes at 0x",
      0 },
    { "init", "what lies outside is filled", 1, 1, 0, 0,
      KERNEL(BOX_IN("-8") "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [s];"), 0, NULL, 0 },
    { "init", "the box and no more", 1, 1, 0, 0, KERNEL(BOX_IN("0") "ld.shared.u8 %r10, [s+1024];"),
      BODY + 2, "read of 1 byte at offset 2048 of shared memory", 0 },
    { "init", "a box out", 1, 1, 0, 0,
      KERNEL(BOX_IN("0") BOX_OUT("8") "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2+2032];"), 0,
      NULL, 0 },
    { "init", "of which a piece is missing", 1, 1, 0, 0,
      KERNEL("st.shared.v4.u32 [s], {%r1, %r1, %r1, %r1};\n" BOX_OUT("8")), BODY + 1,
      "read of 16 bytes at offset 1040 of shared memory", 0 },
};

TEST_ROWS(tensor_boxes_are_checked_row_by_row, box_tests)
{
    const struct kernel_test *t = &box_tests[_i];
    unsigned char *data = harness_fresh(2048);
    CUtensorMap *map = harness_memory(sizeof(*map));
    const uint64_t dims[] = { 64, 16 }, strides[] = { 128 };
    const uint32_t box[] = { 64, 8 }, step[] = { 1, 1 };

    sim_init_wrote(HARNESS_POINTER(data), 1024);
    ck_assert_int_eq(sim_encode_tiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, dims, strides,
                                      box, step, 0, 3, 0, 0),
                     CUDA_SUCCESS);
    check_for(t->what);
    ck_assert_msg(run(t->ptx, t, data, data, HARNESS_POINTER(map)) == 0, "%s", harness_report());
    if (t->line)
        ck_assert_msg(count_told() == 1 && strstr(told, t->told), "%s: %s", t->name, told);
    else
        ck_assert_msg(!told[0], "%s: %s", t->name, told);
}

// Multiplies A, 64 x 16, in the first 2 KiB of s, by B, 8 x 16, in the next 256 bytes.
static const struct {
    uint32_t chunks; // number of 16-byte chunks of B that are written
    const char *told;
} wgmma_tests[] = {
    { 16, NULL },
    { 15, "read of 16 bytes at offset 3312 of shared memory, which nobody has written" },
};

TEST_ROWS(matrices_of_descriptors_are_checked, wgmma_tests)
{
    char ptx[4096] = ".version 9.0\n.target sm_90a\n.address_size 64\n";
    struct kernel_test t = { .threads = 128 };
    uint32_t *out = harness_memory(4);

    say(ptx, sizeof(ptx), "%s",
        strstr(KERNEL("shl.b32 %r10, %r1, 4; add.u32 %r10, %r5, %r10;\n"
                      "st.shared.v4.u32 [%r10], {%r9, %r9, %r9, %r9}; cvt.u32.u64 %r11, %rd9;\n"
                      "setp.lt.u32 %p3, %r1, %r11;\n"
                      "@%p3 st.shared.v4.u32 [%r10+2048], {%r9, %r9, %r9, %r9};\n"
                      "fence.proxy.async; bar.sync 0; setp.ne.u32 %p4, %r1, %r1;\n"
                      "mov.u64 %rd10, 0x1000080040; mov.u64 %rd11, 0x10000800c0;\n"
                      "wgmma.fence.sync.aligned;\n"
                      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, "
                      "%rd10, %rd11, %p4, 1, 1, 0, 0;\n"
                      "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"),
               ".visible"));
    check_for("init");
    ck_assert_msg(run(ptx, &t, out, out, wgmma_tests[_i].chunks) == 0, "%s", harness_report());
    if (wgmma_tests[_i].told)
        ck_assert_msg(count_told() == 1 && strstr(told, wgmma_tests[_i].told), "%s", told);
    else
        ck_assert_msg(!told[0], "%s", told);
}

// ---- Bitmaps of initialized bytes compared with byte arrays, around a multiple of 1 GiB

enum { MODEL_BYTES = 1 << 17 };

TEST(writes_are_tracked_to_the_byte)
{
    static bool written[MODEL_BYTES];                             // the oracle
    const uint64_t base = (UINT64_C(77) << 30) - MODEL_BYTES / 2; // this memory is never accessed
    uint64_t state = 1;

    sim_init_allocated(base, MODEL_BYTES);
    for (int round = 0; round < 4000; round++) {
        uint32_t how = draw(&state) % 8, reach = how == 7 ? MODEL_BYTES / 2 : 300;
        uint32_t bytes = 1 + draw(&state) % reach;
        uint32_t to = draw(&state) % (MODEL_BYTES / 2 - bytes + 1);
        uint32_t from = MODEL_BYTES / 2 + draw(&state) % (MODEL_BYTES / 2 - bytes + 1);
        if (draw(&state) % 2)
            to += MODEL_BYTES / 2, from -= MODEL_BYTES / 2;
        if (how < 3) {
            sim_init_wrote(base + to, bytes);
            memset(written + to, 1, bytes);
        } else if (how < 7) {
            sim_init_copied(base + to, base + from, bytes);
            memcpy(written + to, written + from, bytes);
        } else if (round % 16 == 0) { // freed and allocated again, in pages
            to &= ~4095u;
            bytes = (bytes + 4095) & ~4095u;
            bytes = to + bytes > MODEL_BYTES ? MODEL_BYTES - to : bytes;
            sim_init_freed(base + to, bytes);
            ck_assert(sim_init_written(base + to, bytes)); // no longer checked: counts as written
            sim_init_allocated(base + to, bytes);
            memset(written + to, 0, bytes);
        }
        for (int look = 0; look < 16; look++) {
            uint32_t n = 1 + draw(&state) % 200, at = draw(&state) % (MODEL_BYTES - n);
            bool all = memchr(written + at, 0, n) == NULL;
            ck_assert_msg(sim_init_written(base + at, n) == all, "round %d: %u bytes at %u", round,
                          n, at);
        }
    }
    sim_init_copied(base, base - (UINT64_C(1) << 40),
                    MODEL_BYTES); // the source is memory of another kind
    ck_assert(sim_init_written(base, MODEL_BYTES));
    sim_init_freed(base, MODEL_BYTES);
}

// Blocks on many host threads write bytes of the same word.
TEST(blocks_that_run_at_once_lose_no_bit)
{
    enum { BLOCKS = 1024, EACH = 8 };
    unsigned char *fresh = harness_fresh(BLOCKS * EACH), *out = harness_memory(4);
    struct kernel_test t = { .blocks = BLOCKS, .threads = EACH };

    setenv("CUCORE_SIM_THREADS", "4", 1);
    check_for("init");
    ck_assert_int_eq(run(KERNEL("cvt.u64.u32 %rd6, %r4; add.u64 %rd6, %rd6, %rd2;\n"
                                "st.global.u8 [%rd6], %r1;"),
                         &t, out, fresh, 0),
                     0);
    ck_assert(sim_init_written(HARNESS_POINTER(fresh), BLOCKS * EACH));
    ck_assert(!told[0]);
}

// ---- Barriers that only a part of a warp reaches

static const struct kernel_test barrier_tests[] = {
    { "barrier", "all of a block", 1, 96, 0, 0, KERNEL("bar.sync 0; bar.sync 0; barrier.sync 0;"),
      0, NULL, 0 },
    { "barrier", "lanes that come at different times", 1, 64, 0, 0,
      KERNEL("mul.lo.u32 %r10, %r1, 200;\nl: setp.eq.u32 %p3, %r10, 0; @%p3 bra d;\n"
             "sub.u32 %r10, %r10, 1; bra l;\nd: bar.sync 0;"),
      0, NULL, 0 },
    { "barrier", "two barriers for one warp", 1, 32, 0, 0,
      KERNEL("@%p2 bra low;\nbar.sync 0;\nbra done;\nlow: bar.sync 0;\ndone:"), BODY + 3,
      "thread (0,0,0): lane 0 comes to this barrier, lane 16 of its warp came to the one in line "
      "6: "
      "all of a warp must come to the same (check: barrier)",
      0 },
    { "barrier", "by its longer name", 1, 32, 0, 0,
      KERNEL("@%p2 bra low;\nbarrier.sync.aligned 0;\nbra done;\nlow: barrier.sync.aligned 0;\n"
             "done:"),
      BODY + 3, "in line 6", 0 },
    { "barrier", "those that take lanes apart", 1, 32, 0, 0,
      KERNEL("@%p2 bra low;\nbarrier.sync 0;\nbra done;\nlow: barrier.sync 0;\ndone:"), 0, NULL,
      0 },
    { "barrier", "a barrier for each warp", 1, 64, 0, 0,
      KERNEL("setp.lt.u32 %p3, %r1, 32; @%p3 bra low;\nbar.sync 0;\nbra done;\nlow: bar.sync 0;\n"
             "done:"),
      0, NULL, 0 },
    { "barrier", "reductions", 1, 32, 0, 0,
      KERNEL("@%p2 bra low;\nbar.red.popc.u32 %r10, 0, %p1;\nbra done;\n"
             "low: bar.red.popc.u32 %r10, 0, %p1;\ndone:"),
      BODY + 3, "in line 6", 0 },
    { "barrier", "a reduction of all", 1, 64, 0, 0,
      KERNEL("bar.red.popc.u32 %r10, 0, %p1; bar.red.or.pred %p3, 0, %p1;"), 0, NULL, 0 },
    { "barrier", "threads that ended before", 1, 64, 0, 0,
      KERNEL("@%p2 exit; bar.sync 0;\nsetp.lt.u32 %p3, %r1, 40; @%p3 bra end; bar.sync 0;\nend:"),
      0, NULL, 0 },
    { "barrier", "a loop that lanes leave at different times", 1, 32, 0, 0,
      KERNEL("and.b32 %r10, %r1, 1;\nl: bar.sync 0; setp.eq.u32 %p3, %r10, 0; @%p3 bra d;\n"
             "sub.u32 %r10, %r10, 1; bra l;\nd: bar.sync 0;"),
      BODY + 3, "lane 0 comes to this barrier, lane 1 of its warp came to the one in line 6", 0 },
    { "barrier", "a part of a warp at a barrier with a count", 1, 128, 0, 0,
      KERNEL("@!%p9 bra on;\nret;\non: and.b32 %r10, %r1, 16; setp.ne.u32 %p3, %r10, 0;\n"
             "@%p3 bra skip;\nbar.sync 1, 64;\nskip: add.u32 %r10, %r10, 1;"),
      BODY + 4, "barrier 1 is complete without lane 16, though lanes 0x0000ffff of its warp came",
      0 },
    { "barrier", "lanes that go past a barrier", 1, 32, 0, 0,
      KERNEL("@!%p2 bra on;\nbar.sync 0;\non: st.global.u32 [%rd3], %r1;"), BODY + 1,
      "thread (0,0,0): lane 16 of the warp went past this barrier, to the store in line 7", 0 },
    { "barrier", "or leave a loop that it is in", 1, 32, 0, 0,
      KERNEL("mov.u32 %r10, %r1;\nl: setp.eq.u32 %p3, %r10, 0; @%p3 bra d; bar.sync 0;\n"
             "sub.u32 %r10, %r10, 1; bra l;\nd: st.global.u32 [%rd3], %r1;"),
      BODY + 1, "lane 0 of the warp went past this barrier, to the store in line 8", 0 },
    { "barrier", "in a cluster", 2, 32, 2, 0,
      KERNEL("barrier.cluster.arrive.aligned; @!%p2 bra on;\nbarrier.cluster.wait.aligned;\n"
             "on: st.shared.u32 [%r7], %r1;"),
      BODY + 1, "to the store in line 7", 0 },
    { "barrier", "lanes that store and return early", 1, 32, 0, 0,
      KERNEL("@%p2 bra on; st.global.u32 [%rd3], %r1; ret;\n"
             "on: bar.sync 0;\nst.global.u32 [%rd3], %r1;"),
      0, NULL, 0 },
    { "barrier", "also when they are last", 1, 32, 0, 0,
      KERNEL("@!%p2 bra early;\nbar.sync 0;\nst.global.u32 [%rd3], %r1; bra end;\n"
             "early: st.global.u32 [%rd3], %r1;\nend:"),
      0, NULL, 0 },
    { "barrier", "lanes that go past a barrier that is not aligned", 1, 32, 0, 0,
      KERNEL("@!%p2 bra on;\nbarrier.sync 0;\non: st.global.u32 [%rd3], %r1;"), 0, NULL, 0 },
    { "barrier", "lanes that store before they come", 1, 32, 0, 0,
      KERNEL("@!%p2 bra on;\nback: bar.sync 0;\nbra end;\n"
             "on: st.global.u32 [%rd3], %r1; bra back;\nend: st.global.u32 [%rd3], %r2;"),
      0, NULL, 0 },
    { "barrier", "lanes that stored, came, and leave later", 1, 32, 0, 0,
      KERNEL("mov.u32 %r10, 0;\nback: @!%p2 bra on;\nb: bar.sync 0;\n"
             "add.u32 %r10, %r10, 1; setp.eq.u32 %p3, %r10, 2; @%p3 bra end; @%p2 bra back;\n"
             "bra end;\non: st.global.u32 [%rd3], %r1; bra b;\nend:"),
      0, NULL, 0 },
    { "barrier", "a block that does otherwise than the one before", 2, 32, 0, 0,
      KERNEL("setp.ne.u32 %p3, %r2, 0; @%p3 bra second; @%p2 exit;\nbar.sync 0;\nret;\n"
             "second: bar.sync 0;"),
      0, NULL, 0 },
    { "barrier", "producers and consumers", 1, 64, 0, 0,
      KERNEL("mov.u32 %r10, 0; setp.lt.u32 %p3, %r1, 32; @%p3 bra low;\n"
             "high: bar.sync 1, 64; bar.arrive 2, 64; add.u32 %r10, %r10, 1;\n"
             "setp.lt.u32 %p4, %r10, 9; @%p4 bra high; bra done;\n"
             "low: bar.arrive 1, 64; bar.sync 2, 64; add.u32 %r10, %r10, 1;\n"
             "setp.lt.u32 %p4, %r10, 9; @%p4 bra low;\ndone:"),
      0, NULL, 0 },
    { "barrier", "barriers by number", 1, 64, 0, 0,
      KERNEL("shr.u32 %r10, %r1, 5; bar.sync %r10, 32; bar.sync 2;\n"
             "shr.u32 %r10, %r1, 4; and.b32 %r10, %r10, 1; bar.sync %r10, 32;"),
      BODY + 1, "lane 16 comes to barrier 1, lane 0 of its warp to barrier 0", 0 },
    { "barrier", "a barrier of a function", 1, 32, 0, 0,
      HARNESS_HEADER ".func f() { bar.sync 0; ret; }\n.visible .entry k(.param .u64 o) {\n"
                     ".reg .b32 %r; .reg .pred %p; mov.u32 %r, %laneid; setp.lt.u32 %p, %r, 9;\n"
                     "@%p bra low; call f; ret;\nlow: call f; ret; }\n",
      0, NULL, 0 },
    { "barrier", "barriers of a cluster", 2, 32, 2, 0,
      KERNEL(CLUSTER "@%p2 bra low;\nbarrier.cluster.arrive.aligned;\nbra done;\n"
                     "low: barrier.cluster.arrive.aligned;\ndone: barrier.cluster.wait.aligned;"),
      BODY + 4, "lane 16 of its warp came to the one in line 7", 0 },
    { "barrier", "waits of a cluster", 2, 32, 2, 0,
      KERNEL("barrier.cluster.arrive.aligned; @%p2 bra low;\nbarrier.cluster.wait.aligned;\n"
             "bra done;\nlow: barrier.cluster.wait.aligned;\ndone:" CLUSTER),
      BODY + 3, "lane 16 of its warp came to the one in line 6", 0 },
    { "barrier", "barriers of a cluster that take lanes apart", 2, 32, 2, 0,
      KERNEL("@%p2 bra low;\nbarrier.cluster.arrive; barrier.cluster.wait;\nbra done;\n"
             "low: barrier.cluster.arrive; barrier.cluster.wait;\ndone:"),
      0, NULL, 0 },
    { "barrier", "a lane that is not in its mask", 1, 32, 0, 0,
      KERNEL("setp.lt.u32 %p3, %r1, 9;\n@%p3 bar.warp.sync 255;"), BODY + 1,
      "lane 8 is not in the membermask 0x000000ff that it gives", 0 },
    { "barrier", "votes and shuffles", 1, 32, 0, 0,
      KERNEL("@%p2 vote.sync.ballot.b32 %r10, %p1, 0xffff;\n"
             "shfl.sync.idx.b32 %r10, %r1, 3, 31, 0xfffffff;"),
      BODY + 1, "lane 28 is not in the membermask 0x0fffffff", 0 },
    { "barrier", "masks that fit", 1, 32, 0, 0,
      KERNEL("@%p2 bar.warp.sync 0xffff; @!%p2 bar.warp.sync 0xffff0000;\n"
             "match.any.sync.b32 %r10, %r1, -1; setp.lt.u32 %p3, %r1, 9; @%p3 exit;\n"
             "shfl.sync.bfly.b32 %r10, %r1, 3, 31, -1;"),
      0, NULL, 0 },
    { "barrier", "an mbarrier where there is one", 1, 1, 0, 0,
      KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.inval.shared::cta.b64 [bar];\n"
             "mbarrier.init.shared::cta.b64 [bar], 2; st.shared.u64 [bar], 0;\n"
             "mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.init.shared::cta.b64 [bar], 1;"),
      BODY + 3, "an mbarrier is initialised where there is one", 0 },
    { "barrier", "an mbarrier that an earlier block left", 2, 1, 0, 0,
      KERNEL("setp.ne.u32 %p3, %r2, 0; @%p3 bra use; mbarrier.init.shared::cta.b64 [bar], 1; ret;\n"
             "use: mbarrier.arrive.shared::cta.b64 _, [bar];"),
      BODY + 1, "block (1,0,0), thread (0,0,0): there is no mbarrier at 0x0: not initialised",
      719 },
    { "barrier", "mbarriers of block after block", 9, 1, 0, 0,
      KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.arrive.shared::cta.b64 _, [bar];"),
      0, NULL, 0 },
    { "barrier", "lanes of a mask that never come", 1, 32, 0, 0,
      KERNEL("@%p2 bra low;\nbarrier.sync 1, 32;\nlow: shfl.sync.idx.b32 %r10, %r1, 3, 31, -1;"),
      BODY + 2,
      "deadlock: 16 threads from (0,0,0) of block (0,0,0) wait at shfl.sync in line 7; 16 "
      "threads from (16,0,0) of block (0,0,0) wait at barrier.sync in line 6",
      719 },
    { "barrier", "counts that differ", 1, 128, 0, 0,
      KERNEL("setp.lt.u32 %p3, %r1, 32; @%p3 bra low;\nbar.sync 1, 128;\nlow: bar.sync 1, 64;"),
      BODY + 1, "barrier 1 for 128 threads, others wait at it for 64", 719 },
    { "barrier,error", "an error", 1, 32, 0, 0,
      KERNEL("@%p2 bra low;\nbar.sync 0;\nbra done;\nlow: bar.sync 0;\ndone:"), BODY + 3,
      "all of a warp must come to the same (check: barrier)", 719 },
    { "init", "with other checks", 1, 32, 0, 0,
      KERNEL("@%p2 bra low;\nbar.sync 0;\nbra done;\nlow: bar.sync 0;\ndone:"), 0, NULL, 0 },
};

CASE("barrier");

TEST_ROWS(a_barrier_must_be_reached_by_the_whole_warp, barrier_tests)
{
    run_test(&barrier_tests[_i]);
}

// ---- Kernels that do not end

static const struct {
    const char *name, *ptx, *told;
    uint32_t blocks, threads;
    int code;
} endless[] = {
    { "a lock that nobody gives back",
      KERNEL("l: atom.global.cas.b32 %r10, [%rd1], 0, 1; setp.ne.u32 %p3, %r10, 0;\n@%p3 bra l;"),
      "timeout: it has run for more than 0.1 s: 31 threads from (1,0,0) of block (0,0,0) are at "
      "atom.global in line 5",
      1, 32, 702 },
    { "a flag, and who waits for it",
      KERNEL("setp.lt.u32 %p3, %r1, 32; @%p3 bra poll;\nbar.sync 0;\n"
             "poll: ld.volatile.global.u32 %r10, [%rd1]; setp.eq.u32 %p4, %r10, 0; @%p4 bra poll;\n"
             "bar.sync 0;"),
      "32 threads from (32,0,0) of block (0,0,0) wait at bar.sync in line 6", 1, 64, 702 },
    { "an mbarrier and a flag, which another grid may set",
      KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n"
             "w: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;\n@%p3 bra d;\n"
             "ld.volatile.global.u32 %r10, [%rd1]; setp.eq.u32 %p4, %r10, 0; @%p4 bra w;\nd:"),
      "timeout", 1, 1, 702 },
    { "many blocks", KERNEL("l: bra l;"), "timeout", 300, 64, 702 },
    { "a kernel that ends", KERNEL("st.global.u32 [%rd3], %r1;"), "", 4, 64, 0 },
};

CASE("time", .timeout = 60);

TEST_ROWS(a_kernel_is_stopped_at_its_time_limit, endless)
{
    struct kernel_test t = { .blocks = endless[_i].blocks, .threads = endless[_i].threads };
    uint32_t *out = harness_memory(4 * WORDS_OF_MEMORY * 8);

    sim_timeout = 100 * 1000 * 1000;
    int code = run(endless[_i].ptx, &t, out, out, 0);
    ck_assert_msg(code == endless[_i].code && strstr(harness_report(), endless[_i].told),
                  "%s: %d %s", endless[_i].name, code, harness_report());
}

static void *set_later(void *word)
{
    struct timespec until = { 2, 0 };
    nanosleep(&until, NULL);
    __atomic_store_n((uint32_t *)word, 1, __ATOMIC_RELEASE);
    return NULL;
}

TEST(polling_a_flag_beside_an_mbarrier_is_not_a_deadlock)
{
    struct kernel_test t = { .threads = 1 };
    uint32_t *out = harness_memory(4);
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, set_later, out), 0);
    ck_assert_msg(run(endless[2].ptx, &t, out, out, 0) == 0, "%s", harness_report());
    pthread_join(thread, NULL);
}

// Reports of findings.

CASE("findings");

TEST(a_location_is_reported_once_and_always_counted)
{
    static const char *const ptx =
        KERNEL("ld.global.u32 %r10, [%rd4];\nld.global.u32 %r10, [%rd4];");
    struct kernel_test t = { .blocks = 3, .threads = 32 };
    void *fresh = harness_fresh(4 * 96), *out = harness_memory(4);
    uint64_t places = 0;

    check_for("init");
    struct sim_program *program = harness_load(ptx);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(
            harness_run(program,
                        &(struct harness_launch){
                            .grid = { 3 },
                            .block = { 32 },
                            .arguments = { HARNESS_POINTER(out), HARNESS_POINTER(fresh) } }),
            0);
    ck_assert_msg(count_told() == 2, "%s", told);
    ck_assert_uint_eq(sim_findings(SIM_CHECK_INIT, &places), 2 * 2 * 96);
    ck_assert_uint_eq(places, 2);
    // Findings in another program are counted separately.
    ck_assert_int_eq(run(ptx, &t, out, fresh, 0), 0);
    ck_assert_msg(count_told() == 4, "%s", told);
    ck_assert_uint_eq(sim_findings(SIM_CHECK_RACE, &places), 0);
    sim_program_free(program);
}

TEST(a_finding_names_the_line_of_the_source)
{
    struct kernel_test t = { .threads = 1 };
    void *fresh = harness_fresh(64), *out = harness_memory(4);

    check_for("init");
    ck_assert_int_eq(run(HARNESS_HEADER ".file 1 \"kernels/sum.cu\"\n"
                                        ".visible .entry sum(.param .u64 o, .param .u64 f)\n{\n"
                                        ".reg .b32 %r<2>; .reg .b64 %a; ld.param.u64 %a, [f];\n"
                                        ".loc 1 17 5\nld.global.u32 %r1, [%a+8];\nret;\n}\n",
                         &t, out, fresh, 0),
                     0);
    char wanted[256];
    snprintf(wanted, sizeof(wanted),
             "kernel sum, PTX line 9 (kernels/sum.cu:17), block (0,0,0), thread (0,0,0): read of 4 "
             "bytes at 0x%llx, which nobody has written (check: init)\n",
             (unsigned long long)HARNESS_POINTER(fresh) + 8);
    ck_assert_str_eq(told, wanted);
}

static const struct {
    const char *list;
    uint32_t checks;
    const char *wrong;
} lists[] = {
    { "", 0, NULL },
    { "init", SIM_CHECK_INIT, NULL },
    { "race, async", SIM_CHECK_RACE | SIM_CHECK_ASYNC, NULL },
    { "barrier,error", SIM_CHECK_BARRIER | SIM_CHECK_ERROR, NULL },
    { "all", SIM_CHECK_ACCESS | SIM_CHECK_BARRIER, NULL },
    { ",all,,error,", SIM_CHECK_ACCESS | SIM_CHECK_BARRIER | SIM_CHECK_ERROR, NULL },
    { "al", 0, "al is not a check: the words are init, race, async, barrier, all, error" },
    { "init,initial", 0,
      "initial is not a check: the words are init, race, async, barrier, all, error" },
    { "Race", 0, "Race is not a check: the words are init, race, async, barrier, all, error" },
};

TEST_ROWS(checks_are_selected_by_words, lists)
{
    char wrong[160] = "";

    sim_checks = 0;
    ck_assert(sim_checks_read(lists[_i].list, wrong, sizeof(wrong)) == !lists[_i].wrong);
    ck_assert_uint_eq(sim_checks, lists[_i].checks);
    if (lists[_i].wrong)
        ck_assert_str_eq(wrong, lists[_i].wrong);
}

int main(void)
{
    return run_tests("check");
}
