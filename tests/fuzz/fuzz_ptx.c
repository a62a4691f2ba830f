// Feeds arbitrary text to the simulator, which either rejects it with a message or runs its first
// kernel until it ends or faults. Works with libFuzzer and with mutate.c.
#include "../sim/harness.h"
#include "sim/exec/handlers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 16, MEMORY = 4096, PARAMETER_BYTES = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

// Passes the address of the memory as every parameter; a kernel may run for a fifth of a second.
static void run(struct sim_program *program)
{
    static void *memory;
    const struct sim_code *code = sim_program_kernel(program, 0)->code;
    struct harness_launch launch = { .grid = { 2 }, .block = { 33 } };

    if (code->source->parameter_count > ARGUMENTS || code->entry_param_bytes > PARAMETER_BYTES)
        return;
    if (!memory)
        memory = harness_memory(MEMORY);
    for (int i = 0; i < ARGUMENTS; i++)
        launch.arguments[i] = HARNESS_POINTER(memory);
    sim_timeout = 200000000;
    harness_run(program, &launch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char log[1024] = "";
    char *text = malloc(bytes + 1);

    if (!text)
        return 0;
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    struct sim_program *program = sim_program_load(text, bytes, 90, log, sizeof(log));
    size_t said = strlen(log);
    if (!program && (said < 2 || strcmp(log + said - 2, ": ") == 0)) { // the log has no reason
        fprintf(stderr, "it is refused without a word:\n%s\n", text);
        abort();
    }
    if (program && sim_program_kernel_count(program))
        run(program);
    if (program)
        sim_program_free(program);
    free(text);
    return 0;
}
