// Common-subexpression elimination: replaces a pure op with an equal one that precedes it in the
// same block or in an enclosing block.
#include "pass.h"
#include "tile/ir/diagnostic.h"

#include "base/arena.h"

#include <string.h>

// An available op. These ops form a stack: the ops of the current block are on top and are popped
// at the block's end. Ops with the same hash form a chain, latest first.
struct known {
    struct tile_op *op;
    uint32_t hash, below; // `below`: position of the previous op in the chain, counted from 1; 0 if
                          // none
};

struct table {
    struct tile_kernel *kernel;
    struct known *known;
    uint32_t *chain; // by hash: position of the latest op, counted from 1; 0 if none
    uint32_t count, capacity,
        first; // ops below `first` are outside the current function and not visible
    bool changed;
};

static uint32_t mix(uint32_t hash, uint64_t word)
{
    return (hash ^ (uint32_t)word ^ (uint32_t)(word >> 32)) * UINT32_C(0x9e3779b1);
}

static uint32_t hash_op(const struct tile_op *op)
{
    uint32_t hash = mix(0, op->kind);

    for (uint32_t i = 0; i < op->operand_count; i++)
        hash = mix(hash, op->operand[i]->id);
    for (uint32_t i = 0; i < op->attribute_count; i++)
        hash = mix(mix(hash, op->attribute[i].key),
                   op->attribute[i].count ? op->attribute[i].count : (uint64_t)op->attribute[i].i);
    if (op->result_count)
        hash = mix(hash, (uint64_t)op->result[0]->type.dtype);
    hash = (hash ^ hash >> 16) * UINT32_C(0x85ebca6b);
    return hash ^ hash >> 13;
}

static bool same_attribute(const struct tile_attribute *a, const struct tile_attribute *b)
{
    if (a->key != b->key || a->count != b->count)
        return false;
    switch (tile_attribute_infos[a->key].kind) {
    case TILE_TEXT:
        return strcmp(a->text, b->text) == 0;
    case TILE_INTS:
        return memcmp(a->ints, b->ints, a->count * sizeof(*a->ints)) == 0;
    case TILE_FLOAT: // compare bits: -0 differs from 0, and NaN equals itself
        return memcmp(&a->f, &b->f, sizeof(a->f)) == 0;
    default:
        return a->i == b->i;
    }
}

bool tile_same_op(const struct tile_op *a, const struct tile_op *b)
{
    if (a->kind != b->kind || a->operand_count != b->operand_count ||
        a->result_count != b->result_count || a->attribute_count != b->attribute_count)
        return false;
    for (uint32_t i = 0; i < a->operand_count; i++)
        if (a->operand[i] != b->operand[i])
            return false;
    for (uint32_t i = 0; i < a->result_count; i++)
        if (!tile_type_same(&a->result[i]->type, &b->result[i]->type))
            return false;
    for (uint32_t i = 0; i < a->attribute_count; i++)
        if (!same_attribute(&a->attribute[i], &b->attribute[i]))
            return false;
    return true;
}

static uint32_t *chain_of(const struct table *t, uint32_t hash)
{
    return &t->chain[hash & (t->capacity - 1)];
}

static bool grow(struct table *t)
{
    struct cuc__arena *arena = t->kernel->module->arena;
    uint32_t capacity = t->capacity ? 2 * t->capacity : 256;
    struct known *known = cuc__arena_resize(arena, t->known, capacity * sizeof(*known));

    t->known = known ? known : t->known;
    uint32_t *chain = known ? cuc__arena_resize(arena, t->chain, capacity * sizeof(*chain)) : NULL;
    if (!chain) {
        t->kernel->module->diagnostics->out_of_memory = true;
        return false;
    }
    t->chain = chain;
    t->capacity = capacity;
    memset(chain, 0, capacity * sizeof(*chain));
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t *latest = chain_of(t, known[i].hash);
        known[i].below = *latest;
        *latest = i + 1;
    }
    return true;
}

// Pops all but the first `count` ops.
static void forget(struct table *t, uint32_t count)
{
    while (t->count > count) {
        const struct known *last = &t->known[--t->count];
        *chain_of(t, last->hash) = last->below;
    }
}

static struct tile_op *like(const struct table *t, const struct tile_op *op, uint32_t hash)
{
    for (uint32_t at = t->capacity ? *chain_of(t, hash) : 0; at > t->first;
         at = t->known[at - 1].below)
        if (t->known[at - 1].hash == hash && tile_same_op(t->known[at - 1].op, op))
            return t->known[at - 1].op;
    return NULL;
}

static bool visit_block(struct table *t, struct tile_block *block);

static bool visit_op(struct table *t, struct tile_op *op)
{
    bool function = (op->kind == TILE_REDUCE || op->kind == TILE_SCAN) && op->block_count;
    uint32_t first = t->first;

    if (function) // a function does not see values outside it
        t->first = t->count;
    for (uint32_t i = 0; i < op->block_count; i++)
        if (!visit_block(t, op->block[i]))
            return false;
    t->first = first;
    if (!(tile_op_infos[op->kind].traits & TILE_PURE) || op->block_count)
        return true;
    if (tile_op_infos[op->kind].traits & TILE_COMMUTES && op->operand[0]->id > op->operand[1]->id) {
        struct tile_value *second = op->operand[0];
        tile_set_operand(op, 0, op->operand[1]);
        tile_set_operand(op, 1, second);
    }
    uint32_t hash = hash_op(op);
    struct tile_op *before = like(t, op, hash);
    if (before) {
        for (uint32_t i = 0; i < op->result_count; i++)
            tile_replace(op->result[i], before->result[i], NULL);
        tile_delete(op);
        t->changed = true;
        return true;
    }
    if (t->count == t->capacity && !grow(t))
        return false;
    uint32_t *latest = chain_of(t, hash);
    t->known[t->count++] = (struct known){ op, hash, *latest };
    *latest = t->count;
    return true;
}

// Returns false if out of memory.
static bool visit_block(struct table *t, struct tile_block *block)
{
    uint32_t before = t->count;
    bool going = true;

    for (struct tile_op *op = block->first, *next; op && going; op = next) {
        next = op->next;
        going = visit_op(t, op);
    }
    forget(t, before); // ops of this block are not visible outside it
    return going;
}

bool tile_cse(struct tile_kernel *kernel)
{
    struct cuc__arena *arena = kernel->module->arena;
    struct table t = { .kernel = kernel };

    (void)visit_block(&t, &kernel->body);
    cuc__arena_resize(arena, t.known, 0);
    cuc__arena_resize(arena, t.chain, 0);
    if (t.changed)
        tile_renumber(kernel);
    return t.changed;
}
