// Prints a kernel's head as source: parameters, `where` clauses and the grid.
#include "print.h"

// Precedence of operators, as in front/parser_expression.c; an op without one is written as a call.
// Parentheses appear only where necessary, so that a long sum written without them keeps its depth.
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

// Prints the operand of a condition, where a number is true or false.
static void put_condition(struct tile_text *t, const struct tile_kernel *k,
                          const struct tile_host_expression *x, int least)
{
    if (x->kind == TILE_HOST_CONSTANT)
        tile_put_string(t, x->value ? "true" : "false");
    else
        put_host(t, k, x, least);
}

// Adds parentheses if the operator binds less tightly than `least`.
static void put_host(struct tile_text *t, const struct tile_kernel *k,
                     const struct tile_host_expression *x, int least)
{
    switch (x->kind) {
    case TILE_HOST_CONSTANT:
        if (x->value == INT64_MIN) // the host has no number for its absolute value
            tile_put_string(t, "(-9223372036854775807 - 1)");
        else
            tile_put(t, "%lld", (long long)x->value);
        break;
    case TILE_HOST_DIMENSION:
        tile_put_string(t, k->dimension[x->index].name);
        break;
    case TILE_HOST_SCALAR:
        tile_put_string(t, k->parameter[x->index].name);
        break;
    case TILE_HOST_EXTENT:
    case TILE_HOST_STRIDE:
    case TILE_HOST_UNIT:
        tile_put(t, "%s(%s, %u)",
                 x->kind == TILE_HOST_EXTENT   ? "dim"
                 : x->kind == TILE_HOST_STRIDE ? "stride"
                                               : "unit",
                 k->parameter[x->index].name, x->axis);
        break;
    case TILE_HOST_NOALIAS:
        tile_put(t, "noalias(%s, %s)", k->parameter[x->index].name, k->parameter[x->value].name);
        break;
    case TILE_HOST_ALIGNED:
        tile_put(t, "align(%s, %lld)", k->parameter[x->index].name, (long long)x->value);
        break;
    case TILE_HOST_OP: {
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
        break;
    }
    }
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
