#include "driver.h"

#include "base/array.h"
#include "base/error.h"
#include "base/loader.h"
#include "find/own_folder.h"
#include "simulator_finding.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char default_driver[] = "libcuda.so.1";
static const char sim_driver[] = "libcucore-sim.so";

typedef CUresult (*get_proc_address_fn)(const char *symbol, void **out, int version, uint64_t flags,
                                        int *status);
typedef CUresult (*get_proc_address_v1_fn)(const char *symbol, void **out, int version,
                                           uint64_t flags);

// The state of the driver's loading. A failed load is final: a driver does not appear while a
// process runs, and a program that polls should not search the disk each time.
static struct {
    pthread_mutex_t lock;
    _Atomic bool loaded;
    _Atomic bool touched;     // cuInit has been called, so a forked child cannot use the driver
    _Atomic bool initialised; // cuInit returned 0
    _Atomic bool forked;
    bool simulated;
    sim_finding_fn *finding; // exported by a simulated driver; NULL for any other
    bool chosen;             // named by CUCORE_DRIVER
    bool latched;            // `code` is final
    int code;                // result of the load: 0 or a CUC__CU_ code
    bool init_latched;
    CUresult init_code;
    int version;
    void *handle;
    get_proc_address_fn get;
    get_proc_address_v1_fn get_v1;
    char path[1024];
    char trail[2048];
} loader = { .lock = PTHREAD_MUTEX_INITIALIZER };

// Looks up a function, such as cuGetProcAddress itself, with dlsym().
static void (*plain_symbol(const char *name))(void)
{
    void *p = dlsym(loader.handle, name);
    void (*fn)(void);

    memcpy(&fn, &p, sizeof(fn)); // POSIX allows this conversion, but ISO C has no cast for it
    return fn;
}

static void remember(const char *path, const char *what)
{
    size_t at = strlen(loader.trail);

    snprintf(loader.trail + at, sizeof(loader.trail) - at, "%s%s: %s", at ? "\n" : "", path, what);
}

static void *try_open(const char *path)
{
    const char *why;
    void *handle = cuc__open_shared(path, RTLD_NOW | RTLD_LOCAL, &why);

    if (!handle) {
        size_t n = strlen(path);
        if (strncmp(why, path, n) == 0 && why[n] == ':')
            why += n + 1 + strspn(why + n + 1, " "); // the loader's message begins with the path
        remember(path, why);
        return NULL;
    }
    remember(path, "loaded");
    return handle;
}

// Opens the simulated driver: beside the library that contains this code, or else on the loader's
// search path.
static void *open_simulated(void)
{
    char folder[sizeof(loader.path) - sizeof(sim_driver)], path[sizeof(loader.path)];

    if (cuc__own_folder(folder, sizeof(folder))) {
        snprintf(path, sizeof(path), "%s/%s", folder, sim_driver);
        void *handle = try_open(path);
        if (handle)
            return handle;
    }
    return try_open(sim_driver);
}

static void forked_child(void);

// Loads the driver. The caller holds the lock.
static int load(void)
{
    const char *choice = secure_getenv("CUCORE_DRIVER");

    loader.chosen = choice && *choice;
    if (!loader.chosen)
        loader.handle = try_open(default_driver);
    else if (strcmp(choice, "sim") == 0)
        loader.handle = open_simulated();
    else
        loader.handle = try_open(choice);
    if (!loader.handle)
        return CUC__CU_NO_DRIVER;
    // A simulated driver exports this symbol, whatever its file name.
    loader.simulated = dlsym(loader.handle, "cucoreSimulatedDriver") != NULL;
    void (*finding)(void) = plain_symbol(SIM_FINDING);
    memcpy(&loader.finding, &finding, sizeof(finding));

    void (*fn)(void) = plain_symbol("cuGetProcAddress_v2");
    memcpy(&loader.get, &fn, sizeof(fn));
    if (!fn) {
        fn = plain_symbol("cuGetProcAddress");
        memcpy(&loader.get_v1, &fn, sizeof(fn));
    }
    CUresult (*get_version)(int *);
    void (*version_fn)(void) = plain_symbol("cuDriverGetVersion");
    memcpy(&get_version, &version_fn, sizeof(get_version));
    if (!version_fn) {
        remember("that file", "exports no cuDriverGetVersion: not a CUDA driver");
        return CUC__CU_NO_DRIVER;
    }
    Dl_info info;
    void *address;
    memcpy(&address, &version_fn, sizeof(address));
    if (dladdr(address, &info) && info.dli_fname)
        snprintf(loader.path, sizeof(loader.path), "%s", info.dli_fname);
    CUresult r = get_version(&loader.version);
    if (r == CUDA_ERROR_STUB_LIBRARY) {
        remember(loader.path, "is the stub that programs are linked with, not a driver: take its "
                              "folder out of LD_LIBRARY_PATH");
        return CUC__CU_NO_DRIVER;
    }
    return r || loader.version < CUC__MIN_DRIVER || !fn ? CUC__CU_TOO_OLD : 0;
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, forked_child);
}

static int ensure_loaded(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (atomic_load(&loader.forked))
        return CUC__CU_FORKED;
    if (atomic_load(&loader.loaded))
        return 0;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&loader.lock);
    if (!loader.latched) {
        loader.code = load();
        loader.latched = true;
        atomic_store(&loader.loaded, loader.code == 0);
    }
    int code = loader.code;
    pthread_mutex_unlock(&loader.lock);
    return code;
}

// Functions for which the driver may have a later variant with the same signature; the library
// prefers that variant.
static const struct {
    const char *name;
    int version;
} later_forms[] = {
    { "cuEventElapsedTime", 12080 }, // does not first check pending work for errors
};

static int best_version(const char *name, int version)
{
    for (size_t i = 0; i < CUC_LENGTH(later_forms); i++)
        if (strcmp(later_forms[i].name, name) == 0 && later_forms[i].version <= loader.version)
            return later_forms[i].version;
    return version;
}

int cuc__driver_resolve(const char *name, int version, void (**out)(void))
{
    int code = ensure_loaded();
    void *p = NULL;

    if (code)
        return code;
    // Do not request a function that is newer than the driver, because cuGetProcAddress could
    // return an older variant with a different signature.
    if (version > loader.version)
        return CUC__CU_MISSING;
    version = best_version(name, version);
    CUresult r = loader.get ? loader.get(name, &p, version, 0, NULL)
                            : loader.get_v1(name, &p, version, 0);
    if (r || !p)
        return CUC__CU_MISSING;
    memcpy(out, &p, sizeof(p));
    return 0;
}

#define CU(name, version, params, args)                                   \
    static CUresult stub_##name params                                    \
    {                                                                     \
        void (*cuc__found)(void);                                         \
        int cuc__code = cuc__driver_resolve(#name, version, &cuc__found); \
        if (cuc__code)                                                    \
            return cuc__code;                                             \
        atomic_store(&cuc__cu.name, (cuc__pfn_##name)cuc__found);         \
        return ((cuc__pfn_##name)cuc__found)args;                         \
    }
#include "cu.def"
#undef CU

struct cuc__cu_table cuc__cu = {
#define CU(name, version, params, args) .name = stub_##name,
#include "cu.def"
#undef CU
};

// Makes the driver unusable in a forked child, where an initialized driver does not work. To report
// this instead of crashing, it resets every slot to its stub, and the stubs return CUC__CU_FORKED.
// Ordinary calls pay nothing for this.
static void forked_child(void)
{
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    memcpy(&loader.lock, &fresh, sizeof(fresh));
    if (!atomic_load(&loader.touched))
        return;
    atomic_store(&loader.forked, true);
#define CU(name, version, params, args) atomic_store(&cuc__cu.name, stub_##name);
#include "cu.def"
#undef CU
}

static const struct {
    const char *name;
    int version;
} functions[] = {
#define CU(name, version, params, args) { #name, version },
#include "cu.def"
#undef CU
};

int cuc__driver_function_version(const char *name)
{
    for (size_t i = 0; i < CUC_LENGTH(functions); i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].version;
    return 0;
}

bool cuc__driver_has(const char *name)
{
    void (*fn)(void);
    int version = cuc__driver_function_version(name);

    return version && cuc__driver_resolve(name, version, &fn) == 0;
}

int cuc__driver_start(void)
{
    int code = ensure_loaded();

    if (code || atomic_load(&loader.initialised))
        return code;
    pthread_mutex_lock(&loader.lock);
    if (!loader.init_latched) {
        // From here on, a forked child cannot use the driver, even if cuInit is still running or
        // fails halfway.
        atomic_store(&loader.touched, true);
        loader.init_code = cuc__cu.cuInit(0);
        loader.init_latched = true;
        atomic_store(&loader.initialised, loader.init_code == 0);
    }
    code = loader.init_code;
    pthread_mutex_unlock(&loader.lock);
    return code;
}

bool cuc__driver_finding(const char *call, int code, char *text, size_t bytes)
{
    return loader.finding && loader.finding(call, code, text, bytes);
}

int cuc__driver_version(void)
{
    (void)ensure_loaded(); // a driver that is too old still has a version
    return loader.version;
}

bool cuc__driver_simulated(void)
{
    return loader.simulated;
}

bool cuc__driver_chosen(void)
{
    return loader.chosen;
}

const char *cuc__driver_path(void)
{
    return loader.path;
}

bool cuc__driver_forked(void)
{
    return atomic_load(&loader.forked);
}

const char *cuc__driver_trail(void)
{
    return loader.trail;
}
