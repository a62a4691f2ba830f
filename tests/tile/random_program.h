// Makes random tile programs as text. They are typed, so that each compiles, and exact, so that the
// driver and the interpreter must agree. Only tensors whose names begin with "oa" hold approximate
// results.
//
//   random_text.c     random numbers, text, names
//   random_value.c    expressions of a dtype and a shape
//   random_shape.c    expressions that move elements or work along an axis
//   random_memory.c   loads, stores, gathers, atomic operations
//   random_program.c  statements, control flow, the kernel's head
#ifndef CUCORE_TESTS_TILE_RANDOM_PROGRAM_H
#define CUCORE_TESTS_TILE_RANDOM_PROGRAM_H

#include <cucore/base.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct random_program {
    char *source;    // free it with free()
    char sizes[256]; // cases as in construct.h
    uint32_t warps;  // 0: the compiler chooses
    int mode;        // strides of the tensors: construct_data.h
};

// Makes the same program for the same seed. `large` means more statements and larger tiles.
void random_program_make(struct random_program *p, uint64_t seed, bool large);

// ---- Declarations that the generator's files share

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
    bool fixed; // must not be bound again
};

struct parameter {
    char text[8];
    cuc_dtype dtype;
    int rank, extent[MOST_AXES];        // a negative extent e is dimension -1 - e
    enum { READ, WRITTEN, RESULT } use; // WRITTEN: also read, and each block has its own part
};

struct generator {
    uint64_t state;
    char *text; // all text produced so far; starts over when full
    size_t used;
    FILE *body;
    int indent, depth, budget;
    int most_elements, extent[3]; // extents of most shapes
    bool blocks;                  // several blocks: written tensors have a leading axis of blocks
    int loops;                    // number of loops that a break may leave
    bool is_static, starting;
    bool meets; // use few tensors and large tiles, which expose a missing barrier
    struct name name[MOST_NAMES];
    int names, next_name;
    struct parameter parameter[MOST_TENSORS];
    int parameters, inputs;
};

// Random choices
uint32_t random_below(struct generator *g, uint32_t n);
bool random_chance(struct generator *g, uint32_t one_in);
cuc_dtype random_dtype(struct generator *g); // a dtype that supports arithmetic
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

// Returns a value of a dtype and a shape, as text that is valid in any context.
const char *random_value(struct generator *g, cuc_dtype d, struct shape s, int depth);
// Returns whole float values from -4 to 4; sums of a few such values are exact.
const char *random_small(struct generator *g, cuc_dtype d, struct shape s, int depth);
const char *random_scalar(struct generator *g, cuc_dtype d, int depth);
const char *random_index(struct generator *g);
// Returns an approximate function of a float.
const char *random_approximate(struct generator *g, cuc_dtype d, struct shape s);

// Makers return an expression of a dtype and a shape as text, or NULL.
typedef const char *maker(struct generator *g, cuc_dtype d, struct shape s, int depth);
maker make_reshape, make_squeeze, make_permute, make_broadcast, make_cat, make_extract, make_insert,
    make_take, make_shift, make_reduce, make_arg, make_scan, make_sort, make_histogram, make_mma;
// Returns a shape that broadcasts to s.
struct shape random_thinner(struct generator *g, struct shape s);

// Returns a load of any kind; NULL if there is no room for another tensor.
const char *random_load(struct generator *g, cuc_dtype d, struct shape s, int depth);
void random_store(struct generator *g);
void random_output(struct generator *g, const char *value, cuc_dtype d, const struct shape *s,
                   bool approximate);
__attribute__((format(printf, 2, 3))) void line(struct generator *g, const char *format, ...);

#endif
