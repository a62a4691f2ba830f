// Declares the oracles that the rows name. A family's oracles are in a file; none shares a line
// with src/sim.
#ifndef CUCORE_TEST_OPCODES_ORACLES_H
#define CUCORE_TEST_OPCODES_ORACLES_H

#include "opcodes.h"

#define ROW(text, operands, oracle_of_row, how, arch) oracle oracle_of_row;
#include "rows.def"
#undef ROW

#endif
