/**
 * @file
 * From several pieces of code to one.
 *
 * A linker collects inputs and makes one object of them: relocatable cubins, PTX, LTO-IR,
 * fatbins, host objects and archives with device code in them. nvJitLink does the work and needs
 * no driver; where it is not installed, the driver's own linker stands in and takes fewer
 * options.
 */
#ifndef CUCORE_LINKER_H
#define CUCORE_LINKER_H

#include <cucore/base.h>
#include <cucore/object.h>

CUC_BEGIN_DECLS

/**
 * Inputs and options of a link. It may link many times, with inputs added in between.
 *
 * Threads: any thread; one call at a time on the same linker.
 */
typedef struct cuc_linker cuc_linker;

/** Who links. */
enum {
    CUC_LINKER_AUTO = 0,      /**< nvJitLink 12.3 or later, or else the driver */
    CUC_LINKER_NVJITLINK = 1, /**< nvJitLink, or fail */
    CUC_LINKER_DRIVER = 2     /**< the driver: fewer options, no LTO-IR, needs a device */
};

/**
 * How a linker links; zero is the default of every field.
 *
 * Switches are CUC_DEFAULT, CUC_ON or CUC_OFF. Numbers take CUC_ZERO for 0. Everything is
 * copied. Beside each field stands the option of nvJitLink that it becomes; those marked
 * (driver) are also taken by the driver's linker, which refuses the others by name.
 */
typedef struct cuc_linker_options {
    size_t struct_size; /**< sizeof(cuc_linker_options); the initialisers set it */

    const char *name; /**< the object's name; NULL is "linked" (driver) */
    /**
     * "sm_90", "sm_90a": what the code is for; NULL is the architecture of the current device,
     * or of device 0, and needs a driver: sm_90a of it when an input is PTX for that. -arch
     * (driver)
     */
    const char *arch;

    int32_t backend;            /**< CUC_LINKER_AUTO, _NVJITLINK or _DRIVER */
    int32_t max_register_count; /**< -maxrregcount: registers a thread (driver) */
    int32_t time;               /**< -time: times of the phases in the info log */
    int32_t verbose;            /**< -verbose: registers and memory in the info log (driver) */
    /** -lto: optimise over all LTO-IR; on by itself when an input is known to be LTO-IR. */
    int32_t link_time_optimization;
    /**
     * Keep the PTX of the LTO-IR beside the cubin, for drivers that take PTX only; on by
     * default. It costs a second pass of the optimiser, not of the assembler; inputs that are
     * not all LTO-IR have no such PTX.
     */
    int32_t keep_ptx;
    int32_t optimization_level; /**< -O: up to 3, CUC_ZERO for 0; nvJitLink has no 1, 2 (driver) */
    int32_t debug;              /**< -g (driver) */
    int32_t lineinfo;           /**< -lineinfo (driver) */
    int32_t ftz;                /**< -ftz: flush subnormal f32 to zero; in LTO */
    int32_t prec_div;           /**< -prec-div: IEEE division of f32; in LTO */
    int32_t prec_sqrt;          /**< -prec-sqrt: IEEE square root of f32; in LTO */
    int32_t fma;                /**< -fma: contract a * b + c; in LTO */
    int32_t optimize_unused_variables; /**< -optimize-unused-variables; in LTO */
    int32_t split_compile;             /**< -split-compile: threads; CUC_ZERO for all */
    int32_t split_compile_extended;    /**< -split-compile-extended: threads; in LTO */
    int32_t no_cache;                  /**< -no-cache (driver) */
    int32_t numba_debug;               /**< -numba-debug: of later nvJitLinks */

    const char *const *kernels_used; /**< -kernels-used: mangled names; in LTO */
    size_t kernels_used_count;
    const char *const *variables_used; /**< -variables-used: mangled names; in LTO */
    size_t variables_used_count;
    const char *const *ptxas_options; /**< -Xptxas: one option each, "-v" */
    size_t ptxas_option_count;
    /** Flags handed on as they are, after those above: for nvJitLinks newer than this header. */
    const char *const *extra_options;
    size_t extra_option_count;
} cuc_linker_options;

/** Every default: cuc_linker_options o = CUC_LINKER_OPTIONS_INIT; */
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
 * @param      caller_size    sizeof(cuc_linker_options), as the caller was compiled with it
 * @since 0.1
 */
CUC_API void cuc_linker_options_init(cuc_linker_options *options, size_t caller_size);

/**
 * Make a linker without inputs, and choose who links.
 *
 * @thread any thread
 * @capture never touches a stream
 * @param[out] out     the linker; release it with cuc_linker_release()
 * @param      options how to link; copied; NULL is every default
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or an option is out of its bounds: the message
 *                                    names it
 * @retval CUC_ERROR_NOT_SUPPORTED    an option that the chosen backend does not take: the message
 *                                    names it
 * @retval CUC_ERROR_NOT_FOUND        CUC_LINKER_NVJITLINK, and it is not installed
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_linker_create(cuc_linker **out, const cuc_linker_options *options);

/**
 * Add an object. Its name expressions are known to the linked object too.
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
 * Add code that lies in memory.
 *
 * @thread any thread; one call at a time on the same linker
 * @capture makes no driver call
 * @param linker the linker
 * @param kind   a CUC_CODE_ value; 0 looks at the first bytes
 * @param data   the code; copied
 * @param bytes  how long it is
 * @param name   what the linker's messages call it; NULL is "input"
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT linker or data is NULL, bytes is 0, kind is unknown, or the
 *                                    bytes are of another kind than the one given, or of none
 *                                    that is known
 * @retval CUC_ERROR_INVALID_HANDLE   linker is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    LTO-IR for the driver's linker
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_linker_add_data(cuc_linker *linker, int32_t kind, const void *data,
                                       size_t bytes, const char *name);

/**
 * Add a file of code. It is read here, so that a link never sees it change.
 *
 * @thread any thread; one call at a time on the same linker
 * @capture makes no driver call
 * @param linker the linker
 * @param kind   a CUC_CODE_ value; 0 looks at the first bytes, whatever the file is called
 * @param path   the file
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT linker or path is NULL, or the content is as
 *                                    cuc_linker_add_data() refuses it
 * @retval CUC_ERROR_INVALID_HANDLE   linker is not alive
 * @retval CUC_ERROR_NOT_FOUND        there is no such file
 * @retval CUC_ERROR_IO               the file cannot be read
 * @retval CUC_ERROR_NOT_SUPPORTED    LTO-IR for the driver's linker
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_linker_add_file(cuc_linker *linker, int32_t kind, const char *path);

/**
 * Link everything that was added.
 *
 * The linker keeps its inputs, and nothing else of a link: it can link again, to another target,
 * with more inputs, or after a failure. A single input leaves its PTX beside the cubin, and so
 * does LTO-IR, unless keep_ptx is off.
 *
 * The linker of a simulated driver makes PTX where a cubin is asked for, as that is all such a
 * driver loads; cuc_object_kind() says so.
 *
 * nvJitLink 13.0 does not refuse a symbol that several cubins define: it takes the first one, and
 * says so on the process's standard error only.
 *
 * @order  returns when the code is there
 * @thread any thread; one call at a time on the same linker
 * @capture never touches a stream
 * @param[out] out    the linked code; release it with cuc_object_release()
 * @param      linker the linker
 * @param      target CUC_CODE_CUBIN, or CUC_CODE_PTX when every input is LTO-IR
 * @retval CUC_OK                     linked; cuc_linker_info_log() may have something to say
 * @retval CUC_ERROR_LINK             the inputs do not go together: the message has the first
 *                                    error, cuc_error_log() all of them
 * @retval CUC_ERROR_INVALID_ARGUMENT out or linker is NULL, there are no inputs, the target is
 *                                    another one, or PTX is asked of inputs that are not LTO-IR;
 *                                    the linker refuses an option
 * @retval CUC_ERROR_INVALID_HANDLE   linker is not alive
 * @retval CUC_ERROR_NOT_SUPPORTED    PTX from the driver's linker; an architecture that the
 *                                    linker does not know
 * @retval CUC_ERROR_NO_DRIVER        arch is NULL, and no driver is there to be asked for the
 *                                    device's; also the other failures of
 *                                    cuc_device_get_current()
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @source nvJitLink, "Linking": nvJitLinkCreate, nvJitLinkAddData, nvJitLinkComplete; CUDA Driver
 *         API, "Module Management": cuLinkCreate, cuLinkAddData, cuLinkComplete
 * @since 0.1
 */
CUC_API cuc_status cuc_linker_link(cuc_object **out, cuc_linker *linker, int32_t target);

/**
 * What the last link had to say that is no error: times, registers, warnings.
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
 * Who links.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param linker the linker
 * @return "nvJitLink" or "driver"; static storage; "" for NULL
 * @since 0.1
 */
CUC_API const char *cuc_linker_backend(const cuc_linker *linker);

/**
 * How many flags nvJitLink is given.
 *
 * @thread one call at a time on the same linker
 * @capture makes no driver call
 * @param linker the linker
 * @return the number of flags, without what depends on the link: -arch of the device, -lto for
 *         inputs that need it, -ptx; 0 for the driver's linker
 * @since 0.1
 */
CUC_API size_t cuc_linker_flag_count(const cuc_linker *linker);

/**
 * One of the flags, exactly as nvJitLink is given it.
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
 * Hold one reference more.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param linker the linker, or NULL
 * @return linker
 * @since 0.1
 */
CUC_API cuc_linker *cuc_linker_retain(cuc_linker *linker);

/**
 * Drop a reference; the last one frees the linker and its inputs. Its objects live on.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param linker the linker, or NULL
 * @since 0.1
 */
CUC_API void cuc_linker_release(cuc_linker *linker);

CUC_END_DECLS

#endif
