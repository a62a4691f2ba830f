#include "npy.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

// The .npy format, as numpy.lib.format describes it: "\x93NUMPY", a version, the length of the
// header in 2 bytes (version 1.0) or 4 bytes (2.0 and 3.0), a Python dictionary as text, the
// elements.

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files are read and written as they lie in memory: little endian"
#endif

static const struct {
    const char *descr; // without the byte order
    cuc_dtype dtype;
    uint32_t bytes;
} types[] = {
    { "b1", CUC_BOOL, 1 },
    { "i1", CUC_I8, 1 },
    { "i2", CUC_I16, 2 },
    { "i4", CUC_I32, 4 },
    { "i8", CUC_I64, 8 },
    { "u1", CUC_U8, 1 },
    { "u2", CUC_U16, 2 },
    { "u4", CUC_U32, 4 },
    { "u8", CUC_U64, 8 },
    { "f2", CUC_F16, 2 },
    { "f4", CUC_F32, 4 },
    { "f8", CUC_F64, 8 },
    { "c8", CUC_C64, 8 },
    { "c16", CUC_C128, 16 },
    // NumPy's notation for types that extension packages add: bf16 and the 8-bit floats.
    { "V1", CUC_DTYPE_UNKNOWN, 1 },
    { "V2", CUC_DTYPE_UNKNOWN, 2 },
    { "f1", CUC_DTYPE_UNKNOWN, 1 },
};

static const char known_types[] =
    "bool, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8, c8 and c16 are taken";

enum { TYPES = CUC_LENGTH(types) };

// The unread part of a header's text.
typedef struct cursor {
    const char *at;
    const char *end;
} cursor;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && is_blank(*c->at))
        c->at++;
}

static bool take(cursor *c, char what)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != what)
        return false;
    c->at++;
    return true;
}

static bool take_word(cursor *c, const char *word)
{
    size_t n = strlen(word);

    skip_blanks(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

// Parse a string in single or double quotes without escapes. Truncates it to fit, so that messages
// show its beginning.
static bool take_string(cursor *c, char *out, size_t size)
{
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    char quote = *c->at++;
    size_t n = 0;
    while (c->at < c->end && *c->at != quote) {
        unsigned char ch = (unsigned char)*c->at++;
        if (ch == '\\' || ch < ' ')
            return false;
        if (n + 1 < size)
            out[n++] = ch < 127 ? (char)ch : '?';
    }
    out[n] = '\0';
    return c->at < c->end && *c->at++ == quote;
}

static bool take_number(cursor *c, int64_t *out)
{
    int64_t value = 0;
    const char *start;

    skip_blanks(c);
    for (start = c->at; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        if (value > (INT64_MAX - (*c->at - '0')) / 10)
            return false;
        value = value * 10 + (*c->at - '0');
    }
    if (c->at == start)
        return false;
    if (c->at < c->end && *c->at == 'L') // Python 2 suffix
        c->at++;
    *out = value;
    return true;
}

bool npy_count_bytes(uint64_t *out, const int64_t *shape, int32_t rank, uint32_t item_bytes)
{
    uint64_t bytes = item_bytes;

    // A zero extent empties the array; look for one first, because the product of the others may
    // overflow.
    for (int32_t i = 0; i < rank; i++)
        if (shape[i] == 0) {
            *out = 0;
            return true;
        }
    for (int32_t i = 0; i < rank; i++)
        if (shape[i] < 0 || __builtin_mul_overflow(bytes, (uint64_t)shape[i], &bytes) ||
            bytes > INT64_MAX)
            return false;
    *out = bytes;
    return true;
}

// (3, 4), (3,), ()
static bool take_shape(cursor *c, npy_header *h)
{
    h->rank = 0;
    if (!take(c, '('))
        return false;
    bool comma = true;
    while (!take(c, ')')) {
        if (!comma || h->rank == NPY_MAX_RANK || !take_number(c, &h->shape[h->rank]))
            return false;
        h->rank++;
        comma = take(c, ',');
    }
    return h->rank != 1 || comma; // a rank of 1 needs a comma: (3) is not a tuple
}

static bool read_type(npy_header *h, const char *name, cli_why *why)
{
    const char *type = h->descr;

    if (*type == '>')
        return cli_because(why,
                           "%s is big endian ('%s'): convert it in NumPy, a.astype(a.dtype."
                           "newbyteorder('<'))",
                           name, h->descr);
    if (*type == '<' || *type == '|' || *type == '=')
        type++;
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(types[i].descr, type) == 0) {
            h->dtype = types[i].dtype;
            h->item_bytes = types[i].bytes;
            return true;
        }
    return cli_because(why, "%s holds elements of type '%s': %s", name, h->descr, known_types);
}

// Return whether at most one dimension has more than one element, so that both orders coincide.
static bool is_line(const npy_header *h)
{
    int longer = 0;

    for (int32_t i = 0; i < h->rank; i++)
        longer += h->shape[i] != 1;
    return longer <= 1;
}

enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };

// Parse one 'key': value entry of the dictionary; return the key's bit, or 0 if there is no entry.
static int take_entry(cursor *c, npy_header *h, bool *fortran)
{
    char key[24];

    if (!take_string(c, key, sizeof(key)) || !take(c, ':'))
        return 0;
    if (strcmp(key, "descr") == 0)
        return take_string(c, h->descr, sizeof(h->descr)) ? DESCR : 0;
    if (strcmp(key, "shape") == 0)
        return take_shape(c, h) ? SHAPE : 0;
    if (strcmp(key, "fortran_order") != 0)
        return 0;
    *fortran = take_word(c, "True");
    return *fortran || take_word(c, "False") ? ORDER : 0;
}

static bool parse_dictionary(npy_header *h, cursor c, const char *name, cli_why *why)
{
    cursor whole = c;
    bool fortran = false;
    int seen = 0;

    if (!take(&c, '{'))
        return cli_because(why, "%s has a damaged header: it does not begin with '{'", name);
    while (!take(&c, '}')) {
        cursor before = c;
        int key = take_entry(&c, h, &fortran);
        if (!key && take_word(&before, "'descr'") && take(&before, ':') && take(&before, '['))
            return cli_because(why, "%s holds records with fields: %s", name, known_types);
        if (!key || (seen & key))
            return cli_because(why, "%s has a damaged header, after %zu of its %zu bytes", name,
                               (size_t)(before.at - whole.at), (size_t)(whole.end - whole.at));
        seen |= key;
        if (!take(&c, ',') && (c.at == c.end || *c.at != '}'))
            return cli_because(why, "%s has a damaged header: it ends in its middle", name);
    }
    skip_blanks(&c);
    if (c.at != c.end || seen != ALL)
        return cli_because(why, "%s has a damaged header: %s", name,
                           c.at != c.end     ? "something follows the '}'"
                           : !(seen & DESCR) ? "'descr' is missing"
                           : !(seen & ORDER) ? "'fortran_order' is missing"
                                             : "'shape' is missing");
    if (!read_type(h, name, why))
        return false;
    h->fortran = fortran && !is_line(h);
    if (!npy_count_bytes(&h->bytes, h->shape, h->rank, h->item_bytes))
        return cli_because(why, "%s has a shape of more elements than memory can hold", name);
    return true;
}

bool npy_parse(npy_header *out, const void *file, size_t bytes, const char *name, cli_why *why)
{
    const uint8_t *b = file;
    npy_header h = { 0 };

    if (bytes < 10 || memcmp(b, "\x93NUMPY", 6) != 0)
        return cli_because(why, "%s is no .npy file: it does not begin with \\x93NUMPY", name);
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return cli_because(why, "%s is of format version %u.%u: 1.0, 2.0 and 3.0 are known", name,
                           b[6], b[7]);
    size_t start = b[6] == 1 ? 10 : 12;
    if (bytes < start)
        return cli_because(why, "%s is cut short: it ends after %zu bytes, in its header", name,
                           bytes);
    size_t length = b[8] | (size_t)b[9] << 8;
    if (b[6] > 1)
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (length > bytes - start)
        return cli_because(why, "%s is cut short: its header is %zu bytes long, and %zu are there",
                           name, length, bytes - start);

    const char *text = (const char *)b + start;
    if (!parse_dictionary(&h, (cursor){ text, text + length }, name, why))
        return false;
    h.data_offset = start + length;
    size_t data = bytes - h.data_offset;
    if (data < h.bytes)
        return cli_because(why,
                           "%s is cut short: its header says %llu bytes of data, and %zu are "
                           "there",
                           name, (unsigned long long)h.bytes, data);
    if (data > h.bytes)
        return cli_because(why, "%s has %llu bytes after its array of %llu bytes", name,
                           (unsigned long long)(data - h.bytes), (unsigned long long)h.bytes);
    *out = h;
    return true;
}

void npy_order_by_rows(const npy_header *h, void *file)
{
    uint64_t step[NPY_MAX_RANK], index[NPY_MAX_RANK] = { 0 }, from = 0; // elements

    if (!h->fortran || !h->bytes)
        return;
    uint8_t *data = (uint8_t *)file + h->data_offset;
    uint8_t *columns = cli_allocate((size_t)h->bytes);
    memcpy(columns, data, (size_t)h->bytes);
    for (int32_t i = 0; i < h->rank; i++)
        step[i] = i ? step[i - 1] * (uint64_t)h->shape[i - 1] : 1;
    for (uint64_t at = 0; at < h->bytes; at += h->item_bytes) {
        memcpy(data + at, columns + from * h->item_bytes, h->item_bytes);
        int32_t axis = h->rank - 1; // the last axis varies fastest
        from += step[axis];
        while (axis > 0 && ++index[axis] == (uint64_t)h->shape[axis]) {
            from -= step[axis] * index[axis];
            index[axis--] = 0;
            from += step[axis];
        }
    }
    free(columns);
}

cuc_dtype npy_storage(cuc_dtype dtype)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].dtype == dtype && dtype)
            return dtype;
    switch (cuc_dtype_bits(dtype)) {
    case 8:
        return CUC_U8;
    case 16:
        return CUC_U16;
    default:
        return CUC_U32;
    }
}

char *npy_make_header(size_t *bytes, cuc_dtype dtype, const int64_t *shape, int32_t rank)
{
    enum { ALIGN = 64, PREFIX = 10, MAX_HEADER = 1024 }; // at most 32 numbers of 22 characters
    cuc_dtype stored = npy_storage(dtype);
    const char *descr = "";
    size_t at;

    for (size_t i = 0; i < TYPES; i++)
        if (types[i].dtype == stored)
            descr = types[i].descr;
    char *h = cli_allocate(MAX_HEADER);
    memcpy(h, "\x93NUMPY\x01", 8); // includes the zero byte of the minor version
    at = PREFIX;
    at += (size_t)snprintf(h + at, MAX_HEADER - at,
                           "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                           cuc_dtype_bits(stored) == 8 ? '|' : '<', descr);
    for (int32_t i = 0; i < rank; i++)
        at +=
            (size_t)snprintf(h + at, MAX_HEADER - at, "%s%lld", i ? ", " : "", (long long)shape[i]);
    at += (size_t)snprintf(h + at, MAX_HEADER - at, "%s), }", rank == 1 ? "," : "");
    while ((at + 1) % ALIGN)
        h[at++] = ' ';
    h[at++] = '\n';
    h[8] = (char)((at - PREFIX) & 0xFF);
    h[9] = (char)((at - PREFIX) >> 8);
    *bytes = at;
    return h;
}
