// How the library's own files report failures. The public side is <cucore/error.h>.
#ifndef CUCORE_BASE_ERROR_H
#define CUCORE_BASE_ERROR_H

#include <cucore/error.h>

#include <stdbool.h>

#define CUC__PRINTF(fmt, args) __attribute__((format(printf, fmt, args), cold))

// What a failing function returns: records the thread's last error, gives the status back.
#define CUC_FAIL(status, ...) cuc__fail((status), __func__, __VA_ARGS__)

// Pass a helper's status up; a public function's name replaces the helper's in the record.
#define CUC_PASS(status) cuc__pass((status), __func__)

#define CUC_FAIL_NULL(name) CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "%s is NULL", (name))

cuc_status cuc__fail(cuc_status status, const char *function, const char *fmt, ...)
    CUC__PRINTF(3, 4);

// A failure of a toolkit library or of the driver, already mapped to a status.
// `explanation` may be ""; `log` may be NULL and is copied.
cuc_status cuc__fail_library(cuc_status status, int library, int code, const char *symbol,
                             const char *function, const char *call, const char *explanation,
                             const char *log, const char *fmt, ...) CUC__PRINTF(9, 10);

// Failures past the first become notes on it.
void cuc__error_note(const char *fmt, ...) CUC__PRINTF(1, 2);

// Attach a log (copied) or an explanation to the failure just recorded.
void cuc__error_set_log(const char *log);
void cuc__error_set_explanation(const char *explanation);

cuc_status cuc__pass_failure(cuc_status status, const char *function) __attribute__((cold));

static inline cuc_status cuc__pass(cuc_status status, const char *function)
{
    return __builtin_expect(status < 0, 0) ? cuc__pass_failure(status, function) : status;
}

// Keep the thread's last error over a clean-up that may fail: what fails in between becomes a
// note, or is handed to the process-wide handler by cuc__unraisable().
void cuc__unraisable(const char *fmt, ...) CUC__PRINTF(1, 2);

#endif
