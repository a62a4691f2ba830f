// Loads the simulated driver for a program without cucore: looks up every function under its name
// in libcuda.so.1. CUCORE_DRIVER is the driver's path. Each test runs in its own process, and opens
// the driver after setting the environment.
#ifndef CUCORE_TESTS_SIM_DRIVER_SYMBOLS_H
#define CUCORE_TESTS_SIM_DRIVER_SYMBOLS_H

#include <check.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "driver/cuda_abi.h"

// Every function, with the name in its row.
#define CU(name, version, params, args) __attribute__((unused)) static CUresult(*name) params;
#include "driver/cu.def"
#include "sim/shell/more.def"
#undef CU

static void *library;
static CUcontext context;

static const struct {
    const char *symbol;
    void *slot; // where the function goes; NULL: the symbol is another form of a row's function
} symbols[] = {
#define EXPORT(row, symbol) { #symbol, &row },
#define ALSO(row, symbol, version) { #symbol, NULL },
#define PER_THREAD(row, symbol) { #symbol, NULL },
#define ALSO_PER_THREAD(row, symbol) { #symbol, NULL },
#include "sim/shell/exports.def"
#undef EXPORT
#undef ALSO
#undef PER_THREAD
#undef ALSO_PER_THREAD
};

static void *symbol(const char *name)
{
    void *p = dlsym(library, name);

    ck_assert_msg(p != NULL, "%s is not exported", name);
    return p;
}

static void open_driver(void)
{
    const char *path = getenv("CUCORE_DRIVER");

    library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    for (size_t i = 0; i < CUC_LENGTH(symbols); i++) {
        void *p = symbol(symbols[i].symbol);
        if (symbols[i].slot)
            memcpy(symbols[i].slot, &p, sizeof(p));
    }
}

#define ck_cu(call) ck_assert_int_eq(call, CUDA_SUCCESS)

__attribute__((unused)) static void start(void)
{
    open_driver();
    ck_cu(cuInit(0));
    ck_cu(cuCtxCreate_v2(&context, 0, 0));
}

#endif
