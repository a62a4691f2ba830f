// Helpers that the tests of asynchronous copies share: a kernel's frame, common PTX fragments, and
// sums of elements in the types' own arithmetic.
#ifndef CUCORE_TESTS_SIM_COPIES_H
#define CUCORE_TESTS_SIM_COPIES_H

#include "harness.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/formats.h"

// Makes a kernel that takes an output and an input, and has a barrier and 4 KiB of shared memory.
#define KERNEL(body)                                                                          \
    HARNESS_HEADER                                                                            \
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 n)\n{\n"                  \
    ".reg .pred %p<10>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<30>;\n"           \
    ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 bar2;\n"                               \
    ".shared .align 1024 .b8 s[4096];\n"                                                      \
    "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nld.param.u64 %rd3, [n];\n"          \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, bar;\nmov.u32 %r3, s;\nmov.u32 %r4, bar2;\n"          \
    "mov.u32 %r5, %cluster_ctarank;\nmov.u32 %r6, %ctaid.x;\nmov.u32 %r7, %ntid.x;\n"         \
    "mad.lo.u32 %r8, %r6, %r7, %r1;\nmul.wide.u32 %rd4, %r8, 4;\nadd.u64 %rd4, %rd4, %rd1;\n" \
    "cvt.u32.u64 %r9, %rd3;\n"                                                                \
    "setp.eq.u32 %p9, %r1, 0;\n" body "\nret;\n}\n"

// Waits for a parity of the barrier at %r2.
#define WAIT(label, parity)                                                                      \
    label ": mbarrier.try_wait.parity.shared::cta.b64 %p8, [%r2], " parity ";\n@!%p8 bra " label \
          ";\n"
// Thread 0 initializes a barrier for `count` arrivals.
#define INIT(count)                                                                                \
    "@%p9 mbarrier.init.shared::cta.b64 [%r2], " count ";\nfence.mbarrier_init.release.cluster;\n" \
    "bar.sync 0;\n"
#define ONE "mbarrier.init.shared::cta.b64 [bar], 1;\n"
#define FETCH(to, from, bytes)                                                                   \
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [" to "], [" from "], " bytes \
    ", [bar];\n"
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " bytes ";\n"
#define OUT(to, from, bytes) \
    "cp.async.bulk.global.shared::cta.bulk_group [" to "], [" from "], " bytes ";\n"
#define CLUSTER "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"

static inline int run(const char *ptx, uint32_t blocks, uint32_t threads, uint32_t cluster,
                      void *out, const void *in, uint64_t n)
{
    struct sim_program *program = harness_load(ptx);
    int code = harness_run(
        program,
        &(struct harness_launch){ .grid = { blocks },
                                  .block = { threads },
                                  .cluster = { cluster, cluster ? 1 : 0, cluster ? 1 : 0 },
                                  .arguments = { HARNESS_POINTER(out), HARNESS_POINTER(in), n } });
    sim_program_free(program);
    return code;
}

static inline void go(const char *ptx, uint32_t blocks, uint32_t threads, uint32_t cluster,
                      void *out, const void *in, uint64_t n)
{
    int code = run(ptx, blocks, threads, cluster, out, in, n);
    ck_assert_msg(code == 0, "%s", harness_report());
}

static inline void *noise(size_t bytes)
{
    unsigned char *p = harness_memory(bytes);
    uint32_t x = 12345;
    for (size_t i = 0; i < bytes; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = (unsigned char)(x >> 24);
    }
    return p;
}

// Returns a text with $1 to $4 replaced by `part`.
static inline char *text(const char *with, const char *const part[4])
{
    size_t room = strlen(with) + 1;
    for (int i = 0; i < 4; i++)
        room += 4 * strlen(part[i] ? part[i] : "");
    char *out = malloc(room), *to = out;
    ck_assert_ptr_nonnull(out);
    for (const char *from = with; *from; from++) {
        if (*from == '$' && from[1] >= '1' && from[1] <= '4') {
            const char *p = part[*++from - '1'];
            to += sprintf(to, "%s", p ? p : "");
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return out;
}
#define TEXT(with, ...) text(with, (const char *const[4]){ __VA_ARGS__ })

// Returns the text for another target, which replaces sm_90.
static inline char *for_target(char *ptx, const char *target)
{
    char *at = strstr(ptx, "sm_90"), *out = malloc(strlen(ptx) + strlen(target) + 1);

    ck_assert_ptr_nonnull(out);
    ck_assert_ptr_nonnull(at);
    sprintf(out, "%.*s%s%s", (int)(at - ptx), ptx, target, at + strlen("sm_90"));
    free(ptx);
    return out;
}

// Reductions on the host in the type's own arithmetic.
#define REDUCED(name, type, ...)                        \
    static inline void name(void *to, const void *from) \
    {                                                   \
        type a, b;                                      \
        memcpy(&a, to, sizeof(a));                      \
        memcpy(&b, from, sizeof(b));                    \
        a = (type)(__VA_ARGS__);                        \
        memcpy(to, &a, sizeof(a));                      \
    }
#define HALF(name, to_f32, from_f32, ...)               \
    static inline void name(void *to, const void *from) \
    {                                                   \
        uint16_t x, y;                                  \
        memcpy(&x, to, 2);                              \
        memcpy(&y, from, 2);                            \
        float a = to_f32(x), b = to_f32(y);             \
        x = (uint16_t)from_f32(__VA_ARGS__);            \
        memcpy(to, &x, 2);                              \
    }
REDUCED(add_u32, uint32_t, a + b)
REDUCED(add_u64, uint64_t, a + b)
REDUCED(add_f32, float, a + b)
REDUCED(add_f64, double, a + b)
HALF(add_f16, sim_f16_to_f32, sim_f32_to_f16, a + b)
HALF(add_bf16, sim_bf16_to_f32, sim_f32_to_bf16, a + b)

// Turns bits into moderate numbers of a class: sets the high bits of the exponent to 011.
static inline void tame(unsigned char *p, size_t bytes, char class)
{
    size_t size = class == 'h' ? 2 : class == 'd' ? 8 : 4;

    for (size_t i = size - 1; class != 'i' && i < bytes; i += size)
        p[i] = (unsigned char)((p[i] & 0x8f) | 0x30);
}

#endif
