// Algorithm plans: their kind, the tile program, the compiled kernels. A family of kinds is a file
// that writes the program, lays out the workspace and launches the kernels.
#ifndef CUCORE_ALGORITHM_ALGORITHM_H
#define CUCORE_ALGORITHM_ALGORITHM_H

#include <cucore/algorithm.h>
#include <cucore/kernel.h>
#include <cucore/launch.h>

#include "base/divide.h"
#include "base/handle.h"
#include "base/text.h"
#include "program/plan_arch.h"

#define CUC__ALGORITHM_PROGRAM "algorithm.tile" // its name in messages

enum {
    CUC__ALGORITHM_NAME = 32,
    CUC__ALGORITHM_IDENTITY = 64,
    CUC__ALGORITHM_MAX = CUC_ALGORITHM_MAX_ARRAYS,
    CUC__ALGORITHM_KERNELS = 8, // most kernels of a plan
    CUC__ALGORITHM_ARGUMENTS = 5 * CUC__ALGORITHM_MAX,
    CUC__ALGORITHM_ALIGN = 256, // of the workspace, and of its parts
    CUC__ALGORITHM_SPLITS = 3,  // arrays of splits of two sequences
    CUC__ALGORITHM_KEPT = 64,   // most plans that the library keeps
};

enum cuc__algorithm_form {
    CUC__ALGORITHM_ELEMENTS, // an array that is read by element
    CUC__ALGORITHM_WHOLE,    // an array that only expressions read
    CUC__ALGORITHM_NAMED,    // an expression with a name
    CUC__ALGORITHM_VALUE,    // an expression without a name
};

struct cuc__algorithm_input {
    enum cuc__algorithm_form form;
    char name[CUC__ALGORITHM_NAME];
    cuc_dtype dtype;        // of an array
    const char *expression; // the caller's text; only while the plan is created
};

struct cuc__algorithm_output {
    char name[CUC__ALGORITHM_NAME];
    cuc_dtype dtype;
    bool dropped; // "_"
};

// The kind of work that a program does.
struct cuc__algorithm_kind {
    int32_t kind;
    bool device_count, plain_launch, exclusive, descending, smallest, every_gpu;
    const char *reduce; // sum, prod, min or max, if sums may be combined in any order
    struct cuc__algorithm_input inputs[CUC__ALGORITHM_MAX];
    struct cuc__algorithm_output outputs[CUC__ALGORITHM_MAX];
    uint32_t input_count, output_count;
    int32_t bins;      // of a histogram
    int64_t k;         // number of the largest elements
    cuc_dtype offsets; // of segments, or 0
    uint32_t values;   // of an element
    uint32_t second;   // the first input of the second sequence; input_count if there is one
    uint32_t keys;     // the first values, which are compared
    uint32_t bit_begin, bit_end; // the bits of keys that a sort compares
    uint32_t indices;            // bits: values that are indices, which a sort keeps in 32 bits
    cuc_dtype accumulators[CUC__ALGORITHM_MAX]; // the types of values while they are combined or
                                                // compared
};

struct cuc__algorithm_tile {
    int32_t elements; // of a block's step
    int32_t blocks;   // for each multiprocessor
    int32_t warps;    // 0 leaves the choice to the compiler
    uint32_t omitted; // a bit for each kernel of the family that the program does not have
    int64_t launch;   // most elements that a launch of a sort takes
};

struct cuc__algorithm_problem {
    struct cuc__algorithm_kind kind;
    const struct cuc__algorithm_family *family;
    struct cuc__algorithm_tile tile;
    const char *const *inputs; // the caller's texts
    const char *fn;            // the text of the operator; NULL if there is none
    char fn_name[CUC__ALGORITHM_NAME];
    const char *named;                                          // fn is one of the library's own
    char identity[CUC__ALGORITHM_MAX][CUC__ALGORITHM_IDENTITY]; // of each value
    int64_t count;
    uint32_t multiprocessors;
    char arch[CUC__PLAN_ARCH];
};

// A call, whose arguments are checked. Arrays that are read or written by element have `count`
// elements, the others their own number.
struct cuc__algorithm_call {
    cuc_algorithm *plan;
    cuc_stream *stream;
    const cuc_algorithm_args *args;
    const char *function;
    int64_t count;
    cuc_tensor inputs[CUC__ALGORITHM_MAX], outputs[CUC__ALGORITHM_MAX]; // by index in the options
    cuc_tensor device_count, offsets;
    int64_t segments;
    int64_t first;        // of two sequences: the number of elements of the first
    int64_t rows, length; // the rows along the last axis, and the elements of each
    cuc_device_ptr workspace;
    // Arrays of the workspace that a kernel takes behind the outputs.
    cuc_tensor splits[CUC__ALGORITHM_SPLITS];
    int split_count;
};

struct cuc__algorithm_family {
    const char *kernels[CUC__ALGORITHM_KERNELS]; // their names in the program
    bool has_identity;                           // fn combines values
    bool by_key;                                 // equal keys, the first values, make a run
    bool by_segment;                             // outputs have an element for each segment
    bool needs_fn;                               // fn must be a function
    bool by_element;                             // outputs have an element for each element
    bool by_row;               // arrays keep an axis of rows; indices are in a row
    bool ordered;              // elements are ordered by keys, the first values
    bool pairs;                // inputs are two sequences
    uint32_t counts;           // the last output has this many numbers of elements of the others
    uint32_t outputs;          // their number; 0: that follows from the next two
    uint32_t outputs_of_value; // 0: as many as fn has results
    // Checks what only this family has. NULL: nothing
    cuc_status (*check)(struct cuc__algorithm_problem *problem,
                        const cuc_algorithm_options *options, const char *function);
    // Returns true if a program of this kind lacks a kernel of `kernels`. NULL: it has all
    bool (*lacks)(const struct cuc__algorithm_kind *kind, int kernel);
    // Chooses the tile; nonzero fields are kept.
    void (*choose)(struct cuc__algorithm_problem *problem);
    // Writes the kernels.
    void (*put)(struct cuc__text *text, const struct cuc__algorithm_problem *problem);
    // NULL if the family needs none
    uint64_t (*workspace)(const cuc_algorithm *plan, int64_t count);
    // The workspace of a call, if that may be less than for any call with as many elements; or NULL
    uint64_t (*needs)(const struct cuc__algorithm_call *call);
    cuc_status (*run)(const struct cuc__algorithm_call *call);
};

// Each family is defined in the file of its name.
extern const struct cuc__algorithm_family cuc__algorithm_transform, cuc__algorithm_reduce,
    cuc__algorithm_scan, cuc__algorithm_select, cuc__algorithm_partition, cuc__algorithm_partition3,
    cuc__algorithm_unique, cuc__algorithm_histogram, cuc__algorithm_reduce_by_key,
    cuc__algorithm_scan_by_key, cuc__algorithm_reduce_segments, cuc__algorithm_sort,
    cuc__algorithm_merge, cuc__algorithm_merge_sort, cuc__algorithm_sort_segments,
    cuc__algorithm_sort_rows, cuc__algorithm_topk, cuc__algorithm_topk_rows,
    cuc__algorithm_topk_large, cuc__algorithm_set;

struct cuc_algorithm {
    cuc__handle head;
    cuc_device *device;
    const struct cuc__algorithm_family *family;
    struct cuc__algorithm_kind kind;
    struct cuc__algorithm_tile tile;
    uint32_t multiprocessors;
    char *text;
    cuc_object *object;
    cuc_kernel *kernels[CUC__ALGORITHM_KERNELS]; // in the order of the family
};

// Defined in options.c. Translates options. Records a failure under the name in `function`.
cuc_status cuc__algorithm_read_options(struct cuc__algorithm_problem *out,
                                       const cuc_algorithm_options *options,
                                       const struct cuc_device *device, const char *function);

// Defined in operator.c. Reads fn and identity.
cuc_status cuc__algorithm_read_operator(struct cuc__algorithm_problem *problem,
                                        const cuc_algorithm_options *options, const char *function);

// Checks that fn defines no function of the program.
cuc_status cuc__algorithm_check_names(const struct cuc__algorithm_problem *problem,
                                      const char *program, const char *function);

// Defined in source.c. Writes the tile program, and for each input the offset at which its
// expression begins in it. Returns NULL if out of memory.
char *cuc__algorithm_source(const struct cuc__algorithm_problem *problem, size_t *starts);
// Finds the word of an input's expression that is at an offset behind the expression's start in the
// program. Returns NULL if the expression ends before, and its length there.
const char *cuc__algorithm_find_in_expression(const struct cuc__algorithm_problem *problem,
                                              uint32_t input, size_t offset, size_t *length);
// Returns true if a word of an expression is a name.
bool cuc__algorithm_mentions(const char *expression, const char *name);
// Write parts of kernels: the parameters of inputs and of the count, and those of outputs, each
// with a comma behind it; the number of elements `n`; the values v0, v1 and so on of the elements
// of tile `t`, whose indices are `i`.
void cuc__algorithm_put_inputs(struct cuc__text *text, const struct cuc__algorithm_problem *p);
void cuc__algorithm_put_outputs(struct cuc__text *text, const struct cuc__algorithm_problem *p,
                                const char *extent);
void cuc__algorithm_put_count(struct cuc__text *text, const struct cuc__algorithm_problem *p);
void cuc__algorithm_put_values(struct cuc__text *text, const struct cuc__algorithm_problem *p,
                               const char *indent, const char *hint);
// Writes the values of the elements whose indices are `i`, a tile with the mask `there`.
void cuc__algorithm_put_gathered_values(struct cuc__text *text,
                                        const struct cuc__algorithm_problem *p, const char *indent);
// Writes the values u0, u1 and so on, for the letter u, of the next elements of those of tile `t`,
// or of the previous ones.
void cuc__algorithm_put_neighbors(struct cuc__text *text, const struct cuc__algorithm_problem *p,
                                  char letter, bool next);
// Writes the values v0, v1 and so on of the elements with indices `i`. `load` is a format of a
// comma and the elements of the array of a name; its second place is empty.
void cuc__algorithm_put_loaded(struct cuc__text *text, const struct cuc__algorithm_problem *p,
                               const char *indent, const char *load);
// Write the parameters of outputs of any length, and of the number of elements kept; to a line of
// facts, those that calls check: the outputs overlap no other array; and the store of the number,
// b0 + m0, by the block of tile `last`.
void cuc__algorithm_put_outputs_of_kept(struct cuc__text *text,
                                        const struct cuc__algorithm_problem *p);
void cuc__algorithm_put_kept_apart(struct cuc__text *text, const struct cuc__algorithm_kind *kind);
void cuc__algorithm_put_kept(struct cuc__text *text, const struct cuc__algorithm_kind *kind);
// Writes the values a0, a1 and so on of the element `at` of the first of two sequences, which has
// na_all elements, or b0, b1 and so on of the second one, which has nb_all.
void cuc__algorithm_put_sequence_values(struct cuc__text *text,
                                        const struct cuc__algorithm_problem *p, bool second,
                                        const char *indent, const char *at, const char *mask);
// Writes a format, with a number in place of each "%u".
void cuc__algorithm_put_numbered(struct cuc__text *text, uint32_t number, const char *format);
// Writes a list of it, such as "a0, a1" for "a%u", one for each value.
void cuc__algorithm_put_each(struct cuc__text *text, uint32_t count, const char *format);
// Writes a call that combines two lists of values, such as "r0, r1 = fn(b0, b1, s0, s1)".
void cuc__algorithm_put_combined(struct cuc__text *text, uint32_t count, const char *result,
                                 const char *fn, const char *x, const char *y);
// Writes a list of the identities.
void cuc__algorithm_put_identities(struct cuc__text *text, const struct cuc__algorithm_problem *p);

// Returns true if an array's axis is the number of elements N; otherwise N is a parameter.
bool cuc__algorithm_binds_count(const struct cuc__algorithm_kind *kind,
                                const struct cuc__algorithm_family *family);

// Writes the facts that the inputs, and with `outputs` the outputs, do not overlap `count` arrays
// of the workspace, whose names have the format `workspace`.
void cuc__algorithm_put_apart(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                              const char *workspace, uint32_t count, bool outputs);

// Stores r0, r1 and so on to the outputs, as element of tile `t`.
void cuc__algorithm_put_stores(struct cuc__text *text, const struct cuc__algorithm_problem *p);

// The sums that tiles add to prefixes over them, and the function that combines them.
struct cuc__algorithm_sums {
    uint32_t count;
    cuc_dtype dtypes[CUC__ALGORITHM_MAX + 1];
    uint32_t counts; // the first ones are numbers of elements, of i64
    // sum, prod, min or max, if `combine` does the same for each sum, and in any order. NULL: sums
    // are combined in their order.
    const char *reduce;
    const char *combine; // the name of the function, and identities: only for the program
    const char *identity[CUC__ALGORITHM_MAX + 1];
};

// Defined in functions.c. Writes the library's functions that expressions call.
void cuc__algorithm_put_functions(struct cuc__text *text, const struct cuc__algorithm_kind *kind);

// Defined in places.c. Records the failure to compile a program once more, with places in fn and
// inputs instead of those in the program.
cuc_status cuc__algorithm_fail_compile(const struct cuc__algorithm_problem *problem,
                                       const char *program, const size_t *starts,
                                       const char *function);

// Defined in look_back.c. Write parts of a kernel: functions; the head behind the parameters for
// arrays, with the facts that no array overlaps the workspace; the publication of m0, m1 and so on,
// that tile `t` adds; and the computation of b0, b1 and so on, the sums of all tiles before.
void cuc__algorithm_put_look_back_functions(struct cuc__text *text,
                                            const struct cuc__algorithm_sums *s);
void cuc__algorithm_put_look_back_head(struct cuc__text *text,
                                       const struct cuc__algorithm_problem *p,
                                       const struct cuc__algorithm_sums *s);
void cuc__algorithm_put_publish(struct cuc__text *text, const struct cuc__algorithm_sums *s);
void cuc__algorithm_put_look_back(struct cuc__text *text, const struct cuc__algorithm_sums *s);
// Writes a list of the identities.
void cuc__algorithm_put_sum_identities(struct cuc__text *text, const struct cuc__algorithm_sums *s);
uint64_t cuc__algorithm_look_back_bytes(const struct cuc__algorithm_sums *s, int64_t tiles);
// Clears the workspace and launches a plan's only kernel, whose parameters are inputs, outputs and
// those of the look-back.
cuc_status cuc__algorithm_run_look_back(const struct cuc__algorithm_call *call,
                                        const struct cuc__algorithm_sums *s, int64_t tiles);

// Defined in topk.c. The type of keys; the function key_of from an element to its key, an unsigned
// number of the same order, in which floats have -0 before 0 and NaN last; and the stores of the
// values of elements `i`, with the mask `there`, as elements `j` of the outputs.
cuc_dtype cuc__algorithm_key_type(const struct cuc__algorithm_kind *kind);
void cuc__algorithm_put_key(struct cuc__text *text, const struct cuc__algorithm_kind *kind);
void cuc__algorithm_put_found(struct cuc__text *text, const struct cuc__algorithm_problem *p,
                              const char *indent);
enum { CUC__ALGORITHM_FEW = 1024 }; // most elements that topk.c finds

// Defined in check.c. Checks a call and makes its arrays.
cuc_status cuc__algorithm_check(struct cuc__algorithm_call *call);
// Returns the size of the workspace that a call needs, whose arrays are made.
uint64_t cuc__algorithm_needs(const struct cuc__algorithm_call *call);

// Defined in launch.c. Add the arguments of cuc__algorithm_put_inputs() and
// cuc__algorithm_put_outputs(); return the number of arguments.
size_t cuc__algorithm_add_inputs(cuc_arg *args, size_t count,
                                 const struct cuc__algorithm_call *call);
size_t cuc__algorithm_add_outputs(cuc_arg *args, size_t count,
                                  const struct cuc__algorithm_call *call);
// Launches a kernel of the plan, by its index in the family.
cuc_status cuc__algorithm_launch(const struct cuc__algorithm_call *call, int kernel,
                                 const cuc_arg *args, size_t count);
// Makes an array of the workspace, and returns the address behind it.
cuc_device_ptr cuc__algorithm_scratch(cuc_tensor *out, const struct cuc__algorithm_call *call,
                                      cuc_device_ptr at, cuc_dtype dtype, int64_t elements);

// Defined in kept.c. Finds a plan that the library keeps, or creates one and keeps it: the plans
// used most recently. "%s" in an input or output is the type of the next array of the call. The
// options' arch and cache are NULL. The caller releases the plan.
cuc_status cuc__algorithm_get_kept(cuc_algorithm **out, cuc_device *device,
                                   const cuc_algorithm_options *options,
                                   const cuc_algorithm_args *args);
// Returns the number of plans that are kept.
int cuc__algorithm_kept_count(void);

static inline uint64_t cuc__algorithm_aligned(uint64_t bytes)
{
    return (bytes + CUC__ALGORITHM_ALIGN - 1) / CUC__ALGORITHM_ALIGN * CUC__ALGORITHM_ALIGN;
}

// Returns the bytes of the workspace that an array takes.
static inline uint64_t cuc__algorithm_bytes(cuc_dtype dtype, int64_t elements)
{
    return cuc__algorithm_aligned((uint64_t)elements * (cuc_dtype_bits(dtype) / 8));
}

// Returns the number of tiles of a look-back: no elements have one, which stores the count.
static inline int64_t cuc__algorithm_tiles(const cuc_algorithm *plan, int64_t count)
{
    return count ? cuc__ceil_div(count, plan->tile.elements) : 1;
}

// Returns the largest power of two that is at most `most` / `bytes`, and not below `least`.
static inline int32_t cuc__algorithm_fit(int32_t most, uint32_t bytes, int32_t least)
{
    int32_t elements = most;

    while (elements > least && (uint64_t)(uint32_t)elements * bytes > (uint32_t)most)
        elements /= 2;
    return elements;
}

#endif
