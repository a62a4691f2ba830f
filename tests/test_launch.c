// Tests launches on streams of every kind, with memory of every device, and kernels that fail.
#include "base/array.h"
#include "memory/buffer.h"

#include "launching.h"

#include <cucore/condition.h>
#include <cucore/node.h>

// ---- Memory of other devices

CASE("launch", .setup = setup, .teardown = teardown);

TEST(memory_that_the_device_cannot_access_is_refused)
{
    cuc_stream *far = NULL;
    cuc_buffer *buffer = NULL, *pinned = NULL;
    cuc_memory_resource *resource = NULL, *pool = NULL;
    cuc_tensor tensor;
    int32_t can = 0;

    if (!other)
        SKIP("it needs two devices");
    ck_ok(cuc_stream_create(&far, other, NULL));
    ck_ok(cuc_buffer_create(&buffer, far, NULL, 64));
    ck_ok(cuc_tensor_from_buffer(&tensor, buffer, CUC_F32, 1, (const int64_t[]){ 16 }));
    ck_assert_int_eq(tensor.device, 1);
    ck_ok(cuc_memory_synchronous_create(&resource, other, CUC_MEMORY_PINNED));
    ck_ok(cuc_buffer_create(&pinned, NULL, resource, 64));
    ck_ok(cuc_device_get_memory_resource(&pool, other));
    ck_ok(cuc_device_can_access_peer(&can, device, other));
    if (can) {
        ck_ok(cuc_memory_pool_set_access(pool, device, CUC_ACCESS_READ_WRITE));
        ck_ok(CUC_LAUNCH(stream, SHAPE, one, buffer));
        ck_ok(CUC_LAUNCH(stream, SHAPE, one, &tensor));
        ck_ok(cuc_stream_synchronize(stream));
        ck_ok(cuc_memory_pool_set_access(pool, device, CUC_ACCESS_NONE));
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, one, buffer),
                 "argument 0 is a buffer of device 1 (", "the stream's device 0 (",
                 "cannot access: give it access with cuc_memory_pool_set_access(), or copy it");
    }
    if (fake_available())
        fake_do_nothing("cuDeviceCanAccessPeer", 1); // makes the devices no peers
    ck_ok(cuc_device_can_access_peer(&can, device, other));
    if (!can) {
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, one, buffer),
                 "argument 0 is a buffer of device 1 (", "cannot access: copy it to that device");
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, one, &tensor),
                 "argument 0 is a tensor of device 1 (", "cannot access");
    }
    if (fake_available())
        fake_do_nothing("cuDeviceCanAccessPeer", 0);
    ck_ok(CUC_LAUNCH(stream, SHAPE, one, pinned)); // every device can access pinned memory
    tensor.flags = CUC_TENSOR_MANAGED;
    ck_ok(CUC_LAUNCH(stream, SHAPE, one, &tensor));
    tensor.flags = 0;
    tensor.device = 99;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, one, &tensor),
             "tensor of device 99, which does not exist");
    if (fake_available()) {
        // If the driver cannot classify an address, the launch proceeds.
        fake_fail("cuPointerGetAttributes", 1, CUDA_ERROR_UNKNOWN);
        ck_ok(CUC_LAUNCH(stream, SHAPE, one, buffer));
    }
    ck_ok(cuc_stream_synchronize(stream));
    cuc_buffer_release(pinned);
    cuc_memory_resource_release(resource);
    cuc_memory_resource_release(pool);
    cuc_buffer_release(buffer);
    cuc_stream_release(far);
}

TEST(host_memory_is_refused_unless_the_device_can_access_it)
{
    float host[4] = { 0 };
    cuc_tensor tensor = { .data = (uintptr_t)host, .device = -1, .dtype = CUC_F32, .rank = 1 };
    cuc_buffer *buffer = NULL;
    int32_t reaches = 0;

    tensor.shape[0] = 4;
    tensor.strides[0] = 1;
    ck_ok(cuc_device_get_attribute(&reaches, device, CUC_DEVICE_PAGEABLE_MEMORY_ACCESS));
    if (reaches)
        SKIP("the device reaches all of the host's memory");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, one, &tensor),
             "argument 0 is a tensor of host memory", "neither pinned nor managed");
    for (int later = 0; later < 2; later++) { // described when it is made, or by the launch
        ck_ok((later ? cuc__buffer_from_pointer : cuc_buffer_from_pointer)(&buffer, (uintptr_t)host,
                                                                           sizeof(host), NULL));
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, one, buffer),
                 "argument 0 is a buffer of host memory", "neither pinned nor managed");
        cuc_buffer_release(buffer);
    }
    tensor.flags = CUC_TENSOR_PINNED;
    if (fake_available()) // elsewhere the kernel would access the memory
        ck_ok(CUC_LAUNCH(stream, SHAPE, one, &tensor));
    tensor.flags = 0;
    tensor.data = 0;
    tensor.shape[0] = 0;
    if (fake_available())
        ck_ok(CUC_LAUNCH(stream, SHAPE, one, &tensor));
}

TEST(a_kernel_runs_on_every_device)
{
    cuc_stream *far = NULL;

    if (!other)
        SKIP("it needs two devices");
    ck_ok(cuc_stream_create(&far, other, NULL));
    ck_ok(CUC_LAUNCH(stream, SHAPE, three, 1.0f, 0ull, 1));
    ck_ok(CUC_LAUNCH(far, SHAPE, three, 1.0f, 0ull, 1));
    ck_ok(cuc_stream_synchronize(far));
    cuc_stream_release(far);
}

// Streams.

TEST_RANGE(default_streams_take_launches_from_any_thread, 0, 2)
{
    cuc_stream *s;
    CUcontext foreign, popped;
    CUctxCreateParams params = { 0 };
    int32_t which = _i;

    ck_ok(cuc_stream_get_default(&s, device, which));
    ck_assert_ptr_null(testing_current());
    ck_ok(CUC_LAUNCH(s, SHAPE, none));
    ck_assert_ptr_null(testing_current());
    if (fake_available())
        ck_assert_ptr_eq(seen("none")->hStream, cuc_stream_handle(s));
    // Another context is current; in it, the same handle means a different stream.
    ck_assert_int_eq(cuc__cu.cuCtxCreate(&foreign, &params, 0, 0), 0);
    ck_ok(CUC_LAUNCH(s, SHAPE, none));
    ck_ok(CUC_LAUNCH(s, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 }, .cluster = { 2 }), none));
    ck_ok(cuc_stream_synchronize(s));
    ck_assert_ptr_eq(testing_current(), foreign);
    if (fake_available()) {
        fake_fail("cuLaunchKernelEx", 1, CUDA_ERROR_UNKNOWN);
        ck_fails(CUC_ERROR_DRIVER, CUC_LAUNCH(s, SHAPE, none), "cuLaunchKernelEx");
        ck_assert_ptr_eq(testing_current(), foreign);
        fake_fail("cuCtxPushCurrent", 1, CUDA_ERROR_UNKNOWN);
        ck_fails(CUC_ERROR_DRIVER, CUC_LAUNCH(s, SHAPE, none), "cuCtxPushCurrent");
    }
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(foreign), 0);
}

TEST(a_launch_on_a_stream_needs_no_current_context)
{
    NEED_FAKE();
    ck_ok(CUC_LAUNCH(stream, SHAPE, three, 1.0f, 0ull, 1)); // reads the kernel's limits
    fake_calls_reset();
    ck_ok(CUC_LAUNCH(stream, SHAPE, three, 1.0f, 0ull, 1));
    ck_assert_int_eq(fake_calls_total(), 1);
    ck_assert_int_eq(fake_calls("cuLaunchKernelEx"), 1);
}

TEST(a_foreign_stream_takes_launches)
{
    CUcontext context, popped;
    CUstream foreign;
    cuc_stream *wrapped = NULL;
    CUctxCreateParams params = { 0 };

    ck_assert_int_eq(cuc__cu.cuCtxCreate(&context, &params, 0, 0), 0);
    ck_assert_int_eq(cuc__cu.cuStreamCreate(&foreign, CU_STREAM_NON_BLOCKING), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    ck_ok(cuc_stream_from_handle(&wrapped, foreign, NULL, NULL));
    ck_ok(CUC_LAUNCH(wrapped, SHAPE, three, 1.0f, 0ull, 1));
    ck_ok(cuc_stream_synchronize(wrapped));
    cuc_stream_release(wrapped);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(foreign), 0);
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(context), 0);
}

TEST(launches_are_captured)
{
    CUgraph graph = NULL;

    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(cuc_stream_handle(stream),
                                                  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                     0);
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_ok(CUC_LAUNCH(stream, SHAPE, many, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                     17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)); // first launch
    if (fake_available())
        ck_assert_int_eq(fake_captured(cuc_stream_handle(stream)), 2);
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(cuc_stream_handle(stream), &graph), 0);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
}

// ---- Kernels that fail. On the fake driver a host function imitates the kernel.

static _Atomic int ran;

static void fault(void **params, const CUlaunchConfig *config)
{
    (void)params;
    (void)config;
    ran++;
    fake_poison(cuc_context_handle(primary), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static bool faults;

static void fault_if_told(void **params, const CUlaunchConfig *config)
{
    if (faults)
        fault(params, config);
    else
        ran++;
}

static void run(void **params, const CUlaunchConfig *config)
{
    (void)params;
    (void)config;
    testing_sleep_ms(2);
    ran++;
}

static void lose(void)
{
    release_all();
    none = three = kinds = many = one = NULL;
    object = NULL;
    stream = NULL;
    ck_assert_int_eq(failures.count, 0); // releases in a lost context report nothing
    fake_reset();
}

// A later failure in a lost context does not repeat the full report.
static void ck_short(size_t whole)
{
    const char *message = cuc_error_message();

    ck_assert_msg(strlen(message) < 500 && 3 * strlen(message) < whole,
                  "%zu bytes, and the first one has %zu: %s", strlen(message), whole, message);
    ck_assert_ptr_null(strstr(message, "launched lately"));
    ck_assert_ptr_nonnull(strstr(cuc_error_log(), "faulty grid 9,1,1 block 128,1,1 on stream "));
}

TEST(a_fault_is_reported_with_the_latest_launches)
{
    cuc_kernel *faulty;
    cuc_buffer *buffer = NULL;

    NEED_FAKE();
    faulty = kernel("faulty");
    ran = 0;
    fake_define_kernel("faulty", fault);
    ck_ok(cuc_buffer_create(&buffer, stream, NULL, 64));
    for (int i = 0; i < 20; i++)
        ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 3, 4, 5 }, .block = { 6, 7, 8 }), three,
                     1.0f, 0ull, 1));
    fake_hold(cuc_stream_handle(stream));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 9 }, .block = { 128 }), faulty));
    fake_resume(cuc_stream_handle(stream));
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_stream_synchronize(stream), "CUDA_ERROR_ILLEGAL_ADDRESS",
             "destroyed by an asynchronous failure, first seen by cuc_stream_synchronize",
             "launched lately, the latest first", "faulty grid 9,1,1 block 128,1,1 on stream 0x");
    ck_assert_int_eq(ran, 1);
    ck_assert_int_eq(cuc_error_library_code(), 700);
    ck_assert_uint_ge(cuc_error_note_count(), 1);
    const char *log = cuc_error_log();
    ck_assert_int_eq(strncmp(log, "faulty grid 9,1,1 block 128,1,1 on stream ", 42), 0);
    ck_assert_ptr_nonnull(strstr(log, "; three grid 3,4,5 block 6,7,8 on stream "));
    int launches = 1;
    for (const char *p = log; (p = strstr(p, "; ")); p++)
        launches++;
    ck_assert_int_ge(launches, 10);
    ck_assert_int_le(launches, 16);
    const size_t whole = strlen(cuc_error_message());
    // Every later call, on any object, refers to the first failure, and its log lists the launches.
    ck_fails(CUC_ERROR_CONTEXT_LOST, CUC_LAUNCH(stream, SHAPE, none), "CUDA_ERROR_ILLEGAL_ADDRESS",
             "first seen by cuc_stream_synchronize", "launching none");
    ck_short(whole);
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_buffer_fill(stream, buffer, 0, 0, 4, 64),
             "first seen by cuc_stream_synchronize");
    ck_short(whole);
    cuc_buffer *more = NULL;
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_buffer_create(&more, stream, NULL, 64),
             "first seen by cuc_stream_synchronize");
    ck_short(whole);
    ck_assert_ptr_null(more);
    ck_assert_int_eq(cuc_context_is_lost(primary), 700);
    // Calls about code do not involve a context; the driver may still refuse them.
    cuc_object *code = NULL;
    cuc_kernel *k = NULL;
    ck_ok(cuc_object_create(&code, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    fake_fail("cuLibraryLoadData", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_object_get_kernel(&k, code, "none"),
             "first seen by cuc_stream_synchronize");
    ck_assert_ptr_null(k);
    cuc_object_release(code);
    fake_fail("cuLibraryUnload", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    cuc_buffer_release(buffer);
    cuc_kernel_release(faulty);
    lose();
}

// ---- Launches that are named as suspects for a fault, after various earlier work

static void wait_for_the_stream(void)
{
    ck_ok(cuc_stream_synchronize(stream));
}

static void wait_for_the_context(void)
{
    ck_ok(cuc_context_synchronize(primary));
}

static void ask_the_stream(void)
{
    ck_soon(cuc_stream_query(stream) == CUC_OK);
}

static cuc_event *recorded(void)
{
    cuc_event *event = NULL;

    ck_ok(cuc_event_create(&event, device, NULL));
    ck_ok(cuc_event_record(stream, event));
    return event;
}

static void wait_for_an_event(void)
{
    cuc_event *event = recorded();

    ck_ok(cuc_event_synchronize(event));
    cuc_event_release(event);
}

static void ask_an_event(void)
{
    cuc_event *event = recorded();

    ck_soon(cuc_event_query(event) == CUC_OK);
    cuc_event_release(event);
}

static void wait_for_an_event_of_before(void)
{
    cuc_event *event = recorded();

    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 }), none));
    ck_ok(cuc_event_synchronize(event));
    cuc_event_release(event);
}

static void wait_for_another_stream(void)
{
    cuc_stream *beside = NULL;

    ck_ok(cuc_stream_create(&beside, device, NULL));
    ck_ok(CUC_LAUNCH(beside, SHAPE, three, 1.0f, 0ull, 1));
    ck_ok(cuc_stream_synchronize(beside));
    cuc_stream_release(beside);
}

static void be_refused(void)
{
    fake_fail("cuLaunchKernelEx", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    ck_fails(CUC_ERROR_DRIVER, CUC_LAUNCH(stream, SHAPE, three, 1.0f, 0ull, 1), "launching three");
    fake_fail("cuLaunchKernelEx", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    ck_fails(CUC_ERROR_DRIVER,
             CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 }, .cluster = { 2 }),
                        none),
             "launching none");
}

static void capture(void)
{
    cuc_graph *graph = NULL;

    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(CUC_LAUNCH(stream, SHAPE, three, 1.0f, 0ull, 1));
    ck_ok(cuc_stream_end_capture(&graph, stream));
    cuc_graph_release(graph);
}

static const struct {
    const char *name;
    void (*act)(void); // after a launch of `none` with a grid of 1
    const char *blamed[3], *cleared[3];
} before[] = {
    { "nothing", NULL, { "none grid 1,1,1" }, { NULL } },
    { "a wait for the stream", wait_for_the_stream, { NULL }, { "none" } },
    { "a wait for the context", wait_for_the_context, { NULL }, { "none" } },
    { "a stream that says it is done", ask_the_stream, { NULL }, { "none" } },
    { "a wait for an event", wait_for_an_event, { NULL }, { "none" } },
    { "an event that is complete", ask_an_event, { NULL }, { "none" } },
    { "a launch behind an event that was waited for",
      wait_for_an_event_of_before,
      { "none grid 2,1,1" },
      { "none grid 1,1,1" } },
    { "a wait for another stream", wait_for_another_stream, { "none grid 1,1,1" }, { "three" } },
    { "launches that were refused",
      be_refused,
      { "none grid 1,1,1" },
      { "three", "none grid 2,1,1" } },
    { "a launch into a graph", capture, { "none grid 1,1,1" }, { "three" } },
};

TEST_ROWS(a_fault_is_blamed_on_launches_that_may_be_incomplete, before)
{
    cuc_kernel *faulty;

    NEED_FAKE();
    faulty = kernel("faulty");
    fake_define_kernel("faulty", fault);
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    if (before[_i].act)
        before[_i].act();
    fake_hold(cuc_stream_handle(stream));
    ck_ok(CUC_LAUNCH(stream, SHAPE, faulty));
    fake_resume(cuc_stream_handle(stream));
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_stream_synchronize(stream), "faulty grid 1,1,1");
    const char *log = cuc_error_log();
    for (size_t i = 0; i < 3; i++) {
        ck_assert_msg(!before[_i].blamed[i] || strstr(log, before[_i].blamed[i]), "%s: %s",
                      before[_i].name, log);
        ck_assert_msg(!before[_i].cleared[i] || !strstr(log, before[_i].cleared[i]), "%s: %s",
                      before[_i].name, log);
    }
    cuc_kernel_release(faulty);
    lose();
}

static cuc_graph_exec *graph_of(cuc_kernel *faulty)
{
    cuc_graph *graph = NULL;
    cuc_graph_exec *exec = NULL;

    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_ok(CUC_LAUNCH(stream, SHAPE, faulty));
    ck_ok(cuc_stream_end_capture(&graph, stream));
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    cuc_graph_release(graph);
    return exec;
}

TEST(a_fault_in_a_graph_is_blamed_on_its_kernels)
{
    cuc_kernel *faulty;

    NEED_FAKE();
    faulty = kernel("faulty");
    fake_define_kernel("faulty", fault);
    cuc_graph_exec *exec = graph_of(faulty);
    fake_fail("cuGraphLaunch", 1, CUDA_ERROR_INVALID_VALUE);
    ck_fails(CUC_ERROR_DRIVER, cuc_graph_exec_launch(stream, exec), "launching a graph");
    ck_ok(CUC_LAUNCH(stream, SHAPE, three, 1.0f, 0ull, 1));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_stream_synchronize(stream),
             "one of which may be the cause: graph of 3 nodes (kernels none, faulty) on stream 0x");
    ck_assert_ptr_null(strstr(cuc_error_log(), ";")); // nothing else is listed
    cuc_graph_exec_release(exec);
    cuc_kernel_release(faulty);
    lose();
}

// ---- Graphs that contain a faulty kernel

static cuc_graph *end(cuc_stream *s)
{
    cuc_graph *graph = NULL;

    ck_ok(cuc_stream_end_capture(&graph, s));
    return graph;
}

static void embed(cuc_graph *child)
{
    ck_ok(cuc_stream_embed_graph(stream, child));
    cuc_graph_release(child);
}

static cuc_graph *child_of(cuc_kernel *faulty)
{
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_ok(CUC_LAUNCH(stream, SHAPE, faulty));
    return end(stream);
}

static void put_child(cuc_stream *side, cuc_kernel *faulty)
{
    (void)side;
    cuc_graph *child = child_of(faulty);
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    embed(child);
}

static void put_grandchild(cuc_stream *side, cuc_kernel *faulty)
{
    put_child(side, faulty);
    cuc_graph *child = end(stream);
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    embed(child);
}

// Adds a node that runs its second body, which `s` fills from here on.
static cuc_graph *begin_body(cuc_stream *of, cuc_stream *s)
{
    cuc_graph *bodies[2] = { NULL, NULL };
    cuc_condition condition = 0;

    ck_ok(cuc_stream_condition_create(&condition, of, 1, CUC_CONDITION_ASSIGN_DEFAULT));
    ck_ok(cuc_stream_add_conditional(bodies, 2, of, condition, CUC_CONDITIONAL_SWITCH));
    ck_ok(cuc_stream_begin_capture_to(s, bodies[0], NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(CUC_LAUNCH(s, SHAPE, none));
    cuc_graph_release(end(s));
    ck_ok(cuc_stream_begin_capture_to(s, bodies[1], NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    cuc_graph_release(bodies[0]);
    return bodies[1];
}

static void end_body(cuc_graph *body, cuc_stream *s)
{
    cuc_graph_release(end(s));
    cuc_graph_release(body);
}

static void put_body(cuc_stream *side, cuc_kernel *faulty)
{
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    cuc_graph *body = begin_body(stream, side);
    ck_ok(CUC_LAUNCH(side, SHAPE, faulty));
    end_body(body, side);
}

static void put_child_of_body(cuc_stream *side, cuc_kernel *faulty)
{
    cuc_graph *child = child_of(faulty);

    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    cuc_graph *body = begin_body(stream, side);
    ck_ok(cuc_stream_embed_graph(side, child));
    end_body(body, side);
    cuc_graph_release(child);
}

static void put_body_of_body(cuc_stream *side, cuc_kernel *faulty)
{
    cuc_stream *inner = NULL;

    ck_ok(cuc_stream_create(&inner, device, NULL));
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    cuc_graph *outer = begin_body(stream, side), *body = begin_body(side, inner);
    ck_ok(CUC_LAUNCH(inner, SHAPE, faulty));
    end_body(body, inner);
    end_body(outer, side);
    cuc_stream_release(inner);
}

// Captures into an existing graph, which has each node as soon as it is captured.
static void put_body_into_a_graph(cuc_stream *side, cuc_kernel *faulty)
{
    cuc_graph *graph = NULL;

    ck_ok(cuc_graph_create(&graph, device));
    ck_ok(cuc_stream_begin_capture_to(stream, graph, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    cuc_graph *body = begin_body(stream, side);
    ck_ok(CUC_LAUNCH(side, SHAPE, faulty));
    end_body(body, side);
    cuc_graph_release(graph);
}

static const struct {
    const char *name;
    void (*put)(cuc_stream *side, cuc_kernel *faulty); // also begins the capture
} inside[] = {
    { "a graph in it", put_child },
    { "a graph in a graph in it", put_grandchild },
    { "a body", put_body },
    { "a graph in a body", put_child_of_body },
    { "a body in a body", put_body_of_body },
    { "a body of a graph that was there", put_body_into_a_graph },
};

TEST_ROWS(a_fault_is_blamed_on_kernels_inside_of_a_graph, inside)
{
    static const char blamed[] =
        "one of which may be the cause: graph of 1 node (kernels none, faulty) on stream 0x";
    cuc_graph_exec *exec = NULL;
    cuc_stream *side = NULL;
    cuc_kernel *faulty;

    NEED_FAKE();
    faulty = kernel("faulty");
    fake_define_kernel("none", run);
    fake_define_kernel("faulty", fault);
    ck_ok(cuc_stream_create(&side, device, NULL));
    inside[_i].put(side, faulty);
    cuc_graph *graph = end(stream);
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    cuc_graph_release(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_stream_synchronize(stream), blamed);
    cuc_graph_exec_release(exec);
    cuc_stream_release(side);
    cuc_kernel_release(faulty);
    lose();
}

TEST(with_blocking_launches_the_faulty_graph_launch_itself_fails)
{
    cuc_kernel *faulty;
    cuc_stream *legacy;

    NEED_FAKE();
    setenv("CUCORE_LAUNCH_BLOCKING", "1", 1);
    fake_define_kernel("none", run);
    fake_define_kernel("faulty", fault_if_told);
    fake_set_async(1);
    faulty = kernel("faulty");
    faults = false;
    cuc_graph_exec *exec = graph_of(faulty);
    ran = 0;
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_int_eq(ran, 3); // the kernels had run when the call returned
    ck_ok(cuc_stream_get_default(&legacy, device, CUC_STREAM_LEGACY));
    ck_ok(cuc_graph_exec_launch(legacy, exec));
    ck_assert_int_eq(ran, 6);
    faults = true;
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_graph_exec_launch(stream, exec),
             "running a graph of 3 nodes (kernels none, faulty)", "CUCORE_LAUNCH_BLOCKING",
             "first seen by cuc_graph_exec_launch", "cuStreamSynchronize returned 700");
    ck_assert_ptr_null(strstr(cuc_error_log(), ";"));
    ck_assert_ptr_null(testing_current());
    cuc_graph_exec_release(exec);
    cuc_kernel_release(faulty);
    lose();
}

TEST(with_blocking_launches_the_faulty_launch_itself_fails)
{
    cuc_kernel *faulty;
    cuc_stream *legacy;
    CUgraph graph = NULL;

    NEED_FAKE();
    setenv("CUCORE_LAUNCH_BLOCKING", "1", 1); // read at the first launch of the process
    fake_define_kernel("none", run);
    fake_define_kernel("faulty", fault);
    fake_set_async(1);
    faulty = kernel("faulty");
    ran = 0;
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_assert_int_eq(ran, 1); // the kernel had run when the call returned
    ck_assert_int_eq(cuc_launch_is_blocking(), 1);
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 }, .cluster = { 2 }),
                     none));
    ck_assert_int_eq(ran, 2);
    ck_ok(cuc_stream_get_default(&legacy, device, CUC_STREAM_LEGACY));
    ck_ok(CUC_LAUNCH(legacy, SHAPE, none));
    ck_assert_int_eq(ran, 3);
    // Captured work does not run, so the launch must not wait for it.
    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(cuc_stream_handle(stream),
                                                  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                     0);
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(cuc_stream_handle(stream), &graph), 0);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
    ck_assert_int_eq(ran, 3);
    ck_assert_ptr_null(testing_current());
    ck_fails(CUC_ERROR_CONTEXT_LOST, CUC_LAUNCH(stream, SHAPE, faulty), "running faulty",
             "first seen by cuc_launch", "CUCORE_LAUNCH_BLOCKING", "CUDA_ERROR_ILLEGAL_ADDRESS",
             " returned 700");
    ck_assert_ptr_null(testing_current());
    cuc_kernel_release(faulty);
    lose();
}

TEST(without_the_variable_launches_do_not_wait)
{
    _Atomic int *seen_running = &ran;

    NEED_FAKE();
    fake_define_kernel("none", run);
    fake_hold(cuc_stream_handle(stream));
    ran = 0;
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_assert_int_eq(*seen_running, 0);
    ck_assert_int_eq(cuc_launch_is_blocking(), 0);
    fake_resume(cuc_stream_handle(stream));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_int_eq(*seen_running, 1);
}

int main(void)
{
    return run_device_tests("launch");
}
