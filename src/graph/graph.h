#ifndef CUCORE_GRAPH_GRAPH_H
#define CUCORE_GRAPH_GRAPH_H

#include <cucore/graph.h>

#include "device/context.h"

// A conditional node and its bodies. Drivers before CUDA 13.2 cannot report the bodies.
struct cuc__conditional {
    struct cuc__conditional *next;
    CUgraphNode node;
    uint32_t count;
    CUgraph bodies[];
};

// A graph's conditional nodes, in the order of their addition.
struct cuc__conditionals {
    struct cuc__conditional *first, *last;
};

struct cuc_graph {
    cuc__handle head;
    CUgraph handle;
    cuc_context *context; // the context in which it was captured, retained
    char *dot;            // the last drawing, or NULL
    // The body of a conditional node, or an embedded child graph. The parent owns it.
    bool body, embedded;
    cuc_graph *parent;    // retained; NULL while the parent is being captured, or if other code
                          // captured it
    cuc_graph *next_body; // list link during a capture
    // The conditional nodes of this graph and of all graphs nested in it. Only a graph without a
    // parent has any. Filled by capture_registry.c.
    struct cuc__conditionals conditionals;
    // The reason why the driver's graph no longer exists, a CUC__GONE_ value.
    int gone;
    CUstream gone_by; // the stream whose capture ended badly
};

// Reasons why a graph is gone. If a capture into a graph ends badly (see <cucore/graph.h>), the
// driver frees that graph, which may be a whole graph or the body of a conditional node. The
// conditional node still points to the freed body, so destroying the graph that contains the node
// would crash the process. Such a graph is never destroyed.
enum {
    CUC__GONE_WITH_CAPTURE, // a body whose node was added by a capture that yielded no graph
    CUC__GONE_FREED,        // a capture into the graph ended badly
    CUC__GONE_UNSOUND,      // a capture into one of the graph's bodies ended badly
};

struct cuc_graph_exec {
    cuc__handle head;
    CUgraphExec handle;
    cuc_context *context;       // the graph's context, retained
    uint32_t flags;             // CUC_GRAPH_ bits
    size_t nodes;               // number of nodes in the source graph
    bool allocates;             // one of the nodes allocates memory
    bool decides;               // one of the nodes is conditional
    _Atomic(const char *) what; // interned, owned: "graph of 3 nodes (kernels a, b)"
};

// Creates a graph object without a driver's graph. If out of memory, returns NULL and records a
// failure under the name in `function`.
cuc_graph *cuc__graph_new(cuc_context *context, const char *function);

// cuc__graph_check_own() refuses the body of a conditional node for an operation that needs a whole
// graph; `doing` is a participle such as "instantiated". cuc__graph_check_exists() refuses a graph
// that no longer exists.
cuc_status cuc__graph_check_own(const cuc_graph *graph, const char *doing, const char *function);
cuc_status cuc__graph_check_exists(const cuc_graph *graph, const char *function);

// Writes the reason why a graph no longer exists. Returns false if it exists.
bool cuc__graph_destroyed_reason(char *text, size_t size, const cuc_graph *graph);

// Returns the name of a kernel node's kernel, or NULL.
const char *cuc__node_kernel(CUgraphNode node);

// Lists the nodes of a driver's graph, in memory that the caller frees. On failure, returns NULL
// and sets `*code`.
CUgraphNode *cuc__graph_list(CUresult *code, size_t *count, CUgraph graph);

// Makes a public function fail if the argument is not a graph that still exists.
#define CUC_CHECK_GRAPH(graph)                                             \
    do {                                                                   \
        CUC_CHECK(graph, GRAPH);                                           \
        if (__builtin_expect(cuc__graph_check_exists(graph, __func__), 0)) \
            return CUC_ERROR_INVALID_ARGUMENT;                             \
    } while (0)

// Lists the nodes of a graph, in memory that the caller frees.
cuc_status cuc__graph_nodes(CUgraphNode **out, size_t *count, cuc_graph *graph,
                            const char *function);

// Describes a node, as in "node 3 (kernel saxpy)". Writes "a node" if nothing is known.
void cuc__node_describe(char *text, size_t size, const cuc_graph *graph, CUgraphNode node);

#endif
