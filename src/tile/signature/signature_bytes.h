// The encoding of signatures, shared by the writer and the reader.
#ifndef CUCORE_TILE_SIGNATURE_SIGNATURE_BYTES_H
#define CUCORE_TILE_SIGNATURE_SIGNATURE_BYTES_H

#include "signature.h"

enum {
    HEAD_BYTES = 16,
    HEAD_VERSION = 4, // offset in the head
    HEAD_LENGTH = 8,
    HEAD_CHECKSUM = 12,
    MOST_NESTING = 512, // nesting of expressions
};
#define SIGNATURE_MAGIC "CuTi"

// The ops of host expressions; the index is the code. Code 0 means none.
static const struct {
    enum tile_op_kind kind;
    uint32_t operands;
} host_ops[] = {
    [1] = { TILE_NEG, 1 },    [2] = { TILE_ADD, 2 },      [3] = { TILE_SUB, 2 },
    [4] = { TILE_MUL, 2 },    [5] = { TILE_FLOORDIV, 2 }, [6] = { TILE_CDIV, 2 },
    [7] = { TILE_MOD, 2 },    [8] = { TILE_MINIMUM, 2 },  [9] = { TILE_MAXIMUM, 2 },
    [10] = { TILE_EQ, 2 },    [11] = { TILE_NE, 2 },      [12] = { TILE_LT, 2 },
    [13] = { TILE_LE, 2 },    [14] = { TILE_GT, 2 },      [15] = { TILE_GE, 2 },
    [16] = { TILE_AND, 2 },   [17] = { TILE_OR, 2 },      [18] = { TILE_NOT, 1 },
    [19] = { TILE_WHERE, 3 },
};
enum { HOST_OPS = sizeof(host_ops) / sizeof(host_ops[0]) };

// The codes for kinds of expressions, extents and variants never change.
_Static_assert(TILE_HOST_CONSTANT == 0 && TILE_HOST_DIMENSION == 1 && TILE_HOST_SCALAR == 2 &&
                   TILE_HOST_EXTENT == 3 && TILE_HOST_STRIDE == 4 && TILE_HOST_OP == 5 &&
                   TILE_HOST_NOALIAS == 6 && TILE_HOST_ALIGNED == 7 && TILE_HOST_UNIT == 8,
               "written into signatures");
_Static_assert(TILE_EXTENT_NAMED == 0 && TILE_EXTENT_STATIC == 1 && TILE_EXTENT_CHECKED == 2,
               "written into signatures");
_Static_assert(TILE_ALIGNED_32 == 0 && TILE_INDEX_32 == 1 && TILE_INDEX_64 == 2 && TILE_TMA == 3 &&
                   TILE_OVERLAP_32 == 4 && TILE_REALIGNED == 5,
               "written into signatures");

// Computes FNV-1a of everything after the head.
static inline uint32_t checksum(const unsigned char *bytes, size_t count)
{
    uint32_t sum = 2166136261u;

    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

#endif
