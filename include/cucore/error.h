/**
 * @file
 * The calling thread's last failure, and failures that no call can return.
 *
 * A failing call sets the thread's last error; a successful call leaves it alone, so read it right
 * after the call that failed. The text stays valid until the thread's next failing call or until
 * the thread ends.
 */
#ifndef CUCORE_ERROR_H
#define CUCORE_ERROR_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/** The library that reported a failure: X(constant, value, name). */
// clang-format off
#define CUC_LIBRARY_LIST(X) \
    X(CUC_LIBRARY_NONE,      0, "cucore") \
    X(CUC_LIBRARY_DRIVER,    1, "CUDA driver") \
    X(CUC_LIBRARY_NVRTC,     2, "NVRTC") \
    X(CUC_LIBRARY_NVJITLINK, 3, "nvJitLink") \
    X(CUC_LIBRARY_NVML,      4, "NVML") \
    X(CUC_LIBRARY_RUNTIME,   5, "CUDA runtime") \
    X(CUC_LIBRARY_TILE,      6, "tile compiler") \
    X(CUC_LIBRARY_NVFATBIN,  7, "nvFatbin")
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
 * The error code that the library returned, such as a CUresult.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return 0 when cucore itself refused
 * @since 0.1
 */
CUC_API int32_t cuc_error_library_code(void);

/**
 * The symbolic name of the library's error code, such as "CUDA_ERROR_OUT_OF_MEMORY".
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return never NULL, "" when cucore itself refused;
 *         valid until the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_library_symbol(void);

/**
 * The library function that failed, such as "cuMemAllocAsync".
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return never NULL, "" when cucore itself refused;
 *         valid until the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_library_call(void);

/**
 * The meaning of the failure and its remedy, in plain words.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return never NULL, "" when there is nothing to add to the message;
 *         valid until the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_explanation(void);

/**
 * The log that came with the failure: a compiler's or linker's log, or the list of places searched.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return never NULL, "" when there is none; never truncated; valid until the thread's next failure
 * @since 0.1
 */
CUC_API const char *cuc_error_log(void);

/**
 * The number of notes that the failure carries.
 *
 * A note records another error that occurred while the failure was handled, such as a context that
 * could not be restored. It never replaces the failure itself.
 *
 * @thread reads the calling thread's own error
 * @capture makes no driver call
 * @return the number of notes, at most eight; a further note replaces the last one
 * @since 0.1
 */
CUC_API size_t cuc_error_note_count(void);

/**
 * One note of the failure.
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
 * Clear the thread's last failure.
 *
 * @thread changes the calling thread's own error
 * @capture makes no driver call
 * @since 0.1
 */
CUC_API void cuc_error_clear(void);

/**
 * Set the thread's last failure. This is for callbacks that fail, and for libraries that build on
 * cucore and report failures the same way.
 *
 * @thread changes the calling thread's own error
 * @capture makes no driver call
 * @param status   below 0; any other value changes nothing
 * @param function name of the function that failed; copied; NULL is ""
 * @param message  the value passed, the value expected and the remedy; copied; NULL is ""
 * @return status
 * @since 0.1
 */
CUC_API cuc_status cuc_error_set(cuc_status status, const char *function, const char *message);

/** Explanation of an error code, written by cuc_explain(). */
typedef struct cuc_explanation {
    size_t struct_size;  /**< sizeof(cuc_explanation), set by the caller */
    const char *symbol;  /**< symbolic name, such as "CUDA_ERROR_ILLEGAL_ADDRESS"; static */
    const char *meaning; /**< one sentence; static */
    const char *remedy;  /**< the remedy; static */
    int32_t library;     /**< a CUC_LIBRARY_ value */
    int32_t code;        /**< the library's own code, or the cuc_status */
    int32_t sticky;      /**< 1: only a new process can continue after this code */
    int32_t reserved;    /**< 0 */
} cuc_explanation;

#define CUC_EXPLANATION_INIT                         \
    {                                                \
        sizeof(cuc_explanation), 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Explain a library's error code. This needs no driver and no device.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out         filled up to its struct_size
 * @param library     a CUC_LIBRARY_ value; CUC_LIBRARY_NONE explains a cuc_status
 * @param code        the library's own code
 * @retval CUC_OK                     explained
 * @retval CUC_ERROR_NOT_FOUND        the library has no such code
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or its struct_size is unknown
 * @since 0.1
 */
CUC_API cuc_status cuc_explain(cuc_explanation *out, int32_t library, int32_t code);

/**
 * Explain a code given as a string, by name or number: "700", "CUDA_ERROR_ILLEGAL_ADDRESS",
 * "illegal_address", "NVRTC_ERROR_COMPILATION", "CUC_ERROR_BUSY".
 *
 * A bare number is looked up among the driver's codes.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out  filled up to its struct_size
 * @param text the name or number, in upper or lower case
 * @retval CUC_OK                     explained
 * @retval CUC_ERROR_NOT_FOUND        no library has such a code
 * @retval CUC_ERROR_INVALID_ARGUMENT out or text is NULL, or struct_size is unknown
 * @since 0.1
 */
CUC_API cuc_status cuc_explain_text(cuc_explanation *out, const char *text);

/**
 * The number of codes of a library that cuc_explain_at() can enumerate.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param library a CUC_LIBRARY_ value
 * @return 0 for an unknown library
 * @since 0.1
 */
CUC_API size_t cuc_explain_count(int32_t library);

/**
 * The explanation at an index, in order of ascending code.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out     filled up to its struct_size
 * @param library a CUC_LIBRARY_ value
 * @param index   below cuc_explain_count()
 * @retval CUC_OK                     explained
 * @retval CUC_ERROR_NOT_FOUND        index is past the end
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or its struct_size is unknown
 * @since 0.1
 */
CUC_API cuc_status cuc_explain_at(cuc_explanation *out, int32_t library, size_t index);

/**
 * Receives a failure that no call can return, such as one during a release or in a callback.
 *
 * @param message the failure, with the driver call and its code; valid during the call
 * @param user    as given to cuc_set_failure_handler()
 */
typedef void (*cuc_failure_fn)(const char *message, void *user);

/**
 * Set the process-wide handler of failures that no call can return. Without a handler, such a
 * failure is dropped and its object leaks.
 *
 * The handler may run on any thread, including the driver's, so it must not call cucore. It does
 * not receive a failure that only reports that the driver is gone at process exit, or that repeats
 * the loss of a context.
 *
 * @thread any thread; a failure in progress on another thread may still reach the old handler
 * @capture makes no driver call
 * @param handler NULL: such failures are dropped again
 * @param user    passed to the handler
 * @since 0.1
 */
CUC_API void cuc_set_failure_handler(cuc_failure_fn handler, void *user);

CUC_END_DECLS

#endif
