// The inside of the fake driver, shared by its fake_*.c files.
//
// Every function of cu.def has a wrapper in fake_driver.c that counts, injects faults, checks what
// all calls need, and calls fake_<name>() with the one lock held; the files that follow it define
// those, and what none of them defines has a weak default in fake_defaults.c. The lock is given up
// only around code of the test's: callbacks, kernels, and while a call waits.
#ifndef CUCORE_TESTS_SUPPORT_FAKE_INTERNAL_H
#define CUCORE_TESTS_SUPPORT_FAKE_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "fake_control.h"

enum {
    FAKE_DEVICES = 8,
    FAKE_ATTRIBUTES = 148, // of a device, by number
    FAKE_LIMITS = 10,
    FAKE_STACK = 64, // contexts pushed by one thread
};

// Functions by number.
enum {
#define CU(name, version, params, args) FN_##name,
#include "driver/cu.def"
#undef CU
    FN_COUNT,
};

#define CU(name, version, params, args) CUresult fake_##name params;
#include "driver/cu.def"
#undef CU

#define CONTROL(result, name, params, args) result ctl_##name params;
#define CONTROL_VOID(name, params, args) void ctl_##name params;
#include "fake_control.def"
#undef CONTROL
#undef CONTROL_VOID

// Objects. A handle is a number that is never given out twice; the table says what it stands for.

enum kind {
    KIND_CONTEXT = 1,
    KIND_STREAM,
    KIND_EVENT,
    KIND_LIBRARY,
    KIND_MODULE,
    KIND_KERNEL,
    KIND_FUNCTION,
    KIND_POOL,
    KIND_LINK,
    KIND_GRAPH,
    KIND_COUNT,
};

struct context;

struct object {
    struct object *next;
    uintptr_t handle;
    struct context *context; // NULL for what belongs to none
    enum kind kind;
    bool gone;    // destroyed, though work of it still runs: for calls it is not there
    bool builtin; // the driver's own: not counted as alive
};

struct context {
    struct object head;
    int device;
    bool primary;
    unsigned flags;
    uint64_t id;
    CUresult lost; // the sticky error
    size_t limits[FAKE_LIMITS];
    CUfunc_cache cache;
    uintptr_t peers[FAKE_DEVICES];
    struct stream *legacy;
    struct stream *per_thread; // a list, by thread
};

struct device {
    int attributes[FAKE_ATTRIBUTES];
    size_t total, used;
    struct context *primary;
    unsigned primary_refs;
    unsigned primary_flags;
    struct pool *default_pool[2]; // pinned, managed; made when first asked for
    struct pool *pool;            // the current one, NULL for the default
};

// A point in a stream's work: what an event stands for once recorded, and what waits refer to.
struct mark {
    struct mark *next_free;
    int refs;
    bool done;
    struct timespec when;
};

struct capture {
    uint64_t id;
    CUstreamCaptureMode mode;
    CUstreamCaptureStatus status;
    struct stream *origin;
    struct graph *graph;
    bool own_graph; // made by the capture
    unsigned thread;
    int streams; // that take part
};

struct stream {
    struct object head;
    struct stream *next_per_thread;
    unsigned thread; // of a per-thread default stream
    unsigned flags;
    int priority;
    uint64_t id;
    CUstreamAttrValue attributes[17];
    struct work *first, *last; // waiting
    uint64_t submitted, done;
    bool held, running, worker, ending;
    struct capture *capture;
    bool unjoined; // forked into a capture, and not waited for since
    int captured;  // items of work taken by captures
};

struct event {
    struct object head;
    unsigned flags;
    struct mark *mark;  // NULL until recorded
    uint64_t capture;   // id of the capture that recorded it last, or 0
    uintptr_t recorder; // the stream of that
};

struct graph {
    struct object head;
    size_t nodes;
};

// Memory.

enum memory {
    MEMORY_DEVICE = 1,
    MEMORY_MANAGED,
    MEMORY_HOST,
    MEMORY_REGISTERED,
    MEMORY_POOL,
    MEMORY_VARIABLE, // of a library
};

struct allocation {
    CUdeviceptr base;
    size_t bytes; // as asked
    enum memory memory;
    struct context *context; // NULL for one from a pool
    struct pool *pool;
    struct graph *graph; // allocated in a capture
    int device;
    unsigned flags;
    uint64_t id;
    bool freeing; // a free is queued: no more use
    bool sync_memops;
    bool read_mostly;
    CUmemLocation preferred, prefetched;
    uint32_t accessed_by;
};

struct pool {
    struct object head;
    CUmemPoolProps props;
    int device;
    int reuse[3];
    uint64_t threshold, used, used_high, reserved, reserved_high;
    CUmemAccess_flags access[FAKE_DEVICES];
    size_t allocations;
};

// Code.

struct parameter {
    size_t offset, bytes;
};

struct kernel {
    struct object head;
    struct library *library;
    struct kernel *next;
    char *name;
    struct parameter *parameters;
    size_t parameter_count, parameter_bytes;
    int attributes[FAKE_DEVICES][16]; // CU_FUNC_ATTRIBUTE_...
    int max_threads;                  // .maxntid or .reqntid, 0 without
    int exact_threads[3];             // .reqntid, zeros without
    fake_kernel_fn *fn;               // of its name
    struct function *functions;
};

struct function {
    struct object head;
    struct kernel *kernel;
    struct function *next;
};

struct module {
    struct object head;
    struct library *library;
};

struct variable {
    struct variable *next;
    char *name;
    size_t bytes;
    unsigned char *initial; // [bytes]
    bool managed, hidden;
    CUdeviceptr address[FAKE_DEVICES]; // given when first asked for
};

struct library {
    struct object head;
    struct kernel *kernels, **last_kernel;
    struct variable *variables;
    unsigned kernel_count;
};

// Work.

struct copy {
    unsigned char *dst;
    const unsigned char *src;
    size_t width, height, depth;
    size_t dst_pitch, dst_slice, src_pitch, src_slice;
};

struct fill {
    unsigned char *dst;
    size_t pitch, width, height; // width in elements
    uint32_t value;
    unsigned element; // bytes
};

struct launch; // fake_launch.c

enum op {
    OP_NOTHING,
    OP_MARK,
    OP_WAIT_MARK,
    OP_WAIT_STREAM,
    OP_WAIT_VALUE,
    OP_WRITE_VALUE,
    OP_COPY,
    OP_FILL,
    OP_HOST,
    OP_CALLBACK,
    OP_KERNEL,
    OP_FREE,
};

struct work {
    struct work *next;
    enum op op;
    union {
        struct mark *mark;
        struct {
            uintptr_t stream; // by handle: it may be destroyed before
            uint64_t until;
        } order;
        struct {
            CUdeviceptr address;
            uint64_t value;
            unsigned flags, bytes;
        } word;
        struct copy copy;
        struct fill fill;
        struct {
            CUhostFn fn;
            void *user;
        } host;
        struct {
            CUstreamCallback fn;
            void *user;
        } callback;
        struct launch *launch;
        struct allocation *allocation;
    };
};

// Everything there is.
struct fake {
    pthread_mutex_t lock;
    pthread_cond_t changed; // any work done, any hold resumed
    int version;
    int device_count;
    bool initialised;
    bool async;
    unsigned generation; // of a reset: older stacks of current contexts are empty
    uint64_t serial;     // of ids
    uintptr_t handles;   // given out so far
    int workers;
    int captures; // that go on
    int pools;
    struct pool *host_pool;
    int threads;
    struct device devices[FAKE_DEVICES];
    struct object *objects[1024];
    struct allocation **allocations; // by address
    size_t allocation_count, allocation_room;
    struct work *free_work;
    struct mark *free_marks;
    bool recording;
    int launches;
};

extern struct fake fake;

struct fake_thread {
    unsigned id;
    unsigned generation;
    unsigned depth;
    bool in_callback;
    CUstreamCaptureMode capture_mode;
    uintptr_t stack[FAKE_STACK]; // handles: a context may be destroyed while it is in here
};

extern _Thread_local struct fake_thread fake_thread;

// fake_driver.c
void fake_lock(void);
void fake_unlock(void);
void fake_changed(void);
void fake_wait(void); // for a change; the lock is given up meanwhile
void fake_bug(const char *what, const char *name) __attribute__((noreturn));
void *fake_alloc(size_t bytes); // zeroed; ends the process without memory
void fake_launch_speed(void);   // work out anew whether launches are checked

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

// fake_object.c
// Give an object a handle and put it into the table.
void fake_enlist(void *object, enum kind kind, struct context *context);
// Out of the table; the memory stays with the caller.
void fake_delist(void *object);
// The object of a handle, or NULL; one that is gone is not found.
void *fake_object(const void *handle, enum kind kind);
void *fake_object_even_gone(const void *handle, enum kind kind);
// A handle that once was given out.
bool fake_was_handle(const void *handle);
#define FAKE_HANDLE(type, object) ((type)(object)->head.handle)
// Call `visit` for all objects; it may remove the one it is given.
void fake_each(void (*visit)(struct object *object, void *data), void *data);
// The same for a visit that only looks.
void fake_look(void (*visit)(struct object *object, void *data), void *data);
// fake_device.c
void fake_devices_init(void);
bool fake_valid_device(CUdevice device);
int fake_attribute(int device, CUdevice_attribute attribute);
// What calls that answer about a device begin with.
#define FAKE_NEED(out, dev)                   \
    do {                                      \
        if (!(out))                           \
            return CUDA_ERROR_INVALID_VALUE;  \
        if (!fake_valid_device(dev))          \
            return CUDA_ERROR_INVALID_DEVICE; \
    } while (0)

// fake_context.c
struct context *fake_current(void); // NULL without one, or when it is destroyed
CUresult fake_current_state(void);  // 0, 201 or 709
void fake_context_end(struct context *context);
void fake_context_clean(struct context *context); // all that is in it, and what was set

// fake_work.c
struct mark *fake_mark_new(void);
struct mark *fake_mark_retain(struct mark *mark);
void fake_mark_drop(struct mark *mark); // NULL is nothing to drop
// Let a stream do something, now or in its turn. `*work` is copied.
CUresult fake_submit(struct stream *stream, const struct work *work);
void fake_order(struct stream *stream); // after what the default stream's rule says
bool fake_idle(const struct stream *stream);
void fake_stream_drop(struct stream *stream); // all that is queued

// fake_stream.c
CUresult fake_stream_of(CUstream handle, struct stream **out); // checks, sticky errors
struct stream *fake_stream_even_gone(CUstream handle);
void fake_stream_end(struct stream *stream);
void fake_streams_reap(void); // those that are destroyed and done
CUresult fake_drain_context(struct context *context);
void fake_lose(struct context *context, CUresult code);

// fake_event.c
CUresult fake_event_record(struct event *event, struct stream *stream);
bool fake_capture_forbids(void); // an unsafe call now; invalidates the capture that does
CUresult fake_capture_spoil(struct stream *stream); // by a call that its stream does not allow
CUresult fake_capture_implicit(struct stream *stream);
void fake_capture_leave(struct stream *stream);
void fake_graph_end(struct graph *graph);

// fake_memory.c
size_t fake_round_up(size_t bytes, size_t to);
struct allocation *fake_find(CUdeviceptr ptr); // the one that contains it
struct allocation *fake_allocate(size_t bytes, enum memory memory, int device);
void fake_free(struct allocation *allocation);
bool fake_in_arena(CUdeviceptr ptr);
// Whether `bytes` from `ptr` may be accessed; else the sticky error that this is. Work in its turn
// may also use what a free that is queued behind it will free.
CUresult fake_check_range(CUdeviceptr ptr, size_t bytes, bool in_turn);
void fake_memory_of_context_end(struct context *context);

// fake_pool.c
void fake_pool_end(struct pool *pool);
void fake_pool_give_back(struct pool *pool, size_t bytes);
void fake_pools_trim(void); // at a synchronisation

// fake_copy.c
CUresult fake_run_copy(const struct copy *copy); // checked again: the memory may have gone
CUresult fake_run_fill(const struct fill *fill);

// fake_ptx.c
// The kernels and variables of a PTX text, or why it is none: the driver's code, and words in
// `log`.
CUresult fake_ptx_scan(struct library *library, const char *text, char *log, size_t log_bytes);

// Options of the compiler in the driver: where the logs go. False for an option that there is not.
struct jit_logs {
    char *info, *error;
    size_t info_bytes, error_bytes;
    void **info_used, **error_used, **wall_time;
};
bool fake_jit_options(struct jit_logs *logs, unsigned count, const CUjit_option *options,
                      void **values);
void fake_jit_write(const struct jit_logs *logs, const char *info, const char *error);

// fake_library.c
void fake_library_end(struct library *library);
CUmodule fake_module_of(struct library *library, struct context *context);

// fake_kernel.c
void fake_function_end(struct function *function);
// The kernel behind a CUfunction, or a CUkernel passed as one: then *context is NULL.
struct kernel *fake_kernel_of(CUfunction handle, struct context **context);
fake_kernel_fn *fake_kernel_slot(const char *name); // where the host function of a name is kept
bool fake_any_kernel_defined(void);
void fake_kernels_forget(void);

// fake_occupancy.c
int fake_blocks_per_sm(const struct kernel *kernel, int device, int threads, size_t dynamic);

// fake_launch.c
void fake_run_launch(struct launch *launch); // gives up the lock around the kernel
void fake_launch_drop(struct launch *launch);
void fake_launches_forget(void);

// fake_link.c
void fake_link_end(void *link);

#endif
