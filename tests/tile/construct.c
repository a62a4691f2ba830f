// Kernels run twice. See construct.h.
#include "construct.h"

#include "tile/compile.h"
#include "tile/diagnostic.h"
#include "tile/emit/emit.h"
#include "tile/front/elaborate.h"
#include "tile/interpret/interpret.h"
#include "tile/scalar.h"
#include "tile/signature.h"

#include <check.h>
#include <cucore/cucore.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ck_ok(call)                                                                    \
    do {                                                                               \
        cuc_status got_ = (call);                                                      \
        if (got_ != CUC_OK)                                                            \
            ck_abort_msg("%s: %s gave %s: %s\n%.2000s", where_text(), #call,           \
                         cuc_status_name(got_), cuc_error_message(), cuc_error_log()); \
    } while (0)

enum { MOST = 24, MOST_SETTINGS = 8, POISON = 0xb5 };

static cuc_device *device;
static cuc_stream *stream;
static cuc_memory_resource *managed;

// What is checked, for messages.
static struct {
    const struct construct *row;
    const char *dtype, *mode, *entry, *sizes;
    unsigned warps;
} now;

static const char *where_text(void)
{
    static char text[512];

    snprintf(text, sizeof(text), "%s%s%s, %s, %s, %s, %u warps", now.row->name,
             now.dtype ? " of " : "", now.dtype ? now.dtype : "", now.sizes ? now.sizes : "",
             now.mode ? now.mode : "", now.entry ? now.entry : "", now.warps);
    return text;
}

const char *construct_dtype(const struct construct *row, int n, char *room)
{
    const char *at = row->dtypes;
    int length;

    if (!at)
        return NULL;
    while (n-- > 0 && at)
        if ((at = strchr(at, ' ')))
            at++;
    if (!at || sscanf(at, "%7s%n", room, &length) != 1)
        return NULL;
    return room;
}

void construct_start(void)
{
    now.row = &(const struct construct){ .name = "start" };
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_memory_synchronous(&managed, device, CUC_MEMORY_MANAGED));
}

void construct_stop(void)
{
    cuc_memory_resource_release(managed);
    cuc_stream_release(stream);
}

// Random data, the same in every run.
static uint64_t state;

static uint64_t random64(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t below(uint64_t n)
{
    return (random64() >> 11) % n;
}

// Elements of a kind

static uint64_t any_float(cuc_dtype dtype)
{
    static const double edges[] = { 0.0,     -0.0,   1.0,   -1.0,         INFINITY,      -INFINITY,
                                    NAN,     0.5,    1.5,   2.5,          -2.5,          65504.0,
                                    65520.0, 448.0,  464.0, 57344.0,      6e-8,          1e-40,
                                    1e-300,  1e300,  3e38,  2147483648.0, -2147483649.0, 127.5,
                                    255.5,   -128.5, 1e19,  3.4e38 };
    uint32_t bits = cuc_dtype_bits(dtype);

    switch (below(4)) {
    case 0:
        return tile_element_of_real(dtype, edges[below(sizeof(edges) / sizeof(edges[0]))]);
    case 1: // any bits at all
        return bits == 64 ? random64() : random64() >> (64 - bits);
    default:
        return tile_element_of_real(
            dtype, ldexp((double)(int64_t)random64() * 0x1p-63, (int)below(24) - 10));
    }
}

static uint64_t any_integer(cuc_dtype dtype)
{
    static const int64_t edges[] = { 0,         1,         -1,        2,
                                     127,       128,       -128,      255,
                                     256,       INT16_MAX, INT16_MIN, INT32_MAX,
                                     INT32_MIN, INT64_MAX, INT64_MIN, UINT32_MAX };

    return tile_element_of_int(dtype, below(3) ? (int64_t)random64() >> below(64)
                                               : edges[below(sizeof(edges) / sizeof(edges[0]))]);
}

static uint64_t element_for(char kind, cuc_dtype dtype)
{
    bool integer = tile_is_integer(dtype), is_signed = tile_is_signed(dtype);

    if (dtype == CUC_BOOL)
        return below(2);
    switch (kind) {
    case 'o':
        return 0;
    case 'u':
    case 'w':
        if (integer)
            return tile_element_of_int(dtype, (int64_t)below(9) - (is_signed ? 4 : 0));
        return tile_element_of_real(dtype, (double)below(9) - 4);
    case 's':
        if (integer)
            return tile_element_of_int(dtype, (int64_t)below(200) - (is_signed ? 100 : 0));
        return tile_element_of_real(dtype, (double)(int64_t)random64() * 0x1p-63);
    case 'i':
        if (!below(12))
            return any_integer(dtype);
        return tile_element_of_int(dtype, (int64_t)below(48) - (is_signed ? 6 : 0));
    default:
        return integer ? any_integer(dtype) : any_float(dtype);
    }
}

// Tensors

enum mode { PADDED, DENSE, TRANSPOSED, REVERSED, REPEATED, MODES };
static const char *const mode_names[] = { "rows of 16 bytes", "dense", "transposed", "reversed",
                                          "stride 0" };

struct tensor {
    cuc_tensor host, dev;
    cuc_buffer *buffer;
    unsigned char *bytes, *image; // of the host's, and the device's own
    unsigned char *touched;       // by byte: an element is there
    size_t size;
    const char *name;
};

static void set_strides(cuc_tensor *t, enum mode mode, bool apart)
{
    int64_t step = 1, bytes = cuc_dtype_bits(t->dtype) / 8;

    for (int32_t k = 0; k < t->rank; k++) {
        int32_t axis = mode == TRANSPOSED ? k : t->rank - 1 - k;
        t->strides[axis] = mode == REVERSED ? -step : step;
        step *= t->shape[axis] ? t->shape[axis] : 1;
        if (mode == PADDED && axis == t->rank - 1)
            while (step * bytes % 16)
                step++;
        if (mode == REVERSED && axis == t->rank - 1)
            step += 3;
    }
    if (mode == REPEATED && !apart && t->rank)
        t->strides[0] = 0;
}

static void visit(struct tensor *t, unsigned char *base,
                  void (*each)(struct tensor *t, unsigned char *at, int64_t n))
{
    int64_t at[CUC_TENSOR_MAX_RANK] = { 0 }, n = 0, bytes = cuc_dtype_bits(t->host.dtype) / 8;

    for (int32_t i = 0; i < t->host.rank; i++)
        if (!t->host.shape[i])
            return;
    for (;;) {
        int64_t offset = 0;
        for (int32_t i = 0; i < t->host.rank; i++)
            offset += at[i] * t->host.strides[i];
        each(t, base + offset * bytes, n++);
        int32_t axis = t->host.rank;
        while (axis-- > 0 && ++at[axis] == t->host.shape[axis])
            at[axis] = 0;
        if (axis < 0)
            return;
    }
}

static void fill(struct tensor *t, unsigned char *at, int64_t n)
{
    size_t bytes = cuc_dtype_bits(t->host.dtype) / 8;
    uint64_t element = element_for(t->name[0], t->host.dtype);

    if (t->name[0] == 'o')
        return;
    if (t->name[0] == 'p')
        element = (uint64_t)n;
    memcpy(at, &element, bytes);
}

static unsigned char *origin(const struct tensor *t, unsigned char *bytes)
{
    int64_t low = 0;

    for (int32_t i = 0; i < t->host.rank; i++)
        if (t->host.shape[i] && t->host.strides[i] < 0)
            low += (t->host.shape[i] - 1) * t->host.strides[i];
    return bytes - low * (int64_t)(cuc_dtype_bits(t->host.dtype) / 8);
}

static void make_tensor(struct tensor *t, const struct tile_parameter *p, const int64_t *dimension,
                        enum mode mode)
{
    const struct tile_type *type = &p->value->type;
    int64_t reach = 1;
    void *host;

    *t = (struct tensor){ .name = p->name };
    t->host = (cuc_tensor){ .dtype = type->dtype, .rank = type->rank, .device = 0 };
    for (uint32_t axis = 0; axis < type->rank; axis++)
        t->host.shape[axis] = p->extent[axis].kind == TILE_EXTENT_NAMED
                                  ? dimension[p->extent[axis].dimension]
                                  : p->extent[axis].value;
    set_strides(&t->host, mode, strchr("oup", t->name[0]) != NULL);
    for (uint32_t axis = 0; axis < type->rank; axis++)
        if (t->host.shape[axis])
            reach += (t->host.shape[axis] - 1) * llabs(t->host.strides[axis]);
    t->size = (size_t)reach * (cuc_dtype_bits(type->dtype) / 8);
    t->bytes = malloc(t->size);
    t->touched = calloc(1, t->size);
    ck_assert(t->bytes && t->touched);
    memset(t->bytes, POISON, t->size);
    visit(t, origin(t, t->bytes), fill);
    if (t->name[0] == 'p') // each once, in disorder
        for (int64_t i = reach - 1; i > 0 && type->rank == 1; i--) {
            size_t size = cuc_dtype_bits(type->dtype) / 8, k = below((uint64_t)i + 1);
            unsigned char kept[8], *a = t->bytes + (size_t)i * size, *b = t->bytes + k * size;
            memcpy(kept, a, size);
            memcpy(a, b, size);
            memcpy(b, kept, size);
        }
    ck_ok(cuc_buffer_create(&t->buffer, managed, t->size, stream));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_buffer_get_host_pointer(&host, t->buffer));
    t->image = host;
    memcpy(t->image, t->bytes, t->size);
    t->dev = t->host;
    t->host.data = (uint64_t)(uintptr_t)origin(t, t->bytes);
    t->dev.data = (uint64_t)(uintptr_t)origin(t, t->image);
}

static void drop_tensor(struct tensor *t)
{
    free(t->bytes);
    free(t->touched);
    cuc_buffer_release(t->buffer);
}

// Comparing

static double last_place(cuc_dtype dtype, double value)
{
    static const struct {
        cuc_dtype dtype;
        int fraction, least;
    } formats[] = {
        { CUC_F16, 10, -14 }, { CUC_BF16, 7, -126 }, { CUC_F32, 23, -126 }, { CUC_F64, 52, -1022 }
    };
    int exponent;

    frexp(value, &exponent);
    for (size_t i = 0; i < 4; i++)
        if (formats[i].dtype == dtype) {
            int e = exponent - 1 < formats[i].least ? formats[i].least : exponent - 1;
            return ldexp(1.0, e - formats[i].fraction);
        }
    return 0;
}

static void compare(struct tensor *t, unsigned char *at, int64_t n)
{
    size_t bytes = cuc_dtype_bits(t->host.dtype) / 8;
    size_t offset = (size_t)(at - t->bytes);
    uint64_t want = 0, got = 0;
    cuc_dtype dtype = t->host.dtype;

    memset(t->touched + offset, 1, bytes);
    memcpy(&want, at, bytes);
    memcpy(&got, t->image + offset, bytes);
    if (want == got)
        return;
    if (!tile_is_integer(dtype) && dtype != CUC_BOOL) {
        double x = tile_element_real(dtype, want), y = tile_element_real(dtype, got);
        double size = fabs(x) > now.row->scale ? fabs(x) : now.row->scale;
        if (x != x && y != y)
            return;
        // The interpreter sums in f64, one after the other: of f64 itself that is no better.
        double ulps = now.row->ulps * (dtype == CUC_F64 ? 16 : 1);
        if (ulps != 0 && isfinite(x) && fabs(x - y) <= ulps * last_place(dtype, size))
            return;
        ck_abort_msg("%s: %s, element %" PRId64 ": the driver has %.17g (0x%" PRIx64
                     "), the interpreter %.17g (0x%" PRIx64 ")\n%s",
                     where_text(), t->name, n, y, got, x, want, now.row->source);
    }
    ck_abort_msg("%s: %s, element %" PRId64 ": the driver has 0x%" PRIx64
                 ", the interpreter 0x%" PRIx64 "\n%s",
                 where_text(), t->name, n, got, want, now.row->source);
}

static void compare_tensor(struct tensor *t)
{
    visit(t, (unsigned char *)(uintptr_t)t->host.data, compare);
    for (size_t i = 0; i < t->size; i++)
        if (!t->touched[i] && t->image[i] != POISON)
            ck_abort_msg("%s: %s: byte %zu, which is no element, was written\n%s", where_text(),
                         t->name, i, now.row->source);
}

// Compiling

struct settings {
    char text[MOST_SETTINGS][32];
    const char *list[MOST_SETTINGS];
    size_t count;
};

// "T=f16", and the constants of the first case.
static void read_settings(struct settings *s, const struct construct *row, const char *dtype)
{
    const char *at = row->sizes ? row->sizes : "";
    char word[32];
    int length;

    s->count = 0;
    if (dtype)
        snprintf(s->text[s->count++], sizeof(s->text[0]), "T=%s", dtype);
    for (; sscanf(at, " %31[^ ;]%n", word, &length) == 1 && s->count < MOST_SETTINGS; at += length)
        if (isupper((unsigned char)word[0]) && isupper((unsigned char)word[1]))
            snprintf(s->text[s->count++], sizeof(s->text[0]), "%s", word);
    for (size_t i = 0; i < s->count; i++)
        s->list[i] = s->text[i];
}

static struct tile_module *parse(const char *source, const struct settings *s)
{
    struct tile_module *m =
        tile_parse("construct.tile", source, strlen(source), s->list, (uint32_t)s->count);

    ck_assert(m != NULL);
    ck_assert_msg(!m->diagnostics->errors, "%s\n%s", where_text(), tile_diagnostics_text(m, false));
    return m;
}

static int device_sm(void)
{
    int32_t major, minor;

    ck_ok(cuc_device_get_compute_capability(&major, &minor, device));
    return 10 * major + minor;
}

// The signature that stands in the PTX as an array.
static struct tile_signature *signature_of(const char *ptx)
{
    const char *at = strstr(ptx, TILE_SIGNATURE_PREFIX);
    unsigned char *bytes;
    char why[256] = "";
    size_t count = 0, room;

    ck_assert(at != NULL);
    room = strtoull(strchr(at, '[') + 1, NULL, 10);
    bytes = malloc(room);
    ck_assert(bytes != NULL);
    at = strchr(at, '{') + 1;
    while (count < room) {
        bytes[count++] = (unsigned char)strtoul(at, (char **)(uintptr_t)&at, 10);
        at++;
    }
    struct tile_signature *s = tile_signature_read(bytes, count, why, sizeof(why));
    free(bytes);
    ck_assert_msg(s != NULL, "%s", why);
    return s;
}

struct code {
    cuc_object *object;
    struct tile_signature *signature;
    cuc_kernel *kernel[TILE_VARIANTS];
};

static void make_code(struct code *c, const struct construct *row, const struct settings *s,
                      uint32_t warps)
{
    struct tile_module *m = parse(row->source, s);
    struct tile_target target;
    struct tile_compiled out;
    char why[256];

    ck_assert_msg(tile_target_of(&target, device_sm(), false, why, sizeof(why)), "%s", why);
    target.warps = warps;
    target.lineinfo = true;
    ck_assert_msg(tile_compile(m, &target, &out), "%s\n%s", where_text(),
                  tile_diagnostics_text(m, false));
    if (getenv("CONSTRUCT_PTX"))
        fputs(out.ptx, stdout);
    cuc_status st = cuc_object_create(&c->object, CUC_CODE_PTX, out.ptx, out.ptx_bytes, NULL);
    ck_assert_msg(st == CUC_OK, "%s: %s", where_text(), cuc_error_message());
    c->signature = signature_of(out.ptx);
    for (uint32_t i = 0; i < c->signature->entries; i++) {
        st = cuc_object_get_kernel(&c->kernel[i], c->object, c->signature->entry[i].name);
        ck_assert_msg(st == CUC_OK, "%s: %s\n%.2000s", where_text(), cuc_error_message(),
                      cuc_error_log());
    }
    tile_module_free(m);
}

static void drop_code(struct code *c)
{
    for (uint32_t i = 0; i < c->signature->entries; i++)
        cuc_kernel_release(c->kernel[i]);
    tile_signature_free(c->signature);
    cuc_object_release(c->object);
}

// Running

struct values {
    int64_t dimension[MOST], grid[3];
    struct tile_argument argument[MOST];
};

// "N=37" of one case.
static void read_values(struct values *v, const struct tile_kernel *k, const char *text)
{
    char name[16], value[32];
    int length;

    memset(v, 0, sizeof(*v));
    for (uint32_t i = 0; i < 3; i++)
        v->grid[i] = 1;
    for (; sscanf(text, " %15[^= ;]=%31[^ ;]%n", name, value, &length) == 2; text += length) {
        if (strcmp(name, "grid") == 0)
            sscanf(value, "%" SCNd64 ",%" SCNd64 ",%" SCNd64, &v->grid[0], &v->grid[1],
                   &v->grid[2]);
        for (uint32_t i = 0; i < k->dimension_count; i++)
            if (strcmp(k->dimension[i].name, name) == 0)
                v->dimension[i] = strtoll(value, NULL, 10);
        for (uint32_t i = 0; i < k->parameter_count; i++) {
            cuc_dtype dtype = k->parameter[i].value->type.dtype;
            if (strcmp(k->parameter[i].name, name) == 0)
                v->argument[i] = (struct tile_argument){
                    .dtype = dtype,
                    .scalar = tile_is_integer(dtype) || dtype == CUC_BOOL
                                  ? tile_element_of_int(dtype, (int64_t)strtoll(value, NULL, 0))
                                  : tile_element_of_real(dtype, strtod(value, NULL)),
                };
        }
    }
}

static void run_entry(struct code *c, uint32_t entry, const struct tile_kernel *k,
                      const struct values *v, struct tensor *tensor, char *failure)
{
    const struct tile_entry *how = &c->signature->entry[entry];
    struct tile_argument argument[MOST];
    unsigned char block[1024];
    int64_t grid[3] = { v->grid[0], v->grid[1], v->grid[2] };
    char why[256];

    memcpy(argument, v->argument, sizeof(argument));
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameter[i].value->type.tensor)
            argument[i].tensor = &tensor[i].dev;
    struct tile_binding_set set = { k, argument, (int64_t *)(uintptr_t)v->dimension };
    if (k->grid_rank)
        ck_assert_msg(tile_host_grid(&set, grid, why, sizeof(why)), "%s: %s", where_text(), why);
    if (!grid[0] || !grid[1] || !grid[2])
        return;
    ck_assert_uint_le(c->signature->parameter_bytes, sizeof(block));
    tile_pack_arguments(k, argument, block);
    cuc_launch_config config = CUC_LAUNCH_CONFIG_INIT;
    for (uint32_t i = 0; i < 3; i++)
        config.grid[i] = (uint32_t)grid[i];
    config.block[0] = 32 * how->warps;
    config.shared_bytes = how->dynamic_shared;
    cuc_arg arg = { .type = CUC_ARG_BYTES, .bytes = c->signature->parameter_bytes };
    arg.value.pointer = block;
    if (!arg.bytes)
        arg.bytes = 8;
    ck_ok(cuc_launch(stream, &config, c->kernel[entry], &arg, 1));
    cuc_status st = cuc_stream_synchronize(stream);
    if (failure) { // one is expected
        ck_assert_msg(st < 0, "%s: the kernel ended well", where_text());
        snprintf(failure, FAILURE_ROOM, "%s", cuc_error_message());
        return;
    }
    if (st < 0)
        ck_abort_msg("%s: the kernel failed: %s\n%s", where_text(), cuc_error_message(),
                     now.row->source);
}

// What is printed: by the interpreter in a callback, by the driver to stdout.

static char *printed;
static size_t printed_bytes;
static FILE *printing;

static void keep_text(void *data, const char *text)
{
    (void)data;
    fputs(text, printing);
}

static int capture_stdout(FILE *into)
{
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    ck_assert_int_ge(dup2(fileno(into), STDOUT_FILENO), 0);
    return kept;
}

static void compare_text(FILE *driver)
{
    long length = ftell(driver);
    char *text = calloc(1, (size_t)length + 1);

    ck_assert(text != NULL);
    rewind(driver);
    ck_assert_uint_eq(fread(text, 1, (size_t)length, driver), (size_t)length);
    if (strcmp(text, printed ? printed : "") != 0)
        ck_abort_msg("%s: the driver printed \"%s\", the interpreter \"%s\"", where_text(), text,
                     printed);
    free(text);
}

static void check_case(struct code *c, const struct tile_kernel *k, const struct construct *row,
                       const char *sizes, enum mode mode)
{
    char one[128], why[512] = "";

    snprintf(one, sizeof(one), "%.*s", (int)strcspn(sizes, ";"), sizes);
    now.sizes = one;
    now.mode = mode_names[mode];
    for (uint32_t entry = 0; entry < c->signature->entries; entry++) {
        struct tensor tensor[MOST];
        struct values v;
        if (mode != PADDED && c->signature->entry[entry].variant != TILE_INDEX_64)
            continue;
        now.entry = tile_variant_name(c->signature->entry[entry].variant);
        now.warps = c->signature->entry[entry].warps;
        state = UINT64_C(0x9e3779b97f4a7c15);
        for (const char *s = row->name; *s; s++)
            state = (state ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
        read_values(&v, k, one);
        for (uint32_t i = 0; i < k->parameter_count; i++)
            if (k->parameter[i].value->type.tensor)
                make_tensor(&tensor[i], &k->parameter[i], v.dimension, mode);
        bool prints = strstr(row->source, "print(") != NULL;
        FILE *driver_text = prints ? tmpfile() : NULL;
        ck_assert(!prints || driver_text);
        int kept = prints ? capture_stdout(driver_text) : -1;
        run_entry(c, entry, k, &v, tensor, NULL);
        if (prints) {
            fflush(stdout);
            fseek(driver_text, 0, SEEK_END);
            dup2(kept, STDOUT_FILENO);
            close(kept);
            printing = open_memstream(&printed, &printed_bytes);
            ck_assert(printing != NULL);
        }
        struct tile_interpretation run = { .kernel = k,
                                           .argument = v.argument,
                                           .arguments = k->parameter_count,
                                           .print = prints ? keep_text : NULL };
        memcpy(run.grid, v.grid, sizeof(run.grid));
        for (uint32_t i = 0; i < k->parameter_count; i++)
            if (k->parameter[i].value->type.tensor)
                v.argument[i].tensor = &tensor[i].host;
        ck_assert_msg(tile_interpret(&run, why, sizeof(why)), "%s: interpreted: %s", where_text(),
                      why);
        for (uint32_t i = 0; i < k->parameter_count; i++)
            if (k->parameter[i].value->type.tensor) {
                compare_tensor(&tensor[i]);
                drop_tensor(&tensor[i]);
            }
        if (prints) {
            fclose(printing);
            compare_text(driver_text);
            fclose(driver_text);
            free(printed);
        }
    }
}

void construct_check(const struct construct *row, const char *dtype)
{
    static const uint32_t warps[] = { 0, 1, 4, 8 };
    struct settings settings;

    now.row = row;
    now.dtype = dtype;
    read_settings(&settings, row, dtype);
    struct tile_module *m = parse(row->like ? row->like : row->source, &settings);
    for (uint32_t w = 0; w < sizeof(warps) / sizeof(warps[0]); w++) {
        struct code code = { 0 };
        now.warps = warps[w];
        make_code(&code, row, &settings, warps[w]);
        for (const char *at = row->sizes ? row->sizes : ""; at;) {
            for (int mode = 0; mode < MODES; mode++)
                check_case(&code, m->first, row, at, (enum mode)mode);
            if ((at = strchr(at, ';')))
                at++;
        }
        drop_code(&code);
    }
    tile_module_free(m);
}

void construct_fails(const struct construct *row, char *driver, char *interpreter)
{
    struct settings settings;
    struct tensor tensor[MOST];
    struct code code = { 0 };
    struct values v;

    now.row = row;
    now.dtype = NULL;
    read_settings(&settings, row, NULL);
    struct tile_module *m = parse(row->source, &settings);
    const struct tile_kernel *k = m->first;
    make_code(&code, row, &settings, 4);
    read_values(&v, k, row->sizes ? row->sizes : "");
    state = 1;
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameter[i].value->type.tensor)
            make_tensor(&tensor[i], &k->parameter[i], v.dimension, DENSE);
    run_entry(&code, code.signature->entries - 1, k, &v, tensor, driver);
    struct tile_interpretation run = { .kernel = k,
                                       .argument = v.argument,
                                       .arguments = k->parameter_count };
    memcpy(run.grid, v.grid, sizeof(run.grid));
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameter[i].value->type.tensor)
            v.argument[i].tensor = &tensor[i].host;
    ck_assert_msg(!tile_interpret(&run, interpreter, FAILURE_ROOM), "%s: interpreted it ends well",
                  where_text());
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameter[i].value->type.tensor)
            drop_tensor(&tensor[i]);
    drop_code(&code);
    tile_module_free(m);
}

void construct_refused(const char *source, char *text)
{
    struct settings none = { .count = 0 };
    struct tile_target target;
    struct tile_compiled out;

    now.row = &(const struct construct){ .name = source };
    struct tile_module *m = parse(source, &none);
    ck_assert(tile_target_of(&target, 90, false, text, FAILURE_ROOM));
    target.warps = 4;
    ck_assert_msg(!tile_compile(m, &target, &out), "it compiles: %s", source);
    snprintf(text, FAILURE_ROOM, "%s", tile_diagnostics_text(m, false));
    tile_module_free(m);
}

// Assembling: all kernels are called k; here each has the number of its row.

static bool has_dtype(const struct construct *row, const char *dtype)
{
    char name[8];
    const char *one;

    if (!dtype || !row->dtypes)
        return !dtype && !row->dtypes;
    for (int n = 0; (one = construct_dtype(row, n, name)); n++)
        if (strcmp(one, dtype) == 0)
            return true;
    return false;
}

char *construct_ptx(const struct construct *row, int rows, const char *dtype, int sm, bool specific)
{
    size_t bytes = 0;
    FILE *file;
    char *all = NULL, why[256];

    now.row = row;
    now.dtype = dtype;
    file = open_memstream(&all, &bytes);
    ck_assert(file != NULL);
    for (int i = 0; i < rows; i++) {
        if (!has_dtype(&row[i], dtype))
            continue;
        struct settings settings;
        struct tile_target target;
        struct tile_compiled out;
        now.row = &row[i];
        read_settings(&settings, &row[i], dtype);
        struct tile_module *m = parse(row[i].source, &settings);
        char name[16];
        snprintf(name, sizeof(name), "k%d", i);
        m->first->name = name;
        ck_assert_msg(tile_target_of(&target, sm, specific, why, sizeof(why)), "%s", why);
        target.lineinfo = false;
        ck_assert_msg(tile_compile(m, &target, &out), "%s\n%s", where_text(),
                      tile_diagnostics_text(m, false));
        // The module's head once; functions of the device's runtime once.
        const char *at = out.ptx;
        if (ftell(file) > 0)
            at = strstr(at, "dynamic_scratch[];") ? strstr(at, "dynamic_scratch[];") + 18 : at;
        fprintf(file, "%s\n", at);
        tile_module_free(m);
    }
    fclose(file);
    return all;
}
