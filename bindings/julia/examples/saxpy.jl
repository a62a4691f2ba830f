# SAXPY, y = a * x + y: from CUDA C++ source to a checked result, with error messages.
using CuCore

const SOURCE = """
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""
const N = 1 << 20

device = Device()
saxpy = kernel(compile(Program(SOURCE; name = "saxpy.cu", arch = arch(device))), "saxpy")
x = Float32[i / N for i in 0:N-1]
y = 1 .- x

result = Stream(device) do stream
    dx, dy = DeviceArray(stream, x), DeviceArray(stream, y)
    launch(stream, saxpy, 2.0f0, dx, dy, Int32(N); grid = cld(N, 256), block = 256)
    Array(stream, dy)
end

worst = maximum(abs.(Float64.(result) .- (2.0 .* x .+ y)))
println("$N elements on $(name(device)), max error $worst")

# A launch checks its arguments against the kernel before anything runs.
refused = try
    Stream(stream -> launch(stream, saxpy, 2.0; grid = 1, block = 256), device)
    false
catch failure
    println(failure.message)
    failure isa CuError
end
exit(worst <= 2.0^-24 && refused ? 0 : 1) # 2x is exact; the sum, between 1 and 2, is rounded once
