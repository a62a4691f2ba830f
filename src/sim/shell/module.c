// Modules: code in one context, for programs that do not use libraries. A module either owns a
// library or is the part of a library in one context.
#include "shell.h"

#include <stdlib.h>
#include <string.h>

void sim_module_end(struct module *module)
{
    struct library *own = module->owner ? module->library : NULL;

    if (own) {
        sim_library_end(own); // ends this module too
        return;
    }
    sim_delist(module);
    free(module);
}

static CUresult load(CUmodule *out, const void *image, size_t bytes, const struct jit_logs *logs)
{
    struct library *library;

    if (!out || !image)
        return CUDA_ERROR_INVALID_VALUE;
    struct context *c = sim_current();
    uintptr_t context = c->head.handle;
    CUresult code = sim_library_load(&library, image, bytes, logs);
    if (code)
        return code;
    if (sim_object((const void *)context, KIND_CONTEXT) != c) { // the lock was released
        sim_library_end(library);
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    library->head.gone = true;    // nobody has the library's handle
    library->head.builtin = true; // only the module counts as live
    struct module *m = sim_object((const void *)sim_module_of(library, c), KIND_MODULE);
    m->owner = true;
    *out = SIM_HANDLE(CUmodule, m);
    return CUDA_SUCCESS;
}

CUresult sim_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned option_count,
                                CUjit_option *options, void **values)
{
    struct jit_logs logs;

    if ((option_count && (!options || !values)) ||
        !sim_jit_options(&logs, option_count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    return load(module, image, SIM_UNKNOWN_BYTES, &logs);
}

CUresult sim_cuModuleLoadData(CUmodule *module, const void *image)
{
    return load(module, image, SIM_UNKNOWN_BYTES, &(struct jit_logs){ 0 });
}

CUresult sim_cuModuleLoadFatBinary(CUmodule *module, const void *fatbin)
{
    return load(module, fatbin, SIM_UNKNOWN_BYTES, &(struct jit_logs){ 0 });
}

CUresult sim_cuModuleLoad(CUmodule *module, const char *path)
{
    char *image;
    size_t bytes;

    if (!module || !path)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = sim_read_file(path, &image, &bytes);
    if (code)
        return code;
    code = load(module, image, bytes, &(struct jit_logs){ 0 });
    free(image);
    return code;
}

CUresult sim_cuModuleUnload(CUmodule module)
{
    struct module *m = sim_object(module, KIND_MODULE);

    if (!m || !m->owner)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult code = sim_drain_context(m->head.context);
    if (code)
        return code;
    if (sim_object(module, KIND_MODULE) != m)
        return CUDA_ERROR_INVALID_HANDLE;
    sim_module_end(m);
    return CUDA_SUCCESS;
}

CUresult sim_cuModuleGetFunction(CUfunction *func, CUmodule module, const char *name)
{
    const struct module *m = sim_object(module, KIND_MODULE);

    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!func || !name)
        return CUDA_ERROR_INVALID_VALUE;
    struct kernel *k = sim_kernel_named(m->library, name);
    return k ? sim_function_of(k, m->head.context, func) : CUDA_ERROR_NOT_FOUND;
}

CUresult sim_cuModuleGetFunctionCount(unsigned *count, CUmodule module)
{
    const struct module *m = sim_object(module, KIND_MODULE);

    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = m->library->kernel_count;
    return CUDA_SUCCESS;
}

CUresult sim_cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module)
{
    const struct module *m = sim_object(module, KIND_MODULE);
    CUresult code = CUDA_SUCCESS;

    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!functions || count > m->library->kernel_count)
        return CUDA_ERROR_INVALID_VALUE;
    struct kernel *k = m->library->kernels;
    for (unsigned i = 0; i < count && !code; i++, k = k->next)
        code = sim_function_of(k, m->head.context, &functions[i]);
    return code;
}

CUresult sim_cuModuleGetGlobal_v2(CUdeviceptr *ptr, size_t *bytes, CUmodule module,
                                  const char *name)
{
    const struct module *m = sim_object(module, KIND_MODULE);

    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    return sim_code_variable(m->library, m->head.context, name, false, ptr, bytes);
}

CUresult sim_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}
