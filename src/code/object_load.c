// Loads and unloads object code in the driver, and reads the contents of a loaded library.
#include "object.h"

#include "device/context.h"
#include "base/demangle.h"
#include "device/intern.h"
#include "kernel_tile.h"
#include "ptx_signature.h"
#include "driver/relaxed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NAMES_BYTES = 1024, // size of a message that lists the existing kernels
};

// Set by an atexit() handler that is registered after the driver's own and therefore runs before
// it. Unloading a library later could find the driver partly destroyed.
static _Atomic bool exiting;

static void mark_exiting(void)
{
    atomic_store(&exiting, true);
}

static void watch_exit(void)
{
    (void)atexit(mark_exiting);
}

static const char *label(const cuc_object *object)
{
    return object->name ? object->name : "the object";
}

// Chooses the image that the driver loads for an object.
static cuc_status choose_image(const char **image, size_t *bytes, const cuc_object *object,
                               const char *function)
{
    const char *kind = cuc_code_name(object->kind);
    cuc_status st;

    if (object->kind != CUC_CODE_PTX && object->kind != CUC_CODE_CUBIN &&
        object->kind != CUC_CODE_FATBIN)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "%s is of kind %s, which drivers cannot load: link it first, with "
                         "cuc_linker_add() and cuc_linker_link()",
                         label(object), kind);
    if ((st = cuc__driver_init(function)) < 0)
        return st;
    if (!cuc__driver_simulated() || object->kind == CUC_CODE_FATBIN) {
        *image = object->code;
        *bytes = object->bytes;
    } else if (object->ptx) {
        *image = object->ptx;
        *bytes = object->ptx_bytes;
    } else {
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "%s is a %s without PTX, and the simulated driver (%s) runs PTX only: "
                         "compile to PTX, or keep the PTX beside the code",
                         label(object), kind, cuc__driver_path());
    }
    return CUC_OK;
}

static struct cuc__load_logs *make_logs(void)
{
    struct cuc__load_logs *logs = calloc(1, sizeof(*logs));

    if (!logs)
        return NULL;
    logs->option_count = 4;
    logs->options[0] = CU_JIT_INFO_LOG_BUFFER;
    logs->values[0] = logs->info;
    logs->options[1] = CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES;
    logs->values[1] = (void *)(uintptr_t)(sizeof(logs->info) - 1); // keeps a NUL at the end
    logs->options[2] = CU_JIT_ERROR_LOG_BUFFER;
    logs->values[2] = logs->error;
    logs->options[3] = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
    logs->values[3] = (void *)(uintptr_t)(sizeof(logs->error) - 1);
    return logs;
}

// Loads the object's library. The caller holds the lock.
static cuc_status load(cuc_object *object, const char *function)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *image = NULL;
    size_t bytes = 0;
    cuc_status st;
    CUlibrary library;

    if ((st = choose_image(&image, &bytes, object, function)) < 0)
        return st;
    struct cuc__load_logs *logs = make_logs();
    if (!logs)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the log of %s",
                         label(object));
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult r = cuc__cu.cuLibraryLoadData(&library, image, logs->options, logs->values,
                                           logs->option_count, NULL, NULL, 0);
    cuc__leave_relaxed_mode(mode);
    if (r) {
        int line = (int)strcspn(logs->error, "\n");
        const char *kind = cuc_code_name(image == object->ptx ? CUC_CODE_PTX : object->kind);
        st = cuc__fail_driver(NULL, r, function, "cuLibraryLoadData",
                              "loading %s (%zu bytes of %s)%s%.*s", label(object), bytes, kind,
                              line ? ": " : "", line, logs->error);
        if (logs->error[0])
            cuc__error_set_log(logs->error);
        free(logs);
        return st;
    }
    pthread_once(&once, watch_exit);
    object->logs = logs;
    atomic_store_explicit(&object->library, library, memory_order_release);
    return CUC_OK;
}

cuc_status cuc__object_load(CUlibrary *out, cuc_object *object, const char *function)
{
    CUlibrary library = atomic_load_explicit(&object->library, memory_order_acquire);
    cuc_status st = CUC_OK;

    if (cuc__driver_forked()) // in a forked child, a thread of the parent may hold the lock forever
        return cuc__fail_driver(NULL, CUC__CU_FORKED, function, "cuLibraryLoadData", "-");
    if (!library) {
        pthread_mutex_lock(&object->lock);
        library = atomic_load_explicit(&object->library, memory_order_relaxed);
        if (!library && (st = load(object, function)) == CUC_OK)
            library = atomic_load_explicit(&object->library, memory_order_relaxed);
        pthread_mutex_unlock(&object->lock);
    }
    if (st == CUC_OK)
        *out = library;
    return st;
}

void cuc__object_unload(cuc_object *object)
{
    CUlibrary library = atomic_load_explicit(&object->library, memory_order_acquire);

    if (!library || atomic_load(&exiting))
        return;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUC_CLEANUP(NULL, cuLibraryUnload, library, library);
    cuc__leave_relaxed_mode(mode);
}

const char *cuc_object_load_log(const cuc_object *object)
{
    if (!cuc__handle_is_valid(object, CUC__HANDLE_OBJECT) ||
        !atomic_load_explicit(&object->library, memory_order_acquire))
        return "";
    return object->logs->info;
}

void cuc__object_add_log(const cuc_object *object)
{
    if (object && object->logs && object->logs->error[0])
        cuc__error_set_log(object->logs->error);
}

const char *cuc__object_symbol(const cuc_object *object, const char *name)
{
    const struct cuc__name *found = cuc__name_set_find(&object->symbols, name, strlen(name));

    return found ? (const char *)found->value : name;
}

// Kernel names

static void free_names(const char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++)
        cuc__intern_release(names[i]);
    free(names);
}

// Lists the kernels in PTX. If out of memory, fails rather than return an incomplete list.
static bool names_of_ptx(cuc_object *object, const char ***out, size_t *count)
{
    struct cuc__ptx ptx = { object->ptx, object->ptx + object->ptx_bytes };
    struct cuc__ptx second = ptx;
    const char *at;
    size_t bytes, n = 0;

    while (cuc__ptx_next_entry(&ptx, &at, &bytes))
        n++;
    const char **names = calloc(n + 1, sizeof(*names));
    if (!names)
        return false;
    for (*count = 0; *count < n && cuc__ptx_next_entry(&second, &at, &bytes);) {
        char *name = strndup(at, bytes);
        const char *kept = name ? cuc__intern(name) : NULL;
        free(name);
        if (!kept) {
            free_names(names, *count);
            return false;
        }
        names[(*count)++] = kept;
    }
    *out = names;
    return true;
}

static cuc_status names_of_library(CUlibrary library, const char ***out, size_t *count,
                                   const char *function)
{
    unsigned n = 0;
    const char *call = "cuLibraryGetKernelCount";
    CUresult r = cuc__cu.cuLibraryGetKernelCount(&n, library);
    const char **names = calloc(n + (size_t)1, sizeof(*names));
    CUkernel *kernels = calloc(n + (size_t)1, sizeof(CUkernel));
    bool memory = names && kernels;

    if (memory && !r && n) {
        call = "cuLibraryEnumerateKernels";
        r = cuc__cu.cuLibraryEnumerateKernels(kernels, n, library);
    }
    for (unsigned i = 0; memory && !r && i < n; i++) {
        const char *name;
        call = "cuKernelGetName";
        if (!(r = cuc__cu.cuKernelGetName(&name, kernels[i])))
            memory = (names[i] = cuc__intern(name)) != NULL;
    }
    free(kernels);
    if (memory && !r) {
        *out = names;
        *count = n;
        return CUC_OK;
    }
    free_names(names, n);
    if (r)
        return cuc__fail_driver(NULL, r, function, call, "listing the kernels of a library");
    return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                     "no host memory for the names of %u kernels", n);
}

// Lists the kernels' names on first use.
static cuc_status know_names(cuc_object *object, const char *function)
{
    cuc_status st = CUC_OK;
    CUlibrary library = NULL;

    // Reading PTX also finds the kernels of code that a real driver would refuse. An object without
    // PTX must be loaded.
    if (!object->ptx && (st = cuc__object_load(&library, object, function)) < 0)
        return st;
    pthread_mutex_lock(&object->lock);
    if (!object->kernel_names_known) {
        const char **names = NULL;
        size_t count = 0;
        if (library)
            st = names_of_library(library, &names, &count, function);
        else if (!names_of_ptx(object, &names, &count))
            st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for kernel names");
        // A declaration may precede the definition, so count each name once.
        if (st == CUC_OK && !cuc__tile_kernel_names(object, names, &count)) {
            free_names(names, count);
            st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for kernel names");
        }
        if (st == CUC_OK) {
            object->kernel_names = names;
            object->kernel_count = count;
            object->kernel_names_known = true;
        }
    }
    pthread_mutex_unlock(&object->lock);
    return st;
}

cuc_status cuc_object_get_kernel_count(size_t *out, cuc_object *object)
{
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(object, OBJECT);
    if ((st = know_names(object, __func__)) < 0)
        return CUC_PASS(st);
    *out = object->kernel_count;
    return CUC_OK;
}

cuc_status cuc_object_get_kernel_name(const char **out, cuc_object *object, size_t index)
{
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(object, OBJECT);
    if ((st = know_names(object, __func__)) < 0)
        return CUC_PASS(st);
    if (index >= object->kernel_count)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "index is %zu, %s has %zu kernels", index,
                        label(object), object->kernel_count);
    *out = object->kernel_names[index];
    return CUC_OK;
}

// A list of names that counts the names for which its buffer has no room.
struct list {
    char text[NAMES_BYTES];
    size_t used, left_out;
};

static void list_add(struct list *list, const char *name)
{
    size_t bytes = strlen(name) + 2;

    if (list->left_out || list->used + bytes >= sizeof(list->text)) {
        list->left_out++;
        return;
    }
    list->used += (size_t)snprintf(list->text + list->used, sizeof(list->text) - list->used, "%s%s",
                                   list->used ? ", " : "", name);
}

cuc_status cuc__object_fail_no_kernel(cuc_object *object, const char *name, const char *function)
{
    struct cuc__name_set mapped = { .slot = NULL };
    struct list list = { .used = 0 };
    const char *mangled = NULL;
    char hint[512] = "";
    char plain[256];
    char more[48] = "";
    bool known = know_names(object, function) == CUC_OK;

    // If there is no memory for the set, the list also has the kernels' symbols.
    for (size_t i = 0; i < object->name_count; i++) {
        const cuc_object_mapping *m = &object->names[i];
        list_add(&list, m->expression);
        (void)cuc__name_set_add(&mapped, m->symbol, strlen(m->symbol), 0);
    }
    for (size_t i = 0; known && i < object->kernel_count; i++) {
        const char *symbol = object->kernel_names[i];
        if (!cuc__name_set_find(&mapped, symbol, strlen(symbol)))
            list_add(&list, symbol);
        if (!mangled && strncmp(symbol, "_Z", 2) == 0 && *name && strstr(symbol, name))
            mangled = symbol;
    }
    cuc__name_set_free(&mapped);
    if (list.left_out)
        snprintf(more, sizeof(more), " and %zu more", list.left_out);
    if (mangled)
        snprintf(hint, sizeof(hint),
                 "%.200s is a C++ symbol: declare the kernel extern \"C\", or compile it with "
                 "the name expression \"%.200s\".",
                 mangled, cuc__demangle_name(plain, sizeof(plain), mangled) ? plain : name);
    else if (strpbrk(name, "<:("))
        snprintf(hint, sizeof(hint),
                 "A template instance or a name with a scope is known by the name expressions that "
                 "the program was compiled with, written the same way.");

    const char *have = list.used ? list.text
                       : known   ? "no kernel at all"
                                 : "kernels whose names this driver cannot list";
    cuc_status st = cuc__fail(CUC_ERROR_NOT_FOUND, function,
                              "no kernel \"%.256s\" in %.256s, which has %s%s", name, label(object),
                              have, more);
    cuc__error_set_explanation(hint);
    return st;
}

// Library contents other than kernels

cuc_status cuc__device_enter(cuc_context **context, bool *pushed, cuc_device *device,
                             const char *function)
{
    cuc_status st;

    *context = NULL;
    *pushed = false;
    if (!device)
        return CUC_OK; // the calling thread's own context stays current
    if ((st = cuc__device_primary(context, device, function)) < 0)
        return st;
    return cuc__context_enter(*context, pushed, function);
}

// Reports a missing name separately from the driver's other failures.
static cuc_status fail_lookup(cuc_context *context, CUresult r, const char *call, const char *what,
                              const cuc_object *object, const char *name, const char *function)
{
    if (r == CUDA_ERROR_NOT_FOUND)
        return cuc__fail(CUC_ERROR_NOT_FOUND, function,
                         "no %s \"%s\" in %s: outside extern \"C\" it is known by its mangled "
                         "name, or by a name expression such as \"&%s\"",
                         what, name, label(object), name);
    return cuc__fail_driver(context, r, function, call, "looking up the %s \"%s\" in %s", what,
                            name, label(object));
}

cuc_status cuc_object_get_library(void **out, cuc_object *object)
{
    CUlibrary library;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(object, OBJECT);
    if ((st = cuc__object_load(&library, object, __func__)) < 0)
        return st;
    *out = library;
    return CUC_OK;
}

cuc_status cuc_object_get_module(void **out, cuc_object *object, cuc_device *device)
{
    CUlibrary library;
    CUmodule module;
    cuc_context *context;
    cuc_status st;
    bool pushed;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(object, OBJECT);
    if (device)
        CUC_CHECK(device, DEVICE);
    if ((st = cuc__object_load(&library, object, __func__)) < 0 ||
        (st = cuc__device_enter(&context, &pushed, device, __func__)) < 0)
        return st;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult r = cuc__cu.cuLibraryGetModule(&module, library);
    cuc__leave_relaxed_mode(mode);
    if (r)
        st = CUC_FAIL_CU(context, r, "cuLibraryGetModule", "getting the module of %s on %s",
                         label(object), device ? device->name : "the current context");
    if ((st = CUC_LEAVE(context, pushed, st)) < 0)
        return st;
    *out = module;
    return CUC_OK;
}

static CUresult get_global(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *symbol)
{
    return cuc__cu.cuLibraryGetGlobal(ptr, bytes, library, symbol);
}

// Finds a managed variable. A context registers managed variables when it loads the library, which
// the driver delays until first use; querying the module counts as a use.
static CUresult get_managed(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *symbol)
{
    CUmodule module;
    CUresult r = cuc__cu.cuLibraryGetManaged(ptr, bytes, library, symbol);

    if (r == CUDA_ERROR_NOT_FOUND && !(r = cuc__cu.cuLibraryGetModule(&module, library)))
        r = cuc__cu.cuLibraryGetManaged(ptr, bytes, library, symbol);
    return r;
}

static cuc_status get_variable(cuc_device_ptr *out, size_t *bytes, cuc_object *object,
                               cuc_device *device, const char *name,
                               CUresult (*get)(CUdeviceptr *, size_t *, CUlibrary, const char *),
                               const char *call, const char *what, const char *function)
{
    CUlibrary library = NULL;
    CUdeviceptr ptr = 0;
    size_t size = 0;
    cuc_context *context = NULL;
    cuc_status st;
    bool pushed = false;

    if ((st = cuc__object_load(&library, object, function)) < 0 ||
        (st = cuc__device_enter(&context, &pushed, device, function)) < 0)
        return st;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult r = get(&ptr, &size, library, cuc__object_symbol(object, name));
    cuc__leave_relaxed_mode(mode);
    if (r)
        st = fail_lookup(context, r, call, what, object, name, function);
    if ((st = cuc__context_leave(context, pushed, st, function)) < 0)
        return st;
    if (bytes)
        *bytes = size;
    *out = ptr;
    return CUC_OK;
}

cuc_status cuc_object_get_global(cuc_device_ptr *out, size_t *bytes, cuc_object *object,
                                 cuc_device *device, const char *name)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(object, OBJECT);
    if (device)
        CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(name);
    return get_variable(out, bytes, object, device, name, get_global, "cuLibraryGetGlobal",
                        "variable", __func__);
}

cuc_status cuc_object_get_managed(cuc_device_ptr *out, size_t *bytes, cuc_object *object,
                                  cuc_device *device, const char *name)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(object, OBJECT);
    if (device)
        CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(name);
    return get_variable(out, bytes, object, device, name, get_managed, "cuLibraryGetManaged",
                        "managed variable", __func__);
}

cuc_status cuc_object_get_unified_function(void **out, cuc_object *object, const char *name)
{
    CUlibrary library;
    void *function;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(object, OBJECT);
    CUC_CHECK_NOT_NULL(name);
    if ((st = cuc__object_load(&library, object, __func__)) < 0)
        return st;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult r =
        cuc__cu.cuLibraryGetUnifiedFunction(&function, library, cuc__object_symbol(object, name));
    cuc__leave_relaxed_mode(mode);
    if (r)
        return fail_lookup(NULL, r, "cuLibraryGetUnifiedFunction", "unified function", object, name,
                           __func__);
    *out = function;
    return CUC_OK;
}
