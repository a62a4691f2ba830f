"""Tests that the reference page, generated from sources, matches the package at run time."""
import importlib
import inspect
import re
import sys
import unittest

import cucore
from support import ROOT

sys.path.insert(0, str(ROOT / "docs" / "site"))
import python_reference  # noqa: E402

PAGE = python_reference.page(ROOT / "bindings" / "python" / "cucore")
DIRECTIVE = r"^:{3}(?:::)?\{py:\w+\} "  # module members; class members have one colon more or less


def shown(section):
    """Return a section's names, each with the text below it."""
    return dict(re.findall(rf"{DIRECTIVE}(\w+)(.*?)(?={DIRECTIVE}|\Z)", section, re.M | re.S))


class Reference(unittest.TestCase):
    def check(self, module, section):
        there = shown(section)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.ismodule(value):
                continue
            with self.subTest(f"{module.__name__}.{name}"):
                self.assertIn(name, list(there))
                if inspect.isclass(value) and value.__name__ != name:
                    self.assertRegex(there[name], rf"^\s*Another name of (\{{py:class\}}`cucore\.|`){value.__name__}`")
                    self.assertIs(getattr(cucore, value.__name__), value)
                elif inspect.isclass(value):
                    members = re.findall(r"^::::\{py:(?:property|\w*method)\} (\w+)", there[name], re.M)
                    self.assertEqual([each for each in members if not hasattr(value, each)], [])
                    self.assertNotIn("Another name of", there[name])

    def test_the_package(self):
        self.check(cucore, PAGE.partition("## cucore.")[0])

    def test_its_modules(self):
        for name in python_reference.MODULES:
            section = PAGE.partition(f"## cucore.{name}\n")[2].partition("\n## cucore.")[0]
            self.check(importlib.import_module(f"cucore.{name}"), section)


if __name__ == "__main__":
    unittest.main()
