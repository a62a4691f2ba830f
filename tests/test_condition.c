// Tests conditional nodes: which bodies run, how often, what they keep alive, and what is refused.
#include <cucore/condition.h>
#include <cucore/node.h>

#include "base/array.h"
#include "graph_testing.h"
#include "lost_graph.h"

#include <pthread.h>

// Kernel `set` gives the condition c the value v. Kernel `count` adds 1 to each x[i], and sets c to
// 1 if x[0] is then below `limit`, otherwise to 0.
// clang-format off
static const char ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
    ".visible .entry set(.param .u64 c, .param .u32 v)\n"
    "{\n"
    "    .reg .b32 %r<2>;\n"
    "    .reg .b64 %d<2>;\n"
    "    .param .b64 handle;\n"
    "    .param .b32 value;\n"
    "    ld.param.u64 %d1, [c];\n"
    "    ld.param.u32 %r1, [v];\n"
    "    st.param.b64 [handle], %d1;\n"
    "    st.param.b32 [value], %r1;\n"
    "    call.uni cudaGraphSetConditional, (handle, value);\n"
    "    ret;\n"
    "}\n"
    ".visible .entry count(.param .u64 x, .param .u64 c, .param .u32 limit)\n"
    "{\n"
    "    .reg .pred %p<3>;\n"
    "    .reg .b32 %r<6>;\n"
    "    .reg .b64 %d<5>;\n"
    "    ld.param.u64 %d1, [x];\n"
    "    ld.param.u64 %d2, [c];\n"
    "    ld.param.u32 %r1, [limit];\n"
    "    mov.u32 %r2, %tid.x;\n"
    "    mul.wide.u32 %d3, %r2, 4;\n"
    "    add.s64 %d4, %d1, %d3;\n"
    "    ld.global.u32 %r3, [%d4];\n"
    "    add.u32 %r4, %r3, 1;\n"
    "    st.global.u32 [%d4], %r4;\n"
    "    setp.ne.u32 %p1, %r2, 0;\n"
    "    @%p1 bra end;\n"
    "    setp.lt.u32 %p2, %r4, %r1;\n"
    "    selp.u32 %r5, 1, 0, %p2;\n"
    "    {\n"
    "    .param .b64 handle;\n"
    "    .param .b32 value;\n"
    "    st.param.b64 [handle], %d2;\n"
    "    st.param.b32 [value], %r5;\n"
    "    call.uni cudaGraphSetConditional, (handle, value);\n"
    "    }\n"
    "end:\n"
    "    ret;\n"
    "}\n";
// clang-format on

static cuc_kernel *set, *count;

static void set_on_host(void **params, const CUlaunchConfig *config)
{
    (void)config;
    fake_condition_set(*(uint64_t *)params[0], *(uint32_t *)params[1]);
}

static void count_on_host(void **params, const CUlaunchConfig *config)
{
    uint32_t *x = *(uint32_t **)params[0], limit = *(uint32_t *)params[2];

    for (unsigned i = 0; i < config->blockDimX; i++)
        x[i]++;
    fake_condition_set(*(uint64_t *)params[1], x[0] < limit);
}

static void setup(void)
{
    cuc_object *code;

    graph_setup();
    if (fake_available()) {
        fake_define_kernel("set", set_on_host);
        fake_define_kernel("count", count_on_host);
    }
    ck_ok(cuc_object_create(&code, CUC_CODE_PTX, ptx, sizeof(ptx) - 1, NULL));
    ck_ok(cuc_object_get_kernel(&set, code, "set"));
    ck_ok(cuc_object_get_kernel(&count, code, "count"));
    cuc_object_release(code);
}

static void teardown(void)
{
    cuc_kernel_release(set);
    cuc_kernel_release(count);
    set = count = NULL;
    graph_teardown();
}

static void put_set(cuc_stream *s, cuc_condition c, uint32_t value)
{
    ck_ok(CUC_LAUNCH(s, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }), set, c, value));
}

static void put_count(cuc_stream *s, cuc_condition c, uint32_t limit)
{
    ck_ok(CUC_LAUNCH(s, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { N }), count, buffer, c, limit));
}

static cuc_condition condition_of(uint32_t value, uint32_t flags)
{
    cuc_condition c = 0;

    ck_ok(cuc_stream_condition_create(&c, stream, value, flags));
    ck_assert_uint_ne(c, 0);
    return c;
}

// Fills a body through the side stream and releases the body.
#define FILL(body, work)                                                                    \
    do {                                                                                    \
        cuc_graph *same_ = NULL, *body_ = (body);                                           \
        ck_ok(cuc_stream_begin_capture_to(side, body_, NULL, 0, CUC_CAPTURE_THREAD_LOCAL)); \
        work;                                                                               \
        ck_ok(cuc_stream_end_capture(&same_, side));                                        \
        ck_assert_ptr_eq(same_, body_);                                                     \
        cuc_graph_release(same_);                                                           \
        cuc_graph_release(body_);                                                           \
    } while (0)

static void run(cuc_graph *graph)
{
    cuc_graph_exec *exec = instance_of(graph);

    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_ok(cuc_stream_synchronize(stream));
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
}

// The effect of a node's value: body k writes k + 1.
static const struct {
    int32_t type;
    uint32_t bodies, value, result;
} decisions[] = {
    { CUC_CONDITIONAL_IF, 1, 1, 1 },     { CUC_CONDITIONAL_IF, 1, 7, 1 },
    { CUC_CONDITIONAL_IF, 1, 0, 0 },     { CUC_CONDITIONAL_IF, 2, 1, 1 },
    { CUC_CONDITIONAL_IF, 2, 0, 2 },     { CUC_CONDITIONAL_SWITCH, 3, 0, 1 },
    { CUC_CONDITIONAL_SWITCH, 3, 1, 2 }, { CUC_CONDITIONAL_SWITCH, 3, 2, 3 },
    { CUC_CONDITIONAL_SWITCH, 3, 3, 0 }, { CUC_CONDITIONAL_SWITCH, 1, UINT32_MAX, 0 },
    { CUC_CONDITIONAL_WHILE, 1, 0, 0 },
};

// Makes a graph with a node. With `by_kernel` a kernel sets the value; otherwise it is the default.
static uint32_t decide(size_t i, bool by_kernel)
{
    cuc_graph *bodies[3] = { NULL };

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition c = condition_of(by_kernel ? 0 : decisions[i].value,
                                   by_kernel ? 0 : CUC_CONDITION_ASSIGN_DEFAULT);
    if (by_kernel)
        put_set(stream, c, decisions[i].value);
    ck_ok(cuc_stream_add_conditional(bodies, decisions[i].bodies, stream, c, decisions[i].type));
    for (uint32_t b = 0; b < decisions[i].bodies; b++)
        FILL(bodies[b], ck_ok(launch_on(side, affine, buffer, 0, b + 1)));
    run(end_capture());
    return value_of(buffer);
}

CASE("condition", .setup = setup, .teardown = teardown);

TEST_ROWS(the_default_value_selects_the_body, decisions)
{
    ck_assert_uint_eq(decide((size_t)_i, false), decisions[_i].result);
}

TEST_ROWS(a_kernel_selects_the_body, decisions)
{
    ck_assert_uint_eq(decide((size_t)_i, true), decisions[_i].result);
}

TEST(a_loop_body_repeats_until_its_kernel_ends_the_loop)
{
    cuc_graph *body = NULL;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition more = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, more, CUC_CONDITIONAL_WHILE));
    FILL(body, put_count(side, more, 10));
    ck_ok(launch_on(stream, affine, buffer, 100, 0)); // runs after the loop has ended
    cuc_graph *graph = end_capture();
    cuc_graph_exec *exec = instance_of(graph);
    cuc_graph_release(graph);
    for (int i = 0; i < 3; i++) { // each launch starts with the default value
        set_value(buffer, 0);
        ck_ok(cuc_graph_exec_launch(stream, exec));
        ck_assert_uint_eq(value_of(buffer), 1000);
    }
    cuc_graph_exec_release(exec);
}

TEST(without_a_default_the_value_persists_between_launches)
{
    cuc_graph *body = NULL;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition once = condition_of(0, 0), more = condition_of(0, 0);
    put_set(stream, more, 3);
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, more, CUC_CONDITIONAL_IF));
    FILL(body, put_set(side, once, 1));
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, once, CUC_CONDITIONAL_IF));
    FILL(body, put_count(side, once, 0)); // the default no longer applies at the next launch
    run(end_capture());
    ck_assert_uint_eq(value_of(buffer), 1);
}

// Begins a capture with a loop whose body is captured on the side stream and has its own condition.
static cuc_condition begin_loop(cuc_graph **loop, cuc_condition *inner)
{
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition more = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    ck_ok(cuc_stream_add_conditional(loop, 1, stream, more, CUC_CONDITIONAL_WHILE));
    ck_ok(cuc_graph_condition_create(inner, *loop, 0, 0));
    ck_ok(cuc_stream_begin_capture_to(side, *loop, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    return more;
}

TEST(bodies_have_conditional_nodes_of_their_own)
{
    cuc_graph *loop = NULL, *choice = NULL, *same = NULL;
    cuc_condition inner = 0;

    cuc_condition more = begin_loop(&loop, &inner);
    put_count(side, more, 5);
    put_set(side, inner, 1);
    ck_ok(cuc_stream_add_conditional(&choice, 1, side, inner, CUC_CONDITIONAL_IF));
    ck_ok(cuc_stream_end_capture(&same, side));
    cuc_graph_release(same);
    cuc_graph_release(loop);
    cuc_graph *graph = end_capture();
    // A body can be filled even after the capture of its graph has ended.
    FILL(choice, ck_ok(launch_on(side, affine, buffer, 1, 1)));
    run(graph); // 2, 4, 6
    ck_assert_uint_eq(value_of(buffer), 6);
}

// A condition made for a graph or for its body works in both.
TEST(a_condition_works_in_its_graph_and_the_bodies)
{
    cuc_graph *graph = NULL, *body = NULL, *inner = NULL, *behind = NULL, *same = NULL;
    cuc_condition outer = 0, within = 0, after = 0;
    const uint32_t assign = CUC_CONDITION_ASSIGN_DEFAULT;

    ck_ok(cuc_graph_create(&graph, device));
    ck_ok(cuc_graph_condition_create(&outer, graph, 1, assign));
    ck_ok(cuc_graph_condition_create(&within, graph, 1, assign));
    ck_ok(cuc_stream_begin_capture_to(stream, graph, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, outer, CUC_CONDITIONAL_IF));
    ck_ok(cuc_graph_condition_create(&after, body, 1, assign));
    ck_ok(cuc_stream_add_conditional(&behind, 1, stream, after, CUC_CONDITIONAL_IF));
    ck_ok(cuc_stream_begin_capture_to(side, body, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(cuc_stream_add_conditional(&inner, 1, side, within, CUC_CONDITIONAL_IF));
    ck_ok(cuc_stream_end_capture(&same, side));
    cuc_graph_release(same);
    cuc_graph_release(body);
    ck_ok(cuc_stream_end_capture(&same, stream));
    cuc_graph_release(same);
    FILL(inner, ck_ok(launch_on(side, affine, buffer, 0, 4)));
    FILL(behind, ck_ok(launch_on(side, affine, buffer, 2, 1)));
    run(graph);
    ck_assert_uint_eq(value_of(buffer), 9);
}

TEST(a_body_keeps_its_graph)
{
    cuc_graph *body = NULL;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition c = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, c, CUC_CONDITIONAL_IF));
    cuc_graph_release(end_capture());
    FILL(body, ck_ok(launch_on(side, affine, buffer, 0, 1))); // the body still exists
}

TEST(a_graph_keeps_the_code_of_its_bodies)
{
    cuc_graph *body = NULL;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition more = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, more, CUC_CONDITIONAL_WHILE));
    FILL(body, put_count(side, more, 4));
    cuc_graph *graph = end_capture();
    cuc_kernel_release(set);
    cuc_kernel_release(count);
    set = count = NULL;
    run(graph);
    ck_assert_uint_eq(value_of(buffer), 4);
}

TEST(a_body_of_a_graph_that_is_made_node_by_node_keeps_its_code_too)
{
    cuc_graph *graph = NULL, *body = NULL, *same = NULL;
    cuc_condition more = 0;

    ck_ok(cuc_graph_create(&graph, device));
    ck_ok(cuc_graph_condition_create(&more, graph, 1, CUC_CONDITION_ASSIGN_DEFAULT));
    ck_ok(cuc_stream_begin_capture_to(stream, graph, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, more, CUC_CONDITIONAL_WHILE));
    ck_ok(cuc_stream_end_capture(&same, stream));
    cuc_graph_release(same);
    ck_types(graph, (int32_t[]){ CUC_NODE_CONDITIONAL }, 1);
    ck_ok(cuc_graph_keep_buffer(body, buffer));
    FILL(body, put_count(side, more, 4));
    cuc_kernel_release(set);
    cuc_kernel_release(count);
    set = count = NULL;
    run(graph);
    ck_assert_uint_eq(value_of(buffer), 4);
}

// Checks the results of calls on a body whose graph was destroyed.
static void is_no_more(cuc_graph *body)
{
    ck_assert_ptr_null(cuc_graph_handle(body));
    USES_OF_A_LOST_GRAPH(ck_fails, body, side, buffer, "is no more", "by itself");
}

TEST(canceling_a_capture_destroys_its_bodies)
{
    cuc_graph *body = NULL;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition c = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, c, CUC_CONDITIONAL_IF));
    ck_ok(cuc_stream_cancel_capture(stream));
    is_no_more(body);
    cuc_graph_release(body);
}

TEST(a_nested_body_is_destroyed_with_the_outer_capture)
{
    cuc_graph *loop = NULL, *choice = NULL, *same = NULL;
    cuc_condition inner = 0;

    (void)begin_loop(&loop, &inner);
    ck_ok(cuc_stream_add_conditional(&choice, 1, side, inner, CUC_CONDITIONAL_IF));
    ck_ok(cuc_stream_end_capture(&same, side));
    cuc_graph_release(same);
    ck_ok(cuc_stream_cancel_capture(stream));
    is_no_more(loop);
    is_no_more(choice);
    cuc_graph_release(loop); // this invalidates the inner graph too
    is_no_more(choice);
    cuc_graph_release(choice);
}

TEST(a_capture_that_fills_a_body_is_canceled_with_the_graphs_capture)
{
    cuc_graph *loop = NULL, *choice = NULL, *same = NULL;
    cuc_stream *third = NULL;
    cuc_condition inner = 0;

    ck_ok(cuc_stream_create(&third, device, NULL));
    (void)begin_loop(&loop, &inner);
    ck_ok(cuc_stream_add_conditional(&choice, 1, side, inner, CUC_CONDITIONAL_IF));
    ck_ok(cuc_stream_begin_capture_to(third, choice, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(launch_on(third, affine, buffer, 0, 1));
    ck_ok(cuc_stream_cancel_capture(stream));
    is_no_more(loop);
    is_no_more(choice);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_end_capture(&same, side), "not being captured");
    for (int i = 0; i < 3; i++) // each round runs all three again
        ck_ok(launch_on(i ? i > 1 ? side : third : stream, affine, buffer, 1, 0));
    cuc_graph_release(loop);
    cuc_graph_release(choice);
    cuc_stream_release(third);
}

static void *cancel_elsewhere(void *unused)
{
    (void)unused;
    ck_fails(CUC_ERROR_BUSY, cuc_stream_cancel_capture(stream), "fills the body");
    return NULL;
}

TEST(a_body_that_another_thread_fills_is_not_destroyed)
{
    cuc_graph *body = NULL, *same = NULL;
    pthread_t thread;

    BEGIN(CUC_CAPTURE_RELAXED);
    cuc_condition c = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, c, CUC_CONDITIONAL_IF));
    ck_ok(cuc_stream_begin_capture_to(side, body, NULL, 0, CUC_CAPTURE_RELAXED));
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_elsewhere, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_ok(launch_on(side, affine, buffer, 0, 1));
    ck_ok(cuc_stream_end_capture(&same, side));
    cuc_graph_release(same);
    cuc_graph_release(body);
    ck_ok(cuc_stream_cancel_capture(stream));
}

static void *release_elsewhere(void *s)
{
    cuc_stream_release(s);
    return NULL;
}

// The release of the stream that captures a graph does not destroy the graph while another stream
// fills a body of it: the capture of the body is canceled first, or must end before.
TEST_RANGE(releasing_a_stream_keeps_a_graph_whose_body_is_being_filled, 0, 3)
{
    const bool elsewhere = _i, both = _i == 2;
    cuc_graph *body = NULL, *same = NULL;
    cuc_stream *own = stream;
    pthread_t thread;

    ck_ok(cuc_stream_create(&stream, device, NULL));
    BEGIN(CUC_CAPTURE_RELAXED);
    cuc_condition c = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, c, CUC_CONDITIONAL_IF));
    ck_ok(cuc_stream_begin_capture_to(side, body, NULL, 0, CUC_CAPTURE_RELAXED));
    if (elsewhere) {
        ck_assert_int_eq(pthread_create(&thread, NULL, release_elsewhere, stream), 0);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
        ck_assert_int_eq(unraisable.count, 0);
        ck_ok(launch_on(side, affine, buffer, 0, 1));
        if (both) {
            cuc_stream_release(side);
            ck_ok(cuc_stream_create(&side, device, NULL));
        } else {
            ck_ok(cuc_stream_end_capture(&same, side));
            cuc_graph_release(same);
        }
    } else {
        cuc_stream_release(stream);
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_end_capture(&same, side),
                 "not being captured");
    }
    is_no_more(body);
    cuc_graph_release(body);
    ck_assert_int_eq(unraisable.count, both ? 2 : 1);
    ck_assert_ptr_nonnull(strstr(unraisable.last, "released while it was captured"));
    unraisable.count = 0;
    stream = own;
}

TEST(a_capture_may_end_before_the_one_that_fills_its_body)
{
    cuc_graph *body = NULL, *same = NULL;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition c = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, c, CUC_CONDITIONAL_IF));
    ck_ok(cuc_stream_begin_capture_to(side, body, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    cuc_graph *graph = end_capture();
    ck_ok(launch_on(side, affine, buffer, 0, 9));
    ck_ok(cuc_stream_end_capture(&same, side));
    cuc_graph_release(same);
    cuc_graph_release(body);
    run(graph);
    ck_assert_uint_eq(value_of(buffer), 9);
}

static cuc_graph *loop_to(uint32_t limit)
{
    cuc_graph *body = NULL;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition more = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, more, CUC_CONDITIONAL_WHILE));
    FILL(body, put_count(side, more, limit));
    return end_capture();
}

TEST(there_is_one_instance_at_a_time)
{
    cuc_graph *graph = loop_to(3);
    cuc_graph_exec *exec = instance_of(graph), *more = NULL;

    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_graph_instantiate(&more, graph, NULL),
             "one instance at a time");
    cuc_graph_exec_release(exec);
    run(graph);
    ck_assert_uint_eq(value_of(buffer), 3);
}

TEST(an_update_changes_what_bodies_do)
{
    cuc_graph *few = loop_to(3), *many = loop_to(30);
    cuc_graph_exec *exec = instance_of(few);

    ck_ok(cuc_graph_exec_update(exec, many));
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_assert_uint_eq(value_of(buffer), 30);
    cuc_graph_exec_release(exec);
    cuc_graph_release(few);
    cuc_graph_release(many);
}

TEST(a_condition_without_a_node_is_reported)
{
    cuc_graph_exec *exec = NULL;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    (void)condition_of(0, 0);
    ck_ok(launch_on(stream, affine, buffer, 0, 1));
    cuc_graph *graph = end_capture();
    ck_fails(CUC_ERROR_DRIVER, cuc_graph_instantiate(&exec, graph, NULL), "conditional handle");
    cuc_graph_release(graph);
}

static void do_nothing(void *user)
{
    (void)user;
}

TEST(nodes_that_a_body_cannot_contain_are_reported)
{
    cuc_graph_exec *exec = NULL;
    cuc_graph *body = NULL;

    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition c = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    ck_ok(cuc_stream_add_conditional(&body, 1, stream, c, CUC_CONDITIONAL_IF));
    FILL(body, ck_ok(cuc_launch_host(side, do_nothing, NULL)));
    cuc_graph *graph = end_capture();
    ck_fails(CUC_ERROR_DRIVER, cuc_graph_instantiate(&exec, graph, NULL), "host function");
    cuc_graph_release(graph);
}

TEST(invalid_arguments_are_refused)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_graph *bodies[2] = { NULL }, *graph = NULL;
    cuc_graph_exec *exec = NULL;
    cuc_condition c = 0;

    ck_fails(bad, cuc_stream_condition_create(&c, stream, 0, 0), "not being captured");
    ck_fails(bad, cuc_stream_add_conditional(bodies, 1, stream, 1, 0), "not being captured");
    ck_fails(bad, cuc_graph_condition_create(&c, NULL, 0, 0), "graph is NULL");
    ck_ok(cuc_graph_create(&graph, device));
    ck_fails(bad, cuc_graph_condition_create(NULL, graph, 0, 0), "out is NULL");
    ck_fails(bad, cuc_graph_condition_create(&c, graph, 5, 0), "default_value is 5");
    ck_fails(bad, cuc_graph_condition_create(&c, graph, 0, 2), "flags is 0x2");
    ck_ok(cuc_graph_condition_create(&c, graph, 5, CUC_CONDITION_ASSIGN_DEFAULT));
    ck_ok(cuc_stream_begin_capture_to(stream, graph, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    ck_fails(bad, cuc_stream_add_conditional(NULL, 1, stream, c, 0), "bodies is NULL");
    ck_fails(bad, cuc_stream_add_conditional(bodies, 1, NULL, c, 0), "stream is NULL");
    ck_fails(bad, cuc_stream_add_conditional(bodies, 1, stream, 0, 0), "condition is 0");
    ck_fails(bad, cuc_stream_add_conditional(bodies, 1, stream, c, 3), "type is 3");
    ck_fails(bad, cuc_stream_add_conditional(bodies, 0, stream, c, CUC_CONDITIONAL_IF), "1 or 2");
    ck_fails(bad, cuc_stream_add_conditional(bodies, 2, stream, c, CUC_CONDITIONAL_WHILE),
             "count is 2, and a node of CUC_CONDITIONAL_WHILE has 1");
    ck_fails(bad, cuc_stream_add_conditional(bodies, UINT32_MAX, stream, c, CUC_CONDITIONAL_SWITCH),
             "1 to 65536");
    ck_ok(cuc_stream_add_conditional(bodies, 2, stream, c, CUC_CONDITIONAL_IF));
    ck_fails(CUC_ERROR_DRIVER,
             cuc_stream_add_conditional(bodies + 1, 1, stream, c, CUC_CONDITIONAL_IF),
             "cuGraphAddNode");
    // The node refuses a condition of another graph.
    cuc_graph *other = NULL;
    ck_ok(cuc_graph_create(&other, device));
    ck_ok(cuc_graph_condition_create(&c, other, 0, 0));
    ck_fails(CUC_ERROR_DRIVER,
             cuc_stream_add_conditional(bodies + 1, 1, stream, c, CUC_CONDITIONAL_IF),
             "cuGraphAddNode");
    cuc_graph_release(other);
    ck_fails(bad, cuc_graph_instantiate(&exec, bodies[0], NULL),
             "cannot be instantiated by itself");
    ck_fails(bad, cuc_stream_embed_graph(stream, bodies[0]), "cannot be embedded by itself");
    ck_ok(cuc_stream_cancel_capture(stream));
    cuc_graph_release(graph); // the bodies keep it alive
    cuc_graph_release(bodies[0]);
    cuc_graph_release(bodies[1]);
}

TEST(a_driver_before_12_3_is_too_old)
{
    cuc_graph *graph = NULL;
    cuc_condition c = 0;

    if (!fake_available())
        SKIP("only the fake driver can be an older one");
    fake_set_version(12020);
    ck_ok(cuc_graph_create(&graph, device));
    fake_hide("cuGraphConditionalHandleCreate");
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_graph_condition_create(&c, graph, 0, 0),
             "cuGraphConditionalHandleCreate");
    cuc_graph_release(graph);
}

// Driver calls of cuc_stream_add_conditional(); each of them fails in turn.
static const struct {
    const char *call;
    int nth;
} calls[] = {
    { "cuStreamGetCaptureInfo", 1 },
    { "cuStreamGetCaptureInfo", 2 },
    { "cuGraphAddNode", 1 },
    { "cuStreamUpdateCaptureDependencies", 1 },
};

TEST_ROWS(a_driver_failure_leaves_nothing_behind, calls)
{
    cuc_graph *body = NULL;

    if (!fake_available())
        SKIP("only the fake driver fails on demand");
    BEGIN(CUC_CAPTURE_THREAD_LOCAL);
    cuc_condition c = condition_of(1, CUC_CONDITION_ASSIGN_DEFAULT);
    fake_fail(calls[_i].call, calls[_i].nth, CUDA_ERROR_OUT_OF_MEMORY);
    ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY,
             cuc_stream_add_conditional(&body, 1, stream, c, CUC_CONDITIONAL_IF), calls[_i].call);
    ck_assert_ptr_null(body);
    ck_ok(cuc_stream_cancel_capture(stream));
}

int main(void)
{
    return run_device_tests("condition");
}
