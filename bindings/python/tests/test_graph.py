"""Tests graphs: made by capture, with cuda.core's builders, and node by node."""
import ctypes
import gc
import os
import tempfile
import threading
import time
import unittest
import weakref

import cucore
from cucore import EventOptions, Graph, LaunchConfig, graph, host_launch, launch
from support import DeviceTest, child, kernel

SOURCE = r"""
extern "C" __global__ void affine(float *x, float a, float b)
{
    x[threadIdx.x] = a * x[threadIdx.x] + b;
}
"""
ONE = LaunchConfig(grid=1, block=4)


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
    def test_launches_skip_disabled_nodes(self):
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
        with self.assertRaisesRegex(RuntimeError, "on a non-capturing stream"):
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
        with self.assertRaisesRegex(AttributeError, "is not writable"):
            about.used_mem_current = 0
        with self.assertRaisesRegex(AttributeError, r"only be set to zero \(got 1\)"):
            about.used_mem_high = 1
        with self.assertRaisesRegex(AttributeError, "no attribute x"):
            about.x
        resource.close()
        self.assertIn("used_mem_high", dir(about))


class Nodes(GraphTest):
    def test_nodes_depend_on_the_nodes_that_created_them(self):
        g = Graph(self.device)
        y = self.floats([0] * 4)
        fill = g.memset(self.x, b"\0\0\0\x40", 4)  # 2.0
        twice = fill.launch(ONE, self.affine, self.x, 3.0, 1.0)  # 7
        copy = fill.memcpy(y, self.x, 16)
        last = twice.join(copy).launch(ONE, self.affine, self.x, 2.0, 0.0)  # 14
        (both,) = last.pred
        self.assertEqual(sorted(g.node_types), ["copy", "empty", "fill", "kernel", "kernel"])
        self.assertEqual(g.nodes(), {fill, twice, copy, both, last})
        self.assertEqual(g.edges(), {(fill, twice), (fill, copy), (twice, both), (copy, both), (both, last)})
        self.assertEqual((both.pred, fill.succ), ({twice, copy}, {twice, copy}))
        self.assertEqual([n.type for n in (fill, twice, copy)], [2, 0, 1])
        self.assertEqual(both.type.name, "CU_GRAPH_NODE_TYPE_EMPTY")
        self.assertEqual(self.run_it(g, 2), 14)

    def test_nodes_report_their_type_and_parameters(self):
        g = Graph()
        event = self.device.create_event()
        node = g.memset(self.x, 7, 16)
        self.assertEqual((node.dptr, node.value, node.element_size, node.width, node.height),
                         (self.x.handle, 7, 1, 16, 1))
        node = g.launch(LaunchConfig(grid=(2, 3), block=4, shmem_size=8), self.affine, self.x, 1.0, 1.0)
        self.assertEqual((node.grid, node.block, node.shmem_size, node.kernel),
                         ((2, 3, 1), (4, 1, 1), 8, self.affine))
        self.assertEqual(g.record(event).event, event)
        copy = g.memcpy(self.x.handle + 8, self.x, 8)
        self.assertEqual((copy.dst, copy.src, copy.size), (self.x.handle + 8, self.x.handle, 8))
        with self.assertRaisesRegex(AttributeError, "MemcpyNode has no event"):
            copy.event

    def test_graph_memory_belongs_to_the_device(self):
        g = Graph()
        node = g.allocate(16)
        self.assertEqual((node.memory_type, node.peer_access), ("device", ()))
        place = node.memset(node.dptr, 0, 16)
        place.deallocate(node.dptr)
        self.run_it(g)
        # During a capture, an H200's driver (13.0) refuses the others with CUDA_ERROR_INVALID_VALUE
        # and _NOT_SUPPORTED.
        for kind, given in [("managed", {"memory_type": "managed"}), ("host", {"memory_type": "host"}),
                            ("managed", {"memory_resource": cucore.ManagedMemoryResource()}),
                            ("host", {"memory_resource": cucore.PinnedMemoryResource()})]:
            with self.subTest(kind, **given), self.assertRaisesRegex(cucore.NotSupportedError, f"memory_type is {kind}"):
                Graph().allocate(16, **given)
        with self.assertRaisesRegex(cucore.NotSupportedError, "peer_access"):
            Graph().allocate(16, peer_access=[0])

    def test_an_embedded_graph_is_a_copy(self):
        child, g = Graph(), Graph()
        child.launch(ONE, self.affine, self.x, 3.0, 0.0)
        node = g.embed(child)
        child.launch(ONE, self.affine, self.x, 100.0, 0.0)  # only in the child graph
        self.assertIsNot(node.child_graph, child)
        self.assertIs(node.child_graph, node.child_graph)
        self.assertEqual((len(node.child_graph.nodes()), len(child.nodes())), (1, 2))
        self.assertEqual(self.run_it(g), 3)
        with self.assertRaisesRegex(cucore.InvalidArgumentError, "that of a node, which cannot be instantiated by itself"):
            node.child_graph.instantiate()

    def test_changing_the_sets_of_neighbors_changes_the_graph(self):
        g, other = Graph(), Graph()
        a, b, c, d = (g.empty() for _ in range(4))
        rows = [
            ("add", lambda: a.succ.add(b), {b}),
            ("add what is there", lambda: a.succ.add(b), {b}),
            ("update", lambda: a.succ.update(c, [d, b]), {b, c, d}),
            ("discard", lambda: a.succ.discard(c), {b, d}),
            ("discard what is not there", lambda: a.succ.discard(c), {b, d}),
            ("remove from the other side", lambda: d.pred.remove(a), {b}),
            ("assign", lambda: setattr(a, "succ", {c, d}), {c, d}),
            ("assign the other side", lambda: setattr(b, "pred", [a]), {b, c, d}),
            ("keep some of", lambda: a.succ.__iand__({c, d}), {c, d}),
            ("take away", lambda: a.succ.__isub__({c}), {d}),
            ("either", lambda: a.succ.__ixor__({c, d}), {c}),
            ("clear", lambda: a.succ.clear(), set()),
        ]
        for what, change, expected in rows:
            with self.subTest(what):
                change()
                self.assertEqual(a.succ, expected)
                self.assertEqual({n for n in (b, c, d) if a in n.pred}, expected)
                self.assertEqual({y for x, y in g.edges() if x == a}, expected)
        self.assertEqual((type(a.succ | {b}), a.succ | {b}), (set, {b}))
        self.assertIs((a.succ, a.succ.add(b), next(iter(a.succ)))[2], b)
        for what, add, error in [("a text", lambda: a.succ.add("b"), TypeError),
                                 ("itself", lambda: a.succ.add(a), cucore.CUDAError),
                                 ("a node of another graph", lambda: a.succ.add(other.empty()), cucore.CUDAError)]:
            with self.subTest(what), self.assertRaises(error):
                add()
        self.assertEqual(a.succ, {b})

    def test_order_follows_the_edges(self):
        g = Graph()
        first = g.launch(ONE, self.affine, self.x, 2.0, 1.0)
        second = g.launch(ONE, self.affine, self.x, 10.0, 0.0)
        first.pred = {second}
        self.assertEqual(self.run_it(g), 21)

    def test_c_functions_are_called_with_their_data(self):
        seen = []

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def function(data):
            seen.append(ctypes.string_at(data, 3) if data and data > 99 else data)

        g = Graph()
        node = g.callback(function, user_data=b"abc").callback(function, user_data=7).callback(function)
        self.run_it(g)
        self.assertEqual((seen, node.function), ([b"abc", 7, None], None))

    def test_captured_nodes_have_types(self):
        with self.stream.capture() as capture:
            launch(self.stream, LaunchConfig(grid=2, block=4), self.affine, self.x, 1.0, 1.0)
            self.x.fill(b"\0\0\0\0", stream=self.stream)
            capture.callback(print)
        found = {type(node): node for node in capture.graph.nodes()}
        self.assertEqual(set(found), {graph.KernelNode, graph.MemsetNode, graph.HostCallbackNode})
        node = found[graph.KernelNode]
        self.assertEqual((node.grid, node.block, node.shmem_size, node.kernel), ((2, 1, 1), (4, 1, 1), 0, self.affine))

    def test_invalid_nodes_are_refused_as_in_cuda_core(self):
        g, closed = Graph(), self.floats([1])
        x, number = self.x, self.x.handle
        closed.close()
        rows = [
            ("no memory", lambda: g.allocate(0), cucore.CUDAError, "size is 0"),
            ("memory of no type", lambda: g.allocate(4, memory_type="disk"), ValueError, "'disk' is not a valid"),
            ("a free of nothing", lambda: g.deallocate(0), cucore.CUDAError, "not memory"),
            ("a number for a condition", lambda: g.if_then(42), TypeError, "expected a GraphCondition"),
            ("an owner of a buffer", lambda: g.memset(x, 0, 4, dst_owner=x), ValueError, "dst_owner cannot be used"),
            ("of a source", lambda: g.memcpy(number, x, 4, src_owner=x), ValueError, "src_owner cannot be used"),
            ("a closed buffer", lambda: g.memset(closed, 0, 4), ValueError, "dst Buffer has no active allocation"),
            ("a closed owner", lambda: g.memset(number, 0, 4, dst_owner=closed), ValueError, "dst_owner Buffer has no"),
            ("a node by its class", lambda: graph.GraphNode(), RuntimeError, "cannot be instantiated directly"),
        ]
        for what, do, error, said in rows:
            with self.subTest(what), self.assertRaisesRegex(error, said):
                do()
        self.assertEqual((g.nodes(), g.is_valid), (set(), True))
        node = g.empty()
        g.close()
        self.assertEqual((g.is_valid, node.is_valid), (False, False))

    def test_an_empty_place_is_no_work(self):
        g = Graph()
        first = g.launch(ONE, self.affine, self.x, 1.0, 1.0)
        place = g.join(first).empty()
        self.assertEqual((g.node_count, place.type, len(place.pred)), (3, graph.GraphNodeType(5), 1))
        place.launch(ONE, self.affine, self.x, 10.0, 0.0)
        self.assertEqual(self.run_it(g), 20)
        with self.assertRaisesRegex(ValueError, "another graph"):
            Graph().join(first)

    def test_graph_memory_exists_between_its_nodes(self):
        g = Graph()
        memory = g.allocate(16)
        filled = memory.memset(memory.dptr, b"\0\0\x80\x3f", 4)
        used = filled.launch(ONE, self.affine, memory.dptr, 5.0, 0.0)
        copied = used.memcpy(self.x, memory.dptr, 16)
        copied.deallocate(memory)
        self.assertEqual(sorted(g.node_types), ["allocation", "copy", "fill", "free", "kernel"])
        self.assertEqual(self.run_it(g, 3), 5)
        with self.assertRaisesRegex(ValueError, "not memory that a node"):
            g.deallocate(memory)

    def test_external_events(self):
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

    def test_python_functions(self):
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
        outer.embed(inner).embed(inner)  # first embed: 2, 4; second embed: 5, 10
        self.assertEqual((outer.node_count, self.run_it(outer)), (2, 10))

    def test_objects_that_nodes_use_are_kept_and_released(self):
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
        for _ in range(200):  # a driver thread reports the destruction slightly later
            self.stream.sync()
            gc.collect()
            if freed:
                break
            time.sleep(0.01)
        self.assertEqual(freed, [1])

    def test_a_refused_node_leaves_the_graph_unchanged(self):
        g = Graph()
        first = g.launch(ONE, self.affine, self.x, 1.0, 1.0)
        for wrong in (lambda: first.launch(ONE, self.affine, self.x), lambda: first.memset(self.x, b"123", 1),
                      lambda: first.launch(LaunchConfig(grid=1, block=5000), self.affine, self.x, 1.0, 1.0)):
            with self.assertRaises((TypeError, ValueError)):
                wrong()
        self.assertEqual((g.node_count, self.run_it(g)), (1, 2))

    def test_nodes_stay_within_their_buffers(self):
        g = Graph()
        y, size = self.floats([0] * 4), self.x.size
        for wrong in (lambda: g.memset(y, 0, 17), lambda: g.memset(y, b"\0" * 4, 5), lambda: g.memcpy(y, self.x, 17),
                      lambda: g.memcpy(self.x.handle, y, 17), lambda: g.memset(y, 0, 4, height=2, pitch=16)):
            with self.assertRaisesRegex(ValueError, f"reach beyond the (16|{size}) of the buffer"):
                wrong()
        self.assertEqual(g.node_count, 0)
        g.memset(y, 0, 4, height=2, pitch=12).memcpy(y, self.x.handle, 16)
        self.assertEqual(g.node_count, 2)

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

    def test_misuse_is_reported(self):
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

    def test_a_builder_dropped_while_building_is_canceled(self):
        with self.stream.create_graph_builder().begin_building() as builder:
            launch(builder, ONE, self.affine, self.x, 3.0, 0.0)
        self.assertFalse(self.stream.is_capturing)
        self.assertEqual(self.read(self.x)[0], 1)


class Dropped(GraphTest):
    """Tests builders that are dropped while building: the capture ends, and its result is
    discarded."""

    def build(self, mode="relaxed", stream=None):
        builder = (stream or self.stream).create_graph_builder().begin_building(mode)
        launch(builder, ONE, self.affine, self.x, 3.0, 0.0)
        return builder

    def is_free(self, stream=None):
        """Assert that the stream is usable again: it runs work, and can be captured."""
        self.assertFalse((stream or self.stream).is_capturing)
        self.assertEqual(self.read(self.x), [1] * 4)
        run = self.build(stream=stream).end_building().complete()
        run.launch(self.stream)
        self.assertEqual(self.read(self.x), [3] * 4)

    @staticmethod
    def elsewhere(function):
        """Run a function on a thread that has ended when this returns."""
        thread = threading.Thread(target=function)
        thread.start()
        thread.join()

    def test_by_its_last_reference(self):
        for mode in ("relaxed", "thread_local", "global"):
            with self.subTest(mode):
                builder = self.build(mode)
                self.assertTrue(self.stream.is_capturing)
                del builder
                self.assertFalse(self.stream.is_capturing)
        self.is_free()

    def test_by_the_collector(self):
        cycle = [self.build("thread_local")]
        cycle.append(cycle)
        del cycle
        gc.collect()
        self.is_free()

    def test_a_relaxed_one_on_another_thread(self):
        held = [self.build()]
        self.elsewhere(held.clear)
        self.is_free()

    def test_by_the_next_call_of_the_thread_that_began(self):
        for mode in ("thread_local", "global"):
            with self.subTest(mode):
                held = [self.build(mode)]
                self.elsewhere(held.clear)
                self.assertTrue(self.stream.is_capturing)
                self.elsewhere(lambda: self.device.create_event())  # other threads' calls have no effect
                self.assertTrue(self.stream.is_capturing)
                self.device.create_event()
                self.assertFalse(self.stream.is_capturing)
        held = [self.build("thread_local")]
        self.elsewhere(held.clear)
        self.build("thread_local").close()  # begin_building() counts as a creating call
        self.is_free()

    def test_after_the_beginning_thread_has_ended_by_any_thread(self):
        for mode in ("thread_local", "global"):
            held = []
            self.elsewhere(lambda: held.append(self.build(mode)))
            for _ in range(200):  # Python considers the thread ended slightly before it has ended
                held.clear()
                self.device.create_event()
                if not self.stream.is_capturing:
                    break
                time.sleep(0.01)
        self.is_free()

    def test_on_a_thread_of_the_drivers(self):
        """CUDA calls are forbidden in a callback."""
        other = self.device.create_stream()
        held = [self.build(stream=other)]
        host_launch(self.stream, held.clear)
        self.stream.sync()
        self.assertTrue(other.is_capturing)
        self.device.create_event()
        self.is_free(other)

    def test_with_branches(self):
        for joined in (False, True):
            with self.subTest(joined=joined):
                builder = self.build()
                _, left, right = builder.split(3)
                launch(left, ONE, self.affine, self.x, 1.0, 1.0)
                streams = [left.stream, right.stream]
                if joined:
                    graph.GraphBuilder.join(builder, left, right)
                del builder, _
                self.assertEqual([s.is_capturing for s in (self.stream, *streams)], [False] * 3)
                self.assertFalse(left.is_building)
                with self.assertRaisesRegex(RuntimeError, "has been closed" if joined else "split off is gone"):
                    right.callback(print)
                del left, right, streams
        self.is_free()

    def test_a_builder_reports_its_state(self):
        builder = self.device.create_graph_builder()
        run = self.device.create_graph_builder().begin_building().end_building().complete()
        rows = [
            ("it has no graph before it begins", lambda: builder.graph_definition, RuntimeError, "before begin_building"),
            ("nor is it complete", lambda: builder.complete(), RuntimeError, "^Graph has not finished building"),
            ("nor can it be split", lambda: builder.split(2), RuntimeError, "must be building before it can be split"),
            ("nor is it an update", lambda: run.update(builder), ValueError, "has not finished building"),
            ("a text is none either", lambda: run.update("it"), TypeError, "expected GraphBuilder or GraphDefinition"),
            ("a mode is a word", lambda: builder.begin_building(None), ValueError, "^Unsupported build mode: None"),
            ("it begins", lambda: self.assertIs(builder.begin_building(), builder), None, ""),
            ("once", lambda: builder.begin_building(), RuntimeError, "^Graph builder is already building"),
            ("it has no graph yet", lambda: builder.graph_definition, RuntimeError, "capture is in progress"),
            ("one is not a split", lambda: builder.split(1), ValueError, "^Invalid split count: expecting >= 2, got 1"),
            ("one joins nothing", lambda: builder.join(builder), ValueError, "^Must join with at least two"),
            ("an object is not a graph", lambda: builder.embed(object()), TypeError, "expected a GraphBuilder"),
            ("nor has it ended", lambda: builder.embed(self.device.create_graph_builder()), ValueError, "not finished"),
            ("it ends", lambda: builder.end_building(), None, ""),
            ("for good", lambda: builder.begin_building(), RuntimeError, "^Cannot resume building after"),
            ("it has a graph", lambda: self.assertEqual(len(builder.graph_definition.nodes()), 0), None, ""),
            ("it is open", lambda: self.assertFalse(builder.is_closed), None, ""),
            ("it closes", lambda: builder.close(), None, ""),
            ("and is closed", lambda: self.assertTrue(builder.is_closed), None, ""),
            ("it has no graph any more", lambda: builder.graph_definition, RuntimeError, "^Graph builder has been closed"),
            ("is not complete", lambda: builder.complete(), RuntimeError, "^Graph builder has been closed"),
            ("and no update", lambda: run.update(builder), ValueError, "^Source graph builder has been closed"),
        ]
        for what, do, error, said in rows:
            with self.subTest(what):
                if error is None:
                    do()
                else:
                    self.assertRaisesRegex(error, said, do)
        builder = self.device.create_graph_builder().begin_building()
        left, right = builder.split(2)
        self.assertRaisesRegex(RuntimeError, "forked", lambda: right.graph_definition)
        builder.join(left, right)
        self.assertTrue(right.is_closed)
        body = builder.if_then(builder.create_condition(0))
        body.graph_definition.launch(ONE, self.affine, self.x, 1.0, 0.0)  # without a capture
        self.assertEqual(len(body.graph_definition.nodes()), 1)
        builder.end_building().complete()

    def test_a_branch_alone(self):
        """A dropped branch's work is missing at the join: ending reports this, and ends the
        capture."""
        builder = self.build()
        builder.split(2)[1].callback(print)
        self.assertTrue(builder.is_building)
        with self.assertRaises(cucore.CUDAError):
            builder.end_building()
        self.assertFalse(builder.is_building)
        with self.assertRaisesRegex(RuntimeError, "not building"):
            builder.end_building()
        self.is_free()

    def test_a_branch_that_has_joined(self):
        builder = self.build()
        _, branch = builder.split(2)
        branch.callback(lambda: None)
        graph.GraphBuilder.join(builder, branch)
        del branch
        gc.collect()
        self.assertEqual(builder.end_building().graph_definition.node_count, 2)

    def test_with_bodies(self):
        """In either order, and on other threads too."""
        for order in ((0, 1), (1, 0)):
            for where in (lambda function: function(), self.elsewhere):
                with self.subTest(order=order):
                    builder = self.build()
                    body = builder.if_then(builder.create_condition(1)).begin_building()
                    launch(body, ONE, self.affine, self.x, 1.0, 1.0)
                    inner, held = body.stream, [builder, body]
                    del builder, body
                    for each in order:
                        where(lambda each=each: held.__setitem__(each, None))
                    self.assertFalse(inner.is_capturing)
                    self.assertFalse(self.stream.is_capturing)
        self.is_free()

    def test_a_body_alone(self):
        """Nodes that are already in the body stay, and the parent graph continues."""
        builder = self.build()
        body = builder.if_then(builder.create_condition(0)).begin_building()
        launch(body, ONE, self.affine, self.x, 1.0, 1.0)
        del body
        self.assertTrue(builder.is_building)
        self.assertEqual(self.run_it(builder.end_building().complete()), 3)

    def test_the_streams_object_may_be_closed(self):
        stream = self.device.create_stream()
        builder = self.build(stream=stream)
        again = cucore.Stream.from_handle(stream.handle)
        stream.close()
        self.assertTrue(again.is_capturing)
        self.assertEqual(builder.end_building().graph_definition.node_count, 1)

    def test_other_captures_are_not_ended(self):
        closed = self.build()
        closed.close()
        failed = self.build()
        failed.split(2)[1].callback(print)
        with self.assertRaises(cucore.CUDAError):
            failed.end_building()
        ended = self.build().end_building()
        with self.stream.capture() as capture:
            launch(self.stream, ONE, self.affine, self.x, 5.0, 0.0)
            closed.close()
            failed.close()
            del closed, failed, ended
            gc.collect()
            self.assertTrue(self.stream.is_capturing)
        self.assertEqual(self.run_it(capture.graph), 5)

    def test_python_functions_are_released(self):
        class Said:
            def __call__(self):
                pass

        function = Said()
        gone, builder = weakref.ref(function), self.build()
        builder.callback(function)
        del function, builder
        gc.collect()
        self.assertIsNone(gone())

    def test_the_reported_failure_is_kept(self):
        """The collector may run at any time, even between a failure and its exception."""
        builder = self.build()
        cucore.raw.cuc_stream_get_id(None, None)
        del builder
        self.assertEqual(cucore.raw.cuc_error_function(), b"cuc_stream_get_id")

    def test_closing_on_the_wrong_thread_is_reported(self):
        builder, told = self.build("thread_local"), []

        def close():
            try:
                builder.close()
            except cucore.InvalidArgumentError as error:
                told.append(str(error))

        self.elsewhere(close)
        self.assertIn("begun by another thread", told[0])
        self.assertTrue(builder.is_building)
        builder.close()
        builder.close()
        self.is_free()

    def test_at_the_end_of_the_interpreter(self):
        start = """
import sys, time
from cucore import *
device = Device(0)
stream = device.create_stream()
other = device.create_stream()
"""
        for mode in ("relaxed", "thread_local"):
            for hold in ("sys.keep = builder", "cycle = [builder]; cycle.append(cycle)"):
                with self.subTest(mode=mode, hold=hold):
                    self.assertEqual(child(start + f"""
builder = stream.create_graph_builder().begin_building({mode!r})
host_launch(builder, print)
_, branch = builder.split(2)
{hold}
host_launch(other, lambda: time.sleep(0.2))
host_launch(other, print, user_data="called")  # waited for, though a stream is captured
print("ended", flush=True)
"""), "ended\ncalled\n")


class Captures(GraphTest):
    def test_an_exception_within_ends_it(self):
        for mode in ("relaxed", "thread_local", "global"):
            with self.subTest(mode), self.assertRaisesRegex(KeyError, "within"):
                with self.stream.capture(mode) as capture:
                    launch(self.stream, ONE, self.affine, self.x, 3.0, 0.0)
                    raise KeyError("within")
            self.assertFalse(self.stream.is_capturing)
            with self.assertRaisesRegex(RuntimeError, "has not ended, or failed"):
                capture.graph
        self.assertEqual(self.read(self.x)[0], 1)

    def test_an_exception_ends_a_spoilt_capture_and_one_that_fills_a_body(self):
        with self.assertRaises(cucore.BusyError), self.stream.capture():
            self.device.sync()
        self.assertFalse(self.stream.is_capturing)
        inner = None
        with self.assertRaises(ZeroDivisionError), self.stream.capture("relaxed") as capture:
            then = capture.if_then(capture.create_condition(1))
            body = graph.GraphBuilder._of(self.device.create_stream(), into=then).begin_building()
            inner = body.stream
            1 / 0
        self.assertFalse(self.stream.is_capturing)
        self.assertFalse(inner.is_capturing)
        self.assertEqual(self.read(self.x)[0], 1)

    def test_spoiling_a_capture_into_a_graph_destroys_the_graph(self):
        """The driver frees the graph, so its nodes become invalid."""
        mine = Graph()
        node = mine.launch(ONE, self.affine, self.x, 3.0, 0.0)
        with self.assertRaises(cucore.BusyError):
            mine._add((), lambda stream: self.device.sync())
        for use in (lambda: mine.node_count, lambda: mine.nodes(), lambda: mine.instantiate(), lambda: node.type,
                    lambda: mine.launch(ONE, self.affine, self.x, 3.0, 0.0), lambda: len(node.succ)):
            with self.assertRaisesRegex(cucore.InvalidArgumentError, "the graph is no more: a capture into it"):
                use()
        self.assertEqual((mine.handle, node.handle), (0, 0))
        self.assertIn("gone", repr(node))
        mine.close()
        self.assertEqual(self.read(self.x)[0], 1)

    def test_nodes_added_by_a_canceled_capture_stay(self):
        mine = Graph()

        def put(stream):
            launch(stream, ONE, self.affine, self.x, 3.0, 0.0)
            1 / 0

        with self.assertRaises(ZeroDivisionError):
            mine._add((), put)
        self.assertEqual(self.run_it(mine), 3)

    def test_a_failed_body_is_reported_when_its_graph_ends(self):
        """The graph is never destroyed, because the driver would crash."""
        with self.assertRaisesRegex(cucore.CUDAError, "the body of a conditional node of it"), \
                self.stream.capture("relaxed") as capture:
            then = capture.if_then(capture.create_condition(1))
            body = graph.GraphBuilder._of(self.device.create_stream(), into=then).begin_building()
            launch(body.split(2)[1], ONE, self.affine, self.x, 3.0, 0.0)
            with self.assertRaisesRegex(cucore.CUDAError, "the driver frees the body"):
                body.end_building()
            self.assertFalse(body.is_building)
        self.assertFalse(self.stream.is_capturing)
        with self.assertRaisesRegex(cucore.InvalidArgumentError, "is no more"):
            then.node_count
        with self.assertRaisesRegex(RuntimeError, "has not ended, or failed"):
            capture.graph
        self.assertEqual(self.read(self.x)[0], 1)

    def test_if_both_captures_are_spoilt_the_outer_one_never_ends(self):
        """Runs in its own process, which cannot wait for the device afterwards."""
        self.assertEqual(child("""
import gc
from cucore import *
from cucore import graph
device = Device(0)
for way in ("closed", "left", "dropped"):
    stream = device.create_stream()
    builder = stream.create_graph_builder().begin_building()
    body = builder.if_then(builder.create_condition(1)).begin_building()
    try:
        device.sync()
    except BusyError:
        pass
    if way == "closed":
        body.close()
        for _ in range(2):
            try:
                builder.close()
                print("is over")
            except CUDAError as error:
                print("for good" in str(error))
    elif way == "left":
        try:
            with builder:
                pass
        except CUDAError as error:
            print("for good" in str(error))
    del builder, body
    gc.collect()
    print(way, stream.is_capturing)
    stream.close()
again = device.create_stream()
with again.capture("relaxed") as capture:
    pass
print("ended", capture.graph.node_count)
"""), "True\nis over\nclosed True\nTrue\nleft True\ndropped True\nended 0\n")

    def test_in_a_generator_that_is_collected(self):
        def capturing(mode):
            with self.stream.capture(mode):
                yield

        for mode in ("relaxed", "thread_local"):
            held = [capturing(mode)]
            next(held[0])
            self.assertTrue(self.stream.is_capturing)
            Dropped.elsewhere(held.clear)
            self.device.create_event()
            self.assertFalse(self.stream.is_capturing)

    def test_a_capture_that_did_not_begin_ends_nothing(self):
        with self.stream.capture() as capture:
            with self.assertRaises(cucore.BusyError), self.stream.capture():
                self.fail("it began")
            gc.collect()
            launch(self.stream, ONE, self.affine, self.x, 3.0, 0.0)
        self.assertEqual(self.run_it(capture.graph), 3)

    def test_a_capture_takes_functions_and_graphs(self):
        said = []
        inner = Graph()
        inner.launch(ONE, self.affine, self.x, 3.0, 0.0)
        with self.stream.capture() as capture:
            capture.embed(inner)
            capture.callback(said.append, user_data=5)
        self.assertEqual(self.run_it(capture.graph), 3)
        self.assertEqual(said, [5])

    def test_nodes_can_be_added_after_captured_ones(self):
        with self.stream.capture() as capture:
            launch(self.stream, ONE, self.affine, self.x, 3.0, 0.0)
        (node,) = capture.graph.nodes()
        node.launch(ONE, self.affine, self.x, 1.0, 1.0)
        self.assertEqual(self.run_it(capture.graph), 4)


class HostFunctions(DeviceTest):
    def test_they_run_in_stream_order_and_are_released(self):
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
