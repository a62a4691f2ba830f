// Libraries: code that is loaded for all contexts.
#include "base/array.h"
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Options of the driver's JIT compiler

bool sim_jit_options(struct jit_logs *logs, unsigned count, const CUjit_option *options,
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

void sim_jit_write(const struct jit_logs *logs, const char *info, const char *error)
{
    const float milliseconds = 0.25F;

    write_log(logs->info, logs->info_bytes, logs->info_used, info);
    write_log(logs->error, logs->error_bytes, logs->error_used, error);
    if (logs->wall_time) {
        *logs->wall_time = NULL;
        memcpy(logs->wall_time, &milliseconds, sizeof(milliseconds));
    }
}

// Reads a file into memory that the caller must free. Zeros follow the contents.
CUresult sim_read_file(const char *path, char **out, size_t *size)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return CUDA_ERROR_FILE_NOT_FOUND;
    size_t bytes = 0, capacity = 4096;
    char *text = calloc(1, capacity);
    size_t n;
    while (text && (n = fread(text + bytes, 1, capacity - bytes - 8, file)) > 0) {
        bytes += n;
        if (capacity - bytes <= 8) {
            char *grown = realloc(text, 2 * capacity);
            if (!grown)
                free(text);
            text = grown;
            capacity *= 2;
        }
    }
    fclose(file);
    if (!text)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memset(text + bytes, 0, 8);
    *out = text;
    if (size)
        *size = bytes;
    return CUDA_SUCCESS;
}

// Libraries.

static void drop_module(struct object *o, void *data)
{
    if (o->kind == KIND_MODULE && ((struct module *)o)->library == data) {
        sim_delist(o);
        free(o);
    }
}

void sim_library_end(struct library *library)
{
    struct kernel *next_kernel;

    sim_each(drop_module, library);
    for (struct kernel *k = library->kernels; k; k = next_kernel) {
        next_kernel = k->next;
        while (k->functions)
            sim_function_end(k->functions);
        sim_delist(k);
        free(k->parameters);
        free(k->name);
        free(k);
    }
    sim_delist(library); // must precede freeing the code, which may release the lock
    sim_code_end(library);
    if (library->named != library->few_named)
        free(library->named);
    free(library);
}

struct library *sim_library_new(void)
{
    struct library *l = sim_alloc(sizeof(*l));

    l->last_kernel = &l->kernels;
    l->named = l->few_named;
    l->bucket_count = CUC_LENGTH(l->few_named);
    sim_enlist(l, KIND_LIBRARY, NULL);
    l->head.gone = true; // calls cannot find it yet
    return l;
}

CUresult sim_library_load(struct library **out, const void *image, size_t bytes,
                          const struct jit_logs *logs)
{
    char log[2048] = "";
    char *owned = NULL;
    CUresult code = sim_image_text(image, bytes, &owned, log, sizeof(log));
    if (code) {
        sim_jit_write(logs, "", log);
        return code;
    }
    struct library *l = sim_library_new();
    code = sim_code_load(l, owned ? owned : image, log, sizeof(log));
    free(owned);
    sim_jit_write(logs, code ? "" : "compiled for a simulated device", code ? log : "");
    if (code) {
        sim_library_end(l);
        return code;
    }
    l->head.gone = false;
    *out = l;
    return CUDA_SUCCESS;
}

static CUresult load(CUlibrary *out, const void *image, size_t bytes, const struct jit_logs *logs)
{
    struct library *l;
    CUresult code = sim_library_load(&l, image, bytes, logs);

    if (!code)
        *out = SIM_HANDLE(CUlibrary, l);
    return code;
}

static CUresult check_load(struct jit_logs *logs, CUjit_option *jit_options, void **jit_values,
                           unsigned jit_count, CUlibraryOption *library_options,
                           void **library_values, unsigned library_count)
{
    if ((jit_count && (!jit_options || !jit_values)) || (library_count && !library_options) ||
        !sim_jit_options(logs, jit_count, jit_options, jit_values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < library_count; i++) {
        if (library_options[i] > CU_LIBRARY_BINARY_IS_PRESERVED ||
            (library_options[i] == CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE &&
             !library_values))
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult sim_cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *jit_options,
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
    return load(library, image, SIM_UNKNOWN_BYTES, &logs);
}

CUresult sim_cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options,
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
    char *text;
    size_t bytes;
    code = sim_read_file(path, &text, &bytes);
    if (code)
        return code;
    code = load(library, text, bytes, &logs);
    free(text);
    return code;
}

CUresult sim_cuLibraryUnload(CUlibrary library)
{
    struct library *l = sim_object(library, KIND_LIBRARY);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    sim_library_end(l);
    return CUDA_SUCCESS;
}

CUresult sim_cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    const struct library *l = sim_object(library, KIND_LIBRARY);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!kernel || !name)
        return CUDA_ERROR_INVALID_VALUE;
    const struct kernel *k = sim_kernel_named(l, name);
    if (!k)
        return CUDA_ERROR_NOT_FOUND;
    *kernel = SIM_HANDLE(CUkernel, k);
    return CUDA_SUCCESS;
}

CUresult sim_cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
    const struct library *l = sim_object(library, KIND_LIBRARY);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = l->kernel_count;
    return CUDA_SUCCESS;
}

CUresult sim_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
    const struct library *l = sim_object(library, KIND_LIBRARY);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!kernels || count > l->kernel_count)
        return CUDA_ERROR_INVALID_VALUE;
    const struct kernel *k = l->kernels;
    for (unsigned i = 0; i < count; i++, k = k->next)
        kernels[i] = SIM_HANDLE(CUkernel, k);
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

CUmodule sim_module_of(struct library *library, struct context *context)
{
    struct wanted w = { .library = library, .context = context };

    sim_visit_objects(find_module, &w);
    if (!w.found) {
        struct module *m = sim_alloc(sizeof(*m));
        m->library = library;
        sim_enlist(m, KIND_MODULE, context);
        w.found = &m->head;
    }
    return (CUmodule)w.found->handle;
}

CUresult sim_cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    struct library *l = sim_object(library, KIND_LIBRARY);

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!module)
        return CUDA_ERROR_INVALID_VALUE;
    *module = sim_module_of(l, sim_current());
    return CUDA_SUCCESS;
}

static CUresult variable(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name,
                         bool managed)
{
    struct library *l = sim_object(library, KIND_LIBRARY);
    struct context *c = sim_current();

    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    return sim_code_variable(l, c, name, managed, ptr, bytes);
}

CUresult sim_cuLibraryGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUlibrary library,
                                const char *name)
{
    return variable(ptr, bytes, library, name, false);
}

CUresult sim_cuLibraryGetManaged(CUdeviceptr *ptr, size_t *bytes, CUlibrary library,
                                 const char *name)
{
    return variable(ptr, bytes, library, name, true);
}

CUresult sim_cuLibraryGetUnifiedFunction(void **ptr, CUlibrary library, const char *name)
{
    (void)ptr;
    (void)name;
    if (!sim_object(library, KIND_LIBRARY))
        return CUDA_ERROR_INVALID_HANDLE;
    return CUDA_ERROR_INVALID_VALUE; // this is also the result for an unknown name
}
