// Launches: validates them as a driver does, and passes them to the back end.
#include "graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Refuses a launch and reports why.
static CUresult refuse(const struct kernel *k, CUresult code, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));
static CUresult refuse(const struct kernel *k, CUresult code, const char *format, ...)
{
    char why[256];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    sim_warn("launch of %s refused: %s", k->name, why);
    return code;
}

// Packs the parameters in the layout of the kernel. `extra` is the older form, a single packed
// buffer.
static CUresult gather(const struct kernel *k, void **params, void **extra, unsigned char *bytes)
{
    if (params && extra)
        return refuse(k, CUDA_ERROR_INVALID_VALUE, "both kernelParams and extra are given");
    if (extra) {
        const void *buffer = NULL;
        const size_t *size = NULL;
        for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
            if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
                buffer = extra[i + 1];
            else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
                size = extra[i + 1];
            else
                return refuse(k, CUDA_ERROR_INVALID_VALUE,
                              "extra has %p for a name of what follows", extra[i]);
        }
        if (!buffer || !size || *size < k->parameter_bytes)
            return refuse(k, CUDA_ERROR_INVALID_VALUE,
                          "extra has %zu bytes of parameters, the kernel has %zu",
                          buffer && size ? *size : 0, k->parameter_bytes);
        memcpy(bytes, buffer, k->parameter_bytes);
        return CUDA_SUCCESS;
    }
    for (size_t i = 0; i < k->parameter_count; i++) {
        if (!params || !params[i])
            return refuse(
                k, CUDA_ERROR_INVALID_VALUE, "kernelParams%s NULL, the kernel has %zu parameter%s",
                params ? " has" : " is", k->parameter_count, k->parameter_count == 1 ? "" : "s");
        memcpy(bytes + k->parameters[i].offset, params[i], k->parameters[i].bytes);
    }
    return CUDA_SUCCESS;
}

// The attributes of a launch, combined.
struct wishes {
    unsigned cluster[3];
    bool cluster_given, cooperative;
    struct event *events[2]; // events to record after the launch
    bool priority_given;
    int priority;
};

static CUresult event_wish(CUevent handle, const struct stream *s, struct event **out)
{
    struct event *e = sim_object(handle, KIND_EVENT);

    if (!e || e->head.context != s->head.context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!(e->flags & CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_VALUE;
    *out = e;
    return CUDA_SUCCESS;
}

static CUresult read_attribute(const CUlaunchAttribute *a, const struct stream *s, int device,
                               struct wishes *w)
{
    const CUlaunchAttributeValue *v = &a->value;

    switch (a->id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        return v->preferredClusterDim.x && v->preferredClusterDim.y && v->preferredClusterDim.z
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: {
        size_t most =
            (size_t)sim_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
        const CUaccessPolicyWindow *p = &v->accessPolicyWindow;
        return p->num_bytes <= most && p->hitRatio >= 0 && p->hitRatio <= 1 &&
                       p->hitProp <= CU_ACCESS_PROPERTY_PERSISTING &&
                       p->missProp <= CU_ACCESS_PROPERTY_STREAMING
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    }
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        if (v->cooperative && !sim_attribute(device, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH))
            return CUDA_ERROR_NOT_SUPPORTED;
        w->cooperative = v->cooperative != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        if (!sim_attribute(device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH))
            return CUDA_ERROR_NOT_SUPPORTED;
        w->cluster[0] = v->clusterDim.x;
        w->cluster[1] = v->clusterDim.y;
        w->cluster[2] = v->clusterDim.z;
        w->cluster_given = true;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        return v->clusterSchedulingPolicyPreference <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
        return event_wish(v->programmaticEvent.event, s, &w->events[0]);
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        return event_wish(v->launchCompletionEvent.event, s, &w->events[1]);
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        w->priority = v->priority;
        w->priority_given = true;
        return v->priority <= 0 && v->priority >= -5 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        return v->memSyncDomain <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE ? CUDA_SUCCESS
                                                                    : CUDA_ERROR_INVALID_VALUE;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return (int)v->sharedMemCarveout >= -1 && (int)v->sharedMemCarveout <= 100
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
        return v->nvlinkUtilCentricScheduling <= 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default: // attributes of streams or graph nodes, and unknown ones
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult check_cluster(const CUlaunchConfig *c, const struct kernel *k, int device,
                              struct wishes *w)
{
    const int *a = k->attributes[device];
    unsigned required[3], size = 1;
    const unsigned grid[3] = { c->gridDimX, c->gridDimY, c->gridDimZ };
    unsigned most = a[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] ? 16 : 8;
    unsigned *cluster = w->cluster;

    for (int i = 0; i < 3; i++)
        required[i] = (unsigned)a[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + i];
    if (required[0]) {
        if (w->cluster_given && memcmp(required, cluster, sizeof(required)) != 0)
            return refuse(k, CUDA_ERROR_INVALID_CLUSTER_SIZE,
                          "a cluster of %u x %u x %u blocks, .reqnctapercluster says %u x %u x %u",
                          cluster[0], cluster[1], cluster[2], required[0], required[1],
                          required[2]);
        memcpy(cluster, required, sizeof(required));
    } else if (!w->cluster_given) {
        return a[CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET]
                   ? refuse(k, CUDA_ERROR_INVALID_CLUSTER_SIZE,
                            ".explicitcluster, and the launch gives no cluster size")
                   : CUDA_SUCCESS;
    }
    for (int i = 0; i < 3; i++) {
        if (cluster[i] > most)
            return refuse(k, CUDA_ERROR_INVALID_CLUSTER_SIZE, "cluster.%c is %u, %u is the most",
                          'x' + i, cluster[i], most);
        if (!cluster[i] || grid[i] % cluster[i])
            return refuse(k, CUDA_ERROR_INVALID_VALUE,
                          "cluster.%c is %u, which does not divide the grid's %u", 'x' + i,
                          cluster[i], grid[i]);
        size *= cluster[i];
    }
    return size <= most ? CUDA_SUCCESS
                        : refuse(k, CUDA_ERROR_INVALID_CLUSTER_SIZE,
                                 "a cluster of %u blocks, %u is the most", size, most);
}

static CUresult check_shape(const CUlaunchConfig *c, const struct kernel *k, int device)
{
    const unsigned given[6] = { c->gridDimX,  c->gridDimY,  c->gridDimZ,
                                c->blockDimX, c->blockDimY, c->blockDimZ };
    static const CUdevice_attribute limits[6] = {
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
    };
    const int *a = k->attributes[device], *exact = k->exact_threads;
    unsigned own = (unsigned)a[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
    unsigned most = (unsigned)sim_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    unsigned shared = (unsigned)a[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES];

    for (int i = 0; i < 6; i++)
        if (!given[i] || given[i] > (unsigned)sim_attribute(device, limits[i]))
            return refuse(k, CUDA_ERROR_INVALID_VALUE, "%s.%c is %u, 1 to %d may be",
                          i < 3 ? "grid" : "block", 'x' + i % 3, given[i],
                          sim_attribute(device, limits[i]));
    unsigned threads = c->blockDimX * c->blockDimY * c->blockDimZ; // at most 2^26, because of the
                                                                   // limits
    for (int i = 0; i < 3 && exact[0]; i++)
        if (given[3 + i] != (unsigned)exact[i])
            return refuse(k, CUDA_ERROR_INVALID_VALUE,
                          "a block of %u x %u x %u threads, .reqntid says %d x %d x %d",
                          c->blockDimX, c->blockDimY, c->blockDimZ, exact[0], exact[1], exact[2]);
    if (threads > own || threads > most)
        return refuse(k, CUDA_ERROR_INVALID_VALUE, "a block of %u threads, %s %u", threads,
                      own >= most                  ? "the device allows"
                      : (int)own == k->max_threads ? ".maxntid allows"
                                                   : "its registers allow",
                      own < most ? own : most);
    if (c->sharedMemBytes > shared)
        return refuse(k, CUDA_ERROR_INVALID_VALUE,
                      "%u bytes of dynamic shared memory, %u are allowed: "
                      "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES raises that",
                      c->sharedMemBytes, shared);
    return CUDA_SUCCESS;
}

// Checks that all blocks of a cooperative launch can be resident at once.
static CUresult check_cooperative(const CUlaunchConfig *c, const struct kernel *k, int device)
{
    int threads = (int)(c->blockDimX * c->blockDimY * c->blockDimZ);
    uint64_t capacity = (uint64_t)sim_blocks_per_sm(k, device, threads, c->sharedMemBytes) *
                        (uint64_t)sim_attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);

    uint64_t blocks = (uint64_t)c->gridDimX * c->gridDimY * c->gridDimZ;
    return blocks <= capacity
               ? CUDA_SUCCESS
               : refuse(k, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                        "a cooperative grid of %llu blocks, %llu are resident at once",
                        (unsigned long long)blocks, (unsigned long long)capacity);
}

// Creates a launch with copies of the configuration and the arguments.
static CUresult copy_launch(struct launch **out, const CUlaunchConfig *config,
                            const struct kernel *k, const struct wishes *wishes,
                            struct context *context, void **params, void **extra)
{
    struct launch *l = sim_launch_new();

    if (!l)
        return CUDA_ERROR_OUT_OF_MEMORY;
    l->config = *config;
    for (unsigned i = 0; i < config->numAttrs; i++)
        l->attributes[i] = config->attrs[i];
    l->config.attrs = config->numAttrs ? l->attributes : NULL;
    memcpy(l->cluster, wishes->cluster, sizeof(l->cluster));
    l->cooperative = wishes->cooperative;
    l->id = ++sim.serial;
    l->code = NULL;
    l->image = NULL;
    l->host = NULL;
    CUresult code = gather(k, params, extra, l->bytes);
    if (!code)
        code = sim_code_prepare(l, k, context);
    if (code) {
        sim_launch_drop(l);
        return code;
    }
    *out = l;
    return CUDA_SUCCESS;
}

CUresult sim_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction func, void **params,
                              void **extra)
{
    struct wishes wishes = { 0 };
    struct context *context;
    struct stream *s;

    if (!config || (config->numAttrs && !config->attrs) ||
        config->numAttrs > SIM_LAUNCH_ATTRIBUTES) {
        sim_warn("launch refused: %s", !config          ? "config is NULL"
                                       : !config->attrs ? "attrs is NULL"
                                                        : "it has more than 16 attributes");
        return CUDA_ERROR_INVALID_VALUE;
    }
    const struct kernel *k = sim_kernel_of(func, &context);
    if (!k) {
        sim_warn("launch refused: %p is not a function, or its module was unloaded", (void *)func);
        return CUDA_ERROR_INVALID_HANDLE;
    }
    CUresult code = sim_stream_of(config->hStream, &s);
    if (code == CUDA_ERROR_INVALID_HANDLE)
        return refuse(k, code, "%p is not a stream, or was destroyed", (void *)config->hStream);
    if (code)
        return code;
    if (context && context != s->head.context)
        return refuse(k, CUDA_ERROR_INVALID_HANDLE, "the stream is of another context");
    if (k->parameter_bytes > SIM_LAUNCH_BYTES)
        return refuse(k, CUDA_ERROR_INVALID_IMAGE, "its parameters take %zu bytes, %d is the most",
                      k->parameter_bytes, SIM_LAUNCH_BYTES);

    int device = s->head.context->device;
    code = check_shape(config, k, device);
    for (unsigned i = 0; i < config->numAttrs && !code; i++)
        if ((code = read_attribute(&config->attrs[i], s, device, &wishes)))
            (void)refuse(k, code, "attribute %u (number %u) cannot be, or not with this value",
                         config->attrs[i].id, i);
    if (!code)
        code = check_cluster(config, k, device, &wishes);
    if (!code && wishes.cooperative)
        code = check_cooperative(config, k, device);
    if (code)
        return code;

    struct launch *l;
    code = copy_launch(&l, config, k, &wishes, s->head.context, params, extra);
    if (code)
        return code;
    const struct work work = { .op = OP_KERNEL, .launch = l };
    if (s->capture) {
        struct node *node;
        code = sim_capture_node(s, CU_GRAPH_NODE_TYPE_KERNEL, &work, &node);
        if (!code) {
            node->kernel = k->head.handle;
            node->priority = wishes.priority_given ? wishes.priority : s->priority;
        }
    } else { // from here on, the lock may be released, so `k` must not be used
        code = sim_submit(s, &work);
    }
    if (!code)
        sim.launches++;
    for (int i = 0; i < 2 && !code; i++)
        if (wishes.events[i])
            code = sim_event_record(wishes.events[i], s);
    return code;
}
