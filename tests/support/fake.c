// Lets tests control the fake driver: finds the controls in the library that CUCORE_DRIVER names,
// so that no test links to it, and forwards calls.
#include "fake.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_control.h"

static const struct fake_control *found;

static void find(void)
{
    const char *path = getenv("CUCORE_DRIVER");
    void *library = path && *path ? dlopen(path, RTLD_NOW) : NULL;

    if (library)
        found = dlsym(library, "fake_control");
}

static const struct fake_control *control(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find);
    return found;
}

int fake_available(void)
{
    return control() != NULL;
}

static const struct fake_control *need(void)
{
    const struct fake_control *c = control();

    if (!c) {
        fprintf(stderr, "this test needs the fake driver: set CUCORE_DRIVER to its library\n");
        exit(99); // a hard error for the test runner, whatever the test did
    }
    return c;
}

#define CONTROL(result, name, params, args) \
    result fake_##name params               \
    {                                       \
        return need()->name args;           \
    }
#define CONTROL_VOID(name, params, args) \
    void fake_##name params              \
    {                                    \
        need()->name args;               \
    }
#include "fake_control.def"
#undef CONTROL
#undef CONTROL_VOID
