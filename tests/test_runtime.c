// Tests the CUDA runtime as a peer, using a fake runtime with a few functions
// (support/fake_cudart.c). runtime_peer.cu tests the real one with kernels that nvcc compiled.
#include <cucore/cucore.h>

#include "fake.h"
#include "tests.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                          ".visible .entry scale(.param .u64 x, .param .f32 a)\n{\n ret;\n}\n";

static char stub; // stands for the host function that nvcc generates for a kernel
static cuc_device *device;
static cuc_stream *stream;
static cuc_object *object;
static cuc_kernel *original;

static void *runtime_function(const char *name)
{
    void *handle = dlopen(getenv("CUCORE_CUDART"), RTLD_NOW);

    ck_assert_msg(handle != NULL, "%s", dlerror());
    void *fn = dlsym(handle, name);
    ck_assert_msg(fn != NULL, "%s", dlerror());
    return fn;
}

static void set_kernel(const void *symbol, void *kernel)
{
    void (*fn)(const void *, void *);
    void *p = runtime_function("fake_cudart_set_kernel");

    memcpy(&fn, &p, sizeof(fn));
    fn(symbol, kernel);
}

static int runtime_int(const char *name)
{
    int (*fn)(void);
    void *p = runtime_function(name);

    memcpy(&fn, &p, sizeof(fn));
    return fn();
}

static void setup(void)
{
    fake_reset();
    ck_assert_int_eq(cuc_device_get(&device, 0), CUC_OK);
    ck_assert_int_eq(cuc_stream_create(&stream, device, NULL), CUC_OK);
    ck_assert_int_eq(cuc_object_create(&object, CUC_CODE_PTX, ptx, sizeof(ptx) - 1, NULL), CUC_OK);
    ck_assert_int_eq(cuc_object_get_kernel(&original, object, "scale"), CUC_OK);
}

static void teardown(void)
{
    cuc_kernel_release(original);
    cuc_object_release(object);
    cuc_stream_release(stream);
    ck_assert_int_eq(fake_live_total(), 0);
}

CASE("peer", .setup = setup, .teardown = teardown);

TEST(a_kernel_of_the_program_is_found_by_its_symbol_and_launched)
{
    cuc_kernel *kernel = NULL;

    set_kernel(&stub, cuc_kernel_handle(original));
    ck_assert_int_eq(cuc_kernel_from_symbol(&kernel, &stub), CUC_OK);
    ck_assert_ptr_eq(cuc_kernel_handle(kernel), cuc_kernel_handle(original));
    int before = fake_launch_count();
    cuc_status st = CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }), kernel,
                               (cuc_device_ptr)4096, 2.0f);
    ck_assert_int_eq(st, CUC_OK);
    ck_assert_int_eq(fake_launch_count(), before + 1);
    // The library checks the arguments of a foreign kernel too.
    st = CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }), kernel, 2.0f);
    ck_assert_int_eq(st, CUC_ERROR_INVALID_ARGUMENT);
    cuc_kernel_release(kernel);
}

TEST(a_symbol_that_is_not_a_kernel_is_refused_and_leaves_no_error_in_the_runtime)
{
    cuc_kernel *kernel = (cuc_kernel *)&stub;

    set_kernel(&stub, cuc_kernel_handle(original));
    ck_assert_int_eq(cuc_kernel_from_symbol(&kernel, &kernel), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_eq(kernel, (cuc_kernel *)&stub);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "-cudart shared"));
    ck_assert_int_eq(runtime_int("fake_cudart_last_error"), 0);
}

TEST(null_arguments_are_refused)
{
    cuc_kernel *kernel;

    ck_assert_int_eq(cuc_kernel_from_symbol(NULL, &stub), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_kernel_from_symbol(&kernel, NULL), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_runtime_set_device(NULL), CUC_ERROR_INVALID_ARGUMENT);
}

TEST(the_runtime_takes_the_device_that_it_is_given)
{
    cuc_device *second;

    ck_assert_int_eq(cuc_device_get(&second, 1), CUC_OK);
    ck_assert_int_eq(cuc_runtime_set_device(second), CUC_OK);
    ck_assert_int_eq(runtime_int("fake_cudart_device"), 1);
}

TEST(the_version_of_the_runtime_is_reported)
{
    int32_t version = 0;

    ck_assert_int_eq(cuc_runtime_get_version(&version), CUC_OK);
    ck_assert_int_eq(version, 13000);
}

int main(void)
{
    if (!fake_available() || !getenv("CUCORE_CUDART")) {
        puts("skipped: these tests need the fake driver and the fake runtime");
        return 77;
    }
    return run_tests("runtime");
}
