// The fake driver's front: finding functions, what is common to all calls, objects, and control.
// fake.h says what it is for, fake_internal.h how it is made.
#include "fake_internal.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct fake fake = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
_Thread_local struct fake_thread fake_thread;

static _Atomic bool forked;

// Rules and counters, by function.

enum {
    CONTEXT = 1,
    QUIET = 2,
    UNSAFE = 4,
    EARLY = 8,
};

static const unsigned char rules[FN_COUNT] = {
#define RULE(name, flags) [FN_##name] = (flags),
#include "fake_rules.def"
#undef RULE
};

struct fault {
    int left; // calls until it happens; 0 is unused
    int fn;   // FN_COUNT for any
    int code;
};

static struct fault faults[32];
static int calls[FN_COUNT], calls_total;
static bool hidden[FN_COUNT];

// Functions that do nothing but return 0; read without the lock, before anything else.
static _Atomic unsigned char fast[FN_COUNT];
static bool asked_fast[FN_COUNT];

void fake_bug(const char *what, const char *name)
{
    fprintf(stderr, "fake driver: %s: %s\n", what, name);
    abort();
}

void *fake_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);

    if (!p)
        fake_bug("no memory", "calloc");
    return p;
}

void fake_lock(void)
{
    pthread_mutex_lock(&fake.lock);
}

void fake_unlock(void)
{
    pthread_mutex_unlock(&fake.lock);
}

void fake_changed(void)
{
    pthread_cond_broadcast(&fake.changed);
}

void fake_wait(void)
{
    pthread_cond_wait(&fake.changed, &fake.lock);
}

// The fault of this call, if one is due. Every armed fault that the call is counted by moves on.
static CUresult fault(int fn)
{
    CUresult code = CUDA_SUCCESS;
    bool fired = false;

    for (size_t i = 0; i < LENGTH(faults); i++) {
        struct fault *f = &faults[i];
        if (!f->left || (f->fn != fn && f->fn != FN_COUNT))
            continue;
        if (--f->left == 0 && !code) {
            code = f->code;
            fired = true;
        }
    }
    if (fired)
        fake_launch_speed();
    return code;
}

// The head of every call: 0 with the lock held, or the call's result.
static CUresult enter(int fn)
{
    if (atomic_load_explicit(&forked, memory_order_relaxed))
        return CUDA_ERROR_NOT_INITIALIZED;
    fake_lock();
    calls[fn]++;
    calls_total++;
    if (!fake_thread.id)
        fake_thread.id = (unsigned)++fake.threads;

    CUresult code = fault(fn);
    if (!code && fake_thread.in_callback && !(rules[fn] & EARLY))
        code = CUDA_ERROR_NOT_PERMITTED; // callbacks must not call the driver
    if (!code && !fake.initialised && !(rules[fn] & EARLY))
        code = CUDA_ERROR_NOT_INITIALIZED;
    if (!code && rules[fn] & CONTEXT) {
        code = fake_current_state();
        if (!code && !(rules[fn] & QUIET))
            code = fake_current()->lost;
    }
    if (!code && rules[fn] & UNSAFE && fake_capture_forbids())
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (code)
        fake_unlock();
    return code;
}

#define ENTER(name)                          \
    do {                                     \
        CUresult entered = enter(FN_##name); \
        if (entered)                         \
            return entered;                  \
    } while (0)

// What the driver gives out: the fast way out, then the call in full. Two functions, so that the
// first one saves no registers.
#define CU(name, version, params, args)                                                        \
    static __attribute__((noinline)) CUresult full_##name params                               \
    {                                                                                          \
        ENTER(name);                                                                           \
        CUresult code = fake_##name args;                                                      \
        fake_unlock();                                                                         \
        return code;                                                                           \
    }                                                                                          \
    static CUresult call_##name params                                                         \
    {                                                                                          \
        if (__builtin_expect(atomic_load_explicit(&fast[FN_##name], memory_order_relaxed), 1)) \
            return CUDA_SUCCESS;                                                               \
        return full_##name args;                                                               \
    }
#include "driver/cu.def"
#undef CU

static const struct {
    const char *name;
    int version;
    void (*fn)(void);
} functions[FN_COUNT] = {
#define CU(name, version, params, args) { #name, version, (void (*)(void))call_##name },
#include "driver/cu.def"
#undef CU
};

static int function_number(const char *name)
{
    for (int i = 0; i < FN_COUNT; i++)
        if (strcmp(functions[i].name, name) == 0)
            return i;
    return FN_COUNT;
}

static int known_function(const char *name)
{
    int fn = function_number(name);

    if (fn == FN_COUNT)
        fake_bug("cu.def has no function of this name", name);
    return fn;
}

// Exports. The marker tells the library that this driver loads PTX and no cubin.

EXPORT int cucoreSimulatedDriver = 1;

EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                                    CUdriverProcAddressQueryResult *found);
EXPORT CUresult cuDriverGetVersion(int *version);

CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                             CUdriverProcAddressQueryResult *found)
{
    CUdriverProcAddressQueryResult unused, *result = found ? found : &unused;

    if (!symbol || !out || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    fake_lock();
    int fn = function_number(symbol);
    if (fn == FN_COUNT || hidden[fn])
        *result = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    else if (functions[fn].version > version || version > fake.version)
        *result = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    else
        *result = CU_GET_PROC_ADDRESS_SUCCESS;
    fake_unlock();
    *out = NULL;
    if (*result != CU_GET_PROC_ADDRESS_SUCCESS)
        return CUDA_ERROR_NOT_FOUND;
    memcpy(out, &functions[fn].fn, sizeof(*out));
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    return call_cuDriverGetVersion(version);
}

// Start and errors.

CUresult fake_cuInit(unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!fake.device_count)
        return CUDA_ERROR_NO_DEVICE;
    fake.initialised = true;
    return CUDA_SUCCESS;
}

CUresult fake_cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = fake.version;
    return CUDA_SUCCESS;
}

static const struct {
    CUresult code;
    const char *name, *text;
} results[] = {
#define CU_RESULT(symbol, value, sticky, meaning, remedy) { value, #symbol, meaning },
#include "explain/cu_result.def"
#undef CU_RESULT
};

static CUresult result_text(CUresult code, const char **out, bool name)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = NULL;
    for (size_t i = 0; i < LENGTH(results) && !*out; i++)
        if (results[i].code == code)
            *out = name ? results[i].name : results[i].text;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult fake_cuGetErrorName(CUresult result, const char **text)
{
    return result_text(result, text, true);
}

CUresult fake_cuGetErrorString(CUresult result, const char **text)
{
    return result_text(result, text, false);
}

// Control.

void fake_launch_speed(void)
{
    bool armed = false;

    for (size_t i = 0; i < LENGTH(faults); i++)
        armed |= faults[i].left &&
                 (faults[i].fn == FN_cuLaunchKernelEx || faults[i].fn == FN_COUNT);
    for (int i = 0; i < FN_COUNT; i++)
        atomic_store(&fast[i], asked_fast[i]);
    if (!fake.recording && !armed && !fake_any_kernel_defined())
        atomic_store(&fast[FN_cuLaunchKernelEx], 1);
}

static void arm(int fn, int nth, int code)
{
    if (nth < 1 || !code)
        fake_bug("a fault needs nth >= 1 and a code", fn < FN_COUNT ? functions[fn].name : "any");
    fake_lock();
    size_t i = 0;
    while (i < LENGTH(faults) && faults[i].left)
        i++;
    if (i == LENGTH(faults))
        fake_bug("too many faults", "armed");
    faults[i] = (struct fault){ .left = nth, .fn = fn, .code = code };
    fake_launch_speed();
    fake_unlock();
}

void ctl_fail(const char *function, int nth, int code)
{
    arm(known_function(function), nth, code);
}

void ctl_fail_any(int nth, int code)
{
    arm(FN_COUNT, nth, code);
}

void ctl_fail_reset(void)
{
    fake_lock();
    memset(faults, 0, sizeof(faults));
    fake_launch_speed();
    fake_unlock();
}

int ctl_fails_armed(void)
{
    int armed = 0;

    fake_lock();
    for (size_t i = 0; i < LENGTH(faults); i++)
        armed += faults[i].left > 0;
    fake_unlock();
    return armed;
}

int ctl_calls(const char *function)
{
    int fn = known_function(function);

    fake_lock();
    int n = calls[fn];
    fake_unlock();
    return n;
}

int ctl_calls_total(void)
{
    fake_lock();
    int n = calls_total;
    fake_unlock();
    return n;
}

static void forget_calls(void)
{
    memset(calls, 0, sizeof(calls));
    calls_total = 0;
}

void ctl_calls_reset(void)
{
    fake_lock();
    forget_calls();
    fake_unlock();
}

static const struct {
    const char *name;
    enum kind kind; // or 0: looked at by memory
    bool in_total;
} kinds[] = {
    { "stream", KIND_STREAM, true },   { "event", KIND_EVENT, true },
    { "context", KIND_CONTEXT, true }, { "library", KIND_LIBRARY, true },
    { "pool", KIND_POOL, true },       { "link", KIND_LINK, true },
    { "graph", KIND_GRAPH, true },     { "allocation", 0, true },
    { "registration", 0, true },       { "primary", 0, false },
};

struct census {
    int count[KIND_COUNT];
    int primaries;
};

static void count_object(struct object *o, void *data)
{
    struct census *c = data;

    if (o->kind == KIND_CONTEXT && ((struct context *)o)->primary)
        c->primaries++;
    else if (!o->gone && !o->builtin)
        c->count[o->kind]++;
}

// Called with the lock held.
static int live(size_t row)
{
    struct census c = { 0 };

    fake_look(count_object, &c);
    if (kinds[row].kind)
        return c.count[kinds[row].kind];
    if (strcmp(kinds[row].name, "primary") == 0)
        return c.primaries;

    int n = 0;
    bool registrations = strcmp(kinds[row].name, "registration") == 0;
    for (size_t i = 0; i < fake.allocation_count; i++) {
        const struct allocation *a = fake.allocations[i];
        if (a->memory != MEMORY_VARIABLE && !a->freeing)
            n += (a->memory == MEMORY_REGISTERED) == registrations;
    }
    return n;
}

int ctl_live(const char *kind)
{
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        if (strcmp(kinds[i].name, kind) == 0) {
            fake_lock();
            int n = live(i);
            fake_unlock();
            return n;
        }
    }
    fake_bug("nothing alive is of this kind", kind);
}

int ctl_live_total(void)
{
    int n = 0;

    fake_lock();
    for (size_t i = 0; i < LENGTH(kinds); i++)
        n += kinds[i].in_total ? live(i) : 0;
    fake_unlock();
    return n;
}

void ctl_set_version(int version)
{
    fake_lock();
    fake.version = version;
    fake_unlock();
}

void ctl_hide(const char *function)
{
    int fn = known_function(function);

    fake_lock();
    hidden[fn] = true;
    fake_unlock();
}

void ctl_show_all(void)
{
    fake_lock();
    memset(hidden, 0, sizeof(hidden));
    fake_unlock();
}

void ctl_set_async(int on)
{
    fake_lock();
    fake.async = on != 0;
    fake_unlock();
}

void ctl_record_launches(int on)
{
    fake_lock();
    fake.recording = on != 0;
    fake_launch_speed();
    fake_unlock();
}

void ctl_do_nothing(const char *function, int on)
{
    int fn = known_function(function);

    fake_lock();
    asked_fast[fn] = on != 0;
    fake_launch_speed();
    fake_unlock();
}

static int environment(const char *name, int otherwise)
{
    const char *value = getenv(name);

    return value && *value ? atoi(value) : otherwise;
}

// The settings of a fresh driver.
static void defaults(void)
{
    fake.version = environment("FAKE_VERSION", 13000);
    fake.device_count = environment("FAKE_DEVICES", 2);
    if (fake.device_count < 0 || fake.device_count > FAKE_DEVICES)
        fake_bug("the number of devices is out of range", "FAKE_DEVICES");
    fake.async = false;
    fake.recording = true;
    memset(faults, 0, sizeof(faults));
    memset(hidden, 0, sizeof(hidden));
    memset(asked_fast, 0, sizeof(asked_fast));
    forget_calls();
    fake_devices_init();
    fake_launch_speed();
}

// Threads stay in the parent.
static void forget_thread(struct object *o, void *data)
{
    (void)data;
    if (o->kind == KIND_STREAM)
        ((struct stream *)o)->worker = ((struct stream *)o)->running = false;
}

static void forked_child(void)
{
    // Before cuInit a child is as good as its parent, but for a lock that another thread held.
    fake.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    fake.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    fake_look(forget_thread, NULL);
    fake.workers = 0;
    if (fake.initialised)
        atomic_store(&forked, true);
}

__attribute__((constructor)) static void loaded(void)
{
    defaults();
    (void)pthread_atfork(NULL, NULL, forked_child);
}

static void end_object(struct object *o, void *data)
{
    enum kind kind = *(enum kind *)data;

    if (o->kind != kind)
        return;
    switch (kind) {
    case KIND_CONTEXT:
        if (((struct context *)o)->primary)
            fake_context_clean((struct context *)o);
        else
            fake_context_end((struct context *)o);
        break;
    case KIND_STREAM:
        fake_stream_end((struct stream *)o);
        break;
    case KIND_LIBRARY:
        fake_library_end((struct library *)o);
        break;
    case KIND_POOL:
        fake_pool_end((struct pool *)o);
        break;
    case KIND_LINK:
        fake_link_end(o);
        break;
    case KIND_GRAPH:
        fake_graph_end((struct graph *)o);
        break;
    default:
        break;
    }
}

void ctl_reset(void)
{
    // In this order: what works first, then what it works on.
    static const enum kind order[] = { KIND_STREAM, KIND_LIBRARY, KIND_CONTEXT,
                                       KIND_GRAPH,  KIND_LINK,    KIND_POOL };

    atomic_store(&forked, false);
    fake_lock();
    for (size_t i = 0; i < LENGTH(order); i++) {
        enum kind kind = order[i];
        if (kind == KIND_POOL)
            while (fake.allocation_count)
                fake_free(fake.allocations[fake.allocation_count - 1]);
        fake_each(end_object, &kind);
    }
    fake_kernels_forget();
    fake_launches_forget();
    fake.generation++;
    defaults();
    fake_unlock();
}

EXPORT extern const struct fake_control fake_control;

const struct fake_control fake_control = {
#define CONTROL(result, name, params, args) .name = ctl_##name,
#define CONTROL_VOID(name, params, args) .name = ctl_##name,
#include "fake_control.def"
#undef CONTROL
#undef CONTROL_VOID
};
