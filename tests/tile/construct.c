// Runs each construct on the interpreter and on the driver. See construct.h.
#include "base/array.h"
#include "construct_data.h"

#include "tile/ir/target.h"
#include "tile/signature/signature.h"
#include "tile/compile/compile.h"
#include "tile/ir/diagnostic.h"
#include "tile/emit/emit.h"
#include "tile/front/elaborate.h"
#include "tile/interpret/interpret.h"
#include "tile/ir/scalar.h"
#include "code/kernel_tile.h"
#include "device/stream.h"

#include <check.h>
#include <cucore/cucore.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 24, MOST_SETTINGS = 8 };

static const char *const mode_names[] = { "rows of 16 bytes", "dense",
                                          "transposed",       "reversed",
                                          "stride 0",         "dense, from any element on" };

static cuc_device *device;
cuc_stream *construct_stream;
cuc_memory_resource *construct_memory;

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
    construct_now.row = &(const struct construct){ .name = "start" };
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&construct_stream, device, NULL));
    ck_ok(cuc_memory_synchronous_create(&construct_memory, device, CUC_MEMORY_MANAGED));
}

void construct_stop(void)
{
    cuc_memory_resource_release(construct_memory);
    cuc_stream_release(construct_stream);
}

// Compiling

struct settings {
    char text[MOST_SETTINGS][32];
    const char *list[MOST_SETTINGS];
    size_t count;
};

// Makes "T=f16" and the constants of the first case.
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
    ck_assert_msg(!m->diagnostics->errors, "%s\n%s", construct_where(),
                  tile_diagnostics_text(m, false));
    return m;
}

static int device_sm(void)
{
    int32_t major, minor;

    ck_ok(cuc_device_get_compute_capability(&major, &minor, device));
    return 10 * major + minor;
}

bool construct_is_hopper(void)
{
    return device_sm() == 90;
}

// Reads the signature from the array in the PTX that holds it.
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

struct tile_signature *construct_signature(const char *path, int sm)
{
    FILE *file = fopen(path, "r");
    char why[256], *source = NULL;
    size_t capacity = 0;
    struct tile_target target;
    struct tile_compiled out;

    ck_assert_msg(file != NULL, "%s", path);
    ck_assert(getdelim(&source, &capacity, '\0', file) > 0);
    fclose(file);
    construct_now.row = &(const struct construct){ .name = path };
    struct tile_module *m = parse(source, &(struct settings){ .count = 0 });
    ck_assert_msg(tile_target_of(&target, sm, true, why, sizeof(why)), "%s", why);
    ck_assert(tile_compile(m, &target, &out));
    struct tile_signature *s = signature_of(out.ptx);
    tile_module_free(m);
    free(source);
    return s;
}

struct code {
    cuc_object *object;
    struct tile_signature *signature;
    cuc_kernel *kernel[TILE_VARIANTS];
};

// A GPU's driver takes a minute to assemble this much PTX: the tiles are large for few threads.
enum { LONGEST_ON_A_GPU = 1000000 };

// Loads with the driver's assembler, or with nvJitLink's if TILE_LINKED is set. On a GPU the
// results of both must agree.
static cuc_status load(cuc_object **object, const struct tile_compiled *code)
{
    cuc_program *program;
    cuc_status st;

    if (!getenv("TILE_LINKED"))
        return cuc_object_create(object, CUC_CODE_PTX, code->ptx, code->ptx_bytes, NULL);
    if ((st = cuc_program_create(&program, CUC_SOURCE_PTX, code->ptx, code->ptx_bytes, NULL)) < 0)
        return st;
    st = cuc_program_compile(object, program, CUC_CODE_CUBIN);
    cuc_program_release(program);
    return st;
}

// Returns the default options: pipelines use features of a single architecture, such as sm_90a;
// other constructs do without them.
static struct construct_options default_options(const struct construct *row)
{
    const char *split = strstr(row->name, "split by ");

    return (struct construct_options){
        .cluster = strstr(row->name, "cluster") ? 2 : 0,
        .split = split ? (uint32_t)atoi(split + strlen("split by ")) : 0,
        .multiprocessors = 3, // so few that one block runs several tiles
        .contract = true,
        .specific = strstr(row->name, "pipeline") != NULL,
    };
}

// Indices, strides and sizes of elements are 64-bit integers. ptxas crashes on some code that
// multiplies them by 1 (emit/distance.c).
static void expect_no_product_with_one(const char *ptx)
{
    for (const char *at = ptx; (at = strstr(at, ".lo.s64 ")); at++) {
        int length = (int)strcspn(at, "\n");
        const char *one = strstr(at, ", 1");
        ck_assert_msg(!one || one > at + length || (one[3] != ';' && one[3] != ','), "%s: %.*s",
                      construct_where(), length, at);
    }
}

// Returns false if the code is omitted because it is too long for the driver.
static bool make_code(struct code *c, const struct construct *row, const struct settings *s,
                      const struct construct_options *options)
{
    struct tile_module *m = parse(row->source, s);
    struct tile_target target;
    struct tile_compiled out;
    char why[256];

    ck_assert_msg(tile_target_of(&target, device_sm(), options->specific && device_sm() >= 90, why,
                                 sizeof(why)),
                  "%s", why);
    target.warps = options->warps;
    target.stages = options->stages;
    target.split = options->split;
    target.cluster = options->cluster;
    target.lineinfo = true;
    target.contract = options->contract;
    bool compiles = tile_compile(m, &target, &out);
    if (!compiles && options->warps && strstr(tile_diagnostics_text(m, false), "T604")) {
        tile_module_free(m); // too few warps for a sort or scan; a user would get a message
        return false;
    }
    ck_assert_msg(compiles, "%s\n%s", construct_where(), tile_diagnostics_text(m, false));
    if (getenv("CONSTRUCT_PTX"))
        fputs(out.ptx, stdout);
    expect_no_product_with_one(out.ptx);
    if (out.ptx_bytes > LONGEST_ON_A_GPU && !cuc_driver_is_simulated()) {
        fprintf(stderr, "left out: %s is %zu bytes of PTX\n", construct_where(), out.ptx_bytes);
        tile_module_free(m);
        return false;
    }
    cuc_status st = load(&c->object, &out);
    ck_assert_msg(st == CUC_OK, "%s: %s\n%.2000s", construct_where(), cuc_error_message(),
                  cuc_error_log());
    c->signature = signature_of(out.ptx);
    for (uint32_t i = 0; i < c->signature->entries; i++) {
        st = cuc_object_get_kernel(&c->kernel[i], c->object, c->signature->entry[i].name);
        ck_assert_msg(st == CUC_OK, "%s: %s\n%.2000s", construct_where(), cuc_error_message(),
                      cuc_error_log());
    }
    tile_module_free(m);
    return true;
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

// Reads "N=37" from one case.
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

// Returns the number of blocks that share a block of the source. If a launch may choose the number,
// successive calls return 8, 4, 2 and 1 in turn.
static uint32_t parts_of(const struct tile_entry *how)
{
    static uint32_t turn;

    if (how->persistent || how->split < 2)
        return 1;
    return how->flexible ? UINT32_C(8) >> turn++ % 4 : how->split;
}

static void bind_tensors(struct tile_argument *argument, const struct tile_kernel *k,
                         const struct values *v, struct tensor *tensor)
{
    memcpy(argument, v->argument, sizeof(v->argument));
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameter[i].value->type.tensor)
            argument[i].tensor = &tensor[i].dev;
}

// Returns true if the entry itself ran, and not the one that takes all arguments.
static bool run_entry(struct code *c, uint32_t entry, const struct tile_kernel *k,
                      const struct values *v, struct tensor *tensor, uint32_t multiprocessors,
                      char *failure)
{
    const struct tile_entry *how = &c->signature->entry[entry];
    struct tile_argument argument[MOST];
    unsigned char block[2048];
    int64_t grid[3] = { v->grid[0], v->grid[1], v->grid[2] };
    char why[256];

    bind_tensors(argument, k, v, tensor);
    struct tile_binding_set set = { k, argument, (int64_t *)(uintptr_t)v->dimension };
    if (k->grid_rank)
        ck_assert_msg(tile_host_grid(&set, grid, why, sizeof(why)), "%s: %s", construct_where(),
                      why);
    if (!grid[0] || !grid[1] || !grid[2])
        return true;
    uint32_t bytes = tile_block_bytes(how, c->signature->parameter_bytes);
    ck_assert_uint_le(bytes, sizeof(block));
    if (!cuc__tile_fill_block(c->signature, how, argument, grid, multiprocessors,
                              construct_stream->context, block)) {
        ck_assert_msg(how->map_count > 0, "%s: no block", construct_where());
        run_entry(c, c->signature->entries - 1, k, v, tensor, multiprocessors,
                  failure); // as in a launch
        return false;
    }
    cuc_launch_config config = CUC_LAUNCH_CONFIG_INIT;
    for (uint32_t i = 0; i < 3; i++)
        config.grid[i] = (uint32_t)grid[i];
    config.block[0] = 32 * how->warps;
    config.shared_bytes = how->dynamic_shared;
    uint32_t parts = parts_of(how);
    if (parts > 8)
        ck_ok(cuc_kernel_set_attribute(c->kernel[entry], device,
                                       CUC_KERNEL_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    if (parts > 1) {
        config.cluster[0] = parts;
        config.grid[0] *= parts;
    }
    cuc_arg arg = { .type = CUC_ARG_BYTES, .bytes = bytes };
    arg.value.pointer = block;
    if (!arg.bytes)
        arg.bytes = 8;
    ck_ok(cuc_launch(construct_stream, &config, c->kernel[entry], &arg, 1));
    cuc_status st = cuc_stream_synchronize(construct_stream);
    if (failure) { // an error is expected
        ck_assert_msg(st < 0, "%s: the kernel ended well", construct_where());
        snprintf(failure, FAILURE_ROOM, "%s", cuc_error_message());
        return true;
    }
    if (st < 0)
        ck_abort_msg("%s: the kernel failed: %s\n%s", construct_where(), cuc_error_message(),
                     construct_now.row->source);
    return true;
}

// ---- Collecting printed text: the interpreter prints through a callback, the driver to stdout

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
        ck_abort_msg("%s: the driver printed \"%s\", the interpreter \"%s\"", construct_where(),
                     text, printed);
    free(text);
}

// ---- Interpreting: entries and numbers of warps make no difference, so each result is kept

struct interpreted {
    struct interpreted *next;
    const struct tile_kernel *kernel;
    struct values v;
    uint32_t count; // of tensors
    struct {
        cuc_tensor tensor;
        size_t size, before;
        unsigned char *from, *to; // the bytes before and after
    } of[MOST];
    char *printed;
};

static struct interpreted *interpreted;

static void forget_interpreted(void)
{
    for (struct interpreted *i; (i = interpreted) != NULL;) {
        interpreted = i->next;
        for (uint32_t t = 0; t < i->count; t++) {
            free(i->of[t].from);
            free(i->of[t].to);
        }
        free(i->printed);
        free(i);
    }
}

static bool is_known(const struct interpreted *i, const struct tile_kernel *k,
                     const struct values *v, const struct tensor *tensor)
{
    uint32_t t = 0;

    if (i->kernel != k || memcmp(&i->v, v, sizeof(*v)) != 0)
        return false;
    for (uint32_t p = 0; p < k->parameter_count; p++) {
        const cuc_tensor *host = &tensor[p].host, *as = &i->of[t].tensor;
        size_t axes = (size_t)host->rank * sizeof(*host->shape);
        if (!k->parameter[p].value->type.tensor)
            continue;
        if (i->of[t].size != tensor[p].size || i->of[t].before != tensor[p].before ||
            memcmp(as->shape, host->shape, axes) != 0 ||
            memcmp(as->strides, host->strides, axes) != 0 ||
            memcmp(i->of[t].from, tensor[p].bytes, tensor[p].size) != 0)
            return false;
        t++;
    }
    return true;
}

static unsigned char *copy_of(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size + 1);

    ck_assert(copy != NULL);
    return memcpy(copy, bytes, size);
}

// Interprets the kernel. Changes the tensors' bytes and sets `printed`.
static void interpret(const struct tile_kernel *k, const struct values *v, struct tensor *tensor,
                      bool prints)
{
    struct interpreted *i = interpreted;
    char why[512] = "";
    uint32_t t = 0;

    while (i && !is_known(i, k, v, tensor))
        i = i->next;
    if (i) {
        for (uint32_t p = 0; p < k->parameter_count; p++)
            if (k->parameter[p].value->type.tensor)
                memcpy(tensor[p].bytes, i->of[t++].to, tensor[p].size);
        printed = i->printed;
        return;
    }
    i = calloc(1, sizeof(*i));
    ck_assert(i != NULL);
    i->kernel = k;
    i->v = *v;
    struct values bound = *v;
    for (uint32_t p = 0; p < k->parameter_count; p++)
        if (k->parameter[p].value->type.tensor) {
            bound.argument[p].tensor = &tensor[p].host;
            i->of[i->count].tensor = tensor[p].host;
            i->of[i->count].size = tensor[p].size;
            i->of[i->count].before = tensor[p].before;
            i->of[i->count++].from = copy_of(tensor[p].bytes, tensor[p].size);
        }
    if (prints) {
        printing = open_memstream(&i->printed, &printed_bytes);
        ck_assert(printing != NULL);
    }
    struct tile_interpretation run = { .kernel = k,
                                       .argument = bound.argument,
                                       .arguments = k->parameter_count,
                                       .print = prints ? keep_text : NULL };
    memcpy(run.grid, v->grid, sizeof(run.grid));
    ck_assert_msg(tile_interpret(&run, why, sizeof(why)), "%s: interpreted: %s", construct_where(),
                  why);
    for (uint32_t p = 0; p < k->parameter_count; p++)
        if (k->parameter[p].value->type.tensor)
            i->of[t++].to = copy_of(tensor[p].bytes, tensor[p].size);
    if (prints)
        fclose(printing);
    printed = i->printed;
    i->next = interpreted;
    interpreted = i;
}

// A misaligned tensor, and the entry that a launch must choose for it.
struct alignment {
    int parameter; // the tensor that gets the mode; negative: none
    enum mode mode;
    const char *entry;
};

// Checks which entry a launch chooses, if `how` is not NULL. Returns false if `entry` must not run
// with these tensors.
static bool takes(struct code *c, uint32_t entry, const struct tile_kernel *k,
                  const struct values *v, struct tensor *tensor, const struct alignment *how)
{
    struct tile_argument argument[MOST];

    bind_tensors(argument, k, v, tensor);
    const char *chosen = tile_variant_name(tile_select_entry(c->signature, argument)->variant);
    ck_assert_msg(!how || strcmp(chosen, how->entry) == 0, "%s: the launch takes %s, expected %s",
                  construct_where(), chosen, how->entry);
    return tile_entry_takes(c->signature, entry, argument);
}

static bool has_roles(enum tile_variant variant)
{
    return variant == TILE_TMA || variant == TILE_REALIGNED;
}

// Returns true if an entry with roles exists and ran.
static bool check_case(struct code *c, const struct tile_kernel *k, const struct construct *row,
                       const char *sizes, enum mode mode, const struct alignment *how,
                       const struct construct_options *options)
{
    static const char *const off[] = { "base", "rows", "rows by 4", "rows by 8" };
    char one[128], place[64];
    bool with_roles = false, ran = false;

    for (uint32_t entry = 0; entry < c->signature->entries; entry++)
        with_roles |= has_roles(c->signature->entry[entry].variant);

    snprintf(one, sizeof(one), "%.*s", (int)strcspn(sizes, ";"), sizes);
    construct_now.sizes = one;
    construct_now.mode = mode_names[mode];
    if (how && how->parameter >= 0) {
        snprintf(place, sizeof(place), "%s off in its %s", k->parameter[how->parameter].name,
                 off[how->mode - OFF_BASE]);
        construct_now.mode = place;
    }
    for (uint32_t entry = 0; entry < c->signature->entries; entry++) {
        struct tensor tensor[MOST];
        struct values v;
        enum tile_variant variant = c->signature->entry[entry].variant;
        if (mode != PADDED && variant != TILE_REALIGNED &&
            (variant != TILE_INDEX_64 || mode == UNALIGNED))
            continue;
        if (options->roles_only && with_roles && !has_roles(variant))
            continue;
        construct_now.entry = tile_variant_name(c->signature->entry[entry].variant);
        construct_now.warps = c->signature->entry[entry].warps;
        construct_seed(row->name);
        read_values(&v, k, one);
        for (uint32_t i = 0; i < k->parameter_count; i++)
            if (k->parameter[i].value->type.tensor)
                construct_make(&tensor[i], &k->parameter[i], v.dimension,
                               how && (int)i == how->parameter ? how->mode : mode);
        if ((how || has_roles(variant)) && !takes(c, entry, k, &v, tensor, how)) {
            for (uint32_t i = 0; i < k->parameter_count; i++)
                if (k->parameter[i].value->type.tensor)
                    construct_drop(&tensor[i]);
            continue;
        }
        bool prints = strstr(row->source, "print(") != NULL;
        FILE *driver_text = prints ? tmpfile() : NULL;
        ck_assert(!prints || driver_text);
        int kept = prints ? capture_stdout(driver_text) : -1;
        bool itself = run_entry(c, entry, k, &v, tensor, options->multiprocessors, NULL);
        ran |= itself && has_roles(variant);
        if (prints) {
            fflush(stdout);
            fseek(driver_text, 0, SEEK_END);
            dup2(kept, STDOUT_FILENO);
            close(kept);
        }
        interpret(k, &v, tensor, prints);
        for (uint32_t i = 0; i < k->parameter_count; i++)
            if (k->parameter[i].value->type.tensor) {
                construct_compare(&tensor[i]);
                construct_drop(&tensor[i]);
            }
        if (prints) {
            compare_text(driver_text);
            fclose(driver_text);
        }
    }
    return ran;
}

void construct_check(const struct construct *row, const char *dtype, int most, int turn)
{
    static const uint32_t warps[] = { 0, 1, 4, 8 };
    struct construct_options options = default_options(row);
    struct settings settings;

    construct_now.row = row;
    construct_now.dtype = dtype;
    read_settings(&settings, row, dtype);
    struct tile_module *m = parse(row->like ? row->like : row->source, &settings);
    for (uint32_t w = 0; w < CUC_LENGTH(warps); w++) {
        struct code code = { 0 };
        if ((most == 2 && w && w != 1 + (uint32_t)turn % 3) ||
            (most == 1 && w != (uint32_t)turn % 4))
            continue;
        construct_now.warps = options.warps = warps[w];
        if (!make_code(&code, row, &settings, &options))
            continue;
        for (const char *at = row->sizes ? row->sizes : ""; at;) {
            for (int mode = 0; mode < MODES; mode++)
                check_case(&code, m->first, row, at, (enum mode)mode, NULL, &options);
            if ((at = strchr(at, ';')))
                at++;
        }
        drop_code(&code);
    }
    forget_interpreted();
    tile_module_free(m);
}

uint32_t construct_check_with(const struct construct *row, const char *dtype,
                              const struct construct_options *options)
{
    struct settings settings;
    struct code code = { 0 };
    uint32_t ran = 0;

    construct_now.row = row;
    construct_now.dtype = dtype;
    construct_now.sizes = NULL;
    construct_now.warps = options->warps;
    construct_now.near = options->near;
    read_settings(&settings, row, dtype);
    struct tile_module *m = parse(row->source, &settings);
    if (!make_code(&code, row, &settings, options)) {
        tile_module_free(m);
        return 0;
    }
    for (const char *at = row->sizes; at;) {
        ran += check_case(&code, m->first, row, at, (enum mode)options->mode, NULL, options);
        if ((at = strchr(at, ';')))
            at++;
    }
    drop_code(&code);
    forget_interpreted();
    tile_module_free(m);
    return ran;
}

void construct_check_as(const struct construct *row, uint32_t warps, int mode, const char *near)
{
    struct construct_options options = default_options(row);

    options.warps = warps;
    options.mode = mode;
    options.near = near;
    options.contract = false;
    construct_check_with(row, NULL, &options);
}

// Returns the name of the entry for tensors of any alignment whose last strides are 1.
static const char *entry_of_any_rows(const struct code *code)
{
    const struct tile_signature *s = code->signature;
    enum tile_variant other = s->entries > 1 ? s->entry[s->entries - 2].variant : TILE_INDEX_64;

    return tile_variant_name(other == TILE_INDEX_32 ? other : TILE_INDEX_64);
}

void construct_check_alignment(const struct construct_alignment *a)
{
    const struct construct *row = &a->construct;
    struct settings settings;
    struct code code = { 0 };

    construct_now.row = row;
    construct_now.dtype = NULL;
    read_settings(&settings, row, NULL);
    struct tile_module *m = parse(row->source, &settings);
    struct construct_options options = default_options(row);
    options.warps = a->warps;
    options.split = a->split;
    ck_assert(make_code(&code, row, &settings, &options));
    ck_assert_uint_eq(strlen(a->needs), m->first->parameter_count);
    for (const char *at = row->sizes; at;) {
        struct alignment how = { -1, PADDED, a->entry };
        check_case(&code, m->first, row, at, PADDED, &how, &options);
        for (uint32_t i = 0; i < m->first->parameter_count; i++)
            for (int mode = OFF_BASE; mode < OFF_END; mode++) {
                const struct tile_type *type = &m->first->parameter[i].value->type;
                how = (struct alignment){ (int)i, (enum mode)mode,
                                          a->needs[i] == 'a'   ? entry_of_any_rows(&code)
                                          : a->needs[i] == 'r' ? "realigned"
                                                               : a->entry };
                if (type->tensor && (mode == OFF_BASE || type->rank > 1))
                    check_case(&code, m->first, row, at, PADDED, &how, &options);
            }
        if ((at = strchr(at, ';')))
            at++;
    }
    drop_code(&code);
    forget_interpreted();
    tile_module_free(m);
}

void construct_fails(const struct construct *row, char *driver, char *interpreter)
{
    struct settings settings;
    struct tensor tensor[MOST];
    struct code code = { 0 };
    struct values v;

    construct_now.row = row;
    construct_now.dtype = NULL;
    read_settings(&settings, row, NULL);
    struct tile_module *m = parse(row->source, &settings);
    const struct tile_kernel *k = m->first;
    struct construct_options options = default_options(row);
    options.warps = 4;
    ck_assert(make_code(&code, row, &settings, &options));
    read_values(&v, k, row->sizes ? row->sizes : "");
    construct_seed(row->name);
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameter[i].value->type.tensor)
            construct_make(&tensor[i], &k->parameter[i], v.dimension, DENSE);
    run_entry(&code, code.signature->entries - 1, k, &v, tensor, options.multiprocessors, driver);
    struct tile_interpretation run = { .kernel = k,
                                       .argument = v.argument,
                                       .arguments = k->parameter_count };
    memcpy(run.grid, v.grid, sizeof(run.grid));
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameter[i].value->type.tensor)
            v.argument[i].tensor = &tensor[i].host;
    ck_assert_msg(!tile_interpret(&run, interpreter, FAILURE_ROOM), "%s: interpreted it ends well",
                  construct_where());
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameter[i].value->type.tensor)
            construct_drop(&tensor[i]);
    drop_code(&code);
    tile_module_free(m);
}

void construct_refused(const char *source, char *text)
{
    struct settings none = { .count = 0 };
    struct tile_target target;
    struct tile_compiled out;

    construct_now.row = &(const struct construct){ .name = source };
    struct tile_module *m = parse(source, &none);
    ck_assert(tile_target_of(&target, 90, false, text, FAILURE_ROOM));
    target.warps = 4;
    ck_assert_msg(!tile_compile(m, &target, &out), "it compiles: %s", source);
    snprintf(text, FAILURE_ROOM, "%s", tile_diagnostics_text(m, false));
    tile_module_free(m);
}

// ---- Assembling: all kernels are named k, so each is renamed after the number of its row

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

    construct_now.row = row;
    construct_now.dtype = dtype;
    file = open_memstream(&all, &bytes);
    ck_assert(file != NULL);
    for (int i = 0; i < rows; i++) {
        if (!has_dtype(&row[i], dtype))
            continue;
        struct settings settings;
        struct tile_target target;
        struct tile_compiled out;
        construct_now.row = &row[i];
        read_settings(&settings, &row[i], dtype);
        struct tile_module *m = parse(row[i].source, &settings);
        char name[16];
        snprintf(name, sizeof(name), "k%d", i);
        m->first->name = name;
        ck_assert_msg(tile_target_of(&target, sm, specific, why, sizeof(why)), "%s", why);
        target.lineinfo = false;
        ck_assert_msg(tile_compile(m, &target, &out), "%s\n%s", construct_where(),
                      tile_diagnostics_text(m, false));
        // Keep the module's head and the device runtime's functions only once.
        const char *at = out.ptx;
        if (ftell(file) > 0)
            at = strstr(at, "dynamic_scratch[];") ? strstr(at, "dynamic_scratch[];") + 18 : at;
        fprintf(file, "%s\n", at);
        tile_module_free(m);
    }
    fclose(file);
    return all;
}
