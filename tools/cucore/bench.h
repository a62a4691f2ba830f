// Declares the commands of cucore bench: cucore bench SUITE... and its subcommands.
#ifndef CUCORE_TOOLS_BENCH_H
#define CUCORE_TOOLS_BENCH_H

#include "cli.h"

extern const cli_command cli_bench_kernel, cli_bench_show, cli_bench_compare, cli_bench_plot;

#endif
