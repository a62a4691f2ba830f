#include "launch_blocking.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The environment is read once, at the process's first launch.
static pthread_once_t blocking_once = PTHREAD_ONCE_INIT;

static void read_blocking(void)
{
    const char *value = getenv("CUCORE_LAUNCH_BLOCKING");

    if (value && *value && strcmp(value, "0") != 0)
        __atomic_fetch_or(&cuc__modes, CUC__MODE_BLOCKING, __ATOMIC_RELAXED);
}

int32_t cuc_launch_is_blocking(void)
{
    pthread_once(&blocking_once, read_blocking);
    return (cuc__modes_now() & CUC__MODE_BLOCKING) != 0;
}

CUresult cuc__launch_wait(cuc_stream *stream, const char **call)
{
    const uint32_t mark = cuc__ring_mark(&stream->context->recent);
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;

    *call = "cuStreamIsCapturing"; // this call may be the first to report the failure
    CUresult r = cuc__cu.cuStreamIsCapturing(stream->handle, &capture);
    if (r || capture != CU_STREAM_CAPTURE_STATUS_NONE)
        return r;
    *call = "cuStreamSynchronize";
    r = cuc__cu.cuStreamSynchronize(stream->handle);
    if (!r)
        cuc__stream_mark_complete(stream, mark);
    return r;
}
