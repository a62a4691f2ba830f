/**
 * @file
 * Tile programs: what the compiler made of them, and running them without a device.
 *
 * A tile program goes the way of every source: cuc_program_create() with CUC_SOURCE_TILE,
 * cuc_program_compile(), cuc_object_get_kernel(), cuc_launch(). Here is what is special about one.
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

/* ---- what the compiler made ---------------------------------------------------------------- */

/**
 * The program as its compiler sees it, simplified: a tile program again, which means the same.
 *
 * Constants are those that the program was created with. Nothing of the architecture is in it.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param text    NUL-terminated; borrowed: valid until it is asked for again or the program
 * released
 * @param bytes   its length without the NUL; NULL: not wanted
 * @param program a tile program
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_COMPILE          the source is wrong, as cuc_program_compile() says it
 * @retval CUC_ERROR_INVALID_ARGUMENT text or program is NULL, or it is no tile program
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_get_ir(const char **text, size_t *bytes, cuc_program *program);

/**
 * The program as its compiler has it before it writes PTX: an op a line, with attributes, dtypes,
 * shapes and the layout of each value, for the program's architecture.
 *
 * It begins with "tile 1 machine", and is for reading: no program is made of it. A layout says
 * which coordinate of a tile, rows first, each bit of a register's number, of a lane and of a warp
 * stands for. It is what all entries but "tma" are made of.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param text    NUL-terminated; borrowed: valid until it is asked for again or the program
 * released
 * @param bytes   its length without the NUL; NULL: not wanted
 * @param program a tile program
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_COMPILE          the source is wrong, as cuc_program_compile() says it
 * @retval CUC_ERROR_INVALID_ARGUMENT text or program is NULL, or it is no tile program
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_NO_DRIVER        the program has no arch, and there is no driver to ask
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_get_machine(const char **text, size_t *bytes, cuc_program *program);

/** One of the entries of a tile kernel: they do the same, each for arguments of a kind. */
typedef struct cuc_tile_entry {
    size_t struct_size;            /**< sizeof(cuc_tile_entry), set by the caller */
    const char *variant;           /**< "tma", "idx32+aligned", "idx32+overlap" or "idx64"; static
                                        storage */
    uint32_t threads;              /**< of a block */
    uint32_t static_shared_bytes;  /**< shared memory of a block that the code declares, */
    uint32_t dynamic_shared_bytes; /**< and that the launch gives it */
    uint32_t registers;            /**< of a thread; 0: not known, as of PTX */
    uint32_t stack_bytes;          /**< of a thread: what did not fit registers is in it */
    uint32_t reserved;             /**< 0 */
} cuc_tile_entry;

#define CUC_TILE_ENTRY_INIT                         \
    {                                               \
        sizeof(cuc_tile_entry), 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * An entry of a tile kernel in object code: read from the code, no driver is needed.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out    filled in up to its struct_size
 * @param object PTX, or a cubin, which alone tells of registers and the stack
 * @param kernel its name, as the source has it
 * @param index  from 0, fastest first
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NOT_FOUND        there is no tile kernel of that name, or no such entry
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, out->struct_size is wrong, or what the
 *                                    code says of the kernel is damaged
 * @retval CUC_ERROR_INVALID_HANDLE   object is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_get_entry(cuc_tile_entry *out, cuc_object *object, const char *kernel,
                                      size_t index);

/** A parameter of a tile kernel. */
typedef struct cuc_tile_parameter {
    size_t struct_size; /**< sizeof(cuc_tile_parameter), set by the caller */
    const char *name;   /**< valid while the kernel lives */
    cuc_dtype dtype;    /**< of the scalar, or of the tensor's elements */
    int32_t rank;       /**< axes of a tensor; -1: a scalar */
    uint32_t written;   /**< 1: the kernel stores to the tensor */
    uint32_t reserved;  /**< 0 */
} cuc_tile_parameter;

#define CUC_TILE_PARAMETER_INIT                   \
    {                                             \
        sizeof(cuc_tile_parameter), 0, 0, 0, 0, 0 \
    }

/**
 * A parameter of a tile kernel; cuc_kernel_get_parameter_count() says how many there are.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out    filled in up to its struct_size
 * @param kernel of a tile program
 * @param index  from 0, in the source's order
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NOT_FOUND        the kernel is of no tile program
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, out->struct_size is wrong, or index is
 * past the end
 * @retval CUC_ERROR_INVALID_HANDLE   kernel is not alive
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_get_parameter(cuc_tile_parameter *out, const cuc_kernel *kernel,
                                          size_t index);

/* ---- what there is to choose from ------------------------------------------------------------ */

/** Gets one "NAME=EXTENT"; the text is valid during the call. */
typedef void (*cuc_tile_dimension_fn)(void *user, const char *dimension);

/**
 * Tell the dimensions that arguments give a kernel, as the `dimensions` of cuc_program_options.
 *
 * A program is created without them, asked with the arguments that are to come, and created again
 * with what it told, so that auto() is chosen for those extents. Only dtypes, ranks and shapes of
 * tensors and the values of integers are read; their memory is not, and facts are not checked.
 *
 * @thread one call at a time on the same program; `visit` is called on the calling thread
 * @capture makes no driver call
 * @param program a tile program
 * @param kernel  the kernel's name; NULL: the only one there is
 * @param args    as for cuc_launch(); addresses are not looked at
 * @param count   of them
 * @param visit   called for each dimension, then for each integer argument
 * @param user    handed to visit
 * @retval CUC_OK                     all were told
 * @retval CUC_ERROR_COMPILE          the source is wrong, as cuc_program_compile() says it
 * @retval CUC_ERROR_INVALID_ARGUMENT program, visit, or args with a count is NULL, it is no tile
 *                                    program, or the arguments are not the kernel's: their number,
 *                                    kinds, dtypes, ranks, or extents of one name that differ
 * @retval CUC_ERROR_NOT_FOUND        there is no such kernel, or several and none is named
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_visit_dimensions(cuc_program *program, const char *kernel,
                                             const cuc_arg *args, size_t count,
                                             cuc_tile_dimension_fn visit, void *user);

/**
 * Go through all that the auto() constants of a kernel may be, for the program's dimensions.
 *
 * What cannot be launched with those dimensions is left out, and nothing is measured. Constants that
 * the program sets are no longer free. A kernel without any that is free has one choice, "".
 *
 * @thread one call at a time on the same program; `visit` is called on the calling thread
 * @capture makes no driver call
 * @param program a tile program, with dimensions
 * @param kernel  the kernel's name; NULL: the only one there is
 * @param visit   called for each; its text is valid during the call
 * @param user    handed to visit
 * @retval CUC_OK                     all were visited
 * @retval CUC_ERROR_COMPILE          the source is wrong, as cuc_program_compile() says it
 * @retval CUC_ERROR_INVALID_ARGUMENT program or visit is NULL, or it is no tile program
 * @retval CUC_ERROR_NOT_FOUND        there is no such kernel, or several and none is named
 * @retval CUC_ERROR_NO_DRIVER        the program has no arch, and there is no driver to ask
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_visit_candidates(cuc_program *program, const char *kernel,
                                             cuc_tuned_visit visit, void *user);

/**
 * What a record of a kernel is kept under: its program, constants and dimensions.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param out     gets program, constants and dimensions, and NULL for the rest; its texts are borrowed:
 *                valid until it is asked for again or the program released
 * @param program a tile program, with dimensions
 * @param kernel  the kernel's name; NULL: the only one there is
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_COMPILE          the source is wrong, as cuc_program_compile() says it
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, it is no tile program, or out->struct_size
 *                                    is wrong
 * @retval CUC_ERROR_NOT_FOUND        there is no such kernel, or several and none is named
 * @retval CUC_ERROR_NO_DRIVER        the program has no arch, and there is no driver to ask
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_get_record(cuc_tuned_record *out, cuc_program *program,
                                       const char *kernel);

/* ---- without a device ---------------------------------------------------------------------- */

/** How cuc_tile_interpret() runs a kernel; zero is the default of every field. */
typedef struct cuc_tile_interpret_options {
    size_t struct_size; /**< sizeof(cuc_tile_interpret_options); the initialisers set it */
    uint32_t grid[3];   /**< in blocks, of a kernel that declares none; y and z of 0 mean 1 */
    uint32_t reserved;  /**< 0 */
    void (*print)(void *user, const char *text); /**< gets what the kernel prints, in pieces;
                                                      NULL: it goes nowhere */
    void *user;                  /**< handed to print and stop */
    int32_t (*stop)(void *user); /**< asked some times a second whether the run is to end before the
                                      kernel has, unless it gives 0; NULL: it goes on */
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
 * @param options     zeroed, and told its size; NULL does nothing
 * @param caller_size sizeof(cuc_tile_interpret_options) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_tile_interpret_options_init(cuc_tile_interpret_options *options,
                                             size_t caller_size);

/**
 * Run a kernel of a tile program on the CPU, block after block: slow, and exact.
 *
 * Integer and IEEE operations give what a device gives, to the bit. Sums, products along axes and
 * matrix products are made in double and rounded once; other functions are the C library's. No
 * compiler pass is run, and no driver is needed: it is what compiled kernels are compared with.
 *
 * @order  returns when the kernel is done; uses no stream
 * @thread any thread; one call at a time on the same program
 * @capture makes no driver call
 * @param program a tile program; its constants are used, its arch is not
 * @param kernel  the kernel's name; NULL: the only one there is
 * @param args    [count], as cuc_launch() takes them, tensors in host memory: device -1, or pinned
 * or managed
 * @param count   the number of the kernel's parameters
 * @param options NULL is every default
 * @retval CUC_OK                     it ran
 * @retval CUC_NOT_READY              options.stop ended it; what it has stored by then stays
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL or not the kernel's: the message names it,
 *                                    what was expected and what was passed; a fact of `where` or an
 *                                    assertion does not hold; the program is no tile program
 * @retval CUC_ERROR_COMPILE          the source is wrong, as cuc_program_compile() says it
 * @retval CUC_ERROR_NOT_FOUND        there is no such kernel, or several and none is named: the
 *                                    message has their names
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tile_interpret(cuc_program *program, const char *kernel, const cuc_arg *args,
                                      size_t count, const cuc_tile_interpret_options *options);

CUC_END_DECLS

#endif
