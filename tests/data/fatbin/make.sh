#!/usr/bin/env bash
# Makes the fat binaries of this folder with CUDA 13.0's nvcc: every compression, one and several
# architectures, relocatable code, and files without PTX.
set -eu
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat > "$scratch/small.cu" <<'END'
extern "C" __global__ void scale(float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= a;
}
END
cat > "$scratch/large.cu" <<'END'
__device__ float steps(float x)
{
    for (int i = 0; i < 3; i++)
        x = x * sinf(x) + i;
    return x;
}
extern "C" __global__ void scale(float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = steps(x[i] * a);
}
END
make() { # NAME SOURCE OPTION...
    local name=$1 source=$2
    shift 2
    nvcc -fatbin "$@" -o "$name.fatbin" "$scratch/$source.cu"
}
for_80() { printf -- '-gencode=arch=compute_80,code=%s' "$1"; }
make none small --compress-mode=none "$(for_80 compute_80)"
make lz4 small --compress-mode=speed "$(for_80 compute_80)"
make lz4_large large --compress-mode=speed "$(for_80 compute_80)"
make zstd small "$(for_80 compute_80)"
make zstd_large large --compress-mode=size "$(for_80 compute_80)"
make many small --compress-mode=size "$(for_80 '[sm_80,compute_80]')" \
    '-gencode=arch=compute_90,code=[sm_90,compute_90]'
make rdc small --compress-mode=size -rdc=true "$(for_80 '[sm_80,compute_80]')"
make sm_90a small -gencode=arch=compute_90a,code=compute_90a
make sm_100f small -gencode=arch=compute_100f,code=compute_100f
make machine small --compress-mode=size "$(for_80 sm_80)"
make lto small --compress-mode=size "$(for_80 lto_80)"
