// The IR as source that parses to itself.
//
// Every value has a name of its own. What a loop carries has one name for the value before, the
// block's argument and the result, bound again where the next value is known; so has what an if
// gives.
#include "../diagnostic.h"
#include "../text.h"
#include "ir.h"
#include "words.h"

#include "arena.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct printer {
    struct tile_text *text, *functions; // functions come first
    const struct tile_kernel *kernel;
    const char **name; // by id
    const char **used; // all of them, by hash
    uint32_t used_room, numbered;
    uint32_t function_count;
};

static const char *const operators[TILE_OP_COUNT] = {
    [TILE_ADD] = "+",  [TILE_SUB] = "-",       [TILE_MUL] = "*", [TILE_DIV] = "/", [TILE_MOD] = "%",
    [TILE_POW] = "**", [TILE_FLOORDIV] = "//", [TILE_AND] = "&", [TILE_OR] = "|",  [TILE_XOR] = "^",
    [TILE_SHL] = "<<", [TILE_SHR] = ">>",      [TILE_EQ] = "==", [TILE_NE] = "!=", [TILE_LT] = "<",
    [TILE_LE] = "<=",  [TILE_GT] = ">",        [TILE_GE] = ">=", [TILE_NEG] = "-", [TILE_NOT] = "~",
};

// True when nobody has the name yet; it is then taken.
static bool take_name(struct printer *p, const char *name)
{
    uint32_t hash = 0;

    for (const char *c = name; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    for (;; hash++) {
        const char **slot = &p->used[hash & (p->used_room - 1)];
        if (!*slot) {
            *slot = name;
            return true;
        }
        if (strcmp(*slot, name) == 0)
            return false;
    }
}

// The name that the source has, or that with a number when another value has it too: so a dump that
// is parsed keeps its names.
static const char *name_of(struct printer *p, const struct tile_value *value)
{
    const char **slot = &p->name[value->id];
    const char *name = value->name;

    if (*slot)
        return *slot;
    while (!name || !take_name(p, name)) {
        name = cuc__arena_print(p->kernel->module->arena, "%s%s%u", value->name ? value->name : "v",
                                value->name ? "_" : "", p->numbered++);
        if (!name) {
            p->kernel->module->diagnostics->out_of_memory = true;
            return "?";
        }
    }
    return *slot = name;
}

// Host expressions

// How tight their operators bind, as in front/parser_expression.c; none: written as a call.
// Brackets are only where they must be: a long sum that nobody bracketed is then as deep as it was.
enum { EITHER = 1, BOTH, NEGATION, COMPARISON, SUM, PRODUCT, SIGN };

static const int levels[TILE_OP_COUNT] = {
    [TILE_OR] = EITHER,     [TILE_AND] = BOTH,         [TILE_NOT] = NEGATION,
    [TILE_EQ] = COMPARISON, [TILE_NE] = COMPARISON,    [TILE_LT] = COMPARISON,
    [TILE_LE] = COMPARISON, [TILE_GT] = COMPARISON,    [TILE_GE] = COMPARISON,
    [TILE_ADD] = SUM,       [TILE_SUB] = SUM,          [TILE_MUL] = PRODUCT,
    [TILE_MOD] = PRODUCT,   [TILE_FLOORDIV] = PRODUCT, [TILE_NEG] = SIGN,
};

static void put_host(struct printer *p, const struct tile_host_expression *x, int least);

// As the operand of a condition: a number that is true or false.
static void put_condition(struct printer *p, const struct tile_host_expression *x, int least)
{
    if (x->kind == TILE_HOST_CONSTANT)
        tile_put_string(p->text, x->value ? "true" : "false");
    else
        put_host(p, x, least);
}

// In brackets when its operator binds less than `least`.
static void put_host(struct printer *p, const struct tile_host_expression *x, int least)
{
    const struct tile_kernel *k = p->kernel;
    struct tile_text *t = p->text;

    switch (x->kind) {
    case TILE_HOST_CONSTANT:
        if (x->value == INT64_MIN) // whose absolute value the host does not have
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
                                : operators[x->op];
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
            // Comparisons do not chain; all others go from left to right.
            int bound = !level ? 0 : i || level == COMPARISON ? right : level;
            if (word || (x->op == TILE_WHERE && !i))
                put_condition(p, x->operand[i], bound);
            else
                put_host(p, x->operand[i], bound);
        }
        if (brackets)
            tile_put_string(t, ")");
        break;
    }
    }
}

// Values

static void put_real(struct tile_text *t, double value)
{
    char digits[40];

    if (value != value || isinf(value)) {
        tile_put_string(t, value != value ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    snprintf(digits, sizeof(digits), "%.17g", value);
    tile_put(t, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

static void put_constant(struct printer *p, const struct tile_op *op)
{
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    int64_t value = tile_int(op, TILE_ATTR_VALUE, 0);

    tile_put_string(p->text, "cast(");
    if (real)
        put_real(p->text, real->f);
    else if (op->result[0]->type.dtype == CUC_U64)
        tile_put(p->text, "%llu", (unsigned long long)value);
    else
        tile_put(p->text, "%lld", (long long)value);
    tile_put(p->text, ", %s)", cuc_dtype_name(op->result[0]->type.dtype));
}

static void put_shape(struct printer *p, const struct tile_type *type)
{
    tile_put_string(p->text, "[");
    for (uint32_t i = 0; i < type->rank; i++)
        tile_put(p->text, "%s%d", i ? ", " : "", type->extent[i]);
    tile_put_string(p->text, "]");
}

static void put_operands(struct printer *p, const struct tile_op *op, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        tile_put(p->text, "%s%s", i > first ? ", " : "", name_of(p, op->operand[i]));
}

static void put_text(struct printer *p, const char *text)
{
    tile_put_string(p->text, "\"");
    for (; *text; text++) {
        const char *escape = *text == '\n'   ? "\\n"
                             : *text == '\t' ? "\\t"
                             : *text == '\r' ? "\\r"
                             : *text == '"'  ? "\\\""
                             : *text == '\\' ? "\\\\"
                                             : NULL;
        tile_put(p->text, "%.*s", escape ? 2 : 1, escape ? escape : text);
    }
    tile_put_string(p->text, "\"");
}

static const char *const combines[] = {
    [TILE_WITH_SUM] = "add",   [TILE_WITH_PROD] = "prod", [TILE_WITH_MIN] = "min",
    [TILE_WITH_MAX] = "max",   [TILE_WITH_ANY] = "any",   [TILE_WITH_ALL] = "all",
    [TILE_WITH_AND] = "and",   [TILE_WITH_OR] = "or",     [TILE_WITH_XOR] = "xor",
    [TILE_WITH_XCHG] = "xchg", [TILE_WITH_CAS] = "cas",
};

static void put_hints(struct printer *p, const struct tile_op *op)
{
    static const char *const orders[] = { "weak", "relaxed", "acquire", "release", "acq_rel" };
    static const char *const scopes[] = { "device", "block", "system" };
    static const char *const caches[] = { "any", "first", "last", "stream" };
    const struct tile_attribute *a;

    if ((a = tile_attribute(op, TILE_ATTR_ORDER)))
        tile_put(p->text, ", order=%s", orders[a->i]);
    if ((a = tile_attribute(op, TILE_ATTR_SCOPE)))
        tile_put(p->text, ", scope=%s", scopes[a->i]);
    if ((a = tile_attribute(op, TILE_ATTR_LATENCY)))
        tile_put(p->text, ", latency=%lld", (long long)a->i);
    if ((a = tile_attribute(op, TILE_ATTR_TMA)))
        tile_put(p->text, ", tma=%s", a->i > 0 ? "true" : "false");
    if ((a = tile_attribute(op, TILE_ATTR_CACHE)))
        tile_put(p->text, ", cache=%s", caches[a->i]);
    if (tile_int(op, TILE_ATTR_INSIDE, 0))
        tile_put_string(p->text, ", inside=true");
}

// [.., _, ..] of SHAPE and DROPPED.
static void put_moved(struct printer *p, const struct tile_op *op)
{
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    int64_t dropped = tile_int(op, TILE_ATTR_DROPPED, 0);

    tile_put_string(p->text, "[");
    for (uint32_t i = 0; i < shape->count; i++) {
        tile_put_string(p->text, i ? ", " : "");
        if (dropped >> i & 1)
            tile_put_string(p->text, "_");
        else
            tile_put(p->text, "%lld", (long long)shape->ints[i]);
    }
    tile_put_string(p->text, "]");
}

static void put_access(struct printer *p, const struct tile_op *op)
{
    bool rows = op->kind == TILE_LOAD_ROWS || op->kind == TILE_STORE_ROWS;
    bool elements = op->kind == TILE_GATHER || op->kind == TILE_SCATTER || op->kind == TILE_ATOMIC;
    uint32_t masked = tile_int(op, TILE_ATTR_MASKED, 0) != 0;
    uint32_t padded = tile_int(op, TILE_ATTR_PADDED, 0) != 0;
    bool loads = op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT || op->kind == TILE_LOAD_ROWS;
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    uint32_t values = loads || op->kind == TILE_GATHER                   ? 0
                      : op->kind == TILE_ATOMIC && with == TILE_WITH_CAS ? 2
                                                                         : 1;
    uint32_t first = 1 + rows, end = op->operand_count - padded - masked - values;

    tile_put(p->text, "%s", tile_op_infos[op->kind].name);
    if (op->kind == TILE_STORE_REDUCE)
        p->text->length -= strlen("reduce");
    if (op->kind == TILE_ATOMIC)
        tile_put_string(p->text, "_");
    if (op->kind == TILE_STORE_REDUCE || op->kind == TILE_ATOMIC)
        tile_put_string(p->text, combines[with]);
    tile_put(p->text, "(%s", name_of(p, op->operand[0]));
    if (rows)
        tile_put(p->text, ", %s", name_of(p, op->operand[1]));
    tile_put_string(p->text, ", [");
    put_operands(p, op, first, end);
    tile_put_string(p->text, "]");
    for (uint32_t i = 0; i < values; i++)
        tile_put(p->text, ", %s", name_of(p, op->operand[end + i]));
    if (!elements) {
        tile_put_string(p->text, loads ? ", " : ", shape=");
        put_moved(p, op);
    }
    if (masked)
        tile_put(p->text, ", mask=%s", name_of(p, op->operand[end + values]));
    if (padded)
        tile_put(p->text, ", pad=%s", name_of(p, op->operand[op->operand_count - 1]));
    put_hints(p, op);
    tile_put_string(p->text, ")");
}

static void put_block(struct printer *p, const struct tile_block *block, uint32_t depth);

// The function of a reduction, written before the kernels.
static uint32_t put_function(struct printer *p, const struct tile_block *block)
{
    uint32_t number = p->function_count++;
    struct tile_text *outer = p->text;

    p->text = p->functions;
    tile_put(p->text, "fn f%u(", number);
    for (uint32_t i = 0; i < block->argument_count; i++)
        tile_put(p->text, "%s%s", i ? ", " : "", name_of(p, block->argument[i]));
    tile_put_string(p->text, ") {\n");
    put_block(p, block, 1);
    tile_put_string(p->text, "}\n");
    p->text = outer;
    return number;
}

const char *tile_op_word(const struct tile_op *op)
{
    static const char *const reductions[] = {
        [TILE_WITH_SUM] = "sum", [TILE_WITH_PROD] = "prod", [TILE_WITH_MIN] = "min",
        [TILE_WITH_MAX] = "max", [TILE_WITH_ANY] = "any",   [TILE_WITH_ALL] = "all",
    };
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);

    if (op->kind == TILE_REDUCE && with != TILE_WITH_FN)
        return reductions[with];
    if (op->kind == TILE_SCAN && with != TILE_WITH_FN)
        return with == TILE_WITH_PROD ? "cumprod" : "cumsum";
    return tile_op_infos[op->kind].name;
}

// ", round=rz, ftz=true": what it says of its rounding.
static void put_rounding(struct printer *p, const struct tile_op *op)
{
    const struct tile_attribute *round = tile_attribute(op, TILE_ATTR_ROUND);

    if (round)
        tile_put(p->text, ", round=%s", tile_word_text(TILE_ATTR_ROUND, round->i));
    if (tile_int(op, TILE_ATTR_FTZ, 0))
        tile_put_string(p->text, ", ftz=true");
}

static void put_along(struct printer *p, const struct tile_op *op)
{
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0);
    uint32_t n = op->operand_count / 2;

    if (with == TILE_WITH_FN) {
        uint32_t number = put_function(p, op->block[0]);
        tile_put(p->text, "%s(f%u, [", tile_op_infos[op->kind].name, number);
        put_operands(p, op, 0, n);
        tile_put(p->text, "], %lld, [", (long long)axis);
        put_operands(p, op, n, 2 * n);
        tile_put_string(p->text, "]");
    } else {
        tile_put(p->text, "%s(%s, %lld", tile_op_word(op), name_of(p, op->operand[0]),
                 (long long)axis);
        if (tile_int(op, TILE_ATTR_NAN, 0))
            tile_put_string(p->text, ", nan=true");
        put_rounding(p, op);
    }
    if (tile_int(op, TILE_ATTR_REVERSE, 0))
        tile_put_string(p->text, ", reverse=true");
    tile_put_string(p->text, ")");
}

static void put_ints(struct printer *p, const struct tile_attribute *a)
{
    tile_put_string(p->text, "[");
    for (uint32_t i = 0; i < a->count; i++)
        tile_put(p->text, "%s%lld", i ? ", " : "", (long long)a->ints[i]);
    tile_put_string(p->text, "]");
}

static void put_mma(struct printer *p, const struct tile_op *op)
{
    static const char *const precisions[] = { "ieee", "tf32", "tf32x3" };

    tile_put_string(p->text, "mma(");
    put_operands(p, op, 0, 3);
    tile_put(p->text, ", precision=%s%s)", precisions[tile_int(op, TILE_ATTR_PRECISION, 0)],
             tile_int(op, TILE_ATTR_FAST_ACC, 0) ? ", fast_acc=true" : "");
}

// What stands right of the = of an op.
static void put_value(struct printer *p, const struct tile_op *op)
{
    const struct tile_attribute *a;
    struct tile_text *t = p->text;
    const char *name = tile_op_infos[op->kind].name;

    switch (op->kind) {
    case TILE_CONSTANT:
        put_constant(p, op);
        break;
    case TILE_IOTA:
        tile_put(t, "iota(%s, %d)", cuc_dtype_name(op->result[0]->type.dtype),
                 op->result[0]->type.extent[0]);
        break;
    case TILE_BLOCK:
    case TILE_NUM_BLOCKS:
        tile_put(t, "%s(%lld)", name, (long long)tile_int(op, TILE_ATTR_INDEX, 0));
        break;
    case TILE_CAST:
    case TILE_BITCAST:
        tile_put(t, "%s(%s, %s", name, name_of(p, op->operand[0]),
                 cuc_dtype_name(op->result[0]->type.dtype));
        put_rounding(p, op);
        tile_put_string(t, ")");
        break;
    case TILE_ASSUME:
        tile_put(t, "assume(%s %% %lld == 0)", name_of(p, op->operand[0]),
                 (long long)tile_int(op, TILE_ATTR_DIVISOR, 1));
        break;
    case TILE_BROADCAST:
    case TILE_RESHAPE:
        tile_put(t, "%s(%s, ", name, name_of(p, op->operand[0]));
        put_shape(p, &op->result[0]->type);
        tile_put_string(t, ")");
        break;
    case TILE_PERMUTE:
        tile_put(t, "permute(%s, ", name_of(p, op->operand[0]));
        put_ints(p, tile_attribute(op, TILE_ATTR_AXES));
        tile_put_string(t, ")");
        break;
    case TILE_EXTRACT:
        tile_put(t, "extract(%s, [", name_of(p, op->operand[0]));
        put_operands(p, op, 1, op->operand_count);
        tile_put_string(t, "], ");
        put_ints(p, tile_attribute(op, TILE_ATTR_SHAPE));
        tile_put_string(t, ")");
        break;
    case TILE_INSERT:
        tile_put(t, "insert(%s, [", name_of(p, op->operand[0]));
        put_operands(p, op, 2, op->operand_count);
        tile_put(t, "], %s)", name_of(p, op->operand[1]));
        break;
    case TILE_SLICE:
        tile_put(t, "slice(%s, %lld, ", name_of(p, op->operand[0]),
                 (long long)tile_int(op, TILE_ATTR_AXIS, 0));
        put_operands(p, op, 1, 3);
        tile_put_string(t, ")");
        break;
    case TILE_SHIFT:
        tile_put(t, "shift(%s, %s, %lld, pad=%s)", name_of(p, op->operand[0]),
                 name_of(p, op->operand[1]), (long long)tile_int(op, TILE_ATTR_AXIS, 0),
                 name_of(p, op->operand[2]));
        break;
    case TILE_REDUCE:
    case TILE_SCAN:
        put_along(p, op);
        break;
    case TILE_TOPK:
        tile_put(t, "topk(%s, %lld, %lld)", name_of(p, op->operand[0]),
                 (long long)tile_int(op, TILE_ATTR_COUNT, 0),
                 (long long)tile_int(op, TILE_ATTR_AXIS, 0));
        break;
    case TILE_HISTOGRAM:
        tile_put(t, "histogram(%s, %lld)", name_of(p, op->operand[0]),
                 (long long)tile_int(op, TILE_ATTR_COUNT, 0));
        break;
    case TILE_MMA:
        put_mma(p, op);
        break;
    case TILE_ASM:
        tile_put_string(t, "asm(");
        put_text(p, tile_attribute(op, TILE_ATTR_TEXT)->text);
        tile_put(t, ", %s, [", cuc_dtype_name(op->result[0]->type.dtype));
        put_operands(p, op, 0, op->operand_count);
        tile_put_string(t, "])");
        break;
    case TILE_ASSERT:
        tile_put(t, "assert(%s, ", name_of(p, op->operand[0]));
        put_text(p, tile_attribute(op, TILE_ATTR_TEXT)->text);
        tile_put_string(t, ")");
        break;
    case TILE_PRINT:
        tile_put_string(t, "print(");
        put_text(p, tile_attribute(op, TILE_ATTR_TEXT)->text);
        if (op->operand_count)
            tile_put_string(t, ", ");
        put_operands(p, op, 0, op->operand_count);
        tile_put_string(t, ")");
        break;
    case TILE_LOAD:
    case TILE_LOAD_AT:
    case TILE_LOAD_ROWS:
    case TILE_STORE:
    case TILE_STORE_AT:
    case TILE_STORE_ROWS:
    case TILE_GATHER:
    case TILE_SCATTER:
    case TILE_STORE_REDUCE:
    case TILE_ATOMIC:
        put_access(p, op);
        break;
    default: {
        // One that says how it rounds is a call.
        bool sign = operators[op->kind] && !tile_attribute(op, TILE_ATTR_ROUND) &&
                    !tile_attribute(op, TILE_ATTR_FTZ);
        if (sign && op->operand_count == 2) {
            tile_put(t, "%s %s %s", name_of(p, op->operand[0]), operators[op->kind],
                     name_of(p, op->operand[1]));
        } else if (sign) {
            tile_put(t, "%s%s", operators[op->kind], name_of(p, op->operand[0]));
        } else {
            tile_put(t, "%s(", name);
            put_operands(p, op, 0, op->operand_count);
            if ((a = tile_attribute(op, TILE_ATTR_AXIS)))
                tile_put(t, ", %lld", (long long)a->i);
            if (tile_int(op, TILE_ATTR_NAN, 0))
                tile_put_string(t, ", nan=true");
            put_rounding(p, op);
            tile_put_string(t, ")");
        }
    }
    }
}

// name, name = value, value: of those that are not the same already.
static void put_rebinding(struct printer *p, struct tile_value *const *to,
                          struct tile_value *const *from, uint32_t count, uint32_t depth)
{
    uint32_t changed = 0;

    for (int side = 0; side < 2; side++) {
        uint32_t shown = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (strcmp(name_of(p, to[i]), name_of(p, from[i])) == 0)
                continue;
            if (!side && !changed++)
                tile_put_indent(p->text, depth);
            tile_put(p->text, "%s%s", shown++ ? ", " : "", name_of(p, side ? from[i] : to[i]));
        }
        if (!changed)
            return;
        tile_put_string(p->text, side ? "\n" : " = ");
    }
}

static void put_terminator(struct printer *p, const struct tile_op *op, uint32_t depth)
{
    const struct tile_op *target = op->kind == TILE_RETURN ? NULL : tile_ended_by(op);
    bool last = op->parent->parent == target; // of a loop's own body: it goes on by itself

    if (op->kind == TILE_YIELD && target->kind != TILE_IF) { // a function's
        tile_put_indent(p->text, depth);
        tile_put_string(p->text, "return ");
        put_operands(p, op, 0, op->operand_count);
        tile_put_string(p->text, "\n");
        return;
    }
    if (target)
        put_rebinding(p, target->result, op->operand, op->operand_count, depth);
    if (op->kind == TILE_YIELD || (op->kind == TILE_CONTINUE && last) ||
        (op->kind == TILE_RETURN && !op->parent->parent))
        return;
    tile_put_indent(p->text, depth);
    tile_put(p->text, "%s\n", tile_op_infos[op->kind].name);
}

// Is what a loop carries bound again on any way to its next turn or its end?
static bool is_changed(const struct tile_block *block, const struct tile_op *loop, uint32_t i)
{
    const struct tile_value *own = loop->block[0]->argument[i + (loop->kind == TILE_FOR)];

    for (const struct tile_op *op = block->first; op; op = op->next) {
        if ((op->kind == TILE_CONTINUE || op->kind == TILE_BREAK) && tile_ended_by(op) == loop &&
            op->operand[i] != own)
            return true;
        for (uint32_t n = 0; n < op->block_count; n++)
            if (is_changed(op->block[n], loop, i))
                return true;
    }
    return false;
}

static void put_loop(struct printer *p, const struct tile_op *op, uint32_t depth)
{
    bool is_for = op->kind == TILE_FOR;
    uint32_t lead = is_for ? 3 : 0;
    const struct tile_block *body = op->block[0];

    put_rebinding(p, op->result, op->operand + lead, op->result_count, depth);
    for (uint32_t i = 0; i < op->result_count; i++)
        p->name[body->argument[i + is_for]->id] = name_of(p, op->result[i]);
    tile_put_indent(p->text, depth);
    if (is_for) {
        const struct tile_op *step = op->operand[2]->op;
        tile_put(p->text, "for %s in %s .. %s", name_of(p, body->argument[0]),
                 name_of(p, op->operand[0]), name_of(p, op->operand[1]));
        if (step && tile_int(step, TILE_ATTR_VALUE, 1) != 1)
            tile_put(p->text, " step %lld", (long long)tile_int(step, TILE_ATTR_VALUE, 1));
        tile_put_string(p->text, " {\n");
    } else {
        tile_put_string(p->text, "while true {\n");
    }
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!is_changed(body, op, i)) { // else it would not be carried
            tile_put_indent(p->text, depth + 1);
            tile_put(p->text, "%s = %s\n", name_of(p, op->result[i]), name_of(p, op->result[i]));
        }
    put_block(p, body, depth + 1);
    tile_put_indent(p->text, depth);
    tile_put_string(p->text, "}\n");
}

struct uses {
    const struct tile_value *value;
    uint32_t steps, others;
};

static void count_uses(struct tile_op *op, void *data)
{
    struct uses *uses = data;

    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operand[i] == uses->value)
            ++*(op->kind == TILE_FOR && i == 2 ? &uses->steps : &uses->others);
}

// A constant that is a loop's step and nothing else is written in the loop's head alone.
static bool is_step_only(struct printer *p, const struct tile_op *op)
{
    struct uses uses = { .value = op->kind == TILE_CONSTANT ? op->result[0] : NULL };

    if (!uses.value || tile_attribute(op, TILE_ATTR_REAL))
        return false;
    tile_walk((struct tile_block *)(uintptr_t)&p->kernel->body, count_uses, &uses);
    return uses.steps && !uses.others;
}

static void put_op(struct printer *p, const struct tile_op *op, uint32_t depth)
{
    if (tile_op_infos[op->kind].traits & TILE_TERMINATES) {
        put_terminator(p, op, depth);
        return;
    }
    if (op->kind == TILE_DIMENSION) { // it has its name in the header
        p->name[op->result[0]->id] = p->kernel->dimension[tile_int(op, TILE_ATTR_INDEX, 0)].name;
        return;
    }
    if (op->kind == TILE_FOR || op->kind == TILE_LOOP) {
        put_loop(p, op, depth);
        return;
    }
    if (is_step_only(p, op))
        return;
    tile_put_indent(p->text, depth);
    if (op->kind == TILE_IF) {
        tile_put(p->text, "if %s {\n", name_of(p, op->operand[0]));
        put_block(p, op->block[0], depth + 1);
        tile_put_indent(p->text, depth);
        const struct tile_op *otherwise = op->block[1]->first;
        if (otherwise->kind != TILE_YIELD || otherwise->operand_count) {
            tile_put_string(p->text, "} else {\n");
            put_block(p, op->block[1], depth + 1);
            tile_put_indent(p->text, depth);
        }
        tile_put_string(p->text, "}\n");
        return;
    }
    for (uint32_t i = 0; i < op->result_count; i++)
        tile_put(p->text, "%s%s", i ? ", " : "", name_of(p, op->result[i]));
    if (op->result_count)
        tile_put_string(p->text, " = ");
    put_value(p, op);
    tile_put_string(p->text, "\n");
}

static void put_block(struct printer *p, const struct tile_block *block, uint32_t depth)
{
    for (const struct tile_op *op = block->first; op; op = op->next)
        put_op(p, op, depth);
}

static void put_header(struct printer *p)
{
    const struct tile_kernel *k = p->kernel;
    struct tile_text *t = p->text;

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
                put_host(p, extent->check, 0);
        }
        tile_put_string(t, "]");
    }
    tile_put_string(t, ")");
    for (uint32_t i = 0; i < k->fact_count; i++) {
        tile_put_string(t, i ? ", " : "\n    where ");
        put_host(p, k->fact[i].holds, 0);
    }
    for (uint32_t i = 0; i < k->grid_rank; i++) {
        tile_put_string(t, i ? ", " : "\n    grid ");
        put_host(p, k->grid[i], 0);
    }
    tile_put_string(t, "\n{\n");
}

static void put_kernel(struct printer *p)
{
    const struct tile_kernel *k = p->kernel;

    for (uint32_t i = 0; i < k->parameter_count; i++)
        p->name[k->parameter[i].value->id] = k->parameter[i].name;
    put_header(p);
    put_block(p, &k->body, 1);
    tile_put_string(p->text, "}\n");
}

void tile_put_header(struct tile_text *text, struct tile_kernel *kernel)
{
    put_header(&(struct printer){ .text = text, .kernel = kernel });
}

void tile_put_quoted(struct tile_text *text, const char *string)
{
    put_text(&(struct printer){ .text = text }, string);
}

void tile_put_real(struct tile_text *text, double value)
{
    put_real(text, value);
}

const char *tile_print(struct tile_module *module)
{
    struct tile_text kernels = { .module = module }, functions = { .module = module };
    struct printer p = { .text = &kernels, .functions = &functions };

    for (const struct tile_kernel *kernel = module->first; kernel; kernel = kernel->next) {
        p.kernel = kernel;
        p.name = tile_take(module, (kernel->value_count + 1) * sizeof(*p.name));
        for (p.used_room = 64; p.used_room < 2 * kernel->value_count + 2 * kernel->dimension_count;)
            p.used_room *= 2;
        p.used = tile_take(module, p.used_room * sizeof(*p.used));
        p.numbered = 0;
        if (!p.name || !p.used)
            break;
        for (uint32_t i = 0; i < kernel->dimension_count; i++)
            take_name(&p, kernel->dimension[i].name);
        for (uint32_t i = 0; i < kernel->parameter_count; i++)
            take_name(&p, kernel->parameter[i].name);
        put_kernel(&p);
    }
    const char *text = cuc__arena_print(module->arena, "tile 1\n%s%s",
                                        functions.at ? functions.at : "",
                                        kernels.at ? kernels.at : "");
    module->diagnostics->out_of_memory |= !text;
    return text ? text : "";
}
