/**
 * @file
 * Source text and what a compiler makes of it.
 *
 * A program is a copy of a source text and of the options it is compiled with. Compiling needs
 * NVRTC (CUDA C++) or nvJitLink (PTX), and no driver, as long as the options say for which
 * architecture; a tile program compiles to PTX with neither. What comes out is a cuc_object, which belongs to no context.
 */
#ifndef CUCORE_PROGRAM_H
#define CUCORE_PROGRAM_H

#include <cucore/base.h>
#include <cucore/kernel.h>
#include <cucore/object.h>

CUC_BEGIN_DECLS

/**
 * A source text with its options; it may be compiled many times, to different kinds of code.
 *
 * Threads: any thread; one call at a time on the same program. Different programs compile at
 * the same time.
 */
typedef struct cuc_program cuc_program;

/** What a source text is written in. */
enum {
    CUC_SOURCE_CUDA = 1, /**< CUDA C++, compiled by NVRTC */
    CUC_SOURCE_PTX = 2,  /**< PTX, assembled by nvJitLink, or else by the driver */
    CUC_SOURCE_NVVM = 3, /**< NVVM IR: not taken yet */
    CUC_SOURCE_TILE = 4  /**< a tile program, compiled by cucore itself */
};

/** What became of the precompiled header that the options asked for. */
enum {
    CUC_PCH_NONE = 0,          /**< not asked for, or not compiled yet */
    CUC_PCH_CREATED = 1,       /**< written, for later compilations to use */
    CUC_PCH_NOT_ATTEMPTED = 2, /**< none was written: one was used, or none was worth it */
    CUC_PCH_FAILED = 3         /**< could not be written: the log says why */
};

/** A header that exists in memory only; an `#include` of its name finds it before any file. */
typedef struct cuc_program_header {
    const char *name; /**< as it is written between the quotes or brackets of the `#include` */
    const char *text; /**< the header's text; copied */
    size_t bytes;     /**< how long the text is; 0 for a text that ends with a zero byte */
} cuc_program_header;

/**
 * How a program is compiled; zero is the default of every field.
 *
 * Switches are CUC_DEFAULT, CUC_ON or CUC_OFF. Numbers take CUC_ZERO for 0. Everything is
 * copied. Beside each field stands the option of NVRTC that it becomes; what applies to PTX
 * sources as well is marked (PTX), and the rest is refused for them by name. A tile program takes
 * what is marked (PTX), for who assembles it, and what is marked (tile).
 */
typedef struct cuc_program_options {
    size_t struct_size; /**< sizeof(cuc_program_options); the initialisers set it */

    /**
     * What messages call the source, and the name of the object (PTX); NULL is "program.cu",
     * "program.ptx" or "program.tile". With a directory, "src/a.cu", NVRTC searches quoted includes
     * in that first, unless no_source_include is CUC_ON.
     */
    const char *name;
    /**
     * "sm_90", "sm_90a", "compute_90": what the code is for (PTX: sm_ only); NULL is the
     * architecture of the current device, or of device 0, and needs a driver. --gpu-architecture
     * A tile program takes for NULL all that the device has, "sm_90a" of one of 9.0, and uses no
     * instruction of "sm_90a" when it is given "sm_90".
     */
    const char *arch;

    int32_t relocatable_device_code;   /**< --relocatable-device-code: to be linked */
    int32_t extensible_whole_program;  /**< --extensible-whole-program */
    int32_t debug;                     /**< --device-debug (PTX) */
    int32_t lineinfo;                  /**< --generate-line-info (PTX) */
    int32_t device_code_optimize;      /**< --dopt=on: optimise, also with debug */
    int32_t max_register_count;        /**< --maxrregcount: registers a thread (PTX) */
    int32_t ftz;                       /**< --ftz: flush subnormal f32 to zero */
    int32_t prec_sqrt;                 /**< --prec-sqrt: IEEE square root of f32 */
    int32_t prec_div;                  /**< --prec-div: IEEE division of f32 */
    int32_t fma;                       /**< --fmad: contract a * b + c (tile) */
    int32_t use_fast_math;             /**< --use_fast_math */
    int32_t extra_device_vectorization; /**< --extra-device-vectorization */
    int32_t modify_stack_limit;        /**< --modify-stack-limit: on while NVRTC compiles */
    int32_t link_time_optimization;    /**< --dlink-time-opt; on by itself for CUC_CODE_LTOIR */
    int32_t gen_opt_lto;               /**< --gen-opt-lto: optimise before writing LTO-IR */
    int32_t device_stack_protector;    /**< --device-stack-protector */
    int32_t jump_table_density;        /**< --jump-table-density: percent, 101 for no table */
    int32_t split_compile;             /**< --split-compile: threads; CUC_ZERO for all (PTX) */
    int32_t no_source_include;         /**< --no-source-include: not from the current folder */
    int32_t no_default_headers;        /**< cucore's own: no folder of the CUDA headers added */
    int32_t use_bundled_headers;       /**< --use-bundled-headers: of NVRTC 13.3 and later */
    int32_t builtin_move_forward;      /**< --builtin-move-forward */
    int32_t builtin_initializer_list;  /**< --builtin-initializer-list */
    int32_t disable_warnings;          /**< --disable-warnings */
    int32_t restrict_pointers;         /**< --restrict: every pointer parameter is restrict */
    int32_t device_as_default_execution_space; /**< --device-as-default-execution-space */
    int32_t device_int128;             /**< --device-int128 */
    int32_t device_float128;           /**< --device-float128: sm_100 and later */
    int32_t display_error_number;      /**< --display-error-number, --no-display-error-number */
    int32_t brief_diagnostics;         /**< --brief-diagnostics: no source lines in the log */
    int32_t version_ident;             /**< --version-ident: the compiler's version in the code */
    int32_t fdevice_syntax_only;       /**< --fdevice-syntax-only: check, make no code */
    int32_t minimal;                   /**< --minimal: fewer built-in declarations, faster */
    int32_t no_cache;                  /**< --no-cache: not from nor into NVRTC's cache (PTX) */
    int32_t numba_debug;               /**< --numba-debug: of later NVRTCs */
    int32_t pch;                       /**< --pch: precompiled headers, written and found */
    int32_t pch_verbose;               /**< --pch-verbose: why a header was not usable */
    int32_t pch_messages;              /**< --pch-messages: which one was written or used */
    int32_t instantiate_templates_in_pch; /**< --instantiate-templates-in-pch */
    int32_t reserved;                  /**< 0 */

    const char *std;               /**< --std: "c++03" to "c++20"; NULL is C++17 */
    const char *ofast_compile;     /**< --Ofast-compile: "0", "min", "mid", "max" */
    const char *optimization_info; /**< --optimization-info: "inline" */
    const char *time;              /**< --time: a file for the table, "-" for stdout (PTX: log) */
    const char *fdevice_time_trace; /**< --fdevice-time-trace: a file for the trace, JSON */
    const char *frandom_seed;      /**< --frandom-seed: makes generated names repeatable */
    const char *create_pch;        /**< --create-pch: the file to write */
    const char *use_pch;           /**< --use-pch: the file to use */
    const char *pch_dir;           /**< --pch-dir: where pch keeps its files */

    const char *const *define_macros; /**< --define-macro: "NAME" or "NAME=VALUE", each */
    size_t define_macro_count;
    const char *const *undefine_macros; /**< --undefine-macro: names */
    size_t undefine_macro_count;
    const char *const *include_paths; /**< --include-path: folders, searched in this order */
    size_t include_path_count;
    const char *const *pre_includes; /**< --pre-include: headers before the first line */
    size_t pre_include_count;
    const char *const *ptxas_options; /**< --ptxas-options: one option each, "-v" (PTX) */
    size_t ptxas_option_count;
    const int32_t *diag_error; /**< --diag-error: numbers of warnings that shall be errors */
    size_t diag_error_count;
    const int32_t *diag_suppress; /**< --diag-suppress: numbers of warnings to drop */
    size_t diag_suppress_count;
    const int32_t *diag_warn; /**< --diag-warn: numbers of errors that shall be warnings */
    size_t diag_warn_count;

    const cuc_program_header *headers; /**< headers in memory */
    size_t header_count;
    /**
     * What else is needed by name: "scale<float>", "&ns::table". NVRTC instantiates it, and the
     * object finds its kernel under this text.
     */
    const char *const *name_expressions;
    size_t name_expression_count;
    /** Flags handed on as they are, after those above: for NVRTCs newer than this header (PTX). */
    const char *const *extra_options;
    size_t extra_option_count;

    /** Constants of a tile program's kernels, in place of their values: "NAME=VALUE" (tile only) */
    const char *const *constants;
    size_t constant_count;
    /** Of a block, a power of two up to 32 (tile only). A pipeline of products has its own; 4: its
     *  warpgroups take tiles in turns, where they can. */
    int32_t warps;
    int32_t remarks;             /**< what the compiler decided, in the log (tile only) */
    int32_t require_tma;         /**< a load hinted so that cannot use it is an error (tile only) */
    int32_t require_tensor_core; /**< an mma that cannot use one is an error (tile only) */
    int32_t stages;  /**< of a pipelined loop, 2 to 24; fewer where they do not fit (tile only) */
    int32_t cluster; /**< blocks that load for one another where they can: 2, or 1 (tile only) */
    /**
     * Blocks that each do a part of a product's summed axis where they can, up to 8: for products
     * of fewer tiles than there are multiprocessors. The parts are added up in one order (tile only)
     */
    int32_t split;
    int32_t raster; /**< tiles side by side along the grid's first axis before the next along its
                         second, of a pipelined product: 1 to 64 (tile only) */
    /**
     * "NAME=EXTENT": dimensions of a tile program's kernels, and integer arguments, which candidates
     * of auto() are chosen for. A kernel with another one, or without any given, is compiled with
     * the first candidates (tile only)
     */
    const char *const *dimensions;
    size_t dimension_count;
    /**
     * A file of records (tuned.h) that is looked into for those dimensions before a model is asked,
     * when arch is NULL; "": none; NULL: the usual one (tile only)
     */
    const char *tuned;
    /**
     * The budget of the tile compiler: a program that would take more is refused with T801 to T805,
     * which name the construct, the amount and the limit. 0 is the default of each, which bounds a
     * source of 2 kB to 2 s and 512 MB; UINT64_MAX: no limit. Operations are steps of the compiler,
     * as many on every machine: 2^23 by default (tile only)
     */
    uint64_t budget_operations;
    uint64_t budget_ptx_bytes;    /**< of the PTX, or of a dump: 2^26 by default (tile only) */
    uint64_t budget_memory_bytes; /**< that the compiler holds at a time: 2^28 by default (tile only) */
    double budget_seconds;        /**< on the clock; 0: any number (tile only) */
    /** Asked some times a second, on the compiling thread, whether to end a compilation: unless it
     *  gives 0. NULL: it goes on (tile only) */
    int32_t (*cancel)(void *user);
    void *cancel_user; /**< handed to cancel */
} cuc_program_options;

/** Every default: cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT; */
#ifdef __cplusplus
static inline cuc_program_options cuc__program_options_default(void)
{
    cuc_program_options options = cuc_program_options();
    options.struct_size = sizeof(options);
    return options;
}
#define CUC_PROGRAM_OPTIONS_INIT (cuc__program_options_default())
#else
#define CUC_PROGRAM_OPTIONS_INIT \
    { .struct_size = sizeof(cuc_program_options) }

/** Options written at the call site: CUC_PROGRAM_OPTIONS(.arch = "sm_90", .lineinfo = CUC_ON). */
#define CUC_PROGRAM_OPTIONS(...) \
    (&(cuc_program_options){ .struct_size = sizeof(cuc_program_options), __VA_ARGS__ })
#endif

/**
 * Set every option to its default.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] options zeroed, its struct_size set
 * @param      caller_size    sizeof(cuc_program_options), as the caller was compiled with it
 * @since 0.1
 */
CUC_API void cuc_program_options_init(cuc_program_options *options, size_t caller_size);

/**
 * Make a program of a source text. Nothing is compiled yet.
 *
 * The folders of the CUDA headers, where they can be found, are searched after the caller's
 * include_paths, so that `#include <cuda_fp16.h>` and `<cuda/std/atomic>` work as they are.
 *
 * @thread any thread
 * @capture never touches a stream
 * @param[out] out         the program; release it with cuc_program_release()
 * @param      source_kind CUC_SOURCE_CUDA, CUC_SOURCE_PTX or CUC_SOURCE_TILE
 * @param      text        the source; copied
 * @param      bytes       how long the text is, a closing zero byte counted or not; 0 for a text
 *                         that ends with a zero byte
 * @param      options     how to compile it; copied; NULL is every default
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out or text is NULL, source_kind is unknown, the text has a
 *                                    zero byte inside, or an option is out of its bounds: the
 *                                    message names it
 * @retval CUC_ERROR_NOT_SUPPORTED    NVVM IR; use_bundled_headers with NVRTC before 13.3; an arch
 *                                    that tile programs are not compiled for
 * @retval CUC_ERROR_NO_DRIVER        arch is NULL, and no driver is there to be asked for the
 *                                    device's; also the other failures of
 *                                    cuc_device_get_current(). A tile program asks when it is
 *                                    compiled
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_program_create(cuc_program **out, int32_t source_kind, const char *text,
                                      size_t bytes, const cuc_program_options *options);

/**
 * Compile a program.
 *
 * CUDA C++ compiles to PTX, a cubin or LTO-IR; a cubin keeps the PTX it was assembled from
 * beside it. To PTX, code is compiled for the virtual architecture (compute_90 of sm_90), with
 * no assembler run. PTX compiles to a cubin; to PTX it passes through unread. A tile program
 * compiles to PTX, by cucore alone, and to a cubin, which PTX then goes through.
 *
 * After a failure the program can be compiled again, and its log read. No lock is held.
 *
 * @order  returns when the code is there: milliseconds to minutes
 * @thread any thread; one call at a time on the same program
 * @capture never touches a stream
 * @param[out] out     the code; release it with cuc_object_release()
 * @param      program the program
 * @param      target  CUC_CODE_PTX, CUC_CODE_CUBIN or CUC_CODE_LTOIR
 * @retval CUC_OK                     compiled; cuc_program_log() may hold warnings
 * @retval CUC_ERROR_COMPILE          the source is wrong: the message has the first error, and
 *                                    cuc_error_log() the compiler's log, then the lines around
 *                                    each error of this source
 * @retval CUC_ERROR_INVALID_ARGUMENT out or program is NULL, target does not go with the source
 *                                    or the arch, or the compiler refuses an option
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    the compiler does not know the architecture: the message
 *                                    lists those it knows; a cubin of PTX or of a tile program from
 *                                    a simulated driver without nvJitLink
 * @retval CUC_ERROR_NOT_FOUND        NVRTC, or nvJitLink for PTX, is not installed: the message
 *                                    has the places tried
 * @retval CUC_ERROR_NO_DRIVER        a tile program without an arch, and no driver is there to be
 *                                    asked for the device's
 * @retval CUC_ERROR_TOOLKIT          the compiler failed by itself
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @source NVRTC, "Compilation": nvrtcCompileProgram, nvrtcGetPTX, nvrtcGetCUBIN, nvrtcGetLTOIR;
 *         "PCH": nvrtcSetPCHHeapSize
 * @since 0.1
 */
CUC_API cuc_status cuc_program_compile(cuc_object **out, cuc_program *program, int32_t target);

/**
 * What the compiler said the last time, warnings of a success too.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @return never NULL, "" before the first compilation; valid until the program is compiled
 *         again or released
 * @since 0.1
 */
CUC_API const char *cuc_program_log(const cuc_program *program);

/**
 * Who compiled the program the last time, or will.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @return "NVRTC"; for PTX "nvJitLink", or "driver" once that stood in for it; "cucore" for a tile
 *         program; static storage; "" for NULL
 * @since 0.1
 */
CUC_API const char *cuc_program_backend(const cuc_program *program);

/**
 * What became of the precompiled header at the last compilation.
 *
 * A heap that is too small for it is made larger once, for the whole process, and the program
 * is compiled again.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @return a CUC_PCH_ value; CUC_PCH_NONE for NULL
 * @source NVRTC, "PCH": nvrtcGetPCHCreateStatus, nvrtcGetPCHHeapSizeRequired
 * @since 0.1
 */
CUC_API int32_t cuc_program_pch_status(const cuc_program *program);

/**
 * How long the last compilation took, failed ones too.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @return nanoseconds of wall-clock time; 0 before the first, and for NULL
 * @since 0.1
 */
CUC_API uint64_t cuc_program_compile_ns(const cuc_program *program);

/**
 * How many flags the compiler is given for a kind of code.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param target  CUC_CODE_PTX, CUC_CODE_CUBIN or CUC_CODE_LTOIR
 * @return the number of flags; 0 for a target that this program does not compile to
 * @since 0.1
 */
CUC_API size_t cuc_program_flag_count(const cuc_program *program, int32_t target);

/**
 * One of the flags, exactly as the compiler is given it.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @param target  CUC_CODE_PTX, CUC_CODE_CUBIN or CUC_CODE_LTOIR
 * @param index   below cuc_program_flag_count()
 * @return such as "--maxrregcount=32"; valid as long as the program; NULL past the end
 * @since 0.1
 */
CUC_API const char *cuc_program_flag(const cuc_program *program, int32_t target, size_t index);

/**
 * Hold one reference more.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param program the program, or NULL
 * @return program
 * @since 0.1
 */
CUC_API cuc_program *cuc_program_retain(cuc_program *program);

/**
 * Drop a reference; the last one frees the program. Its objects live on.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param program the program, or NULL
 * @since 0.1
 */
CUC_API void cuc_program_release(cuc_program *program);

/**
 * Compile a source text and look up one of its kernels, in one call.
 *
 * Does what cuc_program_create(), cuc_program_compile() and cuc_object_get_kernel() do, and
 * releases the program and the object: the kernel keeps its code. Use these calls instead for
 * several kernels of one source, for the compiler's warnings, or to save the code.
 *
 * CUDA C++ is compiled with `name` as one of its name expressions, so that "scale<float>"
 * instantiates a template and "scale" finds a kernel with and without extern "C". The code is a
 * cubin, or PTX for an arch of "compute_90" and for PTX and tile programs on a simulated driver.
 *
 * @order  returns when the code is there: milliseconds to minutes
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out         the kernel: cuc_kernel_release(); untouched by a failure
 * @param      source_kind CUC_SOURCE_CUDA, CUC_SOURCE_PTX or CUC_SOURCE_TILE
 * @param      text        the source
 * @param      bytes       how long the text is, as for cuc_program_create(); 0 for a text that ends
 *                         with a zero byte
 * @param      name        the kernel's name, a symbol, or a name expression of CUDA C++
 * @param      options     how to compile it; NULL is every default
 * @retval CUC_OK                     compiled and found
 * @retval CUC_ERROR_INVALID_ARGUMENT out, text or name is NULL, or as for cuc_program_create()
 * @retval CUC_ERROR_COMPILE          the source is wrong, or CUDA C++ has no such kernel:
 *                                    cuc_error_log() has the compiler's log
 * @retval CUC_ERROR_NOT_FOUND        the source has no such kernel: the message lists those it has;
 *                                    or NVRTC or nvJitLink is not installed
 * @retval CUC_ERROR_NO_DRIVER        no CUDA driver could be loaded
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory; else as for the three calls
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_from_source(cuc_kernel **out, int32_t source_kind, const char *text,
                                          size_t bytes, const char *name,
                                          const cuc_program_options *options);

CUC_END_DECLS

#endif
