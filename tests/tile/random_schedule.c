// Generates kernels with products in loops. See random_schedule.h.
//
// A kernel has one of three forms: a region, whose products all add to one accumulator from nested
// loops, branches and straight-line code; a loop with several products and work on their results;
// or a loop whose second product multiplies the first one's result, as in attention.
#include "random_schedule.h"

#include "base/array.h"
#include "construct_data.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_ROOM = 1 << 16,
    MOST_SITES = 5,       // limit on the products of a region
    MOST_EXACT = 1 << 24, // f32 holds all integers up to this exactly
    MOST_ITERATIONS = 40,
    MOST_PRODUCTS = 3,
    MOST_VARIABLES = 6,
    MOST_TENSORS = 64,
};

struct generator {
    uint64_t state;
    char *text; // text of all expressions
    size_t used;
    FILE *parameters, *before, *body;
    int next, indent;
    const char *dtype; // dtype of the operands, unless they are computed
    bool is_integer, is_16_bit;
    int rows, columns, depth;             // extents of the accumulator and of a stage
    const char *variable[MOST_VARIABLES]; // scalars of the loops around a statement, innermost last
    int variables;
    double most;      // largest value of the operand that was just generated
    bool before_loop; // whether an operand may be loaded before the loop
    int box;          // number of rows that most boxes have along their first axis
    struct {
        const char *name, *dtype, *extents;
    } tensor[MOST_TENSORS];
    int tensors;
    bool is_left_turned, is_right_turned; // order in memory, for most operands
};

// splitmix64 (Steele, Lea and Flood 2014)
static uint32_t below(struct generator *g, uint32_t n)
{
    uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 33) % n;
}

static bool chance(struct generator *g, uint32_t one_in)
{
    return below(g, one_in) == 0;
}

#define PICK(g, list) (list)[below(g, CUC_LENGTH(list))]

__attribute__((format(printf, 2, 3))) static const char *say(struct generator *g,
                                                             const char *format, ...)
{
    char *at = g->text + g->used;
    va_list list;

    va_start(list, format);
    int length = vsnprintf(at, TEXT_ROOM - g->used, format, list);
    va_end(list);
    if (length < 0 || g->used + (size_t)length + 1 > TEXT_ROOM)
        abort();
    g->used += (size_t)length + 1;
    return at;
}

__attribute__((format(printf, 2, 3))) static void line(struct generator *g, const char *format, ...)
{
    va_list list;

    fprintf(g->body, "%*s", 4 * g->indent, "");
    va_start(list, format);
    vfprintf(g->body, format, list);
    va_end(list);
    fputc('\n', g->body);
}

// Returns a tensor. For a tensor that is only read (letter w), mostly returns one that the kernel
// already has. The first letter of a name selects the contents (construct.h).
static const char *tensor(struct generator *g, char letter, const char *dtype, const char *extents)
{
    for (int i = 0; i < g->tensors && letter == 'w'; i++)
        if (g->tensor[i].name[0] == letter && !strcmp(g->tensor[i].dtype, dtype) &&
            !strcmp(g->tensor[i].extents, extents) && !chance(g, 5))
            return g->tensor[i].name;
    if (g->tensors == MOST_TENSORS)
        abort();
    const char *name = say(g, "%c_%d", letter, g->next++);
    g->tensor[g->tensors].name = name;
    g->tensor[g->tensors].dtype = dtype;
    g->tensor[g->tensors++].extents = extents;
    fprintf(g->parameters, ", %s: %s[%s]", name, dtype, extents);
    return name;
}

// ---- Operands

// An axis of a tile: the dimension, the index of the tile, and its extent.
struct axis {
    const char *dimension, *index;
    int extent;
};

// Returns the index of a tile, or an index computed from it.
static const char *index_from(struct generator *g, const char *index)
{
    if (!chance(g, 4))
        return index;
    switch (below(g, 7)) {
    case 0:
        return say(g, "%s - 1", index);
    case 1:
        return say(g, "%s // 2", index);
    case 2:
        return say(g, "(%s * 3 + 1) %% 5", index);
    case 3:
        return say(g, "minimum(%s, 2)", index);
    case 4:
        return say(g, "3 - %s", index);
    case 5: // a page table
        return say(g, "%s[%s]", tensor(g, chance(g, 3) ? 'i' : 'w', "i32", "9"), index);
    default:
        return g->variables
                   ? say(g, "%s + %s", index, g->variable[below(g, (uint32_t)g->variables)])
                   : index;
    }
}

static const char *offset(struct generator *g)
{
    static const char *const some[] = { "", "", " - 1", " + 1", " - 3", " + 8", " + 5" };

    if (g->variables && chance(g, 3))
        return say(g, " + %s - 1", g->variable[below(g, (uint32_t)g->variables)]);
    return PICK(g, some);
}

// Does the same along the contiguous axis, where TMA needs multiples of 16 bytes.
static const char *line_offset(struct generator *g)
{
    static const char *const some[] = { "", "", "", " + 16", " - 32" };

    if (chance(g, 12))
        return offset(g);
    if (g->variables && chance(g, 3))
        return say(g, " + (%s - 1) * 16", g->variable[below(g, (uint32_t)g->variables)]);
    return PICK(g, some);
}

static const char *load_matrix(struct generator *g, const char *dtype, char letter, struct axis r,
                               struct axis c)
{
    const char *x = tensor(g, letter, dtype, say(g, "%s, %s", r.dimension, c.dimension));

    if (chance(g, 3))
        return say(g, "load_at(%s, [%s * %d%s, %s * %d%s], [%d, %d])", x, r.index, r.extent,
                   offset(g), c.index, c.extent, line_offset(g), r.extent, c.extent);
    return say(g, "load(%s, [%s, %s], [%d, %d])", x, index_from(g, r.index), index_from(g, c.index),
               r.extent, c.extent);
}

// Loads one matrix of a tensor with a leading axis.
static const char *load_batch(struct generator *g, const char *dtype, struct axis r, struct axis c)
{
    const char *x = tensor(g, 'w', dtype, say(g, "3, %s, %s", r.dimension, c.dimension));
    const char *batch = g->variables   ? g->variable[below(g, (uint32_t)g->variables)]
                        : chance(g, 2) ? "1"
                                       : "m";

    return say(g, "load(%s, [%s, %s, %s], [_, %d, %d])", x, index_from(g, batch), r.index, c.index,
               r.extent, c.extent);
}

// Returns a tensor, or a slice of it along its first or second axis that most rows are in.
static const char *part_of(struct generator *g, const char *x, int axes)
{
    if (!chance(g, 5))
        return x;
    int axis = (int)below(g, (uint32_t)axes - 1);
    return say(g, "slice(%s, %d, %s, %s)", x, axis, PICK(g, ((const char *[]){ "0", "1", "m" })),
               PICK(g, ((const char *[]){ "n + 2", "8", "30" })));
}

// Loads a box whose rows form a rectangle, as in a convolution.
static const char *load_box(struct generator *g, const char *dtype, struct axis r, struct axis c)
{
    int p = chance(g, 6) ? 1 << below(g, 4) : g->box;

    while (r.extent % p)
        p /= 2;
    int q = r.extent / p;
    const char *x = tensor(g, 'w', dtype, say(g, "2, 9, 11, %s", c.dimension));
    const char *start = chance(g, 2) ? "0" : "1";
    if (chance(g, 3))
        return say(g, "reshape(load(%s, [%s, %s, 0, %s], [_, %d, %d, %d]), [%d, %d])", x, start,
                   r.index, c.index, p, q, c.extent, r.extent, c.extent);
    if (chance(g, 3)) // elements at equal distances, which TMA copies too
        return say(g,
                   "reshape(gather(%s, [%s, %s * %d%s + %u * iota(i64, %d)[:, None, None], %s%s + "
                   "iota(i64, %d)[:, None] * %u, %s * %d + iota(i64, %d)]), [%d, %d])",
                   part_of(g, x, 4), start, r.index, p, offset(g), 1 + below(g, 3), p,
                   chance(g, 2) ? "m" : "0", offset(g), q, 1 + below(g, 4), c.index, c.extent,
                   c.extent, r.extent, c.extent);
    return say(g, "reshape(load_at(%s, [%s, %s * %d%s, %s%s, %s * %d], [_, %d, %d, %d]), [%d, %d])",
               x, start, r.index, p, offset(g), chance(g, 2) ? "m" : "0", offset(g), c.index,
               c.extent, p, q, c.extent, r.extent, c.extent);
}

// Loads rows by number. The numbers are loaded, or computed as the numbers of consecutive pixels.
static const char *load_gathered(struct generator *g, const char *dtype, struct axis r,
                                 struct axis c)
{
    if (chance(g, 2)) {
        const char *x = tensor(g, 'w', dtype, say(g, "40, %s", c.dimension));
        const char *id = tensor(g, 'i', chance(g, 2) ? "i32" : "i64", r.dimension);
        id = say(g, "load(%s, [%s], [%d], pad=%s)", id, index_from(g, r.index), r.extent,
                 chance(g, 2) ? "-1" : "3");
        if (chance(g, 3))
            id = say(g, "%s // 2 + %s", id, r.index);
        return say(g, "load_rows(%s, %s, [%s], [%d])", part_of(g, x, 2), id, index_from(g, c.index),
                   c.extent);
    }
    const char *x = tensor(g, 'w', dtype, say(g, "2, 9, 11, %s", c.dimension));
    const char *n = say(g, "n%d", g->next++),
               *mask = chance(g, 3) ? say(g, ", mask=%s != 7", n) : "";
    line(g, "%s = (cast(%s * %d%s, i32) + iota(i32, %d))[:, None]", n, r.index, r.extent, offset(g),
         r.extent);
    return say(g,
               "gather(%s, [%s // 99, %s // 11 %% 9%s, %s %% 11 * %s%s, %s * %d%s + iota(i64, "
               "%d)[None, :]]%s)",
               part_of(g, x, 4), n, n, offset(g), n, chance(g, 2) ? "1" : "2", offset(g), c.index,
               c.extent, line_offset(g), c.extent, mask);
}

// Loads 4-bit numbers, two in each byte.
static const char *load_nibbles(struct generator *g, struct axis r, struct axis c)
{
    const char *p = say(g, "q%d", g->next++),
               *x = tensor(g, 'x', "u8", say(g, "%s, 70", r.dimension));

    line(g, "%s = load(%s, [%s, %s], [%d, %d])", p, x, r.index, index_from(g, c.index), r.extent,
         c.extent / 2);
    g->most = 15;
    return say(g, "reshape(cat((%s & 15)[:, :, None], (%s >> 4)[:, :, None], 2), [%d, %d])", p, p,
               r.extent, c.extent);
}

static const char *load_operand(struct generator *g, const char *dtype, struct axis r,
                                struct axis c)
{
    g->most = 8; // for unsigned numbers; 4 for signed ones
    switch (below(g, 9)) {
    case 0:
    case 1:
        return load_box(g, dtype, r, c);
    case 2:
        return load_batch(g, dtype, r, c);
    case 3:
    case 4:
        return load_gathered(g, dtype, r, c);
    default:
        return load_matrix(g, dtype, 'w', r, c);
    }
}

// Returns a factor from -4 to 4 that the loop loads: one for each row or column of a tile, or one
// for the tile.
static const char *load_factor(struct generator *g, const char *dtype, struct axis r, struct axis c)
{
    const char *pad = chance(g, 3) ? ", pad=1" : "";

    switch (below(g, 4)) {
    case 0:
        return say(g, "load(%s, [%s, %s], [%d, 1]%s)",
                   tensor(g, 'w', dtype, say(g, "%s, 7", r.dimension)), r.index,
                   index_from(g, c.index), r.extent, pad);
    case 1:
        return say(g, "load(%s, [%s, %s], [_, %d]%s)[None, :]",
                   tensor(g, 'w', dtype, say(g, "5, %s", c.dimension)), index_from(g, r.index),
                   c.index, c.extent, pad);
    case 2:
        return say(g, "load_at(%s, [%s * %d - 2], [%d]%s)[:, None]",
                   tensor(g, 'w', dtype, r.dimension), r.index, r.extent, r.extent, pad);
    default:
        return say(g, "%s[%s, %s]", tensor(g, 'w', dtype, "4, 6"), index_from(g, r.index),
                   index_from(g, c.index));
    }
}

// Returns an operand that is computed from a loaded one.
static const char *compute_operand(struct generator *g, struct axis r, struct axis c)
{
    static const char *const dtypes[] = { "i8", "u8", "e4m3", "f32", "bf16", "f16", "i32", "i16" };
    const char *x = c.extent % 2 == 0 && chance(g, 3) ? load_nibbles(g, r, c)
                                                      : load_operand(g, PICK(g, dtypes), r, c);
    bool was_cast = false;

    for (int steps = 1 + (int)below(g, 3); steps-- > 0 || !was_cast;) {
        switch (below(g, 6)) {
        case 0:
            if (!was_cast || g->most > 64)
                break;
            x = say(g, "(%s) * %s", x, load_factor(g, g->dtype, r, c));
            g->most *= 4;
            break;
        case 1:
            if (!was_cast || g->most > 100)
                break;
            x = say(g, "(%s - %s)", x, chance(g, 2) ? "8.0" : "3.0");
            g->most += 8;
            break;
        case 2:
            if (was_cast)
                x = say(g, "where(%s * %d + iota(i32, %d)[None, :] < %s - 3, %s, 0.0)", c.index,
                        c.extent, c.extent, c.dimension, x);
            break;
        case 3:
            if (was_cast)
                x = say(g, "maximum(%s, -2.0)", x);
            break;
        default:
            if (!was_cast)
                x = chance(g, 3) ? say(g, "cast(cast(%s, f32), %s)", x, g->dtype)
                                 : say(g, "cast(%s, %s)", x, g->dtype);
            was_cast = true;
            break;
        }
    }
    return x;
}

// Names an operand, with some probability, or loads it before the loop.
static const char *named(struct generator *g, const char *text)
{
    if (!chance(g, 3))
        return text;
    const char *name = say(g, "t%d", g->next++);
    line(g, "%s = %s", name, text);
    return name;
}

// Returns an operand [r, c], loaded or computed. The loop moves along the axis `along`.
static const char *operand(struct generator *g, struct axis r, struct axis c, bool computes)
{
    if (computes)
        return named(g, compute_operand(g, r, c));
    if (g->before_loop && chance(g, 6)) { // the same in all iterations
        FILE *body = g->body;
        int variables = g->variables, indent = g->indent;
        const char *name = say(g, "h%d", g->next++);
        g->body = g->before;
        g->variables = 0;
        g->indent = 1;
        r.index = strcmp(r.index, "k") ? r.index : "0";
        c.index = strcmp(c.index, "k") ? c.index : "0";
        line(g, "%s = %s", name, load_operand(g, g->dtype, r, c));
        g->body = body;
        g->variables = variables;
        g->indent = indent;
        return name;
    }
    return named(g, load_operand(g, g->dtype, r, c));
}

// Returns the order in memory of most operands or, rarely, the other one.
static bool is_turned(struct generator *g, bool most)
{
    return most != chance(g, 20);
}

static const char *left(struct generator *g, const char *k, bool computes)
{
    const struct axis m = { "M", "m", g->rows }, depth = { "K", k, g->depth };

    if (is_turned(g, g->is_left_turned))
        return say(g, "trans(%s)", operand(g, depth, m, computes));
    return operand(g, m, depth, computes);
}

static const char *right(struct generator *g, const char *k, bool computes)
{
    const struct axis n = { "N", "n", g->columns }, d = { "K", k, g->depth };

    if (is_turned(g, g->is_right_turned))
        return say(g, "trans(%s)", operand(g, n, d, computes));
    return operand(g, d, n, computes);
}

// ---- Regions

static const char *condition(struct generator *g)
{
    const char *x = g->variables ? g->variable[below(g, (uint32_t)g->variables)] : "m";

    switch (below(g, 5)) {
    case 0:
        return say(g, "%s != 1", x);
    case 1:
        return say(g, "%s %% 2 == 0", x);
    case 2:
        return "t < 4";
    case 3:
        return say(g, "%s[%s] > -2", tensor(g, 'w', "i32", "5"), x);
    default:
        return say(g, "m + %s > 0", x);
    }
}

static void add_product(struct generator *g)
{
    const char *k = g->variables ? g->variable[g->variables - 1] : chance(g, 2) ? "0" : "1";
    const char *a = left(g, k, false), *b = right(g, k, false);

    line(g, "acc = mma(%s, %s, acc)", a, b);
}

static void region(struct generator *g, int levels, int *sites);

static void region_loop(struct generator *g, int levels, int *sites, const char *head)
{
    const char *name = say(g, "v%d", g->variables);

    line(g, "%sfor %s in %s {", strncmp(head, "static ", 7) ? "" : "static ", name,
         strncmp(head, "static ", 7) ? head : head + 7);
    g->variable[g->variables++] = name;
    g->indent++;
    region(g, levels - 1, sites);
    if (chance(g, 4))
        line(g, "t += 1");
    g->indent--;
    g->variables--;
    line(g, "}");
}

static void region(struct generator *g, int levels, int *sites)
{
    static const char *const short_loops[] = { "0 .. 2",        "0 .. 3",           "1 .. 3",
                                               "static 0 .. 2", "0 .. cdiv(N, 64)", "0 .. n + 1",
                                               "m .. 2",        "0 .. 5 step 2" };

    for (uint32_t count = 1 + chance(g, 3); count-- > 0 && *sites < MOST_SITES;) {
        if (levels > 0 && chance(g, 4)) {
            line(g, "if %s {", condition(g));
            g->indent++;
            region(g, levels - 1, sites);
            g->indent--;
            if (chance(g, 3) && *sites < MOST_SITES) {
                line(g, "} else {");
                g->indent++;
                region(g, levels - 1, sites);
                g->indent--;
            }
            line(g, "}");
        } else if (levels > 0 && !chance(g, 4)) {
            region_loop(g, levels, sites,
                        levels == 1 ? say(g, "0 .. cdiv(K, %d)", g->depth) : PICK(g, short_loops));
        } else {
            (*sites)++;
            add_product(g);
        }
    }
    if (!*sites) {
        (*sites)++;
        add_product(g);
    }
}

static void make_region(struct generator *g)
{
    int sites = 0;

    if (g->is_integer || !chance(g, 4))
        line(g, "acc = zeros(%s, [%d, %d])", g->is_integer ? "i32" : "f32", g->rows, g->columns);
    else
        line(g, "acc = load(%s, [m, n], [%d, %d])", tensor(g, 'w', "f32", "M, N"), g->rows,
             g->columns);
    line(g, "t = 0");
    region(g, 1 + (int)below(g, 3), &sites);
    if (chance(g, 5))
        line(g, "acc = acc + cast(t, %s)", g->is_integer ? "i32" : "f32");
}

// ---- Loops with work

static const char *bounds_of(struct generator *g)
{
    switch (below(g, 6)) {
    case 0:
        return say(g, "1 .. cdiv(K, %d)", g->depth);
    case 1:
        return say(g, "0 .. cdiv(K, %d) step 2", g->depth);
    case 2:
        return say(g, "0 .. minimum(cdiv(K, %d), m * 3 + 1)", g->depth);
    default:
        return say(g, "0 .. cdiv(K, %d)", g->depth);
    }
}

struct product {
    const char *result, *sum;
    bool from_zero;
    double most;
};

static void work_on(struct generator *g, const struct product *p)
{
    const struct axis m = { "M", "m", g->rows }, n = { "N", "n", g->columns };
    const char *factor = p->most * 16 * MOST_ITERATIONS < MOST_EXACT && !g->is_integer
                             ? load_factor(g, "f32", m, n)
                             : "cast(1, f32)";

    if (g->is_integer)
        factor = "2";
    if (chance(g, 5))
        line(g, "%s = where(k * %d + iota(i32, %d)[None, :] < K, %s, %s)", p->result, g->columns,
             g->columns, p->result, g->is_integer ? "0" : "0.0");
    switch (below(g, 5)) {
    case 0:
        line(g, "%s = %s + %s", p->sum, p->sum, p->result);
        break;
    case 1:
        line(g, "if k %% 2 == %u {", below(g, 2));
        line(g, "    %s += %s * %s", p->sum, p->result, factor);
        line(g, "}");
        break;
    case 2:
        line(g, "%s = maximum(%s, %s * %s)", p->sum, p->sum, p->result, factor);
        break;
    default:
        line(g, "%s += %s * %s", p->sum, p->result, factor);
        break;
    }
}

// Lets a loop or a branch before the products find the first values of a sum.
static void put_work_before(struct generator *g, const char *sum, const char *type)
{
    bool loops = !chance(g, 3);

    line(g, "%s {", loops ? "for j in 0 .. 3" : "if m % 2 == 0");
    line(g, "    %s = maximum(%s, max(load(%s, [m, %s], [%d, 8], pad=-1), 1))", sum, sum,
         tensor(g, 'w', type, "M, 30"), loops ? "j" : "1", g->rows);
    line(g, "}");
}

static void make_work(struct generator *g)
{
    int count = 1 + (int)below(g, MOST_PRODUCTS);
    struct product p[MOST_PRODUCTS];
    const char *type = g->is_integer ? "i32" : "f32", *a = NULL;
    double most = 0;
    bool zeros = chance(g, 2) || (!g->is_16_bit && !chance(g, 4)); // all products start from zero
    bool computed = g->is_16_bit && !zeros;

    if (g->columns * count > 192)
        count = 1;
    for (int i = 0; i < count; i++) {
        p[i] = (struct product){ say(g, "p%d", i), say(g, "s%d", i), zeros || chance(g, 4), 0 };
        line(g, "%s = zeros(%s, [%d, %d])", p[i].sum, type, g->rows, g->columns);
    }
    line(g, "top, t = cast(%d, %s), cast(1, i64)", (int)below(g, 9) - 4, type);
    line(g, "most = zeros(%s, [%d, 1])", type, g->rows);
    if (chance(g, 4))
        put_work_before(g, "most", type);
    FILE *before = g->before, *body = g->body;
    char *text = NULL;
    size_t bytes;
    g->before = body; // receives the operands that are loaded before the loop
    g->body = open_memstream(&text, &bytes);
    g->before_loop = true;
    g->variable[g->variables++] = "k";
    g->indent = 2;
    if (chance(g, 4))
        line(g, "top = maximum(top, max(load(%s, [m, k], [%d, 8])))", tensor(g, 'w', type, "M, 30"),
             g->rows);
    if (chance(g, 4)) // the loop also carries a tile
        line(g, "most = maximum(most, max(load(%s, [m, k], [%d, 4], pad=-1), 1))",
             tensor(g, 'w', type, "M, 30"), g->rows);
    if (chance(g, 6))
        line(g, "t += %s", condition(g)[0] == 't' ? "1" : "k % 3");
    for (int i = 0; i < count; i++) {
        bool a_is = computed && chance(g, 2);
        bool b_is = computed && (!a_is || chance(g, 2)) && chance(g, 2);
        bool shares = i &&
                      chance(g, 3); // the previous product's left operand, possibly loaded again
        if (!shares) {
            a = left(g, "k", a_is);
            most = g->most;
        }
        const char *b = right(g, "k", b_is);
        p[i].most = most * g->most * g->depth;
        const char *from = p[i].from_zero ? say(g, "zeros(%s, [%d, %d])", type, g->rows, g->columns)
                           : chance(g, 5)
                               ? say(g, "%s * %s", p[i].sum, g->is_integer ? "-1" : "-1.0")
                               : p[i].sum;
        line(g, "%s = mma(%s, %s, %s)", p[i].from_zero ? p[i].result : p[i].sum, a, b, from);
        if (p[i].from_zero && chance(g, 2)) {
            work_on(g, &p[i]);
            p[i].result = NULL;
        }
    }
    for (int i = 0; i < count; i++)
        if (p[i].from_zero && p[i].result)
            work_on(g, &p[i]);
    fclose(g->body);
    g->body = body;
    g->before = before;
    g->indent = 1;
    g->variables--;
    g->before_loop = false;
    line(g, "for k in %s {", bounds_of(g));
    fputs(text, g->body);
    free(text);
    line(g, "}");
    line(g, "acc = s0%s%s", count > 1 ? " + s1" : "", count > 2 ? " - s2" : "");
    line(g, "acc += top + cast(t, %s) + most", type);
}

// ---- Products of products

static const char *load_of_chain(struct generator *g, struct axis r, struct axis c)
{
    return chance(g, 4) ? load_gathered(g, g->dtype, r, c) : load_matrix(g, g->dtype, 'w', r, c);
}

static void make_chain(struct generator *g)
{
    bool is_8_bit = !g->is_16_bit;
    int keys = is_8_bit ? 32 << below(g, 2) : 16 << below(g, 3);
    const char *cut = say(g, "cast(p, %s)", g->dtype);
    const struct axis m = { "M", "m", g->rows }, d = { "32", "0", 32 }, k = { "K", "k", keys },
                      n = { "N", "n", g->columns };
    bool scales = chance(g, 2), masks = chance(g, 2), is_causal = chance(g, 2);

    line(g, "a = %s", load_of_chain(g, m, d));
    line(g, "acc = zeros(f32, [%d, %d])", g->rows, g->columns);
    line(g, "total = zeros(f32, [%d, 1])", g->rows);
    if (chance(g, 4))
        put_work_before(g, "total", "f32");
    line(g, "for k in 0 .. %s {",
         is_causal && chance(g, 2)
             ? say(g, "minimum(cdiv(K, %d), cdiv((m + 1) * %d, %d))", keys, g->rows, keys)
             : say(g, "cdiv(K, %d)", keys));
    g->indent++;
    g->variable[g->variables++] = "k";
    line(g, "p = mma(a, trans(%s), zeros(f32, [%d, %d]))", load_of_chain(g, k, d), g->rows, keys);
    if (masks)
        line(g, "p = where(k * %d + iota(i32, %d)[None, :] < %s, p, 0.0)", keys, keys,
             is_causal ? say(g, "m * %d + iota(i32, %d)[:, None]", g->rows, g->rows) : "K");
    line(g, "p = minimum(maximum(p, -8.0), 8.0)");
    line(g, "total += sum(p, 1)");
    if (scales)
        line(g, "acc = acc * where(max(p, 1) > 3.0, -1.0, 1.0)");
    // Threads that hold an accumulator need no exchange for an 8-bit operand with these columns.
    if (is_8_bit && chance(g, 2))
        cut = say(g, "reshape(permute(reshape(%s, [%d, %d, 2, 4, 2]), [0, 1, 3, 2, 4]), [%d, %d])",
                  cut, g->rows, keys / 16, g->rows, keys);
    line(g, "acc = mma(%s, %s, acc%s)", cut,
         is_8_bit || chance(g, 3) ? say(g, "trans(%s)", load_of_chain(g, n, k))
                                  : load_of_chain(g, k, n),
         is_8_bit && chance(g, 2) ? ", fast_acc=true" : "");
    g->indent--;
    g->variables--;
    line(g, "}");
    line(g, "acc = acc + total");
}

// ---- The kernel

static void put_results(struct generator *g)
{
    const char *type = g->is_integer ? "i32" : "f32";
    const struct axis m = { "M", "m", g->rows }, n = { "N", "n", g->columns };

    if (g->is_16_bit && chance(g, 6)) { // a product after the loop
        const struct axis d = { "48", "0", 16 << (int)below(g, 2) };
        const char *x = load_matrix(g, g->dtype, 'w', m, d);
        line(g, "acc = mma(%s, %s, acc)", x, load_matrix(g, g->dtype, 'w', d, n));
    }
    if (!g->is_integer && chance(g, 4))
        line(g, "acc = acc * 0.5 + %s", load_factor(g, "f32", m, n));
    if (chance(g, 5))
        line(g, "acc = acc + cast(load(%s, [m, n], [%d, %d]), %s)",
             tensor(g, 'w', chance(g, 2) ? "f32" : "bf16", "M, N"), g->rows, g->columns, type);
    if (chance(g, 6))
        line(g, "acc = acc - max(acc, 1)");
    if (chance(g, 8)) {
        line(g, "store_add(%s, [m, n], acc)", tensor(g, 'u', type, "M, N"));
        return;
    }
    if (chance(g, 5))
        line(g, "store(%s, [m, n], cast(acc, f64))", tensor(g, 'o', "f64", "M, N"));
    if (chance(g, 8)) {
        line(g, "store(%s, [n, m], trans(acc))", tensor(g, 'o', type, "N, M"));
    } else if (chance(g, 5)) {
        int p = 1 << below(g, 3);
        line(g, "store(%s, [1, m, 0, n], reshape(acc, [%d, %d, %d]), shape=[_, %d, %d, %d])",
             tensor(g, 'o', type, "2, 9, 17, N"), p, g->rows / p, g->columns, p, g->rows / p,
             g->columns);
    } else {
        const char *to = g->is_integer  ? "i32"
                         : chance(g, 2) ? "f32"
                         : chance(g, 2) ? "bf16"
                                        : "f16";
        line(g, "store(%s, [m, n], cast(acc, %s))", tensor(g, 'o', to, "M, N"), to);
    }
}

static void choose_shapes(struct generator *g)
{
    static const char *const dtypes[] = { "bf16", "bf16", "f16", "f16", "bf16",
                                          "e4m3", "e5m2", "i8",  "u8",  "tf32" };
    static const int rows[] = { 64, 64, 64, 64, 64, 64, 128, 128, 128, 256, 192, 16, 32 };
    static const int columns[] = { 8, 16, 32, 64, 64, 64, 64, 128, 48, 40, 24 };

    g->dtype = PICK(g, dtypes);
    g->is_16_bit = strstr(g->dtype, "f16") != NULL;
    g->is_integer = g->dtype[0] == 'i' || g->dtype[0] == 'u';
    g->is_left_turned = g->is_16_bit && chance(g, 3);
    g->is_right_turned = !g->is_16_bit || chance(g, 2);
    g->box = 1 << below(g, 4);
    g->rows = PICK(g, rows);
    g->columns = PICK(g, columns);
    g->depth = (g->is_16_bit ? 16 : g->dtype[0] == 't' ? 8 : 32) << below(g, 3);
    if (g->columns < 16 && !g->is_right_turned)
        g->columns = 16;
    if (g->rows > 128 && g->columns > 64)
        g->columns = 64;
    if (g->rows < 64)
        g->columns = 64;
}

static int some_size(struct generator *g, int tile, int most)
{
    int size = (1 + (int)below(g, (uint32_t)most)) * tile;

    if (chance(g, 16))
        return 0;
    if (chance(g, 2))
        size -= (int)below(g, (uint32_t)tile);
    return chance(g, 6) ? size : (size + 15) / 16 * 16; // rows that TMA can store
}

static void choose_options(struct generator *g, struct random_schedule *p)
{
    static const uint32_t stages[] = { 0, 0, 2, 2, 3, 4 };

    p->options = (struct construct_options){
        .warps = chance(g, 5) ? 4 : 0,
        .stages = PICK(g, stages),
        .split = chance(g, 4) ? 2 + below(g, 3) : 0,
        .cluster = chance(g, 8) ? 2 : 0,
        .multiprocessors = 1 + below(g, 3),
        .mode = chance(g, 6) ? UNALIGNED : PADDED, // any alignment, or rows of whole 16 bytes
        .contract = chance(g, 2),
        .specific = true,
        .roles_only = !chance(g, 6),
    };
    if (p->options.split)
        p->options.cluster = 0;
    if (p->options.split > p->options.multiprocessors || p->options.cluster)
        p->options.multiprocessors = 4;
}

void random_schedule_make(struct random_schedule *p, uint64_t seed)
{
    struct generator *g = calloc(1, sizeof(*g));
    char *parameters = NULL, *body = NULL;
    size_t bytes;

    if (!g || !(g->text = malloc(TEXT_ROOM)))
        abort();
    g->state = seed * UINT64_C(0x2545f4914f6cdd1d);
    g->parameters = open_memstream(&parameters, &bytes);
    g->body = open_memstream(&body, &bytes);
    g->indent = 1;
    choose_shapes(g);
    choose_options(g, p);
    uint32_t kind = below(g, 5);
    if (kind < 2)
        make_region(g);
    else if (kind < 4 || (!g->is_16_bit && g->dtype[0] != 'e'))
        make_work(g);
    else
        make_chain(g);
    put_results(g);
    fclose(g->parameters);
    fclose(g->body);
    FILE *out = open_memstream(&p->source, &bytes);
    fprintf(out,
            "kernel k(z0: i8[M], z1: i8[N], z2: i8[K]%s)\n    grid maximum(cdiv(M, %d), 1), "
            "maximum(cdiv(N, %d), 1)\n{\n"
            "    m, n = block(0), block(1)\n%s}\n",
            parameters, g->rows, g->columns, body);
    fclose(out);
    int step = g->depth;
    snprintf(p->sizes, sizeof(p->sizes), "M=%d N=%d K=%d;M=%d N=%d K=%d", some_size(g, g->rows, 2),
             some_size(g, g->columns, 1), some_size(g, step, 3), some_size(g, g->rows, 1),
             some_size(g, g->columns, 3), some_size(g, step, 12));
    free(parameters);
    free(body);
    free(g->text);
    free(g);
}
