// Writes sorts in a block. Keys are mapped to integers of the same order, so that descending orders
// are those of the complement, and elements past the end come last.
//
// A block sorts a long segment digit by digit, and several short ones by the language's sort, whose
// network is short for them. Values follow their key by its index, and equal keys stay in order.
#include "sort_block.h"

#include "tile/ir/scalar.h"

#include <inttypes.h>

int32_t cuc__algorithm_width(const struct cuc__algorithm_kind *k, int index)
{
    static const int32_t narrow[] = { 32, 512, 2048 };
    enum { WIDEST = 16384, WIDEST_OF_64_BITS = 8192 }; // more take too many registers

    if (index + 1 < CUC__ALGORITHM_WIDTHS)
        return narrow[index];
    return cuc_dtype_bits(k->accumulators[0]) == 64 ? WIDEST_OF_64_BITS : WIDEST;
}

enum { PARTS = 2 }; // the index of a width that tiles of merges divide

uint32_t cuc__algorithm_omitted_widths(const struct cuc__algorithm_kind *k, int64_t count)
{
    int needed = cuc__algorithm_width_for(k, 0, count);
    uint32_t all = (1u << CUC__ALGORITHM_WIDTHS) - 1;

    return count ? all & ~(1u << needed) & ~(needed < PARTS ? 1u << PARTS : 0) : 0;
}

int cuc__algorithm_width_for(const struct cuc__algorithm_kind *k, uint32_t omitted,
                             int64_t elements)
{
    int found = 0;

    for (int i = 0; i < CUC__ALGORITHM_WIDTHS; i++) {
        if (omitted >> i & 1)
            continue;
        found = i;
        if (cuc__algorithm_width(k, i) >= elements)
            break;
    }
    return found;
}

int32_t cuc__algorithm_segments_of_width(int32_t width)
{
    enum { ELEMENTS = 2048 };

    return width < ELEMENTS ? ELEMENTS / width : 1;
}

// Returns the integer type to which keys are mapped.
static cuc_dtype key_dtype(cuc_dtype dtype)
{
    if (tile_is_integer(dtype))
        return dtype;
    return cuc_dtype_bits(dtype) == 64 ? CUC_I64 : cuc_dtype_bits(dtype) == 32 ? CUC_I32 : CUC_I16;
}

static uint64_t largest_key(cuc_dtype dtype)
{
    cuc_dtype key = key_dtype(dtype);

    return UINT64_MAX >> (64 - cuc_dtype_bits(key) + tile_is_signed(key));
}

void cuc__algorithm_put_key_functions(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    cuc_dtype dtype = k->accumulators[0];
    const char *integer = cuc_dtype_name(key_dtype(dtype));
    uint64_t most = largest_key(dtype);
    uint32_t sign = cuc_dtype_bits(dtype) - 1;
    bool real = !tile_is_integer(dtype);

    cuc__text_put(t, "\n# Maps a key to an integer of the same order%s.\nfn ordered(key) {\n",
                  real ? ", NaN to the largest" : "");
    if (real)
        cuc__text_put(t,
                      "    bits = bitcast(key, %s)\n"
                      "    key = where(key == key, bits ^ ((bits >> %u) & %" PRIu64 "), %" PRIu64
                      ")\n",
                      integer, sign, most, most);
    cuc__text_put(t, "    return %skey\n}\n\nfn restored(key) {\n", k->descending ? "~" : "");
    if (k->descending)
        cuc__text_put(t, "    key = ~key\n");
    if (real)
        cuc__text_put(t, "    key = bitcast(key ^ ((key >> %u) & %" PRIu64 "), %s)\n", sign, most,
                      cuc_dtype_name(dtype));
    cuc__text_put(t, "    return key\n}\n\nfn comes_before(");
    cuc__algorithm_put_each(t, k->values, "x%u");
    cuc__text_put(t, ", ");
    cuc__algorithm_put_each(t, k->values, "y%u");
    cuc__text_put(t, ") {\n    return ordered(x0) < ordered(y0)\n}\n");
}

// Writes the sort of r0 and, if there are values, the order of the elements in `place`, by the
// stable ranks of one byte after another.
static void put_radix_sort(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                           const char *indent)
{
    cuc_dtype dtype = key_dtype(k->accumulators[0]);
    uint32_t bits = cuc_dtype_bits(dtype);
    uint64_t sign = tile_is_signed(dtype) ? UINT64_C(1) << (bits - 1) : 0;
    bool pairs = k->values > 1;

    cuc__text_put(t, "%skey = bitcast(key, u%u) ^ %" PRIu64 "\n", indent, bits, sign);
    if (pairs)
        cuc__text_put(t, "%splace_of = iota(i32, W)\n", indent);
    cuc__text_put(t,
                  "%sfor byte in 0 .. %u {\n"
                  "%s    to, _ = rank(cast(key >> cast(8 * byte, u%u), i32) & 255, 256)\n"
                  "%s    key = place(key, to)\n",
                  indent, bits / 8, indent, bits, indent);
    if (pairs)
        cuc__text_put(t, "%s    place_of = place(place_of, to)\n", indent);
    cuc__text_put(t,
                  "%s}\n"
                  "%skey = bitcast(key ^ %" PRIu64 ", %s)\n",
                  indent, indent, sign, cuc_dtype_name(dtype));
}

void cuc__algorithm_put_block_sort(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                                   const char *first, const char *indent)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    bool pairs = k->values > 1;

    cuc__text_put(t, "%skey = where(inside, ordered(cast(cast(v0, %s), %s)), %" PRIu64 ")\n",
                  indent, cuc_dtype_name(k->outputs[0].dtype), cuc_dtype_name(k->accumulators[0]),
                  largest_key(k->accumulators[0]));
    if (first)
        put_radix_sort(t, k, indent);
    else if (pairs) // the largest of the complements, with the smaller of equal ones' indices first
        cuc__text_put(t, "%stop, place_of = topk(~key, W, 1)\n%skey = ~top\n", indent, indent);
    else
        cuc__text_put(t, "%skey = sort(key, 1)\n", indent);
    cuc__text_put(t, "%sr0 = cast(restored(key), %s)\n", indent,
                  cuc_dtype_name(k->outputs[0].dtype));
    if (first && pairs) { // computed in their new order, so that the sort has their registers
        cuc__text_put(t, "%si = %s + place_of\n", indent, first);
        cuc__algorithm_put_loaded(t, p, indent, ", gather(in_%s, [i], mask=inside)%s");
    }
    for (uint32_t v = 1; v < k->values; v++)
        cuc__text_put(t,
                      first ? "%sr%u = broadcast(cast(v%u, %s), [W])\n"
                            : "%sr%u = take(broadcast(cast(v%u, %s), [R, W]), place_of, 1)\n",
                      indent, v, v, cuc_dtype_name(k->outputs[v].dtype));
}
