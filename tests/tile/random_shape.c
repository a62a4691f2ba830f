// Makes expressions that move elements, work along an axis, or multiply matrices. See
// random_value.c.
#include "base/array.h"
#include "random_program.h"

#include <string.h>

// Shapes

// Returns a random shape with the same number of elements.
static struct shape reshaped(struct generator *g, struct shape s)
{
    int left = count_of(&s);
    struct shape r = { 0 };

    for (; r.rank < MOST_AXES - 1 && left > 1 && !random_chance(g, 4); r.rank++) {
        int part = 1;
        for (int k = 0; k < 3; k++) {
            int factor = 2 + (int)random_below(g, 6);
            if (left % (part * factor) == 0)
                part *= factor;
        }
        r.extent[r.rank] = part;
        left /= part;
    }
    if (left > 1 || random_chance(g, 6))
        r.extent[r.rank++] = left;
    return r;
}

const char *make_reshape(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    struct shape from = reshaped(g, s);
    const char *x = random_value(g, d, from, depth);

    if (from.rank == 1 && s.rank == 2 && s.extent[0] == 1 && random_chance(g, 2))
        return say(g, "%s[None, :]", x);
    if (from.rank == 1 && s.rank == 2 && s.extent[1] == 1 && random_chance(g, 2))
        return say(g, "%s[:, None]", x);
    return say(g, "reshape(%s, [%s])", x, say_shape(g, &s));
}

const char *make_squeeze(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    if (s.rank >= MOST_AXES)
        return NULL;
    struct shape from = s;
    int at = (int)random_below(g, (uint32_t)s.rank + 1);
    memmove(from.extent + at + 1, from.extent + at, (size_t)(s.rank - at) * sizeof(*from.extent));
    from.extent[at] = 1;
    from.rank++;
    return say(g, "squeeze(%s, %d)", random_value(g, d, from, depth), at);
}

const char *make_permute(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    int axes[MOST_AXES], n = s.rank;
    struct shape from = s;

    if (n < 2)
        return NULL;
    if (random_chance(g, 2)) {
        from.extent[n - 1] = s.extent[n - 2];
        from.extent[n - 2] = s.extent[n - 1];
        return say(g, "trans(%s)", random_value(g, d, from, depth));
    }
    for (int i = 0; i < n; i++)
        axes[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = (int)random_below(g, (uint32_t)i + 1), kept = axes[i];
        axes[i] = axes[k];
        axes[k] = kept;
    }
    for (int i = 0; i < n; i++)
        from.extent[axes[i]] = s.extent[i];
    const struct shape as = { n, { axes[0], axes[1], axes[2], axes[3] } };
    const char *x = random_value(g, d, from, depth);
    return say(g, "permute(%s, [%s])", x, say_shape(g, &as));
}

const char *make_broadcast(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    if (!s.rank)
        return NULL;
    struct shape from = random_thinner(g, s);
    from = random_thinner(g, from);
    return say(g, "broadcast(%s, [%s])", random_value(g, d, from, depth), say_shape(g, &s));
}

const char *make_cat(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    int axis = s.rank ? (int)random_below(g, (uint32_t)s.rank) : 0;

    if (!s.rank || s.extent[axis] < 2)
        return NULL;
    struct shape x = s, y = s;
    x.extent[axis] = 1 + (int)random_below(g, (uint32_t)s.extent[axis] - 1);
    y.extent[axis] -= x.extent[axis];
    const char *a = random_value(g, d, x, depth), *b = random_value(g, d, y, depth);
    return say(g, "cat(%s, %s, %d)", a, b, axis);
}

// Picks a subtile of `of` by a constant or a computed index.
static const char *subtile(struct generator *g, const int *of, int rank)
{
    const char *all = "";

    for (int i = 0; i < rank; i++)
        all = say(g, "%s%s%s", all, i ? ", " : "",
                  random_chance(g, 2) ? say(g, "%u", random_below(g, (uint32_t)of[i]))
                                      : say(g, "%s %% %d", random_index(g), of[i]));
    return all;
}

const char *make_extract(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    struct shape from = s;
    int of[MOST_AXES];

    for (int i = 0; i < s.rank; i++) {
        of[i] = 1 + (int)random_below(g, 3);
        from.extent[i] *= of[i];
    }
    if (!s.rank || count_of(&from) > g->most_elements)
        return NULL;
    const char *x = random_value(g, d, from, depth);
    return say(g, "extract(%s, [%s], [%s])", x, subtile(g, of, s.rank), say_shape(g, &s));
}

const char *make_insert(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    struct shape part = s;
    int of[MOST_AXES];

    for (int i = 0; i < s.rank; i++) {
        of[i] = 1 + (int)random_below(g, 4);
        if (s.extent[i] % of[i])
            of[i] = s.extent[i];
        part.extent[i] /= of[i];
    }
    if (!s.rank)
        return NULL;
    const char *x = random_value(g, d, s, depth), *y = random_value(g, d, part, depth);
    return say(g, "insert(%s, [%s], %s)", x, subtile(g, of, s.rank), y);
}

const char *make_take(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    int axis = s.rank ? (int)random_below(g, (uint32_t)s.rank) : 0;
    static const cuc_dtype dtypes[] = { CUC_I32, CUC_I64, CUC_U8, CUC_U32 };
    cuc_dtype index = dtypes[random_below(g, 4)];
    struct shape from = s, of = s;

    if (!s.rank)
        return NULL;
    from.extent[axis] = 1 + (int)random_below(g, 9);
    if (count_of(&from) > g->most_elements)
        return NULL;
    if (s.rank > 1 && random_chance(g, 2)) {
        of.rank = 1;
        of.extent[0] = s.extent[axis];
    }
    const char *x = random_value(g, d, from, depth), *i = random_value(g, index, of, depth);
    return say(g, "take(%s, %s %% %d, %d)", x, i, from.extent[axis], axis);
}

const char *make_shift(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    if (!s.rank || is_restricted(d))
        return NULL;
    uint32_t axis = random_below(g, (uint32_t)s.rank);
    const char *x = random_value(g, d, s, depth);
    const char *by = random_chance(g, 2) ? say(g, "%d", (int)random_below(g, 9) - 4)
                                         : random_index(g);
    if (random_chance(g, 2))
        return say(g, "roll(%s, %s, %u)", x, by, axis);
    if (random_chance(g, 2))
        return say(g, "shift(%s, %s, %u)", x, by, axis);
    return say(g, "shift(%s, %s, %u, pad=%s)", x, by, axis, random_scalar(g, d, 1));
}

// Along axes

// Chooses a tile whose reduction has shape s: an extent of 1 grows along an axis; a scalar becomes
// the reduction of all elements.
static bool unreduced(struct generator *g, struct shape s, struct shape *from, int *axis)
{
    *from = s;
    *axis = -1;
    if (!s.rank) {
        *from = random_shape(g);
        return true;
    }
    int first = (int)random_below(g, (uint32_t)s.rank);
    for (int i = 0; i < s.rank && *axis < 0; i++)
        if (s.extent[(first + i) % s.rank] == 1)
            *axis = (first + i) % s.rank;
    if (*axis < 0)
        return false;
    from->extent[*axis] = 1 + (int)random_below(g, 40);
    return count_of(from) <= g->most_elements;
}

const char *make_reduce(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const char *const numbers[] = { "sum", "prod", "min", "max" };
    struct shape from;
    int axis;

    if (is_restricted(d) || !unreduced(g, s, &from, &axis))
        return NULL;
    const char *along = axis < 0 ? "" : say(g, ", %d", axis);
    if (d == CUC_BOOL)
        return say(g, "%s(%s%s)", random_chance(g, 2) ? "any" : "all",
                   random_value(g, CUC_BOOL, from, depth), along);
    uint32_t which = random_below(g, 4);
    if (which < 2 && is_real(d)) {
        const char *x = which ? say(g, "where(%s, cast(2, %s), -1)",
                                    random_value(g, CUC_BOOL, from, depth), cuc_dtype_name(d))
                              : random_small(g, d, from, depth);
        return say(g, "%s(%s%s)", numbers[which], x, along);
    }
    const char *x = d == CUC_I32 && random_chance(g, 4) && which < 2
                        ? random_value(g, CUC_BOOL, from, depth)
                        : random_value(g, d, from, depth);
    return say(g, "%s(%s%s%s)", numbers[which], x, along,
               which >= 2 && is_real(d) && random_chance(g, 3) ? ", nan=true" : "");
}

const char *make_arg(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    struct shape from;
    int axis;

    if (d != CUC_I32 || !unreduced(g, s, &from, &axis))
        return NULL;
    const char *x = random_value(g, random_number(g), from, depth);
    return say(g, "%s(%s%s%s)", random_chance(g, 2) ? "argmin" : "argmax", x,
               axis < 0 ? "" : say(g, ", %d", axis), random_chance(g, 3) ? ", nan=true" : "");
}

const char *make_scan(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    const char *way = random_chance(g, 3) ? ", reverse=true" : "";

    if (!s.rank || (!is_whole(d) && !is_real(d)))
        return NULL;
    uint32_t axis = random_below(g, (uint32_t)s.rank);
    if (is_real(d))
        return say(g, "cumsum(%s, %u%s)", random_small(g, d, s, depth), axis, way);
    const char *x = random_value(g, d, s, depth);
    switch (random_below(g, 3)) {
    case 0:
        return say(g, "scan(added, %s, %u, 0%s)", x, axis, way);
    case 1:
        return say(g, "cumprod(%s, %u%s)", x, axis, way);
    default:
        return say(g, "cumsum(%s, %u%s)", x, axis, way);
    }
}

const char *make_sort(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    if (!s.rank || (!is_whole(d) && !is_real(d)))
        return NULL;
    return say(g, "sort(%s, %u)", random_value(g, d, s, depth), random_below(g, (uint32_t)s.rank));
}

const char *make_histogram(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const cuc_dtype dtypes[] = { CUC_I8, CUC_U8, CUC_I32, CUC_I64 };

    if (d != CUC_I32 || s.rank != 1)
        return NULL;
    const char *x = random_value(g, dtypes[random_below(g, 4)], random_shape(g), depth);
    return say(g, "histogram(%s, %d)", x, s.extent[0]);
}

// ---- Matrix products of small whole numbers, so that every sum is exact

static const char *operand(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    if (is_whole(d))
        return random_value(g, d, s, depth);
    if (!is_restricted(d))
        return random_small(g, d, s, depth);
    return say(g, "cast(%s, %s)", random_small(g, CUC_F32, s, depth), cuc_dtype_name(d));
}

const char *make_mma(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const struct {
        cuc_dtype acc, a, b;
    } products[] = {
        { CUC_F32, CUC_F16, CUC_F16 },   { CUC_F32, CUC_BF16, CUC_BF16 },
        { CUC_F32, CUC_F32, CUC_F32 },   { CUC_F32, CUC_TF32, CUC_TF32 },
        { CUC_F32, CUC_E4M3, CUC_E5M2 }, { CUC_F32, CUC_E4M3, CUC_E4M3 },
        { CUC_F16, CUC_F16, CUC_F16 },   { CUC_F16, CUC_E5M2, CUC_E5M2 },
        { CUC_F64, CUC_F64, CUC_F64 },   { CUC_I32, CUC_I8, CUC_I8 },
        { CUC_I32, CUC_U8, CUC_I8 },     { CUC_I32, CUC_U8, CUC_U8 },
    };
    static const char *const precisions[] = { "", ", precision=tf32", ", precision=tf32x3" };
    enum { PRODUCTS = CUC_LENGTH(products) };
    struct shape a = s, b = s;
    int k = 1 + (int)random_below(g, 24);
    uint32_t i = random_below(g, PRODUCTS);

    if (s.rank < 2)
        return NULL;
    for (uint32_t n = 0; products[i].acc != d; n++, i = (i + 1) % PRODUCTS)
        if (n == PRODUCTS)
            return NULL;
    a.extent[s.rank - 1] = k;
    b.extent[s.rank - 2] = k;
    if (count_of(&a) > g->most_elements || count_of(&b) > g->most_elements)
        return NULL;
    if (s.rank == 3 && random_chance(g, 3)) { // the same for all batches
        b.rank = 2;
        b.extent[0] = k;
        b.extent[1] = s.extent[2];
    }
    const char *x = operand(g, products[i].a, a, depth), *y = operand(g, products[i].b, b, depth);
    if (d != CUC_F16 && random_chance(g, 3))
        return say(g, "(%s @ %s)", x, y);
    const char *acc = is_whole(d) ? random_value(g, d, s, depth) : random_small(g, d, s, depth);
    return say(g, "mma(%s, %s, %s%s)", x, y, acc,
               products[i].a == CUC_F32 ? precisions[random_below(g, 3)] : "");
}
