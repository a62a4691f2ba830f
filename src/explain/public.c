#include "base/array.h"
#include "explain.h"

#include "base/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const cuc_status statuses[] = {
#define ROW(name, value, text) value,
    CUC_STATUS_LIST(ROW)
#undef ROW
};

// A remedy for each failure; CUC_OK and CUC_NOT_READY need none.
// clang-format off
static const struct {
    cuc_status status;
    const char *remedy;
} remedies[] = {
    { CUC_ERROR_INVALID_ARGUMENT,
      "The message names the argument, the value that was passed and what is expected." },
    { CUC_ERROR_INVALID_HANDLE,
      "Look for a handle that was released, never created, or is of another kind. "
      "CUCORE_CHECK_HANDLES=1 finds uses after release." },
    { CUC_ERROR_OUT_OF_MEMORY,
      "The process or machine is out of host memory: free some, or raise the limit (ulimit -v, the container's)." },
    { CUC_ERROR_OUT_OF_DEVICE_MEMORY,
      "Release buffers, trim pools, or use smaller ones; other processes may hold memory too: nvidia-smi lists them." },
    { CUC_ERROR_NOT_FOUND,
      "Check the spelling; the message lists the names or places that were tried." },
    { CUC_ERROR_NOT_SUPPORTED,
      "The message names the driver, toolkit or device that has the feature; cucore info shows what is here." },
    { CUC_ERROR_NO_DRIVER,
      "Install NVIDIA's driver, or give a container the GPU; without one, set CUCORE_DRIVER=sim. cucore doctor says what is missing." },
    { CUC_ERROR_DRIVER_TOO_OLD,
      "Install a driver of the version that the message names, or a later one." },
    { CUC_ERROR_NO_DEVICE,
      "Check CUDA_VISIBLE_DEVICES and nvidia-smi; a container must be given the GPU. cucore doctor looks for the reason." },
    { CUC_ERROR_DRIVER,
      "The message has the driver's own code: cucore explain has its meaning." },
    { CUC_ERROR_COMPILE,
      "Read the log (cuc_error_log): it has the file, the line and the reason." },
    { CUC_ERROR_LINK,
      "Read the log (cuc_error_log): it names the symbol or input. Every input must be of the same or a compatible architecture." },
    { CUC_ERROR_TOOLKIT,
      "The message has the library's own code: cucore explain has its meaning; cucore find shows which library was loaded." },
    { CUC_ERROR_CONTEXT_LOST,
      "Restart the process. The first failure has the cause: CUCORE_LAUNCH_BLOCKING=1 names its kernel, and CUCORE_DRIVER=sim or compute-sanitizer its line." },
    { CUC_ERROR_FORKED,
      "Start processes before the first call of cucore, or with exec (in Python: multiprocessing's spawn)." },
    { CUC_ERROR_BUSY,
      "Finish what is under way first; the message says what it is, such as a capture of the stream." },
    { CUC_ERROR_IO,
      "The message has the path and the system's reason: check that it exists, its permissions, and the space left." },
    { CUC_ERROR_INTERNAL,
      "This is a bug in cucore: please report it with the message." },
};
// clang-format on

static const char *remedy_of(cuc_status status)
{
    for (size_t i = 0; i < CUC_LENGTH(remedies); i++)
        if (remedies[i].status == status)
            return remedies[i].remedy;
    return "";
}

static const char *library_name(int32_t library)
{
    static const char *const names[] = {
#define ROW(constant, value, name) [value] = name,
        CUC_LIBRARY_LIST(ROW)
#undef ROW
    };
    const size_t count = CUC_LENGTH(names);

    return library >= 0 && (size_t)library < count ? names[library] : "that library";
}

static cuc_status check_size(const cuc_explanation *out, const char *function)
{
    if (!out)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "out is NULL");
    return cuc__check_size(out, sizeof(size_t), sizeof(*out), "out->", "cuc_explanation", function);
}

static void write_out(cuc_explanation *out, cuc_explanation found)
{
    (void)CUC_WRITE_STRUCT(out, &found, cuc_explanation); // cannot fail: check_size() passed
}

static void write_row(cuc_explanation *out, int library, const cuc__explanation *row)
{
    write_out(out, (cuc_explanation){ .symbol = row->symbol,
                                      .meaning = row->meaning,
                                      .remedy = row->remedy,
                                      .library = library,
                                      .code = row->code,
                                      .sticky = row->sticky });
}

static void write_status(cuc_explanation *out, cuc_status status)
{
    write_out(out, (cuc_explanation){ .symbol = cuc_status_name(status),
                                      .meaning = cuc_status_text(status),
                                      .remedy = remedy_of(status),
                                      .library = CUC_LIBRARY_NONE,
                                      .code = status,
                                      .sticky = status == CUC_ERROR_CONTEXT_LOST });
}

// Finds the status that a name denotes, with or without its prefix. Returns true if there is one.
static bool find_status(cuc_status *out, const char *text)
{
    static const char *const prefixes[] = { "", "CUC_", "CUC_ERROR_" };

    for (size_t i = 0; i < CUC_LENGTH(statuses); i++) {
        const char *name = cuc_status_name(statuses[i]);
        for (size_t p = 0; p < CUC_LENGTH(prefixes); p++) {
            size_t n = strlen(prefixes[p]);
            if (strncmp(name, prefixes[p], n) == 0 && strcasecmp(name + n, text) == 0) {
                *out = statuses[i];
                return true;
            }
        }
    }
    return false;
}

cuc_status cuc_explain(cuc_explanation *out, int32_t library, int32_t code)
{
    cuc_status st = check_size(out, __func__);

    if (st < 0)
        return st;
    if (library == CUC_LIBRARY_NONE) {
        for (size_t i = 0; i < CUC_LENGTH(statuses); i++) {
            if (statuses[i] == code) {
                write_status(out, code);
                return CUC_OK;
            }
        }
        return CUC_FAIL(CUC_ERROR_NOT_FOUND, "cucore has no status %d", code);
    }
    const cuc__explanation *row = cuc__explain(library, code);
    if (row->code == CUC__EXPLAIN_UNKNOWN)
        return CUC_FAIL(CUC_ERROR_NOT_FOUND, "%s has no code %d that cucore knows",
                        library_name(library), code);
    write_row(out, library, row);
    return CUC_OK;
}

cuc_status cuc_explain_text(cuc_explanation *out, const char *text)
{
    cuc_status st = check_size(out, __func__);
    cuc_status status;
    int library = CUC_LIBRARY_DRIVER;
    char *end;

    if (st < 0)
        return st;
    if (!text)
        return CUC_FAIL_NULL("text");
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end != text && !*end && !errno && number >= INT_MIN && number <= INT_MAX)
        return CUC_PASS(
            cuc_explain(out, number < 0 ? CUC_LIBRARY_NONE : CUC_LIBRARY_DRIVER, (int32_t)number));
    // At this point only a full name means a status, because a library's code takes precedence over
    // a status's short name.
    if (strncasecmp(text, "CUC_", 4) == 0 && find_status(&status, text)) {
        write_status(out, status);
        return CUC_OK;
    }
    const cuc__explanation *row = cuc__explain_symbol(text, &library);
    if (row) {
        write_row(out, library, row);
        return CUC_OK;
    }
    if (find_status(&status, text)) {
        write_status(out, status);
        return CUC_OK;
    }
    return CUC_FAIL(CUC_ERROR_NOT_FOUND,
                    "no library has a code \"%s\": give a number of the driver's or a name such as "
                    "CUDA_ERROR_ILLEGAL_ADDRESS",
                    text);
}

size_t cuc_explain_count(int32_t library)
{
    return library == CUC_LIBRARY_NONE ? CUC_LENGTH(statuses) : cuc__explain_count(library);
}

cuc_status cuc_explain_at(cuc_explanation *out, int32_t library, size_t index)
{
    cuc_status st = check_size(out, __func__);

    if (st < 0)
        return st;
    if (index >= cuc_explain_count(library))
        return CUC_FAIL(CUC_ERROR_NOT_FOUND, "library %d has %zu codes, index is %zu", library,
                        cuc_explain_count(library), index);
    if (library == CUC_LIBRARY_NONE)
        write_status(out, statuses[index]);
    else
        write_row(out, library, cuc__explain_at(library, index));
    return CUC_OK;
}
