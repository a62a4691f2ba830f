#include "context.h"

#include "intern.h"
#include "deferred.h"
#include "peers.h"
#include "driver/relaxed.h"
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All context objects, so that each CUcontext has only one.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cuc_context *contexts;

// The records of lost contexts, latest first. They are never freed, because one thread may build a
// message from a record while another destroys its context, and because failures of other calls
// report them too.
static _Atomic(struct cuc__loss *) losses;

cuc_status cuc__context_enter(cuc_context *context, bool *pushed, const char *function)
{
    CUcontext current = NULL;
    CUresult r = cuc__cu.cuCtxGetCurrent(&current);

    *pushed = false;
    if (!r && current == context->handle)
        return CUC_OK;
    // A driver that is shutting down may refuse this query; the push below then returns the reason.
    r = cuc__cu.cuCtxPushCurrent(context->handle);
    if (r)
        return cuc__fail_driver(context, r, function, "cuCtxPushCurrent",
                                "making the context of device %d current",
                                context->device->ordinal);
    *pushed = true;
    return CUC_OK;
}

cuc_status cuc__context_leave(cuc_context *context, bool pushed, cuc_status status,
                              const char *function)
{
    CUcontext popped;

    if (!pushed)
        return status;
    CUresult r = cuc__cu.cuCtxPopCurrent(&popped);
    if (!r)
        return status;
    if (status < 0) {
        cuc__error_note("the caller's context could not be restored either (cuCtxPopCurrent "
                        "returned %d): device %d is current now",
                        r, context->device->ordinal);
        return status;
    }
    return cuc__fail_driver(context, r, function, "cuCtxPopCurrent",
                            "restoring the caller's context; device %d is current now",
                            context->device->ordinal);
}

// Finds the object of a driver's context. The caller holds the lock.
static cuc_context *find(CUcontext handle)
{
    cuc_context *c;

    for (c = contexts; c && c->handle != handle; c = c->next)
        ;
    return c;
}

static uint64_t id_of(CUcontext handle)
{
    unsigned long long id = 0;

    return cuc__cu.cuCtxGetId(handle, &id) ? 0 : id;
}

// Removes a destroyed context, so that a new one at the same address is not mistaken for it. The
// caller holds the lock.
static void forget(const cuc_context *context)
{
    cuc_context **link = &contexts;

    while (*link && *link != context)
        link = &(*link)->next;
    if (*link)
        *link = context->next;
}

// Returns the object of a live context, retained, or NULL. The caller holds the lock.
static cuc_context *find_live(CUcontext handle)
{
    cuc_context *c = find(handle);
    uint64_t now = c && !c->primary ? id_of(handle) : 0; // also 0 for a lost context

    if (now && now != c->id) {
        forget(c);
        c = NULL;
    }
    return cuc__handle_retain(c);
}

static cuc_context *make(CUcontext handle, cuc_device *device, bool primary)
{
    cuc_context *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    cuc__handle_init(c, CUC__HANDLE_CONTEXT);
    c->handle = handle;
    c->device = device;
    c->primary = primary;
    c->id = primary ? 0 : id_of(handle);
    pthread_mutex_init(&c->lock, NULL);
    cuc__intern_add_ring(&c->recent);
    c->next = contexts;
    contexts = c;
    return c;
}

cuc_status cuc__device_primary(cuc_context **out, cuc_device *device, const char *function)
{
    cuc_context *c = atomic_load_explicit(&device->primary, memory_order_acquire);
    cuc_status st = CUC_OK;
    CUcontext handle;

    // A forked child takes no lock, because a thread of the parent may hold it forever.
    if (cuc__driver_forked())
        return cuc__fail_driver(NULL, CUC__CU_FORKED, function, "cuDevicePrimaryCtxRetain", "-");
    if (c) {
        *out = c;
        return CUC_OK;
    }
    pthread_mutex_lock(&device->lock);
    c = atomic_load(&device->primary);
    if (!c) {
        CUresult r;
        CUC_RELAXED(r, cuc__cu.cuDevicePrimaryCtxRetain(&handle, device->handle));
        if (r) {
            st = cuc__fail_driver(NULL, r, function, "cuDevicePrimaryCtxRetain",
                                  "retaining the primary context of device %d (%s)",
                                  device->ordinal, device->name);
        } else {
            pthread_mutex_lock(&lock);
            c = find(handle); // the object of a foreign handle may already exist
            if (c) {
                c->primary = true;
                cuc__handle_retain(c);
            } else {
                c = make(handle, device, true);
            }
            pthread_mutex_unlock(&lock);
            if (!c) {
                st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a context");
                CUC_CLEANUP(NULL, cuDevicePrimaryCtxRelease, handle, device->handle);
            }
            atomic_store_explicit(&device->primary, c, memory_order_release);
        }
    }
    pthread_mutex_unlock(&device->lock);
    if (st >= 0)
        *out = c;
    return st;
}

cuc_status cuc__context_of_handle(cuc_context **out, CUcontext handle, const char *function)
{
    cuc_device *device;
    CUdevice cu_device;
    CUcontext popped;

    pthread_mutex_lock(&lock);
    cuc_context *c = find_live(handle);
    pthread_mutex_unlock(&lock);
    if (c) {
        *out = c;
        return CUC_OK;
    }

    CUresult r = cuc__cu.cuCtxPushCurrent(handle);
    if (r)
        return cuc__fail_driver(NULL, r, function, "cuCtxPushCurrent", "%p is not a live CUcontext",
                                (void *)handle);
    r = cuc__cu.cuCtxGetDevice(&cu_device);
    CUresult r_pop = cuc__cu.cuCtxPopCurrent(&popped);
    if (r || r_pop)
        return cuc__fail_driver(NULL, r ? r : r_pop, function,
                                r ? "cuCtxGetDevice" : "cuCtxPopCurrent",
                                "asking context %p for its device", (void *)handle);
    cuc_status st = cuc__device_of_handle(&device, cu_device, function);
    if (st < 0)
        return st;

    // The CUDA runtime or the driver may have made the device's primary context current.
    unsigned flags;
    int active = 0;
    r = cuc__cu.cuDevicePrimaryCtxGetState(cu_device, &flags, &active);
    if (r)
        return cuc__fail_driver(NULL, r, function, "cuDevicePrimaryCtxGetState",
                                "asking whether device %d has a primary context", device->ordinal);
    if (active && (st = cuc__device_primary(&c, device, function)) < 0)
        return st;
    if (active && c->handle == handle) {
        *out = cuc__handle_retain(c);
        return CUC_OK;
    }

    pthread_mutex_lock(&lock);
    c = find_live(handle); // another thread may have created the object meanwhile
    if (!c)
        c = make(handle, device, false);
    pthread_mutex_unlock(&lock);
    if (!c)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a context");
    *out = c;
    return CUC_OK;
}

cuc_status cuc__context_current(cuc_context **out, const char *function)
{
    CUcontext handle = NULL;
    CUresult r = cuc__cu.cuCtxGetCurrent(&handle);

    if (r)
        return cuc__fail_driver(NULL, r, function, "cuCtxGetCurrent",
                                "asking for the current context");
    if (!handle) {
        *out = NULL;
        return CUC_OK;
    }
    return cuc__context_of_handle(out, handle, function);
}

struct cuc__loss *cuc__context_loss(const cuc_context *context)
{
    return context ? atomic_load_explicit(&context->loss, memory_order_acquire) : NULL;
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

struct cuc__loss *cuc__latest_loss(void)
{
    return atomic_load_explicit(&losses, memory_order_acquire);
}

void cuc__context_lose(cuc_context *context, int code, const char *function, const char *call)
{
    CUcontext handle = NULL;
    struct cuc__loss *none = NULL;
    cuc_context *held = NULL;

    if (!context && !cuc__latest_loss() && !cuc__cu.cuCtxGetCurrent(&handle)) {
        pthread_mutex_lock(&lock);
        context = held = cuc__handle_retain(find(handle));
        pthread_mutex_unlock(&lock);
    }
    struct cuc__loss *loss = NULL;
    if (!context || cuc__context_loss(context) || !(loss = calloc(1, sizeof(*loss)))) {
        cuc_context_release(held);
        return;
    }
    loss->code = code;
    copy(loss->function, sizeof(loss->function), function);
    copy(loss->call, sizeof(loss->call), call);
    cuc__ring_list(loss->launches, sizeof(loss->launches), &context->recent);
    if (atomic_compare_exchange_strong(&context->loss, &none, loss)) {
        loss->next = atomic_load(&losses);
        while (!atomic_compare_exchange_weak(&losses, &loss->next, loss))
            ;
    } else {
        free(loss);
    }
    cuc_context_release(held);
}

cuc_context *cuc_context_retain(cuc_context *context)
{
    return cuc__handle_retain(context);
}

void cuc_context_release(cuc_context *context)
{
    if (!context || cuc__driver_forked())
        return; // a forked child destroys nothing: a thread of the parent may hold the lock forever
    if (!cuc__handle_is_valid(context, CUC__HANDLE_CONTEXT)) {
        (void)cuc__handle_drop(context, CUC__HANDLE_CONTEXT); // reports the invalid handle
        return;
    }
    if (cuc__handle_drop_shared(context))
        return;
    // Hold the lock, so that the list never returns an object that is being destroyed.
    pthread_mutex_lock(&lock);
    bool last = cuc__handle_drop(context, CUC__HANDLE_CONTEXT);
    if (last)
        forget(context);
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    if (context->drop_streams)
        context->drop_streams(context);
    if (context->drop_idle)
        context->drop_idle(context);
    cuc__intern_remove_ring(&context->recent);
    pthread_mutex_destroy(&context->lock);
    cuc__handle_free(context);
}

cuc_status cuc_context_get_current(cuc_context **out)
{
    CUC_CHECK_NOT_NULL(out);
    cuc_status st = cuc__driver_init(__func__);
    return st < 0 ? st : cuc__context_current(out, __func__);
}

cuc_status cuc_context_set_current(cuc_context *context, cuc_context **previous)
{
    cuc_context *before = NULL;
    cuc_status st = cuc__driver_init(__func__);

    if (context)
        CUC_CHECK(context, CONTEXT);
    if (st >= 0 && previous)
        st = cuc__context_current(&before, __func__);
    if (st < 0)
        return st;
    CUresult r = cuc__cu.cuCtxSetCurrent(context ? context->handle : NULL);
    if (r) {
        cuc_context_release(before);
        return CUC_FAIL_CU(context, r, "cuCtxSetCurrent", "making a context current");
    }
    if (previous)
        *previous = before;
    return CUC_OK;
}

cuc_status cuc_device_set_current(cuc_device *device, cuc_context **previous)
{
    cuc_context *context;

    CUC_CHECK(device, DEVICE);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    return st < 0 ? st : CUC_PASS(cuc_context_set_current(context, previous));
}

cuc_status cuc_device_get_context(cuc_context **out, cuc_device *device)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    return cuc__device_primary(out, device, __func__);
}

cuc_status cuc_context_from_handle(cuc_context **out, void *handle)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(handle);
    cuc_status st = cuc__driver_init(__func__);
    return st < 0 ? st : cuc__context_of_handle(out, handle, __func__);
}

void *cuc_context_handle(const cuc_context *context)
{
    return context ? context->handle : NULL;
}

cuc_device *cuc_context_device(const cuc_context *context)
{
    return context ? context->device : NULL;
}

int32_t cuc_context_is_primary(const cuc_context *context)
{
    return context && context->primary;
}

int32_t cuc_context_is_lost(const cuc_context *context)
{
    const struct cuc__loss *loss = cuc__context_loss(context);

    return loss ? loss->code : 0;
}

cuc_status cuc_context_get_id(uint64_t *out, cuc_context *context)
{
    unsigned long long id;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(context, CONTEXT);
    CUresult r = cuc__cu.cuCtxGetId(context->handle, &id);
    if (r)
        return CUC_FAIL_CU(context, r, "cuCtxGetId", "asking for the context's id");
    *out = id;
    return CUC_OK;
}

cuc_status cuc_context_synchronize(cuc_context *context)
{
    CUC_CHECK(context, CONTEXT);
    cuc_status st;
    const uint32_t mark = cuc__ring_mark(&context->recent);
    CUC_CALL_IN(st, context, cuCtxSynchronize, (), "waiting for all work of device %d",
                context->device->ordinal);
    if (st == CUC_OK)
        cuc__ring_mark_all_complete(&context->recent, mark);
    cuc__deferred_poll();
    return st;
}

cuc_status cuc_device_synchronize(cuc_device *device)
{
    cuc_context *context;

    CUC_CHECK(device, DEVICE);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    return st < 0 ? st : CUC_PASS(cuc_context_synchronize(context));
}

cuc_status cuc_context_get_limit(uint64_t *out, cuc_context *context, int32_t limit)
{
    size_t value;
    bool pushed;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(context, CONTEXT);
    cuc_status st = CUC_ENTER(context, &pushed);
    if (st < 0)
        return st;
    CUresult r = cuc__cu.cuCtxGetLimit(&value, (CUlimit)limit);
    if (r)
        st = r == CUDA_ERROR_UNSUPPORTED_LIMIT
                 ? CUC_FAIL(CUC_ERROR_NOT_SUPPORTED, "device %d (%s) has no limit %d",
                            context->device->ordinal, context->device->name, limit)
                 : CUC_FAIL_CU(context, r, "cuCtxGetLimit", "reading limit %d", limit);
    st = CUC_LEAVE(context, pushed, st);
    if (st >= 0)
        *out = value;
    return st;
}

cuc_status cuc_context_set_limit(cuc_context *context, int32_t limit, uint64_t value)
{
    bool pushed;

    CUC_CHECK(context, CONTEXT);
    cuc_status st = CUC_ENTER(context, &pushed);
    if (st < 0)
        return st;
    CUresult r;
    CUC_RELAXED(r, cuc__cu.cuCtxSetLimit((CUlimit)limit, (size_t)value));
    if (r)
        st = r == CUDA_ERROR_UNSUPPORTED_LIMIT
                 ? CUC_FAIL(CUC_ERROR_NOT_SUPPORTED, "device %d (%s) has no limit %d",
                            context->device->ordinal, context->device->name, limit)
                 : CUC_FAIL_CU(context, r, "cuCtxSetLimit", "setting limit %d to %llu", limit,
                               (unsigned long long)value);
    return CUC_LEAVE(context, pushed, st);
}

cuc_status cuc_context_get_priority_range(int32_t *least, int32_t *greatest, cuc_context *context)
{
    int low, high;

    CUC_CHECK_NOT_NULL(least);
    CUC_CHECK_NOT_NULL(greatest);
    CUC_CHECK(context, CONTEXT);
    cuc_status st;
    CUC_CALL_IN(st, context, cuCtxGetStreamPriorityRange, (&low, &high),
                "reading stream priorities");
    if (st >= 0) {
        *least = low;
        *greatest = high;
    }
    return st;
}

// Pairs of contexts with peer access. The lock guards the list.
struct peers {
    struct peers *next;
    CUcontext context, peer;
};
static struct peers *all_peers;

static struct peers **find_peers(CUcontext context, CUcontext peer)
{
    struct peers **at = &all_peers;

    while (*at && ((*at)->context != context || (*at)->peer != peer))
        at = &(*at)->next;
    return at;
}

bool cuc__context_has_peer(const cuc_context *context, const cuc_context *peer)
{
    pthread_mutex_lock(&lock);
    const bool found = *find_peers(context->handle, peer->handle) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

// Records whether peer access of a pair is enabled. Takes ownership of `spare`.
static void note_peers(CUcontext context, CUcontext peer, bool enabled, struct peers *spare)
{
    pthread_mutex_lock(&lock);
    struct peers **at = find_peers(context, peer), *p = *at;
    if (p && !enabled) {
        *at = p->next;
        spare = p;
    } else if (!p && enabled) {
        *spare = (struct peers){ all_peers, context, peer };
        all_peers = spare;
        spare = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(spare);
}

// Enables or disables peer access. Checks the pair, calls the driver, and treats a redundant change
// as success.
static cuc_status peer_access(cuc_context *context, cuc_context *peer, bool enable,
                              const char *function)
{
    int32_t can = 0;
    bool pushed;

    if (context->device == peer->device)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "context and peer are both of device %d, expected two devices",
                         context->device->ordinal);
    cuc_status st = cuc_device_can_access_peer(&can, context->device, peer->device);
    if (st >= 0 && !can)
        st = cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                       "device %d cannot access the memory of device %d", context->device->ordinal,
                       peer->device->ordinal);
    struct peers *spare = enable ? calloc(1, sizeof(*spare)) : NULL;
    if (st >= 0 && enable && !spare)
        st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for peer access");
    if (st >= 0)
        st = cuc__context_enter(context, &pushed, function);
    if (st < 0) {
        free(spare);
        return st;
    }
    CUresult r;
    CUC_RELAXED(r, enable ? cuc__cu.cuCtxEnablePeerAccess(peer->handle, 0)
                          : cuc__cu.cuCtxDisablePeerAccess(peer->handle));
    if (r && r != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED && r != CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
        st = cuc__fail_driver(
            context, r, function, enable ? "cuCtxEnablePeerAccess" : "cuCtxDisablePeerAccess",
            "from device %d to device %d", context->device->ordinal, peer->device->ordinal);
    if (st >= 0)
        note_peers(context->handle, peer->handle, enable, spare);
    else
        free(spare);
    return cuc__context_leave(context, pushed, st, function);
}

cuc_status cuc_context_enable_peer_access(cuc_context *context, cuc_context *peer)
{
    CUC_CHECK(context, CONTEXT);
    CUC_CHECK(peer, CONTEXT);
    return CUC_PASS(peer_access(context, peer, true, __func__));
}

cuc_status cuc_context_disable_peer_access(cuc_context *context, cuc_context *peer)
{
    CUC_CHECK(context, CONTEXT);
    CUC_CHECK(peer, CONTEXT);
    return CUC_PASS(peer_access(context, peer, false, __func__));
}
