// Every way to use a destroyed graph, for tests with and without Check.
#ifndef CUCORE_TESTS_SUPPORT_LOST_GRAPH_H
#define CUCORE_TESTS_SUPPORT_LOST_GRAPH_H

// `fails(status, call, words)` is the test's check that a call fails. `owned` is the message of
// calls that need a graph of the caller's own, which a body is not.
#define USES_OF_A_LOST_GRAPH(fails, graph, stream, buffer, words, owned)           \
    do {                                                                           \
        const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;                         \
        cuc_graph_exec *exec = NULL;                                               \
        cuc_condition c = 0;                                                       \
        const char *text = NULL;                                                   \
        int32_t types[1];                                                          \
        size_t n;                                                                  \
        fails(bad, cuc_stream_begin_capture_to(stream, graph, NULL, 0, 0), words); \
        fails(bad, cuc_graph_condition_create(&c, graph, 0, 0), words);            \
        fails(bad, cuc_graph_get_node_count(&n, graph), words);                    \
        fails(bad, cuc_graph_get_edge_count(&n, graph), words);                    \
        fails(bad, cuc_graph_get_nodes(NULL, 0, graph), words);                    \
        fails(bad, cuc_graph_get_edges(NULL, NULL, 0, graph), words);              \
        fails(bad, cuc_graph_get_node_types(types, 1, graph), words);              \
        fails(bad, cuc_graph_get_dot(&text, NULL, graph, 0), words);               \
        fails(bad, cuc_graph_write_dot(graph, "/dev/null", 0), words);             \
        fails(bad, cuc_graph_keep_buffer(graph, buffer), words);                   \
        fails(bad, cuc_graph_instantiate(&exec, graph, NULL), owned);              \
        fails(bad, cuc_stream_embed_graph(stream, graph), owned);                  \
    } while (0)

#endif
