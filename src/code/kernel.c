#include "kernel.h"

#include "base/array.h"
#include "device/context.h"
#include "device/intern.h"
#include "kernel_tile.h"
#include "object.h"
#include "base/options.h"
#include "ptx_signature.h"
#include "driver/relaxed.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)CUC__PARAMETER_ANY == (int)CUC_PARAMETER_ANY &&
                   (int)CUC__PARAMETER_INT == (int)CUC_PARAMETER_INT &&
                   (int)CUC__PARAMETER_FLOAT == (int)CUC_PARAMETER_FLOAT,
               "public and private parameter types are one");

// A kernel's properties, which all its handles share. An object keeps the properties of its kernels
// for its whole life. Another handle of a kernel therefore needs no driver call, and values that
// are read or set through one handle apply to the others.
struct cuc__kernel_facts {
    struct cuc__kernel_facts *next;
    CUkernel handle;
    const char *symbol; // interned, owned
    bool parameters_known;
    uint32_t parameter_count;
    struct cuc__parameter *parameters;
    _Atomic uint64_t *accepted;
    struct cuc__kernel_limits *limits;
};

void cuc__kernel_facts_free(struct cuc__kernel_facts *facts)
{
    while (facts) {
        struct cuc__kernel_facts *next = facts->next;
        cuc__intern_release(facts->symbol);
        free(facts->parameters);
        free((void *)(uintptr_t)facts->accepted);
        free(facts->limits);
        free(facts);
        facts = next;
    }
}

static cuc_status fail_memory(const char *symbol, const char *function)
{
    return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the kernel %s", symbol);
}

// Reads the parameter layout from the driver in the current context. Returns the driver's result.
// If the result is 0 but parameters_known stays false, the driver cannot report the layout.
static CUresult walk_parameters(struct cuc__kernel_facts *f, bool *no_memory)
{
    size_t capacity = f->parameter_count;

    for (;;) {
        size_t offset, bytes;
        CUresult r = cuc__cu.cuKernelGetParamInfo(f->handle, f->parameter_count, &offset, &bytes);

        if (r == CUC__CU_MISSING)
            return CUDA_SUCCESS;
        if (r == CUDA_ERROR_INVALID_VALUE)
            break; // no further parameter
        if (r)
            return r;
        if (!CUC_RESERVE(f->parameters, capacity, f->parameter_count + 1)) {
            *no_memory = true;
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        f->parameters[f->parameter_count++] = (struct cuc__parameter){
            .offset = (uint32_t)offset,
            .bytes = (uint32_t)bytes,
            .type = CUC__PARAMETER_ANY,
        };
    }
    f->parameters_known = true;
    return CUDA_SUCCESS;
}

// Returns true if another device's context may succeed where this one failed.
static bool is_of_the_context(CUresult r)
{
    return r == CUDA_ERROR_INVALID_CONTEXT || r == CUDA_ERROR_CONTEXT_IS_DESTROYED ||
           r == CUDA_ERROR_NO_BINARY_FOR_GPU;
}

// Reads a kernel's parameters. For this the driver must load the kernel, which requires a context
// of a device that can run the code. A kernel belongs to no device, so the function tries the
// current context, then existing contexts of other devices, then the remaining devices.
static cuc_status query_parameters(struct cuc__kernel_facts *f, int devices, const char *function)
{
    bool no_memory = false;
    CUresult first = walk_parameters(f, &no_memory), r = first;

    for (int pass = 0; pass < 2 && is_of_the_context(r); pass++) {
        for (int i = 0; i < devices && is_of_the_context(r); i++) {
            cuc_device *device;
            cuc_context *context;
            bool pushed;
            cuc_status st = cuc_device_get(&device, i);

            if (st == CUC_OK && (atomic_load(&device->primary) != NULL) != (pass == 0))
                continue;
            if (st == CUC_OK)
                st = cuc__device_primary(&context, device, function);
            if (st == CUC_OK)
                st = cuc__context_enter(context, &pushed, function);
            if (st < 0)
                return st;
            r = walk_parameters(f, &no_memory);
            if ((st = cuc__context_leave(context, pushed, CUC_OK, function)) < 0)
                return st;
        }
    }
    if (no_memory)
        return fail_memory(f->symbol, function);
    if (r)
        return cuc__fail_driver(NULL, is_of_the_context(r) ? first : r, function,
                                "cuKernelGetParamInfo", "asking for parameter %u of the kernel %s",
                                f->parameter_count, f->symbol);
    return CUC_OK;
}

// Adds the parameter types from the PTX, and keeps the driver's offsets. If the sizes differ, the
// PTX does not describe the running code, and the function ignores its types.
static void add_types(struct cuc__kernel_facts *f, const struct cuc__parameter *p, size_t n)
{
    bool same = n == f->parameter_count;

    for (size_t i = 0; same && i < n; i++)
        same = p[i].bytes == f->parameters[i].bytes;
    for (size_t i = 0; same && i < n; i++)
        f->parameters[i].type = p[i].type;
}

// Reads the types from the PTX, and also the layout if the driver could not report it.
static cuc_status read_parameters(struct cuc__kernel_facts *f, cuc_object *object,
                                  const char *function)
{
    struct cuc__ptx at;
    size_t n;

    if (!object)
        return CUC_OK;
    const enum cuc__ptx_found found = cuc__ptx_index_entry(&object->ptx_index, f->symbol, &at);
    if (found == CUC__PTX_NO_MEMORY)
        return fail_memory(f->symbol, function);
    if (found == CUC__PTX_NONE ||
        !cuc__ptx_signature(at.at, (size_t)(at.end - at.at), f->symbol, NULL, 0, &n))
        return CUC_OK;
    struct cuc__parameter *p = calloc(n + 1, sizeof(*p));
    if (!p)
        return fail_memory(f->symbol, function);
    (void)cuc__ptx_signature(at.at, (size_t)(at.end - at.at), f->symbol, p, n, &n);
    if (f->parameters_known) {
        add_types(f, p, n);
        free(p);
    } else {
        f->parameters = p;
        f->parameter_count = (uint32_t)n;
        f->parameters_known = true;
    }
    return CUC_OK;
}

static cuc_status make_accepted(struct cuc__kernel_facts *f, const char *function)
{
    f->accepted = calloc(f->parameter_count + (size_t)1, sizeof(*f->accepted));
    if (!f->accepted)
        return fail_memory(f->symbol, function);
    for (uint32_t i = 0; i < f->parameter_count; i++)
        atomic_init(&f->accepted[i], CUC__NOTHING_ACCEPTED);
    return CUC_OK;
}

// Creates a kernel's properties. The caller holds the object's lock, if there is an object.
static cuc_status make_facts(struct cuc__kernel_facts **out, CUkernel handle, const char *symbol,
                             cuc_object *object, const char *function)
{
    int devices;
    cuc_status st;

    CUresult r = cuc__cu.cuDeviceGetCount(&devices);
    if (r)
        return cuc__fail_driver(NULL, r, function, "cuDeviceGetCount", "counting devices");
    struct cuc__kernel_facts *f = calloc(1, sizeof(*f));
    if (!f)
        return fail_memory(symbol, function);
    f->handle = handle;
    f->symbol = cuc__intern(symbol);
    f->limits = calloc((size_t)devices + 1, sizeof(*f->limits));
    if (!f->symbol || !f->limits) {
        st = fail_memory(symbol, function);
    } else {
        CUstreamCaptureMode mode = cuc__enter_relaxed_mode(); // the query may load the code
        st = query_parameters(f, devices, function);
        cuc__leave_relaxed_mode(mode);
        if (st == CUC_OK)
            st = read_parameters(f, object, function);
    }
    if (st == CUC_OK)
        st = make_accepted(f, function);
    if (st == CUC_OK && object &&
        !cuc__name_set_add(&object->facts_named, f->symbol, strlen(f->symbol), (uintptr_t)f))
        st = fail_memory(symbol, function);
    if (st < 0) {
        cuc__kernel_facts_free(f);
        return st;
    }
    if (object) {
        f->next = object->facts;
        object->facts = f;
    }
    *out = f;
    return CUC_OK;
}

static cuc_status make_kernel(cuc_kernel **out, struct cuc__kernel_facts *facts, const char *name,
                              cuc_object *object, const char *function)
{
    cuc_kernel *kernel = calloc(1, sizeof(*kernel));
    const char *kept = cuc__intern(name);

    if (!kernel || !kept) {
        cuc__intern_release(kept);
        free(kernel);
        return fail_memory(name, function);
    }
    cuc__handle_init(kernel, CUC__HANDLE_KERNEL);
    kernel->handle = facts->handle;
    kernel->name = kept;
    kernel->symbol = facts->symbol;
    kernel->parameters_known = facts->parameters_known;
    kernel->parameter_count = facts->parameter_count;
    kernel->common_count = facts->parameters_known &&
                                   facts->parameter_count <= CUC__COMMON_PARAMETERS
                               ? facts->parameter_count
                               : SIZE_MAX;
    kernel->parameters = facts->parameters;
    kernel->accepted = facts->accepted;
    kernel->limits = facts->limits;
    kernel->object = cuc__handle_retain(object);
    kernel->facts = facts;
    *out = kernel;
    return CUC_OK;
}

static struct cuc__kernel_facts *facts_named(const cuc_object *object, const char *symbol)
{
    const struct cuc__name *n = cuc__name_set_find(&object->facts_named, symbol, strlen(symbol));

    return n ? (struct cuc__kernel_facts *)n->value : NULL;
}

// Returns the properties of an object's kernel. The caller holds the object's lock.
static cuc_status facts_of_symbol(struct cuc__kernel_facts **out, cuc_object *object,
                                  CUlibrary library, const char *symbol, const char *name,
                                  const char *function)
{
    struct cuc__kernel_facts *f = facts_named(object, symbol);
    CUkernel handle;
    cuc_status st;

    if (!f) {
        CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
        CUresult r = cuc__cu.cuLibraryGetKernel(&handle, library, symbol);
        cuc__leave_relaxed_mode(mode);
        if (r == CUDA_ERROR_NOT_FOUND)
            return CUC_ERROR_NOT_FOUND; // the caller records the failure after it releases the lock
        if (r) {
            st = cuc__fail_driver(NULL, r, function, "cuLibraryGetKernel",
                                  "looking up the kernel %s", name);
            cuc__object_add_log(object);
            return st;
        }
        if ((st = make_facts(&f, handle, symbol, object, function)) < 0)
            return st;
    }
    *out = f;
    return CUC_OK;
}

cuc_status cuc_object_get_kernel(cuc_kernel **out, cuc_object *object, const char *name)
{
    struct cuc__kernel_facts *facts = NULL;
    CUlibrary library = NULL;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(object, OBJECT);
    CUC_CHECK_NOT_NULL(name);
    if ((st = cuc__object_load(&library, object, __func__)) < 0)
        return st;
    pthread_mutex_lock(&object->lock);
    st = facts_of_symbol(&facts, object, library, cuc__object_symbol(object, name), name, __func__);
    pthread_mutex_unlock(&object->lock);
    if (st == CUC_ERROR_NOT_FOUND) {
        st = cuc__tile_kernel_get(out, object, name, __func__);
        return st == CUC_ERROR_NOT_FOUND ? cuc__object_fail_no_kernel(object, name, __func__) : st;
    }
    return st < 0 ? st : make_kernel(out, facts, name, object, __func__);
}

// Refuses a kernel that does not belong to an object's library, if the driver can tell.
static cuc_status check_library(CUkernel handle, const char *name, cuc_object *object,
                                const char *function)
{
    CUlibrary library;
    CUresult r = cuc__cu.cuKernelGetLibrary(&library, handle);

    if (r == CUC__CU_MISSING)
        return CUC_OK;
    if (r)
        return cuc__fail_driver(NULL, r, function, "cuKernelGetLibrary",
                                "asking for the library of the kernel %s (%p)", name,
                                (void *)handle);
    if (library != atomic_load_explicit(&object->library, memory_order_acquire))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the kernel %s (%p) is not in the given object: pass the object whose "
                         "cuc_object_get_library() it came from, or NULL",
                         name, (void *)handle);
    return CUC_OK;
}

cuc_status cuc_kernel_from_handle(cuc_kernel **out, void *handle, cuc_object *object)
{
    struct cuc__kernel_facts *facts = NULL;
    const char *name = "";
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(handle);
    if (object)
        CUC_CHECK(object, OBJECT);
    if ((st = cuc__driver_init(__func__)) < 0)
        return st;
    CUresult r = cuc__cu.cuKernelGetName(&name, handle);
    if (r && r != CUC__CU_MISSING)
        return CUC_FAIL_CU(NULL, r, "cuKernelGetName", "asking for the name of the kernel %p",
                           handle);

    if (!object) {
        if ((st = make_facts(&facts, handle, name, NULL, __func__)) < 0)
            return st;
    } else {
        if ((st = check_library(handle, name, object, __func__)) < 0)
            return st;
        pthread_mutex_lock(&object->lock);
        facts = facts_named(object, name);
        if (!*name || (facts && facts->handle != handle)) // the name does not identify the kernel
            for (facts = object->facts; facts && facts->handle != handle; facts = facts->next)
                ;
        if (!facts)
            st = make_facts(&facts, handle, name, object, __func__);
        pthread_mutex_unlock(&object->lock);
        if (st < 0)
            return st;
    }
    st = make_kernel(out, facts, name, object, __func__);
    if (st < 0 && !object)
        cuc__kernel_facts_free(facts);
    return st;
}

cuc_kernel *cuc_kernel_retain(cuc_kernel *kernel)
{
    return cuc__handle_retain(kernel);
}

void cuc_kernel_release(cuc_kernel *kernel)
{
    if (!cuc__handle_drop(kernel, CUC__HANDLE_KERNEL))
        return;
    if (!kernel->object)
        cuc__kernel_facts_free(kernel->facts);
    cuc__tile_kernel_free(kernel->tile);
    cuc_object_release(kernel->object);
    cuc__intern_release(kernel->name);
    cuc__handle_free(kernel);
}

static bool good(const cuc_kernel *kernel)
{
    return cuc__handle_is_valid(kernel, CUC__HANDLE_KERNEL);
}

const char *cuc_kernel_name(const cuc_kernel *kernel)
{
    return good(kernel) ? kernel->name : "";
}

const char *cuc_kernel_symbol(const cuc_kernel *kernel)
{
    return good(kernel) ? kernel->symbol : "";
}

void *cuc_kernel_handle(const cuc_kernel *kernel)
{
    return good(kernel) ? kernel->handle : NULL;
}

cuc_object *cuc_kernel_object(const cuc_kernel *kernel)
{
    return good(kernel) ? kernel->object : NULL;
}

cuc_status cuc_kernel_get_function(void **out, cuc_kernel *kernel, cuc_device *device)
{
    cuc_context *context;
    CUfunction found;
    cuc_status st;
    bool pushed;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(kernel, KERNEL);
    if (device)
        CUC_CHECK(device, DEVICE);
    if ((st = cuc__device_enter(&context, &pushed, device, __func__)) < 0)
        return st;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult r = cuc__cu.cuKernelGetFunction(&found, kernel->handle);
    cuc__leave_relaxed_mode(mode);
    if (r) {
        st = CUC_FAIL_CU(context, r, "cuKernelGetFunction", "getting the function of %s on %s",
                         kernel->name, device ? device->name : "the current context");
        cuc__object_add_log(kernel->object);
    }
    if ((st = CUC_LEAVE(context, pushed, st)) < 0)
        return st;
    *out = found;
    return CUC_OK;
}

static cuc_status fail_unknown_parameters(const cuc_kernel *kernel, const char *function)
{
    return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                     "the parameters of %s are unknown: the driver (%d) is older than CUDA 12.4, "
                     "and the kernel has no PTX that lists them",
                     kernel->name, cuc__driver_version());
}

cuc_status cuc_kernel_get_parameter_count(size_t *out, const cuc_kernel *kernel)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(kernel, KERNEL);
    if (!kernel->parameters_known)
        return fail_unknown_parameters(kernel, __func__);
    *out = kernel->parameter_count;
    return CUC_OK;
}

cuc_status cuc_kernel_get_parameter(cuc_kernel_parameter *out, const cuc_kernel *kernel,
                                    size_t index)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(kernel, KERNEL);
    if (!kernel->parameters_known)
        return fail_unknown_parameters(kernel, __func__);
    if (index >= kernel->parameter_count)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "index is %zu, %s has %u parameters", index,
                        kernel->name, kernel->parameter_count);

    const struct cuc__parameter *p = &kernel->parameters[index];
    cuc_kernel_parameter full = {
        .offset = p->offset,
        .bytes = p->bytes,
        .type = (int32_t)p->type,
    };
    return CUC_WRITE_STRUCT(out, &full, cuc_kernel_parameter);
}

const char *cuc_parameter_type_name(int32_t type)
{
    static const char *const names[] = {
#define ROW(constant, value, name) [value] = name,
        CUC_PARAMETER_LIST(ROW)
#undef ROW
    };

    return type >= 0 && type < CUC_LENGTH(names) ? names[type] : names[0];
}
