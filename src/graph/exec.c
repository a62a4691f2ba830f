#include "base/array.h"
#include "graph.h"

#include "capture_registry.h"
#include "device/intern.h"
#include "keep.h"
#include "device/deferred.h"
#include "device/launch_blocking.h"
#include "base/options.h"
#include "driver/relaxed.h"
#include "device/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cuc_graph_exec_options_init(cuc_graph_exec_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

static cuc_status read_options(cuc_graph_exec_options *o, const cuc_graph_exec_options *given,
                               const char *function)
{
    const uint32_t known = CUC_GRAPH_AUTO_FREE | CUC_GRAPH_DEVICE_LAUNCH | CUC_GRAPH_NODE_PRIORITY;
    cuc_status st = cuc__read_options(o, sizeof(*o), given, "cuc_graph_exec_options", function);

    if (st < 0 || (st = cuc__check_bits("options->flags", o->flags, known, o->reserved,
                                        "CUC_GRAPH_ bits (0x7)", function)) < 0)
        return st;
    if (o->flags & CUC_GRAPH_AUTO_FREE && o->flags & CUC_GRAPH_DEVICE_LAUNCH)
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, function,
            "options->flags has CUC_GRAPH_AUTO_FREE and CUC_GRAPH_DEVICE_LAUNCH: a launch from the "
            "device cannot free the memory of the previous one; give one of them");
    if (o->upload && !cuc__handle_is_valid(o->upload, CUC__HANDLE_STREAM))
        return cuc__fail_handle(o->upload, CUC__HANDLE_STREAM, function, "options->upload");
    return CUC_OK;
}

static uint64_t driver_flags(const cuc_graph_exec_options *o)
{
    uint64_t flags = o->upload ? CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD : 0;

    if (o->flags & CUC_GRAPH_AUTO_FREE)
        flags |= CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    if (o->flags & CUC_GRAPH_DEVICE_LAUNCH)
        flags |= CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    if (o->flags & CUC_GRAPH_NODE_PRIORITY)
        flags |= CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    return flags;
}

// The reasons that the driver reports with its code, as text that follows a node's description.
static const struct reason {
    unsigned result;
    const char *text;
} instantiate_reasons[] = {
    { CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, "does not fit into the graph's structure" },
    { CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED,
      "cannot be in the body of a conditional node, nor in a graph that kernels launch: these have "
      "only kernels, copies, fills and graphs of these, and the latter no kernel that launches "
      "others: instantiate without CUC_GRAPH_DEVICE_LAUNCH" },
    { CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED,
      "is of another context than others, or copies pageable host memory, and the body of a "
      "conditional node, a graph that kernels launch, or with kernels that launch graphs, has one "
      "context and no such copy" },
    { CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED,
      "is near a conditional handle that no conditional node uses" },
};

static const struct reason update_reasons[] = {
    { CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, "does not depend on the same nodes" },
    { CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, "was of another type" },
    { CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED,
      "has another kernel, which drivers before CUDA 11.2 cannot change" },
    { CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
      "has a parameter that cannot change this way: a copy keeps its devices, a fill of rows its "
      "shape" },
    { CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, "is of a type that cannot be updated" },
    { CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE,
      "has a kernel that cannot take the other's place: of another context, or one that launches "
      "or updates work from the device where the other did not" },
    { CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED,
      "has an attribute that cannot change, such as being cooperative, or its priority under "
      "CUC_GRAPH_NODE_PRIORITY" },
};

#define REASON(table, result) reason((table), CUC_LENGTH(table), (result))

static const char *reason(const struct reason *table, size_t rows, unsigned result)
{
    for (size_t i = 0; i < rows; i++)
        if (table[i].result == result)
            return table[i].text;
    return NULL;
}

// Names of the kernels in a graph, each once, as many as fit on a line.
struct names {
    const char *name[8];
    size_t count;
    bool more;
};

static void add_name(struct names *n, const char *name)
{
    for (size_t i = n->count; i-- > 0;)
        if (n->name[i] == name || strcmp(n->name[i], name) == 0)
            return;
    if (n->count < CUC_LENGTH(n->name))
        n->name[n->count++] = name;
    else
        n->more = true;
}

// Describes a graph for the list of launches that may have caused a failure. Returns NULL if out of
// memory.
static const char *describe(size_t nodes, const struct names *n)
{
    char text[512];
    size_t at =
        (size_t)snprintf(text, sizeof(text), "graph of %zu node%s", nodes, nodes == 1 ? "" : "s");

    for (size_t i = 0; i < n->count && at < sizeof(text); i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.48s",
                               i              ? ", "
                               : n->count > 1 ? " (kernels "
                                              : " (kernel ",
                               n->name[i]);
    if (n->count && at < sizeof(text))
        snprintf(text + at, sizeof(text) - at, "%s)", n->more ? " and others" : "");
    return cuc__intern(text);
}

// The properties of a graph that its instance keeps.
struct view {
    size_t nodes;
    bool allocates, decides;
    const char *name; // interned, owned
};

// Moves a graph's properties, including the name, into the instance. No thread may launch the
// instance meanwhile.
static void take_view(cuc_graph_exec *e, const struct view *v)
{
    e->nodes = v->nodes;
    e->allocates = v->allocates;
    e->decides = v->decides;
    cuc__intern_release(atomic_exchange_explicit(&e->what, v->name, memory_order_relaxed));
}

// A search for the kernels of a graph and its child graphs. It ends when there is no room for more
// names.
struct search {
    const cuc_graph *root;
    const struct cuc__conditional *at;
    struct names names;
};

static void find_kernels(struct search *s, CUgraph graph);

// Finds the kernels that a node runs, at any depth. Ignores graphs that the driver cannot query.
static void find_kernels_of(struct search *s, CUgraphNode node, CUgraphNodeType type)
{
    const struct cuc__conditional *c;
    const char *name;
    CUgraph child;

    if (s->names.more)
        return;
    if (type == CU_GRAPH_NODE_TYPE_KERNEL && (name = cuc__node_kernel(node)))
        add_name(&s->names, name);
    else if (type == CU_GRAPH_NODE_TYPE_GRAPH &&
             !cuc__cu.cuGraphChildGraphNodeGetGraph(node, &child))
        find_kernels(s, child);
    else if (type == CU_GRAPH_NODE_TYPE_CONDITIONAL &&
             (c = cuc__capture_find_conditional(&s->at, s->root, node)))
        for (uint32_t i = 0; i < c->count; i++)
            find_kernels(s, c->bodies[i]);
}

static void find_kernels(struct search *s, CUgraph graph)
{
    CUgraphNodeType type;
    size_t count;
    CUresult r;

    if (s->names.more)
        return;
    CUgraphNode *nodes = cuc__graph_list(&r, &count, graph);
    for (size_t i = 0; nodes && i < count && !s->names.more; i++)
        if (!cuc__cu.cuGraphNodeGetType(nodes[i], &type))
            find_kernels_of(s, nodes[i], type);
    free(nodes);
}

// Counts the nodes, looks for an allocation that would explain a later refusal, and collects the
// kernels' names for reports of faults.
static cuc_status read_view(struct view *v, cuc_graph *graph, const char *function)
{
    struct search search = { .root = graph };
    CUgraphNode *nodes;
    size_t count;
    cuc_status st = cuc__graph_nodes(&nodes, &count, graph, function);

    if (st < 0)
        return st;
    for (size_t i = 0; i < count && st >= 0; i++) {
        CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
        CUresult r = cuc__cu.cuGraphNodeGetType(nodes[i], &type);
        if (r)
            st = cuc__fail_driver(graph->context, r, function, "cuGraphNodeGetType",
                                  "asking what node %zu of %zu is", i, count);
        else
            find_kernels_of(&search, nodes[i], type);
        v->allocates |= type == CU_GRAPH_NODE_TYPE_MEM_ALLOC;
        v->decides |= type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
    }
    free(nodes);
    v->nodes = count;
    if (st >= 0 && !(v->name = describe(count, &search.names)))
        st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                       "no host memory for the name of a graph of %zu nodes", count);
    return st;
}

static cuc_status fail_instantiate(const cuc_graph_exec *e, const cuc_graph *graph, CUresult r,
                                   const CUDA_GRAPH_INSTANTIATE_PARAMS *params,
                                   const char *function)
{
    const char *why = REASON(instantiate_reasons, params->result_out);
    char node[512] = "";

    if (why)
        cuc__node_describe(node, sizeof(node), graph, params->hErrNode_out);
    else if (e->allocates && r == CUDA_ERROR_INVALID_VALUE)
        why = "it allocates memory, so it can have only one instance at a time";
    else if (e->decides && r == CUDA_ERROR_NOT_SUPPORTED)
        why = "it has conditional nodes, so it can have only one instance at a time";
    return cuc__fail_driver(graph->context, r, function, "cuGraphInstantiateWithParams",
                            "instantiating a graph of %zu nodes%s%s%s%s", e->nodes, why ? ": " : "",
                            node, why && node[0] ? " " : "", why ? why : "");
}

cuc_status cuc_graph_instantiate(cuc_graph_exec **out, cuc_graph *graph,
                                 const cuc_graph_exec_options *options)
{
    cuc_graph_exec_options o;
    struct view view = { 0 };
    bool pushed;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(graph, GRAPH);
    cuc_status st = read_options(&o, options, __func__);
    if (st >= 0)
        st = cuc__graph_check_own(graph, "instantiated", __func__);
    if (st < 0)
        return st;
    cuc__deferred_poll();
    cuc_graph_exec *e = calloc(1, sizeof(*e));
    if (!e)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for an instance of a graph");
    cuc__handle_init(e, CUC__HANDLE_GRAPH_EXEC);
    e->context = cuc_context_retain(graph->context);
    e->flags = o.flags;
    (void)cuc_launch_is_blocking(); // reads CUCORE_LAUNCH_BLOCKING once
    cuc_context *context = o.upload ? o.upload->context : graph->context;
    if ((st = read_view(&view, graph, __func__)) >= 0) {
        take_view(e, &view);
        st = CUC_ENTER(context, &pushed);
    }
    if (st >= 0) {
        CUDA_GRAPH_INSTANTIATE_PARAMS params = {
            .flags = driver_flags(&o),
            .hUploadStream = o.upload ? o.upload->handle : NULL,
        };
        CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
        CUresult r = cuc__cu.cuGraphInstantiateWithParams(&e->handle, graph->handle, &params);
        if (r)
            st = fail_instantiate(e, graph, r, &params, __func__);
        cuc__leave_relaxed_mode(mode);
        st = CUC_LEAVE(context, pushed, st);
    }
    if (st < 0) {
        cuc_graph_exec_release(e);
        return st;
    }
    *out = e;
    return CUC_OK;
}

void *cuc_graph_exec_handle(const cuc_graph_exec *exec)
{
    return exec ? exec->handle : NULL;
}

uint32_t cuc_graph_exec_flags(const cuc_graph_exec *exec)
{
    return exec ? exec->flags : 0;
}

// Refuses a launch on a capturing stream while cucore has captures. The driver must not see such a
// launch, because it would invalidate the capture.
static cuc_status check_not_captured(const cuc_stream *stream, const char *function)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuc_status st;

    CUC_CALL_IN_AS(function, st, stream->context, cuStreamIsCapturing, (stream->handle, &status),
                   "asking whether stream %p is captured", (void *)stream->handle);
    if (st < 0 || status == CU_STREAM_CAPTURE_STATUS_NONE)
        return st;
    return cuc__fail(CUC_ERROR_BUSY, function,
                     "stream %p is being captured, so no executable graph can be launched on it: "
                     "capture the graph itself with cuc_stream_embed_graph()",
                     (void *)stream->handle);
}

cuc_status cuc_graph_exec_upload(cuc_stream *stream, cuc_graph_exec *exec)
{
    cuc_status st;

    CUC_CHECK(exec, GRAPH_EXEC);
    CUC_CHECK(stream, STREAM);
    if (cuc__capturing() && (st = check_not_captured(stream, __func__)) < 0)
        return st;
    CUC_CALL_IN(st, stream->context, cuGraphUpload, (exec->handle, stream->handle),
                "uploading a graph of %zu nodes to device %d", exec->nodes, stream->ordinal);
    return st;
}

static cuc_status __attribute__((cold, noinline))
fail_launch(const cuc_graph_exec *exec, const cuc_stream *stream, CUresult r)
{
    bool left = r == CUDA_ERROR_INVALID_VALUE && exec->allocates &&
                !(exec->flags & CUC_GRAPH_AUTO_FREE);

    return cuc__fail_driver(
        stream->context, r, "cuc_graph_exec_launch", "cuGraphLaunch",
        "launching a graph of %zu nodes on device %d%s", exec->nodes, stream->ordinal,
        left ? ": memory of its last launch may not be freed yet: release those buffers before "
               "each launch, or instantiate with CUC_GRAPH_AUTO_FREE"
             : "");
}

static void record(const cuc_graph_exec *exec, const cuc_stream *stream)
{
    cuc__ring_add(&stream->context->recent, atomic_load_explicit(&exec->what, memory_order_relaxed),
                  stream->handle, 0, 0, 0, 0);
}

// Makes the driver call of a launch that needs a current context, as on a default stream, or that
// is followed by a wait.
static cuc_status call_driver_in_context(cuc_graph_exec *exec, cuc_stream *stream)
{
    static const char function[] = "cuc_graph_exec_launch";
    const char *call;
    bool pushed;
    cuc_status st = cuc__context_enter(stream->context, &pushed, function);

    if (st < 0)
        return st;
    CUresult r = cuc__cu.cuGraphLaunch(exec->handle, stream->handle);
    if (r) {
        st = fail_launch(exec, stream, r);
    } else {
        record(exec, stream);
        if (cuc_launch_is_blocking() && (r = cuc__launch_wait(stream, &call)))
            st = cuc__fail_driver(stream->context, r, function, call,
                                  "running a %s, with a wait after it (CUCORE_LAUNCH_BLOCKING)",
                                  atomic_load_explicit(&exec->what, memory_order_relaxed));
    }
    return cuc__context_leave(stream->context, pushed, st, function);
}

cuc_status cuc_graph_exec_launch(cuc_stream *stream, cuc_graph_exec *exec)
{
    cuc_status st;

    CUC_CHECK(exec, GRAPH_EXEC);
    CUC_CHECK(stream, STREAM);
    if (cuc__capturing() && (st = check_not_captured(stream, __func__)) < 0)
        return st;
    if (__builtin_expect(stream->is_default || cuc__modes_now() & CUC__MODE_BLOCKING, 0))
        return call_driver_in_context(exec, stream);
    CUresult r = cuc__cu.cuGraphLaunch(exec->handle, stream->handle);
    if (__builtin_expect(r, 0))
        return fail_launch(exec, stream, r);
    record(exec, stream);
    return CUC_OK;
}

static cuc_status fail_update(const cuc_graph_exec *exec, const cuc_graph *graph, CUresult r,
                              const CUgraphExecUpdateResultInfo *info, const char *function)
{
    static const char call[] = "cuGraphExecUpdate";
    const char *why = REASON(update_reasons, info->result);
    char node[512], from[512];
    size_t count = 0;

    if (r != CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE || !why) {
        return cuc__fail_driver(graph->context, r, function, call,
                                "updating an instance of a graph of %zu nodes", exec->nodes);
    }
    if (!info->errorNode) {
        (void)cuc__cu.cuGraphGetNodes(graph->handle, NULL, &count);
        return cuc__fail_driver(graph->context, r, function, call,
                                "updating an instance of a graph of %zu nodes with a graph of %zu, "
                                "whose nodes or edges differ",
                                exec->nodes, count);
    }
    cuc__node_describe(node, sizeof(node), graph, info->errorNode);
    if (!info->errorFromNode)
        return cuc__fail_driver(graph->context, r, function, call,
                                "updating an instance of a graph: %s %s", node, why);
    cuc__node_describe(from, sizeof(from), graph, info->errorFromNode);
    return cuc__fail_driver(graph->context, r, function, call,
                            "updating an instance of a graph: %s %s: %s is not one of them", node,
                            why, from);
}

cuc_status cuc_graph_exec_update(cuc_graph_exec *exec, cuc_graph *graph)
{
    CUgraphExecUpdateResultInfo info = { 0 };
    struct view view = { 0 };
    bool pushed;

    CUC_CHECK(exec, GRAPH_EXEC);
    CUC_CHECK(graph, GRAPH);
    cuc_status st = cuc__graph_check_own(graph, "taken for an update", __func__);
    if (st < 0)
        return st;
    cuc__deferred_poll();
    if ((st = read_view(&view, graph, __func__)) >= 0)
        st = CUC_ENTER(graph->context, &pushed);
    if (st < 0) {
        cuc__intern_release(view.name);
        return st;
    }
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult r = cuc__cu.cuGraphExecUpdate(exec->handle, graph->handle, &info);
    if (r) {
        st = fail_update(exec, graph, r, &info, __func__);
        cuc__intern_release(view.name);
    } else {
        take_view(exec, &view); // the kernels may have changed
    }
    cuc__leave_relaxed_mode(mode);
    return CUC_LEAVE(graph->context, pushed, st);
}

cuc_graph_exec *cuc_graph_exec_retain(cuc_graph_exec *exec)
{
    return cuc__handle_retain(exec);
}

void cuc_graph_exec_release(cuc_graph_exec *exec)
{
    if (!cuc__handle_drop(exec, CUC__HANDLE_GRAPH_EXEC))
        return;
    cuc_context *context = exec->context;
    if (exec->handle) {
        CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
        CUC_CLEANUP(context, cuGraphExecDestroy, (void *)exec->handle, exec->handle);
        cuc__leave_relaxed_mode(mode);
    }
    cuc__intern_release(atomic_load_explicit(&exec->what, memory_order_relaxed));
    cuc__handle_free(exec);
    cuc_context_release(context);
    cuc__deferred_poll();
}
