// Tests captures that end badly: what happens to the graph that they add to, to the body that they
// fill, and to that body's graph. Each case runs in its own process without Check, because the
// driver crashes if cucore is wrong, and some streams can never leave their capture.
#include <cucore/condition.h>
#include <cucore/node.h>

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

#include "base/array.h"
#include "graph/capture_registry.h"
#include "lost_graph.h"
#include "testing.h"

enum { WORDS = 32 };

static cuc_device *device;
static cuc_stream *root, *outer, *inner, *side; // outermost first; `side` is for forks
static cuc_buffer *buffer;
static struct testing_failures unraisable;
static const char *row_says;

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "%s\n%s:%d: %s\nlast error: %s\nlast of a release: %s\n", row_says, \
                    __FILE__, __LINE__, #condition, cuc_error_message(), unraisable.last);      \
            exit(EXIT_FAILURE);                                                                 \
        }                                                                                       \
    } while (0)
#define OK(call) CHECK((call) == CUC_OK)
#define FAILS(status, call, words) \
    CHECK((call) == (status) && strstr(cuc_error_message(), (words)) != NULL)

static void put(cuc_stream *s, uint32_t value)
{
    OK(cuc_buffer_fill(s, buffer, 0, value, 4, 4 * WORDS));
}

static void start(void)
{
    cuc_memory_resource *resource;

    cuc_set_failure_handler(testing_failed, &unraisable);
    OK(cuc_device_get(&device, 0));
    OK(cuc_stream_create(&root, device, NULL));
    OK(cuc_stream_create(&outer, device, NULL));
    OK(cuc_stream_create(&inner, device, NULL));
    OK(cuc_stream_create(&side, device, NULL));
    OK(cuc_memory_synchronous_create(&resource, device, CUC_MEMORY_DEVICE));
    OK(cuc_buffer_create(&buffer, NULL, resource, 4 * WORDS));
    cuc_memory_resource_release(resource);
}

// Checks that only these numbers of graphs and streams are left, and that the process still works.
// Streams are left if their capture can never end; waits for the context then fail.
static void finish(int graphs, int streams, int told)
{
    cuc_graph_exec *exec = NULL;
    cuc_stream *fresh = NULL;
    cuc_graph *graph = NULL;

    if (!streams)
        OK(cuc_device_synchronize(device));
    else
        FAILS(CUC_ERROR_BUSY, cuc_device_synchronize(device), "cuCtxSynchronize");
    OK(cuc_stream_create(&fresh, device, NULL));
    OK(cuc_stream_begin_capture(fresh, CUC_CAPTURE_RELAXED));
    put(fresh, 7);
    OK(cuc_stream_end_capture(&graph, fresh));
    OK(cuc_graph_instantiate(&exec, graph, NULL));
    OK(cuc_graph_exec_launch(fresh, exec));
    OK(cuc_stream_synchronize(fresh));
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    cuc_stream_release(fresh);
    cuc_stream_release(root);
    cuc_stream_release(outer);
    cuc_stream_release(inner);
    cuc_stream_release(side);
    CHECK((cuc__modes & CUC__MODE_CAPTURING) == 0);
    CHECK(unraisable.count == told);
    if (fake_available()) {
        CHECK(fake_live("graph") == graphs);
        CHECK(fake_live("stream") == streams);
        CHECK(fake_live("exec") == 0);
    }
    cuc_buffer_release(buffer);
}

// Checks that calls on a graph that the driver has freed fail, with a message that says so.
static void is_no_more(cuc_graph *graph, bool body, const char *words)
{
    size_t count;

    CHECK(cuc_graph_handle(graph) == NULL);
    USES_OF_A_LOST_GRAPH(FAILS, graph, side, buffer, words, body ? "by itself" : words);
    FAILS(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_get_node_count(&count, graph), "is no more");
}

static void works(cuc_graph *graph)
{
    cuc_graph_exec *exec = NULL;
    size_t count = 0;

    OK(cuc_graph_get_node_count(&count, graph));
    CHECK(count > 0);
    OK(cuc_graph_instantiate(&exec, graph, NULL));
    OK(cuc_graph_exec_launch(side, exec));
    OK(cuc_stream_synchronize(side));
    cuc_graph_exec_release(exec);
}

static void begin_to(cuc_stream *s, cuc_graph *graph)
{
    OK(cuc_stream_begin_capture_to(s, graph, NULL, 0, CUC_CAPTURE_RELAXED));
}

static cuc_graph *add_if(cuc_stream *s)
{
    cuc_condition c = 0;
    cuc_graph *body = NULL;

    OK(cuc_stream_condition_create(&c, s, 1, CUC_CONDITION_ASSIGN_DEFAULT));
    OK(cuc_stream_add_conditional(&body, 1, s, c, CUC_CONDITIONAL_IF));
    return body;
}

// Builds a graph by hand with a conditional node; returns the graph and the node's body.
static cuc_graph *by_hand(cuc_graph **body)
{
    cuc_graph *graph = NULL, *same = NULL;

    OK(cuc_graph_create(&graph, device));
    begin_to(outer, graph);
    *body = add_if(outer);
    OK(cuc_stream_end_capture(&same, outer));
    cuc_graph_release(same);
    return graph;
}

// Invalidates a capture, using a call that no other stream would refuse.
static void spoil(cuc_stream *s)
{
    cuc_capture_info info = CUC_CAPTURE_INFO_INIT;

    CHECK(cuc__cu.cuStreamQuery(cuc_stream_handle(s)) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    OK(cuc_stream_get_capture_info(&info, s));
    CHECK(info.status == CUC_CAPTURE_SPOILT);
}

static void spoil_all(void)
{
    FAILS(CUC_ERROR_BUSY, cuc_device_synchronize(device), "");
}

static void fork_without_join(cuc_stream *s)
{
    OK(cuc_stream_wait_stream(side, s));
    put(side, 3);
    put(s, 4);
}

// A case: a capture's target and error, how this capture ends, and how the captures around it end.
enum place { GRAPH, BODY_BY_HAND, BODY_CAPTURED, BODY_IN_BODY };
enum wrong { UNJOINED, SPOILT, ALL_SPOILT };
enum end { ENDED, CANCELLED, RELEASED, LEFT };

// The outcome for the graph: it stays; its own capture frees it; or a capture into one of its
// bodies makes it unusable, and its own capture fails or (STUCK) can never end.
enum fate { STAYS, TAKEN, UNSOUND, STUCK };

static const struct {
    const char *says;
    enum place place;
    enum wrong wrong;
    enum end end, around;
    enum fate fate;
} rows[] = {
    { "ended, a spoilt capture takes its graph", GRAPH, SPOILT, ENDED, LEFT, TAKEN },
    { "cancelled, it does as well", GRAPH, SPOILT, CANCELLED, LEFT, TAKEN },
    { "and with its stream", GRAPH, SPOILT, RELEASED, LEFT, TAKEN },
    { "also by what spoils every capture", GRAPH, ALL_SPOILT, ENDED, LEFT, TAKEN },
    { "ended, an unjoined capture takes its graph", GRAPH, UNJOINED, ENDED, LEFT, TAKEN },
    { "cancelled, it leaves that", GRAPH, UNJOINED, CANCELLED, LEFT, STAYS },
    { "and with its stream, too", GRAPH, UNJOINED, RELEASED, LEFT, STAYS },

    { "a spoilt body takes a graph made by hand", BODY_BY_HAND, SPOILT, ENDED, LEFT, UNSOUND },
    { "also cancelled", BODY_BY_HAND, SPOILT, CANCELLED, LEFT, UNSOUND },
    { "and with its stream", BODY_BY_HAND, SPOILT, RELEASED, LEFT, UNSOUND },
    { "an unjoined body does", BODY_BY_HAND, UNJOINED, ENDED, LEFT, UNSOUND },
    { "but not cancelled", BODY_BY_HAND, UNJOINED, CANCELLED, LEFT, STAYS },
    { "nor with its stream", BODY_BY_HAND, UNJOINED, RELEASED, LEFT, STAYS },

    { "a captured graph is told of a spoilt body", BODY_CAPTURED, SPOILT, ENDED, ENDED, UNSOUND },
    { "of one that is cancelled", BODY_CAPTURED, SPOILT, CANCELLED, ENDED, UNSOUND },
    { "of one that went with its stream", BODY_CAPTURED, SPOILT, RELEASED, ENDED, UNSOUND },
    { "of one that is unjoined", BODY_CAPTURED, UNJOINED, ENDED, ENDED, UNSOUND },
    { "cancelled, that is no harm", BODY_CAPTURED, UNJOINED, CANCELLED, ENDED, STAYS },
    { "it is cancelled, too", BODY_CAPTURED, SPOILT, ENDED, CANCELLED, UNSOUND },
    { "or goes with its stream", BODY_CAPTURED, SPOILT, ENDED, RELEASED, UNSOUND },
    { "both are cancelled", BODY_CAPTURED, UNJOINED, ENDED, CANCELLED, UNSOUND },

    { "where all is spoilt, a body goes and its graph's capture cannot", BODY_CAPTURED, ALL_SPOILT,
      ENDED, ENDED, STUCK },
    { "neither by being cancelled", BODY_CAPTURED, ALL_SPOILT, CANCELLED, CANCELLED, STUCK },
    { "nor with its stream", BODY_CAPTURED, ALL_SPOILT, RELEASED, RELEASED, STUCK },
    { "nor cancelled for both", BODY_CAPTURED, ALL_SPOILT, LEFT, CANCELLED, STUCK },
    { "nor released for both", BODY_CAPTURED, ALL_SPOILT, LEFT, RELEASED, STUCK },

    { "all graphs around a body are told", BODY_IN_BODY, SPOILT, ENDED, ENDED, UNSOUND },
    { "of an unjoined one, too", BODY_IN_BODY, UNJOINED, ENDED, ENDED, UNSOUND },
    { "and are cancelled", BODY_IN_BODY, UNJOINED, ENDED, CANCELLED, UNSOUND },
    { "where all is spoilt, none of them goes", BODY_IN_BODY, ALL_SPOILT, ENDED, ENDED, STUCK },
    { "nor cancelled for all", BODY_IN_BODY, ALL_SPOILT, LEFT, CANCELLED, STUCK },
};

// Ends a stream's capture in the given way. Expects `ended` from ending it or `cancelled` from
// canceling it, and `words` in the message of a failure.
static void end_as(cuc_stream **s, enum end how, cuc_status ended, cuc_status cancelled,
                   const char *words)
{
    const int told = unraisable.count;
    cuc_graph *graph = NULL;
    char by[32];

    switch (how) {
    case ENDED:
        CHECK(cuc_stream_end_capture(&graph, *s) == ended);
        CHECK(ended == CUC_OK || (!graph && strstr(cuc_error_message(), words)));
        cuc_graph_release(graph);
        break;
    case CANCELLED:
        CHECK(cuc_stream_cancel_capture(*s) == cancelled);
        CHECK(cancelled == CUC_OK || strstr(cuc_error_message(), words));
        break;
    case RELEASED:
        snprintf(by, sizeof(by), "%p", cuc_stream_handle(*s));
        cuc_stream_release(*s);
        *s = NULL;
        CHECK(unraisable.count == told + 1);
        CHECK(strstr(unraisable.last, "released while it was captured") != NULL);
        CHECK(strstr(unraisable.last, by) != NULL);
        CHECK(cancelled == CUC_OK || strstr(unraisable.last, words));
        break;
    default:
        break;
    }
}

static void end_badly(cuc_stream **s, size_t i)
{
    const bool freed = rows[i].fate != STAYS;

    if (rows[i].wrong == UNJOINED)
        fork_without_join(*s);
    else if (rows[i].wrong == SPOILT)
        spoil(*s);
    else
        spoil_all();
    // Ending the spoilt outer capture would free the inner body, so it must fail.
    if (rows[i].wrong == ALL_SPOILT && rows[i].place >= BODY_CAPTURED) {
        cuc_graph *none = NULL;
        FAILS(CUC_ERROR_BUSY, cuc_stream_end_capture(&none, root), "fills the body");
    }
    end_as(s, rows[i].end, freed ? CUC_ERROR_DRIVER : CUC_OK, CUC_OK,
           rows[i].place == GRAPH ? "the driver frees the graph" : "the driver frees the body");
}

// Ends the captures around a body as the row says.
static void end_around(cuc_stream **s, size_t i)
{
    static const char *const words[] = {
        [UNSOUND] = "has ended, but the graph", [STUCK] = "stays captured for good"
    };
    const enum fate fate = rows[i].fate;
    cuc_graph *none = NULL;

    end_as(s, rows[i].around, fate == STAYS ? CUC_OK : CUC_ERROR_DRIVER,
           fate == STUCK ? CUC_ERROR_DRIVER : CUC_OK, words[fate]);
    if (fate != STUCK || !*s)
        return;
    // The capture is stuck: ending or canceling it again must fail, and so must other calls.
    FAILS(CUC_ERROR_DRIVER, cuc_stream_end_capture(&none, *s), words[STUCK]);
    FAILS(CUC_ERROR_DRIVER, cuc_stream_cancel_capture(*s), "restart the process");
    FAILS(CUC_ERROR_DRIVER, cuc_stream_begin_capture(*s, 0), words[STUCK]);
    FAILS(CUC_ERROR_BUSY, cuc_stream_synchronize(*s), "is being captured");
}

static void run_row(size_t i)
{
    static const char *const words[] = {
        [TAKEN] = "a capture into it, of stream", [UNSOUND] = "is no more", [STUCK] = "is no more"
    };
    const enum fate fate = rows[i].fate;
    cuc_graph *graph = NULL, *body = NULL, *within = NULL;
    int graphs = 0, streams = 0;

    if (rows[i].place == GRAPH) {
        OK(cuc_graph_create(&graph, device));
        begin_to(outer, graph);
        put(outer, 1);
        end_as(&outer, CANCELLED, 0, CUC_OK, ""); // nodes stay in the graph
        begin_to(root, graph);
        put(root, 2);
        end_badly(&root, i);
    } else if (rows[i].place == BODY_BY_HAND) {
        graph = by_hand(&body);
        begin_to(inner, body);
        put(inner, 2);
        end_badly(&inner, i);
        graphs = fate == UNSOUND;
    } else {
        OK(cuc_stream_begin_capture(root, CUC_CAPTURE_RELAXED));
        put(root, 1);
        body = add_if(root);
        if (rows[i].place == BODY_IN_BODY) {
            begin_to(outer, body);
            put(outer, 5);
            within = add_if(outer);
        }
        begin_to(inner, within ? within : body);
        put(inner, 2);
        end_badly(&inner, i);
        streams = fate == STUCK;
        if (within && rows[i].end != LEFT) {
            is_no_more(within, true, "a capture into it, of stream");
            end_around(&outer, i);
            is_no_more(body, true, "failed, so the driver");
        }
        if (within)
            streams *= 2;
        if (rows[i].around != ENDED || fate != STAYS) {
            end_around(&root, i);
        } else {
            OK(cuc_stream_end_capture(&graph, root));
            works(graph);
            cuc_graph_release(graph);
            graph = NULL;
        }
        graphs = fate == UNSOUND;
    }
    if (fate == STAYS) {
        if (graph)
            works(graph);
    } else {
        if (graph)
            is_no_more(graph, false, words[fate]);
        if (body)
            is_no_more(body, true, "is no more");
        if (within)
            is_no_more(within, true, "is no more");
    }
    cuc_graph_release(within);
    cuc_graph_release(body);
    cuc_graph_release(graph);
    finish(graphs, streams, unraisable.count);
}

// Another body of the same graph is unaffected; its capture can end.
static void a_body_beside_one_that_ended_badly_ends(void)
{
    cuc_graph *graph = NULL, *bodies[2] = { NULL }, *same = NULL;
    cuc_condition c = 0;

    OK(cuc_graph_create(&graph, device));
    OK(cuc_graph_condition_create(&c, graph, 1, CUC_CONDITION_ASSIGN_DEFAULT));
    begin_to(root, graph);
    OK(cuc_stream_add_conditional(bodies, 2, root, c, CUC_CONDITIONAL_IF));
    begin_to(outer, bodies[0]);
    begin_to(inner, bodies[1]);
    put(outer, 1);
    put(inner, 1);
    spoil(inner);
    FAILS(CUC_ERROR_DRIVER, cuc_stream_end_capture(&same, inner), "the driver frees the body");
    FAILS(CUC_ERROR_DRIVER, cuc_stream_end_capture(&same, outer), "the graph that it was a part");
    FAILS(CUC_ERROR_DRIVER, cuc_stream_end_capture(&same, root), "has ended, but the graph");
    is_no_more(graph, false, "the body of a conditional node of it");
    is_no_more(bodies[0], true, "of the graph that it was a part of");
    is_no_more(bodies[1], true, "a capture into it");
    cuc_graph_release(bodies[0]);
    cuc_graph_release(bodies[1]);
    cuc_graph_release(graph);
    finish(1, 0, 0);
}

// A capture into a body ends badly after the capture that made the graph has ended successfully.
static void a_failed_body_destroys_a_graph_whose_capture_has_ended(void)
{
    cuc_graph *graph = NULL, *body = NULL, *same = NULL;

    OK(cuc_stream_begin_capture(root, CUC_CAPTURE_RELAXED));
    body = add_if(root);
    begin_to(inner, body);
    put(inner, 1);
    OK(cuc_stream_end_capture(&graph, root));
    spoil(inner);
    FAILS(CUC_ERROR_DRIVER, cuc_stream_end_capture(&same, inner), "the driver frees the body");
    is_no_more(graph, false, "the body of a conditional node of it");
    cuc_graph_release(graph);
    is_no_more(body, true, "a capture into it");
    cuc_graph_release(body);
    finish(1, 0, 0);
}

static void an_earlier_instance_still_runs(void)
{
    cuc_graph *body = NULL, *same = NULL;
    cuc_graph_exec *exec = NULL;

    cuc_graph *graph = by_hand(&body);
    begin_to(inner, body);
    put(inner, 1);
    OK(cuc_stream_end_capture(&same, inner));
    cuc_graph_release(same);
    OK(cuc_graph_instantiate(&exec, graph, NULL));
    begin_to(inner, body);
    put(inner, 1);
    spoil(inner);
    OK(cuc_stream_cancel_capture(inner));
    FAILS(CUC_ERROR_INVALID_ARGUMENT, cuc_graph_exec_update(exec, graph), "is no more");
    cuc_graph_release(body);
    cuc_graph_release(graph);
    OK(cuc_graph_exec_launch(side, exec));
    OK(cuc_stream_synchronize(side));
    cuc_graph_exec_release(exec);
    finish(1, 0, 0);
}

static void a_body_that_is_being_filled_is_not_freed(void)
{
    cuc_graph *graph = NULL, *body = NULL, *same = NULL;

    // Ending this capture is certain to fail: it is not spoilt, but has unjoined work.
    OK(cuc_stream_begin_capture(root, CUC_CAPTURE_RELAXED));
    body = add_if(root);
    begin_to(inner, body);
    put(inner, 1);
    fork_without_join(root);
    FAILS(CUC_ERROR_BUSY, cuc_stream_end_capture(&graph, root), "fills the body");
    OK(cuc_stream_end_capture(&same, inner));
    cuc_graph_release(same);
    FAILS(CUC_ERROR_DRIVER, cuc_stream_end_capture(&graph, root), "UNJOINED");
    is_no_more(body, true, "failed or was cancelled");
    cuc_graph_release(body);
    // The same with a graph that the caller made.
    graph = by_hand(&body);
    begin_to(root, graph);
    begin_to(inner, body);
    put(inner, 1);
    spoil(root);
    FAILS(CUC_ERROR_BUSY, cuc_stream_end_capture(&same, root), "fills the body");
    OK(cuc_stream_cancel_capture(root)); // also cancels the capture that fills the body
    is_no_more(graph, false, "a capture into it");
    is_no_more(body, true, "a capture into the graph that it was a part of");
    cuc_graph_release(body);
    cuc_graph_release(graph);
    finish(0, 0, 0);
}

static void a_graph_that_another_capture_adds_to_is_not_freed(void)
{
    cuc_graph *graph = NULL, *same = NULL;

    if (!cuc__driver_simulated())
        return; // the driver's behavior with two captures is undocumented
    OK(cuc_graph_create(&graph, device));
    begin_to(root, graph);
    begin_to(outer, graph);
    put(root, 1);
    put(outer, 1);
    spoil(root);
    FAILS(CUC_ERROR_BUSY, cuc_stream_end_capture(&same, root), "adds to it");
    OK(cuc_stream_end_capture(&same, outer));
    cuc_graph_release(same);
    FAILS(CUC_ERROR_DRIVER, cuc_stream_end_capture(&same, root), "the driver frees the graph");
    cuc_graph_release(graph);
    // Canceling the spoilt capture or releasing its stream first cancels the other capture, and
    // then frees the graph.
    for (int goes = 0; goes < 2; goes++) {
        OK(cuc_graph_create(&graph, device));
        begin_to(root, graph);
        begin_to(outer, graph);
        spoil(root);
        end_as(&root, goes ? RELEASED : CANCELLED, 0, CUC_OK, "");
        is_no_more(graph, false, "a capture into it");
        put(outer, 1); // not captured any more
        cuc_graph_release(graph);
    }
    OK(cuc_stream_create(&root, device, NULL));
    // If both captures are invalid, the second one has nothing left to free.
    OK(cuc_graph_create(&graph, device));
    begin_to(root, graph);
    begin_to(outer, graph);
    put(root, 1);
    spoil(root);
    spoil(outer);
    OK(cuc_stream_cancel_capture(root));
    FAILS(CUC_ERROR_DRIVER, cuc_stream_end_capture(&same, outer), "stays captured for good");
    cuc_graph_release(graph);
    finish(0, 1, 1);
}

// The graph of a capture that cucore did not begin: cucore does not learn of its destruction.
static void a_spoilt_body_of_a_capture_of_others_is_never_freed(void)
{
    cuc_graph *same = NULL;
    CUgraph graph = NULL;

    CHECK(!cuc__cu.cuStreamBeginCapture(cuc_stream_handle(root), CU_STREAM_CAPTURE_MODE_RELAXED));
    cuc_graph *body = add_if(root), *other = add_if(root);
    begin_to(inner, body);
    put(inner, 1);
    spoil(inner);
    FAILS(CUC_ERROR_DRIVER, cuc_stream_end_capture(&same, inner), "stays captured for good");
    begin_to(outer, other);
    fork_without_join(outer);
    OK(cuc_stream_end_capture(&same, outer)); // joins the fork; a failure would free the body
    cuc_graph_release(same);
    CHECK(!cuc__cu.cuStreamEndCapture(cuc_stream_handle(root), &graph));
    cuc_graph_release(body);
    cuc_graph_release(other);
    finish(1, 1, 0);
}

// ---- Releases in random order: the fake driver aborts where a real one would crash.

enum { STREAMS = 6, GRAPHS = 5, STEPS = 200 };

static cuc_stream *streams[STREAMS];
static cuc_graph *graphs[GRAPHS];
static uint32_t random_state;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 12) % n;
}

static void keep(cuc_graph *graph)
{
    const uint32_t i = below(GRAPHS);

    cuc_graph_release(graphs[i]);
    graphs[i] = graph;
}

static void step(cuc_stream **s, cuc_graph *graph)
{
    const int32_t mode = (int32_t)below(3);
    cuc_stream *other = streams[below(STREAMS)];
    cuc_graph_exec *exec = NULL;
    cuc_graph *made = NULL;
    int32_t captured = 0;
    cuc_condition c = 0;

    if (!*s)
        OK(cuc_stream_create(s, device, NULL));
    OK(cuc_stream_is_capturing(&captured, *s));
    switch (below(14)) {
    case 0:
        (void)cuc_stream_begin_capture(*s, mode);
        break;
    case 1:
    case 2:
        (void)cuc_stream_begin_capture_to(*s, graph, NULL, 0, mode);
        break;
    case 3:
        OK(cuc_graph_create(&made, device));
        keep(made);
        break;
    case 4:
    case 5:
        if (cuc_stream_condition_create(&c, *s, 1, CUC_CONDITION_ASSIGN_DEFAULT) == CUC_OK) {
            OK(cuc_stream_add_conditional(&made, 1, *s, c, CUC_CONDITIONAL_IF));
            keep(made);
        }
        break;
    case 6:
        if (captured)
            (void)cuc_buffer_fill(*s, buffer, 0, 1, 4, 4);
        break;
    case 7:
        (void)cuc_stream_wait_stream(*s, other);
        break;
    case 8:
        (void)cuc__cu.cuStreamQuery(cuc_stream_handle(*s));
        break;
    case 9:
        if (!below(4))
            (void)cuc_device_synchronize(device);
        break;
    case 10:
        if (cuc_stream_end_capture(&made, *s) == CUC_OK)
            keep(made);
        break;
    case 11:
        (void)cuc_stream_cancel_capture(*s);
        break;
    case 12:
        cuc_stream_release(*s);
        *s = NULL;
        break;
    default:
        if (graph && cuc_graph_instantiate(&exec, graph, NULL) == CUC_OK)
            cuc_graph_exec_release(exec);
        keep(NULL);
    }
}

static void no_order_of_calls_does_harm(void)
{
    if (!fake_available())
        return;
    for (uint32_t seed = 0; seed < 300; seed++) {
        random_state = seed * 7919;
        for (int i = 0; i < STEPS; i++)
            step(&streams[below(STREAMS)], graphs[below(GRAPHS)]);
        for (int i = 0; i < STREAMS; i++) {
            cuc_stream_release(streams[i]);
            streams[i] = NULL;
        }
        CHECK((cuc__modes & CUC__MODE_CAPTURING) == 0);
        for (int i = 0; i < GRAPHS; i++) {
            cuc_graph_release(graphs[i]);
            graphs[i] = NULL;
        }
    }
}

static void (*const others[])(void) = {
    a_body_beside_one_that_ended_badly_ends,
    a_failed_body_destroys_a_graph_whose_capture_has_ended,
    an_earlier_instance_still_runs,
    a_body_that_is_being_filled_is_not_freed,
    a_graph_that_another_capture_adds_to_is_not_freed,
    a_spoilt_body_of_a_capture_of_others_is_never_freed,
    no_order_of_calls_does_harm,
};

extern char **environ;

CASE("capture_end", .timeout = 60);

TEST_RANGE(a_capture_ends_badly, 0, CUC_LENGTH(rows) + CUC_LENGTH(others))
{
    char number[16];
    char *self = program_invocation_name; // under valgrind, /proc/self/exe is valgrind
    char *arguments[] = { self, number, NULL };
    int status = 0;
    pid_t pid;

    snprintf(number, sizeof(number), "%d", _i);
    ck_assert_int_eq(posix_spawn(&pid, self, NULL, NULL, arguments, environ), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status), "%s: died of signal %d",
                  _i < CUC_LENGTH(rows) ? rows[_i].says : "one of the others", WTERMSIG(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        const int i = atoi(argv[1]);
        start();
        row_says = i < CUC_LENGTH(rows) ? rows[i].says : "one of the others";
        if (i < CUC_LENGTH(rows))
            run_row((size_t)i);
        else
            others[i - CUC_LENGTH(rows)]();
        return EXIT_SUCCESS;
    }

    return run_device_tests("capture_end");
}
