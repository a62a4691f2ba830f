"""Launches: a fast path from Python values to kernel arguments.

Each combination of a kernel and argument types has a plan, which is built once. `launch()` is a
library function that the interpreter calls directly; it reads the values as the plan says. If
the last plan does not match, or an argument is wrong, `_slowly()` takes over: it uses a function
generated for these types, which packs the values into the library's cuc_arg array. The same path
handles arguments that plans cannot express, such as structs.
"""
from __future__ import annotations

import ctypes
import struct
import warnings
from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, NoReturn, Union

from . import raw
from ._condition import GraphCondition
from ._errors import NotSupportedError, check, fail, last_error, text
from ._handle import handle_of, not_copied, options
from ._memory import Buffer
from ._native import ConfigBase, methods
from ._object import Kernel
from ._stream import Stream, StreamLike, as_stream
from ._tensor import Tensor, as_tensor, dtype_number, has_interface
from ._tensor_map import TensorMapDescriptor

Dim = Union[int, Sequence[int]]

_launch = raw.prototype("cuc_launch")
_launch.argtypes = None  # every argument is already a ctypes object or bytes, so nothing is converted

# layout of cuc_arg: type, bytes, and an eight-byte value
_HEAD = "iI"
_VALUE = {raw.CUC_BOOL: "?7x", raw.CUC_I8: "b7x", raw.CUC_I16: "h6x", raw.CUC_I32: "i4x",
          raw.CUC_I64: "q", raw.CUC_U8: "B7x", raw.CUC_U16: "H6x", raw.CUC_U32: "I4x",
          raw.CUC_U64: "Q", raw.CUC_F16: "e6x", raw.CUC_F32: "f4x", raw.CUC_F64: "d"}

# NumPy scalars with a fixed size, by class name.
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
    """The shape of a launch. Assigning a field affects all later launches, including those prepared with this config.
    Threads may share a config as long as none changes it.

    With a cluster, the grid counts clusters, as in cuda.core. A tile kernel fixes its number of threads: use
    `block=None`. If it also declares its grid, pass no config: `launch(stream, None, kernel, ...)`.
    """

    __slots__ = ()
    grid: tuple[int, int, int]
    cluster: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    shmem_size: int
    is_cooperative: bool
    programmatic_stream_serialization: bool
    _config = ConfigBase._address  # a name C can look up unambiguously: arrays have an `_address` too

    def __init__(self, grid: Dim = 1, cluster: Dim | None = None, block: Dim | None = 1, shmem_size: int = 0,
                 is_cooperative: bool = False,
                 programmatic_stream_serialization: bool = False) -> None:
        put = object.__setattr__
        put(self, "_kept", self._set(grid, cluster, block, shmem_size, is_cooperative,
                                     programmatic_stream_serialization))
        put(self, "_address", ctypes.addressof(self._kept))  # the library copies the struct

    @property
    def _struct(self) -> Any:
        return raw.cuc_launch_config.from_address(self._address)

    @property
    def _p(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self._address)

    def _set(self, grid: Dim, cluster: Dim | None, block: Dim | None, *others: Any) -> Any:
        """Set all fields, or none if one of them is invalid; return the struct."""
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
        # Update the struct in place, because prepared launches hold its address.
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
    """Return (bytes, dtype) for each parameter of a kernel; None if the driver is too old to report
    them.

    For a tile kernel, the dtype is the parameter's own, with 0 bytes for a tensor. For other
    kernels, it is -1 - t, where t is the parameter's CUC_PARAMETER_ type.
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
    """Look up a class or its nearest base class in a table; 0 if absent."""
    return next((known[each] for each in kind.__mro__ if each in known), 0)


def _numpy_class(kind: type) -> str:
    """Return the name of the NumPy scalar type that a class is or derives from; "" for other
    classes."""
    return next((each.__name__ for each in kind.__mro__ if each.__module__ == "numpy" and
                 (each.__name__ in _NUMPY or each.__name__ in _COMPLEX)), "")


class _Packer:
    """Generates the source of the functions that pack and launch, for given argument types."""

    def __init__(self, kernel: Kernel, args: Sequence[Any], careful: bool = False) -> None:
        self.kernel, self.careful = kernel, careful
        self.wanted = _parameters(kernel)
        if self.wanted is not None and len(args) != len(self.wanted):
            raise TypeError(f"{kernel.name}() takes {len(self.wanted)} arguments, {len(args)} were given")
        self.formats: list[str] = []
        self.values: list[str] = []
        self.conversions: list[str] = []  # statements that convert arguments; they run first
        self.types = [type(value) for value in args]
        self.plan: list[tuple[int, int]] | None = []  # (how, dtype) pairs; None if a plan cannot express the arguments
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
        elif issubclass(kind, Buffer) and want is not None and tensor and want[1] != raw.CUC_U8:
            dtype = text(raw.cuc_dtype_name(want[1]))
            raise TypeError(f"argument {index}: expected a tensor of {dtype}, got a Buffer, which has no shape: pass "
                            f'buffer.view("{dtype}", shape)')
        elif issubclass(kind, Buffer) and not tensor:
            self.planned(raw.CUC_PYTHON_BUFFER)
            self.conversions.append(f"h{index} = {name}._h")  # keeps the handle alive during the call
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
            self.plan = None  # passed as raw bits, because `struct` has no format character for it
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
        """Pack a complex number as two floats or two doubles."""
        self.plan = None
        if size == 8:
            self.put(raw.CUC_C64, 8, "ff", f"{name}.real", f"{name}.imag")
        else:
            self.conversions.append(f"{name} = _pair({name}.real, {name}.imag)")
            self.put(raw.CUC_ARG_BYTES, 16, "Q", f"_address({name})")

    def number(self, index: int, value: float, want: tuple[int, int]) -> None:
        """Pack a Python number with the type the kernel declares, if known."""
        size, dtype = want
        if dtype > 0:  # a tile kernel's dtype
            if dtype not in _VALUE:
                raise TypeError(f"argument {index}: a Python number does not become "
                                f"{raw.NAMES['dtype'].get(dtype)}")
        elif isinstance(value, bool) and size == 1:
            dtype = raw.CUC_BOOL
        elif isinstance(value, float) or dtype == -1 - raw.CUC_PARAMETER_FLOAT:
            dtype = _FLOATS.get(size, raw.CUC_F64)
        elif self.careful or size not in _INTS:
            # The signedness is unknown: accept both ranges.
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
        """Return source text: parameters, conversions and packed values."""
        names = "".join(f", a{i}" for i in range(len(self.types)))
        made = "".join(f"    {line}\n" for line in self.conversions)
        return names, made, f"_pack({', '.join(self.values)})"

    def packing(self) -> Any:
        """Generate a function that returns the packed values, and the arguments that they may point
        to."""
        names, made, packed = self.parts()
        scope = self.scope()
        exec(f"def packing(_{names}):\n{made}    return {packed}, (_{names})\n", scope)
        return scope["packing"]

    def launching(self) -> Any:
        """Generate a function that launches if the types match and raises TypeError otherwise."""
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


def _refused(kernel: Kernel, args: tuple[Any, ...], error: struct.error | OverflowError) -> Exception:
    """Return an exception that names the first argument that does not fit."""
    if isinstance(error, OverflowError) and str(error).startswith("argument"):
        return error
    wanted = _parameters(kernel)
    tile = options(raw.cuc_tile_parameter)
    for index, value in enumerate(args):
        dtype = wanted[index][1] if wanted is not None else -1
        try:
            if isinstance(value, (int, float)) and dtype in _VALUE:
                struct.pack("=" + _VALUE[dtype], value)
        except (struct.error, OverflowError):
            named = raw.cuc_tile_get_parameter(ctypes.byref(tile), kernel._h, index) == raw.CUC_OK
            return TypeError(f"argument {index}{f', {text(tile.name)},' if named else ''} is the "
                             f"{type(value).__name__} {value!r}: {kernel.name}() takes "
                             f"{text(raw.cuc_dtype_name(dtype))}")
    shown = ", ".join(f"{type(a).__name__} {a!r}" for a in args)
    return TypeError(f"an argument does not fit what {kernel.name}() takes ({error}): {shown}")


def _launcher(kernel: Kernel, args: tuple[Any, ...], careful: bool) -> Any:
    """Return the function for arguments of these types, generated on first use."""
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
    """The address of a cuc_python_plan; keeps alive everything that the plan points to."""

    held: Any


def _plan(kernel: Kernel, packer: _Packer) -> int:
    """Build the plan for a packer's types; 0 if a plan cannot express them."""
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
    """Reject objects that resemble a config or a kernel but are not one."""
    handle_of(Kernel, kernel, "kernel")
    if config is not None and not isinstance(config, LaunchConfig):
        raise TypeError(f"config is a {type(config).__name__}: expected a LaunchConfig or None")


def _slowly(stream: StreamLike, config: LaunchConfig | None, kernel: Kernel, *args: Any) -> None:
    """Handle a launch that the kernel's current plan does not accept: launch, or report the
    error."""
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
    except (struct.error, OverflowError) as error:
        raise _refused(kernel, args, error) from None
    if failed:
        raise last_error()


_slowly.__qualname__ = "launch"  # the name that Python's messages about wrong arguments use


def _function() -> Any:
    """Return launch() as a library function that the interpreter calls directly."""
    out: ctypes.py_object[Any] = ctypes.py_object()
    if raw.prototype("cuc_python_get_launch", release_gil=False)(ctypes.byref(out), id(_slowly)) < 0:
        raise last_error()
    made = out.value
    release = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_DecRef", ctypes.pythonapi))
    release(made)  # drops the first reference, held by `out`
    return made


if TYPE_CHECKING:
    def launch(stream: StreamLike, config: LaunchConfig | None, kernel: Kernel, *args: Any) -> None:
        """Launch a kernel in stream order.

        Arguments may be buffers, tensors and arrays of other libraries (passed as their address, or as whole tensors
        to a tile kernel), NumPy and ctypes scalars, ctypes structs, and Python numbers, which take the size the
        kernel declares.
        """
else:
    launch = _function()


class PreparedLaunch:
    """A launch with all its arguments bound; calling it makes a single library call.

    It keeps its arguments alive, including buffers that are closed later. `replace(*args)`
    changes the arguments; stream, config and kernel stay. Fields that are assigned to the config
    take effect with the next call.
    """

    __slots__ = ("_launch", "__weakref__")
    _launch: tuple[Any, ...]  # the address of a cuc_python_launch, the struct, what it points to, and the arguments
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

    @property
    def tile_entry(self) -> str:
        """The entry of the tile kernel that the launch takes for its arguments, such as "tma"."""
        made, entry = self._launch[1], ctypes.c_char_p()
        check(raw.cuc_tile_select_entry(ctypes.byref(entry), self.kernel._h, self.stream.device._h, made.args,
                                        made.arg_count))
        return text(entry.value)

    def __reduce__(self) -> tuple[Any, ...]:
        return not_copied(self)

    def _failed(self) -> NoReturn:
        fail(self, "__call__")

    def replace(self, *args: Any) -> None:
        """Use these arguments from the next launch on."""
        self._prepare(self.stream, self.config, self.kernel, args)

    def _prepare(self, stream: Stream, config: LaunchConfig | None, kernel: Kernel, args: tuple[Any, ...]) -> None:
        _shaped(config, kernel)
        # Take references to buffers, so that closing a buffer does not free memory in use.
        held = tuple(a._again() if isinstance(a, Buffer) else a for a in args)
        try:
            packed, held = _Packer(kernel, held, careful=True).packing()(None, *held)
        except (struct.error, OverflowError) as error:
            raise _refused(kernel, args, error) from None
        # Pointers to the variables that hold the stream's and the kernel's handles; the variables
        # become NULL when those close.
        handles = stream._h, kernel._h  # keeps the handles alive for a call in progress
        made = raw.cuc_python_launch(
            stream=ctypes.addressof(stream._p), kernel=ctypes.addressof(kernel._p),
            config=config._address if config is not None else None,
            args=ctypes.cast(packed, ctypes.c_void_p), arg_count=len(args))
        self._launch = ctypes.addressof(made), made, packed, held, handles, stream, config, kernel, args


if raw.prototype("cuc_python_add_call", release_gil=False)(id(PreparedLaunch)) < 0:
    raise last_error()
