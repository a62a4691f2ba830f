// Conditional nodes of graphs: values that kernels set, nodes that read them, and the execution of
// these nodes on a stream.
#include "graph.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

// The value that a CUgraphConditionalHandle refers to. A graph and its instances share it.
struct condition {
    struct condition *next;
    uint64_t handle;
    int refs;
    uint64_t root; // id of the outermost graph; all bodies in that graph may use the condition
    bool used;     // a node uses it; a handle belongs to a single node
    bool assigns;  // the default value is assigned when a launch begins
    uint32_t fallback;
    _Atomic uint32_t value;
};

// Protects `conditions`: kernels set values without the driver's lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct condition *conditions;

// Returns the id of the outermost graph. As on an H200, a condition may belong to any node of that
// graph and of its bodies.
static uint64_t root_of(const struct graph *g)
{
    return g->body ? g->root : g->id;
}

static struct condition *condition_of(uint64_t handle)
{
    struct condition *c;

    pthread_mutex_lock(&lock);
    for (c = conditions; c && c->handle != handle; c = c->next)
        ;
    pthread_mutex_unlock(&lock);
    return c;
}

bool sim_condition_set(uint64_t handle, uint32_t value)
{
    struct condition *c;

    pthread_mutex_lock(&lock);
    for (c = conditions; c && c->handle != handle; c = c->next)
        ;
    if (c)
        atomic_store(&c->value, value);
    pthread_mutex_unlock(&lock);
    return c != NULL;
}

void sim_condition_drop(struct condition *condition)
{
    if (--condition->refs)
        return;
    pthread_mutex_lock(&lock);
    struct condition **at = &conditions;
    while (*at != condition)
        at = &(*at)->next;
    *at = condition->next;
    pthread_mutex_unlock(&lock);
    free(condition);
}

void sim_condition_assign(struct condition *condition)
{
    if (condition->assigns)
        atomic_store(&condition->value, condition->fallback);
}

bool sim_condition_unused(const struct graph *graph)
{
    for (size_t i = 0; i < graph->condition_count; i++)
        if (!graph->conditions[i]->used)
            return true;
    return false;
}

CUresult sim_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph,
                                            CUcontext ctx, unsigned default_value, unsigned flags)
{
    struct graph *g = sim_object(graph, KIND_GRAPH);

    if (!handle || flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT)
        return CUDA_ERROR_INVALID_VALUE;
    if (!g)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!sim_object(ctx, KIND_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    struct condition *c = sim_alloc(sizeof(*c));
    c->handle = UINT64_C(0x00c0de0000000000) | ++sim.serial;
    c->refs = 1;
    c->root = root_of(g);
    c->assigns = flags & CU_GRAPH_COND_ASSIGN_DEFAULT;
    c->fallback = default_value;
    pthread_mutex_lock(&lock);
    c->next = conditions;
    conditions = c;
    pthread_mutex_unlock(&lock);
    struct condition **all = sim_alloc((g->condition_count + 1) * sizeof(struct condition *));
    for (size_t i = 0; i < g->condition_count; i++)
        all[i] = g->conditions[i];
    all[g->condition_count++] = c;
    free(g->conditions);
    g->conditions = all;
    *handle = c->handle;
    return CUDA_SUCCESS;
}

// Nodes

// The immutable part of a conditional node. Steps and launches share it.
struct branch {
    int refs;
    CUgraphConditionalNodeType type;
    struct condition *condition;
    unsigned count;
    struct steps *bodies;
};

struct branch *sim_branch_of(const struct node *node)
{
    struct branch *b = sim_alloc(sizeof(*b));

    b->refs = 1;
    b->type = node->branches->type;
    b->condition = node->branches->condition;
    b->condition->refs++;
    b->count = node->branches->count;
    b->bodies = sim_alloc(b->count * sizeof(*b->bodies));
    for (unsigned i = 0; i < b->count; i++) {
        if (!node->branches->bodies[i])
            sim_bug("the body of a conditional node was freed by its capture", "instantiated");
        sim_steps_of(&b->bodies[i], node->branches->bodies[i]);
    }
    return b;
}

void sim_branch_retain(struct branch *branch)
{
    branch->refs++;
}

void sim_branch_drop(struct branch *branch)
{
    if (--branch->refs)
        return;
    for (unsigned i = 0; i < branch->count; i++)
        sim_steps_free(&branch->bodies[i]);
    sim_condition_drop(branch->condition);
    free(branch->bodies);
    free(branch);
}

struct condition *sim_branch_condition(const struct branch *branch)
{
    return branch->condition;
}

const struct steps *sim_branch_body(const struct branch *branch, unsigned index)
{
    return index < branch->count ? &branch->bodies[index] : NULL;
}

bool sim_branches_alike(const struct branch *a, const struct branch *b)
{
    return a->type == b->type && a->count == b->count;
}

void sim_branches_end(struct branches *branches)
{
    for (unsigned i = 0; i < branches->count; i++)
        if (branches->bodies[i])
            sim_graph_end(branches->bodies[i]);
    sim_condition_drop(branches->condition);
    free(branches->bodies);
    free(branches->handles);
    free(branches);
}

static bool is_valid_size(CUgraphConditionalNodeType type, unsigned size)
{
    switch (type) {
    case CU_GRAPH_COND_TYPE_IF:
        return size == 1 || size == 2;
    case CU_GRAPH_COND_TYPE_WHILE:
        return size == 1;
    case CU_GRAPH_COND_TYPE_SWITCH:
        return size > 0;
    default:
        return false;
    }
}

static CUresult add_conditional(struct node **out, struct graph *g, struct node *const *from,
                                size_t from_count, CUDA_CONDITIONAL_NODE_PARAMS *params)
{
    struct condition *c = condition_of(params->handle);
    const struct context *ctx = sim_object(params->ctx, KIND_CONTEXT);

    if (!ctx)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!c || c->used || c->root != root_of(g) || !is_valid_size(params->type, params->size))
        return CUDA_ERROR_INVALID_VALUE;
    struct branches *b = sim_alloc(sizeof(*b));
    c->used = true;
    c->refs++;
    b->type = params->type;
    b->condition = c;
    b->count = params->size;
    b->bodies = sim_alloc(b->count * sizeof(struct graph *));
    b->handles = sim_alloc(b->count * sizeof(*b->handles));
    for (unsigned i = 0; i < b->count; i++) {
        b->bodies[i] = sim_graph_new();
        b->bodies[i]->body = b->bodies[i]->head.builtin = true;
        b->bodies[i]->root = root_of(g);
        b->bodies[i]->place = &b->bodies[i];
        b->handles[i] = SIM_HANDLE(CUgraph, b->bodies[i]);
    }
    struct node *n = sim_node_new(g, CU_GRAPH_NODE_TYPE_CONDITIONAL, from, from_count,
                                  &(struct work){ .op = OP_NOTHING });
    n->context = ctx->head.handle;
    n->branches = b;
    g->conditional = true;
    params->phGraph_out = b->handles;
    *out = n;
    return CUDA_SUCCESS;
}

// Only the following node types can be added this way. Others come from captures.
CUresult sim_cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                            const CUgraphEdgeData *edges, size_t dependency_count,
                            CUgraphNodeParams *params)
{
    struct graph *g = sim_object(graph, KIND_GRAPH);
    struct node *made = NULL;
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    (void)edges;
    if (!g)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!node || !params || (dependency_count && !dependencies))
        return CUDA_ERROR_INVALID_VALUE;
    struct node **from = sim_alloc(dependency_count * sizeof(struct node *));
    if (sim_nodes_of(g, dependencies, dependency_count, from)) {
        switch (params->type) {
        case CU_GRAPH_NODE_TYPE_EMPTY:
            made = sim_node_new(g, params->type, from, dependency_count,
                                &(struct work){ .op = OP_NOTHING });
            code = CUDA_SUCCESS;
            break;
        case CU_GRAPH_NODE_TYPE_CONDITIONAL:
            code = add_conditional(&made, g, from, dependency_count, &params->conditional);
            break;
        default:
            code = CUDA_ERROR_NOT_SUPPORTED;
        }
    }
    free(from);
    if (!code)
        *node = SIM_HANDLE(CUgraphNode, made);
    return code;
}

// Returns true for node types that the driver's documentation permits in a body.
bool sim_body_takes(CUgraphNodeType type)
{
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_EMPTY ||
           type == CU_GRAPH_NODE_TYPE_GRAPH || type == CU_GRAPH_NODE_TYPE_MEMSET ||
           type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

// Execution

static void run_body(const struct steps *body, struct stream *stream)
{
    for (size_t i = 0; i < body->count && !stream->head.context->lost && !stream->ending; i++) {
        if (body->first[i].work.op == OP_NOTHING || body->first[i].disabled)
            continue;
        struct work w = sim_work_copy(&body->first[i].work);
        sim_work_run(&w, stream);
        sim_work_drop(&w);
    }
}

void sim_branch_run(const struct branch *branch, struct stream *stream)
{
    uint32_t value = atomic_load(&branch->condition->value);

    switch (branch->type) {
    case CU_GRAPH_COND_TYPE_IF:
        if (value || branch->count > 1)
            run_body(&branch->bodies[value ? 0 : 1], stream);
        break;
    case CU_GRAPH_COND_TYPE_SWITCH:
        if (value < branch->count)
            run_body(&branch->bodies[value], stream);
        break;
    default:
        while (atomic_load(&branch->condition->value) && !stream->head.context->lost &&
               !stream->ending) {
            run_body(&branch->bodies[0], stream);
            sim_unlock(); // lets other threads work, since a loop runs forever if its body never
                          // sets the condition
            sched_yield();
            sim_lock();
        }
    }
}
