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

struct checkpoint {
    mapped *files;
    size_t count;
};

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

/* ---- config.json ---------------------------------------------------------------------------- */

static double number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static int64_t count(const json_t *object, const char *key, int64_t otherwise)
{
    double value = number(object, key, (double)otherwise);

    if (value < 1 || value > 1 << 30)
        fail("config.json: expected a positive number as %s, got %g", key, value);
    return (int64_t)value;
}

static void read_scaling(config *c, const json_t *scaling)
{
    const char *type = json_string_value(json_object_get(scaling, "rope_type"));

    if (json_is_object(scaling) && (!type || (strcmp(type, "llama3") && strcmp(type, "default"))))
        fail("config.json: expected a rope_scaling of type llama3, got %s", type ? type : "none");
    c->factor = type && !strcmp(type, "llama3") ? number(scaling, "factor", 8) : 1;
    c->low = number(scaling, "low_freq_factor", 1);
    c->high = number(scaling, "high_freq_factor", 4);
    c->original = number(scaling, "original_max_position_embeddings", 8192);
}

config config_read(const char *folder)
{
    char path[4096];
    json_error_t error;
    config c = { 0 };

    snprintf(path, sizeof(path), "%s/config.json", folder);
    json_t *o = json_load_file(path, 0, &error);
    if (!o)
        fail("%s:%d: %s", path, error.line, error.text);
    c.hidden = count(o, "hidden_size", 0);
    c.inner = count(o, "intermediate_size", 0);
    c.layers = count(o, "num_hidden_layers", 0);
    c.heads = count(o, "num_attention_heads", 0);
    c.key_heads = count(o, "num_key_value_heads", c.heads);
    c.width = count(o, "head_dim", c.hidden / c.heads);
    c.vocabulary = count(o, "vocab_size", 0);
    c.longest = count(o, "max_position_embeddings", 2048);
    c.eps = number(o, "rms_norm_eps", 1e-5);
    c.theta = number(o, "rope_theta", 10000);
    c.tied = json_is_true(json_object_get(o, "tie_word_embeddings"));
    read_scaling(&c, json_object_get(o, "rope_scaling"));
    json_decref(o);
    if (c.heads % c.key_heads || c.width % 2)
        fail("%s: %lld heads of width %lld do not fit %lld key heads", path, (long long)c.heads,
             (long long)c.width, (long long)c.key_heads);
    return c;
}

/* ---- *.safetensors -------------------------------------------------------------------------- */

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
    for (; c->count < found.gl_pathc; c->count++)
        c->files[c->count] = map_file(found.gl_pathv[c->count]);
    globfree(&found);
    return c;
}

static void check_shape(const char *name, const json_t *entry, int64_t rows, int64_t columns)
{
    const json_t *shape = json_object_get(entry, "shape");
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    int64_t got[2] = { json_integer_value(json_array_get(shape, 0)), 1 };

    if (json_array_size(shape) > 1)
        got[1] = json_integer_value(json_array_get(shape, 1));
    if (!dtype || strcmp(dtype, "BF16") != 0)
        fail("%s: expected BF16, got %s: convert the checkpoint", name, dtype ? dtype : "nothing");
    if (json_array_size(shape) > 2 || got[0] != rows || got[1] != columns)
        fail("%s: expected [%lld, %lld], got [%lld, %lld]", name, (long long)rows,
             (long long)columns, (long long)got[0], (long long)got[1]);
}

weight checkpoint_find(const checkpoint *c, const char *name, int64_t rows, int64_t columns)
{
    for (size_t i = 0; i < c->count; i++) {
        const mapped *m = &c->files[i];
        const json_t *entry = json_object_get(m->header, name);
        if (!entry)
            continue;
        check_shape(name, entry, rows, columns);
        const json_t *offsets = json_object_get(entry, "data_offsets");
        uint64_t begin = (uint64_t)json_integer_value(json_array_get(offsets, 0));
        uint64_t end = (uint64_t)json_integer_value(json_array_get(offsets, 1));
        if (end > m->size - m->data || begin > end || end - begin != 2 * (uint64_t)(rows * columns))
            fail("%s: its bytes %llu to %llu are not in the file", name, (unsigned long long)begin,
                 (unsigned long long)end);
        return (weight){ m->bytes + m->data + begin, { rows, columns } };
    }
    fail("the checkpoint has no %s", name);
}

uint64_t checkpoint_bytes(const checkpoint *c)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < c->count; i++)
        bytes += c->files[i].size - c->files[i].data;
    return bytes;
}

void checkpoint_close(checkpoint *c)
{
    for (size_t i = 0; i < c->count; i++) {
        json_decref(c->files[i].header);
        munmap((void *)(uintptr_t)c->files[i].bytes, c->files[i].size);
    }
    free(c->files);
    free(c);
}
