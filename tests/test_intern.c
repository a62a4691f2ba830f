// Tests the names of kernels and graphs: only names that kernels, graphs and launch rings use, or
// have just released, stay in memory.
#include "device/context.h"
#include "device/intern.h"
#include "device/deferred.h"
#include "testing.h"
#include "wrap_malloc.h"

#include <pthread.h>

enum { THREADS = 8 };

static cuc_device *device;
static cuc_context *primary;
static cuc_stream *stream;
static struct testing_failures failures;

#define SHAPE CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 })

static void setup(void)
{
    if (fake_available())
        fake_reset();
    cuc_set_failure_handler(testing_failed, &failures);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_device_get_context(&primary, device));
    ck_ok(cuc_stream_create(&stream, device, NULL));
}

static void teardown(void)
{
    cuc_stream_release(stream);
    ck_assert_int_eq(failures.count, 0);
    cuc_set_failure_handler(NULL, NULL);
    if (!fake_available())
        return;
    // The driver releases a graph's references slightly later, on its own thread.
    for (int i = 0; i < 1000 && fake_live_total(); i++) {
        testing_sleep_ms(5);
        cuc__deferred_poll();
    }
    ck_assert_int_eq(fake_live_total(), 0);
}

static cuc_status make_kernel(cuc_kernel **kernel, const char *name)
{
    static const char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                               ".visible .entry %s()\n{\n ret;\n}\n";
    char ptx[256];
    cuc_object *object = NULL;
    int bytes = snprintf(ptx, sizeof(ptx), text, name);
    cuc_status st = cuc_object_create(&object, CUC_CODE_PTX, ptx, (size_t)bytes, NULL);
    size_t count;

    if (st >= 0)
        st = cuc_object_get_kernel_count(&count, object); // gives the object the name too
    if (st >= 0)
        st = cuc_object_get_kernel(kernel, object, name);
    cuc_object_release(object);
    return st;
}

// Makes a kernel with a new name, launches it, and releases it.
static cuc_status use_new_name(const char *name, cuc_stream *on)
{
    cuc_kernel *kernel = NULL;
    cuc_status st = make_kernel(&kernel, name);

    if (st >= 0 && on)
        st = cuc_launch(on, SHAPE, kernel, NULL, 0);
    cuc_kernel_release(kernel);
    return st;
}

static void use_new_names(const char *prefix, int count, cuc_stream *on)
{
    char name[64];

    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "%s_%d", prefix, i);
        ck_ok(use_new_name(name, on));
    }
}

static void list_launches(char *text, size_t size)
{
    cuc__ring_list(text, size, &primary->recent);
}

enum { BOUND = CUC__INTERN_DEAD + CUC__LAUNCH_RECORDS };

CASE("intern", .setup = setup, .teardown = teardown, .timeout = 120);

TEST(names_of_released_kernels_do_not_pile_up)
{
    const int kernels = fake_available() ? 4000 : 100000; // the fake driver keeps all code
    const size_t before = cuc__intern_count();

    use_new_names("warm", 1000, stream);
    const long blocks = wrap_live;
    use_new_names("kernel", kernels / 2, NULL);
    ck_assert_uint_le(cuc__intern_count(), before + BOUND);
    use_new_names("launched", kernels / 2, stream);
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_uint_le(cuc__intern_count(), before + BOUND);
    ck_assert_int_le(wrap_live, blocks + BOUND);
}

TEST(a_name_lives_as_long_as_a_kernel_or_an_object_has_it)
{
    cuc_kernel *kernel = NULL, *again = NULL;
    const char *name, *symbol;

    ck_ok(make_kernel(&kernel, "lives"));
    ck_ok(make_kernel(&again, "lives"));
    name = cuc_kernel_name(kernel);
    symbol = cuc_kernel_symbol(again);
    ck_assert_ptr_eq(name, symbol);
    cuc_kernel_release(kernel);
    use_new_names("other", 1000, stream);
    ck_assert_str_eq(symbol, "lives");
    cuc_object *object = cuc_object_retain(cuc_kernel_object(again));
    cuc_kernel_release(again);
    use_new_names("another", 1000, NULL);
    ck_ok(cuc_object_get_kernel_name(&name, object, 0));
    ck_assert_str_eq(name, "lives");
    cuc_object_release(object);
    // A released name that is requested again before it is freed stays valid.
    ck_ok(make_kernel(&again, "lives"));
    use_new_names("more", 1000, NULL);
    ck_assert_str_eq(cuc_kernel_name(again), "lives");
    cuc_kernel_release(again);
}

TEST(a_suspect_launch_keeps_its_name)
{
    char text[2048];

    ck_ok(use_new_name("blamed", stream));
    use_new_names("other", 10 * BOUND, NULL);
    list_launches(text, sizeof(text));
    ck_assert_msg(strstr(text, "blamed grid 1,1,1") != NULL, "%s", text);
    // The ring drops the launch; then nothing uses the name.
    use_new_names("later", CUC__LAUNCH_RECORDS, stream);
    list_launches(text, sizeof(text));
    ck_assert_ptr_null(strstr(text, "blamed"));
    ck_ok(cuc_stream_synchronize(stream));
}

TEST(a_fault_names_a_kernel_that_is_released)
{
    NEED_FAKE();
    ck_ok(use_new_name("culprit", stream));
    use_new_names("other", 10 * BOUND, NULL);
    fake_fail("cuStreamSynchronize", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_stream_synchronize(stream), "ILLEGAL_ADDRESS");
    ck_assert_msg(strstr(cuc_error_log(), "culprit grid 1,1,1") != NULL, "%s", cuc_error_log());
}

TEST(names_of_graphs_do_not_pile_up)
{
    const int graphs = 300;
    const size_t before = cuc__intern_count();
    cuc_graph_exec *exec = NULL;
    char name[64];

    for (int i = 0; i < graphs; i++) {
        cuc_kernel *kernel = NULL;
        cuc_graph *graph = NULL;
        snprintf(name, sizeof(name), "in_graph_%d", i);
        ck_ok(make_kernel(&kernel, name));
        ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
        ck_ok(cuc_launch(stream, SHAPE, kernel, NULL, 0));
        ck_ok(cuc_stream_end_capture(&graph, stream));
        if (i % 2) {
            ck_ok(cuc_graph_exec_update(exec, graph));
        } else {
            cuc_graph_exec_release(exec);
            exec = NULL;
            ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
        }
        ck_ok(cuc_graph_exec_launch(stream, exec));
        cuc_graph_release(graph);
        cuc_kernel_release(kernel);
    }
    ck_ok(cuc_stream_synchronize(stream));
    cuc_graph_exec_release(exec);
    // The driver releases kernels in graphs slightly later, on its own thread.
    for (int i = 0; i < 1000 && cuc__intern_count() > before + BOUND; i++) {
        testing_sleep_ms(5);
        cuc__deferred_poll();
        char prefix[32];
        snprintf(prefix, sizeof(prefix), "after_%d", i);
        use_new_names(prefix, CUC__INTERN_DEAD, NULL);
    }
    ck_assert_uint_le(cuc__intern_count(), before + BOUND);
}

TEST(a_destroyed_context_keeps_no_names)
{
    const size_t before = cuc__intern_count();
    CUctxCreateParams params = { 0 };

    for (int i = 0; i < 20; i++) {
        CUcontext made, popped;
        cuc_context *context = NULL;
        cuc_stream *own = NULL;
        char prefix[32];
        ck_assert_int_eq(cuc__cu.cuCtxCreate(&made, &params, 0, 0), 0);
        ck_ok(cuc_context_from_handle(&context, made));
        ck_ok(cuc_context_stream_create(&own, context, NULL));
        snprintf(prefix, sizeof(prefix), "context_%d", i);
        use_new_names(prefix, CUC__LAUNCH_RECORDS, own);
        ck_ok(cuc_stream_synchronize(own));
        cuc_stream_release(own);
        cuc_context_release(context);
        ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
        ck_assert_int_eq(cuc__cu.cuCtxDestroy(made), 0);
    }
    use_new_names("other", 10 * BOUND, NULL);
    ck_assert_uint_le(cuc__intern_count(), before + BOUND);
}

static void *use_shared_names(void *data)
{
    const int number = (int)(intptr_t)data, rounds = fake_available() ? 400 : 40;
    cuc_stream *own = NULL;
    const char *wrong = NULL;
    char name[64], text[2048];

    if (cuc_stream_create(&own, device, NULL) < 0)
        return "cuc_stream_create";
    for (int i = 0; !wrong && i < rounds; i++) {
        snprintf(name, sizeof(name), "thread_%d", i % 2 ? i : i * THREADS + number);
        if (use_new_name(name, own) < 0)
            wrong = "use_new_name";
        list_launches(text, sizeof(text));
        for (const char *at = text; at && *at && !wrong;
             at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL)
            if (strncmp(at, "thread_", 7) != 0)
                wrong = "the list of launches is damaged";
    }
    if (cuc_stream_synchronize(own) < 0)
        wrong = "cuc_stream_synchronize";
    cuc_stream_release(own);
    return (void *)(uintptr_t)wrong;
}

TEST(threads_make_and_release_names)
{
    const size_t before = cuc__intern_count();
    pthread_t threads[THREADS];
    void *wrong[THREADS];

    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use_shared_names, (void *)(intptr_t)i),
                         0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_msg(!wrong[i], "thread %d: %s", i, (const char *)wrong[i]);
    ck_assert_uint_le(cuc__intern_count(), before + BOUND);
}

int main(void)
{
    return run_device_tests("intern");
}
