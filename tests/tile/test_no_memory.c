// Tests allocation failures at every point between source and PTX: the compiler must report them,
// and they must have no other effect.
#include "construct.h"
#include "constructs.h"

#include "base/arena.h"
#include "tile/ir/target.h"
#include "tile/compile/compile.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"
#include "tests.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 40 };

// The test is linked with --wrap for cuc__arena_allocate() and cuc__arena_resize(). Calls fail from
// the one after number `last_good` on.
static long calls, last_good, missing = -1; // the call with this number fails

void *__real_cuc__arena_allocate(struct cuc__arena *arena, size_t bytes);
void *__wrap_cuc__arena_allocate(struct cuc__arena *arena, size_t bytes);

void *__wrap_cuc__arena_allocate(struct cuc__arena *arena, size_t bytes)
{
    ++calls;
    return calls > last_good || calls == missing ? NULL : __real_cuc__arena_allocate(arena, bytes);
}

void *__real_cuc__arena_resize(struct cuc__arena *arena, void *block, size_t bytes);
void *__wrap_cuc__arena_resize(struct cuc__arena *arena, void *block, size_t bytes);

void *__wrap_cuc__arena_resize(struct cuc__arena *arena, void *block, size_t bytes)
{
    bool none = bytes && (++calls > last_good || calls == missing); // a size of 0 never fails

    return none ? NULL : __real_cuc__arena_resize(arena, block, bytes);
}

// Returns whether every allocation succeeded; counts the calls.
static bool compile(const struct construct *row, const char *const *settings, uint32_t count,
                    bool *told)
{
    struct tile_target target;
    struct tile_compiled out;
    char why[128];
    bool ok;

    calls = 0;
    struct tile_module *m =
        tile_parse("construct.tile", row->source, strlen(row->source), settings, count);
    *told = true;
    if (!m)
        return false;
    ck_assert(tile_target_of(&target, 90, false, why, sizeof(why)));
    target.warps = 4;
    ok = !m->diagnostics->errors && !m->diagnostics->out_of_memory &&
         tile_compile(m, &target, &out);
    *told = m->diagnostics->out_of_memory;
    tile_module_free(m);
    return ok;
}

CASE("constructs", .timeout = 60);

TEST_RANGE(a_compilation_without_memory_says_so, 0, CONSTRUCTS)
{
    const struct construct *row = &constructs[_i];
    const char *settings[1];
    char dtype[8], setting[16];
    bool told;

    settings[0] = setting;
    if (row->dtypes)
        snprintf(setting, sizeof(setting), "T=%s", construct_dtype(row, 0, dtype));
    uint32_t count = row->dtypes != NULL;
    last_good = LONG_MAX;
    ck_assert_msg(compile(row, settings, count, &told), "%s", row->name);
    long total = calls;
    for (int i = 0; i < PLACES; i++) {
        last_good = total * i / PLACES + (i * 7 + _i) % (total / PLACES + 1);
        if (last_good >= total)
            continue;
        long at = last_good;
        bool ok = compile(row, settings, count, &told);
        if (ok || !told)
            ck_abort_msg("%s: without its allocation %ld of %ld: %s", row->name, at + 1, total,
                         ok ? "it is compiled" : "nobody says why it is not");
    }
}

// A single failed allocation is reported like any other error.
TEST(a_single_failed_allocation_is_reported)
{
    const char *source = "kernel k(a: f32[N]) {\n    store(a, [0], load(a, [1], [8]) * 2.0)\n}";
    int told = 0;

    last_good = LONG_MAX;
    for (missing = 1;; missing++) {
        calls = 0;
        struct tile_module *m = tile_parse("m.tile", source, strlen(source), NULL, 0);
        if (calls < missing) {
            tile_module_free(m);
            break;
        }
        if (m && m->diagnostics->out_of_memory && m->diagnostics->last) {
            const struct tile_diagnostic *d = m->diagnostics->last;
            ck_assert_str_eq(tile_code_name(d->code), "T009");
            ck_assert_str_eq(d->text, "memory: there is no host memory for the program");
            told++;
        }
        tile_module_free(m);
    }
    missing = -1;
    ck_assert_int_gt(told, 10);
}

int main(void)
{
    return run_tests("tile without memory");
}
