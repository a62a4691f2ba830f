// Tile kernels of an object: their signatures and the handles of their entries.
#include "kernel_tile.h"

#include "device/context.h"
#include "base/array.h"
#include "cubin.h"
#include "fatbin.h"
#include "base/name_set.h"
#include "base/zstd.h"
#include "device/intern.h"
#include "object.h"
#include "ptx_signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SYMBOL_BYTES = 512,  // a signature's symbol name
    COMMON_BYTES = 4096, // signatures are rarely longer
};

// The bytes of a signature, either borrowed from the code or in an owned copy.
struct found {
    const unsigned char *at;
    size_t count;
    bool no_memory; // memory ran out, so the signature may still exist
    bool no_zstd;   // part of the code cannot be read without libzstd
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

// Looks for a signature in one member of a fat binary, and unpacks the member if necessary. The
// bytes found may lie in the unpacked copy.
static bool find_in_member(struct found *f, struct cuc__fatbin_entry e, const char *symbol)
{
    char *unpacked = NULL;

    if (e.lz4 || e.zstd) {
        const enum cuc__fatbin_result result = cuc__fatbin_unpack(&unpacked, &e);
        f->no_memory |= result == CUC__FATBIN_NO_MEMORY;
        f->no_zstd |= result == CUC__FATBIN_NO_ZSTD;
        if (result)
            return false;
        e.data = unpacked;
        e.bytes = e.full_bytes;
    }
    bool found = find_in_entry(f, &e, symbol);
    if (found && e.kind == CUC__FATBIN_CUBIN)
        f->copy = (unsigned char *)unpacked;
    else
        free(unpacked);
    return found;
}

static bool find_in_fatbin(struct found *f, const char *data, size_t bytes, const char *symbol)
{
    struct cuc__fatbin fatbin;
    struct cuc__fatbin_entry e;

    if (!cuc__fatbin_open(&fatbin, data, bytes))
        return false;
    while (cuc__fatbin_next(&fatbin, &e))
        if (find_in_member(f, e, symbol))
            return true;
    return false;
}

static bool find_in_own_ptx(struct found *f, cuc_object *object, const char *symbol)
{
    struct cuc__ptx at;

    const enum cuc__ptx_found found = cuc__object_ptx_array(&at, object, symbol);
    f->no_memory = found == CUC__PTX_NO_MEMORY;
    return found == CUC__PTX_FOUND && find_in_ptx(f, at.at, (size_t)(at.end - at.at), symbol);
}

static bool symbol_of(char symbol[SYMBOL_BYTES], const char *name)
{
    return snprintf(symbol, SYMBOL_BYTES, TILE_SIGNATURE_PREFIX "%s", name) < SYMBOL_BYTES;
}

static bool find(struct found *f, cuc_object *object, const char *name)
{
    char symbol[SYMBOL_BYTES];

    if (!symbol_of(symbol, name))
        return false;
    if (object->ptx)
        return find_in_own_ptx(f, object, symbol);
    if (object->kind == CUC_CODE_CUBIN)
        return cuc__cubin_variable(&f->at, &f->count, object->code, object->bytes, symbol);
    return object->kind == CUC_CODE_FATBIN &&
           find_in_fatbin(f, object->code, object->bytes, symbol);
}

static cuc_status fail_not_found(const struct found *f, const char *name, const char *function)
{
    if (f->no_memory)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory to look for the tile kernel %s", name);
    if (f->no_zstd)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "the code that may have the tile kernel %s " CUC__ZSTD_REMEDY, name);
    return CUC_ERROR_NOT_FOUND;
}

// Parses the signature and frees the copy of its bytes.
static cuc_status read_signature(struct tile_signature **out, struct found *f, const char *name,
                                 const char *function)
{
    char why[128];
    struct tile_signature *signature = tile_signature_read(f->at, f->count, why, sizeof(why));

    free(f->copy);
    f->copy = NULL;
    if (!signature)
        return *why ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                                "the signature of the tile kernel %s is damaged (%s): compile the "
                                "program again",
                                name, why)
                    : cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                                "no host memory for the signature of the tile kernel %s", name);
    *out = signature;
    return CUC_OK;
}

cuc_status cuc__tile_signature_of(struct tile_signature **out, cuc_object *object, const char *name,
                                  const char *function)
{
    struct found f = { .at = NULL };

    return find(&f, object, name) ? read_signature(out, &f, name, function)
                                  : fail_not_found(&f, name, function);
}

// The tile kernels of an object, found by their signatures. Building the set reads each part of the
// code once.
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
        const char *end = strchr(name, '$'); // a name in a tile program contains no $
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

static void free_code(struct cuc__tile_code *code)
{
    for (uint32_t i = 0; i < TILE_VARIANTS; i++)
        cuc_kernel_release(code->entry[i]);
    tile_signature_free(code->signature);
}

void cuc__tile_kernel_free(struct cuc__tile_kernel *tile)
{
    if (!tile)
        return;
    for (uint32_t i = 0; i < tile->code_count; i++)
        free_code(&tile->code[i]);
    free(tile->code);
    free(tile->of_device);
    free(tile);
}

static void fill_parameters(struct cuc__tile_kernel *tile)
{
    const struct tile_kernel *k = tile->code->signature->kernel;
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

// Opens an entry under the name of the tile kernel.
static cuc_status open_entry(cuc_kernel **out, cuc_object *object, const char *symbol,
                             const char *name)
{
    cuc_object *part;
    cuc_status st = cuc__object_get_part(&part, object, symbol, "cuc_object_get_kernel");

    if (st < 0 || (st = cuc_object_get_kernel(out, part, symbol)) < 0)
        return st;
    cuc__intern_release((*out)->name);
    (*out)->name = cuc__intern(name); // for messages; the name is already interned, so this cannot
                                      // fail
    return CUC_OK;
}

static cuc_status open_entries(struct cuc__tile_code *code, cuc_object *object, const char *name)
{
    const struct tile_signature *s = code->signature;
    uint32_t count = object->part_count ? 1 : s->entries;

    for (uint32_t i = 0; i < count; i++) {
        cuc_kernel *entry;
        cuc_status st = open_entry(&entry, object, s->entry[i].name, name);
        if (st < 0)
            return st;
        atomic_init(&code->entry[i], entry);
    }
    return CUC_OK;
}

cuc_status cuc__tile_kernel_open(cuc_kernel **out, struct cuc__tile_code *code, uint32_t number,
                                 const cuc_kernel *kernel)
{
    const char *symbol = code->signature->entry[number].name;
    cuc_kernel *opened, *others = NULL;
    cuc_status st = open_entry(&opened, kernel->object, symbol, kernel->name);

    if (st < 0)
        return st;
    if (!atomic_compare_exchange_strong(&code->entry[number], &others, opened)) {
        cuc_kernel_release(opened);
        opened = others;
    }
    *out = opened;
    return CUC_OK;
}

static cuc_status fail_memory(const char *name, const char *function)
{
    return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the tile kernel %s",
                     name);
}

// Adds the compiled code that the signature describes.
static cuc_status add_code(struct cuc__tile_kernel *tile, struct found *f, cuc_object *object,
                           const char *name, const char *function)
{
    size_t capacity = tile->code_count;
    struct tile_signature *signature = NULL;
    cuc_status st = read_signature(&signature, f, name, function);

    if (st < 0)
        return st;
    if (!CUC_RESERVE(tile->code, capacity, tile->code_count + 1)) {
        tile_signature_free(signature);
        return fail_memory(name, function);
    }
    struct cuc__tile_code *code = &tile->code[tile->code_count++];
    *code = (struct cuc__tile_code){ .signature = signature };
    return open_entries(code, object, name);
}

static const uint32_t no_member = UINT32_MAX;

// Finds, for each device, the index of the fat binary member that the driver loads there.
static cuc_status choose_members(uint32_t *member, uint32_t devices, const cuc_object *object,
                                 const char *function)
{
    bool simulated = cuc__driver_simulated();

    for (uint32_t i = 0; i < devices; i++) {
        struct cuc__fatbin fatbin;
        struct cuc__fatbin_entry e, best = { .kind = 0 };
        cuc_device *device;
        cuc_status st = cuc_device_get(&device, (int32_t)i);

        if (st < 0)
            return cuc__pass(st, function);
        member[i] = no_member;
        if (!cuc__fatbin_open(&fatbin, object->code, object->bytes))
            continue;
        for (uint32_t n = 0; cuc__fatbin_next(&fatbin, &e); n++) {
            if ((e.kind != CUC__FATBIN_CUBIN || simulated) && e.kind != CUC__FATBIN_PTX)
                continue;
            if (cuc__fatbin_runs(&e, (unsigned)(10 * device->major + device->minor)) &&
                (!best.kind || cuc__fatbin_worth(&e) > cuc__fatbin_worth(&best))) {
                best = e;
                member[i] = n;
            }
        }
    }
    return CUC_OK;
}

// Adds the code of member `n` if any device loads it, and records the index of that code for each
// such device.
static cuc_status add_member(struct cuc__tile_kernel *tile, const struct cuc__fatbin_entry *e,
                             uint32_t n, const uint32_t *member, struct found *f,
                             cuc_object *object, const char *name, const char *function)
{
    char symbol[SYMBOL_BYTES];
    bool wanted = false;

    for (uint32_t i = 0; i < tile->device_count; i++)
        wanted |= member[i] == n;
    if (!wanted || !symbol_of(symbol, name) || !find_in_member(f, *e, symbol))
        return CUC_OK;
    const uint32_t number = tile->code_count;
    cuc_status st = add_code(tile, f, object, name, function);
    for (uint32_t i = 0; st == CUC_OK && i < tile->device_count; i++)
        if (member[i] == n)
            tile->of_device[i] = number;
    return st;
}

// Adds the code of every fat binary member that a device loads.
static cuc_status add_from_members(struct cuc__tile_kernel *tile, struct found *f,
                                   cuc_object *object, const char *name, const char *function)
{
    struct cuc__fatbin fatbin;
    struct cuc__fatbin_entry e;
    int32_t devices = 0;
    cuc_status st = cuc_device_get_count(&devices);

    if (st < 0)
        return cuc__pass(st, function);
    uint32_t *member = calloc((size_t)devices + 1, sizeof(*member));
    tile->of_device = calloc((size_t)devices + 1, sizeof(*tile->of_device));
    tile->device_count = (uint32_t)devices;
    if (!member || !tile->of_device)
        st = fail_memory(name, function);
    else
        st = choose_members(member, tile->device_count, object, function);
    if (st == CUC_OK && cuc__fatbin_open(&fatbin, object->code, object->bytes))
        for (uint32_t n = 0; st == CUC_OK && cuc__fatbin_next(&fatbin, &e); n++)
            st = add_member(tile, &e, n, member, f, object, name, function);
    free(member);
    return st;
}

static cuc_status add_all(struct cuc__tile_kernel *tile, cuc_object *object, const char *name,
                          const char *function)
{
    struct found f = { .at = NULL };
    cuc_status st = CUC_OK;

    if (object->kind == CUC_CODE_FATBIN)
        st = add_from_members(tile, &f, object, name, function);
    if (st < 0 || tile->code_count)
        return st;
    return find(&f, object, name) ? add_code(tile, &f, object, name, function)
                                  : fail_not_found(&f, name, function);
}

cuc_status cuc__tile_kernel_get(cuc_kernel **out, cuc_object *object, const char *name,
                                const char *function)
{
    struct cuc__tile_kernel *tile = calloc(1, sizeof(*tile));
    cuc_kernel *kernel = calloc(1, sizeof(*kernel));
    const char *kept = cuc__intern(name);
    cuc_status st = tile && kernel && kept ? add_all(tile, object, kept, function)
                                           : fail_memory(name, function);

    if (st < 0) {
        free(kernel);
        cuc__tile_kernel_free(tile);
        cuc__intern_release(kept);
        return st;
    }
    const struct cuc__tile_code *code = tile->code;
    fill_parameters(tile);
    cuc__handle_init(kernel, CUC__HANDLE_KERNEL);
    const cuc_kernel *first = code->entry[0];
    kernel->handle = first->handle;
    kernel->name = kernel->symbol = kept;
    kernel->parameters_known = true;
    kernel->parameter_count = code->signature->kernel->parameter_count;
    kernel->common_count = SIZE_MAX; // sends every launch to the slow path, which handles tile
                                     // kernels
    kernel->parameters = tile->parameters;
    kernel->limits = first->limits;
    kernel->object = cuc__handle_retain(object);
    kernel->tile = tile;
    *out = kernel;
    return CUC_OK;
}
