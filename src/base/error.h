// Failure reporting inside the library. The public side is <cucore/error.h>.
#ifndef CUCORE_BASE_ERROR_H
#define CUCORE_BASE_ERROR_H

#include <cucore/error.h>

#include <stdbool.h>

#define CUC__PRINTF(fmt, args) __attribute__((format(printf, fmt, args), cold))

// Records the thread's last error and returns the status.
#define CUC_FAIL(status, ...) cuc__fail((status), __func__, __VA_ARGS__)

// Passes a helper's status up, and replaces the helper's name in the record by the public
// function's.
#define CUC_PASS(status) cuc__pass((status), __func__)

#define CUC_FAIL_NULL(name) CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "%s is NULL", (name))

cuc_status cuc__fail(cuc_status status, const char *function, const char *fmt, ...)
    CUC__PRINTF(3, 4);

// Records a failure of a toolkit library or of the driver that is already mapped to a status.
// `explanation` may be ""; `log` may be NULL and is copied.
cuc_status cuc__fail_library(cuc_status status, int library, int code, const char *symbol,
                             const char *function, const char *call, const char *explanation,
                             const char *log, const char *fmt, ...) CUC__PRINTF(9, 10);

// Adds a note for a failure that follows the recorded one.
void cuc__error_note(const char *fmt, ...) CUC__PRINTF(1, 2);

// Attach a log (which is copied) or an explanation to the last recorded failure.
void cuc__error_set_log(const char *log);
void cuc__error_set_explanation(const char *explanation);

cuc_status cuc__pass_failure(cuc_status status, const char *function) __attribute__((cold));

static inline cuc_status cuc__pass(cuc_status status, const char *function)
{
    return __builtin_expect(status < 0, 0) ? cuc__pass_failure(status, function) : status;
}

// Preserves the thread's last error during a clean-up that may itself fail. Failures of the
// clean-up become notes, or cuc__unraisable() passes them to the process-wide handler.
void cuc__unraisable(const char *fmt, ...) CUC__PRINTF(1, 2);

#endif
