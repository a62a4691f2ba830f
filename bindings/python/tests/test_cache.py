"""Tests the cache of compiled code, and program caches: mappings, keys, `compile(cache=)`, many
processes, kills, damage."""
import io
import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time
import unittest

import cucore
from cucore import Cache, Gemm, Linker, LinkerOptions, ObjectCode, Program, ProgramOptions
from cucore.utils import FileStreamProgramCache, InMemoryProgramCache, ProgramCacheResource, make_program_cache_key
from support import SAXPY, child, compiled

ARCH = ProgramOptions(arch="sm_90")
TILE = "kernel f(a: f32[N]) const B = 64 grid cdiv(N, B) { store(a, [block(0)], full(f32, [B], 1.0)) }"
PTX = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"
HEAD = 88 + 5  # bytes of a file besides its value: the entry's head, and the label "bytes"


class Folders(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name) / "cache"

    def files(self):
        return [path for path in self.folder.rglob("*") if path.is_file() and path.name != "state"]


class Caches(Folders):
    def test_a_folder_of_its_own(self):
        cache = Cache(self.folder, max_bytes=5000)
        self.assertEqual(cache.info, (str(self.folder), "", 5000, 0, 0, 0, 0, 0))
        cache.write(b"a\0b", b"data", "mine")
        self.assertEqual((cache.read(b"a\0b"), cache.read(b"a")), (b"data", None))
        entry, = cache.entries()
        self.assertEqual((entry.label, entry.bytes, entry.damaged), ("mine", 88 + 4 + 4, False))
        self.assertEqual(cache.info[3:], (96, 1, 1, 1, 1))
        self.assertIn(str(self.folder), repr(cache))
        os.truncate(self.files()[0], 50)
        self.assertTrue(cache.entries()[0].damaged)
        self.assertEqual((cache.verify(), cache.verify(), cache.info.entries), (1, 0, 0))
        cache.write(b"a", b"")
        self.assertEqual(cache.read(b"a"), b"")
        cache.remove(b"a")
        with self.assertRaisesRegex(cucore.NotFoundError, r"Cache.remove\(\): the cache has no entry"):
            cache.remove(b"a")
        cache.write(b"a", b"")
        cache.clear()
        self.assertEqual(cache.info.entries, 0)

    def test_what_is_refused(self):
        self.folder.mkdir()
        closed, unsafe = Cache(self.folder), self.folder / "unsafe"
        closed.close()
        unsafe.mkdir()
        unsafe.chmod(0o777)
        for call, error, text in (
            (lambda: Cache(unsafe), OSError, "others can write to it"),
            (lambda: FileStreamProgramCache(unsafe), OSError, "others can write to it"),
            (lambda: Cache(""), ValueError, "dir is empty"),
            (lambda: Cache("a\0b"), ValueError, "without NUL"),
            (lambda: Cache(self.folder, max_bytes=-1), OverflowError, "-1"),
            (lambda: Cache(self.folder, max_bytes="1"), TypeError, "max_bytes"),
            (lambda: closed.info, ValueError, "cache is closed"),
            (lambda: closed.read(b"a"), ValueError, "cache is closed"),
            (lambda: Cache(self.folder).read("text"), TypeError, "bytes-like"),
            (lambda: Cache(self.folder).write(b"a", 5), TypeError, "bytes-like"),
            (lambda: Program(TILE, "tile", ProgramOptions(cache=closed)), ValueError, "the Cache is closed"),
            (lambda: Program(TILE, "tile", ProgramOptions(cache=self.folder)), TypeError, "expected Cache"),
            (lambda: Linker.empty(LinkerOptions(cache=closed)), ValueError, "the Cache is closed"),
            (lambda: Linker.empty({"cache": self.folder}), TypeError, "cache is a PosixPath: expected Cache"),
            (lambda: Gemm.candidates("f16", cache=closed), ValueError, "the Cache is closed"),
            (lambda: Gemm("f16", cache=self.folder), TypeError, "cache is a PosixPath: expected Cache"),
        ):
            with self.assertRaisesRegex(error, text):
                call()

    def test_options_choose_the_cache(self):
        cache, other = Cache(self.folder), Cache(self.folder / "other")
        for wanted, stored in ((cache, [1, 0]), (other, [1, 1]), (cache, [1, 1]), (Cache.none(), [1, 1])):
            options = ProgramOptions(arch="sm_90", cache=wanted)
            Program(TILE, "tile", options).compile("ptx")
            self.assertEqual([cache.info.stored, other.info.stored], stored)
        self.assertEqual(cache.info.hits, 1)
        self.assertEqual(Cache.none().info[:2], ("", "it was chosen so"))

    def test_options_choose_the_cache_of_a_link(self):
        cache = Cache(self.folder)
        code = ObjectCode.from_ptx(PTX.encode(), name="k")
        try:
            for wanted, counts in ((cache, (0, 1, 1)), (cache, (1, 1, 1)), (Cache.none(), (1, 1, 1))):
                options = LinkerOptions(arch="sm_90", cache=wanted)
                linked = Linker(code, options=options).link("cubin")
                self.assertEqual(cache.info[-3:], counts)
                self.assertEqual(bytes(linked.code)[:4], b"\x7fELF")
        except cucore.CUDAError as error:
            raise unittest.SkipTest(f"no nvJitLink: {error}") from None

    def test_options_choose_the_cache_of_a_product(self):
        try:
            cucore.Device(0)
        except cucore.CUDAError as error:
            raise unittest.SkipTest(f"no device: {error}") from None
        cache = Cache(self.folder)
        sizes = {"m": 256, "n": 256, "k": 256}
        Gemm("f16", **sizes, cache=cache)
        stored = cache.info.stored
        self.assertGreater(stored, 0)
        self.assertEqual(cache.info.hits, 0)
        Gemm("f16", **sizes, cache=cache)
        Gemm("f16", **sizes, cache=Cache.none())
        self.assertEqual((cache.info.hits, cache.info.stored), (stored, stored))

    def test_the_environment(self):
        program = ("import json; from cucore import Cache; from cucore.utils import FileStreamProgramCache as F\n"
                   "cache, small = F(), F(max_size_bytes=4000)\n"
                   "cache['a'] = b'1'; small['b'] = b'2'\n"
                   "print(json.dumps([len(cache), small.get('a') == b'1', Cache.default().info.max_bytes]))")
        folder = {"CUCORE_CACHE_DIR": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "xdg")}
        for variables, found in (
            ({"CUCORE_CACHE": "1"}, [2, True, 1 << 30]),
            ({"CUCORE_CACHE": "0"}, [0, False, 0]),
            ({"CUCORE_CACHE": "1", "CUCORE_CACHE_MAX_BYTES": "5K"}, [2, True, 5120]),
            ({"CUCORE_CACHE": "1", "CUCORE_CACHE_DIR": ""}, [2, True, 1 << 30]),
        ):
            with self.subTest(variables):
                self.assertEqual(json.loads(child(program, **{**folder, **variables})), found)
        self.assertTrue((self.folder / "xdg" / "cucore" / "state").exists())


class Mappings(Folders):
    def each(self, **options):
        yield InMemoryProgramCache(**options)
        yield FileStreamProgramCache(self.folder, **options)

    def test_all_caches_behave_alike(self):
        code = ObjectCode.from_ptx(PTX.encode(), name="k")
        for cache in self.each():
            with self.subTest(type(cache).__name__), cache as entered:
                self.assertIs(entered, cache)
                self.assertIsInstance(cache, ProgramCacheResource)
                self.assertEqual((len(cache), cache.get("a"), cache.get("a", b"b")), (0, None, b"b"))
                cache["a"] = bytearray(b"1")
                cache.update({b"b": memoryview(b"22"), "": b""})
                cache.update([("c" * 5000, code)])
                self.assertEqual([cache[key] for key in (b"a", "b", bytearray(b""), "c" * 5000)],
                                 [b"1", b"22", b"", PTX.encode()])
                cache["a"] = b"other"
                self.assertEqual((cache["a"], len(cache)), (b"other", 4))
                del cache["a"]
                for call in (lambda cache=cache: cache["a"], lambda cache=cache: cache.__delitem__("a")):
                    with self.assertRaises(KeyError) as caught:
                        call()
                    self.assertEqual(caught.exception.args, ("a",))
                for call, text in ((lambda cache=cache: cache[1], "keys must be bytes or str, not int"),
                                   (lambda cache=cache: "a" in cache, "not a container"),
                                   (lambda cache=cache: list(cache), "not iterable"),
                                   (lambda cache=cache: cache.__setitem__("a", "text"), "bytes-like or ObjectCode"),
                                   (lambda cache=cache: cache.__setitem__("a", 5), "bytes-like or ObjectCode"),
                                   (lambda cache=cache: cache.update([(None, b"")]), "not NoneType")):
                    with self.assertRaisesRegex(TypeError, text):
                        call()
                cache.clear()
                self.assertEqual(len(cache), 0)
            cache["a"] = b"after close()"
            self.assertEqual(cache["a"], b"after close()")

    def test_the_least_recently_used_entries_are_removed(self):
        size = 1000
        for cache in self.each(max_size_bytes=3 * (size + HEAD)):
            with self.subTest(type(cache).__name__):
                for key in "abc":
                    cache[key] = b"x" * size
                    time.sleep(0.02)  # file times are coarse
                self.assertEqual(cache["a"], b"x" * size)
                time.sleep(0.02)
                cache["d"] = b"x" * size * 2 if isinstance(cache, InMemoryProgramCache) else b"x" * size
                self.assertIsNone(cache.get("b"))
                self.assertIsNotNone(cache.get("d"))
                self.assertIsNotNone(cache.get("a"))
                cache["a"] = b"x" * 9999  # larger than the limit
                self.assertIsNone(cache.get("a"))
        for bad in (0, -1):
            for make in (lambda bad=bad: InMemoryProgramCache(max_size_bytes=bad),
                         lambda bad=bad: FileStreamProgramCache(self.folder, max_size_bytes=bad)):
                with self.assertRaisesRegex(ValueError, "expected a positive number"):
                    make()
        for bad, error in (("1", TypeError), (1e9, TypeError), (2**64, OverflowError)):
            for make in (lambda bad=bad: InMemoryProgramCache(max_size_bytes=bad),
                         lambda bad=bad: FileStreamProgramCache(self.folder, max_size_bytes=bad)):
                with self.subTest(bad), self.assertRaisesRegex(error, "^max_size_bytes"):
                    make()

    def test_names_of_folders_need_no_encoding(self):
        name = os.fsdecode(os.fsencode(self.folder) + b"/\xff")
        for folder in (name, pathlib.Path(name)):
            with FileStreamProgramCache(folder) as cache:
                cache["a"] = b"1"
                self.assertEqual(cache["a"], b"1")
        self.assertTrue(os.path.isdir(name))

    def test_the_base_class_is_abstract(self):
        with self.assertRaisesRegex(TypeError, "abstract"):
            ProgramCacheResource()

    def test_threads_share_a_cache(self):
        for cache in self.each(max_size_bytes=20000):
            def use(number, cache=cache):
                for i in range(100):
                    key = f"{(number * i) % 17}"
                    cache[key] = key.encode() * 100
                    if cache.get(key) not in (None, key.encode() * 100):
                        wrong.append(key)

            wrong = []
            threads = [threading.Thread(target=use, args=(i,)) for i in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])
            self.assertLessEqual(len(cache), 17)

    def test_a_damaged_entry_is_absent(self):
        cache = FileStreamProgramCache(self.folder)
        for number in range(100):
            cache["a"] = b"x" * 500
            path, = self.files()
            data = bytearray(path.read_bytes())
            if number % 4:
                data[random.randrange(len(data))] ^= 1 << random.randrange(8)
            else:
                del data[random.randrange(len(data)):]
            path.write_bytes(data)
            with self.assertRaises(KeyError):
                cache["a"]
        del cache["a"]
        self.assertEqual(self.files(), [])

    def test_a_folder_that_can_only_be_read(self):
        cache = FileStreamProgramCache(self.folder)
        cache["a"] = b"data"

        def use():
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            reader = FileStreamProgramCache(self.folder)
            if (reader["a"], reader.get("b"), len(reader)) != (b"data", None, 1):
                return 2
            for call in (lambda: reader.__setitem__("b", b""), lambda: reader.__setitem__("a", b""),
                         lambda: reader.__delitem__("a"), reader.clear):
                try:
                    call()
                    return 3
                except OSError:
                    pass
            return 0 if reader["a"] == b"data" else 4

        paths = [self.folder, *self.folder.rglob("*")]
        self.folder.parent.chmod(0o755)
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)
            if os.geteuid() == 0:
                os.chown(path, 65534, 65534)
        try:
            self.assertEqual(in_child(use), 0)
        finally:
            for path in paths:
                if os.geteuid() == 0:
                    os.chown(path, 0, 0)
                path.chmod(0o755 if path.is_dir() else 0o644)

    def test_a_removed_folder_is_made_again(self):
        cache = FileStreamProgramCache(self.folder)
        self.folder.rmdir()
        self.assertEqual((len(cache), cache.get("a")), (0, None))
        cache["a"] = b"data"
        self.assertEqual(cache["a"], b"data")


def start(function):
    """Run a function in a child process; return the child."""
    process = os.fork()
    if process == 0:
        status = 99
        try:
            status = function() or 0
        except BaseException as error:
            sys.stderr.write(f"{error!r}\n")
        finally:
            os._exit(status)
    return process


def in_child(function):
    return os.waitstatus_to_exitcode(os.waitpid(start(function), 0)[1])


def value(key, number):
    """Return a value that shows whether it is complete."""
    return f"{key} {number} ".encode() * (1 + number % 400)


def is_value(key, data):
    return data == value(key, int(data.split(b" ", 2)[1]))


class Processes(Folders):
    def test_eight_processes_write_one_folder(self):
        def use(number):
            draw = random.Random(number)
            with FileStreamProgramCache(self.folder, max_size_bytes=200_000) as cache:
                for i in range(300):
                    key = str(draw.randrange(60))
                    cache[key] = value(key, draw.randrange(1000))
                    data = cache.get(str(i % 60))
                    if data is not None and not is_value(str(i % 60), data):
                        return 1
                    if i % 20 == 0:
                        try:
                            del cache[key]
                        except KeyError:  # another process was first, or made room
                            pass
            return 0

        processes = [start(lambda i=i: use(i)) for i in range(8)]
        self.assertEqual([os.waitstatus_to_exitcode(os.waitpid(each, 0)[1]) for each in processes], [0] * 8)
        cache = FileStreamProgramCache(self.folder)
        found = {str(i): cache.get(str(i)) for i in range(60)}
        found = {key: data for key, data in found.items() if data is not None}
        self.assertGreater(len(found), 5)
        self.assertTrue(all(is_value(*each) for each in found.items()))
        self.assertEqual((len(cache), Cache(self.folder).verify()), (len(found), 0))
        self.assertLess(Cache(self.folder).info.bytes, 250_000)

    def test_writers_are_killed(self):
        def write():
            cache = FileStreamProgramCache(self.folder, max_size_bytes=50_000)
            os.write(ready[1], b"!")
            for i in range(1 << 30):
                cache[str(i % 10)] = value(str(i % 10), i % 1000)

        ready = os.pipe()
        cache, seen = FileStreamProgramCache(self.folder), 0
        for _ in range(int(os.environ.get("CUCORE_TEST_KILLS", "200"))):
            process = start(write)
            os.read(ready[0], 1)
            time.sleep(random.random() * 0.01)
            os.kill(process, signal.SIGKILL)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), -signal.SIGKILL)
            for key in map(str, range(10)):
                data = cache.get(key)
                seen += data is not None
                self.assertTrue(data is None or is_value(key, data), data)
        os.close(ready[0])
        os.close(ready[1])
        self.assertGreater(seen, 0)
        self.assertEqual(Cache(self.folder).verify(), 0)
        cache["after"] = b"data"
        self.assertEqual(cache["after"], b"data")


def key(code="a", code_type="c++", options=ARCH, target_type="cubin", **others):
    return make_program_cache_key(code=code, code_type=code_type, options=options, target_type=target_type, **others)


def opts(**fields):
    return ProgramOptions(**{"arch": "sm_90", **fields})


class Keys(unittest.TestCase):
    def setUp(self):
        compiled(SAXPY)  # skip the test if there is no compiler

    def test_whatever_changes_the_code_changes_the_key(self):
        rows = [
            {}, {"code": "b"}, {"target_type": "ptx"}, {"target_type": "ltoir"}, {"options": opts(arch="sm_80")},
            {"options": opts(use_fast_math=True)}, {"options": opts(name="b")}, {"options": opts(name=None)},
            {"options": opts(headers={"h.h": "1"})}, {"options": opts(headers={"h.h": "2"})},
            {"options": opts(define_macro="A")}, {"options": opts(define_macro=("A", "2"))},
            {"name_expressions": ["f"]}, {"name_expressions": [b"f"]}, {"name_expressions": ["f", "g"]},
            {"extra_digest": b""}, {"extra_digest": b"1"}, {"options": opts(include_path="/a"), "extra_digest": b"1"},
            {"options": opts(headers={"h.h": "1"}), "extra_digest": b"1"},
            {"options": opts(headers={"h.h": "2"}), "extra_digest": b"1"},
            {"options": opts(ptxas_options="-v"), "extra_digest": b"1"},
            {"code_type": "ptx", "code": PTX}, {"code_type": "ptx", "code": PTX + "\n"},
            {"code_type": "ptx", "code": PTX, "target_type": "ptx"},
            {"code_type": "ptx", "code": PTX, "options": opts(arch="sm_100")},
            {"code_type": "ptx", "code": PTX, "options": opts(lineinfo=True)},
            {"code_type": "tile", "code": TILE}, {"code_type": "tile", "code": TILE + "\n"},
            {"code_type": "tile", "code": TILE, "options": opts(warps=8)},
            {"code_type": "tile", "code": TILE, "options": opts(constants={"B": 128})},
            {"code_type": "tile", "code": TILE, "target_type": "ptx"},
        ]
        keys = [key(**row) for row in rows]
        self.assertEqual([key(**row) for row in rows], keys)
        self.assertEqual({(type(each), len(each)) for each in keys}, {(bytes, 32)})
        self.assertEqual([row for i, row in enumerate(rows) if keys[i] in keys[:i]], [])

    def test_irrelevant_changes_keep_the_key(self):
        ptx = {"code_type": "ptx", "code": PTX}
        for a, b in (
            ({}, {"code_type": "C++", "target_type": "CUBIN"}),
            ({"name_expressions": ["f", "g"]}, {"name_expressions": ("g", "f")}),
            ({}, {"options": opts(include_path=[], pre_include=(), pch=False)}),
            (ptx, {**ptx, "name_expressions": [5]}),
            (ptx, {**ptx, "options": opts(debug=False, lineinfo=False, ftz=True)}),
            ({"code_type": "tile", "code": TILE}, {"code_type": "tile", "code": TILE.encode()}),
        ):
            with self.subTest(b):
                self.assertEqual(key(**a), key(**b))

    def test_a_header_changes_the_key(self):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder) / "h.h"
            header.write_text("#define A 1\n")
            source = f'#include "{header}"\n'
            first = key(source)
            header.write_text("#define A 22\n")
            self.assertNotEqual(key(source), first)

    def test_options_without_a_key_are_refused(self):
        for error, text, row in (
            (ValueError, "side effects", {"options": opts(create_pch="a.pch")}),
            (ValueError, "side effects", {"options": opts(time=False), "extra_digest": b"1"}),
            (ValueError, "side effects", {"options": opts(fdevice_time_trace="a.json"), "extra_digest": b"1"}),
            (ValueError, "include_path names files.*extra_digest", {"options": opts(include_path="/a")}),
            (ValueError, "pre_include names files", {"options": opts(pre_include=["a.h"])}),
            (ValueError, "pch names files", {"options": opts(pch=True)}),
            (ValueError, "use_pch, pch_dir names files", {"options": opts(use_pch="", pch_dir="")}),
            (ValueError, "directory component.*extra_digest", {"options": opts(name="a/b.cu")}),
            (ValueError, "does not name its file: H.*extra_digest", {"code": "#define H(X) <X>\n#include H(h.h)\n"}),
            (ValueError, "__TIME__.*extra_digest", {"code": "const char *t = __TIME__;"}),
            (ValueError, "ptxas_options.*extra_digest", {"options": opts(ptxas_options="--output-file=a")}),
            (ValueError, "extra_sources", {"options": opts(extra_sources=[("a", "b")])}),
            (ValueError, "extra_sources", {"options": opts(extra_sources=[("a", "b")]), "code_type": "ptx"}),
            (ValueError, "--output-file=a.*without a cache$",
             {"code": TILE, "code_type": "tile", "options": opts(ptxas_options="--output-file=a")}),
            (ValueError, "code_type is 'fortran'", {"code_type": "fortran"}),
            (ValueError, "target_type='exe'", {"target_type": "exe"}),
            (ValueError, "not valid for code_type='ptx'", {"code_type": "ptx", "target_type": "ltoir"}),
            (TypeError, "code must be str or bytes", {"code": 5}),
            (TypeError, "code must be str for code_type", {"code": b"a"}),
            (TypeError, "name_expressions", {"name_expressions": ["f", bytearray(b"g")]}),
        ):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                key(**row)


class Counting(InMemoryProgramCache):
    """Counts lookups and writes."""

    def __init__(self):
        super().__init__()
        self.asked, self.written = [], []

    def get(self, key, default=None):
        self.asked.append(key)
        return super().get(key, default)

    def __setitem__(self, key, value):
        self.written.append(key)
        super().__setitem__(key, value)


class Compilations(Folders):
    def setUp(self):
        super().setUp()
        compiled(SAXPY)

    def test_the_second_compilation_is_a_hit(self):
        for source, code_type, target, name in ((SAXPY, "c++", "ptx", "a"), (SAXPY, "c++", "cubin", None),
                                                (SAXPY, "c++", "LTOIR", "default_program"), (TILE, "tile", "ptx", None),
                                                (TILE.encode(), "Tile", "cubin", "t"), (PTX, "ptx", "cubin", None)):
            with self.subTest(code_type=code_type, target=target):
                cache, log = Counting(), io.StringIO()
                options = opts(name=name)
                first = Program(source, code_type, options).compile(target, logs=log, cache=cache)
                log = io.StringIO()
                second = Program(source, code_type, options).compile(target, (), log, cache=cache)
                self.assertEqual((len(cache.asked), len(cache.written), log.getvalue()), (2, 1, ""))
                self.assertIsNot(first, second)
                for name in ("code", "code_type", "name"):
                    self.assertEqual(getattr(first, name), getattr(second, name))
                if code_type != "c++" and target == "ptx":
                    self.assertEqual(second.tile_entries("f"), first.tile_entries("f"))

    def test_compile_uses_the_key_of_the_function(self):
        cache = Counting()
        Program(SAXPY, "c++", ARCH).compile("ptx", cache=cache)
        self.assertEqual(cache.asked, [key(SAXPY, target_type="ptx")])

    def test_another_process_finds_it(self):
        program = ("from cucore import Program; from cucore.utils import FileStreamProgramCache\n"
                   f"cache = FileStreamProgramCache({str(self.folder)!r})\n"
                   f"Program({SAXPY!r}, 'c++', {{'arch': 'sm_90'}}).compile('cubin', cache=cache)\n"
                   "print(cache._cache.info.hits, cache._cache.info.stored, 'libnvrtc' in open('/proc/self/maps').read())")
        self.assertEqual(child(program, CUCORE_CACHE="0").split(), ["0", "1", "True"])
        self.assertEqual(child(program, CUCORE_CACHE="0").split(), ["1", "0", "False"])

    def test_a_refused_compilation_does_not_look_into_the_cache(self):
        class Duck:
            get = __setitem__ = None

        closed = Program(SAXPY, "c++", ARCH)
        closed.close()
        for error, text, program, names, cache in (
            (TypeError, "expected a ProgramCacheResource", Program(SAXPY, "c++", ARCH), (), Duck()),
            (TypeError, "ProgramOptions.cache=. takes a Cache", Program(SAXPY, "c++", ARCH), (), Cache.none()),
            (ValueError, "name_expressions", Program(SAXPY, "c++", ARCH), ["saxpy"], None),
            (ValueError, "extra_digest", Program(SAXPY, "c++", opts(include_path="/a")), (), None),
            (ValueError, "closed", closed, (), None),
            (cucore.CompileError, "undeclared", Program("int f() { undeclared; }", "c++", ARCH), (), None),
        ):
            own = Counting()
            with self.subTest(text), self.assertRaisesRegex(error, text):
                program.compile("ptx", names, cache=cache or own)
            self.assertEqual(own.written, [])
            self.assertEqual(len(own.asked), error is cucore.CompileError)

    def test_bytes_that_are_not_code_cause_a_compilation(self):
        cache = Counting()
        program = Program(SAXPY, "c++", ARCH)
        code = program.compile("cubin", cache=cache).code
        cache[cache.written[0]] = b"damaged"
        self.assertEqual(program.compile("cubin", cache=cache).code, code)
        self.assertEqual(cache[cache.written[0]], code)

    def test_code_is_not_cached_if_a_file_changes_meanwhile(self):
        header = self.folder.parent / "h.h"
        header.write_text("#define A 1\n")

        class Changing(Counting):
            def get(self, key, default=None):
                header.write_text("#define A 22\n")  # another size, because its time may be the same
                return super().get(key, default)

        cache = Changing()
        program = Program(f'#include "{header}"\n__device__ int a = A;', "c++", ARCH)
        for written in (0, 1):
            program.compile("ptx", cache=cache)
            self.assertEqual(len(cache.written), written)
        self.assertEqual(len(cache.asked), 2)

    def test_failures_of_a_cache_are_not_failures_of_a_compilation(self):
        class Broken(Counting):
            def __setitem__(self, key, value):
                raise RuntimeError("full")

        with self.assertRaisesRegex(RuntimeError, "full"):
            Program(SAXPY, "c++", ARCH).compile("ptx", cache=Broken())


if __name__ == "__main__":
    unittest.main()
