"""Stages the pages of the site: articles as in the repository, and the files that they link to.

The staged folder has the repository's structure, so only two kinds of links change: those to a file that
is not an article, such as an example, lead to a page that shows it, and README.md is the first page.
"""
import pathlib
import posixpath
import re
import shutil

# Articles in addition to docs/*.md and src/*/README.md.
ARTICLES = ["README.md", "CONTRIBUTING.md", "api/README.md", "bench/README.md", "bindings/julia/README.md",
            "examples/tile/README.md", "examples/llama/README.md", "src/README.md", "src/tile/products.md"]
LINK = re.compile(r"(?<!!)(\[[^]\[]*\])\(([^)#:\s]+)((?:#[^)\s]*)?)\)") # a link, not an image
LANGUAGES = {".c": "c", ".h": "c", ".hpp": "cpp", ".cpp": "cpp", ".cu": "cuda", ".py": "python",
             ".rs": "rust", ".tile": "tile", ".sh": "bash", ".def": "c"}


def shown(source, name):
    """Return a page that shows a file, or lists a folder."""
    if (source / name).is_dir():
        listed = "\n".join(f"- [{path.name}]({path.name}.md)" for path in sorted((source / name).iterdir())
                           if path.is_file() and path.name != "meson.build")
        return f"---\norphan: true\n---\n# {name}\n\n{listed}\n"
    text = (source / name).read_text()
    fence = "`" * max(4, *(len(ticks) + 1 for ticks in re.findall("`+", text) or [""]))
    language = LANGUAGES.get(pathlib.PurePath(name).suffix, "text")
    return f"---\norphan: true\n---\n# {name}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def led(source, name, text, files):
    """Return the text of a page with links to pages. Linked files that are not articles are added to `files`."""
    def lead(match):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[2]))
        if target == "README.md":
            target = "index.md"
        elif not target.endswith(".md"):
            if not (source / target).exists():
                raise SystemExit(f"{name} links to {match[2]}: there is no such file")
            files.add(target)
            if (source / target).is_dir():
                files.update(f"{target}/{path.name}" for path in (source / target).iterdir()
                             if path.is_file() and path.name != "meson.build")
                target += "/index"
            target = f"files/{target}.md"
        at = "." if name == "README.md" else posixpath.dirname(name) or "."
        return f"{match[1]}({posixpath.relpath(target, at)}{match[3]})"

    return LINK.sub(lead, text)


def write(path, text):
    """Write a file only if it changes, so that Sphinx reads only changed pages."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def stage(source, into, others):
    """Write all pages to a folder: articles, shown files, and `others` (name -> text)."""
    articles = ARTICLES + [path.relative_to(source).as_posix() for folder in ("docs/*.md", "src/*/README.md")
                           for path in sorted(source.glob(folder))]
    texts = {**{name: (source / name).read_text() for name in articles}, **others}
    texts["README.md"] += "\n" + (source / "docs/site/contents.md").read_text()
    files = set()
    made = {"index.md" if name == "README.md" else name:
            led(source, name, text, files) for name, text in texts.items()}
    for name in files:
        page = f"{name}/index" if (source / name).is_dir() else name
        made[f"files/{page}.md"] = shown(source, name)
    for name, text in made.items():
        write(into / name, text)
    for path in into.rglob("*.md"):
        if path.relative_to(into).as_posix() not in made:
            path.unlink()
            shutil.rmtree(into.parent / "html", ignore_errors=True) # the HTML may still have that page
