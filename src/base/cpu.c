#include "cpu.h"

#include <stdatomic.h>
#include <stddef.h>

#ifdef __x86_64__
#include <cpuid.h>

// Returns 1 if the system saves the YMM registers, as it declares in XCR0.
static unsigned saves_ymm(void)
{
    unsigned low, high;

    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6;
}

static unsigned ask(void)
{
    unsigned a, b = 0, c, d, unused, features = 0;
    const unsigned most = (unsigned)__get_cpuid_max(0, NULL);

    if (most < 7)
        return 0;
    __cpuid(1, a, unused, c, d);
    __cpuid_count(7, 0, a, b, unused, d);
    if ((c & bit_OSXSAVE) && (c & bit_AVX) && saves_ymm())
        features |= (b & bit_AVX2 ? CUC__CPU_AVX2 : 0) | (c & bit_FMA ? CUC__CPU_FMA : 0);
    if ((c & bit_SSSE3) && (c & bit_SSE4_1) && (b & bit_SHA))
        features |= CUC__CPU_SHA;
    return features;
}
#else
static unsigned ask(void)
{
    return 0;
}
#endif

unsigned cuc__cpu_features(void)
{
    enum { ASKED = 1 << 16 };
    static _Atomic unsigned known;
    unsigned features = atomic_load_explicit(&known, memory_order_relaxed);

    if (!features) {
        features = ask() | ASKED;
        atomic_store_explicit(&known, features, memory_order_relaxed);
    }
    return features & ~(unsigned)ASKED;
}
