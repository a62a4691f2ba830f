// Memory accesses of the C builder.
#include "api.h"

#include "tile/ir/diagnostic.h"
#include "base/options.h"

#include <cucore/error.h>

// The options that an access accepts.
enum {
    TAKES_SHAPE = 1 << 0,
    TAKES_PAD = 1 << 1,
    TAKES_MASK = 1 << 2,
    TAKES_ORDER = 1 << 3,
    TAKES_HINTS = 1 << 4,
    OF_LOAD = TAKES_PAD | TAKES_ORDER | TAKES_HINTS,
    OF_STORE = TAKES_SHAPE | TAKES_ORDER | TAKES_HINTS,
};

// In the public options, orders and scopes start at 1, and 0 selects the default. In the IR, they
// start at 0.
_Static_assert(CUC_TILE_ACQ_REL - 1 == (int)TILE_ACQ_REL, "orders are in one order");
_Static_assert(CUC_TILE_SCOPE_SYSTEM - 1 == (int)TILE_SCOPE_SYSTEM, "so are scopes");
_Static_assert(CUC_TILE_CACHE_STREAM == (int)TILE_CACHE_STREAM, "and hints");

// Arguments of an access that is being parsed.
struct reading {
    struct tile_access_args access;
    struct tile_operand index[TILE_MAX_RANK], pad;
};

static bool refuse(cuc_tile_program *p, uint32_t takes, uint32_t which, bool given,
                   const char *name)
{
    if (given && !(takes & which))
        tile_error(p->module, TILE_T504, p->e.b.where, "%s: there is no argument %s", p->op, name);
    return given && !(takes & which);
}

static bool read_options(cuc_tile_program *p, const cuc_tile_access_options *given, uint32_t takes,
                         enum tile_order otherwise, struct reading *r)
{
    cuc_tile_access_options o;
    struct tile_access_args *a = &r->access;

    a->order = otherwise;
    if (!given)
        return true;
    if (cuc__read_options(&o, sizeof(o), given, "cuc_tile_access_options", p->op) < 0) {
        tile_error(p->module, TILE_T511, p->e.b.where, "%s", cuc_error_message());
        return false;
    }
    bool hints = o.latency || o.tma || o.cache || o.inside;
    if (refuse(p, takes, TAKES_SHAPE, o.shape || o.rank, "shape") ||
        refuse(p, takes, TAKES_PAD, o.pad, "pad") || refuse(p, takes, TAKES_MASK, o.mask, "mask") ||
        refuse(p, takes, TAKES_ORDER, o.order || o.scope, o.order ? "order" : "scope") ||
        refuse(p, takes, TAKES_HINTS, hints,
               o.latency ? "latency"
               : o.tma   ? "tma"
               : o.cache ? "cache"
                         : "inside"))
        return false;
    bool ok = tile_use_word(p, "order", o.order, CUC_TILE_ACQ_REL);
    ok &= tile_use_word(p, "scope", o.scope, CUC_TILE_SCOPE_SYSTEM);
    ok &= tile_use_word(p, "tma", o.tma, CUC_OFF);
    ok &= tile_use_word(p, "cache", o.cache, CUC_TILE_CACHE_STREAM);
    if (o.shape) {
        ok &= tile_use_shape(p, "shape", o.rank, o.shape, true);
        a->shape = o.shape;
        a->axes = o.rank;
    } else if (o.rank) {
        ok &= tile_use_shape(p, "shape", o.rank, NULL, true);
    }
    if (o.mask) {
        a->mask = tile_use_value(p, "mask", o.mask);
        ok &= a->mask != NULL;
    }
    if (o.pad) {
        a->pad = &r->pad;
        ok &= tile_use(p, "pad", o.pad, &r->pad);
    }
    if (o.order)
        a->order = (enum tile_order)(o.order - 1);
    if (o.scope) {
        a->scope = (enum tile_scope)(o.scope - 1);
        a->has_scope = true;
    }
    a->latency = o.latency;
    a->tma = o.tma == CUC_ON ? 1 : o.tma == CUC_OFF ? -1 : 0;
    a->cache = (enum tile_cache)o.cache;
    a->inside = o.inside != 0;
    return ok;
}

static bool read_tensor(cuc_tile_program *p, cuc_tile tensor, uint32_t count, const cuc_tile *index,
                        struct reading *r)
{
    *r = (struct reading){ .access = { .index = r->index, .count = count } };
    r->access.tensor = tile_use_value(p, "tensor", tensor);
    return tile_use_list(p, "index", count, index, r->index, TILE_MAX_RANK) && r->access.tensor;
}

// Loads

static cuc_tile load(cuc_tile_program *p, enum tile_op_kind kind, cuc_tile tensor, cuc_tile ids,
                     uint32_t count, const cuc_tile *index, uint32_t rank, const int64_t *shape,
                     const cuc_tile_access_options *options)
{
    struct reading r;
    bool ok = read_tensor(p, tensor, count, index, &r);

    if (kind == TILE_LOAD_ROWS)
        ok &= (r.access.ids = tile_use_value(p, "ids", ids)) != NULL;
    ok &= tile_use_shape(p, "shape", rank, shape, true);
    ok = ok && read_options(p, options, OF_LOAD, TILE_WEAK, &r);
    r.access.shape = shape;
    r.access.axes = rank;
    return ok ? tile_handle_of(p, tile_build_load(&p->e.b, kind, &r.access)) : 0;
}

cuc_tile cuc_tile_load(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor,
                       uint32_t count, const cuc_tile *index, uint32_t rank, const int64_t *shape,
                       const cuc_tile_access_options *options)
{
    return TILE_BEGIN("load")
               ? load(program, TILE_LOAD, tensor, 0, count, index, rank, shape, options)
               : 0;
}

cuc_tile cuc_tile_load_at(cuc_tile_program *program, const char *file, uint32_t line,
                          cuc_tile tensor, uint32_t count, const cuc_tile *index, uint32_t rank,
                          const int64_t *shape, const cuc_tile_access_options *options)
{
    return TILE_BEGIN("load_at")
               ? load(program, TILE_LOAD_AT, tensor, 0, count, index, rank, shape, options)
               : 0;
}

cuc_tile cuc_tile_load_rows(cuc_tile_program *program, const char *file, uint32_t line,
                            cuc_tile tensor, cuc_tile ids, uint32_t count, const cuc_tile *index,
                            uint32_t rank, const int64_t *shape,
                            const cuc_tile_access_options *options)
{
    return TILE_BEGIN("load_rows")
               ? load(program, TILE_LOAD_ROWS, tensor, ids, count, index, rank, shape, options)
               : 0;
}

cuc_tile cuc_tile_element(cuc_tile_program *program, const char *file, uint32_t line,
                          cuc_tile tensor, uint32_t count, const cuc_tile *index)
{
    static const int64_t shape[TILE_MAX_RANK] = { CUC_NO_AXIS, CUC_NO_AXIS, CUC_NO_AXIS,
                                                  CUC_NO_AXIS, CUC_NO_AXIS, CUC_NO_AXIS,
                                                  CUC_NO_AXIS, CUC_NO_AXIS };

    return TILE_BEGIN("load_at")
               ? load(program, TILE_LOAD_AT, tensor, 0, count, index, count, shape, NULL)
               : 0;
}

cuc_tile cuc_tile_gather(cuc_tile_program *program, const char *file, uint32_t line,
                         cuc_tile tensor, uint32_t count, const cuc_tile *index,
                         const cuc_tile_access_options *options)
{
    struct reading r;

    return TILE_BEGIN("gather") && read_tensor(program, tensor, count, index, &r) &&
                   read_options(program, options, OF_LOAD | TAKES_MASK, TILE_WEAK, &r)
               ? tile_handle_of(program, tile_build_gather(&program->e.b, &r.access))
               : 0;
}

// Stores

static void store(cuc_tile_program *p, enum tile_op_kind kind, enum tile_combine with,
                  cuc_tile tensor, cuc_tile ids, uint32_t count, const cuc_tile *index, cuc_tile x,
                  const cuc_tile_access_options *options)
{
    uint32_t takes = kind == TILE_STORE_REDUCE ? (uint32_t)TAKES_SHAPE : (uint32_t)OF_STORE;
    struct tile_operand value;
    struct reading r;
    bool ok = read_tensor(p, tensor, count, index, &r);

    if (kind == TILE_STORE_ROWS)
        ok &= (r.access.ids = tile_use_value(p, "ids", ids)) != NULL;
    ok &= tile_use(p, "x", x, &value);
    if (ok && read_options(p, options, takes, TILE_WEAK, &r))
        tile_build_store(&p->e.b, kind, &r.access, value, with);
}

void cuc_tile_store(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor,
                    uint32_t count, const cuc_tile *index, cuc_tile x,
                    const cuc_tile_access_options *options)
{
    if (TILE_BEGIN("store"))
        store(program, TILE_STORE, TILE_WITH_SUM, tensor, 0, count, index, x, options);
}

void cuc_tile_store_at(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor,
                       uint32_t count, const cuc_tile *index, cuc_tile x,
                       const cuc_tile_access_options *options)
{
    if (TILE_BEGIN("store_at"))
        store(program, TILE_STORE_AT, TILE_WITH_SUM, tensor, 0, count, index, x, options);
}

void cuc_tile_store_rows(cuc_tile_program *program, const char *file, uint32_t line,
                         cuc_tile tensor, cuc_tile ids, uint32_t count, const cuc_tile *index,
                         cuc_tile x, const cuc_tile_access_options *options)
{
    if (TILE_BEGIN("store_rows"))
        store(program, TILE_STORE_ROWS, TILE_WITH_SUM, tensor, ids, count, index, x, options);
}

#define STORE(function, with, text)                                                            \
    void function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor, \
                  uint32_t count, const cuc_tile *index, cuc_tile x,                           \
                  const cuc_tile_access_options *options)                                      \
    {                                                                                          \
        if (TILE_BEGIN(TILE_OP_OF(function)))                                                  \
            store(program, TILE_STORE_REDUCE, TILE_WITH_##with, tensor, 0, count, index, x,    \
                  options);                                                                    \
    }
CUC_TILE_STORE_LIST(STORE)

void cuc_tile_scatter(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor,
                      uint32_t count, const cuc_tile *index, cuc_tile x,
                      const cuc_tile_access_options *options)
{
    struct tile_operand value;
    struct reading r;

    if (!TILE_BEGIN("scatter"))
        return;
    bool ok = read_tensor(program, tensor, count, index, &r);
    ok &= tile_use(program, "x", x, &value);
    if (ok && read_options(program, options, TAKES_MASK | TAKES_ORDER | TAKES_HINTS, TILE_WEAK, &r))
        tile_build_scatter(&program->e.b, &r.access, value);
}

// Atomic operations

static cuc_tile atomic(cuc_tile_program *p, enum tile_combine with, cuc_tile tensor, uint32_t count,
                       const cuc_tile *index, const cuc_tile *x, uint32_t values,
                       const cuc_tile_access_options *options)
{
    struct tile_operand value[2];
    struct reading r;
    bool ok = read_tensor(p, tensor, count, index, &r);

    for (uint32_t i = 0; i < values; i++)
        ok &= tile_use(p, values > 1 && !i ? "expected" : "x", x[i], &value[i]);
    return ok && read_options(p, options, TAKES_MASK | TAKES_ORDER, TILE_ACQ_REL, &r)
               ? tile_handle_of(p, tile_build_atomic(&p->e.b, &r.access, with, value, values))
               : 0;
}

#define ATOMIC(function, with, text)                                                               \
    cuc_tile function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor, \
                      uint32_t count, const cuc_tile *index, cuc_tile x,                           \
                      const cuc_tile_access_options *options)                                      \
    {                                                                                              \
        return TILE_BEGIN(TILE_OP_OF(function))                                                    \
                   ? atomic(program, TILE_WITH_##with, tensor, count, index, &x, 1, options)       \
                   : 0;                                                                            \
    }
CUC_TILE_ATOMIC_LIST(ATOMIC)

cuc_tile cuc_tile_atomic_cas(cuc_tile_program *program, const char *file, uint32_t line,
                             cuc_tile tensor, uint32_t count, const cuc_tile *index,
                             cuc_tile expected, cuc_tile x, const cuc_tile_access_options *options)
{
    const cuc_tile values[] = { expected, x };

    return TILE_BEGIN("atomic_cas")
               ? atomic(program, TILE_WITH_CAS, tensor, count, index, values, 2, options)
               : 0;
}

cuc_tile cuc_tile_slice(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor,
                        int32_t axis, cuc_tile start, cuc_tile stop)
{
    struct tile_operand first, last;

    if (!TILE_BEGIN("slice"))
        return 0;
    struct tile_value *value = tile_use_value(program, "tensor", tensor);
    bool ok = tile_use(program, "start", start, &first);
    ok &= tile_use(program, "stop", stop, &last);
    return ok ? tile_handle_of(program, tile_build_slice(&program->e.b, value, axis, first, last))
              : 0;
}

void cuc_tile_access_options_init(cuc_tile_access_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}
