// Control of the fake driver by tests.
//
// The fake is a shared library that exports the driver API and works in host memory; CUCORE_DRIVER
// names it. It is strict, to expose misuse: calls without a current context, stale handles, streams
// of another context, copies past an allocation. Handles and device addresses are never reused,
// fresh memory is filled with 0xCD, and a failure behaves as a GPU's does.
//
// These functions locate the fake themselves and work before cuInit(). If CUCORE_DRIVER names
// another driver, fake_available() returns 0 and every other function ends the process with a
// message.
//
// No test needs these yet, so they return CUDA_ERROR_NOT_SUPPORTED: graphs other than by capture,
// IPC, arrays, the driver's log.
//
// The environment, read once when the fake is loaded: FAKE_VERSION (13000), FAKE_DEVICES (2).
#ifndef CUCORE_TESTS_SUPPORT_FAKE_H
#define CUCORE_TESTS_SUPPORT_FAKE_H

#include <stddef.h>
#include <stdint.h>

#include "driver/cuda_abi.h"

// True when the driver that CUCORE_DRIVER names is the fake one.
int fake_available(void);

// Restores the state after loading, except what a library may keep for the life of the process:
// cuInit() stays done, and a retained primary context stays, healthy and empty. Waits for running
// work and drops queued work. For fixtures.
void fake_reset(void);

// Faults. `nth` counts from 1, the next call. A fault happens once, before the call does anything.
// `function` is a name of cu.def, such as "cuMemAlloc"; an unknown one ends the process.
void fake_fail(const char *function, int nth, int code);
// The nth next call of any function.
void fake_fail_any(int nth, int code);
// Disarms all faults.
void fake_fail_reset(void);
// Returns how many faults are still armed: 0 means that the call was reached.
int fake_fails_armed(void);

// Calls since the last fake_calls_reset(); failed ones count too.
int fake_calls(const char *function);
int fake_calls_total(void);
void fake_calls_reset(void);

// Counts live items: "stream", "event", "context", "allocation", "library", "pool", "registration",
// "link", "graph", "exec" (an instance), "user" (a user object of graphs); graph memory counts
// while it is allocated. Only items that the caller made count: default streams and pools and a
// library's variables do not, and primary contexts count as "primary", which is in no total.
int fake_live(const char *kind);
int fake_live_total(void);

// The driver's version: determines cuDriverGetVersion() and which functions are found. Set the
// first before the library under test asks.
void fake_set_version(int version);
// Functions that cuGetProcAddress() then does not find.
void fake_hide(const char *function);
void fake_show_all(void);
// 0 to 8 devices; with 0 cuInit() fails with CUDA_ERROR_NO_DEVICE, as a real one does.
void fake_set_device_count(int count);
void fake_set_attribute(int device, int attribute, int value);
// Memory of each device. An allocation beyond it gets CUDA_ERROR_OUT_OF_MEMORY.
void fake_set_total_memory(size_t bytes);

// Holds a stream's work from now on, so queries return CUDA_ERROR_NOT_READY; resume lets it run.
// Default streams need a current context. A destroyed stream that still holds work can be resumed.
void fake_hold(CUstream stream);
void fake_resume(CUstream stream);
// Hands all work to the stream's thread. Otherwise, on a stream where nothing waits, a call
// performs copies, fills, records and kernels itself, but never callbacks.
void fake_set_async(int on);
// Returns how many items of work wait in a stream's queue or run.
int fake_pending(CUstream stream);

// Raises a sticky error in a context or in a stream's context: all later calls there return `code`,
// even releases, which release nothing. Queued work is dropped, held or not; callbacks that the
// driver makes on errors too still run.
void fake_poison(void *context_or_stream, int code);

// A host function in place of a kernel's code: called once for each launch, in stream order, with
// no lock held. `params[i]` points at a copy of the i-th parameter.
typedef void (*fake_kernel_fn)(void **params, const CUlaunchConfig *config);
// NULL removes it. The name is the one in the PTX.
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

// Acts as cudaGraphSetConditional() in a kernel; returns 0 for an invalid handle.
int fake_condition_set(uint64_t handle, uint32_t value);
// Writes the latest launch and returns 1; returns 0 if there was none since the reset.
int fake_last_launch(struct fake_launch *out);
// Launches that were accepted since the reset.
int fake_launch_count(void);
// 0: launches are not recorded, and if no kernel is defined and no fault armed, cuLaunchKernelEx()
// returns 0 at once, unchecked, so the instructions above it can be counted.
void fake_record_launches(int on);
// The same for any function: it returns 0 at once and writes nothing.
void fake_do_nothing(const char *function, int on);

// Returns the items of work that a capture on this stream has taken so far, or took before it
// ended.
int fake_captured(CUstream stream);

// Returns true for an address in currently allocated memory of the driver.
int fake_allocated(CUdeviceptr ptr);

#endif
