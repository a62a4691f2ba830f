// What is kept for others until they are done with it: of a capture, and then of its graph, its
// instances and their launches, which the driver counts with a user object.
#ifndef CUCORE_GRAPH_KEEP_H
#define CUCORE_GRAPH_KEEP_H

#include "graph.h"

// Things, each with what lets it go.
struct cuc__keep;

// Add one thing, making the list where it is NULL. One that is there already is not taken again.
// `*taken` says whether it was. False without memory.
bool cuc__keep_add(struct cuc__keep **keep, void *reference, void (*drop)(void *reference),
                   bool *taken);

// Put the things of one list into another, and let go of that. False without memory, with nothing
// done.
bool cuc__keep_merge(struct cuc__keep **keep, struct cuc__keep *from);

// Let everything go; NULL is nothing.
void cuc__keep_free(struct cuc__keep *keep);

// Tie them to a graph, which takes them over unless this fails. NULL is nothing to tie.
cuc_status cuc__keep_attach(struct cuc__keep *keep, cuc_graph *graph, const char *function);

#endif
