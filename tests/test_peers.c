// Tests two devices working together. Skips all tests on a machine with one device.
#include "base/array.h"
#include "graph_testing.h"
#include "memory/pool.h"

#include <cucore/cucore.h>
#include <cucore/virtual.h>

static cuc_device *second;
static cuc_stream *far; // a stream of the second device
static int reaches;     // whether the second device can access memory of the first

static void setup(void)
{
    int32_t count;

    graph_setup();
    second = NULL;
    far = NULL;
    ck_ok(cuc_device_get_count(&count));
    if (count < 2)
        return;
    ck_ok(cuc_device_get(&second, 1));
    ck_ok(cuc_stream_create(&far, second, NULL));
    ck_ok(cuc_device_can_access_peer(&reaches, second, device));
}

static void teardown(void)
{
    cuc_stream_release(far);
    cuc__pools_destroy_released();
    graph_teardown();
}

// Allocates a buffer of words on the second device.
static cuc_buffer *far_buffer(uint32_t value)
{
    cuc_buffer *b = NULL;

    ck_ok(cuc_buffer_create(&b, far, NULL, 4 * N));
    ck_ok(cuc_buffer_fill(far, b, 0, value, 4, 4 * N));
    return b;
}

static void ck_far(cuc_buffer *b, uint32_t expected)
{
    uint32_t host[N];

    ck_ok(cuc_buffer_read_async(far, host, b, 0, sizeof(host)));
    ck_ok(cuc_stream_synchronize(far));
    for (int i = 0; i < N; i++)
        ck_assert_uint_eq(host[i], expected);
}

CASE("two devices", .setup = setup, .teardown = teardown);

TEST(a_kernel_runs_on_both_devices)
{
    if (!second)
        SKIP("there is one device");
    cuc_buffer *there = far_buffer(1);
    for (int i = 0; i < 5; i++) {
        ck_ok(launch_on(stream, affine, buffer, 2, 1));
        ck_ok(launch_on(far, affine, there, 3, 0));
    }
    ck_far(there, 243);
    ck_assert_uint_eq(value_of(buffer), 31);
    cuc_buffer_release(there);
}

TEST(a_stream_waits_for_a_stream_of_the_other_device)
{
    cuc_event *event = NULL;

    if (!second)
        SKIP("there is one device");
    cuc_buffer *there = far_buffer(0);
    ck_ok(cuc_event_create(&event, device, NULL));
    for (uint32_t i = 1; i <= 20; i++) {
        ck_ok(launch_on(stream, affine, buffer, 1, 1));
        ck_ok(cuc_event_record(stream, event));
        ck_ok(cuc_stream_wait_event(far, event));
        ck_ok(cuc_copy_peer(far, cuc_buffer_ptr(there), second, cuc_buffer_ptr(buffer), device,
                            4 * N));
        ck_ok(launch_on(far, affine, there, 2, 0));
        ck_ok(cuc_stream_wait_stream(stream, far));
        ck_far(there, 2 * i);
    }
    cuc_event_release(event);
    cuc_buffer_release(there);
}

// Each path for copies there and back, on a stream of either device.
static const struct {
    const char *name;
    int by_buffers, on_far;
} ways[] = { { "by addresses", 0, 0 },
             { "by addresses, on the other stream", 0, 1 },
             { "by buffers", 1, 0 },
             { "by buffers, on the other stream", 1, 1 } };

static cuc_status copy(int way, cuc_buffer *dst, cuc_device *dst_device, cuc_buffer *src,
                       cuc_device *src_device)
{
    cuc_stream *on = ways[way].on_far ? far : stream;

    return ways[way].by_buffers ? cuc_buffer_copy(on, dst, 0, src, 0, 4 * N)
                                : cuc_copy_peer(on, cuc_buffer_ptr(dst), dst_device,
                                                cuc_buffer_ptr(src), src_device, 4 * N);
}

TEST_ROWS(memory_is_copied_there_and_back, ways)
{
    if (!second)
        SKIP("there is one device");
    cuc_buffer *there = far_buffer(9);
    set_value(buffer, 5);
    ck_ok(cuc_stream_synchronize(far));
    ck_ok(copy(_i, there, second, buffer, device));
    ck_ok(cuc_stream_synchronize(ways[_i].on_far ? far : stream));
    ck_far(there, 5);
    ck_ok(launch_on(far, affine, there, 1, 6));
    ck_ok(cuc_stream_synchronize(far));
    ck_ok(copy(_i, buffer, device, there, second));
    ck_ok(cuc_stream_synchronize(ways[_i].on_far ? far : stream));
    ck_assert_uint_eq(value_of(buffer), 11);
    cuc_buffer_release(there);
}

// ---- Memory of the first device or of the host that kernels on both devices use

static void make_pool(cuc_memory_resource **out)
{
    ck_ok(cuc_memory_pool_create(out, device, NULL));
    ck_ok(cuc_memory_pool_set_access(*out, second, CUC_ACCESS_READ_WRITE));
}

static void make_synchronous(cuc_memory_resource **out)
{
    cuc_context *near, *other;

    ck_ok(cuc_device_get_context(&near, device));
    ck_ok(cuc_device_get_context(&other, second));
    ck_ok(cuc_context_enable_peer_access(other, near));
    ck_ok(cuc_memory_synchronous_create(out, device, CUC_MEMORY_DEVICE));
}

static void make_virtual(cuc_memory_resource **out)
{
    ck_ok(cuc_memory_virtual_create(out, device,
                                    CUC_MEMORY_VIRTUAL_OPTIONS(.peers = &second, .peer_count = 1)));
}

static void make_pinned(cuc_memory_resource **out)
{
    ck_ok(cuc_memory_synchronous_create(out, device, CUC_MEMORY_PINNED));
}

static void make_managed(cuc_memory_resource **out)
{
    ck_ok(cuc_memory_synchronous_create(out, device, CUC_MEMORY_MANAGED));
}

static const struct {
    const char *name;
    void (*make)(cuc_memory_resource **out);
    int of_device; // whether the other device must be given access
} memories[] = { { "a pool that the other was let into", make_pool, 1 },
                 { "synchronous memory, with peer access", make_synchronous, 1 },
                 { "virtual memory of both", make_virtual, 1 },
                 { "pinned memory", make_pinned, 0 },
                 { "managed memory", make_managed, 0 } };

TEST_ROWS(kernels_on_both_devices_use_the_same_memory, memories)
{
    cuc_memory_resource *resource = NULL;
    cuc_buffer *both = NULL;

    if (!second)
        SKIP("there is one device");
    if (memories[_i].of_device && !reaches)
        SKIP("device 1 does not reach device 0");
    memories[_i].make(&resource);
    ck_ok(cuc_buffer_create(&both, stream, resource, 4 * N));
    ck_ok(cuc_buffer_fill(stream, both, 0, 1, 4, 4 * N));
    for (int i = 0; i < 10; i++) {
        ck_ok(launch_on(stream, affine, both, 1, 1));
        ck_ok(cuc_stream_wait_stream(far, stream));
        ck_ok(launch_on(far, affine, both, 2, 0));
        ck_ok(cuc_stream_wait_stream(stream, far));
    }
    ck_assert_uint_eq(value_of(both), 3 * 1024 - 2);
    cuc_buffer_release(both);
    cuc_memory_resource_release(resource);
    ck_ok(cuc_stream_synchronize(stream));
}

// ---- Memory of the first device without access for the second

static void make_closed_pool(cuc_memory_resource **out)
{
    ck_ok(cuc_memory_pool_create(out, device, NULL));
}

static void make_pool_closed_again(cuc_memory_resource **out)
{
    make_pool(out);
    ck_ok(cuc_memory_pool_set_access(*out, second, CUC_ACCESS_NONE));
}

static void make_default(cuc_memory_resource **out)
{
    ck_ok(cuc_device_get_memory_resource(out, device));
}

static void make_synchronous_without_peers(cuc_memory_resource **out)
{
    cuc_context *near, *other;

    ck_ok(cuc_device_get_context(&near, device));
    ck_ok(cuc_device_get_context(&other, second));
    ck_ok(cuc_context_disable_peer_access(other, near)); // an earlier test may have enabled it
    ck_ok(cuc_memory_synchronous_create(out, device, CUC_MEMORY_DEVICE));
}

static void make_virtual_of_one(cuc_memory_resource **out)
{
    ck_ok(cuc_memory_virtual_create(out, device, NULL));
}

static void make_pinned_pool(cuc_memory_resource **out)
{
    ck_ok(cuc_memory_pool_create(out, device, CUC_MEMORY_POOL_OPTIONS(.kind = CUC_MEMORY_PINNED)));
}

static const struct {
    const char *name;
    void (*make)(cuc_memory_resource **out);
    const char *remedy;
    int by_resource; // the driver does not report this access
} closed[] = {
    { "a pool", make_closed_pool, "cuc_memory_pool_set_access()", 0 },
    { "a pool closed again", make_pool_closed_again, "cuc_memory_pool_set_access()", 0 },
    { "the default pool", make_default, "cuc_memory_pool_set_access()", 0 },
    { "synchronous memory", make_synchronous_without_peers, "cuc_context_enable_peer_access()", 1 },
    { "virtual memory of one device", make_virtual_of_one, "peers of cuc_memory_virtual_create()",
      0 },
    { "a pool of pinned memory", make_pinned_pool, "cuc_memory_pool_set_access()", 1 },
};

// Launches on the second device with memory of the first, using each kind of argument.
static cuc_status launch_by_buffer(cuc_buffer *there)
{
    return launch_on(far, affine, there, 1, 1);
}

static cuc_status launch_by_slice(cuc_buffer *there)
{
    cuc_buffer *part = NULL;

    ck_ok(cuc_buffer_slice(&part, there, 4, 4));
    cuc_status st = launch_on(far, affine, part, 1, 1);
    cuc_buffer_release(part);
    return st;
}

static cuc_status launch_by_tensor(cuc_buffer *there)
{
    cuc_tensor t;

    ck_ok(cuc_tensor_from_buffer(&t, there, CUC_U32, 1, (int64_t[]){ N }));
    return CUC_LAUNCH(far, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { N }), affine, &t, 1, 1);
}

static cuc_status launch_into_a_graph(cuc_buffer *there)
{
    cuc_graph *graph = NULL;

    ck_ok(cuc_stream_begin_capture(far, CUC_CAPTURE_GLOBAL));
    cuc_status st = launch_on(far, affine, there, 1, 1);
    ck_ok(cuc_stream_end_capture(&graph, far));
    size_t nodes = 1;
    ck_ok(cuc_graph_get_node_count(&nodes, graph));
    ck_assert_uint_eq(nodes, 0);
    cuc_graph_release(graph);
    return st;
}

static const struct {
    const char *name, *what;
    cuc_status (*launch)(cuc_buffer *there);
} attempts[] = {
    { "a buffer", "buffer", launch_by_buffer },
    { "a slice", "buffer", launch_by_slice },
    { "a node of a graph", "buffer", launch_into_a_graph },
    { "a tensor", "tensor", launch_by_tensor },
};

TEST_RANGE(a_launch_refuses_memory_that_its_device_cannot_access, 0,
           CUC_LENGTH(closed) * CUC_LENGTH(attempts))
{
    const size_t memory = (size_t)_i / CUC_LENGTH(attempts),
                 how = (size_t)_i % CUC_LENGTH(attempts);
    cuc_memory_resource *resource = NULL;
    cuc_buffer *there = NULL;

    if (!second)
        SKIP("there is one device");
    if (attempts[how].launch == launch_by_tensor && closed[memory].by_resource)
        SKIP("who reaches this memory is known of its buffer alone");
    closed[memory].make(&resource);
    ck_ok(cuc_buffer_create(&there, stream, resource, 4 * N));
    ck_ok(cuc_buffer_fill(stream, there, 0, 3, 4, 4 * N));
    const bool opens = reaches && strcmp(attempts[how].what, "buffer") == 0;
    cuc_status st = attempts[how].launch(there);
    const char *const parts[] = {
        "argument 0 is a ",
        attempts[how].what,
        "of device 0",
        "device 1",
        "cannot access",
        opens ? closed[memory].remedy : "copy it to that device",
        NULL,
    };
    testing_fails(CUC_ERROR_INVALID_ARGUMENT, st, "cuc_launch()", parts, __FILE__, __LINE__);
    ck_ok(cuc_stream_synchronize(far));
    ck_assert_uint_eq(value_of(there), 3);
    ck_ok(launch_on(stream, affine, there, 2, 1)); // its own device still works
    ck_assert_uint_eq(value_of(there), 7);
    cuc_buffer_release(there);
    cuc_memory_resource_release(resource);
    ck_ok(cuc_stream_synchronize(stream));
}

TEST(one_graph_has_work_on_both_devices)
{
    cuc_graph *graph = NULL;
    cuc_graph_exec *exec = NULL;

    if (!second)
        SKIP("there is one device");
    cuc_buffer *there = far_buffer(1);
    ck_ok(cuc_stream_synchronize(far));
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(cuc_stream_wait_stream(far, stream));
    ck_ok(launch_on(stream, affine, buffer, 1, 3));
    ck_ok(launch_on(far, affine, there, 2, 0));
    ck_ok(cuc_stream_wait_stream(stream, far));
    ck_ok(cuc_stream_end_capture(&graph, stream));
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    for (int i = 0; i < 4; i++)
        ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 12);
    ck_far(there, 16);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    cuc_buffer_release(there);
}

int main(void)
{
    return run_device_tests("peers");
}
