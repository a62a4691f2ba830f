// Draws graphs in the DOT language of Graphviz: cuGraphDebugDotPrint().
#include "base/array.h"
#include "graph.h"

#include <stdio.h>

static const char *type_name(CUgraphNodeType type)
{
    static const char *const names[] = {
        [CU_GRAPH_NODE_TYPE_KERNEL] = "KERNEL",
        [CU_GRAPH_NODE_TYPE_MEMCPY] = "MEMCPY",
        [CU_GRAPH_NODE_TYPE_MEMSET] = "MEMSET",
        [CU_GRAPH_NODE_TYPE_HOST] = "HOST",
        [CU_GRAPH_NODE_TYPE_GRAPH] = "GRAPH",
        [CU_GRAPH_NODE_TYPE_EMPTY] = "EMPTY",
        [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "WAIT_EVENT",
        [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "EVENT_RECORD",
        [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "MEM_ALLOC",
        [CU_GRAPH_NODE_TYPE_MEM_FREE] = "MEM_FREE",
        [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "BATCH_MEM_OP",
        [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "CONDITIONAL",
    };

    return type < CUC_LENGTH(names) && names[type] ? names[type] : "?";
}

struct drawing {
    FILE *file;
    unsigned flags;
};

static bool wants(const struct drawing *d, unsigned flag)
{
    return d->flags & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
}

static const char *side(const void *at)
{
    const struct allocation *a = sim_find((CUdeviceptr)(uintptr_t)at);

    return a && a->memory != MEMORY_HOST && a->memory != MEMORY_REGISTERED ? "D" : "H";
}

static void draw_kernel(const struct drawing *d, const struct node *n)
{
    const struct kernel *k = sim_object((const void *)n->kernel, KIND_KERNEL);
    const CUlaunchConfig *c = &n->work.launch->config;

    fprintf(d->file, "%s\\n", k ? k->name : "(unloaded)");
    if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
        fprintf(d->file, "grid %u,%u,%u block %u,%u,%u shared %u\\n", c->gridDimX, c->gridDimY,
                c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ, c->sharedMemBytes);
    if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES))
        fprintf(d->file, "cooperative %d priority %d\\n", n->work.launch->cooperative, n->priority);
}

static void draw_memory(const struct drawing *d, const struct node *n)
{
    unsigned flag = n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC
                        ? CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS
                        : CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS;
    const struct allocation *a = n->work.allocation;

    if (wants(d, flag))
        fprintf(d->file, "%zu bytes at 0x%llx\\n", a->bytes, (unsigned long long)a->base);
}

static void draw_parameters(const struct drawing *d, const struct node *n)
{
    const struct work *w = &n->work;

    switch (n->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        draw_kernel(d, n);
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        fprintf(d->file, "%sto%s\\n", side(w->copy.src), side(w->copy.dst));
        if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS))
            fprintf(d->file, "%zu x %zu x %zu bytes\\nfrom %p to %p\\n", w->copy.width,
                    w->copy.height, w->copy.depth, (const void *)w->copy.src,
                    (const void *)w->copy.dst);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS))
            fprintf(d->file, "%zu x %zu elements of %u bytes at %p become %u\\n", w->fill.width,
                    w->fill.height, w->fill.element, (const void *)w->fill.dst, w->fill.value);
        break;
    case CU_GRAPH_NODE_TYPE_HOST:
        if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS))
            fprintf(d->file, "0x%llx(%p)\\n", (unsigned long long)(uintptr_t)w->host.fn,
                    w->host.user);
        break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS))
            fprintf(d->file, "event 0x%llx\\n", (unsigned long long)n->event);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        draw_memory(d, n);
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS))
            fprintf(d->file, "%s 0x%llx at 0x%llx\\n",
                    w->op == OP_WRITE_VALUE ? "write" : "wait for",
                    (unsigned long long)w->word.value, (unsigned long long)w->word.address);
        break;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS))
            fprintf(d->file, "%s of %u\\n",
                    n->branches->type == CU_GRAPH_COND_TYPE_IF      ? "IF"
                    : n->branches->type == CU_GRAPH_COND_TYPE_WHILE ? "WHILE"
                                                                    : "SWITCH",
                    n->branches->count);
        break;
    default:
        break;
    }
    if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES))
        fprintf(d->file, "node 0x%llx\\n", (unsigned long long)n->head.handle);
}

static void draw(const struct drawing *d, const struct graph *g)
{
    const unsigned long long id = g->id;

    fprintf(d->file, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n", id,
            id);
    for (const struct node *n = g->first; n; n = n->next) {
        fprintf(d->file, "\"graph_%llu_node_%zu\"[style=\"%s\" shape=\"%s\" label=\"%zu\\n", id,
                n->number, n->from_count ? "solid" : "bold",
                n->type == CU_GRAPH_NODE_TYPE_KERNEL ? "octagon" : "rectangle", n->number);
        if (n->type != CU_GRAPH_NODE_TYPE_KERNEL)
            fprintf(d->file, "%s\\n", type_name(n->type));
        draw_parameters(d, n);
        fprintf(d->file, "\"];\n");
        if (n->child)
            draw(d, n->child);
        for (unsigned i = 0; n->branches && i < n->branches->count; i++)
            if (n->branches->bodies[i])
                draw(d, n->branches->bodies[i]);
    }
    for (const struct node *n = g->first; n; n = n->next)
        for (size_t i = 0; i < n->from_count; i++)
            fprintf(d->file, "\"graph_%llu_node_%zu\" -> \"graph_%llu_node_%zu\";\n", id,
                    n->from[i]->number, id, n->number);
    fprintf(d->file, "}\n");
}

CUresult sim_cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags)
{
    const struct graph *g = sim_object(graph, KIND_GRAPH);

    if (!g)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!path || flags >= (unsigned)CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS << 1)
        return CUDA_ERROR_INVALID_VALUE;
    struct drawing d = { .file = fopen(path, "w"), .flags = flags };
    if (!d.file)
        return CUDA_ERROR_OPERATING_SYSTEM;
    fprintf(d.file, "digraph dot {\n");
    draw(&d, g);
    fprintf(d.file, "}\n");
    int failed = ferror(d.file);
    failed |= fclose(d.file);
    return failed ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
