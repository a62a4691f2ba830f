"""Converts the manual page of the program `cucore` to an article."""
import re
import shlex

MADE = {"\\-": "-", "\\e": "\\", "\\(co": "©", "\\&": "", "\\ ": " "}


def plain(text):
    return re.sub(r"\\(?:-|e|\(co|&| )", lambda m: MADE[m.group()], text)


def escaped(text):
    return re.sub(r"([\[\]<>*_`|])", r"\\\1", plain(text))


def marked(font, text):
    """Mark text by its font: bold is literal input, so code. Spaces stay outside of the marks."""
    inner = text.strip(" ")
    if not inner or font == "R":
        return escaped(text)
    mark = f"`{plain(inner)}`" if font == "B" else f"*{escaped(inner)}*"
    return text.replace(inner, mark, 1)


def words(text, font="R"):
    """Convert text that contains font changes of roff."""
    out, before = "", font
    for part in re.split(r"(\\f[BIRP])", text):
        if part[:2] == "\\f":
            font, before = (before if part[2] == "P" else part[2]), font
        else:
            out += marked(font, part)
    return out


def request(name, rest):
    """Convert a request such as .BR, whose arguments alternate between fonts, or .B with one font for all."""
    parts = shlex.split(rest.replace("\\", "\\\\"))
    if len(name) == 1:
        return words(" ".join(parts), name)
    return "".join(words(part, name[i % 2]) for i, part in enumerate(parts))


HEADINGS = {"SH": "##", "SS": "###"}
AFTER = {"": "", "term": "text", "text": "more", "more": "more"} # the next state, after a line of text
BEFORE = {"": "", "term": "", "text": ": ", "more": "  "} # what to put before a line of text


def page(roff):
    out, state = ["# The command cucore", ""], ""
    for line in roff.replace("\\\n", "").splitlines():
        name, rest = re.match(r"(?:\.(\w+)\s*)?(.*)", line).groups()
        if state == "code":
            out.append("```" if name == "EE" else plain(line))
            state = "" if name == "EE" else state
        elif name in HEADINGS:
            title = plain(rest.strip('"'))
            out += ["", f"{HEADINGS[name]} {title[:1]}{title[1:].lower()}", ""]
            state = ""
        elif name in ("PP", "TP"): # a paragraph; a term, whose text follows
            out.append("")
            state = "" if name == "PP" else "term"
        elif name == "EX":
            out += ["", "```text"]
            state = "code"
        elif name == "br":
            out[-1] += "\\"
        elif name and not set(name) <= set("BIR"):
            if name != "TH":
                raise SystemExit(f"docs/man/cucore.1: .{name} is not known here")
        else:
            out.append(BEFORE[state] + (request(name, rest) if name else words(line)))
            state = AFTER[state]
    return "\n".join(out) + "\n"
