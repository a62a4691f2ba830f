// Tests the kernel library's interface: names, sources, programs. tests/library tests its kernels.
#include <cucore/library.h>
#include <cucore/object.h>

#include "base/handle.h"
#include "testing.h"

static void teardown(void)
{
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_OBJECT), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_PROGRAM), 0);
}

CASE("library", .teardown = teardown, .timeout = 120);

TEST(names_are_in_alphabetical_order)
{
    ck_assert_uint_gt(cuc_library_count(), 0);
    for (size_t i = 1; i < cuc_library_count(); i++)
        ck_assert_str_lt(cuc_library_name(i - 1), cuc_library_name(i));
    ck_assert_str_eq(cuc_library_name(cuc_library_count()), "");
}

TEST(every_family_compiles_with_its_defaults)
{
    for (size_t i = 0; i < cuc_library_count(); i++) {
        const char *name = cuc_library_name(i), *source = NULL;
        cuc_program *program;
        cuc_object *object;

        ck_ok(cuc_library_get_source(&source, name));
        ck_assert_msg(source[0] == '#', "%s has no comment on top", name);
        ck_ok(cuc_program_from_library(&program, name, CUC_PROGRAM_OPTIONS(.arch = "sm_90a")));
        ck_ok(cuc_program_compile(&object, program, CUC_CODE_PTX));
        cuc_object_release(object);
        cuc_program_release(program);
    }
}

TEST(options_set_constants_and_the_name)
{
    static const char *const set[] = { "T=f32", "N=x" };
    cuc_program *program;
    cuc_object *object = NULL;

    ck_ok(cuc_program_from_library(
        &program, "rms_norm",
        CUC_PROGRAM_OPTIONS(.arch = "sm_90", .constants = set, .constant_count = 1)));
    ck_ok(cuc_program_compile(&object, program, CUC_CODE_PTX));
    cuc_object_release(object);
    cuc_program_release(program);

    ck_ok(cuc_program_from_library(
        &program, "rms_norm",
        CUC_PROGRAM_OPTIONS(.arch = "sm_90", .constants = set, .constant_count = 2)));
    ck_fails(CUC_ERROR_COMPILE, cuc_program_compile(&object, program, CUC_CODE_PTX),
             "rms_norm.tile");
    cuc_program_release(program);
    ck_ok(cuc_program_from_library(&program, "rms_norm",
                                   CUC_PROGRAM_OPTIONS(.name = "mine", .arch = "sm_90",
                                                       .constants = set, .constant_count = 2)));
    ck_fails(CUC_ERROR_COMPILE, cuc_program_compile(&object, program, CUC_CODE_PTX), "mine");
    cuc_program_release(program);
}

TEST(wrong_arguments_are_refused)
{
    cuc_program *program = NULL;
    const char *source = NULL;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_library_get_source(NULL, "rms_norm"),
             "source is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_library_get_source(&source, NULL), "name is NULL");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_library_get_source(&source, "rms"), "rms_norm");
    ck_assert_ptr_null(source);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_from_library(NULL, "rms_norm", NULL),
             "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_from_library(&program, NULL, NULL),
             "name is NULL");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_program_from_library(&program, "rms", NULL), "rms_norm");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_program_from_library(&program, "rms_norm", CUC_PROGRAM_OPTIONS(.warps = 3)),
             "warps");
    ck_assert_ptr_null(program);
}

int main(void)
{
    setenv("CUCORE_CHECK_HANDLES", "1", 1); // count live objects from the first handle on
    return run_tests("library");
}
