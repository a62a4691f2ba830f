// Modifies tensor maps in kernels: tensormap.replace and tensormap.cp_fenceproxy.
//
// A field accepts any value; a copy that uses the map validates it. Values are numbered as in the
// ISA ("Tensormap new_val validity"), not as in the driver's enums.
#include "matrix.h"
#include "mbarrier.h"
#include "memory.h"
#include "tensor_map.h"

#include <string.h>

enum { ILLEGAL_INSTRUCTION = 715, MAP_BYTES = 128, MAP_ALIGN = 64 };

enum field {
    ADDRESS,
    RANK,
    BOX_DIM,
    GLOBAL_DIM,
    GLOBAL_STRIDE,
    ELEMENT_STRIDE,
    ELEMTYPE,
    INTERLEAVE,
    SWIZZLE,
    ATOMICITY,
    FILL,
};

// The kinds of fields: a plain value, a value of the axis that an ordinal selects, or a constant in
// the instruction. `type`: type of the value; `count`: number of valid ordinals or constants.
static const struct {
    const char *word;
    enum { PLAIN, ORDINAL, CONSTANT } kind;
    enum sim_type type;
    uint32_t count;
} fields[] = {
    [ADDRESS] = { "global_address", PLAIN, SIM_B64, 0 },
    [RANK] = { "rank", PLAIN, SIM_B32, 0 },
    [BOX_DIM] = { "box_dim", ORDINAL, SIM_B32, SIM_TENSOR_RANK },
    [GLOBAL_DIM] = { "global_dim", ORDINAL, SIM_B32, SIM_TENSOR_RANK },
    [GLOBAL_STRIDE] = { "global_stride", ORDINAL, SIM_B64, SIM_TENSOR_RANK - 1 },
    [ELEMENT_STRIDE] = { "element_stride", ORDINAL, SIM_B32, SIM_TENSOR_RANK },
    [ELEMTYPE] = { "elemtype", CONSTANT, SIM_B32, SIM_TENSOR_TYPES },
    [INTERLEAVE] = { "interleave_layout", CONSTANT, SIM_B32, 3 },
    [SWIZZLE] = { "swizzle_mode", CONSTANT, SIM_B32, 4 },
    [ATOMICITY] = { "swizzle_atomicity", CONSTANT, SIM_B32, 4 },
    [FILL] = { "fill_mode", CONSTANT, SIM_B32, 2 },
};

// sim_op.extra has the state space, the field, and an ordinal or a constant.
enum { SPACE_MASK = 15, FIELD_SHIFT = 4, NUMBER_SHIFT = 8 };

static void replace(struct sim_tensor_map *m, enum field field, uint32_t number, uint64_t value)
{
    // CUtensorMapDataType for .u8 .u16 .u32 .s32 .u64 .s64 .f16 .f32 .f32.ftz .f64 .bf16 .tf32
    // .tf32.ftz .b4x16 .b4x16_p64 .b6x16_p32.
    static const uint8_t types[] = { 0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12, 13, 14, 15 };

    switch (field) {
    case ADDRESS:
        m->address = value;
        break;
    case RANK: // the value is the rank minus one
        m->rank = value < SIM_TENSOR_RANK ? (uint8_t)(value + 1) : 0;
        break;
    case BOX_DIM:
        m->box[number] = value > UINT16_MAX ? 0 : (uint16_t)value;
        break;
    case GLOBAL_DIM:
        m->last[number] = (uint32_t)value - 1;
        break;
    case GLOBAL_STRIDE:
        m->stride[number] = value;
        break;
    case ELEMENT_STRIDE:
        m->step[number] = value > UINT8_MAX ? 0 : (uint8_t)value;
        break;
    case ELEMTYPE:
        m->type = types[number];
        break;
    case INTERLEAVE:
        m->interleave = (uint8_t)number;
        break;
    case SWIZZLE:
        m->swizzle = (uint8_t)number;
        break;
    case ATOMICITY:
        m->atom = (uint8_t)number;
        break;
    case FILL:
        m->nan = (uint8_t)number;
        break;
    }
}

static enum sim_next run_replace(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const enum sim_space space = (enum sim_space)(op->extra & SPACE_MASK);
    const enum field field = (enum field)(op->extra >> FIELD_SHIFT & 15);

    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address = sim_address(w, op, 0, lane), value = 0;
        struct sim_tensor_map map;
        void *host;
        if (!sim_reach_range(w, op, lane, space, address, MAP_BYTES, MAP_ALIGN, SIM_READ, &host))
            return SIM_FAULT;
        memcpy(&map, host, sizeof map);
        if (map.mark != SIM_TENSOR_MAP_MARK)
            return sim_fault(w, op, lane, ILLEGAL_INSTRUCTION,
                             "there is no tensor map at 0x%llx, a copy of one that the driver made",
                             (unsigned long long)(address & 0xffffffffffffff));
        if (fields[field].kind != CONSTANT)
            value = fields[field].type == SIM_B64 ? SIM_R64(w, op->o[1])[lane]
                                                  : SIM_R32(w, op->o[1])[lane];
        replace(&map, field, op->extra >> NUMBER_SHIFT, value);
        if (!sim_reach_range(w, op, lane, space, address, MAP_BYTES, MAP_ALIGN, SIM_WRITE, &host))
            return SIM_FAULT;
        memcpy(host, &map, sizeof map);
    }
    return SIM_NEXT;
}

// Runs cp_fenceproxy. o[0]: destination in global memory, o[1]: source in shared memory.
static enum sim_next run_copy(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    void *to, *from;

    if (!sim_together(w))
        return SIM_RETRY;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (!sim_reach_shared(w, op, lane, SIM_SHARED, sim_address(w, op, 1, lane), MAP_BYTES,
                              MAP_ALIGN, SIM_READ, &from) ||
            !sim_reach_range(w, op, lane, SIM_GLOBAL, sim_address(w, op, 0, lane), MAP_BYTES,
                             MAP_ALIGN, SIM_WRITE, &to))
            return SIM_FAULT;
        memcpy(to, from, MAP_BYTES);
    }
    return SIM_NEXT;
}

// Rows

static sim_handler *refuse(const struct sim_words *words, const char *why)
{
    *words->why = why;
    return NULL;
}

static sim_handler *pick_replace(const struct sim_words *words, struct sim_op *op)
{
    const enum sim_space space = sim_space_of(words);
    const struct sim_statement *s = words->statement;
    uint32_t field = 0;

    while (field <= FILL && !sim_has(words, fields[field].word))
        field++;
    if (field > FILL || !sim_has(words, "replace") || !sim_has(words, "tile") ||
        !sim_has(words, "b1024") || words->types != 1 || words->type[0] != fields[field].type ||
        s->operands != (fields[field].kind == ORDINAL ? 3 : 2))
        return NULL;
    if (!words->module->target_suffix || (field == ATOMICITY && words->module->target < 100))
        return refuse(words, field == ATOMICITY ? "it needs .target sm_100a or its like"
                                                : "it needs .target sm_90a or its like");
    op->extra = (uint32_t)space | field << FIELD_SHIFT;
    if (fields[field].kind == PLAIN)
        return run_replace;
    const struct sim_operand *number = &s->operand[1];
    if (number->kind != SIM_OP_INTEGER || number->negated || number->value.u >= fields[field].count)
        return refuse(words, fields[field].kind == ORDINAL
                                 ? "the ordinal is not that of a dimension"
                                 : "the new value is not one that the field has");
    op->extra |= (uint32_t)number->value.u << NUMBER_SHIFT;
    return run_replace;
}

static sim_handler *pick_copy(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    if (words->types || !sim_has(words, "cp_fenceproxy") || !sim_has(words, "global") ||
        !sim_has(words, "shared::cta") || !sim_has(words, "tensormap::generic") ||
        !sim_has(words, "release") || !sim_has(words, "sync") || !sim_has(words, "aligned"))
        return NULL;
    return words->statement->operand[2].value.u == MAP_BYTES
               ? run_copy
               : refuse(words, "a tensor map has 128 bytes");
}

#define REPLACE "replace tile global shared::cta b1024 "

const struct sim_instruction sim_tensor_map_instructions[] = {
    { "tensormap", REPLACE "global_address rank", "ma", pick_replace },
    { "tensormap", REPLACE "box_dim global_dim global_stride element_stride", "mia", pick_replace },
    { "tensormap", REPLACE "elemtype interleave_layout swizzle_mode swizzle_atomicity fill_mode",
      "mi", pick_replace },
    { "tensormap",
      "cp_fenceproxy global shared::cta tensormap::generic release cta cluster gpu sys sync "
      "aligned",
      "mmi", pick_copy },
    { NULL, NULL, NULL, NULL },
};
