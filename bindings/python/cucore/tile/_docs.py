"""What each operation does: what help() says, and the reference of the site. A group, and its names."""

DOCS: dict[str, dict[str, str]] = {
    "The grid": {
        "bid": "The number of this block along an axis of the grid, 0 to 2.",
        "num_blocks": "How many blocks the grid has along an axis.",
        "num_tiles": "How many tiles of a shape an array has along an axis of them: its extent, divided and rounded up.",
        "cdiv": "The quotient of two integers, rounded up. Outside of kernels, too.",
        "grid_dependency_control_wait": "Wait for the kernel ahead, of a launch with `programmatic_dependent_launch`: "
                                        "what it wrote is there.",
        "grid_dependency_control_launch_dependents": "Let a kernel behind, launched so, begin.",
    },
    "Memory": {
        "load": "A tile of an array. `index` counts tiles of the shape, not elements; `order` says which axis of the "
                "array each axis of the tile is (\"F\": the other way round). What lies outside of the array reads as "
                "the padding, zero where none is said.",
        "store": "Write a tile, to the place where `load()` with its shape reads. What lies outside of the array is "
                 "not written; a scalar is written to one element.",
        "gather": "The elements that indices name, one tile of integers for each axis of the array, broadcast "
                  "together. An index outside, also a negative one, or a mask that is false gives the padding.",
        "scatter": "Write elements to where indices name. Those outside, and where the mask is false, are not written; "
                   "of several for one place, one is.",
        "load_advanced_indexing": "Rows by their numbers: one axis of the array has a tile of integers, every other a "
                                  "`Slice()`.",
        "store_advanced_indexing": "Write rows by their numbers, as `load_advanced_indexing()` reads them.",
        "Slice": "So many elements of an axis from one on, as an index of `load_advanced_indexing()`. The length is a "
                 "constant.",
    },
    "Atomic operations": {
        "atomic_add": "Add to elements, each atomically; gives what they were.",
        "atomic_max": "Leave the larger, atomically; gives what elements were.",
        "atomic_min": "Leave the smaller, atomically; gives what elements were.",
        "atomic_and": "Bitwise and with elements, atomically; gives what they were.",
        "atomic_or": "Bitwise or with elements, atomically; gives what they were.",
        "atomic_xor": "Bitwise exclusive or with elements, atomically; gives what they were.",
        "atomic_xchg": "Exchange elements, atomically; gives what they were.",
        "atomic_cas": "Write `desired` where elements are as `expected`, atomically; gives what they were.",
    },
    "Making tiles": {
        "arange": "A tile with one axis: start, start + step and so on; of int32 where nothing else is said.",
        "astile": "A tile of numbers and scalars that are written as nested tuples.",
        "full": "A tile of one value; of float8_e8m0fnu one that is known when the kernel is compiled.",
        "zeros": "A tile of zeros.",
        "ones": "A tile of ones.",
    },
    "Shapes and types": {
        "reshape": "The same elements in another shape, of which one extent may be -1.",
        "permute": "The axes in another order.",
        "transpose": "Two axes exchanged; a tile of two needs none said.",
        "expand_dims": "One more axis of extent 1, as `x[:, None]` makes it.",
        "broadcast_to": "Repeated along axes of extent 1, and along new ones in front.",
        "cat": "Two tiles, one behind the other along an axis.",
        "extract": "A part: the tile is a grid of parts of this shape, and `index` counts them.",
        "insert": "The tile with a part of it replaced, which `index` counts in parts of its shape.",
        "item": "The one element of a tile, as a scalar.",
        "astype": "Converted to another dtype; floats round to nearest, ties to even, unless it is said how.",
        "bitcast": "The same bits as another dtype.",
        "pack_to_bytes": "The bytes of all elements, as `uint8` with one axis.",
        "unpack_from_bytes": "Elements of their bytes: `pack_to_bytes()` the other way round.",
    },
    "Selecting": {
        "where": "Elements of `x` where the condition is true, and of `y` elsewhere.",
        "minimum": "The smaller of two, element by element. NaN is passed over unless `propagate_nan` is set.",
        "maximum": "The larger of two, element by element. NaN is passed over unless `propagate_nan` is set.",
    },
    "Products": {
        "mma": "`x @ y + acc`, of the accumulator's dtype. Extents are any; axes before the last two are a batch, and "
               "broadcast. `use_fast_acc` adds products of float8 as the tensor cores do by themselves.",
        "mma_scaled": "A product of which each block of elements along the inner axis has a scale: B elements, where "
                      "there are K / B scales. Scales are powers of two by their bits, which `float8_e8m0fnu` loads as, or of any "
                      "float type. A product of its own for each block, on every device.",
        "matmul": "`x @ y` of the operands' common dtype; a tile with one axis is a row on the left, a column on the "
                  "right. f16 and bf16 are summed in f32, and rounded once. Products of tf32 are f32.",
    },
    "Arithmetic": {
        "add": "`x + y`.", "sub": "`x - y`.", "mul": "`x * y`.",
        "truediv": "`x / y`, a float also of integers.",
        "floordiv": "`x // y`, rounded down.",
        "mod": "`x % y`, of the divisor's sign.",
        "divmod": "Both: `x // y` and `x % y`.",
        "pow": "`x ** y`.", "negative": "`-x`.", "abs": "The absolute value.",
        "fma": "`x * y + z`, rounded once.",
    },
    "Functions": {
        "exp": "e to the power of x.", "exp2": "2 to the power of x.", "expm1": "exp(x) - 1, exact near 0.",
        "log": "The natural logarithm.", "log2": "The logarithm to base 2.", "log1p": "log(1 + x), exact near 0.",
        "sqrt": "The square root.", "rsqrt": "One divided by the square root.", "sin": "The sine.", "cos": "The cosine.",
        "tan": "The tangent.", "sinh": "The hyperbolic sine.", "cosh": "The hyperbolic cosine.",
        "tanh": "The hyperbolic tangent.", "atan2": "The angle of a point, `x` over `y`, from -pi to pi.",
        "erf": "The error function.", "sigmoid": "1 / (1 + exp(-x)).", "floor": "Rounded down.", "ceil": "Rounded up.",
        "round": "Rounded to nearest, ties to even.", "trunc": "Rounded towards zero.",
        "isnan": "Whether elements are NaN.", "isinf": "Whether elements are infinite.",
    },
    "Bits and comparisons": {
        "bitwise_and": "`x & y`.", "bitwise_or": "`x | y`.", "bitwise_xor": "`x ^ y`.", "bitwise_not": "`~x`.",
        "bitwise_lshift": "`x << y`.", "bitwise_rshift": "`x >> y`, which keeps the sign of signed integers.",
        "equal": "`x == y`.", "not_equal": "`x != y`.", "less": "`x < y`.", "less_equal": "`x <= y`.",
        "greater": "`x > y`.", "greater_equal": "`x >= y`.",
    },
    "Along axes": {
        "sum": "The sum along axes; without any, of all. f16 and bf16 are summed in f32, and rounded once.",
        "prod": "The product along axes.",
        "max": "The largest element. NaN is passed over unless `propagate_nan` is set.",
        "min": "The smallest element. NaN is passed over unless `propagate_nan` is set.",
        "any": "Whether one element is true.", "all": "Whether all elements are.",
        "argmax": "The number of the largest element along an axis, the first of several.",
        "argmin": "The number of the smallest element along an axis, the first of several.",
        "reduce": "A reduction by a function of the kernel's own, of scalars, with its identity; of one tile, or of a "
                  "tuple of some.",
        "cumsum": "Running sums along an axis.", "cumprod": "Running products along an axis.",
        "scan": "Running results of a function of the kernel's own.",
    },
    "While it is compiled": {
        "ensure_constant": "The value, which has to be known when the kernel is compiled.",
        "static_eval": "What Python makes of an expression when the kernel is compiled: all of Python, with the "
                       "kernel's names. Tiles tell their shape and dtype, and can be computed with.",
        "static_iter": "For a `for`, which is unrolled: what Python's iterable gives, at most 1000 times.",
        "static_assert": "Refuse to compile unless a condition holds, which Python finds.",
        "static_exception": "For a `raise`: the exception that ends the compilation where it is come to.",
        "assume_divisible_by": "The number, of which the compiler may take for granted that it is a multiple.",
    },
    "Finding mistakes": {
        "print": "Print tiles and texts, as Python's print(), which does the same in a kernel.",
        "printf": "Print by a format of C's. Its widths and digits are not read.",
        "assert_": "End the program with an error unless all elements are true. It tells the message, and the line of Python.",
    },
}

TEXTS = {name: text for group in DOCS.values() for name, text in group.items()}
