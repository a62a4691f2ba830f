// The registry of captures begun by cuc_stream_begin_capture().
#ifndef CUCORE_GRAPH_CAPTURE_REGISTRY_H
#define CUCORE_GRAPH_CAPTURE_REGISTRY_H

#include "base/handle.h"

#include <stddef.h>

struct cuc__conditional;
struct cuc__conditionals;
struct cuc__keep;
struct cuc_graph;
struct cuc_object;
struct cuc_stream;

// Called before a launch while captures are active. `*captured` says if the stream is captured. If
// it is, the graph will hold a reference to the kernel's object, which is NULL for a foreign
// kernel.
cuc_status cuc__capture_keep(bool *captured, struct cuc_stream *stream, struct cuc_object *object,
                             const char *function);

// Called when a conditional node has been added to a stream's capture: the captured graph holds the
// node's bodies. It takes ownership of `node` (from malloc()) even if this fails.
cuc_status cuc__capture_bodies(struct cuc_graph *const *bodies, struct cuc__conditional *node,
                               const struct cuc_stream *stream, const char *function);

// Finds a conditional node of a graph or of graphs nested in it; NULL if there is none. The search
// begins after `*at`, the node found last, or NULL. Finding all nodes in the order of their
// addition thus takes linear time.
const struct cuc__conditional *cuc__capture_find_conditional(const struct cuc__conditional **at,
                                                             const struct cuc_graph *graph,
                                                             const void *node);

void cuc__conditionals_free(struct cuc__conditionals *list);

// Like cuc__keep_attach(), for a graph that may be the body of a conditional node: the outermost
// enclosing graph holds the references or, while that graph is being captured, its capture does.
cuc_status cuc__capture_attach_keep(struct cuc__keep *keep, struct cuc_graph *graph,
                                    const char *function);

#endif
