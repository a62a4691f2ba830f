// Loads that begin between two vectors (funnel.c).
#ifndef CUCORE_TILE_PASS_FUNNEL_H
#define CUCORE_TILE_PASS_FUNNEL_H

#include "range_analysis.h"

// True for a load_at whose last index is a multiple of a vector's elements plus a constant that is
// not.
bool tile_begins_between_vectors(const struct tile_op *load, const struct tile_ranges *ranges);
// Replaces loads that begin between two vectors by loads of whole vectors. The values must have
// layouts. Returns false if out of memory.
bool tile_funnel_loads(struct tile_kernel *kernel, const struct tile_ranges *ranges);

#endif
