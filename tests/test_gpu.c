// Tests end to end on a GPU: compiles CUDA C++, launches it in every way, and checks the results.
// Exits 77, a skip, without a device that runs kernels.
//
// Tests that lose their context run in a new process of this program, selected by an argument (see
// main()).
#include "base/array.h"
#include "gpu_source.h"
#include "testing.h"

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static cuc_device *device;
static cuc_stream *stream;
static cuc_object *object;
static cuc_memory_resource *pinned_memory;

static cuc_kernel *kernel(const char *name)
{
    cuc_kernel *k = NULL;

    ck_ok(cuc_object_get_kernel(&k, object, name));
    return k;
}

static cuc_status compile(cuc_object **out, const char *source, const char *name, int32_t target)
{
    cuc_program *program = NULL;
    const char *expressions[] = { "twice<float>", "twice<int>" };
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;

    o.name = name;
    o.no_default_headers = CUC_ON;
    if (strcmp(name, "gpu.cu") == 0) {
        o.name_expressions = expressions;
        o.name_expression_count = 2;
    }
    if (target == CUC_CODE_LTOIR)
        o.relocatable_device_code = CUC_ON;
    cuc_status st = cuc_program_create(&program, CUC_SOURCE_CUDA, source, strlen(source), &o);
    if (st >= 0)
        st = cuc_program_compile(out, program, target);
    cuc_program_release(program);
    return st;
}

static cuc_status prepare(void)
{
    cuc_status st = cuc_device_get(&device, 0);

    if (st >= 0)
        st = cuc_stream_create(&stream, device, NULL);
    if (st >= 0)
        st = cuc_memory_synchronous_create(&pinned_memory, device, CUC_MEMORY_PINNED);
    if (st >= 0)
        st = compile(&object, gpu_source, "gpu.cu", CUC_CODE_CUBIN);
    return st;
}

static cuc_buffer *allocate(size_t bytes)
{
    cuc_buffer *b = NULL;

    ck_ok(cuc_buffer_create(&b, stream, NULL, bytes));
    return b;
}

// Allocates page-locked memory and returns its host address.
static cuc_buffer *allocate_pinned(void *host, size_t bytes)
{
    cuc_buffer *b = NULL;

    ck_ok(cuc_buffer_create(&b, NULL, pinned_memory, bytes));
    ck_ok(cuc_buffer_get_host_pointer(host, b));
    memset(*(void **)host, 0xA5, bytes);
    return b;
}

static uint64_t seed = 88172645463325252u;

static uint32_t random_u32(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32);
}

static float random_float(void) // in [-1, 1)
{
    return (float)(int32_t)random_u32() / 2147483648.0f;
}

static void fill_random(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = random_float();
}

// Allows for the product and the sum to be rounded separately or once: each of at most two
// roundings errs by at most 2^-24 of |product| + |addend|.
static void ck_saxpy(const float *got, float a, const float *x, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double product = (double)a * (double)x[i];
        double expected = product + (double)y[i];
        double bound = 0x1p-23 * (fabs(product) + fabs((double)y[i]));
        ck_assert_msg(fabs((double)got[i] - expected) <= bound, "[%zu] is %.9g, expected %.17g", i,
                      (double)got[i], expected);
    }
}

static const uint32_t sizes[] = { 1, 31, 32, 33, 255, 257, 1000, 65537, (1u << 20) + 3 };

CASE("gpu", .timeout = 120);

TEST_ROWS(saxpy_is_right_for_ragged_sizes, sizes)
{
    const uint32_t n = sizes[_i];
    const size_t bytes = n * sizeof(float);
    const float a = random_float() * 10;
    float *x = malloc(bytes), *y = malloc(bytes), *got = malloc(bytes + 4);
    cuc_buffer *dx = allocate(bytes), *dy = allocate(bytes + 4);
    cuc_kernel *saxpy = kernel("saxpy");
    const float guard = 12345;

    fill_random(x, n);
    fill_random(y, n);
    ck_ok(cuc_buffer_write_async(stream, dx, 0, x, bytes));
    ck_ok(cuc_buffer_write_async(stream, dy, 0, y, bytes));
    ck_ok(cuc_buffer_write_async(stream, dy, bytes, &guard, 4)); // past the end: must not change
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { (n + 255) / 256 }, .block = { 256 }),
                     saxpy, a, dx, dy, n));
    ck_ok(cuc_buffer_read_async(stream, got, dy, 0, bytes + 4));
    ck_ok(cuc_stream_synchronize(stream));
    ck_saxpy(got, a, x, y, n);
    ck_assert(got[n] == guard);
    cuc_kernel_release(saxpy);
    cuc_buffer_release(dx);
    cuc_buffer_release(dy);
    free(x);
    free(y);
    free(got);
}

struct affine { // like the struct in the source
    double scale;
    int32_t offset;
    float shift;
    cuc_device_ptr in, out;
    uint32_t n, pad;
};

TEST(a_struct_is_passed_by_value)
{
    enum { N = 1000 };
    float *in, *out;
    cuc_buffer *din = allocate_pinned(&in, N * sizeof(float));
    cuc_buffer *dout = allocate_pinned(&out, N * sizeof(float));
    cuc_kernel *k = kernel("affine");
    struct affine p = { 2.5, 3, -1.0f, cuc_buffer_ptr(din), cuc_buffer_ptr(dout), N - 3, 0 };

    for (int i = 0; i < N; i++)
        in[i] = (float)i;
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 8 }, .block = { 128 }), k, p));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < N - 3; i++)
        ck_assert(out[i] == (float)(2.5 * (i + 3)) - 1.0f);
    cuc_kernel_release(k);
    cuc_buffer_release(din);
    cuc_buffer_release(dout);
}

TEST(grids_of_three_dimensions_cover_their_box)
{
    static const struct {
        uint32_t grid[3], block[3];
    } shapes[] = { { { 3, 5, 0 }, { 7, 4, 0 } },
                   { { 2, 3, 4 }, { 5, 6, 7 } },
                   { { 1, 1, 9 }, { 1, 2, 16 } } };
    cuc_kernel *k = kernel("where");
    cuc_launch_config c = CUC_LAUNCH_CONFIG_INIT;
    uint32_t *out;

    for (int i = 0; i < CUC_LENGTH(shapes); i++) {
        uint32_t extent[3];
        for (int d = 0; d < 3; d++) {
            c.grid[d] = shapes[i].grid[d];
            c.block[d] = shapes[i].block[d];
            extent[d] = (c.grid[d] ? c.grid[d] : 1) * (c.block[d] ? c.block[d] : 1);
        }
        size_t n = (size_t)extent[0] * extent[1] * extent[2];
        cuc_buffer *b = allocate_pinned(&out, n * 4);
        ck_ok(CUC_LAUNCH(stream, &c, k, b));
        ck_ok(cuc_stream_synchronize(stream));
        for (uint32_t z = 0; z < extent[2]; z++)
            for (uint32_t y = 0; y < extent[1]; y++)
                for (uint32_t x = 0; x < extent[0]; x++)
                    ck_assert_uint_eq(out[((size_t)z * extent[1] + y) * extent[0] + x],
                                      x | y << 10 | z << 20);
        cuc_buffer_release(b);
    }
    cuc_kernel_release(k);
}

TEST(shared_memory_beyond_48_kib_works)
{
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;
    cuc_kernel *k = kernel("reverse");
    int32_t *data;

    ck_ok(cuc_device_get_properties(&p, device));
    uint32_t n = (uint32_t)p.max_shared_memory_per_block_optin / 4;
    cuc_buffer *b = allocate_pinned(&data, (size_t)n * 4);
    for (uint32_t i = 0; i < n; i++)
        data[i] = (int32_t)i;
    ck_ok(CUC_LAUNCH(stream,
                     CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 512 }, .shared_bytes = n * 4), k,
                     b, n));
    ck_ok(cuc_stream_synchronize(stream));
    for (uint32_t i = 0; i < n; i++)
        ck_assert_int_eq(data[i], (int32_t)(n - 1 - i));
    cuc_buffer_release(b);
    cuc_kernel_release(k);
}

TEST(a_cooperative_grid_synchronizes)
{
    cuc_kernel *k = kernel("grid_sum");
    uint32_t blocks = 0, *in, *out;
    enum { N = 100000 };

    ck_ok(cuc_occupancy_max_active_blocks(&blocks, k, device, 256, 0, 0));
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;
    ck_ok(cuc_device_get_properties(&p, device));
    blocks *= (uint32_t)p.multiprocessor_count; // as many blocks as fit at once
    cuc_buffer *din = allocate_pinned(&in, N * 4), *dout = allocate_pinned(&out, blocks * 4);
    cuc_buffer *dpart = allocate(blocks * 4), *dbarrier = allocate(4);
    uint32_t sum = 0;
    for (int i = 0; i < N; i++)
        sum += in[i] = random_u32();
    ck_ok(cuc_buffer_fill(stream, dbarrier, 0, 0, 4, 4));
    ck_ok(CUC_LAUNCH(
        stream,
        CUC_LAUNCH_CONFIG(.grid = { blocks }, .block = { 256 }, .flags = CUC_LAUNCH_COOPERATIVE), k,
        din, dpart, dbarrier, dout, (uint32_t)N));
    ck_ok(cuc_stream_synchronize(stream));
    for (uint32_t i = 0; i < blocks; i++)
        ck_assert_uint_eq(out[i], sum);
    ck_fails(CUC_ERROR_DRIVER,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { blocks + 1 }, .block = { 256 },
                                          .flags = CUC_LAUNCH_COOPERATIVE),
                        k, din, dpart, dbarrier, dout, (uint32_t)N),
             "launching grid_sum cooperatively on", "so at most",
             "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
    cuc_buffer_release(din);
    cuc_buffer_release(dpart);
    cuc_buffer_release(dbarrier);
    cuc_buffer_release(dout);
    cuc_kernel_release(k);
}

static int32_t compute_capability(void)
{
    int32_t major, minor;

    ck_ok(cuc_device_get_compute_capability(&major, &minor, device));
    return major * 10 + minor;
}

TEST(blocks_of_a_cluster_read_each_others_shared_memory)
{
    static const uint32_t widths[] = { 1, 2, 4, 8 };
    cuc_kernel *k = kernel("cluster_neighbours");
    uint32_t *out;

    if (compute_capability() < 90) {
        cuc_kernel_release(k);
        SKIP("clusters came with compute capability 9.0");
    }
    for (int i = 0; i < CUC_LENGTH(widths); i++) {
        const uint32_t width = widths[i], blocks = 16;
        cuc_buffer *b = allocate_pinned(&out, (size_t)blocks * 8);
        ck_ok(CUC_LAUNCH(
            stream, CUC_LAUNCH_CONFIG(.grid = { blocks }, .block = { 32 }, .cluster = { width }), k,
            b));
        ck_ok(cuc_stream_synchronize(stream));
        for (uint32_t at = 0; at < blocks; at++) {
            uint32_t rank = at % width, next = at - rank + (rank + 1) % width;
            ck_assert_uint_eq(out[(size_t)2 * at], rank | width << 16);
            ck_assert_uint_eq(out[(size_t)2 * at + 1], 1000 + next);
        }
        cuc_buffer_release(b);
    }
    cuc_kernel_release(k);
}

TEST(a_dependent_kernel_waits_for_its_primary)
{
    enum { N = 4096 };
    cuc_kernel *first = kernel("slow_fill"), *second = kernel("dependent");
    uint32_t *out;

    if (compute_capability() < 90) {
        cuc_kernel_release(first);
        cuc_kernel_release(second);
        SKIP("programmatic dependent launch came with compute capability 9.0");
    }
    cuc_buffer *in = allocate(N * 4), *b = allocate_pinned(&out, N * 4);
    for (uint32_t round = 1; round <= 5; round++) {
        ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { N / 256 }, .block = { 256 }), first,
                         in, round));
        ck_ok(CUC_LAUNCH(stream,
                         CUC_LAUNCH_CONFIG(.grid = { N / 256 }, .block = { 256 },
                                           .flags = CUC_LAUNCH_PROGRAMMATIC),
                         second, in, b));
        ck_ok(cuc_stream_synchronize(stream));
        for (uint32_t i = 0; i < N; i++)
            ck_assert_uint_eq(out[i], i * round + 1);
    }
    cuc_buffer_release(in);
    cuc_buffer_release(b);
    cuc_kernel_release(first);
    cuc_kernel_release(second);
}

static const cuc_launch_attribute launch_attributes[] = {
    { .id = CUC_LAUNCH_ATTRIBUTE_PRIORITY, .value.value = -1 },
    { .id = CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, .value.value = 1 },
    { .id = CUC_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, .value.value = 50 },
    { .id = CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, .value.domain_map = { 0, 1 } },
    { .id = CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
      .value.window = { .bytes = 4096, .hit_ratio = 1, .hit = CUC_CACHE_STREAMING } },
    { .id = CUC_LAUNCH_ATTRIBUTE_IGNORE },
};

TEST_ROWS(launch_attributes_are_taken, launch_attributes)
{
    cuc_kernel *k = kernel("twice<int>");
    int32_t *x;
    cuc_buffer *b = allocate_pinned(&x, 64 * 4), *window = allocate(4096);
    cuc_launch_attribute a = launch_attributes[_i];

    if (a.id == CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
        a.value.window.base = cuc_buffer_ptr(window);
    for (int i = 0; i < 64; i++)
        x[i] = i;
    ck_ok(CUC_LAUNCH(
        stream,
        CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 64 }, .attribute_count = 1, .attributes = &a),
        k, b, 64u));
    ck_ok(cuc_stream_synchronize(stream));
    cuc_buffer_release(window);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(x[i], 2 * i);
    cuc_buffer_release(b);
    cuc_kernel_release(k);
}

static void *launch_in_a_thread(void *data)
{
    cuc_kernel *k = NULL;

    if (testing_current() != NULL || cuc_object_get_kernel(&k, object, "twice<float>") < 0)
        return NULL;
    cuc_status st = CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }), k,
                               (cuc_buffer *)data, 32u);
    cuc_stream *legacy;
    if (st == CUC_OK)
        st = cuc_stream_get_default(&legacy, device, CUC_STREAM_LEGACY);
    if (st == CUC_OK)
        st = cuc_stream_synchronize(stream);
    if (st == CUC_OK)
        st = CUC_LAUNCH(legacy, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }), k,
                        (cuc_buffer *)data, 32u);
    if (st == CUC_OK)
        st = cuc_stream_synchronize(legacy);
    cuc_kernel_release(k);
    return st == CUC_OK && testing_current() == NULL ? data : NULL;
}

TEST(a_thread_without_a_context_launches)
{
    pthread_t thread;
    void *result;
    float *x;
    cuc_buffer *b = allocate_pinned(&x, 32 * 4);

    for (int i = 0; i < 32; i++)
        x[i] = (float)i;
    ck_assert_int_eq(pthread_create(&thread, NULL, launch_in_a_thread, b), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_eq(result, b);
    for (int i = 0; i < 32; i++)
        ck_assert(x[i] == 4.0f * (float)i);
    cuc_buffer_release(b);
}

TEST_RANGE(default_streams_run_kernels, 0, 2)
{
    cuc_kernel *k = kernel("twice<int>");
    cuc_stream *s = NULL;
    int32_t *x;
    cuc_buffer *b = allocate_pinned(&x, 32 * 4);

    for (int i = 0; i < 32; i++)
        x[i] = i;
    ck_ok(cuc_stream_get_default(&s, device, _i));
    ck_ok(CUC_LAUNCH(s, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }), k, b, 32u));
    ck_ok(cuc_stream_synchronize(s));
    ck_assert_ptr_null(testing_current());
    for (int i = 0; i < 32; i++)
        ck_assert_int_eq(x[i], 2 * i);
    cuc_buffer_release(b);
    cuc_kernel_release(k);
}

TEST(events_measure_a_kernel)
{
    cuc_kernel *k = kernel("spin");
    cuc_event *start, *end;
    float ms = 0;

    ck_ok(cuc_event_create(&start, device, CUC_EVENT_OPTIONS(.flags = CUC_EVENT_TIMING)));
    ck_ok(cuc_event_create(&end, device, CUC_EVENT_OPTIONS(.flags = CUC_EVENT_TIMING)));
    ck_ok(cuc_event_record(stream, start));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }), k, 20000000ull));
    ck_ok(cuc_event_record(stream, end));
    ck_assert_int_eq(cuc_event_query(end), CUC_NOT_READY);
    ck_assert_int_eq(cuc_event_get_elapsed(&ms, start, end), CUC_NOT_READY);
    ck_ok(cuc_event_synchronize(end));
    ck_ok(cuc_event_get_elapsed(&ms, start, end));
    ck_assert_msg(ms >= 19 && ms < 1000, "a kernel of 20 ms took %g", (double)ms);
    cuc_event_release(start);
    cuc_event_release(end);
    cuc_kernel_release(k);
}

TEST(streams_wait_for_words_of_device_memory)
{
    cuc_stream *other;
    cuc_memory_resource *plain;
    cuc_buffer *b, *pooled = allocate(16);
    uint64_t words[2] = { 0, 0 };

    ck_ok(cuc_memory_synchronous_create(&plain, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_buffer_create(&b, NULL, plain, 16));
    ck_ok(cuc_stream_create(&other, device, NULL));
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_wait_value(stream, cuc_buffer_ptr(pooled), 7, 4, 0),
             "in a memory pool");
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_write_value(stream, cuc_buffer_ptr(pooled), 7, 4, 0),
             "in a memory pool");
    ck_ok(cuc_buffer_fill(stream, b, 0, 0, 4, 16));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_stream_wait_value(stream, cuc_buffer_ptr(b), 7, 4, CUC_WAIT_EQ));
    ck_ok(cuc_stream_wait_value(stream, cuc_buffer_ptr(b) + 8, 1ull << 40, 8, CUC_WAIT_GEQ));
    ck_assert_int_eq(cuc_stream_query(stream), CUC_NOT_READY);
    ck_ok(cuc_stream_write_value(other, cuc_buffer_ptr(b) + 8, (1ull << 40) + 1, 8, 0));
    ck_ok(cuc_stream_write_value(other, cuc_buffer_ptr(b), 7, 4, 0));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_buffer_read_async(stream, words, b, 0, 16));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_uint_eq(words[0], 7);
    ck_assert_uint_eq(words[1], (1ull << 40) + 1);
    cuc_stream_release(other);
    cuc_buffer_release(b);
    cuc_buffer_release(pooled);
    cuc_memory_resource_release(plain);
}

static void count_up(void *user)
{
    ++*(_Atomic int *)user;
}

static void count_callback(cuc_status status, int32_t code, void *user)
{
    *(_Atomic int *)user += status == CUC_OK && code == 0 ? 100 : 1000000;
}

static void wait_for_gate(void *gate)
{
    while (!*(_Atomic int *)gate)
        testing_sleep_ms(1);
}

TEST(host_functions_run_between_kernels)
{
    cuc_kernel *k = kernel("spin");
    _Atomic int calls = 0, gate = 0;

    ck_ok(cuc_launch_host(stream, wait_for_gate, &gate));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }), k, 5000000ull));
    ck_ok(cuc_launch_host(stream, count_up, &calls));
    ck_ok(cuc_stream_add_callback(stream, count_callback, &calls));
    ck_assert_int_eq(calls, 0);
    gate = 1;
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_int_eq(calls, 101);
    cuc_kernel_release(k);
}

TEST(a_descriptor_waits_for_a_long_kernel)
{
    cuc_kernel *k = kernel("spin");
    cuc_event *event;
    int32_t fd = -1;

    ck_ok(cuc_event_create(&event, device, NULL));
    for (int round = 0; round < 3; round++) {
        ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }), k, 50000000ull));
        ck_ok(cuc_event_record(stream, event));
        ck_ok(cuc_event_get_fd(&fd, event));
        struct pollfd p = { .fd = fd, .events = POLLIN };
        ck_assert_int_eq(poll(&p, 1, 10), 0); // less than 50 ms have passed
        ck_assert_int_eq(poll(&p, 1, 10000), 1);
        ck_assert_int_eq(cuc_event_query(event), CUC_OK);
        close(fd);
    }
    cuc_event_release(event);
    cuc_kernel_release(k);
}

// Memory.

static cuc_memory_resource *make_memory(int32_t kind, int pool)
{
    cuc_memory_resource *r = NULL;
    cuc_memory_pool_options o = CUC_MEMORY_POOL_OPTIONS_INIT;

    o.kind = kind;
    cuc_status st = pool ? cuc_memory_pool_create(&r, device, &o)
                         : cuc_memory_synchronous_create(&r, device, kind);
    if (st == CUC_ERROR_NOT_SUPPORTED) {
        printf("skipped: %s\n", cuc_error_message());
        return NULL;
    }
    ck_ok(st);
    return r;
}

static const struct {
    int32_t kind, pool;
} memories[] = {
    { CUC_MEMORY_DEVICE, 0 }, { CUC_MEMORY_PINNED, 0 }, { CUC_MEMORY_MANAGED, 0 },
    { CUC_MEMORY_DEVICE, 1 }, { CUC_MEMORY_PINNED, 1 }, { CUC_MEMORY_MANAGED, 1 },
};

TEST_ROWS(kernels_work_in_memory_of_every_kind, memories)
{
    enum { N = 10000 };
    cuc_memory_resource *resource = make_memory(memories[_i].kind, memories[_i].pool);
    cuc_kernel *k = kernel("twice<int>");
    cuc_buffer *b = NULL;
    static int32_t data[N];

    if (!resource) {
        cuc_kernel_release(k);
        return;
    }
    ck_ok(cuc_buffer_create(&b, stream, resource, sizeof(data)));
    for (int i = 0; i < N; i++)
        data[i] = i - 100;
    ck_ok(cuc_buffer_write_async(stream, b, 0, data, sizeof(data)));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { (N + 255) / 256 }, .block = { 256 }), k, b,
                     (uint32_t)N));
    ck_ok(cuc_stream_synchronize(stream));
    if (memories[_i].kind != CUC_MEMORY_DEVICE) {
        int32_t *host = NULL;
        ck_ok(cuc_buffer_get_host_pointer((void **)&host, b));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(host[i], 2 * (i - 100));
    }
    memset(data, 0, sizeof(data));
    ck_ok(cuc_buffer_read_async(stream, data, b, 0, sizeof(data)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(data[i], 2 * (i - 100));
    cuc_buffer_release(b);
    ck_ok(cuc_stream_synchronize(stream));
    cuc_memory_resource_release(resource);
    cuc_kernel_release(k);
}

TEST(copies_go_in_every_direction)
{
    enum { N = 4096 };
    uint8_t *host;
    cuc_buffer *a = allocate(N), *b = allocate(N), *pinned = allocate_pinned(&host, N);
    uint8_t from[N], to[N];

    for (int i = 0; i < N; i++)
        from[i] = (uint8_t)random_u32();
    ck_ok(cuc_copy_to_device(stream, cuc_buffer_ptr(a), from, N));
    ck_ok(cuc_copy(stream, cuc_buffer_ptr(b), cuc_buffer_ptr(a) + 1, N - 1)); // odd addresses
    ck_ok(cuc_copy_peer(stream, cuc_buffer_ptr(a), device, cuc_buffer_ptr(b), device, N - 1));
    ck_ok(cuc_buffer_copy(stream, pinned, 0, a, 0, N - 1));
    ck_ok(cuc_copy_to_host(stream, to, cuc_buffer_ptr(a), N - 1));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_mem_eq(to, from + 1, N - 1);
    ck_assert_mem_eq(host, from + 1, N - 1);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_read_async(stream, to, a, 10, N), "4096");
    cuc_buffer_release(a);
    cuc_buffer_release(b);
    cuc_buffer_release(pinned);
}

TEST(rectangles_and_boxes_are_copied)
{
    enum { X = 13, Y = 5, Z = 3, PITCH = 64 };
    static uint8_t from[Z][Y][X], to[Z][Y][X];
    cuc_buffer *b = allocate((size_t)PITCH * Y * Z);

    for (int z = 0; z < Z; z++)
        for (int y = 0; y < Y; y++)
            for (int x = 0; x < X; x++)
                from[z][y][x] = (uint8_t)random_u32();
    ck_ok(cuc_copy_2d(stream, CUC_COPY_2D_PARAMS(.dst = cuc_buffer_ptr(b), .dst_pitch = PITCH,
                                                 .src = cuc_host_address(from), .src_pitch = X,
                                                 .row_bytes = X, .rows = Y)));
    ck_ok(cuc_copy_2d(stream, CUC_COPY_2D_PARAMS(.src = cuc_buffer_ptr(b), .src_pitch = PITCH,
                                                 .dst = cuc_host_address(to), .dst_pitch = X,
                                                 .row_bytes = X, .rows = Y)));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_mem_eq(to, from, X * Y);
    memset(to, 0, sizeof(to));
    ck_ok(cuc_copy_3d(stream,
                      CUC_COPY_3D_PARAMS(.dst = cuc_buffer_ptr(b), .dst_pitch = PITCH,
                                         .dst_slice_rows = Y, .src = cuc_host_address(from),
                                         .src_pitch = X, .row_bytes = X, .rows = Y, .slices = Z)));
    ck_ok(cuc_copy_3d(stream,
                      CUC_COPY_3D_PARAMS(.src = cuc_buffer_ptr(b), .src_pitch = PITCH,
                                         .src_slice_rows = Y, .dst = cuc_host_address(to),
                                         .dst_pitch = X, .row_bytes = X, .rows = Y, .slices = Z)));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_mem_eq(to, from, sizeof(from));
    cuc_buffer_release(b);
}

TEST(patterns_of_one_two_and_four_bytes_are_filled)
{
    static const uint32_t patterns[] = { 0xAB, 0xBEEF, 0xDEADBEEF };
    enum { N = 1024 };
    cuc_buffer *b = allocate(N);
    uint8_t got[N];

    for (int i = 0; i < 3; i++) {
        uint32_t bytes = 1u << i;
        ck_ok(cuc_buffer_fill(stream, b, 0, 0, 4, N));
        ck_ok(cuc_buffer_fill(stream, b, 64, patterns[i], bytes, N - 128));
        ck_ok(cuc_buffer_read_async(stream, got, b, 0, N));
        ck_ok(cuc_stream_synchronize(stream));
        for (size_t at = 0; at < N; at++) {
            uint32_t expected =
                at < 64 || at >= N - 64 ? 0 : patterns[i] >> 8 * ((at - 64) % bytes) & 0xFF;
            ck_assert_uint_eq(got[at], expected);
        }
    }
    ck_ok(cuc_fill_2d(stream,
                      CUC_FILL_2D_PARAMS(.dst = cuc_buffer_ptr(b), .pitch = 64, .row_count = 5,
                                         .rows = 4, .pattern = 0x11223344, .pattern_bytes = 4)));
    ck_ok(cuc_buffer_read_async(stream, got, b, 0, N));
    ck_ok(cuc_stream_synchronize(stream));
    for (int row = 0; row < 4; row++)
        for (int at = 0; at < 20; at++)
            ck_assert_uint_eq(got[row * 64 + at], 0x44 - 0x11u * (unsigned)(at % 4));
    cuc_buffer_release(b);
}

TEST(variables_of_a_module_are_read_and_written)
{
    cuc_device_ptr counter = 0, table = 0;
    size_t counter_bytes = 0, table_bytes = 0;
    const float values[4] = { 1.5f, 2.5f, 3.5f, 4.5f };
    int32_t start = 10, after = 0;
    float *out;
    cuc_kernel *k = kernel("use_variables");
    cuc_buffer *b = allocate_pinned(&out, 16);

    ck_ok(cuc_object_get_global(&counter, &counter_bytes, object, device, "counter"));
    ck_ok(cuc_object_get_global(&table, &table_bytes, object, device, "table"));
    ck_assert_uint_eq(counter_bytes, 4);
    ck_assert_uint_eq(table_bytes, 16);
    ck_ok(cuc_copy_to_device(stream, counter, &start, 4));
    ck_ok(cuc_copy_to_device(stream, table, values, 16));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 4 }), k, b));
    ck_ok(cuc_copy_to_host(stream, &after, counter, 4));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < 4; i++)
        ck_assert(out[i] == values[i] * 2);
    ck_assert_int_eq(after, 14);
    ck_fails(CUC_ERROR_NOT_FOUND,
             cuc_object_get_global(&counter, NULL, object, device, "no_such_variable"),
             "no_such_variable");
    cuc_buffer_release(b);
    cuc_kernel_release(k);
}

TEST(occupancy_is_reported)
{
    cuc_kernel *k = kernel("saxpy");
    uint32_t blocks = 0, grid = 0, block = 0;
    size_t shared = 0;

    ck_ok(cuc_occupancy_max_active_blocks(&blocks, k, device, 256, 0, 0));
    ck_assert_uint_ge(blocks, 2);
    ck_ok(cuc_occupancy_max_potential_block_size(&grid, &block, k, device, NULL));
    ck_assert_uint_ge(block, 128);
    ck_assert_uint_le(block, 1024);
    ck_assert_uint_ge(grid, 1);
    ck_ok(cuc_occupancy_available_dynamic_shared(&shared, k, device, 1, 256));
    ck_assert_uint_ge(shared, 49152);
    cuc_kernel_release(k);
}

TEST(objects_are_linked_with_optimization)
{
    cuc_object *main_part = NULL, *function_part = NULL, *linked = NULL;
    cuc_linker *linker = NULL;
    cuc_kernel *k = NULL;
    int32_t *x;
    cuc_buffer *b = allocate_pinned(&x, 32 * 4);

    ck_ok(compile(&main_part, lto_kernel_source, "lto_kernel.cu", CUC_CODE_LTOIR));
    ck_ok(compile(&function_part, lto_function_source, "lto_function.cu", CUC_CODE_LTOIR));
    cuc_linker_options o = CUC_LINKER_OPTIONS_INIT;
    o.arch = cuc_device_arch(device);
    cuc_status st = cuc_linker_create(&linker, &o);
    if (st == CUC_ERROR_NOT_FOUND || st == CUC_ERROR_NOT_SUPPORTED) {
        cuc_buffer_release(b);
        cuc_object_release(main_part);
        cuc_object_release(function_part);
        SKIP("no linker: %s", cuc_error_message());
    }
    ck_ok(st);
    ck_ok(cuc_linker_add(linker, main_part));
    ck_ok(cuc_linker_add(linker, function_part));
    ck_ok(cuc_linker_link(&linked, linker, CUC_CODE_CUBIN));
    ck_ok(cuc_object_get_kernel(&k, linked, "apply"));
    for (int i = 0; i < 32; i++)
        x[i] = i;
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }), k, b));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < 32; i++)
        ck_assert_int_eq(x[i], i * i + 1);
    cuc_kernel_release(k);
    cuc_object_release(linked);
    cuc_linker_release(linker);
    cuc_object_release(main_part);
    cuc_object_release(function_part);
    cuc_buffer_release(b);
}

TEST(ptx_is_loaded_and_run)
{
    cuc_object *ptx = NULL;
    cuc_kernel *k = NULL;
    int32_t *x;
    cuc_buffer *b = allocate_pinned(&x, 32 * 4);

    ck_ok(compile(&ptx, gpu_source, "gpu.cu", CUC_CODE_PTX));
    ck_ok(cuc_object_get_kernel(&k, ptx, "twice<int>"));
    for (int i = 0; i < 32; i++)
        x[i] = i;
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }), k, b, 32u));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_int_eq(x[31], 62);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }), k, b, 1.0f),
             "argument 1", "f32");
    cuc_kernel_release(k);
    cuc_object_release(ptx);
    cuc_buffer_release(b);
}

// ---- Tests in separate processes

#define CHECK(condition)                                                           \
    do {                                                                           \
        if (!(condition)) {                                                        \
            fprintf(stderr, "line %d: %s; last error: %s\n", __LINE__, #condition, \
                    cuc_error_message());                                          \
            return 1;                                                              \
        }                                                                          \
    } while (0)

static struct testing_failures failures;

// Runs a kernel that writes to an unmapped address, after other kernels. With `blocking`, launches
// wait.
static int fault(int blocking)
{
    cuc_kernel *saxpy = NULL, *illegal = NULL;
    cuc_buffer *b = NULL, *more = NULL;
    cuc_event *event = NULL;
    cuc_context *context = NULL;
    const cuc_launch_config *shape = CUC_LAUNCH_CONFIG(.grid = { 3 }, .block = { 64 });

    cuc_set_failure_handler(testing_failed, &failures);
    CHECK(prepare() == CUC_OK);
    CHECK(cuc_object_get_kernel(&saxpy, object, "saxpy") == CUC_OK);
    CHECK(cuc_object_get_kernel(&illegal, object, "illegal") == CUC_OK);
    CHECK(cuc_buffer_create(&b, stream, NULL, 4096) == CUC_OK);
    CHECK(cuc_buffer_fill(stream, b, 0, 0, 4, 4096) == CUC_OK);
    CHECK(cuc_event_create(&event, device, NULL) == CUC_OK);
    CHECK(cuc_device_get_context(&context, device) == CUC_OK);
    for (int i = 0; i < 3; i++)
        CHECK(CUC_LAUNCH(stream, shape, saxpy, 1.0f, b, b, 64u) == CUC_OK);
    CHECK(cuc_launch_is_blocking() == blocking);
    cuc_status st = CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 5 }, .block = { 1 }), illegal,
                               (cuc_device_ptr)0x10);
    if (blocking) {
        CHECK(st == CUC_ERROR_CONTEXT_LOST);
        CHECK(strcmp(cuc_error_function(), "cuc_launch") == 0);
        CHECK(strstr(cuc_error_message(), "running illegal") != NULL);
    } else {
        CHECK(st == CUC_OK);
        CHECK(cuc_stream_synchronize(stream) == CUC_ERROR_CONTEXT_LOST);
    }
    CHECK(cuc_error_library_code() == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(strncmp(cuc_error_log(), "illegal grid 5,1,1 block 1,1,1", 30) == 0);
    // Launches that a wait has proved complete are not listed as suspects.
    CHECK((strstr(cuc_error_log(), "; saxpy grid 3,1,1 block 64,1,1") == NULL) == blocking);
    CHECK(strstr(cuc_error_message(), "illegal grid 5,1,1") != NULL);
    CHECK(cuc_context_is_lost(context) == CUDA_ERROR_ILLEGAL_ADDRESS);
    printf("%s\n", cuc_error_message());
    // Later failures refer to the first one, and the log lists the launch again.
    CHECK(cuc_event_record(stream, event) == CUC_ERROR_CONTEXT_LOST);
    CHECK(cuc_error_library_code() == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(strstr(cuc_error_message(), "first seen by cuc_") != NULL);
    CHECK(strstr(cuc_error_log(), "illegal grid 5,1,1") != NULL);
    CHECK(CUC_LAUNCH(stream, shape, saxpy, 1.0f, b, b, 64u) == CUC_ERROR_CONTEXT_LOST);
    CHECK(cuc_buffer_create(&more, stream, NULL, 64) == CUC_ERROR_CONTEXT_LOST);
    CHECK(cuc_device_synchronize(device) == CUC_ERROR_CONTEXT_LOST);
    cuc_event_release(event);
    cuc_buffer_release(b);
    cuc_kernel_release(saxpy);
    cuc_kernel_release(illegal);
    cuc_object_release(object);
    cuc_memory_resource_release(pinned_memory);
    cuc_stream_release(stream);
    if (failures.count)
        fprintf(stderr, "%s\n", failures.last);
    CHECK(failures.count == 0);
    return 0;
}

// In a child of a process that has used the driver, calls fail with an error.
static int forked(void)
{
    int status = 0;

    CHECK(prepare() == CUC_OK);
    fflush(NULL);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        cuc_device *d;
        int ok = cuc_device_get(&d, 0) == CUC_ERROR_FORKED &&
                 cuc_stream_synchronize(stream) == CUC_ERROR_FORKED;
        cuc_stream_release(stream);
        cuc_object_release(object);
        cuc_memory_resource_release(pinned_memory);
        _exit(ok ? 0 : 1);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(cuc_stream_synchronize(stream) == CUC_OK);
    return 0;
}

static const struct {
    const char *argument;
    const char *variable;
} processes[] = {
    { "--fault", "CUCORE_LAUNCH_BLOCKING=0" },
    { "--fault-blocking", "CUCORE_LAUNCH_BLOCKING=1" },
    { "--fork", "CUCORE_LAUNCH_BLOCKING=0" },
};

extern char **environ;

TEST_ROWS(a_process_of_its_own_fails_as_expected, processes)
{
    char variable[64], argument[32], self[] = "/proc/self/exe";
    char *arguments[] = { self, argument, NULL };
    char **environment;
    size_t n = 0, at = 0;
    pid_t pid;
    int status = 0;

    snprintf(argument, sizeof(argument), "%s", processes[_i].argument);
    snprintf(variable, sizeof(variable), "%s", processes[_i].variable);
    while (environ[n])
        n++;
    environment = calloc(n + 2, sizeof(*environment));
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "CUCORE_LAUNCH_BLOCKING=", 23) != 0)
            environment[at++] = environ[i];
    environment[at] = variable;
    fflush(NULL);
    ck_assert_int_eq(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environment), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    free(environment);
}

static void release(void)
{
    cuc_object_release(object);
    cuc_memory_resource_release(pinned_memory);
    cuc_stream_release(stream);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (fake_available()) {
        printf("skipped: the fake driver runs no kernels\n");
        return 77;
    }
    for (int i = 0; argc == 2 && i < CUC_LENGTH(processes); i++)
        if (strcmp(argv[1], processes[i].argument) == 0)
            return i == 2 ? forked() : fault(i);
    cuc_status st = prepare();
    if (st == CUC_ERROR_NO_DRIVER || st == CUC_ERROR_NO_DEVICE || st == CUC_ERROR_NOT_FOUND ||
        st == CUC_ERROR_DRIVER_TOO_OLD) {
        printf("skipped: %s\n", cuc_error_message());
        return 77;
    }
    if (st < 0) {
        fprintf(stderr, "%s\n%s\n", cuc_error_message(), cuc_error_log());
        return EXIT_FAILURE;
    }
    printf("on %s, %s\n", cuc_device_name(device), cuc_device_arch(device));
    int status = run_tests_as("gpu", CK_NOFORK, CK_ENV);
    release();
    return status;
}
