// Tests captures and the graphs that they produce.
#include "base/array.h"
#include "graph/graph.h"
#include "device/deferred.h"

#include "graph/capture_registry.h"
#include "graph_testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void nothing(void *user)
{
    (void)user;
}

static size_t node_count(cuc_graph *graph)
{
    size_t n = 99;

    ck_ok(cuc_graph_get_node_count(&n, graph));
    return n;
}

static size_t edge_count(cuc_graph *graph)
{
    size_t n = 99;

    ck_ok(cuc_graph_get_edge_count(&n, graph));
    return n;
}

static int32_t status_of(cuc_stream *s)
{
    cuc_capture_info info = CUC_CAPTURE_INFO_INIT;

    ck_ok(cuc_stream_get_capture_info(&info, s));
    ck_assert_int_eq(info.id != 0, info.status == CUC_CAPTURE_ACTIVE);
    ck_assert_int_eq(info.graph != NULL, info.status == CUC_CAPTURE_ACTIVE);
    ck_assert_int_eq(info.reserved, 0);
    return info.status;
}

// Capturing

CASE("graph", .setup = graph_setup, .teardown = graph_teardown);

TEST_RANGE(captured_work_does_not_run_and_becomes_nodes, 0, 3)
{
    static const int32_t expected[] = { CUC_NODE_FILL, CUC_NODE_KERNEL, CUC_NODE_HOST,
                                        CUC_NODE_COPY };
    int32_t types[5] = { -1, -1, -1, -1, -1 };
    uint32_t host[N] = { 7 };

    BEGIN(_i);
    ck_ok(cuc_buffer_fill(stream, buffer, 0, 5, 4, 4 * N));
    ck_ok(launch_on(stream, affine, buffer, 3, 1));
    ck_ok(cuc_launch_host(stream, nothing, NULL));
    ck_ok(cuc_buffer_read_async(stream, host, buffer, 0, sizeof(host)));
    cuc_graph *graph = end_capture();
    ck_assert_uint_eq(value_of(buffer), 0);
    ck_assert_uint_eq(host[0], 7);
    ck_types(graph, expected, 4);
    ck_assert_uint_eq(edge_count(graph), 3);
    ck_ok(cuc_graph_get_node_types(types, 2, graph));
    ck_assert_int_ne(types[1], -1);
    ck_assert_int_eq(types[2], -1);
    ck_ok(cuc_graph_get_node_types(types, 5, graph));
    ck_assert_int_eq(types[4], -1);
    ck_ok(cuc_graph_get_node_types(NULL, 0, graph));
    ck_assert_ptr_nonnull(cuc_graph_handle(graph));
    ck_assert_ptr_null(cuc_graph_handle(NULL));
    ck_assert_ptr_eq(cuc_graph_retain(graph), graph);
    cuc_graph_release(graph);
    cuc_graph_release(graph);
}

TEST(an_empty_capture_is_an_empty_graph)
{
    BEGIN(CUC_CAPTURE_GLOBAL);
    cuc_graph *graph = end_capture();
    ck_assert_uint_eq(node_count(graph), 0);
    ck_assert_uint_eq(edge_count(graph), 0);
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

TEST(another_stream_joins_by_an_event_and_joins_again)
{
    cuc_event *fork, *back;

    ck_ok(cuc_event_create(&fork, device, NULL));
    ck_ok(cuc_event_create(&back, device, NULL));
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_ok(cuc_event_record(stream, fork));
    ck_ok(launch_on(stream, affine, buffer, 1, 2));
    ck_ok(cuc_stream_wait_event(side, fork));
    ck_assert_int_eq(status_of(side), CUC_CAPTURE_ACTIVE);
    ck_ok(cuc_launch_host(side, nothing, NULL));
    ck_ok(cuc_event_record(side, back));
    ck_ok(cuc_stream_wait_event(stream, back));
    ck_ok(launch_on(stream, affine, buffer, 1, 3));
    cuc_graph *graph = end_capture();
    // The graph is first -> second -> last, and first -> host -> last.
    ck_assert_uint_eq(node_count(graph), 4);
    ck_assert_uint_eq(edge_count(graph), 4);
    ck_assert_int_eq(status_of(side), CUC_CAPTURE_NONE);
    ck_ok(cuc_stream_synchronize(side));
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 6);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    cuc_event_release(fork);
    cuc_event_release(back);
}

TEST(waiting_for_a_stream_forks_and_joins_too)
{
    BEGIN(CUC_CAPTURE_RELAXED);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_ok(cuc_stream_wait_stream(side, stream));
    ck_ok(launch_on(side, affine, buffer, 10, 0));
    ck_ok(cuc_stream_wait_stream(stream, side));
    ck_ok(launch_on(stream, affine, buffer, 1, 5));
    cuc_graph *graph = end_capture();
    ck_assert_uint_eq(node_count(graph), 3);
    ck_assert_uint_ge(edge_count(graph), 2);
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(side, exec));
    ck_ok(cuc_stream_synchronize(side));
    ck_assert_uint_eq(value_of(buffer), 15);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

TEST(an_unjoined_stream_is_reported)
{
    cuc_graph *graph = NULL;

    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_ok(cuc_stream_wait_stream(side, stream));
    ck_ok(launch_on(side, affine, buffer, 1, 1));
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_end_capture(&graph, stream), "ending the capture",
             "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "cuc_stream_wait_event");
    ck_assert_ptr_null(graph);
    // Both streams are usable again.
    ck_assert_int_eq(status_of(stream), CUC_CAPTURE_NONE);
    ck_assert_int_eq(status_of(side), CUC_CAPTURE_NONE);
    ck_ok(launch_on(side, affine, buffer, 1, 1));
    ck_ok(cuc_stream_synchronize(side));
    ck_assert_uint_eq(value_of(buffer), 1);
    BEGIN(CUC_CAPTURE_GLOBAL);
    cuc_graph_release(end_capture());
}

TEST(two_captures_do_not_merge)
{
    cuc_graph *graph = NULL;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(cuc_stream_begin_capture(side, CUC_CAPTURE_THREAD_LOCAL));
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_wait_stream(side, stream),
             "CUDA_ERROR_STREAM_CAPTURE_MERGE");
    ck_assert_int_eq(status_of(stream), CUC_CAPTURE_SPOILT);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_end_capture(&graph, stream),
             "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "first call refused", "cuStreamWaitEvent",
             "cuc_stream_wait_stream", "902");
    ck_ok(cuc_stream_cancel_capture(side));
    ck_assert_ptr_null(graph);
}

TEST(work_from_outside_cannot_be_waited_for)
{
    cuc_event *event;

    ck_ok(cuc_event_create(&event, device, NULL));
    ck_ok(cuc_event_record(side, event));
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_wait_event(stream, event),
             "CUDA_ERROR_STREAM_CAPTURE_ISOLATION");
    ck_ok(cuc_stream_cancel_capture(stream));
    cuc_event_release(event);
}

TEST(a_spoilt_capture_reports_the_first_refused_call)
{
    cuc_graph *graph = NULL;

    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_fails(CUC_ERROR_BUSY, cuc_device_synchronize(device),
             "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
    ck_assert_int_eq(status_of(stream), CUC_CAPTURE_SPOILT);
    ck_fails(CUC_ERROR_DRIVER, launch_on(stream, affine, buffer, 1, 1),
             "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED");
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_end_capture(&graph, stream),
             "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "first call refused", "cuCtxSynchronize",
             "cuc_context_synchronize", "900");
    ck_assert_ptr_null(graph);
    // The spoilt capture does not affect the next one.
    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(cuc_stream_wait_stream(side, stream));
    ck_ok(cuc_launch_host(side, nothing, NULL));
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_end_capture(&graph, stream), "UNJOINED");
    ck_assert_ptr_null(strstr(cuc_error_message(), "first call refused"));
}

// Capture modes.

// Makes a driver call that would escape a capture. cucore makes such calls in relaxed mode.
static void *allocate_plainly(void *result)
{
    CUcontext before;
    CUdeviceptr ptr = 0;

    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(cuc_context_handle(cuc_stream_context(stream))), 0);
    *(CUresult *)result = cuc__cu.cuMemAlloc(&ptr, 16);
    if (ptr)
        ck_assert_int_eq(cuc__cu.cuMemFree(ptr), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&before), 0);
    return NULL;
}

static const struct {
    int32_t mode;
    bool own_fails, others_fails; // a call that would escape the capture
} modes[] = {
    { CUC_CAPTURE_GLOBAL, true, true },
    { CUC_CAPTURE_THREAD_LOCAL, true, false },
    { CUC_CAPTURE_RELAXED, false, false },
};

TEST_ROWS(the_mode_determines_whose_calls_are_restricted, modes)
{
    for (int other = 0; other < 2; other++) {
        bool fails = other ? modes[_i].others_fails : modes[_i].own_fails;
        CUresult r = 0;
        cuc_graph *graph = NULL;
        pthread_t thread;
        BEGIN(modes[_i].mode);
        if (other) {
            ck_assert_int_eq(pthread_create(&thread, NULL, allocate_plainly, &r), 0);
            ck_assert_int_eq(pthread_join(thread, NULL), 0);
        } else {
            allocate_plainly(&r);
        }
        ck_assert_int_eq(r, fails ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : 0);
        cuc_status st = cuc_stream_end_capture(&graph, stream);
        ck_assert_int_eq(st, fails ? CUC_ERROR_DRIVER : CUC_OK);
        cuc_graph_release(graph);
    }
}

struct ending {
    cuc_graph *graph;
    cuc_status end, cancel;
    char message[512];
};

static void *end_elsewhere(void *data)
{
    struct ending *e = data;

    e->end = cuc_stream_end_capture(&e->graph, stream);
    if (e->end < 0) {
        snprintf(e->message, sizeof(e->message), "%s", cuc_error_message());
        e->cancel = cuc_stream_cancel_capture(stream);
    }
    return NULL;
}

TEST_ROWS(only_a_relaxed_capture_is_ended_by_another_thread, modes)
{
    bool relaxed = modes[_i].mode == CUC_CAPTURE_RELAXED;
    struct ending e = { 0 };
    pthread_t thread;

    BEGIN(modes[_i].mode);
    ck_ok(cuc_launch_host(stream, nothing, NULL));
    ck_assert_int_eq(pthread_create(&thread, NULL, end_elsewhere, &e), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    if (!relaxed) {
        ck_assert_int_eq(e.end, CUC_ERROR_INVALID_ARGUMENT);
        ck_assert_int_eq(e.cancel, CUC_ERROR_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(e.message, "begun by another thread"));
        ck_assert_int_eq(status_of(stream), CUC_CAPTURE_ACTIVE); // the capture continues
        e.graph = end_capture();
    }
    ck_assert_uint_eq(node_count(e.graph), 1);
    cuc_graph_release(e.graph);
}

static void *begin_and_end(void *data)
{
    BEGIN(*(const int32_t *)data);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    return NULL;
}

TEST_ROWS(any_thread_can_cancel_a_capture_of_an_ended_thread, modes)
{
    int32_t mode = modes[_i].mode;
    cuc_graph *graph = NULL;
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, begin_and_end, &mode), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    if (mode != CUC_CAPTURE_RELAXED)
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_end_capture(&graph, stream),
                 "begun by another thread");
    ck_ok(cuc_stream_cancel_capture(stream));
    ck_assert_int_eq(status_of(stream), CUC_CAPTURE_NONE);
    ck_ok(cuc_device_synchronize(device)); // nothing is restricted any more
    BEGIN(mode);
    cuc_graph_release(end_capture());
}

TEST(a_stream_that_joined_cannot_end_the_capture)
{
    cuc_graph *graph = NULL;

    BEGIN(CUC_CAPTURE_RELAXED);
    ck_ok(cuc_stream_wait_stream(side, stream));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_end_capture(&graph, side), "end it there");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_cancel_capture(side), "end it there");
    ck_assert_int_eq(status_of(stream), CUC_CAPTURE_ACTIVE); // the capture continues
    ck_assert_ptr_null(graph);
    ck_ok(cuc_stream_wait_stream(stream, side));
    cuc_graph_release(end_capture());
}

// Refusals

TEST(calls_that_cannot_be_captured_are_refused_with_a_message)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_graph *graph = (void *)1;
    cuc_capture_info info = CUC_CAPTURE_INFO_INIT;
    cuc_stream *legacy, *wrapped;

    ck_fails(bad, cuc_stream_begin_capture(NULL, 0), "stream is NULL");
    ck_fails(bad, cuc_stream_begin_capture(stream, 3), "mode is 3", "CUC_CAPTURE_GLOBAL (0)");
    ck_fails(bad, cuc_stream_begin_capture(stream, -1), "mode is -1");
    ck_ok(cuc_stream_get_default(&legacy, device, CUC_STREAM_LEGACY));
    ck_fails(bad, cuc_stream_begin_capture(legacy, 0), "legacy default", "cuc_stream_create");
    ck_ok(cuc_device_set_current(device, NULL));
    ck_ok(cuc_stream_from_handle(&wrapped, NULL, NULL, NULL)); // the same stream under another name
    ck_fails(bad, cuc_stream_begin_capture(wrapped, 0), "legacy default");
    cuc_stream_release(wrapped);
    ck_ok(cuc_context_set_current(NULL, NULL));
    ck_fails(bad, cuc_stream_end_capture(&graph, stream), "is not being captured",
             "cuc_stream_begin_capture");
    ck_fails(bad, cuc_stream_end_capture(NULL, stream), "out is NULL");
    ck_fails(bad, cuc_stream_end_capture(&graph, NULL), "stream is NULL");
    ck_fails(bad, cuc_stream_cancel_capture(NULL), "stream is NULL");
    ck_fails(bad, cuc_stream_get_capture_info(NULL, stream), "out is NULL");
    ck_fails(bad, cuc_stream_get_capture_info(&info, NULL), "stream is NULL");
    info.struct_size = 3;
    ck_fails(bad, cuc_stream_get_capture_info(&info, stream), "struct_size");
    ck_fails(bad, cuc_stream_embed_graph(stream, NULL), "graph is NULL");
    ck_assert_ptr_eq(graph, (void *)1);

    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_fails(CUC_ERROR_BUSY, cuc_stream_begin_capture(stream, 0), "is already being captured");
    graph = end_capture();
    ck_fails(bad, cuc_stream_embed_graph(stream, graph), "is not being captured");
    ck_fails(bad, cuc_graph_get_node_count(NULL, graph), "out is NULL");
    ck_fails(bad, cuc_graph_get_edge_count(NULL, graph), "out is NULL");
    ck_fails(bad, cuc_graph_get_node_types(NULL, 2, graph), "types is NULL and capacity is 2");
    cuc_graph_release(graph);
    cuc_graph_release(NULL);
    ck_assert_ptr_null(cuc_graph_retain(NULL));
}

TEST(captures_are_distinguished)
{
    cuc_capture_info a = CUC_CAPTURE_INFO_INIT, b = CUC_CAPTURE_INFO_INIT;
    int32_t capturing = 0;

    ck_assert_int_eq(status_of(stream), CUC_CAPTURE_NONE);
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    ck_ok(cuc_stream_get_capture_info(&a, stream));
    ck_ok(cuc_stream_wait_stream(side, stream));
    ck_ok(cuc_stream_get_capture_info(&b, side)); // the same capture
    ck_assert_uint_eq(a.id, b.id);
    ck_assert_ptr_eq(a.graph, b.graph);
    ck_ok(cuc_stream_is_capturing(&capturing, side));
    ck_assert_int_eq(capturing, 1);
    ck_ok(cuc_stream_cancel_capture(stream));
    ck_ok(cuc_stream_begin_capture(side, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(cuc_stream_get_capture_info(&b, side));
    ck_assert_uint_ne(a.id, b.id);
    ck_ok(cuc_stream_cancel_capture(side));
}

TEST(canceling_drops_everything_and_keeps_the_failure)
{
    ck_ok(cuc_stream_cancel_capture(stream)); // there is nothing to cancel
    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_ok(cuc_stream_wait_stream(side, stream));
    ck_ok(cuc_launch_host(side, nothing, NULL)); // not joined
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_fill(stream, buffer, 0, 0, 3, 1), "");
    ck_ok(cuc_stream_cancel_capture(stream));
    ck_assert_int_eq(cuc_error_status(), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(cuc_error_function(), "cuc_buffer_fill");
    ck_assert_int_eq(status_of(stream), CUC_CAPTURE_NONE);
    ck_assert_int_eq(status_of(side), CUC_CAPTURE_NONE);
    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_fails(CUC_ERROR_BUSY, cuc_device_synchronize(device), "");
    ck_ok(cuc_stream_cancel_capture(stream)); // spoilt
    ck_assert_int_eq(cuc_error_status(), CUC_ERROR_BUSY);
}

TEST(releasing_a_captured_stream_is_reported_to_the_handler)
{
    cuc_stream *s;

    ck_ok(cuc_stream_create(&s, device, NULL));
    ck_ok(cuc_stream_begin_capture(s, CUC_CAPTURE_GLOBAL));
    ck_ok(launch_on(s, affine, buffer, 1, 1));
    cuc_stream_release(s);
    ck_assert_int_eq(unraisable.count, 1);
    ck_assert_ptr_nonnull(strstr(unraisable.last, "released while it was captured"));
    unraisable.count = 0;
    ck_assert(!cuc__capturing());
    ck_ok(cuc_device_synchronize(device)); // nothing is restricted any more
}

// The per-thread default stream is one object for all threads, but each thread has its own queue.
static void *capture_per_thread(void *data)
{
    cuc_graph **graph = data;
    cuc_stream *own;

    if (cuc_stream_get_default(&own, device, CUC_STREAM_PER_THREAD) ||
        cuc_stream_begin_capture(own, CUC_CAPTURE_THREAD_LOCAL) ||
        launch_on(own, minus, buffer, 1, 1) || cuc_stream_end_capture(graph, own))
        fprintf(stderr, "%s\n", cuc_error_message());
    return NULL;
}

TEST(each_threads_default_stream_is_captured_separately)
{
    cuc_graph *graph = NULL, *others = NULL;
    pthread_t thread;
    cuc_stream *own;

    ck_ok(cuc_stream_get_default(&own, device, CUC_STREAM_PER_THREAD));
    ck_ok(cuc_stream_begin_capture(own, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(launch_on(own, affine, buffer, 1, 5));
    ck_assert_int_eq(pthread_create(&thread, NULL, capture_per_thread, &others), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_ptr_nonnull(others);
    ck_assert_int_eq(status_of(own), CUC_CAPTURE_ACTIVE);
    ck_ok(cuc_launch_host(own, nothing, NULL));
    ck_ok(cuc_stream_end_capture(&graph, own));
    ck_assert_uint_eq(node_count(graph), 2);
    ck_assert_uint_eq(node_count(others), 1);
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(own, exec));
    ck_ok(cuc_stream_synchronize(own));
    ck_assert_uint_eq(value_of(buffer), 5);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    cuc_graph_release(others);
}

TEST(a_capture_begun_by_other_code_can_be_ended)
{
    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(cuc_stream_handle(stream),
                                                  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                     0);
    ck_assert(!cuc__capturing());
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_assert_int_eq(status_of(stream), CUC_CAPTURE_ACTIVE);
    cuc_graph *graph = end_capture();
    ck_assert_uint_eq(node_count(graph), 1);
    cuc_graph_release(graph);
}

TEST(a_graph_is_embedded_in_another)
{
    static const int32_t expected[] = { CUC_NODE_KERNEL, CUC_NODE_GRAPH, CUC_NODE_KERNEL };

    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 2, 0));
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    cuc_graph *inner = end_capture();
    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 0, 10));
    ck_ok(cuc_stream_embed_graph(stream, inner));
    ck_ok(launch_on(stream, affine, buffer, 3, 0));
    cuc_graph *outer = end_capture();
    cuc_graph_release(inner); // the graph holds a copy
    ck_types(outer, expected, 3);
    ck_assert_uint_eq(edge_count(outer), 2);
    cuc_graph_exec *exec = instance_of(outer);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 63);
    cuc_graph_exec_release(exec);
    cuc_graph_release(outer);
}

TEST(types_of_nodes_have_names)
{
#define ROW(constant, value, name)     \
    ck_assert_int_eq(constant, value); \
    ck_assert_str_eq(cuc_node_type_name(value), name);
    CUC_NODE_TYPE_LIST(ROW)
#undef ROW
    ck_assert_str_eq(cuc_node_type_name(14), "unknown");
    ck_assert_str_eq(cuc_node_type_name(-1), "unknown");
}

// Drawings

TEST(a_graph_is_drawn_to_a_string_and_to_a_file)
{
    char path[] = "/tmp/cucore-test-graph-XXXXXX", read_back[16384];
    const char *text = NULL;
    size_t bytes = 0;

    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    ck_ok(launch_on(stream, minus, buffer, 1, 1));
    cuc_graph *graph = end_capture();
    ck_ok(cuc_graph_get_dot(&text, &bytes, graph, 0));
    ck_assert_uint_eq(strlen(text), bytes);
    ck_assert_int_eq(strncmp(text, "digraph", 7), 0);
    ck_assert_ptr_nonnull(strstr(text, "affine"));
    ck_assert_ptr_nonnull(strstr(text, "minus"));
    ck_assert_ptr_nonnull(strstr(text, "->"));
    size_t plain = bytes;
    ck_ok(cuc_graph_get_dot(&text, NULL, graph, CUC_DOT_EVERYTHING));
    ck_assert_uint_gt(strlen(text), plain);
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_ok(cuc_graph_write_dot(graph, path, CUC_DOT_EVERYTHING));
    close(fd); // this is the file that the drawing has replaced
    fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ssize_t got = read(fd, read_back, sizeof(read_back) - 1);
    ck_assert_int_gt(got, 0);
    read_back[got] = 0;
    close(fd);
    unlink(path);
    ck_assert_str_eq(read_back, text);

    ck_fails(CUC_ERROR_IO, cuc_graph_write_dot(graph, "/nowhere/at/all.dot", 0),
             "/nowhere/at/all.dot");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_write_dot(graph, NULL, 0), "path is NULL");
    text = (void *)1;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_get_dot(&text, NULL, graph, 1u << 16),
             "flags is 0x10000");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_get_dot(NULL, NULL, graph, 0), "text is NULL");
    ck_assert_ptr_eq(text, (void *)1);
    cuc_graph_release(graph);
}

// ---- Drivers that refuse, that are old, or whose context is lost

// The driver may refuse to count edges with data, such as those between programmatic launches, if
// the caller gives no room for the data.
TEST(edges_with_data_are_counted)
{
    NEED_FAKE();
    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 3, 1));
    ck_ok(launch_on(stream, affine, buffer, 3, 1));
    cuc_graph *graph = end_capture();
    fake_fail("cuGraphGetEdges", 1, CUDA_ERROR_LOSSY_QUERY);
    ck_assert_uint_eq(edge_count(graph), 1);
    cuc_graph_release(graph);
}

TEST(a_driver_that_refuses_to_begin_leaves_nothing_behind)
{
    static const char *const calls[] = { "cuStreamIsCapturing", "cuStreamBeginCapture",
                                         "cuStreamGetCaptureInfo" };

    NEED_FAKE();
    for (int i = 0; i < CUC_LENGTH(calls); i++) {
        fake_fail(calls[i], 1, 999);
        ck_assert_int_eq(cuc_stream_begin_capture(stream, 0), CUC_ERROR_DRIVER);
        ck_assert_str_eq(cuc_error_library_call(), calls[i]);
        ck_assert(!cuc__capturing());
        ck_assert_int_eq(status_of(stream), CUC_CAPTURE_NONE);
        ck_assert_int_eq(fake_live("graph"), 0);
    }
}

TEST(a_driver_that_refuses_to_end_leaves_the_capture_active)
{
    cuc_graph *graph = (void *)1;

    NEED_FAKE();
    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    fake_fail("cuStreamEndCapture", 1, 999);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_end_capture(&graph, stream), "cuStreamEndCapture");
    ck_assert(cuc__capturing());
    fake_fail("cuUserObjectCreate", 1, 2); // the user object keeps the kernel alive
    ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_stream_end_capture(&graph, stream),
             "cuUserObjectCreate");
    ck_assert_ptr_eq(graph, (void *)1);
    ck_assert(!cuc__capturing()); // the driver had already ended the capture
    ck_assert_int_eq(fake_live("graph"), 0);
    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    fake_fail("cuGraphRetainUserObject", 1, 1);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_end_capture(&graph, stream), "cuGraphRetainUserObject");
    ck_soon((cuc__deferred_poll(), fake_live("user") == 0));
    ck_assert_int_eq(fake_live("graph"), 0);
}

static void setup_12_2(void)
{
    graph_setup_on(12020);
}

CASE("an older driver", .setup = setup_12_2, .teardown = graph_teardown);

TEST(a_driver_from_before_12_3_captures_too)
{
    cuc_capture_info info = CUC_CAPTURE_INFO_INIT;
    size_t edges;

    NEED_FAKE();
    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 2, 1));
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_stream_get_capture_info(&info, stream), "12.3");
    cuc_graph *graph = end_capture();
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_graph_get_edge_count(&edges, graph), "12.3");
    ck_assert_int_eq(fake_live("user"), 1); // the graph keeps the kernel alive even so
    cuc_graph_exec *exec = instance_of(graph);
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 1);
    ck_ok(cuc_stream_begin_capture(side, CUC_CAPTURE_GLOBAL));
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_stream_embed_graph(side, graph), "12.3");
    ck_ok(cuc_stream_cancel_capture(side));
    cuc_graph_release(graph);
    cuc_graph_exec_release(exec);
}

CASE("graph");

TEST(a_capture_in_a_lost_context_has_ended)
{
    cuc_graph *graph = NULL;

    NEED_FAKE();
    BEGIN(CUC_CAPTURE_GLOBAL);
    ck_ok(launch_on(stream, affine, buffer, 1, 1));
    fake_poison(cuc_stream_handle(stream), 700);
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_stream_end_capture(&graph, stream), "");
    ck_assert_ptr_null(graph);
    release_all();
    ck_assert(!cuc__capturing());
    ck_assert_int_eq(unraisable.count, 0);
    fake_reset();
}

int main(void)
{
    return run_device_tests("graph");
}
