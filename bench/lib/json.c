// Writes a session as a document of the schema cucore-bench/1 (bench/schema.json). Omits values
// that were not measured.
#include "json.h"

#include "base/array.h"
#include "../../src/base/new_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool cuc__bench_set_text(json_t *object, const char *key, const char *text)
{
    if (!text)
        return true;
    json_t *value = json_string(text);
    if (!value) // not UTF-8, such as a file name in a message
        value = json_string("(text that is not UTF-8)");
    return json_object_set_new(object, key, value) == 0;
}

bool cuc__bench_set_number(json_t *object, const char *key, double number)
{
    return !isfinite(number) || json_object_set_new(object, key, json_real(number)) == 0;
}

bool cuc__bench_set_count(json_t *object, const char *key, uint64_t count)
{
    return json_object_set_new(object, key, json_integer((json_int_t)count)) == 0;
}

json_t *cuc__bench_axes(const struct cuc__bench_point *p)
{
    json_t *axes = json_object();

    for (size_t i = 0; axes && i < p->count; i++) {
        const struct cuc__bench_coordinate *c = &p->at[i];
        bool number = c->kind == CUC_BENCH_AXIS_INT || c->kind == CUC_BENCH_AXIS_POW2;
        json_t *value = number ? json_integer(c->value.number) : json_string(c->value.text);
        if (json_object_set_new(axes, c->name, value)) {
            json_decref(axes);
            return NULL;
        }
    }
    return axes;
}

static bool set_peak(json_t *to, const cuc_bench_result *r)
{
    if (!r->peak_name)
        return true;
    json_t *peak = json_object();
    return json_object_set_new(to, "peak", peak) == 0 &&
           cuc__bench_set_text(peak, "name", r->peak_name) &&
           cuc__bench_set_text(peak, "source", r->peak_source) &&
           cuc__bench_set_number(peak, "value", r->peak);
}

bool cuc__bench_set_figures(json_t *to, const cuc_bench_result *r)
{
    if (!r->figure_count)
        return true;
    json_t *figures = json_object();
    bool ok = json_object_set_new(to, "figures", figures) == 0;
    for (size_t i = 0; i < r->figure_count && ok; i++)
        ok = cuc__bench_set_number(figures, r->figures[i].name, r->figures[i].value);
    return ok;
}

static bool set_samples(json_t *to, const struct cuc__bench_record *record)
{
    json_t *list = json_array();
    bool ok = json_object_set_new(to, "raw_s", list) == 0;

    for (size_t i = 0; i < record->sample_count && ok; i++)
        if (record->samples[i] > 0)
            ok = json_array_append_new(list, json_real(record->samples[i])) == 0;
    return ok;
}

// Write the figures that only measured subjects have.
static bool set_figures(json_t *to, const cuc_bench_result *r)
{
    return cuc__bench_set_count(to, "samples", r->samples) &&
           cuc__bench_set_count(to, "discarded", r->discarded) &&
           cuc__bench_set_count(to, "batch", r->batch) &&
           cuc__bench_set_text(to, "stopped", cuc_bench_stop_name(r->stopped)) &&
           json_object_set_new(to, "disturbed", json_boolean(r->disturbed)) == 0 &&
           (r->verdict == CUC_BENCH_NO_VERDICT ||
            cuc__bench_set_text(to, "verdict", cuc_bench_verdict_name(r->verdict)));
}

static json_t *result_of(const struct cuc__bench_record *record, bool keep_samples)
{
    const cuc_bench_result *r = &record->result;
    const struct {
        const char *key;
        double number;
    } numbers[] = {
        { "median_s", r->median_s },
        { "q1_s", r->q1_s },
        { "q3_s", r->q3_s },
        { "min_s", r->min_s },
        { "mean_s", r->mean_s },
        { "ci_low_s", r->ci_low_s },
        { "ci_high_s", r->ci_high_s },
        { "noise", r->noise },
        { "cpu_median_s", r->cpu_median_s },
        { "bytes", r->bytes },
        { "flop", r->flop },
        { "items", r->items },
        { "bytes_per_s", r->bytes_per_s },
        { "flop_per_s", r->flop_per_s },
        { "items_per_s", r->items_per_s },
        { "share", r->share },
        { "ratio", r->ratio },
        { "ratio_low", r->ratio_low },
        { "ratio_high", r->ratio_high },
        { "limit", r->limit },
        { "sm_mhz", r->sm_mhz },
    };
    bool measured = r->outcome == CUC_BENCH_MEASURED;
    json_t *to = json_object();
    bool ok = to && cuc__bench_set_text(to, "suite", r->suite) &&
              cuc__bench_set_text(to, "case", r->name) &&
              json_object_set_new(to, "axes", cuc__bench_axes(record->point)) == 0 &&
              cuc__bench_set_text(to, "subject", r->subject) &&
              (!r->mode || cuc__bench_set_text(to, "mode", cuc_bench_mode_name(r->mode))) &&
              (!r->subject || r->outcome == CUC_BENCH_SKIPPED ||
               cuc__bench_set_text(to, "kind", cuc_bench_kind_name(r->kind))) &&
              cuc__bench_set_text(to, "peer", r->peer) &&
              cuc__bench_set_text(to, "checked", r->checked) &&
              (measured || cuc__bench_set_text(to, cuc_bench_outcome_name(r->outcome), r->reason));

    for (size_t i = 0; i < CUC_LENGTH(numbers) && ok; i++)
        ok = cuc__bench_set_number(to, numbers[i].key, numbers[i].number);
    ok = ok && cuc__bench_set_text(to, "item", r->item) && set_peak(to, r) &&
         cuc__bench_set_figures(to, r) && (!measured || set_figures(to, r)) &&
         (!keep_samples || !measured || set_samples(to, record));
    if (ok)
        return to;
    json_decref(to);
    return NULL;
}

static json_t *settings_of(const cuc_bench *b)
{
    const cuc_bench_options *o = &b->options;

    // The seed is an unsigned 64-bit number, which some JSON readers do not support, so write it as
    // a string.
    json_t *to = json_pack("{s:o, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:b}", "seed",
                           json_sprintf("%llu", (unsigned long long)o->seed), "min_samples",
                           (json_int_t)o->min_samples, "max_samples", (json_int_t)o->max_samples,
                           "min_seconds", o->min_seconds, "max_seconds", o->max_seconds, "target",
                           o->target, "throttle_below", o->throttle_below, "same_within",
                           o->same_within, "noise_floor", o->noise_floor, "block_timeout_s",
                           o->block_timeout_s, "quick", (o->flags & CUC_BENCH_QUICK) != 0,
                           "entropy", b->rule.entropy);
    if (to && b->gpu.flushed)
        json_object_set_new(to, "flush_bytes",
                            json_integer((json_int_t)cuc_buffer_bytes(b->gpu.flushed)));
    return to;
}

static json_t *document_of(const cuc_bench *b)
{
    time_t now = time(NULL);
    struct tm utc;
    char date[32] = "";
    json_t *to = json_object(), *results = json_array();

    if (gmtime_r(&now, &utc))
        strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
    bool ok =
        to && cuc__bench_set_text(to, "schema", "cucore-bench/1") &&
        cuc__bench_set_text(to, "command", b->options.command) &&
        cuc__bench_set_text(to, "commit", b->options.commit) &&
        cuc__bench_set_text(to, "date", date) &&
        (!(b->point || b->cancelled) || json_object_set_new(to, "unfinished", json_true()) == 0) &&
        json_object_set_new(to, "machine", cuc__bench_machine(b)) == 0 &&
        json_object_set_new(to, "settings", settings_of(b)) == 0;
    for (size_t i = 0; i < b->record_count && ok; i++)
        ok = json_array_append_new(
                 results, result_of(&b->records[i], b->options.flags & CUC_BENCH_KEEP_SAMPLES)) ==
             0;
    json_t *summaries = ok ? cuc__bench_distributions(b) : NULL;
    ok = ok && json_object_set(to, "results", results) == 0 && summaries &&
         (!json_array_size(summaries) || json_object_set(to, "summaries", summaries) == 0);
    json_decref(results);
    json_decref(summaries);
    if (ok)
        return to;
    json_decref(to);
    return NULL;
}

static bool put_value(FILE *f, const json_t *value)
{
    return json_dumpf(value, f, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) == 0;
}

// Formats a document with one line for each of its keys and one for each result, so that a diff
// shows one result per line. NULL if out of memory.
static char *text_of(json_t *document)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    const char *key;
    json_t *value;
    bool ok = f != NULL;

    json_object_foreach(document, key, value)
    {
        if (!ok)
            break;
        ok = fprintf(f, "%s\n\"%s\":", ftell(f) ? "," : "{", key) > 0;
        if (!json_is_array(value)) {
            ok = ok && put_value(f, value);
            continue;
        }
        for (size_t i = 0; i < json_array_size(value) && ok; i++)
            ok = fputs(i ? ",\n" : "[\n", f) >= 0 && put_value(f, json_array_get(value, i));
        ok = ok && fputs(json_array_size(value) ? "\n]" : "[]", f) >= 0;
    }
    ok = ok && fputs("\n}", f) >= 0;
    if (f && fclose(f) == 0 && ok)
        return text;
    free(text);
    return NULL;
}

static cuc_status make_json(cuc_bench *b, const char *function)
{
    json_t *document = document_of(b);
    char *text = document ? text_of(document) : NULL;

    json_decref(document);
    if (!text)
        return cuc__bench_fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for %zu results",
                               b->record_count);
    free(b->json);
    b->json = text;
    return CUC_OK;
}

cuc_status cuc_bench_get_json(const char **out, size_t *bytes, cuc_bench *bench)
{
    BENCH_CHECK_NOT_NULL(out);
    BENCH_CHECK_NOT_NULL(bench);
    cuc_status st = make_json(bench, __func__);
    if (st < 0)
        return st;
    if (bytes)
        *bytes = strlen(bench->json);
    *out = bench->json;
    return CUC_OK;
}

cuc_status cuc_bench_write_json(cuc_bench *bench, const char *path)
{
    cuc__new_file file = { 0 };

    BENCH_CHECK_NOT_NULL(bench);
    BENCH_CHECK_NOT_NULL(path);
    cuc_status st = make_json(bench, __func__);
    if (st < 0)
        return st;
    int error = cuc__new_file_begin(&file, path);
    if (!error)
        error = cuc__new_file_write(&file, bench->json, strlen(bench->json));
    if (!error)
        error = cuc__new_file_write(&file, "\n", 1);
    if (!error)
        error = cuc__new_file_finish(&file);
    if (!error)
        error = cuc__new_file_commit(&file);
    cuc__new_file_discard(&file);
    if (error)
        return cuc__bench_fail(CUC_ERROR_IO, __func__, "%s cannot be written: %s", path,
                               strerror(error));
    return CUC_OK;
}
