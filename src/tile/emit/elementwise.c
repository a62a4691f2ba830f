// Elementwise ops on tiles, register by register: either at once or deferred until part of the
// result is needed. Also ops without operands.
#include "access.h"
#include "element.h"
#include "ring.h"

#include <string.h>

static bool are_computed(const tile_register *out, uint32_t first, uint32_t end)
{
    while (first < end && out[first])
        first++;
    return first == end;
}

bool tile_emit_elements_of(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                           uint32_t first, uint32_t end)
{
    const tile_register *in[3];
    cuc_dtype dtype = op->operand[op->kind == TILE_WHERE]->type.dtype;

    if (are_computed(out, first, end)) // do not visit the operand chain again
        return true;
    if (e->failed || e->module->diagnostics->out_of_memory)
        return false;
    if (tile_emit_counted(e, op, out, first, end))
        return true;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!tile_compute_registers(e, op->operand[i], first, end))
            return false;
        in[i] = e->value[op->operand[i]->id];
    }
    if (tile_emit_packed(e, op, out, first, end, in))
        return true;
    for (uint32_t r = first; r < end; r++) {
        tile_register x[3];
        if (out[r])
            continue;
        for (uint32_t i = 0; i < op->operand_count; i++)
            x[i] = in[i][r];
        out[r] = tile_emit_scalar_op(e, op, dtype, x);
        if (!out[r])
            return tile_cannot(e, op, "there is no PTX for it yet");
    }
    return true;
}

// True if an op can be deferred until part of its result is needed. A warp-specialized entry has
// many accumulators and few other registers, so it defers values computed from accumulators. All
// users must be in the same block as the op. The first user then computes a register, and later
// ones reuse it. Computing a deferred op recurses into its operands, so a limit on the number of
// deferred ops bounds the stack.
static bool may_defer(const struct tile_emitter *e, const struct tile_op *op)
{
    enum { MANY = 32, MOST_DEFERRED = 1024 };
    const struct tile_block *body = &e->kernel->body;

    return e->deferred && e->deferred_ops < MOST_DEFERRED &&
           tile_register_count(op->result[0]) >= MANY && op->result_count == 1 &&
           op->parent == body && !tile_is_used_outside(op->result[0], body);
}

// True if an operand's load is deferred until its elements are needed.
static bool uses_deferred_load(const struct tile_emitter *e, const struct tile_op *op)
{
    bool asks = false;

    for (uint32_t i = 0; i < op->operand_count && e->deferred; i++)
        asks |= e->deferred_load && e->deferred[op->operand[i]->id] == e->deferred_load->op;
    return asks;
}

bool tile_emit_elementwise(struct tile_emitter *e, const struct tile_op *op)
{
    enum { LOADED_PART = 32 };
    const struct tile_value *result = op->result[0];
    uint32_t count = tile_register_count(result);
    tile_register *out = tile_take(e->module, count * sizeof(*out));

    if (!out)
        return false;
    if (may_defer(e, op)) {
        e->deferred_ops++;
        e->deferred[result->id] = op;
        e->value[result->id] = out;
        return true;
    }
    uint32_t part = uses_deferred_load(e, op) ? LOADED_PART : count;
    for (uint32_t first = 0; first < count; first += part)
        if (!tile_emit_elements_of(e, op, out, first, first + part < count ? first + part : count))
            return false;
    e->value[result->id] = out;
    return true;
}

// Emits ops without operands.
bool tile_emit_leaf(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *value = op->result[0];
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    uint32_t count = tile_register_count(value);
    cuc_dtype dtype = value->type.dtype;
    tile_register *out = tile_take(e->module, count * sizeof(*out));

    if (!out)
        return false;
    e->value[value->id] = out;
    if (op->kind == TILE_CONSTANT) {
        uint64_t element = real ? tile_element_of_real(dtype, real->f)
                                : tile_element_of_int(dtype, tile_int(op, TILE_ATTR_VALUE, 0));
        out[0] = tile_constant_register(e, dtype, element);
        return true;
    }
    tile_register thread = tile_thread_coordinate(e, value->layout, 0);
    for (uint32_t r = 0; r < count; r++) {
        uint32_t own = tile_register_coordinate(value->layout, r, 0);
        tile_register at = own ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", thread, own) : thread;
        out[r] = tile_class_of(dtype) == TILE_R64 ? tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", at)
                                                  : at;
    }
    return true;
}
