// Tests the PTX of every construct: compares the driver with the interpreter, and assembles for
// each generation.
#include "base/array.h"
#include "assembler.h"
#include "construct.h"
#include "slice.h"

#include <cucore/cucore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constructs.h"

// A construct without dtypes is compiled with `most` numbers of warps, one with dtypes with
// `most_of_dtype` for each dtype, in turns. Four are all, --some and --few select fewer.
static int most = 4, most_of_dtype = 4;

// The constructs to run; by default all.
static struct slice slice = { 0, 1 };
static const char *only; // run constructs with this text in their names

static void add_constructs(TCase *tcase, const TTest *ttest)
{
    for (int i = slice.first; i < CONSTRUCTS; i += slice.step)
        if (!only || strstr(constructs[i].name, only)) {
            if (only)
                printf("%s\n", constructs[i].name);
            tcase_add_loop_test(tcase, ttest, i, i + 1);
        }
}

CASE("constructs", .timeout = 120);

TEST_ADDED(the_driver_and_the_interpreter_leave_the_same_bytes, add_constructs(tcase, ttest))
{
    const struct construct *row = &constructs[_i];
    const char *dtype;
    char room[8];

    construct_start();
    if (!cuc_driver_is_simulated()) // the last name printed shows which construct hangs a GPU
        fprintf(stderr, "%s\n", row->name);
    if (!row->dtypes)
        construct_check(row, NULL, most, _i);
    for (int n = 0; (dtype = construct_dtype(row, n, room)); n++)
        construct_check(row, dtype, most_of_dtype, _i + n);
    construct_stop();
}

static bool in_full; // no argument selects a part

static bool is_in_full(void)
{
    return in_full;
}

CASE("constructs", .only_if = is_in_full);

TEST_RANGE(a_failed_assertion_ends_the_kernel, 0, 2)
{
    static const struct construct rows[] = {
        { "of a scalar", NULL, "n=3", "kernel k(n: i32) {\n    assert(n < 3, \"n is small\")\n}", 0,
          0, NULL },
        { "of an element", NULL, "N=50",
          "kernel k(p: i32[N]) {\n    assert(load(p, [0], [50], pad=99) < 49, \"n is small\")\n}",
          0, 0, NULL },
    };
    char driver[FAILURE_ROOM], interpreter[FAILURE_ROOM];

    construct_start();
    construct_fails(&rows[_i], driver, interpreter);
    ck_assert_msg(strstr(driver, "CUDA_ERROR_ASSERT") != NULL, "%s", driver);
    ck_assert_msg(strstr(interpreter, "n is small") != NULL, "%s", interpreter);
    construct_stop();
}

static const struct {
    const char *source, *says;
} refusals[] = {
    { "kernel k(o: f32[512, 512]) {\n    store(o, [0, 0], trans(load(o, [0, 0], [512, 512])))\n}",
      ":2:22: error T602: permute: it needs 1048576 bytes of shared memory, the target has "
      "232448" },
    { "kernel k(a: f64[64, 256, 4], b: f64[64, 4, 256], o: f64[64, 256, 256]) {\n"
      "    store(o, [0, 0, 0], load(a, [0, 0, 0], [64, 256, 4]) @ load(b, [0, 0, 0], [64, 4, "
      "256]))\n}",
      "error T602: mma: it needs 262144 bytes of shared memory, the target has 232448" },
    { "kernel k(a: f32[N], o: f32[N]) {\n    store(o, [0], sort(load(a, [0], [16777216]), 0))\n}",
      ":2:24: error T602: load: a tile of 16777216 elements, expected no more than 4194304" },
    { "kernel k(a: f64[256, 64], b: f64[64, 128], o: f64[256, 128]) {\n"
      "    store(o, [0, 0], load(a, [0, 0], [256, 64]) @ load(b, [0, 0], [64, 128]))\n}",
      "error T602: mma: its accumulators, with extents that are powers of two, take 65536 "
      "registers, and a block has 65536 for everything: make them half as many, such as [128, "
      "128]" },
    { "kernel k(a: f16[192, 64], b: f16[64, 260], o: f32[192, 260]) {\n"
      "    store(o, [0, 0], load(a, [0, 0], [192, 64]) @ load(b, [0, 0], [64, 260]))\n}",
      "error T602: mma: its accumulators, with extents that are powers of two, take 131072 "
      "registers" },
};

TEST_ROWS(constructs_that_cannot_be_compiled_are_named, refusals)
{
    char text[FAILURE_ROOM];

    construct_refused(refusals[_i].source, text);
    ck_assert_msg(strstr(text, refusals[_i].says) != NULL, "%s", text);
}

// Assembles all constructs of a dtype in one module.
static const char *arch;

// Assemble each construct for only one of its dtypes, a different one on each architecture. The
// simulator has decoded the code of all dtypes, and its forms of instructions are assembled too
// (test_opcodes). It does not know which code the assembler finds slow, so pipelines on Hopper are
// assembled for all dtypes.
static bool once;

// The compiler has separate code for each of the first FEW.
static const char *const dtypes[] = { NULL,  "i8",   "i64",  "f16",  "bf16", "f32",
                                      "f64", "bool", "e4m3", "tf32", "i16",  "i32",
                                      "u8",  "u16",  "u32",  "u64",  "e5m2" };
enum { FEW = 10, ALL = CUC_LENGTH(dtypes) };

// Returns whether dtypes[n] is the one dtype of a construct.
static bool is_its_turn(int construct, int n)
{
    const struct construct *row = &constructs[construct];
    int has[FEW], count = 0;
    const char *dtype;
    char room[8];

    for (int d = 1; d < FEW; d++)
        for (int k = 0; (dtype = construct_dtype(row, k, room)); k++)
            if (strcmp(dtype, dtypes[d]) == 0)
                has[count++] = d;
    return count && has[(construct + atoi(arch + 3)) % count] == n;
}

// Returns whether a pipeline is assembled for another dtype too, for the sake of its roles.
static bool is_extra(int construct, int n)
{
    const struct construct *row = &constructs[construct];

    return once && row->dtypes && strcmp(arch, "sm_90a") == 0 && strstr(row->name, "pipeline") &&
           !is_its_turn(construct, n);
}

// Returns whether a construct is assembled for dtypes[n].
static bool is_assembled(int construct, int n)
{
    // construct_ptx() omits constructs without the dtype.
    return !once || !constructs[construct].dtypes || is_its_turn(construct, n) ||
           is_extra(construct, n);
}

// Kernels of which only the entries with roles are assembled.
static bool roles_only[CONSTRUCTS];

static bool is_chosen_for_hopper(const char *name)
{
    return !roles_only[atoi(name + strlen("k"))] || strstr(name, "$tma(") == strchr(name, '$') ||
           strstr(name, "$realigned(") == strchr(name, '$');
}

// Selects the first entry of each kernel. The others differ in their addresses and in the order of
// loads and stores, for which architectures make no difference.
static bool is_first_entry(const char *name)
{
    static int last = -1;
    int number = atoi(name + strlen("k"));

    if (number == last)
        return false;
    last = number;
    return true;
}

static int assembled; // index into dtypes[]

CASE("constructs");

TEST_RANGE(the_assembler_accepts_the_code, 0, assembled)
{
    struct construct rows[CONSTRUCTS];
    int count = 0;

    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    int sm = atoi(arch + 3);

    for (int i = 0; i < CONSTRUCTS; i++)
        if (is_assembled(i, _i)) {
            roles_only[count] = is_extra(i, _i);
            rows[count++] = constructs[i];
        }
    char *ptx = construct_ptx(rows, count, dtypes[_i], sm, strchr(arch, 'a') != NULL);

    if (once && !*ptx) { // no construct has this dtype
        free(ptx);
        return;
    }
    if (once) { // all entries are assembled for sm_90a
        char *all = ptx;
        bool hopper = strcmp(arch, "sm_90a") == 0;
        ptx = assembler_select(all, hopper ? is_chosen_for_hopper : is_first_entry);
        free(all);
    }
    o.arch = arch;
    o.split_compile = CUC_ZERO; // on all cores
    cuc_status st = cuc_program_create(&program, CUC_SOURCE_PTX, ptx, strlen(ptx), &o);
    if (st == CUC_OK)
        st = cuc_program_compile(&object, program, CUC_CODE_CUBIN);
    if (st != CUC_OK)
        ck_abort_msg("%s, %s: %s\n%.3000s", arch, dtypes[_i] ? dtypes[_i] : "the others",
                     cuc_error_message(), cuc_error_log());
    // Linked code moves no registers between roles (C7504); other remarks of this kind mean
    // products that wait for each other.
    const char *remark = strstr(cuc_program_log(program), "(C75");
    while (remark && strncmp(remark, "(C7504)", 7) == 0)
        remark = strstr(remark + 1, "(C75");
    ck_assert_msg(!remark, "%s: %.300s", arch, remark);
    cuc_object_release(object);
    cuc_program_release(program);
    free(ptx);
}

static bool can_assemble(void)
{
    static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry k() { ret; }\n";
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program = NULL;
    cuc_object *object = NULL;

    o.arch = "sm_80";
    cuc_status st = cuc_program_create(&program, CUC_SOURCE_PTX, ptx, strlen(ptx), &o);
    if (st == CUC_OK)
        st = cuc_program_compile(&object, program, CUC_CODE_CUBIN);
    cuc_object_release(object);
    cuc_program_release(program);
    if (st != CUC_OK)
        printf("skipped: %s\n", cuc_error_message());
    return st == CUC_OK;
}

int main(int argc, char **argv)
{
    if (slice_asked(argc, argv)) {
        if (!slice_read(&slice, argv))
            return 2;
    } else if (argc > 2 && strcmp(argv[1], "--assemble") == 0) {
        if (!can_assemble())
            return 77;
        arch = argv[2];
        once = argc > 3 && strcmp(argv[3], "--once") == 0;
        assembled = argc > 3 && strcmp(argv[3], "--all") == 0 ? ALL : FEW;
        slice.first = CONSTRUCTS; // no construct runs
    } else if (argc > 1 && strcmp(argv[1], "--few") == 0) {
        in_full = true;
        most = 2;
        most_of_dtype = 1;
    } else if (argc > 1 && strcmp(argv[1], "--some") == 0) {
        in_full = true;
        most_of_dtype = 2;
    } else if (argc > 1) {
        only = argv[1]; // constructs selected by a name or a part of it
    } else {
        in_full = true;
    }
    return run_tests("tile emit");
}
