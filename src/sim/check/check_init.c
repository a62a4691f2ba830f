// Finds reads of uninitialized memory, with one bit per byte that tells if the byte has been
// written.
//
// A block owns the bits of its shared memory. The bits of global memory lie in chunks, one for each
// GiB of addresses that contains checked memory. A chunk also has a byte for each page that tells
// if the page is checked. Device memory is checked from its allocation until it is freed. All other
// memory counts as written, since the host may write it unnoticed.
//
// Chunks are reserved address space, so pages that are never touched cost nothing. They exist until
// the process ends, because kernels may use memory after it is freed.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE_SHIFT = 12,
    CHUNK_SHIFT = 30,
    CHUNKS = 1 << 18, // one per GiB of a 48-bit address space
    BITS = 64,        // bits of a word
    SYSTEM_PAGE = 4096,
};
#define CHUNK_BYTES (UINT64_C(1) << CHUNK_SHIFT)

struct chunk {
    uint64_t written[(1 << CHUNK_SHIFT) / BITS];
    unsigned char pages[1 << (CHUNK_SHIFT - PAGE_SHIFT)]; // 1: checked
};

static struct chunk *_Atomic *_Atomic chunks; // [CHUNKS]

// Bits

// Returns a mask of `count` ones starting at bit `at`, limited to one word.
static uint64_t mask_of(uint64_t at, uint64_t count)
{
    uint64_t ones = count < BITS ? (UINT64_C(1) << count) - 1 : UINT64_MAX;

    return ones << at % BITS;
}

static uint64_t in_word(uint64_t at, uint64_t count)
{
    uint64_t available = BITS - at % BITS;

    return count < available ? count : available;
}

static uint64_t word_at(const uint64_t *words, uint64_t at)
{
    return __atomic_load_n(&words[at / BITS], __ATOMIC_RELAXED);
}

// Returns how many of the `count` bits starting at `at` are clear.
static uint64_t count_clear(const uint64_t *words, uint64_t at, uint64_t count)
{
    uint64_t clear = 0;

    for (uint64_t n; count; at += n, count -= n) {
        n = in_word(at, count);
        uint64_t missing = ~word_at(words, at) & mask_of(at, n);
        if (missing)
            clear += (uint64_t)__builtin_popcountll(missing);
    }
    return clear;
}

// Sets bits atomically: blocks that run concurrently may write bytes whose bits share a word.
static void set_bits(uint64_t *words, uint64_t at, uint64_t count)
{
    for (uint64_t n; count; at += n, count -= n) {
        n = in_word(at, count);
        uint64_t mask = mask_of(at, n);
        if (mask == UINT64_MAX)
            __atomic_store_n(&words[at / BITS], mask, __ATOMIC_RELAXED);
        else if (mask & ~word_at(words, at))
            __atomic_fetch_or(&words[at / BITS], mask, __ATOMIC_RELAXED);
    }
}

static void clear_bits(uint64_t *words, uint64_t at, uint64_t count)
{
    for (uint64_t n; count; at += n, count -= n) {
        n = in_word(at, count);
        if (word_at(words, at) & mask_of(at, n))
            __atomic_fetch_and(&words[at / BITS], ~mask_of(at, n), __ATOMIC_RELAXED);
    }
}

static void copy_bits(uint64_t *to, uint64_t to_at, const uint64_t *from, uint64_t from_at,
                      uint64_t count)
{
    for (uint64_t n; count; to_at += n, from_at += n, count -= n) {
        n = in_word(to_at, in_word(from_at, count));
        uint64_t mask = mask_of(to_at, n);
        uint64_t bits = word_at(from, from_at) >> from_at % BITS << to_at % BITS & mask;
        __atomic_fetch_or(&to[to_at / BITS], bits, __ATOMIC_RELAXED);
        __atomic_fetch_and(&to[to_at / BITS], bits | ~mask, __ATOMIC_RELAXED);
    }
}

// Global memory

// Returns the chunk of a checked address; NULL for others.
static struct chunk *chunk_of(uint64_t address)
{
    struct chunk *_Atomic *table = atomic_load_explicit(&chunks, memory_order_acquire);
    uint64_t index = address >> CHUNK_SHIFT;

    if (!table || index >= CHUNKS)
        return NULL;
    struct chunk *chunk = atomic_load_explicit(&table[index], memory_order_acquire);
    return chunk && chunk->pages[address % CHUNK_BYTES >> PAGE_SHIFT] ? chunk : NULL;
}

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

// Returns the chunk of an address, and creates it if needed. NULL if out of memory.
static struct chunk *chunk_new(uint64_t address)
{
    struct chunk *_Atomic *table = atomic_load_explicit(&chunks, memory_order_acquire);

    if (!table) {
        struct chunk *_Atomic *fresh = reserve(CHUNKS * sizeof(*fresh));
        if (!fresh)
            return NULL;
        if (atomic_compare_exchange_strong(&chunks, &table, fresh))
            table = fresh;
        else
            munmap(fresh, CHUNKS * sizeof(*fresh));
    }
    if (address >> CHUNK_SHIFT >= CHUNKS)
        return NULL;
    struct chunk *_Atomic *at = &table[address >> CHUNK_SHIFT];
    struct chunk *chunk = atomic_load_explicit(at, memory_order_acquire);
    if (chunk)
        return chunk;
    struct chunk *fresh = reserve(sizeof(*fresh));
    if (!fresh)
        return NULL;
    if (atomic_compare_exchange_strong(at, &chunk, fresh))
        return fresh;
    munmap(fresh, sizeof(*fresh));
    return chunk;
}

// Returns how many of the bytes starting at an address lie in the address's chunk.
static uint64_t in_chunk(uint64_t address, uint64_t bytes)
{
    uint64_t available = CHUNK_BYTES - address % CHUNK_BYTES;

    return bytes < available ? bytes : available;
}

static void look_at(uint64_t address, uint64_t bytes, bool yes)
{
    for (uint64_t n; bytes; address += n, bytes -= n) {
        n = in_chunk(address, bytes);
        struct chunk *chunk = yes ? chunk_new(address) : chunk_of(address);
        uint64_t at = address % CHUNK_BYTES, first = at >> PAGE_SHIFT;
        if (chunk)
            memset(chunk->pages + first, yes, ((at + n - 1) >> PAGE_SHIFT) - first + 1);
    }
}

void sim_init_allocated(uint64_t address, uint64_t bytes)
{
    look_at(address, bytes, true);
}

void sim_init_freed(uint64_t address, uint64_t bytes)
{
    // Return whole pages of bits to the system.
    for (uint64_t at = address, left = bytes, n; left; at += n, left -= n) {
        n = in_chunk(at, left);
        struct chunk *chunk = chunk_of(at);
        uint64_t first = at % CHUNK_BYTES, end = first + n, span = UINT64_C(8) * SYSTEM_PAGE;
        uint64_t inner = (first + span - 1) / span * span, inner_end = end / span * span;
        if (!chunk)
            continue;
        if (inner >= inner_end) {
            clear_bits(chunk->written, first, n);
            continue;
        }
        clear_bits(chunk->written, first, inner - first);
        clear_bits(chunk->written, inner_end, end - inner_end);
        (void)madvise((unsigned char *)chunk->written + inner / 8, (inner_end - inner) / 8,
                      MADV_DONTNEED);
    }
    look_at(address, bytes, false);
}

void sim_init_wrote(uint64_t address, uint64_t bytes)
{
    for (uint64_t n; bytes; address += n, bytes -= n) {
        n = in_chunk(address, bytes);
        struct chunk *chunk = chunk_of(address);
        if (chunk)
            set_bits(chunk->written, address % CHUNK_BYTES, n);
    }
}

void sim_init_copied(uint64_t to, uint64_t from, uint64_t bytes)
{
    for (uint64_t n; bytes; to += n, from += n, bytes -= n) {
        n = in_chunk(to, in_chunk(from, bytes));
        struct chunk *target = chunk_of(to), *source = chunk_of(from);
        if (target && source)
            copy_bits(target->written, to % CHUNK_BYTES, source->written, from % CHUNK_BYTES, n);
        else if (target)
            set_bits(target->written, to % CHUNK_BYTES, n);
    }
}

static uint64_t count_unwritten(uint64_t address, uint64_t bytes)
{
    uint64_t clear = 0;

    for (uint64_t n; bytes; address += n, bytes -= n) {
        n = in_chunk(address, bytes);
        const struct chunk *chunk = chunk_of(address);
        clear += chunk ? count_clear(chunk->written, address % CHUNK_BYTES, n) : 0;
    }
    return clear;
}

bool sim_init_written(uint64_t address, uint32_t bytes)
{
    return count_unwritten(address, bytes) == 0;
}

// Accesses

static enum sim_next unwritten(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                               const struct sim_block *owner, uint64_t at, uint32_t bytes,
                               enum sim_access access, uint64_t clear)
{
    const char *what = access == SIM_READ ? "read of" : "atomic operation on";
    char where[64], part[48] = "";

    if (!owner)
        snprintf(where, sizeof(where), "0x%llx", (unsigned long long)at);
    else if (owner == w->block)
        snprintf(where, sizeof(where), "offset %u of shared memory", (uint32_t)at);
    else
        snprintf(where, sizeof(where), "offset %u of the shared memory of block %u of the cluster",
                 (uint32_t)at, owner->cluster_rank);
    if (clear < bytes)
        snprintf(part, sizeof(part), "%u of ", (uint32_t)clear);
    return sim_found(w, op, lane, SIM_CHECK_INIT, "%s %u byte%s at %s, %swhich nobody has written",
                     what, bytes, SIM_S(bytes), where, part);
}

bool sim_check_init_access(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                           struct sim_block *owner, uint64_t at, uint32_t bytes,
                           enum sim_access access)
{
    if (access == SIM_READ || access == SIM_UPDATE) {
        uint64_t clear = owner ? count_clear(owner->written, at, bytes)
                               : count_unwritten(at, bytes);
        if (clear && unwritten(w, op, lane, owner, at, bytes, access, clear) == SIM_FAULT)
            return false;
    }
    if (access != SIM_READ) {
        if (owner)
            set_bits(owner->written, at, bytes);
        else
            sim_init_wrote(at, bytes);
    }
    return true;
}

bool sim_check_init_new(struct sim_block *block)
{
    block->written = calloc(block->shared_bytes / BITS + 1, sizeof(uint64_t));
    return block->written != NULL;
}

void sim_check_init_begin(struct sim_block *block)
{
    memset(block->written, 0, (block->shared_bytes / BITS + 1) * sizeof(uint64_t));
}

void sim_check_init_free(struct sim_block *block)
{
    free(block->written);
}
