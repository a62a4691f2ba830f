// Checks the declarations of cuBLASLt and cuDNN in bench/cases/ against the real headers. The test
// passes if this compiles.
#include "cases/cublaslt.h"
#include "cases/cudnn_abi.h"

#include <stddef.h>

#ifdef HAVE_CUBLASLT_H
#include <cublasLt.h>

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " is not " #theirs)
#define PLACE(ours, theirs)                                                                        \
    _Static_assert(offsetof(lt_choice, ours) == offsetof(cublasLtMatmulHeuristicResult_t, theirs), \
                   #ours)

SAME(LT_TRANSPOSE_A, CUBLASLT_MATMUL_DESC_TRANSA);
SAME(LT_TRANSPOSE_B, CUBLASLT_MATMUL_DESC_TRANSB);
SAME(LT_MAX_WORKSPACE_BYTES, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME(LT_ALIGNMENT_A, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME(LT_ALIGNMENT_B, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
SAME(LT_ALIGNMENT_C, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
SAME(LT_ALIGNMENT_D, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
SAME(LT_COMPUTE_F32, CUBLAS_COMPUTE_32F);
SAME(LT_COMPUTE_TF32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME(LT_F32, CUDA_R_32F);
SAME(LT_F16, CUDA_R_16F);
SAME(LT_BF16, CUDA_R_16BF);
SAME(LT_E4M3, CUDA_R_8F_E4M3);
SAME(0, CUBLAS_STATUS_SUCCESS);
SAME(0, CUBLAS_OP_N);
SAME(1, CUBLAS_OP_T);
SAME(sizeof(cublasOperation_t), sizeof(int32_t));
SAME(sizeof(lt_algorithm), sizeof(cublasLtMatmulAlgo_t));
SAME(sizeof(lt_choice), sizeof(cublasLtMatmulHeuristicResult_t));
PLACE(algorithm, algo);
PLACE(workspace_bytes, workspaceSize);
PLACE(status, state);
PLACE(waves, wavesCount);
#endif

#ifdef HAVE_CUDNN_H
#include <cudnn.h>

#define SAME_DNN(ours, theirs) \
    _Static_assert((int)(ours) == (int)(theirs), #ours " is not " #theirs)

SAME_DNN(DNN_F32, CUDNN_DATA_FLOAT);
SAME_DNN(DNN_F16, CUDNN_DATA_HALF);
SAME_DNN(DNN_BF16, CUDNN_DATA_BFLOAT16);
SAME_DNN(DNN_NCHW, CUDNN_TENSOR_NCHW);
SAME_DNN(DNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_ACCURATE);
SAME_DNN(DNN_SOFTMAX_MODE_INSTANCE, CUDNN_SOFTMAX_MODE_INSTANCE);
SAME_DNN(0, CUDNN_STATUS_SUCCESS);
#endif
