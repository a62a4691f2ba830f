// What the compiler tells of its decisions.
#ifndef CUCORE_TILE_COMPILE_REMARK_H
#define CUCORE_TILE_COMPILE_REMARK_H

#include "compile.h"

// What is done in a slower way than it might be: remarks, or errors where the target asks for them.
// False after an error.
bool tile_review(struct tile_kernel *kernel, const struct tile_target *target, bool pipelined);
// How many bytes a thread moves with an instruction, where the tile lies inside the tensor.
void tile_remark_access(struct tile_module *module, const struct tile_op *op,
                        enum tile_variant variant, uint32_t bytes);
// How many instructions an op has become, where they are very many.
void tile_remark_instructions(struct tile_module *module, const struct tile_op *op,
                              enum tile_variant variant, uint32_t count);
// How products are done; why they are not.
struct tile_pipeline;
void tile_remark_pipeline(const struct tile_kernel *kernel, const struct tile_pipeline *plan);
void tile_remark_no_pipeline(const struct tile_kernel *kernel, const char *why);
struct tile_fused;
void tile_remark_fused(const struct tile_kernel *kernel, const struct tile_fused *plan);
// Of the loop whose loads run ahead; NULL, and why there is none.
struct tile_ahead;
void tile_remark_ahead(const struct tile_kernel *kernel, const struct tile_ahead *plan,
                       const char *why);
void tile_remark_entry(const struct tile_kernel *kernel, const struct tile_entry *entry);

#endif
