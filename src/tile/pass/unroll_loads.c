// Unrolls loops that wait for memory. One iteration does the work of several and starts with all
// their loads, so that more bytes are in flight. The remaining iterations run in the old loop. The
// order of operations on carried values does not change.
//
// The loads also move before stores to other tensors, if the kernel may assume that its tensors do
// not overlap.
//
// The unrolled loop takes only iterations whose tiles lie inside their tensors, as far as that can
// be computed before the loop, and its loads check no bounds. All its loads are thus straight-line
// code, and only the old loop has code for edges.
#include "pass.h"
#include "accumulation.h"

#include "tile/ir/scalar.h"
#include "tile/ir/words.h"

// A multiprocessor of an H200 needs about 48 KB in flight: 64 bytes in each of 768 threads. If
// blocks share loops because the grid is small, it needs 128 bytes in fewer threads. So does a loop
// that stores, as in a recurrence, whose iterations no other block can take. More bytes per thread
// take so many registers that too few threads are resident. The warpgroups of an entry with roles
// are the only ones of their multiprocessor, and have registers for their accumulators, which such
// a loop does not need.
enum { WANTED_BYTES = 64, WANTED_OF_FEW = 128, MOST_BYTES = 160, MOST_TURNS = 8, MOST_WORK = 512 };
enum { WANTED_OF_ROLES = 192, MOST_OF_ROLES = 256 };

enum { MOST_LOOPS = 64 }; // loops examined per kernel; each takes tables of all values

struct unroller {
    struct tile_kernel *kernel;
    uint32_t threads, loops;
    bool apart; // stored tensors overlap no others
    bool roles; // the entry has roles
    bool changed;
};

struct body {
    bool *early;             // by value id: a load, or needed by a load
    bool *carried;           // by value id: computed from a carried value
    int64_t bytes;           // bytes that a thread loads in one iteration
    int64_t work;            // elements that a thread computes in one iteration
    uint64_t loaded, stored; // parameters
    bool refused;
};

static bool is_load(const struct tile_op *op)
{
    return tile_op_infos[op->kind].traits & TILE_READS && op->result_count == 1;
}

// True for ops with long code, which unrolling would copy.
static bool is_long(const struct tile_op *op)
{
    return tile_is_network(op) || op->kind == TILE_MMA;
}

static bool is_store(const struct tile_op *op)
{
    return op->kind == TILE_STORE || op->kind == TILE_STORE_AT || op->kind == TILE_STORE_ROWS;
}

static uint64_t parameter_bit(const struct tile_value *tensor)
{
    while (tensor->op)
        tensor = tensor->op->operand[0];
    return UINT64_C(1) << (tensor->index & 63);
}

// Returns the number of elements that a thread holds, at least one.
static int64_t held(const struct unroller *u, const struct tile_type *type)
{
    return (tile_elements(type) + u->threads - 1) / u->threads;
}

static void look_at(const struct unroller *u, struct body *b, const struct tile_op *loop)
{
    const struct tile_block *body = loop->block[0];
    bool *first = b->early;

    for (uint32_t i = 1; i < body->argument_count; i++)
        b->carried[body->argument[i]->id] = true;
    for (const struct tile_op *op = body->first; op; op = op->next) {
        uint32_t traits = tile_op_infos[op->kind].traits;
        int64_t order = tile_int(op, TILE_ATTR_ORDER, TILE_WEAK);
        bool carried = false;
        if (is_store(op))
            b->stored |= parameter_bit(op->operand[0]);
        if ((traits & TILE_WRITES && !is_store(op)) || traits & TILE_FLOWS || order != TILE_WEAK ||
            (op->block_count && op->kind != TILE_REDUCE) || is_long(op))
            b->refused = true;
        for (uint32_t i = 0; i < op->result_count && !(traits & TILE_REARRANGES); i++)
            b->work += op->result[i]->type.rank ? held(u, &op->result[i]->type) : 0;
        for (uint32_t i = 0; i < op->operand_count; i++)
            carried |= b->carried[op->operand[i]->id];
        for (uint32_t i = 0; i < op->result_count; i++)
            b->carried[op->result[i]->id] = carried;
        if (!is_load(op))
            continue;
        const struct tile_type *type = &op->result[0]->type;
        b->refused |= carried;
        first[op->result[0]->id] = true;
        b->loaded |= parameter_bit(op->operand[0]);
        b->bytes += held(u, type) * tile_bytes_of(type->dtype);
    }
    b->refused |= b->stored && (!u->apart || b->stored & b->loaded);
    for (const struct tile_op *op = body->last; op; op = op->previous) {
        bool is_early = false;
        for (uint32_t i = 0; i < op->result_count; i++)
            is_early |= first[op->result[i]->id];
        for (uint32_t i = 0; is_early && i < op->result_count; i++)
            first[op->result[i]->id] = true;
        for (uint32_t i = 0; is_early && i < op->operand_count; i++)
            first[op->operand[i]->id] = true;
    }
}

static uint32_t turns_for(const struct unroller *u, const struct body *b)
{
    int64_t wanted = u->roles                         ? WANTED_OF_ROLES
                     : u->kernel->splits || b->stored ? WANTED_OF_FEW
                                                      : WANTED_BYTES;
    int64_t most = u->roles ? MOST_OF_ROLES : MOST_BYTES;
    uint32_t turns = 1;

    while (turns < MOST_TURNS && b->bytes * turns < wanted && b->bytes * turns * 2 <= most &&
           b->work * turns * 2 <= MOST_WORK)
        turns *= 2;
    return turns;
}

// Returns the number of iterations of a loop with constant bounds, or -1 if unknown.
static int64_t known_iterations(const struct tile_op *loop)
{
    int64_t bound[3];

    for (uint32_t i = 0; i < 3; i++) {
        const struct tile_op *op = loop->operand[i]->op;
        if (!op || op->kind != TILE_CONSTANT)
            return -1;
        bound[i] = tile_int(op, TILE_ATTR_VALUE, 0);
    }
    return bound[1] <= bound[0] ? 0 : (bound[1] - bound[0] - 1) / bound[2] + 1;
}

static bool append_copy(struct unroller *u, struct tile_block *to, const struct tile_op *op,
                        struct tile_value **map, bool inside)
{
    struct tile_op *copy = tile_clone(u->kernel, op, map);

    if (!copy)
        return false;
    tile_append(to, copy);
    if (inside)
        tile_set(u->kernel, copy, (struct tile_attribute){ .key = TILE_ATTR_INSIDE, .i = 1 });
    return true;
}

static struct tile_value *append(struct unroller *u, struct tile_block *to,
                                 const struct tile_op *like, enum tile_op_kind kind,
                                 struct tile_value *x, struct tile_value *y)
{
    struct tile_op *op = tile_op_create(u->kernel, kind, 2, 1, 0);

    if (!op || !x || !y || !tile_result_create(u->kernel, op, 0, &x->type))
        return NULL;
    tile_set_operand(op, 0, x);
    tile_set_operand(op, 1, y);
    op->where = like->where;
    tile_append(to, op);
    return op->result[0];
}

static struct tile_value *two(struct unroller *u, struct tile_op *place, enum tile_op_kind kind,
                              cuc_dtype dtype, struct tile_value *x, struct tile_value *y)
{
    struct tile_type type = tile_scalar(dtype);

    return tile_make_before(u->kernel, place, kind, &type, 2, (struct tile_value *[]){ x, y });
}

static struct tile_value *number(struct unroller *u, struct tile_op *place, int64_t value)
{
    return tile_make_int_before(u->kernel, place, CUC_I64, value);
}

static struct tile_value *widened(struct unroller *u, struct tile_op *place, struct tile_value *x)
{
    struct tile_type type = tile_scalar(CUC_I64);

    return x && x->type.dtype != CUC_I64
               ? tile_make_before(u->kernel, place, TILE_CAST, &type, 1, &x)
               : x;
}

// Returns a value as it is before the loop, or NULL if the loop computes it.
static struct tile_value *invariant(struct unroller *u, struct tile_op *loop, struct tile_value *x)
{
    struct tile_value **none;

    if (x->block == loop->block[0])
        return NULL;
    if (!x->op || !tile_is_within(x->op, loop->block[0]))
        return x;
    if (!(tile_op_infos[x->op->kind].traits & TILE_LEAF) || x->op->operand_count ||
        !(none = tile_take(u->kernel->module, (u->kernel->value_count + 1) * sizeof(*none))))
        return NULL;
    struct tile_op *copy = tile_clone(u->kernel, x->op, none);
    if (!copy)
        return NULL;
    tile_insert_before(loop, copy);
    return copy->result[0];
}

// The iterations that read only inside tensors: those below `last` if the scalar `holds` is true,
// otherwise none.
struct limits {
    struct tile_value *last, *holds;
};

// Adds the limits of one axis. The tile lies inside if its index is at least 0 and below `most`.
// The index is the loop variable, an invariant value, or their sum.
static bool limit_axis(struct unroller *u, struct tile_op *loop, struct limits *l,
                       const struct tile_op *load, uint32_t axis)
{
    struct tile_value *variable = loop->block[0]->argument[0];
    struct tile_value *tensor = load->operand[0], *index = load->operand[1 + axis], *offset = NULL;
    int64_t extent = tile_attribute(load, TILE_ATTR_SHAPE)->ints[axis];
    struct tile_type type = tile_scalar(CUC_I64);
    bool varies = index == variable;

    if (!varies && index->op && index->op->kind == TILE_ADD &&
        tile_is_within(index->op, loop->block[0]))
        for (uint32_t i = 0; i < 2 && !varies; i++)
            if (index->op->operand[i] == variable) {
                varies = true;
                offset = invariant(u, loop, index->op->operand[1 - i]);
                if (!offset)
                    return false;
            }
    if (!varies && !(offset = invariant(u, loop, index)))
        return false;
    if (tensor->op && tile_is_within(tensor->op, loop->block[0]))
        return false;
    struct tile_value *most = tile_make_before(u->kernel, loop, TILE_DIM, &type, 1, &tensor);
    if (!most)
        return false;
    tile_set(u->kernel, most->op, (struct tile_attribute){ .key = TILE_ATTR_AXIS, .i = axis });
    most = load->kind == TILE_LOAD
               ? two(u, loop, TILE_FLOORDIV, CUC_I64, most, number(u, loop, extent))
               : two(u, loop, TILE_SUB, CUC_I64, most, number(u, loop, extent - 1));
    struct tile_value *least = varies ? loop->operand[0] : NULL;
    struct tile_value *zero = number(u, loop, 0);
    if (offset) {
        offset = widened(u, loop, offset);
        struct tile_value *positive = two(u, loop, TILE_GE, CUC_BOOL, offset, zero);
        l->holds = l->holds ? two(u, loop, TILE_AND, CUC_BOOL, l->holds, positive) : positive;
    }
    if (varies) {
        struct tile_value *positive = two(u, loop, TILE_GE, CUC_BOOL, least, zero);
        if (offset)
            most = two(u, loop, TILE_SUB, CUC_I64, most, offset);
        l->last = two(u, loop, TILE_MINIMUM, CUC_I64, l->last, most);
        l->holds = l->holds ? two(u, loop, TILE_AND, CUC_BOOL, l->holds, positive) : positive;
    } else {
        struct tile_value *below = two(u, loop, TILE_LT, CUC_BOOL, offset, most);
        l->holds = l->holds ? two(u, loop, TILE_AND, CUC_BOOL, l->holds, below) : below;
    }
    return l->last && l->holds;
}

// Marks the loads whose tiles the limits keep inside.
static void limit(struct unroller *u, struct tile_op *loop, struct limits *l, bool *inside)
{
    for (const struct tile_op *op = loop->block[0]->first; op; op = op->next) {
        if ((op->kind != TILE_LOAD && op->kind != TILE_LOAD_AT) ||
            loop->operand[0]->type.dtype != CUC_I64 || tile_int(op, TILE_ATTR_INSIDE, 0))
            continue;
        struct limits more = *l;
        bool all = true;
        for (uint32_t axis = 0; axis < op->operand[0]->type.rank && all; axis++)
            all = limit_axis(u, loop, &more, op, axis);
        if (!all)
            continue;
        *l = more;
        inside[op->result[0]->id] = true;
    }
}

// Returns the loop's step times a number.
static struct tile_value *multiple(struct unroller *u, struct tile_op *loop, int64_t times)
{
    cuc_dtype dtype = loop->operand[2]->type.dtype;

    return two(u, loop, TILE_MUL, dtype, loop->operand[2],
               tile_make_int_before(u->kernel, loop, dtype, times));
}

// Returns the bound of the unrolled loop: `steps` steps below the last iteration that it may take,
// or the loop's start if there are fewer iterations. Differences of i32 are computed in 64 bits.
// Differences of i64 do not overflow for any loop that ends.
static struct tile_value *bound_of(struct unroller *u, struct tile_op *loop, const struct limits *l,
                                   int64_t steps)
{
    struct tile_value *first = loop->operand[0], *before = multiple(u, loop, steps);
    struct tile_type own = first->type;
    struct tile_value *far =
        two(u, loop, TILE_SUB, CUC_I64, widened(u, loop, l->last), widened(u, loop, first));
    struct tile_value *enough = two(u, loop, TILE_GT, CUC_BOOL, far, widened(u, loop, before));
    struct tile_value *end = two(u, loop, TILE_SUB, own.dtype, l->last, before);

    if (l->holds)
        enough = two(u, loop, TILE_AND, CUC_BOOL, enough, l->holds);
    return tile_make_before(u->kernel, loop, TILE_WHERE, &own, 3,
                            (struct tile_value *[]){ enough, end, first });
}

// Emits the unrolled loop before the old one. The old loop continues from the position that the
// unrolled one reaches.
static bool unroll(struct unroller *u, struct tile_op *loop, const struct body *b, uint32_t turns)
{
    struct tile_kernel *kernel = u->kernel;
    struct tile_block *old = loop->block[0];
    uint32_t carried = loop->result_count, size = kernel->value_count + 1;
    struct tile_value **map[MOST_TURNS];
    struct limits limits = { .last = loop->operand[1] };
    bool *inside = tile_take(kernel->module, size);
    if (!inside)
        return false;
    limit(u, loop, &limits, inside);
    size = kernel->value_count + 1;
    struct tile_value *last = bound_of(u, loop, &limits, turns - 1);
    struct tile_value *wide = multiple(u, loop, turns);
    struct tile_op *fast = tile_op_create(kernel, TILE_FOR, 4 + carried, 1 + carried, 1);

    if (!last || !wide || !fast || !(fast->block[0] = tile_block_create(kernel, fast, 2 + carried)))
        return false;
    struct tile_block *body = fast->block[0];
    fast->where = loop->where;
    for (uint32_t i = 0; i < 4 + carried; i++)
        tile_set_operand(fast, i,
                         i == 1             ? last
                         : i == 2           ? wide
                         : i == 3 + carried ? loop->operand[0]
                                            : loop->operand[i]);
    for (uint32_t i = 0; i < 2 + carried; i++) {
        const struct tile_value *like = old->argument[i <= carried ? i : 0];
        struct tile_value *argument = tile_argument_create(kernel, body, i, &like->type);
        struct tile_value *result = i ? tile_result_create(kernel, fast, i - 1, &like->type)
                                      : argument;
        if (!argument || !result)
            return false;
        if (i <= carried)
            argument->name = like->name;
    }
    struct tile_value *at = body->argument[0], *one = loop->operand[2];
    for (uint32_t turn = 0; turn < turns; turn++) {
        if (!(map[turn] = tile_take(kernel->module, size * sizeof(**map))))
            return false;
        if (turn)
            at = append(u, body, loop, TILE_ADD, at, one);
        if (!at)
            return false;
        map[turn][old->argument[0]->id] = at;
        for (const struct tile_op *op = old->first; op != old->last; op = op->next)
            if (op->result_count && b->early[op->result[0]->id] &&
                !append_copy(u, body, op, map[turn], inside[op->result[0]->id]))
                return false;
    }
    for (uint32_t turn = 0; turn < turns; turn++) {
        for (uint32_t i = 0; i < carried; i++) {
            struct tile_value *x = turn ? old->last->operand[i] : body->argument[1 + i];
            if (turn && map[turn - 1][x->id])
                x = map[turn - 1][x->id];
            map[turn][old->argument[1 + i]->id] = x;
        }
        for (const struct tile_op *op = old->first; op != old->last; op = op->next)
            if (!(op->result_count && b->early[op->result[0]->id]) &&
                !append_copy(u, body, op, map[turn], false))
                return false;
    }
    struct tile_value *next = append(u, body, loop, TILE_ADD, at, one);
    struct tile_op *end = tile_op_create(kernel, TILE_CONTINUE, 1 + carried, 0, 0);
    if (!next || !end)
        return false;
    for (uint32_t i = 0; i < carried; i++) {
        struct tile_value *x = old->last->operand[i], *copy = map[turns - 1][x->id];
        tile_set_operand(end, i, copy ? copy : x);
    }
    tile_set_operand(end, carried, next);
    end->where = old->last->where;
    tile_append(body, end);
    tile_insert_before(loop, fast);
    tile_set_operand(loop, 0, fast->result[carried]);
    for (uint32_t i = 0; i < carried; i++)
        tile_set_operand(loop, 3 + i, fast->result[i]);
    return true;
}

static void visit(struct tile_op *loop, void *data)
{
    struct unroller *u = data;
    size_t size = u->kernel->value_count + 1;

    if (loop->kind != TILE_FOR || loop->block[0]->last->kind != TILE_CONTINUE ||
        !tile_loads(loop) || (u->roles && tile_is_beside_product(loop)) || u->loops++ >= MOST_LOOPS)
        return;
    // Other passes create steps that are small but not constant.
    const struct tile_op *step = loop->operand[2]->op;
    bool constant = step && step->kind == TILE_CONSTANT;
    struct body b = { .early = tile_take(u->kernel->module, size),
                      .carried = tile_take(u->kernel->module, size) };
    cuc_dtype dtype = loop->operand[0]->type.dtype;
    int64_t by = constant ? tile_int(step, TILE_ATTR_VALUE, 1) : 1, known = known_iterations(loop);
    if (!b.early || !b.carried)
        return;
    look_at(u, &b, loop);
    uint32_t turns = b.refused || !b.bytes ? 1 : turns_for(u, &b);
    while (turns > 1 && known >= 0 && known < 2 * turns)
        turns /= 2;
    // The position after the last iteration must not overflow.
    if (turns < 2 || by > INT16_MAX || (dtype != CUC_I64 && dtype != CUC_I32) ||
        (dtype == CUC_I32 && (known < 0 || known * by > INT32_MAX / 2)))
        return;
    bool unrolled = unroll(u, loop, &b, turns);
    u->changed |= unrolled;
    u->kernel->assumes_no_overlap |= unrolled && b.stored;
}

static void find_stores(struct tile_op *loop, void *data)
{
    struct unroller *u = data;
    size_t size = u->kernel->value_count + 1;

    if (loop->kind != TILE_FOR || !tile_loads(loop) || u->loops++ >= MOST_LOOPS)
        return;
    struct body b = { .early = tile_take(u->kernel->module, size),
                      .carried = tile_take(u->kernel->module, size) };
    if (!b.early || !b.carried)
        return;
    look_at(u, &b, loop);
    u->changed |= b.stored && b.bytes && !b.refused;
}

bool tile_has_loads_beside_stores(struct tile_kernel *kernel, uint32_t warps)
{
    struct unroller u = { .kernel = kernel, .threads = 32 * warps, .apart = true };

    if (!tile_has_products(kernel))
        tile_walk(&kernel->body, find_stores, &u);
    return u.changed;
}

static bool unroll_all(struct unroller *u)
{
    tile_walk(&u->kernel->body, visit, u);
    if (!u->changed)
        return false;
    tile_renumber(u->kernel);
    tile_simplify(u->kernel);
    return true;
}

bool tile_unroll_loads(struct tile_kernel *kernel, uint32_t warps, bool apart)
{
    struct unroller u = { .kernel = kernel, .threads = 32 * warps, .apart = apart };

    return !tile_has_products(kernel) && unroll_all(&u);
}

bool tile_unroll_before_products(struct tile_kernel *kernel, uint32_t warps)
{
    struct unroller u = { .kernel = kernel, .threads = 32 * warps, .roles = true };

    return unroll_all(&u);
}
