// Kernels that cucore build compiles, and the C header that declares them.
#ifndef CUCORE_TOOLS_BUILD_H
#define CUCORE_TOOLS_BUILD_H

#include "cli.h"

#include <cucore/object.h>

#include "base/text.h"

// A kernel's parameter, as the generated function takes it.
typedef struct build_parameter {
    char *name;
    const char *type; // "float "
    const char *arg;  // "CUC_F32"
    uint32_t bytes;   // size of the argument
} build_parameter;

typedef struct build_kernel {
    char *symbol;
    char *name;        // an identifier, used in function names
    char *declaration; // the declaration that the header shows in a comment
    const char *source;
    bool tile;
    bool has_grid;
    build_parameter *parameters;
    size_t parameter_count;
} build_kernel;

// Describe the kernel `symbol` of an object that has PTX.
bool build_describe(build_kernel *out, cuc_object *object, const char *symbol, cli_why *why);
// Return whether both have the same parameters.
bool build_same_parameters(const build_kernel *a, const build_kernel *b);
void build_kernel_free(build_kernel *kernel);

// Names and other strings for the header and the C array.
typedef struct build_text {
    const char *prefix;      // prefix of all names: "kernels"
    const char *header_name; // name by which the C array's file includes the header
    const char *archs;       // "sm_80, sm_90a"
    bool embed;              // whether the header declares the array
    const build_kernel *kernels;
    size_t kernel_count;
} build_text;

// Write the header, or the C array that holds some code.
void build_write_header(struct cuc__text *out, const build_text *text);
void build_write_array(struct cuc__text *out, const build_text *text, const void *code,
                       size_t bytes);

// Return the identifier closest to a string.
char *build_identifier(const char *text);

#endif
