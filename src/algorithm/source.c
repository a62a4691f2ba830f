// Writes the parts that the programs of all families share. Sizes are constants in the text, which
// therefore compiles without settings.
//
// Arrays have the names in_x and out_y. The caller's names appear only in the function element_of,
// so they never meet names of the kernels.
#include "algorithm.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
static const char blanks[] = " \t\n";

// Returns the array among the first `count` inputs, or those of the second sequence, whose name is
// a word, or NULL.
static const struct cuc__algorithm_input *
find_array(const struct cuc__algorithm_kind *k, uint32_t count, const char *word, size_t length)
{
    for (uint32_t i = count > k->second ? k->second : 0; i < count; i++)
        if (k->inputs[i].form <= CUC__ALGORITHM_WHOLE && strlen(k->inputs[i].name) == length &&
            strncmp(k->inputs[i].name, word, length) == 0)
            return &k->inputs[i];
    return NULL;
}

bool cuc__algorithm_mentions(const char *expression, const char *name)
{
    size_t length;

    for (const char *at = expression; *at; at += length ? length : 1) {
        length = strspn(at, letters);
        if (length && strlen(name) == length && strncmp(at, name, length) == 0)
            return true;
    }
    return false;
}

// Returns the length of `lower_bound(` or `upper_bound(` with blanks at the start of a text; 0 if
// there is neither.
static size_t search_call(const char *text, size_t word)
{
    size_t length = word + strspn(text + word, blanks);

    if (word != 11 || text[length] != '(' ||
        (strncmp(text, "lower_bound", 11) != 0 && strncmp(text, "upper_bound", 11) != 0))
        return 0;
    return length + 1 + strspn(text + length + 1, blanks);
}

// Copies the expression of input `at`. x[j] becomes gather(in_x, [j]), which takes tiles, or
// gather(in_x, [row, j]) if the array has rows; lower_bound(x, v) gets the array. Stops in front of
// a word that would end beyond `most` bytes of text, and returns it; returns NULL if it has copied
// all.
static const char *put_expression(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                                  uint32_t at, size_t most)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    enum { DEEPEST = 64 };
    const char *text = k->inputs[at].expression + strspn(k->inputs[at].expression, blanks);
    uint64_t gathers = 0; // a bit for each open bracket
    int depth = 0;

    while (*text) {
        size_t length = strspn(text, letters), blank = length + strspn(text + length, blanks);
        if (t->length + (length ? length : 1) > most)
            return text;
        size_t call = search_call(text, length);
        if (call && find_array(k, at, text + call, strspn(text + call, letters))) {
            cuc__text_append(t, text, call);
            cuc__text_put(t, "in_");
            length = strspn(text + call, letters);
            cuc__text_append(t, text + call, length);
            text += call + length;
            continue;
        }
        const struct cuc__algorithm_input *array = find_array(k, at, text, length);
        bool in_row = false;
        if (length && text[blank] == '[' && array) {
            in_row = p->family->by_row && array->form == CUC__ALGORITHM_ELEMENTS;
            cuc__text_put(t, "gather(in_%.*s, ", (int)length, text);
            text += blank;
            gathers |= depth < DEEPEST ? UINT64_C(1) << depth : 0;
        } else if (length) {
            cuc__text_append(t, text, length);
            text += length;
            continue;
        }
        if (*text == ']' && depth && --depth < DEEPEST && gathers >> depth & 1) {
            cuc__text_put(t, "])");
            gathers &= ~(UINT64_C(1) << depth);
        } else {
            cuc__text_append(t, text, 1);
        }
        if (in_row)
            cuc__text_put(t, "row, ");
        depth += *text++ == '[';
    }
    return NULL;
}

const char *cuc__algorithm_find_in_expression(const struct cuc__algorithm_problem *p,
                                              uint32_t input, size_t offset, size_t *length)
{
    struct cuc__text t = { 0 };
    const char *found = put_expression(&t, p, input, offset);

    *length = t.length;
    free(t.at);
    return found;
}

// The inputs of a sequence: all of them, unless there are two.
static uint32_t first_of(const struct cuc__algorithm_kind *k, bool second)
{
    return second ? k->second : 0;
}

static uint32_t end_of(const struct cuc__algorithm_kind *k, bool second)
{
    return second ? k->input_count : k->second;
}

// Returns the name of a sequence's number of elements.
static const char *count_of(const struct cuc__algorithm_problem *p, bool second)
{
    return !p->family->pairs ? "n" : second ? "nb_all" : "na_all";
}

// Writes the names of the arguments of element_of or, with a format of loads, the arguments. An
// array that is read by element ends at the number of elements, also where that is on the device.
static void put_element_arguments(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                                  bool second, const char *load, const char *hint)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    if (p->family->by_row)
        cuc__text_put(t, ", row");
    for (uint32_t i = first_of(k, second); i < end_of(k, second); i++) {
        const struct cuc__algorithm_input *in = &k->inputs[i];
        if (in->form == CUC__ALGORITHM_ELEMENTS && load)
            cuc__text_put(t, load, in->name, hint);
        else if (in->form == CUC__ALGORITHM_ELEMENTS)
            cuc__text_put(t, ", %s", in->name);
        if (in->form == CUC__ALGORITHM_ELEMENTS && load && k->device_count)
            cuc__text_put(t, ", slice(in_%s, %d, 0, %s)", in->name, p->family->by_row,
                          count_of(p, second));
        else if (in->form <= CUC__ALGORITHM_WHOLE)
            cuc__text_put(t, ", in_%s", in->name);
    }
}

// Writes the function that computes the values of an element, and the offset at which each
// expression begins.
static void put_element(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool second,
                        size_t *starts)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    bool expressions = false;
    const char *comma = "";

    for (uint32_t i = first_of(k, second); i < end_of(k, second); i++)
        expressions |= k->inputs[i].form == CUC__ALGORITHM_VALUE;
    cuc__text_put(t, "\n# The values of the elements with indices i.\nfn element_of%s(i, n",
                  second ? "_second" : "");
    put_element_arguments(t, p, second, NULL, NULL);
    cuc__text_put(t, ") {\n");
    for (uint32_t i = first_of(k, second); i < end_of(k, second); i++) {
        if (k->inputs[i].form != CUC__ALGORITHM_NAMED)
            continue;
        cuc__text_put(t, "    %s = ", k->inputs[i].name);
        starts[i] = t->length;
        put_expression(t, p, i, SIZE_MAX);
        cuc__text_put(t, "\n");
    }
    cuc__text_put(t, "    return ");
    for (uint32_t i = first_of(k, second); i < end_of(k, second); i++) {
        enum cuc__algorithm_form form = k->inputs[i].form;
        if (form == CUC__ALGORITHM_WHOLE || (form == CUC__ALGORITHM_VALUE) != expressions)
            continue;
        cuc__text_put(t, "%s", comma);
        comma = ", ";
        starts[i] = expressions ? t->length : starts[i];
        if (expressions)
            put_expression(t, p, i, SIZE_MAX);
        else
            cuc__text_put(t, "%s", k->inputs[i].name);
    }
    cuc__text_put(t, "\n}\n");
}

bool cuc__algorithm_binds_count(const struct cuc__algorithm_kind *k,
                                const struct cuc__algorithm_family *family)
{
    bool binds = family->ordered; // by the arrays in which values are kept

    for (uint32_t i = 0; i < k->input_count; i++)
        binds |= k->inputs[i].form == CUC__ALGORITHM_ELEMENTS;
    for (uint32_t i = 0; i < k->output_count && family->by_element; i++)
        binds |= !k->outputs[i].dropped;
    return binds;
}

void cuc__algorithm_put_inputs(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    for (uint32_t i = 0; i < k->input_count; i++) {
        const struct cuc__algorithm_input *in = &k->inputs[i];
        if (in->form == CUC__ALGORITHM_ELEMENTS)
            cuc__text_put(t, "in_%s: %s[%sN], ", in->name, cuc_dtype_name(in->dtype),
                          p->family->by_row ? "ROWS, " : "");
        if (in->form == CUC__ALGORITHM_WHOLE)
            cuc__text_put(t, "in_%s: %s[L%u], ", in->name, cuc_dtype_name(in->dtype), i);
    }
    if (!cuc__algorithm_binds_count(k, p->family))
        cuc__text_put(t, "N: i64, ");
    if (k->device_count)
        cuc__text_put(t, "count: i64[1], ");
}

void cuc__algorithm_put_outputs(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                                const char *extent)
{
    for (uint32_t i = 0; i < p->kind.output_count; i++)
        if (!p->kind.outputs[i].dropped)
            cuc__text_put(t, "out_%s: %s[%s], ", p->kind.outputs[i].name,
                          cuc_dtype_name(p->kind.outputs[i].dtype), extent);
}

void cuc__algorithm_put_apart(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                              const char *workspace, uint32_t count, bool outputs)
{
    uint32_t arrays = k->input_count + (outputs ? k->output_count : 0);
    const char *before = "    where ";

    for (uint32_t i = 0; i < arrays * count; i++) {
        uint32_t at = i / count, out = at - k->input_count;
        bool input = at < k->input_count;
        if (input ? k->inputs[at].form > CUC__ALGORITHM_WHOLE : k->outputs[out].dropped)
            continue;
        cuc__text_put(t, "%snoalias(%s%s, ", before, input ? "in_" : "out_",
                      input ? k->inputs[at].name : k->outputs[out].name);
        cuc__algorithm_put_numbered(t, i % count, workspace);
        cuc__text_put(t, ")");
        before = ", ";
    }
    cuc__text_put(t, *before == ',' ? "\n" : "");
}

void cuc__algorithm_put_count(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__text_put(t, p->kind.device_count ? "    n = minimum(maximum(count[0], 0), N)\n"
                                          : "    n = N\n");
}

// Writes the call that computes the values of elements. `value` is the format of their names.
static void put_call_of(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool second,
                        const char *indent, const char *value, const char *index, const char *load,
                        const char *hint)
{
    cuc__text_put(t, "%s", indent);
    cuc__algorithm_put_each(t, p->kind.values, value);
    cuc__text_put(t, " = element_of%s(%s, %s", second ? "_second" : "", index, count_of(p, second));
    put_element_arguments(t, p, second, load, hint);
    cuc__text_put(t, ")\n");
}

static void put_call(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                     const char *indent, const char *value, const char *index, const char *load,
                     const char *hint)
{
    put_call_of(t, p, false, indent, value, index, load, hint);
}

void cuc__algorithm_put_values(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                               const char *indent, const char *hint)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "%si = t * BN + iota(i64, BN)\n", indent);
    put_call(t, p, indent, "v%u", "i",
             p->family->by_row ? ", load(in_%s, [row, t], [_, BN]%s)"
                               : ", load(in_%s, [t], [BN]%s)",
             hint);
    for (uint32_t i = k->keys; i < k->values && p->family->has_identity; i++)
        cuc__text_put(t, "%sv%u = broadcast(cast(v%u, %s), [BN])\n", indent, i, i,
                      cuc_dtype_name(k->accumulators[i]));
}

void cuc__algorithm_put_gathered_values(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                                        const char *indent)
{
    put_call(t, p, indent, "v%u", "i",
             p->family->by_row ? ", gather(in_%s, [row, i]%s)" : ", gather(in_%s, [i]%s)",
             ", mask=there");
}

void cuc__algorithm_put_neighbors(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                                  char letter, bool next)
{
    const char value[] = { letter, '%', 'u', '\0' };

    put_call(t, p, "    ", value, next ? "i + 1" : "i - 1",
             next ? ", load_at(in_%s, [t * BN + 1], [BN]%s)"
                  : ", load_at(in_%s, [t * BN - 1], [BN]%s)",
             "");
}

void cuc__algorithm_put_loaded(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                               const char *indent, const char *load)
{
    put_call(t, p, indent, "v%u", "i", load, "");
}

void cuc__algorithm_put_sequence_values(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                                        bool second, const char *indent, const char *at,
                                        const char *mask)
{
    char letter = second ? 'b' : 'a', value[] = { letter, '%', 'u', '\0' }, hint[32];

    snprintf(hint, sizeof(hint), ", mask=%s", mask);
    cuc__text_put(t, "%sat = %s\n", indent, at);
    put_call_of(t, p, second, indent, value, "at", ", gather(in_%s, [at]%s)", hint);
    for (uint32_t i = 0; i < p->kind.values; i++)
        cuc__text_put(t, "%s%c%u = cast(%c%u, %s)\n", indent, letter, i, letter, i,
                      cuc_dtype_name(p->kind.accumulators[i]));
}

void cuc__algorithm_put_outputs_of_kept(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    for (uint32_t i = 0; i < k->output_count; i++)
        if (!k->outputs[i].dropped) {
            bool last = i + 1 == k->output_count;
            cuc__text_put(t, "out_%s: %s", k->outputs[i].name, cuc_dtype_name(k->outputs[i].dtype));
            cuc__text_put(t, last ? "[%u], " : "[M%u], ", last ? p->family->counts : i);
        }
}

void cuc__algorithm_put_kept_apart(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    t->length--; // the end of the line
    for (uint32_t i = 0; i < k->output_count; i++) {
        if (k->outputs[i].dropped)
            continue;
        for (uint32_t j = 0; j < k->input_count; j++)
            if (k->inputs[j].form <= CUC__ALGORITHM_WHOLE)
                cuc__text_put(t, ", noalias(out_%s, in_%s)", k->outputs[i].name, k->inputs[j].name);
        for (uint32_t j = 0; j < i; j++)
            if (!k->outputs[j].dropped)
                cuc__text_put(t, ", noalias(out_%s, out_%s)", k->outputs[i].name,
                              k->outputs[j].name);
    }
    cuc__text_put(t, "\n");
}

void cuc__algorithm_put_kept(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    const struct cuc__algorithm_output *count = &k->outputs[k->output_count - 1];

    if (!count->dropped)
        cuc__text_put(t, "    if t == last { store(out_%s, [0], cast(b0 + m0, %s), shape=[_]) }\n",
                      count->name, cuc_dtype_name(count->dtype));
}

void cuc__algorithm_put_stores(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_output *out = p->kind.outputs;

    for (uint32_t i = 0; i < p->kind.output_count; i++)
        if (!out[i].dropped)
            cuc__text_put(t,
                          p->kind.device_count
                              ? "    store(slice(out_%s, 0, 0, n), [t], cast(r%u, %s), "
                                "shape=[BN])\n"
                              : "    store(out_%s, [t], cast(r%u, %s), shape=[BN])\n",
                          out[i].name, i, cuc_dtype_name(out[i].dtype));
}

void cuc__algorithm_put_numbered(struct cuc__text *t, uint32_t number, const char *format)
{
    for (const char *at = format; *at; at++) {
        if (*at == '%' && at[1] == 'u')
            cuc__text_put(t, "%u", number), at++;
        else
            cuc__text_append(t, at, 1);
    }
}

void cuc__algorithm_put_each(struct cuc__text *t, uint32_t count, const char *format)
{
    for (uint32_t i = 0; i < count; i++) {
        cuc__text_put(t, "%s", i ? ", " : "");
        cuc__algorithm_put_numbered(t, i, format);
    }
}

void cuc__algorithm_put_combined(struct cuc__text *t, uint32_t count, const char *result,
                                 const char *fn, const char *x, const char *y)
{
    cuc__algorithm_put_each(t, count, result);
    cuc__text_put(t, " = %s(", fn);
    cuc__algorithm_put_each(t, count, x);
    cuc__text_put(t, ", ");
    cuc__algorithm_put_each(t, count, y);
    cuc__text_put(t, ")\n");
}

void cuc__algorithm_put_identities(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__text_put(t, "[");
    for (uint32_t i = 0; i < p->kind.values; i++)
        cuc__text_put(t, "%s%s", i ? ", " : "", p->identity[i]);
    cuc__text_put(t, "]");
}

char *cuc__algorithm_source(const struct cuc__algorithm_problem *p, size_t *starts)
{
    struct cuc__text t = { 0 };

    if (p->fn) // first, so that messages of the compiler refer to its lines
        cuc__text_put(&t, "%s\n", p->fn);
    cuc__algorithm_put_functions(&t, &p->kind);
    put_element(&t, p, false, starts);
    if (p->family->pairs)
        put_element(&t, p, true, starts);
    p->family->put(&t, p);
    if (t.lost) {
        free(t.at);
        return NULL;
    }
    return t.at;
}
