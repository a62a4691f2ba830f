#ifndef CUCORE_GRAPH_GRAPH_H
#define CUCORE_GRAPH_GRAPH_H

#include <cucore/graph.h>

#include "device/context.h"

// A conditional node and its bodies, which drivers before CUDA 13.2 cannot be asked for.
struct cuc__conditional {
    struct cuc__conditional *next;
    CUgraphNode node;
    uint32_t count;
    CUgraph bodies[];
};

// Those of a graph, in the order that they were added in.
struct cuc__conditionals {
    struct cuc__conditional *first, *last;
};

struct cuc_graph {
    cuc__handle head;
    CUgraph handle;
    cuc_context *context; // retained: where it was captured
    char *dot;            // as it was drawn last, NULL before
    // Of the body of a conditional node, or the graph of a node that was embedded: its graph's.
    bool body, embedded;
    cuc_graph *parent;    // retained; NULL while that is being captured, or where others did
    cuc_graph *next_body; // of a capture that goes on
    // Of its nodes and of those within them, where it has no parent; capture.c's.
    struct cuc__conditionals conditionals;
    // Why the driver's graph is no more, where it was there: CUC__GONE_
    int gone;
    CUstream gone_by; // whose capture it was that ended badly
};

// The driver frees the graph that a capture adds to when that ends badly, be it a graph of its own
// or the body of a conditional node, and leaves the node of a body as it was: whatever destroys the
// graph with that node then brings the process down. Such a graph is never destroyed.
enum {
    CUC__GONE_WITH_CAPTURE, // a body: what was captured with its node came to nothing
    CUC__GONE_FREED,        // a capture into it ended badly
    CUC__GONE_UNSOUND,      // a capture into a body within it did
};

struct cuc_graph_exec {
    cuc__handle head;
    CUgraphExec handle;
    cuc_context *context;       // retained: the graph's
    uint32_t flags;             // CUC_GRAPH_ bits
    size_t nodes;               // as of the graph it was made of
    bool allocates;             // and whether one of them does
    bool decides;               // or is a conditional one
    _Atomic(const char *) what; // interned, owned: "graph of 3 nodes (kernels a, b)"
};

// A graph object without a graph yet; NULL without memory, recorded under `function`'s name.
cuc_graph *cuc__graph_new(cuc_context *context, const char *function);

// Refuse the body of a conditional node where it takes a graph of its own, or one whose graph is no
// more. `doing` is such as "instantiated".
cuc_status cuc__graph_check_own(const cuc_graph *graph, const char *doing, const char *function);
cuc_status cuc__graph_check_there(const cuc_graph *graph, const char *function);

// Why a graph is no more, in words; false where it is there.
bool cuc__graph_why_gone(char *text, size_t size, const cuc_graph *graph);

// The name of a kernel node's kernel, or NULL.
const char *cuc__node_kernel(CUgraphNode node);

// The nodes of a driver's graph, in memory that the caller frees: NULL with a code of the driver's.
CUgraphNode *cuc__graph_list(CUresult *code, size_t *count, CUgraph graph);

// The argument is a graph that is still there, as a public function checks.
#define CUC_CHECK_GRAPH(graph)                                            \
    do {                                                                  \
        CUC_CHECK(graph, GRAPH);                                          \
        if (__builtin_expect(cuc__graph_check_there(graph, __func__), 0)) \
            return CUC_ERROR_INVALID_ARGUMENT;                            \
    } while (0)

// The nodes of a graph, in memory that the caller frees.
cuc_status cuc__graph_nodes(CUgraphNode **out, size_t *count, cuc_graph *graph,
                            const char *function);

// A node in words, such as "node 3 (kernel saxpy)", or "a node" when nothing can be had of it.
void cuc__node_describe(char *text, size_t size, const cuc_graph *graph, CUgraphNode node);

#endif
