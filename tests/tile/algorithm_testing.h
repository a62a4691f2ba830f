// Arrays on the device with a copy on the host, for tests of <cucore/algorithm.h>.
#ifndef CUCORE_TESTS_TILE_ALGORITHM_TESTING_H
#define CUCORE_TESTS_TILE_ALGORITHM_TESTING_H

#include "slice.h"
#include "testing.h"
#include "tile/ir/scalar.h"

#include <math.h>

static cuc_device *device;
static cuc_stream *stream;
static struct slice slice = { 0, 1 };

static inline void setup(void)
{
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
}

static inline void teardown(void)
{
    cuc_stream_release(stream);
}

// ---- Arrays

enum { GUARD = 64, POISON = 0xee };

struct array {
    cuc_tensor t;
    cuc_buffer *buffer;
    unsigned char *bytes; // the host's copy
    size_t size;
};

static uint64_t seed = 1;

static inline uint64_t below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

static inline unsigned char *at(const struct array *a, int64_t i)
{
    return a->bytes + (GUARD + i * a->t.strides[0]) * (int64_t)(cuc_dtype_bits(a->t.dtype) / 8);
}

static inline void set(const struct array *a, int64_t i, double value)
{
    uint64_t bits = tile_is_integer(a->t.dtype) || a->t.dtype == CUC_BOOL
                        ? tile_element_of_int(a->t.dtype, (int64_t)value)
                        : tile_element_of_real(a->t.dtype, value);

    memcpy(at(a, i), &bits, cuc_dtype_bits(a->t.dtype) / 8);
}

static inline double get(const struct array *a, int64_t i)
{
    uint64_t bits = 0;
    uint32_t width = cuc_dtype_bits(a->t.dtype);

    memcpy(&bits, at(a, i), width / 8);
    if (tile_is_signed(a->t.dtype) && width < 64 && bits >> (width - 1))
        bits |= UINT64_MAX << width;
    return tile_is_signed(a->t.dtype) ? (double)(int64_t)bits : tile_element_real(a->t.dtype, bits);
}

static inline void make(struct array *a, cuc_dtype dtype, int64_t count, int64_t stride)
{
    size_t bytes = cuc_dtype_bits(dtype) / 8;

    *a = (struct array){
        .t = { .dtype = dtype, .rank = 1, .shape = { count }, .strides = { stride } }
    };
    a->size = (size_t)(2 * GUARD + count * stride) * bytes;
    a->bytes = malloc(a->size);
    memset(a->bytes, POISON, a->size);
    ck_ok(cuc_buffer_create(&a->buffer, stream, NULL, a->size));
    a->t.data = cuc_buffer_ptr(a->buffer) + GUARD * bytes;
}

static inline void send(const struct array *a)
{
    ck_ok(cuc_buffer_write_async(stream, a->buffer, 0, a->bytes, a->size));
}

static inline void drop(struct array *a)
{
    cuc_buffer_release(a->buffer);
    free(a->bytes);
}

// Reads an output, and checks that only its first `count` elements have changed.
static inline void receive(const struct array *a, int64_t count)
{
    unsigned char *before = malloc(a->size);
    size_t bytes = cuc_dtype_bits(a->t.dtype) / 8;

    memcpy(before, a->bytes, a->size);
    ck_ok(cuc_buffer_read_async(stream, a->bytes, a->buffer, 0, a->size));
    ck_ok(cuc_stream_synchronize(stream));
    for (int64_t i = 0; i < count; i++)
        memcpy(before + (at(a, i) - a->bytes), at(a, i), bytes);
    ck_assert_msg(memcmp(before, a->bytes, a->size) == 0, "bytes around an output were written");
    free(before);
}

static inline uint32_t length_of(const char *const *list)
{
    uint32_t count = 0;

    while (list[count])
        count++;
    return count;
}

static inline void check_value(const struct array *out, int64_t i, double expected, int64_t n)
{
    double got = get(out, i);

    ck_assert_msg(
        got == expected || (expected == 0x1p63 && got == -0x1p63) || fabs(expected) > 0x1p52,
        "element %lld of %lld: got %g, expected %g", (long long)i, (long long)n, got, expected);
}

static const int64_t lengths[] = { 0, 1, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000, 20011 };

#endif
