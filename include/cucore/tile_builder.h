/**
 * @file
 * Tile programs built by C calls: one function for each construct of the tile language.
 *
 * The calls produce the same operations as the text described in docs/tile-language.md, with the
 * same checks and errors. docs/tile-builder.md shows a larger example.
 *
 *     #define K CUC_HERE(program)
 *
 *     cuc_tile_kernel_begin(K, "vadd");
 *     cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
 *     cuc_tile b = cuc_tile_tensor(K, "b", CUC_F32, "N");
 *     cuc_tile c = cuc_tile_tensor(K, "c", CUC_F32, "N");
 *     cuc_tile_grid(K, "cdiv(N, 1024)");
 *     cuc_tile i = cuc_tile_block(K, 0);
 *     cuc_tile x = cuc_tile_load(K, a, CUC_TILES(i), CUC_SHAPE(1024), NULL);
 *     cuc_tile y = cuc_tile_load(K, b, CUC_TILES(i), CUC_SHAPE(1024), NULL);
 *     cuc_tile_store(K, c, CUC_TILES(i), cuc_tile_add(K, x, y), NULL);
 *     cuc_tile_kernel_end(K);
 *     status = cuc_tile_program_finish(&source, program);
 *
 * cuc_tile_program_finish() returns a source for cuc_program_create(), CUC_SOURCE_TILE.
 *
 * A shape is a length and a pointer: CUC_SHAPE(64, 32) expands to both, and CUC_AXES(0, 1) to a
 * list of axes. Both are C macros of base.h; CUC_TILES(i, j) does the same for values.
 *
 * **Locations.** Every building function takes the program and the caller's position, a source file
 * and a line. CUC_HERE(program) expands to these three arguments. Errors and notes report the
 * position.
 *
 * **Sticky errors.** A call that fails returns 0, and a call that receives such a 0 returns 0
 * without another message, so the caller need not check in between. cuc_tile_program_finish()
 * reports all errors. Misuse of the functions, such as passing a value from another kernel, is an
 * error like any other.
 *
 * **Order.** Memory accesses happen in the order of the calls. C does not define the evaluation
 * order of the arguments of a call, so write calls that store or order memory as separate
 * statements.
 */
#ifndef CUCORE_TILE_BUILDER_H
#define CUCORE_TILE_BUILDER_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/**
 * A tile program under construction.
 *
 * Threads: any thread; one call at a time on the same program.
 */
typedef struct cuc_tile_program cuc_tile_program;

/**
 * A value: a tile, a scalar, a constant or a tensor. 0 means none.
 *
 * As in the language, it can be used in the block that created it and in blocks nested in that one.
 */
typedef uint32_t cuc_tile;

/** A variable, which holds successive values of one type. 0 means none. */
typedef uint32_t cuc_tile_variable;

/** The first three arguments of a building function: the program and the caller's position. */
#define CUC_HERE(program) (program), __FILE__, (uint32_t)__LINE__

/**
 * Marks, in a CUC_SHAPE(), an axis of the tensor that the tile lacks, like `_` in the language. The
 * access covers one element along this axis.
 */
#define CUC_NO_AXIS (-1)

#ifndef __cplusplus
/** Expand values into two arguments, their number and a pointer: CUC_TILES(i, j). */
#define CUC_TILES(...)                                                                           \
    (uint32_t)(sizeof((const cuc_tile[]){ __VA_ARGS__ }) / sizeof(cuc_tile)), (const cuc_tile[]) \
    {                                                                                            \
        __VA_ARGS__                                                                              \
    }
#endif

/* ---- Programs and kernels ------------------------------------------------------------------- */

/**
 * Create a program without kernels.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out the program; release it with cuc_tile_program_release()
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_program_create(cuc_tile_program **out);

/**
 * Limits for building a program. Zero selects the default of every field.
 *
 * Fields have the names and defaults of cuc_program_options, whose budget applies when the source
 * is compiled.
 */
typedef struct cuc_tile_budget {
    size_t struct_size; /**< sizeof(cuc_tile_budget); the initializers set it */
    /** Limit on compiler steps, whose number is the same on every machine: 2^22 by default;
     * UINT64_MAX: no limit */
    uint64_t budget_operations;
    uint64_t budget_ptx_bytes;    /**< limit on bytes of the resulting source: 2^25 by default */
    uint64_t budget_memory_bytes; /**< limit on bytes that the program holds at a time: 2^28 by
                                       default */
    double budget_seconds;        /**< limit on wall-clock time, counted from
                                       cuc_tile_program_set_budget(); 0: unlimited */
    /** Called several times a second within calls on the program. A nonzero result ends building.
     * NULL: never ends it */
    int32_t (*cancel)(void *user);
    void *cancel_user; /**< passed to cancel, until the program is released */
} cuc_tile_budget;

/** Default budget: cuc_tile_budget b = CUC_TILE_BUDGET_INIT; */
#ifdef __cplusplus
static inline cuc_tile_budget cuc__tile_budget_default(void)
{
    cuc_tile_budget budget = cuc_tile_budget();
    budget.struct_size = sizeof(budget);
    return budget;
}
#define CUC_TILE_BUDGET_INIT (cuc__tile_budget_default())
#else
#define CUC_TILE_BUDGET_INIT                   \
    {                                          \
        .struct_size = sizeof(cuc_tile_budget) \
    }

/** A budget written at the call site: CUC_TILE_BUDGET(.budget_seconds = 2). */
#define CUC_TILE_BUDGET(...) \
    (&(cuc_tile_budget){ .struct_size = sizeof(cuc_tile_budget), __VA_ARGS__ })
#endif

/**
 * Set every field of a budget to its default.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] budget      the caller's struct; at most caller_size bytes are written
 * @param      caller_size sizeof(cuc_tile_budget) in the calling code
 * @since 0.1
 */
CUC_API void cuc_tile_budget_init(cuc_tile_budget *budget, size_t caller_size);

/**
 * Set the budget of a program. It covers what is already built and what follows.
 *
 * If the program exceeds it, cuc_tile_program_finish() reports one of the errors T801 to T805,
 * which names the construct, the amount and the limit. Nothing more can be built after such an
 * error.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program, not finished and within its budget
 * @param budget  read before the call returns; NULL: every default
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT program is NULL, finished, or over its previous budget; budget
 *                                    has a wrong size or sets unknown fields; budget_seconds is
 *                                    negative or NaN
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_program_set_budget(cuc_tile_program *program,
                                               const cuc_tile_budget *budget);

/**
 * Finish a program: report all its errors, or return its source.
 *
 * Nothing can be added afterwards. Another call returns the same result.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] source a tile program as text, for cuc_program_create(), for a file, or for reading;
 *                    borrowed: valid until the program is released. NULL: not wanted
 * @param      program the program
 * @retval CUC_OK                     the program has no error
 * @retval CUC_ERROR_COMPILE          the program has errors: the message has the first one, and
 *                                    cuc_error_log() and cuc_tile_program_log() have all; or the
 *                                    program has no kernel
 * @retval CUC_ERROR_INVALID_ARGUMENT program is NULL
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory, in this call or an earlier one
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_program_finish(const char **source, cuc_tile_program *program);

/**
 * The errors so far, each as `FILE:LINE: error T123: op: operand NAME: ...`, followed by the
 * enclosing cuc_tile_enter() calls.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @return "" when there are none; never NULL; valid until the program is released
 * @since 0.1
 */
CUC_API const char *cuc_tile_program_log(cuc_tile_program *program);

/**
 * Add a reference to a program.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param program the program, or NULL
 * @return program
 * @since 0.1
 */
CUC_API cuc_tile_program *cuc_tile_program_retain(cuc_tile_program *program);

/**
 * Release a reference; the last one frees the program and its source.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param program the program, or NULL
 * @since 0.1
 */
CUC_API void cuc_tile_program_release(cuc_tile_program *program);

/**
 * Begin a kernel. The calls up to cuc_tile_kernel_end() build it.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file, for messages; copied; NULL: unknown
 * @param line    the caller's line; 0: unknown
 * @param name    an identifier of the language; copied
 * @since 0.1
 */
CUC_API void cuc_tile_kernel_begin(cuc_tile_program *program, const char *file, uint32_t line,
                                   const char *name);

/**
 * End the kernel: every loop and every if in it must have ended.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @since 0.1
 */
CUC_API void cuc_tile_kernel_end(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * Add a tensor to the kernel's parameters.
 *
 * @shape  `extents` lists the extents, separated by commas, as between brackets in the language:
 *         "M, N" binds or checks the dimensions M and N, "64" is a static extent, "G + 1" is
 *         checked
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param name    an identifier of the language; copied
 * @param dtype   element type
 * @param extents one for each axis, at most 8; "" or NULL: no axis, one element
 * @return the tensor, for loads, stores and shape queries
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_tensor(cuc_tile_program *program, const char *file, uint32_t line,
                                 const char *name, cuc_dtype dtype, const char *extents);

/**
 * Add a scalar to the kernel's parameters.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param name    an identifier of the language; copied
 * @param dtype   type of the scalar
 * @return the scalar, a tile without axes
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_scalar(cuc_tile_program *program, const char *file, uint32_t line,
                                 const char *name, cuc_dtype dtype);

/**
 * A dimension that a tensor's extents bind.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param name    as in the extents of an earlier parameter
 * @return a scalar of i64
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_dimension(cuc_tile_program *program, const char *file, uint32_t line,
                                    const char *name);

/**
 * State facts that hold at every launch. The launch checks them, and the code may rely on them.
 *
 * The names in the text are parameters and dimensions; format other numbers into the text. The text
 * is parsed at the kernel's end, so the call may precede the parameters that it names.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param facts   one or more, as the language writes them after `where`: "N % 8 == 0, noalias(a,
 *                b)"; copied
 * @since 0.1
 */
CUC_API void cuc_tile_fact(cuc_tile_program *program, const char *file, uint32_t line,
                           const char *facts);

/**
 * Set the number of blocks of a launch, computed on the host in exact 64-bit integers.
 *
 * A kernel without a grid uses the grid of the launch.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param grid    1 to 3 expressions, as the language writes them: "cdiv(M, 128), cdiv(N, 64)";
 *                copied
 * @since 0.1
 */
CUC_API void cuc_tile_grid(cuc_tile_program *program, const char *file, uint32_t line,
                           const char *grid);

/**
 * Mark the following calls as the work of a function that builds code. Messages then also report
 * the position from which that function was called, as for a `fn` of the language.
 *
 * Such a function takes the program, a file and a line as its first arguments, like the functions
 * here. Call it with CUC_HERE(); it passes the three arguments on to this call.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    source file of the call to the function
 * @param line    the caller's line
 * @since 0.1
 */
CUC_API void cuc_tile_enter(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * End the effect of the last cuc_tile_enter().
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @since 0.1
 */
CUC_API void cuc_tile_leave(cuc_tile_program *program);

/* ---- Properties of values ------------------------------------------------------------------- */

/**
 * Name a value in the program's text.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       an unnamed value; for 0, a constant or a value that has a name, the call does
 *                nothing
 * @param name    an identifier of the language; copied; a number is appended if it is already used
 * @return x
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_name(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile x, const char *name);

/**
 * The element type of a value.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param x       a value
 * @return the type; CUC_DTYPE_UNKNOWN for 0, for a value of another program, and for a constant,
 *         which takes the type of the other operand
 * @since 0.1
 */
CUC_API cuc_dtype cuc_tile_dtype(const cuc_tile_program *program, cuc_tile x);

/**
 * The number of axes of a value.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param x       a tile or a tensor
 * @return 0 for a scalar and a constant; -1 for 0 and for a value of another program
 * @since 0.1
 */
CUC_API int32_t cuc_tile_rank(const cuc_tile_program *program, cuc_tile x);

/**
 * The extent of an axis of a tile.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param x       a tile
 * @param axis    0 is the first
 * @return elements; -1 for a tensor, whose extents are known only at launch, for an axis that x
 *         lacks, for 0, and for a value of another program
 * @since 0.1
 */
CUC_API int64_t cuc_tile_extent(const cuc_tile_program *program, cuc_tile x, int32_t axis);

/* ---- Constants and other sources of values -------------------------------------------------- */

/**
 * Create an integer constant. It takes the dtype of the other operand. On its own it is i32, or i64
 * if it is large.
 *
 * Operations that have only constant operands are folded at once. Constants may be used anywhere in
 * the program.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param value   the number
 * @return the constant
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_int(cuc_tile_program *program, const char *file, uint32_t line,
                              int64_t value);

/**
 * Create an integer constant from 0 to 2^64 - 1, beyond the range of cuc_tile_int().
 *
 * On its own it is i32, or i64 or u64 if it is large.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param value   the number
 * @return the constant
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_uint(cuc_tile_program *program, const char *file, uint32_t line,
                               uint64_t value);

/**
 * Create a float constant. It takes the dtype of the other operand. On its own it is f32.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param value   the number; may be infinite or NaN
 * @return the constant
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_float(cuc_tile_program *program, const char *file, uint32_t line,
                                double value);

/**
 * Create a bool constant. An `if` on it generates only the arm that is taken.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param value   0 is false, any other value true
 * @return the constant
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_bool(cuc_tile_program *program, const char *file, uint32_t line,
                               int32_t value);

/**
 * Create a tile of zeros.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param dtype   element type
 * @param rank    number of axes, at most 8; 0 is a scalar
 * @param shape   [rank] extents, each 1 or more, at most 2^24 elements in all; NULL for rank 0
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_zeros(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_dtype dtype, uint32_t rank, const int64_t *shape);

/**
 * Create a tile with one value in every element.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param dtype   element type
 * @param rank    number of axes
 * @param shape   [rank]
 * @param value   a constant or a scalar; it is cast
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_full(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_dtype dtype, uint32_t rank, const int64_t *shape,
                               cuc_tile value);

/**
 * Create a tile from a list of elements.
 *
 *     cuc_tile_full_list(K, CUC_F32, CUC_SHAPE(2, 2), CUC_TILES(a, b, c, d))
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param dtype   element type
 * @param rank    number of axes
 * @param shape   [rank]
 * @param count   the number of elements in the shape, at most 256
 * @param values  [count] constants or scalars, which are cast; the last axis is fastest
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_full_list(cuc_tile_program *program, const char *file, uint32_t line,
                                    cuc_dtype dtype, uint32_t rank, const int64_t *shape,
                                    uint32_t count, const cuc_tile *values);

/**
 * Create a tile of the numbers 0, 1, 2, ...
 *
 * @shape  result: [count]
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param dtype   an integer type that can represent count - 1
 * @param count   number of elements
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_iota(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_dtype dtype, int64_t count);

/**
 * The index of this block in the grid.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param axis    axis of the grid, 0 to 2
 * @return a scalar of i64
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_block(cuc_tile_program *program, const char *file, uint32_t line,
                                int32_t axis);

/**
 * The number of blocks of the grid along an axis.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param axis    axis of the grid, 0 to 2
 * @return a scalar of i64
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_num_blocks(cuc_tile_program *program, const char *file, uint32_t line,
                                     int32_t axis);

/**
 * An extent of a tensor, which may be a slice.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param axis    0 is the first
 * @return a scalar of i64
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_dim(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile tensor, int32_t axis);

/**
 * A stride of a tensor, in elements.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param axis    0 is the first
 * @return a scalar of i64
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_stride(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile tensor, int32_t axis);

/* ---- Elementwise operations ----------------------------------------------------------------- */

/** Roundings of cuc_tile_cast() and the `_round` functions; CUC_TILE_FTZ may be added. */
enum {
    CUC_TILE_RN = 0,     /**< to nearest even; casts to an integer truncate */
    CUC_TILE_RZ = 1,     /**< toward zero */
    CUC_TILE_RM = 2,     /**< down */
    CUC_TILE_RP = 3,     /**< up */
    CUC_TILE_APPROX = 4, /**< the machine's fastest approximation: f32, not for casts */
    CUC_TILE_FULL = 5,   /**< within 2 ulp: f32, not for casts */
    CUC_TILE_FTZ = 16,   /**< add it to one of these: flush subnormal f32 operands and results to
                              0 */
    CUC_TILE_NAN = 32    /**< add it to one of these, for minimum, maximum, min and max: NaN if an
                              operand is NaN */
};

/**
 * Elementwise functions of one value: X(function, op, result).
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x)`. The functions from exp on take
 * floats. Since 0.1; one call at a time on the same program; no driver call.
 */
// clang-format off
#define CUC_TILE_UNARY_LIST(X) \
    X(cuc_tile_neg,     NEG,     "-x") \
    X(cuc_tile_bitnot,  NOT,     "~x: integers; for bools, not") \
    X(cuc_tile_abs,     ABS,     "the absolute value") \
    X(cuc_tile_exp,     EXP,     "e ** x") \
    X(cuc_tile_exp2,    EXP2,    "2 ** x") \
    X(cuc_tile_expm1,   EXPM1,   "e ** x - 1, exact for small x") \
    X(cuc_tile_log,     LOG,     "the natural logarithm") \
    X(cuc_tile_log2,    LOG2,    "the logarithm to base 2") \
    X(cuc_tile_log1p,   LOG1P,   "the logarithm of 1 + x, exact for small x") \
    X(cuc_tile_sqrt,    SQRT,    "the square root") \
    X(cuc_tile_rsqrt,   RSQRT,   "1 / sqrt(x)") \
    X(cuc_tile_sin,     SIN,     "the sine") \
    X(cuc_tile_cos,     COS,     "the cosine") \
    X(cuc_tile_tan,     TAN,     "the tangent") \
    X(cuc_tile_sinh,    SINH,    "the hyperbolic sine") \
    X(cuc_tile_cosh,    COSH,    "the hyperbolic cosine") \
    X(cuc_tile_tanh,    TANH,    "the hyperbolic tangent") \
    X(cuc_tile_erf,     ERF,     "the error function") \
    X(cuc_tile_sigmoid, SIGMOID, "1 / (1 + e ** -x)") \
    X(cuc_tile_floor,   FLOOR,   "the next integer at or below") \
    X(cuc_tile_ceil,    CEIL,    "the next integer at or above") \
    X(cuc_tile_round,   ROUND,   "the nearest integer, half to even") \
    X(cuc_tile_trunc,   TRUNC,   "the next integer towards 0") \
    X(cuc_tile_isnan,   ISNAN,   "true if x is NaN: bools") \
    X(cuc_tile_isinf,   ISINF,   "true if x is infinite: bools")

/**
 * Elementwise functions of one value with a rounding argument.
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x, int32_t round)`.
 */
#define CUC_TILE_UNARY_ROUND_LIST(X) \
    X(cuc_tile_sqrt_round,  SQRT,  "RN, RZ, RM, RP; for f32 APPROX") \
    X(cuc_tile_rsqrt_round, RSQRT, "RN; for f32 APPROX") \
    X(cuc_tile_exp_round,   EXP,   "RN; for f32 FULL, APPROX") \
    X(cuc_tile_exp2_round,  EXP2,  "RN; for f32 FULL, APPROX") \
    X(cuc_tile_tanh_round,  TANH,  "RN; for f32 FULL, APPROX")

#define CUC__TILE_UNARY(function, op, text) CUC_API cuc_tile \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x);
#define CUC__TILE_UNARY_ROUND(function, op, text) CUC_API cuc_tile \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, int32_t round);
CUC_TILE_UNARY_LIST(CUC__TILE_UNARY)
CUC_TILE_UNARY_ROUND_LIST(CUC__TILE_UNARY_ROUND)
#undef CUC__TILE_UNARY
#undef CUC__TILE_UNARY_ROUND
// clang-format on

/**
 * Elementwise functions of two values: X(function, op, result).
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x, cuc_tile y)`. Dtype promotion and
 * broadcasting follow the language. Since 0.1; one call at a time on the same program; no driver
 * call.
 */
// clang-format off
#define CUC_TILE_BINARY_LIST(X) \
    X(cuc_tile_add,         ADD,      "x + y") \
    X(cuc_tile_sub,         SUB,      "x - y") \
    X(cuc_tile_mul,         MUL,      "x * y") \
    X(cuc_tile_div,         DIV,      "x / y; f32 for integers") \
    X(cuc_tile_floordiv,    FLOORDIV, "x // y, rounded down") \
    X(cuc_tile_cdiv,        CDIV,     "x / y, rounded up: integers") \
    X(cuc_tile_mod,         MOD,      "x % y, with the sign of y") \
    X(cuc_tile_pow,         POW,      "x ** y: floats") \
    X(cuc_tile_atan2,       ATAN2,    "the angle of the point (y, x): floats") \
    X(cuc_tile_copysign,    COPYSIGN, "the magnitude of x with the sign of y: floats") \
    X(cuc_tile_minimum,     MINIMUM,  "the smaller; the number if one is NaN") \
    X(cuc_tile_maximum,     MAXIMUM,  "the larger; the number if one is NaN") \
    X(cuc_tile_bitand,      AND,      "x & y: integers; for bools, and") \
    X(cuc_tile_bitor,       OR,       "x | y: integers; for bools, or") \
    X(cuc_tile_bitxor,      XOR,      "x ^ y: integers and bools") \
    X(cuc_tile_shl,         SHL,      "x << y: integers") \
    X(cuc_tile_shr,         SHR,      "x >> y: integers; keeps the sign") \
    X(cuc_tile_eq,          EQ,       "x == y: bools") \
    X(cuc_tile_ne,          NE,       "x != y") \
    X(cuc_tile_lt,          LT,       "x < y") \
    X(cuc_tile_le,          LE,       "x <= y") \
    X(cuc_tile_gt,          GT,       "x > y") \
    X(cuc_tile_ge,          GE,       "x >= y")
/** Variants that return NaN if an operand is NaN. */
#define CUC_TILE_BINARY_NAN_LIST(X) \
    X(cuc_tile_minimum_nan, MINIMUM,  "the smaller; NaN if one is NaN") \
    X(cuc_tile_maximum_nan, MAXIMUM,  "the larger; NaN if one is NaN")

/**
 * Elementwise functions of two values with a rounding argument.
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x, cuc_tile y, int32_t round)`.
 */
#define CUC_TILE_BINARY_ROUND_LIST(X) \
    X(cuc_tile_add_round,     ADD,     "RN, RZ, RM, RP") \
    X(cuc_tile_sub_round,     SUB,     "RN, RZ, RM, RP") \
    X(cuc_tile_mul_round,     MUL,     "RN, RZ, RM, RP") \
    X(cuc_tile_div_round,     DIV,     "RN, RZ, RM, RP; for f32 FULL, APPROX") \
    X(cuc_tile_minimum_round, MINIMUM, "RN; CUC_TILE_NAN") \
    X(cuc_tile_maximum_round, MAXIMUM, "RN; CUC_TILE_NAN")

#define CUC__TILE_BINARY(function, op, text) CUC_API cuc_tile \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, cuc_tile y);
#define CUC__TILE_BINARY_ROUND(function, op, text) CUC_API cuc_tile \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, cuc_tile y, \
             int32_t round);
CUC_TILE_BINARY_LIST(CUC__TILE_BINARY)
CUC_TILE_BINARY_NAN_LIST(CUC__TILE_BINARY)
CUC_TILE_BINARY_ROUND_LIST(CUC__TILE_BINARY_ROUND)
#undef CUC__TILE_BINARY
#undef CUC__TILE_BINARY_ROUND
// clang-format on

/**
 * Compute x // y and x % y, as cuc_tile_floordiv() and cuc_tile_mod() do.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] quotient rounded down; 0 after an error; NULL: not wanted
 * @param[out] rest     the remainder, with the sign of y; 0 after an error; NULL: not wanted
 * @param      program  the program
 * @param      file     the caller's source file
 * @param      line     the caller's line
 * @param      x        the dividend
 * @param      y        the divisor
 * @since 0.1
 */
CUC_API void cuc_tile_divmod(cuc_tile *quotient, cuc_tile *rest, cuc_tile_program *program,
                             const char *file, uint32_t line, cuc_tile x, cuc_tile y);

/**
 * Compute x * y + z for floats, rounded once.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a factor
 * @param y       a factor
 * @param z       the addend
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_fma(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile x, cuc_tile y, cuc_tile z);

/**
 * Compute x * y + z for floats, rounded once in a given direction.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a factor
 * @param y       a factor
 * @param z       the addend
 * @param round   CUC_TILE_RN, _RZ, _RM or _RP; CUC_TILE_FTZ may be added for f32
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_fma_round(cuc_tile_program *program, const char *file, uint32_t line,
                                    cuc_tile x, cuc_tile y, cuc_tile z, int32_t round);

/**
 * Select elements: from x where c is true, from y elsewhere.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param c       bools
 * @param x       selected where c is true
 * @param y       selected where c is false
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_where(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_tile c, cuc_tile x, cuc_tile y);

/**
 * Compute the gradient of x from that of y, a function of x: the operations between them are
 * differentiated in reverse.
 *
 * The operations that have derivatives are elementwise ones, broadcasts, reshapes and permutations.
 * Others between x and y, loops and ifs are errors (T111).
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param y       floats, computed from x
 * @param x       floats; all zeros result if y does not depend on x
 * @param d       the gradient of y, broadcast to y; 0: 1
 * @return the gradient of x, in x's type
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_gradient(cuc_tile_program *program, const char *file, uint32_t line,
                                   cuc_tile y, cuc_tile x, cuc_tile d);

/**
 * Compute the gradient of a tensor's elements from that of y, a function that reads them, as
 * cuc_tile_gradient() does. Reads of other elements of the tensor are errors (T305).
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param y       floats, computed from elements of the tensor
 * @param tensor  a tensor of floats
 * @param count   its number of axes
 * @param index   [count] the integer tiles by which y's computation gathers the elements
 * @param d       the gradient of y, broadcast to y; 0: 1
 * @param each    nonzero: keep the contribution of each element of y apart
 * @return the gradient of the elements, with the shape to which the indices broadcast; with `each`
 *         its summands, in y's type
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_gradient_at(cuc_tile_program *program, const char *file, uint32_t line,
                                      cuc_tile y, cuc_tile tensor, uint32_t count,
                                      const cuc_tile *index, cuc_tile d, int32_t each);

/**
 * Convert to another element type. 8-bit floats saturate; integers wrap.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a value
 * @param dtype   the new element type
 * @param round   CUC_TILE_RN, _RZ, _RM or _RP; other than RN only where the cast rounds;
 *                CUC_TILE_FTZ may be added between floats, one of them f32
 * @return the tile; x itself if it already has the type
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_cast(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile x, cuc_dtype dtype, int32_t round);

/**
 * Reinterpret the bits as another element type. If the widths differ, the last axis grows or
 * shrinks. The bytes keep their order in memory, lowest first.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a value
 * @param dtype   the new element type
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_bitcast(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile x, cuc_dtype dtype);

/**
 * Promise that `divisor` divides each element of x. The promise is not checked.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       integers
 * @param divisor 1 or more
 * @return x with the promise
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_assume(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile x, int64_t divisor);

/* ---- Shapes --------------------------------------------------------------------------------- */

/**
 * Repeat a tile along axes of extent 1 and along new leading axes.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile
 * @param rank    number of axes of the result
 * @param shape   [rank]
 * @return the tile; x itself if it already has the shape
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_broadcast(cuc_tile_program *program, const char *file, uint32_t line,
                                    cuc_tile x, uint32_t rank, const int64_t *shape);

/**
 * Change the shape of a tile, keeping the order of elements.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile
 * @param rank    number of axes of the result
 * @param shape   [rank]; one extent may be -1, and is computed
 * @return the tile; x itself if it already has the shape
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_reshape(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile x, uint32_t rank, const int64_t *shape);

/**
 * Permute the axes of a tile.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile
 * @param count   its number of axes
 * @param axes    [count]: axis i of the result is axis axes[i] of x; CUC_AXES(1, 0) expands to
 *                count and axes
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_permute(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile x, uint32_t count, const int64_t *axes);

/**
 * Transpose the last two axes.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile of at least two axes
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_trans(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_tile x);

/**
 * Insert an axis of extent 1, like None in a subscript.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile of at most 7 axes
 * @param axis    its position in the result: 0 to the rank of x
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_expand(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile x, int32_t axis);

/**
 * Remove an axis of extent 1.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile
 * @param axis    an axis of extent 1
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_squeeze(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile x, int32_t axis);

/**
 * Concatenate two tiles along an axis.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       the first tile
 * @param y       the second tile: same dtype, and same extents in the other axes
 * @param axis    the axis to concatenate along
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_cat(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile x, cuc_tile y, int32_t axis);

/**
 * Extract a subtile. Indices count subtiles, just as a load's indices count tiles.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile
 * @param count   its number of axes
 * @param index   [count] integer scalars
 * @param rank    equal to count
 * @param shape   [rank]: extents that divide the extents of x
 * @return the subtile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_extract(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile x, uint32_t count, const cuc_tile *index, uint32_t rank,
                                  const int64_t *shape);

/**
 * Copy a tile and replace one of its subtiles.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile; unchanged
 * @param count   its number of axes
 * @param index   [count] integer scalars; they count subtiles
 * @param y       the subtile; its extents divide the extents of x
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_insert(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile x, uint32_t count, const cuc_tile *index, cuc_tile y);

/**
 * Select elements by index along an axis.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile
 * @param index   integers; a tile with one axis selects slices, a tile with the rank of x selects
 *                elements
 * @param axis    axis of x
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_take(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile x, cuc_tile index, int32_t axis);

/**
 * Shift elements along an axis: element i of the result is element i - n of x.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile
 * @param n       distance; an integer scalar
 * @param axis    the axis
 * @param pad     value for elements shifted in; 0: zero
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_shift(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_tile x, cuc_tile n, int32_t axis, cuc_tile pad);

/**
 * Rotate elements along an axis: element i of the result is element i - n of x, cyclically.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       a tile
 * @param n       distance; an integer scalar
 * @param axis    the axis
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_roll(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile x, cuc_tile n, int32_t axis);

/* ---- Memory --------------------------------------------------------------------------------- */

/** Memory order of an access, as other blocks see it. */
enum {
    CUC_TILE_ORDER_DEFAULT = 0, /**< weak; acquire and release for atomic operations */
    CUC_TILE_WEAK = 1,          /**< no order; not for atomic operations */
    CUC_TILE_RELAXED = 2,       /**< no order, but the access itself is atomic */
    CUC_TILE_ACQUIRE = 3,       /**< later accesses stay after it: loads and atomic operations */
    CUC_TILE_RELEASE = 4,       /**< earlier accesses stay before it: stores and atomic
                                     operations */
    CUC_TILE_ACQ_REL = 5        /**< both: atomic operations */
};

/** The scope in which an access that is not weak is ordered. */
enum {
    CUC_TILE_SCOPE_DEFAULT = 0, /**< the device's blocks */
    CUC_TILE_SCOPE_DEVICE = 1,  /**< the device's blocks */
    CUC_TILE_SCOPE_BLOCK = 2,   /**< this block */
    CUC_TILE_SCOPE_SYSTEM = 3   /**< also the host and other devices */
};

/** Eviction priority in the L2 cache. */
enum {
    CUC_TILE_CACHE_ANY = 0,   /**< the device's default */
    CUC_TILE_CACHE_FIRST = 1, /**< evict first */
    CUC_TILE_CACHE_LAST = 2,  /**< evict last */
    CUC_TILE_CACHE_STREAM = 3 /**< used once */
};

/** Options of a memory access. Zero selects the default of every field. */
typedef struct cuc_tile_access_options {
    size_t struct_size; /**< sizeof(cuc_tile_access_options); the initializers set it */
    /** Shape of a store, [rank], with CUC_NO_AXIS; NULL: the tile's shape, preceded by
     * CUC_NO_AXIS. */
    const int64_t *shape;
    uint32_t rank;     /**< length of shape */
    cuc_tile pad;      /**< load, gather: value outside the tensor; 0: zero */
    cuc_tile mask;     /**< gather, scatter, atomic operations: bools that select elements; 0:
                            all */
    int32_t order;     /**< a CUC_TILE_ constant from WEAK to ACQ_REL */
    int32_t scope;     /**< CUC_TILE_SCOPE_ */
    int32_t latency;   /**< a hint, 1 to 10: how long the load takes; a load with more latency
                            starts earlier */
    int32_t tma;       /**< a hint: CUC_ON uses the tensor memory accelerator, CUC_OFF does not */
    int32_t cache;     /**< a hint: CUC_TILE_CACHE_ */
    int32_t inside;    /**< nonzero: a promise that the access is entirely inside the tensor; not
                            checked */
    uint32_t reserved; /**< 0 */
} cuc_tile_access_options;

/** Default options: cuc_tile_access_options o = CUC_TILE_ACCESS_OPTIONS_INIT; */
#define CUC_TILE_ACCESS_OPTIONS_INIT                                     \
    {                                                                    \
        sizeof(cuc_tile_access_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site, in C: CUC_TILE_ACCESS_OPTIONS(.pad = minus_one). */
#define CUC_TILE_ACCESS_OPTIONS(...) \
    (&(cuc_tile_access_options){ .struct_size = sizeof(cuc_tile_access_options), __VA_ARGS__ })
#endif

/**
 * Set options to their defaults.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] options     zeroed, its struct_size set; NULL does nothing
 * @param      caller_size sizeof(cuc_tile_access_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_tile_access_options_init(cuc_tile_access_options *options, size_t caller_size);

/**
 * Load a tile of a tensor by tile index. Index i starts at element i * extent.
 *
 * Elements outside the tensor read as the pad value.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param count   its number of axes
 * @param index   [count] integer scalars; they count tiles
 * @param rank    equal to count
 * @param shape   [rank]: an extent for each axis, or CUC_NO_AXIS
 * @param options pad, order, scope, hints; NULL selects all defaults
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_load(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile tensor, uint32_t count, const cuc_tile *index,
                               uint32_t rank, const int64_t *shape,
                               const cuc_tile_access_options *options);

/**
 * Load a tile of a tensor by the index of its first element.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param count   its number of axes
 * @param index   [count] integer scalars; they count elements
 * @param rank    equal to count
 * @param shape   [rank]: an extent for each axis, or CUC_NO_AXIS
 * @param options as for cuc_tile_load()
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_load_at(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile tensor, uint32_t count, const cuc_tile *index,
                                  uint32_t rank, const int64_t *shape,
                                  const cuc_tile_access_options *options);

/**
 * Load rows of a tensor. `ids` select elements of its first axis.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param ids     [R] integers
 * @param count   number of the other axes
 * @param index   [count] integer scalars; they count tiles
 * @param rank    number of the other axes
 * @param shape   [rank]: an extent for each of them, or CUC_NO_AXIS
 * @param options as for cuc_tile_load()
 * @return the tile; its first axis has extent R
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_load_rows(cuc_tile_program *program, const char *file, uint32_t line,
                                    cuc_tile tensor, cuc_tile ids, uint32_t count,
                                    const cuc_tile *index, uint32_t rank, const int64_t *shape,
                                    const cuc_tile_access_options *options);

/**
 * Load one element of a tensor.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param count   its number of axes
 * @param index   [count] integer scalars
 * @return a scalar
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_element(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile tensor, uint32_t count, const cuc_tile *index);

/**
 * Store a tile of a tensor by tile index. Elements outside the tensor are not written.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param count   its number of axes
 * @param index   [count] integer scalars; they count tiles
 * @param x       the tile; broadcast to the shape, and cast where promotion would cast
 * @param options shape, order, scope, hints; NULL selects all defaults
 * @since 0.1
 */
CUC_API void cuc_tile_store(cuc_tile_program *program, const char *file, uint32_t line,
                            cuc_tile tensor, uint32_t count, const cuc_tile *index, cuc_tile x,
                            const cuc_tile_access_options *options);

/**
 * Store a tile of a tensor by the index of its first element.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param count   its number of axes
 * @param index   [count] integer scalars; they count elements
 * @param x       the tile
 * @param options as for cuc_tile_store()
 * @since 0.1
 */
CUC_API void cuc_tile_store_at(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile tensor, uint32_t count, const cuc_tile *index, cuc_tile x,
                               const cuc_tile_access_options *options);

/**
 * Store rows of a tensor. `ids` select elements of its first axis.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param ids     [R] integers
 * @param count   number of the other axes
 * @param index   [count] integer scalars; they count tiles
 * @param x       the tile; its first axis has extent R
 * @param options as for cuc_tile_store(); the shape covers the other axes
 * @since 0.1
 */
CUC_API void cuc_tile_store_rows(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile tensor, cuc_tile ids, uint32_t count,
                                 const cuc_tile *index, cuc_tile x,
                                 const cuc_tile_access_options *options);

/**
 * Stores that combine with the old value atomically: X(function, with, effect).
 *
 * Each is
 *
 *     void function(program, file, line, cuc_tile tensor, uint32_t count, const cuc_tile *index,
 *                   cuc_tile x, const cuc_tile_access_options *options)
 *
 * The index counts tiles. Only `shape` in the options applies. Since 0.1; one call at a time on the
 * same program; no driver call.
 */
// clang-format off
#define CUC_TILE_STORE_LIST(X) \
    X(cuc_tile_store_add, SUM, "adds") \
    X(cuc_tile_store_max, MAX, "keeps the larger") \
    X(cuc_tile_store_min, MIN, "keeps the smaller") \
    X(cuc_tile_store_and, AND, "bitwise") \
    X(cuc_tile_store_or,  OR,  "bitwise") \
    X(cuc_tile_store_xor, XOR, "bitwise")

#define CUC__TILE_STORE(function, with, text) CUC_API void \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor, \
             uint32_t count, const cuc_tile *index, cuc_tile x, \
             const cuc_tile_access_options *options);
CUC_TILE_STORE_LIST(CUC__TILE_STORE)
#undef CUC__TILE_STORE
// clang-format on

/**
 * Load elements of a tensor, each by its own index.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param count   its number of axes
 * @param index   [count] integer tiles, broadcast together with the mask
 * @param options mask, pad, order, scope, hints; NULL selects all defaults
 * @return the tile; the pad value where the mask is false or the index is outside the tensor
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_gather(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile tensor, uint32_t count, const cuc_tile *index,
                                 const cuc_tile_access_options *options);

/**
 * Store elements of a tensor, each by its own index. If several elements have the same index, one
 * of them is stored.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param count   its number of axes
 * @param index   [count] integer tiles, broadcast together with x and the mask
 * @param x       the values
 * @param options mask, order, scope, hints; NULL selects all defaults
 * @since 0.1
 */
CUC_API void cuc_tile_scatter(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile tensor, uint32_t count, const cuc_tile *index, cuc_tile x,
                              const cuc_tile_access_options *options);

/**
 * Atomic operations on elements, which return the old values: X(function, with, effect).
 *
 * Each is
 *
 *     cuc_tile function(program, file, line, cuc_tile tensor, uint32_t count,
 *                       const cuc_tile *index, cuc_tile x,
 *                       const cuc_tile_access_options *options)
 *
 * The index is as for cuc_tile_scatter(). In the options, mask, order and scope apply. Since 0.1;
 * one call at a time on the same program; no driver call.
 */
// clang-format off
#define CUC_TILE_ATOMIC_LIST(X) \
    X(cuc_tile_atomic_add,  SUM,  "adds") \
    X(cuc_tile_atomic_max,  MAX,  "keeps the larger") \
    X(cuc_tile_atomic_min,  MIN,  "keeps the smaller") \
    X(cuc_tile_atomic_and,  AND,  "bitwise") \
    X(cuc_tile_atomic_or,   OR,   "bitwise") \
    X(cuc_tile_atomic_xor,  XOR,  "bitwise") \
    X(cuc_tile_atomic_xchg, XCHG, "stores x")

#define CUC__TILE_ATOMIC(function, with, text) CUC_API cuc_tile \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor, \
             uint32_t count, const cuc_tile *index, cuc_tile x, \
             const cuc_tile_access_options *options);
CUC_TILE_ATOMIC_LIST(CUC__TILE_ATOMIC)
#undef CUC__TILE_ATOMIC
// clang-format on

/**
 * Atomically replace elements equal to `expected` by x, and return the old values.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program  the program
 * @param file     the caller's source file
 * @param line     the caller's line
 * @param tensor   the tensor
 * @param count    its number of axes
 * @param index    [count] integer tiles
 * @param expected the values to compare with
 * @param x        the new values
 * @param options  mask, order, scope; NULL selects all defaults
 * @return the old values
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_atomic_cas(cuc_tile_program *program, const char *file, uint32_t line,
                                     cuc_tile tensor, uint32_t count, const cuc_tile *index,
                                     cuc_tile expected, cuc_tile x,
                                     const cuc_tile_access_options *options);

/**
 * Slice a tensor along an axis. The slice has the elements from `start` up to `stop`, clipped to
 * the extent.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param tensor  the tensor
 * @param axis    0 is the first
 * @param start   an integer scalar: the first element
 * @param stop    an integer scalar: the end, exclusive
 * @return a tensor; a variable cannot hold it
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_slice(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_tile tensor, int32_t axis, cuc_tile start, cuc_tile stop);

/* ---- Reductions, scans and products --------------------------------------------------------- */

/**
 * Reductions: X(function, with, result).
 *
 * Each is
 *
 *     cuc_tile function(program, file, line, cuc_tile x, uint32_t count, const int64_t *axes)
 *
 * It reduces the [count] axes, such as CUC_AXES(0, 1), and keeps them with extent 1. A count of 0
 * reduces all axes to a scalar. Since 0.1; one call at a time on the same program; no driver call.
 */
// clang-format off
#define CUC_TILE_REDUCE_LIST(X) \
    X(cuc_tile_sum,     SUM,  "the sum") \
    X(cuc_tile_prod,    PROD, "the product") \
    X(cuc_tile_min,     MIN,  "the smallest number") \
    X(cuc_tile_max,     MAX,  "the largest number") \
    X(cuc_tile_any,     ANY,  "bools: true if one is") \
    X(cuc_tile_all,     ALL,  "bools: true if all are")
/** Variants that return NaN if an element is NaN. */
#define CUC_TILE_REDUCE_NAN_LIST(X) \
    X(cuc_tile_min_nan, MIN,  "the smallest, or NaN") \
    X(cuc_tile_max_nan, MAX,  "the largest, or NaN")
/**
 * Functions of a tile and an axis: X(function, op, result).
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x, int32_t axis)`. With CUC_NO_AXIS,
 * argmin and argmax index all elements, rows first, and return a scalar. Since 0.1; one call at a
 * time on the same program; no driver call.
 */
#define CUC_TILE_ALONG_LIST(X) \
    X(cuc_tile_argmin,  ARGMIN, "the index of the smallest: i32, the first among equals; the axis is kept") \
    X(cuc_tile_argmax,  ARGMAX, "the index of the largest") \
    X(cuc_tile_sort,    SORT,   "ascending, NaN last")
/** Variants that return the index of the first NaN if there is one. */
#define CUC_TILE_ALONG_NAN_LIST(X) \
    X(cuc_tile_argmin_nan, ARGMIN, "the index of the smallest, or of the first NaN") \
    X(cuc_tile_argmax_nan, ARGMAX, "the index of the largest, or of the first NaN")
/**
 * Scans: X(function, with, result).
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x, int32_t axis, int32_t reverse)`; a
 * nonzero `reverse` starts at the end. Since 0.1; one call at a time on the same program; no driver
 * call.
 */
#define CUC_TILE_SCAN_LIST(X) \
    X(cuc_tile_cumsum,  SUM,  "the sum of all elements up to this one, inclusive") \
    X(cuc_tile_cumprod, PROD, "the product of all elements up to this one, inclusive")

/** Reductions with a rounding argument, `int32_t round`, after the axes. */
#define CUC_TILE_REDUCE_ROUND_LIST(X) \
    X(cuc_tile_sum_round,  SUM,  "RN, RZ, RM, RP at each step") \
    X(cuc_tile_prod_round, PROD, "RN, RZ, RM, RP at each step") \
    X(cuc_tile_min_round,  MIN,  "RN; CUC_TILE_NAN") \
    X(cuc_tile_max_round,  MAX,  "RN; CUC_TILE_NAN")

#define CUC__TILE_REDUCE(function, with, text) CUC_API cuc_tile \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, \
             uint32_t count, const int64_t *axes);
#define CUC__TILE_REDUCE_ROUND(function, with, text) CUC_API cuc_tile \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, \
             uint32_t count, const int64_t *axes, int32_t round);
CUC_TILE_REDUCE_LIST(CUC__TILE_REDUCE)
CUC_TILE_REDUCE_NAN_LIST(CUC__TILE_REDUCE)
CUC_TILE_REDUCE_ROUND_LIST(CUC__TILE_REDUCE_ROUND)
#undef CUC__TILE_REDUCE
#undef CUC__TILE_REDUCE_ROUND
#define CUC__TILE_ALONG(function, op, text) CUC_API cuc_tile \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, int32_t axis);
CUC_TILE_ALONG_LIST(CUC__TILE_ALONG)
CUC_TILE_ALONG_NAN_LIST(CUC__TILE_ALONG)
#undef CUC__TILE_ALONG
#define CUC__TILE_SCAN(function, with, text) CUC_API cuc_tile \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, int32_t axis, \
             int32_t reverse);
CUC_TILE_SCAN_LIST(CUC__TILE_SCAN)
#undef CUC__TILE_SCAN
// clang-format on

/**
 * The largest elements along an axis, in descending order, and their indices.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] values  the elements; 0 after an error; NULL: not wanted
 * @param[out] indices i32; 0 after an error; NULL: not wanted
 * @param      program the program
 * @param      file    the caller's source file
 * @param      line    the caller's line
 * @param      x       a tile
 * @param      count   number of elements, at most the extent of the axis
 * @param      axis    the axis
 * @since 0.1
 */
CUC_API void cuc_tile_topk(cuc_tile *values, cuc_tile *indices, cuc_tile_program *program,
                           const char *file, uint32_t line, cuc_tile x, int64_t count,
                           int32_t axis);

/**
 * Count the elements equal to 0, 1, ..., count - 1. Other values are ignored.
 *
 * @shape  result: [count] of i32
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param x       integers
 * @param count   number of bins
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_histogram(cuc_tile_program *program, const char *file, uint32_t line,
                                    cuc_tile x, int64_t count);

/**
 * The places of a tile's elements in the stable order of their digits, and the number of elements
 * with each digit.
 *
 * An element's place is the number of elements with a smaller digit plus the number of earlier
 * elements with the same digit. An element that is not 0 to digits - 1 has place -1, and is not
 * counted.
 *
 * @shape  positions: the shape of x, of i32; counts: [digits] of i32
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] positions places; 0 after an error; NULL: not wanted
 * @param[out] counts    numbers of elements; 0 after an error; NULL: not wanted
 * @param      program   the program
 * @param      file      the caller's source file
 * @param      line      the caller's line
 * @param      x         integers, of rank 1
 * @param      digits    a power of two, at most 2048
 * @since 0.1
 */
CUC_API void cuc_tile_rank_digits(cuc_tile *positions, cuc_tile *counts, cuc_tile_program *program,
                                  const char *file, uint32_t line, cuc_tile x, int64_t digits);

/**
 * Move element i of a tile to element position[i] of the result.
 *
 * No two positions may be equal, unless they are outside the result: those elements are dropped.
 *
 * @shape  result: [extent]
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program  the program
 * @param file     the caller's source file
 * @param line     the caller's line
 * @param x        a tile of rank 1
 * @param position integers, of the shape of x
 * @param extent   number of elements of the result; 0: as many as x has
 * @param pad      value of the elements that no position names; 0: zero
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_place(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_tile x, cuc_tile position, int64_t extent, cuc_tile pad);

/**
 * Builds the operation with which cuc_tile_reduce() and cuc_tile_scan() combine two elements.
 *
 * It is called once and builds operations on scalars. It must not access memory, use control flow,
 * or use outside values other than constants.
 *
 * @param      user    as passed to the reduction
 * @param      program the program
 * @param      count   number of tiles reduced together
 * @param      x       [count] scalars: the result so far
 * @param      y       [count] scalars: the next elements
 * @param[out] result  [count], initially zeros: the combined values, of the types of x
 */
typedef void (*cuc_tile_combine)(void *user, cuc_tile_program *program, uint32_t count,
                                 const cuc_tile *x, const cuc_tile *y, cuc_tile *result);

/**
 * Reduce several tiles together along an axis with an associative function.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] result   [count], the axis kept with extent 1; zeros after an error
 * @param      program  the program
 * @param      file     the caller's source file
 * @param      line     the caller's line
 * @param      combine  called before this returns
 * @param      user     passed to combine
 * @param      count    number of tiles, 1 to 8
 * @param      x        [count] tiles, which are broadcast together
 * @param      axis     the axis
 * @param      identity [count] constants: the neutral element of combine
 * @since 0.1
 */
CUC_API void cuc_tile_reduce(cuc_tile *result, cuc_tile_program *program, const char *file,
                             uint32_t line, cuc_tile_combine combine, void *user, uint32_t count,
                             const cuc_tile *x, int32_t axis, const cuc_tile *identity);

/**
 * Scan several tiles together along an axis with an associative function.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] result   [count]; zeros after an error
 * @param      program  the program
 * @param      file     the caller's source file
 * @param      line     the caller's line
 * @param      combine  called before this returns
 * @param      user     passed to combine
 * @param      count    number of tiles, 1 to 8
 * @param      x        [count] tiles, which are broadcast together
 * @param      axis     the axis
 * @param      identity [count] constants: the neutral element of combine
 * @param      reverse  not 0: from the end
 * @since 0.1
 */
CUC_API void cuc_tile_scan(cuc_tile *result, cuc_tile_program *program, const char *file,
                           uint32_t line, cuc_tile_combine combine, void *user, uint32_t count,
                           const cuc_tile *x, int32_t axis, const cuc_tile *identity,
                           int32_t reverse);

/** Precision of cuc_tile_mma() for f32 operands. */
enum {
    CUC_TILE_IEEE = 0,  /**< full f32 */
    CUC_TILE_TF32 = 1,  /**< operands rounded to tf32 */
    CUC_TILE_TF32X3 = 2 /**< three tf32 products: nearly exact */
};

/**
 * Add a matrix product to an accumulator. In a loop, assign the result to the accumulator's
 * variable.
 *
 * @shape  a [.., M, K], b [.., K, N], acc [.., M, N]; axes before the last two are batches
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program   the program
 * @param file      the caller's source file
 * @param line      the caller's line
 * @param a         the left operand
 * @param b         the right operand
 * @param acc       the accumulator
 * @param precision CUC_TILE_IEEE, _TF32 or _TF32X3; for f32 operands
 * @param fast_acc  not 0: 8-bit floats may be accumulated with fewer bits
 * @return the tile, like acc
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_mma(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile a, cuc_tile b, cuc_tile acc, int32_t precision,
                              int32_t fast_acc);

/**
 * Multiply two matrices, like `@`. This is cuc_tile_mma() with an accumulator of zeros of f32, f64
 * or i32.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param a       [.., M, K]
 * @param b       [.., K, N]
 * @return [.., M, N]
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_matmul(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile a, cuc_tile b);

/* ---- Variables and control flow ------------------------------------------------------------- */

/**
 * Declare a variable, for a value that a loop carries or that an if defines.
 *
 * It can be used up to the end of the block that declares it.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param name    its name in the program's text and in messages; copied; NULL: a number
 * @param value   its initial value, which fixes its type. A constant becomes i32 (i64 if it is
 *                large), f32 or bool
 * @return the variable
 * @since 0.1
 */
CUC_API cuc_tile_variable cuc_tile_declare(cuc_tile_program *program, const char *file,
                                           uint32_t line, const char *name, cuc_tile value);

/**
 * The current value of a variable.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program  the program
 * @param file     the caller's source file
 * @param line     the caller's line
 * @param variable the variable
 * @return its value
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_get(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile_variable variable);

/**
 * Assign a value to a variable.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program  the program
 * @param file     the caller's source file
 * @param line     the caller's line
 * @param variable the variable
 * @param value   of the variable's type; a constant is converted to it
 * @since 0.1
 */
CUC_API void cuc_tile_set(cuc_tile_program *program, const char *file, uint32_t line,
                          cuc_tile_variable variable, cuc_tile value);

/**
 * Begin a counting loop, which extends to the matching cuc_tile_end().
 *
 * In the language it is `for i in first .. last step step`.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param first   an integer scalar
 * @param last    an integer scalar, exclusive
 * @param step    1 or more
 * @return the loop index, a scalar
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_for(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile first, cuc_tile last, int64_t step);

/**
 * Begin an infinite loop, which extends to the matching cuc_tile_end(). cuc_tile_while() and
 * cuc_tile_break() leave it.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @since 0.1
 */
CUC_API void cuc_tile_loop(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * Leave the loop unless a condition holds.
 *
 * To write `while c { .. }`, call cuc_tile_loop(), compute c, and call cuc_tile_while(), ..,
 * cuc_tile_end().
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program   the program
 * @param file      the caller's source file
 * @param line      the caller's line
 * @param condition a bool scalar
 * @since 0.1
 */
CUC_API void cuc_tile_while(cuc_tile_program *program, const char *file, uint32_t line,
                            cuc_tile condition);

/**
 * Begin the code for a true condition, up to the matching cuc_tile_else() or cuc_tile_end().
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program   the program
 * @param file      the caller's source file
 * @param line      the caller's line
 * @param condition a bool scalar; for a constant both arms are checked and only one is generated
 * @since 0.1
 */
CUC_API void cuc_tile_if(cuc_tile_program *program, const char *file, uint32_t line,
                         cuc_tile condition);

/**
 * Begin the code for a false condition, up to the matching cuc_tile_end().
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @since 0.1
 */
CUC_API void cuc_tile_else(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * End the innermost cuc_tile_for(), cuc_tile_loop() or cuc_tile_if().
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @since 0.1
 */
CUC_API void cuc_tile_end(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * Leave the innermost loop. Later code in the same block is checked but not generated.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @since 0.1
 */
CUC_API void cuc_tile_break(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * Continue with the next iteration of the innermost loop. Later code in the same block is not
 * generated.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @since 0.1
 */
CUC_API void cuc_tile_continue(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * End this block of the grid. Later code in the same block of the program is not generated.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @since 0.1
 */
CUC_API void cuc_tile_return(cuc_tile_program *program, const char *file, uint32_t line);

/* ---- Random numbers, PTX, messages and dependent launch ------------------------------------- */

/**
 * Generate random bits, as four tiles of u32. Equal arguments give equal bits.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] result  [4]; zeros after an error
 * @param      program the program
 * @param      file    the caller's source file
 * @param      line    the caller's line
 * @param      seed    integers
 * @param      counter integers, broadcast together with seed
 * @since 0.1
 */
CUC_API void cuc_tile_philox(cuc_tile *result, cuc_tile_program *program, const char *file,
                             uint32_t line, cuc_tile seed, cuc_tile counter);

/**
 * Insert PTX for each element. In the text, $0 is the result, and $1 and up are the operands.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param text    "bfind.u32 $0, $1;"; copied
 * @param dtype   element type of the result
 * @param count   number of operands, at most 8
 * @param x       [count] tiles, which are broadcast together
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_asm(cuc_tile_program *program, const char *file, uint32_t line,
                              const char *text, cuc_dtype dtype, uint32_t count, const cuc_tile *x);

/**
 * End the kernel with a message if an element is false.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program   the program
 * @param file      the caller's source file
 * @param line      the caller's line
 * @param condition bools; a false constant is an error of the program
 * @param text      the message; copied; NULL is ""
 * @since 0.1
 */
CUC_API void cuc_tile_assert(cuc_tile_program *program, const char *file, uint32_t line,
                             cuc_tile condition, const char *text);

/**
 * Print values when the kernel runs.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @param text    with `{}` for each value, or a format such as `{:8.3f}`, `{:,}`; copied
 * @param count   number of values, at most 8
 * @param x       [count] values; NULL for none
 * @since 0.1
 */
CUC_API void cuc_tile_print(cuc_tile_program *program, const char *file, uint32_t line,
                            const char *text, uint32_t count, const cuc_tile *x);

/**
 * Wait until the preceding kernels have ended and their writes are visible.
 *
 * It is for launches with CUC_LAUNCH_PROGRAMMATIC, which may begin earlier. In other launches it
 * does nothing. A kernel without this call waits at its start.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @since 0.1
 */
CUC_API void cuc_tile_grid_dependency_wait(cuc_tile_program *program, const char *file,
                                           uint32_t line);

/**
 * Let the next kernel begin once every block has reached this call or ended.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    the caller's source file
 * @param line    the caller's line
 * @since 0.1
 */
CUC_API void cuc_tile_grid_dependency_launch(cuc_tile_program *program, const char *file,
                                             uint32_t line);

CUC_END_DECLS

#endif
