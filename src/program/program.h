// Programs: the source, and the flags for its compilation.
#ifndef CUCORE_PROGRAM_PROGRAM_H
#define CUCORE_PROGRAM_PROGRAM_H

#include <cucore/linker.h>
#include <cucore/program.h>

#include "base/handle.h"
#include "cache/key.h"
#include "compile_log.h"
#include "options.h"
#include "tile/ir/budget.h"
#include "tile/ir/target.h"

enum { CUC__PROGRAM_TARGETS = 3 }; // CUC_CODE_PTX, CUC_CODE_CUBIN, CUC_CODE_LTOIR

// Settings of a tile program.
struct cuc__program_tile {
    cuc__flags constants;  // "NAME=VALUE"
    cuc__flags dimensions; // "NAME=EXTENT": dimensions for which candidates are chosen
    char *tuned;           // path of the file of tuning records; NULL for the usual places
    char *record[3];       // the program, constants and dimensions of the tuning record last
                           // requested, as text
    // Options for the assembler. The lists in `assemble` point to them.
    cuc__flags ptxas_options, further;
    cuc_linker_options assemble;
    cuc__arch arch;            // number 0 means the current device's architecture, which is queried
                               // on first use
    struct tile_target target; // from the options and from `arch`
    bool of_device;            // `arch` belongs to a detected device
    bool remarks;
    struct tile_limits limits; // limits of each compilation; 0 for the default
    char *ir, *machine;        // the strings last requested
};

struct cuc_program {
    cuc__handle head;
    int32_t source_kind;
    char *name;
    char *text;
    size_t bytes;

    // For CUDA C++: everything that goes to NVRTC, in its format.
    cuc__arch arch;
    cuc__flags flags[CUC__PROGRAM_TARGETS]; // by CUC_CODE_ value minus one
    cuc__flags expressions;
    cuc__flags header_names, header_texts;
    bool pch;         // the compiler may write a precompiled header
    bool needs_ltoir; // link_time_optimization is on, so the only output is LTO-IR

    cuc_linker *linker; // assembles PTX; for a tile program, created on first use
    struct cuc__program_tile tile;

    cuc_cache *cache;     // retained; NULL means the default cache
    char not_cached[160]; // why results are not cached; "" if they are
    char *log;            // from the last compilation; NULL if none
    int32_t pch_status;
    uint64_t compile_ns;
};

// nvrtc.c

// Compiles CUDA C++ and creates the object. Records failures under the name in `function`.
cuc_status cuc__program_run_nvrtc(cuc_object **out, cuc_program *program, int32_t target,
                                  const char *function);

// Refuses a kind of code to which programs cannot be compiled.
cuc_status cuc__program_check_target(int32_t target, const char *function);

// Appends text to the log.
static inline void cuc__program_add_log(cuc_program *program, const char *text)
{
    cuc__log_add(&program->log, text);
}

// ptx.c

// Translates options to a linker's options, for PTX or a tile program. Refuses options that have no
// meaning there.
cuc_status cuc__program_translate(cuc_linker_options *to, const cuc_program_options *options,
                                  int32_t source_kind, const char *function);
cuc_status cuc__program_init_ptx(cuc_program *program, const cuc_program_options *options,
                                 const char *function);
cuc_status cuc__program_run_ptx(cuc_object **out, cuc_program *program, int32_t target,
                                const char *function);
// Assembles the linker's inputs to a cubin, and adds the linker's logs to the program's log.
cuc_status cuc__program_assemble(cuc_object **out, cuc_program *program, const char *function);

// tile.c

// Refuses options of tile programs in another language.
cuc_status cuc__program_refuse_tile_options(const cuc_program_options *options,
                                            const char *language, const char *function);
cuc_status cuc__program_init_tile(cuc_program *program, const cuc_program_options *options,
                                  const char *function);
cuc_status cuc__program_run_tile(cuc_object **out, cuc_program *program, int32_t target,
                                 const char *function);
// Returns the module of a tile program without errors, for purposes other than compiling. The
// caller frees the module. The caller also opens the budget, which must outlive the module.
cuc_status cuc__program_open_tile(struct tile_module **out, cuc_program *program,
                                  struct tile_budget *budget, const char *function);
// Records the failure of a program whose module has errors, ran out of memory or exceeded its
// budget.
cuc_status cuc__program_fail_tile(cuc_program *program, struct tile_module *module,
                                  const char *function);
// Returns a module's kernel by name or, if `name` is NULL, its only kernel.
cuc_status cuc__tile_kernel_named(const struct tile_kernel **out, const struct tile_module *module,
                                  const char *name, const char *function);
// Returns the module with layouts assigned for the program's target.
cuc_status cuc__program_lay_out_tile(struct tile_module **out, cuc_program *program,
                                     struct tile_budget *budget, const char *function);
void cuc__program_release_tile(struct cuc__program_tile *tile);

// choose.c

// The constants that a tile program is compiled with: the program's own settings and, if the target
// is known, the candidates of auto() chosen for its dimensions.
struct cuc__program_choice {
    cuc__flags constants;
    cuc__flags kernels, texts; // messages about each kernel's choice
    struct tile_target target; // includes the options from a tuning record
    const cuc_program *program;
    const char *function;
    cuc_status status; // the status of the search for tuning records
};
// If `tries`, each choice is compiled before it is taken.
cuc_status cuc__program_choose(struct cuc__program_choice *out, const cuc_program *program,
                               struct tile_budget *budget, bool tries, const char *function);
// Reports the choice as remarks.
void cuc__program_report_choice(const struct cuc__program_choice *choice,
                                struct tile_module *module);
// Tells each kernel whether its grid fills the device for the given dimensions.
void cuc__program_note_grids(const cuc_program *p, const struct tile_target *target,
                             struct tile_module *module);
// Remarks on kernels whose grid leaves multiprocessors idle for the given dimensions.
void cuc__program_remark_grids(const cuc_program *p, const struct tile_target *target,
                               struct tile_module *module);
void cuc__program_drop_choice(struct cuc__program_choice *choice);
// Adds to a key the inputs of the choice other than the program: the current device and its tuning
// records.
void cuc__program_add_records(cuc__key_maker *key, const cuc_program *program,
                              const char *function);
// Reads the program's architecture from the current device, unless it is already known.
cuc_status cuc__program_read_arch(cuc_program *program, const char *function);

#endif
