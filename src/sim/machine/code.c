// Loaded programs: their code, and memory that lives as long as they do.
#include "code.h"

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
    if (program->kept_count == program->kept_room) {
        size_t room = program->kept_room ? program->kept_room * 2 : 64;
        void **more = realloc(program->kept, room * sizeof(*more));
        if (!more)
            return NULL;
        program->kept = more;
        program->kept_room = room;
    }
    void *p = calloc(1, bytes);
    if (p)
        program->kept[program->kept_count++] = p;
    return p;
}
