// Runs kernels on host memory. See simulator_evaluate.h.
#include "driver/simulator_evaluate.h"

#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/run.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED sim_evaluate_load_fn cucoreSimulatedLoad;
EXPORTED sim_evaluate_run_fn cucoreSimulatedRun;
EXPORTED sim_evaluate_free_fn cucoreSimulatedFree;

enum { ARCH = 90 };

void *cucoreSimulatedLoad(const char *ptx, size_t bytes, char *log, size_t capacity)
{
    struct sim_program *program = sim_program_load(ptx, bytes, ARCH, log, capacity);

    if (program && !sim_program_kernel_count(program)) {
        snprintf(log, capacity, "there is no entry in it");
        sim_program_free(program);
        return NULL;
    }
    return program;
}

int cucoreSimulatedRun(void *code, const struct sim_evaluation *run, char *log, size_t capacity)
{
    const struct sim_code *entry = sim_program_kernel(code, 0)->code;
    unsigned char *params = sim_alloc(entry->entry_param_bytes + 1);
    struct sim_grid grid = {
        .program = code,
        .entry = entry,
        .grid = { run->blocks, 1, 1 },
        .block = { run->threads, 1, 1 },
        .params = params,
    };

    memcpy(params, run->params, entry->entry_param_bytes);
    for (uint32_t i = 0; i < run->pieces; i++) {
        const struct sim_piece *piece = &run->piece[i];
        sim_memory_add((uintptr_t)piece->at, piece->bytes, SIM_ANY_DEVICE);
        sim_note_allocated((uintptr_t)piece->at, piece->bytes);
        if (piece->is_read)
            sim_note_written((uintptr_t)piece->at, 0, piece->bytes);
    }
    int fault = sim_grid_run(&grid);
    for (uint32_t i = 0; i < run->pieces; i++) {
        sim_note_freed((uintptr_t)run->piece[i].at, run->piece[i].bytes);
        sim_memory_remove((uintptr_t)run->piece[i].at, NULL);
    }
    if (fault)
        snprintf(log, capacity, "%s", grid.report);
    free(params);
    return fault;
}

void cucoreSimulatedFree(void *code)
{
    sim_program_free(code);
}
