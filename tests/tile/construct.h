// A construct of the tile language as a kernel, done twice on the same data: by the interpreter
// and, as PTX, by the driver that CUCORE_DRIVER names. Both must leave the same bytes.
//
// The first letter of a tensor's name says what is in it before:
//   o    poison: it is for results             u    whole numbers: it is read and written
//   w    whole numbers from -4 to 4            s    small ones: from -1 to 1
//   i    indices, some of them outside         p    all numbers from 0 on, each once, in disorder
//   else anything that its dtype has: NaN, infinities, subnormals, the largest and the least
#ifndef CUCORE_TESTS_TILE_CONSTRUCT_H
#define CUCORE_TESTS_TILE_CONSTRUCT_H

#include <stdbool.h>
#include <stdint.h>

struct construct {
    const char *name;
    const char *dtypes; // what the constant T is, one after the other; NULL: there is none
    // Extents of its dimensions, scalar arguments, its grid when it has no clause, constants of its
    // header in capitals: "N=37 M=5", cases apart by semicolons; constants in the first case hold
    // for all.
    const char *sizes;
    const char *source;
    // How far floats may be off, in units of the last place of a value of `scale` or of the
    // result itself when that is larger. 0: not at all, but for the bits of a NaN.
    double ulps, scale;
    const char *like; // what is interpreted, when it is another source
};

// "all", "numbers", "integers", "floats" and the like as lists; the n-th name of a list, or NULL.
#define INTEGERS "i8 i16 i32 i64 u8 u16 u32 u64"
#define FLOATS "f16 bf16 f32 f64"
#define NUMBERS INTEGERS " " FLOATS
#define EVERY NUMBERS " bool tf32 e4m3 e5m2"
const char *construct_dtype(const struct construct *row, int n, char *room);

void construct_start(void); // device, stream, memory: in the process that checks
void construct_stop(void);
// Fails the test that runs when anything differs. Compiles with the compiler's choice of warps, and
// with 1, 4 and 8; a turn of 0 or more picks one of these three.
void construct_check(const struct construct *row, const char *dtype, int turn);
// The same for warps and strides that the caller names, products not joined to sums. `near`: how
// the names of the tensors begin that `ulps` is for.
void construct_check_as(const struct construct *row, uint32_t warps, int mode, const char *near);
// A kernel that ends in a failure with both: what the driver says, and what the interpreter.
enum { FAILURE_ROOM = 1024 };
void construct_fails(const struct construct *row, char *driver, char *interpreter);
// A source that parses and does not compile: what the compiler says.
void construct_refused(const char *source, char *text);
// The PTX of many constructs, in one module, made for a target; to be freed. Constructs that do not
// have the dtype are left out; of those without dtypes NULL asks.
char *construct_ptx(const struct construct *row, int rows, const char *dtype, int sm,
                    bool specific);

#endif
