// Captures that cuc_stream_begin_capture() began.
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

// Before a launch while captures go on: where the stream is in one, as `*captured` says, its graph
// keeps the kernel's object. NULL is the object of a foreign kernel.
cuc_status cuc__capture_keep(bool *captured, struct cuc_stream *stream, struct cuc_object *object,
                             const char *function);

// A conditional node that was added to what a stream captures: the graph holds its bodies, and
// takes `node`, from malloc(), over in any case.
cuc_status cuc__capture_bodies(struct cuc_graph *const *bodies, struct cuc__conditional *node,
                               const struct cuc_stream *stream, const char *function);

// A conditional node of a graph or within it, or NULL. The search begins behind `*at`, the one
// found last or NULL, which makes a search for each in the order they were added in linear.
const struct cuc__conditional *cuc__capture_find_conditional(const struct cuc__conditional **at,
                                                             const struct cuc_graph *graph,
                                                             const void *node);

void cuc__conditionals_free(struct cuc__conditionals *list);

// As cuc__keep_attach(), where the graph may be such a body: what it keeps is kept by the graph
// that it is a part of, or for that, while it is being captured.
cuc_status cuc__capture_attach_keep(struct cuc__keep *keep, struct cuc_graph *graph,
                                    const char *function);

#endif
