#include <cucore/condition.h>

#include "base/array.h"
#include "capture_registry.h"
#include "graph.h"
#include "base/options.h"
#include "device/stream.h"

#include <stdlib.h>

static cuc_status check_flags(uint32_t default_value, uint32_t flags, const char *function)
{
    cuc_status st = cuc__check_bits("flags", flags, CUC_CONDITION_ASSIGN_DEFAULT, 0,
                                    "CUC_CONDITION_ASSIGN_DEFAULT (1) or 0", function);

    if (st < 0)
        return st;
    if (default_value && !flags)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "default_value is %u, which needs CUC_CONDITION_ASSIGN_DEFAULT in flags",
                         default_value);
    return CUC_OK;
}

static cuc_status create(cuc_condition *out, cuc_context *context, CUgraph graph,
                         uint32_t default_value, uint32_t flags, const char *function)
{
    CUgraphConditionalHandle handle = 0;
    cuc_status st;

    CUC_CALL_IN_AS(function, st, context, cuGraphConditionalHandleCreate,
                   (&handle, graph, context->handle, default_value, flags),
                   "making a condition for graph %p", (void *)graph);
    if (st >= 0)
        *out = handle;
    return st;
}

cuc_status cuc_graph_condition_create(cuc_condition *out, cuc_graph *graph, uint32_t default_value,
                                      uint32_t flags)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_GRAPH(graph);
    cuc_status st = check_flags(default_value, flags, __func__);
    if (st < 0)
        return st;
    return create(out, graph->context, graph->handle, default_value, flags, __func__);
}

// The graph that a stream captures into, and the nodes that the next node depends on.
struct place {
    CUgraph graph;
    const CUgraphNode *after;
    size_t count;
};

static cuc_status find_place(struct place *place, const cuc_stream *stream, const char *function)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphEdgeData *edges = NULL; // without it, the query fails if an edge has data
    uint64_t id;
    cuc_status st;

    *place = (struct place){ 0 };
    CUC_CALL_IN_AS(
        function, st, stream->context, cuStreamGetCaptureInfo,
        (stream->handle, &status, &id, &place->graph, &place->after, &edges, &place->count),
        "asking what captures stream %p", (void *)stream->handle);
    if (st < 0)
        return st;
    if (status == CU_STREAM_CAPTURE_STATUS_NONE)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "stream %p is not being captured: call cuc_stream_begin_capture() first",
                         (void *)stream->handle);
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return cuc__fail_driver(stream->context, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, function,
                                "cuStreamGetCaptureInfo", "asking what captures stream %p",
                                (void *)stream->handle);
    return CUC_OK;
}

cuc_status cuc_stream_condition_create(cuc_condition *out, cuc_stream *stream,
                                       uint32_t default_value, uint32_t flags)
{
    struct place place;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(stream, STREAM);
    cuc_status st = check_flags(default_value, flags, __func__);
    if (st < 0 || (st = find_place(&place, stream, __func__)) < 0)
        return st;
    return create(out, stream->context, place.graph, default_value, flags, __func__);
}

// Types of conditional nodes, indexed by value, each with its allowed numbers of bodies.
static const struct {
    const char *name, *bodies;
    uint32_t least, most;
} types[] = {
    [CUC_CONDITIONAL_IF] = { "CUC_CONDITIONAL_IF", "1 or 2", 1, 2 },
    [CUC_CONDITIONAL_WHILE] = { "CUC_CONDITIONAL_WHILE", "1", 1, 1 },
    [CUC_CONDITIONAL_SWITCH] = { "CUC_CONDITIONAL_SWITCH", "1 to 65536", 1, 65536 },
};

static cuc_status check_type(int32_t type, uint32_t count, const char *function)
{
    if (type < 0 || (size_t)type >= CUC_LENGTH(types))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "type is %d, expected CUC_CONDITIONAL_IF (0), _WHILE (1) or _SWITCH (2)",
                         type);
    if (count < types[type].least || count > types[type].most)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "count is %u, and a node of %s has %s bodies", count, types[type].name,
                         types[type].bodies);
    return CUC_OK;
}

// Adds a conditional node. The stream's context must be current.
static cuc_status add(struct cuc__conditional *out, const cuc_stream *stream,
                      const struct place *place, const CUDA_CONDITIONAL_NODE_PARAMS *conditional,
                      const char *function)
{
    CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
    CUgraphNode node = NULL;

    params.conditional = *conditional;
    const char *call = "cuGraphAddNode";
    CUresult r =
        cuc__cu.cuGraphAddNode(&node, place->graph, place->after, NULL, place->count, &params);
    if (!r) {
        call = "cuStreamUpdateCaptureDependencies";
        r = cuc__cu.cuStreamUpdateCaptureDependencies(stream->handle, &node, NULL, 1,
                                                      CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    }
    if (r)
        return cuc__fail_driver(stream->context, r, function, call,
                                "adding a node of %s with %u bodies and condition 0x%llx to what "
                                "stream %p captures",
                                types[conditional->type].name, conditional->size,
                                (unsigned long long)conditional->handle, (void *)stream->handle);
    out->node = node;
    for (uint32_t i = 0; i < out->count; i++)
        out->bodies[i] = params.conditional.phGraph_out[i];
    return CUC_OK;
}

static void release_all(cuc_graph **graphs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        cuc_graph_release(graphs[i]);
    free(graphs);
}

cuc_status cuc_stream_add_conditional(cuc_graph **bodies, uint32_t count, cuc_stream *stream,
                                      cuc_condition condition, int32_t type)
{
    struct place place;
    uint32_t made = 0;
    bool pushed;

    CUC_CHECK_NOT_NULL(bodies);
    CUC_CHECK(stream, STREAM);
    if (!condition)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "condition is 0: cuc_stream_condition_create() makes one");
    cuc_status st = check_type(type, count, __func__);
    if (st < 0 || (st = find_place(&place, stream, __func__)) < 0)
        return st;
    // Allocate first, because nothing may fail once the node is in the graph.
    cuc_graph **graphs = calloc(count, sizeof(*graphs));
    if (!graphs)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for %u graphs", count);
    for (; made < count; made++) {
        if (!(graphs[made] = cuc__graph_new(stream->context, __func__))) {
            release_all(graphs, made);
            return CUC_ERROR_OUT_OF_MEMORY;
        }
        graphs[made]->body = true;
    }
    struct cuc__conditional *node = malloc(sizeof(*node) + count * sizeof(*node->bodies));
    if (!node) {
        release_all(graphs, made);
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a node of %u graphs", count);
    }
    *node = (struct cuc__conditional){ .count = count };
    const CUDA_CONDITIONAL_NODE_PARAMS conditional = {
        .handle = condition,
        .type = (CUgraphConditionalNodeType)type,
        .size = count,
        .ctx = stream->context->handle,
    };
    if ((st = CUC_ENTER(stream->context, &pushed)) >= 0) {
        st = add(node, stream, &place, &conditional, __func__);
        st = CUC_LEAVE(stream->context, pushed, st);
    }
    for (uint32_t i = 0; i < count && st >= 0; i++)
        graphs[i]->handle = node->bodies[i];
    if (st >= 0)
        st = cuc__capture_bodies(graphs, node, stream, __func__);
    else
        free(node);
    if (st < 0) {
        release_all(graphs, made);
        return st;
    }
    for (uint32_t i = 0; i < count; i++)
        bodies[i] = graphs[i];
    free(graphs);
    return CUC_OK;
}
