/**
 * @file
 * The calling thread's last failure, and failures that no call can return.
 *
 * A failing call sets the thread's last error; a successful one leaves it alone, so read it
 * right after the call that failed. The text lives until the next failing call of the thread,
 * or until the thread ends.
 */
#ifndef CUCORE_ERROR_H
#define CUCORE_ERROR_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/** Which library a failure came from: X(constant, value, name). */
// clang-format off
#define CUC_LIBRARY_LIST(X) \
    X(CUC_LIBRARY_NONE,      0, "cucore") \
    X(CUC_LIBRARY_DRIVER,    1, "CUDA driver") \
    X(CUC_LIBRARY_NVRTC,     2, "NVRTC") \
    X(CUC_LIBRARY_NVJITLINK, 3, "nvJitLink") \
    X(CUC_LIBRARY_NVML,      4, "NVML") \
    X(CUC_LIBRARY_RUNTIME,   5, "CUDA runtime") \
    X(CUC_LIBRARY_TILE,      6, "tile compiler")
// clang-format on

enum {
#define CUC__LIBRARY_ENUM(name, value, text) name = value,
    CUC_LIBRARY_LIST(CUC__LIBRARY_ENUM)
#undef CUC__LIBRARY_ENUM
};

/**
 * The status of the thread's last failure.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return CUC_OK before the first failure and after cuc_error_clear()
 * @since 0.1
 */
CUC_API cuc_status cuc_error_status(void);

/**
 * The thread's last failure as one readable paragraph, notes included.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return never NULL; "no error" before the first failure; valid until the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_message(void);

/**
 * The public function that failed, such as "cuc_stream_create".
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return never NULL, "" when there is no error;
 *         valid until the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_function(void);

/**
 * The library that reported the failure.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return a CUC_LIBRARY_ value; CUC_LIBRARY_NONE when cucore itself refused
 * @since 0.1
 */
CUC_API int32_t cuc_error_library(void);

/**
 * That library's own code, such as the CUresult.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return 0 when cucore itself refused
 * @since 0.1
 */
CUC_API int32_t cuc_error_library_code(void);

/**
 * That code's symbolic name, such as "CUDA_ERROR_OUT_OF_MEMORY".
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return never NULL, "" when cucore itself refused;
 *         valid until the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_library_symbol(void);

/**
 * The function of that library that failed, such as "cuMemAllocAsync".
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return never NULL, "" when cucore itself refused;
 *         valid until the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_library_call(void);

/**
 * What the failure means and what to do about it, in plain words.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return never NULL, "" when there is nothing to add to the message;
 *         valid until the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_explanation(void);

/**
 * The log that came with the failure: a compiler's, a linker's, or the places searched.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return never NULL, "" when there is none; the whole log, however long; valid until
 *         the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_log(void);

/**
 * How many notes the failure carries.
 *
 * A note is something that went wrong while the failure was handled, such as a context that
 * could not be restored; it never replaces the failure itself.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return the number of notes; past eight, the last one kept stays
 * @since 0.1
 */
CUC_API size_t cuc_error_note_count(void);

/**
 * One note.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @param index below cuc_error_note_count()
 * @return never NULL, "" for an index past the end;
 *         valid until the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_note(size_t index);

/**
 * Forget the thread's last failure.
 *
 * @thread changes the calling thread's own error
 * @capture makes no driver call
 * @since 0.1
 */
CUC_API void cuc_error_clear(void);

/**
 * Set the thread's last failure: for a callback of cucore's that fails, or a library that stands
 * on cucore and reports its failures the same way.
 *
 * @thread changes the calling thread's own error
 * @capture makes no driver call
 * @param status   below 0, else nothing is changed
 * @param function who failed, copied; NULL is ""
 * @param message  what was passed, what was expected, what to do; copied; NULL is ""
 * @return status
 * @since 0.1
 */
CUC_API cuc_status cuc_error_set(cuc_status status, const char *function, const char *message);

/** What cuc_explain() knows of a code. */
typedef struct cuc_explanation {
    size_t struct_size;  /**< sizeof(cuc_explanation), set by the caller */
    const char *symbol;  /**< symbolic name, such as "CUDA_ERROR_ILLEGAL_ADDRESS"; static */
    const char *meaning; /**< one sentence; static */
    const char *remedy;  /**< what to do; static */
    int32_t library;     /**< a CUC_LIBRARY_ value */
    int32_t code;        /**< that library's code, or the cuc_status */
    int32_t sticky;      /**< 1: the process must be started anew after it */
    int32_t reserved;    /**< 0 */
} cuc_explanation;

#define CUC_EXPLANATION_INIT                         \
    {                                                \
        sizeof(cuc_explanation), 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Explain a library's code, without any driver or device.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out         filled up to its struct_size
 * @param library     a CUC_LIBRARY_ value; CUC_LIBRARY_NONE explains a cuc_status
 * @param code        that library's code
 * @retval CUC_OK                     explained
 * @retval CUC_ERROR_NOT_FOUND        the library has no such code
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or its struct_size is not known
 * @since 0.1
 */
CUC_API cuc_status cuc_explain(cuc_explanation *out, int32_t library, int32_t code);

/**
 * Explain a code by its name or number as text: "700", "CUDA_ERROR_ILLEGAL_ADDRESS",
 * "illegal_address", "NVRTC_ERROR_COMPILATION", "CUC_ERROR_BUSY".
 *
 * A bare number is looked up among the driver's codes.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out  filled up to its struct_size
 * @param text the name or number, in any case of letters
 * @retval CUC_OK                     explained
 * @retval CUC_ERROR_NOT_FOUND        no library has such a code
 * @retval CUC_ERROR_INVALID_ARGUMENT out or text is NULL, or struct_size is not known
 * @since 0.1
 */
CUC_API cuc_status cuc_explain_text(cuc_explanation *out, const char *text);

/**
 * How many codes of a library can be explained, for going through them all.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param library a CUC_LIBRARY_ value
 * @return 0 for a library that is not known
 * @since 0.1
 */
CUC_API size_t cuc_explain_count(int32_t library);

/**
 * The explanation at an index, by ascending code.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out     filled up to its struct_size
 * @param library a CUC_LIBRARY_ value
 * @param index   below cuc_explain_count()
 * @retval CUC_OK                     explained
 * @retval CUC_ERROR_NOT_FOUND        index is past the end
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or its struct_size is not known
 * @since 0.1
 */
CUC_API cuc_status cuc_explain_at(cuc_explanation *out, int32_t library, size_t index);

/**
 * Called for a failure that no call can return: one met while releasing, or in a callback.
 *
 * @param message what failed, with the driver call and its code; valid during the call
 * @param user    as given to cuc_set_failure_handler()
 */
typedef void (*cuc_failure_fn)(const char *message, void *user);

/**
 * Set the process-wide receiver of failures that cannot be returned; by default they are
 * dropped and the object leaks.
 *
 * The handler may be called from any thread, also from one of the driver's: it must not call
 * cucore. Failures that only say that the driver is gone at process exit, or that repeat the
 * loss of a context that was reported already, are not passed on.
 *
 * @thread any thread; a failure under way on another thread may still reach the old handler
 * @capture makes no driver call
 * @param handler NULL drops such failures again
 * @param user    handed to the handler
 * @since 0.1
 */
CUC_API void cuc_set_failure_handler(cuc_failure_fn handler, void *user);

CUC_END_DECLS

#endif
