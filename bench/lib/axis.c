#include "axis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 10000 };

// State of the list reader; `axis`, `text` and `function` are for messages.
struct list {
    struct cuc__bench_values *out;
    int32_t kind;
    const char *axis, *text, *function;
};

#define FAIL(l, fmt, ...)                                                                      \
    cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, (l)->function, "axis %s, values \"%s\": " fmt, \
                    (l)->axis, (l)->text, __VA_ARGS__)

static cuc_status add(struct list *l, struct cuc__bench_value value, const char *text)
{
    void *array = l->out->at;

    if (l->out->count == MAX_VALUES)
        return FAIL(l, "more than %d values", MAX_VALUES);
    // Reject duplicate values, whose results would be indistinguishable.
    for (size_t i = 0; i < l->out->count; i++)
        if (strcmp(l->out->at[i].text, text) == 0)
            return FAIL(l, "%s is there twice", text);
    struct cuc__bench_value *to =
        cuc__bench_grow(&array, &l->out->capacity, l->out->count, sizeof(*to));
    l->out->at = array;
    value.text = cuc__bench_keep(&l->out->texts, text);
    if (!to || !value.text)
        return cuc__bench_fail(CUC_ERROR_OUT_OF_MEMORY, l->function,
                               "no host memory for the values of axis %s", l->axis);
    *to = value;
    l->out->count++;
    return CUC_OK;
}

static cuc_status add_number(struct list *l, int64_t number)
{
    char text[32];

    if (l->kind == CUC_BENCH_AXIS_POW2) {
        // A number from 64 up is itself a power, so that printed values can be entered again; a
        // smaller one is an exponent.
        bool power = number >= 64 && (number & (number - 1)) == 0;
        if (!power && (number < 0 || number > 62))
            return FAIL(l, "%" PRId64 " is neither an exponent of 2 from 0 to 62 nor a power of 2",
                        number);
        number = power ? number : INT64_C(1) << number;
    }
    snprintf(text, sizeof(text), "%" PRId64, number);
    return add(l, (struct cuc__bench_value){ .number = number }, text);
}

// Read a number at *at and advance past it; accepts "2^10" for powers of two.
static cuc_status read_number(struct list *l, const char **at, int64_t *out)
{
    char *end;

    if (l->kind == CUC_BENCH_AXIS_POW2 && strncmp(*at, "2^", 2) == 0)
        *at += 2;
    errno = 0;
    long long n = strtoll(*at, &end, 10);
    if (end == *at || errno)
        return FAIL(l, "\"%s\" does not begin with a whole number", *at);
    *at = end;
    *out = n;
    return CUC_OK;
}

// Read one item: "8", first:last, or first:last:step.
static cuc_status read_range(struct list *l, const char *item)
{
    const char *at = item;
    int64_t n[3] = { 0, 0, 1 };
    int given = 0;
    cuc_status st;

    do {
        if ((st = read_number(l, &at, &n[given++])) < 0)
            return st;
    } while (given < 3 && *at == ':' && at++);
    if (*at)
        return FAIL(l, "\"%s\" follows a number: expected a number or first:last[:step]", at);
    if (given == 1)
        return add_number(l, n[0]);
    if (n[2] <= 0 || n[1] < n[0])
        return FAIL(l, "\"%s\" goes nowhere: expected first <= last and a step above 0", item);
    for (int64_t i = n[0]; i <= n[1]; i += n[2]) {
        if ((st = add_number(l, i)) < 0)
            return st;
        if (n[1] - i < n[2])
            break; // the next value might overflow
    }
    return CUC_OK;
}

static cuc_status read_item(struct list *l, const char *item)
{
    if (!*item)
        return FAIL(l, "%s", "an empty value");
    if (l->kind == CUC_BENCH_AXIS_STRING)
        return add(l, (struct cuc__bench_value){ 0 }, item);
    if (l->kind == CUC_BENCH_AXIS_DTYPE) {
        cuc_dtype dtype = cuc_dtype_from_name(item);
        if (dtype == CUC_DTYPE_UNKNOWN)
            return FAIL(l, "%s is not an element type such as f32, bf16 or i8", item);
        return add(l, (struct cuc__bench_value){ .dtype = dtype }, item);
    }
    return read_range(l, item);
}

cuc_status cuc__bench_read_values(struct cuc__bench_values *out, int32_t kind, const char *axis,
                                  const char *list, const char *function)
{
    struct list l = { out, kind, axis, list, function };
    cuc_status st = CUC_OK;

    *out = (struct cuc__bench_values){ 0 };
    char *copy = strdup(list), *rest = copy;
    if (!copy)
        return cuc__bench_fail(CUC_ERROR_OUT_OF_MEMORY, function,
                               "no host memory for the values of axis %s", axis);
    for (char *item; st >= 0 && (item = strsep(&rest, ",")) != NULL;)
        st = read_item(&l, item);
    free(copy);
    if (st < 0)
        cuc__bench_values_release(out);
    return st;
}

void cuc__bench_values_release(struct cuc__bench_values *v)
{
    free(v->at);
    cuc__bench_drop_texts(&v->texts);
    *v = (struct cuc__bench_values){ 0 };
}
