// Tests cuc_kernel_from_source(), which goes from source text to a kernel in one call. Uses the
// real NVRTC.
#include <cucore/launch.h>
#include <cucore/program.h>

#include "base/array.h"
#include "base/handle.h"
#include "testing.h"

static const char cuda[] = "extern \"C\" __global__ void plain(float *x) { *x = 1; }\n"
                           "__global__ void mangled(float *x) { *x = 2; }\n"
                           "template <typename T> __global__ void of(T *x) { *x = 3; }\n";
static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                          ".visible .entry one(.param .u64 one_x)\n{\n ret;\n}\n";
static const char tile[] = "kernel twice(x: f32[N]) grid cdiv(N, 64) {\n"
                           "    v = load(x, [block(0)], [64])\n"
                           "    store(x, [block(0)], v + v)\n"
                           "}\n";

static cuc_device *device;

static void setup(void)
{
    if (fake_available())
        fake_reset();
    ck_ok(cuc_device_get(&device, 0));
}

static void teardown(void)
{
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_KERNEL), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_OBJECT), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_PROGRAM), 0);
    if (fake_available())
        ck_assert_int_eq(fake_live_total(), 0);
}

// Every kernel takes one address, so a launch shows that it is the right kernel.
static const struct {
    int32_t kind;
    const char *source, *name, *symbol;
} found[] = {
    { CUC_SOURCE_CUDA, cuda, "plain", "plain" },
    { CUC_SOURCE_CUDA, cuda, "mangled", "_Z7mangledPf" },
    { CUC_SOURCE_CUDA, cuda, "of<float>", "_Z2ofIfEvPT_" },
    { CUC_SOURCE_CUDA, cuda, "_Z7mangledPf", "_Z7mangledPf" },
    { CUC_SOURCE_PTX, ptx, "one", "one" },
    { CUC_SOURCE_TILE, tile, "twice", NULL },
};

CASE("kernel_source", .setup = setup, .teardown = teardown, .timeout = 120);

TEST_ROWS(a_source_becomes_a_kernel_that_holds_its_code, found)
{
    const char *given[] = { found[_i].name };
    cuc_program_options options = CUC_PROGRAM_OPTIONS_INIT;
    cuc_kernel *kernel = NULL;
    size_t count = 0;

    options.arch = cuc_device_arch(device);
    ck_ok(cuc_kernel_from_source(&kernel, found[_i].kind, found[_i].source, 0, found[_i].name,
                                 &options));
    ck_assert_str_eq(cuc_kernel_name(kernel), found[_i].name);
    if (found[_i].symbol)
        ck_assert_str_eq(cuc_kernel_symbol(kernel), found[_i].symbol);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_PROGRAM), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_OBJECT), 1); // the kernel holds the object
    if (found[_i].kind == CUC_SOURCE_TILE)                       // the driver assembles it
        ck_assert_int_eq(cuc_object_kind(cuc_kernel_object(kernel)), CUC_CODE_PTX);
    ck_ok(cuc_kernel_get_parameter_count(&count, kernel));
    ck_assert_uint_ge(count, 1);
    cuc_kernel_release(kernel);

    // The caller may list the name among the options' name expressions too.
    if (found[_i].kind != CUC_SOURCE_CUDA || strchr(found[_i].name, '_'))
        return;
    options.name_expressions = given;
    options.name_expression_count = 1;
    ck_ok(cuc_kernel_from_source(&kernel, CUC_SOURCE_CUDA, found[_i].source, 0, found[_i].name,
                                 &options));
    cuc_kernel_release(kernel);
    ck_assert_ptr_eq(options.name_expressions, given);
}

static const struct {
    cuc_status status;
    int32_t kind;
    const char *source, *name, *message, *log;
} refused[] = {
    { CUC_ERROR_COMPILE, CUC_SOURCE_CUDA, "__global__ void k() { x; }", "k",
      "identifier \"x\" is undefined", "identifier \"x\" is undefined" },
    { CUC_ERROR_COMPILE, CUC_SOURCE_CUDA, cuda, "none", "none", "none" },
    { CUC_ERROR_NOT_FOUND, CUC_SOURCE_PTX, ptx, "two", "two", "" },
    { CUC_ERROR_COMPILE, CUC_SOURCE_TILE, "kernel k(x: f32[N]) { y }", "k", "y", "y" },
    { CUC_ERROR_NOT_FOUND, CUC_SOURCE_TILE, tile, "thrice", "twice", "" },
    { CUC_ERROR_INVALID_ARGUMENT, 99, cuda, "plain", "source_kind is 99", "" },
    { CUC_ERROR_INVALID_ARGUMENT, CUC_SOURCE_CUDA, NULL, "plain", "text is NULL", "" },
    { CUC_ERROR_INVALID_ARGUMENT, CUC_SOURCE_CUDA, cuda, NULL, "name is NULL", "" },
};

TEST_ROWS(a_failure_leaves_nothing_but_its_message_and_log, refused)
{
    cuc_kernel *kernel = (cuc_kernel *)(void *)&device; // must stay unchanged

    ck_fails(refused[_i].status,
             cuc_kernel_from_source(&kernel, refused[_i].kind, refused[_i].source, 0,
                                    refused[_i].name,
                                    CUC_PROGRAM_OPTIONS(.arch = cuc_device_arch(device))),
             refused[_i].message);
    ck_assert_msg(strstr(cuc_error_log(), refused[_i].log) != NULL, "%s", cuc_error_log());
    ck_assert_ptr_eq(kernel, (void *)&device);
}

TEST(a_null_out_parameter_is_refused)
{
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_kernel_from_source(NULL, CUC_SOURCE_PTX, ptx, 0, "one", NULL), "out is NULL");
}

int main(void)
{
    setenv("CUCORE_CHECK_HANDLES", "1", 1); // count live objects from the first handle on
    return run_device_tests("kernel_source");
}
