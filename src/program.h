// A program: its source, and the flags it is compiled with.
#ifndef CUCORE_SRC_PROGRAM_H
#define CUCORE_SRC_PROGRAM_H

#include <cucore/linker.h>
#include <cucore/program.h>

#include "handle.h"
#include "program_options.h"

enum { CUC__PROGRAM_TARGETS = 3 }; // CUC_CODE_PTX, CUC_CODE_CUBIN, CUC_CODE_LTOIR

struct cuc_program {
    cuc__handle head;
    int32_t source_kind;
    char *name;
    char *text;
    size_t bytes;

    // CUDA C++: everything that NVRTC is given, as it takes it.
    cuc__arch arch;
    cuc__flags flags[CUC__PROGRAM_TARGETS]; // by CUC_CODE_ value, less one
    cuc__flags expressions;
    cuc__flags header_names, header_texts;
    bool pch;         // a precompiled header may be written
    bool needs_ltoir; // link_time_optimization is on: nothing but LTO-IR comes out

    cuc_linker *linker; // PTX: assembles it

    char *log; // of the last compilation; NULL is none
    int32_t pch_status;
    uint64_t compile_ns;
};

// program_nvrtc.c

// Compile CUDA C++ and make the object. Failures are recorded under `function`'s name.
cuc_status cuc__program_run_nvrtc(cuc_object **out, cuc_program *program, int32_t target,
                                  const char *function);

#endif
