// Complaints about settings of the product.
#ifndef CUCORE_SIM_SHELL_COMPLAINT_H
#define CUCORE_SIM_SHELL_COMPLAINT_H

#include <stdbool.h>

// Keep why a setting cannot be, for cuInit(): the first one.
void sim_complain(const char *name, const char *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Whether anything is printed: true, as it is first.
void sim_report(bool wanted);

#endif
