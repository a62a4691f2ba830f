#include "units.h"

#include "base/array.h"

#include <math.h>
#include <stdio.h>

typedef struct scale {
    double from; // the smallest value shown in this unit
    const char *unit;
} scale;

// Largest unit first; values below the smallest unit use it too.
static const scale seconds[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } };
static const scale bytes[] = {
    { 0x1p40, "TiB" }, { 0x1p30, "GiB" }, { 0x1p20, "MiB" }, { 0x1p10, "KiB" }, { 1, "B" },
};
static const scale bytes_per_s[] = {
    { 1e12, "TB/s" }, { 1e9, "GB/s" }, { 1e6, "MB/s" }, { 1e3, "kB/s" }, { 1, "B/s" },
};
static const scale flop_per_s[] = {
    { 1e15, "PFLOP/s" }, { 1e12, "TFLOP/s" }, { 1e9, "GFLOP/s" },
    { 1e6, "MFLOP/s" },  { 1, "FLOP/s" },
};

static const scale counts[] = {
    { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" },
};

#define SCALES(list)           \
    {                          \
        list, CUC_LENGTH(list) \
    }

static const struct {
    const scale *scales;
    size_t count;
} kinds[] = {
    [UNITS_SECONDS] = SCALES(seconds),
    [UNITS_BYTES] = SCALES(bytes),
    [UNITS_BYTES_PER_S] = SCALES(bytes_per_s),
    [UNITS_FLOP_PER_S] = SCALES(flop_per_s),
    [UNITS_COUNT] = SCALES(counts),
};

char *units_text(char out[UNITS_SIZE], double value, units_kind kind)
{
    const scale *s = kinds[kind].scales;
    size_t last = kinds[kind].count - 1;
    size_t i = 0;

    out[0] = '\0';
    if (isnan(value))
        return out;
    // A value that rounds up to the next unit in four digits uses that unit: 1.000 us, not 1000 ns.
    while (i < last && fabs(value) < s[i].from * (1 - 0.5e-4))
        i++;
    double scaled = value / s[i].from;
    double size = fabs(scaled);
    int digits = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95;
    if (kind == UNITS_BYTES && scaled == floor(scaled))
        digits = 0; // a whole number of units is exact
    snprintf(out, UNITS_SIZE, "%.*f%s%s", digits, scaled, *s[i].unit ? " " : "", s[i].unit);
    return out;
}

char *units_plus_minus(char out[UNITS_SIZE], double fraction)
{
    out[0] = '\0';
    if (!isnan(fraction))
        snprintf(out, UNITS_SIZE, "+-%.2f %%", 100 * fraction);
    return out;
}

char *units_percent(char out[UNITS_SIZE], double fraction)
{
    out[0] = '\0';
    if (!isnan(fraction))
        snprintf(out, UNITS_SIZE, "%.1f %%", 100 * fraction);
    return out;
}

char *units_ratio(char out[UNITS_SIZE], double ratio)
{
    out[0] = '\0';
    if (!isnan(ratio))
        snprintf(out, UNITS_SIZE, "%.*f",
                 fabs(ratio) < 9.9995   ? 3
                 : fabs(ratio) < 99.995 ? 2
                                        : 1,
                 ratio);
    return out;
}
