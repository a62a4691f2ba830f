// Queries, copies and nesting of graphs.
#include "graph.h"

#include <stdlib.h>
#include <string.h>

struct graph *sim_graph_new(void)
{
    static uint64_t ids;
    struct graph *g = sim_alloc(sizeof(*g));

    g->id = ++ids;
    g->last = &g->first;
    sim_enlist(g, KIND_GRAPH, NULL);
    return g;
}

struct node *sim_node_new(struct graph *graph, CUgraphNodeType type, struct node *const *from,
                          size_t from_count, const struct work *work)
{
    struct node *n = sim_alloc(sizeof(*n));

    n->graph = graph;
    n->type = type;
    n->number = graph->count++;
    n->from = sim_alloc(from_count * sizeof(struct node *));
    for (size_t i = 0; i < from_count; i++)
        n->from[i] = from[i];
    n->from_count = from_count;
    n->work = *work;
    *graph->last = n;
    graph->last = &n->next;
    sim_enlist(n, KIND_NODE, NULL);
    return n;
}

static void node_end(struct node *n)
{
    if (n->child)
        sim_graph_end(n->child);
    if (n->branches)
        sim_branches_end(n->branches);
    sim_work_drop(&n->work);
    sim_delist(n);
    free(n->parameters);
    free(n->from);
    free(n);
}

void sim_graph_end(struct graph *graph)
{
    struct node *next;

    if (graph->captures)
        sim_capture_forget(graph);
    for (struct node *n = graph->first; n; n = next) {
        next = n->next;
        node_end(n);
    }
    for (size_t i = 0; i < graph->condition_count; i++)
        sim_condition_drop(graph->conditions[i]);
    free(graph->conditions);
    sim_users_drop(&graph->users);
    sim_delist(graph);
    free(graph);
}

bool sim_nodes_of(const struct graph *graph, const CUgraphNode *handles, size_t count,
                  struct node **out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = sim_object(handles[i], KIND_NODE);
        if (!out[i] || out[i]->graph != graph)
            return false;
    }
    return true;
}

static CUresult graph_of(CUgraph handle, struct graph **out)
{
    *out = sim_object(handle, KIND_GRAPH);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; // as an H200's driver does for a
                                                           // destroyed graph
}

static CUresult node_of(CUgraphNode handle, struct node **out)
{
    *out = sim_object(handle, KIND_NODE);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuGraphCreate(CUgraph *graph, unsigned flags)
{
    if (!graph || flags)
        return CUDA_ERROR_INVALID_VALUE;
    *graph = SIM_HANDLE(CUgraph, sim_graph_new());
    return CUDA_SUCCESS;
}

// Reports that a body was freed before. A driver would free it a second time and crash.
static void check_bodies(const struct graph *g, const char *function)
{
    for (const struct node *n = g->first; n && g->conditional; n = n->next) {
        for (unsigned i = 0; n->branches && i < n->branches->count; i++) {
            if (!n->branches->bodies[i])
                sim_crash("the body of a conditional node was freed by its capture", function);
            else
                check_bodies(n->branches->bodies[i], function);
        }
    }
}

void sim_graph_take(struct graph *graph)
{
    check_bodies(graph, "a capture that ended badly");
    if (graph->place)
        *graph->place = NULL;
    sim_graph_end(graph);
}

// Returns true if a capture adds to the graph, or to the body of one of its nodes.
static bool in_capture(const struct graph *g)
{
    bool captured = g->captures > 0;

    for (const struct node *n = g->first; n && g->conditional; n = n->next)
        for (unsigned i = 0; n->branches && i < n->branches->count; i++)
            captured |= n->branches->bodies[i] && in_capture(n->branches->bodies[i]);
    return captured;
}

CUresult sim_cuGraphDestroy(CUgraph graph)
{
    struct graph *g;
    CUresult code = graph_of(graph, &g);

    if (code)
        return code;
    if (g->child || g->body || in_capture(g))
        return CUDA_ERROR_INVALID_VALUE;
    check_bodies(g, "cuGraphDestroy");
    sim_graph_end(g);
    return CUDA_SUCCESS;
}

// Copies.

static void copy_into(struct graph *to, const struct graph *from)
{
    struct node **made = sim_alloc(from->count * sizeof(struct node *));

    for (const struct node *n = from->first; n; n = n->next) {
        struct work work = sim_work_copy(&n->work);
        struct node *m = sim_node_new(to, n->type, NULL, 0, &work);
        free(m->from);
        m->from = sim_alloc(n->from_count * sizeof(struct node *));
        m->from_count = n->from_count;
        for (size_t i = 0; i < n->from_count; i++)
            m->from[i] = made[n->from[i]->number];
        m->original = n->head.handle;
        m->context = n->context;
        m->priority = n->priority;
        m->kernel = n->kernel;
        m->event = n->event;
        if (n->child) {
            m->child = sim_graph_new();
            m->child->child = m->child->head.builtin = true;
            copy_into(m->child, n->child);
        }
        made[n->number] = m;
    }
    sim_users_copy(&to->users, from->users);
    free(made);
}

CUresult sim_cuGraphClone(CUgraph *clone, CUgraph graph)
{
    struct graph *g;
    CUresult code = graph_of(graph, &g);

    if (!code && (!clone || g->memory || g->captures))
        code = CUDA_ERROR_INVALID_VALUE;
    if (!code && (g->conditional || g->body))
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code)
        return code;
    struct graph *copy = sim_graph_new();
    copy_into(copy, g);
    *clone = SIM_HANDLE(CUgraph, copy);
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    struct graph *g;
    CUresult code = node ? graph_of(clone, &g) : CUDA_ERROR_INVALID_VALUE;

    if (code)
        return code;
    for (const struct node *n = g->first; n; n = n->next) {
        if (n->original == (uintptr_t)original) {
            *node = SIM_HANDLE(CUgraphNode, n);
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                      const CUgraphNode *dependencies, size_t dependency_count,
                                      CUgraph child)
{
    struct graph *g, *c;
    CUresult code = graph_of(graph, &g);

    if (!code)
        code = graph_of(child, &c);
    if (!code &&
        (!node || g == c || c->memory || c->captures || (dependency_count && !dependencies)))
        code = CUDA_ERROR_INVALID_VALUE;
    if (!code && (c->conditional || c->body))
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code)
        return code;
    struct node **from = sim_alloc(dependency_count * sizeof(struct node *));
    if (sim_nodes_of(g, dependencies, dependency_count, from)) {
        struct node *n = sim_node_new(g, CU_GRAPH_NODE_TYPE_GRAPH, from, dependency_count,
                                      &(struct work){ .op = OP_NOTHING });
        n->child = sim_graph_new();
        n->child->child = n->child->head.builtin = true;
        copy_into(n->child, c);
        *node = SIM_HANDLE(CUgraphNode, n);
    } else {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    free(from);
    return code;
}

CUresult sim_cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child)
{
    struct node *n;
    CUresult code = node_of(node, &n);

    if (!code && (!child || !n->child))
        code = CUDA_ERROR_INVALID_VALUE;
    if (!code)
        *child = SIM_HANDLE(CUgraph, n->child);
    return code;
}

// Edges between existing nodes

static size_t find_edge(const struct node *from, const struct node *to)
{
    size_t i = 0;

    while (i < to->from_count && to->from[i] != from)
        i++;
    return i; // from_count: not found
}

static void add_edge(struct node *from, struct node *to)
{
    struct node **grown = sim_alloc((to->from_count + 1) * sizeof(struct node *));

    memcpy(grown, to->from, to->from_count * sizeof(struct node *));
    grown[to->from_count++] = from;
    free(to->from);
    to->from = grown;
}

static void remove_edge(const struct node *from, struct node *to)
{
    for (size_t i = find_edge(from, to); i + 1 < to->from_count; i++)
        to->from[i] = to->from[i + 1];
    to->from_count--;
}

// Reorders the nodes so that each follows its dependencies, and otherwise keeps their order. If
// there is a cycle, changes nothing and returns false.
static bool sort_nodes(struct graph *g)
{
    struct node **sorted = sim_alloc((g->count + 1) * sizeof(struct node *));
    bool *placed = sim_alloc((g->count + 1) * sizeof(*placed));
    size_t count = 0, before = SIZE_MAX;

    while (count < g->count && before != count) {
        before = count;
        for (struct node *n = g->first; n; n = n->next) {
            bool ready = !placed[n->number];
            for (size_t i = 0; i < n->from_count && ready; i++)
                ready = placed[n->from[i]->number];
            if (ready) {
                placed[n->number] = true;
                sorted[count++] = n;
            }
        }
    }
    const bool done = count == g->count;
    g->last = done ? &g->first : g->last;
    for (size_t i = 0; i < count && done; i++) {
        sorted[i]->number = i;
        sorted[i]->next = NULL;
        *g->last = sorted[i];
        g->last = &sorted[i]->next;
    }
    free(placed);
    free(sorted);
    return done;
}

// Looks up both ends of each edge. `there`: all edges must exist; otherwise none may.
static CUresult find_ends(struct node **ends, const struct graph *g, const CUgraphNode *from,
                          const CUgraphNode *to, size_t count, bool there)
{
    if (!sim_nodes_of(g, from, count, ends) || !sim_nodes_of(g, to, count, ends + count))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (ends[i] == ends[count + i] ||
            (find_edge(ends[i], ends[count + i]) < ends[count + i]->from_count) != there)
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult change_edges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                             size_t count, bool add)
{
    struct graph *g;
    CUresult code = graph_of(graph, &g);

    if (code || !count)
        return code;
    if (!from || !to)
        return CUDA_ERROR_INVALID_VALUE;
    struct node **ends = sim_alloc(2 * count * sizeof(struct node *));
    code = find_ends(ends, g, from, to, count, !add);
    for (size_t i = 0; i < count && !code; i++) {
        if (add)
            add_edge(ends[i], ends[count + i]);
        else
            remove_edge(ends[i], ends[count + i]);
    }
    if (!code && add && !sort_nodes(g)) {
        for (size_t i = 0; i < count; i++)
            remove_edge(ends[i], ends[count + i]);
        code = CUDA_ERROR_INVALID_VALUE;
    }
    free(ends);
    return code;
}

CUresult sim_cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                    const CUgraphEdgeData *edges, size_t count)
{
    (void)edges;
    return change_edges(graph, from, to, count, true);
}

CUresult sim_cuGraphAddDependencies_v1(CUgraph graph, const CUgraphNode *from,
                                       const CUgraphNode *to, size_t count)
{
    return change_edges(graph, from, to, count, true);
}

CUresult sim_cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                       const CUgraphNode *to, const CUgraphEdgeData *edges,
                                       size_t count)
{
    (void)edges;
    return change_edges(graph, from, to, count, false);
}

CUresult sim_cuGraphRemoveDependencies_v1(CUgraph graph, const CUgraphNode *from,
                                          const CUgraphNode *to, size_t count)
{
    return change_edges(graph, from, to, count, false);
}

// Results as arrays. If an array is larger than the result, its remaining entries become NULL, and
// the count becomes that of the result.

struct list {
    CUgraphNode *first, *second; // `second`: the other ends of edges; any array may be NULL
    CUgraphEdgeData *edges;
    size_t capacity, count;
};

static void put(struct list *list, const struct node *first, const struct node *second)
{
    size_t i = list->count++;

    if (i >= list->capacity)
        return;
    if (list->first)
        list->first[i] = SIM_HANDLE(CUgraphNode, first);
    if (list->second)
        list->second[i] = SIM_HANDLE(CUgraphNode, second);
    if (list->edges)
        memset(&list->edges[i], 0, sizeof(list->edges[i]));
}

static void close_list(struct list *list, size_t *count)
{
    for (size_t i = list->count; i < list->capacity; i++) {
        if (list->first)
            list->first[i] = NULL;
        if (list->second)
            list->second[i] = NULL;
    }
    if (!list->first || *count > list->count)
        *count = list->count;
}

CUresult sim_cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    struct graph *g;
    CUresult code = count ? graph_of(graph, &g) : CUDA_ERROR_INVALID_VALUE;

    if (code)
        return code;
    struct list list = { .first = nodes, .capacity = nodes ? *count : 0 };
    for (const struct node *n = g->first; n; n = n->next)
        put(&list, n, NULL);
    close_list(&list, count);
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphGetRootNodes(CUgraph graph, CUgraphNode *roots, size_t *count)
{
    struct graph *g;
    CUresult code = count ? graph_of(graph, &g) : CUDA_ERROR_INVALID_VALUE;

    if (code)
        return code;
    struct list list = { .first = roots, .capacity = roots ? *count : 0 };
    for (const struct node *n = g->first; n; n = n->next)
        if (!n->from_count)
            put(&list, n, NULL);
    close_list(&list, count);
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                             CUgraphEdgeData *edges, size_t *count)
{
    struct graph *g;
    CUresult code = count && !from == !to ? graph_of(graph, &g) : CUDA_ERROR_INVALID_VALUE;

    if (code)
        return code;
    struct list list = {
        .first = from, .second = to, .edges = edges, .capacity = from ? *count : 0
    };
    for (const struct node *n = g->first; n; n = n->next)
        for (size_t i = 0; i < n->from_count; i++)
            put(&list, n->from[i], n);
    close_list(&list, count);
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphGetEdges_v1(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    return sim_cuGraphGetEdges(graph, from, to, NULL, count);
}

CUresult sim_cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies,
                                        CUgraphEdgeData *edges, size_t *count)
{
    struct node *n;
    CUresult code = count ? node_of(node, &n) : CUDA_ERROR_INVALID_VALUE;

    if (code)
        return code;
    struct list list = { .first = dependencies,
                         .edges = edges,
                         .capacity = dependencies ? *count : 0 };
    for (size_t i = 0; i < n->from_count; i++)
        put(&list, n->from[i], NULL);
    close_list(&list, count);
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeGetDependencies_v1(CUgraphNode node, CUgraphNode *dependencies,
                                           size_t *count)
{
    return sim_cuGraphNodeGetDependencies(node, dependencies, NULL, count);
}

CUresult sim_cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *dependents,
                                          CUgraphEdgeData *edges, size_t *count)
{
    struct node *n;
    CUresult code = count ? node_of(node, &n) : CUDA_ERROR_INVALID_VALUE;

    if (code)
        return code;
    struct list list = { .first = dependents, .edges = edges, .capacity = dependents ? *count : 0 };
    for (const struct node *m = n->next; m; m = m->next)
        for (size_t i = 0; i < m->from_count; i++)
            if (m->from[i] == n)
                put(&list, m, NULL);
    close_list(&list, count);
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeGetDependentNodes_v1(CUgraphNode node, CUgraphNode *dependents,
                                             size_t *count)
{
    return sim_cuGraphNodeGetDependentNodes(node, dependents, NULL, count);
}

// Nodes

CUresult sim_cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    struct node *n;
    CUresult code = type ? node_of(node, &n) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *type = n->type;
    return code;
}

CUresult sim_cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    struct node *n;
    CUresult code = params ? node_of(node, &n) : CUDA_ERROR_INVALID_VALUE;

    if (!code && n->type != CU_GRAPH_NODE_TYPE_KERNEL)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code)
        return code;
    const struct kernel *k = sim_object((const void *)n->kernel, KIND_KERNEL);
    struct launch *l = n->work.launch;
    if (!k)
        return CUDA_ERROR_INVALID_HANDLE; // unloaded
    if (!n->parameters) {
        n->parameters = sim_alloc(k->parameter_count * sizeof(void *));
        for (size_t i = 0; i < k->parameter_count; i++)
            n->parameters[i] = l->bytes + k->parameters[i].offset;
    }
    *params = (CUDA_KERNEL_NODE_PARAMS){
        .gridDimX = l->config.gridDimX,
        .gridDimY = l->config.gridDimY,
        .gridDimZ = l->config.gridDimZ,
        .blockDimX = l->config.blockDimX,
        .blockDimY = l->config.blockDimY,
        .blockDimZ = l->config.blockDimZ,
        .sharedMemBytes = l->config.sharedMemBytes,
        .kernelParams = n->parameters,
        .kern = SIM_HANDLE(CUkernel, k),
        .ctx = (CUcontext)n->context,
    };
    return CUDA_SUCCESS;
}
