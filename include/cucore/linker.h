/**
 * @file
 * Links several pieces of code into one.
 *
 * A linker collects inputs and links them into one object. Inputs are relocatable cubins, PTX,
 * LTO-IR, fatbins, and host objects and archives that contain device code. nvJitLink does the work
 * and needs no driver. Without nvJitLink, the driver's own linker does it, with fewer options.
 */
#ifndef CUCORE_LINKER_H
#define CUCORE_LINKER_H

#include <cucore/base.h>
#include <cucore/cache.h>
#include <cucore/object.h>

CUC_BEGIN_DECLS

/**
 * The inputs and options of a link. A linker can link many times, and more inputs can be added in
 * between.
 *
 * Threads: any thread; one call at a time on the same linker.
 */
typedef struct cuc_linker cuc_linker;

/** Implementations of the linker. */
enum {
    CUC_LINKER_AUTO = 0,      /**< nvJitLink 12.3 or later if available, else the driver */
    CUC_LINKER_NVJITLINK = 1, /**< nvJitLink only */
    CUC_LINKER_DRIVER = 2     /**< the driver: fewer options, no LTO-IR, needs a device */
};

/**
 * Options of a linker. Zero selects the default of every field.
 *
 * Switches are CUC_DEFAULT, CUC_ON or CUC_OFF. Numbers take CUC_ZERO for 0. Everything is copied.
 * The comment on each field names its nvJitLink option. The driver's linker also takes the options
 * marked (driver), and refuses the others by name.
 */
typedef struct cuc_linker_options {
    size_t struct_size; /**< sizeof(cuc_linker_options); the initializers set it */

    const char *name; /**< the object's name; NULL is "linked" (driver) */
    /** The target architecture, "sm_90" or "sm_90a". NULL means the architecture of the current
     * device, or of device 0, and needs a driver; it becomes sm_90a if an input is PTX for sm_90a.
     * -arch (driver) */
    const char *arch;

    int32_t backend;            /**< CUC_LINKER_AUTO, _NVJITLINK or _DRIVER */
    int32_t max_register_count; /**< -maxrregcount: registers of a thread (driver) */
    int32_t time;               /**< -time: times of the phases in the info log */
    int32_t verbose;            /**< -verbose: registers and memory in the info log (driver) */
    /** -lto: optimize across all LTO-IR; implied if an input is known to be LTO-IR. */
    int32_t link_time_optimization;
    /** Keep the PTX of the LTO-IR beside the cubin, for drivers that take only PTX; on by default.
     * This costs a second optimizer pass, but no assembler pass. Such PTX exists only if all inputs
     * are LTO-IR. */
    int32_t keep_ptx;
    int32_t optimization_level;        /**< -O: 0 (CUC_ZERO) to 3; nvJitLink has only 0 and 3
                                            (driver) */
    int32_t debug;                     /**< -g (driver) */
    int32_t lineinfo;                  /**< -lineinfo (driver) */
    int32_t ftz;                       /**< -ftz: flush subnormal f32 to zero; in LTO */
    int32_t prec_div;                  /**< -prec-div: IEEE division of f32; in LTO */
    int32_t prec_sqrt;                 /**< -prec-sqrt: IEEE square root of f32; in LTO */
    int32_t fma;                       /**< -fma: contract a * b + c; in LTO */
    int32_t optimize_unused_variables; /**< -optimize-unused-variables; in LTO */
    int32_t split_compile;             /**< -split-compile: threads; CUC_ZERO for all */
    int32_t split_compile_extended;    /**< -split-compile-extended: threads; in LTO */
    int32_t no_cache;                  /**< -no-cache (driver) */
    int32_t numba_debug;               /**< -numba-debug: later nvJitLink versions */

    const char *const *kernels_used; /**< -kernels-used: mangled names; in LTO */
    size_t kernels_used_count;
    const char *const *variables_used; /**< -variables-used: mangled names; in LTO */
    size_t variables_used_count;
    const char *const *ptxas_options; /**< -Xptxas: one option each, "-v" */
    size_t ptxas_option_count;
    /** Flags passed on unchanged after those above, for nvJitLink versions newer than this
     * header. */
    const char *const *extra_options;
    size_t extra_option_count;

    /** The cache of results; retained. NULL: cuc_cache_default(). Pass cuc_cache_none() to store
     * nothing. Results of the driver's linker are never stored. */
    cuc_cache *cache;
} cuc_linker_options;

/** Default options: cuc_linker_options o = CUC_LINKER_OPTIONS_INIT; */
#ifdef __cplusplus
static inline cuc_linker_options cuc__linker_options_default(void)
{
    cuc_linker_options options = cuc_linker_options();
    options.struct_size = sizeof(options);
    return options;
}
#define CUC_LINKER_OPTIONS_INIT (cuc__linker_options_default())
#else
#define CUC_LINKER_OPTIONS_INIT                   \
    {                                             \
        .struct_size = sizeof(cuc_linker_options) \
    }

/** Options written at the call site: CUC_LINKER_OPTIONS(.arch = "sm_90", .verbose = CUC_ON). */
#define CUC_LINKER_OPTIONS(...) \
    (&(cuc_linker_options){ .struct_size = sizeof(cuc_linker_options), __VA_ARGS__ })
#endif

/**
 * Set every option to its default.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] options zeroed, its struct_size set
 * @param      caller_size    sizeof(cuc_linker_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_linker_options_init(cuc_linker_options *options, size_t caller_size);

/**
 * Create a linker without inputs, and choose its implementation.
 *
 * @thread any thread
 * @capture never touches a stream
 * @param[out] out     the linker; release it with cuc_linker_release()
 * @param      options how to link; copied; NULL selects all defaults
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or an option is out of bounds: the message names
 *                                    it
 * @retval CUC_ERROR_NOT_SUPPORTED    the chosen implementation does not take an option: the message
 *                                    names it
 * @retval CUC_ERROR_NOT_FOUND        CUC_LINKER_NVJITLINK, but it is not installed
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_linker_create(cuc_linker **out, const cuc_linker_options *options);

/**
 * Add an object. The result of the link also knows the name expressions of this object.
 *
 * @thread any thread; one call at a time on the same linker
 * @capture makes no driver call
 * @param linker the linker
 * @param object what to link; retained until the linker is released
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT a handle is NULL
 * @retval CUC_ERROR_INVALID_HANDLE   a handle is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    LTO-IR for the driver's linker
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_linker_add(cuc_linker *linker, cuc_object *object);

/**
 * Add code from memory.
 *
 * @thread any thread; one call at a time on the same linker
 * @capture makes no driver call
 * @param linker the linker
 * @param kind   a CUC_CODE_ value; 0 detects it from the first bytes
 * @param data   the code; copied
 * @param bytes  length of the code
 * @param name   the input's name in the linker's messages; NULL is "input"
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT linker or data is NULL, bytes is 0, kind is unknown, or the
 *                                    data is not of the given kind or of no known kind
 * @retval CUC_ERROR_INVALID_HANDLE   linker is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    LTO-IR for the driver's linker
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_linker_add_data(cuc_linker *linker, int32_t kind, const void *data,
                                       size_t bytes, const char *name);

/**
 * Add a file of code. It is read during this call, so later changes do not affect a link.
 *
 * @thread any thread; one call at a time on the same linker
 * @capture makes no driver call
 * @param linker the linker
 * @param kind   a CUC_CODE_ value; 0 detects it from the first bytes, regardless of the file name
 * @param path   the file
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT linker or path is NULL, or cuc_linker_add_data() would refuse
 *                                    the content
 * @retval CUC_ERROR_INVALID_HANDLE   linker is not alive
 * @retval CUC_ERROR_NOT_FOUND        there is no such file
 * @retval CUC_ERROR_IO               the file cannot be read
 * @retval CUC_ERROR_NOT_SUPPORTED    LTO-IR for the driver's linker
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_linker_add_file(cuc_linker *linker, int32_t kind, const char *path);

/**
 * Link all inputs.
 *
 * The linker keeps its inputs but no other state of a link. It can link again: to another target,
 * with more inputs, or after a failure. Unless keep_ptx is off, the object also keeps PTX beside
 * the cubin: that of a single input, or that generated from LTO-IR.
 *
 * With a simulated driver, a request for a cubin yields PTX, because such a driver loads only PTX;
 * cuc_object_kind() then returns CUC_CODE_PTX.
 *
 * nvJitLink 13.0 does not refuse a symbol that several cubins define: it takes the first one and
 * reports this only on the process's standard error.
 *
 * @order  returns when the code is ready
 * @thread any thread; one call at a time on the same linker
 * @capture never touches a stream
 * @param[out] out    the linked code; release it with cuc_object_release()
 * @param      linker the linker
 * @param      target CUC_CODE_CUBIN, or CUC_CODE_PTX when every input is LTO-IR
 * @retval CUC_OK                     linked; cuc_linker_info_log() may have messages
 * @retval CUC_ERROR_LINK             the inputs do not link: the message has the first error, and
 *                                    cuc_error_log() has all errors
 * @retval CUC_ERROR_INVALID_ARGUMENT out or linker is NULL, there are no inputs, the target is
 *                                    neither of these, PTX is requested but an input is not LTO-IR,
 *                                    or the linker refuses an option
 * @retval CUC_ERROR_INVALID_HANDLE   linker is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    PTX was requested from the driver's linker, or the linker does
 *                                    not know the architecture
 * @retval CUC_ERROR_NO_DRIVER        arch is NULL, and there is no driver to report the device's
 *                                    architecture; also the other failures of
 *                                    cuc_device_get_current()
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @source nvJitLink, "Linking": nvJitLinkCreate, nvJitLinkAddData, nvJitLinkComplete; CUDA Driver
 *         API, "Module Management": cuLinkCreate, cuLinkAddData, cuLinkComplete
 * @since 0.1
 */
CUC_API cuc_status cuc_linker_link(cuc_object **out, cuc_linker *linker, int32_t target);

/**
 * The times, register counts and warnings that the last link reported; no errors.
 *
 * @thread one call at a time on the same linker
 * @capture makes no driver call
 * @param linker the linker
 * @return never NULL; valid until the linker links again or is released
 * @since 0.1
 */
CUC_API const char *cuc_linker_info_log(const cuc_linker *linker);

/**
 * The errors of the last link.
 *
 * @thread one call at a time on the same linker
 * @capture makes no driver call
 * @param linker the linker
 * @return never NULL, "" after a success; valid until the linker links again or is released
 * @since 0.1
 */
CUC_API const char *cuc_linker_error_log(const cuc_linker *linker);

/**
 * The name of the linker's implementation.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param linker the linker
 * @return "nvJitLink" or "driver"; static storage; "" for NULL
 * @since 0.1
 */
CUC_API const char *cuc_linker_backend(const cuc_linker *linker);

/**
 * The number of flags passed to nvJitLink.
 *
 * @thread one call at a time on the same linker
 * @capture makes no driver call
 * @param linker the linker
 * @return the number of flags, except those that depend on the link: -arch of the device, -lto for
 *         inputs that need it, and -ptx; 0 for the driver's linker
 * @since 0.1
 */
CUC_API size_t cuc_linker_flag_count(const cuc_linker *linker);

/**
 * One of the flags counted by cuc_linker_flag_count(), exactly as nvJitLink receives it.
 *
 * @thread one call at a time on the same linker
 * @capture makes no driver call
 * @param linker the linker
 * @param index  below cuc_linker_flag_count()
 * @return such as "-maxrregcount=32"; valid as long as the linker; NULL past the end
 * @since 0.1
 */
CUC_API const char *cuc_linker_flag(const cuc_linker *linker, size_t index);

/**
 * Add a reference to a linker.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param linker the linker, or NULL
 * @return linker
 * @since 0.1
 */
CUC_API cuc_linker *cuc_linker_retain(cuc_linker *linker);

/**
 * Release a reference; the last one frees the linker and its inputs. Objects that the linker made
 * stay valid.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param linker the linker, or NULL
 * @since 0.1
 */
CUC_API void cuc_linker_release(cuc_linker *linker);

CUC_END_DECLS

#endif
