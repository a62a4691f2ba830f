// Compares the declarations in src/driver/*_abi.h and the tables in src/driver/*.def with the
// headers of the CUDA toolkit. Exits 77, a skip, if there is no toolkit.
#include "base/array.h"
#include "driver/compiler_abi.h"
#include "driver/cuda_abi.h"
#include "cuda_abi_rows.h"
#include "driver/cudart_abi.h"
#include "driver/nvml_abi.h"
#include "tests.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_ABI_DRIVER 1
#define CUDA_ABI_NVRTC 1
#define CUDA_ABI_NVFATBIN 1
#define CUDA_ABI_NVML 1
#define CUDA_ABI_CUDART 1

static const struct cuda_abi_row rows[] = {
#include "cuda_abi.list"
};

struct def_row {
    const char *name;
    int version;
    const char *params;
    const char *args;
    bool in_driver;
};

#define CU(name, version, params, args) { #name, version, #params, #args, true },
#define NVRTC(name, version, params, args) { #name, version, #params, #args, false },
#define NVJITLINK NVRTC
#define NVFATBIN NVRTC
#define NVML NVRTC
#define CUDART NVRTC
static const struct def_row defs[] = {
#include "driver/cu.def"
#include "driver/nvrtc.def"
#include "driver/nvjitlink.def"
#include "driver/nvfatbin.def"
#include "driver/nvml.def"
#include "driver/cudart.def"
};
#undef CU
#undef NVRTC
#undef NVJITLINK
#undef NVFATBIN
#undef NVML
#undef CUDART

static const size_t row_count = CUC_LENGTH(rows);
static const size_t def_count = CUC_LENGTH(defs);

// Collects all differences of a table in one message, because a changed header breaks many rows at
// once.
static char report[4000]; // Check rejects messages of 8 KiB
static size_t report_length;
static int wrong;

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
    va_list ap;

    wrong++;
    if (report_length + 1 >= sizeof(report))
        return;
    va_start(ap, format);
    int n = vsnprintf(report + report_length, sizeof(report) - report_length, format, ap);
    va_end(ap);
    if (n > 0)
        report_length += (size_t)n;
}

static void report_nothing_wrong(void)
{
    ck_assert_msg(wrong == 0, "%d rows differ:\n%s", wrong, report);
}

static bool have_toolkit(void)
{
    return cuda_abi_real_row_count > 0;
}

CASE("toolkit", .only_if = have_toolkit);

TEST(sizes_offsets_and_values_are_those_of_the_toolkit)
{
    size_t at = 0;

    for (size_t i = 0; i < cuda_abi_real_row_count; i++) {
        const struct cuda_abi_row *real = &cuda_abi_real_rows[i];
        while (at < row_count && strcmp(rows[at].name, real->name)) // skip an omitted section
            at++;
        ck_assert_msg(at < row_count, "%s is not in the list of this side", real->name);
        if (rows[at].value != real->value || rows[at].extra != real->extra)
            complain("  %s is %lld (%lld), the toolkit has %lld (%lld)\n", real->name,
                     rows[at].value, rows[at].extra, real->value, real->extra);
    }
    report_nothing_wrong();
}

TEST(functions_have_the_types_of_the_toolkit)
{
    for (size_t i = 0; i < cuda_abi_real_call_count; i++) {
        const struct cuda_abi_call *call = &cuda_abi_real_calls[i];
        if (!call->as_declared)
            complain("  %s is declared with another type\n", call->name);
        if (!call->as_pinned)
            complain("  %s has another type than in CUDA %d\n", call->name, call->version);
    }
    report_nothing_wrong();
}

// Checks that each row's version selects the variant that programs get. Only a driver can tell,
// because the types alone do not show it. No GPU is needed.
TEST(versions_pick_the_variants_of_the_toolkit)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver)
        return;
    CUgetProcAddress_v2 get_proc_address;
    *(void **)&get_proc_address = dlsym(driver, "cuGetProcAddress_v2");
    ck_assert_msg(get_proc_address, "no cuGetProcAddress_v2: a driver older than CUDA 12.0");

    for (size_t i = 0; i < cuda_abi_real_call_count; i++) {
        const struct cuda_abi_call *call = &cuda_abi_real_calls[i];
        const char *variant = call->exported;
        if (variant && call->version == 2000 && strcmp(call->name, "cuEventElapsedTime") == 0)
            variant = call->name; // the first form, which drivers before 12.8 also have
        void *exported = variant ? dlsym(driver, variant) : NULL;
        if (!exported) // another library's function, or the driver is too old for it
            continue;
        void *found = NULL;
        CUdriverProcAddressQueryResult how = 0;
        CUresult cu = get_proc_address(call->name, &found, call->version,
                                       CU_GET_PROC_ADDRESS_LEGACY_STREAM, &how);
        if (cu == CUDA_ERROR_STUB_LIBRARY)
            break;
        if (cu || found != exported)
            complain("  %s of version %d is not %s (CUresult %d, query result %u)\n", call->name,
                     call->version, variant, cu, how);
    }
    dlclose(driver);
    report_nothing_wrong();
}

CASE("tables");

TEST(every_function_is_listed_once_with_a_release_of_cuda)
{
    for (size_t i = 0; i < def_count; i++) {
        for (size_t k = 0; k < i; k++)
            if (!strcmp(defs[i].name, defs[k].name))
                complain("  %s is listed twice\n", defs[i].name);
        int first = defs[i].in_driver ? 2000 : 12000;
        if (defs[i].version < first || defs[i].version > CUC__CUDA_ABI_VERSION ||
            defs[i].version % 10)
            complain("  %s is of version %d\n", defs[i].name, defs[i].version);
    }
    report_nothing_wrong();
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Turns "(CUevent event, int (*fn)(void *, void *))" into "(event, fn)": takes the last word of
// each parameter, or the word after "(*".
static void names_of_parameters(const char *params, char *out, size_t size)
{
    const char *word = NULL;
    int word_length = 0, depth = 0;
    bool found = false;
    size_t length = 1;

    snprintf(out, size, "(");
    for (const char *p = params + 1; depth >= 0; p++) {
        ck_assert_msg(*p, "unbalanced: %s", params);
        if (depth == 0 && (*p == ',' || *p == ')')) {
            length += (size_t)snprintf(out + length, size - length, "%.*s%s", word_length, word,
                                       *p == ',' ? ", " : ")");
            ck_assert_uint_lt(length, size);
            found = false;
        } else if (is_letter(*p) && !is_letter(p[-1]) && !found) {
            for (word = p, word_length = 0; is_letter(word[word_length]);)
                word_length++;
            found = p[-1] == '*' && p[-2] == '(';
        }
        depth += (*p == '(') - (*p == ')');
    }
}

TEST(arguments_are_the_names_of_the_parameters)
{
    for (size_t i = 0; i < def_count; i++) {
        char names[512];
        if (!strcmp(defs[i].params, "(void)"))
            snprintf(names, sizeof(names), "()");
        else
            names_of_parameters(defs[i].params, names, sizeof(names));
        if (strcmp(names, defs[i].args))
            complain("  %s passes %s, its parameters are %s\n", defs[i].name, defs[i].args, names);
    }
    report_nothing_wrong();
}

int main(void)
{
    int status = run_tests("cuda_abi");

    if (status == EXIT_SUCCESS && !have_toolkit()) {
        puts("no headers of CUDA 13 were found: nothing was compared with them");
        return 77;
    }
    return status;
}
