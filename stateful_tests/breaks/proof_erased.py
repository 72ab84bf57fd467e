"""What is left of a proof without what is erased: types, motives, and all that stands at a `-` parameter or field.

Two proofs with the same rest are one proof: they differ in how its types are written.
"""

from __future__ import annotations

from typing import Any

from optchat_bridge.bend import core as c
from optchat_bridge.bend.declare import Program

Erased = tuple[Any, ...]
TYPES = (c.Pi, c.Data, c.Kind, c.QuantType, c.Quantity, c.Meet, c.Eq)


def erased(term: c.Term, program: Program) -> Erased:
    """A term as nested tuples, erased parts left out."""
    if isinstance(term, c.Ann):
        return erased(term.term, program)
    if isinstance(term, c.Var):
        return "variable", term.level, term.name
    if isinstance(term, c.App):
        return ("call", erased(term.fun, program), *_live(term, program))
    if isinstance(term, c.Ctr):
        marks = [field.mark for field in program.constructor(term.con).fields]
        live = [arg for arg, mark in zip(term.args, marks, strict=True) if mark != c.ERASED]
        return ("constructor", term.con, *(erased(arg, program) for arg in live))
    if isinstance(term, c.Lam):
        return "lambda", erased(term.body, program)
    if isinstance(term, c.Match):
        return "match", term.con, erased(term.arm, program), erased(term.rest, program)
    if isinstance(term, c.Plus):
        return "plus", term.count, erased(term.term, program)
    if isinstance(term, c.Rewrite):
        return "rewrite", erased(term.evidence, program), erased(term.body, program)
    if isinstance(term, c.Let):
        values = (erased(bind.value, program) if bind.mark != c.ERASED else () for bind in term.binds)
        return ("let", *values, erased(term.body, program))
    if isinstance(term, TYPES):
        return ("type",)
    return type(term).__name__, *_plain(term)


def _plain(term: Any) -> tuple[Any, ...]:
    """What tells a literal, a reference or a hole from another."""
    return tuple(getattr(term, name) for name in term.__dataclass_fields__ if name != "pos")


def _live(term: c.App, program: Program) -> list[Erased]:
    marks: list[int] = []
    if isinstance(term.fun, c.Ref) and not term.fun.name.startswith(c.UNKNOWN):
        marks = [param.mark for param in program.signature(term.fun.name).params]
    marks += [c.ONE] * (len(term.args) - len(marks))
    return [erased(arg, program) for arg, mark in zip(term.args, marks, strict=False) if mark != c.ERASED]


def mentions(part: Erased, name: str) -> bool:
    """Whether a variable of that name stands somewhere in what is left."""
    if part[:1] == ("variable",):
        return bool(part[2] == name)
    return any(isinstance(each, tuple) and mentions(each, name) for each in part)
