"""Makes the pages of the reference, one for each header, from the description of the interface
(api/*.json) and the macros of the header itself."""
import re
import textwrap

CODE = re.compile(r"(`[^`]*`)")
NAMES = re.compile(r"\b(sizeof\(cuc_\w+\)|cuc_\w+(?:\(\))?|CUC_\w+(?:\([^()]*\))?|CUCORE_\w+)")


def marked(text):
    """Convert a comment's text to Markdown: functions and constants become code, and all else is escaped."""
    out = []
    for part in CODE.split(text):
        if not part.startswith("`"):
            part = NAMES.sub(r"`\1`", part)
            part = "".join(p if p.startswith("`") else re.sub(r"([\[\]<>|])", r"\\\1", p)
                           for p in CODE.split(part))
        out.append(part)
    return "".join(out)


def prose(text):
    """Convert paragraphs; indented text becomes code."""
    out = []
    text = re.sub(r"^@par (.*)$", r"**\1.**\n", text.strip("\n"), flags=re.M)
    for part in re.split(r"\n\n+", text):
        if part.startswith("    "):
            out.append(f"```c\n{textwrap.dedent(part)}\n```")
        else:
            out.append(marked(part))
    return "\n\n".join(out)


def sentence(text, names=()):
    """Make a sentence of a phrase of a comment. Names at its beginning become code and keep their case."""
    text = re.sub(r"\s+", " ", text).strip().rstrip(".")
    subject = re.match(r"(?:\w+, )*(?:\w+ (?:or|and) )?\w+ (?=is |are |has |have |was |does )", text)
    if subject and subject[0].split(",")[0].split(" ")[0] in names:
        text = re.sub(r"\w+", lambda m: f"`{m[0]}`" if m[0] in names else m[0], subject[0]) + \
            text[subject.end():]
    if text[:1].islower() and not re.match(r"\w*[_(*\d]|\w+\(", text.split(" ")[0]):
        text = text[:1].upper() + text[1:]
    return marked(text) + "." if text else ""


def brief(text):
    first = re.split(r"(?<=[.:;])\s|\n\n", text.strip())[0]
    return marked(re.sub(r"\s+", " ", first).rstrip(".:;"))


def declared(name, type_):
    return f"{type_}{'' if type_.endswith('*') else ' '}{name}"


def callback(name, of):
    takes = ", ".join(declared(p["name"], p["type"]) for p in of["parameters"]) or "void"
    return f"{of['returns']}{'' if of['returns'].endswith('*') else ' '}(*{name})({takes})"


def parameter(p):
    return callback(p["name"], p["callback"]) if "callback" in p else declared(p["name"], p["type"])


def directive(kind, signature, lines, depth=3):
    """Return a directive of Sphinx's C domain with its content."""
    fence = ":" * depth
    return "\n".join([f"{fence}{{c:{kind}}} {signature}", *lines, fence, ""])


def field(name, text):
    """Return an item of a field list. Continuation lines are indented."""
    return f":{name}: {text}"


OWNED = {"owned": "The caller must release it", "borrowed": "It is borrowed",
         "static": "It lives as long as the process", "retained": "Retained", "copied": "Copied"}


def function(each):
    lines = [prose(each["doc"]), ""]
    for p in each["parameters"]:
        said = [sentence(p.get("doc", ""))]
        if p["direction"] == "out" and p.get("ownership") in OWNED and "releas" not in said[0]:
            said.append(OWNED[p["ownership"]] + ".")
        if any(said):
            lines.append(field(f"param {p['name']}", " ".join(s for s in said if s)))
    if "return_doc" in each:
        lines.append(field("returns", sentence(each["return_doc"])))
    names = [p["name"] for p in each["parameters"]]
    lines += [field(f"retval {s['name']}", sentence(s["doc"], names)) for s in each.get("statuses", [])]
    for key, title in (("shape", "Shape"), ("order", "Stream order"), ("thread", "Threads"),
                       ("capture", "Graph capture"), ("source", "Source"), ("since", "Since")):
        if key in each:
            lines.append(field(title, sentence(each[key]) if key != "since" else each[key]))
    takes = ", ".join(parameter(p) for p in each["parameters"]) or "void"
    return directive("function", f"{declared(each['name'], each['returns'])}({takes})", lines)


def length(field):
    return f"[{field['count']}]" if "count" in field else ""


def members(fields):
    for each in fields:
        if each["type"] in ("union", "struct"):
            inner = [directive("member", declared(f["name"], f["type"]) + length(f), [sentence(f.get("doc", ""))], 4)
                     for f in each["fields"] if f["type"] not in ("union", "struct")
                     and "callback" not in f]
            said = ["", sentence(each.get("doc", "")), "", *inner]
            yield directive(each["type"], each["name"], said, 5)
        else:
            type_ = callback(each["name"], each["callback"]) if "callback" in each else \
                declared(each["name"], each["type"]) + length(each)
            yield directive("member", type_, [sentence(each.get("doc", ""))], 4)


def struct(each):
    layout = "It may grow in later releases: `struct_size` is the size that the caller was compiled with." if each.get("grows") else \
        "Its layout is final."
    said = f"{layout} {each['bytes']} bytes, aligned to {each['align']}."
    return directive("struct", each["name"],
                     ["", prose(each.get("doc", "")), "", said, "", *members(each["fields"])], 6)


def constants(each):
    title = each["name"].replace("_", " ")
    lines = [f"### {title[:1].upper()}{title[1:]}", "", prose(each.get("doc", "")), ""]
    for value in each["values"]:
        number = f"{value['value']:#x}" if each.get("bits") else str(value["value"])
        said = [f"`{number}`", f"“{value['text']}”" if "text" in value else "",
                sentence(value.get("doc", ""))]
        lines.append(directive("macro", value["name"], [" · ".join(s for s in said if s)]))
    return "\n".join(lines)


MACRO = re.compile(r"/\*\*(?P<doc>(?:(?!\*/).)*)\*/\n#define (?P<name>CUC_\w+)(?P<takes>\([^)]*\))?", re.S)


def macros(text, known):
    """Yield (name, parameters, comment, directive) of each documented macro of a header that is not
    a constant.
    """
    seen = set()
    for match in MACRO.finditer(text):
        name = match["name"]
        if name in known or name in seen:
            continue
        seen.add(name)
        doc = re.sub(r"^ ?\* ?", "", re.sub(r"\n *\* ?", "\n", match["doc"]), flags=re.M).strip()
        doc, *tags = re.split(r"\n(?=@)", doc)
        lines = [prose(doc), ""]
        for tag in tags:
            word, _, rest = tag.lstrip("@").partition(" ")
            if word == "param":
                name_of, _, rest = rest.strip().partition(" ")
                lines.append(field(f"param {name_of}", sentence(rest)))
            elif word in ("thread", "capture", "since", "order", "source"):
                lines.append(field({"thread": "Threads", "capture": "Graph capture"}.get(
                    word, word.capitalize()), sentence(rest)))
        yield name, match["takes"], doc, directive("macro", name + (match["takes"] or ""), lines)


def sections(text, functions):
    """Return the functions of a header in its order: (title, functions). The title is "" before the first."""
    places = {m[1]: m.start() for m in re.finditer(r"\b(?:CUC_API\s[^;]*?\b|X\()(cuc_\w+)(?=\(|,)", text)}
    titles = [(m.start(), m[1]) for m in re.finditer(r"/\* -{2,} (.+?) -{2,} \*/", text)]
    out = [("", [])] + [(title[:1].upper() + title[1:], []) for _, title in titles]
    for each in sorted(functions, key=lambda f: places.get(f["name"], len(text))):
        at = places.get(each["name"], len(text))
        out[sum(place < at for place, _ in titles)][1].append(each)
    return [each for each in out if each[1]]


def opening(header, text):
    """Return the title and the rest of the comment on top of a header."""
    comment = re.search(r"/\*\*\n \* @file\n(.*?) \*/", text, re.S)
    title, _, rest = (re.sub(r"^ \* ?", "", comment[1], flags=re.M) if comment else header).partition("\n\n")
    return re.sub(r"\s+", " ", title).strip().rstrip("."), rest


def types(handles, names, callbacks):
    for each in handles:
        held = f"Reference-counted: `{each['retain']}()`, `{each['release']}()`." if "retain" in each else \
            f"Destroyed by `{each['release']}()`." if "release" in each else ""
        lines = [prose(each.get("doc", "")), "", held, ""]
        lines += [field("Threads", sentence(each["thread"]))] if "thread" in each else []
        yield directive("type", each["name"], lines)
    for each in names:
        yield directive("type", f"{each['type']} {each['name']}", [prose(each.get("doc", ""))])
    for each in callbacks:
        doc = re.split(r"@param(?:\[\w+\])? (\w+)", each.get("doc", ""))
        lines = [prose(doc[0]), ""]
        lines += [f"- `{n}`: {sentence(d)}" for n, d in zip(doc[1::2], doc[2::2])]
        yield directive("type", callback(each["name"], each), lines)


def page(api, header, text):
    """Return the title and the page of a header."""
    def here(key):
        each = api[key]
        each = each if isinstance(each, list) else [{"name": n, **v} for n, v in each.items()]
        return [e for e in each if e["header"] == header]

    # A handle is on the page of its release function, though another header may declare it first.
    of = {f["name"]: f["header"] for f in api["functions"]}
    handles = [{"name": n, **v} for n, v in api["handles"].items()
               if of.get(v.get("release"), v["header"]) == header]
    known = {v["name"] for e in api["enums"] for v in e["values"]} | {n["name"] for n in api["constants"]}
    found = list(macros(text, known))
    commented = {name for name, _, _, _ in found}
    parts = sections(text, here("functions"))
    title, rest = opening(header, text)

    out = [f"# {header}", "", marked(title) + ".", "", f"```c\n#include <cucore/{header}>\n```", "",
           prose(rest), ""]
    listed = [(f"`{f['name']}()`", f["doc"]) for _, part in parts for f in part]
    listed += [(f"`{name}()`", doc) for name, takes, doc, _ in found
               if takes and not name.endswith(("_OPTIONS", "_LIST", "_PARAMS", "_CONFIG", "_ARGS"))]
    if listed:
        out += ["| function or macro | |", "| --- | --- |"]
        out += [f"| {name} | {brief(doc)} |" for name, doc in listed] + [""]

    functions = [text for part, those in parts
                 for text in ([f"### {part}\n"] if part else []) + list(map(function, those))]
    numbers = [directive("macro", c["name"], [f"`{c['value']}`"]) for c in here("constants")
               if c["name"] not in commented]
    for heading, lines in (("Types", list(types(handles, here("types"), here("callbacks")))),
                           ("Functions", functions),
                           ("Structs", list(map(struct, here("structs")))),
                           ("Constants", list(map(constants, here("enums")))),
                           ("Macros", numbers + [each[-1] for each in found])):
        out += [f"## {heading}", "", *lines] if lines else []
    return title, "\n".join(out) + "\n"


def tile_codes(text):
    """Return the page of the tile compiler's codes, from src/explain/tile_code.def."""
    text = re.sub(r'"\s*"', "", re.sub(r"^//.*", "", text, flags=re.M))
    rows = re.findall(r'TILE_CODE\((T\d+), \d+,\s*"(.*?)",\s*"(.*?)"\)', text)
    if len(rows) != text.count("TILE_CODE("):
        raise SystemExit("src/explain/tile_code.def: not every row was parsed")
    table = "\n".join(f"| {name} | {meaning} | {remedy} |" for name, meaning, remedy in rows)
    return ("# Codes of the tile compiler\n\n`cucore explain T501` prints a row.\n\n"
            f"| code | meaning | remedy |\n| --- | --- | --- |\n{table}\n")


def pages(apis, include):
    """Return name -> text of every page. The first page lists the headers."""
    made, listed = {}, []
    for api in apis:
        for header in (h for h in api["headers"] if h != "cucore.h"):
            title, text = page(api, header, (include / header).read_text())
            name = header.rpartition(".")[0]
            made[f"reference/{name}.md"] = text
            listed.append((name, header, title))
    index = ["# Reference", "", "Every public header. `<cucore/cucore.h>` includes all of them except those of "
             "libcucore-bench, `bench.h` and `tune.h`. [Threads](../docs/threads.md), "
             "[Streams and order](../docs/streams-and-order.md#while-a-stream-is-captured) and "
             "[Ownership](../docs/ownership.md) define the terms with which the functions' comments describe "
             "threads, graph capture and ownership. Each function also has a manual page: "
             "`man cuc_launch`.", "", "| header | |", "| --- | --- |"]
    index += [f"| [{header}]({name}.md) | {marked(title)} |" for name, header, title in listed]
    index += ["", "The C++ layer is [cucore.hpp](cpp.md). Pages of other languages: [Python](python_package.md), "
              "[cucore.tile](python_tile.md), [Rust](rust.md).", "", "```{toctree}", ":hidden:", "", *(n for n, _, _ in listed),
              "```", ""]
    made["reference/index.md"] = "\n".join(index)
    return made
