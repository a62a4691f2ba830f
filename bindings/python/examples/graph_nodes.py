"""Builds a graph node by node, with two branches that join, and launches it many times."""
import array

from cucore import Device, Graph, LaunchConfig, ObjectCode

PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 p, .param .u64 q)
{
    .reg .b64 %d<7>;
    .reg .b32 %r<2>;
    .reg .f32 %f<4>;
    ld.param.u64 %d1, [p];
    ld.param.u64 %d2, [q];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d3, %r1, 4;
    add.s64 %d4, %d1, %d3;
    add.s64 %d5, %d2, %d3;
    ld.global.f32 %f1, [%d4];
    ld.global.f32 %f2, [%d5];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%d4], %f3;
    ret;
}
"""
N, TURNS = 32, 5

device = Device()
stream = device.create_stream()
add = ObjectCode.from_ptx(PTX).get_kernel("add")
config = LaunchConfig(grid=1, block=N)
total, step, seen = (device.allocate(4 * N, stream=stream) for _ in range(3))
for buffer in (total, seen):
    buffer.fill(0, stream=stream)

graph = Graph(device)
ones = graph.memset(step, array.array("f", [1.0]).tobytes(), N)  # N times 1.0
left = ones.launch(config, add, total, step)
right = ones.launch(config, add, seen, step)
counted = []
both = left.join(right).launch(config, add, total, seen)
both.callback(counted.append, user_data="a turn")

run = graph.instantiate()
for _ in range(TURNS):
    run.launch(stream)
result = array.array("f", bytes(4 * N))
total.copy_to(result, stream=stream)
stream.sync()
# After iteration t, `seen` is t, and `total` has grown by 1 + t.
assert list(result) == [sum(1 + t for t in range(1, TURNS + 1))] * N
assert len(counted) == TURNS
print(f"{graph.node_count} nodes, {len(graph.edges())} edges, launched {TURNS} times: {result[0]:g}")
