// Graphs: recorded work, instances, and the objects that both retain.
//
// capture.c turns work into nodes. graph.c answers queries and edits graphs. graph_exec.c
// instantiates, updates and launches them. graph_memory.c implements memory nodes and conditional.c
// conditional nodes. graph_dot.c draws graphs. user_object.c counts references to user objects.
#ifndef CUCORE_SIM_SHELL_GRAPH_H
#define CUCORE_SIM_SHELL_GRAPH_H

#include "shell.h"

// The references of a graph or an instance to a user object.
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
    struct graph **bodies; // an entry is NULL if a capture that ended badly has freed the body
    CUgraph *handles;      // the bodies' handles, which callers have received
};

// A node. A graph's list contains each node after its dependencies, so it is the order of
// execution. Nodes are created in this order. Adding an edge sorts them again.
struct node {
    struct object head;
    struct node *next;
    struct graph *graph;
    CUgraphNodeType type;
    size_t number; // index in its graph
    struct node **from;
    size_t from_count;
    uintptr_t original; // clones: the node of which this is a clone
    uintptr_t context;  // a handle, as are `kernel` and `event`
    int priority;
    uintptr_t kernel, event;
    void **parameters;         // kernels: created on request
    struct graph *child;       // child graph nodes: the graph
    struct branches *branches; // conditional nodes: the branches
    struct work work;          // OP_NOTHING: a launch creates the work, or the node has none
};

struct graph {
    struct object head;
    uint64_t id;
    struct node *first, **last;
    size_t count;
    struct user_ref *users;
    struct condition **conditions; // conditions with handles that were created for the graph
    size_t condition_count;
    bool child;           // belongs to a node, which alone may destroy it
    bool body;            // body of a conditional node: like `child`, but captures may add to it
    uint64_t root;        // id of the outermost graph that contains the body
    struct graph **place; // bodies: the pointer to this graph in the node
    bool conditional;     // contains a conditional node
    bool memory;          // has memory nodes
    int captures;         // captures that are adding nodes to it
    uintptr_t exec; // graphs with memory or conditional nodes: the only instance that they may have
};

// A node of an instance. Child graphs are flattened.
struct step {
    CUgraphNodeType type;
    uintptr_t node; // the node from which it was made
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
    int refs; // one for the handle, and one per launch in progress
    unsigned flags;
    struct steps steps;
    struct user_ref *users;
    struct user_ref *replaced; // references that updates have replaced during launches
    struct mark *end;          // end of the latest launch; NULL: never launched
};

// graph.c
struct graph *sim_graph_new(void);
// Creates a node that depends on `from`. Takes over the work's resources.
struct node *sim_node_new(struct graph *graph, CUgraphNodeType type, struct node *const *from,
                          size_t from_count, const struct work *work);
// Resolves handles to nodes. False if one of them is not in the graph.
bool sim_nodes_of(const struct graph *graph, const CUgraphNode *handles, size_t count,
                  struct node **out);

// Frees a graph, whoever owns it, as the driver does if a capture into the graph ends badly. If it
// is a body, its conditional node gets NULL in its place; the driver's node still refers to it.
void sim_graph_take(struct graph *graph);

// graph_exec.c
void sim_exec_drop(struct exec *exec);

void sim_steps_of(struct steps *steps, const struct graph *graph);
void sim_steps_free(struct steps *steps);

// conditional.c: returns the branches of a conditional node, with their bodies as steps. Work items
// and steps share the result.
struct branch *sim_branch_of(const struct node *node);
const struct steps *sim_branch_body(const struct branch *branch, unsigned index); // NULL: no more
bool sim_branches_alike(const struct branch *a, const struct branch *b);
void sim_branches_end(struct branches *branches);
void sim_condition_drop(struct condition *condition);
// Returns true if a condition was created for the graph but no node uses it.
bool sim_condition_unused(const struct graph *graph);
bool sim_body_takes(CUgraphNodeType type);

// user_object.c
void sim_users_add(struct user_ref **list, struct user_object *object, unsigned count);
void sim_users_copy(struct user_ref **list, const struct user_ref *from);
void sim_users_drop(struct user_ref **list);

#endif
