// What the processes of the suite compile do: what a process can do but once, or with a setting of
// its own.
#ifndef CUCORE_BENCH_CASES_COMPILE_SERVICE_H
#define CUCORE_BENCH_CASES_COMPILE_SERVICE_H

int bench_compile_serve(void);

#endif
