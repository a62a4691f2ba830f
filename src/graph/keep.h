// Lists of objects that a capture uses, and that must live until the capture, its graph, and the
// graph's instances and launches are done with them. The driver counts these users, with a user
// object.
#ifndef CUCORE_GRAPH_KEEP_H
#define CUCORE_GRAPH_KEEP_H

#include "graph.h"

// A list of objects, each with the function that releases it.
struct cuc__keep;

// Adds an object, and creates the list if *keep is NULL. An object that is in the list already is
// not added again; `*taken` says if it was added. False without memory.
bool cuc__keep_add(struct cuc__keep **keep, void *thing, void (*drop)(void *thing), bool *taken);

// Moves the objects of one list to another and frees the first. False without memory; both are then
// unchanged.
bool cuc__keep_merge(struct cuc__keep **keep, struct cuc__keep *from);

// Releases all objects and frees the list; NULL is an empty list.
void cuc__keep_free(struct cuc__keep *keep);

// Ties the objects to a graph, which owns them unless this fails. NULL is an empty list.
cuc_status cuc__keep_attach(struct cuc__keep *keep, cuc_graph *graph, const char *function);

#endif
