// The FILE argument of cucore compile and cucore run, and its compile options.
#ifndef CUCORE_TOOLS_SOURCE_H
#define CUCORE_TOOLS_SOURCE_H

#include "cli.h"

#include <cucore/device.h>
#include <cucore/object.h>
#include <cucore/program.h>

// The kind of a file, which its suffix or --lang determines.
typedef struct source_language {
    const char *name; // "cu"; such files end in ".cu"
    int32_t source;   // a CUC_SOURCE_ value; 0 for object code
    int32_t code;     // a CUC_CODE_ value; 0 if the driver cannot load it directly
} source_language;

typedef struct source {
    const source_language *language;
    char *name;      // file name without folder, for messages
    char arch[16];   // buffer for source_device_arch()
    char *directory; // folder to which quoted includes are relative
    void *text;
    size_t bytes;
} source;

// Compile options. The values point into argv.
typedef struct source_options {
    const char *arch;
    const char *language;
    const char *standard;
    char **known; // dimensions that arguments determine, used unless the user gave them; owned
    size_t known_count;
    const char **includes, **defines, **extra, **expressions, **constants, **dimensions;
    size_t include_count, define_count, extra_count, expression_count, constant_count,
        dimension_count;
    size_t capacity; // capacity of each list: no list can be longer than argv
    uint32_t warps, stages, cluster, split, raster;
    uint64_t operations, ptx_bytes, memory_bytes; // budgets; 0: the default
    double seconds;
    bool remarks, require_tma, require_tensor_core, no_fma;
} source_options;

enum {
    SOURCE_ARCH = CLI_LONG,
    SOURCE_LANG,
    SOURCE_STD,
    SOURCE_OPTION,
    SOURCE_EXPRESSION,
    SOURCE_SET,
    SOURCE_DIMENSION,
    SOURCE_WARPS,
    SOURCE_STAGES,
    SOURCE_CLUSTER,
    SOURCE_SPLIT,
    SOURCE_RASTER,
    SOURCE_BUDGET,
    SOURCE_REQUIRE_TMA,
    SOURCE_REQUIRE_TENSOR_CORE,
    SOURCE_NO_FMA,
    SOURCE_NEXT_ID
};

// clang-format off
#define SOURCE_OPTIONS                                                                           \
    { "arch", SOURCE_ARCH, "ARCH", "target architecture: sm_90, sm_90a, compute_90, ..." },           \
    { "include-path", 'I', "DIR", "search DIR for headers; may be given again" },                     \
    { "define-macro", 'D', "NAME[=V]", "define a macro; may be given again" },                        \
    { "std", SOURCE_STD, "STD", "C++ standard: c++11, c++14, c++17, c++20" },                         \
    { "option", SOURCE_OPTION, "RAW", "pass a flag to the compiler; repeatable" },                    \
    { "set", SOURCE_SET, "NAME=VALUE", "a constant of a tile program; repeatable" },                  \
    { "dim", SOURCE_DIMENSION, "NAME=EXTENT", "dimension to choose auto() for; repeatable" },         \
    { "warps", SOURCE_WARPS, "N", "per block of a tile program: a power of two up to 32" },           \
    { "stages", SOURCE_STAGES, "N", "of a tile program's pipelined loops: 2 to 24" },                 \
    { "tile-cluster", SOURCE_CLUSTER, "N", "blocks of a tile program that share loads: 2, 4 or 8" },          \
    { "tile-split", SOURCE_SPLIT, "N", "blocks that share a product's inner axis, or a loop: up to 16" },         \
    { "tile-raster", SOURCE_RASTER, "N", "tiles along the grid's first axis per group: up to 64" },   \
    { "budget", SOURCE_BUDGET, "NAME=N", "tile compiler limit: operations, ptx, memory, seconds" },   \
    { "require-tma", SOURCE_REQUIRE_TMA, NULL, "refuse a load with tma=true that cannot use it" },    \
    { "require-tensor-core", SOURCE_REQUIRE_TENSOR_CORE, NULL, "refuse an mma that cannot use one" }, \
    { "no-fma", SOURCE_NO_FMA, NULL, "round products before additions" },                             \
    { "lang", SOURCE_LANG, "LANG", "kind of FILE if its suffix does not say: cu, ptx or tile" }
// clang-format on

void source_options_begin(source_options *o, int argc);
// source_options_know() adds "NAME=EXTENT", which a kernel argument determines.
// source_options_take() returns 0 if the option was accepted, -1 if it is unknown here, or an exit
// status.
void source_options_know(source_options *o, const char *dimension);
int source_options_take(source_options *o, int id, const char *value);
void source_options_end(source_options *o);
// Return whether any compiler-only option was given.
bool source_options_given(const source_options *o);

// Determine the kind of FILE without opening it. Returns an exit status; CLI_USAGE after printing a
// message.
int source_identify(source *out, const char *path, const source_options *o);
bool source_read(source *s, const char *path, cli_why *why);
void source_release(source *s);

// Return the default architecture. For tile programs it has all features of the device, such as
// "sm_90a" for 9.0. The text is stored in `s` or static.
const char *source_device_arch(source *s, const cuc_device *device);

// Copy the given options of a tile program.
void source_tile_options(cuc_program_options *to, const source_options *o);
// Create a program from a read source for `arch`; *out is untouched on failure.
cuc_status source_program(cuc_program **out, const source *s, const source_options *o,
                          const char *arch);

#endif
