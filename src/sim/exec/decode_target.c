// Checks that the module's target supports an instruction (PTX ISA, "Target ISA Notes" of each
// instruction). Like a GPU's driver, the simulator rejects a module that uses features which its
// .target lacks.
#include "base/array.h"
#include "decode.h"

#include <string.h>

// A requirement of a minimum target. It applies to statements with one of the names (NULL: any),
// one of `words`, one of `others` (NULL: not required), and this number of operands (0: any).
// `own`: the feature exists only on one GPU or family, such as sm_100a.
static const struct need {
    const char *name, *words, *others;
    uint32_t operands;
    int target;
    bool own;
} needs[] = {
    { "min max", "xorsign", NULL, 0, 86, false },
    { "cvt", "e4m3x2 e5m2x2", NULL, 0, 89, false },
    { "elect mapa getctarank griddepcontrol", NULL, NULL, 0, 90, false },
    { NULL, "shared::cluster", NULL, 0, 90, false },
    { "ld st atom red fence barrier mbarrier", "cluster", NULL, 0, 90, false },
    { "mbarrier", "expect_tx", NULL, 0, 90, false },
    { "fence", "async tensormap::generic async::generic", NULL, 0, 90, false },
    { "prefetch", "tensormap", NULL, 0, 90, false },
    { "add sub mul ex2 tanh set setp atom red", "bf16 bf16x2", NULL, 0, 90, false },
    { "cvt", "bf16", "u8 s8 u16 s16 u32 s32 u64 s64 f16 f64", 0, 90, false },
    { "add min max", "u16x2 s16x2", NULL, 0, 90, false },
    { "min max", "relu", NULL, 0, 90, false },
    { "fma", "oob", NULL, 0, 90, false },
    { "atom red", "v2 v4 v8 b128", NULL, 0, 90, false },
    { NULL, "f32x2", NULL, 0, 100, false },
    { "add sub fma", "f32", "f16 bf16", 0, 100, false },
    { "min max", "f32", NULL, 4, 100, false },
    { "ld st", "v8", "b32 u32 s32 f32", 0, 100, false },
    { "ld st", "v4", "b64 u64 s64 f64", 0, 100, false },
    { "st", "bulk", NULL, 0, 100, false },
    { "cvt", "rs e2m1x2 e2m3x2 e3m2x2 ue8m0x2", NULL, 0, 100, true },
    { "redux", "f32", NULL, 0, 100, true },
};

static bool among(const char *set, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = set; (p = strstr(p, word)) != NULL; p += n)
        if ((p == set || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return true;
    return false;
}

// Returns the first of the statement's words that occurs in a set; NULL if none does.
static const char *word_of(const struct sim_statement *s, const char *set)
{
    for (uint32_t i = 1; i < s->words; i++)
        if (among(set, s->word[i]))
            return s->word[i];
    return NULL;
}

bool sim_check_target(struct sim_decoder *d)
{
    const struct sim_statement *s = d->statement;
    const struct sim_module *m = d->program->module;

    for (size_t i = 0; i < CUC_LENGTH(needs); i++) {
        const struct need *n = &needs[i];
        if ((m->target >= n->target && (!n->own || m->target_suffix)) ||
            (n->name && !among(n->name, s->word[0])) ||
            (n->operands && s->operands != n->operands) || (n->words && !word_of(s, n->words)) ||
            (n->others && !word_of(s, n->others)))
            continue;
        return sim_decode_refuse(d, "it needs .target sm_%d%s, the module has sm_%d%.1s", n->target,
                                 n->own ? "a or its like" : " or above", m->target,
                                 m->target_suffix ? &m->target_suffix : "");
    }
    return true;
}
