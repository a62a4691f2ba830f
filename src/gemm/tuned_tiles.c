// Measured tiles of matrix products: the tuning records of cuc_gemm().
#include "base/array.h"
#include "gemm.h"

#include "program/tuned.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The bounds of a choice, as in cuc_gemm_options and in tile programs.
static const struct {
    const char *name;
    bool option;
    size_t field;
    long least, most;
} words[] = {
#define WORD(name, option, field, least, most)                            \
    {                                                                     \
        name, option, offsetof(struct cuc__gemm_tile, field), least, most \
    }
    WORD("BM", false, rows, 1, 256),        WORD("BN", false, columns, 1, 256),
    WORD("BK", false, depth, 1, 1024),      WORD("stages", true, stages, 2, 24),
    WORD("cluster", true, cluster, 1, 8),   WORD("cluster_n", true, cluster_n, 2, 8),
    WORD("warps", true, warps, 1, 32),      WORD("split", true, split, 1, 8),
    WORD("raster", true, raster, 1, 64),    WORD("parts", true, parts, 1, 64),
    WORD("stream_k", true, stream_k, 1, 8), WORD("pack", true, pack, 1, 31),
#undef WORD
};

static int32_t *field_of(struct cuc__gemm_tile *tile, size_t word)
{
    return (int32_t *)(void *)((char *)tile + words[word].field);
}

void cuc__gemm_key(struct cuc__gemm_key *out, const struct cuc__gemm_kind *k,
                   const struct cuc__gemm_shape *s, const cuc_device *device)
{
    static const char *const forms[] = { "", " batched", " grouped" };
    static const char *const activations[] = { "", "",       " gelu",       " gelu_tanh", " silu",
                                               "", " dgelu", " dgelu_tanh", " dsilu" };

    // The key has the sizes of types rather than the types, because types of the same size, such as
    // the two 16-bit floats, are equally fast. The activation is part of the key, because long
    // epilogues favor ping-pong.
    snprintf(out->kernel, sizeof(out->kernel), "%s%u %c%c d%u%s%s%s%s%s",
             k->accumulator == CUC_I32 ? "i" : "f", cuc_dtype_bits(k->dtype),
             k->transposed_a ? 't' : 'n', k->transposed_b ? 't' : 'n', cuc_dtype_bits(k->d),
             forms[k->form],
             k->precision == CUC_GEMM_TF32X3                         ? " tf32x3"
             : k->precision == CUC_GEMM_TF32 || k->dtype == CUC_TF32 ? " tf32"
                                                                     : "",
             k->fast_acc ? " fast" : "", activations[k->activation],
             cuc__gemm_scales_blocks(k) ? " blocks" : "");
    snprintf(out->dimensions, sizeof(out->dimensions),
             "M=%" PRId64 " N=%" PRId64 " K=%" PRId64 "%s%" PRId64, s->rows, s->columns, s->depth,
             " Z=", s->batch);
    out->record = (cuc_tuned_record){
        .struct_size = sizeof(out->record),
        .program = "cuc_gemm",
        .kernel = out->kernel,
        .constants = "",
        .dimensions = out->dimensions,
    };
    cuc__tuned_device(&out->record, out->toolkit, device);
}

void cuc__gemm_choice_text(char *text, size_t capacity, const struct cuc__gemm_tile *tile)
{
    struct cuc__gemm_tile t = *tile;
    size_t at = 0;

    text[0] = 0;
    for (size_t i = 0; i < CUC_LENGTH(words) && at < capacity; i++)
        if (*field_of(&t, i))
            at += (size_t)snprintf(text + at, capacity - at, "%s%s%s=%d", at ? " " : "",
                                   words[i].option ? ":" : "", words[i].name, *field_of(&t, i));
}

// Parses a record's choice. A file may contain anything, so this accepts only a tile that the
// compiler can compile.
bool cuc__gemm_read_choice(struct cuc__gemm_tile *tile, const char *text)
{
    char one[128];
    bool option;

    while (cuc__tuned_next(&text, one, &option)) {
        size_t length = strcspn(one, "="), i = 0;
        while (i < CUC_LENGTH(words) &&
               (strlen(words[i].name) != length || strncmp(words[i].name, one, length) != 0 ||
                words[i].option != option))
            i++;
        char *end = one;
        long value = one[length] ? strtol(one + length + 1, &end, 10) : 0;
        if (i == CUC_LENGTH(words) || *end || value < words[i].least || value > words[i].most)
            return false;
        *field_of(tile, i) = (int32_t)value;
    }
    return !*text && !option && tile->rows && tile->columns && tile->depth &&
           !(tile->warps & (tile->warps - 1)) && !(tile->cluster & (tile->cluster - 1)) &&
           !(tile->cluster_n & (tile->cluster_n - 1)) && cuc__gemm_is_pack(tile->pack);
}

int cuc__gemm_find_tuned(struct cuc__gemm_tile *tile, const struct cuc__gemm_key *key,
                         const char *path, const char *function)
{
    char choice[CUC__TUNED_CHOICE];
    struct cuc__gemm_tile t = { .path = tile->path, .split = 1, .parts = 1, .cluster = 1 };
    int found = cuc__tuned_find(choice, path, &key->record, function);

    if (found <= 0 || !cuc__gemm_read_choice(&t, choice))
        return found < 0 ? found : 0;
    *tile = t;
    return found;
}
