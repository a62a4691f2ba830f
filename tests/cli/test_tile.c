// Tests the cucore program on tile programs: compiling, inspecting, running on the driver that
// CUCORE_DRIVER selects, and interpreting.
#include "base/array.h"
#include "child.h"
#include "npy.h"
#include "tests.h"

#include <jansson.h>

static const char *program = CLI_PROGRAM;
static bool has_nvjitlink, simulated;
static bool real; // the driver runs kernels: a GPU's or the simulated one
#ifdef CLI_MEASURES
static const bool measures = true;
#else
static const bool measures = false; // this build's cucore tune does nothing
#endif

enum { N = 5000 };

static const struct {
    const char *path, *text;
} texts[] = {
    { "row.tile", "kernel row(a: f32[N], c: f32[N])\n    const BN = auto(64, 8192)\n"
                  "    where N <= BN grid 1 { store(c, [0], load(a, [0], [BN])) }\n" },
    { "vadd.tile", "kernel vadd(a: f32[N], b: f32[N], c: f32[N])\n"
                   "    const BN = 1024\n"
                   "    grid cdiv(N, BN)\n"
                   "{\n"
                   "    i = block(0)\n"
                   "    store(c, [i], load(a, [i], [BN]) + load(b, [i], [BN]))\n"
                   "}\n" },
    { "two.tile", "kernel one(x: i32[N]) grid 1 { store(x, [0], full(i32, [4], 1)) }\n"
                  "kernel fill(x: i32[N], v: i32) {\n"
                  "    print(\"block {}\", block(0))\n"
                  "    store(x, [block(0)], full(i32, [4], v))\n"
                  "}\n" },
    { "bad.tile", "kernel k(x: f32[N]) {\n    y = x + z\n}\n" },
    { "auto.tile", "kernel vadd(a: f32[N], b: f32[N], c: f32[N])\n"
                   "    const BN = auto(1024, 256)\n"
                   "    grid cdiv(N, BN)\n"
                   "{\n"
                   "    i = block(0)\n"
                   "    store(c, [i], load(a, [i], [BN]) + load(b, [i], [BN]))\n"
                   "}\n" },
    { "mma.tile", "kernel k(a: f32[M, N], c: f32[M, N]) {\n"
                  "    x = load(a, [0, 0], [16, 16], tma=true)\n"
                  "    store(c, [0, 0], x @ x)\n"
                  "}\n" },
    { "some.cu", "extern \"C\" __global__ void k(float *x) { *x = 1; }\n" },
};

static char folder[64];

static void save(const char *path, const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
    ck_assert_int_eq(fclose(f), 0);
}

static void save_array(const char *path, float first, float step)
{
    struct {
        char header[256];
        float x[N];
    } file;
    int64_t shape[1] = { N };
    size_t bytes;
    char *header = npy_make_header(&bytes, CUC_F32, shape, 1);
    float x[N];

    ck_assert_uint_le(bytes, sizeof(file.header));
    for (int i = 0; i < N; i++)
        x[i] = first + step * (float)i;
    memcpy(&file, header, bytes);
    memcpy((char *)&file + bytes, x, sizeof(x));
    save(path, &file, bytes + sizeof(x));
    free(header);
}

// Saves zeros, so many that copying them takes a while.
static void save_large(const char *path)
{
    int64_t shape[1] = { 1 << 23 };
    size_t bytes;
    char *header = npy_make_header(&bytes, CUC_F32, shape, 1);

    save(path, header, bytes);
    ck_assert_int_eq(truncate(path, (off_t)bytes + shape[0] * (off_t)sizeof(float)), 0);
    free(header);
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/cucore-cli-tile-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    for (int i = 0; i < CUC_LENGTH(texts); i++)
        save(texts[i].path, texts[i].text, strlen(texts[i].text));
    save_array("a.npy", 0, 1);
    save_array("b.npy", 0.5f, 2);
    save_large("large.npy");
}

static void remove_folder(void)
{
    char command[128];

    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

#define VADD "in:a.npy", "in:b.npy", "out:f32[5000]=c.npy"
#define INTERP "--driver", "interp"
enum { REAL = 1, ASSEMBLER = 2, MEASURES = 4, LACKS_BENCH = 8 };

// clang-format off
static const struct {
    const char *arguments[12];
    int status;
    unsigned needs;
    const char *out[3], *err[3]; // all must appear
    const char *input;
} rows[] = {
    // compile: usage
    { { "compile", "vadd.tile", "--emit", "ltoir" }, 2,
      .err = { "a tile program compiles to ptx and cubin, not to ltoir" } },
    { { "compile", "some.cu", "--emit", "ir" }, 2,
      .err = { "--emit ir is for tile programs, and 'some.cu' is none" } },
    { { "compile", "some.cu", "--resources" }, 2, .err = { "--resources is for tile programs" } },
    { { "compile", "vadd.tile", "--emit", "ir", "--resources" }, 2, .err = { "makes no code" } },
    { { "compile", "vadd.tile", "--emit", "ptx", "-o", "-", "--resources" }, 2,
      .err = { "--resources: say -o OUT" } },
    { { "compile", "vadd.tile", "--set", "BN" }, 2, .err = { "--set NAME=VALUE" } },
    { { "compile", "vadd.tile", "--warps", "0" }, 2, .err = { "--warps is '0'" } },
    { { "compile", "-" }, 2, .err = { "cu, ptx or tile" } },
    // compile: failures
    { { "compile", "bad.tile", "--arch", "sm_90" }, 1,
      .err = { "bad.tile:2:13: error T501", "    y = x + z", "            ^" } },
    { { "compile", "vadd.tile", "--arch", "sm_75" }, 1, .err = { "sm_75", "sm_80, 86" } },
    { { "compile", "vadd.tile", "--arch", "sm_90", "--set", "BX=1" }, 1,
      .err = { "BX=1: no kernel has that constant" } },
    { { "compile", "vadd.tile", "--arch", "sm_90", "-D", "N=1" }, 1,
      .err = { "define_macros is an option of CUDA C++" } },
    { { "compile", "some.cu", "--arch", "sm_90", "--set", "N=1" }, 1,
      .err = { "constants is an option of tile programs" } },
    { { "compile", "vadd.tile", "--arch", "sm_90", "--warps", "3" }, 1, .err = { "warps is 3" } },
    // compile: done
    { { "compile", "vadd.tile", "--arch", "sm_90" }, 0, .out = { "vadd.ptx: ptx for sm_90, " } },
    { { "compile", "vadd.tile", "--arch", "sm_90a", "--warps", "8", "--resources" }, 0,
      .out = { "idx32+aligned       256            0          -", "idx64 " } },
    { { "compile", "vadd.tile", "--arch", "sm_90a", "--emit", "cubin", "--resources", "--remarks" },
      0, ASSEMBLER, .out = { "vadd.cubin: cubin for sm_90a", "idx32+aligned        64            0" } },
    { { "compile", "vadd.tile", "--emit", "ir", "-o", "-", "--set", "BN=256" }, 0,
      .out = { "kernel vadd(a: f32[N]", "grid cdiv(N, 256)", "[256])" } },
    { { "compile", "vadd.tile", "--emit", "machine", "-o", "-", "--arch", "sm_90", "--warps", "4" }, 0,
      .out = { "tile 1 machine\n\nlayout @0 = ", " = add(%", " : f32[" } },
    { { "compile", "vadd.tile", "--emit", "machine", "--arch", "sm_90" }, 0, .out = { "vadd.machine: " } },
    { { "compile", "some.cu", "--emit", "machine" }, 2,
      .err = { "--emit machine is for tile programs, and 'some.cu' is none" } },
    { { "compile", "vadd.tile", "--emit", "ir" }, 0, .out = { "vadd.ir: " } },
    { { "compile", "-", "--lang", "tile", "--arch", "sm_90" }, 0, .out = { ".entry k$idx64(" },
      .input = "kernel k() { }\n" },
    // run: usage
    { { "run", "vadd.tile", "--block", "32", VADD }, 2, .err = { "has its own block" } },
    { { "compile", "auto.tile", "--arch", "sm_80", "--remarks", "--dim", "N=5000" }, 0,
      .err = { "of auto() by the model" } },
    { { "compile", "auto.tile", "--arch", "sm_80", "--remarks", "--set", "vadd.BN=64" }, 0,
      .err = { "blocks of 32 threads" } },
    { { "compile", "mma.tile", "--arch", "sm_90", "--require-tensor-core" }, 1,
      .err = { "error T603: mma: expected a tensor core, as require_tensor_core requires" } },
    { { "compile", "mma.tile", "--arch", "sm_90", "--require-tma", "--no-fma" }, 1,
      .err = { "error T603: load: expected a copy by TMA" } },
    { { "compile", "-", "--lang", "tile", "--arch", "sm_90", "--no-fma" }, 0, .out = { "mul.rn.f32" },
      .input = "kernel k(a: f32[N]) { x = load(a, [0], [4]); store(a, [0], x * x + x) }\n" },
    { { "compile", "auto.tile", "--dim", "N" }, 2, .err = { "'--dim N' is not an extent" } },
    { { "tune" }, 2, MEASURES, .err = { "a FILE is missing: a tile program, or gemm" } },
    { { "tune", "some.cu", "--dim", "N=4" }, 2, MEASURES,
      .err = { "'some.cu' is not a tile program" } },
    { { "tune", "auto.tile", "--most", "1", "--max-seconds", "0.02", VADD }, 0, REAL | MEASURES,
      .out = { "auto.tile", "95 % CI" }, // N is 5000
      .err = { "auto.tile: compiling 1 of ", "auto.tile: checking 1 of " } },
    { { "tune", "auto.tile", "--dim", "N=5000", "--arch", "sm_80", VADD }, 2, MEASURES,
      .err = { "leave --arch" } },
    { { "tune", "auto.tile", "--dim", "N=5000", "--most", "0", VADD }, 2, MEASURES,
      .err = { "--most is '0'" } },
    { { "tune", "gemm" }, 2, MEASURES, .err = { "say which shapes" } },
    { { "tune", "gemm", "--shape", "4x4" }, 2, MEASURES, .err = { "'--shape 4x4' is not a shape" } },
    { { "tune", "gemm", "--shape", "4", "--driver", "fast" }, 2, MEASURES,
      .err = { "--driver is 'fast': auto, real and sim are known" } },
    { { "tune", "gemm", "--shape", "64", "--driver", "sim", "--most", "1", "--max-seconds", "0.02" }, 0,
      MEASURES, .out = { "simulated" } },
    { { "tune", "gemm", "--shape", "4", "--layout", "nx" }, 2, MEASURES,
      .err = { "'--layout nx' is none" } },
    { { "tune", "gemm", "--shape", "4", "--dtype", "f17" }, 2, MEASURES,
      .err = { "'--dtype f17' is not an element type" } },
    { { "tune", "gemm", "--shape", "4", "--activation", "tanh" }, 2, MEASURES,
      .err = { "'--activation tanh' is none" } },
    { { "tune", "gemm", "--shape", "4", "x.tile" }, 2, MEASURES,
      .err = { "tune gemm takes no FILE" } },
    { { "tune", "auto.tile", "--dim", "N=5000", VADD }, 1, LACKS_BENCH,
      .err = { "this program was built without what measures (-Dbench=disabled)" } },
    { { "run", "some.cu", "--kernel", "k", "--grid", "1", "--block", "1", INTERP }, 2,
      .err = { "--driver interp runs tile programs, and 'some.cu' is none" } },
    { { "run", "vadd.tile", INTERP, "--time", "3", VADD }, 2, .err = { "no --time" } },
    { { "run", "two.tile", "out:i32[4]=c.npy" }, 2, REAL,
      .err = { "'two.tile' has 2 kernels, say which to run: --kernel NAME, one of one, fill" } },
    // run: failures
    { { "run", "vadd.tile", INTERP, "in:a.npy", "in:b.npy", "out:f32[4]=c.npy" }, 1,
      .err = { "vadd: argument c: axis 0: expected 5000, which N is by argument a, got 4" } },
    { { "run", "vadd.tile", "in:a.npy", "in:b.npy", "out:f32[4]=c.npy" }, 1, REAL,
      .err = { "vadd: argument c: axis 0: expected 5000, which N is by argument a, got 4" } },
    { { "run", "vadd.tile", "in:large.npy", "in:large.npy", "out:f32[99999999999999]=c.npy" }, 1, REAL,
      .err = { "CUDA_ERROR_OUT_OF_MEMORY" } }, // while large.npy may still be copied
    { { "run", "vadd.tile", "--grid", "5", VADD }, 1, REAL, .err = { "config.grid is given" } },
    // auto() is chosen by the shapes of the arrays, unless --dim overrides them.
    { { "run", "row.tile", "in:a.npy", "out:f32[5000]=c.npy" }, 0, REAL, .out = { "row on " } },
    { { "run", "row.tile", "--dim", "N=4", "in:a.npy", "out:f32[5000]=c.npy" }, 1, REAL,
      .err = { "where N <= BN: it does not hold: N is 5000" } },
    { { "run", "vadd.tile", "--grid", "5", INTERP, VADD }, 1, .err = { "options.grid is given" } },
    { { "run", "two.tile", "--kernel", "three", INTERP, "out:i32[4]=c.npy" }, 1,
      .err = { "no kernel \"three\"", "one, fill" } },
    { { "run", "two.tile", INTERP, "out:i32[4]=c.npy" }, 1,
      .err = { "has several kernels: name one of one, fill", "--kernel NAME" } },
    { { "run", "two.tile", "--kernel", "fill", INTERP, "out:i32[4]=c.npy", "i32:7" }, 1,
      .err = { "fill declares no grid" } },
    { { "run", "two.tile", "--kernel", "fill", INTERP, "--grid", "1", "out:i32[4]=c.npy", "f32:7" },
      1, .err = { "argument v: expected i32 of 4 bytes, got f32 of 4" } },
    { { "run", "bad.tile", INTERP, "in:a.npy" }, 1, .err = { "bad.tile:2:13: error T501" } },
    // run: done
    { { "run", "vadd.tile", INTERP, VADD }, 0,
      .out = { "vadd.tile interpreted, 3 arguments checked", "out    f32[5000], to c.npy\n" } },
    { { "run", "vadd.tile", "--set", "BN=64", "--warps", "1", VADD }, 0, REAL,
      .out = { "vadd on ", "3 arguments checked", "out    f32[5000], to c.npy\n" } },
    { { "run", "vadd.tile", "--time", "3", VADD }, 0, REAL, .out = { "median of 3 launches" },
      .err = { "vadd: a grid of ", " multiprocessors: use smaller tiles\n" } },
    { { "run", "two.tile", "--kernel", "fill", INTERP, "--grid", "2", "out:i32[8]=c.npy", "i32:7" },
      0, .out = { "block 0\nblock 1\n", "fill interpreted, grid 2,1,1" } },
    { { "run", "two.tile", "--kernel", "fill", "--grid", "2", "out:i32[12]=c.npy", "i32:7" }, 0,
      REAL, .out = { "fill on ", "4 of 12 elements are as they were poisoned" } },
    { { "run", "two.tile", "--kernel", "fill", "--grid", "2", "out:i32[8]=c.npy", "i32:-7" }, 0,
      REAL, .out = { "fill on " } },
    { { "run", "vadd.tile", INTERP, "out:f32[0]=a0.npy", "out:f32[0]=b0.npy", "out:f32[0]=c.npy" },
      0, .out = { "out    f32[0], to c.npy" } },
    { { "run", "vadd.tile", "out:f32[0]=a0.npy", "out:f32[0]=b0.npy", "out:f32[0]=c.npy" }, 0,
      REAL, .out = { "out    f32[0], to c.npy" } },
};
// clang-format on

static bool can_run(unsigned needs)
{
    return (!(needs & REAL) || real) && (!(needs & ASSEMBLER) || has_nvjitlink) &&
           (!(needs & MEASURES) || measures) && (!(needs & LACKS_BENCH) || !measures);
}

CASE("tile", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST_ROWS(each_row_has_its_exit_status_and_output, rows)
{
    child c = { .input = rows[_i].input };

    if (!can_run(rows[_i].needs))
        return;
    memcpy(c.arguments, rows[_i].arguments, sizeof(rows[_i].arguments));
    child_run(&c, program);
    ck_assert_msg(c.status == rows[_i].status, "row %d: exit status %d\n%s%s", _i, c.status, c.out,
                  c.err);
    for (int i = 0; i < 3; i++) {
        const char *out = rows[_i].out[i], *err = rows[_i].err[i];
        ck_assert_msg(!out || strstr(c.out, out), "standard output lacks \"%s\":\n%s", out, c.out);
        ck_assert_msg(!err || strstr(c.err, err), "standard error lacks \"%s\":\n%s", err, c.err);
    }
    child_free(&c);
}

static void run_command(const char *const *arguments)
{
    child c = { .input = NULL };

    for (int i = 0; arguments[i]; i++)
        c.arguments[i] = arguments[i];
    child_run(&c, program);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_free(&c);
}

// Runs the program in every way: from source, from PTX, and with its own grid.
TEST_RANGE(the_sum_is_written, 0, 3)
{
    static const char *const ways[][9] = {
        { "run", "vadd.tile", INTERP, VADD },
        { "run", "vadd.tile", VADD },
        { "run", "vadd.ptx", VADD },
    };
    void *file;
    npy_header h;
    size_t bytes;
    cli_why why;
    float c[N];

    if (_i > 0 && !real)
        return;
    run_command((const char *const[]){ "compile", "vadd.tile", "--arch", "sm_90", NULL });
    run_command(ways[_i]);
    ck_assert_msg(cli_read_file(&file, &bytes, "c.npy", &why) &&
                      npy_parse(&h, file, bytes, "c.npy", &why),
                  "%s", why.text);
    ck_assert_uint_eq(h.bytes, sizeof(c));
    memcpy(c, (char *)file + h.data_offset, sizeof(c));
    free(file);
    for (int i = 0; i < N; i++)
        ck_assert_msg(c[i] == 3 * (float)i + 0.5f, "c[%d] is %g", i, (double)c[i]);
}

static json_t *document_of(child *c)
{
    json_error_t error;

    child_run(c, program);
    json_t *document = json_loadb(c->out, c->out_bytes, 0, &error);
    ck_assert_msg(document != NULL, "no JSON: %s\n%s\n%s", error.text, c->out, c->err);
    ck_assert_int_eq(c->status, 0);
    child_free(c);
    return document;
}

TEST(json_has_kernels_and_resources)
{
    json_t *d = document_of(&(child){
        .arguments = { "compile", "two.tile", "--arch", "sm_90a", "--resources", "--json" } });
    json_t *kernels = json_object_get(d, "kernels"), *rows_of = json_object_get(d, "resources");

    ck_assert_str_eq(json_string_value(json_object_get(d, "compiler")), "cucore");
    ck_assert_uint_eq(json_array_size(kernels), 2);
    ck_assert_str_eq(json_string_value(json_array_get(kernels, 1)), "fill");
    ck_assert_uint_ge(json_array_size(rows_of), 4);
    json_t *row = json_array_get(rows_of, 0);
    ck_assert_str_eq(json_string_value(json_object_get(row, "kernel")), "one");
    ck_assert_str_eq(json_string_value(json_object_get(row, "variant")), "idx32+aligned");
    ck_assert(json_is_null(json_object_get(row, "registers"))); // PTX does not determine registers
    json_decref(d);

    d = document_of(&(child){ .arguments = { "run", "vadd.tile", INTERP, VADD, "--json" } });
    ck_assert(json_is_true(json_object_get(d, "interpreted")));
    ck_assert(json_is_null(json_object_get(d, "device")));
    ck_assert(json_is_null(json_object_get(d, "grid")));
    json_decref(d);
}

// A compilation for the device itself uses the records of cucore tune.
TEST(records_are_used_unless_an_architecture_is_given)
{
    static const struct {
        const char *arguments[10];
        bool looks;
    } cases[] = {
        { { "compile", "auto.tile", "--dim", "N=5000", "-o", "auto.ptx" }, true },
        { { "compile", "auto.tile", "--dim", "N=5000", "--arch", "sm_80", "-o", "auto.ptx" },
          false },
        { { "compile", "auto.tile", "-o", "auto.ptx" }, false },
        { { "run", "auto.tile", "--dim", "N=5000", VADD }, true },
    };

    save("wrong.tsv", "cucore-tuned 1\nonly\ttwo\n", 24);
    for (int i = 0; i < CUC_LENGTH(cases); i++) {
        child c = { .environment = { "CUCORE_TUNED=wrong.tsv" } };
        memcpy(c.arguments, cases[i].arguments, sizeof(cases[i].arguments));
        child_run(&c, program);
        ck_assert_msg(!strstr(c.err, "wrong.tsv, line 2") == !cases[i].looks, "%d: %s%s", i, c.out,
                      c.err);
        ck_assert_int_eq(c.status != 0, cases[i].looks);
        child_free(&c);
    }
}

// Only nvJitLink makes machine code, so there is no cubin without it.
TEST_RANGE(without_nvjitlink_no_cubin_is_made, 0, simulated)
{
    static const struct {
        const char *arguments[12];
        bool made;
        const char *says;
    } cases[] = {
        { { "compile", "vadd.tile", "--emit", "cubin", "-o", "out" }, false, "install nvJitLink" },
        { { "compile", "vadd.tile", "--emit", "cubin", "-o", "out", "--json" },
          false,
          "install nvJitLink" },
        { { "compile", "entry.ptx", "-o", "out" }, false, "install nvJitLink" },
        { { "compile", "entry.ptx", "--emit", "cubin", "-o", "out", "--json" },
          false,
          "install nvJitLink" },
        { { "compile", "entry.ptx", "--emit", "ptx", "-o", "out" }, true, "out: ptx for" },
        { { "compile", "vadd.tile", "--emit", "ptx", "-o", "out" }, true, "out: ptx for" },
        { { "compile", "vadd.tile", "--emit", "machine", "-o", "out" }, true, "out: " },
        { { "run", "vadd.tile", "--kernel", "vadd", "in:a.npy", "in:b.npy", "out:f32[5000]=out" },
          true,
          "vadd" },
        { { "run", "entry.ptx", "--kernel", "k", "--grid", "1", "--block", "1" }, false, "k on" },
    };
    static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry k()\n{\n    ret;\n}\n";

    save("entry.ptx", ptx, sizeof(ptx) - 1);
    for (int i = 0; i < CUC_LENGTH(cases); i++) {
        child c = { .environment = { "CUCORE_NVJITLINK=/nowhere/libnvJitLink.so" } };
        memcpy(c.arguments, cases[i].arguments, sizeof(cases[i].arguments));
        child_run(&c, program);
        ck_assert_msg((strstr(c.out, cases[i].says) || strstr(c.err, cases[i].says)) &&
                          (c.status == 0) == (cases[i].made || strcmp(c.arguments[0], "run") == 0),
                      "%d: exit status %d\n%s%s", i, c.status, c.out, c.err);
        ck_assert_msg((access("out", F_OK) == 0) == cases[i].made, "%d: a file \"out\"", i);
        unlink("out");
        child_free(&c);
    }
}

int main(void)
{
    const char *driver = getenv("CUCORE_DRIVER");
    char command[2048];

    if (getenv("CUCORE_CLI"))
        program = getenv("CUCORE_CLI");
    snprintf(command, sizeof(command), "'%s' find nvJitLink >/dev/null 2>&1", program);
    has_nvjitlink = system(command) == 0;
    real = !driver || !strstr(driver, "fake_driver");
    simulated = driver && strstr(driver, "sim");
    return run_tests("cli tile");
}
