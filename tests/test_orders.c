// Tests releasing objects in any order on any thread while work uses them and others are created.
// Nothing may crash, hang or be left over. Also meant for the thread sanitizer and for a GPU.
//
// ORDERS_WITHOUT names rows of `makers` to leave out, separated by commas, and ORDERS_ROUNDS sets
// how often each thread makes all objects.
#include "base/array.h"
#include "device/deferred.h"
#include "launch_ptx.h"
#include "memory/pool.h"
#include "testing.h"

#include <cucore/condition.h>
#include <cucore/green.h>
#include <cucore/node.h>
#include <cucore/virtual.h>

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 6, MOST = 64, SLOTS = 40 };

static cuc_device *device;
static struct testing_failures failures;
static atomic_int called, promised; // host functions
static int rounds = 20;

struct thing {
    void *it;
    void (*release)(void *it);
};

// Objects that a thread has created; the first is its stream.
struct batch {
    cuc_stream *stream;
    cuc_kernel *kernel;
    cuc_buffer *buffer;
    size_t count;
    struct thing things[MOST];
};

#define TRY(call)            \
    do {                     \
        if ((call) < CUC_OK) \
            return #call;    \
    } while (0)

#define RELEASE(type)                           \
    static void release_##type(void *it)        \
    {                                           \
        cuc_##type##_release((cuc_##type *)it); \
    }
RELEASE(stream)
RELEASE(event)
RELEASE(buffer)
RELEASE(kernel)
RELEASE(object)
RELEASE(graph)
RELEASE(graph_exec)
RELEASE(green_context)
RELEASE(memory_resource)
RELEASE(context)
#undef RELEASE

static void put(struct batch *b, void *it, void (*release)(void *))
{
    if (it && b->count < MOST)
        b->things[b->count++] = (struct thing){ it, release };
}

#define KEEP(type, it) put(b, (it), release_##type)

static void count_call(void *user)
{
    (void)user;
    atomic_fetch_add(&called, 1);
}

static cuc_status call_back(cuc_stream *stream)
{
    cuc_status st = cuc_launch_host(stream, count_call, NULL);

    if (st >= 0)
        atomic_fetch_add(&promised, 1);
    return st;
}

static cuc_status launch_on(cuc_stream *stream, const struct batch *b)
{
    return CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }), b->kernel, 1.0f,
                      b->buffer, 16);
}

static const char *make_work(struct batch *b)
{
    cuc_event *event = NULL;
    cuc_buffer *slice = NULL;
    cuc_context *context = NULL;

    TRY(launch_on(b->stream, b));
    TRY(cuc_event_create(&event, device, NULL));
    KEEP(event, event);
    TRY(cuc_event_record(b->stream, event));
    TRY(cuc_buffer_slice(&slice, b->buffer, 64, 64));
    KEEP(buffer, slice);
    TRY(cuc_device_get_context(&context, device));
    KEEP(context, cuc_context_retain(context));
    return NULL;
}

static const char *make_host(struct batch *b)
{
    TRY(call_back(b->stream));
    return NULL;
}

static const char *make_capture(struct batch *b)
{
    cuc_graph *graph = NULL;
    cuc_graph_exec *exec = NULL;

    TRY(cuc_stream_begin_capture(b->stream, CUC_CAPTURE_THREAD_LOCAL));
    TRY(launch_on(b->stream, b));
    TRY(cuc_stream_end_capture(&graph, b->stream));
    KEEP(graph, graph);
    TRY(cuc_graph_keep_buffer(graph, b->buffer));
    TRY(cuc_graph_instantiate(&exec, graph, NULL));
    KEEP(graph_exec, exec);
    TRY(cuc_graph_exec_launch(b->stream, exec));
    return NULL;
}

// Captures a graph and releases one of its instances while the instance runs.
static const char *make_graph(struct batch *b)
{
    cuc_graph *graph = NULL, *same = NULL;
    cuc_graph_exec *exec = NULL, *gone = NULL;

    TRY(cuc_graph_create(&graph, device));
    KEEP(graph, graph);
    TRY(cuc_stream_begin_capture_to(b->stream, graph, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    TRY(launch_on(b->stream, b));
    TRY(cuc_launch_host(b->stream, count_call, NULL));
    TRY(cuc_buffer_fill(b->stream, b->buffer, 0, 0, 1, 4));
    TRY(cuc_stream_end_capture(&same, b->stream));
    KEEP(graph, same);
    TRY(cuc_graph_keep_buffer(graph, b->buffer));
    TRY(cuc_graph_instantiate(&gone, graph, NULL));
    cuc_status st = cuc_graph_exec_launch(b->stream, gone);
    cuc_graph_exec_release(gone);
    if (st < 0)
        return "cuc_graph_exec_launch";
    atomic_fetch_add(&promised, 1);
    TRY(cuc_graph_instantiate(&exec, graph, NULL));
    KEEP(graph_exec, exec);
    return NULL;
}

// Makes nested bodies, which are kept without their parents.
static const char *make_condition(struct batch *b)
{
    cuc_graph *graph = NULL, *body = NULL, *branches[2] = { NULL, NULL };
    cuc_condition more = 0, which = 0;

    TRY(cuc_stream_begin_capture(b->stream, CUC_CAPTURE_THREAD_LOCAL));
    TRY(cuc_stream_condition_create(&more, b->stream, 0, CUC_CONDITION_ASSIGN_DEFAULT));
    TRY(cuc_stream_add_conditional(&body, 1, b->stream, more, CUC_CONDITIONAL_WHILE));
    KEEP(graph, body);
    TRY(cuc_stream_end_capture(&graph, b->stream));
    KEEP(graph, graph);
    TRY(cuc_graph_condition_create(&which, body, 1, CUC_CONDITION_ASSIGN_DEFAULT));
    graph = NULL;
    TRY(cuc_stream_begin_capture_to(b->stream, body, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    TRY(cuc_stream_add_conditional(branches, 2, b->stream, which, CUC_CONDITIONAL_IF));
    KEEP(graph, branches[0]);
    KEEP(graph, branches[1]);
    TRY(cuc_stream_end_capture(&graph, b->stream));
    KEEP(graph, graph);
    return NULL;
}

// Makes a buffer from a pool for other processes, without any other use of the pool.
static const char *make_pool(struct batch *b)
{
    cuc_memory_resource *pool = NULL;
    cuc_buffer *buffer = NULL;

    TRY(cuc_memory_pool_create(&pool, device,
                               CUC_MEMORY_POOL_OPTIONS(.flags = CUC_MEMORY_POOL_IPC)));
    cuc_status st = cuc_buffer_create(&buffer, b->stream, pool, 5000);
    cuc_memory_resource_release(pool);
    if (st < 0)
        return "cuc_buffer_create";
    KEEP(buffer, buffer);
    return NULL;
}

// Makes two buffers over the same memory.
static const char *make_virtual(struct batch *b)
{
    cuc_memory_resource *resource = NULL;
    cuc_buffer *first = NULL, *more = NULL, *less = NULL, *slice = NULL;

    TRY(cuc_memory_virtual_create(&resource, device, NULL));
    KEEP(memory_resource, resource);
    TRY(cuc_buffer_create(&first, b->stream, resource, 100));
    KEEP(buffer, first);
    TRY(cuc_buffer_grow(&more, first, (size_t)3 << 20));
    KEEP(buffer, more);
    TRY(cuc_buffer_grow(&less, first, 10));
    KEEP(buffer, less);
    TRY(cuc_buffer_slice(&slice, first, 0, 50));
    KEEP(buffer, slice);
    return NULL;
}

static const char *make_green(struct batch *b)
{
    cuc_sms all, group, rest;
    uint32_t one = 1;
    cuc_green_context *part = NULL;
    cuc_stream *stream = NULL;
    cuc_event *event = NULL;
    cuc_buffer *buffer = NULL;

    TRY(cuc_device_get_sms(&all, device));
    TRY(cuc_sms_split(&group, &one, &rest, &all, 16, 0));
    TRY(cuc_green_context_create(&part, device, &group, 1));
    KEEP(green_context, part);
    TRY(cuc_green_context_stream_create(&stream, part, NULL));
    KEEP(stream, stream);
    TRY(cuc_context_event_create(&event, cuc_stream_context(stream), NULL));
    KEEP(event, event);
    TRY(cuc_event_record(stream, event));
    TRY(cuc_buffer_create(&buffer, stream, NULL, 16));
    KEEP(buffer, buffer);
    return NULL;
}

static struct {
    const char *name;
    const char *(*make)(struct batch *b);
    int left_out;
} makers[] = {
    { "work", make_work, 0 },           { "host", make_host, 0 },   { "capture", make_capture, 0 },
    { "graph", make_graph, 0 },         { "pool", make_pool, 0 },   { "virtual", make_virtual, 0 },
    { "condition", make_condition, 0 }, { "green", make_green, 0 },
};

static const char *make_all(struct batch *b)
{
    cuc_object *code = NULL;

    *b = (struct batch){ .count = 0 };
    TRY(cuc_stream_create(&b->stream, device, NULL));
    KEEP(stream, b->stream);
    TRY(cuc_object_create(&code, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    KEEP(object, code);
    TRY(cuc_object_get_kernel(&b->kernel, code, "three"));
    KEEP(kernel, b->kernel);
    TRY(cuc_buffer_create(&b->buffer, b->stream, NULL, 256));
    KEEP(buffer, b->buffer);
    for (int i = 0; i < CUC_LENGTH(makers); i++) {
        const char *wrong = makers[i].left_out ? NULL : makers[i].make(b);
        if (wrong)
            return wrong;
    }
    return b->count == MOST ? "MOST is too small" : NULL;
}

static uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void shuffle(struct batch *b, uint32_t *state)
{
    for (size_t i = b->count; i > 1; i--) {
        size_t at = draw(state) % i;
        struct thing t = b->things[at];
        b->things[at] = b->things[i - 1];
        b->things[i - 1] = t;
    }
}

// Objects waiting for a thread to release them.
static struct {
    pthread_mutex_t lock;
    struct thing things[SLOTS];
} slots = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct thing swap_with_slot(struct thing t, size_t at)
{
    pthread_mutex_lock(&slots.lock);
    struct thing other = slots.things[at];
    slots.things[at] = t;
    pthread_mutex_unlock(&slots.lock);
    return other;
}

struct worker {
    pthread_t thread;
    uint32_t state;
    int exchange; // release another thread's objects
    const char *wrong;
    char error[512];
};

static void *work(void *data)
{
    struct worker *w = data;
    struct batch b;

    for (int i = 0; i < rounds && !w->wrong; i++) {
        w->wrong = make_all(&b);
        if (w->wrong)
            snprintf(w->error, sizeof(w->error), "%s", cuc_error_message());
        shuffle(&b, &w->state);
        for (size_t k = 0; k < b.count; k++) {
            struct thing t = b.things[k];
            if (w->exchange)
                t = swap_with_slot(t, draw(&w->state) % SLOTS);
            if (t.it)
                t.release(t.it);
        }
    }
    return NULL;
}

static void setup(void)
{
    if (fake_available())
        fake_reset();
    memset(&failures, 0, sizeof(failures));
    cuc_set_failure_handler(testing_failed, &failures);
    atomic_store(&called, 0);
    atomic_store(&promised, 0);
    ck_ok(cuc_device_get(&device, 0));
}

static int nothing_lives(void)
{
    // A driver thread defers the drop of the graphs' references; drop them here.
    cuc__deferred_poll();
    cuc__pools_destroy_released();
    return !fake_available() || fake_live_total() == 0;
}

static void teardown(void)
{
    cuc_context *context = NULL;

    ck_ok(cuc_device_get_context(&context, device));
    ck_ok(cuc_context_synchronize(context));
    ck_soon(atomic_load(&called) == atomic_load(&promised));
    ck_soon(nothing_lives());
    ck_assert_msg(failures.count == 0, "%s", failures.last);
    cuc_set_failure_handler(NULL, NULL);
}

// 0: each thread releases its own objects; 1: another thread releases them.
static const int exchanges[] = { 0, 1 };

CASE("orders", .setup = setup, .teardown = teardown, .timeout = 60);

TEST_ROWS(objects_are_released_in_any_order_on_many_threads, exchanges)
{
    struct worker workers[THREADS];

    memset(workers, 0, sizeof(workers));
    for (int i = 0; i < THREADS; i++) {
        workers[i].state = (uint32_t)i * 2654435761u + 1;
        workers[i].exchange = exchanges[_i];
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    for (int i = 0; i < SLOTS; i++) {
        struct thing t = swap_with_slot((struct thing){ NULL, NULL }, (size_t)i);
        if (t.it)
            t.release(t.it);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_msg(!workers[i].wrong, "thread %d: %s: %s", i, workers[i].wrong,
                      workers[i].error);
}

static int leave_out(const char *names)
{
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, ",");
        int i = 0;
        while (i < CUC_LENGTH(makers) &&
               (strlen(makers[i].name) != length || strncmp(makers[i].name, at, length) != 0))
            i++;
        if (i == CUC_LENGTH(makers)) {
            fprintf(stderr, "ORDERS_WITHOUT has %.*s, which is none of the makers\n", (int)length,
                    at);
            return 0;
        }
        makers[i].left_out = 1;
        at += length + (at[length] == ',');
    }
    return 1;
}

int main(void)
{
    const char *without = getenv("ORDERS_WITHOUT"), *count = getenv("ORDERS_ROUNDS");

    if (count)
        rounds = atoi(count);
    if ((without && !leave_out(without)) || rounds < 1)
        return EXIT_FAILURE;
    return run_device_tests("orders");
}
