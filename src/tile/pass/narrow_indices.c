// Narrows comparisons of indices to 32 bits. The indices are i64 tiles: sums of an iota and
// scalars. The iota stays on its side. The scalars move to the other side and combine to a single
// difference, which is clamped to the range that affects the result.
//
//     n * 64 + iota < SK   becomes   iota < clamp(SK - n * 64)
//
// A subtracted iota moves to the other side, too, and the absolute value of a difference is
// compared with two bounds.
//
// Sums of indices are far from overflow, and an iota is below the number of elements in its tile.
#include "pass.h"
#include "fused.h"

#include "tile/ir/words.h"

struct narrowing {
    struct tile_kernel *kernel;
    struct tile_op *place;
    bool changed;
};

// One side of a comparison.
struct side {
    struct tile_value *tile;   // i32 part; NULL if 0
    struct tile_value *scalar; // i64 part; NULL if 0
};

// These functions return their operand if out of memory. The caller then discards the compiled
// code.
static struct tile_value *unary(struct narrowing *n, enum tile_op_kind kind,
                                const struct tile_type *type, struct tile_value *x)
{
    struct tile_value *value = tile_make_before(n->kernel, n->place, kind, type, 1, &x);

    return value ? value : x;
}

static struct tile_value *binary(struct narrowing *n, enum tile_op_kind kind, struct tile_value *x,
                                 struct tile_value *y)
{
    struct tile_value *value =
        tile_make_before(n->kernel, n->place, kind, &x->type, 2, (struct tile_value *[]){ x, y });

    return value ? value : x;
}

static struct tile_value *number(struct narrowing *n, int64_t value)
{
    return tile_make_int_before(n->kernel, n->place, CUC_I64, value);
}

static bool counts(const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    while (op && (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE))
        op = op->operand[0]->op;
    return value->type.dtype == CUC_I32 && op && op->kind == TILE_IOTA;
}

static bool split(struct narrowing *n, struct tile_value *value, struct side *out)
{
    struct tile_op *op = value->op;
    struct side x, y;

    *out = (struct side){ NULL, NULL };
    if (!value->type.rank) {
        out->scalar = value;
        return value->type.dtype == CUC_I64;
    }
    if (!op || value->type.dtype != CUC_I64)
        return false;
    struct tile_type narrow = value->type;
    narrow.dtype = CUC_I32;
    switch (op->kind) {
    case TILE_IOTA:
        out->tile = tile_make_before(n->kernel, n->place, TILE_IOTA, &narrow, 0, NULL);
        return out->tile;
    case TILE_CAST:
        out->tile = op->operand[0];
        return counts(op->operand[0]);
    case TILE_BROADCAST:
    case TILE_RESHAPE:
        if (!split(n, op->operand[0], out))
            return false;
        if (out->tile)
            out->tile = unary(n, op->kind, &narrow, out->tile);
        return true;
    case TILE_ADD:
    case TILE_SUB:
        if (!split(n, op->operand[0], &x) || !split(n, op->operand[1], &y) ||
            (y.tile && (x.tile || op->kind == TILE_SUB)))
            return false;
        out->tile = x.tile ? x.tile : y.tile;
        out->scalar = x.scalar;
        if (y.scalar && (x.scalar || op->kind == TILE_SUB))
            out->scalar = binary(n, op->kind, x.scalar ? x.scalar : number(n, 0), y.scalar);
        else if (y.scalar)
            out->scalar = y.scalar;
        return true;
    default:
        return false;
    }
}

// Computes x - y in 32 bits, clamped to values beyond any tile.
static struct tile_value *difference(struct narrowing *n, struct tile_value *x,
                                     struct tile_value *y)
{
    enum { FAR = TILE_MAX_ELEMENTS * 2 };
    struct tile_type type = tile_scalar(CUC_I32);
    struct tile_value *d = x ? x : number(n, 0);

    if (y && d)
        d = binary(n, TILE_SUB, d, y);
    struct tile_value *least = number(n, -FAR), *most = number(n, FAR);
    if (!d || !least || !most)
        return NULL;
    d = binary(n, TILE_MAXIMUM, d, least);
    d = binary(n, TILE_MINIMUM, d, most);
    return unary(n, TILE_CAST, &type, d);
}

// Adds a scalar to an i32 tile. If the tile is a broadcast, adds it before the broadcast.
static struct tile_value *plus(struct narrowing *n, struct tile_value *tile,
                               struct tile_value *scalar)
{
    if (tile->op && tile->op->kind == TILE_BROADCAST && tile->op->operand[0]->type.rank)
        return unary(n, TILE_BROADCAST, &tile->type, plus(n, tile->op->operand[0], scalar));
    return binary(n, TILE_ADD, tile, unary(n, TILE_BROADCAST, &tile->type, scalar));
}

// Finds the sides of a comparison. In x - y < s, y moves to the other side.
static bool find_sides(struct narrowing *n, const struct tile_op *op, struct side *x,
                       struct side *y)
{
    const struct tile_op *difference = op->operand[0]->op;
    struct side other;

    if (!split(n, op->operand[1], y))
        return false;
    if (split(n, op->operand[0], x))
        return x->tile || y->tile;
    if (y->tile || !difference || difference->kind != TILE_SUB ||
        !split(n, difference->operand[0], x) || !split(n, difference->operand[1], &other))
        return false;
    y->tile = other.tile;
    if (other.scalar)
        y->scalar = y->scalar ? binary(n, TILE_ADD, y->scalar, other.scalar) : other.scalar;
    return x->tile || y->tile;
}

static void narrow(struct tile_op *op, void *data);

// True for a sum of an iota and scalars, or a difference of two such sums.
static bool is_of_indices(struct narrowing *n, struct tile_value *value)
{
    const struct tile_op *op = value->op;
    struct side x, y;

    return split(n, value, &x) || (op && op->kind == TILE_SUB && split(n, op->operand[0], &x) &&
                                   split(n, op->operand[1], &y));
}

// Replaces |x| < s by x < s and x > -s. `s` is a scalar.
static bool narrow_size(struct narrowing *n, struct tile_op *op)
{
    const struct tile_op *size = op->operand[0]->op;
    struct tile_value *bound = op->operand[1], *minus = bound;
    struct tile_type type = op->result[0]->type;

    while (minus->op && minus->op->kind == TILE_BROADCAST)
        minus = minus->op->operand[0];
    n->place = op;
    if ((op->kind != TILE_LT && op->kind != TILE_LE) || !size || size->kind != TILE_ABS ||
        minus->type.rank || !is_of_indices(n, size->operand[0]))
        return false;
    minus = unary(n, TILE_BROADCAST, &bound->type, unary(n, TILE_NEG, &minus->type, minus));
    enum tile_op_kind above = op->kind == TILE_LT ? TILE_GT : TILE_GE;
    struct tile_value *sides[] = {
        tile_make_before(n->kernel, op, op->kind, &type, 2,
                         (struct tile_value *[]){ size->operand[0], bound }),
        tile_make_before(n->kernel, op, above, &type, 2,
                         (struct tile_value *[]){ size->operand[0], minus }),
    };
    struct tile_value *both =
        sides[0] && sides[1] ? tile_make_before(n->kernel, op, TILE_AND, &type, 2, sides) : NULL;
    if (!both)
        return false;
    tile_replace(op->result[0], both, NULL);
    tile_delete(op);
    for (uint32_t i = 0; i < 2; i++)
        narrow(sides[i]->op, n);
    return true;
}

static void narrow(struct tile_op *op, void *data)
{
    struct narrowing *n = data;
    struct side x, y;

    if (!(tile_op_infos[op->kind].traits & TILE_COMPARES) || op->kind == TILE_EQ ||
        op->kind == TILE_NE || !op->operand[0]->type.rank ||
        op->operand[0]->type.dtype != CUC_I64 || narrow_size(n, op))
        return;
    n->place = op;
    if (!find_sides(n, op, &x, &y))
        return;
    struct tile_type type = op->operand[0]->type;
    type.dtype = CUC_I32;
    struct tile_value *d = x.tile ? difference(n, y.scalar, x.scalar)
                                  : difference(n, x.scalar, y.scalar);
    if (!d)
        return;
    tile_set_operand(op, 0, x.tile ? x.tile : unary(n, TILE_BROADCAST, &type, d));
    tile_set_operand(op, 1,
                     !y.tile  ? unary(n, TILE_BROADCAST, &type, d)
                     : x.tile ? plus(n, y.tile, d)
                              : y.tile);
    tile_set(n->kernel, op, (struct tile_attribute){ .key = TILE_ATTR_NARROW, .i = 1 });
    n->changed = true;
}

// ---- Merging two comparisons into one

static struct tile_value *stripped(struct tile_value *value)
{
    while (value->op && value->op->kind == TILE_BROADCAST)
        value = value->op->operand[0];
    return value;
}

// Returns the upper bound that a mask puts on an iota, or NULL if it puts none.
static struct tile_value *bound_of(struct narrowing *n, const struct tile_value *mask,
                                   const struct tile_value **count)
{
    const struct tile_op *op = mask->op;

    while (op && op->kind == TILE_BROADCAST)
        op = op->operand[0]->op;
    if (!op || (op->kind != TILE_LT && op->kind != TILE_LE) || !tile_int(op, TILE_ATTR_NARROW, 0))
        return NULL;
    *count = stripped(op->operand[0]);
    struct tile_value *bound = stripped(op->operand[1]);
    if (!counts(*count) || op->kind == TILE_LE)
        return counts(*count) ? bound : NULL;
    struct tile_type scalar = tile_scalar(CUC_I32);
    struct tile_value *one = number(n, 1);
    if (!one)
        return NULL;
    one = unary(n, TILE_CAST, &scalar, one);
    return binary(n, TILE_SUB, bound,
                  bound->type.rank ? unary(n, TILE_BROADCAST, &bound->type, one) : one);
}

// Merges two upper bounds on an iota into their minimum.
static void join(struct tile_op *op, void *data)
{
    struct narrowing *n = data;
    const struct tile_value *count[2] = { NULL, NULL };
    struct tile_value *bound[2];

    n->place = op;
    if (op->kind != TILE_AND || op->result[0]->type.rank != 2)
        return;
    for (uint32_t i = 0; i < 2; i++)
        if (!(bound[i] = bound_of(n, op->operand[i], &count[i])))
            return;
    uint32_t scalar = bound[1]->type.rank == 0;
    struct tile_value *other = bound[1 - scalar];
    if (count[0] != count[1] || bound[scalar]->type.rank)
        return;
    struct tile_type type = op->result[0]->type, all = type;
    all.dtype = CUC_I32;
    struct tile_value *least = binary(
        n, TILE_MINIMUM, other,
        other->type.rank ? unary(n, TILE_BROADCAST, &other->type, bound[scalar]) : bound[scalar]);
    struct tile_value *counted =
        unary(n, TILE_BROADCAST, &all, (struct tile_value *)(uintptr_t)count[0]);
    struct tile_value *compared[] = { counted, unary(n, TILE_BROADCAST, &all, least) };
    struct tile_value *result = tile_make_before(n->kernel, op, TILE_LE, &type, 2, compared);
    if (!result)
        return;
    tile_set(n->kernel, result->op, (struct tile_attribute){ .key = TILE_ATTR_NARROW, .i = 1 });
    tile_replace(op->result[0], result, NULL);
    tile_delete(op);
    n->changed = true;
}

void tile_narrow_indices(struct tile_kernel *kernel)
{
    struct narrowing n = { .kernel = kernel };

    tile_walk(&kernel->body, narrow, &n);
    if (!n.changed)
        return;
    tile_simplify(kernel);
    tile_walk(&kernel->body, join, &n);
    tile_renumber(kernel);
    tile_simplify(kernel);
}

struct unsharing {
    struct tile_kernel *kernel;
    struct tile_value **map; // for clones of ops without operands
};

// Gives each use a separate copy of an iota, because uses need different layouts: a mask's row
// numbers lie across threads, its column numbers along registers.
static void take_own(struct tile_op *op, void *data)
{
    struct unsharing *u = data;

    for (uint32_t i = 0; i < op->operand_count; i++) {
        struct tile_op *count = op->operand[i]->op;
        if (!count || count->kind != TILE_IOTA || op->operand[i]->uses < 2)
            continue;
        struct tile_op *own = tile_clone(u->kernel, count, u->map);
        if (!own)
            return;
        tile_insert_before(op, own);
        tile_set_operand(op, i, own->result[0]);
    }
}

void tile_unshare_iotas(struct tile_kernel *kernel)
{
    struct unsharing u = {
        .kernel = kernel,
        .map = tile_take(kernel->module, (kernel->value_count + 1) * sizeof(*u.map)),
    };

    if (!u.map)
        return;
    tile_walk(&kernel->body, take_own, &u);
    tile_renumber(kernel);
}
