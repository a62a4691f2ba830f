#include "state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct cuc__bench_value *find_axis(cuc_bench_state *s, const char *axis, int32_t kind)
{
    static const struct cuc__bench_value none = { .text = "" };
    const struct cuc__bench_point *p = s->bench->point;
    const char *wrong = "no axis";

    for (size_t i = 0; axis && i < p->count; i++) {
        const struct cuc__bench_coordinate *c = &p->at[i];
        bool number = c->kind == CUC_BENCH_AXIS_INT || c->kind == CUC_BENCH_AXIS_POW2;
        if (strcmp(c->name, axis) != 0)
            continue;
        if (kind == CUC_BENCH_AXIS_STRING || c->kind == kind ||
            (kind == CUC_BENCH_AXIS_INT && number))
            return &c->value;
        wrong = kind == CUC_BENCH_AXIS_INT ? "no numbers on axis" : "no element types on axis";
    }
    if (!s->failed)
        s->failed = cuc__bench_keep_format(&s->bench->texts, "%s/%s has %s \"%s\"",
                                           p->bench_case->suite, p->bench_case->name, wrong,
                                           axis ? axis : "NULL");
    return &none;
}

int64_t cuc_bench_state_int(cuc_bench_state *state, const char *axis)
{
    return state ? find_axis(state, axis, CUC_BENCH_AXIS_INT)->number : 0;
}

cuc_dtype cuc_bench_state_dtype(cuc_bench_state *state, const char *axis)
{
    return state ? find_axis(state, axis, CUC_BENCH_AXIS_DTYPE)->dtype : CUC_DTYPE_UNKNOWN;
}

const char *cuc_bench_state_text(cuc_bench_state *state, const char *axis)
{
    return state ? find_axis(state, axis, CUC_BENCH_AXIS_STRING)->text : "";
}

cuc_device *cuc_bench_state_device(const cuc_bench_state *state)
{
    return state ? state->bench->gpu.device : NULL;
}

cuc_stream *cuc_bench_state_stream(const cuc_bench_state *state)
{
    return state ? state->bench->gpu.stream : NULL;
}

cuc_bench *cuc_bench_state_bench(const cuc_bench_state *state)
{
    return state ? state->bench : NULL;
}

uint64_t cuc_bench_state_seed(const cuc_bench_state *state)
{
    return state ? state->bench->options.seed : 0;
}

int32_t cuc_bench_state_is_quick(const cuc_bench_state *state)
{
    return state && (state->bench->options.flags & CUC_BENCH_QUICK) ? 1 : 0;
}

cuc_status cuc_bench_state_skip(cuc_bench_state *state, const char *reason)
{
    if (state && !state->skipped)
        state->skipped = cuc__bench_keep(&state->bench->texts, reason ? reason : "no reason given");
    return CUC_OK;
}

cuc_status cuc_bench_state_defer(cuc_bench_state *state, void (*drop)(void *object), void *object)
{
    BENCH_CHECK_NOT_NULL(state);
    if (!drop)
        return CUC_OK;
    void *array = state->deferred;
    struct cuc__bench_deferred *to =
        cuc__bench_grow(&array, &state->deferred_capacity, state->deferred_count, sizeof(*to));
    state->deferred = array;
    if (!to) {
        drop(object);
        return BENCH_NO_MEMORY("what is freed after the point");
    }
    *to = (struct cuc__bench_deferred){ drop, object };
    state->deferred_count++;
    return CUC_OK;
}

cuc_status cuc_bench_state_set_work(cuc_bench_state *state, const cuc_bench_work *work)
{
    cuc_bench_work w;

    BENCH_CHECK_NOT_NULL(state);
    BENCH_CHECK_NOT_NULL(work);
    cuc_status st = BENCH_READ(&w, work, cuc_bench_work);
    if (st < 0)
        return st;
    if (!(w.bytes >= 0) || !(w.flop >= 0) || !(w.items >= 0))
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                          "%g bytes, %g flop, %g items: expected numbers from 0 up", w.bytes,
                          w.flop, w.items);
    const char *item = w.item ? w.item : "items";
    const char *peak = w.peak ? w.peak : w.bytes > 0 && !(w.flop > 0) ? "copy" : "";
    w.item = cuc__bench_keep(&state->bench->texts, item);
    w.peak = cuc__bench_keep(&state->bench->texts, peak);
    if (!w.item || !w.peak)
        return BENCH_NO_MEMORY("a point's work");
    state->work = w;
    return CUC_OK;
}

cuc_status cuc_bench_state_add_input(cuc_bench_input **out, cuc_bench_state *state,
                                     const cuc_bench_input_options *options)
{
    cuc_bench_input_options o;
    cuc_bench_input *input;
    cuc_status st;

    BENCH_CHECK_NOT_NULL(out);
    BENCH_CHECK_NOT_NULL(state);
    BENCH_CHECK_NOT_NULL(options);
    cuc_bench *b = state->bench;
    if ((st = BENCH_READ(&o, options, cuc_bench_input_options)) < 0 ||
        (st = cuc__bench_input_create(&input, cuc__bench_gpu_of(b), &o, b->options.seed,
                                      state->input_count, b->options.max_set_bytes)) < 0)
        return st;
    state->input_count++;
    input->next = state->inputs;
    state->inputs = input;
    *out = input;
    return CUC_OK;
}

static struct cuc__bench_entry *new_entry(cuc_bench_state *s)
{
    void *array = s->entries;
    struct cuc__bench_entry *to =
        cuc__bench_grow(&array, &s->entry_capacity, s->entry_count, sizeof(*to));

    s->entries = array;
    if (to)
        *to = (struct cuc__bench_entry){ 0 };
    return to;
}

cuc_status cuc_bench_state_skip_subject(cuc_bench_state *state, const char *subject,
                                        const char *reason)
{
    BENCH_CHECK_NOT_NULL(state);
    BENCH_CHECK_NOT_NULL(subject);
    BENCH_CHECK_NOT_NULL(reason);
    struct cuc__bench_entry *to = new_entry(state);
    if (!to)
        return BENCH_NO_MEMORY("a subject");
    to->subject.name = cuc__bench_keep(&state->bench->texts, subject);
    to->reason = cuc__bench_keep(&state->bench->texts, reason);
    to->outcome = CUC_BENCH_SKIPPED;
    if (!to->subject.name || !to->reason)
        return BENCH_NO_MEMORY("a subject");
    state->entry_count++;
    return CUC_OK;
}

// Describe a subject's defect; return NULL if there is none.
static const char *wrong_with(const cuc_bench_state *state, const cuc_bench_subject *s)
{
    const uint32_t flags = CUC_BENCH_PEER | CUC_BENCH_SYNCHRONISES | CUC_BENCH_NO_CAPTURE;
    const uint32_t modes = CUC_BENCH_COLD | CUC_BENCH_HOT | CUC_BENCH_GRAPH | CUC_BENCH_CPU;
    bool foreign = s->kind == CUC_BENCH_KIND_FOREIGN;

    if (s->kind < CUC_BENCH_KIND_GPU || s->kind > CUC_BENCH_KIND_FOREIGN)
        return "kind is not a CUC_BENCH_KIND_ constant";
    if ((s->flags & ~flags) || (s->modes & ~modes))
        return "a bit of flags or modes is not known";
    if (foreign ? !s->sample || s->run : !s->run || s->sample)
        return foreign ? "a foreign subject has sample() and no run()"
                       : "expected run(), and sample() of a foreign subject alone";
    if (!s->check == !s->unchecked)
        return "expected either check(), or why there is nothing to check: nothing is timed "
               "unchecked";
    if (!(s->limit >= 0))
        return "limit is below 0";
    for (size_t i = 0; i < s->figure_count; i++)
        if (!s->figures || !s->figures[i].name || !isfinite(s->figures[i].value))
            return "a figure has no name, or a value that is not finite";
    if (s->kind == CUC_BENCH_KIND_GPU && !state->bench->gpu.device)
        return "there is no device for a GPU subject";
    for (size_t i = 0; i < state->entry_count; i++) {
        const cuc_bench_subject *other = &state->entries[i].subject;
        if (strcmp(other->name, s->name) == 0)
            return "there is a subject of that name";
        if (other->flags & s->flags & CUC_BENCH_PEER)
            return "there is a peer already";
    }
    return NULL;
}

static bool keep_figures(cuc_bench_state *state, cuc_bench_subject *s)
{
    struct cuc__bench_text **texts = &state->bench->texts;
    cuc_bench_figure *kept;

    if (!s->figure_count) {
        s->figures = NULL;
        return true;
    }
    kept = cuc__bench_keep_bytes(texts, s->figures, s->figure_count * sizeof(*kept));
    for (size_t i = 0; kept && i < s->figure_count; i++)
        if (!(kept[i].name = cuc__bench_keep(texts, kept[i].name)))
            return false;
    s->figures = kept;
    return kept != NULL;
}

cuc_status cuc_bench_state_add_subject(cuc_bench_state *state, const cuc_bench_subject *subject)
{
    cuc_bench_subject s;

    BENCH_CHECK_NOT_NULL(state);
    BENCH_CHECK_NOT_NULL(subject);
    cuc_status st = BENCH_READ(&s, subject, cuc_bench_subject);
    if (st < 0)
        return st;
    if (!s.name || !*s.name)
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT, "the subject has no name");
    const char *wrong = wrong_with(state, &s);
    if (wrong)
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT, "subject %s: %s", s.name, wrong);
    struct cuc__bench_entry *to = new_entry(state);
    s.name = cuc__bench_keep(&state->bench->texts, s.name);
    const char *unchecked =
        s.unchecked
            ? cuc__bench_keep_format(&state->bench->texts, "nothing to check: %s", s.unchecked)
            : NULL;
    if (!to || !s.name || (s.unchecked && !unchecked) || !keep_figures(state, &s))
        return BENCH_NO_MEMORY("a subject");
    s.unchecked = unchecked;
    to->subject = s;
    state->entry_count++;
    return CUC_OK;
}

void cuc__bench_state_end(cuc_bench_state *s)
{
    if (s->bench->gpu.stream)
        (void)cuc_stream_synchronize(s->bench->gpu.stream);
    while (s->deferred_count > 0) {
        struct cuc__bench_deferred *d = &s->deferred[--s->deferred_count];
        d->drop(d->object);
    }
    free(s->deferred);
    while (s->inputs) {
        cuc_bench_input *input = s->inputs;
        s->inputs = input->next;
        cuc__bench_input_release(input);
    }
    free(s->entries);
    *s = (cuc_bench_state){ 0 };
}
