// Messages about the settings of libcucore-sim.so.
#ifndef CUCORE_SIM_SHELL_COMPLAINT_H
#define CUCORE_SIM_SHELL_COMPLAINT_H

#include <stdbool.h>

// Records why a setting is invalid, for cuInit(). Keeps only the first complaint.
void sim_complain(const char *name, const char *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Turns printing on or off. Initially it is on.
void sim_report(bool wanted);

#endif
