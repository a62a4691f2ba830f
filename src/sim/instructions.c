#include "code.h"

#include <string.h>

static const struct sim_instruction *const families[] = {
    sim_integer_instructions, sim_float_instructions,   sim_half_instructions,
    sim_convert_instructions, sim_memory_instructions,  sim_atomic_instructions,
    sim_control_instructions, sim_warp_instructions,    sim_matrix_instructions,
};

const struct sim_instruction *sim_instruction_next(const char *name,
                                                   const struct sim_instruction *row)
{
    // A row is found again by its address: rows are few, and this runs at load only.
    bool past = row == NULL;

    for (size_t f = 0; f < sizeof(families) / sizeof(*families); f++) {
        for (const struct sim_instruction *at = families[f]; at->name; at++) {
            if (past && strcmp(at->name, name) == 0)
                return at;
            past = past || at == row;
        }
    }
    return NULL;
}

const struct sim_instruction *sim_instruction_find(const char *name)
{
    return sim_instruction_next(name, NULL);
}

bool sim_has(const struct sim_words *words, const char *word)
{
    for (uint32_t i = 1; i < words->statement->words; i++)
        if (strcmp(words->statement->word[i], word) == 0)
            return true;
    return false;
}

enum sim_space sim_space_of(const struct sim_words *words)
{
    static const struct {
        const char *word;
        enum sim_space space;
    } spaces[] = {
        { "global", SIM_GLOBAL },       { "shared", SIM_SHARED },
        { "shared::cta", SIM_SHARED },  { "shared::cluster", SIM_SHARED_CLUSTER },
        { "local", SIM_LOCAL },         { "const", SIM_CONST },
        { "param", SIM_PARAM },         { "param::entry", SIM_PARAM },
        { "param::func", SIM_PARAM },
    };

    for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
        if (sim_has(words, spaces[i].word))
            return spaces[i].space;
    return SIM_GENERIC;
}
