"""Launches: the way from Python values to a kernel's arguments, made short.

For each kernel and the types of its arguments a plan is made once, by which `launch()`, a function of
the library that the interpreter calls itself, reads the values. Where the last plan does not fit, or
something is wrong, `_slowly()` finds out: it has a function written, for the same, that packs the
values into the array of cuc_arg that the library takes; also what plans cannot say, such as structs.
"""
from __future__ import annotations

import ctypes
import struct
import warnings
from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Union

from . import raw
from ._condition import GraphCondition
from ._errors import NotSupportedError, fail, last_error
from ._handle import handle_of, not_copied, options
from ._memory import Buffer
from ._native import ConfigBase, methods
from ._object import Kernel
from ._stream import Stream, StreamLike, as_stream
from ._tensor import Tensor, as_tensor, dtype_number, has_interface
from ._tensor_map import TensorMapDescriptor

Dim = Union[int, Sequence[int]]

_launch = raw.prototype("cuc_launch")
_launch.argtypes = None  # every argument is an object of ctypes, or bytes: nothing is converted

# cuc_arg: type, bytes, and eight bytes of value.
_HEAD = "iI"
_VALUE = {raw.CUC_BOOL: "?7x", raw.CUC_I8: "b7x", raw.CUC_I16: "h6x", raw.CUC_I32: "i4x",
          raw.CUC_I64: "q", raw.CUC_U8: "B7x", raw.CUC_U16: "H6x", raw.CUC_U32: "I4x",
          raw.CUC_U64: "Q", raw.CUC_F16: "e6x", raw.CUC_F32: "f4x", raw.CUC_F64: "d"}

# Scalars that say themselves how large they are, by the names of their classes.
_NUMPY = {"bool": raw.CUC_BOOL, "bool_": raw.CUC_BOOL, "int8": raw.CUC_I8, "int16": raw.CUC_I16,
          "int32": raw.CUC_I32, "int64": raw.CUC_I64, "longlong": raw.CUC_I64,
          "uint8": raw.CUC_U8, "uint16": raw.CUC_U16, "uint32": raw.CUC_U32,
          "uint64": raw.CUC_U64, "ulonglong": raw.CUC_U64, "float16": raw.CUC_F16,
          "float32": raw.CUC_F32, "float64": raw.CUC_F64}
_COMPLEX = {"complex64": 8, "complex128": 16}
_CTYPES: dict[type, int] = {
    ctypes.c_bool: raw.CUC_BOOL, ctypes.c_int8: raw.CUC_I8, ctypes.c_int16: raw.CUC_I16, ctypes.c_int32: raw.CUC_I32,
    ctypes.c_int64: raw.CUC_I64, ctypes.c_uint8: raw.CUC_U8, ctypes.c_uint16: raw.CUC_U16,
    ctypes.c_uint32: raw.CUC_U32, ctypes.c_uint64: raw.CUC_U64, ctypes.c_float: raw.CUC_F32,
    ctypes.c_double: raw.CUC_F64}
_INTS = {1: raw.CUC_I8, 2: raw.CUC_I16, 4: raw.CUC_I32, 8: raw.CUC_I64}
_UINTS = {1: raw.CUC_U8, 2: raw.CUC_U16, 4: raw.CUC_U32, 8: raw.CUC_U64}
_FLOATS = {2: raw.CUC_F16, 4: raw.CUC_F32, 8: raw.CUC_F64}


@methods
class LaunchConfig(ConfigBase):
    """The shape of a launch. What is assigned is so from the next launch on, also of those that were prepared
    with it; any number of threads may share one that is not changed meanwhile.

    With a cluster, the grid counts clusters, as cuda.core has it. A tile kernel has its own number of threads,
    `block=None`; for one with a grid of its own give no config: `launch(stream, None, kernel, ...)`.
    """

    __slots__ = ()
    grid: tuple[int, int, int]
    cluster: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    shmem_size: int
    is_cooperative: bool
    programmatic_stream_serialization: bool
    _config = ConfigBase._address  # by a name that C looks for: arrays have an `_address` too

    def __init__(self, grid: Dim = 1, cluster: Dim | None = None, block: Dim | None = 1, shmem_size: int = 0,
                 is_cooperative: bool = False,
                 programmatic_stream_serialization: bool = False) -> None:
        put = object.__setattr__
        put(self, "_kept", self._set(grid, cluster, block, shmem_size, is_cooperative,
                                     programmatic_stream_serialization))
        put(self, "_address", ctypes.addressof(self._kept))  # which the library copies

    @property
    def _struct(self) -> Any:
        return raw.cuc_launch_config.from_address(self._address)

    @property
    def _p(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self._address)

    def _set(self, grid: Dim, cluster: Dim | None, block: Dim | None, *others: Any) -> Any:
        """All fields, or none where one is refused; and a struct of them."""
        fields = (dim("grid", grid), dim("cluster", cluster) if cluster is not None else None,
                  dim("block", block) if block is not None else None, *others)
        blocks, clusters, threads, shared, cooperative, programmatic = fields
        if clusters is not None:
            blocks = tuple(g * c for g, c in zip(blocks, clusters))
        flags = (raw.CUC_LAUNCH_COOPERATIVE if cooperative else 0) | \
                (raw.CUC_LAUNCH_PROGRAMMATIC if programmatic else 0)
        made = options(raw.cuc_launch_config, grid=blocks, block=threads, cluster=clusters, shared_bytes=shared,
                       flags=flags)
        for name, value in zip(_FIELDS, fields):
            object.__setattr__(self, name, value)
        return made

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in _FIELDS)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _FIELDS:
            raise AttributeError(f"a LaunchConfig has no {name}: there are {', '.join(_FIELDS)}")
        # In its place, since prepared launches have its address.
        made = self._set(*(value if each == name else now for each, now in zip(_FIELDS, self._fields())))
        ctypes.memmove(self._address, ctypes.addressof(made), ctypes.sizeof(made))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields()

    def __eq__(self, other: object) -> bool:
        return self._fields() == other._fields() if isinstance(other, LaunchConfig) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        shown = _FIELDS if self.programmatic_stream_serialization else _FIELDS[:-1]
        return f"LaunchConfig({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


_FIELDS = ("grid", "cluster", "block", "shmem_size", "is_cooperative", "programmatic_stream_serialization")


def dim(name: str, value: Dim) -> tuple[int, int, int]:
    if type(value) is int and 1 <= value < 2**32:
        return value, 1, 1
    try:
        given = tuple(map(index, value)) if isinstance(value, Iterable) else (index(value),)
    except TypeError:
        raise TypeError(f"{name} is {value!r}: expected an integer, or up to three") from None
    if not 1 <= len(given) <= 3:
        raise ValueError(f"{name} has {len(given)} numbers: expected 1 to 3")
    for each in given:
        if not 1 <= each < 2**32:
            raise (ValueError if each < 1 else OverflowError)(
                f"{name} is {value!r}: expected numbers from 1 to {2**32 - 1}")
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


# ---- packing -------------------------------------------------------------------------------------

def _parameters(kernel: Kernel) -> list[tuple[int, int]] | None:
    """(bytes, dtype) of each parameter of a kernel; None where the driver is too old to tell.

    A dtype is one of a tile kernel, of 0 bytes when it is a tensor's; of other kernels it is -1 less
    what is known of the type.
    """
    tile = options(raw.cuc_tile_parameter)
    result = []
    try:
        count = kernel.num_arguments
    except NotSupportedError:
        return None
    for index in range(count):
        if raw.cuc_tile_get_parameter(ctypes.byref(tile), kernel._h, index) == raw.CUC_OK:
            size = 0 if tile.rank >= 0 else raw.cuc_dtype_bits(tile.dtype) // 8
            result.append((size, tile.dtype))
        else:
            one = kernel._parameter(index)
            result.append((one.bytes, -1 - one.type))
    return result


def _of_class(known: dict[type, int], kind: type) -> int:
    """What a table has for a class, or for what it is derived from; 0 for nothing."""
    return next((known[each] for each in kind.__mro__ if each in known), 0)


def _numpy_class(kind: type) -> str:
    """The name of the NumPy scalar that a class is, or is derived from; "" for another class."""
    return next((each.__name__ for each in kind.__mro__ if each.__module__ == "numpy" and
                 (each.__name__ in _NUMPY or each.__name__ in _COMPLEX)), "")


class _Packer:
    """Writes the functions for arguments of certain types: one that packs, one that launches."""

    def __init__(self, kernel: Kernel, args: Sequence[Any], careful: bool = False) -> None:
        self.kernel, self.careful = kernel, careful
        self.wanted = _parameters(kernel)
        if self.wanted is not None and len(args) != len(self.wanted):
            raise TypeError(f"{kernel.name}() takes {len(self.wanted)} arguments, {len(args)} were given")
        self.formats: list[str] = []
        self.values: list[str] = []
        self.conversions: list[str] = []  # statements about arguments, ahead of all else
        self.types = [type(value) for value in args]
        self.plan: list[tuple[int, int]] | None = []  # how and dtype; None: plans cannot say it
        for index, value in enumerate(args):
            self.add(index, type(value), value)

    def put(self, arg: int, size: int, form: str, *values: str) -> None:
        self.formats.append(_HEAD + form)
        self.values += [str(arg), str(size), *values]

    def planned(self, how: int, dtype: int = 0) -> None:
        if self.plan is not None:
            self.plan.append((how, dtype))

    def scalar(self, dtype: int, value: str) -> None:
        if dtype == raw.CUC_F16:
            self.plan = None
        self.planned(raw.CUC_PYTHON_VALUE if value.endswith(".value") else raw.CUC_PYTHON_NUMBER, dtype)
        self.put(dtype, raw.cuc_dtype_bits(dtype) // 8, _VALUE[dtype], value)

    def add(self, index: int, kind: type, value: Any) -> None:
        name = f"a{index}"
        want = self.wanted[index] if self.wanted is not None else None
        tensor = want is not None and want[1] > 0 and want[0] == 0
        if kind is Tensor:
            self.planned(raw.CUC_PYTHON_TENSOR)
            self.put(raw.CUC_ARG_TENSOR, 8, "Q", f"{name}._address")
        elif issubclass(kind, Buffer) and not tensor:
            self.planned(raw.CUC_PYTHON_BUFFER)
            self.conversions.append(f"h{index} = {name}._h")  # which stays until the call is over
            self.put(raw.CUC_ARG_BUFFER, 8, "Q", f"h{index}")
        elif dtype := _of_class(_CTYPES, kind):
            self.scalar(dtype, f"{name}.value")
        elif kind is TensorMapDescriptor:
            self.plan = None
            self.put(raw.CUC_ARG_BYTES, 128, "Q", f"{name}._address")
        elif kind is GraphCondition:
            self.plan = None
            self.put(raw.CUC_U64, 8, _VALUE[raw.CUC_U64], f"{name}.handle")
        elif kind is ctypes.c_void_p:
            self.plan = None
            self.put(raw.CUC_ARG_POINTER, 8, "Q", f"{name}.value or 0")
        elif scalar := _numpy_class(kind):
            if scalar in _NUMPY:
                self.scalar(_NUMPY[scalar], name)
            else:
                self.pair(name, _COMPLEX[scalar])
        elif kind.__module__ == "ml_dtypes":
            self.plan = None  # its bits, which no letter of `struct` stands for
            dtype = dtype_number(kind)
            size = raw.cuc_dtype_bits(dtype) // 8
            self.put(dtype, size, f"{size}s{8 - size}x", f"{name}.tobytes()")
        elif issubclass(kind, complex):
            self.pair(name, want and want[0])
        elif issubclass(kind, (ctypes.Structure, ctypes.Union, ctypes.Array)):
            self.plan = None
            self.put(raw.CUC_ARG_BYTES, ctypes.sizeof(kind), "Q", f"_address({name})")
        elif has_interface(value, "__dlpack__") or has_interface(value, "__cuda_array_interface__"):
            self.plan = None
            self.conversions.append(f"{name} = _tensor({name})")
            self.put(raw.CUC_ARG_TENSOR, 8, "Q", f"{name}._address")
        elif isinstance(value, (int, float)):
            self.number(index, value, want or (8, -1))
        else:
            raise TypeError(f"argument {index} is a {kind.__name__}: expected a Buffer, a Tensor or "
                            "another array, a number, a NumPy or ctypes scalar, or a ctypes struct")

    def pair(self, name: str, size: int | None) -> None:
        """A complex number: two floats, or two doubles."""
        self.plan = None
        if size == 8:
            self.put(raw.CUC_C64, 8, "ff", f"{name}.real", f"{name}.imag")
        else:
            self.conversions.append(f"{name} = _pair({name}.real, {name}.imag)")
            self.put(raw.CUC_ARG_BYTES, 16, "Q", f"_address({name})")

    def number(self, index: int, value: float, want: tuple[int, int]) -> None:
        """A number of Python's takes the type that the kernel declares, where that is known."""
        size, dtype = want
        if dtype > 0:  # a tile kernel's
            if dtype not in _VALUE:
                raise TypeError(f"argument {index}: a Python number does not become "
                                f"{raw.NAMES['dtype'].get(dtype)}")
        elif isinstance(value, bool) and size == 1:
            dtype = raw.CUC_BOOL
        elif isinstance(value, float) or dtype == -1 - raw.CUC_PARAMETER_FLOAT:
            dtype = _FLOATS.get(size, raw.CUC_F64)
        elif self.careful or size not in _INTS:
            # Whether it is signed is not known: both ranges are taken.
            self.plan = None
            size = size if size in _INTS else 8
            self.put(_INTS[size], size, _VALUE[_UINTS[size]], f"_either({index}, a{index}, {size})")
            return
        else:
            dtype = _INTS[size]
        self.scalar(dtype, f"a{index}")

    def scope(self) -> dict[str, Any]:
        return {"_address": ctypes.addressof, "_tensor": as_tensor, "_pair": ctypes.c_double * 2, "_either": _either,
                "_pack": struct.Struct("=" + "".join(self.formats)).pack, "_call": _launch,
                "_types": self.types, "_kernel": self.kernel._p,
                "_count": ctypes.c_size_t(len(self.types)),
                **{f"_t{i}": kind for i, kind in enumerate(self.types)}}

    def parts(self) -> tuple[str, str, str]:
        """Parameters, conversions and packed values, as source."""
        names = "".join(f", a{i}" for i in range(len(self.types)))
        made = "".join(f"    {line}\n" for line in self.conversions)
        return names, made, f"_pack({', '.join(self.values)})"

    def packing(self) -> Any:
        """A function that gives the packed values, and the arguments that they may point to."""
        names, made, packed = self.parts()
        scope = self.scope()
        exec(f"def packing(_{names}):\n{made}    return {packed}, (_{names})\n", scope)
        return scope["packing"]

    def launching(self) -> Any:
        """A function that launches when the types are these, and else raises TypeError."""
        names, made, packed = self.parts()
        tests = " and ".join(f"type(a{i}) is _t{i}" for i in range(len(self.types))) or "True"
        scope = self.scope()
        source = f"def launching(stream, config, kernel{names}):\n    if not ({tests}):\n" \
                 f"        raise TypeError\n{made}    held = stream._h, kernel._h\n" \
                 f"    return _call(stream._p, config._p if config is not None else None, _kernel, " \
                 f"{packed}, _count)\n"
        exec(source, scope)
        return scope["launching"]


def _either(index: int, value: int, size: int) -> int:
    bits = 8 * size
    if -(1 << (bits - 1)) <= value < 1 << bits:
        return value & ((1 << bits) - 1)
    raise OverflowError(f"argument {index} is {value}: the kernel takes an integer of {size} bytes")


def _refused(kernel: Kernel, args: tuple[Any, ...], error: struct.error) -> TypeError:
    shown = ", ".join(f"{type(a).__name__} {a!r}" for a in args)
    return TypeError(f"an argument does not fit what {kernel.name}() takes ({error}): {shown}")


def _launcher(kernel: Kernel, args: tuple[Any, ...], careful: bool) -> Any:
    """The function for arguments of these types, written when they first come."""
    key = (careful, *map(type, args))
    made = kernel._launchers.get(key)
    if made is None:
        packer = _Packer(kernel, args, careful)
        made = packer.launching(), 0 if careful else _plan(kernel, packer)
        if kernel._h and len(kernel._launchers) < 64:
            kernel._launchers[key] = made
    if made[1]:
        kernel._plan = made[1]
    return made[0]


class Plan(int):
    """The address of a cuc_python_plan, with all that it points to."""

    held: Any


def _plan(kernel: Kernel, packer: _Packer) -> int:
    """The plan of a packer's types, or 0 where plans cannot say it."""
    if packer.plan is None or len(packer.plan) > 64:
        return 0
    key = tuple(packer.types)
    made = kernel._plans.get(key)
    if made is None:
        arguments = (raw.cuc_python_argument * len(packer.plan))(
            *[raw.cuc_python_argument(id(kind), how, dtype)
              for kind, (how, dtype) in zip(packer.types, packer.plan)])
        handle = kernel._h
        struct = raw.cuc_python_plan(handle, ctypes.addressof(arguments), len(packer.plan))
        made = Plan(ctypes.addressof(struct))
        made.held = struct, arguments, handle
        if not handle or len(kernel._plans) >= 64:
            return 0
        kernel._plans[key] = made
    return made


def _shaped(config: Any, kernel: Any) -> None:
    """Refuse what is no config or no kernel, and looks like one in parts."""
    handle_of(Kernel, kernel, "kernel")
    if config is not None and not isinstance(config, LaunchConfig):
        raise TypeError(f"config is a {type(config).__name__}: expected a LaunchConfig or None")


def _slowly(stream: StreamLike, config: LaunchConfig | None, kernel: Kernel, *args: Any) -> None:
    """Launch what the kernel's present plan does not take, or say what is wrong with it."""
    queue = as_stream(stream)
    if not (isinstance(stream, Stream) or hasattr(stream, "is_building")):  # a GraphBuilder
        warnings.warn("launch() with another library's stream is deprecated, as in cuda.core: pass "
                      "device.create_stream(obj), which wraps it", DeprecationWarning, stacklevel=3)
    _shaped(config, kernel)
    launching = _launcher(kernel, args, careful=False)
    try:
        try:
            failed: int = launching(queue, config, kernel, *args)
        except struct.error:
            failed = _launcher(kernel, args, careful=True)(queue, config, kernel, *args)
    except struct.error as error:
        raise _refused(kernel, args, error) from None
    if failed:
        raise last_error()


_slowly.__qualname__ = "launch"  # what Python tells of arguments that are not right


def _function() -> Any:
    """launch(): a function of the library that the interpreter calls itself."""
    out: ctypes.py_object[Any] = ctypes.py_object()
    if raw.prototype("cuc_python_get_launch", release_gil=False)(ctypes.byref(out), id(_slowly)) < 0:
        raise last_error()
    made = out.value
    release = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_DecRef", ctypes.pythonapi))
    release(made)  # its first reference, that of `out`
    return made


if TYPE_CHECKING:
    def launch(stream: StreamLike, config: LaunchConfig | None, kernel: Kernel, *args: Any) -> None:
        """Launch a kernel in a stream's order.

        Arguments are buffers, tensors and other libraries' arrays (their address, or all of them for
        a tile kernel), NumPy and ctypes scalars as they are, ctypes structs, and Python numbers,
        which take the size that the kernel declares.
        """
else:
    launch = _function()


class PreparedLaunch:
    """A launch with everything given: calling it is one call of the library.

    It keeps the arguments, also buffers that are closed meanwhile. `replace(*args)` gives others; the
    stream, the config and the kernel stay, and what is assigned to the config is in the next call.
    """

    __slots__ = ("_launch", "__weakref__")
    _launch: tuple[Any, ...]  # the address of a cuc_python_launch, that, what it points to, and what was given
    _failed = staticmethod(fail)
    if TYPE_CHECKING:
        def __call__(self) -> None: ...

    def __init__(self, stream: StreamLike, config: LaunchConfig | None, kernel: Kernel,
                 *args: Any) -> None:
        self._prepare(as_stream(stream), config, kernel, args)

    @property
    def stream(self) -> Stream:
        return self._launch[-4]  # type: ignore[no-any-return]

    @property
    def config(self) -> LaunchConfig | None:
        return self._launch[-3]  # type: ignore[no-any-return]

    @property
    def kernel(self) -> Kernel:
        return self._launch[-2]  # type: ignore[no-any-return]

    @property
    def args(self) -> tuple[Any, ...]:
        return self._launch[-1]  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return not_copied(self)

    def replace(self, *args: Any) -> None:
        """Launch with these arguments from now on."""
        self._prepare(self.stream, self.config, self.kernel, args)

    def _prepare(self, stream: Stream, config: LaunchConfig | None, kernel: Kernel, args: tuple[Any, ...]) -> None:
        _shaped(config, kernel)
        # Buffers by references of its own, so that one that is closed is not used.
        held = tuple(a._again() if isinstance(a, Buffer) else a for a in args)
        try:
            packed, held = _Packer(kernel, held, careful=True).packing()(None, *held)
        except struct.error as error:
            raise _refused(kernel, args, error) from None
        # The variables of the stream and the kernel, which are NULL once those are closed.
        handles = stream._h, kernel._h  # which a call under way may go on with
        made = raw.cuc_python_launch(
            stream=ctypes.addressof(stream._p), kernel=ctypes.addressof(kernel._p),
            config=config._address if config is not None else None,
            args=ctypes.cast(packed, ctypes.c_void_p), arg_count=len(args))
        self._launch = ctypes.addressof(made), made, packed, held, handles, stream, config, kernel, args


if raw.prototype("cuc_python_add_call", release_gil=False)(id(PreparedLaunch)) < 0:
    raise last_error()
