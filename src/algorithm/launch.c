// Makes the arguments that the kernels of all families share, and launches kernels.
#include "algorithm.h"

#include "device/stream.h"
#include "launch/launch.h"

size_t cuc__algorithm_add_inputs(cuc_arg *args, size_t count, const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;

    for (uint32_t i = 0; i < k->input_count; i++)
        if (k->inputs[i].form <= CUC__ALGORITHM_WHOLE)
            args[count++] = CUC_ARG(&c->inputs[i]);
    if (!cuc__algorithm_binds_count(k, c->plan->family))
        args[count++] = CUC_ARG(c->count);
    if (k->device_count)
        args[count++] = CUC_ARG(&c->device_count);
    return count;
}

size_t cuc__algorithm_add_outputs(cuc_arg *args, size_t count, const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;

    for (uint32_t i = 0; i < k->output_count; i++)
        if (!k->outputs[i].dropped)
            args[count++] = CUC_ARG(&c->outputs[i]);
    for (int i = 0; i < c->split_count; i++)
        args[count++] = CUC_ARG(&c->splits[i]);
    return count;
}

cuc_status cuc__algorithm_launch(const struct cuc__algorithm_call *c, int kernel,
                                 const cuc_arg *args, size_t count)
{
    return cuc__launch_plan_kernel(c->stream, c->plan->kernels[kernel], args, count,
                                   c->plan->kind.plain_launch);
}

cuc_device_ptr cuc__algorithm_scratch(cuc_tensor *out, const struct cuc__algorithm_call *c,
                                      cuc_device_ptr at, cuc_dtype dtype, int64_t elements)
{
    *out = (cuc_tensor){ .data = at,
                         .dtype = dtype,
                         .rank = 1,
                         .device = c->stream->ordinal,
                         .shape = { elements },
                         .strides = { 1 } };
    return at + cuc__algorithm_bytes(dtype, elements);
}
