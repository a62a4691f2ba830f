// Derives the inputs of the cost model (cost.h) from a kernel: grid, largest matrix product, loop
// iterations, and bytes of the tensors. The caller gives the extents; the IR determines everything
// else.
#include "choose.h"

#include "block_model.h"
#include "compile_steps.h"
#include "cost.h"
#include "tile/ir/diagnostic.h"
#include "tile/ir/host.h"
#include "tile/layout/fragment.h"
#include "tile/pass/fused.h"
#include "tile/pass/pipeline.h"
#include "tile/ir/scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 64, APART_BITS = 48 };

// A hypothetical launch.
struct launch {
    struct tile_binding_set set;
    struct tile_argument argument[MOST_PARAMETERS];
    cuc_tensor tensor[MOST_PARAMETERS];
    int64_t dimension[MOST_PARAMETERS * TILE_MAX_RANK];
    int64_t grid[3];
    double bytes; // size of all tensors
};

static bool given(const struct tile_choosing *how, const char *name, int64_t *out)
{
    size_t length = strlen(name);

    for (uint32_t i = 0; i < how->dimensions; i++)
        if (strncmp(how->dimension[i], name, length) == 0 && how->dimension[i][length] == '=') {
            *out = strtoll(how->dimension[i] + length + 1, NULL, 0);
            return true;
        }
    return false;
}

static bool make_tensor(struct launch *l, const struct tile_parameter *p, uint32_t index, char *why,
                        size_t capacity)
{
    cuc_tensor *t = &l->tensor[index];
    int64_t stride = 1;

    t->dtype = p->value->type.dtype;
    t->rank = (int32_t)p->value->type.rank;
    t->data = (uint64_t)(index + 1) << APART_BITS;
    for (int32_t axis = 0; axis < t->rank; axis++) {
        const struct tile_extent *x = &p->extent[axis];
        t->shape[axis] = x->kind == TILE_EXTENT_NAMED ? l->dimension[x->dimension] : x->value;
        if (x->kind == TILE_EXTENT_CHECKED &&
            !tile_host_evaluate(&l->set, x->check, &t->shape[axis], why, capacity))
            return false;
    }
    for (int32_t axis = t->rank; axis-- > 0;) {
        t->strides[axis] = stride;
        if (__builtin_mul_overflow(stride, t->shape[axis] > 0 ? t->shape[axis] : 1, &stride))
            return snprintf(why, capacity, "%s is larger than memory", p->name) < 0;
    }
    l->bytes += (double)stride * cuc_dtype_bits(t->dtype) / 8;
    return true;
}

// Returns 1 if the kernel can be launched, 0 if it cannot with these constants, and -1 if that is
// unknown.
static int make_launch(struct launch *l, const struct tile_kernel *k,
                       const struct tile_choosing *how, char *why, size_t capacity)
{
    l->set = (struct tile_binding_set){ k, l->argument, l->dimension };
    if (k->parameter_count > MOST_PARAMETERS || !k->grid_rank) {
        snprintf(why, capacity,
                 k->grid_rank ? "it has too many parameters" : "it declares no grid");
        return -1;
    }
    for (uint32_t i = 0; i < k->dimension_count; i++)
        if (!given(how, k->dimension[i].name, &l->dimension[i])) {
            snprintf(why, capacity, "its dimension %s is not given", k->dimension[i].name);
            return -1;
        }
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct tile_parameter *p = &k->parameter[i];
        int64_t value = 0;
        if (p->value->type.tensor) {
            l->argument[i].tensor = &l->tensor[i];
            continue;
        }
        (void)given(how, p->name, &value);
        l->argument[i].dtype = p->value->type.dtype;
        l->argument[i].scalar = tile_is_integer(p->value->type.dtype)
                                    ? tile_element_of_int(p->value->type.dtype, value)
                                    : 0;
    }
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameter[i].value->type.tensor &&
            !make_tensor(l, &k->parameter[i], i, why, capacity))
            return 0;
    return tile_bind_arguments(&l->set, k->parameter_count, why, capacity) &&
           tile_host_grid(&l->set, l->grid, why, capacity);
}

// ---- Products

struct products {
    const struct tile_kernel *kernel;
    const struct tile_op *first;
    double iterations; // iterations of the first product's loop
    double work;       // multiply-adds of all matrix products in one block
};

static void look_at(struct tile_op *op, void *data)
{
    struct products *p = data;

    if (op->kind != TILE_MMA)
        return;
    double iterations = 1;
    for (const struct tile_op *loop = op->parent->parent; loop; loop = loop->parent->parent)
        iterations *= loop->kind == TILE_FOR ? tile_usual_iterations(p->kernel, loop) : 1;
    const struct tile_type *x = &op->operand[0]->type;
    p->work += iterations * (double)tile_elements(&op->result[0]->type) * x->extent[x->rank - 1];
    if (!p->first) {
        p->first = op;
        p->iterations = iterations;
    }
}

// Describes how an operand's tiles lie in its tensor.
static void measure_tiles(struct tile_work *w, const struct launch *l, const struct tile_stream *s,
                          bool of_columns)
{
    const struct tile_attribute *shape = tile_attribute(s->load, TILE_ATTR_SHAPE);
    const cuc_tensor *t = &l->tensor[s->load->operand[0]->index];
    uint32_t axis = s->mn_major ? s->last : s->other;
    int64_t lines = 1;

    if (s->load->operand[0]->op || s->gather) // a slice whose end is unknown, or arbitrary rows
        return;
    for (int32_t i = 0; i < t->rank; i++)
        if (i != (int32_t)s->last)
            lines *= shape->ints[i];
    if (axis < (uint32_t)t->rank)
        tile_work_put_end(w, t->shape[axis], shape->ints[axis]);
    if (t->rank > 1)
        tile_work_put_lines(w, of_columns, lines, shape->ints[s->last] * s->element,
                            t->strides[s->last ? s->last - 1 : 1] * s->element);
}

// Repeats the compiler's planning on copies of the kernel. True if it finds a pipeline.
static bool has_pipeline(const struct launch *l, const struct tile_kernel *kernel,
                         const struct tile_target *target, struct tile_work *w)
{
    struct tile_kernel *copy = tile_kernel_copy(kernel);
    const char *why;

    if (!copy)
        return false;
    struct tile_pipeline *plan = tile_plan_pipeline(copy, target, false, &why);
    if (plan) {
        w->promotes = plan->promotes;
        for (int i = 0; i < 2; i++)
            measure_tiles(w, l, &plan->stream[i], i);
        return true;
    }
    copy = tile_kernel_copy(kernel);
    if (copy)
        (void)tile_swap_computed(copy);
    return copy && tile_plan_fused(copy, target, &why);
}

// Learns which implementation of a product the compiler chooses.
static enum tile_mma_path path_of(const struct launch *l, const struct tile_kernel *kernel,
                                  const struct tile_target *target, const struct tile_op *mma,
                                  struct tile_work *w)
{
    struct tile_kernel *copy;

    if (has_pipeline(l, kernel, target, w) ||
        ((copy = tile_kernel_copy(kernel)) && tile_separate_operands(copy, false) &&
         has_pipeline(l, copy, target, w)))
        return TILE_MMA_PATH_PIPELINE;
    return tile_fragment_of(mma, target) ? TILE_MMA_PATH_SYNC : TILE_MMA_PATH_FMA;
}

// Makes the launch the one that the host expects.
static void expect_launch(struct tile_kernel *kernel, const struct launch *l)
{
    enum { MOST_BLOCKS = 1 << 20 };

    for (uint32_t i = 0; i < kernel->dimension_count; i++)
        kernel->dimension[i].given = l->dimension[i];
    kernel->blocks = 1;
    for (uint32_t i = 0; i < 3; i++) {
        kernel->given_grid[i] = l->grid[i];
        kernel->blocks *= l->grid[i] < MOST_BLOCKS ? l->grid[i] : MOST_BLOCKS;
    }
}

// Predicts a kernel without products: it takes as long as memory for all tensors, or as a
// multiprocessor for its blocks.
static double seconds_without_products(const struct launch *l, const struct tile_machine *m,
                                       const struct tile_kernel *kernel,
                                       const struct tile_target *target)
{
    double blocks = ceil((double)kernel->blocks / m->multiprocessors);
    double moved = l->bytes / m->memory_bytes, worked = blocks * tile_block_clocks(kernel, target);

    // If both are close, each delays the other.
    return sqrt(sqrt(pow(moved, 4) + pow(worked, 4))) / (1e6 * m->megahertz);
}

bool tile_estimate(double *seconds, struct tile_kernel *kernel, const struct tile_choosing *how,
                   char *why, size_t capacity)
{
    const struct tile_machine *known = tile_machine_of(how->target->sm);
    struct launch *l = tile_take(kernel->module, sizeof(*l));
    struct products p = { .kernel = kernel };
    struct tile_machine m;
    int can;

    *seconds = 0;
    snprintf(why, capacity, "there is no memory, or no such machine");
    if (!l || !known || (can = make_launch(l, kernel, how, why, capacity)) < 0)
        return false;
    if (!can)
        return true;
    expect_launch(kernel, l);
    m = *known;
    if (how->multiprocessors)
        m.multiprocessors = how->multiprocessors;
    tile_simplify(kernel);
    tile_refuse_huge(kernel);
    if (kernel->module->diagnostics->errors) {
        snprintf(why, capacity, "tiles are too large for a block");
        return true;
    }
    tile_walk(&kernel->body, look_at, &p);
    if (!p.first) {
        *seconds = seconds_without_products(l, &m, kernel, how->target);
        return true;
    }
    double blocks = (double)l->grid[0] * (double)l->grid[1] * (double)l->grid[2];
    const struct tile_type *acc = &p.first->result[0]->type, *x = &p.first->operand[0]->type;
    struct tile_work w = {
        .operand = x->dtype,
        .rows = (uint32_t)acc->extent[acc->rank - 2],
        .columns = (uint32_t)acc->extent[acc->rank - 1],
        .blocks = (int64_t)fmin(blocks, 1e15),
        .iterations = (int64_t)p.iterations,
        .cluster = how->target->cluster > 1 ? how->target->cluster : 1,
        .split = 1,
        .parts = 1,
        .warps = how->target->warps,
        .stored_bytes = 2,
        .unique_bytes = l->bytes,
    };
    // Other products in the loop lengthen an iteration. Count them as additional depth.
    double depth = p.iterations > 0 ? p.work / p.iterations / w.rows / w.columns : 0;
    w.depth = (uint32_t)ceil(depth);
    w.thrice = x->dtype == CUC_F32 &&
               tile_int(p.first, TILE_ATTR_PRECISION, TILE_IEEE) == TILE_TF32X3;
    w.path = path_of(l, kernel, how->target, p.first, &w);
    tile_refuse_accumulators(kernel, how->target, w.path == TILE_MMA_PATH_PIPELINE);
    if (kernel->module->diagnostics->errors) {
        snprintf(why, capacity, "tiles are too large for a block");
        return true;
    }
    *seconds = tile_work_seconds(&m, &w);
    return true;
}

static uint32_t multiprocessors_of(const struct tile_choosing *how)
{
    enum { USUAL = 132 };

    return how->multiprocessors ? how->multiprocessors : USUAL;
}

void tile_note_grid(struct tile_kernel *kernel, const struct tile_choosing *how)
{
    enum { MOST_ITERATIONS = 1 << 20 };
    struct launch *l = tile_take(kernel->module, sizeof(*l));
    char why[256];

    if (!l || make_launch(l, kernel, how, why, sizeof(why)) <= 0)
        return;
    expect_launch(kernel, l);
    kernel->fills_device = kernel->blocks >= multiprocessors_of(how);
    struct products p = { .kernel = kernel };
    tile_walk(&kernel->body, look_at, &p);
    kernel->iterations = (int64_t)fmin(p.iterations, MOST_ITERATIONS);
}

void tile_remark_grid(const struct tile_kernel *kernel, const struct tile_choosing *how)
{
    enum { LEAST_ITERATIONS = 4 }; // of each block that shares a loop with products
    uint32_t all = multiprocessors_of(how), parts = 2;
    char remedy[64] = "use smaller tiles";
    int64_t blocks = kernel->blocks;
    uint32_t most = kernel->iterations ? TILE_PORTABLE_PARTS : TILE_MOST_PARTS;

    if (!blocks || blocks >= all || kernel->splits)
        return;
    while (parts < most && blocks * parts < all)
        parts *= 2;
    if (kernel->may_split &&
        (!kernel->iterations || kernel->iterations >= LEAST_ITERATIONS * parts))
        snprintf(remedy, sizeof(remedy), "split the loop (split=%u)", parts);
    tile_remark(kernel->module, kernel->where,
                "kernel: %s: a grid of %lld block%s for %u multiprocessors: %s", kernel->name,
                (long long)blocks, blocks == 1 ? "" : "s", all, remedy);
}
