// Helpers that the tests of graphs share: kernels that count, on either driver, and fixtures.
#ifndef CUCORE_TESTS_SUPPORT_GRAPH_TESTING_H
#define CUCORE_TESTS_SUPPORT_GRAPH_TESTING_H

#include "device/context.h"
#include "device/deferred.h"
#include "testing.h"

// Some programs do not use all of these.
#define SHARED __attribute__((unused)) static

enum { N = 32 }; // number of elements and of threads

// affine: x[i] = a * x[i] + b; minus: x[i] = a * x[i] - b. Both compute modulo 2^32 and use 32
// threads.
// clang-format off
#define GRAPH_KERNEL(name, op) \
    ".visible .entry " name "(.param .u64 p, .param .u32 q, .param .u32 r)\n" \
    "{\n" \
    "    .reg .b32 %r<6>;\n" \
    "    .reg .b64 %d<4>;\n" \
    "    ld.param.u64 %d1, [p];\n" \
    "    ld.param.u32 %r1, [q];\n" \
    "    ld.param.u32 %r2, [r];\n" \
    "    mov.u32 %r3, %tid.x;\n" \
    "    mul.wide.u32 %d2, %r3, 4;\n" \
    "    add.s64 %d3, %d1, %d2;\n" \
    "    ld.global.u32 %r4, [%d3];\n" \
    "    mul.lo.u32 %r4, %r4, %r1;\n" \
    "    " op ".u32 %r5, %r4, %r2;\n" \
    "    st.global.u32 [%d3], %r5;\n" \
    "    ret;\n" \
    "}\n"
static const char graph_ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
    GRAPH_KERNEL("affine", "add") GRAPH_KERNEL("minus", "sub");
// clang-format on

SHARED void affine_on_host(void **params, const CUlaunchConfig *config)
{
    uint32_t *x = *(uint32_t **)params[0], a = *(uint32_t *)params[1], b = *(uint32_t *)params[2];

    for (unsigned i = 0; i < config->blockDimX; i++)
        x[i] = a * x[i] + b;
}

SHARED void minus_on_host(void **params, const CUlaunchConfig *config)
{
    uint32_t *x = *(uint32_t **)params[0], a = *(uint32_t *)params[1], b = *(uint32_t *)params[2];

    for (unsigned i = 0; i < config->blockDimX; i++)
        x[i] = a * x[i] - b;
}

static cuc_device *device;
static cuc_stream *stream, *side;
static cuc_object *object;
static cuc_kernel *affine, *minus;
static cuc_buffer *buffer; // N words, initially zero
static struct testing_failures unraisable;

SHARED cuc_status launch_on(cuc_stream *s, cuc_kernel *kernel, cuc_buffer *x, uint32_t a,
                            uint32_t b)
{
    return CUC_LAUNCH(s, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { N }), kernel, x, a, b);
}

// Returns the value of the elements, which must all be equal.
SHARED uint32_t value_of(cuc_buffer *x)
{
    uint32_t host[N];

    ck_ok(cuc_buffer_read_async(stream, host, x, 0, sizeof(host)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 1; i < N; i++)
        ck_assert_uint_eq(host[i], host[0]);
    return host[0];
}

SHARED void set_value(cuc_buffer *x, uint32_t value)
{
    ck_ok(cuc_buffer_fill(stream, x, 0, value, 4, 4 * N));
    ck_ok(cuc_stream_synchronize(stream));
}

SHARED cuc_buffer *new_buffer(void)
{
    cuc_memory_resource *resource;
    cuc_buffer *b = NULL;

    ck_ok(cuc_memory_synchronous_create(&resource, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_buffer_create(&b, NULL, resource, 4 * N));
    cuc_memory_resource_release(resource);
    set_value(b, 0);
    return b;
}

SHARED void graph_setup_on(int version)
{
    if (fake_available()) {
        fake_reset();
        fake_set_version(version);
        fake_define_kernel("affine", affine_on_host);
        fake_define_kernel("minus", minus_on_host);
    }
    memset(&unraisable, 0, sizeof(unraisable));
    cuc_set_failure_handler(testing_failed, &unraisable);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_stream_create(&side, device, NULL));
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, graph_ptx, sizeof(graph_ptx) - 1, NULL));
    ck_ok(cuc_object_get_kernel(&affine, object, "affine"));
    ck_ok(cuc_object_get_kernel(&minus, object, "minus"));
    buffer = new_buffer();
}

SHARED void graph_setup(void)
{
    graph_setup_on(13000);
}

SHARED void release_all(void)
{
    cuc_buffer_release(buffer);
    cuc_kernel_release(affine);
    cuc_kernel_release(minus);
    cuc_object_release(object);
    cuc_stream_release(side);
    cuc_stream_release(stream);
    buffer = NULL;
    affine = minus = NULL;
    object = NULL;
    stream = side = NULL;
}

// Returns the number of live objects. The driver's own thread releases some of them a moment later.
SHARED int alive_after_tidying(void)
{
    cuc__deferred_poll();
    return fake_available() ? fake_live_total() : 0;
}

SHARED void graph_teardown(void)
{
    if (stream)
        ck_ok(cuc_stream_synchronize(stream));
    release_all();
    ck_soon(alive_after_tidying() == 0);
    ck_assert_ptr_null(testing_current());
    ck_assert_msg(unraisable.count == 0, "%s", unraisable.last);
    ck_assert_uint_eq(cuc__modes & CUC__MODE_CAPTURING, 0);
    cuc_set_failure_handler(NULL, NULL);
}

SHARED cuc_graph *end_capture(void)
{
    cuc_graph *graph = NULL;

    ck_ok(cuc_stream_end_capture(&graph, stream));
    return graph;
}

SHARED cuc_graph_exec *instance_of(cuc_graph *graph)
{
    cuc_graph_exec *exec = NULL;

    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    return exec;
}

static inline int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

// Checks the types of a graph's nodes. A driver may list the nodes in any order.
SHARED void ck_types(cuc_graph *graph, const int32_t *expected, size_t count)
{
    int32_t got[8], want[8];
    size_t n = 0;

    ck_ok(cuc_graph_get_node_count(&n, graph));
    ck_assert_uint_eq(n, count);
    ck_ok(cuc_graph_get_node_types(got, count, graph));
    memcpy(want, expected, count * sizeof(*want));
    qsort(got, count, sizeof(*got), by_value);
    qsort(want, count, sizeof(*want), by_value);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(got[i], want[i]);
}

// Skips cases that CUDA does not document: only the simulated drivers' behavior is known.
#define NEED_SIMULATED()                                         \
    do {                                                         \
        if (!cuc__driver_simulated())                            \
            SKIP("it is not documented how a driver does this"); \
    } while (0)

#define BEGIN(mode) ck_ok(cuc_stream_begin_capture(stream, (mode)))

#endif
