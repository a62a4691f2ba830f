// Copies a kernel for an entry that needs other layouts or changed ops.
#include "pipeline.h"

struct tile_kernel *tile_kernel_copy(const struct tile_kernel *kernel)
{
    struct tile_module *module = kernel->module;
    struct tile_kernel *copy = tile_take(module, sizeof(*copy));
    struct tile_value **map = tile_take(module, (kernel->value_count + 1) * sizeof(*map));
    struct tile_parameter *parameter =
        tile_take(module, (kernel->parameter_count + 1) * sizeof(*parameter));

    if (!copy || !map || !parameter)
        return NULL;
    *copy = *kernel;
    copy->body = (struct tile_block){ .first = NULL };
    copy->parameter = parameter;
    copy->value_count = 0;
    copy->next = NULL;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct tile_value *from = kernel->parameter[i].value;
        struct tile_value *to = tile_value_create(copy, &from->type);
        if (!to)
            return NULL;
        to->index = from->index;
        to->name = from->name;
        to->layout = from->layout;
        parameter[i] = kernel->parameter[i];
        parameter[i].value = map[from->id] = to;
    }
    for (const struct tile_op *op = kernel->body.first; op; op = op->next) {
        struct tile_op *one = tile_clone(copy, op, map);
        if (!one)
            return NULL;
        tile_append(&copy->body, one);
    }
    return copy;
}
