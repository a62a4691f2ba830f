// The compile suite's child processes: tasks that a process can do only once, or that need their
// own settings.
#ifndef CUCORE_BENCH_CASES_COMPILE_SERVICE_H
#define CUCORE_BENCH_CASES_COMPILE_SERVICE_H

int bench_compile_serve(void);

#endif
