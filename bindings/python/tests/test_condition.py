"""Tests conditional nodes: graphs that branch on the device."""
import unittest

import cucore
from cucore import GraphCondition, LaunchConfig
from cucore import graph as graphs
from support import ROOT, DeviceTest, kernel

# Kernel `set` assigns the condition. Kernel `count` does x[0] += 1 and sets the condition to
# whether x[0] is below a limit.
PTX = """
.version 7.8
.target sm_80
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry set(.param .u64 c, .param .u32 v)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    .param .b64 handle;
    .param .b32 value;
    ld.param.u64 %d1, [c];
    ld.param.u32 %r1, [v];
    st.param.b64 [handle], %d1;
    st.param.b32 [value], %r1;
    call.uni cudaGraphSetConditional, (handle, value);
    ret;
}
.visible .entry count(.param .u64 x, .param .u64 c, .param .u32 limit)
{
    .reg .pred %p<2>;
    .reg .b32 %r<5>;
    .reg .b64 %d<3>;
    .param .b64 handle;
    .param .b32 value;
    ld.param.u64 %d1, [x];
    ld.param.u64 %d2, [c];
    ld.param.u32 %r1, [limit];
    ld.global.u32 %r2, [%d1];
    add.u32 %r3, %r2, 1;
    st.global.u32 [%d1], %r3;
    setp.lt.u32 %p1, %r3, %r1;
    selp.u32 %r4, 1, 0, %p1;
    st.param.b64 [handle], %d2;
    st.param.b32 [value], %r4;
    call.uni cudaGraphSetConditional, (handle, value);
    ret;
}
"""
ONE = LaunchConfig(grid=1, block=1)
DECLARED = 'extern "C" __device__ void cudaGraphSetConditional(unsigned long long condition, unsigned value);\n'


class Conditions(DeviceTest):
    def setUp(self):
        super().setUp()
        code = cucore.ObjectCode.from_ptx(PTX.encode())
        self.set, self.count = code.get_kernel("set"), code.get_kernel("count")
        self.x = self.device.allocate(16, stream=self.stream)
        self.x.fill(0, stream=self.stream)
        self.stream.sync()

    def values(self, graph):
        graph.instantiate().launch(self.stream)
        return self.read(self.x, "I")

    def test_a_body_runs_or_does_not(self):
        for value, right in ((1, [5, 0]), (0, [0, 6])):
            self.x.fill(0, stream=self.stream)
            graph = cucore.Graph(self.device)
            first, second = graph.create_condition(), graph.create_condition(default_value=7)
            ahead = graph.launch(ONE, self.set, first, value)
            node = ahead.if_else(first)
            node.then.memset(self.x[:4], b"\5\0\0\0", 1)
            node.else_.memset(self.x[4:8], b"\6\0\0\0", 1)
            behind = node.if_then(second)
            behind.then.memset(self.x[8:12], b"\1\0\0\0", 1)
            self.assertEqual(self.values(graph)[:3], [*right, 1])
            self.assertIsInstance(node, graphs.IfElseNode)
            self.assertEqual((node.type, node.cond_type, node.condition), (13, "if", first))
            self.assertEqual(behind.pred, {node})

    def test_a_loop_runs_until_its_kernel_ends_it(self):
        graph = cucore.Graph(self.device)
        more = graph.create_condition(default_value=1)
        loop = graph.while_loop(more)
        loop.body.launch(ONE, self.count, self.x, more, 5)
        loop.memset(self.x[4:8], b"\2\0\0\0", 1)
        run = graph.instantiate()
        run.launch(self.stream)
        self.assertEqual(self.read(self.x, "I")[:2], [5, 2])
        self.assertEqual(graph.node_count, 2)
        self.assertEqual(loop.body.node_types, ["kernel"])

    def test_one_of_several_runs(self):
        for value, right in ((0, [1, 0, 0]), (2, [0, 0, 3]), (9, [0, 0, 0])):
            self.x.fill(0, stream=self.stream)
            graph = cucore.Graph(self.device)
            which = graph.create_condition(default_value=value)
            node = graph.switch(which, 3)
            for i, branch in enumerate(node.branches):
                branch.memset(self.x[4 * i:4 * i + 4], bytes([i + 1, 0, 0, 0]), 1)
            self.assertEqual(self.values(graph)[:3], right)

    def test_builders_give_builders(self):
        builder = self.device.create_graph_builder().begin_building()
        more = builder.create_condition(default_value=1)
        cucore.launch(builder, ONE, self.set, more, 1)
        body = builder.while_loop(more).begin_building()
        cucore.launch(body, ONE, self.count, self.x, more, 3)
        body.end_building()
        which = builder.create_condition(default_value=1)
        for i, branch in enumerate(builder.switch(which, 2)):
            branch.begin_building()
            self.x[4 + 4 * i:8 + 4 * i].fill(b"\1\0\0\0", stream=branch)
            branch.end_building()
        builder.end_building().complete().launch(self.stream)
        self.assertEqual(self.read(self.x, "I")[:3], [3, 0, 1])

    def test_captures_give_graphs(self):
        with self.stream.capture() as capture:
            then, otherwise = capture.if_else(capture.create_condition(default_value=0))
            once = capture.if_then(capture.create_condition(default_value=1))
            more = capture.create_condition(default_value=1)
            loop = capture.while_loop(more)
            first, = capture.switch(capture.create_condition(default_value=0), 1)
        then.memset(self.x[:4], b"\1\0\0\0", 1)
        otherwise.memset(self.x[:4], b"\2\0\0\0", 1)
        once.memset(self.x[4:8], b"\3\0\0\0", 1)
        loop.launch(ONE, self.count, self.x[8:12], more, 4)
        first.memset(self.x[12:], b"\5\0\0\0", 1)
        self.assertEqual(self.values(capture.graph), [2, 3, 4, 5])

    def test_a_cuda_kernel_declares_the_setter(self):
        self.assertIn(DECLARED, (ROOT / "docs/python.md").read_text())
        step = kernel(DECLARED + """
extern "C" __global__ void step(unsigned *x, unsigned long long more)
{
    cudaGraphSetConditional(more, ++*x < 5);
}
""", "step")
        graph = cucore.Graph(self.device)
        more = graph.create_condition(default_value=1)
        graph.while_loop(more).body.launch(ONE, step, self.x, more)
        self.assertEqual(self.values(graph)[0], 5)

    def test_a_condition_belongs_to_one_graph(self):
        graph = cucore.Graph(self.device)
        one, other = graph.create_condition(), graph.create_condition()
        self.assertNotEqual(one, other)
        self.assertEqual(int(one), one.handle)
        self.assertIn(one, {one})
        with self.assertRaisesRegex(RuntimeError, "create_condition"):
            GraphCondition()
        with self.assertRaises(cucore.CUDAError):
            graph.switch(one, 0)
        with self.assertRaises(cucore.CUDAError):
            self.device.create_graph_builder().create_condition()


if __name__ == "__main__":
    unittest.main()
