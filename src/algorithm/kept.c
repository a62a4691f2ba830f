// Plans that the library keeps for calls without a plan of the caller's: those used most recently.
#include "algorithm.h"

#include "device/failure.h"
#include "driver/driver.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 2 * CUC__ALGORITHM_MAX + 2 };

struct key {
    cuc_device *device;
    cuc_algorithm_options options;            // without texts
    cuc_dtype dtypes[2 * CUC__ALGORITHM_MAX]; // of the call's arrays
    const char *texts[TEXTS];                 // of the options; borrowed, except in an entry
};

struct entry {
    struct key key;
    cuc_algorithm *plan;
    char bytes[]; // of the key's texts
};

static struct entry *entries[CUC__ALGORITHM_KEPT]; // the one used last comes first
static int entry_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // held during no compilation

static void make_key(struct key *k, cuc_device *device, const cuc_algorithm_options *o,
                     const cuc_algorithm_args *args)
{
    uint32_t n = 0;

    assert(o->input_count <= CUC__ALGORITHM_MAX && o->output_count <= CUC__ALGORITHM_MAX);
    assert(!o->arch && !o->cache);
    memset(k, 0, sizeof(*k));
    k->device = device;
    // Each field on its own, because keys are compared with their padding.
    k->options.kind = o->kind;
    k->options.flags = o->flags;
    k->options.input_count = o->input_count;
    k->options.output_count = o->output_count;
    k->options.tile = o->tile;
    k->options.blocks = o->blocks;
    k->options.warps = o->warps;
    k->options.bins = o->bins;
    k->options.keys = o->keys;
    k->options.offsets = o->offsets;
    k->options.determinism = o->determinism;
    k->options.count = o->count;
    k->options.bit_begin = o->bit_begin;
    k->options.bit_end = o->bit_end;
    k->options.k = o->k;
    for (uint32_t i = 0; i < args->input_count; i++)
        k->dtypes[i] = args->inputs[i].dtype;
    for (uint32_t i = 0; i < args->output_count; i++)
        k->dtypes[CUC__ALGORITHM_MAX + i] = args->outputs[i].dtype;
    for (uint32_t i = 0; i < o->input_count; i++)
        k->texts[n++] = o->inputs[i];
    for (uint32_t i = 0; i < o->output_count; i++)
        k->texts[n++] = o->outputs[i];
    k->texts[n++] = o->fn;
    k->texts[n] = o->identity;
}

static bool are_equal(const struct key *x, const struct key *y)
{
    bool equal = memcmp(x, y, offsetof(struct key, texts)) == 0;

    for (int i = 0; i < TEXTS && equal; i++)
        if (x->texts[i] != y->texts[i])
            equal = x->texts[i] && y->texts[i] && strcmp(x->texts[i], y->texts[i]) == 0;
    return equal;
}

// Finds an entry and makes it the first one. The caller holds the lock.
static struct entry *find(const struct key *k)
{
    for (int i = 0; i < entry_count; i++) {
        struct entry *e = entries[i];
        if (!are_equal(&e->key, k))
            continue;
        memmove(entries + 1, entries, (size_t)i * sizeof(*entries));
        return entries[0] = e;
    }
    return NULL;
}

static void drop(struct entry *e)
{
    if (!e)
        return;
    cuc_algorithm_release(e->plan);
    free(e);
}

// Writes the text of an input or output with the type of the next array in place of "%s". Returns
// NULL if it is too long.
static const char *with_type(struct cuc__text *t, const char *text, const cuc_tensor **next)
{
    const char *place = strstr(text, "%s");
    size_t start = t->length;

    cuc__text_append(t, text, place ? (size_t)(place - text) : strlen(text));
    if (place)
        cuc__text_put(t, "%s%s", cuc_dtype_name((*next)++->dtype), place + 2);
    cuc__text_append(t, "", 1);
    return t->lost ? NULL : t->at + start;
}

static cuc_status create(cuc_algorithm **out, cuc_device *device, const cuc_algorithm_options *o,
                         const cuc_algorithm_args *args)
{
    const char *inputs[CUC__ALGORITHM_MAX], *outputs[CUC__ALGORITHM_MAX];
    const cuc_tensor *next = args->inputs;
    cuc_algorithm_options made = *o;
    char buffer[2048];
    struct cuc__text t = CUC_TEXT_IN(buffer);

    for (uint32_t i = 0; i < o->input_count; i++)
        inputs[i] = with_type(&t, o->inputs[i], &next);
    next = args->outputs;
    for (uint32_t i = 0; i < o->output_count; i++)
        outputs[i] = with_type(&t, o->outputs[i], &next);
    assert(!t.lost);
    made.inputs = inputs;
    made.outputs = outputs;
    return cuc_algorithm_create(out, device, &made);
}

// Makes an entry with a reference to the plan. Returns NULL if out of memory.
static struct entry *make_entry(const struct key *k, cuc_algorithm *plan)
{
    size_t bytes = 0;

    for (int i = 0; i < TEXTS; i++)
        bytes += k->texts[i] ? strlen(k->texts[i]) + 1 : 0;
    struct entry *e = malloc(sizeof(*e) + bytes);
    if (!e)
        return NULL;
    e->key = *k;
    e->plan = cuc_algorithm_retain(plan);
    char *at = e->bytes;
    for (int i = 0; i < TEXTS; i++)
        if (k->texts[i]) {
            e->key.texts[i] = strcpy(at, k->texts[i]);
            at += strlen(at) + 1;
        }
    return e;
}

// Keeps an entry, unless another thread has kept an equal one meanwhile. Without memory for an
// entry, the plan is not kept.
static void keep(struct entry *e)
{
    struct entry *dropped = e;

    if (!e)
        return;
    pthread_mutex_lock(&lock);
    if (!find(&e->key)) {
        dropped = entry_count == CUC__ALGORITHM_KEPT ? entries[--entry_count] : NULL;
        memmove(entries + 1, entries, (size_t)entry_count * sizeof(*entries));
        entries[0] = e;
        entry_count++;
    }
    pthread_mutex_unlock(&lock);
    drop(dropped);
}

cuc_status cuc__algorithm_get_kept(cuc_algorithm **out, cuc_device *device,
                                   const cuc_algorithm_options *o, const cuc_algorithm_args *args)
{
    struct key key;

    if (cuc__driver_forked()) // in a forked child, a thread of the parent may hold the lock forever
        return cuc__fail_driver(NULL, CUC__CU_FORKED, __func__, "cuLibraryLoadData", "a kept plan");
    make_key(&key, device, o, args);
    pthread_mutex_lock(&lock);
    const struct entry *e = find(&key);
    cuc_algorithm *plan = e ? cuc_algorithm_retain(e->plan) : NULL;
    pthread_mutex_unlock(&lock);
    if (!plan) {
        cuc_status st = create(&plan, device, o, args);
        if (st < 0)
            return st;
        keep(make_entry(&key, plan));
    }
    *out = plan;
    return CUC_OK;
}

int cuc__algorithm_kept_count(void)
{
    pthread_mutex_lock(&lock);
    int count = entry_count;
    pthread_mutex_unlock(&lock);
    return count;
}

// Also runs when the library is unloaded. A thread that still runs keeps the lock, and the plans.
__attribute__((destructor)) static void drop_all(void)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    while (entry_count > 0)
        drop(entries[--entry_count]);
    pthread_mutex_unlock(&lock);
}
