// The exchange API of views. As DLPack prescribes, it orders no streams: a view of another
// library's array is ordered when it is created.
#include "exchange.h"

#include "base/array.h"
#include "object.h"
#include "tensor/tensor.h"

static void *view_type; // owned, like the class's attribute, for the life of the process

static void *fields_of(void *object)
{
    if (cuc__py.PyType_IsSubtype(cuc__py_type(object), view_type))
        return cuc__python_fields(object);
    cuc__py.PyErr_Format(cuc__py.TypeError,
                         "the object of an exchange must be a StridedMemoryView, not %S",
                         cuc__py_type(object));
    return NULL;
}

// Fails, because views never allocate. The caller passes a function that sets the error, because it
// may not hold the interpreter's lock.
static int allocate(cuc_dl_tensor *prototype, cuc_dl_managed_tensor_versioned **out, void *context,
                    void (*set_error)(void *context, const char *kind, const char *message))
{
    static const char message[] = "allocating an array is not supported by StridedMemoryView: "
                                  "allocate a Buffer";

    (void)prototype;
    *out = NULL;
    if (set_error) {
        set_error(context, "NotImplementedError", message);
    } else {
        int state = cuc__py.PyGILState_Ensure();
        cuc__py.PyErr_SetString(cuc__py.NotImplementedError, message);
        cuc__py.PyGILState_Release(state);
    }
    return -1;
}

static int give(void *object, cuc_dl_managed_tensor_versioned **out)
{
    *out = NULL;
    const struct cuc__tensor_object *view = fields_of(object);
    if (!view)
        return -1;
    void *capsule =
        cuc__python_export(object, cuc__dlpack_device(&view->tensor).device_type == CUC_DL_CPU);
    if (capsule)
        *out = cuc__python_unwrap(capsule);
    cuc__py_drop(capsule);
    return *out ? 0 : -1;
}

static int take(cuc_dl_managed_tensor_versioned *managed, void **out)
{
    *out = NULL;
    if (!managed)
        cuc__py.PyErr_SetString(cuc__py.RuntimeError, "tensor cannot be NULL: expected an array");
    else
        *out = cuc__python_import(view_type, managed);
    return *out ? 0 : -1;
}

static int borrow(void *object, cuc_dl_tensor *out)
{
    struct cuc__tensor_object *view = fields_of(object);

    if (!view)
        return -1;
    if (cuc__dlpack_lend(out, &view->tensor, __func__) >= 0)
        return 0;
    (void)cuc__py_raise(view_type, cuc__python.names._failed);
    return -1;
}

static int current_stream(int32_t device_type, int32_t device_id, void **out)
{
    (void)device_type;
    (void)device_id;
    *out = NULL;
    return 0;
}

bool cuc__python_add_exchange(void *type)
{
    static struct cuc__exchange_api api = {
        .version = { CUC_DL_VERSION_MAJOR, CUC_DL_VERSION_MINOR },
        .allocate = allocate,
        .give = give,
        .take = take,
        .borrow = borrow,
        .current_stream = current_stream,
    };
    static const char *const names[] = { "__dlpack_c_exchange_api__",
                                         "__c_dlpack_exchange_api__" }; // the older name
    void *capsule = cuc__py.PyCapsule_New(&api, CUC__EXCHANGE_API, NULL);

    bool good = capsule != NULL;
    for (size_t i = 0; good && i < CUC_LENGTH(names); i++) {
        void *name = cuc__py.PyUnicode_InternFromString(names[i]);
        good = name && cuc__py.PyObject_SetAttr(type, name, capsule) == 0;
        cuc__py_drop(name);
    }
    if (good)
        cuc__python_keep(&view_type, cuc__py_new(type));
    cuc__py_drop(capsule);
    return good;
}
