// How many instructions a lane the simulator runs in a second, on one thread, over NVRTC's SAXPY.
#include "../tests/sim/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char saxpy[] = HARNESS_HEADER
    ".visible .entry saxpy(.param .f32 p0, .param .u64 p1, .param .u64 p2, .param .u32 p3)\n"
    "{\n"
    "  .reg .pred %p<2>;\n"
    "  .reg .b32 %r<6>;\n"
    "  .reg .f32 %f<5>;\n"
    "  .reg .b64 %rd<8>;\n"
    "  ld.param.f32 %f1, [p0];\n"
    "  ld.param.u64 %rd1, [p1];\n"
    "  ld.param.u64 %rd2, [p2];\n"
    "  ld.param.u32 %r2, [p3];\n"
    "  mov.u32 %r3, %ctaid.x;\n"
    "  mov.u32 %r4, %ntid.x;\n"
    "  mov.u32 %r5, %tid.x;\n"
    "  mad.lo.s32 %r1, %r3, %r4, %r5;\n"
    "  setp.ge.s32 %p1, %r1, %r2;\n"
    "  @%p1 bra $L__BB0_2;\n"
    "  cvta.to.global.u64 %rd3, %rd1;\n"
    "  cvta.to.global.u64 %rd4, %rd2;\n"
    "  mul.wide.s32 %rd5, %r1, 4;\n"
    "  add.s64 %rd6, %rd3, %rd5;\n"
    "  ld.global.f32 %f2, [%rd6];\n"
    "  add.s64 %rd7, %rd4, %rd5;\n"
    "  ld.global.f32 %f3, [%rd7];\n"
    "  fma.rn.f32 %f4, %f1, %f2, %f3;\n"
    "  st.global.f32 [%rd7], %f4;\n"
    "$L__BB0_2:\n"
    "  ret;\n"
    "}\n";

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    enum { RUNS = 11 };
    uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : UINT32_C(1) << 20;
    double times[RUNS];

    setenv("CUCORE_SIM_THREADS", "1", 0);
    struct sim_program *program = harness_load(saxpy);
    float *x = harness_memory(4 * (size_t)n), *y = harness_memory(4 * (size_t)n);
    union {
        float f;
        uint32_t u;
    } a = { 2.0f };
    struct harness_launch launch = {
        .grid = { (n + 255) / 256 },
        .block = { 256 },
        .arguments = { a.u, HARNESS_POINTER(x), HARNESS_POINTER(y), n },
    };
    for (uint32_t i = 0; i < n; i++)
        x[i] = (float)(i % 1000);
    for (int run = 0; run < RUNS; run++) {
        double start = seconds();
        if (harness_run(program, &launch) != 0) {
            fprintf(stderr, "%s\n", harness_report());
            return 1;
        }
        times[run] = seconds() - start;
    }
    // Nothing that is not verified is timed.
    for (uint32_t i = 0; i < n; i++) {
        if (y[i] != (float)RUNS * 2.0f * (float)(i % 1000)) {
            fprintf(stderr, "y[%u] is %g\n", i, (double)y[i]);
            return 1;
        }
    }
    qsort(times, RUNS, sizeof(times[0]), by_value);
    double median = times[RUNS / 2];
    printf("saxpy of %u: %.3f ms (p10 %.3f, p90 %.3f), %.0f M elements/s, %.2f G "
           "lane-instructions/s\n",
           n, 1e3 * median, 1e3 * times[RUNS / 10], 1e3 * times[RUNS * 9 / 10],
           1e-6 * (double)n / median, 1e-9 * (double)harness_instructions() / median);
    harness_release(x);
    harness_release(y);
    sim_program_free(program);
    return 0;
}
