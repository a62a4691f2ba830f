/**
 * @file
 * Attention: o = softmax(scale q k') v, computed row by row without storing the scores.
 *
 * A *plan* describes a kind of attention: element type, widths, mask and score function. Creating a
 * plan writes a tile program, chooses its tiles for the given extents and compiles it. The plan
 * then computes attention for any number of batches, heads, queries and keys, from any thread, on
 * any stream of its device. All state is in the plan.
 *
 *     cuc_attention_plan_create(&plan, device, CUC_ATTENTION_OPTIONS(.dtype = CUC_BF16,
 *                               .width = 128, .mask = CUC_ATTENTION_CAUSAL, .queries = 4096));
 *     cuc_attention(stream, plan, CUC_ATTENTION_ARGS(.q = &q, .k = &k, .v = &v, .o = &o));
 */
#ifndef CUCORE_ATTENTION_H
#define CUCORE_ATTENTION_H

#include <cucore/base.h>
#include <cucore/cache.h>
#include <cucore/device.h>
#include <cucore/stream.h>
#include <cucore/tensor.h>

CUC_BEGIN_DECLS

/**
 * A plan: the compiled code for one kind of attention.
 *
 * Threads: any thread, concurrently.
 */
typedef struct cuc_attention_plan cuc_attention_plan;

/** The keys that a query sees. */
enum {
    CUC_ATTENTION_FULL = 0,   /**< all keys, or those of the window */
    CUC_ATTENTION_CAUSAL = 1, /**< no key after the query's diagonal key */
};

/** The diagonal key of query i, for causal masks and windows. */
enum {
    CUC_ATTENTION_TOP_LEFT = 0,     /**< key i: the first query and the first key belong together */
    CUC_ATTENTION_BOTTOM_RIGHT = 1, /**< key i + keys - queries: the last query and the last key
                                         belong together */
};

/** The order of the axes of q, k, v and o. */
enum {
    CUC_ATTENTION_HEADS_FIRST = 0,    /**< [batch, heads, sequence, width] */
    CUC_ATTENTION_SEQUENCE_FIRST = 1, /**< [batch, sequence, heads, width] */
};

/** Flags of cuc_attention_options. */
enum {
    CUC_ATTENTION_LSE = 1 << 0, /**< calls also write lse, the logarithm of each row's sum */
    /** Launch in plain stream order instead of programmatically. Needed only if the preceding
     * kernel is your own, is launched with CUC_LAUNCH_PROGRAMMATIC, and never waits for the kernel
     * before it: attention would wait only for your kernel. */
    CUC_ATTENTION_PLAIN_LAUNCH = 1 << 1,
    /** Each head has a sink, one more score that takes part in the softmax of each row but has no
     * value. */
    CUC_ATTENTION_SINKS = 1 << 2,
    /** Sequences of any lengths lie one after another in the arrays, which have no batch axis. */
    CUC_ATTENTION_VARIABLE = 1 << 3,
    /** The plan also has kernels for cuc_attention_backward(); implies CUC_ATTENTION_LSE. Not with
     * pages, CUC_ATTENTION_KEY_LENGTHS and e4m3. */
    CUC_ATTENTION_BACKWARD = 1 << 4,
    /** k and v are a cache: of each sequence only the first key_lengths[b] keys count. A page_size
     * implies it */
    CUC_ATTENTION_KEY_LENGTHS = 1 << 5,
    /** Only for e4m3 without a cache: sums over all keys stay in the tensor cores, which keep only
     * 13 bits. Faster, but values that mostly have one sign lose some percent over thousands of
     * keys. Without effect on few queries */
    CUC_ATTENTION_FAST_ACC = 1 << 6,
};

/** Maximum number of side arrays of a plan. */
#define CUC_ATTENTION_MAX_SIDES 8

/** An array that a score function reads. */
typedef struct cuc_attention_side {
    const char *name; /**< of the function's parameter: letters, digits and _, at most 31 */
    cuc_dtype dtype;
    int32_t rank; /**< number of axes, 1 to CUC_TENSOR_MAX_RANK */
    /** For an array of floats that trains: the indices at which the function reads it, and only
     * there, one for each axis: batch, head, row or column, each at most once, such as
     * "head" or "batch, head, row, column". cuc_attention_backward() then writes its gradient.
     * NULL: it does not train */
    const char *gradient;
} cuc_attention_side;

/**
 * Description of a plan. Zero selects the default of every field except dtype and width.
 *
 * batch, heads, key_heads, queries and keys guide the choice of tiles; the plan accepts any
 * extents.
 */
typedef struct cuc_attention_options {
    size_t struct_size; /**< sizeof(cuc_attention_options); the initializers set it */

    uint32_t flags;       /**< CUC_ATTENTION_ bits */
    cuc_dtype dtype;      /**< of q, k, v and o: f16, bf16, or e4m3 with scales; must be given */
    int32_t width;        /**< elements of a query and of a key, 1 to 256; must be given. Multiples
                               of 16 are fastest */
    int32_t value_width;  /**< elements of a value and of a row of o, 1 to 256; 0: width */
    int32_t mask;         /**< CUC_ATTENTION_FULL or _CAUSAL */
    int32_t align;        /**< CUC_ATTENTION_TOP_LEFT or _BOTTOM_RIGHT */
    int32_t order;        /**< CUC_ATTENTION_HEADS_FIRST or _SEQUENCE_FIRST */
    int32_t window_left;  /**< a query sees at most this many keys before its diagonal key; 0: any
                               number */
    int32_t window_right; /**< a query sees at most this many keys after its diagonal key; 0: any
                               number, or none if the mask is causal */

    int32_t tile_q; /**< queries that a block computes, a multiple of 16 up to 256; 0: chosen
                         automatically */
    int32_t tile_k; /**< keys of a step, a multiple of 16 up to 256; 0: chosen automatically */
    int32_t stages; /**< pipeline stages, 2 to 24; 0: as many as fit */
    int32_t warps;  /**< warps of a block without a pipeline; 0: chosen by the compiler */

    int64_t batch;     /**< number of batches; 0: large */
    int64_t heads;     /**< heads of q; 0: large */
    int64_t key_heads; /**< heads of k and v; 0: heads */
    int64_t queries;   /**< queries of a sequence; 0: large */
    int64_t keys;      /**< keys of a sequence; 0: queries */

    const char *arch; /**< target architecture, such as "sm_90a"; NULL: all features of the
                           device */
    /** The cache of compiled code, used while the plan is created. NULL: cuc_cache_default(). Pass
     * cuc_cache_none() to store nothing. */
    cuc_cache *cache;

    /** The score function in the tile language: an expression, or statements that end with
     * `return`. It has the parameters score (f32 tile [tile_q, tile_k]: the scaled product of
     * queries and keys), batch and head (i64 scalars), row (i32 [tile_q, 1]: the query) and column
     * (i32 [1, tile_k]: the key), and then the side arrays. Its result replaces the score; -inf
     * hides a key. With CUC_ATTENTION_BACKWARD all operations on the score have derivatives, and
     * the function also computes transposed tiles, whose axes are exchanged. NULL: none */
    const char *score;
    const cuc_attention_side *sides; /**< [side_count] arrays that the score function reads */
    uint32_t side_count;             /**< at most CUC_ATTENTION_MAX_SIDES */
    uint32_t reserved;               /**< 0 */
    /** Keys of a page, a multiple of 16 up to 65536: keys and values lie in pages, anywhere in
     * memory. 0: they do not */
    int32_t page_size;
    /** Parts of a sequence's keys, each for a block of its own, 1 to 64, if `queries` is 1 to 16.
     * The parts' results go through the workspace. 0: chosen automatically, 1 without batch, heads
     * and keys */
    int32_t parts;
    cuc_dtype o_dtype; /**< of o, if dtype is e4m3: f16 or bf16; 0: bf16. Otherwise 0 */
} cuc_attention_options;

/** Default options: cuc_attention_options o = CUC_ATTENTION_OPTIONS_INIT; */
#ifdef __cplusplus
static inline cuc_attention_options cuc__attention_options_default(void)
{
    cuc_attention_options options = cuc_attention_options();
    options.struct_size = sizeof(options);
    return options;
}
#define CUC_ATTENTION_OPTIONS_INIT (cuc__attention_options_default())
#else
#define CUC_ATTENTION_OPTIONS_INIT                   \
    {                                                \
        .struct_size = sizeof(cuc_attention_options) \
    }

/** Options written at the call site: CUC_ATTENTION_OPTIONS(.dtype = CUC_F16, .width = 64). */
#define CUC_ATTENTION_OPTIONS(...) \
    (&(cuc_attention_options){ .struct_size = sizeof(cuc_attention_options), __VA_ARGS__ })
#endif

/**
 * Set every option to its default.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] options     zeroed, its struct_size set
 * @param      caller_size sizeof(cuc_attention_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_attention_options_init(cuc_attention_options *options, size_t caller_size);

/**
 * The arrays of a call. Arrays that the plan does not use must be NULL; otherwise the call fails
 * and names them. Shapes are those of CUC_ATTENTION_HEADS_FIRST; CUC_ATTENTION_SEQUENCE_FIRST
 * exchanges the second and third axis of q, k, v and o. Strides may be arbitrary.
 *
 * With CUC_ATTENTION_VARIABLE the arrays have no batch axis, and the axes of queries and keys hold
 * those of all sequences. Sequence b has queries query_offsets[b] to query_offsets[b + 1] and keys
 * key_offsets[b] to key_offsets[b + 1]. Offsets are read on the device, so earlier work on the
 * stream may write them; they must ascend and not overlap o and lse. Queries of no sequence are not
 * written. The numbers in v behind a sequence's end must be finite, and for
 * cuc_attention_backward() also those in q, k and d_o.
 *
 * With a page_size the first axis of k and v counts pages, and their axis of keys has the
 * page_size. With CUC_ATTENTION_KEY_LENGTHS, which a page_size implies, k and v always have their
 * first axis, also with CUC_ATTENTION_VARIABLE, and there are no key_offsets. In the cache, and in
 * the pages that the table names, all numbers in v must be finite, even those behind a sequence's
 * end.
 *
 * If the dtype is e4m3, q, k and v are multiplied by q_scale, k_scale and v_scale. One scale for a
 * whole array is a tensor whose strides are 0.
 */
typedef struct cuc_attention_args {
    size_t struct_size;      /**< sizeof(cuc_attention_args); the initializers set it */
    const cuc_tensor *q;     /**< [batch][heads][queries][width] */
    const cuc_tensor *k;     /**< [batch][key heads][keys][width]; key heads must divide heads */
    const cuc_tensor *v;     /**< [batch][key heads][keys][value width] */
    const cuc_tensor *o;     /**< [batch][heads][queries][value width]; written */
    const cuc_tensor *lse;   /**< f32 [batch][heads][queries]; written by plans with
                                  CUC_ATTENTION_LSE */
    double scale;            /**< factor of the scores, rounded to f32; 0: 1 / sqrt(width) */
    const cuc_tensor *sinks; /**< f32 [heads]; read by plans with CUC_ATTENTION_SINKS */
    const cuc_tensor *sides; /**< [side_count] the side arrays, in the order of the options */
    uint32_t side_count;     /**< as in the options */
    uint32_t reserved;       /**< 0 */
    const cuc_tensor *query_offsets; /**< i32 [batch + 1]; read by plans with
                                          CUC_ATTENTION_VARIABLE */
    const cuc_tensor *key_offsets;   /**< i32 [batch + 1]; may be query_offsets */
    int64_t most_queries; /**< with CUC_ATTENTION_VARIABLE: at least the number of queries of the
                               longest sequence, above 0 if q has rows; results of longer sequences
                               are undefined */
    /** i32 [batch][pages of a sequence], the numbers of pages; read by plans with a page_size. Keys
     * i page_size and following of a sequence are those of its page i */
    const cuc_tensor *page_table;
    const cuc_tensor *key_lengths; /**< i32 [batch], the keys of each sequence, at most those that
                                        k, or its row of page_table, has room for; read by plans
                                        with CUC_ATTENTION_KEY_LENGTHS or a page_size */
    cuc_device_ptr workspace;      /**< a multiple of 256, used by one call at a time; 0 if the plan
                                        needs none */
    uint64_t workspace_bytes;      /**< size of the workspace; at least
                                        cuc_attention_plan_workspace_bytes() */
    const cuc_tensor *d_o; /**< the gradient of o, with its shape; for cuc_attention_backward() */
    const cuc_tensor *d_q; /**< the gradient of q, with its shape; written by
                                cuc_attention_backward() */
    const cuc_tensor *d_k; /**< the gradient of k; written */
    const cuc_tensor *d_v; /**< the gradient of v; written */
    int64_t most_keys; /**< with CUC_ATTENTION_VARIABLE, for cuc_attention_backward() and for e4m3
                            without a cache: at least the number of keys of the longest sequence,
                            above 0 if k has rows; results of longer sequences are undefined */
    const cuc_tensor *new_k;   /**< [batch][key heads][new keys][width], for
                                    cuc_attention_append() */
    const cuc_tensor *new_v;   /**< [batch][key heads][new keys][value width], likewise */
    const cuc_tensor *q_scale; /**< f32 [batch][heads]; read by plans of e4m3 */
    const cuc_tensor *k_scale; /**< f32 [batch][key heads]; likewise */
    const cuc_tensor *v_scale; /**< f32 [batch][key heads]; likewise */
    const cuc_tensor *d_sinks; /**< f32 [heads], the gradient of the sinks; written by
                                    cuc_attention_backward(). NULL: not computed */
    /** The gradients of the side arrays that train, in their order, with their dtypes and shapes;
     * written by cuc_attention_backward() */
    const cuc_tensor *d_sides;
} cuc_attention_args;

#define CUC_ATTENTION_ARGS_INIT                                                                    \
    {                                                                                              \
        sizeof(cuc_attention_args), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
            0, 0, 0, 0, 0, 0, 0, 0                                                                 \
    }

#ifndef __cplusplus
/** Arguments written at the call site: CUC_ATTENTION_ARGS(.q = &q, .k = &k, .v = &v, .o = &o). */
#define CUC_ATTENTION_ARGS(...) \
    (&(cuc_attention_args){ .struct_size = sizeof(cuc_attention_args), __VA_ARGS__ })
#endif

/**
 * Set arguments to their defaults.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] args        zeroed, its struct_size set
 * @param      caller_size sizeof(cuc_attention_args) in the calling code
 * @since 0.1
 */
CUC_API void cuc_attention_args_init(cuc_attention_args *args, size_t caller_size);

/**
 * Create a plan: write the tile program, choose its tiles, and compile it to PTX.
 *
 * This takes a few milliseconds in the library, plus a few hundred in the driver, which assembles
 * the code unless it is in the driver's cache.
 *
 * @thread any thread
 * @capture never touches a stream
 * @param[out] out     the plan; release it with cuc_attention_plan_release()
 * @param      device  the device to run on; its architecture and number of multiprocessors matter
 * @param      options description of the plan; read before the call returns
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out, device or options is NULL, or a field is out of bounds or
 *                                    conflicts with another: the message names it and the allowed
 *                                    values
 * @retval CUC_ERROR_INVALID_HANDLE   device is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    tile programs cannot be compiled for the device or arch
 * @retval CUC_ERROR_COMPILE          the score function is wrong, or the given tile cannot be
 *                                    compiled: the log says why
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the code cannot be loaded; for other load failures see
 *                                    cuc_object_get_kernel()
 * @since 0.1
 */
CUC_API cuc_status cuc_attention_plan_create(cuc_attention_plan **out, cuc_device *device,
                                             const cuc_attention_options *options);

/**
 * Add a reference to a plan.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan the plan, or NULL
 * @return plan
 * @since 0.1
 */
CUC_API cuc_attention_plan *cuc_attention_plan_retain(cuc_attention_plan *plan);

/**
 * Release a reference; the last one frees the plan. Work already enqueued completes.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan the plan, or NULL
 * @since 0.1
 */
CUC_API void cuc_attention_plan_release(cuc_attention_plan *plan);

/**
 * Compute attention in stream order: o = softmax(scale q k') v for each batch and head.
 *
 * If there are fewer key heads than heads, consecutive heads share a key head. Scores and sums are
 * computed in f32; the weights are rounded to the plan's type, or for e4m3 in a cache and of few
 * queries to f16, before they are multiplied by v. A query that sees no key gets a row of zeros and
 * an lse of -inf, or with sinks the sink's score. Scores below -1e30 count as hidden keys. All
 * extents may be zero. If an address or a stride is not a multiple of 16 bytes, or if the width is
 * not the axis of stride 1, threads copy that operand instead of TMA, which is slower. The elements
 * of o must have distinct addresses. No array that is read may overlap o or lse; this is not
 * checked. The call compiles and allocates nothing.
 *
 * @order  enqueues and returns; the arrays must stay valid until the work is complete. From compute
 *         capability 9.0 on, the kernel starts while the preceding kernel ends, but waits for the
 *         end of that kernel before it reads memory (CUC_LAUNCH_PROGRAMMATIC; see
 *         CUC_ATTENTION_PLAIN_LAUNCH)
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph, or two if keys are split or v is transposed before
 * @param stream the queue, of the plan's device
 * @param plan   the plan
 * @param args   read before the call returns
 * @retval CUC_OK                     enqueued; a fault while running shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT a handle or args is NULL, an array is missing or does not
 *                                    match the plan, shapes do not match, the workspace is too
 *                                    small, or the scale is not finite: the message names it and
 *                                    the expected value
 * @retval CUC_ERROR_INVALID_HANDLE   stream or plan is not alive
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @retval CUC_ERROR_DRIVER           the driver refused: cuc_error_library_code() has the CUresult
 * @since 0.1
 */
CUC_API cuc_status cuc_attention(cuc_stream *stream, cuc_attention_plan *plan,
                                 const cuc_attention_args *args);

/**
 * Compute the gradients of q, k and v, of sinks, and of side arrays that train, in stream order.
 *
 * q, k, v, o and lse are those of a call of cuc_attention() with the same plan and scale, and d_o
 * is the gradient of o. The weights are computed again from lse. No array that is read may overlap
 * an array that is written. Each gradient is added up in f32, in a fixed order: every run gives the
 * same bits. The gradients of key heads are sums over the heads that share them. The call needs a
 * workspace.
 *
 * The score function is differentiated in reverse, by the rules of gradient() in tile programs. A
 * side array that trains has as many elements along an axis as the call has batches, heads, queries
 * or keys; with CUC_ATTENTION_VARIABLE, as many as there are sequences, most_queries or most_keys.
 *
 * @order  enqueues and returns; the arrays must stay valid until the work is complete; otherwise as
 *         cuc_attention()
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph for each of its kernels: three, or four with a score
 *          function or wide keys and values; one for sinks; one for each side array that trains;
 *          and one if such an array has an index of columns but none of rows
 * @param stream the queue, of the plan's device
 * @param plan   with CUC_ATTENTION_BACKWARD
 * @param args   read before the call returns
 * @retval CUC_OK                     enqueued; a fault while running shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT the plan has no CUC_ATTENTION_BACKWARD; otherwise as
 *                                    cuc_attention()
 * @retval CUC_ERROR_INVALID_HANDLE   stream or plan is not alive
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @retval CUC_ERROR_DRIVER           the driver refused: cuc_error_library_code() has the CUresult
 * @since 0.1
 */
CUC_API cuc_status cuc_attention_backward(cuc_stream *stream, cuc_attention_plan *plan,
                                          const cuc_attention_args *args);

/**
 * Append new keys and values to a cache in stream order, before a cuc_attention() that sees them.
 *
 * The new keys of a sequence become the last ones of its key_lengths[b] keys. So key_lengths
 * already count them, and are those of the following cuc_attention(). With CUC_ATTENTION_VARIABLE
 * sequence b has new keys query_offsets[b] to query_offsets[b + 1]: the new keys belong to the same
 * tokens as the queries. Keys for which the cache or the page table has no room are not written.
 * Lengths, offsets and pages are read on the device, so a captured call may be replayed with other
 * numbers. new_k and new_v must not overlap k and v, and pages to which several sequences append
 * must differ.
 *
 * @order  enqueues and returns; the arrays must stay valid until the work is complete; otherwise as
 *         cuc_attention()
 * @thread any thread
 * @capture becomes a node of the graph
 * @param stream the queue, of the plan's device
 * @param plan   with a page_size or CUC_ATTENTION_KEY_LENGTHS
 * @param args   new_k, new_v, k and v, which are written, and key_lengths, page_table and
 *               query_offsets as for cuc_attention(); other arrays must be NULL. Read before the
 *               call returns
 * @retval CUC_OK                     enqueued; a fault while running shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT the plan has neither a page_size nor
 *                                    CUC_ATTENTION_KEY_LENGTHS; otherwise as cuc_attention()
 * @retval CUC_ERROR_INVALID_HANDLE   stream or plan is not alive
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @retval CUC_ERROR_DRIVER           the driver refused: cuc_error_library_code() has the CUresult
 * @since 0.1
 */
CUC_API cuc_status cuc_attention_append(cuc_stream *stream, cuc_attention_plan *plan,
                                        const cuc_attention_args *args);

/** The choice made for a plan. */
typedef struct cuc_attention_choice {
    size_t struct_size; /**< sizeof(cuc_attention_choice), set by the caller */
    int32_t tile_q;     /**< queries that a block computes */
    int32_t tile_k;     /**< keys of a step */
    int32_t stages;     /**< 0: as many as fit */
    int32_t warps;      /**< 0: the compiler's choice */
    int32_t pipeline;   /**< 1: TMA and wgmma, where addresses and strides allow; 0: not possible
                             with these tiles or on this device */
    int32_t parts;      /**< 1: keys are not split */
    int64_t tiles;      /**< number of tiles for the plan's extents; 0: an extent is not given */
    const char *by;     /**< "options" or "rules"; static storage */
} cuc_attention_choice;

#define CUC_ATTENTION_CHOICE_INIT                            \
    {                                                        \
        sizeof(cuc_attention_choice), 0, 0, 0, 0, 0, 0, 0, 0 \
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
CUC_API cuc_status cuc_attention_plan_get_choice(cuc_attention_choice *out,
                                                 const cuc_attention_plan *plan);

/**
 * The size of the workspace that a call needs, of either function.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan      the plan
 * @param batch     number of batches, or of sequences
 * @param heads     heads of q
 * @param queries   queries of a sequence; with CUC_ATTENTION_VARIABLE of all sequences
 * @param key_heads heads of k and v
 * @param keys      keys of a sequence; with CUC_ATTENTION_VARIABLE of all sequences
 * @return bytes; 0 if keys are not split, there is no backward pass and v is not transposed (e4m3
 * without a cache), and for NULL; UINT64_MAX if the size exceeds 64 bits
 * @since 0.1
 */
CUC_API uint64_t cuc_attention_plan_workspace_bytes(const cuc_attention_plan *plan, int64_t batch,
                                                    int64_t heads, int64_t queries,
                                                    int64_t key_heads, int64_t keys);

/**
 * The tile program of a plan, to read or to start from.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan  the plan
 * @param index 0: the program of cuc_attention(); 1: of cuc_attention_backward()
 * @return the source; valid as long as the plan; NULL for NULL and past the end
 * @since 0.1
 */
CUC_API const char *cuc_attention_plan_source(const cuc_attention_plan *plan, size_t index);

CUC_END_DECLS

#endif
