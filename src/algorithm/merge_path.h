// Writes merges of sorted runs and the order of values, which merges, sorts and set operations
// share.
#ifndef CUCORE_ALGORITHM_MERGE_PATH_H
#define CUCORE_ALGORITHM_MERGE_PATH_H

#include "algorithm.h"

// Writes the function comes_before(x0, x1, .., y0, y1, ..): fn, or the natural order of the keys.
void cuc__algorithm_put_order(struct cuc__text *text, const struct cuc__algorithm_problem *p);
// Writes a call of it. `x` and `y` are formats of values.
void cuc__algorithm_put_comparison(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                                   const char *x, const char *y);
// Write the search for the merge path in arrays: how many of the first k elements of the result,
// `low`, come from the first of two runs of na and nb elements. Between both parts stands
// "second = comes_before(" with its arguments: the element k - 1 - middle of the second run, and
// the element `middle` of the first, both under the mask `open`.
void cuc__algorithm_put_search(struct cuc__text *text, const char *indent, const char *na,
                               const char *nb);
void cuc__algorithm_put_search_end(struct cuc__text *text, const char *indent);

// Arrays of a program, by their names in it.
struct cuc__algorithm_arrays {
    uint32_t count;
    char names[CUC__ALGORITHM_MAX][CUC__ALGORITHM_NAME + sizeof("out_")];
};

// Writes the facts that arrays do not overlap `splits` and, if they are written, neither those that
// the kernel reads nor each other. `read` is NULL if they are not written.
void cuc__algorithm_put_facts(struct cuc__text *text, const struct cuc__algorithm_arrays *arrays,
                              const struct cuc__algorithm_arrays *read);
// Writes a list of the values of an element, converted to the types in which they are compared.
// `element` is a format of the element of an array, with the number of the value.
void cuc__algorithm_put_compared(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                                 const char *element);
// Write the parameters of two sequences, of A and B elements, with a comma behind each; and a value
// of the element `at` of either sequence, converted as above.
void cuc__algorithm_put_sequences(struct cuc__text *text, const struct cuc__algorithm_kind *kind);
void cuc__algorithm_put_value(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                              bool second, uint32_t value, const char *at, const char *mask);
// Writes the function merged(), which merges two runs of a tile. Each thread computes `columns`
// elements.
void cuc__algorithm_put_merged(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                               int32_t columns);
// Writes its call for the values of a tile of `elements`: the first run has `na` elements, the
// second one, behind it, `nb`. The results are r0, r1 and so on.
void cuc__algorithm_put_merge(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                              const char *indent, const char *na, const char *nb, int32_t elements);
// Writes a list of tiles, one for each value, whose rows are the columns c0_0, c1_0 and so on.
void cuc__algorithm_put_rows(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                             int32_t columns);
// Chooses tiles of 256 to 2048 elements, and warps whose threads merge `columns` elements each.
void cuc__algorithm_choose_merge(struct cuc__algorithm_problem *p, int32_t columns);
// Returns the number of steps of a binary search among a number of elements.
int32_t cuc__algorithm_search_steps(int32_t elements);

#endif
