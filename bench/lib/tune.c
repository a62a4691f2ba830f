#include "tune.h"

#include "../../src/base/new_file.h"

#include <cucore/device.h>
#include <cucore/system.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_CANDIDATES = 12, MOST_CANDIDATES = 64 };

void cuc_tune_options_init(cuc_tune_options *options, size_t caller_size)
{
    if (!options || caller_size < sizeof(size_t))
        return;
    memset(options, 0, caller_size);
    memcpy(options, &caller_size, sizeof(caller_size));
}

// Fail, before anything is measured, if the file cannot take the winner's record.
static cuc_status check_path(const char *path, const char *function)
{
    cuc_tuned_record any = CUC_TUNED_RECORD_INIT;
    cuc__new_file file = { 0 };
    char choice[1];
    cuc_status st = CUC_ERROR_NOT_FOUND;

    if (!*path)
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "path is empty, expected a file, or NULL for none");
    any.gpu = "no device is called so";
    any.toolkit = any.program = any.kernel = any.constants = any.dimensions = "";
    if (access(path, F_OK) == 0)
        st = cuc_tuned_find(choice, sizeof(choice), path, &any);
    if (st != CUC_ERROR_NOT_FOUND)
        return cuc__bench_fail(st, function, "%s", cuc_error_message());
    int error = cuc__new_file_begin(&file, path);
    cuc__new_file_discard(&file);
    if (error)
        return cuc__bench_fail(CUC_ERROR_IO, function, "%s cannot be written: %s", path,
                               strerror(error));
    return CUC_OK;
}

cuc_status cuc__tune_begin(struct cuc__tune_race *race, cuc_device *device,
                           const cuc_tune_options *options, const char *function)
{
    cuc_tune_options *o = &race->options;
    cuc_status st = cuc__bench_read(o, sizeof(*o), options, "cuc_tune_options", function);

    if (st < 0)
        return st;
    if (o->flags || o->most > MOST_CANDIDATES || !(o->max_seconds >= 0) || !(o->target >= 0))
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "most is %u, flags 0x%x, max_seconds %g, target %g: expected up to "
                               "%d, 0, and numbers of 0 and more",
                               o->most, o->flags, o->max_seconds, o->target, MOST_CANDIDATES);
    if (!o->most)
        o->most = USUAL_CANDIDATES;
    race->device = device;
    race->function = function;
    return o->path ? check_path(o->path, function) : CUC_OK;
}

void cuc__tune_add(void *data, const char *choice, double seconds)
{
    struct cuc__tune_race *race = data;
    struct cuc__tune_candidate *c =
        cuc__bench_grow((void **)&race->all, &race->capacity, race->count, sizeof(*c));

    if (!c || strlen(choice) >= sizeof(c->choice))
        return; // drop this candidate
    memset(c, 0, sizeof(*c));
    strcpy(c->choice, choice);
    c->told.struct_size = sizeof(c->told);
    c->told.model = seconds;
    c->told.seconds = c->told.ci_low = c->told.ci_high = NAN;
    race->count++;
}

static int by_model(const void *a, const void *b)
{
    double x = ((const struct cuc__tune_candidate *)a)->told.model;
    double y = ((const struct cuc__tune_candidate *)b)->told.model;

    return (x > y) - (x < y);
}

void cuc__tune_select(struct cuc__tune_race *race)
{
    if (race->count)
        qsort(race->all, race->count, sizeof(*race->all), by_model);
    if (race->count > race->options.most)
        race->count = race->options.most;
    for (size_t i = 0; i < race->count; i++) {
        race->all[i].race = race;
        race->all[i].told.choice = race->all[i].choice;
    }
}

void cuc__tune_step(const struct cuc__tune_race *race, int32_t step,
                    const struct cuc__tune_candidate *c, uint64_t samples)
{
    const cuc_tune_progress p = {
        .struct_size = sizeof(p),
        .choice = c ? c->choice : NULL,
        .step = step,
        .number = c ? (uint32_t)(c - race->all) + 1 : 0,
        .count = (uint32_t)race->count,
        .samples = samples < UINT32_MAX ? (uint32_t)samples : UINT32_MAX,
    };

    if (race->options.progress)
        race->options.progress(race->options.user, &p);
}

void cuc__tune_drop(struct cuc__tune_candidate *c)
{
    snprintf(c->reason, sizeof(c->reason), "%s", cuc_error_message());
    c->told.reason = c->reason;
}

// ---- The race: a session of one point

// Run a candidate once. Report its first run, which is checked, because on a simulated device this
// run takes longest.
static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    struct cuc__tune_candidate *c = data;

    if (!c->ran) {
        c->ran = true;
        cuc__tune_step(c->race, CUC_TUNE_CHECKING, c, 0);
    }
    return c->race->run(c, stream, set);
}

static int32_t on_progress(void *data, const cuc_bench_progress *progress)
{
    if (progress->event == CUC_BENCH_PROGRESS_SAMPLES)
        cuc__tune_step(data, CUC_TUNE_SAMPLING, NULL, progress->samples);
    return 0;
}

static cuc_status set_up(cuc_bench_state *state, void *data)
{
    struct cuc__tune_race *race = data;
    cuc_status st = race->set_up(race, state);

    for (size_t i = 0; i < race->count && st >= 0; i++) {
        cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
        char name[32];
        if (!race->all[i].subject)
            continue;
        snprintf(name, sizeof(name), "c%zu", i);
        subject.name = name;
        subject.data = &race->all[i];
        subject.run = run;
        subject.prepare = race->prepare;
        subject.check = race->check;
        st = cuc_bench_state_add_subject(state, &subject);
    }
    return st;
}

static void read_result(struct cuc__tune_race *race, const cuc_bench_result *r)
{
    size_t i = r->subject && *r->subject == 'c' ? (size_t)atoi(r->subject + 1) : 0;

    if (i >= race->count)
        return;
    struct cuc__tune_candidate *c = &race->all[i];
    if (r->outcome == CUC_BENCH_MEASURED) {
        c->told.seconds = r->median_s;
        c->told.ci_low = r->ci_low_s;
        c->told.ci_high = r->ci_high_s;
        return;
    }
    snprintf(c->reason, sizeof(c->reason), "%s", r->reason ? r->reason : "it was not measured");
    c->told.reason = c->reason;
}

static cuc_status measure(struct cuc__tune_race *race, cuc_bench *bench)
{
    cuc_bench_case one = CUC_BENCH_CASE_INIT;
    cuc_bench_result r = CUC_BENCH_RESULT_INIT;
    cuc_status st;

    one.suite = "tune";
    one.name = "candidates";
    one.setup = set_up;
    one.data = race;
    one.modes = CUC_BENCH_COLD;
    if ((st = cuc_bench_add_case(bench, &one)) < 0 || (st = cuc_bench_run(bench, NULL)) < 0)
        return st;
    for (size_t i = 0; i < cuc_bench_result_count(bench); i++)
        if (cuc_bench_get_result(&r, bench, i) >= 0)
            read_result(race, &r);
    return CUC_OK;
}

// Order candidates by time, measured ones first.
static int by_time(const void *a, const void *b)
{
    double x = ((const struct cuc__tune_candidate *)a)->told.seconds;
    double y = ((const struct cuc__tune_candidate *)b)->told.seconds;

    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

cuc_status cuc__tune_run(struct cuc__tune_race *race)
{
    cuc_bench_options o = CUC_BENCH_OPTIONS_INIT;
    cuc_bench *bench = NULL;
    cuc_status st;

    if (!race->count)
        return cuc__bench_fail(CUC_ERROR_NOT_FOUND, race->function,
                               "there is no candidate: auto() names them, and dimensions say what "
                               "for");
    for (size_t i = 0; i < race->count && race->choice; i++) // any of them may win
        if (strlen(race->all[i].choice) >= race->choice_capacity)
            return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, race->function,
                                   "capacity is %zu, a choice takes %zu", race->choice_capacity,
                                   strlen(race->all[i].choice) + 1);
    o.device = race->device;
    o.seed = race->options.seed;
    o.max_seconds = race->options.max_seconds;
    o.target = race->options.target;
    o.progress = on_progress;
    o.progress_data = race;
    if ((st = cuc_bench_create(&bench, &o)) < 0 || (st = measure(race, bench)) < 0) {
        cuc_bench_release(bench);
        return st;
    }
    cuc_bench_release(bench);
    qsort(race->all, race->count, sizeof(*race->all), by_time);
    for (size_t i = 0; i < race->count; i++) {
        race->all[i].told.choice = race->all[i].choice; // sorting moved the text
        race->all[i].told.reason = *race->all[i].reason ? race->all[i].reason : NULL;
        if (race->options.tell)
            race->options.tell(race->options.user, &race->all[i].told);
    }
    if (isnan(race->all[0].told.seconds))
        return cuc__bench_fail(CUC_ERROR_NOT_FOUND, race->function,
                               "none of %zu candidates could be measured; of %s: %s", race->count,
                               race->all[0].choice, race->all[0].reason);
    return CUC_OK;
}

cuc_status cuc__tune_keep(struct cuc__tune_race *race, cuc_tuned_record *key)
{
    const struct cuc__tune_candidate *best = &race->all[0];
    char toolkit[16];
    int32_t version = 0;

    if (race->choice)
        strcpy(race->choice, best->choice);
    if (!race->options.path)
        return CUC_OK;
    if (!key->gpu)
        key->gpu = cuc_device_name(race->device);
    if (!key->toolkit) {
        (void)cuc_driver_get_version(&version);
        snprintf(toolkit, sizeof(toolkit), "%d.%d", version / 1000, version % 1000 / 10);
        key->toolkit = toolkit;
    }
    key->choice = best->choice;
    key->seconds = best->told.seconds;
    return cuc_tuned_add(race->options.path, key);
}

void cuc__tune_end(struct cuc__tune_race *race)
{
    free(race->all);
    race->all = NULL;
    race->count = race->capacity = 0;
}
