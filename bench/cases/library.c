#include "library.h"

#include "find/find.h"

#include <cucore/system.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Libraries of GPU machine code do not work on a simulated device, and might find a real device in
// the machine. Tests replace the library with an explicitly named file.
static bool fits_device(const char *library, char *why, size_t why_size)
{
    if (!cuc_driver_is_simulated() || cuc__find_environment(library, ""))
        return true;
    snprintf(why, why_size, "%s is machine code, and the device is simulated", library);
    return false;
}

bool bench_load(const char *library, const bench_symbol *symbols, size_t count, char *why,
                size_t why_size)
{
    if (!fits_device(library, why, why_size))
        return false;
    void *handle = cuc__library_open(library, NULL);
    if (!handle)
        snprintf(why, why_size,
                 "there is no library %s: cucore find %s says where it was looked for", library,
                 library);
    for (size_t i = 0; handle && i < count; i++) {
        void *symbol = dlsym(handle, symbols[i].name);
        if (!symbol) {
            snprintf(why, why_size, "the library %s has no %s", library, symbols[i].name);
            return false;
        }
        memcpy(symbols[i].slot, &symbol, sizeof(symbol));
    }
    return handle != NULL;
}
