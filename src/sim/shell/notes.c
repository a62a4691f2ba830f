// Tells the checks which device memory is fresh, freed or written.
#include "shell.h"

#include "sim/check/check.h"

void sim_note_allocated(CUdeviceptr ptr, size_t bytes)
{
    if (sim_checks & SIM_CHECK_INIT)
        sim_init_allocated(ptr, bytes);
}

void sim_note_freed(CUdeviceptr ptr, size_t bytes)
{
    if (sim_checks & SIM_CHECK_INIT)
        sim_init_freed(ptr, bytes);
}

void sim_note_written(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    if (!(sim_checks & SIM_CHECK_INIT))
        return;
    if (from)
        sim_init_copied(to, from, bytes);
    else
        sim_init_wrote(to, bytes);
}
