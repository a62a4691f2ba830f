// The passes in order, for a target, and the text of a module.
#include "compile.h"

#include "diagnostic.h"
#include "emit/emit.h"
#include "emit/ring.h"
#include "layout/fragment.h"
#include "layout/layout.h"
#include "pass/ahead.h"
#include "pass/fused.h"
#include "pass/pipeline.h"
#include "remark.h"
#include "signature.h"

#include <stdio.h>

enum { MOST_ROUNDS = 4, MOST_WARPS = 32 };

bool tile_target_of(struct tile_target *target, int sm, bool specific, char *why, size_t room)
{
    // What a block may have at most: all of a multiprocessor's but 1 KiB.
    static const struct {
        int sm;
        uint32_t shared_kib;
    } machines[] = {
        { 80, 163 },  { 86, 99 },   { 87, 163 },  { 88, 99 },  { 89, 99 },  { 90, 227 },
        { 100, 227 }, { 103, 227 }, { 110, 227 }, { 120, 99 }, { 121, 99 },
    };

    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (machines[i].sm != sm)
            continue;
        *target = (struct tile_target){
            .sm = sm,
            .specific = specific,
            .shared_limit = machines[i].shared_kib * 1024,
            .contract = true,
        };
        return true;
    }
    snprintf(why, room,
             "tile programs are compiled for sm_80, 86, 87, 88, 89, 90, 100, 103, 110, "
             "120 and 121");
    return false;
}

// Debug builds look after each pass whether the IR still keeps its rules.
#ifdef NDEBUG
enum { VERIFIES = 0 };
#else
enum { VERIFIES = 1 };
#endif

static bool keeps_rules(struct tile_kernel *kernel, const char *after)
{
    return !VERIFIES || tile_verify_kernel(kernel, after);
}

void tile_simplify(struct tile_kernel *kernel)
{
    static const struct {
        const char *name;
        bool (*run)(struct tile_kernel *kernel);
    } passes[] = {
        { "folding", tile_fold },
        { "late widening", tile_widen_late },
        { "common subexpressions", tile_cse },
        { "loop-invariant motion", tile_hoist },
        { "dead code", tile_drop_dead },
    };

    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool changed = false;
        for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
            changed |= passes[i].run(kernel);
            if (!keeps_rules(kernel, passes[i].name))
                return;
        }
        if (!changed)
            break;
    }
}

// How much is done at once: the elements of the largest tile there is, and whether all of one line
// of it comes together.
struct measures {
    int64_t most, line; // elements; of the longest line that is reduced
    int64_t turned;     // bytes of an element of what is transposed
    uint32_t loads;     // of so many elements
    bool loops, halves; // something of 16 bits is loaded
    bool scans;
};

static void measure(struct tile_op *op, void *data)
{
    struct measures *m = data;

    for (uint32_t i = 0; i < op->result_count; i++) {
        const struct tile_type *type = &op->result[i]->type;
        int64_t elements = type->tensor || !type->rank ? 0 : tile_elements(type);
        if (elements > m->most) {
            m->most = elements;
            m->loads = 0;
        }
        m->loads += op->kind == TILE_LOAD && elements == m->most;
    }
    m->loops |= op->kind == TILE_FOR || op->kind == TILE_LOOP;
    m->scans |= op->kind == TILE_SCAN;
    if (op->kind == TILE_PERMUTE)
        m->turned = tile_bytes_of(op->operand[0]->type.dtype);
    m->halves |= op->kind == TILE_LOAD && cuc_dtype_bits(op->result[0]->type.dtype) == 16;
    if (op->kind != TILE_REDUCE)
        return;
    int64_t line = op->operand[0]->type.extent[tile_int(op, TILE_ATTR_AXIS, 0)];
    if (line > m->line)
        m->line = line;
}

static struct measures measures_of(const struct tile_kernel *kernel)
{
    struct measures m = { .most = 0 };

    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, measure, &m);
    return m;
}

// Whether a row comes together as a whole.
static bool is_row(const struct measures *m)
{
    return m->line == m->most && !m->loops;
}

// How many elements a thread has at most, before there are more warps than so many.
//
// 16 keep enough of memory busy and leave registers to compute with: fewer were slower in all norms
// of 16 bits on an H200, where more warps wait for one another. Of a row of 4096 elements of 32
// bits that comes together as a whole 8 were 1 % faster than 16, and of one of 8192 16 than 32. Of
// one of 16 bits that takes other rows with it 32 are better, since what threads do once is done
// for more of them, but 8 warps are to have it. Past 16 warps a thread takes up to 64, since blocks
// of 32 leave no room for a second one that loads meanwhile; of a row of 32 bits, and of what is
// scanned, 64 leave none either. What is transposed and no more waits for memory alone:
// 128 bytes a thread are loaded before the first is needed.
static int64_t most_elements(const struct measures *m, uint32_t warps)
{
    enum { SOME_WARPS = 8, MANY_WARPS = 16, TURNED_BYTES = 128, LONG_ROW = 4096 };
    bool row = is_row(m);

    if (warps >= MANY_WARPS)
        return (row && !m->halves) || m->scans ? 32 : 64;
    if (m->turned && !m->loops)
        return m->turned > 1 ? TURNED_BYTES / m->turned : 64;
    if (row && m->halves && m->loads > 1 && warps >= SOME_WARPS)
        return 32;
    return row && !m->halves && m->most >= LONG_ROW ? 8 : 16;
}

static uint32_t choose_warps(const struct tile_kernel *kernel, const struct tile_target *target)
{
    uint32_t warps = tile_fragment_warps(kernel, target);

    if (warps)
        return warps;
    struct measures m = measures_of(kernel);
    warps = 1;
    while (warps < MOST_WARPS && m.most > (int64_t)warps * 32 * most_elements(&m, warps))
        warps *= 2;
    return warps;
}

static void count_products(struct tile_op *op, void *data)
{
    *(uint32_t *)data += op->kind == TILE_MMA;
}

static void note_grids(struct tile_op *op, void *data)
{
    struct tile_kernel *kernel = data;

    kernel->waits_for_grids |= op->kind == TILE_GRID_WAIT;
    kernel->launches_grids |= op->kind == TILE_GRID_LAUNCH;
    // What other blocks have done is seen by a load that acquires, and by what an atomic op gives.
    kernel->keeps_order |= tile_op_infos[op->kind].traits & TILE_READS &&
                           (op->kind == TILE_ATOMIC
                                ? tile_uses(kernel, op->result[0]) > 0
                                : tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) == TILE_ACQUIRE);
}

static void drop_grids(struct tile_op *op, void *data)
{
    (void)data;
    if (op->kind == TILE_GRID_WAIT || op->kind == TILE_GRID_LAUNCH)
        tile_remove(op);
}

// For an entry with roles, which waits for other grids at its start.
static struct tile_kernel *copy_for_roles(const struct tile_kernel *kernel)
{
    struct tile_kernel *copy = tile_kernel_copy(kernel);

    if (copy)
        tile_walk(&copy->body, drop_grids, NULL);
    return copy;
}

// A copy of a kernel as its loop with several products has it; `by_warps`: each warp looks itself
// whether its rows are masked. NULL, and why not; or "", and it can be tried otherwise.
static struct tile_fused *prepare_fused(struct tile_kernel *copy, const struct tile_target *target,
                                        bool by_warps, const char **why)
{
    struct tile_fused *plan = copy ? tile_plan_fused(copy, target, why) : NULL;

    if (plan && plan->turns) {
        tile_join_sums_late(copy, plan);
        tile_version_work(copy, plan, by_warps);
        tile_narrow_places(copy);
        if (target->contract) {
            tile_let_quotients_be_rough(copy, plan);
            tile_contract(copy);
        }
        plan = tile_plan_fused(copy, target, why);
    }
    if (!plan)
        return NULL;
    tile_unshare_counts(copy);
    if (!tile_assign_layouts(copy, tile_fused_warps(plan)))
        return NULL;
    *why = by_warps && !tile_warps_are_apart(plan) ? "" : tile_settle_fused(copy, plan);
    if (*why || !keeps_rules(copy, "layouts of a loop with several products"))
        return NULL;
    return plan;
}

// An entry with roles for a loop with several products, or with work between. What else goes
// through shared memory takes the room of stages. False, and why not.
static bool compile_fused(const struct tile_kernel *kernel, const struct tile_target *target,
                          struct tile_text *out, struct tile_entry *entry, const char **why)
{
    struct tile_kernel *copy = copy_for_roles(kernel);
    struct tile_fused *plan = prepare_fused(copy, target, true, why);

    if (!plan && *why && !**why) {
        copy = copy_for_roles(kernel);
        plan = prepare_fused(copy, target, false, why);
    }
    if (!plan)
        return false;
    *entry = (struct tile_entry){ .name = NULL };
    while (!tile_emit_fused(kernel->module, copy, plan, target, out, entry))
        if (kernel->module->diagnostics->errors || kernel->module->diagnostics->out_of_memory ||
            !entry->dynamic_shared || --plan->base.stages < 2)
            return false;
    tile_remark_fused(kernel, plan);
    tile_remark_entry(kernel, entry);
    return true;
}

// The entry with roles, where the kernel is made for it and the target has them. False: there is
// none, which is no error.
static bool compile_pipeline(const struct tile_kernel *kernel, const struct tile_target *target,
                             struct tile_text *out, struct tile_entry *entry)
{
    struct tile_kernel *copy = copy_for_roles(kernel);
    const char *why = "";
    struct tile_pipeline *plan = copy ? tile_plan_pipeline(copy, target, &why) : NULL;

    if (!plan) {
        const char *not_fused = "";
        uint32_t products = 0;
        tile_walk((struct tile_block *)(uintptr_t)&kernel->body, count_products, &products);
        if (products && compile_fused(kernel, target, out, entry, &not_fused))
            return true;
        tile_remark_no_pipeline(kernel, products > 1 && not_fused ? not_fused : why);
        return false;
    }
    if (!tile_assign_layouts(copy, 4 * plan->groups) || !tile_settle_pipeline(copy, plan) ||
        !keeps_rules(copy, "layouts of a pipeline"))
        return false;
    // What else goes through shared memory takes the room of stages.
    *entry = (struct tile_entry){ .name = NULL };
    while (!tile_emit_pipeline(kernel->module, copy, plan, target, out, entry))
        if (kernel->module->diagnostics->errors || kernel->module->diagnostics->out_of_memory)
            return false;
        else if (plan->teams > 1) { // they must not need others behind the loop
            struct tile_target together = *target;
            together.warps = 0;
            return compile_pipeline(kernel, &together, out, entry);
        } else if (!plan->apart && (!entry->dynamic_shared || --plan->stages < 2))
            return false;
        else if (plan->apart) // perhaps their warps need one another
            tile_end_alone(plan);
    tile_remark_pipeline(kernel, plan);
    tile_remark_entry(kernel, entry);
    return true;
}

// A simplified kernel with the layouts of entries that have no roles.
struct laid_out {
    struct tile_kernel *kernel;
    struct tile_target target; // of this kernel
    uint32_t warps;
    uint32_t together;        // blocks that start together
    struct tile_ahead *ahead; // NULL: nothing is loaded ahead, and
    const char *why;          // why not
};

// With loads ahead where lines are aligned and there is room for it.
static bool emit_entry(const struct laid_out *as, enum tile_variant variant, struct tile_text *out,
                       struct tile_entry *entry)
{
    struct tile_module *module = as->kernel->module;
    bool done =
        as->ahead && variant != TILE_INDEX_64 &&
        tile_emit_entry(module, as->kernel, &as->target, as->warps, variant, as->ahead, out, entry);

    if (!done &&
        (module->diagnostics->errors || module->diagnostics->out_of_memory ||
         !tile_emit_entry(module, as->kernel, &as->target, as->warps, variant, NULL, out, entry)))
        return false;
    entry->cluster = as->together;
    return true;
}

// A row that comes together as a whole: with more than 32 elements a thread it waits in 16 bits,
// where it has them, and as many blocks are asked for as there is room for.
static uint32_t prepare_row(struct tile_kernel *kernel, const struct measures *m,
                            const struct tile_target *target, uint32_t warps)
{
    enum { MANY = 48 };
    uint32_t most = target->sm >= 86 && target->sm <= 88                         ? 16
                    : target->sm == 89 || target->sm == 120 || target->sm == 121 ? 24
                                                                                 : 32;

    if (!is_row(m))
        return 0;
    if (m->most >= (int64_t)MANY * 32 * warps && tile_make_again(kernel, m->most))
        tile_drop_dead(kernel);
    uint32_t blocks = tile_blocks_at_once(kernel, warps);
    return blocks < most ? blocks
                         : most; // no more have room on a multiprocessor, whatever they take
}

// 4096 elements in each thread of the largest block: far more than it has registers for, and PTX
// without end. It is a slip in an extent.
enum { MOST_ELEMENTS = 4096 * 1024 };

// What the source calls an op: a tile of one constant is a broadcast only here.
static const char *source_name(const struct tile_op *op)
{
    if (op->kind != TILE_BROADCAST || !op->operand[0]->op ||
        op->operand[0]->op->kind != TILE_CONSTANT)
        return tile_op_infos[op->kind].name;
    return tile_is_zero(op->result[0]) ? "zeros" : "full";
}

static bool is_huge(const struct tile_value *value)
{
    const struct tile_type *type = &value->type;

    return !type->tensor && type->rank && tile_elements(type) > MOST_ELEMENTS;
}

// The first of a chain: what is made of a huge tile is not its own slip.
static void refuse_huge(struct tile_op *op, void *data)
{
    struct tile_module *module = data;

    for (uint32_t i = 0; i < op->operand_count; i++)
        if (is_huge(op->operand[i]))
            return;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (is_huge(op->result[i]))
            tile_error(module, TILE_T602, op->where,
                       "%s: a tile of %lld elements, expected no more than %d: make it smaller",
                       source_name(op), (long long)tile_elements(&op->result[i]->type),
                       MOST_ELEMENTS);
}

// Sums of tensor cores that fill the registers of a block leave none to multiply with. ptxas 12.8
// and 13.0 then spill operands onto sums that they are multiplied into, of f64, and results are
// wrong: this is no matter of speed.
struct sums {
    const struct tile_target *target;
    struct tile_module *module;
    bool has_roles; // whose sums are elsewhere, and fit
};

static void refuse_sums(struct tile_op *op, void *data)
{
    enum { REGISTERS = 65536 }; // of a multiprocessor
    const struct sums *s = data;

    if (op->kind != TILE_MMA || !tile_fragment_of(op, s->target))
        return;
    const struct tile_type *sum = &op->result[0]->type;
    int64_t registers = sum->dtype == CUC_F64 ? 2 : 1;
    for (uint32_t i = 0; i < sum->rank; i++)
        registers <<= tile_bits_of(sum->extent[i]);
    if (registers < REGISTERS)
        return;
    if (s->has_roles)
        tile_remark(s->module, op->where, "mma: its sums do not fit in registers (%s, %s)",
                    tile_variant_name(TILE_ALIGNED_32), tile_variant_name(TILE_INDEX_64));
    else
        tile_error(s->module, TILE_T602, op->where,
                   "mma: its sums, with extents that are powers of two, take %lld registers, and a "
                   "block has %d for all that it does: make them half as many, such as [128, %d]",
                   (long long)registers, REGISTERS, sum->dtype == CUC_F64 ? 128 : 256);
}

// With operands that are copied ahead a warp has no other use for registers than sums: of more of
// them each that is read from shared memory is multiplied with more.
static struct tile_ahead *plan_ahead(struct tile_kernel *kernel, const struct tile_target *target,
                                     uint32_t *warps, const char **why)
{
    enum { OF_A_WARP = 64 * 64, OF_WIDE = 64 * 32, LEAST_WARPS = 4 };
    struct tile_ahead *plan = tile_plan_ahead(kernel, target, *warps, why), *other = NULL;
    uint32_t few = LEAST_WARPS;

    if (target->warps || !plan || !plan->alone)
        return plan;
    int64_t elements = tile_elements(&plan->alone->result[0]->type);
    bool wide = plan->alone->operand[0]->type.dtype == CUC_F64 ||
                tile_int(plan->alone, TILE_ATTR_PRECISION, TILE_IEEE) == TILE_TF32X3;
    while (elements > (int64_t)few * (wide ? OF_WIDE : OF_A_WARP))
        few *= 2;
    const char *why_other;
    if (few < *warps)
        other = tile_plan_ahead(kernel, target, few, &why_other);
    if (!other || !other->alone)
        return plan;
    *warps = few;
    return other;
}

// Rows of 32 bits with 8 elements a thread were faster on an H200 when neighbours start at the same
// time, perhaps since they then read and write side by side: softmax of 65536 rows by 0.7 % in
// clusters of 2 blocks and by 1.8 % in those of 4, of 8192 rows by no more than runs are apart.
// With 16 elements it made no difference, and with 32 warps it was slower.
static uint32_t blocks_together(const struct measures *m, const struct tile_target *target,
                                uint32_t warps)
{
    enum { ELEMENTS = 8, WARPS = 16, TOGETHER = 2 };

    return target->sm == 90 && warps == WARPS && is_row(m) && !m->halves &&
                   m->most == (int64_t)ELEMENTS * 32 * WARPS
               ? TOGETHER
               : 1;
}

static bool lay_out(struct tile_kernel *kernel, const struct tile_target *target, uint32_t warps,
                    struct laid_out *out)
{
    struct measures m = measures_of(kernel);

    out->kernel = kernel;
    out->target = *target;
    out->together = blocks_together(&m, target, warps);
    out->target.blocks = prepare_row(kernel, &m, target, warps);
    out->target.orders_all = tile_fragment_warps(kernel, target) > 0; // is nothing beside products
    out->warps = warps;
    out->ahead = plan_ahead(kernel, target, &out->warps, &out->why);
    tile_give_fragments(kernel, target, out->warps);
    return tile_assign_layouts(kernel, out->warps) &&
           (target->brief || tile_store_lines(kernel, target, out->warps)) &&
           (!out->ahead || tile_settle_ahead(kernel, out->ahead)) && keeps_rules(kernel, "layouts");
}

bool tile_lay_out(struct tile_module *module, const struct tile_target *target)
{
    struct laid_out out;

    for (struct tile_kernel *kernel = module->first; kernel; kernel = kernel->next) {
        uint32_t warps = target->warps ? target->warps : choose_warps(kernel, target);
        tile_simplify(kernel);
        if (target->contract)
            tile_find_rough(kernel);
        if (!lay_out(kernel, target, warps, &out))
            return false;
    }
    return !module->diagnostics->errors && !module->diagnostics->out_of_memory;
}

// Of the entries without roles, and of the last one, which takes what no other does. Few warps with
// many sums each are for the fastest alone: most of a program's instructions are there for each sum
// of a thread, and an assembler's time goes with them.
static bool lay_out_entries(struct tile_kernel *kernel, const struct tile_target *target,
                            uint32_t warps, bool has_roles, struct laid_out *out,
                            struct laid_out *last)
{
    struct tile_target whole = *target;
    bool products = tile_fragment_warps(kernel, target),
         few = products && !has_roles && !target->warps;
    struct tile_kernel *copy = products ? tile_kernel_copy(kernel) : kernel;

    whole.warps = has_roles ? choose_warps(kernel, target) : warps; // those of roles are asked for
    if (!copy || !lay_out(kernel, few ? target : &whole, whole.warps, out))
        return false;
    out->target.brief = has_roles;
    *last = *out;
    whole.brief = true;
    if (products && !lay_out(copy, &whole, whole.warps, last))
        return false;
    last->target.blocks = 0; // its elements come one by one, a register each
    return true;
}

static bool compile_kernel(struct tile_kernel *kernel, const struct tile_target *target,
                           struct tile_text *out)
{
    enum { VARIANTS = 3 };
    static const enum tile_variant variants[VARIANTS] = { TILE_ALIGNED_32, TILE_OVERLAP_32,
                                                          TILE_INDEX_64 };
    struct tile_entry entry[1 + VARIANTS];
    uint32_t warps = target->warps ? target->warps : choose_warps(kernel, target);
    uint32_t entries = 0;

    tile_simplify(kernel);
    tile_walk(&kernel->body, refuse_huge, kernel->module);
    tile_walk(&kernel->body, note_grids, kernel);
    if (kernel->module->diagnostics->errors)
        return false;
    if (target->contract)
        tile_find_rough(kernel);
    entries += compile_pipeline(kernel, target, out, &entry[0]);
    struct sums sums = { target, kernel->module, entries > 0 };
    tile_walk(&kernel->body, refuse_sums, &sums);
    if (!tile_review(kernel, target, entries > 0))
        return false;
    struct laid_out laid, last;
    if (!lay_out_entries(kernel, target, warps, entries > 0, &laid, &last))
        return false;
    tile_remark_ahead(kernel, laid.ahead, laid.why);
    for (uint32_t i = 0; i < VARIANTS; i++) {
        const struct laid_out *as = variants[i] == TILE_INDEX_64 ? &last : &laid;
        if (variants[i] == TILE_OVERLAP_32 && !entry[entries - 1].presumes_apart)
            continue;
        if (!emit_entry(as, variants[i], out, &entry[entries]))
            return false;
        tile_remark_entry(kernel, &entry[entries++]);
    }
    return tile_signature_put(out, kernel, tile_written_parameters(kernel), entry, entries);
}

bool tile_compile(struct tile_module *module, const struct tile_target *target,
                  struct tile_compiled *out)
{
    struct tile_text text = { .module = module };

    tile_put(&text,
             "// made by cucore's tile compiler\n.version 9.0\n.target sm_%d%s\n"
             ".address_size 64\n"
             ".extern .shared .align %d .b8 dynamic_scratch[];\n",
             target->sm, target->specific ? "a" : "", target->sm == 90 ? 1024 : 128);
    if (target->lineinfo)
        tile_put(&text, ".file 1 \"%s\"\n", module->file ? module->file : "program.tile");
    // What is wrong with one says nothing of the next, which is looked at all the same.
    struct tile_diagnostics *d = module->diagnostics;
    bool whole = true;
    for (struct tile_kernel *kernel = module->first; kernel && !d->out_of_memory;
         kernel = kernel->next) {
        d->earlier += d->errors;
        d->errors = 0;
        whole &= compile_kernel(kernel, target, &text);
    }
    d->errors += d->earlier;
    d->earlier = 0;
    if (!whole)
        return false;
    out->ptx = text.at;
    out->ptx_bytes = text.length;
    return !module->diagnostics->errors && !module->diagnostics->out_of_memory;
}
