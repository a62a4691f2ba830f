#include "base/array.h"
#include "find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off

// Sonames of libraries whose major version equals CUDA's, and of libraries whose version is one
// lower.
#define CUDA_MAJOR(file) file ".so.13 " file ".so.12"
#define ONE_BEHIND(file) file ".so.12 " file ".so.11"

// The wheels of CUDA 13 share one folder; each wheel of CUDA 12 has its own.
#define WHEEL_LIB(cuda12) "nvidia/cu13/lib nvidia/" cuda12 "/lib"
#define WHEEL_EITHER "nvidia/cu13/lib nvidia/cu12/lib"

#define NPP(file) \
    { file, CUDA_MAJOR("lib" file), WHEEL_LIB("npp"), .depends = "nppc", \
      .pip = "nvidia-npp", .package = "libnpp-13-0" }

static const cuc__library_row libraries[] = {
    // Driver libraries.
    { .name = "cuda", .sonames = "libcuda.so.1" },
    { .name = "nvml", .sonames = "libnvidia-ml.so.1" },
    { .name = "nvcudla", .sonames = "libnvcudla.so" },

    // Compilers and linkers. NVRTC opens its built-in headers by bare soname. The loader resolves
    // such a name only if it already knows the folder or has loaded the file.
    { "nvrtc", CUDA_MAJOR("libnvrtc"), WHEEL_LIB("cuda_nvrtc"), .beside = "libnvrtc-builtins.so.",
      .pip = "nvidia-cuda-nvrtc", .package = "cuda-nvrtc-13-0" },
    { "nvjitlink", CUDA_MAJOR("libnvJitLink"), WHEEL_LIB("nvjitlink"),
      .pip = "nvidia-nvjitlink", .package = "libnvjitlink-13-0" },
    { "nvfatbin", CUDA_MAJOR("libnvfatbin"), WHEEL_LIB("nvfatbin"),
      .pip = "nvidia-nvfatbin", .package = "libnvfatbin-13-0" },
    { "nvvm", "libnvvm.so.4", "nvidia/cu13/lib nvidia/cuda_nvcc/nvvm/lib64",
      .toolkit = "nvvm/lib64", .pip = "nvidia-nvvm", .package = "libnvvm-13-0" },

    // The runtime. A program that links it statically and exports its symbols uses its own copy.
    { "cudart", CUDA_MAJOR("libcudart"), WHEEL_LIB("cuda_runtime"), .symbol = "cudaGetKernel",
      .pip = "nvidia-cuda-runtime", .package = "cuda-cudart-13-0" },

    // Mathematics.
    { "cublas", CUDA_MAJOR("libcublas"), WHEEL_LIB("cublas"), .depends = "cublasLt",
      .pip = "nvidia-cublas", .package = "libcublas-13-0" },
    { "cublasLt", CUDA_MAJOR("libcublasLt"), WHEEL_LIB("cublas"),
      .pip = "nvidia-cublas", .package = "libcublas-13-0" },
    { "nvblas", CUDA_MAJOR("libnvblas"), WHEEL_LIB("cublas"), .depends = "cublasLt cublas",
      .pip = "nvidia-cublas", .package = "libcublas-13-0" },
    { "cufft", ONE_BEHIND("libcufft"), WHEEL_LIB("cufft"),
      .pip = "nvidia-cufft", .package = "libcufft-13-0" },
    { "cufftw", ONE_BEHIND("libcufftw"), WHEEL_LIB("cufft"), .depends = "cufft",
      .pip = "nvidia-cufft", .package = "libcufft-13-0" },
    { "curand", "libcurand.so.10", WHEEL_LIB("curand"),
      .pip = "nvidia-curand", .package = "libcurand-13-0" },
    { "cusolver", ONE_BEHIND("libcusolver"), WHEEL_LIB("cusolver"),
      .depends = "nvjitlink cusparse cublasLt cublas",
      .pip = "nvidia-cusolver", .package = "libcusolver-13-0" },
    { "cusolverMg", ONE_BEHIND("libcusolverMg"), WHEEL_LIB("cusolver"),
      .depends = "nvjitlink cublasLt cublas",
      .pip = "nvidia-cusolver", .package = "libcusolver-13-0" },
    { "cusparse", "libcusparse.so.12", WHEEL_LIB("cusparse"), .depends = "nvjitlink",
      .pip = "nvidia-cusparse", .package = "libcusparse-13-0" },
    { "nppc", CUDA_MAJOR("libnppc"), WHEEL_LIB("npp"),
      .pip = "nvidia-npp", .package = "libnpp-13-0" },
    NPP("nppial"), NPP("nppicc"), NPP("nppidei"), NPP("nppif"), NPP("nppig"), NPP("nppim"),
    NPP("nppist"), NPP("nppisu"), NPP("nppitc"), NPP("npps"),

    // Files, images and measurement.
    { "cufile", "libcufile.so.0", WHEEL_LIB("cufile"),
      .pip = "nvidia-cufile", .package = "libcufile-13-0" },
    { "nvjpeg", CUDA_MAJOR("libnvjpeg"), WHEEL_LIB("nvjpeg"),
      .pip = "nvidia-nvjpeg", .package = "libnvjpeg-13-0" },
    { "cupti", CUDA_MAJOR("libcupti"), WHEEL_LIB("cuda_cupti"), .toolkit = "extras/CUPTI/lib64",
      .pip = "nvidia-cuda-cupti", .package = "cuda-cupti-13-0" },
    { "cudla", "libcudla.so.1", .wheels = "nvidia/cu13/lib" },

    // Not in the toolkit.
    { "cudnn", "libcudnn.so.9", "nvidia/cudnn/lib", .depends = "cublasLt",
      .pip = "nvidia-cudnn-cu13", .package = "libcudnn9-cuda-13" },
    { "nccl", "libnccl.so.2", "nvidia/nccl/lib", .pip = "nvidia-nccl-cu13", .package = "libnccl2" },
    { "nvshmem_host", "libnvshmem_host.so.3", "nvidia/nvshmem/lib", .pip = "nvidia-nvshmem-cu13" },
    { "cublasmp", "libcublasmp.so.0", "nvidia/cublasmp/cu13/lib nvidia/cublasmp/cu12/lib",
      .depends = "cublasLt cublas nvshmem_host", .pip = "nvidia-cublasmp-cu13" },
    { "cufftMp", ONE_BEHIND("libcufftMp"), "nvidia/cufftmp/cu13/lib nvidia/cufftmp/cu12/lib",
      .depends = "nvshmem_host", .pip = "nvidia-cufftmp-cu13" },
    { "cusolverMp", "libcusolverMp.so.0", WHEEL_EITHER, .depends = "cudart cublas cusolver nccl",
      .pip = "nvidia-cusolvermp-cu13" },
    { "cudss", "libcudss.so.0", WHEEL_EITHER, .depends = "cublasLt cublas",
      .pip = "nvidia-cudss-cu13" },
    { "mathdx", "libmathdx.so.0", WHEEL_EITHER, .depends = "nvrtc",
      .pip = "nvidia-libmathdx-cu13" },
    { "cusparseLt", "libcusparseLt.so.0", WHEEL_LIB("cusparselt"),
      .pip = "nvidia-cusparselt-cu13" },
    { "cutensor", "libcutensor.so.2", "cutensor/lib", .depends = "cublasLt",
      .pip = "cutensor-cu13" },
    { "cutensorMg", "libcutensorMg.so.2", "cutensor/lib", .depends = "cublasLt cutensor",
      .pip = "cutensor-cu13" },
    { "cutensorMp", "libcutensorMp.so.2", "cutensor/lib",
      .depends = "cublasLt cudart cutensor nccl", .pip = "cutensor-cu13" },
    { "cutensornet", "libcutensornet.so.2", "cuquantum/lib", .depends = "cutensor cublas cusolver",
      .pip = "cutensornet-cu13" },
    { "custatevec", "libcustatevec.so.1", "cuquantum/lib", .depends = "cublasLt cublas",
      .pip = "custatevec-cu13" },
    { "cudensitymat", "libcudensitymat.so.0", "cuquantum/lib",
      .depends = "nvjitlink cublasLt cublas curand cusparse cusolver cutensor cutensornet",
      .pip = "cudensitymat-cu13" },
    { "cupauliprop", "libcupauliprop.so.0", "cuquantum/lib", .pip = "cupauliprop-cu13" },
    { "custabilizer", "libcustabilizer.so.0", "cuquantum/lib", .pip = "custabilizer-cu13" },
    { "nvpl_fftw", "libnvpl_fftw.so.0", "nvpl/lib", .pip = "nvpl-fft" },
};

#define WHEEL_INC(cuda12) "nvidia/cu13/include nvidia/" cuda12 "/include"
#define WHEEL_INC_EITHER "nvidia/cu13/include nvidia/cu12/include"

static const cuc__header_row headers[] = {
    // Headers for compiling CUDA C++.
    { "cuda", "cuda.h", WHEEL_INC("cuda_runtime"),
      .pip = "nvidia-cuda-runtime", .package = "cuda-cudart-dev-13-0" },
    { "cudart", "cuda_runtime.h", WHEEL_INC("cuda_runtime"),
      .pip = "nvidia-cuda-runtime", .package = "cuda-cudart-dev-13-0" },
    // The runtime's wheels already contain some of these.
    { "crt", "crt/mma.h", WHEEL_INC("cuda_nvcc"),
      .pip = "nvidia-cuda-crt", .package = "cuda-crt-13-0" },
    { "cccl", "cuda/std/version", WHEEL_INC("cuda_cccl"), .within = "cccl",
      .pip = "nvidia-cuda-cccl", .package = "cuda-cccl-13-0" },
    { "nvcc", "fatbinary_section.h", WHEEL_INC("cuda_nvcc"),
      .pip = "nvidia-cuda-nvcc", .package = "cuda-nvcc-13-0" },
    { "nvrtc", "nvrtc.h", WHEEL_INC("cuda_nvrtc"),
      .pip = "nvidia-cuda-nvrtc", .package = "cuda-nvrtc-dev-13-0" },
    { "nvjitlink", "nvJitLink.h", WHEEL_INC("nvjitlink"),
      .pip = "nvidia-nvjitlink", .package = "libnvjitlink-dev-13-0" },
    { "nvfatbin", "nvFatbin.h", WHEEL_INC("nvfatbin"),
      .pip = "nvidia-nvfatbin", .package = "libnvfatbin-dev-13-0" },
    { "nvvm", "nvvm.h", "nvidia/cu13/include nvidia/cuda_nvcc/nvvm/include",
      .toolkit = "nvvm/include", .pip = "nvidia-nvvm", .package = "libnvvm-13-0" },
    { "nvml", "nvml.h", WHEEL_INC("nvml_dev"),
      .pip = "nvidia-nvml-dev", .package = "cuda-nvml-dev-13-0" },
    { "profiler", "cuda_profiler_api.h", WHEEL_INC("cuda_profiler_api"),
      .pip = "nvidia-cuda-profiler-api", .package = "cuda-profiler-api-13-0" },
    { "cupti", "cupti.h", WHEEL_INC("cuda_cupti"), .toolkit = "extras/CUPTI/include",
      .pip = "nvidia-cuda-cupti", .package = "cuda-cupti-dev-13-0" },
    { "nvtx", "nvtx3/nvToolsExt.h", WHEEL_INC("nvtx"),
      .pip = "nvidia-nvtx", .package = "cuda-nvtx-13-0" },

    // Headers of libraries.
    { "cublas", "cublas.h", WHEEL_INC("cublas"),
      .pip = "nvidia-cublas", .package = "libcublas-dev-13-0" },
    { "cufft", "cufft.h", WHEEL_INC("cufft"),
      .pip = "nvidia-cufft", .package = "libcufft-dev-13-0" },
    { "curand", "curand.h", WHEEL_INC("curand"),
      .pip = "nvidia-curand", .package = "libcurand-dev-13-0" },
    { "cusolver", "cusolverDn.h", WHEEL_INC("cusolver"),
      .pip = "nvidia-cusolver", .package = "libcusolver-dev-13-0" },
    { "cusparse", "cusparse.h", WHEEL_INC("cusparse"),
      .pip = "nvidia-cusparse", .package = "libcusparse-dev-13-0" },
    { "npp", "npp.h", WHEEL_INC("npp"), .pip = "nvidia-npp", .package = "libnpp-dev-13-0" },
    { "cufile", "cufile.h", WHEEL_INC("cufile"),
      .pip = "nvidia-cufile", .package = "libcufile-dev-13-0" },
    { "nvjpeg", "nvjpeg.h", WHEEL_INC("nvjpeg"),
      .pip = "nvidia-nvjpeg", .package = "libnvjpeg-dev-13-0" },
    { "cudla", "cudla.h", .wheels = "nvidia/cu13/include" },

    // Not in the toolkit.
    { "cudnn", "cudnn.h", "nvidia/cudnn/include",
      .pip = "nvidia-cudnn-cu13", .package = "libcudnn9-dev-cuda-13" },
    { "nccl", "nccl.h", "nvidia/nccl/include",
      .pip = "nvidia-nccl-cu13", .package = "libnccl-dev" },
    { "nvshmem", "nvshmem.h", "nvidia/nvshmem/include", .pip = "nvidia-nvshmem-cu13" },
    { "cusolverMp", "cusolverMp.h", WHEEL_INC_EITHER, .pip = "nvidia-cusolvermp-cu13" },
    { "cudss", "cudss.h", WHEEL_INC_EITHER, .pip = "nvidia-cudss-cu13" },
    { "mathdx", "libmathdx.h", WHEEL_INC_EITHER, .pip = "nvidia-libmathdx-cu13" },
    { "cusparseLt", "cusparseLt.h", WHEEL_INC("cusparselt"), .pip = "nvidia-cusparselt-cu13" },
    { "cutensor", "cutensor.h", "cutensor/include", .pip = "cutensor-cu13" },
    { "cutensornet", "cutensornet.h", "cuquantum/include", .pip = "cutensornet-cu13" },
    { "custatevec", "custatevec.h", "cuquantum/include", .pip = "custatevec-cu13" },
    { "cudensitymat", "cudensitymat.h", "cuquantum/include", .pip = "cudensitymat-cu13" },
    { "cupauliprop", "cupauliprop.h", "cuquantum/include", .pip = "cupauliprop-cu13" },
    { "custabilizer", "custabilizer.h", "cuquantum/include", .pip = "custabilizer-cu13" },
    { "cutlass", "cutlass/cutlass.h", "cutlass_library/source/include", .pip = "nvidia-cutlass" },
    { "cute", "cute/tensor.hpp", "cutlass_library/source/include", .pip = "nvidia-cutlass" },
};

// clang-format on

enum {
    LIBRARIES = CUC_LENGTH(libraries),
    HEADERS = CUC_LENGTH(headers),
};

_Static_assert((int)LIBRARIES <= (int)CUC__LIBRARY_MAX, "raise CUC__LIBRARY_MAX");

// Does not depend on the locale, unlike strcasecmp().
static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a && upper(*a) == upper(*b)) {
        a++;
        b++;
    }
    return upper(*a) == upper(*b);
}

const cuc__library_row *cuc__library_row_named(const char *name)
{
    for (size_t i = 0; i < LIBRARIES; i++)
        if (same_name(libraries[i].name, name))
            return &libraries[i];
    return NULL;
}

const cuc__header_row *cuc__header_row_named(const char *name)
{
    for (size_t i = 0; i < HEADERS; i++)
        if (same_name(headers[i].name, name))
            return &headers[i];
    return NULL;
}

const cuc__library_row *cuc__library_row_at(size_t index)
{
    return index < LIBRARIES ? &libraries[index] : NULL;
}

size_t cuc__library_index(const cuc__library_row *row)
{
    return (size_t)(row - libraries);
}

size_t cuc_find_library_count(void)
{
    return LIBRARIES;
}

const char *cuc_find_library_name(size_t index)
{
    return index < LIBRARIES ? libraries[index].name : NULL;
}

size_t cuc_find_header_count(void)
{
    return HEADERS;
}

const char *cuc_find_header_name(size_t index)
{
    return index < HEADERS ? headers[index].name : NULL;
}

bool cuc__next_word(const char **list, char *out, size_t size)
{
    if (!*list || !**list)
        return false;
    size_t length = strcspn(*list, " ");
    snprintf(out, size, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ' ');
    return true;
}

const char *cuc__alternatives(char *out, size_t size, const char *list)
{
    char word[64];
    size_t at = 0;

    out[0] = '\0';
    while (cuc__next_word(&list, word, sizeof(word)) && at < size)
        at += (size_t)snprintf(out + at, size - at, "%s%s", at ? " or " : "", word);
    return out;
}

// Writes a variable's name. The driver's variable is CUCORE_DRIVER, which is older than this table
// and so does not follow its naming.
void cuc__find_variable(char *out, size_t size, const char *name, const char *suffix)
{
    bool driver = strcmp(name, "cuda") == 0 && !*suffix;
    size_t at = (size_t)snprintf(out, size, "CUCORE_%s%s", driver ? "DRIVER" : name, suffix);

    for (size_t i = 0; i < at && i < size; i++)
        out[i] = upper(out[i]);
}

const char *cuc__find_environment(const char *name, const char *suffix)
{
    char variable[64];

    cuc__find_variable(variable, sizeof(variable), name, suffix);
    const char *value = secure_getenv(variable);
    return value && *value ? value : NULL;
}
