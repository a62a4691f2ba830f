#include "zstd.h"

#include "bytes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BYTES = 128 << 10, // of a block's content, at most
    MOST_LOG = 9,            // of an FSE table
    MOST_SYMBOLS = 64,       // of an FSE table, rounded up
    HUFFMAN_LOG = 11,
    WEIGHT_LOG = 6,
};

struct fse_entry {
    uint8_t symbol, bits;
    uint16_t base;
};

struct fse {
    unsigned log;
    struct fse_entry entries[1 << MOST_LOG];
};

struct huffman_entry {
    uint8_t symbol, bits;
};

// The codes of one field of a sequence: literal lengths, offsets or match lengths.
enum field { LITERALS, OFFSETS, MATCHES, FIELDS };

struct cuc__zstd {
    struct fse tables[FIELDS];
    bool have[FIELDS]; // for blocks that repeat the previous block's table
    struct huffman_entry huffman[1 << HUFFMAN_LOG];
    unsigned huffman_log; // 0: none yet
    size_t literal_count;
    uint8_t literals[BLOCK_BYTES];
};

struct cuc__zstd *cuc__zstd_new(void)
{
    return malloc(sizeof(struct cuc__zstd));
}

static unsigned highest_bit(uint64_t value) // not of 0
{
    return 63 - (unsigned)__builtin_clzll(value);
}

// Bits. Both readers return zeros beyond their data and keep count, so that the caller checks once.

// Up to 32 bits from bit `at` on; zeros past the end.
static uint64_t bits_at(const uint8_t *data, size_t bytes, uint64_t at, unsigned count)
{
    size_t first = (size_t)(at >> 3), n = first < bytes ? bytes - first : 0;

    if (!n)
        return 0;
    return cuc__read_le(data, first, n < 8 ? n : 8) >> (at & 7) & ((UINT64_C(1) << count) - 1);
}

struct forward {
    const uint8_t *data;
    size_t bytes;
    uint64_t at; // in bits
};

static unsigned read_forward(struct forward *f, unsigned count)
{
    unsigned value = (unsigned)bits_at(f->data, f->bytes, f->at, count);

    f->at += count;
    return value;
}

// Streams that are read from their end. `left` falls below zero once more was read than is there.
struct backward {
    const uint8_t *data;
    size_t bytes;
    int64_t left; // in bits
};

static bool open_backward(struct backward *b, const uint8_t *data, size_t bytes)
{
    if (!bytes || !data[bytes - 1])
        return false;
    *b =
        (struct backward){ data, bytes, (int64_t)(8 * (bytes - 1) + highest_bit(data[bytes - 1])) };
    return true;
}

static uint64_t peek_backward(const struct backward *b, unsigned count)
{
    int64_t from = b->left - count;

    if (from >= 0)
        return bits_at(b->data, b->bytes, (uint64_t)from, count);
    return b->left > 0 ? bits_at(b->data, b->bytes, 0, (unsigned)b->left) << -from : 0;
}

static uint64_t read_backward(struct backward *b, unsigned count)
{
    uint64_t value = peek_backward(b, count);

    b->left -= count;
    return value;
}

// FSE tables.

static bool build_fse(struct fse *t, unsigned log, const int16_t *probabilities, unsigned symbols)
{
    unsigned size = 1u << log, high = size, mask = size - 1, at = 0;
    unsigned step = (size >> 1) + (size >> 3) + 3;
    uint16_t next[MOST_SYMBOLS];

    t->log = log;
    for (unsigned s = 0; s < symbols; s++) {
        next[s] = 1;
        if (probabilities[s] < 0) // less than one: at the end, and never more than one
            t->entries[--high].symbol = (uint8_t)s;
        else
            next[s] = (uint16_t)probabilities[s];
    }
    for (unsigned s = 0; s < symbols; s++) {
        for (int i = 0; i < probabilities[s]; i++) {
            t->entries[at].symbol = (uint8_t)s;
            do
                at = (at + step) & mask;
            while (at >= high);
        }
    }
    if (at)
        return false;
    for (unsigned i = 0; i < size; i++) {
        struct fse_entry *e = &t->entries[i];
        unsigned n = next[e->symbol]++;
        e->bits = (uint8_t)(log - highest_bit(n));
        e->base = (uint16_t)((n << e->bits) - size);
    }
    return true;
}

// Reads a table's description. Returns its length in bytes, 0 when it is damaged.
static size_t read_fse(struct fse *t, const uint8_t *in, size_t bytes, unsigned most_log,
                       unsigned most_symbols)
{
    struct forward f = { in, bytes, 0 };
    int16_t probabilities[MOST_SYMBOLS];
    unsigned log = read_forward(&f, 4) + 5, symbols = 0;
    int left = 1 << log;

    if (log > most_log)
        return 0;
    while (left > 0) {
        if (symbols == most_symbols || f.at > 8 * (uint64_t)bytes)
            return 0;
        // Values below `spare` take one bit less than the others.
        unsigned bits = highest_bit((unsigned)left + 1) + 1, low = (1u << (bits - 1)) - 1;
        unsigned spare = (1u << bits) - 2 - (unsigned)left, value = read_forward(&f, bits);
        if ((value & low) < spare) {
            value &= low;
            f.at--;
        } else if (value > low) {
            value -= spare;
        }
        int probability = (int)value - 1;
        left -= probability < 0 ? 1 : probability;
        probabilities[symbols++] = (int16_t)probability;
        for (unsigned zeros = 3; !probability && zeros == 3;) {
            zeros = read_forward(&f, 2);
            if (zeros > most_symbols - symbols || f.at > 8 * (uint64_t)bytes)
                return 0;
            for (unsigned i = 0; i < zeros; i++)
                probabilities[symbols++] = 0;
        }
    }
    size_t length = (size_t)((f.at + 7) / 8);
    return !left && length <= bytes && build_fse(t, log, probabilities, symbols) ? length : 0;
}

static void step_fse(const struct fse *t, unsigned *state, struct backward *b)
{
    const struct fse_entry *e = &t->entries[*state];

    *state = e->base + (unsigned)read_backward(b, e->bits);
}

// Literals.

// Weights packed by FSE: two states take turns until the bits are used up.
static unsigned unpack_weights(uint8_t *weights, unsigned most, const uint8_t *in, size_t bytes)
{
    struct fse table;
    struct backward b;
    size_t header = read_fse(&table, in, bytes, WEIGHT_LOG, HUFFMAN_LOG + 1);
    unsigned n = 0;

    if (!header || !open_backward(&b, in + header, bytes - header))
        return 0;
    unsigned state[2];
    state[0] = (unsigned)read_backward(&b, table.log);
    state[1] = (unsigned)read_backward(&b, table.log);
    if (b.left < 0)
        return 0;
    for (unsigned turn = 0;; turn ^= 1) {
        if (n + 2 > most)
            return 0;
        weights[n++] = table.entries[state[turn]].symbol;
        step_fse(&table, &state[turn], &b);
        if (b.left < 0) {
            weights[n++] = table.entries[state[turn ^ 1]].symbol;
            return n;
        }
    }
}

// The last symbol's weight is not written: it makes the sum a power of two.
static bool build_huffman(struct cuc__zstd *z, uint8_t *weights, unsigned count)
{
    unsigned sum = 0, at = 0;

    for (unsigned i = 0; i < count; i++) {
        if (weights[i] > HUFFMAN_LOG)
            return false;
        sum += (1u << weights[i]) >> 1;
    }
    if (!sum)
        return false;
    unsigned log = highest_bit(sum) + 1;
    unsigned rest = (1u << log) - sum;
    if (log > HUFFMAN_LOG || rest & (rest - 1))
        return false;
    weights[count++] = (uint8_t)(highest_bit(rest) + 1);
    for (unsigned weight = 1; weight <= log; weight++)
        for (unsigned s = 0; s < count; s++)
            for (unsigned i = 0; weights[s] == weight && i < 1u << (weight - 1); i++)
                z->huffman[at++] =
                    (struct huffman_entry){ (uint8_t)s, (uint8_t)(log + 1 - weight) };
    z->huffman_log = log;
    return true;
}

// Returns the length of the tree's description, 0 when it is damaged.
static size_t read_huffman(struct cuc__zstd *z, const uint8_t *in, size_t bytes)
{
    enum { DIRECT = 128 };
    uint8_t weights[256];

    if (!bytes)
        return 0;
    unsigned head = in[0], count = head < DIRECT ? 0 : head - DIRECT + 1;
    size_t length = 1 + (head < DIRECT ? head : (count + 1) / 2);
    if (length > bytes)
        return 0;
    for (unsigned i = 0; i < count; i++)
        weights[i] = i & 1 ? in[1 + i / 2] & 15 : in[1 + i / 2] >> 4;
    if (head < DIRECT)
        count = unpack_weights(weights, sizeof(weights) - 1, in + 1, head);
    return count && build_huffman(z, weights, count) ? length : 0;
}

static bool read_stream(const struct cuc__zstd *z, uint8_t *out, size_t count, const uint8_t *in,
                        size_t bytes)
{
    struct backward b;

    if (!open_backward(&b, in, bytes))
        return false;
    for (size_t i = 0; i < count && b.left >= 0; i++) {
        const struct huffman_entry *e = &z->huffman[peek_backward(&b, z->huffman_log)];
        out[i] = e->symbol;
        b.left -= e->bits;
    }
    return b.left == 0;
}

static bool read_streams(struct cuc__zstd *z, bool four, const uint8_t *in, size_t bytes)
{
    enum { JUMP_BYTES = 6 };
    size_t quarter = (z->literal_count + 3) / 4, at = JUMP_BYTES;

    if (!four)
        return read_stream(z, z->literals, z->literal_count, in, bytes);
    if (bytes < JUMP_BYTES || 3 * quarter > z->literal_count)
        return false;
    for (unsigned i = 0; i < 4; i++) {
        size_t n = i < 3 ? (size_t)cuc__read_le(in, 2 * (size_t)i, 2) : bytes - at;
        if (n > bytes - at ||
            !read_stream(z, z->literals + i * quarter,
                         i < 3 ? quarter : z->literal_count - 3 * quarter, in + at, n))
            return false;
        at += n;
    }
    return true;
}

// Fills `literals`. Returns the length of their section, 0 when it is damaged.
static size_t read_literals(struct cuc__zstd *z, const uint8_t *in, size_t bytes)
{
    enum { RAW, RLE, PACKED, PACKED_SAME_TREE };
    static const struct {
        uint8_t header, bits;
    } plain[4] = { { 1, 5 }, { 2, 12 }, { 1, 5 }, { 3, 20 } },
      packed[4] = { { 3, 10 }, { 3, 10 }, { 4, 14 }, { 5, 18 } };

    if (!bytes)
        return 0;
    unsigned kind = in[0] & 3, format = in[0] >> 2 & 3;
    size_t header = kind < PACKED ? plain[format].header : packed[format].header;
    if (header > bytes)
        return 0;
    uint64_t value = cuc__read_le(in, 0, header);
    if (kind < PACKED) {
        z->literal_count = (size_t)(value >> (format & 1 ? 4 : 3));
        size_t length = kind == RAW ? z->literal_count : 1;
        if (z->literal_count > BLOCK_BYTES || length > bytes - header)
            return 0;
        if (kind == RAW)
            memcpy(z->literals, in + header, length);
        else
            memset(z->literals, in[header], z->literal_count);
        return header + length;
    }
    unsigned bits = packed[format].bits;
    size_t length = (size_t)(value >> (4 + bits)), tree = 0;
    z->literal_count = (size_t)(value >> 4 & ((1u << bits) - 1));
    if (z->literal_count > BLOCK_BYTES || length > bytes - header)
        return 0;
    if (kind == PACKED && !(tree = read_huffman(z, in + header, length)))
        return 0;
    if (!z->huffman_log || !read_streams(z, format != 0, in + header + tree, length - tree))
        return 0;
    return header + length;
}

// Sequences: so many literals, then a copy of so many bytes from so far back.

static const struct {
    unsigned most_log, symbols;
    unsigned default_log, default_symbols;
    int16_t defaults[53];
} fields[FIELDS] = {
    [LITERALS] = { 9, 36, 6, 36, { 4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
                                   2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1 } },
    [OFFSETS] = { 8, 32, 5, 29, { 1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                  1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1 } },
    [MATCHES] = { 9, 53, 6, 53, { 1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1 } },
};

// Bits behind the codes of lengths; the value of a code is the sum of the ranges before it.
static const uint8_t literal_bits[36] = { [16] = 1, 1, 1, 1,  2,  2,  3,  3,  4,  6,
                                          7,        8, 9, 10, 11, 12, 13, 14, 15, 16 };
static const uint8_t match_bits[53] = { [32] = 1, 1, 1, 1,  2,  2,  3,  3,  4,  4, 5,
                                        7,        8, 9, 10, 11, 12, 13, 14, 15, 16 };

static size_t length_of(const uint8_t *extra, unsigned code, size_t first, struct backward *b)
{
    size_t value = first;

    for (unsigned i = 0; i < code; i++)
        value += (size_t)1 << extra[i];
    return value + (size_t)read_backward(b, extra[code]);
}

// One table of a block's sequences. Advances *at; false when it is damaged.
static bool read_table(struct cuc__zstd *z, enum field field, unsigned mode, const uint8_t *in,
                       size_t bytes, size_t *at)
{
    enum { DEFAULT, RLE, PACKED, SAME };
    struct fse *t = &z->tables[field];
    bool had = z->have[field];
    size_t length;

    z->have[field] = true;
    switch (mode) {
    case DEFAULT:
        return build_fse(t, fields[field].default_log, fields[field].defaults,
                         fields[field].default_symbols);
    case RLE:
        if (*at == bytes || in[*at] >= fields[field].symbols)
            return false;
        t->log = 0;
        t->entries[0] = (struct fse_entry){ .symbol = in[(*at)++] };
        return true;
    case PACKED:
        length = read_fse(t, in + *at, bytes - *at, fields[field].most_log, fields[field].symbols);
        *at += length;
        return length != 0;
    default:
        return had;
    }
}

// An offset is one of the last three, or new; below, `value` counts those three first.
static size_t offset_of(size_t last[3], uint64_t value, bool after_literals)
{
    size_t offset;

    if (value > 3) {
        offset = (size_t)(value - 3);
        value = 3;
    } else {
        value -= after_literals;
        offset = value < 3 ? last[value] : last[0] - 1;
    }
    if (value > 1)
        last[2] = last[1];
    if (value > 0)
        last[1] = last[0];
    last[0] = offset;
    return offset;
}

struct output {
    uint8_t *at;
    size_t used, bytes;
    size_t last[3]; // offsets
};

static bool put(struct output *out, const uint8_t *from, size_t bytes)
{
    if (bytes > out->bytes - out->used)
        return false;
    memcpy(out->at + out->used, from, bytes);
    out->used += bytes;
    return true;
}

static bool repeat(struct output *out, size_t offset, size_t bytes)
{
    if (!offset || offset > out->used || bytes > out->bytes - out->used)
        return false;
    for (; bytes; bytes--, out->used++)
        out->at[out->used] = out->at[out->used - offset];
    return true;
}

static bool run_sequences(struct cuc__zstd *z, struct output *out, unsigned count,
                          const uint8_t *in, size_t bytes)
{
    const struct fse *t = z->tables;
    unsigned state[FIELDS];
    struct backward b;
    size_t literal = 0;

    if (!open_backward(&b, in, bytes))
        return false;
    for (int i = 0; i < FIELDS; i++)
        state[i] = (unsigned)read_backward(&b, t[i].log);
    for (unsigned n = 0; n < count; n++) {
        unsigned code = t[OFFSETS].entries[state[OFFSETS]].symbol;
        uint64_t value = (UINT64_C(1) << code) + read_backward(&b, code);
        size_t match = length_of(match_bits, t[MATCHES].entries[state[MATCHES]].symbol, 3, &b);
        size_t literals =
            length_of(literal_bits, t[LITERALS].entries[state[LITERALS]].symbol, 0, &b);
        if (n + 1 < count) {
            step_fse(&t[LITERALS], &state[LITERALS], &b);
            step_fse(&t[MATCHES], &state[MATCHES], &b);
            step_fse(&t[OFFSETS], &state[OFFSETS], &b);
        }
        if (b.left < 0 || literals > z->literal_count - literal ||
            !put(out, z->literals + literal, literals) ||
            !repeat(out, offset_of(out->last, value, literals != 0), match))
            return false;
        literal += literals;
    }
    return b.left == 0 && put(out, z->literals + literal, z->literal_count - literal);
}

static bool read_block(struct cuc__zstd *z, struct output *out, const uint8_t *in, size_t bytes)
{
    size_t at = read_literals(z, in, bytes);

    if (!at || at == bytes)
        return false;
    unsigned count = in[at++];
    if (count == 255) {
        if (bytes - at < 2)
            return false;
        count = (unsigned)cuc__read_le(in, at, 2) + 0x7f00;
        at += 2;
    } else if (count >= 128) {
        if (at == bytes)
            return false;
        count = (count - 128) << 8 | in[at++];
    }
    if (!count)
        return at == bytes && put(out, z->literals, z->literal_count);
    if (at == bytes || in[at] & 3)
        return false;
    unsigned modes = in[at++];
    for (int i = 0; i < FIELDS; i++)
        if (!read_table(z, (enum field)i, modes >> (6 - 2 * i) & 3, in, bytes, &at))
            return false;
    return run_sequences(z, out, count, in + at, bytes - at);
}

// Returns the length of a frame's header, 0 for none that can be read. The sizes that it names are
// the caller's to know.
static size_t read_header(const uint8_t *in, size_t bytes)
{
    enum { MAGIC_BYTES = 4, RESERVED = 8, DICTIONARY = 3, SINGLE_SEGMENT = 32 };

    if (bytes <= MAGIC_BYTES || cuc__read_le(in, 0, MAGIC_BYTES) != 0xfd2fb528)
        return 0;
    unsigned head = in[MAGIC_BYTES], size = head >> 6;
    if (head & (RESERVED | DICTIONARY))
        return 0;
    size_t window = head & SINGLE_SEGMENT ? 0 : 1;
    size_t content = size ? (size_t)1 << size : head & SINGLE_SEGMENT ? 1 : 0;
    size_t length = MAGIC_BYTES + 1 + window + content;
    return length <= bytes ? length : 0;
}

bool cuc__zstd_decode(struct cuc__zstd *z, void *to, size_t out_bytes, const void *from,
                      size_t in_bytes)
{
    enum { BLOCK_HEADER = 3, RAW = 0, RLE, PACKED };
    struct output out = { to, 0, out_bytes, { 1, 4, 8 } };
    const uint8_t *in = from;
    size_t at = read_header(in, in_bytes);

    memset(z->have, 0, sizeof(z->have));
    z->huffman_log = 0;
    for (bool last = !at; !last;) {
        if (in_bytes - at < BLOCK_HEADER)
            return false;
        unsigned head = (unsigned)cuc__read_le(in, at, BLOCK_HEADER), kind = head >> 1 & 3;
        size_t bytes = head >> 3, length = kind == RLE ? 1 : bytes;
        at += BLOCK_HEADER;
        last = head & 1;
        if (bytes > BLOCK_BYTES || length > in_bytes - at)
            return false;
        bool good = false;
        if (kind == RAW)
            good = put(&out, in + at, bytes);
        else if (kind == RLE)
            good = !bytes || (put(&out, in + at, 1) && repeat(&out, 1, bytes - 1));
        else if (kind == PACKED)
            good = read_block(z, &out, in + at, bytes);
        if (!good)
            return false;
        at += length;
    }
    return at && out.used == out_bytes;
}
