// Tests the interface for CPython in a process without an interpreter. Python tests cover the rest.
#include "tests.h"

#include <cucore/cucore.h>

#include <string.h>

CASE("process");

TEST(a_process_without_an_interpreter_gets_an_error)
{
    char something[64] = { 0 };
    void *made = NULL;

    ck_assert_int_eq(cuc_python_add_dlpack(something), CUC_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "Python 3.10"));
    ck_assert_int_eq(cuc_python_add_call(something), CUC_ERROR_NOT_FOUND);
    ck_assert_int_eq(cuc_python_get_launch(&made, something), CUC_ERROR_NOT_FOUND);
    ck_assert_int_eq(cuc_python_get_base(&made, "Handle"), CUC_ERROR_NOT_FOUND);
    ck_assert_int_eq(cuc_python_add_methods(something, "Handle"), CUC_ERROR_NOT_FOUND);
    ck_assert_ptr_null(made);
}

TEST(null_is_refused)
{
    void *made = NULL;

    ck_assert_int_eq(cuc_python_add_dlpack(NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_python_add_call(NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_python_get_launch(NULL, &made), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_python_get_launch(&made, NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_python_get_base(NULL, "Handle"), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_python_get_base(&made, NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_python_add_methods(NULL, "Handle"), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_python_add_methods(made, NULL), CUC_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    return run_tests("Python");
}
