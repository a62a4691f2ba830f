// The registry of captures that cuc_stream_begin_capture() began.
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

// Called before a launch while captures are active. `*captured` tells whether the stream is
// captured. If it is, the graph will hold a reference to `object`, the kernel's object, which is
// NULL for a foreign kernel.
cuc_status cuc__capture_keep(bool *captured, struct cuc_stream *stream, struct cuc_object *object,
                             const char *function);

// Called after a conditional node was added to a stream's capture. The captured graph holds the
// node's bodies. Takes ownership of `node`, which comes from malloc(), even if this fails.
cuc_status cuc__capture_bodies(struct cuc_graph *const *bodies, struct cuc__conditional *node,
                               const struct cuc_stream *stream, const char *function);

// Finds a conditional node of a graph or of a graph nested in it. Returns NULL if there is none.
// The search begins after `*at`, the node found last, or at the start if that is NULL. Finding all
// nodes in the order of their addition therefore takes linear time.
const struct cuc__conditional *cuc__capture_find_conditional(const struct cuc__conditional **at,
                                                             const struct cuc_graph *graph,
                                                             const void *node);

void cuc__conditionals_free(struct cuc__conditionals *list);

// Works like cuc__keep_attach() for a graph that may be the body of a conditional node. The
// outermost enclosing graph holds the references; while it is being captured, its capture does.
cuc_status cuc__capture_attach_keep(struct cuc__keep *keep, struct cuc_graph *graph,
                                    const char *function);

#endif
