// Tunes tile kernels: creates one kernel per candidate and runs it on the caller's arguments.
// Before each run, restores the arrays that kernels write.
#include "base/array.h"
#include "tune.h"

#include <cucore/copy.h>
#include <cucore/tile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 64, MOST_CONSTANTS = 32, MOST_COMPARED = 1 << 20, VARIED = 2 };

static const double OF_SIZE = 1e-3;

// The byte range that a tensor's elements occupy.
struct span {
    cuc_device_ptr at;
    uint64_t bytes;
    cuc_dtype dtype;
    cuc_buffer *saved; // the original contents
    void *expected;    // results of the first candidate that was checked
};

struct arguments {
    const cuc_arg *args;
    size_t count;
    struct span written[MOST_ARGUMENTS];
    size_t spans;
};

static struct span span_of(const cuc_tensor *t)
{
    int64_t low = 0, high = 0, bytes = cuc_dtype_bits(t->dtype) / 8;

    for (int32_t i = 0; i < t->rank; i++) {
        int64_t far = (t->shape[i] - 1) * t->strides[i];
        if (!t->shape[i])
            return (struct span){ .at = 0 };
        *(far < 0 ? &low : &high) += far;
    }
    return (struct span){ .at = t->data + (uint64_t)(low * bytes),
                          .bytes = (uint64_t)((high - low + 1) * bytes),
                          .dtype = t->dtype };
}

static cuc_status save(struct arguments *x, const cuc_kernel *kernel, cuc_stream *stream)
{
    cuc_status st = CUC_OK;

    for (size_t i = 0; i < x->count && st >= 0; i++) {
        cuc_tile_parameter p = CUC_TILE_PARAMETER_INIT;
        struct span s;
        if ((st = cuc_tile_get_parameter(&p, kernel, i)) < 0)
            return st;
        if (!p.written || x->args[i].type != CUC_ARG_TENSOR || !x->args[i].value.pointer)
            continue;
        s = span_of(x->args[i].value.pointer);
        if (!s.bytes)
            continue;
        x->written[x->spans] = s;
        if ((st = cuc_buffer_create(&x->written[x->spans].saved, stream, NULL, s.bytes)) < 0)
            return st;
        st = cuc_copy(stream, cuc_buffer_ptr(x->written[x->spans++].saved), s.at, s.bytes);
    }
    return st < 0 ? st : cuc_stream_synchronize(stream);
}

static cuc_status restore(const struct arguments *x, cuc_stream *stream)
{
    cuc_status st = CUC_OK;

    for (size_t i = 0; i < x->spans && st >= 0; i++)
        st = cuc_copy(stream, x->written[i].at, cuc_buffer_ptr(x->written[i].saved),
                      x->written[i].bytes);
    return st;
}

static cuc_status set_up(struct cuc__tune_race *race, cuc_bench_state *state)
{
    (void)race;
    (void)state;
    return CUC_OK;
}

static cuc_status prepare(void *data, cuc_stream *stream, uint64_t set)
{
    const struct cuc__tune_candidate *c = data;

    (void)set;
    return restore(c->race->data, stream);
}

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    const struct cuc__tune_candidate *c = data;
    const struct arguments *x = c->race->data;

    (void)set;
    return cuc_launch(stream, NULL, c->subject, x->args, x->count);
}

static cuc_status check_span(struct span *s, cuc_stream *stream, char *why, size_t why_size)
{
    uint64_t element = cuc_dtype_bits(s->dtype) / 8, count = s->bytes / element;
    uint64_t step = count / MOST_COMPARED + 1;
    void *got = malloc(s->bytes);
    cuc_status st;

    if (!got)
        return BENCH_NO_MEMORY("a result");
    if ((st = cuc_copy_to_host(stream, got, s->at, s->bytes)) < 0 ||
        (st = cuc_stream_synchronize(stream)) < 0) {
        free(got);
        return st;
    }
    if (!s->expected) {
        s->expected = got;
        return CUC_OK;
    }
    bool same = cuc__tune_same(s->dtype, s->expected, got, (count + step - 1) / step, step, OF_SIZE,
                               why, why_size);
    free(got);
    return same ? CUC_OK : 1;
}

static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    struct cuc__tune_candidate *c = data;
    struct arguments *x = c->race->data;
    cuc_status st = CUC_OK;

    for (size_t i = 0; i < x->spans && st == CUC_OK; i++)
        st = check_span(&x->written[i], stream, why, why_size);
    return st;
}

// ---- Kernels

// Set an option of a choice, such as "cluster=2".
static bool set_option(cuc_program_options *o, const char *text)
{
    const struct {
        const char *name;
        int32_t *field;
    } fields[] = {
        { "warps=", &o->warps }, { "stages=", &o->stages }, { "cluster=", &o->cluster },
        { "split=", &o->split }, { "raster=", &o->raster },
    };

    for (size_t i = 0; i < CUC_LENGTH(fields); i++)
        if (strncmp(text, fields[i].name, strlen(fields[i].name)) == 0) {
            *fields[i].field = (int32_t)strtol(strchr(text, '=') + 1, NULL, 10);
            return true;
        }
    return false;
}

// Compile the program with a candidate's constants appended to its own.
static cuc_status compile(cuc_kernel **out, const char *text, size_t bytes,
                          const cuc_program_options *program, const char *kernel, char *choice)
{
    const char *constants[MOST_CONSTANTS];
    cuc_program_options o = *program;
    cuc_program *p = NULL;
    cuc_object *object = NULL;
    cuc_status st;

    if (o.constant_count + strlen(choice) / 4 >= MOST_CONSTANTS)
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT, "%zu constants are too many",
                          o.constant_count);
    for (size_t i = 0; i < o.constant_count; i++)
        constants[i] = program->constants[i];
    for (char *rest = choice, *one; (one = strtok_r(rest, " ", &rest)) != NULL;)
        if (*one != ':')
            constants[o.constant_count++] = one;
        else if (!set_option(&o, one + 1))
            return BENCH_FAIL(CUC_ERROR_INTERNAL, "nothing is called %s", one + 1);
    o.constants = constants;
    o.dimensions = NULL; // every dimension is chosen already
    o.dimension_count = 0;
    o.tuned = NULL;
    if ((st = cuc_program_create(&p, CUC_SOURCE_TILE, text, bytes, &o)) >= 0 &&
        (st = cuc_program_compile(&object, p, CUC_CODE_PTX)) >= 0)
        st = cuc_object_get_kernel(out, object, kernel);
    cuc_object_release(object);
    cuc_program_release(p);
    return st;
}

// Add variants that the model does not distinguish: pipeline options and warps per tile. Varies
// only the best candidates, and only options that the program leaves open.
static void add_variants(struct cuc__tune_race *race, const char *text, size_t bytes,
                         const cuc_program_options *program, const char *kernel)
{
    static const char *const of_pipelines[] = { ":cluster=2", ":raster=4", ":raster=16" };
    static const char *const of_others[] = { ":warps=4", ":warps=8", ":warps=16" };
    char choice[sizeof(race->all->choice)];
    cuc_tile_entry entry = CUC_TILE_ENTRY_INIT;
    cuc_kernel *first = NULL;
    size_t bases = race->count < VARIED ? race->count : VARIED;

    if (!bases || program->warps || program->cluster || program->raster)
        return;
    memcpy(choice, race->all[0].choice, sizeof(choice));
    if (compile(&first, text, bytes, program, kernel, choice) < 0)
        return; // reported by the caller
    bool known = cuc_tile_get_entry(&entry, cuc_kernel_object(first), kernel, 0) >= 0;
    bool pipeline = known && strcmp(entry.variant, "tma") == 0;
    cuc_kernel_release(first);
    for (size_t i = 0; i < bases && known; i++)
        for (size_t j = 0; j < CUC_LENGTH(of_others); j++) {
            const struct cuc__tune_candidate *base = &race->all[i];
            int length = snprintf(choice, sizeof(choice), "%s%s%s", base->choice,
                                  *base->choice ? " " : "",
                                  pipeline ? of_pipelines[j] : of_others[j]);
            if (length < (int)sizeof(choice))
                cuc__tune_add(race, choice, base->told.model);
        }
    race->options.most = (uint32_t)race->count;
    cuc__tune_select(race);
}

static void compile_all(struct cuc__tune_race *race, const char *text, size_t bytes,
                        const cuc_program_options *program, const char *kernel)
{
    for (size_t i = 0; i < race->count; i++) {
        struct cuc__tune_candidate *c = &race->all[i];
        cuc_kernel *made = NULL;
        char choice[sizeof(c->choice)];
        memcpy(choice, c->choice, sizeof(choice));
        cuc__tune_step(race, CUC_TUNE_COMPILING, c, 0);
        if (compile(&made, text, bytes, program, kernel, choice) < 0)
            cuc__tune_drop(c);
        c->subject = made;
    }
}

// Return the given kernel name, or the name of the only kernel.
static cuc_status name_of(char name[256], const char *text, size_t bytes,
                          const cuc_program_options *program)
{
    cuc_program *p = NULL;
    cuc_object *object = NULL;
    const char *only = NULL;
    cuc_status st;

    if ((st = cuc_program_create(&p, CUC_SOURCE_TILE, text, bytes, program)) >= 0 &&
        (st = cuc_program_compile(&object, p, CUC_CODE_PTX)) >= 0 &&
        (st = cuc_object_get_kernel_name(&only, object, 0)) >= 0)
        snprintf(name, 256, "%s", only);
    cuc_object_release(object);
    cuc_program_release(p);
    return st;
}

static cuc_status race_kernels(struct cuc__tune_race *race, struct arguments *x)
{
    cuc_stream *stream = NULL;
    cuc_kernel *any = NULL;
    cuc_status st;

    for (size_t i = 0; i < race->count && !any; i++)
        any = race->all[i].subject;
    if (!any)
        return cuc__tune_run(race); // reports why there are none
    if ((st = cuc_stream_create(&stream, race->device, NULL)) < 0)
        return st;
    if ((st = save(x, any, stream)) >= 0)
        st = cuc__tune_run(race);
    // Restore written arrays even after a failure.
    if (restore(x, stream) >= 0)
        (void)cuc_stream_synchronize(stream);
    for (size_t i = 0; i < x->spans; i++) {
        cuc_buffer_release(x->written[i].saved);
        free(x->written[i].expected);
    }
    cuc_stream_release(stream);
    return st;
}

cuc_status cuc_tile_tune(char *choice, size_t capacity, cuc_device *device, const char *text,
                         size_t bytes, const cuc_program_options *program, const char *kernel,
                         const cuc_arg *args, size_t count, const cuc_tune_options *options)
{
    struct arguments x = { .args = args, .count = count };
    struct cuc__tune_race race = {
        .set_up = set_up, .prepare = prepare, .run = run, .check = check, .data = &x
    };
    cuc_tuned_record key = CUC_TUNED_RECORD_INIT;
    cuc_program_options o;
    cuc_program *p = NULL;
    char name[256];
    cuc_status st;

    BENCH_CHECK_NOT_NULL(device);
    BENCH_CHECK_NOT_NULL(text);
    BENCH_CHECK_NOT_NULL(program);
    if (!args || count > MOST_ARGUMENTS)
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT, "args is %s, count is %zu: expected up to %d",
                          args ? "given" : "NULL", count, MOST_ARGUMENTS);
    if ((st = cuc__tune_begin(&race, device, options, __func__)) < 0 ||
        (st = cuc__bench_read(&o, sizeof(o), program, "cuc_program_options", __func__)) < 0)
        return st;
    race.choice = choice;
    race.choice_capacity = capacity;
    o.tuned = ""; // ignore earlier records
    if (!kernel && (st = name_of(name, text, bytes, &o)) < 0)
        return st;
    kernel = kernel ? kernel : name;
    if ((st = cuc_program_create(&p, CUC_SOURCE_TILE, text, bytes, &o)) < 0 ||
        (st = cuc_tile_visit_candidates(p, kernel, cuc__tune_add, &race)) < 0)
        goto end;
    cuc__tune_select(&race);
    add_variants(&race, text, bytes, &o, kernel);
    compile_all(&race, text, bytes, &o, kernel);
    if ((st = race_kernels(&race, &x)) < 0 || (st = cuc_tile_get_record(&key, p, kernel)) < 0)
        goto end;
    key.kernel = kernel;
    st = cuc__tune_keep(&race, &key);

end:
    for (size_t i = 0; i < race.count; i++)
        cuc_kernel_release(race.all[i].subject);
    cuc_program_release(p);
    cuc__tune_end(&race);
    return st;
}
