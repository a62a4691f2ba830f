// A separately compiled device function.
__device__ double operation(double a, double b)
{
    return a * a + b;
}
