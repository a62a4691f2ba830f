// Instances of graphs, which are validated and flattened once, and launched many times. A launch
// enqueues the steps in its stream one after another, so independent branches do not run
// concurrently.
#include "graph.h"

#include <stdlib.h>
#include <string.h>

// Steps of a flattened graph

static struct step *step_new(struct steps *steps, const struct node *node)
{
    SIM_RESERVE(steps->first, steps->capacity, steps->count + 1, 16);
    struct step *s = &steps->first[steps->count++];
    *s = (struct step){ .type = node->type,
                        .node = node->head.handle,
                        .context = node->context,
                        .kernel = node->kernel,
                        .event = node->event,
                        .priority = node->priority,
                        .work = sim_work_copy(&node->work) };
    if (node->branches)
        s->work = (struct work){ .op = OP_BRANCH, .branch = sim_branch_of(node) };
    return &steps->first[steps->count - 1];
}

static void depends(struct step *step, size_t on)
{
    size_t *from = sim_alloc((step->from_count + 1) * sizeof(*from));

    if (step->from_count)
        memcpy(from, step->from, step->from_count * sizeof(*from));
    from[step->from_count++] = on;
    free(step->from);
    step->from = from;
}

// Flattens a graph. A child graph becomes a start step, its own steps, and an end step. `before` is
// the start step; SIZE_MAX for a top-level graph.
static void take_apart(struct steps *steps, const struct graph *graph, size_t before)
{
    size_t *end = sim_alloc(graph->count * sizeof(*end)); // by node: its last step

    for (const struct node *n = graph->first; n; n = n->next) {
        size_t at = steps->count;
        struct step *s = step_new(steps, n);
        for (size_t i = 0; i < n->from_count; i++)
            depends(s, end[n->from[i]->number]);
        if (!n->from_count && before != SIZE_MAX)
            depends(s, before);
        end[n->number] = at;
        if (!n->child)
            continue;
        take_apart(steps, n->child, at);
        end[n->number] = steps->count;
        s = step_new(steps, n);
        for (size_t i = at; i < end[n->number]; i++)
            depends(s, i);
    }
    free(end);
}

void sim_steps_of(struct steps *steps, const struct graph *graph)
{
    take_apart(steps, graph, SIZE_MAX);
}

void sim_steps_free(struct steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        sim_work_drop(&steps->first[i].work);
        free(steps->first[i].from);
    }
    free(steps->first);
    *steps = (struct steps){ 0 };
}

static void copy_users(struct user_ref **list, const struct graph *graph)
{
    sim_users_copy(list, graph->users);
    for (const struct node *n = graph->first; n; n = n->next) {
        if (n->child)
            copy_users(list, n->child);
        for (unsigned i = 0; n->branches && i < n->branches->count; i++)
            if (n->branches->bodies[i])
                copy_users(list, n->branches->bodies[i]);
    }
}

// Instances

static void free_exec(struct exec *e)
{
    sim_steps_free(&e->steps);
    sim_users_drop(&e->users);
    sim_users_drop(&e->replaced);
    sim_mark_drop(e->end);
    free(e);
}

void sim_exec_drop(struct exec *exec)
{
    if (--exec->refs == 0)
        free_exec(exec);
    else if (exec->refs == 1 && !exec->head.gone) // no launch is in progress
        sim_users_drop(&exec->replaced);
}

void sim_exec_end(struct exec *exec)
{
    exec->head.gone = true;
    sim_delist(exec);
    sim_exec_drop(exec);
}

static CUresult exec_of(CUgraphExec handle, struct exec **out)
{
    *out = sim_object(handle, KIND_EXEC);
    return *out ? CUDA_SUCCESS : handle ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
}

static bool device_launchable(CUgraphNodeType type)
{
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
           type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_GRAPH;
}

// Returns the first node in the bodies whose type is not permitted in a body.
static uintptr_t wrong_in_bodies(const struct branch *branch)
{
    const struct steps *body;
    uintptr_t wrong = 0;

    for (unsigned b = 0; (body = sim_branch_body(branch, b)) && !wrong; b++)
        for (size_t i = 0; i < body->count && !wrong; i++) {
            const struct step *s = &body->first[i];
            if (!sim_body_takes(s->type))
                wrong = s->node;
            else if (s->work.op == OP_BRANCH)
                wrong = wrong_in_bodies(s->work.branch);
        }
    return wrong;
}

// Validates a graph for instantiation. If it is invalid, finds the offending node.
static CUgraphInstantiateResult check(const struct steps *steps, unsigned flags, uintptr_t *node)
{
    bool work = false;

    for (size_t i = 0; i < steps->count; i++) {
        const struct step *s = &steps->first[i];
        *node = s->node;
        if (s->type == CU_GRAPH_NODE_TYPE_KERNEL &&
            !sim_object((const void *)s->kernel, KIND_KERNEL))
            return CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
        if (s->work.op == OP_BRANCH && (*node = wrong_in_bodies(s->work.branch)))
            return CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
        *node = s->node;
        if (!(flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH))
            continue;
        if (!device_launchable(s->type))
            return CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
        if (s->type == CU_GRAPH_NODE_TYPE_GRAPH)
            continue;
        if (s->context != steps->first[0].context)
            return CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED;
        work = true;
    }
    *node = 0;
    return flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH && !work
               ? CUDA_GRAPH_INSTANTIATE_ERROR
               : CUDA_GRAPH_INSTANTIATE_SUCCESS;
}

static bool unused_condition(const struct graph *g)
{
    bool unused = sim_condition_unused(g);

    for (const struct node *n = g->first; n && g->conditional; n = n->next)
        for (unsigned i = 0; n->branches && i < n->branches->count; i++)
            unused |= n->branches->bodies[i] && unused_condition(n->branches->bodies[i]);
    return unused;
}

static CUresult upload(struct exec *exec, struct stream *stream)
{
    if (stream->capture)
        return sim_capture_spoil(stream);
    if (!exec->end)
        return sim_submit(stream, &(struct work){ .op = OP_NOTHING });
    return sim_submit(stream,
                      &(struct work){ .op = OP_WAIT_MARK, .mark = sim_mark_retain(exec->end) });
}

CUresult sim_cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                          CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    const unsigned automatic = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    const unsigned device = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    const unsigned known = automatic | device | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                           CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    struct graph *g = sim_object(graph, KIND_GRAPH);
    struct stream *stream = NULL;
    uintptr_t node = 0;

    if (!exec || !params)
        return CUDA_ERROR_INVALID_VALUE;
    params->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    params->hErrNode_out = NULL;
    if (!g)
        return CUDA_ERROR_INVALID_HANDLE;
    if (g->body || (g->conditional && sim_object((const void *)g->exec, KIND_EXEC)))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (params->flags & ~(uint64_t)known ||
        (params->flags & (automatic | device)) == (automatic | device) || g->captures ||
        (g->memory && sim_object((const void *)g->exec, KIND_EXEC)))
        return CUDA_ERROR_INVALID_VALUE;
    if (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) {
        CUresult code = sim_stream_of(params->hUploadStream, &stream);
        if (code)
            return code;
    }
    struct exec *e = sim_alloc(sizeof(*e));
    e->refs = 1;
    e->flags = (unsigned)params->flags & ~(unsigned)CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    sim_steps_of(&e->steps, g);
    params->result_out = check(&e->steps, e->flags, &node);
    if (!params->result_out && unused_condition(g))
        params->result_out = CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED;
    params->hErrNode_out = (CUgraphNode)node;
    if (params->result_out) {
        free_exec(e);
        return CUDA_ERROR_INVALID_VALUE;
    }
    copy_users(&e->users, g);
    sim_enlist(e, KIND_EXEC, NULL);
    g->exec = e->head.handle;
    *exec = SIM_HANDLE(CUgraphExec, e);
    return stream ? upload(e, stream) : CUDA_SUCCESS;
}

CUresult sim_cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS params = { .flags = flags };

    return sim_cuGraphInstantiateWithParams(exec, graph, &params);
}

CUresult sim_cuGraphExecGetFlags(CUgraphExec exec, uint64_t *flags)
{
    struct exec *e;
    CUresult code = flags ? exec_of(exec, &e) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *flags = e->flags;
    return code;
}

CUresult sim_cuGraphExecDestroy(CUgraphExec exec)
{
    struct exec *e;
    CUresult code = exec_of(exec, &e);

    if (!code)
        sim_exec_end(e);
    return code;
}

CUresult sim_cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    struct exec *e;
    struct stream *s;
    CUresult code = exec_of(exec, &e);

    if (!code)
        code = sim_stream_of(stream, &s);
    if (!code)
        code = sim_capture_implicit(s);
    return code ? code : upload(e, s);
}

// Launches

static CUresult check_step(const struct step *s)
{
    const struct context *c = sim_object((const void *)s->context, KIND_CONTEXT);

    if (s->context && !c)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (c && c->lost)
        return c->lost;
    if (s->kernel && !sim_object((const void *)s->kernel, KIND_KERNEL))
        return CUDA_ERROR_INVALID_HANDLE; // it was unloaded; a GPU would run whatever is left there
    if (s->event && !sim_object((const void *)s->event, KIND_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult code = CUDA_SUCCESS;
    const struct steps *body;
    for (unsigned b = 0;
         s->work.op == OP_BRANCH && !code && (body = sim_branch_body(s->work.branch, b)); b++)
        for (size_t i = 0; i < body->count && !code; i++)
            code = check_step(&body->first[i]);
    return code;
}

// Enqueues work that assigns the default values of conditions when the launch runs.
static void assign(struct stream *stream, const struct steps *steps)
{
    const struct steps *body;

    for (size_t i = 0; i < steps->count; i++) {
        if (steps->first[i].work.op != OP_BRANCH)
            continue;
        struct branch *branch = steps->first[i].work.branch;
        sim_branch_retain(branch);
        sim_enqueue(stream, &(struct work){ .op = OP_ASSIGN, .branch = branch });
        for (unsigned b = 0; (body = sim_branch_body(branch, b)); b++)
            assign(stream, body);
    }
}

// Returns true if a step's memory exists when execution reaches the step.
static bool there_before(const struct steps *steps, size_t step)
{
    const struct allocation *a = steps->first[step].work.allocation;

    for (size_t i = step; i-- > 0;) {
        const struct work *w = &steps->first[i].work;
        if ((w->op == OP_WAKE || w->op == OP_SLEEP) && w->allocation == a)
            return w->op == OP_WAKE;
    }
    return a->graph->launched;
}

// Checks the memory of a launch. If the last launch left memory allocated, this launch fails,
// unless the instance frees such memory automatically (AUTO_FREE_ON_LAUNCH).
static CUresult check_memory(const struct exec *e)
{
    uint64_t more[SIM_DEVICES] = { 0 };

    for (size_t i = 0; i < e->steps.count; i++) {
        const struct work *w = &e->steps.first[i].work;
        if (w->op == OP_WAKE) {
            if (w->allocation->graph->launched &&
                !(e->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH))
                return CUDA_ERROR_INVALID_VALUE;
            more[w->allocation->device] += w->allocation->bytes;
        } else if (w->op == OP_SLEEP && !there_before(&e->steps, i)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    for (int i = 0; i < SIM_DEVICES; i++) {
        const struct device *d = &sim.devices[i];
        uint64_t cached = d->graph_memory[CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT] -
                          d->graph_memory[CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT];
        if (more[i] > cached && more[i] - cached > d->total - d->used)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

static void enqueue_step(struct stream *stream, const struct step *s)
{
    struct event *event = sim_object((const void *)s->event, KIND_EVENT);

    switch (s->type) {
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        event->capture = 0;
        sim_ends_set(&event->ends, NULL, 0);
        if (event->shared) {
            struct work record = sim_shared_record(event);
            sim_enqueue(stream, &record);
            return;
        }
        sim_mark_drop(event->mark);
        event->mark = sim_mark_new();
        sim_enqueue(stream, &(struct work){ .op = OP_MARK, .mark = sim_mark_retain(event->mark) });
        return;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        if (event->shared) {
            struct work wait = sim_shared_wait(event);
            sim_enqueue(stream, &wait);
        } else if (event->mark)
            sim_enqueue(stream,
                        &(struct work){ .op = OP_WAIT_MARK, .mark = sim_mark_retain(event->mark) });
        return;
    default:
        break;
    }
    if (s->work.op == OP_NOTHING || s->disabled)
        return;
    if (s->work.op == OP_WAKE || s->work.op == OP_SLEEP)
        s->work.allocation->graph->launched = s->work.op == OP_WAKE;
    struct work work = sim_work_copy(&s->work);
    sim_enqueue(stream, &work);
}

CUresult sim_cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    struct exec *e;
    struct stream *s;
    CUresult code = exec_of(exec, &e);

    if (!code)
        code = sim_stream_of(stream, &s);
    if (!code && s->capture)
        code = sim_capture_spoil(s);
    if (!code)
        code = sim_capture_implicit(s);
    for (size_t i = 0; !code && i < e->steps.count; i++)
        code = check_step(&e->steps.first[i]);
    if (!code)
        code = check_memory(e);
    if (code)
        return code;

    if ((code = sim_stream_thread(s)) || (code = sim_order(s)))
        return code;
    if (e->end && !e->end->done) // launches of the same instance run one after another
        sim_enqueue(s, &(struct work){ .op = OP_WAIT_MARK, .mark = sim_mark_retain(e->end) });
    for (size_t i = 0; i < e->steps.count; i++) {
        const struct work *w = &e->steps.first[i].work;
        if (w->op != OP_WAKE || !w->allocation->graph->launched)
            continue;
        sim_graph_memory_retain(w->allocation);
        sim_enqueue(s, &(struct work){ .op = OP_SLEEP, .allocation = w->allocation });
    }
    assign(s, &e->steps);
    for (size_t i = 0; i < e->steps.count; i++)
        enqueue_step(s, &e->steps.first[i]);
    sim_mark_drop(e->end);
    e->end = sim_mark_new();
    e->refs++;
    sim_enqueue(
        s, &(struct work){ .op = OP_END, .end = { .exec = e, .mark = sim_mark_retain(e->end) } });
    return CUDA_SUCCESS;
}

// Updates

// Returns the kind and device of memory. An update of a copy or fill must not change them.
static int place(const void *at)
{
    const struct allocation *a = sim_find((CUdeviceptr)(uintptr_t)at);

    if (!a || a->memory == MEMORY_HOST || a->memory == MEMORY_REGISTERED)
        return -1;
    return a->memory == MEMORY_MANAGED || a->managed ? SIM_DEVICES : a->device;
}

static CUgraphExecUpdateResult kernel_differs(const struct exec *e, const struct step *old,
                                              const struct step *new)
{
    if (old->context != new->context)
        return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
    if (old->work.launch->cooperative != new->work.launch->cooperative ||
        (e->flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY &&
         old->priority != new->priority))
        return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

// Returns true if an update moves the source or destination of a copy between devices, or between
// device and managed memory. A change to or from host memory is permitted.
static bool moves(const void *old, const void *new)
{
    int from = place(old), to = place(new);

    return from != to && from >= 0 && to >= 0;
}

static bool copy_differs(const struct copy *old, const struct copy *new)
{
    return moves(old->dst, new->dst) || moves(old->src, new->src);
}

static bool fill_differs(const struct fill *old, const struct fill *new)
{
    if (place(old->dst) != place(new->dst))
        return true;
    // For a rectangle, only the address and the value may change.
    return (old->height > 1 || new->height > 1) &&
           (old->height != new->height || old->width != new->width || old->pitch != new->pitch ||
            old->element != new->element);
}

static CUgraphExecUpdateResult parameters_differ(const struct exec *e, const struct step *old,
                                                 const struct step *new)
{
    bool differ = old->context != new->context;

    switch (old->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return kernel_differs(e, old, new);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        differ |= copy_differs(&old->work.copy, &new->work.copy);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        differ |= fill_differs(&old->work.fill, &new->work.fill);
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        differ |= old->work.op != new->work.op;
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    default:
        differ = false;
        break;
    }
    return differ ? CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED : CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

static CUgraphExecUpdateResult compare(const struct exec *e, const struct steps *old,
                                       const struct steps *new, CUgraphExecUpdateResultInfo *info);

// Compares conditional nodes. They must have the same type and number of bodies. The bodies
// are compared like graphs.
static CUgraphExecUpdateResult branches_differ(const struct exec *e, const struct branch *old,
                                               const struct branch *new,
                                               CUgraphExecUpdateResultInfo *info)
{
    CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    const struct steps *a, *b;

    if (!sim_branches_alike(old, new))
        return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    for (unsigned i = 0; !result && (a = sim_branch_body(old, i)) && (b = sim_branch_body(new, i));
         i++)
        result = compare(e, a, b, info);
    return result;
}

// Compares steps pairwise, in order. Finds the first step that differs and, if the step has an
// unexpected dependency, that dependency.
static CUgraphExecUpdateResult compare(const struct exec *e, const struct steps *old,
                                       const struct steps *new, CUgraphExecUpdateResultInfo *info)
{
    CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;

    if (old->count != new->count)
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (size_t i = 0; i < new->count && !result; i++) {
        const struct step *a = &old->first[i], *b = &new->first[i];
        size_t from = 0;
        info->errorNode = (CUgraphNode)b->node;
        if (a->from_count != b->from_count)
            return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        while (from < a->from_count && a->from[from] == b->from[from])
            from++;
        if (from < a->from_count) {
            info->errorFromNode = (CUgraphNode) new->first[b->from[from]].node;
            return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        }
        result = a->type == b->type ? parameters_differ(e, a, b)
                                    : CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
        if (!result && a->work.op == OP_BRANCH)
            result = branches_differ(e, a->work.branch, b->work.branch, info);
    }
    if (!result)
        info->errorNode = NULL;
    return result;
}

CUresult sim_cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    struct graph *g = sim_object(graph, KIND_GRAPH);
    struct steps new = { 0 };
    struct exec *e;
    CUresult code = info ? exec_of(exec, &e) : CUDA_ERROR_INVALID_VALUE;

    if (code)
        return code;
    *info = (CUgraphExecUpdateResultInfo){ .result = CU_GRAPH_EXEC_UPDATE_ERROR };
    if (!g)
        return CUDA_ERROR_INVALID_HANDLE;
    if (g->captures)
        return CUDA_ERROR_INVALID_VALUE;
    sim_steps_of(&new, g);
    info->result = compare(e, &e->steps, &new, info);
    if (info->result) {
        sim_steps_free(&new);
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    for (size_t i = 0; i < new.count; i++) { // the instance keeps the nodes from which it was made
        new.first[i].node = e->steps.first[i].node;
        new.first[i].disabled = e->steps.first[i].disabled;
    }
    sim_steps_free(&e->steps);
    e->steps = new;
    // Running launches still use some resources, which are freed when those launches end.
    while (e->users) {
        struct user_ref *ref = e->users;
        e->users = ref->next;
        sim_users_add(&e->replaced, ref->object, ref->count);
        free(ref);
    }
    copy_users(&e->users, g);
    if (e->refs == 1)
        sim_users_drop(&e->replaced);
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphExecUpdate_v1(CUgraphExec exec, CUgraph graph, CUgraphNode *error_node,
                                  CUgraphExecUpdateResult *result)
{
    CUgraphExecUpdateResultInfo info = { 0 };
    CUresult code = sim_cuGraphExecUpdate(exec, graph, &info);

    if (error_node)
        *error_node = info.errorNode;
    if (result)
        *result = info.result;
    return code;
}

// Disabled nodes

static CUresult step_of(CUgraphExec exec, CUgraphNode node, struct step **out)
{
    struct exec *e;
    CUresult code = exec_of(exec, &e);

    if (code)
        return code;
    for (size_t i = 0; i < e->steps.count; i++) {
        struct step *s = &e->steps.first[i];
        if (s->node != (uintptr_t)node)
            continue;
        *out = s;
        return s->type == CU_GRAPH_NODE_TYPE_KERNEL || s->type == CU_GRAPH_NODE_TYPE_MEMCPY ||
                       s->type == CU_GRAPH_NODE_TYPE_MEMSET
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled)
{
    struct step *s;
    CUresult code = step_of(exec, node, &s);

    if (!code)
        s->disabled = !enabled;
    return code;
}

CUresult sim_cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled)
{
    struct step *s;
    CUresult code = enabled ? step_of(exec, node, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *enabled = !s->disabled;
    return code;
}
