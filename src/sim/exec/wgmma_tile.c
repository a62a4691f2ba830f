// Reads wgmma's matrices from shared memory, as their descriptors specify (PTX ISA, "Matrix
// Descriptor Format" and "Shared Memory Matrix Layout").
#include "wgmma.h"

#include "memory.h"

#include <string.h>

enum { ILLEGAL_ADDRESS = 700, ILLEGAL_INSTRUCTION = 715, MISALIGNED = 716 };

enum { CHUNK = 16 }; // bytes that are contiguous in every layout

// Bits of a descriptor that belong to no field.
#define DESCRIPTOR_REST UINT64_C(0x3ff1c000c000c000)

bool sim_tile_read(struct sim_warp *w, const struct sim_op *op, const uint64_t *lanes,
                   uint32_t rows, struct sim_tile *out)
{
    static const uint32_t row_bytes[] = { CHUNK, 128, 64, 32 };
    const uint32_t first = (uint32_t)__builtin_ctz(w->active);
    const uint64_t bits = lanes[first];

    for (uint32_t left = w->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (lanes[lane] != bits) {
            sim_fault(w, op, lane, ILLEGAL_INSTRUCTION,
                      "the descriptor of %s is 0x%016llx in lane %u and 0x%016llx in lane %u: all "
                      "of a warpgroup must have the same",
                      out->name, (unsigned long long)bits, first, (unsigned long long)lanes[lane],
                      lane);
            return false;
        }
    }
    if (bits & DESCRIPTOR_REST) {
        sim_fault(w, op, first, ILLEGAL_INSTRUCTION,
                  "the descriptor of %s, 0x%016llx, has bits set that belong to no field (0x%llx)",
                  out->name, (unsigned long long)bits,
                  (unsigned long long)(bits & DESCRIPTOR_REST));
        return false;
    }
    out->start = (bits & 0x3fff) << 4;
    out->leading = (bits >> 16 & 0x3fff) << 4;
    out->stride = (bits >> 32 & 0x3fff) << 4;
    out->base = bits >> 49 & 7;
    out->row_bytes = row_bytes[bits >> 62];

    // A row that starts in a row of the swizzle pattern must also end in it.
    uint32_t used = out->mn_major ? 2 * rows : out->k_bytes;
    if (out->mn_major && used > out->row_bytes)
        used = out->row_bytes; // continues in the next row of the pattern
    if (out->row_bytes > CHUNK && out->start % out->row_bytes + used > out->row_bytes) {
        sim_fault(w, op, first, MISALIGNED,
                  "%s starts at offset 0x%llx of shared memory, where %u bytes reach past the end "
                  "of a row of its %u-byte swizzle",
                  out->name, (unsigned long long)out->start, used, out->row_bytes);
        return false;
    }
    return true;
}

// Returns the offset of a chunk: the bytes from `k` on in row `row` or, if `mn_major`, element `k`
// of the rows from `row` on.
static uint64_t chunk_at(const struct sim_tile *t, uint32_t row, uint32_t k)
{
    const uint32_t per = t->row_bytes / 2; // number of elements in a transposed row
    uint64_t at = t->start;

    if (t->row_bytes == CHUNK)
        return t->mn_major ? at + row / 8 * t->stride + k % 8 * CHUNK + k / 8 * t->leading
                           : at + row % 8 * CHUNK + row / 8 * t->stride + k / CHUNK * t->leading;
    if (t->mn_major)
        at += row / per * t->leading + row % per * 2 + k % 8 * t->row_bytes + k / 8 * t->stride;
    else
        at += row % 8 * t->row_bytes + row / 8 * t->stride + k;
    // The swizzle permutes the chunks of a row by the row's number in the pattern.
    uint64_t phase = ((at >> 7) - t->base) & (t->row_bytes / CHUNK - 1);
    return at ^ phase << 4;
}

// Resolves a chunk with full checks, if access checks are enabled or the chunk is out of bounds.
static const unsigned char *look(struct sim_warp *w, const struct sim_op *op,
                                 const struct sim_tile *t, uint32_t row, uint64_t at)
{
    struct sim_block *block = w->block;
    const uint32_t lane = (uint32_t)__builtin_ctz(w->active);

    if (at + CHUNK <= block->shared_bytes)
        return sim_check_access(w, op, lane, block, at, CHUNK, SIM_READ) ? block->shared + at
                                                                         : NULL;
    sim_fault(w, op, lane, ILLEGAL_ADDRESS,
              "%s of wgmma has row %u at offset %llu of shared memory, which has %u bytes", t->name,
              row, (unsigned long long)at, block->shared_bytes);
    return NULL;
}

// Resolves a chunk in shared memory. NULL after a fault.
static inline const unsigned char *reach(struct sim_warp *w, const struct sim_op *op,
                                         const struct sim_tile *t, uint32_t row, uint32_t k)
{
    uint64_t at = chunk_at(t, row, k);

    if (at + CHUNK > w->block->shared_bytes || sim_checks & SIM_CHECK_ACCESS)
        return look(w, op, t, row, at);
    return w->block->shared + at;
}

bool sim_tile_gather(struct sim_warp *w, const struct sim_op *op, const struct sim_tile *t,
                     uint32_t first, uint32_t count, unsigned char *rows)
{
    const unsigned char *from;

    if (!t->mn_major) {
        for (uint32_t row = 0; row < count; row++) {
            for (uint32_t k = 0; k < t->k_bytes; k += CHUNK) {
                if (!(from = reach(w, op, t, first + row, k)))
                    return false;
                memcpy(rows + row * t->k_bytes + k, from, CHUNK);
            }
        }
        return true;
    }
    for (uint32_t row = 0; row < count; row += 8) {
        for (uint32_t k = 0; k < t->k_bytes / 2; k++) {
            if (!(from = reach(w, op, t, first + row, k)))
                return false;
            for (uint32_t i = 0; i < 8; i++)
                memcpy(rows + (row + i) * t->k_bytes + 2 * k, from + 2 * i, 2);
        }
    }
    return true;
}
