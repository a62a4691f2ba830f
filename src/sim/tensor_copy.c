// Copies of boxes between tensors in global memory and shared memory, as a tensor map describes
// them: cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, in tile mode.
//
// A box lies in shared memory row by row, its innermost dimension first and without gaps. A swizzle
// then exchanges pieces of 16 bytes, by bits of the address in shared memory: each of the bits 4
// and up is flipped by the bit three above it, as many as the swizzle has (1, 2 or 3).
#include "async.h"
#include "formats.h"
#include "mbarrier.h"
#include "memory.h"
#include "tensor_map.h"

#include <string.h>

enum {
    LAUNCH_FAILED = 719,
    ILLEGAL_INSTRUCTION = 715,
    ILLEGAL_ADDRESS = 700,
    MISALIGNED = 716,
    MAX_ROW = 256 * 8, // bytes
    PIECE = 16,        // bytes that a swizzle moves together
    RANK_MASK = 0x7,   // in `extra`
    MULTICAST = 1 << 3,
    IN = 1 << 4, // to shared memory
    PREFETCH = 1 << 5,
    SPACE_SHIFT = 8,
    RANK_OFFSET = (1 << SIM_RANK_SHIFT) - 1,
};

// Types by CUtensorMapDataType, for reductions.
static const enum sim_type element_types[SIM_TENSOR_TYPES] = {
    SIM_U8,  SIM_U16, SIM_U32,  SIM_S32, SIM_U64,  SIM_S64,  SIM_F16,
    SIM_F32, SIM_F64, SIM_BF16, SIM_F32, SIM_NONE, SIM_NONE,
};
enum { TYPE_F32_FTZ = 10, TYPE_TF32, TYPE_TF32_FTZ };

// A lane's copy.
struct copy {
    struct sim_warp *w;
    const struct sim_op *op;
    uint32_t lane;
    struct sim_tensor_map map;
    int32_t at[SIM_TENSOR_RANK];
    uint32_t count[SIM_TENSOR_RANK]; // of elements in the box
    uint32_t row_bytes, rows;
    const struct sim_reduction *reduction;
};

static bool read_map(struct copy *c)
{
    struct sim_warp *w = c->w;
    const struct sim_op *op = c->op;
    uint64_t address = sim_address(w, op, op->extra & IN ? 1 : 0, c->lane);
    uint32_t rank = op->extra & RANK_MASK;
    void *host;

    if (SIM_WINDOW(address) == SIM_WINDOW(SIM_WINDOW_SHARED) ||
        SIM_WINDOW(address) == SIM_WINDOW(SIM_WINDOW_LOCAL)) {
        sim_fault(
            w, op, c->lane, ILLEGAL_INSTRUCTION,
            "the tensor map lies in %s memory, not in global or constant memory or a parameter",
            SIM_WINDOW(address) == SIM_WINDOW(SIM_WINDOW_SHARED) ? "shared" : "local");
        return false;
    }
    if (!sim_reach_range(w, op, c->lane, SIM_GENERIC, address, 128, 64, false, &host))
        return false;
    memcpy(&c->map, host, sizeof(c->map));
    if (c->map.mark != SIM_TENSOR_MAP_MARK) {
        sim_fault(w, op, c->lane, ILLEGAL_INSTRUCTION, "there is no tensor map at 0x%llx",
                  (unsigned long long)(address & 0xffffffffffffff));
        return false;
    }
    if (c->map.rank != rank) {
        sim_fault(w, op, c->lane, ILLEGAL_INSTRUCTION,
                  "the tensor map has %u dimensions, the copy %u", c->map.rank, rank);
        return false;
    }
    c->rows = 1;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t slot = op->list[op->o[5] + i], step = i ? c->map.step[i] : 1;
        c->at[i] = SIM_RS32(w, slot)[c->lane];
        c->count[i] = (c->map.box[i] + step - 1u) / step;
        if (i)
            c->rows *= c->count[i];
    }
    c->row_bytes = c->count[0] * c->map.element_bytes;
    if ((int64_t)c->at[0] * c->map.element_bytes % PIECE) {
        sim_fault(w, op, c->lane, ILLEGAL_INSTRUCTION,
                  "the innermost coordinate %d of elements of %u bytes is no multiple of 16 bytes",
                  c->at[0], c->map.element_bytes);
        return false;
    }
    return true;
}

// The part of a row of the box that lies in the tensor: where in memory, from which byte of the row
// and how many; none is 0.
static bool clip(const struct copy *c, uint32_t row, uint64_t *address, uint32_t *from,
                 uint32_t *bytes)
{
    const struct sim_tensor_map *m = &c->map;
    int64_t first = c->at[0], end = first + c->count[0], size = (int64_t)m->last[0] + 1;

    *address = m->address;
    for (uint32_t i = 1; i < m->rank; i++) {
        int64_t at = c->at[i] + (int64_t)(row % c->count[i]) * m->step[i];
        row /= c->count[i];
        if (at < 0 || at > m->last[i])
            return false;
        *address += (uint64_t)at * m->stride[i];
    }
    *from = first < 0 ? (uint32_t)-first : 0;
    end = end > size ? size : end;
    if (first + *from >= end)
        return false;
    *bytes = (uint32_t)(end - first - *from) * m->element_bytes;
    *address += (uint64_t)(first + *from) * m->element_bytes;
    *from *= m->element_bytes;
    return true;
}

static uint64_t swizzle(uint64_t offset, uint32_t bits)
{
    return offset ^ (offset >> 3 & ((UINT64_C(1) << (4 + bits)) - 16));
}

// The block and place of a box in shared memory; false after a fault.
static struct sim_block *find_box(const struct copy *c, enum sim_space space, uint64_t address,
                                  bool write, uint64_t *offset)
{
    void *host;

    if (!sim_reach_shared(c->w, c->op, c->lane, space, address, c->rows * c->row_bytes, 128, write,
                          &host))
        return NULL;
    *offset = address & RANK_OFFSET;
    return c->w->block->cluster->blocks[sim_rank_of(c->w, address)];
}

// Between a row and its pieces in shared memory.
static bool move_row(const struct copy *c, struct sim_block *block, uint64_t offset,
                     unsigned char *row, bool in)
{
    for (uint32_t i = 0; i < c->row_bytes; i += PIECE) {
        uint64_t at = swizzle(offset + i, c->map.swizzle);
        if (at + PIECE > block->shared_bytes) {
            sim_fault(c->w, c->op, c->lane, ILLEGAL_ADDRESS,
                      "the swizzle of the box leaves shared memory, at offset %llu of %u",
                      (unsigned long long)at, block->shared_bytes);
            return false;
        }
        if (in)
            memcpy(block->shared + at, row + i, PIECE);
        else
            memcpy(row + i, block->shared + at, PIECE);
    }
    return true;
}

static void fill(const struct copy *c, unsigned char *row)
{
    static const uint64_t nan_of[] = { [2] = 0x7fff, [4] = 0x7fffffff, [8] = 0x7fffffffffffffff };

    if (!c->map.nan)
        memset(row, 0, c->row_bytes);
    else
        for (uint32_t i = 0; i < c->row_bytes; i += c->map.element_bytes)
            memcpy(row + i, &nan_of[c->map.element_bytes], c->map.element_bytes);
}

// Types that are not copied as they are.
static void convert(const struct copy *c, unsigned char *row, uint32_t bytes)
{
    bool ftz = c->map.type == TYPE_F32_FTZ || c->map.type == TYPE_TF32_FTZ;

    if (c->map.type < TYPE_F32_FTZ)
        return;
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t x;
        memcpy(&x, row + i, sizeof(x));
        if (ftz)
            x = sim_bits32(sim_flush32(sim_float32(x)));
        if (c->map.type >= TYPE_TF32)
            x = sim_f32_to_tf32(sim_float32(x), SIM_RN, false);
        memcpy(row + i, &x, sizeof(x));
    }
}

// o[0] to, o[1] the map, o[2] mbarrier, o[3] blocks of a multicast.
static bool copy_in(struct copy *c)
{
    struct sim_warp *w = c->w;
    const struct sim_op *op = c->op;
    enum sim_space space = (enum sim_space)(op->extra >> SPACE_SHIFT);
    uint64_t to = sim_address(w, op, 0, c->lane), barrier = sim_address(w, op, 2, c->lane);
    bool multicast = op->extra & MULTICAST;
    uint32_t blocks = multicast ? SIM_R32(w, op->o[3])[c->lane] & 0xffff : 1;
    uint32_t most = multicast ? w->block->cluster->count : 1;
    unsigned char row[MAX_ROW];

    if (blocks >> most) {
        sim_fault(w, op, c->lane, LAUNCH_FAILED, "a multicast to blocks 0x%x of a cluster of %u",
                  blocks, most);
        return false;
    }
    if (!multicast && sim_rank_of(w, to) != sim_rank_of(w, barrier)) {
        sim_fault(w, op, c->lane, LAUNCH_FAILED,
                  "the destination is in block %u of the cluster, its mbarrier in block %u",
                  sim_rank_of(w, to), sim_rank_of(w, barrier));
        return false;
    }
    for (; blocks; blocks &= blocks - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(blocks);
        uint64_t there = multicast ? sim_in_rank(to, rank) : to, offset;
        struct sim_block *block = find_box(c, space, there, true, &offset);
        if (!block)
            return false;
        for (uint32_t r = 0; r < c->rows; r++) {
            uint64_t address;
            uint32_t from, bytes;
            void *host;
            bool within = clip(c, r, &address, &from, &bytes);
            if (!within || bytes < c->row_bytes)
                fill(c, row);
            if (within) {
                if (!sim_reach_range(w, op, c->lane, SIM_GLOBAL, address, bytes, 1, false, &host))
                    return false;
                memcpy(row + from, host, bytes);
                convert(c, row + from, bytes);
            }
            if (!move_row(c, block, offset + (uint64_t)r * c->row_bytes, row, true))
                return false;
        }
        if (!sim_mbarrier_complete(w, op, c->lane, space,
                                   multicast ? sim_in_rank(barrier, rank) : barrier,
                                   c->rows * c->row_bytes))
            return false;
    }
    return true;
}

// o[0] the map, o[1] from.
static bool copy_out(struct copy *c)
{
    struct sim_warp *w = c->w;
    const struct sim_op *op = c->op;
    uint64_t offset;
    unsigned char row[MAX_ROW];
    struct sim_block *block =
        find_box(c, SIM_SHARED, sim_address(w, op, 1, c->lane), false, &offset);

    if (!block)
        return false;
    if (op->data) {
        enum sim_type type = element_types[c->map.type];
        const char *operation = op->data;
        bool bits = strcmp(operation, "and") == 0 || strcmp(operation, "or") == 0 ||
                    strcmp(operation, "xor") == 0;
        if (bits)
            type = type == SIM_U32 || type == SIM_S32   ? SIM_B32
                   : type == SIM_U64 || type == SIM_S64 ? SIM_B64
                                                        : SIM_NONE;
        c->reduction = sim_reduction_find(operation, type);
        if (!c->reduction) {
            sim_fault(w, op, c->lane, ILLEGAL_INSTRUCTION, "no reduction .%s of the tensor's .%s",
                      operation, sim_type_word(element_types[c->map.type]));
            return false;
        }
    }
    for (uint32_t r = 0; r < c->rows; r++) {
        uint64_t address;
        uint32_t from, bytes;
        void *host;
        if (!clip(c, r, &address, &from, &bytes))
            continue;
        if (!sim_reach_range(w, op, c->lane, SIM_GLOBAL, address, bytes, 1, true, &host) ||
            !move_row(c, block, offset + (uint64_t)r * c->row_bytes, row, false))
            return false;
        if (c->reduction)
            sim_reduce(c->reduction, host, row + from, bytes);
        else
            memcpy(host, row + from, bytes);
    }
    return true;
}

static enum sim_next run_tensor(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        struct copy c = { .w = w, .op = op, .lane = (uint32_t)__builtin_ctz(m) };
        if (!read_map(&c))
            return SIM_FAULT;
        if (!(op->extra & PREFETCH) && !(op->extra & IN ? copy_in(&c) : copy_out(&c)))
            return SIM_FAULT;
    }
    return SIM_NEXT;
}

// Rows

// .1d to .5d, as many as there are coordinates.
static bool rank_of(const struct sim_words *words, struct sim_op *op)
{
    for (uint32_t rank = 1; rank <= SIM_TENSOR_RANK; rank++) {
        char word[3] = { (char)('0' + rank), 'd', '\0' };
        if (sim_has(words, word)) {
            op->extra = rank;
            if (op->list_count != rank)
                return false;
            for (uint32_t i = 0; i < rank; i++)
                if (op->list[i] == SIM_NO_OPERAND || op->wide >> (8 + i) & 1)
                    return false;
            return true;
        }
    }
    return false;
}

static sim_handler *pick_in(const struct sim_words *words, struct sim_op *op)
{
    bool multicast = sim_has(words, "multicast::cluster");
    bool cluster = sim_has(words, "shared::cluster");

    if (words->types || !rank_of(words, op) || !sim_has(words, "async") ||
        !sim_has(words, "bulk") || !sim_has(words, "tensor") || !sim_has(words, "global") ||
        !sim_has(words, "mbarrier::complete_tx::bytes") ||
        cluster == sim_has(words, "shared::cta") || (multicast && !cluster) ||
        words->statement->operands != 3u + multicast + sim_has(words, "L2::cache_hint"))
        return NULL;
    op->extra |= IN | (multicast ? MULTICAST : 0) |
                 (uint32_t)(cluster ? SIM_SHARED_CLUSTER : SIM_SHARED) << SPACE_SHIFT;
    return run_tensor;
}

static sim_handler *pick_out(const struct sim_words *words, struct sim_op *op)
{
    const char *operation = sim_reduction_word(words);

    if (words->types || !rank_of(words, op) || !sim_has(words, "async") ||
        !sim_has(words, "bulk") || !sim_has(words, "tensor") || !sim_has(words, "global") ||
        !sim_has(words, "shared::cta") || !sim_has(words, "bulk_group") ||
        sim_has(words, "reduce") != (operation != NULL) ||
        words->statement->operands != 2u + sim_has(words, "L2::cache_hint"))
        return NULL;
    op->data = operation;
    return run_tensor;
}

static sim_handler *pick_prefetch(const struct sim_words *words, struct sim_op *op)
{
    if (words->types || !rank_of(words, op) || !sim_has(words, "async") ||
        !sim_has(words, "bulk") || !sim_has(words, "tensor") || !sim_has(words, "prefetch") ||
        !sim_has(words, "L2") || !sim_has(words, "global") ||
        words->statement->operands != 1u + sim_has(words, "L2::cache_hint"))
        return NULL;
    op->extra |= PREFETCH;
    return run_tensor;
}

#define TENSOR "async bulk tensor 1d 2d 3d 4d 5d global tile L2::cache_hint "

const struct sim_instruction sim_tensor_instructions[] = {
    { "cp", TENSOR "shared::cta shared::cluster mbarrier::complete_tx::bytes multicast::cluster",
      "mtmaw?x?", pick_in },
    { "cp", TENSOR "shared::cta bulk_group reduce add min max inc dec and or xor", "tmx?",
      pick_out },
    { "cp", TENSOR "prefetch L2", "tx?", pick_prefetch },
    { NULL, NULL, NULL, NULL },
};
