// Control of the fake driver: what a test asks of the driver that it runs on.
//
// The fake is a shared library that exports the driver API and works in host memory; CUCORE_DRIVER
// names it. It is strict, so that misuse shows: calls without a current context, stale handles,
// streams of another context, copies past an allocation. Handles and device addresses are never
// used a second time, fresh memory is full of 0xCD, and a failure behaves as a GPU's does.
//
// These functions find the fake by themselves and work before cuInit(). Where CUCORE_DRIVER names
// something else fake_available() is 0 and every other function ends the process with a message.
//
// Left out, as no test needs them yet: graphs other than by capture, IPC, arrays, the driver's log.
// Those functions give CUDA_ERROR_NOT_SUPPORTED.
//
// In the environment, read once when the fake is loaded: FAKE_VERSION (13000), FAKE_DEVICES (2).
#ifndef CUCORE_TESTS_SUPPORT_FAKE_H
#define CUCORE_TESTS_SUPPORT_FAKE_H

#include <stddef.h>
#include <stdint.h>

#include "driver/cuda_abi.h"

// True when the driver that CUCORE_DRIVER names is the fake one.
int fake_available(void);

// Everything back to how it was after loading, but for what a library may keep for the life of the
// process: cuInit() stays done, and a primary context that is retained stays, healthy and empty.
// Waits for work that runs, drops work that is queued. For fixtures.
void fake_reset(void);

// Faults. `nth` counts from 1, the next call. A fault happens once, before the call does anything.
// `function` is a name of cu.def, such as "cuMemAlloc"; an unknown one ends the process.
void fake_fail(const char *function, int nth, int code);
// The nth next call of any function.
void fake_fail_any(int nth, int code);
// Disarm all.
void fake_fail_reset(void);
// How many faults are still armed: 0 says that the call was reached.
int fake_fails_armed(void);

// Calls since the last fake_calls_reset(); failed ones count too.
int fake_calls(const char *function);
int fake_calls_total(void);
void fake_calls_reset(void);

// What is alive: "stream", "event", "context", "allocation", "library", "pool", "registration",
// "link", "graph", "exec" (an instance of one), "user" (an object that graphs keep), and of memory
// that a graph allocates what is there. Made by the caller, that is: default streams and pools and
// a library's own variables are no items, and primary contexts count as "primary", which is in no
// total.
int fake_live(const char *kind);
int fake_live_total(void);

// What the driver says it is: decides cuDriverGetVersion() and which functions can be found.
// The first is of use before the library under test asks.
void fake_set_version(int version);
// Functions that cuGetProcAddress() then does not find.
void fake_hide(const char *function);
void fake_show_all(void);
// 0 to 8 devices; with 0 cuInit() fails with CUDA_ERROR_NO_DEVICE, as a real one does.
void fake_set_device_count(int count);
void fake_set_attribute(int device, int attribute, int value);
// Of each device. An allocation beyond it gets CUDA_ERROR_OUT_OF_MEMORY.
void fake_set_total_memory(size_t bytes);

// Work of a stream queues up from now on, so that queries say CUDA_ERROR_NOT_READY; resume lets it
// run. For the default streams a context must be current. A destroyed stream that still holds work
// can be resumed.
void fake_hold(CUstream stream);
void fake_resume(CUstream stream);
// Work is always handed to the stream's thread. Else what can be done at once, on a stream where
// nothing waits, is done in the call: copies, fills, records and kernels, though never callbacks.
void fake_set_async(int on);
// How many items of work wait in a stream's queue or run.
int fake_pending(CUstream stream);

// A sticky error, in a context or the context of a stream: all later calls there return `code`,
// also releases, which release nothing. Queued work is dropped, held or not; callbacks that
// the driver makes on errors too are made.
void fake_poison(void *context_or_stream, int code);

// A host function in place of a kernel's code: called once a launch, in the order of the stream,
// with no lock held. `params[i]` points at a copy of the i-th parameter.
typedef void (*fake_kernel_fn)(void **params, const CUlaunchConfig *config);
// NULL takes it back. The name is the one in the PTX.
void fake_define_kernel(const char *name, fake_kernel_fn fn);

enum {
    FAKE_LAUNCH_ATTRIBUTES = 16,
    FAKE_LAUNCH_PARAMETERS = 128,
    FAKE_LAUNCH_BYTES = 32768,
};

// The latest launch. `params[i]` points into `bytes`, `config.attrs` at `attributes`.
struct fake_launch {
    char kernel[256];
    CUlaunchConfig config;
    CUlaunchAttribute attributes[FAKE_LAUNCH_ATTRIBUTES];
    unsigned param_count;
    size_t param_bytes[FAKE_LAUNCH_PARAMETERS];
    size_t param_offset[FAKE_LAUNCH_PARAMETERS];
    void *params[FAKE_LAUNCH_PARAMETERS];
    _Alignas(64) unsigned char bytes[FAKE_LAUNCH_BYTES];
};

// As cudaGraphSetConditional() of a kernel: 0 for a handle that is none.
int fake_condition_set(uint64_t handle, uint32_t value);
// 1 and the latest launch, or 0 when there was none since the reset.
int fake_last_launch(struct fake_launch *out);
// Launches that were accepted since the reset.
int fake_launch_count(void);
// 0: launches are not recorded, and where no kernel is defined and no fault armed
// cuLaunchKernelEx() returns 0 at once, unchecked, so that the instructions above it can be
// counted.
void fake_record_launches(int on);
// Any function, as the above: returns 0 at once and writes nothing.
void fake_do_nothing(const char *function, int on);

// Items of work that a capture on this stream has taken so far, or took before it ended.
int fake_captured(CUstream stream);

// True for an address inside memory of the driver's that is allocated now.
int fake_allocated(CUdeviceptr ptr);

#endif
