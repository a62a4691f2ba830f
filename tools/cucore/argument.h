// The text form of kernel arguments: the ARG of cucore run, tune and bench kernel.
#ifndef CUCORE_TOOLS_ARGUMENT_H
#define CUCORE_TOOLS_ARGUMENT_H

#include "npy.h"
#include "scalar.h"

enum { ARGUMENT_MAX = 1024 }; // kernel parameters are limited to 4 KiB or 32 KiB

enum { ARGUMENT_SCALAR, ARGUMENT_IN, ARGUMENT_INOUT, ARGUMENT_OUT };

typedef struct argument {
    int kind;
    const char *text; // as given; borrowed
    cuc_dtype dtype;  // if the user names no type, known once the file is read
    bool named;       // whether in: or inout: names the type
    uint8_t scalar[SCALAR_MAX_BYTES];
    char *in_path;
    char *out_path;      // file for the result; NULL: none
    char *expected_path; // file with the expected result; NULL: none
    int32_t rank;
    int64_t shape[NPY_MAX_RANK];
    uint64_t bytes;
    void *file;         // contents of in_path
    size_t data_offset; // offset of the elements in `file`
} argument;

// Parse an argument without opening any file. On failure the caller reports a usage error.
//
//   SCALAR  is  TYPE:VALUE
//   ARRAY   is  in:[TYPE:]FILE | inout:[TYPE:]FILE TARGET | out:TYPE[SHAPE] TARGET
//   TARGET  is  =FILE, written | ==FILE, compared with | =-, neither
bool argument_parse(argument *out, const char *text, cli_why *why);

// Read and check the file of an in: or inout: argument; do nothing for other arguments.
bool argument_load(argument *a, cli_why *why);

// "f32[64,32]"
const char *argument_type(const argument *a, char *out, size_t size);
const char *argument_kind_name(int kind);

void argument_release(argument *a);

#endif
