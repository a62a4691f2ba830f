// Internal interface of the interpreter's files.
#ifndef CUCORE_TILE_INTERPRET_MACHINE_H
#define CUCORE_TILE_INTERPRET_MACHINE_H

#include "tile/ir/scalar.h"
#include "interpret.h"

// A tensor or slice.
struct tile_view {
    unsigned char *base;
    int64_t extent[TILE_MAX_RANK], stride[TILE_MAX_RANK]; // stride in elements
    cuc_dtype dtype;
    uint32_t rank;
};

struct tile_machine {
    const struct tile_interpretation *run;
    struct tile_binding_set set;
    uint64_t **element;     // by value id: memory for the value's elements, allocated on first use
    struct tile_view *view; // by value id
    int64_t block[3], grid[3];
    struct tile_assembly *assembly; // list of inline PTX that has been decoded (inline.c)
    char *text;                     // the first failure
    size_t bytes;
    bool failed;
    uint64_t iterations, asked_ms; // iterations so far; time of the last call of `stop`
};

bool tile_machine_fail(struct tile_machine *m, const struct tile_op *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Reports that host memory ran out. Always returns false.
bool tile_machine_no_memory(struct tile_machine *m);
// Returns the memory for a value's elements, and allocates it on first use. NULL after a failure.
uint64_t *tile_machine_elements(struct tile_machine *m, const struct tile_value *value);

// The flow of control after a block.
enum tile_flow { TILE_FLOW_ON, TILE_FLOW_CONTINUE, TILE_FLOW_BREAK, TILE_FLOW_RETURN };
enum tile_flow tile_machine_block(struct tile_machine *m, const struct tile_block *block);

// value.c, along.c, load_store.c, inline.c: runs one op; false after a failure.
typedef bool tile_step(struct tile_machine *m, const struct tile_op *op);
#define TILE_OP(id, name, operands, results, traits, infer, print, range, fold, layout, emit, \
                step)                                                                         \
    tile_step tile_step_##step;
#include "tile/ir/ops.def"
void tile_machine_drop_assembly(struct tile_machine *m); // inline.c

// Convert a linear index to a coordinate in a shape, and back.
static inline void tile_unflatten(const struct tile_type *type, int64_t flat, int64_t *coordinate)
{
    for (uint32_t i = type->rank; i-- > 0;) {
        coordinate[i] = flat % type->extent[i];
        flat /= type->extent[i];
    }
}
static inline int64_t tile_flatten(const struct tile_type *type, const int64_t *coordinate)
{
    int64_t flat = 0;

    for (uint32_t i = 0; i < type->rank; i++)
        flat = flat * type->extent[i] + coordinate[i];
    return flat;
}

#endif
