#include "object.h"

#include "base/array.h"
#include "base/file.h"
#include "base/new_file.h"
#include "device/intern.h"
#include "base/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void destroy(cuc_object *object)
{
    if (object->ptx != object->code)
        free(object->ptx);
    cuc__object_free_parts(object);
    free(object->code);
    free(object->name);
    free(object->log);
    free(object->names);
    free(object->logs);
    for (size_t i = 0; i < object->kernel_count; i++)
        cuc__intern_release(object->kernel_names[i]);
    free(object->kernel_names);
    cuc__kernel_facts_free(object->facts);
    cuc__name_set_free(&object->facts_named);
    cuc__name_set_free(&object->symbols);
    cuc__ptx_index_free(&object->ptx_index);
    pthread_mutex_destroy(&object->lock);
    cuc__handle_free(object);
}

// Copies code and appends a NUL. Drops NULs at the end of PTX.
static char *copy_code(const void *data, size_t *bytes, bool text)
{
    while (text && *bytes && !((const char *)data)[*bytes - 1])
        --*bytes;
    char *copy = malloc(*bytes + 1);
    if (copy) {
        memcpy(copy, data, *bytes);
        copy[*bytes] = '\0';
    }
    return copy;
}

static bool copy_text(char **out, const char *text)
{
    *out = text && *text ? strdup(text) : NULL;
    return *out || !text || !*text;
}

// Copies the pairs and their strings into one block.
static cuc_object_mapping *copy_names(const char *const (*names)[2], size_t count)
{
    size_t bytes = count * sizeof(cuc_object_mapping);

    for (size_t i = 0; i < count; i++)
        bytes += strlen(names[i][0]) + strlen(names[i][1]) + 2;
    cuc_object_mapping *copy = malloc(bytes);
    if (!copy)
        return NULL;
    char *text = (char *)(copy + count);
    for (size_t i = 0; i < count; i++) {
        copy[i].expression = text;
        text = stpcpy(text, names[i][0]) + 1;
        copy[i].symbol = text;
        text = stpcpy(text, names[i][1]) + 1;
    }
    return copy;
}

static bool index_names(cuc_object *object)
{
    for (size_t i = 0; i < object->name_count; i++) {
        const cuc_object_mapping *m = &object->names[i];
        if (!cuc__name_set_add(&object->symbols, m->expression, strlen(m->expression),
                               (uintptr_t)m->symbol))
            return false;
    }
    return true;
}

cuc_status cuc__object_create(cuc_object **out, int32_t kind, const void *code, size_t bytes,
                              const void *ptx, size_t ptx_bytes, const char *name,
                              const char *const (*names)[2], size_t name_count, const char *log,
                              const char *function)
{
    cuc_status st;

    if ((st = cuc__code_check(kind, code, bytes, function)) < 0)
        return st;
    if (!ptx_bytes)
        ptx = NULL;
    if (ptx && (st = cuc__code_check(CUC_CODE_PTX, ptx, ptx_bytes, function)) < 0)
        return st;

    cuc_object *object = calloc(1, sizeof(*object));
    if (!object)
        goto no_memory;
    cuc__handle_init(object, CUC__HANDLE_OBJECT);
    pthread_mutex_init(&object->lock, NULL);
    atomic_init(&object->library, NULL);
    object->kind = kind;
    object->bytes = bytes;
    object->ptx_bytes = ptx_bytes;
    object->name_count = name_count;
    if (!(object->code = copy_code(code, &object->bytes, kind == CUC_CODE_PTX)) ||
        (ptx && !(object->ptx = copy_code(ptx, &object->ptx_bytes, true))) ||
        (name_count && !(object->names = copy_names(names, name_count))) || !index_names(object) ||
        !copy_text(&object->name, name) || !copy_text(&object->log, log)) {
        if (cuc__handle_drop(object, CUC__HANDLE_OBJECT))
            destroy(object);
        goto no_memory;
    }
    if (kind == CUC_CODE_PTX) {
        free(object->ptx);
        object->ptx = object->code;
        object->ptx_bytes = object->bytes;
    }
    if (object->ptx)
        object->ptx_index.rest = (struct cuc__ptx){ object->ptx, object->ptx + object->ptx_bytes };
    *out = object;
    return CUC_OK;

no_memory:
    return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                     "no host memory for an object of %zu bytes of %s", bytes, cuc_code_name(kind));
}

// Creates an object after checking the user's data.
static cuc_status create(cuc_object **out, int32_t kind, const void *data, size_t bytes,
                         const cuc_object_options *o, const char *name, const char *function)
{
    if (o->ptx && kind == CUC_CODE_PTX)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "options.ptx is given, but the code itself is PTX: leave it NULL");
    if (!o->ptx != !o->ptx_bytes)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "options.ptx is %s and ptx_bytes is %zu: give both or neither",
                         o->ptx ? "given" : "NULL", o->ptx_bytes);
    if (o->name_count && !o->names)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "options.name_count is %zu and names is NULL", o->name_count);
    for (size_t i = 0; i < o->name_count; i++)
        if (!o->names[i].expression || !o->names[i].symbol)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "options.names[%zu].%s is NULL",
                             i, o->names[i].expression ? "symbol" : "expression");

    // A mapping consists of the same two strings as a pair, in the same order.
    _Static_assert(sizeof(cuc_object_mapping) == sizeof(const char *[2]), "no padding");
    return cuc__object_create(out, kind, data, bytes, o->ptx, o->ptx_bytes, name,
                              (const char *const(*)[2])(uintptr_t)o->names, o->name_count, NULL,
                              function);
}

void cuc_object_options_init(cuc_object_options *options, size_t struct_size)
{
    cuc__init_options(options, struct_size);
}

cuc_status cuc_object_create(cuc_object **out, int32_t kind, const void *data, size_t bytes,
                             const cuc_object_options *options)
{
    cuc_object_options o;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_object_options)) < 0)
        return st;
    return create(out, kind, data, bytes, &o, o.name, __func__);
}

// Reads a file. Opening a folder succeeds, but reading it fails.
cuc_status cuc__file_read(char **out, size_t *bytes, const char *path, const char *function)
{
    int fd = cuc__open(path, O_RDONLY);
    size_t used;

    if (fd < 0)
        return cuc__fail(errno == ENOENT || errno == ENOTDIR ? CUC_ERROR_NOT_FOUND : CUC_ERROR_IO,
                         function, "%s cannot be opened: %s", path, strerror(errno));
    int error = cuc__read_to_end(out, &used, fd, SIZE_MAX);
    close(fd);
    if (error == ENOMEM)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for %zu bytes of %s",
                         used, path);
    if (error)
        return cuc__fail(CUC_ERROR_IO, function, "%s cannot be read: %s", path, strerror(error));
    *bytes = used;
    return CUC_OK;
}

cuc_status cuc_object_from_file(cuc_object **out, const char *path, int32_t kind,
                                const cuc_object_options *options)
{
    cuc_object_options o;
    cuc_status st;
    char *data = NULL;
    size_t bytes = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(path);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_object_options)) < 0 ||
        (st = cuc__file_read(&data, &bytes, path, __func__)) < 0)
        return st;

    if (!kind && !bytes)
        st = CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "%s is empty", path);
    else if (!kind && !(kind = cuc__code_guess(data, bytes)))
        st = CUC_FAIL(
            CUC_ERROR_INVALID_ARGUMENT,
            "%s (%zu bytes) is not recognized as object code: expected an ELF file, an archive, a "
            "fat binary, LTO code or PTX with a .version directive; state the kind if you know it",
            path, bytes);
    else if ((st = create(out, kind, data, bytes, &o, o.name ? o.name : path, __func__)) < 0)
        cuc__error_note("the data is from %s", path);
    free(data);
    return st;
}

cuc_status cuc_object_save(const cuc_object *object, const char *path)
{
    CUC_CHECK(object, OBJECT);
    CUC_CHECK_NOT_NULL(path);

    int error = cuc__write_file(path, object->code, object->bytes);
    if (error)
        return CUC_FAIL(CUC_ERROR_IO, "%zu bytes of %s cannot be written to %s: %s", object->bytes,
                        cuc_code_name(object->kind), path, strerror(error));
    return CUC_OK;
}

cuc_object *cuc_object_retain(cuc_object *object)
{
    return cuc__handle_retain(object);
}

void cuc_object_release(cuc_object *object)
{
    if (!cuc__handle_drop(object, CUC__HANDLE_OBJECT))
        return;
    cuc__object_unload(object);
    destroy(object);
}

static bool good(const cuc_object *object)
{
    return cuc__handle_is_valid(object, CUC__HANDLE_OBJECT);
}

int32_t cuc_object_kind(const cuc_object *object)
{
    return good(object) ? object->kind : 0;
}

const char *cuc_object_name(const cuc_object *object)
{
    return good(object) && object->name ? object->name : "";
}

const char *cuc_object_log(const cuc_object *object)
{
    return good(object) && object->log ? object->log : "";
}

enum cuc__ptx_found cuc__object_ptx_entry(struct cuc__ptx *at, cuc_object *object,
                                          const char *symbol)
{
    pthread_mutex_lock(&object->lock);
    const enum cuc__ptx_found found = cuc__ptx_index_entry(&object->ptx_index, symbol, at);
    pthread_mutex_unlock(&object->lock);
    return found;
}

enum cuc__ptx_found cuc__object_ptx_array(struct cuc__ptx *at, cuc_object *object,
                                          const char *symbol)
{
    pthread_mutex_lock(&object->lock);
    const enum cuc__ptx_found found = cuc__ptx_index_array(&object->ptx_index, symbol, at);
    pthread_mutex_unlock(&object->lock);
    return found;
}

cuc_status cuc_object_get_code(const void **data, size_t *bytes, const cuc_object *object)
{
    CUC_CHECK_NOT_NULL(data);
    CUC_CHECK_NOT_NULL(bytes);
    CUC_CHECK(object, OBJECT);
    *data = object->code;
    *bytes = object->bytes;
    return CUC_OK;
}

cuc_status cuc_object_get_ptx(const char **text, size_t *bytes, const cuc_object *object)
{
    CUC_CHECK_NOT_NULL(text);
    CUC_CHECK(object, OBJECT);
    if (!object->ptx)
        return CUC_FAIL(CUC_ERROR_NOT_FOUND,
                        "the object is a %s with no PTX beside it: compile for an architecture "
                        "with cuc_program_compile(), which keeps both, or give the PTX in "
                        "cuc_object_options",
                        cuc_code_name(object->kind));
    *text = object->ptx;
    if (bytes)
        *bytes = object->ptx_bytes;
    return CUC_OK;
}

size_t cuc_object_mapping_count(const cuc_object *object)
{
    return good(object) ? object->name_count : 0;
}

cuc_status cuc_object_get_mapping(cuc_object_mapping *out, const cuc_object *object, size_t index)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(object, OBJECT);
    if (index >= object->name_count)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "index is %zu, the object maps %zu names",
                        index, object->name_count);
    *out = object->names[index];
    return CUC_OK;
}
