// Oracles that rows name, one file for each family. They share no code with src/sim.
#ifndef CUCORE_TEST_OPCODES_ORACLES_H
#define CUCORE_TEST_OPCODES_ORACLES_H

#include "opcodes.h"

#define ROW(text, operands, oracle_of_row, how, arch) oracle oracle_of_row;
#include "rows.def"
#undef ROW

#endif
