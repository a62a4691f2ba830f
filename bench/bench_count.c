// Runs one side of one case a given number of times, for an instruction counter (count.sh).
//
//     bench_count CASE raw|cuc CALLS
#include "cases/runtime_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    cuc_device *device;
    struct bench b;
    int status = 2;

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < BENCH_CASES; i++)
            puts(bench_cases[i].name);
        return 0;
    }
    if (argc != 4) {
        fprintf(stderr, "usage: bench_count CASE raw|cuc CALLS, or bench_count --list\n");
        return 2;
    }
    if (cuc_device_get(&device, 0) < 0 || bench_open(&b, device, NULL) < 0) {
        fprintf(stderr, "bench_count: %s\n", cuc_error_message());
        return 1;
    }
    for (size_t i = 0; i < BENCH_CASES; i++) {
        const struct bench_case *c = &bench_cases[i];
        if (strcmp(c->name, argv[1]) != 0)
            continue;
        int (*side)(struct bench *, int) = strcmp(argv[2], "raw") == 0 ? c->raw : c->cuc;
        status = side(&b, 10) || side(&b, atoi(argv[3])) ? 1 : 0;
    }
    if (status)
        fprintf(stderr, "bench_count: %s %s failed: %s\n", argv[1], argv[2], cuc_error_message());
    bench_close(&b);
    return status;
}
