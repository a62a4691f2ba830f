// Tests linkers: the real nvJitLink, and the fake driver's linker.

#include "base/array.h"
#include "testing.h"

#include "driver/nvjitlink.h"
#include "base/handle.h"
#include "program/linker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char caller[] = "extern \"C\" __device__ float twice(float x);\n"
                             "template <typename T> __global__ void k(T *a) { *a = twice(*a); }\n";
static const char callee[] = "extern \"C\" __device__ float twice(float x) { return 2 * x; }\n";

static char folder[] = "/tmp/cucore-test-linker-XXXXXX";

static cuc_object *compile(const char *text, const char *name, int32_t target)
{
    const char *const names[] = { "k<float>" };
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *p = NULL;
    cuc_object *object = NULL;

    o.arch = "sm_90";
    o.name = name;
    o.relocatable_device_code = CUC_ON;
    o.name_expressions = names;
    o.name_expression_count = text == caller;
    ck_assert_msg(cuc_program_create(&p, CUC_SOURCE_CUDA, text, 0, &o) == CUC_OK, "%s",
                  cuc_error_message());
    ck_assert_msg(cuc_program_compile(&object, p, target) == CUC_OK, "%s", cuc_error_message());
    cuc_program_release(p);
    return object;
}

static cuc_linker *linker_of(const cuc_linker_options *options)
{
    cuc_linker *l = NULL;

    ck_assert_msg(cuc_linker_create(&l, options) == CUC_OK, "%s", cuc_error_message());
    return l;
}

// Makes a linker with the two sources, each compiled to the given kind of code.
static cuc_linker *linker_of_both(int32_t kind, const cuc_linker_options *options)
{
    cuc_linker *l = linker_of(options);
    cuc_object *a = compile(caller, "caller.cu", kind), *b = compile(callee, "callee.cu", kind);

    ck_assert_int_eq(cuc_linker_add(l, a), CUC_OK);
    ck_assert_int_eq(cuc_linker_add(l, b), CUC_OK);
    cuc_object_release(a);
    cuc_object_release(b);
    return l;
}

static cuc_object *linked(cuc_linker *l, int32_t target)
{
    cuc_object *object = NULL;

    ck_assert_msg(cuc_linker_link(&object, l, target) == CUC_OK, "%s\n%s", cuc_error_message(),
                  cuc_error_log());
    ck_assert_int_eq(cuc_object_kind(object), target);
    ck_assert_str_eq(cuc_linker_error_log(l), "");
    return object;
}

static void refused(cuc_linker *l, int32_t target, cuc_status status, const char *words)
{
    cuc_object *object = NULL;

    ck_assert_int_eq(cuc_linker_link(&object, l, target), status);
    ck_assert_ptr_null(object);
    ck_assert_str_eq(cuc_error_function(), "cuc_linker_link");
    ck_assert_msg(strstr(cuc_error_message(), words) != NULL, "no \"%s\" in: %s", words,
                  cuc_error_message());
}

static void create_refused(const cuc_linker_options *o, cuc_status status, const char *words)
{
    cuc_linker *l = NULL;

    ck_assert_int_eq(cuc_linker_create(&l, o), status);
    ck_assert_ptr_null(l);
    ck_assert_str_eq(cuc_error_function(), "cuc_linker_create");
    ck_assert_msg(strstr(cuc_error_message(), words) != NULL, "no \"%s\" in: %s", words,
                  cuc_error_message());
}

static bool has_ptx(const cuc_object *object)
{
    const char *text;
    size_t bytes;

    return cuc_object_get_ptx(&text, &bytes, object) == CUC_OK;
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

// ---- Every option: its flag, whether nvJitLink accepts it, and whether the driver's linker does.

#define TEXTS(field, count, ...)                   \
    .field = (const char *const[]){ __VA_ARGS__ }, \
    .count = CUC_LENGTH(((const char *[]){ __VA_ARGS__ }))

// clang-format off
static const struct option_case {
    const char *flag;
    cuc_linker_options options;
    int driver; // 1: the driver's linker accepts it
    cuc_status status;
} option_cases[] = {
    { "-maxrregcount=32",          { .max_register_count = 32 }, 1, 0 },
    { "-time",                     { .time = CUC_ON }, 0, 0 },
    { "-verbose",                  { .verbose = CUC_ON }, 1, 0 },
    { "-lto",                      { .link_time_optimization = CUC_ON }, 0, 0 },
    { "-O0",                       { .optimization_level = CUC_ZERO }, 1, 0 },
    { "-O3",                       { .optimization_level = 3 }, 1, 0 },
    { "-O2",                       { .optimization_level = 2 }, 1, CUC_ERROR_INVALID_ARGUMENT },
    { "-g",                        { .debug = CUC_ON }, 1, 0 },
    { "-lineinfo",                 { .lineinfo = CUC_ON }, 1, 0 },
    { "-ftz=1",                    { .ftz = CUC_ON }, 0, 0 },
    { "-ftz=0",                    { .ftz = CUC_OFF }, 0, 0 },
    { "-prec-div=1",               { .prec_div = CUC_ON }, 0, 0 },
    { "-prec-div=0",               { .prec_div = CUC_OFF }, 0, 0 },
    { "-prec-sqrt=1",              { .prec_sqrt = CUC_ON }, 0, 0 },
    { "-prec-sqrt=0",              { .prec_sqrt = CUC_OFF }, 0, 0 },
    { "-fma=1",                    { .fma = CUC_ON }, 0, 0 },
    { "-fma=0",                    { .fma = CUC_OFF }, 0, 0 },
    { "-kernels-used=_Z1kIfEvPT_", { TEXTS(kernels_used, kernels_used_count, "_Z1kIfEvPT_") }, 0, 0 },
    { "-variables-used=v",         { TEXTS(variables_used, variables_used_count, "u", "v") }, 0, 0 },
    { "-optimize-unused-variables", { .optimize_unused_variables = CUC_ON }, 0, 0 },
    { "-Xptxas=-v",                { TEXTS(ptxas_options, ptxas_option_count, "-O1", "-v") }, 0, 0 },
    { "-split-compile=2",          { .split_compile = 2 }, 0, 0 },
    { "-split-compile=0",          { .split_compile = CUC_ZERO }, 0, 0 },
    { "-split-compile-extended=2", { .split_compile_extended = 2 }, 0, 0 },
    { "-no-cache",                 { .no_cache = CUC_ON }, 1, 0 },
    { "-numba-debug",              { .numba_debug = CUC_ON }, 0, CUC_ERROR_INVALID_ARGUMENT },
    { "-jump-table-density=50",    { TEXTS(extra_options, extra_option_count, "-jump-table-density=50") }, 0, 0 },
};
// clang-format on

CASE("options", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST_ROWS(an_option_becomes_the_flag_that_nvjitlink_takes, option_cases)
{
    const struct option_case *c = &option_cases[_i];
    cuc_linker_options o = c->options;
    bool found = false;

    o.struct_size = sizeof(o);
    o.arch = "sm_90";
    o.backend = CUC_LINKER_NVJITLINK;
    cuc_linker *l = linker_of_both(CUC_CODE_LTOIR, &o);
    for (size_t i = 0; i < cuc_linker_flag_count(l); i++)
        found |= strcmp(cuc_linker_flag(l, i), c->flag) == 0;
    ck_assert(found);
    ck_assert_ptr_null(cuc_linker_flag(l, cuc_linker_flag_count(l)));
    if (c->status && cuc__nvjitlink_toolkit.version() > 13000)
        ; // a later nvJitLink may accept it
    else if (c->status)
        refused(l, CUC_CODE_CUBIN, c->status, c->flag[1] == 'O' ? "-O: 2" : c->flag);
    else
        cuc_object_release(linked(l, CUC_CODE_CUBIN));
    cuc_linker_release(l);
}

TEST_ROWS(the_drivers_linker_refuses_unsupported_options_by_name, option_cases)
{
    const struct option_case *c = &option_cases[_i];
    cuc_linker_options o = c->options;

    o.struct_size = sizeof(o);
    o.backend = CUC_LINKER_DRIVER;
    if (!c->driver) {
        create_refused(&o, CUC_ERROR_NOT_SUPPORTED, " is not an option of the driver's linker");
        return;
    }
    cuc_linker *l = linker_of(&o);
    ck_assert_str_eq(cuc_linker_backend(l), "driver");
    ck_assert_uint_eq(cuc_linker_flag_count(l), 0);
    ck_assert_uint_eq(l->jit.count, 1);
    cuc_linker_release(l);
}

TEST(every_row_of_the_option_table_has_a_case)
{
    for (size_t i = 0; i < cuc__linker_options_table.count; i++) {
        const cuc__option *row = &cuc__linker_options_table.at[i];
        size_t k = 0;
        while (k < CUC_LENGTH(option_cases) && !cuc__option_is_set(row, &option_cases[k].options))
            k++;
        ck_assert_msg(k < CUC_LENGTH(option_cases), "no case sets %s", row->field);
        ck_assert_msg((row->driver >= 0) == option_cases[k].driver, "%s", row->field);
    }
}

TEST(bad_options_are_refused_when_a_linker_is_made)
{
    cuc_linker_options o = CUC_LINKER_OPTIONS_INIT;

    ck_assert_int_eq(cuc_linker_create(NULL, &o), CUC_ERROR_INVALID_ARGUMENT);
    create_refused(CUC_LINKER_OPTIONS(.backend = 3), CUC_ERROR_INVALID_ARGUMENT, "backend is 3");
    create_refused(CUC_LINKER_OPTIONS(.keep_ptx = 9), CUC_ERROR_INVALID_ARGUMENT, "keep_ptx is 9");
    create_refused(CUC_LINKER_OPTIONS(.optimization_level = 4), CUC_ERROR_INVALID_ARGUMENT,
                   "optimization_level is 4, expected at most 3");
    create_refused(CUC_LINKER_OPTIONS(.verbose = -1), CUC_ERROR_INVALID_ARGUMENT, "verbose is -1");
    create_refused(CUC_LINKER_OPTIONS(.kernels_used_count = 1), CUC_ERROR_INVALID_ARGUMENT,
                   "kernels_used is NULL");
    create_refused(CUC_LINKER_OPTIONS(.arch = "compute_90"), CUC_ERROR_INVALID_ARGUMENT,
                   "arch is \"compute_90\"");
    create_refused(CUC_LINKER_OPTIONS(.arch = "hopper"), CUC_ERROR_INVALID_ARGUMENT,
                   "arch is \"hopper\"");
    create_refused(CUC_LINKER_OPTIONS(.name = "a\nb"), CUC_ERROR_INVALID_ARGUMENT,
                   "control character");
    o.struct_size = 0;
    create_refused(&o, CUC_ERROR_INVALID_ARGUMENT, "struct_size is 0");
    cuc_linker_options_init(&o, sizeof(o));
    ck_assert_uint_eq(o.struct_size, sizeof(o));
}

// Links.

CASE("links", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST_RANGE(two_objects_link_to_one, 0, 3)
{
    static const int32_t kinds[] = { CUC_CODE_PTX, CUC_CODE_CUBIN, CUC_CODE_LTOIR };
    cuc_linker *l = linker_of_both(kinds[_i], CUC_LINKER_OPTIONS(.arch = "sm_90", .name = "both"));
    cuc_object_mapping m;
    const void *data;
    size_t bytes;

    ck_assert_str_eq(cuc_linker_backend(l), "nvJitLink");
    for (int again = 0; again < 2; again++) {
        cuc_object *object = linked(l, CUC_CODE_CUBIN);
        ck_assert_str_eq(cuc_object_name(object), "both");
        ck_assert_int_eq(cuc_object_get_code(&data, &bytes, object), CUC_OK);
        ck_assert_mem_eq(data, "\177ELF", 4);
        ck_assert_uint_eq(cuc_object_mapping_count(object), 1);
        ck_assert_int_eq(cuc_object_get_mapping(&m, object, 0), CUC_OK);
        ck_assert_str_eq(m.expression, "k<float>");
        ck_assert_str_eq(m.symbol, "_Z1kIfEvPT_");
        ck_assert(has_ptx(object) == (kinds[_i] == CUC_CODE_LTOIR));
        cuc_object_release(object);
    }
    cuc_linker_release(l);
}

TEST(ltoir_links_to_ptx_with_everything_inlined)
{
    cuc_linker *l = linker_of_both(CUC_CODE_LTOIR, CUC_LINKER_OPTIONS(.arch = "sm_90"));
    cuc_object *object = linked(l, CUC_CODE_PTX);
    const char *text;
    size_t bytes;

    ck_assert_int_eq(cuc_object_get_ptx(&text, &bytes, object), CUC_OK);
    ck_assert_ptr_nonnull(strstr(text, ".entry _Z1kIfEvPT_"));
    ck_assert_ptr_null(strstr(text, "call"));
    cuc_object_release(object);
    cuc_linker_release(l);

    l = linker_of_both(CUC_CODE_LTOIR, CUC_LINKER_OPTIONS(.arch = "sm_90", .keep_ptx = CUC_OFF));
    object = linked(l, CUC_CODE_CUBIN);
    ck_assert(!has_ptx(object));
    cuc_object_release(object);
    cuc_linker_release(l);

    l = linker_of_both(CUC_CODE_CUBIN, CUC_LINKER_OPTIONS(.arch = "sm_90"));
    refused(l, CUC_CODE_PTX, CUC_ERROR_INVALID_ARGUMENT, "no input is LTO-IR (caller.cu is cubin)");
    refused(l, CUC_CODE_FATBIN, CUC_ERROR_INVALID_ARGUMENT, "target is 4 (fatbin)");
    cuc_linker_release(l);
}

TEST(mixed_inputs_link_and_have_no_ptx)
{
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_90"));
    cuc_object *a = compile(caller, "caller.cu", CUC_CODE_LTOIR);
    cuc_object *b = compile(callee, "callee.cu", CUC_CODE_CUBIN);

    ck_assert_int_eq(cuc_linker_add(l, a), CUC_OK);
    ck_assert_int_eq(cuc_linker_add(l, b), CUC_OK);
    cuc_error_clear();
    cuc_object *object = linked(l, CUC_CODE_CUBIN);
    ck_assert_int_eq(cuc_error_status(), CUC_OK);
    ck_assert(!has_ptx(object));
    cuc_object_release(object);
    refused(l, CUC_CODE_PTX, CUC_ERROR_LINK, "");
    cuc_object_release(a);
    cuc_object_release(b);
    cuc_linker_release(l);
}

TEST_RANGE(an_undefined_symbol_is_named_and_can_then_be_added, 0, 3)
{
    static const int32_t kinds[] = { CUC_CODE_PTX, CUC_CODE_CUBIN, CUC_CODE_LTOIR };
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_90"));
    cuc_object *a = compile(caller, "caller.cu", kinds[_i]);
    cuc_object *b = compile(callee, "callee.cu", kinds[_i]);

    ck_assert_int_eq(cuc_linker_add(l, a), CUC_OK);
    refused(l, CUC_CODE_CUBIN, CUC_ERROR_LINK, "'twice'");
    ck_assert_int_eq(cuc_error_library(), CUC_LIBRARY_NVJITLINK);
    ck_assert_ptr_nonnull(strstr(cuc_error_log(), "'twice'"));
    ck_assert_str_eq(cuc_error_log(), cuc_linker_error_log(l));
    ck_assert_int_eq(cuc_linker_add(l, b), CUC_OK);
    cuc_object_release(linked(l, CUC_CODE_CUBIN));
    cuc_object_release(a);
    cuc_object_release(b);
    cuc_linker_release(l);
}

TEST(code_of_another_architecture_is_refused)
{
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_80"));
    cuc_object *b = compile(callee, "callee.cu", CUC_CODE_CUBIN);

    ck_assert_int_eq(cuc_linker_add(l, b), CUC_OK);
    refused(l, CUC_CODE_CUBIN, CUC_ERROR_LINK, "linking 1 input for sm_80");
    cuc_object_release(b);
    cuc_linker_release(l);

    l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_999"));
    ck_assert_int_eq(cuc_linker_add_data(l, 0, ".version 8.0\n.target sm_80\n", 27, "a.ptx"),
                     CUC_OK);
    refused(l, CUC_CODE_CUBIN, CUC_ERROR_NOT_SUPPORTED, "999");
    cuc_linker_release(l);
}

TEST(a_single_input_leaves_its_ptx_beside_the_cubin)
{
    const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                       ".visible .entry nop() { ret; }\n";
    const char *text;
    size_t bytes;

    for (size_t extra = 0; extra < 2; extra++) { // size without and with the terminating zero
        cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_90", .verbose = CUC_ON));
        ck_assert_int_eq(cuc_linker_add_data(l, 0, ptx, strlen(ptx) + extra, NULL), CUC_OK);
        cuc_object *object = linked(l, CUC_CODE_CUBIN);
        ck_assert_int_eq(cuc_object_get_ptx(&text, &bytes, object), CUC_OK);
        ck_assert_str_eq(text, ptx);
        ck_assert_ptr_nonnull(strstr(cuc_linker_info_log(l), "Compiling entry function 'nop'"));
        ck_assert_str_eq(cuc_object_log(object), cuc_linker_info_log(l));
        cuc_object_release(object);
        cuc_linker_release(l);
    }
}

// The fake device is an sm_90.
static const struct {
    const char *target, *arch;
    cuc_status status;
} targets[] = {
    { "sm_90", NULL, CUC_OK },
    { "sm_90a", NULL, CUC_OK },
    { "sm_90a, texmode_unified", NULL, CUC_OK },
    { "sm_90a", "sm_90", CUC_ERROR_LINK },
    { "sm_100a", NULL, CUC_ERROR_LINK },
};

TEST_ROWS(ptx_of_the_device_itself_is_assembled_for_it, targets)
{
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = targets[_i].arch));
    char ptx[160];
    int bytes = snprintf(ptx, sizeof(ptx),
                         "// .target sm_100a\n.version 9.0\n.target %s\n.address_size 64\n"
                         ".visible .entry nop() { ret; }\n",
                         targets[_i].target);

    ck_assert_int_eq(cuc_linker_add_data(l, 0, ptx, (size_t)bytes, "nop.ptx"), CUC_OK);
    if (targets[_i].status == CUC_OK)
        cuc_object_release(linked(l, CUC_CODE_CUBIN));
    else
        refused(l, CUC_CODE_CUBIN, targets[_i].status, ".target");
    cuc_linker_release(l);
}

TEST(nothing_to_link_is_refused)
{
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_90"));
    cuc_object *object = NULL;

    refused(l, CUC_CODE_CUBIN, CUC_ERROR_INVALID_ARGUMENT, "nothing to link");
    ck_assert_int_eq(cuc_linker_link(NULL, l, CUC_CODE_CUBIN), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_linker_link(&object, NULL, CUC_CODE_CUBIN), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_eq(cuc_linker_retain(l), l);
    cuc_linker_release(l);
    cuc_linker_release(l);
    cuc_linker_release(NULL);
    ck_assert_str_eq(cuc_linker_info_log(NULL), "");
    ck_assert_str_eq(cuc_linker_error_log(NULL), "");
    ck_assert_str_eq(cuc_linker_backend(NULL), "");
    ck_assert_uint_eq(cuc_linker_flag_count(NULL), 0);
}

// Inputs.

CASE("inputs and backends", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST(data_that_is_not_code_is_refused)
{
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_90"));
    char path[128];

    ck_assert_int_eq(cuc_linker_add(l, NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_linker_add_data(l, 0, NULL, 4, NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_linker_add_data(l, 0, "x", 0, NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_linker_add_data(l, 0, "\1\2\3\4", 4, "noise"), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "noise (4 bytes)"));
    ck_assert_str_eq(cuc_error_function(), "cuc_linker_add_data");
    ck_assert_int_eq(cuc_linker_add_data(l, CUC_CODE_CUBIN, ".version 8.0", 12, NULL),
                     CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_linker_add_data(l, 77, ".version 8.0", 12, NULL),
                     CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_linker_add_file(l, 0, NULL), CUC_ERROR_INVALID_ARGUMENT);
    snprintf(path, sizeof(path), "%s/missing.cubin", folder);
    ck_assert_int_eq(cuc_linker_add_file(l, 0, path), CUC_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "missing.cubin cannot be opened: No such"));
    ck_assert_int_eq(cuc_linker_add_file(l, 0, folder), CUC_ERROR_IO);
    ck_assert_int_eq(cuc_linker_add_file(l, 0, "/dev/null"), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "/dev/null is empty"));
    refused(l, CUC_CODE_CUBIN, CUC_ERROR_INVALID_ARGUMENT, "nothing to link");
    cuc_linker_release(l);
}

TEST(files_are_read_when_they_are_added)
{
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_90"));
    cuc_object *a = compile(caller, "caller.cu", CUC_CODE_CUBIN);
    cuc_object *b = compile(callee, "callee.cu", CUC_CODE_PTX);
    char path[128];

    snprintf(path, sizeof(path), "%s/a.bin", folder);
    ck_assert_int_eq(cuc_object_save(a, path), CUC_OK);
    ck_assert_int_eq(cuc_linker_add_file(l, 0, path), CUC_OK);
    ck_assert_int_eq(cuc_object_save(b, path), CUC_OK);
    ck_assert_int_eq(cuc_linker_add_file(l, CUC_CODE_PTX, path), CUC_OK);
    ck_assert_int_eq(unlink(path), 0);
    cuc_object_release(linked(l, CUC_CODE_CUBIN));
    cuc_object_release(a);
    cuc_object_release(b);
    cuc_linker_release(l);
}

// Tests nvcc's output: a host object with device code, an archive of it, and a fat binary.
TEST_RANGE(host_objects_archives_and_fatbins_are_inputs, 0, 3)
{
    static const struct {
        const char *command, *file;
        int32_t kind;
    } cases[] = {
        { "nvcc -arch=sm_90 -dc callee.cu -o callee.o", "callee.o", CUC_CODE_OBJECT },
        { "nvcc -arch=sm_90 -dc callee.cu -o c.o && ar rc libcallee.a c.o", "libcallee.a",
          CUC_CODE_LIBRARY },
        { "nvcc -arch=sm_90 -rdc=true -fatbin callee.cu -o callee.fatbin", "callee.fatbin",
          CUC_CODE_FATBIN },
    };
    char command[512], path[128];
    cuc_object *a;
    FILE *f;

    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_ptr_nonnull(f = fopen("callee.cu", "w"));
    fputs(callee, f);
    fclose(f);
    snprintf(command, sizeof(command), "{ PATH=$PATH:/usr/local/cuda/bin; %s; } >nvcc.log 2>&1",
             cases[_i].command);
    if (system(command) != 0) {
        printf("host_objects_archives_and_fatbins_are_inputs: %s skipped, nvcc does not run\n",
               cases[_i].file);
        return;
    }
    snprintf(path, sizeof(path), "%s/%s", folder, cases[_i].file);
    a = compile(caller, "caller.cu", CUC_CODE_CUBIN);
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_90"));
    ck_assert_int_eq(cuc_linker_add(l, a), CUC_OK);
    ck_assert_msg(cuc_linker_add_file(l, 0, path) == CUC_OK, "%s", cuc_error_message());
    ck_assert_int_eq(l->inputs[1].kind, cases[_i].kind);
    cuc_object_release(linked(l, CUC_CODE_CUBIN));
    cuc_object_release(a);
    cuc_linker_release(l);
}

// The linkers.

TEST(without_nvjitlink_the_driver_links)
{
    cuc_linker *l;

    setenv("CUCORE_NVJITLINK", "/nonexistent/libnvJitLink.so", 1);
    l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_90"));
    ck_assert_str_eq(cuc_linker_backend(l), "driver");
    cuc_linker_release(l);
    create_refused(CUC_LINKER_OPTIONS(.arch = "sm_90", .backend = CUC_LINKER_NVJITLINK),
                   CUC_ERROR_NOT_FOUND, "nvjitlink");
    create_refused(CUC_LINKER_OPTIONS(.arch = "sm_90", .time = CUC_ON), CUC_ERROR_NOT_SUPPORTED,
                   "time is not an option of the driver's linker");
}

TEST(the_drivers_linker_takes_no_ltoir_and_gives_no_ptx)
{
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_90", .backend = CUC_LINKER_DRIVER));
    cuc_object *a = compile(callee, "callee.cu", CUC_CODE_LTOIR);
    cuc_object *b = compile(callee, "callee.cu", CUC_CODE_PTX);

    ck_assert_int_eq(cuc_linker_add(l, a), CUC_ERROR_NOT_SUPPORTED);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "callee.cu is LTO-IR"));
    ck_assert_int_eq(cuc_linker_add(l, b), CUC_OK);
    refused(l, CUC_CODE_PTX, CUC_ERROR_NOT_SUPPORTED, "makes cubins only");
    cuc_object_release(a);
    cuc_object_release(b);
    cuc_linker_release(l);
}

static const char entry[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".visible .entry %s()\n{\n    ret;\n}\n";

static void add_entry(cuc_linker *l, const char *name)
{
    char text[256];

    snprintf(text, sizeof(text), entry, name);
    ck_ok(cuc_linker_add_data(l, CUC_CODE_PTX, text, strlen(text), name));
}

TEST(the_drivers_linker_links_and_cleans_up)
{
    NEED_FAKE();
    cuc_linker *l = linker_of(
        CUC_LINKER_OPTIONS(.arch = "sm_90a", .name = "both", .backend = CUC_LINKER_DRIVER));
    cuc_object *object = NULL;
    const char *text;
    size_t bytes;

    add_entry(l, "first");
    add_entry(l, "second");
    ck_ok(cuc_linker_link(&object, l, CUC_CODE_CUBIN));
    ck_assert_int_eq(cuc_object_kind(object), CUC_CODE_PTX); // the fake driver has no machine code
    ck_assert_str_eq(cuc_object_name(object), "both");
    ck_ok(cuc_object_get_ptx(&text, &bytes, object));
    ck_assert_ptr_nonnull(strstr(text, ".entry first()"));
    ck_assert_ptr_nonnull(strstr(text, ".entry second()"));
    ck_assert_str_eq(cuc_linker_info_log(l), "linked by nobody");
    ck_assert_str_eq(cuc_linker_error_log(l), "");
    ck_assert_int_eq(fake_live("link"), 0);
    ck_assert_ptr_null(testing_current());
    cuc_object_release(object);

    add_entry(l, "first");
    refused(l, CUC_CODE_CUBIN, CUC_ERROR_LINK,
            "linking 3 inputs for sm_90a: line 21: found a second body of first, expected that of "
            "line 4 alone (cuLinkComplete");
    ck_assert_int_eq(cuc_error_library(), CUC_LIBRARY_DRIVER);
    ck_assert_str_eq(cuc_linker_error_log(l),
                     "line 21: found a second body of first, expected that of line 4 alone");
    ck_assert_str_eq(cuc_error_log(), cuc_linker_error_log(l));
    ck_assert_int_eq(fake_live("link"), 0);
    ck_assert_ptr_null(testing_current());
    cuc_linker_release(l);
}

TEST_RANGE(a_failure_of_the_driver_leaves_no_link_behind, 0, 3)
{
    static const char *const calls[] = { "cuLinkCreate", "cuLinkAddData", "cuLinkComplete" };
    cuc_object *object = NULL;

    NEED_FAKE();
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.backend = CUC_LINKER_DRIVER));
    add_entry(l, "first");
    fake_fail(calls[_i], 1, CUDA_ERROR_OUT_OF_MEMORY);
    ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_linker_link(&object, l, CUC_CODE_CUBIN), calls[_i],
             "linking 1 input");
    ck_assert_ptr_null(object);
    ck_assert_int_eq(fake_fails_armed(), 0);
    ck_assert_int_eq(fake_live("link"), 0);
    ck_assert_ptr_null(testing_current());
    ck_ok(cuc_linker_link(&object, l, CUC_CODE_CUBIN));
    cuc_object_release(object);
    cuc_linker_release(l);
}

TEST(the_drivers_linker_works_in_the_current_context)
{
    NEED_FAKE();
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.backend = CUC_LINKER_DRIVER));
    cuc_object *object = NULL;
    cuc_device *device;

    ck_ok(cuc_device_get(&device, 1));
    ck_ok(cuc_device_set_current(device, NULL));
    CUcontext current = testing_current();
    add_entry(l, "first");
    fake_calls_reset();
    ck_ok(cuc_linker_link(&object, l, CUC_CODE_CUBIN));
    ck_assert_int_eq(fake_calls("cuCtxPushCurrent"), 0);
    ck_assert_ptr_eq(testing_current(), current);
    cuc_object_release(object);
    cuc_linker_release(l);
}

TEST(options_reach_the_drivers_linker)
{
    static const struct {
        cuc_linker_options options;
        unsigned option;
        size_t value;
    } cases[] = {
        { { .max_register_count = 40 }, CU_JIT_MAX_REGISTERS, 40 },
        { { .verbose = CUC_ON }, CU_JIT_LOG_VERBOSE, 1 },
        { { .optimization_level = CUC_ZERO }, CU_JIT_OPTIMIZATION_LEVEL, 0 },
        { { .optimization_level = 2 }, CU_JIT_OPTIMIZATION_LEVEL, 2 },
        { { .debug = CUC_ON }, CU_JIT_GENERATE_DEBUG_INFO, 1 },
        { { .lineinfo = CUC_ON }, CU_JIT_GENERATE_LINE_INFO, 1 },
        { { .no_cache = CUC_ON }, CU_JIT_CACHE_MODE, CU_JIT_CACHE_OPTION_NONE },
    };
    for (int i = 0; i < CUC_LENGTH(cases); i++) {
        cuc_linker_options o = cases[i].options;
        o.struct_size = sizeof(o);
        o.backend = CUC_LINKER_DRIVER;
        cuc_linker *l = linker_of(&o);
        ck_assert_uint_eq(l->jit.count, 1);
        ck_assert_uint_eq(l->jit.option[0], cases[i].option);
        ck_assert_uint_eq((uintptr_t)l->jit.value[0], cases[i].value);
        cuc_linker_release(l);
    }
    // An option that is off is never passed.
    cuc_linker *l =
        linker_of(CUC_LINKER_OPTIONS(.backend = CUC_LINKER_DRIVER, .debug = CUC_OFF,
                                     .time = CUC_OFF, .link_time_optimization = CUC_OFF));
    ck_assert_uint_eq(l->jit.count, 0);
    cuc_linker_release(l);
}

TEST(the_drivers_linker_needs_a_driver)
{
    cuc_linker *l = linker_of(CUC_LINKER_OPTIONS(.arch = "sm_90", .backend = CUC_LINKER_DRIVER));

    setenv("CUCORE_DRIVER", "/nonexistent/libcuda.so", 1);
    ck_assert_int_eq(cuc_linker_add_data(l, 0, ".version 8.0", 12, NULL), CUC_OK);
    refused(l, CUC_CODE_CUBIN, CUC_ERROR_NO_DRIVER, "the driver's linker was chosen");
    cuc_linker_release(l);
}

TEST(a_link_with_nvjitlink_needs_no_driver)
{
    setenv("CUCORE_DRIVER", "/nonexistent/libcuda.so", 1);
    cuc_linker *l = linker_of_both(CUC_CODE_CUBIN, CUC_LINKER_OPTIONS(.arch = "sm_90"));
    cuc_object_release(linked(l, CUC_CODE_CUBIN));
    cuc_linker_release(l);

    l = linker_of_both(CUC_CODE_CUBIN, NULL);
    refused(l, CUC_CODE_CUBIN, CUC_ERROR_NO_DRIVER, "arch is not set");
    cuc_linker_release(l);
}

int main(void)
{
    setenv("CUCORE_CHECK_HANDLES", "1", 0); // so that the fixture can count live objects
    if (testing_lacks("nvrtc") || testing_lacks("nvjitlink"))
        return 77;
    return run_tests("linker");
}
