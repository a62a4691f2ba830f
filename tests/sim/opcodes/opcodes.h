// The table-driven test of instructions (test_opcodes.c). A row of a .def file is an instruction in
// all its forms. Each form, called an instance, becomes a kernel that executes it once in each
// thread on edge values of its types. An oracle in C gives the expected result.
#ifndef CUCORE_TEST_OPCODES_H
#define CUCORE_TEST_OPCODES_H

#include "../soft.h"

#include <stddef.h>
#include <stdio.h>

enum {
    CASES = 2048,      // cases per instance; a multiple of BLOCK
    CASES_DOT = 512,   // fewer for matrix products, which have many outputs
    CASES_ALL = 65536, // for an exact instance whose only input is a 16-bit float
    BLOCK = 128,
    WARP = 32,
    MAX_IN = 24,
    MAX_OUT = 16,
    MAX_ANSWERS = 32,
    MAX_TYPES = 5,
    WARP_SHARED = 4096, // size of the memory at %w
};

// The kind of an operand: its register's declaration, its contents, and its test values.
struct kind {
    const char *name;
    char reg;                  // p .pred, c .b8, h .b16, r .b32, l .b64
    uint32_t bits, elements;   // of an element
    bool is_signed;            // an integer
    struct soft_format format; // format of an element; exponent 0: an integer
    enum pattern {
        PATTERN_EDGES,  // edge values of the type, crossed, then random ones
        PATTERN_MATRIX, // for a warp: small integers, numbers of similar magnitude, or special ones
        PATTERN_RANDOM,
        PATTERN_BELOW, // mostly numbers below 32
        PATTERN_SHIFT, // for shifts, positions and lengths: up to the width and beyond
        PATTERN_VOTE,  // for a warp: nonzero in no lane, in all, in one or in some
        PATTERN_ALIKE, // for a warp: all equal, or few distinct values
    } pattern;
};
const struct kind *kind_find(const char *name, size_t length);
uint64_t kind_mask(const struct kind *kind); // mask of the register's bits
// Makes the inputs of `cases` threads: column[k][n].
void kind_values(uint64_t **column, const struct kind *const *kinds, uint32_t count,
                 uint32_t cases);

// The expected value of an output element.
struct answer {
    enum {
        ANSWER_BITS,
        ANSWER_NAN,  // any NaN
        ANSWER_NEAR, // within `slack` of `value`
        // the ISA leaves it open: reported, but not a failure on a GPU; `bits` is the expected
        // value
        ANSWER_OPEN,
        ANSWER_ANY, // the ISA promises nothing
    } is;
    uint64_t bits;
    long double value, slack;
    bool or_bits; // NEAR: also accept `bits`
};

struct instance;
// One thread of an instance: its inputs, or one element of each input if all operands are packed.
struct call {
    const struct instance *x;
    uint32_t n; // number of the thread
    uint64_t in[MAX_IN];
    uint64_t *const *column; // inputs of all threads: column[k][n]
};
typedef void oracle(const struct call *c, struct answer *out);

struct row {
    const char *family;
    // The instruction. (a|b) stands for one form with a and one with b; #1 is the first choice, #2
    // the second. $ stands for the operands; without a $, they follow at the end. Operands can also
    // be written out: %d0 ... are the outputs, %i0 ... the inputs. In a text with several
    // instructions, * precedes the tested one, unless the first one is tested. Available registers
    // are %r0 ... %r49 (.b32), %q0 ... (.b64), %h0 ... (.b16), %f0 ... (.f32), %p0 ... (.pred) and
    // %x0
    // ... (.b128). %s is the address of 64 bytes of shared memory of the thread, %w of 4 KiB of the
    // warp, and %b of 4 KiB of the block. %in and %out are the addresses of the thread's first
    // input and output in global memory, 8 bytes each. %lane is the lane, and %n the thread's
    // number in the block.
    const char *text;
    // Kinds as "outputs = inputs". T, S and U are the first, second and third type of the
    // instruction; W is a type twice as wide as T; *4 means a vector of four.
    const char *operands;
    oracle *answer;
    enum comparison {
        COMPARE_EXACT,
        COMPARE_ULP,
        COMPARE_RELATIVE,
        COMPARE_ABSOLUTE,
        COMPARE_DOT, // relative to the sum of the magnitudes of a dot product's terms
    } how;
    double bound; // ULP: number of units; otherwise an exponent of 2
    int arch;     // the lowest architecture
};
#define EXACT COMPARE_EXACT, 0
#define ULP(n) COMPARE_ULP, n
#define RELATIVE(exponent) COMPARE_RELATIVE, exponent
#define ABSOLUTE(exponent) COMPARE_ABSOLUTE, exponent
#define DOT(exponent) COMPARE_DOT, exponent

// Modifiers that affect oracles, as bits.
#define INSTANCE_WORDS(X)     \
    X(FTZ, "ftz")             \
    X(SAT, "sat")             \
    X(RELU, "relu")           \
    X(SATFINITE, "satfinite") \
    X(NAN, "NaN")             \
    X(XORSIGN, "xorsign")     \
    X(ABS, "abs")             \
    X(HI, "hi")               \
    X(WIDE, "wide")           \
    X(CLAMP, "clamp")         \
    X(APPROX, "approx")       \
    X(FULL, "full")           \
    X(OOB, "oob")
enum {
#define BIT(name, word) WORD_INDEX_##name,
    INSTANCE_WORDS(BIT)
#undef BIT
#define BIT(name, word) WORD_##name = 1 << WORD_INDEX_##name,
        INSTANCE_WORDS(BIT)
#undef BIT
};

struct instance {
    const struct row *row;
    char *text;                         // expanded text of the kernel
    const char *main;                   // the tested instruction, in `text`
    char name[16];                      // the instruction's name: "add"
    const struct kind *type[MAX_TYPES]; // the types among the instruction's words
    uint32_t types;
    const struct kind *in[MAX_IN], *out[MAX_OUT];
    uint32_t ins, outs;
    // 1; more if all operands are packed alike, so that the oracle gets one element at a time
    uint32_t elements;
    uint32_t cases;
    enum soft_mode mode;
    uint32_t words;
};
extern const struct row opcode_rows[];
extern const size_t opcode_row_count;
// Returns all forms of all rows, in order.
struct instance *instances(size_t *count);
void instances_free(struct instance *list, size_t count);
bool has(const struct instance *x, const char *word);
// Reads a shape from the instruction's modifiers: 16, 8, 16 for m16n8k16.
bool shape_of(const struct instance *x, uint32_t *m, uint32_t *n, uint32_t *k);

// Returns a module with a kernel k0, k1 ... for each instance; free() it. With `variants`, the
// kernel also executes a single-thread instruction under a guard, and with its source as the
// destination. Both must give the same result.
char *instances_ptx(const struct instance *const *list, size_t count, const char *target,
                    bool variants);

// Answers.
struct answer exactly(uint64_t bits);
struct answer any_nan(void);
struct answer open_to(uint64_t bits); // an expected result that the ISA does not promise
// Expects a result within the row's bound of a value, in the format of the first output.
struct answer near_to(const struct call *c, long double value);
// Decodes a float, including infinities and NaN.
long double float_value(uint64_t bits, struct soft_format f);
bool agrees(const struct answer *a, const struct kind *out, uint64_t got);
void answer_text(char *text, size_t room, const struct answer *a, const struct kind *out);

// Properties of floating-point formats.
uint32_t format_bits(struct soft_format f);
uint64_t format_sign(struct soft_format f);
uint64_t format_infinity(struct soft_format f);
bool format_is_nan(uint64_t bits, struct soft_format f);
uint64_t format_flush(uint64_t bits, struct soft_format f); // subnormal: zero with that sign
uint64_t format_nan(struct soft_format f);                  // canonical: all ones except the sign
int64_t sign_extended(uint64_t bits, uint32_t width);

// A device's results, one file for each family (golden.c describes the format).
struct golden;
struct record {
    char *text;       // the instance's PTX
    uint64_t inputs;  // hash of the inputs
    uint64_t outputs; // a hash of the portable part: all NaNs are equal, open results are left out
    uint64_t bits;    // hash of the exact results
    // Values of the first count / outs threads, output by output; NULL: the hashes suffice.
    uint64_t *values;
    uint32_t count;
};
uint64_t hash(uint64_t state, const uint64_t *values, size_t count); // start with 0
// Reads a golden file. Returns NULL if there is none or, with *why set, if it is malformed.
struct golden *golden_read(const char *folder, const char *family, const char **why);
struct golden *golden_new(const char *header);                  // lines of the form "key value"
void golden_add(struct golden *g, const struct record *record); // the record is copied
// Returns whether the file was written.
bool golden_write(const struct golden *g, const char *folder, const char *family);
const char *golden_header(const struct golden *g);
const struct record *golden_find(const struct golden *g, const char *text);
void golden_free(struct golden *g);

#endif
