// Writes the kernel that transposes v for a product of 8-bit elements, which wgmma takes only with
// the depth axis last in memory.
//
// The kernel also exchanges keys within each group of 16: 16 a + 8 h + 2 t + e moves to
// 16 a + 4 t + 2 h + e. The weights, whose columns move likewise, then are where the threads that
// computed them need them for the next product (tile/layout/wgmma.c).
#include "attention.h"

#include "base/text.h"

void cuc__attention_put_pack(struct cuc__text *t, const struct cuc__attention_problem *q)
{
    enum { SIDE = 64 };
    const struct cuc__attention_kind *k = &q->kind;
    int32_t width = cuc__attention_padded(k->value_width);

    cuc__text_put(t, k->variable
                         ? "\nkernel pack_values(v: T[HK, SK, DV], packed: T[HK, DV, COLUMNS], "
                           "key_offsets: i32[OFFSETS], most: i64)\n"
                         : "\nkernel pack_values(v: T[B, HK, SK, DV], packed: T[B, HK, DV, "
                           "COLUMNS])\n");
    cuc__text_put(t, "    const T = %s, DV = %d, BK = %d, BD = %d%s\n", cuc_dtype_name(k->dtype),
                  k->value_width, SIDE, width < SIDE ? width : SIDE,
                  k->variable ? ", BEYOND = 256" : "");
    if (k->variable) // a step reads up to BEYOND columns past a sequence's end
        cuc__text_put(t, "    where noalias(packed, key_offsets)\n"
                         "    grid cdiv(most + BEYOND, BK) * cdiv(DV, BD), HK, OFFSETS - 1\n{\n"
                         "    x, g, b = block(0), block(1), block(2)\n"
                         "    n, d = x // cdiv(DV, BD), x %% cdiv(DV, BD)\n"
                         "    k_at, k_end = key_offsets[b], key_offsets[b + 1]\n"
                         "    at, end = cdiv(cast(k_at, i64), 16) * 16 + b * 16, COLUMNS\n"
                         "    if b < OFFSETS - 2 { end = cdiv(cast(k_end, i64), 16) * 16 + (b + 1) "
                         "* 16 }\n"
                         "    values = load(slice(v, 1, k_at, k_end), [g, n, d], [_, BK, BD])\n");
    else
        cuc__text_put(t, "    grid cdiv(COLUMNS, BK) * cdiv(DV, BD), HK, B\n{\n"
                         "    x, g, b = block(0), block(1), block(2)\n"
                         "    n, d = x // cdiv(DV, BD), x %% cdiv(DV, BD)\n"
                         "    values = load(v, [b, g, n, d], [_, _, BK, BD])\n");
    cuc__text_put(t,
                  "    values = reshape(trans(values), [BD, BK // 16, 2, 4, 2])\n"
                  "    values = reshape(permute(values, [0, 1, 3, 2, 4]), [BD, BK])\n"
                  "    %s, d, n], values, shape=[%s_, BD, BK])\n}\n",
                  k->variable ? "store(slice(packed, 2, at, end), [g" : "store(packed, [b, g",
                  k->variable ? "" : "_, ");
}
