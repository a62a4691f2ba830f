// Ranks of a tile's digits: shared by rank.c and rank_votes.c.
#ifndef CUCORE_TILE_EMIT_RANK_H
#define CUCORE_TILE_EMIT_RANK_H

#include "emit.h"

struct tile_ranks {
    struct tile_emitter *e;
    const struct tile_value *x;
    uint32_t digits, bits;         // number of digits, and its log2
    bool halves;                   // half warps have rows, with masks; otherwise warps, which vote
    uint32_t rows;                 // of words
    uint32_t count;                // registers of a thread
    uint32_t counts_at, totals_at; // offsets in the shared memory behind the counters
    tile_register shared;          // address of the words, and later of the places
    tile_register row;             // address of the thread's row
    tile_register lane;            // the thread's number in its row
    tile_register *digit;          // by register, 32 bits
    tile_register *valid;          // by register: predicate, or TILE_NO_REGISTER if always true
    bool *none;                    // by register: no thread has an element there
    tile_register *rank; // by register: rank among the row's elements with that digit; with
                         // halves, the digit is in the lower 16 bits
};

// rank_votes.c: emits the ranks and counts of up to TILE_VOTED_DIGITS digits.
bool tile_rank_by_votes(struct tile_ranks *k, const struct tile_op *op);

#endif
