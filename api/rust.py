"""Generates Rust's raw layer from the description: the crate cucore-sys and its layout test."""
import re

SCALARS = {"int8_t": "i8", "uint8_t": "u8", "int16_t": "i16", "uint16_t": "u16", "int32_t": "i32",
           "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64", "size_t": "usize", "float": "f32",
           "double": "f64", "int": "c_int", "char": "c_char", "void": "c_void"}
KEYWORDS = {"as", "break", "const", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod",
            "move", "mut", "ref", "return", "self", "static", "struct", "trait", "type", "unsafe",
            "use", "where", "while", "box", "final", "macro", "try", "yield"}
NOTE = "Written by api/api.py write. Do not edit."


def name(word):
    return word + "_" if word in KEYWORDS else word


def rust(spelling, kind=None):
    """Return the Rust type of a C type."""
    stars, base = spelling.count("*"), spelling.replace("*", "").strip()
    if not stars:
        return SCALARS.get(base, base)
    # const qualifies the type to its left: "const char * const *" points to a constant pointer.
    parts = [part.strip() for part in spelling.split("*")]
    inner = parts[0].replace("const", "").strip()
    result, constant = SCALARS.get(inner, inner), "const" in parts[0]
    for part in parts[1:]:
        result = ("*const " if constant else "*mut ") + result
        constant = "const" in part
    return result


def callback(each):
    given = ", ".join(f"{name(p['name'])}: {rust(p['type'])}" for p in each["parameters"])
    returns = "" if each["returns"] == "void" else f" -> {rust(each['returns'])}"
    return f'Option<unsafe extern "C" fn({given}){returns}>'


def escaped(text):
    return re.sub(r"([\[\]<>])", r"\\\1", text)


def comment(text, indent=""):
    """Return the first paragraph of a comment."""
    first = text.partition("\n\n")[0].strip()
    return [f"{indent}/// {escaped(line)}".rstrip() for line in first.splitlines()]


def struct(title, fields, out, kind="struct", doc="", grows=False):
    """Generate a struct or union, nested ones first."""
    rows = []
    for field in fields:
        if "fields" in field:
            kind_of = f"{title}_{field['name']}"
            struct(kind_of, field["fields"], out, field["type"])
        elif "callback" in field:
            kind_of = callback(field["callback"])
        else:
            kind_of = rust(field["type"])
        if "count" in field:
            kind_of = f"[{kind_of}; {field['count']}]"
        rows += comment(field.get("doc", ""), "    ")
        rows.append(f"    pub {name(field['name'])}: {kind_of},")
    out += [*comment(doc), "#[repr(C)]", "#[derive(Clone, Copy)]", f"pub {kind} {title} {{", *rows,
            "}", "", f"zeroed!({title}{', struct_size' if grows else ''});", ""]


def bindings(api):
    out = [f"// {NOTE}", "// Everything public of libcucore, by its C names.", ""]
    for title, each in api["types"].items():
        out += [*comment(each["doc"]), f"pub type {title} = {rust(each['type'])};", ""]
    for title, each in api["handles"].items():
        out += ["opaque! {", *comment(each["doc"], "    "), f"    {title}", "}", ""]
    for title, each in api["callbacks"].items():
        out += [*comment(each["doc"].partition(" @param")[0]),
                f"pub type {title} = {callback(each)};", ""]
    for enum in api["enums"]:
        kind = "u32" if enum.get("bits") else "i32"
        kind = {"status": "cuc_status", "dtype": "cuc_dtype"}.get(enum["name"], kind)
        for value in enum["values"]:
            out += comment(value.get("doc") or value.get("text", ""))
            out.append(f"pub const {value['name']}: {kind} = {value['value']};")
        out.append("")
    for each in api["constants"]:
        kind = "i32" if each["value"] < 2**31 else "u64"
        out.append(f"pub const {each['name']}: {kind} = {each['value']};")
    out.append("")
    for each in api["structs"]:
        struct(each["name"], each["fields"], out, doc=each["doc"], grows=each["grows"])
    out.append('extern "C" {')
    for each in api["functions"]:
        given = ", ".join(f"{name(p['name'])}: " + (callback(p["callback"]) if "callback" in p else
                                                     rust(p["type"])) for p in each["parameters"])
        returns = "" if each["returns"] == "void" else f" -> {rust(each['returns'])}"
        out += [*comment(each["doc"], "    "), f"    pub fn {each['name']}({given}){returns};"]
    return "\n".join(out + ["}", ""])


def layouts(api):
    """Generate a test that compares rustc's struct layouts with the headers' offsets."""
    out = [f"// {NOTE}", "// Sizes and offsets as the headers have them; every function is there.", ""]
    rows = []

    def row(title, fields, size, align):
        for field in fields:
            if "fields" in field:
                row(f"{title}_{field['name']}", field["fields"], field["bytes"], 0)
        rows.append(f"    row!({title}, {size}, {align});")
        for field in fields:
            rows.append(f"    row!({title}.{name(field['name'])}, {field['offset']}, {field['bytes']});")

    for each in api["structs"]:
        row(each["name"], each["fields"], each["bytes"], each["align"])
    out += ["pub fn structs(wrong: &mut Vec<String>) {",
            "    macro_rules! row {",
            "        ($s:ident, $size:expr, $align:expr) => {",
            "            super::whole::<cucore_sys::$s>(wrong, stringify!($s), $size, $align)",
            "        };",
            "        ($s:ident . $f:ident, $at:expr, $size:expr) => {{",
            "            let it = std::mem::MaybeUninit::<cucore_sys::$s>::uninit();",
            "            let field = unsafe { std::ptr::addr_of!((*it.as_ptr()).$f) };",
            "            let place = (it.as_ptr() as usize, field as usize);",
            "            super::field(wrong, concat!(stringify!($s), \".\", stringify!($f)), place, field, $at,",
            "                         $size)",
            "        }};",
            "    }", *rows, "}", "",
            "pub fn functions() -> Vec<(&'static str, *const ())> {", "    vec!["]
    out += [f'        ("{f["name"]}", cucore_sys::{f["name"]} as *const ()),' for f in api["functions"]]
    return "\n".join(out + ["    ]", "}", ""])


def files(api):
    if api["library"] != "cucore":
        return {}
    folder = "bindings/rust/cucore-sys"
    return {f"{folder}/src/bindings.rs": bindings(api), f"{folder}/tests/described/mod.rs": layouts(api)}
