// Oracles for data exchange between the threads of a warp.
#include "oracles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t of_lane(const struct call *c, uint32_t k, uint32_t lane)
{
    return c->column[k][c->n / WARP * WARP + lane];
}

// Follows the ISA's pseudocode: finds the value's source lane, and whether it is within the
// segment.
static bool shuffled_from(const struct call *c, uint64_t b, uint64_t clamp_and_mask, uint32_t *from)
{
    const int32_t lane = (int32_t)(c->n % WARP), by = (int32_t)(b & 31);
    const int32_t clamp = (int32_t)(clamp_and_mask & 31),
                  segment = (int32_t)(clamp_and_mask >> 8 & 31);
    const int32_t last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    int32_t j;
    bool inside;

    if (has(c->x, "up")) {
        j = lane - by;
        inside = j >= last;
    } else if (has(c->x, "down")) {
        j = lane + by;
        inside = j <= last;
    } else if (has(c->x, "bfly")) {
        j = lane ^ by;
        inside = j <= last;
    } else {
        j = first | (by & ~segment);
        inside = j <= last;
    }
    *from = (uint32_t)(inside ? j : lane);
    return inside;
}

void warp_shfl(const struct call *c, struct answer *out)
{
    const char *third = strstr(c->x->main, "0x");
    uint32_t from;
    bool inside;

    if (c->x->ins == 3)
        inside = shuffled_from(c, c->in[1], c->in[2], &from);
    else
        inside = shuffled_from(c, c->in[1], strtoull(third, NULL, 16), &from);
    out[0] = exactly(of_lane(c, 0, from));
    out[1] = exactly(inside);
}

void warp_shfl_half(const struct call *c, struct answer *out)
{
    uint32_t from = c->n % WARP;

    if (from < 16)
        shuffled_from(c, c->in[1], 0x100f, &from);
    *out = exactly(of_lane(c, 0, from));
}

static uint32_t ballot(const struct call *c)
{
    const bool flip = strchr(c->x->main, '!');
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < WARP; lane++)
        mask |= (uint32_t)((of_lane(c, 0, lane) != 0) != flip) << lane;
    return mask;
}

void warp_vote(const struct call *c, struct answer *out)
{
    const uint32_t mask = ballot(c);

    *out = exactly(has(c->x, "ballot") ? mask
                   : has(c->x, "all")  ? mask == UINT32_MAX
                   : has(c->x, "any")  ? mask != 0
                                       : mask == 0 || mask == UINT32_MAX);
}

void warp_ballot_part(const struct call *c, struct answer *out)
{
    *out = exactly(c->n % WARP >= 24 ? ballot(c) & 0xff000000 : 7);
}

void warp_match(const struct call *c, struct answer *out)
{
    uint32_t same = 0;

    for (uint32_t lane = 0; lane < WARP; lane++)
        same |= (uint32_t)(of_lane(c, 0, lane) == c->in[0]) << lane;
    if (has(c->x, "any")) {
        *out = exactly(same);
        return;
    }
    out[0] = exactly(same == UINT32_MAX ? UINT32_MAX : 0);
    out[1] = exactly(same == UINT32_MAX);
}

static struct answer redux_float(const struct call *c)
{
    const struct soft_format f = c->x->type[0]->format;
    const bool least = has(c->x, "min");
    uint64_t best = 0;
    bool any_nan_seen = false, none = true;

    for (uint32_t lane = 0; lane < WARP; lane++) {
        uint64_t x = of_lane(c, 0, lane);
        if (c->x->words & WORD_ABS)
            x &= format_sign(f) - 1;
        if (format_is_nan(x, f)) {
            any_nan_seen = true;
            continue;
        }
        const long double value = float_value(x, f), other = float_value(best, f);
        if (none ||
            (value == other ? ((x & format_sign(f)) != 0) == least : (value < other) == least))
            best = x;
        none = false;
    }
    return none || (any_nan_seen && c->x->words & WORD_NAN) ? exactly(format_nan(f))
                                                            : exactly(best);
}

void warp_redux(const struct call *c, struct answer *out)
{
    const bool is_signed = c->x->type[0]->is_signed;
    uint64_t d = of_lane(c, 0, 0);

    if (c->x->type[0]->format.exponent) {
        *out = redux_float(c);
        return;
    }
    for (uint32_t lane = 1; lane < WARP; lane++) {
        const uint64_t x = of_lane(c, 0, lane);
        const bool less = is_signed ? sign_extended(x, 32) < sign_extended(d, 32) : x < d;
        d = has(c->x, "add")   ? d + x
            : has(c->x, "and") ? d & x
            : has(c->x, "or")  ? d | x
            : has(c->x, "xor") ? d ^ x
            : has(c->x, "min") ? (less ? x : d)
                               : (less ? d : x);
    }
    *out = exactly(d & 0xffffffff);
}

void warp_all(const struct call *c, struct answer *out)
{
    (void)c;
    *out = exactly(UINT32_MAX);
}

void warp_first_five(const struct call *c, struct answer *out)
{
    *out = exactly(c->n % WARP < 5 ? 31 : 0);
}

void warp_elect(const struct call *c, struct answer *out)
{
    out[0] = open_to(0);
    out[1] = open_to(c->n % WARP == 0);
}

void warp_kept(const struct call *c, struct answer *out)
{
    *out = exactly(c->in[0]);
}

void warp_branch(const struct call *c, struct answer *out)
{
    *out = exactly(10 * (c->in[0] % 3 + 1));
}

void block_vote(const struct call *c, struct answer *out)
{
    const bool flip = strchr(c->x->main, '!');
    uint32_t count = 0;

    for (uint32_t i = 0; i < BLOCK; i++)
        count += (c->column[0][c->n / BLOCK * BLOCK + i] != 0) != flip;
    *out = exactly(has(c->x, "popc") ? count : has(c->x, "and") ? count == BLOCK : count != 0);
}

void block_mirror(const struct call *c, struct answer *out)
{
    *out = exactly(c->column[0][c->n ^ (BLOCK - 1)]);
}

void block_half_mirror(const struct call *c, struct answer *out)
{
    *out = exactly(c->column[0][c->n % BLOCK < BLOCK / 2 ? c->n ^ (BLOCK - 1) : c->n]);
}

// Counts pending arrivals before each of three arrivals at a barrier for three: 3, 2, 1. The third
// arrival, which also drops out, ends the phase, and the next phase expects two.
void barrier_counts(const struct call *c, struct answer *out)
{
    static const uint64_t expected[] = { 3, 2, 0, 1, 1, 2 };
    (void)c;
    for (uint32_t k = 0; k < 6; k++)
        out[k] = exactly(expected[k]);
}

// States after one of two arrivals, after both with 16 bytes still pending, and after all.
void barrier_bytes(const struct call *c, struct answer *out)
{
    static const uint64_t expected[] = { 0, 0, 1, 0 };
    (void)c;
    for (uint32_t k = 0; k < 4; k++)
        out[k] = exactly(expected[k]);
}
