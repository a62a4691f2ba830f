"""Makes the page of <cucore/cucore.hpp> from the header.

The header is read line by line, since clang-format formats it. The comment `/** */` before a declaration is its text.
"""
import re

from reference import prose

SECTION = re.compile(r"/\* -{2,} (.+?) -{2,} \*/")
HIDDEN = re.compile(r"^(?:~|friend |explicit operator|operator|[\w:<>*& ]*\boperator\b|static_assert|[\w ]+\(const \w+ &\) = delete)")


def said(lines):
    """Return the comment that ends with the last of these lines, as Markdown. Each @param is a sentence."""
    if not lines or not lines[-1].rstrip().endswith("*/"):
        return ""
    first = max(i for i, line in enumerate(lines) if "/**" in line)
    text = "\n".join(re.sub(r"^\s*(?:/\*\*|\*/|\*) ?|\s*\*/$", "", line) for line in lines[first:]).strip()
    text = re.sub(r"^@param (\w+) (.*)$", r"`\1`: \2.\n", text, flags=re.M)
    return prose(text)


def declared(lines, at):
    """Return the declaration that begins at a line, without its body, and the line where it ends."""
    taken, depth = [], 0
    for end in range(at, len(lines)):
        line = lines[end].split("//")[0].rstrip()
        depth += line.count("(") - line.count(")")
        taken.append(line.strip())
        if depth == 0 and (line.endswith((";", "{", "}", ",")) or
                           end + 1 < len(lines) and lines[end + 1].strip()[:1] in ("{", ":")):
            break
    text = " ".join(taken)
    text = re.sub(r"(\))((?: const)?(?: noexcept)?) : .*$", r"\1\2", text) # drop member initializers
    text = re.sub(r"(\)[^(){]*)\{[^()]*(?:\(.*)?$", r"\1", text) # drop the body
    return re.sub(r"\s*(?:\{|;|= (?:default|delete);?)$", "", text.strip()).strip(), end


def members(lines, at):
    """Return the public functions of a class whose body begins at a line, and the line where it ends."""
    out, public, end = [], "struct" in lines[at - 1] or "struct" in lines[at], at
    for end in range(at, len(lines)):
        line = lines[end]
        if line.startswith("}"):
            break
        if re.match(r"  (public|private|protected):", line):
            public = "public" in line
        if public and re.match(r"    [\w\[~]", line) and not line.startswith("    using") and "(" in line:
            text, last = declared(lines, end)
            if not HIDDEN.match(text) and not re.match(r"\w+\((?:const )?\w+ &&?\w*\)", text) and "= delete" not in lines[last]:
                out.append((text, said(lines[:end])))
    return out, end


def directive(kind, signature, lines, depth=3):
    fence = ":" * depth
    return "\n".join([f"{fence}{{cpp:{kind}}} {signature}", "", *lines, fence, ""])


def entry(lines, at):
    """Return the directive of the entity at a line of the namespace, and the line where it ends; or None."""
    line = lines[at]
    made = re.match(r"(?:template <.*> )?(class|struct) (\w+)(?: (?:final )?: .*)?$", line) or \
        re.match(r"(?:template <.*> )?(class|struct) (\w+)(?: : [^{]*)? \{$", line)
    if made:
        functions, end = members(lines, at + 1)
        inner = [directive("function", re.sub(r"\[\[nodiscard\]\] |\binline ", "", text), [doc], 3) for text, doc in functions]
        name = re.sub(r"\s*\{$", "", line)
        name = re.sub(rf"^(template <.*> )?{made[1]} ", r"\1", name)
        name = re.sub(r" : .*", "", name)
        return directive("class", name, [said(lines[:at]), "", *inner], 5), end
    if re.match(r"(?:template <.*> )?(?:inline |constexpr )*[\w:<>* &]+ \*?\w+\(", line) and not line.startswith("using"):
        text, end = declared(lines, at)
        return directive("function", re.sub(r"\binline ", "", text), [said(lines[:at])]), end
    if re.match(r"template <.*>$", line): # declares a function or a variable on the next line
        text, end = declared(lines, at)
        if "(" in text:
            return directive("function", re.sub(r"\binline ", "", text), [said(lines[:at])]), end
    return None


def page(header):
    lines = header.splitlines()
    start = next(i for i, line in enumerate(lines) if line == "namespace cuc") + 2
    opening = re.search(r"@file\n(.*?)\n \*/", header, re.S)[1]
    out = ["# cucore.hpp", "", prose(re.sub(r"^ \* ?", "", opening, flags=re.M)), "",
           "[C++](../docs/cpp.md) explains how to use it.", "", "```cpp", "#include <cucore/cucore.hpp>", "```", "",
           "```{cpp:namespace} cuc", "```", ""]
    at, hidden = start, False
    while at < len(lines):
        line = lines[at]
        section = SECTION.match(line)
        if section:
            out += [f"## {section[1]}", ""]
        if line.startswith(("namespace detail", "} // namespace detail")):
            hidden = line.startswith("namespace")
        found = entry(lines, at) if not hidden and line[:1] not in ("", " ", "/", "}", "{", "#") else None
        if found:
            out.append(found[0])
        at = (found[1] if found else at) + 1
    return "\n".join(out) + "\n"
