// Memory nodes of graphs. An allocation gets its address during the capture and has it in every
// launch. It exists from the node that allocates it until it is freed.
#include "graph.h"

#include <stdlib.h>
#include <string.h>

enum {
    USED = CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
    USED_HIGH = CU_GRAPH_MEM_ATTR_USED_MEM_HIGH,
    RESERVED = CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT,
    RESERVED_HIGH = CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
};

static const size_t block = (size_t)2 << 20; // granularity of a device's graph memory

void sim_graph_memory_retain(struct allocation *allocation)
{
    allocation->graph->refs++;
}

void sim_graph_memory_drop(struct allocation *allocation)
{
    if (--allocation->graph->refs == 0 && !allocation->graph->launched)
        sim_free(allocation, "the end of their graph");
}

void sim_graph_memory_wake(struct allocation *a)
{
    struct device *d = &sim.devices[a->device];
    uint64_t *memory = d->graph_memory;

    if (a->graph->awake)
        return;
    a->graph->awake = true;
    sim_pages_wake(a);
    memory[USED] += sim_round_up(a->bytes, block);
    if (memory[USED] > memory[USED_HIGH])
        memory[USED_HIGH] = memory[USED];
    if (memory[USED] <= memory[RESERVED])
        return;
    d->used += memory[USED] - memory[RESERVED];
    memory[RESERVED] = memory[USED];
    if (memory[RESERVED] > memory[RESERVED_HIGH])
        memory[RESERVED_HIGH] = memory[RESERVED];
}

void sim_graph_memory_sleep(struct allocation *a, const char *by)
{
    if (!a->graph->awake)
        return;
    a->graph->awake = false;
    sim_pages_sleep(a, by);
    sim.devices[a->device].graph_memory[USED] -= sim_round_up(a->bytes, block);
}

// Allocates memory on a captured stream by adding a node to the graph.
CUresult sim_graph_allocate(struct stream *stream, size_t bytes, CUdeviceptr *out)
{
    int device = stream->head.context->device;
    CUresult code = sim_capture_state(stream);

    if (code)
        return code;
    if (bytes > sim.devices[device].total)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct allocation *a = sim_allocate(bytes, MEMORY_POOL, device);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct graph *graph = stream->capture->graph;
    a->graph = sim_alloc(sizeof(*a->graph));
    *a->graph = (struct graph_part){ .owner = graph->head.handle, .refs = 1 };
    sim_pages_sleep(a, NULL);
    graph->memory = true;
    *out = a->base;
    return sim_capture_work(stream, &(struct work){ .op = OP_WAKE, .allocation = a });
}

// Frees graph memory: by a node in the same or another graph, or directly, if the last launch left
// it allocated.
CUresult sim_graph_free(struct stream *stream, struct allocation *a)
{
    struct graph_part *part = a->graph;
    const struct work work = { .op = OP_SLEEP, .allocation = a };

    if (stream->capture) {
        struct graph *graph = stream->capture->graph;
        CUresult code = sim_capture_state(stream);
        if (code)
            return code;
        if (part->freed_within)
            return CUDA_ERROR_INVALID_VALUE;
        part->freed_within = part->owner == graph->head.handle;
        graph->memory = true;
        part->refs++;
        return sim_capture_work(stream, &work);
    }
    if (!part->launched)
        return CUDA_ERROR_INVALID_VALUE;
    part->launched = false;
    part->refs++;
    return sim_submit(stream, &work);
}

// The graph memory of a device

CUresult sim_cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                          void *value)
{
    SIM_NEED(value, device);
    if (attribute > RESERVED_HIGH)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(value, &sim.devices[device].graph_memory[attribute], sizeof(uint64_t));
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                          void *value)
{
    uint64_t zero;

    SIM_NEED(value, device);
    memcpy(&zero, value, sizeof(zero));
    if ((attribute != USED_HIGH && attribute != RESERVED_HIGH) || zero)
        return CUDA_ERROR_INVALID_VALUE; // a high-water mark can only be reset to zero
    uint64_t *memory = sim.devices[device].graph_memory;
    memory[attribute] = memory[attribute - 1];
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGraphMemTrim(CUdevice device)
{
    if (!sim_valid_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    struct device *d = &sim.devices[device];
    d->used -= d->graph_memory[RESERVED] - d->graph_memory[USED];
    d->graph_memory[RESERVED] = d->graph_memory[USED];
    return CUDA_SUCCESS;
}
