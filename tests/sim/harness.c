#include "harness.h"
#include "sim/exec/builtin.h"
#include "sim/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char report[1024], log_text[1024];
static uint64_t instructions;

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    abort();
}

static void *memory(size_t bytes, size_t align)
{
    void *p = aligned_alloc(align, (bytes + 2 * align - 1) & ~(align - 1));
    if (!p)
        give_up("harness", "no memory");
    memset(p, 0, bytes);
    sim_memory_add((uint64_t)(uintptr_t)p, bytes, 0);
    return p;
}

void *harness_memory(size_t bytes)
{
    return memory(bytes, 256);
}

void *harness_fresh(size_t bytes)
{
    void *p = memory(bytes, 4096);

    sim_init_allocated((uint64_t)(uintptr_t)p, bytes);
    return p;
}

void harness_release(void *memory)
{
    struct sim_range range;

    if (sim_memory_find((uint64_t)(uintptr_t)memory, &range))
        sim_init_freed(range.base, range.end - range.base);
    sim_memory_remove((uint64_t)(uintptr_t)memory, "harness_release");
    free(memory);
}

// Uses an sm_90 as the device, or an sm_100 for modules with that target.
static struct sim_program *load(const char *ptx)
{
    int arch = strstr(ptx, ".target sm_100") ? 100 : 90;

    return sim_program_load(ptx, strlen(ptx), arch, log_text, sizeof(log_text));
}

struct sim_program *harness_load(const char *ptx)
{
    struct sim_program *program = load(ptx);
    if (!program)
        give_up("the module was refused", log_text);
    return program;
}

const char *harness_refused(const char *ptx)
{
    log_text[0] = '\0';
    if (load(ptx))
        give_up("the module was taken", ptx);
    return log_text;
}

int harness_run(struct sim_program *program, const struct harness_launch *launch)
{
    const struct sim_kernel *kernel = NULL;
    static struct sim_heap *heap;
    struct sim_grid grid = { .program = program };
    unsigned char params[4096] = { 0 };
    size_t at = 0;

    for (size_t i = 0; i < sim_program_kernel_count(program) && !kernel; i++) {
        kernel = sim_program_kernel(program, i);
        if (launch->kernel && strcmp(kernel->name, launch->kernel) != 0)
            kernel = NULL;
    }
    if (!kernel)
        give_up("no kernel", launch->kernel ? launch->kernel : "at all");
    for (size_t i = 0; i < kernel->code->source->parameter_count; i++) {
        const struct sim_variable *v = &kernel->code->source->parameters[i];
        size_t align = v->align ? v->align : sim_type_bytes(v->type);
        at = (at + align - 1) / align * align;
        if (!launch->parameters)
            memcpy(params + at, &launch->arguments[i], v->bytes < 8 ? v->bytes : 8);
        at += v->bytes;
    }
    if (launch->parameters)
        memcpy(params, launch->parameters, at);
    grid.entry = kernel->code;
    grid.params = params;
    grid.shared_bytes = launch->shared_bytes;
    grid.cooperative = launch->cooperative;
    grid.id = 1;
    for (int i = 0; i < 3; i++) {
        grid.grid[i] = launch->grid[i] ? launch->grid[i] : 1;
        grid.block[i] = launch->block[i] ? launch->block[i] : 1;
        grid.cluster[i] = launch->cluster[i];
    }
    if (!heap)
        heap = sim_heap_new(8 << 20, 0);
    grid.heap = heap;
    grid.stack_limit = launch->stack_limit ? launch->stack_limit : 64 << 10;
    int code = sim_grid_run(&grid);
    memcpy(report, grid.report, sizeof(report));
    instructions = atomic_load(&grid.instructions);
    return code;
}

const char *harness_report(void)
{
    return report;
}

uint64_t harness_instructions(void)
{
    return instructions;
}

void harness_go(const char *ptx, const struct harness_launch *launch)
{
    struct sim_program *program = harness_load(ptx);
    if (harness_run(program, launch) != 0)
        give_up("the kernel failed", report);
    sim_program_free(program);
}
