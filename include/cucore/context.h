/**
 * @file
 * Contexts: where a device's allocations, streams and loaded code live.
 *
 * Most programs never name one: devices bring their primary context, streams know theirs. They
 * are here for programs that make contexts with the driver themselves.
 */
#ifndef CUCORE_CONTEXT_H
#define CUCORE_CONTEXT_H

#include <cucore/base.h>
#include <cucore/device.h>

CUC_BEGIN_DECLS

/**
 * A context of the driver; it keeps its device's primary context, or borrows another one.
 *
 * Threads: any thread.
 */
typedef struct cuc_context cuc_context;

/**
 * The context that is current on the calling thread.
 *
 * @thread reads the calling thread's state
 * @capture safe: not restricted by the driver
 * @param[out] out retained, to be released; NULL when no context is current
 * @retval CUC_OK              read
 * @retval CUC_ERROR_NO_DRIVER no driver; also CUC_ERROR_DRIVER_TOO_OLD, CUC_ERROR_FORKED
 * @source CUDA Driver API, "Context Management": cuCtxGetCurrent
 * @since 0.1
 */
CUC_API cuc_status cuc_context_get_current(cuc_context **out);

/**
 * Make a context current on the calling thread.
 *
 * @thread changes the calling thread
 * @capture safe: not restricted by the driver
 * @param      context  NULL makes none current
 * @param[out] previous the context that was current, retained, or NULL when none was; may be NULL
 * @retval CUC_OK           current
 * @retval CUC_ERROR_DRIVER the driver refused; what was current still is
 * @source CUDA Driver API, "Context Management": cuCtxSetCurrent
 * @since 0.1
 */
CUC_API cuc_status cuc_context_set_current(cuc_context *context, cuc_context **previous);

/**
 * Wrap a context that was made with the driver.
 *
 * The same CUcontext always gives the same object. It is borrowed: cucore never destroys it,
 * and it must live until every object of it is released.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    retained, to be released
 * @param      handle a CUcontext
 * @retval CUC_OK                     wrapped
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver does not know the handle
 * @source CUDA Driver API, "Context Management": cuCtxGetDevice
 * @since 0.1
 */
CUC_API cuc_status cuc_context_from_handle(cuc_context **out, void *handle);

/**
 * The driver's own handle of a context.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return the CUcontext; NULL for NULL
 * @since 0.1
 */
CUC_API void *cuc_context_handle(const cuc_context *context);

/**
 * The device of a context.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed for the life of the process; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_device *cuc_context_device(const cuc_context *context);

/**
 * Whether a context is its device's primary one.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 or 0
 * @since 0.1
 */
CUC_API int32_t cuc_context_is_primary(const cuc_context *context);

/**
 * A number that no other context of the process has or will have.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the number
 * @param      context the context
 * @retval CUC_OK                  read
 * @retval CUC_ERROR_NOT_SUPPORTED the driver is of before CUDA 12.0
 * @source CUDA Driver API, "Context Management": cuCtxGetId
 * @since 0.1
 */
CUC_API cuc_status cuc_context_get_id(uint64_t *out, cuc_context *context);

/**
 * Wait until all work in a context is done.
 *
 * @order  blocks the calling thread
 * @thread any thread
 * @capture spoils every capture of the context, in any mode
 * @retval CUC_OK                 everything is done
 * @retval CUC_ERROR_CONTEXT_LOST work failed; the message says what may have caused it
 * @retval CUC_ERROR_BUSY         a stream of the context is being captured
 * @source CUDA Driver API, "Context Management": cuCtxSynchronize
 * @since 0.1
 */
CUC_API cuc_status cuc_context_synchronize(cuc_context *context);

/**
 * Whether an earlier failure destroyed a context.
 *
 * A context is found to be lost by the first call that the driver answers with a sticky error;
 * this only tells what was found, and asks nothing of the driver. No call works in a lost
 * context, releases do nothing, and only a new process can use the device again.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 0, or the CUresult that destroyed it, such as 700
 * @since 0.1
 */
CUC_API int32_t cuc_context_lost(const cuc_context *context);

/** Limits of a context, with the driver's values of CUlimit. */
enum {
    CUC_LIMIT_STACK_BYTES = 0,         /**< of each thread */
    CUC_LIMIT_PRINTF_BYTES = 1,        /**< of the buffer for printf on the device */
    CUC_LIMIT_MALLOC_HEAP_BYTES = 2,   /**< of malloc and new on the device */
    CUC_LIMIT_MAX_L2_FETCH_BYTES = 5,  /**< 0 to 128; a hint */
    CUC_LIMIT_PERSISTING_L2_BYTES = 6, /**< of L2 set aside for persisting lines */
    CUC_LIMIT_SHARED_MEMORY_BYTES = 7, /**< read only, under CIG */
    CUC_LIMIT_CIG_ENABLED = 8,         /**< read only */
    CUC_LIMIT_CIG_SHARED_MEMORY_FALLBACK = 9,
};

/**
 * Read a limit of a context.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the limit
 * @param      context the context
 * @param      limit   a CUC_LIMIT_ constant
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no such limit
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Context Management": cuCtxGetLimit
 * @since 0.1
 */
CUC_API cuc_status cuc_context_get_limit(uint64_t *out, cuc_context *context, int32_t limit);

/**
 * Ask for a limit of a context; the driver may round it.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param context the context
 * @param limit   a CUC_LIMIT_ constant
 * @param value   in the limit's unit
 * @retval CUC_OK                         set
 * @retval CUC_ERROR_NOT_SUPPORTED        the device has no such limit
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY there is no room for it
 * @retval CUC_ERROR_INVALID_ARGUMENT     context is NULL
 * @retval CUC_ERROR_DRIVER               the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Context Management": cuCtxSetLimit
 * @since 0.1
 */
CUC_API cuc_status cuc_context_set_limit(cuc_context *context, int32_t limit, uint64_t value);

/**
 * The priorities that streams of a context may have.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] least    the lowest priority, the largest number; 0
 * @param[out] greatest the highest priority, the smallest number; such as -5
 * @param      context  the context
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Context Management": cuCtxGetStreamPriorityRange
 * @since 0.1
 */
CUC_API cuc_status cuc_context_get_priority_range(int32_t *least, int32_t *greatest,
                                                  cuc_context *context);

/**
 * Let kernels of a context reach the memory of another device's context.
 *
 * Pools have an access list of their own (memory.h); this is for plain allocations. Asking
 * twice is not an error.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param context the one that will read and write
 * @param peer    the one whose memory it is, of another device
 * @retval CUC_OK                     enabled
 * @retval CUC_ERROR_INVALID_ARGUMENT both are of one device
 * @retval CUC_ERROR_NOT_SUPPORTED    the devices cannot reach each other
 * @source CUDA Driver API, "Peer Context Memory Access": cuCtxEnablePeerAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_context_enable_peer_access(cuc_context *context, cuc_context *peer);

/**
 * Take cuc_context_enable_peer_access() back. Access that is not enabled is not an error.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param context the one that reads and writes
 * @param peer    the one whose memory it is
 * @retval CUC_OK                     disabled
 * @retval CUC_ERROR_INVALID_ARGUMENT both are of one device
 * @source CUDA Driver API, "Peer Context Memory Access": cuCtxDisablePeerAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_context_disable_peer_access(cuc_context *context, cuc_context *peer);

/**
 * Hold a context once more.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return context; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_context *cuc_context_retain(cuc_context *context);

/**
 * Let go of a context. A primary context stays retained; a foreign one is never destroyed.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param context NULL does nothing
 * @since 0.1
 */
CUC_API void cuc_context_release(cuc_context *context);

CUC_END_DECLS

#endif
