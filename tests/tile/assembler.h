// Runs the toolkit's assembler, in a process of its own.
#ifndef CUCORE_TESTS_TILE_ASSEMBLER_H
#define CUCORE_TESTS_TILE_ASSEMBLER_H

#include <cucore/cucore.h>
#include <stdbool.h>

bool assembler_exists(void); // $CUDA_PATH/bin/ptxas, $CUDA_HOME/bin/ptxas or /usr/local/cuda's
// Assembles an object, which must be PTX, for an architecture, such as "sm_90a". `entry`: the only
// entry to assemble; NULL means all. Returns the assembler's log with all remarks, valid until the
// next call. Returns NULL if the assembler refused the code or crashed; `*why` then says so.
const char *assembler_run(cuc_object *object, const char *arch, const char *entry,
                          const char **why);
// Copies PTX without the entries whose names, which end at a parenthesis, are not wanted. The
// caller frees the copy.
char *assembler_select(const char *ptx, bool (*wanted)(const char *name));

#endif
