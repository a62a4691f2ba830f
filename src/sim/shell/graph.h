// Graphs: what captures collect, what is instantiated of it, and what both keep.
//
// capture.c turns work into nodes; graph.c is what can be asked of a graph; graph_exec.c
// instantiates, updates and launches; graph_memory.c has the memory that graphs allocate;
// graph_dot.c draws; conditional.c has the nodes that decide; user_object.c counts what graphs keep
// for their users.
#ifndef CUCORE_SIM_SHELL_GRAPH_H
#define CUCORE_SIM_SHELL_GRAPH_H

#include "shell.h"

// References on a user object, by a graph or by what was instantiated of one.
struct user_ref {
    struct user_ref *next;
    struct user_object *object;
    unsigned count;
};

// What a conditional node decides by and between.
struct condition;
struct branches {
    CUgraphConditionalNodeType type;
    struct condition *condition;
    unsigned count;
    struct graph **bodies; // NULL: freed by a capture that ended badly
    CUgraph *handles;      // of these, as a caller was told of them
};

// Nodes are listed after all that they depend on, which is the order to run them in: they are made
// so, and listed anew where an edge is added.
struct node {
    struct object head;
    struct node *next;
    struct graph *graph;
    CUgraphNodeType type;
    size_t number; // in its graph
    struct node **from;
    size_t from_count;
    uintptr_t original; // of a clone
    uintptr_t context;  // by handle, as all below
    int priority;
    uintptr_t kernel, event;
    void **parameters;         // of a kernel, made when asked for
    struct graph *child;       // a child graph node's own
    struct branches *branches; // a conditional node's own
    struct work work;          // OP_NOTHING where launching makes it up, or nothing happens
};

struct graph {
    struct object head;
    uint64_t id;
    struct node *first, **last;
    size_t count;
    struct user_ref *users;
    struct condition **conditions; // whose handles were made for it
    size_t condition_count;
    bool child;           // of a node, and not to be destroyed by anyone else
    bool body;            // of a conditional node: the same, and captures may add to it
    uint64_t root;        // id of the graph that has the body, or the one it is in
    struct graph **place; // of a body, in its node
    bool conditional;     // it has such a node
    bool memory;          // it allocates or frees
    int captures;         // that put nodes into it
    uintptr_t exec;       // the one instance that there may be of one with memory
};

// One node of an instance, child graphs taken apart.
struct step {
    CUgraphNodeType type;
    uintptr_t node; // the one it was made of
    uintptr_t context, kernel, event;
    int priority;
    bool disabled;            // launches pass over it
    size_t *from, from_count; // steps
    struct work work;
};

struct steps {
    struct step *first;
    size_t count, room;
};

struct exec {
    struct object head;
    int refs; // its handle's, and one for each launch that has not ended
    unsigned flags;
    struct steps steps;
    struct user_ref *users;
    struct user_ref *replaced; // by updates, while launches run
    struct mark *end;          // of the latest launch; NULL before
};

// graph.c
struct graph *sim_graph_new(void);
// A node that depends on `from`; the work's resources become the node's.
struct node *sim_node_new(struct graph *graph, CUgraphNodeType type, struct node *const *from,
                          size_t from_count, const struct work *work);
// Nodes by their handles; false for one that is not of the graph.
bool sim_nodes_of(const struct graph *graph, const CUgraphNode *handles, size_t count,
                  struct node **out);

// As a capture that ends badly does: freed, whoever it is of. The node of a body still has it.
void sim_graph_take(struct graph *graph);

// graph_exec.c
void sim_exec_drop(struct exec *exec);

void sim_steps_of(struct steps *steps, const struct graph *graph);
void sim_steps_free(struct steps *steps);

// conditional.c
// A conditional node's branches as steps; work and steps share it.
struct branch *sim_branch_of(const struct node *node);
const struct steps *sim_branch_body(const struct branch *branch, unsigned index); // NULL: no more
bool sim_branches_alike(const struct branch *a, const struct branch *b);
void sim_branches_end(struct branches *branches);
void sim_condition_drop(struct condition *condition);
bool sim_condition_unused(const struct graph *graph); // one was made for it that no node has
bool sim_body_takes(CUgraphNodeType type);

// user_object.c
void sim_users_add(struct user_ref **list, struct user_object *object, unsigned count);
void sim_users_copy(struct user_ref **list, const struct user_ref *from);
void sim_users_drop(struct user_ref **list);

#endif
