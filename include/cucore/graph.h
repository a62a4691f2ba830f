/**
 * @file
 * Graphs: work that is captured once and launched many times.
 *
 * While a stream is captured, work enqueued on it does not run but becomes nodes of a graph, in
 * stream order. Instantiating the graph validates and prepares it. The instance can then be
 * launched any number of times, each for about the cost of one launch.
 *
 *     cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL);
 *     ...                                          // launches, copies, fills, host functions
 *     cuc_stream_end_capture(&graph, stream);
 *     cuc_graph_instantiate(&exec, graph, NULL);
 *     cuc_graph_exec_launch(stream, exec);         // repeatedly
 *
 * Waits bring other streams into the capture. Once a stream waits for an event of the captured
 * stream, or for that stream itself (cuc_stream_wait_stream()), it is captured too, and its nodes
 * form a branch. The first stream must wait for the other stream before the capture ends.
 *
 * @par What a graph keeps
 * If cuc_launch() launches a kernel during a capture begun by cuc_stream_begin_capture(), the graph
 * keeps the kernel's code: the object stays loaded until the graph, its instances and their last
 * launches are gone. The caller must keep everything else alive for that time: memory that nodes
 * read and write, the argument of a host function, events that are recorded or waited for outside
 * the graph, and kernels launched by other means. cuc_graph_keep_buffer() and cuc_graph_keep() make
 * the graph hold such objects. The graph has copies of kernel arguments and of the parameters of
 * copies and fills.
 *
 * @par Memory of a graph
 * A buffer created from a pool on a captured stream belongs to the graph. Its address is known at
 * once, but the memory exists only from the node that allocates it to the node that frees it. The
 * buffer's last release creates the freeing node, if it happens on the captured stream. If the
 * buffer is released after the capture instead, each launch leaves the memory allocated, and the
 * release frees it. Release it after a launch and before the next one, unless the instance has
 * CUC_GRAPH_AUTO_FREE. Do not release a buffer during a capture if it was created before.
 *
 * @par Captures that end badly
 * A capture yields no graph if it is spoilt (CUDA calls this invalidated), or if a stream in it has
 * not been joined again. If the capture adds to an existing graph (cuc_stream_begin_capture_to()),
 * the driver frees that graph too. The object must still be released, but it has no handle, and
 * every other call on it fails with CUC_ERROR_INVALID_ARGUMENT and says why. If the existing graph
 * is the body of a conditional node, the driver frees the body but not the node, and destroying the
 * node's graph would crash. That graph is therefore unusable too: cucore never destroys it, and its
 * own capture fails at its end. If that capture is spoilt as well, it cannot be ended. Its stream
 * then stays captured, and waits for its whole context, such as cuc_context_synchronize(), fail
 * until the process is restarted. Existing instances are unaffected. Cancelling a capture leaves
 * its graph intact, unless the capture is spoilt.
 */
#ifndef CUCORE_GRAPH_H
#define CUCORE_GRAPH_H

#include <cucore/base.h>
#include <cucore/buffer.h>
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/**
 * A captured graph. It retains the context in which it was captured.
 *
 * Threads: any thread; one call at a time on the same graph.
 */
typedef struct cuc_graph cuc_graph;

/**
 * A launchable instance of a graph; it no longer needs the graph.
 *
 * Threads: any thread; one call at a time on the same instance.
 */
typedef struct cuc_graph_exec cuc_graph_exec;

/* ---- Capturing -------------------------------------------------------------------------- */

/** Threads that must not make unsafe driver calls, such as cuMemAlloc(), during a capture. */
enum {
    CUC_CAPTURE_GLOBAL = 0,       /**< every thread */
    CUC_CAPTURE_THREAD_LOCAL = 1, /**< only the thread that began the capture */
    CUC_CAPTURE_RELAXED = 2,      /**< none; any thread may end the capture */
};

/**
 * Begin capturing a stream.
 *
 * @thread any thread; one call at a time on the same stream
 * @capture safe: not restricted by the driver; refused with CUC_ERROR_BUSY on a captured stream,
 *          whose capture goes on
 * @param stream not the legacy default stream, which the driver cannot capture; neither this stream
 *               nor any that joins it runs work until the capture ends
 * @param mode   CUC_CAPTURE_GLOBAL, CUC_CAPTURE_THREAD_LOCAL or CUC_CAPTURE_RELAXED; with the first
 *               two, the thread that begins the capture must also end it
 * @retval CUC_OK                     begun
 * @retval CUC_ERROR_INVALID_ARGUMENT stream is NULL or the legacy default stream, or mode is not
 *                                    one of the three
 * @retval CUC_ERROR_BUSY             the stream is already captured
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamBeginCapture
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_begin_capture(cuc_stream *stream, int32_t mode);

/**
 * End a capture and return its graph.
 *
 * Whatever the result, the capture is over, except where the list below says otherwise. Streams
 * that joined it are no longer captured either.
 *
 * @thread the one that began it; any thread with CUC_CAPTURE_RELAXED
 * @capture safe: not restricted by the driver; ends the stream's capture
 * @param[out] out    a new reference; release it
 * @param      stream the stream that began the capture
 * @retval CUC_OK                     captured
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, the stream is not captured, or another
 *                                    thread or stream began the capture; the capture goes on
 * @retval CUC_ERROR_BUSY             the capture is spoilt or a stream has not been joined again,
 *                                    while another stream fills the body of one of its conditional
 *                                    nodes or is captured into the same graph: end that capture
 *                                    first; this one goes on
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory; the capture goes on
 * @retval CUC_ERROR_DRIVER           the capture is spoilt, a stream has not been joined again, or
 *                                    a capture into the body of one of its conditional nodes ended
 *                                    badly. The message names the case and the call that was
 *                                    refused first. It also says if the graph that the capture
 *                                    added to is freed, or if the stream stays captured for good.
 *                                    If another thread or stream began the capture without cucore,
 *                                    the driver drops or spoils the capture
 * @source CUDA Driver API, "Stream Management": cuStreamEndCapture; "Graph Management":
 * cuGraphRetainUserObject
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_end_capture(cuc_graph **out, cuc_stream *stream);

/**
 * End a capture and discard its nodes, for cleanup after a failure. The thread's last error stays.
 * This also cancels the same thread's captures that fill bodies of the capture's conditional nodes.
 * If the capture adds to an existing graph, that graph keeps the nodes added so far. If the capture
 * is spoilt, however, the driver frees the graph, and the thread's other captures into it are
 * cancelled too.
 *
 * @thread the one that began it; any thread with CUC_CAPTURE_RELAXED, or once the thread that began
 *         it has ended
 * @capture safe: not restricted by the driver; ends the stream's capture
 * @param stream the stream that began the capture; nothing happens if it is not captured
 * @retval CUC_OK                     the stream is no longer captured
 * @retval CUC_ERROR_INVALID_ARGUMENT stream is NULL, or another thread or stream began the capture;
 *                                    the capture goes on
 * @retval CUC_ERROR_BUSY             another thread fills the body of one of its conditional nodes,
 *                                    or captures into the graph to be freed: end or cancel that
 *                                    capture first; this one goes on
 * @retval CUC_ERROR_DRIVER           the driver refused, or the stream stays captured for good;
 *                                    also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamEndCapture
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_cancel_capture(cuc_stream *stream);

/** Capture state of a stream. */
enum {
    CUC_CAPTURE_NONE = 0,   /**< not captured */
    CUC_CAPTURE_ACTIVE = 1, /**< being captured */
    CUC_CAPTURE_SPOILT = 2, /**< a call was refused, so the capture will yield no graph */
};

/** Capture of a stream, written by cuc_stream_get_capture_info(). */
typedef struct cuc_capture_info {
    size_t struct_size; /**< sizeof(cuc_capture_info), set by the caller */
    uint64_t id;        /**< unique to this capture in the process; 0 unless active */
    void *graph;        /**< the driver's CUgraph, borrowed until the capture ends; NULL unless
                             active */
    int32_t status;     /**< CUC_CAPTURE_NONE, CUC_CAPTURE_ACTIVE or CUC_CAPTURE_SPOILT */
    int32_t reserved;   /**< 0 */
} cuc_capture_info;

/** Initial value of a cuc_capture_info variable. */
#define CUC_CAPTURE_INFO_INIT                \
    {                                        \
        sizeof(cuc_capture_info), 0, 0, 0, 0 \
    }

/**
 * Read the capture state of a stream, even if cucore did not begin the capture.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    filled up to its struct_size; fields unknown to this library are 0
 * @param      stream the stream
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or out's struct_size is unknown
 * @retval CUC_ERROR_BUSY             another capture forbids querying the legacy stream
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3; use
 *                                    cuc_stream_is_capturing()
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamGetCaptureInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_get_capture_info(cuc_capture_info *out, cuc_stream *stream);

/**
 * Add a whole graph as one node to the graph being captured, after the stream's work so far. (A
 * captured stream cannot launch an instance.)
 *
 * @order  work captured on the stream later runs after all of the graph
 * @thread any thread; one call at a time on the same stream and graph
 * @capture becomes a node of the graph; on a stream that is not captured it fails
 * @param stream a captured stream
 * @param graph  copied, together with what it keeps; it must not have memory of its own
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the stream is not captured
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a graph that allocates or
 *                                    frees; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphAddChildGraphNode; "Stream Management":
 * cuStreamUpdateCaptureDependencies
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_embed_graph(cuc_stream *stream, cuc_graph *graph);

/* ---- Graphs ----------------------------------------------------------------------------- */

/** Types of node, with the driver's values: X(constant, value, name). */
// clang-format off
#define CUC_NODE_TYPE_LIST(X) \
    X(CUC_NODE_KERNEL,       0,  "kernel") \
    X(CUC_NODE_COPY,         1,  "copy") \
    X(CUC_NODE_FILL,         2,  "fill") \
    X(CUC_NODE_HOST,         3,  "host function") \
    X(CUC_NODE_GRAPH,        4,  "graph") \
    X(CUC_NODE_EMPTY,        5,  "empty") \
    X(CUC_NODE_WAIT_EVENT,   6,  "wait for an event") \
    X(CUC_NODE_RECORD_EVENT, 7,  "record of an event") \
    X(CUC_NODE_SIGNAL,       8,  "signal of semaphores") \
    X(CUC_NODE_WAIT,         9,  "wait for semaphores") \
    X(CUC_NODE_ALLOC,        10, "allocation") \
    X(CUC_NODE_FREE,         11, "free") \
    X(CUC_NODE_MEMORY_WORDS, 12, "memory words") \
    X(CUC_NODE_CONDITIONAL,  13, "conditional")
// clang-format on

enum {
#define CUC__NODE_TYPE_ENUM(name, value, text) name = value,
    CUC_NODE_TYPE_LIST(CUC__NODE_TYPE_ENUM)
#undef CUC__NODE_TYPE_ENUM
};

/**
 * The name of a type of node, such as "kernel".
 *
 * @thread any thread
 * @capture makes no driver call
 * @return static; "unknown" for an unknown type
 * @since 0.1
 */
CUC_API const char *cuc_node_type_name(int32_t type);

/**
 * The driver's handle of a graph, which is also its cudaGraph_t.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return the CUgraph, not to be destroyed; NULL for NULL
 * @since 0.1
 */
CUC_API void *cuc_graph_handle(const cuc_graph *graph);

/**
 * The number of nodes of a graph. An embedded graph counts as one node.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] out   the number
 * @param      graph the graph
 * @retval CUC_OK                     counted
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphGetNodes
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_get_node_count(size_t *out, cuc_graph *graph);

/**
 * The number of edges of a graph. An edge is a pair of nodes: the second one begins when the first
 * one has ended.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] out   the number
 * @param      graph the graph
 * @retval CUC_OK                     counted
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphGetEdges
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_get_edge_count(size_t *out, cuc_graph *graph);

/**
 * The types of a graph's nodes, in the driver's order. Other calls number nodes in this order.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] types    CUC_NODE_ constants, at most `capacity`; further elements stay unchanged
 * @param      capacity length of types
 * @param      graph    the graph
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT graph is NULL, or types is NULL while capacity is not 0
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphGetNodes, cuGraphNodeGetType
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_get_node_types(int32_t *types, size_t capacity, cuc_graph *graph);

/** Details that a drawing of a graph shows besides nodes and edges, with the driver's values. */
enum {
    CUC_DOT_EVERYTHING = 1 << 0,
    CUC_DOT_RUNTIME_TYPES = 1 << 1, /**< parameters in the form of the CUDA runtime */
    CUC_DOT_KERNELS = 1 << 2,       /**< parameters of kernels; the next flags: parameters of other
                                         nodes */
    CUC_DOT_COPIES = 1 << 3,
    CUC_DOT_FILLS = 1 << 4,
    CUC_DOT_HOST_FUNCTIONS = 1 << 5,
    CUC_DOT_EVENTS = 1 << 6,
    CUC_DOT_SIGNALS = 1 << 7,
    CUC_DOT_WAITS = 1 << 8,
    CUC_DOT_KERNEL_ATTRIBUTES = 1 << 9,
    CUC_DOT_HANDLES = 1 << 10, /**< handles of nodes and of functions */
    CUC_DOT_ALLOCATIONS = 1 << 11,
    CUC_DOT_FREES = 1 << 12,
    CUC_DOT_MEMORY_WORDS = 1 << 13,
    CUC_DOT_TOPOLOGY = 1 << 14,
    CUC_DOT_CONDITIONALS = 1 << 15,
};

/**
 * Draw a graph in Graphviz's DOT language.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] text  NUL-terminated; borrowed until the graph is drawn again or released
 * @param[out] bytes length without the NUL; may be NULL
 * @param      graph the graph
 * @param      flags CUC_DOT_ bits; 0: node types, kernel names and copy directions
 * @retval CUC_OK                     drawn
 * @retval CUC_ERROR_INVALID_ARGUMENT text or graph is NULL, or a flag is unknown
 * @retval CUC_ERROR_IO               no file in memory can be created for the driver's output
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphDebugDotPrint
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_get_dot(const char **text, size_t *bytes, cuc_graph *graph,
                                     uint32_t flags);

/**
 * Draw a graph into a file, for `dot -Tsvg`.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param graph the graph
 * @param path  created or replaced, like the file of cuc_object_save()
 * @param flags as for cuc_graph_get_dot()
 * @retval CUC_OK                     drawn
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or a flag is unknown
 * @retval CUC_ERROR_IO               the file cannot be written
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphDebugDotPrint
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_write_dot(cuc_graph *graph, const char *path, uint32_t flags);

/**
 * Make a graph hold a user object. cucore drops the object once the graph, its instances and all
 * their launches are gone.
 *
 * A later cucore call drops the object; a driver thread never does. While no capture by cucore is
 * active, these calls drop objects: those that create, update or release a graph, wait for a stream
 * or a device, or create a buffer.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param graph      instances created or updated after this call keep the object too
 * @param owner      passed to drop_owner; the caller keeps it if the call fails
 * @param drop_owner called once, on any thread
 * @retval CUC_OK                     kept
 * @retval CUC_ERROR_INVALID_ARGUMENT graph or drop_owner is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuUserObjectCreate, cuGraphRetainUserObject
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_keep(cuc_graph *graph, void *owner, void (*drop_owner)(void *owner));

/**
 * Make a graph hold a buffer, like cuc_graph_keep(). This is for nodes that use a buffer created
 * before the capture.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param graph  instances created or updated after this call keep the buffer too
 * @param buffer retained
 * @retval CUC_OK                     kept
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuUserObjectCreate, cuGraphRetainUserObject
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_keep_buffer(cuc_graph *graph, cuc_buffer *buffer);

/**
 * Add a reference to a graph.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return graph; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_graph *cuc_graph_retain(cuc_graph *graph);

/**
 * Release a graph. Its instances live on.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param graph NULL does nothing
 * @source CUDA Driver API, "Graph Management": cuGraphDestroy
 * @since 0.1
 */
CUC_API void cuc_graph_release(cuc_graph *graph);

/* ---- Instances -------------------------------------------------------------------------- */

/** Flags of cuc_graph_exec_options. */
enum {
    /** Each launch first frees the memory that the previous launch left allocated. */
    CUC_GRAPH_AUTO_FREE = 1 << 0,
    /** Kernels can also launch the instance. Excludes CUC_GRAPH_AUTO_FREE. */
    CUC_GRAPH_DEVICE_LAUNCH = 1 << 1,
    /** Each kernel has the priority of the stream that it was captured on, not of the launch
     * stream. */
    CUC_GRAPH_NODE_PRIORITY = 1 << 2,
};

/** Options of cuc_graph_instantiate(). Zero selects the default of every field. */
typedef struct cuc_graph_exec_options {
    size_t struct_size; /**< sizeof(cuc_graph_exec_options); the initializers set it */
    cuc_stream *upload; /**< a stream that uploads the instance to the device at once; NULL: the
                             first launch uploads it */
    uint32_t flags;     /**< CUC_GRAPH_ bits */
    uint32_t reserved;  /**< 0 */
} cuc_graph_exec_options;

/** Initial value of a cuc_graph_exec_options variable. */
#define CUC_GRAPH_EXEC_OPTIONS_INIT             \
    {                                           \
        sizeof(cuc_graph_exec_options), 0, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site: CUC_GRAPH_EXEC_OPTIONS(.flags = CUC_GRAPH_AUTO_FREE). */
#define CUC_GRAPH_EXEC_OPTIONS(...) \
    (&(cuc_graph_exec_options){ .struct_size = sizeof(cuc_graph_exec_options), __VA_ARGS__ })
#endif

/**
 * Zero options and write their size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     the caller's struct
 * @param caller_size sizeof(cuc_graph_exec_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_graph_exec_options_init(cuc_graph_exec_options *options, size_t caller_size);

/**
 * Create an instance of a graph. This costs many times as much as a launch.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out     a new reference; release it
 * @param      graph   a graph with its own memory or with conditional nodes can have only one
 *                     instance at a time
 * @param      options NULL: launched only by the host, uploaded to the device by the first launch
 * @retval CUC_OK                         created
 * @retval CUC_ERROR_INVALID_ARGUMENT     out or graph is NULL; flags are unknown or exclude each
 *                                        other; the upload stream is not valid
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the device has not enough memory for it
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory
 * @retval CUC_ERROR_DRIVER               the driver refused: the message gives the reason and the
 *                                        node; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphInstantiateWithParams
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_instantiate(cuc_graph_exec **out, cuc_graph *graph,
                                         const cuc_graph_exec_options *options);

/**
 * The driver's handle of an instance, which is also its cudaGraphExec_t.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return the CUgraphExec, not to be destroyed; NULL for NULL
 * @since 0.1
 */
CUC_API void *cuc_graph_exec_handle(const cuc_graph_exec *exec);

/**
 * The flags that an instance was created with.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return CUC_GRAPH_ bits; 0 for NULL
 * @since 0.1
 */
CUC_API uint32_t cuc_graph_exec_flags(const cuc_graph_exec *exec);

/**
 * Upload an instance to the device, so that its first launch is as fast as the others.
 *
 * @order  enqueues and returns; ordered after the stream's work and the instance's launches
 * @thread any thread; one call at a time on the same instance and stream
 * @capture not on a captured stream: CUC_ERROR_BUSY, or the capture is spoilt if cucore did not
 *         begin it
 * @param stream a queue of the device that will launch it
 * @param exec   the instance
 * @retval CUC_OK                         enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT     an argument is NULL
 * @retval CUC_ERROR_BUSY                 the stream is being captured
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the device has not enough memory for it
 * @retval CUC_ERROR_DRIVER               the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphUpload
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_exec_upload(cuc_stream *stream, cuc_graph_exec *exec);

/**
 * Launch an instance. All captured work runs, in stream order.
 *
 * Launches of one instance run one after the other, even on different streams; graphs that must run
 * concurrently need separate instances.
 *
 * @order  enqueues and returns; later work on the stream runs after all of the graph
 * @thread any thread; one call at a time on the same instance and stream
 * @capture not on a captured stream: CUC_ERROR_BUSY, or the capture is spoilt if cucore did not
 *         begin it; cuc_stream_embed_graph() captures a graph in a graph
 * @param stream the queue
 * @param exec   may be released before it has run
 * @retval CUC_OK                         enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT     an argument is NULL
 * @retval CUC_ERROR_BUSY                 the stream is being captured
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the device has not enough memory for the graph's
 *                                        allocations
 * @retval CUC_ERROR_DRIVER               the driver refused, such as when memory that the last
 *                                        launch allocated is not freed; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphLaunch
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_exec_launch(cuc_stream *stream, cuc_graph_exec *exec);

/**
 * Update an instance to another graph that has the same nodes and edges but other parameters, such
 * as a new capture of the same code. This is much cheaper than creating an instance.
 *
 * Launches already enqueued are not affected. A failed update leaves the instance unchanged;
 * CUC_ERROR_NOT_SUPPORTED means that a new instance is required.
 *
 * @thread any thread; one call at a time on the same instance and graph
 * @capture safe: asks the driver in relaxed mode
 * @param exec  the instance; it also keeps what the graph keeps
 * @param graph needed only during the call
 * @retval CUC_OK                     updated
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    the graph differs in more than an update can change: the
 *                                    message gives the difference and the node
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphExecUpdate
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_exec_update(cuc_graph_exec *exec, cuc_graph *graph);

/**
 * Add a reference to an instance.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return exec; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_graph_exec *cuc_graph_exec_retain(cuc_graph_exec *exec);

/**
 * Release an instance. Launches in progress complete.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param exec NULL does nothing
 * @source CUDA Driver API, "Graph Management": cuGraphExecDestroy
 * @since 0.1
 */
CUC_API void cuc_graph_exec_release(cuc_graph_exec *exec);

/** Statistics of a device's graph memory, in bytes. */
enum {
    CUC_GRAPH_MEMORY_USED = 0,          /**< used by instances, including those not running */
    CUC_GRAPH_MEMORY_USED_HIGH = 1,     /**< maximum since its last reset */
    CUC_GRAPH_MEMORY_RESERVED = 2,      /**< used, plus memory kept for the next launch */
    CUC_GRAPH_MEMORY_RESERVED_HIGH = 3, /**< maximum since its last reset */
};

/**
 * Read the size of a device's graph memory.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    bytes
 * @param      device the device
 * @param      which  a CUC_GRAPH_MEMORY_ constant
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or `which` is not such a constant
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 11.4
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Graph Management": cuDeviceGetGraphMemAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_graph_memory(uint64_t *out, cuc_device *device, int32_t which);

/**
 * Reset a high-water mark of graph memory to the current size.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param device the device
 * @param which  CUC_GRAPH_MEMORY_USED_HIGH or CUC_GRAPH_MEMORY_RESERVED_HIGH
 * @retval CUC_OK                     reset
 * @retval CUC_ERROR_INVALID_ARGUMENT the device is NULL, or `which` is neither of these
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 11.4
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Graph Management": cuDeviceSetGraphMemAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_device_reset_graph_memory(cuc_device *device, int32_t which);

/**
 * Return memory that is kept for later graph launches to the system.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param device the device
 * @retval CUC_OK                     trimmed
 * @retval CUC_ERROR_INVALID_ARGUMENT the device is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 11.4
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Graph Management": cuDeviceGraphMemTrim
 * @since 0.1
 */
CUC_API cuc_status cuc_device_trim_graph_memory(cuc_device *device);

CUC_END_DECLS

#endif
