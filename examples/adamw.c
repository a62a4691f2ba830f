// Takes steps of AdamW on parameters in separate buffers, in one launch each, by a kernel of the
// library. A table holds the places of parameters, gradients and moments.
#include "example.h"

#include <math.h>
#include <string.h>

enum { TENSORS = 3, MOST = 5000, STEPS = 5, CHUNK = 2048 /* BN of the kernel */ };

static const int64_t lengths[TENSORS] = { 5000, 7, 2048 };
static const double lr = 1e-2, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0.1;

enum { PARAMETER, GRADIENT, FIRST_MOMENT, SECOND_MOMENT, KINDS };

// Return a tensor of f32 that begins at the lowest of some buffers and ends behind the highest.
static cuc_tensor span_of(cuc_buffer *const *buffer)
{
    cuc_device_ptr low = UINT64_MAX, high = 0;
    cuc_tensor tensor;

    for (int k = 0; k < TENSORS; k++) {
        cuc_device_ptr at = cuc_buffer_ptr(buffer[k]);
        low = at < low ? at : low;
        high = at + cuc_buffer_bytes(buffer[k]) > high ? at + cuc_buffer_bytes(buffer[k]) : high;
    }
    const int64_t shape[] = { (int64_t)(high - low) / (int64_t)sizeof(float) };
    CUC_MUST(cuc_tensor_from_pointer(&tensor, low, CUC_F32, 1, shape, 0));
    return tensor;
}

// Take the same steps in double precision.
static double expected(double p, double g)
{
    double m = 0, v = 0;

    for (int step = 1; step <= STEPS; step++) {
        m = beta1 * m + (1 - beta1) * g;
        v = beta2 * v + (1 - beta2) * g * g;
        p = p * (1 - lr * decay) -
            lr * (m / (1 - pow(beta1, step))) / (sqrt(v / (1 - pow(beta2, step))) + eps);
    }
    return p;
}

int main(void)
{
    static float parameter[TENSORS][MOST], gradient[TENSORS][MOST], zeros[MOST], got[MOST];
    const int64_t table_shape[] = { TENSORS, 5 }, first_shape[] = { TENSORS };
    cuc_device *device = example_device();
    CUC_SCOPED(cuc_program, program);
    CUC_SCOPED(cuc_object, object);
    CUC_SCOPED(cuc_kernel, kernel);
    CUC_SCOPED(cuc_stream, stream);
    CUC_SCOPED(cuc_buffer, table_buffer);
    CUC_SCOPED(cuc_buffer, first_buffer);
    cuc_buffer *buffer[KINDS][TENSORS];
    cuc_tensor span[KINDS], table_tensor, first_tensor;
    int64_t table[TENSORS][5], chunks = 0;
    int32_t first[TENSORS];
    double worst = 0;

    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    CUC_MUST(cuc_program_from_library(&program, "adamw", NULL));
    CUC_MUST(cuc_program_compile(&object, program, CUC_CODE_PTX));
    CUC_MUST(cuc_object_get_kernel(&kernel, object, "adamw"));
    for (int k = 0; k < TENSORS; k++)
        for (int64_t i = 0; i < lengths[k]; i++) {
            parameter[k][i] = (float)(i % 17 - 8) / 4;
            gradient[k][i] = (float)(i % 13 - 6) / 64;
        }
    for (int kind = 0; kind < KINDS; kind++)
        for (int k = 0; k < TENSORS; k++) {
            const float *from = kind == PARAMETER  ? parameter[k]
                                : kind == GRADIENT ? gradient[k]
                                                   : zeros;
            size_t bytes = (size_t)lengths[k] * sizeof(float);
            CUC_MUST(cuc_buffer_create(&buffer[kind][k], stream, NULL, bytes));
            CUC_MUST(cuc_buffer_write_async(stream, buffer[kind][k], 0, from, bytes));
        }

    // A row holds the distances from the spans' beginnings, in elements, and the length.
    for (int kind = 0; kind < KINDS; kind++) {
        span[kind] = span_of(buffer[kind]);
        for (int k = 0; k < TENSORS; k++)
            table[k][kind] = (int64_t)(cuc_buffer_ptr(buffer[kind][k]) - span[kind].data) /
                             (int64_t)sizeof(float);
    }
    for (int k = 0; k < TENSORS; k++) {
        table[k][KINDS] = lengths[k];
        first[k] = (int32_t)chunks;
        chunks += (lengths[k] + CHUNK - 1) / CHUNK;
    }
    CUC_MUST(cuc_buffer_create(&table_buffer, stream, NULL, sizeof(table)));
    CUC_MUST(cuc_buffer_create(&first_buffer, stream, NULL, sizeof(first)));
    CUC_MUST(cuc_buffer_write_async(stream, table_buffer, 0, table, sizeof(table)));
    CUC_MUST(cuc_buffer_write_async(stream, first_buffer, 0, first, sizeof(first)));
    CUC_MUST(cuc_tensor_from_buffer(&table_tensor, table_buffer, CUC_I64, 2, table_shape));
    CUC_MUST(cuc_tensor_from_buffer(&first_tensor, first_buffer, CUC_I32, 1, first_shape));

    for (int step = 1; step <= STEPS; step++) {
        float correction1 = (float)(1 - pow(beta1, step)),
              correction2 = (float)(1 - pow(beta2, step));
        CUC_MUST(CUC_LAUNCH(stream, NULL, kernel, &span[PARAMETER], &span[GRADIENT],
                            &span[FIRST_MOMENT], &span[SECOND_MOMENT], &table_tensor, &first_tensor,
                            chunks, (float)lr, beta1, beta2, (float)eps, (float)decay, correction1,
                            correction2));
    }
    for (int k = 0; k < TENSORS; k++) {
        CUC_MUST(cuc_buffer_read_async(stream, got, buffer[PARAMETER][k], 0,
                                       (size_t)lengths[k] * sizeof(float)));
        CUC_MUST(cuc_stream_synchronize(stream));
        for (int64_t i = 0; i < lengths[k]; i++)
            worst = fmax(worst, fabs(got[i] - expected(parameter[k][i], gradient[k][i])));
    }
    printf("%d steps of AdamW on %d tensors on %s, at most %.1g off\n", STEPS, TENSORS,
           cuc_device_name(device), worst);
    for (int kind = 0; kind < KINDS; kind++)
        for (int k = 0; k < TENSORS; k++)
            cuc_buffer_release(buffer[kind][k]);
    return worst < 1e-5 ? 0 : 1;
}
