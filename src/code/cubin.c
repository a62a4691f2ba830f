#include "cubin.h"

#include <string.h>

enum {
    SECTION_BYTES = 64,
    SYMBOL_BYTES = 24,
    SECTION_SYMBOLS = 2,
    SECTION_NOBITS = 8,
    SECTION_VENDOR = 0x70000000, // types at or above this may have no bytes in the file
};

uint64_t cuc__elf_extent(const void *data, size_t bytes)
{
    uint64_t sections = cuc__read_le(data, 40, 8);
    uint64_t count = cuc__read_le(data, 60, 2);
    uint64_t extent = sections + count * SECTION_BYTES;

    if (count && (cuc__read_le(data, 58, 2) != SECTION_BYTES || extent < sections))
        return 0;
    if (extent > bytes)
        return extent;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)sections + i * SECTION_BYTES;
        uint64_t type = cuc__read_le(data, at + 4, 4);
        uint64_t start = cuc__read_le(data, at + 24, 8);
        uint64_t end = start + cuc__read_le(data, at + 32, 8);
        if (type == SECTION_NOBITS || type >= SECTION_VENDOR)
            continue;
        if (end < start)
            return 0;
        if (end > extent)
            extent = end;
    }
    return extent;
}

// A file with a valid header and section table.
struct file {
    const unsigned char *data;
    size_t bytes, sections;
    uint64_t section_count;
};

struct span {
    const unsigned char *at; // NULL: none
    size_t bytes;
};

static bool open_file(struct file *f, const void *data, size_t bytes)
{
    if (bytes < CUC__ELF_HEADER_BYTES)
        return false;
    uint64_t extent = cuc__elf_extent(data, bytes);
    *f = (struct file){ data, bytes, (size_t)cuc__read_le(data, 40, 8), cuc__read_le(data, 60, 2) };
    return extent && extent <= bytes;
}

static struct span section(const struct file *f, uint64_t index)
{
    const unsigned char *row = f->data + f->sections + index * SECTION_BYTES;

    if (index >= f->section_count || cuc__read_le(row, 4, 4) == SECTION_NOBITS)
        return (struct span){ NULL, 0 };
    uint64_t start = cuc__read_le(row, 24, 8), bytes = cuc__read_le(row, 32, 8);
    if (start > f->bytes || bytes > f->bytes - start)
        return (struct span){ NULL, 0 };
    return (struct span){ f->data + start, (size_t)bytes };
}

static bool is_text(struct span texts, uint64_t at, const char *text)
{
    size_t bytes = strlen(text) + 1;

    return texts.at && at <= texts.bytes && texts.bytes - at >= bytes &&
           memcmp(texts.at + at, text, bytes) == 0;
}

// Finds the symbol table and its strings. Uses only the first table: a valid file has no other, and
// in a damaged file reading all of them could take time proportional to sections times symbols.
static bool open_symbols(const struct file *f, struct span *symbols, struct span *texts)
{
    uint64_t i = 0;

    while (i < f->section_count &&
           cuc__read_le(f->data + f->sections + i * SECTION_BYTES, 4, 4) != SECTION_SYMBOLS)
        i++;
    if (i == f->section_count)
        return false;
    const unsigned char *row = f->data + f->sections + i * SECTION_BYTES;
    *symbols = section(f, i);
    *texts = section(f, cuc__read_le(row, 40, 4));
    return symbols->at && texts->at;
}

// Returns a symbol's row in the symbol table, and writes its index.
static const unsigned char *find_symbol(const struct file *f, const char *name, uint32_t *index)
{
    struct span symbols, texts;

    if (!open_symbols(f, &symbols, &texts))
        return NULL;
    for (uint32_t n = 0; n < symbols.bytes / SYMBOL_BYTES; n++) {
        const unsigned char *symbol = symbols.at + (size_t)n * SYMBOL_BYTES;
        if (is_text(texts, cuc__read_le(symbol, 0, 4), name)) {
            *index = n;
            return symbol;
        }
    }
    return NULL;
}

void cuc__cubin_each_symbol(const void *data, size_t bytes, const char *prefix,
                            bool (*take)(void *user, const char *rest, size_t bytes), void *user)
{
    const size_t length = strlen(prefix);
    struct span symbols, texts;
    struct file f;

    if (!open_file(&f, data, bytes) || !open_symbols(&f, &symbols, &texts))
        return;
    for (size_t n = 0; n < symbols.bytes / SYMBOL_BYTES; n++) {
        uint64_t at = cuc__read_le(symbols.at + n * SYMBOL_BYTES, 0, 4);
        if (at > texts.bytes || texts.bytes - at < length ||
            memcmp(texts.at + at, prefix, length) != 0)
            continue;
        const char *rest = (const char *)texts.at + at + length;
        size_t left = (size_t)(texts.bytes - at) - length, count = strnlen(rest, left);
        if (count < left && !take(user, rest, count))
            return;
    }
}

bool cuc__cubin_variable(const unsigned char **out, size_t *count, const void *data, size_t bytes,
                         const char *name)
{
    struct file f;
    uint32_t index;

    if (!open_file(&f, data, bytes))
        return false;
    const unsigned char *symbol = find_symbol(&f, name, &index);
    if (!symbol)
        return false;
    struct span home = section(&f, cuc__read_le(symbol, 6, 2));
    uint64_t at = cuc__read_le(symbol, 8, 8), size = cuc__read_le(symbol, 16, 8);
    if (!home.at || at > home.bytes || size > home.bytes - at)
        return false;
    *out = home.at + at;
    *count = (size_t)size;
    return true;
}

void cuc__cubin_resources(uint32_t *registers, uint32_t *stack_bytes, const void *data,
                          size_t bytes, const char *kernel)
{
    // A note is a format byte, a key byte and 16 bits. In the format below, the 16 bits give the
    // length of the data that follow: a symbol index and a value.
    enum { FORM_VALUES = 4, KEY_STACK = 0x11, KEY_REGISTERS = 0x2f };
    struct span notes = { NULL, 0 };
    struct file f;
    uint32_t index;

    if (!open_file(&f, data, bytes) || !find_symbol(&f, kernel, &index))
        return;
    struct span names = section(&f, cuc__read_le(data, 62, 2));
    for (uint64_t i = 0; i < f.section_count && !notes.at; i++)
        if (is_text(names, cuc__read_le(f.data + f.sections + i * SECTION_BYTES, 0, 4), ".nv.info"))
            notes = section(&f, i);
    for (size_t at = 0; notes.at && notes.bytes - at >= 4;) {
        const unsigned char *note = notes.at + at;
        size_t length = note[0] == FORM_VALUES ? (size_t)cuc__read_le(note, 2, 2) : 0;
        if (length > notes.bytes - at - 4)
            return;
        at += 4 + length;
        if (length != 8 || cuc__read_le(note, 4, 4) != index)
            continue;
        if (note[1] == KEY_REGISTERS)
            *registers = (uint32_t)cuc__read_le(note, 8, 4);
        if (note[1] == KEY_STACK)
            *stack_bytes = (uint32_t)cuc__read_le(note, 8, 4);
    }
}
