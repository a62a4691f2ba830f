/**
 * @file
 * Green contexts: partitions of a device's multiprocessors, for work that must not wait for other
 * work.
 *
 * The multiprocessors of a device are split into groups, and a green context owns some of them.
 * Work on its streams runs only there, so a kernel that fills its partition leaves the other
 * multiprocessors free. Memory, code, events and everything else belong to the device and work with
 * these streams as with any others.
 *
 *     cuc_device_get_sms(&all, device);
 *     cuc_sms_split(groups, &count, &rest, &all, 16, 0); // count: wanted, then available
 *     cuc_green_context_create(&part, device, groups, 1);
 *     cuc_green_context_stream_create(&urgent, part, NULL);      // 16 multiprocessors, always
 */
#ifndef CUCORE_GREEN_H
#define CUCORE_GREEN_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/**
 * A set of a device's multiprocessors: a plain value that owns nothing.
 */
typedef struct cuc_sms {
    uint32_t count;     /**< multiprocessors */
    uint32_t least;     /**< minimum size of a group; 0 with drivers before CUDA 13.0 */
    uint32_t alignment; /**< granularity of group sizes; 0 as above */
    uint32_t reserved;
    uint64_t driver[18]; /**< the driver's CUdevResource */
} cuc_sms;

/** A partition of a device: its primary context with some of its multiprocessors. */
typedef struct cuc_green_context cuc_green_context;

/** Flags of cuc_sms_split(), with the driver's values. */
enum {
    CUC_SMS_ANY = 0x1,         /**< smaller groups, possibly without support for large clusters */
    CUC_SMS_MAX_CLUSTER = 0x2, /**< groups that support clusters of the maximum size */
};

/**
 * All multiprocessors of a device.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    the multiprocessors
 * @param      device the device
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.4
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Green Contexts": cuDeviceGetDevResource
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_sms(cuc_sms *out, cuc_device *device);

/**
 * Split multiprocessors into groups of the same size.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] groups [*count] the groups; NULL only counts the possible groups
 * @param      count  in: number wanted; out: number available, at most the number wanted
 * @param[out] rest   the remainder, with a count of 0 when there is none; may be NULL
 * @param      from   from cuc_device_get_sms() or cuc_green_context_get_sms(); groups and
 *                    remainders cannot be split again
 * @param      least  minimum size of each group, which the driver rounds up to a possible size. 0:
 *                    the driver's minimum
 * @param      flags  CUC_SMS_ bits
 * @retval CUC_OK                     split
 * @retval CUC_ERROR_INVALID_ARGUMENT count or from is NULL, groups is given and *count is 0, least
 *                                    exceeds the available number, flags are unknown, or from is
 *                                    not a valid value
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.4
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as splitting a group
 * @source CUDA Driver API, "Green Contexts": cuDevSmResourceSplitByCount
 * @since 0.1
 */
CUC_API cuc_status cuc_sms_split(cuc_sms *groups, uint32_t *count, cuc_sms *rest,
                                 const cuc_sms *from, uint32_t least, uint32_t flags);

/**
 * Create a green context.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    a new reference; release it
 * @param      device the device that has the multiprocessors
 * @param      sms    [count] groups and the remainder of one split, or all of a device
 * @param      count  more than 0
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, count is 0, or a part has no
 *                                    multiprocessors
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.4
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for parts from two splits or from
 *                                    another device
 * @source CUDA Driver API, "Green Contexts": cuDevResourceGenerateDesc, cuGreenCtxCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_green_context_create(cuc_green_context **out, cuc_device *device,
                                            const cuc_sms *sms, size_t count);

/**
 * The multiprocessors of a green context, which can be split again.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the multiprocessors
 * @param      context the green context
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Green Contexts": cuGreenCtxGetDevResource
 * @since 0.1
 */
CUC_API cuc_status cuc_green_context_get_sms(cuc_sms *out, cuc_green_context *context);

/**
 * The driver's handle of a green context.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return the CUgreenCtx, not to be destroyed; NULL for NULL
 * @since 0.1
 */
CUC_API void *cuc_green_context_handle(const cuc_green_context *context);

/**
 * The device of a green context.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed for the life of the process; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_device *cuc_green_context_device(const cuc_green_context *context);

/**
 * Add a reference to a green context.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return context; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_green_context *cuc_green_context_retain(cuc_green_context *context);

/**
 * Release a green context. Its streams retain it.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param context NULL does nothing
 * @source CUDA Driver API, "Green Contexts": cuGreenCtxDestroy
 * @since 0.1
 */
CUC_API void cuc_green_context_release(cuc_green_context *context);

/**
 * Create a stream whose kernels run on the multiprocessors of a green context.
 *
 * It is an ordinary stream of the device's primary context, except that it never synchronizes with
 * the legacy default stream.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out     a new reference; release it
 * @param      context retained
 * @param      options NULL: lowest priority; CUC_STREAM_SYNC_LEGACY is refused
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out or context is NULL, or a flag is set
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.5
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Green Contexts": cuGreenCtxStreamCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_green_context_stream_create(cuc_stream **out, cuc_green_context *context,
                                                   const cuc_stream_options *options);

CUC_END_DECLS

#endif
