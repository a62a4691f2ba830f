// Interned names of kernels and graphs. Equal names share one copy, so that launch rings can hold
// and compare pointers. The code that interns a name owns it until it releases it.
//
// Launch rings hold names without owning them, because a launch takes no lock and changes no
// reference count. A name without owners is therefore dead, but not freed at once. No launch can
// write a dead name into a ring, because no kernel or graph has that name any more. When enough
// names are dead, a sweep frees those that no ring holds. cuc__ring_list() reads a ring's names
// under the same lock.
#ifndef CUCORE_DEVICE_INTERN_H
#define CUCORE_DEVICE_INTERN_H

#include <stddef.h>

struct cuc__launch_ring;

enum {
    CUC__INTERN_DEAD = 64, // number of dead names that triggers a sweep
};

// Returns a copy of a name; the caller owns one reference to it. Returns NULL if out of memory,
// which cannot happen for a name that already has an owner.
const char *cuc__intern(const char *text);

// Drops one owner of a name. NULL is allowed.
void cuc__intern_release(const char *name);

// cuc__intern_add_ring() protects the names in a ring from being freed; call it before the ring's
// first launch. Call cuc__intern_remove_ring() after its last.
void cuc__intern_add_ring(struct cuc__launch_ring *ring);
void cuc__intern_remove_ring(const struct cuc__launch_ring *ring);

// No thread frees a name between these two calls.
void cuc__intern_lock(void);
void cuc__intern_unlock(void);

// Returns the number of names, including dead ones.
size_t cuc__intern_count(void);

#endif
