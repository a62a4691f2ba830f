// Times the steps from source to a running kernel: NVRTC, nvJitLink, loading, and a process's first
// launch. The compilers need no driver and no device.
#include "base/array.h"
#include "bench_case_kernels.h"
#include "compile_cache.h"
#include "compile_service.h"
#include "compile_tile.h"
#include "foreign.h"
#include "suites.h"

#include <cucore/error.h>
#include <cucore/find.h>
#include <cucore/program.h>
#include <cucore/system.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Skip, rather than fail, if a component is missing.
static cuc_status or_skip(cuc_bench_state *state, cuc_status st)
{
    return st == CUC_ERROR_NOT_FOUND ? cuc_bench_state_skip(state, cuc_error_message()) : st;
}

static const char *arch_of(const cuc_bench_state *state)
{
    cuc_device *device = cuc_bench_state_device(state);

    return device ? cuc_device_arch(device) : "sm_90";
}

// Check the kind of the code and that it contains the kernel; LTO-IR exposes no names.
static bool has_kernel(const cuc_object *object, int32_t kind, const char *symbol, char *why,
                       size_t why_size)
{
    const void *code;
    size_t bytes;
    bool right = cuc_object_kind(object) == kind &&
                 cuc_object_get_code(&code, &bytes, object) >= 0 && bytes > 0 &&
                 (kind == CUC_CODE_LTOIR || memmem(code, bytes, symbol, strlen(symbol)));

    if (!right)
        snprintf(why, why_size, "what came is %s, expected %s with the kernel %s",
                 cuc_code_name(cuc_object_kind(object)), cuc_code_name(kind), symbol);
    return right;
}

static cuc_bench_figure code_bytes(const cuc_object *object)
{
    const void *code;
    size_t bytes = 0;

    (void)cuc_object_get_code(&code, &bytes, object);
    return (cuc_bench_figure){ "code_bytes", (double)bytes };
}

// ---- NVRTC

static const char *const instances[] = { "reduce<float, Add, 256, 4>",
                                         "reduce<float, Most, 256, 4>", "reduce<int, Add, 128, 2>",
                                         "reduce<double, Most, 512, 2>" };

static const struct source {
    const char *name, *text, *symbol; // the kernel's symbol, or a prefix of it
    const char *const *expressions;
    size_t expression_count;
    const char *headers; // name for cuc_find_header_dir()
} sources[] = {
    { "saxpy", saxpy_cu, "saxpy", NULL, 0, NULL },
    { "template", template_cu, "_Z6reduceIf3AddLi256ELi4EEv", instances, CUC_LENGTH(instances),
      NULL },
    { "cub", cub_cu, "block_sum", NULL, 0, "cccl" },
};

typedef struct compilation {
    const struct source *source;
    char arch[32];
    int32_t kind;
    int32_t relocatable;
    cuc_object *object; // from the last run
} compilation;

// A macro with a new value in each compilation bypasses the caches of NVRTC and the driver.
static cuc_status compile(cuc_object **out, const compilation *c, uint64_t number)
{
    char macro[48];
    const char *const macros[] = { macro };
    cuc_program_options options = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program;

    snprintf(macro, sizeof(macro), "COMPILATION=%llu", (unsigned long long)number);
    options.name = "bench.cu";
    options.cache = cuc_cache_none();
    options.arch = c->arch;
    options.relocatable_device_code = c->relocatable;
    options.define_macros = macros;
    options.define_macro_count = 1;
    options.name_expressions = c->source->expressions;
    options.name_expression_count = c->source->expression_count;
    cuc_status st = cuc_program_create(&program, CUC_SOURCE_CUDA, c->source->text, 0, &options);
    if (st < 0)
        return st;
    st = cuc_program_compile(out, program, c->kind);
    cuc_program_release(program);
    return st;
}

static cuc_status run_compile(void *data, cuc_stream *stream, uint64_t set)
{
    compilation *c = data;

    (void)stream;
    cuc_object_release(c->object);
    c->object = NULL;
    return compile(&c->object, c, set);
}

static cuc_status check_compile(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    compilation *c = data;

    (void)stream;
    return !has_kernel(c->object, c->kind, c->source->symbol, why, why_size);
}

static void drop_compilation(void *data)
{
    compilation *c = data;

    cuc_object_release(c->object);
    free(c);
}

// Return NULL, with the failure recorded, if the name is unknown.
static const struct source *find_source(const char *name)
{
    for (size_t i = 0; i < CUC_LENGTH(sources); i++)
        if (strcmp(sources[i].name, name) == 0)
            return &sources[i];
    bench_fail(CUC_ERROR_INVALID_ARGUMENT, "source is %s: saxpy, template and cub are known", name);
    return NULL;
}

static cuc_status set_up_nvrtc(cuc_bench_state *state, void *data)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    const struct source *source = find_source(cuc_bench_state_text(state, "source"));
    cuc_found *found;
    cuc_status st;

    (void)data;
    if (!source)
        return cuc_error_status();
    if (source->headers) {
        if ((st = cuc_find_header_dir(&found, source->headers)) < 0)
            return or_skip(state, st);
        cuc_found_release(found);
    }
    compilation *c = calloc(1, sizeof(*c));
    if (!c)
        return bench_no_memory("a compilation");
    if ((st = cuc_bench_state_defer(state, drop_compilation, c)) < 0)
        return st;
    c->source = source;
    c->kind = cuc_code_from_name(cuc_bench_state_text(state, "output"));
    c->relocatable = c->kind == CUC_CODE_LTOIR ? CUC_ON : CUC_DEFAULT;
    snprintf(c->arch, sizeof(c->arch), "%s", arch_of(state));
    if ((st = compile(&c->object, c, 0)) < 0)
        return or_skip(state, st);
    cuc_bench_figure figure = code_bytes(c->object);
    subject.name = "nvrtc";
    subject.figures = &figure;
    subject.figure_count = 1;
    subject.kind = CUC_BENCH_KIND_CPU;
    subject.data = c;
    subject.run = run_compile;
    subject.check = check_compile;
    return cuc_bench_state_add_subject(state, &subject);
}

// ---- nvJitLink

enum { MAX_INPUTS = 2 };

typedef struct linking {
    char arch[32];
    cuc_object *inputs[MAX_INPUTS];
    cuc_object *object; // from the last run
} linking;

static cuc_status run_link(void *data, cuc_stream *stream, uint64_t set)
{
    linking *l = data;

    (void)stream;
    (void)set;
    return bench_link(&l->object, l->inputs, MAX_INPUTS, l->arch, NULL);
}

static cuc_status check_link(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    linking *l = data;

    (void)stream;
    return !has_kernel(l->object, CUC_CODE_CUBIN, "saxpy", why, why_size);
}

static void drop_linking(void *data)
{
    linking *l = data;

    for (int i = 0; i < MAX_INPUTS; i++)
        cuc_object_release(l->inputs[i]);
    cuc_object_release(l->object);
    free(l);
}

// Make PTX from one source, or LTO-IR from two.
static cuc_status make_inputs(linking *l, const char *from)
{
    static const struct source alone = { .text = saxpy_cu };
    static const struct source halves[] = { { .text = lto_kernel_cu }, { .text = lto_op_cu } };
    bool lto = strcmp(from, "ltoir") == 0;
    cuc_status st = CUC_OK;

    for (int i = 0; i < (lto ? 2 : 1) && st >= 0; i++) {
        compilation c = { .source = lto ? &halves[i] : &alone,
                          .kind = lto ? CUC_CODE_LTOIR : CUC_CODE_PTX,
                          .relocatable = lto ? CUC_ON : CUC_DEFAULT };
        memcpy(c.arch, l->arch, sizeof(c.arch));
        st = compile(&l->inputs[i], &c, 0);
    }
    return st;
}

static cuc_status set_up_link(cuc_bench_state *state, void *data)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    linking *l = calloc(1, sizeof(*l));

    (void)data;
    if (!l)
        return bench_no_memory("a link");
    cuc_status st = cuc_bench_state_defer(state, drop_linking, l);
    if (st < 0)
        return st;
    snprintf(l->arch, sizeof(l->arch), "%s", arch_of(state));
    if ((st = make_inputs(l, cuc_bench_state_text(state, "from"))) < 0 ||
        (st = run_link(l, NULL, 0)) < 0)
        return or_skip(state, st);
    cuc_bench_figure figure = code_bytes(l->object);
    subject.name = "nvjitlink";
    subject.figures = &figure;
    subject.figure_count = 1;
    subject.kind = CUC_BENCH_KIND_CPU;
    subject.data = l;
    subject.run = run_link;
    subject.check = check_link;
    return cuc_bench_state_add_subject(state, &subject);
}

// ---- Work of a new process, without the driver's cache of earlier compilations

static const char *const command[] = { "", "bench", "--serve", "compile", NULL };
static const char *const changes[] = { "CUDA_CACHE_DISABLE=1", NULL };

typedef struct code_file {
    char path[64];
    char kind[16];
} code_file;

static void remove_file(void *data)
{
    code_file *f = data;

    (void)unlink(f->path);
    free(f);
}

static cuc_status write_source(const char *path)
{
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(saxpy_cu, f) >= 0;

    if (f && fclose(f) != 0)
        ok = false;
    return ok ? CUC_OK : bench_fail(CUC_ERROR_IO, "%s cannot be written", path);
}

// Write SAXPY to a file, as source or as code; the file is removed with the point.
static cuc_status make_file(code_file **out, cuc_bench_state *state, const char *kind)
{
    code_file *f = calloc(1, sizeof(*f));
    compilation c = { .source = &sources[0], .kind = cuc_code_from_name(kind) };
    cuc_object *object;

    if (!f)
        return bench_no_memory("a file's name");
    strcpy(f->path, "/tmp/cucore-bench-code-XXXXXX");
    snprintf(f->kind, sizeof(f->kind), "%s", kind);
    int fd = mkstemp(f->path);
    if (fd >= 0)
        close(fd);
    cuc_status st = cuc_bench_state_defer(state, remove_file, f);
    if (st >= 0 && fd < 0)
        st = bench_fail(CUC_ERROR_IO, "%s cannot be made", f->path);
    if (st < 0)
        return st;
    *out = f;
    if (strcmp(kind, "source") == 0)
        return write_source(f->path);
    snprintf(c.arch, sizeof(c.arch), "%s", arch_of(state));
    if ((st = compile(&object, &c, 0)) < 0)
        return st;
    st = cuc_object_save(object, f->path);
    cuc_object_release(object);
    return st;
}

static json_t *request(const code_file *f, bool launch)
{
    return json_pack("{s:s, s:s, s:s, s:b}", "do", "point", "kind", f->kind, "file", f->path,
                     "launch", (int)launch);
}

// Return why this device cannot be used: child processes use the first device.
static const char *unfit(const cuc_bench_state *state, const char *kind)
{
    if (cuc_device_ordinal(cuc_bench_state_device(state)) != 0)
        return "a process of its own uses device 0, and another one is asked for";
    if (cuc_driver_is_simulated() && strcmp(kind, "cubin") == 0)
        return "the simulated driver takes no machine code";
    return NULL;
}

static cuc_status set_up_load(cuc_bench_state *state, void *data)
{
    const char *kind = cuc_bench_state_text(state, "from");
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    const char *why = unfit(state, kind);
    bench_child *child;
    code_file *f;
    cuc_status st;

    (void)data;
    if (why)
        return cuc_bench_state_skip(state, why);
    if ((st = make_file(&f, state, kind)) < 0)
        return or_skip(state, st);
    if ((st = bench_child_start(&child, "the loading process", command, changes)) < 0 ||
        (st = cuc_bench_state_defer(state, bench_child_end, child)) < 0)
        return st;
    subject.name = "cucore";
    subject.modes = CUC_BENCH_CPU;
    return bench_foreign_add(state, &subject, child, request(f, false), NULL);
}

// Measure the time from process start until the kernel's result is available and checked.
static cuc_status sample_first(void *data, uint64_t set, double *seconds)
{
    const code_file *f = data;
    bench_child *child;
    struct timespec begin, end;
    json_t *answer;

    (void)set;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    cuc_status st = bench_child_start(&child, "the first process", command, changes);
    if (st < 0)
        return st;
    st = bench_child_ask(&answer, child, request(f, true), BENCH_ANSWER_S);
    clock_gettime(CLOCK_MONOTONIC, &end);
    bench_child_end(child);
    if (st < 0)
        return st;
    if (bench_answer(answer, "failed"))
        st = bench_fail(CUC_ERROR_IO, "%s", bench_answer(answer, "failed"));
    json_decref(answer);
    *seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
    return st;
}

static cuc_status check_first(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    double seconds;
    cuc_status st = sample_first(data, 0, &seconds);

    (void)stream;
    if (st < 0)
        snprintf(why, why_size, "%s", cuc_error_message());
    return st < 0;
}

static cuc_status set_up_first(cuc_bench_state *state, void *data)
{
    const char *kind = cuc_bench_state_text(state, "from");
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    const char *why = unfit(state, kind);
    code_file *f;

    (void)data;
    if (why)
        return cuc_bench_state_skip(state, why);
    cuc_status st = make_file(&f, state, kind);
    if (st < 0)
        return or_skip(state, st);
    subject.name = "cucore";
    subject.kind = CUC_BENCH_KIND_FOREIGN;
    subject.modes = CUC_BENCH_CPU;
    subject.data = f;
    subject.sample = sample_first;
    subject.check = check_first;
    return cuc_bench_state_add_subject(state, &subject);
}

// ---- The cases

static const cuc_bench_axis nvrtc_axes[] = {
    BENCH_AXIS("source", STRING, "saxpy,template,cub", "saxpy,template"),
    BENCH_AXIS("output", STRING, "ptx,cubin,ltoir", "ptx,cubin"),
};
static const cuc_bench_axis link_axes[] = { BENCH_AXIS("from", STRING, "ptx,ltoir", NULL) };
static const cuc_bench_axis load_axes[] = { BENCH_AXIS("from", STRING, "ptx,cubin", NULL) };
static const cuc_bench_axis first_axes[] = { BENCH_AXIS("from", STRING, "source,ptx,cubin", NULL) };

static const cuc_bench_axis tile_axes[] = {
    BENCH_AXIS("kernel", STRING, "vadd,softmax,cumulative_sum_long,top,gemm_nn", "vadd,softmax"),
};

static const cuc_bench_axis cache_axes[] = {
    BENCH_AXIS("work", STRING, "cuda,cuda_fp16,cuda_cub,tile,tile_cubin,link,plan,sum,scan,sort",
               "cuda,tile,tile_cubin,link,plan,sum,scan,sort"),
};

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "compile", .name = "nvrtc", .about = "CUDA C++ to code",
               BENCH_AXES(nvrtc_axes), .setup = set_up_nvrtc, .flags = CUC_BENCH_CASE_NO_DEVICE),
    BENCH_CASE(.suite = "compile", .name = "link",
               .about = "PTX, or LTO-IR of two files, to a cubin", BENCH_AXES(link_axes),
               .setup = set_up_link, .flags = CUC_BENCH_CASE_NO_DEVICE),
    BENCH_CASE(.suite = "compile", .name = "load", .about = "code to a kernel that can be launched",
               BENCH_AXES(load_axes), .setup = set_up_load),
    BENCH_CASE(.suite = "compile", .name = "first_launch",
               .about = "from the start of a process to its first kernel's result",
               BENCH_AXES(first_axes), .setup = set_up_first),
    BENCH_CASE(.suite = "compile", .name = "tile",
               .about = "a tile kernel's source to PTX, beside nvJitLink with that PTX",
               BENCH_AXES(tile_axes), .setup = bench_set_up_tile,
               .flags = CUC_BENCH_CASE_NO_DEVICE),
    BENCH_CASE(.suite = "compile", .name = "tile_first",
               .about = "the same as the first thing that a process compiles",
               BENCH_AXES(tile_axes), .setup = bench_set_up_tile_first,
               .flags = CUC_BENCH_CASE_NO_DEVICE),
    BENCH_CASE(.suite = "compile", .name = "cache",
               .about = "work that the cache has or has not, beside the same without a cache",
               BENCH_AXES(cache_axes), .setup = bench_set_up_cache,
               .flags = CUC_BENCH_CASE_NO_DEVICE),
};

const bench_suite bench_compile_suite = { "compile", cases, CUC_LENGTH(cases), bench_compile_serve,
                                          NULL };
