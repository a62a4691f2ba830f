// Suggests a known name for a misspelled one, for error messages.
#include "elaborate.h"

#include <string.h>

enum { LONGEST = 24, FAR = LONGEST + 1 };

// Returns the edit distance of two words: how many letters must be changed, inserted, deleted or
// swapped with a neighbor to turn one into the other.
static size_t distance(const char *a, const char *b)
{
    size_t an = strlen(a), bn = strlen(b), d[LONGEST + 1][LONGEST + 1];

    if (an > LONGEST || bn > LONGEST)
        return FAR;
    for (size_t i = 0; i <= an; i++)
        for (size_t j = 0; j <= bn; j++) {
            size_t best = i ? j ? d[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : i : j;
            if (i && d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (j && d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[an][bn];
}

const char *tile_nearer(const char *written, const char *best, const char *word)
{
    size_t letters = strlen(written);
    // Beyond this distance, a name does not look like a typo. For a word of one or two letters,
    // every word would be close.
    size_t limit = best ? distance(written, best) : letters < 3 ? 0 : letters < 6 ? 2 : 3;

    return word && distance(written, word) < limit ? word : best;
}

const char *tile_written_instead(const char *name)
{
    static const struct {
        const char *name, *instead;
    } rows[] = {
        { "arange", "iota(i32, n)" },
        { "astype", "cast(x, f32)" },
        { "atomic_sub", "atomic_add(t, [i], -x)" },
        { "ceil_div", "cdiv(a, b)" },
        { "clamp", "minimum(maximum(x, low), high)" },
        { "clip", "minimum(maximum(x, low), high)" },
        { "concat", "cat(x, y, axis)" },
        { "concatenate", "cat(x, y, axis)" },
        { "dot", "mma(a, b, acc) or a @ b" },
        { "expand_dims", "x[:, None]" },
        { "float", "cast(x, f32)" },
        { "gelu", "0.5 * x * (1.0 + erf(x * 0.7071067811865476))" },
        { "int", "cast(x, i32)" },
        { "len", "dim(t, 0)" },
        { "ln", "log(x)" },
        { "log10", "log(x) * 0.4342944819032518" },
        { "logsumexp", "m = max(x), then m + log(sum(exp(x - m)))" },
        { "matmul", "mma(a, b, acc) or a @ b" },
        { "mean", "sum(x) / n" },
        { "num_programs", "num_blocks(axis)" },
        { "ones", "full(f32, shape, 1.0)" },
        { "program_id", "block(axis)" },
        { "range", "for i in 0 .. n" },
        { "relu", "maximum(x, 0.0)" },
        { "scatter_add", "atomic_add(t, [i], x, order=relaxed)" },
        { "silu", "x * sigmoid(x)" },
        { "softmax", "e = exp(x - max(x)), then e / sum(e)" },
        { "square", "x * x" },
        { "swish", "x * sigmoid(x)" },
        { "transpose", "trans(x), or permute(x, axes)" },
        { "unsqueeze", "x[:, None]" },
        { "var", "m = sum(x) / n, then sum((x - m) * (x - m)) / n" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].instead;
    return NULL;
}
