// The simulated driver itself: instructions per second, cost of its checks, memory use. Child
// processes run the measurements, because the driver reads its settings when it is loaded; this
// process's own driver does not matter.
#include "base/array.h"
#include "foreign.h"
#include "sim_service.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Settings that distinguish the subjects. The subject with the first setting is the peer.
static const struct setting {
    const char *name, *check;
} settings[] = {
    { "none", "CUCORE_SIM_CHECK=" },           { "init", "CUCORE_SIM_CHECK=init" },
    { "race", "CUCORE_SIM_CHECK=race" },       { "async", "CUCORE_SIM_CHECK=async" },
    { "barrier", "CUCORE_SIM_CHECK=barrier" }, { "all", "CUCORE_SIM_CHECK=all" },
};

// Return the environment change that selects the simulated driver; NULL if CUCORE_DRIVER names one
// already.
static const char *driver(void)
{
    static const char name[] = "libcucore-sim";
    const char *chosen = getenv("CUCORE_DRIVER");
    const char *slash = chosen ? strrchr(chosen, '/') : NULL;

    return slash && strncmp(slash + 1, name, strlen(name)) == 0 ? NULL : "CUCORE_DRIVER=sim";
}

static cuc_status start(bench_child **out, cuc_bench_state *state, const struct setting *setting,
                        const char *threads)
{
    static const char *const command[] = { "", "bench", "--serve", "sim", NULL };
    const char *const wanted[] = { setting->check, threads, driver() };
    const char *changes[CUC_LENGTH(wanted) + 1] = { NULL };
    size_t count = 0;
    bench_child *child;

    for (size_t i = 0; i < CUC_LENGTH(wanted); i++)
        if (wanted[i])
            changes[count++] = wanted[i];
    cuc_status st = bench_child_start(&child, "the simulator's process", command, changes);

    if (st >= 0 && (st = cuc_bench_state_defer(state, bench_child_end, child)) >= 0)
        *out = child;
    return st;
}

// Add a subject for each of the first `count` settings. Each subject runs the kernel that `point`
// describes. `items`, unless NULL, receives the kernel's instruction count.
static cuc_status add(cuc_bench_state *state, size_t count, const char *threads, json_t *point,
                      double *items)
{
    cuc_status st = point ? CUC_OK : bench_no_memory("a request");

    for (size_t i = 0; i < count && st >= 0; i++) {
        cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
        bench_child *child;
        json_t *answer = NULL;
        subject.name = count > 1 ? settings[i].name : "simulator";
        subject.modes = CUC_BENCH_CPU;
        subject.flags = count > 1 && i == 0 ? CUC_BENCH_PEER : 0;
        if ((st = start(&child, state, &settings[i], threads)) < 0)
            break;
        st = bench_foreign_add(state, &subject, child, json_incref(point), &answer);
        if (st >= 0 && i == 0 && items)
            *items = json_number_value(json_object_get(answer, "items"));
        json_decref(answer);
    }
    json_decref(point);
    return st;
}

static json_t *request(const char *kernel, int64_t n)
{
    return json_pack("{s:s, s:s, s:I}", "do", "point", "kernel", kernel, "n", (json_int_t)n);
}

// Run the blocks on one thread, so that the figure is per core.
static cuc_status set_up_instructions(cuc_bench_state *state, void *data)
{
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    json_t *point = request(cuc_bench_state_text(state, "kernel"), cuc_bench_state_int(state, "n"));
    cuc_status st = add(state, CUC_LENGTH(settings), "CUCORE_SIM_THREADS=1", point, &work.items);

    (void)data;
    work.item = "lane-instructions";
    work.peak = "";
    return st < 0 ? st : cuc_bench_state_set_work(state, &work);
}

static cuc_status set_up_saxpy(cuc_bench_state *state, void *data)
{
    int64_t n = cuc_bench_state_int(state, "n");
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    cuc_status st = add(state, 1, NULL, request("saxpy", n), &work.items);

    (void)data;
    work.bytes = 12.0 * (double)n;
    work.flop = 2.0 * (double)n;
    work.item = "lane-instructions";
    work.peak = "";
    return st < 0 ? st : cuc_bench_state_set_work(state, &work);
}

static cuc_status set_up_matmul(cuc_bench_state *state, void *data)
{
    int64_t n = cuc_bench_state_int(state, "n");
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    cuc_status st = add(state, 1, NULL, request("matmul", n), NULL);

    (void)data;
    work.flop = 2.0 * (double)n * (double)n * (double)n;
    work.peak = "";
    return st < 0 ? st : cuc_bench_state_set_work(state, &work);
}

// Report the growth of the process's memory. The check permits a growth of up to twice the
// allocated device memory.
static cuc_status set_up_memory(cuc_bench_state *state, void *data)
{
    json_t *point = request("saxpy", cuc_bench_state_int(state, "bytes") / 8);

    (void)data;
    json_object_set_new(point, "most_resident", json_real(2));
    return add(state, CUC_LENGTH(settings), NULL, point, NULL);
}

static const cuc_bench_axis instructions_axes[] = {
    BENCH_AXIS("kernel", STRING, "saxpy,reverse", NULL),
    BENCH_AXIS("n", POW2, "18", "14"),
};
static const cuc_bench_axis saxpy_axes[] = { BENCH_AXIS("n", POW2, "24", "18") };
static const cuc_bench_axis matmul_axes[] = { BENCH_AXIS("n", INT, "1024", "128") };
static const cuc_bench_axis memory_axes[] = { BENCH_AXIS("bytes", POW2, "28", "25") };

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "sim", .name = "instructions",
               .about = "lane-instructions a second of a core, and what each check costs",
               BENCH_AXES(instructions_axes), .setup = set_up_instructions, .modes = CUC_BENCH_CPU,
               .flags = CUC_BENCH_CASE_NO_DEVICE),
    BENCH_CASE(.suite = "sim", .name = "saxpy", .about = "SAXPY on all cores",
               BENCH_AXES(saxpy_axes), .setup = set_up_saxpy, .modes = CUC_BENCH_CPU,
               .flags = CUC_BENCH_CASE_NO_DEVICE),
    BENCH_CASE(.suite = "sim", .name = "matmul",
               .about = "a product of f16 matrices by mma.sync on all cores",
               BENCH_AXES(matmul_axes), .setup = set_up_matmul, .modes = CUC_BENCH_CPU,
               .flags = CUC_BENCH_CASE_NO_DEVICE),
    BENCH_CASE(.suite = "sim", .name = "memory",
               .about = "SAXPY on all cores, and the memory that takes", BENCH_AXES(memory_axes),
               .setup = set_up_memory, .modes = CUC_BENCH_CPU, .flags = CUC_BENCH_CASE_NO_DEVICE),
};

const bench_suite bench_sim_suite = { "sim", cases, CUC_LENGTH(cases), bench_sim_serve, NULL };
