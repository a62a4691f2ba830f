// Libraries: loaded from PTX, with their variables.
#include "fake_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Options of the compiler in the driver.

bool fake_jit_options(struct jit_logs *logs, unsigned count, const CUjit_option *options,
                      void **values)
{
    *logs = (struct jit_logs){ 0 };
    for (unsigned i = 0; i < count; i++) {
        switch (options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
            logs->info = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            logs->info_bytes = (uintptr_t)values[i] & UINT32_MAX;
            logs->info_used = &values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER:
            logs->error = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            logs->error_bytes = (uintptr_t)values[i] & UINT32_MAX;
            logs->error_used = &values[i];
            break;
        case CU_JIT_WALL_TIME:
            logs->wall_time = &values[i];
            break;
        default:
            if (options[i] > CU_JIT_SPLIT_COMPILE)
                return false;
        }
    }
    return true;
}

static void write_log(char *buffer, size_t bytes, void **used, const char *text)
{
    size_t n = 0;

    if (buffer && bytes) {
        snprintf(buffer, bytes, "%s", text);
        n = strlen(buffer);
    }
    if (used)
        *used = (void *)(uintptr_t)(n ? n + 1 : 0);
}

void fake_jit_write(const struct jit_logs *logs, const char *info, const char *error)
{
    const float milliseconds = 0.25F;

    write_log(logs->info, logs->info_bytes, logs->info_used, info);
    write_log(logs->error, logs->error_bytes, logs->error_used, error);
    if (logs->wall_time) {
        *logs->wall_time = NULL;
        memcpy(logs->wall_time, &milliseconds, sizeof(milliseconds));
    }
}

// Libraries.

static void module_end(struct object *o, void *data)
{
    if (o->kind == KIND_MODULE && ((struct module *)o)->library == data) {
        fake_delist(o);
        free(o);
    }
}

void fake_library_end(struct library *library)
{
    struct kernel *next_kernel;
    struct variable *next_variable;

    fake_each(module_end, library);
    for (struct kernel *k = library->kernels; k; k = next_kernel) {
        next_kernel = k->next;
        while (k->functions)
            fake_function_end(k->functions);
        fake_delist(k);
        free(k->parameters);
        free(k->name);
        free(k);
    }
    for (struct variable *v = library->variables; v; v = next_variable) {
        next_variable = v->next;
        for (int i = 0; i < FAKE_DEVICES; i++) {
            struct allocation *a = fake_find(v->address[i]);
            if (a)
                fake_free(a);
        }
        free(v->initial);
        free(v->name);
        free(v);
    }
    fake_delist(library);
    free(library);
}

static CUresult load(CUlibrary *out, const char *text, const struct jit_logs *logs)
{
    static const char elf[] = "\x7f"
                              "ELF",
                      fatbin[] = "\x50\xed\x55\xba", wrapper[] = "\xb1\x43\x62\x46";
    char log[512];

    if (memcmp(text, elf, 4) == 0 || memcmp(text, fatbin, 4) == 0 ||
        memcmp(text, wrapper, 4) == 0) {
        fake_jit_write(logs, "", "the fake driver loads PTX and no machine code");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    struct library *l = fake_alloc(sizeof(*l));
    l->last_kernel = &l->kernels;
    fake_enlist(l, KIND_LIBRARY, NULL);
    CUresult code = fake_ptx_scan(l, text, log, sizeof(log));
    fake_jit_write(logs, code ? "" : "compiled by nobody", log);
    if (code) {
        fake_library_end(l);
        return code;
    }
    *out = FAKE_HANDLE(CUlibrary, l);
    return CUDA_SUCCESS;
}

static CUresult check_load(struct jit_logs *logs, CUjit_option *jit_options, void **jit_values,
                           unsigned jit_count, CUlibraryOption *library_options,
                           void **library_values, unsigned library_count)
{
    if ((jit_count && (!jit_options || !jit_values)) || (library_count && !library_options) ||
        !fake_jit_options(logs, jit_count, jit_options, jit_values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < library_count; i++) {
        if (library_options[i] > CU_LIBRARY_BINARY_IS_PRESERVED ||
            (library_options[i] == CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE &&
             !library_values))
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult fake_cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *jit_options,
                                void **jit_values, unsigned jit_count,
                                CUlibraryOption *library_options, void **library_values,
                                unsigned library_count)
{
    struct jit_logs logs;

    if (!library || !image)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = check_load(&logs, jit_options, jit_values, jit_count, library_options,
                               library_values, library_count);
    if (code)
        return code;
    // Shorter than a magic number and it is text, or nothing at all.
    char head[8] = { 0 };
    const char *text = image;
    size_t n = strnlen(text, 4);
    if (n < 4) {
        memcpy(head, text, n);
        text = head;
    }
    return load(library, text, &logs);
}

CUresult fake_cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options,
                                    void **jit_values, unsigned jit_count,
                                    CUlibraryOption *library_options, void **library_values,
                                    unsigned library_count)
{
    struct jit_logs logs;

    if (!library || !path)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = check_load(&logs, jit_options, jit_values, jit_count, library_options,
                               library_values, library_count);
    if (code)
        return code;
    FILE *file = fopen(path, "rb");
    if (!file)
        return CUDA_ERROR_FILE_NOT_FOUND;
    size_t bytes = 0, room = 4096;
    char *text = fake_alloc(room);
    size_t n;
    while ((n = fread(text + bytes, 1, room - bytes - 8, file)) > 0) {
        bytes += n;
        if (room - bytes <= 8) {
            char *grown = fake_alloc(2 * room);
            memcpy(grown, text, bytes);
            free(text);
            text = grown;
            room *= 2;
        }
    }
    fclose(file);
    memset(text + bytes, 0, 8);
    code = load(library, text, &logs);
    free(text);
    return code;
}

CUresult fake_cuLibraryUnload(CUlibrary library)
{
    struct library *l = fake_object(library, KIND_LIBRARY);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    fake_library_end(l);
    return CUDA_SUCCESS;
}

CUresult fake_cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    const struct library *l = fake_object(library, KIND_LIBRARY);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!kernel || !name)
        return CUDA_ERROR_INVALID_VALUE;
    for (const struct kernel *k = l->kernels; k; k = k->next) {
        if (strcmp(k->name, name) == 0) {
            *kernel = FAKE_HANDLE(CUkernel, k);
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult fake_cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
    const struct library *l = fake_object(library, KIND_LIBRARY);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = l->kernel_count;
    return CUDA_SUCCESS;
}

CUresult fake_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
    const struct library *l = fake_object(library, KIND_LIBRARY);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!kernels || count > l->kernel_count)
        return CUDA_ERROR_INVALID_VALUE;
    const struct kernel *k = l->kernels;
    for (unsigned i = 0; i < count; i++, k = k->next)
        kernels[i] = FAKE_HANDLE(CUkernel, k);
    return CUDA_SUCCESS;
}

struct wanted {
    struct library *library;
    struct context *context;
    struct object *found;
};

static void find_module(struct object *o, void *data)
{
    struct wanted *w = data;

    if (o->kind == KIND_MODULE && o->context == w->context &&
        ((struct module *)o)->library == w->library)
        w->found = o;
}

CUmodule fake_module_of(struct library *library, struct context *context)
{
    struct wanted w = { .library = library, .context = context };

    fake_look(find_module, &w);
    if (!w.found) {
        struct module *m = fake_alloc(sizeof(*m));
        m->library = library;
        fake_enlist(m, KIND_MODULE, context);
        w.found = &m->head;
    }
    return (CUmodule)w.found->handle;
}

CUresult fake_cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    struct library *l = fake_object(library, KIND_LIBRARY);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!module)
        return CUDA_ERROR_INVALID_VALUE;
    *module = fake_module_of(l, fake_current());
    return CUDA_SUCCESS;
}

static CUresult variable(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name,
                         bool managed)
{
    const struct library *l = fake_object(library, KIND_LIBRARY);
    struct context *c = fake_current();

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    struct variable *v = l->variables;
    while (v && (strcmp(v->name, name) != 0 || v->hidden))
        v = v->next;
    if (!v || (managed && !v->managed))
        return CUDA_ERROR_NOT_FOUND;
    CUdeviceptr *at = &v->address[v->managed ? 0 : c->device];
    if (!fake_find(*at)) { // the first time, or its context has gone
        struct allocation *a = fake_allocate(v->bytes ? v->bytes : 1, MEMORY_VARIABLE, c->device);
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

CUresult fake_cuLibraryGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUlibrary library,
                                 const char *name)
{
    return variable(ptr, bytes, library, name, false);
}

CUresult fake_cuLibraryGetManaged(CUdeviceptr *ptr, size_t *bytes, CUlibrary library,
                                  const char *name)
{
    return variable(ptr, bytes, library, name, true);
}

CUresult fake_cuLibraryGetUnifiedFunction(void **ptr, CUlibrary library, const char *name)
{
    if (!fake_object(library, KIND_LIBRARY))
        return CUDA_ERROR_INVALID_HANDLE;
    return ptr && name ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
}
