// Atomic operations and fences.
//
// The lanes of a warp execute one after another, in ascending order. Each access is a single
// sequentially consistent atomic operation of the host on the same bytes. That is at least as
// strong as any .sem and .scope, towards both threads of this grid and threads of the host.
//
// add.f32 and add.f64 round to nearest even. In global memory, add.f32 flushes subnormal inputs and
// results to zero; in shared memory it keeps them, as the ISA describes for current GPUs.
#include "base/array.h"
#include "async.h"
#include "sim/check/check_race.h"
#include "formats.h"
#include "memory.h"

#include <stdatomic.h>

enum { ATOM_SPACE = 15, ATOM_AT = 16, ATOM_EXCHANGE = 32, ATOM_COUNT = 64 };

static enum sim_space space_in(const struct sim_op *op)
{
    return (enum sim_space)(op->extra & ATOM_SPACE);
}

static bool in_global(const struct sim_op *op, uint64_t address)
{
    enum sim_space space = space_in(op);
    return space == SIM_GLOBAL || (space == SIM_GENERIC && SIM_WINDOW(address) == 0);
}

// Executes the statements for one lane after another. `host` is the host address and `lane` the
// lane. The statements must store the previous value in `old`.
#define EACH_LANE(access, type, ...)                                                         \
    do {                                                                                     \
        for (uint32_t left = mask; left; left &= left - 1) {                                 \
            uint32_t lane = (uint32_t)__builtin_ctz(left);                                   \
            uint64_t address = sim_address(w, op, at, lane);                                 \
            void *host;                                                                      \
            type old;                                                                        \
            if (!sim_reach(w, op, lane, space_in(op), address, sizeof(type), access, &host)) \
                return SIM_FAULT;                                                            \
            if (sim_race_on())                                                               \
                sim_race_strong(w, op, host, true, at);                                      \
            __VA_ARGS__;                                                                     \
            if (at && op->o[0] != SIM_NO_OPERAND)                                            \
                ATOM_STORE(type, lane, old);                                                 \
        }                                                                                    \
        return SIM_NEXT;                                                                     \
    } while (0)

// Stores a value in a lane's destination register. 16-bit registers occupy 32 bits.
#define ATOM_STORE(type, lane, value)                       \
    do {                                                    \
        if (sizeof(type) == 8)                              \
            SIM_R64(w, op->o[0])[lane] = (uint64_t)(value); \
        else                                                \
            SIM_R32(w, op->o[0])[lane] = (uint32_t)(value); \
    } while (0)

// The operands that follow the address. Only atom has a destination before it.
#define OPERANDS                                 \
    const uint32_t at = op->extra / ATOM_AT & 1; \
    const unsigned char *b = w->f + op->o[at + 1]

#define HANDLER(name) \
    static enum sim_next name(struct sim_warp *w, const struct sim_op *op, uint32_t mask)

// Defines an operation for which the host has an instruction.
#define FETCH(name, type, fetch, access)                                                         \
    HANDLER(name)                                                                                \
    {                                                                                            \
        OPERANDS;                                                                                \
        EACH_LANE(                                                                               \
            access, type,                                                                        \
            old = fetch((type *)host, ((const type *)(const void *)b)[lane], __ATOMIC_SEQ_CST)); \
    }

FETCH(add_u32, uint32_t, __atomic_fetch_add, SIM_UPDATE)
FETCH(add_u64, uint64_t, __atomic_fetch_add, SIM_UPDATE)
FETCH(and_b32, uint32_t, __atomic_fetch_and, SIM_UPDATE)
FETCH(and_b64, uint64_t, __atomic_fetch_and, SIM_UPDATE)
FETCH(or_b32, uint32_t, __atomic_fetch_or, SIM_UPDATE)
FETCH(or_b64, uint64_t, __atomic_fetch_or, SIM_UPDATE)
FETCH(xor_b32, uint32_t, __atomic_fetch_xor, SIM_UPDATE)
FETCH(xor_b64, uint64_t, __atomic_fetch_xor, SIM_UPDATE)
FETCH(exch_b32, uint32_t, __atomic_exchange_n, SIM_EXCHANGE)
FETCH(exch_b64, uint64_t, __atomic_exchange_n, SIM_EXCHANGE)

// Defines an operation without a host instruction, as a compare-and-swap loop. The expression
// computes the new value from the operand `x` and the current value `old`.
#define UPDATE(name, type, slot, ...)                                                           \
    HANDLER(name)                                                                               \
    {                                                                                           \
        OPERANDS;                                                                               \
        EACH_LANE(SIM_UPDATE, type, {                                                           \
            const type x = (type)((const slot *)(const void *)b)[lane];                         \
            old = __atomic_load_n((type *)host, __ATOMIC_RELAXED);                              \
            while (!__atomic_compare_exchange_n((type *)host, &old, (type)(__VA_ARGS__), false, \
                                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {          \
            }                                                                                   \
        });                                                                                     \
    }

UPDATE(min_u32, uint32_t, uint32_t, x < old ? x : old)
UPDATE(max_u32, uint32_t, uint32_t, x > old ? x : old)
UPDATE(min_s32, uint32_t, uint32_t, (int32_t)x < (int32_t)old ? x : old)
UPDATE(max_s32, uint32_t, uint32_t, (int32_t)x > (int32_t)old ? x : old)
UPDATE(min_u64, uint64_t, uint64_t, x < old ? x : old)
UPDATE(max_u64, uint64_t, uint64_t, x > old ? x : old)
UPDATE(min_s64, uint64_t, uint64_t, (int64_t)x < (int64_t)old ? x : old)
UPDATE(max_s64, uint64_t, uint64_t, (int64_t)x > (int64_t)old ? x : old)
UPDATE(inc_u32, uint32_t, uint32_t, old >= x ? 0 : old + 1)
UPDATE(dec_u32, uint32_t, uint32_t, old == 0 || old > x ? x : old - 1)

static uint32_t add_f32_bits(uint32_t a, uint32_t b, bool ftz)
{
    float x = sim_float32(a), y = sim_float32(b);

    if (!ftz)
        return sim_canonical32(x + y);
    return sim_canonical32(sim_flush32(sim_flush32(x) + sim_flush32(y)));
}

// Adds two f64. Treats NaN as an H200 does: shared memory keeps its own NaN, made quiet, while
// global memory stores the operand's NaN unchanged.
static uint64_t add_f64_bits(uint64_t a, uint64_t b, bool global)
{
    const double x = sim_float64(a), y = sim_float64(b), sum = x + y;

    if (sum == sum)
        return sim_bits64(sum);
    if (x == x && y == y)
        return SIM_F64_NAN;
    if (global)
        return y != y ? b : a;
    return (x != x ? a : b) | SIM_F64_QUIET;
}

// Adds two f16. A sum in f32 is exact or rounds to the correct f16, since 24 bits are at least 2 *
// 11 + 2.
static uint16_t add_f16_bits(uint16_t a, uint16_t b)
{
    return (uint16_t)sim_f32_to_f16(sim_f16_to_f32(a) + sim_f16_to_f32(b));
}

static uint16_t add_bf16_bits(uint16_t a, uint16_t b)
{
    return (uint16_t)sim_f32_to_bf16(sim_bf16_to_f32(a) + sim_bf16_to_f32(b));
}

// Returns the lesser (`greatest`: the greater) of two numbers, where -0 is less than +0. If only
// one is a NaN, returns the other.
static uint16_t least(uint16_t a, uint16_t b, uint16_t infinity, bool greatest)
{
    bool a_nan = (a & 0x7fff) > infinity, b_nan = (b & 0x7fff) > infinity;
    int a_key = a >> 15 ? -(a & 0x7fff) - 1 : a, b_key = b >> 15 ? -(b & 0x7fff) - 1 : b;

    if (a_nan || b_nan)
        return a_nan && b_nan ? 0x7fff : a_nan ? b : a;
    return (a_key < b_key) != greatest ? a : b;
}

static uint16_t min_f16_bits(uint16_t a, uint16_t b)
{
    return least(a, b, 0x7c00, false);
}

static uint16_t max_f16_bits(uint16_t a, uint16_t b)
{
    return least(a, b, 0x7c00, true);
}

static uint16_t min_bf16_bits(uint16_t a, uint16_t b)
{
    return least(a, b, 0x7f80, false);
}

static uint16_t max_bf16_bits(uint16_t a, uint16_t b)
{
    return least(a, b, 0x7f80, true);
}

#define PAIR(f, a, b)                            \
    ((uint32_t)f((uint16_t)(a), (uint16_t)(b)) | \
     (uint32_t)f((uint16_t)((a) >> 16), (uint16_t)((b) >> 16)) << 16)

UPDATE(add_f32, uint32_t, uint32_t, add_f32_bits(old, x, in_global(op, address)))
UPDATE(add_f64, uint64_t, uint64_t, add_f64_bits(old, x, in_global(op, address)))
UPDATE(add_f16, uint16_t, uint32_t, add_f16_bits(old, x))
UPDATE(add_bf16, uint16_t, uint32_t, add_bf16_bits(old, x))
UPDATE(add_f16x2, uint32_t, uint32_t, PAIR(add_f16_bits, old, x))
UPDATE(add_bf16x2, uint32_t, uint32_t, PAIR(add_bf16_bits, old, x))

#define CAS(name, type, slot)                                                               \
    HANDLER(name)                                                                           \
    {                                                                                       \
        OPERANDS;                                                                           \
        const unsigned char *c = w->f + op->o[at + 2];                                      \
        EACH_LANE(SIM_UPDATE, type, {                                                       \
            old = (type)((const slot *)(const void *)b)[lane];                              \
            __atomic_compare_exchange_n((type *)host, &old,                                 \
                                        (type)((const slot *)(const void *)c)[lane], false, \
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
        });                                                                                 \
    }

CAS(cas_b16, uint16_t, uint32_t)
CAS(cas_b32, uint32_t, uint32_t)
CAS(cas_b64, uint64_t, uint64_t)

// 128-bit operations. The compiler's builtin would call libatomic, so x86-64's instruction is used
// directly. Other hosts use a lock, which is atomic only with respect to other 128-bit operations.
__extension__ typedef unsigned __int128 sim_u128;

static sim_u128 swap_128(sim_u128 *host, sim_u128 expected, sim_u128 desired)
{
#if defined(__x86_64__)
    uint64_t low = (uint64_t)expected, high = (uint64_t)(expected >> 64);
    __asm__ __volatile__("lock cmpxchg16b %0"
                         : "+m"(*host), "+a"(low), "+d"(high)
                         : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
                         : "cc", "memory");
    return (sim_u128)high << 64 | low;
#else
    static atomic_flag lock = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&lock)) {
    }
    sim_u128 old = *host;
    if (old == expected)
        *host = desired;
    atomic_flag_clear(&lock);
    return old;
#endif
}

static sim_u128 read_128(const struct sim_warp *w, uint32_t at, uint32_t lane)
{
    return (sim_u128)SIM_R64(w, at + 256)[lane] << 64 | SIM_R64(w, at)[lane];
}

static void write_128(const struct sim_warp *w, uint32_t at, uint32_t lane, sim_u128 value)
{
    SIM_R64(w, at)[lane] = (uint64_t)value;
    SIM_R64(w, at + 256)[lane] = (uint64_t)(value >> 64);
}

HANDLER(swap_b128)
{
    const uint32_t at = op->extra / ATOM_AT & 1;
    const bool exchange = op->extra & ATOM_EXCHANGE;

    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        void *host;
        if (!sim_reach(w, op, lane, space_in(op), sim_address(w, op, at, lane), 16,
                       exchange ? SIM_EXCHANGE : SIM_UPDATE, &host))
            return SIM_FAULT;
        if (sim_race_on())
            sim_race_strong(w, op, host, true, at);
        sim_u128 b = read_128(w, op->o[at + 1], lane), old = 0, was;
        if (!exchange) {
            old = swap_128(host, b, read_128(w, op->o[at + 2], lane));
        } else {
            while ((was = swap_128(host, old, b)) != old)
                old = was;
        }
        if (at && op->o[0] != SIM_NO_OPERAND)
            write_128(w, op->o[0], lane, old);
    }
    return SIM_NEXT;
}

// Defines a vector operation. Each element is a separate atomic operation. The address must be
// aligned to the whole vector.
#define VECTOR(name, type, slot, ...)                                                           \
    HANDLER(name)                                                                               \
    {                                                                                           \
        const uint32_t at = op->extra / ATOM_AT & 1;                                            \
        const uint32_t count = op->extra / ATOM_COUNT;                                          \
        const uint32_t *source = op->list + op->o[at + 1];                                      \
        for (uint32_t left = mask; left; left &= left - 1) {                                    \
            uint32_t lane = (uint32_t)__builtin_ctz(left);                                      \
            uint64_t address = sim_address(w, op, at, lane);                                    \
            void *host;                                                                         \
            type found[8];                                                                      \
            if (!sim_reach(w, op, lane, space_in(op), address, count * (uint32_t)sizeof(type),  \
                           SIM_UPDATE, &host))                                                  \
                return SIM_FAULT;                                                               \
            if (sim_race_on())                                                                  \
                sim_race_strong(w, op, host, true, at);                                         \
            for (uint32_t i = 0; i < count; i++) {                                              \
                const type x = (type)((slot *)(void *)(w->f + source[i]))[lane];                \
                type *place = (type *)host + i, old = __atomic_load_n(place, __ATOMIC_RELAXED); \
                while (!__atomic_compare_exchange_n(place, &old, (type)(__VA_ARGS__), false,    \
                                                    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {      \
                }                                                                               \
                found[i] = old;                                                                 \
            }                                                                                   \
            for (uint32_t i = 0; at && op->o[0] != SIM_NO_OPERAND && i < count; i++)            \
                if (op->list[op->o[0] + i] != SIM_NO_OPERAND)                                   \
                    SIM_R32(w, op->list[op->o[0] + i])[lane] = found[i];                        \
        }                                                                                       \
        return SIM_NEXT;                                                                        \
    }

VECTOR(vector_add_f32, uint32_t, uint32_t, add_f32_bits(old, x, true))
VECTOR(vector_add_f16, uint16_t, uint32_t, add_f16_bits(old, x))
VECTOR(vector_min_f16, uint16_t, uint32_t, min_f16_bits(old, x))
VECTOR(vector_max_f16, uint16_t, uint32_t, max_f16_bits(old, x))
VECTOR(vector_add_bf16, uint16_t, uint32_t, add_bf16_bits(old, x))
VECTOR(vector_min_bf16, uint16_t, uint32_t, min_bf16_bits(old, x))
VECTOR(vector_max_bf16, uint16_t, uint32_t, max_bf16_bits(old, x))
VECTOR(vector_add_f16x2, uint32_t, uint32_t, PAIR(add_f16_bits, old, x))
VECTOR(vector_min_f16x2, uint32_t, uint32_t, PAIR(min_f16_bits, old, x))
VECTOR(vector_max_f16x2, uint32_t, uint32_t, PAIR(max_f16_bits, old, x))
VECTOR(vector_add_bf16x2, uint32_t, uint32_t, PAIR(add_bf16_bits, old, x))
VECTOR(vector_min_bf16x2, uint32_t, uint32_t, PAIR(min_bf16_bits, old, x))
VECTOR(vector_max_bf16x2, uint32_t, uint32_t, PAIR(max_bf16_bits, old, x))

// The supported operations, by type. A row is for single values if `most` is 1, otherwise for
// vectors of 2 to `most` elements.
static const struct {
    const char *operation;
    enum sim_type type;
    uint32_t most; // maximum number of elements; 1: not a vector
    bool noftz;
    bool returns; // atom only
    sim_handler *run;
} forms[] = {
    { "add", SIM_U32, 1, false, false, add_u32 },
    { "add", SIM_S32, 1, false, false, add_u32 },
    { "add", SIM_U64, 1, false, false, add_u64 },
    { "add", SIM_F32, 1, false, false, add_f32 },
    { "add", SIM_F64, 1, false, false, add_f64 },
    { "add", SIM_F16, 1, true, false, add_f16 },
    { "add", SIM_BF16, 1, true, false, add_bf16 },
    { "add", SIM_F16X2, 1, true, false, add_f16x2 },
    { "add", SIM_BF16X2, 1, true, false, add_bf16x2 },
    { "min", SIM_U32, 1, false, false, min_u32 },
    { "min", SIM_S32, 1, false, false, min_s32 },
    { "min", SIM_U64, 1, false, false, min_u64 },
    { "min", SIM_S64, 1, false, false, min_s64 },
    { "max", SIM_U32, 1, false, false, max_u32 },
    { "max", SIM_S32, 1, false, false, max_s32 },
    { "max", SIM_U64, 1, false, false, max_u64 },
    { "max", SIM_S64, 1, false, false, max_s64 },
    { "inc", SIM_U32, 1, false, false, inc_u32 },
    { "dec", SIM_U32, 1, false, false, dec_u32 },
    { "and", SIM_B32, 1, false, false, and_b32 },
    { "and", SIM_B64, 1, false, false, and_b64 },
    { "or", SIM_B32, 1, false, false, or_b32 },
    { "or", SIM_B64, 1, false, false, or_b64 },
    { "xor", SIM_B32, 1, false, false, xor_b32 },
    { "xor", SIM_B64, 1, false, false, xor_b64 },
    { "exch", SIM_B32, 1, false, true, exch_b32 },
    { "exch", SIM_B64, 1, false, true, exch_b64 },
    { "exch", SIM_B128, 1, false, true, swap_b128 },
    { "cas", SIM_B16, 1, false, true, cas_b16 },
    { "cas", SIM_B32, 1, false, true, cas_b32 },
    { "cas", SIM_B64, 1, false, true, cas_b64 },
    { "cas", SIM_B128, 1, false, true, swap_b128 },
    { "add", SIM_F32, 4, false, false, vector_add_f32 },
    { "add", SIM_F16, 8, true, false, vector_add_f16 },
    { "min", SIM_F16, 8, true, false, vector_min_f16 },
    { "max", SIM_F16, 8, true, false, vector_max_f16 },
    { "add", SIM_BF16, 8, true, false, vector_add_bf16 },
    { "min", SIM_BF16, 8, true, false, vector_min_bf16 },
    { "max", SIM_BF16, 8, true, false, vector_max_bf16 },
    { "add", SIM_F16X2, 4, true, false, vector_add_f16x2 },
    { "min", SIM_F16X2, 4, true, false, vector_min_f16x2 },
    { "max", SIM_F16X2, 4, true, false, vector_max_f16x2 },
    { "add", SIM_BF16X2, 4, true, false, vector_add_bf16x2 },
    { "min", SIM_BF16X2, 4, true, false, vector_min_bf16x2 },
    { "max", SIM_BF16X2, 4, true, false, vector_max_bf16x2 },
};

static uint32_t vector_of(const struct sim_words *words)
{
    return sim_has(words, "v2") ? 2 : sim_has(words, "v4") ? 4 : sim_has(words, "v8") ? 8 : 1;
}

// Checks the number of operands. .L2::cache_hint adds a policy at the end.
static bool operands_fit(const struct sim_words *words, bool returns)
{
    uint32_t count = 2u + returns;
    count += sim_has(words, "cas");
    count += sim_has(words, "L2::cache_hint");
    return words->statement->operands == count;
}

static bool elements_fit(const struct sim_op *op, bool returns, uint32_t count)
{
    uint32_t source = returns ? op->o[2] : op->o[1];
    uint32_t policy = returns ? op->o[3] : op->o[2];
    uint32_t end = policy == SIM_NO_OPERAND ? op->list_count : policy;

    return end - source == count &&
           (!returns || op->o[0] == SIM_NO_OPERAND || source - op->o[0] == count);
}

static sim_handler *pick(const struct sim_words *words, struct sim_op *op, bool returns,
                         bool vector)
{
    enum sim_space space = sim_space_of(words);
    uint32_t count = vector_of(words);

    if (vector != (count > 1)) {
        *words->why = ""; // another row of the table has the form
        return NULL;
    }
    if (words->types != 1 || !operands_fit(words, returns) ||
        (vector && !elements_fit(op, returns, count)))
        return NULL;
    if (space != SIM_GENERIC && space != SIM_GLOBAL &&
        (vector || sim_has(words, "L2::cache_hint") ||
         (space != SIM_SHARED && space != SIM_SHARED_CLUSTER)))
        return NULL;
    if (!returns && (sim_has(words, "acquire") || sim_has(words, "acq_rel")))
        return NULL; // red returns nothing, so it cannot acquire
    for (size_t i = 0; i < CUC_LENGTH(forms); i++) {
        if (forms[i].type != words->type[0] || !sim_has(words, forms[i].operation) ||
            vector != (forms[i].most > 1) || count > forms[i].most ||
            forms[i].noftz != sim_has(words, "noftz") || (forms[i].returns && !returns))
            continue;
        op->extra = (uint32_t)space | (returns ? ATOM_AT : 0) |
                    (sim_has(words, "exch") ? ATOM_EXCHANGE : 0) | count * ATOM_COUNT;
        return forms[i].run;
    }
    return NULL;
}

static sim_handler *pick_atom(const struct sim_words *words, struct sim_op *op)
{
    return pick(words, op, true, false);
}

static sim_handler *pick_atom_vector(const struct sim_words *words, struct sim_op *op)
{
    return pick(words, op, true, true);
}

static sim_handler *pick_red(const struct sim_words *words, struct sim_op *op)
{
    return pick(words, op, false, false);
}

static sim_handler *pick_red_vector(const struct sim_words *words, struct sim_op *op)
{
    return pick(words, op, false, true);
}

// Fences of memory and of proxies. Each is one fence of the host, since the simulator has a single
// proxy. `extra`: the fence also covers the async proxy's view of shared memory.

static enum sim_next run_fence(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    // The acquire form for tensor maps has the map as its operand.
    for (uint32_t left = op->o[0] == SIM_NO_OPERAND ? 0 : mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        void *host;
        if (!sim_reach_range(w, op, lane, SIM_GENERIC, sim_address(w, op, 0, lane), 128, 64,
                             SIM_BOUNDS, &host))
            return SIM_FAULT;
    }
    if (op->extra && sim_race_on())
        sim_race_fence(w);
    atomic_thread_fence(memory_order_seq_cst);
    return SIM_NEXT;
}

static sim_handler *pick_fence(const struct sim_words *words, struct sim_op *op)
{
    static const char *const late[] = {
        "cluster",
        "mbarrier_init",
        "async",
        "async::generic",
        "tensormap::generic",
        "sync_restrict::shared::cta",
        "sync_restrict::shared::cluster",
    };

    op->extra = sim_has(words, "async::generic") ||
                (sim_has(words, "async") && !sim_has(words, "global"));
    if (words->types || words->statement->words < 2)
        return NULL;
    if (words->statement->operands == 2 && words->statement->operand[1].value.u != 128) {
        *words->why = "a tensor map has 128 bytes";
        return NULL;
    }
    for (size_t i = 0; i < CUC_LENGTH(late); i++)
        if (sim_has(words, late[i]) && !sim_async_target(words, 90))
            return NULL;
    return run_fence;
}

#define ATOM_WORDS                                                                   \
    "relaxed acquire release acq_rel cta cluster gpu sys global shared shared::cta " \
    "shared::cluster L2::cache_hint noftz add min max "

const struct sim_instruction sim_atomic_instructions[] = {
    { "atom", ATOM_WORDS "inc dec and or xor exch", "d_maV?", pick_atom },
    { "atom", ATOM_WORDS "cas", "d_maa", pick_atom },
    { "atom", ATOM_WORDS "v2 v4 v8", "v_mVV?", pick_atom_vector },
    { "atom", ATOM_WORDS "v2 v4 v8", "d_mVV?", pick_atom_vector }, // the result goes to the sink
    { "red", ATOM_WORDS "inc dec and or xor", "maV?", pick_red },
    { "red", ATOM_WORDS "v2 v4 v8", "mVV?", pick_red_vector },
    { "membar", "cta gl sys proxy alias async global shared::cta shared::cluster", "m?",
      pick_fence },
    { "fence",
      "sc acq_rel acquire release cta cluster gpu sys proxy alias async global shared::cta "
      "shared::cluster mbarrier_init sync_restrict::shared::cta sync_restrict::shared::cluster "
      "tensormap::generic async::generic",
      "m?i?", pick_fence },
    { NULL, NULL, NULL, NULL },
};
