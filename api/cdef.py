"""Plain C declarations from a description, for cffi's cdef() and for readers of C.

They need no preprocessor: types, constants as enums, structs, functions.
"""
import re


def declared(name, kind, count=None):
    """Format `type name`, with the name in C's position."""
    kind = kind.strip()
    joint = "" if kind.endswith("*") else " "
    return f"{kind}{joint}{name}" + (f"[{count}]" if count else "")


def pointer(name, each):
    parameters = ", ".join(declared(p["name"], p["type"]) for p in each["parameters"]) or "void"
    return f"{declared('', each['returns']).rstrip()} (*{name})({parameters})"


def fields(members, indent="    "):
    out = []
    for field in members:
        if "fields" in field:
            out.append(f"{indent}{field['type']} {{")
            out += fields(field["fields"], indent + "    ")
            out.append(f"{indent}}} {field['name']};")
        elif "callback" in field:
            out.append(f"{indent}{pointer(field['name'], field['callback'])};")
        else:
            out.append(f"{indent}{declared(field['name'], field['type'], field.get('count'))};")
    return out


def in_order(structs):
    """Order structs after those they contain by value."""
    left, done = {s["name"]: s for s in structs}, []
    while left:
        for name, each in list(left.items()):
            if not {f["type"] for f in each["fields"]} & set(left):
                done.append(left.pop(name))
    return done


def text(api, types):
    """Return all declarations of a library. `types` are libcucore's, which libcucore-bench uses too."""
    out = [f"/* {api['library']} {api['version']}: written by api/api.py cdef. */"]
    out += [f"typedef {kind['type']} {name};" for name, kind in types.items()]
    known = set(api["handles"]) | {s["name"] for s in api["structs"]}
    used = set(re.findall(r"\bcuc_\w+(?= \*)", str(api)))  # handles of another library
    opaque = sorted((known | used) - set(types) - set(api["callbacks"]))
    out += [f"typedef struct {name} {name};" for name in opaque]
    out += [f"typedef {pointer(name, each)};" for name, each in api["callbacks"].items()]
    for each in [v for e in api["enums"] for v in e["values"]] + api["constants"]:
        if -2**31 <= each["value"] < 2**31:  # fits a C enum
            out.append(f"enum {{ {each['name']} = {each['value']} }};")
    for each in in_order(api["structs"]):
        out += [f"struct {each['name']} {{", *fields(each["fields"]), "};"]
    for each in api["functions"]:
        parameters = []
        for p in each["parameters"]:
            parameters.append(pointer(p["name"], p["callback"]) if "callback" in p
                              else declared(p["name"], p["type"]))
        out.append(f"{declared(each['name'], each['returns'])}({', '.join(parameters) or 'void'});")
    return "\n".join(out) + "\n"
