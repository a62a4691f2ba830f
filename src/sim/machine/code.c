// Loaded programs: their code, and memory that is freed with them.
#include "code.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

const struct sim_code *sim_code_of(const struct sim_program *program, const struct sim_op *op)
{
    const struct sim_code *code = program->codes;

    while ((uintptr_t)op - (uintptr_t)code->ops >= code->op_count * sizeof(*op))
        code++;
    return code;
}

void *sim_program_keep(struct sim_program *program, size_t bytes)
{
    if (!CUC_RESERVE(program->kept, program->kept_room, program->kept_count + 1))
        return NULL;
    void *p = calloc(1, bytes);
    if (p)
        program->kept[program->kept_count++] = p;
    return p;
}
