"""Random well-typed Bend programs: recursive helpers with matches, lets, lambdas and in-place splits, and a main.

Everything is Data and copied freely (``+``), so that usage never stands in the way; a helper descends on its first
parameter, and what it is called with is cut to a few, so that a program ends soon.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hypothesis import strategies as st

NAT, BOOL, LIST, MAYBE, SHAPE, TEXT = "Nat", "Bool", "+List<Nat>", "+Maybe<Nat>", "Shape", "String"
TYPES = (NAT, BOOL, LIST, MAYBE, SHAPE, TEXT)
SHAPES = "type Shape is Data:\n  Dot{}\n  Bar{length: Nat}\n  Two{left: Shape, right: Shape, mark: Bool}\n"
LEAVES = {
    NAT: ("0n", "1n", "2n", "3n", "7n", "100n"),
    BOOL: ("True{}", "False{}"),
    LIST: ("[]", "[1n]", "[3n, 0n, 2n]", "List.range(4n)"),
    MAYBE: ("None{}", "Some{5n}"),
    SHAPE: ("Dot{}", "Bar{2n}", "Two{Dot{}, Bar{1n}, True{}}"),
    TEXT: ('""', '"a"', '"b\\n"', '"ab"'),
}
# A hole is a type's letter, and behind a bar the variable that the form itself binds, copied to be used freely.
FORMS: dict[str, tuple[str, ...]] = {
    NAT: (
        "Nat.add({N}, {N})",
        "Nat.sub({N}, {N})",
        "Nat.mul(Nat.min({N}, 9n), Nat.min({N}, 9n))",
        "Nat.div({N}, {N})",
        "Nat.mod({N}, {N})",
        "Nat.max({N}, {N})",
        "1n+{N}",
        "3n+{N}",
        "List.length(&2, Nat, {L})",
        "Maybe.default(&2, Nat, {M}, {N})",
        "Bool.pick(Nat, {B}, {N}, {N})",
        "String.length({T})",
        "List.foldl(~&2, ~Nat, ~Nat, ~Nat.sub, {L}, {N})",
        "List.foldr(~&2, ~Nat, ~Nat, ~(x => y => Nat.max(x, y)), {L}, {N})",
        "{\\{Zero: {N}; Succ: x => (+y = x; {N|y:N})} : Nat -> Nat}({N})",
        "{\\{Dot: {N}; Bar: n => (+y = n; {N|y:N}); Two: l => r => b => {N}} : Shape -> Nat}({S})",
        "{\\{Some: x => (+y = x; {N|y:N}); m => {N}} : +Maybe<Nat> -> Nat}({M})",
        "{x => (+y = x; {N|y:N}) : Nat -> Nat}({N})",
        "U32.to_nat(U32.add(U32.from_nat(Nat.min({N}, 99n)), 250))",
    ),
    BOOL: (
        "Nat.is_lt({N}, {N})",
        "Nat.is_eq({N}, {N})",
        "Bool.and({B}, {B})",
        "Bool.or({B}, {B})",
        "Bool.not({B})",
        "List.is_empty(&2, Nat, {L})",
        "List.any(~&2, ~Nat, ~(x => Nat.is_lt(2n, x)), {L})",
        "String.eq({T}, {T})",
        "{\\{True: {B}; False: {B}} : Bool -> Bool}({B})",
    ),
    LIST: (
        "({N}) <> {L}",
        "List.append(&2, Nat, {L}, {L})",
        "List.reverse(&2, Nat, {L})",
        "List.take(&2, Nat, {L}, {N})",
        "List.drop(&2, Nat, {L}, {N})",
        "List.filter(~Nat, ~(x => Nat.is_lt(x, 3n)), {L})",
        "List.sort(~Nat, ~Nat.is_le, List.take(&2, Nat, {L}, 6n))",
        "Bool.pick(+List<Nat>, {B}, {L}, {L})",
        "{\\{Nil: {L}; Con: h => t => (+y = h; {L|y:N})} : +List<Nat> -> +List<Nat>}({L})",
    ),
    MAYBE: (
        "Some{{N}}",
        "List.head(&2, Nat, {L})",
        "List.get(&2, Nat, {L}, {N})",
        "Maybe.or(&2, Nat, {M}, {M})",
        "Maybe.map(&2, Nat, Nat, x => (+y = x; {N|y:N}), {M})",
        "Maybe.bind(&2, Nat, Nat, {M}, x => (+y = x; {M|y:N}))",
    ),
    SHAPE: ("Bar{{N}}", "Two{{S}, {S}, {B}}", "Bool.pick(Shape, {B}, {S}, {S})"),
    TEXT: ("{T} ++ {T}", "Nat.show({N})", "String.reverse({T})", "Bool.show({B})", "String.take({T}, {N})"),
}
HOLE = re.compile(r"\{([NBLMST])(?:\|(\w):([NBLMST]))?\}")
LETTERS = {"N": NAT, "B": BOOL, "L": LIST, "M": MAYBE, "S": SHAPE, "T": TEXT}
MATCHES = {
    NAT: ("0n", ("1n++{0}", ((NAT, True),))),
    LIST: ("[]", ("+{0} <> +{1}", ((NAT, False), (LIST, True)))),
    SHAPE: (
        "Dot{{}}",
        ("Bar{{+{0}}}", ((NAT, False),)),
        ("Two{{+{0}, +{1}, +{2}}}", ((SHAPE, True), (SHAPE, True), (BOOL, False))),
    ),
}
"""Patterns by type, with the types of their variables and whether they are smaller parts of the same type."""


@dataclass
class Writer:
    """Draws the text of one program."""

    draw: st.DrawFn
    helpers: list[tuple[str, tuple[str, ...], str]] = field(default_factory=list)
    names: int = 0

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def pick(self, options: list[str]) -> str:
        return self.draw(st.sampled_from(options))

    def expression(self, type_: str, scope: dict[str, str], depth: int, own: tuple[str, str] = ("", "")) -> str:
        """``own`` is a self-call, by its type and text, that may be used once."""
        local = [name for name, of in scope.items() if of == type_]
        if own[0] == type_ and self.draw(st.integers(0, 2)) == 0:
            return own[1]
        if depth == 0 or self.draw(st.integers(0, 5)) == 0:
            return self.pick([*local, *local, *LEAVES[type_]])
        callable_ = [h for h in self.helpers if h[2] == type_]
        if callable_ and self.draw(st.integers(0, 2)) == 0:
            name, params, _ = self.draw(st.sampled_from(callable_))
            return f"{name}({', '.join(self.argument(p, scope, depth - 1) for p in params)})"
        return self.filled(self.pick(list(FORMS[type_])), scope, depth - 1, own)

    def argument(self, type_: str, scope: dict[str, str], depth: int) -> str:
        text = self.expression(type_, scope, depth)
        if type_ == NAT:
            return f"Nat.min({text}, 4n)"
        return f"List.take(&2, Nat, {text}, 4n)" if type_ == LIST else text

    def filled(self, form: str, scope: dict[str, str], depth: int, own: tuple[str, str]) -> str:
        """A form with its holes filled; the self-call is offered to the first hole only."""
        parts: list[str] = []
        end = 0
        for hole in HOLE.finditer(form):
            letter, name, of = hole.groups()
            inner = {**scope, name: LETTERS[of]} if name else scope
            parts += [form[end : hole.start()], self.expression(LETTERS[letter], inner, depth, own)]
            own, end = ("", ""), hole.end()
        return "".join([*parts, form[end:]])

    def body(self, type_: str, scope: dict[str, str], own: tuple[str, str], indent: str) -> str:
        lines = ""
        inner = dict(scope)
        for _ in range(self.draw(st.integers(0, 2))):
            of, name = self.draw(st.sampled_from(TYPES)), self.name()
            lines += f"{indent}+{name} : {of} = {self.expression(of, inner, 2)}\n"
            inner[name] = of
        return f"{lines}{indent}{self.expression(type_, inner, 3, own)}\n"

    def helper(self) -> str:
        first = self.draw(st.sampled_from(sorted(MATCHES)))
        types = (first, *self.draw(st.lists(st.sampled_from(TYPES), max_size=2)))
        result = self.draw(st.sampled_from(TYPES))
        name, params = f"h{len(self.helpers)}", [self.name() for _ in types]
        text = f"def {name}({', '.join(f'+{p}: {t}' for p, t in zip(params, types, strict=True))}) -> {result}:\n"
        text += f"  match {params[0]}:\n"
        scope = dict(zip(params, types, strict=True))
        for pattern in MATCHES[first]:
            shape, fields = (pattern, ()) if isinstance(pattern, str) else pattern
            names = [self.name() for _ in fields]
            parts = [n for n, (_, smaller) in zip(names, fields, strict=True) if smaller]
            inner = {**scope, **{n: t for n, (t, _) in zip(names, fields, strict=True)}}
            own = ("", "")
            if parts:
                others = [self.argument(t, inner, 1) for t in types[1:]]
                own = (result, f"{name}({', '.join([parts[0], *others])})")
            text += f"    case {shape.format(*names)}:\n{self.body(result, inner, own, '      ')}"
        self.helpers.append((name, types, result))
        return text

    def program(self) -> str:
        parts = ["import Base\n", SHAPES, *[self.helper() for _ in range(self.draw(st.integers(1, 4)))]]
        values = [(t, self.expression(t, {}, 3)) for t in TYPES for _ in range(2)]
        parts.append(f"def main() -> {' & '.join(t for t, _ in values)}:\n  ({', '.join(v for _, v in values)})\n")
        return "\n".join(parts)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a program that checks and whose main is a tuple of plain values."""
    return Writer(draw).program()
