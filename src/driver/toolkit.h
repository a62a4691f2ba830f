// Libraries of the CUDA toolkit as tables of functions, each looked up at its first call.
//
// A call is `cuc__nvrtc.nvrtcVersion(&major, &minor)`: one load and one indirect call. A slot
// starts as a stub that finds and loads the library (find/find.h), finds the symbol, writes the
// slot and continues. If something is missing, the call returns one of the codes below instead of a
// code of the library, and cuc__fail_toolkit() turns it into a message. All functions of a table
// come from the same file.
//
// nvrtc.h, nvjitlink.h, nvfatbin.h, nvml.h and cudart.h each declare a table and a shorthand for
// its failures.
#ifndef CUCORE_DRIVER_TOOLKIT_H
#define CUCORE_DRIVER_TOOLKIT_H

#include "base/error.h"

#include <stdatomic.h>

// Codes of the libraries are 0 or positive; the codes below are negative.
enum {
    CUC__TOOLKIT_NO_LIBRARY = -1, // the library cannot be found or loaded
    CUC__TOOLKIT_NO_MEMORY = -2,  // no host memory to look for it
    CUC__TOOLKIT_MISSING = -3,    // the library lacks the function
};

typedef struct cuc__toolkit_function {
    const char *name;
    int version; // the first CUDA version that has it, such as 12080
} cuc__toolkit_function;

typedef struct cuc__toolkit_status {
    int code;
    cuc_status status;
} cuc__toolkit_status;

// A library, as code common to all libraries sees it.
typedef struct cuc__toolkit {
    const char *name;     // for cuc_find_library()
    const char *title;    // for people
    int library;          // a CUC_LIBRARY_ value
    int (*version)(void); // the loaded library's version, such as 13000; 0 if unknown
    void *(*symbol)(void *handle, const char *name); // NULL is dlsym()
    const cuc__toolkit_function *functions;
    size_t function_count;
    const cuc__toolkit_status *statuses; // codes whose status is not CUC_ERROR_TOOLKIT
    size_t status_count;
} cuc__toolkit;

// Finds a function, loading the library if necessary. Returns 0 or a CUC__TOOLKIT_ code. Any
// thread.
int cuc__toolkit_resolve(const cuc__toolkit *kit, const char *name, void (**out)(void));

// True if the library is available and has the function.
bool cuc__toolkit_has(const cuc__toolkit *kit, const char *name);

// Records that `call` of the library returned `code`, which may be a CUC__TOOLKIT_ code. `log` may
// be NULL and is copied; without a library, the log lists the places searched. The text says what
// was attempted, with its values.
cuc_status cuc__fail_toolkit(const cuc__toolkit *kit, int code, const char *function,
                             const char *call, const char *log, const char *fmt, ...)
    CUC__PRINTF(6, 7);

// Declares the table of a library and its stubs from the rows of its .def.
#define CUC__TOOLKIT_TYPE(result, name, params) typedef result(*cuc__pfn_##name) params;
#define CUC__TOOLKIT_SLOT(name) _Atomic(cuc__pfn_##name) name;
#define CUC__TOOLKIT_STUB(kit, table, result, name, params, args)         \
    static result stub_##name params                                      \
    {                                                                     \
        void (*cuc__found)(void);                                         \
        int cuc__code = cuc__toolkit_resolve(&(kit), #name, &cuc__found); \
        if (cuc__code)                                                    \
            return cuc__code;                                             \
        cuc__pfn_##name cuc__fn = (cuc__pfn_##name)cuc__found;            \
        atomic_store(&(table).name, cuc__fn);                             \
        return cuc__fn args;                                              \
    }

#endif
