"""Graphs: captured, by builders as cuda.core has them, and node by node."""
import gc
import os
import tempfile
import threading
import time
import unittest
import weakref

import cucore
from cucore import EventOptions, Graph, LaunchConfig, graph, host_launch, launch
from support import DeviceTest, kernel

SOURCE = r"""
extern "C" __global__ void affine(float *x, float a, float b)
{
    x[threadIdx.x] = a * x[threadIdx.x] + b;
}
"""
ONE = LaunchConfig(1, 4)


class GraphTest(DeviceTest):
    def setUp(self):
        super().setUp()
        self.affine = kernel(SOURCE, "affine")
        self.x = self.floats([1] * 4)
        self.stream.sync()

    def run_it(self, made, times=1):
        run = made.instantiate() if isinstance(made, Graph) else made
        for _ in range(times):
            run.launch(self.stream)
        return self.read(self.x)[0]


class Enabling(GraphTest):
    def test_launches_pass_over_what_is_disabled(self):
        g = Graph(self.device)
        first = g.launch(ONE, self.affine, self.x, 1.0, 1.0)
        second = first.launch(ONE, self.affine, self.x, 10.0, 0.0)
        called = second.callback(lambda: None)
        run = g.instantiate()
        self.assertTrue(run[second].is_enabled)
        self.assertEqual(self.run_it(run), 20)
        run[second].disable()
        self.assertFalse(run[second].is_enabled)
        self.assertTrue(run[first].is_enabled)
        self.assertEqual(self.run_it(run, 2), 22)
        run[second].enable()
        self.assertEqual(self.run_it(run), 230)
        with self.assertRaises(cucore.CUDAError):
            run[called].disable()
        with self.assertRaisesRegex(TypeError, "expected a node"):
            run["second"]
        with self.assertRaises(cucore.CUDAError):
            run[Graph(self.device).launch(ONE, self.affine, self.x, 1.0, 1.0)].disable()

    def test_memory_of_graphs_is_a_resource(self):
        resource = cucore.GraphMemoryResource(self.device)
        self.assertIs(resource, cucore.GraphMemoryResource(self.device.device_id))
        self.assertEqual(resource.device_id, self.device.device_id)
        with self.assertRaisesRegex(RuntimeError, "not being captured"):
            resource.allocate(16, stream=self.stream)
        resource.trim()
        about = resource.attributes
        used = about.used_mem_current
        builder = self.device.create_graph_builder().begin_building()
        memory = resource.allocate(3 << 20, stream=builder)
        memory.fill(b"\0\0\x80\x3f", stream=builder)
        self.x.copy_from(memory[:16], stream=builder)
        memory.close()
        del memory
        run = builder.end_building().complete()
        self.x.fill(0, stream=self.stream)
        self.stream.sync()
        self.assertEqual(self.run_it(run), 1)
        self.assertGreaterEqual(about.used_mem_high, used + (3 << 20))
        self.assertGreaterEqual(about.reserved_mem_current, 3 << 20)
        run.close()
        builder.close()
        gc.collect()
        resource.trim()
        self.assertEqual(about.used_mem_current, used)
        about.used_mem_high = about.reserved_mem_high = 0
        self.assertEqual(about.used_mem_high, about.used_mem_current)
        self.assertLess(about.reserved_mem_high, used + (3 << 20))
        with self.assertRaisesRegex(AttributeError, "only be read"):
            about.used_mem_current = 0
        with self.assertRaisesRegex(ValueError, "only be set to 0"):
            about.used_mem_high = 1
        with self.assertRaisesRegex(AttributeError, "no attribute x"):
            about.x
        resource.close()
        self.assertIn("used_mem_high", dir(about))


class Nodes(GraphTest):
    def test_nodes_come_behind_those_that_made_them(self):
        g = Graph(self.device)
        y = self.floats([0] * 4)
        fill = g.memset(self.x, b"\0\0\0\x40", 4)  # 2.0
        twice = fill.launch(ONE, self.affine, self.x, 3.0, 1.0)  # 7
        copy = fill.memcpy(y, self.x, 16)
        last = twice.join(copy).launch(ONE, self.affine, self.x, 2.0, 0.0)  # 14
        self.assertEqual(sorted(g.node_types), ["copy", "fill", "kernel", "kernel"])
        self.assertEqual(g.nodes(), {fill, twice, copy, last})
        self.assertEqual(g.edges(), {(fill, twice), (fill, copy), (twice, last), (copy, last)})
        self.assertEqual((last.pred, fill.succ), ({twice, copy}, {twice, copy}))
        self.assertEqual([n.type for n in (fill, twice, copy)], ["fill", "kernel", "copy"])
        self.assertEqual(self.run_it(g, 2), 14)

    def test_they_tell_what_they_are(self):
        g = Graph()
        event = self.device.create_event()
        node = g.memset(self.x, 7, 16)
        self.assertEqual((node.dptr, node.value, node.element_size, node.width, node.height),
                         (self.x.handle, 7, 1, 16, 1))
        node = g.launch(LaunchConfig((2, 3), 4, shmem_size=8), self.affine, self.x, 1.0, 1.0)
        self.assertEqual((node.grid, node.block, node.shmem_size, node.kernel),
                         ((2, 3, 1), (4, 1, 1), 8, self.affine))
        self.assertEqual(g.record(event).event, event)
        copy = g.memcpy(self.x.handle + 8, self.x, 8)
        self.assertEqual((copy.dst, copy.src, copy.size), (self.x.handle + 8, self.x.handle, 8))
        with self.assertRaisesRegex(AttributeError, "MemcpyNode has no event"):
            copy.event

    def test_an_empty_place_is_no_work(self):
        g = Graph()
        first = g.launch(ONE, self.affine, self.x, 1.0, 1.0)
        place = g.join(first).empty()
        self.assertEqual((g.node_count, place), (1, g.join(first)))
        place.launch(ONE, self.affine, self.x, 10.0, 0.0)
        self.assertEqual(self.run_it(g), 20)
        with self.assertRaisesRegex(ValueError, "another graph"):
            Graph().join(first)

    def test_memory_of_the_graph_is_there_in_between(self):
        g = Graph()
        memory = g.allocate(16)
        filled = memory.memset(memory.dptr, b"\0\0\x80\x3f", 4)
        used = filled.launch(ONE, self.affine, memory.dptr, 5.0, 0.0)
        copied = used.memcpy(self.x, memory.dptr, 16)
        copied.deallocate(memory)
        self.assertEqual(sorted(g.node_types), ["allocation", "copy", "fill", "free", "kernel"])
        self.assertEqual(self.run_it(g, 3), 5)
        with self.assertRaisesRegex(ValueError, "no memory that a node"):
            g.deallocate(memory)

    def test_events_of_outside(self):
        before, behind = self.device.create_event(), self.device.create_event(EventOptions(True))
        g = Graph()
        g.wait(before).launch(ONE, self.affine, self.x, 0.0, 3.0).record(behind)
        self.assertEqual(sorted(g.node_types), ["kernel", "record of an event", "wait for an event"])
        run = g.instantiate()
        other = self.device.create_stream()
        other.record(before)
        run.launch(self.stream)
        behind.sync()
        self.assertEqual(self.read(self.x)[0], 3)

    def test_functions_of_python(self):
        said = []
        g = Graph()
        g.callback(said.append, user_data=1).callback(lambda: said.append(2))
        run = g.instantiate()
        del g
        gc.collect()
        run.launch(self.stream)
        run.launch(self.stream)
        self.stream.sync()
        self.assertEqual(said, [1, 2, 1, 2])

    def test_a_graph_within_a_graph(self):
        inner = Graph()
        inner.launch(ONE, self.affine, self.x, 1.0, 1.0).launch(ONE, self.affine, self.x, 2.0, 0.0)
        outer = Graph()
        outer.embed(inner).embed(inner)  # 1: 2, 4; 5, 10
        self.assertEqual((outer.node_count, self.run_it(outer)), (2, 10))

    def test_what_nodes_use_is_kept_and_let_go(self):
        freed = []

        class Owner:
            def __del__(self):
                freed.append(1)

        memory = self.floats([1] * 4)
        owned = cucore.Buffer.from_handle(memory.handle, 16, owner=Owner())
        g = Graph()
        g.launch(ONE, self.affine, owned, 2.0, 0.0)
        owned.close()
        run = g.instantiate()
        g.close()
        gc.collect()
        run.launch(self.stream)
        self.assertEqual((self.read(memory)[0], freed), (2, []))
        run.close()
        for _ in range(200):  # a thread of the driver's says so, a moment later
            self.stream.sync()
            gc.collect()
            if freed:
                break
            time.sleep(0.01)
        self.assertEqual(freed, [1])

    def test_a_node_that_cannot_be_leaves_the_graph(self):
        g = Graph()
        first = g.launch(ONE, self.affine, self.x, 1.0, 1.0)
        for wrong in (lambda: first.launch(ONE, self.affine, self.x), lambda: first.memset(self.x, b"123", 1),
                      lambda: first.launch(LaunchConfig(1, 5000), self.affine, self.x, 1.0, 1.0)):
            with self.assertRaises((TypeError, ValueError)):
                wrong()
        self.assertEqual((g.node_count, self.run_it(g)), (1, 2))

    def test_an_instance_is_updated(self):
        def made(b):
            g = Graph()
            g.launch(ONE, self.affine, self.x, 0.0, b)
            return g

        run = made(1.0).instantiate(graph.GraphCompleteOptions(upload_stream=self.stream))
        run.launch(self.stream)
        self.assertEqual(self.read(self.x)[0], 1)
        run.update(made(2.0))
        run.launch(self.stream)
        self.assertEqual(self.read(self.x)[0], 2)

    def test_drawings(self):
        g = Graph()
        g.launch(ONE, self.affine, self.x, 1.0, 1.0)
        self.assertIn("digraph", g.dot())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.dot")
            g.debug_dot_print(path, graph.GraphDebugPrintOptions(verbose=True, handles=True))
            with open(path) as file:
                self.assertIn("affine", file.read())

    def test_the_names_of_cuda_core(self):
        self.assertIs(graph.GraphDefinition, cucore.Graph)
        self.assertIs(graph.Graph, cucore.GraphExec)


class Builders(GraphTest):
    def test_work_on_a_builder_is_built(self):
        builder = self.device.create_graph_builder().begin_building()
        self.assertTrue(builder.is_building)
        launch(builder, ONE, self.affine, self.x, 2.0, 0.0)
        launch(builder, ONE, self.affine, self.x, 1.0, 1.0)
        run = builder.end_building().complete()
        self.assertFalse(builder.is_building)
        self.assertEqual(self.run_it(run, 2), 7)
        self.assertEqual(builder.graph_definition.node_count, 2)

    def test_branches_are_joined(self):
        y = self.floats([1] * 4)
        builder = self.stream.create_graph_builder().begin_building("thread_local")
        launch(builder, ONE, self.affine, self.x, 2.0, 0.0)
        left, right = builder.split(2)
        self.assertTrue(right.is_join_required)
        launch(left, ONE, self.affine, self.x, 1.0, 1.0)
        launch(right, ONE, self.affine, y, 1.0, 4.0)
        builder = graph.GraphBuilder.join(left, right)
        self.assertFalse(right.is_join_required)
        launch(builder, ONE, self.affine, self.x, 10.0, 0.0)
        self.assertEqual(self.run_it(builder.end_building().complete()), 30)
        self.assertEqual(self.read(y)[0], 5)

    def test_functions_and_graphs(self):
        said = []
        inner = self.device.create_graph_builder().begin_building()
        launch(inner, ONE, self.affine, self.x, 3.0, 0.0)
        inner.end_building()
        builder = self.device.create_graph_builder().begin_building()
        builder.embed(inner)
        builder.callback(said.append, user_data="a")
        host_launch(builder, said.append, user_data="b")
        self.assertEqual(self.run_it(builder.end_building().complete()), 3)
        self.assertEqual(said, ["a", "b"])

    def test_misuse_is_told(self):
        builder = self.device.create_graph_builder()
        for wrong in (builder.end_building, builder.complete, lambda: builder.split(2),
                      lambda: graph.GraphBuilder.join(builder), lambda: builder.split(1),
                      lambda: builder.begin_building("x"), lambda: builder.callback(print)):
            with self.assertRaises((RuntimeError, ValueError)):
                wrong()
        builder.begin_building()
        with self.assertRaises(RuntimeError):
            builder.begin_building()
        builder.close()
        self.assertFalse(builder.is_building)

    def test_one_that_is_dropped_while_it_builds_is_cancelled(self):
        with self.stream.create_graph_builder().begin_building() as builder:
            launch(builder, ONE, self.affine, self.x, 3.0, 0.0)
        self.assertFalse(self.stream.is_capturing)
        self.assertEqual(self.read(self.x)[0], 1)


class Captures(GraphTest):
    def test_a_capture_takes_functions_and_graphs(self):
        said = []
        inner = Graph()
        inner.launch(ONE, self.affine, self.x, 3.0, 0.0)
        with self.stream.capture() as capture:
            capture.embed(inner)
            capture.callback(said.append, user_data=5)
        self.assertEqual(self.run_it(capture.graph), 3)
        self.assertEqual(said, [5])

    def test_more_may_be_put_behind_what_was_captured(self):
        with self.stream.capture() as capture:
            launch(self.stream, ONE, self.affine, self.x, 3.0, 0.0)
        (node,) = capture.graph.nodes()
        node.launch(ONE, self.affine, self.x, 1.0, 1.0)
        self.assertEqual(self.run_it(capture.graph), 4)


class HostFunctions(DeviceTest):
    def test_they_run_in_the_streams_order_and_are_let_go(self):
        said = []

        class Said:
            def __call__(self, value):
                said.append((value, threading.current_thread() is threading.main_thread()))

        function = Said()
        gone = weakref.ref(function)
        host_launch(self.stream, function, user_data=3)
        host_launch(self.stream, lambda: said.append(4))
        del function
        self.stream.sync()
        self.assertEqual([s[0] if isinstance(s, tuple) else s for s in said], [3, 4])
        gc.collect()
        self.assertIsNone(gone())

    def test_not_in_a_capture(self):
        with self.assertRaisesRegex(RuntimeError, "the capture's callback"), self.stream.capture():
            host_launch(self.stream, print)


if __name__ == "__main__":
    unittest.main()
