// Kernels and functions, and the host functions that stand for their code.
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>

// Host functions of kernels, by name. An entry stays, so that a kernel can point at it.

struct slot {
    struct slot *next;
    char *name;
    fake_kernel_fn fn;
};

static struct slot *slots;

fake_kernel_fn *fake_kernel_slot(const char *name)
{
    for (struct slot *s = slots; s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return &s->fn;
    struct slot *s = fake_alloc(sizeof(*s));
    s->name = strcpy(fake_alloc(strlen(name) + 1), name);
    s->next = slots;
    slots = s;
    return &s->fn;
}

bool fake_any_kernel_defined(void)
{
    for (const struct slot *s = slots; s; s = s->next)
        if (s->fn)
            return true;
    return false;
}

void fake_kernels_forget(void)
{
    for (struct slot *s = slots; s; s = s->next)
        s->fn = NULL;
}

void ctl_define_kernel(const char *name, fake_kernel_fn fn)
{
    fake_lock();
    *fake_kernel_slot(name) = fn;
    fake_launch_speed();
    fake_unlock();
}

// Kernels.

static struct kernel *kernel_of(CUkernel handle)
{
    return fake_object(handle, KIND_KERNEL);
}

struct kernel *fake_kernel_of(CUfunction handle, struct context **context)
{
    struct function *f = fake_object(handle, KIND_FUNCTION);

    *context = f ? f->head.context : NULL;
    return f ? f->kernel : kernel_of((CUkernel)handle);
}

CUresult fake_cuKernelGetFunction(CUfunction *func, CUkernel kernel)
{
    struct kernel *k = kernel_of(kernel);
    struct context *c = fake_current();

    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!func)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f = k->functions;
    while (f && f->head.context != c)
        f = f->next;
    if (!f) {
        f = fake_alloc(sizeof(*f));
        f->kernel = k;
        f->next = k->functions;
        k->functions = f;
        fake_enlist(f, KIND_FUNCTION, c);
    }
    *func = FAKE_HANDLE(CUfunction, f);
    return CUDA_SUCCESS;
}

CUresult fake_cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    const struct kernel *k = kernel_of(kernel);

    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!library)
        return CUDA_ERROR_INVALID_VALUE;
    *library = FAKE_HANDLE(CUlibrary, k->library);
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

CUresult fake_cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                                   CUdevice dev)
{
    if (!fake_valid_device(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    return get_attribute(value, attribute, kernel_of(kernel), dev);
}

CUresult fake_cuKernelSetAttribute(CUfunction_attribute attribute, int val, CUkernel kernel,
                                   CUdevice dev)
{
    struct kernel *k = kernel_of(kernel);
    bool good;

    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!fake_valid_device(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    int *a = k->attributes[dev];
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        good = val >= 0 &&
               val <= fake_attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) -
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

CUresult fake_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    if (!kernel_of(kernel))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!fake_valid_device(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    return config <= CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
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

CUresult fake_cuKernelGetName(const char **name, CUkernel func)
{
    return get_name(name, kernel_of(func));
}

static CUresult get_parameter(const struct kernel *k, size_t index, size_t *offset, size_t *size)
{
    if (!k)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!offset || index >= k->parameter_count)
        return CUDA_ERROR_INVALID_VALUE; // also how a caller learns how many there are
    *offset = k->parameters[index].offset;
    if (size)
        *size = k->parameters[index].bytes;
    return CUDA_SUCCESS;
}

CUresult fake_cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
    return get_parameter(kernel_of(kernel), index, offset, size);
}

// Functions.

void fake_function_end(struct function *function)
{
    struct function **at = &function->kernel->functions;

    while (*at != function)
        at = &(*at)->next;
    *at = function->next;
    fake_delist(function);
    free(function);
}

CUresult fake_cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction func)
{
    struct context *c;
    const struct kernel *k = fake_kernel_of(func, &c);

    if (k && !c) {
        CUresult code = fake_current_state();
        if (code)
            return code;
        c = fake_current();
    }
    return get_attribute(value, attribute, k, c ? c->device : 0);
}

CUresult fake_cuFuncGetName(const char **name, CUfunction func)
{
    struct context *c;

    return get_name(name, fake_kernel_of(func, &c));
}

CUresult fake_cuFuncGetParamInfo(CUfunction func, size_t index, size_t *offset, size_t *size)
{
    struct context *c;

    return get_parameter(fake_kernel_of(func, &c), index, offset, size);
}

CUresult fake_cuFuncGetModule(CUmodule *module, CUfunction func)
{
    struct context *c;
    const struct kernel *k = fake_kernel_of(func, &c);

    if (!k || !c)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!module)
        return CUDA_ERROR_INVALID_VALUE;
    *module = fake_module_of(k->library, c);
    return CUDA_SUCCESS;
}

CUresult fake_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}
