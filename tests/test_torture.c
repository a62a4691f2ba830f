// Makes every driver call and every allocation of whole programs fail, one after another, with
// every kind of error code. Each time, the public call that makes it must report the failure, write
// nothing, and leave nothing behind; the next attempt must succeed.
//
// Each failure happens in a separate child process, since an action that the library performs once
// per process can fail only once. The child reports with a message and its exit status.
#include "base/array.h"
#include "base/error.h"
#include "device/intern.h"
#include "device/deferred.h"
#include "launch_ptx.h"
#include "testing.h"
#include "wrap_malloc.h"

#include <sys/wait.h>
#include <unistd.h>

static const char *const functions[] = {
#define CU(name, version, params, args) #name,
#include "driver/cu.def"
#undef CU
};

enum { FUNCTIONS = CUC_LENGTH(functions) };

static struct testing_failures failures;

// Macros for a program's calls. Every out-parameter holds a marker until its call succeeds.
static char mark;
#define MARK ((void *)&mark)

struct things {
    cuc_device *device;
    cuc_stream *stream, *second;
    cuc_event *event;
    cuc_buffer *buffer;
    cuc_object *object;
    cuc_kernel *kernel;
    cuc_graph *graph, *whole, *loop, *body, *same;
    cuc_graph_exec *exec;
    cuc_green_context *green;
    cuc_stream *part;
    cuc_memory_resource *memory;
    cuc_buffer *small, *large;
};

static const char *trouble; // a violation other than a wrong status

static void check_outcome(cuc_status st, const void *out, const char *call)
{
    if (st < 0 && out != MARK)
        trouble = "an out-parameter was written by a call that failed";
    if (st >= 0 && out == MARK)
        trouble = "an out-parameter was not written by a call that succeeded";
    if (st < 0 && cuc_error_status() >= 0)
        trouble = "a call failed without a record";
    if (st < 0 && cuc_error_function()[0] && strcmp(cuc_error_function(), call) != 0)
        trouble = "the record is of another function";
}

#define STEP(out, name, ...)             \
    do {                                 \
        st = name(__VA_ARGS__);          \
        check_outcome(st, (out), #name); \
        if (st < 0)                      \
            return st;                   \
    } while (0)
#define NO_OUT (st < 0 ? MARK : NULL)

// The second stream fills a body while the first one captures the node.
static cuc_status decide(struct things *t)
{
    const cuc_arg args[] = { CUC_ARG(1.0f), CUC_ARG(t->buffer), CUC_ARG(7) };
    const void *out = MARK;
    cuc_condition more = 0;
    cuc_status st;

    STEP(NO_OUT, cuc_stream_begin_capture, t->stream, CUC_CAPTURE_THREAD_LOCAL);
    st = cuc_stream_condition_create(&more, t->stream, 0, CUC_CONDITION_ASSIGN_DEFAULT);
    out = more ? NULL : MARK;
    check_outcome(st, out, "cuc_stream_condition_create");
    if (st < 0)
        return st;
    STEP(t->body, cuc_stream_add_conditional, &t->body, 1, t->stream, more, CUC_CONDITIONAL_WHILE);
    STEP(NO_OUT, cuc_stream_begin_capture_to, t->second, t->body, NULL, 0,
         CUC_CAPTURE_THREAD_LOCAL);
    STEP(NO_OUT, cuc_launch, t->second, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 32 }),
         t->kernel, args, 3);
    STEP(t->same, cuc_stream_end_capture, &t->same, t->second);
    STEP(t->loop, cuc_stream_end_capture, &t->loop, t->stream);
    return CUC_OK;
}

// Uses green contexts, virtual memory, and tensor maps of it.
static cuc_status divide(struct things *t)
{
    static const uint32_t box[] = { 1, 16 };
    static const int64_t shape[] = { 16, 16 };
    cuc_sms all, groups[2], rest;
    cuc_tensor_map map;
    cuc_tensor tensor;
    uint32_t two = 2;
    cuc_status st;

    STEP(NO_OUT, cuc_device_get_sms, &all, t->device);
    STEP(NO_OUT, cuc_sms_split, groups, &two, &rest, &all, 8, 0);
    STEP(t->green, cuc_green_context_create, &t->green, t->device, groups, two);
    STEP(NO_OUT, cuc_green_context_get_sms, &rest, t->green);
    STEP(t->part, cuc_green_context_stream_create, &t->part, t->green, NULL);
    STEP(t->memory, cuc_memory_virtual_create, &t->memory, t->device, NULL);
    STEP(t->small, cuc_buffer_create, &t->small, t->part, t->memory, 1024);
    STEP(t->large, cuc_buffer_grow, &t->large, t->small, ((size_t)2 << 20) + 1);
    STEP(NO_OUT, cuc_tensor_from_buffer, &tensor, t->large, CUC_F32, 2, shape);
    STEP(NO_OUT, cuc_tensor_map_encode_tiled, &map, &tensor, box, NULL);
    STEP(NO_OUT, cuc_tensor_map_replace_address, &map, &tensor);
    return CUC_OK;
}

static cuc_status go(struct things *t)
{
    static const char data[256] = "data";
    static char back[256];
    cuc_status st;

    STEP(t->device, cuc_device_get, &t->device, 0);
    STEP(t->stream, cuc_stream_create, &t->stream, t->device, NULL);
    STEP(t->second, cuc_stream_create, &t->second, t->device, CUC_STREAM_OPTIONS(.priority = -1));
    STEP(t->event, cuc_event_create, &t->event, t->device, NULL);
    STEP(t->buffer, cuc_buffer_create, &t->buffer, t->stream, NULL, sizeof(data));
    STEP(t->object, cuc_object_create, &t->object, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1,
         NULL);
    STEP(t->kernel, cuc_object_get_kernel, &t->kernel, t->object, "three");
    STEP(NO_OUT, cuc_buffer_write_async, t->stream, t->buffer, 0, data, sizeof(data));
    const cuc_arg args[] = { CUC_ARG(1.0f), CUC_ARG(t->buffer), CUC_ARG(7) };
    STEP(NO_OUT, cuc_launch, t->stream,
         CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 32 }, .shared_bytes = 100000), t->kernel, args,
         3);
    STEP(NO_OUT, cuc_launch, t->stream,
         CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 32 }, .cluster = { 2 }), t->kernel, args, 3);
    STEP(NO_OUT, cuc_event_record, t->stream, t->event);
    STEP(NO_OUT, cuc_stream_wait_event, t->second, t->event);
    STEP(NO_OUT, cuc_stream_wait_stream, t->stream, t->second);
    STEP(NO_OUT, cuc_buffer_read_async, t->stream, back, t->buffer, 0, sizeof(back));
    STEP(NO_OUT, cuc_event_synchronize, t->event);
    STEP(NO_OUT, cuc_stream_synchronize, t->stream);
    if (memcmp(data, back, sizeof(data)) != 0)
        trouble = "the data came back changed";

    STEP(NO_OUT, cuc_stream_begin_capture, t->stream, CUC_CAPTURE_THREAD_LOCAL);
    STEP(NO_OUT, cuc_launch, t->stream, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 32 }),
         t->kernel, args, 3);
    STEP(NO_OUT, cuc_buffer_write_async, t->stream, t->buffer, 0, data, sizeof(data));
    STEP(t->graph, cuc_stream_end_capture, &t->graph, t->stream);
    STEP(NO_OUT, cuc_graph_keep_buffer, t->graph, t->buffer);
    STEP(NO_OUT, cuc_stream_begin_capture, t->stream, CUC_CAPTURE_RELAXED);
    STEP(NO_OUT, cuc_stream_embed_graph, t->stream, t->graph);
    STEP(t->whole, cuc_stream_end_capture, &t->whole, t->stream);
    STEP(t->exec, cuc_graph_instantiate, &t->exec, t->graph,
         CUC_GRAPH_EXEC_OPTIONS(.upload = t->second));
    STEP(NO_OUT, cuc_graph_exec_upload, t->stream, t->exec);
    STEP(NO_OUT, cuc_graph_exec_launch, t->stream, t->exec);
    STEP(NO_OUT, cuc_graph_exec_update, t->exec, t->graph);
    STEP(NO_OUT, cuc_stream_synchronize, t->stream);
    size_t number = 0;
    STEP(NO_OUT, cuc_graph_get_node_count, &number, t->whole);
    STEP(NO_OUT, cuc_graph_get_edge_count, &number, t->graph);
    int32_t types[2];
    STEP(NO_OUT, cuc_graph_get_node_types, types, 2, t->graph);
    const char *text = MARK;
    STEP(text, cuc_graph_get_dot, &text, NULL, t->graph, 0);
    st = decide(t);
    return st < 0 ? st : divide(t);
}

static cuc_status run(int *armed_before_release)
{
    struct things t = { MARK, MARK, MARK, MARK, MARK, MARK, MARK, MARK, MARK,
                        MARK, MARK, MARK, MARK, MARK, MARK, MARK, MARK, MARK };

    fake_set_attribute(0, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 1);

    trouble = NULL;
    cuc_status st = go(&t);
    *armed_before_release = fake_fails_armed();
    if (st < 0 && t.stream != MARK) {
        int before = cuc_error_library_code();
        if (((t.second != MARK && cuc_stream_cancel_capture(t.second) < 0) ||
             cuc_stream_cancel_capture(t.stream) < 0) &&
            before != CUDA_ERROR_ILLEGAL_ADDRESS)
            trouble = "the capture cannot be cancelled";
    }
#define RELEASE(what, thing) \
    if (t.thing != MARK)     \
    cuc_##what##_release(t.thing)
    // Release parents first: children keep them alive.
    RELEASE(object, object);
    RELEASE(graph, graph);
    RELEASE(graph, whole);
    RELEASE(graph, same);
    RELEASE(graph, loop);
    RELEASE(graph, body);
    RELEASE(green_context, green);
    RELEASE(stream, part);
    RELEASE(memory_resource, memory);
    RELEASE(buffer, small);
    RELEASE(buffer, large);
    RELEASE(stream, second);
    RELEASE(stream, stream);
    RELEASE(kernel, kernel);
    RELEASE(buffer, buffer);
    RELEASE(event, event);
    RELEASE(graph_exec, exec);
#undef RELEASE
    // A driver thread defers the drop of the graphs' references; drop them here. If a release
    // failed, something is left over.
    const struct timespec moment = { 0, 50000 };
    for (int i = 0; i < 100000; i++) {
        cuc__deferred_poll();
        if (!fake_live_total() || (i > 40 && *armed_before_release && !fake_fails_armed()))
            break;
        nanosleep(&moment, NULL);
    }
    return st;
}

// Driver failures that do not make the call fail, because the library has an alternative or nothing
// depends on them.
static int may_be_passed_over(const char *function, int code)
{
    static const struct {
        const char *function;
        int code; // 0: any
    } rows[] = {
        { "cuCtxGetCurrent", 0 },                             // the context is pushed instead
        { "cuThreadExchangeStreamCaptureMode", 0 },           // a capture may then forbid the call
        { "cuKernelGetParamInfo", CUDA_ERROR_INVALID_VALUE }, // taken for the end of the list
        { "cuKernelGetParamInfo", CUDA_ERROR_INVALID_CONTEXT }, // the device's own context is used
        { "cuGraphKernelNodeGetParams", 0 },            // launches are then recorded without names
        { "cuKernelGetName", 0 },                       // likewise
        { "cuMemFreeAsync", CUDA_ERROR_INVALID_VALUE }, // retried, because a capture may have ended
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++)
        if (strcmp(rows[i].function, function) == 0 && (!rows[i].code || rows[i].code == code))
            return 1;
    return 0;
}

static int starts_once(const char *function)
{
    return strcmp(function, "cuInit") == 0 || strcmp(function, "cuDriverGetVersion") == 0;
}

#define REPORT(...)                                                  \
    do {                                                             \
        fprintf(stderr, __VA_ARGS__);                                \
        fprintf(stderr, " (last error: %s)\n", cuc_error_message()); \
        return 1;                                                    \
    } while (0)

static long heap_after_success; // blocks that the library keeps

// Returns the number of heap blocks. Names of kernels and graphs are not counted: each is a block,
// and unused ones are freed later.
static long heap(void)
{
    return wrap_live - (long)cuc__intern_count();
}

// Measures the size of the heap after a run without failures, in a child.
static int measure(long *calls)
{
    int armed;

    (void)cuc_device_get_count(NULL); // allocates the thread's error record
    if (run(&armed) != CUC_OK || trouble)
        REPORT("the way itself fails: %s", trouble ? trouble : "");
    cuc_error_clear();
    calls[0] = heap();
    calls[1] = wrap_calls;
    for (int i = 0; i < FUNCTIONS; i++)
        calls[2 + i] = fake_calls(functions[i]);
    if (fake_live_total())
        REPORT("%d things stay alive", fake_live_total());
    return 0;
}

static int fail_call(const char *function, int nth, int code)
{
    int armed, popped = strcmp(function, "cuCtxPopCurrent") == 0;
    CUcontext left = NULL;

    cuc_set_failure_handler(testing_failed, &failures);
    (void)cuc_device_get_count(NULL);
    fake_fail(function, nth, code);
    cuc_status st = run(&armed);
    if (trouble)
        REPORT("%s", trouble);
    if (fake_fails_armed())
        REPORT("the call is not made");
    if (st < 0 && armed)
        REPORT("a call failed that was not hit");
    if (st >= 0 && !armed && !may_be_passed_over(function, code))
        REPORT("the failure is lost");
    if (st >= 0 && armed) { // the call was in a release, so its failure goes to the failure handler
        // A driver that is shutting down is not reported, and neither are failures to restore a
        // capture mode or a context in a release.
        if (!failures.count && code != CUDA_ERROR_DEINITIALIZED &&
            !may_be_passed_over(function, code))
            REPORT("a failed release is told to nobody");
        return 0;
    }
    if (popped) // the message says that the context could not be popped
        (void)cuc__cu.cuCtxPopCurrent(&left);
    if (testing_current())
        REPORT("a context stays current");
    if (failures.count)
        REPORT("a clean-up failed as well: %s", failures.last);
    if (fake_live_total())
        REPORT("%d things stay alive", fake_live_total());
    if (starts_once(function))
        return 0;
    st = run(&armed);
    if (st < 0 || trouble)
        REPORT("the next attempt fails: %s", trouble ? trouble : "");
    if (fake_live_total())
        REPORT("%d things stay alive after the next attempt", fake_live_total());
    cuc_error_clear();
    // More blocks may stay after a sticky error, because a lost context keeps its report, and after
    // some failures, because the library tried another device, whose context it keeps.
    if (heap() != heap_after_success && code != CUDA_ERROR_ILLEGAL_ADDRESS &&
        !may_be_passed_over(function, code))
        REPORT("%ld blocks stay allocated, expected %ld", heap(), heap_after_success);
    return 0;
}

static int fail_allocation(long nth, int with_record, int more)
{
    int armed;

    cuc_set_failure_handler(testing_failed, &failures);
    if (with_record)
        (void)cuc_device_get_count(NULL);
    wrap_fail_in = nth;
    wrap_fail_more = more;
    cuc_status st = run(&armed);
    wrap_fail_in = wrap_fail_more = 0;
    int failed = wrap_failed;
    if (trouble)
        REPORT("%s", trouble);
    if (!failed)
        return 2; // the program makes fewer calls
    if (st >= 0)
        REPORT("the failure is lost");
    if (st != CUC_ERROR_OUT_OF_MEMORY)
        REPORT("the status is %s", cuc_status_name(st));
    if (cuc_error_status() != CUC_ERROR_OUT_OF_MEMORY || !strstr(cuc_error_message(), "memory"))
        REPORT("the record is another");
    if (testing_current())
        REPORT("a context stays current");
    if (failures.count)
        REPORT("a clean-up failed as well: %s", failures.last);
    if (fake_live_total())
        REPORT("%d things stay alive", fake_live_total());
    (void)cuc_device_get_count(NULL);
    st = run(&armed);
    if (st < 0 || trouble)
        REPORT("the next attempt fails: %s", trouble ? trouble : "");
    if (fake_live_total())
        REPORT("%d things stay alive after the next attempt", fake_live_total());
    cuc_error_clear();
    if (heap() != heap_after_success)
        REPORT("%ld blocks stay allocated, expected %ld", heap(), heap_after_success);
    return 0;
}

// Runs one line in a child, whose exit status is the value of the expression.
#define IN_CHILD(result, expression)                                           \
    do {                                                                       \
        int child_status = 0;                                                  \
        fflush(NULL);                                                          \
        pid_t child = fork();                                                  \
        ck_assert_int_ge(child, 0);                                            \
        if (child == 0) {                                                      \
            int code_ = (expression);                                          \
            fflush(NULL);                                                      \
            _exit(code_);                                                      \
        }                                                                      \
        ck_assert_int_eq(waitpid(child, &child_status, 0), child);             \
        (result) = WIFEXITED(child_status) ? WEXITSTATUS(child_status) : 1000; \
    } while (0)

static long counted[2 + FUNCTIONS];

static int measure_into(int fd)
{
    int failed = measure(counted);

    return failed || write(fd, counted, sizeof(counted)) != (ssize_t)sizeof(counted);
}

static void count_all(void)
{
    int fds[2], result;

    ck_assert_int_eq(pipe(fds), 0);
    IN_CHILD(result, measure_into(fds[1]));
    ck_assert_int_eq(result, 0);
    ck_assert_int_eq(read(fds[0], counted, sizeof(counted)), (ssize_t)sizeof(counted));
    close(fds[0]);
    close(fds[1]);
    heap_after_success = counted[0];
}

static const int codes[] = { 1, 2, 3, 4, 201, 400, 700, 801, 999 };

CASE("torture", .timeout = 120);

TEST_ROWS(every_driver_call_may_fail, codes)
{
    int made = 0, bad = 0, result;

    NEED_FAKE();
    count_all();
    for (int f = 0; f < FUNCTIONS; f++) {
        for (int n = 1; n <= counted[2 + f]; n++) {
            IN_CHILD(result, fail_call(functions[f], n, codes[_i]));
            if (result)
                fprintf(stderr, "    call %d of %s giving %d\n", n, functions[f], codes[_i]);
            bad += result != 0;
            made++;
        }
    }
    ck_assert_int_gt(made, 50);
    ck_assert_msg(!bad, "%d of %d failures came out wrong", bad, made);
}

TEST_RANGE(every_allocation_may_fail, 0, 6)
{
    // Three ways to fail: only this call; also the next one, which may record the failure; and all
    // calls from here on.
    static const int also[] = { 0, 1, 1000 };
    const int with_record = _i & 1, more = also[_i / 2];
    int made = 0, bad = 0, result = 0;

    NEED_FAKE();
    count_all();
    for (int n = 1; result != 2; n++) {
        IN_CHILD(result, fail_allocation(n, with_record, more));
        if (result != 0 && result != 2)
            fprintf(stderr, "    allocation %d\n", n);
        bad += result != 0 && result != 2;
        made += result != 2;
    }
    ck_assert_int_gt(made, 10);
    ck_assert_msg(!bad, "%d of %d failures came out wrong", bad, made);
}

// ---- Compilers, which a child does not search for or load: its parent has already used them.

static const char cuda[] = "template <class T> __global__ void k(T *a) { *a = 1; }\n"
                           "extern \"C\" __global__ void plain(float *a) { *a = 2; }\n";

static cuc_status compile(const char *arch)
{
    static const char *const names[] = { "k<int>" };
    cuc_program *p = NULL;
    cuc_object *object = NULL, *linked = NULL;
    cuc_linker *linker = NULL;
    cuc_status st;

    if ((st = cuc_program_create(&p, CUC_SOURCE_CUDA, cuda, 0,
                                 CUC_PROGRAM_OPTIONS(.arch = arch, .name_expressions = names,
                                                     .name_expression_count = 1))) >= 0 &&
        (st = cuc_program_compile(&object, p, CUC_CODE_PTX)) >= 0 &&
        (st = cuc_linker_create(&linker, CUC_LINKER_OPTIONS(.arch = arch))) >= 0 &&
        (st = cuc_linker_add(linker, object)) >= 0)
        st = cuc_linker_link(&linked, linker, CUC_CODE_CUBIN);
    cuc_object_release(linked);
    cuc_linker_release(linker);
    cuc_object_release(object);
    cuc_program_release(p);
    return st;
}

static int fail_compiling(const char *arch, cuc_status usual, long nth)
{
    (void)cuc_device_get_count(NULL); // allocates the thread's error record
    wrap_fail_in = nth;
    cuc_status st = compile(arch);
    wrap_fail_in = 0;
    if (!wrap_failed)
        return 2; // the program makes fewer calls
    if (st != usual && st != CUC_ERROR_OUT_OF_MEMORY)
        REPORT("the status is %s", cuc_status_name(st));
    st = compile(arch);
    if (st != usual)
        REPORT("the next attempt gives %s", cuc_status_name(st));
    return 0;
}

TEST_RANGE(every_allocation_of_compiling_may_fail, 0, 2)
{
    static const struct {
        const char *arch;
        cuc_status status;
        bool used;
    } rows[] = {
        { "sm_999", CUC_ERROR_NOT_SUPPORTED, false }, // NVRTC is loaded and queried
        { "sm_90", CUC_OK, true },
    };
    const char *arch = rows[_i].arch;
    int made = 0, bad = 0, result = 0;

    NEED_FAKE();
    if (testing_lacks("nvrtc") || testing_lacks("nvjitlink"))
        SKIP("there is no NVRTC or no nvJitLink");
    if (rows[_i].used)
        ck_ok(compile(arch));
    for (int n = 1; result != 2; n++) {
        IN_CHILD(result, fail_compiling(arch, rows[_i].status, n));
        if (result != 0 && result != 2)
            fprintf(stderr, "    allocation %d\n", n);
        bad += result != 0 && result != 2;
        made += result != 2;
    }
    ck_assert_int_gt(made, 10);
    ck_assert_msg(!bad, "%d of %d failures came out wrong", bad, made);
}

TEST(a_failure_without_memory_for_its_record_says_so)
{
    wrap_fail_in = 1;
    ck_assert_int_eq(cuc__fail(CUC_ERROR_IO, "cuc_a", "x"), CUC_ERROR_IO);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(cuc_error_status(), CUC_ERROR_OUT_OF_MEMORY);
        ck_assert_str_eq(cuc_error_message(), "no host memory to record the failure");
        ck_assert_uint_eq(cuc_error_note_count(), 0);
        ck_assert_str_eq(cuc_error_log(), "");
        switch (i) { // none of these makes a call fail
        case 0:
            ck_assert_int_eq(cuc__pass(CUC_ERROR_IO, "cuc_b"), CUC_ERROR_IO);
            break;
        case 1:
            cuc__error_note("note");
            break;
        case 2:
            cuc__error_set_log("log");
            break;
        case 3:
            cuc__error_set_explanation("why");
            break;
        }
    }
    cuc__fail(CUC_ERROR_IO, "cuc_a", "x");
    ck_assert_str_eq(cuc_error_message(), "cuc_a: x");
    cuc_error_clear();
    ck_assert_str_eq(cuc_error_message(), "no error");
}

int main(void)
{
    return run_tests("torture");
}
