/**
 * @file
 * Fat binaries: code of several architectures in one piece, to ship kernels without a compiler.
 *
 * cuc_fatbin_create() packs compiled objects, and cuc_object_save() writes the result. A program
 * that loads it with cuc_object_create() or cuc_object_from_file() needs only the driver, and no
 * NVRTC, nvJitLink or nvFatbin. The driver chooses the code that fits the device best. Kernels of
 * tile programs keep their signatures, one for each architecture, so launches check arguments just
 * as for newly compiled kernels. `cucore build` does all this from the command line.
 */
#ifndef CUCORE_FATBIN_H
#define CUCORE_FATBIN_H

#include <cucore/base.h>
#include <cucore/object.h>

CUC_BEGIN_DECLS

/** Code for one architecture in a fat binary. */
typedef struct cuc_fatbin_part {
    cuc_object *object; /**< PTX or a cubin */
    /** The architecture that a cubin was compiled for, such as "sm_90a". nvFatbin checks its
     * number, but not its suffix. NULL: the architecture of the PTX beside the cubin. PTX names its
     * own architecture. */
    const char *arch;
} cuc_fatbin_part;

/** Options of cuc_fatbin_create(). Zero selects the default of every field. */
typedef struct cuc_fatbin_options {
    size_t struct_size; /**< sizeof(cuc_fatbin_options); the initializers set it */
    const char *name;   /**< the object's name in messages; copied; NULL is "fatbin" */
    int32_t compress;   /**< compress the code; on by default, in a format (LZ4) that every driver
                             and cucore itself can read */
    int32_t ptx;        /**< also pack the PTX that accompanies each cubin, for later architectures
                             and simulated drivers; packs equal PTX once; off by default */
} cuc_fatbin_options;

#define CUC_FATBIN_OPTIONS_INIT             \
    {                                       \
        sizeof(cuc_fatbin_options), 0, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site, in C: CUC_FATBIN_OPTIONS(.ptx = CUC_ON). */
#define CUC_FATBIN_OPTIONS(...) \
    (&(cuc_fatbin_options){ .struct_size = sizeof(cuc_fatbin_options), __VA_ARGS__ })
#endif

/**
 * Set options to their defaults.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     zeroed, and its size set; NULL does nothing
 * @param caller_size sizeof(cuc_fatbin_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_fatbin_options_init(cuc_fatbin_options *options, size_t caller_size);

/**
 * Pack compiled code for several architectures into a fat binary. This needs nvFatbin, but no
 * driver.
 *
 * All parts should have the same kernels, because the driver loads only one part. The object knows
 * the name expressions of all parts, but a file written from it does not.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out     a new reference, of kind CUC_CODE_FATBIN; release it with cuc_object_release()
 * @param parts   [count], read before the call returns; the code is copied
 * @param count   the number of parts
 * @param options NULL for defaults
 * @retval CUC_OK                     packed
 * @retval CUC_ERROR_INVALID_ARGUMENT out or parts is NULL; count is 0; an option is wrong; a part
 *                                    has no object, or one that is neither PTX nor a cubin; a
 *                                    cubin's architecture does not match the code, or is not given
 *                                    and no PTX accompanies the cubin; or two parts have the same
 *                                    kind and architecture. The message has the part's index
 * @retval CUC_ERROR_INVALID_HANDLE   an object is not alive
 * @retval CUC_ERROR_NOT_FOUND        there is no nvFatbin: cuc_error_log() lists the locations
 *                                    tried; or options.ptx is on, and no PTX accompanies a cubin
 * @retval CUC_ERROR_NOT_SUPPORTED    nvFatbin does not know an architecture
 * @retval CUC_ERROR_TOOLKIT          nvFatbin failed
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @source nvFatbin, "Fatbinary Creation": nvFatbinCreate, nvFatbinAddPTX, nvFatbinAddCubin,
 *         nvFatbinSize, nvFatbinGet
 * @since 0.1
 */
CUC_API cuc_status cuc_fatbin_create(cuc_object **out, const cuc_fatbin_part *parts, size_t count,
                                     const cuc_fatbin_options *options);

CUC_END_DECLS

#endif
