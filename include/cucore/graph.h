/**
 * @file
 * Graphs: work that is captured once and launched often.
 *
 * A stream is captured: what is put on it then does not run, but becomes nodes of a graph, in the
 * order that the stream gives. The graph is instantiated, which checks it and gets it ready, and
 * the instance is launched as often as is wanted, for about the price of one launch.
 *
 *     cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL);
 *     ...                                          // launches, copies, fills, host functions
 *     cuc_stream_end_capture(&graph, stream);
 *     cuc_graph_instantiate(&exec, graph, NULL);
 *     cuc_graph_exec_launch(exec, stream);         // again and again
 *
 * Work of other streams comes in by waits: a stream that waits for an event of the captured one,
 * or for the stream itself (cuc_stream_wait_stream()), is captured with it from there on, and its
 * nodes are a branch of their own. Before the end the first stream has to wait for it in turn.
 *
 * @par What a graph keeps
 * The code of kernels that are launched by cuc_launch() while cuc_stream_begin_capture() captures
 * them: their objects stay loaded as long as the graph or an instance of it is there, and until
 * its last launch has ended. Everything else is the caller's to keep that long: memory that nodes
 * read and write, what a host function is given, events that are recorded or waited for outside
 * of the graph, kernels that were launched by other means. cuc_graph_keep_buffer() and
 * cuc_graph_keep() tie such things to the graph. Arguments of kernels, and the parameters of
 * copies and fills, are copied.
 *
 * @par Memory of a graph
 * A buffer that is made from a pool on a captured stream is memory of the graph: it has its
 * address at once, and is there from the node that allocates it to the one that frees it, which is
 * what its last release on the captured stream becomes. Of a buffer that is released after the
 * capture, each launch leaves the memory allocated, and the release frees it: after a launch, and
 * before the next one, unless the instance has CUC_GRAPH_AUTO_FREE. A buffer from before the
 * capture is not to be released within it.
 *
 * @par Captures that end badly
 * Of a capture that is spoilt, or that a stream has not joined again, no graph comes. Where it adds
 * to a graph that is there (cuc_stream_begin_capture_to()), the driver frees that graph with it:
 * the object is still to be released, has no handle, and every other call on it fails with
 * CUC_ERROR_INVALID_ARGUMENT and says why. Where that is the body of a conditional node, the driver
 * frees the body and not the node, and crashes when the graph of the node is destroyed: that graph
 * is of no more use either, cucore leaves it to the driver for good, and its own capture fails at
 * its end. If that is spoilt as well, it cannot be ended: its stream stays captured, and waits for
 * its whole context, such as cuc_context_synchronize(), fail until the process is started anew.
 * Instances made before stay as they are. A capture that is only cancelled leaves its graph, unless
 * it is spoilt.
 */
#ifndef CUCORE_GRAPH_H
#define CUCORE_GRAPH_H

#include <cucore/base.h>
#include <cucore/buffer.h>
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/**
 * What was captured. It holds the context that it was captured in.
 *
 * Threads: any thread; one call at a time on the same graph.
 */
typedef struct cuc_graph cuc_graph;

/**
 * An instance of a graph, that can be launched. It needs the graph no more.
 *
 * Threads: any thread; one call at a time on the same instance.
 */
typedef struct cuc_graph_exec cuc_graph_exec;

/* ---- Capturing -------------------------------------------------------------------------- */

/** Whose calls a capture restricts: those that would escape it, such as cuMemAlloc(). */
enum {
    CUC_CAPTURE_GLOBAL = 0,       /**< the calls of every thread */
    CUC_CAPTURE_THREAD_LOCAL = 1, /**< those of the thread that began it */
    CUC_CAPTURE_RELAXED = 2,      /**< nobody's; another thread may end it */
};

/**
 * Begin to capture a stream.
 *
 * @thread any thread; one call at a time on the same stream
 * @capture safe: not restricted by the driver; refused with CUC_ERROR_BUSY on a captured stream,
 *          whose capture goes on
 * @param stream not the legacy default one, which the driver does not capture; it and every other
 *               stream that joins run nothing until the end
 * @param mode   CUC_CAPTURE_GLOBAL, CUC_CAPTURE_THREAD_LOCAL or CUC_CAPTURE_RELAXED; with the
 *               first two the thread that began must end
 * @retval CUC_OK                     begun
 * @retval CUC_ERROR_INVALID_ARGUMENT stream is NULL or the legacy default one, mode is none of the
 *                                    three
 * @retval CUC_ERROR_BUSY             the stream is captured already
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamBeginCapture
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_begin_capture(cuc_stream *stream, int32_t mode);

/**
 * End a capture, and have its graph.
 *
 * The capture is over whatever comes of it, but for what the list below says. Streams that joined
 * it are free again as well.
 *
 * @thread the one that began; any one in CUC_CAPTURE_RELAXED
 * @capture safe: not restricted by the driver; it ends the stream's
 * @param[out] out    a new reference; release it
 * @param      stream the one that began
 * @retval CUC_OK                     captured
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, the stream is not captured, or another
 *                                    thread or stream began, and the capture goes on
 * @retval CUC_ERROR_BUSY             it is spoilt, or a stream has not joined again, and another
 *                                    stream fills the body of a conditional node of it or is
 *                                    captured into the same graph: end that first; the capture goes
 *                                    on
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory, and the capture goes on
 * @retval CUC_ERROR_DRIVER           the capture is spoilt, or a stream has not joined again, or
 *                                    the capture of a body of its conditional nodes has ended so;
 *                                    the message says which, which call was refused first, and
 *                                    whether a graph that it added to is gone, or its stream stays
 *                                    captured for good. Of a capture that was not begun by cucore,
 *                                    also where another thread or stream began: the driver drops or
 *                                    spoils it
 * @source CUDA Driver API, "Stream Management": cuStreamEndCapture; "Graph Management":
 * cuGraphRetainUserObject
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_end_capture(cuc_graph **out, cuc_stream *stream);

/**
 * End a capture and drop what it has collected: for the way out after a failure, whose record
 * stays as it is. Captures of the same thread that fill bodies of its conditional nodes are
 * cancelled with it. A graph that it adds to keeps the nodes that it has by then; of a spoilt
 * capture, the driver frees it, and what else the thread captures into it is cancelled as well.
 *
 * @thread the one that began; any one in CUC_CAPTURE_RELAXED, or when the one that began has ended
 * @capture safe: not restricted by the driver; it ends the stream's
 * @param stream the one that began; one that is not captured is left alone
 * @retval CUC_OK                     the stream is not captured any more
 * @retval CUC_ERROR_INVALID_ARGUMENT stream is NULL, or another thread or stream began, and the
 *                                    capture goes on
 * @retval CUC_ERROR_BUSY             another thread fills the body of a conditional node of it, or
 *                                    captures into the graph that goes: end or cancel that first;
 *                                    the capture goes on
 * @retval CUC_ERROR_DRIVER           the driver refused, or the stream stays captured for good;
 *                                    also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamEndCapture
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_cancel_capture(cuc_stream *stream);

/** Where a stream is with being captured. */
enum {
    CUC_CAPTURE_NONE = 0,   /**< it is not */
    CUC_CAPTURE_ACTIVE = 1, /**< it is */
    CUC_CAPTURE_SPOILT = 2, /**< a call was refused, and no graph will come of it */
};

/** What cuc_stream_get_capture_info() tells. */
typedef struct cuc_capture_info {
    size_t struct_size; /**< sizeof(cuc_capture_info), set by the caller */
    uint64_t id;        /**< of no other capture of the process; 0 unless it is active */
    void *graph;        /**< the driver's CUgraph, borrowed until the end; NULL unless active */
    int32_t status;     /**< CUC_CAPTURE_NONE, CUC_CAPTURE_ACTIVE or CUC_CAPTURE_SPOILT */
    int32_t reserved;   /**< 0 */
} cuc_capture_info;

/** Initial value of a cuc_capture_info variable. */
#define CUC_CAPTURE_INFO_INIT                \
    {                                        \
        sizeof(cuc_capture_info), 0, 0, 0, 0 \
    }

/**
 * What capture a stream is in, be it one of cucore's or not.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    filled up to its struct_size; fields unknown to this library are 0
 * @param      stream the stream
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or out's struct_size is unknown
 * @retval CUC_ERROR_BUSY             another capture forbids to ask about the legacy stream
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3: cuc_stream_is_capturing()
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamGetCaptureInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_get_capture_info(cuc_capture_info *out, cuc_stream *stream);

/**
 * Put a whole graph into the one that a stream is being captured into, as one node behind what
 * the stream has so far. (An instance cannot be launched on a captured stream.)
 *
 * @order  what is captured on the stream next comes after all of the graph
 * @thread any thread; one call at a time on the same stream and graph
 * @capture becomes a node of the graph; on a stream that is not captured it fails
 * @param stream a captured one
 * @param graph  copied, with what it keeps; without memory of its own
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the stream is not captured
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused, such as a graph that allocates or frees;
 *                                    also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphAddChildGraphNode; "Stream Management":
 * cuStreamUpdateCaptureDependencies
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_embed_graph(cuc_stream *stream, cuc_graph *graph);

/* ---- Graphs ----------------------------------------------------------------------------- */

/** What a node does, with the driver's values: X(constant, value, name). */
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
 * @return static; "unknown" for a type that is not listed
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
 * How many nodes a graph has; one that was embedded counts as one.
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
 * How many edges a graph has: pairs of nodes of which one begins when the other has ended.
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
 * What the nodes of a graph are, in the driver's order, which is that of their numbers elsewhere.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] types CUC_NODE_ constants, at most `room`; the rest is not written
 * @param      room  elements of types
 * @param      graph the graph
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT graph is NULL, or types is and room is not 0
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphGetNodes, cuGraphNodeGetType
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_get_node_types(int32_t *types, size_t room, cuc_graph *graph);

/** What a drawing of a graph shows beside its nodes and edges, with the driver's values. */
enum {
    CUC_DOT_EVERYTHING = 1 << 0,
    CUC_DOT_RUNTIME_TYPES = 1 << 1, /**< parameters as the CUDA runtime has them */
    CUC_DOT_KERNELS = 1 << 2,       /**< parameters of kernels, and so on */
    CUC_DOT_COPIES = 1 << 3,
    CUC_DOT_FILLS = 1 << 4,
    CUC_DOT_HOST_FUNCTIONS = 1 << 5,
    CUC_DOT_EVENTS = 1 << 6,
    CUC_DOT_SIGNALS = 1 << 7,
    CUC_DOT_WAITS = 1 << 8,
    CUC_DOT_KERNEL_ATTRIBUTES = 1 << 9,
    CUC_DOT_HANDLES = 1 << 10, /**< of nodes, and of functions */
    CUC_DOT_ALLOCATIONS = 1 << 11,
    CUC_DOT_FREES = 1 << 12,
    CUC_DOT_MEMORY_WORDS = 1 << 13,
    CUC_DOT_TOPOLOGY = 1 << 14,
    CUC_DOT_CONDITIONALS = 1 << 15,
};

/**
 * Draw a graph in the DOT language of Graphviz.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] text  ends with a NUL; borrowed until the graph is drawn again or released
 * @param[out] bytes without the NUL; may be NULL
 * @param      graph the graph
 * @param      flags CUC_DOT_ bits; 0: types of nodes, names of kernels and directions of copies
 * @retval CUC_OK                     drawn
 * @retval CUC_ERROR_INVALID_ARGUMENT text or graph is NULL, or a flag is not known
 * @retval CUC_ERROR_IO               the system has no room for the driver to write to
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
 * @param path  made or replaced, as by cuc_object_save()
 * @param flags as for cuc_graph_get_dot()
 * @retval CUC_OK                     drawn
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or a flag is not known
 * @retval CUC_ERROR_IO               the file cannot be written
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphDebugDotPrint
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_write_dot(cuc_graph *graph, const char *path, uint32_t flags);

/**
 * Tie something to a graph: it is let go when the graph, every instance of it and all their
 * launches are gone.
 *
 * Letting go is done by a later call of cucore's, never by a thread of the driver's: one that
 * makes, updates or drops graphs, waits for a stream or a device, or makes a buffer; and not while
 * cucore captures.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param graph      instances that are made or updated from now on keep it too
 * @param owner      passed to drop_owner; not taken over when this fails
 * @param drop_owner called once, on any thread
 * @retval CUC_OK                     tied
 * @retval CUC_ERROR_INVALID_ARGUMENT graph or drop_owner is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuUserObjectCreate, cuGraphRetainUserObject
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_keep(cuc_graph *graph, void *owner, void (*drop_owner)(void *owner));

/**
 * Tie a buffer to a graph, as by cuc_graph_keep(): one from before the capture, that nodes use.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param graph  instances that are made or updated from now on keep the buffer too
 * @param buffer retained
 * @retval CUC_OK                     tied
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
 * Release a graph. Instances of it go on.
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
    /** A launch first frees what the one before has left allocated. */
    CUC_GRAPH_AUTO_FREE = 1 << 0,
    /** Kernels can launch the instance too; not with CUC_GRAPH_AUTO_FREE. */
    CUC_GRAPH_DEVICE_LAUNCH = 1 << 1,
    /** Each kernel has the priority of the stream it was captured on, not of the launch's. */
    CUC_GRAPH_NODE_PRIORITY = 1 << 2,
};

/** Options of cuc_graph_instantiate(); zero is the default of every field. */
typedef struct cuc_graph_exec_options {
    size_t struct_size; /**< sizeof(cuc_graph_exec_options); the initialisers set it */
    cuc_stream *upload; /**< where it is brought to the device at once; NULL: by its first launch */
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
 * @param caller_size sizeof(cuc_graph_exec_options) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_graph_exec_options_init(cuc_graph_exec_options *options, size_t caller_size);

/**
 * Make an instance of a graph. It costs many times what a launch does.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out     a new reference; release it
 * @param      graph   of one with memory of its own, or conditional nodes, there can be one
 * instance at a time
 * @param      options NULL: launched by the host alone, brought to the device by the first launch
 * @retval CUC_OK                         created
 * @retval CUC_ERROR_INVALID_ARGUMENT     out or graph is NULL; flags are not known or exclude each
 *                                        other; the upload stream is no stream
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY no room for it on the device
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory
 * @retval CUC_ERROR_DRIVER               the driver refused: the message says why, and names the
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
 * The flags that an instance was made with.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return CUC_GRAPH_ bits; 0 for NULL
 * @since 0.1
 */
CUC_API uint32_t cuc_graph_exec_flags(const cuc_graph_exec *exec);

/**
 * Bring an instance to the device ahead of its first launch, which is then as fast as the others.
 *
 * @order  enqueues and returns; comes after the stream's work and the instance's launches
 * @thread any thread; one call at a time on the same instance and stream
 * @capture not on a captured stream: CUC_ERROR_BUSY, or the capture is spoilt where others began it
 * @param exec   the instance
 * @param stream a queue of the device that will launch it
 * @retval CUC_OK                         enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT     an argument is NULL
 * @retval CUC_ERROR_BUSY                 the stream is being captured
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY no room for it on the device
 * @retval CUC_ERROR_DRIVER               the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphUpload
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_exec_upload(cuc_graph_exec *exec, cuc_stream *stream);

/**
 * Launch an instance: all that was captured runs, in the stream's order.
 *
 * Launches of one instance follow one another, also on different streams; graphs that are to run
 * side by side are instances of their own.
 *
 * @order  enqueues and returns; later work of the stream comes after all of the graph
 * @thread any thread; one call at a time on the same instance and stream
 * @capture not on a captured stream: CUC_ERROR_BUSY, or the capture is spoilt where others began
 *          it; cuc_stream_embed_graph() captures a graph in a graph
 * @param exec   may be released before it has run
 * @param stream the queue
 * @retval CUC_OK                         enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT     an argument is NULL
 * @retval CUC_ERROR_BUSY                 the stream is being captured
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY no room on the device for what the graph allocates
 * @retval CUC_ERROR_DRIVER               the driver refused, such as while memory that the last
 *                                        launch allocated is not freed; also
 *                                        CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphLaunch
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_exec_launch(cuc_graph_exec *exec, cuc_stream *stream);

/**
 * Let an instance do what another graph says, which is much cheaper than a new instance: the same
 * nodes with the same edges, of which parameters have changed, such as when the same code was
 * captured again.
 *
 * Launches that are enqueued already are not affected. Where it fails the instance is as before:
 * CUC_ERROR_NOT_SUPPORTED says that a new instance is what it takes.
 *
 * @thread any thread; one call at a time on the same instance and graph
 * @capture safe: asks the driver in relaxed mode
 * @param exec  the instance; keeps from now on what the graph keeps
 * @param graph needed for the length of the call
 * @retval CUC_OK                     updated
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    the graph differs in more than an update can change: the
 *                                    message says in what, and names the node
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
 * Release an instance. Launches of it that are under way are not cut short.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param exec NULL does nothing
 * @source CUDA Driver API, "Graph Management": cuGraphExecDestroy
 * @since 0.1
 */
CUC_API void cuc_graph_exec_release(cuc_graph_exec *exec);

/** Of a device's memory for what graphs allocate: bytes. */
enum {
    CUC_GRAPH_MEMORY_USED = 0,          /**< by instances, also those that do not run */
    CUC_GRAPH_MEMORY_USED_HIGH = 1,     /**< the most since it was last reset */
    CUC_GRAPH_MEMORY_RESERVED = 2,      /**< that, and what is kept for the next launch */
    CUC_GRAPH_MEMORY_RESERVED_HIGH = 3, /**< the most since it was last reset */
};

/**
 * How much memory a device has for what graphs allocate.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    bytes
 * @param      device whose
 * @param      which  a CUC_GRAPH_MEMORY_ constant
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or `which` is no such constant
 * @retval CUC_ERROR_NOT_SUPPORTED    a driver before CUDA 11.4
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Graph Management": cuDeviceGetGraphMemAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_graph_memory(uint64_t *out, cuc_device *device, int32_t which);

/**
 * Start a high mark of graphs' memory anew, from what there is now.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param device whose
 * @param which  CUC_GRAPH_MEMORY_USED_HIGH or CUC_GRAPH_MEMORY_RESERVED_HIGH
 * @retval CUC_OK                     reset
 * @retval CUC_ERROR_INVALID_ARGUMENT the device is NULL, or `which` is neither
 * @retval CUC_ERROR_NOT_SUPPORTED    a driver before CUDA 11.4
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Graph Management": cuDeviceSetGraphMemAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_device_reset_graph_memory(cuc_device *device, int32_t which);

/**
 * Give memory back that is kept for graphs' next launches.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param device whose
 * @retval CUC_OK                     given back
 * @retval CUC_ERROR_INVALID_ARGUMENT the device is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    a driver before CUDA 11.4
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Graph Management": cuDeviceGraphMemTrim
 * @since 0.1
 */
CUC_API cuc_status cuc_device_trim_graph_memory(cuc_device *device);

CUC_END_DECLS

#endif
