"""The manual page of the program `cucore` as an article."""
import re
import shlex

MADE = {"\\-": "-", "\\e": "\\", "\\(co": "©", "\\&": "", "\\ ": " "}


def plain(text):
    return re.sub(r"\\(?:-|e|\(co|&| )", lambda m: MADE[m.group()], text)


def escaped(text):
    return re.sub(r"([\[\]<>*_`|])", r"\\\1", plain(text))


def words(line):
    """A line of text with roff's changes of font within."""
    out, at = "", 0
    for match in re.finditer(r"\\f([BI])(.*?)\\f[RP]", line):
        out += escaped(line[at:match.start()]) + font(match[1], match[2])
        at = match.end()
    return out + escaped(line[at:])


def font(kind, text):
    """Bold is what is typed as it stands, so code."""
    return {"B": f"`{plain(text)}`", "I": f"*{escaped(text)}*", "R": words(text)}[kind] if text else ""


def request(name, rest):
    parts = shlex.split(rest.replace("\\", "\\\\"), posix=True) if rest else []
    if len(name) == 1:
        return font(name, " ".join(parts))
    return "".join(font(name[i % 2], part) for i, part in enumerate(parts))


def page(roff):
    title = "# The command cucore"
    out, term, listed, verbatim = [title, ""], False, False, False
    for line in roff.splitlines():
        match = re.match(r"\.(\w+)\s*(.*)", line)
        name, rest = match.groups() if match else ("", line)
        if verbatim:
            if name == "EE":
                out.append("```")
            else:
                out.append(plain(line))
            verbatim = name != "EE"
        elif line.startswith('.\\"') or name == "TH":
            continue
        elif name in ("SH", "SS"):
            text = plain(rest.strip('"'))
            out += ["", ("## " if name == "SH" else "### ") + text[:1] + text[1:].lower(), ""]
            listed = False
        elif name == "PP":
            out.append("")
            listed = False
        elif name == "EX":
            out += ["", "```text"]
            verbatim = True
        elif name == "TP":
            out.append("")
            term, listed = True, True
        elif name == "br":
            out[-1] += "\\" if out[-1] else ""
        else:
            text = request(name, rest) if name in ("B", "I", "BI", "BR", "IB", "IR", "RB", "RI") else \
                words(line)
            if name and text.startswith(".") is False and name not in (
                    "B", "I", "BI", "BR", "IB", "IR", "RB", "RI"):
                raise SystemExit(f"docs/man/cucore.1: .{name} is not known here")
            if term:
                out += [text, ""]
                out[-1:] = []
                term = False
                first = True
                continue
            if listed:
                out.append((": " if first else "  ") + text)
                first = False
            else:
                out.append(text)
    return "\n".join(out) + "\n"
