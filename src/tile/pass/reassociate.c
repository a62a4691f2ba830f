// Reassociation in the version of a loop's work without masks (loop_versioning.c). A tile of f32 is
// kept as a sum
//
//     x * factor + column + offset
//
// of a tile times a scalar, of a row of numbers that all rows of the tile share, and of a number
// for each row. Multiplications by scalars and additions of such numbers change the form alone. A
// maximum of rows is taken of x: max(x s + r) is s max(x) + r for a positive s, because rounding is
// monotonic. One multiply-add for each element then replaces the scale of the scores, the sums of a
// score function and the subtraction of the maximum. Rounding differs: an offset no longer limits
// the precision of the sum, because the maximum is subtracted from it first.
//
// A difference of indices, cast(row - column, f32), is such a sum as well.
#include "loop_versioning.h"

#include "tile/ir/scalar.h"

struct tile_form {
    struct tile_value *x;      // a tile of the version; NULL: 0
    struct tile_value *factor; // a scalar from outside the work; NULL: 1
    struct tile_value *column; // [1, columns]; NULL: 0
    struct tile_value *offset; // [rows, 1]; NULL: 0
};

bool tile_take_forms(struct tile_versioning *v)
{
    v->form = tile_take(v->kernel->module, v->capacity * sizeof(*v->form));
    return v->form;
}

void tile_reassociate_same(struct tile_versioning *v, const struct tile_value *value,
                           struct tile_value *other)
{
    if (value->id < v->capacity && other->id < v->capacity)
        v->form[value->id] = v->form[other->id];
}

// ---- Ops of the version

// Appends an op with up to two operands, and returns its result. NULL operands give NULL.
static struct tile_value *append(struct tile_versioning *v, struct tile_block *block,
                                 enum tile_op_kind kind, const struct tile_type *type,
                                 struct tile_value *x, struct tile_value *y)
{
    struct tile_op *op = x ? tile_op_create(v->kernel, kind, y ? 2 : 1, 1, 0) : NULL;

    if (!op || !tile_result_create(v->kernel, op, 0, type)) {
        v->failed = true;
        return NULL;
    }
    tile_set_operand(op, 0, x);
    if (y)
        tile_set_operand(op, 1, y);
    op->where = v->place->where;
    tile_append(block, op);
    return op->result[0];
}

static struct tile_value *wide(struct tile_versioning *v, struct tile_block *block,
                               const struct tile_type *type, struct tile_value *x)
{
    if (!x || tile_type_same(&x->type, type))
        return x;
    return append(v, block, TILE_BROADCAST, type, x, NULL);
}

// Combines a tile with a value that is broadcast to it.
static struct tile_value *with(struct tile_versioning *v, struct tile_block *block,
                               enum tile_op_kind kind, struct tile_value *x, struct tile_value *y)
{
    if (!x || !y)
        return NULL;
    return append(v, block, kind, &x->type, x, wide(v, block, &x->type, y));
}

static struct tile_value *sum_of(struct tile_versioning *v, struct tile_block *block,
                                 struct tile_value *x, struct tile_value *y)
{
    return !x || !y ? x ? x : y : append(v, block, TILE_ADD, &x->type, x, y);
}

// Computes x * factor + column, and unless `whole` is false, + offset.
static struct tile_value *computed(struct tile_versioning *v, struct tile_block *block,
                                   const struct tile_type *type, const struct tile_form *f,
                                   bool whole)
{
    struct tile_value *sum = f->x;

    if (sum && f->factor)
        sum = with(v, block, TILE_MUL, sum, f->factor);
    if (f->column)
        sum = sum_of(v, block, sum, wide(v, block, type, f->column));
    if (whole && f->offset)
        sum = sum_of(v, block, sum, wide(v, block, type, f->offset));
    return sum;
}

// ---- Forms of operands

static bool is_matrix(const struct tile_value *value, cuc_dtype dtype)
{
    const struct tile_type *type = &value->type;

    return type->rank == 2 && type->dtype == dtype && type->extent[0] > 1 && type->extent[1] > 1;
}

// Returns the scalar that is broadcast to a tile, or NULL.
static struct tile_value *scalar_of(const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    while (op && (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE) &&
           op->operand[0]->type.rank)
        op = op->operand[0]->op;
    return op && op->kind == TILE_BROADCAST ? op->operand[0] : NULL;
}

static struct tile_type column_of(const struct tile_type *matrix)
{
    struct tile_type type = *matrix;

    type.extent[0] = 1;
    return type;
}

static struct tile_type rows_of(const struct tile_type *matrix)
{
    struct tile_type type = *matrix;

    type.extent[1] = 1;
    return type;
}

static bool is_form(const struct tile_form *f)
{
    return f->x || f->column || f->offset;
}

// Returns the form of an operand. That of any tile is the tile itself.
static struct tile_form form_of(struct tile_versioning *v, struct tile_block *block,
                                struct tile_value *value)
{
    struct tile_form form = { .x = NULL };
    const struct tile_op *op = value->op;

    if (value->id < v->capacity && is_form(&v->form[value->id]))
        return v->form[value->id];
    struct tile_value *from = op && op->kind == TILE_BROADCAST ? op->operand[0] : NULL;
    struct tile_type column = column_of(&value->type), rows = rows_of(&value->type);
    if (from && (!from->type.rank || tile_type_same(&from->type, &rows)))
        form.offset = wide(v, block, &rows, tile_versioned(v, from));
    else if (from && tile_type_same(&from->type, &column))
        form.column = tile_versioned(v, from);
    else
        form.x = tile_versioned(v, value);
    return form;
}

// ---- Differences of indices

// A tile of i32: a number for each row, one for each column, and a scalar.
struct indices {
    struct tile_value *rows, *columns, *scalar;
    bool minus[3]; // the rows, the columns, the scalar are subtracted
};

enum { LARGEST = 1 << 23 }; // twice this is exact in f32

static bool counts(const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    while (op && op->kind == TILE_RESHAPE)
        op = op->operand[0]->op;
    return op && op->kind == TILE_IOTA;
}

static void add_scalar(struct tile_versioning *v, struct indices *t, struct tile_value *x,
                       bool minus)
{
    if (t->scalar) {
        t->scalar = tile_version_scalar(v, t->minus[2] == minus ? TILE_ADD : TILE_SUB, CUC_I32,
                                        t->scalar, x);
        return;
    }
    t->scalar = x;
    t->minus[2] = minus;
}

// Adds a row or a column of indices, an iota plus scalars, to the sum.
static bool add_count(struct tile_versioning *v, struct indices *t, struct tile_value *x,
                      bool minus, bool of_rows)
{
    const struct tile_op *op = x->op;
    struct tile_value **to = of_rows ? &t->rows : &t->columns;
    uint32_t limit = 4;

    while (op && op->kind == TILE_ADD && limit--) {
        uint32_t which = scalar_of(op->operand[1]) != NULL;
        struct tile_value *scalar = scalar_of(op->operand[which]);
        if (!scalar || tile_is_work(v, scalar))
            return false;
        add_scalar(v, t, scalar, minus);
        x = op->operand[1 - which];
        op = x->op;
    }
    if (*to || !counts(x) || x->type.extent[0] * x->type.extent[1] > LARGEST / 2)
        return false;
    *to = tile_versioned(v, x);
    t->minus[!of_rows] = minus;
    return true;
}

// Adds a tile of indices to a sum. Scalars that it leaves behind on failure are dead.
static bool add_indices(struct tile_versioning *v, struct indices *t, struct tile_value *value,
                        bool minus)
{
    const struct tile_op *op = value->op;

    if (op && (op->kind == TILE_ADD || op->kind == TILE_SUB))
        return add_indices(v, t, op->operand[0], minus) &&
               add_indices(v, t, op->operand[1], minus != (op->kind == TILE_SUB));
    if (!op || op->kind != TILE_BROADCAST)
        return false;
    struct tile_value *from = op->operand[0];
    if (!from->type.rank) {
        add_scalar(v, t, from, minus);
        return true;
    }
    return from->type.rank == 2 && (from->type.extent[0] == 1 || from->type.extent[1] == 1) &&
           add_count(v, t, from, minus, from->type.extent[1] == 1);
}

static struct tile_value *number(struct tile_versioning *v, struct tile_block *block,
                                 struct tile_value *indices, bool minus)
{
    struct tile_type type = indices->type;

    type.dtype = CUC_F32;
    indices = append(v, block, TILE_CAST, &type, indices, NULL);
    return minus ? append(v, block, TILE_NEG, &type, indices, NULL) : indices;
}

// The form of cast(row - column, f32) and the like. Numbers of this size are exact, so their sum is
// the same number.
static bool form_of_indices(struct tile_versioning *v, struct tile_block *block,
                            const struct tile_op *op, struct tile_form *form)
{
    struct indices t = { .rows = NULL };

    if (op->kind != TILE_CAST || !is_matrix(op->operand[0], CUC_I32) ||
        !add_indices(v, &t, op->operand[0], false) || !t.rows || !t.columns)
        return false;
    struct tile_value *rows = t.rows;
    if (t.scalar) {
        const int64_t bounds[] = { -LARGEST, LARGEST };
        for (uint32_t i = 0; i < 2; i++)
            tile_require(v, tile_version_scalar(
                                v, i ? TILE_LT : TILE_GT, CUC_BOOL, t.scalar,
                                tile_make_int_before(v->kernel, v->place, CUC_I32, bounds[i])));
        rows = with(v, block, t.minus[2] == t.minus[0] ? TILE_ADD : TILE_SUB, rows, t.scalar);
    }
    if (!rows)
        return false;
    form->offset = number(v, block, rows, t.minus[0]);
    form->column = number(v, block, t.columns, t.minus[1]);
    return form->offset && form->column;
}

// ---- Ops on forms

// Requires a factor that is far from overflow and underflow.
static void require_factor(struct tile_versioning *v, struct tile_value *factor)
{
    struct tile_value *square = tile_version_scalar(v, TILE_MUL, CUC_F32, factor, factor);

    tile_require(v,
                 tile_version_scalar(v, TILE_GT, CUC_BOOL, square,
                                     tile_make_real_before(v->kernel, v->place, CUC_F32, 1e-20)));
    tile_require(v, tile_version_scalar(v, TILE_LT, CUC_BOOL, square,
                                        tile_make_real_before(v->kernel, v->place, CUC_F32, 1e20)));
}

// Multiplies a form by a scalar. Factors that follow one another are joined.
static bool scale(struct tile_versioning *v, struct tile_block *block, const struct tile_op *op,
                  struct tile_form *form, bool *simpler)
{
    uint32_t which = scalar_of(op->operand[1]) != NULL;
    struct tile_value *scalar = scalar_of(op->operand[which]);

    if (!scalar || tile_is_work(v, scalar) || scalar->type.dtype != CUC_F32)
        return false;
    *form = form_of(v, block, op->operand[1 - which]);
    if (form->x && form->factor) {
        form->factor = tile_version_scalar(v, TILE_MUL, CUC_F32, form->factor, scalar);
        require_factor(v, form->factor);
        *simpler = true;
    } else if (form->x) {
        form->factor = scalar;
    }
    if (form->column && (form->column = with(v, block, TILE_MUL, form->column, scalar)))
        tile_set(v->kernel, form->column->op,
                 (struct tile_attribute){ .key = TILE_ATTR_NARROW, .i = 1 });
    if (form->offset)
        form->offset = with(v, block, TILE_MUL, form->offset, scalar);
    return true;
}

static void negate(struct tile_versioning *v, struct tile_block *block, struct tile_value **x)
{
    if (*x)
        *x = append(v, block, TILE_NEG, &(*x)->type, *x, NULL);
}

// Adds two forms of which only one, and not a subtracted one, has a tile x. The sum has no column
// beside x.
static bool add(struct tile_versioning *v, struct tile_block *block, const struct tile_op *op,
                struct tile_form *form)
{
    struct tile_form a = form_of(v, block, op->operand[0]), b = form_of(v, block, op->operand[1]);
    const struct tile_type *type = &op->result[0]->type;

    if (b.x && (a.x || op->kind == TILE_SUB))
        return false;
    if (op->kind == TILE_SUB) {
        negate(v, block, &b.column);
        negate(v, block, &b.offset);
    }
    *form = (struct tile_form){ .x = a.x ? a.x : b.x,
                                .factor = a.x ? a.factor : b.factor,
                                .column = sum_of(v, block, a.column, b.column),
                                .offset = sum_of(v, block, a.offset, b.offset) };
    if (form->x && form->column) {
        form->x = computed(v, block, type, form, false);
        form->factor = form->column = NULL;
    }
    return true;
}

// Takes the maximum of rows before the factor and the offset.
static bool reduce(struct tile_versioning *v, struct tile_block *block, const struct tile_op *op)
{
    enum tile_combine how = (enum tile_combine)tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    struct tile_value *from = op->operand[0];
    const struct tile_type *type = &op->result[0]->type;

    if ((how != TILE_WITH_MAX && how != TILE_WITH_MIN) || !is_matrix(from, CUC_F32) ||
        from->id >= v->capacity)
        return false;
    const struct tile_form *f = &v->form[from->id];
    struct tile_type rows = rows_of(&from->type);
    if (!f->x || f->column || !(f->factor || f->offset) ||
        (f->offset && !tile_type_same(type, &rows)))
        return false;
    struct tile_op *reduced = tile_clone(v->kernel, op, v->map);
    if (!reduced)
        return false;
    tile_set_operand(reduced, 0, f->x);
    tile_append(block, reduced);
    struct tile_value *result = reduced->result[0];
    if (f->factor) {
        tile_require(v,
                     tile_version_scalar(v, TILE_GT, CUC_BOOL, f->factor,
                                         tile_make_real_before(v->kernel, v->place, CUC_F32, 0)));
        tile_require(
            v, tile_version_scalar(v, TILE_LT, CUC_BOOL, f->factor,
                                   tile_make_real_before(v->kernel, v->place, CUC_F32, 1e30)));
        result = with(v, block, TILE_MUL, result, f->factor);
    }
    if (f->offset)
        result = sum_of(v, block, result, f->offset);
    v->map[op->result[0]->id] = result;
    return result;
}

bool tile_reassociate(struct tile_versioning *v, struct tile_block *block, const struct tile_op *op,
                      bool *simpler)
{
    struct tile_form form = { .x = NULL };
    const struct tile_value *result = op->result[0];
    bool found = false;

    if (op->kind == TILE_REDUCE) {
        found = reduce(v, block, op);
        *simpler |= found;
        return found;
    }
    if (!is_matrix(result, CUC_F32) || tile_is_rounded(op))
        return false;
    if (op->kind == TILE_MUL)
        found = scale(v, block, op, &form, simpler);
    else if (op->kind == TILE_ADD || op->kind == TILE_SUB)
        found = add(v, block, op, &form);
    else
        *simpler |= found = form_of_indices(v, block, op, &form);
    if (!found)
        return false;
    struct tile_value *sum = computed(v, block, &result->type, &form, true);
    if (!sum)
        return false;
    v->form[result->id] = form;
    v->map[result->id] = sum;
    return true;
}
