// Parses the words of cvt, for single values (convert.c) and packed ones (convert_packed.c).
#ifndef CUCORE_SIM_EXEC_CONVERT_H
#define CUCORE_SIM_EXEC_CONVERT_H

#include "run.h"
#include "formats.h"

enum {
    SIM_CVT_FTZ = 1,
    SIM_CVT_SAT = 2,
    SIM_CVT_RELU = 4,
    SIM_CVT_SATFINITE = 8,
    SIM_CVT_MODE = 4, // position of the rounding mode in sim_op.extra
};
struct sim_manner {
    enum sim_rounding mode;
    bool rounds, integral;
    uint32_t flags;
};
// Returns false if the combination of words is invalid.
bool sim_manner_of(const struct sim_words *words, struct sim_manner *m);

#endif
