// Calls that need no plan of the caller's. The library keeps a plan for each device, kind, operator
// and pair of types.
#include "algorithm.h"

#include "base/array.h"
#include "device/stream.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct request {
    cuc_device *device;
    int32_t kind;
    uint32_t flags;
    cuc_dtype in, out;
    const char *fn, *identity;
};

static struct kept {
    struct request request; // with texts of its own
    cuc_algorithm *plan;
} * kept;
static size_t kept_count, kept_capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool same_text(const char *x, const char *y)
{
    return x && y ? strcmp(x, y) == 0 : x == y;
}

static cuc_algorithm *find(const struct request *r)
{
    for (size_t i = 0; i < kept_count; i++) {
        const struct request *k = &kept[i].request;
        if (k->device == r->device && k->kind == r->kind && k->flags == r->flags &&
            k->in == r->in && k->out == r->out && same_text(k->fn, r->fn) &&
            same_text(k->identity, r->identity))
            return kept[i].plan;
    }
    return NULL;
}

static char *copy_text(const char *text, bool *lost)
{
    char *copy = text ? strdup(text) : NULL;

    *lost |= text && !copy;
    return copy;
}

static uint32_t inputs_of(const struct request *r)
{
    return r->kind == CUC_ALGORITHM_MERGE ? 2 : 1;
}

static cuc_status make(cuc_algorithm **out, const struct request *r)
{
    char x[CUC__ALGORITHM_NAME], second[CUC__ALGORITHM_NAME], y[CUC__ALGORITHM_NAME];
    const char *inputs[] = { x, second }, *outputs[] = { y };
    struct kept entry = { *r, NULL };
    bool lost = !CUC_RESERVE(kept, kept_capacity, kept_count + 1);

    snprintf(x, sizeof(x), "x: %s", cuc_dtype_name(r->in));
    snprintf(second, sizeof(second), "z: %s", cuc_dtype_name(r->in));
    snprintf(y, sizeof(y), "y: %s", cuc_dtype_name(r->out));
    cuc_status st = cuc_algorithm_create(
        &entry.plan, r->device,
        CUC_ALGORITHM_OPTIONS(.kind = r->kind, .flags = r->flags, .inputs = inputs,
                              .input_count = inputs_of(r), .outputs = outputs, .output_count = 1,
                              .fn = r->fn, .identity = r->identity));
    if (st < 0)
        return st;
    char *fn = copy_text(r->fn, &lost), *identity = copy_text(r->identity, &lost);
    if (lost) {
        free(fn);
        free(identity);
        cuc_algorithm_release(entry.plan);
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a plan");
    }
    entry.request.fn = fn;
    entry.request.identity = identity;
    kept[kept_count++] = entry;
    *out = entry.plan;
    return CUC_OK;
}

static cuc_status run(cuc_stream *stream, struct request r, const cuc_tensor *in,
                      const cuc_tensor *out)
{
    cuc_algorithm *plan;
    cuc_status st = CUC_OK;

    r.device = stream->device;
    r.in = in->dtype;
    r.out = out->dtype;
    pthread_mutex_lock(&lock);
    if (!(plan = find(&r)))
        st = make(&plan, &r);
    pthread_mutex_unlock(&lock);
    return st < 0 ? st
                  : cuc_algorithm_run(stream, plan,
                                      CUC_ALGORITHM_ARGS(.inputs = in, .input_count = inputs_of(&r),
                                                         .outputs = out, .output_count = 1));
}

cuc_status cuc_reduce(cuc_stream *stream, const char *fn, const char *identity, const cuc_tensor *x,
                      const cuc_tensor *y)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(fn);
    CUC_CHECK_NOT_NULL(x);
    CUC_CHECK_NOT_NULL(y);
    return CUC_PASS(run(
        stream, (struct request){ .kind = CUC_ALGORITHM_REDUCE, .fn = fn, .identity = identity }, x,
        y));
}

cuc_status cuc_scan(cuc_stream *stream, const char *fn, const char *identity, uint32_t flags,
                    const cuc_tensor *x, const cuc_tensor *y)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(fn);
    CUC_CHECK_NOT_NULL(x);
    CUC_CHECK_NOT_NULL(y);
    if (flags & ~(uint32_t)CUC_ALGORITHM_EXCLUSIVE)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "flags is 0x%" PRIx32 ", expected CUC_ALGORITHM_EXCLUSIVE or 0", flags);
    return CUC_PASS(
        run(stream,
            (struct request){
                .kind = CUC_ALGORITHM_SCAN, .flags = flags, .fn = fn, .identity = identity },
            x, y));
}

cuc_status cuc_merge(cuc_stream *stream, const cuc_tensor *x, const cuc_tensor *y,
                     const cuc_tensor *z)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(x);
    CUC_CHECK_NOT_NULL(y);
    CUC_CHECK_NOT_NULL(z);
    const cuc_tensor inputs[] = { *x, *y };
    return CUC_PASS(run(stream, (struct request){ .kind = CUC_ALGORITHM_MERGE }, inputs, z));
}
