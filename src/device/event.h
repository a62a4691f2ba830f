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
    _Atomic bool recorded; // by cucore; a foreign event is taken as recorded
    // Where it was recorded last, NULL where that is not known, and what had been launched by then.
    _Atomic(CUstream) recorded_on;
    _Atomic uint32_t mark;
    // Of the wait that has last succeeded, so that one more has nothing to do.
    _Atomic(CUstream) settled_on;
    _Atomic uint32_t settled;
};

// The event is complete, as it was recorded when `on` and `mark` were read: so are the launches
// before that.
static inline void cuc__event_settle(cuc_event *e, CUstream on, uint32_t mark)
{
    if (!on || (atomic_load_explicit(&e->settled_on, memory_order_relaxed) == on &&
                atomic_load_explicit(&e->settled, memory_order_relaxed) == mark))
        return;
    cuc__ring_settle(&e->context->recent, on, mark);
    atomic_store_explicit(&e->settled_on, on, memory_order_relaxed);
    atomic_store_explicit(&e->settled, mark, memory_order_relaxed);
}

// An event object for one of the driver's; NULL without memory.
cuc_event *cuc__event_wrap(CUevent handle, cuc_context *context, uint32_t flags, bool owned);

#endif
