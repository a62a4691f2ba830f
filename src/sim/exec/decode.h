// Internal interface of the decoder's files: the function being decoded, and its frame slots.
#ifndef CUCORE_SIM_EXEC_DECODE_H
#define CUCORE_SIM_EXEC_DECODE_H

#include "handlers.h"

#define SIM_NO_SLOT UINT32_MAX

// Stages of matching a row. A smaller value is the index of the word that was reached.
enum sim_reached {
    SIM_REACHED_OPERANDS = 64, // plus one for each operand that fits
    SIM_REACHED_PICK = 128,
    SIM_REACHED_WHY, // everything fits, but `pick` gave a reason to refuse it
};

// A constant in the frame. All uses with the same width and value share it.
struct sim_constant {
    uint32_t at, bytes;
    uint64_t value;
};

// A statement's use of a register.
enum sim_use {
    SIM_USE_READ,
    SIM_USE_PLACE, // a read as a guard or an address
    SIM_USE_WRITE,
};
struct sim_register_use {
    uint32_t statement, reg;
    enum sim_use use;
};

struct sim_decoder {
    struct sim_program *program;
    const struct sim_function *source;
    struct sim_code *code;
    const struct sim_statement *statement;
    uint32_t index;                            // index of the statement
    const struct sim_statement *accepted[256]; // statements whose words were checked, by their hash

    struct sim_op *ops;
    uint32_t op_count;
    size_t op_room;
    uint32_t *op_at;  // [statement_count + 1]: index of each statement's first op
    uint32_t *reg_at; // [register_count]: frame offsets
    unsigned char *image;
    uint32_t image_bytes;
    size_t image_room;
    struct sim_constant *constants;
    uint32_t constant_count;
    size_t constant_room;
    size_t special_room, address_room;
    struct sim_index constants_known, addresses_known;
    struct sim_index labels_named, variables_named; // names in the function
    struct sim_register_use *uses; // recorded if the check of initialization is enabled
    size_t use_count, use_room;
    uint32_t *undefined_at; // [statement_count]: 1 + a register that the statement stores or
                            // obeys, and whose value is undefined; NULL until that is known

    // The row that is being tried, and why it does not fit. The reason of the row that matched
    // furthest is reported.
    struct sim_op op;
    struct sim_op after; // fills a wide destination from a narrow slot; unused if run is NULL
    uint32_t list[SIM_MAX_LIST];
    uint32_t list_count;
    enum sim_space named; // state space of the variable whose address is an operand
    const char *why;      // reason from the row's `pick`
    uint32_t reached;     // how far the row has matched: word index or enum sim_reached
    char *log;
    size_t log_bytes;
};

// Records why a statement is refused. Returns false.
bool sim_decode_refuse(struct sim_decoder *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// Allocates memory that is freed with the program. NULL after sim_decode_refuse().
void *sim_decode_keep(struct sim_decoder *d, size_t bytes);
// Appends an op, with its line in the PTX. NULL if out of memory.
struct sim_op *sim_decode_emit(struct sim_decoder *d, struct sim_op op);
// Sets the guard of d->op to that of the statement.
bool sim_place_guard(struct sim_decoder *d);
// Matches the statement's words with those of a row, and collects the types among them.
bool sim_match_words(struct sim_decoder *d, const struct sim_instruction *row,
                     struct sim_words *words);

// decode_place.c: functions that return the offset of a frame slot; SIM_NO_SLOT if out of memory.

// Returns the size of 32 values. 8- and 16-bit values take 32 bits each, and a predicate is a mask.
static inline uint32_t sim_slot_bytes(uint32_t bytes)
{
    return bytes == 0 ? 4 : bytes <= 4 ? 4 * SIM_WARP : bytes * SIM_WARP;
}

static inline uint32_t sim_type_slot(enum sim_type type)
{
    return sim_slot_bytes(type == SIM_PRED ? 0 : type == SIM_NONE ? 4 : sim_type_bytes(type));
}

static inline uint32_t sim_register_slot(const struct sim_decoder *d, uint32_t reg,
                                         uint32_t component)
{
    return d->reg_at[reg] + component * sim_type_slot(d->source->registers[reg].type);
}

static inline bool sim_is_predicate(const struct sim_decoder *d, uint32_t reg)
{
    return d->source->registers[reg].type == SIM_PRED;
}

uint32_t sim_slot_new(struct sim_decoder *d, uint32_t bytes);
uint32_t sim_slot_constant(struct sim_decoder *d, uint32_t bytes, uint64_t value);
uint32_t sim_slot_special(struct sim_decoder *d, uint32_t special);
enum sim_type sim_special_type(uint32_t special);
uint32_t sim_special_bytes(uint32_t special);

// Look up a symbol, innermost scope first. Return an index, or SIZE_MAX if there is none;
// sim_find_label() returns a label or NULL.
size_t sim_find_body_variable(const struct sim_decoder *d, const char *name, uint32_t scope);
const struct sim_label *sim_find_label(const struct sim_decoder *d, const char *name,
                                       uint32_t scope);
size_t sim_find_function(const struct sim_program *program, const char *name);

// The meaning of a symbol. `at` is the slot of its address; SIM_NO_SLOT after sim_decode_refuse().
struct sim_symbol {
    enum sim_space space;
    uint32_t at;      // frame offset of the address
    bool entry_param; // the address is in the entry's parameters
    uint64_t value;   // the address, if it is known already
    bool known;
};

bool sim_find_symbol(struct sim_decoder *d, const struct sim_operand *o, uint32_t bytes,
                     int64_t offset, struct sim_symbol *out);

// decode_operand.c: matches the statement's operands with a row's letters, and fills d->op and
// d->list.
bool sim_match_operands(struct sim_decoder *d, const struct sim_instruction *row,
                        const struct sim_words *words);
// Permissions that the marks after a row's letter give, in the order `?>_|-.` (machine.h).
enum sim_mark {
    SIM_MARK_OPTIONAL = 1,
    SIM_MARK_WIDER = 2,
    SIM_MARK_SINK = 4,
    SIM_MARK_PAIR = 8,
    SIM_MARK_NEGATIVE = 16,
    SIM_MARK_PARTS = 32,
    SIM_MARK_LOOSE = 64, // not for rows: marks a list element, which may be a number of any kind
};
// Finds the slot of a source. The instruction reads it as `type`; SIM_NONE: as declared.
bool sim_source_slot(struct sim_decoder *d, const struct sim_operand *o, enum sim_type type,
                     uint32_t marks, uint32_t *at);

// decode_undefined.c: registers with undefined values. sim_note_use() records a use in the current
// statement. sim_find_undefined() sets undefined_at if there are any, and returns false if out of
// memory.
void sim_note_use(struct sim_decoder *d, uint32_t reg, enum sim_use use);
bool sim_find_undefined(struct sim_decoder *d);

// decode_target.c: checks that the module's target supports a decoded statement.
bool sim_check_target(struct sim_decoder *d);

// decode_call.c: decodes calls and indexed branches.
bool sim_decode_call(struct sim_decoder *d);
bool sim_decode_brx(struct sim_decoder *d, struct sim_words *words);

#endif
