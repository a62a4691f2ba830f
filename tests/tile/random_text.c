// Makes random choices, text and names for random programs. See random_program.h.
#include "base/array.h"
#include "random_program.h"

#include <stdarg.h>
#include <string.h>

// Random choices

// splitmix64 (Steele, Lea and Flood 2014)
uint32_t random_below(struct generator *g, uint32_t n)
{
    uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 33) % n;
}

bool random_chance(struct generator *g, uint32_t one_in)
{
    return random_below(g, one_in) == 0;
}

cuc_dtype random_number(struct generator *g)
{
    static const cuc_dtype dtypes[] = { CUC_I32, CUC_F32,  CUC_F16, CUC_I32, CUC_F32,
                                        CUC_I64, CUC_F64,  CUC_U8,  CUC_I8,  CUC_U32,
                                        CUC_U64, CUC_BF16, CUC_I16, CUC_U16 };

    if (g->meets && !random_chance(g, 8))
        return CUC_I32;
    return dtypes[random_below(g, CUC_LENGTH(dtypes))];
}

cuc_dtype random_dtype(struct generator *g)
{
    return random_chance(g, 8) ? CUC_BOOL : random_number(g);
}

// Returns one of a few extents, so that shapes often match.
int random_extent(struct generator *g)
{
    static const int extents[] = {
        1, 2, 3, 4, 4, 5, 7, 8, 8, 12, 16, 16, 17, 32, 33, 64, 128, 256
    };

    return extents[random_below(g, CUC_LENGTH(extents))];
}

struct shape random_shape(struct generator *g)
{
    struct shape s = { .rank = (int)random_below(g, 10) };
    int left = g->most_elements;

    s.rank = s.rank < 1 ? 0 : s.rank < 4 || g->meets ? 1 : s.rank < 8 ? 2 : 3;
    for (int i = 0; i < s.rank; i++) {
        s.extent[i] = random_chance(g, 8) ? random_extent(g) : g->extent[random_below(g, 3)];
        if (s.extent[i] > left)
            s.extent[i] = 1;
        left /= s.extent[i];
    }
    // Prefer shapes of existing names.
    if (g->names && random_chance(g, 2)) {
        struct shape known = g->name[random_below(g, (uint32_t)g->names)].shape;
        if (known.rank)
            s = known;
    }
    return s;
}

// Text

const char *say(struct generator *g, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int length = vsnprintf(g->text + g->used, TEXT_ROOM - g->used, format, args);
    va_end(args);
    if ((size_t)length + 1 >= TEXT_ROOM - g->used) { // no room left: end the program
        g->budget = 0;
        g->used = 0;
        return "0";
    }
    const char *said = g->text + g->used;
    g->used += (size_t)length + 1;
    return said;
}

void line(struct generator *g, const char *format, ...)
{
    va_list args;

    fprintf(g->body, "%*s", 4 * g->indent, "");
    va_start(args, format);
    vfprintf(g->body, format, args);
    va_end(args);
    fputc('\n', g->body);
}

const char *say_shape(struct generator *g, const struct shape *s)
{
    const char *all = "";

    for (int i = 0; i < s->rank; i++)
        all = say(g, "%s%s%d", all, i ? ", " : "", s->extent[i]);
    return all;
}

int count_of(const struct shape *s)
{
    int count = 1;

    for (int i = 0; i < s->rank; i++)
        count *= s->extent[i];
    return count;
}

bool is_whole(cuc_dtype d)
{
    return d >= CUC_I8 && d <= CUC_U64;
}

bool is_restricted(cuc_dtype d)
{
    return d == CUC_TF32 || d == CUC_E4M3 || d == CUC_E5M2;
}

bool is_real(cuc_dtype d)
{
    return !is_whole(d) && !is_restricted(d) && d != CUC_BOOL;
}

// Names

bool same_shape(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank &&
           memcmp(a->extent, b->extent, (size_t)a->rank * sizeof(*a->extent)) == 0;
}

struct name *random_name(struct generator *g, cuc_dtype d, const struct shape *s, bool free)
{
    struct name *found = NULL;

    for (int i = 0, seen = 1; i < g->names; i++)
        if (g->name[i].dtype == d && same_shape(&g->name[i].shape, s) &&
            !(free && g->name[i].fixed) && random_chance(g, (uint32_t)seen++))
            found = &g->name[i];
    return found;
}
