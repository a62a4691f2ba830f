// Wraps a few instructions in a kernel. Each thread reads its inputs into registers %i0, %i1 ...,
// executes the body, and writes %o0, %o1 ... to the outputs. %g is the address of memory that all
// threads share, and %t is the thread's number in the grid.
#ifndef CUCORE_TEST_SIM_EXERCISE_H
#define CUCORE_TEST_SIM_EXERCISE_H

#include "harness.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct exercise {
    // One letter for each register: h .b16, b .b32, l .b64, f .f32, d .f64.
    const char *inputs, *outputs;
    const char *outside; // variables and functions of the module; may be NULL
    const char *body;
    uint32_t blocks, threads; // threads per block; 0: 1 block, 32 threads
    int arch;                 // compiles for sm_<arch>a; 0: 90
};

static inline uint32_t letter_bytes(char letter)
{
    return letter == 'h' ? 2 : letter == 'l' || letter == 'd' ? 8 : 4;
}

static inline const char *letter_type(char letter)
{
    return letter == 'h'   ? "b16"
           : letter == 'l' ? "b64"
           : letter == 'f' ? "f32"
           : letter == 'd' ? "f64"
                           : "b32";
}

static inline void say(char *text, size_t room, const char *fmt, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + used, room - used, fmt, args);
    va_end(args);
}

// Returns the PTX of an exercise; the caller frees it.
static inline char *exercise_ptx(const struct exercise *x)
{
    size_t room = strlen(x->body) + (x->outside ? strlen(x->outside) : 0) + (1 << 14);
    char *ptx = calloc(room, 1);
    uint32_t threads = (x->blocks ? x->blocks : 1) * (x->threads ? x->threads : 32), at = 0;

    say(ptx, room, ".version 9.0\n.target sm_%da\n.address_size 64\n%s\n", x->arch ? x->arch : 90,
        x->outside ? x->outside : "");
    say(ptx, room,
        ".visible .entry k(.param .u64 pi, .param .u64 po, .param .u64 pg)\n{\n"
        ".reg .b64 %%in, %%out, %%g, %%a;\n.reg .b32 %%t, %%n, %%r<32>;\n.reg .pred %%p<8>;\n"
        ".reg .b64 %%x<16>;\n.reg .f32 %%f<16>;\n.reg .f64 %%d<8>;\n.reg .b16 %%h<8>;\n"
        ".reg .b128 %%q<4>;\n");
    for (uint32_t i = 0; x->inputs[i]; i++)
        say(ptx, room, ".reg .%s %%i%u;\n", letter_type(x->inputs[i]), i);
    for (uint32_t i = 0; x->outputs[i]; i++)
        say(ptx, room, ".reg .%s %%o%u;\n", letter_type(x->outputs[i]), i);
    say(ptx, room,
        "ld.param.u64 %%in, [pi];\nld.param.u64 %%out, [po];\nld.param.u64 %%g, [pg];\n"
        "mov.u32 %%t, %%tid.x;\nmov.u32 %%r0, %%ctaid.x;\nmov.u32 %%n, %%ntid.x;\n"
        "mad.lo.u32 %%t, %%r0, %%n, %%t;\n");
    for (uint32_t i = 0; x->inputs[i]; i++) {
        uint32_t bytes = letter_bytes(x->inputs[i]);
        say(ptx, room, "mad.wide.u32 %%a, %%t, %u, %%in;\nld.global.%s %%i%u, [%%a+%u];\n", bytes,
            letter_type(x->inputs[i]), i, at);
        at += bytes * threads;
    }
    say(ptx, room, "%s\n", x->body);
    at = 0;
    for (uint32_t i = 0; x->outputs[i]; i++) {
        uint32_t bytes = letter_bytes(x->outputs[i]);
        say(ptx, room, "mad.wide.u32 %%a, %%t, %u, %%out;\nst.global.%s [%%a+%u], %%o%u;\n", bytes,
            letter_type(x->outputs[i]), at, i);
        at += bytes * threads;
    }
    say(ptx, room, "ret;\n}\n");
    return ptx;
}

static inline size_t letters_bytes(const char *letters, const struct exercise *x)
{
    size_t bytes = 0;
    for (; *letters; letters++)
        bytes += letter_bytes(*letters);
    return bytes * (x->blocks ? x->blocks : 1) * (x->threads ? x->threads : 32);
}

// Runs an exercise. `in` and `out` each hold one array after another, with a value for each thread;
// %g points to `shared`. Returns 0, or the CUresult of a fault, which harness_report() describes.
static inline int exercise(const struct exercise *x, const void *in, void *out, void *shared,
                           size_t shared_bytes)
{
    const size_t bytes[3] = { letters_bytes(x->inputs, x), letters_bytes(x->outputs, x),
                              shared_bytes };
    void *const ours[3] = { (void *)(uintptr_t)in, out, shared };
    void *memory[3];
    char *ptx = exercise_ptx(x);
    char log[256] = "";
    struct sim_program *program =
        sim_program_load(ptx, strlen(ptx), x->arch ? x->arch : 90, log, sizeof(log));
    struct harness_launch launch = { .grid = { x->blocks },
                                     .block = { x->threads ? x->threads : 32 } };

    ck_assert_msg(program != NULL, "%s\n%s", log, ptx);
    for (int i = 0; i < 3; i++) {
        memory[i] = harness_memory(bytes[i] ? bytes[i] : 1);
        if (i != 1 && bytes[i])
            memcpy(memory[i], ours[i], bytes[i]);
        launch.arguments[i] = HARNESS_POINTER(memory[i]);
    }
    int fault = harness_run(program, &launch);
    for (int i = 0; i < 3; i++) {
        if (i != 0 && bytes[i])
            memcpy(ours[i], memory[i], bytes[i]);
        harness_release(memory[i]);
    }
    sim_program_free(program);
    free(ptx);
    return fault;
}

// Returns pseudorandom numbers that are the same in each run.
static inline uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t x = (uint32_t)(((*state >> 18) ^ *state) >> 27), by = (uint32_t)(*state >> 59);
    return x >> by | x << (-by & 31);
}

#endif
