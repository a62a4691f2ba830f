// Binary images: extracts PTX from a fat binary, and rejects machine code.
#include "shell.h"

#include "code/fatbin.h"
#include "base/zstd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char elf[] = { 0x7f, 'E', 'L', 'F' };
static const unsigned char wrapper[] = { 0xb1, 0x43, 0x62, 0x46 };

// The wrapper in a program's data, which points to the fat binary.
struct fat_wrapper {
    uint32_t magic, version;
    const void *data;
    const void *unused;
};

// Adds an entry to the list of architectures that have PTX, for a message: "sm_80, sm_90a".
static void list_entry(char *list, size_t bytes, const struct cuc__fatbin_entry *e)
{
    size_t used = strlen(list);

    snprintf(list + used, bytes - used, "%ssm_%u%s", used ? ", " : "", e->arch,
             e->specific ? "a"
             : e->family ? "f"
                         : "");
}

static CUresult from_fatbin(const void *data, size_t bytes, char **out, char *log, size_t log_bytes)
{
    unsigned arch = 10 * (unsigned)sim_attribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                    (unsigned)sim_attribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    struct cuc__fatbin_entry e, best = { 0 };
    struct cuc__fatbin fatbin;
    char others[128] = "";

    if (!cuc__fatbin_open(&fatbin, data, bytes)) {
        snprintf(log, log_bytes, "the fat binary is cut short or its header is damaged");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    while (cuc__fatbin_next(&fatbin, &e)) {
        if (e.kind != CUC__FATBIN_PTX)
            continue;
        if (!cuc__fatbin_runs(&e, arch))
            list_entry(others, sizeof(others), &e);
        else if (!best.data || cuc__fatbin_worth(&e) > cuc__fatbin_worth(&best))
            best = e;
    }
    if (fatbin.damaged) {
        snprintf(log, log_bytes, "the fat binary is damaged: an entry's sizes exceed it");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if (!best.data) {
        snprintf(log, log_bytes, "the fat binary has no PTX that runs on sm_%u%s%s", arch,
                 *others ? ", only for " : "", others);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    switch (cuc__fatbin_unpack(out, &best)) {
    case CUC__FATBIN_OK:
        return CUDA_SUCCESS;
    case CUC__FATBIN_NO_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case CUC__FATBIN_NO_ZSTD:
        snprintf(log, log_bytes, "the fat binary's PTX for sm_%u " CUC__ZSTD_REMEDY, best.arch);
        sim_warn("%s", log);
        return CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    default:
        snprintf(log, log_bytes, "the fat binary is damaged: its PTX for sm_%u does not unpack",
                 best.arch);
        return CUDA_ERROR_INVALID_IMAGE;
    }
}

CUresult sim_image_text(const void *image, size_t bytes, char **out, char *log, size_t log_bytes)
{
    bool in_memory = bytes == SIM_UNKNOWN_BYTES;

    *out = NULL;
    if (in_memory)
        bytes = UINTPTR_MAX - (uintptr_t)image; // at most to the end of the address space
    if (bytes < 4 || strnlen(image, 4) < 4)
        return CUDA_SUCCESS; // text, or empty
    if (memcmp(image, elf, 4) == 0) {
        snprintf(log, log_bytes, "this is machine code, and a simulated device runs PTX");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    if (in_memory && memcmp(image, wrapper, 4) == 0) { // in a file, the pointer of a wrapper has no
                                                       // meaning
        struct fat_wrapper w;
        memcpy(&w, image, sizeof(w));
        if (!(image = w.data))
            return CUDA_ERROR_INVALID_IMAGE;
        bytes = UINTPTR_MAX - (uintptr_t)image;
    }
    if (memcmp(image, cuc__fatbin_magic, 4) == 0)
        return from_fatbin(image, bytes, out, log, log_bytes);
    return CUDA_SUCCESS;
}
