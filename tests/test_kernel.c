// Tests kernels: parameters, attributes, shared memory, occupancy, foreign handles.
#include <cucore/kernel.h>
#include <cucore/occupancy.h>

#include "base/array.h"
#include "code/kernel.h"
#include "code/object.h"

#include "data/sample_ptx.h"
#include "object_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cuc_device *device;
static cuc_object *object;

static void setup(void)
{
    object_setup();
    ck_ok(cuc_device_get(&device, 0));
    object = ptx_object(sample_ptx);
}

static void teardown(void)
{
    cuc_object_release(object);
    object_teardown();
    ck_assert_ptr_null(testing_current()); // no call left a context current
}

static cuc_kernel *get(const char *name)
{
    return kernel_of(object, name);
}

// Parameters

// Returns the parameters as text: "0:4 float, 8:8 int".
static const char *parameters(const cuc_kernel *kernel)
{
    static char text[4096];
    size_t count = 0, at = 0;

    text[0] = '\0';
    if (cuc_kernel_get_parameter_count(&count, kernel) < 0)
        return "unknown";
    for (size_t i = 0; i < count; i++) {
        cuc_kernel_parameter p = CUC_KERNEL_PARAMETER_INIT;
        ck_ok(cuc_kernel_get_parameter(&p, kernel, i));
        ck_assert_uint_eq(p.struct_size, sizeof(p));
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u:%u %s", i ? ", " : "", p.offset,
                               p.bytes, cuc_parameter_type_name(p.type));
    }
    return text;
}

// Compares parameters, with the offsets of this driver. Offsets after a parameter aligned to 128
// bytes depend on the architecture; the fake driver and the PTX reader use natural offsets.
static void expect_parameters(const cuc_kernel *kernel, const char *expected)
{
    const char *got = parameters(kernel);

    if (fake_available() || !strstr(expected, "128:128")) {
        ck_assert_str_eq(got, expected);
        return;
    }
    while (*got && *expected) { // compares ":SIZE TYPE, " one by one
        got = strchr(got, ':') + 1;
        expected = strchr(expected, ':') + 1;
        size_t n = strcspn(expected, ",");
        ck_assert_uint_eq(strcspn(got, ","), n);
        ck_assert_int_eq(strncmp(got, expected, n), 0);
        got += n;
        expected += n;
        if (!strchr(expected, ':'))
            break;
    }
    ck_assert_ptr_null(strchr(got, ':'));
}

static const struct {
    const char *kernel;
    const char *typed;
    const char *untyped;
} signatures[] = {
    { "saxpy", "0:4 float, 8:8 int, 16:8 int, 24:4 int", "0:4 any, 8:8 any, 16:8 any, 24:4 any" },
    { "_Z5scaleIfEvT_PS0_", "0:4 float, 8:8 int", "0:4 any, 8:8 any" },
    { "mixed",
      "0:1 int, 1:1 int, 2:2 int, 4:4 int, 8:8 int, 16:1 int, 20:4 float, 24:8 float, 32:2 any, "
      "36:4 any, 48:16 any, 64:32 any, 96:1 any, 128:128 any, 256:4 any, 264:8 any",
      "0:1 any, 1:1 any, 2:2 any, 4:4 any, 8:8 any, 16:1 any, 20:4 any, 24:8 any, 32:2 any, "
      "36:4 any, 48:16 any, 64:32 any, 96:1 any, 128:128 any, 256:4 any, 264:8 any" },
    { "nothing_in_the_list", "", "" },
    { "no_list", "", "" },
};

CASE("parameters", .setup = setup, .teardown = teardown);

TEST_ROWS(sizes_come_from_the_driver_and_types_from_the_ptx, signatures)
{
    cuc_kernel *kernel = get(signatures[_i].kernel);

    expect_parameters(kernel, signatures[_i].typed);
    cuc_kernel_release(kernel);
}

TEST_ROWS(with_an_older_driver_both_come_from_the_ptx, signatures)
{
    NEED_FAKE();
    fake_hide("cuKernelGetParamInfo");
    cuc_kernel *kernel = get(signatures[_i].kernel);
    expect_parameters(kernel, signatures[_i].typed);
    expect_calls("cuKernelGetParamInfo", 0);
    cuc_kernel_release(kernel);
}

// Loads an object and then replaces or removes its PTX, which imitates a cubin on a real driver.
static void swap_ptx(const char *text)
{
    void *library;

    ck_ok(cuc_object_get_library(&library, object));
    free(object->code);
    object->code = strdup(text ? text : "");
    object->bytes = strlen(object->code);
    object->ptx = text ? object->code : NULL;
    object->ptx_bytes = object->bytes;
    cuc__ptx_index_free(&object->ptx_index);
    object->ptx_index = (struct cuc__ptx_index){ 0 };
    if (text)
        object->ptx_index.rest = (struct cuc__ptx){ object->ptx, object->ptx + object->ptx_bytes };
}

TEST_ROWS(without_ptx_sizes_alone_are_known, signatures)
{
    swap_ptx(NULL);
    cuc_kernel *kernel = get(signatures[_i].kernel);
    expect_parameters(kernel, signatures[_i].untyped);
    cuc_kernel_release(kernel);
}

TEST(without_ptx_and_on_an_older_driver_nothing_is_known)
{
    NEED_FAKE();
    cuc_kernel_parameter p = CUC_KERNEL_PARAMETER_INIT;
    size_t count = 42;

    swap_ptx(NULL);
    fake_hide("cuKernelGetParamInfo");
    cuc_kernel *kernel = get("saxpy");
    ck_assert(!kernel->parameters_known);
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_kernel_get_parameter_count(&count, kernel),
             "the parameters of saxpy are unknown: the driver (13000) is older than CUDA 12.4");
    ck_assert_int_eq(cuc_kernel_get_parameter(&p, kernel, 0), CUC_ERROR_NOT_SUPPORTED);
    ck_assert_uint_eq(count, 42);
    cuc_kernel_release(kernel);
}

TEST_RANGE(ptx_of_other_code_is_ignored, 0, 4)
{
    static const char *const wrong[] = {
        ".version 8.0 .entry saxpy(.param .f32 a)",
        ".version 8.0 .entry saxpy(.param .f64 a, .param .u64 b, .param .u64 c, .param .u32 d)",
        ".version 8.0 .entry other(.param .f32 a)",
        ".version 8.0 .entry saxpy(.param",
    };

    swap_ptx(wrong[_i]);
    cuc_kernel *kernel = get("saxpy");
    expect_parameters(kernel, signatures[0].untyped);
    cuc_kernel_release(kernel);
}

TEST(a_parameter_struct_is_filled_up_to_the_callers_size)
{
    cuc_kernel *kernel = get("saxpy");
    struct {
        cuc_kernel_parameter p;
        uint32_t behind[4];
    } larger = { CUC_KERNEL_PARAMETER_INIT, { 7, 7, 7, 7 } };
    cuc_kernel_parameter p = CUC_KERNEL_PARAMETER_INIT;

    p.struct_size = offsetof(cuc_kernel_parameter, type);
    p.type = 99;
    ck_ok(cuc_kernel_get_parameter(&p, kernel, 3));
    ck_assert_uint_eq(p.offset, 24);
    ck_assert_uint_eq(p.bytes, 4);
    ck_assert_int_eq(p.type, 99);
    larger.p.struct_size = sizeof(larger);
    ck_ok(cuc_kernel_get_parameter(&larger.p, kernel, 0));
    ck_assert_int_eq(larger.p.type, CUC_PARAMETER_FLOAT);
    ck_assert_uint_eq(larger.behind[0], 0); // bytes that this library does not know

    p.struct_size = 3;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_kernel_get_parameter(&p, kernel, 0),
             "struct_size is 3");
    p.struct_size = sizeof(p);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_kernel_get_parameter(&p, kernel, 4),
             "index is 4, saxpy has 4 parameters");
    ck_assert_str_eq(cuc_parameter_type_name(-1), "any");
    ck_assert_str_eq(cuc_parameter_type_name(3), "any");
    cuc_kernel_release(kernel);
}

// Handles

CASE("handles", .setup = setup, .teardown = teardown);

TEST(handles_of_one_kernel_share_cached_data)
{
    cuc_kernel *a = get("big_shared"), *b = get("big_shared");
    int calls = fake_available() ? fake_calls("cuKernelGetParamInfo") : 0;

    ck_assert_ptr_eq(a->limits, b->limits);
    ck_ok(cuc__kernel_prepare(a, device, "test"));
    expect_calls("cuKernelGetAttribute", 3);
    ck_ok(cuc__kernel_prepare(b, device, "test"));
    expect_calls("cuKernelGetAttribute", 3);
    cuc_kernel_release(a);
    cuc_kernel *c = get("big_shared");
    ck_assert(atomic_load(&c->limits[0].known));
    expect_calls("cuKernelGetParamInfo", calls);
    cuc_kernel_release(b);
    cuc_kernel_release(c);
}

TEST(a_foreign_kernel_is_wrapped_with_or_without_its_object)
{
    cuc_kernel *own = get("saxpy"), *foreign = NULL, *shared = NULL;
    void *handle = cuc_kernel_handle(own);

    ck_ok(cuc_kernel_from_handle(&foreign, handle, NULL));
    ck_assert_str_eq(cuc_kernel_name(foreign), "saxpy");
    ck_assert_str_eq(cuc_kernel_symbol(foreign), "saxpy");
    ck_assert_ptr_eq(cuc_kernel_handle(foreign), handle);
    ck_assert_ptr_null(cuc_kernel_object(foreign));
    expect_parameters(foreign, signatures[0].untyped);
    ck_assert_ptr_ne(foreign->limits, own->limits);

    ck_ok(cuc_kernel_from_handle(&shared, handle, object));
    ck_assert_ptr_eq(cuc_kernel_object(shared), object);
    expect_parameters(shared, signatures[0].typed);
    ck_assert_ptr_eq(shared->limits, own->limits);
    cuc_kernel_release(own);
    cuc_kernel_release(foreign);
    cuc_object_release(object);
    expect_libraries(1);
    object = cuc_object_retain(cuc_kernel_object(shared));
    cuc_kernel_release(shared);
}

TEST(a_foreign_kernel_may_be_the_first_of_its_object)
{
    CUkernel handle;
    cuc_kernel *kernel = NULL;
    void *library;

    ck_ok(cuc_object_get_library(&library, object));
    ck_assert_int_eq(cuc__cu.cuLibraryGetKernel(&handle, library, "saxpy"), 0);
    ck_ok(cuc_kernel_from_handle(&kernel, handle, object));
    cuc_kernel *own = get("saxpy");
    ck_assert_ptr_eq(own->facts, kernel->facts);
    cuc_kernel_release(kernel);
    cuc_kernel_release(own);
}

TEST(a_kernel_of_another_object_is_refused)
{
    cuc_kernel *own = get("saxpy"), *kernel = NULL;
    cuc_object *other = NULL;

    ck_ok(cuc_object_create(&other, CUC_CODE_PTX, sample_ptx, strlen(sample_ptx), NULL));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_kernel_from_handle(&kernel, cuc_kernel_handle(own), other), "the kernel saxpy",
             "is not in the given object");
    ck_assert_int_eq(cuc_kernel_from_handle(&kernel, &own, NULL), CUC_ERROR_DRIVER);
    ck_assert_str_eq(cuc_error_library_call(), "cuKernelGetName");
    ck_assert_ptr_null(kernel);
    cuc_kernel_release(own);
    cuc_object_release(other);
}

TEST(an_older_driver_wraps_kernels_it_cannot_name)
{
    NEED_FAKE();
    cuc_kernel *own = get("saxpy"), *kernel = NULL;

    fake_hide("cuKernelGetName");
    fake_hide("cuKernelGetLibrary");
    ck_ok(cuc_kernel_from_handle(&kernel, cuc_kernel_handle(own), NULL));
    ck_assert_str_eq(cuc_kernel_name(kernel), "");
    cuc_kernel_release(kernel);
    ck_ok(cuc_kernel_from_handle(&kernel, cuc_kernel_handle(own), object));
    ck_assert_str_eq(cuc_kernel_symbol(kernel), "saxpy"); // the object knows the symbol
    cuc_kernel_release(kernel);
    cuc_kernel_release(own);
}

TEST(any_failing_driver_call_wraps_nothing)
{
    NEED_FAKE();
    cuc_kernel *own = get("saxpy");
    int n, failures = 0;

    for (n = 1; n < 50; n++) {
        cuc_kernel *kernel = NULL;
        fake_fail_any(n, CUDA_ERROR_OUT_OF_MEMORY);
        cuc_status st = cuc_kernel_from_handle(&kernel, cuc_kernel_handle(own), NULL);
        bool reached = !fake_fails_armed();
        fake_fail_reset();
        failures += st < 0;
        ck_assert_int_eq(st < 0, !kernel);
        cuc_kernel_release(kernel);
        CUcontext left;
        if (testing_current()) // if the failing call was the pop, a context stays current
            ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&left), 0);
        if (!reached)
            break;
    }
    ck_assert_int_lt(n, 50);
    // The calls: the name, the device count, a first query without a context, which pushes and pops
    // one, four parameters, and the end of the parameters.
    ck_assert_int_eq(failures, 10);
    cuc_kernel_release(own);
}

TEST(a_function_belongs_to_the_requested_device)
{
    NEED_FAKE(); // two devices
    cuc_kernel *kernel = get("saxpy");
    cuc_device *other;
    void *functions[2] = { NULL, NULL }, *function = NULL;

    ck_ok(cuc_device_get(&other, 1));
    ck_ok(cuc_kernel_get_function(&functions[0], kernel, device));
    ck_ok(cuc_kernel_get_function(&functions[1], kernel, other));
    ck_assert_ptr_nonnull(functions[0]);
    ck_assert_ptr_ne(functions[0], functions[1]);
    ck_fails(CUC_ERROR_DRIVER, cuc_kernel_get_function(&function, kernel, NULL),
             "getting the function of saxpy on the current context");
    ck_assert_ptr_null(function);
    cuc_kernel_release(kernel);
}

TEST(null_is_refused_by_name_and_accepted_where_it_may_be)
{
    cuc_kernel *kernel = get("saxpy");
    cuc_kernel_parameter p = CUC_KERNEL_PARAMETER_INIT;
    size_t count;
    int32_t value;
    uint32_t n;
    void *pointer;

    ck_assert_int_lt(cuc_kernel_from_handle(NULL, kernel, NULL), 0);
    ck_assert_int_lt(cuc_kernel_from_handle(&kernel, NULL, NULL), 0);
    expect_message("handle is NULL");
    ck_assert_int_lt(cuc_kernel_get_parameter_count(NULL, kernel), 0);
    ck_assert_int_lt(cuc_kernel_get_parameter_count(&count, NULL), 0);
    ck_assert_int_lt(cuc_kernel_get_parameter(NULL, kernel, 0), 0);
    ck_assert_int_lt(cuc_kernel_get_parameter(&p, NULL, 0), 0);
    ck_assert_int_lt(cuc_kernel_get_function(NULL, kernel, device), 0);
    ck_assert_int_lt(cuc_kernel_get_function(&pointer, NULL, device), 0);
    expect_message("kernel is NULL");
    ck_assert_int_lt(cuc_kernel_get_attribute(NULL, kernel, device, 0), 0);
    ck_assert_int_lt(cuc_kernel_get_attribute(&value, NULL, device, 0), 0);
    ck_assert_int_lt(cuc_kernel_get_attribute(&value, kernel, NULL, 0), 0);
    expect_message("device is NULL");
    ck_assert_int_lt(cuc_kernel_set_attribute(NULL, device, 8, 0), 0);
    ck_assert_int_lt(cuc_kernel_set_attribute(kernel, NULL, 8, 0), 0);
    ck_assert_int_lt(cuc_kernel_set_cache_config(NULL, device, 0), 0);
    ck_assert_int_lt(cuc_kernel_set_cache_config(kernel, NULL, 0), 0);
    ck_assert_int_lt(cuc_occupancy_max_active_blocks(NULL, kernel, device, 1, 0, 0), 0);
    ck_assert_int_lt(cuc_occupancy_max_active_blocks(&n, NULL, device, 1, 0, 0), 0);
    ck_assert_int_lt(cuc_occupancy_max_active_blocks(&n, kernel, NULL, 1, 0, 0), 0);
    ck_assert_int_lt(cuc_occupancy_max_potential_block_size(&n, NULL, kernel, device, NULL), 0);
    expect_message("block is NULL");
    ck_assert_int_lt(cuc_occupancy_available_dynamic_shared(&count, kernel, NULL, 1, 1), 0);
    ck_assert_int_lt(cuc_occupancy_max_potential_cluster_size(&n, kernel, device, NULL), 0);
    ck_assert_int_lt(cuc_occupancy_max_active_clusters(&n, kernel, device, NULL), 0);
    expect_message("config is NULL");
    ck_assert_str_eq(cuc_kernel_name(NULL), "");
    ck_assert_str_eq(cuc_kernel_symbol(NULL), "");
    ck_assert_ptr_null(cuc_kernel_handle(NULL));
    ck_assert_ptr_null(cuc_kernel_object(NULL));
    ck_assert_ptr_null(cuc_kernel_retain(NULL));
    cuc_kernel_release(NULL);
    ck_assert_ptr_eq(cuc_kernel_retain(kernel), kernel);
    cuc_kernel_release(kernel);
    cuc_kernel_release(kernel);
    if (cuc__handle_checks())
        ck_assert_str_eq(cuc_kernel_name(kernel), "");
}

// Attributes

CASE("attributes", .setup = setup, .teardown = teardown);

TEST(every_attribute_has_a_name_and_can_be_read)
{
    cuc_kernel *kernel = get("big_shared");
    int32_t value = -77;

#define ROW(constant, number, name, settable)                         \
    ck_assert_int_eq(constant, number);                               \
    ck_assert_str_eq(cuc_kernel_attribute_name(constant), name);      \
    ck_assert_int_eq(cuc_kernel_attribute_from_name(name), constant); \
    ck_ok(cuc_kernel_get_attribute(&value, kernel, device, constant));
    CUC_KERNEL_ATTRIBUTE_LIST(ROW)
#undef ROW
    ck_ok(cuc_kernel_get_attribute(&value, kernel, device, CUC_KERNEL_SHARED_SIZE_BYTES));
    ck_assert_int_eq(value, 1024);
    ck_assert_str_eq(cuc_kernel_attribute_name(-1), "unknown");
    ck_assert_str_eq(cuc_kernel_attribute_name(CUC_KERNEL_ATTRIBUTE_COUNT), "unknown");
    ck_assert_int_eq(cuc_kernel_attribute_from_name("shoe_size"), -1);
    ck_assert_int_eq(cuc_kernel_attribute_from_name(NULL), -1);
    cuc_kernel_release(kernel);

    kernel = get("saxpy");
    ck_ok(cuc_kernel_get_attribute(&value, kernel, device, CUC_KERNEL_MAX_THREADS_PER_BLOCK));
    ck_assert_int_eq(value, 256);
    cuc_kernel_release(kernel);
}

TEST(only_what_is_settable_is_set)
{
    NEED_FAKE();
    cuc_kernel *kernel = get("saxpy");
    int32_t value = 42;

#define ROW(constant, number, name, settable)                                   \
    if (!(settable)) {                                                          \
        ck_assert_int_eq(cuc_kernel_set_attribute(kernel, device, constant, 1), \
                         CUC_ERROR_INVALID_ARGUMENT);                           \
        expect_message("attribute " name " is read-only");                      \
    }
    CUC_KERNEL_ATTRIBUTE_LIST(ROW)
#undef ROW
    expect_calls("cuKernelSetAttribute", 0);
#define ROW(constant, number, name, settable)                              \
    if (settable) {                                                        \
        ck_ok(cuc_kernel_set_attribute(kernel, device, constant, 1));      \
        ck_ok(cuc_kernel_get_attribute(&value, kernel, device, constant)); \
        ck_assert_int_eq(value, 1);                                        \
    }
    CUC_KERNEL_ATTRIBUTE_LIST(ROW)
#undef ROW
    static const int32_t unknown[] = { -1, CUC_KERNEL_ATTRIBUTE_COUNT, INT32_MAX, INT32_MIN };
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(cuc_kernel_get_attribute(&value, kernel, device, unknown[i]),
                         CUC_ERROR_INVALID_ARGUMENT);
        ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                 cuc_kernel_set_attribute(kernel, device, unknown[i], 0), "expected 0 to 15");
    }
    ck_assert_int_eq(value, 1);
    ck_fails(
        CUC_ERROR_DRIVER,
        cuc_kernel_set_attribute(kernel, device, CUC_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT, 101),
        "setting preferred_shared_memory_carveout of the kernel saxpy to 101");
    fake_fail("cuKernelGetAttribute", 1, CUDA_ERROR_NO_BINARY_FOR_GPU);
    ck_fails(CUC_ERROR_DRIVER,
             cuc_kernel_get_attribute(&value, kernel, device, CUC_KERNEL_NUM_REGS),
             "reading num_regs of the kernel saxpy on device 0");
    cuc_kernel_release(kernel);
}

TEST(a_cache_preference_is_one_of_four)
{
    NEED_FAKE();
    cuc_kernel *kernel = get("saxpy");

    for (int32_t c = CUC_KERNEL_CACHE_DEFAULT; c <= CUC_KERNEL_CACHE_EQUAL; c++)
        ck_ok(cuc_kernel_set_cache_config(kernel, device, c));
    expect_calls("cuKernelSetCacheConfig", 4);
    ck_assert_int_eq(cuc_kernel_set_cache_config(kernel, device, 4), CUC_ERROR_INVALID_ARGUMENT);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_kernel_set_cache_config(kernel, device, -1),
             "config is -1");
    fake_fail("cuKernelSetCacheConfig", 1, CUDA_ERROR_INVALID_HANDLE);
    ck_fails(CUC_ERROR_DRIVER, cuc_kernel_set_cache_config(kernel, device, CUC_KERNEL_CACHE_L1),
             "asking for more cache for the kernel saxpy");
    cuc_kernel_release(kernel);
}

// Shared memory

CASE("shared memory", .setup = setup, .teardown = teardown);

TEST(limits_are_read_once_per_device)
{
    NEED_FAKE(); // two devices
    cuc_kernel *kernel = get("big_shared");
    cuc_device *other;

    ck_ok(cuc_device_get(&other, 1));
    ck_ok(cuc__kernel_prepare(kernel, device, "test"));
    ck_assert_uint_eq(kernel->limits[0].static_shared_bytes, 1024);
    ck_assert_uint_eq(kernel->limits[0].block_threads, device->limits.block_threads);
    ck_assert_uint_eq(atomic_load(&kernel->limits[0].shared_bytes),
                      device->limits.shared_bytes - 1024);
    ck_assert(!atomic_load(&kernel->limits[1].known));
    ck_ok(cuc__kernel_prepare(kernel, other, "test"));
    ck_ok(cuc__kernel_prepare(kernel, other, "test"));
    expect_calls("cuKernelGetAttribute", 6);
    cuc_kernel_release(kernel);
}

TEST(limits_that_could_not_be_read_are_read_again)
{
    NEED_FAKE();
    cuc_kernel *kernel = get("big_shared");

    for (int n = 1; n <= 3; n++) {
        fake_fail("cuKernelGetAttribute", n, CUDA_ERROR_OUT_OF_MEMORY);
        ck_assert_int_lt(cuc__kernel_prepare(kernel, device, "cuc_launch"), 0);
        ck_assert_str_eq(cuc_error_function(), "cuc_launch");
        ck_assert(!atomic_load(&kernel->limits[0].known));
    }
    ck_ok(cuc__kernel_prepare(kernel, device, "cuc_launch"));
    cuc_kernel_release(kernel);
}

TEST(large_shared_memory_is_allowed_on_request)
{
    NEED_FAKE();
    cuc_kernel *kernel = get("big_shared");
    uint32_t plain = device->limits.shared_bytes - 1024;
    uint32_t most = device->limits.shared_bytes_optin - 1024;
    char expected[128];
    int32_t value;

    ck_assert_uint_gt(most, plain);
    ck_ok(cuc__kernel_allow_shared(kernel, device, 0, "cuc_launch"));
    ck_ok(cuc__kernel_allow_shared(kernel, device, plain, "cuc_launch"));
    expect_calls("cuKernelSetAttribute", 0);
    ck_assert_int_eq(cuc__kernel_allow_shared(kernel, device, most + 1, "cuc_launch"),
                     CUC_ERROR_INVALID_ARGUMENT);
    snprintf(expected, sizeof(expected),
             "shared_bytes is %u, the kernel big_shared can have at most %u bytes", most + 1, most);
    expect_message(expected);
    snprintf(expected, sizeof(expected), "%u bytes per block, less 1024 of static",
             device->limits.shared_bytes_optin);
    expect_message(expected);
    ck_assert_str_eq(cuc_error_function(), "cuc_launch");
    expect_calls("cuKernelSetAttribute", 0);

    fake_fail("cuKernelSetAttribute", 1, CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuc__kernel_allow_shared(kernel, device, plain + 1, "cuc_launch"),
                     CUC_ERROR_DRIVER);
    ck_assert_uint_eq(atomic_load(&kernel->limits[0].shared_bytes), plain);
    ck_ok(cuc__kernel_allow_shared(kernel, device, plain + 1, "cuc_launch"));
    ck_ok(cuc__kernel_allow_shared(kernel, device, most, "cuc_launch"));
    expect_calls("cuKernelSetAttribute", 2); // one of the calls failed
    ck_ok(
        cuc_kernel_get_attribute(&value, kernel, device, CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES));
    ck_assert_int_ge(value, (int32_t)most);
    cuc_kernel_release(kernel);
}

TEST(shared_memory_set_by_hand_is_known_to_launches)
{
    cuc_kernel *kernel = get("big_shared"), *other = get("big_shared");
    int32_t most = (int32_t)device->limits.shared_bytes_optin - 1024;
    const int32_t attribute = CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES;

    ck_ok(cuc_kernel_set_attribute(kernel, device, attribute, most));
    ck_ok(cuc__kernel_allow_shared(other, device, (uint32_t)most, "cuc_launch"));
    expect_calls("cuKernelSetAttribute", 1);
    ck_ok(cuc_kernel_set_attribute(kernel, device, attribute, 16));
    ck_assert_uint_eq(atomic_load(&other->limits[0].shared_bytes), 16);
    ck_ok(cuc__kernel_allow_shared(other, device, 17, "cuc_launch"));
    expect_calls("cuKernelSetAttribute", 3);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_kernel_set_attribute(kernel, device, attribute, most + 1),
             "max_dynamic_shared_size_bytes is");
    ck_assert_int_eq(cuc_kernel_set_attribute(kernel, device, attribute, -1),
                     CUC_ERROR_INVALID_ARGUMENT);
    cuc_kernel_release(kernel);
    cuc_kernel_release(other);
}

enum { THREADS = 8 };

static void *prepare_and_allow(void *arg)
{
    cuc_kernel *kernel = arg;
    uint32_t most = device->limits.shared_bytes_optin - 1024;

    for (uint32_t i = 0; i < 100; i++)
        if (cuc__kernel_prepare(kernel, device, "t") < 0 ||
            cuc__kernel_allow_shared(kernel, device, most / 100 * i, "t") < 0)
            return arg;
    return NULL;
}

TEST(threads_prepare_one_kernel_together)
{
    cuc_kernel *kernel = get("big_shared");
    pthread_t threads[THREADS];
    void *failed;

    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, prepare_and_allow, kernel), 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    ck_assert_uint_eq(atomic_load(&kernel->limits[0].shared_bytes),
                      device->limits.shared_bytes_optin - 1024);
    cuc_kernel_release(kernel);
}

// Occupancy

CASE("occupancy", .setup = setup, .teardown = teardown);

TEST(blocks_of_a_kernel_are_counted)
{
    NEED_FAKE();
    cuc_kernel *kernel = get("big_shared");
    uint32_t small = 0, large = 0, blocks = 42;
    uint32_t most = device->limits.shared_bytes_optin - 1024;

    ck_ok(cuc_occupancy_max_active_blocks(&small, kernel, device, 32, 0, 0));
    ck_ok(cuc_occupancy_max_active_blocks(&large, kernel, device, 1024, 0,
                                          CUC_OCCUPANCY_DISABLE_CACHING_OVERRIDE));
    ck_assert_uint_ge(large, 1);
    ck_assert_uint_gt(small, large);
    ck_ok(cuc_occupancy_max_active_blocks(&large, kernel, device, 32, most, 0));
    ck_assert_uint_eq(large, 1); // the query made the opt-in, as a launch does

    ck_assert_int_eq(cuc_occupancy_max_active_blocks(&blocks, kernel, device, 32, most + 1, 0),
                     CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(cuc_error_function(), "cuc_occupancy_max_active_blocks");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_occupancy_max_active_blocks(&blocks, kernel, device, 0, 0, 0),
             "block_threads is 0, device 0");
    ck_assert_int_eq(cuc_occupancy_max_active_blocks(&blocks, kernel, device, 1025, 0, 0),
                     CUC_ERROR_INVALID_ARGUMENT);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_occupancy_max_active_blocks(&blocks, kernel, device, 32, 0, 2), "flags is 0x2");
    fake_fail("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 1, CUDA_ERROR_UNKNOWN);
    ck_assert_int_lt(cuc_occupancy_max_active_blocks(&blocks, kernel, device, 32, 0, 0), 0);
    expect_message("asking for the occupancy of the kernel big_shared on device 0");
    ck_assert_uint_eq(blocks, 42);
    cuc_kernel_release(kernel);
}

static size_t a_kilobyte_a_warp(int32_t threads, void *user)
{
    ++*(int *)user;
    return (size_t)threads / 32 * 1024;
}

TEST(a_block_size_is_chosen_with_fixed_or_growing_shared_memory)
{
    cuc_kernel *kernel = get("no_list");
    uint32_t grid = 0, block = 0, most = 0;
    int calls = 0;

    ck_ok(cuc_occupancy_max_potential_block_size(&grid, &most, kernel, device, NULL));
    ck_assert_uint_ge(most, 32);
    ck_assert_uint_ge(grid, 1);
    ck_ok(cuc_occupancy_max_potential_block_size(&grid, &block, kernel, device,
                                                 CUC_OCCUPANCY_OPTIONS(.block_limit = 64)));
    ck_assert_uint_le(block, 64);
    ck_ok(cuc_occupancy_max_potential_block_size(
        &grid, &block, kernel, device,
        CUC_OCCUPANCY_OPTIONS(.shared_of_block = a_kilobyte_a_warp, .user = &calls)));
    ck_assert_int_ge(calls, 1);
    ck_assert_uint_ge(block, 32);

    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_occupancy_max_potential_block_size(
                 &grid, &block, kernel, device,
                 CUC_OCCUPANCY_OPTIONS(.shared_of_block = a_kilobyte_a_warp, .user = &calls,
                                       .shared_bytes = 1)),
             "give one of them");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_occupancy_max_potential_block_size(&grid, &block, kernel, device,
                                                    CUC_OCCUPANCY_OPTIONS(.block_limit = 99999)),
             "options.block_limit is 99999");
    ck_assert_int_eq(
        cuc_occupancy_max_potential_block_size(&grid, &block, kernel, device,
                                               CUC_OCCUPANCY_OPTIONS(.shared_bytes = 1 << 24)),
        CUC_ERROR_INVALID_ARGUMENT);
    cuc_occupancy_options o;
    cuc_occupancy_options_init(&o, sizeof(o));
    ck_assert_uint_eq(o.struct_size, sizeof(o));
    o.struct_size = 2;
    ck_assert_int_lt(cuc_occupancy_max_potential_block_size(&grid, &block, kernel, device, &o), 0);
    cuc_kernel_release(kernel);
}

TEST(shared_memory_is_divided_between_blocks)
{
    cuc_kernel *kernel = get("big_shared");
    size_t one = 0, two = 0, none = 42;

    ck_ok(cuc_occupancy_available_dynamic_shared(&one, kernel, device, 1, 128));
    ck_ok(cuc_occupancy_available_dynamic_shared(&two, kernel, device, 2, 128));
    ck_assert_uint_gt(one, 0);
    ck_assert_uint_le(two, one);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_occupancy_available_dynamic_shared(&none, kernel, device, 0, 128), "blocks is 0");
    ck_assert_int_eq(cuc_occupancy_available_dynamic_shared(&none, kernel, device, 1, 0),
                     CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(none, 42);
    cuc_kernel_release(kernel);
}

TEST(clusters_are_queried_with_a_launch_config)
{
    NEED_FAKE();
    cuc_kernel *kernel = get("no_list");
    uint32_t largest = 0, active = 0, none = 42;

    ck_ok(cuc_occupancy_max_potential_cluster_size(
        &largest, kernel, device,
        CUC_LAUNCH_CONFIG(.grid = { 3 }, .block = { 128 }, .cluster = { 2 })));
    ck_assert_uint_ge(largest, 1);
    ck_ok(cuc_occupancy_max_active_clusters(&active, kernel, device,
                                            CUC_LAUNCH_CONFIG(.block = { 128 }, .cluster = { 2 })));
    ck_assert_uint_ge(active, 1);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_occupancy_max_active_clusters(&none, kernel, device,
                                               CUC_LAUNCH_CONFIG(.cluster = { 2 })),
             "config.block, its three sides multiplied, is 0");
    ck_assert_int_eq(cuc_occupancy_max_active_clusters(
                         &none, kernel, device,
                         CUC_LAUNCH_CONFIG(.block = { 1024, 1024, 4096 }, .cluster = { 2 })),
                     CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_occupancy_max_active_clusters(
                         &none, kernel, device,
                         CUC_LAUNCH_CONFIG(.grid = { 3 }, .block = { 32 }, .cluster = { 2 })),
                     CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(cuc_error_function(), "cuc_occupancy_max_active_clusters");
    device->limits.cluster_launch = false;
    ck_fails(CUC_ERROR_NOT_SUPPORTED,
             cuc_occupancy_max_potential_cluster_size(&none, kernel, device,
                                                      CUC_LAUNCH_CONFIG(.block = { 32 })),
             "has no thread block clusters");
    device->limits.cluster_launch = true;
    ck_assert_uint_eq(none, 42);
    cuc_kernel_release(kernel);
}

int main(void)
{
    setenv("CUCORE_CHECK_HANDLES", "1", 0);
    return run_device_tests("kernel");
}
