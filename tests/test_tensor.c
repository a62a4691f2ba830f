#include <cucore/tensor.h>

#include "base/array.h"
#include "device_test.h"

// DLPack's structs are a shared standard, so their layout must never change.
_Static_assert(sizeof(cuc_tensor) == 24 + 128, "cuc_tensor");
_Static_assert(offsetof(cuc_tensor, dtype) == 8 && offsetof(cuc_tensor, rank) == 12 &&
                   offsetof(cuc_tensor, device) == 16 && offsetof(cuc_tensor, flags) == 20 &&
                   offsetof(cuc_tensor, shape) == 24 && offsetof(cuc_tensor, strides) == 88,
               "cuc_tensor");
_Static_assert(sizeof(cuc_dl_tensor) == 48 && offsetof(cuc_dl_tensor, device) == 8 &&
                   offsetof(cuc_dl_tensor, ndim) == 16 && offsetof(cuc_dl_tensor, dtype) == 20 &&
                   offsetof(cuc_dl_tensor, shape) == 24 && offsetof(cuc_dl_tensor, strides) == 32 &&
                   offsetof(cuc_dl_tensor, byte_offset) == 40,
               "DLTensor");
_Static_assert(sizeof(cuc_dl_managed_tensor) == 64 &&
                   offsetof(cuc_dl_managed_tensor, manager_ctx) == 48 &&
                   offsetof(cuc_dl_managed_tensor, deleter) == 56,
               "DLManagedTensor");
_Static_assert(sizeof(cuc_dl_managed_tensor_versioned) == 80 &&
                   offsetof(cuc_dl_managed_tensor_versioned, manager_ctx) == 8 &&
                   offsetof(cuc_dl_managed_tensor_versioned, deleter) == 16 &&
                   offsetof(cuc_dl_managed_tensor_versioned, flags) == 24 &&
                   offsetof(cuc_dl_managed_tensor_versioned, dl_tensor) == 32,
               "DLManagedTensorVersioned");

static cuc_tensor untouched;

static void setup(void)
{
    memset(&untouched, 0x5a, sizeof(untouched));
}

static int is_untouched(const cuc_tensor *t)
{
    return memcmp(t, &untouched, sizeof(*t)) == 0;
}

// ---- Contiguous tensors

static const struct contiguous {
    int32_t rank;
    int64_t shape[8], strides[8], elements;
} contiguous[] = {
    { 0, { 0 }, { 0 }, 1 },
    { 1, { 5 }, { 1 }, 5 },
    { 1, { 0 }, { 1 }, 0 },
    { 2, { 3, 4 }, { 4, 1 }, 12 },
    { 3, { 2, 1, 7 }, { 7, 7, 1 }, 14 },
    { 3, { 2, 0, 7 }, { 7, 7, 1 }, 0 },
    { 8, { 2, 2, 2, 2, 2, 2, 2, 2 }, { 128, 64, 32, 16, 8, 4, 2, 1 }, 256 },
    { 2, { 0, INT64_MAX }, { INT64_MAX, 1 }, 0 },
    { 3, { INT64_MAX, INT64_MAX, 0 }, { INT64_MAX, 1, 1 }, 0 },
    { 4, { 5, INT64_MAX, INT64_MAX, 0 }, { INT64_MAX, INT64_MAX, 1, 1 }, 0 },
};

CASE("no driver", .setup = setup);

TEST_ROWS(a_contiguous_tensor_has_its_last_dimension_fastest, contiguous)
{
    const struct contiguous *row = &contiguous[_i];
    cuc_tensor t = untouched;

    ck_ok(cuc_tensor_from_pointer(&t, 4096, CUC_F32, row->rank, row->rank ? row->shape : NULL, 3));
    ck_assert_uint_eq(t.data, 4096);
    ck_assert_int_eq(t.dtype, CUC_F32);
    ck_assert_int_eq(t.rank, row->rank);
    ck_assert_int_eq(t.device, 3);
    ck_assert_uint_eq(t.flags, 0);
    ck_assert_mem_eq(t.shape, row->shape, sizeof(t.shape));
    ck_assert_mem_eq(t.strides, row->strides, sizeof(t.strides));
    ck_assert_int_eq(cuc_tensor_elements(&t), row->elements);
    ck_assert_uint_eq(cuc_tensor_bytes(&t), 4 * (uint64_t)row->elements);
    ck_assert_int_eq(cuc_tensor_is_contiguous(&t), 1);
}

// ---- Valid tensors

#define GOOD .data = 4096, .dtype = CUC_F32, .rank = 2, .shape = { 3, 4 }, .strides = { 4, 1 }

static const struct check {
    cuc_tensor tensor;
    const char *said; // NULL: valid
} checks[] = {
    { { GOOD }, NULL },
    { { GOOD, .device = -1 }, NULL },
    { { GOOD, .flags = 7 }, NULL },
    { { .data = 4096, .dtype = CUC_BOOL }, NULL },
    { { .data = 4100, .dtype = CUC_F32, .rank = 1, .shape = { 5 }, .strides = { 0 } }, NULL },
    { { .data = 4096, .dtype = CUC_F32, .rank = 1, .shape = { 5 }, .strides = { -1 } }, NULL },
    { { .data = 16, .dtype = CUC_F32, .rank = 1, .shape = { 5 }, .strides = { -1 } }, NULL },
    { { .data = 4104, .dtype = CUC_C128, .rank = 1, .shape = { 2 }, .strides = { 1 } }, NULL },
    { { .data = 3, .dtype = CUC_F64, .rank = 1, .shape = { 0 }, .strides = { 1 } }, NULL },
    { { .data = 0, .dtype = CUC_F64, .rank = 1, .shape = { 0 }, .strides = { 1 } }, NULL },
    { { .data = UINT64_MAX, .dtype = CUC_I8 }, NULL },
    { { .data = 4096, .rank = 1, .shape = { 1 } }, "dtype is 0 (unknown)" },
    { { .data = 4096, .dtype = 99 }, "dtype is 99" },
    { { .data = 4096, .dtype = CUC_I8, .rank = -1 }, "rank is -1, expected 0 to 8" },
    { { .data = 4096, .dtype = CUC_I8, .rank = 9 }, "rank is 9" },
    { { GOOD, .device = -2 }, "device is -2" },
    { { GOOD, .flags = 8 }, "flags is 0x8" },
    { { .data = 4096, .dtype = CUC_I8, .rank = 2, .shape = { 3, -4 } }, "shape[1] is -4" },
    { { .dtype = CUC_I8, .rank = 1, .shape = { 3 } }, "data is 0, and the shape has 3 elements" },
    { { .data = 4098, .dtype = CUC_F32 }, "not aligned to the 4 bytes that f32 needs" },
    { { .data = 4100, .dtype = CUC_C128 }, "not aligned to the 8 bytes" },
    { { .data = 4096, .dtype = CUC_I8, .rank = 2, .shape = { INT64_MAX, 3 } }, "64 bits" },
    { { .data = 4096, .dtype = CUC_F64, .rank = 1, .shape = { INT64_MAX }, .strides = { 1 } },
      "64 bits" },
    { { .data = 4096, .dtype = CUC_F32, .rank = 1, .shape = { 5 }, .strides = { INT64_MAX } },
      "address space" },
    { { .data = 4096, .dtype = CUC_F32, .rank = 1, .shape = { 5 }, .strides = { INT64_MIN } },
      "address space" },
    { { .data = 12, .dtype = CUC_F32, .rank = 1, .shape = { 5 }, .strides = { -1 } },
      "address space" },
    { { .data = UINT64_MAX - 7, .dtype = CUC_F32, .rank = 1, .shape = { 3 }, .strides = { 1 } },
      "address space" },
};

TEST_ROWS(a_tensor_is_checked_on_its_own, checks)
{
    const struct check *row = &checks[_i];

    if (!row->said)
        ck_ok(cuc_tensor_check(&row->tensor));
    else
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_check(&row->tensor), row->said);
}

TEST(an_invalid_tensor_is_refused)
{
    const int64_t negative[] = { 2, -1 }, huge[] = { INT64_MAX, 2 };
    cuc_tensor t = untouched;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;

    ck_fails(bad, cuc_tensor_from_pointer(NULL, 4096, CUC_F32, 0, NULL, 0), "out is NULL");
    ck_fails(bad, cuc_tensor_from_pointer(&t, 4096, CUC_F32, 1, NULL, 0), "shape is NULL");
    ck_fails(bad, cuc_tensor_from_pointer(&t, 4096, CUC_F32, 9, negative, 0), "rank is 9");
    ck_fails(bad, cuc_tensor_from_pointer(&t, 4096, CUC_F32, 2, negative, 0), "shape[1] is -1");
    ck_fails(bad, cuc_tensor_from_pointer(&t, 4096, CUC_F32, 2, huge, 0), "64 bits");
    ck_fails(bad, cuc_tensor_from_pointer(&t, 0, CUC_F32, 0, NULL, 0), "data is 0");
    ck_fails(bad, cuc_tensor_check(NULL), "tensor is NULL");
    ck_assert(is_untouched(&t));
    ck_assert_int_eq(cuc_tensor_elements(NULL), 0);
    ck_assert_uint_eq(cuc_tensor_bytes(NULL), 0);
    ck_assert_int_eq(cuc_tensor_is_contiguous(NULL), 0);
    t = (cuc_tensor){ .dtype = CUC_F32, .rank = 9 };
    ck_assert_int_eq(cuc_tensor_elements(&t), 0);
    ck_assert_int_eq(cuc_tensor_is_contiguous(&t), 0);
    t = (cuc_tensor){ .dtype = CUC_F32, .rank = 2, .shape = { INT64_MAX, 2 } };
    ck_assert_int_eq(cuc_tensor_elements(&t), 0);
    t = (cuc_tensor){ .dtype = CUC_F64, .rank = 1, .shape = { INT64_MAX } };
    ck_assert_int_eq(cuc_tensor_elements(&t), INT64_MAX);
    ck_assert_uint_eq(cuc_tensor_bytes(&t), 0);
}

TEST(gaps_and_other_orders_are_not_contiguous)
{
    static const struct {
        int32_t rank;
        int64_t shape[3], strides[3];
        int32_t contiguous;
    } rows[] = {
        { 2, { 3, 4 }, { 4, 1 }, 1 },
        { 2, { 3, 4 }, { 1, 3 }, 0 },  // the first dimension varies fastest
        { 2, { 3, 4 }, { 5, 1 }, 0 },  // a gap after each row
        { 2, { 3, 4 }, { 8, 2 }, 0 },  // every other element
        { 2, { 3, 4 }, { 4, -1 }, 0 }, // backwards
        { 2, { 3, 4 }, { 0, 1 }, 0 },  // one row, three times
        { 2, { 1, 4 }, { 99, 1 }, 1 }, // the stride of a single row does not matter
        { 3, { 3, 1, 4 }, { 4, -7, 1 }, 1 },
        { 1, { 1 }, { 5 }, 1 },
        { 2, { 0, 4 }, { 9, 9 }, 1 },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_tensor t = { .data = 4096, .dtype = CUC_F32, .rank = rows[i].rank };
        memcpy(t.shape, rows[i].shape, sizeof(rows[i].shape));
        memcpy(t.strides, rows[i].strides, sizeof(rows[i].strides));
        ck_assert_msg(cuc_tensor_is_contiguous(&t) == rows[i].contiguous, "row %d", i);
    }
}

// ---- Buffers

static void setup_on_device(void)
{
    setup();
    device_setup();
}

static bool have_device(void)
{
    int32_t count;

    return fake_available() || (cuc_device_get_count(&count) == CUC_OK && count > 0);
}

CASE("any driver", .setup = setup_on_device, .teardown = device_teardown, .only_if = have_device);

TEST(a_tensor_of_a_buffer_stays_within_it)
{
    const int64_t fits[] = { 5, 7 }, too_large[] = { 6, 6 }, none[] = { 0, 6 };
    cuc_tensor t = untouched;
    cuc_buffer *b, *empty, *odd;

    ck_ok(cuc_buffer_create(&b, stream, NULL, 35 * 4));
    ck_ok(cuc_buffer_create(&empty, stream, NULL, 0));
    ck_ok(cuc_buffer_slice(&odd, b, 2, 100));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_from_buffer(&t, b, CUC_F32, 2, too_large),
             "36 elements of f32 take 144 bytes, the buffer has 140 bytes");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_from_buffer(&t, b, CUC_F64, 2, fits), "280");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_from_buffer(&t, empty, CUC_I8, 0, NULL),
             "has 0 bytes");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_from_buffer(&t, odd, CUC_F32, 0, NULL),
             "not aligned");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_from_buffer(&t, NULL, CUC_F32, 0, NULL),
             "buffer is NULL");
    ck_assert(is_untouched(&t));
    ck_ok(cuc_tensor_from_buffer(&t, b, CUC_F32, 2, fits));
    ck_assert_uint_eq(t.data, cuc_buffer_ptr(b));
    ck_assert_int_eq(t.device, 0);
    ck_assert_uint_eq(t.flags, 0);
    ck_assert_int_eq(t.strides[0], 7);
    ck_ok(cuc_tensor_from_buffer(&t, empty, CUC_F32, 2, none));
    ck_assert_uint_eq(t.data, 0);
    cuc_buffer_release(b);
    cuc_buffer_release(empty);
    cuc_buffer_release(odd);
}

static const struct kind {
    int32_t kind, device; // of the tensor
    uint32_t flags;
    int32_t dl_device;
} kinds[] = {
    { CUC_MEMORY_DEVICE, 0, 0, CUC_DL_CUDA },
    { CUC_MEMORY_PINNED, -1, CUC_TENSOR_PINNED, CUC_DL_CUDA_HOST },
    { CUC_MEMORY_MANAGED, 0, CUC_TENSOR_MANAGED, CUC_DL_CUDA_MANAGED },
};

TEST_ROWS(the_kind_of_memory_survives_dlpack_both_ways, kinds)
{
    const struct kind *row = &kinds[_i];
    cuc_dl_managed_tensor_versioned *dl = NULL;
    const int64_t shape[] = { 5, 7 };
    cuc_memory_resource *mr;
    cuc_tensor t, back;
    cuc_buffer *b;

    ck_ok(cuc_memory_synchronous_create(&mr, device, row->kind));
    ck_ok(cuc_buffer_create(&b, stream, mr, 140));
    cuc_memory_resource_release(mr);
    ck_ok(cuc_tensor_from_buffer(&t, b, CUC_F32, 2, shape));
    ck_assert_int_eq(t.device, row->device);
    ck_assert_uint_eq(t.flags, row->flags);
    ck_ok(cuc_tensor_to_dlpack(&dl, &t, b));
    ck_assert_int_eq(dl->dl_tensor.device.device_type, row->dl_device);
    ck_assert_int_eq(dl->dl_tensor.device.device_id, 0);
    ck_ok(cuc_tensor_from_dlpack(&back, dl));
    ck_assert_mem_eq(&back, &t, sizeof(t));

    // The consumer's deleter releases the memory.
    cuc_device_ptr ptr = cuc_buffer_ptr(b);
    cuc_buffer_release(b);
    if (fake_available())
        ck_assert(fake_allocated(ptr));
    dl->deleter(dl);
    if (fake_available())
        ck_assert(!fake_allocated(ptr));
}

TEST(a_tensor_past_the_end_of_its_buffer_is_not_exported)
{
    cuc_dl_managed_tensor_versioned *dl = (cuc_dl_managed_tensor_versioned *)&untouched;
    const int64_t shape[] = { 4, 4 };
    cuc_buffer *whole, *b;
    cuc_tensor t;

    ck_ok(cuc_buffer_create(&whole, stream, NULL, 256));
    ck_ok(cuc_buffer_slice(&b, whole, 64, 64));
    ck_ok(cuc_tensor_from_buffer(&t, b, CUC_F32, 2, shape));
    static const struct {
        int64_t shift, strides[2];
        int good;
    } rows[] = {
        { 0, { 4, 1 }, 1 },    { 0, { 1, 4 }, 1 },  { 60, { -4, -1 }, 1 }, { 48, { -4, 1 }, 1 },
        { 0, { 0, 0 }, 1 },    { 60, { 0, 0 }, 1 }, { 4, { 4, 1 }, 0 },    { -4, { 4, 1 }, 0 },
        { 56, { -4, -1 }, 0 }, { 0, { 5, 1 }, 0 },  { 64, { 0, 0 }, 0 },   { -4, { 0, 0 }, 0 },
    };
    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_tensor u = t;
        u.data += (uint64_t)rows[i].shift;
        u.strides[0] = rows[i].strides[0];
        u.strides[1] = rows[i].strides[1];
        if (rows[i].good) {
            ck_ok(cuc_tensor_to_dlpack(&dl, &u, b));
            ck_assert_int_eq(dl->dl_tensor.strides[0], rows[i].strides[0]);
            dl->deleter(dl);
            dl = (cuc_dl_managed_tensor_versioned *)&untouched;
        } else {
            ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_to_dlpack(&dl, &u, b), "64 bytes");
            ck_assert_ptr_eq(dl, (cuc_dl_managed_tensor_versioned *)&untouched);
        }
    }
    cuc_buffer_release(b);
    cuc_buffer_release(whole);
}

// ---- DLPack without a driver

static const struct type {
    cuc_dtype dtype;
    uint8_t code, bits;
} types[] = {
    { CUC_BOOL, 6, 8 }, { CUC_I8, 0, 8 },     { CUC_I16, 0, 16 },  { CUC_I32, 0, 32 },
    { CUC_I64, 0, 64 }, { CUC_U8, 1, 8 },     { CUC_U16, 1, 16 },  { CUC_U32, 1, 32 },
    { CUC_U64, 1, 64 }, { CUC_F16, 2, 16 },   { CUC_BF16, 4, 16 }, { CUC_F32, 2, 32 },
    { CUC_F64, 2, 64 }, { CUC_E4M3, 10, 8 },  { CUC_E5M2, 12, 8 }, { CUC_E8M0, 14, 8 },
    { CUC_C64, 5, 64 }, { CUC_C128, 5, 128 },
};

static double storage[16];

CASE("no driver");

TEST_ROWS(every_element_type_has_its_code, types)
{
    const struct type *row = &types[_i];
    cuc_dl_managed_tensor_versioned *versioned;
    cuc_dl_managed_tensor *unversioned;
    const int64_t shape[] = { 2, 3 };
    cuc_tensor t, back;

    ck_ok(
        cuc_tensor_from_pointer(&t, (cuc_device_ptr)(uintptr_t)storage, row->dtype, 2, shape, -1));
    ck_ok(cuc_tensor_to_dlpack(&versioned, &t, NULL));
    ck_assert_uint_eq(versioned->version.major, 1);
    ck_assert_uint_eq(versioned->flags, 0);
    const cuc_dl_tensor *dl = &versioned->dl_tensor;
    ck_assert_ptr_eq(dl->data, storage);
    ck_assert_int_eq(dl->device.device_type, CUC_DL_CPU);
    ck_assert_int_eq(dl->device.device_id, 0);
    ck_assert_int_eq(dl->ndim, 2);
    ck_assert_uint_eq(dl->dtype.code, row->code);
    ck_assert_uint_eq(dl->dtype.bits, row->bits);
    ck_assert_uint_eq(dl->dtype.lanes, 1);
    ck_assert_int_eq(dl->shape[0], 2);
    ck_assert_int_eq(dl->shape[1], 3);
    ck_assert_int_eq(dl->strides[0], 3);
    ck_assert_int_eq(dl->strides[1], 1);
    ck_assert_uint_eq(dl->byte_offset, 0);
    ck_ok(cuc_tensor_from_dlpack(&back, versioned));
    ck_assert_mem_eq(&back, &t, sizeof(t));
    versioned->deleter(versioned);

    ck_ok(cuc_tensor_to_dlpack_unversioned(&unversioned, &t, NULL));
    ck_ok(cuc_tensor_from_dlpack_unversioned(&back, unversioned));
    ck_assert_mem_eq(&back, &t, sizeof(t));
    unversioned->deleter(unversioned);
}

TEST(read_only_is_exported_where_possible)
{
    cuc_dl_managed_tensor *unversioned = (cuc_dl_managed_tensor *)&untouched;
    cuc_dl_managed_tensor_versioned *dl;
    cuc_tensor t, back;

    ck_ok(cuc_tensor_from_pointer(&t, (cuc_device_ptr)(uintptr_t)storage, CUC_F32, 0, NULL, -1));
    t.flags = CUC_TENSOR_READ_ONLY;
    ck_ok(cuc_tensor_to_dlpack(&dl, &t, NULL));
    ck_assert_uint_eq(dl->flags, CUC_DL_READ_ONLY);
    ck_ok(cuc_tensor_from_dlpack(&back, dl));
    ck_assert_uint_eq(back.flags, CUC_TENSOR_READ_ONLY);
    dl->deleter(dl);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_to_dlpack_unversioned(&unversioned, &t, NULL),
             "read-only");
    ck_assert_ptr_eq(unversioned, (cuc_dl_managed_tensor *)&untouched);
}

// A producer's tensor: f32[2, 3] on the host, contiguous, whose first element is 8 bytes in.
static int64_t produced_shape[9] = { 2, 3, 1, 1, 1, 1, 1, 1, 1 };

static cuc_dl_managed_tensor_versioned produced(void)
{
    return (cuc_dl_managed_tensor_versioned){
        .version = { 1, 99 }, // a later minor version is accepted
        .flags = CUC_DL_IS_COPIED,
        .dl_tensor = { .data = storage,
                       .device = { CUC_DL_CPU, 0 },
                       .ndim = 2,
                       .dtype = { CUC_DL_FLOAT, 32, 1 },
                       .shape = produced_shape,
                       .byte_offset = 8 },
    };
}

TEST(missing_strides_mean_contiguous)
{
    cuc_dl_managed_tensor_versioned dl = produced();
    cuc_tensor t;

    ck_ok(cuc_tensor_from_dlpack(&t, &dl));
    ck_assert_uint_eq(t.data, (cuc_device_ptr)(uintptr_t)storage + 8);
    ck_assert_int_eq(t.strides[0], 3);
    ck_assert_int_eq(t.strides[1], 1);
    ck_assert_int_eq(t.device, -1);
    ck_assert_uint_eq(t.flags, 0);
    dl.dl_tensor.device = (cuc_dl_device){ CUC_DL_CUDA, 5 };
    ck_ok(cuc_tensor_from_dlpack(&t, &dl));
    ck_assert_int_eq(t.device, 5);
    dl.dl_tensor.ndim = 0;
    dl.dl_tensor.shape = NULL;
    ck_ok(cuc_tensor_from_dlpack(&t, &dl));
    ck_assert_int_eq(cuc_tensor_elements(&t), 1);
}

TEST(a_tensor_that_cucore_cannot_read_is_refused)
{
    const cuc_status not_supported = CUC_ERROR_NOT_SUPPORTED, bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_dl_managed_tensor_versioned dl;
    cuc_tensor t = untouched;

#define REFUSED(status, change, said)                              \
    do {                                                           \
        dl = produced();                                           \
        change;                                                    \
        ck_fails((status), cuc_tensor_from_dlpack(&t, &dl), said); \
    } while (0)
    REFUSED(not_supported, dl.version.major = 2, "version 2.99, expected 1.x");
    REFUSED(not_supported, dl.version.major = 0, "version 0.99");
    REFUSED(not_supported, dl.dl_tensor.device.device_type = 10, "device of type 10");
    REFUSED(not_supported, dl.dl_tensor.dtype.lanes = 4, "4 lanes");
    REFUSED(not_supported, dl.dl_tensor.dtype.lanes = 0, "0 lanes");
    REFUSED(not_supported, dl.dl_tensor.dtype.bits = 24, "24 bits");
    REFUSED(not_supported, dl.dl_tensor.dtype.code = CUC_DL_OPAQUE, "type code 3");
    REFUSED(not_supported, dl.dl_tensor.dtype.code = 8, "type code 8"); // e4m3 with infinities
    REFUSED(not_supported, dl.dl_tensor.ndim = 9, "9 dimensions");
    REFUSED(bad, dl.dl_tensor.ndim = -1, "rank is -1");
    REFUSED(bad, dl.dl_tensor.shape = NULL, "shape is NULL");
    REFUSED(bad, dl.dl_tensor.byte_offset = UINT64_MAX, "byte_offset");
    REFUSED(bad, dl.dl_tensor.byte_offset = 2, "not aligned");
    REFUSED(bad, (dl.dl_tensor.data = NULL, dl.dl_tensor.byte_offset = 0), "data is 0");
    REFUSED(bad, dl.dl_tensor.device = ((cuc_dl_device){ CUC_DL_CUDA, -3 }), "device is -3");
#undef REFUSED
    ck_fails(bad, cuc_tensor_from_dlpack(&t, NULL), "managed is NULL");
    ck_fails(bad, cuc_tensor_from_dlpack(NULL, &dl), "out is NULL");
    ck_fails(bad, cuc_tensor_from_dlpack_unversioned(&t, NULL), "managed is NULL");
    ck_assert(is_untouched(&t));
}

TEST(tensors_that_cannot_be_exported_are_refused)
{
    cuc_dl_managed_tensor_versioned *dl = (cuc_dl_managed_tensor_versioned *)&untouched;
    cuc_tensor t;

    ck_ok(cuc_tensor_from_pointer(&t, (cuc_device_ptr)(uintptr_t)storage, CUC_TF32, 0, NULL, -1));
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_tensor_to_dlpack(&dl, &t, NULL), "tf32");
    t.dtype = CUC_F32;
    t.rank = 9;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_to_dlpack(&dl, &t, NULL), "rank is 9");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_to_dlpack(&dl, NULL, NULL), "tensor is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_to_dlpack(NULL, &t, NULL), "out is NULL");
    ck_assert_ptr_eq(dl, (cuc_dl_managed_tensor_versioned *)&untouched);
}

int main(void)
{
    return have_device() ? run_device_tests("tensor") : run_tests("tensor");
}
