// The layout of a product's workspace.
#include "gemm.h"

enum {
    PACKED_ALIGN = 128, // bytes, of packed rows: whole lines of memory
    SUMS_ALIGN = 32,    // bytes, of rows of partial sums: whole sectors
};

// Adds the size of an array to the layout and aligns what follows. Returns false on overflow.
static bool append(struct cuc__gemm_workspace *w, uint64_t count, int64_t rows, int64_t row_bytes)
{
    uint64_t bytes;

    return !__builtin_mul_overflow((uint64_t)rows, (uint64_t)row_bytes, &bytes) &&
           !__builtin_mul_overflow(bytes, count, &bytes) &&
           !__builtin_add_overflow(bytes, w->bytes, &bytes) &&
           !__builtin_add_overflow(bytes, CUC__GEMM_WORKSPACE_ALIGN - 1, &bytes) &&
           (w->bytes = bytes & ~(uint64_t)(CUC__GEMM_WORKSPACE_ALIGN - 1), true);
}

// Computes the size of a row in bytes, rounded up. Returns false on overflow.
static bool row_bytes(int64_t *out, int64_t elements, cuc_dtype dtype, int64_t align)
{
    int64_t bytes;

    if (__builtin_mul_overflow(elements, cuc_dtype_bits(dtype) / 8, &bytes) ||
        __builtin_add_overflow(bytes, align - 1, &bytes))
        return false;
    *out = bytes / align * align;
    return true;
}

bool cuc__gemm_lay_out_gradient(struct cuc__gemm_gradient *out, const struct cuc__gemm_kind *k,
                                const struct cuc__gemm_tile *t, int64_t rows, int64_t columns,
                                int64_t depth)
{
    enum { MOST_PARTS = 64, LEAST_SUMMED = 1024 };
    struct cuc__gemm_workspace w = { .bytes = 0 };
    int64_t bytes;

    *out = (struct cuc__gemm_gradient){ .parts = 0 };
    switch (k->gradient) {
    case CUC_GEMM_NO_GRADIENT:
        return true;
    case CUC_GEMM_GRADIENT_COLUMNS:
        out->parts = cuc__ceil_div(rows, cuc__gemm_end_rows(t));
        break;
    case CUC_GEMM_GRADIENT_ROWS:
        out->parts = cuc__ceil_div(columns, cuc__gemm_end_columns(t));
        break;
    default:
        out->parts = cuc__ceil_div(depth, LEAST_SUMMED);
        out->parts = out->parts < 1 ? 1 : out->parts < MOST_PARTS ? out->parts : MOST_PARTS;
    }
    bool of_rows = k->gradient == CUC_GEMM_GRADIENT_ROWS || k->gradient == CUC_GEMM_GRADIENT_A;
    out->extent = of_rows ? rows : columns;
    if (!row_bytes(&bytes, out->extent, cuc__gemm_sum_type(k), SUMS_ALIGN) ||
        !append(&w, 1, out->parts, bytes))
        return false;
    out->pitch = bytes / (cuc_dtype_bits(cuc__gemm_sum_type(k)) / 8);
    out->bytes = w.bytes;
    return true;
}

bool cuc__gemm_lay_out_workspace(struct cuc__gemm_workspace *out, const struct cuc__gemm_kind *kind,
                                 const struct cuc__gemm_tile *t, int64_t rows, int64_t columns,
                                 int64_t depth)
{
    const struct cuc__gemm_kind packed = cuc__gemm_packed_kind(kind, t), *k = &packed;
    const struct {
        int64_t rows, columns; // in the order in memory
    } operands[] = {
        { k->transposed_a ? depth : rows, k->transposed_a ? rows : depth },
        { k->transposed_b ? columns : depth, k->transposed_b ? depth : columns },
    };
    int64_t bytes;

    *out = (struct cuc__gemm_workspace){ .bytes = 0 };
    for (int i = 0; i < 2; i++) {
        if (!(t->pack & (i ? CUC_GEMM_PACK_B : CUC_GEMM_PACK_A)))
            continue;
        out->packed[i].at = out->bytes;
        if (!row_bytes(&bytes, operands[i].columns, k->dtype, PACKED_ALIGN) ||
            !append(out, 1, operands[i].rows, bytes))
            return false;
        out->packed[i].pitch = bytes / (cuc_dtype_bits(k->dtype) / 8);
    }
    out->sums.at = out->bytes;
    if (t->parts > 1) {
        if (!row_bytes(&bytes, columns, k->accumulator, SUMS_ALIGN) ||
            !append(out, (uint64_t)t->parts, rows, bytes))
            return false;
        out->sums.pitch = bytes / (cuc_dtype_bits(k->accumulator) / 8);
    }
    return !t->stream_k ||
           !__builtin_add_overflow(out->bytes, cuc__gemm_stream_k_bytes(k, t), &out->bytes);
}
