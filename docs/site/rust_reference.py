"""Makes the page of the crate `cucore` from its sources.

The sources are read line by line, since rustfmt formats them. The comment `///` before an item is its text.
"""
import re

ITEM = re.compile(r"(?:\s*pub (?:unsafe )?(?:struct|enum|trait|type)|pub fn) (\w+)")
VARIANT = re.compile(r"\s+([A-Z]\w*)(?: = [\w:]+|\(.*\))?,")
FUNCTION = re.compile(r"    (?:pub )?(?:unsafe |const )*fn (\w+)")


def comment(lines, at):
    """Return the comment above a line as Markdown; attributes may lie between them."""
    taken = []
    for line in reversed(lines[:at]):
        text = line.strip()
        if text.startswith("///"):
            taken.insert(0, text[3:].removeprefix(" "))
        elif not text.startswith("#["):
            break
    return plain("\n".join(taken))


def plain(text):
    """Convert a comment: headings become bold, links to items become code, and examples are omitted."""
    text = re.sub(r"^```.*?^```$\n?", "", text, flags=re.M | re.S)
    text = re.sub(r"^# (.*)$", r"**\1.**", text, flags=re.M)
    text = re.sub(r"\[([^]]*)\]\((?:crate::)?[\w:]+\)", r"\1", text)
    return re.sub(r"\[(`[^`]*`)\]", r"\1", text).strip()


def signature(lines, at):
    """Return a declaration on one line, without its body."""
    taken = []
    for line in lines[at:]:
        taken.append(line.strip())
        if re.search(r"(\{|;|\})$", taken[-1]) or taken[-1].endswith("where"):
            break
    text = re.sub(r"\s*(\{.*|;|where)$", "", " ".join(taken))
    text = re.sub(r"\(\s+", "(", re.sub(r",?\s+\)", ")", text))
    return text.removeprefix("pub ")


def described(text, doc):
    """Return a term with its description."""
    doc = "\n".join(f"  {line}".rstrip() for line in (doc or "&nbsp;").splitlines()).strip()
    return f"`{text}`\n: {doc}\n"


def types(folder):
    """Return for each public type its declaration, its comment, and its functions with their comments."""
    found = {}

    def is_enum(name):
        return name in found and found[name][0].startswith("enum")

    for path in sorted(folder.glob("*.rs")):
        lines = path.read_text().splitlines()
        inside, public, at = None, False, 0
        for at, line in enumerate(lines):
            handle = re.match(r"    (\w+), cuc_\w+,", line)
            item = ITEM.match(line)
            if handle:
                found.setdefault(handle[1], ["", "", []])[:2] = f"struct {handle[1]}", comment(lines, at)
            elif item:
                found.setdefault(item[1], ["", "", []])[:2] = signature(lines, at), comment(lines, at)
                inside, public = (item[1], True) if " trait " in line else (None, False)
                inside = item[1] if " enum " in line else inside
            elif re.match(r"impl(?:<[^>]*>)? (\w+)(?:<.*>)? \{", line):
                inside, public = re.match(r"impl(?:<[^>]*>)? (\w+)", line)[1], False
            elif line.startswith("}") or line.strip() == "}" and is_enum(inside):
                inside = None
            elif inside and is_enum(inside) and VARIANT.match(line):
                found[inside][2].append((VARIANT.match(line)[1], comment(lines, at)))
            elif inside and FUNCTION.match(line) and (public or line.startswith("    pub ")):
                found.setdefault(inside, ["", "", []])[2].append((signature(lines, at), comment(lines, at)))
    return found


def page(crate):
    top = (crate / "lib.rs").read_text()
    names = re.findall(r"\w+", " ".join(re.findall(r"^pub use \w+::\{?([^;}]*)", top, re.M)))
    opening = plain("\n".join(line[4:] for line in top.splitlines() if line.startswith("//!"))).split("**Threads.**")[0]
    out = ["# The Rust crate", "", opening.strip(), "",
           "[Rust](../docs/rust.md) explains how to use the types, which of them are `Send` and `Sync`, and what is `unsafe`. "
           "`cargo doc --open` makes rustdoc's pages, also for `cucore-sys`, which has [the C interface](index.md) under "
           "its C names.", ""]
    found = types(crate)
    if set(names) - set(found):
        raise SystemExit(f"docs/site: {', '.join(sorted(set(names) - set(found)))} of the crate is not found")
    for name in sorted(names):
        head, doc, functions = found[name]
        out += [f"## {name}", "", f"```rust\n{head}\n```", "", doc, "", *(described(*each) for each in functions)]
    return "\n".join(out) + "\n"
