// Suggests a known name for a misspelt one, for error messages.
#include "elaborate.h"

#include <string.h>

enum { LONGEST = 24, FAR = LONGEST + 1 };

// Returns the edit distance: the number of letters to change, insert, delete or swap to turn one
// word into the other.
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
    // Suggestions stop at distances that no longer look like a typo. For a word of one or two
    // letters, any word would be close.
    size_t limit = best ? distance(written, best) : letters < 3 ? 0 : letters < 6 ? 2 : 3;

    return word && distance(written, word) < limit ? word : best;
}
