// Names of kernels and graphs. Equal names share one copy, so that launch rings can hold and
// compare pointers. The code that interns a name owns it until it releases it.
//
// Launch rings hold names without owning them, because a launch takes no lock and changes no
// reference count. So a name without owners is dead, but not freed at once. No launch can write a
// dead name into a ring, since no kernel or graph has that name any more. When enough names are
// dead, those that no ring holds are freed. cuc__ring_list() reads a ring's names under the same
// lock.
#ifndef CUCORE_DEVICE_INTERN_H
#define CUCORE_DEVICE_INTERN_H

#include <stddef.h>

struct cuc__launch_ring;

enum {
    CUC__INTERN_DEAD = 64, // number of names that must die before the next sweep
};

// Returns a copy of a name, owned by the caller. NULL if out of memory, which cannot happen for a
// name that already has an owner.
const char *cuc__intern(const char *text);

// Gives up one ownership. NULL is allowed.
void cuc__intern_release(const char *name);

// Adds a ring, whose names are then not freed, before its first launch; removes it after its last.
void cuc__intern_add_ring(struct cuc__launch_ring *ring);
void cuc__intern_remove_ring(const struct cuc__launch_ring *ring);

// No name is freed between these two calls.
void cuc__intern_lock(void);
void cuc__intern_unlock(void);

// Number of names, dead ones included.
size_t cuc__intern_count(void);

#endif
