// Reads the operand fragments of mma.sync from rows in shared memory with ldmatrix, and multiplies
// them. mma_sync.c describes these rows.
#include "mma_sync.h"

static uint32_t find_fragment(struct tile_mma_operand *o, uint32_t batch, uint32_t own)
{
    uint32_t i = 0;

    while (i < o->count && (o->fragment[i].batch != batch || o->fragment[i].own != own))
        i++;
    if (i == TILE_MOST_FRAGMENTS)
        return UINT32_MAX;
    if (i == o->count) {
        o->fragment[i].batch = batch;
        o->fragment[i].own = own;
        o->count++;
    }
    return i;
}

static uint32_t batch_of(const struct tile_product *p, uint32_t r)
{
    uint32_t batch = 0;

    for (uint32_t axis = 0; axis < p->m; axis++)
        batch = batch * (uint32_t)p->acc->type.extent[axis] +
                tile_register_coordinate(p->acc->layout, r, axis);
    return batch;
}

bool tile_find_fragments(struct tile_product *p)
{
    for (uint32_t group = 0; group < p->count / 4; group++) {
        bool none;
        uint32_t batch = batch_of(p, 4 * group);
        (void)tile_inside_tile(p->e, p->acc, 4 * group, &none);
        p->row[group] = p->column[group] = UINT32_MAX;
        if (none)
            continue;
        p->row[group] =
            find_fragment(&p->a, batch, tile_register_coordinate(p->acc->layout, 4 * group, p->m));
        p->column[group] =
            find_fragment(&p->b, batch, tile_register_coordinate(p->acc->layout, 4 * group, p->n));
        if (p->row[group] == UINT32_MAX || p->column[group] == UINT32_MAX)
            return false;
    }
    return true;
}

// Returns the warp's part of an accumulator coordinate. `lane` is the lane's part, which is
// subtracted.
static tile_register warp_part(struct tile_product *p, uint32_t axis, tile_register lane)
{
    tile_register all = tile_thread_coordinate(p->e, p->acc->layout, axis);
    uint32_t mask = (UINT32_C(1) << p->acc->layout->axis_bits[axis]) - 1;
    tile_register part = tile_make(p->e, TILE_R32, "and.b32 %R, %R, %u", lane, mask);

    return tile_make(p->e, TILE_R32, "sub.u32 %R, %R, %R", all, part);
}

// Adds the byte offset of the batch that the warp and lane belong to.
static tile_register with_batches(struct tile_product *p, const struct tile_mma_operand *o,
                                  tile_register at)
{
    uint32_t step = o->batch_bytes;

    for (uint32_t axis = p->m; axis-- > 0;) {
        if (p->acc->layout->axis_bits[axis] && tile_thread_mask(p->acc->layout, axis))
            at = tile_make(p->e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R",
                           tile_thread_coordinate(p->e, p->acc->layout, axis), step, at);
        step *= (uint32_t)p->acc->type.extent[axis];
    }
    return at;
}

// Returns the address of a position. `own` is the coordinate along the other axis. `steps` is the
// position along the depth axis: in rows for a transposed operand, otherwise in 16-byte units, or
// in elements if they are read one by one.
static tile_register place_of(struct tile_emitter *e, const struct tile_mma_operand *o,
                              tile_register at, tile_register steps, tile_register own)
{
    tile_register line = o->transposed ? steps : own, along = o->transposed ? own : steps;
    uint32_t unit = o->transposed || o->single ? o->bytes : 16;

    along = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", along, unit);
    if (o->span) {
        tile_register chunk = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", line, o->span / 8);
        chunk = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", chunk, o->span - 16);
        along = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", along, chunk);
    }
    at = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", at, along);
    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", line, o->pitch, at);
}

// Computes, for each fragment, the address of the row that each lane reads. `across` is the lane's
// coordinate within the fragment along the other axis. `steps` is the lane's 16-byte unit or row
// along the depth axis.
static void open_lines(struct tile_product *p, struct tile_mma_operand *o, tile_register shared,
                       uint32_t axis, tile_register warp, tile_register across, tile_register steps,
                       uint32_t size)
{
    struct tile_emitter *e = p->e;
    uint32_t physical = UINT32_C(1) << p->acc->layout->axis_bits[axis], reach;
    tile_register at = with_batches(p, o, shared), common = TILE_NO_REGISTER;

    if (physical < size)
        across = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", across, physical - 1);
    tile_register own = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", warp, across);
    reach = tile_thread_mask(p->acc->layout, axis) | (size - 1);
    uint32_t step = o->transposed ? o->bytes : o->pitch;
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t first = o->fragment[i].own;
        uint32_t offset = o->at + o->fragment[i].batch * o->batch_bytes;
        uint32_t most = o->transposed ? tile_round_up(o->extent, 8) - 8 : o->extent - 1;
        if (o->single || first + (o->transposed ? reach & ~7u : reach) <= most) {
            if (!common)
                common = place_of(e, o, at, steps, own);
            o->fragment[i].line = common;
            o->fragment[i].flip = o->transposed && o->span ? first * step % o->span : 0;
            o->fragment[i].offset = offset + first * step - o->fragment[i].flip;
            continue;
        }
        // Past the edge, read the last row again. Its result is unused.
        tile_register x = first ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", own, first) : own;
        x = tile_make(e, TILE_R32, "min.u32 %R, %R, %u", x, most);
        o->fragment[i].line = place_of(e, o, at, steps, x);
        o->fragment[i].flip = 0;
        o->fragment[i].offset = offset;
    }
}

// Adds the stage's offset to the row addresses of a prefetched operand, which are for stage 0.
static void add_stage(struct tile_product *p, struct tile_mma_operand *o)
{
    for (uint32_t i = 0; i < o->count && o->ring; i++) {
        uint32_t n = 0;
        while (n < p->places && p->place[n] != o->fragment[i].line)
            n++;
        if (n == p->places) {
            p->place[n] = o->fragment[i].line;
            p->there[n] = tile_make(p->e, TILE_R32, "add.u32 %R, %R, %R", p->place[n],
                                    p->e->prefetch_ring->stage);
            p->places++;
        }
        o->fragment[i].line = p->there[n];
    }
}

// The positions that lanes read. ldmatrix loads four 8x8 matrices, and each group of 8 lanes
// addresses the rows of one matrix. In reads of single elements, four lanes share a row.
struct lanes {
    tile_register eight;         // index of a row in its matrix
    tile_register second, third; // `second` is 1 in lanes that address matrices 1 and 3, `third` in
                                 // lanes that address 2 and 3
    tile_register quad, of_quad;
};

// `near` selects between matrices that are neighbors across the depth axis, `far` between matrices
// that are neighbors along it.
static void open_operand(struct tile_product *p, struct tile_mma_operand *o, tile_register shared,
                         uint32_t axis, tile_register warp, const struct lanes *lanes,
                         tile_register near, tile_register far, uint32_t size)
{
    struct tile_emitter *e = p->e;
    tile_register across, steps;

    if (o->single) {
        across = lanes->quad;
        steps = lanes->of_quad;
    } else if (o->transposed) {
        across = tile_make(e, TILE_R32, "shl.b32 %R, %R, 3", near);
        steps = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", far, lanes->eight);
    } else {
        across = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", near, lanes->eight);
        steps = far;
    }
    if (o->direct) // nothing is read
        return;
    open_lines(p, o, o->ring ? e->prefetch_ring->base : shared, axis, warp, across, steps, size);
    add_stage(p, o);
}

void tile_open_fragments(struct tile_product *p, tile_register shared)
{
    struct tile_emitter *e = p->e;
    struct lanes l;

    l.eight = tile_make(e, TILE_R32, "and.b32 %R, %R, 7", e->lane);
    l.second = tile_make(e, TILE_R32, "bfe.u32 %R, %R, 3, 1", e->lane);
    l.third = tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", e->lane);
    tile_register row = warp_part(p, p->m, tile_make(e, TILE_R32, "shr.u32 %R, %R, 2", e->lane));
    l.of_quad = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->lane);
    tile_register pair = tile_make(e, TILE_R32, "shl.b32 %R, %R, 1", l.of_quad);
    tile_register column = warp_part(p, p->n, pair);
    l.quad = tile_make(e, TILE_R32, "shr.u32 %R, %R, 2", e->lane);

    // A fragment of a has four matrices: two of 8 rows each, then two with the same rows and the
    // next columns (along the depth axis).
    open_operand(p, &p->a, shared, p->m, row, &l, l.second, l.third, 16);
    // A fragment of b has two matrices for 8 columns, and the next fragment two for the next 8. One
    // ldmatrix reads all four if their rows allow it.
    open_operand(p, &p->b, shared, p->n, column, &l, l.third, l.second, 8);
}

// Uses a product's accumulator as the next product's operand a. Two adjacent fragments form a step.
static void take_fragment(struct tile_product *p, struct tile_mma_operand *o, uint32_t i,
                          uint32_t step)
{
    const struct tile_value *x = o->value;
    uint32_t column = p->begins + step * p->how->depth, count = tile_register_count(x);

    for (uint32_t r = 0; r < count; r += 4) {
        uint32_t c = tile_register_coordinate(x->layout, r, 1);
        if (tile_register_coordinate(x->layout, r, 0) != o->fragment[i].own ||
            (c != column && c != column + 8))
            continue;
        for (uint32_t n = 0; n < 2; n++)
            o->fragment[i].word[p->now][(c == column ? 0 : 2) + n] = tile_make(
                p->e, TILE_R32, "mov.b32 %R, {%R, %R}", o->reg[r + 2 * n], o->reg[r + 2 * n + 1]);
    }
}

static uint32_t step_bytes(const struct tile_product *p, const struct tile_mma_operand *o)
{
    return o->transposed ? p->how->depth * o->pitch : (unsigned)TILE_STEP_BYTES;
}

// Reads element by element. The words of a are 8 rows apart, then 4 elements along the depth axis.
// The words of b are 4 elements apart along the depth axis.
static void read_words(struct tile_product *p, struct tile_mma_operand *o, uint32_t i,
                       uint32_t step, uint32_t set, bool there)
{
    uint32_t rows = o == &p->a ? 2 : 1, words = rows * (p->how->depth / 4);
    // With at most 8 rows, the second half of a fragment repeats the first, as in the layout.
    bool again = UINT32_C(1) << p->acc->layout->axis_bits[p->m] <= 8;
    uint32_t row = again ? 0 : 8 * (o->transposed ? o->bytes : o->pitch);
    uint32_t four = 4 * (o->transposed ? o->pitch : o->bytes);
    tile_register *w = o->fragment[i].word[set];
    bool wide = o->bytes == 8;

    for (uint32_t n = 0; n < words; n++) {
        uint32_t offset = o->fragment[i].offset + step * step_bytes(p, o) + n % rows * row +
                          n / rows * four;
        if (!there)
            w[n] = tile_new(p->e, wide ? TILE_R64 : TILE_R32);
        tile_ins(p->e, "ld.shared.b%u %R, [%R+%u]", 8 * o->bytes, w[n], o->fragment[i].line,
                 offset);
    }
}

// Reads into the words of `set`. Creates new registers for them unless `there` is true.
static void read_fragment(struct tile_product *p, struct tile_mma_operand *o, uint32_t i,
                          uint32_t step, uint32_t words, uint32_t set, bool there)
{
    struct tile_emitter *e = p->e;
    tile_register *w = o->fragment[i].word[set];
    uint32_t flip = o->span && !o->transposed ? step * TILE_STEP_BYTES % o->span : 0;
    uint32_t offset = o->fragment[i].offset + step * step_bytes(p, o) - flip;
    tile_register line = o->fragment[i].line;
    const char *transposed = o->transposed ? ".trans" : "";

    if (o->single) {
        read_words(p, o, i, step, set, there);
        return;
    }
    flip ^= o->fragment[i].flip;
    if (flip)
        line = tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", line, flip);
    for (uint32_t n = 0; n < words && !there; n++)
        w[n] = tile_new(e, TILE_R32);
    if (words == 4)
        tile_ins(e, "ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%R, %R, %R, %R}, [%R+%u]",
                 transposed, w[0], w[1], w[2], w[3], line, offset);
    else
        tile_ins(e, "ldmatrix.sync.aligned.m8n8.x2%s.shared.b16 {%R, %R}, [%R+%u]", transposed,
                 w[0], w[1], line, offset);
}

// True if fragments i and i + 1 of b are adjacent, so that one ldmatrix reads both. Lanes 16 and up
// then address the second one.
static bool is_pair(const struct tile_mma_operand *o, uint32_t i)
{
    uint32_t step = o->transposed ? o->bytes : o->pitch;

    if (o->single || i + 1 == o->count || o->fragment[i + 1].batch != o->fragment[i].batch ||
        o->fragment[i + 1].own != o->fragment[i].own + 8 ||
        o->fragment[i + 1].line != o->fragment[i].line)
        return false;
    return o->fragment[i + 1].offset + o->fragment[i + 1].flip ==
               o->fragment[i].offset + o->fragment[i].flip + 8 * step &&
           !(o->fragment[i].flip & 16);
}

// Reads all fragments of a step.
void tile_read_step(struct tile_product *p, uint32_t step, uint32_t set, bool there)
{
    for (uint32_t i = 0; i < p->a.count; i++)
        if (p->a.direct)
            take_fragment(p, &p->a, i, step);
        else
            read_fragment(p, &p->a, i, step, 4, set, there);
    for (uint32_t i = 0; i < p->b.count; i++) {
        bool pair = is_pair(&p->b, i);
        read_fragment(p, &p->b, i, step, pair ? 4 : 2, set, there);
        if (!pair)
            continue;
        for (uint32_t n = 0; n < 2; n++)
            p->b.fragment[i + 1].word[set][n] = p->b.fragment[i].word[set][2 + n];
        i++;
    }
}

// ---- Products

static void round_words(struct tile_product *p, struct tile_mma_operand *o, uint32_t words)
{
    for (uint32_t i = 0; i < o->count && o->rounds; i++)
        for (uint32_t n = 0; n < words; n++) {
            tile_register *w = &o->fragment[i].word[p->now][n];
            *w = tile_emit_cast(p->e, CUC_TF32, CUC_F32, TILE_RN, *w);
        }
}

// Splits an f32 into a sum of two tf32. NaN, infinity and the largest numbers, which round to
// infinity, would have a first part that is not finite. That part becomes 1 with the number's sign,
// so that no product multiplies infinity by a zero remainder.
static void split_words(struct tile_product *p, struct tile_mma_operand *o, uint32_t words)
{
    struct tile_emitter *e = p->e;

    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t n = 0; n < words; n++) {
            tile_register x = o->fragment[i].word[p->now][n];
            tile_register first = tile_emit_cast(e, CUC_TF32, CUC_F32, TILE_RN, x);
            tile_register finite = tile_make(e, TILE_PRED, "testp.finite.f32 %R, %R", first);
            tile_register one = tile_make(e, TILE_R32, "copysign.f32 %R, %R, 0f3F800000", x);
            first = tile_make(e, TILE_R32, "selp.b32 %R, %R, %R, %R", first, one, finite);
            tile_register rest = tile_make(e, TILE_R32, "sub.f32 %R, %R, %R", x, first);
            o->fragment[i].word[p->now][n] = first;
            o->fragment[i].rest[n] = tile_emit_cast(e, CUC_TF32, CUC_F32, TILE_RN, rest);
        }
}

// Multiplies f64 fragments. Before sm_90 this takes two instructions of 8 rows, one for each half
// of a fragment.
static void multiply_wide(struct tile_product *p, const tile_register *a, const tile_register *b,
                          const tile_register *c, const tile_register *d)
{
    static const char words[] = "row.col.f64.f64.f64.f64";

    if (tile_has(p->e->target, TILE_HAS_MMA_F64_M16)) {
        tile_ins(p->e,
                 "mma.sync.aligned.m16n8k4.%s {%R, %R, %R, %R}, {%R, %R}, {%R}, {%R, %R, %R, %R}",
                 words, d[0], d[1], d[2], d[3], a[0], a[1], b[0], c[0], c[1], c[2], c[3]);
        return;
    }
    for (uint32_t i = 0; i < 2; i++)
        tile_ins(p->e, "mma.sync.aligned.m8n8k4.%s {%R, %R}, {%R}, {%R}, {%R, %R}", words, d[2 * i],
                 d[2 * i + 1], a[i], b[0], c[2 * i], c[2 * i + 1]);
}

static void multiply(struct tile_product *p, const tile_register *a, const tile_register *b,
                     const tile_register *c, const tile_register *d)
{
    const char *second = tile_fragment_name(p->op->operand[1]->type.dtype);

    if (p->a.bytes == 8) {
        multiply_wide(p, a, b, c, d);
        return;
    }
    tile_ins(p->e,
             "mma.sync.aligned.m16n8k%u.row.col.%s.%s.%s.%s {%R, %R, %R, %R}, "
             "{%R, %R, %R, %R}, {%R, %R}, {%R, %R, %R, %R}",
             p->how->depth, p->how->accumulator, p->how->name, second, p->how->accumulator, d[0],
             d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], c[0], c[1], c[2], c[3]);
}

bool tile_open_parts(struct tile_product *p)
{
    if (!p->thrice && !p->halves)
        return true;
    if (!p->part) {
        p->part = tile_take(p->e->module, p->count * sizeof(*p->part));
        for (uint32_t r = 0; p->part && r < p->count; r++)
            p->part[r] = tile_new(p->e, TILE_R32);
    }
    for (uint32_t r = 0; p->part && r < p->count; r++)
        tile_ins(p->e, "mov.b32 %R, 0", p->part[r]);
    return p->part != NULL;
}

void tile_close_parts(struct tile_product *p)
{
    const tile_register *from = p->first ? p->in : p->sum;

    for (uint32_t r = 0; p->part && r < p->count; r++)
        if (p->row[r / 4] != UINT32_MAX)
            tile_ins(p->e, "add.f32 %R, %R, %R", p->sum[r], from[r], p->part[r]);
    p->first &= !p->thrice;
}

void tile_multiply_step(struct tile_product *p)
{
    const tile_register *from = p->first ? p->in : p->sum;

    if (p->thrice) {
        split_words(p, &p->a, 4);
        split_words(p, &p->b, 2);
    } else {
        round_words(p, &p->a, 4);
        round_words(p, &p->b, 2);
    }
    for (uint32_t group = 0; group < p->count / 4; group++) {
        if (p->row[group] == UINT32_MAX)
            continue;
        const tile_register *a = p->a.fragment[p->row[group]].word[p->now];
        const tile_register *b = p->b.fragment[p->column[group]].word[p->now];
        if (p->thrice) { // add small products first
            const tile_register *part = p->part + 4 * group;
            multiply(p, p->a.fragment[p->row[group]].rest, b, part, part);
            multiply(p, a, p->b.fragment[p->column[group]].rest, part, part);
            multiply(p, a, b, part, part);
        } else if (p->odd) {
            multiply(p, a, b, p->part + 4 * group, p->part + 4 * group);
        } else {
            multiply(p, a, b, from + 4 * group, p->sum + 4 * group);
        }
    }
    p->first &= p->thrice;
    p->odd = p->halves && !p->odd;
}
