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

// Called before a launch while captures are active. If the stream is in one (`*captured`), its
// graph keeps the kernel's object. The object of a foreign kernel is NULL.
cuc_status cuc__capture_keep(bool *captured, struct cuc_stream *stream, struct cuc_object *object,
                             const char *function);

// Registers a conditional node that was added to a stream's capture: the graph retains its bodies.
// Takes ownership of `node`, from malloc(), even on failure.
cuc_status cuc__capture_bodies(struct cuc_graph *const *bodies, struct cuc__conditional *node,
                               const struct cuc_stream *stream, const char *function);

// Finds a conditional node of a graph or of its bodies; NULL if there is none. The search starts
// after `*at`, the last one found or NULL, so finding all nodes in the order of their addition
// takes linear time.
const struct cuc__conditional *cuc__capture_find_conditional(const struct cuc__conditional **at,
                                                             const struct cuc_graph *graph,
                                                             const void *node);

void cuc__conditionals_free(struct cuc__conditionals *list);

// Like cuc__keep_attach(), for a graph that may be a body of a conditional node: the references go
// to the enclosing graph, or to its capture while that is active.
cuc_status cuc__capture_attach_keep(struct cuc__keep *keep, struct cuc_graph *graph,
                                    const char *function);

#endif
