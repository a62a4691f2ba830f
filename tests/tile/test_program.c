// Tests tile programs through the program interface: options, architectures, errors, results, and
// interpretation.
#include "base/arena.h"
#include "base/array.h"
#include "testing.h"
#include "tile/ir/diagnostic.h"
#include "wrap_malloc.h"

static const char vadd[] = "kernel vadd(a: f32[N], b: f32[N], c: f32[N]) grid cdiv(N, 1024) {\n"
                           "    i = block(0)\n"
                           "    store(c, [i], load(a, [i], [1024]) + load(b, [i], [1024]))\n"
                           "}\n";

// A program with one constant of each kind, two kernels, and a product to contract.
static const char scale[] = "kernel scale(x: T[N], y: T[N])\n"
                            "    const T = f32, BN = auto(256, 512), F = 1.5, ON = true\n"
                            "    grid cdiv(N, BN)\n"
                            "{\n"
                            "    v = cast(load(x, [block(0)], [BN]), f32)\n"
                            "    if ON { v = v * F + 1.0 }\n"
                            "    store(y, [block(0)], cast(v, T))\n"
                            "}\n"
                            "kernel other(x: f32[N]) {\n"
                            "    print(\"block {}\", block(0))\n"
                            "    assert(num_blocks(0) < 3, \"few blocks\")\n"
                            "    store(x, [block(0)], full(f32, [4], 2.0))\n"
                            "}\n";

static cuc_program *made(const char *text, const cuc_program_options *options)
{
    cuc_program *p = NULL;

    ck_ok(cuc_program_create(&p, CUC_SOURCE_TILE, text, 0, options));
    return p;
}

static cuc_object *compiled(cuc_program *p, int32_t target)
{
    cuc_object *object = NULL;

    ck_assert_msg(cuc_program_compile(&object, p, target) == CUC_OK, "%s\n%s", cuc_error_message(),
                  cuc_error_log());
    return object;
}

// Returns the PTX of a source; the caller frees it.
static char *ptx_of(const char *text, const cuc_program_options *options)
{
    cuc_program *p = made(text, options);
    cuc_object *object = compiled(p, CUC_CODE_PTX);
    const char *ptx;

    ck_assert_int_eq(cuc_object_kind(object), CUC_CODE_PTX);
    ck_ok(cuc_object_get_ptx(&ptx, NULL, object));
    char *copy = strdup(ptx);
    cuc_object_release(object);
    cuc_program_release(p);
    return copy;
}

// Targets

static const struct {
    const char *arch;
    const char *target; // the .target directive; NULL: refused
    cuc_status status;
    const char *says;
} archs[] = {
    { "sm_80", ".target sm_80\n", CUC_OK, "" },
    { "sm_86", ".target sm_86\n", CUC_OK, "" },
    { "sm_90", ".target sm_90\n", CUC_OK, "" },
    { "sm_90a", ".target sm_90a\n", CUC_OK, "" },
    { "sm_100", ".target sm_100\n", CUC_OK, "" },
    { "sm_100a", ".target sm_100a\n", CUC_OK, "" },
    { "sm_120", ".target sm_120\n", CUC_OK, "" },
    { "compute_90", ".target sm_90\n", CUC_OK, "" },
    { "sm_75", NULL, CUC_ERROR_NOT_SUPPORTED, "arch is \"sm_75\": tile programs are compiled for" },
    { "sm_101", NULL, CUC_ERROR_NOT_SUPPORTED, "sm_101" },
    { "hopper", NULL, CUC_ERROR_INVALID_ARGUMENT, "arch is \"hopper\"" },
};

CASE("program", .timeout = 60);

TEST_ROWS(the_arch_is_the_targets, archs)
{
    const cuc_program_options *options = CUC_PROGRAM_OPTIONS(.arch = archs[_i].arch);

    if (archs[_i].target) {
        char *ptx = ptx_of(vadd, options);
        ck_assert_msg(strstr(ptx, archs[_i].target) != NULL, "no %s in %.200s", archs[_i].target,
                      ptx);
        free(ptx);
    } else {
        cuc_program *p = NULL;
        ck_fails(archs[_i].status, cuc_program_create(&p, CUC_SOURCE_TILE, vadd, 0, options),
                 archs[_i].says);
    }
}

// By default, a program for a 9.0 device uses all features of the device; cuc_device_arch() itself
// returns no suffix.
TEST(the_default_arch_has_all_features_of_the_device)
{
    cuc_device *device;
    char directive[32];

    ck_ok(cuc_device_get_current(&device));
    int number = atoi(cuc_device_arch(device) + 3);
    snprintf(directive, sizeof(directive), ".target sm_%d%s\n", number, number >= 90 ? "a" : "");
    char *ptx = ptx_of(vadd, NULL);
    ck_assert_msg(strstr(ptx, directive) != NULL, "no %s", directive);
    free(ptx);
}

TEST(neither_a_driver_nor_a_toolkit_is_needed_for_ptx)
{
    cuc_object *object = NULL;

    setenv("CUCORE_DRIVER", "/nowhere/libcuda.so", 1);
    setenv("CUDA_HOME", "/nowhere", 1);
    char *ptx = ptx_of(vadd, CUC_PROGRAM_OPTIONS(.arch = "sm_90a"));
    free(ptx);
    cuc_program *p = made(vadd, NULL); // needs the device's arch only on demand
    const char *ir;
    ck_ok(cuc_tile_get_ir(&ir, NULL, p));
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_program_compile(&object, p, CUC_CODE_PTX), "/nowhere");
    ck_assert_ptr_null(object);
    cuc_program_release(p);
}

TEST(equal_programs_compile_to_equal_ptx)
{
    const cuc_program_options *options = CUC_PROGRAM_OPTIONS(.arch = "sm_90a");
    char *a = ptx_of(scale, options), *b = ptx_of(scale, options);

    ck_assert_str_eq(a, b);
    free(a);
    free(b);
}

// Options

TEST(constants_are_set_from_outside)
{
    const char *const constants[] = { "T=bf16", "BN=512", "F=-2", "ON=true" };
    cuc_program *p = made(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .constants = constants,
                                                     .constant_count = CUC_LENGTH(constants)));
    const char *ir;

    ck_ok(cuc_tile_get_ir(&ir, NULL, p));
    ck_assert_msg(strstr(ir, "x: bf16[N]") && strstr(ir, "cdiv(N, 512)") && strstr(ir, "-2.0"),
                  "%s", ir);
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    cuc_program_release(p);
}

static const struct {
    const char *constant;
    bool at_once; // whether cuc_program_create() already refuses the constant
    const char *says;
} constants[] = {
    { "BN", true, "constants[0] is \"BN\", expected NAME=VALUE" },
    { "=3", true, "constants[0]" },
    { "", true, "constants[0] is empty" },
    { NULL, true, "constants[0] is NULL" },
    { "BX=3", false, "error T506: setting: BX=3: no kernel has that constant" },
    { "BN=f32", false, "error T506: setting: BN=f32: expected an integer" },
    { "BN=2.5", false, "expected an integer" },
    { "T=7", false, "expected a dtype" },
    { "ON=1", false, "expected true or false" },
    { "BN=", false, "expected an integer" },
};

TEST_ROWS(invalid_constants_are_refused, constants)
{
    const cuc_program_options *options = CUC_PROGRAM_OPTIONS(.arch = "sm_90",
                                                             .constants = &constants[_i].constant,
                                                             .constant_count = 1);
    cuc_program *p = NULL;
    cuc_object *object = NULL;

    if (constants[_i].at_once) {
        ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                 cuc_program_create(&p, CUC_SOURCE_TILE, scale, 0, options), constants[_i].says);
        return;
    }
    p = made(scale, options);
    ck_fails(CUC_ERROR_COMPILE, cuc_program_compile(&object, p, CUC_CODE_PTX), constants[_i].says);
    cuc_program_release(p);
}

TEST(options_of_another_language_are_refused_by_name)
{
    static const char *const texts[] = { "X=1" };
    static const cuc_program_header header = { "a.h", "", 0 };
    const struct {
        int32_t kind;
        const char *says;
        const cuc_program_options *options;
    } rows[] = {
        { CUC_SOURCE_TILE, "ftz is an option of CUDA C++", CUC_PROGRAM_OPTIONS(.ftz = CUC_ON) },
        { CUC_SOURCE_TILE, "std is an option of CUDA C++", CUC_PROGRAM_OPTIONS(.std = "c++17") },
        { CUC_SOURCE_TILE, "define_macros is an option of CUDA C++",
          CUC_PROGRAM_OPTIONS(.define_macros = texts, .define_macro_count = 1) },
        { CUC_SOURCE_TILE, "headers are options of CUDA C++",
          CUC_PROGRAM_OPTIONS(.headers = &header, .header_count = 1) },
        { CUC_SOURCE_TILE, "name_expressions are options of CUDA C++",
          CUC_PROGRAM_OPTIONS(.name_expressions = texts, .name_expression_count = 1) },
        { CUC_SOURCE_TILE, "warps is 3, expected a power of two from 1 to 32",
          CUC_PROGRAM_OPTIONS(.warps = 3) },
        { CUC_SOURCE_TILE, "warps is 64", CUC_PROGRAM_OPTIONS(.warps = 64) },
        { CUC_SOURCE_TILE, "remarks is 3, expected CUC_DEFAULT",
          CUC_PROGRAM_OPTIONS(.remarks = 3) },
        { CUC_SOURCE_TILE, "fma is -1", CUC_PROGRAM_OPTIONS(.fma = -1) },
        { CUC_SOURCE_CUDA, "warps is an option of tile programs", CUC_PROGRAM_OPTIONS(.warps = 4) },
        { CUC_SOURCE_CUDA, "constants is an option of tile programs",
          CUC_PROGRAM_OPTIONS(.constants = texts, .constant_count = 1) },
        { CUC_SOURCE_PTX, "remarks is an option of tile programs",
          CUC_PROGRAM_OPTIONS(.remarks = CUC_ON) },
        { CUC_SOURCE_PTX, "fma is an option of CUDA C++", CUC_PROGRAM_OPTIONS(.fma = CUC_ON) },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_program *p = NULL;
        cuc_program_options options = *rows[i].options;
        options.arch = "sm_90";
        ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                 cuc_program_create(&p, rows[i].kind, vadd, 0, &options), rows[i].says);
        ck_assert_ptr_null(p);
    }
}

// Counts an instruction in a kernel's entries.
static int count_of(const char *instruction, const char *source, int warps)
{
    char *ptx = ptx_of(source, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .warps = warps));
    int count = testing_occurrences(ptx, instruction);

    free(ptx);
    return count;
}

static int shuffles_of(const char *source)
{
    return count_of("shfl.sync", source, 1);
}

TEST(a_total_is_exchanged_once)
{
    enum { OF_A_WARP = 5, ENTRIES = 4 };
    static const char one[] = "kernel k(x: f32[M, N], y: f32[1]) grid 1 {\n"
                              "    store(y, [0], sum(load(x, [0, 0], [32, 64])), shape=[_])\n}\n";
    static const char two[] = "kernel k(x: f32[M, N], y: f32[1], z: f32[M, 1]) grid 1 {\n"
                              "    rows = sum(load(x, [0, 0], [32, 64]), 1)\n"
                              "    store(z, [0, 0], rows)\n"
                              "    store(y, [0], sum(rows), shape=[_])\n}\n";
    static const char half[] = "kernel k(x: f16[M, N], y: f16[1]) grid 1 {\n"
                               "    store(y, [0], sum(load(x, [0, 0], [32, 64])), shape=[_])\n}\n";

    ck_assert_int_eq(shuffles_of(one), OF_A_WARP * ENTRIES);
    // If the sums of the rows are stored too, or are rounded, each of the two sums needs its own
    // shuffles.
    ck_assert_int_gt(shuffles_of(two), OF_A_WARP * ENTRIES);
    ck_assert_int_gt(shuffles_of(half), OF_A_WARP * ENTRIES);
}

TEST(shifts_of_a_tile_share_what_other_warps_need)
{
    static const char source[] =
        "kernel k(x: f32[64, 64], y: f32[64, 64]) where noalias(x, y) grid 1 {\n"
        "    v = load(x, [0, 0], [64, 64])\n"
        "    store(y, [0, 0], shift(v, 1, 0) + shift(v, -1, 0) + shift(v, 1, 1) + shift(v, -1, "
        "1))\n"
        "}\n";

    char *ptx = ptx_of(source, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .warps = 8));
    char *second = strstr(strstr(ptx, ".entry") + 1, ".entry");

    // A warp has four rows in registers; other warps need only the first and the last of them.
    ck_assert_int_eq(testing_occurrences(ptx, "bar.sync"), 3); // one in each entry
    *second = '\0';
    ck_assert_int_eq(testing_occurrences(ptx, "st.shared.v4"), 2);
    ck_assert_int_eq(testing_occurrences(ptx, "ld.shared.v4"), 2);
    ck_assert_int_eq(testing_occurrences(ptx, "shfl.sync"), 2 * 4);
    free(ptx);
}

TEST(options_reach_the_code)
{
    const struct {
        const cuc_program_options *options;
        const char *has, *lacks;
    } rows[] = {
        { CUC_PROGRAM_OPTIONS(.warps = 8), ".reqntid 256, 1, 1", ".reqntid 128" },
        { CUC_PROGRAM_OPTIONS(.warps = 1), ".reqntid 32, 1, 1", NULL },
        { CUC_PROGRAM_OPTIONS(.lineinfo = CUC_ON, .name = "a.tile"), ".file 1 \"a.tile\"", NULL },
        { CUC_PROGRAM_OPTIONS(.lineinfo = CUC_OFF), ".entry", ".file" },
        { CUC_PROGRAM_OPTIONS(.fma = CUC_OFF), "mul.rn.f32", "fma.rn.f32" },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_program_options options = *rows[i].options;
        options.arch = "sm_90";
        char *ptx = ptx_of(scale, &options);
        ck_assert_msg(strstr(ptx, rows[i].has) != NULL, "row %d: no %s", i, rows[i].has);
        if (rows[i].lacks)
            ck_assert_msg(!strstr(ptx, rows[i].lacks), "row %d: %s", i, rows[i].lacks);
        free(ptx);
    }
}

// ---- Output of the compiler

// See negate() of emit/element.c.
TEST_RANGE(whole_numbers_are_negated_without_neg, 0, 3)
{
    static const char *const negated[] = { "-x", "0 - x", "x * -1" };
    char source[256];

    snprintf(source, sizeof(source),
             "kernel k(a: i32[N], b: i32[N]) {\n    x = load(a, [0], [32])\n"
             "    store(b, [0], maximum(maximum(x + 1, %s), x * 3))\n}",
             negated[_i]);
    char *ptx = ptx_of(source, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    ck_assert_msg(strstr(ptx, "not.b32") != NULL, "%s: no complement", negated[_i]);
    ck_assert_msg(!strstr(ptx, "neg.s32"), "%s: neg.s32", negated[_i]);
    free(ptx);
}

TEST(an_op_of_very_many_instructions_gets_a_remark)
{
    static const char sorts[] = "kernel k(x: f32[N], o: f32[N]) const S = 4096 {\n"
                                "    a = load(x, [0], [S])\n    store(o, [0], sort(a, 0))\n}\n";
    cuc_program *p =
        made(sorts, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .remarks = CUC_ON, .warps = 4));
    cuc_object *object;

    ck_ok(cuc_program_compile(&object, p, CUC_CODE_PTX));
    const char *found = strstr(cuc_program_log(p), "program.tile:3:19: remark: sort: ");
    ck_assert_msg(found != NULL, "%s", cuc_program_log(p));
    ck_assert_msg(strstr(found, " instructions, which take long to assemble") != NULL, "%s",
                  cuc_program_log(p));
    cuc_object_release(object);
    cuc_program_release(p);
    p = made(sorts,
             CUC_PROGRAM_OPTIONS(.arch = "sm_90", .remarks = CUC_ON,
                                 .constants = (const char *[]){ "S=512" }, .constant_count = 1));
    ck_ok(cuc_program_compile(&object, p, CUC_CODE_PTX));
    ck_assert_msg(!strstr(cuc_program_log(p), "instructions"), "%s", cuc_program_log(p));
    cuc_object_release(object);
    cuc_program_release(p);
}

TEST(remarks_are_in_the_log_on_request)
{
    cuc_program *p = made(vadd, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .remarks = CUC_ON));
    cuc_object *object = compiled(p, CUC_CODE_PTX);
    const char *log = cuc_program_log(p);

    ck_assert_msg(
        strstr(log, "program.tile:3:19: remark: load: 16 bytes at a time (idx32+aligned)"), "%s",
        log);
    ck_assert_msg(strstr(log, "remark: load: 4 bytes at a time (idx64)") != NULL, "%s", log);
    ck_assert_msg(strstr(log, "remark: store: 16 bytes at a time (idx32+aligned)"), "%s", log);
    ck_assert_msg(strstr(log, "program.tile:1:8: remark: kernel: vadd: blocks of 64 threads, 0 "
                              "bytes of shared memory (idx32+aligned)"),
                  "%s", log);
    ck_assert_str_eq(cuc_object_log(object), log);
    cuc_object_release(object);
    cuc_program_release(p);

    p = made(vadd, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    object = compiled(p, CUC_CODE_PTX);
    ck_assert_str_eq(cuc_program_log(p), "");
    cuc_object_release(object);
    cuc_program_release(p);
}

static const struct {
    const char *source, *says;
    const char *dimension; // NULL: no dimension is given
    int32_t split;
    const char *lacks; // NULL: nothing
} slow[] = {
    { "kernel k(x: f32[M, N], o: f32[N]) grid cdiv(N, 64) {\n    s = zeros(f32, [64])\n"
      "    for i in 0 .. M { s += load(x, [i, block(0)], [_, 64]) }\n    store(o, [block(0)], "
      "s)\n}",
      "1:8: remark: kernel: k: a grid of 32 blocks for 132 multiprocessors: split the loop "
      "(split=8)",
      "N=2048", 0, NULL },
    { "kernel k(x: f32[M, N], o: f32[N]) grid cdiv(N, 64) {\n    s = zeros(f32, [64])\n"
      "    for i in 0 .. M { s += load(x, [i, block(0)], [_, 64]) }\n    store(o, [block(0)], "
      "s)\n}",
      "no loop is shared by several blocks: their number would change its rounding: set split",
      "N=8384", 0, NULL },
    { "kernel k(x: f32[M, N], o: f32[N]) grid cdiv(N, 64) {\n    s = zeros(f32, [64])\n"
      "    for i in 0 .. M { s += load(x, [i, block(0)], [_, 64]) }\n    store(o, [block(0)], "
      "s)\n}",
      "1:8: remark: kernel: k: blocks of", "N=8448", 0, "no loop is shared" }, // 132 blocks
    { "kernel k(x: f32[M, N], o: f32[N]) grid cdiv(N, 64) {\n    s = zeros(f32, [64])\n"
      "    for i in 0 .. M { s += load(x, [i, block(0)], [_, 64]) }\n    store(o, [block(0)], "
      "s)\n}",
      "1:8: remark: kernel: k: loops are shared by 4 blocks of a cluster", NULL, 4, NULL },
    { "kernel k(x: f32[M, 32768], o: f32[32768]) grid 1 {\n    s = zeros(f32, [32768])\n"
      "    for i in 0 .. M { s += load(x, [i, 0], [_, 32768]) }\n    store(o, [0], s)\n}",
      "1:8: remark: kernel: k: split=8 is not applied: its carried values take 128 KB of shared "
      "memory, and the limit is 64 KB: use smaller tiles",
      NULL, 8, NULL },
    { "kernel k(x: f32[N], o: f32[N]) grid cdiv(N, 64) {\n"
      "    store(o, [block(0)], load(x, [block(0)], [64]))\n}",
      "1:8: remark: kernel: k: split=2 is not applied: no loop carries values, loads and has 16 "
      "iterations or more",
      NULL, 2, NULL },
    { "kernel k(a: f32[M, K], b: f32[K, N], c: f32[M, N]) grid cdiv(M, 64), cdiv(N, 64) {\n"
      "    s = zeros(f32, [64, 64])\n    for i in 0 .. cdiv(K, 16) {\n"
      "        s = mma(load(a, [block(0), i], [64, 16]), load(b, [i, block(1)], [16, 64]), s)\n"
      "    }\n    store(c, [block(0), block(1)], s)\n}",
      "1:8: remark: kernel: k: split=4 is not applied: it multiplies matrices without a pipeline",
      NULL, 4, NULL },
    { "kernel k(x: f32[M, N], o: f32[M, N]) grid cdiv(N, 64) {\n    s = zeros(f32, [64])\n"
      "    for i in 0 .. M {\n        s += load(x, [i, block(0)], [_, 64])\n"
      "        store(o, [i, block(0)], s)\n    }\n}",
      "1:8: remark: kernel: k: split=4 is not applied: an iteration has an effect", "N=16384", 4,
      "no loop is shared" },
    { "kernel k(x: i32[M, N], o: i32[N]) grid cdiv(N, 64) {\n    s = zeros(i32, [64])\n"
      "    for i in 0 .. M { s += load(x, [i, block(0)], [_, 64]) }\n    store(o, [block(0)], "
      "s)\n}",
      "1:8: remark: kernel: k: launches with fewer blocks than multiprocessors share loops among "
      "up "
      "to 8 blocks",
      NULL, 0, NULL },
    { "kernel k(x: f32[N], o: f32[N]) grid cdiv(N, 4096) {\n"
      "    store(o, [block(0)], load(x, [block(0)], [4096]) + 1.0)\n}",
      "1:8: remark: kernel: k: a grid of 1 block for 132 multiprocessors: use smaller tiles",
      "N=2048", 0, NULL },
    { "kernel k(x: f32[N], o: f32[64], n: i64) grid 1 {\n"
      "    store(o, [0], load_at(x, [n], [64]))\n}",
      "2:19: remark: load_at: 4 bytes at a time (idx32+aligned): its last index is not known to be "
      "a "
      "multiple of more: assume() that",
      NULL, 0, NULL },
    { "kernel k(x: f32[N], o: f32[N]) grid cdiv(N, 64) {\n"
      "    store_at(o, [block(0) * 64 - 1], load(x, [block(0)], [64]))\n}",
      "2:5: remark: store_at: 4 bytes at a time (idx32+aligned): the constant that is added to its "
      "last index makes it unaligned",
      NULL, 0, NULL },
    { "kernel k(x: f32[N], o: f32[N]) grid cdiv(N, 64) {\n"
      "    store_at(o, [block(0) * 64 + 2], load(x, [block(0)], [64]))\n}",
      "2:5: remark: store_at: 8 bytes at a time (idx32+aligned): the constant that is added to its "
      "last index makes it unaligned",
      NULL, 0, NULL },
    { "kernel k(x: f32[N], o: f32[64], n: i64) grid 1 {\n"
      "    store(o, [0], load(slice(x, 0, n, n + 64), [0], [64]))\n}",
      "2:19: remark: load: 4 bytes at a time (idx32+aligned): a slice along the last axis may "
      "begin "
      "anywhere",
      NULL, 0, NULL },
    { "kernel k(x: f32[64], o: f32[N]) grid 1 {\n"
      "    atomic_add(o, [iota(i32, 64)], load(x, [0], [64]))\n}",
      "2:5: remark: atomic: 4 bytes at a time (idx32+aligned): its order (by default acq_rel) "
      "acquires, though its result is unused: order=relaxed is faster and allows vectors",
      NULL, 0, NULL },
    { "kernel k(x: f32[64], i: i32[64], o: f32[N]) grid 1 {\n"
      "    atomic_add(o, [load(i, [0], [64])], load(x, [0], [64]), order=relaxed)\n}",
      "2:5: remark: atomic: 4 bytes at a time (idx32+aligned): its elements are not known to be "
      "neighbours in the tensor",
      NULL, 0, NULL },
    { "kernel k(x: bf16[N, C], i: i32[32], o: bf16[32, 64]) grid 1 {\n"
      "    store(o, [0, 0], gather(x, [load(i, [0], [32])[:, None], iota(i32, 64)[None, :]]))\n}",
      "2:22: remark: gather: 2 bytes at a time (idx32+aligned): its rows are neighbours in the "
      "tensor, which load_rows reads in vectors",
      NULL, 0, NULL },
    { "kernel k(x: f16[N], i: i64[32], o: f16[32, 64]) grid 1 {\n"
      "    store(o, [0, 0], gather(x, [load(i, [0], [32])[:, None] * 64 + iota(i64, 64)],\n"
      "                            mask=(load(i, [0], [32]) >= 0)[:, None], pad=1.0))\n}",
      "2:22: remark: gather: 2 bytes at a time (idx32+aligned): its rows are neighbours in the "
      "tensor, which load_rows reads in vectors",
      NULL, 0, NULL },
    { "kernel k(x: f32[N], i: i32[64], o: f32[64]) grid 1 {\n"
      "    store(o, [0], gather(x, [load(i, [0], [64])]))\n}",
      "2:19: remark: gather: 4 bytes at a time (idx32+aligned): its elements are not known to be "
      "neighbours in the tensor",
      NULL, 0, NULL },
    { "kernel k(x: f32[N], o: f32[64]) grid 1 {\n"
      "    store(o, [0], gather(x, [iota(i32, 64)], order=acquire))\n}",
      "2:19: remark: gather: 4 bytes at a time (idx32+aligned): ordered accesses move single "
      "elements",
      NULL, 0, NULL },
    { "kernel k(x: f32[N], o: f32[1]) grid 1 {\n    store(o, [0], x[N - 1], shape=[_])\n}",
      "1:8: remark: kernel: k: blocks of", NULL, 0, "gather: " },
    { "kernel k(x: f16[32, 64], i: i32[32], o: f16[N, 64]) grid 1 {\n"
      "    scatter(o, [load(i, [0], [32])[:, None], iota(i32, 64)], load(x, [0, 0], [32, 64]))\n}",
      "2:5: remark: scatter: 2 bytes at a time (idx32+aligned): its rows are neighbours in the "
      "tensor, which store_rows writes in vectors",
      NULL, 0, NULL },
    { "kernel k(x: f64[64], o: f64[64]) grid 1 {\n    store_add(o, [0], load(x, [0], [64]))\n}",
      "2:5: remark: store_reduce: 8 bytes at a time (idx32+aligned): no wider atomic operation "
      "exists "
      "for it",
      NULL, 0, NULL },
};

TEST_ROWS(kernels_that_underuse_the_machine_get_a_remark, slow)
{
    const char *dimensions[] = { slow[_i].dimension, "M=4096" };
    int count = !dimensions[0] ? 0 : strstr(slow[_i].source, "[M, N]") ? 2 : 1;
    cuc_program *p =
        made(slow[_i].source,
             CUC_PROGRAM_OPTIONS(.arch = "sm_90", .remarks = CUC_ON, .split = slow[_i].split,
                                 .dimensions = dimensions, .dimension_count = (size_t)count));
    cuc_object *object = compiled(p, CUC_CODE_PTX);

    ck_assert_msg(strstr(cuc_program_log(p), slow[_i].says) != NULL, "expected %s, got %s",
                  slow[_i].says, cuc_program_log(p));
    if (slow[_i].lacks)
        ck_assert_msg(!strstr(cuc_program_log(p), slow[_i].lacks), "%s", cuc_program_log(p));
    cuc_object_release(object);
    cuc_program_release(p);
}

TEST(more_than_8_blocks_share_loops_but_no_product)
{
    static const char product[] =
        "kernel k(a: bf16[M, K], b: bf16[K, N], o: f32[M, N]) grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    s = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 64) {\n"
        "        s = mma(load(a, [block(0), k], [64, 64]), load(b, [k, block(1)], [64, 64]), s)\n"
        "    }\n    store(o, [block(0), block(1)], s)\n}";
    static const char *const says[] = { "mma: split-K over 8 blocks of a cluster (tma)",
                                        "mma: not split over blocks: at most 8 blocks share a "
                                        "product (tma)" };

    for (int i = 0; i < 2; i++) {
        cuc_program *p =
            made(product, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .remarks = CUC_ON, .split = 8 + i));
        cuc_object *object = compiled(p, CUC_CODE_PTX);
        ck_assert_msg(strstr(cuc_program_log(p), says[i]) != NULL, "%s", cuc_program_log(p));
        cuc_object_release(object);
        cuc_program_release(p);
    }
    cuc_program *p = NULL;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_program_create(&p, CUC_SOURCE_TILE, product, 0,
                                CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .split = 17)),
             "split is 17, expected 1 to 16, or 0");
}

// Loops with products in a grid of 4 blocks, with dimensions and the option `split`; the remark,
// or one that is absent.
#define SMALL_GRID(inside, after)                                                                \
    "kernel k(a: bf16[K, M], b: bf16[K, N], o: f32[M, N], p: f32[N]) grid cdiv(M, 64), cdiv(N, " \
    "64) {\n"                                                                                    \
    "    s, t = zeros(f32, [64, 64]), zeros(f32, [1, 64])\n    for k in 0 .. cdiv(K, 64) {\n"    \
    "        x, y = load(a, [k, block(0)], [64, 64]), load(b, [k, block(1)], [64, 64])\n"        \
    "        s = mma(trans(x), y, s)\n" inside "    }\n" after                                   \
    "    store(o, [block(0), block(1)], s)\n}"
static const struct {
    const char *source, *depth;
    int32_t split;
    const char *says, *lacks;
} small_grids[] = {
    { SMALL_GRID("", ""), "K=8192", 0,
      "a grid of 4 blocks for 132 multiprocessors: split the loop (split=8)", NULL },
    { SMALL_GRID("", ""), "K=64", 0,
      "a grid of 4 blocks for 132 multiprocessors: use smaller tiles", NULL },
    { SMALL_GRID("", ""), "K=8192", 8, "mma: split-K over 8 blocks of a cluster (tma)",
      "a grid of 4 blocks" },
    { SMALL_GRID("        t += sum(cast(y, f32), 0)\n",
                 "    store(p, [block(1)], squeeze(t, 0))\n"),
      "K=8192", 0, "a grid of 4 blocks for 132 multiprocessors: split the loop (split=8)", NULL },
    { SMALL_GRID("        t += sum(cast(y, f32), 0)\n",
                 "    store(p, [block(1)], squeeze(t, 0))\n"),
      "K=8192", 8, "for: split over 8 blocks of a cluster (tma)", "a grid of 4 blocks" },
    { SMALL_GRID("        t = 2.0 * t + sum(cast(y, f32), 0)\n",
                 "    store(p, [block(1)], squeeze(t, 0))\n"),
      "K=8192", 0, "a grid of 4 blocks for 132 multiprocessors: use smaller tiles", NULL },
    { SMALL_GRID("        t = 2.0 * t + sum(cast(y, f32), 0)\n",
                 "    store(p, [block(1)], squeeze(t, 0))\n"),
      "K=8192", 8,
      "mma: not split over blocks: a carried value is not a sum, product, maximum or the like "
      "(tma)",
      NULL },
};

TEST_ROWS(remarks_advise_to_split_loops_with_products, small_grids)
{
    const char *dimensions[] = { small_grids[_i].depth, "M=128", "N=128" };
    cuc_program *p = made(small_grids[_i].source,
                          CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .remarks = CUC_ON,
                                              .split = small_grids[_i].split,
                                              .dimensions = dimensions, .dimension_count = 3));
    cuc_object *object = compiled(p, CUC_CODE_PTX);

    ck_assert_msg(strstr(cuc_program_log(p), small_grids[_i].says) != NULL, "expected %s, got %s",
                  small_grids[_i].says, cuc_program_log(p));
    if (small_grids[_i].lacks)
        ck_assert_msg(!strstr(cuc_program_log(p), small_grids[_i].lacks), "%s", cuc_program_log(p));
    cuc_object_release(object);
    cuc_program_release(p);
}

// Stores of a product's result and of its rows' sums, in either order.
static const char *const stores[] = {
    "store(o, [block(0), 0], s)\n    store(p, [block(0), 0], sum(s, 1))",
    "store(p, [block(0), 0], sum(s, 1))\n    store(o, [block(0), 0], s)",
};

TEST_ROWS(the_order_of_stores_decides_no_transport, stores)
{
    char source[512];

    snprintf(source, sizeof(source),
             "kernel k(a: bf16[M, K], b: bf16[K, 64], o: f32[M, 64], p: f32[M, 1]) grid cdiv(M, "
             "64) {\n    s = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 64) {\n"
             "        s = mma(load(a, [block(0), k], [64, 64]), load(b, [k, 0], [64, 64]), s)\n"
             "    }\n    %s\n}",
             stores[_i]);
    cuc_program *p = made(source, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .remarks = CUC_ON));
    cuc_object *object = compiled(p, CUC_CODE_PTX);

    ck_assert_msg(strstr(cuc_program_log(p), "store: by TMA (tma)") != NULL, "%s",
                  cuc_program_log(p));
    cuc_object_release(object);
    cuc_program_release(p);
}

// Kernels without a pipeline: the body, and the remark with its line and column.
#define PRODUCTS(body)                                                                           \
    "kernel k(a: bf16[M, K], b: bf16[K, N], c: bf16[N, N], o: f32[M, N], i: i8[M, K], j: i8[K, " \
    "N]) grid 1 {\n    acc, low = zeros(f32, [128, 128]), zeros(f32, [128, 16])\n" body "\n}"
#define LOAD_A "load(a, [0, k], [128, 64])"
#define LOAD_B "load(b, [k, 0], [64, 128])"
static const struct {
    const char *source, *says;
} not_pipelined[] = {
    { PRODUCTS("    for k in 0 .. 8 {\n"
               "        at = iota(i32, 128)[:, None] - iota(i32, 128)[None, :] + 127\n"
               "        acc += mma(" LOAD_A ", " LOAD_B ", zeros(f32, [128, 128]))\n"
               "        acc = acc * cast(gather(c, [k, at]), f32)\n    }\n"
               "    store(o, [0, 0], acc)"),
      "no pipeline by TMA: mma: the loop gathers a tile of more than 1024 elements that are no "
      "rows" },
    { PRODUCTS("    acc = mma(load(c, [0, 0], [128, 64]), load(c, [0, 0], [64, 128]), acc)\n"
               "    for k in 0 .. 8 {\n        x = " LOAD_A "\n"
               "        acc = mma(x, " LOAD_B ", acc)\n"
               "        low = mma(x, load(b, [k, 9], [64, 16]), low)\n    }\n"
               "    store(o, [0, 0], acc + sum(low))"),
      "3:11: remark: kernel: k: no pipeline by TMA: mma: it is before the loop with the other "
      "products, or in a loop or branch behind it" },
    { PRODUCTS(
          "    s = zeros(i32, [128, 128])\n    for k in 0 .. 8 { s = mma(load(i, [0, k], [128, "
          "64]), load(j, [k, 0], [64, 128]), s) }\n    store(o, [0, 0], cast(s, f32))"),
      "1:8: remark: kernel: k: no pipeline by TMA: mma: operands of this dtype must have the "
      "summed axis last in memory" },
    { PRODUCTS("    for k in 0 .. 8 { acc = mma(load(o, [0, k], [128, 64]), load(o, [k, 0], [64, "
               "128]), acc, precision=tf32) }\n    store(o, [0, 0], acc)"),
      "no pipeline by TMA: mma: operands of this dtype must have the summed axis last in memory" },
    { PRODUCTS("    for k in 0 .. 8 {\n        acc = mma(" LOAD_A ", " LOAD_B ", acc)\n"
               "        store(o, [k, 0], acc)\n    }"),
      "no pipeline by TMA: mma: the loop has stores, prints or accesses in an order" },
    { PRODUCTS("    for k in 0 .. 8 {\n        acc = mma(" LOAD_A ", " LOAD_B ", acc)\n"
               "        for n in 0 .. k { acc = acc * 2.0 }\n    }\n    store(o, [0, 0], acc)"),
      "no pipeline by TMA: mma: the loop has another loop in it" },
    { PRODUCTS("    for k in 0 .. 8 {\n        acc = mma(" LOAD_A ", " LOAD_B ", acc)\n"
               "        if sum(acc) > 1.0 { break }\n    }\n    store(o, [0, 0], acc)"),
      "no pipeline by TMA: mma: the loop has a break, continue or return" },
    { PRODUCTS("    store(o, [0, 0], acc)\n    for k in 0 .. 8 { acc = mma(" LOAD_A ", " LOAD_B
               ", acc) }\n    store(o, [0, 0], acc)"),
      "no pipeline by TMA: mma: the loop comes after stores, accesses in an order or while "
      "loops of tiles" },
    { PRODUCTS("    acc = zeros(f32, [80, 64])\n    for n in 0 .. 3 {\n        for k in 0 .. 8 { "
               "acc = mma(load(a, [n, k], [80, 64]), load(b, [k, n], [64, 64]), acc) }\n    }\n"
               "    store(o, [0, 0], acc)"),
      "no pipeline by TMA: mma: its rows are not 64, 128 or 256; columns count instead only in a "
      "single for loop" },
    // A pipeline, but without the residual
    { PRODUCTS("    for k in 0 .. 8 { acc = mma(load(a, [0, k], [128, 32]), load(b, [k, 0], [32, "
               "128]), acc) }\n    store(c, [0, 0], cast(acc + cast(load(b, [0, 0], [128, 128]), "
               "f32), bf16))"),
      "4:38: remark: load: by threads, after the products: a stage is smaller than its parts: a "
      "larger BK makes room (tma)" },
};

TEST_ROWS(kernels_without_a_pipeline_get_a_remark, not_pipelined)
{
    cuc_program *p =
        made(not_pipelined[_i].source, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .remarks = CUC_ON));
    cuc_object *object = compiled(p, CUC_CODE_PTX);

    ck_assert_msg(strstr(cuc_program_log(p), not_pipelined[_i].says) != NULL, "expected %s, got %s",
                  not_pipelined[_i].says, cuc_program_log(p));
    cuc_object_release(object);
    cuc_program_release(p);
}

// With a block of 4 warps, each thread would have to keep 256 accumulators.
TEST(accumulators_that_fit_in_no_thread_take_more_warps)
{
    static const struct {
        const char *source;
        int32_t warps;
        const char *threads, *says;
    } rows[] = {
        { PRODUCTS("    acc = zeros(f32, [128, 256])\n"
                   "    for k in 0 .. 8 { acc = mma(" LOAD_A ", load(b, [k, 0], [64, 256]), acc) "
                   "}\n    store(o, [0, 0], acc)"),
          4, ".reqntid 256, 1, 1", "kernel: k: blocks of 8 warps, not 4: its accumulators" },
        { PRODUCTS("    other = acc\n    for k in 0 .. 8 {\n        x = " LOAD_A
                   "\n        acc = mma(x, " LOAD_B ", acc)\n"
                   "        other = mma(x, " LOAD_B ", other)\n    }\n"
                   "    store(o, [0, 0], acc * other)"),
          4, ".reqntid 256, 1, 1", "kernel: k: blocks of 8 warps, not 4: its accumulators" },
        { PRODUCTS("    for k in 0 .. 8 { acc = mma(" LOAD_A ", " LOAD_B ", acc) }\n"
                   "    store(o, [0, 0], acc)"),
          4, ".reqntid 128, 1, 1", NULL },
        { PRODUCTS("    for k in 0 .. 8 { acc = mma(" LOAD_A ", " LOAD_B ", acc) }\n"
                   "    store(o, [0, 0], acc)"),
          1, ".reqntid 128, 1, 1", "kernel: k: blocks of 4 warps, not 1: its accumulators" },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_program *p =
            made(rows[i].source,
                 CUC_PROGRAM_OPTIONS(.arch = "sm_80", .remarks = CUC_ON, .warps = rows[i].warps));
        cuc_object *object = compiled(p, CUC_CODE_PTX);
        const char *ptx;
        ck_ok(cuc_object_get_ptx(&ptx, NULL, object));
        ck_assert_msg(strstr(ptx, rows[i].threads) != NULL, "row %d: no %s", i, rows[i].threads);
        ck_assert_msg(!strstr(cuc_program_log(p), "warps, not") == !rows[i].says &&
                          (!rows[i].says || strstr(cuc_program_log(p), rows[i].says)),
                      "row %d: %s", i, cuc_program_log(p));
        cuc_object_release(object);
        cuc_program_release(p);
    }
}

// Sorts, scans, topk and histograms of random dtypes and sizes take at most 1 MB of PTX, not
// counting their loads and stores, or are refused with a code of their own.
TEST_RANGE(code_along_an_axis_is_bounded, 0, 40)
{
    static const char *const dtypes[] = { "i8", "u16", "i32", "u64", "f16", "bf16", "f32", "f64" };
    static const char *const ops[] = { "sort(x, 0)",
                                       "sort(x, 1)",
                                       "cumsum(x, 0)",
                                       "cumprod(x, 1)",
                                       "topk(x, 1, 0)",
                                       "topk(x, 1, 1)",
                                       "cast(histogram(cast(x, i32), 1000), T)" };
    uint32_t state = 12345u + 977u * (uint32_t)_i, pick[4];
    char text[400];
    cuc_program *p;
    cuc_object *object = NULL;
    const char *ptx;
    size_t bytes;

    for (int i = 0; i < 4; i++)
        pick[i] = (state = state * 1664525u + 1013904223u) >> 8;
    uint32_t m = 1u + pick[0] % (UINT32_C(1) << (pick[0] >> 16) % 12);
    uint32_t n = 1u + pick[1] % (UINT32_C(1) << (pick[1] >> 16) % 12);
    const char *op = ops[pick[2] % CUC_LENGTH(ops)];
    snprintf(text, sizeof(text),
             "kernel k(a: T[M, N], o: T[M, N], oo: T[N]) const T = %s grid 1 {\n"
             "    x = load(a, [0, 0], [%u, %u])\n    %s\n}\n",
             dtypes[pick[3] % CUC_LENGTH(dtypes)], m, n,
             strncmp(op, "topk", 4) == 0   ? "y, i = OP; store(o, [0, 0], y)"
             : strncmp(op, "cast", 4) == 0 ? "store(oo, [0], OP)"
                                           : "store(o, [0, 0], OP)");
    char *at = strstr(text, "OP");
    char source[500];
    snprintf(source, sizeof(source), "%.*s%s%s", (int)(at - text), text, op, at + 2);
    p = made(source, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    if (cuc_program_compile(&object, p, CUC_CODE_PTX) < 0) {
        ck_assert_msg(strcmp(cuc_error_library_symbol(), "T604") == 0, "%s\n%s", source,
                      cuc_error_log());
    } else {
        ck_ok(cuc_object_get_ptx(&ptx, &bytes, object));
        ck_assert_msg(bytes < 3u << 19, "%zu bytes of PTX: %s", bytes, source);
    }
    cuc_object_release(object);
    cuc_program_release(p);
}

TEST(a_downgrade_is_a_remark_or_an_error_as_requested)
{
    static const char product[] =
        "kernel product(a: f16[M, K], b: f16[K, N], c: f32[M, N]) grid 1 {\n"
        "    acc = zeros(f32, [16, 16])\n"
        "    acc = mma(load(a, [0, 0], [16, 16], tma=true), load(b, [0, 0], [16, 16]), acc)\n"
        "    store(c, [0, 0], acc)\n"
        "}\n";
    cuc_object *object = NULL;
    cuc_program *p = made(product, CUC_PROGRAM_OPTIONS(.arch = "sm_80", .remarks = CUC_ON));

    cuc_object_release(compiled(p, CUC_CODE_PTX));
    ck_assert_msg(strstr(cuc_program_log(p),
                         "remark: load: loads and stores of threads, not a copy "
                         "by TMA"),
                  "%s", cuc_program_log(p));
    cuc_program_release(p);
    p = made(product, CUC_PROGRAM_OPTIONS(.arch = "sm_80", .require_tma = CUC_ON));
    ck_fails(CUC_ERROR_COMPILE, cuc_program_compile(&object, p, CUC_CODE_PTX),
             "program.tile:3:15: error T603: load: expected a copy by TMA, as require_tma");
    cuc_program_release(p);
}

// The indices of an operand's 64 rows, 4 x 16 along two axes, and the expected remark on how the
// operands are copied.
static const struct {
    const char *down, *along, *by;
} boxes[] = {
    { "iota(i64, 4)[:, None, None]", "iota(i64, 16)[:, None] - 3", "bytes by TMA, " },
    { "2 * iota(i64, 4)[:, None, None]", "5 - c + 3 * iota(i32, 16)[:, None]", "bytes by TMA, " },
    { "(iota(i64, 4) << 1)[:, None, None] + c", "iota(i64, 16)[:, None] * 8", "bytes by TMA, " },
    { "9 * iota(i64, 4)[:, None, None]", "iota(i64, 16)[:, None]", "by TMA and threads, " },
    { "iota(i64, 4)[:, None, None] // 2", "iota(i64, 16)[:, None]", "by TMA and threads, " },
    { "4 - iota(i64, 4)[:, None, None]", "iota(i64, 16)[:, None]", "by TMA and threads, " },
    { "iota(i64, 16)[:, None]", "iota(i64, 4)[:, None, None]", "by TMA and threads, " },
    { "iota(u32, 4)[:, None, None] - 1", "iota(i64, 16)[:, None]", "by TMA and threads, " },
    { "cast(iota(u8, 4), i32)[:, None, None] - 1", "iota(i64, 16)[:, None]", "bytes by TMA, " },
    { "iota(i64, 4)[:, None, None] + iota(i64, 16)[:, None]", "iota(i64, 16)[:, None]",
      "by TMA and threads, " },
};

TEST_ROWS(elements_at_equal_distances_are_copied_by_tma, boxes)
{
    char source[800];

    snprintf(
        source, sizeof(source),
        "kernel k(x: bf16[H, W, C], w: bf16[K, C], o: f32[64, K]) grid cdiv(K, 64) {\n"
        "    acc = zeros(f32, [64, 64])\n    for c in 0 .. cdiv(C, 64) {\n"
        "        t = gather(x, [%s, %s, c * 64 + iota(i64, 64)])\n"
        "        acc = mma(reshape(t, [64, 64]), trans(load(w, [block(0), c], [64, 64])), acc)\n"
        "    }\n    store(o, [0, block(0)], acc)\n}\n",
        boxes[_i].down, boxes[_i].along);
    cuc_program *p = made(source, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .remarks = CUC_ON));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    ck_assert_msg(strstr(cuc_program_log(p), boxes[_i].by) != NULL, "expected %s, got %s",
                  boxes[_i].by, cuc_program_log(p));
    cuc_program_release(p);
}

// TMA stores the results of a pipeline if a row has at least 128 bytes and is a multiple of 16
// bytes long. If the operands are exchanged, TMA stores any number of rows of 16-bit elements.
static const struct {
    int rows, columns;
    const char *c;
    bool by_tma;
} stored[] = {
    { 128, 256, "f16", true }, { 128, 240, "f16", true },  { 128, 224, "f16", true },
    { 128, 192, "f16", true }, { 128, 80, "f16", true },   { 128, 200, "f16", true },
    { 128, 72, "f16", true },  { 128, 64, "f16", true },   { 128, 48, "f16", false },
    { 128, 40, "f32", true },  { 136, 128, "f16", true },  { 72, 256, "f16", true },
    { 40, 64, "f16", true },   { 136, 128, "f32", false },
};

TEST_ROWS(sums_of_a_pipeline_are_stored_by_tma, stored)
{
    static const char product[] =
        "kernel product(a: f16[M, K], b: f16[N, K], c: T[M, N])\n"
        "    const BM = 128, BN = 64, T = f16\n"
        "    grid cdiv(M, BM), cdiv(N, BN)\n"
        "{\n"
        "    acc = zeros(f32, [BM, BN])\n"
        "    for k in 0 .. cdiv(K, 64) {\n"
        "        acc = mma(load(a, [block(0), k], [BM, 64]),\n"
        "                  trans(load(b, [block(1), k], [BN, 64])), acc)\n"
        "    }\n"
        "    store(c, [block(0), block(1)], cast(acc, T))\n"
        "}\n";
    char rows[16], columns[16], dtype[16];
    const char *const chosen[] = { rows, columns, dtype };

    snprintf(rows, sizeof(rows), "BM=%d", stored[_i].rows);
    snprintf(columns, sizeof(columns), "BN=%d", stored[_i].columns);
    snprintf(dtype, sizeof(dtype), "T=%s", stored[_i].c);
    cuc_program *p = made(product, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .constants = chosen,
                                                       .constant_count = 3, .remarks = CUC_ON));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    const char *log = cuc_program_log(p);
    ck_assert_msg(strstr(log, "stages of") != NULL, "%s %s: %s", rows, columns, log);
    ck_assert_msg((strstr(log, "store: by TMA (tma)") != NULL) == stored[_i].by_tma, "%s %s: %s",
                  rows, columns, log);
    cuc_program_release(p);
}

// TMA stores a tile that follows other stores and reductions, but not one that other accesses
// follow. Loads of the result's shape come by TMA unless a store precedes them.
static const struct {
    const char *end;
    bool stored, loaded;
} ends[] = {
    { "store(e, [m, n], cast(acc, f16))\n    store(c, [m, n], cast(acc * 2, f16))", true, false },
    { "store(s, [m, n], reshape(sum(acc, 0), [BN]), shape=[_, BN])\n"
      "    store(c, [m, n], cast(acc, f16))",
      true, false },
    { "store_max(w, [0], reshape(max(bitcast(acc, i32)), [1]))\n"
      "    store(c, [m, n], cast(acc, f16))",
      true, false },
    { "store(c, [m, n], cast(acc, f16))\n    store_add(w, [0], full(i32, [1], 1))", false, false },
    { "r = load(e, [m, n], [BM, BN])\n    store(s, [m, n], reshape(sum(acc, 0), [BN]), "
      "shape=[_, BN])\n    store(c, [m, n], cast(acc, f16) + r)",
      true, true },
    { "store(e, [m, n], cast(acc, f16))\n"
      "    store(c, [m, n], cast(acc, f16) + load(e, [m, n], [BM, BN]))",
      true, false },
};

TEST_ROWS(the_last_of_several_stores_is_by_tma, ends)
{
    static const char head[] =
        "kernel product(a: f16[M, K], b: f16[N, K], c: f16[M, N], e: f16[M, N], s: f32[R, N], "
        "w: i32[1])\n"
        "    const BM = 128, BN = 128\n"
        "    grid cdiv(M, BM), cdiv(N, BN)\n"
        "{\n"
        "    m, n = block(0), block(1)\n"
        "    acc = zeros(f32, [BM, BN])\n"
        "    for k in 0 .. cdiv(K, 64) {\n"
        "        acc = mma(load(a, [m, k], [BM, 64]), trans(load(b, [n, k], [BN, 64])), acc)\n"
        "    }\n";
    char source[1024];

    snprintf(source, sizeof(source), "%s    %s\n}\n", head, ends[_i].end);
    cuc_program *p = made(source, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .remarks = CUC_ON));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    const char *log = cuc_program_log(p);
    ck_assert_msg(strstr(log, "stages of") != NULL, "%s", log);
    ck_assert_msg((strstr(log, "store: by TMA (tma)") != NULL) == ends[_i].stored, "%s", log);
    ck_assert_msg((strstr(log, "load: by TMA, with the products (tma)") != NULL) == ends[_i].loaded,
                  "%s", log);
    cuc_program_release(p);
}

// A loop that mostly waits for memory leaves room for other blocks, unless the user chooses
// otherwise.
TEST(products_of_few_rows_leave_room_for_three_blocks)
{
    static const char text[] =
        "kernel two(q: bf16[M, 128], k: bf16[N, 128], o: bf16[M, 128])\n"
        "    const BM = 16\n"
        "    grid cdiv(M, BM)\n"
        "{\n"
        "    a = load(q, [block(0), 0], [BM, 128])\n"
        "    acc = zeros(f32, [BM, 128])\n"
        "    for n in 0 .. cdiv(N, 64) {\n"
        "        p = mma(a, trans(load(k, [n, 0], [64, 128])), zeros(f32, [BM, 64]))\n"
        "        acc = mma(cast(p, bf16), load(k, [n, 0], [64, 128]), acc)\n"
        "    }\n"
        "    store(o, [block(0), 0], cast(acc, bf16))\n"
        "}\n";
    static const struct {
        const char *rows, *arch;
        int32_t stages;
        const char *expected;
    } cases[] = { { "BM=16", "sm_90", 0, " 2 stages of 32768 bytes" },
                  { "BM=16", "sm_90", 3, " 3 stages of 32768 bytes" },
                  { "BM=32", "sm_90", 0, " 4 stages of 32768 bytes" },
                  { "BM=16", "sm_80", 0, " 3 stages of 32768 bytes" } }; // a third is too little

    for (size_t i = 0; i < CUC_LENGTH(cases); i++) {
        cuc_program *p =
            made(text, CUC_PROGRAM_OPTIONS(.arch = cases[i].arch, .constants = &cases[i].rows,
                                           .constant_count = 1, .warps = 4,
                                           .stages = cases[i].stages, .remarks = CUC_ON));
        cuc_object_release(compiled(p, CUC_CODE_PTX));
        ck_assert_msg(strstr(cuc_program_log(p), cases[i].expected) != NULL, "%s, %s: %s",
                      cases[i].rows, cases[i].arch, cuc_program_log(p));
        cuc_program_release(p);
    }
}

// Four warps share the 16 rows of a product that scores keys. Each has the queries in registers, so
// an iteration reads only keys (8 times), weights (4 times) and values from shared memory.
TEST(a_left_operand_of_few_rows_stays_in_registers)
{
    static const char text[] =
        "kernel two(q: bf16[M, 128], k: bf16[N, 128], v: bf16[N, 128], o: bf16[M, 128])\n"
        "    grid cdiv(M, 16)\n"
        "{\n"
        "    a = load(q, [block(0), 0], [16, 128])\n"
        "    acc = zeros(f32, [16, 128])\n"
        "    for n in 0 .. cdiv(N, 64) {\n"
        "        p = mma(a, trans(load(k, [n, 0], [64, 128])), zeros(f32, [16, 64]))\n"
        "        acc = mma(cast(p, bf16), load(v, [n, 0], [64, 128]), acc)\n"
        "    }\n"
        "    store(o, [block(0), 0], cast(acc, bf16))\n"
        "}\n";
    char *ptx = ptx_of(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .warps = 4));
    char *end = strstr(ptx, ".entry two$idx64");

    ck_assert(end != NULL);
    *end = 0;
    ck_assert_int_eq(testing_occurrences(ptx, "ldmatrix.sync.aligned.m8n8.x4.shared"), 12);
    free(ptx);
}

// An iteration of attention with few rows has three barriers: the stage has arrived, the maxima are
// exchanged, the weights are exchanged. The sums of the scores are in two chains of products.
TEST(an_iteration_of_few_rows_waits_little)
{
    static const char text[] =
        "kernel two(q: bf16[M, 128], k: bf16[N, 128], v: bf16[N, 128], o: bf16[M, 128])\n"
        "    grid cdiv(M, 16)\n"
        "{\n"
        "    a, top = load(q, [block(0), 0], [16, 128]), full(f32, [16, 1], -1e30)\n"
        "    acc = zeros(f32, [16, 128])\n"
        "    for n in 0 .. cdiv(N, 64) {\n"
        "        p = mma(a, trans(load(k, [n, 0], [64, 128])), zeros(f32, [16, 64]))\n"
        "        high = maximum(top, max(p, 1))\n"
        "        acc = acc * exp2(top - high)\n"
        "        acc = mma(cast(exp2(p - high), bf16), load(v, [n, 0], [64, 128]), acc)\n"
        "        top = high\n"
        "    }\n"
        "    store(o, [block(0), 0], cast(acc, bf16))\n"
        "}\n";
    char *ptx = ptx_of(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .warps = 4));
    char *begin = strstr(ptx, "cp.async.wait_group 0"), *end;

    ck_assert(begin != NULL);
    end = strstr(begin + 1, "cp.async.wait_group 0"); // after the loop
    ck_assert(end != NULL);
    *end = 0;
    ck_assert_int_eq(testing_occurrences(begin, "bar.sync"), 3);
    ck_assert_int_eq(testing_occurrences(begin, "mma.sync"), 16 + 16);
    free(ptx);
}

// The last tile of keys may end past the tensor. If the tensor's lines are whole in each tile,
// every thread copies its pieces without a loop: 8 of the keys and 8 of the values, in the code
// that fills the stages and in that of an iteration.
TEST(a_last_tile_of_whole_lines_is_copied_without_a_loop)
{
    static const char text[] =
        "kernel two(q: bf16[M, 128], k: bf16[N, 128], v: bf16[N, D], o: bf16[M, 128])\n"
        "    grid cdiv(M, 16)\n"
        "{\n"
        "    a = load(q, [block(0), 0], [16, 128])\n"
        "    acc = zeros(f32, [16, 128])\n"
        "    for n in 0 .. cdiv(N, 64) {\n"
        "        p = mma(a, trans(load(k, [n, 0], [64, 128])), zeros(f32, [16, 64]))\n"
        "        acc = mma(cast(p, bf16), load(v, [n, 0], [64, 128]), acc)\n"
        "    }\n"
        "    store(o, [block(0), 0], cast(acc, bf16))\n"
        "}\n";
    static const struct {
        const char *lines; // of the values
        int copies;
    } cases[] = { { "v: bf16[N, 128]", 2 * (8 + 8) }, { "v: bf16[N, D]", 2 * (8 + 1) } };

    for (size_t i = 0; i < CUC_LENGTH(cases); i++) {
        char source[sizeof(text) + 8];
        const char *values = strstr(text, "v: bf16[N, D]");
        snprintf(source, sizeof(source), "%.*s%s%s", (int)(values - text), text, cases[i].lines,
                 values + strlen("v: bf16[N, D]"));
        char *ptx = ptx_of(source, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .warps = 4));
        char *end = strstr(ptx, ".entry two$idx64");
        ck_assert(end != NULL);
        *end = 0;
        // Copies of whole tiles have a hint for L2.
        ck_assert_int_eq(testing_occurrences(ptx, "cp.async.cg.shared.global ["), cases[i].copies);
        free(ptx);
    }
}

// The address of a prefetch may depend on more than scalars: page numbers and row ids may be
// loaded, or computed from loaded values and the loop's variable. Scalars and gathered elements are
// copied to shared memory, in three places: for the stages that are filled first, while these are
// filled, and in an iteration; a scalar in two ways, with and without bounds. Each thread copies
// one of the gathered elements.
TEST_RANGE(pages_and_rows_by_ids_are_prefetched, 0, 8)
{
    static const struct {
        const char *in_loop, *operand, *expected;
        int copies; // of indices
    } cases[] = {
        { "page = pages[n]", "load(k, [page, 0, 0], [_, 64, 64])", "2 operands", 6 },
        { "page = pages[n // 2] + 1", "load(k, [page, n % 2, 0], [_, 64, 64])", "2 operands", 6 },
        { "page = pages[pages[n]]", "load(k, [page, 0, 0], [_, 64, 64])", "2 operands", 0 },
        { "ids = load(pages, [n], [64])", "load_rows(k, ids, [0, 0], [_, 64])", "2 operands", 0 },
        { "at = n * 64 + iota(i64, 64)\n        ids = gather(pages, [at // 8]) * 8 + cast(at % 8, "
          "i32)\n"
          "        s += cast(sum(ids), f32)",
          "load_rows(k, ids, [0, 0], [_, 64])", "2 operands", 3 },
        { "ids = load(pages, [n], [4])",
          "reshape(load_rows(k, ids, [n % 8, 0], [16, 64]), [64, 64])", "2 operands", 0 },
        // Threads copy 16 rows of 128 bytes at once, so a page must have a multiple of 16.
        { "ids = load(pages, [n], [8])",
          "reshape(load_rows(k, ids, [n % 8, 0], [8, 64]), [64, 64])", "1 operand of", 0 },
        // These ids are exchanged between threads, so a prefetch would need a barrier.
        { "ids = cumsum(load(pages, [n], [64]), 0)", "load_rows(k, ids, [0, 0], [_, 64])",
          "1 operand of", 0 },
    };
    char text[1024];

    snprintf(text, sizeof(text),
             "kernel k(q: bf16[M, 64], k: bf16[P, 128, 64], v: bf16[N, 64], pages: i32[R], "
             "o: bf16[M, 64])\n"
             "    grid cdiv(M, 16)\n"
             "{\n"
             "    a, s = load(q, [block(0), 0], [16, 64]), 0.0\n"
             "    acc = zeros(f32, [16, 64])\n"
             "    for n in 0 .. cdiv(N, 64) {\n"
             "        %s\n"
             "        p = mma(a, trans(%s), zeros(f32, [16, 64]))\n"
             "        acc = mma(cast(p, bf16), load(v, [n, 0], [64, 64]), acc)\n"
             "    }\n"
             "    store(o, [block(0), 0], cast(acc + s, bf16))\n"
             "}\n",
             cases[_i].in_loop, cases[_i].operand);
    cuc_program *p =
        made(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .warps = 4, .remarks = CUC_ON));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    ck_assert_msg(strstr(cuc_program_log(p), cases[_i].expected) != NULL, "%s: %s",
                  cases[_i].in_loop, cuc_program_log(p));
    cuc_program_release(p);
    char *ptx = ptx_of(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .warps = 4));
    char *end = strstr(ptx, ".entry k$idx64");
    ck_assert(end != NULL);
    *end = 0;
    ck_assert_int_eq(testing_occurrences(ptx, "cp.async.ca.shared.global"), cases[_i].copies);
    free(ptx);
}

// Ping-pong warpgroups synchronize only their own threads. Work after the product that needs shared
// memory would synchronize with the other warpgroup.
TEST_RANGE(warpgroups_alternate_even_with_loads_after_the_product, 0, 5)
{
    static const struct {
        const char *parameter, *behind;
        bool in_turns;
    } cases[] = {
        { "x: f16[N]", "load(x, [block(1)], [192])", true },
        { "x: f16[M]", "load(x, [block(0)], [128])[:, None]", true },
        { "x: f16[M, N]", "load(x, [block(0), block(1)], [128, 192])", true },
        { "x: f32[M, N]", "load(x, [block(0), block(1)], [128, 192])", true },
        { "x: f16[M, N]", "sum(load(x, [block(0), block(1)], [128, 192]), 0)", false },
    };
    char text[1024];

    snprintf(text, sizeof(text),
             "kernel product(a: f16[M, K], b: f16[N, K], c: f16[M, N], %s)\n"
             "    grid cdiv(M, 128), cdiv(N, 192)\n"
             "{\n"
             "    acc = zeros(f32, [128, 192])\n"
             "    for k in 0 .. cdiv(K, 64) {\n"
             "        acc = mma(load(a, [block(0), k], [128, 64]),\n"
             "                  trans(load(b, [block(1), k], [192, 64])), acc)\n"
             "    }\n"
             "    store(c, [block(0), block(1)], cast(acc + cast(%s, f32), f16))\n"
             "}\n",
             cases[_i].parameter, cases[_i].behind);
    cuc_program *p =
        made(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .warps = 4, .remarks = CUC_ON));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    const char *log = cuc_program_log(p);
    ck_assert_msg(strstr(log, "2 warpgroups") != NULL, "%s", log);
    ck_assert_msg((strstr(log, "2 warpgroups in ping-pong") != NULL) == cases[_i].in_turns, "%s",
                  log);
    cuc_program_release(p);
}

// Products that use multiply-add instructions report why. If that is an error, the report covers
// all kernels.
TEST(products_without_tensor_cores_get_a_remark)
{
    static const struct {
        const char *name, *dtype, *sums, *options, *why;
        int columns;
    } cases[] = {
        { "few", "f16", "f32", "", NULL, 1 }, // padded to a fragment
        { "exact", "f32", "f32", "", "f32 is exactly rounded where no precision=tf32", 16 },
        { "old", "e4m3", "f32", "", "the target's tensor cores have nothing for its dtype", 16 },
        { "fine", "f32", "f32", ", precision=tf32", NULL, 16 },
    };
    enum { CASES = CUC_LENGTH(cases) };
    char text[4096];
    size_t at = 0;
    cuc_object *object = NULL;

    for (int i = 0; i < CASES; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "kernel %s(a: %s[M, K], b: %s[K, N], c: %s[M, N]) grid 1 {\n"
                               "    store(c, [0, 0], mma(load(a, [0, 0], [32, 32]), "
                               "load(b, [0, 0], [32, %d]), zeros(%s, [32, %d])%s))\n}\n",
                               cases[i].name, cases[i].dtype, cases[i].dtype, cases[i].sums,
                               cases[i].columns, cases[i].sums, cases[i].columns, cases[i].options);
    cuc_program *p = made(text, CUC_PROGRAM_OPTIONS(.arch = "sm_80", .remarks = CUC_ON));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    cuc_program *refused = made(text, CUC_PROGRAM_OPTIONS(.arch = "sm_80", .name = "r.tile",
                                                          .require_tensor_core = CUC_ON));
    ck_fails(CUC_ERROR_COMPILE, cuc_program_compile(&object, refused, CUC_CODE_PTX), "(2 errors)");
    for (int i = 0; i < CASES; i++) {
        char remark[256], error[256];
        snprintf(remark, sizeof(remark),
                 ":%d:22: remark: mma: fused multiply-adds, not a tensor core: %s", 3 * i + 2,
                 cases[i].why ? cases[i].why : "");
        snprintf(error, sizeof(error),
                 "r.tile:%d:22: error T603: mma: expected a tensor core, as require_tensor_core "
                 "requires, got fused multiply-adds: %s",
                 3 * i + 2, cases[i].why ? cases[i].why : "");
        ck_assert_msg(!strstr(cuc_program_log(p), remark) == !cases[i].why, "%s: %s", cases[i].name,
                      cuc_program_log(p));
        ck_assert_msg(!strstr(cuc_program_log(refused), error) == !cases[i].why, "%s: %s",
                      cases[i].name, cuc_program_log(refused));
    }
    cuc_program_release(refused);
    cuc_program_release(p);
}

// Errors

TEST(all_errors_are_reported_with_their_lines)
{
    static const char wrong[] = "kernel k(x: f32[N]) {\n"
                                "    a = b + 1\n"
                                "    store(x, [0], load(x, [0, 1], [4]))\n"
                                "}\n";
    cuc_program *p = made(wrong, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .name = "wrong.tile"));
    cuc_object *object = NULL;

    for (int again = 0; again < 2; again++) { // a program can be compiled again after a failure
        ck_fails(CUC_ERROR_COMPILE, cuc_program_compile(&object, p, CUC_CODE_PTX),
                 "wrong.tile:2:9: error T501: ", "(2 errors)");
        ck_assert_ptr_null(object);
        ck_assert_str_eq(cuc_error_library_symbol(), "T501");
        const char *log = cuc_error_log();
        ck_assert_msg(strstr(log, "    a = b + 1\n") && strstr(log, "wrong.tile:3:") &&
                          strstr(log, "error T301"),
                      "%s", log);
        ck_assert_str_eq(cuc_program_log(p), log);
    }
    cuc_program_release(p);
}

static const struct {
    const char *text;
    cuc_status status;
    const char *says;
} texts[] = {
    { "", CUC_ERROR_COMPILE, "program.tile: error T008: program: expected a kernel, got none" },
    { "# nothing\n", CUC_ERROR_COMPILE, "error T008" },
    { "fn f(x) { return x }\n", CUC_ERROR_COMPILE, "error T008" },
    { "kernel", CUC_ERROR_COMPILE, "program.tile:1:" },
    { "\xff\xfe", CUC_ERROR_COMPILE, "error T001" },
};

TEST_ROWS(texts_without_a_kernel_are_refused, texts)
{
    cuc_program *p = made(texts[_i].text, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    cuc_object *object = NULL;

    ck_fails(texts[_i].status, cuc_program_compile(&object, p, CUC_CODE_PTX), texts[_i].says);
    cuc_program_release(p);
}

TEST(unsupported_targets_are_refused)
{
    cuc_program *p = made(vadd, CUC_PROGRAM_OPTIONS(.arch = "compute_90"));
    cuc_object *object = NULL;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_compile(&object, p, CUC_CODE_LTOIR),
             "CUC_CODE_LTOIR", "tile program");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_compile(&object, p, CUC_CODE_CUBIN),
             "compute_90", "sm_90");
    ck_assert_str_eq(cuc_program_backend(p), "cucore");
    ck_assert_uint_eq(cuc_program_flag_count(p, CUC_CODE_PTX), 0);
    cuc_program_release(p);
}

TEST(a_cubin_keeps_its_ptx_and_can_be_made_again)
{
    static const char *const ptxas[] = { "-v" };
    char options_text[8] = "sm_90a", name[] = "named.tile";
    cuc_program_options options = CUC_PROGRAM_OPTIONS_INIT;
    cuc_object *first, *second, *ptx;
    const char *a, *b;

    if (testing_lacks("nvJitLink"))
        return;
    options.arch = options_text;
    options.name = name;
    options.ptxas_options = ptxas;
    options.ptxas_option_count = 1;
    cuc_program *p = made(vadd, &options);
    memset(options_text, 'x', 6); // the program has its own copy, which stays valid
    memset(name, 'x', 5);
    first = compiled(p, CUC_CODE_CUBIN);
    ck_assert_msg(strstr(cuc_program_log(p), "registers") != NULL, "%s", cuc_program_log(p));
    ck_assert_str_eq(cuc_object_name(first), "named.tile");
    second = compiled(p, CUC_CODE_CUBIN);
    ptx = compiled(p, CUC_CODE_PTX);
    ck_assert_int_eq(cuc_object_kind(first), CUC_CODE_CUBIN);
    ck_ok(cuc_object_get_ptx(&a, NULL, second));
    ck_ok(cuc_object_get_ptx(&b, NULL, ptx));
    ck_assert_str_eq(a, b);
    ck_assert_uint_gt(cuc_program_compile_ns(p), 0);
    cuc_program_release(p);
    cuc_object_release(first);
    cuc_object_release(second);
    cuc_object_release(ptx);
}

// ---- Input of the compiler

TEST(the_ir_is_a_program_with_the_same_ir)
{
    cuc_program *p = made(scale, NULL), *q;
    const char *a, *b;
    size_t bytes;

    ck_ok(cuc_tile_get_ir(&a, &bytes, p));
    ck_assert_uint_eq(bytes, strlen(a));
    ck_assert_int_eq(testing_occurrences(a, "kernel "), 2);
    q = made(a, NULL);
    ck_ok(cuc_tile_get_ir(&b, NULL, q));
    ck_assert_str_eq(a, b);
    cuc_program_release(p);
    cuc_program_release(q);
}

TEST(the_machine_form_is_read_back_to_itself)
{
    cuc_program *p = made(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .warps = 4));
    const char *text = NULL, *again;
    size_t bytes;

    ck_ok(cuc_tile_get_machine(&text, &bytes, p));
    ck_assert_uint_eq(bytes, strlen(text));
    ck_assert_int_eq(testing_occurrences(text, "kernel "), 2);
    ck_assert_msg(strncmp(text, "tile 1 machine\n", 15) == 0, "%s", text);
    struct tile_module *module = tile_parse_machine("scale.machine", text, bytes);
    ck_assert_msg(module && !module->diagnostics->errors, "%s",
                  module ? tile_diagnostics_text(module, false) : "no memory");
    again = tile_print_machine(module);
    ck_assert_str_eq(again, text);
    tile_module_free(module);
    cuc_program_release(p);
}

TEST(the_machine_form_is_for_an_arch)
{
    // Tensor cores support it from sm_89.
    static const char product[] =
        "kernel k(x: e4m3[32, 32], y: e4m3[32, 32], o: f32[32, 32]) grid 1 {\n"
        "    store(o, [0, 0], load(x, [0, 0], [32, 32]) @ load(y, [0, 0], [32, 32]))\n}\n";
    const char *text[3] = { NULL, NULL, NULL };
    cuc_program *p[] = {
        made(vadd, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .warps = 1)),
        made(vadd, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .warps = 8)),
        made("kernel k(x: f32[N]) { y = z }", CUC_PROGRAM_OPTIONS(.arch = "sm_90")),
        made(product, CUC_PROGRAM_OPTIONS(.arch = "sm_80")),
        made(product, CUC_PROGRAM_OPTIONS(.arch = "sm_90")),
        made(product, NULL), // the device's architecture
    };
    cuc_device *device;
    int32_t major, minor;

    ck_ok(cuc_tile_get_machine(&text[0], NULL, p[0]));
    ck_ok(cuc_tile_get_machine(&text[1], NULL, p[1]));
    ck_assert_str_ne(text[0], text[1]);
    ck_ok(cuc_tile_get_machine(&text[0], NULL, p[3]));
    ck_ok(cuc_tile_get_machine(&text[1], NULL, p[4]));
    ck_assert_str_ne(text[0], text[1]);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_device_get_compute_capability(&major, &minor, device));
    ck_ok(cuc_tile_get_machine(&text[2], NULL, p[5]));
    ck_assert_str_eq(text[2], text[10 * major + minor >= 89]);
    text[2] = NULL;
    ck_fails(CUC_ERROR_COMPILE, cuc_tile_get_machine(&text[2], NULL, p[2]), "T501");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_get_machine(NULL, NULL, p[0]), "text is NULL");
    ck_assert_ptr_null(text[2]);
    for (size_t i = 0; i < CUC_LENGTH(p); i++)
        cuc_program_release(p[i]);
}

TEST(only_tile_programs_have_an_ir)
{
    cuc_program *cuda = NULL, *wrong = made("kernel", NULL);
    const char *ir = NULL;

    ck_ok(cuc_program_create(&cuda, CUC_SOURCE_CUDA, "", 0, CUC_PROGRAM_OPTIONS(.arch = "sm_90")));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_get_ir(&ir, NULL, cuda), "not a tile program");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_get_machine(&ir, NULL, cuda),
             "not a tile program");
    ck_fails(CUC_ERROR_COMPILE, cuc_tile_get_ir(&ir, NULL, wrong), "program.tile:1:");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_get_ir(NULL, NULL, wrong), "text is NULL");
    ck_assert_ptr_null(ir);
    cuc_program_release(cuda);
    cuc_program_release(wrong);
}

// Interpretation

static cuc_tensor on_host(const void *data, cuc_dtype dtype, int64_t n)
{
    cuc_tensor t;

    ck_ok(cuc_tensor_from_pointer(&t, (cuc_device_ptr)(uintptr_t)data, dtype, 1, &n, -1));
    return t;
}

TEST(a_kernel_is_interpreted_on_host_memory)
{
    static float a[5000], b[5000], c[5000];
    cuc_program *p = made(vadd, NULL);

    for (int i = 0; i < 5000; i++) {
        a[i] = (float)i;
        b[i] = 0.25f;
    }
    cuc_tensor t[] = { on_host(a, CUC_F32, 5000), on_host(b, CUC_F32, 5000),
                       on_host(c, CUC_F32, 5000) };
    const cuc_arg args[] = { CUC_ARG(&t[0]), CUC_ARG(&t[1]), CUC_ARG(&t[2]) };
    ck_ok(cuc_tile_interpret(p, NULL, args, 3, NULL));
    for (int i = 0; i < 5000; i++)
        ck_assert(c[i] == (float)i + 0.25f);

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_interpret(p, "vadd", args, 2, NULL),
             "vadd: expected 3 arguments, got 2");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_tile_interpret(p, "add", args, 3, NULL),
             "no kernel \"add\" in program.tile, which has vadd");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_tile_interpret(p, "vadd", args, 3, CUC_TILE_INTERPRET_OPTIONS(.grid = { 1 })),
             "options.grid is given");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_tile_interpret(p, "vadd", args, 3, CUC_TILE_INTERPRET_OPTIONS(.reserved = 1)),
             "reserved is 1");
    t[1].shape[0] = 4;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_interpret(p, "vadd", args, 3, NULL),
             "vadd: argument b: axis 0: expected 5000");
    t[1] = t[0];
    t[1].device = 0;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_interpret(p, "vadd", args, 3, NULL),
             "argument b: expected a tensor in host memory", "got one of device 0");
    t[1].flags = CUC_TENSOR_PINNED;
    ck_ok(cuc_tile_interpret(p, "vadd", args, 3, NULL));

    t[1].data = 0;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_interpret(p, "vadd", args, 3, NULL),
             "vadd: argument b: expected an address that is a multiple of 4 and not 0");
    t[1].data = t[0].data + 2;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_interpret(p, "vadd", args, 3, NULL),
             "vadd: argument b: expected an address that is a multiple of 4, got");
    t[1] = t[0];
    t[1].flags = t[2].flags = CUC_TENSOR_READ_ONLY;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_interpret(p, "vadd", args, 3, NULL),
             "vadd: argument c: the kernel writes it, but the tensor is read-only");
    t[2].flags = 0;
    ck_ok(cuc_tile_interpret(p, "vadd", args, 3, NULL));
    for (int i = 0; i < 3; i++)
        t[i].data = 0, t[i].shape[0] = 0; // no data, and none needed
    ck_ok(cuc_tile_interpret(p, "vadd", args, 3, NULL));
    cuc_program_release(p);
}

static void collect(void *user, const char *text)
{
    strncat(user, text, 255 - strlen(user));
}

TEST(an_interpreted_kernel_prints_and_asserts)
{
    float x[8] = { 0 };
    char printed[256] = "";
    cuc_program *p = made(scale, NULL);
    cuc_tensor t = on_host(x, CUC_F32, 8);
    const cuc_arg args[] = { CUC_ARG(&t) };

    ck_fails(CUC_ERROR_NOT_FOUND, cuc_tile_interpret(p, NULL, args, 1, NULL),
             "program.tile has several kernels: name one of scale, other");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_tile_interpret(p, "scales", args, 1, NULL),
             "no kernel \"scales\" in program.tile, which has scale, other");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_interpret(p, "other", args, 1, NULL),
             "other declares no grid");
    ck_ok(cuc_tile_interpret(
        p, "other", args, 1,
        CUC_TILE_INTERPRET_OPTIONS(.grid = { 2 }, .print = collect, .user = printed)));
    ck_assert_str_eq(printed, "block 0\nblock 1\n");
    for (int i = 0; i < 8; i++)
        ck_assert(x[i] == 2);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_tile_interpret(p, "other", args, 1, CUC_TILE_INTERPRET_OPTIONS(.grid = { 3 })),
             "program.tile:11:", "few blocks");
    cuc_program_release(p);
}

static int32_t stop_later(void *user)
{
    return ++*(int *)user == 2;
}

TEST(an_interpreted_kernel_ends_on_request)
{
    float x[8] = { 0 };
    int asked = 0;
    cuc_program *p = made("tile 1\n"
                          "kernel k(x: f32[N]) grid 1\n"
                          "{\n"
                          "    store(x, [0], cast(1, f32))\n"
                          "    while true {\n"
                          "    }\n"
                          "}\n",
                          NULL);
    cuc_tensor t = on_host(x, CUC_F32, 8);
    const cuc_arg args[] = { CUC_ARG(&t) };

    ck_assert_int_eq(
        cuc_tile_interpret(p, NULL, args, 1,
                           CUC_TILE_INTERPRET_OPTIONS(.stop = stop_later, .user = &asked)),
        CUC_NOT_READY);
    ck_assert_int_eq(asked, 2);
    ck_assert(x[0] == 1 && x[1] == 0); // earlier stores remain
    cuc_program_release(p);
}

// Errors that occur only at run time.
static const struct {
    const char *source, *says[2];
} unrunnable[] = {
    { "kernel k(x: f32[N]) grid 1 { store(x, [0], asm(\"foo.f32 $0, $1;\", f32, [load(x, [0], "
      "[8])])) }",
      { "program.tile:1:44: block (0, 0, 0): asm: the instructions cannot be run: ",
        "unknown instruction foo" } },
    { "kernel k(x: f32[N]) grid 1 { store(x, [0], asm(\".reg .b64 a; mov.b64 a, 64; ld.global.f32 "
      "$0, [a]; "
      "add.f32 $0, $0, $1;\", f32, [load(x, [0], [8])])) }",
      { "asm: the instructions: ", "read of 4 bytes" } },
    { "kernel k(x: f32[N]) grid 1 { store(x, [1], load(x, [0], [8], inside=true), inside=true) }",
      { "program.tile:1:30: block (0, 0, 0): store: inside=true, but it reaches element 8 of axis "
        "0, which has 8",
        "" } },
    { "kernel k(x: f32[N]) grid 1 { store(x, [0], gather(x, [iota(i32, 8) - 1], mask=iota(i32, 8) "
      "> 0, "
      "inside=true)); store(x, [0], gather(x, [iota(i32, 8) - 1], inside=true)) }",
      { "gather: inside=true, but it reaches element -1 of axis 0", "" } },
};

TEST_ROWS(errors_of_the_interpreter_have_a_location_and_a_reason, unrunnable)
{
    float x[8] = { 0 };
    if (fake_available() && strstr(unrunnable[_i].source, "asm(")) // needs the simulator
        return;
    cuc_program *p = made(unrunnable[_i].source, NULL);
    cuc_tensor t = on_host(x, CUC_F32, 8);
    const cuc_arg args[] = { CUC_ARG(&t) };

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_interpret(p, NULL, args, 1, NULL),
             unrunnable[_i].says[0], unrunnable[_i].says[1]);
    cuc_program_release(p);
}

// Does everything for the test below, without Check, whose allocations would fail too.
static cuc_status walk(cuc_stream *stream)
{
    float a[4] = { 0 };
    cuc_program *p = NULL;
    cuc_object *object = NULL;
    cuc_kernel *kernel = NULL;
    cuc_tile_entry entry = CUC_TILE_ENTRY_INIT;
    cuc_tensor t = { (cuc_device_ptr)(uintptr_t)a, CUC_F32, 1, -1, 0, { 4 }, { 1 } };
    cuc_tensor none = { 0, CUC_F32, 1, 0, 0, { 0 }, { 1 } };
    const cuc_arg args[] = { CUC_ARG(&t), CUC_ARG(&t), CUC_ARG(&t) };
    const char *ir;
    cuc_status st;

    if ((st = cuc_program_create(&p, CUC_SOURCE_TILE, vadd, 0,
                                 CUC_PROGRAM_OPTIONS(.arch = "sm_90"))) == CUC_OK &&
        (st = cuc_tile_get_ir(&ir, NULL, p)) == CUC_OK &&
        (st = cuc_tile_interpret(p, NULL, args, 3, NULL)) == CUC_OK &&
        (st = cuc_program_compile(&object, p, CUC_CODE_PTX)) == CUC_OK &&
        (st = cuc_tile_get_entry(&entry, object, "vadd", 0)) == CUC_OK &&
        (st = cuc_object_get_kernel(&kernel, object, "vadd")) == CUC_OK)
        st = CUC_LAUNCH(stream, NULL, kernel, &none, &none, &none);
    cuc_kernel_release(kernel);
    cuc_object_release(object);
    cuc_program_release(p);
    return st;
}

// Does the same for constants of auto() and for the tile size of a cuc_gemm() plan, which the
// library chooses. The program's log is empty if there is no memory for it.
static cuc_status walk_choosing(cuc_stream *stream)
{
    static const char *const dimensions[] = { "N=1000" };
    cuc_program *p = NULL;
    cuc_object *object = NULL;
    cuc_gemm_plan *plan = NULL;
    cuc_tuned_record record = CUC_TUNED_RECORD_INIT;
    cuc_status st, lost = CUC_ERROR_INTERNAL;

    if ((st = cuc_program_create(&p, CUC_SOURCE_TILE, scale, 0,
                                 CUC_PROGRAM_OPTIONS(.arch = "sm_90", .dimensions = dimensions,
                                                     .dimension_count = 1, .tuned = "",
                                                     .remarks = CUC_ON))) == CUC_OK &&
        (st = cuc_program_compile(&object, p, CUC_CODE_PTX)) == CUC_OK &&
        (st = strstr(cuc_program_log(p), "of auto() by the model") ? CUC_OK : lost) == CUC_OK &&
        (st = cuc_tile_get_record(&record, p, "scale")) == CUC_OK)
        st = cuc_gemm_plan_create(&plan, cuc_stream_device(stream),
                                  CUC_GEMM_OPTIONS(.dtype = CUC_F32, .arch = "sm_80", .tuned = "",
                                                   .m = 64, .n = 64, .k = 64));
    if (st == lost && wrap_failed)
        st = CUC_ERROR_OUT_OF_MEMORY;
    cuc_gemm_plan_release(plan);
    cuc_object_release(object);
    cuc_program_release(p);
    return st;
}

TEST_RANGE(any_failed_allocation_is_reported_and_leaves_nothing, 0, 2)
{
    cuc_stream *stream;
    cuc_device *device;
    long n = 0, live;
    cuc_status st = CUC_ERROR_OUT_OF_MEMORY;

    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    cuc_status (*const way)(cuc_stream * s) = _i ? walk_choosing : walk;
    ck_ok(way(stream)); // makes the library's permanent objects
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_create(NULL, 0, "", 0, NULL), "out");
    cuc__arena_free_spares();
    live = wrap_live;
    while (st == CUC_ERROR_OUT_OF_MEMORY) {
        wrap_failed = 0;
        wrap_fail_in = ++n;
        st = way(stream);
        wrap_fail_in = 0;
        cuc__arena_free_spares(); // so that the next compilation must allocate its chunks
        ck_assert_msg(wrap_live == live, "allocation %ld: %ld blocks are left: %s", n,
                      wrap_live - live, cuc_error_message());
        ck_assert_int_lt(n, 10000);
    }
    ck_assert_msg(st == CUC_OK && !wrap_failed, "allocation %ld gave %s: %s", n,
                  cuc_status_name(st), cuc_error_message());
    ck_assert_int_gt(n, 30);
    cuc_stream_release(stream);
}

int main(void)
{
    return run_tests("tile program");
}
