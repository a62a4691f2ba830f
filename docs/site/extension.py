"""What the site adds to Sphinx: the tile language's colours, and links to the reference wherever a
function, type or constant is named, in text as in code."""
import html
import re

from docutils import nodes
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text


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


def places(app):
    """Name -> (page, anchor) of everything in the reference; made once."""
    if not hasattr(app, "cucore_places"):
        app.cucore_places = {}
        for name, _, kind, page, anchor, _ in app.env.get_domain("c").get_objects():
            if "." not in name and kind not in ("member", "functionParam"):
                app.cucore_places[name] = (page, anchor)
    return app.cucore_places


NAMED = re.compile(r"((?:cuc|CUC)_\w+)(\(.*\))?$", re.S)


def link_literals(app, doctree, page):
    known = places(app)
    for literal in list(doctree.findall(nodes.literal)):
        match = NAMED.match(literal.astext())
        if match and match[1] in known and not isinstance(literal.parent, nodes.reference):
            where, anchor = known[match[1]]
            uri = app.builder.get_relative_uri(page, where) + "#" + anchor
            reference = nodes.reference("", "", internal=True, refuri=uri)
            literal.replace_self(reference)
            reference += literal


CODE = re.compile(r'<div class="highlight-(?:c|cpp|cuda|default)[^"]*">.*?</pre>', re.S)
TOKEN = re.compile(r'<span class="(\w+)">((?:cuc|CUC)_\w+)</span>')


def link_code(app, page, _template, context, _doctree):
    """In the HTML of highlighted C: each name of the reference leads there."""
    known = places(app)

    def link(match):
        if match[2] not in known:
            return match.group()
        where, anchor = known[match[2]]
        uri = html.escape(app.builder.get_relative_uri(page, where) + "#" + anchor)
        return f'<a class="code-link" href="{uri}">{match.group()}</a>'

    if "body" in context:
        context["body"] = CODE.sub(lambda block: TOKEN.sub(link, block.group()), context["body"])


def setup(app):
    app.add_lexer("tile", TileLexer)
    app.connect("doctree-resolved", link_literals)
    app.connect("html-page-context", link_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
