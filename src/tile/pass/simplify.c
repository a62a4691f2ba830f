#include "pass.h"

#include "tile/ir/budget.h"

enum { MOST_ROUNDS = 4 };

bool tile_keeps_rules(struct tile_kernel *kernel, const char *after)
{
    return !TILE_VERIFIES || tile_verify_kernel(kernel, after);
}

void tile_simplify(struct tile_kernel *kernel)
{
    static const struct {
        const char *name;
        bool (*run)(struct tile_kernel *kernel);
    } passes[] = {
        { "folding", tile_fold },
        { "late widening", tile_widen_late },
        { "common subexpressions", tile_cse },
        { "loop-invariant motion", tile_hoist },
        { "dead code", tile_drop_dead },
    };

    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool changed = false;
        for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
            tile_spend(kernel->module, kernel->value_count);
            changed |= passes[i].run(kernel);
            if (!tile_keeps_rules(kernel, passes[i].name))
                return;
        }
        if (!changed)
            break;
    }
}
