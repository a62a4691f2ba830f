// Loads, stores and copies. Every access must be aligned, and must lie within one allocation, the
// block's shared memory, the lane's stack, or the parameters.
#include "memory.h"
#include "alu.h"
#include "sim/check/check_race.h"
#include "handlers.h"

#include <string.h>

enum {
    ILLEGAL_ADDRESS = 700,
    MISALIGNED = 716,
    WRONG_SPACE = 717,
};

#define OFFSET_OF(address) ((address) & ((UINT64_C(1) << 56) - 1))

static const char *verb(enum sim_access access)
{
    return access == SIM_READ     ? "read"
           : access == SIM_WRITE  ? "write"
           : access == SIM_BOUNDS ? "access"
                                  : "atomic access";
}

// Reports an access outside of all memory, with its distance from the allocation that was probably
// meant.
static enum sim_next outside(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                             uint64_t address, uint32_t bytes, enum sim_access access)
{
    char where[256];

    sim_memory_words(address, bytes, where, sizeof(where));
    return sim_fault(w, op, lane, ILLEGAL_ADDRESS, "%s of %u byte%s at 0x%llx, %s", verb(access),
                     bytes, SIM_S(bytes), (unsigned long long)address, where);
}

// Checks that the host has permitted access to another device's memory.
static bool may_reach(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint64_t address,
                      uint32_t bytes, enum sim_access access, const struct sim_range *range)
{
    const struct sim_grid *grid = w->block->grid;
    char why[256];

    if (range->device == grid->device || range->device == SIM_ANY_DEVICE || !grid->peer ||
        grid->peer(grid, range, why, sizeof(why)))
        return true;
    sim_fault(w, op, lane, ILLEGAL_ADDRESS, "%s of %u byte%s at 0x%llx, memory of device %d: %s",
              verb(access), bytes, SIM_S(bytes), (unsigned long long)address, range->device, why);
    return false;
}

static bool in_range(const struct sim_range *range, uint64_t address, uint64_t bytes)
{
    return range->generation ==
               atomic_load_explicit(&sim_memory_generation, memory_order_acquire) &&
           address >= range->base && address < range->end && bytes <= range->end - address;
}

static bool reach_global(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                         uint64_t address, uint32_t bytes, enum sim_access access, void **host)
{
    struct sim_range found, *cache = w->caches ? &w->caches[op->cache] : &found;

    if (cache == &found || !in_range(cache, address, bytes)) {
        if (!sim_memory_find(address, &found) || bytes > found.end - address)
            return outside(w, op, lane, address, bytes, access), false;
        if (!may_reach(w, op, lane, address, bytes, access, &found))
            return false;
        *cache = found;
    }
    *host = (void *)(uintptr_t)address;
    return !(sim_checks & SIM_CHECK_INIT) ||
           sim_check_access(w, op, lane, NULL, address, bytes, access);
}

// Resolves an offset in a piece of memory with a known size.
static bool reach_piece(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                        unsigned char *base, uint64_t size, const char *name, uint64_t offset,
                        uint32_t bytes, enum sim_access access, void **host)
{
    if (offset > size || bytes > size - offset) {
        sim_fault(w, op, lane, ILLEGAL_ADDRESS,
                  "%s of %u byte%s at offset %llu of %s, which has %llu byte%s", verb(access),
                  bytes, SIM_S(bytes), (unsigned long long)offset, name, (unsigned long long)size,
                  SIM_S(size));
        return false;
    }
    *host = base + offset;
    return true;
}

static bool reach_shared(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                         uint64_t address, uint32_t bytes, enum sim_access access, void **host)
{
    struct sim_block *block = w->block;
    uint64_t rank = address >> SIM_RANK_SHIFT;

    // Rank 0 stands for the block itself. mapa returns ranks from 1 on.
    if (rank && rank <= block->cluster->count)
        block = block->cluster->blocks[rank - 1];
    else if (rank)
        return reach_piece(w, op, lane, NULL, block->shared_bytes, "shared memory", address, bytes,
                           access, host);
    address &= (UINT64_C(1) << SIM_RANK_SHIFT) - 1;
    if (address >= SIM_RESERVED_AT)
        return reach_piece(w, op, lane, block->reserved, SIM_RESERVED_BYTES,
                           "reserved shared memory", address - SIM_RESERVED_AT, bytes, access,
                           host);
    return reach_piece(w, op, lane, block->shared, block->shared_bytes, "shared memory", address,
                       bytes, access, host) &&
           (!(sim_checks & SIM_CHECK_ACCESS) ||
            sim_check_access(w, op, lane, block, address, bytes, access));
}

static inline __attribute__((always_inline)) bool
reach(struct sim_warp *w, const struct sim_op *op, uint32_t lane, enum sim_space space,
      uint64_t address, uint32_t bytes, uint32_t align, enum sim_access access, void **host)
{
    const struct sim_grid *grid = w->block->grid;
    uint64_t window = SIM_WINDOW(address);
    const struct sim_frame *frame = w->frame;

    if (align > 1 && address % align) {
        sim_fault(w, op, lane, MISALIGNED,
                  "%s of %u byte%s at 0x%llx, which is not a multiple of %u", verb(access), bytes,
                  SIM_S(bytes), (unsigned long long)OFFSET_OF(address), align);
        return false;
    }
    if (space == SIM_GENERIC) {
        space = window == 0                               ? SIM_GLOBAL
                : window == SIM_WINDOW(SIM_WINDOW_SHARED) ? SIM_SHARED
                : window == SIM_WINDOW(SIM_WINDOW_LOCAL)  ? SIM_LOCAL
                : window == SIM_WINDOW(SIM_WINDOW_PARAM)  ? SIM_PARAM
                                                          : SIM_GENERIC;
        if (space == SIM_PARAM && access == SIM_READ)
            return reach_piece(w, op, lane, grid->params, grid->entry->entry_param_bytes,
                               "the kernel's parameters", OFFSET_OF(address), bytes, access, host);
        if (space == SIM_PARAM || space == SIM_GENERIC) {
            sim_fault(w, op, lane, space == SIM_PARAM ? ILLEGAL_ADDRESS : WRONG_SPACE,
                      "%s of %u byte%s at 0x%llx, which is %s", verb(access), bytes, SIM_S(bytes),
                      (unsigned long long)address,
                      space == SIM_PARAM ? "a kernel's parameter" : "in no address space");
            return false;
        }
        address = space == SIM_GLOBAL ? address : OFFSET_OF(address);
    } else if (window) {
        sim_fault(w, op, lane, WRONG_SPACE,
                  "%s of %u byte%s at 0x%llx, a generic address in an instruction of one space",
                  verb(access), bytes, SIM_S(bytes), (unsigned long long)address);
        return false;
    }
    switch (space) {
    case SIM_GLOBAL:
        w->looked = true;
        return reach_global(w, op, lane, address, bytes, access, host);
    case SIM_CONST:
        return reach_global(w, op, lane, address, bytes, access, host);
    case SIM_SHARED:
    case SIM_SHARED_CLUSTER:
        return reach_shared(w, op, lane, address, bytes, access, host);
    case SIM_LOCAL:
        return reach_piece(w, op, lane,
                           w->local ? w->local + (size_t)lane * grid->stack_bytes : NULL,
                           grid->stack_bytes, "the thread's stack", address, bytes, access, host);
    case SIM_PARAM:
        if (op->extra & SIM_ENTRY_PARAM)
            return reach_piece(w, op, lane, grid->params, grid->entry->entry_param_bytes,
                               "the kernel's parameters", address, bytes, access, host);
        return reach_piece(w, op, lane, frame->param + (size_t)lane * frame->code->param_bytes,
                           frame->code->param_bytes, "the function's parameters", address, bytes,
                           access, host);
    default:
        sim_fault(w, op, lane, WRONG_SPACE, "an access of a space that has no memory");
        return false;
    }
}

bool sim_reach(struct sim_warp *w, const struct sim_op *op, uint32_t lane, enum sim_space space,
               uint64_t address, uint32_t bytes, enum sim_access access, void **host)
{
    return reach(w, op, lane, space, address, bytes, bytes, access, host);
}

bool sim_reach_range(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                     enum sim_space space, uint64_t address, uint32_t bytes, uint32_t align,
                     enum sim_access access, void **host)
{
    return reach(w, op, lane, space, address, bytes, align, access, host);
}

// Fields of `extra` of ld and st, besides SIM_ENTRY_PARAM
enum {
    EXTRA_SPACE = 0xf,
    EXTRA_SIZE_SHIFT = 4, // log2 of an element's bytes
    EXTRA_SIGNED = 1 << 8,
    EXTRA_ACQUIRE = 1 << 9,
    EXTRA_RELEASE = 1 << 10,
    EXTRA_STRONG = 1 << 11, // the access orders others; used by the race check
    EXTRA_BITS = 0xffff,
};
#define SIZE_LOG2(op) ((op)->extra >> EXTRA_SIZE_SHIFT & 0xf)
// True if list element i is a 64-bit register. In `wide`, decode_operand.c sets bits for list
// elements above those for operands.
#define ELEMENT_WIDE(op, i) ((op)->wide >> (8 + (i)) & 1)

static uint64_t load(const void *host, uint32_t size, bool is_signed)
{
    switch (size) {
    case 0: {
        uint8_t v = __atomic_load_n((const uint8_t *)host, __ATOMIC_RELAXED);
        return is_signed ? (uint64_t)(int64_t)(int8_t)v : v;
    }
    case 1: {
        uint16_t v = __atomic_load_n((const uint16_t *)host, __ATOMIC_RELAXED);
        return is_signed ? (uint64_t)(int64_t)(int16_t)v : v;
    }
    case 2: {
        uint32_t v = __atomic_load_n((const uint32_t *)host, __ATOMIC_RELAXED);
        return is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
    }
    default:
        return __atomic_load_n((const uint64_t *)host, __ATOMIC_RELAXED);
    }
}

static void store(void *host, uint32_t size, uint64_t value)
{
    switch (size) {
    case 0:
        __atomic_store_n((uint8_t *)host, (uint8_t)value, __ATOMIC_RELAXED);
        break;
    case 1:
        __atomic_store_n((uint16_t *)host, (uint16_t)value, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint32_t *)host, (uint32_t)value, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((uint64_t *)host, value, __ATOMIC_RELAXED);
        break;
    }
}

static enum sim_next run_ld(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    enum sim_space space = (enum sim_space)(op->extra & EXTRA_SPACE);
    uint32_t size = SIZE_LOG2(op), count = op->list_count;
    bool is_signed = op->extra & EXTRA_SIGNED;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        void *host;
        if (!sim_reach(w, op, lane, space, sim_address(w, op, 1, lane), count << size, SIM_READ,
                       &host))
            return SIM_FAULT;
        if (op->extra & EXTRA_STRONG && sim_race_on())
            sim_race_strong(w, op, host, false, true);
        // Read all values before writing any, since a destination may also be the address.
        uint64_t values[16];
        uint32_t words = size == 4 ? 2 * count : count;
        for (uint32_t i = 0; i < words; i++)
            values[i] = load((unsigned char *)host + ((size_t)i << (size == 4 ? 3 : size)),
                             size == 4 ? 3 : size, is_signed);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = op->list[i];
            if (at == SIM_NO_OPERAND)
                continue;
            if (size == 4) {
                SIM_R64(w, at)[lane] = values[2 * i];
                SIM_R64(w, at + 8 * SIM_WARP)[lane] = values[2 * i + 1];
            } else if (ELEMENT_WIDE(op, i)) {
                SIM_R64(w, at)[lane] = values[i];
            } else {
                SIM_R32(w, at)[lane] = (uint32_t)values[i];
            }
        }
    }
    if (op->extra & EXTRA_ACQUIRE)
        atomic_thread_fence(memory_order_acquire);
    return SIM_NEXT;
}

static enum sim_next run_st(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    enum sim_space space = (enum sim_space)(op->extra & EXTRA_SPACE);
    uint32_t size = SIZE_LOG2(op), count = op->list_count;

    if (op->extra & EXTRA_RELEASE)
        atomic_thread_fence(memory_order_release);
    if (sim_checks & SIM_CHECK_BARRIER && w->blocked)
        sim_check_barrier_pass(w, op, mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        void *host;
        if (!sim_reach(w, op, lane, space, sim_address(w, op, 0, lane), count << size, SIM_WRITE,
                       &host))
            return SIM_FAULT;
        if (op->extra & EXTRA_STRONG && sim_race_on())
            sim_race_strong(w, op, host, true, false);
        for (uint32_t i = 0; i < count; i++) {
            unsigned char *to = (unsigned char *)host + ((size_t)i << size);
            uint32_t at = op->list[i];
            if (size == 4) {
                store(to, 3, SIM_R64(w, at)[lane]);
                store(to + 8, 3, SIM_R64(w, at + 8 * SIM_WARP)[lane]);
            } else {
                store(to, size, ELEMENT_WIDE(op, i) ? SIM_R64(w, at)[lane] : SIM_R32(w, at)[lane]);
            }
        }
    }
    return SIM_NEXT;
}

// Detects the common case, which is vectorized: all lanes access adjacent elements, in memory that
// is in the range cache.
static bool side_by_side(const struct sim_warp *w, const struct sim_op *op, uint32_t operand,
                         uint32_t bytes, uint64_t *first)
{
    const uint64_t *base = SIM_R64(w, op->o[operand]);
    uint64_t start = base[0], differs = 0;

    for (uint32_t lane = 0; lane < SIM_WARP; lane++)
        differs |= base[lane] ^ (start + (uint64_t)lane * bytes);
    start += (uint64_t)op->offset;
    *first = start;
    return !differs && !(start & (bytes - 1)) &&
           in_range(&w->caches[op->cache], start, (uint64_t)bytes * SIM_WARP);
}

// Define loads and stores. The `checked` variants also check reads and record writes. The variant
// is chosen when a program is loaded, so the unchecked ones have no overhead.
#define LOAD_STORE(name, bytes, checked)                                                           \
    static enum sim_next run_ld_##name(struct sim_warp *w, const struct sim_op *op, uint32_t mask) \
    {                                                                                              \
        uint64_t first;                                                                            \
        if (mask != SIM_ALL_LANES || !side_by_side(w, op, 1, bytes, &first) ||                     \
            (checked && !sim_init_written(first, bytes * SIM_WARP)))                               \
            return run_ld(w, op, mask);                                                            \
        memcpy(w->f + op->list[0], (const void *)(uintptr_t)first, bytes * SIM_WARP);              \
        return SIM_NEXT;                                                                           \
    }                                                                                              \
    static enum sim_next run_st_##name(struct sim_warp *w, const struct sim_op *op, uint32_t mask) \
    {                                                                                              \
        uint64_t first;                                                                            \
        if (mask != SIM_ALL_LANES || !side_by_side(w, op, 0, bytes, &first))                       \
            return run_st(w, op, mask);                                                            \
        if (checked)                                                                               \
            sim_init_wrote(first, bytes *SIM_WARP);                                                \
        memcpy((void *)(uintptr_t)first, w->f + op->list[0], bytes * SIM_WARP);                    \
        return SIM_NEXT;                                                                           \
    }
LOAD_STORE(4, 4, false)
LOAD_STORE(8, 8, false)
LOAD_STORE(checked_4, 4, true)
LOAD_STORE(checked_8, 8, true)

// First index: accesses are checked. Second index: they have 8 bytes.
static sim_handler *const plain_loads[2][2] = { { run_ld_4, run_ld_8 },
                                                { run_ld_checked_4, run_ld_checked_8 } };
static sim_handler *const plain_stores[2][2] = { { run_st_4, run_st_8 },
                                                 { run_st_checked_4, run_st_checked_8 } };

// Loads an entry's parameter at a constant address, which is the same in all lanes.
static enum sim_next run_ld_entry(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct sim_grid *grid = w->block->grid;
    uint64_t address = sim_address(w, op, 1, 0);
    uint32_t size = SIZE_LOG2(op), bytes = UINT32_C(1) << size;

    if (address % bytes || address + bytes > grid->entry->entry_param_bytes)
        return run_ld(w, op, mask);
    uint64_t value = load(grid->params + address, size, op->extra & EXTRA_SIGNED);
    uint64_t *wide = SIM_R64(w, op->list[0]);
    uint32_t *narrow = SIM_R32(w, op->list[0]);
    if (ELEMENT_WIDE(op, 0))
        SIM_ALU_LANES(mask, wide[i] = value);
    else
        SIM_ALU_LANES(mask, narrow[i] = (uint32_t)value);
    return SIM_NEXT;
}

static bool describe(const struct sim_words *words, struct sim_op *op)
{
    enum sim_space space = sim_space_of(words);
    uint32_t elements = sim_has(words, "v2")   ? 2
                        : sim_has(words, "v4") ? 4
                        : sim_has(words, "v8") ? 8
                                               : 1;
    enum sim_type type = words->type[0];
    uint32_t bytes = sim_type_bytes(type);
    uint32_t size = 0;

    if (words->types != 1 || op->list_count != elements || !sim_is_plain(type) ||
        words->statement->operands != 2u + sim_has(words, "L2::cache_hint"))
        return false;
    // In an entry, only .param addresses refer to its parameter buffer.
    if (space != SIM_PARAM)
        op->extra &= ~SIM_ENTRY_PARAM;
    while ((UINT32_C(1) << size) < bytes)
        size++;
    op->extra |= (uint32_t)space | size << EXTRA_SIZE_SHIFT;
    if (sim_type_class(type) == 's')
        op->extra |= EXTRA_SIGNED;
    if (sim_has(words, "acquire"))
        op->extra |= EXTRA_ACQUIRE;
    if (sim_has(words, "release"))
        op->extra |= EXTRA_RELEASE;
    bool ordered = sim_has(words, "acquire") || sim_has(words, "release") ||
                   sim_has(words, "relaxed");
    if (ordered || sim_has(words, "volatile") || sim_has(words, "mmio")) {
        // Memory that no other thread sees has no ordered accesses.
        if (space == SIM_LOCAL || space == SIM_CONST || space == SIM_PARAM)
            return false;
        op->extra |= EXTRA_STRONG;
    }
    bool scoped = sim_has(words, "cta") || sim_has(words, "cluster") || sim_has(words, "gpu") ||
                  sim_has(words, "sys");
    if (ordered != scoped) {
        *words->why = ordered ? "it has an order and no scope: .cta, .cluster, .gpu or .sys"
                              : "it has a scope and no order: .relaxed, .acquire or .release";
        return false;
    }
    // Only global memory has accesses of 32 bytes, with elements of 4 or 8 bytes. All others have
    // at most 16 bytes.
    return elements * bytes <= 16 || (elements * bytes == 32 && (bytes == 4 || bytes == 8) &&
                                      (space == SIM_GLOBAL || space == SIM_GENERIC));
}

// Picks a handler from `plain` for an access of 4 or 8 bytes to one register of that size through a
// 64-bit address. NULL for other accesses.
static sim_handler *pick_plain(const struct sim_words *words, const struct sim_op *op,
                               uint32_t operand, sim_handler *const plain[2][2])
{
    enum sim_space space = (enum sim_space)(op->extra & EXTRA_SPACE);
    bool wide = ELEMENT_WIDE(op, 0);

    if (op->list_count != 1 || op->list[0] == SIM_NO_OPERAND ||
        (space != SIM_GLOBAL && space != SIM_GENERIC) || !(op->wide >> operand & 1) ||
        SIZE_LOG2(op) != (wide ? 3 : 2) || sim_has(words, "volatile") ||
        sim_has(words, "relaxed") || sim_has(words, "acquire") || sim_has(words, "release") ||
        sim_has(words, "mmio"))
        return NULL;
    return plain[(sim_checks & SIM_CHECK_INIT) != 0][wide];
}

static sim_handler *pick_ld(const struct sim_words *words, struct sim_op *op)
{
    if (!describe(words, op) || sim_has(words, "release"))
        return NULL;
    if (op->extra & SIM_ENTRY_PARAM && op->list_count == 1 && op->list[0] != SIM_NO_OPERAND &&
        SIZE_LOG2(op) < 4 && words->statement->operand[1].kind == SIM_OP_ADDRESS &&
        words->statement->operand[1].count &&
        words->statement->operand[1].list[0].kind == SIM_OP_SYMBOL)
        return run_ld_entry;
    sim_handler *plain = pick_plain(words, op, 1, plain_loads);
    return plain ? plain : run_ld;
}

static sim_handler *pick_st(const struct sim_words *words, struct sim_op *op)
{
    if (!describe(words, op) || sim_has(words, "acquire") || sim_has(words, "const") ||
        op->extra & SIM_ENTRY_PARAM)
        return NULL;
    for (uint32_t i = 0; i < op->list_count; i++)
        if (op->list[i] == SIM_NO_OPERAND)
            return NULL;
    sim_handler *plain = pick_plain(words, op, 0, plain_stores);
    return plain ? plain : run_st;
}

// Runs st.bulk, which zeroes part of the block's shared memory.
static enum sim_next run_fill(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t bytes = SIM_R64(w, op->o[1])[lane];
        void *host;
        if (bytes % 8 || bytes > UINT32_MAX)
            return sim_fault(w, op, lane, 719,
                             "st.bulk of %llu bytes, which is not a multiple of 8",
                             (unsigned long long)bytes);
        if (!bytes)
            continue;
        if (!sim_reach_range(w, op, lane, (enum sim_space)op->extra, sim_address(w, op, 0, lane),
                             (uint32_t)bytes, 8, SIM_WRITE, &host))
            return SIM_FAULT;
        memset(host, 0, bytes);
    }
    return SIM_NEXT;
}

static sim_handler *pick_fill(const struct sim_words *words, struct sim_op *op)
{
    if (words->types || !sim_has(words, "bulk") || words->statement->operand[2].value.u != 0)
        return NULL;
    op->extra = sim_space_of(words);
    return run_fill;
}

bool sim_store_is_same(const struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                       const void *host)
{
    uint32_t size = SIZE_LOG2(op), bytes = UINT32_C(1) << size;

    if (op->run != run_st && op->run != run_st_4 && op->run != run_st_8)
        return false;
    for (uint32_t i = 0; i < op->list_count; i++) {
        const unsigned char *from = w->f + op->list[i],
                            *to = (const unsigned char *)host + i * bytes;
        uint32_t slot = size == 4 || ELEMENT_WIDE(op, i) ? 8 : 4, part = bytes < 8 ? bytes : 8;
        if (memcmp(from + slot * lane, to, part) != 0 ||
            (size == 4 && memcmp(from + 8 * SIM_WARP + 8 * lane, to + 8, 8) != 0))
            return false;
    }
    return true;
}

// cp.async copies at once, so waiting for it does nothing. o[0]: destination, o[1]: source, o[2]:
// number of bytes to read, with zeros for the rest, or a predicate that suppresses the read.
#define COPY_IGNORE (UINT32_C(1) << 8)

static enum sim_next run_cp_async(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint32_t bytes = op->extra & ~COPY_IGNORE;
    uint32_t ignored = op->extra & COPY_IGNORE ? SIM_RP(w, op->o[2]) : 0;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), reads = bytes;
        void *to, *from = NULL;
        if (op->extra & COPY_IGNORE)
            reads = ignored >> lane & 1 ? 0 : bytes;
        else if (op->o[2] != SIM_NO_OPERAND)
            reads = SIM_R32(w, op->o[2])[lane];
        if (reads > bytes)
            return sim_fault(w, op, lane, 719, "cp.async of %u bytes reads %u", bytes, reads);
        uint64_t source = sim_address(w, op, 1, lane);
        if (!sim_reach(w, op, lane, SIM_SHARED, sim_address(w, op, 0, lane), bytes, SIM_WRITE, &to))
            return SIM_FAULT;
        if (source % bytes) {
            return sim_fault(w, op, lane, MISALIGNED,
                             "read of %u bytes at 0x%llx, which is not a multiple of %u", bytes,
                             (unsigned long long)source, bytes);
        }
        if (reads && !reach_global(w, op, lane, source, reads, SIM_READ, &from))
            return SIM_FAULT;
        memset(to, 0, bytes);
        if (reads)
            memcpy(to, from, reads);
    }
    return SIM_NEXT;
}

// Reports the end of a group of copies, which matters only to the race check.
static enum sim_next run_commit(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)op;
    (void)mask;
    if (sim_race_on())
        sim_race_commit(w, SIM_GROUPS_COPIES);
    return SIM_NEXT;
}

static enum sim_next run_wait(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)mask;
    if (sim_race_on())
        sim_race_wait(w, SIM_GROUPS_COPIES, op->extra);
    return SIM_NEXT;
}

static enum sim_next run_wait_all(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    run_commit(w, op, mask);
    return run_wait(w, op, mask);
}

static sim_handler *pick_cp_groups(const struct sim_words *words, struct sim_op *op)
{
    bool waits = sim_has(words, "wait_group");

    if (words->types)
        return NULL;
    op->extra = waits ? (uint32_t)words->statement->operand[0].value.u : 0;
    return waits ? run_wait : sim_has(words, "commit_group") ? run_commit : run_wait_all;
}

static sim_handler *pick_cp_async(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_operand *size = &words->statement->operand[2];

    if (words->types || !sim_has(words, "async") || !sim_has(words, "global") ||
        sim_has(words, "ca") == sim_has(words, "cg"))
        return NULL;
    if (size->kind != SIM_OP_INTEGER ||
        !(size->value.u == 16 ||
          (sim_has(words, "ca") && (size->value.u == 4 || size->value.u == 8))))
        return NULL;
    if (words->statement->operands > 4 && !sim_has(words, "L2::cache_hint"))
        return NULL;
    op->extra = (uint32_t)size->value.u;
    return run_cp_async;
}

static sim_handler *pick_cp_async_ignore(const struct sim_words *words, struct sim_op *op)
{
    sim_handler *run = pick_cp_async(words, op);

    op->extra |= COPY_IGNORE;
    return run;
}

#define SPACES \
    "global shared shared::cta shared::cluster local const param param::entry param::func "
#define HINTS                                                              \
    "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last " \
    "L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint "
#define LOAD_HINTS HINTS "ca cg cs lu cv L2::64B L2::128B L2::256B "
#define STORE_HINTS HINTS "wb cg cs wt "
#define COPIES "async ca cg shared shared::cta global L2::64B L2::128B L2::256B "
#define ORDERS "weak volatile relaxed acquire release mmio cta cluster gpu sys "

const struct sim_instruction sim_memory_instructions[] = {
    { "ld", SPACES LOAD_HINTS ORDERS "nc v2 v4 v8", "v>mx?", pick_ld },
    { "ldu", "global v2 v4", "v>m", pick_ld },
    { "st", SPACES STORE_HINTS ORDERS "v2 v4 v8", "mV>x?", pick_st },
    { "st", "!bulk weak shared::cta", "maqi", pick_fill },
    { "cp", COPIES, "mmiaw?", pick_cp_async },
    { "cp", COPIES, "mmip", pick_cp_async_ignore },
    { "cp", COPIES "L2::cache_hint", "mmix", pick_cp_async },
    { "cp", COPIES "L2::cache_hint", "mmiawx", pick_cp_async },
    { "cp", COPIES "L2::cache_hint", "mmipx", pick_cp_async_ignore },
    { "cp", "async commit_group wait_all", "", pick_cp_groups },
    { "cp", "async wait_group", "i", pick_cp_groups },
    { NULL, NULL, NULL, NULL },
};
