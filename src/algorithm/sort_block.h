// Writes sorts of rows and segments in one block each, which their families share.
#ifndef CUCORE_ALGORITHM_SORT_BLOCK_H
#define CUCORE_ALGORITHM_SORT_BLOCK_H

#include "algorithm.h"

// A block sorts a few segments of at most so many elements; there is a kernel for each width.
enum { CUC__ALGORITHM_WIDTHS = 4 };

// Returns a width, by its index from the narrowest on.
int32_t cuc__algorithm_width(const struct cuc__algorithm_kind *kind, int index);
// Returns the kernels to omit, a bit for each width, if most segments have `count` elements: those
// that are neither for these nor for parts of longer ones.
uint32_t cuc__algorithm_omitted_widths(const struct cuc__algorithm_kind *kind, int64_t count);
// Returns the narrowest width that is not omitted and not below a number of elements, or the
// widest.
int cuc__algorithm_width_for(const struct cuc__algorithm_kind *kind, uint32_t omitted,
                             int64_t elements);
// Returns the number of segments that a block of this width sorts.
int32_t cuc__algorithm_segments_of_width(int32_t width);

// Writes the functions ordered(), which maps a key to an integer of the same order; restored(),
// which maps it back; and comes_before().
void cuc__algorithm_put_key_functions(struct cuc__text *text,
                                      const struct cuc__algorithm_kind *kind);
// Writes the sort of v0, v1 and so on, [R, W], of which those `inside` are elements: r0, r1 and so
// on, in the types of the outputs. With the index of its `first` element, that of one segment, [W].
void cuc__algorithm_put_block_sort(struct cuc__text *text, const struct cuc__algorithm_problem *p,
                                   const char *first, const char *indent);

#endif
