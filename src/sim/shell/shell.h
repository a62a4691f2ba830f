// The driver's shell: contexts, streams, events, memory, libraries and launches over host memory,
// independent of how kernels run.
//
// Every function of cu.def and more.def has a wrapper in entry.c that counts, injects faults,
// performs common checks, and calls sim_<name>() with the single lock held. The other files define
// those functions; defaults.c has weak defaults for the rest. The lock is released only around code
// outside the shell (callbacks, kernels, large copies) and while a call waits.
//
// The shell is built twice, each time with a back end. libcucore-sim.so adds code.c, code_run.c and
// image.c, which load PTX into the executor and run it, config.c, which reads the environment, and
// complaint.c and notes.c. The tests' driver adds tests/support/fake_*.c instead, in which kernels
// are host functions and all state can be queried and set. The functions that a back end defines
// are listed at the end, under "The back end".
#ifndef CUCORE_SIM_SHELL_SHELL_H
#define CUCORE_SIM_SHELL_SHELL_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "driver/cuda_abi.h"

enum {
    SIM_DEVICES = 8,
    SIM_ATTRIBUTES = 148, // attributes of a device, by number
    SIM_LIMITS = 10,
    SIM_STACK = 64, // contexts pushed by one thread before its stack needs memory
    SIM_LAUNCH_ATTRIBUTES = 16,
    SIM_LAUNCH_PARAMETERS = 128, // parameters of a host function that replaces a kernel
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

// Objects. A handle is a number that is never reused; a table maps it to its object.

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
    KIND_EXEC, // an instantiated graph
    KIND_USER, // a user object of graphs
    KIND_GREEN,
    KIND_DESC, // a resource descriptor of green contexts
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
    struct context *context; // NULL if it belongs to none
    enum kind kind;
    bool gone;    // destroyed, though its work still runs: calls do not find it
    bool builtin; // created by the driver: not counted as live
};

struct context {
    struct object head;
    int device;
    bool primary;
    unsigned flags;
    uint64_t id;
    CUresult lost; // sticky error
    size_t limits[SIM_LIMITS];
    void *heap; // heap of its kernels' malloc(), owned by the back end; NULL: none has run yet
    CUfunc_cache cache;
    uintptr_t peers[SIM_DEVICES];
    struct stream *legacy;
    struct stream *per_thread; // list of per-thread default streams
};

struct device {
    char name[64];
    int ordinal; // number in the machine: CUDA_VISIBLE_DEVICES may reorder devices
    int attributes[SIM_ATTRIBUTES];
    size_t total, used;
    struct context *primary;
    unsigned primary_refs;
    unsigned primary_flags;
    struct pool *default_pool[2]; // pinned, managed; created on first use
    struct pool *pool;            // current pool, NULL for the default
    uint64_t graph_memory[4];     // by CU_GRAPH_MEM_ATTR_
};

// The nodes that subsequent work depends on: for a captured stream, and for an event recorded
// there.
struct ends {
    struct node **nodes;
    size_t count;
};

// A waiting thread; lives on its stack. Only the event that it waits for wakes it, since there may
// be thousands of sleepers.
struct sleeper {
    struct sleeper *next, **at;         // list of those that wait for the same event
    struct sleeper *next_all, **at_all; // list of all sleepers; `at_all` is NULL once awake
    pthread_cond_t wake;
    uint64_t until; // for a stream: amount of work done
};
#define SIM_END UINT64_MAX // for the end of the stream itself

// A point in a stream's work: the state of a recorded event, and the target of waits.
struct mark {
    struct mark *next_free;
    struct sleeper *sleepers; // until the point is reached
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
    struct graph *graph; // NULL if the graph was freed meanwhile
    bool takes_graph;    // an unsuccessful end frees the graph, even one that existed before
    unsigned thread;
    int streams;      // participating streams
    struct ends left; // dependencies of destroyed streams
};

struct stream {
    struct object head;
    struct stream *next_per_thread;
    unsigned thread; // thread of a per-thread default stream
    unsigned flags;
    int priority;
    uint64_t id;
    uintptr_t green; // handle of the green context that created it, or 0
    CUstreamAttrValue attributes[17];
    struct work *first, *last; // queue
    uint64_t submitted, done;
    struct sleeper *sleepers; // until enough of it is done
    struct sleeper *asleep;   // its own thread, while no work is ready
    bool held, running, worker, ending;
    struct capture *capture;
    struct ends ends;          // position in the capture
    struct capture_info *info; // result of the last query
    int captured;              // items of work added to captures
};

struct sim_shared_event;

struct event {
    struct object head;
    unsigned flags;
    struct sim_shared_event *shared; // state of an interprocess event, which has no mark
    int file;                        // file of `shared`
    bool imported;
    struct mark *mark; // NULL until recorded
    uint64_t capture;  // id of the capture that last recorded it, or 0
    struct ends ends;  // position in that capture
};

// Memory

enum memory {
    MEMORY_DEVICE = 1,
    MEMORY_MANAGED,
    MEMORY_HOST,
    MEMORY_REGISTERED,
    MEMORY_POOL,
    MEMORY_VARIABLE, // a library's variable
};

struct allocation {
    CUdeviceptr base;
    size_t bytes; // requested size
    enum memory memory;
    struct context *context; // NULL for pool memory
    struct pool *pool;
    struct graph_part *graph; // memory that a running graph allocates
    int device;
    unsigned flags;
    uint64_t id;
    bool freeing; // a free is queued: no longer usable
    bool managed; // a managed variable
    bool foreign; // a variable placed by the executor
    bool virtual; // a mapped part of reserved addresses
    bool sync_memops;
    bool read_mostly;
    bool shared; // lies in its pool's file, from `file_offset` on
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
    int file; // file of a shareable pool, and the offset of its next memory
    uint64_t file_end;
    bool imported, exported;
    size_t imports; // imports in one process, which share one pool object
};

// Code

struct parameter {
    size_t offset, bytes;
};

struct kernel {
    struct object head;
    struct library *library;
    struct kernel *next, *next_named; // in the library, and in its bucket
    char *name;
    struct parameter *parameters;
    size_t parameter_count, parameter_bytes;
    int attributes[SIM_DEVICES][16]; // CU_FUNC_ATTRIBUTE_...
    CUfunc_cache cache[SIM_DEVICES];
    int max_threads;      // .maxntid or .reqntid, 0 if absent
    int exact_threads[3]; // .reqntid, zeros if absent
    unsigned index;       // index in its library
    void *code;           // owned by the back end
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
    bool owner; // owns its library: created by cuModuleLoad...
};

struct library {
    struct object head;
    struct kernel *kernels, **last_kernel;
    struct kernel **named, *few_named[16]; // buckets by name; the number is a power of two
    unsigned kernel_count, bucket_count;
    void *code; // owned by the back end
};

// Work

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

// Additional state of graph memory. It has its address from the capture on, and exists from the
// allocating node to the free.
struct graph_part {
    uintptr_t owner;   // handle of the graph
    int refs;          // nodes, instances and work that refer to it
    bool awake;        // exists, in stream order
    bool launched;     // exists, in call order: a launch will allocate or has allocated it, and
                       // nothing frees it
    bool freed_within; // a node of the owner frees it
};

typedef void (*sim_host_kernel)(void **params, const CUlaunchConfig *config);

// A queued launch; owns copies of all that the caller passed.
struct launch {
    struct launch *next; // list of free ones
    int refs;            // shared by work and graph nodes: immutable once accepted
    CUlaunchConfig config;
    CUlaunchAttribute attributes[SIM_LAUNCH_ATTRIBUTES];
    unsigned cluster[3];
    bool cooperative;
    uint64_t id;
    // Owned by the back end: the code and its image.
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
    OP_WAKE,   // graph memory appears
    OP_SLEEP,  // graph memory disappears
    OP_END,    // end of a graph launch
    OP_BRANCH, // a conditional node reads its condition and runs a body
    OP_ASSIGN, // assigns a condition's default value
};

struct work {
    struct work *next;
    enum op op;
    union {
        struct mark *mark;
        struct {
            uintptr_t stream; // handle, since it may be destroyed before
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
        struct branch *branch; // also for OP_ASSIGN: owns the condition
    };
};

// The driver's global state. The back end sets version, device_count, background, guard,
// fresh_most, async, and the devices.
struct sim_shell {
    pthread_mutex_t lock;
    struct sleeper *sleepers; // all
    int version;
    int device_count;
    bool device_twice; // CUDA_VISIBLE_DEVICES names a device twice
    bool initialised;
    bool async;          // calls perform no work themselves
    bool background;     // calls perform no kernels or large copies; these run without the lock
    bool guard;          // freed memory and the surroundings of memory are inaccessible
    size_t fresh_most;   // bytes of fresh memory to fill, so that nobody relies on zeros
    unsigned generation; // number of resets: older stacks of current contexts are empty
    uint64_t serial;     // last id
    uintptr_t handles;   // handles issued so far
    int workers;
    struct capture *captures;  // in progress
    struct user_object *dying; // no longer referenced, awaiting their callbacks
    bool undertaker;           // a thread runs those callbacks
    int pools;
    struct pool *host_pool;
    int threads;
    struct device devices[SIM_DEVICES];
    struct object **objects, *first_objects[1024]; // buckets by handle
    size_t object_count, bucket_count;
    struct allocation **allocations; // sorted by address
    size_t allocation_count, allocation_capacity;
    struct work *free_work;
    struct mark *free_marks;
    uint64_t launches;
    bool clearing; // the call ignores earlier errors
};

extern struct sim_shell sim;

struct sim_thread {
    unsigned id;
    unsigned generation;
    unsigned depth;
    bool in_callback;
    bool per_thread_default; // the call was looked up with stream 0 as the thread's own
    CUstreamCaptureMode capture_mode;
    // Handles, since a context may be destroyed while it is here. Entries past SIM_STACK are in
    // `deep`.
    uintptr_t stack[SIM_STACK], *deep;
    size_t deep_capacity;
};

extern _Thread_local struct sim_thread sim_thread;

// state.c
void sim_lock(void);
void sim_unlock(void);
// Wait; the lock is released meanwhile. The caller must recheck its condition.
void sim_wait(void); // for a change announced to all
void sim_changed(void);
void sim_wait_for(struct sleeper **list, uint64_t until);
// `*mine` points to the sleeper during the sleep; `a_little` limits it to 0.2 ms.
void sim_sleep(struct sleeper **mine, struct sleeper **list, uint64_t until, bool a_little);
void sim_wake(struct sleeper **list, uint64_t done);
void sim_wake_one(struct sleeper *sleeper);
void sim_bug(const char *what, const char *name) __attribute__((noreturn));
// Allocates zeroed memory, from the reserve if the heap is exhausted. Ends the process if both
// fail, so allocations of caller-chosen sizes use calloc().
void *sim_alloc(size_t bytes);
// Called by SIM_RESERVE(). `array` points to the pointer to the items, which can have any type.
void sim_array_reserve(void *array, size_t *capacity, size_t count, size_t least, size_t item);
// Makes room for `count` items in the array at the pointer `array`, whose capacity in items is
// `capacity`. The capacity doubles, starting from `least`. New items are zero.
#define SIM_RESERVE(array, capacity, count, least) \
    sim_array_reserve(&(array), &(capacity), (count), (least), sizeof(*(array)))
size_t sim_round_up(size_t bytes, size_t to);
// Reports a call in which a real driver would crash, because it uses memory that it has freed.
void sim_crash(const char *what, const char *name);

// names.c
// Finds a function by name, with or without a _v2; FN_COUNT if there is none.
int sim_function_number(const char *name);
const char *sim_function_name(int fn);
CUresult sim_result_number(const char *name); // from CUDA_ERROR_... or a number; -1 for neither
// Returns the name or the meaning of a result; CUDA_ERROR_INVALID_VALUE if it is unknown.
CUresult sim_result_text(CUresult code, const char **out, bool name);
bool sim_has_name(int fn, const char *name); // matches as sim_function_number() does
bool sim_same_function(int a, int b);        // true for two forms of one function

// fault.c
void sim_arm(int fn, int nth, CUresult code); // the nth next call fails; FN_COUNT: of any function
void sim_disarm(void);
bool sim_fault_left(size_t index, int *fn, int *nth, int *left); // enumerates armed faults; false:
                                                                 // no more
int sim_armed(int fn);          // faults that a call of the function may hit; FN_COUNT: of any
                                // function
CUresult sim_fault_due(int fn); // counts the call; returns the code it must fail with, or 0

// entry.c
void sim_end_everything(void); // resets everything, except for primary contexts
extern int sim_calls[], sim_calls_total;
extern bool sim_hidden[];
extern _Atomic unsigned char sim_skip[]; // functions that only return 0

// object.c: gives an object a handle and adds it to the table.
void sim_enlist(void *object, enum kind kind, struct context *context);
// Removes an object from the table; the caller keeps its memory.
void sim_delist(void *object);
// Returns the object of a handle, or NULL; destroyed objects are not found.
void *sim_object(const void *handle, enum kind kind);
void *sim_object_or_destroyed(const void *handle, enum kind kind);
// Returns true if the handle was once issued.
bool sim_was_handle(const void *handle);
#define SIM_HANDLE(type, object) ((type)(object)->head.handle)
// Calls `visit` for all objects; it may remove the object passed to it.
void sim_each(void (*visit)(struct object *object, void *data), void *data);
// The same for a visit that removes nothing.
void sim_visit_objects(void (*visit)(struct object *object, void *data), void *data);
// device.c
bool sim_valid_device(CUdevice device);
int sim_attribute(int device, CUdevice_attribute attribute);
void sim_uuid(int ordinal, CUuuid *uuid);
// Argument checks of calls that query a device.
#define SIM_NEED(out, dev)                    \
    do {                                      \
        if (!(out))                           \
            return CUDA_ERROR_INVALID_VALUE;  \
        if (!sim_valid_device(dev))           \
            return CUDA_ERROR_INVALID_DEVICE; \
    } while (0)

// current.c
struct context *sim_current(void);                // NULL if there is none, or it was destroyed
CUresult sim_current_state(void);                 // 0, 201 or 709
struct context *sim_context_of(uintptr_t handle); // NULL if there is none
CUresult sim_bad_context(CUcontext handle);       // the error for a handle that is not a context
CUresult sim_context_push(CUcontext ctx);
void sim_context_leave(CUcontext ctx); // pops it if it is current

// access.c
// Returns how a device, or its context, can access an address of an allocation.
CUmemAccess_flags sim_access(const struct context *c, int device, const struct allocation *a,
                             CUdeviceptr ptr);

// tensor_map.c: without requiring a context
CUresult sim_encode_tiled(CUtensorMap *map, CUtensorMapDataType dtype, uint32_t rank, void *address,
                          const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                          const uint32_t *element_strides, CUtensorMapInterleave interleave,
                          CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2_promotion,
                          CUtensorMapFloatOOBfill oob_fill);

// context.c
void sim_context_end(struct context *context);
void sim_context_clean(struct context *context); // its objects and settings

// ipc.c
bool sim_pool_share(struct pool *pool);
bool sim_pool_back(struct pool *pool, struct allocation *a); // places fresh memory in the pool's
                                                             // file
bool sim_event_share(struct event *event);
void sim_event_unshare(struct event *event);
struct work sim_shared_record(struct event *event); // work items that record it, and that wait for
                                                    // it
struct work sim_shared_wait(const struct event *event);
bool sim_shared_done(const struct event *event);

// work.c
struct mark *sim_mark_new(void);
struct mark *sim_mark_retain(struct mark *mark);
void sim_mark_drop(struct mark *mark); // accepts NULL
// Runs work on a stream now or in its turn. `*work` is copied.
CUresult sim_submit(struct stream *stream, const struct work *work);
// Starts the thread that executes the queue. Returns the system's error if it cannot start.
CUresult sim_stream_thread(struct stream *stream);
void sim_stream_wake(struct stream *stream);
// Enqueues work in stream order for the stream's thread; never releases the lock.
void sim_enqueue(struct stream *stream, const struct work *work);
// Copies work, sharing its resources, and releases those.
struct work sim_work_copy(const struct work *work);
void sim_work_drop(struct work *work);
void sim_work_run(struct work *work, struct stream *stream); // now, as part of other work
CUresult sim_order(struct stream *stream); // applies the default stream's ordering
bool sim_idle(const struct stream *stream);
void sim_stream_drop(struct stream *stream); // drops all queued work

// stream.c
CUresult sim_stream_of(CUstream handle, struct stream **out); // validates, and returns sticky
                                                              // errors
struct stream *sim_stream_or_destroyed(CUstream handle);
void sim_stream_end(struct stream *stream);
// Creates a stream in a context; cuGreenCtxStreamCreate() uses it too.
CUresult sim_stream_create(CUstream *out, struct context *context, unsigned flags, int priority);
void sim_streams_reap(void); // frees destroyed streams without work left
CUresult sim_drain_context(struct context *context);
void sim_lose(struct context *context, CUresult code);

// event.c
CUresult sim_event_record(struct event *event, struct stream *stream);
void sim_event_end(struct event *event);

// capture.c
bool sim_capture_forbids(void); // for an unsafe call; invalidates the capture that forbids it
// Spoils a capture, for a call that its stream does not permit.
CUresult sim_capture_spoil(struct stream *stream);
// Invalidates all captures of a context, for a context-wide wait; returns an error if there are
// any.
CUresult sim_capture_spoil_all(const struct context *context);
// Invalidates the capture that recorded an event.
CUresult sim_capture_spoil_event(const struct event *event);
CUresult sim_capture_implicit(const struct stream *stream);
void sim_capture_abandon(struct stream *stream); // the stream is being destroyed
// Detaches a destroyed graph from the captures that add to it.
void sim_capture_forget(const struct graph *graph);
// Returns an error if the stream's capture cannot continue.
CUresult sim_capture_state(const struct stream *stream);
// Adds a node for work on a captured stream. Takes over the work's resources, and releases them on
// failure.
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
void sim_users_wait(void); // until callbacks of all unreferenced objects have run

// conditional.c
// Sets a value, as a kernel does; false for an unknown handle.
bool sim_condition_set(uint64_t handle, uint32_t value);
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
struct allocation *sim_find(CUdeviceptr ptr); // the allocation that contains the address
struct allocation *sim_allocate(size_t bytes, enum memory memory, int device);
struct allocation *sim_note_variable(CUdeviceptr base, size_t bytes, struct context *context);
// Registers mapped memory for all calls; sim_free() removes it.
struct allocation *sim_note_virtual(CUdeviceptr base, size_t bytes, enum memory memory, int device);
void sim_free(struct allocation *allocation, const char *by); // name of the freeing call, for
                                                              // reports
// Free memory, and allocate it fresh at the same address.
void sim_pages_sleep(struct allocation *allocation, const char *by);
void sim_pages_wake(struct allocation *allocation);
bool sim_asleep(const struct allocation *allocation);
bool sim_in_arena(CUdeviceptr ptr);
bool sim_mapped(CUdeviceptr ptr, size_t bytes); // true for any mapped address of the process
// Registers host memory; NULL if it overlaps an allocation.
struct allocation *sim_note_registered(CUdeviceptr base, size_t bytes, int device);
// Checks that `bytes` from `ptr` are accessible; returns the sticky error otherwise. Work in stream
// order may also use memory whose free is queued after it.
CUresult sim_check_range(CUdeviceptr ptr, size_t bytes, bool in_turn);
void sim_memory_of_context_end(struct context *context);

// virtual.c
CUmemAccess_flags sim_virtual_access(CUdeviceptr ptr, int device);
bool sim_reserved(CUdeviceptr ptr); // inside a reservation of cuMemAddressReserve
int sim_virtual_count(void);        // number of physical allocations and reservations
void sim_virtual_end(void);         // ends all virtual memory

// pool_store.c
#define SIM_POOL_CHUNK ((size_t)32 << 20)
struct pool *sim_pool_new(const CUmemPoolProps *props);
void sim_pool_reserve(struct pool *pool, uint64_t bytes);
void sim_pool_trim(struct pool *pool, uint64_t keep); // keeps at least `keep` bytes
void sim_pool_forget(struct pool *pool,
                     const struct allocation *a); // releases its part of the file
void sim_pool_end(struct pool *pool);
void sim_pool_return(struct pool *pool, size_t bytes);
void sim_pools_trim(void); // at a synchronization

// copy.c: check again, since the memory may be gone. They may release the lock meanwhile.
CUresult sim_run_copy(const struct copy *copy, bool unlocked);
CUresult sim_run_fill(const struct fill *fill, bool unlocked);

void sim_green_end(struct object *object); // green.c: a green context, or a resource descriptor

// library.c: options of the driver's JIT compiler: the log buffers. Returns false for an unknown
// option.
struct jit_logs {
    char *info, *error;
    size_t info_bytes, error_bytes;
    void **info_used, **error_used, **wall_time;
};
bool sim_jit_options(struct jit_logs *logs, unsigned count, const CUjit_option *options,
                     void **values);
void sim_jit_write(const struct jit_logs *logs, const char *info, const char *error);

CUresult sim_read_file(const char *path, char **out, size_t *size);
struct library *sim_library_new(void); // not yet visible by its handle
// Loads an image: PTX, or a fat binary that contains PTX.
CUresult sim_library_load(struct library **out, const void *image, size_t bytes,
                          const struct jit_logs *logs);
void sim_library_end(struct library *library);
CUmodule sim_module_of(struct library *library, struct context *context);
void sim_module_end(struct module *module); // ends the module, and its library if it owns that

// kernel.c: adds a kernel to a library. Takes over the name; sim_kernel_ready() sets the
// attributes.
struct kernel *sim_kernel_new(struct library *library, char *name);
struct kernel *sim_kernel_named(const struct library *library, const char *name); // or NULL
struct kernel_facts {
    int shared, local, constant, registers; // bytes; registers of a thread
    int ptx, cluster[3];
    int threads; // product of .maxntid; 0: none
    int exact_threads[3],
        exact; // .reqntid and its product; the attributes ignore it, as a GPU's do
    bool explicit_cluster;
};
void sim_kernel_ready(struct kernel *kernel, const struct kernel_facts *facts);

CUresult sim_function_of(struct kernel *kernel, struct context *context, CUfunction *out);
void sim_function_end(struct function *function);
// Returns the kernel of a CUfunction, or of a CUkernel passed as one, with *context NULL.
struct kernel *sim_kernel_of(CUfunction handle, struct context **context);
// The same, with the current context for a CUkernel.
CUresult sim_kernel_on(CUfunction func, struct kernel **kernel, struct context **context);

// occupancy.c
int sim_blocks_per_sm(const struct kernel *kernel, int device, int threads, size_t dynamic);

// launch_record.c
struct launch *sim_launch_new(void); // NULL if out of memory
void sim_launch_drop(struct launch *launch);

// reserve.c; called with the lock held
bool sim_reserve_fill(void); // false: out of memory
void *sim_reserve_take(size_t bytes);
bool sim_reserve_needed(const char *function);

// finding.c: reports in a line the error of the current call or work, on stderr and to the library.
void sim_warn(const char *format, ...) __attribute__((format(printf, 1, 2), cold));
void sim_finding_begin(void); // called as a call, or work of a stream, begins
void sim_finding_failed(int fn, CUresult code) __attribute__((cold));
void sim_finding_fault(CUresult code) __attribute__((cold)); // the fault destroys a context

// link.c
void sim_link_end(void *link);

// profile.c: sets a device's attributes from a profile: 80, 90 or 100 for the architecture. Returns
// false for another one.
bool sim_profile(struct device *device, int arch, int ordinal);

// The back end. All functions but sim_code_run() are called with the lock held; those that load may
// release it meanwhile.

void sim_configure(void);         // settings of a fresh driver
CUresult sim_started(void);       // cuInit()'s result for these settings
void sim_print(const char *text); // one line of a report
const char *sim_complaint(void);  // cuGetErrorString()'s text for that result; NULL for none
void sim_fault_fired(void);
// Extracts the PTX of a binary image into memory that the caller owns; NULL if the image is text.
// On failure returns the driver's code, with the reason in `log`. An image of SIM_UNKNOWN_BYTES
// states its own length.
#define SIM_UNKNOWN_BYTES SIZE_MAX
CUresult sim_image_text(const void *image, size_t bytes, char **out, char *log, size_t log_bytes);
// Loads a text into a library that has no kernels yet, and adds its kernels in order. On failure
// returns the driver's code, with the reason in `log`.
CUresult sim_code_load(struct library *library, const char *text, char *log, size_t log_bytes);
// Checks that a text is PTX; it may depend on other texts.
CUresult sim_code_check(const char *text, char *log, size_t log_bytes);
extern const char sim_linked[]; // the linker's log on success
void sim_code_end(struct library *library);
// Removes a library's part in an ending context.
void sim_code_leave(struct library *library, struct context *context);
void sim_code_context_end(struct context *context); // the back end's data of the context
CUresult sim_code_variable(struct library *library, struct context *context, const char *name,
                           bool managed, CUdeviceptr *ptr, size_t *bytes);
// Fills in the code of an accepted launch, or leaves it NULL.
CUresult sim_code_prepare(struct launch *launch, const struct kernel *kernel,
                          struct context *context);
CUresult sim_code_run(struct launch *launch); // without the lock
void sim_code_done(struct launch *launch);    // the launch ran, or never will
// Track the contents of device memory: fresh memory holds nothing yet; written memory holds the
// state of `from`, or is unknown if that is 0. Called with or without the lock.
void sim_note_allocated(CUdeviceptr ptr, size_t bytes);
void sim_note_freed(CUdeviceptr ptr, size_t bytes);
void sim_note_written(CUdeviceptr to, CUdeviceptr from, size_t bytes);

#endif
