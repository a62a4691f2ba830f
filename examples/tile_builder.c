// Turns a formula given at run time into one kernel, built with calls instead of source text.
#include "example.h"

#include <math.h>
#include <string.h>

enum { N = 10000, MOST = 16 };

#define K CUC_HERE(program)

// The available functions by name, generated from the header's lists.
static const struct {
    const char *name;
    cuc_tile (*build)(cuc_tile_program *, const char *, uint32_t, cuc_tile);
} functions[] = {
#define ROW(function, op, text) { &#function[sizeof("cuc_tile_") - 1], function },
    CUC_TILE_UNARY_LIST(ROW)
};

// Parse postfix notation with x, y, numbers, +, * and functions. The program records mistakes as
// errors.
static cuc_tile formula(cuc_tile_program *program, const char *text, cuc_tile x, cuc_tile y)
{
    cuc_tile stack[MOST] = { 0 };
    int at = 1, read = 0;
    char word[32];

    for (; at < MOST - 1 && sscanf(text, "%31s%n", word, &read) == 1; text += read) {
        if (strcmp(word, "x") == 0 || strcmp(word, "y") == 0) {
            stack[++at] = *word == 'x' ? x : y;
        } else if ((*word == '+' || *word == '*') && at-- > 1) {
            stack[at] = (*word == '+' ? cuc_tile_add : cuc_tile_mul)(K, stack[at], stack[at + 1]);
        } else if (strspn(word, ".0123456789") == strlen(word)) {
            stack[++at] = cuc_tile_float(K, atof(word));
        } else {
            for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
                if (strcmp(functions[i].name, word) == 0)
                    stack[at] = functions[i].build(K, stack[at]);
        }
    }
    return stack[at];
}

int main(void)
{
    static float in[N], out[N];
    CUC_SCOPED(cuc_tile_program, program);
    CUC_SCOPED(cuc_program, compiled);
    cuc_tensor tensors[2];
    const char *source;
    int wrong = 0;

    CUC_MUST(cuc_tile_program_create(&program));
    cuc_tile_kernel_begin(K, "fused");
    cuc_tile_grid(K, "cdiv(N, 1024)");
    cuc_tile from = cuc_tile_tensor(K, "from", CUC_F32, "N"), i = cuc_tile_block(K, 0);
    cuc_tile to = cuc_tile_tensor(K, "to", CUC_F32, "N");
    cuc_tile x = cuc_tile_load(K, from, CUC_TILES(i), CUC_SHAPE(1024), NULL);
    cuc_tile y = cuc_tile_load(K, to, CUC_TILES(i), CUC_SHAPE(1024), NULL);
    cuc_tile_store(K, to, CUC_TILES(i), formula(program, "x y * 0.5 x * tanh +", x, y), NULL);
    cuc_tile_kernel_end(K);
    CUC_MUST(cuc_tile_program_finish(&source, program)); // reports the errors of all calls above
    printf("%s", source);
    // From here on it is an ordinary tile program; this one runs on the CPU.
    CUC_MUST(cuc_program_create(&compiled, CUC_SOURCE_TILE, source, 0, NULL));
    for (int n = 0; n < N; n++)
        in[n] = out[n] = (float)n / N;
    CUC_MUST(cuc_tensor_from_pointer(&tensors[0], (cuc_device_ptr)(uintptr_t)in, CUC_F32,
                                     CUC_SHAPE(N), -1));
    CUC_MUST(cuc_tensor_from_pointer(&tensors[1], (cuc_device_ptr)(uintptr_t)out, CUC_F32,
                                     CUC_SHAPE(N), -1));
    const cuc_arg args[] = { CUC_ARG(&tensors[0]), CUC_ARG(&tensors[1]) };
    CUC_MUST(cuc_tile_interpret(compiled, "fused", args, 2, NULL));
    for (int n = 0; n < N; n++)
        wrong += fabsf(out[n] - (in[n] * in[n] + tanhf(0.5f * in[n]))) > 1e-6f;
    printf("%d elements, %d of them wrong\n", N, wrong);
    return wrong ? 1 : 0;
}
