// Detects instructions of x86-64 processors that not all of them have. Other processors report
// none.
//
// This replaces __builtin_cpu_supports(), which brings a constructor of libgcc: every process that
// loads the library would query some twenty leaves of CPUID, which takes a microsecond each in a
// virtual machine.
#ifndef CUCORE_BASE_CPU_H
#define CUCORE_BASE_CPU_H

enum {
    CUC__CPU_AVX2 = 1,
    CUC__CPU_FMA = 2,
    CUC__CPU_SHA = 4, // with SSSE3 and SSE4.1
};

// Returns the bits of the instructions that the processor has and the system supports.
unsigned cuc__cpu_features(void);

#endif
