// Tests object code with a driver: loading, unloading, names, variables.
#include <cucore/kernel.h>
#include <cucore/object.h>

#include "code/object.h"

#include "data/sample_ptx.h"
#include "object_testing.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

// Loading

CASE("loading", .setup = object_setup, .teardown = object_teardown);

TEST(code_is_loaded_once_and_unloaded_with_its_last_user)
{
    cuc_object *object = ptx_object(sample_ptx);

    expect_calls("cuLibraryLoadData", 0);
    cuc_kernel *first = kernel_of(object, "saxpy");
    cuc_kernel *again = kernel_of(object, "saxpy");
    cuc_kernel *other = kernel_of(object, "mixed");
    expect_calls("cuLibraryLoadData", 1);
    expect_calls("cuLibraryGetKernel", 2);
    ck_assert_ptr_ne(first, again);
    ck_assert_ptr_eq(cuc_kernel_handle(first), cuc_kernel_handle(again));
    ck_assert_ptr_ne(cuc_kernel_handle(first), cuc_kernel_handle(other));
    cuc_object_release(object);
    cuc_kernel_release(first);
    cuc_kernel_release(other);
    expect_libraries(1);
    ck_assert_str_eq(cuc_kernel_name(again), "saxpy");
    ck_assert_ptr_eq(cuc_kernel_object(again), object);
    cuc_kernel_release(again);
    expect_libraries(0);
    expect_calls("cuLibraryUnload", 1);
}

enum { THREADS = 8 };

static void *get_and_release(void *arg)
{
    for (int i = 0; i < 50; i++) {
        cuc_kernel *kernel = NULL;
        if (cuc_object_get_kernel(&kernel, arg, i & 1 ? "saxpy" : "mixed") != CUC_OK)
            return arg;
        cuc_kernel_release(kernel);
    }
    return NULL;
}

TEST(threads_that_want_one_object_load_it_once)
{
    cuc_object *object = ptx_object(sample_ptx);
    pthread_t threads[THREADS];
    void *failed;

    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, get_and_release, object), 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    expect_calls("cuLibraryLoadData", 1);
    cuc_object_release(object);
}

TEST_RANGE(kinds_that_must_be_linked_say_so_without_a_driver, 0, 3)
{
    static const int32_t kinds[] = { CUC_CODE_LTOIR, CUC_CODE_OBJECT, CUC_CODE_LIBRARY };
    struct cubin host = make_cubin(EM_X86_64);
    const void *data[] = { ltoir, &host, archive };
    size_t bytes[] = { strlen(ltoir), sizeof(host), strlen(archive) };
    cuc_object *object = NULL;
    cuc_kernel *kernel = NULL;
    size_t count;

    ck_ok(cuc_object_create(&object, kinds[_i], data[_i], bytes[_i], NULL));
    ck_assert_int_eq(cuc_object_get_kernel(&kernel, object, "k"), CUC_ERROR_NOT_SUPPORTED);
    ck_assert_str_eq(cuc_error_function(), "cuc_object_get_kernel");
    expect_message("link it first");
    ck_assert_int_eq(cuc_object_get_kernel_count(&count, object), CUC_ERROR_NOT_SUPPORTED);
    ck_assert_ptr_null(kernel);
    expect_no_calls();
    cuc_object_release(object);
}

TEST(a_simulated_driver_needs_the_ptx_beside_a_cubin)
{
    NEED_FAKE();
    struct cubin cubin = make_cubin(EM_CUDA);
    cuc_object *object = NULL;
    cuc_kernel *kernel = NULL;

    ck_ok(cuc_object_create(&object, CUC_CODE_CUBIN, &cubin, sizeof(cubin),
                            CUC_OBJECT_OPTIONS(.name = "fft.cubin")));
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_object_get_kernel(&kernel, object, "saxpy"),
             "fft.cubin is a cubin without PTX, and the simulated driver");
    ck_assert_ptr_null(kernel);
    cuc_object_release(object);

    ck_ok(
        cuc_object_create(&object, CUC_CODE_CUBIN, &cubin, sizeof(cubin),
                          CUC_OBJECT_OPTIONS(.ptx = sample_ptx, .ptx_bytes = sizeof(sample_ptx))));
    kernel = kernel_of(object, "saxpy");
    cuc_kernel_release(kernel);
    cuc_object_release(object);
}

TEST(ptx_that_the_driver_refuses_comes_with_its_log)
{
    cuc_object *object = NULL;
    cuc_kernel *kernel = NULL;

    // No kernel begins like this, but the text passes as PTX until it is compiled.
    object = ptx_object(".version 8.0\n.target sm_80\n.address_size 64\n"
                        ".visible .entry broken(.param .u32 a,,)\n{\n\tret;\n}\n");
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(cuc_object_get_kernel(&kernel, object, "broken"), CUC_ERROR_DRIVER);
        ck_assert_int_eq(cuc_error_library(), CUC_LIBRARY_DRIVER);
        ck_assert_int_eq(cuc_error_library_code(), CUDA_ERROR_INVALID_PTX);
        // A driver with lazy loading compiles only when the first kernel is requested.
        if (strcmp(cuc_error_library_call(), "cuLibraryGetKernel") != 0)
            ck_assert_str_eq(cuc_error_library_call(), "cuLibraryLoadData");
        ck_assert_str_ne(cuc_error_log(), "");
        ck_assert_ptr_null(kernel);
    }
    cuc_object_release(object);
}

TEST(any_failing_driver_call_leaves_nothing_behind)
{
    NEED_FAKE();
    cuc_device *device;
    int n, failures = 0;

    ck_ok(cuc_device_get(&device, 0)); // another test covers the driver's own start
    for (n = 1; n < 100; n++) {
        cuc_object *object = ptx_object(sample_ptx);
        cuc_kernel *kernel = NULL;
        fake_fail_any(n, CUDA_ERROR_OUT_OF_MEMORY);
        cuc_status st = cuc_object_get_kernel(&kernel, object, "saxpy");
        bool reached = !fake_fails_armed();
        fake_fail_reset();
        if (st < 0) {
            failures++;
            ck_assert_int_eq(st, CUC_ERROR_OUT_OF_DEVICE_MEMORY);
            ck_assert_str_eq(cuc_error_function(), "cuc_object_get_kernel");
            ck_assert_ptr_null(kernel);
            // The object is still usable.
            kernel = kernel_of(object, "saxpy");
        }
        cuc_kernel_release(kernel);
        cuc_object_release(object);
        expect_libraries(0);
        if (!reached)
            break;
    }
    ck_assert_int_lt(n, 100);
    ck_assert_int_ge(failures, 7); // load, kernel, device count, four parameters
}

TEST(loading_and_unloading_do_not_spoil_a_capture)
{
    CUstreamCaptureStatus status;
    CUstream stream;
    CUgraph graph;
    CUcontext context;

    cuc_object *warm = ptx_object(sample_ptx);
    cuc_kernel_release(kernel_of(warm, "saxpy"));
    ck_assert_int_eq(cuc__cu.cuDevicePrimaryCtxRetain(&context, 0), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(context), 0);
    ck_assert_int_eq(cuc__cu.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0), 0);
    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
    cuc_object *object = ptx_object(sample_ptx);
    cuc_kernel_release(kernel_of(object, "saxpy"));
    cuc_object_release(object);
    cuc_object_release(warm);
    ck_assert_int_eq(cuc__cu.cuStreamIsCapturing(stream, &status), 0);
    ck_assert_int_eq((int)status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(stream, &graph), 0);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(stream), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&context), 0);
    ck_assert_int_eq(cuc__cu.cuDevicePrimaryCtxRelease(0), 0);
}

static cuc_object *kept;

static void release_at_exit(void)
{
    int before = fake_calls("cuLibraryUnload");

    cuc_object_release(kept);
    _exit(before != 0 || fake_calls("cuLibraryUnload") != 0);
}

// atexit() handlers run in reverse order, so this one, registered before the load, runs near the
// end.
TEST(a_release_while_the_process_exits_leaves_the_library_to_the_driver)
{
    NEED_FAKE();
    int status;
    pid_t child = fork();

    if (!child) {
        cuc_kernel *kernel = NULL;
        if (cuc_object_create(&kept, CUC_CODE_PTX, sample_ptx, strlen(sample_ptx), NULL) ||
            atexit(release_at_exit) || cuc_object_get_kernel(&kernel, kept, "saxpy"))
            _exit(2);
        cuc_kernel_release(kernel);
        exit(3);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

static int cleanup_failures;

static void count_failure(const char *message, void *user)
{
    (void)user;
    cleanup_failures += strstr(message, "cuLibraryUnload") != NULL;
}

TEST(a_failing_unload_is_handed_to_the_failure_handler)
{
    NEED_FAKE();
    cuc_object *object = ptx_object(sample_ptx);

    cuc_kernel_release(kernel_of(object, "saxpy"));
    cuc_set_failure_handler(count_failure, NULL);
    fake_fail("cuLibraryUnload", 1, CUDA_ERROR_INVALID_HANDLE);
    cuc_object_release(object);
    cuc_set_failure_handler(NULL, NULL);
    ck_assert_int_eq(cleanup_failures, 1);
    expect_libraries(1);
    fake_reset();
}

// Names

CASE("names", .setup = object_setup, .teardown = object_teardown);

TEST(kernel_names_come_from_ptx_without_a_driver)
{
    static const char *const names[] = { "saxpy",          "_Z5scaleIfEvT_PS0_",  "mixed",
                                         "big_shared",     "nothing_in_the_list", "no_list",
                                         "wait_then_write" };
    cuc_object *object = ptx_object(sample_ptx);
    const char *name = "untouched";
    size_t count = 0;

    ck_ok(cuc_object_get_kernel_count(&count, object));
    ck_assert_uint_eq(count, 7);
    for (size_t i = 0; i < count; i++) {
        ck_ok(cuc_object_get_kernel_name(&name, object, i));
        ck_assert_str_eq(name, names[i]);
    }
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_object_get_kernel_name(&name, object, 7),
             "index is 7, the object has 7 kernels");
    expect_no_calls();
    cuc_object_release(object);

    object = ptx_object(".version 8.0 .entry a(); .entry b; .entry a() {}");
    ck_ok(cuc_object_get_kernel_count(&count, object));
    ck_assert_uint_eq(count, 2); // a declaration and its definition count as one
    cuc_object_release(object);
}

// Hides the PTX of a loaded object, which then resembles a cubin on a real driver.
static cuc_object *object_without_ptx(void)
{
    cuc_object *object = ptx_object(sample_ptx);
    void *library;

    ck_ok(cuc_object_get_library(&library, object));
    ck_assert_ptr_nonnull(library);
    object->ptx = NULL;
    return object;
}

TEST(kernel_names_come_from_the_driver_where_there_is_no_ptx)
{
    NEED_FAKE();
    cuc_object *object = object_without_ptx();
    const char *name;
    size_t count = 0;
    int found = 0;

    for (int n = 1; n <= 3; n++) {
        fake_fail_any(n, CUDA_ERROR_OUT_OF_MEMORY);
        ck_assert_int_lt(cuc_object_get_kernel_count(&count, object), 0);
        ck_assert_uint_eq(count, 0);
    }
    ck_ok(cuc_object_get_kernel_count(&count, object));
    ck_assert_uint_eq(count, 7);
    for (size_t i = 0; i < count; i++) {
        ck_ok(cuc_object_get_kernel_name(&name, object, i));
        found += !strcmp(name, "saxpy") + !strcmp(name, "no_list");
    }
    ck_assert_int_eq(found, 2);
    cuc_object_release(object);
}

TEST(a_name_expression_finds_the_symbol_it_stands_for)
{
    cuc_object_mapping names[] = { { "scale<float>", "_Z5scaleIfEvT_PS0_" } };
    cuc_object *object = NULL;

    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, sample_ptx, strlen(sample_ptx),
                            CUC_OBJECT_OPTIONS(.names = names, .name_count = 1)));
    cuc_kernel *kernel = kernel_of(object, "scale<float>");
    cuc_kernel *same = kernel_of(object, "_Z5scaleIfEvT_PS0_");
    ck_assert_str_eq(cuc_kernel_name(kernel), "scale<float>");
    ck_assert_str_eq(cuc_kernel_symbol(kernel), "_Z5scaleIfEvT_PS0_");
    ck_assert_str_eq(cuc_kernel_name(same), "_Z5scaleIfEvT_PS0_");
    ck_assert_ptr_eq(cuc_kernel_handle(kernel), cuc_kernel_handle(same));
    cuc_kernel_release(kernel);
    cuc_kernel_release(same);
    cuc_object_release(object);
}

TEST(an_unknown_kernel_is_reported_with_the_available_names)
{
    cuc_object_mapping names[] = { { "scale<float>", "_Z5scaleIfEvT_PS0_" } };
    cuc_object *object = NULL;
    cuc_kernel *kernel = NULL;

    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, sample_ptx, strlen(sample_ptx),
                            CUC_OBJECT_OPTIONS(.name = "my.ptx", .names = names, .name_count = 1)));
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_get_kernel(&kernel, object, "sxapy"),
             "no kernel \"sxapy\" in my.ptx, which has scale<float>, saxpy, mixed, "
             "big_shared, nothing_in_the_list, no_list, wait_then_write");
    ck_assert_str_eq(cuc_error_function(), "cuc_object_get_kernel");
    ck_assert_str_eq(cuc_error_explanation(), "");
    ck_fails(
        CUC_ERROR_NOT_FOUND, cuc_object_get_kernel(&kernel, object, "scale"),
        "_Z5scaleIfEvT_PS0_ is a C++ symbol: declare the kernel extern \"C\", or compile it with "
        "the name expression \"scale<float>\".");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_get_kernel(&kernel, object, "scale<double>"),
             "name expressions");
    ck_assert_ptr_null(kernel);
    cuc_object_release(object);

    object = ptx_object(".version 8.0\n.target sm_80\n.address_size 64\n");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_get_kernel(&kernel, object, "k"),
             "which has no kernel at all");
    cuc_object_release(object);

    object = object_without_ptx();
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_get_kernel(&kernel, object, "k"), "saxpy");
    cuc_object_release(object);
    if (fake_available()) {
        object = object_without_ptx();
        fake_fail("cuLibraryGetKernelCount", 1, CUDA_ERROR_UNKNOWN);
        ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_get_kernel(&kernel, object, "k"),
                 "names this driver cannot list");
        ck_assert_int_eq(cuc_error_library_code(), 0);
        cuc_object_release(object);
    }
}

TEST(a_long_list_of_names_is_cut_and_counted)
{
    static char text[64 * 1024] = ".version 8.0\n.target sm_80\n.address_size 64\n";
    cuc_kernel *kernel = NULL;

    for (int i = 0; i < 500; i++)
        sprintf(text + strlen(text), ".visible .entry kernel_%03d()\n{\n\tret;\n}\n", i);
    cuc_object *object = ptx_object(text);
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_get_kernel(&kernel, object, "k"),
             "kernel_000, kernel_001", " more");
    int shown = 0;
    for (const char *p = cuc_error_message(); (p = strstr(p, "kernel_")); p++)
        shown++;
    int more = 0;
    ck_assert_int_eq(sscanf(strstr(cuc_error_message(), " and ") + 5, "%d more", &more), 1);
    ck_assert_int_eq(shown + more, 500);
    cuc_object_release(object);
}

// ---- Other contents of a library

TEST(variables_are_found_on_the_requested_device)
{
    cuc_object *object = ptx_object(sample_ptx);
    cuc_device *devices[2];
    cuc_device_ptr at[2] = { 0, 0 }, ptr = 42;
    size_t bytes = 0;
    int32_t count;

    ck_ok(cuc_device_get_count(&count));
    for (int32_t i = 0; i < count && i < 2; i++) {
        ck_ok(cuc_device_get(&devices[i], i));
        ck_ok(cuc_object_get_global(&at[i], &bytes, object, devices[i], "weights"));
        ck_assert_uint_eq(bytes, 64);
        ck_assert_uint_ne(at[i], 0);
        ck_assert_ptr_null(testing_current());
    }
    ck_assert_uint_ne(at[0], at[1]);
    ck_ok(cuc_object_get_global(&at[0], NULL, object, devices[0], "counter"));
    ck_fails(CUC_ERROR_NOT_FOUND,
             cuc_object_get_global(&ptr, &bytes, object, devices[0], "nothing"),
             "no variable \"nothing\" in the object");
    ck_assert_int_eq(cuc_object_get_global(&ptr, &bytes, object, NULL, "counter"),
                     CUC_ERROR_DRIVER); // no context is current
    ck_assert_int_eq(cuc_error_library_code(), CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_uint_eq(ptr, 42);
    cuc_object_release(object);
}

TEST(a_managed_variable_has_one_address)
{
    cuc_object *object = ptx_object(sample_ptx);
    cuc_device *device;
    cuc_device_ptr first = 0, again = 0, none = 42;
    size_t bytes = 0;

    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_object_get_managed(&first, &bytes, object, device, "everywhere"));
    ck_assert_uint_eq(bytes, 8);
    ck_ok(cuc_object_get_managed(&again, NULL, object, device, "everywhere"));
    ck_assert_uint_eq(first, again);
    ck_assert_ptr_null(testing_current());
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_get_managed(&none, &bytes, object, device, "counter"),
             "no managed variable \"counter\" in the object");
    ck_assert_uint_eq(none, 42);
    void *function = &none;
    ck_assert_int_lt(cuc_object_get_unified_function(&function, object, "nothing"), 0);
    ck_assert_ptr_eq(function, &none);
    cuc_object_release(object);
}

// If the failing call was the pop, the message says so.
static void expect_context_back(cuc_status st)
{
    CUcontext popped;

    fake_fail_reset();
    if (st < 0 && strcmp(cuc_error_library_call(), "cuCtxPopCurrent") == 0) {
        expect_message("is current now");
        ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    }
    ck_assert_ptr_null(testing_current());
}

TEST(a_failed_look_up_leaves_the_context_as_it_was)
{
    cuc_device *device;
    cuc_device_ptr ptr;
    void *handle;
    size_t bytes;

    NEED_FAKE();
    cuc_object *object = ptx_object(sample_ptx);
    ck_ok(cuc_device_get(&device, 0));
    for (int n = 1; n < 20; n++) {
        ptr = 42;
        fake_fail_any(n, CUDA_ERROR_OUT_OF_MEMORY);
        cuc_status st = cuc_object_get_global(&ptr, &bytes, object, device, "counter");
        ck_assert_int_eq(st < 0, ptr == 42);
        expect_context_back(st);
        handle = &ptr;
        fake_fail_any(n, CUDA_ERROR_OUT_OF_MEMORY);
        st = cuc_object_get_module(&handle, object, device);
        ck_assert_int_eq(st < 0, handle == &ptr);
        expect_context_back(st);
    }
    cuc_object_release(object);
}

TEST(a_module_belongs_to_the_requested_device)
{
    cuc_object *object = ptx_object(sample_ptx);
    cuc_device *devices[2];
    void *modules[2] = { NULL, NULL }, *module = NULL;
    cuc_context *context;
    int32_t count;

    ck_ok(cuc_device_get_count(&count));
    for (int32_t i = 0; i < count && i < 2; i++) {
        ck_ok(cuc_device_get(&devices[i], i));
        ck_ok(cuc_object_get_module(&modules[i], object, devices[i]));
        ck_assert_ptr_nonnull(modules[i]);
        ck_assert_ptr_null(testing_current());
    }
    ck_assert_ptr_ne(modules[0], modules[1]);
    ck_assert_int_eq(cuc_object_get_module(&module, object, NULL), CUC_ERROR_DRIVER);
    ck_assert_ptr_null(module);
    ck_ok(cuc_device_get_context(&context, devices[0]));
    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(cuc_context_handle(context)), 0);
    ck_ok(cuc_object_get_module(&module, object, NULL));
    ck_assert_ptr_eq(module, modules[0]);
    CUcontext popped;
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    cuc_context_release(context);
    cuc_object_release(object);
}

CASE("loading");

// Tests the guarantee for a kernel's last user: unloading does not remove running code. Only a real
// driver can show this.
TEST(a_kernel_released_while_it_runs_ends_well)
{
    cuc_object *object = ptx_object(sample_ptx);
    cuc_device *device;
    cuc_context *context;
    CUstream stream;
    CUdeviceptr out;
    uint32_t result = 0;
    uint64_t wait_ns = 200000000;
    void *arguments[] = { &out, &wait_ns };
    CUcontext popped;

    if (fake_available()) {
        cuc_object_release(object);
        SKIP("the fake driver runs no code");
    }
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_device_get_context(&context, device));
    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(cuc_context_handle(context)), 0);
    ck_assert_int_eq(cuc__cu.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0), 0);
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&out, 4), 0);
    cuc_kernel *kernel = kernel_of(object, "wait_then_write");
    CUlaunchConfig config = { .gridDimX = 1,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 1,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .hStream = stream };
    ck_assert_int_eq(cuc__cu.cuLaunchKernelEx(&config, cuc_kernel_handle(kernel), arguments, NULL),
                     0);
    cuc_kernel_release(kernel);
    cuc_object_release(object);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), 0);
    ck_assert_int_eq(cuc__cu.cuMemcpyAsync((CUdeviceptr)(uintptr_t)&result, out, 4, stream), 0);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), 0);
    ck_assert_uint_eq(result, 42);
    ck_assert_int_eq(cuc__cu.cuMemFree(out), 0);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(stream), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    cuc_context_release(context);
}

int main(void)
{
    setenv("CUCORE_CHECK_HANDLES", "1", 0);
    return run_device_tests("object_load");
}
