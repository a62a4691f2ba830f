#include "cpython.h"

#include "../error.h"

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

static const char *find(void)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        void *at = dlsym(RTLD_DEFAULT, functions[i].name);
        if (!at)
            return functions[i].name;
        memcpy((char *)&cuc__py + functions[i].slot, &at, sizeof(at));
    }
    void **type_error = dlsym(RTLD_DEFAULT, "PyExc_TypeError");
    void **value_error = dlsym(RTLD_DEFAULT, "PyExc_ValueError");
    cuc__py.none = dlsym(RTLD_DEFAULT, "_Py_NoneStruct");
    cuc__py.no = dlsym(RTLD_DEFAULT, "_Py_FalseStruct");
    if (!type_error || !value_error || !cuc__py.none || !cuc__py.no)
        return "its constants";
    cuc__py.TypeError = *type_error;
    cuc__py.ValueError = *value_error;
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
