#include "point.h"

#include "bench_case_kernels.h"
#include "reference.h"

#include <cucore/copy.h>
#include <cucore/error.h>
#include <cucore/program.h>
#include <cucore/system.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop_point(void *data)
{
    bench_point *p = data;

    free(p->expected);
    free(p);
}

cuc_status bench_point_make(bench_point **out, cuc_bench_state *state, int64_t rows,
                            int64_t columns, bench_point_check *check)
{
    return bench_point_make_of(out, state, cuc_bench_state_dtype(state, "dtype"), rows, columns,
                               check);
}

cuc_status bench_point_make_of(bench_point **out, cuc_bench_state *state, cuc_dtype dtype,
                               int64_t rows, int64_t columns, bench_point_check *check)
{
    bench_point *p;

    *out = NULL;
    if (cuc_driver_is_simulated() && rows * columns > 1 << 20)
        return cuc_bench_state_skip(state,
                                    "simulated: 2^20 elements are the most that is measured");
    if (!(p = calloc(1, sizeof(*p))))
        return bench_no_memory("a point");
    p->state = state;
    p->stream = cuc_bench_state_stream(state);
    p->check = check;
    p->rows = rows;
    p->columns = columns;
    p->dtype = dtype;
    cuc_status st = cuc_bench_state_defer(state, drop_point, p);
    if (st < 0)
        return st;
    if (!bench_reader_of(p->dtype))
        return cuc_error_status();
    // The tile compiler targets the thread's current device.
    if ((st = cuc_device_set_current(cuc_bench_state_device(state), NULL)) >= 0)
        *out = p;
    return st;
}

cuc_status bench_shape(int64_t *rows, int64_t *columns, cuc_bench_state *state)
{
    const int64_t most = 1 << 24;
    const char *text = cuc_bench_state_text(state, "shape");
    long long m, n;
    char more;

    if (sscanf(text, "%lldx%lld%c", &m, &n, &more) != 2 || m < 1 || n < 1 || m > most || n > most)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "shape is %s, expected ROWSxCOLUMNS, 1 to 2^24 each", text);
    *rows = m;
    *columns = n;
    return CUC_OK;
}

// ---- Arrays

static cuc_status too_many(void)
{
    return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "a point has too many arrays");
}

static bench_array *add_array(bench_point *p, const cuc_bench_input_options *options,
                              const int64_t *shape)
{
    bench_array *a = &p->arrays[p->array_count];
    cuc_bench_input_options o = *options;
    int32_t rank = 0;

    if (p->status < 0)
        return NULL;
    for (o.count = 1; shape[rank] != BENCH_END; rank++)
        o.count *= (uint64_t)shape[rank];
    if (p->array_count == BENCH_MOST_ARRAYS)
        p->status = too_many();
    else if ((p->status = cuc_bench_state_add_input(&a->input, p->state, &o)) >= 0)
        p->status = cuc_tensor_from_pointer(&a->tensor, cuc_bench_input_ptr(a->input, 0), o.dtype,
                                            rank, shape,
                                            cuc_device_ordinal(cuc_bench_state_device(p->state)));
    if (p->status < 0)
        return NULL;
    p->array_count++;
    return a;
}

static bench_array *add_counted(bench_point *p, const cuc_bench_input_options *options,
                                const int64_t *shape)
{
    bench_array *a = add_array(p, options, shape);

    if (a)
        p->bytes += (double)cuc_bench_input_bytes(a->input);
    return a;
}

bench_array *bench_point_read(bench_point *p, cuc_dtype dtype, const int64_t *shape)
{
    return add_counted(p, CUC_BENCH_INPUT(.dtype = dtype, .fill = CUC_BENCH_UNIFORM), shape);
}

bench_array *bench_point_written(bench_point *p, cuc_dtype dtype, const int64_t *shape)
{
    bench_array *a =
        add_counted(p, CUC_BENCH_INPUT(.dtype = dtype, .fill = CUC_BENCH_ZEROS), shape);

    if (a)
        a->written = true;
    return a;
}

bench_array *bench_point_scratch(bench_point *p, cuc_dtype dtype, const int64_t *shape)
{
    return add_array(p, CUC_BENCH_INPUT(.dtype = dtype, .fill = CUC_BENCH_ZEROS), shape);
}

bench_array *bench_point_indices(bench_point *p, int64_t count, int64_t below)
{
    return add_counted(p,
                       CUC_BENCH_INPUT(.dtype = CUC_I64, .fill = CUC_BENCH_INTEGERS, .low = 0,
                                       .high = (double)(below - 1)),
                       BENCH_SHAPE(count));
}

bench_array *bench_point_numbers(bench_point *p, const int32_t *numbers, const int64_t *shape)
{
    bench_array *a =
        add_counted(p, CUC_BENCH_INPUT(.dtype = CUC_I32, .fill = CUC_BENCH_ZEROS), shape);

    for (uint64_t set = 0; a && p->status >= 0 && set < cuc_bench_input_sets(a->input); set++)
        p->status = cuc_copy_to_device(p->stream, cuc_bench_input_ptr(a->input, set), numbers,
                                       cuc_bench_input_bytes(a->input));
    if (a && p->status >= 0)
        p->status = cuc_stream_synchronize(p->stream); // `numbers` is the caller's
    return p->status < 0 ? NULL : a;
}

bench_array *bench_point_alias(bench_point *p, const bench_array *of, cuc_dtype dtype)
{
    bench_array *a = &p->arrays[p->array_count];

    if (p->status < 0)
        return NULL;
    if (p->array_count == BENCH_MOST_ARRAYS) {
        p->status = too_many();
        return NULL;
    }
    *a = *of;
    a->written = false; // clearing the original clears this array too
    a->tensor.dtype = dtype;
    p->array_count++;
    return a;
}

// ---- Kernels as subjects

typedef struct subject {
    bench_point *point;
    cuc_kernel *kernel;
    cuc_launch_config config;
    cuc_arg arguments[BENCH_MOST_ARGUMENTS];
    size_t argument_count;
    const bench_array *zeroed[3];
} subject;

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    subject *s = data;
    bench_point *p = s->point;
    cuc_status st = CUC_OK;

    for (int i = 0; i < p->array_count; i++)
        p->arrays[i].tensor.data = cuc_bench_input_ptr(p->arrays[i].input, set);
    for (int i = 0; i < 3 && s->zeroed[i] && st >= 0; i++)
        st = cuc_fill(stream, s->zeroed[i]->tensor.data, 0, 1,
                      cuc_bench_input_bytes(s->zeroed[i]->input));
    return st < 0 ? st : cuc_launch(stream, &s->config, s->kernel, s->arguments, s->argument_count);
}

cuc_status bench_point_check_run(bench_point *p, bench_run *run_it, void *data, char *why,
                                 size_t why_size)
{
    cuc_status st = CUC_OK;

    for (int i = 0; i < p->array_count && st >= 0; i++) {
        const bench_array *a = &p->arrays[i];
        if (a->written)
            st = cuc_fill(p->stream, cuc_bench_input_ptr(a->input, 0), 0xFF, 1,
                          cuc_bench_input_bytes(a->input));
    }
    if (st < 0 || (st = run_it(data, p->stream, 0)) < 0 ||
        (st = cuc_stream_synchronize(p->stream)) < 0)
        return st;
    return p->check(p, why, why_size);
}

static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    subject *s = data;

    (void)stream;
    return bench_point_check_run(s->point, run, s, why, why_size);
}

enum { MOST_SETTINGS = 16 };

// Compile settings of a kernel.
typedef struct settings {
    char text[512]; // backs the pointers below
    const char *words[MOST_SETTINGS];
    size_t count;
    int32_t warps, split, stages;
    const char *kernel;
} settings;

// Add a setting NAME=VALUE, which replaces an earlier one with the same name.
static void set(settings *s, const char *word)
{
    size_t name = strcspn(word, "=") + 1, i = 0;

    if (strncmp(word, "warps=", name) == 0)
        s->warps = (int32_t)strtol(word + name, NULL, 10);
    else if (strncmp(word, "split=", name) == 0)
        s->split = (int32_t)strtol(word + name, NULL, 10);
    else if (strncmp(word, "stages=", name) == 0)
        s->stages = (int32_t)strtol(word + name, NULL, 10);
    else if (strncmp(word, "kernel=", name) == 0)
        s->kernel = word + name;
    else if (strcmp(word, "default") != 0) {
        while (i < s->count && strncmp(s->words[i], word, name) != 0)
            i++;
        if (i < MOST_SETTINGS)
            s->words[i] = word;
        s->count += i == s->count && i < MOST_SETTINGS;
    }
}

static void read_settings(settings *s, const bench_point *p, const bench_kernel_spec *spec)
{
    bool tile = !spec->block[0];

    *s = (settings){ .kernel = spec->kernel };
    snprintf(s->text, sizeof(s->text), "T%c%s %s %s", tile ? '=' : '_', cuc_dtype_name(p->dtype),
             spec->settings ? spec->settings : "",
             tile ? cuc_bench_state_text(p->state, "tile") : "");
    for (char *word = strtok(s->text, " +"); word; word = strtok(NULL, " +"))
        set(s, word);
}

static cuc_status compile(cuc_object **out, const bench_point *p, const bench_kernel_spec *spec,
                          const settings *s)
{
    const cuc_program_header header = { "elements.cuh", elements_cuh, 0 };
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program;

    o.name = spec->file;
    if (spec->block[0]) {
        o.arch = cuc_device_arch(cuc_bench_state_device(p->state));
        o.headers = &header;
        o.header_count = 1;
        o.define_macros = s->words;
        o.define_macro_count = s->count;
    } else {
        o.warps = s->warps;
        o.split = s->split;
        o.stages = s->stages;
        o.constants = s->words;
        o.constant_count = s->count;
    }
    bool as_ptx = spec->by_driver || cuc_driver_is_simulated();
    // Keep only this kernel, because the driver assembles a whole program at once.
    char *alone = spec->by_driver ? bench_one_kernel(spec->source, s->kernel) : NULL;
    if (spec->by_driver && !alone)
        return cuc_error_status();
    cuc_status st = cuc_program_create(&program, spec->block[0] ? CUC_SOURCE_CUDA : CUC_SOURCE_TILE,
                                       alone ? alone : spec->source, 0, &o);
    free(alone);
    if (st < 0)
        return st;
    // A simulated device runs PTX, so assembling is unnecessary.
    st = cuc_program_compile(out, program, as_ptx ? CUC_CODE_PTX : CUC_CODE_CUBIN);
    cuc_program_release(program);
    return st;
}

static cuc_status make_kernel(subject *s, const bench_kernel_spec *spec)
{
    cuc_object *object;
    settings how;

    read_settings(&how, s->point, spec);
    cuc_status st = compile(&object, s->point, spec, &how);
    if (st < 0)
        return st;
    st = cuc_object_get_kernel(&s->kernel, object, how.kernel);
    cuc_object_release(object); // the kernel keeps it
    return st < 0 ? st : cuc_bench_state_defer(s->point->state, bench_drop_kernel, s->kernel);
}

// A tile kernel starts while the preceding kernel ends, where the device can do that.
static void set_launch(subject *s, const bench_kernel_spec *spec)
{
    int32_t major = 0, minor = 0;

    s->config = (cuc_launch_config)CUC_LAUNCH_CONFIG_INIT;
    if (!spec->block[0] &&
        cuc_device_get_compute_capability(&major, &minor,
                                          cuc_bench_state_device(s->point->state)) >= 0 &&
        major >= 9)
        s->config.flags = CUC_LAUNCH_PROGRAMMATIC;
    memcpy(s->config.grid, spec->grid, sizeof(spec->grid));
    memcpy(s->config.block, spec->block, sizeof(spec->block));
    memcpy(s->zeroed, spec->zeroed, sizeof(spec->zeroed));
    while (s->argument_count < BENCH_MOST_ARGUMENTS && spec->arguments[s->argument_count].bytes) {
        cuc_arg *a = &s->arguments[s->argument_count];
        *a = spec->arguments[s->argument_count++];
        if (a->type == CUC_ARG_TENSOR)
            a->value.pointer = &((const bench_array *)a->value.pointer)->tensor;
    }
}

void bench_point_kernel(bench_point *p, const bench_kernel_spec *spec)
{
    cuc_bench_subject subject_options = CUC_BENCH_SUBJECT_INIT;
    subject *s = p->status < 0 ? NULL : bench_allocate(p->state, sizeof(*s));

    if (p->status < 0)
        return;
    if (!s) {
        p->status = cuc_error_status();
        return;
    }
    s->point = p;
    set_launch(s, spec);
    if (make_kernel(s, spec) < 0) {
        p->status = bench_failed_subject(p->state, spec->name, 0);
        return;
    }
    subject_options.name = spec->name;
    subject_options.data = s;
    subject_options.run = run;
    subject_options.check = check;
    subject_options.limit = spec->limit;
    subject_options.flags = spec->flags;
    subject_options.modes = spec->modes;
    subject_options.figures = spec->figures;
    subject_options.figure_count = spec->figure_count;
    p->status = cuc_bench_state_add_subject(p->state, &subject_options);
}

void bench_point_skip(bench_point *p, const char *name, const char *why)
{
    if (p->status >= 0)
        p->status = cuc_bench_state_skip_subject(p->state, name, why);
}

cuc_status bench_point_done(bench_point *p)
{
    cuc_bench_work work = CUC_BENCH_WORK_INIT;

    work.bytes = p->bytes;
    if (p->status >= 0)
        p->status = cuc_bench_state_set_work(p->state, &work);
    return p->status;
}

// ---- The copy

static cuc_status run_copy(void *data, cuc_stream *stream, uint64_t set)
{
    const bench_point *p = data;

    return cuc_copy(stream, cuc_bench_input_ptr(p->target, set),
                    cuc_bench_input_ptr(p->source, set), cuc_bench_input_bytes(p->source));
}

static cuc_status is_source(void *data, void *to, uint64_t offset, size_t bytes)
{
    const bench_point *p = data;
    cuc_status st =
        cuc_copy_to_host(p->stream, to, cuc_bench_input_ptr(p->source, 0) + offset, bytes);

    return st < 0 ? st : cuc_stream_synchronize(p->stream);
}

static cuc_status check_copy(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    bench_point *p = data;

    return bench_compare(stream, cuc_bench_input_ptr(p->target, 0),
                         cuc_bench_input_bytes(p->target), is_source, data, why, why_size);
}

void bench_point_copy(bench_point *p, uint32_t flags)
{
    cuc_bench_subject s = CUC_BENCH_SUBJECT_INIT;
    uint64_t half = (uint64_t)(p->bytes / 2);

    if (p->status < 0)
        return;
    if (!(p->source = bench_input(p->state, CUC_U8, half, CUC_BENCH_UNIFORM, 0)) ||
        !(p->target = bench_input(p->state, CUC_U8, half, CUC_BENCH_ZEROS, 0))) {
        p->status = cuc_error_status();
        return;
    }
    s.name = "copy";
    s.data = p;
    s.run = run_copy;
    s.check = check_copy;
    s.flags = flags;
    p->status = cuc_bench_state_add_subject(p->state, &s);
}

// ---- Checks

int64_t bench_sampled(int64_t i, int64_t rows)
{
    const int64_t most = 64;

    if (rows <= most)
        return i < rows ? i : -1;
    return i < most ? i * (rows - 1) / (most - 1) : -1;
}

bool bench_get(bench_point *p, double *out, const bench_array *a, int64_t first, int64_t run_length,
               int64_t count, int64_t pitch)
{
    cuc_copy_2d_params c = CUC_COPY_2D_PARAMS_INIT;
    size_t size = cuc_dtype_bits(a->tensor.dtype) / 8;
    size_t elements = (size_t)(run_length * count);
    char *bytes = malloc(elements * size);
    cuc_status st = bytes ? CUC_OK : bench_no_memory("what is checked");

    c.dst = cuc_host_address(bytes);
    c.src = cuc_bench_input_ptr(a->input, 0) + (uint64_t)first * size;
    c.row_bytes = (size_t)run_length * size;
    c.rows = (size_t)count;
    c.src_pitch = (size_t)pitch * size;
    if (st >= 0)
        st = count == 1 ? cuc_copy_to_host(p->stream, bytes, c.src, c.row_bytes)
                        : cuc_copy_2d(p->stream, &c);
    if (st >= 0 && (st = cuc_stream_synchronize(p->stream)) >= 0) {
        if (a->tensor.dtype == CUC_I64)
            for (size_t i = 0; i < elements; i++)
                out[i] = (double)((const int64_t *)(const void *)bytes)[i];
        else
            bench_reader_of(a->tensor.dtype)(out, bytes, elements, 1);
    }
    free(bytes);
    p->status = st < 0 ? st : p->status;
    return st >= 0;
}

cuc_status bench_near(const double *got, const double *expected, int64_t count, double relative,
                      double absolute, const char *what, int64_t first, char *why, size_t why_size)
{
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(got[i] - expected[i]) <= relative * fabs(expected[i]) + absolute)) {
            snprintf(why, why_size, "%s %lld is %g, expected %g", what, (long long)(first + i),
                     got[i], expected[i]);
            return 1;
        }
    return CUC_OK;
}
