"""Generates Python's raw layer from the description: constants, structs and prototypes for ctypes."""
import re

SCALARS = {"int8_t": "c_int8", "uint8_t": "c_uint8", "int16_t": "c_int16", "uint16_t": "c_uint16",
           "int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64", "uint64_t": "c_uint64",
           "size_t": "c_size_t", "float": "c_float", "double": "c_double", "int": "c_int"}
# Letter codes of prototype types; cucore/raw.py has the inverse.
LETTERS = {"void": "v", "c_int8": "b", "c_uint8": "B", "c_int16": "h", "c_uint16": "H",
           "c_int32": "i", "c_uint32": "I", "c_int64": "q", "c_uint64": "Q", "c_size_t": "z",
           "c_float": "f", "c_double": "d", "c_int": "i", "c_void_p": "p", "c_char_p": "s"}
NOTE = "Written by api/api.py write. Do not edit."


class Types:
    def __init__(self, api):
        self.api = api
        self.structs = {s["name"]: s for s in api["structs"]}

    def ctypes(self, spelling):
        """Return the ctypes name of a C type."""
        if spelling in self.api["types"]:
            spelling = self.api["types"][spelling]["type"]
        if spelling == "const char *":
            return "c_char_p"
        if "*" in spelling or spelling == "callback" or spelling in self.api["callbacks"]:
            return "c_void_p"
        return SCALARS.get(spelling, spelling)

    def hint(self, spelling):
        """Return the annotation for type checkers."""
        name = self.ctypes(spelling)
        if name == "c_char_p":
            return "bytes | None"
        if name == "c_void_p":
            return "Pointer"
        return {"void": "None", "c_float": "float", "c_double": "float"}.get(name, "int")


def callback(types, each):
    names = [types.ctypes(each["returns"])] + [types.ctypes(p["type"]) for p in each["parameters"]]
    return "_c.CFUNCTYPE(" + ", ".join("None" if n == "void" else f"_c.{n}" for n in names) + ")"


def struct(types, name, fields, out, kind="Structure"):
    """Generate a class, nested ones first."""
    rows = []
    for field in fields:
        if "fields" in field:
            inner = f"{name}_{field['name']}"
            struct(types, inner, field["fields"], out, field["type"].capitalize().replace(
                "Struct", "Structure"))
            kind_of = inner
        elif "callback" in field:
            kind_of = callback(types, field["callback"])
        else:
            kind_of = types.ctypes(field["type"])
            kind_of = kind_of if kind_of in types.structs else f"_c.{kind_of}"
        count = f" * {field['count']}" if "count" in field else ""
        rows.append(f'        ("{field["name"]}", {kind_of}{count}),')
    out += [f"class {name}(_c.{kind}):", "    _fields_ = [", *rows, "    ]", "", ""]


def in_order(structs):
    """Order structs after those they contain."""
    done, left = [], dict(structs)
    while left:
        for name, each in list(left.items()):
            inner = {f["type"] for f in each["fields"] if "*" not in f["type"]}
            if not inner & set(left):
                done.append(left.pop(name))
    return done


def module(api):
    types, out = Types(api), []
    out += [f'"""Everything public of libcucore {api["version"]}, for ctypes. {NOTE}"""',
            "import ctypes as _c", "", f'VERSION = "{api["version"]}"', ""]
    for enum in api["enums"]:
        out += [f"{v['name']} = {v['value']}" for v in enum["values"]]
    out += [f"{c['name']} = {c['value']}" for c in api["constants"]]
    out += ["", "# The names of values, as messages have them.", "NAMES = {"]
    for enum in api["enums"]:
        named = {v["value"]: v["text"] for v in enum["values"] if "text" in v}
        if named:
            out.append(f'    "{enum["name"]}": {{')
            out += [f"        {value}: {text!r}," for value, text in named.items()]
            out.append("    },")
    out += ["}", "", "# The units of attributes; a \"flag\" is 0 or 1.", "UNITS = {"]
    for enum in api["enums"]:
        units = {v["value"]: v["unit"] for v in enum["values"] if "unit" in v}
        if units:
            out.append(f'    "{enum["name"]}": {{')
            out += [f"        {value}: {unit!r}," for value, unit in units.items()]
            out.append("    },")
    out += ["}", ""]
    for name, each in api["callbacks"].items():
        out.append(f"{name} = {callback(types, each)}")
    out += ["", ""]
    for each in in_order(types.structs):
        struct(types, each["name"], each["fields"], out)
    out += ["# Sizes and offsets as the headers have them; a test compares.", "LAYOUT = {"]
    for name, each in types.structs.items():
        offsets = ", ".join(f'"{f["name"]}": {f["offset"]}' for f in each["fields"])
        out.append(f'    "{name}": ({each["bytes"]}, {{{offsets}}}),')
    out += ["}", "", "# The result and the parameters of each function, a letter each.", "FUNCTIONS = {"]
    for each in api["functions"]:
        letters = [LETTERS[types.ctypes(p["type"])] for p in each["parameters"]]
        out.append(f'    "{each["name"]}": "{LETTERS[types.ctypes(each["returns"])]}'
                   f'{"".join(letters)}",')
    out += ["}", ""]
    return "\n".join(out)


def stub(api):
    types, out = Types(api), []
    out += [f"# {NOTE}", "import ctypes", "from typing import Any", "",
            "# An address, or what ctypes takes for a pointer: bytes, byref(), an array.",
            "Pointer = Any", "", "VERSION: str", "LIBRARY: str", "NAMES: dict[str, dict[int, str]]",
            "UNITS: dict[str, dict[int, str]]",
            "FUNCTIONS: dict[str, str]", "LAYOUT: dict[str, tuple[int, dict[str, int]]]",
            "RANGES: dict[type, tuple[int, int]]", "",
            "def prototype(name: str, *, release_gil: bool = ...) -> Any: ...", ""]
    out += [f"{v['name']}: int" for e in api["enums"] for v in e["values"]]
    out += [f"{c['name']}: int" for c in api["constants"]]
    out += [f"{name}: type[Any]" for name in api["callbacks"]]

    def members(name, fields, kind):
        for field in fields:
            if "fields" in field:
                members(f"{name}_{field['name']}", field["fields"],
                        "Union" if field["type"] == "union" else "Structure")
        out.extend(["", f"class {name}(ctypes.{kind}):"])
        for field in fields:
            if "fields" in field:
                hint = f"{name}_{field['name']}"
            elif "count" in field or "callback" in field or field["type"] in types.structs:
                hint = "Any"
            else:
                hint = types.hint(field["type"])
            out.append(f"    {field['name']}: {hint}")

    for each in in_order(types.structs):
        members(each["name"], each["fields"], "Structure")
    out.append("")
    for each in api["functions"]:
        given = ", ".join(f"{keyword(p['name'])}: {types.hint(p['type'])}" for p in each["parameters"])
        returns = types.hint(each["returns"]).replace("Pointer", "int | None")
        brief = re.split(r"\n\n|(?<=[.:]) ", each["doc"].replace('"', "'"))[0].replace("\n", " ")
        out += [f"def {each['name']}({given}) -> {returns}:", f'    """{brief}"""']
    return "\n".join(out) + "\n"


def keyword(name):
    import keyword as words
    return name + "_" if words.iskeyword(name) else name


def files(api):
    if api["library"] != "cucore":
        return {}
    return {"bindings/python/cucore/_api.py": module(api), "bindings/python/cucore/raw.pyi": stub(api)}
