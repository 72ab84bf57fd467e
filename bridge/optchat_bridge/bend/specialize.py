"""Core terms with closed terms in the place of variables; what a lambda is applied to takes its variable's place.

Variables are levels, so a term that moves to another depth has its own binders numbered anew.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple, TypeAlias

from . import core as c


class _Placed(NamedTuple):
    """A term for a variable, as it reads at a depth."""

    term: c.Term
    depth: int


_Env: TypeAlias = "tuple[int | _Placed, ...]"
"""What each level of the old term is: a level of the new one, or a term."""


def closed(term: c.Term, depth: int) -> c.Term:
    """A closed term that stands at ``depth``, as it reads at depth 0."""
    return _rebuild(term, (0,) * depth, 0)


def specialize(body: c.Term, args: tuple[c.Term, ...]) -> c.Term:
    """The body of ``len(args)`` lambdas at closed arguments."""
    for _ in args:
        assert isinstance(body, c.Lam)
        body = body.body
    return _rebuild(body, tuple([_Placed(arg, 0) for arg in args]), 0)


def _rebuild(term: c.Term, env: _Env, depth: int) -> c.Term:
    """A term under ``len(env)`` levels, as it reads at ``depth``."""
    if isinstance(term, c.Var):
        found = env[term.level]
        if isinstance(found, int):
            return c.Var(found, term.name, term.pos)
        return _rebuild(found.term, tuple(range(found.depth)), depth)
    if isinstance(term, c.App):
        args = tuple([_rebuild(arg, env, depth) for arg in term.args])
        return _applied(_rebuild(term.fun, env, depth), args, depth, term.pos)
    if isinstance(term, c.Lam):
        return c.Lam(term.mark, term.name, _rebuild(term.body, (*env, depth), depth + 1), term.pos)
    if isinstance(term, c.Pi):
        dom = _rebuild(term.dom, env, depth)
        return c.Pi(term.mark, term.name, dom, _rebuild(term.cod, (*env, depth), depth + 1), term.pos)
    if isinstance(term, c.Rewrite):
        motive = _rebuild(term.motive, (*env, depth, depth + 1), depth + 2)
        evidence, body = _rebuild(term.evidence, env, depth), _rebuild(term.body, env, depth)
        return c.Rewrite(evidence, term.name, motive, body, term.pos)
    if isinstance(term, c.Let):
        binds = tuple([_parts(bind, env, depth) for bind in term.binds])
        last = depth + len(binds)
        return c.Let(binds, _rebuild(term.body, (*env, *range(depth, last)), last), term.pos)
    if isinstance(term, c.Plus):
        return _plus(term.count, _rebuild(term.term, env, depth), term.pos)
    rebuilt: c.Term = _parts(term, env, depth)
    return rebuilt


def _parts(node: Any, env: _Env, depth: int) -> Any:
    """A node that binds nothing, part by part."""
    new = []
    for each in fields(node):
        part = getattr(node, each.name)
        if isinstance(part, tuple):
            part = tuple([_rebuild(one, env, depth) for one in part])
        elif hasattr(part, "__dataclass_fields__"):
            part = _rebuild(part, env, depth)
        new.append(part)
    return type(node)(*new)


def _applied(fun: c.Term, args: tuple[c.Term, ...], depth: int, pos: int) -> c.Term:
    while args and isinstance(fun, c.Lam):
        fun = _rebuild(fun.body, (*range(depth), _Placed(args[0], depth)), depth)
        args = args[1:]
    if not args:
        return fun
    if isinstance(fun, c.App):
        return c.App(fun.fun, fun.args + args, pos)
    return c.App(fun, args, pos)


def _plus(count: int, term: c.Term, pos: int) -> c.Term:
    if isinstance(term, c.NatLit):
        return c.NatLit(count + term.value, pos)
    if isinstance(term, c.Plus):
        return c.Plus(count + term.count, term.term, pos)
    return c.Plus(count, term, pos)
