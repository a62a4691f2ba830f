// Computes a row softmax with a tile program: launches it with tensors, and interprets it without a
// device.
#include <cmath>

#include "example.hpp"

static const char source[] = R"(kernel softmax(x: f32[M, N], y: f32[M, N])
    const BN = 256
    where N <= BN
    grid M
{
    row = block(0)
    v = load(x, [row, 0], [_, BN], pad=-inf)
    e = exp(v - max(v))
    store(y, [row, 0], e / sum(e))
}
)";

static bool softmax()
{
    constexpr size_t rows = 64, columns = 200;
    const std::vector<int64_t> shape = { rows, columns };
    std::vector<float> x(rows * columns), reference(x.size());

    for (size_t i = 0; i < x.size(); i++)
        x[i] = static_cast<float>(i * 37 % 101) / 25;

    auto options = cuc::options<cuc_program_options>();
    options.name = "softmax.tile";
    const cuc::program program(CUC_SOURCE_TILE, source, options);

    const cuc::device device;
    const cuc::stream stream(device);
    const cuc::array<float> dx(stream, x), dy(stream, x.size());
    const cuc::tensor tx(dx, shape), ty(dy, shape);
    const cuc::kernel kernel = program.compile().kernel("softmax");
    cuc::launch(stream, cuc::own_grid, kernel, tx, ty); // M and N come from the tensors

    // The interpreter needs neither a driver nor a compiler.
    cuc::interpret(program, "softmax", cuc::tensor::host(x.data(), shape),
                   cuc::tensor::host(reference.data(), shape));

    double worst = 0;
    const std::vector<float> result = dy.read(stream);
    for (size_t i = 0; i < result.size(); i++)
        worst = std::fmax(worst, std::fabs(result[i] - reference[i]) / reference[i]);
    std::printf("softmax of %zu rows on %s, largest relative error %g\n", rows,
                device.name().c_str(), worst);
    return worst < 1e-6;
}

int main()
{
    return run_example(softmax);
}
