// The base types' slots, for operations that the interpreter calls without looking up a method.
//
// A class defines these operations in Python. When it gets its native methods, these definitions
// are removed, so that the class inherits the slots. The slots call the definitions in uncommon
// cases.
#ifndef CUCORE_PYTHON_SLOTS_H
#define CUCORE_PYTHON_SLOTS_H

#include "object.h"

enum { CUC__PYTHON_MAX_SLOTS = 4 };

// Adds the slots of a base type. Returns their number.
size_t cuc__python_slots_of(cuc__py_slot slots[CUC__PYTHON_MAX_SLOTS], const char *base);

// Makes a class inherit the slots of its base. Returns false with an exception set.
bool cuc__python_inherit_slots(void *type, const char *name);

#endif
