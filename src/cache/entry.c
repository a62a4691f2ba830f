#include "entry.h"

#include "base/bytes.h"

#include <string.h>

enum {
    AT_LABEL_BYTES = 8,
    AT_BYTES = 16,
    AT_KEY = 24,
    AT_CHECKSUM = 56,
};

// The last byte is the version.
static const unsigned char magic[8] = { 'C', 'U', 'C', 'E', 'N', 'T', 'R', 1 };

static void checksum(unsigned char out[CUC__SHA256_BYTES], const unsigned char *head,
                     const void *label, size_t label_bytes, const void *data, size_t bytes)
{
    cuc__sha256 hash;

    cuc__sha256_init(&hash);
    cuc__sha256_update(&hash, head, AT_CHECKSUM);
    cuc__sha256_update(&hash, label, label_bytes);
    cuc__sha256_update(&hash, data, bytes);
    cuc__sha256_finish(out, &hash);
}

void cuc__entry_head(unsigned char head[CUC__ENTRY_HEAD], size_t *label_bytes, const cuc__key *key,
                     const char *label, const void *data, size_t bytes)
{
    *label_bytes = strnlen(label, CUC__ENTRY_LABEL);
    memset(head, 0, CUC__ENTRY_HEAD);
    memcpy(head, magic, sizeof(magic));
    cuc__write_le(head, AT_LABEL_BYTES, 4, *label_bytes);
    cuc__write_le(head, AT_BYTES, 8, bytes);
    memcpy(head + AT_KEY, key->bytes, sizeof(key->bytes));
    checksum(head + AT_CHECKSUM, head, label, *label_bytes, data, bytes);
}

bool cuc__entry_read(cuc__entry *entry, char *file, size_t bytes, const cuc__key *key)
{
    const unsigned char *head = (const unsigned char *)file;
    unsigned char sum[CUC__SHA256_BYTES];

    if (bytes < CUC__ENTRY_HEAD || memcmp(head, magic, sizeof(magic)) != 0 ||
        memcmp(head + AT_KEY, key->bytes, sizeof(key->bytes)) != 0)
        return false;
    size_t rest = bytes - CUC__ENTRY_HEAD;
    size_t label_bytes = (size_t)cuc__read_le(head, AT_LABEL_BYTES, 4);
    if (label_bytes > CUC__ENTRY_LABEL || label_bytes > rest ||
        cuc__read_le(head, AT_BYTES, 8) != rest - label_bytes)
        return false;
    *entry = (cuc__entry){
        .file = file,
        .label = file + CUC__ENTRY_HEAD,
        .label_bytes = label_bytes,
        .data = file + CUC__ENTRY_HEAD + label_bytes,
        .bytes = rest - label_bytes,
    };
    checksum(sum, head, entry->label, label_bytes, entry->data, entry->bytes);
    return memcmp(sum, head + AT_CHECKSUM, sizeof(sum)) == 0;
}
