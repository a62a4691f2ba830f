/**
 * @file
 * Records of what was measured to be fastest, in files that compilers and plans look into.
 *
 * A file is text, a record a line, so that it can be read, compared and put together by any tool;
 * docs/tuning.md has its form. cuc_program_options.tuned and cuc_gemm_options.tuned name one;
 * without a name it is the one that CUCORE_TUNED names, or else the one that was installed with the
 * library.
 */
#ifndef CUCORE_TUNED_H
#define CUCORE_TUNED_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/** What was fastest, and for what. A text has no tab and no line's end. */
typedef struct cuc_tuned_record {
    size_t struct_size;     /**< sizeof(cuc_tuned_record), set by the caller */
    const char *gpu;        /**< the device's name: "NVIDIA H200" */
    const char *toolkit;    /**< CUDA version of the driver: "13.0"; the first number counts */
    const char *program;    /**< cuc_tuned_program() of a tile program; "cuc_gemm" */
    const char *kernel;     /**< its name; of cuc_gemm() the plan's kind: "f16 nt d16" */
    const char *constants;  /**< set by hand, in the order in which the kernel has them: "T=bf16" */
    const char *dimensions; /**< "M=4096 N=4096 K=4096", in the kernel's order */
    const char *choice; /**< constants, and options behind a colon: "BM=128 BN=256 :cluster=2" */
    double seconds;     /**< what it took */
} cuc_tuned_record;

#define CUC_TUNED_RECORD_INIT                            \
    {                                                    \
        sizeof(cuc_tuned_record), 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Gets a choice, as records have it, and the seconds that a model thinks it takes. The text is
 * valid during the call.
 */
typedef void (*cuc_tuned_visit)(void *user, const char *choice, double seconds);

/**
 * Name a tile program by its text.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out   [17]: 16 hexadecimal digits, a sum of the text
 * @param      text  the source
 * @param      bytes how long it is; 0 for a text that ends with a zero byte
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT out or text is NULL
 * @since 0.1
 */
CUC_API cuc_status cuc_tuned_program(char *out, const char *text, size_t bytes);

/**
 * Put a record into a file, in place of one of the same GPU, toolkit, program, kernel, constants
 * and dimensions.
 *
 * The file is made, or replaced as cuc_object_save() does. Threads and processes that add records at
 * the same time take turns, where the file system has locks of folders. Anybody who can read the
 * folder can hold that lock, so a lock under which the file does not change delays the call by 2 s
 * and does not stop it.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param path   the file
 * @param record all of it is needed
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument or a text of the record is NULL, a text has a tab
 * or a line's end, or the file is no such file, or has a NUL: the message has the line or the byte
 * @retval CUC_ERROR_IO               the file could not be read or written
 * @retval CUC_ERROR_BUSY             others that take no turns change the file all the time
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tuned_add(const char *path, const cuc_tuned_record *record);

/**
 * Find the choice for a program on a GPU, for extents that are near enough.
 *
 * Extents are near when each is the same below 64, else within half an octave, and both or neither
 * are multiples of 8. Of several records the nearest is taken.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] choice gets the text, closed by a zero byte
 * @param      room   of choice, in bytes; 512 are enough
 * @param      path   the file; NULL: CUCORE_TUNED's, or the one that was installed
 * @param      key    its choice and seconds are not looked at
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        there is no such record, or no file where none was named
 * @retval CUC_ERROR_INVALID_ARGUMENT choice, key or a text of it is NULL, room is too small, or the
 *                                    file is no such file: the message has the line
 * @retval CUC_ERROR_IO               the file that `path` or CUCORE_TUNED names could not be read
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_tuned_find(char *choice, size_t room, const char *path,
                                  const cuc_tuned_record *key);

CUC_END_DECLS

#endif
