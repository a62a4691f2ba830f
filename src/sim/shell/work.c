// Executes the work of streams in order: at once if nothing has to wait, otherwise on the stream's
// own thread.
#include "graph.h"

#include <stdlib.h>
#include <string.h>

// Marks. They are reference counted, since an event may be destroyed while a stream still waits for
// it.

struct mark *sim_mark_new(void)
{
    struct mark *m = sim.free_marks;

    if (m)
        sim.free_marks = m->next_free;
    else
        m = sim_alloc(sizeof(*m));
    *m = (struct mark){ .refs = 1 };
    return m;
}

struct mark *sim_mark_retain(struct mark *mark)
{
    mark->refs++;
    return mark;
}

void sim_mark_drop(struct mark *mark)
{
    if (!mark || --mark->refs)
        return;
    mark->next_free = sim.free_marks;
    sim.free_marks = mark;
}

// Operations. `ready` returns true if the operation at the head of a queue can run; in a lost
// context, nothing waits. `run` performs it, and receives the context's error. `drop` releases its
// resources.

static uint64_t read_word(const struct work *w)
{
    const void *at = (const void *)(uintptr_t)w->word.address;
    uint32_t v32;
    uint64_t v64;

    if (w->word.bytes == 4) {
        __atomic_load((const uint32_t *)at, &v32, __ATOMIC_ACQUIRE);
        return v32;
    }
    __atomic_load((const uint64_t *)at, &v64, __ATOMIC_ACQUIRE);
    return v64;
}

static bool word_ready(struct work *w)
{
    if (sim_check_range(w->word.address, w->word.bytes, true))
        return true; // run_wait() reports the error
    uint64_t now = read_word(w), value = w->word.value;

    switch (w->word.flags & 3) {
    case CU_STREAM_WAIT_VALUE_GEQ: // cyclic, since counters wrap around
        return w->word.bytes == 4 ? (int32_t)((uint32_t)now - (uint32_t)value) >= 0
                                  : (int64_t)(now - value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return now == value;
    case CU_STREAM_WAIT_VALUE_AND:
        return (now & value) != 0;
    default:
        value = ~(now | value);
        return (w->word.bytes == 4 ? (uint32_t)value : value) != 0;
    }
}

static bool mark_ready(struct work *w)
{
    return w->mark->done;
}

static bool order_ready(struct work *w)
{
    const struct stream *s = sim_object_or_destroyed((const void *)w->order.stream, KIND_STREAM);

    return !s || s->done >= w->order.until;
}

static void reach_mark(struct mark *mark)
{
    mark->done = true;
    sim_wake(&mark->sleepers, SIM_END);
}

static void run_mark(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    (void)lost;
    clock_gettime(CLOCK_MONOTONIC, &w->mark->when);
    reach_mark(w->mark);
}

static void drop_mark(struct work *w)
{
    reach_mark(w->mark); // releases all who wait for the dropped work
    sim_mark_drop(w->mark);
}

static void drop_wait(struct work *w)
{
    sim_mark_drop(w->mark);
}

// Returns true for work that would delay a caller, or hold the lock, for long.
static bool long_work(const struct work *w)
{
    enum { SHORT = 65536 }; // bytes

    if (!sim.background)
        return false;
    switch (w->op) {
    case OP_KERNEL:
        return true;
    case OP_COPY:
        return w->copy.width * w->copy.height * w->copy.depth > SHORT;
    case OP_FILL:
        return w->fill.width * w->fill.height * w->fill.element > SHORT;
    default:
        return false;
    }
}

// Records a fault of enqueued work, rather than of a call. The context is lost, as on a GPU.
static void fault(struct stream *stream, CUresult code)
{
    if (code)
        sim_lose(stream->head.context, code);
}

static void run_write(struct work *w, struct stream *stream, CUresult lost)
{
    void *at = (void *)(uintptr_t)w->word.address;
    uint32_t v32 = (uint32_t)w->word.value;

    CUresult code = lost ? lost : sim_check_range(w->word.address, w->word.bytes, true);

    if (code) {
        fault(stream, lost ? CUDA_SUCCESS : code);
        return;
    }
    sim_note_written(w->word.address, 0, w->word.bytes);
    if (w->word.bytes == 4)
        __atomic_store((uint32_t *)at, &v32, __ATOMIC_RELEASE);
    else
        __atomic_store((uint64_t *)at, &w->word.value, __ATOMIC_RELEASE);
}

static void run_wait(struct work *w, struct stream *stream, CUresult lost)
{
    if (!lost)
        fault(stream, sim_check_range(w->word.address, w->word.bytes, true));
}

static void run_copy(struct work *w, struct stream *stream, CUresult lost)
{
    if (!lost)
        fault(stream, sim_run_copy(&w->copy, long_work(w)));
}

static void drop_copy(struct work *w)
{
    free(w->copy.staged);
}

static void run_fill(struct work *w, struct stream *stream, CUresult lost)
{
    if (!lost)
        fault(stream, sim_run_fill(&w->fill, long_work(w)));
}

static void run_host(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    if (lost)
        return;
    sim_thread.in_callback = true;
    sim_unlock();
    w->host.fn(w->host.user);
    sim_lock();
    sim_thread.in_callback = false;
}

static void run_callback(struct work *w, struct stream *stream, CUresult lost)
{
    struct context *c = stream->head.context;
    CUstream handle = !stream->head.builtin ? SIM_HANDLE(CUstream, stream)
                      : stream == c->legacy ? CU_STREAM_LEGACY
                                            : CU_STREAM_PER_THREAD;

    sim_thread.in_callback = true;
    sim_unlock();
    w->callback.fn(handle, lost, w->callback.user);
    sim_lock();
    sim_thread.in_callback = false;
}

static void run_kernel(struct work *w, struct stream *stream, CUresult lost)
{
    if (lost || (!w->launch->code && !w->launch->host))
        return;
    sim_thread.in_callback = true;
    sim_unlock();
    CUresult code = sim_code_run(w->launch);
    sim_lock();
    sim_thread.in_callback = false;
    fault(stream, code);
}

static void drop_kernel(struct work *w)
{
    sim_launch_drop(w->launch);
}

static void run_free(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    (void)lost;
    sim_free(w->allocation, "cuMemFreeAsync");
    w->allocation = NULL;
}

static void drop_free(struct work *w)
{
    if (w->allocation) // the work never ran, because of a reset or the end of its context
        sim_free(w->allocation, "cuMemFreeAsync");
}

static void run_wake(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    (void)lost;
    sim_graph_memory_wake(w->allocation);
}

static void run_sleep(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    (void)lost;
    sim_graph_memory_sleep(w->allocation, "cuMemFreeAsync");
}

static void drop_memory(struct work *w)
{
    sim_graph_memory_drop(w->allocation);
}

static void drop_end(struct work *w)
{
    reach_mark(w->end.mark); // lets the next launch begin
    sim_mark_drop(w->end.mark);
    sim_exec_drop(w->end.exec);
}

static void run_branch(struct work *w, struct stream *stream, CUresult lost)
{
    if (!lost)
        sim_branch_run(w->branch, stream);
}

static void run_assign(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    (void)lost;
    sim_condition_assign(sim_branch_condition(w->branch));
}

static void drop_branch(struct work *w)
{
    sim_branch_drop(w->branch);
}

static const struct {
    bool (*ready)(struct work *work);
    void (*run)(struct work *work, struct stream *stream, CUresult lost);
    void (*drop)(struct work *work);
    bool own_thread; // must not run within the call that submits it
} ops[] = {
    [OP_NOTHING] = { 0 },
    [OP_MARK] = { .run = run_mark, .drop = drop_mark },
    [OP_WAIT_MARK] = { .ready = mark_ready, .drop = drop_wait },
    [OP_WAIT_STREAM] = { .ready = order_ready },
    [OP_WAIT_VALUE] = { .ready = word_ready, .run = run_wait },
    [OP_WRITE_VALUE] = { .run = run_write },
    [OP_COPY] = { .run = run_copy, .drop = drop_copy },
    [OP_FILL] = { .run = run_fill },
    [OP_HOST] = { .run = run_host, .own_thread = true },
    [OP_CALLBACK] = { .run = run_callback, .own_thread = true },
    [OP_KERNEL] = { .run = run_kernel, .drop = drop_kernel },
    [OP_FREE] = { .run = run_free, .drop = drop_free },
    [OP_WAKE] = { .run = run_wake, .drop = drop_memory },
    [OP_SLEEP] = { .run = run_sleep, .drop = drop_memory },
    [OP_END] = { .drop = drop_end },
    [OP_BRANCH] = { .run = run_branch, .drop = drop_branch, .own_thread = true },
    [OP_ASSIGN] = { .run = run_assign, .drop = drop_branch },
};

struct work sim_work_copy(const struct work *work)
{
    if (work->op == OP_KERNEL)
        work->launch->refs++;
    else if (work->op == OP_WAKE || work->op == OP_SLEEP)
        sim_graph_memory_retain(work->allocation);
    else if (work->op == OP_BRANCH || work->op == OP_ASSIGN)
        sim_branch_retain(work->branch);
    return *work;
}

void sim_work_drop(struct work *work)
{
    if (ops[work->op].drop)
        ops[work->op].drop(work);
}

void sim_work_run(struct work *work, struct stream *stream)
{
    if (ops[work->op].run)
        ops[work->op].run(work, stream, stream->head.context->lost);
}

static void finish(struct stream *s, struct work *w)
{
    sim_work_drop(w);
    s->done++;
    sim_wake(&s->sleepers, s->head.gone ? SIM_END : s->done);
    if (s->first)
        sim_stream_wake(s);
}

static void perform(struct stream *s, struct work *w)
{
    s->running = true;
    sim_finding_begin();
    sim_work_run(w, s);
    s->running = false;
    finish(s, w);
}

static bool runnable(struct stream *s, struct work *w)
{
    if (s->running)
        return false;
    if (s->head.context->lost)
        return true;
    return !s->held && (!ops[w->op].ready || ops[w->op].ready(w));
}

static struct work *take(struct stream *s)
{
    struct work *w = s->first;

    s->first = w->next;
    if (!s->first)
        s->last = NULL;
    return w;
}

static void recycle(struct work *w)
{
    w->next = sim.free_work;
    sim.free_work = w;
}

// Sleeps until the work at the head of a stream may be ready.
static void wait_for_head(struct stream *s)
{
    const struct work *w = s->first;
    struct stream *other;

    if (!w || s->running || s->held) {
        sim_sleep(&s->asleep, NULL, 0, false);
    } else if (w->op == OP_WAIT_MARK) {
        sim_sleep(&s->asleep, &w->mark->sleepers, 0, false);
    } else if (w->op == OP_WAIT_STREAM &&
               (other = sim_object_or_destroyed((const void *)w->order.stream, KIND_STREAM))) {
        sim_sleep(&s->asleep, &other->sleepers, w->order.until, false);
    } else {
        // Memory changes without notification, so poll the value.
        sim_sleep(&s->asleep, NULL, 0, true);
    }
}

void sim_stream_wake(struct stream *s)
{
    if (s->asleep && s->asleep->at_all)
        sim_wake_one(s->asleep);
}

static void *stream_thread(void *data)
{
    struct stream *s = data;

    sim_lock();
    while (s->first || !s->head.gone) {
        if (s->first && runnable(s, s->first)) {
            struct work *w = take(s);
            perform(s, w);
            recycle(w);
        } else {
            wait_for_head(s);
        }
    }
    s->worker = false;
    sim.workers--;
    sim_wake(&s->sleepers, SIM_END);
    sim_unlock();
    return NULL;
}

CUresult sim_stream_thread(struct stream *s)
{
    pthread_attr_t detached;
    pthread_t thread;

    if (s->worker)
        return CUDA_SUCCESS;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    int failed = pthread_create(&thread, &detached, stream_thread, s);
    pthread_attr_destroy(&detached);
    if (failed) {
        sim_warn("no thread is to be had for a stream: %s", strerror(failed));
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    s->worker = true;
    sim.workers++;
    return CUDA_SUCCESS;
}

// Drops the work of a stream that cannot continue, and returns an error. If the stream has no
// thread, its queue contains only the work of this call.
static CUresult stuck(struct stream *s)
{
    if (!s->first || s->worker)
        return CUDA_SUCCESS;
    sim_stream_drop(s);
    return CUDA_ERROR_OPERATING_SYSTEM;
}

void sim_enqueue(struct stream *s, const struct work *work)
{
    struct work *w = sim.free_work;

    if (w)
        sim.free_work = w->next;
    else
        w = sim_alloc(sizeof(*w));
    *w = *work;
    w->next = NULL;
    if (s->last)
        s->last->next = w;
    else
        s->first = w;
    s->last = w;
    s->submitted++;
    (void)sim_stream_thread(s); // if it fails, the caller drops the work
    if (s->first == w)
        sim_stream_wake(s);
}

bool sim_idle(const struct stream *s)
{
    return s->done == s->submitted;
}

// Implements the order of the legacy default stream: its work begins after all work of the
// context's blocking streams, and vice versa.
static void order_after(struct stream *s, struct stream *other)
{
    if (other && other != s && !sim_idle(other))
        sim_enqueue(s, &(struct work){
                           .op = OP_WAIT_STREAM,
                           .order = { .stream = other->head.handle, .until = other->submitted } });
}

static void order_visit(struct object *o, void *data)
{
    struct stream *s = data, *other = (struct stream *)o;

    if (o->kind == KIND_STREAM && o->context == s->head.context &&
        !(other->flags & CU_STREAM_NON_BLOCKING))
        order_after(s, other);
}

CUresult sim_order(struct stream *s)
{
    struct context *c = s->head.context;

    if (s == c->legacy)
        sim_visit_objects(order_visit, s);
    else if (!(s->flags & CU_STREAM_NON_BLOCKING))
        order_after(s, c->legacy);
    return stuck(s);
}

CUresult sim_submit(struct stream *stream, const struct work *work)
{
    struct work now = *work;

    CUresult code = sim_capture_implicit(stream);

    if (code) {
        sim_work_drop(&now);
        return code;
    }
    if (stream->capture)
        return sim_capture_work(stream, work);
    if ((code = sim_order(stream))) {
        sim_work_drop(&now);
        return code;
    }
    if (sim_idle(stream) && !sim.async && !ops[work->op].own_thread && !long_work(work) &&
        runnable(stream, &now)) {
        stream->submitted++;
        perform(stream, &now);
    } else {
        sim_enqueue(stream, work);
        return stuck(stream);
    }
    return CUDA_SUCCESS;
}

void sim_stream_drop(struct stream *stream)
{
    sim_stream_wake(stream); // the stream waits for something that is ending
    while (stream->first) {
        struct work *w = take(stream);
        finish(stream, w);
        recycle(w);
    }
}
