// Runs accesses to tensors in host memory, slices, assertions and prints.
#include "machine.h"

#include "tile/ir/print_format.h"

#include <stdio.h>
#include <string.h>

static uint64_t read_element(const struct tile_view *v, const int64_t *at)
{
    const unsigned char *place = v->base;
    uint64_t element = 0;

    for (uint32_t i = 0; i < v->rank; i++)
        place += at[i] * v->stride[i] * (int64_t)tile_bytes_of(v->dtype);
    memcpy(&element, place, tile_bytes_of(v->dtype));
    return tile_is_integer(v->dtype) ? tile_element_of_int(v->dtype, (int64_t)element)
           : v->dtype == CUC_BOOL    ? element != 0
                                     : element;
}

static void write_element(const struct tile_view *v, const int64_t *at, uint64_t element)
{
    unsigned char *place = v->base;

    for (uint32_t i = 0; i < v->rank; i++)
        place += at[i] * v->stride[i] * (int64_t)tile_bytes_of(v->dtype);
    memcpy(place, &element, tile_bytes_of(v->dtype));
}

// True if an element is inside the tensor. Fails the run if it is outside although the source
// promises that it is inside.
static bool inside(struct tile_machine *m, const struct tile_op *op, const struct tile_view *v,
                   const int64_t *at)
{
    for (uint32_t i = 0; i < v->rank; i++)
        if (at[i] < 0 || at[i] >= v->extent[i]) {
            if (tile_int(op, TILE_ATTR_INSIDE, 0))
                tile_machine_fail(m, op,
                                  "inside=true, but it reaches element %lld of axis %u, which has "
                                  "%lld",
                                  (long long)at[i], i, (long long)v->extent[i]);
            return false;
        }
    return true;
}

// Returns index * scale + offset; -1, which is outside of every tensor, if that overflows 64 bits.
static int64_t element_index(int64_t index, int64_t scale, int64_t offset)
{
    int64_t at;

    if (__builtin_mul_overflow(index, scale, &at) || __builtin_add_overflow(at, offset, &at))
        return -1;
    return at;
}

// The state of an access by tiles or elements, apart from the current element.
struct access {
    const struct tile_view *view;
    const struct tile_attribute *shape;
    int64_t dropped, index[TILE_MAX_RANK];
    bool by_tiles, rows;
    const uint64_t *ids;
};

static bool open_access(struct tile_machine *m, const struct tile_op *op, struct access *a)
{
    bool rows = op->kind == TILE_LOAD_ROWS || op->kind == TILE_STORE_ROWS;
    uint32_t axes = op->operand[0]->type.rank - (rows ? 1u : 0u);

    a->view = &m->view[op->operand[0]->id];
    a->shape = tile_attribute(op, TILE_ATTR_SHAPE);
    a->dropped = tile_int(op, TILE_ATTR_DROPPED, 0);
    a->by_tiles = op->kind != TILE_LOAD_AT && op->kind != TILE_STORE_AT;
    a->rows = rows;
    a->ids = rows ? tile_machine_elements(m, op->operand[1]) : NULL;
    for (uint32_t i = 0; i < axes; i++)
        a->index[i] = (int64_t)*tile_machine_elements(m, op->operand[1 + rows + i]);
    return !rows || a->ids;
}

// Computes the position in the tensor of element `flat` of the tile.
static void place_of(const struct access *a, const struct tile_type *tile, int64_t flat,
                     int64_t *at)
{
    int64_t coordinate[TILE_MAX_RANK];
    uint32_t next = 0, axis = 0;

    tile_unflatten(tile, flat, coordinate);
    if (a->rows)
        at[axis++] = (int64_t)a->ids[coordinate[next++]];
    for (uint32_t i = 0; i < a->shape->count; i++) {
        int64_t offset = a->dropped >> i & 1 ? 0 : coordinate[next++];
        at[axis++] = element_index(a->index[i], a->by_tiles ? a->shape->ints[i] : 1, offset);
    }
}

// Returns the padding of an element. The pad is a scalar or a tile.
static uint64_t pad_of(struct tile_machine *m, const struct tile_op *op, int64_t flat)
{
    if (!tile_int(op, TILE_ATTR_PADDED, 0))
        return 0;
    const struct tile_value *pad = op->operand[op->operand_count - 1];
    return tile_machine_elements(m, pad)[pad->type.rank ? flat : 0];
}

bool tile_step_load(struct tile_machine *m, const struct tile_op *op)
{
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    struct access a;
    int64_t at[TILE_MAX_RANK];

    if (!out || !open_access(m, op, &a))
        return false;
    for (int64_t i = 0; i < tile_elements(&op->result[0]->type); i++) {
        place_of(&a, &op->result[0]->type, i, at);
        out[i] = inside(m, op, a.view, at) ? read_element(a.view, at) : pad_of(m, op, i);
    }
    return true;
}

bool tile_step_store(struct tile_machine *m, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[op->operand_count - 1];
    const uint64_t *in = tile_machine_elements(m, x);
    enum tile_combine with = (enum tile_combine)tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    struct access a;
    int64_t at[TILE_MAX_RANK];

    if (!in || !open_access(m, op, &a))
        return false;
    for (int64_t i = 0; i < tile_elements(&x->type); i++) {
        uint64_t element = in[i];
        place_of(&a, &x->type, i, at);
        if (!inside(m, op, a.view, at))
            continue;
        if (op->kind == TILE_STORE_REDUCE &&
            !tile_element_combine(with, a.view->dtype, false, read_element(a.view, at), in[i],
                                  &element))
            return tile_machine_fail(m, op, "this combination cannot be interpreted");
        write_element(a.view, at, element);
    }
    return true;
}

static uint64_t exchanged(enum tile_combine with, cuc_dtype dtype, uint64_t old, const uint64_t *x)
{
    uint64_t out = old;

    if (with == TILE_WITH_XCHG)
        return x[0];
    if (with == TILE_WITH_CAS)
        return old == x[0] ? x[1] : old;
    tile_element_combine(with, dtype, false, old, x[0], &out);
    return out;
}

// Runs gather, scatter and atomic, which have one index tile per axis.
bool tile_step_elements(struct tile_machine *m, const struct tile_op *op)
{
    const struct tile_view *view = &m->view[op->operand[0]->id];
    enum tile_combine with = (enum tile_combine)tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    uint32_t values = op->kind == TILE_GATHER ? 0 : with == TILE_WITH_CAS ? 2 : 1;
    bool masked = tile_int(op, TILE_ATTR_MASKED, 0);
    const struct tile_type *type = view->rank ? &op->operand[1]->type
                                              : &(const struct tile_type){ .dtype = CUC_I32 };
    uint64_t *out = op->result_count ? tile_machine_elements(m, op->result[0]) : NULL;
    const uint64_t *index[TILE_MAX_RANK], *x[2] = { 0 }, *mask = NULL;
    int64_t at[TILE_MAX_RANK];

    for (uint32_t i = 0; i < view->rank; i++)
        index[i] = tile_machine_elements(m, op->operand[1 + i]);
    for (uint32_t i = 0; i < values; i++)
        x[i] = tile_machine_elements(m, op->operand[1 + view->rank + i]);
    if (masked)
        mask = tile_machine_elements(m, op->operand[1 + view->rank + values]);
    for (int64_t i = 0; i < tile_elements(type); i++) {
        const uint64_t given[2] = { x[0] ? x[0][i] : 0, x[1] ? x[1][i] : 0 };
        for (uint32_t axis = 0; axis < view->rank; axis++)
            at[axis] = (int64_t)index[axis][i];
        bool there = (!mask || mask[i]) && inside(m, op, view, at);
        if (op->kind == TILE_GATHER) {
            out[i] = there ? read_element(view, at) : pad_of(m, op, i);
        } else if (op->kind == TILE_SCATTER) {
            if (there)
                write_element(view, at, given[0]);
        } else {
            out[i] = there ? read_element(view, at) : given[0];
            if (there)
                write_element(view, at, exchanged(with, view->dtype, out[i], given));
        }
    }
    return true;
}

static int64_t clamp(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

bool tile_step_slice(struct tile_machine *m, const struct tile_op *op)
{
    struct tile_view view = m->view[op->operand[0]->id];
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0), extent = view.extent[axis];
    int64_t start = clamp((int64_t)*tile_machine_elements(m, op->operand[1]), 0, extent);
    int64_t stop = clamp((int64_t)*tile_machine_elements(m, op->operand[2]), 0, extent);

    view.base += start * view.stride[axis] * (int64_t)tile_bytes_of(view.dtype);
    view.extent[axis] = stop > start ? stop - start : 0;
    m->view[op->result[0]->id] = view;
    return true;
}

// Formats an element with the printf format of a placeholder.
static void put_element(char *to, size_t bytes, const struct tile_mark *mark, cuc_dtype dtype,
                        uint64_t element)
{
    char format[TILE_FORMAT_BYTES];
    cuc_dtype shown = tile_mark_dtype(mark, dtype);

    tile_mark_format(mark, dtype, format);
    if (dtype == CUC_BOOL)
        snprintf(to, bytes, "%s", element ? "true" : "false");
    else if (tile_is_integer(dtype))
        snprintf(to, bytes, format,
                 (unsigned long long)tile_element_of_int(shown, (int64_t)element));
    else
        snprintf(to, bytes, format, tile_element_real(dtype, element));
}

static void put_print(struct tile_machine *m, const char *text)
{
    if (m->run->print)
        m->run->print(m->run->user_data, text);
}

bool tile_step_print(struct tile_machine *m, const struct tile_op *op)
{
    const char *at = tile_attribute(op, TILE_ATTR_TEXT)->text;
    char piece[512], bracket[TILE_BRACKET_BYTES];

    for (uint32_t i = 0; i <= op->operand_count; i++) {
        struct tile_mark mark = { .at = at + strlen(at) };
        if (i < op->operand_count)
            tile_find_mark(at, &mark);
        while (at < mark.at) {
            int n = (int)(mark.at - at < 63 ? mark.at - at : 63);
            snprintf(piece, sizeof(piece), "%.*s", n, at);
            put_print(m, piece);
            at += n;
        }
        if (i == op->operand_count)
            break;
        const struct tile_value *value = op->operand[i];
        const uint64_t *x = tile_machine_elements(m, value);
        put_print(m, tile_mark_bracket(&mark, &value->type, '[', bracket));
        for (int64_t n = 0; n < tile_elements(&value->type); n++) {
            if (n)
                put_print(
                    m, tile_mark_between(&mark, tile_mark_ends(&mark, &value->type, n), bracket));
            put_element(piece, sizeof(piece), &mark, value->type.dtype, x[n]);
            put_print(m, piece);
        }
        put_print(m, tile_mark_bracket(&mark, &value->type, ']', bracket));
        at = mark.end;
    }
    put_print(m, "\n");
    return true;
}

bool tile_step_assert(struct tile_machine *m, const struct tile_op *op)
{
    const uint64_t *c = tile_machine_elements(m, op->operand[0]);

    for (int64_t i = 0; i < tile_elements(&op->operand[0]->type); i++)
        if (!c[i])
            return tile_machine_fail(m, op, "%s", tile_attribute(op, TILE_ATTR_TEXT)->text);
    return true;
}

bool tile_step_dim(struct tile_machine *m, const struct tile_op *op)
{
    const struct tile_view *view = &m->view[op->operand[0]->id];
    uint64_t *out = tile_machine_elements(m, op->result[0]);

    if (out)
        *out = (uint64_t)(op->kind == TILE_DIM ? view->extent
                                               : view->stride)[tile_int(op, TILE_ATTR_AXIS, 0)];
    return out != NULL;
}

// Does nothing: the interpreter runs only one grid, so there is no other to wait for or to launch.
bool tile_step_grid(struct tile_machine *m, const struct tile_op *op)
{
    (void)m;
    (void)op;
    return true;
}
