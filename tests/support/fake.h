// Lets tests control the fake driver.
//
// The fake driver is a shared library that exports the driver API and works in host memory;
// CUCORE_DRIVER names it. It is strict, to expose misuse: calls without a current context, stale
// handles, streams of another context, copies past the end of an allocation. It never reuses
// handles and device addresses, fills new memory with 0xCD, and fails as a GPU does.
//
// These functions locate the fake driver themselves and work before cuInit(). If CUCORE_DRIVER
// names another driver, fake_available() returns 0 and every other function ends the process with a
// message.
//
// The fake driver returns CUDA_ERROR_NOT_SUPPORTED for features that no test needs yet, such as the
// driver's log.
//
// Environment variables, read once when the fake driver is loaded: FAKE_VERSION (13000),
// FAKE_DEVICES (2).
#ifndef CUCORE_TESTS_SUPPORT_FAKE_H
#define CUCORE_TESTS_SUPPORT_FAKE_H

#include <stddef.h>
#include <stdint.h>

#include "driver/cuda_abi.h"

// Returns whether CUCORE_DRIVER names the fake driver.
int fake_available(void);

// Restores the state after loading, except for state that a library may keep for the life of the
// process: cuInit() stays done, and a retained primary context stays, healthy and empty. Waits for
// running work and drops queued work. Meant for fixtures.
void fake_reset(void);

// Makes a call fail with `code`. `nth` counts from 1, the next call. The failure happens once,
// before the call does anything. `function` is a name in cu.def, such as "cuMemAlloc"; an unknown
// name ends the process.
void fake_fail(const char *function, int nth, int code);
// Makes the nth call from now fail, whatever its function.
void fake_fail_any(int nth, int code);
// Disarms all faults.
void fake_fail_reset(void);
// Returns how many faults are still armed; 0 means that all the calls were made.
int fake_fails_armed(void);

// Return the number of calls since the last fake_calls_reset(), including failed calls.
int fake_calls(const char *function);
int fake_calls_total(void);
void fake_calls_reset(void);

// Returns the number of live items of a kind: "stream", "event", "context", "allocation",
// "library", "pool", "registration", "link", "graph", "exec" (an instance), "user" (a user object
// of graphs). Graph memory counts while it is allocated. Only items that the caller made count, not
// default streams and pools or a library's variables. Primary contexts count as "primary", which is
// in no total.
int fake_live(const char *kind);
int fake_live_total(void);

// Sets the driver's version, which determines cuDriverGetVersion() and which functions are found.
// Set the first version before the library under test asks.
void fake_set_version(int version);
// Hides a function from cuGetProcAddress().
void fake_hide(const char *function);
void fake_show_all(void);
// Sets the number of devices, 0 to 8. With 0, cuInit() fails with CUDA_ERROR_NO_DEVICE, like a real
// driver.
void fake_set_device_count(int count);
void fake_set_attribute(int device, int attribute, int value);
// Sets the memory of each device. A larger allocation fails with CUDA_ERROR_OUT_OF_MEMORY.
void fake_set_total_memory(size_t bytes);

// Holds a stream's work from now on, so that queries return CUDA_ERROR_NOT_READY; resume lets it
// run. Default streams need a current context. A stream that was destroyed with held work can still
// be resumed.
void fake_hold(CUstream stream);
void fake_resume(CUstream stream);
// Gives all work to the stream's thread. Otherwise, if nothing waits on a stream, a call performs
// copies, fills, records and kernels itself, but never callbacks.
void fake_set_async(int on);
// Returns how many items of work are queued or running on a stream.
int fake_pending(CUstream stream);

// Raises a sticky error in a context, or in a stream's context. All later calls there return
// `code`, even releases, which then release nothing. Queued work is dropped, held or not. Callbacks
// that the driver also calls after errors still run.
void fake_poison(void *context_or_stream, int code);

// A host function that replaces a kernel's code. Called once for each launch, in stream order, with
// no lock held. `params[i]` points to a copy of the i-th parameter.
typedef void (*fake_kernel_fn)(void **params, const CUlaunchConfig *config);
// Sets the host function of the kernel with this name in the PTX; NULL removes it.
void fake_define_kernel(const char *name, fake_kernel_fn fn);

enum {
    FAKE_LAUNCH_ATTRIBUTES = 16,
    FAKE_LAUNCH_PARAMETERS = 128,
    FAKE_LAUNCH_BYTES = 32768,
};

// The latest launch. `params[i]` points into `bytes`, and `config.attrs` to `attributes`.
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

// Does in a host function what cudaGraphSetConditional() does in a kernel; returns 0 for an invalid
// handle.
int fake_condition_set(uint64_t handle, uint32_t value);
// Writes the latest launch and returns 1, or returns 0 if there was none since the reset.
int fake_last_launch(struct fake_launch *out);
// Returns the number of launches accepted since the reset.
int fake_launch_count(void);
// With 0, launches are not recorded. If no kernel is defined and no fault is armed,
// cuLaunchKernelEx() then returns 0 at once, without checks, so that only the caller's instructions
// are counted.
void fake_record_launches(int on);
// Makes a function return 0 at once and write nothing; if `on` is 0, undoes this.
void fake_do_nothing(const char *function, int on);

// Returns how many items of work a capture on this stream has recorded so far, or had recorded when
// it ended.
int fake_captured(CUstream stream);

// Returns true for an address in memory that the driver has currently allocated.
int fake_allocated(CUdeviceptr ptr);

#endif
