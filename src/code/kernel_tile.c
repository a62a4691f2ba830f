// Tile kernels of an object: their signatures, and the handles of their entries.
#include "kernel_tile.h"

#include "device/context.h"
#include "cubin.h"
#include "fatbin.h"
#include "base/name_set.h"
#include "device/intern.h"
#include "object.h"
#include "ptx_signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SYMBOL_BYTES = 512,  // a signature's name
    COMMON_BYTES = 4096, // signatures are seldom longer
};

// Bytes of a signature: borrowed from the code, or an owned copy.
struct found {
    const unsigned char *at;
    size_t count;
    bool no_memory; // memory ran out, so the signature may still exist
    unsigned char *copy;
    unsigned char common[COMMON_BYTES];
};

static bool find_in_ptx(struct found *f, const char *text, size_t bytes, const char *symbol)
{
    if (!cuc__ptx_bytes(text, bytes, symbol, f->common, sizeof(f->common), &f->count))
        return false;
    f->at = f->common;
    if (f->count > sizeof(f->common)) {
        f->at = f->copy = malloc(f->count);
        f->no_memory |= !f->copy;
        return f->copy && cuc__ptx_bytes(text, bytes, symbol, f->copy, f->count, &f->count);
    }
    return true;
}

static bool find_in_entry(struct found *f, const struct cuc__fatbin_entry *e, const char *symbol)
{
    if (e->kind == CUC__FATBIN_PTX)
        return find_in_ptx(f, e->data, e->bytes, symbol);
    return e->kind == CUC__FATBIN_CUBIN &&
           cuc__cubin_variable(&f->at, &f->count, e->data, e->bytes, symbol);
}

static bool find_in_fatbin(struct found *f, const char *data, size_t bytes, const char *symbol)
{
    struct cuc__fatbin fatbin;
    struct cuc__fatbin_entry e;
    bool found = cuc__fatbin_open(&fatbin, data, bytes);

    while (found && cuc__fatbin_next(&fatbin, &e)) {
        char *unpacked = NULL;
        if (e.lz4 || e.zstd) {
            const enum cuc__fatbin_result result = cuc__fatbin_unpack(&unpacked, &e);
            f->no_memory |= result == CUC__FATBIN_NO_MEMORY;
            if (result)
                continue;
        }
        if (unpacked) {
            e.data = unpacked;
            e.bytes = e.full_bytes;
        }
        bool here = find_in_entry(f, &e, symbol);
        if (here && e.kind == CUC__FATBIN_CUBIN)
            f->copy = (unsigned char *)unpacked; // the unpacked entry contains the bytes found
        else
            free(unpacked);
        if (here)
            return true;
    }
    return false;
}

static bool find_in_own_ptx(struct found *f, cuc_object *object, const char *symbol)
{
    struct cuc__ptx at;

    const enum cuc__ptx_found found = cuc__object_ptx_array(&at, object, symbol);
    f->no_memory = found == CUC__PTX_NO_MEMORY;
    return found == CUC__PTX_FOUND && find_in_ptx(f, at.at, (size_t)(at.end - at.at), symbol);
}

static bool find(struct found *f, cuc_object *object, const char *name)
{
    char symbol[SYMBOL_BYTES];

    if (snprintf(symbol, sizeof(symbol), TILE_SIGNATURE_PREFIX "%s", name) >= (int)sizeof(symbol))
        return false;
    if (object->ptx)
        return find_in_own_ptx(f, object, symbol);
    if (object->kind == CUC_CODE_CUBIN)
        return cuc__cubin_variable(&f->at, &f->count, object->code, object->bytes, symbol);
    return object->kind == CUC_CODE_FATBIN &&
           find_in_fatbin(f, object->code, object->bytes, symbol);
}

cuc_status cuc__tile_signature_of(struct tile_signature **out, cuc_object *object, const char *name,
                                  const char *function)
{
    struct found f = { .at = NULL };
    char why[128];

    if (!find(&f, object, name))
        return f.no_memory ? cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                                       "no host memory to look for the tile kernel %s", name)
                           : CUC_ERROR_NOT_FOUND;
    *out = tile_signature_read(f.at, f.count, why, sizeof(why));
    free(f.copy);
    if (*out)
        return CUC_OK;
    return *why ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                            "the signature of the tile kernel %s is damaged (%s): compile the "
                            "program again",
                            name, why)
                : cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                            "no host memory for the signature of the tile kernel %s", name);
}

// The tile kernels of an object by their signatures; each part of its code is read once.
struct tile_names {
    struct cuc__name_set set;
    bool no_memory;
};

static bool add_tile_name(void *user, const char *name, size_t bytes)
{
    struct tile_names *tiles = user;
    char text[SYMBOL_BYTES];

    if (!bytes || bytes >= sizeof(text))
        return true;
    memcpy(text, name, bytes);
    text[bytes] = '\0';
    if (cuc__name_set_find(&tiles->set, text, bytes))
        return true;
    const char *kept = cuc__intern(text);
    tiles->no_memory = !kept || !cuc__name_set_add(&tiles->set, kept, bytes, 0);
    if (tiles->no_memory && kept)
        cuc__intern_release(kept);
    return !tiles->no_memory;
}

static void add_from_ptx(struct tile_names *tiles, const char *text, size_t bytes)
{
    const size_t prefix = sizeof(TILE_SIGNATURE_PREFIX) - 1;
    struct cuc__ptx ptx = { text, text + bytes };
    const char *name;
    size_t length;

    while (cuc__ptx_next_bytes(&ptx, &name, &length))
        if (length > prefix && memcmp(name, TILE_SIGNATURE_PREFIX, prefix) == 0 &&
            !add_tile_name(tiles, name + prefix, length - prefix))
            return;
}

static void add_from_fatbin(struct tile_names *tiles, const char *data, size_t bytes)
{
    struct cuc__fatbin fatbin;
    struct cuc__fatbin_entry e;

    if (!cuc__fatbin_open(&fatbin, data, bytes))
        return;
    while (!tiles->no_memory && cuc__fatbin_next(&fatbin, &e)) {
        char *unpacked = NULL;
        if (e.lz4 || e.zstd) {
            enum cuc__fatbin_result result = cuc__fatbin_unpack(&unpacked, &e);
            tiles->no_memory |= result == CUC__FATBIN_NO_MEMORY;
            if (result)
                continue;
            e.data = unpacked;
            e.bytes = e.full_bytes;
        }
        if (e.kind == CUC__FATBIN_PTX)
            add_from_ptx(tiles, e.data, e.bytes);
        else if (e.kind == CUC__FATBIN_CUBIN)
            cuc__cubin_each_symbol(e.data, e.bytes, TILE_SIGNATURE_PREFIX, add_tile_name, tiles);
        free(unpacked);
    }
}

static void find_tile_names(struct tile_names *tiles, const cuc_object *object)
{
    if (object->ptx)
        add_from_ptx(tiles, object->ptx, object->ptx_bytes);
    else if (object->kind == CUC_CODE_CUBIN)
        cuc__cubin_each_symbol(object->code, object->bytes, TILE_SIGNATURE_PREFIX, add_tile_name,
                               tiles);
    else if (object->kind == CUC_CODE_FATBIN)
        add_from_fatbin(tiles, object->code, object->bytes);
}

bool cuc__tile_kernel_names(const cuc_object *object, const char **names, size_t *count)
{
    struct tile_names tiles = { .no_memory = false };
    struct cuc__name_set seen = { .slot = NULL };
    size_t n = 0;

    find_tile_names(&tiles, object);
    bool memory = !tiles.no_memory;
    for (size_t i = 0; i < *count; i++) {
        const char *name = names[i], *kept;
        const char *end = strchr(name, '$'); // names in a tile program contain no $
        const struct cuc__name *tile =
            end ? cuc__name_set_find(&tiles.set, name, (size_t)(end - name)) : NULL;
        if (tile && (kept = cuc__intern(tile->text)) != NULL) {
            cuc__intern_release(name);
            name = kept;
        }
        if (cuc__name_set_find(&seen, name, strlen(name))) {
            cuc__intern_release(name);
            continue;
        }
        memory = memory && cuc__name_set_add(&seen, name, strlen(name), 0);
        names[n++] = name;
    }
    for (size_t i = 0; i < tiles.set.slots; i++)
        cuc__intern_release(tiles.set.slot[i].text);
    cuc__name_set_free(&seen);
    cuc__name_set_free(&tiles.set);
    *count = n;
    return memory;
}

void cuc__tile_kernel_free(struct cuc__tile_kernel *tile)
{
    if (!tile)
        return;
    for (uint32_t i = 0; i < TILE_VARIANTS; i++)
        cuc_kernel_release(tile->entry[i]);
    tile_signature_free(tile->signature);
    free(tile);
}

static void fill_parameters(struct cuc__tile_kernel *tile)
{
    const struct tile_kernel *k = tile->signature->kernel;
    uint32_t at[TILE_MAX_PARAMETERS];

    tile_parameter_layout(k, at);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct tile_type *type = &k->parameter[i].value->type;
        tile->parameters[i] = (struct cuc__parameter){
            .offset = at[i],
            .bytes = type->tensor ? 8u + 16u * type->rank : cuc_dtype_bits(type->dtype) / 8,
            .type = type->tensor                                       ? CUC__PARAMETER_ANY
                    : type->dtype <= CUC_U64                           ? CUC__PARAMETER_INT
                    : type->dtype == CUC_F32 || type->dtype == CUC_F64 ? CUC__PARAMETER_FLOAT
                                                                       : CUC__PARAMETER_ANY,
        };
    }
}

static cuc_status open_entries(struct cuc__tile_kernel *tile, cuc_object *object, const char *name)
{
    const struct tile_signature *s = tile->signature;

    for (uint32_t i = 0; i < s->entries; i++) {
        cuc_status st = cuc_object_get_kernel(&tile->entry[i], object, s->entry[i].name);
        if (st < 0)
            return st;
        cuc__intern_release(tile->entry[i]->name);
        tile->entry[i]->name = cuc__intern(name); // for messages; interned already, so cannot fail
    }
    return CUC_OK;
}

cuc_status cuc__tile_kernel_get(cuc_kernel **out, cuc_object *object, const char *name,
                                const char *function)
{
    struct tile_signature *signature = NULL;
    cuc_status st = cuc__tile_signature_of(&signature, object, name, function);

    if (st < 0)
        return st;
    struct cuc__tile_kernel *tile = calloc(1, sizeof(*tile));
    cuc_kernel *kernel = calloc(1, sizeof(*kernel));
    const char *kept = cuc__intern(name);
    if (!tile || !kernel || !kept) {
        free(kernel);
        free(tile);
        tile_signature_free(signature);
        cuc__intern_release(kept);
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the tile kernel %s",
                         name);
    }
    tile->signature = signature;
    if ((st = open_entries(tile, object, kept)) < 0) {
        free(kernel);
        cuc__tile_kernel_free(tile);
        cuc__intern_release(kept);
        return st;
    }
    fill_parameters(tile);
    cuc__handle_init(kernel, CUC__HANDLE_KERNEL);
    kernel->handle = tile->entry[0]->handle;
    kernel->name = kernel->symbol = kept;
    kernel->parameters_known = true;
    kernel->parameter_count = signature->kernel->parameter_count;
    kernel->common_count = SIZE_MAX; // forces every launch onto the slow path, which finds `tile`
    kernel->parameters = tile->parameters;
    kernel->limits = tile->entry[0]->limits;
    kernel->object = cuc__handle_retain(object);
    kernel->tile = tile;
    *out = kernel;
    return CUC_OK;
}
