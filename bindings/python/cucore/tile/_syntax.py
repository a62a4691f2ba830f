"""Queries on syntax trees: source positions, names that are bound, and names that are read."""
from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Sequence

from ._errors import TileCompilerError


SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)  # nodes that open their own scope


def syntax_of(function: types.FunctionType) -> ast.FunctionDef | ast.Lambda:
    """Return a function's syntax tree, with the line numbers of its file."""
    try:
        # Avoid getsourcelines(), which follows functools.wraps() to the wrapped function.
        lines, first = inspect.findsource(function.__code__)
        lines, first = inspect.getblock(lines[first:]), first + 1
    except (OSError, TypeError):
        raise TileCompilerError(f"the source of {function.__name__}() is not there: kernels are "
                                "written in files") from None
    source = textwrap.dedent("".join(lines))
    try:
        tree = ast.parse(source)
    except SyntaxError:  # probably a lambda in the middle of an expression
        tree = ast.parse(f"({source[source.index('lambda'):].rstrip().rstrip(',)')})")
    ast.increment_lineno(tree, first - 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function.__code__.co_name:
            return node
        if isinstance(node, ast.Lambda) and function.__code__.co_name == "<lambda>":
            return node
    raise TileCompilerError(f"the source of {function.__name__}() is not a function")


def stored(nodes: Sequence[ast.AST]) -> list[str]:
    """Return the names that statements bind, in order."""
    found: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        elif not isinstance(node, SCOPES):
            found.update(dict.fromkeys(stored(list(ast.iter_child_nodes(node)))))
    return list(found)


def loaded(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def read_first(nodes: list[ast.stmt]) -> set[str]:
    """Return the names that statements may read before binding them."""
    reads: set[str] = set()
    bound: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign):
            reads |= loaded(node.value) - bound
            for target in node.targets:
                reads |= loaded(target) - bound
                bound |= set(stored([ast.Expr(target)])) if not isinstance(target, ast.Name) \
                    else {target.id}
        elif isinstance(node, ast.AugAssign):
            reads |= (loaded(node.value) | loaded(node.target) | set(stored([node]))) - bound
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            reads |= (loaded(node.value) if node.value else set()) - bound
            bound.add(node.target.id)
        elif isinstance(node, ast.If):
            reads |= loaded(node.test) - bound
            reads |= (read_first(node.body) | read_first(node.orelse)) - bound
            bound |= always(node.body) & always(node.orelse)
        elif isinstance(node, (ast.For, ast.While)):
            head = node.iter if isinstance(node, ast.For) else node.test
            own = set(stored([ast.Expr(node.target)])) if isinstance(node, ast.For) else set()
            reads |= (loaded(head) | (read_first(node.body) - own)) - bound
        else:
            reads |= loaded(node) - bound
    return reads


def always(nodes: list[ast.stmt]) -> set[str]:
    """Return the names that statements bind on every path."""
    bound: set[str] = set()
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr)):
            bound |= set(stored([node]))
        elif isinstance(node, ast.If):
            bound |= always(node.body) & always(node.orelse)
    return bound


def returns(node: ast.AST) -> bool:
    """Return whether a node contains a return statement, ignoring nested functions."""
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        return False
    return isinstance(node, ast.Return) or any(map(returns, ast.iter_child_nodes(node)))
