/**
 * @file
 * Tile programs: inspection of compiled code, and execution without a device.
 *
 * A tile program is used like any source: cuc_program_create() with CUC_SOURCE_TILE,
 * cuc_program_compile(), cuc_object_get_kernel(), cuc_launch(). This header has the functions
 * specific to tile programs.
 */
#ifndef CUCORE_TILE_H
#define CUCORE_TILE_H

#include <cucore/base.h>
#include <cucore/kernel.h>
#include <cucore/launch.h>
#include <cucore/object.h>
#include <cucore/program.h>
#include <cucore/tile_builder.h>
#include <cucore/tuned.h>

CUC_BEGIN_DECLS

/* ---- Compiled code -------------------------------------------------------------------------- */

/**
 * The program in the compiler's simplified intermediate form, as a tile program with the same
 * meaning.
 *
 * Constants have the values with which the program was created. The text does not depend on the
 * architecture.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param text    NUL-terminated; borrowed: valid until it is requested again or the program is
 *                released
 * @param bytes   its length without the NUL; NULL: not wanted
 * @param program a tile program
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_COMPILE          the source is wrong, as reported by cuc_program_compile()
 * @retval CUC_ERROR_INVALID_ARGUMENT text or program is NULL, or the program is not a tile program
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_get_ir(const char **text, size_t *bytes, cuc_program *program);

/**
 * The program in machine form, the last form before PTX: one operation per line, with attributes,
 * dtypes, shapes and the layout of each value, for the program's architecture.
 *
 * The text begins with "tile 1 machine" and is only for reading: it cannot be compiled. A layout
 * lists the bits of the register number, of the lane and of the warp; for each bit it gives the
 * tile coordinate that the bit stands for, rows first. The compiler generates the entry
 * "idx32+aligned" from this form, and mostly all others except "tma".
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param text    NUL-terminated; borrowed: valid until it is requested again or the program is
 *                released
 * @param bytes   its length without the NUL; NULL: not wanted
 * @param program a tile program
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_COMPILE          the source is wrong, as reported by cuc_program_compile()
 * @retval CUC_ERROR_INVALID_ARGUMENT text or program is NULL, or the program is not a tile program
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_NO_DRIVER        the program has no arch, and there is no driver to report one
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_get_machine(const char **text, size_t *bytes, cuc_program *program);

/**
 * An entry of a tile kernel. All entries compute the same result; each serves a class of arguments.
 */
typedef struct cuc_tile_entry {
    size_t struct_size;            /**< sizeof(cuc_tile_entry), set by the caller */
    const char *variant;           /**< "tma", "realigned", "idx32+aligned", "idx32+overlap",
                                        "idx32" or "idx64"; static storage */
    uint32_t threads;              /**< threads of a block */
    uint32_t static_shared_bytes;  /**< shared memory of a block that the code declares */
    uint32_t dynamic_shared_bytes; /**< shared memory of a block that the launch adds */
    uint32_t registers;            /**< registers of a thread; 0: unknown, as in PTX */
    uint32_t stack_bytes;          /**< stack of a thread, including spilled registers */
    uint32_t reserved;             /**< 0 */
} cuc_tile_entry;

#define CUC_TILE_ENTRY_INIT                         \
    {                                               \
        sizeof(cuc_tile_entry), 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Read an entry of a tile kernel from object code. This needs no driver.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out    written up to its struct_size
 * @param object PTX, a cubin or a fat binary. In a fat binary, the call reads the first part that
 *               has the kernel. Only a cubin reports registers and stack
 * @param kernel the kernel's name in the source
 * @param index  from 0, fastest first
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NOT_FOUND        there is no tile kernel of that name, or no such entry
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, out->struct_size is wrong, or the
 *                                    kernel's description in the code is damaged
 * @retval CUC_ERROR_INVALID_HANDLE   object is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    a part of a fat binary is packed with Zstandard, and there is
 *                                    no libzstd.so.1
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_get_entry(cuc_tile_entry *out, cuc_object *object, const char *kernel,
                                      size_t index);

/**
 * Tell which entry of a tile kernel a launch with the given arguments takes, and hence which
 * remarks concern the launch.
 *
 * The call checks the arguments as cuc_launch() does, except for their memory. If cuc_launch()
 * cannot encode a tensor map for this entry, it takes "idx64" instead.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] variant the entry, as in cuc_tile_entry; static storage
 * @param      kernel  a kernel of a tile program
 * @param      device  the device of the launch
 * @param      args    as for cuc_launch()
 * @param      count   number of arguments
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NOT_FOUND        the kernel does not belong to a tile program
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the kernel rejects the arguments. The
 *                                    message names the argument
 * @retval CUC_ERROR_INVALID_HANDLE   kernel or device is not alive
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_select_entry(const char **variant, cuc_kernel *kernel,
                                         cuc_device *device, const cuc_arg *args, size_t count);

/** A parameter of a tile kernel. */
typedef struct cuc_tile_parameter {
    size_t struct_size; /**< sizeof(cuc_tile_parameter), set by the caller */
    const char *name;   /**< valid while the kernel lives */
    cuc_dtype dtype;    /**< dtype of the scalar or of the tensor's elements */
    int32_t rank;       /**< number of a tensor's axes; -1: a scalar */
    uint32_t written;   /**< 1: the kernel stores to the tensor */
    uint32_t reserved;  /**< 0 */
} cuc_tile_parameter;

#define CUC_TILE_PARAMETER_INIT                   \
    {                                             \
        sizeof(cuc_tile_parameter), 0, 0, 0, 0, 0 \
    }

/**
 * Read a parameter of a tile kernel. cuc_kernel_get_parameter_count() returns the number of
 * parameters.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out    written up to its struct_size
 * @param kernel a kernel of a tile program
 * @param index  from 0, in source order
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NOT_FOUND        the kernel does not belong to a tile program
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, out->struct_size is wrong, or index is
 *                                    past the end
 * @retval CUC_ERROR_INVALID_HANDLE   kernel is not alive
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_get_parameter(cuc_tile_parameter *out, const cuc_kernel *kernel,
                                          size_t index);

/* ---- Candidates ----------------------------------------------------------------------------- */

/** Receives one "NAME=EXTENT". The text is valid only during the call. */
typedef void (*cuc_tile_dimension_fn)(void *user, const char *dimension);

/**
 * Report which dimensions a kernel has with the given arguments, in the form of `dimensions` in
 * cuc_program_options.
 *
 * To choose the auto() constants for these dimensions, create a program without dimensions, call
 * this function with the intended arguments, and create the program again with the reported
 * dimensions. The call reads only the dtypes, ranks and shapes of tensors and the values of
 * integers. It reads no memory and checks no facts.
 *
 * @thread one call at a time on the same program; `visit` is called on the calling thread
 * @capture makes no driver call
 * @param program a tile program
 * @param kernel  the kernel's name; NULL: the program's only kernel
 * @param args    as for cuc_launch(); addresses are ignored
 * @param count   number of arguments
 * @param visit   called for each dimension, then for each integer argument
 * @param user    passed to visit
 * @retval CUC_OK                     all were reported
 * @retval CUC_ERROR_COMPILE          the source is wrong, as reported by cuc_program_compile()
 * @retval CUC_ERROR_INVALID_ARGUMENT program or visit is NULL, args is NULL while count is not 0,
 *                                    the program is not a tile program, or the arguments do not
 *                                    match the kernel: their number, kinds, dtypes or ranks, or
 *                                    differing extents of one name
 * @retval CUC_ERROR_NOT_FOUND        there is no such kernel, or none is named and there are
 *                                    several
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_visit_dimensions(cuc_program *program, const char *kernel,
                                             const cuc_arg *args, size_t count,
                                             cuc_tile_dimension_fn visit, void *user);

/**
 * Enumerate the candidates for the auto() constants of a kernel, for the program's dimensions.
 *
 * The call omits candidates that cannot be launched with these dimensions, and measures nothing.
 * Constants that the program sets do not vary. If none varies, the kernel has one candidate, "".
 *
 * @thread one call at a time on the same program; `visit` is called on the calling thread
 * @capture makes no driver call
 * @param program a tile program, with dimensions
 * @param kernel  the kernel's name; NULL: the program's only kernel
 * @param visit   called for each; its text is valid during the call
 * @param user    passed to visit
 * @retval CUC_OK                     all were visited
 * @retval CUC_ERROR_COMPILE          the source is wrong, as reported by cuc_program_compile()
 * @retval CUC_ERROR_INVALID_ARGUMENT program or visit is NULL, or the program is not a tile program
 * @retval CUC_ERROR_NOT_FOUND        there is no such kernel, or none is named and there are
 *                                    several
 * @retval CUC_ERROR_NO_DRIVER        the program has no arch, and there is no driver to report one
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_visit_candidates(cuc_program *program, const char *kernel,
                                             cuc_tuned_visit visit, void *user);

/**
 * The key of a kernel's tuning record: its program, constants and dimensions.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param out     receives program, constants and dimensions, and NULL in other fields; its texts
 *                are borrowed: valid until it is requested again or the program is released
 * @param program a tile program, with dimensions
 * @param kernel  the kernel's name; NULL: the program's only kernel
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_COMPILE          the source is wrong, as reported by cuc_program_compile()
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, the program is not a tile program, or
 *                                    out->struct_size is wrong
 * @retval CUC_ERROR_NOT_FOUND        there is no such kernel, or none is named and there are
 *                                    several
 * @retval CUC_ERROR_NO_DRIVER        the program has no arch, and there is no driver to report one
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_get_record(cuc_tuned_record *out, cuc_program *program,
                                       const char *kernel);

/* ---- Interpreter ---------------------------------------------------------------------------- */

/** Options of cuc_tile_interpret(). Zero selects the default of every field. */
typedef struct cuc_tile_interpret_options {
    size_t struct_size; /**< sizeof(cuc_tile_interpret_options); the initializers set it */
    uint32_t grid[3];   /**< in blocks, for a kernel that declares none; 0 in y or z means 1 */
    uint32_t reserved;  /**< 0 */
    void (*print)(void *user, const char *text); /**< receives the text that the kernel prints, in
                                                      pieces; NULL: the text is discarded */
    void *user;                                  /**< passed to print and stop */
    int32_t (*stop)(void *user); /**< called several times a second; a nonzero result ends the run
                                      early; NULL: never ends it */
} cuc_tile_interpret_options;

#define CUC_TILE_INTERPRET_OPTIONS_INIT                             \
    {                                                               \
        sizeof(cuc_tile_interpret_options), { 0, 0, 0 }, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site, in C: CUC_TILE_INTERPRET_OPTIONS(.grid = { 4 }). */
#define CUC_TILE_INTERPRET_OPTIONS(...)                                                \
    (&(cuc_tile_interpret_options){ .struct_size = sizeof(cuc_tile_interpret_options), \
                                    __VA_ARGS__ })
#endif

/**
 * Set options to their defaults.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     zeroed, and its size set; NULL does nothing
 * @param caller_size sizeof(cuc_tile_interpret_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_tile_interpret_options_init(cuc_tile_interpret_options *options,
                                             size_t caller_size);

/**
 * Run a kernel of a tile program on the CPU, one block after another. This is slow but exact.
 *
 * Integer and IEEE operations are bit-identical to a device's. Sums, products along axes and matrix
 * products are computed in double and rounded once; other functions are the C library's. No
 * compiler pass runs, so the results are a reference for compiled kernels. The call needs no
 * driver.
 *
 * @order  returns when the kernel is complete; uses no stream
 * @thread any thread; one call at a time on the same program
 * @capture makes no driver call
 * @param program a tile program; its constants apply, its arch does not
 * @param kernel  the kernel's name; NULL: the program's only kernel
 * @param args    [count], as for cuc_launch(), with tensors in host memory: device -1, pinned or
 *                managed
 * @param count   the number of the kernel's parameters
 * @param options NULL selects all defaults
 * @retval CUC_OK                     complete
 * @retval CUC_NOT_READY              options.stop ended the run; its stores so far remain
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL or does not match the kernel: the message
 *                                    has its name, the expected and the actual value; a fact of
 *                                    `where` or an assertion does not hold; or the program is not a
 *                                    tile program
 * @retval CUC_ERROR_COMPILE          the source is wrong, as reported by cuc_program_compile()
 * @retval CUC_ERROR_NOT_FOUND        there is no such kernel, or none is named and there are
 *                                    several: the message has their names
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_interpret(cuc_program *program, const char *kernel, const cuc_arg *args,
                                      size_t count, const cuc_tile_interpret_options *options);

CUC_END_DECLS

#endif
