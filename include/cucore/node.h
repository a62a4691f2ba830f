/**
 * @file
 * Graphs built node by node, with explicit dependencies.
 *
 * To add a node, capture a stream into the graph after the nodes that are its dependencies, and
 * enqueue work on the stream. Anything that a stream accepts can thus become a node, with the same
 * checks.
 *
 *     cuc_graph_create(&graph, device);
 *     cuc_stream_begin_capture_to(stream, graph, NULL, 0, CUC_CAPTURE_RELAXED);
 *     cuc_launch(stream, ...);                                        // no dependencies
 *     cuc_stream_get_capture_nodes(&first, 1, &count, stream);
 *     cuc_stream_end_capture(&same, stream);                          // one more reference
 *     cuc_stream_begin_capture_to(stream, graph, &first, 1, CUC_CAPTURE_RELAXED);
 *     ...                                                             // depends on `first`
 *
 * The graph keeps objects and owns memory just as after other captures: see graph.h.
 */
#ifndef CUCORE_NODE_H
#define CUCORE_NODE_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/event.h>
#include <cucore/graph.h>
#include <cucore/launch.h>
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/** A node: the driver's CUgraphNode. It belongs to its graph and is destroyed with it. */
typedef struct cuc_node cuc_node;

/**
 * Create a graph without nodes.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    a new reference; release it
 * @param      device the nodes belong to its primary context
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_create(cuc_graph **out, cuc_device *device);

/**
 * Begin capturing a stream into an existing graph, after some of its nodes.
 *
 * cuc_stream_end_capture() ends the capture and returns another reference to the same graph. If it
 * fails because the capture is spoilt or a stream has not been joined again, the driver frees the
 * graph, which must then be built again; see "Captures that end badly" in graph.h. After
 * cuc_stream_cancel_capture(), or if the stream is released, the graph keeps the nodes added so
 * far, unless the capture is spoilt.
 *
 * @thread any thread; one call at a time on the same stream and graph
 * @capture safe: not restricted by the driver; refused with CUC_ERROR_BUSY on a captured stream,
 *          whose capture goes on
 * @param stream as for cuc_stream_begin_capture()
 * @param graph  retained until the capture ends
 * @param after  [count] nodes of the graph that the first captured work depends on; may be NULL
 *               with a count of 0, for no dependencies
 * @param count  length of after
 * @param mode   as for cuc_stream_begin_capture()
 * @retval CUC_OK                     begun
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or graph is NULL; after is NULL while count is not 0;
 *                                    the stream is the legacy default stream; mode is not one of
 *                                    the three; or the graph was freed
 * @retval CUC_ERROR_BUSY             the stream is already captured
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a node of another graph; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamBeginCaptureToGraph
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_begin_capture_to(cuc_stream *stream, cuc_graph *graph,
                                               cuc_node *const *after, size_t count, int32_t mode);

/**
 * The nodes on which the next work on a captured stream will depend. After a single operation, this
 * is the operation's node.
 *
 * @thread any thread; one call at a time on the same stream
 * @capture safe: not restricted by the driver; on a stream that is not captured it fails
 * @param[out] nodes    [capacity] borrowed from the graph, at most `capacity`; may be NULL if
 *                      `capacity` is 0
 * @param      capacity length of nodes
 * @param[out] count    the number of nodes
 * @param      stream   a captured stream
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT count or stream is NULL, nodes is NULL while capacity is not
 *                                    0, or the stream is not captured
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused, or the capture is spoilt; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamGetCaptureInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_get_capture_nodes(cuc_node **nodes, size_t capacity, size_t *count,
                                                cuc_stream *stream);

/**
 * Add a node that records an event for work outside the graph. (An event recorded by
 * cuc_event_record() on a captured stream marks a point inside the graph, for its other streams.)
 *
 * @order  each launch of the graph records it when the stream's earlier work is complete
 * @thread any thread; one call at a time on the same event and stream
 * @capture becomes a node of the graph; on a stream that is not captured it fails
 * @param stream a captured stream
 * @param event  of the stream's context; the caller keeps it alive as long as the graph
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the stream is not captured
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Event Management": cuEventRecordWithFlags
 * @since 0.1
 */
CUC_API cuc_status cuc_event_record_external(cuc_stream *stream, cuc_event *event);

/**
 * Add a node that waits for an event recorded outside the graph.
 *
 * @order  each launch of the graph waits for the event's latest recording at that time
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph; on a stream that is not captured it fails
 * @param stream a captured stream
 * @param event  the caller keeps it alive as long as the graph
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the stream is not captured
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamWaitEvent
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_wait_external(cuc_stream *stream, cuc_event *event);

/**
 * The nodes of a graph, in the driver's order, the same as in cuc_graph_get_node_types().
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] nodes    [capacity] borrowed from the graph, at most `capacity`; further elements
 *                      stay unchanged
 * @param      capacity length of nodes
 * @param      graph    the graph
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT graph is NULL, or nodes is NULL while capacity is not 0
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphGetNodes
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_get_nodes(cuc_node **nodes, size_t capacity, cuc_graph *graph);

/**
 * The edges of a graph. Node `to[i]` begins when `from[i]` has ended.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] from     [capacity] borrowed from the graph, at most `capacity`
 * @param[out] to       [capacity] the same number, borrowed from the graph
 * @param      capacity length of each; cuc_graph_get_edge_count() returns the number of edges
 * @param      graph    the graph
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT graph is NULL, or from or to is NULL while capacity is not 0
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphGetEdges
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_get_edges(cuc_node **from, cuc_node **to, size_t capacity,
                                       cuc_graph *graph);

/**
 * Add an empty node with dependencies: a point where branches join.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] out   borrowed from the graph
 * @param      graph the graph
 * @param      after [count] nodes of the graph that it depends on; may be NULL with a count of 0,
 *                   for no dependencies
 * @param      count length of after
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT out or graph is NULL, or after is NULL while count is not 0
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a node of another graph; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphAddNode
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_add_empty(cuc_node **out, cuc_graph *graph, cuc_node *const *after,
                                       size_t count);

/**
 * Add edges. Node `to[i]` will begin when `from[i]` has ended. The call adds either all edges or
 * none.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param graph the graph; its instances are unaffected
 * @param from  [count] nodes of the graph
 * @param to    [count] other nodes of the graph
 * @param count length of each
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT graph is NULL, or from or to is NULL while count is not 0
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused: a node of another graph, an edge from a
 *                                    node to itself, or an existing edge; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphAddDependencies
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_add_edges(cuc_graph *graph, cuc_node *const *from, cuc_node *const *to,
                                       size_t count);

/**
 * Remove edges. The call removes either all edges or none.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param graph the graph; its instances are unaffected
 * @param from  [count] nodes of the graph
 * @param to    [count] nodes that depend on these
 * @param count length of each
 * @retval CUC_OK                     removed
 * @retval CUC_ERROR_INVALID_ARGUMENT graph is NULL, or from or to is NULL while count is not 0
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a missing edge; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphRemoveDependencies
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_remove_edges(cuc_graph *graph, cuc_node *const *from,
                                          cuc_node *const *to, size_t count);

/**
 * The graph that a node of type CUC_NODE_GRAPH runs: the driver's copy of the embedded graph. Until
 * the graph that contains the node is instantiated, adding nodes to the copy changes what the node
 * runs.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] out   a new reference; release it; it holds the graph that contains the node
 * @param      graph the graph that contains the node
 * @param      node  an embedded-graph node of it
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for another type of node; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphChildGraphNodeGetGraph
 * @since 0.1
 */
CUC_API cuc_status cuc_node_get_graph(cuc_graph **out, cuc_graph *graph, cuc_node *node);

/**
 * The launch of a node of type CUC_NODE_KERNEL.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] config grid, block and shared_bytes; the driver does not report the other fields,
 *                    which are 0
 * @param[out] kernel the driver's CUkernel, borrowed; NULL if it was launched as a CUfunction
 * @param      node   a node of an existing graph
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for another type of node; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphKernelNodeGetParams
 * @since 0.1
 */
CUC_API cuc_status cuc_node_get_launch(cuc_launch_config *config, void **kernel, cuc_node *node);

/**
 * The type of a node.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] out  a CUC_NODE_ constant
 * @param      node a node of an existing graph
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphNodeGetType
 * @since 0.1
 */
CUC_API cuc_status cuc_node_get_type(int32_t *out, cuc_node *node);

/**
 * Disable a node for the launches of an instance, or enable it again. Nodes that depend on a
 * disabled node still wait for its dependencies. Updating the instance does not change the setting.
 *
 * @thread any thread; one call at a time on the same instance
 * @capture safe: not restricted by the driver
 * @param exec    the instance; launches already enqueued are not affected
 * @param node    a kernel, copy or fill of the graph that the instance was created from
 * @param enabled 0 disables the node
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 11.6
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for another type of node; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphNodeSetEnabled
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_exec_set_enabled(cuc_graph_exec *exec, cuc_node *node,
                                              int32_t enabled);

/**
 * Check whether launches of an instance run a node.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out  0 or 1
 * @param      exec the instance
 * @param      node as for cuc_graph_exec_set_enabled()
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 11.6
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for another type of node; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphNodeGetEnabled
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_exec_get_enabled(int32_t *out, cuc_graph_exec *exec, cuc_node *node);

CUC_END_DECLS

#endif
