/**
 * @file
 * Algorithms on whole arrays, with operators written in the tile language.
 *
 * A *plan* describes a kind of work: its arrays, the values computed from their elements, and the
 * operator. Creating a plan writes a tile program and compiles it, which takes milliseconds. The
 * plan then works on arrays of any length, from any thread, on any stream of its device.
 *
 *     const char *in[] = { "x: f32", "y: f32", "x * y" }, *out[] = { "dot: f32" };
 *     cuc_algorithm_create(&plan, device, CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_REDUCE,
 *                          .inputs = in, .input_count = 3, .outputs = out, .output_count = 1,
 *                          .fn = "sum"));
 *     cuc_algorithm_run(stream, plan, CUC_ALGORITHM_ARGS(.inputs = xy, .input_count = 2,
 *                       .outputs = &dot, .output_count = 1));
 *
 * cuc_reduce(), cuc_scan(), cuc_sort() and the like need no plan of yours: the library keeps one.
 * It keeps the 64 plans that such calls used most recently, until the process ends or the library
 * is unloaded.
 */
#ifndef CUCORE_ALGORITHM_H
#define CUCORE_ALGORITHM_H

#include <cucore/base.h>
#include <cucore/cache.h>
#include <cucore/device.h>
#include <cucore/stream.h>
#include <cucore/tensor.h>

CUC_BEGIN_DECLS

/**
 * A plan: the compiled code for one kind of work.
 *
 * Threads: any thread, concurrently.
 */
typedef struct cuc_algorithm cuc_algorithm;

/** The kinds of work. */
enum {
    CUC_ALGORITHM_TRANSFORM = 1,        /**< out[i] = fn(values of element i) */
    CUC_ALGORITHM_REDUCE = 2,           /**< combines the values of all elements to one */
    CUC_ALGORITHM_SCAN = 3,             /**< out[i] combines the values of elements 0 to i */
    CUC_ALGORITHM_SELECT = 4,           /**< keeps the elements that fn accepts, in their order */
    CUC_ALGORITHM_PARTITION = 5,        /**< also keeps the others, in other outputs */
    CUC_ALGORITHM_UNIQUE = 6,           /**< keeps the first of adjacent equal elements */
    CUC_ALGORITHM_HISTOGRAM = 7,        /**< counts the elements of each bin */
    CUC_ALGORITHM_REDUCE_BY_KEY = 8,    /**< reduces each run of elements with equal keys */
    CUC_ALGORITHM_SCAN_BY_KEY = 9,      /**< scans each run of elements with equal keys */
    CUC_ALGORITHM_REDUCE_SEGMENTS = 10, /**< reduces each segment of elements */
    CUC_ALGORITHM_SORT = 11,            /**< orders elements by their keys; stable */
    CUC_ALGORITHM_MERGE = 12,           /**< merges two sorted sequences */
    CUC_ALGORITHM_MERGE_SORT = 13,      /**< sorts, with a comparison */
    CUC_ALGORITHM_SORT_SEGMENTS = 14,   /**< sorts each segment, or each row */
    CUC_ALGORITHM_TOPK = 15,            /**< finds the k largest elements, the largest first */
    CUC_ALGORITHM_TOPK_ROWS = 16,       /**< does so in each row of a [rows, n] tensor */
    CUC_ALGORITHM_PARTITION3 = 17,      /**< keeps the elements in the outputs of three parts */
    CUC_ALGORITHM_UNION = 18,           /**< elements of either sorted sequence */
    CUC_ALGORITHM_INTERSECTION = 19,    /**< elements of both */
    CUC_ALGORITHM_DIFFERENCE = 20,      /**< elements of the first that are not in the second */
    CUC_ALGORITHM_SYMMETRIC_DIFFERENCE = 21, /**< elements of one that are not in the other */
};

/** Flags of cuc_algorithm_options. */
enum {
    /** The number of elements is on the device: calls read it from device_count, in stream order */
    CUC_ALGORITHM_DEVICE_COUNT = 1 << 0,
    /** Launch in plain stream order instead of programmatically. Needed only if the preceding
     * kernel is your own, is launched with CUC_LAUNCH_PROGRAMMATIC, and never waits for the kernel
     * before it */
    CUC_ALGORITHM_PLAIN_LAUNCH = 1 << 1,
    /** A scan's out[i] combines the elements before i; that of the first is the identity */
    CUC_ALGORITHM_EXCLUSIVE = 1 << 2,
    /** A sort starts with the largest key; elements with equal keys still keep their order */
    CUC_ALGORITHM_DESCENDING = 1 << 3,
    /** TOPK and TOPK_ROWS find the smallest elements, the smallest first */
    CUC_ALGORITHM_SMALLEST = 1 << 4,
};

/** The option `determinism`: which runs give the same bits. It matters to floats whose combination
 * rounds; all other results are always the same. */
enum {
    CUC_ALGORITHM_RUN_TO_RUN = 0, /**< in every run on the same kind of device */
    /** Not at all: the order in which blocks end may decide the order of operations */
    CUC_ALGORITHM_ANY_ORDER = 1,
    /** On every device, for plans with the same options and arrays of the same lengths, strides and
     * alignment. Grids, tiles and warps then suit no device in particular, which takes longer */
    CUC_ALGORITHM_EVERY_GPU = 2,
};

/** Maximum number of inputs of a plan, and of outputs. */
#define CUC_ALGORITHM_MAX_ARRAYS 8

/**
 * Description of a plan. Zero selects the default of every field except kind, inputs and outputs.
 *
 * **Inputs** are texts of three forms:
 *
 * - `"x: f32"` is an array, and `x` the element of the array at index i.
 * - `"x: f32[]"` is an array of any length, which only expressions read.
 * - Anything else is an expression in the tile language, with a name (`"d = x - y"`) or without
 *   (`"x * y"`). It may use the names before it, the index `i` and the number of elements `n` (both
 *   i64), all functions of the language, and those that fn defines. `x[j]` is the element of an
 *   array at any index (0 outside the array, which ends at n if it is read by element).
 *   lower_bound(x, v) and upper_bound(x, v) are the numbers of elements of the sorted array x that
 *   are less than v, and not greater (i64), where NaN is greater than all numbers. shuffle(i, n,
 *   seed) is element i of a permutation of 0 to n - 1 (i64), which the integer seed determines; -1
 *   outside of it.
 *
 * In TOPK_ROWS an array that is read by element has rows: `x` is the element at index i of a row,
 * `x[j]` another one of this row, `n` the number of elements of a row, and `row` the row's index.
 *
 * The *values* of an element are those of the expressions without a name, or, if there are none,
 * all names, except those of `[]` arrays. Names consist of at most 31 letters, digits and _; i, n
 * and names that begin with in_ are not allowed.
 *
 * **Outputs** are arrays, `"y: f32"`. `"_: f32"` is a value that is not stored, and takes no
 * tensor. SELECT, UNIQUE and REDUCE_BY_KEY have an output for each value, and last the number of
 * elements kept, or of runs, an integer. SCAN_BY_KEY has none for keys. PARTITION has the outputs
 * of the elements that fn accepts, then those of the others, and last the number of accepted
 * elements. SORT, MERGE, MERGE_SORT, SORT_SEGMENTS, TOPK and TOPK_ROWS have an output for each
 * value. TOPK and TOPK_ROWS compare elements by the first value, in the type of its output. Of
 * equal elements they find the ones with the lower index, which come first; NaN is larger than all
 * numbers, and -0 smaller than 0. PARTITION3 has the outputs of part 0, 1 and 2, and last the
 * numbers of elements of the parts. Values are converted to the type of their output, in sorts and
 * merges before they are compared; in a reduction or scan also before they are combined, or to f32
 * if that is an f16, bf16 or an 8-bit float, or to 32 bits if that is a shorter integer.
 *
 * The first half of the inputs of a MERGE are those of the first sequence, and the others those of
 * the second one: arrays and expressions of these, of as many values. i and n are the index in the
 * sequence and the number of its elements. The inputs of UNION, INTERSECTION, DIFFERENCE and
 * SYMMETRIC_DIFFERENCE are arrays only: those of the first sequence, and then as many of the second
 * one; for INTERSECTION and DIFFERENCE, it may have only the keys. These four have an
 * output for each value, and last the number of elements kept. Of n equal elements of the first
 * sequence and m of the second, a union keeps those n, and the last m - n of the second if m > n;
 * an intersection the first min(n, m) of the first; a difference the last n - m of the first; a
 * symmetric difference the last |n - m| of the one that has more.
 *
 * **fn** is the text of the operator, and perhaps of functions that it calls, which come before it.
 * The program of the plan has functions of its own, such as element_of and lower_bound: a text that
 * defines one of the same name is refused.
 *
 * - TRANSFORM: a function from the values to the outputs; NULL stores the values.
 * - REDUCE: an associative and commutative function of two sets of values, `"fn add(a, b) { return
 *   a + b }"`, or for two values `"fn larger(x, i, y, j) { ... return v, k }"`. Or, for one value,
 *   a name: sum, prod, min or max (which ignore NaN).
 * - REDUCE_SEGMENTS: as REDUCE.
 * - SCAN: as REDUCE, but the function need not be commutative: its first values are of earlier
 *   elements.
 * - SELECT, PARTITION: a function that is true for the values of elements to keep.
 * - PARTITION3: a function from the values to the number of the part, 0, 1 or 2, which is converted
 *   to i32, toward zero. Smaller numbers count as 0, larger ones as 2.
 * - UNIQUE: a function that is true if two sets of values, the second of the next element, are
 *   equal; NULL: all values are compared.
 * - REDUCE_BY_KEY, SCAN_BY_KEY: as SCAN, of the values behind the keys.
 * - TOPK, TOPK_ROWS: NULL.
 * - HISTOGRAM: a function from the values to the number of the bin, which is converted to an
 *   integer, toward zero. Elements with numbers below 0 or from `bins` on, or NaN, are not counted.
 *   NULL: the value is the number.
 * - SORT: NULL.
 * - MERGE, MERGE_SORT: a function of two sets of values that is true if the first comes before the
 *   second, `"fn less(a, b) { return a < b }"`: false for equal values, and for a and c true if it
 *   is for a and b and for b and c. NULL: the natural order of the keys, with NaN last. Equal
 *   elements stay in their order; those of the first sequence come before those of the second. With
 *   another function, or sequences that are not in this order, the result is unspecified.
 * - UNION, INTERSECTION, DIFFERENCE, SYMMETRIC_DIFFERENCE: as MERGE, but of two sets of keys. Both
 *   sequences are in its order.
 * - SORT_SEGMENTS: NULL. The first value is the key, in natural order with -0 before 0, NaN last,
 *   and all NaN equal; with CUC_ALGORITHM_DESCENDING in the opposite order, with NaN first. Equal
 *   keys stay in their order. A NaN may become another NaN.
 *
 * **Keys** of a SORT are the first values, compared one after the other. Of floats, -0 comes before
 * 0, and NaN last, after infinity; NaN differ by their bits, those with the sign last. false comes
 * before true.
 */
typedef struct cuc_algorithm_options {
    size_t struct_size; /**< sizeof(cuc_algorithm_options); the initializers set it */

    int32_t kind;               /**< CUC_ALGORITHM_ constant; must be given */
    uint32_t flags;             /**< CUC_ALGORITHM_ bits */
    const char *const *inputs;  /**< [input_count] arrays and expressions */
    const char *const *outputs; /**< [output_count] arrays */
    uint32_t input_count;       /**< at most CUC_ALGORITHM_MAX_ARRAYS */
    uint32_t output_count;      /**< at most CUC_ALGORITHM_MAX_ARRAYS */
    const char *fn;             /**< the operator */
    /** The values that change nothing when combined with others, such as "0" or "-inf, -1": numbers
     * separated by commas, one for each value that is not a key. NULL if fn is a name */
    const char *identity;

    int32_t tile;      /**< elements of a block's step, a power of two up to 65536; 0: chosen */
    int32_t blocks;    /**< blocks of a reduction for each multiprocessor, at most 16; 0: chosen */
    int32_t warps;     /**< warps of a block, a power of two up to 32; 0: chosen by the compiler */
    int32_t bins;      /**< number of bins of a histogram, up to 2^30; otherwise 0 */
    int32_t keys;      /**< the number of values that are keys, the first ones, for REDUCE_BY_KEY
                            and SCAN_BY_KEY: equal if all are equal; for SORT, for MERGE and
                            MERGE_SORT without fn, and for set operations: the first unequal one
                            decides; 0: one */
    cuc_dtype offsets; /**< type of the offsets of segments: i32 or i64; 0: i64 for
                            REDUCE_SEGMENTS, and for SORT_SEGMENTS there are none: each row is
                            sorted. Otherwise 0 */
    int32_t determinism; /**< CUC_ALGORITHM_RUN_TO_RUN, _ANY_ORDER or _EVERY_GPU */
    int64_t count;       /**< number of elements to choose for; 0: large. A SORT with the value i in
                              an output of 64 bits takes more than 2^32 elements only if count is
                              more than 2^32 */
    const char *arch;    /**< target architecture, such as "sm_90a"; NULL: all features of the
                              device */
    /** The cache of compiled code, used while the plan is created. NULL: cuc_cache_default(). Pass
     * cuc_cache_none() to store nothing. */
    cuc_cache *cache;
    /** A SORT of integer keys compares only their bits from bit_begin to bit_end - 1, counted from
     * the lowest bit of the last key. 0 for both: all bits */
    int32_t bit_begin;
    int32_t bit_end; /**< see bit_begin; 0: the number of bits of all keys */
    int64_t k;       /**< number of elements that TOPK finds, up to 2^30, or TOPK_ROWS, up to 1024;
                        otherwise 0 */
} cuc_algorithm_options;

/** Default options: cuc_algorithm_options o = CUC_ALGORITHM_OPTIONS_INIT; */
#ifdef __cplusplus
static inline cuc_algorithm_options cuc__algorithm_options_default(void)
{
    cuc_algorithm_options options = cuc_algorithm_options();
    options.struct_size = sizeof(options);
    return options;
}
#define CUC_ALGORITHM_OPTIONS_INIT (cuc__algorithm_options_default())
#else
#define CUC_ALGORITHM_OPTIONS_INIT                   \
    {                                                \
        .struct_size = sizeof(cuc_algorithm_options) \
    }

/** Options written at the call site: CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_REDUCE, ...). */
#define CUC_ALGORITHM_OPTIONS(...) \
    (&(cuc_algorithm_options){ .struct_size = sizeof(cuc_algorithm_options), __VA_ARGS__ })
#endif

/**
 * Set every option to its default.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] options     zeroed, its struct_size set
 * @param      caller_size sizeof(cuc_algorithm_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_algorithm_options_init(cuc_algorithm_options *options, size_t caller_size);

/**
 * The arrays of a call, in the order of the options; expressions and "_" have none.
 *
 * Inputs that are read by element, and the outputs of a transform or scan, have `count` elements or
 * more; if count is 0, they have the same number of elements, which is the count. To work on no
 * elements, pass arrays without elements, or with CUC_ALGORITHM_DEVICE_COUNT a device_count of 0.
 * The output of a reduction has one element, and so has the number of elements kept; the numbers of
 * PARTITION3 are three; that of a histogram has `bins` elements, with stride 1; those of a top-k
 * have k elements, of which the last ones are not written if there are fewer than k elements. In
 * TOPK_ROWS the inputs that are read by element are [rows, count], and the outputs [rows, k]; axes
 * before the last one of a contiguous array count as one. The other outputs of a selection or a set
 * operation have any length; elements for which there is no room are not written. Arrays have one
 * axis with any stride, or any axes if they are contiguous. An output of a transform, a scan,
 * MERGE_SORT or SORT_SEGMENTS may be an input that is read by element and by no x[j]; in
 * SCAN_BY_KEY also by no expression with a name, and for no key. The output of a SORT may be such
 * an input if the number of digits is even: those of 8 bits among the compared bits of each key.
 * Other outputs overlap no array, which calls check for those of selections, partitions, set
 * operations and reductions by key.
 *
 * The sequences of a MERGE or a set operation have any two lengths, and the outputs of a MERGE the
 * sum of these. SORT, MERGE_SORT and SORT_SEGMENTS have outputs with an element for each element.
 * Rows of SORT_SEGMENTS are those along the last axis of the first array that is read by element,
 * or of the first output.
 */
typedef struct cuc_algorithm_args {
    size_t struct_size;        /**< sizeof(cuc_algorithm_args); the initializers set it */
    const cuc_tensor *inputs;  /**< [input_count] */
    const cuc_tensor *outputs; /**< [output_count]; written */
    uint32_t input_count;      /**< number of arrays among the plan's inputs */
    uint32_t output_count;     /**< number of arrays among the plan's outputs */
    int64_t count;             /**< number of elements; 0: that of the arrays, and none if the plan
                                    has no arrays that are read or written by element. 0 for MERGE,
                                    set operations and SORT_SEGMENTS of rows */
    /** i64, one element: the number of elements, for plans with CUC_ALGORITHM_DEVICE_COUNT; for a
     * MERGE two elements, the numbers of both sequences. A number above the count that the other
     * fields give is taken as that count, and one below 0 as 0 */
    const cuc_tensor *device_count;
    /** Address of the workspace, a multiple of 256, used by one call at a time. 0: the call takes
     * memory from the device's memory resource and returns it, in stream order */
    cuc_device_ptr workspace;
    uint64_t workspace_bytes; /**< at least cuc_algorithm_workspace_bytes() if there is a
                                   workspace */
    /** [segments + 1], for REDUCE_SEGMENTS, and SORT_SEGMENTS with offsets: segment s has the
     * elements from offsets[s] to offsets[s + 1] - 1, and in a reduction element s of each output.
     * Segments do not overlap; elements of none are not written. Read on the device */
    const cuc_tensor *offsets;
} cuc_algorithm_args;

#define CUC_ALGORITHM_ARGS_INIT                               \
    {                                                         \
        sizeof(cuc_algorithm_args), 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Arguments written at the call site: CUC_ALGORITHM_ARGS(.inputs = x, .input_count = 1, ...). */
#define CUC_ALGORITHM_ARGS(...) \
    (&(cuc_algorithm_args){ .struct_size = sizeof(cuc_algorithm_args), __VA_ARGS__ })
#endif

/**
 * Set arguments to their defaults.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] args        zeroed, its struct_size set
 * @param      caller_size sizeof(cuc_algorithm_args) in the calling code
 * @since 0.1
 */
CUC_API void cuc_algorithm_args_init(cuc_algorithm_args *args, size_t caller_size);

/**
 * Create a plan: write the tile program and compile it to PTX.
 *
 * This takes a few milliseconds in the library, plus tens in the driver, or up to seconds for a
 * SORT, TOPK or TOPK_ROWS, to assemble the code unless it is in the driver's cache.
 *
 * @thread any thread
 * @capture never touches a stream
 * @param[out] out     the plan; release it with cuc_algorithm_release()
 * @param      device  the device to run on; its architecture and number of multiprocessors matter
 * @param      options description of the plan; read before the call returns
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out, device or options is NULL, or a field is out of bounds or
 *                                    conflicts with another: the message names it and the allowed
 *                                    values
 * @retval CUC_ERROR_INVALID_HANDLE   device is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    tile programs cannot be compiled for the device or arch
 * @retval CUC_ERROR_COMPILE          an expression or fn is wrong: the log says why, and where,
 *                                    such as fn:2:14 or inputs[1]:1:5 (line and column)
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the code cannot be loaded; for other load failures see
 *                                    cuc_object_get_kernel()
 * @since 0.1
 */
CUC_API cuc_status cuc_algorithm_create(cuc_algorithm **out, cuc_device *device,
                                        const cuc_algorithm_options *options);

/**
 * Add a reference to a plan.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan the plan, or NULL
 * @return plan
 * @since 0.1
 */
CUC_API cuc_algorithm *cuc_algorithm_retain(cuc_algorithm *plan);

/**
 * Release a reference; the last one frees the plan. Work already enqueued completes.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan the plan, or NULL
 * @since 0.1
 */
CUC_API void cuc_algorithm_release(cuc_algorithm *plan);

/**
 * The size of the workspace that a call needs.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan  the plan
 * @param count number of elements, in TOPK_ROWS of a row; rows of SORT_SEGMENTS may be shorter, and
 *              then need less
 * @return bytes; 0 if the call needs none, and for NULL
 * @since 0.1
 */
CUC_API uint64_t cuc_algorithm_workspace_bytes(const cuc_algorithm *plan, int64_t count);

/**
 * Run a plan, in stream order.
 *
 * Results are the same, bit for bit, in every run on the same kind of device, unless the option
 * `determinism` asks for less or more. The call waits for nothing, and allocates nothing but a
 * workspace if none is given.
 *
 * @order  enqueues and returns; the arrays must stay valid until the work is complete. From compute
 *         capability 9.0 on, a kernel starts while the preceding kernel ends, but waits for the end
 *         of that kernel before it reads memory (CUC_LAUNCH_PROGRAMMATIC; see
 *         CUC_ALGORITHM_PLAIN_LAUNCH)
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph for each kernel, for a fill of the workspace, and for the
 *          allocation and the free of a workspace that is not given
 * @param stream the queue, of the plan's device
 * @param plan   the plan
 * @param args   read before the call returns
 * @retval CUC_OK                     enqueued; a fault while running shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT a handle or args is NULL, an array is missing or does not
 *                                    match the plan, the arrays' lengths differ, or the workspace
 *                                    is too small: the message names it and the expected value
 * @retval CUC_ERROR_INVALID_HANDLE   stream or plan is not alive
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY no memory for a workspace
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @retval CUC_ERROR_DRIVER           the driver refused: cuc_error_library_code() has the CUresult
 * @since 0.1
 */
CUC_API cuc_status cuc_algorithm_run(cuc_stream *stream, cuc_algorithm *plan,
                                     const cuc_algorithm_args *args);

/**
 * The tile program of a plan, to read or to start from.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param plan the plan
 * @return the source; valid as long as the plan; NULL for NULL
 * @since 0.1
 */
CUC_API const char *cuc_algorithm_source(const cuc_algorithm *plan);

/**
 * Reduce an array to one element, in stream order.
 *
 * The first call for a device, operator and pair of types creates a plan, which the library keeps
 * among the 64 used most recently.
 *
 * @order  as cuc_algorithm_run()
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph for each kernel, and for the allocation and the free of a
 *          workspace
 * @param stream the queue
 * @param fn     sum, prod, min or max; or the text of a function as in cuc_algorithm_options, if
 *               `identity` is given
 * @param identity as in cuc_algorithm_options; NULL if fn is a name
 * @param x      any number of elements
 * @param y      one element, written; its type is that of the sum
 * @retval CUC_OK enqueued; otherwise as cuc_algorithm_create() and cuc_algorithm_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_reduce(cuc_stream *stream, const char *fn, const char *identity,
                              const cuc_tensor *x, const cuc_tensor *y);

/**
 * Scan an array, in stream order: y[i] combines x[0] to x[i].
 *
 * The first call for a device, operator, flags and pair of types creates a plan, which the library
 * keeps among the 64 used most recently. Plans for less than 2^24, less than 2^27 and more elements
 * differ.
 *
 * @order  as cuc_algorithm_run()
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph for each kernel, and for the fill, the allocation and the
 *          free of a workspace
 * @param stream the queue
 * @param fn     sum, prod, min or max; or the text of a function as in cuc_algorithm_options, if
 *               `identity` is given
 * @param identity as in cuc_algorithm_options; NULL if fn is a name
 * @param flags  CUC_ALGORITHM_EXCLUSIVE or 0
 * @param x      any number of elements
 * @param y      as many elements, written; its type is that of the sums. It may be x
 * @retval CUC_OK enqueued; otherwise as cuc_algorithm_create() and cuc_algorithm_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_scan(cuc_stream *stream, const char *fn, const char *identity,
                            uint32_t flags, const cuc_tensor *x, const cuc_tensor *y);

/**
 * Sort an array, with values that follow their keys, in stream order. Equal keys keep their order.
 *
 * Keys are in the order of CUC_ALGORITHM_SORT. The first call for given types and flags creates a
 * plan, which the library keeps among the 64 used most recently.
 *
 * @order  as cuc_algorithm_run()
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph for each kernel, and for the fill, the allocation and the
 *          free of a workspace
 * @param stream     the queue
 * @param flags      CUC_ALGORITHM_DESCENDING or 0
 * @param keys_in    any number of elements
 * @param keys_out   as many elements of the same type, written; it may be keys_in if the type has
 *                   16 bits or more. NULL: the keys are not stored
 * @param values_in  as many elements of any type; NULL: the indices of the keys
 * @param values_out as many elements, written; it may be values_in if keys_out may be keys_in. For
 *                   indices its type is an integer. NULL: there are no values
 * @retval CUC_OK enqueued; otherwise as cuc_algorithm_create() and cuc_algorithm_run()
 * @retval CUC_ERROR_INVALID_ARGUMENT also if keys_in is NULL, keys_out and values_out are both
 * NULL, values_in is given without values_out, keys_out has another type than keys_in, or a flag is
 * unknown
 * @since 0.1
 */
CUC_API cuc_status cuc_sort(cuc_stream *stream, uint32_t flags, const cuc_tensor *keys_in,
                            const cuc_tensor *keys_out, const cuc_tensor *values_in,
                            const cuc_tensor *values_out);

/** Flags of cuc_search(). */
enum {
    /** Count the elements that are not greater, instead of those that are less */
    CUC_SEARCH_UPPER = 1 << 0,
};

/**
 * Search for each value in a sorted array, in stream order: at[i] is the number of elements that
 * are less than values[i]. With CUC_SEARCH_UPPER, it is the number of those not greater.
 *
 * These are the first and the last position at which the value can be inserted without a change of
 * the order. NaN counts as greater than all numbers, and as equal to NaN.
 *
 * The first call for a device, flags and types creates a plan, which the library keeps among the 64
 * used most recently.
 *
 * @shape  `sorted`: any number of elements, ascending; `values` and `at`: equal numbers of elements
 * @order  as cuc_algorithm_run()
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue
 * @param flags  CUC_SEARCH_UPPER or 0
 * @param sorted the array, of integers, f16, bf16, f32 or f64; its order is not checked
 * @param values of the same type
 * @param at     i32, u32, i64 or u64, written; it overlaps no other array
 * @retval CUC_OK enqueued; otherwise as cuc_algorithm_create() and cuc_algorithm_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_search(cuc_stream *stream, uint32_t flags, const cuc_tensor *sorted,
                              const cuc_tensor *values, const cuc_tensor *at);

/**
 * Find the k largest elements of an array, or of each row of a tensor, in stream order.
 *
 * The results are sorted, the largest first. Of equal elements those with the lower indices are
 * found, and come first. NaN is larger than all numbers, and -0 smaller than 0.
 *
 * The first call for a device, flags, k and types creates a plan, which the library keeps among the
 * 64 used most recently. For a dimension below 8192, plans also differ by its next power of two.
 *
 * @shape  `x`: [n] or, for the elements of each row, [.., n]; `values` and `indices`: [k] or [..,
 * k]
 * @order  as cuc_algorithm_run()
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph for each kernel, and for the allocation and the free of a
 *          workspace
 * @param stream  the queue
 * @param k       number of elements to find: 1 to 2^30, or in rows to 1024. If there are fewer, the
 *                rest of the results is not written
 * @param flags   CUC_ALGORITHM_SMALLEST, to find the smallest elements, the smallest first; or 0
 * @param x       the elements; contiguous if it has more than two axes
 * @param values  of the same type, written; NULL: not needed
 * @param indices i32, u32, i64 or u64, written: the elements' indices, in a row if there are rows;
 *                NULL: not needed
 * @retval CUC_OK enqueued; otherwise as cuc_algorithm_create() and cuc_algorithm_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_topk(cuc_stream *stream, int64_t k, uint32_t flags, const cuc_tensor *x,
                            const cuc_tensor *values, const cuc_tensor *indices);

/**
 * Count the elements of each bin, in stream order. The bins have equal widths and divide the range
 * from low up to, but not including, high; other elements and NaN are not counted.
 *
 * Bytes are counted with low 0, high 256 and 256 bins. Integers are counted exactly if all bins
 * begin at integers of a magnitude below 2^53; other bins are computed in f32 for elements of f32
 * and of at most 16 bits, and in f64 for others.
 *
 * The first call for a device, range, number of bins and types creates a plan, which the library
 * keeps among the 64 used most recently.
 *
 * @order  as cuc_algorithm_run()
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph for the kernel, and for the fill of the counts
 * @param stream the queue
 * @param low    start of the first bin
 * @param high   end of the last bin, larger than low
 * @param x      any number of elements
 * @param counts an element for each bin, i32, u32, i64 or u64, with stride 1; written
 * @retval CUC_OK                     enqueued; otherwise as cuc_algorithm_create() and
 *                                    cuc_algorithm_run()
 * @retval CUC_ERROR_INVALID_ARGUMENT also: low is not below high, or one is not finite
 * @since 0.1
 */
CUC_API cuc_status cuc_histogram(cuc_stream *stream, double low, double high, const cuc_tensor *x,
                                 const cuc_tensor *counts);

/**
 * Keep the elements that a function accepts, in their order and in stream order.
 *
 * The first call for a device, function and types of arrays creates a plan, which the library keeps
 * among the 64 used most recently.
 *
 * @order  as cuc_algorithm_run(): the number of elements is on the device
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph for the kernel, and for the fill, the allocation and the
 *          free of a workspace
 * @param stream the queue
 * @param fn     text of a function that is true for elements to keep, such as "fn large(x) { return
 *               x > 0.5 }"
 * @param x      any number of elements
 * @param y      any number of elements, written; those for which there is no room are dropped. It
 *               overlaps no other array
 * @param count  one element of an integer type, written: the number of elements to keep
 * @retval CUC_OK enqueued; otherwise as cuc_algorithm_create() and cuc_algorithm_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_select(cuc_stream *stream, const char *fn, const cuc_tensor *x,
                              const cuc_tensor *y, const cuc_tensor *count);

/**
 * Keep the first of adjacent equal elements, in stream order; each value once if x is sorted.
 *
 * The first call for a device and types of arrays creates a plan, which the library keeps among the
 * 64 used most recently.
 *
 * @order  as cuc_algorithm_run(): the number of elements is on the device
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph for the kernel, and for the fill, the allocation and the
 *          free of a workspace
 * @param stream the queue
 * @param x      any number of elements. NaN is not equal to any element
 * @param y      any number of elements, written; those for which there is no room are dropped. It
 *               overlaps no other array
 * @param count  one element of an integer type, written: the number of elements to keep
 * @retval CUC_OK enqueued; otherwise as cuc_algorithm_create() and cuc_algorithm_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_unique(cuc_stream *stream, const cuc_tensor *x, const cuc_tensor *y,
                              const cuc_tensor *count);

/**
 * Merge two sorted arrays, in stream order: in the natural order, with NaN last. Of equal elements,
 * those of x come first.
 *
 * The first call for a device and a pair of types creates a plan, which the library keeps
 * among the 64 used most recently.
 *
 * @order  as cuc_algorithm_run()
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph for each kernel, and for the allocation and the free of a
 *          workspace
 * @param stream the queue
 * @param x      any number of elements
 * @param y      any number of elements of the same type
 * @param z      the sum of these numbers of elements, written; elements are converted to its type
 * @retval CUC_OK enqueued; otherwise as cuc_algorithm_create() and cuc_algorithm_run()
 * @since 0.1
 */
CUC_API cuc_status cuc_merge(cuc_stream *stream, const cuc_tensor *x, const cuc_tensor *y,
                             const cuc_tensor *z);

CUC_END_DECLS

#endif
