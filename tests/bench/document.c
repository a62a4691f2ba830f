// Prints, for schema.py, the document of a session that has a result of every kind.
#include <cucore/bench.h>
#include <cucore/copy.h>
#include <cucore/error.h>
#include <cucore/stream.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

struct arrays {
    cuc_bench_input *from, *to;
};

static cuc_status copy(void *data, cuc_stream *stream, uint64_t set)
{
    struct arrays *a = data;

    return cuc_copy(stream, cuc_bench_input_ptr(a->to, set), cuc_bench_input_ptr(a->from, set),
                    cuc_bench_input_bytes(a->to));
}

static cuc_status check_nothing(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    (void)stream;
    return data ? CUC_OK : snprintf(why, why_size, "it is NULL") > 0;
}

static cuc_status sample(void *data, uint64_t set, double *seconds)
{
    (void)data;
    *seconds = 1e-5 * (1 + (double)(set * 7 % 10) / 100);
    return CUC_OK;
}

static cuc_status run_nothing(void *data, cuc_stream *stream, uint64_t set)
{
    (void)data;
    (void)stream;
    (void)set;
    return CUC_OK;
}

static cuc_status run_failing(void *data, cuc_stream *stream, uint64_t set)
{
    (void)data;
    (void)stream;
    (void)set;
    return cuc_error_set(CUC_ERROR_IO, "run_failing", "as it says");
}

static const cuc_bench_figure figures[] = { { "registers", 32 }, { "resident_bytes", 1e6 } };

static cuc_status setup(cuc_bench_state *state, void *data)
{
    static struct arrays a;
    const cuc_bench_subject subjects[] = {
        { .struct_size = sizeof(*subjects),
          .name = "copy",
          .data = &a,
          .run = copy,
          .check = check_nothing,
          .flags = CUC_BENCH_PEER,
          .limit = 1.5 },
        { .struct_size = sizeof(*subjects),
          .name = "wrong",
          .run = run_nothing,
          .check = check_nothing },
        { .struct_size = sizeof(*subjects),
          .name = "elsewhere",
          .sample = sample,
          .kind = CUC_BENCH_KIND_FOREIGN,
          .unchecked = "it is made up",
          .figures = figures,
          .figure_count = CUC_LENGTH(figures) },
        { .struct_size = sizeof(*subjects),
          .name = "failing",
          .run = run_failing,
          .kind = CUC_BENCH_KIND_CPU,
          .unchecked = "it fails" },
    };
    cuc_bench_input_options o = CUC_BENCH_INPUT_OPTIONS_INIT;
    cuc_status st;

    (void)data;
    if (cuc_bench_state_int(state, "n") > 512)
        return cuc_bench_state_skip(state, "too large");
    o.count = (uint64_t)cuc_bench_state_int(state, "n");
    o.dtype = cuc_bench_state_dtype(state, "dtype");
    if ((st = cuc_bench_state_add_input(&a.from, state, &o)) < 0 ||
        (st = cuc_bench_state_add_input(&a.to, state, &o)) < 0 ||
        (st = cuc_bench_state_skip_subject(state, "library", "it is not there")) < 0 ||
        (st = cuc_bench_state_set_work(state, CUC_BENCH_WORK(.bytes = 2.0 * (double)o.count,
                                                             .items = 1, .item = "copies"))) < 0)
        return st;
    for (size_t i = 0; i < CUC_LENGTH(subjects) && st >= 0; i++)
        st = cuc_bench_state_add_subject(state, &subjects[i]);
    return st;
}

int main(void)
{
    const cuc_bench_axis axes[] = {
        { .name = "n", .values = "8:10", .kind = CUC_BENCH_AXIS_POW2 },
        { .name = "dtype", .values = "f32", .kind = CUC_BENCH_AXIS_DTYPE },
        { .name = "k", .values = "-1" },
        { .name = "word", .values = "a", .kind = CUC_BENCH_AXIS_STRING }
    };
    cuc_bench *bench;
    const char *text;
    cuc_status st = cuc_bench_create(
        &bench, CUC_BENCH_OPTIONS(.flags = CUC_BENCH_QUICK | CUC_BENCH_KEEP_SAMPLES,
                                  .command = "document", .commit = "0123456"));

    if (st >= 0 &&
        ((st = cuc_bench_add_case(
              bench, CUC_BENCH_CASE(.suite = "s", .name = "c", .setup = setup, .axes = axes,
                                    .axis_count = 4, .flags = CUC_BENCH_CASE_DISTRIBUTION,
                                    .modes = CUC_BENCH_COLD | CUC_BENCH_HOT | CUC_BENCH_GRAPH |
                                             CUC_BENCH_CPU))) < 0 ||
         (st = cuc_bench_run(bench, NULL)) < 0 ||
         (st = cuc_bench_get_json(&text, NULL, bench)) < 0))
        cuc_bench_release(bench);
    if (st < 0) {
        fprintf(stderr, "%s\n", cuc_error_message());
        return EXIT_FAILURE;
    }
    puts(text);
    cuc_bench_release(bench);
    return EXIT_SUCCESS;
}
