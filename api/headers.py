"""Reads the public headers into one description, the contents of api/cucore.json.

libclang parses them, so types, values, sizes and offsets are a compiler's. Facts that C cannot express (direction,
ownership, lengths, NULL, threads, capture) come from the doc comments; a comment that omits one is an error.
`describe()` returns the description and the errors.
"""
import pathlib
import re
import subprocess

import clang.cindex as clang

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include"

# For each library, the header that includes all others, and either the headers that do not belong to
# the library (`without`) or the only ones that do (`only`).
LIBRARIES = {
    "cucore": {"header": "cucore.h", "without": {"bench.h", "check.h", "tune.h"}},
    "cucore-bench": {"header": "tune.h", "only": {"bench.h", "tune.h"}},
}

Cursor = clang.CursorKind
Type = clang.TypeKind


# Phrases of docs/streams-and-order.md, one of which each @capture contains.
CAPTURE_WORDS = ("makes no driver call", "becomes a node of the graph", "becomes a dependency in the graph",
                 "never touches a stream", "safe: not restricted by the driver",
                 "safe: asks the driver in relaxed mode", "refused with CUC_ERROR_BUSY on a captured stream",
                 "not on a captured stream", "may spoil a capture in global mode",
                 "spoils every capture of the context")


def parse(header):
    # libclang lacks builtin headers; those of cc work.
    builtin = subprocess.run(["cc", "-print-file-name=include"], capture_output=True, text=True,
                             check=True).stdout.strip()
    unit = clang.Index.create().parse(
        "all.c", ["-std=c11", f"-I{INCLUDE}", "-isystem", builtin],
        unsaved_files=[("all.c", f"#include <cucore/{header}>\n")])
    errors = [d for d in unit.diagnostics if d.severity >= clang.Diagnostic.Error]
    if errors:
        raise SystemExit("\n".join(map(str, errors)))
    return unit


# ---- comments ------------------------------------------------------------------------------------

def plain(comment):
    """Strip the stars from a comment."""
    if not comment:
        return ""
    text = re.sub(r"^/\*\*<?|\*/$", "", comment.strip())
    return "\n".join(re.sub(r"^\s*\* ?", "", line).rstrip() for line in text.splitlines()).strip()


def flat(text):
    return re.sub(r"\s+", " ", text).strip()


def brief(comment):
    return flat(plain(comment))


TAG = re.compile(r"^@(\w+)(\[[\w,]+\])?\s*(.*)$")


def tags(comment):
    """Split a comment into the text before the first tag and the tags: (name, direction, text)."""
    before, found, last = [], [], None
    for line in plain(comment).splitlines():
        if tag := TAG.match(line.strip()):
            if tag.group(1) == "par":  # a paragraph heading
                before.append(tag.group(3) + ":")
                continue
            found.append([tag.group(1), (tag.group(2) or "")[1:-1], tag.group(3)])
            last = found[-1]
        elif not line.strip():
            last = None if found and found[-1][0] not in ("param", "retval") else last
            before.append("") if not found else None
        elif last:
            last[2] += " " + line.strip()
        else:
            before.append(line)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(before)).strip()
    return text, [(name, direction, flat(value)) for name, direction, value in found]


def one(found, name):
    values = [value for tag, _, value in found if tag == name]
    return values[0] if values else None


# ---- types ---------------------------------------------------------------------------------------

def strip(kind):
    """Resolve typedefs that cucore does not name, and anonymous wrappers."""
    while kind.kind == Type.ELABORATED:
        kind = kind.get_named_type()
    return kind


def function_type(kind):
    """Return the function type behind a pointer or typedef; None if there is none."""
    kind = strip(kind)
    if kind.kind == Type.TYPEDEF:
        kind = kind.get_canonical()
    if kind.kind == Type.POINTER:
        target = strip(kind.get_pointee())
        while target.kind == Type.UNEXPOSED:
            target = target.get_canonical()
        if target.kind == Type.FUNCTIONPROTO:
            return target
    return None


def spelling(kind):
    return re.sub(r"\*(?=\w)", "* ", re.sub(r"\bstruct (?=cuc_)", "", kind.spelling))


def callback(proto, names=()):
    types = list(proto.argument_types())
    names = list(names) or [f"arg{i}" for i in range(len(types))]
    return {"returns": spelling(proto.get_result()),
            "parameters": [{"name": n, "type": spelling(t)} for n, t in zip(names, types)]}


def parameter_names(cursor):
    return [c.spelling for c in cursor.get_children() if c.kind == Cursor.PARM_DECL]


# ---- parts of the description --------------------------------------------------------------------

def layout(record):
    """Return the fields of a struct or union, with offsets from its start."""
    kind, fields = record.type, []
    for cursor in record.get_children():
        if cursor.kind != Cursor.FIELD_DECL:
            continue
        field_type = strip(cursor.type)
        field = {"name": cursor.spelling, "type": spelling(cursor.type),
                 "offset": kind.get_offset(cursor.spelling) // 8, "bytes": field_type.get_size()}
        if field_type.kind == Type.CONSTANTARRAY:
            field["type"] = spelling(field_type.element_type)
            field["count"] = field_type.element_count
        elif (proto := function_type(cursor.type)) and not re.fullmatch(r"cuc_\w+", field["type"]):
            field["type"] = "callback"
            field["callback"] = callback(proto, parameter_names(cursor))
        declaration = field_type.get_declaration()
        if declaration.kind in (Cursor.UNION_DECL, Cursor.STRUCT_DECL) and "(" in field["type"]:
            field["type"] = "union" if declaration.kind == Cursor.UNION_DECL else "struct"
            field["fields"] = layout(declaration)
        if cursor.raw_comment:
            field["doc"] = brief(cursor.raw_comment)
        if array := re.match(r"\[(\w+)\]", field.get("doc", "")):
            field["length"] = array.group(1)
        fields.append(field)
    return fields


def ownership(doc, also=""):
    """Return who owns the object behind a pointer, in the words of docs/ownership.md."""
    for text in (doc, also):
        for word, pattern in (("owned", r"release it|_release\(\)|to be released|caller's reference|"
                                        r"to be consumed|[Rr]elease with|\bretained\b"),
                              ("static", r"\bstatic\b|borrowed for the life of the process|"
                                         r"lives as long as the process|for the life of the process"),
                              ("borrowed", r"[Bb]orrowed|[Vv]alid (as long as|while|until)|"
                                           r"[Ll]ives as long as|not to be (destroyed|unloaded)|"
                                           r"as long as")):
            if re.search(pattern, text):
                return word
    return None


def parameters(cursor, found, handles, growing):
    documented = {}
    for tag, direction, text in found:
        if tag == "param":
            name, _, doc = text.partition(" ")
            documented[name] = (direction, doc.strip())
    types = {c.spelling: c.type for c in cursor.get_arguments()}
    result, returned = [], one(found, "return") or ""
    for position, (name, kind) in enumerate(types.items()):
        direction, doc = documented.pop(name, ("", ""))
        parameter = {"name": name, "type": spelling(kind)}
        kind = strip(kind)
        proto = function_type(kind)
        if proto and "cuc_" not in parameter["type"].split("(")[0]:
            parameter["type"] = "callback"
            here = next(c for c in cursor.get_arguments() if c.spelling == name)
            parameter["callback"] = callback(proto, parameter_names(here))
        pointer = kind.kind == Type.POINTER
        if pointer and not proto:
            target = kind.get_pointee()
            named = re.sub(r"\bconst\b|\*", "", parameter["type"]).strip()
            stars = parameter["type"].count("*")
            inward = target.is_const_qualified() or stars == 1 and (named in handles or named == "void")
            grows = stars == 1 and named in growing and not cursor.spelling.endswith("_init")
            guess = "in" if inward else "inout" if grows else "out"
            parameter["direction"] = "inout" if guess == "inout" else direction or guess
            if parameter["direction"] == "out" and stars == 2 and (kept := ownership(doc)):
                parameter["ownership"] = kept
        else:
            parameter["direction"] = direction or "in"
        if pointer or proto:
            if parameter["direction"] == "in":
                parameter["nullable"] = "NULL" in doc or position == 0 and "for NULL" in returned
            else:  # for outputs, NULL may describe the pointer or the value
                parameter["nullable"] = bool(re.search(r"may be NULL|NULL: not wanted|NULL does", doc))
                if parameter["type"].count("*") == 2:
                    said = re.sub(r"may be NULL|NULL: not wanted", "", doc)
                    parameter["gives_null"] = "NULL" in said
            words = doc.split(";")
            for word in ("copied", "retained", "borrowed"):
                if parameter["direction"] == "in" and any(re.match(rf"\s*{word}\b", w) for w in words):
                    parameter["ownership"] = word
        if array := re.search(r"\[(\w+(?: [-+*] \w+)?)\]", doc):
            if array.group(1) in types or array.group(1).isdigit():
                parameter["length"] = array.group(1)
        if fixed := re.match(r"(\d+) bytes$", doc):
            parameter["length"] = fixed.group(1)
        if doc:
            parameter["doc"] = doc
        result.append(parameter)
    return result, documented


def function(cursor, handles, growing, listed, mistakes):
    name = cursor.spelling
    text, found = tags(cursor.raw_comment) if cursor.raw_comment else listed.get(name, ("", []))
    result = {"name": name, "returns": spelling(cursor.result_type)}
    result["parameters"], unknown = parameters(cursor, found, handles, growing)
    for each in unknown:
        mistakes.append(f"{name}: the comment has @param {each}, which the function has not")
    doc, sizes = result["parameters"], {}
    nothing = {"name": "", "type": ""}
    for i, parameter in enumerate(doc):
        if "length" in parameter or parameter["type"].count("*") != 1:
            continue
        before, behind = doc[i - 1] if i else nothing, doc[i + 1] if i + 1 < len(doc) else nothing
        if re.fullmatch(r"(const )?(void|char) \*", parameter["type"]) and \
                behind["name"] in ("bytes", "size") or behind["name"] == "capacity":
            parameter["length"] = behind["name"]
        elif before["name"] == "count" and parameter["type"] in ("const cuc_tile *", "const int64_t *"):
            parameter["length"] = "count"
    for parameter in doc:
        if "length" in parameter:
            sizes[parameter["length"]] = parameter["name"]
    for parameter in doc:
        if parameter["name"] in sizes:
            parameter["length_of"] = sizes[parameter["name"]]
    returned = one(found, "return") or ""
    if "*" in result["returns"]:
        first = doc[0]["type"] if doc else ""
        result["ownership"] = "same" if name.endswith("_retain") else ownership(returned, text)
        result["returns_null"] = "never NULL" not in returned and "NULL" in returned
        if not result["ownership"] and first and "void *" in result["returns"]:
            result["ownership"] = "borrowed"  # the driver's own handle
        if not result["ownership"]:
            mistakes.append(f"{name}: @return says neither static, borrowed nor release")
    for parameter in doc:
        if parameter["direction"] == "out" and parameter["type"].count("*") == 2 and \
                "ownership" not in parameter:
            mistakes.append(f"{name}: @param {parameter['name']} says neither static, borrowed nor "
                            "release")
    for tag in ("thread", "capture", "since"):
        if not one(found, tag):
            mistakes.append(f"{name}: no @{tag}")
        result[tag] = one(found, tag)
    if result["capture"] and not any(words in result["capture"] for words in CAPTURE_WORDS):
        mistakes.append(f"{name}: @capture says none of: {', '.join(CAPTURE_WORDS)}")
    for tag in ("order", "shape", "source"):
        if value := one(found, tag):
            result[tag] = value
    if returned:
        result["return_doc"] = returned
    statuses = [value.partition(" ") for tag, _, value in found if tag == "retval"]
    if statuses:
        result["statuses"] = [{"name": s, "doc": d.strip()} for s, _, d in statuses]
    if result["returns"] == "cuc_status" and not statuses and not returned:
        mistakes.append(f"{name}: no @retval")
    result["doc"] = text
    return result


def lists(header):
    """Return the X-macro lists of a header: name -> (comment, rows of words)."""
    text, result = (INCLUDE / "cucore" / header).read_text(), {}
    for match in re.finditer(r"#define (CUC_\w+_LIST)\(X\)((?:[^\n]*\\\n)*[^\n]*\n)", text):
        before = text[:match.start()].rstrip().removesuffix("// clang-format off").rstrip()
        comment = before[before.rindex("/**"):] if before.endswith("*/") else ""
        rows = []
        for line in match.group(2).splitlines():
            if row := re.match(r"\s*X\((.*?)\)\s*(?:/\*\s*(.*?)\s*\*/)?\s*\\?$", line):
                words = re.findall(r'"[^"]*"|[^,\s][^,]*', row.group(1))
                rows.append(([w.strip() for w in words], row.group(2)))
        result[match.group(1)] = (brief(comment), rows)
    return result


def listed_functions(known):
    """Return functions declared by a list: name -> (brief, tags), as a doc comment would give them."""
    result, rules = {}, []
    for comment, rows in known.values():
        said = [("thread", r"one call at a time[^;.]*"), ("capture", "no driver call"),
                ("since", r"Since (\d+\.\d+)")]
        here = []
        for tag, pattern in said:
            if match := re.search(pattern, comment):
                value = match.group(match.lastindex or 0)
                here.append((tag, "", "makes no driver call" if tag == "capture" else value))
        rules = here or rules  # "the same for those ..." inherits the rules of the preceding list
        for words, _ in rows:
            if re.fullmatch(r"cuc_\w+", words[0]):
                gives = words[-1].strip('"')
                result[words[0]] = (gives, rules)
    return result


# Enums whose constants share a prefix, keyed by first constant.
ENUM_NAMES = {
    "CUC_DEFAULT": "switch",
    "CUC_DL_CPU": "dl_device_type", "CUC_DL_INT": "dl_type_code", "CUC_DL_READ_ONLY": "dl_flag",
    "CUC_ATTENTION_FULL": "attention_mask", "CUC_ATTENTION_TOP_LEFT": "attention_align",
    "CUC_ALGORITHM_TRANSFORM": "algorithm_kind", "CUC_ALGORITHM_DEVICE_COUNT": "algorithm_flag",
    "CUC_ATTENTION_HEADS_FIRST": "attention_order", "CUC_ATTENTION_LSE": "attention_flag",
    "CUC_GEMM_SINGLE": "gemm_form", "CUC_GEMM_ROW_MAJOR": "gemm_order",
    "CUC_GEMM_LINEAR": "gemm_activation", "CUC_GEMM_NO_BIAS": "gemm_bias",
    "CUC_GEMM_NO_GRADIENT": "gemm_gradient",
    "CUC_GEMM_IEEE": "gemm_precision", "CUC_GEMM_SHARED_A": "gemm_flag",
    "CUC_CAPTURE_GLOBAL": "capture_mode", "CUC_CAPTURE_NONE": "capture_status",
    "CUC_TILE_RN": "tile_rounding", "CUC_TILE_ORDER_DEFAULT": "tile_order",
    "CUC_TILE_IEEE": "tile_precision", "CUC_STREAM_SYNC_LEGACY": "stream_flag",
    "CUC_STREAM_LEGACY": "default_stream", "CUC_LAUNCH_COOPERATIVE": "launch_flag",
    "CUC_GRAPH_AUTO_FREE": "graph_flag", "CUC_EVENT_TIMING": "event_flag",
    "CUC_WRITE_NO_MEMORY_BARRIER": "write_flag", "CUC_MEMORY_POOL_HW_DECOMPRESS": "memory_pool_flag",
    "CUC_BENCH_PEER": "bench_subject_flag",
}


def rows_of(rows, names):
    """If `names` are the constants of an enum made from this list, return name -> row; otherwise {}. The names are
    words of the rows, with or without a common prefix."""
    for place in (0, 1):
        words = [row[place] for row, _ in rows if len(row) > place and row[place].isupper()]
        if len(words) == len(rows) and rows and names[0].endswith(words[0]):
            prefix = names[0].removesuffix(words[0])
            by_name = {prefix + word: row for word, row in zip(words, rows)}
            if len(by_name) == len(rows) and set(by_name) <= set(names) and (not prefix or prefix.endswith("_")):
                return by_name
    return {}


def enum(cursor, header, known, source, mistakes):
    values = []
    for each in cursor.get_children():
        if each.kind == Cursor.ENUM_CONSTANT_DECL:
            value = {"name": each.spelling, "value": each.enum_value}
            if each.raw_comment and "<" in each.raw_comment[:5] or \
                    each.raw_comment and each.raw_comment.strip().startswith("/**"):
                value["doc"] = brief(each.raw_comment)
            values.append(value)
    names = [v["name"] for v in values]
    result = {"name": None, "header": header, "doc": brief(cursor.raw_comment)}
    for list_name, (comment, rows) in known.items():
        by_name = rows_of(rows, names)
        if by_name:
            result["name"] = list_name[4:-5].lower()
            result["doc"] = result["doc"] or comment
            for value in values:
                if value["name"] not in by_name:
                    continue
                words, remark = by_name[value["name"]]
                strings = [w[1:-1] for w in words if w.startswith('"')]
                if list_name == "CUC_DEVICE_ATTRIBUTE_LIST":
                    value["text"], value["unit"] = words[2], strings[0]
                    value["default"] = int(words[3])
                elif strings:
                    value["text"] = strings[0]
                    if len(strings) > 1:
                        value["doc"] = strings[1]
                if remark:
                    value.setdefault("doc", remark)
            break
    result["name"] = ENUM_NAMES.get(names[0], result["name"])
    if not result["name"]:
        prefix = names[0]
        for name in names[1:]:
            while not name.startswith(prefix):
                prefix = prefix[:-1]
        prefix = prefix[:prefix.rfind("_") + 1] if len(names) > 1 else prefix[:prefix.rfind("_") + 1]
        result["name"] = (prefix[4:] or names[0][4:] + "_").rstrip("_").lower()
    text = source[cursor.extent.start.offset:cursor.extent.end.offset]
    if "<<" in text or re.search(r"=\s*0x", text):
        result["bits"] = True
    result["values"] = values
    texts = [v["text"] for v in values if "text" in v]
    for text in sorted({t for t in texts if texts.count(t) > 1}):
        mistakes.append(f"{result['name']}: two values are called {text}")
    return result


def constants(header):
    """Return numeric macros."""
    text, result = (INCLUDE / "cucore" / header).read_text(), []
    for name, value in re.findall(r"^#define (CUC_[A-Z][A-Z0-9_]*) \(?(-?\d+|UINT64_MAX)\)?$", text, re.M):
        result.append({"name": name, "value": 2**64 - 1 if value == "UINT64_MAX" else int(value),
                       "header": header})
    return result


def is_private(cursor):
    """Return true for a declaration that only the headers' own macros use: cuc__name, or an enum of CUC__NAME."""
    names = [cursor.spelling] + [each.spelling for each in cursor.get_children()
                                 if cursor.kind == Cursor.ENUM_DECL]
    return any(re.match(r"cuc__|CUC__", name) for name in names)


def headers_of(library):
    rule = LIBRARIES[library]
    if "only" in rule:
        return sorted(rule["only"])
    return sorted(p.name for p in (INCLUDE / "cucore").glob("*.h") if p.name not in rule["without"])


def describe(library):
    unit = parse(LIBRARIES[library]["header"])
    mine = headers_of(library)
    sources = {h: (INCLUDE / "cucore" / h).read_text() for h in mine}
    known = {}
    for header in mine:
        known.update(lists(header))
    cursors = []
    for cursor in unit.cursor.get_children():
        place = cursor.location.file
        if place and pathlib.Path(place.name).parent.name == "cucore":
            header = pathlib.Path(place.name).name
            if header in mine:
                cursors.append((header, cursor))

    mistakes, result = [], {"library": library, "headers": mine}
    version = dict(re.findall(r"#define CUC_VERSION_(\w+) (\d+)",
                              (INCLUDE / "cucore" / "base.h").read_text()))
    result["version"] = "{MAJOR}.{MINOR}.{PATCH}".format(**version)
    result["data_model"] = "LP64, little endian"
    types, handles, callbacks, structs, enums, functions = {}, {}, {}, {}, [], {}

    for header, cursor in cursors:
        name = cursor.spelling
        if is_private(cursor):
            continue
        if cursor.kind == Cursor.TYPEDEF_DECL:
            under = strip(cursor.underlying_typedef_type)
            if proto := function_type(under):
                callbacks[name] = {"header": header, "doc": brief(cursor.raw_comment),
                                   **callback(proto, parameter_names(cursor))}
            elif under.kind == Type.RECORD:
                record = under.get_declaration()
                if record.is_definition() or record.get_definition():
                    record = record.get_definition()
                    if name not in structs:
                        structs[name] = {"header": header, "doc": plain(cursor.raw_comment or
                                                                       record.raw_comment),
                                         "bytes": under.get_size(), "align": under.get_align(),
                                         "fields": layout(record)}
                        structs[name]["grows"] = structs[name]["fields"][0]["name"] == "struct_size"
                elif cursor.raw_comment and not handles.get(name):
                    text, _, thread = plain(cursor.raw_comment).partition("Threads:")
                    handles[name] = {"header": header, "doc": text.strip(), "thread": flat(thread)}
            else:
                types[name] = {"header": header, "type": spelling(under),
                               "doc": plain(cursor.raw_comment)}
        elif cursor.kind == Cursor.ENUM_DECL:
            enums.append(enum(cursor, header, known, sources[header], mistakes))
    if library != "cucore":
        handles_all = set(handles) | set(describe("cucore")[0]["handles"])
    else:
        handles_all = set(handles)
    growing = {n for n, s in structs.items() if s["grows"]}
    listed = listed_functions(known)
    for header, cursor in cursors:
        if cursor.kind == Cursor.FUNCTION_DECL and cursor.storage_class != clang.StorageClass.STATIC:
            each = function(cursor, handles_all, growing, listed, mistakes)
            functions[each["name"]] = {"header": header, **each}
    for name, handle in handles.items():
        for verb in ("retain", "release"):
            if f"{name}_{verb}" in functions:
                handle[verb] = f"{name}_{verb}"
    seen = {}
    for each in enums:
        seen[each["name"]] = seen.get(each["name"], 0) + 1
        if seen[each["name"]] > 1:
            mistakes.append(f"two enums come out as {each['name']}: name {each['values'][0]['name']}'s "
                            "in ENUM_NAMES of api/headers.py")
    result.update(types=types, handles=handles, callbacks=callbacks, enums=enums,
                  constants=[c for h in mine for c in constants(h)],
                  structs=[{"name": n, **s} for n, s in sorted(structs.items())],
                  functions=[f for _, f in sorted(functions.items())])
    return result, mistakes
