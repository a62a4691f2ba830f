// Computes the position of each coordinate in shared memory, as a basis over GF(2).
//
// The basis has three parts: bits within a vector, bits that select a vector in a line of 128
// bytes, and bits that select a line. A line covers all banks once. Vector bits are single
// coordinate bits that occur nowhere else in the basis, so vectors are aligned.
//
// Take the space spanned by the lane bits of one memory pass, without the bits inside a vector. An
// access has no bank conflicts if this space is no larger than a line and meets the space of line
// bits only in zero. One set of line bits always suits both the writes and the reads: pair each
// vector found only in the write space with a vector found only in the read space. The XOR of each
// pair is a line bit, and so is every bit in neither space.
#include "swizzle.h"

enum { VECTOR_BYTES = 16, WORD_BYTES = 4, LINE_BYTES = 128 };

// A vector space over GF(2), indexed by each vector's highest bit.
struct space {
    uint32_t pivot[TILE_MAX_COORDINATE_BITS];
};

// Adds a vector to a space. Returns false if the space already contains it.
static bool widen(struct space *s, uint32_t vector)
{
    while (vector) {
        uint32_t top = 31 - (uint32_t)__builtin_clz(vector);
        if (!s->pivot[top]) {
            s->pivot[top] = vector;
            return true;
        }
        vector ^= s->pivot[top];
    }
    return false;
}

struct list {
    uint32_t count, of[2 * TILE_MAX_COORDINATE_BITS];
};

static void add_new(struct list *list, struct space *space, uint32_t vector)
{
    if (widen(space, vector))
        list->of[list->count++] = vector;
}

static uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

static uint32_t register_bit(const struct tile_layout *layout, uint32_t basis)
{
    for (uint32_t i = 0; i < layout->register_bits; i++)
        if (layout->basis[i] == basis)
            return i;
    return TILE_MAX_HARDWARE_BITS;
}

// Returns true if elements that differ in this coordinate bit can share a vector: exactly one
// hardware bit flips it, and that is a register bit.
static bool fits_vector(const struct tile_layout *layout, uint32_t basis)
{
    uint32_t times = 0;

    for (uint32_t i = 0; i < tile_hardware_bits(layout); i++)
        times += (layout->basis[i] & basis) != 0;
    return !(basis & (basis - 1)) && times == 1 &&
           register_bit(layout, basis) != TILE_MAX_HARDWARE_BITS;
}

// Returns the number of leading basis vectors that are register bits of a layout.
static uint32_t vector_bits(const struct tile_layout *layout, const struct list *basis)
{
    uint32_t bits = 0;

    while (bits < basis->count && fits_vector(layout, basis->of[bits]))
        bits++;
    return bits;
}

static uint32_t mask_of(const struct list *basis)
{
    uint32_t mask = 0;

    for (uint32_t i = 0; i < basis->count; i++)
        mask |= basis->of[i];
    return mask;
}

// Returns the coordinate bits that the lanes of one memory pass flip, without the bits inside a
// vector. One pass serves all lanes, half of them or a quarter.
static struct list served_at_once(const struct tile_layout *layout, const struct list *basis,
                                  uint32_t element_bytes)
{
    struct list list = { 0 };
    struct space space = { { 0 } };
    uint32_t lanes = TILE_LANE_BITS, mask = mask_of(basis);

    for (uint32_t bytes = element_bytes << vector_bits(layout, basis); bytes > WORD_BYTES;
         bytes /= 2)
        lanes--;
    for (uint32_t i = 0; i < lanes; i++)
        add_new(&list, &space, layout->basis[layout->register_bits + i] & ~mask);
    return list;
}

// Returns the vectors of `x` that are independent of all of `y`. Sets `both` to the span of x and
// y.
static struct list beyond(const struct list *x, const struct list *y, struct space *both)
{
    struct list list = { 0 };

    *both = (struct space){ { 0 } };
    for (uint32_t i = 0; i < y->count; i++)
        widen(both, y->of[i]);
    for (uint32_t i = 0; i < x->count; i++)
        add_new(&list, both, x->of[i]);
    return list;
}

static void invert(struct tile_swizzle *s)
{
    uint32_t row[TILE_MAX_COORDINATE_BITS], made[TILE_MAX_COORDINATE_BITS];

    // row[i] is the sum of the coordinate vectors in made[i]. Gaussian elimination reduces each row
    // to a single bit.
    for (uint32_t i = 0; i < s->bits; i++) {
        row[i] = s->coordinate[i];
        made[i] = UINT32_C(1) << i;
    }
    for (uint32_t bit = 0; bit < s->bits; bit++) {
        uint32_t at = bit;
        while (!(row[at] >> bit & 1))
            at++;
        uint32_t r = row[at], m = made[at];
        row[at] = row[bit];
        made[at] = made[bit];
        row[bit] = r;
        made[bit] = m;
        for (uint32_t i = 0; i < s->bits; i++)
            if (i != bit && row[i] >> bit & 1) {
                row[i] ^= r;
                made[i] ^= m;
            }
    }
    for (uint32_t bit = 0; bit < s->bits; bit++)
        s->place[bit] = made[bit];
}

static bool is_low_lane(const struct tile_layout *layout, uint32_t basis)
{
    for (uint32_t i = 0; i < TILE_LANE_BITS; i++)
        if (layout->basis[layout->register_bits + i] == basis)
            return true;
    return false;
}

static bool has(const struct list *list, uint32_t vector)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->of[i] == vector)
            return true;
    return false;
}

// Chooses the bits of a vector: first bits that are register bits in both layouts, then register
// bits of `first`, starting with those that are lane bits of `second`. Adds lane bits only to fill
// a word.
static struct list vector_of(const struct tile_layout *first, const struct tile_layout *second,
                             uint32_t bits, uint32_t word)
{
    struct list basis = { 0 };

    for (uint32_t attempt = 0; attempt < 3; attempt++)
        for (uint32_t i = 0; i < first->register_bits && basis.count < bits; i++) {
            uint32_t one = first->basis[i];
            if (fits_vector(first, one) && !has(&basis, one) &&
                (attempt == 2 || (attempt ? is_low_lane(second, one) : fits_vector(second, one))))
                basis.of[basis.count++] = one;
        }
    for (uint32_t i = 0; i < TILE_LANE_BITS && basis.count < word; i++) {
        uint32_t one = first->basis[first->register_bits + i];
        if (one && !(one & (one - 1)) && !has(&basis, one))
            basis.of[basis.count++] = one;
    }
    return basis;
}

// Returns the cost of moving all registers of a layout, in instructions plus shared-memory passes.
static uint64_t cost_of(const struct tile_layout *layout, const struct list *basis,
                        uint32_t element_bytes)
{
    uint32_t vector = vector_bits(layout, basis), line = log2_of(LINE_BYTES / element_bytes);
    uint32_t served = served_at_once(layout, basis, element_bytes).count + basis->count;
    uint64_t bytes = (uint64_t)element_bytes << vector;
    uint64_t passes = bytes > WORD_BYTES ? bytes / WORD_BYTES : 1;

    if (served > line)
        passes <<= served - line;
    return (1 + passes) << (layout->register_bits - vector);
}

static struct list choose_vector(const struct tile_layout *from, const struct tile_layout *to,
                                 uint32_t element_bytes)
{
    uint32_t most = log2_of(VECTOR_BYTES / element_bytes);
    uint32_t word = element_bytes < WORD_BYTES ? log2_of(WORD_BYTES / element_bytes) : 0;
    struct list best = { 0 };
    uint64_t least = UINT64_MAX;

    for (uint32_t bits = most + 1; bits-- > 0;)
        for (uint32_t n = 0; n < 2; n++) {
            struct list basis = vector_of(n ? to : from, n ? from : to, bits, word);
            uint64_t cost = cost_of(from, &basis, element_bytes) +
                            cost_of(to, &basis, element_bytes);
            if (cost < least) {
                least = cost;
                best = basis;
            }
        }
    return best;
}

void tile_swizzle_choose(struct tile_swizzle *swizzle, const struct tile_layout *from,
                         const struct tile_layout *to, uint32_t element_bytes)
{
    uint32_t bits = from->coordinate_bits, line = log2_of(LINE_BYTES / element_bytes);
    struct list basis = choose_vector(from, to, element_bytes);
    uint32_t rest = ~mask_of(&basis);

    *swizzle = (struct tile_swizzle){ .bits = bits,
                                      .write_bits = vector_bits(from, &basis),
                                      .read_bits = vector_bits(to, &basis) };
    struct list writes = served_at_once(from, &basis, element_bytes);
    struct list reads = served_at_once(to, &basis, element_bytes);
    struct space both, taken = { { 0 } };
    struct list written = beyond(&writes, &reads, &both), read = beyond(&reads, &writes, &both);

    // Line bits: first vectors in neither the write nor the read space, then XORs of a write vector
    // and a read vector.
    struct list lines = { 0 };
    uint32_t wanted = bits > line ? bits - line : 0;
    for (uint32_t i = 0; i < bits && lines.count < wanted; i++)
        add_new(&lines, &both, UINT32_C(1) << (bits - 1 - i) & rest);
    for (uint32_t i = 0; i < written.count && i < read.count && lines.count < wanted; i++)
        lines.of[lines.count++] = written.of[i] ^ read.of[i];
    for (uint32_t i = 0; i < basis.count; i++)
        widen(&taken, basis.of[i]);
    for (uint32_t i = 0; i < lines.count; i++)
        widen(&taken, lines.of[i]);
    // Fill up the line with the remaining bits, starting with the lane bits of reads.
    for (uint32_t i = 0; i < reads.count; i++)
        add_new(&basis, &taken, reads.of[i]);
    for (uint32_t i = 0; i < writes.count; i++)
        add_new(&basis, &taken, writes.of[i]);
    for (uint32_t i = 0; i < bits; i++)
        add_new(&basis, &taken, UINT32_C(1) << i & rest);
    for (uint32_t i = 0; i < bits; i++)
        swizzle->coordinate[i] = i < basis.count ? basis.of[i] : lines.of[i - basis.count];
    invert(swizzle);
}

uint32_t tile_swizzle_place(const struct tile_swizzle *swizzle, uint32_t coordinate)
{
    uint32_t place = 0;

    for (; coordinate; coordinate &= coordinate - 1)
        place ^= swizzle->place[__builtin_ctz(coordinate)];
    return place;
}

uint32_t tile_swizzle_vector(const struct tile_swizzle *swizzle, const struct tile_layout *layout,
                             uint32_t vector_bits_of_it, uint32_t *index)
{
    uint32_t all = 0;

    index[0] = 0;
    for (uint32_t bit = 0; bit < vector_bits_of_it; bit++) {
        uint32_t own = UINT32_C(1) << register_bit(layout, swizzle->coordinate[bit]);
        for (uint32_t k = 0; k < UINT32_C(1) << bit; k++)
            index[k | UINT32_C(1) << bit] = index[k] | own;
        all |= own;
    }
    return all;
}
