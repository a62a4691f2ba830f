"""Object code and kernels."""
from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Union

from . import raw
from ._device import Device, current_or
from ._errors import check, text
from ._handle import (
                      Handle,
                      assign,
                      c_handle,
                      c_text,
                      call,
                      callback,
                      create,
                      field_type,
                      get,
                      handle_of,
                      not_made,
                      options,
                      pairs,
                      word,
)
from ._native import ConfigBase
from ._stream import StreamLike, as_stream

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._launch import LaunchConfig

CODE_KINDS: dict[str, int] = {name: number for number, name in raw.NAMES["code"].items()}
_CACHES = {"none": raw.CUC_KERNEL_CACHE_DEFAULT, "shared": raw.CUC_KERNEL_CACHE_SHARED,
           "l1": raw.CUC_KERNEL_CACHE_L1, "equal": raw.CUC_KERNEL_CACHE_EQUAL}
Code = Union[bytes, str, "os.PathLike[str]"]


class ObjectCode(Handle):
    """Compiled code. It is independent of contexts, and is loaded when one of its kernels is first
    used."""

    __slots__ = ()
    _release = raw.cuc_object_release
    _made_by = "Program.compile(), Linker.link(), ObjectCode.from_cubin() and its like"

    @classmethod
    def _from(cls, kind: int, module: Code, name: str, symbol_mapping: dict[str, str] | None) -> ObjectCode:
        made = options(raw.cuc_object_options, name=name or None)
        names = {c_text("symbol_mapping", k): c_text("symbol_mapping", v)
                 for k, v in pairs("symbol_mapping", symbol_mapping)}
        array = (raw.cuc_object_mapping * len(names))(*[raw.cuc_object_mapping(k, v)
                                                      for k, v in names.items()])
        if names:
            made.names, made.name_count = ctypes.addressof(array), len(names)
        if isinstance(module, (bytes, bytearray)):
            return cls._own(create(raw.cuc_object_create, kind, bytes(module), len(module),
                                   ctypes.byref(made)))
        path = c_text("module", os.fsencode(module))
        return cls._own(create(raw.cuc_object_from_file, path, kind, ctypes.byref(made)))

    @classmethod
    def from_cubin(cls, module: Code, *, name: str = "",
                   symbol_mapping: dict[str, str] | None = None) -> ObjectCode:
        """Load from bytes or from the path of a file; the other constructors do the same."""
        return cls._from(raw.CUC_CODE_CUBIN, module, name, symbol_mapping)

    @classmethod
    def from_ptx(cls, module: Code, *, name: str = "",
                 symbol_mapping: dict[str, str] | None = None) -> ObjectCode:
        return cls._from(raw.CUC_CODE_PTX, module, name, symbol_mapping)

    @classmethod
    def from_ltoir(cls, module: Code, *, name: str = "",
                   symbol_mapping: dict[str, str] | None = None) -> ObjectCode:
        return cls._from(raw.CUC_CODE_LTOIR, module, name, symbol_mapping)

    @classmethod
    def from_fatbin(cls, module: Code, *, name: str = "",
                    symbol_mapping: dict[str, str] | None = None) -> ObjectCode:
        return cls._from(raw.CUC_CODE_FATBIN, module, name, symbol_mapping)

    @classmethod
    def from_object(cls, module: Code, *, name: str = "",
                    symbol_mapping: dict[str, str] | None = None) -> ObjectCode:
        return cls._from(raw.CUC_CODE_OBJECT, module, name, symbol_mapping)

    @classmethod
    def from_library(cls, module: Code, *, name: str = "",
                     symbol_mapping: dict[str, str] | None = None) -> ObjectCode:
        return cls._from(raw.CUC_CODE_LIBRARY, module, name, symbol_mapping)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._from, (raw.cuc_object_kind(self._h), self.code, self.name, self.symbol_mapping)

    def __repr__(self) -> str:
        return f"<ObjectCode {self.name!r} code_type={self.code_type!r}>" if self._h else "<ObjectCode, closed>"

    def __eq__(self, other: object) -> bool:
        return (self is other or bool(self._h) and self._h == other._h) if isinstance(other, ObjectCode) \
            else NotImplemented

    def __hash__(self) -> int:
        return hash(self._h)

    @property
    def code_type(self) -> str:
        """"ptx", "cubin", "ltoir", ..."""
        return text(raw.cuc_code_name(raw.cuc_object_kind(self._h)))

    @property
    def name(self) -> str:
        return text(raw.cuc_object_name(self._h))

    @property
    def code(self) -> bytes:
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        check(raw.cuc_object_get_code(ctypes.byref(data), ctypes.byref(size), self._h))
        return ctypes.string_at(data.value or 0, size.value)

    @property
    def log(self) -> str:
        """The compiler's log."""
        return text(raw.cuc_object_log(self._h))

    @property
    def symbol_mapping(self) -> dict[str, str]:
        """Maps name expressions to symbols."""
        result, entry = {}, raw.cuc_object_mapping()
        for index in range(raw.cuc_object_mapping_count(self._h)):
            check(raw.cuc_object_get_mapping(ctypes.byref(entry), self._h, index))
            result[text(entry.expression)] = text(entry.symbol)
        return result

    @property
    def kernel_names(self) -> list[str]:
        count = get(ctypes.c_size_t, raw.cuc_object_get_kernel_count, self._h)
        return [text(get(ctypes.c_char_p, raw.cuc_object_get_kernel_name, self._h, i))
                for i in range(count)]

    @property
    def handle(self) -> int:
        """The driver's CUlibrary; reading it loads the code."""
        return create(raw.cuc_object_get_library, self._h)

    def get_module(self, device: Device | int | None = None) -> int:
        """The CUmodule for a device or the current context, for older interfaces."""
        return create(raw.cuc_object_get_module, self._h, current_or(device))

    def get_kernel(self, name: str | bytes) -> Kernel:
        """Look up a kernel by its name, symbol or name expression."""
        return Kernel._own(create(raw.cuc_object_get_kernel, self._h, c_text("name", name)))

    def get_global(self, name: str, device: Device | int | None = None) -> tuple[int, int]:
        """Return (address, bytes) of a variable on a device or in the current context."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        check(raw.cuc_object_get_global(ctypes.byref(address), ctypes.byref(size), self._h,
                                        current_or(device), c_text("name", name)))
        return address.value, size.value

    def get_managed(self, name: str, device: Device | int | None = None) -> tuple[int, int]:
        """Return (address, bytes) of a managed variable."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        check(raw.cuc_object_get_managed(ctypes.byref(address), ctypes.byref(size), self._h,
                                         Device(device)._h, c_text("name", name)))
        return address.value, size.value

    @property
    def ptx(self) -> str:
        """The PTX, even of a cubin that was compiled from it."""
        data, size = ctypes.c_char_p(), ctypes.c_size_t()
        check(raw.cuc_object_get_ptx(ctypes.byref(data), ctypes.byref(size), self._h))
        return text(data.value)

    @property
    def load_log(self) -> str:
        """The driver's log of loading."""
        return text(raw.cuc_object_load_log(self._h))

    def tile_entries(self, kernel: str) -> list[TileEntry]:
        """Return the entries of a tile kernel, fastest first."""
        found: list[TileEntry] = []
        out = options(raw.cuc_tile_entry)
        while True:
            status = raw.cuc_tile_get_entry(ctypes.byref(out), self._h, c_text("kernel", kernel), len(found))
            if status == raw.CUC_ERROR_NOT_FOUND and found:
                return found
            check(status)
            found.append(TileEntry(text(out.variant), out.threads, out.static_shared_bytes,
                                   out.dynamic_shared_bytes, out.registers, out.stack_bytes))

    def save(self, path: str | os.PathLike[str]) -> None:
        check(raw.cuc_object_save(self._h, c_text("path", os.fsencode(path))))


class TileEntry(NamedTuple):
    """One entry of a tile kernel. All entries compute the same, but each suits certain
    arguments."""

    variant: str  #: "tma", "realigned", "idx32+aligned", "idx32+overlap", "idx32" or "idx64"
    threads: int  #: per block
    static_shared_bytes: int
    dynamic_shared_bytes: int
    registers: int  #: per thread; 0: unknown, as for PTX
    stack_bytes: int


class TileParameter(NamedTuple):
    """A parameter of a tile kernel."""

    name: str
    dtype: str
    rank: int  #: -1 for a scalar
    written: bool


class ParamInfo(NamedTuple):
    """Offset and size of a parameter."""

    offset: int
    size: int


_FLAGS = ("cache_mode_ca", "cluster_size_must_be_set", "non_portable_cluster_size_allowed")


class KernelAttributes:
    """Attributes of a kernel on a device by name, such as `num_regs`; some are settable."""

    __slots__ = ("_kernel", "_device", "__weakref__")
    _kernel: Kernel
    _device: Device

    def __init__(self) -> None:
        not_made("KernelAttributes", "Kernel.attributes")

    @classmethod
    def _of(cls, kernel: Kernel, device: Device) -> KernelAttributes:
        self = cls.__new__(cls)
        object.__setattr__(self, "_kernel", kernel)
        object.__setattr__(self, "_device", device)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelAttributes._of, (self._kernel, self._device)

    @staticmethod
    def _number(name: str) -> int:
        number = raw.cuc_kernel_attribute_from_name(name.encode())
        if number < 0:
            raise AttributeError(f"a kernel has no attribute {name}")
        return number

    def __getattr__(self, name: str) -> int:
        number = self._number(name)  # must come first: reading an unset `_kernel` calls this method again
        value = get(ctypes.c_int32, raw.cuc_kernel_get_attribute, self._kernel._h, self._device._h, number)
        return bool(value) if name in _FLAGS else int(value)

    def __setattr__(self, name: str, value: int) -> None:
        call(raw.cuc_kernel_set_attribute, self._kernel._h, self._device._h, self._number(name), value)

    def __getitem__(self, device: Device | int) -> KernelAttributes:
        return KernelAttributes._of(self._kernel, Device(device))

    def __dir__(self) -> list[str]:
        return list(raw.NAMES["kernel_attribute"].values())


class MaxPotentialBlockSizeOccupancyResult(NamedTuple):
    """The launch shape that maximizes a kernel's occupancy of a device."""

    min_grid_size: int
    max_block_size: int


class KernelOccupancy:
    """Queries a kernel's occupancy, on the current device or on a stream's device."""

    __slots__ = ("_kernel", "__weakref__")
    _kernel: Kernel

    def __init__(self) -> None:
        not_made("KernelOccupancy", "Kernel.occupancy")

    @classmethod
    def _of(cls, kernel: Kernel) -> KernelOccupancy:
        self = cls.__new__(cls)
        self._kernel = kernel
        return self

    @staticmethod
    def _device(stream: StreamLike) -> int:
        return (as_stream(stream).device if stream is not None else Device())._h

    @staticmethod
    def _shape(config: LaunchConfig) -> int:
        if not isinstance(config, ConfigBase):
            raise TypeError(f"config is a {type(config).__name__}: expected a LaunchConfig")
        return config._address

    def max_active_blocks_per_multiprocessor(self, block_size: int,
                                             dynamic_shared_memory_size: int = 0) -> int:
        return int(get(ctypes.c_uint32, raw.cuc_occupancy_max_active_blocks, self._kernel._h,
                       Device()._h, block_size, dynamic_shared_memory_size, 0))

    def max_potential_block_size(self, dynamic_shared_memory_needed: Any = 0,
                                 block_size_limit: int = 0) -> MaxPotentialBlockSizeOccupancyResult:
        """Return the block size that maximizes occupancy, and the smallest grid that fills the
        device. Dynamic shared memory is a number of bytes, or a function from block size to
        bytes: a Python function or a `CUoccupancyB2DSize` of cuda.bindings."""
        grid, block = ctypes.c_uint32(), ctypes.c_uint32()
        needed, kind = dynamic_shared_memory_needed, raw.cuc_occupancy_options
        made = options(kind, block_limit=block_size_limit)
        if hasattr(needed, "getPtr"):
            made.shared_of_block = field_type(kind, "shared_of_block")(int(needed.getPtr()))
        elif callable(needed):
            made.shared_of_block = callback(kind, "shared_of_block", lambda threads, _user: needed(threads))
        else:
            assign(made, "shared_bytes", needed)
        check(raw.cuc_occupancy_max_potential_block_size(
            ctypes.byref(grid), ctypes.byref(block), self._kernel._h, Device()._h,
            ctypes.byref(made)))
        return MaxPotentialBlockSizeOccupancyResult(grid.value, block.value)

    def available_dynamic_shared_memory_per_block(self, num_blocks_per_multiprocessor: int,
                                                  block_size: int) -> int:
        return int(get(ctypes.c_size_t, raw.cuc_occupancy_available_dynamic_shared, self._kernel._h,
                       Device()._h, num_blocks_per_multiprocessor, block_size))

    def max_potential_cluster_size(self, config: LaunchConfig, *, stream: StreamLike = None) -> int:
        return int(get(ctypes.c_uint32, raw.cuc_occupancy_max_potential_cluster_size,
                       self._kernel._h, self._device(stream), self._shape(config)))

    def max_active_clusters(self, config: LaunchConfig, *, stream: StreamLike = None) -> int:
        return int(get(ctypes.c_uint32, raw.cuc_occupancy_max_active_clusters, self._kernel._h,
                       self._device(stream), self._shape(config)))


class Kernel(Handle):
    """A kernel, which keeps its code loaded. Made by `ObjectCode.get_kernel()`."""

    __slots__ = ("_plan", "_plans", "_launchers", "_p")
    _release = raw.cuc_kernel_release
    _made_by = "ObjectCode.get_kernel() and Kernel.from_handle()"
    _p: ctypes.c_void_p  # the handle, in the form that calls accept without conversion
    _plan: int  # the Plan for the argument types of the last launch, or 0
    _plans: dict[tuple[Any, ...], int]
    _launchers: dict[tuple[Any, ...], tuple[Callable[..., int], int]]  # each with its plan, or 0

    @classmethod
    def _own(cls, handle: int | None) -> Self:
        self = super()._own(handle)
        self._plan, self._plans, self._launchers = 0, {}, {}
        self._p = ctypes.c_void_p(handle)
        return self

    def close(self) -> None:
        self._plan, self._plans, self._launchers = 0, {}, {}
        self._p.value = None  # prepared launches see this too
        super().close()

    @classmethod
    def from_handle(cls, handle: int, mod: ObjectCode | None = None) -> Kernel:
        """Wrap a CUkernel; `mod` is kept alive with it."""
        return cls._own(create(raw.cuc_kernel_from_handle, c_handle(handle),
                               handle_of(ObjectCode, mod, "mod") if mod is not None else None))

    @property
    def handle(self) -> int:
        """The CUkernel; 0 while the code is not loaded."""
        return raw.cuc_kernel_handle(self._h) or 0

    @property
    def name(self) -> str:
        return text(raw.cuc_kernel_name(self._h))

    @property
    def num_arguments(self) -> int:
        return int(get(ctypes.c_size_t, raw.cuc_kernel_get_parameter_count, self._h))

    def _parameter(self, index: int) -> Any:
        out = options(raw.cuc_kernel_parameter)
        check(raw.cuc_kernel_get_parameter(ctypes.byref(out), self._h, index))
        return out

    @property
    def arguments_info(self) -> list[ParamInfo]:
        return [ParamInfo(p.offset, p.bytes)
                for p in map(self._parameter, range(self.num_arguments))]

    @property
    def tile_parameters(self) -> list[TileParameter]:
        """The parameters of a tile kernel."""
        out, found = options(raw.cuc_tile_parameter), []
        for index in range(self.num_arguments):
            check(raw.cuc_tile_get_parameter(ctypes.byref(out), self._h, index))
            found.append(TileParameter(text(out.name), raw.NAMES["dtype"][out.dtype], out.rank, bool(out.written)))
        return found

    @property
    def symbol(self) -> str:
        """The symbol in the code; mangled for C++."""
        return text(raw.cuc_kernel_symbol(self._h))

    @property
    def object_code(self) -> ObjectCode | None:
        """The object code it belongs to."""
        handle = raw.cuc_kernel_object(self._h)
        return ObjectCode._own(raw.cuc_object_retain(handle)) if handle else None

    def get_function(self, device: Device | int | None = None) -> int:
        """The CUfunction on a device, for older interfaces."""
        return create(raw.cuc_kernel_get_function, self._h, Device(device)._h)

    def set_cache_config(self, prefer: str, device: Device | int | None = None) -> None:
        """Set the preferred split of on-chip memory: "none", "shared", "l1" or "equal"."""
        check(raw.cuc_kernel_set_cache_config(self._h, Device(device)._h, word("prefer", prefer, _CACHES)))

    @property
    def attributes(self) -> KernelAttributes:
        """Attributes on the current device; `attributes[device]` for another."""
        return KernelAttributes._of(self, Device())

    @property
    def occupancy(self) -> KernelOccupancy:
        return KernelOccupancy._of(self)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same kernel of the same code."""
        if not isinstance(other, Kernel):
            return NotImplemented
        if not self._h or not other._h:
            return self is other
        # Code that is not loaded has no CUkernel, and a wrapped kernel has no object code.
        handle, code = self.handle, raw.cuc_kernel_object(self._h)
        return handle != 0 and handle == other.handle or code is not None and \
            code == raw.cuc_kernel_object(other._h) and self.symbol == other.symbol

    def __hash__(self) -> int:
        return hash(self.symbol)  # does not change when the code is loaded

    def __repr__(self) -> str:
        if not self._h:
            return "<Kernel, closed>"
        handle = self.handle
        return f"<Kernel handle={handle:#x}>" if handle else f"<Kernel {self.name}, not loaded>"
