/**
 * @file
 * Tuning records: measured fastest choices, in files that compilers and plans search.
 *
 * A file is text with one record per line, so that any tool can read, compare and merge it.
 * docs/tuning.md describes the format. cuc_program_options.tuned and cuc_gemm_options.tuned name a
 * file. By default, the file is the one that CUCORE_TUNED names, or else the one installed with the
 * library.
 */
#ifndef CUCORE_TUNED_H
#define CUCORE_TUNED_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/** The choice that was fastest in measurements, and its key. Strings contain no tab and no newline.
 * */
typedef struct cuc_tuned_record {
    size_t struct_size;     /**< sizeof(cuc_tuned_record), set by the caller */
    const char *gpu;        /**< the device's name: "NVIDIA H200" */
    const char *toolkit;    /**< CUDA version of the driver, "13.0"; only the first number
                                 matters */
    const char *program;    /**< cuc_tuned_program() of a tile program, or "cuc_gemm" */
    const char *kernel;     /**< the kernel's name, or for cuc_gemm() the plan's kind: "f16 nt
                                 d16" */
    const char *constants;  /**< constants set by hand, in the kernel's order: "T=bf16" */
    const char *dimensions; /**< "M=4096 N=4096 K=4096", in the kernel's order */
    const char *choice;     /**< constants, and options after a colon: "BM=128 BN=256 :cluster=2" */
    double seconds;         /**< the measured time */
} cuc_tuned_record;

#define CUC_TUNED_RECORD_INIT                            \
    {                                                    \
        sizeof(cuc_tuned_record), 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Receives a choice in the form of tuning records, and the time in seconds that a model estimates
 * for it. The text is valid only during the call.
 */
typedef void (*cuc_tuned_visit)(void *user, const char *choice, double seconds);

/**
 * Compute, from a tile program's text, its name in tuning records.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out   [17]: 16 hexadecimal digits, a hash of the text
 * @param      text  the source
 * @param      bytes length of the text; 0 for a text that ends with a zero byte
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT out or text is NULL
 * @since 0.1
 */
CUC_API cuc_status cuc_tuned_program(char *out, const char *text, size_t bytes);

/**
 * Add a record to a file. It replaces a record with the same GPU, toolkit, program, kernel,
 * constants and dimensions.
 *
 * The file is created or replaced, like the file of cuc_object_save(). If the file system supports
 * locks on folders, threads and processes that add records concurrently take turns. Anyone who can
 * read the folder can hold that lock. If the file does not change meanwhile, the call therefore
 * waits only 2 s for the lock and then goes on without it.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param path   the file
 * @param record all fields are required
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument or a text of the record is NULL, a text has a tab
 *                                    or a newline, or the file is not a file of records, or
 *                                    contains a NUL: the message has the line or the byte
 * @retval CUC_ERROR_IO               the file could not be read or written
 * @retval CUC_ERROR_BUSY             writers that do not take the lock keep changing the file
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tuned_add(const char *path, const cuc_tuned_record *record);

/**
 * Find the choice for a program on a GPU, for nearby extents.
 *
 * Two extents are near if they are equal or, from 64 on, differ by at most half an octave and both
 * or neither are multiples of 8. If several records match, the nearest one is used.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] choice   receives the text, with a final zero byte
 * @param      capacity size of choice in bytes; 512 suffices
 * @param      path     the file; NULL: the file named by CUCORE_TUNED, or the installed one
 * @param      key      its choice and seconds are ignored
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        there is no such record, or no file and none was named
 * @retval CUC_ERROR_INVALID_ARGUMENT choice, key or a text of it is NULL, capacity is too small, or
 *                                    the file is not a file of records: the message has the line
 * @retval CUC_ERROR_IO               the file that `path` or CUCORE_TUNED names could not be read
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tuned_find(char *choice, size_t capacity, const char *path,
                                  const cuc_tuned_record *key);

CUC_END_DECLS

#endif
