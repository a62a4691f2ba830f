// Checks the option `determinism` of <cucore/algorithm.h>: results in any order are right, and
// those for every GPU have the same bits in code for several architectures and numbers of
// multiprocessors.
#include "algorithm/algorithm.h"
#include "algorithm_testing.h"
#include "base/array.h"
#include "device/device.h"

struct work {
    int32_t kind;
    const char *inputs[4], *outputs[5], *fn, *identity;
};

#define RECURRENCE "fn steps(g, x, h, y) { return g * h, x * h + y }"

static const struct work floats[] = {
    { CUC_ALGORITHM_REDUCE, { "x: f32" }, { "y: f32" }, "sum", NULL },
    { CUC_ALGORITHM_REDUCE,
      { "x: f16", "x", "x * x" },
      { "y: f32", "z: f64" },
      "fn add(a, b, c, d) { return a + c, b + d }",
      "0, 0" },
    { CUC_ALGORITHM_REDUCE_SEGMENTS, { "x: f32" }, { "y: f32" }, "sum", NULL },
    { CUC_ALGORITHM_SCAN, { "x: f32" }, { "y: f32" }, "sum", NULL },
    { CUC_ALGORITHM_SCAN, { "x: f64" }, { "y: f64" }, "prod", NULL },
    { CUC_ALGORITHM_SCAN,
      { "x: f32", "x / 1100.0", "x" },
      { "_: f32", "h: f32" },
      RECURRENCE,
      "1, 0" },
    { CUC_ALGORITHM_SCAN_BY_KEY, { "x: f32", "i // 700", "x" }, { "y: f32" }, "sum", NULL },
    { CUC_ALGORITHM_REDUCE_BY_KEY,
      { "x: f32", "i // 700", "x" },
      { "k: i32", "y: f32", "c: i64" },
      "sum",
      NULL },
};

static void make_plan(cuc_algorithm **plan, const struct work *w, int32_t determinism,
                      const char *arch, int32_t tile, uint32_t flags)
{
    ck_ok(cuc_algorithm_create(
        plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = w->kind, .flags = flags, .inputs = w->inputs,
                              .input_count = length_of(w->inputs), .outputs = w->outputs,
                              .output_count = length_of(w->outputs), .fn = w->fn,
                              .identity = w->identity, .determinism = determinism, .arch = arch,
                              .tile = tile, .count = 70011)));
}

// An input, offsets of segments, and the outputs.
struct arrays {
    struct array x, offsets, out[4];
    cuc_tensor outputs[4];
    cuc_algorithm_args args;
};

static void make_arrays(struct arrays *a, const cuc_algorithm *plan, int64_t n)
{
    const struct cuc__algorithm_kind *k = &plan->kind;

    memset(a, 0, sizeof(*a));
    make(&a->x, k->inputs[0].dtype, n, 1);
    make(&a->offsets, CUC_I64, n / 500 + 1, 1);
    for (int64_t i = 0; i < a->offsets.t.shape[0]; i++)
        set(&a->offsets, i, (double)(i * 500));
    send(&a->offsets);
    a->args = *CUC_ALGORITHM_ARGS(.inputs = &a->x.t, .input_count = 1, .outputs = a->outputs,
                                  .offsets = k->offsets ? &a->offsets.t : NULL);
    for (uint32_t i = 0; i < k->output_count; i++) {
        bool counts = plan->family->counts && i + 1 == k->output_count;
        if (k->outputs[i].dropped)
            continue;
        int64_t count = plan->family->by_segment                    ? n / 500
                        : counts || k->kind == CUC_ALGORITHM_REDUCE ? 1
                                                                    : n;
        make(&a->out[i], k->outputs[i].dtype, count, 1);
        a->outputs[a->args.output_count++] = a->out[i].t;
    }
}

static void drop_arrays(struct arrays *a)
{
    drop(&a->x);
    drop(&a->offsets);
    for (int i = 0; i < CUC_LENGTH(a->out); i++)
        drop(&a->out[i]);
}

CASE("order", .setup = setup, .teardown = teardown, .timeout = 300);

TEST_SLICE(every_gpu_gives_the_same_bits, slice, CUC_LENGTH(floats))
{
    static const struct {
        const char *arch;
        uint32_t multiprocessors;
    } targets[] = { { NULL, 0 }, { "sm_80", 300 }, { "sm_90", 1 } };
    static const struct {
        int64_t elements;
        int32_t tile;
    } counts[] = { { 1, 0 }, { 1000, 0 }, { 16385, 0 }, { 70011, 0 }, { 40011, 64 } };
    uint32_t multiprocessors = device->limits.multiprocessors;

    for (int c = 0; c < CUC_LENGTH(counts); c++) {
        struct arrays a[CUC_LENGTH(targets)];
        uint64_t start = seed;
        for (int i = 0; i < CUC_LENGTH(targets); i++) {
            cuc_algorithm *plan;
            if (targets[i].multiprocessors)
                device->limits.multiprocessors = targets[i].multiprocessors;
            make_plan(&plan, &floats[_i], CUC_ALGORITHM_EVERY_GPU, targets[i].arch, counts[c].tile,
                      0);
            device->limits.multiprocessors = multiprocessors;
            make_arrays(&a[i], plan, counts[c].elements);
            seed = start;
            for (int64_t j = 0; j < counts[c].elements; j++)
                set(&a[i].x, j, (double)(below(1 << 20) + 1) / 977);
            send(&a[i].x);
            for (int j = 0; j < CUC_LENGTH(a[i].out); j++)
                if (a[i].out[j].buffer)
                    send(&a[i].out[j]);
            ck_ok(cuc_algorithm_run(stream, plan, &a[i].args));
            for (int j = 0; j < CUC_LENGTH(a[i].out); j++)
                if (a[i].out[j].buffer) {
                    receive(&a[i].out[j], a[i].out[j].t.shape[0]);
                    ck_assert_mem_eq(a[i].out[j].bytes, a[0].out[j].bytes, a[0].out[j].size);
                }
            cuc_algorithm_release(plan);
        }
        for (int i = 0; i < CUC_LENGTH(targets); i++)
            drop_arrays(&a[i]);
    }
}

// Sums of small integers, which are exact in every order.
static const struct work sums[] = {
    { CUC_ALGORITHM_SCAN, { "x: f32" }, { "y: f32" }, "sum", NULL },
    { CUC_ALGORITHM_SCAN, { "x: i8" }, { "y: f64" }, "sum", NULL },
    { CUC_ALGORITHM_SCAN, { "x: i32" }, { "y: i64" }, "sum", NULL },
    { CUC_ALGORITHM_SCAN, { "x: i64" }, { "y: i16" }, "sum", NULL },
    { CUC_ALGORITHM_SCAN, { "x: f32" }, { "y: f32" }, "max", NULL },
    { CUC_ALGORITHM_SCAN, { "x: i64" }, { "y: i64" }, "min", NULL },
    { CUC_ALGORITHM_SCAN, { "x: f32" }, { "y: f32" }, "fn add(a, b) { return a + b }", "0" },
    { CUC_ALGORITHM_REDUCE, { "x: f32" }, { "y: f32" }, "sum", NULL },
};

TEST_SLICE(results_in_any_order_agree_with_the_host, slice, CUC_LENGTH(sums))
{
    enum { COUNT = 20011 };
    const struct work *w = &sums[_i];
    bool scans = w->kind == CUC_ALGORITHM_SCAN, most = strcmp(w->fn, "max") == 0;
    bool least = strcmp(w->fn, "min") == 0;

    for (uint32_t exclusive = 0; exclusive <= scans; exclusive++)
        for (int32_t tile = 64; tile <= 4096; tile *= 64) {
            cuc_algorithm *plan;
            struct arrays a;
            make_plan(&plan, w, CUC_ALGORITHM_ANY_ORDER, NULL, tile,
                      exclusive ? CUC_ALGORITHM_EXCLUSIVE : 0);
            make_arrays(&a, plan, COUNT);
            for (int64_t i = 0; i < COUNT; i++)
                set(&a.x, i, (double)below(7) - 3 + (double)(i == 9999) * 70);
            send(&a.x);
            send(&a.out[0]);
            ck_ok(cuc_algorithm_run(stream, plan, &a.args));
            receive(&a.out[0], a.out[0].t.shape[0]);
            double r = most ? -INFINITY : least ? 0x1p63 : 0;
            for (int64_t i = 0; i < COUNT; i++) {
                double before = r, x = get(&a.x, i);
                r = most ? fmax(r, x) : least ? fmin(r, x) : r + x;
                if (scans)
                    check_value(&a.out[0], i, exclusive ? before : r, COUNT);
            }
            if (!scans)
                check_value(&a.out[0], 0, r, COUNT);
            drop_arrays(&a);
            cuc_algorithm_release(plan);
        }
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("algorithm order");
}
