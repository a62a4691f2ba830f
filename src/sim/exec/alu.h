// Declarations for the arithmetic files: loops over lanes, typed registers, and tables of
// instruction forms.
#ifndef CUCORE_SIM_EXEC_ALU_H
#define CUCORE_SIM_EXEC_ALU_H

#include "run.h"

#include <string.h>

// Tells the compiler that lanes are independent: the registers of an operation are either identical
// or disjoint.
#if defined(__clang__)
#define SIM_NO_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed" // loops that cannot be vectorized
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#define SIM_NO_DEPENDENCE _Pragma("GCC ivdep")
#else
#define SIM_NO_DEPENDENCE
#endif

// Like SIM_LANES(), for statements whose lanes are independent; `i` is the lane.
#define SIM_ALU_LANES(mask, ...)                                       \
    do {                                                               \
        if ((mask) == SIM_ALL_LANES) {                                 \
            SIM_NO_DEPENDENCE                                          \
            for (uint32_t i = 0; i < SIM_WARP; i++) {                  \
                __VA_ARGS__;                                           \
            }                                                          \
        } else {                                                       \
            for (uint32_t sim_m = (mask); sim_m; sim_m &= sim_m - 1) { \
                uint32_t i = (uint32_t)__builtin_ctz(sim_m);           \
                __VA_ARGS__;                                           \
            }                                                          \
        }                                                              \
    } while (0)

#define SIM_HANDLER(name) \
    static enum sim_next name(struct sim_warp *w, const struct sim_op *op, uint32_t mask)

// Describe each type by five columns: the type of its values; the type of the register that holds
// one; an unsigned type for calculations, which cannot overflow; a type twice as wide, which is
// signed for signed types; and its width in bits.
#define SIM_DESCRIBE_B16 uint16_t, uint32_t, uint32_t, uint32_t, 16
#define SIM_DESCRIBE_B32 uint32_t, uint32_t, uint32_t, uint64_t, 32
#define SIM_DESCRIBE_B64 uint64_t, uint64_t, uint64_t, sim_u128, 64
#define SIM_DESCRIBE_U8 uint8_t, uint32_t, uint32_t, uint32_t, 8
#define SIM_DESCRIBE_S8 int8_t, uint32_t, uint32_t, int32_t, 8
#define SIM_DESCRIBE_U16 uint16_t, uint32_t, uint32_t, uint32_t, 16
#define SIM_DESCRIBE_U32 uint32_t, uint32_t, uint32_t, uint64_t, 32
#define SIM_DESCRIBE_U64 uint64_t, uint64_t, uint64_t, sim_u128, 64
#define SIM_DESCRIBE_S16 int16_t, uint32_t, uint32_t, int32_t, 16
#define SIM_DESCRIBE_S32 int32_t, uint32_t, uint32_t, int64_t, 32
#define SIM_DESCRIBE_S64 int64_t, uint64_t, uint64_t, sim_s128, 64
__extension__ typedef unsigned __int128 sim_u128;
__extension__ typedef __int128 sim_s128;

// Returns true for types that moves and selections support. Packed types and halves are not among
// them.
static inline bool sim_is_plain(enum sim_type type)
{
    const char class = sim_type_class(type);
    return class == 'f' ? type == SIM_F32 || type == SIM_F64
                        : class != 'p' && class != 'n' && type != SIM_U16X2 && type != SIM_S16X2;
}

// A form of an instruction: its words other than types, in any order, the first of its types, and
// its handler.
struct sim_form {
    const char *name, *words;
    enum sim_type type;
    sim_handler *run;
};

// Returns the handler of the form with this name, exactly these words and this first type; NULL if
// there is none.
static inline sim_handler *sim_form_find(const struct sim_form *forms, size_t count,
                                         const struct sim_words *words)
{
    const struct sim_statement *s = words->statement;

    for (size_t f = 0; f < count; f++) {
        if (forms[f].type != words->type[0] || strcmp(forms[f].name, s->word[0]) != 0)
            continue;
        uint32_t found = 0;
        bool fits = true;
        for (const char *at = forms[f].words; *at && fits;) {
            size_t length = strcspn(at, " ");
            char word[32];
            memcpy(word, at, length);
            word[length] = 0;
            fits = sim_has(words, word);
            found++;
            at += length + (at[length] == ' ');
        }
        if (fits && found == s->words - 1 - words->types)
            return forms[f].run;
    }
    return NULL;
}

#endif
