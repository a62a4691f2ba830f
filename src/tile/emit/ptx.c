// Registers, instructions, constants, coordinates.
#include "emit.h"

#include "ring.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char prefixes[TILE_REGISTER_CLASSES][4] = { "p", "h", "r", "d" };

enum tile_register_class tile_class_of(cuc_dtype dtype)
{
    switch (tile_register_bits(dtype)) {
    case 1:
        return TILE_PRED;
    case 16:
        return TILE_R16;
    case 64:
        return TILE_R64;
    default:
        return TILE_R32;
    }
}

tile_register tile_new(struct tile_emitter *e, enum tile_register_class class)
{
    return (uint32_t) class << 28 | ++e->next[class];
}

static size_t put_register(char *to, tile_register r)
{
    char digits[10];
    uint32_t number = r & 0xfffffff;
    size_t n = 0, at = 0;

    assert(number); // TILE_NO_REGISTER would name a register that is never written
    to[at++] = '%';
    to[at++] = prefixes[r >> 28][0];
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10));
    while (n)
        to[at++] = digits[--n];
    return at;
}

const char *tile_name(tile_register r)
{
    static _Thread_local char names[16][16];
    static _Thread_local uint32_t next;
    char *name = names[next++ % 16];

    name[put_register(name, r)] = '\0';
    return name;
}

const char *tile_register_list(struct tile_emitter *e, const tile_register *r, uint32_t count)
{
    enum { NAME_BYTES = 14 }; // including the separator
    char *text = tile_take(e->module, (size_t)count * NAME_BYTES + 3), *at = text;

    if (!text)
        return "";
    for (uint32_t i = 0; i < count; i++) {
        at = stpcpy(at, i ? ", " : "{");
        at += put_register(at, r[i]);
    }
    strcpy(at, "}");
    return text;
}

// %R a register, %s a string, %d an int, %u an unsigned, %l an int64_t, %x a uint64_t in
// hexadecimal, %% itself. Hand-written, since half of the compiler's time is spent here.
static void put_instruction(struct tile_emitter *e, tile_register first, const char *format,
                            va_list args)
{
    char line[512];
    size_t at = 0;

    line[at++] = '\t';
    for (const char *c = format; *c && at < sizeof(line) - 80; c++) {
        if (*c != '%') {
            line[at++] = *c;
            continue;
        }
        switch (*++c) {
        case 'R':
            at += put_register(line + at, first ? first : va_arg(args, tile_register));
            first = TILE_NO_REGISTER;
            break;
        case 's': {
            const char *s = va_arg(args, const char *);
            size_t n = strlen(s);
            n = n > sizeof(line) - 80 - at ? sizeof(line) - 80 - at : n;
            memcpy(line + at, s, n);
            at += n;
            break;
        }
        case 'd':
            at += (size_t)snprintf(line + at, 16, "%d", va_arg(args, int));
            break;
        case 'u':
            at += (size_t)snprintf(line + at, 16, "%u", va_arg(args, unsigned));
            break;
        case 'l':
            at += (size_t)snprintf(line + at, 24, "%lld", (long long)va_arg(args, int64_t));
            break;
        case 'x':
            at +=
                (size_t)snprintf(line + at, 24, "%llX", (unsigned long long)va_arg(args, uint64_t));
            break;
        default:
            line[at++] = *c;
        }
    }
    line[at++] = ';';
    line[at++] = '\n';
    line[at] = '\0';
    tile_put_string(e->text, line);
    e->instructions++;
}

void tile_ins(struct tile_emitter *e, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_instruction(e, TILE_NO_REGISTER, format, args);
    va_end(args);
}

tile_register tile_make(struct tile_emitter *e, enum tile_register_class class, const char *format,
                        ...)
{
    tile_register r = tile_new(e, class);
    va_list args;

    va_start(args, format);
    put_instruction(e, r, format, args);
    va_end(args);
    return r;
}

uint32_t tile_label(struct tile_emitter *e)
{
    return ++e->next_label;
}

void tile_put_label(struct tile_emitter *e, uint32_t label)
{
    tile_put(e->text, "$L%u:\n", label);
}

void tile_branch(struct tile_emitter *e, tile_register predicate, bool negated, uint32_t label)
{
    if (predicate)
        tile_put(e->text, "\t@%s%s bra $L%u;\n", negated ? "!" : "", tile_name(predicate), label);
    else
        tile_put(e->text, "\tbra.uni $L%u;\n", label);
}

void tile_move(struct tile_emitter *e, tile_register to, tile_register from)
{
    static const char *const moves[] = { "mov.pred", "mov.b16", "mov.b32", "mov.b64" };

    if (to != from)
        tile_ins(e, "%s %R, %R", moves[to >> 28], to, from);
}

uint32_t tile_register_count(const struct tile_value *value)
{
    return value->layout ? UINT32_C(1) << value->layout->register_bits : 1;
}

bool tile_compute_registers(struct tile_emitter *e, const struct tile_value *value, uint32_t first,
                            uint32_t end)
{
    const struct tile_op *op = e->deferred ? e->deferred[value->id] : NULL;

    return op ? e->dispatch->deferred(e, op, first, end) : tile_registers(e, value) != NULL;
}

tile_register *tile_registers(struct tile_emitter *e, const struct tile_value *value)
{
    tile_register **slot = &e->value[value->id];
    uint32_t count = tile_register_count(value);

    if (*slot && e->deferred && e->deferred[value->id]) {
        for (uint32_t i = 0; i < count; i += TILE_PART)
            if (!tile_compute_registers(e, value, i, i + TILE_PART < count ? i + TILE_PART : count))
                return NULL;
        e->deferred[value->id] = NULL;
    }
    if (*slot)
        return *slot;
    *slot = tile_take(e->module, count * sizeof(**slot));
    if (!*slot) {
        e->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        (*slot)[i] = tile_new(e, tile_class_of(value->type.dtype));
    return *slot;
}

// Constants

tile_register tile_number32(struct tile_emitter *e, int32_t value)
{
    return tile_make(e, TILE_R32, "mov.b32 %R, %d", value);
}

tile_register tile_number64(struct tile_emitter *e, int64_t value)
{
    return tile_make(e, TILE_R64, "mov.b64 %R, %l", value);
}

tile_register tile_size_register(struct tile_emitter *e, const struct tile_size *size)
{
    return size->reg ? size->reg : tile_number64(e, size->value);
}

tile_register tile_constant_register(struct tile_emitter *e, cuc_dtype dtype, uint64_t element)
{
    switch (tile_class_of(dtype)) {
    case TILE_PRED:
        return tile_make(e, TILE_PRED, element ? "setp.eq.s32 %R, 0, 0" : "setp.ne.s32 %R, 0, 0");
    case TILE_R16:
        return tile_make(e, TILE_R16, "mov.b16 %R, 0x%x", element & 0xffff);
    case TILE_R32:
        return tile_make(e, TILE_R32, "mov.b32 %R, 0x%x", element & 0xffffffff);
    default:
        return tile_make(e, TILE_R64, "mov.b64 %R, 0x%x", element);
    }
}

// Coordinates

struct tile_text *tile_into_prologue(struct tile_emitter *e)
{
    struct tile_text *before = e->text;

    e->text = &e->prologue;
    return before;
}

uint32_t tile_register_coordinate(const struct tile_layout *layout, uint32_t index, uint32_t axis)
{
    return tile_axis_coordinate(layout, index, axis);
}

// Runs of thread bits that are adjacent in the coordinate are moved together.
static tile_register gather_bits(struct tile_emitter *e, const struct tile_layout *layout,
                                 uint32_t axis)
{
    uint32_t shift = tile_axis_shift(layout, axis);
    uint32_t mask = ((UINT32_C(1) << layout->axis_bits[axis]) - 1) << shift;
    uint32_t threads = TILE_LANE_BITS + layout->warp_bits;
    tile_register sum = TILE_NO_REGISTER;

    for (uint32_t i = 0; i < threads;) {
        uint32_t basis = layout->basis[layout->register_bits + i] & mask, length = 1;
        if (!basis) {
            i++;
            continue;
        }
        while (i + length < threads &&
               (layout->basis[layout->register_bits + i + length] & mask) == basis << length &&
               (basis << length & mask))
            length++;
        uint32_t to = (uint32_t)__builtin_ctz(basis) - shift;
        tile_register part = e->tid;
        if (i)
            part = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", part, i);
        if (i + length < threads)
            part = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", part, (UINT32_C(1) << length) - 1);
        if (to)
            part = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", part, to);
        sum = sum ? tile_make(e, TILE_R32, "or.b32 %R, %R, %R", sum, part) : part;
        i += length;
    }
    return sum ? sum : tile_number32(e, 0);
}

tile_register tile_thread_coordinate(struct tile_emitter *e, const struct tile_layout *layout,
                                     uint32_t axis)
{
    for (uint32_t i = 0; i < e->coordinates; i++)
        if (e->coordinate[i].axis == axis && tile_layout_same(e->coordinate[i].layout, layout))
            return e->coordinate[i].reg;
    struct tile_text *before = tile_into_prologue(e);
    tile_register reg = gather_bits(e, layout, axis);
    e->text = before;
    if (e->coordinates == e->coordinate_room) {
        uint32_t room = e->coordinate_room ? 2 * e->coordinate_room : 16;
        struct tile_coordinate_entry *grown = tile_take(e->module, room * sizeof(*grown));
        if (!grown) {
            e->failed = true;
            return reg;
        }
        if (e->coordinates)
            memcpy(grown, e->coordinate, e->coordinates * sizeof(*grown));
        e->coordinate = grown;
        e->coordinate_room = room;
    }
    e->coordinate[e->coordinates++] = (struct tile_coordinate_entry){ layout, axis, reg };
    return reg;
}

uint32_t tile_thread_reach(const struct tile_layout *layout, uint32_t axis)
{
    uint32_t all = ((UINT32_C(1) << (TILE_LANE_BITS + layout->warp_bits)) - 1)
                   << layout->register_bits;

    return tile_axis_coordinate(layout, all, axis);
}

// With three warpgroups the layout's last one does not exist.
static uint32_t reach_of_all(const struct tile_emitter *e, const struct tile_layout *layout,
                             uint32_t axis)
{
    enum { LAST_OF_GROUPS = 3 };
    uint32_t reach = tile_thread_reach(layout, axis), most = 0;
    uint32_t last = (uint32_t)LAST_OF_GROUPS << (layout->register_bits + TILE_LANE_BITS + 2);

    if (!e->ring || e->ring->plan->groups != 3)
        return reach;
    for (uint32_t group = 0; group < LAST_OF_GROUPS; group++) {
        uint32_t of = group << (layout->register_bits + TILE_LANE_BITS + 2);
        uint32_t at = reach & ~tile_axis_coordinate(layout, last & ~of, axis);
        most = at > most ? at : most;
    }
    return most;
}

tile_register tile_inside_tile(struct tile_emitter *e, const struct tile_value *value,
                               uint32_t index, bool *none)
{
    const struct tile_layout *layout = value->layout;
    tile_register inside = TILE_NO_REGISTER;

    *none = false;
    for (uint32_t axis = 0; layout && axis < value->type.rank; axis++) {
        uint32_t extent = (uint32_t)value->type.extent[axis];
        uint32_t own = tile_register_coordinate(layout, index, axis);
        if (own >= extent) {
            *none = true;
            return TILE_NO_REGISTER;
        }
        if (own + reach_of_all(e, layout, axis) < extent)
            continue;
        tile_register p = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u",
                                    tile_thread_coordinate(e, layout, axis), extent - own);
        inside = inside ? tile_make(e, TILE_PRED, "and.pred %R, %R, %R", inside, p) : p;
    }
    return inside;
}

// Shared memory

void tile_barrier(struct tile_emitter *e)
{
    bool team = e->ring && e->ring->plan->teams > 1;

    // Not all warps come here, or there are fewer than layouts have.
    if (e->ring && (e->ring->warps_apart || e->ring->copies || e->ring->plan->groups == 3))
        e->failed = true;
    if (team) // a warpgroup that owns the tile
        tile_ins(e, "bar.sync %R, %u",
                 tile_make(e, TILE_R32, "add.u32 %R, %R, %u", e->ring->group,
                           (unsigned)TILE_BARRIER_OF_GROUP),
                 (unsigned)TILE_GROUP_THREADS);
    else if (e->ring)
        tile_ins(e, "bar.sync %u, %u", (unsigned)TILE_BARRIER_OF_GROUPS, 32 * e->warps);
    else if (e->warps > 1 && !e->single_warp)
        tile_ins(e, "bar.sync 0");
    else
        tile_ins(e, "bar.warp.sync 0xffffffff");
}

tile_register tile_scratch(struct tile_emitter *e, uint32_t bytes)
{
    if (bytes > e->shared_bytes)
        e->shared_bytes = bytes;
    if (e->shared_busy)
        tile_barrier(e);
    e->shared_busy = TILE_SHARED_BUSY;
    return e->shared;
}

// Threads that read the old busy part are done once this part has been written, since a barrier
// comes between: only one part at a time is busy.
tile_register tile_scratch_beside(struct tile_emitter *e, uint32_t bytes, uint32_t *at)
{
    enum { MOST = 1024 };

    bytes = (bytes + 15) & ~UINT32_C(15);
    *at = 0;
    if (e->shared_busy == TILE_SHARED_PART && e->busy_from >= bytes)
        *at = 0;
    else if (e->shared_busy == TILE_SHARED_PART && e->busy_to + bytes <= MOST)
        *at = e->busy_to;
    else if (e->shared_busy)
        tile_barrier(e);
    e->shared_busy = TILE_SHARED_PART;
    e->busy_from = *at;
    e->busy_to = *at + bytes;
    if (e->busy_to > e->shared_bytes)
        e->shared_bytes = e->busy_to;
    return e->shared;
}

void tile_scratch_written(struct tile_emitter *e)
{
    tile_barrier(e);
}

bool tile_cannot(struct tile_emitter *e, const struct tile_op *op, const char *why)
{
    tile_error(e->module, TILE_T601, op->where, "%s: %s", tile_op_infos[op->kind].name, why);
    e->failed = true;
    return false;
}
