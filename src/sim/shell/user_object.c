// User objects, which graphs retain for their creator. Once the last reference is gone, a thread of
// the driver runs the callback. Like any callback, it must not call the driver.
#include "graph.h"

#include <stdlib.h>

struct user_object {
    struct object head;
    struct user_object *next; // list of unreferenced objects
    CUhostFn destroy;
    void *user;
    uint64_t refs;
};

static void *undertaker(void *data)
{
    struct user_object *o;

    (void)data;
    sim_lock();
    sim_thread.in_callback = true;
    while ((o = sim.dying)) {
        sim.dying = o->next;
        sim_unlock();
        o->destroy(o->user);
        sim_lock();
        free(o);
    }
    sim.undertaker = false;
    sim_changed();
    sim_unlock();
    return NULL;
}

static void release(struct user_object *object, unsigned count)
{
    pthread_attr_t detached;
    pthread_t thread;

    object->refs -= count;
    if (object->refs)
        return;
    sim_delist(object);
    object->next = sim.dying;
    sim.dying = object;
    if (sim.undertaker)
        return;
    sim.undertaker = true;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &detached, undertaker, NULL))
        sim.undertaker = false; // its callback runs with that of the next object
    pthread_attr_destroy(&detached);
}

void sim_users_wait(void)
{
    while (sim.undertaker)
        sim_wait();
}

void sim_user_end(struct user_object *object)
{
    release(object, (unsigned)object->refs);
}

// References of graphs

void sim_users_add(struct user_ref **list, struct user_object *object, unsigned count)
{
    while (*list && (*list)->object != object)
        list = &(*list)->next;
    if (!*list) {
        *list = sim_alloc(sizeof(**list));
        (*list)->object = object;
    }
    (*list)->count += count;
}

void sim_users_copy(struct user_ref **list, const struct user_ref *from)
{
    for (; from; from = from->next) {
        from->object->refs += from->count;
        sim_users_add(list, from->object, from->count);
    }
}

void sim_users_drop(struct user_ref **list)
{
    while (*list) {
        struct user_ref *first = *list;
        *list = first->next;
        release(first->object, first->count);
        free(first);
    }
}

static bool is_valid_count(unsigned count)
{
    return count && count <= INT32_MAX;
}

CUresult sim_cuUserObjectCreate(CUuserObject *object, void *ptr, CUhostFn destroy, unsigned refs,
                                unsigned flags)
{
    if (!object || !destroy || !is_valid_count(refs) || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        return CUDA_ERROR_INVALID_VALUE;
    struct user_object *o = sim_alloc(sizeof(*o));
    o->destroy = destroy;
    o->user = ptr;
    o->refs = refs;
    sim_enlist(o, KIND_USER, NULL);
    *object = SIM_HANDLE(CUuserObject, o);
    return CUDA_SUCCESS;
}

CUresult sim_cuUserObjectRetain(CUuserObject object, unsigned count)
{
    struct user_object *o = sim_object(object, KIND_USER);

    if (!o || !is_valid_count(count))
        return CUDA_ERROR_INVALID_VALUE;
    o->refs += count;
    return CUDA_SUCCESS;
}

CUresult sim_cuUserObjectRelease(CUuserObject object, unsigned count)
{
    struct user_object *o = sim_object(object, KIND_USER);

    if (!o || !is_valid_count(count) || count > o->refs)
        return CUDA_ERROR_INVALID_VALUE;
    release(o, count);
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                     unsigned flags)
{
    struct graph *g = sim_object(graph, KIND_GRAPH);
    struct user_object *o = sim_object(object, KIND_USER);

    if (!g || !o || !is_valid_count(count) || flags > CU_GRAPH_USER_OBJECT_MOVE ||
        (flags && count > o->refs))
        return CUDA_ERROR_INVALID_VALUE;
    if (!flags)
        o->refs += count;
    sim_users_add(&g->users, o, count);
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count)
{
    struct graph *g = sim_object(graph, KIND_GRAPH);
    struct user_object *o = sim_object(object, KIND_USER);

    if (!g || !o || !is_valid_count(count))
        return CUDA_ERROR_INVALID_VALUE;
    for (struct user_ref **at = &g->users; *at; at = &(*at)->next) {
        struct user_ref *ref = *at;
        if (ref->object != o || ref->count < count)
            continue;
        ref->count -= count;
        if (!ref->count) {
            *at = ref->next;
            free(ref);
        }
        release(o, count);
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}
