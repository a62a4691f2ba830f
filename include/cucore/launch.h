/**
 * @file
 * Kernel launches, and host functions in stream order.
 */
#ifndef CUCORE_LAUNCH_H
#define CUCORE_LAUNCH_H

#include <cucore/base.h>
#include <cucore/buffer.h>
#include <cucore/event.h>
#include <cucore/kernel.h>
#include <cucore/stream.h>
#include <cucore/tensor.h>

CUC_BEGIN_DECLS

/** Kind of value in a cuc_arg; these extend the element types of cuc_dtype. */
enum {
    CUC_ARG_POINTER = 64, /**< a device address in value.u64 */
    CUC_ARG_BUFFER = 65,  /**< a cuc_buffer in value.pointer; passes its device address */
    CUC_ARG_TENSOR = 66,  /**< a cuc_tensor in value.pointer; passes its data address */
    CUC_ARG_BYTES = 67,   /**< `bytes` bytes at value.pointer, such as a struct; only the size is
                               checked */
    CUC_ARG_NONE = 68,    /**< a value that no kernel takes, such as a cuc_stream; refused */
};

/**
 * One argument of a kernel.
 *
 * A scalar is stored in the struct itself, in the first bytes of `value`. For anything else, the
 * struct points to the value, which cuc_launch() reads before it returns. The other bytes of
 * `value` need not be zero.
 */
typedef struct cuc_arg {
    int32_t type;   /**< a cuc_dtype, or a CUC_ARG_ constant */
    uint32_t bytes; /**< size of the value as the kernel declares it */
    union {
        uint64_t u64;
        int64_t i64;
        double f64;
        float f32;
        const void *pointer;
        uint8_t raw[8];
    } value;
} cuc_arg;

/** Flags of cuc_launch_config. */
enum {
    /** Every block must be resident at once, so that the grid can synchronize. */
    CUC_LAUNCH_COOPERATIVE = 1 << 0,
    /** Programmatic dependent launch. The kernel may begin before the preceding one has ended, and
     * waits for it with griddepcontrol.wait (cudaGridDependencySynchronize); tile kernels do so by
     * themselves. Needs compute capability 9.0 or later. */
    CUC_LAUNCH_PROGRAMMATIC = 1 << 1,
};

/** Attributes of a launch, with the driver's values of CUlaunchAttributeID. */
enum {
    CUC_LAUNCH_ATTRIBUTE_IGNORE = 0,
    CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
    CUC_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
    CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
    CUC_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY = 5,
    CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
    CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
    CUC_LAUNCH_ATTRIBUTE_PRIORITY = 8,
    CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
    CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
    CUC_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11,
    CUC_LAUNCH_ATTRIBUTE_COMPLETION_EVENT = 12,
    CUC_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13,
    CUC_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 14,
    CUC_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING = 16,
};

/** Values of CUC_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY. */
enum {
    CUC_CLUSTER_SCHEDULING_DEFAULT = 0,
    CUC_CLUSTER_SCHEDULING_SPREAD = 1,
    CUC_CLUSTER_SCHEDULING_LOAD_BALANCING = 2,
};

/** Retention in L2 of cache lines in an access policy window. */
enum {
    CUC_CACHE_NORMAL = 0,
    CUC_CACHE_STREAMING = 1,
    CUC_CACHE_PERSISTING = 2,
};

/**
 * One launch attribute that cuc_launch_config has no field for.
 *
 * The comment on each member of `value` lists the attributes that use it.
 * CUC_LAUNCH_ATTRIBUTE_IGNORE uses none.
 */
typedef struct cuc_launch_attribute {
    int32_t id;        /**< a CUC_LAUNCH_ATTRIBUTE_ constant */
    uint32_t reserved; /**< 0 */
    union {
        /** COOPERATIVE, PROGRAMMATIC_STREAM_SERIALIZATION, CLUSTER_SCHEDULING_POLICY, PRIORITY
         * (lower runs first), MEM_SYNC_DOMAIN (0 default, 1 remote), carveout (percent, -1
         * default), NVLINK_UTIL_CENTRIC_SCHEDULING. */
        int32_t value;
        uint32_t cluster[3]; /**< CLUSTER_DIMENSION, PREFERRED_CLUSTER_DIMENSION: in blocks */
        struct {
            cuc_device_ptr base; /**< start of the window */
            uint64_t bytes;      /**< its length */
            float hit_ratio;     /**< fraction of the window's accesses that use `hit`, 0 to 1 */
            int32_t hit;         /**< a CUC_CACHE_ constant */
            int32_t miss;        /**< CUC_CACHE_NORMAL or CUC_CACHE_STREAMING */
        } window;                /**< ACCESS_POLICY_WINDOW */
        struct {
            cuc_event *event;         /**< without timing; not retained */
            int32_t trigger_at_start; /**< PROGRAMMATIC_EVENT: 1 triggers it once all blocks have
                                           begun */
            int32_t flags;            /**< the driver's event record flags */
        } event;                      /**< PROGRAMMATIC_EVENT, COMPLETION_EVENT */
        struct {
            uint8_t default_domain;
            uint8_t remote_domain;
        } domain_map; /**< MEM_SYNC_DOMAIN_MAP */
        struct {
            int32_t updatable; /**< 1: the node can be updated from the device */
            void **node;       /**< receives the CUgraphDeviceNode */
        } device_node;         /**< DEVICE_UPDATABLE_KERNEL_NODE; only during a capture */
        uint8_t raw[64];
    } value;
} cuc_launch_attribute;

/**
 * The configuration of a launch. Zero selects the default of every field except the grid and the
 * block, which have no default.
 *
 * The struct is only read, so any number of threads can share one config.
 */
typedef struct cuc_launch_config {
    size_t struct_size;    /**< sizeof(cuc_launch_config); the initializers set it */
    uint32_t grid[3];      /**< in blocks, even with clusters; 0 in y or z means 1 */
    uint32_t block[3];     /**< in threads; 0 in y or z means 1 */
    uint32_t cluster[3];   /**< in blocks; all 0: no cluster; 0 in y or z means 1 */
    uint32_t shared_bytes; /**< dynamic shared memory of a block; cucore opts in to large sizes */
    uint32_t flags;        /**< CUC_LAUNCH_ bits */
    uint32_t attribute_count;
    const cuc_launch_attribute *attributes; /**< [attribute_count] attributes that have no field of
                                                 their own */
} cuc_launch_config;

/** Initial value of a cuc_launch_config variable. */
#define CUC_LAUNCH_CONFIG_INIT                                                       \
    {                                                                                \
        sizeof(cuc_launch_config), { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** A config written at the call site: CUC_LAUNCH_CONFIG(.grid = {64}, .block = {256}). */
#define CUC_LAUNCH_CONFIG(...) \
    (&(cuc_launch_config){ .struct_size = sizeof(cuc_launch_config), __VA_ARGS__ })
#endif

/**
 * Zero a config and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param config      the caller's struct
 * @param caller_size sizeof(cuc_launch_config) in the calling code
 * @since 0.1
 */
CUC_API void cuc_launch_config_init(cuc_launch_config *config, size_t caller_size);

/**
 * Choose a grid and a block with one thread for each of n elements.
 *
 * This suits kernels that process element blockIdx.x * blockDim.x + threadIdx.x when it is below n.
 * The block is the first of these that exists: the block that the kernel's code requires
 * (__block_size__, .reqntid); the config's block, if it is not 0; the block with the best
 * occupancy, from cuc_occupancy_max_potential_block_size() for the config's shared_bytes. The grid
 * covers n, rounded up to whole clusters if the config or the kernel has clusters. For n = 0 the
 * grid is one block or cluster, whose threads have no element.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[in,out] config  CUC_LAUNCH_CONFIG_INIT, or a config with further settings; unchanged on
 *                        failure. Set block[0] to 0 again before using the config for another
 *                        kernel
 * @param         kernel  any kernel except a tile program's, which has its own block
 * @param         device  the device to run on
 * @param         n       the number of elements
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL; the kernel belongs to a tile program; the
 *                                    required or given block has more than one dimension or exceeds
 *                                    the kernel's limit, or the given block differs from the
 *                                    required one; shared_bytes exceeds the kernel's limit; or no
 *                                    grid of the device covers n
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for code that does not run on the
 *                                    device
 * @since 0.1
 */
CUC_API cuc_status cuc_launch_config_for(cuc_launch_config *config, cuc_kernel *kernel,
                                         cuc_device *device, uint64_t n);

/**
 * Launch a kernel in stream order.
 *
 * The call never compiles, waits or allocates on the heap, with one exception: during a capture, a
 * heap allocation records the kernel, so that the graph keeps it loaded. The first launch of a
 * kernel on a device may load its code there. The call checks the number and sizes of the arguments
 * against the kernel's parameters. If the kernel's PTX has the types, the call also distinguishes
 * floating-point numbers from others.
 *
 * A tile program's kernel takes tensors, and scalars of exactly the declared type. It determines
 * its own block. If it also declares a grid, config may be NULL, and an empty grid is not a
 * failure.
 *
 * @order  enqueues and returns; memory that the kernel uses must stay valid until it completes
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 *
 * @param stream the queue; its device runs the kernel
 * @param config read before the call returns; NULL for a tile kernel that declares its grid
 * @param kernel stays loaded until the launch completes, even if it is released
 * @param args   [count], read before the call returns; NULL for count 0
 * @param count  the number of the kernel's parameters
 * @retval CUC_OK                     enqueued; a fault while running shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT a NULL handle; a count, size or type that differs from the
 *                                    kernel's; a grid, block, cluster or shared memory size that is
 *                                    zero or exceeds the device's limit; a buffer or tensor that
 *                                    the device cannot access: on another device without peer
 *                                    access, or in pageable host memory; an attribute that is not a
 *                                    launch attribute; or a tensor that the tile kernel rejects.
 *                                    The message names the argument
 * @retval CUC_ERROR_NOT_SUPPORTED    the device lacks clusters, cooperative launch or programmatic
 *                                    dependent launch
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @retval CUC_ERROR_DRIVER           the driver refused: cuc_error_library_code() has the CUresult
 * @source CUDA Driver API, "Execution Control": cuLaunchKernelEx
 * @since 0.1
 */
CUC_API cuc_status cuc_launch(cuc_stream *stream, const cuc_launch_config *config,
                              cuc_kernel *kernel, const cuc_arg *args, size_t count);

/**
 * Call a function on the host when the stream reaches it.
 *
 * The function runs on a driver thread and must not call CUDA or cucore. It is not called if the
 * context is lost first; a descriptor from cuc_event_get_fd() becomes readable even then.
 *
 * @order  enqueues and returns; later work on the stream waits for the function
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue
 * @param fn     the function
 * @param user   passed to it
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or fn is NULL
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @source CUDA Driver API, "Execution Control": cuLaunchHostFunc
 * @since 0.1
 */
CUC_API cuc_status cuc_launch_host(cuc_stream *stream, void (*fn)(void *user), void *user);

/**
 * Check whether every launch waits for completion, so that a failure names its kernel.
 *
 * If the environment has CUCORE_LAUNCH_BLOCKING=1 at the first launch, cuc_launch() returns when
 * the kernel is complete, cuc_graph_exec_launch() returns when the graph is complete, and each
 * returns its own failure. Launches on a captured stream do not wait.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 or 0
 * @since 0.1
 */
CUC_API int32_t cuc_launch_is_blocking(void);

#ifndef __cplusplus

#include <string.h>

/**
 * An argument of raw bytes, such as a struct, a half or a tensor map. The launch reads the bytes
 * before it returns.
 */
static inline cuc_arg cuc_arg_bytes(const void *at, size_t bytes)
{
    cuc_arg arg = { CUC_ARG_BYTES, (uint32_t)bytes, { .pointer = at } };
    return arg;
}

/** An argument from a struct or any other variable that CUC_LAUNCH cannot handle in strict C11. */
#define CUC_ARG_STRUCT(variable) cuc_arg_bytes(&(variable), sizeof(variable))

// A macro may turn an argument that contains a launch into a string, and C99 guarantees only 4095
// characters for a string. The names below are therefore short, with few spaces between them.
typedef signed char cuc__c;
typedef unsigned char cuc__C;
typedef unsigned short cuc__S;
typedef unsigned int cuc__I;
typedef unsigned long cuc__L;
typedef long long cuc__v;
typedef unsigned long long cuc__V;
typedef cuc_buffer *cuc__b;
typedef const cuc_buffer *cuc__B;
typedef cuc_tensor *cuc__t;
typedef const cuc_tensor *cuc__T;
typedef cuc_arg cuc__a;

// clang-format off
#define CUC__ARG_SCALARS(X)                            \
    X(0, _Bool, CUC_BOOL)                              \
    X(1, char, CUC_I8)                                 \
    X(2, cuc__c, CUC_I8)                               \
    X(3, cuc__C, CUC_U8)                               \
    X(4, short, CUC_I16)                               \
    X(5, cuc__S, CUC_U16)                              \
    X(6, int, CUC_I32)                                 \
    X(7, cuc__I, CUC_U32)                              \
    X(8, long, sizeof(long) == 8 ? CUC_I64 : CUC_I32)  \
    X(9, cuc__L, sizeof(long) == 8 ? CUC_U64 : CUC_U32) \
    X(10, cuc__v, CUC_I64)                             \
    X(11, cuc__V, CUC_U64)                             \
    X(12, float, CUC_F32)                              \
    X(13, double, CUC_F64)
#define CUC__KIND_SCALAR(kind, ctype, dtype) ctype:kind,
// The kind of an argument: a row number of CUC__ARG_SCALARS, a constant below, or the negated value
// of __builtin_classify_type().
#define CUC__KIND(x, otherwise)                                                                    \
    _Generic(x,CUC__ARG_SCALARS(CUC__KIND_SCALAR)cuc__b:14,cuc__B:14,cuc__t:15,cuc__T:15,cuc__a:16,otherwise)
// clang-format on
enum {
    CUC__KIND_BUFFER = 14,
    CUC__KIND_TENSOR = 15,
    CUC__KIND_ARG = 16,
    CUC__KIND_HANDLE = 17,
    CUC__KIND_POINTER = -5, // __builtin_classify_type() of a pointer
};

static inline cuc_arg cuc__arg(int kind, const void *at, size_t bytes)
{
    cuc_arg arg = { CUC_ARG_NONE, 8, { .u64 = 0 } };

    switch (kind) {
#define CUC__ARG_CASE(row, ctype, dtype)       \
    case row:                                  \
        arg.type = (dtype);                    \
        arg.bytes = (uint32_t)sizeof(ctype);   \
        memcpy(&arg.value, at, sizeof(ctype)); \
        return arg;
        CUC__ARG_SCALARS(CUC__ARG_CASE)
#undef CUC__ARG_CASE
    case CUC__KIND_ARG:
        memcpy(&arg, at, sizeof(arg));
        return arg;
    case CUC__KIND_HANDLE: // no kernel takes it, so the launch refuses this type
        return arg;
    case CUC__KIND_BUFFER:
    case CUC__KIND_TENSOR:
    case CUC__KIND_POINTER:
        arg.type = kind == CUC__KIND_BUFFER   ? CUC_ARG_BUFFER
                   : kind == CUC__KIND_TENSOR ? CUC_ARG_TENSOR
                                              : CUC_ARG_POINTER;
        memcpy(&arg.value, at, sizeof(void *));
        return arg;
    default:
        return cuc_arg_bytes(at, bytes);
    }
}

#if defined(__GNUC__)
// Handles that no kernel takes, and pointers to variables that hold a handle.
typedef struct cuc_buffer **cuc__d;
typedef struct cuc_tensor **cuc__D;
typedef struct cuc_stream *cuc__e, **cuc__E;
typedef struct cuc_event *cuc__f, **cuc__F;
typedef struct cuc_kernel *cuc__g, **cuc__G;
typedef struct cuc_device *cuc__h, **cuc__H;
typedef struct cuc_context *cuc__i, **cuc__J;
typedef struct cuc_memory_resource *cuc__k, **cuc__K;
typedef struct cuc_program *cuc__l, **cuc__M;
typedef struct cuc_linker *cuc__m, **cuc__N;
typedef struct cuc_object *cuc__n, **cuc__O;
typedef struct cuc_found *cuc__o, **cuc__P;
typedef struct cuc_graph *cuc__p, **cuc__Q;
typedef struct cuc_graph_exec *cuc__q, **cuc__R;
typedef struct cuc_tile_program *cuc__r, **cuc__U;
typedef struct cuc_gemm_plan *cuc__s, **cuc__W;
typedef struct cuc_green_context *cuc__u, **cuc__X;

// CUC__CHECK() selects one of the structs below and reads its member `ok`. In all but the first one
// this does not compile, and the error explains why no kernel takes the value.
#if defined(__has_attribute)
#if __has_attribute(unavailable)
#define CUC__REFUSED(why) int ok __attribute__((unavailable(why)))
#endif
#endif
#ifndef CUC__REFUSED
// Older versions of gcc lack this attribute. They print the text as a warning, and then report an
// error because CUC__CHECK() adds a number to `ok`, a struct.
#define CUC__REFUSED(why) \
    struct {              \
        int none;         \
    } ok __attribute__((deprecated(why)))
#endif
extern struct {
    int ok;
} cuc__w;
extern struct {
    CUC__REFUSED("a kernel takes no handle of the host, nor a pointer to one: pass the "
                 "cuc_buffer * itself, a cuc_tensor *, an address or a value");
} cuc__x;
extern struct {
    CUC__REFUSED("a kernel takes no function of the host");
} cuc__y;
extern struct {
    CUC__REFUSED("a kernel takes no array of the host: pass a cuc_buffer *, a "
                 "cuc_tensor * or a device address");
} cuc__z;

// clang-format off
#define CUC__IS_DATA(x)                                                                            \
    _Generic(x,cuc__d:0,cuc__D:0,cuc__e:0,cuc__E:0,cuc__f:0,cuc__F:0,cuc__g:0,cuc__G:0,cuc__h:0,cuc__H:0,cuc__i:0,cuc__J:0,cuc__k:0,cuc__K:0,cuc__l:0,cuc__M:0,cuc__m:0,cuc__N:0,cuc__n:0,cuc__O:0,cuc__o:0,cuc__P:0,cuc__p:0,cuc__Q:0,cuc__q:0,cuc__R:0,cuc__r:0,cuc__U:0,cuc__s:0,cuc__W:0,cuc__u:0,cuc__X:0,default:1)
// Detects a pointer to a function. In gcc and clang, qualifiers do not change a function type, so
// if cuc__Y is one, the conditional has type cuc__Y *.
#define CUC__IF_FUNCTION(yes, no)                                                                  \
    _Generic(1?(cuc__Y*)1:(const volatile cuc__Y*)1,cuc__Y*:yes,default:no)
// The type of an argument after conversion: an array becomes a pointer to its first element.
#define CUC__TYPE(x) __typeof__((void)0,x)
#define CUC__CHECK(x)                                                                              \
    __extension__({typedef __typeof__(*__builtin_choose_expr(__builtin_classify_type(x)==5,x,""))cuc__Y;__builtin_choose_expr(CUC__IS_DATA(x),CUC__IF_FUNCTION(cuc__y,__builtin_choose_expr(__builtin_types_compatible_p(__typeof__(x),CUC__TYPE(x)),cuc__w,cuc__z)),cuc__x).ok+0;})

/**
 * One argument from a value: a scalar, a device address, a buffer, a tensor or a struct. Other
 * handles, pointers to handles, host arrays and host functions do not compile.
 */
#define CUC_ARG(x)                                                                                 \
    cuc__arg(CUC__KIND(x,default:-__builtin_classify_type(x)),(CUC__TYPE(x)[]){x},sizeof((void)0,x)+0*sizeof(CUC__CHECK(x)))
// clang-format on
#else
#define CUC_ARG(x) cuc__arg(CUC__KIND(x, CUC__KIND_OTHERS), &(x), sizeof(x))
// clang-format off
#define CUC__KIND_OTHERS                                                                           \
    void *: CUC__KIND_POINTER, const void *: CUC__KIND_POINTER,                                    \
    cuc_stream *: CUC__KIND_HANDLE, cuc_event *: CUC__KIND_HANDLE,                                 \
    cuc_kernel *: CUC__KIND_HANDLE, cuc_device *: CUC__KIND_HANDLE
// clang-format on
#endif

/**
 * Launch with typed arguments: CUC_LAUNCH(stream, config, kernel, 2.0f, x, y, n).
 *
 * Takes up to 32 arguments, each a scalar, a cuc_buffer *, a cuc_tensor *, a pointer to device
 * memory, a cuc_arg or any struct. A cuc_device_ptr is passed as its 64 bits. With up to four
 * arguments with short names, a launch expands to fewer than the 4095 characters that C99
 * guarantees for a string. Macros can therefore turn it into text under -Wpedantic. With compilers
 * other than gcc and clang, arguments must be variables, and a struct needs CUC_ARG_STRUCT.
 */
#define CUC_LAUNCH(stream, config, ...) \
    CUC__LAUNCH_N(CUC__COUNT(__VA_ARGS__), (stream), (config), __VA_ARGS__)

// clang-format off
#define CUC__COUNT(...) CUC__COUNT_(__VA_ARGS__, TOO_MANY_ARGUMENTS_FOR_CUC_LAUNCH, \
    TOO_MANY_ARGUMENTS_FOR_CUC_LAUNCH, TOO_MANY_ARGUMENTS_FOR_CUC_LAUNCH, \
    TOO_MANY_ARGUMENTS_FOR_CUC_LAUNCH, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, \
    20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define CUC__COUNT_(k, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, \
    a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, n, ...) n
// clang-format on
#define CUC__LAUNCH_N(n, stream, config, ...) CUC__LAUNCH_N_(n, stream, config, __VA_ARGS__)
#define CUC__LAUNCH_N_(n, stream, config, ...) CUC__LAUNCH_##n(stream, config, __VA_ARGS__)
#define CUC__LAUNCH_0(stream, config, kernel) cuc_launch((stream), (config), (kernel), NULL, 0)
// clang-format off
#define CUC__MAP_1(a1) CUC_ARG(a1)
#define CUC__MAP_2(a1, ...) CUC_ARG(a1), CUC__MAP_1(__VA_ARGS__)
#define CUC__MAP_3(a1, ...) CUC_ARG(a1), CUC__MAP_2(__VA_ARGS__)
#define CUC__MAP_4(a1, ...) CUC_ARG(a1), CUC__MAP_3(__VA_ARGS__)
#define CUC__MAP_5(a1, ...) CUC_ARG(a1), CUC__MAP_4(__VA_ARGS__)
#define CUC__MAP_6(a1, ...) CUC_ARG(a1), CUC__MAP_5(__VA_ARGS__)
#define CUC__MAP_7(a1, ...) CUC_ARG(a1), CUC__MAP_6(__VA_ARGS__)
#define CUC__MAP_8(a1, ...) CUC_ARG(a1), CUC__MAP_7(__VA_ARGS__)
#define CUC__MAP_9(a1, ...) CUC_ARG(a1), CUC__MAP_8(__VA_ARGS__)
#define CUC__MAP_10(a1, ...) CUC_ARG(a1), CUC__MAP_9(__VA_ARGS__)
#define CUC__MAP_11(a1, ...) CUC_ARG(a1), CUC__MAP_10(__VA_ARGS__)
#define CUC__MAP_12(a1, ...) CUC_ARG(a1), CUC__MAP_11(__VA_ARGS__)
#define CUC__MAP_13(a1, ...) CUC_ARG(a1), CUC__MAP_12(__VA_ARGS__)
#define CUC__MAP_14(a1, ...) CUC_ARG(a1), CUC__MAP_13(__VA_ARGS__)
#define CUC__MAP_15(a1, ...) CUC_ARG(a1), CUC__MAP_14(__VA_ARGS__)
#define CUC__MAP_16(a1, ...) CUC_ARG(a1), CUC__MAP_15(__VA_ARGS__)
#define CUC__MAP_17(a1, ...) CUC_ARG(a1), CUC__MAP_16(__VA_ARGS__)
#define CUC__MAP_18(a1, ...) CUC_ARG(a1), CUC__MAP_17(__VA_ARGS__)
#define CUC__MAP_19(a1, ...) CUC_ARG(a1), CUC__MAP_18(__VA_ARGS__)
#define CUC__MAP_20(a1, ...) CUC_ARG(a1), CUC__MAP_19(__VA_ARGS__)
#define CUC__MAP_21(a1, ...) CUC_ARG(a1), CUC__MAP_20(__VA_ARGS__)
#define CUC__MAP_22(a1, ...) CUC_ARG(a1), CUC__MAP_21(__VA_ARGS__)
#define CUC__MAP_23(a1, ...) CUC_ARG(a1), CUC__MAP_22(__VA_ARGS__)
#define CUC__MAP_24(a1, ...) CUC_ARG(a1), CUC__MAP_23(__VA_ARGS__)
#define CUC__MAP_25(a1, ...) CUC_ARG(a1), CUC__MAP_24(__VA_ARGS__)
#define CUC__MAP_26(a1, ...) CUC_ARG(a1), CUC__MAP_25(__VA_ARGS__)
#define CUC__MAP_27(a1, ...) CUC_ARG(a1), CUC__MAP_26(__VA_ARGS__)
#define CUC__MAP_28(a1, ...) CUC_ARG(a1), CUC__MAP_27(__VA_ARGS__)
#define CUC__MAP_29(a1, ...) CUC_ARG(a1), CUC__MAP_28(__VA_ARGS__)
#define CUC__MAP_30(a1, ...) CUC_ARG(a1), CUC__MAP_29(__VA_ARGS__)
#define CUC__MAP_31(a1, ...) CUC_ARG(a1), CUC__MAP_30(__VA_ARGS__)
#define CUC__MAP_32(a1, ...) CUC_ARG(a1), CUC__MAP_31(__VA_ARGS__)
#define CUC__LAUNCH_1(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 1, CUC__MAP_1(__VA_ARGS__))
#define CUC__LAUNCH_2(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 2, CUC__MAP_2(__VA_ARGS__))
#define CUC__LAUNCH_3(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 3, CUC__MAP_3(__VA_ARGS__))
#define CUC__LAUNCH_4(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 4, CUC__MAP_4(__VA_ARGS__))
#define CUC__LAUNCH_5(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 5, CUC__MAP_5(__VA_ARGS__))
#define CUC__LAUNCH_6(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 6, CUC__MAP_6(__VA_ARGS__))
#define CUC__LAUNCH_7(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 7, CUC__MAP_7(__VA_ARGS__))
#define CUC__LAUNCH_8(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 8, CUC__MAP_8(__VA_ARGS__))
#define CUC__LAUNCH_9(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 9, CUC__MAP_9(__VA_ARGS__))
#define CUC__LAUNCH_10(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 10, CUC__MAP_10(__VA_ARGS__))
#define CUC__LAUNCH_11(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 11, CUC__MAP_11(__VA_ARGS__))
#define CUC__LAUNCH_12(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 12, CUC__MAP_12(__VA_ARGS__))
#define CUC__LAUNCH_13(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 13, CUC__MAP_13(__VA_ARGS__))
#define CUC__LAUNCH_14(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 14, CUC__MAP_14(__VA_ARGS__))
#define CUC__LAUNCH_15(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 15, CUC__MAP_15(__VA_ARGS__))
#define CUC__LAUNCH_16(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 16, CUC__MAP_16(__VA_ARGS__))
#define CUC__LAUNCH_17(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 17, CUC__MAP_17(__VA_ARGS__))
#define CUC__LAUNCH_18(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 18, CUC__MAP_18(__VA_ARGS__))
#define CUC__LAUNCH_19(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 19, CUC__MAP_19(__VA_ARGS__))
#define CUC__LAUNCH_20(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 20, CUC__MAP_20(__VA_ARGS__))
#define CUC__LAUNCH_21(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 21, CUC__MAP_21(__VA_ARGS__))
#define CUC__LAUNCH_22(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 22, CUC__MAP_22(__VA_ARGS__))
#define CUC__LAUNCH_23(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 23, CUC__MAP_23(__VA_ARGS__))
#define CUC__LAUNCH_24(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 24, CUC__MAP_24(__VA_ARGS__))
#define CUC__LAUNCH_25(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 25, CUC__MAP_25(__VA_ARGS__))
#define CUC__LAUNCH_26(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 26, CUC__MAP_26(__VA_ARGS__))
#define CUC__LAUNCH_27(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 27, CUC__MAP_27(__VA_ARGS__))
#define CUC__LAUNCH_28(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 28, CUC__MAP_28(__VA_ARGS__))
#define CUC__LAUNCH_29(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 29, CUC__MAP_29(__VA_ARGS__))
#define CUC__LAUNCH_30(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 30, CUC__MAP_30(__VA_ARGS__))
#define CUC__LAUNCH_31(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 31, CUC__MAP_31(__VA_ARGS__))
#define CUC__LAUNCH_32(s, c, k, ...) CUC__LAUNCH_ARGS(s, c, k, 32, CUC__MAP_32(__VA_ARGS__))
#define CUC__LAUNCH_ARGS(s, c, k, n, ...) cuc_launch((s), (c), (k), (cuc_arg[]){ __VA_ARGS__ }, (n))
// clang-format on
#endif

CUC_END_DECLS

#endif
