/**
 * @file
 * Helpers for programs that exit at the first failure and release handles at the end of a block.
 *
 * Not part of cucore.h: it includes stdio.h, prints and exits, which the library never does.
 *
 *     CUC_SCOPED(cuc_stream, stream);
 *     CUC_MUST(cuc_stream_create(&stream, device, NULL));
 */
#ifndef CUCORE_CHECK_H
#define CUCORE_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <cucore/cucore.h>

/**
 * If the status is a failure, prints it with its location to stderr and exits with 1. Otherwise
 * returns the status.
 */
static inline cuc_status cuc_must(cuc_status status, const char *file, int line)
{
    if (status >= 0)
        return status;
    fflush(stdout);
    if (cuc_error_status() == status)
        fprintf(stderr, "%s:%d: %s\n", file, line, cuc_error_message());
    else // the status comes from another thread's call
        fprintf(stderr, "%s:%d: %s: %s\n", file, line, cuc_status_name(status),
                cuc_status_text(status));
    exit(1);
}

/**
 * A call that must succeed: CUC_MUST(cuc_device_get(&device, 0)).
 *
 * Its value is the call's status, such as CUC_NOT_READY.
 */
#define CUC_MUST(call) cuc_must((call), __FILE__, __LINE__)

#if defined(__GNUC__) && !defined(__cplusplus)
#define CUC__SCOPED_LIST(X) \
    X(cuc_algorithm)        \
    X(cuc_attention_plan)   \
    X(cuc_buffer)           \
    X(cuc_cache)            \
    X(cuc_context)          \
    X(cuc_event)            \
    X(cuc_found)            \
    X(cuc_gemm_plan)        \
    X(cuc_graph)            \
    X(cuc_graph_exec)       \
    X(cuc_green_context)    \
    X(cuc_kernel)           \
    X(cuc_linker)           \
    X(cuc_memory_resource)  \
    X(cuc_object)           \
    X(cuc_program)          \
    X(cuc_stream)           \
    X(cuc_tile_program)
#define CUC__SCOPED_RELEASE(type)                               \
    static inline void cuc__release_##type(type *const *scoped) \
    {                                                           \
        type##_release(*scoped);                                \
    }
CUC__SCOPED_LIST(CUC__SCOPED_RELEASE)
#undef CUC__SCOPED_RELEASE

/**
 * Declare a handle that starts as NULL and is released at the end of its block, also on return,
 * break and goto, but not on exit() or longjmp(). For C with gcc or clang; C++ has the handles of
 * cucore.hpp.
 */
#define CUC_SCOPED(type, name) type *name __attribute__((cleanup(cuc__release_##type))) = NULL
#endif

#endif
