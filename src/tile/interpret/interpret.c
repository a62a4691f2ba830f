// Runs the blocks of a grid one after another, and the ops of each block in order, including loops
// and ifs.
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool tile_machine_fail(struct tile_machine *m, const struct tile_op *op, const char *format, ...)
{
    char what[256];
    va_list args;

    if (m->failed)
        return false;
    m->failed = true;
    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    snprintf(m->text, m->bytes, "%s:%u:%u: block (%lld, %lld, %lld): %s: %s",
             op->where.file ? op->where.file : "program.tile", op->where.line, op->where.column,
             (long long)m->block[0], (long long)m->block[1], (long long)m->block[2],
             tile_op_infos[op->kind].name, what);
    return false;
}

bool tile_machine_no_memory(struct tile_machine *m)
{
    if (m->failed)
        return false;
    m->failed = true;
    snprintf(m->text, m->bytes, "there is no host memory for its tiles");
    if (m->run->no_memory)
        *m->run->no_memory = true;
    return false;
}

uint64_t *tile_machine_elements(struct tile_machine *m, const struct tile_value *value)
{
    uint64_t **slot = &m->element[value->id];

    if (!*slot)
        *slot = calloc((size_t)tile_elements(&value->type), sizeof(**slot));
    if (!*slot)
        tile_machine_no_memory(m);
    return *slot;
}

static bool copy_value(struct tile_machine *m, const struct tile_value *to,
                       const struct tile_value *from)
{
    uint64_t *dst = tile_machine_elements(m, to), *src = tile_machine_elements(m, from);

    if (dst && src)
        memmove(dst, src, (size_t)tile_elements(&to->type) * sizeof(*dst));
    return dst && src;
}

// Copies values as if simultaneously, since carried values may be swapped.
static bool copy_values(struct tile_machine *m, struct tile_value *const *to,
                        struct tile_value *const *from, uint32_t count)
{
    uint64_t **kept = calloc(count + 1, sizeof(*kept));
    bool ok = kept != NULL;

    for (uint32_t i = 0; ok && i < count; i++) {
        size_t bytes = (size_t)tile_elements(&from[i]->type) * sizeof(**kept);
        uint64_t *src = tile_machine_elements(m, from[i]);
        ok = src && (kept[i] = malloc(bytes));
        if (ok)
            memcpy(kept[i], src, bytes);
    }
    for (uint32_t i = 0; ok && i < count; i++) {
        uint64_t *dst = tile_machine_elements(m, to[i]);
        ok = dst != NULL;
        if (ok)
            memcpy(dst, kept[i], (size_t)tile_elements(&to[i]->type) * sizeof(*dst));
    }
    for (uint32_t i = 0; kept && i < count; i++)
        free(kept[i]);
    free(kept);
    return ok || tile_machine_no_memory(m);
}

static bool less(cuc_dtype dtype, uint64_t a, uint64_t b)
{
    return tile_is_signed(dtype) ? (int64_t)a < (int64_t)b : a < b;
}

// Asks the caller a few times per second if the run should stop. Must be called after each
// iteration and block.
static bool is_stopped(struct tile_machine *m)
{
    enum { ITERATIONS = 64, MS = 50 };
    struct timespec t;

    if (!m->run->stop || ++m->iterations % ITERATIONS)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t now = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
    if (now - m->asked_ms < MS)
        return false;
    m->asked_ms = now;
    if (m->run->stop(m->run->user_data))
        *m->run->stopped = m->failed = true;
    return m->failed;
}

// Runs a loop. The body's terminator writes the loop's results, which become the block's arguments
// in the next iteration.
static enum tile_flow run_loop(struct tile_machine *m, const struct tile_op *op)
{
    const struct tile_block *body = op->block[0];
    uint32_t lead = op->kind == TILE_FOR ? 1 : 0;

    if (!copy_values(m, op->result, op->operand + (lead ? 3 : 0), op->result_count))
        return TILE_FLOW_RETURN;
    uint64_t at = 0, end = 0, step = 0;
    cuc_dtype dtype = CUC_I64;
    if (lead) {
        dtype = op->operand[0]->type.dtype;
        at = *tile_machine_elements(m, op->operand[0]);
        end = *tile_machine_elements(m, op->operand[1]);
        step = *tile_machine_elements(m, op->operand[2]);
    }
    while (!lead || less(dtype, at, end)) {
        if (lead) {
            uint64_t *variable = tile_machine_elements(m, body->argument[0]);
            if (!variable)
                return TILE_FLOW_RETURN;
            *variable = at;
        }
        for (uint32_t i = 0; i < op->result_count; i++)
            if (!copy_value(m, body->argument[lead + i], op->result[i]))
                return TILE_FLOW_RETURN;
        enum tile_flow flow = tile_machine_block(m, body);
        if (flow == TILE_FLOW_BREAK)
            break;
        if (flow == TILE_FLOW_RETURN || m->failed || is_stopped(m))
            return TILE_FLOW_RETURN;
        // Don't add the last step, which may overflow the dtype.
        if (lead && !less(dtype, at, end - step) && end - at <= step)
            break;
        at += step;
    }
    return TILE_FLOW_ON;
}

static enum tile_flow run_terminator(struct tile_machine *m, const struct tile_op *op)
{
    if (op->kind == TILE_RETURN)
        return TILE_FLOW_RETURN;
    const struct tile_op *target = tile_ended_by(op);
    // along.c reads the operands of a function's terminator itself.
    if (target->kind == TILE_REDUCE || target->kind == TILE_SCAN)
        return TILE_FLOW_ON;
    if (!copy_values(m, target->result, op->operand, op->operand_count))
        return TILE_FLOW_RETURN;
    return op->kind == TILE_YIELD      ? TILE_FLOW_ON
           : op->kind == TILE_CONTINUE ? TILE_FLOW_CONTINUE
                                       : TILE_FLOW_BREAK;
}

#define tile_step_nothing NULL // tile_machine_block() runs control flow
static tile_step *const steps[TILE_OP_COUNT] = {
#define TILE_OP(id, name, operands, results, traits, infer, print, range, fold, layout, emit, \
                step)                                                                         \
    [TILE_##id] = tile_step_##step,
#include "tile/ir/ops.def"
};

enum tile_flow tile_machine_block(struct tile_machine *m, const struct tile_block *block)
{
    for (const struct tile_op *op = block->first; op; op = op->next) {
        enum tile_flow flow = TILE_FLOW_ON;
        if (tile_op_infos[op->kind].traits & TILE_TERMINATES)
            return run_terminator(m, op);
        if (op->kind == TILE_FOR || op->kind == TILE_LOOP)
            flow = run_loop(m, op);
        else if (op->kind == TILE_IF)
            flow =
                tile_machine_block(m, op->block[*tile_machine_elements(m, op->operand[0]) ? 0 : 1]);
        else
            steps[op->kind](m, op);
        if (m->failed)
            return TILE_FLOW_RETURN;
        if (flow != TILE_FLOW_ON)
            return flow;
    }
    return TILE_FLOW_ON;
}

static bool set_arguments(struct tile_machine *m)
{
    for (uint32_t i = 0; i < m->run->arguments; i++) {
        const struct tile_value *value = m->run->kernel->parameter[i].value;
        const cuc_tensor *t = m->run->argument[i].tensor;
        if (!t) {
            uint64_t *element = tile_machine_elements(m, value);
            if (!element)
                return false;
            *element = m->run->argument[i].scalar;
            continue;
        }
        struct tile_view *view = &m->view[value->id];
        view->base = (unsigned char *)(uintptr_t)t->data;
        view->dtype = t->dtype;
        view->rank = (uint32_t)t->rank;
        memcpy(view->extent, t->shape, sizeof(view->extent));
        memcpy(view->stride, t->strides, sizeof(view->stride));
    }
    return true;
}

static void run_grid(struct tile_machine *m)
{
    for (m->block[2] = 0; m->block[2] < m->grid[2] && !m->failed; m->block[2]++)
        for (m->block[1] = 0; m->block[1] < m->grid[1] && !m->failed; m->block[1]++)
            for (m->block[0] = 0; m->block[0] < m->grid[0] && !m->failed && !is_stopped(m);
                 m->block[0]++)
                tile_machine_block(m, &m->run->kernel->body);
}

bool tile_interpret(const struct tile_interpretation *run, char *text, size_t bytes)
{
    const struct tile_kernel *kernel = run->kernel;
    struct tile_machine m = { .run = run, .text = text, .bytes = bytes };

    m.set = (struct tile_binding_set){ kernel, run->argument,
                                       calloc(kernel->dimension_count + 1, sizeof(int64_t)) };
    m.element = calloc(kernel->value_count + 1, sizeof(*m.element));
    m.view = calloc(kernel->value_count + 1, sizeof(*m.view));
    if (!m.set.dimension || !m.element || !m.view) {
        tile_machine_no_memory(&m);
    } else if (!tile_bind_arguments(&m.set, run->arguments, text, bytes) ||
               !tile_host_grid(&m.set, m.grid, text, bytes)) {
        m.failed = true;
    } else {
        for (uint32_t i = 0; i < 3 && !kernel->grid_rank; i++)
            m.grid[i] = run->grid[i];
        if (set_arguments(&m))
            run_grid(&m);
    }
    for (uint32_t i = 0; m.element && i < kernel->value_count; i++)
        free(m.element[i]);
    tile_machine_drop_assembly(&m);
    free(m.element);
    free(m.view);
    free(m.set.dimension);
    return !m.failed;
}
