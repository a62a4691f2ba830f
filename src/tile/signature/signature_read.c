// Reads a kernel's header from untrusted bytes: checks everything before use, and no count exceeds
// the number of remaining bytes. See signature.h.
#include "signature_bytes.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "tile/ir/diagnostic.h"

#include <stdio.h>
#include <string.h>

struct reader {
    struct tile_module *module;
    const unsigned char *at, *end;
    const char *why; // the first problem
};

static uint64_t refuse(struct reader *r, const char *why)
{
    if (!r->why)
        r->why = why;
    r->at = r->end;
    return 0;
}

static uint32_t read_byte(struct reader *r)
{
    return r->at < r->end ? *r->at++ : (uint32_t)refuse(r, "it ends too early");
}

static uint64_t read_number(struct reader *r)
{
    uint64_t number = 0;

    for (uint32_t shift = 0; shift < 64; shift += 7) {
        uint32_t byte = read_byte(r);
        if (shift == 63 && byte > 1)
            break;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return number;
    }
    return refuse(r, "a number in it has more than 64 bits");
}

static uint32_t read_below(struct reader *r, uint64_t limit, const char *why)
{
    uint64_t number = read_number(r);

    return (uint32_t)(number < limit ? number : refuse(r, why));
}

// Reads the number of items that follow. Each item takes at least one byte.
static uint32_t read_count(struct reader *r, uint64_t most)
{
    uint64_t number = read_number(r), left = (uint64_t)(r->end - r->at);

    if (number > most || number > left)
        number = refuse(r, "a count in it is too large");
    return (uint32_t)number;
}

static int64_t read_signed(struct reader *r)
{
    uint64_t number = read_number(r);

    return (int64_t)(number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
}

static const char *read_text(struct reader *r)
{
    uint32_t bytes = read_count(r, UINT32_MAX - 1);
    const char *text = cuc__arena_copy(r->module->arena, r->at, bytes);

    r->at += bytes;
    if (!text)
        r->module->diagnostics->out_of_memory = true;
    else if (strlen(text) != bytes)
        refuse(r, "a name in it has a zero byte");
    return text ? text : "";
}

static void *take(struct reader *r, uint32_t count, size_t bytes)
{
    void *taken = tile_take(r->module, count * bytes);

    if (!taken)
        r->at = r->end;
    return taken;
}

static const struct tile_host_expression *read_expression(struct reader *r, uint32_t depth)
{
    static const struct tile_host_expression zero = { .kind = TILE_HOST_CONSTANT };
    struct tile_host_expression *x = take(r, 1, sizeof(*x));

    if (!x || depth == MOST_NESTING) {
        refuse(r, "an expression in it is nested too deep");
        return &zero;
    }
    x->kind = (enum tile_host_kind)read_byte(r);
    if (x->kind >= TILE_HOST_KINDS) {
        refuse(r, "an expression in it is of a kind that is not known");
        return &zero;
    }
    if (x->kind != TILE_HOST_OP) {
        x->index = read_below(r, TILE_MAX_DIMENSIONS, "an index in it is out of range");
        x->axis = read_below(r, TILE_MAX_RANK, "an axis in it is out of range");
        x->value = read_signed(r);
        return x;
    }
    uint32_t number = read_byte(r);
    if (!number || number >= HOST_OPS) {
        refuse(r, "an expression in it is of an op that is not known");
        return &zero;
    }
    x->op = host_ops[number].kind;
    for (uint32_t i = 0; i < host_ops[number].operands; i++)
        x->operand[i] = read_expression(r, depth + 1);
    return x;
}

static void read_extent(struct reader *r, struct tile_extent *extent)
{
    uint32_t kind = read_byte(r);

    if (kind == TILE_EXTENT_NAMED) {
        extent->kind = TILE_EXTENT_NAMED;
        extent->dimension = read_below(r, TILE_MAX_DIMENSIONS, "a dimension is out of range");
    } else if (kind == TILE_EXTENT_STATIC) {
        extent->kind = TILE_EXTENT_STATIC;
        extent->value = read_signed(r);
    } else if (kind == TILE_EXTENT_CHECKED) {
        extent->kind = TILE_EXTENT_CHECKED;
        extent->check = read_expression(r, 0);
    } else {
        refuse(r, "an extent in it is of a kind that is not known");
    }
}

static void read_parameter(struct reader *r, struct tile_signature *s, uint32_t i)
{
    struct tile_parameter *p = &s->kernel->parameter[i];

    p->name = read_text(r);
    cuc_dtype dtype = (cuc_dtype)read_below(r, CUC_E5M2 + 1, "a dtype is not known");
    uint32_t axes = read_below(r, TILE_MAX_RANK + 2, "a tensor has too many axes");
    s->written |= (uint64_t)(read_byte(r) & 1) << i;
    if (axes)
        p->vector_bytes = UINT32_C(1)
                          << read_below(r, (uint32_t)__builtin_ctz(TILE_VECTOR_BYTES) + 1,
                                        "a vector is too wide");
    struct tile_type type = axes ? tile_tensor(dtype, axes - 1) : tile_scalar(dtype);
    p->value = tile_value_create(s->kernel, &type);
    if (!dtype)
        refuse(r, "a dtype is not known");
    if (!p->value) {
        r->at = r->end;
        return;
    }
    p->value->index = i;
    for (uint32_t axis = 0; axes && axis < axes - 1; axis++)
        read_extent(r, &p->extent[axis]);
}

static void read_map(struct reader *r, const struct tile_kernel *k, struct tile_tensor_map *map)
{
    map->parameter = read_below(r, k->parameter_count, "a map is of no parameter");
    map->swizzle = read_byte(r);
    uint32_t flags = read_byte(r);
    map->rounds = flags & 1;
    map->ends = flags >> 1 & 1;
    map->optional = flags >> 2 & 1;
    for (uint32_t i = 0; i < TILE_MAP_RANK; i++)
        map->box[i] = read_below(r, 257, "a map's box is too large");
    for (uint32_t i = 0; i < TILE_MAP_RANK; i++)
        map->step[i] = (uint8_t)read_below(r, 9, "a map's step is too large");
    if (r->why)
        return;
    const struct tile_type *type = &k->parameter[map->parameter].value->type;
    if (!type->tensor || !type->rank || type->rank > TILE_MAP_RANK || map->swizzle > 3 ||
        (map->ends && type->rank != 2))
        refuse(r, "a map is of something that can have none");
}

static void read_entry(struct reader *r, struct tile_kernel *k, struct tile_entry *entry)
{
    entry->variant = (enum tile_variant)read_below(r, TILE_VARIANTS, "a variant is not known");
    entry->name = read_text(r);
    entry->warps = read_below(r, 33, "an entry has more than 32 warps");
    entry->static_shared = read_below(r, UINT32_MAX, "a size is too large");
    entry->dynamic_shared = read_below(r, INT32_MAX, "a size is too large");
    uint32_t flags = read_byte(r);
    entry->persistent = flags & 1;
    k->waits_for_grids |= flags >> 1 & 1;
    entry->even = flags >> 2 & 1;
    entry->flexible = flags >> 3 & 1;
    entry->narrow = !(flags >> 4 & 1) && entry->variant != TILE_INDEX_64 &&
                    !tile_has_roles(entry->variant);
    entry->cluster = read_byte(r);
    entry->split = read_byte(r);
    entry->raster = read_below(r, 1 << 16, "a raster is too large");
    entry->aligned = read_number(r);
    bool portable = entry->persistent || entry->flexible;
    if (!entry->cluster || entry->cluster > TILE_PORTABLE_PARTS || !entry->split ||
        entry->split > (portable ? TILE_PORTABLE_PARTS : TILE_MOST_PARTS))
        refuse(r, "a cluster has 1 to 8 blocks, or up to 16 that share loops");
    entry->realigned = read_number(r);
    for (uint32_t i = 0; i < 64 && !r->why && entry->realigned >> i; i++)
        if (entry->realigned >> i & 1 &&
            (i >= k->parameter_count || !k->parameter[i].value->type.tensor))
            refuse(r, "an entry realigns something that is no tensor");
    entry->map_count = read_below(r, TILE_MAX_MAPS + 1, "an entry has too many maps");
    for (uint32_t i = 0; i < entry->map_count; i++)
        read_map(r, k, &entry->map[i]);
    if (entry->map_count && !entry->persistent)
        refuse(r, "an entry has maps and no place for them");
    if (!entry->warps)
        refuse(r, "an entry has no warps");
}

static void read_kernel(struct reader *r, struct tile_signature *s)
{
    struct tile_kernel *k = s->kernel;

    k->name = read_text(r);
    k->parameter_count = read_count(r, TILE_MAX_PARAMETERS);
    k->parameter = take(r, k->parameter_count, sizeof(*k->parameter));
    for (uint32_t i = 0; k->parameter && i < k->parameter_count; i++)
        read_parameter(r, s, i);
    k->dimension_count = read_count(r, TILE_MAX_DIMENSIONS);
    k->dimension = take(r, k->dimension_count, sizeof(*k->dimension));
    for (uint32_t i = 0; k->dimension && i < k->dimension_count; i++) {
        k->dimension[i].name = read_text(r);
        k->dimension[i].parameter = read_below(r, TILE_MAX_PARAMETERS, "a dimension is of no one");
        k->dimension[i].axis = read_below(r, TILE_MAX_RANK, "a dimension is of no axis");
    }
    k->fact_count = read_count(r, UINT32_MAX - 1);
    k->fact = take(r, k->fact_count, sizeof(*k->fact));
    for (uint32_t i = 0; k->fact && i < k->fact_count; i++) {
        k->fact[i].text = read_text(r);
        k->fact[i].holds = read_expression(r, 0);
    }
    k->grid_rank = read_count(r, 3);
    for (uint32_t i = 0; i < k->grid_rank; i++)
        k->grid[i] = read_expression(r, 0);
    s->entries = read_count(r, TILE_VARIANTS);
    for (uint32_t i = 0; i < s->entries; i++)
        read_entry(r, k, &s->entry[i]);
    if (r->at != r->end)
        refuse(r, "it has bytes after its end");
}

// These functions check that everything to which an expression refers exists.

static const struct tile_type *parameter_type(const struct tile_kernel *k, uint32_t index)
{
    return index < k->parameter_count ? &k->parameter[index].value->type : NULL;
}

static bool is_axis(const struct tile_kernel *k, uint32_t index, uint32_t axis)
{
    const struct tile_type *type = parameter_type(k, index);

    return type && type->tensor && axis < type->rank;
}

static const struct tile_type *tensor_type(const struct tile_kernel *k, uint32_t index)
{
    const struct tile_type *type = parameter_type(k, index);

    return type && type->tensor ? type : NULL;
}

static bool expression_is_valid(const struct tile_kernel *k, const struct tile_host_expression *x);

// Functions for the column `check` of host.def.

typedef bool check(const struct tile_kernel *k, const struct tile_host_expression *x);

static bool check_nothing(const struct tile_kernel *k, const struct tile_host_expression *x)
{
    (void)k;
    (void)x;
    return true;
}

static bool check_dimension(const struct tile_kernel *k, const struct tile_host_expression *x)
{
    return x->index < k->dimension_count;
}

static bool check_scalar(const struct tile_kernel *k, const struct tile_host_expression *x)
{
    const struct tile_type *type = parameter_type(k, x->index);

    return type && !type->tensor && type->dtype >= CUC_BOOL && type->dtype <= CUC_U64;
}

static bool check_axis(const struct tile_kernel *k, const struct tile_host_expression *x)
{
    return is_axis(k, x->index, x->axis);
}

static bool check_operands(const struct tile_kernel *k, const struct tile_host_expression *x)
{
    for (uint32_t i = 0; i < 3 && x->operand[i]; i++)
        if (!expression_is_valid(k, x->operand[i]))
            return false;
    return true;
}

static bool check_pair(const struct tile_kernel *k, const struct tile_host_expression *x)
{
    return tensor_type(k, x->index) && x->value >= 0 && x->value < k->parameter_count &&
           tensor_type(k, (uint32_t)x->value);
}

static bool check_multiple(const struct tile_kernel *k, const struct tile_host_expression *x)
{
    return tensor_type(k, x->index) && x->value > 0;
}

static bool expression_is_valid(const struct tile_kernel *k, const struct tile_host_expression *x)
{
    static check *const kinds[] = {
#define TILE_HOST(id, word, evaluate, describe, print, check) check_##check,
#include "tile/ir/host.def"
    };

    return kinds[x->kind](k, x);
}

static bool header_is_valid(const struct tile_kernel *k)
{
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct tile_parameter *p = &k->parameter[i];
        for (uint32_t axis = 0; p->value->type.tensor && axis < p->value->type.rank; axis++) {
            const struct tile_extent *extent = &p->extent[axis];
            if (extent->kind == TILE_EXTENT_NAMED && extent->dimension >= k->dimension_count)
                return false;
            if (extent->kind == TILE_EXTENT_CHECKED && !expression_is_valid(k, extent->check))
                return false;
        }
    }
    for (uint32_t i = 0; i < k->dimension_count; i++) {
        const struct tile_dimension *d = &k->dimension[i];
        if (!is_axis(k, d->parameter, d->axis) ||
            k->parameter[d->parameter].extent[d->axis].kind != TILE_EXTENT_NAMED ||
            k->parameter[d->parameter].extent[d->axis].dimension != i)
            return false;
    }
    for (uint32_t i = 0; i < k->fact_count; i++)
        if (!expression_is_valid(k, k->fact[i].holds))
            return false;
    for (uint32_t i = 0; i < k->grid_rank; i++)
        if (!expression_is_valid(k, k->grid[i]))
            return false;
    return true;
}

// Returns the length given in the head; 0 with a reason if the head is invalid.
static uint32_t check_head(const unsigned char *at, size_t count, char *why, size_t capacity)
{
    if (count < HEAD_BYTES || memcmp(at, SIGNATURE_MAGIC, HEAD_VERSION) != 0) {
        snprintf(why, capacity, "it does not begin as one");
        return 0;
    }
    uint32_t version = (uint32_t)cuc__read_le(at, HEAD_VERSION, 4);
    uint32_t length = (uint32_t)cuc__read_le(at, HEAD_LENGTH, 4);
    if (version != TILE_SIGNATURE_VERSION) {
        snprintf(why, capacity, "it is of version %u, this library knows %d: %s", version,
                 TILE_SIGNATURE_VERSION,
                 version < TILE_SIGNATURE_VERSION ? "compile the program again" : "update cucore");
    } else if (length < HEAD_BYTES || length > count) {
        snprintf(why, capacity, "it has %zu bytes, and says that it has %u", count, length);
    } else if (checksum(at + HEAD_BYTES, length - HEAD_BYTES) !=
               cuc__read_le(at, HEAD_CHECKSUM, 4)) {
        snprintf(why, capacity, "its checksum is another");
    } else {
        return length;
    }
    return 0;
}

struct tile_signature *tile_signature_read(const void *bytes, size_t count, char *why,
                                           size_t capacity)
{
    const unsigned char *at = bytes;
    uint32_t offset[TILE_MAX_PARAMETERS];

    uint32_t length = check_head(at, count, why, capacity);

    if (!length)
        return NULL;
    *why = '\0';
    struct tile_module *module = tile_module_create(NULL, NULL, 0);
    struct tile_signature *s = module ? tile_take(module, sizeof(*s)) : NULL;
    struct tile_kernel *k = s ? tile_kernel_create(module, "") : NULL;
    if (!k) {
        tile_module_free(module);
        return NULL;
    }
    struct reader r = { module, at + HEAD_BYTES, at + length, NULL };
    s->module = module;
    s->kernel = k;
    read_kernel(&r, s);
    bool memory = !module->diagnostics->out_of_memory;
    if (memory && !r.why && !header_is_valid(k))
        r.why = "it refers to a parameter or dimension that it lacks";
    if (memory && !r.why && (!s->entries || s->entry[s->entries - 1].variant != TILE_INDEX_64))
        r.why = "it has no entry for all arguments";
    if (!memory || r.why) {
        snprintf(why, capacity, "%s", memory ? r.why : "");
        tile_module_free(module);
        return NULL;
    }
    s->parameter_bytes = tile_parameter_layout(k, offset);
    return s;
}

void tile_signature_free(struct tile_signature *signature)
{
    if (signature)
        tile_module_free(signature->module);
}
