// The driver's shell: contexts, streams, events, memory, libraries and launches, on host memory,
// independently of how kernels run.
//
// Every function of cu.def and more.def has a wrapper in entry.c. It counts the call, injects
// faults, performs common checks, and calls sim_<name>() with the single lock held. The other files
// define those functions, and defaults.c has weak definitions of the remaining ones. The lock is
// released only around code outside of the shell (callbacks, kernels, large copies) and while a
// call waits.
//
// The shell is built twice, with different back ends. In libcucore-sim.so, code.c, code_run.c and
// image.c load PTX into the executor and run it, and config.c reads the environment; complaint.c
// and notes.c also belong to this back end. The tests' driver has tests/support/fake_*.c instead:
// its kernels are host functions, and all of its state can be queried and set. The end of this file
// lists the functions that a back end defines, under "The back end".
#ifndef CUCORE_SIM_SHELL_SHELL_H
#define CUCORE_SIM_SHELL_SHELL_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "driver/cuda_abi.h"

enum {
    SIM_DEVICES = 8,
    SIM_ATTRIBUTES = 148, // number of a device's attributes
    SIM_LIMITS = 10,
    SIM_STACK = 64, // contexts that a thread can push before its stack needs memory
    SIM_LAUNCH_ATTRIBUTES = 16,
    SIM_LAUNCH_PARAMETERS = 128, // parameters of a host function that stands for a kernel
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

// Objects. A handle is a number that is never reused, and a table maps it to its object.

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
    KIND_USER, // a user object, which graphs retain
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
    struct context *context; // NULL if it belongs to no context
    enum kind kind;
    bool gone;    // destroyed, but its work still runs: calls cannot find it
    bool builtin; // created by the driver: does not count as live
};

struct context {
    struct object head;
    int device;
    bool primary;
    unsigned flags;
    uint64_t id;
    CUresult lost; // sticky error
    size_t limits[SIM_LIMITS];
    void *heap; // heap for malloc() in its kernels; belongs to the back end; NULL until such a
                // kernel runs
    CUfunc_cache cache;
    uintptr_t peers[SIM_DEVICES];
    struct stream *legacy;
    struct stream *per_thread; // list of per-thread default streams
};

struct device {
    char name[64];
    int ordinal; // number in the machine, since CUDA_VISIBLE_DEVICES may reorder devices
    int attributes[SIM_ATTRIBUTES];
    size_t total, used;
    struct context *primary;
    unsigned primary_refs;
    unsigned primary_flags;
    struct pool *default_pool[2]; // pinned and managed; created on first use
    struct pool *pool;            // current pool; NULL: the default pool
    uint64_t graph_memory[4];     // by CU_GRAPH_MEM_ATTR_
};

// The nodes on which subsequent work depends, for a captured stream or an event recorded in one.
struct ends {
    struct node **nodes;
    size_t count;
};

// A waiting thread (a sleeper). The struct is on that thread's stack. There may be thousands of
// sleepers, so each is woken only by the event that it waits for.
struct sleeper {
    struct sleeper *next, **at;         // list of those that wait for the same event
    struct sleeper *next_all, **at_all; // list of all sleepers; `at_all` is NULL once it is awake
    pthread_cond_t wake;
    uint64_t until; // for a stream: amount of work that must be done
};
#define SIM_END UINT64_MAX // a value of `until`: wait for the end of the stream

// A point in a stream's work: the state of a recorded event, and the target of waits.
struct mark {
    struct mark *next_free;
    struct sleeper *sleepers; // those that wait until the point is reached
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
    struct graph *graph; // NULL if the graph has been freed
    bool takes_graph;    // an unsuccessful capture frees the graph when it ends, even one that
                         // existed before
    unsigned thread;
    int streams;      // participating streams
    struct ends left; // dependencies that destroyed streams have left behind
};

struct stream {
    struct object head;
    struct stream *next_per_thread;
    unsigned thread; // per-thread default streams: the thread
    unsigned flags;
    int priority;
    uint64_t id;
    uintptr_t green; // handle of the green context that created it; 0: none
    CUstreamAttrValue attributes[17];
    struct work *first, *last; // queue
    uint64_t submitted, done;
    struct sleeper *sleepers; // those that wait until enough work is done
    struct sleeper *asleep;   // its own thread, while no work is ready
    bool held, running, worker, ending;
    struct capture *capture;
    struct ends ends;          // its position in the capture
    struct capture_info *info; // result of the last query
    int captured;              // number of work items that it has added to captures
};

struct sim_shared_event;

struct event {
    struct object head;
    unsigned flags;
    struct sim_shared_event *shared; // state of an interprocess event, which has no mark
    int file;                        // file of `shared`
    bool imported;
    struct mark *mark; // NULL until recorded
    uint64_t capture;  // id of the capture in which it was recorded last; 0: none
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
    struct graph_part *graph; // memory that a graph allocates while it runs
    int device;
    unsigned flags;
    uint64_t id;
    bool freeing; // a free is queued, so the memory can no longer be used
    bool managed; // a managed variable
    bool foreign; // a variable that the executor has placed
    bool virtual; // a part of reserved addresses with a mapping
    bool sync_memops;
    bool read_mostly;
    bool shared; // in its pool's file, at `file_offset`
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
    int file; // file of a shareable pool; `file_end`: where the next allocation in the file begins
    uint64_t file_end;
    bool imported, exported;
    size_t imports; // number of imports by this process, which all share one pool object
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
    int max_threads;      // .maxntid or .reqntid; 0 if absent
    int exact_threads[3]; // .reqntid; zeros if absent
    unsigned index;       // index in its library
    void *code;           // belongs to the back end
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
    bool owner; // created by cuModuleLoad..., so it owns its library
};

struct library {
    struct object head;
    struct kernel *kernels, **last_kernel;
    struct kernel **named, *few_named[16]; // buckets by name; their number is a power of two
    unsigned kernel_count, bucket_count;
    void *code; // belongs to the back end
};

// Work

struct copy {
    unsigned char *dst;
    const unsigned char *src;
    size_t width, height, depth;
    size_t dst_pitch, dst_slice, src_pitch, src_slice;
    void *staged; // the source, if it is a copy of pageable memory that this work owns; NULL
};

struct fill {
    unsigned char *dst;
    size_t pitch, width, height; // width in elements
    uint32_t value;
    unsigned element; // bytes
};

// Additional state of graph memory. The memory has its address from the capture on, but exists only
// from the node that allocates it until it is freed.
struct graph_part {
    uintptr_t owner;   // handle of the graph
    int refs;          // nodes, instances and work items that refer to it
    bool awake;        // in stream order: it exists at this point
    bool launched;     // in the order of calls: some launch allocates it, and no call frees it
    bool freed_within; // a node of the owner frees it
};

typedef void (*sim_host_kernel)(void **params, const CUlaunchConfig *config);

// A queued launch, which owns copies of everything that the caller passed.
struct launch {
    struct launch *next; // list of unused launches
    int refs;            // work and graph nodes share it, so it is immutable once accepted
    CUlaunchConfig config;
    CUlaunchAttribute attributes[SIM_LAUNCH_ATTRIBUTES];
    unsigned cluster[3];
    bool cooperative;
    uint64_t id;
    // The code and its image, which belong to the back end.
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
    OP_ASSIGN, // assigns the default value of a condition
};

struct work {
    struct work *next;
    enum op op;
    union {
        struct mark *mark;
        struct {
            uintptr_t stream; // a handle, since the stream may be destroyed before this runs
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
        struct branch *branch; // also for OP_ASSIGN, in which it owns the condition
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
    bool async;          // calls never perform work themselves
    bool background;     // streams' threads, not calls, run kernels and large copies, without the
                         // lock
    bool guard;          // freed memory, and addresses around memory, are inaccessible
    size_t fresh_most;   // number of bytes of fresh memory to fill, so that nobody relies on zeros
    unsigned generation; // number of resets; a stack of contexts from before the last reset counts
                         // as empty
    uint64_t serial;     // last id
    uintptr_t handles;   // number of handles issued so far
    int workers;
    struct capture *captures;  // in progress
    struct user_object *dying; // unreferenced user objects that await their callbacks
    bool undertaker;           // a thread is running those callbacks
    int pools;
    struct pool *host_pool;
    int threads;
    struct device devices[SIM_DEVICES];
    struct object **objects, *first_objects[128]; // buckets by handle
    size_t object_count, bucket_count;
    struct allocation **allocations; // sorted by address
    size_t allocation_count, allocation_capacity;
    struct work *free_work;
    struct mark *free_marks;
    uint64_t launches;
    bool clearing; // the call must ignore earlier errors
};

extern struct sim_shell sim;

struct sim_thread {
    unsigned id;
    unsigned generation;
    unsigned depth;
    bool in_callback;
    bool per_thread_default; // the program looked up the variant of the call whose stream 0 is the
                             // thread's own
    CUstreamCaptureMode capture_mode;
    // Handles, since a context on the stack may be destroyed. Entries beyond SIM_STACK are in
    // `deep`.
    uintptr_t stack[SIM_STACK], *deep;
    size_t deep_capacity;
};

extern _Thread_local struct sim_thread sim_thread;

// state.c
void sim_lock(void);
void sim_unlock(void);
// Wait, and release the lock meanwhile. The caller must check its condition again.
void sim_wait(void); // for a change that is announced to all
void sim_changed(void);
void sim_wait_for(struct sleeper **list, uint64_t until);
// `*mine` points to the sleeper while it sleeps. `a_little`: for at most 0.2 ms.
void sim_sleep(struct sleeper **mine, struct sleeper **list, uint64_t until, bool a_little);
void sim_wake(struct sleeper **list, uint64_t done);
void sim_wake_one(struct sleeper *sleeper);
void sim_bug(const char *what, const char *name) __attribute__((noreturn));
// Allocates zeroed memory, from the reserve if the heap is exhausted. If that fails too, ends the
// process, so an allocation whose size a caller chooses must use calloc().
void *sim_alloc(size_t bytes);
// Implements SIM_RESERVE(). `array` is the address of a pointer to items of any type.
void sim_array_reserve(void *array, size_t *capacity, size_t count, size_t least, size_t item);
// Ensures that an array has room for `count` items. `array` is the pointer to its items, and
// `capacity` its capacity in items, which doubles, starting from `least`. New items are zero.
#define SIM_RESERVE(array, capacity, count, least) \
    sim_array_reserve(&(array), &(capacity), (count), (least), sizeof(*(array)))
size_t sim_round_up(size_t bytes, size_t to);
// Reports a call in which a real driver would crash, because it would use memory that it has freed.
void sim_crash(const char *what, const char *name);

// names.c: finds a function by its name, with or without _v2. FN_COUNT if there is none.
int sim_function_number(const char *name);
const char *sim_function_name(int fn);
CUresult sim_result_number(const char *name); // from a name, CUDA_ERROR_..., or a number; -1 if it
                                              // is neither
// Returns the name or the meaning of a result. CUDA_ERROR_INVALID_VALUE if the result is unknown.
CUresult sim_result_text(CUresult code, const char **out, bool name);
// Enumerates the functions whose name is `name` or `name` followed by _v2: the first one, then the
// one after `fn`. FN_COUNT if there is none.
int sim_first_form(const char *name);
int sim_next_form(int fn);
bool sim_same_function(int a, int b); // true if they are forms of one function

// fault.c
void sim_arm(int fn, int nth, CUresult code); // makes the nth next call of `fn` fail (FN_COUNT: of
                                              // any function)
void sim_disarm(void);
bool sim_fault_left(size_t index, int *fn, int *nth, int *left); // enumerates armed faults; false
                                                                 // if there are no more
int sim_armed(int fn);          // number of faults that may hit a call of `fn` (FN_COUNT: of any
                                // function)
CUresult sim_fault_due(int fn); // counts a call, and returns the code with which it must fail, or 0

// entry.c
void sim_end_everything(void); // resets everything except primary contexts
extern int sim_calls[], sim_calls_total;
extern bool sim_hidden[];
extern _Atomic unsigned char sim_skip[]; // functions that only return 0

// object.c: gives an object a handle, and adds the object to the table.
void sim_enlist(void *object, enum kind kind, struct context *context);
// Removes an object from the table. The caller keeps its memory.
void sim_delist(void *object);
// Return the object with a handle, or NULL. sim_object() does not find destroyed objects.
void *sim_object(const void *handle, enum kind kind);
void *sim_object_or_destroyed(const void *handle, enum kind kind);
// Returns true if a handle was issued at some time.
bool sim_was_handle(const void *handle);
#define SIM_HANDLE(type, object) ((type)(object)->head.handle)
// Calls `visit` for all objects. `visit` may remove objects.
void sim_each(void (*visit)(struct object *object, void *data), void *data);
// Does the same for a `visit` that removes nothing.
void sim_visit_objects(void (*visit)(struct object *object, void *data), void *data);
// device.c
bool sim_valid_device(CUdevice device);
int sim_attribute(int device, CUdevice_attribute attribute);
void sim_uuid(int ordinal, CUuuid *uuid);
// Check the arguments of calls that query a device.
#define SIM_NEED(out, dev)                    \
    do {                                      \
        if (!(out))                           \
            return CUDA_ERROR_INVALID_VALUE;  \
        if (!sim_valid_device(dev))           \
            return CUDA_ERROR_INVALID_DEVICE; \
    } while (0)

// current.c
struct context *sim_current(void);                // NULL if there is none or it was destroyed
CUresult sim_current_state(void);                 // 0, 201 or 709
struct context *sim_context_of(uintptr_t handle); // NULL if there is none
CUresult sim_bad_context(CUcontext handle);       // the error for a handle that is not a context
CUresult sim_context_push(CUcontext ctx);
void sim_context_leave(CUcontext ctx); // pops the context if it is current

// access.c: returns how a device, or its context, can access an address in an allocation.
CUmemAccess_flags sim_access(const struct context *c, int device, const struct allocation *a,
                             CUdeviceptr ptr);

// tensor_map.c: encodes a map; no context need be current.
CUresult sim_encode_tiled(CUtensorMap *map, CUtensorMapDataType dtype, uint32_t rank, void *address,
                          const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                          const uint32_t *element_strides, CUtensorMapInterleave interleave,
                          CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2_promotion,
                          CUtensorMapFloatOOBfill oob_fill);

// context.c
void sim_context_end(struct context *context);
void sim_context_clean(struct context *context); // ends its objects and resets its settings

// ipc.c
bool sim_pool_share(struct pool *pool);
bool sim_pool_back(struct pool *pool, struct allocation *a); // puts fresh memory into the pool's
                                                             // file
bool sim_event_share(struct event *event);
void sim_event_unshare(struct event *event);
struct work sim_shared_record(struct event *event); // return work items that record the event, and
                                                    // that wait for it
struct work sim_shared_wait(const struct event *event);
bool sim_shared_done(const struct event *event);

// work.c
struct mark *sim_mark_new(void);
struct mark *sim_mark_retain(struct mark *mark);
void sim_mark_drop(struct mark *mark); // accepts NULL
// Runs work on a stream, either now or in its turn. Copies `*work`.
CUresult sim_submit(struct stream *stream, const struct work *work);
// Starts the thread that executes a stream's queue. Returns an error if the system cannot start
// one.
CUresult sim_stream_thread(struct stream *stream);
void sim_stream_wake(struct stream *stream);
// Enqueues work in stream order for the stream's thread. Never releases the lock.
void sim_enqueue(struct stream *stream, const struct work *work);
// Copy work, so that the copy shares its resources, and release these resources.
struct work sim_work_copy(const struct work *work);
void sim_work_drop(struct work *work);
void sim_work_run(struct work *work, struct stream *stream); // runs it now, as part of other work
CUresult sim_order(struct stream *stream); // applies the ordering rules of the default stream
bool sim_idle(const struct stream *stream);
void sim_stream_drop(struct stream *stream); // drops all queued work

// stream.c
CUresult sim_stream_of(CUstream handle, struct stream **out); // validates the handle, and returns
                                                              // sticky errors
struct stream *sim_stream_or_destroyed(CUstream handle);
void sim_stream_end(struct stream *stream);
// Creates a stream in a context, also for cuGreenCtxStreamCreate().
CUresult sim_stream_create(CUstream *out, struct context *context, unsigned flags, int priority);
void sim_streams_reap(void); // frees destroyed streams that have no work left
CUresult sim_drain_context(struct context *context);
void sim_lose(struct context *context, CUresult code);

// event.c
CUresult sim_event_record(struct event *event, struct stream *stream);
void sim_event_end(struct event *event);

// capture.c
bool sim_capture_forbids(void); // true if a capture forbids an unsafe call; also invalidates that
                                // capture
// Invalidates a stream's capture, for a call that is not permitted on a captured stream.
CUresult sim_capture_spoil(struct stream *stream);
// Invalidates all captures in a context, for a wait on the whole context. Returns an error if there
// are any.
CUresult sim_capture_spoil_all(const struct context *context);
// Invalidates the capture that recorded an event.
CUresult sim_capture_spoil_event(const struct event *event);
CUresult sim_capture_implicit(const struct stream *stream);
void sim_capture_abandon(struct stream *stream); // called when a stream is being destroyed
// Detaches a destroyed graph from the captures that add to it.
void sim_capture_forget(const struct graph *graph);
// Returns an error if the stream's capture cannot continue.
CUresult sim_capture_state(const struct stream *stream);
// Adds a node for work on a captured stream. Takes over the work's resources, and releases them if
// it fails.
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
void sim_users_wait(void); // waits until callbacks of all unreferenced objects have run

// conditional.c: sets a value, as a kernel does. False if the handle is unknown.
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
struct allocation *sim_find(CUdeviceptr ptr); // returns the allocation that contains an address
struct allocation *sim_allocate(size_t bytes, enum memory memory, int device);
struct allocation *sim_note_variable(CUdeviceptr base, size_t bytes, struct context *context);
// Registers mapped memory, so that all calls can use it. sim_free() removes it.
struct allocation *sim_note_virtual(CUdeviceptr base, size_t bytes, enum memory memory, int device);
void sim_free(struct allocation *allocation, const char *by); // `by`: the freeing call, for reports
// Free memory, and allocate it again, fresh, at the same address.
void sim_pages_sleep(struct allocation *allocation, const char *by);
void sim_pages_wake(struct allocation *allocation);
bool sim_asleep(const struct allocation *allocation);
bool sim_in_arena(CUdeviceptr ptr);
bool sim_mapped(CUdeviceptr ptr, size_t bytes); // true for any mapped address in the process
// Registers host memory. NULL if it overlaps an allocation.
struct allocation *sim_note_registered(CUdeviceptr base, size_t bytes, int device);
// Checks that `bytes` at `ptr` are accessible; otherwise returns the sticky error. `in_turn`: for
// work in stream order, which may use memory whose free is queued behind it.
CUresult sim_check_range(CUdeviceptr ptr, size_t bytes, bool in_turn);
void sim_memory_of_context_end(struct context *context);

// virtual.c
CUmemAccess_flags sim_virtual_access(CUdeviceptr ptr, int device);
bool sim_reserved(CUdeviceptr ptr); // true within a reservation of cuMemAddressReserve()
int sim_virtual_count(void);        // number of physical allocations and reservations
void sim_virtual_end(void);         // ends all virtual memory

// pool_store.c
#define SIM_POOL_CHUNK ((size_t)32 << 20)
struct pool *sim_pool_new(const CUmemPoolProps *props);
void sim_pool_reserve(struct pool *pool, uint64_t bytes);
void sim_pool_trim(struct pool *pool, uint64_t keep); // keeps at least `keep` bytes
void sim_pool_forget(struct pool *pool,
                     const struct allocation *a); // releases the allocation's part of the file
void sim_pool_end(struct pool *pool);
void sim_pool_return(struct pool *pool, size_t bytes);
void sim_pools_trim(void); // at a synchronization

// copy.c: perform a copy or fill. They check the memory again, since it may be gone, and may
// release the lock meanwhile.
CUresult sim_run_copy(const struct copy *copy, bool unlocked);
CUresult sim_run_fill(const struct fill *fill, bool unlocked);

void sim_green_end(struct object *object); // green.c: ends a green context or a resource descriptor

// library.c: the log buffers that a caller passes as options of the JIT compiler. sim_jit_options()
// returns false if an option is unknown.
struct jit_logs {
    char *info, *error;
    size_t info_bytes, error_bytes;
    void **info_used, **error_used, **wall_time;
};
bool sim_jit_options(struct jit_logs *logs, unsigned count, const CUjit_option *options,
                     void **values);
void sim_jit_write(const struct jit_logs *logs, const char *info, const char *error);

CUresult sim_read_file(const char *path, char **out, size_t *size);
struct library *sim_library_new(void); // cannot be found by its handle yet
// Loads an image, which is PTX or a fat binary that contains PTX.
CUresult sim_library_load(struct library **out, const void *image, size_t bytes,
                          const struct jit_logs *logs);
void sim_library_end(struct library *library);
CUmodule sim_module_of(struct library *library, struct context *context);
// Ends a module, and also its library if the module owns the library.
void sim_module_end(struct module *module);

// kernel.c: adds a kernel to a library. Takes over the name. sim_kernel_ready() must set the
// attributes.
struct kernel *sim_kernel_new(struct library *library, char *name);
struct kernel *sim_kernel_named(const struct library *library, const char *name); // or NULL
struct kernel_facts {
    int shared, local, constant, registers; // bytes; registers per thread
    int ptx, cluster[3];
    int threads; // product of .maxntid; 0 if absent
    int exact_threads[3],
        exact; // .reqntid and its product, which do not affect the attributes, as on a GPU
    bool explicit_cluster;
};
void sim_kernel_ready(struct kernel *kernel, const struct kernel_facts *facts);

CUresult sim_function_of(struct kernel *kernel, struct context *context, CUfunction *out);
void sim_function_end(struct function *function);
// Returns the kernel of a CUfunction, or of a CUkernel passed in its place, for which it sets
// *context to NULL.
struct kernel *sim_kernel_of(CUfunction handle, struct context **context);
// Does the same, but sets *context to the current context for a CUkernel.
CUresult sim_kernel_on(CUfunction func, struct kernel **kernel, struct context **context);

// occupancy.c
int sim_blocks_per_sm(const struct kernel *kernel, int device, int threads, size_t dynamic);

// launch_record.c
struct launch *sim_launch_new(void); // NULL if out of memory
void sim_launch_drop(struct launch *launch);

// reserve.c: functions that are called with the lock held
bool sim_reserve_fill(void); // false if out of memory
void *sim_reserve_take(size_t bytes);
bool sim_reserve_needed(const char *function);

// finding.c: reports, in one line on stderr and to the library, the error of the current call or of
// the current operation of a stream.
void sim_warn(const char *format, ...) __attribute__((format(printf, 1, 2), cold));
void sim_finding_begin(void); // called when a call or an operation of a stream begins
void sim_finding_failed(int fn, CUresult code) __attribute__((cold));
void sim_finding_fault(CUresult code) __attribute__((cold)); // called when a fault destroys a
                                                             // context

// link.c
void sim_link_end(void *link);

// profile.c: sets a device's attributes to those of a profile. `arch` is 80, 90 or 100; returns
// false for other values.
bool sim_profile(struct device *device, int arch, int ordinal);

// The back end. The lock is held when these functions are called, except for sim_code_run().
// Functions that load code may release it meanwhile.

void sim_configure(void);         // settings of a fresh driver
CUresult sim_started(void);       // result of cuInit() with these settings
void sim_print(const char *text); // one line of a report
const char *sim_complaint(void);  // cuGetErrorString()'s text for that result, or NULL
void sim_fault_fired(void);
// Extracts the PTX of a binary image into memory that the caller must free; NULL if the image is
// text. On failure returns the driver's code, with the reason in `log`. If `bytes` is
// SIM_UNKNOWN_BYTES, the image itself states its length.
#define SIM_UNKNOWN_BYTES SIZE_MAX
CUresult sim_image_text(const void *image, size_t bytes, char **out, char *log, size_t log_bytes);
// Loads a text into a library that has no kernels yet, and adds the kernels in order. On failure
// returns the driver's code, with the reason in `log`.
CUresult sim_code_load(struct library *library, const char *text, char *log, size_t log_bytes);
// Checks that a text, which may depend on other texts, is PTX.
CUresult sim_code_check(const char *text, char *log, size_t log_bytes);
extern const char sim_linked[]; // the linker's log in case of success
void sim_code_end(struct library *library);
// Removes a library's part in a context that is ending.
void sim_code_leave(struct library *library, struct context *context);
void sim_code_context_end(struct context *context); // ends the back end's data for the context
CUresult sim_code_variable(struct library *library, struct context *context, const char *name,
                           bool managed, CUdeviceptr *ptr, size_t *bytes);
// Fills in the code of a launch that has been accepted. May leave it NULL.
CUresult sim_code_prepare(struct launch *launch, const struct kernel *kernel,
                          struct context *context);
CUresult sim_code_run(struct launch *launch); // without the lock
void sim_code_done(struct launch *launch);    // the launch has run, or never will
// Track the contents of device memory. Fresh memory has no contents. Written memory has the
// contents of `from`, or is unknown if `from` is 0. Can be called with or without the lock.
void sim_note_allocated(CUdeviceptr ptr, size_t bytes);
void sim_note_freed(CUdeviceptr ptr, size_t bytes);
void sim_note_written(CUdeviceptr to, CUdeviceptr from, size_t bytes);

#endif
