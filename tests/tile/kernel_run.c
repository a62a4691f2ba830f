// Runs each kernel in three ways. See kernel_run.h.
#include "kernel_run.h"

#include "assembler.h"
#include "base/array.h"
#include "code/kernel_tile.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"
#include "tile/ir/host.h"
#include "tile/ir/scalar.h"

#include <check.h>
#include <cucore/cucore.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ck_ok(call)                                                                  \
    do {                                                                             \
        cuc_status got_ = (call);                                                    \
        ck_assert_msg(got_ == CUC_OK, "%s: %s gave %s: %s\n%s", where_text(), #call, \
                      cuc_status_name(got_), cuc_error_message(), cuc_error_log());  \
    } while (0)

enum { MOST = 16, MOST_SETTINGS = 12, POISON = 0xb5, MOST_TEXT = 1 << 16 };

static cuc_device *device;
static cuc_stream *stream;

// The case under test, for messages.
static struct {
    const struct kernel_case *row;
    const char *dtype, *sizes, *who;
    uint32_t argument;
    char layout;
} now;

bool kernel_few;

static const char *where_text(void)
{
    static char text[512];
    int length = now.sizes ? (int)strcspn(now.sizes, ";") : 0;

    snprintf(text, sizeof(text), "%s: %s%s%s%s%s, %.*s, layout %c", now.row->file, now.row->kernel,
             now.dtype ? ", T=" : "", now.dtype ? now.dtype : "", now.row->set ? ", " : "",
             now.row->set ? now.row->set : "", length, now.sizes ? now.sizes : "",
             now.layout ? now.layout : '-');
    return text;
}

void kernel_start(void)
{
    now.row = &(const struct kernel_case){ .file = "start", .kernel = "" };
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
}

void kernel_stop(void)
{
    cuc_stream_release(stream);
}

static uint64_t state;

uint64_t kernel_random(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state * UINT64_C(0x2545f4914f6cdd1d) >> 11) % n;
}

// ---- The source

struct source {
    char text[MOST_TEXT], word[MOST_SETTINGS][32], dtype[8];
    const char *setting[MOST_SETTINGS];
    uint32_t settings;
    int32_t stages, cluster, split, warps;
    struct tile_module *module; // only its header is used
    const struct tile_kernel *kernel;
};

// Opens the source for the row's n-th dtype; returns false if there is no such dtype.
static bool open_source(struct source *s, const struct kernel_case *row, int n)
{
    const char *at = row->set ? row->set : "", *dtype = row->dtypes;
    char path[512];
    int length;

    if (n && !dtype)
        return false;
    for (int i = 0; i < n; i++) {
        if (!(dtype = strchr(dtype, ' ')))
            return false;
        dtype++;
    }
    s->settings = 0;
    now.dtype = NULL;
    if (dtype) {
        sscanf(dtype, "%7s", s->dtype);
        snprintf(s->word[s->settings++], sizeof(s->word[0]), "T=%s", s->dtype);
        now.dtype = s->dtype;
    }
    s->stages = s->cluster = s->split = s->warps = 0;
    for (; sscanf(at, " %31s%n", s->word[s->settings], &length) == 1; at += length)
        if (sscanf(s->word[s->settings], "stages=%d", &s->stages) != 1 &&
            sscanf(s->word[s->settings], "cluster=%d", &s->cluster) != 1 &&
            sscanf(s->word[s->settings], "split=%d", &s->split) != 1 &&
            sscanf(s->word[s->settings], "warps=%d", &s->warps) != 1)
            s->settings++;
    for (uint32_t i = 0; i < s->settings; i++)
        s->setting[i] = s->word[i];

    snprintf(path, sizeof(path), "%s/%s.tile", KERNELS, row->file);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s cannot be read", path);
    size_t bytes = fread(s->text, 1, sizeof(s->text) - 1, f);
    s->text[bytes] = 0;
    fclose(f);
    s->module = tile_parse(row->file, s->text, bytes, s->setting, s->settings);
    ck_assert_ptr_nonnull(s->module);
    ck_assert_msg(!s->module->diagnostics->errors, "%s\n%s", where_text(),
                  tile_diagnostics_text(s->module, false));
    s->kernel = s->module->first;
    while (s->kernel && strcmp(s->kernel->name, row->kernel) != 0)
        s->kernel = s->kernel->next;
    ck_assert_msg(s->kernel != NULL, "%s: there is no such kernel", where_text());
    ck_assert_uint_eq(s->kernel->parameter_count, strlen(row->fill));
    return true;
}

static cuc_program *make_program(const struct source *s, const char *arch, const char *const *ptxas,
                                 size_t ptxas_count)
{
    cuc_program *program;

    ck_ok(cuc_program_create(
        &program, CUC_SOURCE_TILE, s->text, 0,
        CUC_PROGRAM_OPTIONS(.name = now.row->file, .arch = arch, .constants = s->setting,
                            .constant_count = s->settings, .lineinfo = CUC_ON, .stages = s->stages,
                            .cluster = s->cluster, .split = s->split, .warps = s->warps,
                            .ptxas_options = ptxas, .ptxas_option_count = ptxas_count)));
    return program;
}

// ---- Arguments

struct argument {
    char fill;
    cuc_dtype dtype;
    cuc_tensor tensor; // its data pointer is set for each run
    uint64_t scalar;
    struct numbers in, want;
    unsigned char *bytes, *image; // memory of the interpreter, and of the driver
    size_t size;
    ptrdiff_t origin; // where element [0][0].. is in both
};

// Finds NAME=VALUE in `sizes`.
static double size_of(const char *sizes, const char *name)
{
    char word[32];
    double value;
    int length;

    for (const char *at = sizes; sscanf(at, " %31[^= ;]=%lf%n", word, &value, &length) == 2;
         at += length)
        if (strcmp(word, name) == 0)
            return value;
    ck_abort_msg("%s: nothing says what %s is", where_text(), name);
}

static uint32_t element_bytes(cuc_dtype dtype)
{
    return cuc_dtype_bits(dtype) / 8;
}

static uint64_t element_of(cuc_dtype dtype, double x)
{
    return tile_is_integer(dtype) ? tile_element_of_int(dtype, (int64_t)x)
           : dtype == CUC_BOOL    ? x != 0
                                  : tile_element_of_real(dtype, x);
}

static double number_of(cuc_dtype dtype, uint64_t element)
{
    return dtype == CUC_BOOL                            ? (double)element
           : tile_is_integer(dtype) && dtype != CUC_U64 ? (double)(int64_t)element
           : dtype == CUC_U64                           ? (double)element
                                                        : tile_element_real(dtype, element);
}

static double rounded(cuc_dtype dtype, double x)
{
    return number_of(dtype, element_of(dtype, x));
}

static double random_number(char fill, cuc_dtype dtype)
{
    static const double strange[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0 };

    switch (fill) {
    case 'k':
        return (double)kernel_random(UINT64_C(1) << 32);
    case 'z':
        return 0;
    case 'x':
        if (!tile_is_integer(dtype) && !kernel_random(8))
            return strange[kernel_random(5)];
        break;
    default:
        break;
    }
    if (tile_is_integer(dtype))
        return (double)kernel_random(17 - !tile_is_signed(dtype)) - (tile_is_signed(dtype) ? 8 : 0);
    return (double)kernel_random(1 << 20) * 0x1p-18 - 2.0;
}

static void make_numbers(struct argument *a, const struct tile_parameter *p, char fill,
                         const struct tile_binding_set *set)
{
    const struct tile_type *type = &p->value->type;
    char why[256];

    a->fill = fill;
    a->dtype = type->dtype;
    a->in.rank = type->tensor ? type->rank : 0;
    a->in.count = 1;
    for (int32_t i = 0; i < a->in.rank; i++) {
        const struct tile_extent *extent = &p->extent[i];
        int64_t value = extent->value;
        if (extent->kind == TILE_EXTENT_NAMED)
            value = set->dimension[extent->dimension];
        else if (extent->kind == TILE_EXTENT_CHECKED)
            ck_assert(tile_host_evaluate(set, extent->check, &value, why, sizeof(why)));
        a->in.extent[i] = value;
        a->in.count *= value;
    }
    a->in.at = calloc((size_t)a->in.count + 1, sizeof(double));
    a->want = a->in;
    a->want.at = calloc((size_t)a->in.count + 1, sizeof(double));
    ck_assert(a->in.at && a->want.at);
    for (int64_t i = 0; i < a->in.count && fill != 'o'; i++)
        a->in.at[i] = random_number(fill, a->dtype);
}

// ---- Tensors in memory

// Marks with 1 each byte that belongs to an element, and calls `each` with the element's offset.
static void visit(const struct argument *a,
                  void (*each)(const struct argument *a, size_t offset, int64_t n, void *data),
                  void *data)
{
    int64_t at[CUC_TENSOR_MAX_RANK] = { 0 };

    for (int64_t n = 0; n < a->in.count; n++) {
        int64_t offset = 0;
        for (int32_t i = 0; i < a->in.rank; i++)
            offset += at[i] * a->tensor.strides[i];
        each(a, (size_t)(a->origin + offset * element_bytes(a->dtype)), n, data);
        for (int32_t i = a->in.rank; i-- > 0 && ++at[i] == a->in.extent[i];)
            at[i] = 0;
    }
}

static void put_element(const struct argument *a, size_t offset, int64_t n, void *data)
{
    uint64_t element = element_of(a->dtype, a->in.at[n]);

    (void)data;
    if (a->fill != 'o')
        memcpy(a->bytes + offset, &element, element_bytes(a->dtype));
}

static void lay_out(struct argument *a, char layout)
{
    int64_t step = layout == 's' ? 2 : 1, reach = 1, low = 0;
    uint32_t bytes = element_bytes(a->dtype);

    a->tensor = (cuc_tensor){ .dtype = a->dtype, .rank = a->in.rank, .device = -1 };
    for (int32_t i = 0; i < a->in.rank; i++) {
        int32_t last = a->in.rank - 1, turned = (last - 1 - i + a->in.rank) % a->in.rank;
        int32_t axis = layout == 't' ? i : layout == 'r' ? turned : last - i;
        int64_t extent = a->in.extent[axis];
        a->tensor.shape[axis] = extent;
        a->tensor.strides[axis] = layout == 'n' ? -step : step;
        reach += extent ? (extent - 1) * step : 0;
        low += layout == 'n' && extent ? (extent - 1) * step : 0;
        step *= extent ? extent : 1;
        if ((layout == 'a' || layout == 'p') && i == 0)
            while (step * bytes % 16)
                step++;
        if (layout == 'o' && i == 0)
            step += 1 + (step & 1);
    }
    a->origin = (low + (layout == 'o')) * bytes;
    a->size = (size_t)(reach + (layout == 'o')) * bytes;
    a->bytes = malloc(a->size);
    a->image = malloc(a->size);
    ck_assert(a->bytes && a->image);
    memset(a->bytes, POISON, a->size);
    visit(a, put_element, NULL);
    memcpy(a->image, a->bytes, a->size);
}

static bool is_near(const struct argument *a, double got, double want, double times)
{
    const struct kernel_case *row = now.row;
    double unit = a->dtype == CUC_F64 ? 0x1p-53 : 0x1p-24;
    double last = a->dtype == CUC_BF16   ? 0x1p-8
                  : a->dtype == CUC_F16  ? 0x1p-11
                  : a->dtype == CUC_E4M3 ? 0x1p-4
                  : a->dtype == CUC_E5M2 ? 0x1p-3
                                         : unit;
    double least = a->dtype == CUC_F16    ? 0x1p-25
                   : a->dtype == CUC_E4M3 ? 0x1p-10
                                          : 0; // half the smallest subnormal

    if (got == want || (got != got && want != want))
        return true;
    if (row->steps <= 0 || !isfinite(want))
        return false;
    if (tile_is_integer(a->dtype))
        return false;
    double size = fabs(want) > row->scale ? fabs(want) : row->scale;
    return fabs(got - want) <= times * (row->steps * unit * size + last * fabs(want) + least);
}

struct comparison {
    const unsigned char *got, *other; // `other`: the expected bytes; NULL: compare with a->want
    unsigned char *touched;
    double times;
};

static void compare_element(const struct argument *a, size_t offset, int64_t n, void *data)
{
    const struct comparison *c = data;
    uint64_t got = 0, want = 0;

    memset(c->touched + offset, 1, element_bytes(a->dtype));
    memcpy(&got, c->got + offset, element_bytes(a->dtype));
    if (c->other)
        memcpy(&want, c->other + offset, element_bytes(a->dtype));
    if (tile_is_integer(a->dtype)) { // convert to the form of scalar.h
        got = tile_element_of_int(a->dtype, (int64_t)got);
        want = tile_element_of_int(a->dtype, (int64_t)want);
    }
    double x = number_of(a->dtype, got), y = number_of(a->dtype, want);
    if (!c->other)
        y = now.row->steps > 0 ? a->want.at[n] : rounded(a->dtype, a->want.at[n]);
    if (!is_near(a, x, y, c->times))
        ck_abort_msg("%s: %s: argument %u, element %" PRId64 ": got %.17g, expected %.17g",
                     where_text(), now.who, now.argument, n, x, y);
}

static void compare(const struct argument *a, const char *who, const unsigned char *got,
                    const unsigned char *other)
{
    struct comparison c = { got, other, calloc(1, a->size + 1), other ? 2 : 1 };

    ck_assert_ptr_nonnull(c.touched);
    now.who = who;
    visit(a, compare_element, &c);
    for (size_t i = 0; i < a->size; i++)
        if (!c.touched[i] && got[i] != POISON)
            ck_abort_msg("%s: %s: argument %u: byte %zu, which is no element, was written",
                         where_text(), who, now.argument, i);
    free(c.touched);
}

// ---- Running

static void make_arguments(cuc_arg *args, const struct argument *a, cuc_tensor *tensor,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!a[i].bytes) {
            args[i] = (cuc_arg){ a[i].dtype, element_bytes(a[i].dtype), { .u64 = a[i].scalar } };
        } else {
            tensor[i] = a[i].tensor;
            args[i] = CUC_ARG(&tensor[i]);
        }
}

static void run_interpreter(cuc_program *program, struct argument *a, uint32_t count)
{
    cuc_tensor tensor[MOST];
    cuc_arg args[MOST];

    for (uint32_t i = 0; i < count; i++)
        a[i].tensor.data = (uint64_t)(uintptr_t)a[i].bytes + (uint64_t)a[i].origin;
    make_arguments(args, a, tensor, count);
    ck_ok(cuc_tile_interpret(program, now.row->kernel, args, count, NULL));
}

// Fails the test if a launch on Hopper would choose an entry without roles.
static void require_roles(const cuc_kernel *kernel, const struct argument *a, uint32_t count)
{
    struct tile_argument argument[MOST] = { 0 };
    int32_t major, minor;

    ck_ok(cuc_device_get_compute_capability(&major, &minor, device));
    if (major != 9)
        return;
    for (uint32_t i = 0; i < count; i++) {
        argument[i].dtype = a[i].dtype;
        argument[i].tensor = a[i].bytes ? &a[i].tensor : NULL;
    }
    const struct tile_entry *entry =
        tile_select_entry(cuc__tile_code_on(kernel->tile, device)->signature, argument);
    ck_assert_msg(entry->variant == TILE_TMA, "%s: a launch takes the entry %s", where_text(),
                  tile_variant_name(entry->variant));
}

static void run_driver(cuc_kernel *kernel, struct argument *a, uint32_t count)
{
    cuc_buffer *buffer[MOST] = { 0 };
    cuc_tensor tensor[MOST];
    cuc_arg args[MOST];

    for (uint32_t i = 0; i < count; i++) {
        if (!a[i].bytes)
            continue;
        ck_ok(cuc_buffer_create(&buffer[i], stream, NULL, a[i].size));
        if (a[i].size)
            ck_ok(cuc_buffer_write_async(stream, buffer[i], 0, a[i].image, a[i].size));
        a[i].tensor.data = cuc_buffer_ptr(buffer[i]) + (uint64_t)a[i].origin;
        a[i].tensor.device = cuc_device_ordinal(device);
    }
    make_arguments(args, a, tensor, count);
    if (now.layout == 'p')
        require_roles(kernel, a, count);
    ck_ok(cuc_launch(stream, NULL, kernel, args, count));
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].size)
            ck_ok(cuc_buffer_read_async(stream, a[i].image, buffer[i], 0, a[i].size));
        cuc_buffer_release(buffer[i]);
    }
    ck_ok(cuc_stream_synchronize(stream));
}

static void run_layout(cuc_program *program, cuc_kernel *kernel, const struct tile_kernel *header,
                       struct argument *a, char layout, bool interprets)
{
    uint32_t count = header->parameter_count;

    now.layout = layout;
    for (uint32_t i = 0; i < count; i++)
        if (header->parameter[i].value->type.tensor)
            lay_out(&a[i], layout);
    if (interprets)
        run_interpreter(program, a, count);
    run_driver(kernel, a, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!a[i].bytes)
            continue;
        now.argument = i;
        compare(&a[i], "the driver against the reference", a[i].image, NULL);
        if (interprets) {
            compare(&a[i], "the interpreter against the reference", a[i].bytes, NULL);
            compare(&a[i], "the driver against the interpreter", a[i].image, a[i].bytes);
        }
        free(a[i].bytes);
        free(a[i].image);
        a[i].bytes = a[i].image = NULL;
    }
    now.layout = 0;
}

static void run_case(cuc_program *program, cuc_kernel *kernel, const struct tile_kernel *header)
{
    const struct kernel_case *row = now.row;
    struct argument a[MOST] = { 0 };
    struct numbers in[MOST], want[MOST];
    struct tile_argument scalar[MOST] = { 0 };
    int64_t dimension[MOST] = { 0 };
    struct tile_binding_set set = { header, scalar, dimension };
    uint32_t count = header->parameter_count;

    state = UINT64_C(88172645463325252);
    for (uint32_t i = 0; i < header->dimension_count; i++)
        dimension[i] = (int64_t)size_of(now.sizes, header->dimension[i].name);
    for (uint32_t i = 0; i < count; i++) {
        const struct tile_type *type = &header->parameter[i].value->type;
        if (type->tensor)
            continue;
        a[i].scalar = element_of(type->dtype, size_of(now.sizes, header->parameter[i].name));
        scalar[i] = (struct tile_argument){ .dtype = type->dtype, .scalar = a[i].scalar };
    }
    for (uint32_t i = 0; i < count; i++) {
        make_numbers(&a[i], &header->parameter[i], row->fill[i], &set);
        if (!header->parameter[i].value->type.tensor)
            a[i].in.at[0] = number_of(a[i].dtype, a[i].scalar);
        in[i] = a[i].in;
        want[i] = a[i].want;
    }
    if (row->prepare)
        row->prepare(in);
    for (uint32_t i = 0; i < count; i++)
        for (int64_t n = 0; n < in[i].count; n++)
            want[i].at[n] = in[i].at[n] = rounded(a[i].dtype, in[i].at[n]);
    row->expect(want);
    const char *first = row->layouts ? row->layouts : "daostrn";
    for (const char *layout = first; *layout; layout++)
        if (!kernel_few || !strchr("trn", *layout) || strlen(first) < 7)
            run_layout(program, kernel, header, a, *layout, !kernel_few || layout == first);
    for (uint32_t i = 0; i < count; i++) {
        free(a[i].in.at);
        free(a[i].want.at);
    }
}

void kernel_check(const struct kernel_case *row)
{
    struct source s;

    now.row = row;
    for (int n = 0; open_source(&s, row, n); n++) {
        cuc_program *program = make_program(&s, NULL, NULL, 0);
        cuc_object *object;
        cuc_kernel *kernel;
        // Use the driver's assembler or nvJitLink, as construct.c does.
        ck_ok(cuc_program_compile(&object, program,
                                  getenv("TILE_LINKED") ? CUC_CODE_CUBIN : CUC_CODE_PTX));
        ck_ok(cuc_object_get_kernel(&kernel, object, row->kernel));
        for (now.sizes = row->sizes; now.sizes; now.sizes = strchr(now.sizes, ';')) {
            now.sizes += *now.sizes == ';';
            run_case(program, kernel, s.kernel);
        }
        cuc_kernel_release(kernel);
        cuc_object_release(object);
        cuc_program_release(program);
        tile_module_free(s.module);
    }
}

// ---- Assembling

// Returns how many bytes an entry spills, from the assembler's log.
static long spills_of(const char *log, const char *entry)
{
    char mark[96];

    snprintf(mark, sizeof(mark), "entry function '%s'", entry);
    const char *at = strstr(log, mark), *stores = at ? strstr(at, " bytes spill stores") : NULL;
    ck_assert_msg(stores != NULL, "%s: the log lacks %s\n%.1000s", where_text(), entry, log);
    while (stores[-1] >= '0' && stores[-1] <= '9')
        stores--;
    return strtol(stores, NULL, 10);
}

// Names the kernel's entry for tensors without gaps: the one with roles, if there is one.
static void name_entry(char *name, size_t bytes, const char *ptx)
{
    static const char *const variants[] = { "tma", "idx32_aligned" };
    char mark[96];

    for (size_t i = 0; i < CUC_LENGTH(variants); i++) {
        snprintf(name, bytes, "%s$%s", now.row->kernel, variants[i]);
        snprintf(mark, sizeof(mark), ".entry %s(", name);
        if (strstr(ptx, mark))
            return;
    }
    ck_abort_msg("%s: there is no entry for tensors without gaps", where_text());
}

static char chosen[64]; // the entry to assemble

static bool is_entry_chosen(const char *name)
{
    size_t length = strlen(chosen);

    return strncmp(name, chosen, length) == 0 && name[length] == '(';
}

// Selects the first entry of each kernel.
static bool is_first_entry(const char *name)
{
    size_t length = strcspn(name, "$");

    if (strncmp(name, chosen, length) == 0 && !chosen[length])
        return false;
    snprintf(chosen, sizeof(chosen), "%.*s", (int)length, name);
    return true;
}

static bool assemble(const struct kernel_case *row, const char *arch, long *spills, bool first)
{
    static const char *const verbose[] = { "-v" };
    struct source s;

    now.row = row;
    for (int n = 0; open_source(&s, row, n); n++) {
        cuc_program *program = make_program(&s, arch, NULL, 0), *linked;
        cuc_object *ptx, *object;
        const char *text;
        char *one = NULL;
        ck_ok(cuc_program_compile(&ptx, program, CUC_CODE_PTX));
        ck_ok(cuc_object_get_ptx(&text, NULL, ptx));
        if (spills) {
            name_entry(chosen, sizeof(chosen), text);
            text = one = assembler_select(text, is_entry_chosen);
        } else if (first) {
            chosen[0] = '\0';
            text = one = assembler_select(text, is_first_entry);
        }
        ck_ok(cuc_program_create(&linked, CUC_SOURCE_PTX, text, strlen(text),
                                 CUC_PROGRAM_OPTIONS(.name = row->file, .arch = arch,
                                                     .lineinfo = CUC_ON, .ptxas_options = verbose,
                                                     .ptxas_option_count = CUC_LENGTH(verbose))));
        cuc_status st = cuc_program_compile(&object, linked, CUC_CODE_CUBIN);
        if (st == CUC_ERROR_NOT_FOUND) // nvJitLink is missing
            return false;
        ck_ok(st);
        const char *log = cuc_program_log(linked), *remark = strstr(log, "(C75");
        // Linked code moves no registers between roles (C7504), so its products may wait for each
        // other (C7512); kernel_assemble_whole() checks the driver's code for these. All other
        // remarks mean slow code.
        while (remark && (!strncmp(remark, "(C7504)", 7) || !strncmp(remark, "(C7512)", 7)))
            remark = strstr(remark + 1, "(C75");
        ck_assert_msg(!remark, "%s: %.300s", where_text(), remark);
        if (spills) {
            long bytes = spills_of(log, chosen);
            *spills = n && *spills > bytes ? *spills : bytes;
        }
        cuc_object_release(object);
        cuc_program_release(linked);
        cuc_object_release(ptx);
        cuc_program_release(program);
        tile_module_free(s.module);
        free(one);
    }
    return true;
}

bool kernel_assemble(const struct kernel_case *row, const char *arch, long *spills)
{
    return assemble(row, arch, spills, false);
}

bool kernel_assemble_first(const struct kernel_case *row, const char *arch)
{
    return assemble(row, arch, NULL, true);
}

bool kernel_assemble_whole(const struct kernel_case *row, const char *arch, long *spills)
{
    const char *why = NULL;
    char entry[64];
    struct source s;
    cuc_object *object;

    now.row = row;
    snprintf(entry, sizeof(entry), "%s$tma", row->kernel);
    *spills = 0;
    if (!assembler_exists())
        return false;
    for (int n = 0; open_source(&s, row, n); n++) {
        cuc_program *program = make_program(&s, arch, NULL, 0);
        ck_ok(cuc_program_compile(&object, program, CUC_CODE_PTX));
        const char *log = assembler_run(object, arch, entry, &why);
        ck_assert_msg(log != NULL, "%s: %s", where_text(), why);
        const char *remark = strstr(log, "(C75");
        ck_assert_msg(!remark, "%s: %.300s", where_text(), remark);
        long bytes = spills_of(log, entry);
        *spills = bytes > *spills ? bytes : *spills;
        cuc_object_release(object);
        cuc_program_release(program);
        tile_module_free(s.module);
    }
    return true;
}
