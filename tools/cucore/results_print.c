#include "base/array.h"
#include "results.h"

#include "units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char simulated_note[] =
    "simulated: times of a GPU are here those that the simulated driver took on this CPU";

static const char unfinished_note[] = "unfinished: the run was to measure more";

// ---- The machine

// Labels and values in the machine line.
static const struct {
    const char *label;
    const char *at;
} machine_parts[] = {
    { "driver ", "machine.driver" }, { "toolkit ", "machine.toolkit" },
    { "NVRTC ", "machine.nvrtc" },   { "cucore ", "machine.cucore" },
    { "commit ", "commit" },         { "", "date" },
};

void results_machine(char *out, size_t size, const results *r)
{
    const char *gpu = results_text(r, "machine.gpu");
    const char *arch = results_text(r, "machine.arch");
    const char *cpu = results_text(r, "machine.cpu");
    json_t *sms = results_at(r->root, "machine.sms");
    size_t used = 0;

#define ADD(...) used += used < size ? (size_t)snprintf(out + used, size - used, __VA_ARGS__) : 0
    ADD("%s", gpu ? gpu : cpu ? cpu : "an unknown machine");
    if (gpu && arch)
        ADD(" (%s%s", arch, r->simulated && !strstr(gpu, "simulated") ? ", simulated" : "");
    if (gpu && arch && json_is_integer(sms))
        ADD(", %lld SMs", (long long)json_integer_value(sms));
    if (gpu && arch)
        ADD(")");
    for (size_t i = 0; i < CUC_LENGTH(machine_parts); i++) {
        char number[64];
        json_t *value = results_at(r->root, machine_parts[i].at);
        if (value && !json_is_null(value) && !json_is_object(value))
            ADD(", %s%s", machine_parts[i].label, results_axis_text(number, sizeof(number), value));
    }
#undef ADD
}

// ---- CSV: all fields of the JSON

static const char *const csv_heads[] = {
#define CSV_HEAD(type, member, key) key,
    RESULT_FIELDS(CSV_HEAD)
#undef CSV_HEAD
        "gpu",
    "simulated",
    "commit",
};

enum { CSV_COLUMNS = CUC_LENGTH(csv_heads) };

static void csv_TEXT(table *t, const char *text)
{
    table_add(t, text ? text : "");
}

static void csv_AXES(table *t, const char *text)
{
    csv_TEXT(t, text);
}

static void csv_NUMBER(table *t, double number)
{
    char text[32] = "";

    if (!isnan(number))
        snprintf(text, sizeof(text), "%.9g", number);
    table_add(t, text);
}

static void csv_COUNT(table *t, int64_t count)
{
    char text[32] = "";

    if (count >= 0)
        snprintf(text, sizeof(text), "%lld", (long long)count);
    table_add(t, text);
}

static void csv_FLAG(table *t, bool flag)
{
    table_add(t, flag ? "true" : "false");
}

static void add_csv_rows(table *t, const results *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const result *r = &all->list[i];
#define CSV_CELL(type, member, key) csv_##type(t, r->member);
        RESULT_FIELDS(CSV_CELL)
#undef CSV_CELL
        csv_TEXT(t, results_text(all, "machine.gpu"));
        csv_FLAG(t, all->simulated);
        csv_TEXT(t, results_text(all, "commit"));
    }
}

static void print_csv(FILE *to, const results *documents, size_t count)
{
    char aligned[CSV_COLUMNS + 1];
    table t;

    memset(aligned, 'l', CSV_COLUMNS);
    aligned[CSV_COLUMNS] = '\0';
    table_begin(&t, csv_heads, aligned);
    for (size_t i = 0; i < count; i++)
        add_csv_rows(&t, &documents[i]);
    table_print(&t, to, TABLE_CSV);
    table_end(&t);
}

// ---- Tables, one per case

// Write a result's cell to `out`; leave it empty if it was not measured.
typedef void cell_text(char *out, size_t size, const result *r);

// Write the distance to the farther end of the interval, which may be asymmetric.
static void cell_interval(char *out, size_t size, const result *r)
{
    char text[UNITS_SIZE];
    double further = fmax(r->ci_high_s - r->median_s, r->median_s - r->ci_low_s);

    snprintf(out, size, "%s", units_plus_minus(text, further / r->median_s));
}

static void cell_share(char *out, size_t size, const result *r)
{
    char share[UNITS_SIZE];

    if (!isnan(r->share))
        snprintf(out, size, "%s of %s", units_percent(share, r->share),
                 r->peak_name ? r->peak_name : "the peak");
}

static void cell_ratio(char *out, size_t size, const result *r)
{
    char ratio[UNITS_SIZE], low[UNITS_SIZE], high[UNITS_SIZE];

    if (isnan(r->ratio))
        return;
    if (isnan(r->ratio_low) || isnan(r->ratio_high))
        snprintf(out, size, "%s", units_ratio(ratio, r->ratio));
    else
        snprintf(out, size, "%s [%s, %s]", units_ratio(ratio, r->ratio),
                 units_ratio(low, r->ratio_low), units_ratio(high, r->ratio_high));
}

static void cell_items(char *out, size_t size, const result *r)
{
    char text[UNITS_SIZE];

    if (!isnan(r->items_per_s))
        snprintf(out, size, "%s %s/s", units_text(text, r->items_per_s, UNITS_COUNT),
                 r->item ? r->item : "items");
}

static void cell_peer(char *out, size_t size, const result *r)
{
    snprintf(out, size, "%s", r->peer ? r->peer : "");
}

static void cell_verdict(char *out, size_t size, const result *r)
{
    snprintf(out, size, "%s", r->verdict ? r->verdict : "");
}

static void cell_samples(char *out, size_t size, const result *r)
{
    if (r->samples >= 0)
        snprintf(out, size, "%lld", (long long)r->samples);
}

size_t results_figures(char *out, size_t size, size_t used, json_t *figures)
{
    static const char bytes[] = "_bytes";
    const char *name;
    json_t *value;

    json_object_foreach(figures, name, value)
    {
        char text[UNITS_SIZE];
        size_t length = strlen(name);
        bool sized = length > strlen(bytes) && strcmp(name + length - strlen(bytes), bytes) == 0;
        if (sized)
            units_text(text, json_number_value(value), UNITS_BYTES);
        else
            snprintf(text, sizeof(text), "%.5g", json_number_value(value));
        if (used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%.*s %s", used ? ", " : "",
                                     (int)(length - (sized ? strlen(bytes) : 0)), name, text);
    }
    return used;
}

static void cell_note(char *out, size_t size, const result *r)
{
    result_limit over = results_limit(r);
    size_t used = 0;

    if (r->skipped || r->failed) {
        snprintf(out, size, "%s: %s", r->skipped ? "skipped" : "FAILED",
                 r->skipped ? r->skipped : r->failed);
        return;
    }
    if (r->disturbed)
        used += (size_t)snprintf(out, size, "DISTURBED");
    if (r->discarded > 0 && used < size)
        used += (size_t)snprintf(out + used, size - used, "%s%lld thrown away", used ? ", " : "",
                                 (long long)r->discarded);
    if (over >= LIMIT_UNSURE && used < size)
        used += (size_t)snprintf(out + used, size - used, "%s%sover the limit of %.3g",
                                 used ? ", " : "", over == LIMIT_BROKEN ? "" : "perhaps ",
                                 r->limit);
    if (!(r->checked && strcmp(r->checked, "passed") == 0) && used < size)
        used += (size_t)snprintf(out + used, size - used, "%snot checked", used ? ", " : "");
    results_figures(out, size, used, json_object_get(r->json, "figures"));
}

// Columns after axes, subject and mode: each shows a plain quantity or a text.
static const struct {
    const char *head;
    char aligned;
    units_kind unit;
    size_t quantity; // offset of the quantity in a result; used if `text` is NULL
    cell_text *text;
} columns[] = {
    { "median", 'r', UNITS_SECONDS, offsetof(result, median_s), NULL },
    { "95 % CI", 'r', 0, 0, cell_interval },
    { "call on CPU", 'r', UNITS_SECONDS, offsetof(result, cpu_median_s), NULL },
    { "bandwidth", 'r', UNITS_BYTES_PER_S, offsetof(result, bytes_per_s), NULL },
    { "rate", 'r', UNITS_FLOP_PER_S, offsetof(result, flop_per_s), NULL },
    { "throughput", 'r', 0, 0, cell_items },
    { "share", 'r', 0, 0, cell_share },
    { "peer", 'l', 0, 0, cell_peer },
    { "time / peer's", 'r', 0, 0, cell_ratio },
    { "verdict", 'l', 0, 0, cell_verdict },
    { "samples", 'r', 0, 0, cell_samples },
    { "note", 'l', 0, 0, cell_note },
};

enum { COLUMNS = CUC_LENGTH(columns), MAX_AXES = 16 };

static const char *verdict_colour(const char *text)
{
    static const struct {
        const char *word;
        const char *colour;
    } colours[] = {
        { "FASTER", "\033[32m" },    { "SLOWER", "\033[31m" }, { "UNSURE", "\033[33m" },
        { "DISTURBED", "\033[33m" }, { "FAILED", "\033[31m" },
    };

    for (size_t i = 0; i < CUC_LENGTH(colours); i++)
        if (strncmp(text, colours[i].word, strlen(colours[i].word)) == 0)
            return colours[i].colour;
    return NULL;
}

static bool has_axes(const result *r)
{
    return *r->axes != '\0';
}

// Return how many results share one table: a case's points, or a suite's cases without axes.
static size_t group_of(const result *list, size_t count)
{
    size_t n = 1;

    while (n < count && strcmp(list[0].suite, list[n].suite) == 0 &&
           (strcmp(list[0].name, list[n].name) == 0 || !(has_axes(&list[0]) || has_axes(&list[n]))))
        n++;
    return n;
}

// Collect the axis names of all results, in order of appearance.
static size_t axes_of(const char *names[MAX_AXES], const result *list, size_t count)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        const char *name;
        json_t *value;
        json_object_foreach(json_object_get(list[i].json, "axes"), name, value)
        {
            size_t at = 0;
            while (at < n && strcmp(names[at], name) != 0)
                at++;
            if (at == n && n < MAX_AXES)
                names[n++] = name;
        }
    }
    return n;
}

// Show a size with a unit, such as 64 MiB; leave other values unchanged.
static void add_axis(table *t, const result *r, const char *name)
{
    json_t *value = json_object_get(json_object_get(r->json, "axes"), name);
    char number[64];

    if (value && strcmp(name, "bytes") == 0 && json_is_number(value))
        table_add(t, units_text(number, json_number_value(value), UNITS_BYTES));
    else
        table_add(t, value ? results_axis_text(number, sizeof(number), value) : "");
}

static void add_column(table *t, const result *r, size_t column)
{
    char text[512] = "";
    double quantity;

    if (columns[column].text) {
        columns[column].text(text, sizeof(text), r);
    } else {
        memcpy(&quantity, (const char *)r + columns[column].quantity, sizeof(quantity));
        units_text(text, quantity, columns[column].unit);
    }
    table_add(t, text);
}

static void print_group(FILE *to, const result *list, size_t count, table_style style)
{
    const char *heads[MAX_AXES + 3 + COLUMNS];
    char aligned[MAX_AXES + 3 + COLUMNS + 1] = "";
    bool one_case = strcmp(list[0].name, list[count - 1].name) == 0;
    size_t axes = axes_of(heads, list, count);
    size_t n = axes;
    table t;

    memset(aligned, 'r', axes);
    for (size_t i = 0; i < 3; i++) {
        static const char *const names[] = { "case", "subject", "mode" };
        heads[n] = names[i];
        aligned[n++] = 'l';
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        heads[n] = columns[i].head;
        aligned[n++] = columns[i].aligned;
    }
    table_begin(&t, heads, aligned);
    t.colour = verdict_colour;
    for (size_t i = 0; i < count; i++) {
        const result *r = &list[i];
        for (size_t a = 0; a < axes; a++)
            add_axis(&t, r, heads[a]);
        table_add(&t, one_case ? "" : r->name);
        table_add(&t, r->subject ? r->subject : "");
        table_add(&t, r->mode ? r->mode : "");
        for (size_t c = 0; c < COLUMNS; c++)
            add_column(&t, r, c);
    }
    fprintf(to, style == TABLE_MARKDOWN ? "\n### %s%s%s\n\n" : "\n%s%s%s\n", list->suite,
            one_case ? " / " : "", one_case ? list->name : "");
    table_print(&t, to, style);
    table_end(&t);
}

// Return whether points of the result's case were compared and summarized.
static bool is_summarized(const results *all, const result *r)
{
    const summary *s = NULL;

    while ((s = results_summary(all, r, s)) != NULL)
        if (s->points)
            return true;
    return false;
}

static void print_document(FILE *to, const results *all, table_style style)
{
    const char *seed = results_text(all, "settings.seed");
    char machine[512];

    results_machine(machine, sizeof(machine), all);
    fprintf(to, "%s\n", machine);
    if (all->simulated)
        fprintf(to, style == TABLE_MARKDOWN ? "\n**%s**\n" : "%s\n", simulated_note);
    if (all->unfinished)
        fprintf(to, style == TABLE_MARKDOWN ? "\n**%s**\n" : "%s\n", unfinished_note);
    if (all->summary_count && seed)
        fprintf(to, "%sseed %s\n", style == TABLE_MARKDOWN ? "\n" : "", seed);
    for (size_t at = 0; at < all->count;) {
        size_t count = group_of(&all->list[at], all->count - at);
        if (is_summarized(all, &all->list[at]))
            results_print_summaries(to, all, &all->list[at], count, style);
        else
            print_group(to, &all->list[at], count, style);
        at += count;
    }
    if (!all->count)
        fprintf(to, "\nno results\n");
}

void results_print(FILE *to, const results *documents, size_t count, table_style style)
{
    if (style == TABLE_CSV) {
        print_csv(to, documents, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "\n" : "", to);
        print_document(to, &documents[i], style);
    }
}
