// Tests the registration of tests: order, fixtures, ranges and conditions.
#include "base/array.h"
#include "tests.h"

static char ran[64];

static void note(char what)
{
    ran[strlen(ran)] = what;
}

static void open_it(void)
{
    note('(');
}

static void close_it(void)
{
    note(')');
}

static bool never(void)
{
    return false;
}

static const char letters[] = { 'c', 'd' };
static int end = 1; // main() changes it

TEST(a_test_before_any_case)
{
    note('a');
}

TEST(tests_run_in_the_order_of_the_file)
{
    note('b');
}

CASE("fixtures", .setup = open_it, .teardown = close_it);

TEST_ROWS(a_test_runs_for_each_row, letters)
{
    note(letters[_i]);
}

CASE("never", .only_if = never);

TEST(a_condition_leaves_tests_out)
{
    note('!');
}

CASE("last");

TEST_RANGE(a_range_is_evaluated_when_tests_run, 1, end)
{
    note((char)('0' + _i));
}

CASE("fixtures");

TEST(a_case_goes_on_with_its_fixture)
{
    note('e');
}

int main(void)
{
    static const char expected[] = "ab(c)(d)(e)123";

    end = 4;
    int status = run_tests_as("registration", CK_NOFORK, CK_NORMAL);
    if (strcmp(ran, expected) == 0)
        return status;
    fprintf(stderr, "the tests left %s, expected %s\n", ran, expected);
    return EXIT_FAILURE;
}
