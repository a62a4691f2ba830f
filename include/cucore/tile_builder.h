/**
 * @file
 * Tile programs made by programs: one function for each construct of the tile language.
 *
 * The calls give what the text of docs/tile-language.md gives: the same operations, checked by the
 * same rules, with the same errors. docs/tile-builder.md has the same kernels in both.
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
 * What cuc_tile_program_finish() gives is a source for cuc_program_create(), CUC_SOURCE_TILE.
 *
 * A shape is a length and a pointer: CUC_SHAPE(64, 32) is both, and CUC_AXES(0, 1) is a list of
 * axes. Both are macros of base.h for C; CUC_TILES(i, j) does the same for values.
 *
 * **Places.** Every function that builds is told the program and where in its source the caller
 * stands, a file and a line: CUC_HERE(program) is these three arguments. Errors and notes speak of
 * that place.
 *
 * **Errors are kept.** A call that fails gives 0, and what is given 0 after a failure gives 0 and
 * says nothing, so nothing has to be checked between. cuc_tile_program_finish() tells all errors.
 * A misuse of the calls themselves, such as a value of another kernel, is an error like any other.
 *
 * **Order.** Accesses to memory happen in the order of the calls. C does not say in which order
 * arguments of one call are evaluated: calls that write or order memory are statements of their
 * own.
 */
#ifndef CUCORE_TILE_BUILDER_H
#define CUCORE_TILE_BUILDER_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/**
 * A tile program in the making.
 *
 * Threads: any thread; one call at a time on the same program.
 */
typedef struct cuc_tile_program cuc_tile_program;

/**
 * A value: a tile, a scalar, a constant or a tensor; 0 is none.
 *
 * It can be used in the block that it was made in and in those inside of that, as in the language.
 */
typedef uint32_t cuc_tile;

/** A variable: what stands for one value after another of the same type; 0 is none. */
typedef uint32_t cuc_tile_variable;

/** The first three arguments of a function that builds: the program, and the caller's place. */
#define CUC_HERE(program) (program), __FILE__, (uint32_t)__LINE__

/** In a CUC_SHAPE(): the axis has extent 1 and the tile does not have it, as `_` in the language.
 */
#define CUC_NO_AXIS (-1)

#ifndef __cplusplus
/** Values as two arguments, their number and a pointer: CUC_TILES(i, j). */
#define CUC_TILES(...)                                                                           \
    (uint32_t)(sizeof((const cuc_tile[]){ __VA_ARGS__ }) / sizeof(cuc_tile)), (const cuc_tile[]) \
    {                                                                                            \
        __VA_ARGS__                                                                              \
    }
#endif

/* ---- programs and kernels ------------------------------------------------------------------ */

/**
 * Begin a program without kernels.
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
 * What building a program may take; zero is the default of every field.
 *
 * The names and the defaults are those of cuc_program_options, whose budget holds when the source
 * is compiled.
 */
typedef struct cuc_tile_budget {
    size_t struct_size; /**< sizeof(cuc_tile_budget); the initialisers set it */
    /** Steps of the compiler, as many on every machine: 2^23 by default; UINT64_MAX: no limit */
    uint64_t budget_operations;
    uint64_t budget_ptx_bytes;    /**< of the source that comes of it: 2^26 by default */
    uint64_t budget_memory_bytes; /**< that the program holds at a time: 2^28 by default */
    double budget_seconds;        /**< on the clock, from the call on; 0: any number */
    /** Asked some times a second, within calls of the program, whether to end it: unless it gives
     *  0. NULL: it goes on */
    int32_t (*cancel)(void *user);
    void *cancel_user; /**< handed to cancel, until the program is released */
} cuc_tile_budget;

/** Every default: cuc_tile_budget b = CUC_TILE_BUDGET_INIT; */
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
 * Give a budget every default.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] budget      where to write; at most caller_size bytes are written
 * @param      caller_size sizeof(cuc_tile_budget), as the caller was compiled with it
 * @since 0.1
 */
CUC_API void cuc_tile_budget_init(cuc_tile_budget *budget, size_t caller_size);

/**
 * Give a program another budget than the default, for what was built before and what is built from
 * here on.
 *
 * A program that would take more gets the error T801 to T805, which cuc_tile_program_finish()
 * tells: it names the construct, the amount and the limit. Nothing can be built from there on.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program, before it is finished or beyond its budget
 * @param budget  read before the call returns; NULL: every default
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT program is NULL, finished, or beyond the budget that it had;
 *                                    budget has a wrong size or unknown fields set; budget_seconds
 *                                    is negative or no number
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_program_set_budget(cuc_tile_program *program,
                                               const cuc_tile_budget *budget);

/**
 * End a program: all of its errors, or its source.
 *
 * Nothing can be added any more; called again, it gives the same.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] source a tile program as text, for cuc_program_create(), for a file, or to be read;
 *                    borrowed: valid until the program is released. NULL: not wanted
 * @param      program the program
 * @retval CUC_OK                     it has no error
 * @retval CUC_ERROR_COMPILE          it has: the message has the first, cuc_error_log() and
 *                                    cuc_tile_program_log() have all; or it has no kernel
 * @retval CUC_ERROR_INVALID_ARGUMENT program is NULL
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory, now or in a call before
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_program_finish(const char **source, cuc_tile_program *program);

/**
 * The errors there are so far, each as `FILE:LINE: error T123: op: operand NAME: ...`, and below it
 * the calls of cuc_tile_enter() that it stands in.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @return "" when there are none; never NULL; valid until the program is released
 * @since 0.1
 */
CUC_API const char *cuc_tile_program_log(cuc_tile_program *program);

/**
 * Hold one reference more.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param program the program, or NULL
 * @return program
 * @since 0.1
 */
CUC_API cuc_tile_program *cuc_tile_program_retain(cuc_tile_program *program);

/**
 * Drop a reference; the last one frees the program and its source.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param program the program, or NULL
 * @since 0.1
 */
CUC_API void cuc_tile_program_release(cuc_tile_program *program);

/**
 * Begin a kernel. All calls below up to cuc_tile_kernel_end() are about it.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands, for messages; copied; NULL: not known
 * @param line    its line; 0: not known
 * @param name    a name of the language; copied
 * @since 0.1
 */
CUC_API void cuc_tile_kernel_begin(cuc_tile_program *program, const char *file, uint32_t line,
                                   const char *name);

/**
 * End the kernel: every loop and every if in it must have been ended.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @since 0.1
 */
CUC_API void cuc_tile_kernel_end(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * Add a tensor to the kernel's parameters.
 *
 * @shape  `extents` has the extents, apart by commas, as the language writes them between brackets:
 *         "M, N" binds or checks the dimensions M and N, "64" is static, "G + 1" is checked
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param name    a name of the language; copied
 * @param dtype   of the elements
 * @param extents one for each axis, at most 8; "" or NULL: no axis, one element
 * @return the tensor: for loads, stores and what is asked of its shape
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
 * @param file    where the caller stands
 * @param line    its line
 * @param name    a name of the language; copied
 * @param dtype   its type
 * @return the scalar, a tile without axes
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_scalar(cuc_tile_program *program, const char *file, uint32_t line,
                                 const char *name, cuc_dtype dtype);

/**
 * A dimension that a tensor's extents have bound.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param name    as it stands in the extents of a parameter before
 * @return a scalar of i64
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_dimension(cuc_tile_program *program, const char *file, uint32_t line,
                                    const char *name);

/**
 * Say what must be so at every launch: it is checked there, and the code may rely on it.
 *
 * Names are those of parameters and dimensions; numbers of the program's own are written into the
 * text. It is read at the kernel's end, so it may come before the parameters that it names.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param facts   one or more, as the language writes them behind `where`: "N % 8 == 0, noalias(a,
 *                b)"; copied
 * @since 0.1
 */
CUC_API void cuc_tile_fact(cuc_tile_program *program, const char *file, uint32_t line,
                           const char *facts);

/**
 * Say how many blocks a launch has, computed on the host in exact 64-bit integers.
 *
 * A kernel without takes the grid of the launch.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param grid    1 to 3 expressions, as the language writes them: "cdiv(M, 128), cdiv(N, 64)";
 * copied
 * @since 0.1
 */
CUC_API void cuc_tile_grid(cuc_tile_program *program, const char *file, uint32_t line,
                           const char *grid);

/**
 * Say that what follows is built by a function, called where the caller stands: messages about it
 * tell that place too, as they do of a `fn`.
 *
 * A function that builds takes the program, a file and a line first, as those here do, is called
 * with CUC_HERE(), and passes the three on to this.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the function was called
 * @param line    its line
 * @since 0.1
 */
CUC_API void cuc_tile_enter(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * End what the last cuc_tile_enter() began.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @since 0.1
 */
CUC_API void cuc_tile_leave(cuc_tile_program *program);

/* ---- about values -------------------------------------------------------------------------- */

/**
 * Give a value a name: that is what the program's text calls it.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a value that has no name yet; of another one, of 0 and of a constant the name is
 *                not taken
 * @param name    a name of the language; copied; a number is put behind it where it is taken
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
 * @return CUC_DTYPE_UNKNOWN for 0, for no value of the program, and for a constant, which takes the
 *         type of what it meets
 * @since 0.1
 */
CUC_API cuc_dtype cuc_tile_dtype(const cuc_tile_program *program, cuc_tile x);

/**
 * How many axes a value has.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param x       a tile or a tensor
 * @return 0 for a scalar and a constant; -1 for 0 and for no value of the program
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
 * @return elements; -1 for a tensor, whose extents a launch tells, for an axis that x does not
 * have, and for no value of the program
 * @since 0.1
 */
CUC_API int64_t cuc_tile_extent(const cuc_tile_program *program, cuc_tile x, int32_t axis);

/* ---- values out of nothing ----------------------------------------------------------------- */

/**
 * An integer constant. It takes the dtype of what it meets; alone it is i32, or i64 when it is
 * large.
 *
 * Operations on constants alone are computed at once. It may be used anywhere in the program.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param value   the number
 * @return the constant
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_int(cuc_tile_program *program, const char *file, uint32_t line,
                              int64_t value);

/**
 * An integer constant from 0 to 2^64 - 1: cuc_tile_int() of what i64 does not hold, too.
 *
 * Alone it is i32, or i64 or u64 when it is large.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param value   the number
 * @return the constant
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_uint(cuc_tile_program *program, const char *file, uint32_t line,
                               uint64_t value);

/**
 * A float constant. It takes the dtype of what it meets, and alone it is f32.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param value   the number; may be infinite or NaN
 * @return the constant
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_float(cuc_tile_program *program, const char *file, uint32_t line,
                                double value);

/**
 * A bool constant. Under an `if` of it only the arm that is taken is put in.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param value   0 is false, all else true
 * @return the constant
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_bool(cuc_tile_program *program, const char *file, uint32_t line,
                               int32_t value);

/**
 * A tile of zeros.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param dtype   of the elements
 * @param rank    axes, at most 8; 0 is a scalar
 * @param shape   [rank] extents, each 1 or more, at most 2^24 elements in all; NULL for rank 0
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_zeros(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_dtype dtype, uint32_t rank, const int64_t *shape);

/**
 * A tile of which every element is one value.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param dtype   of the elements
 * @param rank    axes
 * @param shape   [rank]
 * @param value   a constant or a scalar, which is cast
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_full(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_dtype dtype, uint32_t rank, const int64_t *shape,
                               cuc_tile value);

/**
 * A tile whose elements are given one by one.
 *
 *     cuc_tile_full_list(K, CUC_F32, CUC_SHAPE(2, 2), CUC_TILES(a, b, c, d))
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param dtype   of the elements
 * @param rank    axes
 * @param shape   [rank]
 * @param count   as many as the shape has elements, at most 256
 * @param values  [count] constants or scalars, which are cast; the last axis goes fastest
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_full_list(cuc_tile_program *program, const char *file, uint32_t line,
                                    cuc_dtype dtype, uint32_t rank, const int64_t *shape,
                                    uint32_t count, const cuc_tile *values);

/**
 * The numbers 0, 1, 2, ...
 *
 * @shape  result: [count]
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param dtype   an integer type that has count - 1
 * @param count   elements
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_iota(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_dtype dtype, int64_t count);

/**
 * Which block of the grid this is.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param axis    of the grid, 0 to 2
 * @return a scalar of i64
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_block(cuc_tile_program *program, const char *file, uint32_t line,
                                int32_t axis);

/**
 * How many blocks the grid has along an axis.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param axis    of the grid, 0 to 2
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
 * @param file    where the caller stands
 * @param line    its line
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
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param axis    0 is the first
 * @return a scalar of i64
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_stride(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile tensor, int32_t axis);

/* ---- elementwise --------------------------------------------------------------------------- */

/** How cuc_tile_cast() and the functions that end in `_round` round, and CUC_TILE_FTZ beside it. */
enum {
    CUC_TILE_RN = 0,     /**< to nearest, half to even; cast to an integer towards zero */
    CUC_TILE_RZ = 1,     /**< towards zero */
    CUC_TILE_RM = 2,     /**< down */
    CUC_TILE_RP = 3,     /**< up */
    CUC_TILE_APPROX = 4, /**< as the machine finds it soonest: f32, no cast */
    CUC_TILE_FULL = 5,   /**< within 2 ulp: f32, no cast */
    CUC_TILE_FTZ = 16,   /**< beside one of these: subnormal f32 are 0, before and after */
    CUC_TILE_NAN = 32    /**< beside these, of minimum, maximum, min, max: NaN where one is NaN */
};

/**
 * Functions of one value, element by element: X(function, op, what it gives).
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x)`. Those from exp on take floats.
 * Since 0.1; one call at a time on the same program; no driver call.
 */
// clang-format off
#define CUC_TILE_UNARY_LIST(X) \
    X(cuc_tile_neg,     NEG,     "-x") \
    X(cuc_tile_bitnot,  NOT,     "~x: integers; of bools, not") \
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
    X(cuc_tile_isnan,   ISNAN,   "true where x is NaN: bools") \
    X(cuc_tile_isinf,   ISINF,   "true where x is infinite: bools")

/**
 * The same for those that say how they round.
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x, int32_t round)`.
 */
#define CUC_TILE_UNARY_ROUND_LIST(X) \
    X(cuc_tile_sqrt_round,  SQRT,  "RN, RZ, RM, RP; of f32 APPROX") \
    X(cuc_tile_rsqrt_round, RSQRT, "RN; of f32 APPROX") \
    X(cuc_tile_exp_round,   EXP,   "RN; of f32 FULL, APPROX") \
    X(cuc_tile_exp2_round,  EXP2,  "RN; of f32 FULL, APPROX") \
    X(cuc_tile_tanh_round,  TANH,  "RN; of f32 FULL, APPROX")

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
 * Functions of two values, element by element: X(function, op, what it gives).
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x, cuc_tile y)`. Dtypes are promoted and
 * shapes broadcast as the language says. Since 0.1; one call at a time on the same program; no
 * driver call.
 */
// clang-format off
#define CUC_TILE_BINARY_LIST(X) \
    X(cuc_tile_add,         ADD,      "x + y") \
    X(cuc_tile_sub,         SUB,      "x - y") \
    X(cuc_tile_mul,         MUL,      "x * y") \
    X(cuc_tile_div,         DIV,      "x / y; f32 of integers") \
    X(cuc_tile_floordiv,    FLOORDIV, "x // y, rounded down") \
    X(cuc_tile_cdiv,        CDIV,     "x / y, rounded up: integers") \
    X(cuc_tile_mod,         MOD,      "x % y, with the sign of y") \
    X(cuc_tile_pow,         POW,      "x ** y: floats") \
    X(cuc_tile_atan2,       ATAN2,    "the angle of the point (y, x): floats") \
    X(cuc_tile_minimum,     MINIMUM,  "the smaller; of NaN and a number, the number") \
    X(cuc_tile_maximum,     MAXIMUM,  "the larger; of NaN and a number, the number") \
    X(cuc_tile_bitand,      AND,      "x & y: integers; of bools, and") \
    X(cuc_tile_bitor,       OR,       "x | y: integers; of bools, or") \
    X(cuc_tile_bitxor,      XOR,      "x ^ y: integers and bools") \
    X(cuc_tile_shl,         SHL,      "x << y: integers") \
    X(cuc_tile_shr,         SHR,      "x >> y: integers; keeps the sign") \
    X(cuc_tile_eq,          EQ,       "x == y: bools") \
    X(cuc_tile_ne,          NE,       "x != y") \
    X(cuc_tile_lt,          LT,       "x < y") \
    X(cuc_tile_le,          LE,       "x <= y") \
    X(cuc_tile_gt,          GT,       "x > y") \
    X(cuc_tile_ge,          GE,       "x >= y")
/** The same for those that give NaN where an operand is NaN. */
#define CUC_TILE_BINARY_NAN_LIST(X) \
    X(cuc_tile_minimum_nan, MINIMUM,  "the smaller; NaN where one is NaN") \
    X(cuc_tile_maximum_nan, MAXIMUM,  "the larger; NaN where one is NaN")

/**
 * The same for those that say how they round.
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x, cuc_tile y, int32_t round)`.
 */
#define CUC_TILE_BINARY_ROUND_LIST(X) \
    X(cuc_tile_add_round,     ADD,     "RN, RZ, RM, RP") \
    X(cuc_tile_sub_round,     SUB,     "RN, RZ, RM, RP") \
    X(cuc_tile_mul_round,     MUL,     "RN, RZ, RM, RP") \
    X(cuc_tile_div_round,     DIV,     "RN, RZ, RM, RP; of f32 FULL, APPROX") \
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
 * x // y and x % y, as cuc_tile_floordiv() and cuc_tile_mod() give them.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] quotient rounded down; 0 after an error; NULL: not wanted
 * @param[out] rest     with the sign of y; 0 after an error; NULL: not wanted
 * @param      program  the program
 * @param      file     where the caller stands
 * @param      line     its line
 * @param      x        what is divided
 * @param      y        the divisor
 * @since 0.1
 */
CUC_API void cuc_tile_divmod(cuc_tile *quotient, cuc_tile *rest, cuc_tile_program *program,
                             const char *file, uint32_t line, cuc_tile x, cuc_tile y);

/**
 * x * y + z, rounded once: floats.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a factor
 * @param y       a factor
 * @param z       what is added
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_fma(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile x, cuc_tile y, cuc_tile z);

/**
 * x * y + z, rounded once in a direction: floats.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a factor
 * @param y       a factor
 * @param z       what is added
 * @param round   CUC_TILE_RN, _RZ, _RM or _RP; with CUC_TILE_FTZ of f32
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_fma_round(cuc_tile_program *program, const char *file, uint32_t line,
                                    cuc_tile x, cuc_tile y, cuc_tile z, int32_t round);

/**
 * The element of x where c is true, else that of y.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param c       bools
 * @param x       taken where c is true
 * @param y       taken where it is false
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_where(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_tile c, cuc_tile x, cuc_tile y);

/**
 * The same numbers in another element type; 8-bit floats saturate, integers wrap.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a value
 * @param dtype   what it becomes
 * @param round   CUC_TILE_RN, _RZ, _RM or _RP; one that is not RN only where something is rounded;
 *                with CUC_TILE_FTZ between floats of which one is f32
 * @return the tile; x itself when it has the type
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_cast(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile x, cuc_dtype dtype, int32_t round);

/**
 * The same bits as another element type: of another width the last axis grows or shrinks, as bytes
 * lie in memory, the lowest first.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a value
 * @param dtype   what its bits are taken for
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_bitcast(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile x, cuc_dtype dtype);

/**
 * x, with the promise that `divisor` divides each element. It is not checked.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       integers
 * @param divisor 1 or more
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_assume(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile x, int64_t divisor);

/* ---- shapes -------------------------------------------------------------------------------- */

/**
 * The tile repeated along axes of extent 1 and along new leading axes.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile
 * @param rank    axes of the result
 * @param shape   [rank]
 * @return the tile; x itself when it has the shape
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_broadcast(cuc_tile_program *program, const char *file, uint32_t line,
                                    cuc_tile x, uint32_t rank, const int64_t *shape);

/**
 * The elements, in their order, in another shape.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile
 * @param rank    axes of the result
 * @param shape   [rank]; one may be -1: what is left
 * @return the tile; x itself when it has the shape
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_reshape(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile x, uint32_t rank, const int64_t *shape);

/**
 * The axes in another order.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile
 * @param count   its axes
 * @param axes    [count]: axis i of the result is axis axes[i] of x: CUC_AXES(1, 0) is both
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_permute(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile x, uint32_t count, const int64_t *axes);

/**
 * The last two axes exchanged.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile of at least two axes
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_trans(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_tile x);

/**
 * An axis of extent 1 put in, as None in a subscript does.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile of at most 7 axes
 * @param axis    which it is in the result: 0 to the rank of x
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_expand(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile x, int32_t axis);

/**
 * An axis of extent 1 taken out.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile
 * @param axis    of extent 1
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_squeeze(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile x, int32_t axis);

/**
 * Two tiles behind one another.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       the first
 * @param y       the second: of the same dtype, and the same extents of all axes but one
 * @param axis    along which
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_cat(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile x, cuc_tile y, int32_t axis);

/**
 * A subtile: indices count subtiles, as those of a load count tiles.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile
 * @param count   its axes
 * @param index   [count] integer scalars
 * @param rank    its axes
 * @param shape   [rank]: extents that divide those of x
 * @return the subtile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_extract(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile x, uint32_t count, const cuc_tile *index, uint32_t rank,
                                  const int64_t *shape);

/**
 * A tile with a subtile in place of its own elements.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile, which stays as it is
 * @param count   its axes
 * @param index   [count] integer scalars; they count subtiles
 * @param y       the subtile: extents that divide those of x
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_insert(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile x, uint32_t count, const cuc_tile *index, cuc_tile y);

/**
 * Elements picked by number along an axis.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile
 * @param index   integers: of one axis, whole slices; of the rank of x, elements
 * @param axis    of x
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_take(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile x, cuc_tile index, int32_t axis);

/**
 * Elements moved along an axis: element i of the result was i - n.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile
 * @param n       by how much; an integer scalar
 * @param axis    along which
 * @param pad     what comes in; 0: zero
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_shift(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_tile x, cuc_tile n, int32_t axis, cuc_tile pad);

/**
 * Elements moved along an axis, round: element i of the result was i - n.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       a tile
 * @param n       by how much; an integer scalar
 * @param axis    along which
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_roll(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile x, cuc_tile n, int32_t axis);

/* ---- memory -------------------------------------------------------------------------------- */

/** What an access orders between blocks. */
enum {
    CUC_TILE_ORDER_DEFAULT = 0, /**< weak; of an atomic operation acquire and release */
    CUC_TILE_WEAK = 1,          /**< nothing; not for atomic operations */
    CUC_TILE_RELAXED = 2,       /**< nothing, but the access itself is whole */
    CUC_TILE_ACQUIRE = 3,       /**< what comes after comes after: loads and atomic operations */
    CUC_TILE_RELEASE = 4,       /**< what was before is before: stores and atomic operations */
    CUC_TILE_ACQ_REL = 5        /**< both: atomic operations */
};

/** Among whom an access that is not weak is ordered. */
enum {
    CUC_TILE_SCOPE_DEFAULT = 0, /**< the device's blocks */
    CUC_TILE_SCOPE_DEVICE = 1,  /**< the device's blocks */
    CUC_TILE_SCOPE_BLOCK = 2,   /**< this block */
    CUC_TILE_SCOPE_SYSTEM = 3   /**< also the host and other devices */
};

/** For how long what is accessed is worth a place in the L2 cache. */
enum {
    CUC_TILE_CACHE_ANY = 0,   /**< as the device likes */
    CUC_TILE_CACHE_FIRST = 1, /**< it goes first */
    CUC_TILE_CACHE_LAST = 2,  /**< it stays longest */
    CUC_TILE_CACHE_STREAM = 3 /**< it is used once */
};

/** How memory is accessed; zero is the default of every field. */
typedef struct cuc_tile_access_options {
    size_t struct_size; /**< sizeof(cuc_tile_access_options); the initialisers set it */
    /** Of a store: its shape, [rank], with CUC_NO_AXIS; NULL: the tile's, CUC_NO_AXIS before it. */
    const int64_t *shape;
    uint32_t rank;     /**< of shape */
    cuc_tile pad;      /**< of a load, gather: what is read outside of the tensor; 0: zero */
    cuc_tile mask;     /**< of gather, scatter, atomic operations: bools, where to access; 0: all */
    int32_t order;     /**< CUC_TILE_WEAK and so on */
    int32_t scope;     /**< CUC_TILE_SCOPE_ */
    int32_t latency;   /**< a hint, 1 to 10: how long the load takes, for how early to start it */
    int32_t tma;       /**< a hint: CUC_ON with the tensor memory accelerator, CUC_OFF without */
    int32_t cache;     /**< a hint: CUC_TILE_CACHE_ */
    int32_t inside;    /**< not 0: a promise that nothing of it is outside; it is not checked */
    uint32_t reserved; /**< 0 */
} cuc_tile_access_options;

/** Every default: cuc_tile_access_options o = CUC_TILE_ACCESS_OPTIONS_INIT; */
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
 * @param      caller_size sizeof(cuc_tile_access_options), as the caller was compiled with it
 * @since 0.1
 */
CUC_API void cuc_tile_access_options_init(cuc_tile_access_options *options, size_t caller_size);

/**
 * A tile of a tensor, by its number: index i begins at element i * extent.
 *
 * What lies outside of the tensor reads as the pad.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param count   its axes
 * @param index   [count] integer scalars; they count tiles
 * @param rank    its axes
 * @param shape   [rank]: an extent for each axis, or CUC_NO_AXIS
 * @param options pad, order, scope, hints; NULL is every default
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_load(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile tensor, uint32_t count, const cuc_tile *index,
                               uint32_t rank, const int64_t *shape,
                               const cuc_tile_access_options *options);

/**
 * A tile of a tensor, by its first element.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param count   its axes
 * @param index   [count] integer scalars; they count elements
 * @param rank    its axes
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
 * Rows of a tensor: `ids` pick elements of its first axis.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param ids     [R] integers
 * @param count   the other axes
 * @param index   [count] integer scalars; they count tiles
 * @param rank    the other axes
 * @param shape   [rank]: an extent for each of them, or CUC_NO_AXIS
 * @param options as for cuc_tile_load()
 * @return the tile, R the extent of its first axis
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_load_rows(cuc_tile_program *program, const char *file, uint32_t line,
                                    cuc_tile tensor, cuc_tile ids, uint32_t count,
                                    const cuc_tile *index, uint32_t rank, const int64_t *shape,
                                    const cuc_tile_access_options *options);

/**
 * One element of a tensor.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param count   its axes
 * @param index   [count] integer scalars
 * @return a scalar
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_element(cuc_tile_program *program, const char *file, uint32_t line,
                                  cuc_tile tensor, uint32_t count, const cuc_tile *index);

/**
 * Write a tile of a tensor, by its number. What lies outside of the tensor is not written.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param count   its axes
 * @param index   [count] integer scalars; they count tiles
 * @param x       the tile, broadcast to the shape, and cast where promotion would
 * @param options shape, order, scope, hints; NULL is every default
 * @since 0.1
 */
CUC_API void cuc_tile_store(cuc_tile_program *program, const char *file, uint32_t line,
                            cuc_tile tensor, uint32_t count, const cuc_tile *index, cuc_tile x,
                            const cuc_tile_access_options *options);

/**
 * Write a tile of a tensor, by its first element.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param count   its axes
 * @param index   [count] integer scalars; they count elements
 * @param x       the tile
 * @param options as for cuc_tile_store()
 * @since 0.1
 */
CUC_API void cuc_tile_store_at(cuc_tile_program *program, const char *file, uint32_t line,
                               cuc_tile tensor, uint32_t count, const cuc_tile *index, cuc_tile x,
                               const cuc_tile_access_options *options);

/**
 * Write rows of a tensor: `ids` pick elements of its first axis.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param ids     [R] integers
 * @param count   the other axes
 * @param index   [count] integer scalars; they count tiles
 * @param x       the tile, R the extent of its first axis
 * @param options as for cuc_tile_store(); the shape is that of the other axes
 * @since 0.1
 */
CUC_API void cuc_tile_store_rows(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile tensor, cuc_tile ids, uint32_t count,
                                 const cuc_tile *index, cuc_tile x,
                                 const cuc_tile_access_options *options);

/**
 * Stores that combine with what is there, atomically: X(function, with, what it does).
 *
 * Each is
 *
 *     void function(program, file, line, cuc_tile tensor, uint32_t count, const cuc_tile *index,
 *                   cuc_tile x, const cuc_tile_access_options *options)
 *
 * with the index counting tiles; of the
 * options only the shape. Since 0.1; one call at a time on the same program; no driver call.
 */
// clang-format off
#define CUC_TILE_STORE_LIST(X) \
    X(cuc_tile_store_add, SUM, "adds") \
    X(cuc_tile_store_max, MAX, "leaves the larger") \
    X(cuc_tile_store_min, MIN, "leaves the smaller") \
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
 * Elements of a tensor, each picked by its own index.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param count   its axes
 * @param index   [count] integer tiles, broadcast together with the mask
 * @param options mask, pad, order, scope, hints; NULL is every default
 * @return the tile; the pad where the mask is false or the index outside
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_gather(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile tensor, uint32_t count, const cuc_tile *index,
                                 const cuc_tile_access_options *options);

/**
 * Write elements of a tensor, each picked by its own index. Of several at one place one arrives.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param count   its axes
 * @param index   [count] integer tiles, broadcast together with x and the mask
 * @param x       what is written
 * @param options mask, order, scope, hints; NULL is every default
 * @since 0.1
 */
CUC_API void cuc_tile_scatter(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile tensor, uint32_t count, const cuc_tile *index, cuc_tile x,
                              const cuc_tile_access_options *options);

/**
 * Atomic operations on elements, which give what was there: X(function, with, what it does).
 *
 * Each is
 *
 *     cuc_tile function(program, file, line, cuc_tile tensor, uint32_t count,
 *                       const cuc_tile *index, cuc_tile x,
 *                       const cuc_tile_access_options *options)
 *
 * with the index as for
 * cuc_tile_scatter(); of the options mask, order and scope. Since 0.1; one call at a time on the
 * same program; no driver call.
 */
// clang-format off
#define CUC_TILE_ATOMIC_LIST(X) \
    X(cuc_tile_atomic_add,  SUM,  "adds") \
    X(cuc_tile_atomic_max,  MAX,  "leaves the larger") \
    X(cuc_tile_atomic_min,  MIN,  "leaves the smaller") \
    X(cuc_tile_atomic_and,  AND,  "bitwise") \
    X(cuc_tile_atomic_or,   OR,   "bitwise") \
    X(cuc_tile_atomic_xor,  XOR,  "bitwise") \
    X(cuc_tile_atomic_xchg, XCHG, "puts x there")

#define CUC__TILE_ATOMIC(function, with, text) CUC_API cuc_tile \
    function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor, \
             uint32_t count, const cuc_tile *index, cuc_tile x, \
             const cuc_tile_access_options *options);
CUC_TILE_ATOMIC_LIST(CUC__TILE_ATOMIC)
#undef CUC__TILE_ATOMIC
// clang-format on

/**
 * Atomically put x where `expected` is, and give what was there.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program  the program
 * @param file     where the caller stands
 * @param line     its line
 * @param tensor   the tensor
 * @param count    its axes
 * @param index    [count] integer tiles
 * @param expected what must be there
 * @param x        what is put there
 * @param options  mask, order, scope; NULL is every default
 * @return the old values
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_atomic_cas(cuc_tile_program *program, const char *file, uint32_t line,
                                     cuc_tile tensor, uint32_t count, const cuc_tile *index,
                                     cuc_tile expected, cuc_tile x,
                                     const cuc_tile_access_options *options);

/**
 * A part of a tensor: of one axis the elements from `start` up to `stop`, cut to what there is.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param tensor  the tensor
 * @param axis    0 is the first
 * @param start   an integer scalar: the first element
 * @param stop    an integer scalar: the one that is not in it any more
 * @return a tensor; it is no value that a variable could hold
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_slice(cuc_tile_program *program, const char *file, uint32_t line,
                                cuc_tile tensor, int32_t axis, cuc_tile start, cuc_tile stop);

/* ---- along axes ---------------------------------------------------------------------------- */

/**
 * Reductions: X(function, with, what it gives).
 *
 * Each is
 *
 *     cuc_tile function(program, file, line, cuc_tile x, uint32_t count, const int64_t *axes)
 *
 * over the [count] axes, such as CUC_AXES(0, 1), which are kept with extent 1; over all for a count
 * of 0, which gives a scalar. Since 0.1; one call at a time on the same program; no driver call.
 */
// clang-format off
#define CUC_TILE_REDUCE_LIST(X) \
    X(cuc_tile_sum,     SUM,  "the sum") \
    X(cuc_tile_prod,    PROD, "the product") \
    X(cuc_tile_min,     MIN,  "the least number") \
    X(cuc_tile_max,     MAX,  "the largest number") \
    X(cuc_tile_any,     ANY,  "of bools: whether one is true") \
    X(cuc_tile_all,     ALL,  "of bools: whether all are")
/** The same for those that give NaN where an element is NaN. */
#define CUC_TILE_REDUCE_NAN_LIST(X) \
    X(cuc_tile_min_nan, MIN,  "the least, or NaN") \
    X(cuc_tile_max_nan, MAX,  "the largest, or NaN")
/**
 * What takes a tile and an axis: X(function, op, what it gives).
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x, int32_t axis)`. An axis of CUC_NO_AXIS
 * lets argmin and argmax count over all elements, rows first, and give a scalar. Since 0.1; one call
 * at a time on the same program; no driver call.
 */
#define CUC_TILE_ALONG_LIST(X) \
    X(cuc_tile_argmin,  ARGMIN, "where the least is: i32, the first of equals; the axis is kept") \
    X(cuc_tile_argmax,  ARGMAX, "where the largest is") \
    X(cuc_tile_sort,    SORT,   "ascending, NaN last")
/** The same for those that give where the first NaN is, where an element is NaN. */
#define CUC_TILE_ALONG_NAN_LIST(X) \
    X(cuc_tile_argmin_nan, ARGMIN, "where the least is, or the first NaN") \
    X(cuc_tile_argmax_nan, ARGMAX, "where the largest is, or the first NaN")
/**
 * Running sums: X(function, with, what it gives).
 *
 * Each is `cuc_tile function(program, file, line, cuc_tile x, int32_t axis, int32_t reverse)`; reverse
 * not 0: from the end. Since 0.1; one call at a time on the same program; no driver call.
 */
#define CUC_TILE_SCAN_LIST(X) \
    X(cuc_tile_cumsum,  SUM,  "the sum of what is up to here, this included") \
    X(cuc_tile_cumprod, PROD, "the product of it")

/** The same for those that say how they round, by `int32_t round` behind the axes. */
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
 * The largest elements along an axis, in falling order, and where they were.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] values  the elements; 0 after an error; NULL: not wanted
 * @param[out] indices i32, where they were; NULL: not wanted
 * @param      program the program
 * @param      file    where the caller stands
 * @param      line    its line
 * @param      x       a tile
 * @param      count   how many, at most the axis has
 * @param      axis    along which
 * @since 0.1
 */
CUC_API void cuc_tile_topk(cuc_tile *values, cuc_tile *indices, cuc_tile_program *program,
                           const char *file, uint32_t line, cuc_tile x, int64_t count,
                           int32_t axis);

/**
 * How many elements are 0, 1 and so on to count - 1; others count nowhere.
 *
 * @shape  result: [count] of i32
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param x       integers
 * @param count   bins
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_histogram(cuc_tile_program *program, const char *file, uint32_t line,
                                    cuc_tile x, int64_t count);

/**
 * What cuc_tile_reduce() and cuc_tile_scan() combine with: two of each element become one.
 *
 * It is called once, and builds operations on scalars: no memory, no control flow, no value from
 * outside but constants.
 *
 * @param      user    what the reduction was given
 * @param      program the program
 * @param      count   how many tiles are reduced together
 * @param      x       [count] scalars: what was combined so far
 * @param      y       [count] scalars: what comes to it
 * @param[out] result  [count], zeros before: what the two are together, of the types of x
 */
typedef void (*cuc_tile_combine)(void *user, cuc_tile_program *program, uint32_t count,
                                 const cuc_tile *x, const cuc_tile *y, cuc_tile *result);

/**
 * Reduce tiles along an axis, together, by a function that is associative.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] result   [count], the axis kept with extent 1; zeros after an error
 * @param      program  the program
 * @param      file     where the caller stands
 * @param      line     its line
 * @param      combine  called before this returns
 * @param      user     handed to combine
 * @param      count    tiles, 1 to 8
 * @param      x        [count] tiles, which are broadcast together
 * @param      axis     along which
 * @param      identity [count] constants: what changes nothing
 * @since 0.1
 */
CUC_API void cuc_tile_reduce(cuc_tile *result, cuc_tile_program *program, const char *file,
                             uint32_t line, cuc_tile_combine combine, void *user, uint32_t count,
                             const cuc_tile *x, int32_t axis, const cuc_tile *identity);

/**
 * Combine tiles along an axis, together, by a function that is associative, and keep each step.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] result   [count]; zeros after an error
 * @param      program  the program
 * @param      file     where the caller stands
 * @param      line     its line
 * @param      combine  called before this returns
 * @param      user     handed to combine
 * @param      count    tiles, 1 to 8
 * @param      x        [count] tiles, which are broadcast together
 * @param      axis     along which
 * @param      identity [count] constants: what changes nothing
 * @param      reverse  not 0: from the end
 * @since 0.1
 */
CUC_API void cuc_tile_scan(cuc_tile *result, cuc_tile_program *program, const char *file,
                           uint32_t line, cuc_tile_combine combine, void *user, uint32_t count,
                           const cuc_tile *x, int32_t axis, const cuc_tile *identity,
                           int32_t reverse);

/** How cuc_tile_mma() multiplies f32. */
enum {
    CUC_TILE_IEEE = 0,  /**< as it is */
    CUC_TILE_TF32 = 1,  /**< rounded to tf32 */
    CUC_TILE_TF32X3 = 2 /**< in three products of tf32: nearly exact */
};

/**
 * A matrix product added to an accumulator. In a loop, assign it to the variable that it came from.
 *
 * @shape  a [.., M, K], b [.., K, N], acc [.., M, N]; axes before the last two are batches
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program   the program
 * @param file      where the caller stands
 * @param line      its line
 * @param a         the left operand
 * @param b         the right operand
 * @param acc       what the product is added to
 * @param precision CUC_TILE_IEEE, _TF32 or _TF32X3: of operands of f32
 * @param fast_acc  not 0: 8-bit floats may be summed with fewer bits
 * @return the tile, like acc
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_mma(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile a, cuc_tile b, cuc_tile acc, int32_t precision,
                              int32_t fast_acc);

/**
 * A matrix product, as `@`: cuc_tile_mma() into zeros of f32, f64 or i32.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param a       [.., M, K]
 * @param b       [.., K, N]
 * @return [.., M, N]
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_matmul(cuc_tile_program *program, const char *file, uint32_t line,
                                 cuc_tile a, cuc_tile b);

/* ---- variables and control flow ------------------------------------------------------------ */

/**
 * A variable: what a loop carries and what an if leaves is held by one.
 *
 * It can be used until the block that it was made in ends.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param name    what the program's text and messages call it; copied; NULL: it gets a number
 * @param value   what it stands for first; its type is the variable's for good. A constant becomes
 *                i32, i64 when it is large, f32 or bool
 * @return the variable
 * @since 0.1
 */
CUC_API cuc_tile_variable cuc_tile_declare(cuc_tile_program *program, const char *file,
                                           uint32_t line, const char *name, cuc_tile value);

/**
 * What a variable stands for here.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program  the program
 * @param file     where the caller stands
 * @param line     its line
 * @param variable the variable
 * @return its value
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_get(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile_variable variable);

/**
 * Let a variable stand for another value from here on.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program  the program
 * @param file     where the caller stands
 * @param line     its line
 * @param variable the variable
 * @param value    of the variable's type; a constant takes it
 * @since 0.1
 */
CUC_API void cuc_tile_set(cuc_tile_program *program, const char *file, uint32_t line,
                          cuc_tile_variable variable, cuc_tile value);

/**
 * Begin a loop that counts, up to the next cuc_tile_end().
 *
 * In the language it is `for i in first .. last step step`.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param first   an integer scalar
 * @param last    an integer scalar, which is not reached
 * @param step    1 or more
 * @return the number of the turn, a scalar
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_for(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile first, cuc_tile last, int64_t step);

/**
 * Begin a loop without end, up to the next cuc_tile_end(); cuc_tile_while() and cuc_tile_break()
 * leave it.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @since 0.1
 */
CUC_API void cuc_tile_loop(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * Go on in this turn of the loop only while a condition holds, else leave the loop.
 *
 * `while c { .. }` is cuc_tile_loop(), what c is computed of, cuc_tile_while(), .., cuc_tile_end().
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program   the program
 * @param file      where the caller stands
 * @param line      its line
 * @param condition a bool scalar
 * @since 0.1
 */
CUC_API void cuc_tile_while(cuc_tile_program *program, const char *file, uint32_t line,
                            cuc_tile condition);

/**
 * Begin what is done when a condition holds, up to the next cuc_tile_else() or cuc_tile_end().
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program   the program
 * @param file      where the caller stands
 * @param line      its line
 * @param condition a bool scalar; of a constant only one arm is put in, and both are checked
 * @since 0.1
 */
CUC_API void cuc_tile_if(cuc_tile_program *program, const char *file, uint32_t line,
                         cuc_tile condition);

/**
 * Begin what is done when the condition of the if does not hold, up to the next cuc_tile_end().
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @since 0.1
 */
CUC_API void cuc_tile_else(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * End the innermost cuc_tile_for(), cuc_tile_loop() or cuc_tile_if().
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @since 0.1
 */
CUC_API void cuc_tile_end(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * Leave the innermost loop. What follows in the same block is checked, and not put in.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @since 0.1
 */
CUC_API void cuc_tile_break(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * Go on with the next turn of the innermost loop. What follows in the same block is not put in.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @since 0.1
 */
CUC_API void cuc_tile_continue(cuc_tile_program *program, const char *file, uint32_t line);

/**
 * End the block of the grid here. What follows in the same block of the program is not put in.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @since 0.1
 */
CUC_API void cuc_tile_return(cuc_tile_program *program, const char *file, uint32_t line);

/* ---- the rest ------------------------------------------------------------------------------ */

/**
 * Random bits, the same for the same arguments: four tiles of u32.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] result  [4]; zeros after an error
 * @param      program the program
 * @param      file    where the caller stands
 * @param      line    its line
 * @param      seed    integers
 * @param      counter integers, broadcast together with seed
 * @since 0.1
 */
CUC_API void cuc_tile_philox(cuc_tile *result, cuc_tile_program *program, const char *file,
                             uint32_t line, cuc_tile seed, cuc_tile counter);

/**
 * PTX for each element: $0 is the result, $1 and on are the operands.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @param text    "bfind.u32 $0, $1;"; copied
 * @param dtype   of the result
 * @param count   operands, at most 8
 * @param x       [count] tiles, which are broadcast together
 * @return the tile
 * @since 0.1
 */
CUC_API cuc_tile cuc_tile_asm(cuc_tile_program *program, const char *file, uint32_t line,
                              const char *text, cuc_dtype dtype, uint32_t count, const cuc_tile *x);

/**
 * End the kernel with a message when an element is false.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program   the program
 * @param file      where the caller stands
 * @param line      its line
 * @param condition bools; a constant that is false is an error of the program
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
 * @param file    where the caller stands
 * @param line    its line
 * @param text    with `{}` for each value, or a format such as `{:8.3f}`, `{:,}`; copied
 * @param count   values, at most 8
 * @param x       [count] values; NULL for none
 * @since 0.1
 */
CUC_API void cuc_tile_print(cuc_tile_program *program, const char *file, uint32_t line,
                            const char *text, uint32_t count, const cuc_tile *x);

/**
 * Wait until the kernels ahead of this one have ended and what they wrote can be read.
 *
 * For launches with CUC_LAUNCH_PROGRAMMATIC, which may begin before; in others it does nothing.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @since 0.1
 */
CUC_API void cuc_tile_grid_dependency_wait(cuc_tile_program *program, const char *file,
                                           uint32_t line);

/**
 * Let the kernel behind this one begin, once every block has come here or ended.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param file    where the caller stands
 * @param line    its line
 * @since 0.1
 */
CUC_API void cuc_tile_grid_dependency_launch(cuc_tile_program *program, const char *file,
                                             uint32_t line);

CUC_END_DECLS

#endif
