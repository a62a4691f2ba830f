// Relaxed capture mode. A call that loads, unloads, allocates or waits may invalidate a capture of
// any stream, unless its thread is in relaxed mode. The library's internal calls never conflict
// with a capture, so they run in that mode.
#ifndef CUCORE_DRIVER_RELAXED_H
#define CUCORE_DRIVER_RELAXED_H

#include "driver.h"

// Means that the thread's mode could not be changed and must not be restored.
#define CUC__MODE_UNCHANGED ((CUstreamCaptureMode)99)

// Enters relaxed mode and returns the mode to restore.
static inline CUstreamCaptureMode cuc__enter_relaxed_mode(void)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    if (cuc__cu.cuThreadExchangeStreamCaptureMode(&mode))
        return CUC__MODE_UNCHANGED;
    return mode;
}

static inline void cuc__leave_relaxed_mode(CUstreamCaptureMode mode)
{
    if (mode != CUC__MODE_UNCHANGED)
        (void)cuc__cu.cuThreadExchangeStreamCaptureMode(&mode);
}

// Makes one call in relaxed mode and stores its result in `code`.
#define CUC_RELAXED(code, ...)                                     \
    do {                                                           \
        CUstreamCaptureMode cuc__mode = cuc__enter_relaxed_mode(); \
        (code) = (__VA_ARGS__);                                    \
        cuc__leave_relaxed_mode(cuc__mode);                        \
    } while (0)

#endif
