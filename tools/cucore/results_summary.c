// Prints summaries of drawn cases.
#include "base/array.h"
#include "results.h"

#include "units.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 512, MOST_FAILED = 10 };

static void add_count(table *t, int64_t count)
{
    char text[32] = "";

    if (count)
        snprintf(text, sizeof(text), "%lld", (long long)count);
    table_add(t, text);
}

static void add_ratio(table *t, double ratio)
{
    char text[UNITS_SIZE];

    table_add(t, units_ratio(text, ratio));
}

static void add_time(table *t, const json_t *seconds)
{
    char text[UNITS_SIZE] = "";

    if (json_is_number(seconds))
        units_text(text, json_number_value(seconds), UNITS_SECONDS);
    table_add(t, text);
}

static void print_statistics(FILE *to, const results *all, const result *of, table_style style)
{
    static const char *const heads[] = { "subject", "peer",  "points", "geometric mean", "5 %",
                                         "median",  "worst", "failed", "skipped" };
    const summary *s = NULL;
    table t;

    table_begin(&t, heads, "llrrrrrrr");
    while ((s = results_summary(all, of, s)) != NULL) {
        table_add(&t, s->subject);
        table_add(&t, s->peer ? s->peer : "");
        add_count(&t, s->points);
        add_ratio(&t, s->geomean);
        add_ratio(&t, s->p5);
        add_ratio(&t, s->median);
        add_ratio(&t, s->worst);
        add_count(&t, s->failed);
        add_count(&t, s->skipped);
    }
    table_print(&t, to, style);
    table_end(&t);
}

// Format the values of a point's axes; omit "default", such as the default of `tile`.
static void point_name(char *out, size_t size, json_t *axes)
{
    const char *axis;
    json_t *value;
    size_t used = 0;

    out[0] = '\0';
    json_object_foreach(axes, axis, value)
    {
        char number[64];
        const char *text = results_axis_text(number, sizeof(number), value);
        if (strcmp(text, "default") != 0 && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", text);
    }
}

static void print_lowest(FILE *to, const summary *s, table_style style)
{
    const char *const heads[] = { "lowest",         "mode",  s->subject, s->peer ? s->peer : "peer",
                                  "peer / subject", "choice" };
    char text[LONGEST];
    json_t *point;
    size_t i;
    table t;

    if (!json_array_size(s->lowest))
        return;
    table_begin(&t, heads, "llrrrl");
    json_array_foreach(s->lowest, i, point)
    {
        const char *mode = json_string_value(json_object_get(point, "mode"));
        point_name(text, sizeof(text), json_object_get(point, "axes"));
        table_add(&t, text);
        table_add(&t, mode ? mode : "");
        add_time(&t, json_object_get(point, "median_s"));
        add_time(&t, json_object_get(point, "peer_s"));
        add_ratio(&t, json_number_value(json_object_get(point, "speedup")));
        text[0] = '\0';
        results_figures(text, sizeof(text), 0, json_object_get(point, "figures"));
        table_add(&t, text);
    }
    putc('\n', to);
    table_print(&t, to, style);
    table_end(&t);
}

static bool is_new_reason(const result *list, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (list[i].skipped && strcmp(list[i].skipped, list[at].skipped) == 0)
            return false;
    return true;
}

// Print the failed points, and one skipped point for each reason.
static void print_untimed(FILE *to, const result *list, size_t count, table_style style)
{
    static const char *const heads[] = { "not timed", "subject", "why" };
    char text[LONGEST];
    size_t rows = 0;
    table t;

    table_begin(&t, heads, "lll");
    for (size_t i = 0; i < count && rows < MOST_FAILED; i++) {
        const result *r = &list[i];
        if (!r->failed && !(r->skipped && is_new_reason(list, i)))
            continue;
        point_name(text, sizeof(text), json_object_get(r->json, "axes"));
        table_add(&t, text);
        table_add(&t, r->subject ? r->subject : "");
        snprintf(text, sizeof(text), "%s: %s", r->failed ? "FAILED" : "skipped",
                 r->failed ? r->failed : r->skipped);
        table_add(&t, text);
        rows++;
    }
    if (rows) {
        putc('\n', to);
        table_print(&t, to, style);
    }
    table_end(&t);
}

void results_print_summaries(FILE *to, const results *all, const result *list, size_t count,
                             table_style style)
{
    const summary *s = NULL;

    fprintf(to,
            style == TABLE_MARKDOWN ? "\n### %s / %s: the peer's time / the subject's\n\n"
                                    : "\n%s / %s: the peer's time / the subject's\n",
            list->suite, list->name);
    print_statistics(to, all, list, style);
    while ((s = results_summary(all, list, s)) != NULL)
        print_lowest(to, s, style);
    print_untimed(to, list, count, style);
}
