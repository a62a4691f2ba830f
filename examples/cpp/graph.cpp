// Captures a stream's work, launches it as one graph, and gets a callback when it completes.
#include <future>

#include "example.hpp"

static const char source[] = R"(template <class T> __global__ void scale(T *x, T by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}
)";

static bool graph()
{
    constexpr int n = 1000, launches = 3;
    const cuc::device device;
    const cuc::stream stream(device);

    // The compiler instantiates a template by name; the lookup uses the same name.
    const char *const names[] = { "scale<double>" };
    auto options = cuc::options<cuc_program_options>();
    options.name_expressions = names;
    options.name_expression_count = 1;
    const cuc::kernel scale =
        cuc::program(CUC_SOURCE_CUDA, source, options).compile().kernel(names[0]);

    const cuc::array<double> x(stream, std::vector<double>(n, 1.0));
    const cuc::config shape(4, 256);
    const cuc::graph twice = cuc::capture(stream, [&] {
        cuc::launch(stream, shape, scale, x, 2.0, n);
        cuc::launch(stream, shape, scale, x, 1.5, n);
    });
    const cuc::graph_exec exec = twice.instantiate();
    for (int i = 0; i < launches; i++)
        exec.launch(stream);

    std::promise<cuc_status> done;
    stream.when_done([&done](cuc_status status) { done.set_value(status); });
    const cuc_status status = done.get_future().get();

    std::printf("%zu nodes, launched %d times: %s, x[0] is %g\n", twice.node_count(), launches,
                cuc_status_text(status), x.read(stream)[0]);
    return status == CUC_OK && x.read(stream) == std::vector<double>(n, 27.0);
}

int main()
{
    return run_example(graph);
}
