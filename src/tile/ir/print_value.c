// Prints the right-hand side of an op as source.
#include "print.h"

#include "words.h"

#include <string.h>

static void put_constant(struct tile_printer *p, const struct tile_op *op)
{
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    int64_t value = tile_int(op, TILE_ATTR_VALUE, 0);

    tile_put_string(p->text, "cast(");
    if (real)
        tile_put_real(p->text, real->f);
    else if (op->result[0]->type.dtype == CUC_U64)
        tile_put(p->text, "%llu", (unsigned long long)value);
    else
        tile_put(p->text, "%lld", (long long)value);
    tile_put(p->text, ", %s)", cuc_dtype_name(op->result[0]->type.dtype));
}

static void put_shape(struct tile_printer *p, const struct tile_type *type)
{
    tile_put_string(p->text, "[");
    for (uint32_t i = 0; i < type->rank; i++)
        tile_put(p->text, "%s%d", i ? ", " : "", type->extent[i]);
    tile_put_string(p->text, "]");
}

void tile_put_operands(struct tile_printer *p, const struct tile_op *op, uint32_t first,
                       uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        tile_put(p->text, "%s%s", i > first ? ", " : "", tile_printed_name(p, op->operand[i]));
}

static const char *const combines[] = {
#define TILE_COMBINE(id, word, access, ...) access,
#include "combine.def"
};

static void put_hints(struct tile_printer *p, const struct tile_op *op)
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

// Prints SHAPE as [.., _, ..], with `_` for the axes in DROPPED.
static void put_moved(struct tile_printer *p, const struct tile_op *op)
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

static void put_access(struct tile_printer *p, const struct tile_op *op)
{
    bool rows = op->kind == TILE_LOAD_ROWS || op->kind == TILE_STORE_ROWS;
    bool elements = op->kind == TILE_GATHER || op->kind == TILE_SCATTER || op->kind == TILE_ATOMIC;
    uint32_t masked = tile_int(op, TILE_ATTR_MASKED, 0) != 0;
    uint32_t padded = tile_int(op, TILE_ATTR_PADDED, 0) != 0;
    bool loads = tile_op_infos[op->kind].traits & TILE_MOVES && op->result_count;
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    uint32_t values = loads || op->kind == TILE_GATHER                   ? 0
                      : op->kind == TILE_ATOMIC && with == TILE_WITH_CAS ? 2
                                                                         : 1;
    uint32_t first = 1 + rows, end = op->operand_count - padded - masked - values;

    const char *name = tile_op_infos[op->kind].name;
    size_t length = strlen(name) - (op->kind == TILE_STORE_REDUCE ? strlen("reduce") : 0);
    tile_put(p->text, "%.*s", (int)length, name);
    if (op->kind == TILE_ATOMIC)
        tile_put_string(p->text, "_");
    if (op->kind == TILE_STORE_REDUCE || op->kind == TILE_ATOMIC)
        tile_put_string(p->text, combines[with]);
    tile_put(p->text, "(%s", tile_printed_name(p, op->operand[0]));
    if (rows)
        tile_put(p->text, ", %s", tile_printed_name(p, op->operand[1]));
    tile_put_string(p->text, ", [");
    tile_put_operands(p, op, first, end);
    tile_put_string(p->text, "]");
    for (uint32_t i = 0; i < values; i++)
        tile_put(p->text, ", %s", tile_printed_name(p, op->operand[end + i]));
    if (!elements) {
        tile_put_string(p->text, loads ? ", " : ", shape=");
        put_moved(p, op);
    }
    if (masked)
        tile_put(p->text, ", mask=%s", tile_printed_name(p, op->operand[end + values]));
    if (padded)
        tile_put(p->text, ", pad=%s", tile_printed_name(p, op->operand[op->operand_count - 1]));
    put_hints(p, op);
    tile_put_string(p->text, ")");
}

// Prints the function of a reduction, before all kernels.
static uint32_t put_function(struct tile_printer *p, const struct tile_block *block)
{
    uint32_t number = p->function_count++;
    struct tile_text *outer = p->text;

    p->text = p->functions;
    tile_put(p->text, "fn f%u(", number);
    for (uint32_t i = 0; i < block->argument_count; i++)
        tile_put(p->text, "%s%s", i ? ", " : "", tile_printed_name(p, block->argument[i]));
    tile_put_string(p->text, ") {\n");
    tile_put_block(p, block, 1);
    tile_put_string(p->text, "}\n");
    p->text = outer;
    return number;
}

const char *tile_op_sign(enum tile_op_kind kind)
{
    static const char *const signs[TILE_OP_COUNT] = {
#define TILE_ELEMENT(id, name, operands, sign, ...) [TILE_##id] = sign,
#include "ops.def"
    };

    return signs[kind];
}

const char *tile_op_word(const struct tile_op *op)
{
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);

    if (op->kind == TILE_REDUCE && with != TILE_WITH_FN)
        return tile_word_text(TILE_ATTR_WITH, with);
    if (op->kind == TILE_SCAN && with != TILE_WITH_FN)
        return with == TILE_WITH_PROD ? "cumprod" : "cumsum";
    return tile_op_infos[op->kind].name;
}

// Prints the rounding attributes, such as ", round=rz, ftz=true".
static void put_rounding(struct tile_printer *p, const struct tile_op *op)
{
    const struct tile_attribute *round = tile_attribute(op, TILE_ATTR_ROUND);

    if (round)
        tile_put(p->text, ", round=%s", tile_word_text(TILE_ATTR_ROUND, round->i));
    if (tile_int(op, TILE_ATTR_FTZ, 0))
        tile_put_string(p->text, ", ftz=true");
}

static void put_along(struct tile_printer *p, const struct tile_op *op)
{
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0);
    uint32_t n = op->operand_count / 2;

    if (with == TILE_WITH_FN) {
        uint32_t number = put_function(p, op->block[0]);
        tile_put(p->text, "%s(f%u, [", tile_op_infos[op->kind].name, number);
        tile_put_operands(p, op, 0, n);
        tile_put(p->text, "], %lld, [", (long long)axis);
        tile_put_operands(p, op, n, 2 * n);
        tile_put_string(p->text, "]");
    } else {
        tile_put(p->text, "%s(%s, %lld", tile_op_word(op), tile_printed_name(p, op->operand[0]),
                 (long long)axis);
        if (tile_int(op, TILE_ATTR_NAN, 0))
            tile_put_string(p->text, ", nan=true");
        put_rounding(p, op);
    }
    if (tile_int(op, TILE_ATTR_REVERSE, 0))
        tile_put_string(p->text, ", reverse=true");
    tile_put_string(p->text, ")");
}

static void put_ints(struct tile_printer *p, const struct tile_attribute *a)
{
    tile_put_string(p->text, "[");
    for (uint32_t i = 0; i < a->count; i++)
        tile_put(p->text, "%s%lld", i ? ", " : "", (long long)a->ints[i]);
    tile_put_string(p->text, "]");
}

static void put_mma(struct tile_printer *p, const struct tile_op *op)
{
    static const char *const precisions[] = { "ieee", "tf32", "tf32x3" };

    tile_put_string(p->text, "mma(");
    tile_put_operands(p, op, 0, 3);
    tile_put(p->text, ", precision=%s%s)", precisions[tile_int(op, TILE_ATTR_PRECISION, 0)],
             tile_int(op, TILE_ATTR_FAST_ACC, 0) ? ", fast_acc=true" : "");
}

static void put_iota(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "iota(%s, %d)", cuc_dtype_name(op->result[0]->type.dtype),
             op->result[0]->type.extent[0]);
}

static void put_block(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "%s(%lld)", tile_op_infos[op->kind].name,
             (long long)tile_int(op, TILE_ATTR_INDEX, 0));
}

static void put_cast(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "%s(%s, %s", tile_op_infos[op->kind].name, tile_printed_name(p, op->operand[0]),
             cuc_dtype_name(op->result[0]->type.dtype));
    put_rounding(p, op);
    tile_put_string(t, ")");
}

static void put_assume(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "assume(%s %% %lld == 0)", tile_printed_name(p, op->operand[0]),
             (long long)tile_int(op, TILE_ATTR_DIVISOR, 1));
}

static void put_reshape(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "%s(%s, ", tile_op_infos[op->kind].name, tile_printed_name(p, op->operand[0]));
    put_shape(p, &op->result[0]->type);
    tile_put_string(t, ")");
}

static void put_permute(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "permute(%s, ", tile_printed_name(p, op->operand[0]));
    put_ints(p, tile_attribute(op, TILE_ATTR_AXES));
    tile_put_string(t, ")");
}

static void put_extract(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "extract(%s, [", tile_printed_name(p, op->operand[0]));
    tile_put_operands(p, op, 1, op->operand_count);
    tile_put_string(t, "], ");
    put_ints(p, tile_attribute(op, TILE_ATTR_SHAPE));
    tile_put_string(t, ")");
}

static void put_insert(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "insert(%s, [", tile_printed_name(p, op->operand[0]));
    tile_put_operands(p, op, 2, op->operand_count);
    tile_put(t, "], %s)", tile_printed_name(p, op->operand[1]));
}

static void put_slice(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "slice(%s, %lld, ", tile_printed_name(p, op->operand[0]),
             (long long)tile_int(op, TILE_ATTR_AXIS, 0));
    tile_put_operands(p, op, 1, 3);
    tile_put_string(t, ")");
}

static void put_shift(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "shift(%s, %s, %lld, pad=%s)", tile_printed_name(p, op->operand[0]),
             tile_printed_name(p, op->operand[1]), (long long)tile_int(op, TILE_ATTR_AXIS, 0),
             tile_printed_name(p, op->operand[2]));
}

static void put_topk(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "topk(%s, %lld, %lld)", tile_printed_name(p, op->operand[0]),
             (long long)tile_int(op, TILE_ATTR_COUNT, 0),
             (long long)tile_int(op, TILE_ATTR_AXIS, 0));
}

static void put_counted(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "%s(%s, %lld)", tile_op_infos[op->kind].name, tile_printed_name(p, op->operand[0]),
             (long long)tile_int(op, TILE_ATTR_COUNT, 0));
}

static void put_place(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "place(%s, %s, extent=%lld, pad=%s)", tile_printed_name(p, op->operand[0]),
             tile_printed_name(p, op->operand[1]), (long long)tile_int(op, TILE_ATTR_COUNT, 0),
             tile_printed_name(p, op->operand[2]));
}

static void put_asm(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put_string(t, "asm(");
    tile_put_quoted(t, tile_attribute(op, TILE_ATTR_TEXT)->text);
    tile_put(t, ", %s, [", cuc_dtype_name(op->result[0]->type.dtype));
    tile_put_operands(p, op, 0, op->operand_count);
    tile_put_string(t, "])");
}

static void put_assert(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put(t, "assert(%s, ", tile_printed_name(p, op->operand[0]));
    tile_put_quoted(t, tile_attribute(op, TILE_ATTR_TEXT)->text);
    tile_put_string(t, ")");
}

static void put_print(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    tile_put_string(t, "print(");
    tile_put_quoted(t, tile_attribute(op, TILE_ATTR_TEXT)->text);
    if (op->operand_count)
        tile_put_string(t, ", ");
    tile_put_operands(p, op, 0, op->operand_count);
    tile_put_string(t, ")");
}

static void put_call(struct tile_printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;
    const struct tile_attribute *axis = tile_attribute(op, TILE_ATTR_AXIS);
    // An op with explicit rounding is printed as a call.
    bool rounded = tile_attribute(op, TILE_ATTR_ROUND) || tile_attribute(op, TILE_ATTR_FTZ);
    const char *sign = rounded ? NULL : tile_op_sign(op->kind);

    if (sign && op->operand_count == 2) {
        tile_put(t, "%s %s %s", tile_printed_name(p, op->operand[0]), sign,
                 tile_printed_name(p, op->operand[1]));
    } else if (sign) {
        tile_put(t, "%s%s", sign, tile_printed_name(p, op->operand[0]));
    } else {
        tile_put(t, "%s(", tile_op_infos[op->kind].name);
        tile_put_operands(p, op, 0, op->operand_count);
        if (axis)
            tile_put(t, ", %lld", (long long)axis->i);
        if (tile_int(op, TILE_ATTR_NAN, 0))
            tile_put_string(t, ", nan=true");
        put_rounding(p, op);
        tile_put_string(t, ")");
    }
}

void tile_put_value(struct tile_printer *p, const struct tile_op *op)
{
    static void (*const forms[TILE_OP_COUNT])(struct tile_printer *, const struct tile_op *) = {
#define TILE_ELEMENT(id, name, operands, sign, infer, print, ...) [TILE_##id] = put_##print,
#define TILE_OP(id, name, operands, results, traits, infer, print, ...) [TILE_##id] = put_##print,
#include "ops.def"
    };

    forms[op->kind](p, op);
}
