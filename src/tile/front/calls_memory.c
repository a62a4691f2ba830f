// Calls that access memory.
#include "calls.h"

static const char *const orders[] = { "weak", "relaxed", "acquire", "release", "acq_rel", NULL };
static const char *const scopes[] = { "device", "block", "system", NULL };
static const char *const caches[] = { "any", "first", "last", "stream", NULL };

// The arguments of an access that is being parsed.
struct reading {
    struct tile_access_args access;
    struct tile_operand index[TILE_MAX_RANK], pad;
    int64_t shape[TILE_MAX_RANK];
};

// Reads the hints at the end of a row, from argument i on: order scope latency tma cache inside.
static bool read_hints(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                       enum tile_order otherwise, struct tile_access_args *a)
{
    int order, scope, cache;
    bool tma, ok = tile_call_word(e, c, i, orders, (int)otherwise, &order);

    ok &= tile_call_word(e, c, i + 1, scopes, TILE_SCOPE_DEVICE, &scope);
    ok &= tile_call_int(e, c, i + 2, 0, &a->latency);
    if (ok && c->argument[i + 2] && !a->latency) {
        tile_error(e->module, TILE_T304, c->ast->where, "%s: latency: expected 1 to 10, got 0",
                   c->ast->text);
        ok = false;
    }
    ok &= tile_call_truth(e, c, i + 3, &tma) || !c->argument[i + 3];
    ok &= tile_call_word(e, c, i + 4, caches, TILE_CACHE_ANY, &cache);
    ok &= tile_call_truth(e, c, i + 5, &a->inside) || !c->argument[i + 5];
    a->order = (enum tile_order)order;
    a->scope = (enum tile_scope)scope;
    a->has_scope = c->argument[i + 1] != NULL;
    a->tma = c->argument[i + 3] ? tma ? 1 : -1 : 0;
    a->cache = (enum tile_cache)cache;
    return ok;
}

static bool read_tensor(struct tile_elaborator *e, const struct tile_call *c, uint32_t index,
                        struct reading *r)
{
    r->access.tensor = tile_call_value(e, c, 0);
    r->access.index = r->index;
    bool ok = tile_call_operands(e, c, index, r->index, &r->access.count);
    return r->access.tensor && ok;
}

static bool read_pad(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                     struct reading *r)
{
    if (!c->argument[i])
        return true;
    r->access.pad = &r->pad;
    return tile_call_operand(e, c, i, &r->pad);
}

static uint32_t make_load(struct tile_elaborator *e, const struct tile_call *c,
                          const struct tile_call_row *row, struct tile_meaning *out)
{
    uint32_t rows = row->which == TILE_LOAD_ROWS;
    struct reading r = { 0 };
    bool ok = read_tensor(e, c, 1 + rows, &r);

    if (rows)
        ok &= (r.access.ids = tile_call_value(e, c, 1)) != NULL;
    r.access.shape = r.shape;
    ok &= tile_call_extents(e, c, 2 + rows, true, r.shape, &r.access.axes);
    ok &= read_pad(e, c, 3 + rows, &r);
    ok &= read_hints(e, c, 4 + rows, TILE_WEAK, &r.access);
    tile_at_call(e, c);
    return ok ? tile_call_gives(out,
                                tile_build_load(&e->b, (enum tile_op_kind)row->which, &r.access))
              : 0;
}

// In rows of combining stores such as store_add, `which` is the combination plus this constant,
// which exceeds the number of ops.
enum { REDUCES = 1000 };

static uint32_t make_store(struct tile_elaborator *e, const struct tile_call *c,
                           const struct tile_call_row *row, struct tile_meaning *out)
{
    bool reduces = row->which >= REDUCES;
    enum tile_op_kind kind = reduces ? TILE_STORE_REDUCE : (enum tile_op_kind)row->which;
    uint32_t rows = kind == TILE_STORE_ROWS;
    struct reading r = { 0 };
    struct tile_operand x;
    bool ok = read_tensor(e, c, 1 + rows, &r);

    (void)out;
    if (rows)
        ok &= (r.access.ids = tile_call_value(e, c, 1)) != NULL;
    ok &= tile_call_operand(e, c, 2 + rows, &x);
    r.access.shape = r.shape;
    ok &= tile_call_extents(e, c, 3 + rows, true, r.shape, &r.access.axes);
    if (!reduces)
        ok &= read_hints(e, c, 4 + rows, TILE_WEAK, &r.access);
    tile_at_call(e, c);
    if (ok)
        tile_build_store(&e->b, kind, &r.access, x,
                         reduces ? (enum tile_combine)(row->which - REDUCES) : TILE_WITH_SUM);
    return 0;
}

static bool read_mask(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                      struct reading *r)
{
    if (!c->argument[i])
        return true;
    return (r->access.mask = tile_call_value(e, c, i)) != NULL;
}

static uint32_t make_gather(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, struct tile_meaning *out)
{
    struct reading r = { 0 };
    bool ok = read_tensor(e, c, 1, &r);

    (void)row;
    ok &= read_mask(e, c, 2, &r);
    ok &= read_pad(e, c, 3, &r);
    ok &= read_hints(e, c, 4, TILE_WEAK, &r.access);
    tile_at_call(e, c);
    return ok ? tile_call_gives(out, tile_build_gather(&e->b, &r.access)) : 0;
}

static uint32_t make_scatter(struct tile_elaborator *e, const struct tile_call *c,
                             const struct tile_call_row *row, struct tile_meaning *out)
{
    struct reading r = { 0 };
    struct tile_operand x;
    bool ok = read_tensor(e, c, 1, &r);

    (void)row;
    (void)out;
    ok &= tile_call_operand(e, c, 2, &x);
    ok &= read_mask(e, c, 3, &r);
    ok &= read_hints(e, c, 4, TILE_WEAK, &r.access);
    tile_at_call(e, c);
    if (ok)
        tile_build_scatter(&e->b, &r.access, x);
    return 0;
}

static uint32_t make_atomic(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, struct tile_meaning *out)
{
    uint32_t values = row->which == TILE_WITH_CAS ? 2 : 1;
    struct reading r = { 0 };
    struct tile_operand x[2];
    int order, scope;
    bool ok = read_tensor(e, c, 1, &r);

    for (uint32_t i = 0; i < values; i++)
        ok &= tile_call_operand(e, c, 2 + i, &x[i]);
    ok &= read_mask(e, c, 2 + values, &r);
    ok &= tile_call_word(e, c, 3 + values, orders, TILE_ACQ_REL, &order);
    ok &= tile_call_word(e, c, 4 + values, scopes, TILE_SCOPE_DEVICE, &scope);
    r.access.order = (enum tile_order)order;
    r.access.scope = (enum tile_scope)scope;
    r.access.has_scope = c->argument[4 + values] != NULL;
    tile_at_call(e, c);
    return ok ? tile_call_gives(out, tile_build_atomic(&e->b, &r.access,
                                                       (enum tile_combine)row->which, x, values))
              : 0;
}

static uint32_t make_slice(struct tile_elaborator *e, const struct tile_call *c,
                           const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *tensor = tile_call_value(e, c, 0);
    struct tile_operand start, stop;
    int64_t axis;
    bool ok = tile_call_int(e, c, 1, 0, &axis);

    (void)row;
    ok &= tile_call_operand(e, c, 2, &start);
    ok &= tile_call_operand(e, c, 3, &stop);
    tile_at_call(e, c);
    return ok ? tile_call_gives(out, tile_build_slice(&e->b, tensor, axis, start, stop)) : 0;
}

#define HINTS " order scope latency tma cache inside"
#define ATOMIC "tensor index x | mask order scope"

const struct tile_call_row tile_memory_calls[] = {
    { "load", "tensor index shape | pad" HINTS, make_load, TILE_LOAD },
    { "load_at", "tensor index shape | pad" HINTS, make_load, TILE_LOAD_AT },
    { "load_rows", "tensor ids index shape | pad" HINTS, make_load, TILE_LOAD_ROWS },
    { "store", "tensor index x | shape" HINTS, make_store, TILE_STORE },
    { "store_at", "tensor index x | shape" HINTS, make_store, TILE_STORE_AT },
    { "store_rows", "tensor ids index x | shape" HINTS, make_store, TILE_STORE_ROWS },
    { "store_add", "tensor index x | shape", make_store, REDUCES + TILE_WITH_SUM },
    { "store_max", "tensor index x | shape", make_store, REDUCES + TILE_WITH_MAX },
    { "store_min", "tensor index x | shape", make_store, REDUCES + TILE_WITH_MIN },
    { "store_and", "tensor index x | shape", make_store, REDUCES + TILE_WITH_AND },
    { "store_or", "tensor index x | shape", make_store, REDUCES + TILE_WITH_OR },
    { "store_xor", "tensor index x | shape", make_store, REDUCES + TILE_WITH_XOR },
    { "gather", "tensor index | mask pad" HINTS, make_gather, 0 },
    { "scatter", "tensor index x | mask" HINTS, make_scatter, 0 },
    { "atomic_add", ATOMIC, make_atomic, TILE_WITH_SUM },
    { "atomic_max", ATOMIC, make_atomic, TILE_WITH_MAX },
    { "atomic_min", ATOMIC, make_atomic, TILE_WITH_MIN },
    { "atomic_and", ATOMIC, make_atomic, TILE_WITH_AND },
    { "atomic_or", ATOMIC, make_atomic, TILE_WITH_OR },
    { "atomic_xor", ATOMIC, make_atomic, TILE_WITH_XOR },
    { "atomic_xchg", ATOMIC, make_atomic, TILE_WITH_XCHG },
    { "atomic_cas", "tensor index expected x | mask order scope", make_atomic, TILE_WITH_CAS },
    { "slice", "tensor axis start stop", make_slice, 0 },
    { NULL, NULL, NULL, 0 },
};
