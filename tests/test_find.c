// Tests finding libraries and headers in trees that it makes: every step of the order, the report,
// and loading.
#include "base/array.h"
#include "find/find.h"

#include "tiny_elf.h"
#include "tests.h"

#include <dlfcn.h>
#include <ftw.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT = 60 }; // in seconds, for a sanitizer on a busy machine

#if defined(__x86_64__)
#define MACHINE "x86_64-linux"
#define TRIPLET "x86_64-linux-gnu"
#else
#define MACHINE "sbsa-linux"
#define TRIPLET "aarch64-linux-gnu"
#endif

// Libraries that hardly any machine has: one for every step except the system's loader, and one
// that only the loader can find. The loader reads LD_LIBRARY_PATH when a process starts, so main()
// sets it and starts the program again.
#define LIB "cusparseLt"
#define SONAME "libcusparseLt.so.0"
#define SYSTEM_LIB "nvpl_fftw"
#define SYSTEM_SONAME "libnvpl_fftw.so.0"
#define SYSTEM_DIR "CUCORE_TEST_SYSTEM_DIR"

static char top[64]; // root of the test's tree

// Trees

static char *in_tree(const char *path)
{
    static char buffers[8][512];
    static int next;
    char *out = buffers[next++ % 8];

    snprintf(out, sizeof(buffers[0]), "%s/%s", top, path);
    return out;
}

static void make_folders_of(const char *path)
{
    char *copy = strdup(path);

    for (char *at = copy + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        (void)mkdir(copy, 0755);
        *at = '/';
    }
    free(copy);
}

// Creates an empty file, for tests of its existence.
static void touch(const char *path)
{
    make_folders_of(in_tree(path));
    FILE *file = fopen(in_tree(path), "wb");
    ck_assert_ptr_nonnull(file);
    fclose(file);
}

// Makes a library that can be loaded.
static void make_library(const char *path, const char *soname, const char *needed)
{
    make_folders_of(in_tree(path));
    ck_assert(tiny_elf_write(in_tree(path), soname, needed, NULL));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void remove_tree(const char *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void set(const char *variable, const char *path)
{
    ck_assert_int_eq(setenv(variable, in_tree(path), 1), 0);
}

static void setup(void)
{
    static const char *const variables[] = {
        "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME",
    };
    static char root[80];

    strcpy(top, "/tmp/cucore-find-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(top));
    for (size_t i = 0; i < CUC_LENGTH(variables); i++)
        unsetenv(variables[i]);
    set("HOME", "home");
    set("PATH", "python/bin");
    snprintf(root, sizeof(root), "%s/root", top);
    cuc__find_root = root;
    setenv("CUCORE_CHECK_HANDLES", "1", 1);
}

static void teardown(void)
{
    remove_tree(top);
}

// Checks the results, and that the search leaves nothing behind.
static void expect_found(cuc_found *found, const char *method, const char *path)
{
    ck_assert_str_eq(cuc_found_method(found), method);
    ck_assert_str_eq(cuc_found_path(found), path);
    cuc_found_release(found);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_FOUND), 0);
}

static bool has_line(const cuc_found *found, const char *part)
{
    for (size_t i = 0; i < cuc_found_tried_count(found); i++)
        if (strstr(cuc_found_tried_at(found, i), part))
            return true;
    return false;
}

// The order

// A place: its file, and the setting that leads to it. Earlier rows take precedence.
static const struct place {
    const char *method;
    const char *file;     // relative to the tree
    const char *variable; // set to `value`, relative to the tree; NULL for a fixed place
    const char *value;
    bool load; // whether the process has already loaded the file
} places[] = {
    { "explicit", "mine/lib.so", "CUCORE_CUSPARSELT", "mine/lib.so", false },
    { "loaded", "loaded/" SONAME, NULL, NULL, true },
    { "wheel", "pp/nvidia/cu13/lib/" SONAME, "PYTHONPATH", "pp", false },
    { "wheel", "pp/nvidia/cusparselt/lib/" SONAME, "PYTHONPATH", "pp", false },
    { "wheel", "venv/lib/python3.12/site-packages/nvidia/cu13/lib/" SONAME, "VIRTUAL_ENV", "venv",
      false },
    { "wheel", "venv/lib/python3.9/site-packages/nvidia/cu13/lib/" SONAME, "VIRTUAL_ENV", "venv",
      false },
    { "wheel", "python/lib/python3.11/site-packages/nvidia/cu13/lib/" SONAME, NULL, NULL, false },
    { "wheel", "home/.local/lib/python3.11/site-packages/nvidia/cu13/lib/" SONAME, NULL, NULL,
      false },
    { "wheel", "root/usr/local/lib/python3.11/site-packages/nvidia/cu13/lib/" SONAME, NULL, NULL,
      false },
    { "wheel", "root/usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/" SONAME, NULL, NULL,
      false },
    { "wheel", "root/usr/lib/python3/dist-packages/nvidia/cu13/lib/" SONAME, NULL, NULL, false },
    { "conda", "conda/lib/" SONAME, "CONDA_PREFIX", "conda", false },
    { "conda", "conda/targets/" MACHINE "/lib/" SONAME, "CONDA_PREFIX", "conda", false },
    { "CUDA_PATH", "path/lib64/" SONAME, "CUDA_PATH", "path", false },
    { "CUDA_PATH", "path/lib/" SONAME, "CUDA_PATH", "path", false },
    { "CUDA_PATH", "path/targets/" MACHINE "/lib/" SONAME, "CUDA_PATH", "path", false },
    { "CUDA_HOME", "home-of-cuda/lib64/" SONAME, "CUDA_HOME", "home-of-cuda", false },
    { "standard", "root/usr/local/cuda/lib64/" SONAME, NULL, NULL, false },
    { "standard", "root/usr/local/cuda-13.10/lib64/" SONAME, NULL, NULL, false },
    { "standard", "root/usr/local/cuda-13.9/lib64/" SONAME, NULL, NULL, false },
    { "standard", "root/opt/cuda/lib64/" SONAME, NULL, NULL, false },
    { "standard", "root/usr/lib/" TRIPLET "/" SONAME, NULL, NULL, false },
    { "standard", "root/usr/lib64/" SONAME, NULL, NULL, false },
    { "standard", "root/usr/lib/" SONAME, NULL, NULL, false },
};

enum { PLACES = CUC_LENGTH(places) };

static void make_place(const struct place *place)
{
    if (place->load) {
        make_library(place->file, SONAME, NULL);
        ck_assert_ptr_nonnull(dlopen(in_tree(place->file), RTLD_NOW | RTLD_LOCAL));
    } else {
        touch(place->file);
    }
    if (place->variable)
        set(place->variable, place->value);
}

static void make_python(void)
{
    touch("python/bin/python3");
    ck_assert_int_eq(chmod(in_tree("python/bin/python3"), 0755), 0);
}

CASE("order", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST_RANGE(a_library_is_found_in_each_place, 0, PLACES)
{
    cuc_found *found = NULL;

    make_python();
    make_place(&places[_i]);
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_OK);
    expect_found(found, places[_i].method, in_tree(places[_i].file));
}

TEST_RANGE(an_earlier_place_wins_over_all_later_ones, 0, PLACES)
{
    cuc_found *found = NULL;

    make_python();
    for (int i = _i; i < PLACES; i++)
        make_place(&places[i]);
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_OK);
    expect_found(found, places[_i].method, in_tree(places[_i].file));
}

TEST(the_loader_of_the_system_comes_after_conda_and_before_CUDA_PATH)
{
    char expected[512];
    cuc_found *found = NULL;

    snprintf(expected, sizeof(expected), "%s/" SYSTEM_SONAME, getenv(SYSTEM_DIR));
    touch("path/lib64/" SYSTEM_SONAME);
    set("CUDA_PATH", "path");
    ck_assert_int_eq(cuc_find_library(&found, SYSTEM_LIB), CUC_OK);
    expect_found(found, "system", expected);

    touch("conda/lib/" SYSTEM_SONAME);
    set("CONDA_PREFIX", "conda");
    ck_assert_int_eq(cuc_find_library(&found, SYSTEM_LIB), CUC_OK);
    expect_found(found, "conda", in_tree("conda/lib/" SYSTEM_SONAME));
}

TEST(a_search_does_not_leave_the_library_loaded)
{
    cuc_found *found = NULL;

    ck_assert_int_eq(cuc_find_library(&found, SYSTEM_LIB), CUC_OK);
    cuc_found_release(found);
    ck_assert_ptr_null(dlopen(SYSTEM_SONAME, RTLD_LAZY | RTLD_NOLOAD));
}

TEST(a_search_does_not_keep_what_the_program_has_loaded)
{
    cuc_found *found = NULL;

    make_library("mine/" SONAME, SONAME, NULL);
    void *handle = dlopen(in_tree("mine/" SONAME), RTLD_NOW);
    ck_assert_ptr_nonnull(handle);
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_OK);
    expect_found(found, "loaded", in_tree("mine/" SONAME));
    dlclose(handle);
    ck_assert_ptr_null(dlopen(SONAME, RTLD_LAZY | RTLD_NOLOAD));
}

TEST(a_driver_library_is_not_searched_in_wheels_and_toolkits)
{
    cuc_found *found = NULL;

    touch("pp/nvidia/cu13/lib/libnvcudla.so");
    touch("path/lib64/libnvcudla.so");
    set("PYTHONPATH", "pp");
    set("CUDA_PATH", "path");
    if (cuc_find_library(&found, "nvcudla") == CUC_OK)
        ck_assert_str_eq(cuc_found_method(found), "system"); // this machine has the library
    else
        ck_assert_ptr_null(strstr(cuc_error_log(), "wheel"));
    cuc_found_release(found);
}

TEST(the_driver_is_the_one_that_CUCORE_DRIVER_names)
{
    cuc_found *found = NULL;

    touch("drivers/libsomething.so");
    set("CUCORE_DRIVER", "drivers/libsomething.so");
    ck_assert_int_eq(cuc_find_library(&found, "cuda"), CUC_OK);
    expect_found(found, "explicit", in_tree("drivers/libsomething.so"));
}

TEST(newer_major_versions_come_first_within_a_folder)
{
    cuc_found *found = NULL;

    touch("pp/nvidia/cu13/lib/libnvfatbin.so.12");
    touch("pp/nvidia/cu13/lib/libnvfatbin.so.13");
    set("PYTHONPATH", "pp");
    ck_assert_int_eq(cuc_find_library(&found, "nvfatbin"), CUC_OK);
    expect_found(found, "wheel", in_tree("pp/nvidia/cu13/lib/libnvfatbin.so.13"));
}

TEST_RANGE(toolkit_folders_of_a_library_are_searched, 0, 2)
{
    static const struct {
        const char *name, *folder;
    } rows[] = { { "nvvm", "nvvm/lib64" }, { "cupti", "extras/CUPTI/lib64" } };
    cuc__places found;
    bool seen = false;

    set("CUDA_HOME", "home-of-cuda");
    cuc__places_of_library(&found, cuc__library_row_named(rows[_i].name));
    for (size_t i = 0; i < found.count; i++)
        seen |= found.at[i].dir && strcmp(found.at[i].method, "CUDA_HOME") == 0 &&
                strstr(found.at[i].dir, rows[_i].folder);
    cuc__places_free(&found);
    ck_assert(seen);
}

TEST(names_are_known_in_any_case_of_letters)
{
    cuc_found *found = NULL;

    touch("pp/nvidia/cu13/lib/" SONAME);
    set("PYTHONPATH", "pp");
    ck_assert_int_eq(cuc_find_library(&found, "CUSPARSELT"), CUC_OK);
    cuc_found_release(found);
    ck_assert_int_eq(cuc_find_library(&found, "cusparselt"), CUC_OK);
    cuc_found_release(found);
}

TEST(several_entries_of_PYTHONPATH_are_searched_in_order)
{
    char value[512];
    cuc_found *found = NULL;

    touch("b/nvidia/cu13/lib/" SONAME);
    touch("c/nvidia/cu13/lib/" SONAME);
    snprintf(value, sizeof(value), "::%s/a:%s/b:%s/c:", top, top, top);
    setenv("PYTHONPATH", value, 1);
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_OK);
    ck_assert(has_line(found, "/a/nvidia/cu13/lib: no such folder"));
    expect_found(found, "wheel", in_tree("b/nvidia/cu13/lib/" SONAME));
}

// ---- The loader's own search, reproduced without the loader

// If relative folders were searched, a program would load code from the folder that it was started
// in.
TEST(relative_folders_are_never_searched)
{
    static const struct {
        const char *variable, *value, *file;
    } rows[] = {
        { "PYTHONPATH", ".", "nvidia/cu13/lib/" SONAME },
        { "PYTHONPATH", "sub:./sub", "sub/nvidia/cu13/lib/" SONAME },
        { "PYTHONPATH", ":", "nvidia/cu13/lib/" SONAME },
        { "PYTHONPATH", "", "nvidia/cu13/lib/" SONAME },
        { "VIRTUAL_ENV", ".", "lib/python3.12/site-packages/nvidia/cu13/lib/" SONAME },
        { "PATH", "bin:./bin", "lib/python3.12/site-packages/nvidia/cu13/lib/" SONAME },
        { "PATH", ":", "lib/python3.12/site-packages/nvidia/cu13/lib/" SONAME },
        { "HOME", ".", ".local/lib/python3.12/site-packages/nvidia/cu13/lib/" SONAME },
        { "CONDA_PREFIX", ".", "lib/" SONAME },
        { "CUDA_PATH", "sub", "sub/lib64/" SONAME },
        { "CUDA_HOME", ".", "lib64/" SONAME },
        { "CUDA_HOME", "", "lib64/" SONAME },
    };
    char here[4096];

    ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_found *found = NULL;
        touch(rows[i].file);
        touch("bin/python3");
        touch("python3");
        ck_assert_int_eq(chmod(in_tree("bin/python3"), 0755), 0);
        ck_assert_int_eq(chmod(in_tree("python3"), 0755), 0);
        ck_assert_int_eq(chdir(top), 0);
        ck_assert_int_eq(setenv(rows[i].variable, rows[i].value, 1), 0);
        ck_assert_msg(cuc_find_library(&found, LIB) == CUC_ERROR_NOT_FOUND, "%s=%s: %s",
                      rows[i].variable, rows[i].value, cuc_found_path(found));
        bool told = strstr(cuc_error_log(), "a relative path is not searched") != NULL;
        bool noted = *rows[i].value && *rows[i].value != ':' &&
                     strcmp(rows[i].variable, "PATH") != 0;
        ck_assert_msg(told == noted, "%s=%s", rows[i].variable, rows[i].value);
        cuc_found_release(found);
        unsetenv(rows[i].variable);
        ck_assert_int_eq(chdir(here), 0);
        teardown();
        setup();
    }
}

TEST_RANGE(what_the_loader_would_open_is_known_without_opening_it, 0, 3)
{
    static const char *const sonames[] = { "libm.so.6", "libgcc_s.so.1", SYSTEM_SONAME };
    struct link_map *map = NULL;
    char path[512];

    void *handle = dlopen(sonames[_i], RTLD_LAZY);
    if (!handle)
        return; // this machine lacks the library
    ck_assert(cuc__system_library(sonames[_i], path, sizeof(path)));
    ck_assert_int_eq(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
    ck_assert_str_eq(path, map->l_name);
    ck_assert(!cuc__system_library("libnothing-of-this-name.so.1", path, sizeof(path)));
}

#if defined(__x86_64__)
enum { OWN_FLAGS = 0x0303, OTHER_FLAGS = 0x0a03 };
#else
enum { OWN_FLAGS = 0x0a03, OTHER_FLAGS = 0x0303 };
#endif

// Makes a cache like ldconfig's, with one valid entry after entries that are for other processes.
static size_t make_cache(unsigned char *out, size_t room, bool old_part)
{
    static const struct {
        uint32_t flags;
        uint64_t hwcap;
        const char *key, *file;
    } rows[] = {
        { OTHER_FLAGS, 0, "libcached.so.1", "wrong-machine.so" },
        { OWN_FLAGS, 1, "libcached.so.1", "some-processors.so" },
        { OWN_FLAGS, 0, "libcached.so.10", "other-name.so" },
        { OWN_FLAGS, 0, "libcached.so.1", "missing.so" },
        { OWN_FLAGS, 0, "libcached.so.1", "good.so" },
    };
    enum { ROWS = CUC_LENGTH(rows), HEADER = 48, ENTRY = 24 };
    unsigned char *start = out;
    uint32_t words[6] = { ROWS };
    uint32_t at = HEADER + ROWS * ENTRY;

    memset(out, 0, room);
    if (old_part) {
        memcpy(out, "ld.so-1.7.0\0\1\0\0\0", 16); // one entry of 12 bytes
        out += 32;
    }
    memcpy(out, "glibc-ld.so.cache1.1", 20);
    for (size_t i = 0; i < ROWS; i++) {
        unsigned char *entry = out + HEADER + i * ENTRY;
        uint32_t key = at;
        at += (uint32_t)sprintf((char *)out + at, "%s", rows[i].key) + 1;
        uint32_t value = at;
        at += (uint32_t)sprintf((char *)out + at, "%s", in_tree(rows[i].file)) + 1;
        memcpy(entry, &rows[i].flags, 4);
        memcpy(entry + 4, &key, 4);
        memcpy(entry + 8, &value, 4);
        memcpy(entry + 16, &rows[i].hwcap, 8);
        if (strcmp(rows[i].file, "missing.so") != 0)
            make_library(rows[i].file, rows[i].key, NULL);
    }
    words[1] = at - HEADER - ROWS * ENTRY;
    memcpy(out + 20, words, 8);
    return (size_t)(out - start) + at + 16; // newer caches continue after this
}

static void write_cache(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(in_tree("cache"), "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

TEST_RANGE(the_cache_of_the_loader_is_read_and_a_damaged_one_is_harmless, 0, 2)
{
    static char cache[128];
    unsigned char bytes[2048];
    char path[512];
    size_t size = make_cache(bytes, sizeof(bytes), _i);

    snprintf(cache, sizeof(cache), "%s", in_tree("cache"));
    cuc__find_cache = cache;
    write_cache(bytes, size);
    ck_assert(cuc__system_library("libcached.so.1", path, sizeof(path)));
    ck_assert_str_eq(path, in_tree("good.so"));
    ck_assert(!cuc__system_library("libcached.so", path, sizeof(path)));
    ck_assert(!cuc__system_library("libcached.so.1", path, 4)); // the buffer is too small

    for (size_t cut = 0; cut < size - 16; cut++) {
        write_cache(bytes, cut);
        ck_assert(!cuc__system_library("libcached.so.1", path, sizeof(path)));
    }
    for (size_t i = 0; i < size; i++) { // no content causes a read out of bounds
        unsigned char was = bytes[i];
        bytes[i] = 0xff;
        write_cache(bytes, size);
        (void)cuc__system_library("libcached.so.1", path, sizeof(path));
        bytes[i] = was;
    }
    cuc__find_cache = "/nowhere";
    ck_assert(!cuc__system_library("libcached.so.1", path, sizeof(path)));
}

// Headers

static const struct place header_places[] = {
    { "explicit", "mine/cuda/std/version", "CUCORE_CCCL_INCLUDE", "mine", false },
    { "wheel", "pp/nvidia/cu13/include/cccl/cuda/std/version", "PYTHONPATH", "pp", false },
    { "wheel", "pp/nvidia/cuda_cccl/include/cuda/std/version", "PYTHONPATH", "pp", false },
    { "conda", "conda/targets/" MACHINE "/include/cccl/cuda/std/version", "CONDA_PREFIX", "conda",
      false },
    { "conda", "conda/include/cuda/std/version", "CONDA_PREFIX", "conda", false },
    { "CUDA_PATH", "path/include/cccl/cuda/std/version", "CUDA_PATH", "path", false },
    { "CUDA_PATH", "path/include/cuda/std/version", "CUDA_PATH", "path", false },
    { "CUDA_PATH", "path/targets/" MACHINE "/include/cuda/std/version", "CUDA_PATH", "path",
      false },
    { "CUDA_HOME", "home-of-cuda/include/cuda/std/version", "CUDA_HOME", "home-of-cuda", false },
    { "standard", "root/usr/local/cuda/include/cccl/cuda/std/version", NULL, NULL, false },
    { "standard", "root/usr/local/cuda-13.10/include/cuda/std/version", NULL, NULL, false },
    { "standard", "root/usr/local/cuda-13.9/include/cuda/std/version", NULL, NULL, false },
    { "standard", "root/opt/cuda/include/cuda/std/version", NULL, NULL, false },
    { "standard", "root/usr/include/cuda/std/version", NULL, NULL, false },
};

enum { HEADER_PLACES = CUC_LENGTH(header_places) };

static void expect_folder_of(cuc_found *found, const struct place *place)
{
    char folder[512];

    snprintf(folder, sizeof(folder), "%s", in_tree(place->file));
    folder[strlen(folder) - strlen("/cuda/std/version")] = '\0';
    expect_found(found, place->method, folder);
}

CASE("headers", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST_RANGE(headers_are_found_in_each_place, 0, HEADER_PLACES)
{
    cuc_found *found = NULL;

    make_place(&header_places[_i]);
    ck_assert_int_eq(cuc_find_header_dir(&found, "cccl"), CUC_OK);
    expect_folder_of(found, &header_places[_i]);
}

TEST_RANGE(headers_of_an_earlier_place_win, 0, HEADER_PLACES)
{
    cuc_found *found = NULL;

    for (int i = _i; i < HEADER_PLACES; i++)
        make_place(&header_places[i]);
    ck_assert_int_eq(cuc_find_header_dir(&found, "cccl"), CUC_OK);
    expect_folder_of(found, &header_places[_i]);
}

TEST(missing_headers_are_reported)
{
    cuc_found *found = (cuc_found *)top;

    ck_assert_int_eq(cuc_find_header_dir(&found, "crt"), CUC_ERROR_NOT_FOUND);
    ck_assert_ptr_eq(found, (cuc_found *)top);
    ck_assert_str_eq(cuc_error_function(), "cuc_find_header_dir");
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "crt/mma.h"));
    ck_assert_ptr_nonnull(strstr(cuc_error_explanation(), "pip install nvidia-cuda-crt"));
    ck_assert_ptr_nonnull(strstr(cuc_error_explanation(), "CUCORE_CRT_INCLUDE"));
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_FOUND), 0);
}

// Reports

CASE("report", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST(a_missing_library_is_reported_with_the_places_tried_and_a_remedy)
{
    static const char *const lines[] = {
        "loaded: " SONAME ": not in this process",
        "wheel: no site-packages",
        "conda: CONDA_PREFIX is not set",
        "system: " SONAME,
        "/path/lib64: no such folder",
        "/path/lib: has no " SONAME,
        "CUDA_HOME: not set",
        "standard: no /usr/local/cuda",
    };
    cuc_found *found = (cuc_found *)top;

    touch("path/lib/libother.so");
    set("CUDA_PATH", "path");
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_ERROR_NOT_FOUND);
    ck_assert_ptr_eq(found, (cuc_found *)top);
    ck_assert_str_eq(cuc_error_function(), "cuc_find_library");
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), LIB));
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), SONAME));
    ck_assert_ptr_nonnull(strstr(cuc_error_explanation(), "pip install nvidia-cusparselt-cu13"));
    ck_assert_ptr_nonnull(strstr(cuc_error_explanation(), "CUCORE_CUSPARSELT"));
    for (size_t i = 0; i < CUC_LENGTH(lines); i++)
        ck_assert_msg(strstr(cuc_error_log(), lines[i]), "no \"%s\" in:\n%s", lines[i],
                      cuc_error_log());
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_FOUND), 0);
}

TEST(a_found_library_keeps_the_places_tried_before)
{
    cuc_found *found = NULL;

    touch("path/lib64/" SONAME);
    set("CUDA_PATH", "path");
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_OK);
    ck_assert(has_line(found, "conda: CONDA_PREFIX is not set"));
    ck_assert(has_line(found, "system: " SONAME));
    ck_assert(!has_line(found, "CUDA_PATH"));
    ck_assert_str_eq(cuc_found_tried_at(found, cuc_found_tried_count(found)), "");
    cuc_found_release(found);
}

TEST(an_unknown_name_lists_the_known_ones)
{
    cuc_found *found = NULL;

    ck_assert_int_eq(cuc_find_library(&found, "nvrct"), CUC_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "\"nvrct\""));
    for (size_t i = 0; i < cuc_find_library_count(); i++)
        ck_assert_ptr_nonnull(strstr(cuc_error_message(), cuc_find_library_name(i)));

    ck_assert_int_eq(cuc_find_header_dir(&found, "cudartt"), CUC_ERROR_NOT_FOUND);
    for (size_t i = 0; i < cuc_find_header_count(); i++)
        ck_assert_ptr_nonnull(strstr(cuc_error_message(), cuc_find_header_name(i)));

    ck_assert_int_eq(cuc_set_library_path("nvrct", "/x"), CUC_ERROR_NOT_FOUND);
    ck_assert_str_eq(cuc_error_function(), "cuc_set_library_path");
    ck_assert_ptr_null(cuc_find_library_name(cuc_find_library_count()));
    ck_assert_ptr_null(cuc_find_header_name(cuc_find_header_count()));
    ck_assert_ptr_null(found);
}

TEST(null_is_refused_by_name)
{
    cuc_found *found = NULL;

    ck_assert_int_eq(cuc_find_library(NULL, LIB), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "out is NULL"));
    ck_assert_int_eq(cuc_find_library(&found, NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_find_header_dir(NULL, "cuda"), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_find_header_dir(&found, NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_set_library_path(NULL, "/x"), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_set_library_path(LIB, ""), CUC_ERROR_INVALID_ARGUMENT);

    // Functions that only read accept NULL, which means "not found".
    ck_assert_str_eq(cuc_found_path(NULL), "");
    ck_assert_str_eq(cuc_found_method(NULL), "");
    ck_assert_uint_eq(cuc_found_tried_count(NULL), 0);
    ck_assert_str_eq(cuc_found_tried_at(NULL, 0), "");
    ck_assert_ptr_null(cuc_found_retain(NULL));
    cuc_found_release(NULL);
}

TEST(CUDA_PATH_and_CUDA_HOME_that_differ_are_noted)
{
    cuc_found *found = NULL;

    touch("home-of-cuda/lib64/" SONAME);
    touch("path/version.json");
    set("CUDA_PATH", "path");
    set("CUDA_HOME", "home-of-cuda");
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_OK);
    ck_assert(has_line(found, "CUDA_HOME: is another folder than CUDA_PATH"));
    expect_found(found, "CUDA_HOME", in_tree("home-of-cuda/lib64/" SONAME));

    // Two names of one folder count as equal.
    ck_assert_int_eq(symlink(in_tree("path"), in_tree("link")), 0);
    set("CUDA_HOME", "link");
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_ERROR_NOT_FOUND);
    ck_assert_ptr_null(strstr(cuc_error_log(), "another folder"));
}

TEST(references_are_counted)
{
    cuc_found *found = NULL;

    touch("path/lib64/" SONAME);
    set("CUDA_PATH", "path");
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_OK);
    ck_assert_ptr_eq(cuc_found_retain(found), found);
    cuc_found_release(found);
    ck_assert_str_eq(cuc_found_method(found), "CUDA_PATH");
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_FOUND), 1);
    cuc_found_release(found);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_FOUND), 0);
}

// ---- Paths that the program gives

CASE("paths", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST(a_path_set_by_the_program_wins_over_everything)
{
    cuc_found *found = NULL;

    touch("environment/lib.so");
    touch("program/lib.so");
    touch("pp/nvidia/cu13/lib/" SONAME);
    set("PYTHONPATH", "pp");
    set("CUCORE_CUSPARSELT", "environment/lib.so");
    ck_assert_int_eq(cuc_set_library_path(LIB, in_tree("program/lib.so")), CUC_OK);
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_OK);
    expect_found(found, "explicit", in_tree("program/lib.so"));

    ck_assert_int_eq(cuc_set_library_path(LIB, NULL), CUC_OK);
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_OK);
    expect_found(found, "explicit", in_tree("environment/lib.so"));
}

TEST_RANGE(a_wrong_path_is_not_replaced_by_another_place, 0, 2)
{
    static const struct {
        const char *path, *why;
    } rows[] = { { "nowhere/lib.so", "no such file" }, { "pp", "is a folder" } };
    cuc_found *found = NULL;

    touch("pp/nvidia/cu13/lib/" SONAME);
    set("PYTHONPATH", "pp");
    ck_assert_int_eq(cuc_set_library_path(LIB, in_tree(rows[_i].path)), CUC_OK);
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), in_tree(rows[_i].path)));
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), rows[_i].why));
    ck_assert_ptr_nonnull(strstr(cuc_error_explanation(), "CUCORE_CUSPARSELT"));
    ck_assert_ptr_null(strstr(cuc_error_log(), "wheel"));
    ck_assert_ptr_null(found);
}

TEST(a_path_without_a_slash_is_for_the_loader_of_the_system)
{
    cuc_found *found = NULL;

    ck_assert_int_eq(cuc_set_library_path(LIB, SYSTEM_SONAME), CUC_OK);
    ck_assert_int_eq(cuc_find_library(&found, LIB), CUC_OK);
    ck_assert_str_eq(cuc_found_method(found), "explicit");
    ck_assert_str_eq(strrchr(cuc_found_path(found), '/'), "/" SYSTEM_SONAME);
    cuc_found_release(found);
}

TEST(the_driver_cannot_be_set_by_the_program)
{
    ck_assert_int_eq(cuc_set_library_path("cuda", "/x"), CUC_ERROR_NOT_SUPPORTED);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "CUCORE_DRIVER"));
}

// Loading

CASE("loading", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST(a_library_is_loaded_once_and_reported_as_it_was_found)
{
    cuc_found *found = NULL;
    cuc_found *again = NULL;

    make_library("pp/nvidia/cu13/lib/" SONAME, SONAME, NULL);
    set("PYTHONPATH", "pp");
    void *handle = cuc__library_open(LIB, &found);
    ck_assert_ptr_nonnull(handle);
    ck_assert_str_eq(cuc_found_method(found), "wheel");
    ck_assert_ptr_eq(cuc__library_open(LIB, NULL), handle);
    ck_assert_ptr_nonnull(dlopen(SONAME, RTLD_LAZY | RTLD_NOLOAD));

    // The library is found neither as "loaded" nor through the current environment.
    unsetenv("PYTHONPATH");
    ck_assert_int_eq(cuc_find_library(&again, LIB), CUC_OK);
    ck_assert_ptr_eq(again, found);
    cuc_found_release(again);
    cuc_found_release(found);
}

TEST(a_file_that_cannot_be_loaded_is_passed_over)
{
    cuc_found *found = NULL;

    touch("pp/nvidia/cu13/lib/" SONAME);
    make_library("path/lib64/" SONAME, SONAME, NULL);
    set("PYTHONPATH", "pp");
    set("CUDA_PATH", "path");
    ck_assert_ptr_nonnull(cuc__library_open(LIB, &found));
    ck_assert_str_eq(cuc_found_method(found), "CUDA_PATH");
    ck_assert(has_line(found, "cannot be loaded"));
    cuc_found_release(found);
}

TEST(a_missing_library_can_be_retried_with_a_path)
{
    cuc_found *found = NULL;

    ck_assert_ptr_null(cuc__library_open(LIB, &found));
    ck_assert_uint_gt(cuc_found_tried_count(found), 0);
    cuc_found_release(found);

    // The library is not searched for again without a reason.
    make_library("pp/nvidia/cu13/lib/" SONAME, SONAME, NULL);
    set("PYTHONPATH", "pp");
    ck_assert_ptr_null(cuc__library_open(LIB, NULL));

    make_library("program/lib.so", SONAME, NULL);
    ck_assert_int_eq(cuc_set_library_path(LIB, in_tree("program/lib.so")), CUC_OK);
    ck_assert_ptr_nonnull(cuc__library_open(LIB, &found));
    ck_assert_str_eq(cuc_found_method(found), "explicit");
    cuc_found_release(found);
}

TEST(a_path_comes_too_late_for_a_loaded_library)
{
    make_library("pp/nvidia/cu13/lib/" SONAME, SONAME, NULL);
    set("PYTHONPATH", "pp");
    ck_assert_ptr_nonnull(cuc__library_open(LIB, NULL));
    ck_assert_int_eq(cuc_set_library_path(LIB, in_tree("other.so")), CUC_ERROR_BUSY);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), in_tree("pp/nvidia/cu13/lib/" SONAME)));
    ck_assert_int_eq(cuc_set_library_path(LIB, NULL), CUC_ERROR_BUSY);
    ck_assert_int_eq(cuc_set_library_path(LIB, in_tree("pp/nvidia/cu13/lib/" SONAME)), CUC_OK);
}

TEST(what_a_library_depends_on_is_loaded_before_it)
{
    cuc_found *found = NULL;

    // Put the libraries in separate folders, so that the loader alone does not find the library
    // that the other one needs.
    make_library("pp/nvidia/cu12/lib/libmathdx.so.0", "libmathdx.so.0", "libnvrtc.so.12");
    make_library("pp/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "libnvrtc.so.12", NULL);
    set("PYTHONPATH", "pp");
    ck_assert_ptr_nonnull(cuc__library_open("mathdx", &found));
    ck_assert_str_eq(cuc_found_path(found), in_tree("pp/nvidia/cu12/lib/libmathdx.so.0"));
    cuc_found_release(found);
}

TEST(what_a_library_opens_by_name_is_loaded_from_beside_it)
{
    Dl_info info;

    make_library("pp/nvidia/cu13/lib/libnvrtc.so.13", "libnvrtc.so.13", NULL);
    make_folders_of(in_tree("pp/nvidia/cu13/lib/x"));
    ck_assert(tiny_elf_write(in_tree("pp/nvidia/cu13/lib/libnvrtc-builtins.so.13.0"),
                             "libnvrtc-builtins.so.13.0", NULL, (const char *[]){ "probe", NULL }));
    make_library("pp/nvidia/cu13/lib/libnvrtc-builtins.so.12.9", "libnvrtc-builtins.so.12.9", NULL);
    set("PYTHONPATH", "pp");
    ck_assert_ptr_nonnull(cuc__library_open("nvrtc", NULL));

    void *builtins = dlopen("libnvrtc-builtins.so.13.0", RTLD_LAZY | RTLD_NOLOAD);
    ck_assert_ptr_nonnull(builtins);
    ck_assert_int_ne(dladdr(dlsym(builtins, "probe"), &info), 0);
    ck_assert_str_eq(info.dli_fname, in_tree("pp/nvidia/cu13/lib/libnvrtc-builtins.so.13.0"));
    ck_assert_ptr_null(dlopen("libnvrtc-builtins.so.12.9", RTLD_LAZY | RTLD_NOLOAD));
}

TEST(a_runtime_whose_symbols_the_program_exports_comes_first)
{
    cuc_found *found = NULL;

    make_folders_of(in_tree("linked/x"));
    ck_assert(tiny_elf_write(in_tree("linked/libprogram.so"), "libprogram.so", NULL,
                             (const char *[]){ "cudaGetKernel", NULL }));
    void *program = dlopen(in_tree("linked/libprogram.so"), RTLD_NOW | RTLD_GLOBAL);
    ck_assert_ptr_nonnull(program);
    touch("pp/nvidia/cu13/lib/libcudart.so.13");
    set("PYTHONPATH", "pp");

    void *handle = cuc__library_open("cudart", &found);
    ck_assert_str_eq(cuc_found_method(found), "loaded");
    ck_assert_str_eq(cuc_found_path(found), in_tree("linked/libprogram.so"));
    ck_assert_ptr_eq(dlsym(handle, "cudaGetKernel"), dlsym(program, "cudaGetKernel"));
    cuc_found_release(found);
}

// Threads and forks

enum { THREADS = 8, ROUNDS = 50 };

// The method is "loaded" if another thread has just loaded the library.
static void *find_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        cuc_found *found = NULL;
        if (cuc_find_library(&found, LIB) < 0)
            return NULL;
        cuc_found_release(found);
    }
    return cuc__library_open(LIB, NULL);
}

CASE("threads", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST(threads_find_and_load_at_once)
{
    pthread_t threads[THREADS];
    void *handles[THREADS];

    make_library("pp/nvidia/cu13/lib/" SONAME, SONAME, NULL);
    set("PYTHONPATH", "pp");
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, find_often, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &handles[i]);
        ck_assert_ptr_nonnull(handles[i]);
        ck_assert_ptr_eq(handles[i], handles[0]);
    }
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_FOUND), 1); // only the loaded libraries
}

static _Atomic(bool) stop;

// Takes cucore's lock often, but never the loader's. Without cucore, a child would deadlock if it
// loads a library that another thread of its parent was loading.
static void *lock_often(void *unused)
{
    (void)unused;
    while (!stop)
        cuc_found_release(cuc__library_opened(cuc__library_row_at(0)));
    return NULL;
}

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN true
#elif defined(__has_feature)
#define UNDER_TSAN __has_feature(thread_sanitizer)
#else
#define UNDER_TSAN false
#endif

TEST(a_child_of_a_fork_finds_and_loads_whatever_the_threads_of_its_parent_do)
{
    enum { FORKS = 10 };
    pthread_t thread; // only one, because mutexes are unfair and this thread must get the lock too

    if (UNDER_TSAN)
        return; // the sanitizer hangs in a child of a process with threads
    make_library("pp/nvidia/cu13/lib/" SONAME, SONAME, NULL);
    set("PYTHONPATH", "pp");
    ck_assert_int_eq(pthread_create(&thread, NULL, lock_often, NULL), 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        int status = -1;
        if (child == 0) {
            alarm(20); // a lock whose holder is gone would block forever
            cuc_found *found = NULL;
            cuc_status st = cuc_find_library(&found, LIB);
            void *handle = cuc__library_open(LIB, NULL);
            _exit(st == CUC_OK && handle && cuc_set_library_path("nccl", "/x") == CUC_OK ? 0 : 1);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    stop = true;
    pthread_join(thread, NULL);
}

// The tables

CASE("tables", .setup = setup, .teardown = teardown, .timeout = TIMEOUT);

TEST_RANGE(every_library_has_a_name_of_its_own_and_known_dependencies, 0,
           (int)cuc_find_library_count())
{
    const cuc__library_row *row = cuc__library_row_at((size_t)_i);
    const char *depends = row->depends;
    char word[64];

    ck_assert_ptr_eq(cuc__library_row_named(row->name), row);
    ck_assert_ptr_nonnull(row->sonames);
    while (cuc__next_word(&depends, word, sizeof(word))) {
        const cuc__library_row *other = cuc__library_row_named(word);
        ck_assert_msg(other && other != row, "%s depends on %s", row->name, word);
    }
}

TEST_RANGE(every_header_has_a_name_of_its_own, 0, (int)cuc_find_header_count())
{
    const char *name = cuc_find_header_name((size_t)_i);
    const cuc__header_row *row = cuc__header_row_named(name);

    ck_assert_str_eq(row->name, name);
    ck_assert_ptr_nonnull(row->probe);
    ck_assert_ptr_nonnull(row->wheels);
}

// Restarts the program with a folder that the system's loader searches.
static void start_with_a_system_folder(char **argv)
{
    char dir[] = "/tmp/cucore-find-system-XXXXXX";
    char file[128];
    char self[4096];

    if (!mkdtemp(dir))
        exit(EXIT_FAILURE);
    snprintf(file, sizeof(file), "%s/" SYSTEM_SONAME, dir);
    if (!tiny_elf_write(file, SYSTEM_SONAME, NULL, NULL))
        exit(EXIT_FAILURE);
    setenv(SYSTEM_DIR, dir, 1);
    setenv("LD_LIBRARY_PATH", dir, 1);
    // Do not use /proc/self/exe itself, which is another program under valgrind.
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[length < 0 ? 0 : length] = '\0';
    execv(self, argv);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    (void)argc;
    if (!getenv(SYSTEM_DIR))
        start_with_a_system_folder(argv);
    int status = run_tests("find");
    remove_tree(getenv(SYSTEM_DIR));
    return status;
}
