// Finds registers that a function reads but never writes, and those computed from them. A compiler
// that emits such code has lost an instruction. Registers that pad a tile are computed and moved
// through shared memory too, but nothing depends on them, so only guards, addresses and what leaves
// the block count.
#include "base/array.h"
#include "decode.h"
#include "sim/check/check.h"

#include <stdlib.h>
#include <string.h>

void sim_note_use(struct sim_decoder *d, uint32_t reg, enum sim_use use)
{
    if (!(sim_checks & SIM_CHECK_INIT) || d->undefined_at)
        return;
    if (!CUC_RESERVE(d->uses, d->use_room, d->use_count + 1))
        return; // the check finds less
    d->uses[d->use_count++] = (struct sim_register_use){ d->index, reg, use };
}

// Returns the number of uses of the statement whose uses begin at `first`.
static size_t uses_of(const struct sim_decoder *d, size_t first)
{
    size_t end = first;

    while (end < d->use_count && d->uses[end].statement == d->uses[first].statement)
        end++;
    return end - first;
}

// Marks what the statement computes from undefined registers. Returns true if that is new.
static bool spread(const struct sim_register_use *use, size_t count, bool *undefined)
{
    bool reads = false, changed = false;

    for (size_t i = 0; i < count; i++)
        reads |= use[i].use != SIM_USE_WRITE && undefined[use[i].reg];
    for (size_t i = 0; i < count && reads; i++)
        if (use[i].use == SIM_USE_WRITE && !undefined[use[i].reg])
            changed = undefined[use[i].reg] = true;
    return changed;
}

// Returns true if a statement's results go to memory that other blocks see.
static bool stores(const struct sim_decoder *d, const struct sim_register_use *use, size_t count)
{
    const struct sim_statement *s = &d->source->statements[use->statement];

    for (size_t i = 0; i < count; i++)
        if (use[i].use == SIM_USE_WRITE)
            return false;
    for (uint32_t i = 1; i < s->words; i++)
        if (strcmp(s->word[i], "shared") == 0)
            return false;
    return true;
}

bool sim_find_undefined(struct sim_decoder *d)
{
    bool *undefined = calloc(d->source->register_count + 1, sizeof(*undefined));
    uint32_t *at = NULL;
    bool changed;

    if (!undefined)
        return false;
    for (size_t i = 0; i < d->use_count; i++)
        undefined[d->uses[i].reg] = true;
    for (size_t i = 0; i < d->use_count; i++)
        if (d->uses[i].use == SIM_USE_WRITE)
            undefined[d->uses[i].reg] = false;
    do {
        changed = false;
        for (size_t i = 0, n; i < d->use_count; i += n) {
            n = uses_of(d, i);
            changed |= spread(&d->uses[i], n, undefined);
        }
    } while (changed);
    for (size_t i = 0, n; i < d->use_count; i += n) {
        n = uses_of(d, i);
        bool all = stores(d, &d->uses[i], n);
        for (size_t j = i; j < i + n; j++) {
            const struct sim_register_use *use = &d->uses[j];
            if (!undefined[use->reg] || !(all || use->use == SIM_USE_PLACE))
                continue;
            if (!at && !(at = calloc(d->source->statement_count, sizeof(*at)))) {
                free(undefined);
                return false;
            }
            at[use->statement] = use->reg + 1;
        }
    }
    free(undefined);
    d->undefined_at = at;
    return true;
}
