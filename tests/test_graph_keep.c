// Tests which objects graphs keep alive, for how long, and who releases them.
#include "base/array.h"
#include "device/deferred.h"

#include "graph/capture_registry.h"
#include "graph_testing.h"
#include "code/object.h"

// Counts the owners that were dropped.
static _Atomic int dropped;
static pthread_t dropped_on;

static void drop(void *owner)
{
    ck_assert_ptr_eq(owner, &dropped);
    dropped_on = pthread_self();
    dropped++;
}

static int dropped_after_tidying(void)
{
    cuc__deferred_poll();
    return dropped;
}

static cuc_graph *captured(uint32_t b)
{
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(launch_on(stream, affine, buffer, 1, b));
    return end_capture();
}

// Returns the number of references to the kernels' code.
static uint32_t references(void)
{
    cuc__deferred_poll();
    return atomic_load(&object->head.refs);
}

CASE("graph_keep", .setup = graph_setup, .teardown = graph_teardown);

TEST(the_code_of_captured_kernels_stays_as_long_as_it_is_needed)
{
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 4));
    cuc_kernel_release(affine);
    cuc_kernel_release(minus);
    cuc_object_release(object); // released during the capture
    affine = minus = NULL;
    object = NULL;
    cuc_graph *graph = end_capture();
    cuc_graph_exec *exec = instance_of(graph);
    cuc_graph_release(graph);
    for (int i = 1; i <= 3; i++) {
        ck_ok(cuc_graph_exec_launch(stream, exec));
        ck_assert_uint_eq(value_of(buffer), 4 * (uint32_t)i);
    }
    if (fake_available())
        ck_assert_int_eq(fake_live("library"), 1);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    cuc_graph_exec_release(exec);
    ck_assert_uint_eq(value_of(buffer), 16);
    if (fake_available())
        ck_soon((cuc__deferred_poll(), fake_live("library") == 0));
}

TEST(a_graph_holds_an_object_once_and_releases_it)
{
    uint32_t before = references();

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    for (int i = 0; i < 5; i++) {
        ck_ok(launch_on(stream, affine, buffer, 1, 1));
        ck_ok(launch_on(stream, minus, buffer, 1, 1));
    }
    ck_assert_uint_eq(references(), before + 1);
    cuc_graph *graph = end_capture();
    cuc_graph_exec *exec = instance_of(graph);
    cuc_graph_release(graph);
    ck_assert_uint_eq(references(), before + 1);
    cuc_graph_exec_release(exec);
    ck_soon(references() == before);
    // A capture that yields no graph also releases its references.
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_assert_uint_eq(references(), before + 1);
    ck_ok(cuc_stream_cancel_capture(stream));
    ck_assert_uint_eq(references(), before);
}

TEST(a_launch_outside_a_capture_adds_no_reference_to_it)
{
    uint32_t before = references();

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(launch_on(side, affine, buffer, 1, 1));
    ck_assert_uint_eq(references(), before);
    ck_ok(cuc_stream_begin_capture(side, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(launch_on(side, affine, buffer, 1, 1));
    ck_assert_uint_eq(references(), before + 1);
    ck_ok(cuc_stream_cancel_capture(stream));
    ck_assert_uint_eq(references(), before + 1); // the other capture's reference is left
    ck_ok(cuc_stream_cancel_capture(side));
    ck_assert_uint_eq(references(), before);
    ck_assert(!cuc__capturing());
}

TEST(a_branch_keeps_its_kernels_for_the_whole_graph)
{
    uint32_t before = references();

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(cuc_stream_wait_stream(side, stream));
    ck_ok(launch_on(side, affine, buffer, 1, 1));
    ck_ok(cuc_stream_wait_stream(stream, side));
    ck_assert_uint_eq(references(), before + 1);
    cuc_graph_release(end_capture());
    ck_soon(references() == before);
}

TEST(an_owner_is_dropped_when_graph_and_instances_are_gone)
{
    cuc_graph *graph = captured(1);

    dropped = 0;
    ck_ok(cuc_graph_keep(graph, &dropped, drop));
    cuc_graph_exec *first = instance_of(graph), *second = instance_of(graph);
    cuc_graph_release(graph);
    cuc_graph_exec_release(first);
    ck_ok(cuc_graph_exec_launch(stream, second));
    ck_ok(cuc_stream_synchronize(stream));
    testing_sleep_ms(5);
    ck_assert_int_eq(dropped_after_tidying(), 0);
    cuc_graph_exec_release(second);
    ck_soon(dropped_after_tidying() == 1);
    ck_assert(pthread_equal(dropped_on, pthread_self())); // the driver's thread did not run the
                                                          // drop
}

TEST(a_launch_that_has_not_ended_keeps_everything)
{
    NEED_FAKE();
    cuc_graph *graph = captured(1);
    dropped = 0;
    ck_ok(cuc_graph_keep(graph, &dropped, drop));
    cuc_graph_exec *exec = instance_of(graph);
    cuc_graph_release(graph);
    fake_hold(cuc_stream_handle(stream));
    ck_ok(cuc_graph_exec_launch(stream, exec));
    cuc_graph_exec_release(exec);
    testing_sleep_ms(5);
    ck_assert_int_eq(dropped_after_tidying(), 0);
    fake_resume(cuc_stream_handle(stream));
    ck_assert_uint_eq(value_of(buffer), 1);
    ck_soon(dropped_after_tidying() == 1);
}

TEST(an_update_exchanges_the_references)
{
    cuc_graph *one = captured(1), *two = captured(2);
    const bool hold = fake_available();

    dropped = 0;
    ck_ok(cuc_graph_keep(one, &dropped, drop));
    cuc_graph_exec *exec = instance_of(one);
    cuc_graph_release(one);
    if (hold)
        fake_hold(cuc_stream_handle(stream));
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_ok(cuc_graph_exec_update(exec, two));
    if (hold) { // the launch in progress still holds what the first graph keeps
        testing_sleep_ms(5);
        ck_assert_int_eq(dropped_after_tidying(), 0);
        fake_resume(cuc_stream_handle(stream));
    }
    ck_ok(cuc_stream_synchronize(stream));
    ck_soon(dropped_after_tidying() == 1);
    cuc_graph_release(two);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 3);
    cuc_graph_exec_release(exec);
}

TEST(a_graph_keeps_a_buffer)
{
    cuc_buffer *own;

    ck_ok(cuc_buffer_create(&own, stream, NULL, 4 * N));
    cuc_device_ptr ptr = cuc_buffer_ptr(own);
    set_value(own, 5);
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(cuc_buffer_copy(stream, buffer, 0, own, 0, 4 * N));
    cuc_graph *graph = end_capture();
    ck_ok(cuc_graph_keep_buffer(graph, own));
    cuc_buffer_release(own);
    cuc_graph_exec *exec = instance_of(graph);
    cuc_graph_release(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 5);
    if (fake_available())
        ck_assert(fake_allocated(ptr));
    cuc_graph_exec_release(exec);
    if (fake_available())
        ck_soon((cuc__deferred_poll(), !fake_allocated(ptr)));
}

TEST(nothing_is_released_while_a_stream_is_captured)
{
    cuc_graph *graph = captured(1);
    size_t nodes = 0;
    cuc_buffer *own;

    ck_ok(cuc_buffer_create(&own, stream, NULL, 4 * N));
    ck_ok(cuc_graph_keep_buffer(graph, own));
    cuc_buffer_release(own);
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_graph_release(graph); // must not free the graph's buffer yet: that would be captured
    testing_sleep_ms(5);
    cuc__deferred_poll();
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    graph = end_capture();
    ck_ok(cuc_graph_get_node_count(&nodes, graph));
    ck_assert_uint_eq(nodes, 1);
    cuc_graph_release(graph);
}

static void let_go(void *owned)
{
    cuc_buffer_release(owned);
}

static void begin_to_capture(void *unused)
{
    (void)unused;
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
}

// Another thread may begin a capture just after cucore has found that there is none.
TEST_RANGE(releases_delayed_by_a_new_capture_happen_later, 0, 2)
{
    cuc_memory_resource *resource = NULL;
    cuc_buffer *own = NULL;

    if (_i)
        ck_ok(cuc_memory_synchronous_create(&resource, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_buffer_create(&own, stream, resource, 4 * N));
    cuc_memory_resource_release(resource);
    const cuc_device_ptr ptr = cuc_buffer_ptr(own);
    ck_assert(cuc__defer_drop(own, let_go)); // drops run in reverse order, so this one is last
    ck_assert(cuc__defer_drop(&dropped, begin_to_capture));
    cuc__deferred_poll();
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    cuc_graph_release(end_capture());
    cuc__deferred_poll();
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_msg(unraisable.count == 0, "%s", unraisable.last);
    if (fake_available())
        ck_soon(!fake_allocated(ptr));
}

TEST(waiting_for_a_stream_runs_deferred_releases)
{
    cuc_graph *graph = captured(1);

    dropped = 0;
    ck_ok(cuc_graph_keep(graph, &dropped, drop));
    cuc_graph_release(graph);
    testing_sleep_ms(20); // lets the driver's thread run
    ck_soon((cuc_stream_synchronize(stream), dropped == 1));
    graph = captured(1);
    ck_ok(cuc_graph_keep(graph, &dropped, drop));
    cuc_graph_release(graph);
    ck_soon((cuc_device_synchronize(device), dropped == 2));
}

TEST(an_embedded_graph_brings_its_references)
{
    uint32_t before = references();
    cuc_graph *inner = captured(3);

    dropped = 0;
    ck_ok(cuc_graph_keep(inner, &dropped, drop));
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(cuc_stream_embed_graph(stream, inner));
    cuc_graph *outer = end_capture();
    cuc_graph_release(inner);
    cuc_graph_exec *exec = instance_of(outer);
    cuc_graph_release(outer);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 3);
    ck_assert_int_eq(dropped_after_tidying(), 0);
    ck_assert_uint_eq(references(), before + 1);
    cuc_graph_exec_release(exec);
    ck_soon(dropped_after_tidying() == 1);
    ck_soon(references() == before);
}

TEST(what_a_graph_cannot_keep_stays_the_callers)
{
    static const char *const calls[] = { "cuUserObjectCreate", "cuGraphRetainUserObject" };
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_graph *graph = captured(1);

    ck_fails(bad, cuc_graph_keep(NULL, &dropped, drop), "graph is NULL");
    ck_fails(bad, cuc_graph_keep(graph, &dropped, NULL), "drop_owner is NULL");
    ck_fails(bad, cuc_graph_keep_buffer(NULL, buffer), "graph is NULL");
    ck_fails(bad, cuc_graph_keep_buffer(graph, NULL), "buffer is NULL");
    dropped = 0;
    for (int i = 0; fake_available() && i < CUC_LENGTH(calls); i++) {
        fake_fail(calls[i], 1, 999);
        ck_fails(CUC_ERROR_DRIVER, cuc_graph_keep(graph, &dropped, drop), calls[i]);
        fake_fail(calls[i], 1, 999);
        ck_fails(CUC_ERROR_DRIVER, cuc_graph_keep_buffer(graph, buffer), calls[i]);
    }
    cuc_graph_release(graph);
    testing_sleep_ms(5);
    ck_assert_int_eq(dropped_after_tidying(), 0);
    ck_assert_uint_eq(value_of(buffer), 0); // the buffer is still alive
}

int main(void)
{
    return run_device_tests("graph_keep");
}
