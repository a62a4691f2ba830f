// Accesses by element: gather, scatter, atomic. Each element has an index per axis, an address, and
// a predicate: it lies inside the tile and the tensor and is not masked out.
#include "emit.h"

#include <string.h>

struct elements {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_emit_view *view;
    const struct tile_value *shape; // the access has one element for each element of this value;
                                    // NULL: one scalar
    const tile_register *index[TILE_MAX_RANK], *x[2], *mask;
    cuc_dtype index_dtype[TILE_MAX_RANK];
    tile_register single; // true in one of the threads that hold copies
    uint32_t count;       // number of registers
};

// Computes the address of element r, and a predicate that is true if the element is in the tensor.
// A negative index is a large unsigned number, so one comparison suffices.
static tile_register open_element(struct elements *a, uint32_t r, tile_register *predicate)
{
    struct tile_emitter *e = a->e;
    tile_register address = a->view->base;

    for (uint32_t axis = 0; axis < a->view->rank; axis++) {
        const struct tile_size *extent = &a->view->extent[axis], *stride = &a->view->stride[axis];
        uint32_t bytes = tile_bytes_of(a->view->dtype);
        tile_register i =
            tile_emit_cast(e, CUC_I64, a->index_dtype[axis], TILE_RN, a->index[axis][r]);
        tile_register inside =
            tile_int(a->op, TILE_ATTR_INSIDE, 0) ? TILE_NO_REGISTER // the source promises it
            : extent->reg ? tile_make(e, TILE_PRED, "setp.lt.u64 %R, %R, %R", i, extent->reg)
                          : tile_make(e, TILE_PRED, "setp.lt.u64 %R, %R, %l", i, extent->value);
        *predicate = tile_both(e, *predicate, inside);
        if (stride->reg) {
            i = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %R", i, stride->reg);
            address = tile_make(e, TILE_R64, "mad.lo.s64 %R, %R, %u, %R", i, bytes, address);
        } else {
            address = tile_make(e, TILE_R64, "mad.lo.s64 %R, %R, %l, %R", i, stride->value * bytes,
                                address);
        }
    }
    return address;
}

static void emit_gather(struct elements *a)
{
    struct tile_emitter *e = a->e;
    const struct tile_op *op = a->op;
    tile_register *out = tile_registers(e, op->result[0]);
    const struct tile_value *pad =
        tile_int(op, TILE_ATTR_PADDED, 0) ? op->operand[op->operand_count - 1] : NULL;
    tile_register zero = pad ? TILE_NO_REGISTER : tile_constant_register(e, a->view->dtype, 0);

    for (uint32_t r = 0; out && r < a->count; r++) {
        bool none;
        tile_register p = tile_inside_tile(e, op->result[0], r, &none);
        tile_move(e, out[r], pad ? tile_registers(e, pad)[pad->type.rank ? r : 0] : zero);
        if (none)
            continue;
        if (a->mask)
            p = tile_both(e, p, a->mask[r]);
        p = tile_both(e, p, a->single);
        tile_register address = open_element(a, r, &p);
        tile_emit_load(e, tile_order_words(op), "global", a->view->dtype, &out[r], 1, address, 0,
                       p);
    }
    if (out && tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK)
        tile_spread_copies(e, op->result[0], out);
}

static tile_register predicate_of(struct elements *a, uint32_t r, tile_register *address,
                                  bool *none)
{
    tile_register p = TILE_NO_REGISTER;

    *none = a->shape && tile_repeats(a->shape->layout, r);
    if (!*none && a->shape)
        p = tile_inside_tile(a->e, a->shape, r, none);
    if (*none)
        return p;
    p = tile_both(a->e, p, a->single);
    if (a->mask)
        p = tile_both(a->e, p, a->mask[r]);
    *address = open_element(a, r, &p);
    return p;
}

static void emit_scatter(struct elements *a)
{
    for (uint32_t r = 0; r < a->count; r++) {
        bool none;
        tile_register address, p = predicate_of(a, r, &address, &none);
        if (!none)
            tile_emit_store(a->e, tile_order_words(a->op), "global", a->view->dtype, &a->x[0][r], 1,
                            address, 0, p);
    }
}

// Atomic operations

static const char *operation_of(enum tile_combine with)
{
    static const char *const names[] = {
#define TILE_COMBINE(id, word, access, ptx, ...) ptx,
#include "tile/ir/combine.def"
    };

    return names[with];
}

static const char *type_of(enum tile_combine with, cuc_dtype dtype)
{
    bool wide = cuc_dtype_bits(dtype) == 64;

    if (with == TILE_WITH_AND || with == TILE_WITH_OR || with == TILE_WITH_XOR ||
        with == TILE_WITH_XCHG || with == TILE_WITH_CAS)
        return wide ? "b64" : "b32";
    switch (dtype) {
    case CUC_F16:
        return "noftz.f16";
    case CUC_BF16:
        return "noftz.bf16";
    case CUC_F32:
        return "f32";
    case CUC_F64:
        return "f64";
    default:
        // Signed and unsigned sums wrap alike, and there is no add of s64.
        return tile_is_signed(dtype) && with != TILE_WITH_SUM ? wide ? "s64" : "s32"
               : wide                                         ? "u64"
                                                              : "u32";
    }
}

// Adds a bf16 before sm_90, which introduced the atomic add of bf16: reads, adds, and repeats a
// compare-and-swap until it succeeds.
static void add_by_exchange(struct tile_emitter *e, const char *words, cuc_dtype dtype,
                            tile_register old, tile_register address, tile_register x,
                            tile_register predicate)
{
    uint32_t top = tile_label(e), done = tile_label(e);
    tile_register seen = tile_new(e, TILE_R16), same = tile_new(e, TILE_PRED);

    tile_branch(e, predicate, true, done);
    tile_ins(e, "ld.relaxed.gpu.global.b16 %R, [%R]", seen, address);
    tile_put_label(e, top);
    tile_register sum = tile_emit_binary(e, TILE_ADD, dtype, false, seen, x);
    tile_ins(e, "atom%s.global.cas.b16 %R, [%R], %R, %R", words, old, address, seen, sum);
    tile_ins(e, "setp.eq.s16 %R, %R, %R", same, old, seen);
    tile_ins(e, "mov.b16 %R, %R", seen, old);
    tile_branch(e, same, true, top);
    tile_put_label(e, done);
}

void tile_emit_atomic(struct tile_emitter *e, const char *words, enum tile_combine with,
                      cuc_dtype dtype, tile_register old, tile_register address, int64_t offset,
                      const tile_register *x, tile_register predicate)
{
    if (dtype == CUC_BF16 && !tile_has(e->target, TILE_HAS_ATOMIC_BF16)) {
        if (!old)
            old = tile_new(e, TILE_R16);
        if (offset)
            address = tile_make(e, TILE_R64, "add.s64 %R, %R, %l", address, offset);
        if (!predicate)
            predicate = tile_constant_register(e, CUC_BOOL, 1);
        add_by_exchange(e, words, dtype, old, address, x[0], predicate);
        return;
    }
    tile_put_string(e->text, "\t");
    if (predicate)
        tile_put(e->text, "@%s ", tile_name(predicate));
    // `red` returns no old value, has no exch or cas, and has no order but relaxed and release.
    bool reduces = !old && with != TILE_WITH_XCHG && with != TILE_WITH_CAS &&
                   !strstr(words, ".acq");
    if (!old && !reduces)
        old = tile_new(e, tile_class_of(dtype));
    tile_put(e->text, "%s%s.global.%s.%s ", reduces ? "red" : "atom", words, operation_of(with),
             type_of(with, dtype));
    if (!reduces)
        tile_put(e->text, "%s, ", tile_name(old));
    tile_put(e->text, "[%s+%lld], %s", tile_name(address), (long long)offset, tile_name(x[0]));
    if (with == TILE_WITH_CAS)
        tile_put(e->text, ", %s", tile_name(x[1]));
    tile_put_string(e->text, ";\n");
}

// For an element that is out of range or masked out, the result is the operand.
static bool emit_atomic(struct elements *a)
{
    struct tile_emitter *e = a->e;
    const struct tile_op *op = a->op;
    const struct tile_value *value = op->result[0];
    enum tile_combine with = (enum tile_combine)tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    bool used = value->uses > 0;
    tile_register *out = tile_take(e->module, a->count * sizeof(*out));

    if (!out)
        return false;
    for (uint32_t r = 0; r < a->count; r++) {
        bool none;
        tile_register address, p = predicate_of(a, r, &address, &none);
        tile_register x[] = { a->x[0][r], a->x[1] ? a->x[1][r] : TILE_NO_REGISTER };
        out[r] = tile_new(e, tile_class_of(value->type.dtype));
        if (used)
            tile_move(e, out[r], x[0]);
        if (!none)
            tile_emit_atomic(e, tile_order_words(op), with, a->view->dtype,
                             used ? out[r] : TILE_NO_REGISTER, address, 0, x, p);
    }
    e->value[value->id] = out;
    if (used) // the thread that made the change provides the old value
        tile_spread_copies(e, value, out);
    return true;
}

bool tile_emit_elements(struct tile_emitter *e, const struct tile_op *op)
{
    struct elements a = { .e = e, .op = op, .view = &e->view[op->operand[0]->id] };
    int64_t order = tile_int(op, TILE_ATTR_ORDER, TILE_WEAK);
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    uint32_t next = 1, values = op->kind == TILE_GATHER ? 0 : with == TILE_WITH_CAS ? 2 : 1;

    tile_order_access(e, op);
    for (uint32_t axis = 0; axis < a.view->rank; axis++) {
        a.index_dtype[axis] = op->operand[next]->type.dtype;
        a.index[axis] = tile_registers(e, op->operand[next++]);
    }
    for (uint32_t i = 0; i < values; i++)
        a.x[i] = tile_registers(e, op->operand[next++]);
    if (tile_int(op, TILE_ATTR_MASKED, 0))
        a.mask = tile_registers(e, op->operand[next++]);
    a.shape = op->result_count ? op->result[0] : op->operand[1 + a.view->rank];
    a.count = tile_register_count(a.shape);
    // Other threads may write the element between two reads. So for an ordered load one thread
    // reads each element and passes it to all threads that hold it.
    if (op->kind != TILE_GATHER || order != TILE_WEAK)
        a.single = tile_one_copy(e, a.shape->layout);
    if (e->failed)
        return false;
    if (op->kind == TILE_GATHER)
        emit_gather(&a);
    else if (op->kind == TILE_SCATTER)
        emit_scatter(&a);
    else if (!emit_atomic(&a))
        return false;
    // Every thread of the block executes the acquire before its reads.
    if (order == TILE_ACQUIRE || order == TILE_ACQ_REL)
        tile_barrier(e);
    return !e->failed;
}
