#include "bench.h"
#include "base/array.h"
#include "bench_session.h"
#include "table.h"

#include "cases/cases.h"
#include "cases/draw.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_LIST = BENCH_NEXT_ID, BENCH_FILTER, BENCH_AXIS, BENCH_RANDOM };

static const cli_option options[] = {
    { "list", BENCH_LIST, NULL, "list the cases and their axes without measuring" },
    { "filter", BENCH_FILTER, "REGEX", "select cases whose suite/case matches" },
    { "axis", BENCH_AXIS, "NAME=LIST", "values of an axis; repeat for more axes" },
    { "random", BENCH_RANDOM, "N", "N random points of each case that has them, with a summary" },
    BENCH_SESSION_OPTIONS,
};

static const cli_command *const parts[] = {
    &cli_bench_kernel, &cli_bench_show, &cli_bench_compare, &cli_bench_plot, NULL,
};

typedef struct request {
    bench_session session;
    cuc_bench_selection selection;
    const char **axes;
    uint32_t random; // points to draw for each drawn case; 0: use the cases' own points
    bool list;
} request;

// ---- Listing of suites and cases

static const char *suite_name_at(const void *list, size_t index)
{
    (void)list;
    return bench_suites[index] ? bench_suites[index]->name : NULL;
}

static int check_suites(const request *q)
{
    for (size_t i = 0; i < q->selection.suite_count; i++) {
        const char *name = q->selection.suites[i];
        const char *nearest = cli_nearest(name, suite_name_at, NULL);
        size_t at = 0;
        while (suite_name_at(NULL, at) && strcmp(suite_name_at(NULL, at), name) != 0)
            at++;
        if (!suite_name_at(NULL, at))
            return nearest
                       ? cli_usage_error("unknown suite '%s': did you mean '%s'?", name, nearest)
                       : cli_usage_error("unknown suite '%s'; --list has them", name);
    }
    return CLI_DONE;
}

static int check_random(const request *q)
{
    for (size_t i = 0; q->random && i < q->selection.suite_count; i++)
        for (size_t at = 0; bench_suites[at]; at++)
            if (strcmp(bench_suites[at]->name, q->selection.suites[i]) == 0 &&
                !bench_suites[at]->draws)
                return cli_usage_error("suite '%s' has no random points; --list --random 1 has the "
                                       "cases with them",
                                       q->selection.suites[i]);
    return CLI_DONE;
}

// Return the function that draws points of a case; NULL if the case has no random points.
static bench_draw_point *draw_of(const bench_suite *suite, const cuc_bench_case *c)
{
    for (const bench_draw *d = suite->draws; d && d->name; d++)
        if (strcmp(d->name, c->name) == 0)
            return d->draw;
    return NULL;
}

// Add a case with random points instead of its own.
static cuc_status add_drawn(const request *q, const cuc_bench_case *c, bench_draw_point *draw)
{
    char *points = bench_draw_points(c, draw, q->session.options.seed, q->random);
    cuc_bench_axis *axes = cli_allocate(c->axis_count * sizeof(*axes));
    cuc_bench_case drawn = *c;
    cuc_status st = points ? CUC_OK : cuc_error_status();

    memcpy(axes, c->axes, c->axis_count * sizeof(*axes));
    axes[0].values = points;
    axes[0].quick = NULL;
    drawn.axes = axes;
    drawn.flags |= CUC_BENCH_CASE_DISTRIBUTION;
    if (st >= 0)
        st = cuc_bench_add_case(q->session.bench, &drawn);
    free(axes);
    free(points);
    return st;
}

static cuc_status add_suites(const request *q)
{
    cuc_status st = CUC_OK;

    for (size_t i = 0; bench_suites[i] && st >= 0; i++)
        for (size_t c = 0; c < bench_suites[i]->case_count && st >= 0; c++) {
            const cuc_bench_case *one = &bench_suites[i]->cases[c];
            bench_draw_point *draw = q->random ? draw_of(bench_suites[i], one) : NULL;
            if (draw)
                st = add_drawn(q, one, draw);
            else if (!q->random)
                st = cuc_bench_add_case(q->session.bench, one);
        }
    return st;
}

// Choose a new seed for each run, so that a change is not judged by the points it was tuned on.
static void settle_seed(request *q)
{
    struct timespec now;

    if (!q->random || q->session.seed_given)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    q->session.options.seed = ((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000) %
                              1000000000;
    cli_note("--seed %llu repeats these points", (unsigned long long)q->session.options.seed);
}

// Count the points of each case, indexed by case.
static int32_t count_point(void *data, size_t index, const cuc_bench_case *bench_case,
                           const char *axes)
{
    size_t *counts = data;

    (void)bench_case;
    (void)axes;
    counts[index]++;
    return 0;
}

// Return the values that --axis gives for an axis; NULL if it gives none.
static const char *values_given(const request *q, const char *axis)
{
    size_t length = strlen(axis);

    for (size_t i = q->selection.axis_count; i-- > 0;)
        if (strncmp(q->axes[i], axis, length) == 0 && q->axes[i][length] == '=')
            return q->axes[i] + length + 1;
    return NULL;
}

// Write values in the form that --axis accepts, such as "2^10,12" or "1024,2^12". On a power-of-two
// axis a number below 64 is an exponent; the first of several exponents gets a "2^".
static size_t values_text(char *out, size_t size, const char *values, bool powers)
{
    bool exponents = false;
    size_t used = 0;

    while (*values && used < size) {
        size_t length = strcspn(values, ",");
        bool told = strncmp(values, "2^", 2) == 0;
        bool exponent = powers && (told || strtoll(values, NULL, 10) < 64);
        used += (size_t)snprintf(out + used, size - used, "%s%.*s%s",
                                 exponent && !exponents && !told ? "2^" : "", (int)length, values,
                                 values[length] ? "," : "");
        exponents = exponent;
        values += length + (values[length] != '\0');
    }
    return used;
}

static void axes_text(char *out, size_t size, const request *q, const cuc_bench_case *c)
{
    bool quick = (q->session.options.flags & CUC_BENCH_QUICK) != 0;
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < c->axis_count && used < size; i++) {
        const cuc_bench_axis *a = &c->axes[i];
        const char *values = values_given(q, a->name);
        if (!values)
            values = quick && a->quick ? a->quick : a->values;
        used += (size_t)snprintf(out + used, size - used, "%s%s=", i ? " " : "", a->name);
        if (used < size)
            used += values_text(out + used, size - used, values, a->kind == CUC_BENCH_AXIS_POW2);
    }
}

// Return an upper bound for the size of a case's axes as text. Each value may get a "2^".
static size_t axes_size(const request *q, const cuc_bench_case *c)
{
    size_t size = 1;

    for (size_t i = 0; i < c->axis_count; i++) {
        const char *given = values_given(q, c->axes[i].name);
        size += strlen(c->axes[i].name) + 3 * strlen(given ? given : c->axes[i].values) + 3;
    }
    return size;
}

static int print_list(const request *q)
{
    static const char *const heads[] = { "suite", "case", "points", "axes", "what" };
    cuc_bench *bench = q->session.bench;
    size_t count = cuc_bench_case_count(bench);
    size_t *points = cli_allocate(count * sizeof(*points));
    char number[32];
    table t;

    if (cuc_bench_visit(NULL, bench, &q->selection, count_point, points) < 0) {
        free(points);
        return cli_fail_cuc();
    }
    table_begin(&t, heads, "llrll");
    for (size_t i = 0; i < count; i++) {
        cuc_bench_case c = CUC_BENCH_CASE_INIT;
        if (!points[i] || cuc_bench_get_case(&c, bench, i) < 0)
            continue;
        snprintf(number, sizeof(number), "%zu", points[i]);
        size_t size = axes_size(q, &c);
        char *axes = cli_allocate(size);
        axes_text(axes, size, q, &c);
        const char *cells[] = { c.suite, c.name, number, axes, c.about ? c.about : "" };
        for (size_t k = 0; k < CUC_LENGTH(cells); k++)
            table_add(&t, cells[k]);
        free(axes);
    }
    table_print(&t, stdout, TABLE_PLAIN);
    table_end(&t);
    free(points);
    return CLI_DONE;
}

// ---- The command

static int take_options(request *q, cli_parser *parser)
{
    const char *value;
    int status = CLI_DONE;
    int id = 0;

    while (!status && (id = cli_next(parser, &value)) > 0) {
        if (id == BENCH_LIST)
            q->list = true;
        else if (id == BENCH_FILTER)
            q->selection.filter = value;
        else if (id == BENCH_AXIS)
            q->axes[q->selection.axis_count++] = value;
        else if (id == BENCH_RANDOM)
            status = value_number(&q->random, "random", value, 1, 5000);
        else
            status = bench_session_take(&q->session, id, value);
    }
    if (!status && id < 0)
        return parser->status;
    q->selection.suites = (const char *const *)parser->operands;
    q->selection.suite_count = (size_t)parser->operand_count;
    q->selection.axes = q->axes;
    if (!status && !q->selection.suite_count && !q->list && !q->selection.filter)
        status = cli_usage_error("a SUITE is missing; --list has them");
    if (!status)
        status = check_suites(q);
    return status ? status : check_random(q);
}

static int measure(request *q)
{
    int status = bench_session_check(&q->session);

    settle_seed(q);
    // Listing cases needs no device and works without a driver.
    if (q->list)
        q->session.options.flags |= CUC_BENCH_NO_DEVICE;
    if (!status && q->list)
        status = cuc_bench_create(&q->session.bench, &q->session.options) == CUC_OK
                     ? CLI_DONE
                     : cli_fail_cuc();
    else if (!status)
        status = bench_session_open(&q->session, "the benchmark");
    if (!status && add_suites(q) < 0)
        status = cli_fail_cuc();
    if (status)
        return status;
    return q->list ? print_list(q) : bench_session_run(&q->session, &q->selection);
}

// Answer requests: a suite's child processes run this program as cucore bench --serve SUITE. The
// option is internal and therefore missing from the option table.
static int serve(const char *name)
{
    for (size_t i = 0; bench_suites[i]; i++)
        if (strcmp(bench_suites[i]->name, name) == 0 && bench_suites[i]->serve)
            return bench_suites[i]->serve();
    return cli_usage_error("suite '%s' has no processes of its own", name);
}

static int run(int argc, char **argv)
{
    request q = { .selection = CUC_BENCH_SELECTION_INIT };
    cli_parser parser;

    if (argc == 3 && strcmp(argv[1], "--serve") == 0)
        return serve(argv[2]);
    bench_session_begin(&q.session, &cli_bench, argc, argv);
    q.axes = cli_allocate((size_t)argc * sizeof(*q.axes));
    cli_parse(&parser, &cli_bench, argc, argv);
    int status = take_options(&q, &parser);
    if (!status && parser.operands)
        status = measure(&q);
    bench_session_end(&q.session);
    free(q.axes);
    return status;
}

const cli_command cli_bench = {
    .name = "bench",
    .summary = "Measure suites of benchmarks, or a kernel, and compare, show and plot the results",
    .usage = "SUITE... [OPTION...]",
    .examples = "  cucore bench --list\n"
                "  cucore bench runtime --quick\n"
                "  cucore bench memory --filter copy --axis bytes=20:30 --json memory.json\n"
                "  cucore bench gemm --random 100 --json random.json\n"
                "  cucore bench kernel saxpy.cu saxpy --grid 4096 --block 256 f32:2 in:x.npy \\\n"
                "      inout:y.npy=expected.npy i32:1048576\n"
                "  cucore bench compare old.json new.json\n",
    .details =
        "Every subject is checked before it is timed. The subjects of a point alternate, sample "
        "by sample,\n"
        "in random order. A sample is taken\n"
        "  cold   with the L2 cache flushed, and everything enqueued before it starts\n"
        "  hot    back to back\n"
        "  graph  as a replay of a captured graph\n"
        "  cpu    by the host's clock: the cost of the call\n"
        "until the median is known well enough, more samples add no information, or the time is "
        "up. Times\n"
        "are medians with their 95 % interval. A time is compared with the peer's by the ratios "
        "of\n"
        "neighbouring samples: SAME within 1 %, FASTER or SLOWER if the interval excludes 1, else "
        "UNSURE.\n"
        "DISTURBED: more than a third of the samples ran at a low clock and were discarded.\n"
        "--random measures random points with a new seed, and prints how the peer's time divided "
        "by the\n"
        "subject's is distributed. The simulated driver gets small points.\n"
        "Without a GPU the simulated driver is used, and every output says so: its times are not "
        "a GPU's.\n"
        "Exit status: 0 done, 1 something failed, 2 wrong usage.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
    .parts = parts,
};
