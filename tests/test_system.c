// Tests the function tables of the toolkit libraries: versions, the behavior without a library or a
// function, and the conversion of the libraries' codes to statuses.
#include "base/array.h"
#include "driver/cudart.h"
#include "driver/nvfatbin.h"
#include "driver/nvjitlink.h"
#include "driver/nvml.h"
#include "driver/nvrtc.h"
#include "find/find.h"

#include "tiny_elf.h"
#include "testing.h"

#include <cucore/system.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT = 60 }; // in seconds, for a sanitizer on a busy machine

static char dir[64];

static const char *in_dir(const char *file)
{
    static char paths[4][128];
    static int next;
    char *out = paths[next++ % 4];

    snprintf(out, sizeof(paths[0]), "%s/%s", dir, file);
    return out;
}

static void setup(void)
{
    strcpy(dir, "/tmp/cucore-system-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void teardown(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    ck_assert_int_eq(system(command), 0);
}

// Returns whether the machine has a library. Without it, tests of the real library do nothing, and
// main() says so at the end.
static bool have(const char *name)
{
    cuc_found *found = NULL;

    if (cuc_find_library(&found, name) < 0)
        return false;
    cuc_found_release(found);
    return true;
}

static cuc_status ask_nvrtc(void)
{
    int32_t major, minor;

    return cuc_nvrtc_get_version(&major, &minor);
}

static cuc_status ask_archs(void)
{
    size_t count;

    return cuc_nvrtc_get_archs(&count, NULL, 0);
}

static cuc_status ask_nvjitlink(void)
{
    int32_t major, minor;

    return cuc_nvjitlink_get_version(&major, &minor);
}

static cuc_status ask_nvfatbin(void)
{
    int32_t major, minor;

    return cuc_nvfatbin_get_version(&major, &minor);
}

static cuc_status ask_runtime(void)
{
    int32_t version;

    return cuc_runtime_get_version(&version);
}

static cuc_status ask_nvml(void)
{
    char version[CUC_NVML_DRIVER_VERSION_BYTES];

    return cuc_nvml_get_driver_version(version, sizeof(version));
}

static const struct {
    const char *library, *title;
    cuc_status (*ask)(void);
    const char *function, *call;
    int since;
} asked[] = {
    { "nvrtc", "NVRTC", ask_nvrtc, "cuc_nvrtc_get_version", "nvrtcVersion", 12000 },
    { "nvrtc", "NVRTC", ask_archs, "cuc_nvrtc_get_archs", "nvrtcGetNumSupportedArchs", 12000 },
    { "nvjitlink", "nvJitLink", ask_nvjitlink, "cuc_nvjitlink_get_version", "nvJitLinkVersion",
      12030 },
    { "nvfatbin", "nvFatbin", ask_nvfatbin, "cuc_nvfatbin_get_version", "nvFatbinVersion", 12040 },
    { "cudart", "the CUDA runtime", ask_runtime, "cuc_runtime_get_version", "cudaRuntimeGetVersion",
      12000 },
    { "nvml", "NVML", ask_nvml, "cuc_nvml_get_driver_version", "nvmlInit_v2", 12000 },
};

enum { ASKED = CUC_LENGTH(asked) };

CASE("failures", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST_RANGE(a_missing_library_is_reported_with_the_places_searched, 0, ASKED)
{
    ck_assert_int_eq(cuc_set_library_path(asked[_i].library, "/nowhere/lib.so"), CUC_OK);
    ck_assert_int_eq(asked[_i].ask(), CUC_ERROR_NOT_FOUND);
    ck_assert_str_eq(cuc_error_function(), asked[_i].function);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), asked[_i].title));
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), asked[_i].library));
    ck_assert_str_eq(cuc_error_log(), "explicit: /nowhere/lib.so: no such file");
    ck_assert_int_eq(asked[_i].ask(), CUC_ERROR_NOT_FOUND); // fails again
}

TEST_RANGE(a_missing_function_is_reported_with_its_first_version, 0, ASKED)
{
    char since[64];

    ck_assert(tiny_elf_write(in_dir("lib.so"), "lib.so", NULL, NULL));
    ck_assert_int_eq(cuc_set_library_path(asked[_i].library, in_dir("lib.so")), CUC_OK);
    ck_assert_int_eq(asked[_i].ask(), CUC_ERROR_NOT_SUPPORTED);
    ck_assert_str_eq(cuc_error_function(), asked[_i].function);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), asked[_i].title));
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), in_dir("lib.so")));
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), asked[_i].call));
    snprintf(since, sizeof(since), "CUDA %d.%d", asked[_i].since / 1000,
             asked[_i].since % 1000 / 10);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), since));
}

// cucore's statuses for the codes of each library.
static const struct {
    const cuc__toolkit *kit;
    int code;
    cuc_status status;
    const char *symbol;
} codes[] = {
    { &cuc__nvrtc_toolkit, NVRTC_ERROR_COMPILATION, CUC_ERROR_COMPILE, "NVRTC_ERROR_COMPILATION" },
    { &cuc__nvrtc_toolkit, NVRTC_ERROR_OUT_OF_MEMORY, CUC_ERROR_OUT_OF_MEMORY,
      "NVRTC_ERROR_OUT_OF_MEMORY" },
    { &cuc__nvrtc_toolkit, NVRTC_ERROR_INVALID_OPTION, CUC_ERROR_TOOLKIT,
      "NVRTC_ERROR_INVALID_OPTION" },
    { &cuc__nvjitlink_toolkit, NVJITLINK_ERROR_PTX_COMPILE, CUC_ERROR_LINK,
      "NVJITLINK_ERROR_PTX_COMPILE" },
    { &cuc__nvjitlink_toolkit, NVJITLINK_ERROR_INTERNAL, CUC_ERROR_TOOLKIT,
      "NVJITLINK_ERROR_INTERNAL" },
    { &cuc__nvjitlink_toolkit, NVJITLINK_ERROR_UNSUPPORTED_ARCH, CUC_ERROR_NOT_SUPPORTED,
      "NVJITLINK_ERROR_UNSUPPORTED_ARCH" },
    { &cuc__nvfatbin_toolkit, NVFATBIN_ERROR_ELF_ARCH_MISMATCH, CUC_ERROR_INVALID_ARGUMENT,
      "NVFATBIN_ERROR_ELF_ARCH_MISMATCH" },
    { &cuc__nvfatbin_toolkit, NVFATBIN_ERROR_INVALID_ARCH, CUC_ERROR_NOT_SUPPORTED,
      "NVFATBIN_ERROR_INVALID_ARCH" },
    { &cuc__nvfatbin_toolkit, NVFATBIN_ERROR_INTERNAL, CUC_ERROR_TOOLKIT,
      "NVFATBIN_ERROR_INTERNAL" },
    { &cuc__nvml_toolkit, NVML_ERROR_DRIVER_NOT_LOADED, CUC_ERROR_NO_DRIVER,
      "NVML_ERROR_DRIVER_NOT_LOADED" },
    { &cuc__nvml_toolkit, NVML_ERROR_GPU_IS_LOST, CUC_ERROR_TOOLKIT, "NVML_ERROR_GPU_IS_LOST" },
    { &cuc__cudart_toolkit, cudaErrorMemoryAllocation, CUC_ERROR_OUT_OF_DEVICE_MEMORY,
      "cudaErrorMemoryAllocation" },
    { &cuc__cudart_toolkit, 35, CUC_ERROR_DRIVER_TOO_OLD, "cudaErrorInsufficientDriver" },
    { &cuc__cudart_toolkit, 801, CUC_ERROR_NOT_SUPPORTED, "cudaErrorNotSupported" },
    { &cuc__cudart_toolkit, 999, CUC_ERROR_TOOLKIT, "cudaErrorUnknown" },
};

TEST_ROWS(a_code_becomes_a_status_with_its_symbol_explanation_and_log, codes)
{
    cuc_status st = cuc__fail_toolkit(codes[_i].kit, codes[_i].code, "cuc_program_compile",
                                      "theCall", "a log", "compiling %s", "saxpy.cu");

    ck_assert_int_eq(st, codes[_i].status);
    ck_assert_int_eq(cuc_error_status(), codes[_i].status);
    ck_assert_int_eq(cuc_error_library(), codes[_i].kit->library);
    ck_assert_int_eq(cuc_error_library_code(), codes[_i].code);
    ck_assert_str_eq(cuc_error_library_symbol(), codes[_i].symbol);
    ck_assert_str_eq(cuc_error_library_call(), "theCall");
    ck_assert_str_eq(cuc_error_log(), "a log");
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "compiling saxpy.cu"));
    ck_assert_uint_gt(strlen(cuc_error_explanation()), 20);
}

TEST(null_is_refused_by_name)
{
    int32_t out;
    size_t count;

    ck_assert_int_eq(cuc_driver_get_version(NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_driver_get_path(NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_nvrtc_get_version(NULL, &out), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_nvrtc_get_version(&out, NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "minor is NULL"));
    ck_assert_int_eq(cuc_nvrtc_get_archs(&count, NULL, 1), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_nvrtc_get_archs(NULL, &out, 1), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_nvjitlink_get_version(NULL, &out), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_nvfatbin_get_version(NULL, &out), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_nvfatbin_get_version(&out, NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_runtime_get_version(NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_nvml_get_driver_version(NULL, 0), CUC_ERROR_INVALID_ARGUMENT);
}

// ---- The driver: the one that CUCORE_DRIVER selects, or the machine's

CASE("driver", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST(the_driver_reports_its_version_and_file)
{
    const char *choice = getenv("CUCORE_DRIVER");
    const char *path = NULL;
    int32_t version = 0;

    if (!choice)
        return; // the driver of a GPU machine, or none
    ck_assert_int_eq(cuc_driver_get_version(&version), CUC_OK);
    ck_assert_int_ge(version, 12000);
    ck_assert_int_eq(cuc_driver_get_path(&path), CUC_OK);
    ck_assert_str_eq(path, choice);
}

TEST(without_a_driver_there_is_no_version_and_nothing_simulated)
{
    const char *path = "untouched";
    int32_t version = -7;

    setenv("CUCORE_DRIVER", "/nowhere/libcuda.so", 1);
    ck_assert_int_eq(cuc_driver_is_simulated(), 0);
    ck_assert_int_eq(cuc_driver_get_version(&version), CUC_ERROR_NO_DRIVER);
    ck_assert_int_eq(version, -7);
    ck_assert_int_eq(cuc_driver_get_path(&path), CUC_ERROR_NO_DRIVER);
    ck_assert_str_eq(cuc_error_function(), "cuc_driver_get_path");
    ck_assert_str_eq(path, "untouched");
}

// nvJitLink before 12.3

CASE("names", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST(old_names_of_nvjitlink_are_taken_from_the_newest_version)
{
    static const char *const names[] = {
        "__nvJitLinkCreate_12_0",
        "__nvJitLinkCreate_12_1",
        "__nvJitLinkDestroy_12_0",
        "__nvJitLinkDestroy_12_1",
        NULL,
    };

    ck_assert(tiny_elf_write(in_dir("lib.so"), "lib.so", NULL, names));
    void *handle = dlopen(in_dir("lib.so"), RTLD_NOW);
    ck_assert_ptr_nonnull(handle);
    void *(*symbol)(void *, const char *) = cuc__nvjitlink_toolkit.symbol;
    ck_assert_ptr_nonnull(dlsym(handle, names[1]));
    ck_assert_ptr_eq(symbol(handle, "nvJitLinkCreate"), dlsym(handle, names[1]));
    ck_assert_ptr_eq(symbol(handle, "nvJitLinkDestroy"), dlsym(handle, names[3]));
    ck_assert_ptr_null(symbol(handle, "nvJitLinkVersion"));
}

TEST(plain_names_of_nvjitlink_come_first)
{
    static const char *const names[] = { "nvJitLinkCreate", "__nvJitLinkCreate_12_2",
                                         "__nvJitLinkDestroy_12_2", NULL };

    ck_assert(tiny_elf_write(in_dir("lib.so"), "lib.so", NULL, names));
    void *handle = dlopen(in_dir("lib.so"), RTLD_NOW);
    void *(*symbol)(void *, const char *) = cuc__nvjitlink_toolkit.symbol;
    ck_assert_ptr_eq(symbol(handle, "nvJitLinkCreate"), dlsym(handle, names[0]));
    ck_assert_ptr_null(symbol(handle, "nvJitLinkDestroy")); // versions are not mixed
}

// The real libraries

CASE("real", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST(nvrtc_reports_its_version_and_ascending_architectures)
{
    int32_t major = 0, minor = -1;
    int32_t archs[64];
    size_t count = 0;

    if (!have("nvrtc"))
        return;
    ck_assert_int_eq(cuc_nvrtc_get_version(&major, &minor), CUC_OK);
    ck_assert_int_ge(major, 12);
    ck_assert_int_ge(minor, 0);
    ck_assert_int_eq(cuc_nvrtc_get_archs(&count, archs, 64), CUC_OK);
    ck_assert(count > 4 && count < 64);
    for (size_t i = 1; i < count; i++)
        ck_assert_int_lt(archs[i - 1], archs[i]);

    // A smaller buffer gets as much as fits, and the call returns the total number.
    int32_t two[3] = { 0, 0, -7 };
    size_t again = 0;
    ck_assert_int_eq(cuc_nvrtc_get_archs(&again, two, 2), CUC_OK);
    ck_assert_uint_eq(again, count);
    ck_assert_int_eq(two[0], archs[0]);
    ck_assert_int_eq(two[1], archs[1]);
    ck_assert_int_eq(two[2], -7);
}

TEST(nvjitlink_reports_its_version)
{
    int32_t major = 0, minor = -1;

    if (!have("nvjitlink"))
        return;
    ck_assert_int_eq(cuc_nvjitlink_get_version(&major, &minor), CUC_OK);
    ck_assert_int_ge(major, 12);
    ck_assert_int_ge(minor, 0);
}

TEST(nvfatbin_reports_its_version)
{
    int32_t major = 0, minor = -1;

    if (!have("nvfatbin"))
        return;
    ck_assert_int_eq(cuc_nvfatbin_get_version(&major, &minor), CUC_OK);
    ck_assert_int_ge(major, 12);
    ck_assert_int_ge(minor, 0);
}

TEST(the_runtime_reports_its_version)
{
    int32_t version = 0;

    if (!have("cudart"))
        return;
    ck_assert_int_eq(cuc_runtime_get_version(&version), CUC_OK);
    ck_assert_int_ge(version, 12000);
}

TEST(nvml_reports_the_version_of_the_kernel_driver_or_the_reason)
{
    char version[CUC_NVML_DRIVER_VERSION_BYTES] = "untouched";
    char small[2] = "x";

    cuc_status st = cuc_nvml_get_driver_version(version, sizeof(version));
    if (st < 0) {
        ck_assert_str_eq(version, "untouched");
        ck_assert_uint_gt(strlen(cuc_error_explanation()), 0);
        return;
    }
    ck_assert(version[0] >= '0' && version[0] <= '9');
    ck_assert_int_eq(cuc_nvml_get_driver_version(small, sizeof(small)), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(small, "x");
}

static nvrtcResult compile(void)
{
    nvrtcProgram program;
    nvrtcResult code = cuc__nvrtc.nvrtcCreateProgram(
        &program, "__global__ void k(int *x) { *x = __popc(*x); }", "k.cu", 0, NULL, NULL);

    if (code)
        return code;
    code = cuc__nvrtc.nvrtcCompileProgram(program, 0, NULL);
    (void)cuc__nvrtc.nvrtcDestroyProgram(&program);
    return code;
}

static void copy_file(const char *from, const char *to)
{
    char command[1400];

    snprintf(command, sizeof(command), "cp -L '%s' '%s'", from, to);
    ck_assert_int_eq(system(command), 0);
}

TEST(nvrtc_in_a_folder_that_the_loader_does_not_know_compiles)
{
    cuc_found *found = NULL;
    char folder[512];
    char file[640];
    int32_t major, minor;

    if (cuc_find_library(&found, "nvrtc") < 0)
        return;
    // The name of NVRTC's builtins library depends on the version. A child queries the version, so
    // that this process loads nothing.
    snprintf(folder, sizeof(folder), "%s", cuc_found_path(found));
    int pipes[2], version[2] = { 0, 0 };
    ck_assert_int_eq(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        if (cuc_nvrtc_get_version(&major, &minor) == CUC_OK)
            _exit(write(pipes[1], (int[]){ major, minor }, sizeof(version)) != sizeof(version));
        _exit(1);
    }
    close(pipes[1]);
    ck_assert_int_eq(read(pipes[0], version, sizeof(version)), sizeof(version));
    close(pipes[0]);
    waitpid(child, NULL, 0);

    ck_assert_int_eq(symlink(folder, in_dir(strrchr(folder, '/') + 1)), 0);
    *strrchr(folder, '/') = '\0';
    snprintf(file, sizeof(file), "%s/libnvrtc-builtins.so.%d.%d", folder, version[0], version[1]);
    if (access(file, R_OK) == 0) {
        copy_file(file, in_dir(strrchr(file, '/') + 1));
        ck_assert_int_eq(
            cuc_set_library_path("nvrtc", in_dir(strrchr(cuc_found_path(found), '/') + 1)), CUC_OK);
        ck_assert_int_eq(compile(), NVRTC_SUCCESS);
        // The copy next to it was used.
        ck_assert(testing_maps(in_dir("libnvrtc-builtins.so")));
    }
    cuc_found_release(found);
}

static void *compile_in_thread(void *unused)
{
    (void)unused;
    return compile() ? NULL : dir;
}

TEST(threads_that_first_use_a_library_at_once_all_get_it)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];

    if (!have("nvrtc"))
        return;
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, compile_in_thread, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        void *ok = NULL;
        pthread_join(threads[i], &ok);
        ck_assert_ptr_nonnull(ok);
    }
}

TEST(a_child_of_a_fork_uses_what_its_parent_has_loaded)
{
    int status = -1;

    if (!have("nvrtc"))
        return;
    ck_assert_int_eq(ask_nvrtc(), CUC_OK);
    pid_t child = fork();
    if (child == 0)
        _exit(ask_nvrtc() == CUC_OK && ask_archs() == CUC_OK ? 0 : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

int main(void)
{
    if (!have("nvfatbin"))
        printf("nvfatbin_reports_its_version: skipped, nvFatbin is not found\n");
    if (!have("nvrtc") || !have("nvjitlink"))
        puts("NVRTC or nvJitLink is not on this machine: tests of the real ones do nothing");
    return run_tests("system");
}
