"""The pages of the reference, one a header, from the description of the interface (api/*.json) and
the macros of the header itself."""
import re
import textwrap

CODE = re.compile(r"(`[^`]*`)")


def marked(text):
    """A comment's text as Markdown: functions and constants are code, nothing else is a mark."""
    out = []
    for part in CODE.split(text):
        if not part.startswith("`"):
            part = re.sub(r"\b(sizeof\(cuc_\w+\)|cuc_\w+(?:\(\))?|CUC_\w+(?:\([^()]*\))?|CUCORE_\w+)", r"`\1`", part)
            part = "".join(p if p.startswith("`") else re.sub(r"([\[\]<>|])", r"\\\1", p)
                           for p in CODE.split(part))
        out.append(part)
    return "".join(out)


def prose(text):
    """Paragraphs; what is indented is code."""
    out = []
    text = re.sub(r"^@par (.*)$", r"**\1.**\n", text.strip("\n"), flags=re.M)
    for part in re.split(r"\n\n+", text):
        if part.startswith("    "):
            out.append(f"```c\n{textwrap.dedent(part)}\n```")
        else:
            out.append(marked(part))
    return "\n\n".join(out)


def sentence(text):
    """A phrase of a comment as a sentence."""
    text = re.sub(r"\s+", " ", text).strip().rstrip(".")
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
    """A directive of Sphinx's C domain, with what stands in it."""
    fence = ":" * depth
    return "\n".join([f"{fence}{{c:{kind}}} {signature}", *lines, fence, ""])


def field(name, text):
    """A line of a field list; what goes on in further lines is indented."""
    return f":{name}: {text}"


OWNED = {"owned": "It is the caller's to release", "borrowed": "It is borrowed",
         "static": "It lives as long as the process", "retained": "Retained", "copied": "Copied"}


def function(each):
    lines = [prose(each["doc"]), ""]
    for p in each["parameters"]:
        said = [sentence(p.get("doc", ""))]
        if p["direction"] == "out" and p.get("ownership") in OWNED and "releas" not in said[0]:
            said.append(OWNED[p["ownership"]] + ".")
        said = " ".join(s for s in said if s)
        lines.append(field(f"param {p['name']}", said or "as above"))
    if "return_doc" in each:
        lines.append(field("returns", sentence(each["return_doc"])))
    lines += [field(f"retval {s['name']}", sentence(s["doc"])) for s in each.get("statuses", [])]
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
            yield directive(each["type"], each["name"], ["", sentence(each.get("doc", "")), "", *inner], 5)
        else:
            type_ = callback(each["name"], each["callback"]) if "callback" in each else \
                declared(each["name"], each["type"]) + length(each)
            yield directive("member", type_, [sentence(each.get("doc", ""))], 4)


def struct(each):
    layout = "It grows: `struct_size` says how much of it a caller has." if each.get("grows") else \
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
    """The macros of a header that have a comment and are no constants: name, what it takes, comment,
    directive."""
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


def page(api, header, text):
    """The page of a header."""
    def here(key):
        each = api[key]
        each = each if isinstance(each, list) else [{"name": n, **v} for n, v in each.items()]
        return [e for e in each if e["header"] == header]

    opening = re.search(r"/\*\*\n \* @file\n(.*?) \*/", text, re.S)
    opening = re.sub(r"^ \* ?", "", opening.group(1), flags=re.M).strip() if opening else header
    title, _, rest = opening.partition("\n\n")
    title = re.sub(r"\s+", " ", title).rstrip(".")
    out = [f"# {header}", "", marked(title) + ".", "", f"```c\n#include <cucore/{header}>\n```", "",
           prose(rest), ""]
    known = {v["name"] for e in api["enums"] for v in e["values"]} | {
        n["name"] for n in api["constants"]}
    found = list(macros(text, known))
    functions = here("functions")
    listed = [(f"`{f['name']}()`", f["doc"]) for f in functions]
    listed += [(f"`{name}()`", doc) for name, takes, doc, _ in found
               if takes and not name.endswith(("_OPTIONS", "_LIST", "_PARAMS", "_CONFIG", "_ARGS"))]
    if listed:
        out += ["| function or macro | |", "| --- | --- |"]
        out += [f"| {name} | {brief(doc)} |" for name, doc in listed] + [""]
    handles = [{"name": n, **v} for n, v in api["handles"].items()
               if next((f["header"] for f in api["functions"] if f["name"] == v.get("release")),
                       v["header"]) == header]
    if handles or here("types") or here("callbacks"):
        out += ["## Types", ""]
    for each in handles:
        held = f"Counted: `{each['retain']}()`, `{each['release']}()`." if "retain" in each else \
            f"Ended by `{each['release']}()`." if "release" in each else ""
        out.append(directive("type", each["name"], [prose(each.get("doc", "")), "", held, "",
                             *([field("Threads", sentence(each["thread"]))] if "thread" in each else [])]))
    for each in here("types"):
        out.append(directive("type", f"{each['type']} {each['name']}", [prose(each.get("doc", ""))]))
    for each in here("callbacks"):
        doc = re.split(r"@param (\w+)", each.get("doc", ""))
        lines = [prose(doc[0]), ""]
        lines += [f"- `{n}`: {sentence(d)}" for n, d in zip(doc[1::2], doc[2::2])]
        out.append(directive("type", callback(each["name"], each), lines))
    if here("structs"):
        out += ["## Structs", "", *map(struct, here("structs"))]
    if here("enums"):
        out += ["## Constants", "", *map(constants, here("enums"))]
    of_header = [each[-1] for each in found]
    if here("constants"):
        of_header = [directive("macro", c["name"], [f"`{c['value']}`"]) for c in here("constants")
                     if c["name"] not in "".join(of_header)] + of_header
    if of_header:
        out += ["## Macros", "", *of_header]
    if functions:
        out += ["## Functions", "", *map(function, functions)]
    return title, "\n".join(out) + "\n"


def pages(apis, include):
    """Every page: name -> text. The first is the list of the headers."""
    made, listed = {}, []
    for api in apis:
        for header in (h for h in api["headers"] if h != "cucore.h"):
            title, text = page(api, header, (include / header).read_text())
            name = header.rpartition(".")[0]
            made[f"reference/{name}.md"] = text
            listed.append((name, header, title))
    index = ["# Reference", "", "Every public header; `<cucore/cucore.h>` is all of them but those of "
             "libcucore-bench, `bench.h` and `tune.h`. What the comments of functions say of threads, "
             "of graph capture and of ownership is explained in [Threads](../docs/threads.md), "
             "[Streams and order](../docs/streams-and-order.md#while-a-stream-is-captured) and "
             "[Ownership](../docs/ownership.md). Each function is a page of the manual, too: "
             "`man cuc_launch`.", "", "| header | |", "| --- | --- |"]
    index += [f"| [{header}]({name}.md) | {marked(title)} |" for name, header, title in listed]
    index += ["", "C++'s layer, [cucore.hpp](../include/cucore/cucore.hpp), is described in "
              "[C++](../docs/cpp.md).", "", "```{toctree}", ":hidden:", "", *(n for n, _, _ in listed),
              "```", ""]
    made["reference/index.md"] = "\n".join(index)
    return made
