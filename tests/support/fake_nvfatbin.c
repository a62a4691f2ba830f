// A fake nvFatbin for machines without one. Stores the members uncompressed, in the layout that
// src/code/fatbin.c reads. Checks its arguments as the real library does.
#include "driver/compiler_abi.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { HEADER = 16, MEMBER = 64, PTX = 1, CUBIN = 2, SPECIFIC = 0x100000, FAMILY = 0x200000 };

struct _nvFatbinHandle {
    unsigned char *data;
    size_t bytes;
};

EXPORT nvFatbinResult nvFatbinVersion(unsigned *major, unsigned *minor);
EXPORT nvFatbinResult nvFatbinCreate(nvFatbinHandle *handle, const char **options, size_t count);
EXPORT nvFatbinResult nvFatbinDestroy(nvFatbinHandle *handle);
EXPORT nvFatbinResult nvFatbinAddPTX(nvFatbinHandle handle, const char *text, size_t bytes,
                                     const char *arch, const char *name, const char *options);
EXPORT nvFatbinResult nvFatbinAddCubin(nvFatbinHandle handle, const void *code, size_t bytes,
                                       const char *arch, const char *name);
EXPORT nvFatbinResult nvFatbinSize(nvFatbinHandle handle, size_t *bytes);
EXPORT nvFatbinResult nvFatbinGet(nvFatbinHandle handle, void *buffer);

nvFatbinResult nvFatbinVersion(unsigned *major, unsigned *minor)
{
    *major = 13;
    *minor = 0;
    return NVFATBIN_SUCCESS;
}

nvFatbinResult nvFatbinCreate(nvFatbinHandle *handle, const char **options, size_t count)
{
    static const char *const known[] = { "-compress-all", "-compress=false" };

    // As before CUDA 12.8, there are no compression modes.
    for (size_t i = 0; i < count; i++)
        if (strcmp(options[i], known[0]) != 0 && strcmp(options[i], known[1]) != 0)
            return NVFATBIN_ERROR_UNRECOGNIZED_OPTION;
    *handle = calloc(1, sizeof(**handle));
    (*handle)->data = calloc(1, HEADER);
    (*handle)->bytes = HEADER;
    memcpy((*handle)->data, "\x50\xed\x55\xba\1\0\x10\0", 8);
    return NVFATBIN_SUCCESS;
}

nvFatbinResult nvFatbinDestroy(nvFatbinHandle *handle)
{
    free((*handle)->data);
    free(*handle);
    *handle = NULL;
    return NVFATBIN_SUCCESS;
}

static nvFatbinResult add(nvFatbinHandle f, int kind, const void *code, size_t bytes,
                          const char *arch)
{
    char *suffix;
    const uint32_t number = (uint32_t)strtoul(arch, &suffix, 10), header = MEMBER;
    const uint64_t padded = (bytes + 7) & ~(size_t)7, content = f->bytes - HEADER + MEMBER + padded,
                   flags = 0x11U | (*suffix == 'a' ? SPECIFIC : 0) | (*suffix == 'f' ? FAMILY : 0);

    if (number < 20 || number > 200)
        return NVFATBIN_ERROR_INVALID_ARCH;
    if (!bytes)
        return NVFATBIN_ERROR_EMPTY_INPUT;
    f->data = realloc(f->data, f->bytes + MEMBER + padded);
    unsigned char *e = f->data + f->bytes;
    memset(e, 0, MEMBER + padded);
    e[0] = (unsigned char)kind;
    e[2] = e[3] = 1;
    memcpy(e + 4, &header, 4);
    memcpy(e + 8, &padded, 8);
    memcpy(e + 28, &number, 4);
    memcpy(e + 40, &flags, 8);
    memcpy(e + MEMBER, code, bytes);
    memcpy(f->data + 8, &content, 8);
    f->bytes += MEMBER + padded;
    return NVFATBIN_SUCCESS;
}

nvFatbinResult nvFatbinAddPTX(nvFatbinHandle handle, const char *text, size_t bytes,
                              const char *arch, const char *name, const char *options)
{
    if (!name || !options)
        return NVFATBIN_ERROR_NULL_POINTER;
    if (!strstr(text, ".target"))
        return NVFATBIN_ERROR_MISSING_PTX_ARCH;
    return add(handle, PTX, text, bytes, arch);
}

nvFatbinResult nvFatbinAddCubin(nvFatbinHandle handle, const void *code, size_t bytes,
                                const char *arch, const char *name)
{
    const unsigned char *flags = (const unsigned char *)code + 48; // the flags of the ELF header

    if (!name)
        return NVFATBIN_ERROR_NULL_POINTER;
    if (flags[1] != strtoul(arch, NULL, 10))
        return NVFATBIN_ERROR_ELF_ARCH_MISMATCH;
    return add(handle, CUBIN, code, bytes, arch);
}

nvFatbinResult nvFatbinSize(nvFatbinHandle handle, size_t *bytes)
{
    *bytes = handle->bytes;
    return NVFATBIN_SUCCESS;
}

nvFatbinResult nvFatbinGet(nvFatbinHandle handle, void *buffer)
{
    memcpy(buffer, handle->data, handle->bytes);
    return NVFATBIN_SUCCESS;
}
