// A thread's stack of contexts, the top of which is the current one.
#include "base/array.h"
#include "shell.h"

#include <stdlib.h>

// The thread's stack of contexts, as handles, since a context on it may be destroyed.

static uintptr_t *slot(struct sim_thread *t, unsigned index)
{
    return index < SIM_STACK ? &t->stack[index] : &t->deep[index - SIM_STACK];
}

static void set_depth(struct sim_thread *t, unsigned depth)
{
    t->depth = depth;
    if (depth > SIM_STACK || !t->deep)
        return;
    free(t->deep);
    t->deep = NULL;
    t->deep_capacity = 0;
}

static struct sim_thread *self(void)
{
    struct sim_thread *t = &sim_thread;

    if (t->generation != sim.generation) {
        t->generation = sim.generation;
        set_depth(t, 0);
        t->capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    }
    return t;
}

struct context *sim_context_of(uintptr_t handle)
{
    return sim_object((const void *)handle, KIND_CONTEXT);
}

struct context *sim_current(void)
{
    struct sim_thread *t = self();

    return t->depth ? sim_context_of(*slot(t, t->depth - 1)) : NULL;
}

CUresult sim_current_state(void)
{
    struct sim_thread *t = self();

    if (!t->depth || !*slot(t, t->depth - 1))
        return CUDA_ERROR_INVALID_CONTEXT;
    return sim_context_of(*slot(t, t->depth - 1)) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

// Returns the error for a handle that is not a context.
CUresult sim_bad_context(CUcontext handle)
{
    return sim_was_handle(handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult sim_context_push(CUcontext ctx)
{
    struct sim_thread *t = self();

    if (t->depth >= SIM_STACK && !CUC_RESERVE(t->deep, t->deep_capacity, t->depth - SIM_STACK + 1))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *slot(t, t->depth++) = (uintptr_t)ctx;
    return CUDA_SUCCESS;
}

void sim_context_leave(CUcontext ctx)
{
    struct sim_thread *t = self();

    if (t->depth && *slot(t, t->depth - 1) == (uintptr_t)ctx)
        set_depth(t, t->depth - 1);
}

CUresult sim_cuCtxGetCurrent(CUcontext *ctx)
{
    if (!ctx)
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_thread *t = self();
    *ctx = t->depth ? (CUcontext)*slot(t, t->depth - 1) : NULL;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetCurrent(CUcontext ctx)
{
    struct sim_thread *t = self();

    if (ctx && !sim_context_of((uintptr_t)ctx))
        return sim_bad_context(ctx);
    if (ctx && t->depth) {
        *slot(t, t->depth - 1) = (uintptr_t)ctx;
        return CUDA_SUCCESS;
    }
    if (ctx)
        return sim_context_push(ctx);
    if (t->depth)
        set_depth(t, t->depth - 1);
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxPushCurrent(CUcontext ctx)
{
    if (!sim_context_of((uintptr_t)ctx))
        return sim_bad_context(ctx);
    return sim_context_push(ctx);
}

CUresult sim_cuCtxPopCurrent(CUcontext *ctx)
{
    struct sim_thread *t = self();

    if (!t->depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (ctx)
        *ctx = (CUcontext)*slot(t, t->depth - 1);
    set_depth(t, t->depth - 1);
    return CUDA_SUCCESS;
}
