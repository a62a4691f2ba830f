// Functions for rows of methods.def that create objects with options or from other objects. Each
// returns an object, NULL with an exception set, or &cuc__python, which makes the caller use the
// Python definition.
#ifndef CUCORE_PYTHON_CREATE_H
#define CUCORE_PYTHON_CREATE_H

#include "method.h"

void *cuc__python_create_event(struct cuc__python_call *call,
                               const struct cuc__python_signature *signature);
void *cuc__python_create_stream(struct cuc__python_call *call,
                                const struct cuc__python_signature *signature);
void *cuc__python_buffer_from_handle(const struct cuc__python_call *call);

// Returns the Python object that keeps the memory of a buffer from buffer_from_handle() alive, or
// None.
void *cuc__python_owner(const cuc_buffer *buffer);

#endif
