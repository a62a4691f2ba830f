#include "base/array.h"
#include "object.h"

#include "cubin.h"
#include "fatbin.h"
#include "ptx_signature.h"

#include <string.h>

// The layout of fat binaries from CUDA's tools. All numbers are little-endian, as in the tools' ELF
// files and on every GPU host.
static const char elf_magic[] = "\177ELF";
static const char archive_magic[] = "!<arch>\n";
static const char thin_archive_magic[] = "!<thin>\n";
static const char ltoir_magic[] = "\355\103\116\177";

static const struct {
    const char *name;
    const char *what;
} kinds[] = {
#define ROW(constant, value, name, what) [value] = { name, what },
    CUC_CODE_LIST(ROW)
#undef ROW
};

enum { KINDS = CUC_LENGTH(kinds) };

static bool starts_with(const void *data, size_t bytes, const char *magic)
{
    return bytes >= strlen(magic) && memcmp(data, magic, strlen(magic)) == 0;
}

int32_t cuc__code_guess(const void *data, size_t bytes)
{
    if (starts_with(data, bytes, elf_magic))
        return bytes >= CUC__ELF_HEADER_BYTES && cuc__read_le(data, 18, 2) == CUC__ELF_MACHINE_CUDA
                   ? CUC_CODE_CUBIN
                   : CUC_CODE_OBJECT;
    if (starts_with(data, bytes, archive_magic) || starts_with(data, bytes, thin_archive_magic))
        return CUC_CODE_LIBRARY;
    if (bytes >= sizeof(cuc__fatbin_magic) &&
        memcmp(data, cuc__fatbin_magic, sizeof(cuc__fatbin_magic)) == 0)
        return CUC_CODE_FATBIN;
    if (starts_with(data, bytes, ltoir_magic))
        return CUC_CODE_LTOIR;
    return bytes && cuc__ptx_is_text(data, bytes) ? CUC_CODE_PTX : 0;
}

static cuc_status fail_short(int32_t kind, uint64_t expected, size_t bytes, const char *function)
{
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "the %s is truncated: its header says %llu bytes, but there are %zu",
                     cuc_code_name(kind), (unsigned long long)expected, bytes);
}

static cuc_status check_cubin(const void *data, size_t bytes, const char *function)
{
    if (bytes < CUC__ELF_HEADER_BYTES)
        return fail_short(CUC_CODE_CUBIN, CUC__ELF_HEADER_BYTES, bytes, function);
    uint64_t extent = cuc__elf_extent(data, bytes);
    if (!extent)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the cubin is damaged: its section table is invalid");
    return extent > bytes ? fail_short(CUC_CODE_CUBIN, extent, bytes, function) : CUC_OK;
}

static cuc_status check_fatbin(const void *data, size_t bytes, const char *function)
{
    if (bytes < CUC__FATBIN_HEADER_BYTES)
        return fail_short(CUC_CODE_FATBIN, CUC__FATBIN_HEADER_BYTES, bytes, function);
    uint64_t extent = cuc__fatbin_extent(data);
    return extent > bytes ? fail_short(CUC_CODE_FATBIN, extent, bytes, function) : CUC_OK;
}

static cuc_status check_ptx(const void *data, size_t bytes, const char *function)
{
    const char *text = data;
    const char *nul = memchr(text, 0, bytes);

    for (const char *p = nul; p && p < text + bytes; p++)
        if (*p)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "the data is not PTX: PTX is text, but byte %zu of %zu is 0",
                             (size_t)(nul - text), bytes);
    return CUC_OK;
}

cuc_status cuc__code_check(int32_t kind, const void *data, size_t bytes, const char *function)
{
    if (kind <= 0 || kind >= KINDS)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "kind is %d, expected a CUC_CODE_ value (1 to %d)", (int)kind, KINDS - 1);
    if (!data)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "data is NULL");
    if (!bytes)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "the %s is empty: bytes is 0",
                         kinds[kind].name);

    int32_t guess = cuc__code_guess(data, bytes);
    // The format of LTO code is private to the compiler, so refuse only data that is clearly of
    // another kind. CUC_CODE_OBJECT accepts both host objects and device code.
    if (guess != kind && !(kind == CUC_CODE_LTOIR && !guess) &&
        !(kind == CUC_CODE_OBJECT && guess == CUC_CODE_CUBIN)) {
        if (guess)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "the data is not a %s (%s): its first bytes are those of kind %s",
                             kinds[kind].name, kinds[kind].what, kinds[guess].name);
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "the data is not a %s (%s)%s",
                         kinds[kind].name, kinds[kind].what,
                         kind == CUC_CODE_PTX ? ": it does not begin with a .version directive"
                                              : "");
    }
    switch (kind) {
    case CUC_CODE_PTX:
        return check_ptx(data, bytes, function);
    case CUC_CODE_CUBIN:
        return check_cubin(data, bytes, function);
    case CUC_CODE_FATBIN:
        return check_fatbin(data, bytes, function);
    default:
        return CUC_OK;
    }
}

const char *cuc_code_name(int32_t kind)
{
    return kind > 0 && kind < KINDS ? kinds[kind].name : "unknown";
}

int32_t cuc_code_from_name(const char *name)
{
    for (int32_t kind = 1; name && kind < KINDS; kind++)
        if (strcmp(kinds[kind].name, name) == 0)
            return kind;
    return 0;
}
