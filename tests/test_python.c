// The interface for CPython, in a process without an interpreter. Python tests the rest.
#include <cucore/cucore.h>

#include <check.h>
#include <string.h>

START_TEST(a_process_without_an_interpreter_is_told_so)
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
END_TEST

START_TEST(null_is_refused)
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
END_TEST

int main(void)
{
    Suite *suite = suite_create("Python");
    TCase *tests = tcase_create("process");

    tcase_add_test(tests, a_process_without_an_interpreter_is_told_so);
    tcase_add_test(tests, null_is_refused);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
