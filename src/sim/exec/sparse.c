// Decodes the metadata of mma.sp and wgmma.mma_async.sp (PTX ISA, "Sparse matrix storage").
//
// A row of A consists of pieces. Half of each piece is zeros, which are not stored: two of four
// elements, one of two for tf32, or two of four pairs of 4-bit elements. Each piece has four bits
// of metadata, which locate the stored half: two bits for each of its two parts. For tf32, the
// parts are the halves of the element.
//
// The metadata of a row occupies 16 or 32 bits of a lane. Let g = lane / 4. For 16-bit types and
// tf32, the halves of a register belong to rows g and g + 8, and adjacent lanes continue along k.
// For smaller types, one lane has row g and the next one row g + 8, and the next pair of lanes
// continues along k.
#include "matrix.h"

// Returns the width in bits of a stored part, of which a piece has two.
static uint32_t part_bits(enum sim_type type)
{
    return sim_element_bits(type) < 16 ? 8 : 16;
}

// Returns the number of metadata bits for a row.
static uint32_t row_bits(enum sim_type type, uint32_t k)
{
    return k * sim_element_bits(type) / part_bits(type);
}

// Returns how many of four adjacent lanes hold the metadata of two rows.
static uint32_t lanes_of(enum sim_type type, uint32_t k)
{
    return 2 * row_bits(type, k) / 32;
}

uint32_t sim_sparse_selectors(enum sim_type type, uint32_t k)
{
    return 4 / lanes_of(type, k);
}

void sim_sparse_rows(enum sim_type type, uint32_t k, const uint32_t metadata[SIM_WARP],
                     uint32_t selector, uint8_t *rows)
{
    const uint32_t bits = row_bits(type, k), element = sim_element_bits(type);
    const bool halves = part_bits(type) == 16;
    const uint32_t run = halves ? 16 : 32; // contiguous bits

    for (uint32_t row = 0; row < 16; row++) {
        const uint32_t *own = metadata + row % 8 * 4 + selector * lanes_of(type, k);
        for (uint32_t at = 0; at < bits; at += 4) {
            uint32_t word = halves ? own[at / run] >> 16 * (row / 8) : own[at / run * 2 + row / 8];
            uint32_t code = word >> at % run;
            // The positions of the two stored parts in the row.
            uint32_t first = at + (code & 3), second = at + (code >> 2 & 3);
            if (element == 32) {
                *rows++ = (uint8_t)(first / 2);
                continue;
            }
            const uint32_t each = part_bits(type) / element; // elements per part
            for (uint32_t i = 0; i < each; i++)
                *rows++ = (uint8_t)(first * each + i);
            for (uint32_t i = 0; i < each; i++)
                *rows++ = (uint8_t)(second * each + i);
        }
    }
}
