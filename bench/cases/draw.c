#include "draw.h"

#include <cucore/error.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double bench_random_unit(bench_random *r)
{
    double x = 0;

    (void)cuc_bench_generate(
        &x, CUC_BENCH_INPUT(.count = 1, .dtype = CUC_F64, .fill = CUC_BENCH_UNIFORM, .high = 1),
        r->seed, r->stream, r->at++);
    return x < 1 ? x : 0;
}

int64_t bench_random_uniform(bench_random *r, int64_t low, int64_t high)
{
    return low + (int64_t)(bench_random_unit(r) * (double)(high - low + 1));
}

int64_t bench_random_log(bench_random *r, int64_t low, int64_t high)
{
    double x = (double)low * pow((double)(high + 1) / (double)low, bench_random_unit(r));

    return x < (double)high ? (int64_t)x : high;
}

int64_t bench_random_multiple(bench_random *r, int64_t low, int64_t high, int64_t step)
{
    return step * bench_random_log(r, low / step, high / step);
}

// FNV-1a, so that cases draw independently of each other and of their order.
static uint32_t hash(uint32_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * 16777619;
    return h;
}

static bool has_value(const char *list, const char *value)
{
    size_t length = strlen(value);

    for (const char *at = list; (at = strstr(at, value)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

char *bench_draw_points(const cuc_bench_case *c, bench_draw_point *draw, uint64_t seed,
                        uint32_t count)
{
    enum { LONGEST = 96 };
    bench_random r = { .seed = seed, .stream = hash(hash(2166136261u, c->suite), c->name) };
    char *list = malloc((size_t)count * LONGEST + 1), point[LONGEST];
    size_t used = 0;

    if (!list) {
        (void)cuc_error_set(CUC_ERROR_OUT_OF_MEMORY, "cucore bench",
                            "no host memory for random points");
        return NULL;
    }
    *list = '\0';
    // Small extents, such as those on the simulated driver, may have fewer points than requested.
    for (uint64_t tries = 0, drawn = 0; drawn < count && tries < 100 * (uint64_t)count; tries++) {
        draw(point, sizeof(point), &r);
        if (has_value(list, point))
            continue;
        used += (size_t)sprintf(list + used, "%s%s", used ? "," : "", point);
        drawn++;
    }
    return list;
}

uint32_t bench_draw_mode(double flop, double bytes)
{
    const double flop_per_s = 500e12, bytes_per_s = 3.5e12, small_s = 100e-6;

    return fmax(flop / flop_per_s, bytes / bytes_per_s) < small_s ? CUC_BENCH_GRAPH
                                                                  : CUC_BENCH_COLD;
}
