__device__ float combine(float a, float x, float y)
{
    return a * x + y;
}
