#include "base/array.h"
#include "child.h"
#include "npy.h"
#include "tests.h"

#include <dirent.h>
#include <jansson.h>

// Requirements of a table row; rows whose requirements are missing are skipped.
enum { NVRTC = 1, FAKE = 2 };

static const char *program = CLI_PROGRAM;
static char fake[1024]; // "CUCORE_DRIVER=..." for the fake driver; empty if there is none
static bool has_nvrtc;

static bool can_run(unsigned needs)
{
    return (!(needs & NVRTC) || has_nvrtc) && (!(needs & FAKE) || *fake);
}

// ---- Input files of the commands

static const char saxpy_cu[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        y[i] = a * x[i] + y[i];\n"
    "}\n";

static const char axpy_cu[] = "template <typename T> __global__ void axpy(T a, const T *x, T *y)\n"
                              "{\n"
                              "    y[threadIdx.x] = a * x[threadIdx.x];\n"
                              "}\n"
                              "__global__ void plain(float *y) { y[threadIdx.x] = 1; }\n";

static const char fill_ptx[] = ".version 8.0\n"
                               ".target sm_80\n"
                               ".address_size 64\n"
                               ".visible .entry fill(.param .u64 fill_param_0,\n"
                               "                     .param .f32 fill_param_1)\n"
                               "{\n"
                               "    .reg .b64 %rd<3>;\n"
                               "    .reg .f32 %f<2>;\n"
                               "    ld.param.u64 %rd1, [fill_param_0];\n"
                               "    ld.param.f32 %f1, [fill_param_1];\n"
                               "    cvta.to.global.u64 %rd2, %rd1;\n"
                               "    st.global.f32 [%rd2], %f1;\n"
                               "    ret;\n"
                               "}\n";

static const struct {
    const char *path;
    const char *text;
} texts[] = {
    { "saxpy.cu", saxpy_cu },
    { "axpy.cu", axpy_cu },
    { "fill.ptx", fill_ptx },
    { "bad.cu", "__global__ void k(int *x)\n{\n    *x = undeclared_thing;\n}\n" },
    { "warn.cu", "extern \"C\" __global__ void k(int *x) { int unused_thing; *x = 1; }\n" },
    { "sub/quoted.cu",
      "#include \"quoted.h\"\nextern \"C\" __global__ void k(T *x) { *x = V; }\n" },
    { "sub/quoted.h", "typedef int T;\n" },
    { "empty.cu", "" },
    { "kernel.tile", "kernel k(a: f32[N]) { }\n" },
    { "note.txt", saxpy_cu },
    { "text.npy", "this is not an array\n" },
    { "junk.cubin", "\177ELF and nothing behind it" },
    { "kept.npy", "what was there before" },
    { "bench.json", "{\"schema\": \"cucore-bench/1\", \"machine\": {\"gpu\": \"ExampleGPU 1\"}, "
                    "\"results\": [{\"suite\": \"s\", \"case\": \"c\", \"subject\": \"x\", "
                    "\"mode\": \"hot\", \"median_s\": 1e-6, \"ci_low_s\": 1e-6, "
                    "\"ci_high_s\": 1e-6}]}" },
    { "slow.json", "{\"schema\": \"cucore-bench/1\", \"machine\": {\"gpu\": \"ExampleGPU 1\"}, "
                   "\"results\": [{\"suite\": \"s\", \"case\": \"c\", \"subject\": \"x\", "
                   "\"mode\": \"hot\", \"median_s\": 1.1e-6, \"ci_low_s\": 1.1e-6, "
                   "\"ci_high_s\": 1.1e-6}]}" },
};

static char folder[64];

static void save(const char *path, const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
    ck_assert_int_eq(fclose(f), 0);
}

static void save_array(const char *path, cuc_dtype dtype, const void *data, size_t bytes)
{
    int64_t shape[1] = { (int64_t)(bytes * 8 / cuc_dtype_bits(dtype)) };
    size_t header_bytes;
    char *header = npy_make_header(&header_bytes, dtype, shape, 1);
    char *file = malloc(header_bytes + bytes);

    ck_assert_ptr_nonnull(file);
    memcpy(file, header, header_bytes);
    memcpy(file + header_bytes, data, bytes);
    save(path, file, header_bytes + bytes);
    free(file);
    free(header);
}

static void make_folder(void)
{
    float x[1024];
    float y[1024];
    static const uint16_t half[8] = { 0x3F80 };

    strcpy(folder, "/tmp/cucore-cli-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(system("mkdir sub open && chmod go+w open"), 0);
    for (int i = 0; i < CUC_LENGTH(texts); i++)
        save(texts[i].path, texts[i].text, strlen(texts[i].text));
    for (int i = 0; i < 1024; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    save_array("x.npy", CUC_F32, x, sizeof(x));
    save_array("y.npy", CUC_F32, y, sizeof(y));
    save_array("half.npy", CUC_U16, half, sizeof(half));
    static const char big[] = "\x93NUMPY\x01\x00\x38\x00{'descr': '>f4', 'fortran_order': False, "
                              "'shape': (1,)}  1234";
    save("big.npy", big, sizeof(big) - 1);
}

static void remove_folder(void)
{
    char command[128];

    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static int count_files(void)
{
    DIR *dir = opendir(".");
    int n = 0;

    ck_assert_ptr_nonnull(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

// ---- The table

#define SAXPY "--kernel", "saxpy", "--grid", "4", "--block", "256"
#define SAXPY_ARGS "f32:2.0", "in:x.npy", "inout:y.npy=out.npy", "i32:1024"

// clang-format off
static const struct {
    const char *arguments[CHILD_ARGUMENTS];
    unsigned needs;
    int status;
    const char *out[4]; // all must appear on standard output
    const char *err[4]; // all must appear on standard error
    const char *environment[4];
    const char *input;
} rows[] = {
    // The program itself.
    { .status = 2, .arguments = { NULL }, .err = { "Usage: cucore COMMAND", "doctor" } },
    { .status = 0, .arguments = { "--version" }, .out = { "cucore 0.1.0\n" } },
    { .status = 0, .arguments = { "-V" }, .out = { "cucore 0.1.0\n" } },
    { .status = 0, .arguments = { "--help" },
      .out = { "Examples:\n", "Usage: cucore COMMAND", "explain" } },
    { .status = 0, .arguments = { "-h" }, .out = { "Examples:\n" } },
    { .status = 0, .arguments = { "help" }, .out = { "Examples:\n" } },
    { .status = 0, .arguments = { "help", "run" },
      .out = { "Usage: cucore run", "out:TYPE[SHAPE]=OUT" } },
    { .status = 0, .arguments = { "help", "help" }, .out = { "Usage: cucore COMMAND" } },
    { .status = 2, .arguments = { "help", "rnu" },
      .err = { "unknown command 'rnu': did you mean 'run'?" } },
    { .status = 2, .arguments = { "help", "run", "x" }, .err = { "'x' is given too" } },
    { .status = 2, .arguments = { "comple" },
      .err = { "unknown command 'comple': did you mean 'compile'?" } },
    { .status = 2, .arguments = { "xyzzy" },
      .err = { "unknown command 'xyzzy'\nusage: cucore COMMAND" } },
    { .status = 2, .arguments = { "--verbose" }, .err = { "unknown option '--verbose'" } },
    { .status = 2, .arguments = { "run", "--gird", "4" },
      .err = { "'--gird': did you mean '--grid'?", "usage: cucore run FILE" } },
    { .status = 2, .arguments = { "run", "--xyzzy" }, .err = { "unknown option '--xyzzy'\n" } },
    { .status = 2, .arguments = { "run", "-x" }, .err = { "unknown option '-x'" } },
    { .status = 2, .arguments = { "run", "--grid" },
      .err = { "--grid needs a value: --grid X[,Y[,Z]]" } },
    { .status = 2, .arguments = { "info", "--json=1" }, .err = { "--json takes no value" } },

    // info and doctor
    { .status = 2, .arguments = { "info", "x" },
      .err = { "'x' is not expected", "usage: cucore info" } },
    { .status = 0, .needs = FAKE, .arguments = { "info" },
      .out = { "cucore         0.1.0", "simulated", "NVIDIA H200 (fake), sm_90", "132 SMs" } },
    { .status = 0, .arguments = { "info" },
      .out = { "driver         none: ", "devices        none: there is no driver",
        "CUCORE_DRIVER=/nowhere" },
      .environment = { "CUCORE_DRIVER=/nowhere" } },
    { .status = 0, .needs = FAKE, .arguments = { "info" },
      .out = { "devices        none: ", "CUDA_VISIBLE_DEVICES=" },
      .environment = { "FAKE_DEVICES=0", "CUDA_VISIBLE_DEVICES=" } },
    { .status = 0, .arguments = { "info" },
      .out = { "cache          off: CUCORE_CACHE is 0" },
      .environment = { "CUCORE_CACHE=0" } },
    { .status = 0, .arguments = { "info" },
      .out = { "cache          /tmp/cucore-cli-", "/none\n", "0 entries, 0 of 4096 bytes" },
      .environment = { "CUCORE_CACHE=", "CUCORE_CACHE_DIR=none", "CUCORE_CACHE_MAX_BYTES=4K" } },
    { .status = 0, .arguments = { "info" },
      .out = { "/open\n", "off: it belongs to another user, or others can write to it" },
      .environment = { "CUCORE_CACHE=", "CUCORE_CACHE_DIR=open" } },
    { .status = 2, .arguments = { "doctor", "x" }, .err = { "'x' is not expected" } },
    { .status = 0, .needs = FAKE, .arguments = { "doctor" },
      .out = { "ok    driver", "ok    devices", " 0 failed" } },
    { .status = 1, .arguments = { "doctor" },
      .out = { "fail  driver", "'/nowhere'", "fix: unset CUCORE_DRIVER" },
      .environment = { "CUCORE_DRIVER=/nowhere" } },
    { .status = 1, .needs = FAKE, .arguments = { "doctor" },
      .out = { "fail  driver", "fix: install an NVIDIA driver" },
      .environment = { "FAKE_VERSION=11040" } },
    { .status = 1, .needs = FAKE | NVRTC, .arguments = { "doctor" },
      .out = { "fail  compiler-age", "update the driver" },
      .environment = { "FAKE_VERSION=12000" } },
    { .status = 0, .needs = FAKE, .arguments = { "doctor" },
      .out = { "warn  devices", "warn  visible-devices" },
      .environment = { "FAKE_DEVICES=0", "CUDA_VISIBLE_DEVICES=" } },
    { .status = 0, .needs = FAKE, .arguments = { "doctor" },
      .out = { "warn  stubs", "warn  cuda-path", "warn  mps", "warn  launch-blocking" },
      .environment = { "LD_LIBRARY_PATH=/x/stubs", "CUDA_MPS_PIPE_DIRECTORY=/nowhere",
        "CUDA_LAUNCH_BLOCKING=1", "CUDA_PATH=/one" } },

    { .status = 0, .needs = FAKE, .arguments = { "doctor" },
      .out = { "ok    cache", "/sub, 0 entries, 0 of 1073741824 bytes" },
      .environment = { "CUCORE_CACHE=", "CUCORE_CACHE_DIR=sub" } },
    { .status = 0, .needs = FAKE, .arguments = { "doctor" },
      .out = { "ok    cache", "/sub/a/b, made when the first entry is kept" },
      .environment = { "CUCORE_CACHE=", "CUCORE_CACHE_DIR=sub/a/b" } },
    { .status = 0, .needs = FAKE, .arguments = { "doctor" },
      .out = { "warn  cache", "others can write to /tmp/", "fix: chmod go-w '/tmp/" },
      .environment = { "CUCORE_CACHE=", "CUCORE_CACHE_DIR=open" } },
    { .status = 0, .needs = FAKE, .arguments = { "doctor" },
      .out = { "warn  cache", "/axpy.cu", "Not a directory", "fix: set CUCORE_CACHE_DIR" },
      .environment = { "CUCORE_CACHE=", "CUCORE_CACHE_DIR=axpy.cu" } },

    // find
    { .status = 2, .arguments = { "find" }, .err = { "a NAME is missing", "usage: cucore find" } },
    { .status = 2, .arguments = { "find", "--all", "nvrtc" }, .err = { "--all takes no NAME" } },
    { .status = 0, .needs = NVRTC, .arguments = { "find", "nvrtc" }, .out = { "libnvrtc.so" } },
    { .status = 0, .needs = NVRTC, .arguments = { "find", "--verbose", "nvrtc" },
      .out = { "libnvrtc.so", "tried " } },
    { .status = 1, .arguments = { "find", "xyzzy" }, .err = { "\"xyzzy\"", "nvrtc" } },
    { .status = 1, .arguments = { "find", "nvrtc" }, .err = { "/nowhere.so" },
      .environment = { "CUCORE_NVRTC=/nowhere.so" } },
    { .status = 0, .arguments = { "find", "--all" }, .out = { "nvrtc ", "custabilizer " } },
    { .status = 0, .arguments = { "find", "--all", "--header" }, .out = { "cudart ", "cccl " } },

    // cache
    { .status = 0, .arguments = { "cache" },
      .out = { "folder         none", "off            CUCORE_CACHE is 0", "bytes " },
      .environment = { "CUCORE_CACHE=0" } },
    { .status = 0, .arguments = { "cache", "info", "--dir", "kernels" },
      .out = { "/kernels\n", "entries        0", "bytes          0 of 1073741824" } },
    { .status = 0, .arguments = { "cache", "list", "--dir", "kernels" } },
    { .status = 0, .arguments = { "cache", "verify", "--dir", "kernels" }, .out = { "0 damaged\n" } },
    { .status = 0, .arguments = { "cache", "clear", "--dir", "kernels" }, .out = { "0 removed\n" } },
    { .status = 1, .arguments = { "cache", "--dir", "/proc/none" },
      .err = { "/proc/none cannot be a cache" } },
    { .status = 2, .arguments = { "cache", "empty" },
      .err = { "'empty' is not expected: info, list, clear or verify", "usage: cucore cache" } },
    { .status = 2, .arguments = { "cache", "list", "all" }, .err = { "'all' is not expected" } },

    // explain
    { .status = 2, .arguments = { "explain" },
      .err = { "one CODE is expected", "usage: cucore explain" } },
    { .status = 2, .arguments = { "explain", "700", "701" }, .err = { "one CODE is expected" } },
    { .status = 2, .arguments = { "explain", "--all", "-5" }, .err = { "--all takes no CODE" } },
    { .status = 0, .arguments = { "explain", "700" },
      .out = { "CUDA_ERROR_ILLEGAL_ADDRESS (700, CUDA driver)",
        "until the process is restarted" } },
    { .status = 0, .arguments = { "explain", "illegal_address" },
      .out = { "CUDA_ERROR_ILLEGAL_ADDRESS (700" } },
    { .status = 0, .arguments = { "explain", "NVRTC_ERROR_COMPILATION" }, .out = { "(6, NVRTC)" } },
    { .status = 0, .arguments = { "explain", "T501" },
      .out = { "T501 (501, tile compiler)", "A name is not defined.", "Define it above" } },
    { .status = 0, .arguments = { "explain", "CUC_ERROR_NOT_FOUND" },
      .out = { "CUC_ERROR_NOT_FOUND (-5, cucore)" } },
    { .status = 0, .arguments = { "explain", "-5" },
      .out = { "CUC_ERROR_NOT_FOUND (-5, cucore)" } },
    { .status = 0, .arguments = { "explain", "--all" },
      .out = { "CUDA_ERROR_ILLEGAL_ADDRESS", "NVJITLINK_ERROR_", "cudaErrorMemoryAllocation",
        "CUC_ERROR_INTERNAL" } },
    { .status = 1, .arguments = { "explain", "xyzzy" }, .err = { "\"xyzzy\"" } },
    { .status = 1, .arguments = { "explain", "99999" }, .err = { "99999" } },

    // compile
    { .status = 2, .arguments = { "compile" },
      .err = { "a FILE is missing", "usage: cucore compile FILE" } },
    { .status = 2, .arguments = { "compile", "saxpy.cu", "axpy.cu" },
      .err = { "'axpy.cu' is given too" } },
    { .status = 2, .arguments = { "compile", "note.txt" }, .err = { "give its language by --lang" } },
    { .status = 2, .arguments = { "compile", "junk.cubin" }, .err = { "compiled already" } },
    { .status = 2, .arguments = { "compile", "-" }, .err = { "--lang must give the language" } },
    { .status = 2, .arguments = { "compile", "-", "--lang", "c" },
      .err = { "cu, ptx and tile are known" } },
    { .status = 2, .arguments = { "compile", "saxpy.cu", "--emit", "sass" },
      .err = { "--emit is 'sass'" } },
    { .status = 2, .arguments = { "compile", "saxpy.cu", "--arch", "hopper" },
      .err = { "'hopper' is not an architecture" } },
    { .status = 2, .arguments = { "compile", "saxpy.cu", "--arch", "sm_90x" },
      .err = { "'sm_90x' is not an architecture" } },
    { .status = 2, .arguments = { "compile", "saxpy.cu", "-D", "=1" },
      .err = { "names no macro" } },
    { .status = 2, .arguments = { "compile", "saxpy.cu", "-o", "" },
      .err = { "-o names no file" } },
    { .status = 2, .arguments = { "compile", "saxpy.cu", "-o", "saxpy.cu" },
      .err = { "written over itself" } },
    { .status = 2, .arguments = { "compile", "fill.ptx", "--emit", "ptx" },
      .err = { "written over itself" } },
    { .status = 2, .arguments = { "compile", "fill.ptx", "--emit", "ltoir" },
      .err = { "PTX compiles to a cubin" } },
    { .status = 2, .arguments = { "compile", "saxpy.cu", "--json", "-o", "-" },
      .err = { "--json: say -o OUT" } },
    { .status = 1, .arguments = { "compile", "missing.cu" },
      .err = { "missing.cu cannot be opened: No such file" } },
    { .status = 1, .arguments = { "compile", "empty.cu" }, .err = { "empty.cu is empty" } },
    { .status = 1, .arguments = { "compile", "saxpy.cu", "--arch", "sm_90" },
      .err = { "/nowhere.so" }, .environment = { "CUCORE_NVRTC=/nowhere.so" } },
    { .status = 0, .needs = NVRTC, .arguments = { "compile", "saxpy.cu", "--arch", "sm_90" },
      .out = { "saxpy.ptx: ptx for sm_90, " } },
    { .status = 0, .needs = NVRTC, .arguments = { "compile", "saxpy.cu" }, .out = { "for sm_90" },
      .err = { "no device to ask for the architecture" }, .environment = { "CUCORE_DRIVER=/nowhere" } },
    { .status = 0, .needs = NVRTC | FAKE, .arguments = { "compile", "saxpy.cu" },
      .out = { "for sm_90" } },
    { .status = 0, .needs = NVRTC,
      .arguments = { "compile", "saxpy.cu", "--arch", "sm_90", "--emit", "cubin", "-o", "k.bin" },
      .out = { "k.bin: cubin for sm_90" } },
    { .status = 0, .needs = NVRTC,
      .arguments = { "compile", "saxpy.cu", "--arch", "sm_90", "--emit", "ltoir" },
      .out = { "saxpy.ltoir: ltoir for sm_90" } },
    { .status = 0, .needs = NVRTC, .arguments = { "compile", "fill.ptx", "--arch", "sm_90" },
      .out = { "fill.cubin: cubin for sm_90" } },
    { .status = 0, .needs = NVRTC,
      .arguments = { "compile", "fill.ptx", "--arch", "sm_90", "--option", "-Xptxas=-v", "--log" },
      .out = { "fill.cubin" }, .err = { "fill" } },
    { .status = 0, .needs = NVRTC,
      .arguments = { "compile", "-", "--lang", "cu", "--arch", "sm_90" },
      .out = { ".visible .entry saxpy" }, .input = saxpy_cu },
    { .status = 0, .needs = NVRTC,
      .arguments = { "compile", "-", "--lang", "cu", "--arch", "sm_90", "-o", "k.ptx" },
      .out = { "k.ptx: ptx" }, .input = saxpy_cu },
    { .status = 1, .arguments = { "compile", "-", "--lang", "cu", "--arch", "sm_90" },
      .err = { "stdin.cu is empty" } },
    { .status = 0, .needs = NVRTC,
      .arguments = { "compile", "note.txt", "--lang", "cu", "--arch", "sm_90" },
      .out = { "note.ptx: ptx" } },
    { .status = 0, .needs = NVRTC,
      .arguments = { "compile", "sub/quoted.cu", "--arch", "sm_90", "-D", "V=3", "--std", "c++20" },
      .out = { "quoted.ptx" } },
    { .status = 1, .needs = NVRTC, .arguments = { "compile", "sub/quoted.cu", "--arch", "sm_90" },
      .err = { "\"V\" is undefined" } },
    { .status = 1, .needs = NVRTC,
      .arguments = { "compile", "sub/quoted.cu", "--arch", "sm_90", "--std", "c++77" },
      .err = { "invalid value for --std" } },
    { .status = 1, .needs = NVRTC, .arguments = { "compile", "bad.cu", "--arch", "sm_90" },
      .err = { "undeclared_thing", "bad.cu(3): error", "*x = undeclared_thing;\n           ^" } },
    { .status = 0, .needs = NVRTC, .arguments = { "compile", "warn.cu", "--arch", "sm_90" },
      .out = { "warn.ptx" }, .err = { "--log prints them" } },
    { .status = 0, .needs = NVRTC,
      .arguments = { "compile", "warn.cu", "--arch", "sm_90", "--log" },
      .out = { "warn.ptx" }, .err = { "unused_thing" } },
    { .status = 1, .needs = NVRTC,
      .arguments = { "compile", "saxpy.cu", "--arch", "sm_90", "-o", "missing/k.ptx" },
      .err = { "missing/k.ptx" } },
    { .status = 1, .needs = NVRTC, .arguments = { "compile", "saxpy.cu", "--arch", "sm_10" },
      .err = { "sm_10" } },
    { .status = 0, .needs = NVRTC,
      .arguments = { "compile", "axpy.cu", "--arch", "sm_90", "--name-expression", "axpy<float>",
        "-o", "-" },
      .out = { "_Z4axpyIfEvT_PKS0_PS0_" } },

    // bench: the commands that read results
    { .status = 0, .arguments = { "help", "bench", "show" },
      .out = { "Usage: cucore bench show FILE..." } },
    { .status = 2, .arguments = { "help", "bench", "xyzzy" }, .err = { "'xyzzy' is given too" } },
    { .status = 2, .arguments = { "bench", "show" },
      .err = { "cucore bench show: error: a FILE is missing", "usage: cucore bench show FILE" } },
    { .status = 0, .arguments = { "bench", "show", "bench.json" },
      .out = { "ExampleGPU 1", "s / c\n", "x        hot   1.000 us  +-0.00 %" } },
    { .status = 0, .arguments = { "bench", "show", "--md", "bench.json" },
      .out = { "| x | hot | 1.000 us |" } },
    { .status = 0, .arguments = { "bench", "show", "--csv", "bench.json", "slow.json" },
      .out = { "suite,case,", "\ns,c,,x,hot,", ",1e-06,", ",1.1e-06," } },
    { .status = 1, .arguments = { "bench", "show", "bench.json", "missing.json" },
      .err = { "missing.json cannot be opened" } },
    { .status = 1, .arguments = { "bench", "show", "saxpy.cu" }, .err = { "saxpy.cu is no JSON" } },
    { .status = 0, .arguments = { "bench", "compare", "bench.json", "bench.json" },
      .out = { "SAME", "1 SAME, 0 FASTER, 0 SLOWER" } },
    { .status = 1, .arguments = { "bench", "compare", "bench.json", "slow.json" },
      .out = { "1.100", "[1.100, 1.100]", "SLOWER" } },
    { .status = 0, .arguments = { "bench", "compare", "slow.json", "bench.json" },
      .out = { "0.909", "FASTER" } },
    { .status = 0,
      .arguments = { "bench", "compare", "--threshold", "20", "bench.json", "slow.json" },
      .out = { "SAME" } },
    { .status = 2, .arguments = { "bench", "compare", "--threshold", "0", "a", "b" },
      .err = { "--threshold is '0'", "usage: cucore bench compare OLD NEW" } },
    { .status = 2, .arguments = { "bench", "compare", "bench.json" }, .err = { "1 are given" } },
    { .status = 2, .arguments = { "bench", "plot" }, .err = { "a FILE is missing" } },
    { .status = 2, .arguments = { "bench", "plot", "-" }, .err = { "'-' has no name" } },
    { .status = 2, .arguments = { "bench", "plot", "--format", "pdf", "bench.json" },
      .err = { "--format is 'pdf'" } },
    { .status = 1, .arguments = { "bench", "plot", "saxpy.cu" }, .err = { "saxpy.cu is no JSON" } },
    { .status = 77, .arguments = { "bench", "plot", "bench.json" },
      .err = { "no plots: there is no python3" }, .environment = { "CUCORE_PYTHON=/nowhere" } },

    // run: usage
    { .status = 2, .arguments = { "run" },
      .err = { "a FILE is missing", "usage: cucore run FILE" } },
    { .status = 2, .arguments = { "run", "saxpy.cu" }, .err = { "--kernel NAME" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", "--kernel", "saxpy" }, .err = { "--grid X" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", "--kernel", "saxpy", "--grid", "4" },
      .err = { "--block X" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", "--grid", "0" }, .err = { "--grid is '0'" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", "--grid", "1,2,3,4" },
      .err = { "--grid is '1,2,3,4'" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", "--grid", "1," },
      .err = { "--grid is '1,'" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", "--grid", "4294967296" },
      .err = { "--grid is" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", "--block", "-1" },
      .err = { "--block is '-1'" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", "--shared", "1k" },
      .err = { "--shared is '1k'" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", "--time", "0" },
      .err = { "--time is '0'", "from 1 to 1000000" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", "--driver", "fake" },
      .err = { "auto, real and sim" } },
    { .status = 2, .arguments = { "run", "kernel.tile", SAXPY }, .err = { "has its own block" } },
    { .status = 2, .arguments = { "run", "junk.cubin", "--arch", "sm_90", SAXPY },
      .err = { "compiled already" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", SAXPY, "xyzzy" },
      .err = { "argument 0: 'xyzzy' is not an argument" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", SAXPY, "f32:2", "i32:1.5" },
      .err = { "argument 1: '1.5' is not a whole number" } },
    { .status = 2, .arguments = { "run", "saxpy.cu", SAXPY, "out:f32[1]=a", "out:f32[1]=a" },
      .err = { "written to one file" } },

    // run: failures
    { .status = 1, .needs = FAKE, .arguments = { "run", "missing.cu", SAXPY, "f32:1" },
      .err = { "missing.cu cannot be opened" } },
    { .status = 1, .arguments = { "run", "saxpy.cu", SAXPY, "in:missing.npy" },
      .err = { "missing.npy cannot be opened" } },
    { .status = 1, .arguments = { "run", "saxpy.cu", SAXPY, "in:text.npy" },
      .err = { "text.npy is no .npy file" } },
    { .status = 1, .arguments = { "run", "saxpy.cu", SAXPY, "in:big.npy" },
      .err = { "big.npy is big endian ('>f4')" } },
    { .status = 1, .arguments = { "run", "saxpy.cu", SAXPY, SAXPY_ARGS },
      .err = { "/nowhere", "works without a GPU" }, .environment = { "CUCORE_DRIVER=/nowhere" } },
    { .status = 0, .needs = NVRTC,
      .arguments = { "run", "saxpy.cu", SAXPY, "--driver", "sim", SAXPY_ARGS },
      .out = { "saxpy on NVIDIA H200 (simulated) (sm_90, simulated)" } },
    { .status = 1, .needs = FAKE | NVRTC, .arguments = { "run", "bad.cu", SAXPY, SAXPY_ARGS },
      .err = { "undeclared_thing" } },
    { .status = 1, .needs = FAKE | NVRTC,
      .arguments = { "run", "saxpy.cu", "--kernel", "nope", "--grid", "1", "--block", "1" },
      .err = { "no kernel \"nope\"", "saxpy" } },
    { .status = 1, .needs = FAKE | NVRTC,
      .arguments = { "run", "axpy.cu", "--kernel", "axpy<flot>", "--grid", "1", "--block", "1" },
      .err = { "flot" } },
    { .status = 1, .needs = FAKE | NVRTC,
      .arguments = { "run", "saxpy.cu", SAXPY, "f32:2.0", "in:x.npy" },
      .err = { "saxpy: expected 4 arguments, got 2" } },
    { .status = 1, .needs = FAKE | NVRTC,
      .arguments = { "run", "saxpy.cu", SAXPY, "f64:2.0", "in:x.npy", "inout:y.npy=out.npy",
        "i32:1" },
      .err = { "argument 0" } },
    { .status = 1, .needs = FAKE | NVRTC,
      .arguments = { "run", "saxpy.cu", SAXPY, "i32:2", "in:x.npy", "inout:y.npy=out.npy",
        "i32:1" },
      .err = { "saxpy: argument 0: expected a floating-point value of 4 bytes, got i32" } },
    { .status = 1, .needs = FAKE | NVRTC,
      .arguments = { "run", "saxpy.cu", "--kernel", "saxpy", "--grid", "1", "--block",
        "2048", SAXPY_ARGS },
      .err = { "block.x is 2048", "1024" } },
    { .status = 1, .needs = FAKE | NVRTC,
      .arguments = { "run", "saxpy.cu", SAXPY, "--shared", "1000000", SAXPY_ARGS },
      .err = { "1000000" } },
    { .status = 1, .needs = FAKE | NVRTC,
      .arguments = { "run", "saxpy.cu", SAXPY, "f32:2.0", "in:x.npy",
        "inout:y.npy=missing/out.npy", "i32:1" },
      .err = { "missing/out.npy cannot be written" } },
    { .status = 1, .needs = FAKE,
      .arguments = { "run", "fill.ptx", "--kernel", "fill", "--grid", "1", "--block", "1",
        "out:f32[4]=ok.npy", "out:f32[4]=missing/z.npy" },
      .err = { "fill: argument 1: expected" } },
    { .status = 1, .needs = FAKE, .arguments = { "run", "junk.cubin", SAXPY, SAXPY_ARGS },
      .err = { "junk.cubin" } },
    { .status = 1, .needs = FAKE,
      .arguments = { "run", "fill.ptx", "-D", "N=1", "--kernel", "fill", "--grid", "1",
        "--block", "1" },
      .err = { "PTX" } },

    // run: done
    { .status = 0, .needs = FAKE | NVRTC, .arguments = { "run", "saxpy.cu", SAXPY, SAXPY_ARGS },
      .out = { "saxpy on NVIDIA H200 (fake) (sm_90, simulated)",
        "grid 4,1,1, block 256,1,1, 4 arguments checked",
        "inout  f32[1024], from y.npy, to out.npy" } },
    { .status = 0, .needs = FAKE | NVRTC,
      .arguments = { "run", "saxpy.cu", SAXPY, "--time", "300", SAXPY_ARGS },
      .out = { "median of 300 launches: " } },
    { .status = 0, .needs = FAKE | NVRTC,
      .arguments = { "run", "saxpy.cu", SAXPY, "--driver", "auto", "--arch", "sm_80",
        "--cluster", "2,1,1", "--shared", "1024", SAXPY_ARGS },
      .out = { "cluster 2,1,1", "1024 bytes of shared memory" } },
    { .status = 0, .needs = FAKE | NVRTC,
      .arguments = { "run", "axpy.cu", "--kernel", "axpy<float>", "--grid", "1", "--block", "1",
        "f32:1", "in:x.npy", "out:f32[32,32]=z.npy" },
      .out = { "axpy<float> on", "out    f32[32,32], to z.npy; 1024 of 1024 elements" } },
    { .status = 0, .needs = FAKE | NVRTC,
      .arguments = { "run", "axpy.cu", "--kernel", "plain", "--grid", "1", "--block", "1",
        "out:f32[]=z.npy" },
      .out = { "plain on" } },
    { .status = 0, .needs = FAKE,
      .arguments = { "run", "fill.ptx", "--kernel", "fill", "--grid", "1,2,3", "--block",
        "1,2,3", "out:f32[4]=z.npy", "f32:1" },
      .out = { "grid 1,2,3, block 1,2,3, 2 arguments checked" } },
    { .status = 0, .needs = FAKE | NVRTC,
      .arguments = { "run", "fill.ptx", "--arch", "sm_90", "--kernel", "fill", "--grid", "1",
        "--block", "1", "out:f32[0]=z.npy", "f32:1" },
      .out = { "out    f32[0]" } },
    { .status = 0, .needs = FAKE,
      .arguments = { "run", "-", "--lang", "ptx", "--kernel", "fill", "--grid", "1", "--block",
        "1", "out:e4m3[2,2]=z.npy", "f32:1" },
      .out = { "4 of 4 elements" }, .input = fill_ptx },
    { .status = 0, .needs = FAKE,
      .arguments = { "run", "fill.ptx", "--kernel", "fill", "--grid", "1", "--block", "1",
        "inout:bf16:half.npy=z.npy", "f32:1" },
      .out = { "inout  bf16[8], from half.npy" } },
};
// clang-format on

static void check_has(const char *what, const char *text, const char *const *fragments)
{
    for (int i = 0; i < 4 && fragments[i]; i++)
        ck_assert_msg(strstr(text, fragments[i]) != NULL, "%s lacks \"%s\":\n%s", what,
                      fragments[i], text);
}

CASE("table", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST_ROWS(each_row_has_its_exit_status_and_output, rows)
{
    child c = { .input = rows[_i].input };
    int before = count_files();

    if (!can_run(rows[_i].needs))
        return;
    memcpy(c.arguments, rows[_i].arguments, sizeof(c.arguments));
    memcpy(c.environment, rows[_i].environment, sizeof(c.environment));
    child_run(&c, program);
    ck_assert_msg(c.status == rows[_i].status, "row %d: exit status %d\n%s%s", _i, c.status, c.out,
                  c.err);
    check_has("standard output", c.out, rows[_i].out);
    check_has("standard error", c.err, rows[_i].err);
    if (!rows[_i].out[0])
        ck_assert_msg(!c.out_bytes, "standard output has:\n%s", c.out);
    if (c.status == 2 && _i > 0)
        ck_assert_msg(strstr(c.err, "usage: cucore ") != NULL, "%s", c.err);
    if (c.status)
        ck_assert_msg(count_files() == before, "a command that failed wrote a file");
    child_free(&c);
}

// ---- Behavior beyond the table

static const struct {
    const char *command;
    const char *part; // NULL: the command itself
} commands[] = {
    { "info", NULL },      { "doctor", NULL },     { "find", NULL },    { "explain", NULL },
    { "compile", NULL },   { "build", NULL },      { "run", NULL },     { "bench", NULL },
    { "bench", "show" },   { "bench", "compare" }, { "bench", "plot" }, { "cache", NULL },
#ifdef CLI_MEASURES
    { "bench", "kernel" },
#endif
};

static char *output_of(child *c)
{
    child_run(c, program);
    ck_assert_msg(c->status == 0, "exit status %d: %s", c->status, c->err);
    free(c->err);
    return c->out;
}

CASE("apart", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST_ROWS(help_completion_and_manual_have_every_option, commands)
{
    const char *command = commands[_i].command;
    const char *part = commands[_i].part;
    char *help = output_of(&(child){ .arguments = { command, part ? part : "-h", "--help" } });
    char *again = output_of(&(child){ .arguments = { "help", command, part } });
    char *names = output_of(&(child){ .arguments = { "help", "--list", command, part } });
    void *manual = NULL;
    size_t bytes;
    cli_why why;
    int count = 0;

    ck_assert_str_eq(help, again);
    ck_assert_msg(strncmp(help, "Examples:\n  cucore ", 19) == 0, "%s", help);
    if (!cli_read_file(&manual, &bytes, CLI_MANUAL, &why))
        printf("skipped: the manual: %s\n", why.text);
    for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n"), count++) {
        char roff[128] = "";
        ck_assert_msg(strstr(help, name) != NULL, "the help of %s %s lacks %s", command,
                      part ? part : "", name);
        for (size_t i = 0, n = 0; name[i]; i++) {
            if (name[i] == '-')
                roff[n++] = '\\';
            roff[n++] = name[i];
        }
        ck_assert_msg(!manual || strstr(manual, roff), "the manual lacks %s of %s", name, command);
    }
    ck_assert_int_ge(count, 2); // --json and --help
    free(manual);
    free(help);
    free(again);
    free(names);
}

static const struct {
    const char *words; // the user is completing the last word
    const char *expected;
} completions[] = {
    { "cucore comp", "compile" },
    { "cucore help do", "doctor" },
    { "cucore build --em", "--embed" },
    { "cucore run --cl", "--cluster" },
    { "cucore compile --emit lt", "ltoir" },
    { "cucore run --driver re", "real" },
    { "cucore compile sax", "saxpy.cu" },
    { "cucore bench compa", "compare" },
#ifdef CLI_MEASURES
    { "cucore bench ru", "runtime" }, // a suite
#endif
    { "cucore bench compare --thr", "--threshold" },
    { "cucore bench plot --format pn", "png" },
    { "cucore bench show ben", "bench.json" },
};

TEST_ROWS(the_shell_completes, completions)
{
    char script[1024];
    child c = { .arguments = { "-c", script } };

    if (access("/bin/bash", X_OK) != 0 || access(CLI_COMPLETION, R_OK) != 0) {
        printf("skipped: no bash or no %s\n", CLI_COMPLETION);
        return;
    }
    snprintf(script, sizeof(script),
             "source %s; COMP_WORDS=(%s); COMP_WORDS[0]=%s; COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
             "_cucore; echo \"${COMPREPLY[@]}\"",
             CLI_COMPLETION, completions[_i].words, program);
    child_run(&c, "/bin/bash");
    ck_assert_msg(c.status == 0 && !*c.err, "%s", c.err);
    c.out[strcspn(c.out, "\n")] = '\0';
    ck_assert_str_eq(c.out, completions[_i].expected);
    child_free(&c);
}

static json_t *document_of(child *c, bool ok)
{
    json_error_t error;

    child_run(c, program);
    json_t *document = json_loadb(c->out, c->out_bytes, 0, &error);
    ck_assert_msg(document != NULL, "no JSON: %s\n%s\n%s", error.text, c->out, c->err);
    ck_assert_int_eq(json_integer_value(json_object_get(document, "schema")), 1);
    const char *command = json_string_value(json_object_get(document, "command"));
    ck_assert_int_eq(strncmp(command, c->arguments[0], strlen(c->arguments[0])), 0);
    ck_assert_msg(json_is_true(json_object_get(document, "ok")) == ok, "%s", c->out);
    ck_assert_int_eq(c->status, ok ? 0 : 1);
    child_free(c);
    return document;
}

TEST(json_has_a_schema_and_names_the_command)
{
    static const struct {
        const char *arguments[8];
        bool ok;
        const char *key;
    } documents[] = {
        { { "info", "--json" }, true, "driver" },
        { { "find", "--json", "--all" }, true, "libraries" },
        { { "find", "--json", "--header", "--all" }, true, "headers" },
        { { "find", "--json", "xyzzy" }, false, "libraries" },
        { { "cache", "--json", "--dir", "kernels" }, true, "max_bytes" },
        { { "cache", "list", "--json", "--dir", "kernels" }, true, "entries" },
        { { "cache", "clear", "--json", "--dir", "kernels" }, true, "removed" },
        { { "cache", "verify", "--json", "--dir", "kernels" }, true, "damaged" },
        { { "explain", "--json", "700" }, true, "remedy" },
        { { "explain", "--json", "--all" }, true, "explanations" },
        { { "explain", "--json", "xyzzy" }, false, "error" },
        { { "compile", "--json", "missing.cu" }, false, "error" },
        { { "build", "--json", "missing.cu", "--arch", "sm_80" }, false, "error" },
        { { "bench", "compare", "--json", "bench.json", "bench.json" }, true, "counts" },
        { { "bench", "compare", "--json", "bench.json", "slow.json" }, false, "results" },
        { { "run", "--json", "x.cu", "--kernel", "k", "--grid=1", "--block=1", "in:no" },
          false,
          "error" },
    };

    for (int i = 0; i < CUC_LENGTH(documents); i++) {
        child c = { 0 };
        memcpy(c.arguments, documents[i].arguments, sizeof(documents[i].arguments));
        json_t *document = document_of(&c, documents[i].ok);
        ck_assert_msg(json_object_get(document, documents[i].key) != NULL, "document %d", i);
        json_decref(document);
    }
}

TEST(a_failure_in_json_has_the_log)
{
    if (!can_run(NVRTC))
        return;
    json_t *document = document_of(
        &(child){ .arguments = { "compile", "bad.cu", "--arch", "sm_90", "--json" } }, false);
    json_t *error = json_object_get(document, "error");

    ck_assert_str_eq(json_string_value(json_object_get(error, "status")), "CUC_ERROR_COMPILE");
    ck_assert_ptr_nonnull(
        strstr(json_string_value(json_object_get(error, "log")), "undeclared_thing"));
    json_decref(document);
}

TEST(info_has_every_attribute_of_each_device)
{
    if (!can_run(FAKE))
        return;
    json_t *document = document_of(&(child){ .arguments = { "info", "--json" } }, true);
    json_t *devices = json_object_get(document, "devices");

    ck_assert_uint_eq(json_array_size(devices), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *attributes = json_object_get(json_array_get(devices, i), "attributes");
        ck_assert_uint_eq(json_object_size(attributes), 143);
        ck_assert_int_eq(json_integer_value(json_object_get(attributes, "max_threads_per_block")),
                         1024);
    }
    json_decref(document);
}

TEST(info_has_the_cache)
{
    json_t *document = document_of(
        &(child){ .arguments = { "info", "--json" },
                  .environment = { "CUCORE_CACHE=", "CUCORE_CACHE_DIR=/nowhere/kernels" } },
        true);
    json_t *cache = json_object_get(document, "cache");

    ck_assert_str_eq(json_string_value(json_object_get(cache, "folder")), "/nowhere/kernels");
    ck_assert(json_is_null(json_object_get(cache, "off")));
    ck_assert_int_eq(json_integer_value(json_object_get(cache, "max_bytes")), 1 << 30);
    ck_assert_int_eq(json_integer_value(json_object_get(cache, "entries")), 0);
    json_decref(document);
}

TEST(compile_reports_kernels_and_symbols)
{
    if (!can_run(NVRTC))
        return;
    json_t *document = document_of(
        &(child){ .arguments = { "compile", "axpy.cu", "--json", "--arch", "sm_90", "--emit",
                                 "cubin", "--name-expression", "axpy<float>" } },
        true);
    json_t *names = json_object_get(document, "names");

    ck_assert_str_eq(json_string_value(json_object_get(document, "kind")), "cubin");
    ck_assert_uint_eq(json_array_size(json_object_get(document, "kernels")), 2);
    ck_assert_str_eq(json_string_value(json_object_get(names, "axpy<float>")),
                     "_Z4axpyIfEvT_PKS0_PS0_");
    ck_assert_int_eq(access("axpy.cubin", F_OK), 0);
    json_decref(document);
}

static void read_array(const char *path, npy_header *h, void *elements, size_t bytes)
{
    void *file;
    size_t file_bytes;
    cli_why why;

    ck_assert_msg(cli_read_file(&file, &file_bytes, path, &why) &&
                      npy_parse(h, file, file_bytes, path, &why),
                  "%s", why.text);
    ck_assert_uint_eq(h->bytes, bytes);
    memcpy(elements, (char *)file + h->data_offset, bytes);
    free(file);
}

// The fake driver runs no kernels, so inputs come back unchanged and outputs keep the poison value.
TEST(arrays_are_read_and_written)
{
    npy_header h;
    float y[1024];
    uint8_t z[6];
    uint16_t half[8];

    if (!can_run(FAKE))
        return;
    free(output_of(&(child){ .arguments = { "run", "fill.ptx", "--kernel", "fill", "--grid", "1",
                                            "--block", "1", "inout:y.npy=out.npy", "f32:1" } }));
    read_array("out.npy", &h, y, sizeof(y));
    ck_assert_int_eq(h.dtype, CUC_F32);
    for (int i = 0; i < 1024; i++)
        ck_assert(y[i] == 1);

    free(output_of(&(child){ .arguments = { "run", "fill.ptx", "--kernel", "fill", "--grid", "1",
                                            "--block", "1", "out:e5m2[2,3]=z.npy", "f32:1" } }));
    read_array("z.npy", &h, z, sizeof(z));
    ck_assert_int_eq(h.dtype, CUC_U8);
    ck_assert_int_eq(h.rank, 2);
    ck_assert_int_eq(h.shape[0], 2);
    ck_assert_int_eq(h.shape[1], 3);
    for (size_t i = 0; i < sizeof(z); i++)
        ck_assert_int_eq(z[i], 0xFF);

    free(output_of(
        &(child){ .arguments = { "run", "fill.ptx", "--kernel", "fill", "--grid", "1", "--block",
                                 "1", "inout:bf16:half.npy=h.npy", "f32:1" } }));
    read_array("h.npy", &h, half, sizeof(half));
    ck_assert_int_eq(h.dtype, CUC_U16);
    ck_assert_int_eq(half[0], 0x3F80);
}

TEST(a_failure_leaves_the_old_output)
{
    void *data;
    size_t bytes;
    cli_why why;
    child c = { .arguments = { "run", "fill.ptx", "--kernel", "fill", "--grid", "1", "--block", "1",
                               "out:f32[4]=kept.npy", "i32:1" } };

    if (!can_run(FAKE))
        return;
    child_run(&c, program); // the type of the second argument is wrong
    ck_assert_int_eq(c.status, 1);
    child_free(&c);

    // The second file cannot be written, so the first must not appear either.
    child two = { .arguments = { "run", "-", "--lang", "ptx", "--kernel", "two", "--grid", "1",
                                 "--block", "1", "out:f32[4]=kept.npy", "out:f32[4]=missing/z" },
                  .input = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry two(.param .u64 two_param_0, .param .u64 two_param_1)\n"
                           "{\n    ret;\n}\n" };
    int before = count_files();
    child_run(&two, program);
    ck_assert_int_eq(two.status, 1);
    ck_assert_ptr_nonnull(strstr(two.err, "missing/z cannot be written"));
    ck_assert_int_eq(count_files(), before);
    child_free(&two);

    ck_assert(cli_read_file(&data, &bytes, "kept.npy", &why));
    ck_assert_str_eq(data, "what was there before");
    free(data);
}

TEST(output_that_cannot_be_written_is_a_failure)
{
    child c = { .arguments = { "explain", "--all" }, .output = "/dev/full" };

    child_run(&c, program);
    ck_assert_int_eq(c.status, 1);
    ck_assert_msg(strstr(c.err, "cannot be written") != NULL, "%s", c.err);
    child_free(&c);
}

TEST(driver_real_overrides_the_environment)
{
    child c = { .arguments = { "run", "fill.ptx", "--driver", "real", "--kernel", "fill", "--grid",
                               "1", "--block", "1", "out:f32[4]=z.npy", "f32:1" },
                .environment = { "CUCORE_DRIVER=/nowhere" } };

    child_run(&c, program); // on a machine with a GPU, the GPU runs it
    ck_assert_msg(c.status == 0 || strstr(c.err, "libcuda.so.1"), "%s", c.err);
    ck_assert_msg(!strstr(c.err, "/nowhere"), "%s", c.err);
    child_free(&c);
}

// Without --driver and without a GPU, the kernel is simulated, and the output says so.
TEST(auto_uses_the_simulated_driver_without_a_device)
{
    npy_header h;
    float y[1024];
    child c = { .arguments = { "run", "saxpy.cu", SAXPY, SAXPY_ARGS },
                .environment = { "CUCORE_DRIVER=" } };

    if (!has_nvrtc)
        return;
    child_run(&c, program);
    ck_assert_msg(c.status == 0, "%s", c.err);
    ck_assert_msg(!strstr(c.out, "simulated") == !strstr(c.err, "simulated driver"), "%s%s", c.out,
                  c.err);
    read_array("out.npy", &h, y, sizeof(y));
    child_free(&c);
}

// Checks the computed numbers on a GPU.
TEST(saxpy_computes)
{
    npy_header h;
    float y[1024];
    child probe = { .arguments = { "info", "--json" } };

    child_run(&probe, program);
    bool device = strstr(probe.out, "\"ordinal\": 0") != NULL;
    child_free(&probe);
    if (*fake || !device || !has_nvrtc) {
        printf("skipped: no device that runs kernels, or no NVRTC\n");
        return;
    }
    char *out =
        output_of(&(child){ .arguments = { "run", "saxpy.cu", SAXPY, "--time", "20", "f32:2.0",
                                           "in:x.npy", "inout:y.npy=out.npy", "i32:1023" } });
    printf("%s", out);
    free(out);
    read_array("out.npy", &h, y, sizeof(y));
    for (int i = 0; i < 1023; i++)
        ck_assert_msg(y[i] == 2 * (float)i + 1, "y[%d] is %g", i, (double)y[i]);
    ck_assert(y[1023] == 1);
}

static void find_out(void)
{
    const char *driver = getenv("CUCORE_DRIVER");
    char command[2048];

    if (getenv("CUCORE_CLI"))
        program = getenv("CUCORE_CLI");
    if (driver && strstr(driver, "fake_driver"))
        snprintf(fake, sizeof(fake), "CUCORE_DRIVER=%s", driver);
    snprintf(command, sizeof(command), "'%s' find nvrtc >/dev/null 2>&1", program);
    has_nvrtc = system(command) == 0;
    if (!has_nvrtc)
        printf("skipped: what compiles: NVRTC is not found\n");
    if (!*fake)
        printf("skipped: what tells the driver what to be: CUCORE_DRIVER is not the fake one\n");
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("NO_COLOR");
}

int main(void)
{
    find_out();
    return run_tests("cli");
}
