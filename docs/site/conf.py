"""Sphinx's settings; build.py calls it with the folder of staged pages."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

project = "cucore"
author = "the authors of cucore"
project_copyright = author
version = release = os.environ.get("CUCORE_SITE_VERSION", "")

extensions = ["myst_parser", "extension"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 4
smartquotes = False # keep the text as written
highlight_language = "none"
primary_domain = "c"
toc_object_entries = False # extension.py lists them
nitpicky = True # a named type, function or constant that does not exist is an error
nitpick_ignore = [("c:identifier", name) for name in (
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t intptr_t uintptr_t "
    "FILE va_list").split()]

nitpick_ignore_regex = [("py:.*", ".*"), ("cpp:.*", ".*")] # annotations name things without a page

html_theme = "furo"
html_title = f"cucore {version}"
html_static_path = [str(pathlib.Path(__file__).resolve().parent / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
