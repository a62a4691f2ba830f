/**
 * @file
 * Source texts, and how to compile them.
 *
 * A program is a copy of a source text and of its compile options. Compiling needs NVRTC (for CUDA
 * C++) or nvJitLink (for PTX), but no driver if the options name the architecture. A tile program
 * compiles to PTX with neither library. The result is a cuc_object, which belongs to no context.
 */
#ifndef CUCORE_PROGRAM_H
#define CUCORE_PROGRAM_H

#include <cucore/base.h>
#include <cucore/cache.h>
#include <cucore/kernel.h>
#include <cucore/object.h>

CUC_BEGIN_DECLS

/**
 * A source text with its options. It can be compiled many times, to different kinds of code.
 *
 * Threads: any thread; one call at a time on the same program. Different programs compile
 * concurrently.
 */
typedef struct cuc_program cuc_program;

/** Languages of a source text. */
enum {
    CUC_SOURCE_CUDA = 1, /**< CUDA C++, compiled by NVRTC */
    CUC_SOURCE_PTX = 2,  /**< PTX, assembled by nvJitLink if available, else by the driver */
    CUC_SOURCE_NVVM = 3, /**< NVVM IR: not supported yet */
    CUC_SOURCE_TILE = 4  /**< a tile program, compiled by cucore itself */
};

/** Outcomes for the precompiled header that the options requested. */
enum {
    CUC_PCH_NONE = 0,          /**< not requested, or not compiled yet */
    CUC_PCH_CREATED = 1,       /**< written, for later compilations to use */
    CUC_PCH_NOT_ATTEMPTED = 2, /**< not written, because one was used or none was worthwhile */
    CUC_PCH_FAILED = 3         /**< could not be written: the log says why */
};

/** A header that exists only in memory; an `#include` of its name finds it before any file. */
typedef struct cuc_program_header {
    const char *name; /**< the name, as the `#include` has it between quotes or brackets */
    const char *text; /**< the header's text; copied */
    size_t bytes;     /**< length of the text; 0 if it ends with a zero byte */
} cuc_program_header;

/**
 * Options for compiling a program. Zero selects the default of every field.
 *
 * Switches are CUC_DEFAULT, CUC_ON or CUC_OFF. Numbers take CUC_ZERO for 0. Everything is copied.
 * The comment on each field names its NVRTC option. A PTX source takes only the options marked
 * (PTX), and refuses all others by name. A tile program takes the options marked (PTX), for the
 * assembler, and those marked (tile).
 */
typedef struct cuc_program_options {
    size_t struct_size; /**< sizeof(cuc_program_options); the initializers set it */

    /** The name of the source in messages, and of the object (PTX). NULL is "program.cu",
     * "program.ptx" or "program.tile". If the name has a directory, as in "src/a.cu", NVRTC
     * searches this directory first for quoted includes, unless no_source_include is CUC_ON. */
    const char *name;
    /** The target architecture, "sm_90", "sm_90a" or "compute_90" (PTX: sm_ only). NULL means the
     * architecture of the current device, or of device 0, and needs a driver (--gpu-architecture).
     * With NULL, a tile program may use all features of the device, "sm_90a" for a 9.0 device; with
     * "sm_90", it uses no instruction that needs "sm_90a". */
    const char *arch;

    int32_t relocatable_device_code;    /**< --relocatable-device-code: to be linked */
    int32_t extensible_whole_program;   /**< --extensible-whole-program */
    int32_t debug;                      /**< --device-debug (PTX) */
    int32_t lineinfo;                   /**< --generate-line-info (PTX) */
    int32_t device_code_optimize;       /**< --dopt=on: optimize even with debug */
    int32_t max_register_count;         /**< --maxrregcount: registers of a thread (PTX) */
    int32_t ftz;                        /**< --ftz: flush subnormal f32 to zero */
    int32_t prec_sqrt;                  /**< --prec-sqrt: IEEE square root of f32 */
    int32_t prec_div;                   /**< --prec-div: IEEE division of f32 */
    int32_t fma;                        /**< --fmad: contract a * b + c (tile) */
    int32_t use_fast_math;              /**< --use_fast_math */
    int32_t extra_device_vectorization; /**< --extra-device-vectorization */
    int32_t modify_stack_limit;         /**< --modify-stack-limit: raise the stack limit while NVRTC
                                             compiles */
    int32_t link_time_optimization;     /**< --dlink-time-opt; implied by CUC_CODE_LTOIR */
    int32_t gen_opt_lto;                /**< --gen-opt-lto: optimize before writing LTO-IR */
    int32_t device_stack_protector;     /**< --device-stack-protector */
    int32_t jump_table_density;         /**< --jump-table-density: percent, 101 for no table */
    int32_t split_compile;              /**< --split-compile: threads; CUC_ZERO for all (PTX) */
    int32_t no_source_include;        /**< --no-source-include: do not search the source's folder */
    int32_t no_default_headers;       /**< cucore's own: do not add the folders of the CUDA
                                           headers */
    int32_t use_bundled_headers;      /**< --use-bundled-headers, NVRTC 13.3 and later: unpack
                                           NVRTC's headers into the default cache's folder, and use
                                           them instead of installed ones */
    int32_t builtin_move_forward;     /**< --builtin-move-forward */
    int32_t builtin_initializer_list; /**< --builtin-initializer-list */
    int32_t disable_warnings;         /**< --disable-warnings */
    int32_t restrict_pointers;        /**< --restrict: every pointer parameter is restrict */
    int32_t device_as_default_execution_space; /**< --device-as-default-execution-space */
    int32_t device_int128;                     /**< --device-int128 */
    int32_t device_float128;                   /**< --device-float128: sm_100 and later */
    int32_t display_error_number; /**< --display-error-number, --no-display-error-number */
    int32_t brief_diagnostics;    /**< --brief-diagnostics: no source lines in the log */
    int32_t version_ident;        /**< --version-ident: the compiler's version in the code */
    int32_t fdevice_syntax_only;  /**< --fdevice-syntax-only: check the syntax, generate no code */
    int32_t minimal;              /**< --minimal: fewer built-in declarations, faster */
    int32_t no_cache;             /**< --no-cache: neither read nor write NVRTC's cache (PTX) */
    int32_t numba_debug;          /**< --numba-debug: later NVRTC versions */
    int32_t pch;                  /**< --pch: write and find precompiled headers */
    int32_t pch_verbose;          /**< --pch-verbose: reasons why a header was not usable */
    int32_t pch_messages;         /**< --pch-messages: report which header was written or used */
    int32_t instantiate_templates_in_pch; /**< --instantiate-templates-in-pch */
    int32_t reserved;                     /**< 0 */

    const char *std;                /**< --std: "c++03" to "c++20"; NULL is C++17 */
    const char *ofast_compile;      /**< --Ofast-compile: "0", "min", "mid", "max" */
    const char *optimization_info;  /**< --optimization-info: "inline" */
    const char *time;               /**< --time: a file for the table of times, "-" for stdout (PTX:
                                         log) */
    const char *fdevice_time_trace; /**< --fdevice-time-trace: a file for the trace, JSON */
    const char *frandom_seed;       /**< --frandom-seed: makes generated names repeatable */
    const char *create_pch;         /**< --create-pch: the file to write */
    const char *use_pch;            /**< --use-pch: the file to use */
    const char *pch_dir;            /**< --pch-dir: where pch keeps its files */

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
    const int32_t *diag_error; /**< --diag-error: numbers of warnings to treat as errors */
    size_t diag_error_count;
    const int32_t *diag_suppress; /**< --diag-suppress: numbers of warnings to drop */
    size_t diag_suppress_count;
    const int32_t *diag_warn; /**< --diag-warn: numbers of errors to treat as warnings */
    size_t diag_warn_count;

    const cuc_program_header *headers; /**< headers in memory */
    size_t header_count;
    /** Names to instantiate, such as "scale<float>" or "&ns::table". NVRTC instantiates each name,
     * and cuc_object_get_kernel() accepts it. */
    const char *const *name_expressions;
    size_t name_expression_count;
    /** Flags passed on unchanged after those above, for NVRTC versions newer than this header
     * (PTX). */
    const char *const *extra_options;
    size_t extra_option_count;

    /** Overrides for constants of a tile program's kernels: "NAME=VALUE" (tile only) */
    const char *const *constants;
    size_t constant_count;
    /** Warps of a block, a power of two up to 32 (tile only). A pipelined matrix product chooses
     * its own number of warps, but 4 lets its warpgroups alternate between tiles where possible.
     * Any other product takes more warps if its accumulators would not fit in registers. */
    int32_t warps;
    int32_t remarks;             /**< log the compiler's decisions (tile only) */
    int32_t require_tma;         /**< a load hinted for TMA that cannot use TMA is an error (tile
                                      only) */
    int32_t require_tensor_core; /**< an mma that cannot use a tensor core is an error (tile
                                      only) */
    int32_t stages;  /**< stages of a pipelined loop, 2 to 24; fewer if they do not fit (tile
                          only) */
    int32_t cluster; /**< blocks that share their loads if possible: 1, 2 or 4 along the grid's
                        first axis, or 8: four along it and two along the second one (tile only) */
    /** For grids with fewer blocks than multiprocessors: the number of blocks, up to 16, that run
     * the loops of one block together, as a cluster. They share the reduction axis of a pipelined
     * matrix product (up to 8) or, on devices with clusters, any loop that only accumulates.
     * Partial results are combined in a fixed order, so every launch gives the same result, but
     * sums of floats round differently with different numbers of blocks. Some devices have no room
     * for more than 8 (cuc_occupancy_max_potential_cluster_size()). 0: each launch chooses the
     * number, up to 8, from its grid, and shares only loops whose result does not depend on the
     * number; 1: no loop is shared (tile only) */
    int32_t split;
    int32_t raster; /**< for a pipelined matrix product: number of tiles computed along the grid's
                         first axis before the index along the second axis advances, 1 to 64 (tile
                         only) */
    /** "NAME=EXTENT": values for dimensions and integer arguments of a tile program's kernels, used
     * to choose the candidates of auto(). A kernel is compiled with its first candidates if the
     * list lacks one of its names. A name that no kernel has is an error (tile only) */
    const char *const *dimensions;
    size_t dimension_count;
    /** A file of tuning records (tuned.h). A record for these dimensions replaces the cost model's
     * choice. Used only if arch is NULL. "": none; NULL: the file that CUCORE_TUNED names, or the
     * installed one (tile only) */
    const char *tuned;
    /** The tile compiler's budget. A program that exceeds it is refused with T801 to T805, which
     * name the construct, the amount and the limit. 0 selects the default of each limit; together
     * the defaults bound a source of 2 kB to 2 s and 512 MB. UINT64_MAX: no limit. This limit is on
     * compiler steps, whose number is the same on every machine: 2^22 by default (tile only) */
    uint64_t budget_operations;
    uint64_t budget_ptx_bytes;    /**< limit on bytes of the PTX, or of a dump: 2^25 by default
                                       (tile only) */
    uint64_t budget_memory_bytes; /**< limit on bytes that the compiler holds at a time: 2^28 by
                                       default (tile only) */
    double budget_seconds;        /**< limit on wall-clock time; 0: unlimited (tile only) */
    /** Called several times a second on the compiling thread. A nonzero result ends the
     * compilation. NULL: never ends it (tile only) */
    int32_t (*cancel)(void *user);
    void *cancel_user; /**< passed to cancel */
    /** The cache of compiled code; retained. NULL: cuc_cache_default(). Pass cuc_cache_none() to
     * store nothing (PTX). */
    cuc_cache *cache;
} cuc_program_options;

/** Default options: cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT; */
#ifdef __cplusplus
static inline cuc_program_options cuc__program_options_default(void)
{
    cuc_program_options options = cuc_program_options();
    options.struct_size = sizeof(options);
    return options;
}
#define CUC_PROGRAM_OPTIONS_INIT (cuc__program_options_default())
#else
#define CUC_PROGRAM_OPTIONS_INIT                   \
    {                                              \
        .struct_size = sizeof(cuc_program_options) \
    }

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
 * @param      caller_size    sizeof(cuc_program_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_program_options_init(cuc_program_options *options, size_t caller_size);

/**
 * Create a program from a source text. Nothing is compiled yet.
 *
 * The compiler searches the folders of the CUDA headers, if found, after the caller's
 * include_paths, so that `#include <cuda_fp16.h>` and `<cuda/std/atomic>` work without further
 * options.
 *
 * @thread any thread
 * @capture never touches a stream
 * @param[out] out         the program; release it with cuc_program_release()
 * @param      source_kind CUC_SOURCE_CUDA, CUC_SOURCE_PTX or CUC_SOURCE_TILE
 * @param      text        the source; copied
 * @param      bytes       length of the text, with or without a final zero byte; 0 for a text that
 *                         ends with a zero byte
 * @param      options     how to compile it; copied; NULL selects all defaults
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out or text is NULL, source_kind is unknown, the text contains
 *                                    a zero byte, or an option is out of bounds: the message names
 *                                    it
 * @retval CUC_ERROR_NOT_SUPPORTED    NVVM IR; use_bundled_headers with NVRTC before 13.3; an arch
 *                                    that tile programs cannot be compiled for
 * @retval CUC_ERROR_NOT_FOUND        use_bundled_headers without a default cache
 * @retval CUC_ERROR_IO               use_bundled_headers, and the cache's folder cannot be used
 * @retval CUC_ERROR_NO_DRIVER        arch is NULL, and there is no driver to report the device's
 *                                    architecture; also the other failures of
 *                                    cuc_device_get_current(). A tile program needs the driver only
 *                                    when it is compiled
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_program_create(cuc_program **out, int32_t source_kind, const char *text,
                                      size_t bytes, const cuc_program_options *options);

/**
 * Compile a program.
 *
 * CUDA C++ compiles to PTX, a cubin or LTO-IR; a cubin also keeps the PTX it was assembled from.
 * PTX output is for the virtual architecture (compute_90 for sm_90) and does not need the
 * assembler. A PTX source compiles to a cubin; with PTX as the target, it is returned unchanged and
 * unchecked. cucore compiles a tile program to PTX by itself, and to a cubin through that PTX.
 *
 * After a failure, the program can be compiled again, and its log can be read. The call holds no
 * lock while it compiles.
 *
 * @order  returns when the code is ready: milliseconds to minutes
 * @thread any thread; one call at a time on the same program
 * @capture never touches a stream
 * @param[out] out     the code; release it with cuc_object_release()
 * @param      program the program
 * @param      target  CUC_CODE_PTX, CUC_CODE_CUBIN or CUC_CODE_LTOIR
 * @retval CUC_OK                     compiled; cuc_program_log() may hold warnings
 * @retval CUC_ERROR_COMPILE          the source is wrong: the message has the first error, and
 *                                    cuc_error_log() has the compiler's log, followed by the lines
 *                                    of this source around each error
 * @retval CUC_ERROR_INVALID_ARGUMENT out or program is NULL, target does not match the source or
 *                                    the arch, or the compiler refuses an option
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    the compiler does not know the architecture, and the message
 *                                    lists the known ones; or a cubin was requested from PTX or a
 *                                    tile program, with a simulated driver and no nvJitLink
 * @retval CUC_ERROR_NOT_FOUND        NVRTC, or nvJitLink for PTX, is not installed: the message
 *                                    lists the places tried
 * @retval CUC_ERROR_NO_DRIVER        a tile program has no arch, and there is no driver to report
 *                                    the device's architecture
 * @retval CUC_ERROR_TOOLKIT          an internal failure of the compiler
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @source NVRTC, "Compilation": nvrtcCompileProgram, nvrtcGetPTX, nvrtcGetCUBIN, nvrtcGetLTOIR;
 *         "PCH": nvrtcSetPCHHeapSize
 * @since 0.1
 */
CUC_API cuc_status cuc_program_compile(cuc_object **out, cuc_program *program, int32_t target);

/**
 * The compiler's log of the last compilation, including the warnings of a successful one.
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
 * The compiler used by the last compilation or, before the first, by the next one.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @return "NVRTC"; for PTX "nvJitLink", or "driver" after a fallback to it; "cucore" for a tile
 *         program; static storage; "" for NULL
 * @since 0.1
 */
CUC_API const char *cuc_program_backend(const cuc_program *program);

/**
 * The last compilation's outcome for the precompiled header.
 *
 * If the PCH heap is too small, it is enlarged once, for the whole process, and the program is
 * compiled again.
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
 * The duration of the last compilation, even if it failed.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param program the program
 * @return nanoseconds of wall-clock time; 0 before the first compilation, and for NULL
 * @since 0.1
 */
CUC_API uint64_t cuc_program_compile_ns(const cuc_program *program);

/** Size of a program's key in bytes. */
#define CUC_PROGRAM_KEY_BYTES 32

/**
 * The key under which a cache keeps the code of a program.
 *
 * Two programs with the same key compile to the same code. The key covers the source, every file
 * that the source may include, the options, the target, cucore's version and the compiler's file,
 * which this call does not load.
 *
 * @thread one call at a time on the same program
 * @capture makes no driver call
 * @param[out] out     CUC_PROGRAM_KEY_BYTES bytes
 * @param      program the program
 * @param      target  CUC_CODE_PTX, CUC_CODE_CUBIN or CUC_CODE_LTOIR
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NOT_SUPPORTED    the program is never cached, or is PTX, which has no key
 *                                    itself (its link has one); the message says why
 * @retval CUC_ERROR_INVALID_ARGUMENT out or program is NULL, or target is none of these kinds
 * @retval CUC_ERROR_INVALID_HANDLE   program is not alive, when handles are checked
 * @retval CUC_ERROR_NO_DRIVER        a tile program without `arch` needs a device, and there is no
 *                                    driver
 * @retval CUC_ERROR_NO_DEVICE        such a tile program needs a device, and the driver has none
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_program_get_key(uint8_t *out, cuc_program *program, int32_t target);

/**
 * The number of flags passed to the compiler for a kind of code.
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
 * One of the flags counted by cuc_program_flag_count(), exactly as the compiler receives it.
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
 * Add a reference to a program.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param program the program, or NULL
 * @return program
 * @since 0.1
 */
CUC_API cuc_program *cuc_program_retain(cuc_program *program);

/**
 * Release a reference; the last one frees the program. Objects compiled from it live on.
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
 * Combines cuc_program_create(), cuc_program_compile() and cuc_object_get_kernel(), and releases
 * the program and the object; the kernel keeps its code. Use the three calls instead to get several
 * kernels from one source, the compiler's warnings, or code to save.
 *
 * CUDA C++ is compiled with `name` as a name expression, so that "scale<float>" instantiates a
 * template and "scale" finds a kernel with or without extern "C". The code is a cubin, except in
 * three cases. It is PTX if arch is virtual, such as "compute_90". It is PTX for tile programs
 * without assembler options, because their pipelines are faster if the driver assembles them. And a
 * PTX source stays PTX on a simulated driver.
 *
 * @order  returns when the code is ready: milliseconds to minutes
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out         the kernel; release it with cuc_kernel_release(); unchanged on failure
 * @param      source_kind CUC_SOURCE_CUDA, CUC_SOURCE_PTX or CUC_SOURCE_TILE
 * @param      text        the source
 * @param      bytes       length of the text, as for cuc_program_create(); 0 for a text that ends
 *                         with a zero byte
 * @param      name        the kernel's name, a symbol, or a name expression of CUDA C++
 * @param      options     how to compile it; NULL selects all defaults
 * @retval CUC_OK                     compiled and found
 * @retval CUC_ERROR_INVALID_ARGUMENT out, text or name is NULL, or as for cuc_program_create()
 * @retval CUC_ERROR_COMPILE          the source is wrong, or CUDA C++ has no such kernel:
 *                                    cuc_error_log() has the compiler's log
 * @retval CUC_ERROR_NOT_FOUND        the source has no such kernel, and the message lists its
 *                                    kernels; or NVRTC or nvJitLink is not installed
 * @retval CUC_ERROR_NO_DRIVER        no CUDA driver could be loaded
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory; otherwise as for the three calls
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_from_source(cuc_kernel **out, int32_t source_kind, const char *text,
                                          size_t bytes, const char *name,
                                          const cuc_program_options *options);

CUC_END_DECLS

#endif
