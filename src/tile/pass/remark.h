// Remarks about the compiler's decisions.
#ifndef CUCORE_TILE_COMPILE_REMARK_H
#define CUCORE_TILE_COMPILE_REMARK_H

#include "tile/ir/target.h"
#include "tile/signature/entry.h"

// Reports all code that is slower than it could be, as remarks, or as errors if the target requests
// errors. Returns false after an error.
bool tile_review(struct tile_kernel *kernel, const struct tile_target *target, bool pipelined);
// Reports the bytes that a thread moves per instruction if the tile lies inside the tensor.
// `unaligned` gives the bytes for an unaligned tensor if a launch decides, otherwise 0. `why` says
// what keeps the access from moving more, or is NULL.
void tile_remark_access(struct tile_module *module, const struct tile_op *op,
                        enum tile_variant variant, uint32_t bytes, uint32_t unaligned,
                        const char *why);
// Reports the number of blocks that share the kernel's loops, or the reason why only one runs them.
// `asked` is the option `split`.
void tile_remark_split(const struct tile_kernel *kernel, uint32_t asked, uint32_t parts,
                       bool flexible, const char *why);
// Reports the number of instructions emitted for an op, if there are very many.
void tile_remark_instructions(struct tile_module *module, const struct tile_op *op,
                              enum tile_variant variant, uint32_t count);
// Report the pipeline of a matrix product, or the reason why there is none.
struct tile_pipeline;
void tile_remark_pipeline(const struct tile_kernel *kernel, const struct tile_pipeline *plan,
                          const struct tile_target *target);
void tile_remark_no_pipeline(const struct tile_kernel *kernel, struct tile_location where,
                             const char *why);
struct tile_fused;
void tile_remark_fused(const struct tile_kernel *kernel, const struct tile_fused *plan,
                       const struct tile_target *target);
// Says that the option `split` has no effect on a pipeline.
void tile_remark_whole(const struct tile_kernel *kernel, struct tile_location where,
                       const struct tile_target *target, const char *why,
                       enum tile_variant variant);
// Reports the loop with prefetched operands or, if `plan` is NULL, the reason why there is none.
struct tile_prefetch;
void tile_remark_prefetch(const struct tile_kernel *kernel, const struct tile_prefetch *plan,
                          const char *why);
// Reports that a block has more warps than the target requests.
void tile_remark_warps(const struct tile_kernel *kernel, uint32_t asked, uint32_t taken);
void tile_remark_entry(const struct tile_kernel *kernel, const struct tile_entry *entry);

#endif
