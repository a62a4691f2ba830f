// Feeds arbitrary bytes to the code that reads device code: detects the format, unpacks each entry
// of a fat binary, and reads variables and resource use of cubins. Works with libFuzzer and with
// mutate.c.
#include "code/cubin.h"
#include "code/fatbin.h"
#include "code/object.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

// Reads all returned data, so that a sanitizer notices parts that are out of bounds.
static void read_all(const void *data, size_t bytes)
{
    const unsigned char *p = data;
    static volatile unsigned char sink;

    for (size_t i = 0; i < bytes; i++)
        sink = p[i];
    (void)sink;
}

static void read_cubin(const void *data, size_t bytes)
{
    const unsigned char *at;
    uint32_t registers = 0, stack = 0;
    size_t count;

    if (cuc__code_guess(data, bytes) != CUC_CODE_CUBIN)
        return;
    if (cuc__cubin_variable(&at, &count, data, bytes, "scale"))
        read_all(at, count);
    cuc__cubin_resources(&registers, &stack, data, bytes, "scale");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct cuc__fatbin fatbin;
    struct cuc__fatbin_entry entry;

    int32_t kind = cuc__code_guess(data, bytes);
    if (kind)
        (void)cuc__code_check(kind, data, bytes, "fuzz");
    read_cubin(data, bytes);
    if (!cuc__fatbin_open(&fatbin, data, bytes))
        return 0;
    while (cuc__fatbin_next(&fatbin, &entry)) {
        char *content = NULL;
        read_all(entry.data, entry.bytes);
        if (cuc__fatbin_unpack(&content, &entry) != CUC__FATBIN_OK)
            continue;
        read_all(content, entry.full_bytes + 1);
        read_cubin(content, entry.full_bytes);
        free(content);
    }
    return 0;
}
