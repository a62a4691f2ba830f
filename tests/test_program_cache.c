// Programs in a cache: a hit gives what a compilation gives, whatever could change the result is a
// miss, and a hit loads no compiler.
#include "base/array.h"
#include "cache/cache.h"
#include "testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/cucore-programs-XXXXXX";
static cuc_cache *cache;

static const char *below(const char *name)
{
    static char path[8][128];
    static int at;

    at = (at + 1) % CUC_LENGTH(path);
    snprintf(path[at], sizeof(path[at]), "%s/%s", folder, name);
    return path[at];
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(below(name), "w");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void make_folder(void)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_ok(cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = below("cache"))));
}

static void remove_folder(void)
{
    char command[64];

    cuc_cache_release(cache);
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static cuc_cache_info info(void)
{
    cuc_cache_info i = CUC_CACHE_INFO_INIT;

    ck_ok(cuc_cache_get_info(&i, cache));
    return i;
}

// Compiles, and appends everything that a caller can see of the result to a text.
static bool compile(char **result, int32_t language, const char *text, int32_t target,
                    const cuc_program_options *options)
{
    cuc_program_options o = *options;
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    const void *code;
    const char *ptx;
    size_t bytes, size;
    uint64_t hits = info().hits;

    o.cache = o.cache ? o.cache : cache;
    ck_ok(cuc_program_create(&program, language, text, 0, &o));
    ck_ok(cuc_program_compile(&object, program, target));
    FILE *f = open_memstream(result, &size);
    ck_ok(cuc_object_get_code(&code, &bytes, object));
    fprintf(f, "%d %zu\n", cuc_object_kind(object), bytes);
    fwrite(code, 1, bytes, f);
    if (cuc_object_get_ptx(&ptx, &bytes, object) == CUC_OK)
        fwrite(ptx, 1, bytes, f);
    fprintf(f, "\n%s\n%s\n%s\n", cuc_object_name(object), cuc_object_log(object),
            cuc_program_log(program));
    for (size_t i = 0; i < cuc_object_mapping_count(object); i++) {
        cuc_object_mapping m;
        ck_ok(cuc_object_get_mapping(&m, object, i));
        fprintf(f, "%s %s\n", m.expression, m.symbol);
    }
    fclose(f);
    cuc_object_release(object);
    cuc_program_release(program);
    return info().hits > hits;
}

// Fails if an earlier program of the test has the key of this one.
static void expect_new_key(int32_t language, const char *text, int32_t target,
                           const cuc_program_options *options, const char *what)
{
    static unsigned char keys[32][CUC_PROGRAM_KEY_BYTES];
    static int count;

    for (int k = 0; k < 2; k++) {
        unsigned char key[CUC_PROGRAM_KEY_BYTES];
        cuc_program *program = NULL;
        ck_ok(cuc_program_create(&program, language, text, 0, options));
        ck_ok(cuc_program_get_key(key, program, target));
        cuc_program_release(program);
        for (int i = 0; i < count; i++)
            ck_assert_msg((memcmp(keys[i], key, sizeof(key)) == 0) == (k && i == count - 1),
                          "%s: %s key of program %d", what, k ? "not the" : "the", i);
        if (!k) {
            ck_assert_int_lt(count, CUC_LENGTH(keys));
            memcpy(keys[count++], key, sizeof(key));
        }
    }
}

// Compiles twice, and without a cache: a miss, a hit, and the same result. Fails if the first is a
// hit.
static void expect_new(int32_t language, const char *text, int32_t target,
                       const cuc_program_options *options, const char *what)
{
    cuc_program_options none = *options;
    char *first, *second, *third;

    expect_new_key(language, text, target, options, what);
    ck_assert_msg(!compile(&first, language, text, target, options), "%s is a hit", what);
    ck_assert_msg(compile(&second, language, text, target, options), "%s is no hit", what);
    none.cache = cuc_cache_none();
    ck_assert(!compile(&third, language, text, target, &none));
    ck_assert_msg(strcmp(first, second) == 0 && strcmp(first, third) == 0,
                  "%s: a hit differs:\n%s\n%s\n%s", what, first, second, third);
    free(first);
    free(second);
    free(third);
}

// ---- Tile programs

static const char tile[] = "kernel vadd(a: f32[N], b: f32[N], c: f32[N]) const B = 128 "
                           "grid cdiv(N, B) {\n"
                           "    i = block(0)\n"
                           "    store(c, [i], load(a, [i], [B]) + load(b, [i], [B]))\n"
                           "}\n";

START_TEST(whatever_changes_a_tile_program_is_a_miss)
{
    static const char *const constants[] = { "B=256" }, *const dimensions[] = { "N=1000" };
    char longer[sizeof(tile) + 8];
    struct {
        const char *what, *text;
        cuc_program_options o;
    } rows[] = {
        { "the program", tile, { .arch = "sm_90" } },
        { "another architecture", tile, { .arch = "sm_80" } },
        { "all features of it", tile, { .arch = "sm_90a" } },
        { "another text", longer, { .arch = "sm_90" } },
        { "a name", tile, { .arch = "sm_90", .name = "a.tile" } },
        { "a constant", tile, { .arch = "sm_90", .constants = constants, .constant_count = 1 } },
        { "warps", tile, { .arch = "sm_90", .warps = 8 } },
        { "remarks", tile, { .arch = "sm_90", .remarks = CUC_ON } },
        { "contraction", tile, { .arch = "sm_90", .fma = CUC_OFF } },
        { "lines", tile, { .arch = "sm_90", .lineinfo = CUC_ON } },
        { "a dimension",
          tile,
          { .arch = "sm_90", .dimensions = dimensions, .dimension_count = 1 } },
        { "a budget", tile, { .arch = "sm_90", .budget_operations = 1 << 20 } },
        { "seconds", tile, { .arch = "sm_90", .budget_seconds = 10 } },
        { "stages", tile, { .arch = "sm_90", .stages = 3 } },
        { "the current device", tile, { .arch = NULL } },
    };

    strcat(strcpy(longer, tile), "\n");
    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        rows[i].o.struct_size = sizeof(rows[i].o);
        expect_new(CUC_SOURCE_TILE, rows[i].text, CUC_CODE_PTX, &rows[i].o, rows[i].what);
    }
    ck_assert_uint_eq(info().stored, CUC_LENGTH(rows));
}
END_TEST

START_TEST(a_failure_is_not_kept)
{
    cuc_program *program = NULL;
    cuc_object *object = NULL;

    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, "kernel k(a: f32[N]) grid 1 { x }", 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90", .cache = cache)));
    for (int i = 0; i < 2; i++) {
        ck_fails(CUC_ERROR_COMPILE, cuc_program_compile(&object, program, CUC_CODE_PTX), "x");
        ck_assert_int_ne(*cuc_program_log(program), 0);
    }
    cuc_program_release(program);
    ck_assert_uint_eq(info().stored, 0);
    ck_assert_uint_eq(info().entries, 0);
}
END_TEST

START_TEST(a_damaged_entry_is_compiled_again)
{
    char *first, *second, command[160];
    const cuc_program_options o = { .struct_size = sizeof(o), .arch = "sm_90" };

    ck_assert(!compile(&first, CUC_SOURCE_TILE, tile, CUC_CODE_PTX, &o));
    snprintf(command, sizeof(command),
             "for f in $(find %s/cache -mindepth 2 -type f); do printf X | dd of=$f bs=1 seek=200 "
             "conv=notrunc 2>/dev/null; "
             "done",
             folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert(!compile(&second, CUC_SOURCE_TILE, tile, CUC_CODE_PTX, &o));
    ck_assert_str_eq(first, second);
    free(second);
    ck_assert(compile(&second, CUC_SOURCE_TILE, tile, CUC_CODE_PTX, &o));
    ck_assert_str_eq(first, second);
    free(first);
    free(second);
}
END_TEST

START_TEST(processes_compile_a_program_once)
{
    enum { PROCESSES = 16 };
    const cuc_program_options o = { .struct_size = sizeof(o), .arch = "sm_90" };
    int status, stored = 0;
    char *text;

    fflush(NULL);
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0) {
            (void)compile(&text, CUC_SOURCE_TILE, tile, CUC_CODE_PTX, &o);
            _exit((int)info().stored);
        }
    for (int i = 0; i < PROCESSES; i++) {
        ck_assert_int_gt(wait(&status), 0);
        ck_assert(WIFEXITED(status));
        stored += WEXITSTATUS(status);
    }
    ck_assert_int_eq(stored, 1);
}
END_TEST

// ---- CUDA C++

static const char cuda[] =
    "template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= 2; }\n"
    "extern \"C\" __global__ void one(float *x) { int unused; *x = 1; }\n";

static bool is_loaded(const char *library)
{
    char line[600];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");

    while (fgets(line, sizeof(line), f))
        found |= strstr(line, library) != NULL;
    fclose(f);
    return found;
}

START_TEST(whatever_changes_a_cuda_program_is_a_miss)
{
    static const char *const macros[] = { "A=1" }, *const names[] = { "scale<float>" };
    static const cuc_program_header headers[] = { { "h.h", "// nothing", 0 } };
    char longer[sizeof(cuda) + 8];
    struct {
        const char *what, *text;
        int32_t target;
        cuc_program_options o;
    } rows[] = {
        { "the program", cuda, CUC_CODE_PTX, { .arch = "sm_90" } },
        { "a cubin", cuda, CUC_CODE_CUBIN, { .arch = "sm_90" } },
        { "LTO-IR", cuda, CUC_CODE_LTOIR, { .arch = "sm_90" } },
        { "another architecture", cuda, CUC_CODE_PTX, { .arch = "sm_80" } },
        { "another text", longer, CUC_CODE_PTX, { .arch = "sm_90" } },
        { "a name", cuda, CUC_CODE_PTX, { .arch = "sm_90", .name = "a.cu" } },
        { "a macro",
          cuda,
          CUC_CODE_PTX,
          { .arch = "sm_90", .define_macros = macros, .define_macro_count = 1 } },
        { "a header",
          cuda,
          CUC_CODE_PTX,
          { .arch = "sm_90", .headers = headers, .header_count = 1 } },
        { "an expression",
          cuda,
          CUC_CODE_PTX,
          { .arch = "sm_90", .name_expressions = names, .name_expression_count = 1 } },
        { "an expression's cubin",
          cuda,
          CUC_CODE_CUBIN,
          { .arch = "sm_90", .name_expressions = names, .name_expression_count = 1 } },
        { "fast math", cuda, CUC_CODE_PTX, { .arch = "sm_90", .use_fast_math = CUC_ON } },
        { "a standard", cuda, CUC_CODE_PTX, { .arch = "sm_90", .std = "c++20" } },
        { "no headers", cuda, CUC_CODE_PTX, { .arch = "sm_90", .no_default_headers = CUC_ON } },
    };

    if (testing_lacks("nvrtc"))
        return;
    strcat(strcpy(longer, cuda), "\n");
    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        rows[i].o.struct_size = sizeof(rows[i].o);
        expect_new(CUC_SOURCE_CUDA, rows[i].text, rows[i].target, &rows[i].o, rows[i].what);
    }
    ck_assert_uint_eq(info().stored, CUC_LENGTH(rows));
}
END_TEST

// Compiles in a child, which begins without a compiler.
static int compile_in_child(bool *loaded, uint64_t *ns, int32_t language)
{
    static const char *const names[] = { "scale<float>" };
    int status, result[2];
    struct answer {
        bool hit, loaded;
        uint64_t ns;
    } answer = { 0 };

    ck_assert_int_eq(pipe(result), 0);
    fflush(NULL);
    if (fork() == 0) {
        const cuc_program_options o = { .struct_size = sizeof(o),
                                        .arch = "sm_90",
                                        .name_expressions = names,
                                        .name_expression_count = language == CUC_SOURCE_CUDA };
        const char *source = language == CUC_SOURCE_CUDA ? cuda : tile;
        struct timespec start, end;
        char *text;
        clock_gettime(CLOCK_MONOTONIC, &start);
        answer.hit = compile(&text, language, source, CUC_CODE_CUBIN, &o);
        clock_gettime(CLOCK_MONOTONIC, &end);
        answer.ns =
            (uint64_t)((end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec);
        answer.loaded = is_loaded("libnvrtc") || is_loaded("libnvJitLink");
        _exit(write(result[1], &answer, sizeof(answer)) != (ssize_t)sizeof(answer));
    }
    ck_assert_int_gt(wait(&status), 0);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(read(result[0], &answer, sizeof(answer)), sizeof(answer));
    close(result[0]);
    close(result[1]);
    *loaded = answer.loaded;
    *ns = answer.ns;
    return answer.hit;
}

START_TEST(a_hit_loads_no_compiler)
{
    static const struct {
        int32_t language;
        const char *library;
    } rows[] = { { CUC_SOURCE_CUDA, "nvrtc" }, { CUC_SOURCE_TILE, "nvjitlink" } };
    uint64_t ns;
    bool loaded;

    if (testing_lacks(rows[_i].library))
        return;
    ck_assert(!compile_in_child(&loaded, &ns, rows[_i].language));
    ck_assert(loaded);
    printf("a miss in a new process: %.2f ms\n", (double)ns / 1e6);
    ck_assert(compile_in_child(&loaded, &ns, rows[_i].language));
    ck_assert(!loaded);
    printf("a hit in a new process: %.2f ms\n", (double)ns / 1e6);
}
END_TEST

static void touch(const char *path)
{
    const struct timespec times[2] = { { 1000000000, 0 }, { 1000000000, 0 } };

    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

START_TEST(another_compiler_is_a_miss)
{
    cuc_found *found = NULL;
    char command[600], path[128], *text;
    const cuc_program_options o = { .struct_size = sizeof(o), .arch = "sm_90" };

    if (testing_lacks("nvrtc"))
        return;
    ck_ok(cuc_find_library(&found, "nvrtc"));
    snprintf(path, sizeof(path), "%s", below("libnvrtc.so.13"));
    snprintf(command, sizeof(command), "cp -L '%s' '%s'", cuc_found_path(found), path);
    cuc_found_release(found);
    ck_assert_int_eq(system(command), 0);
    ck_ok(cuc_set_library_path("nvrtc", path));
    ck_assert(!compile(&text, CUC_SOURCE_CUDA, cuda, CUC_CODE_PTX, &o));
    free(text);
    ck_assert(compile(&text, CUC_SOURCE_CUDA, cuda, CUC_CODE_PTX, &o));
    free(text);
    touch(path); // as an update does
    ck_assert(!compile(&text, CUC_SOURCE_CUDA, cuda, CUC_CODE_PTX, &o));
    free(text);
}
END_TEST

START_TEST(included_files_count)
{
    static const char source[] = "#include \"a.h\"\n"
                                 "#ifdef NEVER\n#include <missing.h>\n#endif\n"
                                 "extern \"C\" __global__ void k(int *x) { *x = A + B; }\n";
    const char *paths[2];
    char first[128], second[128];
    const cuc_program_options o = { .struct_size = sizeof(o),
                                    .arch = "sm_90",
                                    .include_paths = paths,
                                    .include_path_count = 2,
                                    .no_default_headers = CUC_ON };

    if (testing_lacks("nvrtc"))
        return;
    paths[0] = strcpy(first, below("first"));
    paths[1] = strcpy(second, below("second"));
    ck_assert_int_eq(mkdir(first, 0755) | mkdir(second, 0755), 0);
    write_file("second/a.h", "#pragma once\n # /* x */ include /* y */ <b.h>\n#define A 1\n");
    write_file("second/b.h", "#include \"a.h\"\n#define B 2\n");
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "the program");
    write_file("second/b.h", "#define B 3\n");
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "a changed file that a file includes");
    write_file("first/b.h", "#define B 4\n");
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "a new file in front of another");
    write_file("second/missing.h", "#define C 5\n");
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "a file that was missing");
    write_file("second/missing.h", "#\\\ninc\\\nlude \"c.h\"\n");
    write_file("second/c.h", "#define C 5\n");
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "a directive on several lines");
    write_file("second/c.h", "#define C 6\n");
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "the file it names");
    write_file("second/c.h", "\xEF\xBB\xBF#include \"d.h\"\n");
    write_file("second/d.h", "");
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "a byte order mark");
    write_file("second/d.h", "/* a\n b */ %:include <e.h>\n");
    write_file("second/e.h", "");
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "another spelling");
    write_file("second/e.h", "// e\n");
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "the file that it names");
}
END_TEST

// Without any include path, the current folder and the source's own are searched.
START_TEST(folders_without_an_option_count)
{
    static const struct {
        const char *name, *file;
    } rows[] = { { "a.cu", "x.h" }, { "second/a.cu", "second/x.h" } };
    static const char source[] = "#include \"x.h\"\n";

    if (testing_lacks("nvrtc"))
        return;
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir("second", 0755), 0);
    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        const cuc_program_options o = { .struct_size = sizeof(o),
                                        .name = rows[i].name,
                                        .arch = "sm_90",
                                        .no_default_headers = CUC_ON };
        write_file(rows[i].file, "__device__ int x = 1;\n");
        expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, rows[i].name);
        write_file(rows[i].file, "__device__ int x = 2;\n");
        expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, rows[i].file);
        ck_assert_int_eq(remove(rows[i].file), 0);
    }
}
END_TEST

// Files that have been there for a while are listed with their times, and are not read again.
START_TEST(files_are_known_by_their_times)
{
    static const char source[] = "#include \"a.h\"\n#include \"b.h\"\n";
    static const char *paths[1];
    const cuc_program_options o = { .struct_size = sizeof(o),
                                    .arch = "sm_90",
                                    .include_paths = paths,
                                    .include_path_count = 1,
                                    .headers = &(cuc_program_header){ "b.h", "//", 0 },
                                    .header_count = 1,
                                    .no_default_headers = CUC_ON };
    struct stat before, after;

    if (testing_lacks("nvrtc"))
        return;
    paths[0] = folder;
    write_file("a.h", "__device__ int a = 1;\n");
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "the program");
    ck_assert_uint_eq(info().entries, 1); // new files are not listed
    testing_sleep_ms(3100);
    char *text;
    ck_assert(compile(&text, CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o));
    free(text);
    ck_assert_uint_eq(info().entries, 2);
    ck_assert(compile(&text, CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o));
    free(text);
    // A change that keeps size and time, as some tools make it.
    ck_assert_int_eq(stat(below("a.h"), &before), 0);
    write_file("a.h", "__device__ int a = 2;\n");
    const struct timespec times[2] = { before.st_mtim, before.st_mtim };
    ck_assert_int_eq(utimensat(AT_FDCWD, below("a.h"), times, 0), 0);
    ck_assert_int_eq(stat(below("a.h"), &after), 0);
    ck_assert(after.st_size == before.st_size && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "a change that keeps size and time");
    // Back again: the contents count, not the times.
    write_file("a.h", "__device__ int a = 1;\n");
    ck_assert(compile(&text, CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o));
    free(text);
}
END_TEST

START_TEST(what_cannot_be_known_is_not_cached)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        { "#define H \"h.h\"\n#include H\n", "does not name its file" },
        { "#if __has_include(<h.h>)\n#endif\n", "__has_include" },
        { "#if 0\n#include_next <h.h>\n#endif\n", "#include_next" },
        { "__device__ const char *t = __TIME__;\n", "__TIME__" },
        { "__device__ const char *t = __DATE__;\n", "__DATE__" },
        { "#if 0\n# /* a\n b */ include \"h.h\"\n#endif\n", "comment of several lines" },
        { "#define X \\ \n", "backslash and blanks" },
    };
    static const char *const options[] = { "--dopt=on" };
    static const cuc_program_header header = { "h.h", "\n", 0 };
    unsigned char key[CUC_PROGRAM_KEY_BYTES];
    cuc_program *program = NULL;
    cuc_object *object = NULL;

    if (testing_lacks("nvrtc"))
        return;
    for (int i = 0; i <= CUC_LENGTH(rows); i++) {
        bool last = i == CUC_LENGTH(rows);
        ck_ok(cuc_program_create(&program, CUC_SOURCE_CUDA, last ? "// nothing" : rows[i].text, 0,
                                 CUC_PROGRAM_OPTIONS(.arch = "sm_90", .cache = cache,
                                                     .headers = &header, .header_count = 1,
                                                     .extra_options = options,
                                                     .extra_option_count = last)));
        ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_program_get_key(key, program, CUC_CODE_PTX),
                 "program.cu has no key", last ? "extra_options" : rows[i].why);
        for (int k = 0; k < 2; k++) {
            ck_ok(cuc_program_compile(&object, program, CUC_CODE_PTX));
            const char *log = cuc_program_log(program);
            ck_assert_msg(strstr(log, "cucore: not cached: ") &&
                              strstr(log, last ? "extra_options" : rows[i].why),
                          "%s: %s", rows[i].text, log);
            cuc_object_release(object);
        }
        cuc_program_release(program);
    }
    ck_assert_uint_eq(info().stored, 0);
}
END_TEST

START_TEST(keys_that_are_refused)
{
    unsigned char key[CUC_PROGRAM_KEY_BYTES] = { 7 };
    cuc_program *program = NULL, *ptx = NULL;

    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, tile, 0, NULL));
    ck_ok(cuc_program_create(&ptx, CUC_SOURCE_PTX, ".version 8.0", 0, NULL));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_get_key(NULL, program, CUC_CODE_PTX),
             "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_get_key(key, NULL, CUC_CODE_PTX),
             "program is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_get_key(key, program, CUC_CODE_FATBIN),
             "target is", "expected CUC_CODE_PTX");
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_program_get_key(key, ptx, CUC_CODE_CUBIN),
             "PTX sources are not cached");
    ck_assert_int_eq(key[0], 7);
    cuc_program_release(program);
    cuc_program_release(ptx);
}
END_TEST

START_TEST(a_hit_takes_less_than_a_millisecond)
{
    enum { ROUNDS = 200 };
    static const struct {
        int32_t language, target;
        const char *text;
    } rows[] = { { CUC_SOURCE_TILE, CUC_CODE_PTX, tile },
                 { CUC_SOURCE_CUDA, CUC_CODE_CUBIN, cuda } };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_program *program = NULL;
        cuc_object *object = NULL;
        uint64_t least = UINT64_MAX;
        if (rows[i].language == CUC_SOURCE_CUDA && testing_lacks("nvrtc"))
            return;
        ck_ok(cuc_program_create(&program, rows[i].language, rows[i].text, 0,
                                 CUC_PROGRAM_OPTIONS(.arch = "sm_90", .cache = cache)));
        for (int k = 0; k < ROUNDS; k++) {
            ck_ok(cuc_program_compile(&object, program, rows[i].target));
            cuc_object_release(object);
            if (!k)
                printf("a miss: %.3f ms\n", (double)cuc_program_compile_ns(program) / 1e6);
            else if (cuc_program_compile_ns(program) < least)
                least = cuc_program_compile_ns(program);
        }
        printf("a hit: %.3f ms\n", (double)least / 1e6);
        ck_assert_uint_lt(least, 1000000);
        cuc_program_release(program);
    }
}
END_TEST

START_TEST(a_program_keeps_its_cache)
{
    cuc_program *program = NULL;

    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, tile, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90", .cache = cache)));
    cuc_cache_release(cache); // the program keeps it
    cuc_object *object = NULL;
    ck_ok(cuc_program_compile(&object, program, CUC_CODE_PTX));
    cuc_object_release(object);
    cuc_program_release(program);
    cache = NULL;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("program_cache");
    TCase *tests = tcase_create("programs");

    tcase_set_timeout(tests, 100);
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, whatever_changes_a_tile_program_is_a_miss);
    tcase_add_test(tests, a_failure_is_not_kept);
    tcase_add_test(tests, a_damaged_entry_is_compiled_again);
    tcase_add_test(tests, processes_compile_a_program_once);
    tcase_add_test(tests, whatever_changes_a_cuda_program_is_a_miss);
    tcase_add_loop_test(tests, a_hit_loads_no_compiler, 0, 2);
    tcase_add_test(tests, another_compiler_is_a_miss);
    tcase_add_test(tests, included_files_count);
    tcase_add_test(tests, folders_without_an_option_count);
    tcase_add_test(tests, files_are_known_by_their_times);
    tcase_add_test(tests, what_cannot_be_known_is_not_cached);
    tcase_add_test(tests, keys_that_are_refused);
    tcase_add_test(tests, a_hit_takes_less_than_a_millisecond);
    tcase_add_test(tests, a_program_keeps_its_cache);
    suite_add_tcase(suite, tests);
    return testing_main(suite, 0);
}
