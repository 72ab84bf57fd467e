"""Which parameters a function surely evaluates: those may be evaluated before the call, which saves putting them off.

The analysis starts from "all" and takes away until nothing changes (a greatest fixed point): a function that always
loops, or fails, may be said to evaluate everything, because no difference can be seen.
"""

from __future__ import annotations

from typing import Final

from .compile_ir import Apply, Call, Case, Expr, Fail, Let, Prim, Program, V

Strict = dict[int, frozenset[int]]
"""For each function the positions of the parameters that it surely evaluates."""

_NOTHING: Final[frozenset[int]] = frozenset()


Forced = frozenset[int] | None
"""Variables that are surely evaluated; None when there never is a value."""


def forced(e: Expr, strict: Strict, memo: dict[int, Forced] | None = None) -> Forced:
    """The variables that are surely evaluated when ``e`` is; ``memo`` keeps results by the identity of nodes."""
    if memo is None:
        return _forced(e, strict, None)
    if id(e) not in memo:
        memo[id(e)] = _forced(e, strict, memo)
    return memo[id(e)]


def _forced(e: Expr, strict: Strict, memo: dict[int, Forced] | None) -> Forced:
    def go(part: Expr) -> Forced:
        return forced(part, strict, memo)

    match e:
        case V(var):
            return frozenset((var,))
        case Prim(_, args):
            return _all([go(a) for a in args])
        case Call(fun, args):
            return _all([go(args[i]) for i in strict[fun]])
        case Apply(fun, _):
            return go(fun)
        case Let(var, value, body):
            inner = go(body)
            if inner is None or var not in inner:
                return inner
            return _all([inner - {var}, go(value)])
        case Case(scrut, var, alts, default):
            branches = [go(a.body) for a in alts]
            if default is not None:
                branches.append(go(default))
            known = [b for b in branches if b is not None]
            common = frozenset.intersection(*known) if known else None
            return _all([go(scrut), common if common is None else common - {var}, _own(scrut)])
        case Fail():
            return None
        case _:
            return _NOTHING


def _own(scrut: Expr) -> frozenset[int]:
    return scrut.fv if isinstance(scrut, V) else _NOTHING


def _all(parts: list[Forced]) -> Forced:
    found: frozenset[int] = _NOTHING
    for part in parts:
        if part is None:
            return None
        found |= part
    return found


def strictness(program: Program) -> Strict:
    """The strict positions of every function."""
    strict: Strict = {n: frozenset(range(len(f.params))) for n, f in program.functions.items()}
    changed = True
    while changed:
        changed = False
        for number, function in program.functions.items():
            if not strict[number]:
                continue
            found = forced(function.body, strict)
            new = strict[number]
            if found is not None:
                new = frozenset(i for i in new if function.params[i] in found)
            if new != strict[number]:
                strict[number] = new
                changed = True
    return strict
