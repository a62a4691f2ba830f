#include "llama.h"

#include <fcntl.h>
#include <glob.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// A mapped file: a length of 8 bytes, that much JSON, then the data that the JSON describes.
typedef struct mapped {
    const uint8_t *bytes;
    size_t size, data; // where the data begins
    json_t *header;
} mapped;

void fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("llama: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        fail("no memory for %zu times %zu bytes", count, size);
    return memory;
}

static void read_scaling(config *c, json_t *scaling)
{
    const char *type = json_string_value(json_object_get(scaling, "rope_type"));

    if (!json_is_object(scaling) || (type && strcmp(type, "default") == 0))
        return;
    if (!type || strcmp(type, "llama3") != 0 ||
        json_unpack(scaling, "{s:F, s:F, s:F, s:F}", "factor", &c->factor, "low_freq_factor",
                    &c->low, "high_freq_factor", &c->high, "original_max_position_embeddings",
                    &c->original) != 0)
        fail("config.json: expected a rope_scaling of type llama3, with its four numbers");
}

config config_read(const char *folder)
{
    char path[4096];
    json_error_t error;
    json_t *scaling = NULL;
    config c = { .longest = 2048, .eps = 1e-5, .theta = 10000, .factor = 1 };

    snprintf(path, sizeof(path), "%s/config.json", folder);
    json_t *file = json_load_file(path, 0, &error);
    if (!file ||
        json_unpack_ex(file, &error, 0,
                       "{s:I, s:I, s:I, s:I, s?I, s?I, s:I, s?I, s?F, s?F, s?b, s?o}",
                       "hidden_size", &c.hidden, "intermediate_size", &c.inner, "num_hidden_layers",
                       &c.layers, "num_attention_heads", &c.heads, "num_key_value_heads",
                       &c.key_heads, "head_dim", &c.width, "vocab_size", &c.vocabulary,
                       "max_position_embeddings", &c.longest, "rms_norm_eps", &c.eps, "rope_theta",
                       &c.theta, "tie_word_embeddings", &c.tied, "rope_scaling", &scaling) != 0)
        fail("%s:%d: %s", path, error.line, error.text);
    c.key_heads = c.key_heads ? c.key_heads : c.heads;
    if (c.hidden < 1 || c.inner < 1 || c.layers < 1 || c.vocabulary < 1 || c.key_heads < 1 ||
        c.heads < 1 || c.heads % c.key_heads)
        fail("%s: sizes must be positive, and key heads must divide heads", path);
    c.width = c.width ? c.width : c.hidden / c.heads;
    read_scaling(&c, scaling);
    json_decref(file);
    return c;
}

static mapped map_file(const char *path)
{
    struct stat info;
    json_error_t error;
    uint64_t length = 0;
    mapped m = { 0 };
    int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0 || fstat(file, &info) != 0)
        fail("cannot open %s", path);
    m.size = (size_t)info.st_size;
    void *bytes = m.size > 8 ? mmap(NULL, m.size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED)
        fail("cannot map %s", path);
    m.bytes = bytes;
    memcpy(&length, bytes, sizeof(length));
    if (length > m.size - 8)
        fail("%s: its header has %llu bytes, but the file %zu", path, (unsigned long long)length,
             m.size);
    m.data = 8 + (size_t)length;
    m.header = json_loadb((const char *)m.bytes + 8, (size_t)length, 0, &error);
    if (!m.header)
        fail("%s: header: %s", path, error.text);
    return m;
}

checkpoint *checkpoint_open(const char *folder)
{
    char pattern[4096];
    glob_t found;
    checkpoint *c = allocate(1, sizeof(*c));

    snprintf(pattern, sizeof(pattern), "%s/*.safetensors", folder);
    if (glob(pattern, 0, NULL, &found) != 0)
        fail("there is no %s", pattern);
    c->files = allocate(found.gl_pathc, sizeof(*c->files));
    for (; c->count < found.gl_pathc; c->count++) {
        c->files[c->count] = map_file(found.gl_pathv[c->count]);
        c->bytes += c->files[c->count].size - c->files[c->count].data;
    }
    globfree(&found);
    return c;
}

const void *checkpoint_find(const checkpoint *c, const char *name, int64_t rows, int64_t columns)
{
    const mapped *m = c->files, *end = m + c->count;
    json_t *entry = NULL;
    const char *dtype;
    json_int_t first, from, to;

    while (m < end && !(entry = json_object_get(m->header, name)))
        m++;
    if (!entry)
        fail("the checkpoint has no %s", name);
    if (json_unpack(entry, "{s:s, s:[I*], s:[I, I]}", "dtype", &dtype, "shape", &first,
                    "data_offsets", &from, &to) != 0)
        fail("%s: its description lacks dtype, shape or data_offsets", name);
    if (strcmp(dtype, "BF16") != 0)
        fail("%s: expected BF16, got %s: convert the checkpoint", name, dtype);
    if (first != rows || to - from != 2 * rows * columns)
        fail("%s: expected [%lld, %lld], got %lld rows in %lld bytes", name, (long long)rows,
             (long long)columns, (long long)first, (long long)(to - from));
    if (from < 0 || (uint64_t)to > m->size - m->data)
        fail("%s: its bytes end at %lld, behind the file's end", name, (long long)to);
    return m->bytes + m->data + from;
}
