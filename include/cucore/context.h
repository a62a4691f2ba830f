/**
 * @file
 * Contexts, which own a device's allocations, streams and loaded code.
 *
 * Most programs never name a context: a device supplies its primary context, and a stream knows its
 * own. This header serves programs that create contexts with the driver themselves.
 */
#ifndef CUCORE_CONTEXT_H
#define CUCORE_CONTEXT_H

#include <cucore/base.h>
#include <cucore/device.h>

CUC_BEGIN_DECLS

/**
 * A driver context: a retained primary context, or a borrowed one created elsewhere.
 *
 * Threads: any thread.
 */
typedef struct cuc_context cuc_context;

/**
 * The context that is current on the calling thread.
 *
 * @thread reads the calling thread's state
 * @capture safe: not restricted by the driver
 * @param[out] out a new reference; release it; NULL when no context is current
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
 * @param      context  NULL: no context is current afterwards
 * @param[out] previous the context that was current, retained, or NULL when none was; may be NULL
 * @retval CUC_OK           current
 * @retval CUC_ERROR_DRIVER the driver refused; the current context is unchanged
 * @source CUDA Driver API, "Context Management": cuCtxSetCurrent
 * @since 0.1
 */
CUC_API cuc_status cuc_context_set_current(cuc_context *context, cuc_context **previous);

/**
 * Wrap a context that was created with the driver.
 *
 * The same CUcontext always yields the same object. The context is borrowed: cucore never destroys
 * it, and it must outlive every object created in it.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    a new reference; release it
 * @param      handle a CUcontext
 * @retval CUC_OK                     wrapped
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver does not know the handle
 * @source CUDA Driver API, "Context Management": cuCtxGetDevice
 * @since 0.1
 */
CUC_API cuc_status cuc_context_from_handle(cuc_context **out, void *handle);

/**
 * The driver's handle of a context.
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
 * Check whether a context is its device's primary context.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 or 0
 * @since 0.1
 */
CUC_API int32_t cuc_context_is_primary(const cuc_context *context);

/**
 * An identifier that is unique among all contexts the process ever has.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the identifier
 * @param      context the context
 * @retval CUC_OK                  read
 * @retval CUC_ERROR_NOT_SUPPORTED the driver is older than CUDA 12.0
 * @source CUDA Driver API, "Context Management": cuCtxGetId
 * @since 0.1
 */
CUC_API cuc_status cuc_context_get_id(uint64_t *out, cuc_context *context);

/**
 * Wait until all work in a context is complete.
 *
 * @order  blocks the calling thread
 * @thread any thread
 * @capture spoils every capture of the context, in any mode
 * @retval CUC_OK                 everything is done
 * @retval CUC_ERROR_CONTEXT_LOST work failed; the message lists likely causes
 * @retval CUC_ERROR_BUSY         a stream of the context is being captured
 * @source CUDA Driver API, "Context Management": cuCtxSynchronize
 * @since 0.1
 */
CUC_API cuc_status cuc_context_synchronize(cuc_context *context);

/**
 * Check whether an earlier failure destroyed a context.
 *
 * The first call that the driver answers with a sticky error marks the context as lost; this
 * function only reads that mark and makes no driver call. In a lost context every call fails,
 * releases do nothing, and only a new process can use the device again.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 0, or the CUresult that destroyed it, such as 700
 * @since 0.1
 */
CUC_API int32_t cuc_context_is_lost(const cuc_context *context);

/** Limits of a context, with the driver's values of CUlimit. */
enum {
    CUC_LIMIT_STACK_BYTES = 0,         /**< stack size of each thread */
    CUC_LIMIT_PRINTF_BYTES = 1,        /**< size of the device-side printf buffer */
    CUC_LIMIT_MALLOC_HEAP_BYTES = 2,   /**< size of the heap for device-side malloc and new */
    CUC_LIMIT_MAX_L2_FETCH_BYTES = 5,  /**< 0 to 128; a hint */
    CUC_LIMIT_PERSISTING_L2_BYTES = 6, /**< size of the L2 set aside for persisting accesses */
    CUC_LIMIT_SHARED_MEMORY_BYTES = 7, /**< read-only; for CUDA in graphics (CIG) */
    CUC_LIMIT_CIG_ENABLED = 8,         /**< read-only */
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
 * Set a limit of a context; the driver may round the value.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param context the context
 * @param limit   a CUC_LIMIT_ constant
 * @param value   in the unit of the limit
 * @retval CUC_OK                         set
 * @retval CUC_ERROR_NOT_SUPPORTED        the device has no such limit
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY there is not enough memory for it
 * @retval CUC_ERROR_INVALID_ARGUMENT     context is NULL
 * @retval CUC_ERROR_DRIVER               the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Context Management": cuCtxSetLimit
 * @since 0.1
 */
CUC_API cuc_status cuc_context_set_limit(cuc_context *context, int32_t limit, uint64_t value);

/**
 * The range of stream priorities in a context.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] least    the lowest priority, numerically the largest: 0
 * @param[out] greatest the highest priority, numerically the smallest, such as -5
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
 * Let the kernels of a context access memory that was allocated in another device's context.
 *
 * This covers plain allocations; pools have their own access list (memory.h). Enabling access twice
 * is not an error.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param context the context whose kernels access the memory
 * @param peer    the context that holds the memory, on another device
 * @retval CUC_OK                     enabled
 * @retval CUC_ERROR_INVALID_ARGUMENT both belong to the same device
 * @retval CUC_ERROR_NOT_SUPPORTED    the devices cannot reach each other
 * @source CUDA Driver API, "Peer Context Memory Access": cuCtxEnablePeerAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_context_enable_peer_access(cuc_context *context, cuc_context *peer);

/**
 * Undo cuc_context_enable_peer_access(). Disabling access that is not enabled is not an error.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param context the context whose kernels access the memory
 * @param peer    the context that holds the memory
 * @retval CUC_OK                     disabled
 * @retval CUC_ERROR_INVALID_ARGUMENT both belong to the same device
 * @source CUDA Driver API, "Peer Context Memory Access": cuCtxDisablePeerAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_context_disable_peer_access(cuc_context *context, cuc_context *peer);

/**
 * Add a reference to a context.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return context; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_context *cuc_context_retain(cuc_context *context);

/**
 * Release a context. A primary context stays retained. A foreign context is never destroyed.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param context NULL does nothing
 * @since 0.1
 */
CUC_API void cuc_context_release(cuc_context *context);

CUC_END_DECLS

#endif
