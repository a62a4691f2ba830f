// Finds instruction rows by name, in the tables of all families.
#include "base/array.h"
#include "handlers.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct sim_instruction *const families[] = {
    sim_integer_instructions,    sim_float_instructions,    sim_half_instructions,
    sim_convert_instructions,    sim_memory_instructions,   sim_address_instructions,
    sim_atomic_instructions,     sim_control_instructions,  sim_warp_instructions,
    sim_matrix_instructions,     sim_wgmma_instructions,    sim_packed_instructions,
    sim_video_instructions,      sim_mbarrier_instructions, sim_tensor_instructions,
    sim_tensor_map_instructions, sim_async_instructions,    sim_async_store_instructions,
    sim_launch_instructions,
};

// Sorted by name. Rows with the same name stay in the order of their tables.
enum { MAX_ROWS = 4096 };
static struct sorted {
    const struct sim_instruction *row;
    size_t order;
} sorted[MAX_ROWS];
static size_t row_count;
static pthread_once_t sorted_once = PTHREAD_ONCE_INIT;

static int by_name(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    int order = strcmp(x->row->name, y->row->name);

    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

static void sort_rows(void)
{
    for (size_t f = 0; f < CUC_LENGTH(families); f++) {
        for (const struct sim_instruction *row = families[f]; row->name; row++) {
            assert(row_count < MAX_ROWS);
            sorted[row_count] = (struct sorted){ row, row_count };
            row_count++;
        }
    }
    qsort(sorted, row_count, sizeof(*sorted), by_name);
}

const struct sim_instruction *sim_instruction_at(const char *name, size_t index)
{
    size_t low = 0, high;

    pthread_once(&sorted_once, sort_rows);
    high = row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(sorted[middle].row->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    low += index;
    return low < row_count && strcmp(sorted[low].row->name, name) == 0 ? sorted[low].row : NULL;
}

const struct sim_instruction *sim_instruction_row(size_t index)
{
    pthread_once(&sorted_once, sort_rows);
    return index < row_count ? sorted[index].row : NULL;
}

const struct sim_instruction *sim_instruction_find(const char *name)
{
    return sim_instruction_at(name, 0);
}
