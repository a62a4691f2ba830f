// Failure reporting inside the library. The public side is <cucore/error.h>.
#ifndef CUCORE_BASE_ERROR_H
#define CUCORE_BASE_ERROR_H

#include <cucore/error.h>

#include <stdbool.h>

#define CUC__PRINTF(fmt, args) __attribute__((format(printf, fmt, args), cold))

// Records the thread's last error and evaluates to the status.
#define CUC_FAIL(status, ...) cuc__fail((status), __func__, __VA_ARGS__)

// Passes a helper's status up and, in the record, replaces the helper's name with the public
// function's name.
#define CUC_PASS(status) cuc__pass((status), __func__)

#define CUC_FAIL_NULL(name) CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "%s is NULL", (name))

cuc_status cuc__fail(cuc_status status, const char *function, const char *fmt, ...)
    CUC__PRINTF(3, 4);

// Records a failure of a toolkit library or of the driver, whose code the caller has already mapped
// to a status. `explanation` may be "". `log` may be NULL; the record keeps a copy.
cuc_status cuc__fail_library(cuc_status status, int library, int code, const char *symbol,
                             const char *function, const char *call, const char *explanation,
                             const char *log, const char *fmt, ...) CUC__PRINTF(9, 10);

// Adds a note about a failure that follows the recorded one.
void cuc__error_note(const char *fmt, ...) CUC__PRINTF(1, 2);

// Attach an explanation, or a copy of a log, to the last recorded failure.
void cuc__error_set_log(const char *log);
void cuc__error_set_explanation(const char *explanation);

cuc_status cuc__pass_failure(cuc_status status, const char *function) __attribute__((cold));

static inline cuc_status cuc__pass(cuc_status status, const char *function)
{
    return __builtin_expect(status < 0, 0) ? cuc__pass_failure(status, function) : status;
}

// Keep the thread's last error through a cleanup that can itself fail. A failure during the cleanup
// becomes a note, or cuc__unraisable() passes it to the process-wide handler.
void cuc__unraisable(const char *fmt, ...) CUC__PRINTF(1, 2);

#endif
