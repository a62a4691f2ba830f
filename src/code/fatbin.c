#include "fatbin.h"

#include "base/bytes.h"
#include "base/zstd.h"

#include <stdlib.h>
#include <string.h>

const char cuc__fatbin_magic[4] = { '\120', '\355', '\125', '\272' };

// Offsets of an entry's fields, and bits of its flags.
enum {
    ENTRY_KIND = 0,          // 2 bytes
    ENTRY_HEADER_BYTES = 4,  // 4 bytes
    ENTRY_BYTES = 8,         // 8 bytes: size of the content with padding
    ENTRY_PACKED_BYTES = 16, // 4 bytes: size of the compressed content without padding; 0 if not
                             // compressed
    ENTRY_ARCH = 28,         // 4 bytes
    ENTRY_FLAGS = 40,        // 8 bytes
    ENTRY_FULL_BYTES = 56,   // 8 bytes
    ENTRY_LEAST = 64,

    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_SPECIFIC = 0x100000,
    FLAG_FAMILY = 0x200000,
};

uint64_t cuc__fatbin_extent(const void *data)
{
    uint64_t content = cuc__read_le(data, 8, 8), extent = cuc__read_le(data, 6, 2) + content;

    return extent < content ? UINT64_MAX : extent;
}

bool cuc__fatbin_open(struct cuc__fatbin *f, const void *data, size_t bytes)
{
    if (bytes < CUC__FATBIN_HEADER_BYTES ||
        memcmp(data, cuc__fatbin_magic, sizeof(cuc__fatbin_magic)) != 0)
        return false;
    size_t header = (size_t)cuc__read_le(data, 6, 2);
    uint64_t extent = cuc__fatbin_extent(data);
    if (header < CUC__FATBIN_HEADER_BYTES || extent > bytes)
        return false;
    *f = (struct cuc__fatbin){ (const char *)data + header, (const char *)data + extent, false };
    return true;
}

bool cuc__fatbin_next(struct cuc__fatbin *f, struct cuc__fatbin_entry *out)
{
    const char *e = f->at;
    size_t left = (size_t)(f->end - e);

    if (!left || f->damaged)
        return false;
    f->damaged = true;
    if (left < ENTRY_LEAST)
        return false;
    uint64_t header = cuc__read_le(e, ENTRY_HEADER_BYTES, 4);
    uint64_t bytes = cuc__read_le(e, ENTRY_BYTES, 8);
    uint64_t packed = cuc__read_le(e, ENTRY_PACKED_BYTES, 4);
    uint64_t flags = cuc__read_le(e, ENTRY_FLAGS, 8);
    if (header < ENTRY_LEAST || header > left || bytes > left - header || packed > bytes)
        return false;
    f->damaged = false;
    f->at = e + header + bytes;
    bool is_packed = flags & (FLAG_LZ4 | FLAG_ZSTD);
    *out = (struct cuc__fatbin_entry){
        .kind = (unsigned)cuc__read_le(e, ENTRY_KIND, 2),
        .arch = (unsigned)cuc__read_le(e, ENTRY_ARCH, 4),
        .specific = flags & FLAG_SPECIFIC,
        .family = flags & FLAG_FAMILY,
        .lz4 = flags & FLAG_LZ4,
        .zstd = flags & FLAG_ZSTD,
        .data = e + header,
        .bytes = (size_t)(is_packed ? packed : bytes),
        .full_bytes = (size_t)(is_packed ? cuc__read_le(e, ENTRY_FULL_BYTES, 8) : bytes),
    };
    return true;
}

// Returns true if the entry runs on `arch`. arch / 10 is equal for all architectures of a family,
// and for architectures that run each other's machine code.
bool cuc__fatbin_runs(const struct cuc__fatbin_entry *e, unsigned arch)
{
    if (e->specific)
        return e->arch == arch;
    if (e->family || e->kind == CUC__FATBIN_CUBIN)
        return e->arch <= arch && e->arch / 10 == arch / 10;
    return e->arch <= arch;
}

unsigned cuc__fatbin_worth(const struct cuc__fatbin_entry *e)
{
    const unsigned machine_code = e->kind == CUC__FATBIN_CUBIN ? 1U << 16 : 0;

    return machine_code + 4 * e->arch + 2 * e->specific + e->family;
}

// Completes a length from a token: if all four of its bits are set, further bytes add to it.
// Returns false past the end of the data.
static bool lz4_length(size_t *length, const unsigned char *in, size_t bytes, size_t *at)
{
    enum { FULL = 15 };

    for (unsigned more = *length == FULL ? 255 : 0; more == 255; *length += more) {
        if (*at == bytes)
            return false;
        more = in[(*at)++];
    }
    return true;
}

// Decodes one LZ4 block, an alternation of literals and copies of earlier output.
static bool lz4_decode(unsigned char *out, size_t out_bytes, const unsigned char *in, size_t bytes)
{
    size_t i = 0, o = 0;

    while (i < bytes) {
        unsigned token = in[i++];
        size_t n = token >> 4;
        if (!lz4_length(&n, in, bytes, &i) || n > bytes - i || n > out_bytes - o)
            return false;
        memcpy(out + o, in + i, n);
        i += n;
        o += n;
        if (i == bytes)
            break; // no copy follows the last literals
        if (bytes - i < 2)
            return false;
        size_t back = (size_t)cuc__read_le(in, i, 2);
        i += 2;
        n = token & 15;
        if (!lz4_length(&n, in, bytes, &i))
            return false;
        n += 4;
        if (!back || back > o || n > out_bytes - o)
            return false;
        for (; n; n--, o++)
            out[o] = out[o - back];
    }
    return o == out_bytes;
}

// Returns false if the sizes exceed the maximum expansion of both compressions: a Zstandard block
// expands to at most 128 KiB and takes at least four bytes, and an LZ4 length grows by 255 per
// byte.
static bool plausible(const struct cuc__fatbin_entry *e)
{
    enum { MOST_OF_A_BYTE = 32768 };

    return e->full_bytes / MOST_OF_A_BYTE <= e->bytes;
}

static enum cuc__fatbin_result unpack_zstd(char *out, const struct cuc__fatbin_entry *e)
{
    switch (cuc__zstd_decode(out, e->full_bytes, e->data, e->bytes)) {
    case CUC__ZSTD_OK:
        return CUC__FATBIN_OK;
    case CUC__ZSTD_NO_MEMORY:
        return CUC__FATBIN_NO_MEMORY;
    case CUC__ZSTD_NO_LIBRARY:
        return CUC__FATBIN_NO_ZSTD;
    default:
        return CUC__FATBIN_DAMAGED;
    }
}

static enum cuc__fatbin_result unpack_lz4(char *out, const struct cuc__fatbin_entry *e)
{
    bool good =
        lz4_decode((unsigned char *)out, e->full_bytes, (const unsigned char *)e->data, e->bytes);

    return good ? CUC__FATBIN_OK : CUC__FATBIN_DAMAGED;
}

enum cuc__fatbin_result cuc__fatbin_unpack(char **out, const struct cuc__fatbin_entry *e)
{
    enum cuc__fatbin_result result = CUC__FATBIN_OK;

    if (!plausible(e) || (e->lz4 && e->zstd))
        return CUC__FATBIN_DAMAGED;
    char *copy = malloc(e->full_bytes + 1);
    if (!copy)
        return CUC__FATBIN_NO_MEMORY;
    if (e->zstd)
        result = unpack_zstd(copy, e);
    else if (e->lz4)
        result = unpack_lz4(copy, e);
    else
        memcpy(copy, e->data, e->bytes);
    if (result) {
        free(copy);
        return result;
    }
    copy[e->full_bytes] = '\0';
    *out = copy;
    return CUC__FATBIN_OK;
}
