#include "simulator.h"

#include "base/loader.h"
#include "find/own_folder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file[] = "libcucore-sim.so";

static struct {
    pthread_once_t once;
    cuc__simulator functions;
    bool found;
    char trail[1024];
} simulator = { .once = PTHREAD_ONCE_INIT };

static bool take_symbol(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);

    memcpy(function, &symbol, sizeof(symbol)); // POSIX allows this conversion, but ISO C has no
                                               // cast for it
    return symbol != NULL;
}

static bool try_file(const char *path)
{
    const char *why = "is not a simulator of this version";
    void *handle = cuc__open_shared(path, RTLD_NOW | RTLD_LOCAL, &why);
    cuc__simulator *f = &simulator.functions;
    size_t at = strlen(simulator.trail);

    if (handle && take_symbol(handle, SIM_EVALUATE_LOAD, &f->load) &&
        take_symbol(handle, SIM_EVALUATE_RUN, &f->run) &&
        take_symbol(handle, SIM_EVALUATE_FREE, &f->free))
        return true;
    snprintf(simulator.trail + at, sizeof(simulator.trail) - at, "%s%s%s%s", at ? "; " : "",
             handle ? path : "", handle ? ": " : "", why);
    if (handle)
        dlclose(handle);
    return false;
}

// Tries the file that CUCORE_DRIVER names, then the folder of the library that contains this code,
// then the loader's search path.
static void find(void)
{
    const char *choice = secure_getenv("CUCORE_DRIVER");
    const char *slash = choice ? strrchr(choice, '/') : NULL;
    char path[1024], folder[sizeof(path) - sizeof(file)];

    if (slash && strncmp(slash + 1, file, sizeof(file) - 1) == 0)
        simulator.found = try_file(choice);
    if (!simulator.found && cuc__own_folder(folder, sizeof(folder))) {
        snprintf(path, sizeof(path), "%s/%s", folder, file);
        simulator.found = try_file(path);
    }
    if (!simulator.found)
        simulator.found = try_file(file);
}

const cuc__simulator *cuc__simulator_get(const char **why)
{
    pthread_once(&simulator.once, find);
    *why = simulator.trail;
    return simulator.found ? &simulator.functions : NULL;
}
