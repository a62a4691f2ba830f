// Per-element accesses: gather, scatter, atomic. Each element has an index per axis, an address,
// and a predicate: the element lies inside the tile and the tensor and is not masked out.
#include "emit.h"

#include "tile/pass/remark.h"

#include <string.h>

struct elements {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_emit_view *view;
    const struct tile_value *shape; // the access has one element per element of this value; NULL
                                    // for one scalar
    const tile_register *index[TILE_MAX_RANK], *x[2], *mask;
    cuc_dtype index_dtype[TILE_MAX_RANK];
    tile_register single; // predicate: true in one of the threads that hold copies of an element
    uint32_t count;       // number of registers
};

// Returns true if 32 bits suffice for an index, an extent and an offset.
static bool is_narrow(const struct elements *a, uint32_t axis)
{
    return a->e->narrow && cuc_dtype_bits(a->index_dtype[axis]) <= 32 && !a->view->stride[axis].reg;
}

// Computes the address of element r along an axis whose index has at most 32 bits.
static tile_register open_narrow(struct elements *a, uint32_t r, uint32_t axis,
                                 tile_register address, tile_register *predicate)
{
    struct tile_emitter *e = a->e;
    const struct tile_size *extent = &a->view->extent[axis];
    tile_register i = a->index[axis][r], inside = tile_new(e, TILE_PRED);
    int64_t step = a->view->stride[axis].value * tile_bytes_of(a->view->dtype);

    if (extent->reg)
        tile_ins(e, "setp.lt.u32 %R, %R, %R", inside, i,
                 tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", extent->reg));
    else
        tile_ins(e, "setp.lt.u32 %R, %R, %l", inside, i, extent->value);
    if (!tile_int(a->op, TILE_ATTR_INSIDE, 0))
        *predicate = tile_both(e, *predicate, inside);
    return tile_make(e, TILE_R64, "mad.wide.%s %R, %R, %l, %R",
                     tile_is_signed(a->index_dtype[axis]) ? "s32" : "u32", i, step, address);
}

// Computes the address of element r, and a predicate that is true if the element is in the tensor.
// As an unsigned number, a negative index is out of range too, so one comparison suffices.
static tile_register open_element(struct elements *a, uint32_t r, tile_register *predicate)
{
    struct tile_emitter *e = a->e;
    tile_register address = a->view->base;

    for (uint32_t axis = 0; axis < a->view->rank; axis++) {
        const struct tile_size *extent = &a->view->extent[axis], *stride = &a->view->stride[axis];
        uint32_t bytes = tile_bytes_of(a->view->dtype);
        if (is_narrow(a, axis)) {
            address = open_narrow(a, r, axis, address, predicate);
            continue;
        }
        tile_register i =
            tile_emit_cast(e, CUC_I64, a->index_dtype[axis], TILE_RN, a->index[axis][r]);
        tile_register inside =
            // The source may guarantee that indices are inside.
            tile_int(a->op, TILE_ATTR_INSIDE, 0) ? TILE_NO_REGISTER
            : extent->reg ? tile_make(e, TILE_PRED, "setp.lt.u64 %R, %R, %R", i, extent->reg)
                          : tile_make(e, TILE_PRED, "setp.lt.u64 %R, %R, %l", i, extent->value);
        *predicate = tile_both(e, *predicate, inside);
        address = tile_move_along(e, address, i, stride, bytes);
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
        // Signed and unsigned sums wrap alike, and PTX has no atomic add of s64.
        return tile_is_signed(dtype) && with != TILE_WITH_SUM ? wide ? "s64" : "s32"
               : wide                                         ? "u64"
                                                              : "u32";
    }
}

// Adds a bf16 atomically on targets before sm_90, which lack the instruction: reads, adds, and
// repeats a compare-and-swap until it succeeds.
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
    // `red` returns no old value, lacks exch and cas, and supports only relaxed and release order.
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

uint32_t tile_atomic_bytes(const struct tile_emitter *e, enum tile_combine with, cuc_dtype dtype)
{
    bool half = dtype == CUC_F16 ||
                (dtype == CUC_BF16 && tile_has(e->target, TILE_HAS_ATOMIC_BF16));

    if (with == TILE_WITH_SUM && (half || dtype == CUC_F32) &&
        tile_has(e->target, TILE_HAS_VECTOR_RED))
        return 16;
    return with == TILE_WITH_SUM && half ? 4 : tile_bytes_of(dtype);
}

void tile_emit_atomics(struct tile_emitter *e, const char *words, enum tile_combine with,
                       cuc_dtype dtype, tile_register address, int64_t offset,
                       const tile_register *x, uint32_t count, tile_register predicate)
{
    static const char *const vectors[] = { "", "", ".v2", "", ".v4" };
    bool half = tile_bytes_of(dtype) == 2;
    tile_register word[4];

    if (count == 1) {
        tile_emit_atomic(e, words, with, dtype, TILE_NO_REGISTER, address, offset, x, predicate);
        return;
    }
    count /= half ? 2 : 1;
    for (uint32_t i = 0; i < count; i++)
        word[i] = half ? tile_join(e, x[2 * i], x[2 * i + 1]) : x[i];
    tile_put_string(e->text, "\t");
    if (predicate)
        tile_put(e->text, "@%s ", tile_name(predicate));
    tile_put(e->text, "red%s.global.add%s%s.%s [%s+%lld], %s;\n", words, half ? ".noftz" : "",
             vectors[count],
             !half               ? "f32"
             : dtype == CUC_BF16 ? "bf16x2"
                                 : "f16x2",
             tile_name(address), (long long)offset,
             count > 1 ? tile_register_list(e, word, count) : tile_name(word[0]));
}

// Describes a tile's elements along its last axis: they are all equal, or each is one more than the
// previous one. The first element is a multiple of `divisor`, or 0 if `divisor` is 0.
struct run {
    bool known, rises;
    uint64_t divisor;
};

static uint64_t divisor_of(const struct elements *a, const struct tile_value *x)
{
    return tile_range_of(a->e->ranges, x).divisor;
}

static struct run run_of(const struct elements *a, const struct tile_value *x)
{
    const struct tile_op *op = x->op;
    const struct tile_value *in = op && op->operand_count ? op->operand[0] : NULL;
    int32_t last = x->type.rank ? x->type.extent[x->type.rank - 1] : 1;
    struct run none = { false, false, 1 }, equal = { true, false, divisor_of(a, x) }, run, other;

    if (last == 1)
        return equal;
    if (!op)
        return none;
    int32_t last_in = in && in->type.rank ? in->type.extent[in->type.rank - 1] : 1;
    switch (op->kind) {
    case TILE_IOTA:
        return (struct run){ true, true, 0 };
    case TILE_BROADCAST:
    case TILE_RESHAPE:
        return last_in == last                              ? run_of(a, in)
               : last_in == 1 && op->kind == TILE_BROADCAST ? equal
                                                            : none;
    case TILE_CAST:
        return tile_is_integer(in->type.dtype) &&
                       cuc_dtype_bits(in->type.dtype) <= cuc_dtype_bits(x->type.dtype)
                   ? run_of(a, in)
                   : none;
    case TILE_ADD:
        run = run_of(a, in);
        other = run_of(a, op->operand[1]);
        if (!run.known || !other.known || (run.rises && other.rises))
            return none;
        return (struct run){ true, run.rises || other.rises,
                             tile_common_divisor(run.divisor, other.divisor) };
    default:
        return none;
    }
}

// True if a row along the tile's last axis has neighbors of the tensor's last axis, under one mask.
// Sets `divisor` to a divisor of the index of a row's first element.
static bool has_neighbors(const struct elements *a, uint64_t *divisor)
{
    const struct tile_op *op = a->op;
    uint32_t rank = a->view->rank;

    for (uint32_t axis = 0; axis < rank; axis++) {
        struct run run = run_of(a, op->operand[1 + axis]);
        if (!run.known || run.rises != (axis + 1 == rank))
            return false;
        *divisor = run.divisor;
    }
    // The mask is an atomic operation's or a scatter's last operand; a gather's precedes the pad.
    if (!a->mask)
        return true;
    uint32_t behind = op->kind == TILE_GATHER && tile_int(op, TILE_ATTR_PADDED, 0) ? 2 : 1;
    struct run run = run_of(a, op->operand[op->operand_count - behind]);
    return run.known && !run.rises;
}

// Returns the reason why a gather or scatter moves single elements.
static const char *why_single(const struct elements *a)
{
    uint64_t divisor = 0;

    if (tile_int(a->op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK)
        return "ordered accesses move single elements";
    if (!has_neighbors(a, &divisor))
        return "its elements are not known to be neighbours in the tensor";
    return a->op->kind == TILE_GATHER
               ? "its rows are neighbours in the tensor, which load_rows reads in vectors"
               : "its rows are neighbours in the tensor, which store_rows writes in vectors";
}

// Returns how many consecutive registers have elements that are contiguous and aligned in memory
// and share one mask.
static uint32_t vector_of(const struct elements *a, enum tile_combine with)
{
    const struct tile_op *op = a->op;
    const struct tile_layout *layout = a->shape->layout;
    uint32_t rank = a->view->rank, axes = a->shape->type.rank, vector = 1;
    uint32_t bytes = tile_bytes_of(a->view->dtype);
    uint32_t most = tile_atomic_bytes(a->e, with, a->view->dtype);

    if (!axes || !rank || a->view->stride[rank - 1].reg || a->view->stride[rank - 1].value != 1 ||
        strstr(tile_order_words(op), ".acq"))
        return 1;
    uint64_t divisor = 0;
    if (!has_neighbors(a, &divisor))
        return 1;
    uint32_t shift = tile_axis_shift(layout, axes - 1);
    for (uint32_t bit = 0; bit < layout->register_bits; bit++) {
        if (layout->basis[bit] != UINT32_C(1) << (shift + bit) ||
            bit >= layout->axis_bits[axes - 1] || 2 * vector * bytes > most ||
            2 * vector * bytes > a->view->aligned || divisor % (2 * vector) ||
            a->shape->type.extent[axes - 1] % (int32_t)(2 * vector))
            break;
        vector *= 2;
    }
    return vector;
}

// Emits atomic operations without results on vectors. If the tensor's end may split a vector, also
// emits them element by element for that case.
static void emit_vectors(struct elements *a, enum tile_combine with, uint32_t vector)
{
    struct tile_emitter *e = a->e;
    uint32_t last = a->view->rank - 1;
    bool whole = tile_int(a->op, TILE_ATTR_INSIDE, 0) ||
                 tile_is_multiple(tile_range_of_extent(e->ranges, a->op->operand[0], last), vector);

    for (uint32_t r = 0; r < a->count; r += vector) {
        bool none;
        tile_register address, p = predicate_of(a, r, &address, &none);
        const char *words = tile_order_words(a->op);
        if (none)
            continue;
        if (!whole) {
            tile_register q = p;
            (void)open_element(a, r + vector - 1, &q);
            p = q;
        }
        tile_emit_atomics(e, words, with, a->view->dtype, address, 0, a->x[0] + r, vector, p);
        if (whole)
            continue;
        tile_register done = p ? p : tile_constant_register(e, CUC_BOOL, 1);
        uint32_t next = tile_label(e);
        tile_branch(e, done, false, next);
        for (uint32_t i = 0; i + 1 < vector; i++) {
            p = predicate_of(a, r + i, &address, &none);
            tile_emit_atomic(e, words, with, a->view->dtype, TILE_NO_REGISTER, address, 0,
                             a->x[0] + r + i, p);
        }
        tile_put_label(e, next);
    }
}

// Emits an atomic operation. An element that is out of range or masked out yields its operand.
static bool emit_atomic(struct elements *a)
{
    struct tile_emitter *e = a->e;
    const struct tile_op *op = a->op;
    const struct tile_value *value = op->result[0];
    enum tile_combine with = (enum tile_combine)tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    bool used = value->uses > 0;
    uint32_t vector = used ? 1 : vector_of(a, with);
    tile_register *out = tile_take(e->module, a->count * sizeof(*out));

    if (!out)
        return false;
    tile_remark_access(e->module, op, e->variant, vector * tile_bytes_of(a->view->dtype), 0,
                       vector > 1 ? NULL
                       : used     ? "its result is used"
                       : strstr(tile_order_words(op), ".acq")
                           ? "its order (by default acq_rel) acquires, though its result is "
                             "unused: order=relaxed is faster and allows vectors"
                           : "its elements are not known to be neighbours in the tensor");
    if (vector > 1) {
        emit_vectors(a, with, vector);
        e->value[value->id] = out;
        return true;
    }
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
    if (used) // the thread that changed the element provides the old value
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
    // Another thread may write the element between two reads. An ordered load therefore reads each
    // element in one thread, which passes it to all threads that hold it.
    if (op->kind != TILE_GATHER || order != TILE_WEAK)
        a.single = tile_one_copy(e, a.shape->layout);
    if (e->failed)
        return false;
    if (op->kind != TILE_ATOMIC && tile_elements(&a.shape->type) > 1)
        tile_remark_access(e->module, op, e->variant, tile_bytes_of(a.view->dtype), 0,
                           why_single(&a));
    if (op->kind == TILE_GATHER)
        emit_gather(&a);
    else if (op->kind == TILE_SCATTER)
        emit_scatter(&a);
    else if (!emit_atomic(&a))
        return false;
    // Make every thread of the block execute the acquire before its later reads.
    if (order == TILE_ACQUIRE || order == TILE_ACQ_REL)
        tile_barrier(e);
    return !e->failed;
}
