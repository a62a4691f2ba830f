// A language model of the Llama family on cucore's public API. checkpoint.c reads files, weights.c
// moves them to the device, model.c runs the network, main.c is the program.
#ifndef LLAMA_H
#define LLAMA_H

#include <cucore/check.h>

enum { PAGE = 128, GROUP = 128 }; // keys of a page of the cache; 4-bit weights that share a scale

// Print a message and exit.
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);
void *allocate(size_t count, size_t size); // zeros; or fail

/* ---- checkpoint.c --------------------------------------------------------------------------- */
typedef struct config {
    long long hidden, inner, layers, heads, key_heads, width, vocabulary;
    long long longest; // positions
    double eps, theta;
    double factor, low, high, original; // rope_scaling of type llama3; factor 1: none
    int tied;                           // the last projection is the table of embeddings
} config;

typedef struct checkpoint {
    struct mapped *files;
    size_t count;
    uint64_t bytes; // of the weights
} checkpoint;

config config_read(const char *folder);
checkpoint *checkpoint_open(const char *folder); // maps every *.safetensors of the folder
// bf16 [rows][columns]; a vector has one column
const void *checkpoint_find(const checkpoint *c, const char *name, int64_t rows, int64_t columns);

/* ---- weights.c ------------------------------------------------------------------------------ */
typedef struct gpu {
    cuc_device *device;
    cuc_stream *stream;
    cuc_buffer **buffers; // [count]: all memory
    size_t count;
} gpu;

// Allocate memory that the program keeps to its end.
cuc_tensor tensor_new(gpu *g, cuc_dtype dtype, int32_t rank, const int64_t *shape);
// Compile a kernel of the library or of a .tile file, with constants such as "D=128 H=32".
__attribute__((format(printf, 2, 3))) cuc_kernel *kernel_new(const char *name, const char *format,
                                                             ...);

// A matrix of a layer, [n][k]: y = x w'.
typedef struct matrix {
    int64_t n, k;
    cuc_tensor w;     // bf16 [n][k], or i32 [n][k / 8]: 8 weights in a word
    cuc_tensor scale; // of 4-bit weights, bf16 [n][k / 128]; otherwise w
} matrix;

enum { QKV, OUT, GATE_UP, DOWN, MATRICES, HEAD = MATRICES, PLANS };
typedef struct layer {
    cuc_tensor attention_norm, mlp_norm;
    matrix m[MATRICES];
} layer;

typedef struct weights {
    cuc_tensor embedding, norm;
    layer *layers;
    matrix head;
    uint64_t step_bytes; // that a step of decoding reads
} weights;

weights weights_load(gpu *g, const config *c, const checkpoint *from, int four_bit, int progress);

/* ---- model.c -------------------------------------------------------------------------------- */
typedef struct sampling {
    float temperature, top_p;
    int32_t top_k;
    int64_t seed;
} sampling;

// The tokens of all prompts, one prompt after another.
typedef struct prompts {
    int64_t count, rows, longest; // prompts, tokens, and tokens of the longest prompt
    int32_t *token, *position, *sequence, *offsets; // [rows], and [count + 1]: where prompts begin
} prompts;

// Tokens that go through the network together: those of all prompts, or the newest of each.
typedef struct pass {
    int64_t rows, longest; // all tokens, and those of the longest prompt; 0: decoding
    cuc_tensor token, position, sequence; // i32 [rows]
    cuc_tensor x, h, rstd, qkv, o, gate_up, act;
    cuc_gemm_plan *plan[PLANS]; // or, for one row or 4-bit weights:
    cuc_kernel *product[PLANS];
    cuc_attention_plan *attention;
    cuc_tensor workspace; // of attention
} pass;

typedef struct model {
    gpu *g;
    config c;
    weights w;
    int64_t batch, capacity; // sequences, and tokens of each at most
    cuc_launch_config launch;
    cuc_kernel *embedding, *rms_norm, *swiglu, *rope, *begin, *sample;
    cuc_tensor cosine, sine, *keys, *values, page_table; // keys: [position][key head][width]
    cuc_tensor offsets, last;           // i32: where prompts begin among the rows; their last rows
    cuc_tensor token, position, length; // i32 [batch]: the newest token, and where it is
    cuc_tensor history;                 // i32 [batch][capacity]: tokens
    cuc_tensor logits;
    cuc_tensor workspace; // of products
    pass prefill, decode;
} model;

// capacity: tokens of a sequence at most, with the new ones
model model_new(gpu *g, const config *c, weights w, const prompts *p, int64_t capacity);
void model_prefill(model *m, const prompts *prompts, const sampling *s);
cuc_graph_exec *model_capture(model *m, const sampling *s); // a step of decoding

#endif
