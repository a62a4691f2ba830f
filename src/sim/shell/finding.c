// Findings: texts that explain failed calls and faults. They are printed, and kept for queries by
// the library (driver/simulator_finding.h).
#include "shell.h"

#include "driver/simulator_finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 1024 };

// The last text of this thread, and the failed call that the text explains.
static _Thread_local struct {
    bool fresh; // written since the current call, or operation of a stream, began
    int fn;
    CUresult code;
    char text[TEXT_BYTES];
} last;

// The fault that was the last to destroy a context. The lock protects it.
static struct {
    CUresult code;
    char text[TEXT_BYTES];
} fault;

void sim_warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(last.text, sizeof(last.text), format, args);
    va_end(args);
    last.fresh = true;
    last.fn = FN_COUNT;
    sim_print(last.text);
}

void sim_finding_begin(void)
{
    last.fresh = false;
}

void sim_finding_failed(int fn, CUresult code)
{
    if (last.fresh) {
        last.fn = fn;
        last.code = code;
    } else if (last.fn == fn) {
        last.fn = FN_COUNT; // the text explains an earlier call
    }
}

void sim_finding_fault(CUresult code)
{
    fault.code = code;
    snprintf(fault.text, sizeof(fault.text), "%s", last.fresh ? last.text : "");
}

__attribute__((visibility("default"))) sim_finding_fn cucoreSimulatedFinding;

int cucoreSimulatedFinding(const char *call, int code, char *text, size_t bytes)
{
    int fn = sim_function_number(call);
    const char *found = NULL;

    sim_lock();
    if (fn == FN_cuInit)
        found = sim_complaint();
    else if (last.fn == fn && fn != FN_COUNT && last.code == code)
        found = last.text;
    else if (fault.code == code)
        found = fault.text;
    if (found)
        snprintf(text, bytes, "%s", found);
    sim_unlock();
    return found && *found;
}
