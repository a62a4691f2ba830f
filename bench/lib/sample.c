#include "sample.h"

#include "clocks.h"

#include <cucore/launch.h>

#include <math.h>

enum {
    WARM_UPS = 3,
    MAX_BATCH_GPU = 100, // a stream's queue holds some 1000 launches without blocking,
                         // and a run may make ten of them
    MAX_BATCH_CPU = 1000000,
};

// Minimum durations of a sample, to make the timer's resolution negligible.
static const double HOT_SECONDS = 1e-3, SUBMIT_SECONDS = 50e-6, CPU_SECONDS = 20e-6,
                    WAKE_SECONDS = 0.1;

static cuc_status prepare(const cuc_bench_subject *s, cuc_stream *stream, uint64_t set)
{
    return s->prepare ? s->prepare(s->data, stream, set) : CUC_OK;
}

static cuc_status run_batch(const struct cuc__bench_trial *t, cuc_stream *stream, uint64_t set)
{
    const cuc_bench_subject *s = t->subject;
    cuc_status st = CUC_OK;

    for (uint64_t i = 0; i < t->batch && st >= 0; i++)
        st = s->run(s->data, stream, set + i);
    return st;
}

static cuc_status fail_blocked(const struct cuc__bench_trial *t, const struct cuc__bench_gpu *g)
{
    return cuc__bench_fail(CUC_ERROR_NOT_SUPPORTED, "cuc_bench_run",
                           "%s: run() waited for its stream, or took more than %g s to enqueue: "
                           "let it only enqueue, or give the subject CUC_BENCH_SYNCHRONISES",
                           t->subject->name, g->block_timeout_s);
}

// Enqueue the batch run by run, between the two events.
static cuc_status enqueue_runs(const struct cuc__bench_trial *t, struct cuc__bench_gpu *g,
                               uint64_t set)
{
    return run_batch(t, g->stream, set);
}

static cuc_status launch_graph(const struct cuc__bench_trial *t, struct cuc__bench_gpu *g,
                               uint64_t set)
{
    (void)set; // the captured graph already contains the sets
    return cuc_graph_exec_launch(g->stream, t->graph);
}

// Measure device time between two events around the work that `enqueue` adds. The stream is held
// until everything is enqueued, so the device never waits for the host.
static cuc_status sample_events(struct cuc__bench_sample *out, const struct cuc__bench_trial *t,
                                struct cuc__bench_gpu *g, uint64_t set,
                                cuc_status (*enqueue)(const struct cuc__bench_trial *t,
                                                      struct cuc__bench_gpu *g, uint64_t set))
{
    // With CUCORE_LAUNCH_BLOCKING every launch waits for its kernel, so the blocking kernel would
    // wait until its timeout.
    bool block = !(t->subject->flags & CUC_BENCH_SYNCHRONISES) && !cuc_launch_is_blocking();
    double before = 0, after = 0;
    float ms = 0;
    cuc_status st = prepare(t->subject, g->stream, set);

    if (st >= 0 && t->mode == CUC_BENCH_COLD)
        st = cuc__bench_flush(g);
    if (st >= 0)
        st = block ? cuc__bench_block(g) : cuc_stream_synchronize(g->stream);
    if (st < 0)
        return st;
    if ((st = cuc_event_record(g->stream, g->start)) >= 0) {
        before = cuc__bench_now();
        st = enqueue(t, g, set);
        after = cuc__bench_now();
    }
    if (st >= 0)
        st = cuc_event_record(g->stream, g->stop);
    if (block)
        cuc__bench_unblock(g);
    if (st < 0) {
        (void)cuc_stream_synchronize(g->stream); // keeps this work out of the next sample
        return st;
    }
    if ((st = cuc_event_synchronize(g->stop)) < 0)
        return st;
    if (block && cuc__bench_block_expired(g))
        return fail_blocked(t, g);
    if ((st = cuc_event_get_elapsed(&ms, g->start, g->stop)) < 0)
        return st;
    g->busy_at = after;
    out->seconds = (double)ms * 1e-3 / (double)t->batch;
    out->cpu_seconds = (after - before) / (double)t->batch;
    return CUC_OK;
}

// Measure the host time of the calls. Waiting for enqueued work is not measured.
static cuc_status sample_host(struct cuc__bench_sample *out, const struct cuc__bench_trial *t,
                              struct cuc__bench_gpu *g, uint64_t set)
{
    cuc_stream *stream = g ? g->stream : NULL;
    cuc_status st = prepare(t->subject, stream, set);

    if (st < 0 || (stream && (st = cuc_stream_synchronize(stream)) < 0))
        return st;
    double before = cuc__bench_now();
    st = run_batch(t, stream, set);
    double after = cuc__bench_now();
    cuc_status waited = stream ? cuc_stream_synchronize(stream) : CUC_OK;
    out->seconds = (after - before) / (double)t->batch;
    out->cpu_seconds = NAN;
    return st < 0 ? st : waited;
}

static cuc_status sample_foreign(struct cuc__bench_sample *out, const struct cuc__bench_trial *t,
                                 struct cuc__bench_gpu *g, uint64_t set)
{
    const cuc_bench_subject *s = t->subject;
    cuc_status st = prepare(s, g ? g->stream : NULL, set);

    out->seconds = NAN;
    out->cpu_seconds = NAN;
    if (st >= 0 && (st = s->sample(s->data, set, &out->seconds)) >= 0 &&
        !(out->seconds >= 0 && isfinite(out->seconds)))
        st = cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_bench_run",
                             "%s: sample() gave %g seconds", s->name, out->seconds);
    return st;
}

cuc_status cuc__bench_sample(struct cuc__bench_sample *out, struct cuc__bench_trial *t,
                             struct cuc__bench_gpu *gpu, uint64_t set)
{
    if (t->subject->kind == CUC_BENCH_KIND_FOREIGN)
        return sample_foreign(out, t, gpu, set);
    if (t->mode == CUC_BENCH_CPU)
        return sample_host(out, t, gpu, set);
    // A graph contains the first sets, whichever set was prepared.
    return t->graph ? sample_events(out, t, gpu, 0, launch_graph)
                    : sample_events(out, t, gpu, set, enqueue_runs);
}

// Return the number of runs that take `wanted` seconds.
static uint64_t batch_for(double wanted, double seconds, uint64_t most)
{
    double runs = seconds > 0 ? ceil(wanted / seconds) : (double)most;

    return runs < 1 ? 1 : runs > (double)most ? most : (uint64_t)runs;
}

static cuc_status warm_up(struct cuc__bench_sample *best, struct cuc__bench_trial *t,
                          struct cuc__bench_gpu *gpu, int times)
{
    struct cuc__bench_sample one;
    cuc_status st = CUC_OK;

    best->seconds = INFINITY;
    for (int i = 0; i < times && st >= 0; i++) {
        st = cuc__bench_sample(&one, t, gpu, (uint64_t)i);
        if (st >= 0 && one.seconds < best->seconds)
            *best = one;
    }
    return st;
}

// Choose a batch that makes a sample long enough. Runs that enqueue much work may fill the queue
// while the stream is held; if they do, try smaller batches.
static cuc_status choose_batch(struct cuc__bench_trial *t, struct cuc__bench_gpu *gpu,
                               double seconds)
{
    struct cuc__bench_sample s;
    cuc_status st;

    if (t->mode == CUC_BENCH_CPU) {
        bool submits = t->subject->kind == CUC_BENCH_KIND_GPU;
        t->batch = batch_for(submits ? SUBMIT_SECONDS : CPU_SECONDS, seconds,
                             submits ? MAX_BATCH_GPU : MAX_BATCH_CPU);
        return CUC_OK;
    }
    t->batch = batch_for(HOT_SECONDS, seconds, MAX_BATCH_GPU);
    for (;;) {
        st = cuc__bench_sample(&s, t, gpu, 0);
        if (st >= 0 || t->batch == 1 || !gpu || !cuc__bench_block_expired(gpu))
            return st;
        t->batch = t->batch / 4 ? t->batch / 4 : 1;
    }
}

// Keep an idle device busy until its clocks have risen.
static cuc_status wake(struct cuc__bench_gpu *g)
{
    double begun = cuc__bench_now(), idle = begun - g->busy_at;
    cuc_status st = CUC_OK;

    if (!g->simulated && idle > 0.2)
        while (st >= 0 && cuc__bench_now() - begun < WAKE_SECONDS)
            if ((st = cuc__bench_flush(g)) >= 0)
                st = cuc_stream_synchronize(g->stream);
    g->busy_at = cuc__bench_now();
    return st;
}

// Capture the batch as a graph, ready for replay.
static cuc_status capture(struct cuc__bench_trial *t, struct cuc__bench_gpu *g)
{
    cuc_graph *graph;
    cuc_status st = cuc_stream_begin_capture(g->stream, CUC_CAPTURE_RELAXED);

    if (st < 0)
        return st;
    if ((st = run_batch(t, g->stream, 0)) < 0) {
        (void)cuc_stream_cancel_capture(g->stream);
        return st;
    }
    if ((st = cuc_stream_end_capture(&graph, g->stream)) < 0)
        return st;
    st = cuc_graph_instantiate(&t->graph, graph, NULL);
    cuc_graph_release(graph);
    return st < 0 ? st : cuc_graph_exec_upload(g->stream, t->graph);
}

cuc_status cuc__bench_trial_begin(struct cuc__bench_trial *t, struct cuc__bench_gpu *gpu,
                                  const cuc_bench_subject *subject, uint32_t mode)
{
    struct cuc__bench_sample best;
    bool batched = mode != CUC_BENCH_COLD && subject->kind != CUC_BENCH_KIND_FOREIGN;
    cuc_status st = CUC_OK;

    *t = (struct cuc__bench_trial){ .subject = subject, .mode = mode, .batch = 1 };
    if (gpu && subject->kind == CUC_BENCH_KIND_GPU && mode != CUC_BENCH_CPU)
        st = cuc__bench_gpu_kernels(gpu);
    if (st >= 0 && gpu && gpu->flush)
        st = wake(gpu);
    if (st >= 0)
        st = warm_up(&best, t, gpu, subject->batch == 1 && batched ? 1 : WARM_UPS);
    if (st < 0 || !batched)
        return st;
    t->batch = subject->batch;
    if (!t->batch)
        st = choose_batch(t, gpu, best.seconds);
    if (st < 0 || mode != CUC_BENCH_GRAPH)
        return st;
    if ((st = capture(t, gpu)) >= 0)
        st = warm_up(&best, t, gpu, 1); // the first replay may be slower
    return st;
}

void cuc__bench_trial_end(struct cuc__bench_trial *t)
{
    cuc_graph_exec_release(t->graph);
    *t = (struct cuc__bench_trial){ 0 };
}
