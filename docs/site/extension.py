"""Extends Sphinx: a highlighter of the tile language, and links to the reference from each name of a
function, type or constant, in text and in code."""
import html
import re

from docutils import nodes
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text
from sphinx.domains.c import CDomain
from sphinx.util import logging

log = logging.getLogger(__name__)


class TileLexer(RegexLexer):
    name = "tile"
    aliases = ["tile"]
    tokens = {"root": [
        (r"#.*", Comment),
        (r"\s+", Text),
        (r'"[^"\n]*"', String),
        (words("kernel fn const where grid for in step while if else break continue return static and "
               "or not tile true false inf nan".split(), suffix=r"\b"), Keyword),
        (words("bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 tf32 e4m3 e5m2".split(),
               suffix=r"\b"), Keyword.Type),
        (r"0x[0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?", Number),
        (r"[A-Za-z]\w*(?=\()", Name.Function),
        (r"[A-Za-z_]\w*", Name),
        (r"[-+*/%@&|^~<>=!]+", Operator),
        (r"[\[\](){},.:;$]", Punctuation),
    ]}


class Domain(CDomain):
    """The C domain without function parameters in the search: 1500 of them would hide other results."""

    def get_objects(self):
        return (each for each in super().get_objects() if each[2] != "functionParam")


def places(app):
    """Return name -> (page, anchor) of everything in the reference; computed once."""
    if not hasattr(app, "cucore_places"):
        app.cucore_places = {}
        for name, _, kind, page, anchor, _ in app.env.get_domain("c").get_objects():
            if "." not in name and kind != "member":
                app.cucore_places[name] = (page, anchor)
    return app.cucore_places


PYTHON = re.compile(r"(\w+(?:\.\w+)?)(\(.*\))?$", re.S)
NAMED = re.compile(r"((?:cuc|CUC)_(?!_)\w+)(\(.*\))?$", re.S)  # cuc__ is private


def link_literals(app, doctree, page):
    """Link names in text to the reference. A function that is not in the reference is an error."""
    known = places(app)
    if page.endswith("python"):
        known = {**known, **{name.partition(".")[2]: (where, anchor) for name, _, _, where, anchor, _
                             in app.env.get_domain("py").get_objects()}}
    for literal in list(doctree.findall(nodes.literal)):
        match = (PYTHON if page.endswith("python") else NAMED).match(literal.astext())
        if match and match[1] in known and not isinstance(literal.parent, nodes.reference):
            where, anchor = known[match[1]]
            uri = app.builder.get_relative_uri(page, where) + "#" + anchor
            reference = nodes.reference("", "", internal=True, refuri=uri)
            literal.replace_self(reference)
            reference += literal
        elif match and match[2] and match[1].startswith("cuc_") and match[1] not in known:
            log.warning("there is no function %s", match[1], location=literal)


CODE = re.compile(r'<div class="highlight-(?:c|cpp|cuda|default)[^"]*">.*?</pre>', re.S)
TOKEN = re.compile(r'<span class="(\w+)">((?:cuc|CUC)_\w+)</span>')


def link_code(app, page, _template, context, _doctree):
    """Link each name of the reference in the HTML of highlighted C."""
    known = places(app)

    def link(match):
        if match[2] not in known:
            return match.group()
        where, anchor = known[match[2]]
        uri = html.escape(app.builder.get_relative_uri(page, where) + "#" + anchor)
        return f'<a class="code-link" href="{uri}">{match.group()}</a>'

    if "body" in context:
        context["body"] = CODE.sub(lambda block: TOKEN.sub(link, block.group()), context["body"])


PLACE = re.compile(r'<section id="([^"]+)">|<dt class="sig[^"]*" id="((?:c|cucore(?:\.\w+)*)\.(\w+))">')


def list_objects(app, page, _template, context, _doctree):
    """List functions and classes beside a page of the reference, under their sections.

    Sphinx does this only for Python, by adding entries to its tables of contents, which are copied into every page.
    """
    if not page.startswith("reference/") or "toc" not in context:
        return
    section, found = "", {}
    for place in PLACE.finditer(context.get("body", "")):
        section = place[1] or section
        if place[2] and not place[3].isupper() and not place[3].startswith("CUC_"):
            found.setdefault(section, []).append(f'<li><a class="reference internal" href="#{place[2]}">'
                                                 f'<code>{place[3]}</code></a></li>')
    for section, items in found.items():
        link = re.search(f'<a class="reference internal" href="#{re.escape(section)}">.*?</a>', context["toc"])
        if link:
            context["toc"] = f"{context['toc'][:link.end()]}<ul>{''.join(items)}</ul>{context['toc'][link.end():]}"


def setup(app):
    app.add_lexer("tile", TileLexer)
    app.add_domain(Domain, override=True)
    app.connect("doctree-resolved", link_literals)
    app.connect("html-page-context", link_code)
    app.connect("html-page-context", list_objects)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
