// Data for constructs: elements of each kind, tensors in host and device memory, and their
// comparison.
#include "construct_data.h"

#include "base/array.h"
#include "tile/ir/scalar.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xb5 };

struct construct_now construct_now;

const char *construct_where(void)
{
    static char text[512];

    snprintf(text, sizeof(text), "%s%s%s, %s, %s, %s, %u warps", construct_now.row->name,
             construct_now.dtype ? " of " : "", construct_now.dtype ? construct_now.dtype : "",
             construct_now.sizes ? construct_now.sizes : "",
             construct_now.mode ? construct_now.mode : "",
             construct_now.entry ? construct_now.entry : "", construct_now.warps);
    return text;
}

// Random data that is the same in every run.
static uint64_t state;

void construct_seed(const char *text)
{
    state = UINT64_C(0x9e3779b97f4a7c15);
    for (const char *s = text; *s; s++)
        state = (state ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
}

static uint64_t random64(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t below(uint64_t n)
{
    return (random64() >> 11) % n;
}

// ---- Elements of each kind

static uint64_t any_float(cuc_dtype dtype)
{
    static const double edges[] = { 0.0,     -0.0,   1.0,   -1.0,         INFINITY,      -INFINITY,
                                    NAN,     0.5,    1.5,   2.5,          -2.5,          65504.0,
                                    65520.0, 448.0,  464.0, 57344.0,      6e-8,          1e-40,
                                    1e-300,  1e300,  3e38,  2147483648.0, -2147483649.0, 127.5,
                                    255.5,   -128.5, 1e19,  3.4e38 };
    uint32_t bits = cuc_dtype_bits(dtype);

    switch (below(4)) {
    case 0:
        return tile_element_of_real(dtype, edges[below(CUC_LENGTH(edges))]);
    case 1: // arbitrary bits
        return bits == 64 ? random64() : random64() >> (64 - bits);
    default:
        return tile_element_of_real(
            dtype, ldexp((double)(int64_t)random64() * 0x1p-63, (int)below(24) - 10));
    }
}

static uint64_t any_integer(cuc_dtype dtype)
{
    static const int64_t edges[] = { 0,         1,         -1,        2,
                                     127,       128,       -128,      255,
                                     256,       INT16_MAX, INT16_MIN, INT32_MAX,
                                     INT32_MIN, INT64_MAX, INT64_MIN, UINT32_MAX };

    return tile_element_of_int(dtype, below(3) ? (int64_t)random64() >> below(64)
                                               : edges[below(CUC_LENGTH(edges))]);
}

static uint64_t element_for(char kind, cuc_dtype dtype)
{
    bool integer = tile_is_integer(dtype), is_signed = tile_is_signed(dtype);

    if (dtype == CUC_BOOL)
        return below(2);
    switch (kind) {
    case 'o':
        return 0;
    case 'u':
    case 'w':
        if (integer)
            return tile_element_of_int(dtype, (int64_t)below(9) - (is_signed ? 4 : 0));
        return tile_element_of_real(dtype, (double)below(9) - 4);
    case 's':
        if (integer)
            return tile_element_of_int(dtype, (int64_t)below(200) - (is_signed ? 100 : 0));
        return tile_element_of_real(dtype, (double)(int64_t)random64() * 0x1p-63);
    case 'i':
        if (!below(12))
            return any_integer(dtype);
        return tile_element_of_int(dtype, (int64_t)below(48) - (is_signed ? 6 : 0));
    default:
        return integer ? any_integer(dtype) : any_float(dtype);
    }
}

// Tensors

static void set_strides(cuc_tensor *t, enum mode mode, bool apart)
{
    int64_t step = 1, bytes = cuc_dtype_bits(t->dtype) / 8;

    for (int32_t k = 0; k < t->rank; k++) {
        int32_t axis = mode == TRANSPOSED ? k : t->rank - 1 - k;
        t->strides[axis] = mode == REVERSED ? -step : step;
        step *= t->shape[axis] ? t->shape[axis] : 1;
        if ((mode == PADDED || mode >= OFF_BASE) && axis == t->rank - 1)
            while (step * bytes % 16)
                step++;
        if (mode > OFF_BASE && axis == t->rank - 1) {
            int64_t off = mode == OFF_ROWS ? bytes : mode == OFF_ROWS_4 ? 4 : 8;
            step += (off + bytes - 1) / bytes;
        }
        if (mode == REVERSED && axis == t->rank - 1)
            step += 3;
    }
    if (mode == REPEATED && !apart && t->rank)
        t->strides[0] = 0;
}

static void visit(struct tensor *t, unsigned char *base,
                  void (*each)(struct tensor *t, unsigned char *at, int64_t n))
{
    int64_t at[CUC_TENSOR_MAX_RANK] = { 0 }, n = 0, bytes = cuc_dtype_bits(t->host.dtype) / 8;

    for (int32_t i = 0; i < t->host.rank; i++)
        if (!t->host.shape[i])
            return;
    for (;;) {
        int64_t offset = 0;
        for (int32_t i = 0; i < t->host.rank; i++)
            offset += at[i] * t->host.strides[i];
        each(t, base + offset * bytes, n++);
        int32_t axis = t->host.rank;
        while (axis-- > 0 && ++at[axis] == t->host.shape[axis])
            at[axis] = 0;
        if (axis < 0)
            return;
    }
}

static void fill(struct tensor *t, unsigned char *at, int64_t n)
{
    size_t bytes = cuc_dtype_bits(t->host.dtype) / 8;
    uint64_t element = element_for(t->name[0], t->host.dtype);

    if (t->name[0] == 'o')
        return;
    if (t->name[0] == 'p')
        element = (uint64_t)n;
    memcpy(at, &element, bytes);
}

static unsigned char *origin(const struct tensor *t, unsigned char *bytes)
{
    int64_t low = 0;

    for (int32_t i = 0; i < t->host.rank; i++)
        if (t->host.shape[i] && t->host.strides[i] < 0)
            low += (t->host.shape[i] - 1) * t->host.strides[i];
    return bytes + t->before - low * (int64_t)(cuc_dtype_bits(t->host.dtype) / 8);
}

void construct_make(struct tensor *t, const struct tile_parameter *p, const int64_t *dimension,
                    enum mode mode)
{
    const struct tile_type *type = &p->value->type;
    int64_t reach = 1;
    void *host;

    *t = (struct tensor){ .name = p->name };
    t->host = (cuc_tensor){ .dtype = type->dtype, .rank = type->rank, .device = 0 };
    for (uint32_t axis = 0; axis < type->rank; axis++)
        t->host.shape[axis] = p->extent[axis].kind == TILE_EXTENT_NAMED
                                  ? dimension[p->extent[axis].dimension]
                                  : p->extent[axis].value;
    set_strides(&t->host, mode, strchr("oup", t->name[0]) != NULL);
    for (uint32_t axis = 0; axis < type->rank; axis++)
        if (t->host.shape[axis])
            reach += (t->host.shape[axis] - 1) * llabs(t->host.strides[axis]);
    t->before = mode == OFF_BASE ? 1 : mode == UNALIGNED ? 1 + below(7) : 0;
    t->before *= cuc_dtype_bits(type->dtype) / 8;
    t->size = t->before + (size_t)reach * (cuc_dtype_bits(type->dtype) / 8);
    t->bytes = malloc(t->size);
    t->touched = calloc(1, t->size);
    ck_assert(t->bytes && t->touched);
    memset(t->bytes, POISON, t->size);
    visit(t, origin(t, t->bytes), fill);
    if (t->name[0] == 'p') // all numbers, each once, in random order
        for (int64_t i = reach - 1; i > 0 && type->rank == 1; i--) {
            size_t size = cuc_dtype_bits(type->dtype) / 8, k = below((uint64_t)i + 1);
            unsigned char kept[8], *a = t->bytes + (size_t)i * size, *b = t->bytes + k * size;
            memcpy(kept, a, size);
            memcpy(a, b, size);
            memcpy(b, kept, size);
        }
    ck_ok(cuc_buffer_create(&t->buffer, construct_stream, construct_memory, t->size));
    ck_ok(cuc_stream_synchronize(construct_stream));
    ck_ok(cuc_buffer_get_host_pointer(&host, t->buffer));
    t->image = host;
    memcpy(t->image, t->bytes, t->size);
    t->dev = t->host;
    t->host.data = (uint64_t)(uintptr_t)origin(t, t->bytes);
    t->dev.data = (uint64_t)(uintptr_t)origin(t, t->image);
}

void construct_drop(struct tensor *t)
{
    free(t->bytes);
    free(t->touched);
    cuc_buffer_release(t->buffer);
}

// Comparing

static double last_place(cuc_dtype dtype, double value)
{
    static const struct {
        cuc_dtype dtype;
        int fraction, least;
    } formats[] = {
        { CUC_F16, 10, -14 }, { CUC_BF16, 7, -126 }, { CUC_F32, 23, -126 }, { CUC_F64, 52, -1022 }
    };
    int exponent;

    frexp(value, &exponent);
    for (size_t i = 0; i < 4; i++)
        if (formats[i].dtype == dtype) {
            int e = exponent - 1 < formats[i].least ? formats[i].least : exponent - 1;
            return ldexp(1.0, e - formats[i].fraction);
        }
    return 0;
}

static void compare(struct tensor *t, unsigned char *at, int64_t n)
{
    size_t bytes = cuc_dtype_bits(t->host.dtype) / 8;
    size_t offset = (size_t)(at - t->bytes);
    uint64_t want = 0, got = 0;
    cuc_dtype dtype = t->host.dtype;

    memset(t->touched + offset, 1, bytes);
    memcpy(&want, at, bytes);
    memcpy(&got, t->image + offset, bytes);
    if (want == got)
        return;
    if (!tile_is_integer(dtype) && dtype != CUC_BOOL) {
        double x = tile_element_real(dtype, want), y = tile_element_real(dtype, got);
        double size = fabs(x) > construct_now.row->scale ? fabs(x) : construct_now.row->scale;
        if (x != x && y != y)
            return;
        // The interpreter sums in f64, one element after another. For f64 results it is therefore
        // no more exact than the driver, so the tolerance is larger.
        double ulps = construct_now.row->ulps * (dtype == CUC_F64 ? 16 : 1);
        const char *near = construct_now.near;
        if (near && strncmp(t->name, near, strlen(near)) != 0)
            ulps = 0;
        if (ulps != 0 && isfinite(x) && fabs(x - y) <= ulps * last_place(dtype, size))
            return;
        ck_abort_msg("%s: %s, element %" PRId64 ": the driver has %.17g (0x%" PRIx64
                     "), the interpreter %.17g (0x%" PRIx64 ")\n%s",
                     construct_where(), t->name, n, y, got, x, want, construct_now.row->source);
    }
    ck_abort_msg("%s: %s, element %" PRId64 ": the driver has 0x%" PRIx64
                 ", the interpreter 0x%" PRIx64 "\n%s",
                 construct_where(), t->name, n, got, want, construct_now.row->source);
}

void construct_compare(struct tensor *t)
{
    visit(t, (unsigned char *)(uintptr_t)t->host.data, compare);
    for (size_t i = 0; i < t->size; i++)
        if (!t->touched[i] && t->image[i] != POISON)
            ck_abort_msg("%s: %s: byte %zu, which is no element, was written\n%s",
                         construct_where(), t->name, i, construct_now.row->source);
}
