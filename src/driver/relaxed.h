// Calls that load, unload, allocate or wait may end a capture that any stream has under way, unless
// their thread has said that it means no harm. The library's own work never has to do with one.
#ifndef CUCORE_DRIVER_RELAXED_H
#define CUCORE_DRIVER_RELAXED_H

#include "driver.h"

// What no mode is: the thread's could not be changed, and is not to be put back.
#define CUC__MODE_UNCHANGED ((CUstreamCaptureMode)99)

// Gives back the mode to put in place again.
static inline CUstreamCaptureMode cuc__relax(void)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    if (cuc__cu.cuThreadExchangeStreamCaptureMode(&mode))
        return CUC__MODE_UNCHANGED;
    return mode;
}

static inline void cuc__unrelax(CUstreamCaptureMode mode)
{
    if (mode != CUC__MODE_UNCHANGED)
        (void)cuc__cu.cuThreadExchangeStreamCaptureMode(&mode);
}

// One call in that mode: its result goes to `code`.
#define CUC_RELAXED(code, ...)                        \
    do {                                              \
        CUstreamCaptureMode cuc__mode = cuc__relax(); \
        (code) = (__VA_ARGS__);                       \
        cuc__unrelax(cuc__mode);                      \
    } while (0)

#endif
