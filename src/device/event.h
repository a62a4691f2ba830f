#ifndef CUCORE_DEVICE_EVENT_H
#define CUCORE_DEVICE_EVENT_H

#include <cucore/event.h>

#include "context.h"

struct cuc_event {
    cuc__handle head;
    CUevent handle;
    cuc_context *context; // retained
    uint32_t flags;       // CUC_EVENT_ bits
    bool owned;
    _Atomic bool recorded; // recorded through cucore; a foreign event counts as recorded
    // The stream on which the event was last recorded, or NULL if unknown, and the number of
    // launches before that.
    _Atomic(CUstream) recorded_on;
    _Atomic uint32_t mark;
    // The stream and mark that cuc__event_mark_complete() handled last, so that it does nothing
    // when called with them again.
    _Atomic(CUstream) settled_on;
    _Atomic uint32_t settled;
};

// Marks the launches before a record as complete. `on` and `mark` describe a record that has
// completed: the caller read them from the event before it queried the event or waited for it.
static inline void cuc__event_mark_complete(cuc_event *e, CUstream on, uint32_t mark)
{
    if (!on || (atomic_load_explicit(&e->settled_on, memory_order_relaxed) == on &&
                atomic_load_explicit(&e->settled, memory_order_relaxed) == mark))
        return;
    cuc__ring_mark_complete(&e->context->recent, on, mark);
    atomic_store_explicit(&e->settled_on, on, memory_order_relaxed);
    atomic_store_explicit(&e->settled, mark, memory_order_relaxed);
}

// Creates an object for a driver's event. Returns NULL if out of memory.
cuc_event *cuc__event_wrap(CUevent handle, cuc_context *context, uint32_t flags, bool owned);

#endif
