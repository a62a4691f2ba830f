// Writes a kernel's header as bytes. See signature.h.
#include "signature_bytes.h"

#include "base/bytes.h"
#include "tile/ir/array.h"
#include "tile/ir/diagnostic.h"

#include <string.h>

static const struct tile_value *tensor_behind(const struct tile_value *value)
{
    while (value->op && value->op->kind == TILE_SLICE)
        value = value->op->operand[0];
    return value;
}

static void note_write(struct tile_op *op, void *data)
{
    uint64_t *written = data;
    bool writes = tile_op_infos[op->kind].traits & TILE_WRITES && op->operand_count &&
                  op->operand[0]->type.tensor;
    uint32_t index = writes ? tensor_behind(op->operand[0])->index : 64;

    if (index < 64) // kernels with more parameters are rejected
        *written |= UINT64_C(1) << index;
}

uint64_t tile_written_parameters(const struct tile_kernel *kernel)
{
    uint64_t written = 0;

    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, note_write, &written);
    return written;
}

// Writing

struct writer {
    struct tile_module *module;
    unsigned char *at;
    uint32_t length, capacity;
    bool failed;
};

static void put_byte(struct writer *w, uint64_t byte)
{
    if (w->length == TILE_SIGNATURE_MAX_BYTES ||
        !TILE_RESERVE(w->module, w->at, w->capacity, w->length + 1, 256))
        w->failed = true;
    else
        w->at[w->length++] = (unsigned char)byte;
}

static void put_number(struct writer *w, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        put_byte(w, (number & 127) | 128);
    put_byte(w, number);
}

// Writes the sign into the lowest bit, so that small negative numbers have short encodings.
static void put_signed(struct writer *w, int64_t number)
{
    put_number(w, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

static void put_text(struct writer *w, const char *text)
{
    size_t bytes = strlen(text);

    put_number(w, bytes);
    for (size_t i = 0; i < bytes; i++)
        put_byte(w, (unsigned char)text[i]);
}

static void put_expression(struct writer *w, const struct tile_host_expression *x, uint32_t depth)
{
    uint32_t number = 1;

    if (depth == MOST_NESTING) {
        w->failed = true;
        return;
    }
    put_byte(w, x->kind);
    if (x->kind == TILE_HOST_OP) {
        while (number < HOST_OPS && host_ops[number].kind != x->op)
            number++;
        if (number == HOST_OPS) {
            w->failed = true;
            return;
        }
        put_byte(w, number);
        for (uint32_t i = 0; i < host_ops[number].operands; i++)
            put_expression(w, x->operand[i], depth + 1);
        return;
    }
    put_number(w, x->index);
    put_number(w, x->axis);
    put_signed(w, x->value);
}

static void put_parameter(struct writer *w, const struct tile_parameter *p, bool written)
{
    const struct tile_type *type = &p->value->type;

    put_text(w, p->name);
    put_number(w, (uint64_t)type->dtype);
    put_number(w, type->tensor ? 1u + type->rank : 0);
    put_byte(w, written);
    if (type->tensor)
        put_byte(w, (uint32_t)__builtin_ctz(tile_vector_bytes(p)));
    for (uint32_t i = 0; type->tensor && i < type->rank; i++) {
        const struct tile_extent *extent = &p->extent[i];
        put_byte(w, extent->kind);
        if (extent->kind == TILE_EXTENT_NAMED)
            put_number(w, extent->dimension);
        else if (extent->kind == TILE_EXTENT_STATIC)
            put_signed(w, extent->value);
        else
            put_expression(w, extent->check, 0);
    }
}

static void put_kernel(struct writer *w, const struct tile_kernel *k, uint64_t written,
                       const struct tile_entry *entry, uint32_t entries)
{
    put_text(w, k->name);
    put_number(w, k->parameter_count);
    for (uint32_t i = 0; i < k->parameter_count; i++)
        put_parameter(w, &k->parameter[i], written >> i & 1);
    put_number(w, k->dimension_count);
    for (uint32_t i = 0; i < k->dimension_count; i++) {
        put_text(w, k->dimension[i].name);
        put_number(w, k->dimension[i].parameter);
        put_number(w, k->dimension[i].axis);
    }
    put_number(w, k->fact_count);
    for (uint32_t i = 0; i < k->fact_count; i++) {
        put_text(w, k->fact[i].text);
        put_expression(w, k->fact[i].holds, 0);
    }
    put_number(w, k->grid_rank);
    for (uint32_t i = 0; i < k->grid_rank; i++)
        put_expression(w, k->grid[i], 0);
    put_number(w, entries);
    for (uint32_t i = 0; i < entries; i++) {
        put_byte(w, entry[i].variant);
        put_text(w, entry[i].name);
        put_number(w, entry[i].warps);
        put_number(w, entry[i].static_shared);
        put_number(w, entry[i].dynamic_shared);
        put_byte(w, (uint64_t)entry[i].persistent | (uint64_t)k->waits_for_grids << 1 |
                        (uint64_t)entry[i].even << 2 | (uint64_t)entry[i].flexible << 3 |
                        (uint64_t)!entry[i].narrow << 4);
        put_byte(w, entry[i].cluster ? entry[i].cluster : 1);
        put_byte(w, entry[i].split ? entry[i].split : 1);
        put_number(w, entry[i].raster);
        put_number(w, entry[i].aligned);
        put_number(w, entry[i].realigned);
        put_number(w, entry[i].map_count);
        for (uint32_t n = 0; n < entry[i].map_count; n++) {
            const struct tile_tensor_map *map = &entry[i].map[n];
            put_number(w, map->parameter);
            put_byte(w, map->swizzle);
            put_byte(w, (uint64_t)map->rounds | (uint64_t)map->ends << 1 |
                            (uint64_t)map->optional << 2);
            for (uint32_t axis = 0; axis < TILE_MAP_RANK; axis++)
                put_number(w, map->box[axis]);
            for (uint32_t axis = 0; axis < TILE_MAP_RANK; axis++)
                put_number(w, map->step[axis]);
        }
    }
}

bool tile_signature_put(struct tile_text *out, const struct tile_kernel *kernel, uint64_t written,
                        const struct tile_entry *entry, uint32_t entries)
{
    struct tile_module *module = kernel->module;
    struct writer w = { .module = module };

    for (uint32_t i = 0; i < HEAD_BYTES; i++)
        put_byte(&w, i < HEAD_VERSION ? (unsigned char)SIGNATURE_MAGIC[i] : 0);
    put_kernel(&w, kernel, written, entry, entries);
    if (w.failed) {
        if (!module->diagnostics->out_of_memory)
            tile_error(module, TILE_T701, kernel->where,
                       "kernel: its grid and facts are nested deeper than %d, or more than %d KiB",
                       MOST_NESTING, TILE_SIGNATURE_MAX_BYTES / 1024);
        return false;
    }
    cuc__write_le(w.at, HEAD_VERSION, 4, TILE_SIGNATURE_VERSION);
    cuc__write_le(w.at, HEAD_LENGTH, 4, w.length);
    cuc__write_le(w.at, HEAD_CHECKSUM, 4, checksum(w.at + HEAD_BYTES, w.length - HEAD_BYTES));
    tile_put(out, ".visible .global .align 8 .b8 " TILE_SIGNATURE_PREFIX "%s[%u] = {", kernel->name,
             w.length);
    for (size_t i = 0; i < w.length; i++) {
        tile_put_string(out, !i ? "" : i % 24 ? "," : ",\n\t");
        tile_put_number(out, w.at[i]);
    }
    tile_put_string(out, "};\n");
    return !module->diagnostics->out_of_memory;
}
