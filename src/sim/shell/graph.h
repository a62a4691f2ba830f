// Graphs: recorded work, instances, and the objects that both retain.
//
// capture.c turns work into nodes; graph.c answers queries and edits graphs; graph_exec.c
// instantiates, updates and launches; graph_memory.c implements memory nodes; graph_dot.c draws
// graphs; conditional.c implements conditional nodes; user_object.c counts references to user
// objects.
#ifndef CUCORE_SIM_SHELL_GRAPH_H
#define CUCORE_SIM_SHELL_GRAPH_H

#include "shell.h"

// References to a user object, from a graph or an instance.
struct user_ref {
    struct user_ref *next;
    struct user_object *object;
    unsigned count;
};

// The condition and bodies of a conditional node.
struct condition;
struct branches {
    CUgraphConditionalNodeType type;
    struct condition *condition;
    unsigned count;
    struct graph **bodies; // NULL: freed by a capture that ended badly
    CUgraph *handles;      // their handles, as returned to a caller
};

// A node. The list has every node after its dependencies, so it is the order of execution. Nodes
// are created in this order, and adding an edge re-sorts them.
struct node {
    struct object head;
    struct node *next;
    struct graph *graph;
    CUgraphNodeType type;
    size_t number; // index in its graph
    struct node **from;
    size_t from_count;
    uintptr_t original; // clones: the node it was cloned from
    uintptr_t context;  // a handle, like all members below
    int priority;
    uintptr_t kernel, event;
    void **parameters;         // kernels: built on request
    struct graph *child;       // the graph of a child graph node
    struct branches *branches; // branches of a conditional node
    struct work work;          // OP_NOTHING if a launch creates the work, or there is none
};

struct graph {
    struct object head;
    uint64_t id;
    struct node *first, **last;
    size_t count;
    struct user_ref *users;
    struct condition **conditions; // conditions whose handles were created for it
    size_t condition_count;
    bool child;           // belongs to a node, and nobody else may destroy it
    bool body;            // body of a conditional node: as `child`, but captures may add to it
    uint64_t root;        // id of the graph that contains the body, or the outermost one
    struct graph **place; // bodies: their place in the node
    bool conditional;     // contains a conditional node
    bool memory;          // has memory nodes
    int captures;         // captures adding nodes to it
    uintptr_t exec;       // the single instance permitted for a graph with memory nodes
};

// One node of an instance; child graphs are flattened.
struct step {
    CUgraphNodeType type;
    uintptr_t node; // node it was made from
    uintptr_t context, kernel, event;
    int priority;
    bool disabled;            // launches skip it
    size_t *from, from_count; // indices of steps
    struct work work;
};

struct steps {
    struct step *first;
    size_t count, capacity;
};

struct exec {
    struct object head;
    int refs; // one for the handle, and one for each launch in progress
    unsigned flags;
    struct steps steps;
    struct user_ref *users;
    struct user_ref *replaced; // references replaced by updates during launches
    struct mark *end;          // end of the latest launch; NULL: none
};

// graph.c
struct graph *sim_graph_new(void);
// Creates a node that depends on `from` and takes over the work's resources.
struct node *sim_node_new(struct graph *graph, CUgraphNodeType type, struct node *const *from,
                          size_t from_count, const struct work *work);
// Resolves handles to nodes; false if one is not in the graph.
bool sim_nodes_of(const struct graph *graph, const CUgraphNode *handles, size_t count,
                  struct node **out);

// Frees a graph regardless of its owner, as the driver does when a capture into it ends badly. A
// conditional node still points to a freed body.
void sim_graph_take(struct graph *graph);

// graph_exec.c
void sim_exec_drop(struct exec *exec);

void sim_steps_of(struct steps *steps, const struct graph *graph);
void sim_steps_free(struct steps *steps);

// conditional.c: a conditional node's branches as steps, which work and steps share.
struct branch *sim_branch_of(const struct node *node);
const struct steps *sim_branch_body(const struct branch *branch, unsigned index); // NULL: no more
bool sim_branches_alike(const struct branch *a, const struct branch *b);
void sim_branches_end(struct branches *branches);
void sim_condition_drop(struct condition *condition);
bool sim_condition_unused(const struct graph *graph); // a condition was created for it, but no node
                                                      // uses it
bool sim_body_takes(CUgraphNodeType type);

// user_object.c
void sim_users_add(struct user_ref **list, struct user_object *object, unsigned count);
void sim_users_copy(struct user_ref **list, const struct user_ref *from);
void sim_users_drop(struct user_ref **list);

#endif
