/**
 * @file
 * Where the CUDA libraries and headers are on this machine, and how they were found.
 *
 * Needs no driver and no device. Places are searched in this order, and the first hit counts:
 *
 * method      | where
 * ------------|-----------------------------------------------------------------------
 * "explicit"  | cuc_set_library_path(), else the environment: see below
 * "loaded"    | libraries only: what the process has loaded already
 * "wheel"     | NVIDIA's Python packages, in the folders that Python would search
 * "conda"     | below CONDA_PREFIX
 * "system"    | libraries only: what the system's loader finds by soname
 * "CUDA_PATH" | below CUDA_PATH
 * "CUDA_HOME" | below CUDA_HOME
 * "standard"  | /usr/local/cuda, /usr/local/cuda-* from the newest on, /opt/cuda, /usr
 *
 * In the environment, CUCORE_NVRTC=/path/of/file names the library "nvrtc", and
 * CUCORE_CUDART_INCLUDE=/path/of/folder the headers "cudart"; CUCORE_DRIVER, as everywhere, names
 * the library "cuda". Python's folders are the entries of PYTHONPATH, then the site-packages of
 * VIRTUAL_ENV, of the python3 on PATH, of the user, and of the system.
 *
 * The driver's own libraries ("cuda", "nvml", ...) are only looked for in "explicit", "loaded"
 * and "system".
 *
 * An explicit path is the only one tried: when it is wrong, the library is not found. Each name
 * is searched for by itself, so a library and its headers may be of different toolkits on a
 * machine that has several. A program that runs with raised privileges (setuid) ignores the
 * environment.
 */
#ifndef CUCORE_FIND_H
#define CUCORE_FIND_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/**
 * What a search found, and where it looked before.
 *
 * Threads: any thread, any number at a time; it never changes.
 */
typedef struct cuc_found cuc_found;

/**
 * Find a library.
 *
 * A library that cucore itself has loaded is reported as it was found then. Otherwise each call
 * searches anew. The library is not left loaded by the search, though the system's loader may
 * load and unload it on the way.
 *
 * @thread any thread, also in the child of a fork
 * @capture makes no driver call
 *
 * @param out  set to what was found; release it with cuc_found_release()
 * @param name such as "nvrtc", in any case of letters; see cuc_find_library_name()
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        it is nowhere: cuc_error_log() has the places tried, one a
 *                                    line, and cuc_error_explanation() how to install it; or the
 *                                    name is not known, and the message lists the known ones
 * @retval CUC_ERROR_INVALID_ARGUMENT out or name is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_find_library(cuc_found **out, const char *name);

/**
 * Find the folder of a library's headers: what a compiler takes after -I.
 *
 * @thread any thread, also in the child of a fork
 * @capture makes no driver call
 *
 * @param out  set to what was found; release it with cuc_found_release()
 * @param name such as "cudart", in any case of letters; see cuc_find_header_name()
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        as in cuc_find_library()
 * @retval CUC_ERROR_INVALID_ARGUMENT out or name is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_find_header_dir(cuc_found **out, const char *name);

/**
 * Say which file a library is, before every other place and before the environment.
 *
 * For use at the start of a program: it changes what the whole process finds and loads from then
 * on. The path is copied. Nothing is checked until the library is searched for.
 *
 * @thread any thread
 * @capture makes no driver call
 *
 * @param name as in cuc_find_library()
 * @param path the file; without a slash, what the system's loader makes of it; NULL takes an
 *             earlier path back
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_BUSY             cucore has loaded the library already, from elsewhere
 * @retval CUC_ERROR_NOT_FOUND        the name is not known
 * @retval CUC_ERROR_NOT_SUPPORTED    the name is "cuda": only CUCORE_DRIVER chooses the driver
 * @retval CUC_ERROR_INVALID_ARGUMENT name is NULL, or path is empty
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_set_library_path(const char *name, const char *path);

/**
 * How many libraries cuc_find_library() knows.
 *
 * @thread any thread
 * @capture makes no driver call
 * @since 0.1
 */
CUC_API size_t cuc_find_library_count(void);

/**
 * The name of a library that cuc_find_library() knows.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param index below cuc_find_library_count()
 * @return static storage; NULL for an index past the end
 * @since 0.1
 */
CUC_API const char *cuc_find_library_name(size_t index);

/**
 * How many names cuc_find_header_dir() knows.
 *
 * @thread any thread
 * @capture makes no driver call
 * @since 0.1
 */
CUC_API size_t cuc_find_header_count(void);

/**
 * A name that cuc_find_header_dir() knows.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param index below cuc_find_header_count()
 * @return static storage; NULL for an index past the end
 * @since 0.1
 */
CUC_API const char *cuc_find_header_name(size_t index);

/**
 * The file of a library, or the folder of headers.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL
 * @return valid as long as `found`; never NULL, "" for NULL
 * @since 0.1
 */
CUC_API const char *cuc_found_path(const cuc_found *found);

/**
 * How it was found: one of the methods in the table above.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL
 * @return static storage; never NULL, "" for NULL
 * @since 0.1
 */
CUC_API const char *cuc_found_method(const cuc_found *found);

/**
 * How many places were tried before.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL
 * @return 0 for NULL
 * @since 0.1
 */
CUC_API size_t cuc_found_tried_count(const cuc_found *found);

/**
 * A place that was tried before, as one line: the method, the place, and why it was not it.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL
 * @param index below cuc_found_tried_count()
 * @return valid as long as `found`; never NULL, "" past the end and for NULL
 * @since 0.1
 */
CUC_API const char *cuc_found_tried_at(const cuc_found *found, size_t index);

/**
 * Share what was found.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL
 * @return found
 * @since 0.1
 */
CUC_API cuc_found *cuc_found_retain(cuc_found *found);

/**
 * Release a reference; the last release frees it.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL, which does nothing
 * @since 0.1
 */
CUC_API void cuc_found_release(cuc_found *found);

CUC_END_DECLS

#endif
