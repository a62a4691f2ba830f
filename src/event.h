#ifndef CUCORE_SRC_EVENT_H
#define CUCORE_SRC_EVENT_H

#include <cucore/event.h>

#include "context.h"

struct cuc_event {
    cuc__handle head;
    CUevent handle;
    cuc_context *context; // retained
    uint32_t flags;       // CUC_EVENT_ bits
    bool owned;
    _Atomic bool recorded; // by cucore; a foreign event is taken as recorded
};

// An event object for one of the driver's; NULL without memory.
cuc_event *cuc__event_wrap(CUevent handle, cuc_context *context, uint32_t flags, bool owned);

#endif
