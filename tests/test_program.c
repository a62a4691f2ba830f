// Tests programs with the real NVRTC and nvJitLink; the driver is the fake one.

#include "base/array.h"
#include "testing.h"

#include "driver/driver.h"
#include "driver/nvrtc.h"
#include "base/handle.h"
#include "program/options.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char scale[] = "extern \"C\" __global__ void scale(float *a, float f)\n"
                            "{\n"
                            "    a[threadIdx.x] *= f;\n"
                            "}\n";

static char folder[] = "/tmp/cucore-test-program-XXXXXX";

static cuc_program *program_of(const char *text, const cuc_program_options *options)
{
    cuc_program *p = NULL;

    ck_assert_msg(cuc_program_create(&p, CUC_SOURCE_CUDA, text, 0, options) == CUC_OK, "%s",
                  cuc_error_message());
    return p;
}

static cuc_object *compiled(cuc_program *p, int32_t target)
{
    cuc_object *object = NULL;

    ck_assert_msg(cuc_program_compile(&object, p, target) == CUC_OK, "%s\n%s", cuc_error_message(),
                  cuc_error_log());
    return object;
}

// Compiles, expects a failure, and checks for words in its message.
static void refused(cuc_program *p, int32_t target, cuc_status status, const char *words)
{
    cuc_object *object = NULL;

    ck_assert_int_eq(cuc_program_compile(&object, p, target), status);
    ck_assert_ptr_null(object);
    ck_assert_int_eq(cuc_error_status(), status);
    ck_assert_str_eq(cuc_error_function(), "cuc_program_compile");
    ck_assert_msg(strstr(cuc_error_message(), words) != NULL, "no \"%s\" in: %s", words,
                  cuc_error_message());
}

static void create_refused(int32_t kind, const char *text, size_t bytes,
                           const cuc_program_options *options, cuc_status status, const char *words)
{
    cuc_program *p = NULL;

    ck_assert_int_eq(cuc_program_create(&p, kind, text, bytes, options), status);
    ck_assert_ptr_null(p);
    ck_assert_str_eq(cuc_error_function(), "cuc_program_create");
    ck_assert_msg(strstr(cuc_error_message(), words) != NULL, "no \"%s\" in: %s", words,
                  cuc_error_message());
}

static bool has_flag(const cuc_program *p, int32_t target, const char *flag)
{
    for (size_t i = 0; i < cuc_program_flag_count(p, target); i++)
        if (strcmp(cuc_program_flag(p, target, i), flag) == 0 ||
            (strcmp(flag, "--use-bundled-headers=") == 0 &&
             strncmp(cuc_program_flag(p, target, i), flag, strlen(flag)) == 0))
            return true;
    return false;
}

static const char *ptx_of(const cuc_object *object)
{
    const char *text = NULL;
    size_t bytes = 0;

    ck_assert_int_eq(cuc_object_get_ptx(&text, &bytes, object), CUC_OK);
    return text;
}

static void write_file(char *path, size_t size, const char *name, const char *text)
{
    snprintf(path, size, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void make_folder(void)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_PROGRAM), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_OBJECT), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_LINKER), 0);
}

// ---- Every option: its flag, and whether NVRTC accepts it.

#define TEXTS(field, count, ...)                   \
    .field = (const char *const[]){ __VA_ARGS__ }, \
    .count = CUC_LENGTH(((const char *[]){ __VA_ARGS__ }))
#define NUMBERS(field, count, ...) \
    .field = (const int32_t[]){ __VA_ARGS__ }, .count = CUC_LENGTH(((int32_t[]){ __VA_ARGS__ }))

// clang-format off
static const struct option_case {
    const char *flag;
    cuc_program_options options;
    int32_t target;    // 0 is PTX
    cuc_status status; // expected from compiling; NOT_SUPPORTED: from creating
} option_cases[] = {
    { "--relocatable-device-code=true",  { .relocatable_device_code = CUC_ON }, 0, 0 },
    { "--relocatable-device-code=false", { .relocatable_device_code = CUC_OFF }, 0, 0 },
    { "--extensible-whole-program", { .extensible_whole_program = CUC_ON }, 0, 0 },
    { "--device-debug",                  { .debug = CUC_ON }, CUC_CODE_CUBIN, 0 },
    { "--generate-line-info",            { .lineinfo = CUC_ON }, CUC_CODE_CUBIN, 0 },
    { "--dopt=on",                       { .device_code_optimize = CUC_ON, .debug = CUC_ON }, 0, 0 },
    { "--maxrregcount=32",               { .max_register_count = 32 }, CUC_CODE_CUBIN, 0 },
    { "--ftz=true",                      { .ftz = CUC_ON }, 0, 0 },
    { "--ftz=false",                     { .ftz = CUC_OFF }, 0, 0 },
    { "--prec-sqrt=true",                { .prec_sqrt = CUC_ON }, 0, 0 },
    { "--prec-sqrt=false",               { .prec_sqrt = CUC_OFF }, 0, 0 },
    { "--prec-div=true",                 { .prec_div = CUC_ON }, 0, 0 },
    { "--prec-div=false",                { .prec_div = CUC_OFF }, 0, 0 },
    { "--fmad=true",                     { .fma = CUC_ON }, 0, 0 },
    { "--fmad=false",                    { .fma = CUC_OFF }, 0, 0 },
    { "--use_fast_math",                 { .use_fast_math = CUC_ON }, 0, 0 },
    { "--extra-device-vectorization",    { .extra_device_vectorization = CUC_ON }, 0, 0 },
    { "--modify-stack-limit=true",       { .modify_stack_limit = CUC_ON }, 0, 0 },
    { "--modify-stack-limit=false",      { .modify_stack_limit = CUC_OFF }, 0, 0 },
    { "--dlink-time-opt",                { .link_time_optimization = CUC_ON }, CUC_CODE_LTOIR, 0 },
    { "--gen-opt-lto",                   { .gen_opt_lto = CUC_ON }, CUC_CODE_LTOIR, 0 },
    { "--device-stack-protector=true",   { .device_stack_protector = CUC_ON }, CUC_CODE_CUBIN, 0 },
    { "--device-stack-protector=false",  { .device_stack_protector = CUC_OFF }, 0, 0 },
    { "--jump-table-density=101",        { .jump_table_density = 101 }, 0, 0 },
    { "--jump-table-density=0",          { .jump_table_density = CUC_ZERO }, 0, 0 },
    { "--split-compile=2",               { .split_compile = 2 }, CUC_CODE_CUBIN, 0 },
    { "--split-compile=0",               { .split_compile = CUC_ZERO }, CUC_CODE_CUBIN, 0 },
    { "--no-source-include",             { .no_source_include = CUC_ON }, 0, 0 },
    { "--use-bundled-headers=",          { .use_bundled_headers = CUC_ON }, 0, CUC_ERROR_NOT_SUPPORTED },
    { "--builtin-move-forward=true",     { .builtin_move_forward = CUC_ON }, 0, 0 },
    { "--builtin-move-forward=false",    { .builtin_move_forward = CUC_OFF }, 0, 0 },
    { "--builtin-initializer-list=true", { .builtin_initializer_list = CUC_ON }, 0, 0 },
    { "--builtin-initializer-list=false", { .builtin_initializer_list = CUC_OFF }, 0, 0 },
    { "--disable-warnings",              { .disable_warnings = CUC_ON }, 0, 0 },
    { "--restrict",                      { .restrict_pointers = CUC_ON }, 0, 0 },
    { "--device-as-default-execution-space", { .device_as_default_execution_space = CUC_ON }, 0, 0 },
    { "--device-int128",                 { .device_int128 = CUC_ON }, 0, 0 },
    { "--device-float128",               { .device_float128 = CUC_ON, .arch = "sm_100" }, 0, 0 },
    { "--display-error-number",          { .display_error_number = CUC_ON }, 0, 0 },
    { "--no-display-error-number",       { .display_error_number = CUC_OFF }, 0, 0 },
    { "--brief-diagnostics=true",        { .brief_diagnostics = CUC_ON }, 0, 0 },
    { "--brief-diagnostics=false",       { .brief_diagnostics = CUC_OFF }, 0, 0 },
    { "--version-ident=true",            { .version_ident = CUC_ON }, 0, 0 },
    { "--version-ident=false",           { .version_ident = CUC_OFF }, 0, 0 },
    { "--fdevice-syntax-only",           { .fdevice_syntax_only = CUC_ON }, 0, 0 },
    { "--minimal",                       { .minimal = CUC_ON }, 0, 0 },
    { "--no-cache",                      { .no_cache = CUC_ON }, 0, 0 },
    { "--numba-debug",                   { .numba_debug = CUC_ON }, 0, CUC_ERROR_INVALID_ARGUMENT },
    { "--pch",                           { .pch = CUC_ON, .pch_dir = "." }, 0, 0 },
    { "--create-pch=made.pch",           { .create_pch = "made.pch" }, 0, 0 },
    { "--use-pch=missing.pch",           { .use_pch = "missing.pch" }, 0, CUC_ERROR_COMPILE },
    { "--pch-dir=.",                     { .pch_dir = ".", .pch = CUC_ON }, 0, 0 },
    { "--pch-verbose=true",              { .pch_verbose = CUC_ON }, 0, 0 },
    { "--pch-messages=false",            { .pch_messages = CUC_OFF }, 0, 0 },
    { "--instantiate-templates-in-pch=true", { .instantiate_templates_in_pch = CUC_ON }, 0, 0 },
    { "--std=c++20",                     { .std = "c++20" }, 0, 0 },
    { "--Ofast-compile=max",             { .ofast_compile = "max" }, 0, 0 },
    { "--optimization-info=inline",      { .optimization_info = "inline" }, 0, 0 },
    { "--time=times.csv",                { .time = "times.csv" }, 0, 0 },
    { "--fdevice-time-trace=trace.json", { .fdevice_time_trace = "trace.json" }, 0, 0 },
    { "--frandom-seed=abc",              { .frandom_seed = "abc" }, 0, 0 },
    { "--define-macro=B=2",              { TEXTS(define_macros, define_macro_count, "A", "B=2") }, 0, 0 },
    { "--undefine-macro=B",              { TEXTS(undefine_macros, undefine_macro_count, "A", "B") }, 0, 0 },
    { "--include-path=/tmp",             { TEXTS(include_paths, include_path_count, "/usr", "/tmp") }, 0, 0 },
    { "--pre-include=cuda_fp16.h",       { TEXTS(pre_includes, pre_include_count, "cuda_fp16.h") }, 0, 0 },
    { "--ptxas-options=-v",              { TEXTS(ptxas_options, ptxas_option_count, "-O1", "-v") }, CUC_CODE_CUBIN, 0 },
    { "--diag-error=177",                { NUMBERS(diag_error, diag_error_count, 550, 177) }, 0, 0 },
    { "--diag-suppress=177",             { NUMBERS(diag_suppress, diag_suppress_count, 177) }, 0, 0 },
    { "--diag-warn=177",                 { NUMBERS(diag_warn, diag_warn_count, 177) }, 0, 0 },
    { "--fmad=false",                    { TEXTS(extra_options, extra_option_count, "--fmad=false") }, 0, 0 },
};
// clang-format on

CASE("options", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST(a_byte_order_mark_is_no_part_of_the_source)
{
    static const char text[] = "\xEF\xBB\xBF"
                               "extern \"C\" __global__ void k(int *p) { *p = 1; }";
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program = NULL;
    cuc_object *object = NULL;

    o.arch = "sm_90";
    ck_assert_int_eq(cuc_program_create(&program, CUC_SOURCE_CUDA, text, 0, &o), CUC_OK);
    ck_assert_msg(cuc_program_compile(&object, program, CUC_CODE_PTX) == CUC_OK, "%s",
                  cuc_error_message());
    cuc_object_release(object);
    cuc_program_release(program);
}

TEST_ROWS(an_option_becomes_the_flag_that_nvrtc_takes, option_cases)
{
    const struct option_case *c = &option_cases[_i];
    int32_t target = c->target ? c->target : CUC_CODE_PTX;
    cuc_program_options o = c->options;
    cuc_program *p = NULL;

    o.struct_size = sizeof(o);
    if (!o.arch)
        o.arch = "sm_90";
    ck_assert_int_eq(chdir(folder), 0);
    setenv("CUCORE_CACHE_DIR", folder, 1); // the folder for bundled headers
    if (c->status == CUC_ERROR_NOT_SUPPORTED && cuc__nvrtc_toolkit.version() < 13030) {
        create_refused(CUC_SOURCE_CUDA, scale, 0, &o, c->status, "use_bundled_headers needs NVRTC");
        return;
    }
    p = program_of(scale, &o);
    ck_assert(has_flag(p, target, c->flag));
    if (c->status == CUC_ERROR_INVALID_ARGUMENT && cuc__nvrtc_toolkit.version() > 13000)
        ; // a later NVRTC may accept it
    else if (c->options.use_bundled_headers == CUC_ON)
        cuc_object_release(compiled(p, target));
    else if (c->status)
        refused(p, target, c->status, c->status == CUC_ERROR_COMPILE ? "missing.pch" : c->flag);
    else
        cuc_object_release(compiled(p, target));
    cuc_program_release(p);
}

// NVRTC needs a folder for its headers; it unpacks them once and finds them later.
TEST(bundled_headers_are_unpacked_into_the_cache)
{
    static const char source[] = "#include <cuda_fp16.h>\n#include <cuda/std/limits>\n"
                                 "__global__ void k(__half *x) { *x = __hmul(*x, *x); }\n";
    cuc_program *p = NULL;
    struct stat about;
    char path[600];

    if (testing_lacks("nvrtc") || cuc__nvrtc_toolkit.version() < 13030)
        SKIP("NVRTC is older than 13.3");
    snprintf(path, sizeof(path), "%s/cache", folder);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (!child) { // a process reads the default cache's settings only once
            setenv("CUCORE_CACHE_DIR", path, 1);
            p = program_of(source,
                           CUC_PROGRAM_OPTIONS(.arch = "sm_90", .use_bundled_headers = CUC_ON));
            cuc_object_release(compiled(p, CUC_CODE_PTX));
            cuc_program_release(p);
            _exit(0);
        }
        int status = 1;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
        int version = cuc__nvrtc_toolkit.version();
        char header[700];
        snprintf(header, sizeof(header), "%s/headers-%d.%d/cuda_fp16.h", path, version / 1000,
                 version % 1000 / 10);
        ck_assert_int_eq(stat(header, &about), 0);
    }
}

TEST(bundled_headers_need_a_folder)
{
    cuc_program *p = NULL;
    int status = 1;

    if (testing_lacks("nvrtc") || cuc__nvrtc_toolkit.version() < 13030)
        SKIP("NVRTC is older than 13.3");
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        setenv("CUCORE_CACHE", "0", 1);
        ck_fails(
            CUC_ERROR_NOT_FOUND,
            cuc_program_create(&p, CUC_SOURCE_CUDA, scale, 0,
                               CUC_PROGRAM_OPTIONS(.arch = "sm_90", .use_bundled_headers = CUC_ON)),
            "CUCORE_CACHE is 0", "CUCORE_CACHE_DIR");
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

TEST(every_row_of_the_option_table_has_a_case)
{
    for (size_t i = 0; i < cuc__program_options_table.count; i++) {
        const cuc__option *row = &cuc__program_options_table.at[i];
        size_t k = 0;
        while (k < CUC_LENGTH(option_cases) && !cuc__option_is_set(row, &option_cases[k].options))
            k++;
        ck_assert_msg(k < CUC_LENGTH(option_cases), "no case sets %s", row->field);
    }
}

TEST(defaults_add_no_flags_but_the_architecture_and_the_header_folders)
{
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));

    ck_assert_str_eq(cuc_program_flag(p, CUC_CODE_PTX, 0), "--gpu-architecture=compute_90");
    ck_assert_str_eq(cuc_program_flag(p, CUC_CODE_CUBIN, 0), "--gpu-architecture=sm_90");
    ck_assert_str_eq(cuc_program_flag(p, CUC_CODE_LTOIR, 1), "--dlink-time-opt");
    for (size_t i = 1; i < cuc_program_flag_count(p, CUC_CODE_CUBIN); i++)
        ck_assert_ptr_nonnull(strstr(cuc_program_flag(p, CUC_CODE_CUBIN, i), "--include-path="));
    ck_assert_ptr_null(cuc_program_flag(p, CUC_CODE_PTX, 1000));
    ck_assert_uint_eq(cuc_program_flag_count(p, CUC_CODE_FATBIN), 0);
    cuc_program_release(p);

    p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .no_default_headers = CUC_ON));
    ck_assert_uint_eq(cuc_program_flag_count(p, CUC_CODE_PTX), 1);
    ck_assert_str_eq(cuc_program_flag(p, CUC_CODE_PTX, 0), "--gpu-architecture=compute_90a");
    cuc_program_release(p);
}

static const int32_t one = 1;

static const struct bad_option {
    cuc_program_options options;
    const char *words;
} bad_options[] = {
    { { .debug = 7 }, "debug is 7, expected CUC_DEFAULT" },
    { { .link_time_optimization = -1 }, "link_time_optimization is -1" },
    { { .no_default_headers = 3 }, "no_default_headers is 3" },
    { { .max_register_count = -2 }, "max_register_count is -2" },
    { { .jump_table_density = 102 }, "jump_table_density is 102, expected at most 101" },
    { { .std = "" }, "std is empty" },
    { { .define_macro_count = 1 }, "define_macros is NULL, with a count of 1" },
    { { TEXTS(define_macros, define_macro_count, "A", NULL) }, "define_macros[1] is NULL" },
    { { .diag_warn_count = 2 }, "diag_warn is NULL, with a count of 2" },
    { { .diag_warn = &one, .headers = NULL, .header_count = 1 }, "headers is NULL" },
    { { .headers = &(cuc_program_header){ NULL, "x", 0 }, .header_count = 1 }, "headers[0].name" },
    { { .headers = &(cuc_program_header){ "a.h", NULL, 0 }, .header_count = 1 },
      "headers[0].text" },
    { { .headers = &(cuc_program_header){ "a.h", "x\0y", 3 }, .header_count = 1 }, "zero byte" },
    { { .name_expression_count = 1 }, "name_expressions is NULL" },
    { { TEXTS(name_expressions, name_expression_count, "") }, "name_expressions[0] is empty" },
    { { .name = "a\nb" }, "control character" },
    { { .name = "" }, "name has 0 bytes" },
    { { .arch = "90" }, "arch is \"90\"" },
    { { .arch = "sm_080" }, "arch is \"sm_080\"" },
    { { .arch = "compute_090" }, "arch is \"compute_090\"" },
    { { .arch = "sm_" }, "arch is \"sm_\"" },
    { { .arch = "sm_90 -G" }, "arch is \"sm_90 -G\"" },
};

TEST_ROWS(an_option_out_of_its_bounds_is_refused_by_name, bad_options)
{
    cuc_program_options o = bad_options[_i].options;

    o.struct_size = sizeof(o);
    if (!o.arch)
        o.arch = "sm_90";
    create_refused(CUC_SOURCE_CUDA, scale, 0, &o, CUC_ERROR_INVALID_ARGUMENT,
                   bad_options[_i].words);
}

TEST(arguments_are_checked_when_a_program_is_made)
{
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;

    o.arch = "sm_90";
    create_refused(CUC_SOURCE_CUDA, NULL, 0, &o, CUC_ERROR_INVALID_ARGUMENT, "text is NULL");
    create_refused(99, scale, 0, &o, CUC_ERROR_INVALID_ARGUMENT, "source_kind is 99");
    create_refused(CUC_SOURCE_NVVM, scale, 0, &o, CUC_ERROR_NOT_SUPPORTED, "NVVM IR");
    create_refused(CUC_SOURCE_CUDA, "a\0b", 3, &o, CUC_ERROR_INVALID_ARGUMENT, "zero byte at 1");
    ck_assert_int_eq(cuc_program_create(NULL, CUC_SOURCE_CUDA, scale, 0, &o),
                     CUC_ERROR_INVALID_ARGUMENT);
    o.struct_size = 3;
    create_refused(CUC_SOURCE_CUDA, scale, 0, &o, CUC_ERROR_INVALID_ARGUMENT, "struct_size is 3");
}

TEST(a_smaller_struct_of_an_older_caller_leaves_the_rest_at_its_default)
{
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *p;

    o.arch = "sm_90";
    o.name = "old.cu";
    o.std = "not read";
    o.struct_size = offsetof(cuc_program_options, std);
    p = program_of(scale, &o);
    ck_assert(!has_flag(p, CUC_CODE_PTX, "--std=not read"));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    cuc_program_release(p);

    cuc_program_options_init(&o, sizeof(o));
    ck_assert_uint_eq(o.struct_size, sizeof(o));
    ck_assert_ptr_null(o.arch);
}

// Outputs of the compiler.

CASE("code", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST(each_target_gives_its_own_kind_of_code)
{
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .name = "scale.cu"));
    const void *data;
    size_t bytes;
    const char *ptx;

    for (int32_t target = CUC_CODE_PTX; target <= CUC_CODE_LTOIR; target++) {
        cuc_object *object = compiled(p, target);
        ck_assert_int_eq(cuc_object_kind(object), target);
        ck_assert_str_eq(cuc_object_name(object), "scale.cu");
        ck_assert_int_eq(cuc_object_get_code(&data, &bytes, object), CUC_OK);
        ck_assert_uint_gt(bytes, 100);
        if (target == CUC_CODE_CUBIN)
            ck_assert_mem_eq(data, "\177ELF", 4);
        if (target == CUC_CODE_LTOIR) {
            ck_assert_mem_eq(data, "\355CN\177", 4);
            ck_assert_int_lt(cuc_object_get_ptx(&ptx, &bytes, object), 0);
        } else {
            ck_assert_ptr_nonnull(strstr(ptx_of(object), ".entry scale("));
            ck_assert_ptr_nonnull(strstr(ptx_of(object), ".target sm_90"));
        }
        cuc_object_release(object);
    }
    ck_assert_str_eq(cuc_program_backend(p), "NVRTC");
    ck_assert_uint_gt(cuc_program_compile_ns(p), 0);
    refused(p, CUC_CODE_FATBIN, CUC_ERROR_INVALID_ARGUMENT, "target is 4 (fatbin)");
    cuc_program_release(p);
}

TEST(a_target_that_does_not_go_with_the_options_is_refused)
{
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "compute_90"));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    refused(p, CUC_CODE_CUBIN, CUC_ERROR_INVALID_ARGUMENT, "arch is \"compute_90\"");
    ck_assert_uint_eq(cuc_program_flag_count(p, CUC_CODE_CUBIN), 0);
    cuc_program_release(p);

    p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .link_time_optimization = CUC_ON));
    refused(p, CUC_CODE_PTX, CUC_ERROR_INVALID_ARGUMENT, "gives only LTO-IR");
    cuc_object_release(compiled(p, CUC_CODE_LTOIR));
    cuc_program_release(p);
}

TEST(options_and_text_are_copied)
{
    char text[sizeof(scale)], arch[] = "sm_90", define[] = "N=1";
    const char *defines[] = { define };
    cuc_program *p;

    memcpy(text, scale, sizeof(text));
    p = program_of(
        text, CUC_PROGRAM_OPTIONS(.arch = arch, .define_macros = defines, .define_macro_count = 1));
    memset(text, 'x', sizeof(text));
    memset(arch, 'x', sizeof(arch));
    memset(define, 'x', sizeof(define));
    defines[0] = NULL;
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    cuc_program_release(p);
}

TEST(a_length_may_count_the_closing_zero_or_cut_the_text)
{
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *p = NULL;

    o.arch = "sm_90";
    ck_assert_int_eq(cuc_program_create(&p, CUC_SOURCE_CUDA, scale, sizeof(scale), &o), CUC_OK);
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    cuc_program_release(p);
    ck_assert_int_eq(cuc_program_create(&p, CUC_SOURCE_CUDA, scale, sizeof(scale) - 4, &o), CUC_OK);
    refused(p, CUC_CODE_PTX, CUC_ERROR_COMPILE, "error:"); // the closing brace is missing
    cuc_program_release(p);
}

TEST(a_source_without_kernels_compiles)
{
    cuc_program *p = program_of("// nothing\n", CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    cuc_object *object = compiled(p, CUC_CODE_PTX);

    ck_assert_ptr_null(strstr(ptx_of(object), ".entry"));
    cuc_object_release(object);
    cuc_program_release(p);
    p = program_of("", CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    cuc_object_release(compiled(p, CUC_CODE_CUBIN));
    cuc_program_release(p);
}

TEST(name_expressions_reach_the_object)
{
    const char text[] = "namespace n { template <typename T, int K> __global__ void add(T *a) "
                        "{ a[0] += K; } }\n"
                        "__constant__ int table[4];\n";
    const char *const names[] = { "n::add<float, 3>", "n::add<double, 1 << 2>", "&table" };
    cuc_program *p =
        program_of(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .name_expressions = names,
                                             .name_expression_count = 3));

    for (int32_t target = CUC_CODE_PTX; target <= CUC_CODE_LTOIR; target++) {
        cuc_object *object = compiled(p, target);
        ck_assert_uint_eq(cuc_object_mapping_count(object), 3);
        for (size_t i = 0; i < 3; i++) {
            cuc_object_mapping m;
            ck_assert_int_eq(cuc_object_get_mapping(&m, object, i), CUC_OK);
            ck_assert_str_eq(m.expression, names[i]);
            ck_assert(strncmp(m.symbol, "_ZN1n3addI", 10) == 0 || strcmp(m.symbol, "table") == 0);
            if (target != CUC_CODE_LTOIR)
                ck_assert_ptr_nonnull(strstr(ptx_of(object), m.symbol));
        }
        cuc_object_release(object);
    }
    cuc_program_release(p);
}

TEST(a_wrong_name_expression_is_reported_as_such)
{
    const char *const names[] = { "add<bogus>" };
    cuc_program *p = program_of("template <typename T> __global__ void add(T *a) { a[0] += 1; }\n",
                                CUC_PROGRAM_OPTIONS(.arch = "sm_90", .name_expressions = names,
                                                    .name_expression_count = 1));

    refused(p, CUC_CODE_PTX, CUC_ERROR_COMPILE, "\"bogus\" is undefined, in a name expression");
    ck_assert_ptr_nonnull(strstr(cuc_error_log(), "add < bogus >"));
    cuc_program_release(p);
}

// Headers.

TEST(headers_in_memory_are_found_before_files)
{
    char path[256];
    const cuc_program_header headers[] = {
        { "value.h", "#define VALUE 42 garbage behind the length", 16 },
        { "deep/other.h", "#include \"value.h\"\n#define OTHER (VALUE + 1)\n", 0 },
    };
    const char *const paths[] = { folder };

    write_file(path, sizeof(path), "value.h", "#error the file was taken\n");
    cuc_program *p =
        program_of("#include <deep/other.h>\n"
                   "static_assert(OTHER == 43, \"\");\n",
                   CUC_PROGRAM_OPTIONS(.arch = "sm_90", .headers = headers, .header_count = 2,
                                       .include_paths = paths, .include_path_count = 1));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    cuc_program_release(p);
}

TEST(include_paths_are_searched_in_order_and_macros_defined)
{
    char path[256], first[128];
    const char *const paths[] = { first, folder };
    const char *const defines[] = { "N=3", "FLAG" };

    snprintf(first, sizeof(first), "%s/first", folder);
    ck_assert_int_eq(mkdir(first, 0700), 0);
    write_file(path, sizeof(path), "a.h", "#error the second folder came first\n");
    write_file(path, sizeof(path), "first/a.h", "#define A 1\n");
    write_file(path, sizeof(path), "b.h", "#define B 2\n");
    cuc_program *p = program_of(
        "#include <a.h>\n#include <b.h>\n"
        "static_assert(A + B == N && FLAG == 1, \"\");\n",
        CUC_PROGRAM_OPTIONS(.arch = "sm_90", .include_paths = paths, .include_path_count = 2,
                            .define_macros = defines, .define_macro_count = 2));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    cuc_program_release(p);
}

TEST(the_cuda_headers_are_found_unless_told_not_to)
{
    const char text[] = "#include <cuda_fp16.h>\n"
                        "__global__ void k(__half *a) { a[0] = __float2half(1.0f); }\n";
    cuc_found *found = NULL;

    if (cuc_find_header_dir(&found, "cudart") < 0) {
        printf("the_cuda_headers_are_found_unless_told_not_to: skipped, %s\n", cuc_error_message());
        return;
    }
    cuc_found_release(found);
    cuc_program *p = program_of(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    cuc_program_release(p);
    p = program_of(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .no_default_headers = CUC_ON));
    refused(p, CUC_CODE_PTX, CUC_ERROR_COMPILE, "open source file \"cuda_fp16.h\"");
    cuc_program_release(p);
}

// Failures.

CASE("failures and logs", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST(a_broken_source_gives_its_first_error_and_the_lines_around_each)
{
    const cuc_program_header header = { "in.h", "\n\n__device__ int f()\n{\n    return zzz;\n}\n",
                                        0 };
    const char text[] = "#include \"in.h\"\n"
                        "__global__ void k(float *a)\n"
                        "{\n"
                        "\ta[0] = b + c;\n"
                        "    int unused = 0;\n"
                        "    // six\n"
                        "    // seven\n"
                        "    // eight\n"
                        "    // nine\n"
                        "    float x = \"s\";\n"
                        "}\n";
    cuc_program *p = program_of(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .name = "bad.cu",
                                                          .headers = &header, .header_count = 1));

    refused(p, CUC_CODE_PTX, CUC_ERROR_COMPILE,
            "in.h(5): error: identifier \"zzz\" is undefined (4 errors)");
    ck_assert_int_eq(cuc_error_library(), CUC_LIBRARY_NVRTC);
    ck_assert_int_eq(cuc_error_library_code(), NVRTC_ERROR_COMPILATION);
    ck_assert_str_eq(cuc_error_library_call(), "nvrtcCompileProgram");
    const char *log = cuc_error_log();
    ck_assert_ptr_nonnull(strstr(log, "4 errors detected in the compilation of \"bad.cu\""));
    // NVRTC quotes the lines itself, so the message must not repeat them.
    ck_assert_ptr_nonnull(strstr(log, "return zzz;"));
    ck_assert_ptr_null(strstr(strstr(log, "return zzz;") + 1, "return zzz;"));
    ck_assert_ptr_null(strstr(log, ", line 5:"));

    // The program keeps the compiler's log for later queries.
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), "identifier \"b\" is undefined"));
    refused(p, CUC_CODE_CUBIN, CUC_ERROR_COMPILE, "(4 errors)");
    cuc_program_release(p);
}

TEST(one_error_is_not_counted_and_many_are)
{
    char text[4096] = "__global__ void k()\n{\n";
    cuc_program *p =
        program_of("__global__ void k() { x; }\n", CUC_PROGRAM_OPTIONS(.arch = "sm_90"));

    refused(p, CUC_CODE_PTX, CUC_ERROR_COMPILE,
            "program.cu(1): error: identifier \"x\" is undefined (nvrtcCompileProgram");
    cuc_program_release(p);

    for (int i = 0; i < 9; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "    x%d;\n", i);
    strcat(text, "}\n");
    p = program_of(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    refused(p, CUC_CODE_PTX, CUC_ERROR_COMPILE, "(9 errors)");
    cuc_program_release(p);
}

TEST(a_missing_include_is_named)
{
    cuc_program *p = program_of("#include \"nowhere.h\"\n", CUC_PROGRAM_OPTIONS(.arch = "sm_90"));

    refused(p, CUC_CODE_PTX, CUC_ERROR_COMPILE, "cannot open source file \"nowhere.h\"");
    ck_assert_ptr_nonnull(strstr(cuc_error_log(), "  #include \"nowhere.h\""));
    cuc_program_release(p);
}

TEST_RANGE(an_unknown_architecture_is_refused_with_the_known_ones, 0, 4)
{
    static const char *const archs[] = { "sm_42", "sm_80a", "compute_999", "sm_90f" };
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = archs[_i]));
    char words[64];

    snprintf(words, sizeof(words), "arch is \"%s\", which NVRTC", archs[_i]);
    refused(p, CUC_CODE_PTX, CUC_ERROR_NOT_SUPPORTED, words);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "sm_90, "));
    cuc_program_release(p);
}

TEST(a_flag_that_nvrtc_does_not_know_is_named)
{
    const char *const extra[] = { "--no-such-flag" };
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .extra_options = extra,
                                                           .extra_option_count = 1));

    refused(p, CUC_CODE_PTX, CUC_ERROR_INVALID_ARGUMENT, "--no-such-flag");
    cuc_program_release(p);
}

TEST(handles_are_checked)
{
    cuc_object *object = NULL;

    ck_assert_int_eq(cuc_program_compile(&object, NULL, CUC_CODE_PTX), CUC_ERROR_INVALID_ARGUMENT);
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    ck_assert_int_eq(cuc_program_compile(NULL, p, CUC_CODE_PTX), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_eq(cuc_program_retain(p), p);
    cuc_program_release(p);
    ck_assert_str_eq(cuc_program_log(p), "");
    cuc_program_release(p);
    cuc_program_release(NULL);
    ck_assert_ptr_null(cuc_program_retain(NULL));
    ck_assert_str_eq(cuc_program_log(NULL), "");
    ck_assert_str_eq(cuc_program_backend(NULL), "");
    ck_assert_uint_eq(cuc_program_compile_ns(NULL), 0);
    ck_assert_int_eq(cuc_program_pch_status(NULL), CUC_PCH_NONE);
    ck_assert_uint_eq(cuc_program_flag_count(NULL, CUC_CODE_PTX), 0);
}

// ---- The log after a success

TEST(warnings_of_a_success_are_in_the_logs)
{
    cuc_program *p = program_of("__global__ void k() { int unused = 3; }\n",
                                CUC_PROGRAM_OPTIONS(.arch = "sm_90"));

    ck_assert_str_eq(cuc_program_log(p), "");
    cuc_error_clear();
    cuc_object *object = compiled(p, CUC_CODE_PTX);
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), "\"unused\" was declared"));
    ck_assert_str_eq(cuc_object_log(object), cuc_program_log(p));
    ck_assert_int_eq(cuc_error_status(), CUC_OK);
    cuc_object_release(object);
    cuc_program_release(p);
}

TEST(the_assembler_reports_to_the_log)
{
    const char *const ptxas[] = { "-v" };
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .ptxas_options = ptxas,
                                                           .ptxas_option_count = 1));

    cuc_object_release(compiled(p, CUC_CODE_CUBIN));
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), "registers"));
    cuc_program_release(p);
}

TEST(ptx_that_is_too_new_for_the_driver_is_warned_of)
{
    const char words[] = "cannot be loaded by this driver (12.4)";

    NEED_FAKE();
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    fake_set_version(12040);
    cuc_object_release(compiled(p, CUC_CODE_CUBIN));
    ck_assert_ptr_null(strstr(cuc_program_log(p), words));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), words));
    cuc_program_release(p);
}

TEST(ptx_that_the_driver_can_load_is_not_warned_of)
{
    NEED_FAKE();
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    fake_set_version(cuc__nvrtc_toolkit.version());
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    ck_assert_str_eq(cuc_program_log(p), "");
    cuc_program_release(p);
}

TEST(the_default_architecture_is_the_devices)
{
    cuc_program *p = NULL;
    cuc_device *device;
    char flag[64];

    NEED_FAKE();
    ck_ok(cuc_device_get_current(&device));
    p = program_of(scale, NULL);
    snprintf(flag, sizeof(flag), "--gpu-architecture=%s", cuc_device_arch(device));
    ck_assert_str_eq(cuc_program_flag(p, CUC_CODE_CUBIN, 0), flag);
    cuc_program_release(p);
}

TEST(without_a_driver_an_architecture_must_be_given)
{
    setenv("CUCORE_DRIVER", "/nonexistent/libcuda.so", 1);
    create_refused(CUC_SOURCE_CUDA, scale, 0, NULL, CUC_ERROR_NO_DRIVER, "arch is not set");
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    cuc_object_release(compiled(p, CUC_CODE_CUBIN));
    cuc_program_release(p);
}

TEST(without_nvrtc_the_places_tried_are_reported)
{
    setenv("CUCORE_NVRTC", "/nonexistent/libnvrtc.so", 1);
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    refused(p, CUC_CODE_PTX, CUC_ERROR_NOT_FOUND, "nvrtc");
    ck_assert_ptr_nonnull(strstr(cuc_error_log(), "/nonexistent/libnvrtc.so"));
    cuc_program_release(p);
}

// Precompiled headers.

CASE("code");

TEST(a_precompiled_header_is_written_and_used)
{
    const cuc_program_options o = {
        .struct_size = sizeof(o), .arch = "sm_90", .pch = CUC_ON, .pch_dir = folder
    };
    const char text[] = "#include <cuda_fp16.h>\n"
                        "__global__ void k(__half *a) { a[0] = __float2half(1.0f); }\n";
    cuc_program *p = program_of(text, &o);

    ck_assert_int_eq(cuc_program_pch_status(p), CUC_PCH_NONE);
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    ck_assert_int_eq(cuc_program_pch_status(p), CUC_PCH_CREATED);
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), "creating precompiled header"));
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    ck_assert_int_eq(cuc_program_pch_status(p), CUC_PCH_NOT_ATTEMPTED);
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), "using precompiled header"));
    cuc_program_release(p);

    p = program_of(text, CUC_PROGRAM_OPTIONS(.arch = "sm_90", .create_pch = "/nonexistent/a.pch"));
    refused(p, CUC_CODE_PTX, CUC_ERROR_COMPILE, "/nonexistent/a.pch");
    ck_assert_int_eq(cuc_program_pch_status(p), CUC_PCH_FAILED);
    cuc_program_release(p);
}

TEST(a_heap_too_small_for_a_precompiled_header_is_grown)
{
    const cuc_program_options o = {
        .struct_size = sizeof(o), .arch = "sm_90", .pch = CUC_ON, .pch_dir = folder
    };
    size_t small = 1 << 20, now = 0;
    cuc_program *p = program_of("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
                                "__global__ void k(__half *a) { a[0] = __float2half(1.0f); }\n",
                                &o);

    ck_assert_int_eq(cuc__nvrtc.nvrtcSetPCHHeapSize(small), 0);
    cuc_object_release(compiled(p, CUC_CODE_PTX));
    ck_assert_int_eq(cuc_program_pch_status(p), CUC_PCH_CREATED);
    ck_assert_int_eq(cuc__nvrtc.nvrtcGetPCHHeapSize(&now), 0);
    ck_assert_uint_gt(now, small);
    cuc_program_release(p);
}

// PTX sources.

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry nop()\n{\n    ret;\n}\n";

TEST(ptx_is_assembled_to_a_cubin_and_kept_beside_it)
{
    cuc_program *p = NULL;
    const void *data;
    size_t bytes;

    ck_assert_int_eq(cuc_program_create(&p, CUC_SOURCE_PTX, ptx, 0,
                                        CUC_PROGRAM_OPTIONS(.arch = "sm_90", .name = "n.ptx",
                                                            .max_register_count = 32)),
                     CUC_OK);
    ck_assert_str_eq(cuc_program_backend(p), "nvJitLink");
    ck_assert_str_eq(cuc_program_flag(p, CUC_CODE_CUBIN, 0), "-maxrregcount=32");
    cuc_object *object = compiled(p, CUC_CODE_CUBIN);
    ck_assert_int_eq(cuc_object_kind(object), CUC_CODE_CUBIN);
    ck_assert_str_eq(cuc_object_name(object), "n.ptx");
    ck_assert_int_eq(cuc_object_get_code(&data, &bytes, object), CUC_OK);
    ck_assert_mem_eq(data, "\177ELF", 4);
    ck_assert_str_eq(ptx_of(object), ptx);
    cuc_object_release(object);

    object = compiled(p, CUC_CODE_PTX);
    ck_assert_int_eq(cuc_object_kind(object), CUC_CODE_PTX);
    ck_assert_str_eq(ptx_of(object), ptx);
    cuc_object_release(object);
    refused(p, CUC_CODE_LTOIR, CUC_ERROR_INVALID_ARGUMENT, "n.ptx is PTX");
    cuc_program_release(p);
}

TEST(the_options_of_ptx_reach_the_assembler)
{
    const char *const ptxas[] = { "-v" };
    cuc_program *p = NULL;

    ck_ok(cuc_program_create(&p, CUC_SOURCE_PTX, ptx, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90", .time = "-", .lineinfo = CUC_ON,
                                                 .ptxas_options = ptxas, .ptxas_option_count = 1)));
    ck_assert(has_flag(p, CUC_CODE_CUBIN, "-lineinfo"));
    ck_assert_uint_eq(cuc_program_flag_count(p, CUC_CODE_PTX), 0);
    cuc_object_release(compiled(p, CUC_CODE_CUBIN));
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), "Compiling entry function 'nop'"));
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), "time to finish"));
    cuc_program_release(p);
}

CASE("failures and logs");

TEST(broken_ptx_gives_its_first_error_and_the_lines_around_it)
{
    cuc_program *p = NULL;

    ck_assert_int_eq(cuc_program_create(&p, CUC_SOURCE_PTX,
                                        ".version 8.0\n.target sm_90\n.address_size 64\n"
                                        ".visible .entry nop()\n{\n    mov.u32 %r1, 3;\n}\n",
                                        0, CUC_PROGRAM_OPTIONS(.arch = "sm_90")),
                     CUC_OK);
    refused(p, CUC_CODE_CUBIN, CUC_ERROR_COMPILE, "assembling program.ptx for sm_90: ptxas");
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "line 6; error : "));
    ck_assert_ptr_nonnull(strstr(cuc_error_log(), "program.ptx, line 6:\n"));
    ck_assert_ptr_nonnull(strstr(cuc_error_log(), "     6 >     mov.u32 %r1, 3;\n"));
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), "%r1"));
    cuc_program_release(p);
}

TEST(options_that_mean_nothing_for_ptx_are_refused_by_name)
{
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    const char *const names[] = { "x" };

    o.arch = "sm_90";
    o.std = "c++20";
    create_refused(CUC_SOURCE_PTX, ptx, 0, &o, CUC_ERROR_INVALID_ARGUMENT,
                   "std is an option of CUDA C++");
    o.std = NULL;
    o.name_expressions = names;
    o.name_expression_count = 1;
    create_refused(CUC_SOURCE_PTX, ptx, 0, &o, CUC_ERROR_INVALID_ARGUMENT, "name_expressions are");
    o.name_expression_count = 0;
    o.arch = "compute_90";
    create_refused(CUC_SOURCE_PTX, ptx, 0, &o, CUC_ERROR_INVALID_ARGUMENT, "real architecture");
    o.arch = NULL;
    create_refused(CUC_SOURCE_PTX, "not ptx at all", 0, &o, CUC_ERROR_INVALID_ARGUMENT, "");
    create_refused(CUC_SOURCE_PTX, "", 0, &o, CUC_ERROR_INVALID_ARGUMENT, "");
}

// Threads.

static void *compile_many(void *argument)
{
    const char *value = argument;
    char define[32], want[32];
    const char *const defines[] = { define };
    cuc_program *p = NULL;
    size_t good = 0;

    snprintf(define, sizeof(define), "VALUE=%s", value);
    snprintf(want, sizeof(want), "%s;", value); // the immediate operand of the store
    if (cuc_program_create(&p, CUC_SOURCE_CUDA,
                           "extern \"C\" __global__ void k(int *a) { a[0] = VALUE; }\n", 0,
                           CUC_PROGRAM_OPTIONS(.arch = "sm_90", .define_macros = defines,
                                               .define_macro_count = 1)) < 0)
        return NULL;
    for (int i = 0; i < 5; i++) {
        cuc_object *object = NULL;
        const char *text;
        size_t bytes;
        if (cuc_program_compile(&object, p, CUC_CODE_CUBIN) == CUC_OK &&
            cuc_object_get_ptx(&text, &bytes, object) == CUC_OK && strstr(text, want))
            good++;
        cuc_object_release(object);
    }
    cuc_program_release(p);
    return (void *)good;
}

CASE("code");

TEST(programs_compile_in_several_threads_at_once)
{
    static char values[4][8] = { "11111", "22222", "33333", "44444" };
    pthread_t threads[CUC_LENGTH(values)];

    for (size_t i = 0; i < CUC_LENGTH(values); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, compile_many, values[i]), 0);
    for (size_t i = 0; i < CUC_LENGTH(values); i++) {
        void *good;
        pthread_join(threads[i], &good);
        ck_assert_uint_eq((size_t)good, 5);
    }
}

// ---- Signals during a process's first compilation, and changing handlers

static volatile sig_atomic_t handled[NSIG];

static void count_signal(int number)
{
    handled[number]++;
}

static const int watched[] = { SIGINT, SIGTERM, SIGXFSZ };

static int wrong_handlers(void)
{
    struct sigaction action;
    int wrong = 0;

    for (int i = 0; i < CUC_LENGTH(watched); i++)
        wrong += sigaction(watched[i], NULL, &action) != 0 || action.sa_handler != count_signal;
    return wrong;
}

static void *disturb(void *done)
{
    int wrong = 0;

    while (!atomic_load((_Atomic bool *)done)) {
        for (int i = 0; i < CUC_LENGTH(watched); i++)
            kill(getpid(), watched[i]); // any thread may get it
        wrong += wrong_handlers();
        usleep(200);
    }
    return (void *)(intptr_t)wrong;
}

static void *compile_scale(void *unused)
{
    (void)unused;
    cuc_program *p = program_of(scale, CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    cuc_object_release(compiled(p, CUC_CODE_CUBIN));
    cuc_program_release(p);
    return NULL;
}

CASE("failures and logs");

TEST(the_hosts_signal_handlers_work_while_a_program_compiles)
{
    _Atomic bool done = false;
    pthread_t disturber, compilers[2];
    void *wrong = NULL;

    for (int i = 0; i < CUC_LENGTH(watched); i++)
        ck_assert(signal(watched[i], count_signal) != SIG_ERR);
    ck_assert_int_eq(pthread_create(&disturber, NULL, disturb, &done), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&compilers[i], NULL, compile_scale, NULL), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(compilers[i], NULL), 0);
    atomic_store(&done, true);
    ck_assert_int_eq(pthread_join(disturber, &wrong), 0);
    ck_assert_int_eq((int)(intptr_t)wrong, 0);
    ck_assert_int_eq(wrong_handlers(), 0);
    for (int i = 0; i < CUC_LENGTH(watched); i++) {
        ck_assert_int_gt(handled[watched[i]], 0);
        signal(watched[i], SIG_DFL);
    }
}

int main(void)
{
    setenv("CUCORE_CHECK_HANDLES", "1", 0); // so that the fixture can count live objects
    if (testing_lacks("nvrtc") || testing_lacks("nvjitlink"))
        return 77;
    return run_tests("program");
}
