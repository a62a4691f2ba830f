// Tests programs with a cache: a hit gives the same result as a compilation, a change of anything
// that could affect the result is a miss, and a hit loads no compiler.
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

// Compiles, and appends to a text everything that a caller can see of the result.
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
    testing_print_hash(f, code, bytes);
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

// Fails if an earlier program of the test has the same key.
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

// Compiles twice, and then without a cache. Expects a miss, a hit, and equal results; fails if the
// first compilation is a hit.
static void expect_new(int32_t language, const char *text, int32_t target,
                       const cuc_program_options *options, const char *what)
{
    cuc_program_options none = *options;
    char *first, *second, *third;

    if (language != CUC_SOURCE_PTX)
        expect_new_key(language, text, target, options, what);
    ck_assert_msg(!compile(&first, language, text, target, options), "%s is a hit", what);
    ck_assert_msg(compile(&second, language, text, target, options), "%s is not a hit", what);
    none.cache = cuc_cache_none();
    ck_assert(!compile(&third, language, text, target, &none));
    ck_assert_msg(strcmp(first, second) == 0 && strcmp(first, third) == 0,
                  "%s: a hit differs:\n%s\n%s\n%s", what, first, second, third);
    free(first);
    free(second);
    free(third);
}

// Checks that each result was compiled once and found once.
static void expect_counts(uint64_t results)
{
    cuc_cache_info i = info();

    ck_assert_uint_eq(i.misses, results);
    ck_assert_uint_eq(i.stored, results);
    ck_assert_uint_eq(i.hits, results);
}

// ---- Tile programs

static const char tile[] = "kernel vadd(a: f32[N], b: f32[N], c: f32[N]) const B = 128 "
                           "grid cdiv(N, B) {\n"
                           "    i = block(0)\n"
                           "    store(c, [i], load(a, [i], [B]) + load(b, [i], [B]))\n"
                           "}\n";

CASE("programs", .setup = make_folder, .teardown = remove_folder, .timeout = 100);

TEST(whatever_changes_a_tile_program_is_a_miss)
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
    expect_counts(CUC_LENGTH(rows));
}

static const char choosing[] =
    "kernel vadd(a: f32[N], b: f32[N], c: f32[N]) const B = auto(64, 128, "
    "256) grid cdiv(N, B) {\n"
    "    i = block(0)\n"
    "    store(c, [i], load(a, [i], [B]) + load(b, [i], [B]))\n"
    "}\n";
static const char *const thousand[] = { "N=1000" };

static void add_record(const char *choice, const char *text, const char *kernel)
{
    cuc_tuned_record r = CUC_TUNED_RECORD_INIT;
    cuc_device *device;
    char program[17];

    ck_ok(cuc_device_get_current(&device));
    ck_ok(cuc_tuned_program(program, text, 0));
    r.gpu = cuc_device_name(device);
    r.toolkit = "13.0";
    r.program = program;
    r.kernel = kernel;
    r.constants = "";
    r.dimensions = "N=1000";
    r.choice = choice;
    r.seconds = 1;
    ck_ok(cuc_tuned_add(below("tuned.tsv"), &r));
}

// For the current device, tuning records may choose the program's constants.
TEST(a_record_of_the_device_counts)
{
    static const char *const other[] = { "N=2000" };
    char tuned[128], *first, *text;
    cuc_program_options o = { .struct_size = sizeof(o),
                              .dimensions = thousand,
                              .dimension_count = 1,
                              .remarks = CUC_ON,
                              .tuned = strcpy(tuned, below("tuned.tsv")) };

    write_file("tuned.tsv", "cucore-tuned 1\n");
    expect_new(CUC_SOURCE_TILE, choosing, CUC_CODE_PTX, &o, "no record");
    add_record("B=64", choosing, "vadd");
    expect_new(CUC_SOURCE_TILE, choosing, CUC_CODE_PTX, &o, "a record");
    ck_assert(compile(&first, CUC_SOURCE_TILE, choosing, CUC_CODE_PTX, &o));
    add_record("B=256", choosing, "vadd");
    expect_new(CUC_SOURCE_TILE, choosing, CUC_CODE_PTX, &o, "another choice");
    ck_assert(compile(&text, CUC_SOURCE_TILE, choosing, CUC_CODE_PTX, &o));
    ck_assert_str_ne(text, first); // the record had an effect
    free(text);
    add_record("B=64", tile, "vadd");
    ck_assert(compile(&text, CUC_SOURCE_TILE, choosing, CUC_CODE_PTX, &o)); // another program
    free(text);
    o.dimensions = other;
    expect_new(CUC_SOURCE_TILE, choosing, CUC_CODE_PTX, &o, "other dimensions");
    o.dimensions = thousand;
    add_record("B=64", choosing, "vadd");
    ck_assert(compile(&text, CUC_SOURCE_TILE, choosing, CUC_CODE_PTX, &o)); // as before
    ck_assert_str_eq(text, first);
    free(text);
    free(first);
    write_file("tuned.tsv", "cucore-tuned 1\nx\n");
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    o.cache = cache;
    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, choosing, 0, &o));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_compile(&object, program, CUC_CODE_PTX),
             "tuned.tsv, line 2: expected 8 fields");
    cuc_program_release(program);
}

// Builds vadd with tiles of `size` elements. The caller frees the source.
static char *built(int32_t line, int64_t size)
{
    cuc_tile_program *program = NULL;
    const char *source;
    char *copy;

    ck_ok(cuc_tile_program_create(&program));
#define K program, __FILE__, (uint32_t)(line)
    cuc_tile_kernel_begin(K, "vadd");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N"), b = cuc_tile_tensor(K, "b", CUC_F32, "N");
    cuc_tile c = cuc_tile_tensor(K, "c", CUC_F32, "N");
    cuc_tile_grid(K, size == 128 ? "cdiv(N, 128)" : "cdiv(N, 256)");
    cuc_tile i = cuc_tile_block(K, 0);
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(i), 1, &size, NULL);
    cuc_tile y = cuc_tile_load(K, b, CUC_TILES(i), 1, &size, NULL);
    cuc_tile_store(K, c, CUC_TILES(i), cuc_tile_add(K, x, y), NULL);
    cuc_tile_kernel_end(K);
#undef K
    ck_ok(cuc_tile_program_finish(&source, program));
    copy = strdup(source);
    cuc_tile_program_release(program);
    return copy;
}

// The C builder produces source text, and the cache finds the builder's programs by this text.
TEST(a_built_program_is_found)
{
    const cuc_program_options o = { .struct_size = sizeof(o), .arch = "sm_90" };
    int32_t target = testing_lacks("nvjitlink") ? CUC_CODE_PTX : CUC_CODE_CUBIN;
    char *first = built(10, 128), *second = built(99, 128), *other = built(10, 256), *text;

    expect_new(CUC_SOURCE_TILE, first, target, &o, "a built program");
    ck_assert(compile(&text, CUC_SOURCE_TILE, second, target, &o));
    free(text);
    expect_new(CUC_SOURCE_TILE, other, target, &o, "another size");
    free(first);
    free(second);
    free(other);
}

static int32_t change_record(void *user)
{
    if (!*(bool *)user)
        add_record("B=64", choosing, "vadd");
    *(bool *)user = true;
    return 0;
}

// The compiler may have read the file either before or after the change.
TEST(a_result_is_not_cached_if_a_file_changes_meanwhile)
{
    bool changed = false;
    char tuned[128], *text;
    const cuc_program_options o = { .struct_size = sizeof(o),
                                    .dimensions = thousand,
                                    .dimension_count = 1,
                                    .tuned = strcpy(tuned, below("tuned.tsv")),
                                    .cancel = change_record,
                                    .cancel_user = &changed };

    write_file("tuned.tsv", "cucore-tuned 1\n");
    ck_assert(!compile(&text, CUC_SOURCE_TILE, choosing, CUC_CODE_PTX, &o));
    free(text);
    ck_assert(changed);
    ck_assert_uint_eq(info().stored, 0);
    ck_assert(!compile(&text, CUC_SOURCE_TILE, choosing, CUC_CODE_PTX, &o));
    free(text);
    ck_assert_uint_eq(info().stored, 1);
}

TEST(a_failure_is_not_cached)
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

TEST(a_damaged_entry_is_compiled_again)
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

TEST(processes_compile_a_program_once)
{
    enum { PROCESSES = 16 };
    const cuc_program_options o = { .struct_size = sizeof(o), .arch = "sm_90" };
    int status, compiled = 0;
    char *text;

    fflush(NULL);
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0) {
            (void)compile(&text, CUC_SOURCE_TILE, tile, CUC_CODE_PTX, &o);
            // A thread that waited for the lock and then found the entry counts as a hit, not as a
            // miss.
            cuc_cache_info now = info();
            _exit(now.hits + now.misses == 1 && now.stored == now.misses ? (int)now.stored : 99);
        }
    for (int i = 0; i < PROCESSES; i++) {
        ck_assert_int_gt(wait(&status), 0);
        ck_assert(WIFEXITED(status));
        compiled += WEXITSTATUS(status);
    }
    ck_assert_int_eq(compiled, 1);
}

// ---- CUDA C++

static const char cuda[] =
    "template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= 2; }\n"
    "extern \"C\" __global__ void one(float *x) { int unused; *x = 1; }\n";

TEST(whatever_changes_a_cuda_program_is_a_miss)
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
    expect_counts(CUC_LENGTH(rows));
}

// ---- PTX

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k(.param .u64 a) { ret; }\n";

TEST(whatever_changes_a_ptx_program_is_a_miss)
{
    char longer[sizeof(ptx) + 8];
    struct {
        const char *what, *text;
        cuc_program_options o;
    } rows[] = {
        { "the program", ptx, { .arch = "sm_90" } },
        { "another architecture", ptx, { .arch = "sm_100" } },
        { "another text", longer, { .arch = "sm_90" } },
        { "a name", ptx, { .arch = "sm_90", .name = "a.ptx" } },
        { "registers", ptx, { .arch = "sm_90", .max_register_count = 32 } },
        { "lines", ptx, { .arch = "sm_90", .lineinfo = CUC_ON } },
    };

    if (testing_lacks("nvjitlink"))
        return;
    strcat(strcpy(longer, ptx), "\n");
    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        rows[i].o.struct_size = sizeof(rows[i].o);
        expect_new(CUC_SOURCE_PTX, rows[i].text, CUC_CODE_CUBIN, &rows[i].o, rows[i].what);
    }
    expect_counts(CUC_LENGTH(rows));
}

// ---- Compilers

// Compiles in a child process, which starts without a compiler.
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
        const char *source = language == CUC_SOURCE_CUDA  ? cuda
                             : language == CUC_SOURCE_PTX ? ptx
                                                          : tile;
        struct timespec start, end;
        char *text;
        clock_gettime(CLOCK_MONOTONIC, &start);
        answer.hit = compile(&text, language, source, CUC_CODE_CUBIN, &o);
        clock_gettime(CLOCK_MONOTONIC, &end);
        answer.ns =
            (uint64_t)((end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec);
        answer.loaded = testing_maps("libnvrtc") || testing_maps("libnvJitLink");
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

TEST_RANGE(a_hit_loads_no_compiler, 0, 2)
{
    static const struct {
        int32_t language;
        const char *library;
    } rows[] = { { CUC_SOURCE_CUDA, "nvrtc" },
                 { CUC_SOURCE_TILE, "nvjitlink" },
                 { CUC_SOURCE_PTX, "nvjitlink" } };
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

static void touch(const char *path)
{
    const struct timespec times[2] = { { 1000000000, 0 }, { 1000000000, 0 } };

    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST(another_compiler_is_a_miss)
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
    touch(path); // as a library update does
    ck_assert(!compile(&text, CUC_SOURCE_CUDA, cuda, CUC_CODE_PTX, &o));
    free(text);
    write_file("libnvrtc-builtins.so.99.9", ""); // NVRTC loads a library with such a name
    ck_assert(!compile(&text, CUC_SOURCE_CUDA, cuda, CUC_CODE_PTX, &o));
    free(text);
    touch(below("libnvrtc-builtins.so.99.9"));
    ck_assert(!compile(&text, CUC_SOURCE_CUDA, cuda, CUC_CODE_PTX, &o));
    free(text);
}

TEST(included_files_are_in_the_key)
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

// Without any include path, NVRTC searches the current folder and the source's own folder.
TEST(default_folders_are_in_the_key)
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

// Files that NVRTC finds in ways other than a plain #include. Each of them makes a different
// program.
TEST_RANGE(files_found_in_other_ways_are_in_the_key, 0, 6)
{
    static const struct {
        const char *text, *file, *contents;
    } rows[] = {
        { "#if __has_include(<a.h>)\n__device__ int x;\n#endif\n", "a.h", "" },
        { "#include <def.h>\n#if HAS(<sub/a.h>)\n__device__ int x;\n#endif\n", "sub/a.h", "" },
        { "#if __has_include(<a>)\n__device__ int x;\n#endif\n", "a.stdh", "" },
        { "#include <last>\n", "last.stdh", "__device__ int x;\n" },
        { "#include \"memory/h.h\"\n", "memory/beside.h", "__device__ int x;\n" },
        { "#define H <root/a.h>\n#define root sub\n#include H\n", "sub/a.h",
          "__device__ int x;\n" },
    };
    static const cuc_program_header memory[] = {
        { "memory/h.h", "#if __has_include(\"beside.h\")\n#include \"beside.h\"\n#endif\n", 0 },
        { "def.h", "#define HAS(X) __has_include(X)\n", 0 },
        { "root/a.h", "", 0 },
    };
    const char *paths[] = { ".", "last" };
    const cuc_program_options o = { .struct_size = sizeof(o),
                                    .arch = "sm_90",
                                    .headers = memory,
                                    .header_count = CUC_LENGTH(memory),
                                    .include_paths = paths,
                                    .include_path_count = CUC_LENGTH(paths),
                                    .no_default_headers = CUC_ON };
    char *before, *after;

    if (testing_lacks("nvrtc"))
        return;
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir("last", 0755) | mkdir("sub", 0755) | mkdir("memory", 0755), 0);
    write_file("last/last", "__device__ int y;\n");
    write_file(rows[_i].file, rows[_i].contents);
    expect_new(CUC_SOURCE_CUDA, rows[_i].text, CUC_CODE_PTX, &o, rows[_i].text);
    ck_assert(compile(&before, CUC_SOURCE_CUDA, rows[_i].text, CUC_CODE_PTX, &o));
    ck_assert_int_eq(remove(rows[_i].file), 0);
    if (strstr(rows[_i].text, "#include H"))
        write_file(rows[_i].file, "\n"); // the file must exist
    expect_new(CUC_SOURCE_CUDA, rows[_i].text, CUC_CODE_PTX, &o, rows[_i].file);
    ck_assert(compile(&after, CUC_SOURCE_CUDA, rows[_i].text, CUC_CODE_PTX, &o));
    ck_assert_msg(strcmp(before, after) != 0, "%s has no effect: %s", rows[_i].file, after);
    free(before);
    free(after);
}

static bool has_cccl(void)
{
    cuc_found *found = NULL;
    cuc_status st = cuc_find_header_dir(&found, "cccl");

    cuc_found_release(found);
    return st == CUC_OK;
}

// CCCL's headers use __has_include through a macro, and include files through macros.
TEST_RANGE(headers_of_cccl_are_cached, 0, 2)
{
    static const char *const rows[] = {
        "#include <cuda/std/type_traits>\n__global__ void k(cuda::std::void_t<int> *x) {}\n",
        "#include <cub/block/block_reduce.cuh>\n__device__ cub::BlockReduce<int, 32> *x;\n",
    };
    const char *paths[] = { folder };
    const cuc_program_options o = {
        .struct_size = sizeof(o), .arch = "sm_90", .include_paths = paths, .include_path_count = 1
    };
    struct timespec start, middle, end;
    char *text;

    if (testing_lacks("nvrtc"))
        return;
    if (!has_cccl())
        SKIP("there are no headers of CCCL");
    clock_gettime(CLOCK_MONOTONIC, &start);
    ck_assert(!compile(&text, CUC_SOURCE_CUDA, rows[_i], CUC_CODE_PTX, &o));
    ck_assert_msg(!strstr(text, "not cached"), "%s", text);
    free(text);
    clock_gettime(CLOCK_MONOTONIC, &middle);
    ck_assert(compile(&text, CUC_SOURCE_CUDA, rows[_i], CUC_CODE_PTX, &o));
    free(text);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.*s: a miss %ld ms, a hit %ld ms\n", (int)strcspn(rows[_i], "\n"), rows[_i],
           (long)(middle.tv_sec - start.tv_sec) * 1000 + (middle.tv_nsec - start.tv_nsec) / 1000000,
           (long)(end.tv_sec - middle.tv_sec) * 1000 + (end.tv_nsec - middle.tv_nsec) / 1000000);
    if (_i)
        return;
    // Shadow a header that other headers include.
    ck_assert_int_eq(mkdir(below("cuda"), 0755) | mkdir(below("cuda/std"), 0755) |
                         mkdir(below("cuda/std/__type_traits"), 0755),
                     0);
    write_file("cuda/std/__type_traits/void_t.h",
               "#pragma once\n#include_next <cuda/std/__type_traits/void_t.h>\n"
               "__device__ int shadow;\n");
    ck_assert(!compile(&text, CUC_SOURCE_CUDA, rows[_i], CUC_CODE_PTX, &o));
    ck_assert_msg(strstr(text, "shadow"), "%s", text);
    free(text);
}

// Files that have existed for a while are not read again. If newer files had to be read, the list
// is written again.
TEST(files_are_known_by_their_times)
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
    ck_assert_uint_eq(info().entries, 2); // the program and the list
    testing_sleep_ms(3100);
    char *text;
    ck_assert(compile(&text, CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o));
    free(text);
    ck_assert_uint_eq(info().entries, 2);
    ck_assert(compile(&text, CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o));
    free(text);
    // Make a change that keeps size and time, as some tools do.
    ck_assert_int_eq(stat(below("a.h"), &before), 0);
    write_file("a.h", "__device__ int a = 2;\n");
    const struct timespec times[2] = { before.st_mtim, before.st_mtim };
    ck_assert_int_eq(utimensat(AT_FDCWD, below("a.h"), times, 0), 0);
    ck_assert_int_eq(stat(below("a.h"), &after), 0);
    ck_assert(after.st_size == before.st_size && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
    expect_new(CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o, "a change that keeps size and time");
    // Restore the contents: contents count, not times.
    write_file("a.h", "__device__ int a = 1;\n");
    ck_assert(compile(&text, CUC_SOURCE_CUDA, source, CUC_CODE_PTX, &o));
    free(text);
}

// Another source with the same directives uses the first one's list, although the first one failed.
TEST(a_list_serves_other_sources)
{
    static const char *paths[1];
    const cuc_program_options o = { .struct_size = sizeof(o),
                                    .arch = "sm_90",
                                    .include_paths = paths,
                                    .include_path_count = 1,
                                    .no_default_headers = CUC_ON,
                                    .cache = cache };
    cuc_program *program = NULL;
    cuc_object *object = NULL;

    if (testing_lacks("nvrtc"))
        return;
    paths[0] = folder;
    write_file("a.h", "__device__ int a = 1;\n");
    ck_ok(cuc_program_create(&program, CUC_SOURCE_CUDA, "#include \"a.h\"\nwrong\n", 0, &o));
    ck_fails(CUC_ERROR_COMPILE, cuc_program_compile(&object, program, CUC_CODE_PTX),
             "does not compile");
    cuc_program_release(program);
    ck_assert_uint_eq(info().entries, 1); // only the list
    expect_new(CUC_SOURCE_CUDA, "#include \"a.h\"\n__device__ int b;\n", CUC_CODE_PTX, &o, "one");
    ck_assert_uint_eq(info().entries, 2);
    expect_new(CUC_SOURCE_CUDA, "#include \"a.h\"\n__device__ int c;\n", CUC_CODE_PTX, &o, "two");
    ck_assert_uint_eq(info().entries, 3);
    // A changed header invalidates the list for both.
    write_file("a.h", "__device__ int a = 2;\n");
    expect_new(CUC_SOURCE_CUDA, "#include \"a.h\"\n__device__ int b;\n", CUC_CODE_PTX, &o,
               "a changed header");
    expect_new(CUC_SOURCE_CUDA, "#include \"a.h\"\n__device__ int c;\n", CUC_CODE_PTX, &o,
               "a changed header of another source");
    ck_assert_uint_eq(info().entries, 5);
}

static void expect_uncached(int32_t language, const char *text, int32_t target,
                            const cuc_program_options *options, const char *why)
{
    cuc_program_options o = *options;
    unsigned char key[CUC_PROGRAM_KEY_BYTES];
    cuc_program *program = NULL;
    cuc_object *object = NULL;

    o.cache = cache;
    ck_ok(cuc_program_create(&program, language, text, 0, &o));
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_program_get_key(key, program, target), "has no key", why);
    for (int k = 0; k < 2; k++) {
        ck_ok(cuc_program_compile(&object, program, target));
        const char *log = cuc_program_log(program);
        ck_assert_msg(strstr(log, "cucore: not cached: ") && strstr(log, why), "%s, %s: %s", text,
                      why, log);
        cuc_object_release(object);
    }
    cuc_program_release(program);
}

TEST(programs_with_an_uncertain_key_are_not_cached)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        { "#define H(X) <X>\n#include H(h.h)\n", "does not name its file" },
        { "#define H <h.h>\n#if __has_include(H)\n#endif\n", "__has_include" },
        { "#if 0\n#import <h.h>\n#endif\n", "#import" },
        { "__device__ const char *t = __TIME__;\n", "__TIME__" },
        { "__device__ const char *t = __DATE__;\n", "__DATE__" },
        { "#if 0\n# /* a\n b */ include \"h.h\"\n#endif\n", "comment of several lines" },
        { "#define X \\ \n", "backslash and blanks" },
    };
    static const cuc_program_header header = { "h.h", "\n", 0 };

    if (testing_lacks("nvrtc"))
        return;
    for (int i = 0; i < CUC_LENGTH(rows); i++)
        expect_uncached(CUC_SOURCE_CUDA, rows[i].text, CUC_CODE_PTX,
                        CUC_PROGRAM_OPTIONS(.arch = "sm_90", .headers = &header, .header_count = 1),
                        rows[i].why);
    ck_assert_uint_eq(info().stored, 0);
}

#define ONE(field, count, text) .field = (const char *const[]){ text }, .count = 1

TEST(options_as_text_are_in_the_key)
{
    const struct {
        const char *library;
        int32_t language, target;
        const char *text;
        cuc_program_options o;
    } rows[] = {
        { "nvrtc", CUC_SOURCE_CUDA, CUC_CODE_PTX, cuda, { .arch = "sm_90" } },
        { "nvrtc",
          CUC_SOURCE_CUDA,
          CUC_CODE_PTX,
          cuda,
          { .arch = "sm_90", ONE(extra_options, extra_option_count, "--fmad=false") } },
        { "nvrtc",
          CUC_SOURCE_CUDA,
          CUC_CODE_PTX,
          cuda,
          { .arch = "sm_90", ONE(extra_options, extra_option_count, "-Xptxas=-O1") } },
        { "nvrtc",
          CUC_SOURCE_CUDA,
          CUC_CODE_CUBIN,
          cuda,
          { .arch = "sm_90", ONE(ptxas_options, ptxas_option_count, "-O1") } },
        { "nvrtc",
          CUC_SOURCE_CUDA,
          CUC_CODE_CUBIN,
          cuda,
          { .arch = "sm_90", ONE(ptxas_options, ptxas_option_count, "--opt-level=2") } },
        { "nvjitlink", CUC_SOURCE_TILE, CUC_CODE_CUBIN, tile, { .arch = "sm_90" } },
        { "nvjitlink",
          CUC_SOURCE_TILE,
          CUC_CODE_CUBIN,
          tile,
          { .arch = "sm_90", ONE(ptxas_options, ptxas_option_count, "-O1") } },
        { "nvjitlink",
          CUC_SOURCE_TILE,
          CUC_CODE_CUBIN,
          tile,
          { .arch = "sm_90", ONE(extra_options, extra_option_count, "-maxrregcount=32") } },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_program_options o = rows[i].o;
        char what[32];
        if (testing_lacks(rows[i].library))
            return;
        o.struct_size = sizeof(o);
        snprintf(what, sizeof(what), "row %d", i);
        expect_new(rows[i].language, rows[i].text, rows[i].target, &o, what);
    }
}

TEST(options_with_side_effects_are_not_cached)
{
    static const char *const folders[] = { "/tmp " }; // NVRTC takes it for /tmp
    const struct {
        int32_t language;
        const char *text, *why;
        cuc_program_options o;
    } rows[] = {
        { CUC_SOURCE_CUDA,
          cuda,
          "extra_options has \"--include-path=/tmp\"",
          { ONE(extra_options, extra_option_count, "--include-path=/tmp") } },
        { CUC_SOURCE_CUDA,
          cuda,
          "extra_options has \"-DX=1\"",
          { ONE(extra_options, extra_option_count, "-DX=1") } },
        { CUC_SOURCE_CUDA,
          cuda,
          "extra_options has \"--ptxas-options=-o=a.out\"",
          { ONE(extra_options, extra_option_count, "--ptxas-options=-o=a.out") } },
        { CUC_SOURCE_CUDA,
          cuda,
          "ptxas_options has \"--output-file=a.out\"",
          { ONE(ptxas_options, ptxas_option_count, "--output-file=a.out") } },
        { CUC_SOURCE_CUDA,
          cuda,
          "ends with a blank",
          { .include_paths = folders, .include_path_count = 1 } },
        { CUC_SOURCE_CUDA, cuda, "it writes a file of times", { .time = "/dev/null" } },
        { CUC_SOURCE_TILE,
          tile,
          "the option \"--output-file=a.out\"",
          { ONE(ptxas_options, ptxas_option_count, "--output-file=a.out") } },
        { CUC_SOURCE_TILE,
          tile,
          "the option \"-xyz\"",
          { ONE(extra_options, extra_option_count, "-xyz") } },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_program_options o = rows[i].o;
        if (rows[i].language == CUC_SOURCE_CUDA && testing_lacks("nvrtc"))
            continue;
        o.struct_size = sizeof(o);
        o.arch = "sm_90";
        expect_uncached(rows[i].language, rows[i].text, CUC_CODE_PTX, &o, rows[i].why);
    }
    ck_assert_uint_eq(info().stored, 0);
}

TEST(keys_that_are_refused)
{
    unsigned char key[CUC_PROGRAM_KEY_BYTES] = { 7 };
    cuc_program *program = NULL, *of_ptx = NULL;

    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, tile, 0, NULL));
    ck_ok(cuc_program_create(&of_ptx, CUC_SOURCE_PTX, ".version 8.0", 0, NULL));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_get_key(NULL, program, CUC_CODE_PTX),
             "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_get_key(key, NULL, CUC_CODE_PTX),
             "program is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_get_key(key, program, CUC_CODE_FATBIN),
             "target is", "expected CUC_CODE_PTX");
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_program_get_key(key, of_ptx, CUC_CODE_CUBIN),
             "its link is cached");
    ck_assert_int_eq(key[0], 7);
    cuc_program_release(program);
    cuc_program_release(of_ptx);
}

TEST(a_hit_takes_less_than_a_millisecond)
{
    enum { ROUNDS = 200 };
    static const struct {
        int32_t language, target;
        const char *text;
    } rows[] = { { CUC_SOURCE_TILE, CUC_CODE_PTX, tile },
                 { CUC_SOURCE_PTX, CUC_CODE_CUBIN, ptx },
                 { CUC_SOURCE_CUDA, CUC_CODE_CUBIN, cuda } };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_program *program = NULL;
        cuc_object *object = NULL;
        uint64_t least = UINT64_MAX;
        if ((rows[i].language == CUC_SOURCE_CUDA && testing_lacks("nvrtc")) ||
            (rows[i].language == CUC_SOURCE_PTX && testing_lacks("nvjitlink")))
            continue;
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

// ---- Plans for matrix products

static void make_plan(cuc_gemm_plan **plan, cuc_cache *of)
{
    cuc_device *device = NULL;

    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_gemm_plan_create(plan, device,
                               CUC_GEMM_OPTIONS(.dtype = CUC_BF16, .c_dtype = CUC_BF16, .m = 4096,
                                                .n = 4096, .k = 4096, .tuned = "", .cache = of)));
}

// This plan has all three variants, each of them a program, and compiles none that is in the cache.
TEST(a_plan_loads_no_compiler)
{
    enum { VARIANTS = 3 };
    cuc_gemm_plan *plan = NULL;
    int status;

    NEED_FAKE();
    fflush(NULL);
    for (int found = 0; found < 2; found++) {
        if (fork() == 0) {
            make_plan(&plan, cache);
            cuc_cache_info i = info();
            _exit(i.hits != (uint64_t)(found ? VARIANTS : 0) ||
                  i.misses != (uint64_t)(found ? 0 : VARIANTS) || i.stored != i.misses ||
                  testing_maps("libnvrtc") || testing_maps("libnvJitLink"));
        }
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    make_plan(&plan, cuc_cache_none());
    ck_assert_uint_eq(info().hits + info().misses, 0);
    ck_assert_uint_eq(info().entries, VARIANTS);
    cuc_gemm_plan_release(plan);
}

// Loading by the driver takes additional time that is not cucore's.
TEST(each_program_of_a_plan_is_found_within_a_millisecond)
{
    enum { ROUNDS = 100, VARIANTS = 3 };
    cuc_gemm_plan *plan = NULL;
    uint64_t sum = 0;

    NEED_FAKE();
    make_plan(&plan, cuc_cache_none());
    for (size_t i = 0; i < VARIANTS; i++) {
        cuc_program *program = NULL;
        cuc_object *object = NULL;
        uint64_t least = UINT64_MAX;
        ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, cuc_gemm_plan_source(plan, i), 0,
                                 CUC_PROGRAM_OPTIONS(.name = "gemm.tile", .cache = cache)));
        for (int k = 0; k < ROUNDS; k++) {
            ck_ok(cuc_program_compile(&object, program, CUC_CODE_PTX));
            cuc_object_release(object);
            if (k && cuc_program_compile_ns(program) < least)
                least = cuc_program_compile_ns(program);
        }
        ck_assert_uint_lt(least, 1000000);
        sum += least;
        cuc_program_release(program);
    }
    cuc_gemm_plan_release(plan);
    printf("the programs of a plan: %.3f ms\n", (double)sum / 1e6);
}

TEST(a_program_keeps_its_cache)
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

int main(void)
{
    return run_tests("program_cache");
}
