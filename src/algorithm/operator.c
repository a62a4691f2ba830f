// Reads a plan's operator: the text of a function, or the name of one of the library's own.
#include "algorithm.h"

#include "base/array.h"
#include "tile/ir/scalar.h"

#include <inttypes.h>
#include <string.h>

// Writes the value that changes nothing, for a type. -1: the least value, 1: the largest.
static void put_extreme(char *out, cuc_dtype dtype, int sign)
{
    uint32_t bits = cuc_dtype_bits(dtype);

    if (dtype == CUC_BOOL)
        snprintf(out, CUC__ALGORITHM_IDENTITY, sign < 0 ? "false" : "true");
    else if (!tile_is_integer(dtype))
        snprintf(out, CUC__ALGORITHM_IDENTITY, sign < 0 ? "-inf" : "inf");
    else if (!tile_is_signed(dtype))
        snprintf(out, CUC__ALGORITHM_IDENTITY, "%" PRIu64,
                 sign < 0 ? 0 : UINT64_MAX >> (64 - bits));
    else
        snprintf(out, CUC__ALGORITHM_IDENTITY, "%s%" PRIu64, sign < 0 ? "-" : "",
                 (UINT64_MAX >> (65 - bits)) + (sign < 0));
}

// Returns the type of the output for a value that is combined. A short integer is combined in 32
// bits, but the result of no elements is an extreme of its own type.
static cuc_dtype type_of_value(const struct cuc__algorithm_problem *p, uint32_t value)
{
    return p->kind.outputs[p->family->by_element ? value - p->kind.keys : value].dtype;
}

static const struct {
    const char *name, *text;
    const char *identity; // NULL: the type's least or largest value
    int sign;
} operators[] = {
    { "sum", "fn combined(a, b) { return a + b }", "0", 0 },
    { "prod", "fn combined(a, b) { return a * b }", "1", 0 },
    { "min", "fn combined(a, b) { return minimum(a, b) }", NULL, 1 },
    { "max", "fn combined(a, b) { return maximum(a, b) }", NULL, -1 },
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// Finds the name of the next function that a text defines, or kernel. Returns NULL if there is
// none.
static const char *next_function(const char *text, bool kernels, size_t *length)
{
    bool after_fn = false;

    while (*text) {
        *length = strspn(text, letters);
        if (*length && after_fn)
            return text;
        if (*length)
            after_fn = (*length == 2 && strncmp(text, "fn", 2) == 0) ||
                       (kernels && *length == 6 && strncmp(text, "kernel", 6) == 0);
        text += *text == '#' ? strcspn(text, "\n") : *length ? *length : 1;
    }
    return NULL;
}

// Finds the name of the last function that a text defines, and the number of its parameters.
// Returns false if there is none, or if the name is too long.
static bool find_function(char out[CUC__ALGORITHM_NAME], uint32_t *parameters, const char *text)
{
    const char *name = NULL, *at = text;
    size_t length, found = 0;

    while ((at = next_function(at, false, &length))) {
        name = at;
        found = length;
        at += length;
    }
    if (!name || found >= CUC__ALGORITHM_NAME)
        return false;
    memcpy(out, name, found);
    out[found] = '\0';
    *parameters = 0;
    for (at = name + found; *at && *at != ')'; at += length ? length : 1) {
        length = strspn(at, letters);
        *parameters += length > 0;
        if (*at == '#')
            length = strcspn(at, "\n");
    }
    return true;
}

// Checks the number of a function's parameters, for the families whose values are passed to it.
static cuc_status check_parameters(const struct cuc__algorithm_problem *p, uint32_t parameters,
                                   const char *function)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    bool set = p->family->pairs && p->family->counts; // its sequences have only keys in common
    bool pairs = p->family->has_identity || p->family->ordered || k->kind == CUC_ALGORITHM_UNIQUE;
    uint32_t each = set ? k->keys : p->family->ordered ? k->values : k->values - k->keys;
    uint32_t expected = (pairs ? 2 : 1) * each;

    if ((!pairs && k->kind > CUC_ALGORITHM_HISTOGRAM) || parameters == expected)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "fn %s has %u parameter%s, expected %u: the %s of %s", p->fn_name, parameters,
                     parameters == 1 ? "" : "s", expected, set ? "keys" : "values",
                     pairs ? "two elements" : "an element");
}

cuc_status cuc__algorithm_check_names(const struct cuc__algorithm_problem *p, const char *program,
                                      const char *function)
{
    const char *name = p->fn, *other;
    size_t length, size;

    while (name && !p->named && (name = next_function(name, false, &length))) {
        for (other = program + strlen(p->fn); (other = next_function(other, true, &size));
             other += size)
            if (size == length && strncmp(other, name, size) == 0)
                return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                                 "fn defines %.*s, which the plan's program defines too: expected "
                                 "another name",
                                 (int)length, name);
        name += length;
    }
    return CUC_OK;
}

// Splits a list at its commas outside of brackets. Returns the number of entries: more than `most`
// if there are more, and 0 if one is empty or too long.
static uint32_t split(char out[][CUC__ALGORITHM_IDENTITY], uint32_t most, const char *list)
{
    uint32_t count = 0;

    for (const char *at = list; count < most; at++) {
        const char *start = at += strspn(at, " ");
        for (int depth = 0; *at && (depth || *at != ','); at++)
            depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (at == start || at - start >= CUC__ALGORITHM_IDENTITY)
            return 0;
        snprintf(out[count++], CUC__ALGORITHM_IDENTITY, "%.*s", (int)(at - start), start);
        if (!*at)
            return count;
    }
    return most + 1;
}

static cuc_status read_identity(struct cuc__algorithm_problem *p, const cuc_algorithm_options *o,
                                const char *function)
{
    if (p->family->has_identity && !o->identity)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "identity is NULL, expected the values that change nothing when fn "
                         "combines them with others, such as \"0\"");
    if (!p->family->has_identity && o->identity)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "identity is given, but fn combines no values: leave it NULL");
    if (o->identity && split(p->identity + p->kind.keys, p->kind.values - p->kind.keys,
                             o->identity) != p->kind.values - p->kind.keys)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "identity is \"%s\", expected %u number%s, separated by commas",
                         o->identity, p->kind.values - p->kind.keys,
                         p->kind.values - p->kind.keys == 1 ? "" : "s");
    return CUC_OK;
}

cuc_status cuc__algorithm_read_operator(struct cuc__algorithm_problem *p,
                                        const cuc_algorithm_options *o, const char *function)
{
    char *identity = p->identity[p->kind.keys];
    uint32_t parameters;
    cuc_status st;

    p->fn = o->fn;
    if (o->fn && find_function(p->fn_name, &parameters, o->fn)) {
        st = check_parameters(p, parameters, function);
        return st < 0 ? st : read_identity(p, o, function);
    }
    if (!p->family->has_identity)
        return o->fn || p->family->needs_fn
                   ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "fn is %s, expected a function, such as \"fn large(x) { "
                               "return x > 2 }\"",
                               o->fn ? o->fn : "NULL")
                   : read_identity(p, o, function);
    for (int i = 0; i < CUC_LENGTH(operators) && o->fn; i++) {
        if (strcmp(operators[i].name, o->fn) != 0)
            continue;
        if (p->kind.values - p->kind.keys != 1 || o->identity)
            return cuc__fail(
                CUC_ERROR_INVALID_ARGUMENT, function,
                "fn is %s, which combines one value and has its own identity: expected "
                "%s",
                o->fn, o->identity ? "identity to be NULL" : "a function for several values");
        p->fn = operators[i].text;
        p->named = operators[i].name;
        snprintf(p->fn_name, sizeof(p->fn_name), "combined");
        if (operators[i].identity)
            snprintf(identity, CUC__ALGORITHM_IDENTITY, "%s", operators[i].identity);
        else
            put_extreme(identity, type_of_value(p, p->kind.keys), operators[i].sign);
        return CUC_OK;
    }
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "fn is %s, expected sum, prod, min, max, or a function, such as \"fn add(a, "
                     "b) { return a + b }\"",
                     o->fn ? o->fn : "NULL");
}
