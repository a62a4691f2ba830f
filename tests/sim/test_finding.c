// Tests how the simulator's findings appear in the library's failures: settings that prevent its
// start, calls that it refuses, and faults that destroy a context, with kernel, line, block, thread
// and address. Each test runs in its own process, with CUCORE_DRIVER as its driver.
#include <cucore/cucore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tests.h"

#define ck_ok(call) ck_assert_msg((call) == CUC_OK, "%s", cuc_error_message())

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".file 1 \"sum.cu\"\n"
    ".visible .entry sum(.param .u64 x, .param .u64 at)\n"
    "{ .reg .b32 %r; .reg .b64 %d<3>; ld.param.u64 %d1, [x]; ld.param.u64 %d2, [at];\n"
    "  add.u64 %d1, %d1, %d2;\n"
    "  .loc 1 12 3\n"
    "  ld.global.u32 %r, [%d1];\n"
    "  ret; }\n"
    ".visible .entry race(.param .u64 x, .param .u64 at)\n"
    "{ .reg .b32 %r<4>; .reg .pred %p; .shared .align 4 .b32 s[64];\n"
    "  .loc 1 20 3\n"
    "  mov.u32 %r1, %tid.x; st.shared.u32 [s], %r1; ret; }\n";

static cuc_device *device;
static cuc_stream *stream;
static cuc_memory_resource *memory;
static cuc_buffer *buffer;
static cuc_kernel *kernel;

static void start(const char *name)
{
    cuc_object *code;

    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_device_get_memory_resource(&memory, device));
    ck_ok(cuc_buffer_create(&buffer, stream, memory, 256));
    ck_ok(cuc_object_create(&code, CUC_CODE_PTX, ptx, sizeof(ptx) - 1, NULL));
    ck_ok(cuc_object_get_kernel(&kernel, code, name));
    cuc_object_release(code);
}

static void check_message(const char *const *parts)
{
    const char *message = cuc_error_message();

    for (; *parts; parts++)
        ck_assert_msg(strstr(message, *parts) != NULL, "no \"%s\" in: %s", *parts, message);
}

static const struct {
    const char *name, *value, *expected;
} settings[] = {
    { "CUCORE_SIM_ARCH", "sm_70", "expected sm_80, sm_90 or sm_100" },
    { "CUCORE_SIM_DEVICES", "9", "expected a number from 0 to 8" },
    { "CUCORE_SIM_MEMORY", "many", "expected a number of bytes" },
    { "CUCORE_SIM_FAIL", "cuMemAlloc", "expected function:n=CODE" },
    { "CUCORE_SIM_CHECK", "races", "init, race, async" },
    { "CUCORE_SIM_TIMEOUT", "-1", "expected seconds from 0.001" },
    { "CUCORE_SIM_THREADS", "0", "expected a number from 1 to 256" },
};

CASE("finding", .timeout = 30);

TEST(advice_names_the_setting_and_not_a_gpu)
{
    setenv("CUCORE_SIM_MEMORY", "1K", 1);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_assert_int_lt(cuc_buffer_create(&buffer, stream, NULL, 1 << 20), 0);
    check_message((const char *[]){ "CUDA_ERROR_OUT_OF_MEMORY", "CUCORE_SIM_MEMORY", NULL });
    ck_assert_ptr_null(strstr(cuc_error_message(), "nvidia-smi"));
}

TEST(advice_for_no_device_names_the_setting_too)
{
    setenv("CUCORE_SIM_DEVICES", "0", 1);
    ck_assert_int_eq(cuc_device_get(&device, 0), CUC_ERROR_NO_DEVICE);
    check_message((const char *[]){ "sees no device", "CUCORE_SIM_DEVICES", NULL });
    ck_assert_ptr_null(strstr(cuc_error_message(), "container"));
    ck_assert_int_eq(cuc_device_get_current(&device), CUC_ERROR_NO_DEVICE);
    check_message((const char *[]){ "sees no device", "CUCORE_SIM_DEVICES", NULL });
}

TEST_ROWS(an_invalid_setting_makes_initialization_fail, settings)
{
    char named[128];

    setenv(settings[_i].name, settings[_i].value, 1);
    snprintf(named, sizeof(named), "%s=%s: ", settings[_i].name, settings[_i].value);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_lt(cuc_device_get(&device, 0), 0);
        check_message((const char *[]){ "cannot be initialised", named, settings[_i].expected,
                                        "correct the variable", NULL });
        ck_assert_ptr_null(strstr(cuc_error_message(), "kernel"));
    }
}

static cuc_status run(uint64_t at, uint32_t threads)
{
    cuc_launch_config config = CUC_LAUNCH_CONFIG_INIT;

    config.grid[0] = 1;
    config.block[0] = threads;
    return CUC_LAUNCH(stream, &config, kernel, buffer, at);
}

TEST(each_call_that_meets_a_fault_reports_its_line_and_address)
{
    static const char *const parts[] = {
        "kernel sum, PTX line 9 (sum.cu:12), block (0,0,0), thread ", "read of 4 bytes at 0x",
        "right past the end", NULL
    };

    start("sum");
    ck_ok(run(256, 1));
    ck_assert_int_eq(cuc_stream_synchronize(stream), CUC_ERROR_CONTEXT_LOST);
    check_message(parts);
    ck_assert_int_eq(cuc_stream_synchronize(stream), CUC_ERROR_CONTEXT_LOST);
    check_message(parts);
    ck_assert_int_lt(run(0, 1), 0);
    check_message(parts);
}

TEST(a_finding_of_a_check_is_a_fault_if_so_configured)
{
    setenv("CUCORE_SIM_CHECK", "race,error", 1);
    start("race");
    ck_ok(run(0, 64));
    ck_assert_int_eq(cuc_stream_synchronize(stream), CUC_ERROR_CONTEXT_LOST);
    check_message((const char *[]){ "kernel race, PTX line ", "sum.cu:20", "check: race", NULL });
}

TEST(a_refused_call_gives_a_reason_that_the_next_failure_does_not_repeat)
{
    cuc_buffer *none;

    setenv("CUCORE_SIM_MEMORY", "1G", 1);
    start("sum");
    ck_assert_int_lt(cuc_stream_wait_value(stream, cuc_buffer_ptr(buffer), 1, 4, CUC_WAIT_GEQ), 0);
    check_message((const char *[]){ "is memory of a pool, take some of cuMemAlloc", NULL });
    ck_assert_int_lt(cuc_buffer_create(&none, stream, memory, (size_t)8 << 30), 0);
    ck_assert_ptr_null(strstr(cuc_error_message(), "is memory of a pool"));
}

int main(void)
{
    return run_tests("finding");
}
