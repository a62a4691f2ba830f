#include "graph.h"

#include "base/array.h"
#include "capture_registry.h"
#include "keep.h"
#include "device/deferred.h"
#include "driver/relaxed.h"

#include <stdio.h>
#include <stdlib.h>

cuc_graph *cuc__graph_new(cuc_context *context, const char *function)
{
    cuc_graph *g = calloc(1, sizeof(*g));

    if (!g) {
        (void)cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a graph");
        return NULL;
    }
    cuc__handle_init(g, CUC__HANDLE_GRAPH);
    g->context = cuc_context_retain(context);
    return g;
}

cuc_status cuc__graph_check_own(const cuc_graph *graph, const char *doing, const char *function)
{
    return graph->body || graph->embedded
               ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                           "the graph is %s, which cannot be %s by itself: pass the graph that "
                           "contains the node",
                           graph->body ? "the body of a conditional node" : "that of a node", doing)
               : cuc__graph_check_exists(graph, function);
}

// Returns the innermost graph that is gone, among `graph` and those that enclose it, or else the
// outermost one. Destroying a graph also destroys the bodies nested in it.
static const cuc_graph *first_gone(const cuc_graph *graph)
{
    while (graph->handle && graph->parent)
        graph = graph->parent;
    return graph;
}

bool cuc__graph_destroyed_reason(char *text, size_t size, const cuc_graph *graph)
{
    const cuc_graph *g = first_gone(graph);
    const char *is = graph->body ? "was the body of a conditional node, and is no more"
                                 : "is no more";
    const char *of = g == graph ? "it" : "the graph that it was a part of";

    if (g->handle)
        return false;
    if (g->gone == CUC__GONE_FREED)
        snprintf(text, size,
                 "the graph %s: a capture into %s, of stream %p, failed, so the driver frees the "
                 "graph: make it again",
                 is, of, (void *)g->gone_by);
    else if (g->gone == CUC__GONE_UNSOUND)
        snprintf(text, size,
                 "the graph %s: a capture into the body of a conditional node of %s, of stream %p, "
                 "failed, so the driver frees the body: make the graph again",
                 is, of, (void *)g->gone_by);
    else
        snprintf(text, size,
                 "the graph was the body of a conditional node whose capture failed or was "
                 "cancelled, and is no more");
    return true;
}

cuc_status cuc__graph_check_exists(const cuc_graph *graph, const char *function)
{
    char why[256];

    return cuc__graph_destroyed_reason(why, sizeof(why), graph)
               ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s", why)
               : CUC_OK;
}

void *cuc_graph_handle(const cuc_graph *graph)
{
    return graph && first_gone(graph)->handle ? graph->handle : NULL;
}

static const struct {
    int32_t type;
    const char *name;
} types[] = {
#define ROW(constant, value, name) { value, name },
    CUC_NODE_TYPE_LIST(ROW)
#undef ROW
};

const char *cuc_node_type_name(int32_t type)
{
    for (size_t i = 0; i < CUC_LENGTH(types); i++)
        if (types[i].type == type)
            return types[i].name;
    return "unknown";
}

// Graphs belong to no context, so no context need be current here. Failures are reported for the
// graph's context.
cuc_status cuc_graph_get_node_count(size_t *out, cuc_graph *graph)
{
    size_t count = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_GRAPH(graph);
    CUresult r = cuc__cu.cuGraphGetNodes(graph->handle, NULL, &count);
    if (r)
        return CUC_FAIL_CU(graph->context, r, "cuGraphGetNodes", "counting the nodes of a graph");
    *out = count;
    return CUC_OK;
}

// Counts the edges if one of them has data, as between programmatic launches. The driver may refuse
// to count these without room for the data, so the function reads them into ever larger arrays.
static CUresult count_edges_with_data(size_t *out, CUgraph graph)
{
    CUresult r = CUDA_SUCCESS;

    for (size_t room = 256; !r; room *= 2) {
        CUgraphNode *nodes = calloc(2 * room, sizeof(*nodes));
        CUgraphEdgeData *data = calloc(room, sizeof(*data));
        size_t count = room;
        r = nodes && data ? cuc__cu.cuGraphGetEdges(graph, nodes, nodes + room, data, &count)
                          : CUDA_ERROR_OUT_OF_MEMORY;
        free(nodes);
        free(data);
        if (!r && count < room) {
            *out = count;
            break;
        }
    }
    return r;
}

cuc_status cuc_graph_get_edge_count(size_t *out, cuc_graph *graph)
{
    size_t count = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_GRAPH(graph);
    CUresult r = cuc__cu.cuGraphGetEdges(graph->handle, NULL, NULL, NULL, &count);
    if (r == CUDA_ERROR_LOSSY_QUERY)
        r = count_edges_with_data(&count, graph->handle);
    if (r)
        return CUC_FAIL_CU(graph->context, r, "cuGraphGetEdges", "counting the edges of a graph");
    *out = count;
    return CUC_OK;
}

CUgraphNode *cuc__graph_list(CUresult *code, size_t *count, CUgraph graph)
{
    CUgraphNode *nodes = NULL;

    *count = 0;
    *code = cuc__cu.cuGraphGetNodes(graph, NULL, count);
    if (!*code)
        nodes = malloc((*count ? *count : 1) * sizeof(CUgraphNode));
    if (nodes && *count && (*code = cuc__cu.cuGraphGetNodes(graph, nodes, count))) {
        free(nodes);
        return NULL;
    }
    return nodes;
}

cuc_status cuc__graph_nodes(CUgraphNode **out, size_t *count, cuc_graph *graph,
                            const char *function)
{
    CUresult r;
    size_t n;

    CUgraphNode *nodes = cuc__graph_list(&r, &n, graph->handle);
    if (r)
        return cuc__fail_driver(graph->context, r, function, "cuGraphGetNodes",
                                "listing the nodes of a graph");
    if (!nodes)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for %zu nodes of a graph", n);
    *out = nodes;
    *count = n;
    return CUC_OK;
}

cuc_status cuc_graph_get_node_types(int32_t *out, size_t capacity, cuc_graph *graph)
{
    CUgraphNode *nodes = NULL;
    size_t count = 0;

    CUC_CHECK_GRAPH(graph);
    if (!out && capacity)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "types is NULL and capacity is %zu", capacity);
    cuc_status st = cuc__graph_nodes(&nodes, &count, graph, __func__);
    if (st < 0)
        return st;
    for (int pass = 0; pass < 2 && st >= 0; pass++) { // the first pass queries all types before the
                                                      // second writes any
        for (size_t i = 0; i < count && i < capacity && st >= 0; i++) {
            CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
            CUresult r = cuc__cu.cuGraphNodeGetType(nodes[i], &type);
            if (r)
                st = CUC_FAIL_CU(graph->context, r, "cuGraphNodeGetType",
                                 "asking what node %zu of %zu is", i, count);
            else if (pass)
                out[i] = (int32_t)type;
        }
    }
    free(nodes);
    return st;
}

const char *cuc__node_kernel(CUgraphNode node)
{
    CUDA_KERNEL_NODE_PARAMS params = { 0 };
    const char *name = NULL;

    if (cuc__cu.cuGraphKernelNodeGetParams(node, &params))
        return NULL;
    CUresult r = params.func ? cuc__cu.cuFuncGetName(&name, params.func)
                             : cuc__cu.cuKernelGetName(&name, params.kern);
    return r ? NULL : name;
}

void cuc__node_describe(char *text, size_t size, const cuc_graph *graph, CUgraphNode node)
{
    CUgraphNodeType type;
    size_t count = 0, number = 0;

    snprintf(text, size, "a node");
    if (!node || cuc__cu.cuGraphNodeGetType(node, &type))
        return;
    const char *name = type == CU_GRAPH_NODE_TYPE_KERNEL ? cuc__node_kernel(node) : NULL;
    const char *space = name ? " " : "";
    name = name ? name : "";
    if (cuc__cu.cuGraphGetNodes(graph->handle, NULL, &count))
        count = 0;
    CUgraphNode *nodes = count ? malloc(count * sizeof(CUgraphNode)) : NULL;
    if (nodes && !cuc__cu.cuGraphGetNodes(graph->handle, nodes, &count))
        while (number < count && nodes[number] != node)
            number++;
    else
        number = count;
    if (number < count)
        snprintf(text, size, "node %zu of %zu (%s%s%s)", number, count,
                 cuc_node_type_name((int32_t)type), space, name);
    else // the node belongs to a child graph, or memory ran out
        snprintf(text, size, "a node (%s%s%s)", cuc_node_type_name((int32_t)type), space, name);
    free(nodes);
}

cuc_graph *cuc_graph_retain(cuc_graph *graph)
{
    return cuc__handle_retain(graph);
}

void cuc_graph_release(cuc_graph *graph)
{
    if (!cuc__handle_drop(graph, CUC__HANDLE_GRAPH))
        return;
    cuc_context *context = graph->context;
    if (graph->handle && !graph->body && !graph->embedded) {
        CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
        CUC_CLEANUP(context, cuGraphDestroy, (void *)graph->handle, graph->handle);
        cuc__leave_relaxed_mode(mode);
    }
    free(graph->dot);
    cuc__conditionals_free(&graph->conditionals);
    cuc_graph *parent = graph->parent;
    cuc__handle_free(graph);
    cuc_graph_release(parent);
    cuc_context_release(context);
    cuc__deferred_poll();
}
