#include "results.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum field_type { TEXT, AXES, NUMBER, COUNT, FLAG };

static const struct {
    const char *key;
    enum field_type type;
    size_t offset;
} fields[] = {
#define FIELD_ROW(type, member, key) { key, type, offsetof(result, member) },
    RESULT_FIELDS(FIELD_ROW)
#undef FIELD_ROW
};

enum { FIELDS = CUC_LENGTH(fields) };

// Fields that identify a result.
static const char *const required[] = { "suite", "case" };

json_t *results_at(json_t *object, const char *dotted)
{
    char key[64];

    while (object) {
        size_t length = strcspn(dotted, ".");
        snprintf(key, sizeof(key), "%.*s", (int)length, dotted);
        object = json_object_get(object, key);
        if (!dotted[length])
            break;
        dotted += length + 1;
    }
    return object;
}

const char *results_text(const results *r, const char *dotted)
{
    return json_string_value(results_at(r->root, dotted));
}

const char *results_axis_text(char *out, size_t size, const json_t *value)
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        snprintf(out, size, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(out, size, "%.9g", json_real_value(value));
    else
        snprintf(out, size, "%s", json_is_true(value) ? "true" : "false");
    return out;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Format axes as "bytes=1048576 dtype=f32", in file order or sorted by name.
static char *axes_text(json_t *axes, bool sorted)
{
    const char **names = cli_allocate(json_object_size(axes) * sizeof(*names));
    char *text = cli_allocate(1);
    size_t count = 0;
    size_t bytes = 0;
    const char *name;
    json_t *value;

    json_object_foreach(axes, name, value) names[count++] = name;
    if (sorted)
        qsort(names, count, sizeof(*names), by_name);
    for (size_t i = 0; i < count; i++) {
        char number[64];
        const char *shown =
            results_axis_text(number, sizeof(number), json_object_get(axes, names[i]));
        size_t more = strlen(names[i]) + strlen(shown) + 3;
        char *longer = cli_allocate(bytes + more);
        bytes += (size_t)snprintf(longer, bytes + more, "%s%s%s=%s", text, i ? " " : "", names[i],
                                  shown) -
                 bytes;
        free(text);
        text = longer;
    }
    free(names);
    return text;
}

static bool check_axes(json_t *axes, cli_why *why)
{
    const char *name;
    json_t *value;

    json_object_foreach(
        axes, name,
        value) if (json_is_object(value) || json_is_array(value) ||
                   json_is_null(value)) return cli_because(why, "axis '%s' has no plain value",
                                                           name);
    return true;
}

static bool take_field(result *r, size_t i, json_t *value, cli_why *why)
{
    void *member = (char *)r + fields[i].offset;
    static const char *const expected[] = {
        [TEXT] = "text",          [AXES] = "an object",
        [NUMBER] = "a number",    [COUNT] = "a whole number",
        [FLAG] = "true or false",
    };

    switch (fields[i].type) {
    case TEXT:
        *(const char **)member = json_string_value(value);
        if (!value || json_is_string(value) || json_is_null(value))
            return true;
        break;
    case AXES:
        if (value && !json_is_object(value))
            break;
        *(char **)member = axes_text(value, false);
        return check_axes(value, why);
    case NUMBER:
        *(double *)member = json_is_number(value) ? json_number_value(value) : (double)NAN;
        if (!value || json_is_number(value))
            return true;
        break;
    case COUNT:
        *(int64_t *)member = json_is_integer(value) ? json_integer_value(value) : -1;
        if (!value || (json_is_integer(value) && json_integer_value(value) >= 0))
            return true;
        break;
    case FLAG:
        *(bool *)member = json_is_true(value);
        if (!value || json_is_boolean(value))
            return true;
        break;
    }
    return cli_because(why, "'%s' is not %s", fields[i].key, expected[fields[i].type]);
}

static bool take_raw(result *r, const json_t *raw, cli_why *why)
{
    if (!raw)
        return true;
    r->raw_count = json_array_size(raw);
    r->raw_s = cli_allocate(r->raw_count * sizeof(*r->raw_s));
    for (size_t i = 0; i < r->raw_count; i++) {
        const json_t *value = json_array_get(raw, i);
        r->raw_s[i] = json_number_value(value);
        if (!json_is_number(value) || !(r->raw_s[i] > 0))
            return cli_because(why, "'raw_s' has a value that is not a time, at %zu", i);
    }
    return json_is_array(raw) || cli_because(why, "'raw_s' is not a list");
}

static char *key_of(const result *r, json_t *json)
{
    char *axes = axes_text(json_object_get(json, "axes"), true);
    const char *parts[] = { r->suite, r->name, axes, r->subject, r->mode };
    size_t capacity = 1;
    size_t used = 0;

    for (size_t i = 0; i < CUC_LENGTH(parts); i++)
        capacity += parts[i] ? strlen(parts[i]) + 3 : 0;
    char *key = cli_allocate(capacity);
    for (size_t i = 0; i < CUC_LENGTH(parts); i++)
        if (parts[i] && *parts[i])
            used +=
                (size_t)snprintf(key + used, capacity - used, "%s%s", used ? " / " : "", parts[i]);
    free(axes);
    return key;
}

static bool take_result(result *r, json_t *json, cli_why *why)
{
    r->json = json;
    if (!json_is_object(json))
        return cli_because(why, "it is not an object");
    for (size_t i = 0; i < CUC_LENGTH(required); i++)
        if (!json_is_string(json_object_get(json, required[i])))
            return cli_because(why, "'%s' is missing, or no text", required[i]);
    for (size_t i = 0; i < FIELDS; i++)
        if (!take_field(r, i, results_at(json, fields[i].key), why))
            return false;
    if (r->median_s <= 0)
        return cli_because(why, "'median_s' is %g, and no time is", r->median_s);
    if (isnan(r->median_s) && !r->skipped && !r->failed)
        return cli_because(why, "it has no 'median_s', and neither 'skipped' nor 'failed'");
    r->key = key_of(r, json);
    return take_raw(r, json_object_get(json, "raw_s"), why);
}

static bool take_summary(summary *out, json_t *json, cli_why *why)
{
    const struct {
        const char *key;
        const char **to;
        bool required;
    } texts[] = {
        { "suite", &out->suite, true },
        { "case", &out->name, true },
        { "subject", &out->subject, true },
        { "peer", &out->peer, false },
    };
    const struct {
        const char *key;
        int64_t *to;
    } counts[] = {
        { "points", &out->points },
        { "measured", &out->measured },
        { "failed", &out->failed },
        { "skipped", &out->skipped },
    };
    const struct {
        const char *key;
        double *to;
    } numbers[] = {
        { "geomean", &out->geomean }, { "log_sd", &out->log_sd }, { "p5", &out->p5 },
        { "median", &out->median },   { "worst", &out->worst },
    };

    *out = (summary){ .lowest = json_object_get(json, "lowest") };
    for (size_t i = 0; i < CUC_LENGTH(texts); i++)
        if (!(*texts[i].to = json_string_value(json_object_get(json, texts[i].key))) &&
            texts[i].required)
            return cli_because(why, "'%s' is missing, or no text", texts[i].key);
    for (size_t i = 0; i < CUC_LENGTH(counts); i++)
        *counts[i].to = json_integer_value(json_object_get(json, counts[i].key));
    for (size_t i = 0; i < CUC_LENGTH(numbers); i++) {
        const json_t *value = json_object_get(json, numbers[i].key);
        *numbers[i].to = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    return true;
}

static bool take_summaries(results *r, const json_t *list, cli_why *why)
{
    cli_why inner;

    r->summaries = cli_allocate(json_array_size(list) * sizeof(*r->summaries));
    for (; r->summary_count < json_array_size(list); r->summary_count++)
        if (!take_summary(&r->summaries[r->summary_count], json_array_get(list, r->summary_count),
                          &inner))
            return cli_because(why, "%s: summary %zu: %s", r->path, r->summary_count, inner.text);
    return true;
}

const summary *results_summary(const results *all, const result *r, const summary *after)
{
    for (size_t i = after ? (size_t)(after - all->summaries) + 1 : 0; i < all->summary_count; i++)
        if (strcmp(all->summaries[i].suite, r->suite) == 0 &&
            strcmp(all->summaries[i].name, r->name) == 0)
            return &all->summaries[i];
    return NULL;
}

bool results_take(results *out, json_t *root, const char *path, cli_why *why)
{
    results r = { .path = path, .root = root };
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const json_t *list = json_object_get(root, "results");
    cli_why inner;

    if (!schema || strcmp(schema, RESULTS_SCHEMA) != 0)
        cli_because(why, "%s has the schema %s%s%s, and what cucore bench measured has '%s'", path,
                    schema ? "'" : "", schema ? schema : "of something else", schema ? "'" : "",
                    RESULTS_SCHEMA);
    else if (!json_is_object(json_object_get(root, "machine")))
        cli_because(why, "%s lacks the 'machine' that it was measured on", path);
    else if (!json_is_array(list))
        cli_because(why, "%s has no list of 'results'", path);
    else {
        r.simulated = json_is_true(results_at(root, "machine.simulated"));
        r.unfinished = json_is_true(json_object_get(root, "unfinished"));
        r.list = cli_allocate(json_array_size(list) * sizeof(*r.list));
        for (; r.count < json_array_size(list); r.count++)
            if (!take_result(&r.list[r.count], json_array_get(list, r.count), &inner)) {
                cli_because(why, "%s: result %zu: %s", path, r.count++, inner.text);
                goto fail;
            }
        if (!take_summaries(&r, json_object_get(root, "summaries"), why))
            goto fail;
        *out = r;
        return true;
    }
fail:
    results_release(&r);
    return false;
}

result_limit results_limit(const result *r)
{
    // An UNSURE verdict, caused by a disturbed peer or too few samples, makes the result doubtful.
    // For a limit below 1, ignore the verdict: it is UNSURE whenever the interval contains 1.
    bool doubtful = r->disturbed || isnan(r->ratio_low) || isnan(r->ratio_high) ||
                    (r->limit >= 1 && r->verdict && strcmp(r->verdict, "UNSURE") == 0);

    if (isnan(r->ratio) || isnan(r->limit))
        return LIMIT_NONE;
    if (doubtful)
        return r->ratio > r->limit || r->ratio_high > r->limit ? LIMIT_UNSURE : LIMIT_KEPT;
    return r->ratio_low > r->limit    ? LIMIT_BROKEN
           : r->ratio_high > r->limit ? LIMIT_UNSURE
                                      : LIMIT_KEPT;
}

bool results_read(results *out, const char *path, cli_why *why)
{
    void *data;
    size_t bytes;
    json_error_t error;

    if (!cli_read_file(&data, &bytes, path, why))
        return false;
    json_t *root = json_loadb(data, bytes, JSON_REJECT_DUPLICATES, &error);
    free(data);
    if (!root)
        return cli_because(why, "%s is no JSON: line %d: %s", path, error.line, error.text);
    return results_take(out, root, path, why);
}

void results_release(results *r)
{
    for (size_t i = 0; i < r->count; i++) {
        free(r->list[i].axes);
        free(r->list[i].key);
        free(r->list[i].raw_s);
    }
    free(r->list);
    free(r->summaries);
    json_decref(r->root);
    *r = (results){ 0 };
}
