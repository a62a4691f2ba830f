// Tile programs at random, as text: typed, so that each compiles, and exact, so that the driver and
// the interpreter have nothing to disagree on. What only approximates is stored in tensors whose
// names begin with "oa", and nowhere else.
//
//   random_text.c     dice, text, names
//   random_value.c    expressions of a dtype and a shape
//   random_shape.c    those that move elements or go along an axis
//   random_memory.c   loads, stores, gathers, atomic operations
//   random_program.c  statements, control flow, the kernel's head
#ifndef CUCORE_TESTS_TILE_RANDOM_PROGRAM_H
#define CUCORE_TESTS_TILE_RANDOM_PROGRAM_H

#include <cucore/base.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct random_program {
    char *source;    // free()
    char sizes[256]; // cases as construct.h has them
    uint32_t warps;  // 0: the compiler chooses
    int mode;        // of the tensors' strides: construct_data.h
};

// The same program for the same seed. `large`: more statements and larger tiles.
void random_program_make(struct random_program *p, uint64_t seed, bool large);

// Within

enum {
    MOST_AXES = 4,
    MOST_NAMES = 48,
    MOST_INPUTS = 9, // tensors that are read
    MOST_TENSORS = 19,
    TENSOR_ELEMENTS = 2500,
    MOST_DIMENSIONS = 3,
    MOST_DIMENSION = 50,
    MOST_CASES = 2,
    TEXT_ROOM = 1 << 18,
};

struct shape {
    int rank, extent[MOST_AXES];
};

struct name {
    char text[8];
    cuc_dtype dtype;
    struct shape shape;
    bool fixed; // it is not bound again
};

struct parameter {
    char text[8];
    cuc_dtype dtype;
    int rank, extent[MOST_AXES];        // below 0: dimension -1 - extent
    enum { READ, WRITTEN, RESULT } use; // WRITTEN: and read, each block its own part
};

struct generator {
    uint64_t state;
    char *text; // everything that is said; NULL when it is full
    size_t used;
    FILE *body;
    int indent, depth, budget;
    int most_elements, extent[3]; // of most shapes
    bool blocks; // more than one: what is written has an axis of blocks before all others
    int loops;   // that a break may leave
    bool is_static, starting;
    bool meets; // few tensors and large tiles: a barrier that is missing is seen
    struct name name[MOST_NAMES];
    int names, next_name;
    struct parameter parameter[MOST_TENSORS];
    int parameters, inputs;
};

// Dice
uint32_t random_below(struct generator *g, uint32_t n);
bool random_chance(struct generator *g, uint32_t one_in);
cuc_dtype random_dtype(struct generator *g); // one that can be computed with
struct shape random_shape(struct generator *g);
cuc_dtype random_number(struct generator *g);

// Text
__attribute__((format(printf, 2, 3))) const char *say(struct generator *g, const char *format, ...);
const char *say_shape(struct generator *g, const struct shape *s); // "4, 8"
int count_of(const struct shape *s);
bool same_shape(const struct shape *a, const struct shape *b);
int random_extent(struct generator *g);
bool is_whole(cuc_dtype d);
bool is_real(cuc_dtype d);       // f16, bf16, f32, f64
bool is_restricted(cuc_dtype d); // tf32, e4m3, e5m2
struct name *random_name(struct generator *g, cuc_dtype d, const struct shape *s, bool free);

// A value of a dtype and a shape, as text that can stand anywhere.
const char *random_value(struct generator *g, cuc_dtype d, struct shape s, int depth);
// The same of a float dtype, whole and from -4 to 4: any sum of a few is exact.
const char *random_small(struct generator *g, cuc_dtype d, struct shape s, int depth);
const char *random_scalar(struct generator *g, cuc_dtype d, int depth);
const char *random_index(struct generator *g); // a small integer scalar
// A function that approximates, of a float.
const char *random_approximate(struct generator *g, cuc_dtype d, struct shape s);

// Makers: the text of an expression of a dtype and a shape, or NULL.
typedef const char *maker(struct generator *g, cuc_dtype d, struct shape s, int depth);
maker make_reshape, make_squeeze, make_permute, make_broadcast, make_cat, make_extract, make_insert,
    make_take, make_shift, make_reduce, make_arg, make_scan, make_sort, make_histogram, make_mma;
// A shape that broadcasts to s.
struct shape random_thinner(struct generator *g, struct shape s);

// A load of any kind; NULL when there is no room for another tensor.
const char *random_load(struct generator *g, cuc_dtype d, struct shape s, int depth);
void random_store(struct generator *g);
void random_output(struct generator *g, const char *value, cuc_dtype d, const struct shape *s,
                   bool approximate);
__attribute__((format(printf, 2, 3))) void line(struct generator *g, const char *format, ...);

#endif
