// Launches from Python, in functions that the interpreter calls directly.
#include <cucore/python.h>

#include <cucore/launch.h>

#include "driver/cpython.h"
#include "driver/toolkit.h"
#include "base/error.h"
#include "base/handle.h"
#include "object.h"

#include <math.h>

// Launches without the interpreter's lock, because a launch waits if the device's queue is full,
// perhaps for a Python function.
static cuc_status launch_unlocked(cuc_stream *stream, const cuc_launch_config *config,
                                  cuc_kernel *kernel, const cuc_arg *args, size_t arg_count)
{
    void *state = cuc__py.PyEval_SaveThread();
    cuc_status st = cuc_launch(stream, config, kernel, args, arg_count);

    cuc__py.PyEval_RestoreThread(state);
    return st;
}

static struct {
    void *launch, *failed, *plan, *h, *stream_h, *config, *address, *value;
} names; // as Python strings

static bool intern(void)
{
    void *(*text)(const char *) = cuc__py.PyUnicode_InternFromString;

    return names.launch ||
           ((names.failed = text("_failed")) && (names.plan = text("_plan")) &&
            (names.h = text("_h")) && (names.stream_h = text("_stream_h")) &&
            (names.config = text("_config")) && (names.address = text("_address")) &&
            (names.value = text("value")) && (names.launch = text("_launch")));
}

enum { FIXED = 3, ARGS = 64 }; // stream, config, kernel

// Int objects that free their handles when their last reference goes. The launch holds them,
// because another thread may close the handles meanwhile.
typedef struct numbers {
    void *objects[FIXED + ARGS];
    size_t count;
} numbers;

// Reads an attribute that is an address, and holds it. Returns NULL if it is not an address, or
// with an exception set.
static void *get_address(numbers *held, void *object, void *name)
{
    void *value = cuc__py.PyObject_GetAttr(object, name);

    if (!value)
        return NULL;
    held->objects[held->count++] = value;
    return cuc__py.PyLong_AsVoidPtr(value);
}

// ---- numbers ------------------------------------------------------------------------------------

// Stores a number if it fits its type. A number that does not fit goes to the slow path, because
// only the parameters of tile kernels tell signed from unsigned integers.
static bool pack_number(cuc_arg *out, void *number, cuc_dtype dtype)
{
    unsigned bits = cuc_dtype_bits(dtype);
    long long value;

    out->type = dtype;
    out->bytes = bits / 8;
    switch (dtype) {
    case CUC_F32:
    case CUC_F64: {
        double given = cuc__py.PyFloat_AsDouble(number);
        if (given == -1 && cuc__py.PyErr_Occurred())
            return false;
        if (dtype == CUC_F64) {
            out->value.f64 = given;
            return true;
        }
        out->value.f32 = (float)given;
        return !isinf(out->value.f32) || isinf(given);
    }
    case CUC_BOOL: {
        int is = cuc__py.PyObject_IsTrue(number);
        out->value.u64 = is > 0;
        return is >= 0;
    }
    default:
        value = cuc__py.PyLong_AsLongLong(number);
        if (value == -1 && cuc__py.PyErr_Occurred())
            return false;
        out->value.i64 = value;
        if (dtype >= CUC_U8 && dtype <= CUC_U64)
            return value >= 0 && (bits == 64 || value >> bits == 0);
        return bits == 64 || value >> (bits - 1) == 0 || value >> (bits - 1) == -1;
    }
}

static bool pack(cuc_arg *out, numbers *held, const cuc_python_argument *want, void *value)
{
    if (cuc__py_type(value) != want->type)
        return false;
    switch (want->how) {
    case CUC_PYTHON_BUFFER:
        out->type = CUC_ARG_BUFFER;
        out->bytes = 8;
        return (out->value.pointer = get_address(held, value, names.h)) != NULL;
    case CUC_PYTHON_TENSOR:
        out->type = CUC_ARG_TENSOR;
        out->bytes = 8;
        return (out->value.pointer = get_address(held, value, names.address)) != NULL;
    case CUC_PYTHON_NUMBER:
        return pack_number(out, value, want->dtype);
    default: {
        void *number = cuc__py.PyObject_GetAttr(value, names.value);
        bool good = number && pack_number(out, number, want->dtype);
        if (number)
            cuc__py.Py_DecRef(number);
        return good;
    }
    }
}

// ---- launching by a plan ------------------------------------------------------------------------

static bool launch_by_plan(numbers *held, void *const *given, intptr_t count)
{
    cuc_arg args[ARGS];
    void *config = NULL;

    const cuc_python_plan *plan = get_address(held, given[2], names.plan);
    if (!plan || (size_t)(count - FIXED) != plan->count)
        return false;
    void *stream = get_address(held, given[0], names.stream_h);
    if (!stream)
        return false;
    if (cuc__py_type(given[1]) == cuc__python.classes[CUC__PYTHON_LAUNCH_CONFIG])
        config = &((struct cuc__config_object *)cuc__python_fields(given[1]))->config;
    else if (given[1] != cuc__py.none && !(config = get_address(held, given[1], names.config)))
        return false;
    for (size_t i = 0; i < plan->count; i++)
        if (!pack(&args[i], held, &plan->arguments[i], given[FIXED + i]))
            return false;
    return launch_unlocked(stream, config, plan->kernel, args, plan->count) == CUC_OK;
}

static void *launch(void *slowly, void *const *given, intptr_t count)
{
    numbers held;

    held.count = 0;
    bool good = count >= FIXED && launch_by_plan(&held, given, count);
    if (!good)
        cuc__py.PyErr_Clear(); // before the releases below, which may call Python
    while (held.count)
        cuc__py.Py_DecRef(held.objects[--held.count]);
    if (good) {
        cuc__py.Py_IncRef(cuc__py.none);
        return cuc__py.none;
    }
    void *all = cuc__py.PyTuple_New(count);
    for (intptr_t i = 0; all && i < count; i++) {
        cuc__py.Py_IncRef(given[i]);
        cuc__py.PyTuple_SetItem(all, i, given[i]);
    }
    void *result = all ? cuc__py.PyObject_CallObject(slowly, all) : NULL;
    if (all)
        cuc__py.Py_DecRef(all);
    return result;
}

// ---- prepared launches --------------------------------------------------------------------------

static void *call(void *self, void *nothing)
{
    (void)nothing;
    // Hold the arguments during the launch, because another thread may replace them.
    void *held = cuc__py.PyObject_GetAttr(self, names.launch);
    void *first = held ? cuc__py.PyTuple_GetItem(held, 0) : NULL; // borrowed
    const cuc_python_launch *given = first ? cuc__py.PyLong_AsVoidPtr(first) : NULL;
    bool good = given && launch_unlocked(*(cuc_stream *const *)given->stream, given->config,
                                         *(cuc_kernel *const *)given->kernel, given->args,
                                         given->arg_count) >= 0;
    if (held)
        cuc__py.Py_DecRef(held);
    if (!given)
        return NULL;
    if (!good)
        return cuc__py_raise(self, names.failed);
    cuc__py.Py_IncRef(cuc__py.none);
    return cuc__py.none;
}

// Launches with keyword arguments, which the slow path sorts by its own parameters.
static void *launch_named(void *slowly, void *const *given, intptr_t count, void *keywords)
{
    if (!keywords)
        return launch(slowly, given, count);
    void *all = cuc__py.PyTuple_New(count), *named = cuc__py.PyDict_New(), *result = NULL;
    bool good = all && named;
    for (intptr_t i = 0; good && i < count; i++) {
        cuc__py.Py_IncRef(given[i]);
        good = cuc__py.PyTuple_SetItem(all, i, given[i]) == 0;
    }
    for (intptr_t i = 0, n = cuc__py.PyTuple_Size(keywords); good && i < n; i++)
        good = cuc__py.PyDict_SetItem(named, cuc__py.PyTuple_GetItem(keywords, i),
                                      given[count + i]) == 0;
    if (good)
        result = cuc__py.PyObject_Call(slowly, all, named);
    if (all)
        cuc__py.Py_DecRef(all);
    if (named)
        cuc__py.Py_DecRef(named);
    return result;
}

static cuc__py_method launching = {
    "launch", (void (*)(void))launch_named, PY_METH_FASTCALL | PY_METH_KEYWORDS,
    "launch(stream, config, kernel, *args)\n--\n\n"
    "Launch a kernel in a stream's order.\n\n"
    "Arguments are buffers, tensors and other libraries' arrays "
    "(their address, or all of them for a\ntile kernel), NumPy and "
    "ctypes scalars as they are, ctypes structs, and Python numbers, "
    "which\ntake the size that the kernel declares."
};
static cuc__py_method calling = { "__call__", (void (*)(void))call, PY_METH_NOARGS,
                                  "Launch what was prepared." };

cuc_status cuc_python_get_launch(void **out, void *slowly)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(slowly);
    cuc_status st = cuc__py_find(__func__);
    if (st < 0)
        return st;
    void *made = intern() ? cuc__py.PyCFunction_NewEx(&launching, slowly, NULL) : NULL;
    if (!made)
        return CUC_FAIL(CUC_ERROR_INTERNAL, "CPython could not make a function");
    *out = made;
    return CUC_OK;
}

cuc_status cuc_python_add_call(void *type)
{
    CUC_CHECK_NOT_NULL(type);
    cuc_status st = cuc__py_find(__func__);
    if (st < 0)
        return st;
    if (!intern() || !cuc__py_add_method(type, &calling, false))
        return CUC_FAIL(CUC_ERROR_INTERNAL, "CPython could not add a method to a class");
    return CUC_OK;
}
