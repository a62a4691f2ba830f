// Prints messages of libcucore-sim.so, and records the first invalid setting.
#include "complaint.h"
#include "shell.h"

#include <stdarg.h>
#include <stdio.h>

static char complaint[512];
static bool reports = true;

void sim_print(const char *text)
{
    if (reports)
        fprintf(stderr, "simulated driver: %s\n", text); // a single call, since other threads write
                                                         // too
}

void sim_complain(const char *name, const char *value, const char *format, ...)
{
    va_list args;

    if (complaint[0])
        return; // the first problem
    int n = snprintf(complaint, sizeof(complaint), "%s=%.128s: ", name, value);
    va_start(args, format);
    if (n > 0 && (size_t)n < sizeof(complaint))
        vsnprintf(complaint + n, sizeof(complaint) - (size_t)n, format, args);
    va_end(args);
}

void sim_report(bool wanted)
{
    reports = wanted;
}

const char *sim_complaint(void)
{
    return complaint[0] ? complaint : NULL;
}
