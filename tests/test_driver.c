// Tests loading the driver: the choice of file, missing and outdated functions, and children of
// fork(). Each test runs in its own process, so that each one loads the driver again.
#include "base/array.h"
#include "device/context.h"
#include "driver/driver.h"
#include "testing.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int32_t count;

TEST(a_path_without_a_file_is_refused_with_the_places_tried)
{
    setenv("CUCORE_DRIVER", "/nonexistent/libcuda.so.1", 1);
    count = 42;
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_device_get_count(&count), "no CUDA driver",
             "/nonexistent/libcuda.so.1", "CUCORE_DRIVER", "cucore doctor");
    ck_assert_int_eq(count, 42);
    ck_assert_ptr_nonnull(strstr(cuc_error_log(), "/nonexistent/libcuda.so.1: "));
    ck_assert_str_eq(cuc__driver_path(), "");
    ck_assert_int_eq(cuc__driver_version(), 0);
    ck_assert(!cuc__driver_has("cuInit"));
}

TEST(a_library_that_is_not_a_driver_is_recognized)
{
    setenv("CUCORE_DRIVER", "libm.so.6", 1);
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_device_get_count(&count), "libm.so.6: loaded",
             "exports no cuDriverGetVersion: not a CUDA driver");
}

TEST(without_a_name_the_systems_driver_is_loaded)
{
    unsetenv("CUCORE_DRIVER");
    cuc_status st = cuc_device_get_count(&count);

    if (st >= 0 || st != CUC_ERROR_NO_DRIVER)
        SKIP("there is a driver on this machine: %s", cuc__driver_path());
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_device_get_count(&count), "libcuda.so.1");
}

TEST(an_empty_name_loads_the_systems_driver_too)
{
    setenv("CUCORE_DRIVER", "", 1);
    if (cuc_device_get_count(&count) != CUC_ERROR_NO_DRIVER)
        SKIP("there is a driver on this machine: %s", cuc__driver_path());
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_device_get_count(&count), "libcuda.so.1");
}

TEST(sim_is_searched_beside_the_library_and_never_chosen_silently)
{
    setenv("CUCORE_DRIVER", "sim", 1);
    if (cuc_device_get_count(&count) >= 0)
        SKIP("there is a simulated driver: %s", cuc__driver_path());
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_device_get_count(&count),
             "/libcucore-sim.so: ", "\nlibcucore-sim.so: ");
    ck_assert_ptr_null(strstr(cuc_error_message(), "libcuda.so.1"));
}

TEST(a_failed_load_is_final_and_the_same_for_every_call)
{
    NEED_FAKE();
    char *good = strdup(getenv("CUCORE_DRIVER"));
    cuc_device *device = NULL;
    cuc_context *context = (cuc_context *)(void *)&context;

    setenv("CUCORE_DRIVER", "/nonexistent/libcuda.so.1", 1);
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_device_get(&device, 0), "/nonexistent");
    setenv("CUCORE_DRIVER", good, 1);
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_device_get(&device, 0), "/nonexistent");
    ck_assert_ptr_null(device);
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_context_get_current(&context), "/nonexistent");
    ck_assert_ptr_eq(context, &context);
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_device_get_current(&device), "/nonexistent");
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_device_get_by_pci_bus_id(&device, "0:1.0"), "/nonexistent");
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_context_set_current(NULL, NULL), "/nonexistent");
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_context_from_handle(&context, &count), "/nonexistent");
    cuc_stream *stream = NULL;
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_stream_from_handle(&stream, &count, NULL, NULL),
             "/nonexistent");
    cuc_event *event = NULL;
    ck_fails(CUC_ERROR_NO_DRIVER, cuc_event_from_handle(&event, &count, NULL, 0), "/nonexistent");
    ck_assert_uint_eq(strlen(cuc_error_log()), strlen(cuc__driver_trail()));
    free(good);
}

TEST(a_driver_before_12_0_is_too_old_and_both_versions_are_reported)
{
    NEED_FAKE();
    fake_set_version(11080);
    count = 42;
    ck_fails(CUC_ERROR_DRIVER_TOO_OLD, cuc_device_get_count(&count), "CUDA 11.8", "12.0 or later",
             "update");
    ck_assert_int_eq(count, 42);
    ck_assert_int_eq(cuc__driver_version(), 11080);
    fake_set_version(13000);
    ck_fails(CUC_ERROR_DRIVER_TOO_OLD, cuc_device_get_count(&count), "11.8"); // the result is final
    ck_assert_int_eq(fake_calls("cuInit"), 0);
}

TEST(the_oldest_supported_driver_works)
{
    NEED_FAKE();
    fake_set_version(12000);
    ck_ok(cuc_device_get_count(&count));
    ck_assert_int_eq(count, 2);
    ck_assert_int_eq(cuc__driver_version(), 12000);
    // An old driver can also measure the time between events, although CUDA 12.8 has a newer form
    // of that function.
    cuc_device *device;
    cuc_stream *stream;
    cuc_event *event;
    float ms = -1;
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_event_create(&event, device, CUC_EVENT_OPTIONS(.flags = CUC_EVENT_TIMING)));
    ck_ok(cuc_event_record(stream, event));
    ck_ok(cuc_event_get_elapsed(&ms, event, event));
    ck_assert(ms >= 0 && ms < 1);
    cuc_event_release(event);
    cuc_stream_release(stream);
}

TEST(a_function_that_the_driver_lacks_is_named_with_the_version_that_has_it)
{
    cuc_device *device;
    cuc_stream *stream;
    uint64_t id = 42;

    NEED_FAKE();
    fake_hide("cuStreamGetId");
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_stream_get_id(&id, stream), "CUDA 13.0",
             "has no cuStreamGetId", "came with CUDA 12.0", "update");
    ck_assert_uint_eq(id, 42);
    ck_assert_int_eq(cuc_error_library(), CUC_LIBRARY_NONE);
    ck_assert_ptr_null(testing_current());
    ck_assert(!cuc__driver_has("cuStreamGetId"));
    ck_assert(cuc__driver_has("cuStreamQuery"));
    ck_assert(!cuc__driver_has("cuNoSuchFunction"));
    fake_show_all(); // missing functions are looked up each time, so they are found once present
    ck_ok(cuc_stream_get_id(&id, stream));
    cuc_stream_release(stream);
}

TEST(a_function_newer_than_the_driver_is_not_looked_up)
{
    void (*fn)(void) = NULL;

    NEED_FAKE();
    fake_set_version(12030);
    ck_ok(cuc_device_get_count(&count));
    ck_assert_int_eq(cuc__driver_resolve("cuKernelGetParamInfo", 12040, &fn), CUC__CU_MISSING);
    ck_assert(fn == NULL);
    ck_assert_int_eq(cuc__driver_resolve("cuKernelGetName", 12030, &fn), 0);
    ck_assert(fn != NULL);
    ck_assert_int_eq(cuc__driver_function_version("cuKernelGetParamInfo"), 12040);
    ck_assert_int_eq(cuc__driver_function_version("cuNothing"), 0);
}

// If a driver has two forms of a function, cucore calls the newer one.
static const struct {
    const char *version, *newest;
    float taken;
} forms[] = {
    { "12000", "2000", 2000 },   { "12070", "2000", 2000 },   { "13000", "2000", 2000 },
    { "12080", "12080", 12080 }, { "13000", "12080", 12080 },
};

TEST_ROWS(the_newest_form_that_a_driver_has_is_used, forms)
{
    const char *driver = getenv("FORMS_DRIVER");
    float ms = 0;

    if (!driver)
        SKIP("FORMS_DRIVER does not name a driver with these forms");
    setenv("CUCORE_DRIVER", driver, 1);
    setenv("FORMS_VERSION", forms[_i].version, 1);
    setenv("FORMS_NEWEST", forms[_i].newest, 1);
    ck_assert_int_eq(cuc__cu.cuEventElapsedTime(&ms, NULL, NULL), CUDA_SUCCESS);
    ck_assert_float_eq(ms, forms[_i].taken);
}

TEST(a_failed_start_is_final_and_tried_once)
{
    NEED_FAKE();
    count = 42;
    fake_fail("cuInit", 1, CUDA_ERROR_SYSTEM_NOT_READY);
    for (int i = 0; i < 3; i++) {
        ck_fails(CUC_ERROR_DRIVER, cuc_device_get_count(&count), "cuInit returned 802",
                 "CUDA_ERROR_SYSTEM_NOT_READY", "fake_driver");
        ck_assert_int_eq(cuc_error_library_code(), CUDA_ERROR_SYSTEM_NOT_READY);
    }
    ck_assert_int_eq(count, 42);
    ck_assert_int_eq(fake_calls("cuInit"), 1);
    ck_assert_str_ne(cuc_error_explanation(), "");
}

TEST(a_machine_without_devices_counts_none_and_says_so)
{
    cuc_device *device = NULL;

    NEED_FAKE();
    fake_set_device_count(0);
    ck_ok(cuc_device_get_count(&count));
    ck_assert_int_eq(count, 0);
    ck_assert_int_eq(cuc_error_status(), CUC_OK); // success leaves the last error unchanged
    ck_fails(CUC_ERROR_NO_DEVICE, cuc_device_get(&device, 0), "sees no device",
             "CUDA_VISIBLE_DEVICES");
    ck_fails(CUC_ERROR_NO_DEVICE, cuc_device_get_current(&device), "sees no device");
    ck_fails(CUC_ERROR_NO_DEVICE, cuc_device_get_by_pci_bus_id(&device, "0:1.0"), "no device");
    ck_assert_ptr_null(device);
    ck_assert_int_eq(fake_calls("cuInit"), 1);
}

TEST(the_driver_reports_version_and_path)
{
    NEED_FAKE();
    ck_ok(cuc_device_get_count(&count));
    ck_assert(cuc__driver_simulated());
    ck_assert_int_eq(cuc__driver_version(), 13000);
    ck_assert_str_eq(cuc__driver_path(), getenv("CUCORE_DRIVER"));
    ck_assert_ptr_nonnull(strstr(cuc__driver_trail(), ": loaded"));
}

static void *get_a_device(void *data)
{
    cuc_device **out = data;

    return cuc_device_get(out, 1) == CUC_OK ? data : NULL;
}

TEST(threads_that_start_the_driver_together_start_it_once)
{
    enum { THREADS = 16 };
    pthread_t threads[THREADS];
    cuc_device *devices[THREADS];
    void *result;

    NEED_FAKE();
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, get_a_device, &devices[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &result), 0);
        ck_assert_ptr_nonnull(result);
        ck_assert_ptr_eq(devices[i], devices[0]);
    }
    ck_assert_int_eq(fake_calls("cuInit"), 1);
    ck_assert_int_eq(fake_calls("cuDeviceGetCount"), 1);
}

// ---- Children of fork(). They report by exit status: Check's assertions belong to the parent.

static int in_child(int (*fn)(void))
{
    int status = 0;

    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int line = fn();
        if (line)
            fprintf(stderr, "child: line %d: %s\n", line, cuc_error_message());
        fflush(NULL);
        _exit(line ? 1 : 0);
    }
    ck_assert_int_ge(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

#define CHECK(condition)     \
    do {                     \
        if (!(condition))    \
            return __LINE__; \
    } while (0)

static cuc_device *device;
static cuc_stream *stream, *legacy;
static cuc_event *event;
static cuc_context *context, *foreign;
static struct testing_failures failures;

// Calls of every kind; none of them may reach the driver in a child.
static cuc_status call_get_count(void)
{
    return cuc_device_get_count(&count);
}
static cuc_status call_get(void)
{
    return cuc_device_get(&(cuc_device *){ NULL }, 0);
}
static cuc_status call_attribute(void)
{
    return cuc_device_get_attribute(&count, device, 1);
}
static cuc_status call_memory_info(void)
{
    return cuc_device_get_memory_info(NULL, NULL, device);
}
static cuc_status call_set_current(void)
{
    return cuc_device_set_current(device, NULL);
}
static cuc_status call_get_current(void)
{
    return cuc_context_get_current(&(cuc_context *){ NULL });
}
static cuc_status call_new_context(void)
{
    cuc_device *other = device + 1; // a device whose primary context was never requested
    return cuc_device_get_context(&(cuc_context *){ NULL }, other);
}
static cuc_status call_synchronize(void)
{
    return cuc_context_synchronize(context);
}
static cuc_status call_stream_create(void)
{
    return cuc_stream_create(&(cuc_stream *){ NULL }, device, NULL);
}
static cuc_status call_stream_query(void)
{
    return cuc_stream_query(stream);
}
static cuc_status call_legacy_query(void)
{
    return cuc_stream_query(legacy);
}
static cuc_status call_wait(void)
{
    return cuc_stream_wait_event(stream, event);
}
static cuc_status call_wait_stream(void)
{
    return cuc_stream_wait_stream(stream, legacy);
}
static cuc_status call_record(void)
{
    return cuc_event_record(stream, event);
}
static cuc_status call_event_query(void)
{
    return cuc_event_query(event);
}
static cuc_status call_event_create(void)
{
    return cuc_event_create(&(cuc_event *){ NULL }, device, NULL);
}
static cuc_status call_fd(void)
{
    return cuc_event_get_fd(&count, event);
}
static void nothing(void *user)
{
    (void)user;
}
static cuc_status call_launch_host(void)
{
    return cuc_launch_host(stream, nothing, NULL);
}

static cuc_status (*const calls[])(void) = {
    call_get_count,    call_get,         call_attribute,   call_memory_info,   call_set_current,
    call_get_current,  call_new_context, call_synchronize, call_stream_create, call_stream_query,
    call_legacy_query, call_wait,        call_wait_stream, call_record,        call_event_query,
    call_event_create, call_fd,          call_launch_host,
};

static int every_call_says_forked(void)
{
    for (int i = 0; i < CUC_LENGTH(calls); i++) {
        count = 42;
        cuc_status st = calls[i]();
        if (st != CUC_ERROR_FORKED || cuc_error_status() != st || count != 42 ||
            !strstr(cuc_error_message(), "before fork()")) {
            fprintf(stderr, "call %d gave %s\n", i, cuc_status_name(st));
            return __LINE__;
        }
    }
    return 0;
}

static int releases_are_silent(void)
{
    cuc_event_release(event);
    cuc_stream_release(stream);
    cuc_stream_release(legacy);
    cuc_context_release(foreign);
    CHECK(failures.count == 0);
    CHECK(cuc_error_status() == CUC_OK);
    return 0;
}

static int libraries_can_be_found(void)
{
    cuc_found *found = NULL;
    cuc_status st = cuc_find_library(&found, "nvrtc");

    CHECK(st == CUC_OK || st == CUC_ERROR_NOT_FOUND);
    cuc_found_release(found);
    CHECK(cuc_find_library_count() > 0);
    CHECK(strcmp(cuc_device_name(device), "") != 0); // values read before remain available
    return 0;
}

static int a_grandchild_says_forked(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(every_call_says_forked() ? 1 : 0);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}

static const struct {
    int (*fn)(void);
} children[] = { { every_call_says_forked },
                 { releases_are_silent },
                 { libraries_can_be_found },
                 { a_grandchild_says_forked } };

TEST_ROWS(every_call_fails_in_a_child_of_a_process_that_used_the_driver, children)
{
    CUcontext made;

    NEED_FAKE();
    cuc_set_failure_handler(testing_failed, &failures);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_device_get_context(&context, device));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_stream_get_default(&legacy, device, CUC_STREAM_LEGACY));
    ck_ok(cuc_event_create(&event, device, NULL));
    ck_ok(cuc_stream_wait_stream(stream, legacy)); // makes a marker event
    ck_assert_int_eq(cuc__cu.cuCtxCreate(&made, NULL, 0, 0), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&made), 0);
    ck_ok(cuc_context_from_handle(&foreign, made));

    ck_assert_int_eq(in_child(children[_i].fn), 0);

    ck_ok(cuc_event_record(stream, event)); // the parent continues
    ck_ok(cuc_stream_synchronize(stream));
    cuc_event_release(event);
    cuc_stream_release(stream);
    cuc_context_release(foreign);
    ck_assert_int_eq(failures.count, 0);
}

static int a_device_works(void)
{
    CHECK(cuc_device_get(&device, 0) == CUC_OK);
    CHECK(cuc_stream_create(&stream, device, NULL) == CUC_OK);
    CHECK(cuc_stream_synchronize(stream) == CUC_OK);
    cuc_stream_release(stream);
    return 0;
}

TEST(a_child_of_a_process_that_only_loaded_the_driver_can_use_it)
{
    NEED_FAKE();
    ck_assert(cuc__driver_has("cuInit")); // loads the driver but starts nothing
    ck_assert_int_eq(in_child(a_device_works), 0);
    ck_assert_int_eq(a_device_works(), 0);
}

TEST(every_call_fails_in_a_child_of_a_process_whose_start_failed)
{
    NEED_FAKE();
    fake_fail("cuInit", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_device_get_count(&count), "cuInit");
    ck_assert_int_eq(in_child(a_device_works) != 0, 1);
    ck_fails(CUC_ERROR_DRIVER, cuc_device_get_count(&count), "cuInit");
}

int main(void)
{
    return run_tests("driver");
}
