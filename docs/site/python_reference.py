"""Makes the page of the Python package from its sources, which are parsed and not run."""
import ast
import re

MODULES = ("graph", "library", "system", "tuning", "utils")  # modules, each with a section of the page


def directive(kind, signature, lines, depth=3):
    fence = ":" * depth
    return "\n".join([f"{fence}{{py:{kind}}} {signature}", *lines, fence, ""])


def takes(function):
    """Return the parameters as written, without self and cls, and the type of the result."""
    text = re.sub(r"^(?:self|cls)(?:, |$)", "", ast.unparse(function.args))
    back = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"({text}){back}"


def decorators(node):
    return {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}


def method(function):
    how = decorators(function)
    doc = [ast.get_docstring(function) or ""]
    if how & {"property", "cached_property"}:
        type_ = [f":type: {ast.unparse(function.returns)}"] if function.returns else []
        return directive("property", function.name, [*type_, "", *doc], 4)
    kind = "classmethod" if "classmethod" in how else "staticmethod" if "staticmethod" in how else "method"
    return directive(kind, function.name + takes(function), ["", *doc], 4)


def fields(node, source):
    """Yield annotated fields, with the comments `#:` before or after them."""
    lines = source.splitlines()
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and not each.target.id.startswith("_"):
            said = re.search(r"#: (.*)", lines[each.end_lineno - 1])
            above = re.match(r"\s*#: (.*)", lines[each.lineno - 2])
            default = [f":value: {ast.unparse(each.value)}"] if each.value and \
                len(ast.unparse(each.value)) < 40 else []
            yield directive("attribute", each.target.id,
                            [f":type: {ast.unparse(each.annotation)}", *default, "",
                             said[1] if said else above[1] if above else ""], 4)


def of_class(node, source):
    bases = [ast.unparse(base) for base in node.bases if not ast.unparse(base).startswith("_")]
    made = next((f for f in node.body if getattr(f, "name", "") in ("__init__", "__new__")), None)
    signature = takes(made).partition(" -> ")[0] if made and not decorators(node) else ""
    lines = [ast.get_docstring(node) or "", ""]
    lines += [f"A `{'`, `'.join(bases)}`.", ""] if [b for b in bases if b != "Handle"] else []
    lines += fields(node, source) if "dataclass" in "".join(decorators(node)) else []
    seen = set()
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("_") and each.name not in seen \
                and not decorators(each) & {"setter", "overload"}:
            seen.add(each.name)
            lines.append(method(each))
    kind = "exception" if node.name.endswith("Error") else "class"
    return directive(kind, node.name + signature, ["", *lines], 5)


def defined(source):
    """Yield (name, node) of each definition of a module, also of those for type checkers only."""
    for node in ast.parse(source).body:
        for each in node.body if isinstance(node, ast.If) else [node]:
            if isinstance(each, (ast.ClassDef, ast.FunctionDef)):
                yield each.name, each
            elif isinstance(each, ast.Assign):
                target = each.targets[0]
                for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                    yield ast.unparse(name), each


def sections(path, names):
    """Return the directives of the names that a module defines, and remove these from `names`."""
    source, part = path.read_text(), []
    for name, node in defined(source):
        if name not in names:
            continue
        if isinstance(node, ast.ClassDef):
            part.append(of_class(node, source))
        elif isinstance(node, ast.FunctionDef):
            part.append(directive("function", name + takes(node), ["", ast.get_docstring(node) or ""]))
        elif isinstance(node.value, ast.Name):
            part.append(directive("data", name, ["", f"Another name of `{ast.unparse(node.value)}`."]))
        else:
            part.append(directive("data", name, [""]))
        names.discard(name)
    return part


def exported(path):
    """Return the names in a module's __all__ that are literals."""
    return next({each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant)}
                for node in ast.parse(path.read_text()).body
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")


def imported(path):
    """Return name -> (file, name in the file) of a module's imports from its package."""
    return {each.asname or each.name: (path.parent / f"{node.module}.py", each.name)
            for node in ast.parse(path.read_text()).body if isinstance(node, ast.ImportFrom) and node.level == 1
            for each in node.names if node.module}


def module(package, name):
    """Return the part of a module: its docstring, and its own and imported names. A name that the package has
    under another name is a link to it.
    """
    path, known = package / f"{name}.py", exported(package / "__init__.py")
    names, origins = exported(path), imported(path)
    part = sections(path, names)
    for file in sorted({file for file, _ in origins.values()}):
        taken = {each: origins[each][1] for each in names if each in origins and origins[each][0] == file}
        same = {each for each, original in taken.items() if each == original}
        renamed = {each: original for each, original in taken.items() if each not in same and original in known}
        part += [directive("class", each, ["", f"Another name of {{py:class}}`cucore.{original}`."])
                 for each, original in sorted(renamed.items())]
        names -= {*same, *renamed}
        part += sections(file, same)
        names |= same  # names that the file does not define
    if names:
        raise SystemExit(f"docs/site: cucore.{name} exports {', '.join(sorted(names))}, which no module defines")
    return [f"## cucore.{name}", "", f"```{{py:module}} cucore.{name}", "```", "",
            ast.get_docstring(ast.parse(path.read_text())) or "", "", *part]


def page(package):
    """Return the page of all exports of the package, by modules."""
    init = (package / "__init__.py").read_text()
    names = next(set(ast.literal_eval(node.value)) for node in ast.parse(init).body
                 if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    names = {name for name in names if not list(package.glob(f"{name}*"))} # without modules
    out = ["# The Python package", "", "Every object of `cucore`. [Python](../docs/python.md) explains how to "
           "use them. `cucore.raw` is [the C interface](index.md) under its C names.",
           "", "```{py:currentmodule} cucore", "```", ""]
    for path in sorted(package.glob("_[a-z]*.py")):
        part = sections(path, names)
        if part:
            title = path.stem.strip("_").replace("_", " ")
            out += [f"## {title[:1].upper()}{title[1:]}", "", *part]
    if names:
        out += ["## Others", "", *(directive("data", name, [""]) for name in sorted(names))]
    for name in MODULES:
        out += module(package, name)
    return "\n".join(out) + "\n"


OTHERS = {"Kernels": ("kernel", "launch", "function", "ByTarget", "compiler_timeout"),
          "Parameters": ("Constant", "ConstantAnnotation", "ArrayAnnotation", "ScalarAnnotation", "ListAnnotation",
                         "ScalarInt64", "IndexedWithInt64", "Array", "Tile", "Scalar", "TiledView"),
          "Choices": ("PaddingMode", "RoundingMode", "MemoryOrder", "MemoryScope")}


def tile_page(tile):
    """Return the page of cucore.tile. Operations are in groups, with declarations of the stub and texts of
    _docs.py; the rest comes from the sources."""
    stub = ast.parse((tile / "__init__.pyi").read_text())
    functions = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
    groups = ast.literal_eval(next(node.value for node in ast.parse((tile / "_docs.py").read_text()).body
                                   if isinstance(node, ast.AnnAssign)))
    texts = {path: path.read_text() for path in sorted(tile.glob("*.py"))}

    def given(name):
        """Return the directive of a class or a function of the sources."""
        for text in texts.values():
            for each, node in defined(text):
                if each == name and isinstance(node, ast.ClassDef):
                    return of_class(node, text)
                if each == name and isinstance(node, ast.FunctionDef):
                    return directive("function", name + takes(node), ["", ast.get_docstring(node) or ""])
        raise SystemExit(f"docs/site: cucore.tile has no {name}")

    out = ["# cucore.tile", "", "Kernels on tiles, with cuTile's names: `import cucore.tile as ct`. "
           "[Python](../docs/python.md#kernels-on-tiles) explains how to write kernels; [cuTile's names](../docs/cutile.md) "
           "lists the supported names.", "", "```{py:module} cucore.tile", "```", ""]
    for title, names in OTHERS.items():
        out += [f"## {title}", "", *map(given, names)]
    for title, names in groups.items():
        out += [f"## {title}", ""]
        out += [directive("function", name + takes(functions[name]), ["", text]) for name, text in names.items()]
    for name in ("Array", "_Memory", "_View", "Tile"):
        node = next(each for each in stub.body if isinstance(each, ast.ClassDef) and each.name == name)
        title = {"_Memory": "Memory, of get_raw_memory()", "_View": "Views"}.get(name, f"{name}s")
        own = [each for each in node.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("__")]
        fields_of = [each.target.id for each in node.body if isinstance(each, ast.AnnAssign)]
        out += [f"## {title} in kernels", "", f"Each has {', '.join(f'`{each}`' for each in fields_of)}, and", "",
                *(f"- `{each.name}{takes(each)}`" for each in own), ""]
    failures = [name for name in ("TileCompilerError", "TileSyntaxError", "TileTypeError", "TileValueError",
                                  "TileUnsupportedFeatureError", "TileRecursionError", "TileStaticAssertionError",
                                  "TileStaticEvalError", "StaticException")]
    out += ["## Failures", "", "`TileError` is the base class of all failures, another name of `cucore.CUDAError`.", "", *map(given, failures),
            "## cucore.tile.tune", "", "```{py:module} cucore.tile.tune", "```", "",
            *sections(tile / "tune.py", exported(tile / "tune.py"))]
    return "\n".join(out) + "\n"
