// Tests the tables that explain codes: they must be complete, ordered and readable.
#include "base/array.h"
#include "explain/explain.h"
#include "tests.h"

#include <cucore/error.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The number of codes in each library of CUDA 13.0. To count them for a newer toolkit, run in its
// include/:
//   sed -n '/^typedef enum cudaError_enum/,/} CUresult/p' cuda.h | grep -cE '= *[0-9]+'
//   sed -n '/^typedef enum/,/} nvrtcResult/p' nvrtc.h | grep -cE '= *[0-9]+'
//   grep -cE '^ +NVJITLINK_(SUCCESS|ERROR)' nvJitLink.h
//   sed -n '/^typedef enum/,/} nvFatbinResult/p' nvFatbin.h | grep -c NVFATBIN
//   sed -n '/nvmlReturn_enum/,/} nvmlReturn_t/p' nvml.h | grep -cE '= *[0-9]+'
//   sed -n '/ cudaError$/,/^};/p' driver_types.h | grep -cE '= *[0-9]+'
static const struct library {
    int id;
    size_t count;
    const char *prefix; // the prefix of every symbol
    const char *unknown;
} libraries[] = {
    { CUC_LIBRARY_DRIVER, 101, "CUDA_", "unknown CUresult" },
    { CUC_LIBRARY_NVRTC, 18, "NVRTC_", "unknown nvrtcResult" },
    { CUC_LIBRARY_NVJITLINK, 19, "NVJITLINK_", "unknown nvJitLinkResult" },
    { CUC_LIBRARY_NVML, 32, "NVML_", "unknown nvmlReturn_t" },
    { CUC_LIBRARY_RUNTIME, 134, "cuda", "unknown cudaError_t" },
    { CUC_LIBRARY_TILE, 69, "T", "unknown tile code" },
    { CUC_LIBRARY_NVFATBIN, 18, "NVFATBIN_", "unknown nvFatbinResult" },
};

enum {
    LIBRARY_COUNT = CUC_LENGTH(libraries),
    LONGEST_ROW = 400,
};

CASE("tables");

TEST_RANGE(every_code_of_the_library_has_a_row, 0, LIBRARY_COUNT)
{
    const struct library *lib = &libraries[_i];

    ck_assert_uint_eq(cuc__explain_count(lib->id), lib->count);
    for (size_t i = 0; i < lib->count; i++) {
        const cuc__explanation *row = cuc__explain_at(lib->id, i);
        ck_assert_ptr_nonnull(row);
        ck_assert_ptr_eq(cuc__explain(lib->id, row->code), row);
    }
    ck_assert_ptr_null(cuc__explain_at(lib->id, lib->count));
    ck_assert_ptr_null(cuc__explain_at(lib->id, (size_t)-1));
}

TEST_RANGE(rows_are_sorted_and_begin_with_success, 0, LIBRARY_COUNT)
{
    const struct library *lib = &libraries[_i];

    ck_assert_int_eq(cuc__explain_at(lib->id, 0)->code, 0);
    for (size_t i = 1; i < lib->count; i++)
        ck_assert_int_lt(cuc__explain_at(lib->id, i - 1)->code, cuc__explain_at(lib->id, i)->code);
}

// Checks that a text consists of sentences in plain characters, with single spaces and a full stop
// at the end.
static void check_text(const char *symbol, const char *text)
{
    size_t length = strlen(text);

    ck_assert_msg(length > 0, "%s: a text is empty", symbol);
    ck_assert_msg(text[length - 1] == '.', "%s: no full stop: %s", symbol, text);
    ck_assert_msg(text[0] != ' ' && !strstr(text, "  "), "%s: stray space: %s", symbol, text);
    for (size_t i = 0; i < length; i++)
        ck_assert_msg(isprint((unsigned char)text[i]), "%s: odd character: %s", symbol, text);
}

static void check_row(const cuc__explanation *row)
{
    check_text(row->symbol, row->meaning);
    check_text(row->symbol, row->remedy);
    size_t length = strlen(row->meaning) + strlen(row->remedy);
    ck_assert_msg(length <= LONGEST_ROW, "%s: %zu characters", row->symbol, length);
}

TEST_RANGE(texts_of_rows_are_well_formed, 0, LIBRARY_COUNT)
{
    const struct library *lib = &libraries[_i];

    for (size_t i = 0; i < lib->count; i++)
        check_row(cuc__explain_at(lib->id, i));
}

CASE("symbols");

TEST_RANGE(symbols_have_the_prefix_and_are_unique, 0, LIBRARY_COUNT)
{
    const struct library *lib = &libraries[_i];

    for (size_t i = 0; i < lib->count; i++) {
        const char *symbol = cuc__explain_at(lib->id, i)->symbol;
        ck_assert_int_eq(strncmp(symbol, lib->prefix, strlen(lib->prefix)), 0);
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(symbol, cuc__explain_at(lib->id, k)->symbol);
    }
}

TEST_RANGE(every_symbol_finds_its_row_in_any_case, 0, LIBRARY_COUNT)
{
    const struct library *lib = &libraries[_i];

    for (size_t i = 0; i < lib->count; i++) {
        const cuc__explanation *row = cuc__explain_at(lib->id, i);
        char upper[80];
        char lower[80];
        size_t length = strlen(row->symbol);
        int found = -1;

        ck_assert_uint_lt(length, sizeof(upper));
        for (size_t k = 0; k <= length; k++) { // with the terminating zero
            upper[k] = (char)toupper((unsigned char)row->symbol[k]);
            lower[k] = (char)tolower((unsigned char)row->symbol[k]);
        }
        ck_assert_ptr_eq(cuc__explain_symbol(row->symbol, &found), row);
        ck_assert_int_eq(found, lib->id);
        ck_assert_ptr_eq(cuc__explain_symbol(upper, NULL), row);
        ck_assert_ptr_eq(cuc__explain_symbol(lower, NULL), row);
    }
}

CASE("tables");

TEST_RANGE(unknown_codes_get_a_row_that_says_so, 0, LIBRARY_COUNT)
{
    static const int codes[] = { -1, INT_MAX, INT_MIN, 123456, 998 };
    const struct library *lib = &libraries[_i];

    for (size_t i = 0; i < CUC_LENGTH(codes); i++) {
        const cuc__explanation *row = cuc__explain(lib->id, codes[i]);
        ck_assert_ptr_nonnull(row);
        ck_assert_int_eq(row->code, CUC__EXPLAIN_UNKNOWN);
        ck_assert_str_eq(row->symbol, lib->unknown);
        ck_assert(!row->sticky);
        check_row(row);
    }
}

TEST(every_failure_of_cucore_has_a_remedy)
{
    for (size_t i = 0; i < cuc_explain_count(CUC_LIBRARY_NONE); i++) {
        cuc_explanation e = CUC_EXPLANATION_INIT;

        ck_assert_int_eq(cuc_explain_at(&e, CUC_LIBRARY_NONE, i), CUC_OK);
        if (e.code >= 0)
            ck_assert_str_eq(e.remedy, "");
        else
            check_text(e.symbol, e.remedy);
    }
}

TEST(an_unknown_library_has_no_rows)
{
    static const int ids[] = { CUC_LIBRARY_NONE, -1, CUC_LIBRARY_NVFATBIN + 1, INT_MAX, INT_MIN };

    for (size_t i = 0; i < CUC_LENGTH(ids); i++) {
        const cuc__explanation *row = cuc__explain(ids[i], 1);
        ck_assert_ptr_nonnull(row);
        ck_assert_int_eq(row->code, CUC__EXPLAIN_UNKNOWN);
        check_row(row);
        ck_assert_uint_eq(cuc__explain_count(ids[i]), 0);
        ck_assert_ptr_null(cuc__explain_at(ids[i], 0));
    }
}

TEST_RANGE(exactly_thirteen_codes_of_the_driver_are_sticky, 0, LIBRARY_COUNT)
{
    static const int sticky[] = { 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911 };
    const struct library *lib = &libraries[_i];
    // The runtime passes on the driver's codes. The compilers and NVML leave the process usable.
    bool has = lib->id == CUC_LIBRARY_DRIVER || lib->id == CUC_LIBRARY_RUNTIME;

    for (size_t i = 0; i < lib->count; i++) {
        const cuc__explanation *row = cuc__explain_at(lib->id, i);
        bool expected = false;

        for (size_t k = 0; has && k < CUC_LENGTH(sticky); k++)
            expected = expected || row->code == sticky[k];
        ck_assert_msg(row->sticky == expected, "%s", row->symbol);
        if (row->sticky)
            ck_assert_msg(strncmp(row->remedy, "Restart the process.", 20) == 0 ||
                              strstr(row->remedy, "Restart the process,"),
                          "%s does not say that the process must be restarted", row->symbol);
    }
}

TEST(the_runtime_shares_the_words_of_the_driver)
{
    size_t shared = 0;

    for (size_t i = 0; i < cuc__explain_count(CUC_LIBRARY_RUNTIME); i++) {
        const cuc__explanation *row = cuc__explain_at(CUC_LIBRARY_RUNTIME, i);
        const cuc__explanation *driver = cuc__explain(CUC_LIBRARY_DRIVER, row->code);

        if (driver->code == CUC__EXPLAIN_UNKNOWN || row->code == 708)
            continue; // the code exists only in the runtime, or means something else there
        ck_assert_str_eq(row->meaning, driver->meaning);
        ck_assert_str_eq(row->remedy, driver->remedy);
        ck_assert_str_ne(row->symbol, driver->symbol);
        shared++;
    }
    ck_assert_uint_eq(shared, 98);
    ck_assert_str_ne(cuc__explain(CUC_LIBRARY_RUNTIME, 708)->meaning,
                     cuc__explain(CUC_LIBRARY_DRIVER, 708)->meaning);
}

static const struct lookup {
    const char *asked;
    int library; // CUC_LIBRARY_NONE: no library matches
    int code;
} lookups[] = {
    { "CUDA_ERROR_ILLEGAL_ADDRESS", CUC_LIBRARY_DRIVER, 700 },
    { "cuda_error_illegal_address", CUC_LIBRARY_DRIVER, 700 },
    { "ERROR_ILLEGAL_ADDRESS", CUC_LIBRARY_DRIVER, 700 },
    { "ILLEGAL_ADDRESS", CUC_LIBRARY_DRIVER, 700 },
    { "illegal_address", CUC_LIBRARY_DRIVER, 700 },
    { "Illegal_Address", CUC_LIBRARY_DRIVER, 700 },
    { "CUDA_SUCCESS", CUC_LIBRARY_DRIVER, 0 },
    { "NVRTC_ERROR_COMPILATION", CUC_LIBRARY_NVRTC, 6 },
    { "compilation", CUC_LIBRARY_NVRTC, 6 },
    { "nvrtc_success", CUC_LIBRARY_NVRTC, 0 },
    { "NVJITLINK_ERROR_ARCH_MISMATCH", CUC_LIBRARY_NVJITLINK, 13 },
    { "arch_mismatch", CUC_LIBRARY_NVJITLINK, 13 },
    { "NVML_ERROR_GPU_IS_LOST", CUC_LIBRARY_NVML, 15 },
    { "gpu_is_lost", CUC_LIBRARY_NVML, 15 },
    { "cudaErrorIllegalAddress", CUC_LIBRARY_RUNTIME, 700 },
    { "CUDAERRORILLEGALADDRESS", CUC_LIBRARY_RUNTIME, 700 },
    { "ErrorIllegalAddress", CUC_LIBRARY_RUNTIME, 700 },
    { "IllegalAddress", CUC_LIBRARY_RUNTIME, 700 },
    { "cudaErrorInsufficientDriver", CUC_LIBRARY_RUNTIME, 35 },
    // A short name that several libraries share: the driver comes first, then the lowest value. A
    // full name never matches another library's short name.
    { "success", CUC_LIBRARY_DRIVER, 0 },
    { "out_of_memory", CUC_LIBRARY_DRIVER, 2 },
    { "not_found", CUC_LIBRARY_DRIVER, 500 },
    { "unknown", CUC_LIBRARY_DRIVER, 999 },
    { "invalid_input", CUC_LIBRARY_NVRTC, 3 },
    { "invalid_argument", CUC_LIBRARY_NVML, 2 },
    { "NVRTC_ERROR_OUT_OF_MEMORY", CUC_LIBRARY_NVRTC, 1 },
    { "NVML_ERROR_NOT_FOUND", CUC_LIBRARY_NVML, 6 },
    { "NVJITLINK_ERROR_INVALID_INPUT", CUC_LIBRARY_NVJITLINK, 3 },
    { "cudaSuccess", CUC_LIBRARY_RUNTIME, 0 },
    { "NVFATBIN_ERROR_INVALID_ARCH", CUC_LIBRARY_NVFATBIN, 9 },
    { "T501", CUC_LIBRARY_TILE, 501 },
    { "t007", CUC_LIBRARY_TILE, 7 },
    { "T999", CUC_LIBRARY_NONE, 0 },
    { "", CUC_LIBRARY_NONE, 0 },
    { "CUDA_ERROR_", CUC_LIBRARY_NONE, 0 },
    { "cuda", CUC_LIBRARY_NONE, 0 },
    { "ILLEGAL_ADDRES", CUC_LIBRARY_NONE, 0 },
    { "ILLEGAL_ADDRESSES", CUC_LIBRARY_NONE, 0 },
    { " illegal_address", CUC_LIBRARY_NONE, 0 },
    { "unknown CUresult", CUC_LIBRARY_NONE, 0 },
    { "700", CUC_LIBRARY_NONE, 0 },
    { NULL, CUC_LIBRARY_NONE, 0 },
};

CASE("symbols");

TEST_ROWS(a_symbol_is_found_in_each_of_its_forms, lookups)
{
    const struct lookup *want = &lookups[_i];
    int library = -7;
    const cuc__explanation *row = cuc__explain_symbol(want->asked, &library);

    ck_assert_ptr_eq(cuc__explain_symbol(want->asked, NULL), row);
    if (want->library == CUC_LIBRARY_NONE) {
        ck_assert_ptr_null(row);
        ck_assert_int_eq(library, -7); // the value is unchanged
        return;
    }
    ck_assert_ptr_nonnull(row);
    ck_assert_int_eq(library, want->library);
    ck_assert_int_eq(row->code, want->code);
}

#ifdef HAVE_CUDA_H

// Compares the tables' values with the real enumerators of each header that this toolkit has.
#define NVJITLINK_NO_INLINE // otherwise the header needs functions of the library
#include <cuda.h>
#if defined(__has_include)
#if __has_include(<driver_types.h>)
#define HAVE_DRIVER_TYPES_H
#include <driver_types.h>
#endif
#if __has_include(<nvrtc.h>)
#define HAVE_NVRTC_H
#include <nvrtc.h>
#endif
#if __has_include(<nvJitLink.h>)
#define HAVE_NVJITLINK_H
#include <nvJitLink.h>
#endif
#if __has_include(<nvFatbin.h>)
#define HAVE_NVFATBIN_H
#include <nvFatbin.h>
#endif
#if __has_include(<nvml.h>)
#define HAVE_NVML_H
#include <nvml.h>
#endif
#endif

CASE("toolkit");

#if CUDA_VERSION >= 13000 // older headers lack some of the names

static const struct enumerator {
    const char *symbol;
    int header;
    int table;
} enumerators[] = {
#define CU_RESULT(symbol, code, stick, meaning, remedy) { #symbol, (int)symbol, code },
#include "explain/cu_result.def"
#undef CU_RESULT
#ifdef HAVE_DRIVER_TYPES_H
#define CUDART_RESULT(symbol, code, meaning, remedy) { #symbol, (int)symbol, code },
#define CUDART_SHARED(symbol, code) { #symbol, (int)symbol, code },
#include "explain/cudart_result.def"
#undef CUDART_SHARED
#undef CUDART_RESULT
#endif
#ifdef HAVE_NVRTC_H
#define NVRTC_RESULT(symbol, code, meaning, remedy) { #symbol, (int)symbol, code },
#include "explain/nvrtc_result.def"
#undef NVRTC_RESULT
#endif
#ifdef HAVE_NVJITLINK_H
#define NVJITLINK_RESULT(symbol, code, meaning, remedy) { #symbol, (int)symbol, code },
#include "explain/nvjitlink_result.def"
#undef NVJITLINK_RESULT
#endif
#ifdef HAVE_NVFATBIN_H
#define NVFATBIN_RESULT(symbol, code, meaning, remedy) { #symbol, (int)symbol, code },
#include "explain/nvfatbin_result.def"
#undef NVFATBIN_RESULT
#endif
#ifdef HAVE_NVML_H
#define NVML_RESULT(symbol, code, meaning, remedy) { #symbol, (int)symbol, code },
#include "explain/nvml_result.def"
#undef NVML_RESULT
#endif
};

TEST(values_are_those_of_the_toolkit)
{
    for (size_t i = 0; i < CUC_LENGTH(enumerators); i++)
        ck_assert_msg(enumerators[i].header == enumerators[i].table, "%s is %d, the table has %d",
                      enumerators[i].symbol, enumerators[i].header, enumerators[i].table);
}

// The compiler checks completeness: a switch over the enum without default has a case for each row,
// so an enumerator without a row breaks the build. A newer toolkit has newer codes, so this applies
// only to the tables' own version.
#if CUDA_VERSION == 13000
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"

static bool driver_row_exists(CUresult result)
{
    switch (result) {
#define CU_RESULT(symbol, code, stick, meaning, remedy) case symbol:
#include "explain/cu_result.def"
#undef CU_RESULT
        return true;
    }
    return false;
}

#ifdef HAVE_DRIVER_TYPES_H
static bool runtime_row_exists(enum cudaError result)
{
    switch (result) {
#define CUDART_RESULT(symbol, code, meaning, remedy) case symbol:
#define CUDART_SHARED(symbol, code) case symbol:
#include "explain/cudart_result.def"
#undef CUDART_SHARED
#undef CUDART_RESULT
        return true;
    }
    return false;
}
#endif

#ifdef HAVE_NVRTC_H
static bool nvrtc_row_exists(nvrtcResult result)
{
    switch (result) {
#define NVRTC_RESULT(symbol, code, meaning, remedy) case symbol:
#include "explain/nvrtc_result.def"
#undef NVRTC_RESULT
        return true;
    }
    return false;
}
#endif

#ifdef HAVE_NVJITLINK_H
static bool nvjitlink_row_exists(nvJitLinkResult result)
{
    switch (result) {
#define NVJITLINK_RESULT(symbol, code, meaning, remedy) case symbol:
#include "explain/nvjitlink_result.def"
#undef NVJITLINK_RESULT
        return true;
    }
    return false;
}
#endif

#ifdef HAVE_NVFATBIN_H
static bool nvfatbin_row_exists(nvFatbinResult result)
{
    switch (result) {
#define NVFATBIN_RESULT(symbol, code, meaning, remedy) case symbol:
#include "explain/nvfatbin_result.def"
#undef NVFATBIN_RESULT
        return true;
    }
    return false;
}
#endif

#pragma GCC diagnostic pop

TEST(no_enumerator_of_the_toolkit_is_missing)
{
    // The check happens at compile time; this call keeps the functions used.
    ck_assert(driver_row_exists(CUDA_ERROR_UNKNOWN));
#ifdef HAVE_DRIVER_TYPES_H
    ck_assert(runtime_row_exists(cudaErrorUnknown));
#endif
#ifdef HAVE_NVRTC_H
    ck_assert(nvrtc_row_exists(NVRTC_ERROR_COMPILATION));
#endif
#ifdef HAVE_NVJITLINK_H
    ck_assert(nvjitlink_row_exists(NVJITLINK_ERROR_INTERNAL));
#endif
#ifdef HAVE_NVFATBIN_H
    ck_assert(nvfatbin_row_exists(NVFATBIN_ERROR_INTERNAL));
#endif
}
#endif // CUDA_VERSION == 13000

#endif // CUDA_VERSION >= 13000
#endif // HAVE_CUDA_H

int main(void)
{
    return run_tests("explain");
}
