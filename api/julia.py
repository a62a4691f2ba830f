"""Generates Julia's raw layer from the description: constants, structs, ccalls, and a layout test."""
import re

SCALARS = {"int8_t": "Int8", "uint8_t": "UInt8", "int16_t": "Int16", "uint16_t": "UInt16",
           "int32_t": "Int32", "uint32_t": "UInt32", "int64_t": "Int64", "uint64_t": "UInt64",
           "size_t": "Csize_t", "float": "Cfloat", "double": "Cdouble", "int": "Cint",
           "char": "UInt8", "void": "Cvoid"}
WORDS = {"begin", "end", "function", "type", "module", "struct", "do", "if", "for", "while", "let",
         "global", "local", "const", "quote", "macro", "try", "return", "break", "baremodule"}
NOTE = "Written by api/api.py write. Do not edit."


def name(word):
    return word + "_" if word in WORDS else word


class Types:
    def __init__(self, api):
        self.api = api
        self.callbacks = api["callbacks"]
        self.aligns = {s["name"]: s["align"] for s in api["structs"]}

    def julia(self, spelling):
        if spelling == "callback" or spelling in self.callbacks:
            return "Ptr{Cvoid}"
        stars, base = spelling.count("*"), re.sub(r"\bconst\b|\*", "", spelling).strip()
        return "Ptr{" * stars + SCALARS.get(base, base) + "}" * stars

    def argument(self, spelling):
        return "Cstring" if spelling == "const char *" else self.julia(spelling)

    def field(self, field):
        """Represent a union as words of its size and alignment."""
        if "fields" in field:
            align = self.align(field)
            kind = f"UInt{8 * align}"
            return kind if field["bytes"] == align else f"NTuple{{{field['bytes'] // align}, {kind}}}"
        kind = self.julia(field["type"])
        return f"NTuple{{{field['count']}, {kind}}}" if "count" in field else kind

    def align(self, field):
        if "fields" in field:
            return max(self.align(each) for each in field["fields"])
        return self.aligns.get(field["type"], field["bytes"] // field.get("count", 1))


def comment(text, indent=""):
    first = " ".join(text.partition("\n\n")[0].split())
    return [f"{indent}# {first}"] if first else []


def in_order(structs):
    """Order structs after those they contain or point to."""
    done, left = [], {s["name"]: s for s in structs}
    while left:
        for title, each in list(left.items()):
            inner = {re.sub(r"\bconst\b|[* ]", "", f["type"]) for f in each["fields"]} - {title}
            if not inner & set(left):
                done.append(left.pop(title))
    return done


def module(api):
    types, out = Types(api), []
    out += [f"# {NOTE}", "# Everything public of libcucore, by its C names.", ""]
    for title, each in api["types"].items():
        out += [*comment(each["doc"]), f"const {title} = {types.julia(each['type'])}"]
    out.append("")
    for title, each in api["handles"].items():
        out += [*comment(each["doc"]), f"mutable struct {title} end"]
    out.append("")
    for enum in api["enums"]:
        kind = "UInt32" if enum.get("bits") else "Int32"
        out += [f"const {v['name']} = {kind}({v['value']})" for v in enum["values"]]
    for each in api["constants"]:
        kind = "Int32" if each["value"] < 2**31 else "UInt64"
        out.append(f"const {each['name']} = {kind}({each['value']})")
    out.append("")
    for each in in_order(api["structs"]):
        out += [*comment(each["doc"]), f"struct {each['name']}"]
        for field in each["fields"]:
            out.append(f"    {name(field['name'])}::{types.field(field)}")
        out += ["end", ""]
    for each in api["functions"]:
        names = ", ".join(name(p["name"]) for p in each["parameters"])
        kinds = ", ".join(types.argument(p["type"]) for p in each["parameters"])
        kinds += "," if len(each["parameters"]) == 1 else ""
        out += [*comment(each["doc"]), f"{each['name']}({names}) =",
                f"    ccall((:{each['name']}, libcucore), {types.argument(each['returns'])}, ({kinds})"
                + (f", {names})" if names else ")")]
    return "\n".join(out + [""])


def layout(api):
    out = [f"# {NOTE}", "# Sizes and offsets as the headers have them: name, bytes, alignment, fields.",
           "const LAYOUT = ["]
    for each in api["structs"]:
        fields = ", ".join(f"(:{name(f['name'])}, {f['offset']}, {f['bytes']})" for f in each["fields"])
        out.append(f"    (:{each['name']}, {each['bytes']}, {each['align']}, [{fields}]),")
    out += ["]", "", "const FUNCTIONS = ["]
    out += [f"    (:{f['name']}, {len(f['parameters'])})," for f in api["functions"]]
    return "\n".join(out + ["]", ""])


def files(api):
    if api["library"] != "cucore":
        return {}
    return {"bindings/julia/src/api.jl": module(api), "bindings/julia/test/layout.jl": layout(api)}
