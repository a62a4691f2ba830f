// The driver's entry points: lookup and export of functions, the steps common to all calls, and the
// driver's start and end. shell.h describes the structure of the driver.
#include "base/array.h"
#include "graph.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static _Atomic bool forked;

// Rules and counters, by function

enum {
    CONTEXT = 1,
    QUIET = 2,
    UNSAFE = 4,
    EARLY = 8,
    TABLE = 16,
};

static const unsigned char rules[FN_COUNT] = {
#define RULE(name, flags) [FN_##name] = (flags),
#include "rules.def"
#undef RULE
};

int sim_calls[FN_COUNT], sim_calls_total;
bool sim_hidden[FN_COUNT];

// Functions that only return 0. Read without the lock, as the first step of a call.
_Atomic unsigned char sim_skip[FN_COUNT];

// Begins every call. Returns 0 and holds the lock, or returns the result of the call.
static CUresult enter(int fn)
{
    if (atomic_load_explicit(&forked, memory_order_relaxed) && !(rules[fn] & TABLE))
        return CUDA_ERROR_NOT_INITIALIZED;
    sim_lock();
    sim_calls[fn]++;
    sim_calls_total++;
    if (!sim_thread.id)
        sim_thread.id = (unsigned)++sim.threads;

    sim_finding_begin();

    CUresult code = sim_fault_due(fn);
    if (!code && sim_thread.in_callback && !(rules[fn] & EARLY))
        code = CUDA_ERROR_NOT_PERMITTED; // callbacks must not call the driver
    if (!code && !sim.initialised && !(rules[fn] & EARLY))
        code = CUDA_ERROR_NOT_INITIALIZED;
    if (!code && !sim_reserve_fill() && sim_reserve_needed(sim_function_name(fn)))
        code = CUDA_ERROR_OUT_OF_MEMORY;
    if (!code && rules[fn] & CONTEXT) {
        code = sim_current_state();
        if (!code && !(rules[fn] & QUIET))
            code = sim_current()->lost;
    }
    if (!code && rules[fn] & UNSAFE && sim_capture_forbids())
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (code) {
        sim_finding_failed(fn, code);
        sim_unlock();
    }
    return code;
}

#define ENTER(name)                          \
    do {                                     \
        CUresult entered = enter(FN_##name); \
        if (entered)                         \
            return entered;                  \
    } while (0)

// Define the exported forms of each function: full_NAME() for the full call and call_NAME(), which
// tries a fast path first. They are separate functions, so that the fast path saves no registers.
// own_NAME() is for programs that use per-thread default streams.
#define CU(name, version, params, args)                                                            \
    static __attribute__((noinline)) CUresult full_##name params                                   \
    {                                                                                              \
        ENTER(name);                                                                               \
        CUresult code = sim_##name args;                                                           \
        if (__builtin_expect(code, CUDA_SUCCESS))                                                  \
            sim_finding_failed(FN_##name, code);                                                   \
        sim_unlock();                                                                              \
        return code;                                                                               \
    }                                                                                              \
    static CUresult call_##name params                                                             \
    {                                                                                              \
        if (__builtin_expect(atomic_load_explicit(&sim_skip[FN_##name], memory_order_relaxed), 1)) \
            return CUDA_SUCCESS;                                                                   \
        return full_##name args;                                                                   \
    }                                                                                              \
    __attribute__((unused)) static CUresult own_##name params                                      \
    {                                                                                              \
        bool before = sim_thread.per_thread_default;                                               \
        sim_thread.per_thread_default = true;                                                      \
        CUresult code = call_##name args;                                                          \
        sim_thread.per_thread_default = before;                                                    \
        return code;                                                                               \
    }
#include "driver/cu.def"
#include "more.def"
#undef CU

typedef void (*any_function)(void);

static const struct {
    int version;
    any_function fn;
} functions[FN_COUNT] = {
#define CU(name, version, params, args) { version, (any_function)call_##name },
#include "driver/cu.def"
#include "more.def"
#undef CU
};

// Exports. The marker tells the library that this driver loads PTX but not cubins.

EXPORTED int cucoreSimulatedDriver = 1;

#define EXPORT(row, symbol) \
    EXPORTED extern __typeof__(call_##row) symbol __attribute__((alias("call_" #row)));
#define ALSO(row, symbol, version) EXPORT(row, symbol)
#define PER_THREAD(row, symbol) \
    EXPORTED extern __typeof__(own_##row) symbol __attribute__((alias("own_" #row)));
#define ALSO_PER_THREAD(row, symbol) PER_THREAD(row, symbol)
#include "exports.def"
#undef EXPORT
#undef ALSO
#undef PER_THREAD
#undef ALSO_PER_THREAD

static const any_function per_thread[FN_COUNT] = {
#define EXPORT(row, symbol)
#define ALSO(row, symbol, version)
#define PER_THREAD(row, symbol) [FN_##row] = (any_function)own_##row,
#define ALSO_PER_THREAD(row, symbol)
#include "exports.def"
#undef EXPORT
#undef ALSO
#undef PER_THREAD
#undef ALSO_PER_THREAD
};

// Older versions of functions, each with the row of the function that implements it.
static const struct {
    int fn, version;
} also[] = {
#define EXPORT(row, symbol)
#define ALSO(row, symbol, version) { FN_##row, version },
#define PER_THREAD(row, symbol)
#define ALSO_PER_THREAD(row, symbol)
#include "exports.def"
#undef EXPORT
#undef ALSO
#undef PER_THREAD
#undef ALSO_PER_THREAD
};

EXPORTED CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                                      CUdriverProcAddressQueryResult *found);
EXPORTED CUresult cuGetProcAddress(const char *symbol, void **out, int version, uint64_t flags);

static any_function address_of(int fn, bool own)
{
    return own && per_thread[fn] ? per_thread[fn] : functions[fn].fn;
}

// Returns the newest version of a function that is not above `version`, or -1.
static int version_of(int fn, int version)
{
    int newest = functions[fn].version <= version ? functions[fn].version : -1;

    for (size_t i = 0; i < CUC_LENGTH(also); i++)
        if (also[i].fn == fn && also[i].version <= version && also[i].version > newest)
            newest = also[i].version;
    return newest;
}

// Looks up a function. Fails only for invalid arguments. If the name is unknown, or all versions of
// the function are newer than `version`, stores NULL in *out, and *found tells which.
CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                             CUdriverProcAddressQueryResult *found)
{
    CUdriverProcAddressQueryResult unused, *result = found ? found : &unused;
    bool known = false, own = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    any_function fn = NULL;
    int newest = -1;

    if (!symbol || !out || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ||
        version > sim.version)
        return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    for (int i = sim_first_form(symbol); i < FN_COUNT; i = sim_next_form(i)) {
        if (sim_hidden[i])
            continue;
        known = true;
        const int form = version_of(i, version);
        if (form > newest) {
            newest = form;
            fn = address_of(i, own);
        }
    }
    if (strcmp(symbol, "cuGetProcAddress") == 0) {
        known = true;
        fn = version >= 12000   ? (any_function)cuGetProcAddress_v2
             : version >= 11030 ? (any_function)cuGetProcAddress
                                : NULL;
    }
    if (!known)
        *result = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    else if (!fn)
        *result = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    else
        *result = CU_GET_PROC_ADDRESS_SUCCESS;
    sim_unlock();
    memcpy(out, &fn, sizeof(*out));
    return CUDA_SUCCESS;
}

// The first version of this call, which has no status argument.
CUresult cuGetProcAddress(const char *symbol, void **out, int version, uint64_t flags)
{
    CUresult code = cuGetProcAddress_v2(symbol, out, version, flags, NULL);

    return !code && !*out ? CUDA_ERROR_NOT_FOUND : code;
}

// Initialization and errors.

CUresult sim_cuInit(unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = sim_started();
    if (code)
        return code;
    if (!sim.device_count)
        return sim.device_twice ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_NO_DEVICE;
    sim.initialised = true;
    return CUDA_SUCCESS;
}

CUresult sim_cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = sim.version;
    return CUDA_SUCCESS;
}

CUresult sim_cuGetErrorName(CUresult result, const char **text)
{
    return sim_result_text(result, text, true);
}

CUresult sim_cuGetErrorString(CUresult result, const char **text)
{
    const char *complaint = result == CUDA_ERROR_INVALID_VALUE ? sim_complaint() : NULL;

    if (!complaint || !text)
        return sim_result_text(result, text, false);
    *text = complaint;
    return CUDA_SUCCESS;
}

// Start and end

// Makes an object forget its threads: a child process has none of its parent's threads.
static void forget_thread(struct object *o, void *data)
{
    struct stream *s = (struct stream *)o;
    struct event *e = (struct event *)o;

    (void)data;
    if (o->kind == KIND_STREAM) {
        s->worker = s->running = false;
        s->sleepers = s->asleep = NULL;
    } else if (o->kind == KIND_EVENT && e->mark) {
        e->mark->sleepers = NULL;
    }
}

// Takes the lock for fork(): other threads run while fork() copies memory, and without the lock the
// child's lists could be inconsistent.
static void before_fork(void)
{
    sim_lock();
}

static void after_fork(void)
{
    sim_unlock();
}

static void forked_child(void)
{
    sim.sleepers = NULL;
    sim_visit_objects(forget_thread, NULL);
    sim.workers = 0;
    sim.undertaker = false;
    if (sim.initialised) // if cuInit() was not called, the child may use the driver
        atomic_store(&forked, true);
    sim_unlock();
}

__attribute__((constructor)) static void loaded(void)
{
    sim_configure();
    (void)pthread_atfork(before_fork, after_fork, forked_child);
}

static void end_object(struct object *o, void *data)
{
    enum kind kind = *(enum kind *)data;

    if (o->kind != kind)
        return;
    switch (kind) {
    case KIND_CONTEXT:
        if (((struct context *)o)->primary)
            sim_context_clean((struct context *)o);
        else
            sim_context_end((struct context *)o);
        break;
    case KIND_STREAM:
        sim_stream_end((struct stream *)o);
        break;
    case KIND_GREEN:
    case KIND_DESC:
        sim_green_end(o);
        break;
    case KIND_LIBRARY:
        sim_library_end((struct library *)o);
        break;
    case KIND_POOL:
        sim_pool_end((struct pool *)o);
        break;
    case KIND_LINK:
        sim_link_end(o);
        break;
    case KIND_EXEC:
        sim_exec_end((struct exec *)o);
        break;
    case KIND_GRAPH:
        if (!((struct graph *)o)->child && !((struct graph *)o)->body) // a child graph is destroyed
                                                                       // with its node
            sim_graph_end((struct graph *)o);
        break;
    case KIND_USER:
        sim_user_end((struct user_object *)o);
        break;
    default:
        break;
    }
}

void sim_end_everything(void)
{
    // The order of destruction: objects that do work first, then the objects that they use.
    static const enum kind order[] = { KIND_STREAM,  KIND_GREEN, KIND_DESC,  KIND_LIBRARY,
                                       KIND_CONTEXT, KIND_EXEC,  KIND_GRAPH, KIND_USER,
                                       KIND_LINK,    KIND_POOL };

    atomic_store(&forked, false);
    sim.clearing = true;
    sim_users_wait();
    for (size_t i = 0; i < CUC_LENGTH(order); i++) {
        enum kind kind = order[i];
        if (kind == KIND_POOL)
            sim_virtual_end();
        if (kind == KIND_POOL)
            while (sim.allocation_count)
                sim_free(sim.allocations[sim.allocation_count - 1], "a reset");
        sim_each(end_object, &kind);
    }
    sim_users_wait();
    sim.clearing = false;
    sim.generation++;
}
