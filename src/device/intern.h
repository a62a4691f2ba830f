// Names of kernels and graphs. Equal names share one copy, so that launch rings can hold and
// compare pointers. Whoever interns a name owns it until it releases it.
//
// Launch rings hold names without owning them, as a launch takes no lock and touches no count. A
// name without owners is therefore dead but not freed. No launch can write a dead name into a ring,
// since no kernel or graph has it any more; so when enough names are dead, those that no ring holds
// are freed. cuc__ring_list() reads the names in a ring under the same lock.
#ifndef CUCORE_DEVICE_INTERN_H
#define CUCORE_DEVICE_INTERN_H

#include <stddef.h>

struct cuc__launch_ring;

enum {
    CUC__INTERN_DEAD = 64, // so many names die between two sweeps
};

// A copy of a name, owned by the caller. NULL without memory; a name that has an owner takes none.
const char *cuc__intern(const char *text);

// Give up one ownership. NULL is allowed.
void cuc__intern_release(const char *name);

// Rings whose names are kept. A ring is added before its first launch and removed after its last.
void cuc__intern_add_ring(struct cuc__launch_ring *ring);
void cuc__intern_remove_ring(const struct cuc__launch_ring *ring);

// No name is freed in between.
void cuc__intern_lock(void);
void cuc__intern_unlock(void);

// Number of names, dead ones included.
size_t cuc__intern_count(void);

#endif
