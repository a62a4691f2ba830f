// Queries on a statement's words, for the `pick` functions of the instruction families.
#include "base/array.h"
#include "machine.h"

#include <string.h>

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
        { "global", SIM_GLOBAL },      { "shared", SIM_SHARED },
        { "shared::cta", SIM_SHARED }, { "shared::cluster", SIM_SHARED_CLUSTER },
        { "local", SIM_LOCAL },        { "const", SIM_CONST },
        { "param", SIM_PARAM },        { "param::entry", SIM_PARAM },
        { "param::func", SIM_PARAM },
    };

    for (size_t i = 0; i < CUC_LENGTH(spaces); i++)
        if (sim_has(words, spaces[i].word))
            return spaces[i].space;
    return SIM_GENERIC;
}
