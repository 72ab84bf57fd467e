"""Random matches of closed values, and the row that each value must take: the first that fits, read from the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st

Test = Callable[[Any], bool]
"""Whether a pattern fits a value: numbers, texts, lists, and a constructor as its name and its fields."""

NAMES: Final = {"N": "Nat", "S": "String", "C": "Char", "U": "U32", "B": "Bool", "L": "+List<Nat>", "T": "T"}
CONSTRUCTORS: Final = {
    "B": (("True", ""), ("False", "")),
    "T": (("None0", ""), ("One", "N"), ("Two", "TN"), ("Rest", "LB")),
}
FIELDS: Final = dict([each for some in CONSTRUCTORS.values() for each in some])
HEAD: Final = (
    "import Base\n\ntype T is Data:\n  None0{}\n  One{n: Nat}\n  Two{t: T, n: Nat}\n  Rest{l: +List<Nat>, b: Bool}\n\n"
)
ELSE: Final = 99


def _any(_value: Any) -> bool:
    return True


class Rows:
    """Draws patterns and values."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.names = 0

    def pattern(self, type_: str, depth: int) -> tuple[str, Test]:
        """A pattern as text, and the test that it stands for."""
        kind = self.draw(st.integers(0, 5))
        if not depth or kind == 0:
            self.names += 1
            return self.draw(st.sampled_from(("_", f"v{self.names}", f"+v{self.names}"))), _any
        if type_ in CONSTRUCTORS:
            return self.constructor(type_, depth)
        if type_ == "N":
            return self.numeral(kind)
        if type_ == "U":
            return self.word()
        return {"C": self.char, "S": self.text, "L": self.list}[type_](kind, depth)

    def constructor(self, type_: str, depth: int) -> tuple[str, Test]:
        con, types = self.draw(st.sampled_from(CONSTRUCTORS[type_]))
        parts = [self.pattern(each, depth - 1) for each in types]

        def test(value: Any) -> bool:
            return value[0] == con and all(fits(one) for (_, fits), one in zip(parts, value[1], strict=True))

        return f"{con}{{{', '.join(text for text, _ in parts)}}}", test

    def numeral(self, kind: int) -> tuple[str, Test]:
        count = self.draw(st.integers(0, 3))
        if kind < 4 or not count:
            return f"{count}n", lambda value: bool(value == count)
        text, fits = self.pattern("N", 0)
        return f"{count}n+{text}", lambda value: value >= count and fits(value - count)

    def word(self) -> tuple[str, Test]:
        number = self.draw(st.sampled_from((0, 1, 2, 97)))
        return str(number), lambda value: bool(value == number)

    def char(self, kind: int, depth: int) -> tuple[str, Test]:
        if kind < 4:
            char = self.draw(st.sampled_from("ab"))
            return f"'{char}'", lambda value: bool(value == char)
        text, fits = self.pattern("U", depth - 1)
        return f"Chr{{{text}}}", lambda value: fits(ord(value))

    def text(self, kind: int, depth: int) -> tuple[str, Test]:
        if kind < 4:
            whole = self.draw(st.sampled_from(("", "a", "ab", "b")))
            return f'"{whole}"', lambda value: bool(value == whole)
        (head, first), (tail, rest) = self.pattern("C", depth - 1), self.pattern("S", depth - 1)
        return f"SCon{{{head}, {tail}}}", lambda value: value != "" and first(value[0]) and rest(value[1:])

    def list(self, kind: int, depth: int) -> tuple[str, Test]:
        if kind < 3:
            parts = [self.pattern("N", depth - 1) for _ in range(kind)]

            def test(value: Any) -> bool:
                return len(value) == len(parts) and all(p(one) for (_, p), one in zip(parts, value, strict=True))

            return f"[{', '.join(text for text, _ in parts)}]", test
        (head, first), (tail, rest) = self.pattern("N", 1), self.pattern("L", depth - 1)
        # in parentheses: what stands behind a numeral's + reaches to the end
        return f"({head}) <> {tail}", lambda value: value != [] and first(value[0]) and rest(value[1:])

    def value(self, type_: str, depth: int) -> Any:
        """A closed value."""
        simple: dict[str, st.SearchStrategy[Any]] = {
            "N": st.integers(0, 5),
            "U": st.sampled_from((0, 1, 2, 3, 97, 98)),
            "C": st.sampled_from("abc"),
            "S": st.sampled_from(("", "a", "ab", "b", "aa", "ba")),
            "L": st.lists(st.integers(0, 3), max_size=3),
        }
        if type_ in simple:
            return self.draw(simple[type_])
        con, types = self.draw(st.sampled_from(CONSTRUCTORS[type_] if depth else CONSTRUCTORS[type_][:1]))
        return con, [self.value(each, depth - 1) for each in types]


def written(type_: str, value: Any) -> str:
    """A value as Bend text."""
    if type_ == "N":
        return f"{value}n"
    if type_ in "UCS":
        return {"U": f"{value}", "C": f"'{value}'", "S": f'"{value}"'}[type_]
    if type_ == "L":
        return f"[{', '.join(f'{each}n' for each in value)}]"
    con, parts = value
    return f"{con}{{{', '.join(written(each, one) for each, one in zip(FIELDS[con], parts, strict=True))}}}"


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, list[int]]:
    """A program with a random match, and what main must be: the row that each of its calls takes.

    At most one column is read bit by bit: rows of several words make trees of millions of arms.
    """
    rows = Rows(draw)
    plain = draw(st.lists(st.sampled_from("NBLT"), max_size=2))
    types = draw(st.permutations([*plain, draw(st.sampled_from("NTSCU"))]))
    table = [[rows.pattern(each, 3) for each in types] for _ in range(draw(st.integers(1, 5)))]
    params = [f"p{index}" for index in range(len(types))]
    text = HEAD + f"def f({', '.join(f'+{p}: {NAMES[t]}' for p, t in zip(params, types, strict=True))}) -> Nat:\n"
    text += f"  match {', '.join(params)}:\n"
    for index, row in enumerate(table):
        text += f"    case {', '.join(pattern for pattern, _ in row)}: {index}n\n"
    text += f"    case {', '.join('_' for _ in types)}: {ELSE}n\n"
    values = [[rows.value(each, 3) for each in types] for _ in range(6)]
    calls = [f"f({', '.join(written(t, one) for t, one in zip(types, some, strict=True))})" for some in values]
    text += f"def main() -> +List<Nat>:\n  [{', '.join(calls)}]\n"
    wanted = []
    for some in values:
        fitting = (
            index for index, row in enumerate(table) if all(p(one) for (_, p), one in zip(row, some, strict=True))
        )
        wanted.append(next(fitting, ELSE))
    return text, wanted
