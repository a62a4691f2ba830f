#include "clocks.h"

#include <time.h>

enum {
    HARD = CUC_THROTTLE_HARDWARE | CUC_THROTTLE_THERMAL | CUC_THROTTLE_HOT |
           CUC_THROTTLE_POWER_BRAKE,
};

static cuc_status read_device(void *data, cuc_device_sensors *out)
{
    return cuc_device_get_sensors(
        out, data, CUC_SENSOR_SM_CLOCK | CUC_SENSOR_MEMORY_CLOCK | CUC_SENSOR_THROTTLE);
}

double cuc__bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void cuc__bench_clocks_init(struct cuc__bench_clocks *c, cuc_device *device)
{
    // NVML polls the device only about ten times a second, and each read takes time.
    *c = (struct cuc__bench_clocks){ .read = device ? read_device : NULL,
                                     .data = device,
                                     .interval_s = 1e-3 };
}

struct cuc__bench_clock cuc__bench_clocks_read(struct cuc__bench_clocks *c)
{
    cuc_device_sensors now = CUC_DEVICE_SENSORS_INIT;
    struct cuc__bench_clock clock = { 0 };

    double at = cuc__bench_now();

    if (!c->read)
        return clock;
    if (c->readings && at - c->read_at < c->interval_s)
        return c->last;
    if (c->read(c->data, &now) < 0) {
        c->read = NULL; // no NVML, or a simulated device: do not ask again
        return clock;
    }
    clock.sm_mhz = now.sm_mhz;
    clock.throttle = now.throttle;
    c->throttle |= now.throttle;
    c->memory_mhz = now.memory_mhz;
    if (now.sm_mhz && now.sm_mhz < CUC__BENCH_MAX_MHZ) {
        c->seen[now.sm_mhz]++;
        c->readings++;
    }
    c->last = clock;
    c->read_at = at;
    return clock;
}

struct cuc__bench_clock cuc__bench_clocks_between(struct cuc__bench_clock before,
                                                  struct cuc__bench_clock after)
{
    struct cuc__bench_clock clock = after;

    if (before.sm_mhz && before.sm_mhz < after.sm_mhz)
        clock.sm_mhz = before.sm_mhz;
    clock.throttle |= before.throttle;
    return clock;
}

// Return the lowest clock such that half of the `total` readings are at or below it.
static uint32_t middle(const uint32_t *seen, uint32_t total)
{
    uint32_t mhz = 0;

    for (uint32_t sum = 0; mhz < CUC__BENCH_MAX_MHZ; mhz++)
        if ((sum += seen[mhz]) * 2 >= total)
            break;
    return mhz;
}

size_t cuc__bench_clocks_judge(bool *discard, double *median_mhz,
                               const struct cuc__bench_clock *clocks, size_t count, double below)
{
    uint32_t seen[CUC__BENCH_MAX_MHZ] = { 0 }, total = 0;
    size_t discarded = 0;

    for (size_t i = 0; i < count; i++) {
        if (clocks[i].sm_mhz && clocks[i].sm_mhz < CUC__BENCH_MAX_MHZ) {
            seen[clocks[i].sm_mhz]++;
            total++;
        }
    }
    double median = total ? middle(seen, total) : 0;
    for (size_t i = 0; i < count; i++) {
        bool low = clocks[i].sm_mhz && clocks[i].sm_mhz < below * median;
        discard[i] = low || (clocks[i].throttle & HARD);
        discarded += discard[i];
    }
    if (median_mhz)
        *median_mhz = median;
    return discarded;
}

bool cuc__bench_clocks_range(const struct cuc__bench_clocks *c, uint32_t *min, uint32_t *median,
                             uint32_t *max)
{
    if (!c->readings)
        return false;
    *min = CUC__BENCH_MAX_MHZ;
    for (uint32_t mhz = 0; mhz < CUC__BENCH_MAX_MHZ; mhz++) {
        if (c->seen[mhz]) {
            if (mhz < *min)
                *min = mhz;
            *max = mhz;
        }
    }
    *median = middle(c->seen, c->readings);
    return true;
}
