// Lists of the objects that a capture uses. The objects must live until the capture, its graph, and
// the graph's instances and launches no longer need them. The driver counts these users through a
// user object.
#ifndef CUCORE_GRAPH_KEEP_H
#define CUCORE_GRAPH_KEEP_H

#include "graph.h"

// A list of references, each with its release function.
struct cuc__keep;

// Adds a reference, and creates the list if it is NULL. Does not add an object twice; `*taken`
// tells whether it was added. Returns false if out of memory.
bool cuc__keep_add(struct cuc__keep **keep, void *reference, void (*drop)(void *reference),
                   bool *taken);

// Moves the references of `from` into `*keep` and frees `from`. Returns false if out of memory,
// with both lists unchanged.
bool cuc__keep_merge(struct cuc__keep **keep, struct cuc__keep *from);

// Releases all references and the list. NULL does nothing.
void cuc__keep_free(struct cuc__keep *keep);

// Attaches the list to a graph, which takes ownership unless this fails. NULL does nothing.
cuc_status cuc__keep_attach(struct cuc__keep *keep, cuc_graph *graph, const char *function);

#endif
