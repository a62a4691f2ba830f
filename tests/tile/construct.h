// Runs a construct of the tile language as a kernel twice on the same data: on the interpreter and,
// as PTX, on the driver that CUCORE_DRIVER names. Both must write the same bytes.
//
// The first letter of a tensor's name selects its initial contents:
//   o    poison, for results                   u    whole numbers; read and written
//   w    whole numbers from -4 to 4            s    small numbers from -1 to 1
//   i    indices, some out of range            p    all numbers from 0, each once, shuffled
//   else any value of its dtype: NaN, infinities, subnormals, the largest and the least
#ifndef CUCORE_TESTS_TILE_CONSTRUCT_H
#define CUCORE_TESTS_TILE_CONSTRUCT_H

#include <stdbool.h>
#include <stdint.h>

struct construct {
    const char *name;   // "split by 3": a loop that accumulates runs in three blocks; "cluster":
                        // loads are shared
    const char *dtypes; // values of the constant T, one after another; NULL: no T
    // Extents of the dimensions, scalar arguments, the grid if there is no grid clause, and
    // constants of the header in capitals: "N=37 M=5". Semicolons separate cases. Constants in the
    // first case apply to all cases.
    const char *sizes;
    const char *source;
    // The tolerance for floats, in units of the last place of a value of `scale`, or of the result
    // itself if that is larger. With 0, only the bits of a NaN may differ.
    double ulps, scale;
    const char *like; // another source to interpret; NULL: this one
};

// Expands "all", "numbers", "integers", "floats" and similar words to lists; returns the n-th name
// of a list, or NULL.
#define INTEGERS "i8 i16 i32 i64 u8 u16 u32 u64"
#define FLOATS "f16 bf16 f32 f64"
#define NUMBERS INTEGERS " " FLOATS
#define EVERY NUMBERS " bool tf32 e4m3 e5m2"
const char *construct_dtype(const struct construct *row, int n, char *room);

void construct_start(void); // makes device, stream and memory in the checking process
void construct_stop(void);
bool construct_is_hopper(void); // whether the device is a Hopper GPU, on which pipelines have roles
// Fails the running test if anything differs. Compiles with the compiler's choice of warps, and
// with 1, 4 and 8 warps. With `most` of 2, only the compiler's choice and one of the others, which
// `turn` selects; with `most` of 1, only one of the four.
void construct_check(const struct construct *row, const char *dtype, int most, int turn);
// Checks with the caller's warps and strides, and does not contract products into sums. `ulps`
// applies to the tensors whose names begin with `near`.
void construct_check_as(const struct construct *row, uint32_t warps, int mode, const char *near);
// Runs a kernel with one tensor at a time misaligned: first its base, then its rows, is not a
// multiple of 16 bytes. Runs each entry that accepts these tensors.
struct construct_alignment {
    struct construct construct;
    const char *needs; // by parameter: 'a' if the fastest entry needs an aligned tensor, or '-'
    const char *entry; // the fastest entry
    uint32_t warps, split;
};
void construct_check_alignment(const struct construct_alignment *a);
// Options for compiling and running a construct.
struct construct_options {
    uint32_t warps, stages, split, cluster; // 0: the compiler's choice
    uint32_t multiprocessors;               // number of multiprocessors for persistent blocks
    int mode;                               // strides of the tensors, see construct_data.h
    const char *near;                       // as in construct_check_as()
    bool contract;                          // contract products into sums
    bool specific;                          // use features of a single architecture
    bool roles_only;                        // run only the entries with roles, if there are any
};
// Checks a construct with options; returns the number of cases in which an entry with roles ran.
uint32_t construct_check_with(const struct construct *row, const char *dtype,
                              const struct construct_options *options);
enum { FAILURE_ROOM = 1024 }; // maximum size of each message below
// Runs a kernel that fails both in the driver and in the interpreter, and returns their messages.
void construct_fails(const struct construct *row, char *driver, char *interpreter);
// Returns the compiler's message for a source that parses but does not compile.
void construct_refused(const char *source, char *text);
// Returns the signature of a file's first kernel, compiled for the features of a single
// architecture. The caller frees it.
struct tile_signature;
struct tile_signature *construct_signature(const char *path, int sm);
// Returns the PTX of many constructs for a target in one module; the caller frees it. Omits
// constructs without the dtype; NULL selects the constructs that have no dtypes.
char *construct_ptx(const struct construct *row, int rows, const char *dtype, int sm,
                    bool specific);

#endif
