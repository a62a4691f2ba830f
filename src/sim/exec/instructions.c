// Finds instruction rows by name, in the tables of all families.
#include "base/array.h"
#include "handlers.h"
#include "sim/machine/index.h"

#include <assert.h>
#include <pthread.h>
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

enum { MOST_ROWS = 256 };
static const struct sim_instruction *rows[MOST_ROWS]; // from the last row of the last table
SIM_INDEX_STATIC(names, MOST_ROWS);
static pthread_once_t indexed_once = PTHREAD_ONCE_INIT;

// Adds the rows backwards, because an index finds the latest row first.
static void index_rows(void)
{
    for (size_t f = CUC_LENGTH(families); f-- > 0;) {
        size_t count = 0;
        while (families[f][count].name)
            count++;
        assert(names.count + count <= MOST_ROWS);
        while (count-- > 0) {
            rows[names.count] = &families[f][count];
            (void)sim_index_add(&names, sim_index_name(families[f][count].name));
        }
    }
}

const struct sim_instruction *sim_instruction_at(const char *name, size_t index)
{
    pthread_once(&indexed_once, index_rows);
    SIM_INDEX_EACH(i, &names, sim_index_name(name))
    if (strcmp(rows[i]->name, name) == 0 && index-- == 0)
        return rows[i];
    return NULL;
}

const struct sim_instruction *sim_instruction_row(size_t index)
{
    pthread_once(&indexed_once, index_rows);
    return index < names.count ? rows[names.count - 1 - index] : NULL;
}

const struct sim_instruction *sim_instruction_find(const char *name)
{
    return sim_instruction_at(name, 0);
}
