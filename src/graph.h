#ifndef CUCORE_SRC_GRAPH_H
#define CUCORE_SRC_GRAPH_H

#include <cucore/graph.h>

#include "context.h"

struct cuc_graph {
    cuc__handle head;
    CUgraph handle;
    cuc_context *context; // retained: where it was captured
    char *dot;            // as it was drawn last, NULL before
    // Of the body of a conditional node, which is its graph's.
    bool body;
    cuc_graph *parent;    // retained; NULL while that is being captured, or where others did
    cuc_graph *next_body; // of a capture that goes on
};

struct cuc_graph_exec {
    cuc__handle head;
    CUgraphExec handle;
    cuc_context *context; // retained: the graph's
    uint32_t flags;       // CUC_GRAPH_ bits
    size_t nodes;         // as of the graph it was made of
    bool allocates;       // and whether one of them does
    bool decides;         // or is a conditional one
};

// A graph object without a graph yet; NULL without memory, recorded under `function`'s name.
cuc_graph *cuc__graph_new(cuc_context *context, const char *function);

// Refuse the body of a conditional node where it takes a graph of its own, or one whose graph is no
// more. `doing` is such as "instantiated".
cuc_status cuc__graph_check_own(const cuc_graph *graph, const char *doing, const char *function);
cuc_status cuc__graph_check_there(const cuc_graph *graph, const char *function);

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
