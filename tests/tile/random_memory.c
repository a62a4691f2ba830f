// Makes random memory accesses. Only the block that writes an element reads it: with several
// blocks, written tensors have a leading axis of blocks. The elements of one store have distinct
// addresses.
#include "random_program.h"

#include <string.h>

static const char *hints(struct generator *g, bool stores)
{
    static const char *const some[] = { ", latency=3", ", cache=first", ", cache=stream",
                                        ", order=relaxed", ", order=relaxed, scope=block" };

    if (random_chance(g, 16))
        return stores ? ", order=release" : ", order=acquire";
    return random_chance(g, 8) ? some[random_below(g, 5)] : "";
}

// Picks a parameter with the dtype and rank, or occasionally adds one.
static struct parameter *tensor_for(struct generator *g, cuc_dtype d, int rank, bool written)
{
    struct parameter *found = NULL;

    for (int i = 0, seen = 1; i < g->parameters; i++) {
        struct parameter *p = &g->parameter[i];
        if (p->dtype == d && p->rank == rank && p->use == (written ? WRITTEN : READ) &&
            random_chance(g, (uint32_t)seen++))
            found = p;
    }
    if ((found && !random_chance(g, 3)) || g->parameters == MOST_TENSORS ||
        g->inputs == (g->meets ? 3 : MOST_INPUTS))
        return found;
    struct parameter *p = &g->parameter[g->parameters];
    *p = (struct parameter){ .dtype = d, .rank = rank, .use = written ? WRITTEN : READ };
    snprintf(p->text, sizeof(p->text), "%c_%d",
             written               ? 'u'
             : random_chance(g, 3) ? 'x'
                                   : 'w',
             g->parameters++);
    g->inputs++;
    for (int i = 0, left = TENSOR_ELEMENTS; i < rank; i++) {
        int most = g->meets ? 600 : 70;
        if (written && g->blocks && !i)
            p->extent[i] = 3;
        else if (left >= MOST_DIMENSION && !g->meets && random_chance(g, 3))
            p->extent[i] = -1 - (int)random_below(g, MOST_DIMENSIONS);
        else
            p->extent[i] = 1 + (int)random_below(g, (uint32_t)(left < most ? left : most));
        left /= p->extent[i] < 0 ? MOST_DIMENSION : p->extent[i];
    }
    return p;
}

static bool own_part(const struct generator *g, const struct parameter *p)
{
    return p->use == WRITTEN && g->blocks;
}

// Maps the axes of a tile, in order, to axes of the tensor; -1 marks a tensor axis that no tile
// axis uses.
static void place_axes(struct generator *g, const struct parameter *p, int tile_rank, int *axis)
{
    int extra = p->rank - tile_rank, next = 0;

    for (int i = 0; i < p->rank; i++) {
        int left = p->rank - i;
        bool dropped = extra && (left == extra || (own_part(g, p) && !i) || random_chance(g, 2));
        axis[i] = dropped ? -1 : next++;
        extra -= dropped;
    }
}

static const char *access_index(struct generator *g, const struct parameter *p, const int *axis,
                                bool elements)
{
    const char *all = "";

    for (int i = 0; i < p->rank; i++) {
        const char *one = own_part(g, p) && !i  ? "b"
                          : axis[i] < 0         ? random_index(g)
                          : random_chance(g, 2) ? "0"
                          : elements && (g->meets || random_chance(g, 3))
                              ? say(g, g->meets ? "%s * 37 - 2" : "%s * 3 - 2", random_index(g))
                              : random_index(g);
        all = say(g, "%s%s%s", all, i ? ", " : "", one);
    }
    return all;
}

static const char *access_shape(struct generator *g, const struct parameter *p, const int *axis,
                                const struct shape *s)
{
    const char *all = "";

    for (int i = 0; i < p->rank; i++)
        all = axis[i] < 0 ? say(g, "%s%s_", all, i ? ", " : "")
                          : say(g, "%s%s%d", all, i ? ", " : "", s->extent[axis[i]]);
    return all;
}

static const char *pad_of(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    if (is_restricted(d) || !random_chance(g, 3))
        return "";
    if (random_chance(g, 2))
        return d == CUC_BOOL ? ", pad=true" : ", pad=2";
    return say(g, ", pad=%s",
               random_value(g, d, random_chance(g, 2) ? s : (struct shape){ 0 }, depth));
}

static const char *gather(struct generator *g, const struct parameter *p, struct shape s, int depth)
{
    static const cuc_dtype dtypes[] = { CUC_I32, CUC_I64, CUC_U8, CUC_I16 };
    const char *all = "", *mask = "", *pad = pad_of(g, p->dtype, s, depth);

    for (int i = 0; i < p->rank; i++) { // the last index has the shape
        const char *one = i + 1 < p->rank && random_chance(g, 2)
                              ? random_index(g)
                              : random_value(g, dtypes[random_below(g, 4)], s, depth);
        one = own_part(g, p) && !i ? "b" : say(g, "(%s %% 23)", one);
        all = say(g, "%s%s%s", all, i ? ", " : "", one);
    }
    if (random_chance(g, 3))
        mask = say(g, ", mask=%s", random_value(g, CUC_BOOL, s, depth));
    return say(g, "gather(%s, [%s]%s%s%s)", p->text, all, mask, pad, hints(g, false));
}

const char *random_load(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    bool written = random_chance(g, 2);
    int lead = written && g->blocks, rank = s.rank + lead, axis[MOST_AXES];

    while (rank < MOST_AXES && random_chance(g, 5))
        rank++;
    if (rank > MOST_AXES)
        return NULL;
    const struct parameter *p = tensor_for(g, d, rank, written);
    if (!p) { // a parameter of another dtype
        int first = (int)random_below(g, (uint32_t)g->parameters + 1);
        for (int i = 0; i < g->parameters && !p; i++) {
            const struct parameter *some = &g->parameter[(first + i) % g->parameters];
            if (some->use == READ && some->rank >= s.rank)
                p = some;
        }
        if (!p || (is_restricted(d) && is_restricted(p->dtype)))
            return NULL;
        place_axes(g, p, s.rank, axis);
        const char *index = access_index(g, p, axis, false);
        return say(g, "cast(load(%s, [%s], [%s]), %s)", p->text, index,
                   access_shape(g, p, axis, &s), cuc_dtype_name(d));
    }
    place_axes(g, p, s.rank, axis);
    if (!s.rank && random_chance(g, 2) && rank)
        return say(g, "%s[%s]", p->text, access_index(g, p, axis, true));
    if (s.rank && random_chance(g, 5) && rank > lead)
        return gather(g, p, s, depth > 1 ? 1 : depth);
    if (s.rank && rank == s.rank && p->use == READ && random_chance(g, 5)) {
        const struct shape ids = { 1, { s.extent[0] } };
        const char *rest = "", *extents = "", *picks = random_value(g, CUC_I32, ids, depth);
        for (int i = 1; i < s.rank; i++) {
            rest = say(g, "%s%s%s", rest, i > 1 ? ", " : "", random_index(g));
            extents = say(g, "%s%s%d", extents, i > 1 ? ", " : "", s.extent[i]);
        }
        return say(g, "load_rows(%s, %s %% 30 - 2, [%s], [%s]%s)", p->text, picks, rest, extents,
                   pad_of(g, d, s, depth));
    }
    bool elements = g->meets || random_chance(g, 3);
    const char *from = p->text;
    if (random_chance(g, 8) && rank > lead)
        from =
            say(g, "slice(%s, %d, %s, %s + 9)", from, rank - 1, random_index(g), random_index(g));
    const char *index = access_index(g, p, axis, elements);
    return say(g, "load%s(%s, [%s], [%s]%s%s)", elements ? "_at" : "", from, index,
               access_shape(g, p, axis, &s), pad_of(g, d, s, depth), hints(g, false));
}

// Stores a value into a tensor that holds only results.
void random_output(struct generator *g, const char *value, cuc_dtype d, const struct shape *s,
                   bool approximate)
{
    const char *index = "";

    if (g->parameters == MOST_TENSORS || s->rank + g->blocks > MOST_AXES)
        return;
    struct parameter *p = &g->parameter[g->parameters];
    *p = (struct parameter){ .dtype = d, .rank = s->rank + g->blocks, .use = RESULT };
    snprintf(p->text, sizeof(p->text), approximate ? "oa_%d" : "o_%d", g->parameters++);
    for (int i = 0; i < s->rank; i++)
        p->extent[g->blocks + i] = s->extent[i] + (int)random_below(g, 3);
    if (g->blocks)
        p->extent[0] = 3;
    for (int i = 0; i < p->rank; i++)
        index = say(g, "%s%s%s", index, i ? ", " : "", g->blocks && !i ? "b" : "0");
    line(g, "store(%s, [%s], %s)", p->text, index, value);
}

static bool is_word(cuc_dtype d)
{
    return is_whole(d) && cuc_dtype_bits(d) >= 32;
}

// Scatters elements to distinct addresses, or accumulates them, which may repeat an address.
static void scatter(struct generator *g, const struct parameter *p, struct shape s)
{
    static const char *const sums[] = { "add", "max", "min", "and", "or", "xor" };
    int n = s.extent[0];
    bool sum = is_word(p->dtype) && random_chance(g, 2);
    const char *x = random_value(g, p->dtype, s, 2);
    const char *i = sum ? say(g, "%s %% 7", random_value(g, CUC_I32, s, 1))
                    : random_chance(g, 2)
                        ? say(g, "%d - iota(i32, %d)", n - 1 - (int)random_below(g, 3), n)
                        : say(g, "(iota(i32, %d) * 2 - %u)", n, random_below(g, 5));
    const char *mask = random_chance(g, 2) ? say(g, ", mask=%s", random_value(g, CUC_BOOL, s, 1))
                                           : "";
    const char *lead = own_part(g, p) ? "b, " : "";

    if (sum)
        line(g, "atomic_%s(%s, [%s%s], %s%s)", sums[random_below(g, 6)], p->text, lead, i, x, mask);
    else if (is_word(p->dtype) && random_chance(g, 2)) {
        struct name *name = &g->name[g->names];
        if (g->names == MOST_NAMES)
            return;
        *name = (struct name){ .dtype = p->dtype, .shape = s };
        snprintf(name->text, sizeof(name->text), "v%d", g->next_name++);
        line(g, "%s = atomic_%s(%s, [%s%s], %s%s)", name->text, sums[random_below(g, 6)], p->text,
             lead, i, x, mask);
        g->names++;
    } else
        line(g, "scatter(%s, [%s%s], %s%s%s)", p->text, lead, i, x, mask, hints(g, true));
}

void random_store(struct generator *g)
{
    static const char *const sums[] = { "add", "max", "min", "and", "or", "xor" };
    struct shape s = random_shape(g);
    cuc_dtype d = random_chance(g, 8) ? CUC_E4M3 : random_dtype(g);
    int axis[MOST_AXES];

    if (s.rank + g->blocks > MOST_AXES)
        return;
    const struct parameter *p = tensor_for(g, d, s.rank + g->blocks, true);
    if (!p)
        return;
    if (s.rank == 1 && random_chance(g, 3)) {
        scatter(g, p, s);
        return;
    }
    place_axes(g, p, s.rank, axis);
    bool elements = g->meets || random_chance(g, 3);
    const char *index = access_index(g, p, axis, elements);
    if (is_word(d) && random_chance(g, 6)) {
        line(g, "store_%s(%s, [%s], %s)", sums[random_below(g, 6)], p->text, index,
             random_value(g, d, s, 2));
        return;
    }
    if (s.rank && !g->blocks && random_chance(g, 6)) {
        const char *rest = "";
        for (int i = 1; i < s.rank; i++)
            rest = say(g, "%s%s%s", rest, i > 1 ? ", " : "", random_index(g));
        line(g, "store_rows(%s, iota(i32, %d) * 2 - %s, [%s], %s)", p->text, s.extent[0],
             random_index(g), rest, random_value(g, d, s, 2));
        return;
    }
    const char *x =
        s.rank && random_chance(g, 6) && !is_restricted(d)
            ? say(g, "%s, shape=[%s]", random_scalar(g, d, 2), access_shape(g, p, axis, &s))
            : random_value(g, d, s, 3);
    line(g, "store%s(%s, [%s], %s%s)", elements ? "_at" : "", p->text, index, x, hints(g, true));
}
