// Runs plans, with a workspace if the caller gives none.
#include "algorithm.h"

#include <cucore/memory.h>

#include "base/options.h"
#include "device/stream.h"
#include "memory/resource.h"

// Runs with memory of the device's resource as workspace.
static cuc_status run_with_memory(struct cuc__algorithm_call *c, uint64_t bytes)
{
    cuc_memory_resource *memory = NULL;
    cuc_status st = cuc__memory_default(&memory, c->plan->device, c->function), freed;

    if (st < 0)
        return st;
    if ((st = cuc_memory_allocate(&c->workspace, c->stream, memory, bytes)) >= 0) {
        st = c->plan->family->run(c);
        freed = cuc_memory_free(c->stream, memory, c->workspace, bytes);
        st = st < 0 ? st : freed;
    }
    cuc_memory_resource_release(memory);
    return st;
}

cuc_status cuc_algorithm_run(cuc_stream *stream, cuc_algorithm *plan,
                             const cuc_algorithm_args *args)
{
    cuc_algorithm_args given;
    struct cuc__algorithm_call c = {
        .plan = plan, .stream = stream, .args = &given, .function = __func__
    };
    cuc_status st;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK(plan, ALGORITHM);
    CUC_CHECK_NOT_NULL(args);
    if ((st = CUC_READ_OPTIONS(&given, args, cuc_algorithm_args)) < 0 ||
        (st = cuc__algorithm_check(&c)) < 0)
        return st;
    uint64_t bytes = cuc__algorithm_needs(&c);
    c.workspace = given.workspace;
    st = bytes && !c.workspace ? run_with_memory(&c, bytes) : plan->family->run(&c);
    return CUC_PASS(st);
}
