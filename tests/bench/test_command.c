// Tests cucore bench SUITE and cucore bench kernel as child processes, with cases made for these
// tests.
#include "base/array.h"
#include "../cli/child.h"
#include "documents.h"
#include "npy.h"

#include <signal.h>
#include <sys/stat.h>

// A program with suites made for these tests.
static const char *program = BENCH_PROGRAM;
static const char simulated[] = "CUCORE_DRIVER=" BENCH_SIMULATED;
static char folder[64];
static bool has_nvrtc;

static const char saxpy[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y)\n"
    "{ y[threadIdx.x] = a * x[threadIdx.x] + y[threadIdx.x]; }\n";
static const char wrong[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y)\n"
    "{ y[threadIdx.x] = a * x[threadIdx.x] + 5; }\n"
    "extern \"C\" __global__ void other(float a, const float *x, float *y)\n"
    "{ y[threadIdx.x] = a * x[threadIdx.x] + y[threadIdx.x]; }\n";

// A kernel that fails if it finds the results of an earlier launch.
static const char strict[] = "extern \"C\" __global__ void strict(float *y)\n"
                             "{ if (y[threadIdx.x] != 1) __trap(); y[threadIdx.x] = 2; }\n";

// A kernel that fails if it runs more than 16 times on the same memory, which starts with all bits
// set.
static const char often[] = "extern \"C\" __global__ void often(unsigned *y)\n"
                            "{ if (++y[threadIdx.x] > 15) __trap(); }\n";

static const char tiles[] = "kernel saxpy(a: f32, x: f32[N], y: f32[N])\n"
                            "    grid cdiv(N, 32)\n"
                            "{\n"
                            "    i = block(0)\n"
                            "    store(y, [i], a * load(x, [i], [32]) + load(y, [i], [32]))\n"
                            "}\n";

static void save(const char *path, const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
    ck_assert_int_eq(fclose(f), 0);
}

// Saves 32 numbers: first, first + step, ...
static void save_numbers(const char *path, float first, float step)
{
    char file[128 + 32 * sizeof(float)] =
        "\x93NUMPY\x01\x00\x76\x00"
        "{'descr': '<f4', 'fortran_order': False, 'shape': (32,)}";
    float numbers[32];

    memset(file + strlen("\x93NUMPY\x01") + 3 +
               strlen("{'descr': '<f4', 'fortran_order': False, 'shape': (32,)}"),
           ' ', 128 - 10 - strlen("{'descr': '<f4', 'fortran_order': False, 'shape': (32,)}"));
    file[127] = '\n';
    for (int i = 0; i < 32; i++)
        numbers[i] = first + step * (float)i;
    memcpy(file + 128, numbers, sizeof(numbers));
    save(path, file, sizeof(file));
}

// Saves one result from a GPU of that name.
static void save_results(const char *path, const char *gpu)
{
    char text[512];

    snprintf(text, sizeof(text),
             "{\"schema\": \"cucore-bench/1\", \"machine\": {\"gpu\": \"%s\"}, \"results\": ["
             "{\"suite\": \"s\", \"case\": \"c\", \"subject\": \"x\", \"mode\": \"hot\", "
             "\"median_s\": 1e-3, \"ci_low_s\": 0.999e-3, \"ci_high_s\": 1.001e-3, "
             "\"samples\": 50}], \"unfinished\": true}",
             gpu);
    save(path, text, strlen(text));
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/cucore-bench-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    save("saxpy.cu", saxpy, strlen(saxpy));
    save("wrong.cu", wrong, strlen(wrong));
    save("strict.cu", strict, strlen(strict));
    save("saxpy.tile", tiles, strlen(tiles));
    save("often.cu", often, strlen(often));
    save_results("a.json", "A");
    save_results("b.json", "B");
    save_numbers("x.npy", 0, 1);
    save_numbers("y.npy", 1, 0);
    save_numbers("right.npy", 1, 2); // the results of 2 * x + 1
    save_numbers("near.npy", 1.0001f, 2);
    child compile = { .arguments = { "compile", "saxpy.tile", "--arch", "sm_90", "--emit", "ptx",
                                     "-o", "saxpy.ptx" },
                      .environment = { "CUCORE_DRIVER=/nowhere" } };
    child_run(&compile, program);
    ck_assert_msg(compile.status == 0, "%s", compile.err);
    child_free(&compile);
    ck_assert_int_eq(mkdir("sub", 0777), 0);
    ck_assert_int_eq(symlink("x.npy", "link.npy"), 0);
}

static void remove_folder(void)
{
    char command[128];

    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void check_has(const char *what, const char *text, const char *const *fragments, int count)
{
    for (int i = 0; i < count && fragments[i]; i++)
        ck_assert_msg(strstr(text, fragments[i]) != NULL, "%s lacks \"%s\":\n%s", what,
                      fragments[i], text);
}

#define FAST "--max-seconds", "0.05", "--max-samples", "20"
#define LAUNCH "--grid", "1", "--block", "32", FAST
#define ARGS "f32:2", "in:x.npy"

enum { NVRTC = 1 };

// clang-format off
static const struct {
    const char *arguments[CHILD_ARGUMENTS];
    int status;
    unsigned needs;
    const char *out[5]; // all must appear on standard output
    const char *err[3];
    const char *environment;
    const char *same[2]; // two arrays that must be equal afterwards
} rows[] = {
    // Listings.
    { { "bench", "--list" }, .out = { "suite", "waiting  pair          3  n=1,2,4", "device   fill" } },
    { { "bench", "--list", "--quick", "waiting" }, .out = { "waiting  pair          1  n=1 " } },
    { { "bench", "--list", "--filter", "^device/" }, .out = { "fill       2  bytes=2^10,12" } },
    { { "bench", "--list", "--filter", "^device/", "--axis", "bytes=1024,4096" },
      .out = { "fill       2  bytes=1024,4096  " } },
    { { "bench", "--list", "--filter", "^device/", "--axis", "bytes=10,11,4096,2^13,14:16,131072" },
      .out = { "fill       8  bytes=2^10,11,4096,2^13,14:16,131072  " } },
    { { "bench", "--list", "--axis", "n=1:9:2", "waiting", "--filter", "pair" },
      .out = { "pair       5  n=1:9:2" } },
    // Random points.
    { { "bench", "--list", "--random", "4", "--seed", "1", "waiting" },
      .out = { "waiting  drawn       4  point=x", "waiting  few         2  point=x" } },
    { { "bench", "waiting", "--random", "30", "--seed", "7", "--filter", "drawn", FAST },
      .out = { "\nseed 7\n", "\nwaiting / drawn: the peer's time / the subject's\nsubject  peer    points  geometric mean ",
        "\ndrawn    steady      30  ", "\nlowest  mode ", "\n60 measured, 0 skipped, 0 failed" } },
    { { "bench", "waiting", "--random", "2", "--filter", "few", FAST }, // x1 and x2
      .out = { "\ndrawn    steady       2           0.707  0.525   0.750  0.500\n",
        "\nx2      cold  2.000 ms  1.000 ms           0.500\nx1      cold  1.000 ms  1.000 ms           1.000\n" },
      .err = { "repeats these points" } },
    { { "bench", "waiting", "--random", "2", "--filter", "few", "--seed", "3", FAST, "--md", "-" },
      .out = { "\nseed 3\n", "### waiting / few: the peer's time / the subject's\n\n| subject | peer " } },
    { { "bench", "waiting", "--random", "2", "--filter", "few", FAST, "--csv", "-" },
      .out = { "waiting,few,point=x1,drawn,cold,", "waiting,few,point=x2,steady,cold," },
      .err = { "repeats these points" } },
    { { "bench", "waiting", "--random", "0" }, .status = 2, .err = { "--random is '0'" } },
    { { "bench", "device", "--random", "3" }, .status = 2, .err = { "suite 'device' has no random points" } },
    // Mistakes.
    { { "bench" }, .status = 2, .err = { "a SUITE is missing", "usage: cucore bench SUITE" } },
    { { "bench", "wating" }, .status = 2, .err = { "did you mean 'waiting'?" } },
    { { "bench", "xyzzy" }, .status = 2, .err = { "unknown suite 'xyzzy'; --list has them" } },
    { { "bench", "waiting", "--mode", "warm" }, .status = 2, .err = { "--mode has 'warm'" } },
    { { "bench", "waiting", "--mode", "cold," }, .status = 2, .err = { "--mode has ''" } },
    { { "bench", "waiting", "--target", "0" }, .status = 2, .err = { "--target is '0'" } },
    { { "bench", "waiting", "--seed", "-1" }, .status = 2, .err = { "--seed is '-1'" } },
    { { "bench", "waiting", "--seed", "18446744073709551616" }, .status = 2, .err = { "below 2^64" } },
    { { "bench", "waiting", "--max-samples", "0" }, .status = 2, .err = { "--max-samples is '0'" } },
    { { "bench", "waiting", "--max-samples", "5", "--min-samples", "6" }, .status = 2,
      .err = { "--max-samples is 5, less than --min-samples, 6" } },
    { { "bench", "waiting", "--max-seconds", "x" }, .status = 2, .err = { "--max-seconds is 'x'" } },
    { { "bench", "waiting", "--json" }, .status = 2, .err = { "--json needs a value: --json FILE" } },
    { { "bench", "waiting", "--json", "" }, .status = 2, .err = { "--json names no file" } },
    { { "bench", "waiting", "--json", "a", "--md", "a" }, .status = 2,
      .err = { "two forms of the results are written to 'a'" } },
    { { "bench", "waiting", "--json", "a", "--csv", "./a" }, .status = 2,
      .err = { "two forms of the results are written to './a'" } },
    { { "bench", "waiting", "--csv", "sub/../x.npy", "--md", "x.npy" }, .status = 2,
      .err = { "two forms of the results are written to 'x.npy'" } },
    { { "bench", "waiting", "--json", "link.npy", "--md", "x.npy" }, .status = 2,
      .err = { "two forms of the results are written to 'x.npy'" } },
    { { "bench", "waiting", "--driver", "x" }, .status = 2, .err = { "auto, real and sim" } },
    { { "bench", "waiting", "--filter", "(" }, .status = 1, .err = { "(" } },
    { { "bench", "waiting", "--filter", "xyzzy" }, .status = 1, .err = { "xyzzy" } },
    { { "bench", "waiting", "--axis", "m=1" }, .status = 1, .err = { "m" } },
    { { "bench", "waiting", "--axis", "n=one" }, .status = 1, .err = { "one" } },
    { { "bench", "device", "--device", "7" }, .status = 1, .err = { "7" }, .environment = simulated },
    // Measuring.
    { { "bench", "waiting", "--filter", "pair", "--quick", FAST },
      .out = { "waiting / pair\nn  subject", "1  twice    cpu", "once   ", "SLOWER",
        "over the limit of 1.1" } },
    { { "bench", "waiting", "--filter", "pair", "--quick", FAST },
      .out = { "\n2 measured, 0 skipped, 0 failed, 1 over the limit\n", " waits/s" } },
    { { "bench", "waiting", "--filter", "pair", "--quick", "--limits", FAST }, .status = 1,
      .out = { ", 1 over the limit\n" } },
    { { "bench", "waiting", "--filter", "doubt", "--limits", FAST },
      .out = { "[0.900, 1.300]", "UNSURE", "perhaps over the limit of 1.1", ", 1 perhaps over the limit\n" } },
    { { "bench", "waiting", "--filter", "pair", "--axis", "n=7,9", FAST },
      .out = { "\n7  twice", "\n9  twice" } },
    { { "bench", "waiting", "--filter", "pair", "--mode", "cold" }, .status = 1,
      .out = { "no results" }, .err = { "no case has a mode that --mode names" } },
    // A sample limit given alone is kept, even if it conflicts with the other limit's default.
    { { "bench", "waiting", "--filter", "pair", "--quick", "--max-samples", "7" },
      .out = { "\n2 measured" } },
    { { "bench", "waiting", "--filter", "pair", "--quick", "--max-seconds", "0.05", "--min-samples", "1001" },
      .out = { "\n2 measured" } },
    { { "bench", "waiting", "--filter", "missing", FAST }, .out = { "skipped: it is not here" } },
    { { "bench", "waiting", "--filter", "wrong", FAST }, .status = 1,
      .out = { "FAILED: ", "word 7 is 1, expected 2", "0 measured, 0 skipped, 1 failed" } },
    { { "bench", "waiting", "--quick", FAST, "--md", "-" }, .status = 1,
      .out = { "### waiting / pair\n\n| n | subject | mode |" } },
    { { "bench", "waiting", "--filter", "pair", "--quick", FAST, "--csv", "-" },
      .out = { "suite,case,axes,", "waiting,pair,n=1,twice,cpu," } },
    { { "bench", "waiting", "--filter", "pair", "--quick", FAST, "--csv", "sub/x/y" }, .status = 1,
      .err = { "sub/x/y cannot be written" } }, // detected before measuring
    { { "bench", "waiting", "--filter", "pair", "--quick", FAST, "--json", "sub" }, .status = 1,
      .err = { "sub cannot be written: Is a directory" } },
    { { "bench", "waiting", "--filter", "pair", "--quick", FAST, "--json", "/dev/null" },
      .out = { "\n2 measured" } },
    { { "bench", "device", FAST }, .needs = NVRTC, .environment = simulated,
      .out = { "\nsimulated: ", "device / fill\nbytes", "1 KiB  fill     cold", "not checked" } },
    { { "bench", "device", FAST, "--md", "-", "--mode", "hot" }, .needs = NVRTC,
      .environment = simulated, .out = { "**simulated: ", "| 4 KiB | fill | hot |" } },
    // Results of another GPU, and of an unfinished run.
    { { "bench", "compare", "a.json", "a.json" },
      .out = { "warning: OLD and NEW are unfinished", "1 SAME" } },
    { { "bench", "compare", "a.json", "b.json" }, .status = 2,
      .err = { "of different GPUs (gpu is A and B)", "--force" } },
    { { "bench", "compare", "a.json", "b.json", "--force" },
      .out = { "warning: gpu A in OLD, B in NEW", "1 SAME" } },
    { { "bench", "show", "a.json" }, .out = { "A\nunfinished: the run was to measure more\n" } },
    // A user's kernel.
    { { "bench", "kernel" }, .status = 2, .err = { "a FILE and the NAME" } },
    { { "bench", "kernel", "saxpy.cu" }, .status = 2, .err = { "NAME is missing" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", "--grid", "1" }, .status = 2,
      .err = { "--block X" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, "--peer-grid", "2" }, .status = 2,
      .err = { "there is no peer" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, "f32" }, .status = 2,
      .err = { "argument 0: 'f32' is not an argument" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH }, .status = 1,
      .err = { "there is no device", "/nowhere" }, .environment = "CUCORE_DRIVER=/nowhere" },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, "--bytes", "384", "--flop", "64", ARGS,
        "inout:y.npy==right.npy" }, .needs = NVRTC, .environment = simulated,
      .out = { "\nsimulated: ", "kernel / saxpy", "saxpy.cu  cold", "saxpy.cu  hot", "FLOP/s" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, ARGS, "inout:y.npy==y.npy" }, .status = 1,
      .needs = NVRTC, .environment = simulated,
      .out = { "FAILED", "element 1 is 3, expected 1; 31 of 32 differ" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, ARGS, "inout:y.npy==near.npy" }, .status = 1,
      .needs = NVRTC, .environment = simulated, .out = { "FAILED", "32 of 32 differ" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, "--tolerance", "0.001", ARGS,
        "inout:y.npy==near.npy" }, .needs = NVRTC, .environment = simulated,
      .out = { "2 measured, 0 skipped, 0 failed" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, ARGS, "inout:y.npy=-" }, .needs = NVRTC,
      .environment = simulated, .out = { "not checked" } },
    // =FILE and ==FILE mean the same as in cucore run.
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, ARGS, "inout:y.npy=written.npy" },
      .needs = NVRTC, .environment = simulated, .out = { "not checked" },
      .same = { "written.npy", "right.npy" } },
    { { "run", "saxpy.cu", "--kernel", "saxpy", "--grid", "1", "--block", "32", ARGS,
        "inout:y.npy==right.npy" }, .needs = NVRTC, .environment = simulated,
      .out = { "equal to right.npy" } },
    { { "run", "saxpy.cu", "--kernel", "saxpy", "--grid", "1", "--block", "32", ARGS,
        "inout:y.npy==near.npy" }, .status = 1, .needs = NVRTC, .environment = simulated,
      .err = { "32 of 32 differ" } },
    { { "run", "saxpy.cu", "--kernel", "saxpy", "--grid", "1", "--block", "32", "--tolerance",
        "0.001", ARGS, "inout:y.npy==near.npy" }, .needs = NVRTC, .environment = simulated,
      .out = { "equal to near.npy" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, ARGS, "inout:y.npy=x", "out:f32[1]=x" },
      .status = 2, .err = { "are written to one file" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, ARGS, "inout:y.npy==missing.npy" },
      .status = 1, .needs = NVRTC, .environment = simulated, .err = { "missing.npy cannot be" } },
    { { "bench", "kernel", "wrong.cu", "saxpy", "--peer", "saxpy.cu", LAUNCH, ARGS,
        "inout:y.npy=-" }, .status = 1, .needs = NVRTC, .environment = simulated,
      .out = { "FAILED", "element 0 is 5, expected 1", "saxpy.cu  cold" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", "--peer", "wrong.cu", "--peer-kernel", "other",
        LAUNCH, ARGS, "inout:y.npy=-" }, .needs = NVRTC, .environment = simulated,
      .out = { "saxpy.cu  cold", "wrong.cu  cold", "time / peer's", "4 measured" } },
    { { "bench", "kernel", "strict.cu", "strict", LAUNCH, "inout:y.npy=-" }, .needs = NVRTC,
      .environment = simulated, .out = { "2 measured, 0 skipped, 0 failed" } },
    { { "bench", "kernel", "strict.cu", "strict", LAUNCH, "--mode", "graph", "inout:y.npy=-" },
      .needs = NVRTC, .environment = simulated, .out = { "1 measured, 0 skipped, 0 failed" } },
    // A tile program computes its own grid; the given grid and block apply to the other kernel.
    { { "bench", "kernel", "saxpy.tile", "saxpy", "--peer", "saxpy.cu", LAUNCH, ARGS,
        "inout:y.npy=-" }, .needs = NVRTC, .environment = simulated,
      .out = { "4 measured, 0 skipped, 0 failed" } },
    { { "bench", "kernel", "saxpy.tile", "saxpy", "--peer", "saxpy.cu", "--peer-grid", "1",
        "--peer-block", "32", FAST, ARGS, "inout:y.npy=-" }, .needs = NVRTC,
      .environment = simulated, .out = { "4 measured, 0 skipped, 0 failed" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", "--peer", "saxpy.tile", LAUNCH, ARGS,
        "inout:y.npy=-" }, .needs = NVRTC, .environment = simulated,
      .out = { "4 measured, 0 skipped, 0 failed" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", "--peer", "saxpy.ptx", LAUNCH, ARGS,
        "inout:y.npy=-" }, .needs = NVRTC, .environment = simulated,
      .out = { "4 measured, 0 skipped, 0 failed" } },
    { { "bench", "kernel", "saxpy.tile", "saxpy", "--peer", "saxpy.cu", FAST, ARGS,
        "inout:y.npy=-" }, .status = 2, .needs = NVRTC, .environment = simulated,
      .err = { "--peer-grid X" } },
    { { "tune", "gemm", "--shape", "16", "--dtype", "f32", "--most", "1",
        "--max-seconds", "0.02" }, .environment = simulated, .out = { "say nothing about a GPU", " us simulated " } },
    // Arrays without a file are the same for both kernels.
    { { "bench", "kernel", "saxpy.cu", "saxpy", "--peer", "saxpy.tile", LAUNCH, "f32:0.5",
        "random:f32[32]", "inout:y.npy=-" }, .needs = NVRTC, .environment = simulated,
      .out = { "4 measured, 0 skipped, 0 failed" } },
    { { "bench", "kernel", "wrong.cu", "saxpy", "--peer", "saxpy.cu", LAUNCH, "f32:0.5",
        "random:f32[32]", "inout:y.npy=-" }, .status = 1, .needs = NVRTC, .environment = simulated,
      .out = { "32 of 32 differ" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, "f32:2", "random:f32" }, .status = 2,
      .err = { "argument 1: 'random:f32' is not a random array, such as random:f32[64,32]" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, "f32:2", "random:f32[4]=x" }, .status = 2,
      .err = { "argument 1: 'random:f32[4]=x' is not a random array" } },
    // Runs about 23 times, alternating between two sets.
    { { "bench", "kernel", "often.cu", "often", LAUNCH, "--mode", "cold", "out:u32[32]=-" },
      .needs = NVRTC, .environment = simulated, .out = { "1 measured, 0 skipped, 0 failed" } },
    // The peer is checked too, from the same initial state.
    { { "bench", "kernel", "often.cu", "often", "--peer", "often.cu", LAUNCH, "--mode", "cold",
        "out:u32[32]=-" }, .needs = NVRTC, .environment = simulated,
      .out = { "2 measured, 0 skipped, 0 failed" } },
    { { "bench", "kernel", "saxpy.cu", "nope", LAUNCH, ARGS, "inout:y.npy=-" }, .status = 1,
      .needs = NVRTC, .environment = simulated, .err = { "nope" } },
    { { "bench", "kernel", "saxpy.cu", "saxpy", LAUNCH, "f32:2" }, .status = 1, .needs = NVRTC,
      .environment = simulated, .out = { "FAILED", "expected 3 arguments, got 1" } },
};
// clang-format on

// Compares the elements of two .npy files; their headers may be formatted differently.
static void check_same(const char *path, const char *other)
{
    const char *paths[] = { path, other };
    npy_header h[2];
    void *file[2];
    size_t bytes;
    cli_why why;

    for (int i = 0; i < 2; i++)
        ck_assert_msg(cli_read_file(&file[i], &bytes, paths[i], &why) &&
                          npy_parse(&h[i], file[i], bytes, paths[i], &why),
                      "%s", why.text);
    ck_assert_uint_eq(h[0].bytes, h[1].bytes);
    ck_assert_mem_eq((char *)file[0] + h[0].data_offset, (char *)file[1] + h[1].data_offset,
                     h[0].bytes);
    free(file[0]);
    free(file[1]);
}

CASE("bench command", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST_ROWS(each_row_has_its_exit_status_and_output, rows)
{
    child c = { .environment = { rows[_i].environment ? rows[_i].environment
                                                      : "CUCORE_DRIVER=/nowhere" } };

    if (rows[_i].needs && !has_nvrtc)
        return;
    memcpy(c.arguments, rows[_i].arguments, sizeof(c.arguments));
    child_run(&c, program);
    ck_assert_msg(c.status == rows[_i].status, "row %d: exit status %d\n%s%s", _i, c.status, c.out,
                  c.err);
    check_has("standard output", c.out, rows[_i].out, 5);
    check_has("standard error", c.err, rows[_i].err, 3);
    if (!rows[_i].out[0])
        ck_assert_msg(!c.out_bytes, "standard output has:\n%s", c.out);
    if (rows[_i].same[0])
        check_same(rows[_i].same[0], rows[_i].same[1]);
    ck_assert_msg(!strchr(c.err, '\r'), "there is no terminal for progress:\n%s", c.err);
    child_free(&c);
}

// All requested formats have the same results and the command that produced them.
TEST(all_result_formats_agree)
{
    child c = { .arguments = { "bench", "waiting", "--filter", "p(a|x)ir", "--quick", FAST,
                               "--samples", "--commit", "it's", "--seed", "0x10", "--json",
                               "a.json", "--csv", "a.csv", "--md", "a.md" },
                .environment = { "CUCORE_DRIVER=/nowhere" } };
    results r;
    cli_why why;

    child_run(&c, program);
    ck_assert_msg(c.status == 0, "%s", c.err);
    ck_assert_msg(results_read(&r, "a.json", &why), "%s", why.text);
    ck_assert_uint_eq(r.count, 2);
    ck_assert(!r.unfinished);
    ck_assert_str_eq(results_text(&r, "command"),
                     "cucore bench waiting --filter 'p(a|x)ir' --quick --max-seconds 0.05 "
                     "--max-samples 20 --samples --commit 'it'\\''s' --seed 0x10 --json a.json "
                     "--csv a.csv --md a.md");
    ck_assert_str_eq(results_text(&r, "commit"), "it's");
    ck_assert_int_eq(json_is_true(results_at(r.root, "settings.quick")), 1);
    ck_assert_uint_eq(r.list[0].raw_count, (size_t)r.list[0].samples);

    static const table_style styles[] = { TABLE_CSV, TABLE_MARKDOWN, TABLE_PLAIN };
    const char *const paths[] = { "a.csv", "a.md" };
    for (int i = 0; i < CUC_LENGTH(styles); i++) {
        char *expected = NULL;
        size_t bytes;
        void *written = NULL;
        FILE *f = open_memstream(&expected, &bytes);
        results_print(f, &r, 1, styles[i]);
        fclose(f);
        if (i < CUC_LENGTH(paths)) {
            ck_assert_msg(cli_read_file(&written, &bytes, paths[i], &why), "%s", why.text);
            ck_assert_str_eq(written, expected);
            free(written);
        } else {
            ck_assert_int_eq(strncmp(c.out, expected, strlen(expected)), 0);
        }
        free(expected);
    }
    results_release(&r);
    child_free(&c);
}

TEST(json_on_standard_output_is_the_only_output)
{
    child c = { .arguments = { "bench", "waiting", "--filter", "pair", "--quick", FAST, "--json",
                               "-" },
                .environment = { "CUCORE_DRIVER=/nowhere" } };
    results r;
    cli_why why;

    child_run(&c, program);
    json_t *root = json_loads(c.out, 0, NULL);
    ck_assert_msg(c.status == 0 && results_take(&r, root, "-", &why), "%s", c.out);
    ck_assert_uint_eq(r.count, 2);
    results_release(&r);
    child_free(&c);

    child failing = { .arguments = { "bench", "waiting", "--filter", "xyzzy", "--json", "-" },
                      .environment = { "CUCORE_DRIVER=/nowhere" } };
    child_run(&failing, program);
    root = json_loads(failing.out, 0, NULL);
    ck_assert_int_eq(failing.status, 1);
    ck_assert_msg(json_object_get(root, "error") != NULL, "%s", failing.out);
    json_decref(root);
    child_free(&failing);
}

// ---- On a terminal

// Runs with stderr on a terminal until the program ends or `words` appear, then sends the signal.
// Returns the terminal output, which the caller frees.
static char *on_terminal(const char *const *arguments, const char *words, int signal_number,
                         char **out, int *status)
{
    char *text = calloc(1, 1 << 16);
    size_t used = 0;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    int file = child_file();
    char *argv[CHILD_ARGUMENTS] = { strdup(program) };
    int n = 1;

    ck_assert_int_ge(terminal, 0);
    ck_assert_int_eq(grantpt(terminal) | unlockpt(terminal), 0);
    int slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(slave, 0);
    for (; arguments[n - 1]; n++)
        argv[n] = strdup(arguments[n - 1]);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("CUCORE_DRIVER", "/nowhere", 1);
        setenv("TERM", "xterm", 1);
        if (signal_number)
            signal(signal_number, SIG_DFL); // nohup makes its children ignore SIGHUP
        dup2(slave, STDERR_FILENO);
        dup2(file, STDOUT_FILENO);
        close(terminal);
        close(slave);
        execv(argv[0], argv);
        _exit(127);
    }
    close(slave);
    ssize_t got;
    while ((got = read(terminal, text + used, (1 << 16) - 1 - used)) > 0) {
        used += (size_t)got;
        if (words && strstr(text, words)) {
            kill(pid, signal_number);
            words = NULL;
        }
    }
    waitpid(pid, status, 0);
    size_t bytes;
    *out = child_read(file, &bytes);
    close(terminal);
    while (n)
        free(argv[--n]);
    return text;
}

TEST(a_terminal_shows_progress)
{
    static const char *const arguments[] = { "bench", "waiting",       "--filter", "pair", "--axis",
                                             "n=1,2", "--max-seconds", "0.3",      NULL };
    char *out;
    int status;
    char *text = on_terminal(arguments, NULL, 0, &out, &status);

    ck_assert_int_eq(status, 0);
    static const char *const seen[] = { "\r[1/2] waiting / pair n=1", "\r[2/2] waiting / pair n=2",
                                        " cpu: ", " samples, " };
    check_has("the terminal", text, seen, CUC_LENGTH(seen));
    // The progress line is erased at the end.
    ck_assert_msg(strlen(text) > 4 && strcmp(text + strlen(text) - 4, "\r\033[K") == 0, "%s", text);
    ck_assert_ptr_null(strchr(out, '\r'));
    free(text);
    free(out);
}

static const int endings[] = { SIGINT, SIGTERM, SIGHUP };

TEST_ROWS(an_interrupted_run_reports_its_results, endings)
{
    static const char *const arguments[] = {
        "bench",         "waiting",       "--filter", "pair",      "--axis",
        "n=1,2,3",       "--max-seconds", "5",        "--target",  "0.01",
        "--max-samples", "10000000",      "--json",   "kept.json", NULL
    };
    char *out;
    int status;
    results r;
    cli_why why;
    char *text = on_terminal(arguments, "samples", endings[_i], &out, &status);

    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %d", status);
    ck_assert_msg(strstr(text, "interrupted") != NULL, "%s", text);
    ck_assert_msg(results_read(&r, "kept.json", &why), "%s", why.text);
    ck_assert_uint_lt(r.count, 6); // it stopped before the third point
    ck_assert(r.unfinished);
    results_release(&r);
    free(text);
    free(out);
}

// A killed run keeps its measurements: there is at least the first result, and no partial file.
TEST(a_killed_run_has_written_its_results)
{
    static const char *const arguments[] = { "bench",  "waiting", "--filter",  "pair", "--axis",
                                             "n=1:60", "--json",  "kept.json", NULL };
    char *out;
    int status;
    results r;
    cli_why why;
    char *text = on_terminal(arguments, "[3/60]", SIGKILL, &out, &status);

    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %d", status);
    ck_assert_msg(results_read(&r, "kept.json", &why), "%s", why.text);
    ck_assert_uint_ge(r.count, 1);
    ck_assert(r.unfinished);
    results_release(&r);
    free(text);
    free(out);
}

int main(void)
{
    char command[2048];

    snprintf(command, sizeof(command), "'%s' find nvrtc >/dev/null 2>&1", program);
    has_nvrtc = system(command) == 0;
    if (!has_nvrtc)
        printf("skipped: what compiles: NVRTC is not found\n");
    return run_tests("bench command");
}
