// Registers of values: created on first use or computed on demand.
#include "emit.h"

#include <string.h>

tile_register tile_size_register(struct tile_emitter *e, const struct tile_size *size)
{
    return size->reg ? size->reg : tile_number64(e, size->value);
}

uint32_t tile_register_count(const struct tile_value *value)
{
    return value->layout ? UINT32_C(1) << value->layout->register_bits : 1;
}

bool tile_compute_registers(struct tile_emitter *e, const struct tile_value *value, uint32_t first,
                            uint32_t end)
{
    const struct tile_op *op = e->deferred ? e->deferred[value->id] : NULL;

    return op ? e->dispatch->deferred(e, op, first, end) : tile_registers(e, value) != NULL;
}

tile_register *tile_registers(struct tile_emitter *e, const struct tile_value *value)
{
    tile_register **slot = &e->value[value->id];
    uint32_t count = tile_register_count(value);

    if (*slot && e->deferred && e->deferred[value->id]) {
        for (uint32_t i = 0; i < count; i += TILE_PART)
            if (!tile_compute_registers(e, value, i, i + TILE_PART < count ? i + TILE_PART : count))
                return NULL;
        e->deferred[value->id] = NULL;
    }
    if (*slot)
        return *slot;
    *slot = tile_take(e->module, count * sizeof(**slot));
    if (!*slot) {
        e->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        (*slot)[i] = tile_new(e, tile_class_of(value->type.dtype));
    return *slot;
}

// Deferred values

// Finds the single tile that a value depends on. False if there are several. `visited`, by value
// id, keeps the search linear if values have several uses.
static bool made_of(const struct tile_emitter *e, const struct tile_value *value, bool *visited,
                    const struct tile_value **source)
{
    const struct tile_op *op = e->deferred[value->id];

    if (visited[value->id])
        return true;
    visited[value->id] = true;
    if (!op) {
        while (value->op && value->op->kind == TILE_BROADCAST)
            value = value->op->operand[0];
        if (tile_elements(&value->type) == 1)
            return true;
        bool other = *source && *source != value;
        *source = value;
        return !other;
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!made_of(e, op->operand[i], visited, source))
            return false;
    return true;
}

bool tile_is_deferred(const struct tile_emitter *e, const struct tile_value *value)
{
    const struct tile_value *source = NULL;

    if (!e->deferred || !e->deferred[value->id])
        return false;
    bool *visited = tile_take(e->module, e->kernel->value_count + 1);
    return visited && made_of(e, value, visited, &source);
}

bool tile_save_deferred(struct tile_emitter *e, struct tile_deferred *kept)
{
    size_t values = e->kernel->value_count + 1;

    *kept = (struct tile_deferred){
        .op = tile_take(e->module, values * sizeof(*kept->op)),
        .reg = tile_take(e->module, values * sizeof(*kept->reg)),
    };
    memcpy(kept->zero, e->zero, sizeof(kept->zero));
    if (!kept->op || !kept->reg)
        return false;
    memcpy(kept->op, e->deferred, values * sizeof(*kept->op));
    for (size_t id = 0; id < values; id++) {
        if (!e->deferred[id])
            continue;
        size_t bytes = tile_register_count(e->deferred[id]->result[0]) * sizeof(tile_register);
        if (!(kept->reg[id] = tile_take(e->module, bytes)))
            return false;
        memcpy(kept->reg[id], e->value[id], bytes);
    }
    return true;
}

void tile_restore_deferred(struct tile_emitter *e, const struct tile_deferred *kept)
{
    memcpy(e->zero, kept->zero, sizeof(kept->zero));
    for (size_t id = 0; id <= e->kernel->value_count; id++)
        if ((e->deferred[id] = kept->op[id]))
            memcpy(e->value[id], kept->reg[id],
                   tile_register_count(kept->op[id]->result[0]) * sizeof(tile_register));
}
