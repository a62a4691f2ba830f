// Tests green contexts: groups of multiprocessors, and streams confined to them.
#include <cucore/green.h>

#include "base/array.h"
#include "driver/cuda_abi.h"
#include "graph_testing.h"

static cuc_sms all;

static void setup(void)
{
    graph_setup();
    cuc_status st = cuc_device_get_sms(&all, device);
    if (st == CUC_ERROR_NOT_SUPPORTED)
        all.count = 0;
    else
        ck_ok(st);
}

#define NEED_GREEN()                                                        \
    do {                                                                    \
        if (!all.count)                                                     \
            SKIP("the driver, of before CUDA 12.4, has no green contexts"); \
    } while (0)

static cuc_green_context *green_of(const cuc_sms *sms, size_t count)
{
    cuc_green_context *g = NULL;

    ck_ok(cuc_green_context_create(&g, device, sms, count));
    return g;
}

CASE("green", .setup = setup, .teardown = graph_teardown);

TEST(a_device_has_its_multiprocessors)
{
    int32_t count = 0;

    NEED_GREEN();
    ck_ok(cuc_device_get_attribute(&count, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    ck_assert_uint_eq(all.count, (uint32_t)count);
}

// The requested number and size of groups, and the result.
static const struct {
    uint32_t wanted, least, flags;
} splits[] = {
    { 1, 0, 0 },
    { 8, 8, 0 },
    { 2, 40, 0 },
    { 100, 16, 0 },
    { 1, 1, CUC_SMS_ANY },
    { 3, 10, CUC_SMS_ANY },
    { 2, 16, CUC_SMS_MAX_CLUSTER },
};

TEST_ROWS(groups_are_of_one_size_and_the_rest_is_left, splits)
{
    uint32_t count = splits[_i].wanted, most = 0;
    cuc_sms *groups = calloc(count, sizeof(*groups)), rest;

    NEED_GREEN();
    ck_ok(cuc_sms_split(NULL, &most, NULL, &all, splits[_i].least, splits[_i].flags));
    ck_ok(cuc_sms_split(groups, &count, &rest, &all, splits[_i].least, splits[_i].flags));
    ck_assert_uint_ge(count, 1);
    ck_assert_uint_eq(count, splits[_i].wanted < most ? splits[_i].wanted : most);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_ge(groups[i].count, splits[_i].least);
        ck_assert_uint_eq(groups[i].count, groups[0].count);
    }
    ck_assert_uint_eq(count * groups[0].count + rest.count, all.count);
    free(groups);
}

TEST(a_stream_of_a_green_context_works_like_any_other)
{
    cuc_sms group, rest, got;
    cuc_stream *part = NULL, *other = NULL;
    cuc_event *event = NULL;
    uint32_t one = 1;

    NEED_GREEN();
    ck_ok(cuc_sms_split(&group, &one, &rest, &all, 16, 0));
    cuc_green_context *a = green_of(&group, 1), *b = green_of(&rest, 1);
    ck_ok(cuc_green_context_get_sms(&got, a));
    ck_assert_uint_eq(got.count, group.count);
    ck_assert_ptr_eq(cuc_green_context_device(a), device);
    ck_assert_ptr_nonnull(cuc_green_context_handle(a));
    ck_ok(cuc_green_context_stream_create(&part, a, NULL));
    ck_ok(cuc_green_context_stream_create(&other, b, CUC_STREAM_OPTIONS(.priority = -1)));
    cuc_green_context_release(a); // the streams keep the green contexts alive
    cuc_green_context_release(b);

    ck_assert_ptr_eq(cuc_stream_device(part), device);
    ck_ok(cuc_event_create(&event, device, NULL));
    ck_ok(cuc_buffer_fill(part, buffer, 0, 1, 4, 4 * N));
    ck_ok(launch_on(part, affine, buffer, 2, 3));
    ck_ok(cuc_event_record(part, event));
    ck_ok(cuc_stream_wait_event(other, event));
    ck_ok(launch_on(other, affine, buffer, 10, 0));
    ck_ok(cuc_stream_wait_stream(stream, other));
    ck_assert_uint_eq(value_of(buffer), 50);
    // Stream-ordered memory, and a graph.
    cuc_buffer *mine = NULL;
    cuc_graph *graph = NULL;
    ck_ok(cuc_buffer_create(&mine, part, NULL, 4 * N));
    ck_ok(cuc_buffer_copy(part, mine, 0, buffer, 0, 4 * N));
    ck_ok(cuc_stream_begin_capture(part, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(launch_on(part, affine, mine, 1, 1));
    ck_ok(cuc_stream_end_capture(&graph, part));
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(part, exec));
    ck_ok(cuc_stream_wait_stream(stream, part));
    ck_assert_uint_eq(value_of(mine), 51);
    cuc_buffer_release(mine);
    cuc_graph_release(graph);
    ck_ok(cuc_stream_synchronize(part));
    cuc_graph_exec_release(exec);
    cuc_event_release(event);
    cuc_stream_release(part);
    cuc_stream_release(other);
}

// Each block writes the number of its multiprocessor and stays a while, so that the blocks use all
// of the group's multiprocessors.
// clang-format off
static const char where_ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry where(.param .u64 out)\n"
    "{\n"
    "    .reg .pred %p<2>;\n"
    "    .reg .b32 %r<6>;\n"
    "    .reg .b64 %d<4>;\n"
    "    ld.param.u64 %d1, [out];\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %smid;\n"
    "    mul.wide.u32 %d2, %r1, 4;\n"
    "    add.s64 %d3, %d1, %d2;\n"
    "    st.global.u32 [%d3], %r2;\n"
    "    mov.u32 %r3, 0;\n"
    "again:\n"
    "    add.u32 %r3, %r3, 1;\n"
    "    nanosleep.u32 1000;\n"
    "    setp.lt.u32 %p1, %r3, 20;\n"
    "    @%p1 bra again;\n"
    "    ret;\n"
    "}\n";
// clang-format on

enum { BLOCKS = 4096, MOST_SMS = 1024 };

static uint32_t mark_where(bool *used, cuc_stream *s, cuc_kernel *kernel)
{
    static uint32_t host[BLOCKS];
    cuc_buffer *out = NULL;
    uint32_t count = 0;

    ck_ok(cuc_buffer_create(&out, s, NULL, sizeof(host)));
    ck_ok(CUC_LAUNCH(s, CUC_LAUNCH_CONFIG(.grid = { BLOCKS }, .block = { 1024 }), kernel, out));
    ck_ok(cuc_buffer_read_async(s, host, out, 0, sizeof(host)));
    ck_ok(cuc_stream_synchronize(s));
    cuc_buffer_release(out);
    for (int i = 0; i < BLOCKS; i++) {
        ck_assert_uint_lt(host[i], MOST_SMS);
        count += !used[host[i]];
        used[host[i]] = true;
    }
    return count;
}

TEST(kernels_stay_on_the_multiprocessors_of_their_green_context)
{
    bool here[MOST_SMS] = { false }, there[MOST_SMS] = { false };
    cuc_stream *part = NULL, *other = NULL;
    cuc_object *code = NULL;
    cuc_kernel *where = NULL;
    cuc_sms group, rest;
    uint32_t one = 1;

    NEED_GREEN();
    if (cuc__driver_simulated())
        SKIP("a simulated driver's kernels run on threads");
    ck_ok(cuc_object_create(&code, CUC_CODE_PTX, where_ptx, sizeof(where_ptx) - 1, NULL));
    ck_ok(cuc_object_get_kernel(&where, code, "where"));
    ck_ok(cuc_sms_split(&group, &one, &rest, &all, 16, 0));
    cuc_green_context *a = green_of(&group, 1), *b = green_of(&rest, 1);
    ck_ok(cuc_green_context_stream_create(&part, a, NULL));
    ck_ok(cuc_green_context_stream_create(&other, b, NULL));
    ck_assert_uint_eq(mark_where(here, part, where), group.count);
    ck_assert_uint_eq(mark_where(there, other, where), rest.count);
    for (int i = 0; i < MOST_SMS; i++)
        ck_assert(!(here[i] && there[i]));
    cuc_stream_release(part);
    cuc_stream_release(other);
    cuc_green_context_release(a);
    cuc_green_context_release(b);
    cuc_kernel_release(where);
    cuc_object_release(code);
}

TEST(groups_of_one_split_make_one_context)
{
    cuc_sms groups[2], got;
    uint32_t two = 2;

    NEED_GREEN();
    ck_ok(cuc_sms_split(groups, &two, NULL, &all, 16, 0));
    cuc_green_context *both = green_of(groups, 2);
    ck_ok(cuc_green_context_get_sms(&got, both));
    ck_assert_uint_eq(got.count, groups[0].count + groups[1].count);
    ck_assert_ptr_eq(cuc_green_context_retain(both), both);
    cuc_green_context_release(both);
    cuc_green_context_release(both);
}

TEST(invalid_arguments_are_refused)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_sms group, none = { .count = 0 }, sms;
    cuc_green_context *green = NULL;
    cuc_stream *s = NULL;
    uint32_t count = 1, zero = 0;

    NEED_GREEN();
    ck_fails(bad, cuc_device_get_sms(NULL, device), "out is NULL");
    ck_fails(bad, cuc_device_get_sms(&sms, NULL), "device is NULL");
    ck_fails(bad, cuc_sms_split(&group, NULL, NULL, &all, 0, 0), "count is NULL");
    ck_fails(bad, cuc_sms_split(&group, &count, NULL, NULL, 0, 0), "from is NULL");
    ck_fails(bad, cuc_sms_split(&group, &zero, NULL, &all, 0, 0), "*count is 0");
    ck_fails(bad, cuc_sms_split(&group, &count, NULL, &all, all.count + 1, 0),
             "multiprocessors to split");
    ck_fails(bad, cuc_sms_split(&group, &count, NULL, &all, 0, 4), "flags is 0x4");
    ck_fails(bad, cuc_sms_split(&group, &count, NULL, &none, 0, 0),
             "from[0] has no multiprocessors");
    ck_fails(bad, cuc_green_context_create(NULL, device, &all, 1), "out is NULL");
    ck_fails(bad, cuc_green_context_create(&green, device, NULL, 1), "sms is NULL");
    ck_fails(bad, cuc_green_context_create(&green, device, &all, 0), "count is 0");
    ck_fails(bad, cuc_green_context_create(&green, device, &none, 1),
             "sms[0] has no multiprocessors");
    ck_ok(cuc_sms_split(&group, &count, NULL, &all, 16, 0));
    ck_fails(CUC_ERROR_DRIVER, cuc_sms_split(&sms, &count, NULL, &group, 8, 0),
             "cuDevSmResourceSplitByCount");
    green = green_of(&group, 1);
    ck_fails(bad, cuc_green_context_stream_create(NULL, green, NULL), "out is NULL");
    ck_fails(bad, cuc_green_context_stream_create(&s, NULL, NULL), "context is NULL");
    ck_fails(bad,
             cuc_green_context_stream_create(&s, green,
                                             CUC_STREAM_OPTIONS(.flags = CUC_STREAM_SYNC_LEGACY)),
             "flags is 0x1");
    cuc_green_context_release(green);
}

static const char *const calls[] = { "cuDevResourceGenerateDesc", "cuGreenCtxCreate",
                                     "cuGreenCtxStreamCreate" };

TEST_ROWS(a_driver_failure_leaves_nothing_behind, calls)
{
    cuc_green_context *green = NULL;
    cuc_stream *s = NULL;

    NEED_FAKE();
    fake_fail(calls[_i], 1, CUDA_ERROR_OUT_OF_MEMORY);
    cuc_status st = cuc_green_context_create(&green, device, &all, 1);
    if (st >= 0)
        ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_green_context_stream_create(&s, green, NULL),
                 calls[_i]);
    else
        ck_assert_ptr_null(green);
    ck_assert_ptr_null(s);
    cuc_green_context_release(green);
}

int main(void)
{
    return run_device_tests("green");
}
