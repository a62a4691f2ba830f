// PTX of every construct, on the driver against the interpreter; and assembled for each generation.
#include "construct.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constructs.h"

START_TEST(the_driver_and_the_interpreter_leave_the_same_bytes)
{
    const struct construct *row = &constructs[_i];
    const char *dtype;
    char room[8];

    construct_start();
    if (!row->dtypes)
        construct_check(row, NULL);
    for (int n = 0; (dtype = construct_dtype(row, n, room)); n++)
        construct_check(row, dtype);
    construct_stop();
}
END_TEST

int main(int argc, char **argv)
{
    Suite *s = suite_create("tile emit");
    TCase *t = tcase_create("constructs");
    int first = 0, end = CONSTRUCTS;

    for (int i = 0; argc > 1 && i < CONSTRUCTS; i++) // one by its name, or a part of it
        if (strstr(constructs[i].name, argv[1])) {
            first = i;
            end = i + 1;
            printf("%s\n", constructs[i].name);
            tcase_add_loop_test(t, the_driver_and_the_interpreter_leave_the_same_bytes, first, end);
        }
    if (argc <= 1)
        tcase_add_loop_test(t, the_driver_and_the_interpreter_leave_the_same_bytes, first, end);
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 120);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
