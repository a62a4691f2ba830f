"""Man pages of section 3 from a description, one per function."""
import re
import textwrap

from cdef import declared, pointer


def roff(text):
    """Escape text for roff: no line starts a request, no character is markup."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def marked(text):
    """Escape text for roff, with `code` and functions in bold."""
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", roff(text))
    return re.sub(r"\b(cuc_\w+)\(\)", r"\\fB\1\\fR()", text)


def paragraphs(text):
    """Format a comment's text; indented lines stay unchanged."""
    out = []
    for part in re.split(r"\n\n+", text.strip("\n")):
        if part.startswith("    "):
            out += [".PP", ".nf", roff(textwrap.dedent(part)), ".fi"]
        else:
            out += [".PP", marked(re.sub(r"\s+", " ", part).strip())]
    return out[1:] if out[:1] == [".PP"] and out[1:2] != [".nf"] else out


def synopsis(each):
    parts = [pointer(p["name"], p["callback"]) if "callback" in p else declared(p["name"], p["type"])
             for p in each["parameters"]]
    head = f"{declared(each['name'], each['returns'])}("
    # Break lines only between parameters.
    whole = ", ".join(p.replace(" ", "\0") for p in parts) or "void"
    lines = textwrap.wrap(f"{head.replace(' ', chr(0))}{whole});", 78, subsequent_indent=" " * len(head),
                          break_long_words=False, break_on_hyphens=False)
    return [f".B \"{roff(line)}\"".replace("\0", " ") for line in lines]


def brief(each):
    first = re.split(r"(?<=[.:;])\s|\n\n", each["doc"].strip())[0]
    return re.sub(r"\s+", " ", first).rstrip(".:;")


OWNERSHIP = {"owned": "It is the caller's to release.", "borrowed": "It is borrowed.",
             "static": "It lives as long as the process."}


def parameter(p):
    said = [p.get("doc", "")]
    if p["direction"] != "in":
        said.append({"out": "Written.", "inout": "Read and written."}[p["direction"]])
        said.append(OWNERSHIP.get(p.get("ownership"), ""))
    text = " ".join(s.rstrip(".") + "." for s in said if s)
    return [".TP", f"\\fI{roff(p['name'])}\\fR", marked(text[:1].upper() + text[1:])] if text else []


def page(api, each):
    """Return one man page."""
    library = "-lcucore" if api["library"] == "cucore" else "-lcucore-bench -lcucore"
    out = [f".TH {each['name'].upper()} 3 \"\" \"{api['library']} {api['version']}\" \"{api['library']}\"",
           ".SH NAME", f"{roff(each['name'])} \\- {roff(brief(each))}",
           ".SH LIBRARY", f"{api['library']} ({roff(library)})",
           ".SH SYNOPSIS", ".nf", f".B #include <cucore/{each['header']}>", ".PP",
           *synopsis(each), ".fi",
           ".SH DESCRIPTION", *paragraphs(each["doc"])]
    for tag, title in (("shape", "Shape"), ("order", "Order")):
        if tag in each:
            out += [".TP", f".B {title}", marked(each[tag])]
    described = [line for p in each["parameters"] for line in parameter(p)]
    if described:
        out += [".SH PARAMETERS", *described]
    if "return_doc" in each or each["returns"] == "cuc_status":
        out += [".SH RETURN VALUE"]
        out += [marked(each["return_doc"][:1].upper() + each["return_doc"][1:] + ".")] \
            if "return_doc" in each else []
        names = {p["name"] for p in each["parameters"]}
        for status in each.get("statuses", []):
            text = status["doc"] # keep a parameter's name as written
            first = text[:1] if re.match(r"\w*", text)[0] in names else text[:1].upper()
            out += [".TP", f".B {status['name']}", marked(first + text[1:] + ".")]
    out += [".SH THREADS", marked(each["thread"][:1].upper() + each["thread"][1:] + "."),
            ".SH CAPTURE", marked(each["capture"][:1].upper() + each["capture"][1:] + ".")]
    if "source" in each:
        out += [".SH SOURCE", marked(each["source"] + ".")]
    out += [".SH HISTORY", f"Since {api['library']} {each['since']}."]
    beside = [f["name"] for f in api["functions"] if f["header"] == each["header"]]
    at = beside.index(each["name"])
    near = [n for n in beside[max(at - 4, 0):at + 5] if n != each["name"]]
    if near:
        out += [".SH SEE ALSO", ", ".join(f"\\fB{roff(n)}\\fR(3)" for n in near)]
    return "\n".join(line for line in out if line) + "\n"


def pages(api):
    """Return file name -> text for every function."""
    return {f"{each['name']}.3": page(api, each) for each in api["functions"]}
