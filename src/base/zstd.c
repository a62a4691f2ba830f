#include "zstd.h"

#include "loader.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

// Declarations from zstd.h, so that the build does not need it. They have not changed in
// libzstd.so.1 since 1.3.0.
enum { ERROR_MEMORY_ALLOCATION = 64 };
static const unsigned long long content_size_unknown = 0ULL - 1, content_size_error = 0ULL - 2;

struct functions {
    unsigned long long (*content_size)(const void *in, size_t bytes);
    size_t (*decompress)(void *out, size_t out_bytes, const void *in, size_t in_bytes);
    unsigned (*is_error)(size_t result);
    int (*error_code)(size_t result);
};

static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, sizeof(found)); // POSIX allows this conversion, but ISO C has no cast
                                             // for it
    return found;
}

// Loads the library. The loader keeps it, so later calls only look it up.
static bool load(struct functions *f)
{
    void *library = cuc__open_shared("libzstd.so.1", RTLD_NOW | RTLD_LOCAL, NULL);

    return library && find(library, "ZSTD_getFrameContentSize", &f->content_size) &&
           find(library, "ZSTD_decompress", &f->decompress) &&
           find(library, "ZSTD_isError", &f->is_error) &&
           find(library, "ZSTD_getErrorCode", &f->error_code);
}

enum cuc__zstd_result cuc__zstd_decode(void *out, size_t out_bytes, const void *in, size_t in_bytes)
{
    struct functions zstd;

    if (!load(&zstd))
        return CUC__ZSTD_NO_LIBRARY;
    unsigned long long size = zstd.content_size(in, in_bytes);
    if (size == content_size_error || (size != content_size_unknown && size > out_bytes))
        return CUC__ZSTD_DAMAGED;
    size_t result = zstd.decompress(out, out_bytes, in, in_bytes);
    if (zstd.is_error(result))
        return zstd.error_code(result) == ERROR_MEMORY_ALLOCATION ? CUC__ZSTD_NO_MEMORY
                                                                  : CUC__ZSTD_DAMAGED;
    return result == out_bytes ? CUC__ZSTD_OK : CUC__ZSTD_DAMAGED;
}
