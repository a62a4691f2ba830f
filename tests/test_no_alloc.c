// Tests that hot paths do not allocate: launch, record, wait, copy, query.
#include "base/array.h"
#include "launch_ptx.h"
#include "testing.h"
#include "wrap_malloc.h"

static cuc_device *device;
static cuc_stream *stream, *second, *legacy;
static cuc_event *event;
static cuc_object *object;
static cuc_kernel *none, *three, *many, *tile;
static cuc_buffer *buffer, *pinned, *word; // a stream cannot wait for a word in a pool's memory
static cuc_tensor tensor, square, product;
static cuc_gemm_plan *plan;
static void *host;
static cuc_graph_exec *exec;

#define SHAPE CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 })

static void setup(void)
{
    cuc_memory_resource *resource;

    if (fake_available())
        fake_reset();
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_stream_create(&second, device, NULL));
    ck_ok(cuc_stream_get_default(&legacy, device, CUC_STREAM_LEGACY));
    ck_ok(cuc_event_create(&event, device, NULL));
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    ck_ok(cuc_object_get_kernel(&none, object, "none"));
    ck_ok(cuc_object_get_kernel(&three, object, "three"));
    ck_ok(cuc_object_get_kernel(&many, object, "many"));
    ck_ok(cuc_buffer_create(&buffer, stream, NULL, 4096));
    ck_ok(cuc_memory_synchronous_create(&resource, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_buffer_create(&word, NULL, resource, 4));
    cuc_memory_resource_release(resource);
    ck_ok(cuc_memory_synchronous_create(&resource, device, CUC_MEMORY_PINNED));
    ck_ok(cuc_buffer_create(&pinned, NULL, resource, 4096));
    ck_ok(cuc_buffer_get_host_pointer(&host, pinned));
    cuc_memory_resource_release(resource);
    ck_ok(cuc_tensor_from_buffer(&tensor, buffer, CUC_F32, 1, (const int64_t[]){ 16 }));
    ck_ok(cuc_stream_synchronize(stream));
    static const char twice[] = "kernel twice(x: f32[N]) grid cdiv(N, 64) {\n"
                                "    x_ = load(x, [block(0)], [64])\n"
                                "    store(x, [block(0)], x_ + x_)\n"
                                "}\n";
    cuc_program *program;
    cuc_object *code;
    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, twice, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_80")));
    ck_ok(cuc_program_compile(&code, program, CUC_CODE_PTX));
    ck_ok(cuc_object_get_kernel(&tile, code, "twice"));
    cuc_object_release(code);
    cuc_program_release(program);
    ck_ok(cuc_tensor_from_buffer(&square, buffer, CUC_F32, 2, (const int64_t[]){ 8, 8 }));
    product = square;
    product.data += 1024;
    ck_ok(cuc_gemm_plan_create(
        &plan, device,
        CUC_GEMM_OPTIONS(.dtype = CUC_F32, .c_dtype = CUC_F32, .m = 8, .n = 8, .k = 8)));
    cuc_graph *graph;
    ck_ok(cuc_stream_begin_capture(second, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(CUC_LAUNCH(second, SHAPE, none));
    ck_ok(cuc_buffer_read_async(second, host, buffer, 0, 1024));
    ck_ok(cuc_stream_end_capture(&graph, second));
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    cuc_graph_release(graph);
}

static void teardown(void)
{
    ck_ok(cuc_device_synchronize(device));
    cuc_graph_exec_release(exec);
    cuc_buffer_release(pinned);
    cuc_buffer_release(word);
    cuc_buffer_release(buffer);
    cuc_kernel_release(none);
    cuc_kernel_release(three);
    cuc_kernel_release(many);
    cuc_kernel_release(tile);
    cuc_gemm_plan_release(plan);
    cuc_object_release(object);
    cuc_event_release(event);
    cuc_stream_release(second);
    cuc_stream_release(stream);
}

static cuc_status launch_nothing(void)
{
    return CUC_LAUNCH(stream, SHAPE, none);
}

static cuc_status launch_three(void)
{
    return CUC_LAUNCH(stream, SHAPE, three, 1.0f, buffer, 1);
}

static cuc_status launch_tensor(void)
{
    return CUC_LAUNCH(stream, SHAPE, three, 1.0f, &tensor, 1);
}

static cuc_status launch_tile(void)
{
    return CUC_LAUNCH(stream, NULL, tile, &tensor);
}

static cuc_status multiply(void)
{
    return cuc_gemm(stream, plan, 1, 0, CUC_GEMM_ARGS(.a = &square, .b = &square, .d = &product));
}

static cuc_status multiply_and_add(void)
{
    return cuc_gemm(stream, plan, 2, 1,
                    CUC_GEMM_ARGS(.a = &square, .b = &square, .c = &product, .d = &product));
}

static cuc_status launch_many(void)
{
    return CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 2, 2, 2 }, .block = { 4, 4, 4 }), many, 0,
                      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                      23, 24, 25, 26, 27, 28, 29, 30, 31);
}

static cuc_status launch_with_attributes(void)
{
    return CUC_LAUNCH(
        stream, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 32 }, .flags = CUC_LAUNCH_COOPERATIVE),
        none);
}

static cuc_status launch_with_shared_memory(void)
{
    return CUC_LAUNCH(
        stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }, .shared_bytes = 65536), none);
}

static cuc_status launch_on_the_default_stream(void)
{
    return CUC_LAUNCH(legacy, SHAPE, none);
}

static void nothing(void *user)
{
    (void)user;
}

static cuc_status launch_host(void)
{
    return cuc_launch_host(stream, nothing, NULL);
}

static cuc_status record(void)
{
    return cuc_event_record(stream, event);
}

static cuc_status record_on_the_default_stream(void)
{
    return cuc_event_record(legacy, event);
}

static cuc_status wait_event(void)
{
    return cuc_stream_wait_event(second, event);
}

static cuc_status wait_stream(void)
{
    return cuc_stream_wait_stream(second, stream);
}

static cuc_status write_value(void)
{
    return cuc_stream_write_value(stream, cuc_buffer_ptr(word), 1, 4, 0);
}

static cuc_status wait_value(void)
{
    cuc_status st = write_value();

    return st ? st : cuc_stream_wait_value(stream, cuc_buffer_ptr(word), 1, 4, CUC_WAIT_EQ);
}

static cuc_status synchronize(void)
{
    cuc_status st = cuc_stream_synchronize(stream);

    return st ? st : cuc_event_synchronize(event);
}

static cuc_status query(void)
{
    (void)cuc_event_query(event);
    return cuc_stream_query(legacy) < 0 ? CUC_ERROR_INTERNAL : CUC_OK;
}

static cuc_status write_buffer(void)
{
    return cuc_buffer_write_async(stream, buffer, 0, host, 1024);
}

static cuc_status read_buffer(void)
{
    return cuc_buffer_read_async(stream, host, buffer, 0, 1024);
}

static cuc_status copy_buffer(void)
{
    return cuc_buffer_copy(stream, buffer, 0, buffer, 2048, 1024);
}

static cuc_status copy_rectangle(void)
{
    return cuc_copy_2d(stream,
                       CUC_COPY_2D_PARAMS(.dst = cuc_buffer_ptr(buffer),
                                          .src = cuc_buffer_ptr(buffer) + 2048, .dst_pitch = 64,
                                          .src_pitch = 128, .row_bytes = 32, .rows = 8));
}

static cuc_status copy_box(void)
{
    return cuc_copy_3d(stream, CUC_COPY_3D_PARAMS(.dst = cuc_buffer_ptr(buffer),
                                                  .src = cuc_buffer_ptr(buffer) + 2048,
                                                  .row_bytes = 16, .rows = 4, .slices = 4));
}

static cuc_status fill(void)
{
    return cuc_buffer_fill(stream, buffer, 0, 7, 4, 1024);
}

static cuc_status launch_graph(void)
{
    return cuc_graph_exec_launch(stream, exec);
}

static cuc_status launch_graph_on_the_default_stream(void)
{
    return cuc_graph_exec_launch(legacy, exec);
}

static cuc_status upload_graph(void)
{
    return cuc_graph_exec_upload(stream, exec);
}

static const struct {
    const char *name;
    cuc_status (*call)(void);
} calls[] = {
#define ROW(name)   \
    {               \
#name, name \
    }
    ROW(launch_nothing),
    ROW(launch_three),
    ROW(launch_tensor),
    ROW(launch_tile),
    ROW(multiply),
    ROW(multiply_and_add),
    ROW(launch_many),
    ROW(launch_with_attributes),
    ROW(launch_with_shared_memory),
    ROW(launch_on_the_default_stream),
    ROW(launch_host),
    ROW(record),
    ROW(record_on_the_default_stream),
    ROW(wait_event),
    ROW(wait_stream),
    ROW(write_value),
    ROW(wait_value),
    ROW(synchronize),
    ROW(query),
    ROW(write_buffer),
    ROW(read_buffer),
    ROW(copy_buffer),
    ROW(copy_rectangle),
    ROW(copy_box),
    ROW(fill),
    ROW(launch_graph),
    ROW(launch_graph_on_the_default_stream),
    ROW(upload_graph),
#undef ROW
};

CASE("no_alloc", .setup = setup, .teardown = teardown);

TEST_ROWS(hot_paths_do_not_allocate, calls)
{
    for (int i = 0; i < 3; i++) { // the first call must not allocate either
        long before = wrap_calls; // Check allocates too
        cuc_status st = calls[_i].call();
        long made = wrap_calls - before;
        ck_ok(st);
        ck_assert_msg(made == 0, "%s allocated %ld times in its call %d", calls[_i].name, made,
                      i + 1);
    }
}

TEST(allocations_are_seen_by_this_test)
{
    cuc_stream *s;
    long calls_before = wrap_calls, live_before = wrap_live;
    cuc_status st = cuc_stream_create(&s, device, NULL);
    long calls_made = wrap_calls - calls_before, made = wrap_live - live_before;

    ck_ok(st);
    ck_assert_int_eq(calls_made, 1);
    ck_assert_int_eq(made, 1);
    live_before = wrap_live;
    cuc_stream_release(s);
    made = wrap_live - live_before;
    ck_assert_int_eq(made, -1);
}

int main(void)
{
    return run_device_tests("no_alloc");
}
