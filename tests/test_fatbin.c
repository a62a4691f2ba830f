// Tests fat binaries: packing, refusals and failures, and kernels that run from one without a
// compiler. nvFatbin is the fake one, except where a test says otherwise.
#include "base/array.h"
#include "code/fatbin.h"
#include "code/kernel_tile.h"
#include "code/object.h"
#include "driver/nvfatbin.h"
#include "object_testing.h"
#include "testing.h"

#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
    "kernel vadd(a: f32[N], b: f32[N], c: f32[N]) const BN = 1024 grid cdiv(N, BN) {\n"
    "    i = block(0)\n"
    "    store(c, [i], load(a, [i], [BN]) + load(b, [i], [BN]))\n"
    "}\n"
    "kernel twice(x: f32[N], by: f32) grid cdiv(N, 256) {\n"
    "    store(x, [block(0)], load(x, [block(0)], [256]) * by)\n"
    "}\n";
static const char plain[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                            ".visible .entry k(.param .u64 p)\n{\n\tret;\n}\n";
static const char other[] = ".version 7.0\n.target sm_80\n.address_size 64\n";
static const char without_target[] = ".version 7.0\n.visible .entry k()\n{\n\tret;\n}\n";

static bool has_fake(void)
{
    return getenv("FAKE_NVFATBIN") != NULL;
}

static void use_fake(void)
{
    ck_ok(cuc_set_library_path("nvfatbin", getenv("FAKE_NVFATBIN")));
}

static cuc_object *compile_with(const char *constant, const char *arch, int32_t warps,
                                int32_t target)
{
    const char *const constants[] = { constant };
    cuc_program *program = NULL;
    cuc_object *object = NULL;

    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, source, 0,
                             CUC_PROGRAM_OPTIONS(.arch = arch, .warps = warps,
                                                 .constants = constants, .constant_count = 1)));
    ck_assert_msg(cuc_program_compile(&object, program, target) == CUC_OK, "%s\n%s",
                  cuc_error_message(), cuc_error_log());
    cuc_program_release(program);
    return object;
}

static cuc_object *compile(const char *arch, int32_t warps, int32_t target)
{
    return compile_with("vadd.BN=1024", arch, warps, target);
}

// Makes a cubin for sm_90 that has just the header that nvFatbin reads, and PTX if given.
static cuc_object *cubin_object(const char *ptx)
{
    struct cubin c = make_cubin(190);
    cuc_object *object = NULL;

    c.header.e_flags = 90 << 8;
    ck_ok(cuc_object_create(&object, CUC_CODE_CUBIN, &c, sizeof(c),
                            CUC_OBJECT_OPTIONS(.ptx = ptx, .ptx_bytes = ptx ? strlen(ptx) : 0)));
    return object;
}

static size_t members(struct cuc__fatbin_entry *out, size_t most, const cuc_object *object)
{
    struct cuc__fatbin f;
    size_t n = 0;

    ck_assert_int_eq(cuc_object_kind(object), CUC_CODE_FATBIN);
    ck_assert(cuc__fatbin_open(&f, object->code, object->bytes));
    while (n < most && cuc__fatbin_next(&f, &out[n]))
        n++;
    ck_assert(!f.damaged);
    return n;
}

CASE("packing", .setup = use_fake, .only_if = has_fake);

TEST(members_have_the_architectures_of_their_code)
{
    struct cuc__fatbin_entry e[8];
    cuc_object *fat = NULL, *a = compile("sm_80", 4, CUC_CODE_PTX),
               *b = compile("sm_90a", 4, CUC_CODE_PTX), *c = cubin_object(plain);
    const cuc_fatbin_part parts[] = { { a, NULL }, { b, "sm_90a" }, { c, "sm_90f" } };
    const cuc_fatbin_part same[] = { { b, "compute_90a" }, { c, "sm_90a" } };

    ck_ok(cuc_fatbin_create(&fat, parts, 3, NULL));
    ck_assert_str_eq(cuc_object_name(fat), "fatbin");
    ck_assert_uint_eq(members(e, 8, fat), 3);
    ck_assert(e[0].kind == CUC__FATBIN_PTX && e[0].arch == 80 && !e[0].specific);
    ck_assert(e[1].kind == CUC__FATBIN_PTX && e[1].arch == 90 && e[1].specific);
    ck_assert(e[2].kind == CUC__FATBIN_CUBIN && e[2].arch == 90 && e[2].family);
    cuc_object_release(fat);

    ck_ok(cuc_fatbin_create(&fat, same, 2, CUC_FATBIN_OPTIONS(.name = "both", .ptx = CUC_ON)));
    ck_assert_str_eq(cuc_object_name(fat), "both");
    ck_assert_uint_eq(members(e, 8, fat), 3);
    ck_assert(e[1].kind == CUC__FATBIN_CUBIN && e[1].specific);
    ck_assert(e[2].kind == CUC__FATBIN_PTX && e[2].arch == 80);
    cuc_object_release(fat);

    // The same PTX beside two cubins.
    const cuc_fatbin_part twice[] = { { c, "sm_90" }, { c, "sm_90a" } };
    ck_ok(cuc_fatbin_create(&fat, twice, 2, CUC_FATBIN_OPTIONS(.ptx = CUC_ON)));
    ck_assert_uint_eq(members(e, 8, fat), 3);
    cuc_object_release(fat);
    cuc_object_release(a);
    cuc_object_release(b);
    cuc_object_release(c);
}

TEST(name_expressions_of_all_parts_are_known)
{
    const cuc_object_mapping one[] = { { "k<int>", "_k1" } },
                             two[] = { { "k<float>", "_k2" }, { "k<int>", "_k1" } };
    const char later[] = ".version 7.0\n.target sm_90\n.address_size 64\n";
    cuc_object *a = NULL, *b = NULL, *fat = NULL;
    cuc_object_mapping m;

    ck_ok(cuc_object_create(&a, CUC_CODE_PTX, plain, strlen(plain),
                            CUC_OBJECT_OPTIONS(.names = one, .name_count = 1)));
    ck_ok(cuc_object_create(&b, CUC_CODE_PTX, later, strlen(later),
                            CUC_OBJECT_OPTIONS(.names = two, .name_count = 2)));
    const cuc_fatbin_part parts[] = { { a, NULL }, { b, NULL } };
    ck_ok(cuc_fatbin_create(&fat, parts, 2, NULL));
    ck_assert_uint_eq(cuc_object_mapping_count(fat), 2);
    ck_ok(cuc_object_get_mapping(&m, fat, 1));
    ck_assert_str_eq(m.expression, "k<float>");
    ck_assert_str_eq(m.symbol, "_k2");
    cuc_object_release(fat);
    cuc_object_release(a);
    cuc_object_release(b);
}

enum { PTX_80, PTX_OTHER, PTX_BARE, CUBIN_ALONE, CUBIN_AND_PTX, LTOIR, NOTHING };

static cuc_object *object_of(int kind)
{
    cuc_object *object = NULL;

    switch (kind) {
    case PTX_80:
        return ptx_object(plain);
    case PTX_OTHER:
        return ptx_object(other);
    case PTX_BARE:
        return ptx_object(without_target);
    case CUBIN_ALONE:
        return cubin_object(NULL);
    case CUBIN_AND_PTX:
        return cubin_object(plain);
    case LTOIR:
        ck_ok(cuc_object_create(&object, CUC_CODE_LTOIR, ltoir, sizeof(ltoir), NULL));
        return object;
    default:
        return NULL;
    }
}

static const struct {
    struct {
        int kind;
        const char *arch;
    } part[2];
    cuc_fatbin_options options;
    cuc_status status;
    const char *message[2];
} refusals[] = {
    { .part = { { PTX_80, NULL }, { NOTHING, NULL } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "parts[1].object is NULL" } },
    { .part = { { PTX_80, NULL }, { LTOIR, NULL } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "parts[1].object is of kind ltoir", "expected ptx or cubin" } },
    { .part = { { PTX_80, NULL }, { PTX_BARE, NULL } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "parts[1] is PTX without a .target" } },
    { .part = { { PTX_80, "sm_90" }, { CUBIN_AND_PTX, NULL } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "parts[0].arch is \"sm_90\"", "its PTX is for sm_80" } },
    { .part = { { PTX_80, NULL }, { CUBIN_ALONE, NULL } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "parts[1].arch is NULL", "no PTX beside it" } },
    { .part = { { PTX_80, NULL }, { CUBIN_ALONE, "ninety" } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "arch is \"ninety\"", "parts[1]" } },
    { .part = { { PTX_80, NULL }, { CUBIN_ALONE, "compute_90a" } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "parts[1].arch is \"compute_90a\"", "expected sm_90a" } },
    { .part = { { PTX_80, NULL }, { PTX_80, NULL } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "parts[0] and parts[1] both have PTX for sm_80", "link them" } },
    { .part = { { CUBIN_ALONE, "sm_90" }, { CUBIN_ALONE, "sm_90" } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "parts[0] and parts[1] both have a cubin for sm_90" } },
    { .part = { { PTX_OTHER, NULL }, { CUBIN_AND_PTX, "sm_90" } },
      .options = { .ptx = CUC_ON },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "both have PTX for sm_80" } },
    { .part = { { PTX_80, NULL }, { CUBIN_ALONE, "sm_90" } },
      .options = { .ptx = CUC_ON },
      .status = CUC_ERROR_NOT_FOUND,
      .message = { "options.ptx is on", "parts[1]" } },
    { .part = { { PTX_80, NULL }, { CUBIN_ALONE, "sm_86" } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "adding a cubin for sm_86, parts[1]", "NVFATBIN_ERROR_ELF_ARCH_MISMATCH" } },
    { .part = { { PTX_80, NULL }, { CUBIN_ALONE, "sm_999" } },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "adding a cubin for sm_999, parts[1]" } },
    { .part = { { PTX_80, NULL }, { CUBIN_AND_PTX, "sm_90" } },
      .options = { .compress = 7 },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "compress", "7" } },
    { .part = { { PTX_80, NULL }, { CUBIN_AND_PTX, "sm_90" } },
      .options = { .ptx = -3 },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "ptx", "-3" } },
    { .part = { { PTX_80, NULL }, { CUBIN_AND_PTX, "sm_90" } },
      .options = { .name = "a\nb" },
      .status = CUC_ERROR_INVALID_ARGUMENT,
      .message = { "control character" } },
};

TEST_ROWS(bad_parts_and_options_are_refused, refusals)
{
    cuc_object *a = object_of(refusals[_i].part[0].kind), *b = object_of(refusals[_i].part[1].kind);
    const cuc_fatbin_part parts[] = { { a, refusals[_i].part[0].arch },
                                      { b, refusals[_i].part[1].arch } };
    cuc_fatbin_options options = refusals[_i].options;
    const char *second = refusals[_i].message[1];
    cuc_object *fat = NULL;

    options.struct_size = sizeof(options);
    ck_fails(refusals[_i].status, cuc_fatbin_create(&fat, parts, 2, &options),
             refusals[_i].message[0], second ? second : "");
    ck_assert_ptr_null(fat);
    cuc_object_release(a);
    cuc_object_release(b);
}

TEST(missing_arguments_are_refused_by_name)
{
    cuc_object *a = ptx_object(plain), *fat = NULL;
    const cuc_fatbin_part part = { a, NULL };
    cuc_fatbin_options options = { .struct_size = 3 };

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_fatbin_create(NULL, &part, 1, NULL), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_fatbin_create(&fat, NULL, 1, NULL), "parts is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_fatbin_create(&fat, &part, 0, NULL), "count is 0");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_fatbin_create(&fat, &part, 1, &options),
             "struct_size");
    cuc_fatbin_options_init(&options, sizeof(options));
    ck_assert_uint_eq(options.struct_size, sizeof(options));
    ck_ok(cuc_set_library_path("nvfatbin", "/nowhere/libnvfatbin.so"));
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_fatbin_create(&fat, &part, 1, NULL), "the nvfatbin library",
             "CUCORE_NVFATBIN");
    ck_assert_ptr_null(fat);
    cuc_object_release(a);
}

// ---- Failing calls of nvFatbin. The real functions, or the fake ones, do the rest.
static int created, destroyed;
static cuc__pfn_nvFatbinCreate next_create;
static cuc__pfn_nvFatbinDestroy next_destroy;

static nvFatbinResult count_create(nvFatbinHandle *handle, const char **options, size_t count)
{
    nvFatbinResult r = next_create(handle, options, count);

    created += !r;
    return r;
}

static nvFatbinResult count_destroy(nvFatbinHandle *handle)
{
    destroyed++;
    return next_destroy(handle);
}

static nvFatbinResult fail_create(nvFatbinHandle *handle, const char **options, size_t count)
{
    (void)handle, (void)options, (void)count;
    return NVFATBIN_ERROR_INTERNAL;
}

static nvFatbinResult fail_ptx(nvFatbinHandle handle, const char *text, size_t bytes,
                               const char *arch, const char *name, const char *options)
{
    (void)handle, (void)text, (void)bytes, (void)arch, (void)name, (void)options;
    return NVFATBIN_ERROR_COMPRESSION_FAILED;
}

static nvFatbinResult fail_size(nvFatbinHandle handle, size_t *bytes)
{
    (void)handle, (void)bytes;
    return NVFATBIN_ERROR_INTERNAL;
}

static nvFatbinResult huge_size(nvFatbinHandle handle, size_t *bytes)
{
    (void)handle;
    *bytes = SIZE_MAX / 2;
    return NVFATBIN_SUCCESS;
}

static nvFatbinResult fail_get(nvFatbinHandle handle, void *buffer)
{
    (void)handle, (void)buffer;
    return NVFATBIN_ERROR_INTERNAL;
}

TEST_RANGE(a_failure_midway_leaves_nothing, 0, 5)
{
    static const char *const calls[] = { "nvFatbinCreate", "nvFatbinAddPTX", "nvFatbinSize",
                                         "host memory", "nvFatbinGet" };
    cuc_object *a = ptx_object(plain), *fat = NULL;
    const cuc_fatbin_part part = { a, NULL };

    ck_ok(cuc_fatbin_create(&fat, &part, 1, NULL)); // fills the table of functions
    cuc_object_release(fat);
    fat = NULL;
    next_create = cuc__nvfatbin.nvFatbinCreate;
    next_destroy = cuc__nvfatbin.nvFatbinDestroy;
    cuc__nvfatbin.nvFatbinCreate = count_create;
    cuc__nvfatbin.nvFatbinDestroy = count_destroy;
    if (_i == 0)
        cuc__nvfatbin.nvFatbinCreate = fail_create;
    if (_i == 1)
        cuc__nvfatbin.nvFatbinAddPTX = fail_ptx;
    if (_i == 2)
        cuc__nvfatbin.nvFatbinSize = fail_size;
    if (_i == 3)
        cuc__nvfatbin.nvFatbinSize = huge_size;
    if (_i == 4)
        cuc__nvfatbin.nvFatbinGet = fail_get;
    ck_fails(_i == 3 ? CUC_ERROR_OUT_OF_MEMORY : CUC_ERROR_TOOLKIT,
             cuc_fatbin_create(&fat, &part, 1, NULL), calls[_i]);
    ck_assert_int_eq(cuc_error_library(), _i == 3 ? CUC_LIBRARY_NONE : CUC_LIBRARY_NVFATBIN);
    ck_assert_ptr_null(fat);
    ck_assert_int_eq(created, _i > 0);
    ck_assert_int_eq(destroyed, created);
    cuc_object_release(a);
}

// Packs for sm_80 and sm_90a, with a different block size for each, in a separate process.
static void pack_elsewhere(const char *path, bool newest_first)
{
    pid_t child = fork();
    int status = -1;

    if (!child) {
        cuc_object *a = compile("sm_80", 4, CUC_CODE_PTX), *b = compile("sm_90a", 8, CUC_CODE_PTX),
                   *fat = NULL;
        const cuc_fatbin_part parts[] = { { newest_first ? b : a, NULL },
                                          { newest_first ? a : b, NULL } };
        ck_ok(cuc_fatbin_create(&fat, parts, 2, NULL));
        ck_ok(cuc_object_save(fat, path));
        cuc_object_release(fat);
        cuc_object_release(a);
        cuc_object_release(b);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

enum { N = 3000 };

static void launch_vadd(cuc_object *object)
{
    static float x[N], result[N];
    const int64_t shape[] = { N }, half[] = { N / 2 };
    cuc_buffer *a = NULL, *c = NULL;
    cuc_tensor ta, tb, tc;
    cuc_kernel *vadd = NULL;
    cuc_device *device;
    cuc_stream *stream = NULL;

    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_buffer_create(&a, stream, NULL, sizeof(x)));
    ck_ok(cuc_buffer_create(&c, stream, NULL, sizeof(x)));
    ck_ok(cuc_buffer_write_async(stream, a, 0, x, sizeof(x)));
    ck_ok(cuc_tensor_from_buffer(&ta, a, CUC_F32, 1, shape));
    ck_ok(cuc_tensor_from_buffer(&tb, a, CUC_F32, 1, half));
    ck_ok(cuc_tensor_from_buffer(&tc, c, CUC_F32, 1, shape));
    ck_ok(cuc_object_get_kernel(&vadd, object, "vadd"));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, vadd, &ta, &tb, &tc),
             "argument b: axis 0: expected 3000", "got 1500");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, vadd, &ta, &ta),
             "expected 3 arguments");
    ck_ok(CUC_LAUNCH(stream, NULL, vadd, &ta, &ta, &tc));
    ck_ok(cuc_buffer_read_async(stream, result, c, 0, sizeof(result)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < N; i++)
        ck_assert_float_eq(result[i], 2 * (float)i);

    // The attributes are those of the code for this device.
    int32_t version = 0;
    ck_ok(cuc_kernel_get_attribute(&version, vadd, device, CUC_KERNEL_PTX_VERSION));
    ck_assert_int_eq(version, strcmp(getenv("CUCORE_SIM_ARCH"), "sm_90") == 0 ? 90 : 80);
    ck_ok(cuc_kernel_set_attribute(vadd, device, CUC_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    ck_ok(cuc_kernel_set_cache_config(vadd, device, CUC_KERNEL_CACHE_DEFAULT));
    cuc_kernel_release(vadd);
    cuc_buffer_release(a);
    cuc_buffer_release(c);
    cuc_stream_release(stream);
}

CASE("loading", .setup = use_fake, .only_if = has_fake);

// Tests either order of the architectures on each device.
TEST_RANGE(kernels_run_from_a_file_without_a_compiler, 0, 6)
{
    static const char *const devices[] = { "sm_80", "sm_90", "sm_100" };
    char path[] = "/tmp/cucore-fatbin-XXXXXX";
    cuc_object *object = NULL;
    size_t count = 0;

    setenv("CUCORE_SIM_ARCH", devices[_i / 2], 1); // the driver reads this when it is loaded
    if (fake_available())
        SKIP("it runs kernels");
    close(mkstemp(path));
    pack_elsewhere(path, _i % 2);
    ck_ok(cuc_object_from_file(&object, path, 0, NULL));
    unlink(path);
    ck_ok(cuc_object_get_kernel_count(&count, object));
    ck_assert_uint_eq(count, 2);
    launch_vadd(object);
    cuc_object_release(object);
    ck_assert(!testing_maps("libnvrtc"));
    ck_assert(!testing_maps("libnvJitLink"));
    ck_assert(!testing_maps("nvfatbin"));
}

// Uses two devices with different architectures through one kernel handle.
TEST(each_device_gets_the_grid_of_its_code)
{
    const int64_t shape[] = { N };
    cuc_object *a, *b, *fat = NULL;
    cuc_kernel *vadd = NULL;
    cuc_tensor t;

    NEED_FAKE();
    fake_reset();
    fake_set_attribute(1, CUC_DEVICE_COMPUTE_CAPABILITY_MAJOR, 8);
    a = compile_with("vadd.BN=512", "sm_80", 4, CUC_CODE_PTX);
    b = compile("sm_90a", 4, CUC_CODE_PTX);
    const cuc_fatbin_part parts[] = { { a, NULL }, { b, NULL } };
    ck_ok(cuc_fatbin_create(&fat, parts, 2, NULL));
    ck_ok(cuc_object_get_kernel(&vadd, fat, "vadd"));
    for (int i = 0; i < 2; i++) {
        struct fake_launch last;
        cuc_buffer *buffer = NULL;
        cuc_device *device;
        cuc_stream *stream = NULL;
        ck_ok(cuc_device_get(&device, i));
        ck_ok(cuc_stream_create(&stream, device, NULL));
        ck_ok(cuc_buffer_create(&buffer, stream, NULL, N * sizeof(float)));
        ck_ok(cuc_tensor_from_buffer(&t, buffer, CUC_F32, 1, shape));
        ck_ok(CUC_LAUNCH(stream, NULL, vadd, &t, &t, &t));
        ck_assert(fake_last_launch(&last));
        ck_assert_uint_eq(last.config.gridDimX, i ? 6 : 3);
        ck_ok(cuc_kernel_set_cache_config(vadd, device, CUC_KERNEL_CACHE_SHARED));
        ck_ok(cuc_kernel_set_attribute(vadd, device, CUC_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                       10));
        cuc_buffer_release(buffer);
        ck_ok(cuc_stream_synchronize(stream));
        cuc_stream_release(stream);
    }
    cuc_kernel_release(vadd);
    cuc_object_release(fat);
    cuc_object_release(a);
    cuc_object_release(b);
}

// Expected choice of the member that a device loads; an H200's driver chooses the same.
static const struct {
    const char *entries; // a kind and an architecture for each entry
    unsigned device, chosen;
} choices[] = {
    { "c80 c90a p80 p90a", 90, 1 }, { "p80 p90a c80 c90a", 90, 3 }, { "c90 c90a", 90, 1 },
    { "c90a c90", 90, 0 },          { "c80 p80", 90, 1 },           { "c80 c86 p80", 89, 1 },
    { "p80 p90", 100, 1 },          { "p80 p90a", 100, 0 },         { "c100f c100", 103, 0 },
    { "c120 p90", 121, 0 },         { "c90a", 80, UINT32_MAX },
};

TEST_ROWS(a_device_gets_the_member_that_fits_it_best, choices)
{
    const char *at = choices[_i].entries;
    struct cuc__fatbin_entry best = { .kind = 0 };
    unsigned chosen = UINT32_MAX;

    for (unsigned n = 0; *at; n++) {
        struct cuc__fatbin_entry e = { .kind = *at++ == 'c' ? CUC__FATBIN_CUBIN : CUC__FATBIN_PTX };
        char *end;
        e.arch = (unsigned)strtoul(at, &end, 10);
        e.specific = *end == 'a';
        e.family = *end == 'f';
        at = end + (*end == 'a' || *end == 'f');
        at += *at == ' ';
        if (cuc__fatbin_runs(&e, choices[_i].device) &&
            (!best.kind || cuc__fatbin_worth(&e) > cuc__fatbin_worth(&best))) {
            best = e;
            chosen = n;
        }
    }
    ck_assert_uint_eq(chosen, choices[_i].chosen);
}

// Loads a member that only libzstd can unpack, in a process where an empty file replaces libzstd.
static int look_without_libzstd(void)
{
    static const unsigned char fat[16 + 64 + 8] = {
        0x50,
        0xed,
        0x55,
        0xba,
        1,
        0,
        16,
        0,
        64 + 8, // the content's size
        [16] = CUC__FATBIN_PTX,
        [20] = 64,
        [24] = 8,
        [32] = 8,
        [44] = 80,
        [57] = 0x80, // Zstandard
        [72] = 100,  // unpacked
    };
    cuc_tile_entry entry = CUC_TILE_ENTRY_INIT;
    cuc_object *object = NULL;

    if (cuc_object_create(&object, CUC_CODE_FATBIN, fat, sizeof(fat), NULL) < 0)
        return 2;
    cuc_status st = cuc_tile_get_entry(&entry, object, "vadd", 0);
    cuc_object_release(object);
    printf("%s\n", cuc_error_message());
    return st == CUC_ERROR_NOT_SUPPORTED && strstr(cuc_error_message(), "tile kernel vadd") &&
                   strstr(cuc_error_message(), "install libzstd")
               ? 0
               : 1;
}

CASE("packing", .only_if = has_fake);

TEST(without_libzstd_the_remedy_is_named)
{
    char folder[] = "/tmp/cucore-fatbin-XXXXXX", file[64], self[512], command[1024];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof(file), "%s/libzstd.so.1", folder);
    FILE *empty = fopen(file, "wb");
    ck_assert_ptr_nonnull(empty);
    fclose(empty);
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    ck_assert_int_gt(n, 0);
    self[n] = '\0';
    snprintf(command, sizeof(command), "LD_LIBRARY_PATH='%s' '%s' without-libzstd", folder, self);
    int status = system(command);
    unlink(file);
    rmdir(folder);
    ck_assert_int_eq(status, 0);
}

CASE("real");

// Tests the real nvFatbin with cubins from nvJitLink.
TEST(output_of_the_real_library_loads)
{
    struct cuc__fatbin_entry e[8];
    cuc_object *fat = NULL, *again = NULL;
    const void *code;
    size_t bytes;

    setenv("CUCORE_SIM_ARCH", "sm_90", 1);
    if (testing_lacks("nvfatbin") || testing_lacks("nvjitlink"))
        return;
    cuc_object *a = compile("sm_80", 4, CUC_CODE_CUBIN), *b = compile("sm_90a", 8, CUC_CODE_CUBIN);
    const cuc_fatbin_part parts[] = { { a, "sm_80" }, { b, NULL } }, wrong = { a, "sm_86" };
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_fatbin_create(&fat, &wrong, 1, NULL),
             "adding a cubin for sm_86, parts[0]", "NVFATBIN_ERROR_ELF_ARCH_MISMATCH");
    ck_ok(cuc_fatbin_create(&fat, parts, 2, CUC_FATBIN_OPTIONS(.compress = CUC_OFF)));
    ck_assert_uint_eq(members(e, 8, fat), 2);
    for (size_t i = 0; i < 2; i++)
        ck_assert(e[i].kind == CUC__FATBIN_CUBIN && !e[i].lz4 && !e[i].zstd);
    ck_assert(e[0].arch == 80 && e[1].arch == 90 && e[1].specific);
    cuc_object_release(fat);
    fat = NULL;
    ck_ok(cuc_fatbin_create(&fat, parts, 2, CUC_FATBIN_OPTIONS(.ptx = CUC_ON)));
    ck_assert_uint_eq(members(e, 8, fat), 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_msg(e[i].lz4 && !e[i].zstd, "member %zu is not packed by LZ4", i);
    cuc_object_release(a);
    cuc_object_release(b);

    ck_ok(cuc_object_get_code(&code, &bytes, fat));
    ck_ok(cuc_object_create(&again, CUC_CODE_FATBIN, code, bytes, NULL));
    cuc_tile_entry entry = CUC_TILE_ENTRY_INIT;
    ck_ok(cuc_tile_get_entry(&entry, again, "vadd", 0));
    ck_assert_uint_eq(entry.threads, 128); // the entry for the first architecture
    if (!fake_available())
        launch_vadd(again);
    cuc_object_release(again);
    cuc_object_release(fat);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "without-libzstd") == 0)
        return look_without_libzstd();
    if (!has_fake())
        printf("skipped: packing and loading with a fake nvFatbin: FAKE_NVFATBIN names none\n");
    return run_tests("fatbin");
}
