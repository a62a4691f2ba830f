#include "base/array.h"
#include "bench.h"
#include "results_compare.h"
#include "units.h"
#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARE_THRESHOLD = CLI_LONG, COMPARE_CHANGES, COMPARE_FORCE };

static const cli_option options[] = {
    { "threshold", COMPARE_THRESHOLD, "PERCENT", "the smallest relevant change; 2 by default" },
    { "changes", COMPARE_CHANGES, NULL, "omit unchanged results" },
    { "force", COMPARE_FORCE, NULL, "compare results of different GPUs" },
    CLI_JSON_OPTION,
};

typedef struct request {
    double threshold; // a fraction
    bool changes;     // show only changes
    bool force;       // allow different GPUs
    results before;
    results after;
    comparisons found;
} request;

// ---- Text report

static void add_time(table *t, const result *r)
{
    char text[UNITS_SIZE] = "";

    table_add(t, r ? units_text(text, r->median_s, UNITS_SECONDS) : text);
}

static void add_comparison(table *t, const comparison *c)
{
    const result *r = comparison_shown(c);
    char ratio[UNITS_SIZE], low[UNITS_SIZE], high[UNITS_SIZE], interval[3 * UNITS_SIZE] = "";

    if (!isnan(c->low))
        snprintf(interval, sizeof(interval), "[%s, %s]", units_ratio(low, c->low),
                 units_ratio(high, c->high));
    table_add(t, r->key);
    add_time(t, c->before);
    add_time(t, c->after);
    table_add(t, units_ratio(ratio, c->ratio));
    table_add(t, interval);
    table_add(t, compare_verdict_names[c->verdict]);
    table_add(t, c->why);
}

static const char *verdict_colour(const char *text)
{
    static const char *const colours[COMPARE_VERDICT_COUNT] = {
        [COMPARE_FASTER] = "\033[32m",
        [COMPARE_SLOWER] = "\033[31m",
        [COMPARE_UNSURE] = "\033[33m",
    };

    for (size_t i = 0; i < COMPARE_VERDICT_COUNT; i++)
        if (strcmp(text, compare_verdict_names[i]) == 0)
            return colours[i];
    return NULL;
}

static void print_machines(const request *q)
{
    difference differences[COMPARE_MAX_DIFFERENCES];
    size_t n = compare_machines(differences, &q->before, &q->after);
    char machine[512];

    results_machine(machine, sizeof(machine), &q->before);
    printf("OLD  %s: %s\n", q->before.path, machine);
    results_machine(machine, sizeof(machine), &q->after);
    printf("NEW  %s: %s\n", q->after.path, machine);
    if (q->after.simulated)
        printf("both simulated: no time here is a GPU's\n");
    if (q->before.unfinished || q->after.unfinished)
        printf("warning: %s unfinished: what was still to be measured is only in one\n",
               !q->before.unfinished  ? "NEW is"
               : !q->after.unfinished ? "OLD is"
                                      : "OLD and NEW are");
    for (size_t i = 0; i < n; i++)
        printf("%s: %s %s in OLD, %s in NEW\n",
               strcmp(differences[i].what, "commit") == 0 ? "note" : "warning", differences[i].what,
               differences[i].before, differences[i].after);
}

// Print speedups of drawn cases: the peer's time divided by the subject's.
static void print_summaries(const request *q)
{
    static const char *const heads[] = { "case",    "subject", "points",    "mean OLD", "NEW",
                                         "5 % OLD", "NEW",     "worst OLD", "NEW",      "NEW / OLD",
                                         "95 % CI", "verdict", "why" };
    table t;

    table_begin(&t, heads, "llrrrrrrrrlll");
    t.colour = verdict_colour;
    for (size_t i = 0; i < q->found.summary_count; i++) {
        const summary_comparison *c = &q->found.summaries[i];
        const double pairs[][2] = { { c->before->geomean, c->after->geomean },
                                    { c->before->p5, c->after->p5 },
                                    { c->before->worst, c->after->worst } };
        char text[3 * UNITS_SIZE], low[UNITS_SIZE], high[UNITS_SIZE];
        if (q->changes && c->verdict == COMPARE_SAME)
            continue;
        snprintf(text, sizeof(text), "%s/%s", c->after->suite, c->after->name);
        table_add(&t, text);
        table_add(&t, c->after->subject);
        snprintf(text, sizeof(text), c->paired ? "%lld" : "%lld, %lld",
                 (long long)c->before->points, (long long)c->after->points);
        table_add(&t, text);
        for (size_t k = 0; k < CUC_LENGTH(pairs); k++)
            for (size_t side = 0; side < 2; side++)
                table_add(&t, units_ratio(text, pairs[k][side]));
        table_add(&t, units_ratio(text, c->ratio));
        snprintf(text, sizeof(text), "[%s, %s]", units_ratio(low, c->low),
                 units_ratio(high, c->high));
        table_add(&t, text);
        table_add(&t, compare_verdict_names[c->verdict]);
        table_add(&t, c->why);
    }
    if (t.rows > 1) {
        printf("\nthe peer's time / the subject's, above 1 is faster\n");
        table_print(&t, stdout, TABLE_PLAIN);
    }
    table_end(&t);
}

static void print_report(const request *q)
{
    static const char *const heads[] = { "result",  "OLD",     "NEW", "NEW / OLD",
                                         "95 % CI", "verdict", "why" };
    table t;

    print_machines(q);
    print_summaries(q);
    table_begin(&t, heads, "lrrrlll");
    t.colour = verdict_colour;
    for (size_t i = 0; i < q->found.count; i++)
        if (!q->changes || q->found.list[i].verdict != COMPARE_SAME)
            add_comparison(&t, &q->found.list[i]);
    putchar('\n');
    if (t.rows > 1) {
        table_print(&t, stdout, TABLE_PLAIN);
        putchar('\n');
    }
    table_end(&t);
    for (size_t i = 0; i < COMPARE_VERDICT_COUNT; i++)
        printf("%s%zu %s", i ? ", " : "", q->found.counts[i], compare_verdict_names[i]);
    if (q->found.failed)
        printf(", %zu failed in NEW", q->found.failed);
    if (q->found.absent)
        printf(", %zu without a time in both", q->found.absent);
    putchar('\n');
}

// ---- JSON

static json_t *number_or_null(double value)
{
    return isnan(value) ? json_null() : cli_real(value);
}

static json_t *comparison_json(const comparison *c)
{
    const result *r = comparison_shown(c);
    json_t *entry = cli_object();
    json_t *axes = json_object_get(r->json, "axes");

    cli_set(entry, "suite", cli_text(r->suite));
    cli_set(entry, "case", cli_text(r->name));
    cli_set(entry, "axes", axes ? json_incref(axes) : cli_object());
    cli_set(entry, "subject", cli_text(r->subject));
    cli_set(entry, "mode", cli_text(r->mode));
    cli_set(entry, "old_s", number_or_null(c->before ? c->before->median_s : (double)NAN));
    cli_set(entry, "new_s", number_or_null(c->after ? c->after->median_s : (double)NAN));
    cli_set(entry, "ratio", number_or_null(c->ratio));
    cli_set(entry, "ratio_low", number_or_null(c->low));
    cli_set(entry, "ratio_high", number_or_null(c->high));
    cli_set(entry, "verdict", cli_text(compare_verdict_names[c->verdict]));
    cli_set(entry, "why", cli_text(*c->why ? c->why : NULL));
    return entry;
}

static json_t *summary_json(const summary_comparison *c)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        { "old_geomean", c->before->geomean },
        { "new_geomean", c->after->geomean },
        { "old_p5", c->before->p5 },
        { "new_p5", c->after->p5 },
        { "old_worst", c->before->worst },
        { "new_worst", c->after->worst },
        { "ratio", c->ratio },
        { "ratio_low", c->low },
        { "ratio_high", c->high },
    };
    json_t *entry = cli_object();

    cli_set(entry, "suite", cli_text(c->after->suite));
    cli_set(entry, "case", cli_text(c->after->name));
    cli_set(entry, "subject", cli_text(c->after->subject));
    cli_set(entry, "old_points", cli_integer(c->before->points));
    cli_set(entry, "new_points", cli_integer(c->after->points));
    cli_set(entry, "same_points", cli_bool(c->paired));
    for (size_t i = 0; i < CUC_LENGTH(numbers); i++)
        cli_set(entry, numbers[i].key, number_or_null(numbers[i].value));
    cli_set(entry, "verdict", cli_text(compare_verdict_names[c->verdict]));
    cli_set(entry, "why", cli_text(*c->why ? c->why : NULL));
    return entry;
}

static int print_json(const request *q, int status)
{
    difference differences[COMPARE_MAX_DIFFERENCES];
    size_t n = compare_machines(differences, &q->before, &q->after);
    json_t *document = cli_document(status == CLI_DONE);
    json_t *counts = cli_object();
    json_t *list = cli_array();
    json_t *machines = cli_array();
    json_t *summaries = cli_array();

    for (size_t i = 0; i < n; i++) {
        json_t *entry = cli_object();
        cli_set(entry, "what", cli_text(differences[i].what));
        cli_set(entry, "old", cli_text(differences[i].before));
        cli_set(entry, "new", cli_text(differences[i].after));
        cli_append(machines, entry);
    }
    for (size_t i = 0; i < COMPARE_VERDICT_COUNT; i++)
        cli_set(counts, compare_verdict_names[i], cli_integer((int64_t)q->found.counts[i]));
    cli_set(counts, "failed in NEW", cli_integer((int64_t)q->found.failed));
    for (size_t i = 0; i < q->found.count; i++)
        cli_append(list, comparison_json(&q->found.list[i]));
    cli_set(document, "threshold", cli_real(q->threshold));
    cli_set(document, "simulated", cli_bool(q->after.simulated));
    cli_set(document, "differences", machines);
    cli_set(document, "counts", counts);
    cli_set(document, "results", list);
    for (size_t i = 0; i < q->found.summary_count; i++)
        cli_append(summaries, summary_json(&q->found.summaries[i]));
    cli_set(document, "summaries", summaries);
    return cli_print_json(document, status);
}

// ---- The command

// Report a failure with its own exit status, so that scripts can tell it from a slower result.
static int fail(const cli_why *why)
{
    cli_fail("%s", why->text);
    return CLI_USAGE;
}

static int compare(request *q, char **paths)
{
    cli_why why;

    if (!results_read(&q->before, paths[0], &why) || !results_read(&q->after, paths[1], &why) ||
        (!q->force && !compare_same_gpu(&q->before, &q->after, &why)) ||
        !compare_results(&q->found, &q->before, &q->after, q->threshold, &why))
        return fail(&why);
    int status = q->found.counts[COMPARE_SLOWER] || q->found.failed ? CLI_FAILED : CLI_DONE;
    if (cli_json_wanted())
        return print_json(q, status);
    print_report(q);
    return status;
}

static int run(int argc, char **argv)
{
    request q = { 0 };
    double percent = 2; // processes that differ only in memory addresses differ by up to 1.5 %
    cli_parser parser;
    const char *value;
    int status = CLI_DONE;
    int id;

    cli_parse(&parser, &cli_bench_compare, argc, argv);
    while ((id = cli_next(&parser, &value)) > 0 && !status) {
        q.changes |= id == COMPARE_CHANGES;
        q.force |= id == COMPARE_FORCE;
        if (id == COMPARE_THRESHOLD)
            status = value_real(&percent, "threshold", value, 0.1, 100);
    }
    if (id < 0)
        return parser.status;
    if (status)
        return status;
    if (parser.operand_count != 2)
        return cli_usage_error("two files are compared, OLD and NEW, and %d are given",
                               parser.operand_count);
    q.threshold = percent / 100;
    status = compare(&q, parser.operands);
    comparisons_release(&q.found);
    results_release(&q.before);
    results_release(&q.after);
    return status;
}

const cli_command cli_bench_compare = {
    .name = "bench compare",
    .summary = "Compare two runs result by result: same, faster, slower, or uncertain",
    .usage = "OLD NEW [--threshold PERCENT] [--changes] [--force] [--json]",
    .examples = "  cucore bench compare main.json branch.json\n"
                "  cucore bench compare --changes --threshold 3 main.json branch.json\n"
                "  cucore bench compare --json main.json branch.json | "
                "jq '.results[] | select(.verdict == \"SLOWER\")'\n",
    .details =
        "Results are matched by suite, case, axes, subject and mode; NEW / OLD is the ratio of the "
        "median times\nwith its 95 % confidence interval, from every sample where the files have "
        "them.\n"
        "  SAME    the interval lies within the threshold of 1\n"
        "  FASTER  the interval lies below 1, and the change is above the threshold and above the\n"
        "          spread of samples in one run: half the interquartile range\n"
        "  SLOWER  likewise above 1\n"
        "  UNSURE  none of these, or a run was disturbed; `why` says what\n"
        "Cases that --random measured are compared by the geometric mean of the peer's time "
        "divided "
        "by the\nsubject's, point by point if both runs have the same seed; their points are not "
        "listed.\n"
        "What differs in machine, driver, clocks and commit is said first. Results of different "
        "GPUs are no\ncomparison, unless --force says so; a simulated run and a real one never "
        "are.\n"
        "Exit status: 0 nothing is slower, 1 something is, or failed in NEW, 2 wrong usage or no "
        "comparison.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
