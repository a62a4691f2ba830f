// The driver's shell: contexts, streams, events, memory, libraries, launches over host memory,
// without a word of how code runs.
//
// Every function of cu.def and more.def has a wrapper in entry.c that counts, injects faults,
// checks what all calls need, and calls sim_<name>() with the one lock held; the files that follow
// it define those, and what none of them defines has a weak default in defaults.c. The lock is
// given up only around what is not the shell's: callbacks, kernels, large copies, and while a call
// waits.
//
// It is built twice. Beside it libcucore-sim.so has code.c, which loads PTX into the executor, and
// config.c, which reads the environment; the tests' driver has tests/support/fake_control.c, where
// kernels are host functions and everything can be asked and set. What the two define is listed at
// the end, under "The other half".
#ifndef CUCORE_SIM_SHELL_SHELL_H
#define CUCORE_SIM_SHELL_SHELL_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "driver/cuda_abi.h"

enum {
    SIM_DEVICES = 8,
    SIM_ATTRIBUTES = 148, // of a device, by number
    SIM_LIMITS = 10,
    SIM_STACK = 64, // contexts pushed by one thread, that take no memory of their own
    SIM_LAUNCH_ATTRIBUTES = 16,
    SIM_LAUNCH_PARAMETERS = 128, // that a host function in place of a kernel can have
    SIM_LAUNCH_BYTES = 32768,
};

// Functions by number.
enum {
#define CU(name, version, params, args) FN_##name,
#include "driver/cu.def"
#include "more.def"
#undef CU
    FN_COUNT,
};

#define CU(name, version, params, args) CUresult sim_##name params;
#include "driver/cu.def"
#include "more.def"
#undef CU

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
    KIND_NODE,
    KIND_EXEC, // a graph that was instantiated
    KIND_USER, // an object of a graph's user
    KIND_GREEN,
    KIND_DESC, // of what a green context has
    KIND_COUNT,
};

struct context;
struct graph;
struct node;
struct exec;
struct branch;
struct condition;
struct user_object;

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
    size_t limits[SIM_LIMITS];
    void *heap; // of its kernels' malloc(): the other half's; NULL: none has run yet
    CUfunc_cache cache;
    uintptr_t peers[SIM_DEVICES];
    struct stream *legacy;
    struct stream *per_thread; // a list, by thread
};

struct device {
    char name[64];
    int ordinal; // in the machine: CUDA_VISIBLE_DEVICES may say another order
    int attributes[SIM_ATTRIBUTES];
    size_t total, used;
    struct context *primary;
    unsigned primary_refs;
    unsigned primary_flags;
    struct pool *default_pool[2]; // pinned, managed; made when first asked for
    struct pool *pool;            // the current one, NULL for the default
    uint64_t graph_memory[4];     // by CU_GRAPH_MEM_ATTR_
};

// The nodes that what comes next depends on: of a stream in a capture, and of an event recorded
// there.
struct ends {
    struct node **nodes;
    size_t count;
};

// A thread that waits, on its stack. Whoever brings about what it waits for wakes it, and
// nobody else: there may be thousands.
struct sleeper {
    struct sleeper *next, **at;         // of those that wait for the same
    struct sleeper *next_all, **at_all; // of all; NULL: it is awake
    pthread_cond_t wake;
    uint64_t until; // of a stream: work done
};
#define SIM_END UINT64_MAX // of a stream itself

// A point in a stream's work: what an event stands for once recorded, and what waits refer to.
struct mark {
    struct mark *next_free;
    struct sleeper *sleepers; // until it is done
    int refs;
    bool done;
    struct timespec when;
};

struct capture {
    struct capture *next;
    uint64_t id;
    CUstreamCaptureMode mode;
    CUstreamCaptureStatus status;
    struct stream *origin;
    struct graph *graph; // NULL once that was freed under it
    bool takes_graph;    // which goes with it, unless it ends well: also one that was there before
    unsigned thread;
    int streams;      // that take part
    struct ends left; // by streams that are no more
};

struct stream {
    struct object head;
    struct stream *next_per_thread;
    unsigned thread; // of a per-thread default stream
    unsigned flags;
    int priority;
    uint64_t id;
    uintptr_t green; // by handle: the green context that it was made in, or 0
    CUstreamAttrValue attributes[17];
    struct work *first, *last; // waiting
    uint64_t submitted, done;
    struct sleeper *sleepers; // until so much of it is done
    struct sleeper *asleep;   // its own thread, when there is nothing that it can do
    bool held, running, worker, ending;
    struct capture *capture;
    struct ends ends;          // of that
    struct capture_info *info; // as it was last asked for
    int captured;              // items of work taken by captures
};

struct sim_shared_event;

struct event {
    struct object head;
    unsigned flags;
    struct sim_shared_event *shared; // of one for other processes, which has no mark
    int file;                        // of that
    bool imported;
    struct mark *mark; // NULL until recorded
    uint64_t capture;  // id of the capture that recorded it last, or 0
    struct ends ends;  // of that
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
    struct graph_part *graph; // of memory that a graph allocates when it runs
    int device;
    unsigned flags;
    uint64_t id;
    bool freeing; // a free is queued: no more use
    bool managed; // a variable that is
    bool foreign; // a variable that lies where the executor put it
    bool virtual; // a part of reserved addresses that there is memory behind
    bool sync_memops;
    bool read_mostly;
    bool shared; // of its pool's file, from `file_offset` on
    uint64_t file_offset;
    CUmemLocation preferred, prefetched;
    uint32_t accessed_by;
};

struct pool {
    struct object head;
    CUmemPoolProps props;
    int device;
    int reuse[3];
    uint64_t threshold, used, used_high, reserved, reserved_high;
    CUmemAccess_flags access[SIM_DEVICES];
    size_t allocations;
    int file; // of one for other processes, and where its next memory lies
    uint64_t file_end;
    bool imported, exported;
    size_t imports; // of one process, which has one pool for all of them
};

// Code.

struct parameter {
    size_t offset, bytes;
};

struct kernel {
    struct object head;
    struct library *library;
    struct kernel *next, *next_named; // of the library, and of its bucket
    char *name;
    struct parameter *parameters;
    size_t parameter_count, parameter_bytes;
    int attributes[SIM_DEVICES][16]; // CU_FUNC_ATTRIBUTE_...
    CUfunc_cache cache[SIM_DEVICES];
    int max_threads;      // .maxntid or .reqntid, 0 without
    int exact_threads[3]; // .reqntid, zeros without
    unsigned index;       // in its library
    void *code;           // the other half's
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
    bool owner; // of its library: made by cuModuleLoad...
};

struct library {
    struct object head;
    struct kernel *kernels, **last_kernel;
    struct kernel **named, *few_named[16]; // buckets by name, as many as a power of two
    unsigned kernel_count, bucket_count;
    const struct kernel *twice; // one of a name that was there
    void *code;                 // the other half's
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

// What sets memory of a graph apart. It has its address from the capture on, and is there from
// the allocating node to the free.
struct graph_part {
    uintptr_t owner; // the graph, by handle
    int refs;        // nodes, instances and work that name it
    bool awake;      // there, as work sees it
    bool launched;   // there, as calls see it: a launch will allocate or has, and nothing frees it
    bool freed_within; // the owner has a node that frees it
};

typedef void (*sim_host_kernel)(void **params, const CUlaunchConfig *config);

// What a queued launch keeps: all the memory it was given is the caller's again.
struct launch {
    struct launch *next; // among the free ones
    int refs;            // work and graph nodes share it: it does not change once it is accepted
    CUlaunchConfig config;
    CUlaunchAttribute attributes[SIM_LAUNCH_ATTRIBUTES];
    unsigned cluster[3];
    bool cooperative;
    uint64_t id;
    // The other half's: what runs, with what it is a part of.
    const struct sim_code *code;
    void *image;
    size_t stack; // CU_LIMIT_STACK_SIZE
    sim_host_kernel host;
    void *params[SIM_LAUNCH_PARAMETERS];
    _Alignas(64) unsigned char bytes[SIM_LAUNCH_BYTES];
};

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
    OP_WAKE,   // memory of a graph comes
    OP_SLEEP,  // and goes
    OP_END,    // of a graph's launch
    OP_BRANCH, // a conditional node decides, and its body runs
    OP_ASSIGN, // a condition has its default value
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
        struct {
            struct exec *exec;
            struct mark *mark;
        } end;
        struct branch *branch; // of OP_ASSIGN too, whose condition it is
    };
};

// Everything there is. The other half sets some of it: version, device_count, background, guard,
// fresh_most, async, and the devices.
struct sim_shell {
    pthread_mutex_t lock;
    struct sleeper *sleepers; // all
    int version;
    int device_count;
    bool device_twice; // CUDA_VISIBLE_DEVICES names one so
    bool initialised;
    bool async;      // no work is done in the call that submits it
    bool background; // kernels and large copies are not, and run without the lock
    bool guard;      // memory that is freed, and what lies around memory, cannot be touched at all
    size_t fresh_most;   // bytes of fresh memory that are filled, so that no one takes it for zeros
    unsigned generation; // of a reset: older stacks of current contexts are empty
    uint64_t serial;     // of ids
    uintptr_t handles;   // given out so far
    int workers;
    struct capture *captures;  // that go on
    struct user_object *dying; // with nobody left, to be told so
    bool undertaker;           // a thread that does it
    int pools;
    struct pool *host_pool;
    int threads;
    struct device devices[SIM_DEVICES];
    struct object **objects, *first_objects[1024]; // buckets by handle
    size_t object_count, bucket_count;
    struct allocation **allocations; // by address
    size_t allocation_count, allocation_room;
    struct work *free_work;
    struct mark *free_marks;
    uint64_t launches;
    bool clearing; // what has gone wrong before does not matter then
};

extern struct sim_shell sim;

struct sim_thread {
    unsigned id;
    unsigned generation;
    unsigned depth;
    bool in_callback;
    bool per_thread_default; // the call was looked up so that stream 0 is the thread's own
    CUstreamCaptureMode capture_mode;
    // Handles: a context may be destroyed while it is in here. What passes SIM_STACK is in `deep`.
    uintptr_t stack[SIM_STACK], *deep;
    unsigned deep_room;
};

extern _Thread_local struct sim_thread sim_thread;

// state.c
void sim_lock(void);
void sim_unlock(void);
// Wait; the lock is given up meanwhile. Whoever waits looks again at what it waits for.
void sim_wait(void); // for a change that is told to all
void sim_changed(void);
void sim_wait_for(struct sleeper **list, uint64_t until);
// `*mine` is there while the thread sleeps; a little is 0.2 ms at most.
void sim_sleep(struct sleeper **mine, struct sleeper **list, uint64_t until, bool a_little);
void sim_wake(struct sleeper **list, uint64_t done);
void sim_wake_one(struct sleeper *sleeper);
void sim_bug(const char *what, const char *name) __attribute__((noreturn));
// Zeroed. From the reserve when there is no other memory; ends the process without either, so that
// sizes that a caller chooses go through calloc().
void *sim_alloc(size_t bytes);
size_t sim_round_up(size_t bytes, size_t to);
// A call that a real driver goes down in, over memory that it has freed itself.
void sim_crash(const char *what, const char *name);

// names.c
// A function by its name, with or without a _v2; FN_COUNT when there is none.
int sim_function_number(const char *name);
const char *sim_function_name(int fn);
CUresult sim_result_number(const char *name); // of CUDA_ERROR_..., or a number; -1 for none
// The name or the meaning of a result; CUDA_ERROR_INVALID_VALUE when there is none.
CUresult sim_result_text(CUresult code, const char **out, bool name);
bool sim_has_name(int fn, const char *name); // as sim_function_number(), but for one function
bool sim_same_function(int a, int b);        // two forms of it

// fault.c
void sim_arm(int fn, int nth, CUresult code); // the nth next call fails; of any for FN_COUNT
void sim_disarm(void);
bool sim_fault_left(size_t index, int *fn, int *nth, int *left); // of what is armed; false: no more
int sim_armed(int fn);          // faults that a call of the function may meet; of any for FN_COUNT
CUresult sim_fault_due(int fn); // that of this call, or 0; counts the call

// entry.c
void sim_end_everything(void); // as if fresh, but for primary contexts
extern int sim_calls[], sim_calls_total;
extern bool sim_hidden[];
extern _Atomic unsigned char sim_skip[]; // functions that do nothing but return 0

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

// object.c
// Give an object a handle and put it into the table.
void sim_enlist(void *object, enum kind kind, struct context *context);
// Out of the table; the memory stays with the caller.
void sim_delist(void *object);
// The object of a handle, or NULL; one that is gone is not found.
void *sim_object(const void *handle, enum kind kind);
void *sim_object_even_gone(const void *handle, enum kind kind);
// A handle that once was given out.
bool sim_was_handle(const void *handle);
#define SIM_HANDLE(type, object) ((type)(object)->head.handle)
// Call `visit` for all objects; it may remove the one it is given.
void sim_each(void (*visit)(struct object *object, void *data), void *data);
// The same for a visit that only looks.
void sim_look(void (*visit)(struct object *object, void *data), void *data);
// device.c
bool sim_valid_device(CUdevice device);
int sim_attribute(int device, CUdevice_attribute attribute);
void sim_uuid(int ordinal, CUuuid *uuid);
// What calls that answer about a device begin with.
#define SIM_NEED(out, dev)                    \
    do {                                      \
        if (!(out))                           \
            return CUDA_ERROR_INVALID_VALUE;  \
        if (!sim_valid_device(dev))           \
            return CUDA_ERROR_INVALID_DEVICE; \
    } while (0)

// current.c
struct context *sim_current(void);                // NULL without one, or when it is destroyed
CUresult sim_current_state(void);                 // 0, 201 or 709
struct context *sim_context_of(uintptr_t handle); // NULL when there is none
CUresult sim_bad_context(CUcontext handle);       // the error of a handle that is no context
CUresult sim_context_push(CUcontext ctx);
void sim_context_leave(CUcontext ctx); // pops it where it is current

// access.c
// How a device, or the context of it, reaches an address of an allocation.
CUmemAccess_flags sim_access(const struct context *c, int device, const struct allocation *a,
                             CUdeviceptr ptr);

// tensor_map.c: without asking for a context
CUresult sim_encode_tiled(CUtensorMap *map, CUtensorMapDataType dtype, uint32_t rank, void *address,
                          const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                          const uint32_t *element_strides, CUtensorMapInterleave interleave,
                          CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2_promotion,
                          CUtensorMapFloatOOBfill oob_fill);

// context.c
void sim_context_end(struct context *context);
void sim_context_clean(struct context *context); // all that is in it, and what was set

// ipc.c
bool sim_pool_share(struct pool *pool);
bool sim_pool_back(struct pool *pool, struct allocation *a); // fresh memory lies in the pool's file
bool sim_event_share(struct event *event);
void sim_event_unshare(struct event *event);
struct work sim_shared_record(struct event *event); // what records it, and what waits for it
struct work sim_shared_wait(const struct event *event);
bool sim_shared_done(const struct event *event);

// work.c
struct mark *sim_mark_new(void);
struct mark *sim_mark_retain(struct mark *mark);
void sim_mark_drop(struct mark *mark); // NULL is nothing to drop
// Let a stream do something, now or in its turn. `*work` is copied.
CUresult sim_submit(struct stream *stream, const struct work *work);
// The thread that does what is queued. An error of the system: there is none to be had.
CUresult sim_stream_thread(struct stream *stream);
void sim_stream_wake(struct stream *stream);
// In its turn, by the stream's thread: the lock is never given up.
void sim_enqueue(struct stream *stream, const struct work *work);
// Work that shares what another item holds, and letting go of that.
struct work sim_work_copy(const struct work *work);
void sim_work_drop(struct work *work);
void sim_work_run(struct work *work, struct stream *stream); // now, as a part of other work
CUresult sim_order(struct stream *stream); // after what the default stream's rule says
bool sim_idle(const struct stream *stream);
void sim_stream_drop(struct stream *stream); // all that is queued

// stream.c
CUresult sim_stream_of(CUstream handle, struct stream **out); // checks, sticky errors
struct stream *sim_stream_even_gone(CUstream handle);
void sim_stream_end(struct stream *stream);
// One more of a context, by cuGreenCtxStreamCreate().
CUresult sim_stream_create(CUstream *out, struct context *context, unsigned flags, int priority);
void sim_streams_reap(void); // those that are destroyed and done
CUresult sim_drain_context(struct context *context);
void sim_lose(struct context *context, CUresult code);

// event.c
CUresult sim_event_record(struct event *event, struct stream *stream);
void sim_event_end(struct event *event);

// capture.c
bool sim_capture_forbids(void); // an unsafe call now; invalidates the capture that does
CUresult sim_capture_spoil(struct stream *stream); // by a call that its stream does not allow
// All captures of a context, by a wait for all of it: an error when there are any.
CUresult sim_capture_spoil_all(const struct context *context);
// The one that recorded an event.
CUresult sim_capture_spoil_event(const struct event *event);
CUresult sim_capture_implicit(const struct stream *stream);
void sim_capture_abandon(struct stream *stream); // which is no more
// A graph is no more: captures that add to it have none.
void sim_capture_forget(const struct graph *graph);
// Whether the capture that a stream is in can go on.
CUresult sim_capture_state(const struct stream *stream);
// Make a node of what was put on a captured stream. The work's resources are taken over, and let
// go of where this fails.
CUresult sim_capture_node(struct stream *stream, CUgraphNodeType type, const struct work *work,
                          struct node **out);
CUresult sim_capture_work(struct stream *stream, const struct work *work);
CUresult sim_capture_record(struct event *event, struct stream *stream);
CUresult sim_capture_wait(struct stream *stream, const struct event *event);
void sim_ends_set(struct ends *ends, struct node *const *nodes, size_t count);

// graph.c, graph_exec.c, user_object.c
void sim_graph_end(struct graph *graph);
void sim_exec_end(struct exec *exec);
void sim_user_end(struct user_object *object);
void sim_users_wait(void); // until all that nobody holds have been told

// conditional.c
bool sim_condition_set(uint64_t handle, uint32_t value); // by a kernel; false: no such handle
void sim_condition_assign(struct condition *condition);
struct condition *sim_branch_condition(const struct branch *branch);
void sim_branch_retain(struct branch *branch);
void sim_branch_drop(struct branch *branch);
void sim_branch_run(const struct branch *branch, struct stream *stream);

// graph_memory.c
CUresult sim_graph_allocate(struct stream *stream, size_t bytes, CUdeviceptr *out);
CUresult sim_graph_free(struct stream *stream, struct allocation *allocation);
void sim_graph_memory_retain(struct allocation *allocation);
void sim_graph_memory_drop(struct allocation *allocation);
void sim_graph_memory_wake(struct allocation *allocation);
void sim_graph_memory_sleep(struct allocation *allocation, const char *by);

// memory.c
struct allocation *sim_find(CUdeviceptr ptr); // the one that contains it
struct allocation *sim_allocate(size_t bytes, enum memory memory, int device);
struct allocation *sim_note_variable(CUdeviceptr base, size_t bytes, struct context *context);
// What is mapped, for all calls to see; sim_free() is its end.
struct allocation *sim_note_virtual(CUdeviceptr base, size_t bytes, enum memory memory, int device);
void sim_free(struct allocation *allocation, const char *by); // who frees it, for reports
// Let memory go and come again at its address, fresh.
void sim_pages_sleep(struct allocation *allocation, const char *by);
void sim_pages_wake(struct allocation *allocation);
bool sim_asleep(const struct allocation *allocation);
bool sim_in_arena(CUdeviceptr ptr);
bool sim_mapped(CUdeviceptr ptr, size_t bytes); // of the process, whoever mapped it
// Host memory, for all calls to see; NULL when some of it is there already.
struct allocation *sim_note_registered(CUdeviceptr base, size_t bytes, int device);
// Whether `bytes` from `ptr` may be accessed; else the sticky error that this is. Work in its turn
// may also use what a free that is queued behind it will free.
CUresult sim_check_range(CUdeviceptr ptr, size_t bytes, bool in_turn);
void sim_memory_of_context_end(struct context *context);

// virtual.c
CUmemAccess_flags sim_virtual_access(CUdeviceptr ptr, int device);
bool sim_reserved(CUdeviceptr ptr); // an address that cuMemAddressReserve gave
int sim_virtual_count(void);        // of pieces of memory, and of reservations
void sim_virtual_end(void);         // of all of it

// pool_store.c
#define SIM_POOL_CHUNK ((size_t)32 << 20)
struct pool *sim_pool_new(const CUmemPoolProps *props);
void sim_pool_reserve(struct pool *pool, uint64_t bytes);
void sim_pool_trim(struct pool *pool, uint64_t keep);                // no lower than that
void sim_pool_forget(struct pool *pool, const struct allocation *a); // its place in the file
void sim_pool_end(struct pool *pool);
void sim_pool_give_back(struct pool *pool, size_t bytes);
void sim_pools_trim(void); // at a synchronisation

// copy.c
// Checked again: the memory may have gone. The lock may be given up meanwhile.
CUresult sim_run_copy(const struct copy *copy, bool unlocked);
CUresult sim_run_fill(const struct fill *fill, bool unlocked);

void sim_green_end(struct object *object); // green.c; or a description of one

// library.c
// Options of the compiler in the driver: where the logs go. False for an option that there is not.
struct jit_logs {
    char *info, *error;
    size_t info_bytes, error_bytes;
    void **info_used, **error_used, **wall_time;
};
bool sim_jit_options(struct jit_logs *logs, unsigned count, const CUjit_option *options,
                     void **values);
void sim_jit_write(const struct jit_logs *logs, const char *info, const char *error);

CUresult sim_read_file(const char *path, char **out, size_t *size);
struct library *sim_library_new(void); // not to be found by its handle yet
// Load an image: PTX, or a fat binary with PTX in it.
CUresult sim_library_load(struct library **out, const void *image, size_t bytes,
                          const struct jit_logs *logs);
void sim_library_end(struct library *library);
CUmodule sim_module_of(struct library *library, struct context *context);
void sim_module_end(struct module *module); // and its library, where that is its own

// kernel.c
// Put a kernel into a library. Its name is taken over, its attributes are set by
// sim_kernel_ready().
struct kernel *sim_kernel_new(struct library *library, char *name);
struct kernel *sim_kernel_named(const struct library *library, const char *name); // or NULL
struct kernel_facts {
    int shared, local, constant, registers; // bytes, registers of a thread
    int ptx, threads, exact_threads[3], cluster[3];
    bool explicit_cluster;
};
void sim_kernel_ready(struct kernel *kernel, const struct kernel_facts *facts);

CUresult sim_function_of(struct kernel *kernel, struct context *context, CUfunction *out);
void sim_function_end(struct function *function);
// The kernel behind a CUfunction, or a CUkernel passed as one: then *context is NULL.
struct kernel *sim_kernel_of(CUfunction handle, struct context **context);

// occupancy.c
int sim_blocks_per_sm(const struct kernel *kernel, int device, int threads, size_t dynamic);

// launch_record.c
struct launch *sim_launch_new(void); // NULL without memory
void sim_launch_drop(struct launch *launch);

// reserve.c, with the lock
bool sim_reserve_fill(void); // false: there is no memory
void *sim_reserve_take(size_t bytes);
bool sim_reserve_needed(const char *function);

// finding.c
// Say in a line what is wrong with a call or with the work that runs, for stderr and the library.
void sim_tell(const char *format, ...) __attribute__((format(printf, 1, 2), cold));
void sim_finding_begin(void); // a call, or work of a stream
void sim_finding_failed(int fn, CUresult code) __attribute__((cold));
void sim_finding_fault(CUresult code) __attribute__((cold)); // it destroys a context

// link.c
void sim_link_end(void *link);

// profile.c
// Make a device what a profile says: 80, 90 or 100 for the architecture. False for another one.
bool sim_profile(struct device *device, int arch, int ordinal);

// The other half. All but sim_code_run() are called with the lock held; those that load may give
// it up meanwhile.

void sim_configure(void);         // the settings of a fresh driver
CUresult sim_started(void);       // what cuInit() has to say of them
void sim_print(const char *text); // a line, where such things are told
const char *sim_complaint(void);  // and cuGetErrorString() of that; NULL for nothing
void sim_fault_fired(void);
// The PTX in an image that is no text, in memory of the caller's; NULL for a text. Or why there is
// none: the driver's code, and words in `log`. An image of SIM_UNKNOWN_BYTES tells its own length.
#define SIM_UNKNOWN_BYTES SIZE_MAX
CUresult sim_image_text(const void *image, size_t bytes, char **out, char *log, size_t log_bytes);
// Load a text into a library that has no kernels yet: its kernels, in order. Or why not: the
// driver's code, and words in `log`.
CUresult sim_code_load(struct library *library, const char *text, char *log, size_t log_bytes);
// Whether a text that may need others to be whole is PTX.
CUresult sim_code_check(const char *text, char *log, size_t log_bytes);
extern const char sim_linked[]; // what the linker has to say when all is well
void sim_code_end(struct library *library);
// The library's part in a context that ends.
void sim_code_leave(struct library *library, struct context *context);
void sim_code_context_end(struct context *context); // and what was its own
CUresult sim_code_variable(struct library *library, struct context *context, const char *name,
                           bool managed, CUdeviceptr *ptr, size_t *bytes);
// A launch was accepted: fill in what runs, or leave it all NULL.
CUresult sim_code_prepare(struct launch *launch, const struct kernel *kernel,
                          struct context *context);
CUresult sim_code_run(struct launch *launch); // without the lock
void sim_code_done(struct launch *launch);    // has run, or never will
// Whom it interests what device memory holds: fresh memory nothing yet, and what was written what
// `from` has, or what is not known where that is 0. Called with or without the lock.
void sim_note_fresh(CUdeviceptr ptr, size_t bytes);
void sim_note_gone(CUdeviceptr ptr, size_t bytes);
void sim_note_written(CUdeviceptr to, CUdeviceptr from, size_t bytes);

#endif
