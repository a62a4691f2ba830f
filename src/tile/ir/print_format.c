// Parses placeholders in the format strings of print. See print_format.h.
#include "print_format.h"

#include "scalar.h"

#include <stdio.h>
#include <string.h>

static const char of_integers[] = "diouxX", of_floats[] = "eEfgGaA";

bool tile_find_mark(const char *text, struct tile_mark *mark)
{
    const char *at = text;

    for (; (at = strchr(at, '{')); at++) {
        *mark = (struct tile_mark){ .at = at };
        if (at[1] == '}') {
            mark->end = at + 2;
            return true;
        }
        size_t bytes = at[1] == ':' ? strcspn(at + 2, "{}") : 0;
        if (at[1] != ':' || at[2 + bytes] != '}')
            continue; // a brace
        const char *how = at + 2;
        mark->end = how + bytes + 1;
        if (*how == ',') {
            mark->lists = true;
            how++;
            if (!--bytes)
                return true;
        }
        size_t length = strspn(how, "-+ #0"), width = strspn(how + length, "0123456789");
        size_t precision = 0;
        length += width;
        if (how[length] == '.') {
            precision = strspn(how + length + 1, "0123456789");
            length += 1 + precision;
        }
        mark->wrong = width > 2 || precision > 2 || length + 1 != bytes ||
                      length >= sizeof(mark->how) || !how[length] ||
                      (!strchr(of_integers, how[length]) && !strchr(of_floats, how[length]));
        if (!mark->wrong) {
            memcpy(mark->how, how, length);
            mark->conversion = how[length];
        }
        return true;
    }
    return false;
}

bool tile_mark_fits(const struct tile_mark *mark, cuc_dtype dtype)
{
    if (!mark->conversion)
        return true;
    return dtype != CUC_BOOL &&
           strchr(tile_is_integer(dtype) ? of_integers : of_floats, mark->conversion) != NULL;
}

void tile_mark_format(const struct tile_mark *mark, cuc_dtype dtype, char format[TILE_FORMAT_BYTES])
{
    bool integer = tile_is_integer(dtype);
    char conversion = mark->conversion ? mark->conversion
                      : integer        ? (char)(tile_is_signed(dtype) ? 'd' : 'u')
                                       : 'g';

    if (dtype == CUC_BOOL)
        snprintf(format, TILE_FORMAT_BYTES, "%%s");
    else
        snprintf(format, TILE_FORMAT_BYTES, "%%%s%s%c", mark->how, integer ? "ll" : "", conversion);
}

cuc_dtype tile_mark_dtype(const struct tile_mark *mark, cuc_dtype dtype)
{
    static const cuc_dtype without_sign[] = {
        [CUC_I8] = CUC_U8, [CUC_I16] = CUC_U16, [CUC_I32] = CUC_U32, [CUC_I64] = CUC_U64
    };

    return tile_is_signed(dtype) && mark->conversion && !strchr("di", mark->conversion)
               ? without_sign[dtype]
               : dtype;
}

uint32_t tile_mark_ends(const struct tile_mark *mark, const struct tile_type *type, int64_t element)
{
    uint32_t ends = 0;

    for (int64_t step = 1; mark->lists && ends + 1 < type->rank; ends++) {
        step *= type->extent[type->rank - 1 - ends];
        if (element % step)
            break;
    }
    return ends;
}

const char *tile_mark_bracket(const struct tile_mark *mark, const struct tile_type *type,
                              char bracket, char text[TILE_BRACKET_BYTES])
{
    uint32_t count = type->rank && !mark->lists ? 1 : type->rank;

    memset(text, bracket, count);
    text[count] = '\0';
    return text;
}

const char *tile_mark_between(const struct tile_mark *mark, uint32_t ends,
                              char text[TILE_BRACKET_BYTES])
{
    memset(text, ']', ends);
    memcpy(text + ends, ", ", 2);
    memset(text + ends + 2, '[', ends);
    text[2 * ends + 2] = '\0';
    return mark->lists ? text : " ";
}
