/**
 * @file
 * Tuning: measure candidates on a GPU and store the fastest in a file (tuned.h).
 *
 * This is part of libcucore-bench, because it measures as the benchmarks do: with cold caches, in
 * rounds, until the median is known precisely enough. It discards samples of a throttled device.
 * Before it times a candidate, it compares the candidate's result with the result of the model's
 * first choice.
 */
#ifndef CUCORE_TUNE_H
#define CUCORE_TUNE_H

#include <cucore/base.h>
#include <cucore/bench.h>
#include <cucore/gemm.h>
#include <cucore/launch.h>
#include <cucore/program.h>
#include <cucore/tuned.h>

CUC_BEGIN_DECLS

/** The result for one candidate. */
typedef struct cuc_tune_candidate {
    size_t struct_size; /**< sizeof(cuc_tune_candidate) in the library */
    const char *choice; /**< in the form of tuning records */
    double seconds;     /**< median; NaN: not measured */
    double ci_low;      /**< the median's 95 % confidence interval */
    double ci_high;
    double model;       /**< the model's estimate in seconds */
    const char *reason; /**< why it was not measured or is wrong; NULL: measured */
} cuc_tune_candidate;

/** Steps of tuning. */
enum {
    CUC_TUNE_COMPILING = 0, /**< a candidate is being compiled */
    CUC_TUNE_CHECKING = 1,  /**< a candidate's first run, compared with the first candidate's
                                 result */
    CUC_TUNE_SAMPLING = 2,  /**< all candidates are measured in rounds; reported at most ten times a
                                 second */
};

/** The progress of tuning. Pointers are valid during the callback. */
typedef struct cuc_tune_progress {
    size_t struct_size; /**< sizeof(cuc_tune_progress) in the library */
    const char *choice; /**< the candidate, in the form of tuning records; NULL: all candidates */
    int32_t step;       /**< a CUC_TUNE_ constant */
    uint32_t number;    /**< the candidate's number, from 1; 0: all candidates */
    uint32_t count;     /**< number of candidates */
    uint32_t samples;   /**< SAMPLING: rounds so far; else 0 */
} cuc_tune_progress;

/** Options of tuning. Zero selects the default of every field. */
typedef struct cuc_tune_options {
    size_t struct_size; /**< sizeof(cuc_tune_options); the initializers set it */
    uint32_t most;      /**< maximum number of candidates to measure, the model's best first; 0:
                             12 */
    uint32_t flags;     /**< 0 */
    double max_seconds; /**< sampling time; 0: 3 */
    double target;      /**< relative half width of a median's interval; 0: 0.005 */
    uint64_t seed;      /**< seed of the inputs and of the random order */
    const char *path;   /**< file for the winner's record; NULL: none. If the file cannot be
                             written, the call fails before it measures */
    /** Receives each candidate after all are measured, the fastest first; NULL: none. */
    void (*tell)(void *user, const cuc_tune_candidate *candidate);
    void *user; /**< passed to tell and progress */
    /** Called when each step begins, because compiling and first runs can take long. NULL: none. */
    void (*progress)(void *user, const cuc_tune_progress *progress);
} cuc_tune_options;

#define CUC_TUNE_OPTIONS_INIT                               \
    {                                                       \
        sizeof(cuc_tune_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site, in C: CUC_TUNE_OPTIONS(.most = 6). */
#define CUC_TUNE_OPTIONS(...) \
    (&(cuc_tune_options){ .struct_size = sizeof(cuc_tune_options), __VA_ARGS__ })
#endif

/**
 * Set options to their defaults.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] options     zeroed, its struct_size set
 * @param      caller_size sizeof(cuc_tune_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_tune_options_init(cuc_tune_options *options, size_t caller_size);

/**
 * Find the fastest tile for a plan's kind and shape, on matrices that the call creates.
 *
 * Needs memory for several sets of the matrices, and NVRTC for the kernel that flushes L2.
 *
 * @order  returns when it is complete: seconds
 * @thread any thread
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param[out] choice   receives the winner's text, with a final zero byte; NULL: not wanted
 * @param      capacity size of choice in bytes; 512 suffices
 * @param      device   the device to measure on
 * @param      plan     the kind of matrix product and its shape; m, n and k must be given. Of the
 *                      operations on the result, only the activation is measured. Tile options that
 *                      are not 0 stay as they are
 * @param      options  NULL selects all defaults
 * @retval CUC_OK                     found, and stored if there is a path
 * @retval CUC_ERROR_INVALID_ARGUMENT device or plan is NULL, a field is out of bounds, or capacity
 *                                    is too small
 * @retval CUC_ERROR_NOT_FOUND        no candidate could be measured: the message has the first
 *                                    reason
 * @retval CUC_ERROR_INVALID_HANDLE   device is not alive
 * @retval CUC_ERROR_IO               the file could not be read or written
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also the failures of cuc_bench_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_tune(char *choice, size_t capacity, cuc_device *device,
                                 const cuc_gemm_options *plan, const cuc_tune_options *options);

/**
 * Find the fastest constants of auto() for a kernel of a tile program, with the caller's arguments.
 *
 * Tensors that the kernel writes are restored before each run and at the end, so their contents do
 * not change. The record is for the extents that the dimensions in `program` have.
 *
 * @order  waits for the device, and returns when it is complete: seconds
 * @thread any thread
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param[out] choice   receives the winner's text, with a final zero byte; NULL: not wanted
 * @param      capacity size of choice in bytes; 512 suffices
 * @param      device   the device to measure on; it can access the tensors
 * @param      text     the tile program
 * @param      bytes    length of the text; 0 for a text that ends with a zero byte
 * @param      program  as for cuc_program_create(); its dimensions must match the arguments, and
 *                      its arch must be NULL
 * @param      kernel   the kernel's name; NULL: the program's only kernel
 * @param      args     [count], as for cuc_launch()
 * @param      count    the number of the kernel's parameters
 * @param      options  NULL selects all defaults
 * @retval CUC_OK                     found, and stored if there is a path
 * @retval CUC_ERROR_INVALID_ARGUMENT device, text, program or args is NULL, or capacity is too
 *                                    small; also arguments that cuc_launch() refuses
 * @retval CUC_ERROR_COMPILE          the source is wrong
 * @retval CUC_ERROR_NOT_FOUND        no such kernel, or no candidate could be measured: the message
 *                                    has the first reason
 * @retval CUC_ERROR_INVALID_HANDLE   device is not alive
 * @retval CUC_ERROR_IO               the file could not be read or written
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also the failures of cuc_bench_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_tune(char *choice, size_t capacity, cuc_device *device,
                                 const char *text, size_t bytes, const cuc_program_options *program,
                                 const char *kernel, const cuc_arg *args, size_t count,
                                 const cuc_tune_options *options);

CUC_END_DECLS

#endif
