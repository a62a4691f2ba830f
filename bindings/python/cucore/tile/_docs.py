"""Reference text of each operation, for help() and the site: groups of names."""

DOCS: dict[str, dict[str, str]] = {
    "The grid": {
        "bid": "The index of this block along an axis of the grid, 0 to 2.",
        "num_blocks": "The number of blocks along an axis of the grid.",
        "num_tiles": "The number of tiles of a shape along an axis of an array: the extent divided by the tile's, "
                     "rounded up.",
        "cdiv": "The quotient of two integers, rounded up. Also usable outside kernels.",
        "grid_dependency_control_wait": "In a launch with `programmatic_dependent_launch`, wait until the preceding "
                                        "kernel has completed and its writes are visible.",
        "grid_dependency_control_launch_dependents": "Allow the dependent kernel, launched with "
                                                     "`programmatic_dependent_launch`, to start.",
    },
    "Memory": {
        "load": "Load a tile of an array. `index` counts tiles of the shape, not elements; `order` gives the array "
                "axis for each tile axis (\"F\": reversed). Elements outside the array read as the padding, zero by "
                "default.",
        "store": "Store a tile where `load()` with its shape would read. Elements outside the array are not "
                 "written; a scalar is written to one element.",
        "gather": "Load the elements selected by indices: one integer tile per axis of the array, broadcast "
                  "together. An index out of bounds, including a negative one, or a false mask yields the padding.",
        "scatter": "Store elements at indices. Elements out of bounds or with a false mask are not written; if "
                   "several elements share an index, one of them is stored.",
        "load_advanced_indexing": "Load rows by index: one axis of the array takes a tile of integers, every other "
                                  "a `Slice()`.",
        "store_advanced_indexing": "Store rows by index, with the addressing of `load_advanced_indexing()`.",
        "Slice": "A given number of elements along an axis, from a start index, for `load_advanced_indexing()`. The "
                 "length is a constant.",
    },
    "Atomic operations": {
        "atomic_add": "Add to elements, each atomically; returns the old values.",
        "atomic_max": "Store the larger value, atomically; returns the old values.",
        "atomic_min": "Store the smaller value, atomically; returns the old values.",
        "atomic_and": "Bitwise and with elements, atomically; returns the old values.",
        "atomic_or": "Bitwise or with elements, atomically; returns the old values.",
        "atomic_xor": "Bitwise exclusive or with elements, atomically; returns the old values.",
        "atomic_xchg": "Exchange elements, atomically; returns the old values.",
        "atomic_cas": "Store `desired` where elements equal `expected`, atomically; returns the old values.",
    },
    "Making tiles": {
        "arange": "A one-axis tile with the values start, start + step, and so on; int32 by default.",
        "astile": "A tile from numbers and scalars in nested tuples.",
        "full": "A tile filled with one value; for float8_e8m0fnu the value must be known at compile time.",
        "zeros": "A tile of zeros.", "ones": "A tile of ones.",
    },
    "Shapes and types": {
        "reshape": "The same elements in another shape; one extent may be -1.",
        "permute": "Reorder the axes.",
        "transpose": "Exchange two axes; a tile with two axes needs no argument.",
        "expand_dims": "Insert an axis of extent 1, like `x[:, None]`.",
        "broadcast_to": "Repeat along axes of extent 1 and along new leading axes.",
        "cat": "Concatenate two tiles along an axis.",
        "extract": "Extract a part: the tile is divided into a grid of parts of this shape, and `index` counts them.",
        "insert": "Replace a part of the tile; `index` counts parts of its shape.",
        "item": "The single element of a tile, as a scalar.",
        "astype": "Convert to another dtype; floats round to nearest, ties to even, by default.",
        "bitcast": "Reinterpret the bits as another dtype.",
        "pack_to_bytes": "The bytes of all elements, as a one-axis `uint8` tile.",
        "unpack_from_bytes": "Elements from their bytes: the inverse of `pack_to_bytes()`.",
    },
    "Selecting": {
        "where": "Elements of `x` where the condition is true, of `y` elsewhere.",
        "minimum": "The elementwise minimum. NaN is ignored unless `propagate_nan` is set.",
        "maximum": "The elementwise maximum. NaN is ignored unless `propagate_nan` is set.",
    },
    "Products": {
        "mma": "`x @ y + acc`, with the accumulator's dtype. Extents are arbitrary; axes before the last two are "
               "batch axes and broadcast. `use_fast_acc` lets tensor cores accumulate float8 products with their "
               "native precision.",
        "mma_scaled": "A matrix product with a scale for each block of B elements along the inner axis, given K / B "
                      "scales. Scales are of any float type, or powers of two given by their bits, the form in "
                      "which `float8_e8m0fnu` loads. Each block is a separate product, on every device.",
        "matmul": "`x @ y` in the operands' common dtype; a one-axis tile is a row on the left, a column on the "
                  "right. f16 and bf16 accumulate in f32 and round once. Products of tf32 are f32.",
    },
    "Arithmetic": {
        "add": "`x + y`.", "sub": "`x - y`.", "mul": "`x * y`.",
        "truediv": "`x / y`; a float even for integers.",
        "floordiv": "`x // y`, rounded down.",
        "mod": "`x % y`, with the divisor's sign.",
        "divmod": "The pair `x // y` and `x % y`.",
        "pow": "`x ** y`.", "negative": "`-x`.", "abs": "The absolute value.", "fma": "`x * y + z`, rounded once.",
    },
    "Functions": {
        "exp": "e to the power of x.", "exp2": "2 to the power of x.",
        "expm1": "exp(x) - 1, accurate near 0.",
        "log": "The natural logarithm.", "log2": "The base-2 logarithm.",
        "log1p": "log(1 + x), accurate near 0.",
        "sqrt": "The square root.", "rsqrt": "The reciprocal square root.", "sin": "The sine.",
        "cos": "The cosine.", "tan": "The tangent.", "sinh": "The hyperbolic sine.",
        "cosh": "The hyperbolic cosine.", "tanh": "The hyperbolic tangent.",
        "atan2": "The arctangent of `x / y` in the quadrant of the point, from -pi to pi.",
        "erf": "The error function.", "sigmoid": "1 / (1 + exp(-x)).", "floor": "Round down.", "ceil": "Round up.",
        "round": "Round to nearest, ties to even.",
        "trunc": "Round towards zero.", "isnan": "True for NaN elements.", "isinf": "True for infinite elements.",
    },
    "Bits and comparisons": {
        "bitwise_and": "`x & y`.", "bitwise_or": "`x | y`.", "bitwise_xor": "`x ^ y`.", "bitwise_not": "`~x`.",
        "bitwise_lshift": "`x << y`.",
        "bitwise_rshift": "`x >> y`; signed integers keep their sign.",
        "equal": "`x == y`.", "not_equal": "`x != y`.", "less": "`x < y`.", "less_equal": "`x <= y`.",
        "greater": "`x > y`.", "greater_equal": "`x >= y`.",
    },
    "Along axes": {
        "sum": "The sum along axes; over all axes by default. f16 and bf16 accumulate in f32 and round once.",
        "prod": "The product along axes.",
        "max": "The largest element. NaN is ignored unless `propagate_nan` is set.",
        "min": "The smallest element. NaN is ignored unless `propagate_nan` is set.",
        "any": "True if any element is true.",
        "all": "True if all elements are true.",
        "argmax": "The index of the largest element along an axis; the first one on ties.",
        "argmin": "The index of the smallest element along an axis; the first one on ties.",
        "reduce": "Reduce with a function of the kernel, which combines scalars, and its identity; takes one tile "
                  "or a tuple of tiles.",
        "cumsum": "The running sum along an axis.",
        "cumprod": "The running product along an axis.",
        "scan": "A scan with a function of the kernel.",
        "rank": "The places of a tile's elements, of one axis, in the stable order of their digits, 0 to `digits` - 1, "
                "and the number of elements with each digit. `digits` is a power of two up to 2048. Elements with "
                "another value have place -1.",
        "place": "Element i of `x` becomes element `position[i]` of the result. Elements that would be outside are "
                 "dropped, and elements without a position are `padding_value`.",
    },
    "While it is compiled": {
        "ensure_constant": "The value, which must be known at compile time.",
        "static_eval": "Evaluate an expression in Python at compile time: any Python, with the kernel's names. "
                       "Tiles expose their shape and dtype and support arithmetic.",
        "static_iter": "For an unrolled `for`: iterates over any Python iterable at compile time, at most 1000 "
                       "times.",
        "static_assert": "Fail to compile unless a condition, evaluated in Python, holds.",
        "static_exception": "For a `raise`: the exception that ends compilation when the statement is reached.",
        "assume_divisible_by": "The number, which the compiler may assume to be a multiple of the divisor.",
    },
    "Finding mistakes": {
        "print": "Print tiles and strings like Python's print(), which kernels may also use.",
        "printf": "Print with a C format. Its width and precision are ignored.",
        "assert_": "Abort the program unless all elements are true. The error gives the message and the Python line.",
    },
}

TEXTS = {name: text for group in DOCS.values() for name, text in group.items()}
