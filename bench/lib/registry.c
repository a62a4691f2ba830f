// Registers the cases of a session.
#include "base/array.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_AXES = 16 };

static bool is_word(const char *text)
{
    return text && *text &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+") ==
               strlen(text);
}

static cuc_status check_axis(const cuc_bench_case *c, const cuc_bench_axis *a, size_t index,
                             const char *function)
{
    const char *lists[] = { a->values, a->quick };
    struct cuc__bench_values values;

    if (!is_word(a->name) || !a->values || a->kind < 0 || a->kind > CUC_BENCH_AXIS_STRING)
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "%s/%s, axis %zu (\"%s\", kind %d): expected a word as its name, "
                               "values, and a CUC_BENCH_AXIS_ kind",
                               c->suite, c->name, index, a->name ? a->name : "NULL", a->kind);
    for (size_t i = 0; i < index; i++)
        if (strcmp(c->axes[i].name, a->name) == 0)
            return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                                   "%s/%s has two axes of the name %s", c->suite, c->name, a->name);
    for (size_t i = 0; i < CUC_LENGTH(lists); i++) {
        if (!lists[i])
            continue;
        cuc_status st = cuc__bench_read_values(&values, a->kind, a->name, lists[i], function);
        if (st < 0)
            return st;
        cuc__bench_values_release(&values);
    }
    return CUC_OK;
}

static cuc_status check_case(const cuc_bench *b, const cuc_bench_case *c, const char *function)
{
    if (!is_word(c->suite) || !is_word(c->name))
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "suite is \"%s\" and name \"%s\": expected words of letters, digits "
                               "and _-.+",
                               c->suite ? c->suite : "NULL", c->name ? c->name : "NULL");
    if (!c->setup || c->axis_count > MAX_AXES || (c->axis_count && !c->axes))
        return cuc__bench_fail(
            CUC_ERROR_INVALID_ARGUMENT, function,
            "%s/%s: setup is %s, %zu axes at %p: expected a function, and %d axes "
            "at most",
            c->suite, c->name, c->setup ? "there" : "NULL", c->axis_count, (const void *)c->axes,
            MAX_AXES);
    for (size_t i = 0; i < b->case_count; i++)
        if (strcmp(b->cases[i]->suite, c->suite) == 0 && strcmp(b->cases[i]->name, c->name) == 0)
            return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                                   "there is a case %s/%s already", c->suite, c->name);
    for (size_t i = 0; i < c->axis_count; i++) {
        cuc_status st = check_axis(c, &c->axes[i], i, function);
        if (st < 0)
            return st;
    }
    return CUC_OK;
}

// Copy a case and its axes into one block; the session owns the strings.
static cuc_bench_case *copy_case(cuc_bench *b, const cuc_bench_case *c)
{
    cuc_bench_case *copy = malloc(sizeof(*copy) + c->axis_count * sizeof(*c->axes));
    bool whole = copy != NULL;

    if (!copy)
        return NULL;
    cuc_bench_axis *axes = (cuc_bench_axis *)(copy + 1);
    *copy = *c;
    copy->suite = cuc__bench_keep(&b->texts, c->suite);
    copy->name = cuc__bench_keep(&b->texts, c->name);
    copy->about = cuc__bench_keep(&b->texts, c->about ? c->about : "");
    copy->axes = axes;
    whole = copy->suite && copy->name && copy->about;
    for (size_t i = 0; i < c->axis_count; i++) {
        const cuc_bench_axis *a = &c->axes[i];
        axes[i] = (cuc_bench_axis){
            .name = cuc__bench_keep(&b->texts, a->name),
            .values = cuc__bench_keep(&b->texts, a->values),
            .quick = cuc__bench_keep(&b->texts, a->quick ? a->quick : a->values),
            .kind = a->kind,
        };
        whole = whole && axes[i].name && axes[i].values && axes[i].quick;
    }
    if (whole)
        return copy;
    free(copy);
    return NULL;
}

cuc_status cuc_bench_add_case(cuc_bench *bench, const cuc_bench_case *bench_case)
{
    cuc_bench_case c;
    cuc_status st;

    BENCH_CHECK_NOT_NULL(bench);
    BENCH_CHECK_NOT_NULL(bench_case);
    if ((st = BENCH_READ(&c, bench_case, cuc_bench_case)) < 0 ||
        (st = check_case(bench, &c, __func__)) < 0)
        return st;
    void *array = bench->cases;
    cuc_bench_case **to =
        cuc__bench_grow(&array, &bench->case_capacity, bench->case_count, sizeof(*to));
    bench->cases = array;
    cuc_bench_case *copy = to ? copy_case(bench, &c) : NULL;
    if (!copy)
        return BENCH_NO_MEMORY("a case");
    *to = copy;
    bench->case_count++;
    return CUC_OK;
}

size_t cuc_bench_case_count(const cuc_bench *bench)
{
    return bench ? bench->case_count : 0;
}

cuc_status cuc_bench_get_case(cuc_bench_case *out, const cuc_bench *bench, size_t index)
{
    BENCH_CHECK_NOT_NULL(out);
    BENCH_CHECK_NOT_NULL(bench);
    if (index >= bench->case_count)
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT, "index is %zu, there are %zu cases", index,
                          bench->case_count);
    return BENCH_WRITE(out, bench->cases[index], cuc_bench_case);
}

void cuc__bench_cases_release(cuc_bench *b)
{
    for (size_t i = 0; i < b->case_count; i++)
        free(b->cases[i]);
    free(b->cases);
}
