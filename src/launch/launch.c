#include "launch.h"

#include "base/array.h"
#include "memory/buffer.h"
#include "graph/capture_registry.h"
#include "device/event.h"
#include "code/kernel_tile.h"
#include "base/options.h"
#include "device/stream.h"

#include <stdio.h>
#include <string.h>

void cuc_launch_config_init(cuc_launch_config *config, size_t caller_size)
{
    cuc__init_options(config, caller_size);
}

// The CUC__PARAMETER_ class of each argument type. An argument and a parameter must have equal
// classes unless one of them is ANY.
static const uint8_t argument_class[] = {
    [CUC_BOOL] = CUC__PARAMETER_INT,        [CUC_I8] = CUC__PARAMETER_INT,
    [CUC_I16] = CUC__PARAMETER_INT,         [CUC_I32] = CUC__PARAMETER_INT,
    [CUC_I64] = CUC__PARAMETER_INT,         [CUC_U8] = CUC__PARAMETER_INT,
    [CUC_U16] = CUC__PARAMETER_INT,         [CUC_U32] = CUC__PARAMETER_INT,
    [CUC_U64] = CUC__PARAMETER_INT,         [CUC_F32] = CUC__PARAMETER_FLOAT,
    [CUC_TF32] = CUC__PARAMETER_FLOAT,      [CUC_F64] = CUC__PARAMETER_FLOAT,
    [CUC_ARG_POINTER] = CUC__PARAMETER_INT, [CUC_ARG_BUFFER] = CUC__PARAMETER_INT,
    [CUC_ARG_TENSOR] = CUC__PARAMETER_INT,  [CUC_ARG_BYTES] = CUC__PARAMETER_ANY,
};

enum { ARGUMENT_TYPES = sizeof(argument_class) };

// The maximum size in bytes of an argument of each type; a value stored in the cuc_arg must fit
// there. 0 means that the number is not a type.
static const uint32_t argument_bytes[ARGUMENT_TYPES] = {
#define ROW(constant, value, name, bits) [value] = (bits) > 64 ? 0 : (bits) ? (bits) / 8 : 8,
    CUC_DTYPE_LIST(ROW)
#undef ROW
        [CUC_ARG_POINTER] = 8,
    [CUC_ARG_BUFFER] = 8,
    [CUC_ARG_TENSOR] = 8,
    [CUC_ARG_BYTES] = UINT32_MAX,
};

static const char *type_name(int32_t type)
{
    switch (type) {
    case CUC_ARG_POINTER:
        return "a device address";
    case CUC_ARG_BUFFER:
        return "a buffer";
    case CUC_ARG_TENSOR:
        return "a tensor";
    case CUC_ARG_BYTES:
        return "bytes";
    default:
        return cuc_dtype_name(type);
    }
}

static const char *parameter_name(uint32_t type)
{
    static const char *const names[] = { "a value", "an integer or pointer",
                                         "a floating-point value" };

    return names[type];
}

// Reports the error in an argument; the checks below only detect that there is one.
static cuc_status __attribute__((cold, noinline))
fail_argument(const cuc_kernel *k, const cuc_arg *args, size_t i)
{
    const cuc_arg *a = &args[i];

    if (a->type == CUC_ARG_NONE)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                         "%s: argument %zu: expected a cuc_buffer, a cuc_tensor, an address or a "
                         "value, got a cucore handle of another kind",
                         k->name, i);
    if (a->type < 0 || a->type >= ARGUMENT_TYPES ||
        (a->type > CUC_C128 && a->type < CUC_ARG_POINTER))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                         "%s: argument %zu: expected a cuc_dtype or a CUC_ARG_ constant as its "
                         "type, got %d",
                         k->name, i, a->type);
    if (a->bytes > argument_bytes[a->type])
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                         "%s: argument %zu: %s of %u bytes does not fit into a cuc_arg of that "
                         "type: point to it with CUC_ARG_BYTES (CUC_ARG_STRUCT)",
                         k->name, i, type_name(a->type), a->bytes);
    const struct cuc__parameter *p = &k->parameters[i];
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                     "%s: argument %zu: expected %s of %u bytes, got %s of %u", k->name, i,
                     parameter_name(p->type), p->bytes, type_name(a->type), a->bytes);
}

static cuc_status __attribute__((cold, noinline))
fail_count(const cuc_kernel *k, const cuc_arg *args, size_t count)
{
    if (!args && count)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch", "args is NULL and count is %zu",
                         count);
    if (count > CUC__MAX_PARAMETERS)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                         "%zu arguments, kernels take at most %d", count, CUC__MAX_PARAMETERS);
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                     "%s: expected %u argument%s, got %zu", k->name, k->parameter_count,
                     k->parameter_count == 1 ? "" : "s", count);
}

static cuc_status __attribute__((cold, noinline))
fail_shape(const cuc_kernel *k, const cuc_launch_config *c, const cuc_device *d,
           const struct cuc__kernel_limits *kernel_limits)
{
    const struct {
        const char *name;
        const uint32_t *asked;
        const uint32_t *limit;
    } dims[] = { { "grid", c->grid, d->limits.grid }, { "block", c->block, d->limits.block } };

    for (size_t i = 0; i < CUC_LENGTH(dims); i++) {
        if (!dims[i].asked[0])
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                             "%s.x is 0, expected 1 to %u: skip empty launches", dims[i].name,
                             dims[i].limit[0]);
        for (int n = 0; n < 3; n++)
            if (dims[i].asked[n] > dims[i].limit[n])
                return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                                 "%s.%c is %u, device %d (%s) allows %u", dims[i].name, "xyz"[n],
                                 dims[i].asked[n], d->ordinal, d->name, dims[i].limit[n]);
    }
    unsigned long long y = c->block[1] ? c->block[1] : 1;
    unsigned long long z = c->block[2] ? c->block[2] : 1;
    const char *whose = kernel_limits->block_threads < d->limits.block_threads
                            ? "the kernel's registers or launch bounds allow"
                            : "the device allows";
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                     "block is %u,%llu,%llu, that is %llu threads for %s: %s %u", c->block[0], y, z,
                     c->block[0] * y * z, k->name, whose, kernel_limits->block_threads);
}

// Returns how many blocks of a kernel one multiprocessor runs at once, or 0 if unknown. Makes the
// stream's context current for the query.
static int blocks_at_once(const cuc_stream *stream, const cuc_kernel *k, const CUlaunchConfig *c)
{
    int blocks = 0;
    bool pushed;

    if (cuc__context_enter(stream->context, &pushed, "cuc_launch") < 0)
        return 0;
    CUresult r = cuc__cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, (CUfunction)k->handle, (int)(c->blockDimX * c->blockDimY * c->blockDimZ),
        c->sharedMemBytes);
    return cuc__context_leave(stream->context, pushed, CUC_OK, "cuc_launch") < 0 || r ? 0 : blocks;
}

// Records a launch that the driver refused, with everything known about the reason.
static cuc_status __attribute__((cold, noinline))
fail_launch(const cuc_stream *stream, const cuc_kernel *k, const CUlaunchConfig *c, CUresult r,
            bool recorded)
{
    if (recorded)
        cuc__ring_undo(&stream->context->recent, k->name, c->hStream);
    int blocks = r == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ? blocks_at_once(stream, k, c) : 0;

    if (blocks > 0)
        return cuc__fail_driver(
            stream->context, r, "cuc_launch", "cuLaunchKernelEx",
            "launching %s cooperatively on %llu blocks: %d run at once on each of the %u "
            "multiprocessors of device %d, so at most %llu",
            k->name, (unsigned long long)c->gridDimX * c->gridDimY * c->gridDimZ, blocks,
            stream->device->limits.multiprocessors, stream->device->ordinal,
            (unsigned long long)blocks * stream->device->limits.multiprocessors);
    return cuc__fail_driver(stream->context, r, "cuc_launch", "cuLaunchKernelEx",
                            "launching %s, grid %u,%u,%u block %u,%u,%u with %u bytes of dynamic "
                            "shared memory on device %d",
                            k->name, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX,
                            c->blockDimY, c->blockDimZ, c->sharedMemBytes, stream->device->ordinal);
}

static inline uint64_t pair(uint32_t y, uint32_t z)
{
    return y | (uint64_t)z << 32;
}

// Makes the driver call of a launch that needs a current context, as on a default stream, or that
// is followed by a wait.
static cuc_status __attribute__((noinline))
call_driver_in_context(cuc_stream *stream, const cuc_kernel *kernel, const CUlaunchConfig *c,
                       void **parameters, bool captured)
{
    bool pushed;
    cuc_status st = cuc__context_enter(stream->context, &pushed, "cuc_launch");

    if (st < 0)
        return st;
    const char *call;
    CUresult r = cuc__cu.cuLaunchKernelEx(c, (CUfunction)kernel->handle, parameters, NULL);
    if (r)
        st = fail_launch(stream, kernel, c, r, !captured);
    else if (cuc_launch_is_blocking() && (r = cuc__launch_wait(stream, &call)))
        st = cuc__fail_driver(stream->context, r, "cuc_launch", call,
                              "running %s, grid %u,%u,%u block %u,%u,%u, with a wait after it "
                              "(CUCORE_LAUNCH_BLOCKING)",
                              kernel->name, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX,
                              c->blockDimY, c->blockDimZ);
    return cuc__context_leave(stream->context, pushed, st, "cuc_launch");
}

// Finishes a launch. A captured launch does not run, so the ring does not record it.
static inline cuc_status call_driver(cuc_stream *stream, const cuc_kernel *kernel,
                                     const CUlaunchConfig *c, void **parameters, bool captured)
{
    if (!captured)
        cuc__ring_add(&stream->context->recent, kernel->name, c->hStream, c->gridDimX,
                      pair(c->gridDimY, c->gridDimZ), c->blockDimX,
                      pair(c->blockDimY, c->blockDimZ));
    if (stream->is_default || cuc__modes_now() & CUC__MODE_BLOCKING)
        return call_driver_in_context(stream, kernel, c, parameters, captured);
    CUresult r = cuc__cu.cuLaunchKernelEx(c, (CUfunction)kernel->handle, parameters, NULL);
    return __builtin_expect(r, 0) ? fail_launch(stream, kernel, c, r, !captured) : CUC_OK;
}

// Launches with attributes. A separate function keeps the array out of the stack frame of the
// common path.
static cuc_status __attribute__((noinline))
call_driver_with_attributes(cuc_stream *stream, const cuc_launch_config *config,
                            const cuc_kernel *kernel, void **parameters, bool captured)
{
    CUlaunchAttribute attributes[CUC__MAX_LAUNCH_ATTRIBUTES];
    CUlaunchConfig c;
    cuc_status st = cuc__launch_config_fill(&c, attributes, config, stream->device, "cuc_launch");

    if (st < 0)
        return st;
    c.hStream = stream->handle;
    st = call_driver(stream, kernel, &c, parameters, captured);
    // The driver returns a graph's device node in the attribute that requested it.
    for (uint32_t i = 0; st >= 0 && i < config->attribute_count; i++) {
        const cuc_launch_attribute *a = &config->attributes[i];
        if (a->id != CUC_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE ||
            !a->value.device_node.node)
            continue;
        for (unsigned n = 0; n < c.numAttrs; n++)
            if (c.attrs[n].id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
                *a->value.device_node.node = c.attrs[n].value.deviceUpdatableKernelNode.devNode;
    }
    return st;
}

// Returns the address of an argument's bytes. On failure, records it and returns NULL.
static inline void *argument_address(const cuc_arg *a, const cuc_stream *stream, size_t i,
                                     cuc_status *status)
{
    if (__builtin_expect(a->type < CUC_ARG_BUFFER, 1))
        return (void *)(uintptr_t)&a->value;
    const void *at = a->value.pointer;
    if (!at) {
        *status = cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch", "argument %zu is %s at NULL",
                            i, type_name(a->type));
        return NULL;
    }
    if (a->type == CUC_ARG_BUFFER) {
        const cuc_buffer *b = at;
        if (!cuc__handle_is_valid(b, CUC__HANDLE_BUFFER)) {
            *status = cuc__fail_handle(b, CUC__HANDLE_BUFFER, "cuc_launch", "a buffer argument");
            return NULL;
        }
        if (__builtin_expect(cuc__buffer_device(b) != stream->device, 0) &&
            (*status = cuc__launch_check_buffer(b, stream, i)) < 0)
            return NULL;
        return (void *)(uintptr_t)&b->ptr;
    }
    if (a->type == CUC_ARG_TENSOR) {
        const cuc_tensor *t = at;
        if (__builtin_expect(t->device != stream->device->ordinal, 0) &&
            (*status = cuc__launch_check_tensor(t, stream, i)) < 0)
            return NULL;
        return (void *)(uintptr_t)&t->data;
    }
    return (void *)(uintptr_t)at;
}

// Returns nonzero if a config requests more than grid, block and shared memory. Tests two words at
// a time.
static inline uint64_t asks_for_more(const cuc_launch_config *c)
{
    uint64_t cluster, rest;

    _Static_assert(offsetof(cuc_launch_config, attribute_count) ==
                       offsetof(cuc_launch_config, flags) + sizeof(uint32_t),
                   "read together");
    memcpy(&cluster, c->cluster, sizeof(cluster));
    memcpy(&rest, (const char *)c + offsetof(cuc_launch_config, flags), sizeof(rest));
    return cluster | c->cluster[2] | rest;
}

static CUlaunchConfig shape_of(const cuc_launch_config *config, const cuc_stream *stream)
{
    return (CUlaunchConfig){
        .gridDimX = config->grid[0],
        .gridDimY = config->grid[1] + !config->grid[1],
        .gridDimZ = config->grid[2] + !config->grid[2],
        .blockDimX = config->block[0],
        .blockDimY = config->block[1] + !config->block[1],
        .blockDimZ = config->block[2] + !config->block[2],
        .sharedMemBytes = config->shared_bytes,
        .hStream = stream->handle,
    };
}

cuc_status cuc__launch_checked(cuc_stream *stream, const cuc_launch_config *config,
                               const cuc_kernel *kernel, void **parameters)
{
    CUlaunchConfig c = shape_of(config, stream);
    cuc_status st;

    bool captured = false;
    if (cuc__capturing() &&
        (st = cuc__capture_keep(&captured, stream, kernel->object, "cuc_launch")) < 0)
        return st;
    if (__builtin_expect(asks_for_more(config) != 0, 0))
        return call_driver_with_attributes(stream, config, kernel, parameters, captured);
    return call_driver(stream, kernel, &c, parameters, captured);
}

static inline uint64_t type_and_bytes(const cuc_arg *a)
{
    return (uint32_t)a->type | (uint64_t)a->bytes << 32;
}

// Handles every launch that the fast path does not accept, such as those of tile kernels. Also
// finds and reports the error in a refused launch.
static cuc_status __attribute__((noinline))
launch_slow_path(cuc_stream *stream, const cuc_launch_config *config, cuc_kernel *kernel,
                 const cuc_arg *args, size_t count, const char *function)
{
    void *parameters[CUC__MAX_PARAMETERS];
    cuc_launch_config read;
    cuc_status st = CUC_OK;

    if (!cuc__handle_is_valid(stream, CUC__HANDLE_STREAM))
        return cuc__fail_handle(stream, CUC__HANDLE_STREAM, function, "stream");
    if (!cuc__handle_is_valid(kernel, CUC__HANDLE_KERNEL))
        return cuc__fail_handle(kernel, CUC__HANDLE_KERNEL, function, "kernel");
    if (!config && !kernel->tile)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "config is NULL, but only kernels of tile programs have a grid of their "
                         "own: give %s a grid and a block",
                         kernel->name);
    if (config && config->struct_size != sizeof(*config)) {
        st = cuc__read_options(&read, sizeof(read), config, "cuc_launch_config", function);
        if (st < 0)
            return st;
        config = &read;
    }
    if (kernel->tile)
        return cuc__launch_tile(stream, config, kernel, args, count);

    cuc_device *device = stream->device;
    struct cuc__kernel_limits *limits = &kernel->limits[device->ordinal];
    if (__builtin_expect(!atomic_load_explicit(&limits->known, memory_order_acquire), 0)) {
        (void)cuc_launch_is_blocking(); // reads CUCORE_LAUNCH_BLOCKING once
        if ((st = cuc__kernel_prepare(kernel, device, function)) < 0)
            return st;
    }

    CUlaunchConfig c = shape_of(config, stream);
    const struct cuc__device_limits *l = &device->limits;
    // One branch checks all limits; fail_shape() finds the violated one. An x of 0 wraps around to
    // the maximum, and so fails too.
    if (__builtin_expect((c.gridDimX - 1 >= l->grid[0]) | (c.gridDimY > l->grid[1]) |
                             (c.gridDimZ > l->grid[2]) | (c.blockDimX - 1 >= l->block[0]) |
                             (c.blockDimY > l->block[1]) | (c.blockDimZ > l->block[2]),
                         0) ||
        (uint64_t)c.blockDimX * c.blockDimY * c.blockDimZ > limits->block_threads)
        return fail_shape(kernel, config, device, limits);
    if (__builtin_expect(c.sharedMemBytes >
                             atomic_load_explicit(&limits->shared_bytes, memory_order_relaxed),
                         0) &&
        (st = cuc__kernel_allow_shared(kernel, device, c.sharedMemBytes, function)) < 0)
        return st;

    const bool known = kernel->parameters_known;
    if (__builtin_expect((known && count != kernel->parameter_count) ||
                             count > CUC__MAX_PARAMETERS || (count && !args),
                         0))
        return fail_count(kernel, args, count);
    for (size_t i = 0; i < count; i++) {
        const cuc_arg *a = &args[i];
        if (__builtin_expect((uint32_t)a->type >= ARGUMENT_TYPES, 0) ||
            __builtin_expect(a->bytes > argument_bytes[a->type], 0))
            return fail_argument(kernel, args, i);
        if (known) {
            struct cuc__parameter *p = &kernel->parameters[i];
            uint32_t class = argument_class[a->type];
            if (__builtin_expect(a->bytes != p->bytes, 0) ||
                __builtin_expect(class != p->type && class && p->type, 0))
                return fail_argument(kernel, args, i);
            atomic_store_explicit(&kernel->accepted[i], type_and_bytes(a), memory_order_relaxed);
        }
        if (__builtin_expect(cuc__handle_checks() && a->type == CUC_ARG_POINTER, 0) &&
            (st = cuc__launch_check_address(kernel, a->value.u64, stream, i)) < 0)
            return st;
        parameters[i] = argument_address(a, stream, i, &st);
        if (__builtin_expect(!parameters[i], 0))
            return st;
    }

    return cuc__launch_checked(stream, config, kernel, parameters);
}

cuc_status cuc_launch(cuc_stream *stream, const cuc_launch_config *config, cuc_kernel *kernel,
                      const cuc_arg *args, size_t count)
{
    void *parameters[CUC__COMMON_PARAMETERS];

    // The fast path, for nearly every launch: grid and block extend along x only, an earlier launch
    // had the same argument types, and the config requests nothing else. In case of doubt the slow
    // path decides. bench/count.sh counts the instructions of this path.
    if (!stream || cuc__modes_now() || !config || config->struct_size != sizeof(*config) || !kernel)
        goto slow_path;
    const struct cuc__kernel_limits *limits = &kernel->limits[stream->ordinal];
    const uint32_t grid = config->grid[0], block = config->block[0];
    if (grid - 1 >= stream->common_grid ||
        (config->grid[1] | config->grid[2] | config->block[1] | config->block[2]) > 1 ||
        block - 1 >= atomic_load_explicit(&limits->block_threads, memory_order_relaxed) ||
        config->shared_bytes > atomic_load_explicit(&limits->shared_bytes, memory_order_relaxed) ||
        asks_for_more(config) || count != kernel->common_count)
        goto slow_path;
    const cuc_arg *a = args;
    for (size_t i = 0; i < count; i++, a++) {
        if (!args)
            goto slow_path; // the compiler hoists this test out of the loop
        const void *at = &a->value;
        const uint64_t word = type_and_bytes(a);
        if (word != atomic_load_explicit(&kernel->accepted[i], memory_order_relaxed))
            goto slow_path;
        const uint32_t type = (uint32_t)word;
        if (type >= CUC_ARG_BUFFER) {
            at = a->value.pointer;
            if (!at)
                goto slow_path;
            if (type == CUC_ARG_BUFFER) {
                const cuc_buffer *b = at;
                if (cuc__buffer_device(b) != stream->device)
                    goto slow_path;
                at = &b->ptr;
            } else if (type == CUC_ARG_TENSOR) {
                const cuc_tensor *t = at;
                if (t->device != stream->ordinal)
                    goto slow_path;
                at = &t->data;
            }
        }
        parameters[i] = (void *)(uintptr_t)at;
    }

    const CUlaunchConfig c = {
        .gridDimX = grid,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = block,
        .blockDimY = 1,
        .blockDimZ = 1,
        .sharedMemBytes = config->shared_bytes,
        .hStream = stream->handle,
    };
    cuc__ring_add(&stream->context->recent, kernel->name, stream->handle, grid, pair(1, 1), block,
                  pair(1, 1));
    CUresult r = cuc__cu.cuLaunchKernelEx(&c, (CUfunction)kernel->handle, parameters, NULL);
    return __builtin_expect(r, 0) ? fail_launch(stream, kernel, &c, r, true) : CUC_OK;

slow_path:
    return launch_slow_path(stream, config, kernel, args, count, __func__);
}

cuc_status cuc_launch_host(cuc_stream *stream, void (*fn)(void *user), void *user)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(fn);
    cuc_status st;
    CUC_CALL_IN(st, stream->context, cuLaunchHostFunc, (stream->handle, fn, user),
                "queueing a host function");
    return st;
}
