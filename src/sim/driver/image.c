// Images that are no text: the PTX in a fat binary is taken out, machine code is refused.
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char elf[] = { 0x7f, 'E', 'L', 'F' };
static const unsigned char fatbin[] = { 0x50, 0xed, 0x55, 0xba };
static const unsigned char wrapper[] = { 0xb1, 0x43, 0x62, 0x46 };

// A wrapper stands in a program's data and points at the fat binary.
struct fat_wrapper {
    uint32_t magic, version;
    const void *data;
    const void *unused;
};

struct fat_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; // of all the entries behind it
};

struct fat_entry {
    uint16_t kind; // 1 PTX, 2 machine code
    uint16_t unused;
    uint32_t header_bytes;
    uint64_t bytes; // behind this header, padded
    uint32_t packed_bytes;
    uint32_t options;
    uint16_t minor, major;
    uint32_t arch;
    uint32_t name, name_bytes;
    uint64_t flags;
    uint64_t zero;
    uint64_t full_bytes; // unpacked
};

enum {
    FAT_PTX = 1,
    FAT_LZ4 = 0x2000,
    FAT_ZSTD = 0x8000,
};

// One block of LZ4: literals and copies of what came before. False when it is not whole.
static bool unpack(const unsigned char *in, size_t in_bytes, unsigned char *out, size_t out_bytes)
{
    size_t i = 0, o = 0;

    while (i < in_bytes) {
        unsigned token = in[i++];
        size_t n = token >> 4;
        for (unsigned more = 255; n >= 15 && more == 255; n += more) {
            if (i == in_bytes)
                return false;
            more = in[i++];
        }
        if (n > in_bytes - i || n > out_bytes - o)
            return false;
        memcpy(out + o, in + i, n);
        i += n;
        o += n;
        if (i == in_bytes)
            break; // the last one has no copy
        if (in_bytes - i < 2)
            return false;
        size_t back = in[i] | (size_t)in[i + 1] << 8;
        i += 2;
        n = token & 15;
        for (unsigned more = 255; n >= 15 && more == 255; n += more) {
            if (i == in_bytes)
                return false;
            more = in[i++];
        }
        n += 4;
        if (!back || back > o || n > out_bytes - o)
            return false;
        for (; n; n--, o++)
            out[o] = out[o - back];
    }
    return o == out_bytes;
}

static char *text_of(const struct fat_entry *e, const unsigned char *data)
{
    size_t bytes = e->flags & FAT_LZ4 ? e->full_bytes : e->bytes;
    char *text = sim_alloc(bytes + 1);

    if (!(e->flags & FAT_LZ4)) {
        memcpy(text, data, bytes);
    } else if (!unpack(data, e->packed_bytes, (unsigned char *)text, bytes)) {
        free(text);
        return NULL;
    }
    return text;
}

static CUresult from_fatbin(const unsigned char *at, char **out, char *log, size_t log_bytes)
{
    struct fat_header head;
    unsigned best = 0,
             arch = 10 * (unsigned)sim_attribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                    (unsigned)sim_attribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    bool zstd = false;

    memcpy(&head, at, sizeof(head));
    const unsigned char *end = at + head.header_bytes + head.bytes;
    for (at += head.header_bytes; (size_t)(end - at) >= sizeof(struct fat_entry);) {
        struct fat_entry e;
        memcpy(&e, at, sizeof(e));
        if (e.header_bytes < sizeof(e) || e.header_bytes + e.bytes > (size_t)(end - at))
            break;
        if (e.kind == FAT_PTX && e.arch <= arch && e.arch > best) {
            zstd |= (e.flags & FAT_ZSTD) != 0;
            char *text = e.flags & FAT_ZSTD ? NULL : text_of(&e, at + e.header_bytes);
            if (text) {
                free(*out);
                *out = text;
                best = e.arch;
            }
        }
        at += e.header_bytes + e.bytes;
    }
    if (best)
        return CUDA_SUCCESS;
    snprintf(log, log_bytes, "the fat binary has no PTX for sm_%u%s", arch,
             zstd ? " but what is packed with zstd (nvcc --compress-mode=speed or none)" : "");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult sim_image_text(const void *image, char **out, char *log, size_t log_bytes)
{
    *out = NULL;
    if (strnlen(image, 4) < 4)
        return CUDA_SUCCESS; // text, or nothing at all
    if (memcmp(image, elf, 4) == 0) {
        snprintf(log, log_bytes, "this is machine code, and a simulated device runs PTX");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    if (memcmp(image, wrapper, 4) == 0) {
        struct fat_wrapper w;
        memcpy(&w, image, sizeof(w));
        image = w.data;
    }
    if (memcmp(image, fatbin, 4) == 0)
        return from_fatbin(image, out, log, log_bytes);
    return CUDA_SUCCESS;
}
