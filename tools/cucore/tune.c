#include "tune.h"

#include "base/array.h"
#include "bench_session.h"
#include "launcher.h"
#include "values.h"

#include <cucore/error.h>
#include <cucore/system.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TUNE_KERNEL = 950 };

static const cli_option options[] = {
    { "kernel", TUNE_KERNEL, "NAME", "the kernel; needed if there are several" },
    SOURCE_OPTIONS,
    TUNE_OPTIONS,
};

// ---- Functions that the subcommands share

int tune_take(cuc_tune_options *o, bool *driver_given, int id, const char *value)
{
    double real = 0;
    uint32_t number = 0;
    int status;

    switch (id) {
    case TUNE_OUT:
        o->path = value;
        return 0;
    case TUNE_MOST:
        return value_number(&o->most, "most", value, 1, 64);
    case TUNE_SECONDS:
        status = value_real(&real, "max-seconds", value, 0.001, 3600);
        o->max_seconds = status ? o->max_seconds : real;
        return status;
    case TUNE_SEED:
        status = value_number(&number, "seed", value, 0, UINT32_MAX);
        o->seed = status ? o->seed : number;
        return status;
    case TUNE_DRIVER:
        return value_driver(driver_given, value);
    default:
        return -1;
    }
}

static void print_candidate(tune_report *r, const cuc_tune_candidate *c)
{
    const char *driver = cuc_driver_is_simulated() ? " simulated" : "";

    if (!r->begun)
        printf("%s%s\n", r->what,
               *driver ? ": times of the simulated driver, which say nothing about a GPU" : "");
    if (isnan(c->seconds))
        printf("  %10s  %-44s %s\n", "-", c->choice, c->reason ? c->reason : "");
    else
        printf("  %7.2f us%s  %-44s 95 %% CI %.2f to %.2f, model %.2f\n", 1e6 * c->seconds, driver,
               c->choice, 1e6 * c->ci_low, 1e6 * c->ci_high, 1e6 * c->model);
    fflush(stdout);
}

void tune_progress(void *data, const cuc_tune_progress *p)
{
    static const char *const steps[] = {
        [CUC_TUNE_COMPILING] = "compiling", [CUC_TUNE_CHECKING] = "checking"
    };
    tune_report *r = data;
    char text[1024];

    if (p->step == CUC_TUNE_SAMPLING)
        snprintf(text, sizeof(text), "%s: measuring %u candidates, round %u", r->what, p->count,
                 p->samples);
    else
        snprintf(text, sizeof(text), "%s: %s %u of %u: %s", r->what, steps[p->step], p->number,
                 p->count, p->choice);
    if (bench_progress_line(text) || (p->step == CUC_TUNE_SAMPLING && r->sampled))
        return;
    r->sampled = p->step == CUC_TUNE_SAMPLING;
    fprintf(stderr, "%s\n", text);
}

void tune_tell(void *data, const cuc_tune_candidate *c)
{
    tune_report *r = data;

    bench_progress_clear();
    if (!r->all) {
        print_candidate(r, c);
        r->begun = true;
        return;
    }
    json_t *one = cli_object();
    cli_set(one, "what", cli_text(r->what));
    cli_set(one, "choice", cli_text(c->choice));
    cli_set(one, "simulated", cli_bool(cuc_driver_is_simulated()));
    if (!isnan(c->seconds)) {
        cli_set(one, "seconds", cli_real(c->seconds));
        cli_set(one, "ci_low", cli_real(c->ci_low));
        cli_set(one, "ci_high", cli_real(c->ci_high));
    } else {
        cli_set(one, "reason", cli_text(c->reason));
    }
    cli_set(one, "model", cli_real(c->model));
    cli_append(r->all, one);
}

int tune_print(json_t *reports, int status)
{
    json_t *document = cli_document(status == CLI_DONE);

    cli_set(document, "candidates", reports);
    if (status != CLI_DONE)
        cli_set(document, "error", cli_error_json());
    return cli_print_json(document, status);
}

// ---- A tile program

static int take_options(launcher *l, cuc_tune_options *o, bool *driver_given, cli_parser *parser)
{
    const char *value;
    int id, status = CLI_DONE;

    while ((id = cli_next(parser, &value)) > 0 && !status) {
        if (id == TUNE_KERNEL)
            l->kernel_name = value;
        else if ((status = source_options_take(&l->options, id, value)) < 0 &&
                 (status = tune_take(o, driver_given, id, value)) < 0)
            status = CLI_DONE;
    }
    return status ? status : parser->status;
}

static int take_operands(launcher *l, const cli_parser *parser)
{
    size_t count = (size_t)parser->operand_count;

    if (!count)
        return cli_usage_error("a FILE is missing: a tile program, or gemm");
    l->path = parser->operands[0];
    int status = source_identify(&l->source, l->path, &l->options);
    if (status)
        return status;
    if (l->source.language->source != CUC_SOURCE_TILE)
        return cli_usage_error("'%s' is not a tile program; only these have auto()", l->path);
    if (l->options.arch)
        return cli_usage_error("leave --arch out: tuning is for the device that measures");
    return launcher_take_arguments(l, count - 1, parser->operands + 1);
}

static cuc_status tune(launcher *l, cuc_tune_options *o, tune_report *report)
{
    cuc_program_options program = CUC_PROGRAM_OPTIONS_INIT;
    cuc_status st;

    program.name = l->source.name;
    source_tile_options(&program, &l->options);
    o->tell = tune_tell;
    o->progress = tune_progress;
    o->user = report;
    if ((st = cuc_stream_create(&l->stream, l->device, NULL)) < 0 || (st = launcher_fill(l)) < 0 ||
        (st = cuc_stream_synchronize(l->stream)) < 0)
        return st;
    return cuc_tile_tune(NULL, 0, l->device, l->source.text, l->source.bytes, &program,
                         l->kernel ? cuc_kernel_name(l->kernel) : l->kernel_name, l->args,
                         l->argument_count, o);
}

static int run(int argc, char **argv)
{
    cuc_tune_options o = CUC_TUNE_OPTIONS_INIT;
    launcher l = { 0 };
    tune_report report = { 0 };
    bool driver_given = false;
    cli_parser parser;

    source_options_begin(&l.options, argc);
    cli_parse(&parser, &cli_tune, argc, argv);
    int status = take_options(&l, &o, &driver_given, &parser);
    if (!status && parser.operands)
        status = take_operands(&l, &parser);
    if (!status && parser.operands) {
        driver_settle(driver_given, "the kernel");
        report.what = l.path;
        report.all = cli_json_wanted() ? cli_array() : NULL;
        status = launcher_load(&l);
        bool failed = !status && tune(&l, &o, &report) < 0;
        bench_progress_clear();
        if (failed)
            status = report.all ? CLI_FAILED : cli_fail_cuc();
        if (report.all)
            status = tune_print(report.all, status);
    }
    launcher_release(&l);
    return status;
}

static const cli_command *const parts[] = { &cli_tune_gemm, NULL };

const cli_command cli_tune = {
    .name = "tune",
    .summary =
        "Measure what auto() of a tile program may be, or tiles of cuc_gemm(); keep the best",
    .usage = "FILE.tile [--dim NAME=EXTENT...] [-o FILE] ARG...",
    .examples = "  cucore tune softmax.tile -o tuned.tsv \\\n"
                "      in:x.npy 'out:bf16[4096,4096]=y.npy'\n"
                "  cucore tune gemm --dtype bf16 --layout nn,nt --shape 4096 -o tuned.tsv\n",
    .details = "Candidates are measured cold, alternately, until their medians are known, and each "
               "result is compared with\nthe first one's. ARG is as for cucore run, and gives the "
               "dimensions; --dim gives them otherwise. Arrays hold\nafterwards what they held. "
               "What is kept in FILE is\nused by programs that are "
               "compiled for those dimensions on such a device: CUCORE_TUNED=FILE, or "
               "the\noption `tuned` of cuc_program_create() and cuc_gemm_plan_create().\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
    .parts = parts,
};
