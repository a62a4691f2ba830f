"""Names that the paths of an if or a loop bind: arrays, constants, tiles, and what cannot be read behind them."""
import unittest

from test_tile import TileTest, ct, np

if np is not None:
    import tile_joins as k

X, Y = [1, 2, 3, 4], [11, 12, 13, 14]
# A kernel, the number it is given, and the array it writes.
RESULTS = [
    ("array_of_if", 1, X), ("array_of_if", 0, Y), ("array_of_if", -5, X),
    ("array_of_for", 0, X), ("array_of_for", 3, Y),
    ("array_of_while", 0, X), ("array_of_while", 1, Y), ("array_of_while", 2, X),
    ("array_of_expression", 2, X), ("array_of_expression", 3, Y),
    ("stored_to", 0, Y), ("stored_to", 1, [7] * 4), ("stored_to", 100, Y),
    ("one_constant", 0, [4] * 4), ("one_constant", 1, [4] * 4),
    ("one_constant_by_break", 0, [4] * 4), ("one_constant_by_break", 5, [4] * 4),
    ("first_bound_in_a_loop", 0, [0] * 4), ("first_bound_in_a_loop", 4, [12] * 4),
    ("bound_anew", 0, [0] * 4), ("bound_anew", 3, [13] * 4),
    ("conditions", 0, [4 + 16] * 4), ("conditions", 1, [1 + 8 + 32] * 4), ("conditions", 3, [1 + 2 + 4 + 8 + 32] * 4),
    ("out_of_a_loop", 3, [12] * 4), ("out_of_a_loop", 9, [-1] * 4),
    ("out_of_two_loops", 3, [3] * 4), ("out_of_two_loops", 4, [102] * 4),
    ("only_one_arm_runs", 1, [4] * 4), ("only_one_arm_runs", 2, [2] * 4),
    ("after_the_loop", 0, [-1] * 4), ("after_the_loop", 5, [4] * 4),
]


class Joins(TileTest):
    def test_each_path_brings_its_value(self):
        for name, number, right in RESULTS:
            with self.subTest(name, number=number):
                out = self.put(np.zeros(4, np.float32))
                self.run_kernel((1,), getattr(k, name), self.put(X, np.float32), self.put(Y, np.float32), out, number)
                np.testing.assert_array_equal(self.get(out), np.array(right, np.float32))


if __name__ == "__main__":
    unittest.main()
