// Remarks about the compiler's decisions.
#ifndef CUCORE_TILE_COMPILE_REMARK_H
#define CUCORE_TILE_COMPILE_REMARK_H

#include "tile/ir/target.h"
#include "tile/signature/entry.h"

// Reports everything that is slower than it might be: as remarks, or as errors if the target asks
// for them. False after an error.
bool tile_review(struct tile_kernel *kernel, const struct tile_target *target, bool pipelined);
// The bytes that a thread moves per instruction if the tile lies inside the tensor, and, if it
// could be more, the reason; NULL.
void tile_remark_access(struct tile_module *module, const struct tile_op *op,
                        enum tile_variant variant, uint32_t bytes, const char *why);
// The blocks that share the kernel's loops, or the reason why there is only one.
void tile_remark_split(const struct tile_kernel *kernel, uint32_t parts, bool flexible,
                       const char *why);
// The number of instructions that an op has become, if there are very many.
void tile_remark_instructions(struct tile_module *module, const struct tile_op *op,
                              enum tile_variant variant, uint32_t count);
// The pipeline of a product, or the reason why there is none.
struct tile_pipeline;
void tile_remark_pipeline(const struct tile_kernel *kernel, const struct tile_pipeline *plan);
void tile_remark_no_pipeline(const struct tile_kernel *kernel, const char *why);
struct tile_fused;
void tile_remark_fused(const struct tile_kernel *kernel, const struct tile_fused *plan);
// The loop with prefetched operands; with NULL, the reason why there is none.
struct tile_prefetch;
void tile_remark_prefetch(const struct tile_kernel *kernel, const struct tile_prefetch *plan,
                          const char *why);
void tile_remark_entry(const struct tile_kernel *kernel, const struct tile_entry *entry);

#endif
