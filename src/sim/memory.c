// Loads, stores, addresses and copies. Every access is checked: its alignment, and that it lies in
// one allocation, in the block's shared memory, in the lane's stack or in the parameters.
#include "memory.h"
#include "alu.h"
#include "code.h"

#include <string.h>

enum {
    ILLEGAL_ADDRESS = 700,
    MISALIGNED = 716,
    WRONG_SPACE = 717,
};

#define OFFSET_OF(address) ((address) & ((UINT64_C(1) << 56) - 1))

static const char *verb(bool write)
{
    return write ? "write" : "read";
}

// How far an address is from an allocation that it may have been meant for.
static enum sim_next outside(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                             uint64_t address, uint32_t bytes, bool write)
{
    struct sim_range range;
    unsigned long long at = address;

    if (sim_memory_find(address, &range))
        return sim_fault(w, op, lane, ILLEGAL_ADDRESS,
                         "%s of %u bytes at 0x%llx, %llu bytes past the end of an allocation of "
                         "%llu bytes",
                         verb(write), bytes, at, (unsigned long long)(address + bytes - range.end),
                         (unsigned long long)(range.end - range.base));
    for (uint64_t near = 1; near <= UINT64_C(1) << 20; near *= 4) {
        if (address >= near && sim_memory_find(address - near, &range))
            return sim_fault(w, op, lane, ILLEGAL_ADDRESS,
                             "%s of %u bytes at 0x%llx, %llu bytes past the end of an allocation "
                             "of %llu bytes",
                             verb(write), bytes, at,
                             (unsigned long long)(address + bytes - range.end),
                             (unsigned long long)(range.end - range.base));
        if (sim_memory_find(address + near, &range))
            return sim_fault(w, op, lane, ILLEGAL_ADDRESS,
                             "%s of %u bytes at 0x%llx, %llu bytes before an allocation of %llu "
                             "bytes",
                             verb(write), bytes, at, (unsigned long long)(range.base - address),
                             (unsigned long long)(range.end - range.base));
    }
    return sim_fault(w, op, lane, ILLEGAL_ADDRESS,
                     "%s of %u bytes at 0x%llx, which is in no allocation", verb(write), bytes, at);
}

static bool in_range(const struct sim_range *range, uint64_t address, uint64_t bytes)
{
    return range->generation ==
               atomic_load_explicit(&sim_memory_generation, memory_order_acquire) &&
           address >= range->base && address < range->end && bytes <= range->end - address;
}

static bool reach_global(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                         uint64_t address, uint32_t bytes, bool write, void **host)
{
    struct sim_range found, *cache = w->caches ? &w->caches[op->cache] : &found;

    if (cache == &found || !in_range(cache, address, bytes)) {
        if (!sim_memory_find(address, &found) || bytes > found.end - address)
            return outside(w, op, lane, address, bytes, write), false;
        *cache = found;
    }
    *host = (void *)(uintptr_t)address;
    return true;
}

// An offset in a piece of memory that has a size.
static bool reach_piece(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                        unsigned char *base, uint64_t size, const char *name, uint64_t offset,
                        uint32_t bytes, bool write, void **host)
{
    if (offset > size || bytes > size - offset) {
        sim_fault(w, op, lane, ILLEGAL_ADDRESS,
                  "%s of %u bytes at offset %llu of %s, which has %llu bytes", verb(write), bytes,
                  (unsigned long long)offset, name, (unsigned long long)size);
        return false;
    }
    *host = base + offset;
    return true;
}

static bool reach_shared(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                         uint64_t address, uint32_t bytes, bool write, void **host)
{
    struct sim_block *block = w->block;
    uint64_t rank = address >> SIM_RANK_SHIFT;

    // Rank 0 is the block's own, whichever it is; mapa gives ranks from 1 on.
    if (rank && rank <= block->cluster->count)
        block = block->cluster->blocks[rank - 1];
    else if (rank)
        return reach_piece(w, op, lane, NULL, block->shared_bytes, "shared memory", address, bytes,
                           write, host);
    address &= (UINT64_C(1) << SIM_RANK_SHIFT) - 1;
    if (address >= SIM_RESERVED_AT)
        return reach_piece(w, op, lane, block->reserved, SIM_RESERVED_BYTES,
                           "reserved shared memory", address - SIM_RESERVED_AT, bytes, write, host);
    return reach_piece(w, op, lane, block->shared, block->shared_bytes, "shared memory", address,
                       bytes, write, host);
}

static inline __attribute__((always_inline)) bool
reach(struct sim_warp *w, const struct sim_op *op, uint32_t lane, enum sim_space space,
      uint64_t address, uint32_t bytes, uint32_t align, bool write, void **host)
{
    const struct sim_grid *grid = w->block->grid;
    uint64_t window = SIM_WINDOW(address);
    const struct sim_frame *frame = w->frame;

    if (align > 1 && address % align) {
        sim_fault(w, op, lane, MISALIGNED, "%s of %u bytes at 0x%llx, which is no multiple of %u",
                  verb(write), bytes, (unsigned long long)OFFSET_OF(address), align);
        return false;
    }
    if (space == SIM_GENERIC) {
        space = window == 0                               ? SIM_GLOBAL
                : window == SIM_WINDOW(SIM_WINDOW_SHARED) ? SIM_SHARED
                : window == SIM_WINDOW(SIM_WINDOW_LOCAL)  ? SIM_LOCAL
                : window == SIM_WINDOW(SIM_WINDOW_PARAM)  ? SIM_PARAM
                                                          : SIM_GENERIC;
        if (space == SIM_PARAM && !write)
            return reach_piece(w, op, lane, grid->params, grid->entry->entry_param_bytes,
                               "the kernel's parameters", OFFSET_OF(address), bytes, write, host);
        if (space == SIM_PARAM || space == SIM_GENERIC) {
            sim_fault(w, op, lane, space == SIM_PARAM ? ILLEGAL_ADDRESS : WRONG_SPACE,
                      "%s of %u bytes at 0x%llx, which is %s", verb(write), bytes,
                      (unsigned long long)address,
                      space == SIM_PARAM ? "a kernel's parameter" : "in no address space");
            return false;
        }
        address = space == SIM_GLOBAL ? address : OFFSET_OF(address);
    } else if (window) {
        sim_fault(w, op, lane, WRONG_SPACE,
                  "%s of %u bytes at 0x%llx, a generic address in an instruction of one space",
                  verb(write), bytes, (unsigned long long)address);
        return false;
    }
    switch (space) {
    case SIM_GLOBAL:
    case SIM_CONST:
        return reach_global(w, op, lane, address, bytes, write, host);
    case SIM_SHARED:
    case SIM_SHARED_CLUSTER:
        return reach_shared(w, op, lane, address, bytes, write, host);
    case SIM_LOCAL:
        return reach_piece(
            w, op, lane, w->local ? w->local + (size_t)lane * grid->entry->stack_bytes : NULL,
            grid->entry->stack_bytes, "the thread's stack", address, bytes, write, host);
    case SIM_PARAM:
        if (op->extra & SIM_ENTRY_PARAM)
            return reach_piece(w, op, lane, grid->params, grid->entry->entry_param_bytes,
                               "the kernel's parameters", address, bytes, write, host);
        return reach_piece(w, op, lane, frame->param + (size_t)lane * frame->code->param_bytes,
                           frame->code->param_bytes, "the function's parameters", address, bytes,
                           write, host);
    default:
        sim_fault(w, op, lane, WRONG_SPACE, "an access of a space that has no memory");
        return false;
    }
}

bool sim_reach(struct sim_warp *w, const struct sim_op *op, uint32_t lane, enum sim_space space,
               uint64_t address, uint32_t bytes, bool write, void **host)
{
    return reach(w, op, lane, space, address, bytes, bytes, write, host);
}

bool sim_reach_range(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                     enum sim_space space, uint64_t address, uint32_t bytes, uint32_t align,
                     bool write, void **host)
{
    return reach(w, op, lane, space, address, bytes, align, write, host);
}

// ld and st: in `extra`, beside SIM_ENTRY_PARAM
enum {
    EXTRA_SPACE = 0xf,
    EXTRA_SIZE_SHIFT = 4, // log2 of an element's bytes
    EXTRA_SIGNED = 1 << 8,
    EXTRA_ACQUIRE = 1 << 9,
    EXTRA_RELEASE = 1 << 10,
    EXTRA_BITS = 0xffff,
};
#define SIZE_LOG2(op) ((op)->extra >> EXTRA_SIZE_SHIFT & 0xf)
// List element i is a 64-bit register: decode_operand.c says so above the bits of the operands.
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
        if (!sim_reach(w, op, lane, space, sim_address(w, op, 1, lane), count << size, false,
                       &host))
            return SIM_FAULT;
        // All are read before any is written: a destination may be the address.
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
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        void *host;
        if (!sim_reach(w, op, lane, space, sim_address(w, op, 0, lane), count << size, true, &host))
            return SIM_FAULT;
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

// The usual case at vector speed: all lanes, side by side in memory that was found before.
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

#define LOAD_STORE(bytes)                                                             \
    static enum sim_next run_ld_##bytes(struct sim_warp *w, const struct sim_op *op,  \
                                        uint32_t mask)                                \
    {                                                                                 \
        uint64_t first;                                                               \
        if (mask != SIM_ALL_LANES || !side_by_side(w, op, 1, bytes, &first))          \
            return run_ld(w, op, mask);                                               \
        memcpy(w->f + op->list[0], (const void *)(uintptr_t)first, bytes * SIM_WARP); \
        return SIM_NEXT;                                                              \
    }                                                                                 \
    static enum sim_next run_st_##bytes(struct sim_warp *w, const struct sim_op *op,  \
                                        uint32_t mask)                                \
    {                                                                                 \
        uint64_t first;                                                               \
        if (mask != SIM_ALL_LANES || !side_by_side(w, op, 0, bytes, &first))          \
            return run_st(w, op, mask);                                               \
        memcpy((void *)(uintptr_t)first, w->f + op->list[0], bytes * SIM_WARP);       \
        return SIM_NEXT;                                                              \
    }
LOAD_STORE(4)
LOAD_STORE(8)

// A parameter of the entry, at an address that is a constant: the same for all lanes.
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

    if (words->types != 1 || op->list_count != elements || type == SIM_PRED)
        return false;
    // An address operand outside of a function's parameters is of the entry only in .param.
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
    return true;
}

// A plain access of 4 or 8 bytes to registers of that size through a 64-bit address.
static bool is_plain(const struct sim_words *words, const struct sim_op *op, uint32_t operand,
                     uint32_t bytes)
{
    enum sim_space space = (enum sim_space)(op->extra & EXTRA_SPACE);

    return op->list_count == 1 && op->list[0] != SIM_NO_OPERAND &&
           (space == SIM_GLOBAL || space == SIM_GENERIC) && (op->wide >> operand & 1) &&
           UINT32_C(1) << SIZE_LOG2(op) == bytes && ELEMENT_WIDE(op, 0) == (bytes == 8) &&
           !sim_has(words, "volatile") && !sim_has(words, "relaxed") &&
           !sim_has(words, "acquire") && !sim_has(words, "release") && !sim_has(words, "mmio");
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
    return is_plain(words, op, 1, 4) ? run_ld_4 : is_plain(words, op, 1, 8) ? run_ld_8 : run_ld;
}

static sim_handler *pick_st(const struct sim_words *words, struct sim_op *op)
{
    if (!describe(words, op) || sim_has(words, "acquire") || sim_has(words, "const") ||
        op->extra & SIM_ENTRY_PARAM)
        return NULL;
    for (uint32_t i = 0; i < op->list_count; i++)
        if (op->list[i] == SIM_NO_OPERAND)
            return NULL;
    return is_plain(words, op, 0, 4) ? run_st_4 : is_plain(words, op, 0, 8) ? run_st_8 : run_st;
}

// Addresses

static uint64_t window_of(enum sim_space space)
{
    return space == SIM_SHARED || space == SIM_SHARED_CLUSTER ? SIM_WINDOW_SHARED
           : space == SIM_LOCAL                               ? SIM_WINDOW_LOCAL
           : space == SIM_PARAM                               ? SIM_WINDOW_PARAM
                                                              : 0;
}

static enum sim_next run_cvta(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint64_t window = window_of((enum sim_space)op->extra);
    const uint64_t *from = SIM_R64(w, op->o[1]);
    uint64_t *to = SIM_R64(w, op->o[0]);

    SIM_ALU_LANES(mask, to[i] = from[i] | window);
    return SIM_NEXT;
}

static enum sim_next run_cvta_to(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint64_t window = window_of((enum sim_space)op->extra);
    const uint64_t *from = SIM_R64(w, op->o[1]);
    uint64_t *to = SIM_R64(w, op->o[0]);

    SIM_ALU_LANES(mask, to[i] = from[i] & ~window);
    return SIM_NEXT;
}

static sim_handler *pick_cvta(const struct sim_words *words, struct sim_op *op)
{
    enum sim_space space = sim_space_of(words);

    if (words->types != 1 || words->type[0] != SIM_U64 || space == SIM_GENERIC)
        return NULL;
    op->extra = space;
    return sim_has(words, "to") ? run_cvta_to : run_cvta;
}

static enum sim_next run_isspacep(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    enum sim_space space = (enum sim_space)op->extra;
    const struct sim_grid *grid = w->block->grid;
    uint32_t holds = 0;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t address = SIM_R64(w, op->list[0])[lane],
                 rank = OFFSET_OF(address) >> SIM_RANK_SHIFT;
        bool is = SIM_WINDOW(address) == SIM_WINDOW(window_of(space));
        if (space == SIM_SHARED)
            is = is && (rank == 0 || rank == w->block->cluster_rank + 1);
        if (space == SIM_CONST || space == SIM_GLOBAL) {
            bool is_const = false;
            const struct sim_module *module = grid->program->module;
            for (size_t v = 0; is && !is_const && v < module->variable_count; v++)
                is_const = module->variables[v].space == SIM_CONST &&
                           address - grid->program->addresses[v] < module->variables[v].bytes;
            is = is && is_const == (space == SIM_CONST);
        }
        holds |= (uint32_t)is << lane;
    }
    SIM_RP(w, op->o[0]) = (SIM_RP(w, op->o[0]) & ~mask) | holds;
    return SIM_NEXT;
}

static sim_handler *pick_isspacep(const struct sim_words *words, struct sim_op *op)
{
    enum sim_space space = sim_space_of(words);

    if (words->types || space == SIM_GENERIC || op->list_count != 1 || !ELEMENT_WIDE(op, 0))
        return NULL;
    op->extra = space;
    return run_isspacep;
}

static enum sim_next run_mapa(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const uint32_t *rank = SIM_R32(w, op->o[2]);

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t a = op->extra ? SIM_R64(w, op->o[1])[lane] : SIM_R32(w, op->o[1])[lane];
        if (rank[lane] >= w->block->cluster->count)
            return sim_fault(w, op, lane, 719, "mapa to block %u of a cluster of %u", rank[lane],
                             w->block->cluster->count);
        a = (a & ~(UINT64_C(0xff) << SIM_RANK_SHIFT)) | (uint64_t)(rank[lane] + 1)
                                                            << SIM_RANK_SHIFT;
        if (op->extra)
            SIM_R64(w, op->o[0])[lane] = a;
        else
            SIM_R32(w, op->o[0])[lane] = (uint32_t)a;
    }
    return SIM_NEXT;
}

static enum sim_next run_getctarank(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t a = op->extra ? SIM_R64(w, op->o[1])[lane] : SIM_R32(w, op->o[1])[lane];
        uint32_t rank = (uint32_t)(OFFSET_OF(a) >> SIM_RANK_SHIFT);
        SIM_R32(w, op->o[0])[lane] = rank ? rank - 1 : w->block->cluster_rank;
    }
    return SIM_NEXT;
}

static bool is_wide_address(const struct sim_words *words, struct sim_op *op)
{
    op->extra = words->types == 1 && words->type[0] == SIM_U64;
    return words->types == 1 && (words->type[0] == SIM_U64 || words->type[0] == SIM_U32);
}

static sim_handler *pick_mapa(const struct sim_words *words, struct sim_op *op)
{
    return is_wide_address(words, op) ? run_mapa : NULL;
}

static sim_handler *pick_getctarank(const struct sim_words *words, struct sim_op *op)
{
    return is_wide_address(words, op) ? run_getctarank : NULL;
}

// Hints change nothing here.
static enum sim_next run_hint(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)w;
    (void)op;
    (void)mask;
    return SIM_NEXT;
}

static sim_handler *pick_hint(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return words->types ? NULL : run_hint;
}

static enum sim_next run_policy(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    SIM_LANES(mask, i, SIM_R64(w, op->o[0])[i] = 0);
    return SIM_NEXT;
}

static sim_handler *pick_policy(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return words->types == 1 && words->type[0] == SIM_B64 && sim_has(words, "fractional")
               ? run_policy
               : NULL;
}

// cp.async copies at once: o[0] to, o[1] from, o[2] how many bytes to read, the rest being zero, or
// a predicate that says to read none. Waiting for it is then nothing.
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
        if (!sim_reach(w, op, lane, SIM_SHARED, sim_address(w, op, 0, lane), bytes, true, &to))
            return SIM_FAULT;
        if (source % bytes) {
            return sim_fault(w, op, lane, MISALIGNED,
                             "read of %u bytes at 0x%llx, which is no multiple of %u", bytes,
                             (unsigned long long)source, bytes);
        }
        if (reads && !reach_global(w, op, lane, source, reads, false, &from))
            return SIM_FAULT;
        memset(to, 0, bytes);
        if (reads)
            memcpy(to, from, reads);
    }
    return SIM_NEXT;
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

// alloca takes from the end of a lane's stack, downwards.
static enum sim_next run_alloca(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct sim_frame *frame = w->frame;
    uint32_t stack = w->block->grid->entry->stack_bytes;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t bytes = SIM_R64(w, op->o[1])[lane], align = op->extra;
        uint64_t used = frame->local_base + frame->code->local_bytes;
        uint64_t top = w->stack_top[lane] + bytes;
        top = (top + align - 1) & ~(align - 1);
        if (bytes > stack || top + used > stack)
            return sim_fault(w, op, lane, 719, "stack overflow: alloca of %llu bytes",
                             (unsigned long long)bytes);
        w->stack_top[lane] = (uint32_t)top;
        SIM_R64(w, op->o[0])[lane] = stack - top;
    }
    return SIM_NEXT;
}

static sim_handler *pick_alloca(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_statement *s = words->statement;

    if (words->types != 1 || words->type[0] != SIM_U64)
        return NULL;
    op->extra = s->operands > 2 ? (uint32_t)s->operand[2].value.u : 16;
    return op->extra && !(op->extra & (op->extra - 1)) && op->extra <= 4096 ? run_alloca : NULL;
}

static enum sim_next run_stacksave(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    SIM_LANES(mask, i, SIM_R64(w, op->o[0])[i] = w->stack_top[i]);
    return SIM_NEXT;
}

static enum sim_next run_stackrestore(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    SIM_LANES(mask, i, w->stack_top[i] = (uint32_t)SIM_R64(w, op->o[0])[i]);
    return SIM_NEXT;
}

static sim_handler *pick_stack(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    if (words->types != 1 || words->type[0] != SIM_U64)
        return NULL;
    return strcmp(words->statement->word[0], "stacksave") == 0 ? run_stacksave : run_stackrestore;
}

#define SPACES \
    "global shared shared::cta shared::cluster local const param param::entry param::func "
#define HINTS                                                                                   \
    "ca cg cs lu cv wb wt L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last " \
    "L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint L2::64B "   \
    "L2::128B L2::256B "
#define COPIES "async ca cg shared shared::cta global L2::64B L2::128B L2::256B "
#define ORDERS "weak volatile relaxed acquire release mmio cta cluster gpu sys "

const struct sim_instruction sim_memory_instructions[] = {
    { "ld", SPACES HINTS ORDERS "nc v2 v4 v8", "vm", pick_ld },
    { "ld", SPACES HINTS ORDERS "nc v2 v4 v8", "vmx", pick_ld },
    { "ldu", "global v2 v4", "vm", pick_ld },
    { "st", SPACES HINTS ORDERS "v2 v4 v8", "mV", pick_st },
    { "st", SPACES HINTS ORDERS "v2 v4 v8", "mVx", pick_st },
    { "cvta", SPACES "to", "da", pick_cvta },
    { "isspacep", SPACES, "PV", pick_isspacep },
    { "mapa", "shared::cluster", "daaw", pick_mapa },
    { "getctarank", "shared::cluster", "da", pick_getctarank },
    { "prefetch", "global local const param tensormap L1 L2 L2::evict_last L2::evict_normal", "m",
      pick_hint },
    { "prefetchu", "L1", "m", pick_hint },
    { "applypriority", "global L2::evict_normal", "mi", pick_hint },
    { "discard", "global L2", "mi", pick_hint },
    { "createpolicy", HINTS "fractional L2::evict_unchanged", "dxx?", pick_policy },
    { "createpolicy", HINTS "fractional L2::evict_unchanged", "d", pick_policy },
    { "cp", COPIES, "mmiaw?", pick_cp_async },
    { "cp", COPIES, "mmip", pick_cp_async_ignore },
    { "cp", COPIES "L2::cache_hint", "mmix", pick_cp_async },
    { "cp", COPIES "L2::cache_hint", "mmiawx", pick_cp_async },
    { "cp", COPIES "L2::cache_hint", "mmipx", pick_cp_async_ignore },
    { "cp", "async commit_group wait_all", "", pick_hint },
    { "cp", "async wait_group", "i", pick_hint },
    { "alloca", "", "dai?", pick_alloca },
    { "stacksave", "", "d", pick_stack },
    { "stackrestore", "", "a", pick_stack },
    { NULL, NULL, NULL, NULL },
};
