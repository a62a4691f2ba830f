#include "argument.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = { "scalar", "in", "inout", "out" };

const char *argument_kind_name(int kind)
{
    return kind_names[kind];
}

// Return the type named by the first `length` characters.
static cuc_dtype dtype_of(const char *text, size_t length)
{
    char name[16];

    if (!length || length >= sizeof(name))
        return CUC_DTYPE_UNKNOWN;
    memcpy(name, text, length);
    name[length] = '\0';
    return cuc_dtype_from_name(name);
}

static const char *dtype_names(char *out, size_t size)
{
    size_t at = 0;

    for (int32_t d = CUC_BOOL; cuc_dtype_bits(d) && at < size; d++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", at ? " " : "", cuc_dtype_name(d));
    return out;
}

// Parse "64,32]" after the opening bracket; return the text after the closing one, or NULL.
static const char *parse_shape(argument *a, const char *at, cli_why *why)
{
    const char *start = at;

    if (*at == ']')
        return at + 1;
    for (;;) {
        int64_t extent = 0;
        if (*at < '0' || *at > '9')
            break;
        for (; *at >= '0' && *at <= '9'; at++)
            if (__builtin_mul_overflow(extent, 10, &extent) ||
                __builtin_add_overflow(extent, *at - '0', &extent))
                goto too_large;
        if (a->rank == NPY_MAX_RANK) {
            cli_because(why, "'%s' has more than %d dimensions", a->text, NPY_MAX_RANK);
            return NULL;
        }
        a->shape[a->rank++] = extent;
        if (*at == ']') {
            if (!npy_count_bytes(&a->bytes, a->shape, a->rank, cuc_dtype_bits(a->dtype) / 8))
                goto too_large;
            return at + 1;
        }
        if (*at++ != ',')
            break;
    }
    cli_because(why, "'%s' has no shape at '[%s': whole numbers are expected, as in [64,32]",
                a->text, start);
    return NULL;

too_large:
    cli_because(why, "'%s' has more elements than memory can hold", a->text);
    return NULL;
}

// Parse an output's target: =FILE to write, ==FILE to compare with, =- for neither.
static bool parse_target(argument *a, const char *at, const char *form, cli_why *why)
{
    bool compared = at[0] == '=' && at[1] == '=';
    const char *path = at + 1 + compared;

    if (at[0] != '=' || !*path)
        return cli_because(why,
                           "'%s' does not say where its result goes: expected %s=FILE to write it, "
                           "==FILE to compare it, or =- for neither",
                           a->text, form);
    if (compared)
        a->expected_path = cli_copy_text(path, strlen(path));
    else if (strcmp(path, "-") != 0)
        a->out_path = cli_copy_text(path, strlen(path));
    return true;
}

// out:f32[1024]=z.npy
static bool parse_out(argument *a, const char *at, cli_why *why)
{
    size_t length = strcspn(at, "[=");
    char names[160], form[64];

    a->dtype = dtype_of(at, length);
    if (!a->dtype)
        return cli_because(why, "'%s' names no type after 'out:': %s", a->text,
                           dtype_names(names, sizeof(names)));
    snprintf(form, sizeof(form), "out:%s[1024]", cuc_dtype_name(a->dtype));
    if (at[length] != '[')
        return cli_because(why, "'%s' has no shape: expected %s=FILE", a->text, form);
    a->bytes = cuc_dtype_bits(a->dtype) / 8;
    at = parse_shape(a, at + length + 1, why);
    return at && parse_target(a, at, form, why);
}

// in:x.npy  in:bf16:x.npy  inout:x.npy=y.npy
static bool parse_in(argument *a, const char *at, cli_why *why)
{
    const char *colon = strchr(at, ':');
    cuc_dtype dtype = colon ? dtype_of(at, (size_t)(colon - at)) : CUC_DTYPE_UNKNOWN;

    if (dtype) {
        a->dtype = dtype;
        a->named = true;
        at = colon + 1;
    }
    const char *end = at + strlen(at);
    if (a->kind == ARGUMENT_INOUT) {
        // Use the last '=', so that only the second file name must not contain '='.
        const char *equals = strrchr(at, '=');
        end = equals && equals > at && equals[-1] == '=' ? equals - 1 : equals ? equals : end;
        if (!parse_target(a, end, "inout:FILE", why))
            return false;
    }
    if (end == at)
        return cli_because(why, "'%s' names no file to read", a->text);
    a->in_path = cli_copy_text(at, (size_t)(end - at));
    return true;
}

static bool parse(argument *a, cli_why *why)
{
    const char *colon = strchr(a->text, ':');
    size_t length = colon ? (size_t)(colon - a->text) : 0;
    char names[160];

    for (int kind = ARGUMENT_IN; kind <= ARGUMENT_OUT; kind++)
        if (strlen(kind_names[kind]) == length && memcmp(a->text, kind_names[kind], length) == 0) {
            a->kind = kind;
            return kind == ARGUMENT_OUT ? parse_out(a, colon + 1, why)
                                        : parse_in(a, colon + 1, why);
        }
    a->dtype = dtype_of(a->text, length);
    if (!a->dtype)
        return cli_because(
            why,
            "'%s' is not an argument: expected TYPE:VALUE, in:FILE, inout:FILE=OUT or "
            "out:TYPE[SHAPE]=OUT, where TYPE is one of %s",
            a->text, dtype_names(names, sizeof(names)));
    a->bytes = cuc_dtype_bits(a->dtype) / 8;
    return scalar_parse(a->scalar, a->dtype, colon + 1, why);
}

bool argument_parse(argument *out, const char *text, cli_why *why)
{
    argument a = { .kind = ARGUMENT_SCALAR, .text = text };

    if (!parse(&a, why)) {
        argument_release(&a);
        return false;
    }
    *out = a;
    return true;
}

bool argument_load(argument *a, cli_why *why)
{
    npy_header h;
    size_t bytes;

    if (!a->in_path)
        return true;
    if (!cli_read_file(&a->file, &bytes, a->in_path, why) ||
        !npy_parse(&h, a->file, bytes, a->in_path, why))
        return false;
    if (!a->named) {
        if (!h.dtype)
            return cli_because(why,
                               "%s holds elements of type '%s', which can be several: name it, "
                               "%s:bf16:%s",
                               a->in_path, h.descr, kind_names[a->kind], a->in_path);
        a->dtype = h.dtype;
    } else if (npy_storage(a->dtype) == a->dtype ? h.dtype != a->dtype
                                                 : h.item_bytes != cuc_dtype_bits(a->dtype) / 8) {
        return cli_because(why, "%s holds elements of type '%s' of %u bytes, and %s has %u bytes%s",
                           a->in_path, h.descr, h.item_bytes, cuc_dtype_name(a->dtype),
                           cuc_dtype_bits(a->dtype) / 8,
                           h.item_bytes == cuc_dtype_bits(a->dtype) / 8 ? " of another type" : "");
    }
    npy_order_by_rows(&h, a->file);
    a->rank = h.rank;
    memcpy(a->shape, h.shape, sizeof(a->shape));
    a->bytes = h.bytes;
    a->data_offset = h.data_offset;
    return true;
}

const char *argument_type(const argument *a, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "%s", cuc_dtype_name(a->dtype));

    if (a->kind == ARGUMENT_SCALAR)
        return out;
    if (at < size)
        at += (size_t)snprintf(out + at, size - at, "[");
    for (int32_t i = 0; i < a->rank && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%lld", i ? "," : "", (long long)a->shape[i]);
    if (at < size)
        snprintf(out + at, size - at, "]");
    return out;
}

void argument_release(argument *a)
{
    free(a->in_path);
    free(a->out_path);
    free(a->expected_path);
    free(a->file);
    a->in_path = a->out_path = a->expected_path = NULL;
    a->file = NULL;
}
