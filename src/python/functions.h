// The functions that some rows of methods.def need. They are in stream.c, memory.c, device.c and
// views.c. Each returns an object, NULL with an exception set, or `slowly`.
#ifndef CUCORE_PYTHON_FUNCTIONS_H
#define CUCORE_PYTHON_FUNCTIONS_H

#include "result.h"

#define GETTER(...)
#define DESCRIBED(...)
#define ASK(...)
#define METHOD0(...)
#define METHOD(...)
#define TENSOR(...)
#define ONCE(...)
#define CUSTOM0(class, name)                                       \
    void *cuc__python_##class##_##name(struct cuc__python_call *c, \
                                       const struct cuc__python_signature *s);
#define CUSTOM(class, name, ...) CUSTOM0(class, name)
#define CLASS(class, name, ...) CUSTOM0(class, name)
#define KEPT(class, name, ...) OWN(class, name)
#define OWN(class, name) void *cuc__python_##class##_##name(void *self);
#define KEPT_TENSOR(class, name, ...) OWN(class, name)
#define ARRAY0(class, name) void *cuc__python_##class##_##name(struct cuc__python_call *c);
#define ARRAY(class, name, ...) ARRAY0(class, name)
#include "methods.def"
#undef GETTER
#undef DESCRIBED
#undef ASK
#undef METHOD0
#undef METHOD
#undef TENSOR
#undef ONCE
#undef CUSTOM0
#undef CUSTOM
#undef CLASS
#undef KEPT
#undef OWN
#undef KEPT_TENSOR
#undef ARRAY0
#undef ARRAY

// Returns a device's only object, or `slowly` if it does not exist yet.
void *cuc__python_device_object(const cuc_device *device);

// Queries a buffer's device and access for a property that needs them. Returns false with an
// exception set.
bool cuc__python_describe(void *self, const char *name);

// Replaces a class's __new__ by a native one. Returns false with an exception set.
bool cuc__python_replace_new(void *type);

// Allocates memory by calling a resource's method, which a subclass may override.
void *cuc__python_allocate_of(void *resource, void *size, void *stream);

#endif
