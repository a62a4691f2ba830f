// The clocks beside the samples: what they were, and which samples a low clock spoils.
#ifndef CUCORE_BENCH_LIB_CLOCKS_H
#define CUCORE_BENCH_LIB_CLOCKS_H

#include "fail.h"

enum { CUC__BENCH_MAX_MHZ = 8192 };

// What the clock was around a sample; 0 MHz: not known.
struct cuc__bench_clock {
    uint32_t sm_mhz;
    uint32_t reserved;
    uint64_t throttle;
};

struct cuc__bench_clocks {
    // Where readings come from; a negative status means that there are none, now and later.
    cuc_status (*read)(void *data, cuc_device_sensors *out);
    void *data;
    double interval_s; // a reading that is not older is not made anew
    double read_at;
    struct cuc__bench_clock last;
    uint64_t throttle;   // every reason that was seen while measuring
    uint32_t memory_mhz; // of the last reading
    uint32_t readings;
    uint32_t seen[CUC__BENCH_MAX_MHZ]; // how often each SM clock was
};

double cuc__bench_now(void); // seconds of the monotonic clock

// Read the device's sensors from now on.
void cuc__bench_clocks_init(struct cuc__bench_clocks *c, cuc_device *device);

// One reading, counted for the session.
struct cuc__bench_clock cuc__bench_clocks_read(struct cuc__bench_clocks *c);

// The clock of a sample between two readings: the lower one, and the reasons of both.
struct cuc__bench_clock cuc__bench_clocks_between(struct cuc__bench_clock before,
                                                  struct cuc__bench_clock after);

// Which of the samples to throw away: those with a clock below `below` of the median one, and those
// during which the hardware slowed down or was too warm. A power limit alone is no reason: there
// are kernels that always meet it. Writes discard[count] and the median clock, which may be NULL;
// gives how many are thrown away.
size_t cuc__bench_clocks_judge(bool *discard, double *median_mhz,
                               const struct cuc__bench_clock *clocks, size_t count, double below);

// The session's clocks: false when there was no reading.
bool cuc__bench_clocks_range(const struct cuc__bench_clocks *c, uint32_t *min, uint32_t *median,
                             uint32_t *max);

#endif
