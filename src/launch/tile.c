// Launches tile kernels: checks arguments by name, computes the grid, and chooses the entry.
// Compiles and allocates nothing.
#include <cucore/tile.h>

#include "code/kernel_tile.h"
#include "launch.h"
#include "code/object.h"
#include "device/stream.h"
#include "tensor/tensor.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 512 };

_Static_assert((int)TILE_MAX_RANK == (int)CUC_TENSOR_MAX_RANK, "tensors have as many axes");

static const char *const kinds[] = {
    [CUC_ARG_POINTER - CUC_ARG_POINTER] = "a device address",
    [CUC_ARG_BUFFER - CUC_ARG_POINTER] = "a buffer (cuc_tensor_from_buffer() gives it a shape)",
    [CUC_ARG_TENSOR - CUC_ARG_POINTER] = "a tensor",
    [CUC_ARG_BYTES - CUC_ARG_POINTER] = "bytes",
    [CUC_ARG_NONE - CUC_ARG_POINTER] = "a handle that kernels cannot take",
};

static const char *kind_of(const cuc_arg *a)
{
    if (a->type == CUC_ARG_BYTES && a->bytes == sizeof(cuc_tensor))
        return "bytes (of a cuc_tensor? pass its address)";
    return a->type >= CUC_ARG_POINTER && a->type <= CUC_ARG_NONE ? kinds[a->type - CUC_ARG_POINTER]
                                                                 : cuc_dtype_name(a->type);
}

__attribute__((format(printf, 3, 4), cold)) static bool refuse(char *text, size_t capacity,
                                                               const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(text, capacity, format, args);
    va_end(args);
    return false;
}

// Returns true if the last element of an axis is more than 2^57 elements away, which is farther
// than any memory address. The limit keeps the sum of these distances over all axes within 64 bits.
static bool reaches_beyond(int64_t extent, int64_t stride)
{
    const int64_t most = INT64_C(1) << 57; // in elements, along an axis
    int64_t far;

    return __builtin_mul_overflow(extent - 1, stride, &far) || far > most || far < -most;
}

__attribute__((cold)) static bool refuse_stride(const struct tile_parameter *p, const cuc_tensor *t,
                                                char *text, size_t capacity)
{
    int32_t axis = 0;

    while (!reaches_beyond(t->shape[axis], t->strides[axis]))
        axis++;
    return refuse(text, capacity,
                  "argument %s: axis %d: expected elements within memory, got %" PRId64
                  " that lie %" PRId64 " apart",
                  p->name, axis, t->shape[axis], t->strides[axis]);
}

static bool read_tensor(struct tile_argument *out, const struct tile_parameter *p, const cuc_arg *a,
                        char *text, size_t capacity)
{
    const cuc_tensor *t = a->value.pointer;
    bool beyond = false, empty = false;

    if (a->type != CUC_ARG_TENSOR || !t)
        return refuse(text, capacity, "argument %s: expected a tensor of %s, got %s%s", p->name,
                      cuc_dtype_name(p->value->type.dtype), kind_of(a),
                      a->type == CUC_ARG_TENSOR ? " at NULL" : "");
    for (int32_t axis = 0; axis < t->rank && axis < CUC_TENSOR_MAX_RANK; axis++) {
        if (t->shape[axis] < 0)
            return refuse(text, capacity, "argument %s: axis %d: expected an extent, got %" PRId64,
                          p->name, axis, t->shape[axis]);
        empty |= !t->shape[axis];
        beyond |= reaches_beyond(t->shape[axis], t->strides[axis]);
    }
    if (beyond && !empty)
        return refuse_stride(p, t, text, capacity);
    if (t->flags & ~(uint32_t)CUC__TENSOR_FLAGS)
        return refuse(text, capacity,
                      "argument %s: expected CUC_TENSOR_ bits (0x%x) as flags, got 0x%x", p->name,
                      CUC__TENSOR_FLAGS, t->flags);
    *out = (struct tile_argument){ .tensor = t };
    return true;
}

static bool read_scalar(struct tile_argument *out, const struct tile_parameter *p, const cuc_arg *a,
                        char *text, size_t capacity)
{
    cuc_dtype dtype = p->value->type.dtype;
    bool bytes = a->type == CUC_ARG_BYTES && a->value.pointer;

    if ((a->type != dtype && !bytes) || a->bytes != cuc_dtype_bits(dtype) / 8)
        return refuse(text, capacity, "argument %s: expected %s of %u bytes, got %s of %u", p->name,
                      cuc_dtype_name(dtype), cuc_dtype_bits(dtype) / 8, kind_of(a), a->bytes);
    *out = (struct tile_argument){
        .dtype = dtype,
        .scalar = tile_scalar_of(dtype, bytes ? a->value.pointer : a->value.raw),
    };
    return true;
}

bool cuc__tile_read_arguments(struct tile_argument *out, const struct tile_kernel *k,
                              const cuc_arg *args, size_t count, char *text, size_t capacity)
{
    if (count != k->parameter_count || (count && !args) || count > TILE_MAX_PARAMETERS)
        return refuse(text, capacity, "expected %u argument%s, got %s%zu", k->parameter_count,
                      k->parameter_count == 1 ? "" : "s", count && !args ? "NULL for " : "", count);
    for (size_t i = 0; i < count; i++) {
        const struct tile_parameter *p = &k->parameter[i];
        if (!(p->value->type.tensor ? read_tensor : read_scalar)(&out[i], p, &args[i], text,
                                                                 capacity))
            return false;
    }
    return true;
}

// Checks the properties of a tensor's memory that are not in the signature.
static cuc_status check_memory(const struct tile_parameter *p, const cuc_tensor *t, bool written,
                               const cuc_stream *stream, const cuc_kernel *k)
{
    uint32_t bytes = cuc_dtype_bits(t->dtype) / 8;
    bool empty = false;
    char argument[TEXT_BYTES];

    for (int32_t axis = 0; axis < t->rank; axis++)
        empty |= !t->shape[axis];
    if (t->data % bytes || (!t->data && !empty))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                         "%s: argument %s: expected an address that is a multiple of %u%s, got "
                         "0x%" PRIx64,
                         k->name, p->name, bytes, t->data ? "" : " and not 0", t->data);
    if (written && t->flags & CUC_TENSOR_READ_ONLY)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                         "%s: argument %s: the kernel writes it, but the tensor is read-only",
                         k->name, p->name);
    if (__builtin_expect(t->device == stream->ordinal || empty, 1))
        return CUC_OK;
    snprintf(argument, sizeof(argument), "%s: argument %s", k->name, p->name);
    return cuc__launch_check_device(t, stream, argument);
}

static cuc_status check_config(const cuc_launch_config *c, const cuc_kernel *k,
                               const struct tile_kernel *header)
{
    bool declared = header->grid_rank > 0;
    const char *what = NULL;

    if (!declared && (!c || !c->grid[0]))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                         "%s declares no grid: give config.grid", k->name);
    if (!c)
        return CUC_OK;
    if (declared && (c->grid[0] | c->grid[1] | c->grid[2]))
        what = "grid";
    else if (c->block[0] | c->block[1] | c->block[2])
        what = "block";
    else if (c->cluster[0] | c->cluster[1] | c->cluster[2])
        what = "cluster";
    else if (c->shared_bytes)
        what = "shared_bytes";
    if (what)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                         "config.%s is given, but the tile kernel %s has its own: leave it 0", what,
                         k->name);
    for (uint32_t i = 0; i < c->attribute_count && c->attributes; i++)
        if (c->attributes[i].id == CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION ||
            c->attributes[i].id == CUC_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                             "attributes[%u] is a cluster, but the tile kernel %s has its own: "
                             "leave it",
                             i, k->name);
        else if (c->attributes[i].id == CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            what = "its attribute";
    if ((c->flags & CUC_LAUNCH_PROGRAMMATIC || what) && !header->waits_for_grids)
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
            "a programmatic dependent launch is requested, but the code of the tile kernel %s does "
            "not wait for the kernel before it: remove the request, or compile for sm_90 or later",
            k->name);
    return CUC_OK;
}

// Returns the number of blocks of a cluster that share the loops of one block of the declared grid.
// This is entry->split or, for a flexible entry, the smallest power of two that gives every
// multiprocessor a block, but at most entry->split. With `alone`, a flexible entry gets 1, because
// all blocks must be resident at once, or because the stream has only some of the multiprocessors.
static uint32_t loop_split_for(const struct tile_entry *entry, const int64_t grid[3],
                               const cuc_device *device, bool alone)
{
    uint32_t split = entry->flexible ? 1 : entry->split;
    int64_t blocks = INT32_MAX;

    if (entry->flexible && alone)
        return 1;
    if (entry->persistent || entry->split <= 1 || !device->limits.cluster_launch)
        return 1;
    if (grid[1] * grid[2] <= INT32_MAX / grid[0])
        blocks = grid[0] * grid[1] * grid[2];
    while (entry->flexible && split * 2 <= entry->split &&
           blocks * split < (int64_t)device->limits.multiprocessors)
        split *= 2;
    return grid[0] <= INT32_MAX / (int64_t)split ? split : 1;
}

cuc_status cuc__launch_tile(cuc_stream *stream, const cuc_launch_config *config, cuc_kernel *kernel,
                            const cuc_arg *args, size_t count)
{
    struct cuc__tile_code *code = cuc__tile_code_on(kernel->tile, stream->device);
    const struct tile_signature *s = code->signature;
    struct tile_argument argument[TILE_MAX_PARAMETERS];
    int64_t dimension[TILE_MAX_DIMENSIONS], grid[3];
    struct tile_binding_set set = { s->kernel, argument, dimension };
    uint64_t block[CUC__TILE_BLOCK_BYTES / 8];
    uint32_t all = stream->device->limits.multiprocessors, some = kernel->tile->multiprocessors;
    char text[TEXT_BYTES];
    cuc_status st;

    if ((st = check_config(config, kernel, s->kernel)) < 0)
        return st;
    if (!cuc__tile_read_arguments(argument, s->kernel, args, count, text, sizeof(text)) ||
        !tile_bind_arguments(&set, (uint32_t)count, text, sizeof(text)) ||
        !tile_host_grid(&set, grid, text, sizeof(text)))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch", "%s: %s", kernel->name, text);
    for (size_t i = 0; i < count; i++)
        if (argument[i].tensor && (st = check_memory(&s->kernel->parameter[i], argument[i].tensor,
                                                     s->written >> i & 1, stream, kernel)) < 0)
            return st;
    if (!s->kernel->grid_rank)
        for (int i = 0; i < 3; i++)
            grid[i] = config->grid[i] + !config->grid[i];
    if (!grid[0] || !grid[1] || !grid[2])
        return CUC_OK; // an empty grid

    const struct tile_entry *entry = tile_select_entry(s, argument);
    if (!cuc__tile_fill_block(s, entry, argument, grid, some && some < all ? some : all,
                              stream->context, block)) {
        entry = &s->entry[s->entries - 1]; // accepts every argument and needs no maps
        tile_pack_arguments(s->kernel, entry->variant, argument, block);
    }
    uint32_t number = (uint32_t)(entry - s->entry);
    cuc_kernel *chosen = atomic_load_explicit(&code->entry[number], memory_order_acquire);
    if (!chosen && (st = cuc__tile_kernel_open(&chosen, code, number, kernel)) < 0)
        return st;
    struct cuc__kernel_limits *limits = &chosen->limits[stream->ordinal];
    if (!atomic_load_explicit(&limits->known, memory_order_acquire)) {
        (void)cuc_launch_is_blocking(); // reads CUCORE_LAUNCH_BLOCKING once
        if ((st = cuc__kernel_prepare(chosen, stream->device, "cuc_launch")) < 0)
            return st;
    }
    if (entry->dynamic_shared > atomic_load_explicit(&limits->shared_bytes, memory_order_relaxed) &&
        (st = cuc__kernel_allow_shared(chosen, stream->device, entry->dynamic_shared,
                                       "cuc_launch")) < 0)
        return st;
    void *parameters[] = { block };
    cuc_launch_config shape = config ? *config : (cuc_launch_config){ sizeof(shape), .flags = 0 };
    for (int i = 0; i < 3; i++)
        shape.grid[i] = (uint32_t)grid[i];
    shape.block[0] = 32 * entry->warps;
    shape.shared_bytes = entry->dynamic_shared;
    // A persistent entry has its cluster size in the code (.reqnctapercluster).
    if (!entry->persistent && entry->cluster > 1 && grid[0] % entry->cluster == 0 &&
        stream->device->major == 9) // clusters were measured on this generation
        shape.cluster[0] = entry->cluster;
    uint32_t split =
        loop_split_for(entry, grid, stream->device,
                       stream->green || (config && config->flags & CUC_LAUNCH_COOPERATIVE));
    if (split > TILE_PORTABLE_PARTS &&
        (st = cuc__kernel_allow_large_clusters(chosen, stream->device, "cuc_launch")) < 0)
        return st;
    if (split > 1) {
        shape.cluster[0] = split;
        shape.grid[0] *= split;
    }
    return cuc__launch_checked(stream, &shape, chosen, parameters);
}

cuc_status cuc_tile_select_entry(const char **variant, cuc_kernel *kernel, cuc_device *device,
                                 const cuc_arg *args, size_t count)
{
    struct tile_argument argument[TILE_MAX_PARAMETERS];
    int64_t dimension[TILE_MAX_DIMENSIONS];
    char text[TEXT_BYTES];

    CUC_CHECK_NOT_NULL(variant);
    CUC_CHECK(kernel, KERNEL);
    CUC_CHECK(device, DEVICE);
    if (!kernel->tile)
        return CUC_FAIL(CUC_ERROR_NOT_FOUND, "%s is not a kernel of a tile program", kernel->name);

    const struct tile_signature *s = cuc__tile_code_on(kernel->tile, device)->signature;
    struct tile_binding_set set = { s->kernel, argument, dimension };
    if (!cuc__tile_read_arguments(argument, s->kernel, args, count, text, sizeof(text)) ||
        !tile_bind_arguments(&set, (uint32_t)count, text, sizeof(text)))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "%s: %s", kernel->name, text);
    *variant = tile_variant_name(tile_select_entry(s, argument)->variant);
    return CUC_OK;
}

cuc_status cuc__launch_plan_kernel(cuc_stream *stream, cuc_kernel *kernel, const cuc_arg *args,
                                   size_t count, bool plain)
{
    cuc_launch_config config = CUC_LAUNCH_CONFIG_INIT;

    if (kernel->tile->code->signature->kernel->waits_for_grids && !plain)
        config.flags = CUC_LAUNCH_PROGRAMMATIC;
    return cuc_launch(stream, &config, kernel, args, count);
}
