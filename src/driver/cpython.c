#include "cpython.h"

#include "base/array.h"
#include "base/error.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct cuc__py_table cuc__py;

static const struct {
    const char *name;
    size_t slot;
} functions[] = {
#define PY(result, name, params) { #name, offsetof(struct cuc__py_table, name) },
#include "cpython.def"
#undef PY
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool found;

// Finds the interpreter's object layout, which differs between builds of CPython.
static bool find_layout(void)
{
    void *object_type = dlsym(RTLD_DEFAULT, "PyBaseObject_Type");
    void *name = cuc__py.PyUnicode_InternFromString("__basicsize__");
    void *bytes = object_type && name ? cuc__py.PyObject_GetAttr(object_type, name) : NULL;
    void *of_none = cuc__py.PyObject_Type(cuc__py.none);

    cuc__py.int_type = dlsym(RTLD_DEFAULT, "PyLong_Type");
    cuc__py.bytes_type = dlsym(RTLD_DEFAULT, "PyBytes_Type");
    cuc__py.text_type = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
    cuc__py.tuple_type = dlsym(RTLD_DEFAULT, "PyTuple_Type");
    cuc__py.dict_type = dlsym(RTLD_DEFAULT, "PyDict_Type");
    cuc__py.head_bytes = bytes ? (size_t)cuc__py.PyLong_AsLongLong(bytes) : 0;
    cuc__py.type_at = cuc__py.head_bytes;
    for (size_t at = 0; at + sizeof(void *) <= cuc__py.head_bytes; at += sizeof(void *))
        if (memcmp((char *)cuc__py.none + at, &of_none, sizeof(void *)) == 0)
            cuc__py.type_at = at;
    cuc__py_drop(name);
    cuc__py_drop(bytes);
    cuc__py_drop(of_none);
    return cuc__py.int_type && cuc__py.bytes_type && cuc__py.text_type && cuc__py.tuple_type &&
           cuc__py.dict_type && cuc__py.type_at < cuc__py.head_bytes;
}

// Finds the offset of the reference count by examining an object that has no other owner.
// Free-threaded interpreters have more than one count.
static bool find_count(void)
{
    void *object = cuc__py.type_at >= sizeof(intptr_t) ? cuc__py.PyDict_New() : NULL;
    intptr_t counts[3];

    if (!object)
        return false;
    cuc__py.count_at = cuc__py.type_at - sizeof(intptr_t);
    for (size_t i = 0; i < CUC_LENGTH(counts); i++) {
        memcpy(&counts[i], (char *)object + cuc__py.count_at, sizeof(counts[i]));
        cuc__py.Py_IncRef(object);
    }
    for (size_t i = 0; i < CUC_LENGTH(counts) + 1; i++)
        cuc__py.Py_DecRef(object);
    return counts[0] == 1 && counts[1] == 2 && counts[2] == 3;
}

static const char *find(void)
{
    for (size_t i = 0; i < CUC_LENGTH(functions); i++) {
        void *at = dlsym(RTLD_DEFAULT, functions[i].name);
        if (!at)
            return functions[i].name;
        memcpy((char *)&cuc__py + functions[i].slot, &at, sizeof(at));
    }
    void **type_error = dlsym(RTLD_DEFAULT, "PyExc_TypeError");
    void **value_error = dlsym(RTLD_DEFAULT, "PyExc_ValueError");
    void **runtime_error = dlsym(RTLD_DEFAULT, "PyExc_RuntimeError");
    void **not_implemented = dlsym(RTLD_DEFAULT, "PyExc_NotImplementedError");
    cuc__py.none = dlsym(RTLD_DEFAULT, "_Py_NoneStruct");
    cuc__py.no = dlsym(RTLD_DEFAULT, "_Py_FalseStruct");
    cuc__py.yes = dlsym(RTLD_DEFAULT, "_Py_TrueStruct");
    cuc__py.not_implemented = dlsym(RTLD_DEFAULT, "_Py_NotImplementedStruct");
    if (!type_error || !value_error || !runtime_error || !not_implemented || !cuc__py.none ||
        !cuc__py.no || !cuc__py.yes || !cuc__py.not_implemented)
        return "its constants";
    cuc__py.TypeError = *type_error;
    cuc__py.ValueError = *value_error;
    cuc__py.RuntimeError = *runtime_error;
    cuc__py.NotImplementedError = *not_implemented;
    if (!find_layout())
        return "layout of objects";
    cuc__py.has_count = find_count();
    return NULL;
}

cuc_status cuc__py_find(const char *function)
{
    const char *missing = NULL;

    pthread_mutex_lock(&lock);
    if (!found)
        missing = find();
    found = !missing;
    pthread_mutex_unlock(&lock);
    return missing
               ? cuc__fail(CUC_ERROR_NOT_FOUND, function,
                           "the process has no %s of CPython's stable interface: call this from "
                           "within an interpreter of Python 3.10 or later",
                           missing)
               : CUC_OK;
}

void *cuc__py_new_by_call(void *object)
{
    cuc__py.Py_IncRef(object);
    return object;
}

void *cuc__py_raise(void *object, void *method)
{
    void *raise = cuc__py.PyObject_GetAttr(object, method);

    if (raise) {
        void *never = cuc__py.PyObject_CallFunctionObjArgs(raise, NULL);
        cuc__py.Py_DecRef(raise);
        if (never)
            cuc__py.Py_DecRef(never);
    }
    return NULL;
}

bool cuc__py_add_method(void *type, cuc__py_method *method, bool of_class)
{
    void *name = cuc__py.PyUnicode_InternFromString(method->name);
    void *made = of_class ? cuc__py.PyDescr_NewClassMethod(type, method)
                          : cuc__py.PyDescr_NewMethod(type, method);
    bool good = name && made && cuc__py.PyObject_SetAttr(type, name, made) == 0;

    if (name)
        cuc__py.Py_DecRef(name);
    if (made)
        cuc__py.Py_DecRef(made);
    return good;
}
