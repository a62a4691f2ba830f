// The fake driver: combines the shell of src/sim/shell with host functions as kernels. Tests can
// query and set all of its state; fake.h describes the controls.
#include "base/array.h"
#include "fake_internal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Calls and faults.

static bool asked_to_skip[FN_COUNT];
static bool recording;

static int known_function(const char *name)
{
    int fn = sim_function_number(name);

    if (fn == FN_COUNT)
        sim_bug("there is no function of this name", name);
    return fn;
}

// Selects whether launches are checked and recorded, or return at once so that instructions can be
// counted.
static void choose_speed(void)
{
    for (int i = 0; i < FN_COUNT; i++)
        atomic_store(&sim_skip[i], asked_to_skip[i]);
    if (!recording && !sim_armed(FN_cuLaunchKernelEx) && !fake_any_kernel_defined())
        atomic_store(&sim_skip[FN_cuLaunchKernelEx], 1);
}

void sim_fault_fired(void)
{
    choose_speed();
}

static void arm(int fn, int nth, int code)
{
    if (nth < 1 || !code)
        sim_bug("a fault needs nth >= 1 and a code", sim_function_name(fn));
    sim_lock();
    sim_arm(fn, nth, code);
    choose_speed();
    sim_unlock();
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
    sim_lock();
    sim_disarm();
    choose_speed();
    sim_unlock();
}

int ctl_fails_armed(void)
{
    sim_lock();
    int armed = sim_armed(FN_COUNT);
    sim_unlock();
    return armed;
}

int ctl_calls(const char *function)
{
    int fn = known_function(function);

    sim_lock();
    int n = sim_calls[fn];
    sim_unlock();
    return n;
}

int ctl_calls_total(void)
{
    sim_lock();
    int n = sim_calls_total;
    sim_unlock();
    return n;
}

static void forget_calls(void)
{
    for (int i = 0; i < FN_COUNT; i++)
        sim_calls[i] = 0;
    sim_calls_total = 0;
}

void ctl_calls_reset(void)
{
    sim_lock();
    forget_calls();
    sim_unlock();
}

// Live items.

static const struct {
    const char *name;
    enum kind kind; // 0: identified by its memory instead
    bool in_total;
} kinds[] = {
    { "stream", KIND_STREAM, true },   { "event", KIND_EVENT, true },
    { "context", KIND_CONTEXT, true }, { "library", KIND_LIBRARY, true },
    { "pool", KIND_POOL, true },       { "link", KIND_LINK, true },
    { "graph", KIND_GRAPH, true },     { "exec", KIND_EXEC, true },
    { "user", KIND_USER, true },       { "green", KIND_GREEN, true },
    { "allocation", 0, true },         { "registration", 0, true },
    { "primary", 0, false },           { "virtual", 0, true }, // memory and addresses
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

    sim_visit_objects(count_object, &c);
    if (kinds[row].kind)
        return c.count[kinds[row].kind];
    if (strcmp(kinds[row].name, "primary") == 0)
        return c.primaries;
    if (strcmp(kinds[row].name, "virtual") == 0)
        return sim_virtual_count();

    int n = 0;
    bool registrations = strcmp(kinds[row].name, "registration") == 0;
    for (size_t i = 0; i < sim.allocation_count; i++) {
        const struct allocation *a = sim.allocations[i];
        if (a->memory != MEMORY_VARIABLE && !a->freeing && !sim_asleep(a))
            n += (a->memory == MEMORY_REGISTERED) == registrations;
    }
    return n;
}

int ctl_live(const char *kind)
{
    for (size_t i = 0; i < CUC_LENGTH(kinds); i++) {
        if (strcmp(kinds[i].name, kind) == 0) {
            sim_lock();
            int n = live(i);
            sim_unlock();
            return n;
        }
    }
    sim_bug("nothing alive is of this kind", kind);
}

int ctl_live_total(void)
{
    int n = 0;

    sim_lock();
    for (size_t i = 0; i < CUC_LENGTH(kinds); i++)
        n += kinds[i].in_total ? live(i) : 0;
    sim_unlock();
    return n;
}

void ctl_set_version(int version)
{
    sim_lock();
    sim.version = version;
    sim_unlock();
}

void ctl_hide(const char *function)
{
    int fn = known_function(function);

    sim_lock();
    sim_hidden[fn] = true;
    sim_unlock();
}

void ctl_show_all(void)
{
    sim_lock();
    for (int i = 0; i < FN_COUNT; i++)
        sim_hidden[i] = false;
    sim_unlock();
}

void ctl_set_async(int on)
{
    sim_lock();
    sim.async = on != 0;
    sim_unlock();
}

void ctl_do_nothing(const char *function, int on)
{
    int fn = known_function(function);

    sim_lock();
    asked_to_skip[fn] = on != 0;
    choose_speed();
    sim_unlock();
}

// Devices.

static struct device *settable(int device)
{
    if (device < 0 || device >= SIM_DEVICES)
        sim_bug("no such device", "fake.h");
    return &sim.devices[device];
}

void ctl_set_device_count(int count)
{
    if (count < 0 || count > SIM_DEVICES)
        sim_bug("0 to 8 devices are possible", "fake_set_device_count");
    sim_lock();
    sim.device_count = count;
    sim_unlock();
}

void ctl_set_attribute(int device, int attribute, int value)
{
    if (attribute < 1 || attribute >= SIM_ATTRIBUTES)
        sim_bug("no such attribute", "fake_set_attribute");
    sim_lock();
    settable(device)->attributes[attribute] = value;
    sim_unlock();
}

void ctl_set_total_memory(size_t bytes)
{
    sim_lock();
    for (int i = 0; i < SIM_DEVICES; i++)
        sim.devices[i].total = bytes;
    sim_unlock();
}

int ctl_allocated(CUdeviceptr ptr)
{
    sim_lock();
    const struct allocation *a = sim_find(ptr);
    bool yes = a && !a->freeing && !sim_asleep(a) && a->memory != MEMORY_REGISTERED;
    sim_unlock();
    return yes;
}

// Streams.

static void set_held(CUstream stream, bool held)
{
    sim_lock();
    sim_stream_or_destroyed(stream)->held = held;
    sim_changed();
    sim_unlock();
}

void ctl_hold(CUstream stream)
{
    set_held(stream, true);
}

void ctl_resume(CUstream stream)
{
    set_held(stream, false);
}

int ctl_pending(CUstream stream)
{
    sim_lock();
    const struct stream *s = sim_stream_or_destroyed(stream);
    int n = (int)(s->submitted - s->done);
    sim_unlock();
    return n;
}

int ctl_captured(CUstream stream)
{
    sim_lock();
    int n = sim_stream_or_destroyed(stream)->captured;
    sim_unlock();
    return n;
}

void ctl_poison(void *context_or_stream, int code)
{
    sim_lock();
    struct context *c = sim_object(context_or_stream, KIND_CONTEXT);
    sim_lose(c ? c : sim_stream_or_destroyed(context_or_stream)->head.context, code);
    sim_unlock();
}

// Launches.

static struct fake_launch latest;
static bool any;
static uint64_t launches_before; // count at the last reset

void ctl_record_launches(int on)
{
    sim_lock();
    recording = on != 0;
    choose_speed();
    sim_unlock();
}

void ctl_define_kernel(const char *name, fake_kernel_fn fn)
{
    sim_lock();
    *fake_kernel_slot(name) = fn;
    choose_speed();
    sim_unlock();
}

int ctl_launch_count(void)
{
    sim_lock();
    int n = (int)(sim.launches - launches_before);
    sim_unlock();
    return n;
}

int ctl_condition_set(uint64_t handle, uint32_t value)
{
    return sim_condition_set(handle, value);
}

int ctl_last_launch(struct fake_launch *out)
{
    sim_lock();
    int given = any;
    if (any) {
        *out = latest;
        out->config.attrs = out->config.numAttrs ? out->attributes : NULL;
        for (unsigned i = 0; i < out->param_count; i++)
            out->params[i] = out->bytes + out->param_offset[i];
    }
    sim_unlock();
    return given;
}

static void record(const struct launch *l, const struct kernel *k)
{
    strncpy(latest.kernel, k->name, sizeof(latest.kernel) - 1);
    latest.config = l->config;
    memcpy(latest.attributes, l->attributes, sizeof(latest.attributes));
    latest.param_count = (unsigned)k->parameter_count;
    for (size_t i = 0; i < k->parameter_count; i++) {
        latest.param_offset[i] = k->parameters[i].offset;
        latest.param_bytes[i] = k->parameters[i].bytes;
    }
    memcpy(latest.bytes, l->bytes, k->parameter_bytes);
    any = true;
}

CUresult sim_code_prepare(struct launch *l, const struct kernel *k, struct context *context)
{
    (void)context;
    if (k->parameter_count > FAKE_LAUNCH_PARAMETERS)
        sim_bug("more parameters than there is room for", k->name);
    for (size_t i = 0; i < k->parameter_count; i++)
        l->params[i] = l->bytes + k->parameters[i].offset;
    l->host = *(fake_kernel_fn *)k->code;
    if (recording)
        record(l, k);
    return CUDA_SUCCESS;
}

CUresult sim_code_run(struct launch *l)
{
    l->host(l->params, &l->config);
    return CUDA_SUCCESS;
}

void sim_note_allocated(CUdeviceptr ptr, size_t bytes)
{
    (void)ptr;
    (void)bytes;
}

void sim_note_freed(CUdeviceptr ptr, size_t bytes)
{
    (void)ptr;
    (void)bytes;
}

void sim_note_written(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    (void)to;
    (void)from;
    (void)bytes;
}

void sim_code_done(struct launch *l)
{
    (void)l;
}

// Start and end.

static int environment(const char *name, int otherwise)
{
    const char *value = getenv(name);

    return value && *value ? atoi(value) : otherwise;
}

void sim_configure(void)
{
    sim.version = environment("FAKE_VERSION", 13000);
    sim.device_count = environment("FAKE_DEVICES", 2);
    if (sim.device_count < 0 || sim.device_count > SIM_DEVICES)
        sim_bug("the number of devices is out of range", "FAKE_DEVICES");
    sim.async = false;
    sim.background = false;
    sim.guard = true;
    sim.fresh_most = (size_t)64 << 20;
    for (int i = 0; i < SIM_DEVICES; i++) {
        struct device *d = &sim.devices[i];
        sim_profile(d, 90, i);
        d->total = (size_t)139 << 30;
        snprintf(d->name, sizeof(d->name), "NVIDIA H200 (fake)");
    }
    recording = true;
    sim_disarm();
    for (int i = 0; i < FN_COUNT; i++)
        sim_hidden[i] = asked_to_skip[i] = false;
    forget_calls();
    choose_speed();
}

CUresult sim_started(void)
{
    return CUDA_SUCCESS;
}

const char *sim_complaint(void)
{
    return NULL;
}

void ctl_reset(void)
{
    sim_lock();
    sim_end_everything();
    fake_kernels_forget();
    any = false;
    launches_before = sim.launches;
    sim_configure();
    sim_unlock();
}

__attribute__((visibility("default"))) extern const struct fake_control fake_control;

const struct fake_control fake_control = {
#define CONTROL(result, name, params, args) .name = ctl_##name,
#define CONTROL_VOID(name, params, args) .name = ctl_##name,
#include "fake_control.def"
#undef CONTROL
#undef CONTROL_VOID
};
