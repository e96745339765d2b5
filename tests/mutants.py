"""Mutants of a module: small changes to its source that a test ought to notice.

A site is a place in the source that can be changed; each has one or several mutants. Words that people read
are left alone (docstrings, messages of errors, `__repr__` and `__str__`), and so are annotations, decorators
and imports.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SWAPPED_OPERATORS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,), ast.And: (ast.Or,), ast.Or: (ast.And,),
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div, ast.Add), ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,), ast.Mod: (ast.Mult,), ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,), ast.BitXor: (ast.BitAnd,),
}  # fmt: skip
TWINS = [
    ("minimum", "maximum"), ("min", "max"), ("floor", "ceil"), ("argmin", "argmax"), ("any", "all"),
    ("zeros", "ones"), ("repeat", "tile"), ("isfinite", "isnan"),
]  # fmt: skip
SWAPPED_NAMES = {a: b for pair in TWINS for a, b in (pair, pair[::-1])}
SWAPPED_TEXTS = {"left": "right", "right": "left", "<=": ">=", ">=": "<=", "all": "none", "none": "all"}
SHOWN_TO_PEOPLE = ("__repr__", "__str__")
NEVER_CHANGED = ("decorator_list", "annotation", "returns", "type_comment", "bases")
KEPT = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.arguments)


class Mutant(NamedTuple):
    """One change of one module: `before` and `after` are the lines concerned, their white space squeezed."""

    path: str
    line: int
    scope: str
    before: str
    after: str
    source: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is known by, wherever the line moves."""
        return Path(self.path).name, self.scope, self.before, self.after


class Site(NamedTuple):
    """A place that can be changed, the function or method around it, and the texts that may stand there."""

    node: ast.AST
    scope: str
    texts: tuple[str, ...]


def mutants(path: Path, root: Path) -> list[list[Mutant]]:
    """The mutants of a module, site by site."""
    source = path.read_text(encoding="utf-8")
    name, tree = str(path.relative_to(root)), ast.parse(source)
    found = [[_mutant(name, source, site, text) for text in site.texts] for site in _within(tree, "")]
    real = [[m for m in site if _differs(m, tree)] for site in found]
    return [site for site in real if site]


def _mutant(path: str, source: str, site: Site, text: str) -> Mutant:
    node, lines = site.node, source.encode().splitlines(keepends=True)
    start, end = node.lineno - 1, node.end_lineno
    new = lines[start][: node.col_offset] + text.encode() + lines[end - 1][node.end_col_offset :]
    changed = b"".join([*lines[:start], new, *lines[end:]]).decode()
    before, after = (" ".join(part.decode().split()) for part in (b"".join(lines[start:end]), new))
    return Mutant(path, node.lineno, site.scope, before, after, changed)


def _differs(mutant: Mutant, tree: ast.Module) -> bool:
    """Is it Python, and another program?"""
    try:
        return ast.dump(ast.parse(mutant.source)) != ast.dump(tree)
    except SyntaxError:
        return False


def _within(node: ast.AST, scope: str) -> Iterator[Site]:
    """The sites in what a node consists of."""
    for field, value in ast.iter_fields(node):
        if field in NEVER_CHANGED:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _left_alone(child, node):
                yield from _at(child, _scope_of(child, scope))


def _at(node: ast.AST, scope: str) -> Iterator[Site]:
    if texts := tuple(dict.fromkeys([*_expressions(node), *_statements(node)])):
        yield Site(node, scope, texts)
    yield from _within(node, scope)


def _scope_of(node: ast.AST, scope: str) -> str:
    """`scope` itself inside of functions; in a class or a module, the name of what is defined there."""
    inside_function = scope and not scope.endswith(".")
    if inside_function or not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return scope
    return f"{scope}{node.name}" + ("." if isinstance(node, ast.ClassDef) else "")


def _left_alone(node: ast.AST, parent: ast.AST) -> bool:
    """Words for people, types, what never runs, and checks that never fail."""
    match node:
        case (
            ast.Expr(value=ast.Constant())
            | ast.If(test=ast.Name(id="TYPE_CHECKING"))
            | ast.keyword(arg="strict")
        ):
            return True
        case ast.FunctionDef(name=name):
            return name in SHOWN_TO_PEOPLE
        case ast.Assign(value=ast.Subscript() | ast.List() | ast.BinOp(op=ast.BitOr())):
            return isinstance(parent, ast.Module)  # names for types, and __all__
    return isinstance(node, KEPT)


def _expressions(node: ast.AST) -> Iterator[str]:
    """What may stand in place of an expression."""
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                yield from (
                    _with(node, ops=[*ops[:i], new(), *ops[i + 1 :]]) for new in SWAPPED_OPERATORS[type(op)]
                )
        case ast.BinOp(op=op):
            yield from (f"({_with(node, op=new())})" for new in SWAPPED_OPERATORS.get(type(op), ()))
        case ast.BoolOp(op=op, values=values):
            yield f"({_with(node, op=SWAPPED_OPERATORS[type(op)][0]())})"
            yield from (f"({ast.unparse(value)})" for value in values)
        case ast.UnaryOp(operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.IfExp(body=a, orelse=b):
            yield from (f"({ast.unparse(part)})" for part in (a, b))
        case ast.Constant(value=value):
            yield from _other_constants(value)
        case ast.Name(id=name, ctx=ast.Load()) if name in SWAPPED_NAMES:
            yield SWAPPED_NAMES[name]
        case ast.Attribute(attr="inf"):
            yield f"(-{ast.unparse(node)})"
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in SWAPPED_NAMES:
            yield _with(node, attr=SWAPPED_NAMES[name])
        case ast.Call(func=ast.Attribute(attr="where"), args=[condition, a, b], keywords=[]):
            yield _with(node, args=[condition, b, a])


def _other_constants(value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield repr(not value)
    elif isinstance(value, (int, float)):
        yield from (f"({value + step!r})" for step in (1, -1))
    elif isinstance(value, str) and value in SWAPPED_TEXTS:
        yield repr(SWAPPED_TEXTS[value])


def _statements(node: ast.AST) -> Iterator[str]:
    """What may stand in place of a statement."""
    match node:
        case ast.AugAssign(op=op):
            yield from (_with(node, op=new()) for new in SWAPPED_OPERATORS.get(type(op), ()))
            yield "pass"
        case ast.Expr(value=ast.Call()) | ast.Continue() | ast.Break():
            yield "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "pass"
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in _names(value):
            yield "pass"
        case ast.Return(value=ast.Tuple(elts=[a, b])):
            yield f"return {ast.unparse(b)}, {ast.unparse(a)}"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return None"


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _with(node: ast.AST, **fields: object) -> str:
    """The text of a copy with some fields replaced."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return ast.unparse(new)
