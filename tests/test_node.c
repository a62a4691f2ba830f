// Tests graphs that are built node by node.
#include <cucore/node.h>

#include "base/array.h"
#include "graph/capture_registry.h"
#include "graph_testing.h"

static cuc_graph *graph;

static void begin(cuc_node *const *after, size_t count)
{
    ck_ok(cuc_stream_begin_capture_to(stream, graph, after, count, CUC_CAPTURE_RELAXED));
}

// Ends the capture of one node and returns the node.
static cuc_node *end(void)
{
    cuc_node *node = NULL;
    cuc_graph *same = NULL;
    size_t count = 0;

    ck_ok(cuc_stream_get_capture_nodes(&node, 1, &count, stream));
    ck_assert_uint_eq(count, 1);
    ck_ok(cuc_stream_end_capture(&same, stream));
    ck_assert_ptr_eq(same, graph);
    cuc_graph_release(same);
    return node;
}

static cuc_node *kernel_after(cuc_kernel *kernel, uint32_t a, uint32_t b, cuc_node *const *after,
                              size_t count)
{
    begin(after, count);
    ck_ok(launch_on(stream, kernel, buffer, a, b));
    return end();
}

static bool has_edge(cuc_node *from, cuc_node *to)
{
    cuc_node *a[16], *b[16];
    size_t count = 0;

    ck_ok(cuc_graph_get_edge_count(&count, graph));
    ck_assert_uint_le(count, 16);
    ck_ok(cuc_graph_get_edges(a, b, 16, graph));
    for (size_t i = 0; i < count; i++)
        if (a[i] == from && b[i] == to)
            return true;
    return false;
}

CASE("node", .setup = graph_setup, .teardown = graph_teardown);

TEST(nodes_depend_on_the_given_nodes)
{
    static const int32_t expected[] = { CUC_NODE_FILL, CUC_NODE_KERNEL, CUC_NODE_COPY,
                                        CUC_NODE_KERNEL };
    cuc_node *nodes[4], *listed[5] = { NULL };
    int32_t type = -1;

    cuc_buffer *other = new_buffer();
    ck_ok(cuc_graph_create(&graph, device));
    begin(NULL, 0);
    ck_ok(cuc_buffer_fill(stream, buffer, 0, 5, 4, 4 * N));
    nodes[0] = end();
    nodes[1] = kernel_after(affine, 2, 1, nodes, 1); // 11
    begin(nodes, 1);
    ck_ok(cuc_buffer_copy(stream, other, 0, buffer, 0, 4 * N));
    nodes[2] = end();
    cuc_node *both[] = { nodes[1], nodes[2] };
    cuc_node *behind[3] = { NULL };
    size_t count = 0;
    begin(both, 2);
    ck_ok(cuc_stream_get_capture_nodes(behind, 2, &count, stream));
    ck_assert_uint_eq(count, 2);
    ck_assert((behind[0] == both[0] && behind[1] == both[1]) ||
              (behind[0] == both[1] && behind[1] == both[0]));
    ck_assert_ptr_null(behind[2]);
    ck_ok(launch_on(stream, minus, buffer, 3, 1));
    nodes[3] = end(); // 32

    ck_types(graph, expected, 4);
    ck_assert(has_edge(nodes[0], nodes[1]) && has_edge(nodes[0], nodes[2]));
    ck_assert(has_edge(nodes[1], nodes[3]) && has_edge(nodes[2], nodes[3]));
    ck_assert(!has_edge(nodes[1], nodes[2]) && !has_edge(nodes[0], nodes[3]));
    ck_ok(cuc_graph_get_nodes(listed, 4, graph));
    for (int i = 0; i < 4; i++) {
        bool there = false;
        for (int j = 0; j < 4; j++)
            there |= listed[j] == nodes[i];
        ck_assert(there);
    }
    ck_assert_ptr_null(listed[4]);
    ck_ok(cuc_node_get_type(&type, nodes[2]));
    ck_assert_int_eq(type, CUC_NODE_COPY);

    cuc_graph_exec *exec = instance_of(graph);
    cuc_graph_release(graph);
    for (int i = 0; i < 2; i++) {
        set_value(buffer, 77);
        ck_ok(cuc_graph_exec_launch(stream, exec));
        ck_assert_uint_eq(value_of(buffer), 32);
    }
    cuc_graph_exec_release(exec);
    cuc_buffer_release(other);
}

// Releases the kernels' code and the graph. The remaining references must then fall to this count.
static void ck_keeps_its_code(uint32_t expected)
{
    cuc_kernel_release(affine);
    cuc_kernel_release(minus);
    cuc_object_release(object);
    affine = minus = NULL;
    object = NULL;
    cuc_graph_exec *exec = instance_of(graph);
    cuc_graph_release(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), expected);
    cuc_graph_exec_release(exec);
}

TEST(a_graph_keeps_the_code_of_nodes_that_are_added)
{
    ck_ok(cuc_graph_create(&graph, device));
    cuc_node *first = kernel_after(affine, 0, 4, NULL, 0);
    kernel_after(minus, 2, 1, &first, 1);
    ck_keeps_its_code(7);
}

TEST(canceling_a_capture_keeps_the_graph)
{
    size_t count = 99;

    ck_ok(cuc_graph_create(&graph, device));
    cuc_node *first = kernel_after(affine, 1, 1, NULL, 0);
    begin(&first, 1);
    ck_ok(cuc_stream_cancel_capture(stream));
    ck_ok(cuc_graph_get_node_count(&count, graph));
    ck_assert_uint_eq(count, 1);
    // Releasing a stream that is adding to a graph leaves the graph intact too.
    cuc_stream *gone = NULL;
    ck_ok(cuc_stream_create(&gone, device, NULL));
    ck_ok(cuc_stream_begin_capture_to(gone, graph, &first, 1, CUC_CAPTURE_RELAXED));
    cuc_stream_release(gone);
    ck_assert_int_eq(unraisable.count, 1);
    unraisable.count = 0;
    ck_ok(cuc_graph_get_node_count(&count, graph));
    ck_assert_uint_eq(count, 1);
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 1);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

TEST(nodes_added_by_a_canceled_capture_stay)
{
    ck_ok(cuc_graph_create(&graph, device));
    begin(NULL, 0);
    ck_ok(launch_on(stream, affine, buffer, 0, 6));
    ck_ok(cuc_stream_cancel_capture(stream));
    ck_keeps_its_code(6);
}

// Captures that are canceled or end with an error, and whether the graph remains usable.
// test_capture_end.c has more cases.
static const struct {
    bool unjoined, cancelled, stays;
} bad_ends[] = {
    { false, false, false },
    { false, true, false },
    { true, false, false },
    { true, true, true },
};

TEST_ROWS(a_failed_capture_destroys_the_graph_unless_it_can_be_canceled, bad_ends)
{
    cuc_graph *same = NULL, *others[16];
    size_t count = 99;

    ck_ok(cuc_graph_create(&graph, device));
    cuc_node *first = kernel_after(affine, 1, 1, NULL, 0);
    begin(&first, 1);
    if (bad_ends[_i].unjoined) {
        ck_ok(cuc_stream_wait_stream(side, stream));
        ck_ok(launch_on(side, affine, buffer, 1, 1));
    } else {
        ck_fails(CUC_ERROR_BUSY, cuc_device_synchronize(device), "");
    }
    if (bad_ends[_i].cancelled)
        ck_ok(cuc_stream_cancel_capture(stream));
    else
        ck_fails(CUC_ERROR_DRIVER, cuc_stream_end_capture(&same, stream),
                 "the driver frees the graph that it added to");
    ck_assert_ptr_null(same);
    for (int i = 0; i < CUC_LENGTH(others); i++) // else freed memory would be returned
        ck_ok(cuc_graph_create(&others[i], device));
    if (bad_ends[_i].stays) {
        cuc_node *nodes[4] = { NULL };
        ck_ok(cuc_graph_get_node_count(&count, graph));
        ck_assert_uint_eq(count, 2);
        ck_ok(cuc_graph_get_nodes(nodes, CUC_LENGTH(nodes), graph));
        ck_assert(nodes[0] == first || nodes[1] == first);
    } else {
        ck_assert_ptr_null(cuc_graph_handle(graph));
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_get_node_count(&count, graph),
                 "the graph is no more", "a capture into it", "make it again");
    }
    for (int i = 0; i < CUC_LENGTH(others); i++)
        cuc_graph_release(others[i]);
    cuc_graph_release(graph);
}

TEST(external_events_are_nodes)
{
    static const int32_t expected[] = { CUC_NODE_WAIT_EVENT, CUC_NODE_KERNEL,
                                        CUC_NODE_RECORD_EVENT };
    cuc_event *before = NULL, *behind = NULL;

    ck_ok(cuc_event_create(&before, device, NULL));
    ck_ok(cuc_event_create(&behind, device, NULL));
    ck_ok(cuc_graph_create(&graph, device));
    begin(NULL, 0);
    ck_ok(cuc_stream_wait_external(stream, before));
    ck_ok(launch_on(stream, affine, buffer, 0, 9));
    ck_ok(cuc_event_record_external(stream, behind));
    end();
    ck_types(graph, expected, 3);
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_event_record(side, before));
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_ok(cuc_event_synchronize(behind));
    ck_assert_uint_eq(value_of(buffer), 9);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    cuc_event_release(before);
    cuc_event_release(behind);
}

TEST(launches_skip_disabled_nodes)
{
    cuc_event *event = NULL;
    cuc_graph *other = NULL;
    int32_t enabled = 7;

    ck_ok(cuc_event_create(&event, device, NULL));
    ck_ok(cuc_graph_create(&graph, device));
    cuc_node *first = kernel_after(affine, 0, 4, NULL, 0);
    cuc_node *second = kernel_after(minus, 2, 1, &first, 1);
    begin(&second, 1);
    ck_ok(cuc_event_record_external(stream, event));
    cuc_node *record = end();
    kernel_after(affine, 1, 10, &record, 1);
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_get_enabled(&enabled, exec, second));
    ck_assert_int_eq(enabled, 1);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 17);

    ck_ok(cuc_graph_exec_set_enabled(exec, second, 0));
    ck_ok(cuc_graph_exec_get_enabled(&enabled, exec, second));
    ck_assert_int_eq(enabled, 0);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 14);
    ck_ok(cuc_graph_exec_update(exec, graph)); // the update leaves the graph unchanged
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 14);
    ck_ok(cuc_graph_exec_set_enabled(exec, second, 1));
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 17);

    ck_fails(CUC_ERROR_DRIVER, cuc_graph_exec_set_enabled(exec, record, 0),
             "cuGraphNodeSetEnabled");
    ck_fails(CUC_ERROR_DRIVER, cuc_graph_exec_get_enabled(&enabled, exec, record), "is enabled");
    cuc_graph *mine = graph;
    ck_ok(cuc_graph_create(&other, device));
    graph = other;
    cuc_node *elsewhere = kernel_after(affine, 1, 1, NULL, 0);
    graph = mine;
    ck_fails(CUC_ERROR_DRIVER, cuc_graph_exec_set_enabled(exec, elsewhere, 0), "disabling",
             "of the graph that it was made from");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_exec_set_enabled(NULL, second, 0),
             "exec is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_exec_set_enabled(exec, NULL, 0), "node is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_exec_get_enabled(NULL, exec, second),
             "out is NULL");
    cuc_graph_exec_release(exec);
    cuc_graph_release(other);
    cuc_graph_release(graph);
    cuc_event_release(event);
}

TEST(edges_are_added_and_removed)
{
    cuc_node *empty = NULL;

    ck_ok(cuc_graph_create(&graph, device));
    begin(NULL, 0);
    ck_ok(cuc_buffer_fill(stream, buffer, 0, 1, 4, 4 * N));
    cuc_node *fill = end();
    cuc_node *first = kernel_after(affine, 2, 1, &fill, 1);   // 3
    cuc_node *second = kernel_after(affine, 5, 0, &first, 1); // 15
    ck_ok(cuc_graph_add_empty(&empty, graph, &second, 1));
    ck_assert(has_edge(second, empty));

    // The reverse order: fill, second, first. The driver lists nodes in a valid execution order.
    cuc_node *from[] = { fill, first }, *to[] = { first, second };
    ck_ok(cuc_graph_remove_edges(graph, from, to, 2));
    ck_assert(!has_edge(fill, first) && !has_edge(first, second));
    cuc_node *now_from[] = { fill, second }, *now_to[] = { second, first };
    ck_ok(cuc_graph_add_edges(graph, now_from, now_to, 2));
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 11); // 1 * 5 * 2 + 1

    ck_fails(CUC_ERROR_DRIVER, cuc_graph_add_edges(graph, &fill, &second, 1),
             "cuGraphAddDependencies");
    ck_fails(CUC_ERROR_DRIVER, cuc_graph_add_edges(graph, &fill, &fill, 1), "between two nodes");
    ck_fails(CUC_ERROR_DRIVER, cuc_graph_remove_edges(graph, &fill, &first, 1),
             "cuGraphRemoveDependencies");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_add_edges(graph, NULL, &fill, 1),
             "from is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_remove_edges(graph, &fill, NULL, 1),
             "to is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_add_empty(&empty, graph, NULL, 1),
             "after is NULL");
    ck_ok(cuc_graph_add_edges(graph, NULL, NULL, 0));
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

TEST(an_embedded_graph_is_a_copy)
{
    cuc_launch_config config;
    cuc_graph *copy = NULL;
    size_t count = 0;
    void *launched;

    ck_ok(cuc_graph_create(&graph, device));
    cuc_node *kernel = kernel_after(affine, 2, 1, NULL, 0);
    ck_ok(cuc_node_get_launch(&config, &launched, kernel));
    ck_assert_uint_eq(config.grid[0] * config.block[0] >= N, 1);
    ck_assert_ptr_eq(launched, cuc_kernel_handle(affine));
    cuc_graph *child = graph;
    ck_ok(cuc_graph_create(&graph, device));
    begin(NULL, 0);
    ck_ok(cuc_stream_embed_graph(stream, child));
    cuc_node *node = end();
    ck_ok(cuc_node_get_graph(&copy, graph, node));
    cuc_graph *parent = graph;
    graph = child;
    kernel_after(affine, 1, 1, NULL, 0); // only in the original, not in the copy
    graph = parent;
    ck_ok(cuc_graph_get_node_count(&count, child));
    ck_assert_uint_eq(count, 2);
    ck_ok(cuc_graph_get_node_count(&count, copy));
    ck_assert_uint_eq(count, 1);
    cuc_graph_exec *exec = NULL;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_instantiate(&exec, copy, NULL),
             "the graph is that of a node");
    ck_fails(CUC_ERROR_DRIVER, cuc_node_get_graph(&copy, child, kernel),
             "cuGraphChildGraphNodeGetGraph");
    ck_fails(CUC_ERROR_DRIVER, cuc_node_get_launch(&config, &launched, node),
             "cuGraphKernelNodeGetParams");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_node_get_graph(&copy, graph, NULL), "node is NULL");
    cuc_graph_release(child);
    cuc_graph_release(graph); // the copy holds it
    ck_ok(cuc_graph_get_node_count(&count, copy));
    cuc_graph_release(copy);
}

static uint64_t for_graphs(int32_t which)
{
    uint64_t bytes = UINT64_MAX;

    ck_ok(cuc_device_get_graph_memory(&bytes, device, which));
    return bytes;
}

TEST(memory_of_graphs_is_counted)
{
    enum { BYTES = 5 << 20 };
    cuc_memory_resource *pool = NULL;
    cuc_buffer *part = NULL;
    uint64_t bytes;

    ck_ok(cuc_device_get_memory_resource(&pool, device));
    ck_ok(cuc_device_trim_graph_memory(device));
    uint64_t before = for_graphs(CUC_GRAPH_MEMORY_USED);
    ck_ok(cuc_graph_create(&graph, device));
    begin(NULL, 0);
    ck_ok(cuc_buffer_create(&part, stream, pool, BYTES));
    ck_ok(cuc_buffer_fill(stream, part, 0, 7, 4, BYTES));
    cuc_buffer_release(part);
    end();
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_uint_ge(for_graphs(CUC_GRAPH_MEMORY_USED_HIGH), before + BYTES);
    ck_assert_uint_ge(for_graphs(CUC_GRAPH_MEMORY_RESERVED), before + BYTES);
    ck_assert_uint_ge(for_graphs(CUC_GRAPH_MEMORY_RESERVED_HIGH), before + BYTES);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    ck_ok(cuc_device_trim_graph_memory(device));
    ck_assert_uint_eq(for_graphs(CUC_GRAPH_MEMORY_USED), before);
    ck_assert_uint_lt(for_graphs(CUC_GRAPH_MEMORY_RESERVED), before + BYTES);
    ck_ok(cuc_device_reset_graph_memory(device, CUC_GRAPH_MEMORY_USED_HIGH));
    ck_assert_uint_lt(for_graphs(CUC_GRAPH_MEMORY_USED_HIGH), before + BYTES);
    ck_assert_uint_ge(for_graphs(CUC_GRAPH_MEMORY_RESERVED_HIGH), before + BYTES);
    ck_ok(cuc_device_reset_graph_memory(device, CUC_GRAPH_MEMORY_RESERVED_HIGH));
    ck_assert_uint_lt(for_graphs(CUC_GRAPH_MEMORY_RESERVED_HIGH), before + BYTES);

    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    ck_fails(bad, cuc_device_get_graph_memory(NULL, device, 0), "out is NULL");
    ck_fails(bad, cuc_device_get_graph_memory(&bytes, NULL, 0), "device is NULL");
    ck_fails(bad, cuc_device_get_graph_memory(&bytes, device, 4), "which is 4");
    ck_fails(bad, cuc_device_reset_graph_memory(device, CUC_GRAPH_MEMORY_USED), "which is 0");
    ck_fails(bad, cuc_device_trim_graph_memory(NULL), "device is NULL");
}

TEST(invalid_arguments_are_refused)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_event *event = NULL;
    cuc_graph *other = NULL;
    cuc_node *node = NULL;
    size_t count = 0;
    int32_t type;

    ck_ok(cuc_event_create(&event, device, NULL));
    ck_fails(bad, cuc_graph_create(NULL, device), "out is NULL");
    ck_fails(bad, cuc_graph_create(&graph, NULL), "device is NULL");
    ck_ok(cuc_graph_create(&graph, device));
    ck_ok(cuc_graph_create(&other, device));
    ck_fails(bad, cuc_stream_begin_capture_to(NULL, graph, NULL, 0, 0), "stream is NULL");
    ck_fails(bad, cuc_stream_begin_capture_to(stream, NULL, NULL, 0, 0), "graph is NULL");
    ck_fails(bad, cuc_stream_begin_capture_to(stream, graph, NULL, 1, 0), "after is NULL");
    ck_fails(bad, cuc_stream_begin_capture_to(stream, graph, NULL, 0, 3), "mode is 3");
    cuc_node *of_graph = kernel_after(affine, 1, 1, NULL, 0);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_begin_capture_to(stream, other, &of_graph, 1, 0),
             "cuStreamBeginCaptureToGraph", "which must be nodes of the given graph");
    ck_fails(bad, cuc_stream_get_capture_nodes(&node, 1, &count, stream), "not being captured");
    ck_fails(bad, cuc_stream_get_capture_nodes(NULL, 1, &count, stream), "nodes is NULL");
    ck_fails(bad, cuc_stream_get_capture_nodes(&node, 1, NULL, stream), "count is NULL");
    ck_fails(bad, cuc_event_record_external(stream, event), "not being captured");
    ck_fails(bad, cuc_stream_wait_external(stream, event), "not being captured");
    ck_fails(bad, cuc_graph_get_nodes(NULL, 1, graph), "nodes is NULL");
    ck_fails(bad, cuc_graph_get_edges(&node, NULL, 1, graph), "to is NULL");
    ck_fails(bad, cuc_node_get_type(NULL, of_graph), "out is NULL");
    ck_fails(bad, cuc_node_get_type(&type, NULL), "node is NULL");
    begin(NULL, 0);
    ck_fails(CUC_ERROR_BUSY,
             cuc_stream_begin_capture_to(stream, graph, NULL, 0, CUC_CAPTURE_RELAXED),
             "already being captured");
    ck_ok(cuc_stream_cancel_capture(stream));
    cuc_graph_release(other);
    cuc_graph_release(graph);
    cuc_event_release(event);
}

int main(void)
{
    return run_device_tests("node");
}
