// Cases of cucore_sample, a cucore program for testing the command bench. They are small, all but
// one need no device, and they have every possible outcome.
#include "base/array.h"
#include "cases/cases.h"
#include "cases/draw.h"

#include <cucore/copy.h>
#include <cucore/error.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void wait_us(long us)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

static cuc_status wait_short(void *data, cuc_stream *stream, uint64_t set)
{
    (void)data;
    (void)stream;
    (void)set;
    wait_us(20);
    return CUC_OK;
}

static cuc_status wait_twice(void *data, cuc_stream *stream, uint64_t set)
{
    wait_short(data, stream, set);
    return wait_short(data, stream, set);
}

static cuc_status is_right(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    (void)data;
    (void)stream;
    (void)why;
    (void)why_size;
    return CUC_OK;
}

static cuc_status is_wrong(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    (void)data;
    (void)stream;
    snprintf(why, why_size, "word 7 is 1, expected 2");
    return 1;
}

static cuc_bench_subject waits(const char *name)
{
    cuc_bench_subject s = CUC_BENCH_SUBJECT_INIT;

    s.name = name;
    s.kind = CUC_BENCH_KIND_CPU;
    s.run = wait_short;
    s.check = is_right;
    return s;
}

// Sets up a subject that takes twice as long as its peer, but may take only 1.1 times as long.
static cuc_status set_up_pair(cuc_bench_state *state, void *data)
{
    cuc_bench_subject peer = waits("once"), subject = waits("twice");
    cuc_bench_work work = CUC_BENCH_WORK_INIT;

    (void)data;
    work.items = (double)cuc_bench_state_int(state, "n");
    work.item = "waits";
    peer.flags = CUC_BENCH_PEER;
    subject.run = wait_twice;
    subject.limit = 1.1;
    cuc_status st = cuc_bench_state_set_work(state, &work);
    if (st >= 0)
        st = cuc_bench_state_add_subject(state, &subject);
    return st < 0 ? st : cuc_bench_state_add_subject(state, &peer);
}

static cuc_status take_steadily(void *data, uint64_t set, double *seconds)
{
    (void)data;
    (void)set;
    *seconds = 1e-3;
    return CUC_OK;
}

static cuc_status take_by_turns(void *data, uint64_t set, double *seconds)
{
    (void)data;
    *seconds = set % 2 ? 1.3e-3 : 0.9e-3;
    return CUC_OK;
}

// Sets up a subject that takes about 1.1 times as long as its peer, so near its limit of 1.1 that
// no verdict is possible.
static cuc_status set_up_doubtful(cuc_bench_state *state, void *data)
{
    cuc_bench_subject peer = waits("steady"), subject = waits("turns");

    (void)data;
    peer.kind = subject.kind = CUC_BENCH_KIND_FOREIGN;
    peer.run = subject.run = NULL;
    peer.sample = take_steadily;
    subject.sample = take_by_turns;
    peer.flags = CUC_BENCH_PEER;
    subject.limit = 1.1;
    cuc_status st = cuc_bench_state_add_subject(state, &subject);
    return st < 0 ? st : cuc_bench_state_add_subject(state, &peer);
}

static cuc_status take_by_point(void *data, uint64_t set, double *seconds)
{
    (void)set;
    *seconds = 1e-3 * *(const double *)data;
    return CUC_OK;
}

// Sets up a peer that takes 1 ms, and a subject that takes the point's number of milliseconds.
static cuc_status set_up_drawn(cuc_bench_state *state, void *data)
{
    static double number;
    cuc_bench_subject peer = waits("steady"), subject = waits("drawn");

    (void)data;
    number = strtod(cuc_bench_state_text(state, "point") + 1, NULL);
    peer.kind = subject.kind = CUC_BENCH_KIND_FOREIGN;
    peer.run = subject.run = NULL;
    peer.sample = take_steadily;
    subject.sample = take_by_point;
    subject.data = &number;
    peer.flags = CUC_BENCH_PEER;
    cuc_status st = cuc_bench_state_add_subject(state, &subject);
    return st < 0 ? st : cuc_bench_state_add_subject(state, &peer);
}

static cuc_status set_up_wrong(cuc_bench_state *state, void *data)
{
    cuc_bench_subject subject = waits("wrong");

    (void)data;
    subject.check = is_wrong;
    return cuc_bench_state_add_subject(state, &subject);
}

static cuc_status set_up_missing(cuc_bench_state *state, void *data)
{
    (void)data;
    return cuc_bench_state_skip(state, "it is not here");
}

static cuc_status fill(void *data, cuc_stream *stream, uint64_t set)
{
    return cuc_fill(stream, cuc_bench_input_ptr(data, set), 0, 1, cuc_bench_input_bytes(data));
}

static cuc_status set_up_fill(cuc_bench_state *state, void *data)
{
    cuc_bench_input_options options = CUC_BENCH_INPUT_OPTIONS_INIT;
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    cuc_bench_input *input;

    (void)data;
    options.count = (uint64_t)cuc_bench_state_int(state, "bytes");
    options.dtype = CUC_U8;
    options.sets = 1;
    work.bytes = (double)options.count;
    cuc_status st = cuc_bench_state_add_input(&input, state, &options);
    if (st >= 0)
        st = cuc_bench_state_set_work(state, &work);
    subject.name = "fill";
    subject.run = fill;
    subject.unchecked = "the test looks at what is printed";
    subject.data = st >= 0 ? input : NULL;
    return st < 0 ? st : cuc_bench_state_add_subject(state, &subject);
}

static const cuc_bench_axis n_axis[] = { { "n", "1,2,4", "1", CUC_BENCH_AXIS_INT, 0 } };
static const cuc_bench_axis point_axis[] = {
    { "point", "x1,x2", NULL, CUC_BENCH_AXIS_STRING, 0 },
};
static const cuc_bench_axis bytes_axis[] = { { "bytes", "10,12", NULL, CUC_BENCH_AXIS_POW2, 0 } };

#define CASE(suite_, name_, about_, axes_, count_, setup_, flags_, modes_)                      \
    {                                                                                           \
        .struct_size = sizeof(cuc_bench_case), .suite = suite_, .name = name_, .about = about_, \
        .axes = axes_, .axis_count = count_, .setup = setup_, .flags = flags_, .modes = modes_  \
    }

static const cuc_bench_case waiting[] = {
    CASE("waiting", "pair", "one wait against two", n_axis, 1, set_up_pair,
         CUC_BENCH_CASE_NO_DEVICE, 0),
    CASE("waiting", "wrong", "a check that does not pass", NULL, 0, set_up_wrong,
         CUC_BENCH_CASE_NO_DEVICE, 0),
    CASE("waiting", "doubt", "an interval with the limit in it", NULL, 0, set_up_doubtful,
         CUC_BENCH_CASE_NO_DEVICE, 0),
    CASE("waiting", "missing", "a point that is skipped", NULL, 0, set_up_missing,
         CUC_BENCH_CASE_NO_DEVICE, 0),
    CASE("waiting", "drawn", "points at random", point_axis, 1, set_up_drawn,
         CUC_BENCH_CASE_NO_DEVICE, 0),
    CASE("waiting", "few", "two points at random", point_axis, 1, set_up_drawn,
         CUC_BENCH_CASE_NO_DEVICE, 0),
};

static const cuc_bench_case device[] = {
    CASE("device", "fill", "zeros on the device", bytes_axis, 1, set_up_fill, 0,
         CUC_BENCH_COLD | CUC_BENCH_HOT),
};

static void draw(char *out, size_t size, bench_random *r)
{
    snprintf(out, size, "x%d", (int)bench_random_log(r, 1, 1000));
}

static void draw_one_of_two(char *out, size_t size, bench_random *r)
{
    snprintf(out, size, "x%d", (int)bench_random_uniform(r, 1, 2));
}

static const bench_draw draws[] = {
    { "drawn", draw },
    { "few", draw_one_of_two },
    { NULL, NULL },
};

static const bench_suite waiting_suite = { "waiting", waiting, CUC_LENGTH(waiting), NULL, draws };
static const bench_suite device_suite = { "device", device, CUC_LENGTH(device), NULL, NULL };

const bench_suite *const bench_suites[] = { &waiting_suite, &device_suite, NULL };
