// What the words of a cvt say, for one value (convert.c) and for packed ones (convert_packed.c).
#ifndef CUCORE_SIM_EXEC_CONVERT_H
#define CUCORE_SIM_EXEC_CONVERT_H

#include "run.h"
#include "formats.h"

enum {
    SIM_CVT_FTZ = 1,
    SIM_CVT_SAT = 2,
    SIM_CVT_RELU = 4,
    SIM_CVT_SATFINITE = 8,
    SIM_CVT_MODE = 4, // the rounding stands in sim_op.extra above as many bits
};
struct sim_manner {
    enum sim_rounding mode;
    bool rounds, integral;
    uint32_t flags;
};
// False when the words do not go together.
bool sim_manner_of(const struct sim_words *words, struct sim_manner *m);

#endif
