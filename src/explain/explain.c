#include "explain.h"

#include "base/array.h"

#include <cucore/error.h>

enum { PLAIN = 0, STICKY = 1 };

// The strings of the driver's rows, as separate objects. A runtime row with the same code differs
// only in its symbol and points to the driver's strings, so each of these 98 strings exists once.
#define CU_RESULT(symbol, code, stick, meaning, remedy) \
    static const char cu_meaning_##code[] = meaning;    \
    static const char cu_remedy_##code[] = remedy;      \
    enum { cu_sticky_##code = stick };
#include "cu_result.def"
#undef CU_RESULT

static const cuc__explanation driver_rows[] = {
#define CU_RESULT(symbol, code, stick, meaning, remedy) \
    { code, #symbol, cu_meaning_##code, cu_remedy_##code, stick },
#include "cu_result.def"
#undef CU_RESULT
};

static const cuc__explanation nvrtc_rows[] = {
#define NVRTC_RESULT(symbol, code, meaning, remedy) { code, #symbol, meaning, remedy, false },
#include "nvrtc_result.def"
#undef NVRTC_RESULT
};

static const cuc__explanation nvjitlink_rows[] = {
#define NVJITLINK_RESULT(symbol, code, meaning, remedy) { code, #symbol, meaning, remedy, false },
#include "nvjitlink_result.def"
#undef NVJITLINK_RESULT
};

static const cuc__explanation nvfatbin_rows[] = {
#define NVFATBIN_RESULT(symbol, code, meaning, remedy) { code, #symbol, meaning, remedy, false },
#include "nvfatbin_result.def"
#undef NVFATBIN_RESULT
};

static const cuc__explanation nvml_rows[] = {
#define NVML_RESULT(symbol, code, meaning, remedy) { code, #symbol, meaning, remedy, false },
#include "nvml_result.def"
#undef NVML_RESULT
};

static const cuc__explanation runtime_rows[] = {
#define CUDART_RESULT(symbol, code, meaning, remedy) { code, #symbol, meaning, remedy, false },
#define CUDART_SHARED(symbol, code) \
    { code, #symbol, cu_meaning_##code, cu_remedy_##code, cu_sticky_##code },
#include "cudart_result.def"
#undef CUDART_SHARED
#undef CUDART_RESULT
};

static const cuc__explanation tile_rows[] = {
#define TILE_CODE(id, number, meaning, remedy) { number, #id, meaning, remedy, false },
#include "tile_code.def"
#undef TILE_CODE
};

typedef struct code_table {
    const cuc__explanation *rows; // by ascending code
    size_t count;
    const char *prefixes[2]; // optional in symbols; NULL means none
    cuc__explanation unknown;
} code_table;

// clang-format off
#define ROWS(array) .rows = (array), .count = CUC_LENGTH(array)
#define UNKNOWN(type, header) \
    .unknown = { CUC__EXPLAIN_UNKNOWN, "unknown " type, \
                 "This version of cucore does not know the code.", \
                 "It is probably newer than cucore: look for the value in " header \
                 ", or update cucore. The output of cucore info helps a bug report.", \
                 false }

// Indexed by CUC_LIBRARY_ value.
static const code_table tables[] = {
    [CUC_LIBRARY_NONE] = {
        .unknown = { CUC__EXPLAIN_UNKNOWN, "unknown code",
                     "No library of CUDA reported this.",
                     "Look at the status and at cuc_error_message.",
                     false },
    },
    [CUC_LIBRARY_DRIVER] = {
        ROWS(driver_rows), .prefixes = { "CUDA_ERROR_", "CUDA_" }, UNKNOWN("CUresult", "cuda.h"),
    },
    [CUC_LIBRARY_NVRTC] = {
        ROWS(nvrtc_rows), .prefixes = { "NVRTC_ERROR_", "NVRTC_" },
        UNKNOWN("nvrtcResult", "nvrtc.h"),
    },
    [CUC_LIBRARY_NVJITLINK] = {
        ROWS(nvjitlink_rows), .prefixes = { "NVJITLINK_ERROR_", "NVJITLINK_" },
        UNKNOWN("nvJitLinkResult", "nvJitLink.h"),
    },
    [CUC_LIBRARY_NVML] = {
        ROWS(nvml_rows), .prefixes = { "NVML_ERROR_", "NVML_" }, UNKNOWN("nvmlReturn_t", "nvml.h"),
    },
    [CUC_LIBRARY_RUNTIME] = {
        ROWS(runtime_rows), .prefixes = { "cudaError", "cuda" },
        UNKNOWN("cudaError_t", "driver_types.h"),
    },
    [CUC_LIBRARY_TILE] = {
        ROWS(tile_rows),
        .unknown = { CUC__EXPLAIN_UNKNOWN, "unknown tile code",
                     "This version of cucore does not know the code.",
                     "It is probably newer than cucore: the message and the log have the rest.",
                     false },
    },
    [CUC_LIBRARY_NVFATBIN] = {
        ROWS(nvfatbin_rows), .prefixes = { "NVFATBIN_ERROR_", "NVFATBIN_" },
        UNKNOWN("nvFatbinResult", "nvFatbin.h"),
    },
};
// clang-format on

enum { TABLE_COUNT = CUC_LENGTH(tables) };

// Returns the table of a library. An unknown library gets the table without codes.
static const code_table *table_of(int library)
{
    if (library < 0 || library >= TABLE_COUNT)
        return &tables[CUC_LIBRARY_NONE];
    return &tables[library];
}

// Replaces tolower() and strcasecmp(), which depend on the locale: in a Turkish locale, the
// lowercase of "I" is not "i".
static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static bool same_letters(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

// Returns the text after a prefix, or NULL if the text does not start with the prefix.
static const char *after_prefix(const char *text, const char *prefix)
{
    while (*prefix && *text == *prefix) {
        text++;
        prefix++;
    }
    return *prefix ? NULL : text;
}

static bool is_short_name(const code_table *table, const char *symbol, const char *name)
{
    for (size_t i = 0; i < CUC_LENGTH(table->prefixes); i++) {
        const char *prefix = table->prefixes[i];
        const char *rest = prefix ? after_prefix(symbol, prefix) : NULL;
        if (rest && same_letters(rest, name))
            return true;
    }
    return false;
}

const cuc__explanation *cuc__explain(int library, int code)
{
    const code_table *table = table_of(library);
    size_t low = 0;
    size_t high = table->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->rows[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < table->count && table->rows[low].code == code)
        return &table->rows[low];
    return &table->unknown;
}

const cuc__explanation *cuc__explain_symbol(const char *symbol, int *library)
{
    if (!symbol)
        return NULL;
    // Try the full names of all libraries before any short name, because only full names are
    // unambiguous.
    for (int pass = 0; pass < 2; pass++) {
        for (int lib = 0; lib < TABLE_COUNT; lib++) {
            const code_table *table = &tables[lib];
            for (size_t i = 0; i < table->count; i++) {
                const cuc__explanation *row = &table->rows[i];
                if (pass == 0 ? !same_letters(row->symbol, symbol)
                              : !is_short_name(table, row->symbol, symbol))
                    continue;
                if (library)
                    *library = lib;
                return row;
            }
        }
    }
    return NULL;
}

size_t cuc__explain_count(int library)
{
    return table_of(library)->count;
}

const cuc__explanation *cuc__explain_at(int library, size_t index)
{
    const code_table *table = table_of(library);

    return index < table->count ? &table->rows[index] : NULL;
}
