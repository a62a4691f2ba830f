#!/usr/bin/env python3
"""Builds the site: build.py DOXYFILE VERSION OUT [CUCORE]. Every warning is an error.

Doxygen checks the comments of the headers and writes nothing. Sphinx makes OUT/html from the articles
and from the description of the interface, which contains the same comments. The program cucore makes
the page of all measurements, and its plots, from bench/results/. Finally the script checks each link
of the pages.
"""
import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
sys.path.insert(1, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

import command  # noqa: E402
import cpp_reference  # noqa: E402
import pages  # noqa: E402
import performance  # noqa: E402
import python_reference  # noqa: E402
import reference  # noqa: E402
import rust_reference  # noqa: E402


class Page(html.parser.HTMLParser):
    """The anchors and the links of a page."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = {""}, set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" and value:
                self.anchors.add(value)
            if name in ("href", "src") and value and tag in ("a", "img", "link", "script"):
                self.links.add(value)


def broken(folder):
    """Yield each broken link as text."""
    read = {path: Page(path) for path in folder.rglob("*.html")}
    for path, page in sorted(read.items()):
        for link in sorted(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path.relative_to(folder)}: {link}: there is no such page"
            elif target in read and urllib.parse.unquote(parts.fragment) not in read[target].anchors:
                yield f"{path.relative_to(folder)}: {link}: there is no such place on that page"


def needed(name):
    """Return the path of a program: in .docs/ (from scripts/setup.sh --site), or else on PATH."""
    own = ROOT / ".docs/bin" / name
    found = str(own) if own.exists() else shutil.which(name)
    if not found:
        sys.exit(f"there is no {name}: run scripts/setup.sh --site, which installs the documentation tools")
    return found


def main(doxyfile, version, out, cucore=None):
    doxygen = needed("doxygen")
    sphinx = needed("sphinx-build")
    out = pathlib.Path(out).resolve()
    apis = [json.loads((ROOT / f"api/{name}.json").read_text()) for name in ("cucore", "cucore-bench")]
    made = reference.pages(apis, ROOT / "include/cucore")
    made["reference/command.md"] = command.page((ROOT / "docs/man/cucore.1").read_text())
    made["reference/tile_codes.md"] = reference.tile_codes((ROOT / "src/explain/tile_code.def").read_text())
    made["reference/python_package.md"] = python_reference.page(ROOT / "bindings/python/cucore")
    made["reference/python_tile.md"] = python_reference.tile_page(ROOT / "bindings/python/cucore/tile")
    made["reference/cpp.md"] = cpp_reference.page((ROOT / "include/cucore/cucore.hpp").read_text())
    made["reference/rust.md"] = rust_reference.page(ROOT / "bindings/rust/cucore/src")
    if cucore:
        # matplotlib is beside sphinx-build, where .docs/ has both.
        os.environ["PATH"] = f"{pathlib.Path(sphinx).parent}:{os.environ['PATH']}"
        measured = performance.Performance(ROOT, cucore)
        made["docs/performance.md"] = measured.every(out / "source" / "docs")
    pages.stage(ROOT, out / "source", made)
    comments = subprocess.Popen([doxygen, doxyfile])
    site = subprocess.run([sphinx, "-M", "html", out / "source", out, "-c", HERE, "-q", "-j", "auto",
                           "-W", "--keep-going"], check=False,
                          env={**os.environ, "CUCORE_SITE_VERSION": version}).returncode
    if comments.wait() or site:
        return 1
    found = list(broken(out / "html"))
    print("\n".join(found) or f"the site is in {out / 'html'}, begin with index.html")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
