/**
 * @file
 * Conditions: nodes of a graph that decide on the device, as it runs, what comes next.
 *
 * A conditional node has graphs of its own, its bodies. When a launch comes to it, the value of its
 * condition says which body runs, whether one does, or whether it runs again. Kernels set the
 * value: those ahead of the node, and those of its body. Nothing goes back to the host meanwhile.
 *
 *     cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL);
 *     cuc_stream_create_condition(&more, stream, 1, CUC_CONDITION_ASSIGN_DEFAULT);
 *     cuc_stream_add_conditional(&body, 1, stream, more, CUC_CONDITIONAL_WHILE);
 *     cuc_stream_begin_capture_to(other, body, NULL, 0, CUC_CAPTURE_THREAD_LOCAL);
 *     CUC_LAUNCH(other, config, step, more, x);      // cudaGraphSetConditional(more, error > 1e-6)
 *     cuc_stream_end_capture(&same, other);
 *     ...                                            // comes behind the loop
 *     cuc_stream_end_capture(&graph, stream);
 *
 * In CUDA C++ a kernel has the value as a `cudaGraphConditionalHandle`, and sets it by
 * `cudaGraphSetConditional(handle, value)`, which has to be declared where the runtime's headers
 * are not included:
 *
 *     extern "C" __device__ __cudart_builtin__ void cudaGraphSetConditional(unsigned long long
 * handle, unsigned value);
 *
 * @par Bodies
 * They are filled by captures (cuc_stream_begin_capture_to()), before the graph is instantiated,
 * with kernels of one context, copies but of pageable memory, fills, other graphs and conditional
 * nodes; nothing else can be in them, and what is left empty does nothing. A body is the graph's
 * that has the node, and is held by it; what it keeps, that graph does: one call at a time on all
 * of them. It is not instantiated or embedded by itself, and a graph with conditional nodes is not
 * embedded in another one.
 *
 * A capture into a body that ends badly takes the whole graph: see "Captures that end badly" in
 * graph.h. End or cancel the captures of bodies before the one around them.
 */
#ifndef CUCORE_CONDITION_H
#define CUCORE_CONDITION_H

#include <cucore/base.h>
#include <cucore/graph.h>
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/**
 * A number of 32 bits that kernels set and one conditional node goes by: the driver's
 * CUgraphConditionalHandle, which is also its cudaGraphConditionalHandle, and an argument of
 * kernels as it is. It is its graph's.
 */
typedef uint64_t cuc_condition;

/** Flags of a condition. */
enum {
    CUC_CONDITION_ASSIGN_DEFAULT = 1, /**< it has its default value when a launch of the graph
                                         begins; without, what the launch before has left */
};

/** What a conditional node does with the value of its condition, with the driver's values. */
enum {
    CUC_CONDITIONAL_IF = 0, /**< the first body runs unless it is 0; the second, if any, if it is */
    CUC_CONDITIONAL_WHILE = 1, /**< its one body runs again and again, until it is 0 */
    CUC_CONDITIONAL_SWITCH =
        2, /**< the body of that number runs; none, when there are not so many */
};

/**
 * Make a condition for a node of a graph. Each has to be used by one node before the graph is
 * instantiated.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] out           the condition, which goes with the graph
 * @param      graph         that the node will be in, directly or in the body of another one; a
 *                           body stands for the graph that has it
 * @param      default_value 0 without CUC_CONDITION_ASSIGN_DEFAULT
 * @param      flags         CUC_CONDITION_ bits
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out or graph is NULL, flags are not known, or there is a
 * default value without its flag
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphConditionalHandleCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_create_condition(cuc_condition *out, cuc_graph *graph,
                                              uint32_t default_value, uint32_t flags);

/**
 * Make a condition for a node of the graph that a stream is being captured into.
 *
 * @thread any thread; one call at a time on the same stream
 * @capture safe: not restricted by the driver; on a stream that is not captured it fails
 * @param[out] out           the condition, which goes with the graph
 * @param      stream        a captured one
 * @param      default_value as for cuc_graph_create_condition()
 * @param      flags         CUC_CONDITION_ bits
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_graph_create_condition(), or the stream is not
 * captured
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused, or the capture is spoilt; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphConditionalHandleCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_create_condition(cuc_condition *out, cuc_stream *stream,
                                               uint32_t default_value, uint32_t flags);

/**
 * Put a conditional node into the graph that a stream is being captured into, behind what the
 * stream has so far.
 *
 * @order  what is captured on the stream next comes after all of what the node runs
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph; on a stream that is not captured it fails
 * @param[out] bodies    [count] graphs without nodes, retained, to be filled and released. Those of
 *                       a capture that fails or is cancelled are good for nothing but that
 * @param      count     of bodies: 1 or 2 for CUC_CONDITIONAL_IF, 1 for _WHILE, 1 to 65536 for
 * _SWITCH
 * @param      stream    a captured one
 * @param      condition made for this graph, and used by no node yet
 * @param      type      CUC_CONDITIONAL_IF, CUC_CONDITIONAL_WHILE or CUC_CONDITIONAL_SWITCH
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT bodies or stream is NULL, condition is 0, type is none of the
 *                                    three, count is none that it may have, or the stream is not
 *                                    captured
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3; two bodies of an if, and
 *                                    switches, are of 12.8
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as a condition that a node has
 * already; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphAddNode; "Stream Management":
 * cuStreamUpdateCaptureDependencies
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_add_conditional(cuc_graph **bodies, uint32_t count,
                                              cuc_stream *stream, cuc_condition condition,
                                              int32_t type);

CUC_END_DECLS

#endif
