// Slots of the base types: for what the interpreter calls without looking a method up.
//
// A class defines them in Python. Once it has its methods, those definitions are taken out of it,
// so that it inherits the slots, which call them for what is not common.
#ifndef CUCORE_PYTHON_SLOTS_H
#define CUCORE_PYTHON_SLOTS_H

#include "object.h"

enum { CUC__PYTHON_MAX_SLOTS = 4 };

// Add the slots of a base type; gives how many there are.
size_t cuc__python_slots_of(cuc__py_slot slots[CUC__PYTHON_MAX_SLOTS], const char *base);

// Let a class inherit the slots of its base; false with an exception.
bool cuc__python_inherit_slots(void *type, const char *name);

#endif
