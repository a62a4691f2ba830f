// Reads clocks around samples and detects samples spoiled by a low clock.
#ifndef CUCORE_BENCH_LIB_CLOCKS_H
#define CUCORE_BENCH_LIB_CLOCKS_H

#include "fail.h"

enum { CUC__BENCH_MAX_MHZ = 8192 };

// The clock around a sample; 0 MHz: unknown.
struct cuc__bench_clock {
    uint32_t sm_mhz;
    uint32_t reserved;
    uint64_t throttle;
};

struct cuc__bench_clocks {
    // Source of readings; a negative status means none are available, now and later.
    cuc_status (*read)(void *data, cuc_device_sensors *out);
    void *data;
    double interval_s; // reuse a reading that is no older than this
    double read_at;
    struct cuc__bench_clock last;
    uint64_t throttle;   // all throttle reasons seen while measuring
    uint32_t memory_mhz; // from the last reading
    uint32_t readings;
    uint32_t seen[CUC__BENCH_MAX_MHZ]; // number of readings per SM clock
};

double cuc__bench_now(void); // seconds on the monotonic clock

// Start reading the device's sensors.
void cuc__bench_clocks_init(struct cuc__bench_clocks *c, cuc_device *device);

// Take one reading and count it for the session.
struct cuc__bench_clock cuc__bench_clocks_read(struct cuc__bench_clocks *c);

// Combine the readings before and after a sample: the lower clock, and the reasons of both.
struct cuc__bench_clock cuc__bench_clocks_between(struct cuc__bench_clock before,
                                                  struct cuc__bench_clock after);

// Mark the samples to discard: samples with a clock below `below` times the median clock, and
// samples during a hardware slowdown or thermal throttling. A power limit alone does not count,
// because some kernels always reach it. Writes discard[count] and, unless NULL, the median clock;
// returns the number discarded.
size_t cuc__bench_clocks_judge(bool *discard, double *median_mhz,
                               const struct cuc__bench_clock *clocks, size_t count, double below);

// Report the session's clock range; false if there was no reading.
bool cuc__bench_clocks_range(const struct cuc__bench_clocks *c, uint32_t *min, uint32_t *median,
                             uint32_t *max);

#endif
