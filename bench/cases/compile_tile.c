#include "compile_tile.h"

#include "base/array.h"
#include "bench_case_kernels.h"
#include "child.h"
#include "foreign.h"

#include <cucore/error.h>
#include <cucore/program.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// `top` takes longest to compile in examples/tile.
static const struct source {
    const char *kernel, *file, *text;
} sources[] = {
    { "vadd", "vadd.tile", vadd_tile },
    { "softmax", "softmax.tile", softmax_tile },
    { "cumulative_sum_long", "scan.tile", scan_tile },
    { "top", "topk.tile", topk_tile },
    { "gemm_nn", "gemm.tile", gemm_tile },
};

static const struct source *find_source(const char *kernel)
{
    for (size_t i = 0; i < CUC_LENGTH(sources); i++)
        if (strcmp(sources[i].kernel, kernel) == 0)
            return &sources[i];
    bench_fail(CUC_ERROR_INVALID_ARGUMENT,
               "kernel is %s: vadd, softmax, cumulative_sum_long, top and gemm_nn are known",
               kernel);
    return NULL;
}

static bool begins_with(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

// Extract the functions and the given kernel from a file; the caller frees the text.
static char *cut(const struct source *source)
{
    char *out = malloc(strlen(source->text) + 1), *to = out;
    size_t length = strlen(source->kernel);
    bool keep = false;

    if (!out) {
        bench_no_memory("a source");
        return NULL;
    }
    for (const char *line = source->text; *line;) {
        const char *end = strchr(line, '\n');
        size_t bytes = end ? (size_t)(end - line) + 1 : strlen(line);
        if (begins_with(line, "kernel "))
            keep = strncmp(line + 7, source->kernel, length) == 0 && line[7 + length] == '(';
        else if (begins_with(line, "fn "))
            keep = true;
        if (keep) {
            memcpy(to, line, bytes);
            to += bytes;
        }
        line += bytes;
    }
    *to = '\0';
    return out;
}

// Compile source to PTX and discard it.
static cuc_status compile(cuc_object **out, const char *name, const char *text, const char *arch)
{
    cuc_program_options options = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program;

    options.name = name;
    options.arch = arch;
    options.cache = cuc_cache_none();
    cuc_status st = cuc_program_create(&program, CUC_SOURCE_TILE, text, 0, &options);
    if (st < 0)
        return st;
    st = cuc_program_compile(out, program, CUC_CODE_PTX);
    cuc_program_release(program);
    return st;
}

// ---- Warm

typedef struct compilation {
    const struct source *source;
    char *text;
    char arch[32];
    cuc_object *ptx, *cubin; // from the last runs
} compilation;

static cuc_status run_compile(void *data, cuc_stream *stream, uint64_t set)
{
    compilation *c = data;

    (void)stream;
    (void)set;
    cuc_object_release(c->ptx);
    c->ptx = NULL;
    return compile(&c->ptx, c->source->file, c->text, c->arch);
}

static cuc_status run_link(void *data, cuc_stream *stream, uint64_t set)
{
    compilation *c = data;

    (void)stream;
    (void)set;
    return bench_link(&c->cubin, &c->ptx, 1, c->arch, NULL);
}

// Link the entries in parallel. With several threads, ptxas writes its remarks to stderr even if a
// log is given.
static cuc_status run_link_in_threads(void *data, cuc_stream *stream, uint64_t set)
{
    compilation *c = data;
    int none = open("/dev/null", O_WRONLY | O_CLOEXEC), was = fcntl(2, F_DUPFD_CLOEXEC, 3);

    (void)stream;
    (void)set;
    if (none >= 0 && was >= 0)
        dup2(none, 2);
    cuc_status st = bench_link(&c->cubin, &c->ptx, 1, c->arch, "--split-compile=4");
    if (none >= 0 && was >= 0)
        dup2(was, 2);
    close(none);
    close(was);
    return st;
}

static bool has_kernel(const cuc_object *object, const char *kernel, char *why, size_t why_size)
{
    const void *code;
    size_t bytes;
    bool right = cuc_object_get_code(&code, &bytes, object) >= 0 &&
                 memmem(code, bytes, kernel, strlen(kernel));

    if (!right)
        snprintf(why, why_size, "the code has no kernel %s", kernel);
    return right;
}

static cuc_status check_compile(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    const compilation *c = data;

    (void)stream;
    return !has_kernel(c->ptx, c->source->kernel, why, why_size);
}

static cuc_status check_link(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    const compilation *c = data;

    (void)stream;
    return !has_kernel(c->cubin, c->source->kernel, why, why_size);
}

static void drop_compilation(void *data)
{
    compilation *c = data;

    cuc_object_release(c->cubin);
    cuc_object_release(c->ptx);
    free(c->text);
    free(c);
}

// Choose the architecture with all features of the device, the default for tile programs.
static void set_arch(compilation *c, const cuc_bench_state *state)
{
    cuc_device *device = cuc_bench_state_device(state);
    const char *arch = device ? cuc_device_arch(device) : "sm_90";

    snprintf(c->arch, sizeof(c->arch), "%s%s", arch, strcmp(arch, "sm_90") == 0 ? "a" : "");
}

static cuc_status add_link(cuc_bench_state *state, compilation *c)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    cuc_status st = run_link(c, NULL, 0);

    if (st == CUC_ERROR_NOT_FOUND)
        return cuc_bench_state_skip_subject(state, "nvjitlink", cuc_error_message());
    if (st < 0)
        return st;
    subject.name = "nvjitlink";
    subject.kind = CUC_BENCH_KIND_CPU;
    subject.data = c;
    subject.run = run_link;
    subject.check = check_link;
    subject.flags = CUC_BENCH_PEER;
    if ((st = cuc_bench_state_add_subject(state, &subject)) < 0)
        return st;
    subject.name = "nvjitlink-threads";
    subject.run = run_link_in_threads;
    subject.flags = 0;
    return run_link_in_threads(c, NULL, 0) < 0 // nvJitLink before 13.0
               ? cuc_bench_state_skip_subject(state, subject.name, cuc_error_message())
               : cuc_bench_state_add_subject(state, &subject);
}

cuc_status bench_set_up_tile(cuc_bench_state *state, void *data)
{
    const struct source *source = find_source(cuc_bench_state_text(state, "kernel"));
    compilation *c = source ? calloc(1, sizeof(*c)) : NULL;
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    const void *code;
    size_t bytes;
    cuc_status st;

    (void)data;
    if (!source)
        return cuc_error_status();
    if (!c)
        return bench_no_memory("a compilation");
    if ((st = cuc_bench_state_defer(state, drop_compilation, c)) < 0)
        return st;
    c->source = source;
    set_arch(c, state);
    if (!(c->text = cut(source)))
        return cuc_error_status();
    if ((st = run_compile(c, NULL, 0)) < 0 || (st = cuc_object_get_code(&code, &bytes, c->ptx)) < 0)
        return st;
    const cuc_bench_figure figure = { "code_bytes", (double)bytes };
    subject.name = "tile";
    subject.kind = CUC_BENCH_KIND_CPU;
    subject.data = c;
    subject.run = run_compile;
    subject.check = check_compile;
    subject.limit = 0.1;
    subject.figures = &figure;
    subject.figure_count = 1;
    st = cuc_bench_state_add_subject(state, &subject);
    return st < 0 ? st : add_link(state, c);
}

// ---- The first compilation in a process

static const char *const command[] = { "", "bench", "--serve", "compile", NULL };

static cuc_status sample_first(void *data, uint64_t set, double *seconds)
{
    const struct source *source = data;
    bench_child *child;
    json_t *answer;
    cuc_status st = bench_child_start(&child, "the first process", command, NULL);

    (void)set;
    if (st < 0)
        return st;
    st = bench_child_ask(
        &answer, child,
        json_pack("{s:s, s:s, s:s}", "do", "point", "kind", "tile", "kernel", source->kernel),
        BENCH_ANSWER_S);
    bench_child_end(child);
    if (st < 0)
        return st;
    const json_t *took = json_object_get(answer, "seconds");
    if (bench_answer(answer, "failed") || !json_is_number(took))
        st = bench_fail(CUC_ERROR_IO, "%s",
                        bench_answer(answer, "failed") ? bench_answer(answer, "failed")
                                                       : "it answered without \"seconds\"");
    else
        *seconds = json_number_value(took);
    json_decref(answer);
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

cuc_status bench_set_up_tile_first(cuc_bench_state *state, void *data)
{
    const struct source *source = find_source(cuc_bench_state_text(state, "kernel"));
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;

    (void)data;
    if (!source)
        return cuc_error_status();
    subject.name = "tile";
    subject.kind = CUC_BENCH_KIND_FOREIGN;
    subject.modes = CUC_BENCH_CPU;
    subject.data = (void *)(uintptr_t)source; // only read
    subject.sample = sample_first;
    subject.check = check_first;
    return cuc_bench_state_add_subject(state, &subject);
}

cuc_status bench_tile_first(const json_t *request, json_t *answer)
{
    const char *kernel = json_string_value(json_object_get(request, "kernel"));
    const struct source *source = find_source(kernel ? kernel : "");
    char *text = source ? cut(source) : NULL;
    struct timespec begin, end;
    char why[128];
    cuc_object *ptx;

    if (!text)
        return cuc_error_status();
    clock_gettime(CLOCK_MONOTONIC, &begin);
    cuc_status st = compile(&ptx, source->file, text, "sm_90a");
    clock_gettime(CLOCK_MONOTONIC, &end);
    free(text);
    if (st < 0)
        return st;
    if (!has_kernel(ptx, source->kernel, why, sizeof(why)))
        st = bench_fail(CUC_ERROR_IO, "%s", why);
    cuc_object_release(ptx);
    json_object_set_new(answer, "seconds",
                        json_real((double)(end.tv_sec - begin.tv_sec) +
                                  (double)(end.tv_nsec - begin.tv_nsec) * 1e-9));
    return st;
}
