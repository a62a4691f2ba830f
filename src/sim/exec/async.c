// Asynchronous copies, stores and reductions, and other instructions that affect timing but not
// values. All operations complete when they are issued, as the ISA permits: they signal their
// mbarrier at once, and waiting for a bulk group does nothing.
#include "async.h"
#include "base/array.h"
#include "sim/check/check_race.h"
#include "formats.h"
#include "mbarrier.h"
#include "memory.h"

#include <string.h>

enum { LAUNCH_FAILED = 719, ILLEGAL_INSTRUCTION = 715 };

// Reductions

#define COMBINE(name, ...)                         \
    static uint64_t name(uint64_t old, uint64_t x) \
    {                                              \
        return (uint64_t)(__VA_ARGS__);            \
    }
COMBINE(add_u32, (uint32_t)(old + x))
COMBINE(add_u64, old + x)
COMBINE(min_u32, x < old ? x : old)
COMBINE(max_u32, x > old ? x : old)
COMBINE(min_s32, (uint32_t)((int32_t)x < (int32_t)old ? x : old))
COMBINE(max_s32, (uint32_t)((int32_t)x > (int32_t)old ? x : old))
COMBINE(min_s64, (int64_t)x < (int64_t)old ? x : old)
COMBINE(max_s64, (int64_t)x > (int64_t)old ? x : old)
COMBINE(inc_u32, old >= x ? 0 : old + 1)
COMBINE(dec_u32, old == 0 || old > x ? x : old - 1)
COMBINE(and_bits, old &x)
COMBINE(or_bits, old | x)
COMBINE(xor_bits, old ^ x)

// Adds two f32 as red does in global memory, where subnormals become zeros.
static uint64_t add_f32(uint64_t old, uint64_t x)
{
    float a = sim_flush32(sim_float32((uint32_t)old)), b = sim_flush32(sim_float32((uint32_t)x));
    return sim_canonical32(sim_flush32(a + b));
}

static uint64_t add_f64(uint64_t old, uint64_t x)
{
    return sim_bits64(sim_float64(old) + sim_float64(x));
}

static uint64_t add_f16(uint64_t old, uint64_t x)
{
    return sim_f32_to_f16(sim_f16_to_f32((uint32_t)old) + sim_f16_to_f32((uint32_t)x));
}

static uint64_t add_bf16(uint64_t old, uint64_t x)
{
    return sim_f32_to_bf16(sim_bf16_to_f32((uint32_t)old) + sim_bf16_to_f32((uint32_t)x));
}

// Returns the lesser (`greatest`: the greater) of two numbers, where -0 is less than +0. If only
// one is a NaN, returns the other.
static uint64_t least(uint64_t a, uint64_t b, uint64_t infinity, bool greatest)
{
    bool a_nan = (a & 0x7fff) > infinity, b_nan = (b & 0x7fff) > infinity;
    int a_key = a >> 15 ? -(int)(a & 0x7fff) - 1 : (int)a;
    int b_key = b >> 15 ? -(int)(b & 0x7fff) - 1 : (int)b;

    if (a_nan || b_nan)
        return a_nan && b_nan ? 0x7fff : a_nan ? b : a;
    return (a_key < b_key) != greatest ? a : b;
}
COMBINE(min_f16, least(old, x, 0x7c00, false))
COMBINE(max_f16, least(old, x, 0x7c00, true))
COMBINE(min_bf16, least(old, x, 0x7f80, false))
COMBINE(max_bf16, least(old, x, 0x7f80, true))

static const struct sim_reduction reductions[] = {
    { "add", SIM_U32, true, add_u32 },  { "add", SIM_S32, true, add_u32 },
    { "add", SIM_U64, true, add_u64 },  { "add", SIM_S64, true, add_u64 },
    { "add", SIM_F16, false, add_f16 }, { "add", SIM_BF16, false, add_bf16 },
    { "add", SIM_F32, false, add_f32 }, { "add", SIM_F64, false, add_f64 },
    { "min", SIM_U32, true, min_u32 },  { "min", SIM_S32, true, min_s32 },
    { "min", SIM_U64, false, min_u32 }, { "min", SIM_S64, false, min_s64 },
    { "min", SIM_F16, false, min_f16 }, { "min", SIM_BF16, false, min_bf16 },
    { "max", SIM_U32, true, max_u32 },  { "max", SIM_S32, true, max_s32 },
    { "max", SIM_U64, false, max_u32 }, { "max", SIM_S64, false, max_s64 },
    { "max", SIM_F16, false, max_f16 }, { "max", SIM_BF16, false, max_bf16 },
    { "inc", SIM_U32, true, inc_u32 },  { "dec", SIM_U32, true, dec_u32 },
    { "and", SIM_B32, true, and_bits }, { "and", SIM_B64, false, and_bits },
    { "or", SIM_B32, true, or_bits },   { "or", SIM_B64, false, or_bits },
    { "xor", SIM_B32, true, xor_bits }, { "xor", SIM_B64, false, xor_bits },
};

const struct sim_reduction *sim_reduction_find(const char *operation, enum sim_type type)
{
    for (size_t i = 0; i < CUC_LENGTH(reductions); i++)
        if (type == reductions[i].type && strcmp(operation, reductions[i].operation) == 0)
            return &reductions[i];
    return NULL;
}

const char *sim_reduction_word(const struct sim_words *words)
{
    static const char *const operations[] = {
        "add", "min", "max", "inc", "dec", "and", "or", "xor"
    };

    for (size_t i = 0; i < CUC_LENGTH(operations); i++)
        if (sim_has(words, operations[i]))
            return operations[i];
    return NULL;
}

#define REDUCE(type)                                                                          \
    do {                                                                                      \
        for (size_t i = 0; i < bytes / sizeof(type); i++) {                                   \
            type *place = (type *)to + i, x, old = __atomic_load_n(place, __ATOMIC_RELAXED);  \
            memcpy(&x, (const type *)from + i, sizeof(x));                                    \
            while (!__atomic_compare_exchange_n(place, &old, (type)r->combine(old, x), false, \
                                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {        \
            }                                                                                 \
        }                                                                                     \
    } while (0)

void sim_reduce(const struct sim_reduction *r, void *to, const void *from, size_t bytes)
{
    switch (sim_type_bytes(r->type)) {
    case 2:
        REDUCE(uint16_t);
        break;
    case 4:
        REDUCE(uint32_t);
        break;
    default:
        REDUCE(uint64_t);
        break;
    }
}

// Fields of `extra` of bulk copies.
enum {
    TO_SPACE = 0xf,
    FROM_SHIFT = 4,
    MULTICAST = 1 << 8,
    BYTE_MASK = 1 << 9,     // operand 3 or 4 is a mask that selects bytes of each 16
    MASK_OPERAND = 1 << 10, // the mask is operand 4 and follows a policy; otherwise it is operand 3
};

// Checks that the size of a bulk copy is a multiple of 16. Addresses must be too.
static bool check_size(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint32_t bytes)
{
    if (bytes % 16 == 0)
        return true;
    sim_fault(w, op, lane, ILLEGAL_INSTRUCTION,
              "a bulk copy of %u bytes, which is not a multiple of 16", bytes);
    return false;
}

bool sim_same_block(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint64_t a,
                    uint64_t b)
{
    if (sim_rank_of(w, a) == sim_rank_of(w, b))
        return true;
    sim_fault(w, op, lane, LAUNCH_FAILED,
              "the destination is in block %u of the cluster, its mbarrier in block %u",
              sim_rank_of(w, a), sim_rank_of(w, b));
    return false;
}

// Copies into shared memory. o[0]: destination, o[1]: source, o[2]: bytes, o[3]: mbarrier, o[4]:
// mask of the blocks to which a multicast writes.
static enum sim_next run_bulk_in(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    enum sim_space from_space = (enum sim_space)(op->extra >> FROM_SHIFT & 0xf);
    enum sim_space to_space = (enum sim_space)(op->extra & TO_SPACE);
    const struct sim_reduction *r = op->data;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), bytes = SIM_R32(w, op->o[2])[lane];
        uint64_t to = sim_address(w, op, 0, lane), barrier = sim_address(w, op, 3, lane);
        uint32_t blocks = 1;
        void *source, *place;
        if (!check_size(w, op, lane, bytes))
            return SIM_FAULT;
        if (from_space == SIM_SHARED
                ? !sim_reach_shared(w, op, lane, from_space, sim_address(w, op, 1, lane), bytes, 16,
                                    SIM_READ, &source)
                : !sim_reach_range(w, op, lane, from_space, sim_address(w, op, 1, lane), bytes, 16,
                                   SIM_READ, &source))
            return SIM_FAULT;
        if (!(op->extra & MULTICAST) && !sim_same_block(w, op, lane, to, barrier))
            return SIM_FAULT;
        if (op->extra & MULTICAST)
            blocks = SIM_R32(w, op->o[4])[lane] & 0xffff;
        if (blocks >> (op->extra & MULTICAST ? w->block->cluster->count : 1))
            return sim_fault(w, op, lane, LAUNCH_FAILED,
                             "a multicast to blocks 0x%x of a cluster of %u", blocks,
                             w->block->cluster->count);
        for (; blocks; blocks &= blocks - 1) {
            uint32_t rank = (uint32_t)__builtin_ctz(blocks);
            if (op->extra & MULTICAST) {
                to = sim_in_rank(to, rank);
                barrier = sim_in_rank(barrier, rank);
            }
            if (!sim_reach_shared(w, op, lane, to_space, to, bytes, 16, r ? SIM_UPDATE : SIM_WRITE,
                                  &place))
                return SIM_FAULT;
            if (r)
                sim_reduce(r, place, source, bytes);
            else
                memmove(place, source, bytes);
            if (!sim_mbarrier_complete(w, op, lane, to_space, barrier, bytes))
                return SIM_FAULT;
        }
    }
    return SIM_NEXT;
}

// Copies the bytes that `which` selects in each 16 bytes. Does not access the other bytes.
static bool copy_masked(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                        unsigned char *to, const unsigned char *from, uint32_t bytes,
                        uint32_t which)
{
    uint64_t offset = (uint64_t)(from - w->block->shared);

    for (uint32_t i = 0; i < bytes; i++) {
        if (!(which >> i % 16 & 1))
            continue;
        if (sim_checks & SIM_CHECK_ACCESS &&
            (!sim_check_access(w, op, lane, w->block, offset + i, 1, SIM_READ) ||
             !sim_check_access(w, op, lane, NULL, (uint64_t)(uintptr_t)to + i, 1, SIM_WRITE)))
            return false;
        to[i] = from[i];
    }
    return true;
}

// Copies from shared to global memory. o[0]: destination, o[1]: source, o[2]: bytes, followed by a
// policy and a byte mask.
static enum sim_next run_bulk_out(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct sim_reduction *r = op->data;
    const bool masked = op->extra & BYTE_MASK;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), bytes = SIM_R32(w, op->o[2])[lane];
        void *source, *place;
        if (!check_size(w, op, lane, bytes) ||
            !sim_reach_shared(w, op, lane, SIM_SHARED, sim_address(w, op, 1, lane), bytes, 16,
                              masked ? SIM_BOUNDS : SIM_READ, &source) ||
            !sim_reach_range(w, op, lane, SIM_GLOBAL, sim_address(w, op, 0, lane), bytes, 16,
                             masked ? SIM_BOUNDS
                             : r    ? SIM_UPDATE
                                    : SIM_WRITE,
                             &place))
            return SIM_FAULT;
        if (r) {
            sim_reduce(r, place, source, bytes);
        } else if (masked) {
            uint32_t which = SIM_R32(w, op->o[op->extra & MASK_OPERAND ? 4 : 3])[lane];
            if (!copy_masked(w, op, lane, place, source, bytes, which))
                return SIM_FAULT;
        } else {
            memcpy(place, source, bytes);
        }
    }
    return SIM_NEXT;
}

static enum sim_next run_nothing(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)w;
    (void)op;
    (void)mask;
    return SIM_NEXT;
}

// Reports the end of a group of copies, which matters only to the race check.
static enum sim_next run_commit(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)op;
    (void)mask;
    if (sim_race_on())
        sim_race_commit(w, SIM_GROUPS_BULK);
    return SIM_NEXT;
}

static enum sim_next run_wait(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)mask;
    if (sim_race_on())
        sim_race_wait(w, SIM_GROUPS_BULK, op->extra);
    return SIM_NEXT;
}

// Rows

bool sim_async_target(const struct sim_words *words, int least)
{
    if (words->module->target >= least)
        return true;
    *words->why = least < 100 ? "it needs .target sm_90 or above"
                              : "it needs .target sm_100 or above";
    return false;
}

// Returns the n-th state space in the order written.
static enum sim_space nth_space(const struct sim_words *words, uint32_t n)
{
    for (uint32_t i = 1; i < words->statement->words; i++) {
        const char *word = words->statement->word[i];
        enum sim_space space = strcmp(word, "global") == 0            ? SIM_GLOBAL
                               : strcmp(word, "shared::cta") == 0     ? SIM_SHARED
                               : strcmp(word, "shared::cluster") == 0 ? SIM_SHARED_CLUSTER
                                                                      : SIM_GENERIC;
        if (space != SIM_GENERIC && n-- == 0)
            return space;
    }
    return SIM_GENERIC;
}

// Looks up the reduction if the words include `reduce`. False if there is no such reduction.
static bool reduction_of(const struct sim_words *words, struct sim_op *op, bool shared)
{
    const char *operation = sim_reduction_word(words);
    const struct sim_reduction *r;
    bool half = words->type[0] == SIM_F16 || words->type[0] == SIM_BF16;
    bool noftz = sim_has(words, "noftz");

    if (!sim_has(words, "reduce"))
        return !words->types && !operation && !noftz;
    if (words->types != 1 || !operation)
        return false;
    r = sim_reduction_find(operation, words->type[0]);
    // Only red.async can add s64.
    if (!r || (r->type == SIM_S64 && strcmp(operation, "add") == 0) || (shared && !r->shared) ||
        noftz != (half && strcmp(operation, "add") == 0))
        return false;
    op->data = r;
    return true;
}

static sim_handler *pick_bulk_in(const struct sim_words *words, struct sim_op *op)
{
    enum sim_space to = nth_space(words, 0), from = nth_space(words, 1);
    bool multicast = sim_has(words, "multicast::cluster");
    bool hint = sim_has(words, "L2::cache_hint"), reduce = sim_has(words, "reduce");

    if (!sim_has(words, "async") || !sim_has(words, "bulk") ||
        !sim_has(words, "mbarrier::complete_tx::bytes") ||
        words->statement->operands != 4u + multicast + hint || to == SIM_GLOBAL ||
        (from == SIM_GLOBAL ? reduce
                            : from != SIM_SHARED || to != SIM_SHARED_CLUSTER || multicast || hint))
        return NULL;
    if ((multicast && to != SIM_SHARED_CLUSTER) || !reduction_of(words, op, true) ||
        !sim_async_target(words, 90))
        return NULL;
    op->extra = (uint32_t)to | (uint32_t)from << FROM_SHIFT | (multicast ? MULTICAST : 0);
    return run_bulk_in;
}

static sim_handler *pick_bulk_out(const struct sim_words *words, struct sim_op *op)
{
    bool hint = sim_has(words, "L2::cache_hint"), bytes = sim_has(words, "cp_mask");

    if (!sim_has(words, "async") || !sim_has(words, "bulk") || !sim_has(words, "bulk_group") ||
        words->statement->operands != 3u + hint + bytes || nth_space(words, 0) != SIM_GLOBAL ||
        nth_space(words, 1) != SIM_SHARED || (bytes && sim_has(words, "reduce")) ||
        !reduction_of(words, op, false) || !sim_async_target(words, bytes ? 100 : 90))
        return NULL;
    op->extra = (bytes ? BYTE_MASK : 0) | (hint ? MASK_OPERAND : 0);
    return run_bulk_out;
}

// Picks the handler that does nothing: for prefetches, and for committing and awaiting groups,
// which are complete already.
static sim_handler *pick_bulk_nothing(const struct sim_words *words, struct sim_op *op)
{
    bool prefetch = sim_has(words, "prefetch"), waits = sim_has(words, "wait_group");

    if (words->types || !sim_has(words, "async") || !sim_has(words, "bulk") ||
        (prefetch && (!sim_has(words, "L2") || !sim_has(words, "global") ||
                      words->statement->operands != 2u + sim_has(words, "L2::cache_hint"))) ||
        !sim_async_target(words, 90))
        return NULL;
    if (waits)
        op->extra = (uint32_t)words->statement->operand[0].value.u;
    return prefetch ? run_nothing : waits ? run_wait : run_commit;
}

// Ignores setmaxnreg: the simulator needs no register limits.
static sim_handler *pick_registers(const struct sim_words *words, struct sim_op *op)
{
    uint64_t count = words->statement->operand[0].value.u;

    (void)op;
    if (!words->module->target_suffix) {
        *words->why = "setmaxnreg is of targets such as sm_90a only";
        return NULL;
    }
    if (count < 24 || count > 256 || count % 8) {
        *words->why = "the number of registers must be a multiple of 8 from 24 to 256";
        return NULL;
    }
    if (words->types != 1 || words->type[0] != SIM_U32 || !sim_has(words, "sync") ||
        !sim_has(words, "aligned") || sim_has(words, "inc") == sim_has(words, "dec"))
        return NULL;
    return run_nothing;
}

#define REDUCTIONS "reduce add min max inc dec and or xor noftz "

const struct sim_instruction sim_async_instructions[] = {
    { "cp",
      "async bulk shared::cta shared::cluster global mbarrier::complete_tx::bytes "
      "L2::cache_hint " REDUCTIONS,
      "mmawmx?", pick_bulk_in },
    { "cp",
      "async bulk shared::cluster global mbarrier::complete_tx::bytes multicast::cluster "
      "L2::cache_hint",
      "mmawmahx?", pick_bulk_in },
    { "cp", "async bulk global shared::cta bulk_group L2::cache_hint " REDUCTIONS, "mmawx?",
      pick_bulk_out },
    { "cp", "async bulk global shared::cta bulk_group cp_mask", "mmawah", pick_bulk_out },
    { "cp", "async bulk global shared::cta bulk_group L2::cache_hint cp_mask", "mmawaqah",
      pick_bulk_out },
    { "cp", "async bulk prefetch L2 global L2::cache_hint", "mawx?", pick_bulk_nothing },
    { "cp", "async bulk commit_group", "", pick_bulk_nothing },
    { "cp", "async bulk wait_group read", "i", pick_bulk_nothing },
    { "setmaxnreg", "inc dec sync aligned", "i", pick_registers },
    { NULL, NULL, NULL, NULL },
};
