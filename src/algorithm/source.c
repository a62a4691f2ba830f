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

// Returns true if a word is the name of an array among the first `count` inputs.
static bool is_array(const struct cuc__algorithm_kind *k, uint32_t count, const char *word,
                     size_t length)
{
    for (uint32_t i = 0; i < count; i++)
        if (k->inputs[i].form <= CUC__ALGORITHM_WHOLE && strlen(k->inputs[i].name) == length &&
            strncmp(k->inputs[i].name, word, length) == 0)
            return true;
    return false;
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

// Copies the expression of input `at`. x[j] becomes gather(in_x, [j]), which takes tiles, and
// lower_bound(x, v) gets the array.
static void put_expression(struct cuc__text *t, const struct cuc__algorithm_kind *k, uint32_t at)
{
    enum { DEEPEST = 64 };
    const char *text = k->inputs[at].expression + strspn(k->inputs[at].expression, blanks);
    uint64_t gathers = 0; // a bit for each open bracket
    int depth = 0;

    while (*text) {
        size_t length = strspn(text, letters), blank = length + strspn(text + length, blanks);
        size_t call = search_call(text, length);
        if (call && is_array(k, at, text + call, strspn(text + call, letters))) {
            cuc__text_append(t, text, call);
            cuc__text_put(t, "in_");
            length = strspn(text + call, letters);
            cuc__text_append(t, text + call, length);
            text += call + length;
            continue;
        }
        if (length && text[blank] == '[' && is_array(k, at, text, length)) {
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
        depth += *text++ == '[';
    }
}

// Writes the names of the arguments of element_of or, with a format of loads, the arguments. An
// array that is read by element ends at the number of elements, also where that is on the device.
static void put_element_arguments(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                                  const char *load, const char *hint)
{
    for (uint32_t i = 0; i < k->input_count; i++) {
        const struct cuc__algorithm_input *in = &k->inputs[i];
        if (in->form == CUC__ALGORITHM_ELEMENTS && load)
            cuc__text_put(t, load, in->name, hint);
        else if (in->form == CUC__ALGORITHM_ELEMENTS)
            cuc__text_put(t, ", %s", in->name);
        if (in->form == CUC__ALGORITHM_ELEMENTS && load && k->device_count)
            cuc__text_put(t, ", slice(in_%s, 0, 0, n)", in->name);
        else if (in->form <= CUC__ALGORITHM_WHOLE)
            cuc__text_put(t, ", in_%s", in->name);
    }
}

// Writes the functions that search in a sorted array, if an expression has their names: the number
// of elements that are less than x, or not more.
static void put_searches(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    static const struct {
        const char *name, *comparison;
    } rows[] = { { "lower_bound", "<" }, { "upper_bound", "<=" } };

    for (int row = 0; row < CUC_LENGTH(rows); row++) {
        bool used = false;
        for (uint32_t i = 0; i < k->input_count; i++)
            used |= k->inputs[i].expression && strstr(k->inputs[i].expression, rows[row].name);
        if (used)
            cuc__text_put(t,
                          "\nfn %s(sorted, x) {\n"
                          "    size = dim(sorted, 0)\n"
                          "    width, at = cast(1, i64), cast(x != x, i64) * 0\n"
                          "    while width * 2 <= size { width = width * 2 }\n"
                          "    while width > 0 {\n"
                          "        next = at + width\n"
                          "        there = next <= size\n"
                          "        more = gather(sorted, [next - 1], mask=there) %s x\n"
                          "        at = where(there & more, next, at)\n"
                          "        width = width // 2\n"
                          "    }\n"
                          "    return at\n"
                          "}\n",
                          rows[row].name, rows[row].comparison);
    }
}

// Writes the function that computes the values of an element.
static void put_element(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    bool expressions = false;
    const char *comma = "";

    for (uint32_t i = 0; i < k->input_count; i++)
        expressions |= k->inputs[i].form == CUC__ALGORITHM_VALUE;
    cuc__text_put(t, "\n# The values of the elements with indices i.\nfn element_of(i, n");
    put_element_arguments(t, k, NULL, NULL);
    cuc__text_put(t, ") {\n");
    for (uint32_t i = 0; i < k->input_count; i++) {
        if (k->inputs[i].form != CUC__ALGORITHM_NAMED)
            continue;
        cuc__text_put(t, "    %s = ", k->inputs[i].name);
        put_expression(t, k, i);
        cuc__text_put(t, "\n");
    }
    cuc__text_put(t, "    return ");
    for (uint32_t i = 0; i < k->input_count; i++) {
        enum cuc__algorithm_form form = k->inputs[i].form;
        if (form == CUC__ALGORITHM_WHOLE || (form == CUC__ALGORITHM_VALUE) != expressions)
            continue;
        cuc__text_put(t, "%s", comma);
        comma = ", ";
        if (expressions)
            put_expression(t, k, i);
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
            cuc__text_put(t, "in_%s: %s[N], ", in->name, cuc_dtype_name(in->dtype));
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

void cuc__algorithm_put_count(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__text_put(t, p->kind.device_count ? "    n = minimum(maximum(count[0], 0), N)\n"
                                          : "    n = N\n");
}

void cuc__algorithm_put_values(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                               const char *indent, const char *hint)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "%si = t * BN + iota(i64, BN)\n%s", indent, indent);
    cuc__algorithm_put_each(t, k->values, "v%u");
    cuc__text_put(t, " = element_of(i, n");
    put_element_arguments(t, k, ", load(in_%s, [t], [BN]%s)", hint);
    cuc__text_put(t, ")\n");
    for (uint32_t i = k->keys; i < k->values && p->family->has_identity; i++)
        cuc__text_put(t, "%sv%u = broadcast(cast(v%u, %s), [BN])\n", indent, i, i,
                      cuc_dtype_name(k->accumulators[i]));
}

void cuc__algorithm_put_neighbors(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                                  char letter, int by)
{
    const char name[] = { letter, '%', 'u', '\0' }, sign = by < 0 ? '-' : '+';
    char load[64];

    snprintf(load, sizeof(load), ", load_at(in_%%s, [t * BN %c 1], [BN]%%s)", sign);
    cuc__text_put(t, "    ");
    cuc__algorithm_put_each(t, p->kind.values, name);
    cuc__text_put(t, " = element_of(i %c 1, n", sign);
    put_element_arguments(t, &p->kind, load, "");
    cuc__text_put(t, ")\n");
}

void cuc__algorithm_put_loaded(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                               const char *indent, const char *load)
{
    cuc__text_put(t, "%s", indent);
    cuc__algorithm_put_each(t, p->kind.values, "v%u");
    cuc__text_put(t, " = element_of(i, n");
    put_element_arguments(t, &p->kind, load, "");
    cuc__text_put(t, ")\n");
}

void cuc__algorithm_put_outputs_of_kept(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    for (uint32_t i = 0; i < k->output_count; i++)
        if (!k->outputs[i].dropped) {
            cuc__text_put(t, "out_%s: %s", k->outputs[i].name, cuc_dtype_name(k->outputs[i].dtype));
            cuc__text_put(t, i + 1 < k->output_count ? "[M%u], " : "[1], ", i);
        }
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

void cuc__algorithm_put_each(struct cuc__text *t, uint32_t count, const char *format)
{
    for (uint32_t i = 0; i < count; i++) {
        cuc__text_put(t, "%s", i ? ", " : "");
        for (const char *at = format; *at; at++) {
            if (*at == '%' && at[1] == 'u')
                cuc__text_put(t, "%u", i), at++;
            else
                cuc__text_append(t, at, 1);
        }
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

char *cuc__algorithm_source(const struct cuc__algorithm_problem *p)
{
    struct cuc__text t = { 0 };

    if (p->fn) // first, so that messages of the compiler refer to its lines
        cuc__text_put(&t, "%s\n", p->fn);
    put_searches(&t, &p->kind);
    put_element(&t, &p->kind);
    p->family->put(&t, p);
    if (t.lost) {
        free(t.at);
        return NULL;
    }
    return t.at;
}
