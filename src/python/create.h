// Functions of rows of methods.def that make objects with options, or of what others have. Each
// gives an object, NULL with an exception, or &cuc__python: the Python definition has to look at
// it.
#ifndef CUCORE_PYTHON_CREATE_H
#define CUCORE_PYTHON_CREATE_H

#include "method.h"

void *cuc__python_create_event(struct cuc__python_call *call,
                               const struct cuc__python_signature *signature);
void *cuc__python_create_stream(struct cuc__python_call *call,
                                const struct cuc__python_signature *signature);
void *cuc__python_buffer_from_handle(struct cuc__python_call *call,
                                     const struct cuc__python_signature *signature);

// The Python object that keeps a buffer's memory, where buffer_from_handle() has made it, or None.
void *cuc__python_owner(const cuc_buffer *buffer);

#endif
