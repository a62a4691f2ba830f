// Functions for rows of methods.def that create or export arrays. Each returns an object, NULL with
// an exception set, or &cuc__python, which makes the caller use the Python definition.
#ifndef CUCORE_PYTHON_VIEWS_H
#define CUCORE_PYTHON_VIEWS_H

#include "method.h"

void *cuc__python_view_buffer(struct cuc__python_call *call);
void *cuc__python_view_interface(struct cuc__python_call *call, bool on_device);
void *cuc__python_view_dtype(void *self);
void *cuc__python_StridedMemoryView___dlpack__(struct cuc__python_call *call);

// Creates a DLPack capsule for a tensor in a buffer's memory, and makes the consumer's stream wait
// for the memory's own stream. The call's arguments are stream, max_version, dl_device and copy.
// Defined in dlpack.c.
void *cuc__python_to_dlpack(const struct cuc__python_call *call, const cuc_tensor *tensor,
                            cuc_buffer *buffer, cuc_stream *own);

#endif
