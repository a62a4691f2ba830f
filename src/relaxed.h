// Calls that load, unload, allocate or wait may end a capture that any stream has under way, unless
// their thread has said that it means no harm. The library's own work never has to do with one.
#ifndef CUCORE_SRC_RELAXED_H
#define CUCORE_SRC_RELAXED_H

#include "driver/driver.h"

// Gives back the mode to put in place again.
static inline CUstreamCaptureMode cuc__relax(void)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    if (cuc__cu.cuThreadExchangeStreamCaptureMode(&mode))
        mode = CU_STREAM_CAPTURE_MODE_RELAXED; // not changed: putting it back changes nothing
    return mode;
}

static inline void cuc__unrelax(CUstreamCaptureMode mode)
{
    (void)cuc__cu.cuThreadExchangeStreamCaptureMode(&mode);
}

#endif
