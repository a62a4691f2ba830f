// CPython, where the process hosts one: `cuc__py.PyCapsule_New(...)`, once cuc__py_find() said yes.
#ifndef CUCORE_SRC_DRIVER_CPYTHON_H
#define CUCORE_SRC_DRIVER_CPYTHON_H

#include <cucore/base.h>

#include <stdbool.h>
#include <stdint.h>

// PyMethodDef, and the flags of it.
typedef struct cuc__py_method {
    const char *name;
    void (*function)(void);
    int flags;
    const char *doc;
} cuc__py_method;

enum { PY_METH_KEYWORDS = 0x2, PY_METH_NOARGS = 0x4, PY_METH_O = 0x8, PY_METH_FASTCALL = 0x80 };

struct cuc__py_table {
#define PY(result, name, params) result(*name) params;
#include "cpython.def"
#undef PY
    void *none, *no; // None, False
    void *TypeError, *ValueError;
};

extern struct cuc__py_table cuc__py;

// Find them all, once.
cuc_status cuc__py_find(const char *function);

// Let a method without arguments raise an exception; NULL.
void *cuc__py_raise(void *object, void *method);

// Set a method of a class; false with an exception. The description is kept.
bool cuc__py_add_method(void *type, cuc__py_method *method, bool of_class);

#endif
