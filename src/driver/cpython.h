// CPython's functions, for a process that hosts an interpreter. Call them as
// `cuc__py.PyCapsule_New(...)` after cuc__py_find() has succeeded.
#ifndef CUCORE_DRIVER_CPYTHON_H
#define CUCORE_DRIVER_CPYTHON_H

#include <cucore/base.h>

#include <stdbool.h>
#include <stdint.h>

// CPython's PyMethodDef and its flags.
typedef struct cuc__py_method {
    const char *name;
    void (*function)(void);
    int flags;
    const char *doc;
} cuc__py_method;

// PyGetSetDef.
typedef struct cuc__py_getset {
    const char *name;
    void *(*get)(void *self, void *closure);
    int (*set)(void *self, void *value, void *closure);
    const char *doc;
    void *closure;
} cuc__py_getset;

// CPython's PyMemberDef, and the types of a field that holds an object. A NULL field reads as None
// with the first type and as a missing attribute with the second. The interpreter reads such a
// field without a call.
typedef struct cuc__py_member {
    const char *name;
    int type;
    intptr_t offset;
    int flags;
    const char *doc;
} cuc__py_member;

enum { PY_T_OBJECT = 6, PY_T_OBJECT_EX = 16, PY_T_SSIZE = 19, PY_READ_ONLY = 1 };

// visitproc.
typedef int (*cuc__py_visit)(void *object, void *argument);

// PyType_Slot and PyType_Spec.
typedef struct cuc__py_slot {
    int slot;
    void *function;
} cuc__py_slot;

typedef struct cuc__py_spec {
    const char *name;
    int basic_bytes, item_bytes;
    unsigned flags;
    cuc__py_slot *slots;
} cuc__py_spec;

enum {
    PY_NB_SUBTRACT = 36,
    PY_TP_BASE = 48,
    PY_TP_CLEAR = 51,
    PY_TP_DEALLOC = 52,
    PY_TP_HASH = 59,
    PY_TP_INIT = 60,
    PY_TP_NEW = 65,
    PY_TP_RICHCOMPARE = 67,
    PY_TP_TRAVERSE = 71,
    PY_TP_MEMBERS = 72,
    PY_TP_GETSET = 73,
    PY_TP_FREE = 74,
    PY_FLAG_BASE = 1 << 10,    // Py_TPFLAGS_BASETYPE
    PY_FLAG_GC = 1 << 14,      // Py_TPFLAGS_HAVE_GC
    PY_FLAG_VERSION = 1 << 18, // Py_TPFLAGS_HAVE_VERSION_TAG
};

enum { PY_METH_KEYWORDS = 0x2, PY_METH_NOARGS = 0x4, PY_METH_O = 0x8, PY_METH_FASTCALL = 0x80 };

struct cuc__py_table {
#define PY(result, name, params) result(*name) params;
#include "cpython.def"
#undef PY
    void *none, *no, *yes, *not_implemented; // None, False, True, NotImplemented
    void *TypeError, *ValueError, *RuntimeError, *NotImplementedError;
    void *int_type, *bytes_type, *text_type, *tuple_type, *dict_type;
    size_t head_bytes; // the size of an object before the fields that its type adds
    size_t type_at;    // the offset of the pointer to the type
    size_t count_at;   // the offset of the reference count
    bool has_count;    // true if incrementing that count adds a reference
};

extern struct cuc__py_table cuc__py;

// Finds all functions on its first call.
cuc_status cuc__py_find(const char *function);

// Returns an object's type, borrowed.
static inline void *cuc__py_type(const void *object)
{
    return *(void *const *)(const void *)((const char *)object + cuc__py.type_at);
}

// Takes a new reference by calling CPython's function.
void *cuc__py_new_by_call(void *object);

// Takes a new reference, to return or to keep. Extensions built for the stable ABI of Python 3.11
// and older also increment the count directly, so every later interpreter must allow it.
static inline void *cuc__py_new(void *object)
{
    if (__builtin_expect(!cuc__py.has_count, 0))
        return cuc__py_new_by_call(object);
    ++*(intptr_t *)(void *)((char *)object + cuc__py.count_at);
    return object;
}

static inline void cuc__py_drop(void *object)
{
    if (object)
        cuc__py.Py_DecRef(object);
}

// Raises an exception by calling a method without arguments. Returns NULL.
void *cuc__py_raise(void *object, void *method);

// Adds a method to a class. Returns false with an exception set. `method` must stay valid.
bool cuc__py_add_method(void *type, cuc__py_method *method, bool of_class);

#endif
