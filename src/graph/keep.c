#include "keep.h"

#include "base/array.h"
#include "capture_registry.h"
#include "device/deferred.h"

#include <stdlib.h>
#include <string.h>

struct kept {
    void *reference;
    void (*drop)(void *reference);
};

struct cuc__keep {
    size_t count, capacity;
    struct kept *entries;
};

bool cuc__keep_add(struct cuc__keep **keep, void *reference, void (*drop)(void *reference),
                   bool *taken)
{
    struct cuc__keep *k = *keep;

    *taken = false;
    for (size_t i = 0; k && i < k->count; i++)
        if (k->entries[i].reference == reference && k->entries[i].drop == drop)
            return true;
    if (!k && !(k = *keep = calloc(1, sizeof(*k))))
        return false;
    if (!CUC_RESERVE(k->entries, k->capacity, k->count + 1))
        return false;
    k->entries[k->count++] = (struct kept){ reference, drop };
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
    if (!CUC_RESERVE(k->entries, k->capacity, k->count + from->count))
        return false;
    memcpy(k->entries + k->count, from->entries, from->count * sizeof(*from->entries));
    k->count += from->count; // a duplicate keeps its own reference
    free(from->entries);
    free(from);
    return true;
}

void cuc__keep_free(struct cuc__keep *keep)
{
    if (!keep)
        return;
    while (keep->count) {
        const struct kept *last = &keep->entries[--keep->count];
        last->drop(last->reference);
    }
    free(keep->entries);
    free(keep);
}

// The data of the user object through which a graph holds its list in the driver.
struct user_object {
    struct cuc__deferred head;
    struct cuc__keep *keep; // NULL if the graph keeps nothing after all
};

static void drop_kept(struct cuc__deferred *release)
{
    struct user_object *u = (struct user_object *)release;

    cuc__keep_free(u->keep);
    free(u);
}

// Called by the driver on one of its own threads.
static void unused(void *user)
{
    struct user_object *u = user;

    cuc__defer(&u->head);
}

cuc_status cuc__keep_attach(struct cuc__keep *keep, cuc_graph *graph, const char *function)
{
    static const char what[] = "tying what it uses to a graph";
    CUuserObject object = NULL;

    if (!keep)
        return CUC_OK;
    struct user_object *user = malloc(sizeof(*user));
    if (!user)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for what a graph uses");
    *user = (struct user_object){ .head.run = drop_kept, .keep = keep };
    CUresult r =
        cuc__cu.cuUserObjectCreate(&object, user, unused, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    if (r) {
        free(user);
        return cuc__fail_driver(graph->context, r, function, "cuUserObjectCreate", "%s", what);
    }
    r = cuc__cu.cuGraphRetainUserObject(graph->handle, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
    if (!r)
        return CUC_OK;
    cuc_status st =
        cuc__fail_driver(graph->context, r, function, "cuGraphRetainUserObject", "%s", what);
    user->keep = NULL; // the caller keeps the list, even though the driver will still call unused()
    CUC_CLEANUP(graph->context, cuUserObjectRelease, (void *)object, object, 1);
    return st;
}

static cuc_status keep_one(cuc_graph *graph, void *reference, void (*drop)(void *reference),
                           const char *function)
{
    struct cuc__keep *keep = NULL;
    cuc_status st = CUC_OK;
    bool taken;

    if (!cuc__keep_add(&keep, reference, drop, &taken))
        st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for what a graph uses");
    if (st >= 0)
        st = cuc__capture_attach_keep(keep, graph, function);
    if (st < 0 && keep) {
        keep->count = 0; // the caller keeps the object
        cuc__keep_free(keep);
    }
    return st;
}

cuc_status cuc_graph_keep(cuc_graph *graph, void *owner, void (*drop_owner)(void *owner))
{
    CUC_CHECK_GRAPH(graph);
    CUC_CHECK_NOT_NULL(drop_owner);
    cuc__deferred_poll();
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
    cuc__deferred_poll();
    cuc_status st = keep_one(graph, cuc_buffer_retain(buffer), drop_buffer, __func__);
    if (st < 0)
        cuc_buffer_release(buffer);
    return st;
}
