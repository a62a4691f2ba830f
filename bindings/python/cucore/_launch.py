"""Launches: the way from Python values to a kernel's arguments, made short.

For each kernel and each combination of types of arguments a function is written once that packs
the values into the array of cuc_arg that the library takes. A launch then looks it up, packs, and
calls.
"""
from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any, Union

from . import raw
from ._errors import last_error
from ._handle import options
from ._memory import Buffer
from ._object import Kernel
from ._stream import Stream, StreamLike, as_stream
from ._tensor import Tensor, as_tensor

Dim = Union[int, Sequence[int]]

_launch = raw.prototype("cuc_launch")

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
_CTYPES = {ctypes.c_bool: raw.CUC_BOOL, ctypes.c_int8: raw.CUC_I8, ctypes.c_int16: raw.CUC_I16,
           ctypes.c_int32: raw.CUC_I32, ctypes.c_int64: raw.CUC_I64, ctypes.c_uint8: raw.CUC_U8,
           ctypes.c_uint16: raw.CUC_U16, ctypes.c_uint32: raw.CUC_U32,
           ctypes.c_uint64: raw.CUC_U64, ctypes.c_float: raw.CUC_F32, ctypes.c_double: raw.CUC_F64}
_INTS = {1: raw.CUC_I8, 2: raw.CUC_I16, 4: raw.CUC_I32, 8: raw.CUC_I64}
_UINTS = {1: raw.CUC_U8, 2: raw.CUC_U16, 4: raw.CUC_U32, 8: raw.CUC_U64}
_INTEGERS = {*_INTS.values(), *_UINTS.values()}
_FLOATS = {2: raw.CUC_F16, 4: raw.CUC_F32, 8: raw.CUC_F64}


class LaunchConfig:
    """The shape of a launch. It is not changed, so that any number of threads may share it.

    With a cluster, the grid counts clusters, as cuda.core has it. For a tile kernel with a grid of
    its own give none: `launch(stream, None, kernel, ...)`.
    """

    __slots__ = ("_address", "_struct", "grid", "block", "cluster", "shmem_size", "is_cooperative",
                 "programmatic_stream_serialization")

    def __init__(self, grid: Dim = 1, block: Dim = 1, cluster: Dim | None = None, shmem_size: int = 0,
                 is_cooperative: bool = False,
                 programmatic_stream_serialization: bool = False) -> None:
        self.grid, self.block = _dim("grid", grid), _dim("block", block)
        self.cluster = _dim("cluster", cluster) if cluster is not None else None
        self.shmem_size = shmem_size
        self.is_cooperative = is_cooperative
        self.programmatic_stream_serialization = programmatic_stream_serialization
        blocks = self.grid
        if self.cluster is not None:
            x, y, z = (g * c for g, c in zip(self.grid, self.cluster))
            blocks = (x, y, z)
        flags = (raw.CUC_LAUNCH_COOPERATIVE if is_cooperative else 0) | \
                (raw.CUC_LAUNCH_PROGRAMMATIC if programmatic_stream_serialization else 0)
        self._struct = options(raw.cuc_launch_config, grid=blocks, block=self.block,
                               cluster=self.cluster or (0, 0, 0), shared_bytes=shmem_size, flags=flags)
        self._address = ctypes.addressof(self._struct)

    def __repr__(self) -> str:
        return f"LaunchConfig(grid={self.grid}, block={self.block}" + \
            (f", cluster={self.cluster}" if self.cluster else "") + \
            (f", shmem_size={self.shmem_size}" if self.shmem_size else "") + ")"


def _dim(name: str, value: Dim) -> tuple[int, int, int]:
    given = (value,) if isinstance(value, int) else tuple(value)
    if not 1 <= len(given) <= 3:
        raise ValueError(f"{name} has {len(given)} numbers: expected 1 to 3")
    for each in given:
        if not 0 <= each < 2**32:
            raise ValueError(f"{name} is {given}: expected numbers from 1 to {2**32 - 1}")
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


# ---- packing -------------------------------------------------------------------------------------

def _parameters(kernel: Kernel) -> list[tuple[int, int]] | None:
    """(bytes, dtype) of each parameter; None where the driver is too old to tell."""
    tile = options(raw.cuc_tile_parameter)
    result = []
    try:
        count = kernel.num_arguments
    except Exception:
        return None
    for index in range(count):
        if raw.cuc_tile_get_parameter(ctypes.byref(tile), kernel._h, index) == raw.CUC_OK:
            size = 0 if tile.rank >= 0 else raw.cuc_dtype_bits(tile.dtype) // 8
            result.append((size, tile.dtype))
        else:
            one = kernel._parameter(index)
            result.append((one.bytes, -1 - one.type))
    return result


def _number_type(kind: type, want: tuple[int, int] | None) -> int:
    """Which dtype a Python number goes as: the kernel's, where that is known."""
    size, dtype = want or (8, -1)
    if dtype > 0:
        return dtype
    if kind is bool and size == 1:
        return raw.CUC_BOOL
    if kind is float or dtype == -1 - raw.CUC_PARAMETER_FLOAT:
        return _FLOATS.get(size, raw.CUC_F64)
    return _INTS.get(size, raw.CUC_I64)


class _Packer:
    """Writes the function that packs arguments of certain types."""

    def __init__(self, kernel: Kernel) -> None:
        self.wanted = _parameters(kernel)
        self.formats: list[str] = []
        self.values: list[str] = []
        self.constants: dict[str, Any] = {"_address": ctypes.addressof, "_tensor": as_tensor,
                                          "_either": _either, "_keep": None}
        self.keeps: list[str] = []

    def put(self, arg: int, size: int, form: str, *values: str) -> None:
        self.formats.append(_HEAD + form)
        self.values += [str(arg), str(size), *values]

    def scalar(self, dtype: int, value: str) -> None:
        self.put(dtype, struct.calcsize("=" + _VALUE[dtype].rstrip("x0123456789")), _VALUE[dtype], value)

    def add(self, index: int, kind: type, value: Any) -> None:
        name = f"a{index}"
        want = self.wanted[index] if self.wanted is not None and index < len(self.wanted) else None
        tensor = want is not None and want[1] > 0 and want[0] == 0
        if kind is Tensor:
            self.put(raw.CUC_ARG_TENSOR, 8, "Q", f"{name}._address")
        elif issubclass(kind, Buffer) and not tensor:
            self.put(raw.CUC_ARG_BUFFER, 8, "Q", f"{name}._h")
        elif kind in (int, bool, float):
            self.number(index, kind, want)
        elif kind in _CTYPES:
            self.scalar(_CTYPES[kind], f"{name}.value")
        elif kind is ctypes.c_void_p:
            self.put(raw.CUC_ARG_POINTER, 8, "Q", f"{name}.value or 0")
        elif kind.__module__ == "numpy" and kind.__name__ in _NUMPY:
            self.scalar(_NUMPY[kind.__name__], name)
        elif kind.__module__ == "numpy" and kind.__name__ == "complex64":
            self.put(raw.CUC_C64, 8, "ff", f"{name}.real", f"{name}.imag")
        elif issubclass(kind, (ctypes.Structure, ctypes.Union, ctypes.Array)):
            self.put(raw.CUC_ARG_BYTES, ctypes.sizeof(kind), "Q", f"_address({name})")
        elif hasattr(value, "__cuda_array_interface__") or hasattr(value, "__dlpack__"):
            # Another library's array, or a buffer for a tile kernel: kept until it is launched.
            self.keeps.append(f"    {name} = _tensor({name})\n")
            self.put(raw.CUC_ARG_TENSOR, 8, "Q", f"{name}._address")
        elif isinstance(value, int):
            self.number(index, int, want)
        elif isinstance(value, float):
            self.number(index, float, want)
        else:
            raise TypeError(f"argument {index} is a {kind.__name__}: expected a Buffer, a Tensor or "
                            "another array, a number, a NumPy or ctypes scalar, or a ctypes struct")

    def number(self, index: int, kind: type, want: tuple[int, int] | None) -> None:
        dtype = _number_type(kind, want)
        if dtype in _INTEGERS and want is not None and want[1] <= 0:
            # The kernel does not say whether it is signed: both ranges are taken.
            size = want[0] if want[0] in _INTS else 8
            self.put(dtype, size, _VALUE[_UINTS[size]], f"a{index} & {2**(8 * size) - 1} "
                     f"if {-2**(8 * size - 1)} <= a{index} < {2**(8 * size)} else _either({index}, "
                     f"a{index}, {size})")
        elif dtype not in _VALUE:
            raise TypeError(f"argument {index}: a Python number does not become {dtype}")
        else:
            self.scalar(dtype, f"a{index}")

    def finish(self, count: int) -> Callable[..., bytes]:
        names = ", ".join(f"a{i}" for i in range(count))
        if self.keeps:
            # Tensors made here are written into by address: they live as long as the bytes.
            kept = ", ".join(line.split()[0] for line in self.keeps)
            body = "".join(self.keeps) + f"    return _Packed(_pack({', '.join(self.values)}), {kept})\n"
        else:
            body = f"    return _pack({', '.join(self.values)})\n"
        scope = dict(self.constants, _pack=struct.Struct("=" + "".join(self.formats)).pack, _Packed=_packed)
        exec(f"def packed({names}):\n{body}", scope)
        made: Callable[..., bytes] = scope["packed"]
        return made


class _Kept(bytes):
    """Packed arguments, and what they point to."""

    kept: tuple[Any, ...]


def _packed(data: bytes, *kept: Any) -> bytes:
    made = _Kept(data)
    made.kept = kept
    return made


def _either(index: int, value: int, size: int) -> int:
    raise OverflowError(f"argument {index} is {value}: the kernel takes an integer of {size} bytes")


def _packer(kernel: Kernel, args: tuple[Any, ...]) -> Callable[..., bytes]:
    """The function for arguments of these types, written when they first come."""
    made = _Packer(kernel)
    if made.wanted is not None and len(args) != len(made.wanted):
        raise TypeError(f"{kernel.name}() takes {len(made.wanted)} arguments, {len(args)} were given")
    for index, value in enumerate(args):
        made.add(index, type(value), value)
    packed = kernel._packers[tuple(map(type, args))] = made.finish(len(args))
    return packed


def _repack(kernel: Kernel, args: tuple[Any, ...], error: struct.error) -> TypeError:
    shown = ", ".join(f"{type(a).__name__} {a!r}" for a in args)
    return TypeError(f"an argument does not fit what {kernel.name}() takes ({error}): {shown}")


def launch(stream: StreamLike, config: LaunchConfig | None, kernel: Kernel, *args: Any) -> None:
    """Launch a kernel in a stream's order.

    Arguments are buffers, tensors and other libraries' arrays (their address, or all of them for a
    tile kernel), NumPy and ctypes scalars as they are, ctypes structs, and Python numbers, which
    take the size that the kernel declares.
    """
    pack = kernel._packers.get(tuple(map(type, args)))
    if pack is None:
        pack = _packer(kernel, args)
    try:
        failed = _launch(stream._h, config._address if config is not None else None, kernel._h,
                         pack(*args), len(args))
    except AttributeError:
        if isinstance(stream, Stream):
            raise
        launch(as_stream(stream), config, kernel, *args)
        return
    except struct.error as error:
        raise _repack(kernel, args, error) from None
    if failed:
        raise last_error()


class PreparedLaunch:
    """A launch with everything given: calling it is one call of the library.

    It keeps the stream, the kernel and the arguments. `replace(*args)` gives others.
    """

    __slots__ = ("_fixed", "stream", "config", "kernel", "args")

    def __init__(self, stream: StreamLike, config: LaunchConfig | None, kernel: Kernel,
                 *args: Any) -> None:
        self.stream, self.config, self.kernel = as_stream(stream), config, kernel
        self.replace(*args)

    def replace(self, *args: Any) -> None:
        """Launch with these arguments from now on."""
        pack = self.kernel._packers.get(tuple(map(type, args))) or _packer(self.kernel, args)
        try:
            packed = pack(*args)
        except struct.error as error:
            raise _repack(self.kernel, args, error) from None
        self.args = args
        # Converted once: ctypes takes its own objects as they are.
        self._fixed = (ctypes.c_void_p(self.stream._h),
                       ctypes.c_void_p(self.config._address if self.config is not None else None),
                       ctypes.c_void_p(self.kernel._h), ctypes.c_char_p(packed),
                       ctypes.c_size_t(len(args)), packed)

    def __call__(self) -> None:
        stream, config, kernel, packed, count, _ = self._fixed
        if _bare(stream, config, kernel, packed, count):
            raise last_error()


_bare = raw.prototype("cuc_launch")
_bare.argtypes = None  # the arguments are ctypes objects already
