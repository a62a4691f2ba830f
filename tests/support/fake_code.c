// Code in the fake driver: kernel names, host functions that imitate the kernels, and variables.
#include "base/array.h"
#include "code/fatbin.h"
#include "fake_internal.h"

#include "sim/machine/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char sim_linked[] = "linked by nobody";

// ---- Host functions of kernels, by name. Entries are never removed, since kernels point to them.

struct slot {
    struct slot *next;
    char *name;
    fake_kernel_fn fn;
};

static struct slot *slots[16384];

fake_kernel_fn *fake_kernel_slot(const char *name)
{
    struct slot **bucket = &slots[sim_index_name(name) % CUC_LENGTH(slots)];

    for (struct slot *s = *bucket; s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return &s->fn;
    struct slot *s = sim_alloc(sizeof(*s));
    s->name = strcpy(sim_alloc(strlen(name) + 1), name);
    s->next = *bucket;
    *bucket = s;
    return &s->fn;
}

bool fake_any_kernel_defined(void)
{
    for (size_t i = 0; i < CUC_LENGTH(slots); i++)
        for (const struct slot *s = slots[i]; s; s = s->next)
            if (s->fn)
                return true;
    return false;
}

void fake_kernels_forget(void)
{
    for (size_t i = 0; i < CUC_LENGTH(slots); i++)
        for (struct slot *s = slots[i]; s; s = s->next)
            s->fn = NULL;
}

CUresult sim_image_text(const void *image, size_t bytes, char **out, char *log, size_t log_bytes)
{
    static const char elf[] = "\x7f"
                              "ELF",
                      fatbin[] = "\x50\xed\x55\xba", wrapper[] = "\xb1\x43\x62\x46";

    *out = NULL;
    if (bytes < 4 || strnlen(image, 4) < 4 ||
        (memcmp(image, elf, 4) != 0 && memcmp(image, fatbin, 4) != 0 &&
         memcmp(image, wrapper, 4) != 0))
        return CUDA_SUCCESS;
    // Takes the first PTX of a fat binary, for every device.
    struct cuc__fatbin fat;
    struct cuc__fatbin_entry e;
    const size_t most = bytes == SIM_UNKNOWN_BYTES ? UINTPTR_MAX - (uintptr_t)image : bytes;
    if (cuc__fatbin_open(&fat, image, most))
        while (cuc__fatbin_next(&fat, &e))
            if (e.kind == CUC__FATBIN_PTX && cuc__fatbin_unpack(out, &e) == CUC__FATBIN_OK)
                return CUDA_SUCCESS;
    snprintf(log, log_bytes, "the fake driver loads PTX and no machine code");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult sim_code_load(struct library *library, const char *text, char *log, size_t log_bytes)
{
    return fake_ptx_scan(library, text, log, log_bytes);
}

CUresult sim_code_check(const char *text, char *log, size_t log_bytes)
{
    struct library *library = sim_library_new();
    CUresult code = fake_ptx_scan(library, text, log, log_bytes);

    sim_library_end(library);
    return code;
}

void sim_code_end(struct library *library)
{
    struct variable *next;

    for (struct variable *v = library->code; v; v = next) {
        next = v->next;
        for (int i = 0; i < SIM_DEVICES; i++) {
            struct allocation *a = sim_find(v->address[i]);
            if (a)
                sim_free(a, "the unloading of their module");
        }
        free(v->initial);
        free(v->name);
        free(v);
    }
}

void sim_code_leave(struct library *library, struct context *context)
{
    (void)library;
    (void)context; // nothing to do: the context frees the library's variables
}

CUresult sim_code_variable(struct library *library, struct context *c, const char *name,
                           bool managed, CUdeviceptr *ptr, size_t *bytes)
{
    struct variable *v = library->code;

    while (v && (strcmp(v->name, name) != 0 || v->hidden))
        v = v->next;
    if (!v || (managed && !v->managed))
        return CUDA_ERROR_NOT_FOUND;
    CUdeviceptr *at = &v->address[v->managed ? 0 : c->device];
    if (!sim_find(*at)) { // the first time, or its context is gone
        struct allocation *a = sim_allocate(v->bytes ? v->bytes : 1, MEMORY_VARIABLE, c->device);
        if (!a)
            return CUDA_ERROR_OUT_OF_MEMORY;
        a->context = c;
        memcpy((void *)(uintptr_t)a->base, v->initial, v->bytes);
        *at = a->base;
    }
    if (ptr)
        *ptr = *at;
    if (bytes)
        *bytes = v->bytes;
    return CUDA_SUCCESS;
}
