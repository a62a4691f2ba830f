// A reserve of memory for allocations in the middle of a call, when a failure could not be undone.
// Small objects come from it once the heap is exhausted. The next call first refills it. If that
// fails, the call returns CUDA_ERROR_OUT_OF_MEMORY before it changes anything. Memory is cleared
// when it is taken: clearing the reserve would cost every process page faults, and few processes
// use it.
#include "base/array.h"
#include "shell.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES = 3, MOST = 64 };

static const struct {
    size_t bytes;
    unsigned count;
} classes[CLASSES] = { { 512, MOST }, { 8192, 16 }, { 65536, 4 } };

static void *kept[CLASSES][MOST];
static bool full;

bool sim_reserve_fill(void)
{
    if (full)
        return true;
    for (unsigned c = 0; c < CLASSES; c++)
        for (unsigned i = 0; i < classes[c].count; i++)
            if (!kept[c][i] && !(kept[c][i] = malloc(classes[c].bytes)))
                return false;
    full = true;
    return true;
}

void *sim_reserve_take(size_t bytes)
{
    for (unsigned c = 0; c < CLASSES; c++) {
        for (unsigned i = 0; i < classes[c].count && bytes <= classes[c].bytes; i++) {
            void *p = kept[c][i];
            if (!p)
                continue;
            kept[c][i] = NULL;
            full = false;
            return memset(p, 0, bytes);
        }
    }
    return NULL;
}

// Returns false for calls that release, wait or query. They work without a reserve, because a
// program that has run out of memory needs them.
bool sim_reserve_needed(const char *function)
{
    static const char *const spared[] = {
        "Destroy", "Free",  "Unload", "Release",    "Synchronize",
        "Query",   "Reset", "Get",    "PopCurrent", "SetCurrent"
    };

    for (size_t i = 0; i < CUC_LENGTH(spared); i++)
        if (strstr(function, spared[i]))
            return false;
    return true;
}
