#include "select.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// State while a selection is applied: records which of its parts matched.
struct selecting {
    const cuc_bench *b;
    const cuc_bench_selection *s;
    const char *function;
    regex_t filter;
    bool filtered;
    bool *met; // [axis_count]
};

static cuc_status compile_filter(struct selecting *x)
{
    char why[256];

    if (!x->s->filter)
        return CUC_OK;
    int code = regcomp(&x->filter, x->s->filter, REG_EXTENDED | REG_NOSUB);
    if (code) {
        regerror(code, &x->filter, why, sizeof(why));
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, x->function,
                               "filter \"%s\" is not a regular expression: %s", x->s->filter, why);
    }
    x->filtered = true;
    return CUC_OK;
}

static bool has_suite(const cuc_bench *b, const char *suite)
{
    for (size_t i = 0; i < b->case_count; i++)
        if (strcmp(b->cases[i]->suite, suite) == 0)
            return true;
    return false;
}

static cuc_status check_suites(const struct selecting *x)
{
    for (size_t i = 0; i < x->s->suite_count; i++)
        if (!has_suite(x->b, x->s->suites[i]))
            return cuc__bench_fail(CUC_ERROR_NOT_FOUND, x->function, "there is no suite %s",
                                   x->s->suites[i]);
    return CUC_OK;
}

static bool is_selected(const struct selecting *x, const cuc_bench_case *c)
{
    char path[512];
    bool in_suite = x->s->suite_count == 0;

    for (size_t i = 0; i < x->s->suite_count; i++)
        in_suite = in_suite || strcmp(x->s->suites[i], c->suite) == 0;
    snprintf(path, sizeof(path), "%s/%s", c->suite, c->name);
    return in_suite && (!x->filtered || regexec(&x->filter, path, 0, NULL, 0) == 0);
}

// Return the values requested for an axis, or NULL to use the axis's own. The last request wins.
static const char *override_of(const struct selecting *x, const char *axis)
{
    const char *values = NULL;

    for (size_t i = 0; i < x->s->axis_count; i++) {
        size_t length = strcspn(x->s->axes[i], "=");
        if (strncmp(x->s->axes[i], axis, length) == 0 && !axis[length]) {
            values = x->s->axes[i] + length + 1;
            x->met[i] = true;
        }
    }
    return values;
}

static cuc_status plan_case(struct cuc__bench_plan *plan, const struct selecting *x, size_t index)
{
    const cuc_bench_case *c = x->b->cases[index];
    bool quick = x->b->options.flags & CUC_BENCH_QUICK;
    void *array = plan->cases;
    cuc_status st = CUC_OK;

    struct cuc__bench_planned *p =
        cuc__bench_grow(&array, &plan->case_capacity, plan->case_count, sizeof(*p));
    plan->cases = array;
    if (!p)
        return cuc__bench_fail(CUC_ERROR_OUT_OF_MEMORY, x->function, "no host memory for a plan");
    *p = (struct cuc__bench_planned){ .index = index, .points = 1 };
    p->axes = calloc(c->axis_count + 1, sizeof(*p->axes));
    if (!p->axes)
        return cuc__bench_fail(CUC_ERROR_OUT_OF_MEMORY, x->function, "no host memory for a plan");
    plan->case_count++;
    for (size_t i = 0; i < c->axis_count && st >= 0; i++) {
        const cuc_bench_axis *a = &c->axes[i];
        const char *values = override_of(x, a->name);
        if (!values)
            values = quick ? a->quick : a->values;
        st = cuc__bench_read_values(&p->axes[i], a->kind, a->name, values, x->function);
        p->points *= p->axes[i].count;
    }
    plan->point_count += p->points;
    return st;
}

static cuc_status check_met(const struct selecting *x, const struct cuc__bench_plan *plan)
{
    if (!plan->case_count)
        return cuc__bench_fail(CUC_ERROR_NOT_FOUND, x->function, "no case matches \"%s\"",
                               x->s->filter ? x->s->filter : "");
    for (size_t i = 0; i < x->s->axis_count; i++)
        if (!x->met[i])
            return cuc__bench_fail(CUC_ERROR_NOT_FOUND, x->function,
                                   "none of the selected cases has the axis of \"%s\"",
                                   x->s->axes[i]);
    return CUC_OK;
}

static cuc_status check_selection(const struct selecting *x)
{
    for (size_t i = 0; i < x->s->axis_count; i++)
        if (!strchr(x->s->axes[i], '='))
            return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, x->function,
                                   "axis \"%s\": expected name=values", x->s->axes[i]);
    return CUC_OK;
}

cuc_status cuc__bench_plan(struct cuc__bench_plan *out, const cuc_bench *b,
                           const cuc_bench_selection *selection, const char *function)
{
    struct cuc__bench_plan plan = { 0 };
    cuc_bench_selection s;
    struct selecting x = { .b = b, .s = &s, .function = function };
    cuc_status st = cuc__bench_read(&s, sizeof(s), selection, "cuc_bench_selection", function);

    if (st < 0 || (st = check_selection(&x)) < 0 || (st = check_suites(&x)) < 0)
        return st;
    x.met = calloc(s.axis_count + 1, sizeof(*x.met));
    if (!x.met)
        return cuc__bench_fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a plan");
    st = compile_filter(&x);
    for (size_t i = 0; i < b->case_count && st >= 0; i++)
        if (is_selected(&x, b->cases[i]))
            st = plan_case(&plan, &x, i);
    if (st >= 0)
        st = check_met(&x, &plan);
    if (x.filtered)
        regfree(&x.filter);
    free(x.met);
    if (st < 0)
        cuc__bench_plan_release(&plan, b);
    else
        *out = plan;
    return st;
}

void cuc__bench_plan_release(struct cuc__bench_plan *plan, const cuc_bench *b)
{
    for (size_t i = 0; i < plan->case_count; i++) {
        struct cuc__bench_planned *p = &plan->cases[i];
        for (size_t j = 0; j < b->cases[p->index]->axis_count; j++)
            cuc__bench_values_release(&p->axes[j]);
        free(p->axes);
    }
    free(plan->cases);
    *plan = (struct cuc__bench_plan){ 0 };
}

// "n=1024 dtype=f32"
static const char *describe(const struct cuc__bench_point *p, struct cuc__bench_text **texts)
{
    size_t capacity = 1;

    for (size_t i = 0; i < p->count; i++)
        capacity += strlen(p->at[i].name) + strlen(p->at[i].value.text) + 2;
    char *text = malloc(capacity), *to = text;
    if (!text)
        return NULL;
    *to = '\0';
    for (size_t i = 0; i < p->count; i++)
        to += sprintf(to, "%s%s=%s", i ? " " : "", p->at[i].name, p->at[i].value.text);
    const char *kept = cuc__bench_keep(texts, text);
    free(text);
    return kept;
}

struct cuc__bench_point *cuc__bench_plan_point(const cuc_bench *b,
                                               const struct cuc__bench_planned *planned,
                                               size_t number, struct cuc__bench_text **texts)
{
    const cuc_bench_case *c = b->cases[planned->index];
    struct cuc__bench_point *p = malloc(sizeof(*p) + c->axis_count * sizeof(p->at[0]));
    bool whole = p != NULL;

    if (!p)
        return NULL;
    *p = (struct cuc__bench_point){ .bench_case = c, .count = c->axis_count };
    for (size_t i = c->axis_count; i-- > 0;) { // the last axis varies fastest
        const struct cuc__bench_values *v = &planned->axes[i];
        p->at[i] = (struct cuc__bench_coordinate){ .name = c->axes[i].name,
                                                   .kind = c->axes[i].kind,
                                                   .value = v->at[number % v->count] };
        p->at[i].value.text = cuc__bench_keep(texts, p->at[i].value.text);
        whole = whole && p->at[i].value.text;
        number /= v->count;
    }
    p->axes = whole ? describe(p, texts) : NULL;
    if (p->axes)
        return p;
    free(p);
    return NULL;
}

cuc_status cuc_bench_visit(size_t *count, cuc_bench *bench, const cuc_bench_selection *selection,
                           cuc_bench_visitor visitor, void *data)
{
    struct cuc__bench_plan plan;
    size_t visited = 0;
    bool stopped = false;

    BENCH_CHECK_NOT_NULL(bench);
    cuc_status st = cuc__bench_plan(&plan, bench, selection, __func__);
    if (st < 0)
        return st;
    for (size_t i = 0; i < plan.case_count && !stopped && st >= 0; i++) {
        const struct cuc__bench_planned *p = &plan.cases[i];
        for (size_t j = 0; j < p->points && !stopped && st >= 0; j++) {
            struct cuc__bench_text *texts = NULL;
            struct cuc__bench_point *point = visitor ? cuc__bench_plan_point(bench, p, j, &texts)
                                                     : NULL;
            if (visitor && !point)
                st = BENCH_NO_MEMORY("a point");
            visited += st >= 0;
            if (point)
                stopped = visitor(data, p->index, point->bench_case, point->axes) != 0;
            free(point);
            cuc__bench_drop_texts(&texts);
        }
    }
    cuc__bench_plan_release(&plan, bench);
    if (st >= 0 && count)
        *count = visited;
    return st;
}
