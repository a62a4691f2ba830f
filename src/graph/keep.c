#include "keep.h"

#include "capture_registry.h"

#include <stdlib.h>
#include <string.h>

struct kept {
    void *thing;
    void (*drop)(void *thing);
};

struct cuc__keep {
    size_t count, room;
    struct kept *things;
};

bool cuc__keep_add(struct cuc__keep **keep, void *thing, void (*drop)(void *thing), bool *taken)
{
    struct cuc__keep *k = *keep;

    *taken = false;
    for (size_t i = 0; k && i < k->count; i++)
        if (k->things[i].thing == thing && k->things[i].drop == drop)
            return true;
    if (!k && !(k = *keep = calloc(1, sizeof(*k))))
        return false;
    if (k->count == k->room) {
        size_t room = k->room ? 2 * k->room : 4;
        struct kept *grown = realloc(k->things, room * sizeof(*grown));
        if (!grown)
            return false;
        k->things = grown;
        k->room = room;
    }
    k->things[k->count++] = (struct kept){ thing, drop };
    *taken = true;
    return true;
}

bool cuc__keep_merge(struct cuc__keep **keep, struct cuc__keep *from)
{
    struct cuc__keep *k = *keep;

    if (!k) {
        *keep = from;
        return true;
    }
    struct kept *grown = realloc(k->things, (k->count + from->count) * sizeof(*grown));
    if (!grown)
        return false;
    k->things = grown;
    k->room = k->count + from->count;
    memcpy(k->things + k->count, from->things, from->count * sizeof(*grown));
    k->count = k->room; // a thing that is there twice was taken twice
    free(from->things);
    free(from);
    return true;
}

void cuc__keep_free(struct cuc__keep *keep)
{
    if (!keep)
        return;
    while (keep->count) {
        const struct kept *last = &keep->things[--keep->count];
        last->drop(last->thing);
    }
    free(keep->things);
    free(keep);
}

// What the driver's user object stands for.
struct cuc__grave {
    struct cuc__grave *next; // of those that are ready
    struct cuc__keep *keep;  // NULL: nothing after all
};

_Atomic(struct cuc__grave *) cuc__graves;

// Called by the driver, on a thread of its own.
static void left_alone(void *user)
{
    struct cuc__grave *grave = user;

    grave->next = atomic_load_explicit(&cuc__graves, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&cuc__graves, &grave->next, grave,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

bool cuc__keep_leave(void *thing, void (*drop)(void *thing))
{
    struct cuc__grave *grave = calloc(1, sizeof(*grave));
    bool taken;

    if (!grave || !cuc__keep_add(&grave->keep, thing, drop, &taken)) {
        if (grave)
            cuc__keep_free(grave->keep);
        free(grave);
        return false;
    }
    left_alone(grave);
    return true;
}

static _Thread_local bool burying;

bool cuc__keep_is_burying(void)
{
    return burying;
}

void cuc__keep_bury(void)
{
    const bool within = burying; // what is let go may come by here
    struct cuc__grave *next;

    if (cuc__capturing()) // a buffer's free would be captured, most likely
        return;
    burying = true;
    struct cuc__grave *grave = atomic_exchange_explicit(&cuc__graves, NULL, memory_order_acquire);
    for (; grave; grave = next) {
        next = grave->next;
        cuc__keep_free(grave->keep);
        free(grave);
    }
    burying = within;
}

cuc_status cuc__keep_tie(struct cuc__keep *keep, cuc_graph *graph, const char *function)
{
    static const char what[] = "tying what it uses to a graph";
    CUuserObject object = NULL;

    if (!keep)
        return CUC_OK;
    struct cuc__grave *grave = malloc(sizeof(*grave));
    if (!grave)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for what a graph uses");
    grave->keep = keep;
    CUresult r = cuc__cu.cuUserObjectCreate(&object, grave, left_alone, 1,
                                            CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    if (r) {
        free(grave);
        return cuc__fail_driver(graph->context, r, function, "cuUserObjectCreate", "%s", what);
    }
    r = cuc__cu.cuGraphRetainUserObject(graph->handle, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
    if (!r)
        return CUC_OK;
    cuc_status st =
        cuc__fail_driver(graph->context, r, function, "cuGraphRetainUserObject", "%s", what);
    grave->keep = NULL; // it stays the caller's; the driver calls left_alone() all the same
    CUC_CLEANUP(graph->context, cuUserObjectRelease, (void *)object, object, 1);
    return st;
}

static cuc_status keep_one(cuc_graph *graph, void *thing, void (*drop)(void *thing),
                           const char *function)
{
    struct cuc__keep *keep = NULL;
    cuc_status st = CUC_OK;
    bool taken;

    if (!cuc__keep_add(&keep, thing, drop, &taken))
        st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for what a graph uses");
    if (st >= 0)
        st = cuc__capture_tie(keep, graph, function);
    if (st < 0 && keep) {
        keep->count = 0; // the thing stays the caller's
        cuc__keep_free(keep);
    }
    return st;
}

cuc_status cuc_graph_keep(cuc_graph *graph, void *owner, void (*drop_owner)(void *owner))
{
    CUC_CHECK_GRAPH(graph);
    CUC_CHECK_NOT_NULL(drop_owner);
    cuc__keep_tidy();
    return keep_one(graph, owner, drop_owner, __func__);
}

static void drop_buffer(void *buffer)
{
    cuc_buffer_release(buffer);
}

cuc_status cuc_graph_keep_buffer(cuc_graph *graph, cuc_buffer *buffer)
{
    CUC_CHECK_GRAPH(graph);
    CUC_CHECK(buffer, BUFFER);
    cuc__keep_tidy();
    cuc_status st = keep_one(graph, cuc_buffer_retain(buffer), drop_buffer, __func__);
    if (st < 0)
        cuc_buffer_release(buffer);
    return st;
}
