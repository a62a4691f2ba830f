// One run of a kernel: what it needs, and what came of it.
#ifndef CUCORE_TOOLS_LAUNCHER_H
#define CUCORE_TOOLS_LAUNCHER_H

#include "argument.h"
#include "source.h"

#include <cucore/buffer.h>
#include <cucore/device.h>
#include <cucore/kernel.h>
#include <cucore/launch.h>
#include <cucore/stream.h>

// Every byte of an output before the kernel runs: NaN in every floating-point type, -1 in signed
// integers.
enum { LAUNCHER_POISON = 0xFF };

typedef struct launcher {
    // What is asked for.
    const char *path;
    const char *kernel_name;
    source source;
    source_options options;
    cuc_launch_config config;
    uint32_t repeats;   // of --time; 0: none
    double tolerance;   // outputs may be off by tolerance * max(1, |expected|)
    bool driver_given;  // --driver real or sim
    bool interpret;     // --driver interp: no device is used
    const char *prefix; // of --grid and --block in messages: "peer-"; NULL: none
    argument *arguments;
    size_t argument_count;

    // What is made of it.
    cuc_device *device;
    cuc_object *object;
    cuc_kernel *kernel;
    cuc_stream *stream;
    cuc_arg *args;        // [argument_count], once launcher_fill() has made them
    cuc_buffer **buffers; // [argument_count], NULL for scalars
    cuc_tensor *tensors;  // [argument_count], what arrays are to a tile kernel
    bool tile;            // the kernel is a tile program's: it has its own grid and block
    void **results;       // [argument_count], what outputs hold afterwards
    void **expected;      // [argument_count], what outputs must equal; NULL: anything
    bool counted;         // the driver or the PTX told how many parameters there are
    double median_us, least_us, most_us;
} launcher;

// Arguments of the kernel as the command line has them. An exit status.
int launcher_take_arguments(launcher *l, size_t count, char **texts);
// Refuse two outputs that name one file. An exit status.
int launcher_check_outputs(const launcher *l);
// The steps of launcher_run(), for whoever runs the kernel otherwise. Read the files and compile or
// load the kernel: an exit status.
int launcher_load(launcher *l);
// Make the arguments on l->stream, inputs written and outputs poisoned.
cuc_status launcher_fill(launcher *l);

// Compile or load, then run once, read the outputs back, and time. An exit status; nothing is
// written to files.
int launcher_run(launcher *l);
// The same without a device: a tile program on the CPU.
int launcher_interpret(launcher *l);
// Read the outputs of the launch that the stream has, into `results`.
cuc_status launcher_read(launcher *l);
// Compare the results with those expected. Exit status 1, with the first element that differs.
int launcher_compare(const launcher *l);
// Write the outputs to their files: all, or none.
int launcher_save(launcher *l);
void launcher_release(launcher *l);

// How many elements of an output are still as they were poisoned.
uint64_t launcher_untouched(const launcher *l, size_t index, uint64_t *elements);

#endif
