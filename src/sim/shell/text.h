// Facts about PTX texts: about the head, before parsing, and about kernels, after parsing.
#ifndef CUCORE_SIM_SHELL_TEXT_H
#define CUCORE_SIM_SHELL_TEXT_H

#include "shell.h"
#include "sim/ptx/ptx.h"

// Rejects a text whose .version is newer than `newest` (90 for 9.0), or whose .target cannot run on
// `arch` (90 for sm_90). Reads only the head, since a newer text may not parse.
CUresult sim_text_check_head(const char *text, int newest, int arch, char *log, size_t log_bytes);

// Fills in the launch bounds that a kernel's directives specify.
void sim_text_launch_bounds(struct kernel_facts *facts, const struct sim_function *function);

#endif
