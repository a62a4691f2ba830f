// Writes merges of sorted runs and the order of values, which merges and merge sorts share.
#ifndef CUCORE_ALGORITHM_MERGE_PATH_H
#define CUCORE_ALGORITHM_MERGE_PATH_H

#include "algorithm.h"

// Writes the function comes_before(x0, x1, .., y0, y1, ..): fn, or the natural order of the keys.
void cuc__algorithm_put_order(struct cuc__text *text, const struct cuc__algorithm_problem *p);
// Writes a call of it. `x` and `y` are formats of values.
void cuc__algorithm_put_comparison(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                                   const char *x, const char *y);
// Write the search for the merge path in arrays: how many of the first k elements of the result,
// `low`, come from the first of two runs of na and nb elements. Between both parts stand the
// arguments of comes_before(): the element k - 1 - middle of the second run, and the element
// `middle` of the first, both under the mask `open`.
void cuc__algorithm_put_search(struct cuc__text *text, const char *indent, const char *na,
                               const char *nb);
void cuc__algorithm_put_search_end(struct cuc__text *text, const char *indent);
// Writes the function merged(), which merges two runs of a tile. Each thread computes `columns`
// elements.
void cuc__algorithm_put_merged(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                               int32_t columns);
// Writes a list of tiles, one for each value, whose rows are the columns c0_0, c1_0 and so on.
void cuc__algorithm_put_rows(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                             int32_t columns);
// Chooses tiles of 256 to 2048 elements, and warps whose threads merge `columns` elements each.
void cuc__algorithm_choose_merge(struct cuc__algorithm_problem *p, int32_t columns);
// Returns the number of steps of a binary search among a number of elements.
int32_t cuc__algorithm_search_steps(int32_t elements);

#endif
