// Slots of the base types, for operations that the interpreter calls without looking up a method.
//
// A class defines them in Python. Once its methods are added, these definitions are removed, so
// that it inherits the slots, which call the definitions for uncommon cases.
#ifndef CUCORE_PYTHON_SLOTS_H
#define CUCORE_PYTHON_SLOTS_H

#include "object.h"

enum { CUC__PYTHON_MAX_SLOTS = 4 };

// Adds the slots of a base type; returns their number.
size_t cuc__python_slots_of(cuc__py_slot slots[CUC__PYTHON_MAX_SLOTS], const char *base);

// Makes a class inherit the slots of its base; false with an exception.
bool cuc__python_inherit_slots(void *type, const char *name);

#endif
