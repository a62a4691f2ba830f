"""Tests context managers in kernels on every exit path, and nested functions."""
import pathlib
import tempfile
import unittest

from test_tile import TileTest, ct, np

if np is not None:
    import tile_contexts as k

# A kernel, its number argument, and the numbers that it writes.
NOTED = [
    ("left_by_break", 0, [10, 0, 20, 40]), ("left_by_break", 1, [10, 0, 20, 30, 11, 1, 21, 41]),
    ("left_by_continue", 1, [10, 30, 50, 40, 20, 60, 11, 30, 40, 21, 12, 30, 50, 40, 22, 60]),
    ("left_by_return", 1, [10, 30, 40, 20]), ("left_by_return", 0, [10, 30, 40, 50, 20, 60]),
    ("only_what_the_loop_entered", 1, [10, 30, 40, 60, 20]),
    ("only_what_the_loop_entered", 0, [10, 30, 40, 50, 60, 20]),
    ("generators_within", 0, [0, 1, 2, 10, 2, 3, 5, 7, 6]),
    ("generators_within", 1, [0, 1, 2, 10, 2, 3, 5, 7, 6, 10, 11, 12, 110, 12, 13, 15, 17, 16]),
    ("functions_of_a_generator", 1, [0, 1, 10]),
    ("returned_from", 2, [10, 20, 2]), ("returned_from", 1, [10, 30, 20, 101]), ("returned_from", 0, [10, 30, 50, 20, 60, -1]),
    ("returned_from_loops", 0, [10, 30, 50, 60, 40, 20, 0]),
    ("returned_from_loops", 1, [10, 30, 50, 60, 40, 30, 50, 60, 40, 20, 1]),
    ("returned_from_loops", 2, [10, 30, 50, 60, 40, 30, 50, 60, 40, 20, 9]),
    ("kept_for_later", 3, [3, 10, 30, 20]),
    ("functions_behind_a_loop", 0, [0, 1]), ("functions_behind_a_loop", 1, [0, 1]),
    ("functions_returned", 0, [11]), ("functions_returned", 1, [11]),
    ("functions_see_ifs", 0, [1]), ("functions_see_ifs", 1, [2]),
    ("functions_see_loops", 0, [1, 7]), ("functions_see_loops", 3, [12, 7]),
    ("functions_of_comprehensions", 2, [2, 2, 2, 5, 6, 99]),
    ("wrapped_functions", 5, [3, 15]), ("methods_of_dataclasses", 4, [50, 150, 7]),
    ("defaults_of_functions", 4, [45, 0, 1]),
]


class Contexts(TileTest):
    def test_views_of_scalars_have_steps(self):
        out = self.put(np.zeros(8, np.int32))
        self.run_kernel((1,), k.scalars_apart, out, 4)
        self.assertEqual(self.get(out).tolist(), [4, 0, 2, 0, 5, 0, 9, 0])

    def test_each_path_exits_context_managers_in_order(self):
        for name, number, noted in NOTED:
            with self.subTest(name, number=number):
                out = self.put(np.zeros(24, np.int32))
                self.run_kernel((1,), getattr(k, name), out, number)
                self.assertEqual(self.get(out).tolist(), [len(noted), *noted, *[0] * (23 - len(noted))])

    def test_mistakes_are_reported_with_their_line(self):
        for lines, kind, said in k.WRONG:
            with self.subTest(lines), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "wrong.py"
                path.write_text(f"{k.HEAD}    {lines}\n")
                scope = {"__name__": "wrong"}
                exec(compile(path.read_text(), str(path), "exec"), scope)
                with self.assertRaises(ct.TileError) as caught:
                    ct.launch(self.stream, (1,), scope["wrong"], (self.put(np.zeros(8, np.int32)), 1))
                self.assertIs(type(caught.exception), kind, caught.exception)
                self.assertIn(said, str(caught.exception))
                self.assertEqual(caught.exception.filename, str(path))


if __name__ == "__main__":
    unittest.main()
