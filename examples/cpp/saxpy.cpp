// SAXPY, y = a * x + y: from CUDA C++ source to a checked result, with error messages.
#include <algorithm>
#include <cmath>

#include "example.hpp"

static const char source[] = R"(extern "C" __global__
void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
)";

static bool saxpy()
{
    constexpr int n = 1 << 20;
    std::vector<float> x(n), y(n);
    const cuc::device device;
    const cuc::stream stream(device);

    for (int i = 0; i < n; i++) {
        x[static_cast<size_t>(i)] = static_cast<float>(i) / n;
        y[static_cast<size_t>(i)] = 1 - static_cast<float>(i) / n;
    }
    const cuc::kernel kernel =
        cuc::program(CUC_SOURCE_CUDA, source).compile().kernel("saxpy"); // keeps its object alive
    const cuc::array<float> dx(stream, x), dy(stream, y);

    cuc::launch(stream, cuc::config((n + 255) / 256, 256), kernel, 2.0f, dx, dy, n);

    const std::vector<float> result = dy.read(stream);
    double worst = 0;
    for (size_t i = 0; i < result.size(); i++)
        worst = std::max(worst, std::fabs(result[i] - (2.0 * x[i] + y[i])));
    std::printf("%d elements on %s, max error %g\n", n, device.name().c_str(), worst);

    // The launch checks arguments against the kernel first.
    try {
        cuc::launch(stream, cuc::config(n / 256, 256), kernel, 2.0, dx, dy, n);
    } catch (const cuc::error &refused) {
        std::printf("%s\n", refused.what());
        return worst <= 0x1p-24; // 2 * x is exact; the sum, between 1 and 2, is rounded once
    }
    return false;
}

int main()
{
    return run_example(saxpy);
}
