// Tests instances of graphs: creation, launch, update, and the memory that they allocate.
#include "base/array.h"
#include "graph_testing.h"
#include "device/deferred.h"

#include <pthread.h>

static cuc_graph *captured(cuc_kernel *kernel, uint32_t a, uint32_t b)
{
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(launch_on(stream, kernel, buffer, a, b));
    return end_capture();
}

// Launches

CASE("graph_exec", .setup = graph_setup, .teardown = graph_teardown);

TEST(every_launch_repeats_all_work)
{
    uint32_t host[N] = { 0 }, expected = 0;
    cuc_buffer *copy = new_buffer();

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(launch_on(stream, affine, buffer, 3, 1));
    ck_ok(launch_on(stream, minus, buffer, 2, 5));
    ck_ok(cuc_buffer_copy(stream, copy, 0, buffer, 0, 4 * N));
    ck_ok(cuc_buffer_read_async(stream, host, copy, 0, sizeof(host)));
    cuc_graph *graph = end_capture();
    cuc_graph_exec *exec = instance_of(graph);
    cuc_graph_release(graph);
    for (int i = 0; i < 10; i++) {
        ck_ok(cuc_graph_exec_launch(i % 2 ? stream : side, exec));
        ck_ok(cuc_stream_synchronize(i % 2 ? stream : side));
        expected = 2 * (3 * expected + 1) - 5;
        for (int k = 0; k < N; k++)
            ck_assert_uint_eq(host[k], expected);
    }
    cuc_graph_exec_release(exec);
    cuc_buffer_release(copy);
}

TEST(arguments_keep_their_values_from_the_capture)
{
    struct {
        uint32_t a, b;
    } arguments = { 2, 3 };

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    const cuc_arg args[] = { CUC_ARG(buffer), CUC_ARG(arguments.a), CUC_ARG(arguments.b) };
    ck_ok(cuc_launch(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { N }), affine, args, 3));
    cuc_graph *graph = end_capture();
    memset(&arguments, 0xff, sizeof(arguments));
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 3);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

// Counts concurrent runs of work that must not run concurrently.
static _Atomic int inside, most, runs;

static void go_in_and_out(void *user)
{
    (void)user;
    int now = ++inside;
    if (now > most)
        most = now;
    testing_sleep_ms(2);
    inside--;
    runs++;
}

TEST(launches_of_one_instance_follow_one_another_on_all_streams)
{
    inside = most = runs = 0;
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(cuc_launch_host(stream, go_in_and_out, NULL));
    ck_ok(cuc_launch_host(stream, go_in_and_out, NULL));
    cuc_graph *graph = end_capture();
    cuc_graph_exec *exec = instance_of(graph);
    for (int i = 0; i < 4; i++)
        ck_ok(cuc_graph_exec_launch(i % 2 ? stream : side, exec));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_stream_synchronize(side));
    ck_assert_int_eq(runs, 8);
    ck_assert_int_eq(most, 1);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

TEST(later_work_of_the_stream_comes_after_all_of_the_graph)
{
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(cuc_launch_host(stream, go_in_and_out, NULL));
    ck_ok(launch_on(stream, affine, buffer, 1, 7));
    cuc_graph *graph = end_capture();
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_ok(launch_on(stream, affine, buffer, 10, 0));
    cuc_graph_exec_release(exec); // before it has run
    cuc_graph_release(graph);
    ck_assert_uint_eq(value_of(buffer), 80);
}

TEST(an_instance_can_be_uploaded_before_its_launch)
{
    cuc_graph *graph = captured(affine, 1, 4);
    cuc_graph_exec *exec = NULL, *second = NULL;

    ck_ok(cuc_graph_instantiate(&exec, graph, CUC_GRAPH_EXEC_OPTIONS(.upload = side)));
    ck_ok(cuc_graph_instantiate(&second, graph,
                                CUC_GRAPH_EXEC_OPTIONS(.flags = CUC_GRAPH_NODE_PRIORITY)));
    ck_assert_uint_eq(cuc_graph_exec_flags(exec), 0);
    ck_assert_uint_eq(cuc_graph_exec_flags(second), CUC_GRAPH_NODE_PRIORITY);
    ck_assert_uint_eq(cuc_graph_exec_flags(NULL), 0);
    ck_assert_ptr_nonnull(cuc_graph_exec_handle(exec));
    ck_assert_ptr_null(cuc_graph_exec_handle(NULL));
    ck_ok(cuc_graph_exec_upload(stream, second));
    ck_assert_uint_eq(value_of(buffer), 0); // nothing has run yet
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_ok(cuc_graph_exec_upload(side, exec)); // runs after the launch
    ck_ok(cuc_graph_exec_launch(stream, second));
    ck_ok(cuc_stream_synchronize(side));
    ck_assert_uint_eq(value_of(buffer), 8);
    ck_assert_ptr_eq(cuc_graph_exec_retain(exec), exec);
    cuc_graph_exec_release(exec);
    cuc_graph_exec_release(exec);
    cuc_graph_exec_release(second);
    cuc_graph_exec_release(NULL);
    ck_assert_ptr_null(cuc_graph_exec_retain(NULL));
    cuc_graph_release(graph);
}

TEST_RANGE(default_streams_launch_graphs_too, 0, 2)
{
    cuc_graph *graph = captured(affine, 1, 4);
    cuc_graph_exec *exec = instance_of(graph);
    cuc_stream *own;

    ck_ok(cuc_stream_get_default(&own, device, _i));
    ck_ok(cuc_graph_exec_upload(own, exec));
    ck_ok(cuc_graph_exec_launch(own, exec));
    ck_ok(cuc_stream_synchronize(own));
    ck_assert_ptr_null(testing_current());
    ck_assert_uint_eq(value_of(buffer), 4);
    cuc_graph_exec_release(exec);
    ck_ok(cuc_graph_instantiate(&exec, graph, CUC_GRAPH_EXEC_OPTIONS(.upload = own)));
    ck_assert_ptr_null(testing_current());
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

TEST(a_captured_stream_refuses_an_instance_and_its_capture_continues)
{
    cuc_graph *graph = captured(affine, 1, 4);
    cuc_graph_exec *exec = instance_of(graph);

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_fails(CUC_ERROR_BUSY, cuc_graph_exec_launch(stream, exec), "is being captured",
             "cuc_stream_embed_graph");
    ck_fails(CUC_ERROR_BUSY, cuc_graph_exec_upload(stream, exec), "is being captured");
    ck_ok(cuc_graph_exec_launch(side, exec)); // another instance can launch
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    cuc_graph_release(end_capture());
    ck_ok(cuc_stream_synchronize(side));
    ck_assert_uint_eq(value_of(buffer), 4);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

TEST(an_instance_is_made_and_updated_beside_a_capture)
{
    cuc_graph *graph = captured(affine, 1, 4), *other = captured(affine, 1, 9);

    BEGIN(CUC_CAPTURE_GLOBAL);
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_update(exec, other));
    cuc_graph_release(graph);
    cuc_graph_release(other);
    cuc_graph_exec_release(exec);
    cuc_graph_release(end_capture());
}

TEST(wrong_arguments_are_refused_with_a_message)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_graph *graph = captured(affine, 1, 4);
    cuc_graph_exec *exec = instance_of(graph), *none = (void *)1;
    cuc_graph_exec_options larger = CUC_GRAPH_EXEC_OPTIONS_INIT;

    ck_fails(bad, cuc_graph_instantiate(NULL, graph, NULL), "out is NULL");
    ck_fails(bad, cuc_graph_instantiate(&none, NULL, NULL), "graph is NULL");
    ck_fails(bad, cuc_graph_instantiate(&none, graph, CUC_GRAPH_EXEC_OPTIONS(.flags = 8)),
             "flags is 0x8", "CUC_GRAPH_");
    ck_fails(bad, cuc_graph_instantiate(&none, graph, CUC_GRAPH_EXEC_OPTIONS(.reserved = 1)),
             "reserved 1");
    ck_fails(bad,
             cuc_graph_instantiate(
                 &none, graph,
                 CUC_GRAPH_EXEC_OPTIONS(.flags = CUC_GRAPH_AUTO_FREE | CUC_GRAPH_DEVICE_LAUNCH)),
             "CUC_GRAPH_AUTO_FREE and CUC_GRAPH_DEVICE_LAUNCH");
    larger.struct_size = 1;
    ck_fails(bad, cuc_graph_instantiate(&none, graph, &larger), "struct_size");
    cuc_graph_exec_options_init(&larger, sizeof(larger));
    ck_assert_uint_eq(larger.struct_size, sizeof(larger));
    ck_fails(bad, cuc_graph_exec_launch(stream, NULL), "exec is NULL");
    ck_fails(bad, cuc_graph_exec_launch(NULL, exec), "stream is NULL");
    ck_fails(bad, cuc_graph_exec_upload(stream, NULL), "exec is NULL");
    ck_fails(bad, cuc_graph_exec_upload(NULL, exec), "stream is NULL");
    ck_fails(bad, cuc_graph_exec_update(NULL, graph), "exec is NULL");
    ck_fails(bad, cuc_graph_exec_update(exec, NULL), "graph is NULL");
    ck_assert_ptr_eq(none, (void *)1);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

static void nothing(void *user)
{
    (void)user;
}

TEST(nodes_that_prevent_device_launch_are_named)
{
    cuc_graph_exec *exec = (void *)1;

    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_ok(cuc_launch_host(stream, nothing, NULL));
    cuc_graph *graph = end_capture();
    ck_fails(CUC_ERROR_DRIVER,
             cuc_graph_instantiate(&exec, graph,
                                   CUC_GRAPH_EXEC_OPTIONS(.flags = CUC_GRAPH_DEVICE_LAUNCH)),
             "a graph of 2 nodes: node ", " of 2 (host function)", "CUC_GRAPH_DEVICE_LAUNCH");
    ck_assert_ptr_eq(exec, (void *)1);
    cuc_graph_release(graph);
    graph = captured(affine, 1, 1);
    ck_ok(cuc_graph_instantiate(&exec, graph,
                                CUC_GRAPH_EXEC_OPTIONS(.flags = CUC_GRAPH_DEVICE_LAUNCH)));
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 1);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

// Updates

TEST(an_update_changes_arguments_kernels_and_addresses)
{
    cuc_buffer *other = new_buffer();

    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_ok(cuc_buffer_copy(stream, other, 0, buffer, 0, 4 * N));
    cuc_graph *graph = end_capture();
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    cuc_graph_release(graph);
    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, minus, other, 5, 2));
    ck_ok(cuc_buffer_copy(stream, buffer, 0, other, 0, 4 * N));
    graph = end_capture();
    ck_ok(cuc_graph_exec_update(exec, graph)); // while it may still run
    cuc_graph_release(graph);
    ck_assert_uint_eq(value_of(buffer), 1);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 3);
    cuc_graph_exec_release(exec);
    cuc_buffer_release(other);
}

// ---- Graphs that an update cannot turn into the graph of same(), which is a kernel, a fill and a
// copy

static uint32_t there[N];

static void fill_rows(size_t rows)
{
    ck_ok(cuc_fill_2d(stream,
                      CUC_FILL_2D_PARAMS(.dst = cuc_buffer_ptr(buffer), .pitch = 16, .pattern = 1,
                                         .pattern_bytes = 1, .row_count = 4, .rows = rows)));
}

static void same(void)
{
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    fill_rows(4);
    ck_ok(cuc_buffer_write_async(stream, buffer, 0, there, 4));
}

static void one_more(void)
{
    same();
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
}

static void none_at_all(void)
{
}

static void host_instead(void)
{
    ck_ok(cuc_launch_host(stream, nothing, NULL));
    ck_ok(cuc_launch_host(stream, nothing, NULL));
    ck_ok(cuc_launch_host(stream, nothing, NULL));
}

static void branch(void)
{
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_ok(cuc_stream_wait_stream(side, stream));
    fill_rows(4);
    ck_ok(cuc_buffer_write_async(side, buffer, 64, there, 4));
    ck_ok(cuc_stream_wait_stream(stream, side));
}

static void other_rows(void)
{
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    fill_rows(5);
    ck_ok(cuc_buffer_write_async(stream, buffer, 0, there, 4));
}

static void copy_within(void)
{
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    fill_rows(4);
    ck_ok(cuc_buffer_copy(stream, buffer, 0, buffer, 64, 4));
}

static void cooperative(void)
{
    const cuc_arg args[] = { CUC_ARG(buffer), CUC_ARG(1u), CUC_ARG(1u) };

    ck_ok(cuc_launch(
        stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { N }, .flags = CUC_LAUNCH_COOPERATIVE),
        affine, args, 3));
    fill_rows(4);
    ck_ok(cuc_buffer_write_async(stream, buffer, 0, there, 4));
}

static const struct {
    void (*capture)(void);
    const char *says[3];
} differing[] = {
    { one_more, { "a graph of 3 nodes with a graph of 4", "nodes or edges differ" } },
    { none_at_all, { "a graph of 3 nodes with a graph of 0", "nodes or edges differ" } },
    { host_instead, { "node 0 of 3 (host function)", "another type" } },
    { branch, { "copy", "does not depend on the same nodes", "kernel affine" } },
    { other_rows, { "node 1 of 3 (fill)", "a parameter that cannot change" } },
    { cooperative, { "node 0 of 3 (kernel affine)", "an attribute that cannot change" } },
};

TEST(an_update_may_change_the_kinds_of_memory_of_a_copy)
{
    BEGIN(CUC_CAPTURE_GLOBAL);
    same();
    cuc_graph *graph = end_capture();
    cuc_graph_exec *exec = instance_of(graph);
    cuc_graph_release(graph);
    BEGIN(CUC_CAPTURE_GLOBAL);
    copy_within();
    graph = end_capture();
    ck_ok(cuc_graph_exec_update(exec, graph));
    cuc_graph_release(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_ok(cuc_stream_synchronize(stream));
    cuc_graph_exec_release(exec);
}

TEST_ROWS(an_impossible_update_names_the_node_and_the_reason, differing)
{
    static const char whole[] = "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE";

    BEGIN(CUC_CAPTURE_GLOBAL);
    same();
    cuc_graph *graph = end_capture();
    cuc_graph_exec *exec = instance_of(graph);
    cuc_graph_release(graph);
    BEGIN(CUC_CAPTURE_GLOBAL);
    differing[_i].capture();
    graph = end_capture();
    cuc_status st = cuc_graph_exec_update(exec, graph);
    testing_fails(CUC_ERROR_NOT_SUPPORTED, st, "cuc_graph_exec_update(exec, graph)",
                  (const char *const[]){ whole, NULL }, __FILE__, __LINE__);
    for (int i = 0; i < 3 && differing[_i].says[i] && fake_available(); i++)
        ck_assert_msg(strstr(cuc_error_message(), differing[_i].says[i]) != NULL, "%s",
                      cuc_error_message());
    cuc_graph_release(graph);
    // The refused update has left the instance unchanged.
    ck_ok(cuc_graph_exec_launch(stream, exec));
    BEGIN(CUC_CAPTURE_GLOBAL);
    same();
    graph = end_capture();
    ck_ok(cuc_graph_exec_update(exec, graph));
    cuc_graph_release(graph);
    cuc_graph_exec_release(exec);
}

TEST(nodes_keep_their_own_priorities)
{
    cuc_stream *urgent;
    cuc_graph_exec *exec, *plain;

    ck_ok(cuc_stream_create(&urgent, device, CUC_STREAM_OPTIONS(.priority = -3)));
    cuc_graph *graph = captured(affine, 1, 1);
    plain = instance_of(graph);
    ck_ok(cuc_graph_instantiate(&exec, graph,
                                CUC_GRAPH_EXEC_OPTIONS(.flags = CUC_GRAPH_NODE_PRIORITY)));
    cuc_graph_release(graph);
    ck_ok(cuc_stream_begin_capture(urgent, CUC_CAPTURE_GLOBAL));
    ck_ok(launch_on(urgent, affine, buffer, 1, 1));
    ck_ok(cuc_stream_end_capture(&graph, urgent));
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_graph_exec_update(exec, graph),
             "CUC_GRAPH_NODE_PRIORITY");
    ck_ok(cuc_graph_exec_update(plain, graph));
    cuc_graph_release(graph);
    cuc_graph_exec_release(exec);
    cuc_graph_exec_release(plain);
    cuc_stream_release(urgent);
}

// ---- Memory that a graph allocates

TEST(memory_that_a_graph_allocates_and_frees_exists_during_a_launch)
{
    static const int32_t expected[] = { CUC_NODE_ALLOC, CUC_NODE_FILL, CUC_NODE_KERNEL,
                                        CUC_NODE_COPY, CUC_NODE_FREE };
    uint32_t host[N] = { 0 };
    cuc_graph_exec *second = (void *)1;
    cuc_buffer *own;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(cuc_buffer_create(&own, stream, NULL, 4 * N));
    cuc_device_ptr ptr = cuc_buffer_ptr(own);
    ck_ok(cuc_buffer_fill(stream, own, 0, 20, 4, 4 * N));
    ck_ok(launch_on(stream, affine, own, 2, 2));
    ck_ok(cuc_buffer_read_async(stream, host, own, 0, sizeof(host)));
    cuc_buffer_release(own);
    cuc_graph *graph = end_capture();
    ck_types(graph, expected, 5);
    cuc_graph_exec *exec = instance_of(graph);
    cuc_status st = cuc_graph_instantiate(&second, graph, NULL);
    ck_assert_int_lt(st, 0);
    if (cuc__driver_simulated())
        ck_assert_ptr_nonnull(strstr(cuc_error_message(), "one instance at a time"));
    ck_assert_ptr_eq(second, (void *)1);
    for (int i = 0; i < 3; i++) {
        memset(host, 0, sizeof(host));
        if (fake_available())
            ck_assert(!fake_allocated(ptr));
        ck_ok(cuc_graph_exec_launch(stream, exec));
        ck_ok(cuc_stream_synchronize(stream));
        ck_assert_uint_eq(host[N - 1], 42);
    }
    cuc_graph_exec_release(exec);
    exec = instance_of(graph); // a second instance is possible once the first is released
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

TEST_RANGE(memory_that_a_launch_leaves_is_freed_before_the_next_one, 0, 2)
{
    const bool automatic = _i;
    cuc_graph_exec *exec = NULL;
    cuc_buffer *own;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(cuc_buffer_create(&own, stream, NULL, 4 * N));
    ck_ok(cuc_buffer_fill(stream, own, 0, 20, 4, 4 * N));
    cuc_graph *graph = end_capture();
    cuc_device_ptr ptr = cuc_buffer_ptr(own);
    cuc_memory_resource *pool = cuc_memory_resource_retain(cuc_buffer_memory_resource(own));
    ck_ok(cuc_graph_instantiate(
        &exec, graph, CUC_GRAPH_EXEC_OPTIONS(.flags = automatic ? CUC_GRAPH_AUTO_FREE : 0)));
    cuc_graph_release(graph);
    ck_assert_int_lt(cuc_memory_free(stream, pool, ptr, 4 * N), 0); // nothing is allocated there
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(own), 20);
    ck_ok(launch_on(stream, affine, own, 1, 1));
    ck_assert_uint_eq(value_of(own), 21);
    if (automatic) {
        ck_ok(cuc_graph_exec_launch(stream, exec));
        ck_assert_uint_eq(value_of(own), 20);
    } else {
        ck_fails(CUC_ERROR_DRIVER, cuc_graph_exec_launch(stream, exec), "may not be freed yet",
                 "CUC_GRAPH_AUTO_FREE");
        ck_assert_uint_eq(value_of(own), 21);
    }
    cuc_buffer_release(own); // frees what the launch allocated
    ck_ok(cuc_stream_synchronize(stream));
    if (fake_available())
        ck_assert(!fake_allocated(ptr));
    ck_ok(cuc_graph_exec_launch(stream, exec)); // another allocation fits now
    ck_ok(cuc_memory_free(stream, pool, ptr, 4 * N));
    cuc_graph_exec_release(exec);
    cuc_memory_resource_release(pool);
}

TEST(a_buffer_created_before_a_capture_is_not_freed_in_it)
{
    cuc_buffer *before;

    NEED_SIMULATED();
    ck_ok(cuc_buffer_create(&before, stream, NULL, 64));
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_device_ptr ptr = cuc_buffer_ptr(before);
    cuc_memory_resource *pool = cuc_memory_resource_retain(cuc_buffer_memory_resource(before));
    ck_fails(CUC_ERROR_BUSY, cuc_memory_free(stream, pool, ptr, 64), "not memory of its graph");
    cuc_buffer_release(before);
    ck_assert_int_eq(unraisable.count, 1);
    ck_assert_ptr_nonnull(strstr(unraisable.last, "not memory of that graph"));
    unraisable.count = 0;
    cuc_graph_release(end_capture()); // the capture continues
    ck_ok(cuc_memory_free(stream, pool, ptr, 64));
    cuc_memory_resource_release(pool);
}

// Drivers that refuse

TEST(a_refusal_by_the_driver_is_reported_with_its_call)
{
    static const char *const calls[] = {
        "cuGraphGetNodes", "cuGraphNodeGetType", "cuGraphInstantiateWithParams",
        "cuGraphUpload",   "cuGraphLaunch",      "cuGraphExecUpdate"
    };
    cuc_graph_exec *exec = NULL, *none = (void *)1;

    NEED_FAKE();
    cuc_graph *graph = captured(affine, 1, 1);
    exec = instance_of(graph);
    for (int i = 0; i < CUC_LENGTH(calls); i++) {
        fake_fail(calls[i], 1, 999);
        cuc_status st = i < 3    ? cuc_graph_instantiate(&none, graph, NULL)
                        : i == 3 ? cuc_graph_exec_upload(stream, exec)
                        : i == 4 ? cuc_graph_exec_launch(stream, exec)
                                 : cuc_graph_exec_update(exec, graph);
        ck_assert_int_eq(st, CUC_ERROR_DRIVER);
        ck_assert_str_eq(cuc_error_library_call(), calls[i]);
        ck_assert_int_eq(cuc_error_library_code(), 999);
        ck_assert_ptr_null(testing_current());
        ck_assert_int_eq(fake_live("exec"), 1);
    }
    ck_assert_ptr_eq(none, (void *)1);
    fake_fail("cuGraphLaunch", 1, 2);
    ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_graph_exec_launch(stream, exec), "");
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

TEST(a_graph_in_a_lost_context_reports_the_cause)
{
    NEED_FAKE();
    cuc_graph *graph = captured(affine, 1, 1);
    cuc_graph_exec *exec = instance_of(graph);
    fake_poison(cuc_stream_handle(stream), 700);
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_graph_exec_launch(stream, exec),
             "CUDA_ERROR_ILLEGAL_ADDRESS");
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    release_all();
    ck_soon((cuc__deferred_poll(), fake_live("library") == 0));
    ck_assert_int_eq(unraisable.count, 0);
    fake_reset();
}

int main(void)
{
    return run_device_tests("graph_exec");
}
