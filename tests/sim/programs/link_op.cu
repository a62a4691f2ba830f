// A device function compiled apart.
__device__ double operation(double a, double b)
{
    return a * a + b;
}
