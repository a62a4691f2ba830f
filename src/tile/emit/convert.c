// Converts a tile between layouts through shared memory, with the swizzle of layout/swizzle.c.
#include "emit.h"

#include "tile/layout/swizzle.h"

enum { MOST_IN_VECTOR = 16, MOST_PLACES = 64 };

// One of the two layouts: its registers' places in shared memory.
struct side {
    struct tile_emitter *e;
    const struct tile_swizzle *swizzle;
    const struct tile_layout *layout;
    uint32_t bytes, vector_bits;
    uint32_t thread_bits;          // position bits, in bytes, that depend on the thread
    tile_register thread;          // position of the thread's register 0
    tile_register shared;          // start address of the tile
    uint32_t flipped[MOST_PLACES]; // cached addresses, keyed by the position bits that they flip
    tile_register address[MOST_PLACES];
    uint32_t count;
};

// Returns the position of the calling thread's register 0. All thread bits that move by the same
// distance take one shift.
static tile_register thread_place(const struct side *s)
{
    struct tile_emitter *e = s->e;
    const struct tile_layout *layout = s->layout;
    uint32_t bits = TILE_LANE_BITS + (uint32_t)layout->warp_bits;
    uint32_t place[TILE_LANE_BITS + TILE_MAX_WARP_BITS];
    tile_register sum = TILE_NO_REGISTER;

    for (uint32_t i = 0; i < bits; i++)
        place[i] = s->bytes *
                   tile_swizzle_place(s->swizzle, layout->basis[layout->register_bits + i]);
    for (int by = -(int)bits; by < 32; by++) {
        uint32_t mask = 0;
        for (uint32_t i = 0; i < bits; i++) {
            int to = (int)i + by;
            if (to >= 0 && to < 32 && place[i] >> to & 1)
                mask |= UINT32_C(1) << i;
        }
        if (!mask)
            continue;
        tile_register part = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, mask);
        if (by)
            part = tile_make(e, TILE_R32, by < 0 ? "shr.u32 %R, %R, %d" : "shl.b32 %R, %R, %d",
                             part, by < 0 ? -by : by);
        sum = sum ? tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", sum, part) : part;
    }
    return sum ? sum : tile_number32(e, 0);
}

static void open_side(struct side *s)
{
    const struct tile_layout *layout = s->layout;

    for (uint32_t i = layout->register_bits; i < tile_hardware_bits(layout); i++)
        s->thread_bits |= s->bytes * tile_swizzle_place(s->swizzle, layout->basis[i]);
    s->thread = thread_place(s);
}

// Returns the address of a register. Position bits that do not depend on the thread become a
// constant offset.
static tile_register address_of(struct side *s, uint32_t r, int64_t *offset)
{
    struct tile_emitter *e = s->e;
    uint32_t place = s->bytes * tile_swizzle_place(s->swizzle, tile_coordinate(s->layout, r));
    uint32_t flips = place & s->thread_bits;
    tile_register at = s->thread;

    *offset = place & ~s->thread_bits;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->flipped[i] == flips)
            return s->address[i];
    if (flips)
        at = tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", at, flips);
    at = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", at, s->shared);
    if (s->count < MOST_PLACES) {
        s->flipped[s->count] = flips;
        s->address[s->count++] = at;
    }
    return at;
}

static void move_side(struct side *s, cuc_dtype dtype, const tile_register *reg, bool writes)
{
    uint32_t index[MOST_IN_VECTOR], count = UINT32_C(1) << s->layout->register_bits;
    uint32_t own = tile_swizzle_vector(s->swizzle, s->layout, s->vector_bits, index);
    uint32_t vector = UINT32_C(1) << s->vector_bits;
    tile_register single = writes ? tile_one_copy(s->e, s->layout) : TILE_NO_REGISTER;

    open_side(s);
    for (uint32_t r = 0; r < count; r++) {
        tile_register part[MOST_IN_VECTOR];
        int64_t offset;
        if (r & own || tile_repeats(s->layout, r))
            continue;
        for (uint32_t k = 0; k < vector; k++)
            part[k] = reg[r | index[k]];
        tile_register address = address_of(s, r, &offset);
        if (writes)
            tile_emit_store(s->e, "", "shared", dtype, part, vector, address, offset, single);
        else
            tile_emit_load(s->e, "", "shared", dtype, part, vector, address, offset,
                           TILE_NO_REGISTER);
    }
}

// Finds the registers of a layout that hold a given coordinate. Coordinates and register numbers
// are vectors over GF(2).
struct places {
    uint32_t vector[32], registers[32]; // indexed by the vector's highest bit; 0 if unused
    uint32_t same[32]; // XOR masks between the numbers of registers with the same element, indexed
                       // by a mask's highest bit
};

static void solve_places(struct places *p, const struct tile_layout *layout)
{
    *p = (struct places){ .vector = { 0 } };
    for (uint32_t bit = 0; bit < layout->register_bits; bit++) {
        uint32_t vector = layout->basis[bit], registers = UINT32_C(1) << bit, top = 0;
        for (; vector && p->vector[top = 31 - (uint32_t)__builtin_clz(vector)];
             registers ^= p->registers[top])
            vector ^= p->vector[top];
        if (vector) {
            p->vector[top] = vector;
            p->registers[top] = registers;
        } else {
            p->same[bit] = registers; // this is the highest bit of `registers`
        }
    }
}

// Finds the lowest register of the calling thread that holds a coordinate. False if none does.
static bool find_place(const struct places *p, uint32_t coordinate, uint32_t *out)
{
    uint32_t registers = 0;

    while (coordinate) {
        uint32_t top = 31 - (uint32_t)__builtin_clz(coordinate);
        if (!p->vector[top])
            return false;
        coordinate ^= p->vector[top];
        registers ^= p->registers[top];
    }
    for (uint32_t bit = 32; bit-- > 0;)
        if (registers >> bit & 1)
            registers ^= p->same[bit];
    *out = registers;
    return true;
}

bool tile_rename(const struct tile_layout *from, const tile_register *in,
                 const struct tile_layout *to, tile_register *out)
{
    uint32_t threads = TILE_LANE_BITS + (uint32_t)to->warp_bits;
    uint32_t place[TILE_MAX_HARDWARE_BITS];
    struct places places;

    for (uint32_t i = 0; i < threads; i++)
        if (to->basis[to->register_bits + i] != from->basis[from->register_bits + i])
            return false;
    solve_places(&places, from);
    for (uint32_t bit = 0; bit < to->register_bits; bit++)
        if (!find_place(&places, to->basis[bit], &place[bit]))
            return false;
    for (uint32_t r = 0; r < UINT32_C(1) << to->register_bits; r++) {
        uint32_t i = 0;
        for (uint32_t bits = r; bits; bits &= bits - 1)
            i ^= place[__builtin_ctz(bits)];
        out[r] = in[i];
    }
    return true;
}

uint64_t tile_convert_bytes(cuc_dtype dtype, const struct tile_layout *layout)
{
    return ((UINT64_C(1) << layout->coordinate_bits) * tile_bytes_of(dtype) + 15) & ~UINT64_C(15);
}

void tile_convert(struct tile_emitter *e, cuc_dtype dtype, const struct tile_layout *from,
                  const tile_register *in, const struct tile_layout *to, const tile_register *out)
{
    struct tile_swizzle swizzle;

    tile_swizzle_choose(&swizzle, from, to, tile_bytes_of(dtype));
    struct side write = { .e = e,
                          .swizzle = &swizzle,
                          .layout = from,
                          .bytes = tile_bytes_of(dtype),
                          .vector_bits = swizzle.write_bits };
    struct side read = write;
    read.layout = to;
    read.vector_bits = swizzle.read_bits;
    write.shared = read.shared = tile_scratch(e, (uint32_t)tile_convert_bytes(dtype, from));
    move_side(&write, dtype, in, true);
    tile_scratch_written(e);
    if (!e->ring && !e->single_warp) // the barrier of tile_scratch_written() also orders global
                                     // accesses
        e->read = e->written = 0;
    move_side(&read, dtype, out, false);
    for (uint32_t r = 0; r < UINT32_C(1) << to->register_bits; r++)
        for (uint32_t bit = 0; bit < to->register_bits; bit++)
            if (r >> bit & 1 && !to->basis[bit]) { // register r repeats a lower one
                tile_move(e, out[r], out[r & ~(UINT32_C(1) << bit)]);
                break;
            }
}
