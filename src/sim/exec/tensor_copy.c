// Copies boxes between tensors in global memory and shared memory, as a tensor map describes.
// Implements cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, in the modes tiled,
// gather4/scatter4 and im2col.
//
// In shared memory, the rows of a box follow each other without gaps, innermost dimension first,
// except that a row narrower than the swizzle's span takes a whole span (measured on an H200). The
// swizzle permutes pieces of a row by bits of the shared memory address. A swizzle of 32, 64
// or 128 bytes XORs 1, 2 or 3 bits, starting at bit 4, with as many bits starting at bit 7. In
// units of 32 bytes, the 128-byte swizzle XORs bits 5 and 6 with bits 7 and 8; in units of 64
// bytes, it XORs bit 6 with bit 7.
//
// Elements of 4 and 6 bits are packed in global memory. With padded types, 16 of them occupy a
// 16-byte piece of shared memory.
#include "async.h"
#include "formats.h"
#include "mbarrier.h"
#include "memory.h"
#include "tensor_box.h"

#include <string.h>

enum {
    LAUNCH_FAILED = 719,
    ILLEGAL_INSTRUCTION = 715,
    ILLEGAL_ADDRESS = 700,
    MAX_ROW = SIM_TENSOR_MAX_BOX * 8, // bytes
    RANK_OFFSET = (1 << SIM_RANK_SHIFT) - 1,
};

// Element types for reductions, indexed by CUtensorMapDataType.
static const enum sim_type element_types[SIM_TENSOR_TYPES] = {
    SIM_U8,  SIM_U16,  SIM_U32, SIM_S32,  SIM_U64,  SIM_S64,  SIM_F16,  SIM_F32,
    SIM_F64, SIM_BF16, SIM_F32, SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE,
};
enum { TYPE_F32_FTZ = 10, TYPE_TF32, TYPE_TF32_FTZ, TYPE_U4, TYPE_U4_PADDED, TYPE_U6_PADDED };

static uint64_t swizzle(const struct sim_tensor_map *m, uint64_t offset)
{
    switch ((enum sim_tensor_atom)m->atom) {
    case SIM_ATOM_32B:
    case SIM_ATOM_32B_FLIP_8B:
        return offset ^ (offset >> 2 & 0x60);
    case SIM_ATOM_64B:
        return offset ^ (offset >> 1 & 0x40);
    default:
        return offset ^ (offset >> 3 & ((UINT64_C(16) << m->swizzle) - 16));
    }
}

// Finds a box in shared memory: returns its block and offset. NULL after a fault.
static struct sim_block *find_box(const struct sim_box *b, enum sim_space space, uint64_t address,
                                  uint64_t *offset)
{
    const uint32_t bytes = (b->rows - 1) * b->pitch + b->row_bytes;
    void *host;

    if (!sim_reach_shared(b->w, b->op, b->lane, space, address, bytes, 128, SIM_BOUNDS, &host))
        return NULL;
    *offset = address & RANK_OFFSET;
    return b->w->block->cluster->blocks[sim_rank_of(b->w, address)];
}

// Packs 16 elements of six bits, which have a byte each, into 12 bytes.
static void pack_six(const unsigned char *from, unsigned char *to)
{
    memset(to, 0, 12);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t code = (from[i] & 63u) << 6 * i % 8;
        to[6 * i / 8] |= (unsigned char)code;
        if (code >> 8)
            to[6 * i / 8 + 1] |= (unsigned char)(code >> 8);
    }
}

// Copies a row into or from its pieces in shared memory.
static bool move_row(const struct sim_box *b, struct sim_block *block, uint64_t offset,
                     unsigned char *row, bool in)
{
    const uint32_t data = in ? b->piece_bytes : SIM_BOX_PIECE; // in a padded piece, the bytes after
                                                               // the elements are unchanged

    for (uint32_t i = 0; i < b->row_bytes; i += SIM_BOX_PIECE, row += b->piece_bytes) {
        uint64_t at = swizzle(&b->map, offset + i);
        if (at + SIM_BOX_PIECE > block->shared_bytes) {
            sim_fault(b->w, b->op, b->lane, ILLEGAL_ADDRESS,
                      "the swizzle of the box leaves shared memory, at offset %llu of %u",
                      (unsigned long long)at, block->shared_bytes);
            return false;
        }
        if (sim_checks & SIM_CHECK_ACCESS &&
            !sim_check_access(b->w, b->op, b->lane, block, at, data, in ? SIM_WRITE : SIM_READ))
            return false;
        unsigned char *place = block->shared + at;
        if (!in && b->map.type == TYPE_U6_PADDED) {
            pack_six(place, row);
        } else if (!in) {
            memcpy(row, place, SIM_BOX_PIECE);
        } else if (b->map.atom == SIM_ATOM_32B_FLIP_8B && at >> 7 & 1) {
            memcpy(place, row + 8, 8);
            memcpy(place + 8, row, 8);
        } else {
            memcpy(place, row, data);
        }
    }
    return true;
}

static void fill(const struct sim_box *b, unsigned char *row)
{
    static const uint64_t nan_of[] = {
        [2] = SIM_OUTSIDE_16, [4] = 0x7fffffff, [8] = 0x7fffffffffffffff
    };
    const uint32_t bytes = b->bits / 8;

    if (!b->map.nan || bytes < 2)
        memset(row, 0, b->memory_bytes);
    else
        for (uint32_t i = 0; i < b->memory_bytes; i += bytes)
            memcpy(row + i, &nan_of[bytes], bytes);
}

// Converts elements of those types that are not copied bit for bit.
static void convert(const struct sim_box *b, unsigned char *row, uint32_t bytes)
{
    bool ftz = b->map.type == TYPE_F32_FTZ || b->map.type == TYPE_TF32_FTZ;

    if (b->map.type < TYPE_F32_FTZ || b->map.type > TYPE_TF32_FTZ)
        return;
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t x;
        memcpy(&x, row + i, sizeof(x));
        if (ftz)
            x = sim_bits32(sim_flush32(sim_float32(x)));
        if (b->map.type >= TYPE_TF32)
            x = sim_f32_to_tf32(sim_float32(x), SIM_RN, false);
        memcpy(row + i, &x, sizeof(x));
    }
}

// Copies all rows into one block.
static bool fill_box(struct sim_box *b, struct sim_block *block, uint64_t offset)
{
    unsigned char row[MAX_ROW];

    sim_box_first_row(b);
    for (uint32_t r = 0; r < b->rows; r++, sim_box_next_row(b)) {
        uint64_t address;
        uint32_t from, bytes;
        void *host;
        bool within = sim_box_clip(b, &address, &from, &bytes);
        if (!within || bytes < b->memory_bytes)
            fill(b, row);
        if (within) {
            if (!sim_reach_range(b->w, b->op, b->lane, SIM_GLOBAL, address, bytes, 1, SIM_READ,
                                 &host))
                return false;
            memcpy(row + from, host, bytes);
            convert(b, row + from, bytes);
        }
        if (!move_row(b, block, offset + (uint64_t)r * b->pitch, row, true))
            return false;
    }
    return true;
}

// Copies into shared memory. o[0]: destination, o[1]: map, o[2]: mbarrier, followed by im2col
// offsets and the blocks of a multicast.
static bool copy_in(struct sim_box *b)
{
    struct sim_warp *w = b->w;
    const struct sim_op *op = b->op;
    enum sim_space space = (enum sim_space)(op->extra >> SIM_BOX_SPACE & 15);
    uint64_t to = sim_address(w, op, 0, b->lane), barrier = sim_address(w, op, 2, b->lane);
    const bool multicast = op->extra & SIM_BOX_MULTICAST, pair = op->extra & SIM_BOX_PAIR;
    uint32_t mask_at = op->extra & SIM_BOX_IM2COL ? 4 : 3;
    uint32_t blocks = multicast ? SIM_R32(w, op->o[mask_at])[b->lane] & 0xffff : 1;
    uint32_t most = multicast ? w->block->cluster->count : 1;
    const uint32_t signal = sim_rank_of(w, barrier);

    if (blocks >> most) {
        sim_fault(w, op, b->lane, LAUNCH_FAILED, "a multicast to blocks 0x%x of a cluster of %u",
                  blocks, most);
        return false;
    }
    if (!multicast &&
        (pair ? sim_rank_of(w, to) / 2 != signal / 2 : sim_rank_of(w, to) != signal)) {
        sim_fault(w, op, b->lane, LAUNCH_FAILED,
                  "the destination is in block %u of the cluster, its mbarrier in block %u",
                  sim_rank_of(w, to), signal);
        return false;
    }
    for (; blocks; blocks &= blocks - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(blocks);
        uint64_t there = multicast ? sim_in_rank(to, rank) : to, offset;
        struct sim_block *block = find_box(b, space, there, &offset);
        if (!block || !fill_box(b, block, offset))
            return false;
        // In a pair, the mbarrier is in the block whose rank has the same parity as the rank in the
        // given address.
        uint32_t signals = pair ? (rank & ~1u) | (signal & 1) : rank;
        if (signals >= w->block->cluster->count)
            signals = rank;
        if (!sim_mbarrier_complete(w, op, b->lane, space,
                                   multicast ? sim_in_rank(barrier, signals) : barrier,
                                   b->rows * b->memory_bytes))
            return false;
    }
    return true;
}

// Finds the instruction's reduction for the tensor's element type. False if there is none.
static bool find_reduction(const struct sim_box *b, const struct sim_reduction **out)
{
    const char *operation = b->op->data;
    enum sim_type type = element_types[b->map.type];
    bool bits = strcmp(operation, "and") == 0 || strcmp(operation, "or") == 0 ||
                strcmp(operation, "xor") == 0;

    if (bits)
        type = type == SIM_U32 || type == SIM_S32   ? SIM_B32
               : type == SIM_U64 || type == SIM_S64 ? SIM_B64
                                                    : SIM_NONE;
    *out = sim_reduction_find(operation, type);
    if (*out)
        return true;
    sim_fault(b->w, b->op, b->lane, ILLEGAL_INSTRUCTION, "no reduction .%s of the tensor's .%s",
              operation, sim_type_word(element_types[b->map.type]));
    return false;
}

// Copies out of shared memory. o[0]: map, o[1]: source.
static bool copy_out(struct sim_box *b)
{
    struct sim_warp *w = b->w;
    const struct sim_op *op = b->op;
    const struct sim_reduction *reduction = NULL;
    uint64_t offset;
    unsigned char row[MAX_ROW];

    if (b->map.type == TYPE_U4_PADDED || b->map.atom == SIM_ATOM_32B_FLIP_8B) {
        sim_fault(w, op, b->lane, ILLEGAL_INSTRUCTION, "the tensor map is one of loads only: %s",
                  b->map.type == TYPE_U4_PADDED ? "its elements of 4 bits are padded"
                                                : "its swizzle exchanges pieces of 8 bytes");
        return false;
    }
    // As observed on an H200, a store faults if its box starts before the tensor. A box past the
    // end stores nothing.
    for (uint32_t i = 0; i < b->map.rank && !(op->extra & (SIM_BOX_GATHER | SIM_BOX_IM2COL)); i++)
        if (b->at[i] < 0) {
            sim_fault(w, op, b->lane, ILLEGAL_INSTRUCTION,
                      "a store at coordinate %d of dimension %u: stores begin at 0 or more",
                      b->at[i], i);
            return false;
        }
    struct sim_block *block = find_box(b, SIM_SHARED, sim_address(w, op, 1, b->lane), &offset);
    if (!block || (op->data && !find_reduction(b, &reduction)))
        return false;
    sim_box_first_row(b);
    for (uint32_t r = 0; r < b->rows; r++, sim_box_next_row(b)) {
        uint64_t address;
        uint32_t from, bytes;
        void *host;
        if (!sim_box_clip(b, &address, &from, &bytes))
            continue;
        if (!reduction) { // whole 16-byte pieces, even if the row ends inside one: observed on an
                          // H200
            uint32_t ragged = (uint32_t)((0 - address - bytes) & 15),
                     available = b->memory_bytes - from;
            bytes = bytes + ragged < available ? bytes + ragged : available;
        }
        if (!sim_reach_range(w, op, b->lane, SIM_GLOBAL, address, bytes, 1,
                             reduction ? SIM_UPDATE : SIM_WRITE, &host) ||
            !move_row(b, block, offset + (uint64_t)r * b->pitch, row, false))
            return false;
        if (reduction)
            sim_reduce(reduction, host, row + from, bytes);
        else
            memcpy(host, row + from, bytes);
    }
    return true;
}

static enum sim_next run_tensor(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        struct sim_box b = { .w = w, .op = op, .lane = (uint32_t)__builtin_ctz(m) };
        if (!sim_box_read(&b))
            return SIM_FAULT;
        if (!(op->extra & SIM_BOX_PREFETCH) &&
            !(op->extra & SIM_BOX_IN ? copy_in(&b) : copy_out(&b)))
            return SIM_FAULT;
    }
    return SIM_NEXT;
}

// Rows

static bool are_integers(const struct sim_op *op, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        if (op->list[i] == SIM_NO_OPERAND || op->wide >> (8 + i) & 1)
            return false;
    return true;
}

// Parses .1d to .5d and the mode of the box, and checks the number of coordinates. `offsets`: the
// operand with im2col offsets, or SIM_NO_OPERAND.
static bool box_of(const struct sim_words *words, struct sim_op *op, const char *gather,
                   const char *im2col, uint32_t offsets)
{
    uint32_t rank = 1;
    char word[3] = "1d";

    while (rank <= SIM_TENSOR_RANK && !sim_has(words, word))
        word[0] = (char)('0' + ++rank);
    if (rank > SIM_TENSOR_RANK || words->types || !sim_has(words, "async") ||
        !sim_has(words, "bulk") || !sim_has(words, "tensor") || !sim_has(words, "global"))
        return false;
    bool four = sim_has(words, gather), image = sim_has(words, im2col);
    if (sim_has(words, "tile") + four + image > 1 || (four && rank != 2) || (image && rank < 3))
        return false;
    uint32_t coordinates = four ? 1 + SIM_BOX_GATHERED : rank;
    uint32_t added = image && offsets != SIM_NO_OPERAND ? rank - 2 : 0;
    if (op->list_count != coordinates + added || !are_integers(op, 0, op->list_count))
        return false;
    op->extra = rank | (four ? SIM_BOX_GATHER : 0) | (image ? SIM_BOX_IM2COL : 0);
    return true;
}

// Picks a copy into shared memory. `image`: the row with im2col offsets.
static sim_handler *in(const struct sim_words *words, struct sim_op *op, bool image)
{
    bool multicast = sim_has(words, "multicast::cluster");
    bool cluster = sim_has(words, "shared::cluster");
    bool pair = sim_has(words, "cta_group::2"), group = pair || sim_has(words, "cta_group::1");

    if (!box_of(words, op, "tile::gather4", "im2col", image ? op->o[3] : SIM_NO_OPERAND) ||
        sim_has(words, "im2col") != image || !sim_has(words, "mbarrier::complete_tx::bytes") ||
        cluster == sim_has(words, "shared::cta") || (multicast && !cluster) ||
        words->statement->operands != 3u + image + multicast + sim_has(words, "L2::cache_hint"))
        return NULL;
    if (!sim_async_target(words, group || op->extra & SIM_BOX_GATHER ? 100 : 90))
        return NULL;
    op->extra |= SIM_BOX_IN | (multicast ? SIM_BOX_MULTICAST : 0) | (pair ? SIM_BOX_PAIR : 0) |
                 (uint32_t)(cluster ? SIM_SHARED_CLUSTER : SIM_SHARED) << SIM_BOX_SPACE;
    return run_tensor;
}

static sim_handler *pick_in(const struct sim_words *words, struct sim_op *op)
{
    return in(words, op, false);
}

static bool is_wide(const struct sim_words *words)
{
    if (!sim_has(words, "im2col::w") && !sim_has(words, "im2col::w::128"))
        return false;
    *words->why = "im2col::w, which only sm_100 and its like have, is not simulated";
    return true;
}

static sim_handler *pick_in_image(const struct sim_words *words, struct sim_op *op)
{
    return is_wide(words) ? NULL : in(words, op, true);
}

static sim_handler *pick_out(const struct sim_words *words, struct sim_op *op)
{
    const char *operation = sim_reduction_word(words);

    if (!box_of(words, op, "tile::scatter4", "im2col_no_offs", SIM_NO_OPERAND) ||
        !sim_has(words, "shared::cta") || !sim_has(words, "bulk_group") ||
        sim_has(words, "reduce") != (operation != NULL) ||
        words->statement->operands != 2u + sim_has(words, "L2::cache_hint"))
        return NULL;
    if (!sim_async_target(words, op->extra & SIM_BOX_GATHER ? 100 : 90))
        return NULL;
    op->data = operation;
    return run_tensor;
}

static sim_handler *prefetch(const struct sim_words *words, struct sim_op *op, bool image)
{
    if (!box_of(words, op, "tile::gather4", "im2col", image ? op->o[1] : SIM_NO_OPERAND) ||
        sim_has(words, "im2col") != image || !sim_has(words, "prefetch") || !sim_has(words, "L2") ||
        words->statement->operands != 1u + image + sim_has(words, "L2::cache_hint"))
        return NULL;
    if (!sim_async_target(words, op->extra & SIM_BOX_GATHER ? 100 : 90))
        return NULL;
    op->extra |= SIM_BOX_PREFETCH;
    return run_tensor;
}

static sim_handler *pick_prefetch(const struct sim_words *words, struct sim_op *op)
{
    return prefetch(words, op, false);
}

static sim_handler *pick_prefetch_image(const struct sim_words *words, struct sim_op *op)
{
    return is_wide(words) ? NULL : prefetch(words, op, true);
}

#define TENSOR "async bulk tensor 1d 2d 3d 4d 5d global L2::cache_hint "
#define IMAGE "im2col im2col::w im2col::w::128 "
#define INTO "shared::cta shared::cluster mbarrier::complete_tx::bytes cta_group::1 cta_group::2 "

const struct sim_instruction sim_tensor_instructions[] = {
    { "cp", TENSOR INTO "tile tile::gather4", "mtmx?", pick_in },
    { "cp", TENSOR INTO "tile tile::gather4 multicast::cluster", "mtmahx?", pick_in },
    { "cp", TENSOR INTO IMAGE, "mtmVhx?", pick_in_image },
    { "cp", TENSOR INTO IMAGE "multicast::cluster", "mtmVhahx?", pick_in_image },
    { "cp",
      TENSOR "tile tile::scatter4 im2col_no_offs shared::cta bulk_group reduce add min max inc dec "
             "and or xor",
      "tmx?", pick_out },
    { "cp", TENSOR "tile tile::gather4 prefetch L2", "tx?", pick_prefetch },
    { "cp", TENSOR IMAGE "prefetch L2", "tVhx?", pick_prefetch_image },
    { NULL, NULL, NULL, NULL },
};
