// Tests that arenas reuse freed memory, and that an arena's user cannot notice the reuse.
#include "base/arena.h"
#include "base/array.h"
#include "testing.h"
#include "wrap_malloc.h"

#include <pthread.h>

#if defined(__SANITIZE_ADDRESS__)
enum { REUSES = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { REUSES = 0 };
#else
enum { REUSES = 1 };
#endif
#else
enum { REUSES = 1 };
#endif

enum { KIB = 1024, BLOCKS = 400, BLOCK = 400, GROWN = 64 * KIB, MOST_SPARES = 24, THREADS = 4 };

static bool is_zero(const unsigned char *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (p[i])
            return false;
    return true;
}

// Takes blocks, which must be zero, and overwrites them. Makes no assertions, because Check
// allocates memory for them.
static bool fill(struct cuc__arena *arena, int blocks, unsigned char with)
{
    bool good = arena != NULL;

    for (int i = 0; i < blocks && good; i++) {
        unsigned char *block = cuc__arena_allocate(arena, BLOCK);
        good = block && is_zero(block, BLOCK);
        if (good)
            memset(block, with, BLOCK);
    }
    return good;
}

// Fills an arena with 156 KiB of blocks, and with a block that grows to 64 KiB.
static bool fill_all(struct cuc__arena *arena, unsigned char with)
{
    unsigned char *grown = NULL;
    bool good = fill(arena, BLOCKS, with);

    for (size_t bytes = 4 * KIB; bytes <= GROWN && good; bytes *= 2) {
        grown = cuc__arena_resize(arena, grown, bytes);
        good = grown != NULL;
        for (size_t i = 0; bytes > 4 * KIB && i < bytes / 2 && good; i++)
            good = grown[i] == with;
        if (good)
            memset(grown, with, bytes);
    }
    return good;
}

static bool use_arena(unsigned char with)
{
    struct cuc__arena *arena = cuc__arena_create();
    bool good = fill_all(arena, with);

    cuc__arena_free(arena);
    return good;
}

TEST_RANGE(arenas_after_the_first_ones_allocate_nothing_more, 0, REUSES)
{
    long before, after;

    for (int i = 0; i < 4; i++)
        ck_assert(use_arena(0xa5));
    before = wrap_calls;
    bool good = use_arena(0x5a);
    after = wrap_calls;
    ck_assert(good);
    ck_assert_int_eq(after - before, 2); // the arena, and the growing block's first 4 KiB
}

// Fills different parts of chunks, because only the used part of a chunk is cleared before its
// reuse.
TEST(reused_memory_is_zero)
{
    for (int count = 1; count < 120; count++) {
        struct cuc__arena *arena = cuc__arena_create();
        ck_assert(fill(arena, count * 37 % 120, 0xff));
        cuc__arena_free(arena);
    }
    for (int i = 0; i < 8; i++)
        ck_assert(use_arena((unsigned char)(i + 1)));
}

TEST(few_chunks_are_kept)
{
    struct cuc__arena *arenas[32];
    long before = wrap_live, during, after;
    bool good = true;

    for (size_t i = 0; i < CUC_LENGTH(arenas); i++) {
        arenas[i] = cuc__arena_create();
        good = fill_all(arenas[i], 1) && good;
    }
    during = wrap_live;
    for (size_t i = 0; i < CUC_LENGTH(arenas); i++)
        cuc__arena_free(arenas[i]);
    after = wrap_live;
    ck_assert(good);
    ck_assert_int_gt(during - before, 5 * CUC_LENGTH(arenas));
    ck_assert_int_le(after - before, REUSES ? MOST_SPARES : 0);
    cuc__arena_free_spares();
    after = wrap_live;
    ck_assert_int_eq(after, before);
}

TEST(a_block_that_cannot_grow_stays)
{
    struct cuc__arena *arena = cuc__arena_create();
    unsigned char *block = cuc__arena_resize(arena, NULL, 512 * KIB);

    memset(block, 7, 512 * KIB);
    wrap_fail_in = 1;
    void *larger = cuc__arena_resize(arena, block, 1024 * KIB);
    ck_assert_ptr_null(larger);
    ck_assert_int_eq(wrap_failed, 1);
    ck_assert_uint_eq(block[512 * KIB - 1], 7);
    block = cuc__arena_resize(arena, block, 8 * KIB);
    ck_assert(block && block[8 * KIB - 1] == 7);
    ck_assert_ptr_null(cuc__arena_resize(arena, block, 0));
    cuc__arena_free(arena);
}

static void *use_arenas(void *data)
{
    bool *good = data;

    *good = true;
    for (int i = 0; i < 300; i++)
        *good = use_arena((unsigned char)i) && *good;
    return NULL;
}

TEST(threads_share_the_chunks)
{
    pthread_t threads[THREADS];
    bool good[THREADS];

    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use_arenas, &good[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert(good[i]);
    }
}

int main(void)
{
    return run_tests("arena");
}
