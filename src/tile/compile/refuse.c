// Rejects kernels that are correct but too large for any GPU.
#include "compile_steps.h"

#include "tile/ir/diagnostic.h"
#include "tile/layout/fragment.h"
#include "tile/ir/layout.h"

// The limit is 4096 elements per thread of the largest block: far more than its registers can hold,
// and too much PTX. The usual cause is a typo in an extent.
enum { MOST_ELEMENTS = 4096 * 1024 };

// Returns the name of an op in the source, in which broadcasts of constants are implicit.
static const char *source_name(const struct tile_op *op)
{
    if (op->kind != TILE_BROADCAST || !op->operand[0]->op ||
        op->operand[0]->op->kind != TILE_CONSTANT)
        return tile_op_infos[op->kind].name;
    return tile_is_zero(op->result[0]) ? "zeros" : "full";
}

bool tile_is_huge(const struct tile_value *value)
{
    const struct tile_type *type = &value->type;

    return !type->tensor && type->rank && tile_elements(type) > MOST_ELEMENTS;
}

// Reports only the first op of a chain: ops that use a huge tile are not the cause.
static void refuse_huge(struct tile_op *op, void *data)
{
    struct tile_module *module = data;

    for (uint32_t i = 0; i < op->operand_count; i++)
        if (tile_is_huge(op->operand[i]))
            return;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (tile_is_huge(op->result[i]))
            tile_error(module, TILE_T602, op->where,
                       "%s: a tile of %lld elements, expected no more than %d: make it smaller",
                       source_name(op), (long long)tile_elements(&op->result[i]->type),
                       MOST_ELEMENTS);
}

// Accumulators on tensor cores that take all of a block's registers leave none for the operands.
// ptxas 12.8 and 13.0 then spill f64 operands over the accumulators to which they are added, and
// the results are wrong. Such kernels are therefore rejected for correctness, not for speed.
struct accumulators {
    const struct tile_target *target;
    struct tile_module *module;
    bool has_roles; // the entry with roles divides its accumulators differently, so that they fit
};

static void refuse_accumulators(struct tile_op *op, void *data)
{
    enum { REGISTERS = 65536 }; // registers of a multiprocessor
    const struct accumulators *s = data;

    if (op->kind != TILE_MMA || !tile_fragment_of(op, s->target))
        return;
    const struct tile_type *sum = &op->result[0]->type;
    int64_t registers = sum->dtype == CUC_F64 ? 2 : 1;
    for (uint32_t i = 0; i < sum->rank; i++)
        registers <<= tile_bits_of(sum->extent[i]);
    if (registers < REGISTERS)
        return;
    if (s->has_roles)
        tile_remark(s->module, op->where, "mma: its accumulators do not fit in registers (%s, %s)",
                    tile_variant_name(TILE_ALIGNED_32), tile_variant_name(TILE_INDEX_64));
    else
        tile_error(s->module, TILE_T602, op->where,
                   "mma: its accumulators, with extents that are powers of two, take %lld "
                   "registers, and a block has %d for everything: make them half as many, such as "
                   "[128, %d]",
                   (long long)registers, REGISTERS, sum->dtype == CUC_F64 ? 128 : 256);
}

void tile_refuse_huge(struct tile_kernel *kernel)
{
    tile_walk(&kernel->body, refuse_huge, kernel->module);
}

void tile_refuse_accumulators(struct tile_kernel *kernel, const struct tile_target *target,
                              bool has_roles)
{
    struct accumulators accumulators = { target, kernel->module, has_roles };

    tile_walk(&kernel->body, refuse_accumulators, &accumulators);
}

bool tile_fits_code(const struct tile_kernel *kernel)
{
    enum { MOST_BYTES = 1024 * 1024 };
    static const char *const advice[TILE_OP_COUNT] = {
        [TILE_SORT] = "sort tiles that fit in shared memory",
        [TILE_TOPK] = "take the top of smaller tiles first, then the top of those",
        [TILE_SCAN] = "scan smaller tiles in a loop that carries the last result",
        [TILE_RANK] = "rank smaller tiles, or take more warps",
        [TILE_HISTOGRAM] = "count smaller tiles in a loop that adds up the counts",
    };
    const struct tile_op *op = kernel->module->network;

    if (!op || kernel->module->networks_bytes <= MOST_BYTES)
        return true;
    tile_error(kernel->module, TILE_T604, op->where,
               "%s: a tile of %lld elements takes %zu KB of PTX an entry, and the kernel's sorts, "
               "scans and histograms may take %u KB in all entries: %s",
               tile_op_word(op), (long long)tile_elements(&op->operand[0]->type),
               kernel->module->network_bytes / 1024, (unsigned)MOST_BYTES / 1024, advice[op->kind]);
    return false;
}
