"""The operations of cuTile, implemented with tile builder calls.

Each operation is a function of the builder and the call's arguments; `OPS` maps names to these
functions.
"""
from ._memory_ops import ARRAY_METHODS, MEMORY_METHODS, VIEW_METHODS, Needed, extent, stride
from ._registry import OPS, MemoryOrder, MemoryScope, PaddingMode, RoundingMode, binary, check_flags, unary
from ._value_ops import assert_, constructed, typed_scalar, astype, divmod_, matmul, print_, where

# Operations that are also tile methods.
VALUE_METHODS = {"astype", "reshape", "permute", "transpose", "item", "extract", "insert", "bitcast", "sum",
                 "max", "min"}

__all__ = ["ARRAY_METHODS", "MEMORY_METHODS", "MemoryOrder", "MemoryScope", "Needed", "OPS", "PaddingMode", "RoundingMode",
           "VALUE_METHODS", "VIEW_METHODS", "assert_", "astype", "constructed", "typed_scalar", "binary",
           "check_flags", "divmod_", "extent", "matmul",
           "print_", "stride", "unary", "where"]
