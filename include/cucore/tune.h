/**
 * @file
 * Tuning: candidates measured on a GPU, the fastest kept in a file (tuned.h).
 *
 * Part of libcucore-bench, since it measures as benchmarks do: cold, in turns, until the median is
 * known well enough, with samples of a throttled device thrown away. Each candidate's result is compared
 * with that of the model's first choice before it is timed.
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

/** What became of a candidate. */
typedef struct cuc_tune_candidate {
    size_t struct_size; /**< sizeof(cuc_tune_candidate) of the library */
    const char *choice; /**< as records have it */
    double seconds;     /**< median; NaN: it was not measured */
    double ci_low;      /**< the median's 95 % confidence interval */
    double ci_high;
    double model;       /**< seconds that the model thought of */
    const char *reason; /**< why it was not measured, or is wrong; NULL: it was */
} cuc_tune_candidate;

/** Steps of tuning. */
enum {
    CUC_TUNE_COMPILING = 0, /**< a candidate is compiled */
    CUC_TUNE_CHECKING = 1,  /**< its first run, compared with the first candidate's result */
    CUC_TUNE_SAMPLING = 2,  /**< all are measured in turns; told ten times a second at most */
};

/** Where tuning is. Pointers are valid during the callback. */
typedef struct cuc_tune_progress {
    size_t struct_size; /**< sizeof(cuc_tune_progress) of the library */
    const char *choice; /**< the candidate, as records have it; NULL: all */
    int32_t step;       /**< a CUC_TUNE_ constant */
    uint32_t number;    /**< of the candidate, from 1; 0: all */
    uint32_t count;     /**< of candidates */
    uint32_t samples;   /**< SAMPLING: rounds so far; else 0 */
} cuc_tune_progress;

/** How tuning goes about it; zero is the default of every field. */
typedef struct cuc_tune_options {
    size_t struct_size; /**< sizeof(cuc_tune_options); the initialisers set it */
    uint32_t most;      /**< candidates that are measured, those that the model likes best; 0: 12 */
    uint32_t flags;     /**< 0 */
    double max_seconds; /**< of sampling; 0: 3 */
    double target;      /**< relative half width of a median's interval; 0: 0.005 */
    uint64_t seed;      /**< of inputs and of the order */
    const char *path;   /**< the file that gets the winner's record; NULL: none. One that cannot be
                             written is told of before anything is measured */
    /** Told of each candidate when all are measured, the fastest first; NULL: nobody. */
    void (*tell)(void *user, const cuc_tune_candidate *candidate);
    void *user; /**< handed to tell and progress */
    /** Called as each step begins: compiling and first runs can take long. NULL: nobody. */
    void (*progress)(void *user, const cuc_tune_progress *progress);
} cuc_tune_options;

#define CUC_TUNE_OPTIONS_INIT                           \
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
 * @param      caller_size sizeof(cuc_tune_options), as the caller was compiled with it
 * @since 0.1
 */
CUC_API void cuc_tune_options_init(cuc_tune_options *options, size_t caller_size);

/**
 * Find the fastest tile of a plan's kind and shape, with matrices of its own.
 *
 * Needs memory for the matrices in several sets, and NVRTC for what flushes L2.
 *
 * @order  returns when it is done: seconds
 * @thread any thread
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param[out] choice  gets the winner's text, closed by a zero byte; NULL: not wanted
 * @param      room    of choice, in bytes; 512 are enough
 * @param      device  measured on
 * @param      plan    what kind of products, and which shape: m, n and k must be given. Nothing is done
 *                     with the result but its activation, and what is chosen by hand stays
 * @param      options NULL is every default
 * @retval CUC_OK                     found, and kept if there is a path
 * @retval CUC_ERROR_INVALID_ARGUMENT device or plan is NULL, a field is out of its bounds, or room is
 *                                    too small
 * @retval CUC_ERROR_NOT_FOUND        no candidate could be measured: the message has the first reason
 * @retval CUC_ERROR_INVALID_HANDLE   device is not alive
 * @retval CUC_ERROR_IO               the file could not be read or written
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also the failures of cuc_bench_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_tune(char *choice, size_t room, cuc_device *device,
                                 const cuc_gemm_options *plan, const cuc_tune_options *options);

/**
 * Find the fastest constants of auto() for a kernel of a tile program, with the caller's arguments.
 *
 * Tensors that the kernel writes are put back before each run and in the end, so that they hold what
 * they held. The record is of the extents among `program`'s dimensions.
 *
 * @order  waits for the device, and returns when it is done: seconds
 * @thread any thread
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param[out] choice  gets the winner's text, closed by a zero byte; NULL: not wanted
 * @param      room    of choice, in bytes; 512 are enough
 * @param      device  measured on, which reaches the tensors
 * @param      text    the tile program
 * @param      bytes   how long it is; 0 for a text that ends with a zero byte
 * @param      program as cuc_program_create(); its dimensions must be those of the arguments, and its
 *                     arch NULL
 * @param      kernel  the kernel's name; NULL: the only one there is
 * @param      args    [count], as cuc_launch() takes them
 * @param      count   the number of the kernel's parameters
 * @param      options NULL is every default
 * @retval CUC_OK                     found, and kept if there is a path
 * @retval CUC_ERROR_INVALID_ARGUMENT device, text, program or args is NULL, or room is too small; also
 *                                    what cuc_launch() refuses
 * @retval CUC_ERROR_COMPILE          the source is wrong
 * @retval CUC_ERROR_NOT_FOUND        no such kernel, or no candidate could be measured: the message has
 *                                    the first reason
 * @retval CUC_ERROR_INVALID_HANDLE   device is not alive
 * @retval CUC_ERROR_IO               the file could not be read or written
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also the failures of cuc_bench_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_tune(char *choice, size_t room, cuc_device *device, const char *text,
                                 size_t bytes, const cuc_program_options *program,
                                 const char *kernel, const cuc_arg *args, size_t count,
                                 const cuc_tune_options *options);

CUC_END_DECLS

#endif
