// Feeds arbitrary text to the tile compiler, which either rejects it with a message or compiles it.
// If it compiles, the printed IR must parse to itself, and every pass must keep the IR's rules.
// Works with libFuzzer and, without it, with mutate.c.
#include "tile/ir/target.h"
#include "tile/compile/compile.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "%s:\n%s\n", what, text);
    abort();
}

static bool broke_a_rule(const struct tile_module *module)
{
    for (const struct tile_diagnostic *d = module->diagnostics->first; d; d = d->next)
        if (d->severity == TILE_ERROR && d->code == TILE_T901)
            return true;
    return false;
}

static void compile(struct tile_module *module, int sm)
{
    struct tile_compiled out;
    struct tile_target target;
    char why[128];

    if (!tile_target_of(&target, sm, sm >= 90, why, sizeof(why)))
        abort();
    if (!tile_compile(module, &target, &out) && !module->diagnostics->errors &&
        !module->diagnostics->out_of_memory)
        fail("it does not compile, and nothing was told", tile_print(module));
    if (broke_a_rule(module))
        fail("a pass broke a rule", tile_diagnostics_text(module, false));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct tile_module *module = tile_parse("fuzz.tile", (const char *)data, bytes, NULL, 0);

    if (!module)
        return 0;
    tile_diagnostics_text(module, true);
    if (module->diagnostics->errors || module->diagnostics->out_of_memory || !module->first) {
        tile_module_free(module);
        return 0;
    }
    if (!tile_verify(module, "parsing"))
        fail("parsing broke a rule", tile_diagnostics_text(module, false));
    const char *dump = tile_print(module);
    struct tile_module *again = tile_parse("dump.tile", dump, strlen(dump), NULL, 0);
    if (again && again->diagnostics->errors)
        fail("a dump does not parse", tile_diagnostics_text(again, false));
    if (again && strcmp(tile_print(again), dump) != 0)
        fail("a dump does not parse to itself", dump);
    tile_module_free(again);
    compile(module, data[bytes - 1] & 1 ? 80 : 90);
    tile_module_free(module);
    return 0;
}
