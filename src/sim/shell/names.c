// The names of the driver's functions and results.
#include "base/array.h"
#include "shell.h"
#include "sim/machine/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[FN_COUNT] = {
#define CU(name, version, params, args) #name,
#include "driver/cu.def"
#include "more.def"
#undef CU
};

// Returns the length of a name without its _v2.
static size_t plain_length(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && name[n - 3] == '_' && name[n - 2] == 'v' ? n - 3 : n;
}

bool sim_same_function(int a, int b)
{
    size_t n = plain_length(names[a]);

    return n == plain_length(names[b]) && strncmp(names[a], names[b], n) == 0;
}

// An index of the functions by name, without suffixes: a process looks up every function of the
// driver before its first call. If several rows have the same key, an index finds the one that was
// added last. The functions are therefore added from the last one to the first.
enum { MOST_NAMES = 512 };
_Static_assert((int)FN_COUNT <= MOST_NAMES, "the index has a row for each function");
SIM_INDEX_STATIC(forms, MOST_NAMES);

static void index_names(void)
{
    for (int fn = FN_COUNT - 1; fn >= 0; fn--)
        (void)sim_index_add(&forms, sim_index_text(names[fn], plain_length(names[fn])));
}

static int function_of(uint32_t row)
{
    return FN_COUNT - 1 - (int)row;
}

int sim_first_form(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const size_t bytes = strlen(name);

    pthread_once(&once, index_names);
    SIM_INDEX_EACH(i, &forms, sim_index_text(name, bytes))
    {
        const char *found = names[function_of(i)];
        if (plain_length(found) == bytes && memcmp(found, name, bytes) == 0)
            return function_of(i);
    }
    return FN_COUNT;
}

int sim_next_form(int fn)
{
    uint32_t row = (uint32_t)(FN_COUNT - 1 - fn);

    do
        row = sim_index_next(&forms, forms.rows[row].key, row);
    while (row != SIM_INDEX_END && !sim_same_function(fn, function_of(row)));
    return row != SIM_INDEX_END ? function_of(row) : FN_COUNT;
}

// Strips the suffixes of exported names: _v2, _ptsz, _v2_ptds.
static void strip(char *name)
{
    size_t n = strlen(name);

    if (n > 5 && (strcmp(name + n - 5, "_ptsz") == 0 || strcmp(name + n - 5, "_ptds") == 0))
        name[n -= 5] = '\0';
    name[plain_length(name)] = '\0';
}

int sim_function_number(const char *name)
{
    int found = 0;

    char plain[64];

    while (found < FN_COUNT && strcmp(names[found], name) != 0)
        found++;
    snprintf(plain, sizeof(plain), "%s", name);
    strip(plain);
    return found < FN_COUNT ? found : sim_first_form(plain);
}

const char *sim_function_name(int fn)
{
    return fn < FN_COUNT ? names[fn] : "any";
}

static const struct {
    CUresult code;
    const char *name, *text;
} results[] = {
#define CU_RESULT(symbol, value, sticky, meaning, remedy) { value, #symbol, meaning },
#include "explain/cu_result.def"
#undef CU_RESULT
};

CUresult sim_result_text(CUresult code, const char **out, bool name)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = NULL;
    for (size_t i = 0; i < CUC_LENGTH(results) && !*out; i++)
        if (results[i].code == code)
            *out = name ? results[i].name : results[i].text;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_result_number(const char *name)
{
    char *end;
    long number = strtol(name, &end, 10);

    if (end != name)
        return *end || number < 0 || number > 9999 ? -1 : (CUresult)number;
    for (size_t i = 0; i < CUC_LENGTH(results); i++)
        if (strcmp(results[i].name, name) == 0)
            return results[i].code;
    return -1;
}
