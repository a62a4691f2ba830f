#!/usr/bin/env python3
"""Checks the documents. Links must resolve, the README must link to each page, and its examples
must be in examples/. docs/environment.md must list every environment variable that the project
reads. Files named in comments, and functions and constants named in pages, must exist; calls must
have the right number of arguments. Every public function needs a comment with its first version,
its thread rule and, in the words of docs/streams-and-order.md, its behavior during a capture."""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
problems = []

documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
for document in documents:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
        if not (document.parent / target).exists():
            problems.append(f"{document.relative_to(ROOT)} links to {target}, which is not there")

readme = (ROOT / "README.md").read_text()
problems += [f"README.md does not lead to {d.relative_to(ROOT)}" for d in documents[2:]
             if f"(docs/{d.name}" not in readme]

examples = [e.read_text() for e in sorted((ROOT / "examples").glob("*.c"))]
texts = [re.sub(r'^[^"\n]*"(.*)\\n";?$', r"\1", e, flags=re.M) for e in examples] # C has one string per line
for kind, block in re.findall(r"^```(c|tile)\n(.*?)^```$", readme, re.M | re.S):
    if not any(block in e for e in (examples if kind == "c" else texts)):
        problems.append(f"an example in README.md is not a part of any in examples/: {block[:60]}")

# Environment variables: C reads them by getenv() or names them in a string; scripts read them with
# $.
environment = (ROOT / "docs" / "environment.md").read_text()
documented = set(re.findall(r"`(\w+)(?:=\w+)?`", environment))
libraries = re.findall(r'^    \{ (?:\.name = )?"(\w+)"', (ROOT / "src/find/table.c").read_text(), re.M)
documented |= {f"CUCORE_{name.upper()}" for name in libraries} # one row covers all of them
read = set()
for folder in ("api", "bench", "bindings", "docs/site", "scripts", "src", "tools"):
    for source in sorted((ROOT / folder).rglob("*.*")):
        if source.suffix in (".c", ".h", ".jl", ".py", ".rs", ".sh") and "tests" not in source.parts:
            text = source.read_text()
            found = set(re.findall(r"""["'](CUCORE_[A-Z_]*[A-Z])=?["']""", text))
            found |= set(re.findall(r'getenv\("([A-Z_]+)"\)', text))
            if source.suffix == ".sh":
                found |= set(re.findall(r"\$\{?(CUCORE_\w+)", text))
            found -= {"CUCORE_BENCH"} if folder == "api" else set() # a symbol version
            read |= found
            problems += [f"{source.relative_to(ROOT)} reads {name}, which is not in docs/environment.md"
                         for name in sorted(found - documented)]
problems += [f"docs/environment.md has {name}, which nothing reads" for name in
             sorted(n for n in documented - read if n.startswith("CUCORE_") and not n.endswith("_INCLUDE")
                    and n[7:].lower() not in map(str.lower, libraries))]

public = "\n".join(h.read_text() for h in sorted((ROOT / "include" / "cucore").glob("*.h")))
for document in documents:
    text = document.read_text()
    for name in sorted(set(re.findall(r"\b(cuc_\w+[a-z0-9])\(", text))):
        if not re.search(rf"\b{name}\(|\bX\({name},", public):
            problems.append(f"{document.relative_to(ROOT)} names {name}(), which does not exist")
    for name in sorted(set(re.findall(r"`(CUC_\w+[A-Z0-9])`", text))):
        if not re.search(rf"\b{name}\b", public):
            problems.append(f"{document.relative_to(ROOT)} names {name}, which does not exist")

# Calls in C must have the function's number of arguments, and use existing option fields.
api = json.loads((ROOT / "api" / "cucore.json").read_text())
takes = {f["name"]: len(f["parameters"]) for f in api["functions"]}
fields = {each["name"].upper(): {f["name"] for f in each["fields"]} for each in api["structs"]}


def arguments(text):
    """Return the arguments of a call, given the text after its parenthesis."""
    depth, out = 0, [""]
    for c in re.sub(r'"(?:[^"\\]|\\.)*"', "text", text):
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            break
        out = [*out, ""] if c == "," and not depth else [*out[:-1], out[-1] + c]
    return [a.strip() for a in out] if out != [""] else []


for document in documents:
    for code in re.findall(r"^```c\n(.*?)^```$", document.read_text(), re.M | re.S):
        code = re.sub(r"//.*|/\*.*?\*/", "", code)
        code = re.sub(r"\(K\b", "(program, file, line", code) # as docs/tile-builder.md defines it
        code = re.sub(r"\bCUC_(?:SHAPE|TILES)\(", "count, (", code) # macros with two arguments
        for call in re.finditer(r"\b(cuc_\w+)\(|\b(CUC_\w+)\(", code):
            given = arguments(code[call.end():])
            if call[1] in takes and len(given) != takes[call[1]]:
                problems.append(f"{document.relative_to(ROOT)}: {call[1]}() takes {takes[call[1]]} "
                                f"arguments: {given}")
            for field in re.findall(r"^\.(\w+)", "\n".join(given), re.M) if call[2] in fields else ():
                if field not in fields[call[2]]:
                    problems.append(f"{document.relative_to(ROOT)}: {call[2]} has no field {field}")

language = (ROOT / "docs" / "tile-language.md").read_text()
parser = (ROOT / "src" / "tile" / "front" / "parser.c").read_text()
keywords = set(re.findall(r'"(\w+)"', parser.partition("bool tile_is_keyword(")[2].partition("};")[0]))
told = set(re.search(r"The keywords are `([^`]+)`", language)[1].split())
if told != keywords:
    problems.append(f"docs/tile-language.md: other keywords than in parser.c: {sorted(told ^ keywords)}")

manual = (ROOT / "docs" / "man" / "cucore.1").read_text().replace("\\", "")
for document in documents:
    for line in re.findall(r"^    (?:[A-Z_]+=\S+ )*(cucore .*)", document.read_text(), re.M):
        problems += [f"{document.relative_to(ROOT)}: the manual has no {option}: {line}"
                     for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", line) if option not in manual]

compiler = "".join(path.read_text() for path in (ROOT / "src" / "tile").rglob("*.c"))
compiler = re.sub(r'"\s*\n\s*"', "", compiler) # a string may continue in the next line
# The tables list each remark, and each reason in a remark. A reason is a string of three words or more
# in the files that explain a decision.
remarks = (ROOT / "docs" / "compiler.md").read_text().partition("## Reading remarks")[2].partition("\n## ")[0]
forms, *tables = remarks.split("\n| reason |")
first_cells = [line.split(" | ")[0] for table in tables for line in table.splitlines() if line.startswith("| `")]
listed = [reason for cell in first_cells for reason in re.findall(r"`([^`]+)`", cell)]
form = lambda literal: re.sub(r"%l*[sud]", ".*", re.sub(r"([()+*?.])", r"\\\1", literal))
counted = [re.sub(r"%l*[ud]", r"[0-9]+", re.escape(literal)) for literal in re.findall(r'"([^"\\\n]*)"', compiler)
           if literal.count(" ") > 2 and re.search(r"%l*[ud]", literal) and "%s" not in literal] # reasons with numbers
problems += [f"docs/compiler.md: no remark says {reason!r}" for reason in listed if f'"{reason}"' not in compiler
             and not any(re.fullmatch(one, reason) for one in counted)]
if not listed:
    problems.append("docs/compiler.md has no table of reasons")
sources = [*(ROOT / "src/tile/pass").glob("*.c"), *(ROOT / "src/tile/emit").glob("access*.c"),
           ROOT / "src/tile/emit/gather.c", ROOT / "src/tile/layout/fragment.c"]
for source in sorted(sources):
    text = re.sub(r"//.*", "", re.sub(r'"\s*\n\s*"', "", source.read_text()))
    literals = set(re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)) if source.name != "remark.c" else set()
    problems += [f"docs/compiler.md: no row explains the reason {literal!r} of {source.relative_to(ROOT)}"
                 for literal in sorted(literals - set(listed))
                 if literal.count(" ") >= 2 and not re.search(r"[\\%;]", literal)]
rows = [prefix + row for row in re.findall(r"`([^`]+)`", forms) for prefix in ("", "kernel: NAME: ")]
for literal in re.findall(r'\btile_remark\([^"]*"((?:[^"\\\n]|\\.)*)"', compiler):
    if "\\n" not in literal and not any(re.fullmatch(form(literal), row) for row in rows):
        problems.append(f"docs/compiler.md: no row explains the remark {literal!r}")

contributing = (ROOT / "CONTRIBUTING.md").read_text()
for pattern in re.findall(r"^(\S+) +linguist-generated$", (ROOT / ".gitattributes").read_text(), re.M):
    if f"`{pattern}`" not in contributing:
        problems.append(f"CONTRIBUTING.md has no row of {pattern}, which .gitattributes calls generated")
    if not any(ROOT.glob(pattern)):
        problems.append(f".gitattributes names {pattern}, which is not there")

# Files named in comments, and in the pages for contributors, must exist, except other projects'
# headers.
FOREIGN = set("cuda.h cudaTypedefs.h cuda_occupancy.h dlpack.h driver_types.h nvFatbin.h nvJitLink.h stdio.h".split())
NAME = re.compile(r"(?<![\w./<*-])((?:\w+/)*\w+\.(?:c|h|def|sh))\b(?!\w|\(|\.\w|:\d)")
sources = [path for folder in ("api", "bench", "bindings", "docs", "examples", "include", "scripts", "src", "tests",
                               "tools") for path in sorted((ROOT / folder).rglob("*.*"))]
known = {"/".join(path.relative_to(ROOT).parts[i:]) for path in sources for i in range(len(path.parts))}
for path in [ROOT / "CONTRIBUTING.md", *sources]:
    if path.suffix in (".c", ".h", ".def"):
        code = re.sub(r'"(?:\\.|[^"\\\n])*"', "text", path.read_text())
        texts = re.findall(r"//[^\n]*|/\*.*?\*/", code, re.S)
    elif path.name == "CONTRIBUTING.md" or (path.suffix == ".md" and "src" in path.parts):
        texts = [path.read_text()]
    else:
        continue
    problems += [f"{path.relative_to(ROOT)} names {name}, which is not there"
                 for name in sorted(set(NAME.findall("\n".join(texts))) - known - FOREIGN)]

order = (ROOT / "docs" / "streams-and-order.md").read_text()
capture_words = re.findall(r"^- \*([^*]+)\*", order.partition("`@capture`")[2], re.M)
said = []
functions = 0
for header in sorted((ROOT / "include" / "cucore").glob("*.h")):
    text = header.read_text()
    for function in re.finditer(r"^(?:\w+ )?CUC_API [^;]*?\b(cuc_\w+)\(", text, re.M):
        functions += 1
        before = text[:function.start()].rstrip()
        comment = before[before.rfind("/**"):] if before.endswith("*/") else ""
        for tag in ("@thread", "@capture", "@since"):
            if not re.search(rf"^ \* {tag} +\S", comment, re.M):
                problems.append(f"{header.name}: {function.group(1)} has no comment with {tag}")
        lines = re.search(r"^ \* @capture (.*\n(?: \*  .*\n)*)", comment, re.M)
        words = re.sub(r"\s+\*\s+", " ", lines.group(1)) if lines else ""
        said.append(words)
        if lines and not any(w in words for w in capture_words):
            problems.append(f"{header.name}: @capture of {function.group(1)} has none of the words "
                            "that docs/streams-and-order.md explains")
if functions != len(re.findall(r"^[^#*/\n]*\bCUC_API\b", public, re.M)):
    problems.append("there is a CUC_API that is not read as a function's")
problems += [f'docs/streams-and-order.md explains "{w}", which no @capture says'
             for w in capture_words if not any(w in words for words in said)]

print("\n".join(problems) or f"{len(documents)} documents are as they say")
sys.exit(bool(problems))
