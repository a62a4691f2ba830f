// A program: its source, and the flags it is compiled with.
#ifndef CUCORE_PROGRAM_PROGRAM_H
#define CUCORE_PROGRAM_PROGRAM_H

#include <cucore/linker.h>
#include <cucore/program.h>

#include "base/handle.h"
#include "options.h"
#include "tile/ir/budget.h"
#include "tile/ir/target.h"

enum { CUC__PROGRAM_TARGETS = 3 }; // CUC_CODE_PTX, CUC_CODE_CUBIN, CUC_CODE_LTOIR

// What a tile program is compiled with.
struct cuc__program_tile {
    cuc__flags constants;              // "NAME=VALUE"
    cuc__flags dimensions;             // "NAME=EXTENT", to choose further ones by
    char *tuned;                       // where records are; NULL: where they usually are
    char *record[3];                   // texts of the last record that was asked for
    cuc__flags ptxas_options, further; // of who assembles: the lists of `assemble`
    cuc_linker_options assemble;
    cuc__arch arch;            // number 0: the current device's, asked for when it is needed
    struct tile_target target; // as the options ask; the rest is the arch's
    bool of_device;            // the arch is of a device that was found
    bool remarks;
    struct tile_limits limits; // of each compilation, 0: the default
    char *ir, *machine; // of the last that were asked for
};

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

    cuc_linker *linker; // PTX: assembles it; a tile program's is made when it is first needed
    struct cuc__program_tile tile;

    char *log; // of the last compilation; NULL is none
    int32_t pch_status;
    uint64_t compile_ns;
};

// program_nvrtc.c

// Compile CUDA C++ and make the object. Failures are recorded under `function`'s name.
cuc_status cuc__program_run_nvrtc(cuc_object **out, cuc_program *program, int32_t target,
                                  const char *function);

// Text behind the log.
void cuc__program_add_log(cuc_program *program, const char *text);

// program_ptx.c

// Options as those of a linker, for PTX or a tile program; what means nothing there is refused.
cuc_status cuc__program_translate(cuc_linker_options *to, const cuc_program_options *options,
                                  int32_t source_kind, const char *function);
cuc_status cuc__program_init_ptx(cuc_program *program, const cuc_program_options *options,
                                 const char *function);
cuc_status cuc__program_run_ptx(cuc_object **out, cuc_program *program, int32_t target,
                                const char *function);
// What the linker has, to a cubin; its logs go to the program's.
cuc_status cuc__program_assemble(cuc_object **out, cuc_program *program, const char *function);

// program_tile.c

// Options of tile programs mean nothing in another language.
cuc_status cuc__program_refuse_tile_options(const cuc_program_options *options,
                                            const char *language, const char *function);
cuc_status cuc__program_init_tile(cuc_program *program, const cuc_program_options *options,
                                  const char *function);
cuc_status cuc__program_run_tile(cuc_object **out, cuc_program *program, int32_t target,
                                 const char *function);
// The module of a program, which must be a tile program without errors, for more than compiling it;
// the caller opens the budget, which outlives it, and frees it.
cuc_status cuc__program_open_tile(struct tile_module **out, cuc_program *program,
                                  struct tile_budget *budget, const char *function);
// The failure of a program whose module has errors, or ran out of memory or of its budget.
cuc_status cuc__program_fail_tile(cuc_program *program, struct tile_module *module,
                                  const char *function);
// Its kernel of a name; without a name, the only one.
cuc_status cuc__tile_kernel_named(const struct tile_kernel **out, const struct tile_module *module,
                                  const char *name, const char *function);
// The same module with its layouts for what it is compiled for.
cuc_status cuc__program_lay_out_tile(struct tile_module **out, cuc_program *program,
                                     struct tile_budget *budget, const char *function);
void cuc__program_release_tile(struct cuc__program_tile *tile);

// program_choose.c

// The constants that a tile program is compiled with: its own, and candidates of auto() for its
// dimensions, once it is known what is compiled for.
struct cuc__program_choice {
    cuc__flags constants;
    cuc__flags kernels, texts; // what is said of each kernel
    struct tile_target target; // with what records say of it
    const cuc_program *program;
    const char *function;
    cuc_status status; // of looking into records
};
cuc_status cuc__program_choose(struct cuc__program_choice *out, const cuc_program *program,
                               struct tile_budget *budget, const char *function);
// As remarks.
void cuc__program_tell_choice(const struct cuc__program_choice *choice, struct tile_module *module);
void cuc__program_drop_choice(struct cuc__program_choice *choice);
// With the architecture that the program is for, asked for where it is not known.
cuc_status cuc__program_read_arch(cuc_program *program, const char *function);

#endif
