"""Tests compatibility with cuda.core: error types, results, names, order of parameters."""
import copy
import ctypes
import dataclasses
import os
import pickle
import re
import unittest
import warnings
import weakref

import cucore
from cucore import (
    Context,
    Event,
    EventOptions,
    Host,
    Kernel,
    LaunchConfig,
    Linker,
    LinkerOptions,
    ObjectCode,
    Program,
    ProgramOptions,
    Stream,
    _errors,
    graph,
    launch,
    typing,
)
from cucore.utils import StridedMemoryView
from support import ROOT, SAXPY, DeviceTest, child, compiled, kernel

TIMED = EventOptions(timing_enabled=True)


class Foreign:
    """A stream of another library."""

    def __init__(self, stream):
        self.stream = stream

    def __cuda_stream__(self):
        return 0, self.stream.handle


class Errors(DeviceTest):
    def test_error_types_and_texts_are_those_of_cuda_core(self):
        plain = self.stream.record()
        one, two = self.device.create_event(TIMED), self.device.create_event(TIMED)
        saxpy = kernel(SAXPY, "saxpy")
        rows = [
            ("a class of streams is called", lambda: Stream(), RuntimeError, "^Stream objects cannot be inst"),
            ("of events", lambda: Event(), RuntimeError, "^Event objects cannot be instantiated directly"),
            ("of contexts", lambda: Context(), RuntimeError, "^Context objects cannot be instantiated directly"),
            ("of kernels", lambda: Kernel(), RuntimeError, "^Kernel objects cannot be instantiated directly"),
            ("of code", lambda: ObjectCode(), RuntimeError, "^ObjectCode objects cannot be instantiated directly"),
            ("of attributes", lambda: type(saxpy.attributes)(), RuntimeError, "^KernelAttributes cannot be"),
            ("of occupancy", lambda: type(saxpy.occupancy)(), RuntimeError, "^KernelOccupancy cannot be"),
            ("a language that is not known", lambda: Program("", "fortran"), RuntimeError, "code_type='fortran'"),
            ("NVVM's sources", lambda: Program("", options={"extra_sources": [("a", "b")]}), ValueError,
             "not supported by the NVRTC backend"),
            ("a buffer", lambda: cucore.Buffer(), RuntimeError, r"by allocate\(\) of a device or a memory resource"),
            ("an instance of a graph", lambda: graph.Graph(), RuntimeError, r"by Graph\.instantiate\(\)"),
            ("a part of a device", lambda: cucore.GreenContext(), RuntimeError, r"by Device\.create_context\(\)"),
            ("a tensor map", lambda: cucore.TensorMapDescriptor(), RuntimeError, "^TensorMapDescriptor objects cannot"),
            ("a resource that allocates nothing", lambda: cucore.MemoryResource(), TypeError, "is abstract"),
            ("a priority in options", lambda: self.device.create_stream(options=cucore.StreamOptions(priority=1)),
             ValueError, "priority is 1: expected"),
            ("a buffer for its descriptor", lambda: cucore.Buffer.from_ipc_descriptor(
                self.device.memory_resource, self.floats([1]), stream=self.stream), TypeError,
             "^ipc_descriptor is a Buffer: expected IPCBufferDescriptor$"),
            ("an event for its", lambda: Event.from_ipc_descriptor(plain), TypeError, "expected IPCEventDescriptor$"),
            ("a priority below the least", lambda: self.device.create_stream(options={"priority": 1}), ValueError,
             "priority is 1: expected"),
            ("one above the greatest", lambda: self.device.context.create_stream({"priority": -99}), ValueError,
             "priority is -99: expected"),
            ("a linker of nothing", lambda: Linker(), ValueError, "At least one ObjectCode"),
            ("a block of no threads", lambda: LaunchConfig(block=0), ValueError, "block is 0"),
            ("one of them", lambda: LaunchConfig(block=(4, 0)), ValueError, r"block is \(4, 0\)"),
            ("a node of the host before the first", lambda: Host(-1), ValueError, "non-negative int"),
            ("a truth as a node", lambda: Host(True), ValueError, "non-negative int"),
            ("two nodes at once", lambda: Host(0, is_numa_current=True), ValueError, "mutually exclusive"),
            ("a wait for a text", lambda: self.stream.wait("an event"), ValueError, "expected an Event"),
            ("a version of streams", lambda: self.device.create_stream(Other()), RuntimeError, "version 7"),
            ("a descriptor of an event of this process", lambda: plain.ipc_descriptor, RuntimeError, "not IPC-enabled"),
            ("a time without timing", lambda: two - plain, RuntimeError, "^Both Events must be created with timing"),
            ("a time of nothing", lambda: two - one, RuntimeError, "^Both Events must be recorded"),
            ("a handle that is a text", lambda: Kernel.from_handle("7"), TypeError, "expected a handle"),
            ("a fraction", lambda: Kernel.from_handle(2.5), TypeError, "expected a handle"),
            ("shared memory of no size", lambda: saxpy.occupancy.max_potential_block_size(...), TypeError, "shared"),
            ("a kind of backend", lambda: ProgramOptions().as_bytes("ld"), ValueError, "Unknown backend 'ld'"),
            ("the driver's options as text", lambda: LinkerOptions().as_bytes("driver"), ValueError, "only supports"),
            ("an enumeration's member", lambda: typing.GraphMemoryType("disk"), ValueError, "'disk' is not a valid Gr"),
        ]

        class Other:
            def __cuda_stream__(self):
                return 7, 0

        for what, do, error, said in rows:
            with self.subTest(what), self.assertRaisesRegex(error, said):
                do()

    def test_texts_name_the_python_call(self):
        rows = [
            ("a method", lambda: self.stream.wait_value(5, 7), r"^Stream\.wait_value\(\): "),
            ("a class", lambda: cucore.Device(99), r"^Device\(\): "),
            ("a class method", lambda: ObjectCode.from_ltoir(b""), r"^ObjectCode\.from_ltoir\(\): "),
            ("a property", lambda: ObjectCode.from_ltoir(b"x" * 8).handle, r"^ObjectCode\.handle\(\): "),
            ("a function", lambda: launch(self.stream, LaunchConfig(block=5000), kernel(SAXPY, "saxpy"), 1.0, 8, 8, 1),
             r"^launch\(\): "),
        ]
        for what, do, said in rows:
            with self.subTest(what), self.assertRaisesRegex(cucore.CUDAError, said) as raised:
                do()
            self.assertNotRegex(str(raised.exception), r"\bcuc_\w+\(\)")
            self.assertTrue(raised.exception.function.startswith("cuc_"))

    def test_texts_name_python_functions(self):
        source = ROOT / "src"
        if not source.is_dir():
            self.skipTest("no sources")
        named = set()
        for path in source.glob("*/*.c"):
            for text in re.findall(r'"(?:[^"\\\n]|\\.)*"', path.read_text()):
                named |= set(re.findall(r"\b(cuc_[a-z0-9_]+)\(\)", text))
        self.assertGreater(len(named), 10)
        self.assertEqual(named - set(_errors._NAMES), set())
        for name in _errors._PROPERTIES:
            owner, _, own = name.rpartition(".")
            owner = owner or "DeviceMemoryResource"
            with self.subTest(name):
                self.assertFalse(callable(getattr(getattr(cucore, owner), own)))

    def test_a_lost_context_names_python_calls(self):
        code = f"import sys\nsys.path.insert(0, {os.path.dirname(__file__)!r})\n" \
               "import cucore, support\ns = cucore.Device(0).create_stream()\n" \
               "k = support.kernel(support.SAXPY, 'saxpy')\n" \
               "cucore.launch(s, cucore.LaunchConfig(), k, 1.0, 4096, 4096, 1)\n" \
               "try:\n    s.sync()\nexcept cucore.ContextLostError as error:\n    print(error, error.notes)"
        told = child(code, CUCORE_SIM_REPORT="0")
        self.assertIn("first seen by Stream.sync (", told)
        self.assertNotRegex(told, r"\bcuc_")

    def test_a_cooperative_grid_that_is_too_large_is_a_value_error(self):
        config = LaunchConfig(grid=2**20, block=128, is_cooperative=True)
        with self.assertRaisesRegex(ValueError, "COOPERATIVE_LAUNCH_TOO_LARGE"):
            launch(self.stream, config, kernel(SAXPY, "saxpy"), 1.0, 8, 8, 0)

    def test_what_cuda_core_deprecates_is_deprecated(self):
        saxpy, y = kernel(SAXPY, "saxpy"), self.floats([0])

        class Attribute:
            __cuda_stream__ = (0, self.stream.handle)

        class Interface:
            def __init__(self, array):
                self.__cuda_array_interface__ = array.__cuda_array_interface__

        rows = [
            ("a launch on another library's stream",
             lambda: launch(Foreign(self.stream), LaunchConfig(), saxpy, 1.0, y, y, 1), "device.create_stream"),
            ("the protocol as an attribute", lambda: self.device.create_stream(Attribute()), "is to be a method"),
            ("a view by its class", lambda: StridedMemoryView(y.view("f32"), -1), r"StridedMemoryView\.from_dlpack\(\)"),
            ("by another interface", lambda: StridedMemoryView(Interface(y.view("f32")), -1), "from_cuda_array_interf"),
        ]
        for what, do, said in rows:
            with self.subTest(what), self.assertWarnsRegex(DeprecationWarning, said):
                do()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            launch(self.device.create_stream(Foreign(self.stream)), LaunchConfig(), saxpy, 1.0, y, y, 1)
            StridedMemoryView.from_any_interface(y.view("f32"), -1)
        self.stream.sync()


class Results(DeviceTest):
    def test_flags_are_bools_and_results_have_names(self):
        saxpy = kernel(SAXPY, "saxpy")
        for name in ("cache_mode_ca", "cluster_size_must_be_set", "non_portable_cluster_size_allowed"):
            with self.subTest(name):
                self.assertIs(type(getattr(saxpy.attributes, name)), bool)
        self.assertIs(type(saxpy.attributes.num_regs), int)
        found = saxpy.occupancy.max_potential_block_size(0, 0)
        self.assertEqual((found.min_grid_size, found.max_block_size), found)
        seen = []
        limited = saxpy.occupancy.max_potential_block_size(lambda threads: seen.append(threads) or threads * 512, 0)
        self.assertTrue(seen and limited.max_block_size < found.max_block_size, (seen, limited))

    def test_occupancy_is_queried_for_the_streams_device(self):
        config = LaunchConfig(grid=128, block=64)
        for name in ("max_active_clusters", "max_potential_cluster_size"):
            with self.subTest(name):
                ask = getattr(kernel(SAXPY, "saxpy").occupancy, name)
                self.assertEqual(ask(config, stream=self.stream), ask(config))

    def test_a_host_is_one_object(self):
        for make in (Host, lambda: Host(3), lambda: Host(numa_id=3), Host.numa_current):
            host = make()
            with self.subTest(repr(host)):
                self.assertIs(host, make())
                self.assertIs(eval(repr(host)), host)
                self.assertIs(pickle.loads(pickle.dumps(host)), host)
                self.assertIs(copy.deepcopy(host), host)
                with self.assertRaises(AttributeError):
                    host.numa_id = 1
        self.assertEqual(len({Host(), Host(0), Host(1), Host.numa_current()}), 4)

    def test_words_are_enumeration_members(self):
        program = Program(SAXPY, "c++", ProgramOptions(arch="sm_90"))
        self.assertIs(program.backend, typing.CompilerBackendType.NVRTC)
        self.assertIsInstance(Linker.which_backend(), typing.CompilerBackendType)
        made = program.compile(typing.ObjectCodeFormatType.PTX)
        self.assertEqual((made.code_type, str(typing.SourceCodeType.PTX)), ("ptx", "ptx"))
        Program(made.code, typing.SourceCodeType.PTX, {"arch": "sm_90"})
        for name in typing.__all__:
            with self.subTest(name):
                self.assertTrue(hasattr(typing, name))

    def test_there_are_weak_references_to_everything(self):
        saxpy, made = kernel(SAXPY, "saxpy"), cucore.Graph(self.device)
        for each in (self.device, self.stream, self.stream.record(), self.device.context, self.floats([1]),
                     LaunchConfig(), saxpy, saxpy.attributes, saxpy.occupancy, compiled(SAXPY), Host(),
                     Program("", "c++", {"arch": "sm_90"}), made, made.create_condition(), Linker.empty(),
                     self.stream.create_graph_builder(), self.stream.capture(),
                     self.floats([0] * 64).view("f32", (8, 8)).as_tensor_map((8, 8))):
            with self.subTest(type(each).__name__):
                self.assertIs(weakref.ref(each)(), each)

    def test_sets_have_every_method_of_pythons(self):
        g, memory = cucore.Graph(self.device), cucore.LegacyManagedMemoryResource().allocate(64)
        node, *others = (g.empty() for _ in range(4))
        rows = [
            ("nodes behind one", node.succ, *others),
            ("nodes ahead of one", g.empty().pred, *others),
            ("places of managed memory", memory.accessed_by, self.device, Host()),
        ]
        if len(cucore.Device.get_all_devices()) > 1:
            rows.append(("peers of a pool", cucore.DeviceMemoryResource(self.device, {}).peer_accessible_by,
                         cucore.Device(1)))
        changes = [("update", (0, 1)), ("update", (0,), (1, 2)), ("difference_update", (0,)),
                   ("intersection_update", (0, 1), (1, 2)), ("symmetric_difference_update", (0, 2)), ("add", 1),
                   ("discard", 1), ("discard", 1), ("clear",), ("__ior__", (0, 1, 2)), ("__isub__", (0,)),
                   ("__iand__", (1,)), ("__ixor__", (0, 1))]
        asks = ["union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint",
                "__or__", "__and__", "__sub__", "__xor__", "__le__", "__lt__", "__ge__", "__gt__", "__eq__"]
        for what, live, *things in rows:
            own: set = set()
            self.assertIsNotNone(weakref.ref(live)())

            def of(given, things=things):
                return {things[i % len(things)] for i in given} if isinstance(given, tuple) else things[given % len(things)]

            for name, *given in changes:
                with self.subTest(what, name=name, given=given):
                    for each in (live, own):
                        getattr(each, name)(*map(of, given))
                    self.assertEqual((set(live), live.copy(), len(live)), (own, own, len(own)))
                    for ask in asks:
                        with self.subTest(ask):
                            for other in (set(), {things[0]}, {things[-1]}, set(things)):
                                answer = getattr(live, ask)(other)
                                self.assertEqual(answer, getattr(own, ask)(other))
                                self.assertIn(type(answer), (set, bool))
            self.assertLessEqual(set(dir(set)), set(dir(live)))

    def test_peers_can_be_named_by_number(self):
        if len(cucore.Device.get_all_devices()) < 2:
            self.skipTest("one device")
        peers = cucore.DeviceMemoryResource(self.device, {}).peer_accessible_by
        peers.update([0, 1])  # its own device always has access
        self.assertEqual(peers, {cucore.Device(1)})
        peers.intersection_update([1, 99])
        self.assertEqual(peers.copy(), {cucore.Device(1)})
        peers.difference_update([99, 1])
        self.assertEqual(peers.copy(), set())
        with self.assertRaises(cucore.CUDAError):
            peers.update([99])

    def test_a_view_by_its_class_has_records_too(self):
        class Records:
            __array_interface__ = {"typestr": "|V12", "shape": (2, 3), "data": (4096, True), "version": 3}

        with self.assertWarns(DeprecationWarning):
            view = StridedMemoryView(Records(), -1)
        self.assertEqual((str(view.dtype).lstrip("|"), view.shape, view.strides), ("V12", (2, 3), (3, 1)))

    def test_a_view_without_another_layout_or_type_is_itself(self):
        view = StridedMemoryView.from_any_interface(self.floats([1]).view("f32"), -1)
        self.assertIs(view.view(), view)

    def test_descriptors_of_events_are_equal_by_their_bytes(self):
        one, two = (cucore.IPCEventDescriptor(bytes([n]) * 64, 0) for n in (1, 2))
        again = cucore.IPCEventDescriptor(bytes(one), 0)
        self.assertEqual((one == again, one == two, one == "text", hash(one) == hash(again)), (True, False, False, True))

    def test_objects_show_their_handles(self):
        g = cucore.Graph(self.device)
        for each in (self.stream, self.stream.record(), self.device.context, g, g.create_condition(), g.empty()):
            with self.subTest(type(each).__name__):
                self.assertIn(f"handle={each.handle:#x}", repr(each))
        stream = self.device.create_stream()
        stream.close()
        self.assertEqual(repr(stream), "<Stream, closed>")

    def test_nodes_show_what_they_do(self):
        saxpy, g, event = kernel(SAXPY, "saxpy"), cucore.Graph(self.device), self.device.create_event()
        x, y = self.floats([0] * 4), self.floats([0] * 4)
        condition = g.create_condition()
        memory = g.allocate(64)

        def hello():
            pass

        rows = [
            (g.launch(LaunchConfig(), saxpy, 1.0, y, y, 4), f"KernelNode handle=.* kernel={saxpy.handle:#x}"),
            (g.memset(y, 7, 16), f"MemsetNode handle=.* dptr={int(y):#x} value=7"),
            (g.memcpy(y, x, 4), f"MemcpyNode handle=.* dst={int(y):#x} src={int(x):#x} size=4"),
            (memory, f"AllocNode handle=.* dptr={memory.dptr:#x} size=64"),
            (memory.deallocate(memory), f"FreeNode handle=.* dptr={memory.dptr:#x}"),
            (g.record(event), f"EventRecordNode handle=.* event={event.handle:#x}"),
            (g.wait(event), f"EventWaitNode handle=.* event={event.handle:#x}"),
            (g.callback(hello), "HostCallbackNode handle=.* callback=hello"),
            (g.if_then(condition), f"IfNode handle=.* condition={condition.handle:#x}"),
            (g.empty(), "EmptyNode handle=0x[0-9a-f]+"),
        ]
        for node, said in rows:
            with self.subTest(said):
                self.assertRegex(repr(node), f"^<{said}>$")

    def test_kernels_show_their_handles_once_loaded(self):
        saxpy = kernel(SAXPY, "saxpy")
        launch(self.stream, LaunchConfig(), saxpy, 1.0, 8, 8, 0)
        self.stream.sync()
        self.assertEqual(repr(saxpy), f"<Kernel handle={saxpy.handle:#x}>")

    def test_memory_of_graphs_shows_its_attributes(self):
        attributes = cucore.GraphMemoryResource(self.device).attributes
        self.assertRegex(repr(attributes), r"^GraphMemoryResourceAttributes\(used_mem_current=\d+, used_mem_high=\d+, "
                                           r"reserved_mem_current=\d+, reserved_mem_high=\d+\)$")
        with self.assertRaisesRegex(AttributeError, "'reserved_mem_current' .* is not writable"):
            attributes.reserved_mem_current = 0

    def test_kernels_are_equal_by_handle(self):
        saxpy = kernel(SAXPY, "saxpy")
        again = Kernel.from_handle(saxpy.handle)
        self.assertEqual(saxpy, again)
        self.assertEqual(hash(saxpy), hash(again))


class Options(unittest.TestCase):
    #: the first parameters in order
    ORDERS = {
        LaunchConfig: "grid cluster block shmem_size is_cooperative",
        cucore.StreamOptions: "nonblocking priority",
        EventOptions: "timing_enabled blocking_sync ipc_enabled",
        ProgramOptions: "name arch relocatable_device_code extensible_whole_program debug lineinfo "
        "device_code_optimize ptxas_options max_register_count ftz prec_sqrt prec_div fma use_fast_math "
        "extra_device_vectorization link_time_optimization gen_opt_lto define_macro undefine_macro include_path "
        "pre_include no_source_include std builtin_move_forward builtin_initializer_list disable_warnings restrict "
        "device_as_default_execution_space device_int128 optimization_info no_display_error_number diag_error "
        "diag_suppress diag_warn brief_diagnostics time split_compile fdevice_syntax_only minimal no_cache "
        "fdevice_time_trace device_float128 frandom_seed ofast_compile pch create_pch use_pch pch_dir pch_verbose "
        "pch_messages instantiate_templates_in_pch extra_sources use_libdevice numba_debug",
        LinkerOptions: "name arch max_register_count time verbose link_time_optimization ptx optimization_level "
        "debug lineinfo ftz prec_div prec_sqrt fma kernels_used variables_used optimize_unused_variables "
        "ptxas_options split_compile split_compile_extended no_cache numba_debug",
        graph.GraphCompleteOptions: "auto_free_on_launch upload_stream device_launch use_node_priority",
        graph.GraphDebugPrintOptions: "verbose runtime_types kernel_node_params memcpy_node_params memset_node_params "
        "host_node_params event_node_params ext_semas_signal_node_params ext_semas_wait_node_params "
        "kernel_node_attributes handles mem_alloc_node_params mem_free_node_params batch_mem_op_node_params "
        "extra_topo_info conditional_node_params",
    }

    def test_parameters_are_in_the_order_of_cuda_core(self):
        for kind, names in self.ORDERS.items():
            with self.subTest(kind.__name__):
                own = [field.name for field in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else \
                    list(cucore._launch._FIELDS)
                self.assertEqual(own[:len(names.split())], names.split())
        self.assertEqual(LaunchConfig(3, 2, 64, 16), LaunchConfig(grid=3, cluster=2, block=64, shmem_size=16))

    def test_options_are_converted_to_bytes(self):
        said = ProgramOptions(arch="sm_80", debug=True, ftz=True).as_bytes("nvrtc")
        self.assertLessEqual({b"--device-debug", b"--ftz=true"}, set(said))
        if Linker.which_backend() == "nvJitLink":
            said = LinkerOptions(arch="sm_80", max_register_count=32).as_bytes()
            self.assertLessEqual({b"-arch=sm_80", b"-maxrregcount=32"}, set(said))

    def test_a_name_may_have_a_folder(self):
        made = Program(SAXPY, "c++", ProgramOptions(name="a/b.cu", arch="sm_90")).compile("ptx")
        self.assertEqual(made.name, "a/b.cu")

    def test_code_generation_options_are_ignored_for_ptx(self):
        ptx = Program(SAXPY, "c++", {"arch": "sm_90"}).compile("ptx").code
        for name in ("ftz", "prec_div", "prec_sqrt", "fma", "numba_debug", "time"):
            with self.subTest(name):
                Program(ptx, "ptx", {"arch": "sm_90", name: True})
        with self.assertRaisesRegex(ValueError, "not of PTX"):
            Program(ptx, "ptx", {"arch": "sm_90", "std": "c++17"})


class Arguments(DeviceTest):
    def test_subclasses_of_scalars_are_scalars(self):
        class Int(ctypes.c_int):
            pass

        class Float(float):
            pass

        class Whole(int):
            pass

        x, y = self.floats([1]), self.floats([0])
        values = [(Float(2), x, y, Int(1)), (2.0, x, y, Whole(1))]
        try:
            import numpy
        except ImportError:
            pass
        else:
            class Single(numpy.float32):
                pass

            values.append((Single(2), x, y, numpy.int32(1)))
        for given in values:
            with self.subTest(given):
                launch(self.stream, LaunchConfig(), kernel(SAXPY, "saxpy"), *given)
        self.assertEqual(self.read(y), [2.0 * len(values)])


if __name__ == "__main__":
    unittest.main()
