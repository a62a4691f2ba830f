// Reference-counted handles: the header of every object's struct, and the table of live handles.
#ifndef CUCORE_BASE_HANDLE_H
#define CUCORE_BASE_HANDLE_H

#include "error.h"

#include <stdatomic.h>
#include <stdbool.h>

// Handle kinds: X(tag, type name).
#define CUC__HANDLE_LIST(X)                   \
    X(DEVICE, "cuc_device")                   \
    X(CONTEXT, "cuc_context")                 \
    X(STREAM, "cuc_stream")                   \
    X(EVENT, "cuc_event")                     \
    X(MEMORY_RESOURCE, "cuc_memory_resource") \
    X(BUFFER, "cuc_buffer")                   \
    X(PROGRAM, "cuc_program")                 \
    X(LINKER, "cuc_linker")                   \
    X(OBJECT, "cuc_object")                   \
    X(KERNEL, "cuc_kernel")                   \
    X(FOUND, "cuc_found")                     \
    X(GRAPH, "cuc_graph")                     \
    X(GRAPH_EXEC, "cuc_graph_exec")           \
    X(TILE_PROGRAM, "cuc_tile_program")       \
    X(GEMM_PLAN, "cuc_gemm_plan")             \
    X(ATTENTION_PLAN, "cuc_attention_plan")   \
    X(ALGORITHM, "cuc_algorithm")             \
    X(GREEN_CONTEXT, "cuc_green_context")     \
    X(CACHE, "cuc_cache")

enum {
    CUC__HANDLE_NONE,
#define ROW(tag, name) CUC__HANDLE_##tag,
    CUC__HANDLE_LIST(ROW)
#undef ROW
};

// The first member of every handle's struct.
typedef struct cuc__handle {
    _Atomic uint32_t refs;
    uint32_t kind;
} cuc__handle;

// Rarely used, slow modes. All are bits of one word, so that the launch path tests them together.
// Creating the first handle reads CHECK_HANDLES from the environment; the first launch reads
// BLOCKING.
enum {
    // CUCORE_CHECK_HANDLES=1: a table lists the live handles, released handles keep their memory,
    // and every use of a handle consults the table.
    CUC__MODE_CHECK_HANDLES = 1,
    CUC__MODE_BLOCKING = 2,  // CUCORE_LAUNCH_BLOCKING=1: a launch waits for its kernel
    CUC__MODE_CAPTURING = 4, // captures of cuc_stream_begin_capture() are active
};
extern uint32_t cuc__modes;

static inline uint32_t cuc__modes_now(void)
{
    return __atomic_load_n(&cuc__modes, __ATOMIC_RELAXED); // one instruction shorter than C11's
                                                           // atomic load
}

static inline bool cuc__handle_checks(void)
{
    return cuc__modes_now() & CUC__MODE_CHECK_HANDLES;
}

// Returns true while any capture is active; launches then take the slow path.
static inline bool cuc__capturing(void)
{
    return __builtin_expect(cuc__modes_now() & CUC__MODE_CAPTURING, 0);
}

void cuc__handle_init(void *object, uint32_t kind);

static inline void *cuc__handle_retain(void *object)
{
    if (object)
        atomic_fetch_add_explicit(&((cuc__handle *)object)->refs, 1, memory_order_relaxed);
    return object;
}

// Drops a reference. Returns true if it was the last one; the caller must then destroy the object
// and call cuc__handle_free(). Returns false for NULL.
bool cuc__handle_drop(void *object, uint32_t kind);

// Drops a reference unless it is the last one. Returns false if it is the last one.
static inline bool cuc__handle_drop_shared(void *object)
{
    cuc__handle *h = (cuc__handle *)object;
    uint32_t refs = atomic_load_explicit(&h->refs, memory_order_relaxed);

    while (refs > 1 && !atomic_compare_exchange_weak_explicit(
                           &h->refs, &refs, refs - 1, memory_order_acq_rel, memory_order_relaxed))
        ;
    return refs > 1;
}

// Frees a dropped object's memory, or keeps it forever if handles are checked.
void cuc__handle_free(void *object);

bool cuc__handle_alive(const void *object, uint32_t kind);

cuc_status cuc__fail_handle(const void *object, uint32_t kind, const char *function,
                            const char *argument) __attribute__((cold));

static inline bool cuc__handle_is_valid(const void *object, uint32_t kind)
{
    return __builtin_expect(object && !cuc__handle_checks(), 1) ||
           (object && cuc__handle_alive(object, kind));
}

// Makes a public function return an error if an argument is not a handle of the expected kind.
#define CUC_CHECK(argument, KIND)                                                         \
    do {                                                                                  \
        if (!cuc__handle_is_valid((argument), CUC__HANDLE_##KIND))                        \
            return cuc__fail_handle((argument), CUC__HANDLE_##KIND, __func__, #argument); \
    } while (0)

#define CUC_CHECK_NOT_NULL(argument)         \
    do {                                     \
        if (!(argument))                     \
            return CUC_FAIL_NULL(#argument); \
    } while (0)

// Returns the number of live handles of a kind. It needs CUCORE_CHECK_HANDLES=1; for tests.
size_t cuc__handle_count(uint32_t kind);

#endif
