// Tests loading fat binaries with the simulated driver: nvcc's (tests/data/fatbin), and damaged
// ones. Each test runs in its own process.
#include "base/array.h"
#include "driver_symbols.h"
#include "tests.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static char data[1 << 16];
static size_t bytes;

static void read_file(const char *name)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s.fatbin", FATBINS, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    bytes = fread(data, 1, sizeof(data), file);
    fclose(file);
}

static const struct {
    const char *file, *arch;
    CUresult code;
    const char *log; // text in the message; NULL: any message
} files[] = {
    { "none", "sm_90", CUDA_SUCCESS, NULL },
    { "lz4", "sm_90", CUDA_SUCCESS, NULL },
    { "lz4_large", "sm_80", CUDA_SUCCESS, NULL },
    { "zstd", "sm_90", CUDA_SUCCESS, NULL },
    { "zstd_large", "sm_100", CUDA_SUCCESS, NULL },
    { "many", "sm_80", CUDA_SUCCESS, NULL },
    { "many", "sm_100", CUDA_SUCCESS, NULL },
    { "rdc", "sm_90", CUDA_SUCCESS, NULL },
    { "sm_90a", "sm_90", CUDA_SUCCESS, NULL },
    { "sm_90a", "sm_80", CUDA_ERROR_NO_BINARY_FOR_GPU, "runs on sm_80, only for sm_90a" },
    { "sm_90a", "sm_100", CUDA_ERROR_NO_BINARY_FOR_GPU, "runs on sm_100, only for sm_90a" },
    { "sm_100f", "sm_100", CUDA_SUCCESS, NULL },
    { "sm_100f", "sm_90", CUDA_ERROR_NO_BINARY_FOR_GPU, "only for sm_100f" },
    { "machine", "sm_80", CUDA_ERROR_NO_BINARY_FOR_GPU, "no PTX that runs on sm_80" },
    { "lto", "sm_80", CUDA_ERROR_NO_BINARY_FOR_GPU, "no PTX that runs on sm_80" },
};

static CUresult load(const void *image, CUlibrary *out, char *log, size_t log_bytes)
{
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)log_bytes };

    *log = '\0';
    return cuLibraryLoadData(out, image, options, values, 2, NULL, NULL, 0);
}

static bool without_library; // true in the process that without_libzstd() starts

static bool has_libzstd(void)
{
    return !without_library;
}

static bool lacks_libzstd(void)
{
    return without_library;
}

CASE("fatbin", .timeout = 30, .only_if = has_libzstd);

TEST_ROWS(output_of_nvcc_loads_or_is_refused_with_a_reason, files)
{
    char log[512];
    CUlibrary loaded;
    CUkernel kernel;

    setenv("CUCORE_SIM_ARCH", files[_i].arch, 1);
    start();
    read_file(files[_i].file);
    CUresult code = load(data, &loaded, log, sizeof(log));
    ck_assert_msg(code == files[_i].code, "%s: %d: %s", files[_i].file, code, log);
    if (!code)
        ck_cu(cuLibraryGetKernel(&kernel, loaded, "scale"));
    if (files[_i].log)
        ck_assert_msg(strstr(log, files[_i].log) != NULL, "%s", log);
}

TEST(relocatable_code_is_linked_from_its_ptx)
{
    CUlinkState state;
    CUmodule module;
    void *linked;
    size_t size;

    start();
    read_file("rdc");
    ck_cu(cuLinkCreate(0, NULL, NULL, &state));
    ck_cu(cuLinkAddData(state, CU_JIT_INPUT_FATBINARY, data, bytes, "rdc", 0, NULL, NULL));
    ck_cu(cuLinkComplete(state, &linked, &size));
    ck_cu(cuModuleLoadData(&module, linked));
    ck_cu(cuLinkDestroy(state));
}

// Changes of one number in "zstd", whose only entry begins at byte 16.
static const struct {
    const char *what;
    size_t at, width;
    uint64_t value;
} damages[] = {
    { "the content is longer than the file", 8, 8, 1 << 20 },
    { "the content is longer than all addresses", 8, 8, UINT64_MAX },
    { "the header is longer than the file", 6, 2, 0xffff },
    { "the header is shorter than a header", 6, 2, 0 },
    { "an entry's header is shorter than one", 16 + 4, 4, 8 },
    { "an entry's header is longer than the content", 16 + 4, 4, UINT32_MAX },
    { "an entry is longer than the content", 16 + 8, 8, 1 << 20 },
    { "an entry's length wraps to nothing", 16 + 8, 8, UINT64_MAX - 79 },
    { "the packed length is longer than the entry", 16 + 16, 4, 1 << 20 },
    { "the packed length is nothing", 16 + 16, 4, 0 },
    { "the unpacked length is nothing", 16 + 56, 8, 0 },
    { "the unpacked length is all memory", 16 + 56, 8, UINT64_MAX },
    { "the unpacked length is too short", 16 + 56, 8, 16 },
    { "the unpacked length is too long", 16 + 56, 8, 1 << 20 },
    { "the packing is another one", 16 + 40, 8, 0x2011 },
    { "two packings are named", 16 + 40, 8, 0xa011 },
    { "the frame's content is longer than the entry says", 16 + 80 + 5, 1, 0xff },
    { "the frame's magic number is another one", 16 + 80, 4, 0 },
    { "the frame's first block is of no kind", 16 + 80 + 7, 1, 0xff },
};

TEST_ROWS(a_damaged_file_is_refused, damages)
{
    char path[] = "/tmp/cucore-fatbin-XXXXXX";
    int fd = mkstemp(path);
    CUmodule module;

    start();
    read_file("zstd");
    for (size_t i = 0; i < damages[_i].width; i++)
        data[damages[_i].at + i] = (char)(damages[_i].value >> (8 * i));
    ck_assert(write(fd, data, bytes) == (ssize_t)bytes);
    close(fd);
    CUresult code = cuModuleLoad(&module, path);
    unlink(path);
    ck_assert_msg(code == CUDA_ERROR_INVALID_IMAGE, "%s: %d", damages[_i].what, code);
    read_file("zstd");
    ck_cu(cuModuleLoadData(&module, data)); // the driver still works
}

TEST(a_file_cut_short_anywhere_is_refused)
{
    char path[] = "/tmp/cucore-fatbin-XXXXXX";
    int fd = mkstemp(path);
    CUmodule module;

    start();
    read_file("lz4");
    ck_assert(write(fd, data, bytes) == (ssize_t)bytes);
    for (size_t left = bytes - 1; left > 0; left--) {
        ck_assert_int_eq(ftruncate(fd, (off_t)left), 0);
        ck_assert_int_ne(cuModuleLoad(&module, path), CUDA_SUCCESS);
    }
    close(fd);
    unlink(path);
}

TEST(without_libzstd)
{
    char folder[] = "/tmp/cucore-fatbin-XXXXXX", file[64], self[512], command[1024];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof(file), "%s/libzstd.so.1", folder);
    FILE *empty = fopen(file, "wb");
    ck_assert_ptr_nonnull(empty);
    fclose(empty);
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    ck_assert_int_gt(n, 0);
    self[n] = '\0';
    snprintf(command, sizeof(command), "LD_LIBRARY_PATH='%s' '%s' without-libzstd 1>&2", folder,
             self);
    int status = system(command);
    unlink(file);
    rmdir(folder);
    ck_assert_int_eq(status, 0);
}

// In this process the loader finds a libzstd.so.1 that is not a library.
CASE("fatbin", .timeout = 30, .only_if = lacks_libzstd);

TEST(entries_packed_with_zstandard_are_refused_and_the_others_load)
{
    static const struct {
        const char *file, *log;
        CUresult code;
    } rows[] = {
        { "none", "", CUDA_SUCCESS },
        { "lz4", "", CUDA_SUCCESS },
        { "zstd",
          "the fat binary's PTX for sm_80 is packed with Zstandard, and libzstd.so.1 cannot be "
          "loaded: install libzstd (libzstd1 on Debian and Ubuntu), or compile with nvcc "
          "--no-compress",
          CUDA_ERROR_SHARED_OBJECT_INIT_FAILED },
    };
    CUlibrary loaded;
    char log[512];

    start();
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        read_file(rows[i].file);
        ck_assert_int_eq(load(data, &loaded, log, sizeof(log)), rows[i].code);
        ck_assert_str_eq(log, rows[i].log);
    }
}

int main(int argc, char **argv)
{
    without_library = argc == 2 && strcmp(argv[1], "without-libzstd") == 0;
    return run_tests("fatbin");
}
