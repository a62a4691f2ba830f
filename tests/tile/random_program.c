// Makes random statements, control flow, and the kernel's head. See random_program.h.
#include "random_program.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static struct name *new_name(struct generator *g, cuc_dtype d, struct shape s, bool fixed)
{
    if (g->names == MOST_NAMES)
        return NULL;
    struct name *name = &g->name[g->names++];
    *name = (struct name){ .dtype = d, .shape = s, .fixed = fixed };
    snprintf(name->text, sizeof(name->text), "v%d", g->next_name++);
    return name;
}

static void known(struct generator *g, const char *text, cuc_dtype d)
{
    struct name *name = &g->name[g->names++];

    *name = (struct name){ .dtype = d, .fixed = true };
    snprintf(name->text, sizeof(name->text), "%s", text);
}

const char *random_index(struct generator *g)
{
    static const char *const some[] = { "0", "1", "0", "2", "n", "m", "b", "(n + 1)", "-1" };

    if (random_chance(g, 2)) {
        struct shape scalar = { 0 };
        struct name *name = random_name(g, CUC_I32, &scalar, false);
        if (name && name->fixed)
            return name->text;
    }
    return some[random_below(g, CUC_LENGTH(some))];
}

static const char *condition(struct generator *g)
{
    static const char *const some[] = { "n > 1", "n == 0", "m < 2", "b == 1", "n % 2 == 0" };
    const char *x = random_chance(g, 2) ? some[random_below(g, 5)] : random_scalar(g, CUC_BOOL, 2);

    if (random_chance(g, 4))
        return say(g, "%s %s %s%s", x, random_chance(g, 2) ? "and" : "or",
                   random_chance(g, 3) ? "not " : "", random_scalar(g, CUC_BOOL, 1));
    return x;
}

// Statements

static void statements(struct generator *g, uint32_t count);

static void block(struct generator *g, uint32_t count)
{
    int names = g->names;

    g->indent++;
    g->depth++;
    statements(g, count);
    g->depth--;
    g->indent--;
    g->names = names;
}

static void bind_again(struct generator *g);

// Binds the ranks of digits, the numbers of digits, and values placed by the ranks.
static void rank_and_place(struct generator *g, cuc_dtype d, struct shape s)
{
    static const cuc_dtype dtypes[] = { CUC_I8, CUC_U8, CUC_I32, CUC_U32, CUC_I64 };
    int digits = 1 << random_below(g, random_chance(g, 4) ? 12 : 5);
    const char *x = random_value(g, dtypes[random_below(g, 5)], s, 2);
    const char *y = random_value(g, d, s, 2);
    struct shape counts = { .rank = 1, .extent = { digits } }, placed = s;

    placed.extent[0] = random_extent(g);
    if (g->names + 3 > MOST_NAMES)
        return;
    struct name *to = new_name(g, CUC_I32, s, false), *n = new_name(g, CUC_I32, counts, false);
    struct name *z = new_name(g, d, placed, false);
    if (random_chance(g, 2)) // every digit counts
        line(g, "%s, %s = rank(cast(%s, i32) & %d, %d)", to->text, n->text, x, digits - 1, digits);
    else
        line(g, "%s, %s = rank(%s, %d)", to->text, n->text, x, digits);
    line(g, "%s = place(%s, %s, extent=%d)", z->text, y, to->text, placed.extent[0]);
}

static void bind(struct generator *g)
{
    if (g->depth > 0 && random_chance(g, 2)) {
        bind_again(g);
        return;
    }
    struct shape s = random_shape(g);
    cuc_dtype d = random_dtype(g);

    if (random_chance(g, 8)) { // bind two or four names at once
        if (random_chance(g, 2) && s.rank && d != CUC_BOOL) {
            uint32_t axis = random_below(g, (uint32_t)s.rank);
            const char *x = random_value(g, d, s, 2);
            s.extent[axis] = 1 + (int)random_below(g, (uint32_t)s.extent[axis]);
            struct name *v = new_name(g, d, s, false), *i = new_name(g, CUC_I32, s, false);
            if (v && i)
                line(g, "%s, %s = topk(%s, %d, %u)", v->text, i->text, x, s.extent[axis], axis);
            else
                g->names -= v != NULL;
            return;
        }
        const char *seed = random_scalar(g, CUC_U64, 1), *counter = random_value(g, CUC_U64, s, 2);
        if (g->names + 4 > MOST_NAMES)
            return;
        struct name *v[4];
        for (int i = 0; i < 4; i++)
            v[i] = new_name(g, CUC_U32, s, false);
        line(g, "%s, %s, %s, %s = philox(%s, %s)", v[0]->text, v[1]->text, v[2]->text, v[3]->text,
             seed, counter);
        return;
    }
    if (random_chance(g, 8) && s.rank == 1) {
        rank_and_place(g, d, s);
        return;
    }
    if (random_chance(g, 12) && s.rank) { // an affine map, which does not commute
        const char *x = random_value(g, CUC_I32, s, 2), *y = random_value(g, CUC_I32, s, 2);
        struct name *a = new_name(g, CUC_I32, s, false), *c = new_name(g, CUC_I32, s, false);
        if (a && c)
            line(g, "%s, %s = scan(affine, [%s, %s], %u, [1, 0]%s)", a->text, c->text, x, y,
                 random_below(g, (uint32_t)s.rank), random_chance(g, 2) ? ", reverse=true" : "");
        else
            g->names -= a != NULL;
        return;
    }
    if (random_chance(g, 12) && s.rank) { // values of different widths
        static const cuc_dtype left[] = { CUC_BOOL, CUC_I8, CUC_U16, CUC_I32, CUC_U64 },
                               right[] = { CUC_I8, CUC_I16, CUC_I32, CUC_I64, CUC_F32, CUC_F64 };
        cuc_dtype of = left[random_below(g, 5)], to = right[random_below(g, 6)];
        const char *x = random_value(g, of, s, 2);
        const char *y = to == CUC_F32 || to == CUC_F64 ? random_small(g, to, s, 2)
                                                       : random_value(g, to, s, 2);
        struct name *a = new_name(g, of, s, false), *c = new_name(g, to, s, false);
        if (a && c)
            line(g, "%s, %s = scan(joined, [%s, %s], %u, [%s, 0]%s)", a->text, c->text, x, y,
                 random_below(g, (uint32_t)s.rank), of == CUC_BOOL ? "false" : "0",
                 random_chance(g, 2) ? ", reverse=true" : "");
        else
            g->names -= a != NULL;
        return;
    }
    if (random_chance(g, 40))
        line(g, "grid_dependency_%s()", random_chance(g, 2) ? "wait" : "launch");
    const char *x = random_value(g, d, s, 4);
    struct name *name = new_name(g, d, s, false);
    if (name)
        line(g, "%s = %s", name->text, x);
}

static void bind_again(struct generator *g)
{
    struct name *free[MOST_NAMES];
    uint32_t count = 0;

    for (int i = 0; i < g->names; i++)
        if (!g->name[i].fixed)
            free[count++] = &g->name[i];
    if (!count)
        return;
    struct name *x = free[random_below(g, count)], *y = free[random_below(g, count)];
    if (x != y && random_chance(g, 4)) {
        const char *a = random_value(g, x->dtype, x->shape, 2);
        line(g, "%s, %s = %s, %s", x->text, y->text, a, random_value(g, y->dtype, y->shape, 2));
    } else if (x != y && x->dtype == y->dtype && same_shape(&x->shape, &y->shape))
        line(g, "%s, %s = %s, %s", x->text, y->text, y->text, x->text);
    else if ((is_whole(x->dtype) || is_real(x->dtype)) && random_chance(g, 3))
        line(g, "%s %s %s", x->text,
             random_chance(g, 2) ? "+=" : "*=", random_value(g, x->dtype, x->shape, 2));
    else
        line(g, "%s = %s", x->text, random_value(g, x->dtype, x->shape, 3));
}

// Binds a new name in both arms of an if statement.
static void bind_in_arms(struct generator *g)
{
    struct shape s = random_shape(g);
    cuc_dtype d = random_dtype(g);
    const char *c = condition(g), *x = random_value(g, d, s, 2), *y = random_value(g, d, s, 2);
    struct name *name = new_name(g, d, s, false);

    if (!name)
        return;
    line(g, "if %s {", c);
    line(g, "    %s = %s", name->text, x);
    line(g, "} else {");
    line(g, "    %s = %s", name->text, y);
    line(g, "}");
}

static void branch(struct generator *g)
{
    line(g, "if %s {", condition(g));
    block(g, 1 + random_below(g, 3));
    while (random_chance(g, 4)) {
        line(g, "} else if %s {", condition(g));
        block(g, 1 + random_below(g, 2));
    }
    if (random_chance(g, 2)) {
        line(g, "} else {");
        block(g, 1 + random_below(g, 3));
    }
    line(g, "}");
}

// Writes break or continue, sometimes after another statement.
static void leave(struct generator *g)
{
    const char *word = random_chance(g, 2) ? "break" : "continue";

    if (g->is_static || !g->loops || random_chance(g, 20))
        word = "return";
    if (word[0] == 'r' && !random_chance(g, 8))
        return;
    line(g, "if %s {", condition(g));
    if (random_chance(g, 2))
        block(g, 1);
    line(g, "    %s", word);
    if (random_chance(g, 4)) {
        line(g, "} else {");
        block(g, 1 + random_below(g, 2));
    }
    line(g, "}");
}

static void count_up(struct generator *g)
{
    static const char *const firsts[] = { "0", "0", "1", "m", "-1" };
    static const char *const ends[] = { "n", "3", "2", "n + 1", "1", "0" };
    int names = g->names;
    const char *first = firsts[random_below(g, 5)], *end = ends[random_below(g, 6)];
    const char *step = random_chance(g, 3) ? " step 2" : "";
    // The counter is i64 if one of the bounds is m, which is i64.
    struct name *i =
        new_name(g, strcmp(first, "m") == 0 ? CUC_I64 : CUC_I32, (struct shape){ 0 }, true);

    if (!i)
        return;
    i->text[0] = 'k';
    line(g, "for %s in %s .. %s%s {", i->text, first, end, step);
    g->loops++;
    bool outer = g->is_static;
    g->is_static = false;
    block(g, 1 + random_below(g, 4));
    g->is_static = outer;
    g->loops--;
    line(g, "}");
    g->names = names;
}

static void go_on(struct generator *g)
{
    int turns = 1 + (int)random_below(g, 3), names = g->names;
    struct name *c = new_name(g, CUC_I32, (struct shape){ 0 }, true);

    if (!c)
        return;
    c->text[0] = 'c';
    line(g, "%s = cast(0, i32)", c->text);
    if (random_chance(g, 2)) {
        line(g, "while %s < %d and %s {", c->text, turns, random_scalar(g, CUC_BOOL, 1));
    } else {
        line(g, "while true {");
        line(g, "    if %s >= %d { break }", c->text, turns);
    }
    line(g, "    %s += 1", c->text);
    g->loops++;
    bool outer = g->is_static;
    g->is_static = false;
    block(g, 1 + random_below(g, 4));
    g->is_static = outer;
    g->loops--;
    line(g, "}");
    g->names = names + 1; // the counter remains visible
}

static void unroll(struct generator *g)
{
    bool outer = g->is_static;

    line(g, "static for j%d in 0 .. %u {", g->depth, 1 + random_below(g, 3));
    g->is_static = true;
    block(g, 1 + random_below(g, 2));
    g->is_static = outer;
    line(g, "}");
}

static void output(struct generator *g)
{
    if (!g->names)
        return;
    const struct name *name = &g->name[random_below(g, (uint32_t)g->names)];
    if (random_chance(g, 4)) {
        struct shape s = random_shape(g);
        static const cuc_dtype dtypes[] = { CUC_F16, CUC_BF16, CUC_F32, CUC_F64 };
        cuc_dtype d = dtypes[random_below(g, 4)];
        random_output(g, random_approximate(g, d, s), d, &s, true);
    } else
        random_output(g, name->text, name->dtype, &name->shape, false);
}

static void statements(struct generator *g, uint32_t count)
{
    typedef void statement(struct generator * g);
    static statement *const flat[] = { bind,         bind,       bind_again,  bind_again,
                                       bind_again,   bind_again, leave,       random_store,
                                       random_store, output,     bind_in_arms };
    static statement *const deep[] = { branch, branch, count_up, count_up, go_on, unroll, leave };

    for (uint32_t i = 0; i < count; i++) {
        if (g->budget <= 0)
            g->budget = 1; // make a leaf
        if (!g->starting && g->depth < 4 && g->budget > 30 && random_chance(g, 3))
            deep[random_below(g, CUC_LENGTH(deep))](g);
        else
            flat[random_below(g, CUC_LENGTH(flat)) * !g->starting](g);
    }
}

// The kernel

enum { KNOWN = 5 };

static const char functions[] =
    "fn added(x, y) { return x + y }\n"
    "fn affine(a, b, c, d) { return a * c, b * c + d }\n"
    "fn joined(a, b, c, d) { return a | c, b + d }\n"
    "fn span(x, y) { return maximum(x, y) - minimum(x, y) }\n"
    "fn mixed(x, y) {\n    static for i in 0 .. 2 { x = x * 3 - y }\n    return x\n}\n";

static const char dimensions[] = "NML";

// Writes facts about the sizes into some programs.
static void put_facts(struct generator *g, FILE *out, bool used[3], const uint32_t unit[3],
                      int facts)
{
    static const char *const others[] = { "n < 4", "n >= 0 and m >= 0", "m <= 3" };

    for (int i = 0; i < 3; i++) {
        if (used[i] && unit[i] > 1)
            fprintf(out, "%s %c %% %u == 0", facts++ ? "," : " where", dimensions[i], unit[i]);
        if (random_chance(g, 3))
            fprintf(out, "%s %s", facts++ ? "," : " where", others[i]);
    }
    if (used[2] && random_chance(g, 2))
        fprintf(out, "%s L >= 1", facts++ ? "," : " where");
}

static void put_head(struct generator *g, FILE *out, const uint32_t unit[3])
{
    const char *before = "kernel k(n: i32, m: i64, f: f32, c: bool";
    bool used[3] = { false };
    int facts = 0;

    fputs(functions, out);
    fputs(before, out);
    for (int i = 0; i < g->parameters; i++) {
        const struct parameter *p = &g->parameter[i];
        fprintf(out, ", %s: %s[", p->text, cuc_dtype_name(p->dtype));
        for (int k = 0; k < p->rank; k++)
            if (p->extent[k] < 0) {
                fprintf(out, "%s%c", k ? ", " : "", dimensions[-1 - p->extent[k]]);
                used[-1 - p->extent[k]] = true;
            } else
                fprintf(out, "%s%d", k ? ", " : "", p->extent[k]);
        fputc(']', out);
    }
    fputc(')', out);
    for (int i = 0; i < g->parameters; i++)
        for (int k = 0; k < i; k++)
            if (g->parameter[i].use != READ && random_chance(g, 3))
                fprintf(out, "%s noalias(%s, %s)", facts++ ? "," : " where", g->parameter[i].text,
                        g->parameter[k].text);
    put_facts(g, out, used, unit, facts);
    fprintf(out, " grid %d {\n    b = block(0)\n", g->blocks ? 3 : 1);
}

void random_program_make(struct random_program *p, uint64_t seed, bool large)
{
    static const uint32_t warps[] = { 0, 1, 2, 4, 4, 8 };
    struct generator *g = calloc(1, sizeof(*g));
    char *body = NULL;
    size_t bytes, at = 0;

    g->state = seed;
    g->text = malloc(TEXT_ROOM);
    g->body = open_memstream(&body, &bytes);
    g->indent = 1;
    g->budget = large ? 300 : 120;
    g->most_elements = large ? 2048 : random_chance(g, 3) ? 512 : 128;
    g->blocks = random_chance(g, 3);
    g->meets = random_chance(g, 5);
    if (g->meets)
        g->most_elements = 512;
    for (int i = 0; i < 3; i++)
        g->extent[i] = g->meets ? 512 >> i : random_extent(g);
    known(g, "n", CUC_I32);
    known(g, "m", CUC_I64);
    known(g, "f", CUC_F32);
    known(g, "c", CUC_BOOL);
    known(g, "b", CUC_I64); // the first KNOWN names
    g->starting = true;     // names that loops and ifs rebind later
    statements(g, 2 + random_below(g, 2));
    g->starting = false;
    statements(g, 2 + random_below(g, large ? 12 : 6));
    for (int i = g->names; i-- > KNOWN;) // store the live names, newest first
        random_output(g, g->name[i].text, g->name[i].dtype, &g->name[i].shape, false);
    fclose(g->body);
    FILE *out = open_memstream(&p->source, &bytes);
    uint32_t unit[3]; // unit[i] divides dimension i
    for (int i = 0; i < 3; i++)
        unit[i] = random_chance(g, 2) ? 1 : 1u << random_below(g, 4);
    put_head(g, out, unit);
    fputs(body, out);
    fputs("}\n", out);
    fclose(out);
    for (int i = 0; i < MOST_CASES; i++)
        at += (size_t)snprintf(
            p->sizes + at, sizeof(p->sizes) - at, "%sN=%u M=%u L=%u n=%u m=%u f=%g c=%u",
            i ? ";" : "", unit[0] * random_below(g, 40 / unit[0]),
            unit[1] * random_below(g, MOST_DIMENSION / unit[1]),
            unit[2] * (1 + random_below(g, 9 / unit[2])), i ? random_below(g, 4) : 2,
            random_below(g, 4), (int)random_below(g, 9) * 0.5 - 2, random_below(g, 2));
    p->warps = g->meets ? 8 : warps[random_below(g, 6)];
    p->mode = g->meets || random_chance(g, 2) ? 0 : (int)random_below(g, 5); // 0: all entries run
    free(body);
    free(g->text);
    free(g);
}
