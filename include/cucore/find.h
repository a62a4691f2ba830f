/**
 * @file
 * Search for the CUDA libraries and headers of this machine, with a report of how they were found.
 *
 * Needs no driver and no device. Locations are searched in this order, and the first hit counts:
 *
 * method      | location
 * ------------|-----------------------------------------------------------------------
 * "explicit"  | cuc_set_library_path(), else the environment: see below
 * "loaded"    | libraries only: already loaded in the process
 * "wheel"     | NVIDIA's Python packages, in the folders that Python would search
 * "conda"     | below CONDA_PREFIX
 * "system"    | libraries only: found by the system's loader, by soname
 * "CUDA_PATH" | below CUDA_PATH
 * "CUDA_HOME" | below CUDA_HOME
 * "standard"  | /usr/local/cuda, /usr/local/cuda-* from the newest on, /opt/cuda, /usr
 *
 * In the environment, CUCORE_NVRTC=/path/of/file sets the library "nvrtc", and
 * CUCORE_CUDART_INCLUDE=/path/of/folder the headers "cudart"; CUCORE_DRIVER sets the library
 * "cuda". Python's folders are the entries of PYTHONPATH, then the site-packages of VIRTUAL_ENV, of
 * the python3 on PATH, of the user, and of the system.
 *
 * The driver's own libraries ("cuda", "nvml", ...) are searched for only by "explicit", "loaded"
 * and "system".
 *
 * An explicit path excludes all others: if it is wrong, the library is not found. Each name is
 * searched for separately, so a library and its headers may come from different toolkits on a
 * machine with several. A program with raised privileges (setuid) ignores the environment.
 */
#ifndef CUCORE_FIND_H
#define CUCORE_FIND_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/**
 * The result of a search, with the locations that were tried first.
 *
 * Threads: any thread, concurrently; it never changes.
 */
typedef struct cuc_found cuc_found;

/**
 * Find a library.
 *
 * If cucore itself has loaded the library, the result reports how it was found then. Otherwise each
 * call searches again. The search leaves no library loaded, but the system's loader may load and
 * unload it meanwhile.
 *
 * @thread any thread, also in the child of a fork
 * @capture makes no driver call
 *
 * @param out  the result; release it with cuc_found_release()
 * @param name such as "nvrtc", in upper or lower case; see cuc_find_library_name()
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        not found: cuc_error_log() lists the locations tried, one per
 *                                    line, and cuc_error_explanation() says how to install it; or
 *                                    the name is unknown, and the message lists the known ones
 * @retval CUC_ERROR_INVALID_ARGUMENT out or name is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_find_library(cuc_found **out, const char *name);

/**
 * Find the folder of a library's headers, as a compiler takes it after -I.
 *
 * @thread any thread, also in the child of a fork
 * @capture makes no driver call
 *
 * @param out  the result; release it with cuc_found_release()
 * @param name such as "cudart", in upper or lower case; see cuc_find_header_name()
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        as in cuc_find_library()
 * @retval CUC_ERROR_INVALID_ARGUMENT out or name is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_find_header_dir(cuc_found **out, const char *name);

/**
 * Set the file of a library. It takes precedence over the environment and all other locations.
 *
 * Call it at the start of a program: it affects every later search and load in the process. The
 * path is copied. The path is not checked until the library is searched for.
 *
 * @thread any thread
 * @capture makes no driver call
 *
 * @param name as in cuc_find_library()
 * @param path the file; without a slash, a name for the system's loader; NULL undoes an earlier
 *             call
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_BUSY             cucore has already loaded the library, from another path
 * @retval CUC_ERROR_NOT_FOUND        the name is unknown
 * @retval CUC_ERROR_NOT_SUPPORTED    the name is "cuda": only CUCORE_DRIVER chooses the driver
 * @retval CUC_ERROR_INVALID_ARGUMENT name is NULL, or path is empty
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_set_library_path(const char *name, const char *path);

/**
 * The number of libraries that cuc_find_library() knows.
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
 * The number of names that cuc_find_header_dir() knows.
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
 * The path of the library file, or of the folder of headers.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL
 * @return valid as long as `found`; never NULL, "" for NULL
 * @since 0.1
 */
CUC_API const char *cuc_found_path(const cuc_found *found);

/**
 * The method by which the library or folder was found, one of those in the table above.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL
 * @return static storage; never NULL, "" for NULL
 * @since 0.1
 */
CUC_API const char *cuc_found_method(const cuc_found *found);

/**
 * The number of locations that were tried first.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL
 * @return 0 for NULL
 * @since 0.1
 */
CUC_API size_t cuc_found_tried_count(const cuc_found *found);

/**
 * A location that was tried first, as one line: the method, the location, and the reason for
 * rejecting it.
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
 * Add a reference to a search result.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL
 * @return found
 * @since 0.1
 */
CUC_API cuc_found *cuc_found_retain(cuc_found *found);

/**
 * Release a reference to a search result; the last one frees it.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param found may be NULL, which does nothing
 * @since 0.1
 */
CUC_API void cuc_found_release(cuc_found *found);

CUC_END_DECLS

#endif
