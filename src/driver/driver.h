// The CUDA driver as a table of functions. The first call of a function looks it up.
//
// A call is `cuc__cu.cuStreamQuery(stream)`: one load and one indirect call. A slot starts as a
// stub. The stub loads the driver, finds the symbol at the version in cu.def, writes the slot and
// continues the call. If the driver or the symbol is missing, the call returns one of the codes
// below instead of a CUresult, and cuc__fail_driver() turns it into a message. (With gcc, a call
// reads the slot as a plain pointer, which is one load on every machine. gcc's thread sanitizer
// reports a race there; use clang's.)
#ifndef CUCORE_DRIVER_DRIVER_H
#define CUCORE_DRIVER_DRIVER_H

#include "cuda_abi.h"

#include <stdbool.h>

enum {
    CUC__CU_NO_DRIVER = -1, // the driver library cannot be loaded
    CUC__CU_TOO_OLD = -2,   // the driver is older than CUC__MIN_DRIVER
    CUC__CU_MISSING = -3,   // the driver has no such function
    CUC__CU_FORKED = -4,    // a parent process initialized the driver
};

enum {
    CUC__MIN_DRIVER = 12000, // cuLibraryLoadData and CUkernel are new in CUDA 12.0
};

#define CU(name, version, params, args) typedef CUresult(*cuc__pfn_##name) params;
#include "cu.def"
#undef CU

struct cuc__cu_table {
#define CU(name, version, params, args) _Atomic(cuc__pfn_##name) name;
#include "cu.def"
#undef CU
};

// The process's only table. Only the stubs write it, and a forked child resets it.
extern struct cuc__cu_table cuc__cu;

// Loads the driver and calls cuInit, once per process; later calls return the same result. Returns
// 0, a CUC__CU_ code, or the result of cuInit.
int cuc__driver_start(void);

// Returns the result of cuDriverGetVersion, such as 13000, even for a driver that is too old.
// Returns 0 if there is no driver.
int cuc__driver_version(void);

// Returns true for a driver that exports cucoreSimulatedDriver. Such a driver runs PTX and cannot
// load a cubin.
bool cuc__driver_simulated(void);

// Writes a simulated driver's diagnosis of a call that failed on this thread with `code`. Returns
// false if there is no diagnosis, and for any other driver.
bool cuc__driver_finding(const char *call, int code, char *text, size_t bytes);

// Returns the path of the driver's file, or "" before it is loaded.
const char *cuc__driver_path(void);

// Returns true if CUCORE_DRIVER named the driver.
bool cuc__driver_chosen(void);

// Returns true in the child of a process that had initialized the driver.
bool cuc__driver_forked(void);

// Explains why the driver could not be loaded: lists the places tried, one per line. Never returns
// NULL.
const char *cuc__driver_trail(void);

// Returns the version of a function in cu.def, or 0 if cu.def does not list it.
int cuc__driver_function_version(const char *name);

// Looks up a symbol with cuGetProcAddress at the given version. Returns 0 or one of the codes
// above.
int cuc__driver_resolve(const char *name, int version, void (**out)(void));

// Returns true if the driver has a function. Loads the driver if necessary.
bool cuc__driver_has(const char *name);

#endif
