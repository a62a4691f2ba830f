// Tests that every instruction of the simulator is tested: each has a row in opcodes/*.def, or one
// in opcodes/covered_elsewhere.def that names a test containing it.
#include "base/array.h"
#include "opcodes/opcodes.h"
#include "sim/exec/handlers.h"
#include "tests.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct elsewhere {
    const char *name, *file;
} elsewhere[] = {
#define ELSEWHERE(name, file) { name, file },
#include "opcodes/covered_elsewhere.def"
#undef ELSEWHERE
};
enum { ELSEWHERE_COUNT = CUC_LENGTH(elsewhere) };

static struct instance *all;
static size_t all_count;

// Returns whether a text, which consists of instructions separated by ;, contains one with that
// name.
static bool carries_out(const char *text, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = text; at; at = strchr(at, ';')) {
        at += strspn(at, "; ");
        if (*at == '@') // a guard
            at += strcspn(at, " ") + 1;
        if (strncmp(at, name, length) == 0 && strchr(". ;", at[length]))
            return true;
    }
    return false;
}

static bool in_a_row(const char *name)
{
    for (size_t i = 0; i < all_count; i++)
        if (carries_out(all[i].text, name))
            return true;
    return false;
}

static const struct elsewhere *in_the_list(const char *name)
{
    for (size_t i = 0; i < ELSEWHERE_COUNT; i++)
        if (strcmp(elsewhere[i].name, name) == 0)
            return &elsewhere[i];
    return NULL;
}

CASE("coverage");

TEST(every_instruction_of_the_simulator_is_tested)
{
    const struct sim_instruction *row;
    const char *last = "";

    for (size_t i = 0; (row = sim_instruction_row(i)) != NULL; i++) {
        if (strcmp(row->name, last) != 0 && !in_a_row(row->name) && !in_the_list(row->name)) {
            ck_abort_msg(
                "%s is in no row of tests/sim/opcodes/*.def and not in covered_elsewhere.def: "
                "write a row, or name its test there",
                row->name);
        }
        last = row->name;
    }
}

TEST(every_row_is_an_instruction_of_the_simulator)
{
    for (size_t i = 0; i < all_count; i++)
        ck_assert_msg(sim_instruction_find(all[i].name), "%s: the simulator has no %s", all[i].text,
                      all[i].name);
}

// Finds an instruction in a string literal: it comes after \n or a separator, and before a dot or
// another delimiter.
static bool begins_there(const char *text, const char *at)
{
    if (at == text || (at > text + 1 && at[-1] == 'n' && at[-2] == '\\'))
        return true;
    return !isalnum((unsigned char)at[-1]) && !strchr("_.>", at[-1]);
}

static bool file_has(const char *path, const char *name)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    bool found = false;

    ck_assert_msg(file != NULL, "%s cannot be read", path);
    while (!found && getline(&text, &room, file) > 0)
        for (const char *at = text; (at = strstr(at, name)) && !found; at++) {
            const char after = at[strlen(name)];
            found = begins_there(text, at) && after && strchr(". ;\\\"", after);
        }
    free(text);
    fclose(file);
    return found;
}

TEST_RANGE(a_named_test_contains_the_instruction, 0, ELSEWHERE_COUNT)
{
    const struct elsewhere *e = &elsewhere[_i];
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", TESTS, e->file);
    ck_assert_msg(file_has(path, e->name), "%s has no %s", e->file, e->name);
    ck_assert_msg(!in_a_row(e->name),
                  "%s is in a row of the tables: covered_elsewhere.def need not have it", e->name);
}

int main(void)
{
    all = instances(&all_count);
    int status = run_tests("opcode coverage");
    instances_free(all, all_count);
    return status;
}
