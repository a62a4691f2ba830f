// Emits ops in order, and control flow. All threads of a block take the same path: conditions are
// scalars, equal in every thread.
#include "emit.h"

#include "tile/ir/array.h"
#include "tile/layout/fragment.h"
#include "tile/pass/remark.h"
#include "access.h"
#include "async.h"
#include "ring.h"

#include <string.h>

// An op with this many instructions costs half a second or more in ptxas.
enum { MANY_INSTRUCTIONS = 4000 };

#define tile_emit_nothing NULL // stands in for control-flow ops, which this file emits
static tile_emit_op *const emitters[TILE_OP_COUNT] = {
#define TILE_OP(id, name, operands, results, traits, infer, print, range, fold, layout, emit, \
                step)                                                                         \
    [TILE_##id] = tile_emit_##emit,
#include "tile/ir/ops.def"
};

// True if a tile has the layout of the pipelined product that has the tile's shape.
static bool is_like_product(const struct tile_pipeline *plan, const struct tile_value *value)
{
    const struct tile_op *mma = plan->like ? plan->like : plan->mma;
    const struct tile_layout *layout = mma->result[0]->layout;
    const struct tile_layout turned = plan->turned ? tile_turned_layout(layout) : *layout;

    return tile_layout_matches(value->layout, &turned);
}

bool tile_emit_one(struct tile_emitter *e, const struct tile_op *op)
{
    tile_emit_op *emit = emitters[op->kind];

    if (tile_is_prefetched(e, op) || (e->ring && op == e->ring->plan->side))
        return true;
    if (e->ring && op == e->ring->plan->store &&
        is_like_product(e->ring->plan, op->operand[op->operand_count - 1]))
        emit = tile_emit_store_tma;
    if (op->kind == TILE_MMA && tile_fragment_of(op, e->target))
        emit = tile_emit_mma_sync;
    if (!emit)
        return tile_cannot(e, op, "there is no PTX for it yet");
    if (!tile_is_loaded_early(e, op) && !emit(e, op))
        return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        tile_prepare_divisor(e, op->result[i]);
    return true;
}

static bool emit_deferred(struct tile_emitter *e, const struct tile_op *op, uint32_t first,
                          uint32_t end)
{
    if (op->kind != TILE_LOAD)
        return tile_emit_elements_of(e, op, e->value[op->result[0]->id], first, end);
    if (e->ring && op == e->ring->plan->side)
        return tile_emit_side(e, op, first, end);
    tile_move_part(e->deferred_load, first, end);
    return !e->failed;
}

const struct tile_dispatch tile_dispatch = { .one = tile_emit_one, .deferred = emit_deferred };

// Parallel register moves. A source that is also a destination is saved first.
struct moves {
    struct move {
        tile_register to, from;
    } * move;
    uint32_t count, capacity;
};

static bool add_move(struct tile_emitter *e, struct moves *m, tile_register to, tile_register from)
{
    if (!TILE_RESERVE(e->module, m->move, m->capacity, m->count + 1, 64))
        return false;
    m->move[m->count++] = (struct move){ to, from };
    return true;
}

static void move_all(struct tile_emitter *e, struct moves *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        bool written = false;
        for (uint32_t n = 0; n < i && !written; n++)
            written = m->move[n].to == m->move[i].from;
        if (!written)
            continue;
        tile_register kept = tile_new(e, TILE_REGISTER_CLASS(m->move[i].from));
        tile_move(e, kept, m->move[i].from);
        m->move[i].from = kept;
    }
    for (uint32_t i = 0; i < m->count; i++)
        tile_move(e, m->move[i].to, m->move[i].from);
}

void tile_move_values(struct tile_emitter *e, struct tile_value *const *to,
                      struct tile_value *const *from, uint32_t count)
{
    struct moves m = { 0 };

    for (uint32_t i = 0; i < count; i++) {
        if (!tile_region_carries(e, to[i]))
            continue;
        const tile_register *a = tile_registers(e, to[i]), *b = tile_registers(e, from[i]);
        const tile_register *words = e->carried_words ? e->carried_words[to[i]->id] : NULL;
        uint32_t registers = tile_register_count(to[i]);
        for (uint32_t r = 0; a && b && r < registers && !words; r++)
            add_move(e, &m, a[r], b[r]);
        for (uint32_t r = 0; a && b && r < registers && words; r += 2)
            add_move(e, &m, words[r / 2], tile_join(e, b[r], b[r + 1]));
    }
    move_all(e, &m);
}

// Makes a loop or an `if` carry a value of 16-bit elements as words. A row that is loaded ahead
// thus stays in the registers of the load, and the code that carries it need not wait for it.
static bool carry_words(struct tile_emitter *e, const struct tile_value *value)
{
    uint32_t count = tile_register_count(value);

    if (e->ring || e->prefetch || tile_class_of(value->type.dtype) != TILE_R16 || count < 2)
        return false;
    if (!e->carried_words)
        e->carried_words =
            tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*e->carried_words));
    tile_register *words = tile_take(e->module, count / 2 * sizeof(*words));
    if (!words || !e->carried_words) {
        e->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < count / 2; i++)
        words[i] = tile_new(e, TILE_R32);
    e->carried_words[value->id] = words;
    return true;
}

// Splits the words that `carrier` carries, if any, into the registers of a value.
static void split_words(struct tile_emitter *e, const struct tile_value *carrier,
                        const struct tile_value *value)
{
    const tile_register *words = e->carried_words ? e->carried_words[carrier->id] : NULL;
    const tile_register *reg = words ? tile_registers(e, value) : NULL;

    for (uint32_t r = 0; reg && r < tile_register_count(value); r += 2)
        tile_split(e, words[r / 2], reg[r], reg[r + 1]);
}

// Marks the tensor of an op in a loop as read or written, because the op may run again in the next
// iteration.
static void touched_in(struct tile_op *op, void *data)
{
    struct tile_emitter *e = data;
    uint32_t traits = tile_op_infos[op->kind].traits;

    if (!tile_touches_tensor(op))
        return;
    const struct tile_value *tensor = op->operand[0];
    while (tensor->op)
        tensor = tensor->op->operand[0];
    uint64_t bit = UINT64_C(1) << (tensor->index & 63);
    if (traits & TILE_WRITES)
        e->written |= bit;
    if (traits & TILE_READS)
        e->read |= bit;
}

// Records a loop exit: accesses that no barrier has ordered before the exit are pending after the
// loop.
static void emit_exit(struct tile_emitter *e, struct tile_emit_loop *loop)
{
    loop->read |= e->read;
    loop->written |= e->written;
}

// True if `op`, or an op that encloses it, is `first` or follows `first` in the same block.
static bool is_from(const struct tile_op *op, const struct tile_op *first)
{
    while (op && op->parent != first->parent)
        op = op->parent->parent;
    while (first && first != op)
        first = first->next;
    return op && first;
}

// True if `op` is the only user that can take over a value's registers, and no later op uses the
// value. Earlier ops without results may use it, because they take over no registers.
static bool is_last_use(const struct tile_value *value, const struct tile_op *op)
{
    uint32_t kept = 0, from_here = 0;

    for (const struct tile_use *use = value->use; use; use = use->next) {
        kept += use->user->result_count != 0;
        from_here += is_from(use->user, op);
    }
    return kept == 1 && from_here == 1;
}

// Makes the values that a loop carries reuse the registers of a product's accumulators, because the
// accumulators leave few registers free. This requires that the loop is the accumulators' last
// user, directly or through shape ops.
static void go_on_in(struct tile_emitter *e, const struct tile_op *op, uint32_t first)
{
    const struct tile_op *product = e->ring && !e->ring->plan->fused ? e->ring->plan->loop : NULL;

    for (uint32_t i = 0; product && op->parent == product->parent && i < op->result_count; i++) {
        const struct tile_value *init = op->operand[first + i], *value = init;
        bool alone = is_last_use(init, op);
        while (value->op && (value->op->kind == TILE_RESHAPE || value->op->kind == TILE_PERMUTE)) {
            value = value->op->operand[0];
            alone &= value->uses == 1;
        }
        if (alone && value->op == product && tile_registers(e, init))
            e->value[op->result[i]->id] = e->value[init->id];
    }
}

static bool emit_loop(struct tile_emitter *e, const struct tile_op *op)
{
    bool is_for = op->kind == TILE_FOR;
    const struct tile_block *body = op->block[0];
    struct tile_emit_loop loop = { .op = op, .outer = e->loop };
    loop.next = tile_label(e);
    loop.end = tile_label(e);
    uint32_t start = tile_label(e), together = tile_label(e);
    tile_register variable = TILE_NO_REGISTER, end = TILE_NO_REGISTER;
    const char *type = "";

    go_on_in(e, op, is_for ? 3 : 0);
    for (uint32_t i = 0; i < op->result_count; i++) {
        const struct tile_value *inside = carry_words(e, op->result[i]) ? body->argument[i + is_for]
                                                                        : op->result[i];
        if (!(e->value[body->argument[i + is_for]->id] = tile_registers(e, inside)))
            return false;
    }
    tile_move_values(e, op->result, op->operand + (is_for ? 3 : 0), op->result_count);
    if (is_for) {
        const struct tile_value *value = body->argument[0];
        bool wide = tile_class_of(value->type.dtype) == TILE_R64;
        type = tile_is_signed(value->type.dtype) ? wide ? "s64" : "s32" : wide ? "u64" : "u32";
        const tile_register *reg = tile_registers(e, value);
        if (!reg)
            return false;
        variable = reg[0];
        end = tile_registers(e, op->operand[1])[0];
        tile_move(e, variable, tile_registers(e, op->operand[0])[0]);
    }
    bool prefetch = e->prefetch && op == e->prefetch->loop,
         single_warp = tile_is_single_warp_loop(e, op);
    if (prefetch && !tile_begin_prefetch(e, op))
        return false;
    if (single_warp)
        tile_begin_single_warp(e, op, together);
    uint32_t busy = e->shared_busy;
    e->shared_busy = true;
    if (is_for) // an empty loop exits here
        emit_exit(e, &loop);
    tile_walk((struct tile_block *)(uintptr_t)body, touched_in, e);
    e->loop = &loop;
    if (is_for) {
        tile_register over = tile_new(e, TILE_PRED);
        tile_ins(e, "setp.ge.%s %R, %R, %R", type, over, variable, end);
        tile_branch(e, over, false, loop.end);
    }
    if (prefetch)
        tile_enter_prefetch(e);
    tile_put_label(e, start);
    if (prefetch)
        tile_begin_prefetch_iteration(e);
    for (uint32_t i = 0; i < op->result_count; i++)
        split_words(e, op->result[i], body->argument[i + is_for]);
    if (!tile_emit_block(e, body))
        return false;
    tile_put_label(e, loop.next);
    if (prefetch)
        tile_end_prefetch_iteration(e);
    if (is_for) { // compare the remaining distance, because the last step may overflow the dtype
        tile_register step = tile_registers(e, op->operand[2])[0], over = tile_new(e, TILE_PRED);
        tile_register left = tile_new(e, TILE_REGISTER_CLASS(variable));
        tile_ins(e, "sub.%s %R, %R, %R", type, left, end, variable);
        tile_ins(e, "setp.le.u%s %R, %R, %R", type + 1, over, left, step);
        tile_branch(e, over, false, loop.end);
        tile_ins(e, "add.%s %R, %R, %R", type, variable, variable, step);
    }
    tile_branch(e, TILE_NO_REGISTER, false, start);
    tile_put_label(e, loop.end);
    for (uint32_t i = 0; i < op->result_count; i++)
        split_words(e, op->result[i], op->result[i]);
    if (prefetch)
        tile_end_prefetch(e);
    e->loop = loop.outer;
    e->shared_busy = single_warp ? busy : true;
    e->read = loop.read;
    e->written = loop.written;
    if (single_warp)
        tile_end_single_warp(e, op, together);
    return !e->failed;
}

static bool emit_if(struct tile_emitter *e, const struct tile_op *op)
{
    uint32_t otherwise = tile_label(e), end = tile_label(e);
    bool busy = e->shared_busy;
    uint64_t read = e->read, written = e->written;

    for (uint32_t i = 0; i < op->result_count; i++)
        if (!tile_registers(e, op->result[i]) || (carry_words(e, op->result[i]) && e->failed))
            return false;
    tile_branch(e, tile_registers(e, op->operand[0])[0], true, otherwise);
    if (!tile_emit_block(e, op->block[0]))
        return false;
    if (op->block[0]->last->kind == TILE_YIELD)
        tile_branch(e, TILE_NO_REGISTER, false, end);
    bool busy_after = e->shared_busy;
    uint64_t read_after = e->read, written_after = e->written;
    e->shared_busy = busy;
    e->read = read;
    e->written = written;
    tile_put_label(e, otherwise);
    if (!tile_emit_block(e, op->block[1]))
        return false;
    tile_put_label(e, end);
    for (uint32_t i = 0; i < op->result_count; i++)
        split_words(e, op->result[i], op->result[i]);
    e->shared_busy |= busy_after;
    e->read |= read_after;
    e->written |= written_after;
    return !e->failed;
}

static bool emit_terminator(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_op *around = op->parent->parent;

    switch (op->kind) {
    case TILE_RETURN:
        if (e->ring && !e->ring->plan->fused)
            tile_skip_products(e);
        if (e->ring)
            tile_branch(e, TILE_NO_REGISTER, false, e->ring->next_tile);
        else
            tile_ins(e, "ret");
        return true;
    case TILE_YIELD:
        if (around->kind == TILE_IF)
            tile_move_values(e, around->result, op->operand, op->operand_count);
        return true;
    default:
        tile_move_values(e, e->loop->op->result, op->operand, op->operand_count);
        // A `continue` may also end the last iteration of a `for` loop.
        if (op->kind == TILE_BREAK || e->loop->op->kind == TILE_FOR)
            emit_exit(e, e->loop);
        // At the end of the loop's own body, control falls through to the next iteration.
        if (op->kind == TILE_BREAK || around != e->loop->op)
            tile_branch(e, TILE_NO_REGISTER, false,
                        op->kind == TILE_BREAK ? e->loop->end : e->loop->next);
        return true;
    }
}

// Records the op with the most code, among the ops whose code grows with their tile.
static void note_code(struct tile_emitter *e, const struct tile_op *op, size_t bytes)
{
    if (!tile_is_network(op))
        return;
    e->module->networks_bytes += bytes;
    if (bytes <= e->module->network_bytes)
        return;
    e->module->network = op;
    e->module->network_bytes = bytes;
}

bool tile_emit_next(struct tile_emitter *e, const struct tile_op *op)
{
    if (e->ring && e->ring->in_region && op->kind == TILE_MMA)
        return tile_emit_region_product(e, op);
    if (e->ring && op == e->ring->plan->loop && !e->ring->plan->first)
        return e->ring->plan->fused ? tile_emit_fused_loop(e, op) : tile_emit_ring_loop(e, op);
    if (op->kind == TILE_FOR || op->kind == TILE_LOOP)
        return emit_loop(e, op);
    if (op->kind == TILE_IF)
        return emit_if(e, op);
    uint32_t before = e->instructions;
    size_t bytes = e->text->length;
    bool done = tile_emit_one(e, op);
    note_code(e, op, e->text->length - bytes);
    if (e->instructions - before >= MANY_INSTRUCTIONS)
        tile_remark_instructions(e->module, op, e->variant, e->instructions - before);
    return done;
}

bool tile_emit_block(struct tile_emitter *e, const struct tile_block *block)
{
    bool keeps = tile_keeps_copies(e, block);

    if (!keeps)
        tile_forget_copies(e);
    for (const struct tile_op *op = block->first; op && !e->failed; op = op->next) {
        tile_set_construct(e->module, op);
        if (e->target->lineinfo && op->where.line && op->where.line != e->line) {
            tile_put(e->text, "\t.loc 1 %u %u\n", op->where.line,
                     op->where.column ? op->where.column : 1);
            e->line = op->where.line;
        }
        if (e->ring)
            tile_find_rows(e, op);
        if (e->ring &&
            (tile_fused_skips(e, op) || tile_region_skips(e, op) || tile_gathered_skips(e, op)))
            continue;
        if (tile_prefetch_skips(e, op))
            continue;
        if (e->ring && op == e->ring->plan->first) {
            if (!tile_emit_region(e))
                return false;
            op = e->ring->plan->loop;
            continue;
        }
        if (!(tile_op_infos[op->kind].traits & TILE_TERMINATES ? emit_terminator(e, op)
                                                               : tile_emit_next(e, op)) ||
            e->module->diagnostics->out_of_memory)
            e->failed = true;
    }
    if (!keeps)
        tile_forget_copies(e);
    return !e->failed;
}

void tile_emit_function(struct tile_emitter *e, const struct tile_block *fn, uint32_t count,
                        const tile_register *x, const tile_register *y, tile_register *out)
{
    tile_register *argument = tile_take(e->module, 2 * count * sizeof(*argument));
    tile_register result[TILE_MAX_RANK];

    e->failed |= !argument;
    for (uint32_t i = 0; i < 2 * count && argument; i++) {
        argument[i] = i < count ? x[i] : y[i - count];
        e->value[fn->argument[i]->id] = &argument[i];
    }
    for (const struct tile_op *op = fn->first; op->kind != TILE_YIELD && !e->failed; op = op->next)
        if (!tile_emit_one(e, op))
            e->failed = true;
    for (uint32_t i = 0; i < count; i++) {
        const tile_register *reg = e->failed ? NULL : tile_registers(e, fn->last->operand[i]);
        result[i] = reg ? reg[0] : x[i];
    }
    memcpy(out, result, count * sizeof(*out));
}
