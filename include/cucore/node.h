/**
 * @file
 * Graphs that are made node by node, where each says what it comes after.
 *
 * Work becomes a node by being put on a stream that is captured into the graph, behind the nodes
 * that are named: so whatever a stream takes can be a node, with the same checks.
 *
 *     cuc_graph_create(&graph, device);
 *     cuc_stream_begin_capture_to(stream, graph, NULL, 0, CUC_CAPTURE_RELAXED);
 *     cuc_launch(stream, ...);                                        // behind nothing
 *     cuc_stream_get_capture_nodes(&first, 1, &count, stream);
 *     cuc_stream_end_capture(&same, stream);                          // a reference more
 *     cuc_stream_begin_capture_to(stream, graph, &first, 1, CUC_CAPTURE_RELAXED);
 *     ...                                                             // behind `first`
 *
 * What a graph keeps, and what its memory is, is as with other captures: see graph.h.
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

/** A node: the driver's CUgraphNode. It is its graph's, and is gone with that. */
typedef struct cuc_node cuc_node;

/**
 * Make a graph without nodes.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    a new reference; release it
 * @param      device whose primary context its nodes are of
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_create(cuc_graph **out, cuc_device *device);

/**
 * Begin to capture a stream into a graph that is there, behind some of its nodes.
 *
 * cuc_stream_end_capture() ends it, and gives a reference more to the same graph. Where that fails
 * since the capture is spoilt, or a stream has not joined again, the driver frees the graph, and it
 * is to be made anew; see "Captures that end badly" in graph.h. After cuc_stream_cancel_capture(),
 * and where the stream is released, it stays with the nodes that were added, unless the capture is
 * spoilt.
 *
 * @thread any thread; one call at a time on the same stream and graph
 * @capture safe: not restricted by the driver; refused with CUC_ERROR_BUSY on a captured stream,
 *          whose capture goes on
 * @param stream as for cuc_stream_begin_capture()
 * @param graph  retained until the end
 * @param after  [count] nodes of the graph, that what is put on the stream first comes behind; may
 *               be NULL with a count of 0, for behind nothing
 * @param count  elements of after
 * @param mode   as for cuc_stream_begin_capture()
 * @retval CUC_OK                     begun
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or graph is NULL, after is and count is not 0; the
 * stream is the legacy default one; mode is not one of the three; the graph is no more
 * @retval CUC_ERROR_BUSY             the stream is captured already
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as a node of another graph; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamBeginCaptureToGraph
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_begin_capture_to(cuc_stream *stream, cuc_graph *graph,
                                               cuc_node *const *after, size_t count, int32_t mode);

/**
 * The nodes that what is put on a captured stream next comes behind: of the work put on it last,
 * its own node.
 *
 * @thread any thread; one call at a time on the same stream
 * @capture safe: not restricted by the driver; on a stream that is not captured it fails
 * @param[out] nodes  borrowed from the graph, at most `room`; may be NULL with a room of 0
 * @param      room   elements of nodes
 * @param[out] count  how many there are
 * @param      stream a captured one
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT count or stream is NULL, nodes is and room is not 0, or the
 * stream is not captured
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused, or the capture is spoilt; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamGetCaptureInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_get_capture_nodes(cuc_node **nodes, size_t room, size_t *count,
                                                cuc_stream *stream);

/**
 * Let a graph record an event, for work outside of it: a node of its own. (An event that is
 * recorded by cuc_event_record() on a captured stream is a place in the graph, for other streams of
 * it.)
 *
 * @order  recorded by each launch of the graph, when what the stream had before is done
 * @thread any thread; one call at a time on the same event and stream
 * @capture becomes a node of the graph; on a stream that is not captured it fails
 * @param event  of the stream's context; the caller keeps it as long as the graph
 * @param stream a captured one
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the stream is not captured
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Event Management": cuEventRecordWithFlags
 * @since 0.1
 */
CUC_API cuc_status cuc_event_record_external(cuc_event *event, cuc_stream *stream);

/**
 * Let a graph wait for an event that is recorded outside of it: a node of its own.
 *
 * @order  each launch of the graph waits for what the event has recorded by then
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph; on a stream that is not captured it fails
 * @param stream a captured one
 * @param event  the caller keeps it as long as the graph
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the stream is not captured
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamWaitEvent
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_wait_external(cuc_stream *stream, cuc_event *event);

/**
 * The nodes of a graph, in the driver's order, which is that of cuc_graph_get_node_types().
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] nodes borrowed from the graph, at most `room`; the rest is not written
 * @param      room  elements of nodes
 * @param      graph the graph
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT graph is NULL, or nodes is and room is not 0
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphGetNodes
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_get_nodes(cuc_node **nodes, size_t room, cuc_graph *graph);

/**
 * The edges of a graph: `to[i]` begins when `from[i]` has ended.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] from  borrowed from the graph, at most `room`
 * @param[out] to    as many, borrowed from the graph
 * @param      room  elements of each; cuc_graph_get_edge_count() says how many there are
 * @param      graph the graph
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT graph is NULL, or from or to is and room is not 0
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphGetEdges
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_get_edges(cuc_node **from, cuc_node **to, size_t room,
                                       cuc_graph *graph);

/**
 * Add a node that does nothing, behind others: a place where branches meet.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] out   borrowed from the graph
 * @param      graph the graph
 * @param      after [count] nodes of the graph; may be NULL with a count of 0, for behind nothing
 * @param      count elements of after
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT out or graph is NULL, or after is and count is not 0
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused, such as a node of another graph; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphAddNode
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_add_empty(cuc_node **out, cuc_graph *graph, cuc_node *const *after,
                                       size_t count);

/**
 * Add edges: `to[i]` begins when `from[i]` has ended. All are added, or none.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param graph the graph; instances of it stay as they are
 * @param from  [count] nodes of the graph
 * @param to    [count] other nodes of the graph
 * @param count elements of each
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT graph is NULL, or from or to is and count is not 0
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused: a node of another graph, an edge from a
 * node to itself or one that is there; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphAddDependencies
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_add_edges(cuc_graph *graph, cuc_node *const *from, cuc_node *const *to,
                                       size_t count);

/**
 * Remove edges. All are removed, or none.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param graph the graph; instances of it stay as they are
 * @param from  [count] nodes of the graph
 * @param to    [count] nodes that come behind these
 * @param count elements of each
 * @retval CUC_OK                     removed
 * @retval CUC_ERROR_INVALID_ARGUMENT graph is NULL, or from or to is and count is not 0
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.3
 * @retval CUC_ERROR_DRIVER           the driver refused, such as an edge that is not there; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphRemoveDependencies
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_remove_edges(cuc_graph *graph, cuc_node *const *from,
                                          cuc_node *const *to, size_t count);

/**
 * The graph that a node of type CUC_NODE_GRAPH runs: the driver's copy of the one that was
 * embedded. Nodes that are added to it are of the node's graph, as far as that is not instantiated
 * yet.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] out   a new reference; release it; it holds the graph that has the node
 * @param      graph the graph that has the node
 * @param      node  a node of it that a graph was embedded as
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as another kind of node; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphChildGraphNodeGetGraph
 * @since 0.1
 */
CUC_API cuc_status cuc_node_get_graph(cuc_graph **out, cuc_graph *graph, cuc_node *node);

/**
 * The launch that a node of type CUC_NODE_KERNEL is.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] config grid, block and shared_bytes; its other fields are 0, which the driver does
 * not tell
 * @param[out] kernel the driver's CUkernel, borrowed; NULL where it was launched as a CUfunction
 * @param      node   of a graph that is there
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused, such as another kind of node; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphKernelNodeGetParams
 * @since 0.1
 */
CUC_API cuc_status cuc_node_get_launch(cuc_launch_config *config, void **kernel, cuc_node *node);

/**
 * What a node is.
 *
 * @thread any thread; one call at a time on the same graph
 * @capture safe: not restricted by the driver
 * @param[out] out  a CUC_NODE_ constant
 * @param      node of a graph that is there
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphNodeGetType
 * @since 0.1
 */
CUC_API cuc_status cuc_node_get_type(int32_t *out, cuc_node *node);

/**
 * Let launches of an instance pass over a node, or run it again. What comes behind the node waits
 * for what is ahead of it all the same. An update of the instance does not change it.
 *
 * @thread any thread; one call at a time on the same instance
 * @capture safe: not restricted by the driver
 * @param exec    the instance; launches that are enqueued already are not affected
 * @param node    a kernel, a copy or a fill, of the graph that the instance was made of
 * @param enabled 0 passes over it
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    a driver before CUDA 11.6
 * @retval CUC_ERROR_DRIVER           the driver refused, such as another kind of node; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphNodeSetEnabled
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_exec_set_enabled(cuc_graph_exec *exec, cuc_node *node,
                                              int32_t enabled);

/**
 * Whether launches of an instance run a node.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out  0 or 1
 * @param      exec the instance
 * @param      node as for cuc_graph_exec_set_enabled()
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_SUPPORTED    a driver before CUDA 11.6
 * @retval CUC_ERROR_DRIVER           the driver refused, such as another kind of node; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Graph Management": cuGraphNodeGetEnabled
 * @since 0.1
 */
CUC_API cuc_status cuc_graph_exec_get_enabled(int32_t *out, cuc_graph_exec *exec, cuc_node *node);

CUC_END_DECLS

#endif
