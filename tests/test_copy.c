#include <cucore/copy.h>

#include "base/array.h"
#include "device_test.h"
#include "device/stream.h"

// Kinds of memory that a copy can read or write.
enum { DEVICE, PINNED, MANAGED, PLAIN, PLACES };

struct place {
    cuc_buffer *buffer;
    cuc_device_ptr at;
    void *host; // NULL for device memory
    unsigned char *plain;
};

static void place_make(struct place *p, int kind, size_t bytes)
{
    static const int32_t kinds[] = { CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED, CUC_MEMORY_MANAGED };

    memset(p, 0, sizeof(*p));
    if (kind == PLAIN) {
        p->host = p->plain = malloc(bytes);
        p->at = cuc_host_address(p->plain);
        ck_ok(cuc_buffer_from_pointer(&p->buffer, p->at, bytes, NULL));
        return;
    }
    cuc_memory_resource *mr;
    ck_ok(cuc_memory_synchronous_create(&mr, device, kinds[kind]));
    ck_ok(cuc_buffer_create(&p->buffer, stream, mr, bytes));
    cuc_memory_resource_release(mr);
    p->at = cuc_buffer_ptr(p->buffer);
    if (kind != DEVICE)
        ck_ok(cuc_buffer_get_host_pointer(&p->host, p->buffer));
}

static void place_drop(struct place *p)
{
    cuc_buffer_release(p->buffer);
    free(p->plain);
}

static void place_write(const struct place *p, const unsigned char *from, size_t bytes)
{
    if (p->host) {
        memcpy(p->host, from, bytes);
    } else {
        ck_ok(cuc_copy_to_device(stream, p->at, from, bytes));
        ck_ok(cuc_stream_synchronize(stream));
    }
}

static void place_read(const struct place *p, unsigned char *to, size_t bytes)
{
    ck_ok(cuc_stream_synchronize(stream));
    if (p->host) {
        memcpy(to, p->host, bytes);
    } else {
        ck_ok(cuc_copy_to_host(stream, to, p->at, bytes));
        ck_ok(cuc_stream_synchronize(stream));
    }
}

enum { SIZE = 4099 }; // a prime, so not a power of two

static unsigned char given[SIZE], poison[SIZE], expected[SIZE], got[SIZE];

static void make_data(void)
{
    uint32_t x = 12345;

    for (size_t i = 0; i < SIZE; i++) {
        x = x * 1664525u + 1013904223u;
        given[i] = (unsigned char)(x >> 24);
        poison[i] = (unsigned char)(0xa5 ^ i);
    }
}

static void setup(void)
{
    device_setup();
    make_data();
}

// ---- Plain copies

CASE("any driver", .setup = setup, .teardown = device_teardown);

TEST_RANGE(bytes_are_copied_between_all_kinds_of_memory, 0, PLACES *PLACES)
{
    static const struct {
        size_t dst, src, bytes;
    } rows[] = { { 0, 0, SIZE }, { 1, 3, 1000 }, { 4098, 0, 1 }, { 7, 7, 0 }, { 0, 2048, 2051 } };
    struct place to, from;

    place_make(&from, _i / PLACES, SIZE);
    place_make(&to, _i % PLACES, SIZE);
    place_write(&from, given, SIZE);
    for (int r = 0; r < CUC_LENGTH(rows); r++) {
        place_write(&to, poison, SIZE);
        memcpy(expected, poison, SIZE);
        memcpy(expected + rows[r].dst, given + rows[r].src, rows[r].bytes);
        ck_ok(cuc_copy(stream, to.at + rows[r].dst, from.at + rows[r].src, rows[r].bytes));
        place_read(&to, got, SIZE);
        ck_assert_mem_eq(got, expected, SIZE);

        place_write(&to, poison, SIZE);
        ck_ok(cuc_buffer_copy(stream, to.buffer, rows[r].dst, from.buffer, rows[r].src,
                              rows[r].bytes));
        place_read(&to, got, SIZE);
        ck_assert_mem_eq(got, expected, SIZE);
    }
    place_drop(&to);
    place_drop(&from);
}

TEST_RANGE(a_buffer_is_written_and_read_in_parts, 0, PLACES)
{
    struct place p;

    place_make(&p, _i, SIZE);
    place_write(&p, poison, SIZE);
    ck_ok(cuc_buffer_write_async(stream, p.buffer, 100, given, 50));
    memset(got, 0, SIZE);
    ck_ok(cuc_buffer_read_async(stream, got, p.buffer, 99, 52));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_int_eq(got[0], poison[99]);
    ck_assert_mem_eq(got + 1, given, 50);
    ck_assert_int_eq(got[51], poison[150]);
    ck_assert_int_eq(got[52], 0);
    place_drop(&p);
}

static const struct part {
    size_t offset, bytes;
    cuc_status status;
} parts[] = {
    { 0, SIZE, CUC_OK },
    { SIZE, 0, CUC_OK },
    { 1, SIZE, CUC_ERROR_INVALID_ARGUMENT },
    { SIZE + 1, 0, CUC_ERROR_INVALID_ARGUMENT },
    { SIZE, 1, CUC_ERROR_INVALID_ARGUMENT },
    { SIZE_MAX, 1, CUC_ERROR_INVALID_ARGUMENT },
    { SIZE_MAX, 2, CUC_ERROR_INVALID_ARGUMENT },
    { 1, SIZE_MAX, CUC_ERROR_INVALID_ARGUMENT },
    { SIZE_MAX - 3, 8, CUC_ERROR_INVALID_ARGUMENT },
};

TEST_ROWS(a_copy_past_the_end_is_refused_with_offset_bytes_and_size, parts)
{
    const struct part *row = &parts[_i];
    struct place p, other;
    char said[128];

    place_make(&p, DEVICE, SIZE);
    place_make(&other, DEVICE, SIZE);
    snprintf(said, sizeof(said), "%zu bytes at offset %zu pass the end", row->bytes, row->offset);
    if (row->status == CUC_OK) {
        ck_ok(cuc_buffer_write_async(stream, p.buffer, row->offset, given, row->bytes));
        ck_ok(cuc_buffer_read_async(stream, got, p.buffer, row->offset, row->bytes));
        ck_ok(cuc_buffer_fill(stream, p.buffer, row->offset, 0, 1, row->bytes));
        ck_ok(cuc_stream_synchronize(stream));
    } else {
        ck_fails(row->status,
                 cuc_buffer_write_async(stream, p.buffer, row->offset, given, row->bytes), said,
                 "4099 bytes");
        ck_fails(row->status, cuc_buffer_read_async(stream, got, p.buffer, row->offset, row->bytes),
                 said, "4099 bytes");
        ck_fails(row->status, cuc_buffer_fill(stream, p.buffer, row->offset, 0, 1, row->bytes),
                 said, "4099 bytes");
        ck_fails(row->status,
                 cuc_buffer_copy(stream, p.buffer, row->offset, other.buffer, 0, row->bytes), said);
        ck_fails(row->status,
                 cuc_buffer_copy(stream, p.buffer, 0, other.buffer, row->offset, row->bytes),
                 "pass the end");
    }
    place_drop(&p);
    place_drop(&other);
}

TEST(invalid_ranges_are_refused_before_the_driver_call)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    struct place p;

    place_make(&p, DEVICE, SIZE);
    if (fake_available())
        fake_calls_reset();
    ck_fails(bad, cuc_copy(NULL, p.at, p.at + 100, 4), "stream is NULL");
    ck_fails(bad, cuc_copy(stream, 0, p.at, 4), "dst is 0");
    ck_fails(bad, cuc_copy(stream, p.at, 0, 4), "src is 0");
    ck_fails(bad, cuc_copy(stream, UINT64_MAX, p.at, 4), "dst is 0xffffffffffffffff");
    ck_fails(bad, cuc_copy(stream, p.at, UINT64_MAX - 2, 4), "address space");
    ck_fails(bad, cuc_copy(stream, p.at, p.at, SIZE), "overlap");
    ck_fails(bad, cuc_copy(stream, p.at, p.at + 9, 10), "overlap");
    ck_fails(bad, cuc_copy(stream, p.at + 9, p.at, 10), "overlap for 10 bytes");
    ck_fails(bad, cuc_buffer_copy(stream, p.buffer, 5, p.buffer, 0, 6), "overlap");
    ck_fails(bad, cuc_copy_to_device(stream, p.at, NULL, 4), "src is 0");
    ck_fails(bad, cuc_copy_to_host(stream, NULL, p.at, 4), "dst is 0");
    ck_fails(bad, cuc_buffer_write_async(stream, p.buffer, 0, NULL, 4), "src is NULL");
    ck_fails(bad, cuc_buffer_read_async(stream, NULL, p.buffer, 0, 4), "dst is NULL");
    ck_fails(bad, cuc_buffer_write_async(stream, NULL, 0, given, 4), "buffer is NULL");
    ck_fails(bad, cuc_buffer_copy(stream, p.buffer, 0, NULL, 0, 4), "src is NULL");
    ck_fails(bad, cuc_copy_peer(stream, p.at, NULL, p.at + 8, device, 4), "dst_device is NULL");
    ck_fails(bad, cuc_copy_peer(stream, p.at, device, p.at + 2, device, 4), "overlap");
    ck_ok(cuc_copy(stream, 0, 0, 0));
    ck_ok(cuc_copy_to_host(stream, NULL, 0, 0));
    ck_ok(cuc_buffer_read_async(stream, NULL, p.buffer, 0, 0));
    ck_ok(cuc_copy_peer(stream, 0, device, 0, device, 0));
    if (fake_available())
        ck_assert_int_eq(fake_calls_total(), 0);
    ck_ok(cuc_copy(stream, p.at, p.at + 10, 10)); // copies to adjacent memory are allowed
    ck_ok(cuc_copy(stream, p.at + 10, p.at, 10));
    place_drop(&p);
}

FAKE_TEST(a_copy_across_devices_takes_either_form)
{
    cuc_memory_resource *mr;
    cuc_device *second;
    cuc_buffer *there;
    struct place here;

    ck_ok(cuc_device_get(&second, 1));
    ck_ok(cuc_memory_synchronous_create(&mr, second, CUC_MEMORY_DEVICE));
    ck_ok(cuc_buffer_create(&there, NULL, mr, SIZE));
    place_make(&here, DEVICE, SIZE);
    place_write(&here, given, SIZE);
    ck_ok(cuc_copy_peer(stream, cuc_buffer_ptr(there), second, here.at, device, SIZE));
    ck_ok(cuc_fill(stream, here.at, 0, 1, SIZE));
    ck_ok(cuc_buffer_copy(stream, here.buffer, 0, there, 0, SIZE));
    place_read(&here, got, SIZE);
    ck_assert_mem_eq(got, given, SIZE);
    place_drop(&here);
    cuc_buffer_release(there);
    cuc_memory_resource_release(mr);
}

FAKE_TEST(the_drivers_refusal_is_reported_with_the_copy)
{
    static const char *const calls[] = { "cuMemcpyAsync",      "cuMemcpyPeerAsync",
                                         "cuMemcpy2DAsync",    "cuMemcpy3DAsync",
                                         "cuMemcpyBatchAsync", "cuMemsetD16Async",
                                         "cuMemsetD2D32Async" };
    cuc_device_ptr dst, src;
    size_t bytes = 8;
    struct place p;

    place_make(&p, DEVICE, SIZE);
    dst = p.at;
    src = p.at + 64;
    for (int i = 0; i < CUC_LENGTH(calls); i++) {
        fake_fail(calls[i], 1, 999);
        cuc_status st[] = {
            i != 0 ? 0 : cuc_copy(stream, dst, src, 8),
            i != 1 ? 0 : cuc_copy_peer(stream, dst, device, src, device, 8),
            i != 2 ? 0
                   : cuc_copy_2d(stream, CUC_COPY_2D_PARAMS(.dst = dst, .src = src, .row_bytes = 4,
                                                            .rows = 2)),
            i != 3 ? 0
                   : cuc_copy_3d(stream, CUC_COPY_3D_PARAMS(.dst = dst, .src = src, .row_bytes = 4,
                                                            .rows = 2, .slices = 1)),
            i != 4 ? 0
                   : cuc_copy_batch(stream, CUC_COPY_BATCH_PARAMS(.dst = &dst, .src = &src,
                                                                  .bytes = &bytes, .count = 1)),
            i != 5 ? 0 : cuc_fill(stream, dst, 1, 2, 4),
            i != 6 ? 0
                   : cuc_fill_2d(stream, CUC_FILL_2D_PARAMS(.dst = dst, .row_count = 2, .rows = 2,
                                                            .pattern_bytes = 4)),
        };
        ck_assert_int_eq(st[i], CUC_ERROR_DRIVER);
        ck_assert_str_eq(cuc_error_library_call(), calls[i]);
        ck_assert_int_eq(cuc_error_library_code(), 999);
        ck_assert_ptr_null(testing_current());
    }
    place_drop(&p);
}

TEST(copies_and_fills_become_nodes_of_a_capture)
{
    CUgraph graph = NULL;
    struct place p, plain;
    cuc_device_ptr dst[2], src[2];
    size_t bytes[2] = { 8, 8 };

    place_make(&p, DEVICE, SIZE);
    place_make(&plain, PINNED, SIZE);
    for (size_t i = 0; i < 2; i++) {
        dst[i] = p.at + 8 * i;
        src[i] = plain.at + 8 * i;
    }
    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(stream->handle, CU_STREAM_CAPTURE_MODE_GLOBAL),
                     0);
    ck_ok(cuc_buffer_write_async(stream, p.buffer, 0, plain.host, 100));
    ck_ok(cuc_buffer_fill(stream, p.buffer, 0, 1, 1, 100));
    ck_ok(cuc_copy_2d(stream,
                      CUC_COPY_2D_PARAMS(.dst = p.at, .src = plain.at, .row_bytes = 4, .rows = 4)));
    ck_ok(cuc_copy_batch(
        stream, CUC_COPY_BATCH_PARAMS(.dst = dst, .src = src, .bytes = bytes, .count = 2)));
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(stream->handle, &graph), 0);
    if (fake_available())
        ck_assert_int_eq(fake_captured(stream->handle), 5); // the batch becomes two copies
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
    place_drop(&p);
    place_drop(&plain);
}

// ---- Rectangles and boxes

static const cuc_copy_3d_params boxes[] = {
    { .row_bytes = 10, .rows = 5, .slices = 1 },
    { .row_bytes = 13, .rows = 7, .slices = 3 },
    { .row_bytes = 1, .rows = 1, .slices = 1, .dst_pitch = 64, .src_pitch = 32 },
    { .row_bytes = 7, .rows = 3, .slices = 2, .dst_pitch = 16, .src_pitch = 11 },
    { .row_bytes = 7, .rows = 3, .slices = 2, .dst_slice_rows = 5, .src_slice_rows = 9 },
    { .row_bytes = 9, .rows = 4, .slices = 2, .dst_x_bytes = 5, .src_x_bytes = 3 },
    { .row_bytes = 9, .rows = 4, .slices = 3, .dst_y = 2, .src_y = 1, .dst_z = 1, .src_z = 2 },
    { .row_bytes = 3,
      .rows = 2,
      .slices = 2,
      .dst_pitch = 20,
      .src_pitch = 24,
      .dst_slice_rows = 6,
      .src_slice_rows = 7,
      .dst_x_bytes = 4,
      .src_x_bytes = 8,
      .dst_y = 3,
      .src_y = 5,
      .dst_z = 2,
      .src_z = 1 },
    { .row_bytes = 0, .rows = 5, .slices = 5 },
    { .row_bytes = 5, .rows = 0, .slices = 5 },
    { .row_bytes = 5, .rows = 5, .slices = 0 },
};

// Reference for a copy of rows, byte by byte.
static void reference(unsigned char *dst, const unsigned char *src, const cuc_copy_3d_params *p)
{
    size_t dst_pitch = p->dst_pitch ? p->dst_pitch : p->dst_x_bytes + p->row_bytes;
    size_t src_pitch = p->src_pitch ? p->src_pitch : p->src_x_bytes + p->row_bytes;
    size_t dst_rows = p->dst_slice_rows ? p->dst_slice_rows : p->dst_y + p->rows;
    size_t src_rows = p->src_slice_rows ? p->src_slice_rows : p->src_y + p->rows;

    for (size_t z = 0; z < p->slices; z++)
        for (size_t y = 0; y < p->rows; y++)
            for (size_t x = 0; x < p->row_bytes; x++)
                dst[((z + p->dst_z) * dst_rows + y + p->dst_y) * dst_pitch + x + p->dst_x_bytes] =
                    src[((z + p->src_z) * src_rows + y + p->src_y) * src_pitch + x +
                        p->src_x_bytes];
}

TEST_RANGE(rows_are_copied_as_the_reference_does, 0, PLACES *PLACES)
{
    struct place to, from;

    place_make(&from, _i / PLACES, SIZE);
    place_make(&to, _i % PLACES, SIZE);
    place_write(&from, given, SIZE);
    for (int r = 0; r < CUC_LENGTH(boxes); r++) {
        cuc_copy_3d_params p = boxes[r];

        p.struct_size = sizeof(p);
        p.dst = to.at;
        p.src = from.at;
        memcpy(expected, poison, SIZE);
        reference(expected, given, &p);
        place_write(&to, poison, SIZE);
        ck_ok(cuc_copy_3d(stream, &p));
        place_read(&to, got, SIZE);
        ck_assert_msg(memcmp(got, expected, SIZE) == 0, "box %d differs", r);

        // A rectangle is one slice of a box.
        cuc_copy_2d_params q = CUC_COPY_2D_PARAMS_INIT;
        q.dst = p.dst;
        q.src = p.src;
        q.dst_pitch = p.dst_pitch;
        q.src_pitch = p.src_pitch;
        q.row_bytes = p.row_bytes;
        q.rows = p.rows;
        q.dst_x_bytes = p.dst_x_bytes;
        q.dst_y = p.dst_y;
        q.src_x_bytes = p.src_x_bytes;
        q.src_y = p.src_y;
        p.slices = 1;
        p.dst_z = p.src_z = 0;
        memcpy(expected, poison, SIZE);
        reference(expected, given, &p);
        place_write(&to, poison, SIZE);
        ck_ok(cuc_copy_2d(stream, &q));
        place_read(&to, got, SIZE);
        ck_assert_msg(memcmp(got, expected, SIZE) == 0, "rectangle %d differs", r);
    }
    place_drop(&to);
    place_drop(&from);
}

static const struct bad_box {
    cuc_copy_3d_params params;
    const char *said;
} bad_boxes[] = {
    { { .src = 8, .row_bytes = 4, .rows = 1, .slices = 1 }, "dst is 0" },
    { { .dst = 8, .row_bytes = 4, .rows = 1, .slices = 1 }, "src is 0" },
    { { .dst = 8, .src = 8, .row_bytes = 4, .rows = 1, .slices = 1, .dst_pitch = 3 },
      "dst_pitch is 3, below dst_x_bytes + row_bytes, which is 0 + 4" },
    { { .dst = 8,
        .src = 8,
        .row_bytes = 4,
        .rows = 1,
        .slices = 1,
        .src_x_bytes = 2,
        .src_pitch = 5 },
      "src_pitch is 5" },
    { { .dst = 8, .src = 8, .row_bytes = 4, .rows = 3, .slices = 1, .dst_slice_rows = 2 },
      "dst_slice_rows is 2" },
    { { .dst = 8, .src = 8, .row_bytes = SIZE_MAX, .rows = 2, .slices = 1 }, "address space" },
    { { .dst = 8, .src = 8, .row_bytes = 4, .rows = SIZE_MAX / 2, .slices = 1 }, "address space" },
    { { .dst = 8, .src = 8, .row_bytes = 4, .rows = 2, .slices = SIZE_MAX }, "address space" },
    { { .dst = 8, .src = 8, .row_bytes = 4, .rows = 2, .slices = 2, .dst_x_bytes = SIZE_MAX },
      "address space" },
    { { .dst = 8, .src = 8, .row_bytes = 4, .rows = 2, .slices = 2, .src_y = SIZE_MAX },
      "address space" },
    { { .dst = 8, .src = 8, .row_bytes = 4, .rows = 2, .slices = 2, .src_z = SIZE_MAX },
      "address space" },
    { { .dst = 8, .src = 8, .row_bytes = 4, .rows = 2, .slices = 1, .src_pitch = SIZE_MAX },
      "src is 0x8" },
    { { .dst = UINT64_MAX - 6, .src = 8, .row_bytes = 4, .rows = 2, .slices = 1 },
      "dst is 0xfffffffffffffff9" },
};

TEST_ROWS(invalid_rectangles_are_refused_before_the_driver_call, bad_boxes)
{
    cuc_copy_3d_params p = bad_boxes[_i].params;

    p.struct_size = sizeof(p);
    if (fake_available())
        fake_calls_reset();
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_copy_3d(stream, &p), bad_boxes[_i].said);
    if (fake_available())
        ck_assert_int_eq(fake_calls_total(), 0);
}

// ---- Batches

TEST(a_batch_copies_every_entry)
{
    enum { MANY = 300 };
    static cuc_device_ptr dst[MANY], src[MANY];
    static size_t bytes[MANY];
    static cuc_copy_attributes attributes[MANY];
    cuc_copy_batch_params p = CUC_COPY_BATCH_PARAMS_INIT;
    struct place to, from;

    place_make(&from, PINNED, SIZE);
    place_make(&to, DEVICE, SIZE);
    place_write(&from, given, SIZE);
    memcpy(expected, poison, SIZE);
    for (size_t i = 0; i < MANY; i++) {
        bytes[i] = i % 7 == 3 ? 0 : i % 11 + 1;
        dst[i] = i % 7 == 3 ? 0 : to.at + 13 * i; // an empty entry may have any address
        src[i] = from.at + 12 * i + 1;
        attributes[i].source_order = i % 2 ? CUC_COPY_SOURCE_ANY : CUC_COPY_SOURCE_STREAM;
        attributes[i].flags = CUC_COPY_OVERLAP_COMPUTE;
        memcpy(expected + 13 * i, given + 12 * i + 1, bytes[i]);
    }
    p.dst = dst;
    p.src = src;
    p.bytes = bytes;
    p.count = MANY;
    p.attributes = attributes;
    // Attributes: none, one for all copies, one for each, or an array with a count of 0.
    for (int how = 0; how < 4; how++) {
        static const size_t counts[] = { 0, 1, MANY, 0 };
        p.attributes = how == 0 ? NULL : attributes;
        p.attribute_count = counts[how];
        place_write(&to, poison, SIZE);
        ck_ok(cuc_copy_batch(stream, &p));
        place_read(&to, got, SIZE);
        ck_assert_mem_eq(got, expected, SIZE);
    }

    // Streams that do not support batches get one copy after another.
    cuc_stream *legacy;
    ck_ok(cuc_stream_get_default(&legacy, device, CUC_STREAM_LEGACY));
    place_write(&to, poison, SIZE);
    ck_ok(cuc_copy_batch(legacy, &p));
    ck_ok(cuc_stream_synchronize(legacy));
    place_read(&to, got, SIZE);
    ck_assert_mem_eq(got, expected, SIZE);
    attributes[5].source_order = CUC_COPY_SOURCE_DURING_CALL;
    p.attribute_count = MANY;
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_copy_batch(legacy, &p), "copy 5");
    ck_ok(cuc_copy_batch(stream, &p));
    ck_ok(cuc_stream_synchronize(stream));
    place_drop(&to);
    place_drop(&from);
}

FAKE_TEST(a_batch_makes_as_few_driver_calls_as_its_attributes_allow)
{
    enum { MANY = 100 };
    static cuc_device_ptr dst[MANY], src[MANY];
    static size_t bytes[MANY];
    static cuc_copy_attributes attributes[MANY];
    cuc_copy_batch_params p = CUC_COPY_BATCH_PARAMS_INIT;
    struct place to, from;

    place_make(&from, PINNED, SIZE);
    place_make(&to, DEVICE, SIZE);
    for (size_t i = 0; i < MANY; i++) {
        bytes[i] = 8;
        dst[i] = to.at + 8 * i;
        src[i] = from.at + 8 * i;
        attributes[i].src_hint = (cuc_memory_location){ CUC_LOCATION_HOST, 0 };
    }
    p.dst = dst;
    p.src = src;
    p.bytes = bytes;
    p.count = MANY;
    p.attributes = attributes;
    p.attribute_count = MANY;
    fake_calls_reset();
    ck_ok(cuc_copy_batch(stream, &p)); // all attributes are equal
    ck_assert_int_eq(fake_calls("cuMemcpyBatchAsync"), 1);
    for (size_t i = 0; i < MANY; i += 2)
        attributes[i].flags = CUC_COPY_OVERLAP_COMPUTE; // no two neighbors are equal
    ck_ok(cuc_copy_batch(stream, &p));
    ck_assert_int_eq(fake_calls("cuMemcpyBatchAsync"), 1 + 4);
    bytes[50] = 0; // an empty copy splits the run
    p.attributes = NULL;
    ck_ok(cuc_copy_batch(stream, &p));
    ck_assert_int_eq(fake_calls("cuMemcpyBatchAsync"), 5 + 2);
    ck_assert_int_eq(fake_calls("cuMemcpyAsync"), 0);
    place_drop(&to);
    place_drop(&from);
}

FAKE_TEST(a_batch_with_one_bad_entry_copies_nothing)
{
    cuc_copy_batch_params p = CUC_COPY_BATCH_PARAMS_INIT;
    cuc_copy_attributes attributes[3] = { { 0 } };
    cuc_device_ptr dst[3], src[3];
    size_t bytes[3] = { 8, 8, 8 };
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    struct place to;

    place_make(&to, DEVICE, SIZE);
    for (size_t i = 0; i < 3; i++) {
        dst[i] = to.at + 16 * i;
        src[i] = to.at + 1000 + 16 * i;
    }
    p.dst = dst;
    p.src = src;
    p.bytes = bytes;
    p.count = 3;
    p.attributes = attributes;
    p.attribute_count = 3;
    fake_calls_reset();
    src[2] = dst[2] + 4;
    ck_fails(bad, cuc_copy_batch(stream, &p), "overlap", "copy 2 of 3");
    src[2] = 0;
    ck_fails(bad, cuc_copy_batch(stream, &p), "src is 0", "copy 2 of 3");
    src[2] = to.at + 2000;
    attributes[1].source_order = 3;
    ck_fails(bad, cuc_copy_batch(stream, &p), "attribute 1 has source_order 3");
    attributes[1].source_order = 0;
    attributes[1].flags = 2;
    ck_fails(bad, cuc_copy_batch(stream, &p), "flags 0x2");
    attributes[1].flags = 0;
    attributes[0].dst_hint.type = 5;
    ck_fails(bad, cuc_copy_batch(stream, &p), "attribute 0");
    attributes[0].dst_hint.type = 0;
    p.attribute_count = 2;
    ck_fails(bad, cuc_copy_batch(stream, &p), "attribute_count is 2 for 3 copies");
    p.attribute_count = 3;
    p.bytes = NULL;
    ck_fails(bad, cuc_copy_batch(stream, &p), "params->bytes is NULL");
    ck_fails(bad, cuc_copy_batch(stream, NULL), "params is NULL");
    p.count = 0;
    ck_ok(cuc_copy_batch(stream, &p));
    ck_assert_int_eq(fake_calls_total(), 0);
    place_drop(&to);
}

CASE("other drivers");

FAKE_TEST_RANGE(an_older_driver_copies_a_batch_one_by_one, 0, 2)
{
    cuc_device_ptr dst[2], src[2];
    size_t bytes[2] = { 8, 9 };
    struct place to, from;

    if (_i == 0)
        fake_set_version(12090);
    else
        fake_hide("cuMemcpyBatchAsync");
    make_data();
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    place_make(&from, PINNED, SIZE);
    place_make(&to, DEVICE, SIZE);
    place_write(&from, given, SIZE);
    for (size_t i = 0; i < 2; i++) {
        dst[i] = to.at + 9 * i;
        src[i] = from.at + 9 * i;
    }
    ck_ok(cuc_copy_batch(
        stream, CUC_COPY_BATCH_PARAMS(.dst = dst, .src = src, .bytes = bytes, .count = 2)));
    ck_assert_int_eq(fake_calls("cuMemcpyAsync"), 2);
    place_read(&to, got, SIZE);
    ck_assert_mem_eq(got, given, 8);
    ck_assert_mem_eq(got + 9, given + 9, 9);
    place_drop(&to);
    place_drop(&from);
    cuc_stream_release(stream);
}

// ---- Fills

CASE("any driver");

TEST_RANGE(a_pattern_fills_exactly_its_range, 0, PLAIN)
{
    static const struct {
        uint32_t pattern, pattern_bytes;
        size_t offset, bytes;
    } rows[] = {
        { 0xab, 1, 0, SIZE },       { 0, 1, 17, 1 },         { 0xff, 1, 5, 0 },
        { 0xbeef, 2, 0, 4098 },     { 0x1, 2, 2, 2 },        { 0xffff, 2, 4, 6 },
        { 0xdeadbeef, 4, 0, 4096 }, { 0xffffffff, 4, 8, 4 }, { 7, 4, 4092, 4 },
    };
    struct place p;

    place_make(&p, _i, SIZE);
    for (int r = 0; r < CUC_LENGTH(rows); r++) {
        memcpy(expected, poison, SIZE);
        for (size_t i = 0; i < rows[r].bytes; i++)
            expected[rows[r].offset + i] =
                (unsigned char)(rows[r].pattern >> 8 * (i % rows[r].pattern_bytes));
        place_write(&p, poison, SIZE);
        ck_ok(cuc_buffer_fill(stream, p.buffer, rows[r].offset, rows[r].pattern,
                              rows[r].pattern_bytes, rows[r].bytes));
        place_read(&p, got, SIZE);
        ck_assert_mem_eq(got, expected, SIZE);
        place_write(&p, poison, SIZE);
        ck_ok(cuc_fill(stream, p.at + rows[r].offset, rows[r].pattern, rows[r].pattern_bytes,
                       rows[r].bytes / rows[r].pattern_bytes));
        place_read(&p, got, SIZE);
        ck_assert_mem_eq(got, expected, SIZE);
    }
    place_drop(&p);
}

TEST(filling_a_rectangle_leaves_the_rest_unchanged)
{
    static const cuc_fill_2d_params rows[] = {
        { .pitch = 16, .row_count = 5, .rows = 7, .pattern = 0xab, .pattern_bytes = 1 },
        { .pitch = 0, .row_count = 5, .rows = 7, .pattern = 0xabcd, .pattern_bytes = 2 },
        { .pitch = 24, .row_count = 5, .rows = 7, .pattern = 0xabcdef01, .pattern_bytes = 4 },
        { .pitch = 24, .row_count = 0, .rows = 7, .pattern = 1, .pattern_bytes = 4 },
        { .pitch = 24, .row_count = 7, .rows = 0, .pattern = 1, .pattern_bytes = 4 },
    };
    struct place p;

    place_make(&p, DEVICE, SIZE);
    for (int r = 0; r < CUC_LENGTH(rows); r++) {
        cuc_fill_2d_params f = rows[r];
        size_t width = f.row_count * f.pattern_bytes, pitch = f.pitch ? f.pitch : width;

        memcpy(expected, poison, SIZE);
        for (size_t y = 0; y < f.rows; y++)
            for (size_t x = 0; x < width; x++)
                expected[8 + y * pitch + x] =
                    (unsigned char)(f.pattern >> 8 * (x % f.pattern_bytes));
        place_write(&p, poison, SIZE);
        f.struct_size = sizeof(f);
        f.dst = p.at + 8;
        ck_ok(cuc_fill_2d(stream, &f));
        place_read(&p, got, SIZE);
        ck_assert_mem_eq(got, expected, SIZE);
    }
    place_drop(&p);
}

TEST(invalid_fills_are_refused)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_fill_2d_params f = CUC_FILL_2D_PARAMS_INIT;
    struct place p;

    place_make(&p, DEVICE, SIZE);
    if (fake_available())
        fake_calls_reset();
    ck_fails(bad, cuc_fill(NULL, p.at, 0, 1, 1), "stream is NULL");
    ck_fails(bad, cuc_fill(stream, p.at, 0, 0, 1), "pattern_bytes is 0, expected 1, 2 or 4");
    ck_fails(bad, cuc_fill(stream, p.at, 0, 3, 1), "pattern_bytes is 3");
    ck_fails(bad, cuc_fill(stream, p.at, 0, 8, 1), "pattern_bytes is 8");
    ck_fails(bad, cuc_fill(stream, p.at, 256, 1, 1), "0x100, which does not fit in 1 bytes");
    ck_fails(bad, cuc_fill(stream, p.at, 0x10000, 2, 1), "does not fit in 2 bytes");
    ck_fails(bad, cuc_fill(stream, p.at + 1, 0, 2, 1), "not aligned");
    ck_fails(bad, cuc_fill(stream, p.at + 2, 0, 4, 1), "not aligned");
    ck_fails(bad, cuc_fill(stream, 0, 0, 4, 1), "ptr is 0");
    ck_fails(bad, cuc_fill(stream, p.at, 0, 4, SIZE_MAX / 2), "address space");
    ck_fails(bad, cuc_fill(stream, p.at, 0, 1, SIZE_MAX), "address space");
    ck_fails(bad, cuc_buffer_fill(stream, p.buffer, 0, 0, 4, 6), "bytes is 6", "4 bytes");
    ck_fails(bad, cuc_buffer_fill(stream, p.buffer, 1, 0, 2, 6), "not aligned");
    ck_fails(bad, cuc_buffer_fill(stream, NULL, 0, 0, 1, 1), "buffer is NULL");
    f.dst = p.at;
    f.row_count = 5;
    f.rows = 2;
    f.pattern_bytes = 4;
    f.pitch = 18;
    ck_fails(bad, cuc_fill_2d(stream, &f), "pitch is 18, expected a multiple");
    f.pitch = 16;
    ck_fails(bad, cuc_fill_2d(stream, &f), "pitch is 16, below");
    f.pitch = 0;
    f.rows = SIZE_MAX;
    ck_fails(bad, cuc_fill_2d(stream, &f), "address space");
    f.rows = 2;
    f.row_count = SIZE_MAX;
    ck_fails(bad, cuc_fill_2d(stream, &f), "row_count");
    ck_fails(bad, cuc_fill_2d(stream, NULL), "params is NULL");
    ck_ok(cuc_fill(stream, p.at, 0, 4, 0));
    ck_ok(cuc_buffer_fill(stream, p.buffer, 0, 0, 4, 0));
    if (fake_available())
        ck_assert_int_eq(fake_calls_total(), 0);
    place_drop(&p);
}

TEST(an_empty_buffer_is_copied_and_filled_with_nothing)
{
    cuc_buffer *b;

    ck_ok(cuc_buffer_create(&b, stream, NULL, 0));
    ck_ok(cuc_buffer_write_async(stream, b, 0, given, 0));
    ck_ok(cuc_buffer_read_async(stream, got, b, 0, 0));
    ck_ok(cuc_buffer_copy(stream, b, 0, b, 0, 0));
    ck_ok(cuc_buffer_fill(stream, b, 0, 1, 4, 0));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_write_async(stream, b, 0, given, 1),
             "has 0 bytes");
    cuc_buffer_release(b);
}

int main(void)
{
    return run_device_tests("copy");
}
