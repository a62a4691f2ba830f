#include "ptx.h"

static const struct {
    const char *word;
    uint32_t bytes;
    char class;
} types[SIM_TYPES] = {
#define ROW(tag, word, bytes, class) [SIM_##tag] = { word, bytes, class },
    SIM_TYPE_LIST(ROW)
#undef ROW
};

const char *sim_type_word(enum sim_type type)
{
    return (unsigned)type < SIM_TYPES ? types[type].word : "";
}

uint32_t sim_type_bytes(enum sim_type type)
{
    return (unsigned)type < SIM_TYPES ? types[type].bytes : 0;
}

char sim_type_class(enum sim_type type)
{
    return (unsigned)type < SIM_TYPES ? types[type].class : 'n';
}
