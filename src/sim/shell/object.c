// The table of objects, by handle.
#include "base/array.h"
#include "shell.h"

#include <stdlib.h>

enum {
    FIRST_HANDLE = 0x1000,
    HANDLE_STEP = 0x10,
};

static struct object **bucket(uintptr_t handle)
{
    return &sim.objects[handle / HANDLE_STEP & (sim.bucket_count - 1)];
}

// Adds buckets. If there is no memory for them, the chains become longer instead.
static void add_buckets(void)
{
    const size_t old_count = sim.bucket_count;
    const size_t count = old_count ? 4 * old_count : CUC_LENGTH(sim.first_objects);
    struct object **old = sim.objects, *next;
    struct object **more = old ? calloc(count, sizeof(struct object *)) : sim.first_objects;

    if (!more)
        return;
    sim.objects = more;
    sim.bucket_count = count;
    for (size_t i = 0; i < old_count; i++) {
        for (struct object *o = old[i]; o; o = next) {
            struct object **list = bucket(o->handle);
            next = o->next;
            o->next = *list;
            *list = o;
        }
    }
    if (old != sim.first_objects)
        free(old);
}

void sim_enlist(void *object, enum kind kind, struct context *context)
{
    struct object *o = object;

    o->handle = FIRST_HANDLE + HANDLE_STEP * sim.handles++;
    o->kind = kind;
    o->context = context;
    if (sim.object_count >= sim.bucket_count)
        add_buckets();
    sim.object_count++;
    struct object **list = bucket(o->handle);
    o->next = *list;
    *list = o;
}

void sim_delist(void *object)
{
    struct object *o = object, **at = bucket(o->handle);

    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    sim.object_count--;
}

void *sim_object_or_destroyed(const void *handle, enum kind kind)
{
    for (struct object *o = sim.objects ? *bucket((uintptr_t)handle) : NULL; o; o = o->next)
        if (o->handle == (uintptr_t)handle)
            return o->kind == kind ? o : NULL;
    return NULL;
}

void *sim_object(const void *handle, enum kind kind)
{
    struct object *o = sim_object_or_destroyed(handle, kind);

    return o && !o->gone ? o : NULL;
}

bool sim_was_handle(const void *handle)
{
    uintptr_t h = (uintptr_t)handle;

    return h >= FIRST_HANDLE && h % HANDLE_STEP == 0 &&
           (h - FIRST_HANDLE) / HANDLE_STEP < sim.handles;
}

void sim_visit_objects(void (*visit)(struct object *object, void *data), void *data)
{
    for (size_t i = 0; i < sim.bucket_count; i++)
        for (struct object *o = sim.objects[i]; o; o = o->next)
            visit(o, data);
}

// Walks over a copy of the list of handles, since `visit` may remove this and other objects.
void sim_each(void (*visit)(struct object *object, void *data), void *data)
{
    uintptr_t *handles = sim_alloc(sim.object_count * sizeof(*handles));
    size_t n = 0;

    for (size_t i = 0; i < sim.bucket_count; i++)
        for (struct object *o = sim.objects[i]; o; o = o->next)
            handles[n++] = o->handle;
    for (size_t i = 0; i < n; i++) {
        struct object *o = *bucket(handles[i]);
        while (o && o->handle != handles[i])
            o = o->next;
        if (o)
            visit(o, data);
    }
    free(handles);
}
