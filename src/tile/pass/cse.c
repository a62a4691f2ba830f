// Common subexpressions: a pure op whose like stands before it, in the same block or one around it,
// gives way to that.
#include "../compile.h"

#include <string.h>

enum { BUCKETS = 256 };

// What is known in a block; the blocks around it are known too.
struct known {
    struct known *next;
    struct tile_op *op;
};

struct table {
    struct tile_kernel *kernel;
    struct known *bucket[BUCKETS];
    bool changed;
};

static struct tile_value *now(struct tile_value *value)
{
    while (value->forward)
        value = value->forward;
    return value;
}

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
    return hash ^ hash >> 15;
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
    case TILE_FLOAT: // by bits: -0 is not 0, and a NaN is itself
        return memcmp(&a->f, &b->f, sizeof(a->f)) == 0;
    default:
        return a->i == b->i;
    }
}

static bool same_op(const struct tile_op *a, const struct tile_op *b)
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

static void visit_block(struct table *t, struct tile_block *block)
{
    struct known *before[BUCKETS];

    memcpy(before, t->bucket, sizeof(before));
    for (struct tile_op *op = block->first, *next; op; op = next) {
        next = op->next;
        for (uint32_t i = 0; i < op->operand_count; i++)
            op->operand[i] = now(op->operand[i]);
        bool function = op->kind == TILE_REDUCE || op->kind == TILE_SCAN;
        struct known *outside[BUCKETS];
        if (function && op->block_count) { // a function sees nothing of outside
            memcpy(outside, t->bucket, sizeof(outside));
            memset(t->bucket, 0, sizeof(t->bucket));
        }
        for (uint32_t i = 0; i < op->block_count; i++)
            visit_block(t, op->block[i]);
        if (function && op->block_count)
            memcpy(t->bucket, outside, sizeof(outside));
        if (!(tile_op_infos[op->kind].traits & TILE_PURE) || op->block_count)
            continue;
        if (tile_op_infos[op->kind].traits & TILE_COMMUTES &&
            op->operand[0]->id > op->operand[1]->id) {
            struct tile_value *first = op->operand[0];
            op->operand[0] = op->operand[1];
            op->operand[1] = first;
        }
        struct known **bucket = &t->bucket[hash_op(op) % BUCKETS];
        struct known *k = *bucket;
        while (k && !same_op(k->op, op))
            k = k->next;
        if (k) {
            for (uint32_t i = 0; i < op->result_count; i++)
                op->result[i]->forward = k->op->result[i];
            tile_remove(op);
            t->changed = true;
            continue;
        }
        k = tile_take(t->kernel->module, sizeof(*k));
        if (!k)
            break;
        *k = (struct known){ *bucket, op };
        *bucket = k;
    }
    memcpy(t->bucket, before, sizeof(before)); // what stands in here is not seen outside
}

bool tile_cse(struct tile_kernel *kernel)
{
    struct table t = { .kernel = kernel };

    visit_block(&t, &kernel->body);
    if (t.changed)
        tile_settle(kernel);
    return t.changed;
}
