"""Arithmetic: the compiled operations equal Base's own defs, compiled without them, and Python's numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optchat_bridge.bend.compile_build import FLAGS, build_binary
from stateful_tests.bend.compiled import run

CALCULATOR = Path(__file__).parent / "programs" / "calculator.bend"
WORD = 2**32
Operations = dict[str, Callable[[int, int], object]]
ORDERS: Operations = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "cmp": lambda a, b: "LT" if a < b else "EQ" if a == b else "GT",
}
NAT: Operations = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: max(0, a - b),
    "mul": lambda a, b: a * b,
    "double": lambda a, _: a + a,
    "div": lambda a, b: a // b if b else 0,
    "mod": lambda a, b: a % b if b else a,
    "min": min,
    "max": max,
    "pow": lambda a, b: (a % 10) ** (b % 4),
    "word": lambda a, _: a % WORD,
    **ORDERS,
}
U32: Operations = {
    "add": lambda a, b: (a + b) % WORD,
    "sub": lambda a, b: (a - b) % WORD,
    "mul": lambda a, b: a * b % WORD,
    "div": lambda a, b: a // b if b else 0,
    "mod": lambda a, b: a % b if b else a,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "not": lambda a, _: WORD - 1 - a,
    "shl": lambda a, _: a * 2 % WORD,
    "shr": lambda a, _: a // 2,
    "shln": lambda a, b: (a << b % 40) % WORD,
    "shrn": lambda a, b: a >> b % 40,
    "inc": lambda a, _: (a + 1) % WORD,
    "min": min,
    "max": max,
    "char": lambda a, b: a == b,
    "order": ORDERS["cmp"],
    **ORDERS,
}
near = st.sampled_from([0, 1, 2, 9, 10, 31, 32, 33, 255, 2**16, 2**31 - 1, 2**31, WORD - 2, WORD - 1])
words = st.one_of(near, st.integers(0, WORD - 1), st.integers(0, 40))
pairs = st.one_of(st.tuples(words, words), words.map(lambda a: (a, a)))


def lines_of(kind: str, table: Operations, numbers: st.SearchStrategy[tuple[int, int]]) -> st.SearchStrategy[list[str]]:
    """Lines of the calculator."""
    one = st.tuples(st.sampled_from(sorted(table)), numbers)
    return st.lists(one.map(lambda x: f"{kind}{x[0]} {x[1][0]} {x[1][1]}"), min_size=1, max_size=40)


def calculated(binary: Path, lines: list[str], folder: Path) -> list[str]:
    path = folder / "lines"
    path.write_text("\n".join(lines) + "\n")
    ran = run(binary, str(path))
    assert (ran.err, ran.status) == ("", 0)
    return ran.out.splitlines()


def expected(line: str) -> str:
    operation, a, b = line.split()
    table = NAT if operation[0] == "n" else U32
    return str(table[operation[1:]](int(a), int(b)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("calculator")


@pytest.fixture(scope="module")
def compiled() -> Path:
    return build_binary(CALCULATOR, flags=FLAGS)


@pytest.fixture(scope="module")
def by_defs() -> Path:
    return build_binary(CALCULATOR, natives=False, flags=FLAGS)


@given(lines=st.one_of(lines_of("n", NAT, pairs.filter(lambda p: p[0] * p[1] < 2**59)), lines_of("w", U32, pairs)))
def test_compiled_arithmetic_is_pythons(compiled: Path, folder: Path, lines: list[str]) -> None:
    assert calculated(compiled, lines, folder) == [expected(line) for line in lines]


small = st.tuples(st.integers(0, 60), st.integers(0, 60))


@given(lines=st.one_of(lines_of("n", NAT, small), lines_of("w", U32, pairs)))
@settings(max_examples=40)
def test_base_computes_the_same_by_its_defs(by_defs: Path, folder: Path, lines: list[str]) -> None:
    assert calculated(by_defs, lines, folder) == [expected(line) for line in lines]


def test_every_operation_of_the_calculator_is_compared(compiled: Path, folder: Path) -> None:
    lines = [f"n{name} 7 3" for name in NAT] + [f"w{name} 7 3" for name in U32]
    assert calculated(compiled, lines, folder) == [expected(line) for line in lines]
    assert calculated(compiled, ["nnothing 1 2"], folder) == ["no such operation"]
