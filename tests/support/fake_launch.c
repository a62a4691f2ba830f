// Launches: checked as a driver checks them, recorded, and run by a host function where one is
// defined for the kernel.
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>

// What a queued launch keeps: all the memory it was given is the caller's again.
struct launch {
    struct launch *next; // among the free ones
    fake_kernel_fn fn;
    CUlaunchConfig config;
    CUlaunchAttribute attributes[FAKE_LAUNCH_ATTRIBUTES];
    void *params[FAKE_LAUNCH_PARAMETERS];
    _Alignas(64) unsigned char bytes[FAKE_LAUNCH_BYTES];
};

static struct launch *free_launches;
static struct fake_launch latest;
static bool any;

static struct launch *launch_new(void)
{
    struct launch *l = free_launches;

    if (l)
        free_launches = l->next;
    else if (posix_memalign((void **)&l, _Alignof(struct launch), sizeof(*l)))
        fake_bug("no memory", "for a launch");
    return l;
}

void fake_launch_drop(struct launch *launch)
{
    launch->next = free_launches;
    free_launches = launch;
}

void fake_run_launch(struct launch *launch)
{
    fake_unlock();
    launch->fn(launch->params, &launch->config);
    fake_lock();
}

void fake_launches_forget(void)
{
    any = false;
    fake.launches = 0;
}

int ctl_launch_count(void)
{
    fake_lock();
    int n = fake.launches;
    fake_unlock();
    return n;
}

int ctl_last_launch(struct fake_launch *out)
{
    fake_lock();
    int given = any;
    if (any) {
        *out = latest;
        out->config.attrs = out->config.numAttrs ? out->attributes : NULL;
        for (unsigned i = 0; i < out->param_count; i++)
            out->params[i] = out->bytes + out->param_offset[i];
    }
    fake_unlock();
    return given;
}

// The parameters, laid out as the kernel has them. `extra` is the older form: one packed buffer.
static CUresult gather(const struct kernel *k, void **params, void **extra, unsigned char *bytes)
{
    if (params && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (extra) {
        const void *buffer = NULL;
        const size_t *size = NULL;
        for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
            if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
                buffer = extra[i + 1];
            else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
                size = extra[i + 1];
            else
                return CUDA_ERROR_INVALID_VALUE;
        }
        if (!buffer || !size || *size < k->parameter_bytes)
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(bytes, buffer, k->parameter_bytes);
        return CUDA_SUCCESS;
    }
    for (size_t i = 0; i < k->parameter_count; i++) {
        if (!params || !params[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(bytes + k->parameters[i].offset, params[i], k->parameters[i].bytes);
    }
    return CUDA_SUCCESS;
}

// What the attributes of a launch amount to.
struct wishes {
    unsigned cluster[3];
    bool cluster_given, cooperative;
    struct event *events[2]; // to record behind the launch
};

static CUresult event_wish(CUevent handle, const struct stream *s, struct event **out)
{
    struct event *e = fake_object(handle, KIND_EVENT);

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
            (size_t)fake_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
        const CUaccessPolicyWindow *p = &v->accessPolicyWindow;
        return p->num_bytes <= most && p->hitRatio >= 0 && p->hitRatio <= 1 &&
                       p->hitProp <= CU_ACCESS_PROPERTY_PERSISTING &&
                       p->missProp <= CU_ACCESS_PROPERTY_STREAMING
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    }
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        if (v->cooperative && !fake_attribute(device, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH))
            return CUDA_ERROR_NOT_SUPPORTED;
        w->cooperative = v->cooperative != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        if (!fake_attribute(device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH))
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
    default: // a stream's, a graph node's, or none
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult check_cluster(const CUlaunchConfig *c, const struct kernel *k, int device,
                              const struct wishes *w)
{
    const int *a = k->attributes[device];
    unsigned required[3], size = 1;
    const unsigned grid[3] = { c->gridDimX, c->gridDimY, c->gridDimZ };
    unsigned most = a[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] ? 16 : 8;
    const unsigned *cluster = w->cluster;

    for (int i = 0; i < 3; i++)
        required[i] = (unsigned)a[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + i];
    if (required[0]) {
        if (w->cluster_given && memcmp(required, cluster, sizeof(required)) != 0)
            return CUDA_ERROR_INVALID_CLUSTER_SIZE;
        cluster = required;
    } else if (!w->cluster_given) {
        return a[CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] ? CUDA_ERROR_INVALID_CLUSTER_SIZE
                                                             : CUDA_SUCCESS;
    }
    for (int i = 0; i < 3; i++) {
        if (!cluster[i] || cluster[i] > most || grid[i] % cluster[i])
            return cluster[i] > most ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_ERROR_INVALID_VALUE;
        size *= cluster[i];
    }
    return size <= most ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
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
    const int *a = k->attributes[device];

    for (int i = 0; i < 6; i++)
        if (!given[i] || given[i] > (unsigned)fake_attribute(device, limits[i]))
            return CUDA_ERROR_INVALID_VALUE;
    unsigned threads = c->blockDimX * c->blockDimY * c->blockDimZ; // limits keep it below 2^26
    if (threads > (unsigned)a[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] ||
        threads > (unsigned)fake_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK))
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < 3 && k->exact_threads[0]; i++)
        if (given[3 + i] != (unsigned)k->exact_threads[i])
            return CUDA_ERROR_INVALID_VALUE;
    if (c->sharedMemBytes > (unsigned)a[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES])
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

// Blocks of a cooperative launch must all be resident at once.
static CUresult check_cooperative(const CUlaunchConfig *c, const struct kernel *k, int device)
{
    int threads = (int)(c->blockDimX * c->blockDimY * c->blockDimZ);
    uint64_t room = (uint64_t)fake_blocks_per_sm(k, device, threads, c->sharedMemBytes) *
                    (uint64_t)fake_attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);

    return (uint64_t)c->gridDimX * c->gridDimY * c->gridDimZ <= room
               ? CUDA_SUCCESS
               : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

static void record(const CUlaunchConfig *config, const struct kernel *k, const unsigned char *bytes)
{
    strncpy(latest.kernel, k->name, sizeof(latest.kernel) - 1);
    latest.config = *config;
    for (unsigned i = 0; i < config->numAttrs; i++)
        latest.attributes[i] = config->attrs[i];
    latest.param_count = (unsigned)k->parameter_count;
    for (size_t i = 0; i < k->parameter_count; i++) {
        latest.param_offset[i] = k->parameters[i].offset;
        latest.param_bytes[i] = k->parameters[i].bytes;
    }
    memcpy(latest.bytes, bytes, k->parameter_bytes);
    any = true;
}

CUresult fake_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction func, void **params,
                               void **extra)
{
    static unsigned char bytes[FAKE_LAUNCH_BYTES]; // under the lock
    struct wishes wishes = { 0 };
    struct context *context;
    struct stream *s;

    if (!config || (config->numAttrs && !config->attrs) ||
        config->numAttrs > FAKE_LAUNCH_ATTRIBUTES)
        return CUDA_ERROR_INVALID_VALUE;
    const struct kernel *k = fake_kernel_of(func, &context);
    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult code = fake_stream_of(config->hStream, &s);
    if (code)
        return code;
    if (context && context != s->head.context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (k->parameter_count > FAKE_LAUNCH_PARAMETERS || k->parameter_bytes > FAKE_LAUNCH_BYTES)
        fake_bug("more parameters than there is room for", k->name);

    int device = s->head.context->device;
    code = check_shape(config, k, device);
    for (unsigned i = 0; i < config->numAttrs && !code; i++)
        code = read_attribute(&config->attrs[i], s, device, &wishes);
    if (!code)
        code = check_cluster(config, k, device, &wishes);
    if (!code && wishes.cooperative)
        code = check_cooperative(config, k, device);
    if (!code)
        code = gather(k, params, extra, bytes);
    if (code)
        return code;

    struct work work = { .op = OP_NOTHING };
    if (*k->fn) {
        struct launch *l = launch_new();
        l->fn = *k->fn;
        l->config = *config;
        for (unsigned i = 0; i < config->numAttrs; i++)
            l->attributes[i] = config->attrs[i];
        l->config.attrs = config->numAttrs ? l->attributes : NULL;
        memcpy(l->bytes, bytes, k->parameter_bytes);
        for (size_t i = 0; i < k->parameter_count; i++)
            l->params[i] = l->bytes + k->parameters[i].offset;
        work = (struct work){ .op = OP_KERNEL, .launch = l };
    }
    if (fake.recording)
        record(config, k, bytes);
    // From here on the lock may be given up: the kernel is not looked at again.
    code = fake_submit(s, &work);
    if (!code)
        fake.launches++;
    for (int i = 0; i < 2 && !code; i++)
        if (wishes.events[i])
            code = fake_event_record(wishes.events[i], s);
    return code;
}
