"""Template arguments: closed terms that take the place of a def's ``~`` parameters."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from . import core
from .compile_ir import Expr


class Closed(NamedTuple):
    """A template argument: a closed term, its levels from 0."""

    term: core.Term


Entry: TypeAlias = Expr | Closed
Env: TypeAlias = tuple[Entry, ...]


def closed_term(term: core.Term, env: Env) -> core.Term:
    """``term`` under ``env`` as a term of its own: levels from 0, template variables replaced, types and marks dropped.

    A live template argument mentions no other variable; one inside an erased part becomes a dummy.
    """
    base = len(env)

    def move(t: core.Term, base: int, shift: int, env: Env, depth: int) -> core.Term:
        # Levels from base on are the term's own and move by shift; depth binders of the new term are around t.
        def go(part: core.Term, under: int = 0) -> core.Term:
            return move(part, base, shift, env, depth + under)

        match t:
            case core.Var(level, name) if level >= base:
                return core.Var(level + shift, name)
            case core.Var(level):
                entry = env[level]
                return move(entry.term, 0, depth, (), depth) if isinstance(entry, Closed) else core.Quantity(0)
            case core.App(fun, args):
                return core.App(go(fun), tuple([go(a) for a in args]))
            case core.Lam(mark, name, body):
                return core.Lam(mark, name, go(body, 1))
            case core.Match(con, arm, rest):
                return core.Match(con, go(arm), go(rest))
            case core.Ctr(con, args):
                return core.Ctr(con, tuple([go(a) for a in args]))
            case core.Plus(count, inner):
                return core.Plus(count, go(inner))
            case core.Ann(inner) | core.Rewrite(body=inner):
                return go(inner)
            case core.Let(binds, body):
                values = [core.Bind(b.mark, b.name, None, go(b.value)) for b in binds]
                return core.Let(tuple(values), go(body, len(binds)))
            case core.Pi() | core.Data() | core.Kind() | core.QuantType() | core.Quantity() | core.Meet() | core.Eq():
                return core.Quantity(0)
            case _:
                return t

    return move(term, base, -base, env, 0)
