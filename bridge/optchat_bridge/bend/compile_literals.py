"""Literal patterns: the tree that looks at a machine word bit by bit becomes a chain of comparisons with numbers.

A pattern such as ``'a'`` looks at 32 bits, and wherever they differ from every literal the default follows, once for
each place. The tree is folded when every such default is the same and none of it mentions the bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from .compile_ir import (
    Alt,
    Call,
    Case,
    Con,
    Expr,
    Fail,
    Fun,
    Imm,
    Let,
    Prim,
    Str,
    V,
    rebuild,
)

Fact: TypeAlias = tuple[str, tuple[Expr, ...]]
Facts: TypeAlias = dict[int, Fact]
WORD_BITS: Final = 32
REBUILT: Final = {"chr_from_u32": "Chr", "u32_pack": "U32", "word_con": "WCon"}
"""Operations that make a constructor's value."""


def known(e: V, facts: Facts) -> Expr:
    """A variable, or the constructor without fields that it is known to be."""
    fact = facts.get(e.id)
    if fact is None or fact[1]:
        return e
    return {"Zero": Imm("nat", 0), "WNil": Imm("word", 0)}.get(fact[0]) or Imm("con", 0, fact[0])


def rebuilt(con: str, args: tuple[Expr, ...], facts: Facts) -> V | None:
    """The variable that is known to be the constructor with these fields."""
    for var, (name, fields) in facts.items():
        if name == con and args and len(fields) == len(args):
            resolved = [known(f, facts) if isinstance(f, V) else f for f in fields]
            if all(same(r, a, {}) for r, a in zip(resolved, args, strict=True)):
                return V(var)
    return None


def same(a: Expr, b: Expr, names: Mapping[int, int]) -> bool:
    """Whether two expressions are equal up to the names of their own variables; ``names`` maps those of ``a``."""
    match a, b:
        case V(x), V(y):
            return names.get(x, x) == y
        case Imm(k, v, n), Imm(l, w, m):
            return (k, v, n) == (l, w, m)
        case (Str(s), Str(t)) | (Fail(s), Fail(t)):
            return s == t
        case (Con(o, xs), Con(p, ys)) | (Prim(o, xs), Prim(p, ys)):
            return o == p and _all_same(xs, ys, names)
        case Call(f, xs), Call(g, ys):
            return f == g and _all_same(xs, ys, names)
        case Fun(ps, x), Fun(qs, y):
            return len(ps) == len(qs) and same(x, y, {**names, **dict(zip(ps, qs, strict=True))})
        case Let(p, v, x), Let(q, w, y):
            return same(v, w, names) and same(x, y, {**names, p: q})
        case Case(), Case():
            return _same_case(a, b, names)
        case _:
            return False


def _all_same(xs: tuple[Expr, ...], ys: tuple[Expr, ...], names: Mapping[int, int]) -> bool:
    if len(xs) != len(ys):
        return False
    for x, y in zip(xs, ys, strict=True):
        if not same(x, y, names):
            return False
    return True


def _same_case(a: Case, b: Case, names: Mapping[int, int]) -> bool:
    if len(a.alts) != len(b.alts) or (a.default is None) != (b.default is None):
        return False
    if not same(a.scrut, b.scrut, names):
        return False
    inner = {**names, a.var: b.var}
    for p, q in zip(a.alts, b.alts, strict=True):
        fields = dict(zip(p.fields, q.fields, strict=True))
        if p.con != q.con or not same(p.body, q.body, {**inner, **fields}):
            return False
    return a.default is None or b.default is None or same(a.default, b.default, inner)


def restored(e: Expr, facts: Facts) -> Expr:
    """``e`` with values that a match took apart and a default row puts together again as the variables they were."""
    match e:
        case V():
            return known(e, facts)
        case Prim(op, args):
            done = tuple([restored(a, facts) for a in args])
            con = REBUILT.get(op)
            return (rebuilt(con, done, facts) if con else None) or Prim(op, done)
        case Con(con, args):
            done = tuple([restored(a, facts) for a in args])
            return rebuilt(con, done, facts) or Con(con, done)
        case _:
            return rebuild(e, lambda part: restored(part, facts))


class _Folding:
    def __init__(self) -> None:
        self.bits: set[int] = set()
        self.literals: list[tuple[int, Expr]] = []
        self.default: Expr | None = None
        self.fine = True

    def walk(self, e: Expr, word: int, value: int, depth: int, facts: Facts) -> None:
        """``e`` looks at the bits from ``depth`` on, which are in ``word``; those before make ``value``."""
        if not self.fine:
            return
        match e:
            case Case(V(var), _, (Alt("WCon", (bit, rest), inner),), None) if var == word and depth < WORD_BITS:
                self.bits |= {bit, rest}
                facts = facts | {word: ("WCon", (V(bit), V(rest)))}
                match inner:
                    case Case(V(test), _, alts, default) if test == bit:
                        self.bit(alts, default, bit, rest, value, depth, facts)
                    case _:
                        self.leaf(inner, facts)
            case Case(V(var), _, (Alt("WNil", (), inner),), None) if var == word and depth == WORD_BITS:
                self.literals.append((value, restored(inner, facts | {word: ("WNil", ())})))
            case _ if depth == WORD_BITS:
                self.literals.append((value, restored(e, facts | {word: ("WNil", ())})))
            case _:
                self.leaf(e, facts)

    def bit(
        self, alts: tuple[Alt, ...], default: Expr | None, bit: int, rest: int, value: int, depth: int, facts: Facts
    ) -> None:
        seen = {alt.con: alt.body for alt in alts}
        for con, place in (("True", 1), ("False", 0)):
            body = seen.get(con, default)
            if body is None:
                self.fine = False
            elif con in seen:
                self.walk(body, rest, value | place << depth, depth + 1, facts | {bit: (con, ())})
            else:
                self.leaf(body, facts | {bit: (con, ())})

    def leaf(self, e: Expr, facts: Facts) -> None:
        e = restored(e, facts)
        if self.default is None:
            self.default = e
        elif not same(self.default, e, {}):
            self.fine = False


def literal_tests(e: Case, fresh: Callable[[], int]) -> Expr | None:
    """The chain of comparisons that a case on a machine word means, or None if it looks at bits for another reason."""
    match e:
        case Case(V(var), _, (Alt("U32", (word,), body),), None):
            folding = _Folding()
            folding.bits.add(word)
            folding.walk(body, word, 0, 0, {var: ("U32", (V(word),))})
        case _:
            return None
    result = folding.default
    if not folding.fine or not folding.literals or result is None:
        return None
    for value, leaf in reversed(folding.literals):
        arms = (Alt("True", (), leaf), Alt("False", (), result))
        result = Case(Prim("u32_eq", (V(var), Imm("u32", value))), fresh(), arms, None)
    return None if result.fv & folding.bits else result
