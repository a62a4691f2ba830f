// Names of kernels and graphs. Equal names share one copy, so that launch rings can hold and
// compare pointers. Whoever interns a name owns it until it is released.
//
// Launch rings hold names without owning them, since a launch takes no lock and changes no count.
// So a name without owners is dead, but not freed at once. No launch can write a dead name into a
// ring, since no kernel or graph has the name any more. When enough names are dead, those that no
// ring holds are freed. cuc__ring_list() reads a ring's names under the same lock.
#ifndef CUCORE_DEVICE_INTERN_H
#define CUCORE_DEVICE_INTERN_H

#include <stddef.h>

struct cuc__launch_ring;

enum {
    CUC__INTERN_DEAD = 64, // number of names that die between two sweeps
};

// Returns a copy of a name, owned by the caller. NULL without memory; a name that already has an
// owner needs none.
const char *cuc__intern(const char *text);

// Gives up one ownership. NULL is allowed.
void cuc__intern_release(const char *name);

// Rings whose names are not freed. A ring is added before its first launch and removed after its
// last.
void cuc__intern_add_ring(struct cuc__launch_ring *ring);
void cuc__intern_remove_ring(const struct cuc__launch_ring *ring);

// Between these calls no name is freed.
void cuc__intern_lock(void);
void cuc__intern_unlock(void);

// Number of names, dead ones included.
size_t cuc__intern_count(void);

#endif
