// Kernels and functions.
#include "shell.h"

#include "sim/machine/index.h"

#include <stdlib.h>
#include <string.h>

// Kernels.

static struct kernel *kernel_of(CUkernel handle)
{
    return sim_object(handle, KIND_KERNEL);
}

struct kernel *sim_kernel_of(CUfunction handle, struct context **context)
{
    struct function *f = sim_object(handle, KIND_FUNCTION);

    *context = f ? f->head.context : NULL;
    return f ? f->kernel : kernel_of((CUkernel)handle);
}

static struct kernel **bucket(const struct library *library, const char *name)
{
    return &library->named[sim_index_name(name) & (library->bucket_count - 1)];
}

struct kernel *sim_kernel_named(const struct library *library, const char *name)
{
    struct kernel *k = *bucket(library, name);

    while (k && strcmp(k->name, name) != 0)
        k = k->next_named;
    return k;
}

// Adds buckets. If there is no memory for them, the chains become longer instead.
static void add_buckets(struct library *library)
{
    const unsigned count = 4 * library->bucket_count;
    struct kernel **more = calloc(count, sizeof(struct kernel *));

    if (!more)
        return;
    if (library->named != library->few_named)
        free(library->named);
    library->named = more;
    library->bucket_count = count;
    for (struct kernel *k = library->kernels; k; k = k->next) {
        struct kernel **at = bucket(library, k->name);
        k->next_named = *at;
        *at = k;
    }
}

struct kernel *sim_kernel_new(struct library *library, char *name)
{
    struct kernel *k = sim_alloc(sizeof(*k));

    if (library->kernel_count == library->bucket_count)
        add_buckets(library);
    struct kernel **at = bucket(library, name);
    k->next_named = *at;
    *at = k;
    k->library = library;
    k->name = name;
    k->index = library->kernel_count++;
    sim_enlist(k, KIND_KERNEL, NULL);
    *library->last_kernel = k;
    library->last_kernel = &k->next;
    return k;
}

void sim_kernel_ready(struct kernel *k, const struct kernel_facts *facts)
{
    k->max_threads = facts->threads;
    memcpy(k->exact_threads, facts->exact_threads, sizeof(k->exact_threads));
    for (int i = 0; i < SIM_DEVICES; i++) {
        int *a = k->attributes[i];
        int most = sim_attribute(i, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        a[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] =
            facts->threads && facts->threads < most ? facts->threads : most;
        a[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = facts->shared;
        a[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = facts->constant;
        a[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = facts->local;
        a[CU_FUNC_ATTRIBUTE_NUM_REGS] = facts->registers;
        a[CU_FUNC_ATTRIBUTE_PTX_VERSION] = facts->ptx;
        a[CU_FUNC_ATTRIBUTE_BINARY_VERSION] =
            10 * sim_attribute(i, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
            sim_attribute(i, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        a[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] =
            sim_attribute(i, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) - facts->shared;
        a[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = CU_SHAREDMEM_CARVEOUT_DEFAULT;
        a[CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] = facts->explicit_cluster &&
                                                        !facts->cluster[0];
        memcpy(&a[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH], facts->cluster,
               sizeof(facts->cluster));
    }
}

CUresult sim_cuKernelGetFunction(CUfunction *func, CUkernel kernel)
{
    return sim_function_of(kernel_of(kernel), sim_current(), func);
}

CUresult sim_function_of(struct kernel *k, struct context *c, CUfunction *func)
{
    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!func)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f = k->functions;
    while (f && f->head.context != c)
        f = f->next;
    if (!f) {
        f = sim_alloc(sizeof(*f));
        f->kernel = k;
        f->next = k->functions;
        k->functions = f;
        sim_enlist(f, KIND_FUNCTION, c);
    }
    *func = SIM_HANDLE(CUfunction, f);
    return CUDA_SUCCESS;
}

CUresult sim_cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    const struct kernel *k = kernel_of(kernel);

    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!library)
        return CUDA_ERROR_INVALID_VALUE;
    *library = SIM_HANDLE(CUlibrary, k->library);
    return CUDA_SUCCESS;
}

static CUresult get_attribute(int *value, CUfunction_attribute attribute, const struct kernel *k,
                              int device)
{
    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!value || attribute > CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        return CUDA_ERROR_INVALID_VALUE;
    *value = k->attributes[device][attribute];
    return CUDA_SUCCESS;
}

CUresult sim_cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                                  CUdevice dev)
{
    if (!sim_valid_device(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    return get_attribute(value, attribute, kernel_of(kernel), dev);
}

static CUresult set_attribute(struct kernel *k, CUfunction_attribute attribute, int val, int dev)
{
    bool good;

    int *a = k->attributes[dev];
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        good = val >= 0 &&
               val <= sim_attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) -
                          a[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES];
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        good = val >= -1 && val <= 100;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        good = val >= 0 && val <= 16;
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        good = val == 0 || val == 1;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        good = val >= 0 && val <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING;
        break;
    default:
        good = false;
    }
    if (!good)
        return CUDA_ERROR_INVALID_VALUE;
    a[attribute] = val;
    return CUDA_SUCCESS;
}

CUresult sim_cuKernelSetAttribute(CUfunction_attribute attribute, int val, CUkernel kernel,
                                  CUdevice dev)
{
    struct kernel *k = kernel_of(kernel);

    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    return sim_valid_device(dev) ? set_attribute(k, attribute, val, dev)
                                 : CUDA_ERROR_INVALID_DEVICE;
}

CUresult sim_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    struct kernel *k = kernel_of(kernel);

    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!sim_valid_device(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    if (config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    k->cache[dev] = config;
    return CUDA_SUCCESS;
}

static CUresult get_name(const char **name, const struct kernel *k)
{
    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = k->name;
    return CUDA_SUCCESS;
}

CUresult sim_cuKernelGetName(const char **name, CUkernel func)
{
    return get_name(name, kernel_of(func));
}

static CUresult get_parameter(const struct kernel *k, size_t index, size_t *offset, size_t *size)
{
    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!offset || index >= k->parameter_count)
        return CUDA_ERROR_INVALID_VALUE; // callers use this to query the number of parameters
    *offset = k->parameters[index].offset;
    if (size)
        *size = k->parameters[index].bytes;
    return CUDA_SUCCESS;
}

CUresult sim_cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
    if (!sim_current()) // a GPU's driver needs a context, because this call loads the code
        return CUDA_ERROR_INVALID_CONTEXT;
    return get_parameter(kernel_of(kernel), index, offset, size);
}

// Functions.

void sim_function_end(struct function *function)
{
    struct function **at = &function->kernel->functions;

    while (*at != function)
        at = &(*at)->next;
    *at = function->next;
    sim_delist(function);
    free(function);
}

CUresult sim_kernel_on(CUfunction func, struct kernel **kernel, struct context **context)
{
    *kernel = sim_kernel_of(func, context);
    if (!*kernel)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!*context) {
        CUresult code = sim_current_state();
        if (code)
            return code;
        *context = sim_current();
    }
    return CUDA_SUCCESS;
}

CUresult sim_cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction func)
{
    const struct function *f = sim_object(func, KIND_FUNCTION); // excludes a CUkernel

    return f ? get_attribute(value, attribute, f->kernel, f->head.context->device)
             : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuFuncSetAttribute(CUfunction func, CUfunction_attribute attribute, int value)
{
    struct kernel *k;
    struct context *c;
    CUresult code = sim_kernel_on(func, &k, &c);

    return code ? code : set_attribute(k, attribute, value, c->device);
}

CUresult sim_cuFuncSetCacheConfig(CUfunction func, CUfunc_cache config)
{
    struct context *c;
    struct kernel *k = sim_kernel_of(func, &c);

    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    if (c)
        k->cache[c->device] = config;
    return CUDA_SUCCESS;
}

CUresult sim_cuFuncSetSharedMemConfig(CUfunction func, unsigned config)
{
    struct context *c;

    if (!sim_kernel_of(func, &c))
        return CUDA_ERROR_INVALID_HANDLE;
    return config <= 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Always reports that a function is loaded, since it is loaded together with its library.
CUresult sim_cuFuncIsLoaded(unsigned *state, CUfunction func)
{
    struct context *c;

    if (!sim_kernel_of(func, &c))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    *state = 1;
    return CUDA_SUCCESS;
}

CUresult sim_cuFuncLoad(CUfunction func)
{
    struct context *c;

    return sim_kernel_of(func, &c) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuFuncGetName(const char **name, CUfunction func)
{
    struct context *c;

    return get_name(name, sim_kernel_of(func, &c));
}

CUresult sim_cuFuncGetParamInfo(CUfunction func, size_t index, size_t *offset, size_t *size)
{
    struct context *c;

    return get_parameter(sim_kernel_of(func, &c), index, offset, size);
}

CUresult sim_cuFuncGetModule(CUmodule *module, CUfunction func)
{
    struct context *c;
    const struct kernel *k = sim_kernel_of(func, &c);

    if (!k || !c)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!module)
        return CUDA_ERROR_INVALID_VALUE;
    *module = sim_module_of(k->library, c);
    return CUDA_SUCCESS;
}
