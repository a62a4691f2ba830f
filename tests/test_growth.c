// Tests programs that run long: creating and releasing an object any number of times must not
// increase the process's memory, descriptors or threads.
#include "base/array.h"
#include "device_test.h"
#include "launch_ptx.h"

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

static cuc_object *object;
static cuc_kernel *kernel;
static cuc_buffer *buffer;

#define SHAPE CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 })

static void setup(void)
{
    device_setup();
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    ck_ok(cuc_object_get_kernel(&kernel, object, "one"));
    ck_ok(cuc_buffer_create(&buffer, stream, NULL, 4096));
}

static void teardown(void)
{
    cuc_buffer_release(buffer);
    cuc_kernel_release(kernel);
    cuc_object_release(object);
    device_teardown();
}

static void make_stream(int round)
{
    cuc_stream *made = NULL;

    (void)round;
    ck_ok(cuc_stream_create(&made, device, NULL));
    cuc_stream_release(made);
}

static void make_event(int round)
{
    cuc_event *made = NULL;
    int32_t fd = -1;

    ck_ok(cuc_event_create(&made, device, NULL));
    ck_ok(cuc_event_record(stream, made));
    if (round % 8 == 0) {
        ck_ok(cuc_event_get_fd(&fd, made));
        close(fd);
    }
    cuc_event_release(made);
}

static void make_buffer(int round)
{
    cuc_buffer *made = NULL;

    ck_ok(cuc_buffer_create(&made, stream, NULL, 1000 + (size_t)round));
    cuc_buffer_release(made);
}

static void make_pinned(int round)
{
    cuc_memory_resource *memory = NULL;
    cuc_buffer *made = NULL;

    (void)round;
    ck_ok(cuc_memory_synchronous_create(&memory, device, CUC_MEMORY_PINNED));
    ck_ok(cuc_buffer_create(&made, NULL, memory, 4096));
    cuc_buffer_release(made);
    cuc_memory_resource_release(memory);
}

static void make_pool(int round)
{
    cuc_memory_resource *memory = NULL;
    cuc_buffer *made = NULL;

    (void)round;
    ck_ok(cuc_memory_pool_create(&memory, device, NULL));
    ck_ok(cuc_buffer_create(&made, stream, memory, 4096));
    cuc_buffer_release(made);
    ck_ok(cuc_stream_synchronize(stream));
    cuc_memory_resource_release(memory);
}

// Each object has a kernel with a different long name, because names must not be kept for ever.
static void make_object(int round)
{
    char text[600];
    cuc_object *made = NULL;
    cuc_kernel *found = NULL;

    snprintf(
        text, sizeof(text),
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry n%0400d()\n{\n ret;\n}\n",
        round);
    ck_ok(cuc_object_create(&made, CUC_CODE_PTX, text, strlen(text), NULL));
    snprintf(text, sizeof(text), "n%0400d", round);
    ck_ok(cuc_object_get_kernel(&found, made, text));
    cuc_kernel_release(found);
    cuc_object_release(made);
}

static void make_tile_program(int round)
{
    char text[256];
    cuc_program *program = NULL;
    cuc_object *made = NULL;

    snprintf(
        text, sizeof(text),
        "kernel v(a: f32[N]) grid cdiv(N, 128) { store(a, [block(0)], full(f32, [128], %d.5)) }\n",
        round);
    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, text, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90")));
    ck_ok(cuc_program_compile(&made, program, CUC_CODE_PTX));
    cuc_object_release(made);
    cuc_program_release(program);
}

static void make_graph(int round)
{
    cuc_graph *graph = NULL;
    cuc_graph_exec *exec = NULL;

    (void)round;
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(CUC_LAUNCH(stream, SHAPE, kernel, buffer));
    ck_ok(cuc_stream_end_capture(&graph, stream));
    ck_ok(cuc_graph_keep_buffer(graph, buffer));
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    cuc_graph_release(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    cuc_graph_exec_release(exec);
}

static void launch(int round)
{
    (void)round;
    ck_ok(CUC_LAUNCH(stream, SHAPE, kernel, buffer));
}

static void count_call(void *calls)
{
    ++*(int *)calls;
}

static void call_host(int round)
{
    static int calls;

    (void)round;
    ck_ok(cuc_launch_host(stream, count_call, &calls));
}

static void exchange(int round)
{
    cuc_tensor tensor;
    cuc_dl_managed_tensor_versioned *managed = NULL;

    (void)round;
    ck_ok(cuc_tensor_from_buffer(&tensor, buffer, CUC_F32, 1, (const int64_t[]){ 16 }));
    ck_ok(cuc_tensor_to_dlpack(&managed, &tensor, buffer));
    managed->deleter(managed);
}

static void fail_to_make(int round)
{
    cuc_buffer *none = NULL;

    (void)round;
    ck_assert_int_lt(cuc_buffer_create(&none, stream, NULL, (size_t)1 << 60), 0);
}

static const struct growth {
    const char *name;
    void (*once)(int round);
    int rounds;
} growths[] = {
    { "streams", make_stream, 2000 },
    { "events", make_event, 2000 },
    { "buffers", make_buffer, 2000 },
    { "pinned memory", make_pinned, 2000 },
    { "pools", make_pool, 500 },
    { "objects", make_object, 1000 },
    { "tile programs", make_tile_program, 500 },
    { "graphs", make_graph, 1000 },
    { "launches", launch, 2000 },
    { "host functions", call_host, 2000 },
    { "DLPack", exchange, 2000 },
    { "failures", fail_to_make, 2000 },
};

struct size {
    size_t heap; // bytes in use
    int descriptors, threads;
};

static int entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;

    ck_assert_ptr_nonnull(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static struct size size_now(void)
{
    ck_ok(cuc_stream_synchronize(stream));
#if __GLIBC_PREREQ(2, 33)
    struct mallinfo2 heap = mallinfo2();
#else
    struct mallinfo heap = mallinfo();
#endif
    return (struct size){ (size_t)heap.uordblks + (size_t)heap.hblkhd, entries("/proc/self/fd"),
                          entries("/proc/self/task") };
}

// Limit concurrency, because a driver keeps memory for the most concurrent work that it has seen.
static void repeat(const struct growth *g, int from, int to)
{
    for (int i = from; i < to; i++) {
        g->once(i);
        if (i % 4 == 3)
            ck_ok(cuc_stream_synchronize(stream));
    }
}

// Driver 580 itself keeps 208 bytes of each user object in a graph.
static size_t kept_bytes(const struct growth *g)
{
    return g->once == make_graph && !cuc__driver_simulated() ? 512 : 8;
}

CASE("growth", .setup = setup, .teardown = teardown, .timeout = 60);

// Memory may grow in a late window, because the peak of concurrent work came late and its memory is
// kept. Only a leak grows in every window.
TEST_ROWS(many_rounds_take_no_more_memory_than_a_few, growths)
{
    enum { WINDOWS = 5 };
    const struct growth *g = &growths[_i];
    int heap = 0, descriptors = 0, threads = 0; // number of windows in which each grew
    struct size before, after = { 0 };

    repeat(g, 0, g->rounds); // fills the caches
    for (int window = 1; window <= WINDOWS; window++) {
        before = size_now();
        repeat(g, window * g->rounds, (window + 1) * g->rounds);
        after = size_now();
        heap += after.heap > before.heap + kept_bytes(g) * (size_t)g->rounds;
        descriptors += after.descriptors > before.descriptors;
        threads += after.threads > before.threads;
        if (heap < window && descriptors < window && threads < window)
            break;
    }
    ck_assert_msg(heap < WINDOWS, "%s: the heap grows to %zu bytes", g->name, after.heap);
    ck_assert_msg(descriptors < WINDOWS, "%s: %d descriptors and more", g->name, after.descriptors);
    ck_assert_msg(threads < WINDOWS, "%s: %d threads and more", g->name, after.threads);
}

int main(void)
{
    return run_device_tests("growth");
}
