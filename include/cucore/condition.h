/**
 * @file
 * Conditions: graph nodes that decide on the device, while the graph runs, which work follows.
 *
 * A conditional node owns graphs, its bodies. When a launch reaches the node, the value of its
 * condition decides which body runs, whether the body runs at all, or whether it runs again.
 * Kernels before the node and kernels in its bodies set the value. The host takes no part.
 *
 *     cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL);
 *     cuc_stream_condition_create(&more, stream, 1, CUC_CONDITION_ASSIGN_DEFAULT);
 *     cuc_stream_add_conditional(&body, 1, stream, more, CUC_CONDITIONAL_WHILE);
 *     cuc_stream_begin_capture_to(other, body, NULL, 0, CUC_CAPTURE_THREAD_LOCAL);
 *     CUC_LAUNCH(other, config, step, more, x);      // cudaGraphSetConditional(more, error > 1e-6)
 *     cuc_stream_end_capture(&same, other);
 *     ...                                            // runs after the loop
 *     cuc_stream_end_capture(&graph, stream);
 *
 * In CUDA C++ a kernel receives the condition as a `cudaGraphConditionalHandle` and sets its value
 * with `cudaGraphSetConditional(handle, value)`. Without the runtime's headers, declare it:
 *
 *     extern "C" __device__ __cudart_builtin__
 *     void cudaGraphSetConditional(unsigned long long handle, unsigned value);
 *
 * @par Bodies
 * Captures fill the bodies (cuc_stream_begin_capture_to()) before the graph is instantiated. A body
 * may contain only kernels of one context, copies except of pageable memory, fills, other graphs
 * and conditional nodes. An empty body does nothing. The graph that contains the node owns the body
 * and keeps the objects that the body uses; the body retains that graph. Make one call at a time on
 * the graph and its bodies together. A body cannot be instantiated or embedded by itself, and a
 * graph with conditional nodes cannot be embedded in another.
 *
 * If a capture into a body ends badly, the whole graph becomes unusable: see "Captures that end
 * badly" in graph.h. End or cancel the captures of bodies before the enclosing capture.
 */
#ifndef CUCORE_CONDITION_H
#define CUCORE_CONDITION_H

#include <cucore/base.h>
#include <cucore/graph.h>
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/**
 * A 32-bit value that kernels set and one conditional node reads. The handle is the driver's
 * CUgraphConditionalHandle, which equals cudaGraphConditionalHandle; pass it to kernels unchanged.
 * It belongs to its graph.
 */
typedef uint64_t cuc_condition;

/** Flags of a condition. */
enum {
    CUC_CONDITION_ASSIGN_DEFAULT = 1, /**< each launch of the graph starts with the default value;
                                           without this flag, it starts with the value that the
                                           previous launch left */
};

/** Behavior of a conditional node, with the driver's values. */
enum {
    CUC_CONDITIONAL_IF = 0,    /**< runs the first body if the value is not 0, else the second, if
                                    there is one */
    CUC_CONDITIONAL_WHILE = 1, /**< repeats its only body until the value is 0 */
    CUC_CONDITIONAL_SWITCH =
        2, /**< runs the body whose index is the value; none if there is no such body */
};

/**
 * Create a condition for a node of a graph. Exactly one node must use it before the graph is
 * instantiated.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] out           the condition, destroyed with the graph
 * @param      graph         the graph that will contain the node, directly or in another node's
 *                           body; a body stands for the graph that contains it
 * @param      default_value 0 without CUC_CONDITION_ASSIGN_DEFAULT
 * @param      flags         CUC_CONDITION_ bits
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out or graph is NULL, flags are unknown, or a default value is
 *                                    given without its flag
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphConditionalHandleCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_condition_create(cuc_condition *out, cuc_graph *graph,
                                              uint32_t default_value, uint32_t flags);

/**
 * Create a condition for a node of the graph that a stream is captured into.
 *
 * @thread any thread; one call at a time on the same stream
 * @capture safe: not restricted by the driver; on a stream that is not captured it fails
 * @param[out] out           the condition, destroyed with the graph
 * @param      stream        a captured stream
 * @param      default_value as for cuc_graph_condition_create()
 * @param      flags         CUC_CONDITION_ bits
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_graph_condition_create(), or the stream is not
 *                                    captured
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused, or the capture is spoilt; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphConditionalHandleCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_condition_create(cuc_condition *out, cuc_stream *stream,
                                               uint32_t default_value, uint32_t flags);

/**
 * Add a conditional node to the graph that a stream is captured into, after the stream's work so
 * far.
 *
 * @order  work captured on the stream later runs after everything that the node runs
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph; on a stream that is not captured it fails
 * @param[out] bodies    [count] graphs without nodes, retained, for the caller to fill and release.
 *                       If the capture fails or is cancelled, the caller can only release them
 * @param      count     number of bodies: 1 or 2 for CUC_CONDITIONAL_IF, 1 for _WHILE, 1 to 65536
 *                       for _SWITCH
 * @param      stream    a captured stream
 * @param      condition created for this graph, and not yet used by a node
 * @param      type      CUC_CONDITIONAL_IF, CUC_CONDITIONAL_WHILE or CUC_CONDITIONAL_SWITCH
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT bodies or stream is NULL, condition is 0, type is not one of
 *                                    the three, count is not allowed for it, or the stream is not
 *                                    captured
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3; an if with two bodies, and
 *                                    a switch, need 12.8
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a condition that a node
 *                                    already uses; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphAddNode; "Stream Management":
 * cuStreamUpdateCaptureDependencies
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_add_conditional(cuc_graph **bodies, uint32_t count,
                                              cuc_stream *stream, cuc_condition condition,
                                              int32_t type);

CUC_END_DECLS

#endif
