// Arrays in Python: views of buffers and of other libraries' arrays, and their export. Every
// function here has a Python definition for uncommon cases.
#include "views.h"

#include "base/array.h"
#include "functions.h"

#include "memory/buffer.h"
#include "memory/resource.h"
#include "tensor/tensor.h"

#include <cucore/memory.h>

#include <string.h>

// Clears an exception and makes the caller use the Python definition, which meets the same error
// and reports it better.
static void *slowly_after_error(void)
{
    cuc__py.PyErr_Clear();
    return slowly;
}

// ---- Python arguments ---------------------------------------------------------------------------

static bool is_int(void *object)
{
    return object && cuc__py_type(object) == cuc__py.int_type;
}

// Reads at most CUC_TENSOR_MAX_RANK extents or strides, and divides them by `divisor`, which
// converts strides from bytes to elements.
static bool read_extents(int64_t *out, int32_t *rank, void *tuple, int64_t divisor)
{
    if (!tuple || cuc__py_type(tuple) != cuc__py.tuple_type)
        return false;
    intptr_t count = cuc__py.PyTuple_Size(tuple);
    if (count > CUC_TENSOR_MAX_RANK)
        return false;
    for (intptr_t i = 0; i < count; i++) {
        void *each = cuc__py.PyTuple_GetItem(tuple, i);
        if (!is_int(each))
            return false;
        long long value = cuc__py.PyLong_AsLongLong(each);
        if (value == -1 && cuc__py.PyErr_Occurred()) {
            cuc__py.PyErr_Clear();
            return false;
        }
        if (value % divisor)
            return false;
        out[i] = value / divisor;
    }
    *rank = (int32_t)count;
    return true;
}

// Element types by Python object, as the package returned them. Numbers are not keys, because 5 and
// 5.0 are equal.
static void *known_dtypes;

static cuc_dtype dtype_of(void *type, void *value)
{
    if (!known_dtypes && !(known_dtypes = cuc__py.PyDict_New()))
        return 0;
    if (cuc__py.PyType_IsSubtype(cuc__py_type(value), cuc__py.int_type))
        return 0;
    void *known = cuc__py.PyDict_GetItem(known_dtypes, value); // borrowed
    if (known)
        return (cuc_dtype)cuc__py.PyLong_AsLongLong(known);
    void *method = cuc__py.PyObject_GetAttr(type, cuc__python.names._dtype_number);
    void *number = method ? cuc__py.PyObject_CallFunctionObjArgs(method, value, NULL) : NULL;
    long long made = number && cuc__py.PyDict_SetItem(known_dtypes, value, number) == 0
                         ? cuc__py.PyLong_AsLongLong(number)
                         : 0;
    cuc__py_drop(method);
    cuc__py_drop(number);
    return (cuc_dtype)made;
}

// ---- making views -------------------------------------------------------------------------------

static struct cuc__tensor_object *new_view(void **out, void *type, const cuc_tensor *tensor,
                                           void *exporting)
{
    void *made = cuc__py.PyType_GenericAlloc(type, 0);
    struct cuc__tensor_object *view = made ? cuc__python_fields(made) : NULL;

    *out = made;
    if (view) {
        view->tensor = *tensor;
        view->exporting = exporting ? cuc__py_new(exporting) : NULL;
    }
    return view;
}

// Gives a view its own reference to the memory, so that it survives the closing of its buffer.
static bool keep_buffer(struct cuc__tensor_object *view, cuc_buffer *buffer)
{
    cuc_stream *stream = cuc_stream_retain(cuc_buffer_stream(buffer));

    view->buffer = cuc__python_wrap_handle(cuc__python.classes[CUC__PYTHON_BUFFER], buffer);
    if (stream)
        view->stream = cuc__python_wrap_handle(cuc__python.classes[CUC__PYTHON_STREAM], stream);
    return view->buffer && (view->stream || !stream);
}

// from_buffer(buffer, shape, strides=None, *, itemsize=None, dtype=None, is_readonly=False)
void *cuc__python_view_buffer(struct cuc__python_call *call)
{
    int64_t shape[CUC_TENSOR_MAX_RANK];
    int32_t rank;
    cuc_tensor tensor;
    void *made, *read_only = call->objects[5];

    if (!cuc__python_is_tensor(call->self) || call->objects[2] || call->objects[3] ||
        !call->objects[4] || !read_extents(shape, &rank, call->objects[1], 1))
        return slowly;
    cuc_dtype dtype = dtype_of(call->self, call->objects[4]);
    int locked = read_only ? cuc__py.PyObject_IsTrue(read_only) : 0;
    if (!dtype || locked < 0)
        return slowly_after_error();
    const struct cuc__object *buffer = cuc__python_fields(call->objects[0]);
    if (buffer->handle != call->values[0].buffer || // Python code called above closed the buffer
        cuc_tensor_from_buffer(&tensor, call->values[0].buffer, dtype, rank, shape) < 0)
        return slowly;
    if (locked)
        tensor.flags |= CUC_TENSOR_READ_ONLY;
    cuc_buffer *own =
        cuc_buffer_retain(call->values[0].buffer); // a garbage collection may close the object
    struct cuc__tensor_object *view = new_view(&made, call->self, &tensor, call->objects[0]);
    if (!view) {
        cuc__python_release(own);
    } else if (!keep_buffer(view, own)) {
        cuc__py_drop(made);
        return NULL;
    }
    return made;
}

// view(layout=None, dtype=None)
void *cuc__python_StridedMemoryView_view(struct cuc__python_call *call)
{
    const struct cuc__tensor_object *old = cuc__python_fields(call->self);
    cuc_tensor tensor = old->tensor;
    void *made;

    if (call->objects[0] || !call->objects[1])
        return slowly;
    tensor.dtype = dtype_of(call->self, call->objects[1]);
    if (!tensor.dtype || cuc_dtype_bits(tensor.dtype) != cuc_dtype_bits(old->tensor.dtype))
        return slowly_after_error();
    if (cuc_tensor_check(&tensor) < 0)
        return slowly;
    struct cuc__tensor_object *view =
        new_view(&made, cuc__py_type(call->self), &tensor, old->exporting);
    if (view) {
        view->memory = cuc__py_new(call->self);
        view->buffer = old->buffer ? cuc__py_new(old->buffer) : NULL;
        view->stream = old->stream ? cuc__py_new(old->stream) : NULL;
    }
    return made;
}

// Returns a view's dtype. Caches NumPy's dtypes by number, but not names: where the package returns
// a name now, it may return a dtype later.
void *cuc__python_view_dtype(void *self)
{
    void **known = cuc__python.dtypes;
    size_t number = (size_t)((struct cuc__tensor_object *)cuc__python_fields(self))->tensor.dtype;

    if (number >= CUC_LENGTH(cuc__python.dtypes))
        return slowly;
    if (known[number])
        return cuc__py_new(known[number]);
    void *method = cuc__py.PyObject_GetAttr(self, cuc__python.names._numpy_dtype);
    void *asked = method ? cuc__py.PyLong_FromLongLong((long long)number) : NULL;
    void *made = asked ? cuc__py.PyObject_CallFunctionObjArgs(method, asked, NULL) : NULL;
    cuc__py_drop(method);
    cuc__py_drop(asked);
    if (made && cuc__py_type(made) != cuc__py.text_type && !known[number])
        known[number] = cuc__py_new(made);
    return made;
}

// ---- array interfaces ---------------------------------------------------------------------------

static bool read_interface(cuc_tensor *out, void *type, void *said)
{
    cuc_tensor tensor = { .device = -1 };
    int64_t shape[CUC_TENSOR_MAX_RANK], steps[CUC_TENSOR_MAX_RANK];
    int32_t rank, count = 0;

    if (cuc__py_type(said) != cuc__py.dict_type)
        return false;
    void *letters = cuc__py.PyDict_GetItem(said, cuc__python.names.typestr); // all borrowed
    void *data = cuc__py.PyDict_GetItem(said, cuc__python.names.data);
    void *mask = cuc__py.PyDict_GetItem(said, cuc__python.names.mask);
    void *strides = cuc__py.PyDict_GetItem(said, cuc__python.names.strides);
    void *known = letters ? cuc__py.PyObject_GetAttr(type, cuc__python.names._typestrs) : NULL;
    void *number = known ? cuc__py.PyDict_GetItem(known, letters) : NULL;
    tensor.dtype = number ? (cuc_dtype)cuc__py.PyLong_AsLongLong(number) : 0;
    cuc__py_drop(known);
    if (!tensor.dtype || (mask && mask != cuc__py.none) || !data ||
        cuc__py_type(data) != cuc__py.tuple_type || cuc__py.PyTuple_Size(data) != 2)
        return false;
    void *address = cuc__py.PyTuple_GetItem(data, 0);
    int locked = cuc__py.PyObject_IsTrue(cuc__py.PyTuple_GetItem(data, 1));
    if (!is_int(address) || locked < 0)
        return false;
    tensor.data = (cuc_device_ptr)(uintptr_t)cuc__py.PyLong_AsVoidPtr(address);
    tensor.flags = locked ? CUC_TENSOR_READ_ONLY : 0;
    if (strides == cuc__py.none)
        strides = NULL;
    if (cuc__py.PyErr_Occurred() ||
        !read_extents(shape, &rank, cuc__py.PyDict_GetItem(said, cuc__python.names.shape), 1) ||
        (strides && (!read_extents(steps, &count, strides, cuc_dtype_bits(tensor.dtype) / 8) ||
                     count != rank)) ||
        cuc__tensor_lay_out(&tensor, rank, shape, strides ? steps : NULL, __func__) < 0)
        return false;
    *out = tensor;
    return true;
}

// If an object with the array interface also has an exchange API, creates the view with the API,
// which is faster.
static void *view_exchanged(void *type, void *obj, void *stream_ptr)
{
    void *there =
        cuc__py.PyObject_GetAttr(cuc__py_type(obj), cuc__python.names.__cuda_array_interface__);

    if (!there)
        return slowly_after_error();
    cuc__py.Py_DecRef(there);
    return cuc__python_view_exchanged(type, obj, stream_ptr);
}

// from_array_interface(obj), from_cuda_array_interface(obj, stream_ptr=None)
void *cuc__python_view_interface(struct cuc__python_call *call, bool on_device)
{
    void *obj = call->objects[0], *stream_ptr = call->objects[1], *made;
    cuc_pointer_info info = CUC_POINTER_INFO_INIT;
    cuc_tensor tensor;
    cuc_status st = CUC_OK;

    if (!cuc__python_is_tensor(call->self) || (on_device && !is_int(stream_ptr)))
        return slowly;
    if (on_device && (made = view_exchanged(call->self, obj, stream_ptr)) != slowly)
        return made;
    void *said = cuc__py.PyObject_GetAttr(obj, on_device
                                                   ? cuc__python.names.__cuda_array_interface__
                                                   : cuc__python.names.__array_interface__);
    bool good = said && read_interface(&tensor, call->self, said);
    if (good && on_device) { // a producer's stream would require a wait
        void *stream = cuc__py.PyDict_GetItem(said, cuc__python.names.stream);
        good = (!stream || stream == cuc__py.none || cuc__py.PyLong_AsLongLong(stream_ptr) == -1);
    }
    cuc__py_drop(said);
    if (!good)
        return slowly_after_error();
    if (on_device && tensor.data) {
        void *state = cuc__py.PyEval_SaveThread();
        st = cuc__memory_pointer_kind(&info, tensor.data, __func__);
        cuc__py.PyEval_RestoreThread(state);
        tensor.device = info.device;
    }
    if (st < 0 || cuc_tensor_check(&tensor) < 0)
        return slowly;
    (void)new_view(&made, call->self, &tensor, obj);
    return made;
}

// ---- DLPack -------------------------------------------------------------------------------------

// Returns the handle in a field of a tensor.
static void *handle_of(void *field, enum cuc__python_class kind)
{
    const struct cuc__object *object =
        field && field != cuc__py.none ? cuc__python_fields_of(field, kind) : NULL;

    return object ? object->handle : NULL;
}

void *cuc__python_StridedMemoryView___dlpack__(struct cuc__python_call *call)
{
    const struct cuc__tensor_object *view = cuc__python_fields(call->self);

    return cuc__python_to_dlpack(call, &view->tensor, handle_of(view->buffer, CUC__PYTHON_BUFFER),
                                 handle_of(view->stream, CUC__PYTHON_STREAM));
}

static void *pair_of(const cuc_tensor *tensor)
{
    cuc_dl_device device = cuc__dlpack_device(tensor);

    return pair(device.device_type, device.device_id);
}

void *cuc__python_StridedMemoryView___dlpack_device__(struct cuc__python_call *call)
{
    return pair_of(&((struct cuc__tensor_object *)cuc__python_fields(call->self))->tensor);
}

// Describes all bytes of a buffer as a tensor. Returns NULL if this requires asking a resource
// written in Python.
static cuc_buffer *bytes_of(cuc_tensor *out, void *self)
{
    const struct cuc__buffer_object *object = cuc__python_fields(self);
    cuc_buffer *buffer = object->base.handle;
    const bool asks = object->resource && object->resource != cuc__py.none &&
                      !((struct cuc__object *)cuc__python_fields(object->resource))->handle;

    if (!buffer || asks)
        return NULL;
    int64_t bytes = (int64_t)cuc_buffer_bytes(buffer);
    return cuc_tensor_from_buffer(out, buffer, CUC_U8, 1, &bytes) < 0 ? NULL : buffer;
}

void *cuc__python_Buffer___dlpack__(struct cuc__python_call *call)
{
    cuc_tensor tensor;
    cuc_buffer *buffer = bytes_of(&tensor, call->self);

    return buffer ? cuc__python_to_dlpack(call, &tensor, buffer, cuc_buffer_stream(buffer))
                  : slowly;
}

void *cuc__python_Buffer___dlpack_device__(struct cuc__python_call *call)
{
    cuc_tensor tensor;

    return bytes_of(&tensor, call->self) ? pair_of(&tensor) : slowly;
}

// ---- the rows -----------------------------------------------------------------------------------

void *cuc__python_StridedMemoryView_from_dlpack(struct cuc__python_call *c,
                                                const struct cuc__python_signature *s)
{
    (void)s;
    return c->objects[1] ? cuc__python_view(c->self, c->objects[0], c->objects[1]) : slowly;
}

// Creates a view of any array. A buffer goes to the Python definition, which views its bytes.
void *cuc__python_StridedMemoryView_from_any_interface(struct cuc__python_call *c,
                                                       const struct cuc__python_signature *s)
{
    return cuc__python_fields_of(c->objects[0], CUC__PYTHON_BUFFER)
               ? slowly
               : cuc__python_StridedMemoryView_from_dlpack(c, s);
}

void *cuc__python_StridedMemoryView_from_buffer(struct cuc__python_call *c,
                                                const struct cuc__python_signature *s)
{
    (void)s;
    return cuc__python_view_buffer(c);
}

void *cuc__python_StridedMemoryView_from_array_interface(struct cuc__python_call *c,
                                                         const struct cuc__python_signature *s)
{
    (void)s;
    return cuc__python_view_interface(c, false);
}

void *cuc__python_StridedMemoryView_from_cuda_array_interface(struct cuc__python_call *c,
                                                              const struct cuc__python_signature *s)
{
    (void)s;
    return cuc__python_view_interface(c, true);
}

// Returns a view's extents. Caches them, because they never change and programs read them often.
static void *extents_of(void *self, size_t which)
{
    struct cuc__tensor_object *view = cuc__python_fields(self);
    const cuc_tensor *t = &view->tensor;

    if (!view->extents[which])
        view->extents[which] = extents(which ? t->strides : t->shape, t->rank);
    return view->extents[which] ? cuc__py_new(view->extents[which]) : NULL;
}

void *cuc__python_StridedMemoryView_shape(void *self)
{
    return extents_of(self, 0);
}

void *cuc__python_StridedMemoryView_strides(void *self)
{
    return extents_of(self, 1);
}

void *cuc__python_StridedMemoryView_dtype(void *self)
{
    return cuc__python_view_dtype(self);
}
