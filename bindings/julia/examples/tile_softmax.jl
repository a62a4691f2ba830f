# A softmax of columns as a tile program: launched with Julia arrays, interpreted without a device.
using CuCore

const SOURCE = """
kernel softmax(x: f32[M, N], y: f32[M, N])
    const BM = 256
    where M <= BM
    grid N
{
    column = block(0)
    v = load(x, [0, column], [BM, 1], pad=-inf)
    e = exp(v - max(v))
    store(y, [0, column], e / sum(e))
}
"""

program = Program(SOURCE; kind = :tile, name = "softmax.tile")
softmax = kernel(compile(program), "softmax")
x = Float32[(37i % 101) / 25 for i in 1:200, j in 1:64]

result = Stream() do stream
    dx, dy = DeviceArray(stream, x), DeviceArray{Float32}(stream, size(x))
    launch(stream, softmax, Tensor(dx), Tensor(dy)) # M and N come from the tensors
    Array(stream, dy)
end

reference = zeros(Float32, size(x))
interpret(program, "softmax", Tensor(x), Tensor(reference)) # needs neither a driver nor a compiler
worst = maximum(abs.(result .- reference) ./ reference)
println("softmax of $(size(x, 2)) columns on $(name(Device())), largest relative error $worst")
exit(worst < 1e-6 && all(s -> isapprox(s, 1; atol = 1e-5), sum(result; dims = 1)) ? 0 : 1)
