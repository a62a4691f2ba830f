// Calls for the rows of methods.def, and the objects that they return.
#ifndef CUCORE_PYTHON_RESULT_H
#define CUCORE_PYTHON_RESULT_H

#include "method.h"

#include <limits.h>

// A result that means "call the Python definition". It is neither an object nor an exception.
#define slowly ((void *)&cuc__python)

static inline void *failed(const struct cuc__python_call *c)
{
    return cuc__python_failed(c->self, c->method);
}

// Creates an int. CPython does this fastest from a C long.
static inline void *integer(int64_t value)
{
    return value >= LONG_MIN && value <= LONG_MAX ? cuc__py.PyLong_FromLong((long)value)
                                                  : cuc__py.PyLong_FromLongLong(value);
}

static inline void *number(uint64_t value)
{
    return value <= LONG_MAX ? cuc__py.PyLong_FromLong((long)value)
                             : cuc__py.PyLong_FromUnsignedLongLong(value);
}

static inline void *address(const void *value)
{
    return number((uintptr_t)value);
}

static inline void *boolean(uint32_t value)
{
    return cuc__py_new(value ? cuc__py.yes : cuc__py.no);
}

static inline void *extents(const int64_t *values, int32_t rank)
{
    void *made = cuc__py.PyTuple_New(rank);

    for (int32_t i = 0; made && i < rank; i++) {
        void *each = integer(values[i]);
        if (!each || cuc__py.PyTuple_SetItem(made, i, each) != 0) { // takes the reference
            cuc__py.Py_DecRef(made);
            return NULL;
        }
    }
    return made;
}

static inline void *pair(int64_t first, int64_t second)
{
    const int64_t both[] = { first, second };

    return extents(both, 2);
}

static inline void *none(void)
{
    return cuc__py_new(cuc__py.none);
}

static inline void *nothing(const struct cuc__python_call *c, cuc_status st)
{
    return st < 0 ? failed(c) : none();
}

static inline void *is_ok(const struct cuc__python_call *c, cuc_status st)
{
    return st < 0 ? failed(c) : boolean(st == CUC_OK);
}

// Returns the result of a wait. After a wait, host memory that copies used may be freed.
static inline void *waited(const struct cuc__python_call *c, cuc_status st)
{
    if (st < 0)
        return failed(c);
    if (cuc__py.PyObject_IsTrue(cuc__python.held) <= 0)
        return none();
    return cuc__py.PyObject_CallFunctionObjArgs(cuc__python.prune, NULL);
}

// Runs the releases that were deferred because CUDA could not be called.
static inline void release_deferred(void)
{
    if (cuc__py.PyObject_IsTrue(cuc__python.left) <= 0)
        return;
    void *done = cuc__py.PyObject_CallFunctionObjArgs(cuc__python.release_left, NULL);
    if (!done)
        cuc__py.PyErr_Clear();
    cuc__py_drop(done);
}

#endif
