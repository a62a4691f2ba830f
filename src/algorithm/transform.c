// Transforms: a block computes the outputs of one tile.
#include "algorithm.h"

static void choose(struct cuc__algorithm_problem *p)
{
    enum { TILE_BYTES = 16384, LEAST = 256 };
    const struct cuc__algorithm_kind *k = &p->kind;
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < k->input_count; i++)
        if (k->inputs[i].form == CUC__ALGORITHM_ELEMENTS)
            bytes += cuc_dtype_bits(k->inputs[i].dtype) / 8;
    for (uint32_t i = 0; i < k->output_count; i++)
        bytes += cuc_dtype_bits(k->outputs[i].dtype) / 8;
    if (!p->tile.elements)
        p->tile.elements = cuc__algorithm_fit(TILE_BYTES, bytes, LEAST);
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "\nkernel transform(");
    cuc__algorithm_put_inputs(t, p);
    cuc__algorithm_put_outputs(t, p, "N");
    t->length -= 2; // the last comma
    cuc__text_put(t, ")\n    const BN = %d\n    grid cdiv(N, BN)\n{\n    t = block(0)\n",
                  p->tile.elements);
    cuc__algorithm_put_count(t, p);
    if (k->device_count)
        cuc__text_put(t, "    if t * BN >= n { return }\n");
    cuc__algorithm_put_values(t, p, "    ", "");
    cuc__text_put(t, "    ");
    cuc__algorithm_put_each(t, k->output_count, "r%u");
    cuc__text_put(t, " = %s", p->fn ? p->fn_name : "");
    cuc__text_put(t, p->fn ? "(" : "");
    cuc__algorithm_put_each(t, k->values, "v%u");
    cuc__text_put(t, p->fn ? ")\n" : "\n");
    cuc__algorithm_put_stores(t, p);
    cuc__text_put(t, "}\n");
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_inputs(args, 0, c);

    count = cuc__algorithm_add_outputs(args, count, c);
    return cuc__algorithm_launch(c, 0, args, count);
}

const struct cuc__algorithm_family cuc__algorithm_transform = {
    .kernels = { "transform" },
    .by_element = true,
    .choose = choose,
    .put = put,
    .run = run,
};
