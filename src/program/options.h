// Converts options to compiler flags. A table for each backend maps the fields of an options struct
// to flags, and one function applies the table. The tables of NVRTC (options.c) and nvJitLink
// (linker_options.c) have the same format.
#ifndef CUCORE_PROGRAM_OPTIONS_H
#define CUCORE_PROGRAM_OPTIONS_H

#include <cucore/program.h>

#include "base/error.h"

// A growing list of flags. If memory runs out while a flag is added, the failure shows when the
// complete list is read.
typedef struct cuc__flags {
    char **at;
    size_t count, capacity;
    bool no_memory;
} cuc__flags;

void cuc__flags_add(cuc__flags *flags, const char *start, const char *value);
void cuc__flags_free(cuc__flags *flags);

// The type of a field and the format of its flag.
enum {
    CUC__OPTION_SWITCH,  // int32_t: CUC_ON yields the flag `on`, CUC_OFF the flag `off`
    CUC__OPTION_NUMBER,  // int32_t: `on` followed by the number; 0 yields nothing, CUC_ZERO yields
                         // 0
    CUC__OPTION_TEXT,    // const char *: `on` followed by the text; NULL yields nothing
    CUC__OPTION_TEXTS,   // const char *const * and a count: `on` followed by each text
    CUC__OPTION_AMOUNT,  // uint64_t, or a nonnegative double; used only by cucore itself
    CUC__OPTION_CALL,    // a function; used only by cucore itself
    CUC__OPTION_HEADERS, // int32_t: CUC_ON yields `on` followed by the folder of the compiler's
                         // headers
    CUC__OPTION_NUMBERS, // const int32_t * and a count: `on` followed by each number
};

typedef struct cuc__option {
    const char *field;    // for messages
    const char *on, *off; // NULL if that state is the default and needs no flag
    int32_t since;        // the backend's first release with the option; 0 for any
    int16_t driver;       // the driver's CUjit_option, or -1; only in the linker's table
    uint16_t kind;
    uint16_t offset, count_offset;
    int32_t max; // maximum of a number; 0 for any
} cuc__option;

// clang-format off
#define CUC__SWITCH(type, field, on, off, since, driver) \
    { #field, on, off, since, driver, CUC__OPTION_SWITCH, offsetof(type, field), 0, 0 }
#define CUC__NUMBER(type, field, on, max, driver) \
    { #field, on, NULL, 0, driver, CUC__OPTION_NUMBER, offsetof(type, field), 0, max }
#define CUC__TEXT(type, field, on) \
    { #field, on, NULL, 0, -1, CUC__OPTION_TEXT, offsetof(type, field), 0, 0 }
#define CUC__TEXTS(type, field, count, on) \
    { #field, on, NULL, 0, -1, CUC__OPTION_TEXTS, offsetof(type, field), offsetof(type, count), 0 }
#define CUC__NUMBERS(type, field, count, on) \
    { #field, on, NULL, 0, -1, CUC__OPTION_NUMBERS, offsetof(type, field), offsetof(type, count), 0 }
#define CUC__AMOUNT(type, field) \
    { #field, NULL, NULL, 0, -1, CUC__OPTION_AMOUNT, offsetof(type, field), 0, 0 }
#define CUC__CALL(type, field) \
    { #field, NULL, NULL, 0, -1, CUC__OPTION_CALL, offsetof(type, field), 0, 0 }
// clang-format on

// A backend's options, in the order of its flags.
typedef struct cuc__option_table {
    const cuc__option *at;
    size_t count;
    const char *backend;  // for messages
    int (*version)(void); // returns the installed backend's version, such as 13000; called for rows
                          // that set `since`
} cuc__option_table;

// Returns true if a field differs from its default.
bool cuc__option_is_set(const cuc__option *option, const void *options);

// Checks every field and appends its flags. A failure names the field and the value.
cuc_status cuc__options_to_flags(cuc__flags *flags, const cuc__option_table *table,
                                 const void *options, const char *function);

// A parsed architecture: "sm_90a" is 90, 'a' and real; "compute_90" is 90, 0 and virtual.
typedef struct cuc__arch {
    char text[16]; // "sm_90a"
    int number;
    char suffix; // 'a', 'f' or 0
    bool real;
} cuc__arch;

// Parses an architecture. NULL means the current device's.
cuc_status cuc__arch_read(cuc__arch *arch, const char *text, const char *function);

// Checks the name of a source or object. Refuses folders and control characters.
cuc_status cuc__name_check(const char *name, const char *function);

extern const cuc__option_table cuc__program_options_table;

#endif
