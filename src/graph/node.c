#include <cucore/node.h>

#include "device/event.h"
#include "graph.h"
#include "driver/relaxed.h"
#include "device/stream.h"

#include <stdlib.h>

// A cuc_node * is the driver's node handle itself; cucore has no node objects.

cuc_status cuc_graph_create(cuc_graph **out, cuc_device *device)
{
    cuc_context *context;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    cuc_status st = cuc_device_get_context(&context, device);
    if (st < 0)
        return CUC_PASS(st);
    cuc_graph *graph = cuc__graph_new(context, __func__);
    if (!graph)
        return CUC_ERROR_OUT_OF_MEMORY;
    CUresult r = cuc__cu.cuGraphCreate(&graph->handle, 0);
    if (r) {
        graph->handle = NULL;
        st = CUC_FAIL_CU(context, r, "cuGraphCreate", "making a graph");
        cuc_graph_release(graph);
        return st;
    }
    *out = graph;
    return CUC_OK;
}

cuc_status cuc_stream_get_capture_nodes(cuc_node **nodes, size_t capacity, size_t *count,
                                        cuc_stream *stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode *there = NULL;
    const CUgraphEdgeData *edges = NULL; // without it, the query fails if an edge has data
    CUgraph graph = NULL;
    size_t n = 0;
    uint64_t id;
    cuc_status st;

    CUC_CHECK_NOT_NULL(count);
    CUC_CHECK(stream, STREAM);
    if (!nodes && capacity)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "nodes is NULL and capacity is %zu", capacity);
    CUC_CALL_IN(st, stream->context, cuStreamGetCaptureInfo,
                (stream->handle, &status, &id, &graph, &there, &edges, &n),
                "asking what stream %p has captured", (void *)stream->handle);
    if (st < 0)
        return st;
    if (status == CU_STREAM_CAPTURE_STATUS_NONE)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "stream %p is not being captured: call cuc_stream_begin_capture_to() first",
                        (void *)stream->handle);
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUC_FAIL_CU(stream->context, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                           "cuStreamGetCaptureInfo", "asking what stream %p has captured",
                           (void *)stream->handle);
    for (size_t i = 0; i < n && i < capacity; i++)
        nodes[i] = (cuc_node *)there[i];
    *count = n;
    return CUC_OK;
}

static cuc_status check_captured(cuc_stream *stream, const char *function)
{
    int32_t capturing = 0;
    cuc_status st = cuc_stream_is_capturing(&capturing, stream);

    if (st < 0)
        return cuc__pass(st, function);
    if (!capturing)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "stream %p is not being captured: outside a capture use "
                         "cuc_event_record() and cuc_stream_wait_event()",
                         (void *)stream->handle);
    return CUC_OK;
}

cuc_status cuc_event_record_external(cuc_stream *stream, cuc_event *event)
{
    CUC_CHECK(event, EVENT);
    CUC_CHECK(stream, STREAM);
    cuc_status st = check_captured(stream, __func__);
    if (st < 0)
        return st;
    CUC_CALL_IN(st, stream->context, cuEventRecordWithFlags,
                (event->handle, stream->handle, CU_EVENT_RECORD_EXTERNAL),
                "adding a record of event %p to what stream %p captures", (void *)event->handle,
                (void *)stream->handle);
    if (st >= 0) // from now on the graph records the event, on whatever stream it is launched
        atomic_store_explicit(&event->recorded_on, NULL, memory_order_relaxed);
    return st;
}

cuc_status cuc_stream_wait_external(cuc_stream *stream, cuc_event *event)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(event, EVENT);
    cuc_status st = check_captured(stream, __func__);
    if (st < 0)
        return st;
    CUC_CALL_IN(st, stream->context, cuStreamWaitEvent,
                (stream->handle, event->handle, CU_EVENT_WAIT_EXTERNAL),
                "adding a wait for event %p to what stream %p captures", (void *)event->handle,
                (void *)stream->handle);
    return st;
}

// Changes

cuc_status cuc_graph_add_empty(cuc_node **out, cuc_graph *graph, cuc_node *const *after,
                               size_t count)
{
    CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_EMPTY };
    CUgraphNode node = NULL;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_GRAPH(graph);
    if (!after && count)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "after is NULL and count is %zu", count);
    CUresult r = cuc__cu.cuGraphAddNode(&node, graph->handle, (const CUgraphNode *)after, NULL,
                                        count, &params);
    if (r)
        return CUC_FAIL_CU(graph->context, r, "cuGraphAddNode",
                           "adding an empty node after %zu nodes, which must be nodes of the graph",
                           count);
    *out = (cuc_node *)node;
    return CUC_OK;
}

static cuc_status check_edges(cuc_node *const *from, cuc_node *const *to, size_t count,
                              const char *function)
{
    return (from && to) || !count
               ? CUC_OK
               : cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is NULL and count is %zu",
                           from ? "to" : "from", count);
}

cuc_status cuc_graph_add_edges(cuc_graph *graph, cuc_node *const *from, cuc_node *const *to,
                               size_t count)
{
    CUC_CHECK_GRAPH(graph);
    cuc_status st = check_edges(from, to, count, __func__);
    if (st < 0)
        return st;
    CUresult r = cuc__cu.cuGraphAddDependencies(graph->handle, (const CUgraphNode *)from,
                                                (const CUgraphNode *)to, NULL, count);
    return r ? CUC_FAIL_CU(graph->context, r, "cuGraphAddDependencies",
                           "adding %zu edges, which must be new and between two nodes of the graph",
                           count)
             : CUC_OK;
}

cuc_status cuc_graph_remove_edges(cuc_graph *graph, cuc_node *const *from, cuc_node *const *to,
                                  size_t count)
{
    CUC_CHECK_GRAPH(graph);
    cuc_status st = check_edges(from, to, count, __func__);
    if (st < 0)
        return st;
    CUresult r = cuc__cu.cuGraphRemoveDependencies(graph->handle, (const CUgraphNode *)from,
                                                   (const CUgraphNode *)to, NULL, count);
    return r ? CUC_FAIL_CU(graph->context, r, "cuGraphRemoveDependencies",
                           "removing %zu edges, which must be edges of the graph", count)
             : CUC_OK;
}

// Queries

cuc_status cuc_node_get_graph(cuc_graph **out, cuc_graph *graph, cuc_node *node)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_GRAPH(graph);
    CUC_CHECK_NOT_NULL(node);
    cuc_graph *child = cuc__graph_new(graph->context, __func__);
    if (!child)
        return CUC_ERROR_OUT_OF_MEMORY;
    child->embedded = true;
    child->parent = cuc_graph_retain(graph);
    CUresult r = cuc__cu.cuGraphChildGraphNodeGetGraph((CUgraphNode)node, &child->handle);
    if (r) {
        child->handle = NULL;
        cuc_status st = CUC_FAIL_CU(graph->context, r, "cuGraphChildGraphNodeGetGraph",
                                    "asking which graph node %p runs", (void *)node);
        cuc_graph_release(child);
        return st;
    }
    *out = child;
    return CUC_OK;
}

cuc_status cuc_node_get_launch(cuc_launch_config *config, void **kernel, cuc_node *node)
{
    CUDA_KERNEL_NODE_PARAMS params = { 0 };

    CUC_CHECK_NOT_NULL(config);
    CUC_CHECK_NOT_NULL(kernel);
    CUC_CHECK_NOT_NULL(node);
    CUresult r = cuc__cu.cuGraphKernelNodeGetParams((CUgraphNode)node, &params);
    if (r)
        return CUC_FAIL_CU(NULL, r, "cuGraphKernelNodeGetParams", "asking what node %p launches",
                           (void *)node);
    *config = (cuc_launch_config)CUC_LAUNCH_CONFIG_INIT;
    config->grid[0] = params.gridDimX;
    config->grid[1] = params.gridDimY;
    config->grid[2] = params.gridDimZ;
    config->block[0] = params.blockDimX;
    config->block[1] = params.blockDimY;
    config->block[2] = params.blockDimZ;
    config->shared_bytes = params.sharedMemBytes;
    *kernel = params.kern;
    return CUC_OK;
}

cuc_status cuc_graph_get_nodes(cuc_node **out, size_t capacity, cuc_graph *graph)
{
    CUgraphNode *nodes;
    size_t count;

    CUC_CHECK_GRAPH(graph);
    if (!out && capacity)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "nodes is NULL and capacity is %zu", capacity);
    cuc_status st = cuc__graph_nodes(&nodes, &count, graph, __func__);
    if (st < 0)
        return st;
    for (size_t i = 0; i < count && i < capacity; i++)
        out[i] = (cuc_node *)nodes[i];
    free(nodes);
    return CUC_OK;
}

cuc_status cuc_graph_get_edges(cuc_node **from, cuc_node **to, size_t capacity, cuc_graph *graph)
{
    size_t count = 0;

    CUC_CHECK_GRAPH(graph);
    if ((!from || !to) && capacity)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "%s is NULL and capacity is %zu",
                        from ? "to" : "from", capacity);
    cuc_status st = cuc_graph_get_edge_count(&count, graph);
    if (st < 0)
        return CUC_PASS(st);
    if (!count)
        return CUC_OK;
    CUgraphNode *nodes = calloc(2 * count, sizeof(*nodes));
    // Without this array, the query fails if an edge has data.
    CUgraphEdgeData *data = calloc(count, sizeof(*data));
    if (nodes && data) {
        CUresult r = cuc__cu.cuGraphGetEdges(graph->handle, nodes, nodes + count, data, &count);
        if (r)
            st = CUC_FAIL_CU(graph->context, r, "cuGraphGetEdges", "listing the edges of a graph");
    } else {
        st = CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for %zu edges of a graph", count);
    }
    for (size_t i = 0; st >= 0 && i < count && i < capacity; i++) {
        from[i] = (cuc_node *)nodes[i];
        to[i] = (cuc_node *)nodes[count + i];
    }
    free(nodes);
    free(data);
    return st;
}

cuc_status cuc_node_get_type(int32_t *out, cuc_node *node)
{
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(node);
    CUresult r = cuc__cu.cuGraphNodeGetType((CUgraphNode)node, &type);
    if (r)
        return CUC_FAIL_CU(NULL, r, "cuGraphNodeGetType", "asking what node %p is", (void *)node);
    *out = (int32_t)type;
    return CUC_OK;
}

// Executable graphs

cuc_status cuc_graph_exec_set_enabled(cuc_graph_exec *exec, cuc_node *node, int32_t enabled)
{
    cuc_status st;

    CUC_CHECK(exec, GRAPH_EXEC);
    CUC_CHECK_NOT_NULL(node);
    CUC_CALL_IN(st, exec->context, cuGraphNodeSetEnabled,
                (exec->handle, (CUgraphNode)node, enabled != 0),
                "%s node %p of graph instance %p (expected a kernel, copy or fill of the graph "
                "that it was made from)",
                enabled ? "enabling" : "disabling", (void *)node, (void *)exec->handle);
    return st;
}

cuc_status cuc_graph_exec_get_enabled(int32_t *out, cuc_graph_exec *exec, cuc_node *node)
{
    unsigned enabled = 0;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(exec, GRAPH_EXEC);
    CUC_CHECK_NOT_NULL(node);
    CUC_CALL_IN(st, exec->context, cuGraphNodeGetEnabled,
                (exec->handle, (CUgraphNode)node, &enabled),
                "asking whether node %p of graph instance %p is enabled", (void *)node,
                (void *)exec->handle);
    if (st >= 0)
        *out = enabled != 0;
    return st;
}
