// One run of a kernel: inputs, launch and results.
#ifndef CUCORE_TOOLS_LAUNCHER_H
#define CUCORE_TOOLS_LAUNCHER_H

#include "argument.h"
#include "source.h"

#include <cucore/buffer.h>
#include <cucore/device.h>
#include <cucore/kernel.h>
#include <cucore/launch.h>
#include <cucore/stream.h>

// Initial value of every output byte: it gives NaN in every floating-point type and -1 in signed
// integers.
enum { LAUNCHER_POISON = 0xFF };

typedef struct launcher {
    // Request.
    const char *path;
    const char *kernel_name;
    source source;
    source_options options;
    cuc_launch_config config;
    uint32_t repeats;   // launches to time for --time; 0: none
    double tolerance;   // outputs may deviate by tolerance * max(1, |expected|)
    bool driver_given;  // --driver real or sim
    bool interpret;     // --driver interp: run without a device
    const char *prefix; // prefix of --grid and --block in messages: "peer-"; NULL: no prefix
    argument *arguments;
    size_t argument_count;

    // State.
    cuc_device *device;
    cuc_object *object;
    cuc_kernel *kernel;
    cuc_stream *stream;
    cuc_arg *args;        // [argument_count], set by launcher_fill()
    cuc_buffer **buffers; // [argument_count], NULL for scalars
    cuc_tensor *tensors;  // [argument_count], the arrays of a tile kernel
    bool tile;            // a tile kernel, which determines its grid and block
    const char *entry;    // the entry that a tile kernel's launch took, or NULL
    void **results;       // [argument_count], contents of outputs after the run
    void **expected;      // [argument_count], expected contents of outputs; NULL: not checked
    bool counted;         // whether the driver or the PTX reported the parameter count
    double median_us, least_us, most_us;
} launcher;

// Parse the kernel arguments on the command line; return an exit status.
int launcher_take_arguments(launcher *l, size_t count, char **texts);
// Reject two outputs that name the same file; return an exit status.
int launcher_check_outputs(const launcher *l);
// Read the files, and compile or load the kernel; return an exit status. This and the following
// functions are the steps of launcher_run(), for callers that run the kernel differently.
int launcher_load(launcher *l);
// Create the arguments on l->stream: write the inputs, and fill the outputs with poison.
cuc_status launcher_fill(launcher *l);

// Compile or load, run once, read the outputs, and time; return an exit status. Writes no files.
int launcher_run(launcher *l);
// Do the same without a device: interpret a tile program on the CPU.
int launcher_interpret(launcher *l);
// Read the outputs of the launch on the stream into `results`.
cuc_status launcher_read(launcher *l);
// Compare the results with the expected ones. On a difference, report the first and return exit
// status 1.
int launcher_compare(const launcher *l);
// Write all output files, or none.
int launcher_save(launcher *l);
void launcher_release(launcher *l);

// Return how many elements of an output still hold the poison value.
uint64_t launcher_untouched(const launcher *l, size_t index, uint64_t *elements);

#endif
