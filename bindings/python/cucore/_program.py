"""Programs and linkers: from source to object code."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, Sequence, TextIO, Union

from . import raw
from ._cache import Cache
from ._errors import CUDAError, check, text
from ._handle import (Handle, assign, c_number, c_text, callback, create, field_type, given_as, handle_of, numbers,
                      pairs, word)
from ._object import CODE_KINDS, ObjectCode
from ._program_cache import ProgramCacheResource, program_key, through
from .typing import CompilerBackendType, PCHStatusType

Strings = Union[str, Sequence[str], None]
Switch = Union[bool, None]

_SOURCE_KINDS = {"c++": raw.CUC_SOURCE_CUDA, "ptx": raw.CUC_SOURCE_PTX, "tile": raw.CUC_SOURCE_TILE}
_SWITCH = {False: raw.CUC_OFF, True: raw.CUC_ON}
_TARGETS = {name: CODE_KINDS[name] for name in ("ptx", "cubin", "ltoir")}


# Options of tile programs for which 0 is the compiler's choice, as in C.
_CHOSEN = frozenset(("warps", "stages", "cluster", "split", "raster"))


class _Texts:
    """Fills an options struct from Python values, and keeps alive the memory that the struct points
    to."""

    def __init__(self, struct: Any) -> None:
        self.struct = struct
        struct.struct_size = ctypes.sizeof(struct)
        self._kept: list[Any] = []
        self.failed: list[BaseException] = []

    def set(self, name: str, value: Any) -> None:
        """Set a number or a string."""
        if value is None:
            return
        kind = field_type(type(self.struct), name)
        if kind is not ctypes.c_char_p:
            value = c_number(kind, name, value) or (0 if name in _CHOSEN else raw.CUC_ZERO)
        assign(self.struct, name, value)

    def switch(self, name: str, value: Any) -> None:
        if value is not None:
            setattr(self.struct, name, word(name, value, _SWITCH))

    def call(self, name: str, function: Callable[[], Any]) -> None:
        """Set a callback that is polled to ask whether to continue, and keep it alive. If it
        raises, the call stops and `failed` holds the exception."""
        failed = self.failed

        def asked(_user: int | None) -> int:
            try:
                return 1 if function() else 0
            except BaseException as error:
                failed.append(error)
                return 1

        if not callable(function):
            raise TypeError(f"{name}: expected a function, not {function!r}")
        made = callback(type(self.struct), name, asked)
        self._kept.append(made)
        setattr(self.struct, name, made)

    def set_list(self, name: str, count: str, values: Any, convert: Any = None) -> None:
        """Set a list and its count; elements are strings unless converted to numbers."""
        if values is None:
            return
        if isinstance(values, (str, bytes, os.PathLike)) or not isinstance(values, Iterable):
            values = [values]
        given = [convert(value) if convert is not None else value for value in values]
        array = numbers(ctypes.c_int32, name, given) if name in _NUMBERS else \
            (ctypes.c_char_p * len(given))(*[c_text(name, value) for value in given])
        self._kept.append(array)
        setattr(self.struct, name, ctypes.addressof(array) if given else None)
        setattr(self.struct, count, len(given))


_NUMBERS = ("diag_error", "diag_suppress", "diag_warn")  # these lists hold numbers, all others strings


# Code generation options of C++ whose effects PTX already contains. They are ignored for PTX, as in
# cuda.core's linker.
_DECIDED = ("ftz", "prec_div", "prec_sqrt", "fma", "numba_debug")


def _macro(value: Any) -> Any:
    """Normalize "NAME", "NAME=VALUE" or ("NAME", VALUE)."""
    return f"{value[0]}={value[1]}" if isinstance(value, (tuple, list)) and len(value) == 2 else value


_SET_APART = ("headers", "constants", "dimensions", "extra_sources", "use_libdevice", "cancel", "cache")


@dataclass
class ProgramOptions:
    """Compilation options, named as in cuda.core; None keeps NVRTC's default.

    The last options apply to tile programs.
    """

    name: str | None = "default_program"
    arch: str | None = None  #: such as "sm_90"; None: the current device's
    relocatable_device_code: Switch = None
    extensible_whole_program: Switch = None
    debug: Switch = None
    lineinfo: Switch = None
    device_code_optimize: Switch = None
    ptxas_options: Strings = None
    max_register_count: int | None = None
    ftz: Switch = None
    prec_sqrt: Switch = None
    prec_div: Switch = None
    fma: Switch = None
    use_fast_math: Switch = None
    extra_device_vectorization: Switch = None
    link_time_optimization: Switch = None
    gen_opt_lto: Switch = None
    define_macro: Any = None  #: "NAME", ("NAME", value), or a list of them
    undefine_macro: Strings = None
    include_path: Any = None
    pre_include: Strings = None
    no_source_include: Switch = None
    std: str | None = None
    builtin_move_forward: Switch = None
    builtin_initializer_list: Switch = None
    disable_warnings: Switch = None
    restrict: Switch = None
    device_as_default_execution_space: Switch = None
    device_int128: Switch = None
    optimization_info: str | None = None
    no_display_error_number: Switch = None
    diag_error: Any = None
    diag_suppress: Any = None
    diag_warn: Any = None
    brief_diagnostics: Switch = None
    time: str | bool | None = None  #: a file for NVRTC's timings; for PTX, True suffices
    split_compile: int | None = None
    fdevice_syntax_only: Switch = None
    minimal: Switch = None
    no_cache: Switch = None
    fdevice_time_trace: str | None = None
    device_float128: Switch = None
    frandom_seed: str | None = None
    ofast_compile: str | None = None
    pch: Switch = None
    create_pch: str | None = None
    use_pch: str | None = None
    pch_dir: str | None = None
    pch_verbose: Switch = None
    pch_messages: Switch = None
    instantiate_templates_in_pch: Switch = None
    extra_sources: Any = None  #: for NVVM IR, which is not supported: any value is refused
    use_libdevice: Switch = None  #: for NVVM IR; no effect here
    numba_debug: Switch = None
    use_bundled_headers: Switch = None
    modify_stack_limit: Switch = None
    no_default_headers: Switch = None
    device_stack_protector: Switch = None
    version_ident: Switch = None
    jump_table_density: int | None = None
    extra_options: Strings = None  #: flags that are passed through unchanged
    headers: dict[str, str] | None = None  #: in-memory headers: name -> text
    constants: dict[str, Any] | None = None  #: of tile programs: name -> value
    dimensions: dict[str, int] | None = None  #: sizes that choose auto() constants: name -> extent
    tuned: str | None = None  #: a file of tuning records to choose from; "": no file
    warps: int | None = None
    remarks: Switch = None
    require_tma: Switch = None
    require_tensor_core: Switch = None
    stages: int | None = None
    cluster: int | None = None
    split: int | None = None
    raster: int | None = None
    budget_operations: int | None = None  #: work limit of the tile compiler; beyond it the program is refused
    budget_ptx_bytes: int | None = None
    budget_memory_bytes: int | None = None
    budget_seconds: float | None = None
    cancel: Callable[[], Any] | None = None  #: polled a few times a second; a true result cancels the compilation
    cache: Cache | None = None  #: where to keep compiled code; None: `Cache.default()`

    def as_bytes(self, backend: str = "nvrtc", target_type: str | None = None) -> list[bytes]:
        """Return the NVRTC command line; the default target is "cubin"."""
        if str(backend).lower() != "nvrtc":
            raise ValueError(f"Unknown backend {backend!r}: expected 'nvrtc'")
        with Program("", "c++", self) as program:
            return [flag.encode() for flag in program.flags(target_type or "cubin")]

    def _linker_flags(self, code: bytes, target_type: str) -> tuple[list[str], str]:
        """Return the command line of a PTX program's linker, and the linker's name."""
        with Program(code, "ptx", self) as program:
            return program.flags(target_type), program.backend.value

    def _program_key(self, code: bytes, code_type: str, target_type: str) -> bytes:
        """Return the key under which the library's cache keeps a program; raise `NotSupportedError`
        if it has none."""
        key = (ctypes.c_uint8 * raw.CUC_PROGRAM_KEY_BYTES)()
        with Program(code, code_type, self) as program:
            check(raw.cuc_program_get_key(key, program._h, _TARGETS[target_type]))
        return bytes(key)

    def _fill(self, name_expressions: Sequence[str], kind: int) -> _Texts:
        made = _Texts(raw.cuc_program_options())
        lists = {"ptxas_options": ("ptxas_options", "ptxas_option_count", None),
                 "define_macro": ("define_macros", "define_macro_count", _macro),
                 "undefine_macro": ("undefine_macros", "undefine_macro_count", None),
                 "include_path": ("include_paths", "include_path_count", None),
                 "pre_include": ("pre_includes", "pre_include_count", None),
                 "diag_error": ("diag_error", "diag_error_count", None),
                 "diag_suppress": ("diag_suppress", "diag_suppress_count", None),
                 "diag_warn": ("diag_warn", "diag_warn_count", None),
                 "extra_options": ("extra_options", "extra_option_count", None)}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None or field.name in _SET_APART:
                continue
            if kind == raw.CUC_SOURCE_PTX and field.name in _DECIDED:
                continue
            if field.name == "time" and kind == raw.CUC_SOURCE_PTX and isinstance(value, bool):
                value = "-" if value else None  # the linker's flag takes no value
            if field.name == "define_macro" and isinstance(value, tuple) and len(value) == 2 and \
                    not isinstance(value[0], tuple):
                value = [value]  # one (name, value) pair
            if field.name in lists:
                made.set_list(*lists[field.name][:2], value, lists[field.name][2])
            elif field.name == "no_display_error_number":
                made.set("display_error_number", word(field.name, value, {False: raw.CUC_ON, True: raw.CUC_OFF}))
            elif field.type == "Switch":
                made.switch({"restrict": "restrict_pointers"}.get(field.name, field.name), value)
            else:
                made.set(field.name, value)
        if constants := pairs("constants", self.constants):
            made.set_list("constants", "constant_count", [f"{k}={_constant(v)}" for k, v in constants])
        if dimensions := pairs("dimensions", self.dimensions):
            made.set_list("dimensions", "dimension_count", [f"{k}={v}" for k, v in dimensions])
        if headers := [(c_text("headers", k), c_text("headers", v)) for k, v in pairs("headers", self.headers)]:
            array = (raw.cuc_program_header * len(headers))(
                *[raw.cuc_program_header(k, v, len(v)) for k, v in headers])
            made._kept.append(array)
            made.struct.headers = ctypes.addressof(array)
            made.struct.header_count = len(array)
        if self.cancel is not None:
            made.call("cancel", self.cancel)
        _keep_cache(made, self.cache)
        if name_expressions:
            made.set_list("name_expressions", "name_expression_count", list(name_expressions))
        return made


def _keep_cache(made: _Texts, cache: Cache | None) -> None:
    """Set the options' field `cache`; NULL means the default cache."""
    if cache is not None:
        handle_of(Cache, cache, "cache")
        made._kept.append(cache)
        made.struct.cache = cache._open()


def _constant(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Program(Handle):
    """A source to compile: CUDA C++ ("c++"), PTX ("ptx") or a tile program ("tile")."""

    __slots__ = ("_code", "_code_type", "_kind", "_made", "_options")
    _release = raw.cuc_program_release

    def __init__(self, code: str | bytes, code_type: str = "c++",
                 options: ProgramOptions | dict[str, Any] | None = None) -> None:
        self._h = 0
        self._code_type = str(code_type).lower()
        kind = _SOURCE_KINDS.get(self._code_type)
        if kind is None:
            raise RuntimeError(f"Unsupported code_type={code_type!r}: expected one of "
                               f"{', '.join(map(repr, _SOURCE_KINDS))}")
        self._code = code.encode() if isinstance(code, str) else bytes(memoryview(code))
        self._kind, self._options = kind, given_as(ProgramOptions, options)
        if self._options.extra_sources is not None:
            backend = {raw.CUC_SOURCE_CUDA: "NVRTC", raw.CUC_SOURCE_PTX: "PTX"}.get(kind, "tile")
            raise ValueError(f"extra_sources is not supported by the {backend} backend, and is for NVVM IR alone: "
                             "compile each source and link the objects")
        self._made = self._options._fill((), kind)
        self._take(self._create(self._made))

    def _create(self, made: _Texts) -> int:
        return create(raw.cuc_program_create, self._kind, self._code, len(self._code),
                      ctypes.byref(made.struct))

    def compile(self, target_type: str | None = None, name_expressions: Sequence[str] = (),
                logs: TextIO | None = None, *, cache: ProgramCacheResource | None = None) -> ObjectCode:
        """Compile to "ptx", "cubin" or "ltoir"; the compiler's log is written to `logs`.

        None means "ptx" for a tile program, whose pipelines are fastest if the driver assembles
        them, and "cubin" for other programs.

        With `cache`, return the code stored there under the key of `make_program_cache_key()`,
        and write nothing to `logs`; if there is none, compile and store it. Raises `ValueError`
        for a program without a key, and for name expressions, because such a cache keeps no
        symbols. The cache that `ProgramOptions` chooses has no such limits.
        """
        if target_type is None:
            target_type = "ptx" if self._kind == raw.CUC_SOURCE_TILE else "cubin"
        target = word("target_type", target_type.lower() if isinstance(target_type, str) else target_type, _TARGETS)
        if cache is not None:
            if name_expressions:
                raise ValueError("name_expressions cannot be given with cache, which keeps no symbols: compile without "
                                 "it; the cache that ProgramOptions chooses keeps them")
            self._open()
            name = self._options.name
            if name is None:  # use the library's default
                name = f"program.{'cu' if self._code_type == 'c++' else self._code_type}"
            return through(cache, lambda: program_key(self._code, self._code_type, self._options, target_type.lower()),
                           target, name, lambda: self._compile(target, logs))
        if name_expressions:
            made = self._options._fill(name_expressions, self._kind)
            with Program._own(self._create(made)) as program:
                program._made = made
                return program._compile(target, logs)
        return self._compile(target, logs)

    def _compile(self, target: int, logs: TextIO | None) -> ObjectCode:
        try:
            return ObjectCode._own(create(raw.cuc_program_compile, self._h, target))
        except CUDAError:
            if self._made.failed:  # `cancel` raised
                raise self._made.failed.pop() from None
            raise
        finally:
            if logs is not None:
                logs.write(self.log)

    @property
    def log(self) -> str:
        """The log of the last compilation."""
        return text(raw.cuc_program_log(self._h))

    @property
    def backend(self) -> CompilerBackendType:
        """The compiler's name, such as "NVRTC"."""
        return CompilerBackendType(text(raw.cuc_program_backend(self._h)))

    @property
    def compile_time(self) -> float:
        """Duration of the last compilation in seconds."""
        return float(raw.cuc_program_compile_ns(self._h)) * 1e-9

    def flags(self, target_type: str = "cubin") -> list[str]:
        """Return the compiler's command line."""
        target = word("target_type", target_type, _TARGETS)
        return [text(raw.cuc_program_flag(self._h, target, i))
                for i in range(raw.cuc_program_flag_count(self._h, target))]

    @property
    def pch_status(self) -> PCHStatusType | None:
        return {raw.CUC_PCH_CREATED: PCHStatusType.CREATED, raw.CUC_PCH_NOT_ATTEMPTED: PCHStatusType.NOT_ATTEMPTED,
                raw.CUC_PCH_FAILED: PCHStatusType.FAILED}.get(raw.cuc_program_pch_status(self._h))

    def __repr__(self) -> str:
        return f"<Program backend={self.backend.value!r}>" if self._h else "<Program, closed>"

    @property
    def tile_ir(self) -> str:
        """Return the IR of a tile program."""
        out = ctypes.c_char_p()
        check(raw.cuc_tile_get_ir(ctypes.byref(out), None, self._h))
        return text(out.value)

    @property
    def tile_machine(self) -> str:
        """Return the machine form of a tile program, just before PTX emission, with each value's
        layout."""
        out = ctypes.c_char_p()
        check(raw.cuc_tile_get_machine(ctypes.byref(out), None, self._h))
        return text(out.value)

    def interpret(self, kernel: str | None, *args: Any, grid: int | Sequence[int] | None = None,
                  print: Callable[[str], Any] | None = None) -> None:
        """Run a kernel of a tile program on the CPU without a driver: slow but exact.

        Arguments are numbers and arrays in host memory, such as NumPy's. `kernel` may be None if
        there is only one; pass `grid` for a kernel that declares none; `print` receives the
        kernel's output.
        """
        from ._interpret import interpret
        interpret(self._h, kernel, args, grid, print)


@dataclass
class LinkerOptions:
    """Link options, named as in cuda.core; None keeps the linker's default."""

    name: str | None = "<default linker>"
    arch: str | None = None
    max_register_count: int | None = None
    time: Switch = None
    verbose: Switch = None
    link_time_optimization: Switch = None
    ptx: Switch = None  #: implied by `link("ptx")`
    optimization_level: int | None = None
    debug: Switch = None
    lineinfo: Switch = None
    ftz: Switch = None
    prec_div: Switch = None
    prec_sqrt: Switch = None
    fma: Switch = None
    kernels_used: Strings = None
    variables_used: Strings = None
    optimize_unused_variables: Switch = None
    ptxas_options: Strings = None
    split_compile: int | None = None
    split_compile_extended: int | None = None
    no_cache: Switch = None
    numba_debug: Switch = None
    keep_ptx: Switch = None
    extra_options: Strings = None
    cache: Cache | None = None  #: where to keep linked code; None: `Cache.default()`

    def as_bytes(self, backend: str = "nvjitlink") -> list[bytes]:
        """Return the nvJitLink command line."""
        if str(backend).lower() != "nvjitlink":
            raise ValueError(f"as_bytes() only supports 'nvjitlink' backend, not {backend!r}: the driver takes numbers")
        with Linker.empty(self) as linker:
            if linker.backend != CompilerBackendType.NVJITLINK:
                raise RuntimeError("nvJitLink backend is not available")
            arch = [f"-arch={self.arch}"] if self.arch else []  # `flags` omits it: link() adds it
            return [flag.encode() for flag in [*arch, *linker.flags]]

    def _fill(self) -> _Texts:
        made = _Texts(raw.cuc_linker_options())
        lists = {"kernels_used": "kernels_used_count", "variables_used": "variables_used_count",
                 "ptxas_options": "ptxas_option_count", "extra_options": "extra_option_count"}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("ptx", "cache"):
                continue
            if field.name in lists:
                made.set_list(field.name, lists[field.name], value)
            elif field.type == "Switch":
                made.switch(field.name, value)
            else:
                made.set(field.name, value)
        _keep_cache(made, self.cache)
        return made


class Linker(Handle):
    """Links object codes into one."""

    __slots__ = ()
    _release = raw.cuc_linker_release

    def __init__(self, *object_codes: ObjectCode, options: LinkerOptions | dict[str, Any] | None = None) -> None:
        self._h = 0
        made = Linker._create(given_as(LinkerOptions, options))
        self._take(made)
        if not object_codes:
            raise ValueError("At least one ObjectCode object must be provided; Linker.empty() begins without")
        for code in object_codes:
            self.add(code)

    @staticmethod
    def _create(given: LinkerOptions) -> int:
        made = given._fill()
        return create(raw.cuc_linker_create, ctypes.byref(made.struct))

    @classmethod
    def empty(cls, options: LinkerOptions | dict[str, Any] | None = None) -> Linker:
        """Create a linker without input; add input with `add()`, `add_file()` and `add_data()`."""
        return cls._own(cls._create(given_as(LinkerOptions, options)))

    def add(self, code: ObjectCode) -> None:
        check(raw.cuc_linker_add(self._h, handle_of(ObjectCode, code, "code")))

    def add_file(self, path: str | os.PathLike[str], code_type: str) -> None:
        """Add a file of the given kind: "ptx", "cubin", "ltoir", "fatbin", "object" or "library"."""
        check(raw.cuc_linker_add_file(self._h, word("code_type", code_type, CODE_KINDS),
                                      c_text("path", os.fsencode(path))))

    def add_data(self, data: bytes, code_type: str, name: str = "") -> None:
        """Add code from bytes."""
        given = bytes(memoryview(data))
        check(raw.cuc_linker_add_data(self._h, word("code_type", code_type, CODE_KINDS), given, len(given),
                                      c_text("name", name) or None))

    @property
    def flags(self) -> list[str]:
        """The linker's command line."""
        return [text(raw.cuc_linker_flag(self._h, i)) for i in range(raw.cuc_linker_flag_count(self._h))]

    def link(self, target_type: str = "cubin") -> ObjectCode:
        """Link all inputs to a "cubin", or to "ptx" if all of them are LTO-IR."""
        target = word("target_type", target_type, _TARGETS)
        return ObjectCode._own(create(raw.cuc_linker_link, self._h, target))

    def get_error_log(self) -> str:
        return text(raw.cuc_linker_error_log(self._h))

    def get_info_log(self) -> str:
        return text(raw.cuc_linker_info_log(self._h))

    @classmethod
    def which_backend(cls) -> CompilerBackendType:
        """The default linker: "nvJitLink" or "driver"."""
        with cls.empty() as linker:
            return linker.backend

    @property
    def backend(self) -> CompilerBackendType:
        """"nvJitLink" or "driver"."""
        return CompilerBackendType(text(raw.cuc_linker_backend(self._h)))

    def __repr__(self) -> str:
        return f"<Linker backend={self.backend.value!r}>" if self._h else "<Linker, closed>"
