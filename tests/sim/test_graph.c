// Tests the simulated driver's graphs: captured work, the rules of a real driver, and instances.
#include "base/array.h"
#include "driver_symbols.h"
#include "tests.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static CUstream a, b; // in the test's context; neither synchronizes with the default stream
static CUmodule module;
static CUfunction add;
static CUdeviceptr word; // initially 0

// *p += v
static const char add_ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry add(.param .u64 p, .param .u32 v)\n"
                              "{\n"
                              "    .reg .b32 %r<4>;\n"
                              "    .reg .b64 %d;\n"
                              "    ld.param.u64 %d, [p];\n"
                              "    ld.param.u32 %r1, [v];\n"
                              "    ld.global.u32 %r2, [%d];\n"
                              "    add.u32 %r3, %r2, %r1;\n"
                              "    st.global.u32 [%d], %r3;\n"
                              "    ret;\n"
                              "}\n";

static void begin_test(void)
{
    start();
    ck_cu(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    ck_cu(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    ck_cu(cuModuleLoadData(&module, add_ptx));
    ck_cu(cuModuleGetFunction(&add, module, "add"));
    ck_cu(cuMemAlloc(&word, 4096));
    ck_cu(cuMemsetD32_v2(word, 0, 1024));
}

static CUresult launch(CUstream stream, CUdeviceptr p, unsigned v)
{
    void *params[] = { &p, &v };

    return cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL);
}

static unsigned read_word(CUdeviceptr p)
{
    unsigned v = 0;

    ck_cu(cuMemcpyDtoH_v2(&v, p, 4));
    return v;
}

static CUgraph end(CUstream stream)
{
    CUgraph graph = NULL;

    ck_cu(cuStreamEndCapture(stream, &graph));
    return graph;
}

static CUgraphExec instance(CUgraph graph)
{
    CUgraphExec exec = NULL;

    ck_cu(cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

static void run(CUgraphExec exec)
{
    ck_cu(cuGraphLaunch(exec, a));
    ck_cu(cuStreamSynchronize(a));
}

static size_t count(CUgraph graph)
{
    size_t n = 0;

    ck_cu(cuGraphGetNodes(graph, NULL, &n));
    return n;
}

#define BEGIN(stream) ck_cu(cuStreamBeginCapture((stream), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))

static void wait_for(CUstream waiting, CUstream other)
{
    CUevent event;

    ck_cu(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    ck_cu(cuEventRecord(event, other));
    ck_cu(cuStreamWaitEvent(waiting, event, 0));
    ck_cu(cuEventDestroy(event));
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

#define ck_soon(condition)                                              \
    do {                                                                \
        for (int i_ = 0; i_ < 10000 && !(condition); i_++)              \
            pause_ms(1);                                                \
        ck_assert_msg((condition), "%s did not come true", #condition); \
    } while (0)

// Work as nodes

static _Atomic int called;

static void call(void *user)
{
    called += *(int *)user;
}

// Each kind of work on a stream, and the type of node that it becomes.
static CUevent event;
static unsigned char host_bytes[64];

static CUresult do_kernel(void)
{
    return launch(a, word, 1);
}

static CUresult do_copy(void)
{
    return cuMemcpyHtoDAsync_v2(word, host_bytes, 4, a);
}

static CUresult do_copy_2d(void)
{
    return cuMemcpy2DAsync(&(CUDA_MEMCPY2D){ .srcMemoryType = CU_MEMORYTYPE_HOST,
                                             .srcHost = host_bytes,
                                             .srcPitch = 16,
                                             .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                             .dstDevice = word,
                                             .dstPitch = 32,
                                             .WidthInBytes = 8,
                                             .Height = 4 },
                           a);
}

static CUresult do_fill(void)
{
    return cuMemsetD8Async(word, 3, 100, a);
}

static CUresult do_fill_2d(void)
{
    return cuMemsetD2D32Async(word, 64, 3, 4, 4, a);
}

static CUresult do_host(void)
{
    static int one = 1;

    return cuLaunchHostFunc(a, call, &one);
}

static CUresult do_record(void)
{
    return cuEventRecordWithFlags(event, a, CU_EVENT_RECORD_EXTERNAL);
}

static CUresult do_wait(void)
{
    return cuStreamWaitEvent(a, event, CU_EVENT_WAIT_EXTERNAL);
}

static CUresult do_write_word(void)
{
    return cuStreamWriteValue32(a, word, 7, 0);
}

static CUresult do_allocate(void)
{
    CUdeviceptr p;

    return cuMemAllocAsync(&p, 100, a);
}

static const struct {
    CUresult (*work)(void);
    CUgraphNodeType type;
} sorts[] = {
    { do_kernel, CU_GRAPH_NODE_TYPE_KERNEL },
    { do_copy, CU_GRAPH_NODE_TYPE_MEMCPY },
    { do_copy_2d, CU_GRAPH_NODE_TYPE_MEMCPY },
    { do_fill, CU_GRAPH_NODE_TYPE_MEMSET },
    { do_fill_2d, CU_GRAPH_NODE_TYPE_MEMSET },
    { do_host, CU_GRAPH_NODE_TYPE_HOST },
    { do_record, CU_GRAPH_NODE_TYPE_EVENT_RECORD },
    { do_wait, CU_GRAPH_NODE_TYPE_WAIT_EVENT },
    { do_write_word, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP },
    { do_allocate, CU_GRAPH_NODE_TYPE_MEM_ALLOC },
};

CASE("sim graph", .timeout = 60);

TEST_ROWS(every_kind_of_work_becomes_a_node_of_its_type, sorts)
{
    CUgraphNode nodes[2];
    CUgraphNodeType type;
    size_t n = 2;

    begin_test();
    ck_cu(cuEventCreate(&event, 0));
    BEGIN(a);
    ck_cu(sorts[_i].work());
    CUgraph graph = end(a);
    ck_cu(cuGraphGetNodes(graph, nodes, &n));
    ck_assert_uint_eq(n, 1);
    ck_assert_ptr_null(nodes[1]);
    ck_cu(cuGraphNodeGetType(nodes[0], &type));
    ck_assert_uint_eq(type, sorts[_i].type);
    CUgraphExec exec = instance(graph);
    run(exec);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
    ck_assert_int_eq(cuGraphNodeGetType(nodes[0], &type), CUDA_ERROR_INVALID_HANDLE);
}

TEST(a_graph_runs_as_its_stream_would_have)
{
    unsigned char back[4];

    begin_test();
    BEGIN(a);
    for (int i = 0; i < 4; i++)
        host_bytes[i] = 1; // read when the node runs
    ck_cu(cuMemcpyHtoDAsync_v2(word, host_bytes, 4, a));
    ck_cu(launch(a, word, 5));
    ck_cu(cuMemcpyDtoHAsync_v2(back, word, 4, a));
    CUgraph graph = end(a);
    CUgraphExec exec = instance(graph);
    ck_assert_uint_eq(read_word(word), 0);
    for (int i = 0; i < 4; i++)
        host_bytes[i] = 2;
    run(exec);
    ck_assert_uint_eq(read_word(word), 0x02020207);
    ck_assert_uint_eq(back[0], 7);
    host_bytes[3] = 0;
    run(exec);
    ck_assert_uint_eq(read_word(word), 0x00020207);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
}

TEST(parameters_of_a_kernel_node_can_be_read)
{
    CUDA_KERNEL_NODE_PARAMS params;
    CUgraphNode node;
    const char *name;
    size_t n = 1;

    begin_test();
    BEGIN(a);
    ck_cu(launch(a, word, 55));
    CUgraph graph = end(a);
    ck_cu(cuGraphGetNodes(graph, &node, &n));
    ck_cu(cuGraphKernelNodeGetParams(node, &params));
    ck_cu(cuKernelGetName(&name, params.kern));
    ck_assert_str_eq(name, "add");
    ck_assert_uint_eq(params.gridDimX, 1);
    ck_assert_uint_eq(*(unsigned *)params.kernelParams[1], 55);
    ck_cu(cuGraphDestroy(graph));
}

// Edges

TEST(branches_are_edges_by_streams_and_events)
{
    CUgraphNode nodes[4], from[8], to[8], roots[4];
    CUgraphEdgeData edges[8];
    size_t n = 4, m = 8, r = 4, d;

    begin_test();
    BEGIN(a);
    ck_cu(launch(a, word, 1)); // node 0
    wait_for(b, a);
    ck_cu(launch(b, word + 4, 1)); // 1
    ck_cu(launch(a, word, 2));     // 2
    wait_for(a, b);
    ck_cu(launch(a, word, 3)); // 3
    CUgraph graph = end(a);
    ck_cu(cuGraphGetNodes(graph, nodes, &n));
    ck_assert_uint_eq(n, 4);
    ck_cu(cuGraphGetEdges(graph, from, to, edges, &m));
    ck_assert_uint_eq(m, 4);
    bool seen[4][4] = { { false } };
    for (size_t i = 0; i < m; i++)
        for (int x = 0; x < 4; x++)
            for (int y = 0; y < 4; y++)
                seen[x][y] |= from[i] == nodes[x] && to[i] == nodes[y];
    ck_assert(seen[0][1] && seen[0][2] && seen[1][3] && seen[2][3]);
    ck_cu(cuGraphGetRootNodes(graph, roots, &r));
    ck_assert_uint_eq(r, 1);
    ck_assert_ptr_eq(roots[0], nodes[0]);
    ck_cu(cuGraphNodeGetDependencies(nodes[3], NULL, NULL, &d));
    ck_assert_uint_eq(d, 2);
    ck_cu(cuGraphNodeGetDependentNodes(nodes[0], NULL, NULL, &d));
    ck_assert_uint_eq(d, 2);
    ck_assert_int_eq(cuGraphGetEdges(graph, from, NULL, NULL, &m), CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec = instance(graph);
    run(exec);
    ck_assert_uint_eq(read_word(word), 6);
    ck_assert_uint_eq(read_word(word + 4), 1);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
}

TEST(an_unjoined_branch_is_refused_even_after_its_stream_is_destroyed)
{
    CUgraph graph = (CUgraph)1;

    begin_test();
    for (int gone = 0; gone < 2; gone++) {
        BEGIN(a);
        wait_for(b, a);
        ck_cu(launch(b, word, 1));
        if (gone)
            ck_cu(cuStreamDestroy(b));
        ck_assert_int_eq(cuStreamEndCapture(a, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
        ck_assert_ptr_null(graph);
        ck_assert_int_eq(cuStreamEndCapture(a, &graph), CUDA_ERROR_ILLEGAL_STATE);
    }
    // A stream that has been joined may be destroyed before the capture ends.
    ck_cu(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    BEGIN(a);
    wait_for(b, a);
    ck_cu(launch(b, word, 1));
    wait_for(a, b);
    ck_cu(cuStreamDestroy(b));
    graph = end(a);
    ck_assert_uint_eq(count(graph), 1);
    ck_cu(cuGraphDestroy(graph));
    // A branch without nodes need not be joined.
    ck_cu(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    BEGIN(a);
    wait_for(b, a);
    ck_cu(cuGraphDestroy(end(a)));
}

TEST(the_next_dependencies_can_be_queried_and_changed)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *dependencies;
    const CUgraphEdgeData *edges;
    CUgraphNode first, third, none;
    CUgraph graph, same;
    size_t n;
    uint64_t id;

    begin_test();
    BEGIN(a);
    ck_cu(cuStreamGetCaptureInfo(a, &status, &id, &graph, &dependencies, &edges, &n));
    ck_assert_uint_eq(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    ck_assert_uint_eq(n, 0);
    ck_cu(launch(a, word, 1));
    ck_cu(cuStreamGetCaptureInfo(a, &status, NULL, &same, &dependencies, &edges, &n));
    ck_assert_ptr_eq(same, graph);
    ck_assert_uint_eq(n, 1);
    ck_assert_uint_eq(edges[0].type, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
    first = dependencies[0];
    ck_assert_int_eq(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE); // not during a capture
    ck_cu(launch(a, word, 1));
    ck_cu(
        cuStreamUpdateCaptureDependencies(a, &first, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    ck_cu(launch(a, word, 1)); // a second node after the first
    ck_cu(cuStreamGetCaptureInfo(a, &status, NULL, NULL, &dependencies, &edges, &n));
    third = dependencies[0];
    ck_cu(
        cuStreamUpdateCaptureDependencies(a, &first, NULL, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    ck_cu(cuStreamGetCaptureInfo(a, &status, NULL, NULL, &dependencies, &edges, &n));
    ck_assert_uint_eq(n, 2);
    none = (CUgraphNode)a;
    ck_assert_int_eq(cuStreamUpdateCaptureDependencies(a, &none, NULL, 1, 0),
                     CUDA_ERROR_INVALID_VALUE);
    graph = end(a);
    ck_cu(cuGraphNodeGetDependentNodes(first, NULL, NULL, &n));
    ck_assert_uint_eq(n, 2);
    ck_cu(cuGraphNodeGetDependencies(third, NULL, NULL, &n));
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(cuStreamUpdateCaptureDependencies(a, &first, NULL, 1, 0),
                     CUDA_ERROR_ILLEGAL_STATE);
    // A capture can add to an existing graph, after any of its nodes.
    ck_cu(cuStreamBeginCaptureToGraph(b, graph, &third, NULL, 1,
                                      CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CUgraphExec exec;
    ck_assert_int_eq(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
    ck_cu(launch(b, word, 10));
    ck_assert_ptr_eq(end(b), graph);
    ck_assert_uint_eq(count(graph), 4);
    ck_cu(cuGraphNodeGetDependentNodes(third, NULL, NULL, &n));
    ck_assert_uint_eq(n, 1);
    exec = instance(graph);
    run(exec);
    ck_assert_uint_eq(read_word(word), 13);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
}

// ---- Operations that a capture forbids

TEST(merging_two_captures_spoils_both)
{
    CUstreamCaptureStatus status;
    CUgraph graph;
    CUevent e;

    begin_test();
    ck_cu(cuEventCreate(&e, 0));
    BEGIN(a);
    BEGIN(b);
    ck_cu(cuEventRecord(e, a));
    ck_assert_int_eq(cuStreamWaitEvent(b, e, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    CUstream both[] = { a, b };
    for (int i = 0; i < 2; i++) {
        ck_cu(cuStreamIsCapturing(both[i], &status));
        ck_assert_uint_eq(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
        ck_assert_int_eq(launch(both[i], word, 1), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        ck_assert_int_eq(cuEventRecord(e, both[i]), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        ck_assert_int_eq(cuStreamEndCapture(both[i], &graph),
                         CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        ck_assert_ptr_null(graph);
    }
    // After its capture has ended, an event that was recorded in it cannot be waited for.
    ck_assert_int_eq(cuStreamWaitEvent(b, e, 0), CUDA_ERROR_CAPTURED_EVENT);
    ck_assert_int_eq(cuEventQuery(e), CUDA_ERROR_CAPTURED_EVENT);
    ck_cu(cuEventRecord(e, b));
    ck_cu(cuEventSynchronize(e));
}

TEST(querying_the_legacy_stream_is_harmless_but_using_it_spoils_a_capture)
{
    CUstreamCaptureStatus status;
    CUstream blocking;
    CUgraph graph;

    begin_test();
    ck_cu(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    BEGIN(blocking);
    ck_assert_int_eq(cuStreamIsCapturing(CU_STREAM_LEGACY, &status),
                     CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    ck_cu(cuStreamIsCapturing(blocking, &status));
    ck_assert_uint_eq(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    ck_assert_int_eq(launch(CU_STREAM_LEGACY, word, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    ck_assert_int_eq(cuStreamEndCapture(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    BEGIN(a); // a non-blocking stream does not affect the capture
    ck_cu(launch(CU_STREAM_LEGACY, word, 1));
    ck_cu(cuGraphDestroy(end(a)));
    ck_assert_int_eq(cuStreamBeginCapture(CU_STREAM_LEGACY, 0),
                     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST(graphs_are_not_launched_on_captured_streams)
{
    CUgraph graph;

    begin_test();
    BEGIN(a);
    ck_cu(launch(a, word, 1));
    graph = end(a);
    CUgraphExec exec = instance(graph);
    for (int i = 0; i < 2; i++) {
        CUgraph spoilt;
        BEGIN(b);
        ck_assert_int_eq(i ? cuGraphUpload(exec, b) : cuGraphLaunch(exec, b),
                         CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        ck_assert_int_eq(cuStreamEndCapture(b, &spoilt), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    ck_assert_uint_eq(read_word(word), 0);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
}

TEST(destroying_a_captured_stream_ends_the_capture)
{
    CUstreamCaptureStatus status;

    begin_test();
    BEGIN(a);
    wait_for(b, a);
    ck_cu(cuStreamDestroy(a));
    ck_cu(cuStreamIsCapturing(b, &status));
    ck_assert_uint_eq(status, CU_STREAM_CAPTURE_STATUS_NONE);
    CUdeviceptr p;
    ck_cu(cuMemAlloc(&p, 4)); // no stream forbids it
}

// Instances

TEST(instances_of_one_graph_are_independent)
{
    begin_test();
    BEGIN(a);
    ck_cu(launch(a, word, 1));
    CUgraph graph = end(a);
    CUgraphExec one = instance(graph), two = instance(graph);
    ck_cu(cuGraphDestroy(graph));
    run(one);
    ck_cu(cuGraphExecDestroy(one));
    ck_assert_int_eq(cuGraphLaunch(one, a), CUDA_ERROR_INVALID_HANDLE);
    run(two);
    run(two);
    ck_assert_uint_eq(read_word(word), 3);
    ck_cu(cuGraphExecDestroy(two));
}

TEST(an_instance_may_be_destroyed_while_it_runs)
{
    CUdeviceptr gate;

    begin_test();
    ck_cu(cuMemAlloc(&gate, 4));
    ck_cu(cuMemsetD32_v2(gate, 0, 1));
    BEGIN(a);
    ck_cu(cuStreamWaitValue32(a, gate, 1, CU_STREAM_WAIT_VALUE_EQ));
    ck_cu(launch(a, word, 1));
    CUgraph graph = end(a);
    CUgraphExec exec = instance(graph);
    ck_cu(cuGraphDestroy(graph));
    ck_cu(cuGraphLaunch(exec, a));
    ck_cu(cuGraphLaunch(exec, b)); // runs after that
    ck_cu(cuGraphExecDestroy(exec));
    pause_ms(5);
    ck_assert_int_eq(cuStreamQuery(a), CUDA_ERROR_NOT_READY);
    ck_assert_int_eq(cuStreamQuery(b), CUDA_ERROR_NOT_READY);
    ck_cu(cuStreamWriteValue32(CU_STREAM_PER_THREAD, gate, 1, 0));
    ck_cu(cuStreamSynchronize(b));
    ck_assert_uint_eq(read_word(word), 2);
}

TEST(events_outside_of_a_graph_are_recorded_and_waited_for_as_it_runs)
{
    CUevent begun, go;
    float ms;

    begin_test();
    ck_cu(cuEventCreate(&begun, 0));
    ck_cu(cuEventCreate(&go, 0));
    BEGIN(a);
    ck_cu(cuEventRecordWithFlags(begun, a, CU_EVENT_RECORD_EXTERNAL));
    ck_cu(cuStreamWaitEvent(a, go, CU_EVENT_WAIT_EXTERNAL));
    ck_cu(launch(a, word, 1));
    CUgraph graph = end(a);
    CUgraphExec exec = instance(graph);
    ck_cu(cuEventQuery(begun)); // the event was never recorded
    CUdeviceptr gate;
    ck_cu(cuMemAlloc(&gate, 4));
    ck_cu(cuMemsetD32_v2(gate, 0, 1));
    ck_cu(cuStreamWaitValue32(b, gate, 1, CU_STREAM_WAIT_VALUE_EQ));
    ck_cu(cuEventRecord(go, b));
    ck_cu(cuGraphLaunch(exec, a));
    ck_cu(cuEventSynchronize(begun));
    pause_ms(5);
    ck_assert_int_eq(cuStreamQuery(a), CUDA_ERROR_NOT_READY);
    ck_cu(cuStreamWriteValue32(CU_STREAM_PER_THREAD, gate, 1, 0));
    ck_cu(cuStreamSynchronize(a));
    ck_assert_uint_eq(read_word(word), 1);
    ck_cu(cuEventElapsedTime(&ms, begun, go));
    ck_assert(ms >= 4);
    ck_cu(cuEventDestroy(go));
    ck_assert_int_eq(cuGraphLaunch(exec, a), CUDA_ERROR_INVALID_HANDLE); // the instance is gone
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
}

TEST(a_kernel_that_is_unloaded_cannot_be_launched_by_a_graph)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS params = { 0 };
    CUgraphExec second;

    begin_test();
    BEGIN(a);
    ck_cu(launch(a, word, 1));
    CUgraph graph = end(a);
    CUgraphExec exec = instance(graph);
    run(exec);
    ck_cu(cuModuleUnload(module));
    ck_assert_int_eq(cuGraphLaunch(exec, a), CUDA_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(cuGraphInstantiateWithParams(&second, graph, &params),
                     CUDA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    ck_assert_ptr_nonnull(params.hErrNode_out);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
}

TEST(instantiating_says_which_node_is_wrong)
{
    const unsigned device = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    CUDA_GRAPH_INSTANTIATE_PARAMS params = { .flags = device };
    CUgraphExec exec;
    CUgraphNode nodes[2];
    size_t n = 2;
    uint64_t flags;

    begin_test();
    BEGIN(a);
    CUgraph empty = end(a);
    ck_assert_int_eq(cuGraphInstantiateWithParams(&exec, empty, &params), CUDA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(params.result_out, CUDA_GRAPH_INSTANTIATE_ERROR);
    BEGIN(a);
    ck_cu(launch(a, word, 1));
    ck_cu(cuLaunchHostFunc(a, call, &(int){ 1 }));
    CUgraph graph = end(a);
    ck_cu(cuGraphGetNodes(graph, nodes, &n));
    ck_assert_int_eq(cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(params.result_out, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
    ck_assert_ptr_eq(params.hErrNode_out, nodes[1]);
    params.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    ck_assert_int_eq(cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_ERROR_INVALID_VALUE);
    params.flags = 0x10;
    ck_assert_int_eq(cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_ERROR_INVALID_VALUE);
    params = (CUDA_GRAPH_INSTANTIATE_PARAMS){
        .flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
        .hUploadStream = a
    };
    ck_cu(cuGraphInstantiateWithParams(&exec, graph, &params));
    ck_assert_uint_eq(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
    ck_assert_ptr_null(params.hErrNode_out);
    ck_cu(cuGraphExecGetFlags(exec, &flags));
    ck_assert_uint_eq(flags, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
    ck_cu(cuGraphDestroy(empty));
}

// Updates

TEST(an_update_names_the_node_and_the_dependency_that_differ)
{
    CUgraphExecUpdateResultInfo info;
    CUgraphNode nodes[4];
    size_t n = 4;

    begin_test();
    BEGIN(a); // 0 -> 1 -> 2
    for (unsigned i = 0; i < 3; i++)
        ck_cu(launch(a, word, 1));
    CUgraph line = end(a);
    CUgraphExec exec = instance(line);
    BEGIN(a); // 0 -> 1, 0 -> 2
    ck_cu(launch(a, word, 1));
    wait_for(b, a);
    ck_cu(launch(a, word, 1));
    ck_cu(launch(b, word, 1));
    wait_for(a, b);
    CUgraph fork = end(a);
    ck_cu(cuGraphGetNodes(fork, nodes, &n));
    ck_assert_int_eq(cuGraphExecUpdate(exec, fork, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    ck_assert_uint_eq(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    ck_assert_ptr_eq(info.errorNode, nodes[2]);
    ck_assert_ptr_eq(info.errorFromNode, nodes[0]);
    BEGIN(a);
    CUgraph empty = end(a);
    ck_assert_int_eq(cuGraphExecUpdate(exec, empty, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    ck_assert_uint_eq(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    ck_assert_ptr_null(info.errorNode);
    BEGIN(a);
    ck_cu(launch(a, word, 1));
    ck_cu(cuMemsetD8Async(word, 0, 4, a));
    ck_cu(launch(a, word, 1));
    CUgraph other = end(a);
    ck_cu(cuGraphGetNodes(other, nodes, &n));
    CUgraphNode error = NULL;
    CUgraphExecUpdateResult result;
    ck_assert_int_eq(cuGraphExecUpdate_v1(exec, other, &error, &result),
                     CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    ck_assert_uint_eq(result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    ck_assert_ptr_eq(error, nodes[1]);
    ck_cu(cuGraphExecUpdate(exec, line, &info));
    ck_assert_uint_eq(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    run(exec);
    ck_assert_uint_eq(read_word(word), 3);
    CUgraph all[] = { line, fork, empty, other };
    for (size_t i = 0; i < CUC_LENGTH(all); i++)
        ck_cu(cuGraphDestroy(all[i]));
    ck_cu(cuGraphExecDestroy(exec));
}

TEST(a_kernel_of_another_context_cannot_replace_a_nodes_kernel)
{
    CUgraphExecUpdateResultInfo info;
    CUcontext second;
    CUstream other;
    CUgraph graph;

    begin_test();
    BEGIN(a);
    ck_cu(launch(a, word, 1));
    CUgraph first = end(a);
    CUgraphExec exec = instance(first);
    ck_cu(cuCtxCreate_v2(&second, 0, 0));
    ck_cu(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    ck_cu(cuModuleLoadData(&module, add_ptx));
    ck_cu(cuModuleGetFunction(&add, module, "add"));
    BEGIN(other);
    ck_cu(launch(other, word, 1));
    graph = end(other);
    ck_assert_int_eq(cuGraphExecUpdate(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    ck_assert_uint_eq(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE);
    ck_cu(cuGraphDestroy(graph));
    ck_cu(cuCtxDestroy(second));
    run(exec);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(first));
}

// Memory

static uint64_t graph_memory(CUgraphMem_attribute attribute)
{
    uint64_t value = 99;

    ck_cu(cuDeviceGetGraphMemAttribute(0, attribute, &value));
    return value;
}

TEST(graph_memory_is_accessible_while_the_graph_runs)
{
    CUdeviceptr p;
    CUgraphExec exec, second;
    CUgraph graph, clone;
    unsigned back = 0;

    begin_test();
    BEGIN(a);
    ck_cu(cuMemAllocAsync(&p, 4, a));
    ck_cu(cuMemsetD32Async(p, 40, 1, a));
    ck_cu(launch(a, p, 2));
    ck_cu(cuMemcpyDtoHAsync_v2(&back, p, 4, a));
    ck_cu(cuMemFreeAsync(p, a));
    ck_assert_int_eq(cuMemFreeAsync(p, a), CUDA_ERROR_INVALID_VALUE); // it can be freed only once
    ck_assert_int_eq(cuMemFreeAsync(word, a),
                     CUDA_ERROR_INVALID_VALUE); // the memory does not belong to a graph
    graph = end(a);
    ck_assert_int_eq(cuMemFreeAsync(p, a), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    exec = instance(graph);
    ck_assert_int_eq(cuGraphInstantiateWithFlags(&second, graph, 0), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuGraphClone(&clone, graph), CUDA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 0);
    for (int i = 0; i < 3; i++) {
        back = 0;
        run(exec);
        ck_assert_uint_eq(back, 42);
        ck_assert_uint_eq(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
        ck_assert_uint_eq(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 2 << 20);
        ck_assert_uint_eq(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 2 << 20);
    }
    ck_cu(cuDeviceGraphMemTrim(0));
    ck_assert_uint_eq(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0);
    uint64_t zero = 0;
    ck_cu(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    ck_assert_uint_eq(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 0);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
    // The memory is not accessible at any other time.
    ck_assert_int_eq(cuMemcpyDtoH_v2(&back, p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(unfreed_memory_of_a_launch_blocks_the_next_launch)
{
    const unsigned automatic = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    CUgraphExec exec, frees;
    CUdeviceptr p;

    begin_test();
    BEGIN(a);
    ck_cu(cuMemAllocAsync(&p, 8, a));
    ck_cu(cuMemsetD32Async(p, 9, 1, a));
    CUgraph graph = end(a);
    BEGIN(a);
    ck_cu(cuMemFreeAsync(p, a)); // another graph frees the memory
    CUgraph freeing = end(a);
    exec = instance(graph);
    frees = instance(freeing);
    ck_assert_int_eq(cuGraphLaunch(frees, a), CUDA_ERROR_INVALID_VALUE); // not allocated yet
    run(exec);
    ck_assert_uint_eq(read_word(p), 9);
    ck_assert_int_eq(cuGraphLaunch(exec, a), CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuMemFreeAsync(p, a)); // a stream frees it
    run(exec);
    ck_cu(cuMemFree(p)); // a call frees it
    run(exec);
    run(frees); // the other graph frees it
    run(exec);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphInstantiateWithFlags(&exec, graph, automatic));
    ck_cu(cuMemsetD32Async(p, 1, 2, a));
    run(exec); // the second launch frees the memory of the first one itself
    ck_assert_uint_eq(read_word(p), 9);
    ck_assert_uint_eq(read_word(p + 4), 0xcdcdcdcd); // the memory is new
    run(exec);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
    ck_assert_uint_eq(read_word(p), 9); // the memory outlives the graph and the instance
    ck_cu(cuMemFreeAsync(p, a));
    ck_cu(cuStreamSynchronize(a));
    ck_assert_uint_eq(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
    ck_cu(cuGraphExecDestroy(frees));
    ck_cu(cuGraphDestroy(freeing));
}

// ---- Graphs in graphs, and copies

TEST(a_child_graph_and_a_clone_are_copies)
{
    CUgraphNode node, found, original[2];
    CUgraph clone, parent, child;
    size_t n = 2;

    begin_test();
    BEGIN(a);
    ck_cu(launch(a, word, 1));
    ck_cu(launch(a, word, 2));
    CUgraph graph = end(a);
    ck_cu(cuGraphGetNodes(graph, original, &n));
    ck_cu(cuGraphClone(&clone, graph));
    ck_cu(cuGraphNodeFindInClone(&found, original[1], clone));
    ck_assert_ptr_ne(found, original[1]);
    ck_assert_int_eq(cuGraphNodeFindInClone(&found, found, clone), CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuGraphCreate(&parent, 0));
    ck_cu(cuGraphAddChildGraphNode(&node, parent, NULL, 0, graph));
    ck_cu(cuGraphChildGraphNodeGetGraph(node, &child));
    ck_assert_uint_eq(count(child), 2);
    ck_assert_int_eq(cuGraphDestroy(child), CUDA_ERROR_INVALID_VALUE); // the node owns it
    ck_assert_int_eq(cuGraphAddChildGraphNode(&node, parent, NULL, 0, parent),
                     CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuGraphAddChildGraphNode(&node, parent, &node, 1, clone));
    ck_cu(cuGraphDestroy(graph));
    ck_cu(cuGraphDestroy(clone));
    CUgraphExec exec = instance(parent);
    run(exec);
    ck_assert_uint_eq(read_word(word), 6);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(parent));
}

// User objects

static _Atomic int told, answer;

static void tell(void *user)
{
    int device;

    ck_assert_ptr_eq(user, &told);
    answer = cuDeviceGetCount(&device); // a callback must not call the driver
    told++;
}

TEST(a_user_object_is_destroyed_with_its_last_reference)
{
    CUuserObject object;
    CUgraph graph, clone;

    begin_test();
    ck_assert_int_eq(cuUserObjectCreate(&object, &told, tell, 1, 0), CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuUserObjectCreate(&object, &told, tell, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    ck_cu(cuUserObjectRelease(object, 1));
    ck_assert_int_eq(cuUserObjectRelease(object, 2), CUDA_ERROR_INVALID_VALUE);
    BEGIN(a);
    ck_cu(launch(a, word, 1));
    graph = end(a);
    ck_cu(cuGraphRetainUserObject(graph, object, 2, 0));
    ck_cu(cuUserObjectRelease(object, 1)); // the graph's own references stay
    ck_cu(cuGraphReleaseUserObject(graph, object, 1));
    ck_assert_int_eq(cuGraphReleaseUserObject(graph, object, 2), CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec = instance(graph);
    ck_cu(cuGraphClone(&clone, graph));
    ck_cu(cuGraphDestroy(graph));
    ck_cu(cuGraphDestroy(clone));
    run(exec);
    pause_ms(5);
    ck_assert_int_eq(told, 0);
    ck_cu(cuGraphExecDestroy(exec));
    ck_soon(told == 1);
    ck_assert_int_eq(answer, CUDA_ERROR_NOT_PERMITTED);
}

TEST(an_update_drops_old_references_after_launches_have_ended)
{
    CUgraphExecUpdateResultInfo info;
    CUuserObject object;
    CUdeviceptr gate;

    begin_test();
    told = 0;
    ck_cu(cuMemAlloc(&gate, 4));
    ck_cu(cuMemsetD32_v2(gate, 0, 1));
    ck_cu(cuUserObjectCreate(&object, &told, tell, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    BEGIN(a);
    ck_cu(cuStreamWaitValue32(a, gate, 1, CU_STREAM_WAIT_VALUE_EQ));
    CUgraph graph = end(a);
    ck_cu(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    ck_assert_int_eq(cuGraphRetainUserObject(graph, object, 5, CU_GRAPH_USER_OBJECT_MOVE),
                     CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec = instance(graph);
    ck_cu(cuGraphDestroy(graph));
    ck_cu(cuGraphLaunch(exec, a));
    BEGIN(b);
    ck_cu(cuStreamWaitValue32(b, gate, 1, CU_STREAM_WAIT_VALUE_EQ));
    graph = end(b);
    ck_cu(cuGraphExecUpdate(exec, graph, &info));
    pause_ms(5);
    ck_assert_int_eq(told, 0);
    ck_cu(cuStreamWriteValue32(CU_STREAM_PER_THREAD, gate, 1, 0));
    ck_soon(told == 1);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
}

// Drawings

TEST(a_drawing_has_every_node_and_edge)
{
    char path[] = "/tmp/cucore-sim-graph-XXXXXX", text[8192];
    size_t nodes = 0, edges = 0;

    begin_test();
    BEGIN(a);
    ck_cu(launch(a, word, 1));
    ck_cu(cuMemsetD8Async(word, 0, 4, a));
    ck_cu(cuMemcpyDtoHAsync_v2(host_bytes, word, 4, a));
    CUgraph graph = end(a);
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_cu(cuGraphDebugDotPrint(graph, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
    ssize_t n = read(fd, text, sizeof(text) - 1);
    ck_assert_int_gt(n, 0);
    text[n] = 0;
    close(fd);
    unlink(path);
    for (const char *at = text; (at = strstr(at, "label=\"")); at++)
        nodes++;
    for (const char *at = text; (at = strstr(at, "->")); at++)
        edges++;
    ck_assert_uint_eq(nodes, 3 + 1); // one more for the graph itself
    ck_assert_uint_eq(edges, 2);
    static const char *const words[] = { "add", "MEMSET", "DtoH", "digraph dot {" };
    for (size_t i = 0; i < CUC_LENGTH(words); i++)
        ck_assert_ptr_nonnull(strstr(text, words[i]));
    ck_assert_int_eq(cuGraphDebugDotPrint(graph, "/nowhere/x.dot", 0), CUDA_ERROR_OPERATING_SYSTEM);
    ck_assert_int_eq(cuGraphDebugDotPrint(graph, path, 1u << 16), CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuGraphDestroy(graph));
}

// Faults

TEST(a_copy_out_of_bounds_is_found_when_it_runs_and_not_when_it_is_captured)
{
    begin_test();
    BEGIN(a);
    ck_cu(cuMemcpyDtoHAsync_v2(host_bytes, word + 4096, 4, a));
    CUgraph graph = end(a);
    ck_cu(cuStreamSynchronize(a));
    CUgraphExec exec = instance(graph);
    ck_cu(cuGraphLaunch(exec, a));
    ck_assert_int_eq(cuStreamSynchronize(a), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuGraphLaunch(exec, a), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_cu(cuGraphExecDestroy(exec));
    ck_cu(cuGraphDestroy(graph));
}

int main(void)
{
    return run_tests("sim graph");
}
