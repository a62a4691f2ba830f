#include "bench_contender.h"

#include <cucore/copy.h>
#include <cucore/system.h>

#include <stdlib.h>

cuc_status contender_run(void *data, cuc_stream *stream, uint64_t set)
{
    const contender *c = data;
    const launcher *l = &c->launcher;

    return cuc_launch(stream, &l->config, l->kernel, c->sets[set % c->set_count].args,
                      l->argument_count);
}

cuc_status contender_restore(void *data, cuc_stream *stream, uint64_t set)
{
    contender *c = data;
    launcher *l = &c->launcher;
    cuc_buffer **buffers = c->sets[set % c->set_count].buffers;
    cuc_status st = CUC_OK;

    for (size_t i = 0; i < l->argument_count && st >= 0; i++)
        if (c->pristine[i])
            st = cuc_buffer_copy(stream, buffers[i], 0, c->pristine[i], 0,
                                 (size_t)l->arguments[i].bytes);
    return st;
}

// Return how many sets are needed to exceed twice the L2 size. The bench library uses the same rule
// for inputs.
static size_t sets_for(const launcher *l)
{
    uint64_t bytes = 0, free_bytes = 0;
    int32_t l2 = 0;

    for (size_t i = 0; i < l->argument_count; i++)
        bytes += l->arguments[i].kind == ARGUMENT_SCALAR ? 0 : l->arguments[i].bytes;
    if (!bytes)
        return 1;
    if (cuc_driver_is_simulated())
        return 2; // there is no cache; two sets reveal failures that a single set hides
    (void)cuc_device_get_attribute(&l2, l->device, CUC_DEVICE_L2_CACHE_SIZE);
    (void)cuc_device_get_memory_info(&free_bytes, NULL, l->device);
    uint64_t wanted = 2 * (uint64_t)(l2 > 0 ? l2 : 0) / bytes + 1, most = free_bytes / 8 / bytes;
    wanted = wanted < MAX_SETS ? wanted : MAX_SETS;
    return wanted < most ? (size_t)wanted : most ? (size_t)most : 1;
}

static cuc_status make_sets(contender *c)
{
    launcher *l = &c->launcher;
    size_t count = sets_for(l);
    cuc_status st = CUC_OK;

    // The launcher owns the most recent set during this loop, and the first set after it.
    while (c->set_count < count && (st = launcher_fill(l)) >= 0)
        c->sets[c->set_count++] = (argument_set){ l->args, l->buffers, l->tensors };
    if (st >= 0) {
        l->args = c->sets[0].args;
        l->buffers = c->sets[0].buffers;
        l->tensors = c->sets[0].tensors;
    }
    return st;
}

cuc_status contender_prepare(contender *c, cuc_stream *stream)
{
    launcher *l = &c->launcher;

    l->stream = cuc_stream_retain(stream);
    cuc_status st = make_sets(c);
    c->pristine = cli_allocate(l->argument_count * sizeof(*c->pristine));
    for (size_t i = 0; i < l->argument_count && st >= 0; i++) {
        size_t bytes = (size_t)l->arguments[i].bytes;
        if (l->arguments[i].kind != ARGUMENT_INOUT)
            continue;
        st = cuc_buffer_create(&c->pristine[i], stream, NULL, bytes);
        if (st >= 0)
            st = cuc_buffer_copy(stream, c->pristine[i], 0, l->buffers[i], 0, bytes);
    }
    return st;
}

void contender_release(contender *c)
{
    for (size_t i = 0; c->pristine && i < c->launcher.argument_count; i++)
        cuc_buffer_release(c->pristine[i]);
    free(c->pristine);
    for (size_t s = 0; s < c->set_count; s++) {
        argument_set *set = &c->sets[s];
        if (set->args == c->launcher.args) // the launcher frees these
            continue;
        for (size_t i = 0; i < c->launcher.argument_count; i++)
            cuc_buffer_release(set->buffers[i]);
        free(set->args);
        free(set->buffers);
        free(set->tensors);
    }
    launcher_release(&c->launcher);
}
