// PTX texts before and after parsing: the head, and facts of kernels.
#ifndef CUCORE_SIM_SHELL_TEXT_H
#define CUCORE_SIM_SHELL_TEXT_H

#include "shell.h"
#include "sim/ptx/ptx.h"

// Refuses a text whose .version is newer than `newest` (90 for 9.0), or whose .target does not run
// on `arch` (90 for sm_90). A newer text may not parse, so this reads the head alone.
CUresult sim_text_check_head(const char *text, int newest, int arch, char *log, size_t log_bytes);

// Fills in the launch bounds that a kernel's directives give.
void sim_text_launch_bounds(struct kernel_facts *facts, const struct sim_function *function);

#endif
