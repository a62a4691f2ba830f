// Prints a kernel's head as source: parameters, `where` clauses and the grid.
#include "print.h"

// Precedence of operators, as in front/parser_expression.c. Ops without one are printed as calls.
// Parentheses are printed only where necessary, so that parsing a long sum does not nest more
// deeply than the original.
enum { EITHER = 1, BOTH, NEGATION, COMPARISON, SUM, PRODUCT, SIGN };

static const int levels[TILE_OP_COUNT] = {
    [TILE_OR] = EITHER,     [TILE_AND] = BOTH,         [TILE_NOT] = NEGATION,
    [TILE_EQ] = COMPARISON, [TILE_NE] = COMPARISON,    [TILE_LT] = COMPARISON,
    [TILE_LE] = COMPARISON, [TILE_GT] = COMPARISON,    [TILE_GE] = COMPARISON,
    [TILE_ADD] = SUM,       [TILE_SUB] = SUM,          [TILE_MUL] = PRODUCT,
    [TILE_MOD] = PRODUCT,   [TILE_FLOORDIV] = PRODUCT, [TILE_NEG] = SIGN,
};

static void put_host(struct tile_text *t, const struct tile_kernel *k,
                     const struct tile_host_expression *x, int least);

// Prints the operand of a condition. A number there means true if it is not 0.
static void put_condition(struct tile_text *t, const struct tile_kernel *k,
                          const struct tile_host_expression *x, int least)
{
    if (x->kind == TILE_HOST_CONSTANT)
        tile_put_string(t, x->value ? "true" : "false");
    else
        put_host(t, k, x, least);
}

// Functions for the column `print` of host.def.

typedef void put(struct tile_text *t, const struct tile_kernel *k,
                 const struct tile_host_expression *x, int least);
#define UNUSED __attribute__((unused))
#define PUT(name)                                                                   \
    static void put_##name(struct tile_text *t, UNUSED const struct tile_kernel *k, \
                           const struct tile_host_expression *x, UNUSED int least)

static const char *word_of(const struct tile_host_expression *x)
{
    static const char *const words[] = {
#define TILE_HOST(id, word, ...) word,
#include "host.def"
    };

    return words[x->kind];
}

PUT(constant)
{
    if (x->value == INT64_MIN) // the lexer cannot read its absolute value
        tile_put_string(t, "(-9223372036854775807 - 1)");
    else
        tile_put(t, "%lld", (long long)x->value);
}

PUT(dimension)
{
    tile_put_string(t, k->dimension[x->index].name);
}

PUT(scalar)
{
    tile_put_string(t, k->parameter[x->index].name);
}

PUT(axis)
{
    tile_put(t, "%s(%s, %u)", word_of(x), k->parameter[x->index].name, x->axis);
}

PUT(pair)
{
    tile_put(t, "%s(%s, %s)", word_of(x), k->parameter[x->index].name, k->parameter[x->value].name);
}

PUT(multiple)
{
    tile_put(t, "%s(%s, %lld)", word_of(x), k->parameter[x->index].name, (long long)x->value);
}

PUT(op)
{
    bool word = x->op == TILE_AND || x->op == TILE_OR || x->op == TILE_NOT;
    const char *sign = word ? (x->op == TILE_AND  ? "and"
                               : x->op == TILE_OR ? "or"
                                                  : "not ")
                            : tile_op_sign(x->op);
    int level = levels[x->op], right = level + (x->operand[1] != NULL);
    bool brackets = !level || level < least;

    if (!level)
        tile_put_string(t, tile_op_infos[x->op].name);
    if (brackets)
        tile_put_string(t, "(");
    if (level && !x->operand[1])
        tile_put_string(t, sign);
    for (uint32_t i = 0; i < 3 && x->operand[i]; i++) {
        if (i && level)
            tile_put(t, " %s ", sign);
        else if (i)
            tile_put_string(t, ", ");
        // Comparisons do not chain; all other operators associate to the left.
        int bound = !level ? 0 : i || level == COMPARISON ? right : level;
        if (word || (x->op == TILE_WHERE && !i))
            put_condition(t, k, x->operand[i], bound);
        else
            put_host(t, k, x->operand[i], bound);
    }
    if (brackets)
        tile_put_string(t, ")");
}

// Adds parentheses if the operator binds less tightly than `least`.
static void put_host(struct tile_text *t, const struct tile_kernel *k,
                     const struct tile_host_expression *x, int least)
{
    static put *const kinds[] = {
#define TILE_HOST(id, word, evaluate, describe, print, ...) put_##print,
#include "host.def"
    };

    kinds[x->kind](t, k, x, least);
}

void tile_put_header(struct tile_text *t, const struct tile_kernel *k)
{
    tile_put(t, "kernel %s(", k->name);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct tile_parameter *one = &k->parameter[i];
        tile_put(t, "%s%s: %s", i ? ", " : "", one->name, cuc_dtype_name(one->value->type.dtype));
        if (!one->value->type.tensor)
            continue;
        tile_put_string(t, "[");
        for (uint32_t axis = 0; axis < one->value->type.rank; axis++) {
            const struct tile_extent *extent = &one->extent[axis];
            tile_put_string(t, axis ? ", " : "");
            if (extent->kind == TILE_EXTENT_NAMED)
                tile_put_string(t, k->dimension[extent->dimension].name);
            else if (extent->kind == TILE_EXTENT_STATIC)
                tile_put(t, "%lld", (long long)extent->value);
            else
                put_host(t, k, extent->check, 0);
        }
        tile_put_string(t, "]");
    }
    tile_put_string(t, ")");
    for (uint32_t i = 0; i < k->fact_count; i++) {
        tile_put_string(t, i ? ", " : "\n    where ");
        put_host(t, k, k->fact[i].holds, 0);
    }
    for (uint32_t i = 0; i < k->grid_rank; i++) {
        tile_put_string(t, i ? ", " : "\n    grid ");
        put_host(t, k, k->grid[i], 0);
    }
    tile_put_string(t, "\n{\n");
}
