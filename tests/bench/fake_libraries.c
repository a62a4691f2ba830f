// Replaces libcublasLt and libcudnn on machines without a GPU. It has the functions that the
// benchmarks call, and computes them on the host in stream order, because the simulated device's
// memory is memory of the process.
//
// It proposes three algorithms for a product: it refuses the first when called, the second is
// right, and the third is slow. FAKE_WRONG=1 makes the last element wrong; =tile makes 8 rows and
// columns of a product wrong; =nothing makes the second algorithm write nothing; =refused makes it
// refuse all algorithms.
#include "cases/cublaslt.h"
#include "cases/cudnn_abi.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { ALGORITHMS = 3, REFUSED = 15 };

struct lt_product_object {
    int32_t transposed_a, transposed_b;
};
struct lt_matrix_object {
    int type;
    uint64_t rows, columns;
    int64_t leading, stride;
    int32_t batches;
};

// ---- Numbers, using the compiler's own types if it has them

static double load(const void *from, int64_t at, int type)
{
    uint32_t bits;
    float f;

    if (type == LT_F32)
        return (double)((const float *)from)[at];
    if (type == LT_E4M3) {
        uint8_t x = ((const uint8_t *)from)[at];
        int e = x >> 3 & 15, m = x & 7;
        double size = e ? ldexp(8 + m, e - 10) : ldexp(m, -9);
        return x & 128 ? -size : size;
    }
    uint16_t x = ((const uint16_t *)from)[at];
    if (type == LT_BF16) {
        bits = (uint32_t)x << 16;
        memcpy(&f, &bits, sizeof(f));
        return (double)f;
    }
    int e = x >> 10 & 31, m = x & 1023;
    double size = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return x & 32768 ? -size : size;
}

// Rounds to `type`, to nearest; the tests never depend on how ties are rounded.
static void store(void *to, int64_t at, int type, double value)
{
    float f = (float)value;
    uint32_t bits;
    int e;

    memcpy(&bits, &f, sizeof(bits));
    if (type == LT_F32) {
        ((float *)to)[at] = f;
    } else if (type == LT_BF16) {
        ((uint16_t *)to)[at] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    } else {
        double size = fabs(value), part = frexp(size, &e);
        int sign = value < 0 ? 32768 : 0;
        int m = e < -13 ? (int)nearbyint(ldexp(size, 24)) : (int)nearbyint(ldexp(part, 11));
        ((uint16_t *)to)[at] =
            (uint16_t)(sign | (e < -13 ? m : ((e + 13) << 10) + m)); // m carries into e
    }
}

static bool wrong_in(const char *way)
{
    const char *text = getenv("FAKE_WRONG");

    return text && strcmp(text, way) == 0;
}

static double wrong(void)
{
    return wrong_in("1") ? 1 : 0;
}

// ---- In stream order

static int enqueue(void *stream, void (*work)(void *), void *data)
{
    static int (*launch)(void *stream, void (*work)(void *), void *data);

    if (!launch) {
        void *driver = dlopen(getenv("CUCORE_DRIVER"), RTLD_NOW);
        void *symbol = driver ? dlsym(driver, "cuLaunchHostFunc") : NULL;
        memcpy(&launch, &symbol, sizeof(launch));
    }
    return launch ? launch(stream, work, data) : 1;
}

// ---- Products

typedef struct product {
    struct lt_product_object how;
    struct lt_matrix_object a, b, d;
    const void *from_a, *from_b;
    void *to;
    bool slow;
    struct product *before;
} product;

static product *products; // kept until the end, because a graph may replay them

static int64_t bytes_of(int type)
{
    return type == LT_F32 ? 4 : type == LT_E4M3 ? 1 : 2;
}

static void compute_one(const product *p)
{
    int64_t m = (int64_t)p->d.rows, n = (int64_t)p->d.columns;
    int64_t k = (int64_t)(p->how.transposed_a ? p->a.rows : p->a.columns);
    double wrong_in_tile = wrong_in("tile") ? 1 : 0;

    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            bool in_tile = i >= 20 && i < 28 && j >= 9 && j < 17;
            double sum = i == m - 1 && j == n - 1 ? wrong() : in_tile ? wrong_in_tile : 0;
            for (int64_t x = 0; x < k; x++)
                sum += load(p->from_a,
                            p->how.transposed_a ? x + i * p->a.leading : i + x * p->a.leading,
                            p->a.type) *
                       load(p->from_b,
                            p->how.transposed_b ? j + x * p->b.leading : x + j * p->b.leading,
                            p->b.type);
            store(p->to, i + j * p->d.leading, p->d.type, sum);
        }
}

static void compute(void *data)
{
    product p = *(const product *)data;

    if (p.slow)
        nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
    for (int32_t i = 0; i < p.d.batches; i++) {
        compute_one(&p);
        p.from_a = (const char *)p.from_a + p.a.stride * bytes_of(p.a.type);
        p.from_b = (const char *)p.from_b + p.b.stride * bytes_of(p.b.type);
        p.to = (char *)p.to + p.d.stride * bytes_of(p.d.type);
    }
}

#define LT(name, params) EXPORT int name params;
#include "cases/cublaslt.def"
#undef LT

int cublasLtCreate(lt_handle *handle)
{
    *handle = malloc(1);
    return 0;
}

int cublasLtDestroy(lt_handle handle)
{
    free(handle);
    return 0;
}

int cublasLtMatmulDescCreate(lt_product *out, int compute_type, int scale_type)
{
    *out = calloc(1, sizeof(**out));
    return compute_type != LT_COMPUTE_F32 && compute_type != LT_COMPUTE_TF32 ? 7 : scale_type;
}

int cublasLtMatmulDescDestroy(lt_product p)
{
    free(p);
    return 0;
}

int cublasLtMatmulDescSetAttribute(lt_product p, int attribute, const void *value, size_t bytes)
{
    if (bytes != sizeof(int32_t) || (attribute != LT_TRANSPOSE_A && attribute != LT_TRANSPOSE_B))
        return 7;
    memcpy(attribute == LT_TRANSPOSE_A ? &p->transposed_a : &p->transposed_b, value, bytes);
    return 0;
}

int cublasLtMatrixLayoutCreate(lt_matrix *out, int type, uint64_t rows, uint64_t columns,
                               int64_t leading)
{
    *out = malloc(sizeof(**out));
    **out = (struct lt_matrix_object){
        .type = type, .rows = rows, .columns = columns, .leading = leading, .batches = 1
    };
    return 0;
}

int cublasLtMatrixLayoutSetAttribute(lt_matrix matrix, int attribute, const void *value,
                                     size_t bytes)
{
    if (attribute == LT_BATCHES && bytes == sizeof(matrix->batches))
        memcpy(&matrix->batches, value, bytes);
    else if (attribute == LT_STRIDE && bytes == sizeof(matrix->stride))
        memcpy(&matrix->stride, value, bytes);
    else
        return 7;
    return 0;
}

int cublasLtMatrixLayoutDestroy(lt_matrix matrix)
{
    free(matrix);
    return 0;
}

int cublasLtMatmulPreferenceCreate(lt_preference *preference)
{
    *preference = malloc(1);
    return 0;
}

int cublasLtMatmulPreferenceDestroy(lt_preference preference)
{
    free(preference);
    return 0;
}

int cublasLtMatmulPreferenceSetAttribute(lt_preference preference, int attribute, const void *value,
                                         size_t bytes)
{
    size_t workspace;

    (void)preference;
    if (attribute >= LT_ALIGNMENT_A && attribute <= LT_ALIGNMENT_D)
        return bytes == sizeof(uint32_t) ? 0 : 7;
    memcpy(&workspace, value, sizeof(workspace));
    return attribute == LT_MAX_WORKSPACE_BYTES && bytes == sizeof(size_t) && workspace >= 32 << 20
               ? 0
               : 7;
}

// As on Hopper, products of 8-bit floats need k contiguous in both matrices, and extents that are
// multiples of 16.
int cublasLtMatmulAlgoGetHeuristic(lt_handle handle, lt_product p, lt_matrix a, lt_matrix b,
                                   lt_matrix c, lt_matrix d, lt_preference preference, int wanted,
                                   lt_choice *choices, int *count)
{
    (void)handle;
    (void)preference;
    if (c != d || wanted < ALGORITHMS)
        return 7;
    if (a->type == LT_E4M3 && (!p->transposed_a || p->transposed_b || a->rows % 16))
        return REFUSED;
    for (int i = 0; i < ALGORITHMS; i++) {
        memset(&choices[i], 0, sizeof(choices[i]));
        choices[i].algorithm.data[0] = (uint64_t)i + 1;
        choices[i].workspace_bytes = (size_t)1024 * (size_t)i;
    }
    *count = ALGORITHMS;
    return b->rows == 0;
}

int cublasLtMatmul(lt_handle handle, lt_product p, const void *alpha, const void *a,
                   lt_matrix a_matrix, const void *b, lt_matrix b_matrix, const void *beta,
                   const void *c, lt_matrix c_matrix, void *d, lt_matrix d_matrix,
                   const lt_algorithm *algorithm, void *workspace, size_t workspace_bytes,
                   void *stream)
{
    product *work = malloc(sizeof(*work));

    (void)handle;
    (void)c_matrix;
    if (!work || *(const float *)alpha != 1 || *(const float *)beta != 0 || c != d || !workspace ||
        workspace_bytes < 32 << 20 || algorithm->data[0] == 1 || wrong_in("refused")) {
        free(work);
        return REFUSED;
    }
    if (algorithm->data[0] == 2 && wrong_in("nothing")) {
        free(work);
        return 0;
    }
    *work = (product){ *p,      *a_matrix, *b_matrix, *d_matrix, a, b, d, algorithm->data[0] == 3,
                       products };
    products = work;
    return enqueue(stream, compute, work);
}

// ---- Softmax

struct dnn_handle_object {
    void *stream;
};
struct dnn_tensor_object {
    int type, rows, columns;
};

typedef struct rows {
    struct dnn_tensor_object tensor;
    const void *x;
    void *y;
} rows;

static void compute_softmax(void *data)
{
    rows *r = data;
    int type = r->tensor.type == DNN_F16 ? LT_F16 : r->tensor.type == DNN_BF16 ? LT_BF16 : LT_F32;

    for (int64_t i = 0; i < r->tensor.rows; i++) {
        int64_t at = i * r->tensor.columns;
        double sum = 0;
        for (int j = 0; j < r->tensor.columns; j++)
            sum += exp(load(r->x, at + j, type));
        for (int j = 0; j < r->tensor.columns; j++)
            store(r->y, at + j, type, (1 + wrong()) * exp(load(r->x, at + j, type)) / sum);
    }
    free(r);
}

#define DNN(name, params) EXPORT int name params;
#include "cases/cudnn.def"
#undef DNN

int cudnnCreate(dnn_handle *handle)
{
    *handle = calloc(1, sizeof(**handle));
    return 0;
}

int cudnnDestroy(dnn_handle handle)
{
    free(handle);
    return 0;
}

int cudnnSetStream(dnn_handle handle, void *stream)
{
    handle->stream = stream;
    return 0;
}

int cudnnCreateTensorDescriptor(dnn_tensor *tensor)
{
    *tensor = calloc(1, sizeof(**tensor));
    return 0;
}

int cudnnDestroyTensorDescriptor(dnn_tensor tensor)
{
    free(tensor);
    return 0;
}

int cudnnSetTensor4dDescriptor(dnn_tensor tensor, int format, int type, int n, int c, int h, int w)
{
    *tensor = (struct dnn_tensor_object){ type, n, c * h * w };
    return format != DNN_NCHW;
}

int cudnnSoftmaxForward(dnn_handle handle, int algorithm, int mode, const void *alpha,
                        dnn_tensor x_tensor, const void *x, const void *beta, dnn_tensor y_tensor,
                        void *y)
{
    rows *work = malloc(sizeof(*work));

    if (!work || algorithm != DNN_SOFTMAX_ACCURATE || mode != DNN_SOFTMAX_MODE_INSTANCE ||
        x_tensor != y_tensor || *(const float *)alpha != 1 || *(const float *)beta != 0) {
        free(work);
        return 1;
    }
    *work = (rows){ *x_tensor, x, y };
    return enqueue(handle->stream, compute_softmax, work);
}
