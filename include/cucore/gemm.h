/**
 * @file
 * Products of matrices, ready to call: d = activation(alpha a b + beta c + bias) + residual.
 *
 * A *plan* says what kind of products they are: element types, which way the matrices lie, what is
 * done with the result. Making one writes a tile program, chooses its tiles for a shape and
 * compiles it. The plan then computes products of every shape, from any thread, on any stream of
 * its device; it is fast for those near the shape it was made for. Nothing is kept outside of it.
 *
 *     cuc_gemm_plan_create(&plan, device, CUC_GEMM_OPTIONS(.dtype = CUC_BF16, .m = 4096,
 *                          .n = 4096, .k = 4096, .activation = CUC_GEMM_GELU));
 *     cuc_gemm(stream, plan, 1, 0, CUC_GEMM_ARGS(.a = &a, .b = &b, .d = &d));
 */
#ifndef CUCORE_GEMM_H
#define CUCORE_GEMM_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/stream.h>
#include <cucore/tensor.h>
#include <cucore/tuned.h>

CUC_BEGIN_DECLS

/**
 * Products of one kind, compiled.
 *
 * Threads: any, also at the same time.
 */
typedef struct cuc_gemm_plan cuc_gemm_plan;

/** How many products a call computes. */
enum {
    CUC_GEMM_SINGLE = 0,  /**< one, by cuc_gemm() */
    CUC_GEMM_BATCHED = 1, /**< many of one shape, by cuc_gemm_batched() */
    CUC_GEMM_GROUPED = 2, /**< many that share n and k, each with rows of a and d of its own, by
                               cuc_gemm_grouped() */
};

/** Which elements of a matrix lie side by side. */
enum {
    CUC_GEMM_ROW_MAJOR = 0,    /**< those of a row: strides are [leading dimension, 1] */
    CUC_GEMM_COLUMN_MAJOR = 1, /**< those of a column, as BLAS has it: [1, leading dimension] */
};

/** What is done with each sum before the residual is added. */
enum {
    CUC_GEMM_LINEAR = 0,    /**< nothing */
    CUC_GEMM_RELU = 1,      /**< max(x, 0); NaN stays */
    CUC_GEMM_GELU = 2,      /**< x (1 + erf(x / sqrt 2)) / 2 */
    CUC_GEMM_GELU_TANH = 3, /**< its approximation by a tanh, which is what cuBLASLt has */
    CUC_GEMM_SILU = 4,      /**< x / (1 + exp(-x)) */
};

/** What a bias has an element for. */
enum {
    CUC_GEMM_NO_BIAS = 0,
    CUC_GEMM_BIAS_COLUMNS =
        1,                  /**< each column of d: bias is [n]; [groups, n] of grouped products */
    CUC_GEMM_BIAS_ROWS = 2, /**< each row of d: bias is [m]; not of grouped products */
};

/** How products of f32 are made. */
enum {
    CUC_GEMM_IEEE = 0,   /**< exactly rounded multiply-adds, without tensor cores */
    CUC_GEMM_TF32 = 1,   /**< operands rounded to 11 bits, on tensor cores */
    CUC_GEMM_TF32X3 = 2, /**< three such products, which keep nearly all bits of f32 */
};

/** Flags of cuc_gemm_options. */
enum {
    CUC_GEMM_SHARED_A = 1 << 0,    /**< all products of a batch have the same a: it has two axes */
    CUC_GEMM_SHARED_B = 1 << 1,    /**< all products of a batch have the same b */
    CUC_GEMM_FAST_ACC = 1 << 2,    /**< 8-bit floats: sums keep fewer bits, and are faster */
    CUC_GEMM_SCALED_ROWS = 1 << 3, /**< sums are multiplied by row_scale, f32 [m] */
    CUC_GEMM_SCALED_COLUMNS = 1 << 4, /**< sums are multiplied by column_scale, f32 [n] */
};

/**
 * What kind of products a plan is for; zero is the default of every field.
 *
 * m, n, k and batch tell what tiles are chosen for; no product is bound to them.
 */
typedef struct cuc_gemm_options {
    size_t struct_size; /**< sizeof(cuc_gemm_options); the initialisers set it */

    int32_t form;   /**< CUC_GEMM_SINGLE, _BATCHED or _GROUPED */
    uint32_t flags; /**< CUC_GEMM_ bits */
    cuc_dtype
        dtype; /**< of a and b: f16, bf16, f32, tf32, f64, e4m3, e5m2, i8, u8; must be given */
    cuc_dtype
        d_dtype; /**< of d; 0: dtype's own, bf16 of 8-bit floats, i32 of integers, f32 of tf32 */
    cuc_dtype c_dtype;     /**< of c; 0: there is none, and beta must be 0 */
    cuc_dtype accumulator; /**< f32, f64 or i32, as dtype asks for; 0 is that */
    int32_t precision;     /**< of f32: CUC_GEMM_IEEE, _TF32 or _TF32X3 */
    int32_t a_order;       /**< CUC_GEMM_ROW_MAJOR or _COLUMN_MAJOR: others are right, and slow */
    int32_t b_order;
    int32_t d_order;          /**< of d, c and residual */
    int32_t activation;       /**< CUC_GEMM_LINEAR, _RELU, _GELU, _GELU_TANH or _SILU */
    int32_t bias;             /**< CUC_GEMM_NO_BIAS, _BIAS_COLUMNS or _BIAS_ROWS */
    cuc_dtype bias_dtype;     /**< 0: as d */
    cuc_dtype residual_dtype; /**< 0: there is no residual */

    int64_t m;     /**< rows of d, of all groups together; 0: large */
    int64_t n;     /**< columns of d; 0: large */
    int64_t k;     /**< what is summed over; 0: large */
    int64_t batch; /**< products of a batch, or groups; 0: 1 */

    int32_t tile_m;  /**< rows of d that a block computes; 0: chosen */
    int32_t tile_n;  /**< columns; 0: chosen. tile_m and tile_n go together */
    int32_t tile_k;  /**< of the sum, at a time; 0: chosen */
    int32_t stages;  /**< of the pipeline, 2 to 24; 0: as many as fit */
    int32_t cluster; /**< blocks that load for one another, 1 or 2; 0: chosen */
    /** Of a block, without a pipeline; with one, 4: warpgroups take tiles in turns; 0: the
     *  compiler's. */
    int32_t warps;
    int32_t split;  /**< blocks that do a sum together in a pipeline, 1 to 8; 0: chosen */
    int32_t raster; /**< tiles side by side before the next row of them, 1 to 64; 0: chosen */
    int32_t parts;  /**< of a sum, each in the workspace, 1 to 64; 0: chosen */
    /** Last waves of tiles whose sums all blocks share evenly, by way of the workspace, 1 to 8:
     * where tiles do not fill the last wave; 0: chosen. */
    int32_t stream_k;
    /** The most that cuc_gemm_plan_workspace_bytes() may come to for the shape. Parts of sums lie
     *  there; with 0 none do, unless `parts` or `stream_k` is given. */
    uint64_t workspace_bytes;
    const char *arch; /**< "sm_90a": what is compiled for; NULL: all that the device has */
    /** A file of records (tuned.h) that is looked into before the model is asked; "": none; NULL:
     * the usual one. What is chosen by hand is not looked up. */
    const char *tuned;
} cuc_gemm_options;

/** Every default: cuc_gemm_options o = CUC_GEMM_OPTIONS_INIT; */
#ifdef __cplusplus
static inline cuc_gemm_options cuc__gemm_options_default(void)
{
    cuc_gemm_options options = cuc_gemm_options();
    options.struct_size = sizeof(options);
    return options;
}
#define CUC_GEMM_OPTIONS_INIT (cuc__gemm_options_default())
#else
#define CUC_GEMM_OPTIONS_INIT                   \
    {                                           \
        .struct_size = sizeof(cuc_gemm_options) \
    }

/** Options written at the call site: CUC_GEMM_OPTIONS(.dtype = CUC_F16, .m = 4096). */
#define CUC_GEMM_OPTIONS(...) \
    (&(cuc_gemm_options){ .struct_size = sizeof(cuc_gemm_options), __VA_ARGS__ })
#endif

/**
 * Set every option to its default.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] options     zeroed, its struct_size set
 * @param      caller_size sizeof(cuc_gemm_options), as the caller was compiled with it
 * @since 0.1
 */
CUC_API void cuc_gemm_options_init(cuc_gemm_options *options, size_t caller_size);

/**
 * Write a choice, as records and cuc_gemm_visit_candidates() have it, into options.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options tiles, stages and the like are set, those that the choice does not name to 0
 * @param choice  "BM=128 BN=256 BK=64 :cluster=1 :split=1 :parts=1"
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, options->struct_size is wrong, or the
 *                                    choice has another word or a number that none can be
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_options_set_choice(cuc_gemm_options *options, const char *choice);

/**
 * Go through what a plan may choose among for a shape, with what the model thinks of each.
 *
 * @thread any thread; `visit` is called on the calling thread
 * @capture makes no driver call
 * @param device  as cuc_gemm_plan_create()
 * @param options as cuc_gemm_plan_create(); m, n and k are the shape
 * @param visit   called for each, in no order
 * @param user    handed to visit
 * @retval CUC_OK                     all were visited
 * @retval CUC_ERROR_INVALID_ARGUMENT visit is NULL; else as cuc_gemm_plan_create()
 * @retval CUC_ERROR_INVALID_HANDLE   device is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    tile programs are not compiled for the device or arch
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_visit_candidates(cuc_device *device, const cuc_gemm_options *options,
                                             cuc_tuned_visit visit, void *user);

/** The arrays of a call. What the plan has no use for must be NULL, and is named when it is not. */
typedef struct cuc_gemm_args {
    size_t struct_size;             /**< sizeof(cuc_gemm_args); the initialisers set it */
    const cuc_tensor *a;            /**< [m][k]; [batch][m][k]; all groups' rows, [m][k] */
    const cuc_tensor *b;            /**< [k][n]; [batch][k][n]; [groups][k][n] */
    const cuc_tensor *c;            /**< as d; read only where beta is not 0; may be d itself */
    const cuc_tensor *d;            /**< [m][n]; [batch][m][n]; all groups' rows, [m][n]; written */
    const cuc_tensor *bias;         /**< [n], [m] or [groups][n] */
    const cuc_tensor *residual;     /**< as d; may be d itself */
    const cuc_tensor *row_scale;    /**< f32 [m] */
    const cuc_tensor *column_scale; /**< f32 [n] */
    /** Of grouped products, i32 [groups + 1] on the device: group g has the rows offsets[g] to
     *  offsets[g + 1] of a and d. They ascend; rows of no group are not written. No byte of them is
     *  one of d's. */
    const cuc_tensor *offsets;
    cuc_device_ptr workspace; /**< a multiple of 256, for one product at a time; 0: the plan asks
                                   for none */
    uint64_t workspace_bytes; /**< what is there; at least cuc_gemm_plan_workspace_bytes() */
} cuc_gemm_args;

#define CUC_GEMM_ARGS_INIT                                     \
    {                                                          \
        sizeof(cuc_gemm_args), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Arguments written at the call site: CUC_GEMM_ARGS(.a = &a, .b = &b, .d = &d). */
#define CUC_GEMM_ARGS(...) (&(cuc_gemm_args){ .struct_size = sizeof(cuc_gemm_args), __VA_ARGS__ })
#endif

/**
 * Set arguments to none.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] args        zeroed, its struct_size set
 * @param      caller_size sizeof(cuc_gemm_args), as the caller was compiled with it
 * @since 0.1
 */
CUC_API void cuc_gemm_args_init(cuc_gemm_args *args, size_t caller_size);

/**
 * Make a plan: write the tile program, choose its tiles, compile it to PTX.
 *
 * The library takes some milliseconds, and the driver, which assembles the code, some hundred more;
 * what it has seen before it takes from its cache.
 *
 * @thread any thread
 * @capture never touches a stream
 * @param[out] out     the plan; release it with cuc_gemm_plan_release()
 * @param      device  where it will run; its architecture and number of multiprocessors count
 * @param      options what kind of products; read before the call returns
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out, device or options is NULL, or a field is out of its
 *                                    bounds, or does not go with another: the message names it,
 *                                    with what it may be
 * @retval CUC_ERROR_INVALID_HANDLE   device is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    tile programs are not compiled for the device or arch
 * @retval CUC_ERROR_COMPILE          the tile given cannot be compiled: the log says why
 * @retval CUC_ERROR_IO               the file that `tuned` or CUCORE_TUNED names is not there or
 * cannot be read; one that is no file of records is an INVALID_ARGUMENT
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the code cannot be loaded; other statuses of loading are those
 * of cuc_object_get_kernel()
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_plan_create(cuc_gemm_plan **out, cuc_device *device,
                                        const cuc_gemm_options *options);

/**
 * Hold one reference more.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan the plan, or NULL
 * @return plan
 * @since 0.1
 */
CUC_API cuc_gemm_plan *cuc_gemm_plan_retain(cuc_gemm_plan *plan);

/**
 * Drop a reference; the last one frees the plan. What was enqueued runs to its end.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan the plan, or NULL
 * @since 0.1
 */
CUC_API void cuc_gemm_plan_release(cuc_gemm_plan *plan);

/**
 * Compute a product, in stream order: d = activation(alpha a b + beta c + bias) + residual.
 *
 * Sums are made in the accumulator's type, what follows in f32 (f64 of f64; integers where d is of
 * i32), and rounded once to d's. 8-bit results saturate. Every m, n and k will do, zero too, and
 * every stride; pipelines need an address and leading dimensions that are multiples of 16 bytes.
 * No two elements of d have one address, and nothing that is read but c and residual has a byte of
 * it, which is not looked at.
 * With alpha 0 neither a nor b is read, with beta 0 not c. Nothing is compiled nor allocated, but
 * that the code for an alpha other than 1 without a c is loaded with the first such call.
 *
 * @order  enqueues and returns; the arrays must stay valid until the product is done
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph, or two where sums are split
 * @param stream the queue, of the plan's device
 * @param plan   of the form CUC_GEMM_SINGLE
 * @param alpha  rounded to the type that is computed in
 * @param beta   the same; must be 0 of a plan without c
 * @param args   read before the call returns
 * @retval CUC_OK                     enqueued; a fault while running shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT a handle or args is NULL, an array is missing or not the
 *                                    plan's, shapes do not go together, or the workspace is too
 *                                    small: the message names it, with what was expected
 * @retval CUC_ERROR_INVALID_HANDLE   stream or plan is not alive
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @retval CUC_ERROR_DRIVER           the driver refused: cuc_error_library_code() has the CUresult
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm(cuc_stream *stream, cuc_gemm_plan *plan, double alpha, double beta,
                            const cuc_gemm_args *args);

/**
 * Compute many products of one shape, in stream order: cuc_gemm() of each.
 *
 * @shape  as cuc_gemm(), with an axis of `batch` in front of a, b, c, d and residual; bias and
 *         scales are the same for all. An array of the flags CUC_GEMM_SHARED_ has no such axis
 * @order  enqueues and returns; the arrays must stay valid until the products are done
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph, or several
 * @param stream the queue, of the plan's device
 * @param plan   of the form CUC_GEMM_BATCHED
 * @param alpha  as cuc_gemm()
 * @param beta   as cuc_gemm()
 * @param args   read before the call returns
 * @retval CUC_OK                     enqueued; a fault while running shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT as cuc_gemm()
 * @retval CUC_ERROR_INVALID_HANDLE   stream or plan is not alive
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @retval CUC_ERROR_DRIVER           the driver refused: cuc_error_library_code() has the CUresult
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_batched(cuc_stream *stream, cuc_gemm_plan *plan, double alpha,
                                    double beta, const cuc_gemm_args *args);

/**
 * Compute products that share b's shape, each of a range of rows, in stream order.
 *
 * Group g is d[offsets[g] .. offsets[g + 1]] = a[offsets[g] .. offsets[g + 1]] b[g], and so on as
 * cuc_gemm(). Offsets are on the device, and may be written by work ahead in the stream; a group
 * may have no rows. The matrices a and d are row major.
 *
 * @order  enqueues and returns; the arrays must stay valid until the products are done
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue, of the plan's device
 * @param plan   of the form CUC_GEMM_GROUPED
 * @param alpha  as cuc_gemm()
 * @param beta   as cuc_gemm()
 * @param args   read before the call returns
 * @retval CUC_OK                     enqueued; a fault while running shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT as cuc_gemm()
 * @retval CUC_ERROR_INVALID_HANDLE   stream or plan is not alive
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @retval CUC_ERROR_DRIVER           the driver refused: cuc_error_library_code() has the CUresult
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_grouped(cuc_stream *stream, cuc_gemm_plan *plan, double alpha,
                                    double beta, const cuc_gemm_args *args);

/** What was chosen for a plan, and what is thought to come of it. */
typedef struct cuc_gemm_choice {
    size_t struct_size; /**< sizeof(cuc_gemm_choice), set by the caller */
    int32_t tile_m;     /**< rows of d that a block computes */
    int32_t tile_n;     /**< columns */
    int32_t tile_k;     /**< of the sum, at a time */
    int32_t stages;     /**< 0: as many as fit */
    int32_t cluster;    /**< 1: none */
    int32_t warps;      /**< 0: the compiler's */
    int32_t split;      /**< 1: no blocks do a sum together */
    int32_t raster;     /**< 0: the compiler's */
    int32_t parts;      /**< 1: sums are made as a whole */
    int32_t pipeline;  /**< 1: TMA and wgmma, where addresses and strides allow; 0: its tiles, types
                            or orders cannot be one's, or the device has none */
    cuc_dtype d_dtype; /**< of d */
    int32_t stream_k;  /**< 0: no tile is shared */
    int64_t tiles;     /**< of the shape that the plan was made for, parts of sums counted; 0: it
                            had none */
    double seconds; /**< what the model thinks that takes; only to be compared with others of it */
    const char *by; /**< "options", "tuned" or "model"; static storage */
} cuc_gemm_choice;

#define CUC_GEMM_CHOICE_INIT                                                 \
    {                                                                        \
        sizeof(cuc_gemm_choice), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * What was chosen for a plan.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out  filled in up to its struct_size
 * @param plan the plan
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or out->struct_size is wrong
 * @retval CUC_ERROR_INVALID_HANDLE   plan is not alive
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_plan_get_choice(cuc_gemm_choice *out, const cuc_gemm_plan *plan);

/**
 * A plan's choice as a record, to be kept with cuc_tuned_add() by who has measured it.
 *
 * Its shape is the one that the plan was made for. What is done with the result does not count.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out  filled in up to its struct_size, but for its seconds, which are 0; its texts are
 * borrowed: valid as long as the plan
 * @param plan the plan
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or out->struct_size is wrong
 * @retval CUC_ERROR_INVALID_HANDLE   plan is not alive
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_plan_get_record(cuc_tuned_record *out, const cuc_gemm_plan *plan);

/**
 * How much workspace a product takes.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan the plan
 * @param m    rows of d
 * @param n    columns of d
 * @return bytes; 0 where no sum is split, and for NULL; UINT64_MAX when they pass 64 bits
 * @since 0.1
 */
CUC_API uint64_t cuc_gemm_plan_workspace_bytes(const cuc_gemm_plan *plan, int64_t m, int64_t n);

/**
 * The tile program of a plan, to look at or to begin from.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan  the plan
 * @param index 0: for alpha 1 and beta 0; 1: for any alpha; 2: with c, of a plan that has it
 * @return the source; valid as long as the plan; NULL for NULL and past the end
 * @since 0.1
 */
CUC_API const char *cuc_gemm_plan_source(const cuc_gemm_plan *plan, size_t index);

CUC_END_DECLS

#endif
