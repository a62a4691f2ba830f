// Reads tensor maps for copies, and locates the rows of a box in global memory.
#include "tensor_box.h"

#include "memory.h"

#include <string.h>

enum { ILLEGAL_INSTRUCTION = 715 };

static const struct sim_tensor_format formats[SIM_TENSOR_TYPES] = SIM_TENSOR_FORMATS;

static const uint32_t spans[] = { UINT32_MAX, 32, 64, 128 }; // bytes of a row, by swizzle

// Returns why a map cannot be used for copies; NULL if it can. The driver encodes no such map, but
// tensormap.replace can produce one.
static const char *wrong_with(const struct sim_tensor_map *m)
{
    if (!m->rank || m->rank > SIM_TENSOR_RANK)
        return "a rank that is not 1 to 5";
    if (m->type >= SIM_TENSOR_TYPES || m->swizzle > SIM_SWIZZLE_128B || m->atom > SIM_ATOM_64B ||
        (m->atom && m->swizzle != SIM_SWIZZLE_128B))
        return "a type, swizzle or atomicity that there is not";
    if (m->interleave)
        return "an interleaved layout, which is not simulated";
    if (m->address % 16)
        return "an address that is not a multiple of 16";
    for (uint32_t i = 0; i < (m->mode == SIM_TENSOR_TILED ? m->rank : 1u); i++)
        if (!m->box[i] || m->box[i] > SIM_TENSOR_MAX_BOX)
            return "a box of no elements, or of more than 256 in a dimension";
    for (uint32_t i = 1; i < m->rank; i++)
        if (m->stride[i - 1] % 16 || !m->step[i] || m->step[i] > SIM_TENSOR_MAX_STEP)
            return "a stride that is not a multiple of 16, or an element stride that is not 1 to 8";
    const struct sim_tensor_format f = formats[m->type];
    uint32_t inner = m->box[0], bytes = f.padded ? inner : inner * f.bits / 8;
    if (bytes % 16 || bytes > spans[m->swizzle])
        return "rows of a box that are not a multiple of 16 bytes, or wider than its swizzle";
    return NULL;
}

static bool refuse(const struct sim_box *b, const char *what)
{
    sim_fault(b->w, b->op, b->lane, ILLEGAL_INSTRUCTION, "%s", what);
    return false;
}

// Reads the start and the extent of an im2col box.
static bool read_image(struct sim_box *b)
{
    const struct sim_tensor_map *m = &b->map;
    const uint32_t first = b->op->extra & SIM_BOX_IN         ? b->op->o[3]
                           : b->op->extra & SIM_BOX_PREFETCH ? b->op->o[1]
                                                             : SIM_NO_OPERAND; // a store has no
                                                                               // offsets
    const uint32_t limit = m->rank == 3 ? 65536 : m->rank == 4 ? 256 : 32;

    b->count[0] = m->box[0];
    b->rows = m->box[1];
    for (uint32_t i = 1; i + 1 < m->rank; i++) {
        if (b->at[i] < m->lower[i - 1] || b->at[i] > (int64_t)m->last[i] + m->upper[i - 1]) {
            sim_fault(b->w, b->op, b->lane, ILLEGAL_INSTRUCTION,
                      "coordinate %d of dimension %u is outside of the bounding box, %d to %lld",
                      b->at[i], i, m->lower[i - 1], (long long)m->last[i] + m->upper[i - 1]);
            return false;
        }
        if (first == SIM_NO_OPERAND)
            continue;
        b->offset[i] = SIM_R32(b->w, b->op->list[first + i - 1])[b->lane] & 0xffff;
        if (b->offset[i] >= limit) {
            sim_fault(b->w, b->op, b->lane, ILLEGAL_INSTRUCTION,
                      "an im2col offset of %u in %u dimensions, where they go up to %u",
                      b->offset[i], m->rank, limit - 1);
            return false;
        }
    }
    return true;
}

static bool read_box(struct sim_box *b)
{
    const struct sim_tensor_map *m = &b->map;

    b->rows = 1;
    for (uint32_t i = 0; i < m->rank; i++) {
        uint32_t step = i ? m->step[i] : 1;
        b->count[i] = (m->box[i] + step - 1u) / step;
        if (i)
            b->rows *= b->count[i];
    }
    if (!(b->op->extra & SIM_BOX_GATHER))
        return true;
    if (b->rows != 1)
        return refuse(b,
                      "the box of the tensor map has more than one row, of which four are taken");
    b->rows = SIM_BOX_GATHERED;
    for (uint32_t i = 0; i < SIM_BOX_GATHERED; i++)
        b->gathered[i] = SIM_RS32(b->w, b->op->list[b->op->o[5] + 1 + i])[b->lane];
    return true;
}

bool sim_box_read(struct sim_box *b)
{
    struct sim_warp *w = b->w;
    const struct sim_op *op = b->op;
    uint64_t address = sim_address(w, op, op->extra & SIM_BOX_IN ? 1 : 0, b->lane);
    uint32_t rank = op->extra & SIM_BOX_RANK;
    void *host;

    if (SIM_WINDOW(address) == SIM_WINDOW(SIM_WINDOW_SHARED) ||
        SIM_WINDOW(address) == SIM_WINDOW(SIM_WINDOW_LOCAL)) {
        sim_fault(
            w, op, b->lane, ILLEGAL_INSTRUCTION,
            "the tensor map lies in %s memory, not in global or constant memory or a parameter",
            SIM_WINDOW(address) == SIM_WINDOW(SIM_WINDOW_SHARED) ? "shared" : "local");
        return false;
    }
    if (!sim_reach_range(w, op, b->lane, SIM_GENERIC, address, 128, 64, SIM_READ, &host))
        return false;
    memcpy(&b->map, host, sizeof(b->map));
    if (b->map.mark != SIM_TENSOR_MAP_MARK) {
        sim_fault(w, op, b->lane, ILLEGAL_INSTRUCTION, "there is no tensor map at 0x%llx",
                  (unsigned long long)(address & 0xffffffffffffff));
        return false;
    }
    const char *wrong = wrong_with(&b->map);
    if (wrong) {
        sim_fault(w, op, b->lane, ILLEGAL_INSTRUCTION, "the tensor map has %s", wrong);
        return false;
    }
    if (b->map.rank != rank) {
        sim_fault(w, op, b->lane, ILLEGAL_INSTRUCTION,
                  "the tensor map has %u dimensions, the copy %u", b->map.rank, rank);
        return false;
    }
    if ((b->map.mode == SIM_TENSOR_IM2COL) != ((op->extra & SIM_BOX_IM2COL) != 0))
        return refuse(b, op->extra & SIM_BOX_IM2COL ? "the tensor map is tiled, the copy im2col"
                                                    : "the tensor map is im2col, the copy tiled");
    for (uint32_t i = 0; i < rank; i++)
        b->at[i] = SIM_RS32(w, op->list[op->o[5] + i])[b->lane];
    if (op->extra & SIM_BOX_IM2COL ? !read_image(b) : !read_box(b))
        return false;

    const struct sim_tensor_format f = formats[b->map.type];
    b->bits = f.bits;
    b->piece_bytes = SIM_BOX_PIECE;
    if (f.padded)
        b->piece_bytes = b->piece_bytes * f.bits / 8;
    b->memory_bytes = b->count[0] * f.bits / 8;
    b->row_bytes = b->memory_bytes / b->piece_bytes * SIM_BOX_PIECE;
    b->pitch = b->map.swizzle ? spans[b->map.swizzle] : b->row_bytes;
    if (f.padded ? b->at[0] % 128 != 0 : (int64_t)b->at[0] * f.bits % (8 * SIM_BOX_PIECE) != 0) {
        if (f.bits < 8)
            sim_fault(w, op, b->lane, ILLEGAL_INSTRUCTION,
                      "the innermost coordinate %d of elements of %u bits is not a multiple of %u",
                      b->at[0], f.bits, f.padded ? 128u : 8u * SIM_BOX_PIECE / f.bits);
        else
            sim_fault(w, op, b->lane, ILLEGAL_INSTRUCTION,
                      "the innermost coordinate %d of elements of %u bytes is not a multiple of 16 "
                      "bytes",
                      b->at[0], f.bits / 8u);
        return false;
    }
    return true;
}

void sim_box_first_row(struct sim_box *b)
{
    for (uint32_t i = 0; i < SIM_TENSOR_RANK; i++) {
        b->row_at[i] = b->at[i];
        b->index[i] = 0;
    }
    if (b->op->extra & SIM_BOX_GATHER)
        b->row_at[1] = b->gathered[0];
}

void sim_box_next_row(struct sim_box *b)
{
    const struct sim_tensor_map *m = &b->map;

    if (b->op->extra & SIM_BOX_GATHER) {
        b->row_at[1] = b->gathered[++b->index[1] % SIM_BOX_GATHERED];
        return;
    }
    // At the end of a dimension of the bounding box, im2col returns to its start and advances the
    // next dimension. After the last dimension comes the next image.
    if (b->op->extra & SIM_BOX_IM2COL) {
        for (uint32_t i = 1; i + 1 < m->rank; i++) {
            b->row_at[i] += m->step[i];
            if (b->row_at[i] <= (int64_t)m->last[i] + m->upper[i - 1])
                return;
            b->row_at[i] = m->lower[i - 1];
        }
        b->row_at[m->rank - 1]++;
        return;
    }
    for (uint32_t i = 1; i < m->rank; i++) {
        b->row_at[i] += m->step[i];
        if (++b->index[i] < b->count[i])
            return;
        b->row_at[i] = b->at[i];
        b->index[i] = 0;
    }
}

bool sim_box_clip(const struct sim_box *b, uint64_t *address, uint32_t *from, uint32_t *bytes)
{
    const struct sim_tensor_map *m = &b->map;
    int64_t first = b->at[0], end = first + b->count[0], size = (int64_t)m->last[0] + 1;

    *address = m->address;
    for (uint32_t i = 1; i < m->rank; i++) {
        int64_t at = b->row_at[i] + b->offset[i];
        if (at < 0 || at > m->last[i])
            return false;
        *address += (uint64_t)at * m->stride[i - 1];
    }
    uint32_t skipped = first < 0 ? (uint32_t)-first : 0;
    end = end > size ? size : end;
    if (first + skipped >= end)
        return false;
    *bytes = (uint32_t)(end - first - skipped) * b->bits / 8;
    *address += (uint64_t)(first + skipped) * b->bits / 8;
    *from = skipped * b->bits / 8;
    return true;
}
