// Libraries of the CUDA toolkit as tables of functions. The first call of a function looks it up.
//
// A call is `cuc__nvrtc.nvrtcVersion(&major, &minor)`: one load and one indirect call. A slot
// starts as a stub. The stub finds and loads the library (find/find.h), finds the symbol, writes
// the slot and continues the call. If the library or the symbol is missing, the call returns one of
// the codes below instead of the library's own code, and cuc__fail_toolkit() turns it into a
// message. All functions of a table come from the same file.
//
// nvrtc.h, nvjitlink.h, nvfatbin.h, nvml.h and cudart.h each declare a table and a shorthand for
// its failures.
#ifndef CUCORE_DRIVER_TOOLKIT_H
#define CUCORE_DRIVER_TOOLKIT_H

#include "base/error.h"

#include <stdatomic.h>

// The libraries' own codes are 0 or positive; the codes below are negative.
enum {
    CUC__TOOLKIT_NO_LIBRARY = -1, // the library cannot be found or loaded
    CUC__TOOLKIT_NO_MEMORY = -2,  // no host memory for the search
    CUC__TOOLKIT_MISSING = -3,    // the library lacks the function
};

typedef struct cuc__toolkit_function {
    const char *name;
    int version; // the first CUDA version with this function, such as 12080
} cuc__toolkit_function;

typedef struct cuc__toolkit_status {
    int code;
    cuc_status status;
} cuc__toolkit_status;

// Describes a library to the code that all libraries share.
typedef struct cuc__toolkit {
    const char *name;     // for cuc_find_library()
    const char *title;    // the name in messages
    int library;          // a CUC_LIBRARY_ value
    int (*version)(void); // returns the loaded library's version, such as 13000, or 0 if unknown
    void *(*symbol)(void *handle, const char *name); // NULL is dlsym()
    const cuc__toolkit_function *functions;
    size_t function_count;
    const cuc__toolkit_status *statuses; // codes that map to a status other than CUC_ERROR_TOOLKIT
    size_t status_count;
} cuc__toolkit;

// Finds a function, and loads the library if necessary. Returns 0 or a CUC__TOOLKIT_ code. Any
// thread may call it.
int cuc__toolkit_resolve(const cuc__toolkit *kit, const char *name, void (**out)(void));

// Returns true if the library is available and has the function.
bool cuc__toolkit_has(const cuc__toolkit *kit, const char *name);

// Records that the library's function `call` returned `code`, which may be a CUC__TOOLKIT_ code.
// `log` may be NULL; the record keeps a copy. If there is no library, the log lists the places
// searched. The formatted text says what was attempted, with its values.
cuc_status cuc__fail_toolkit(const cuc__toolkit *kit, int code, const char *function,
                             const char *call, const char *log, const char *fmt, ...)
    CUC__PRINTF(6, 7);

// Declare a library's table and its stubs from the rows of its .def.
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
