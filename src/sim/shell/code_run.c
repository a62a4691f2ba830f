// Back end of libcucore-sim.so for launches: runs them as grids of the executor.
#include "code.h"
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/exec/run.h"
#include "sim/machine/code.h"

void sim_image_free(struct image *image)
{
    const struct sim_module *m = image->program->module;

    for (size_t i = 0; i < m->variable_count; i++) {
        uint64_t address, bytes;
        if (!sim_program_variable(image->program, m->variables[i].name, &address, &bytes))
            continue;
        struct allocation *a = sim_find(address);
        if (a && a->foreign)
            sim_free(a, "the unloading of their module");
    }
    sim_program_free(image->program);
    free(image);
}

void sim_code_done(struct launch *launch)
{
    struct image *image = launch->image;

    launch->image = NULL;
    if (image && --image->uses == 0 && image->gone)
        sim_image_free(image);
}

// Tells if a kernel may access another device's memory. Running kernels call it without the lock.
static bool peer(const struct sim_grid *grid, const struct sim_range *range, char *why,
                 size_t why_bytes)
{
    sim_lock();
    const struct allocation *a = sim_find(range->base);
    const struct context *c = sim_context_of(grid->context);
    const bool allowed = a && sim_access(c, grid->device, a, range->base);
    if (a && a->pool)
        snprintf(why, why_bytes,
                 "its pool gives device %d no access, cuMemPoolSetAccess would do that",
                 grid->device);
    else if (a && a->virtual)
        snprintf(why, why_bytes, "cuMemSetAccess gave device %d none", grid->device);
    else
        snprintf(why, why_bytes,
                 "cuCtxEnablePeerAccess was not called for its context in the kernel's, which is "
                 "of device %d",
                 grid->device);
    sim_unlock();
    return allowed;
}

CUresult sim_code_run(struct launch *launch)
{
    const CUlaunchConfig *c = &launch->config;
    const struct image *image = launch->image;
    struct sim_grid grid = {
        .program = image->program,
        .entry = launch->code,
        .grid = { c->gridDimX, c->gridDimY, c->gridDimZ },
        .block = { c->blockDimX, c->blockDimY, c->blockDimZ },
        .cluster = { launch->cluster[0], launch->cluster[1], launch->cluster[2] },
        .shared_bytes = c->sharedMemBytes,
        .params = launch->bytes,
        .cooperative = launch->cooperative,
        .id = launch->id,
        .stack_limit = launch->stack ? (uint32_t)launch->stack : 1,
        .heap = image->heap,
        .device = image->context->device,
        .clock_khz =
            (uint32_t)sim_attribute(image->context->device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        .context = image->context->head.handle,
        .peer = peer,
    };

    // Data that cooperative groups find by means of %envreg1 and %envreg2.
    struct workspace {
        uint32_t bytes, barrier;
    } *workspace = NULL;
    if (grid.cooperative) {
        workspace = sim_alloc(sizeof(*workspace));
        workspace->bytes = sizeof(*workspace);
        grid.workspace = (uintptr_t)workspace;
        sim_memory_add(grid.workspace, sizeof(*workspace), SIM_ANY_DEVICE);
    }
    int fault = sim_grid_run(&grid);
    if (workspace)
        sim_memory_remove(grid.workspace, NULL);
    free(workspace);
    if (fault)
        sim_warn("%s", grid.report);
    return fault;
}
