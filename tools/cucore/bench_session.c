#include "bench_session.h"

#include "base/array.h"
#include "results.h"
#include "values.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- Options

// Return the command line, quoted for a shell; argv[0] is only part of the command's name.
static char *command_line(const cli_command *command, int argc, char **argv)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%";
    size_t capacity = strlen(command->name) + sizeof("cucore ");

    for (int i = 1; i < argc; i++)
        capacity += 4 * strlen(argv[i]) + 3;
    char *text = cli_allocate(capacity);
    char *at = stpcpy(stpcpy(text, "cucore "), command->name);
    for (int i = 1; i < argc; i++) {
        bool quoted = !*argv[i] || argv[i][strspn(argv[i], plain)];
        at = stpcpy(at, quoted ? " '" : " ");
        for (const char *c = argv[i]; *c; c++)
            if (*c == '\'')
                at = stpcpy(at, "'\\''");
            else
                *at++ = *c;
        at = stpcpy(at, quoted ? "'" : "");
    }
    return text;
}

void bench_session_begin(bench_session *s, const cli_command *command, int argc, char **argv)
{
    *s = (bench_session){ .options = CUC_BENCH_OPTIONS_INIT };
    s->command = command_line(command, argc, argv);
    s->options.command = s->command;
}

static int take_modes(uint32_t *out, const char *list)
{
    char name[16];
    uint32_t modes = 0;

    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof(name), "%.*s", (int)length, at);
        uint32_t mode = cuc_bench_mode_from_name(name);
        if (!mode)
            return cli_usage_error("--mode has '%s': cold, hot, graph and cpu are known, with a "
                                   "comma between them",
                                   name);
        modes |= mode;
        at += length;
        if (!*at)
            break;
    }
    *out = modes;
    return CLI_DONE;
}

static int take_count(uint64_t *out, const char *option, const char *value)
{
    uint32_t count = 0;
    int status = value_number(&count, option, value, 1, 10000000);

    if (!status)
        *out = count;
    return status;
}

static int take_seed(uint64_t *out, const char *value)
{
    char *end;

    errno = 0;
    uint64_t seed = strtoull(value, &end, 0);
    if (*value < '0' || *value > '9' || *end || errno)
        return cli_usage_error("--seed is '%s': a whole number below 2^64 is expected", value);
    *out = seed;
    return CLI_DONE;
}

static int take_file(const char **out, const char *option, const char *value)
{
    if (!*value)
        return cli_usage_error("--%s names no file", option);
    *out = value;
    return CLI_DONE;
}

int bench_session_take(bench_session *s, int id, const char *value)
{
    cuc_bench_options *o = &s->options;

    switch (id) {
    case BENCH_QUICK:
        o->flags |= CUC_BENCH_QUICK;
        return CLI_DONE;
    case BENCH_SAMPLES:
        o->flags |= CUC_BENCH_KEEP_SAMPLES;
        return CLI_DONE;
    case BENCH_LIMITS:
        s->fails_over_limit = true;
        return CLI_DONE;
    case BENCH_COMMIT:
        o->commit = value;
        return CLI_DONE;
    case BENCH_MODE:
        return take_modes(&o->modes, value);
    case BENCH_MIN_SAMPLES:
        return take_count(&o->min_samples, "min-samples", value);
    case BENCH_MAX_SAMPLES:
        return take_count(&o->max_samples, "max-samples", value);
    case BENCH_MAX_SECONDS:
        return value_real(&o->max_seconds, "max-seconds", value, 0.001, 3600);
    case BENCH_TARGET:
        return value_real(&s->target_percent, "target", value, 0.01, 50);
    case BENCH_SEED:
        s->seed_given = true;
        return take_seed(&o->seed, value);
    case BENCH_DEVICE:
        s->device_given = true;
        return value_number(&s->device, "device", value, 0, 1000);
    case BENCH_DRIVER:
        return value_driver(&s->driver_given, value);
    case BENCH_JSON:
        return take_file(&s->json, "json", value);
    case BENCH_CSV:
        return take_file(&s->csv, "csv", value);
    case BENCH_MD:
        return take_file(&s->md, "md", value);
    default:
        return -1;
    }
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

// Resolve links in a path, even if the file does not exist yet. The caller frees the result, which
// is NULL if the folder does not exist.
static char *whole_path(const char *path)
{
    char *whole = realpath(path, NULL);
    const char *slash = strrchr(path, '/');
    char *folder = cli_copy_text(slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
    char *there = whole ? NULL : realpath(folder, NULL);

    if (there) {
        const char *name = slash ? slash + 1 : path;
        whole = cli_allocate(strlen(there) + strlen(name) + 2);
        sprintf(whole, "%s/%s", there, name);
    }
    free(there);
    free(folder);
    return whole;
}

static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    if (strcmp(one, other) == 0 || is_stdout(one) || is_stdout(other))
        return strcmp(one, other) == 0;
    char *whole[] = { whole_path(one), whole_path(other) };
    bool same = (whole[0] && whole[1] && strcmp(whole[0], whole[1]) == 0) ||
                (stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
                 a.st_ino == b.st_ino); // both names lead to one file

    free(whole[0]);
    free(whole[1]);
    return same;
}

int bench_session_check(const bench_session *s)
{
    const char *const files[] = { s->json, s->csv, s->md };

    for (size_t i = 0; i < CUC_LENGTH(files); i++)
        for (size_t j = 0; j < i; j++)
            if (files[i] && files[j] && is_same_file(files[i], files[j]))
                return cli_usage_error("two forms of the results are written to '%s'", files[i]);
    if (s->options.max_samples && s->options.max_samples < s->options.min_samples)
        return cli_usage_error("--max-samples is %llu, less than --min-samples, %llu",
                               (unsigned long long)s->options.max_samples,
                               (unsigned long long)s->options.min_samples);
    return CLI_DONE;
}

// If the user sets only one limit and it conflicts with the other's default, change that default.
static void settle_samples(cuc_bench_options *o)
{
    bool quick = o->flags & CUC_BENCH_QUICK;

    if (o->max_samples && !o->min_samples && o->max_samples < (quick ? 10 : 20))
        o->min_samples = o->max_samples;
    if (o->min_samples && !o->max_samples && o->min_samples > (quick ? 1000 : 10000))
        o->max_samples = o->min_samples;
}

// ---- The run

static volatile sig_atomic_t interrupted;

// Signals from a terminal, timeout(1), or an expiring CI job; the run keeps its results so far.
static const int endings[] = { SIGINT, SIGTERM, SIGHUP };

enum { ENDINGS = CUC_LENGTH(endings) };

static void on_interrupt(int signal_number)
{
    interrupted = 1;
    // A user at a terminal can press Control-C again. After the other signals, end soon, because
    // nobody waits for a slow sample.
    if (signal_number != SIGINT)
        alarm(20);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Save the results so far, so that a killed run loses almost nothing. Saving takes at most a
// twentieth of the time.
static void keep_so_far(bench_session *s)
{
    double begun = now();

    if (!s->keeps || begun < s->next_kept_at || !cuc_bench_result_count(s->bench))
        return;
    if (cuc_bench_write_json(s->bench, s->json) < 0)
        s->keeps = false; // the final write fails too, and reports it
    cuc_error_clear();    // this error must not be taken for the cause of a later failure
    s->next_kept_at = now() + 19 * (now() - begun);
}

static int32_t on_progress(void *data, const cuc_bench_progress *progress)
{
    // Nothing else may run while samples are taken.
    if (progress->event != CUC_BENCH_PROGRESS_SAMPLES)
        keep_so_far(data);
    if (progress->event != CUC_BENCH_PROGRESS_RESULT)
        bench_progress_show(progress);
    return interrupted;
}

// Report an unwritable file before an hour of measuring rather than after it.
static int check_file(const char *path)
{
    struct stat there;
    cli_file file = { 0 };
    cli_why why;

    if (!path || is_stdout(path))
        return CLI_DONE;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return CLI_DONE; // opening a pipe would wait until something reads it
    bool ok = cli_file_begin(&file, path, &why);
    cli_file_discard(&file);
    return ok ? CLI_DONE : cli_fail("%s", why.text);
}

int bench_session_open(bench_session *s, const char *what)
{
    const char *const files[] = { s->json, s->csv, s->md };
    int status = CLI_DONE;

    cli_set_json(is_stdout(s->json)); // report failures as JSON too
    for (size_t i = 0; i < CUC_LENGTH(files) && !status; i++)
        status = check_file(files[i]);
    if (status)
        return status;
    driver_settle(s->driver_given, what);
    settle_samples(&s->options);
    s->options.target = s->target_percent / 100;
    s->options.progress = on_progress;
    s->options.progress_data = s;
    // A pipe can be written only once.
    struct stat there;
    s->keeps = s->json && !is_stdout(s->json) &&
               (stat(s->json, &there) != 0 || S_ISREG(there.st_mode));
    if (s->device_given && cuc_device_get(&s->options.device, (int32_t)s->device) != CUC_OK)
        return cli_fail_cuc();
    return cuc_bench_create(&s->bench, &s->options) == CUC_OK ? CLI_DONE : cli_fail_cuc();
}

static cuc_status run_interruptible(bench_session *s, const cuc_bench_selection *selection)
{
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };
    struct sigaction before[ENDINGS];

    // A second signal ends the program.
    for (size_t i = 0; i < ENDINGS; i++) {
        sigaction(endings[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) // keep the setting of nohup
            sigaction(endings[i], &action, NULL);
    }
    cuc_status st = cuc_bench_run(s->bench, selection);
    alarm(0);
    for (size_t i = 0; i < ENDINGS; i++)
        sigaction(endings[i], &before[i], NULL);
    bench_progress_clear();
    return st;
}

// ---- The report

static bool write_whole(const char *path, const results *r, table_style style, cli_why *why)
{
    char *text = NULL;
    size_t bytes = 0;
    cli_file file = { 0 };
    FILE *f = open_memstream(&text, &bytes);

    if (!f)
        return cli_because(why, "no host memory");
    results_print(f, r, 1, style);
    bool ok = fclose(f) == 0 || cli_because(why, "no host memory");
    ok = ok && cli_file_begin(&file, path, why) && cli_file_write(&file, text, bytes, why) &&
         cli_file_finish(&file, why) && cli_file_commit(&file, why);
    cli_file_discard(&file);
    free(text);
    return ok;
}

static int write_form(const char *path, const results *r, table_style style)
{
    cli_why why;

    if (!path)
        return CLI_DONE;
    if (is_stdout(path))
        results_print(stdout, r, 1, style);
    else if (!write_whole(path, r, style, &why))
        return cli_fail("%s", why.text);
    return CLI_DONE;
}

// Print a summary of the verdicts as the table's last lines; return the exit status.
static int conclude(const bench_session *s, const results *r, bool print)
{
    size_t measured = 0, skipped = 0, failed = 0, disturbed = 0;
    size_t limits[LIMIT_BROKEN + 1] = { 0 };

    for (size_t i = 0; i < r->count; i++) {
        const result *one = &r->list[i];
        skipped += one->skipped != NULL;
        failed += one->failed != NULL;
        measured += !one->skipped && !one->failed;
        disturbed += one->disturbed;
        limits[results_limit(one)]++;
    }
    if (print) {
        printf("\n%zu measured, %zu skipped, %zu failed", measured, skipped, failed);
        if (disturbed)
            printf(", %zu DISTURBED", disturbed);
        if (limits[LIMIT_BROKEN])
            printf(", %zu over the limit", limits[LIMIT_BROKEN]);
        if (limits[LIMIT_UNSURE])
            printf(", %zu perhaps over the limit", limits[LIMIT_UNSURE]);
        putchar('\n');
    }
    if (interrupted) {
        cli_note("interrupted: what was not reached is missing");
        return CLI_FAILED;
    }
    if (!r->count)
        return cli_fail("nothing was measured: no case has a mode that --mode names");
    return failed || (limits[LIMIT_BROKEN] && s->fails_over_limit) ? CLI_FAILED : CLI_DONE;
}

static int report(bench_session *s)
{
    const char *text;
    size_t bytes;
    json_error_t error;
    results r;
    cli_why why;

    if (cuc_bench_get_json(&text, &bytes, s->bench) != CUC_OK)
        return cli_fail_cuc();
    json_t *root = json_loadb(text, bytes, 0, &error);
    if (!root)
        return cli_fail("the results are no JSON: %s", error.text);
    int status = CLI_DONE;
    if (is_stdout(s->json))
        printf("%s\n", text);
    else if (s->json && cuc_bench_write_json(s->bench, s->json) != CUC_OK)
        status = cli_fail_cuc();
    if (!results_take(&r, root, "the document", &why))
        return cli_fail("%s", why.text);
    // Write the other formats even if one cannot be written.
    int csv = write_form(s->csv, &r, TABLE_CSV), md = write_form(s->md, &r, TABLE_MARKDOWN);
    status = status ? status : csv ? csv : md;
    bool print = !is_stdout(s->json) && !is_stdout(s->csv) && !is_stdout(s->md);
    if (print)
        results_print(stdout, &r, 1, TABLE_PLAIN);
    if (!status)
        status = conclude(s, &r, print);
    results_release(&r);
    return status;
}

int bench_session_run(bench_session *s, const cuc_bench_selection *selection)
{
    const char *text;

    // Some machine queries run once and take time, which must not count towards the first results.
    if (s->keeps)
        (void)cuc_bench_get_json(&text, NULL, s->bench);
    if (run_interruptible(s, selection) < 0)
        return cli_fail_cuc();
    return report(s);
}

void bench_session_end(bench_session *s)
{
    cuc_bench_release(s->bench);
    free(s->command);
}
