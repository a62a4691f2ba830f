// Host time of a cucore call compared with the raw driver call, its peer. Waiting for enqueued work
// is not measured.
#include "base/array.h"
#include "peers.h"
#include "runtime_cases.h"
#include "suites.h"
#include "support.h"

#include <stdlib.h>

// One side of a case.
typedef struct side {
    struct bench *bench;
    const struct bench_case *what;
    int (*calls)(struct bench *b, int calls);
} side;

typedef struct runtime_point {
    struct bench bench;
    side cucore, raw;
} runtime_point;

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    const side *s = data;

    (void)stream;
    (void)set;
    return s->calls(s->bench, 1) ? bench_fail(CUC_ERROR_DRIVER, "%s failed", s->what->name)
                                 : CUC_OK;
}

static cuc_status is_full_of(void *data, void *to, uint64_t offset, size_t bytes)
{
    const side *s = data;
    uint32_t *words = to;

    (void)offset;
    for (size_t i = 0; i < bytes / 4; i++)
        words[i] = s->what->word;
    return CUC_OK;
}

static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    const side *s = data;
    cuc_device_ptr second = cuc_buffer_ptr(s->bench->buffer) + 4096;
    cuc_status st;

    // Clear the result that the other side left.
    if ((st = cuc_fill(stream, second, 0, 4, 1024)) < 0 || (st = run(data, stream, 0)) < 0)
        return st;
    return bench_compare(stream, second, 4096, is_full_of, data, why, why_size);
}

static void close_point(void *data)
{
    runtime_point *p = data;

    bench_close(&p->bench);
    free(p);
}

static cuc_status add(cuc_bench_state *state, side *s, const char *name, double limit,
                      uint32_t flags)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;

    subject.name = name;
    subject.data = s;
    subject.run = run;
    subject.check = s->what->unchecked ? NULL : check;
    subject.unchecked = s->what->unchecked;
    subject.batch = (uint32_t)s->what->batch;
    subject.limit = limit;
    subject.flags = flags;
    return cuc_bench_state_add_subject(state, &subject);
}

// Python peers for the case launch_3_arguments.
static const char *const launch_peers[] = { "cuda.core", "cucore-python", "cucore-prepared",
                                            "cupy",      "numba",         "triton",
                                            NULL };

static cuc_status set_up(cuc_bench_state *state, void *data)
{
    const struct bench_case *what = data;
    runtime_point *p = calloc(1, sizeof(*p));

    if (!p)
        return bench_no_memory("a point");
    cuc_status st =
        bench_open(&p->bench, cuc_bench_state_device(state), cuc_bench_state_stream(state));
    if (st < 0) {
        free(p);
        return st;
    }
    p->raw = (side){ &p->bench, what, what->raw };
    p->cucore = (side){ &p->bench, what, what->cuc };
    if ((st = cuc_bench_state_defer(state, close_point, p)) < 0 ||
        (st = cuc_fill(p->bench.stream, p->bench.raw_ptr, BENCH_FIRST, 4, 1024)) < 0 ||
        (st = add(state, &p->cucore, "cucore", what->limit, 0)) < 0 ||
        (st = add(state, &p->raw, "raw", 0, CUC_BENCH_PEER)) < 0 ||
        what != &bench_cases[BENCH_AT_launch_3_arguments])
        return st;
    return bench_peers_add(state, launch_peers, CUC_BENCH_CPU, "runtime", what->name, NULL);
}

static const cuc_bench_case cases[] = {
#define ROW(name_, limit, batch, raw, cuc, unchecked, word, about_)                    \
    BENCH_CASE(.suite = "runtime", .name = #name_, .about = (about_), .setup = set_up, \
               .data = &bench_cases[BENCH_AT_##name_], .modes = CUC_BENCH_CPU),
    BENCH_RUNTIME_CASES(ROW)
#undef ROW
};

const bench_suite bench_runtime_suite = { "runtime", cases, CUC_LENGTH(cases), NULL, NULL };
