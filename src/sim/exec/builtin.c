// Functions of the device runtime: printf, assert, malloc and free, and a function that sets
// conditional nodes.
#include "builtin.h"

#include "base/array.h"
#include "base/text.h"
#include "memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ERROR_ASSERT = 710,        // CUDA_ERROR_ASSERT
    ERROR_LAUNCH_FAILED = 719, // CUDA_ERROR_LAUNCH_FAILED
    LONGEST_STRING = 1 << 20,  // bytes of a string in device memory; the rest is ignored
};

// Reads a C string from device memory. Checks each byte, since each must be accessible.
static bool read_string(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                        uint64_t address, struct cuc__text *out)
{
    out->length = 0;
    cuc__text_append(out, "", 0);
    for (uint32_t i = 0; i < LONGEST_STRING; i++) {
        void *host;
        char c;
        if (!sim_reach(w, op, lane, SIM_GENERIC, address + i, 1, SIM_READ, &host))
            return false;
        memcpy(&c, host, 1);
        if (!c)
            break;
        cuc__text_append(out, &c, 1);
    }
    return out->at != NULL;
}

// Reads the next argument of printf. In the buffer, each argument has its natural alignment.
static bool next_argument(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint64_t *at,
                          uint32_t bytes, uint64_t *value)
{
    void *host;

    *value = 0;
    *at = (*at + bytes - 1) & ~(uint64_t)(bytes - 1);
    if (!sim_reach(w, op, lane, SIM_GENERIC, *at, bytes, SIM_READ, &host))
        return false;
    memcpy(value, host, bytes);
    *at += bytes;
    return true;
}

// A conversion specification: flags, width and precision (either may be *), length, and letter.
struct conversion {
    char host[64]; // for the host's printf, with the host's length modifier
    size_t used;
    bool wide;       // 64 bits
    uint32_t narrow; // size in bytes for h and hh, otherwise 0
    char letter;
};

static void put(struct conversion *c, const char *bytes, size_t count)
{
    if (c->used + count >= sizeof c->host)
        return;
    memcpy(c->host + c->used, bytes, count);
    c->used += count;
    c->host[c->used] = '\0';
}

// Formats a value as `c` specifies. Prints a conversion as written if the host's printf does not
// know it.
static void convert(struct cuc__text *out, struct conversion *c, uint64_t value, const char *string)
{
    char small[512];
    double number;
    char *big = NULL;
    int count;

    switch (c->letter) {
    case 'd':
    case 'i': {
        int64_t x = c->wide ? (int64_t)value : (int32_t)(uint32_t)value;
        x = c->narrow == 2 ? (int16_t)x : c->narrow == 1 ? (int8_t)x : x;
        put(c, PRId64, strlen(PRId64));
        count = snprintf(small, sizeof small, c->host, x);
        if (count >= (int)sizeof small && (big = malloc((size_t)count + 1)))
            snprintf(big, (size_t)count + 1, c->host, x);
        break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
        uint64_t x = c->wide ? value : (uint32_t)value;
        x = c->narrow == 2 ? (uint16_t)x : c->narrow == 1 ? (uint8_t)x : x;
        const char *length = c->letter == 'u'   ? PRIu64
                             : c->letter == 'x' ? PRIx64
                             : c->letter == 'X' ? PRIX64
                                                : PRIo64;
        put(c, length, strlen(length));
        count = snprintf(small, sizeof small, c->host, x);
        if (count >= (int)sizeof small && (big = malloc((size_t)count + 1)))
            snprintf(big, (size_t)count + 1, c->host, x);
        break;
    }
    case 'c':
        put(c, &c->letter, 1);
        count = snprintf(small, sizeof small, c->host, (int)value);
        break;
    case 'p':
        put(c, &c->letter, 1);
        count = snprintf(small, sizeof small, c->host, (void *)(uintptr_t)value);
        break;
    case 's':
        put(c, &c->letter, 1);
        count = snprintf(small, sizeof small, c->host, string);
        if (count >= (int)sizeof small && (big = malloc((size_t)count + 1)))
            snprintf(big, (size_t)count + 1, c->host, string);
        break;
    default: // floating-point
        memcpy(&number, &value, sizeof number);
        put(c, &c->letter, 1);
        count = snprintf(small, sizeof small, c->host, number);
        if (count >= (int)sizeof small && (big = malloc((size_t)count + 1)))
            snprintf(big, (size_t)count + 1, c->host, number);
    }
    if (count > 0 && (big || count < (int)sizeof small))
        cuc__text_append(out, big ? big : small, (size_t)count);
    free(big);
}

// Implements vprintf(format, arguments): writes a lane's output to `out`, and stores in `taken` the
// number of arguments that the format uses.
static bool format(struct sim_warp *w, const struct sim_op *op, uint32_t lane, const char *at,
                   uint64_t arguments, struct cuc__text *out, int *taken)
{
    struct cuc__text string = { 0 };
    bool ok = true;

    *taken = 0;
    while (*at && ok) {
        size_t plain = strcspn(at, "%");
        cuc__text_append(out, at, plain);
        at += plain;
        if (!*at)
            break;
        if (at[1] == '%') {
            cuc__text_append(out, "%", 1);
            at += 2;
            continue;
        }

        const char *start = at++;
        struct conversion c = { .host = "%", .used = 1 };
        uint64_t value;
        size_t flags = strspn(at, "-+ #0");
        put(&c, at, flags);
        at += flags;
        for (int part = 0; part < 2 && ok; part++) { // the width, then the precision
            if (part == 1) {
                if (*at != '.')
                    break;
                put(&c, at++, 1);
            }
            if (*at == '*') {
                char digits[16];
                ok = next_argument(w, op, lane, &arguments, 4, &value);
                int n = snprintf(digits, sizeof digits, "%d", (int)(uint32_t)value);
                put(&c, digits, (size_t)n);
                ++*taken;
                at++;
            } else {
                size_t digits = strspn(at, "0123456789");
                put(&c, at, digits);
                at += digits;
            }
        }
        for (; *at && strchr("hlLjztq", *at); at++) {
            c.narrow = *at != 'h' ? 0 : c.narrow == 2 ? 1 : 2;
            c.wide = *at != 'h' && *at != 'L';
        }
        c.letter = *at;
        if (!*at || !strchr("diuxXocpsaAeEfFgG", *at)) {
            cuc__text_append(out, start, (size_t)(at - start));
            continue;
        }
        at++;
        bool eight = c.wide || strchr("psaAeEfFgG", c.letter);
        ok = ok && next_argument(w, op, lane, &arguments, eight ? 8 : 4, &value);
        ++*taken;
        if (ok && c.letter == 's') {
            if (value)
                ok = read_string(w, op, lane, value, &string);
            else
                string.length = 0, cuc__text_append(&string, "(null)", 6);
        }
        if (ok)
            convert(out, &c, value, string.at);
    }
    free(string.at);
    return ok;
}

// Reads one of a lane's parameters or results.
static uint64_t parameter(const unsigned char *params, uint32_t at, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, params + at, bytes);
    return value;
}

static enum sim_next call_vprintf(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                                  const unsigned char *params, unsigned char *result)
{
    struct cuc__text line = { 0 }, out = { 0 };
    uint64_t address = parameter(params, 0, 8);
    int taken = -1; // the result if the format is NULL
    bool ok = true;

    if (address) {
        ok = read_string(w, op, lane, address, &line) &&
             format(w, op, lane, line.at, parameter(params, 8, 8), &out, &taken);
        if (ok && out.length) {
            fwrite(out.at, 1, out.length, stdout);
            fflush(stdout);
        }
    }
    free(line.at);
    free(out.at);
    if (!ok)
        return SIM_FAULT;
    if (result)
        memcpy(result, &taken, sizeof taken);
    return SIM_NEXT;
}

// Implements __assertfail(message, file, line, function, character size).
static enum sim_next call_assertfail(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                                     const unsigned char *params, unsigned char *result)
{
    static const uint32_t at[] = { 0, 8, 24 };
    struct cuc__text part[3] = { 0 };
    const struct sim_block *block = w->block;
    const uint32_t *size = block->grid->block, *index = block->index;
    uint32_t thread = w->index * SIM_WARP + lane;
    bool ok = true;

    (void)result;
    for (int i = 0; ok && i < 3; i++) {
        uint64_t address = parameter(params, at[i], 8);
        if (address)
            ok = read_string(w, op, lane, address, &part[i]);
        else
            cuc__text_append(&part[i], "", 0);
        ok = ok && part[i].at;
    }
    if (ok) {
        fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                part[1].at, (unsigned)parameter(params, 16, 4), part[2].at, index[0], index[1],
                index[2], thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1],
                part[0].at);
        sim_fault(w, op, lane, ERROR_ASSERT, "assertion `%s` failed", part[0].at);
    }
    for (int i = 0; i < 3; i++)
        free(part[i].at);
    return ok ? SIM_NEXT : SIM_FAULT;
}

// An allocation in the heap, which is host memory that kernels may access. Pieces are indexed by
// address, so that free() can validate its argument.
struct piece {
    struct piece *next;
    uint64_t bytes;
};
enum { HEAP_HEADER = 16, HEAP_BUCKETS = 64 };

_Static_assert(sizeof(struct piece) <= HEAP_HEADER, "a piece's memory follows it, aligned to 16");

struct sim_heap {
    pthread_mutex_t lock;
    uint64_t used, limit;
    int device;
    struct piece **buckets;
    size_t bucket_count, count; // buckets, a power of two; pieces in all buckets
};

struct sim_heap *sim_heap_new(uint64_t limit, int device)
{
    struct sim_heap *heap = calloc(1, sizeof(*heap));

    if (!heap)
        return NULL;
    heap->buckets = calloc(HEAP_BUCKETS, sizeof(struct piece *));
    if (!heap->buckets) {
        free(heap);
        return NULL;
    }
    pthread_mutex_init(&heap->lock, NULL);
    heap->bucket_count = HEAP_BUCKETS;
    heap->limit = limit;
    heap->device = device;
    return heap;
}

static uint64_t piece_address(const struct piece *piece)
{
    return (uint64_t)(uintptr_t)piece + HEAP_HEADER;
}

static struct piece **bucket_of(const struct sim_heap *heap, uint64_t address)
{
    uint64_t mixed = address / 16 * UINT64_C(0x9e3779b97f4a7c15);

    return &heap->buckets[mixed >> 32 & (heap->bucket_count - 1)];
}

void sim_heap_free(struct sim_heap *heap)
{
    if (!heap)
        return;
    for (size_t i = 0; i < heap->bucket_count; i++) {
        while (heap->buckets[i]) {
            struct piece *piece = heap->buckets[i];
            heap->buckets[i] = piece->next;
            sim_memory_remove(piece_address(piece), "the end of their context");
            free(piece);
        }
    }
    pthread_mutex_destroy(&heap->lock);
    free(heap->buckets);
    free(heap);
}

// Doubles the number of buckets if memory permits.
static void grow(struct sim_heap *heap)
{
    struct piece **old = heap->buckets;
    size_t count = heap->bucket_count;
    struct piece **buckets = calloc(2 * count, sizeof(struct piece *));

    if (!buckets)
        return;
    heap->buckets = buckets;
    heap->bucket_count = 2 * count;
    for (size_t i = 0; i < count; i++) {
        while (old[i]) {
            struct piece *piece = old[i], **to = bucket_of(heap, piece_address(piece));
            old[i] = piece->next;
            piece->next = *to;
            *to = piece;
        }
    }
    free(old);
}

static enum sim_next call_malloc(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                                 const unsigned char *params, unsigned char *result)
{
    struct sim_heap *heap = w->block->grid->heap;
    uint64_t bytes = parameter(params, 0, 8), address = 0;
    struct piece *piece = NULL;

    (void)op, (void)lane;
    if (heap) {
        pthread_mutex_lock(&heap->lock);
        if (bytes && bytes <= heap->limit - heap->used)
            piece = malloc(HEAP_HEADER + bytes);
        if (piece) {
            address = piece_address(piece);
            if (heap->count == heap->bucket_count)
                grow(heap);
            struct piece **at = bucket_of(heap, address);
            *piece = (struct piece){ .next = *at, .bytes = bytes };
            *at = piece;
            heap->count++;
            heap->used += bytes;
            sim_memory_add(address, bytes, heap->device);
        }
        pthread_mutex_unlock(&heap->lock);
    }
    if (result)
        memcpy(result, &address, sizeof address);
    return SIM_NEXT;
}

static enum sim_next call_free(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                               const unsigned char *params, unsigned char *result)
{
    struct sim_heap *heap = w->block->grid->heap;
    uint64_t address = parameter(params, 0, 8);
    struct piece *piece = NULL;

    (void)result;
    if (!address)
        return SIM_NEXT;
    if (heap) {
        pthread_mutex_lock(&heap->lock);
        struct piece **at = bucket_of(heap, address);
        while (*at && piece_address(*at) != address)
            at = &(*at)->next;
        piece = *at;
        if (piece) {
            *at = piece->next;
            heap->count--;
            heap->used -= piece->bytes;
            sim_memory_remove(address, "free() of a kernel");
            free(piece);
        }
        pthread_mutex_unlock(&heap->lock);
    }
    if (!piece)
        return sim_fault(w, op, lane, ERROR_LAUNCH_FAILED,
                         "free of 0x%" PRIx64 ", which malloc of a kernel did not give, or which "
                         "is free already",
                         address);
    return SIM_NEXT;
}

bool (*sim_set_conditional)(uint64_t handle, uint32_t value);

static enum sim_next call_set_conditional(struct sim_warp *w, const struct sim_op *op,
                                          uint32_t lane, const unsigned char *params,
                                          unsigned char *result)
{
    uint64_t handle = parameter(params, 0, 8);

    (void)result;
    if (sim_set_conditional && sim_set_conditional(handle, (uint32_t)parameter(params, 8, 4)))
        return SIM_NEXT;
    return sim_fault(w, op, lane, ERROR_LAUNCH_FAILED,
                     "cudaGraphSetConditional of 0x%" PRIx64
                     ", which is not a handle of a graph that "
                     "is there",
                     handle);
}

static const struct {
    const char *name;
    enum sim_next (*call)(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                          const unsigned char *params, unsigned char *result);
} functions[] = {
    { "vprintf", call_vprintf },
    { "__assertfail", call_assertfail },
    { "malloc", call_malloc },
    { "free", call_free },
    { "cudaGraphSetConditional", call_set_conditional },
};
enum { FUNCTIONS = CUC_LENGTH(functions) };

bool sim_builtin(const char *name)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0)
            return true;
    return false;
}

enum sim_next sim_builtin_call(const char *name, struct sim_warp *w, const struct sim_op *op,
                               uint32_t mask, const unsigned char *params, size_t param_stride,
                               unsigned char *results, size_t result_stride)
{
    size_t i = 0;

    while (i < FUNCTIONS && strcmp(functions[i].name, name) != 0)
        i++;
    if (i == FUNCTIONS)
        return sim_fault(w, op, (uint32_t)__builtin_ctz(mask), ERROR_LAUNCH_FAILED,
                         "call of %s, which the device runtime does not have", name);
    enum sim_next next = SIM_NEXT;
    for (; mask && next == SIM_NEXT; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        next = functions[i].call(w, op, lane, params + lane * param_stride,
                                 results ? results + lane * result_stride : NULL);
    }
    // End the grid only after each lane has reported its failed assertion.
    return next == SIM_NEXT && strcmp(name, "__assertfail") == 0 ? SIM_FAULT : next;
}
