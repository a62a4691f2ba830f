/**
 * @file
 * Matrix multiplication: d = activation(alpha a b + beta c + bias) + residual.
 *
 * A product can also store the activation's input, multiply by an activation's derivative, and
 * return the gradient of a bias and the largest magnitude of its results.
 *
 * A *plan* describes a kind of matrix product: element types, matrix layouts and the operations on
 * the result. Creating a plan writes a tile program, chooses its tile sizes for a shape and
 * compiles it. The plan then computes products of any shape, from any thread, on any stream of its
 * device. It is fast for shapes near the one it was created for. All state is in the plan.
 *
 *     cuc_gemm_plan_create(&plan, device, CUC_GEMM_OPTIONS(.dtype = CUC_BF16, .m = 4096,
 *                          .n = 4096, .k = 4096, .activation = CUC_GEMM_GELU));
 *     cuc_gemm(stream, plan, 1, 0, CUC_GEMM_ARGS(.a = &a, .b = &b, .d = &d));
 */
#ifndef CUCORE_GEMM_H
#define CUCORE_GEMM_H

#include <cucore/base.h>
#include <cucore/cache.h>
#include <cucore/device.h>
#include <cucore/stream.h>
#include <cucore/tensor.h>
#include <cucore/tuned.h>

CUC_BEGIN_DECLS

/**
 * A plan: the compiled code for one kind of product.
 *
 * Threads: any thread, concurrently.
 */
typedef struct cuc_gemm_plan cuc_gemm_plan;

/** The number of products that a call computes. */
enum {
    CUC_GEMM_SINGLE = 0,  /**< one, by cuc_gemm() */
    CUC_GEMM_BATCHED = 1, /**< many of the same shape, by cuc_gemm_batched() */
    CUC_GEMM_GROUPED = 2, /**< many that share n and k, each with its own rows of a and d, by
                               cuc_gemm_grouped() */
};

/** Storage order of a matrix. */
enum {
    CUC_GEMM_ROW_MAJOR = 0,    /**< rows are contiguous: strides are [leading dimension, 1] */
    CUC_GEMM_COLUMN_MAJOR = 1, /**< columns are contiguous, as in BLAS: [1, leading dimension] */
};

/** Activation, applied to each result before the residual is added. A derivative multiplies each
 * result x by the derivative of an activation at the element of `aux`: the backward pass. */
enum {
    CUC_GEMM_LINEAR = 0,               /**< none */
    CUC_GEMM_RELU = 1,                 /**< max(x, 0); NaN is kept */
    CUC_GEMM_GELU = 2,                 /**< x (1 + erf(x / sqrt 2)) / 2 */
    CUC_GEMM_GELU_TANH = 3,            /**< the tanh approximation of GELU, as in cuBLASLt */
    CUC_GEMM_SILU = 4,                 /**< x / (1 + exp(-x)) */
    CUC_GEMM_RELU_DERIVATIVE = 5,      /**< x where aux > 0; otherwise 0 */
    CUC_GEMM_GELU_DERIVATIVE = 6,      /**< of CUC_GEMM_GELU */
    CUC_GEMM_GELU_TANH_DERIVATIVE = 7, /**< of CUC_GEMM_GELU_TANH */
    CUC_GEMM_SILU_DERIVATIVE = 8,      /**< of CUC_GEMM_SILU */
};

/** The axis of d along which a bias varies. */
enum {
    CUC_GEMM_NO_BIAS = 0,
    CUC_GEMM_BIAS_COLUMNS = 1, /**< per column of d: [n], or [groups, n] if grouped */
    CUC_GEMM_BIAS_ROWS = 2,    /**< per row of d: [m]; not for grouped products */
};

/** Sums that a product returns beside d. The gradient of a bias that was added to a matrix is the
 * sum of the gradient of that matrix along the other axis; here this matrix is d, a or b. */
enum {
    CUC_GEMM_NO_GRADIENT = 0,
    CUC_GEMM_GRADIENT_COLUMNS = 1, /**< of each column of d, before it is rounded: [n] */
    CUC_GEMM_GRADIENT_ROWS = 2,    /**< of each row of d, before it is rounded: [m] */
    CUC_GEMM_GRADIENT_A = 3,       /**< of each row of a: [m] */
    CUC_GEMM_GRADIENT_B = 4,       /**< of each column of b: [n] */
};

/** Operands that are packed: copied to rows of the workspace that are aligned for TMA. */
enum {
    CUC_GEMM_PACK_A = 1 << 0,
    CUC_GEMM_PACK_B = 1 << 1,
    CUC_GEMM_PACK_NONE = 1 << 2,
    /** With the bit of the operand: its packed copy has the other order. Tensor cores take tf32 and
     * 8-bit types only with a row-major a and a column-major b. */
    CUC_GEMM_PACK_TRANSPOSED_A = 1 << 3,
    CUC_GEMM_PACK_TRANSPOSED_B = 1 << 4,
};

/** Precision of f32 products. */
enum {
    CUC_GEMM_IEEE = 0,   /**< correctly rounded multiply-adds, without tensor cores */
    CUC_GEMM_TF32 = 1,   /**< operands rounded to 11 bits, on tensor cores */
    CUC_GEMM_TF32X3 = 2, /**< three TF32 products, which preserve nearly all bits of f32 */
};

/** Flags of cuc_gemm_options. */
enum {
    CUC_GEMM_SHARED_A = 1 << 0,    /**< all products of a batch share a, which then has two axes */
    CUC_GEMM_SHARED_B = 1 << 1,    /**< all products of a batch share b, which then has two axes */
    CUC_GEMM_FAST_ACC = 1 << 2,    /**< 8-bit floats: accumulate with fewer bits, which is faster */
    CUC_GEMM_SCALED_ROWS = 1 << 3, /**< multiply the product by row_scale, f32 [m] */
    CUC_GEMM_SCALED_COLUMNS = 1 << 4, /**< multiply the product by column_scale, f32 [n] */
    /** Launch in plain stream order instead of programmatically. Needed only if the preceding
     * kernel is your own, is launched with CUC_LAUNCH_PROGRAMMATIC, and never waits for the kernel
     * before it: the product would wait only for your kernel. */
    CUC_GEMM_PLAIN_LAUNCH = 1 << 5,
    CUC_GEMM_AMAX = 1 << 6, /**< write the largest magnitude of d, before it is rounded, to amax */
};

/**
 * Description of a plan. Zero selects the default of every field except dtype.
 *
 * m, n, k and batch guide the choice of tiles; the plan computes products of any shape.
 */
typedef struct cuc_gemm_options {
    size_t struct_size; /**< sizeof(cuc_gemm_options); the initializers set it */

    int32_t form;   /**< CUC_GEMM_SINGLE, _BATCHED or _GROUPED */
    uint32_t flags; /**< CUC_GEMM_ bits */
    cuc_dtype
        dtype; /**< of a and b: f16, bf16, f32, tf32, f64, e4m3, e5m2, i8, u8; must be given */
    cuc_dtype
        d_dtype; /**< of d; 0: dtype, but bf16 for 8-bit floats, i32 for integers, f32 for tf32 */
    cuc_dtype c_dtype;     /**< of c; 0: no c, and beta must be 0 */
    cuc_dtype accumulator; /**< f32, f64 or i32, as dtype requires; 0: chosen from dtype */
    int32_t precision;     /**< for f32: CUC_GEMM_IEEE, _TF32 or _TF32X3 */
    int32_t a_order;       /**< CUC_GEMM_ROW_MAJOR or _COLUMN_MAJOR; arrays with other strides also
                                work, but slowly */
    int32_t b_order;
    int32_t d_order;          /**< order of d, c and residual */
    int32_t activation;       /**< CUC_GEMM_LINEAR, _RELU, _GELU, _GELU_TANH or _SILU, or the
                                   _DERIVATIVE of one of them */
    int32_t bias;             /**< CUC_GEMM_NO_BIAS, _BIAS_COLUMNS or _BIAS_ROWS */
    cuc_dtype bias_dtype;     /**< 0: the type of d */
    cuc_dtype residual_dtype; /**< 0: no residual */

    int64_t m;     /**< rows of d, of all groups together; 0: large */
    int64_t n;     /**< columns of d; 0: large */
    int64_t k;     /**< extent of the reduction; 0: large */
    int64_t batch; /**< number of products in a batch, or of groups; 0: 1 */

    int32_t tile_m;  /**< rows of d that a block computes; 0: chosen automatically */
    int32_t tile_n;  /**< columns of d; 0: chosen automatically. Set both tile_m and tile_n, or
                          neither */
    int32_t tile_k;  /**< elements of the reduction per iteration; 0: chosen automatically */
    int32_t stages;  /**< pipeline stages, 2 to 24; 0: as many as fit */
    int32_t cluster; /**< blocks that share their loads of b, down a column of tiles: 1, 2 or 4. 8:
                          four down and two along a row, which share their loads of a. 0: chosen
                          automatically */
    /** Warps of a block without a pipeline. With a pipeline, 4 lets warpgroups alternate between
     * tiles. 0: chosen by the compiler. */
    int32_t warps;
    int32_t split;  /**< blocks that share a pipelined reduction, 1 to 8, if cluster is 1; 0: chosen
                         automatically, or 1 if cluster is given */
    int32_t raster; /**< tiles side by side before the next row of tiles, 1 to 64; 0: chosen
                         automatically */
    int32_t parts;  /**< parts of a split reduction, whose partial sums go through the workspace, 1
                         to 64; 0: chosen automatically */
    /** Stream-K: if the tiles do not fill the last wave, all blocks share the reductions of this
     * many last waves evenly, 1 to 8. Partial sums pass through the workspace. 0: chosen
     * automatically. */
    int32_t stream_k;
    /** Upper limit of cuc_gemm_plan_workspace_bytes() for the shape, without what bias_gradient
     * requires. The workspace holds partial sums and packed operands. 0: no workspace, unless
     * `parts`, `stream_k`, `pack` or `bias_gradient` requires one. */
    uint64_t workspace_bytes;
    const char *arch; /**< target architecture, such as "sm_90a"; NULL: all features of the
                           device */
    /** File of tuning records (tuned.h) to search before the cost model is used. "": none; NULL:
     * the file that CUCORE_TUNED names, or the installed one. Options that fix the tile bypass the
     * search. */
    const char *tuned;
    /** The cache of compiled code, used while the plan is created. NULL: cuc_cache_default(). Pass
     * cuc_cache_none() to store nothing. */
    cuc_cache *cache;
    /** Blocks that share their loads of a, along a row of tiles: 1, 2 or 4; 8: four along and two
     * down. Above 1 only if cluster is 1. 0: chosen automatically, or 1 if cluster is given. */
    int32_t cluster_n;
    /** CUC_GEMM_PACK_ bits: operands that are copied to the workspace before the product, if their
     * rows are not aligned or have the wrong order; for CUC_GEMM_SINGLE. 0: chosen automatically */
    int32_t pack;
    /** Largest power of two that divides the addresses of a and b and the bytes between their rows.
     * 0: that of dense arrays at addresses that are multiples of 16. Guides choices, and is not a
     * promise. */
    int32_t alignment;
    /** Type of aux, which has the shape and the order of d. With a derivative, aux is read; 0: the
     * type of d. Otherwise the activation's input is written to it; 0: no aux. */
    cuc_dtype aux_dtype;
    int32_t bias_gradient; /**< CUC_GEMM_NO_GRADIENT, _GRADIENT_COLUMNS, _GRADIENT_ROWS, _GRADIENT_A
                                or _GRADIENT_B; not for grouped products */
    cuc_dtype bias_gradient_dtype; /**< 0: the type that the epilogue computes in */
    /** Multiprocessors that the product uses, so that others stay free for kernels that run beside
     * it, such as those of communication. Only the blocks of pipelines are limited. 0: all of the
     * device. */
    int32_t sm_count;
    /** Scales by block, for 8-bit floats: each number of a_scale is of this many rows of a, 1 or
     * 128, and of 128 elements along k. 0: no a_scale. */
    int32_t a_scale_rows;
    int32_t b_scale_columns; /**< likewise of b_scale and columns of b, 1 or 128; 0: no b_scale */
    int32_t reserved;        /**< 0 */
} cuc_gemm_options;

/** Default options: cuc_gemm_options o = CUC_GEMM_OPTIONS_INIT; */
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
 * @param      caller_size sizeof(cuc_gemm_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_gemm_options_init(cuc_gemm_options *options, size_t caller_size);

/**
 * Apply a choice to options. Choices have the form used by tuning records and
 * cuc_gemm_visit_candidates().
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options tile sizes, stages and the other tuning fields are set; fields that the choice
 *                does not name become 0
 * @param choice  "BM=128 BN=256 BK=64 :cluster=1 :split=1 :parts=1"
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, options->struct_size is wrong, or the
 *                                    choice has an unknown word or an impossible number
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_options_set_choice(cuc_gemm_options *options, const char *choice);

/**
 * Enumerate the candidates of a plan for a shape, with the cost model's estimate of each.
 *
 * @thread any thread; `visit` is called on the calling thread
 * @capture makes no driver call
 * @param device  as cuc_gemm_plan_create()
 * @param options as for cuc_gemm_plan_create(); m, n and k are the shape
 * @param visit   called for each, in no particular order
 * @param user    passed to visit
 * @retval CUC_OK                     all were visited
 * @retval CUC_ERROR_INVALID_ARGUMENT visit is NULL; otherwise as for cuc_gemm_plan_create()
 * @retval CUC_ERROR_INVALID_HANDLE   device is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    tile programs cannot be compiled for the device or arch
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_visit_candidates(cuc_device *device, const cuc_gemm_options *options,
                                             cuc_tuned_visit visit, void *user);

/**
 * The arrays of a call. Arrays that the plan does not use must be NULL; otherwise the call fails
 * and names them.
 */
typedef struct cuc_gemm_args {
    size_t struct_size;             /**< sizeof(cuc_gemm_args); the initializers set it */
    const cuc_tensor *a;            /**< [m][k]; [batch][m][k]; grouped: the rows of all groups,
                                         [m][k] */
    const cuc_tensor *b;            /**< [k][n]; [batch][k][n]; [groups][k][n] */
    const cuc_tensor *c;            /**< like d; read only if beta is not 0; may be d itself */
    const cuc_tensor *d;            /**< [m][n]; [batch][m][n]; grouped: the rows of all groups,
                                         [m][n]; written */
    const cuc_tensor *bias;         /**< [n], [m] or [groups][n] */
    const cuc_tensor *residual;     /**< like d; may be d itself */
    const cuc_tensor *row_scale;    /**< f32 [m] */
    const cuc_tensor *column_scale; /**< f32 [n] */
    /** For grouped products: i32 [groups + 1] on the device. Group g has rows offsets[g] to
     * offsets[g + 1] of a and d. Offsets must ascend. Rows that belong to no group are not written.
     * The array must not overlap d. */
    const cuc_tensor *offsets;
    cuc_device_ptr workspace; /**< a multiple of 256, used by one product at a time; 0 if the plan
                                   needs none */
    uint64_t workspace_bytes; /**< size of the workspace; at least
                                   cuc_gemm_plan_workspace_bytes() */
    const cuc_tensor *aux;    /**< like d; written, or read if the activation is a derivative */
    const cuc_tensor *bias_gradient; /**< [n] or [m]; written; the sum over all products of a
                                          batch */
    const cuc_tensor *amax;          /**< f32 [1]; written; of all products and groups; NaN if some
                                          element is NaN */
    const cuc_tensor *a_scale;       /**< f32 [m / a_scale_rows][k / 128], rounded up, with the
                                          leading axis and the order of a */
    const cuc_tensor *b_scale;       /**< f32 [k / 128][n / b_scale_columns], like b */
} cuc_gemm_args;

#define CUC_GEMM_ARGS_INIT                                                    \
    {                                                                         \
        sizeof(cuc_gemm_args), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Arguments written at the call site: CUC_GEMM_ARGS(.a = &a, .b = &b, .d = &d). */
#define CUC_GEMM_ARGS(...) (&(cuc_gemm_args){ .struct_size = sizeof(cuc_gemm_args), __VA_ARGS__ })
#endif

/**
 * Set arguments to their defaults.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] args        zeroed, its struct_size set
 * @param      caller_size sizeof(cuc_gemm_args) in the calling code
 * @since 0.1
 */
CUC_API void cuc_gemm_args_init(cuc_gemm_args *args, size_t caller_size);

/**
 * Create a plan: write the tile program, choose its tiles, and compile it to PTX.
 *
 * This takes a few milliseconds in the library, plus a few hundred in the driver, which assembles
 * the code unless it is in the driver's cache.
 *
 * @thread any thread
 * @capture never touches a stream
 * @param[out] out     the plan; release it with cuc_gemm_plan_release()
 * @param      device  the device to run on; its architecture and number of multiprocessors matter
 * @param      options description of the plan; read before the call returns
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out, device or options is NULL, or a field is out of bounds or
 *                                    conflicts with another: the message names it and the allowed
 *                                    values
 * @retval CUC_ERROR_INVALID_HANDLE   device is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    tile programs cannot be compiled for the device or arch
 * @retval CUC_ERROR_COMPILE          the given tile cannot be compiled: the log says why
 * @retval CUC_ERROR_IO               the file that `tuned` or CUCORE_TUNED names does not exist or
 *                                    cannot be read; a file with other contents is a
 *                                    CUC_ERROR_INVALID_ARGUMENT
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the code cannot be loaded; for other load failures see
 *                                    cuc_object_get_kernel()
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_plan_create(cuc_gemm_plan **out, cuc_device *device,
                                        const cuc_gemm_options *options);

/**
 * Add a reference to a plan.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan the plan, or NULL
 * @return plan
 * @since 0.1
 */
CUC_API cuc_gemm_plan *cuc_gemm_plan_retain(cuc_gemm_plan *plan);

/**
 * Release a reference; the last one frees the plan. Work already enqueued completes.
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
 * Products are accumulated in the accumulator's type. The rest is computed in f32 (in f64 for f64,
 * in integers if d is i32) and rounded once to d's type. 8-bit results saturate. m, n and k may
 * have any value, including zero, and strides may be arbitrary. If an address or a leading
 * dimension is not a multiple of 16 bytes, threads copy that operand instead of TMA, which is
 * slower. The elements of a written array must have distinct addresses. No array may overlap a
 * written one, except that c and residual may overlap d; this is not checked. If alpha is 0, a and
 * b are not read, except by a bias_gradient that is their sum; if beta is 0, c is not read. The
 * call compiles and allocates nothing, with one exception: the first call with an alpha other than
 * 1 and no c loads the code for it.
 *
 * @order  enqueues and returns; the arrays must stay valid until the product is complete. From
 *         compute capability 9.0 on, the kernel starts while the preceding kernel ends, but waits
 *         for the end of that kernel before it reads memory (CUC_LAUNCH_PROGRAMMATIC; see
 *         CUC_GEMM_PLAIN_LAUNCH)
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph; one more if the reduction is split, one more if operands
 * are packed, one more for amax, and one or two more for a gradient of a bias. Results of more than
 * 65535 tiles along a row take several launches
 * @param stream the queue, of the plan's device
 * @param plan   of form CUC_GEMM_SINGLE
 * @param alpha  rounded to the type of the computation
 * @param beta   rounded like alpha; must be 0 for a plan without c
 * @param args   read before the call returns
 * @retval CUC_OK                     enqueued; a fault while running shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT a handle or args is NULL, an array is missing or does not
 *                                    match the plan, shapes do not match, or the workspace is too
 *                                    small: the message names it and the expected value
 * @retval CUC_ERROR_INVALID_HANDLE   stream or plan is not alive
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @retval CUC_ERROR_DRIVER           the driver refused: cuc_error_library_code() has the CUresult
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm(cuc_stream *stream, cuc_gemm_plan *plan, double alpha, double beta,
                            const cuc_gemm_args *args);

/**
 * Compute many products of the same shape, in stream order, each like cuc_gemm().
 *
 * @shape  as cuc_gemm(), with a leading axis of `batch` in a, b, c, d, residual and aux; bias and
 *         scales are shared, and bias_gradient and amax are of all products. An array with its
 * CUC_GEMM_SHARED_ flag has no such axis
 * @order  enqueues and returns; the arrays must stay valid until the products are complete
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph, or several
 * @param stream the queue, of the plan's device
 * @param plan   of form CUC_GEMM_BATCHED
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
 * Compute many products in stream order. All matrices b have the same shape; each product covers a
 * range of rows of a and d.
 *
 * Group g is d[offsets[g] .. offsets[g + 1]] = a[offsets[g] .. offsets[g + 1]] b[g], and the rest
 * as in cuc_gemm(). Offsets are on the device and may be written by earlier work on the stream; a
 * group may have no rows. The matrices a and d are row major.
 *
 * @order  enqueues and returns; the arrays must stay valid until the products are complete
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue, of the plan's device
 * @param plan   of form CUC_GEMM_GROUPED
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

/** The choice made for a plan and its estimated time. */
typedef struct cuc_gemm_choice {
    size_t struct_size; /**< sizeof(cuc_gemm_choice), set by the caller */
    int32_t tile_m;     /**< rows of d that a block computes */
    int32_t tile_n;     /**< columns */
    int32_t tile_k;     /**< elements of the reduction per iteration */
    int32_t stages;     /**< 0: as many as fit */
    int32_t cluster;    /**< blocks of a cluster, down a column of tiles; 1: no cluster */
    int32_t warps;      /**< 0: the compiler's choice */
    int32_t split;      /**< 1: no blocks share a reduction */
    int32_t raster;     /**< 0: the compiler's choice */
    int32_t parts;      /**< 1: reductions are not split */
    int32_t pipeline;   /**< 1: TMA and wgmma, where addresses and strides allow; 0: not possible
                             with these tiles, types or orders, or on this device */
    cuc_dtype d_dtype;  /**< of d */
    int32_t stream_k;   /**< 0: no tile is shared */
    int64_t tiles; /**< number of tiles for the plan's shape, times the parts of a reduction; 0: the
                        plan has no shape */
    double seconds; /**< the model's estimate; meaningful only in comparison with other estimates */
    const char *by; /**< "options", "tuned" or "model"; static storage */
    int32_t cluster_n; /**< blocks of a cluster, along a row of tiles; 1: no cluster */
    int32_t pack;      /**< CUC_GEMM_PACK_ bits of the operands that are packed */
} cuc_gemm_choice;

#define CUC_GEMM_CHOICE_INIT                                                       \
    {                                                                              \
        sizeof(cuc_gemm_choice), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * The choice made for a plan.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out  written up to its struct_size
 * @param plan the plan
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or out->struct_size is wrong
 * @retval CUC_ERROR_INVALID_HANDLE   plan is not alive
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_plan_get_choice(cuc_gemm_choice *out, const cuc_gemm_plan *plan);

/**
 * A plan's choice as a record, for code that has measured it and stores it with cuc_tuned_add().
 *
 * The shape is the one that the plan was created for. Operations on the result are not part of the
 * record.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out  written up to its struct_size, except for its seconds, which are 0; its strings are
 *             borrowed: valid as long as the plan
 * @param plan the plan
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or out->struct_size is wrong
 * @retval CUC_ERROR_INVALID_HANDLE   plan is not alive
 * @since 0.1
 */
CUC_API cuc_status cuc_gemm_plan_get_record(cuc_tuned_record *out, const cuc_gemm_plan *plan);

/**
 * The size of the workspace that a product needs; for CUC_GEMM_BATCHED, each product of the batch.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan the plan
 * @param m    rows of d
 * @param n    columns of d
 * @param k    extent of the reduction
 * @return bytes; 0 if the plan splits no sum, packs no operand and computes no gradient of a bias,
 *         and for NULL; UINT64_MAX if the size exceeds 64 bits
 * @since 0.1
 */
CUC_API uint64_t cuc_gemm_plan_workspace_bytes(const cuc_gemm_plan *plan, int64_t m, int64_t n,
                                               int64_t k);

/**
 * The tile program of a plan, to read or to start from.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan  the plan
 * @param index 0: for alpha 1 and beta 0; 1: for any alpha; 2: with c, if the plan has it
 * @return the source; valid as long as the plan; NULL for NULL and past the end
 * @since 0.1
 */
CUC_API const char *cuc_gemm_plan_source(const cuc_gemm_plan *plan, size_t index);

CUC_END_DECLS

#endif
