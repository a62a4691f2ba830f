// Methods and properties as table rows: the names and kinds of arguments, and the library call.
#ifndef CUCORE_PYTHON_METHOD_H
#define CUCORE_PYTHON_METHOD_H

#include "object.h"

#include "driver/toolkit.h"

// Kinds of arguments. Kinds below CUC__PYTHON_CLASS_COUNT are objects of a class; the object must
// be open.
enum {
    CUC__PYTHON_SIZE = CUC__PYTHON_CLASS_COUNT, // an int that fits in size_t
    CUC__PYTHON_ANY,                            // passed unchanged
};

enum { CUC__PYTHON_ARGUMENTS = 6 };

// The values of a method call: the object's own handle or fields first, then the arguments.
union cuc__python_value {
    void *handle;
    cuc_stream *stream;
    cuc_event *event;
    cuc_buffer *buffer;
    cuc_memory_resource *resource;
    cuc_device *device;
    cuc_context *context;
    cuc_kernel *kernel;
    cuc_graph_exec *graph_exec;
    size_t size;
};

struct cuc__python_call {
    const char *method; // its name
    void *self;
    void *objects[CUC__PYTHON_ARGUMENTS]; // borrowed; NULL if missing or None
    union cuc__python_value self_value, values[CUC__PYTHON_ARGUMENTS];
};

struct cuc__python_parameter {
    size_t name; // byte offset in cuc__python.names
    int kind;
    bool optional, keyword_only;
};

struct cuc__python_signature {
    const struct cuc__python_parameter *parameters;
    size_t count; // at most CUC__PYTHON_ARGUMENTS
};

// Sorts arguments by parameter. Returns false for arguments that need the Python definition.
static inline bool cuc__python_bind_arguments(struct cuc__python_call *call,
                                              const struct cuc__python_signature *signature,
                                              void *const *given, intptr_t count, void *keywords)
{
    intptr_t named = keywords ? cuc__py.PyTuple_Size(keywords) : 0;

    if ((size_t)count > signature->count)
        return false;
    for (size_t i = 0; i < signature->count; i++) {
        call->objects[i] = (intptr_t)i < count ? given[i] : NULL;
        if (call->objects[i] && signature->parameters[i].keyword_only)
            return false;
    }
    for (intptr_t i = 0; i < named; i++) {
        void *name = cuc__py.PyTuple_GetItem(keywords, i);
        size_t at = 0;
        while (at < signature->count &&
               *(void **)((char *)&cuc__python.names + signature->parameters[at].name) != name)
            at++;
        if (at == signature->count || call->objects[at])
            return false;
        call->objects[at] = given[count + i];
    }
    for (size_t i = 0; i < signature->count; i++) {
        void *object = call->objects[i];
        int kind = signature->parameters[i].kind;
        if (object == cuc__py.none)
            object = call->objects[i] = NULL;
        if (!object) {
            if (!signature->parameters[i].optional)
                return false;
            call->values[i].handle = NULL;
        } else if (kind == CUC__PYTHON_SIZE) {
            if (cuc__py_type(object) != cuc__py.int_type)
                return false;
            call->values[i].size = cuc__py.PyLong_AsSize_t(object);
            if (call->values[i].size == SIZE_MAX) { // too large, or an exception was raised
                cuc__py.PyErr_Clear();
                return false;
            }
        } else if (kind < CUC__PYTHON_CLASS_COUNT) {
            const struct cuc__object *fields =
                cuc__python_fields_of(object, (enum cuc__python_class)kind);
            if (!fields || !fields->handle)
                return false;
            call->values[i].handle = fields->handle;
        }
    }
    return true;
}

// Does the same for a method without arguments. Returns false if the object is closed.
static inline bool cuc__python_bind_self(struct cuc__python_call *call, void *self)
{
    call->self = self;
    call->self_value.handle = ((struct cuc__object *)cuc__python_fields(self))->handle;
    return call->self_value.handle != NULL;
}

// Does the same for a method of an object. The object must be open.
static inline bool cuc__python_bind_method_arguments(struct cuc__python_call *call, void *self,
                                                     const struct cuc__python_signature *signature,
                                                     void *const *given, intptr_t count,
                                                     void *keywords)
{
    return cuc__python_bind_self(call, self) &&
           cuc__python_bind_arguments(call, signature, given, count, keywords);
}

// Returns true if an argument is an object whose handle the call uses.
static inline bool cuc__python_is_used(const struct cuc__python_call *call,
                                       const struct cuc__python_signature *signature, size_t i)
{
    return signature->parameters[i].kind < CUC__PYTHON_CLASS_COUNT && call->objects[i];
}

// Releases the interpreter's lock for a call that may take time. The method's caller keeps the
// objects alive, but another thread may close them meanwhile.
static inline void *cuc__python_begin(struct cuc__python_call *call,
                                      const struct cuc__python_signature *signature)
{
    cuc__python_use(cuc__python_fields(call->self));
    for (size_t i = 0; i < signature->count; i++)
        if (cuc__python_is_used(call, signature, i))
            cuc__python_use(cuc__python_fields(call->objects[i]));
    return cuc__py.PyEval_SaveThread();
}

static inline void cuc__python_end(struct cuc__python_call *call,
                                   const struct cuc__python_signature *signature, void *state)
{
    cuc__py.PyEval_RestoreThread(state);
    for (size_t i = 0; i < signature->count; i++)
        if (cuc__python_is_used(call, signature, i))
            cuc__python_leave(cuc__python_fields(call->objects[i]));
    cuc__python_leave(cuc__python_fields(call->self));
}

// Calls the Python definition with all arguments.
void *cuc__python_call_definition(void *definition, void *self, void *const *given, intptr_t count,
                                  void *keywords);

#endif
