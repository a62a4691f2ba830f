// Tests links with a cache: a hit gives the same result as a link, a change of anything that could
// affect the result is a miss, and a hit does not load nvJitLink.
#include "base/array.h"
#include "cache/cache.h"
#include "testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/cucore-links-XXXXXX";
static cuc_cache *cache;

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k(.param .u64 a) { ret; }\n";
static const char other_ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                ".visible .entry other(.param .u64 a) { ret; }\n";

static void make_folder(void)
{
    char dir[64];

    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(dir, sizeof(dir), "%s/cache", folder);
    ck_ok(cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = dir)));
}

static void remove_folder(void)
{
    char command[64];

    cuc_cache_release(cache);
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_LINKER), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_OBJECT), 0);
}

static cuc_cache_info info(void)
{
    cuc_cache_info i = CUC_CACHE_INFO_INIT;

    ck_ok(cuc_cache_get_info(&i, cache));
    return i;
}

struct input {
    int32_t kind;
    const char *data, *name;
};

// Links, and appends to a text everything that a caller can see of the result.
static bool link_inputs(char **result, const struct input *inputs, int count, int32_t target,
                        const cuc_linker_options *options)
{
    cuc_linker_options o = *options;
    cuc_linker *linker = NULL;
    cuc_object *object = NULL;
    const void *code;
    const char *text;
    size_t bytes, size;
    uint64_t hits = info().hits;

    o.struct_size = sizeof(o);
    o.cache = o.cache ? o.cache : cache;
    ck_ok(cuc_linker_create(&linker, &o));
    for (int i = 0; i < count; i++)
        ck_ok(cuc_linker_add_data(linker, inputs[i].kind, inputs[i].data, strlen(inputs[i].data),
                                  inputs[i].name));
    ck_ok(cuc_linker_link(&object, linker, target));
    FILE *f = open_memstream(result, &size);
    ck_ok(cuc_object_get_code(&code, &bytes, object));
    fprintf(f, "%d %zu\n", cuc_object_kind(object), bytes);
    testing_print_hash(f, code, bytes);
    if (cuc_object_get_ptx(&text, &bytes, object) == CUC_OK)
        fwrite(text, 1, bytes, f);
    fprintf(f, "\n%s\n%s\n%s\n%s\n%s\n", cuc_object_name(object), cuc_object_log(object),
            cuc_linker_info_log(linker), cuc_linker_error_log(linker), cuc_linker_backend(linker));
    fclose(f);
    cuc_object_release(object);
    cuc_linker_release(linker);
    return info().hits > hits;
}

// Links twice, and then without a cache. Expects a miss, a hit, and equal results; fails if the
// first link is a hit.
static void expect_new(const struct input *inputs, int count, int32_t target,
                       const cuc_linker_options *options, const char *what)
{
    cuc_linker_options none = *options;
    char *first, *second, *third;

    ck_assert_msg(!link_inputs(&first, inputs, count, target, options), "%s is a hit", what);
    ck_assert_msg(link_inputs(&second, inputs, count, target, options), "%s is no hit", what);
    none.cache = cuc_cache_none();
    ck_assert(!link_inputs(&third, inputs, count, target, &none));
    // nvJitLink prints some warnings only for the first link of a process.
    size_t code = (size_t)(strstr(first, "\n\n") - first);
    ck_assert_msg(strcmp(first, second) == 0 && strncmp(first, third, code) == 0,
                  "%s: a hit differs:\n%s\n%s\n%s", what, first, second, third);
    free(first);
    free(second);
    free(third);
}

CASE("links", .setup = make_folder, .teardown = remove_folder, .timeout = 100);

#define ONE(field, list) .field##s = (list), .field##_count = 1

TEST(whatever_changes_a_link_is_a_miss)
{
    static const char *const ftz[] = { "-ftz=1" }, *const level[] = { "-O1" };
    static const char *const registers[] = { "-maxrregcount=40" };
    const struct input one = { CUC_CODE_PTX, ptx, "a" };
    const struct {
        const char *what;
        struct input inputs[2];
        cuc_linker_options o;
    } rows[] = {
        { "PTX", { one }, { .arch = "sm_90" } },
        { "another architecture", { one }, { .arch = "sm_100" } },
        { "all features of it", { one }, { .arch = "sm_90a" } },
        { "another text", { { CUC_CODE_PTX, other_ptx, "a" } }, { .arch = "sm_90" } },
        { "another name", { { CUC_CODE_PTX, ptx, "b" } }, { .arch = "sm_90" } },
        { "two", { one, { CUC_CODE_PTX, other_ptx, "b" } }, { .arch = "sm_90" } },
        { "another order", { { CUC_CODE_PTX, other_ptx, "b" }, one }, { .arch = "sm_90" } },
        { "registers", { one }, { .arch = "sm_90", .max_register_count = 32 } },
        { "lines", { one }, { .arch = "sm_90", .lineinfo = CUC_ON } },
        { "debugging", { one }, { .arch = "sm_90", .debug = CUC_ON } },
        { "no PTX", { one }, { .arch = "sm_90", .keep_ptx = CUC_OFF } },
        { "no optimisation", { one }, { .arch = "sm_90", .optimization_level = CUC_ZERO } },
        { "an extra option", { one }, { .arch = "sm_90", ONE(extra_option, ftz) } },
        { "another one", { one }, { .arch = "sm_90", ONE(extra_option, registers) } },
        { "an option of ptxas", { one }, { .arch = "sm_90", ONE(ptxas_option, level) } },
        { "another one of ptxas", { one }, { .arch = "sm_90", ONE(ptxas_option, registers) } },
    };

    if (testing_lacks("nvjitlink"))
        return;
    for (int i = 0; i < CUC_LENGTH(rows); i++)
        expect_new(rows[i].inputs, 1 + !!rows[i].inputs[1].data, CUC_CODE_CUBIN, &rows[i].o,
                   rows[i].what);
    ck_assert_uint_eq(info().stored, CUC_LENGTH(rows));
    ck_assert_uint_eq(info().misses, CUC_LENGTH(rows));
    ck_assert_uint_eq(info().hits, CUC_LENGTH(rows));
    // The caller chooses the object's name, which is not an input of the link.
    char *text;
    ck_assert(link_inputs(&text, &one, 1, CUC_CODE_CUBIN,
                          &(cuc_linker_options){ .arch = "sm_90", .name = "mine" }));
    ck_assert_ptr_nonnull(strstr(text, "\nmine\n"));
    free(text);
}

static cuc_object *compile(const char *text, const char *name, const char *expression)
{
    cuc_program *program = NULL;
    cuc_object *object = NULL;

    ck_ok(cuc_program_create(&program, CUC_SOURCE_CUDA, text, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90", .name = name, .cache = cache,
                                                 .relocatable_device_code = CUC_ON,
                                                 .name_expressions = &expression,
                                                 .name_expression_count = expression != NULL)));
    ck_ok(cuc_program_compile(&object, program, CUC_CODE_LTOIR));
    cuc_program_release(program);
    return object;
}

// A result's names and PTX come partly from the inputs and partly from the entry.
TEST(a_hit_has_the_names_of_its_inputs)
{
    static const int32_t targets[] = { CUC_CODE_CUBIN, CUC_CODE_PTX };
    cuc_object *objects[2];

    if (testing_lacks("nvrtc") || testing_lacks("nvjitlink"))
        return;
    objects[0] = compile("extern \"C\" __device__ float twice(float x);\n"
                         "template <class T> __global__ void k(T *a) { *a = twice(*a); }\n",
                         "caller.cu", "k<float>");
    objects[1] = compile("extern \"C\" __device__ float twice(float x) { return 2 * x; }\n",
                         "callee.cu", NULL);
    for (int i = 0; i < 2 * CUC_LENGTH(targets); i++) {
        cuc_linker *linker = NULL;
        cuc_object *object = NULL;
        const char *ptx_text;
        size_t bytes;
        uint64_t hits = info().hits;
        ck_ok(cuc_linker_create(&linker, CUC_LINKER_OPTIONS(.arch = "sm_90", .cache = cache)));
        for (int k = 0; k < CUC_LENGTH(objects); k++)
            ck_ok(cuc_linker_add(linker, objects[k]));
        ck_ok(cuc_linker_link(&object, linker, targets[i / 2]));
        ck_assert_int_eq(info().hits > hits, i % 2);
        ck_assert_int_eq(cuc_object_kind(object), targets[i / 2]);
        ck_assert_uint_eq(cuc_object_mapping_count(object), 1);
        cuc_object_mapping m;
        ck_ok(cuc_object_get_mapping(&m, object, 0));
        ck_assert_str_eq(m.expression, "k<float>");
        ck_assert_str_eq(m.symbol, "_Z1kIfEvPT_");
        ck_ok(cuc_object_get_ptx(&ptx_text, &bytes, object));
        ck_assert_ptr_nonnull(strstr(ptx_text, ".entry _Z1kIfEvPT_"));
        cuc_object_release(object);
        cuc_linker_release(linker);
    }
    for (int k = 0; k < CUC_LENGTH(objects); k++)
        cuc_object_release(objects[k]);
}

TEST(links_that_a_key_cannot_cover_are_not_cached)
{
    static const char *const two[] = { "-lineinfo", "-kernels-used=k,l" }, *const time[] = {
        "-time"
    };
    static const char *const name[] = { "-O1", "--tool-name=x" };
    static const char *const list[] = { "-Xptxas=--tool-name=x" };
    static const struct {
        cuc_linker_options o;
        const char *why;
    } rows[] = {
        { { .extra_options = two, .extra_option_count = 2 },
          "extra_options has \"-kernels-used=k,l\", whose effects are not known" },
        { { .extra_options = time, .extra_option_count = 1 },
          "extra_options has \"-time\", whose effects are not known" },
        { { .extra_options = list, .extra_option_count = 1 },
          "extra_options has \"-Xptxas=--tool-name=x\", whose effects are not known" },
        { { .ptxas_options = name, .ptxas_option_count = 2 },
          "ptxas_options has \"--tool-name=x\", whose effects are not known" },
        { { .time = CUC_ON }, "its log has times" },
    };
    const struct input one = { CUC_CODE_PTX, ptx, "a" };

    if (testing_lacks("nvjitlink"))
        return;
    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_linker_options o = rows[i].o;
        char *text, line[140];
        o.arch = "sm_90";
        snprintf(line, sizeof(line), "cucore: not cached: %s\n", rows[i].why);
        for (int k = 0; k < 2; k++) {
            ck_assert(!link_inputs(&text, &one, 1, CUC_CODE_CUBIN, &o));
            ck_assert_msg(strstr(text, line) != NULL, "no %s", line);
            free(text);
        }
        o.cache = cuc_cache_none(); // so that it is never cached
        ck_assert(!link_inputs(&text, &one, 1, CUC_CODE_CUBIN, &o));
        ck_assert_ptr_null(strstr(text, "not cached"));
        free(text);
    }
    ck_assert_uint_eq(info().stored, 0);
}

TEST(a_failure_is_not_cached)
{
    cuc_linker *linker = NULL;
    cuc_object *object = NULL;
    static const char wrong[] = ".version 8.0\n.target sm_90\n.address_size 64\nnonsense;\n";

    if (testing_lacks("nvjitlink"))
        return;
    ck_ok(cuc_linker_create(&linker, CUC_LINKER_OPTIONS(.arch = "sm_90", .cache = cache)));
    ck_ok(cuc_linker_add_data(linker, CUC_CODE_PTX, wrong, strlen(wrong), "wrong"));
    for (int i = 0; i < 2; i++) {
        ck_fails(CUC_ERROR_LINK, cuc_linker_link(&object, linker, CUC_CODE_CUBIN), "nonsense");
        ck_assert_int_ne(*cuc_linker_error_log(linker), 0);
    }
    cuc_linker_release(linker);
    ck_assert_uint_eq(info().stored, 0);
}

// ---- Separate processes, each of which starts without nvJitLink

struct answer {
    bool hit, loaded, driver;
};

static struct answer link_in_child(const char *library, const cuc_linker_options *options)
{
    const struct input one = { CUC_CODE_PTX, ptx, "a" };
    struct answer answer = { .hit = false };
    int status, result[2];

    ck_assert_int_eq(pipe(result), 0);
    fflush(NULL);
    if (fork() == 0) {
        char *text;
        if (library)
            setenv("CUCORE_NVJITLINK", library, 1);
        answer.hit = link_inputs(&text, &one, 1, CUC_CODE_CUBIN, options);
        answer.loaded = testing_maps("libnvJitLink");
        answer.driver = strstr(text, "\ndriver\n") != NULL;
        _exit(write(result[1], &answer, sizeof(answer)) != (ssize_t)sizeof(answer));
    }
    ck_assert_int_gt(wait(&status), 0);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(read(result[0], &answer, sizeof(answer)), sizeof(answer));
    close(result[0]);
    close(result[1]);
    return answer;
}

TEST_RANGE(a_hit_loads_no_nvjitlink, 0, 2)
{
    static const int32_t backends[] = { CUC_LINKER_AUTO, CUC_LINKER_NVJITLINK };
    const cuc_linker_options o = { .arch = "sm_90", .backend = backends[_i] };

    if (testing_lacks("nvjitlink"))
        return;
    for (int i = 0; i < 3; i++) {
        struct answer a = link_in_child(NULL, &o);
        ck_assert_int_eq(a.hit, i > 0);
        ck_assert_int_eq(a.loaded, i == 0);
        ck_assert(!a.driver);
    }
}

TEST(another_nvjitlink_is_a_miss)
{
    const struct timespec times[2] = { { 1000000000, 0 }, { 1000000000, 0 } };
    const cuc_linker_options o = { .arch = "sm_90" };
    cuc_found *found = NULL;
    char command[600], path[128];

    if (testing_lacks("nvjitlink"))
        return;
    ck_ok(cuc_find_library(&found, "nvjitlink"));
    snprintf(path, sizeof(path), "%s/libnvJitLink.so.13", folder);
    snprintf(command, sizeof(command), "cp -L '%s' '%s'", cuc_found_path(found), path);
    cuc_found_release(found);
    ck_assert_int_eq(system(command), 0);
    ck_assert(!link_in_child(NULL, &o).hit);
    ck_assert(!link_in_child(path, &o).hit);
    ck_assert(link_in_child(path, &o).hit);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0); // as a library update does
    ck_assert(!link_in_child(path, &o).hit);
    ck_assert(link_in_child(path, &o).hit);
}

// A library that cannot be loaded is tried again each time. Results of the driver's linker are not
// cached.
TEST(links_by_the_driver_are_not_cached)
{
    const cuc_linker_options o = { .arch = "sm_90" };
    char path[128];

    NEED_FAKE();
    snprintf(path, sizeof(path), "%s/libnvJitLink.so.13", folder);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fclose(f);
    for (int i = 0; i < 2; i++) {
        struct answer a = link_in_child(path, &o);
        ck_assert(!a.hit);
        ck_assert(a.driver);
    }
    ck_assert_uint_eq(info().entries, 0);
}

TEST(a_damaged_entry_is_linked_again)
{
    const struct input one = { CUC_CODE_PTX, ptx, "a" };
    const cuc_linker_options o = { .arch = "sm_90" };
    char *first, *second, command[160];

    if (testing_lacks("nvjitlink"))
        return;
    ck_assert(!link_inputs(&first, &one, 1, CUC_CODE_CUBIN, &o));
    snprintf(command, sizeof(command),
             "for f in $(find %s/cache -mindepth 2 -type f); do printf X | dd of=$f bs=1 seek=200 "
             "conv=notrunc 2>/dev/null; done",
             folder);
    ck_assert_int_eq(system(command), 0);
    for (int hit = 0; hit < 2; hit++) {
        ck_assert_int_eq(link_inputs(&second, &one, 1, CUC_CODE_CUBIN, &o), hit);
        ck_assert_str_eq(first, second);
        free(second);
    }
    free(first);
}

int main(void)
{
    return run_tests("linker_cache");
}
