"""The compiled program as a machine: depth, need, sharing, memory, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from stateful_tests.bend.compiled import build, fast, run, run_within

MILLION = """import Base

def sum(xs: List<&2, Nat>) -> Nat:
  match xs:
    case []:
      0n
    case h <> t:
      Nat.add(h, sum(t))

def twice(xs: List<&2, Nat>) -> List<&2, Nat>:
  match xs:
    case []:
      []
    case +h <> t:
      h <> h <> twice(t)

def nested(n: Nat) -> Nat:
  match n:
    case 0n:
      7n
    case 1n+p:
      Bool.pick(Nat, Nat.is_eq(nested(p), 7n), 7n, 0n)

def main() -> Nat & Nat & Nat & +List<Nat>:
  +xs = List.range(1000000n)
  (sum(twice(xs)), List.length(&2, Nat, List.reverse(&2, Nat, List.append(&2, Nat, xs, xs))), nested(1000000n),
    List.take(&2, Nat, List.sort(~Nat, ~Nat.is_ge, List.take(&2, Nat, xs, 100000n)), 3n))
"""


def test_a_million_deep_is_no_crash(tmp_path: Path) -> None:
    ran = run_within(500, fast(MILLION, tmp_path))
    assert (ran.out, ran.err, ran.status) == ("(999999000000n, 2000000n, 7n, [99999n, 99998n, 99997n])\n", "", 0)


LONG_VALUE = """import Base

def text(n: Nat, acc: String) -> String:
  match n:
    case 0n:
      acc
    case 1n+p:
      text(p, SCon{'x', acc})

def main() -> +List<Nat> & String:
  (List.range(300000n), text(300000n, ""))
"""


def test_a_long_value_is_shown(tmp_path: Path) -> None:
    ran = run(fast(LONG_VALUE, tmp_path))
    numbers = ", ".join(f"{i}n" for i in range(300_000))
    assert ran.out == f'([{numbers}], "{"x" * 300_000}")\n'


LOOP = """import Base

@unsafe
def loop(n: Nat) -> Nat:
  loop(1n+n)

@unsafe
def spin() -> Nat:
  1n+spin()
"""
NEED = (
    LOOP
    + """
def first(a: Nat, b: Nat) -> Nat:
  a

def later(n: Nat, a: Nat, b: Nat) -> Nat:
  match n:
    case 0n:
      a
    case 1n+p:
      later(p, a, b)

type Two is Data:
  Two{a: Nat, b: Nat}

def left(t: Two) -> Nat:
  match t:
    case Two{a, b}:
      a

def apply(f: Nat -> Nat) -> Nat:
  f(loop(0n))

def call(n: Nat, f: Nat -> Nat, x: Nat) -> Nat:
  match n:
    case 0n:
      f(x)
    case 1n+p:
      call(p, f, x)

def main() -> +List<Nat>:
  x = loop(1n)
  +z = loop(2n)
  [first(1n, loop(0n)), later(5n, 2n, loop(0n)), left(Two{3n, loop(0n)}), apply(y => 4n),
    List.length(&2, Nat, [loop(0n), x]), Maybe.default(&1, Nat, Some{6n}, spin()),
    Bool.pick(Nat, True{}, 7n, loop(0n)), Pair.fst(Nat, Nat, (8n, loop(0n))),
    call(3n, y => List.length(&2, Nat, [z, z]), loop(0n)),
    Nat.mul(0n, loop(0n)), Nat.min(0n, loop(0n)), Nat.pow(loop(0n), 0n), Nat.div(loop(0n), 0n)]
"""
)


def test_what_is_not_needed_is_not_evaluated(tmp_path: Path) -> None:
    ran = run(build(NEED, tmp_path))
    assert (ran.out, ran.status) == ("[1n, 2n, 3n, 4n, 2n, 6n, 7n, 8n, 2n, 0n, 0n, 1n, 0n]\n", 0)


SHARED = """import Base

type Tree is Data:
  Leaf{}
  Node{l: Tree, r: Tree}

def full(n: Nat) -> Tree:
  match n:
    case 0n:
      Leaf{}
    case 1n+p:
      +t = full(p)
      Node{t, t}

def spine(t: Tree, acc: Nat) -> Nat:
  match t:
    case Leaf{}:
      acc
    case Node{l, r}:
      spine(r, 1n+acc)

def doubled(n: Nat) -> Nat:
  match n:
    case 0n:
      1n
    case 1n+p:
      +half = doubled(p)
      Nat.add(half, half)

def next(p: Nat & Nat) -> Nat & Nat:
  (a, b) = p
  +x = a
  (Nat.add(x, b), x)

def pair(n: Nat) -> Nat & Nat:
  match n:
    case 0n:
      (1n, 1n)
    case 1n+p:
      next(pair(p))

def count(n: Nat, a: Nat) -> Nat:
  match n:
    case 0n:
      a
    case 1n+p:
      count(p, 1n+a)

def kept() -> Nat -> Nat:
  x = count(3000000n, 0n)
  y => Nat.add(x, y)

def often(n: Nat, a: Nat) -> Nat:
  match n:
    case 0n:
      a
    case 1n++p:
      often(p, Nat.max(a, kept(p)))

def main() -> Nat & Nat & Nat & (Nat & Nat):
  (spine(full(5000n), 0n), doubled(58n), often(1000000n, 0n), pair(80n))
"""


def test_a_value_is_evaluated_once(tmp_path: Path) -> None:
    ran = run(fast(SHARED, tmp_path))
    assert ran.out == f"(5000n, {2**58}n, 3999999n, 61305790721611591n, 37889062373143906n)\n"


ROUNDS = """import Base

def round(n: Nat, s: Nat) -> Nat:
  match n:
    case 0n:
      s
    case 1n+p:
      round(p, List.length(&2, Nat, List.reverse(&2, Nat, List.replicate(Nat, 1000n, s))))

def count(n: Nat, a: Nat) -> Nat:
  match n:
    case 0n:
      a
    case 1n+p:
      count(p, Nat.add(a, 2n))

def main() -> Nat & Nat:
  (round(20000n, 0n), count(50000000n, 0n))
"""


def test_memory_stays_near_what_is_alive(tmp_path: Path) -> None:
    ran = run_within(40, fast(ROUNDS, tmp_path))
    assert ran.out == "(1000n, 100000000n)\n"


STREAM = """import Base

def lines(n: Nat) -> String:
  match n:
    case 0n:
      ""
    case 1n++p:
      Nat.show(p) ++ "\\n" ++ lines(p)

def main() -> IO(Unit):
  IO.write(lines(1000000n))
"""


def test_a_text_is_written_while_it_is_made(tmp_path: Path) -> None:
    ran = run_within(40, fast(STREAM, tmp_path))
    assert ran.out == "".join(f"{n}\n" for n in reversed(range(1_000_000)))


def test_a_program_that_needs_more_memory_than_there_is_says_so(tmp_path: Path) -> None:
    ran = run_within(40, fast(MILLION, tmp_path))
    assert (ran.out, ran.err, ran.status) == ("", "error: out of memory\n", 1)


HUGE = "import Base\n\ndef main() -> Nat:\n  {}\n"


@pytest.mark.parametrize(
    ("term", "says"),
    [
        ("Nat.pow(2n, 59n)", "2^59"),
        ("Nat.mul(Nat.pow(2n, 30n), Nat.pow(2n, 29n))", "2^59"),
        ("Nat.add(Nat.pow(2n, 58n), Nat.pow(2n, 58n))", "2^59"),
        ("Nat.double(Nat.pow(2n, 58n))", "2^59"),
    ],
)
def test_a_number_that_does_not_fit_stops_the_program(term: str, says: str, tmp_path: Path) -> None:
    ran = run(build(HUGE.format(term), tmp_path))
    assert (ran.out, ran.status) == ("", 1)
    assert ran.err.startswith("error: ")
    assert says in ran.err


def test_the_largest_number_fits(tmp_path: Path) -> None:
    assert (
        run(build(HUGE.format("Nat.sub(Nat.mul(Nat.pow(2n, 29n), Nat.pow(2n, 29n)), 1n)"), tmp_path)).out
        == f"{2**58 - 1}n\n"
    )


def test_a_value_that_depends_on_itself_is_an_error(tmp_path: Path) -> None:
    ran = run(build(LOOP + "\ndef main() -> Nat:\n  spin()\n", tmp_path))
    assert (ran.out, ran.err, ran.status) == ("", "error: a value depends on itself\n", 1)


def test_memory_is_bounded(tmp_path: Path) -> None:
    binary = build("import Base\n\ndef main() -> +List<Nat>:\n  List.range(4000000n)\n", tmp_path)
    for limit, says in (("16", "OPTCHAT_BEND_MB"), ("none", "a number of megabytes")):
        ran = run(binary, environment={"OPTCHAT_BEND_MB": limit})
        assert (ran.out, ran.status) == ("", 1)
        assert says in ran.err


EAT = """import Base
@unsafe
def eat(+n: Nat, xs: +List<Nat>) -> Nat:
  eat(1n+n, n <> xs)
def main() -> Nat:
  eat(0n, [])
"""


def test_memory_is_bounded_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both halves of the heap, and the stack: what the system gives is little more than the limit."""
    binary = build(EAT, tmp_path)
    monkeypatch.setenv("OPTCHAT_BEND_MB", "100")
    ran = run_within(130, binary)
    assert (ran.out, ran.status) == ("", 1)
    assert "OPTCHAT_BEND_MB" in ran.err


def test_a_def_that_only_begins_again_compiles(tmp_path: Path) -> None:
    spin = "import Base\n@unsafe\ndef spin(n: Nat) -> Nat:\n  spin(n)\ndef main() -> Nat:\n  spin(0n)\n"
    assert fast(spin, tmp_path).exists()
